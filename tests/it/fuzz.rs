//! Inputs that nobody would write: whatever they are, the answer is a result or an error, never a
//! panic.
//!
//! Each test mutates a corpus (the shipped configs, the wrong configs of the config's tests, the
//! files of a small run, and what was found before, in `tests/fuzz`). `RUNNER_FUZZ` says how many
//! inputs a test tries, `RUNNER_FUZZ_SEED` which; without them few and always the same. An input
//! that panics is written to `tests/fuzz`, where it stays once it is mended.

use crate::util::{Sandbox, number, plugins, root, sized};
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use runner::config::{Catalogue, Overrides, load_text};
use runner::plan::ResultsSpec;
use runner::problem::SearchPath;
use runner::results::{GenerationRow, Provenance, Results, Store, TimingRow};
use runner::search::registry;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

pub(crate) fn rng(stream: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(
        number("RUNNER_FUZZ_SEED", 1).wrapping_mul(1000).wrapping_add(stream),
    )
}

/// How many inputs of a kind are tried.
pub(crate) fn inputs() -> u64 {
    number("RUNNER_FUZZ", sized(500, 3_000))
}

/// Words that mean something to some reader, next to the names of operators.
const WORDS: &[&str] = &[
    "[problem]",
    "[[operators]]",
    "[stop]",
    "[sweep]",
    "[output]",
    "plugin = ",
    "preset = ",
    "name = ",
    "kind = ",
    "rate = ",
    "population = ",
    "selection = ",
    "crossover = ",
    "mutation = ",
    "replacement = ",
    "algorithm = ",
    "baseline = true",
    "pairing = \"common\"",
    "problem.n",
    "operators.population",
    "stop.evaluations",
    "nqueens",
    "chess960",
    "continuous",
    "bbob",
    "pbo",
    "roulette",
    "tournament",
    "one-point",
    "reset",
    "elitism",
    "= { ",
    " }",
    "[",
    "]",
    ",",
    "\"",
    "\"\"\"",
    "'",
    "#",
    "=",
    ".",
    "\n",
    "\0",
    "\u{feff}",
    "é",
    "0",
    "1",
    "-1",
    "1e308",
    "-1e-320",
    "nan",
    "inf",
    "0x7f",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551616",
    "4294967296",
    "0.30000000000000004",
    "1979-05-27",
    "true",
    "false",
    "../",
    "/",
    "\\",
    "\\u0000",
    "{",
    "}",
];

/// One of the words, or the name of any operator.
fn word(rng: &mut Xoshiro256PlusPlus) -> &'static str {
    let names = registry::all().map(|(_, operator)| operator.name);
    let all: Vec<&str> = WORDS.iter().copied().chain(names).collect();
    all[rng.random_range(0..all.len())]
}

