use super::{compile, compile_library, faulty, faulty_library, text, values};
use crate::problem::parameter::{Fallback, Kind, Parameter, Value};
use crate::problem::{Encoding, GeneKind, Library, PluginError, SearchPath};
use runner_plugin::abi::ABI_MINOR;
use std::collections::BTreeMap;

#[test]
fn the_rust_types_have_the_layout_of_the_header() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("layout");
    compile("layout.c", &[], &program);
    let printed =
        std::process::Command::new(&program).output().expect("it was just compiled").stdout;
    let printed = String::from_utf8(printed).expect("ASCII");
    let of_c: BTreeMap<&str, usize> = printed
        .lines()
        .map(|line| line.split_once(' ').expect("two words"))
        .map(|(name, bytes)| (name, bytes.parse().expect("a number")))
        .collect();
    let of_rust: BTreeMap<&str, usize> = runner_plugin::abi::layout().into_iter().collect();
    assert_eq!(of_c, of_rust);
}

#[test]
fn a_c_plugin_declares_what_its_source_says() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = compile_library("onemax.c", "onemax_c", &[], folder.path());
    let library =
        SearchPath::of(vec![folder.path().to_owned()]).load("onemax_c").expect("a sound plugin");
    assert_eq!((library.name(), library.version()), ("onemax_c", "1.0.0"));
    assert_eq!(library.abi(), (1, ABI_MINOR));
    assert_eq!(library.summary(), "Zeros in a string of bits, in C.");
    assert_eq!(library.path(), path);
    assert_eq!(
        library.file_hash(),
        blake3::hash(&std::fs::read(&path).expect("it was just loaded"))
    );
    assert!(!library.is_debug_build());
    let [length, share, loud, target] = library.parameters() else {
        panic!("{:?}", library.parameters())
    };
    assert_eq!(length.kind, Kind::Integer { low: 1, high: 100_000 });
    assert_eq!(length.fallback, Fallback::Value(Value::Integer(20)));
    assert_eq!(length.doc, "Bits of a genome.");
    assert_eq!(share.kind, Kind::Real { low: 0.0, high: 1.0, low_open: false, high_open: false });
    assert_eq!(share.fallback, Fallback::Value(Value::Real(0.5)));
    assert_eq!(
        (&loud.kind, &loud.fallback),
        (&Kind::Boolean, &Fallback::Value(Value::Boolean(true)))
    );
    assert_eq!(target.kind, Kind::Choice(vec!["ones".into(), "zero".into()].into()));
    assert_eq!(target.fallback, Fallback::Required);

    let problem =
        library.create(&values(&library, &[("target", text("zero"))])).expect("sound values");
    let description = problem.description();
    assert_eq!((description.encoding, description.gene), (Encoding::Bits, GeneKind::U8));
    assert_eq!((description.genome_length, description.space_size), (20, Some(2)));
    assert_eq!((description.ideal, description.worst), (Some(0.0), Some(20.0)));

    let refused = library
        .create(&values(&library, &[("target", text("ones")), ("length", Value::Integer(13))]));
    assert!(refused.expect_err("13 is refused").to_string().ends_with("length 13 is unlucky"));
}

#[test]
fn a_library_that_breaks_the_abi_is_refused_with_the_rule() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (fault, rule) in [
        ("NO_TABLE", "does not export the symbol `runner_plugin_table`"),
        ("MAJOR", "uses plugin ABI 2.7, but this runner uses 1.x"),
        ("SIZE", "`struct_size` is 16, but the table of ABI 1.0 has 176 bytes"),
        ("NAME_EMPTY", "its name is ``"),
        ("NAME_ILL", "its name is `../evil`"),
        ("NAME_NULL", "`name` is a text of 8 bytes at 0x0"),
        ("UTF8", "`name` is not UTF-8"),
        ("VERSION", "its `version` is empty"),
        ("NULL", "`evaluate` is null"),
        ("STRIDE", "`parameter_size` is 8"),
        ("DEFAULT", "the default of `width` is 1, outside 2 to 5"),
        ("TWICE", "declares the parameter `width` twice"),
        ("KEY", "the key of parameter 1 is `Two Words`"),
        ("KEY_PLUGIN", "the key of parameter 1 is `plugin`"),
        ("KIND", "`height` is a parameter of the unknown kind 42"),
        ("CHOICES", "the choices of `height` are 0"),
    ] {
        // Each library has its own name, because a loaded library stays loaded and its file must
        // not be overwritten.
        let path =
            compile_library("unusable.c", fault, &[&format!("-DFAULT_{fault}")], folder.path());
        let message = Library::load(&path).expect_err(fault).to_string();
        assert!(message.contains(rule), "{fault}: {message}");
        assert!(message.contains(&path.display().to_string()), "{fault} names its file: {message}");
    }
}