/// A few changes at random places.
pub(crate) fn mutate(rng: &mut Xoshiro256PlusPlus, input: &mut Vec<u8>, others: &[Vec<u8>]) {
    for _ in 0..1 + rng.random_range(0..4u32) {
        let place = rng.random_range(0..=input.len());
        let end = (place + rng.random_range(0..40usize)).min(input.len());
        match rng.random_range(0..9u32) {
            0 if place < input.len() => input[place] ^= 1 << rng.random_range(0..8u32),
            1 => drop(input.drain(place..end)),
            2 => {
                let piece = input[place..end].to_vec();
                let to = rng.random_range(0..=input.len());
                input.splice(to..to, piece);
            }
            3 => input.truncate(place),
            4 => {
                let zero = if rng.random_bool(0.5) { 0 } else { rng.next_u64() as u8 };
                input[place..end].fill(zero);
            }
            5 if !others.is_empty() => {
                let other = &others[rng.random_range(0..others.len())];
                let from = rng.random_range(0..=other.len());
                let to = (from + rng.random_range(0..200usize)).min(other.len());
                input.splice(place..end, other[from..to].iter().copied());
            }
            6 => {
                // A number for a number.
                let digits: Vec<usize> =
                    (0..input.len()).filter(|at| input[*at].is_ascii_digit()).collect();
                if let Some(at) = digits.get(rng.random_range(0..digits.len().max(1))) {
                    let length =
                        input[*at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                    input.splice(*at..*at + length, word(rng).bytes());
                }
            }
            _ => {
                input.splice(place..place, word(rng).bytes());
            }
        }
    }
    // Beyond this nothing new is met, only slowness.
    input.truncate(1 << 16);
}

/// Runs one input; a panic fails the test and leaves the input behind.
pub(crate) fn survives(kind: &str, input: &[u8], run: impl FnOnce()) {
    if catch_unwind(AssertUnwindSafe(run)).is_err() {
        let name = blake3::hash(input).to_hex();
        let path = root().join("tests/fuzz").join(format!("{kind}-{}", &name[..12]));
        _ = fs::create_dir_all(root().join("tests/fuzz"));
        _ = fs::write(&path, input);
        panic!("a {kind} input panics; it is in {}", path.display());
    }
}

/// Tells a long run's owner how far it is.
fn tell(kind: &str, tried: u64, every: u64) {
    if (tried + 1).is_multiple_of(every) {
        #[expect(clippy::print_stderr, reason = "a long run's owner reads it")]
        {
            eprintln!("{kind}: {} inputs", tried + 1);
        }
    }
}

/// The files of a folder whose names are wanted, by name.
fn files(folder: &Path, wanted: impl Fn(&str) -> bool) -> Vec<Vec<u8>> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths.retain(|path| path.file_name().is_some_and(|name| wanted(&name.to_string_lossy())));
    paths.iter().filter_map(|path| fs::read(path).ok()).collect()
}

/// What earlier rounds found, of this kind.
fn found(kind: &str) -> Vec<Vec<u8>> {
    files(&root().join("tests/fuzz"), |name| name.starts_with(kind))
}

pub(crate) fn catalogue() -> Catalogue {
    Catalogue::new(SearchPath::new(&[plugins().to_path_buf()]))
}

fn load(catalogue: &mut Catalogue, text: &[u8], set: &[String]) {
    let text = String::from_utf8_lossy(text);
    let overrides = Overrides { set: set.to_vec(), ..Overrides::default() };
    let outcome = load_text(Path::new("fuzz.toml"), &text, &overrides, catalogue);
    for diagnostic in &outcome.diagnostics {
        assert!(!diagnostic.render(&outcome.sources, false).is_empty());
    }
    assert!(outcome.has_errors() == outcome.plans.is_empty());
}

#[test]
fn no_config_text_is_too_much() {
    let mut corpus = files(&root().join("configs"), |name| name.ends_with(".toml"));
    corpus.extend(files(&root().join("tests/fixtures/wrong"), |name| name.ends_with(".toml")));
    assert!(corpus.len() > 10, "the corpus is there");
    let (mut rng, mut catalogue) = (rng(1), catalogue());
    for input in found("config") {
        survives("config", &input, || load(&mut catalogue, &input, &[]));
    }
    for tried in 0..inputs() {
        tell("config", tried, 50_000);
        let mut input = corpus[rng.random_range(0..corpus.len())].clone();
        mutate(&mut rng, &mut input, &corpus);
        survives("config", &input, || load(&mut catalogue, &input, &[]));
    }
}

#[test]
fn no_override_is_too_much() {
    let config = b"[problem]\nplugin = \"nqueens\"\n[[operators]]\npreset = \
            \"queens-simulator\"\n[stop]\ngenerations = 9\n";
    let corpus: Vec<Vec<u8>> = [
        "problem.n=12",
        "operators.population=50",
        "operators.mutation.rate=0.5",
        "operators.mutation={ kind = \"reset\" }",
        "sweep.\"problem.n\"=[4, 5]",
        "stop.evaluations=1000",
        "output.trace=best",
        "operators.queens-simulator.population=9",
        "seed=18446744073709551615",
        "repeats=3",
        "name=x",
        "problem.plugin=chess960",
        "operators=[]",
        "stop={}",
    ]
    .iter()
    .map(|text| text.as_bytes().to_vec())
    .collect();
    let (mut rng, mut catalogue) = (rng(2), catalogue());
    for input in found("set") {
        survives("set", &input, || {
            load(&mut catalogue, config, &[String::from_utf8_lossy(&input).into_owned()])
        });
    }
    for tried in 0..inputs() {
        tell("set", tried, 50_000);
        let mut input = corpus[rng.random_range(0..corpus.len())].clone();
        mutate(&mut rng, &mut input, &corpus);
        survives("set", &input, || {
            load(&mut catalogue, config, &[String::from_utf8_lossy(&input).into_owned()])
        });
    }
}