#[test]
fn an_instance_that_describes_itself_wrongly_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (fault, rule) in [
        ("ENCODING", "the encoding is 99, which is unknown"),
        ("GENE", "genes of f64 do not go with the bits encoding"),
        ("LENGTH", "the genome length is 1099511627776, outside 1 to 4294967295"),
        ("BOUNDS", "there are no bounds, but the integer encoding needs them"),
        ("PERMUTATION", "a permutation of 257 does not fit genes of u8"),
        ("SPACE", "it numbers 2 genomes, but has no `enumerate`"),
        ("DISTANCE", "but they and their distance must be finite"),
    ] {
        let define = format!("-DFAULT_DESCRIPTION_{fault}");
        let path = compile_library("unusable.c", &fault.to_lowercase(), &[&define], folder.path());
        let library = Library::load(&path).expect(fault);
        let message = library.create(&values(&library, &[])).expect_err(fault).to_string();
        assert!(message.contains(rule), "{fault}: {message}");
    }
    for (fault, rule) in [
        (
            "bad-bounds",
            "the bounds of gene 0 are 0 and 256, but genes of u8 are whole numbers from 0 to 255",
        ),
        ("bad-ideal", "the ideal 2 is above the worst 1"),
        ("bad-length", "the genome length is 0"),
        ("panic-describe", "panicked: as asked, in describe"),
    ] {
        let message = faulty(fault).expect_err(fault).to_string();
        assert!(message.contains(rule), "{fault}: {message}");
    }
}

/// A value that is given is 0, too: both are the same setting.
#[test]
fn a_default_of_minus_zero_is_zero() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = compile_library("onemax.c", "onemax_c", &["-DSHARE=-0.0"], folder.path());
    let library = Library::load(&path).expect("a sound plugin");
    let zero = Fallback::Value(Value::Real(0.0));
    let is_zero = |one: &Parameter| format!("{:?}", one.fallback) == format!("{zero:?}");
    assert!(library.parameters().iter().any(is_zero), "{:?}", library.parameters());
}

#[test]
fn what_the_plugin_says_of_its_values_reaches_the_user() {
    let message = faulty("error-create").expect_err("asked for").to_string();
    assert_eq!(
        message,
        "plugin `faulty`: cannot create this problem: as asked: length 8 and this fault do not go \
        together"
    );
    let message = faulty("panic-create").expect_err("asked for").to_string();
    assert!(
        message.contains("panicked: as asked, in create (tests/fixtures/faulty/src/lib.rs:"),
        "{message}"
    );
}

#[test]
fn values_that_are_not_what_is_declared_never_reach_the_plugin() {
    let library = faulty_library();
    for (key, value, rule) in [
        (
            "length",
            Value::Integer(1 << 32),
            "`length = 4294967296`: it must be an integer from 0 to 4294967295",
        ),
        ("length", Value::Real(8.0), "`length = 8.0`: it must be an integer"),
        ("share", Value::Real(f64::NAN), "it must be a real number between 0 and 1"),
        (
            "fault",
            text("unheard-of"),
            "`fault = \"unheard-of\"`: it must be one of none, panic-create",
        ),
        ("loud", text("yes"), "it must be true or false"),
        ("note", Value::Integer(1), "it must be a text"),
    ] {
        let message =
            library.create(&values(&library, &[(key, value)])).expect_err(key).to_string();
        assert!(message.contains(rule), "{message}");
    }
    let message = library.create(&[]).expect_err("no values").to_string();
    assert!(message.contains("it declares 5 parameters, but got 0 values"), "{message}");
}

#[test]
fn a_file_that_is_no_library_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("libtext.so");
    assert!(matches!(Library::load(&path), Err(PluginError::Unreadable { .. })));
    std::fs::write(&path, "not a library").expect("a writable folder");
    let message = Library::load(&path).expect_err("text").to_string();
    assert!(message.starts_with("cannot load the plugin `"), "{message}");
    assert!(message.contains("it must be a shared library built for this machine"), "{message}");
    // The loader's own message, which repeats the file name.
    #[cfg(target_os = "linux")]
    assert!(message.matches("libtext.so").count() == 2, "{message}");
}