const SMALL: &str = "repeats = 40\n[problem]\nplugin = \"nqueens\"\n[[operators]]\nname = \
    \"a\"\npopulation = 4\nselection = \"uniform\"\nmutation = \"reset\"\n[stop]\ngenerations = \
    3\n[sweep]\n\"problem.n\" = [5, 6]\n[output]\ntrace = \"best\"\n";

/// Reads all that there is, as `show`, `merge` and a run that goes on do.
fn read(out: &Path, spec: &ResultsSpec) {
    let folder = out.join("small");
    _ = Provenance::read(&folder);
    if let Ok(results) = Results::open(&folder) {
        _ = results.trials(|_| ());
        _ = results.rows::<GenerationRow>().map(|rows| rows.all(|_| ()));
        _ = results.rows::<TimingRow>().map(|rows| rows.all(|_| ()));
        _ = results.summary();
    }
    if let Ok(opened) = Store::open(out, spec) {
        _ = opened.store.finish(&mut |_| ());
    }
}

#[test]
fn no_damage_to_the_files_of_a_run_is_too_much() {
    let sandbox = Sandbox::new();
    sandbox.write("small.toml", SMALL);
    // One folder with parts, one with tables.
    sandbox.run(&["small.toml", "--shard", "1/1", "--out", "parts"]).code(0);
    sandbox.run(&["small.toml", "--out", "tables"]).code(0);
    let mut catalogue = catalogue();
    let plans =
        load_text(Path::new("small.toml"), SMALL, &Overrides::default(), &mut catalogue).plans;
    let spec = ResultsSpec::from(&plans[0]);
    let gather = |folder: &str| -> Vec<(PathBuf, Vec<u8>)> {
        let base = sandbox.path(folder);
        let mut all = Vec::new();
        for sub in ["", "parts"] {
            for entry in fs::read_dir(base.join(sub)).into_iter().flatten().flatten() {
                if entry.path().is_file() {
                    let name = Path::new(sub).join(entry.file_name());
                    all.push((name, fs::read(entry.path()).expect("a file")));
                }
            }
        }
        all.sort();
        all
    };
    let folders = [gather("parts/small.shard-1-of-1"), gather("tables/small")];
    assert!(folders.iter().all(|files| files.len() >= 3), "{folders:?}");
    let others: Vec<Vec<u8>> = folders.iter().flatten().map(|(_, bytes)| bytes.clone()).collect();
    let mut rng = rng(3);
    for tried in 0..inputs().div_ceil(10) {
        tell("file", tried, 1000);
        let files = &folders[rng.random_range(0..2usize)];
        let hit = rng.random_range(0..files.len());
        let mut damaged = files[hit].1.clone();
        match rng.random_range(0..4u32) {
            // Another file in its place.
            0 => damaged = others[rng.random_range(0..others.len())].clone(),
            1 => damaged.truncate(rng.random_range(0..=damaged.len())),
            _ => mutate(&mut rng, &mut damaged, &others),
        }
        let out = tempfile::tempdir().expect("a temporary folder");
        for (place, (name, bytes)) in files.iter().enumerate() {
            let path = out.path().join("small").join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
            fs::write(&path, if place == hit { &damaged } else { bytes }).expect("a file");
        }
        survives(&format!("file-{}", hit), &damaged, || read(out.path(), &spec));
    }
}