#[test]
fn a_name_finds_the_first_library_of_that_name() {
    let (first, second) =
        (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let dirs =
        || vec![first.path().join("missing"), first.path().to_owned(), second.path().to_owned()];
    let shadowing = compile_library("onemax.c", "onemax_c", &[], first.path());
    compile_library("onemax.c", "onemax_c", &[], second.path());
    let liar = compile_library("onemax.c", "liar", &[], second.path());
    std::fs::write(second.path().join("libno-plugin.so"), "text").expect("a writable folder");
    std::fs::copy(&shadowing, second.path().join("libserde-0123456789abcdef.so"))
        .expect("a writable folder");
    let path = SearchPath::of(dirs());
    assert_eq!(path.dirs(), dirs());
    assert_eq!(path.find("onemax_c"), Some(shadowing.clone()));
    assert_eq!(path.find("../onemax_c"), None);
    assert_eq!(path.list(), [liar, shadowing]);

    let message = path.load("liar").expect_err("it calls itself otherwise").to_string();
    assert!(
        message.contains("calls itself `onemax_c`, but was found under the name `liar`"),
        "{message}"
    );
    let message = path.load("onemx_c").expect_err("there is none").to_string();
    assert!(
        message.starts_with("there is no plugin `onemx_c`; did you mean `onemax_c`?"),
        "{message}"
    );
    assert!(message.contains("missing\n"), "it lists the folders: {message}");
    let message = path.load("quite-another").expect_err("there is none").to_string();
    assert!(!message.contains("did you mean"), "{message}");
}

#[test]
fn the_rust_plugins_load_from_beside_the_test_program() {
    let path = SearchPath::new(&[]);
    for name in ["chess960", "faulty", "nqueens", "onemax"] {
        let library = path.load(name).expect("built as a dev-dependency");
        assert_eq!(library.is_debug_build(), cfg!(debug_assertions));
        let problem = library.create(&values(&library, &[])).expect("the defaults serve");
        assert!(problem.description().genome_length > 0);
    }
}

/// Creates the fixture, built against the old or the new header. Its best fitness lies `below` the
/// ideal 0.3, and its worst fitness lies `above` the worst 8.3.
fn rounding(
    old: bool,
    values_of: &[(&'static str, f64)],
) -> Result<crate::problem::Problem, PluginError> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let header = format!("-I{}", super::repository("tests/fixtures/c/abi-1.0").display());
    let arguments = if old { vec![header.as_str()] } else { Vec::new() };
    let path = compile_library("rounding.c", "rounding", &arguments, folder.path());
    let library = Library::load(&path)?;
    assert_eq!(library.abi(), (1, if old { 0 } else { ABI_MINOR }));
    let set: Vec<(&str, Value)> =
        values_of.iter().map(|(key, value)| (*key, Value::Real(*value))).collect();
    library.create(&values(&library, &set))
}

#[test]
fn a_plugin_of_abi_1_0_keeps_working_and_a_newer_one_states_its_tolerance() {
    let tolerances = |old, stated| {
        let problem = rounding(old, &[("tolerance", stated)]).expect("sound values");
        let description = problem.description();
        (
            description.tolerance,
            description.worst_tolerance,
            description.reaching(0.3),
            description.reaching(0.5),
        )
    };
    let usual = (1e-9, 1e-9, 0.3 + 1e-9, 0.5);
    assert_eq!(tolerances(true, 0.25), usual, "a field that 1.0 does not have is not read");
    assert_eq!(tolerances(true, -1.0), usual);
    assert_eq!(tolerances(false, -1.0), usual);
    assert_eq!(tolerances(false, 0.25), (0.25, 0.25, 0.55, 0.5));
    // The ideal must be exact; at the worst, rounding does not matter.
    assert_eq!(tolerances(false, 0.0), (0.0, 1e-9, 0.3, 0.5));
    let message = rounding(false, &[("tolerance", 8.0)]).expect_err("too much").to_string();
    assert!(
        message
            .contains("the tolerance 8 covers every fitness from the ideal 0.3 to the worst 8.3"),
        "{message}"
    );
}

#[test]
fn rounding_is_no_fault_and_more_than_that_is() {
    let (ones, zeros) = ([1u8; 8], [0u8; 8]);
    for old in [false, true] {
        // One unit in the last place of 0.3, and slightly less than the tolerance.
        for below in [6e-17, 9e-10] {
            let problem =
                rounding(old, &[("below", below), ("above", 2e-15)]).expect("sound values");
            let mut fitness = [0.0; 2];
            problem.evaluate::<u8>(&[ones, zeros].concat(), &mut fitness).expect("rounding");
            // The fitness is not changed.
            assert_eq!(fitness, [0.3 - below, 8.3 + 2e-15]);
            assert!(
                fitness[0] < 0.3
                    && fitness[1] > 8.3
                    && fitness[0] <= problem.description().reaching(0.3)
            );
        }
        let problem = rounding(old, &[("below", 1e-8), ("above", 0.001)]).expect("sound values");
        let said = |genome: &[u8]| {
            problem.evaluate::<u8>(genome, &mut [0.0]).expect_err("a fault").message
        };
        let words = said(&ones);
        for part in [
            "is 0.29999999",
            "below 0.3, which the plugin states as the ideal",
            "more than its tolerance 0.000000001",
            "a tolerance",
        ] {
            assert!(words.contains(part), "{part}: {words}");
        }
        let words = said(&zeros);
        assert!(
            words.contains("is 8.301")
                && words.contains("above 8.3, which the plugin states as the worst"),
            "{words}"
        );
    }
}
