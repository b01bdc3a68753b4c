//! Plugins in C and C++: the headers, and what `runner new` writes.

use crate::util::{Ran, Sandbox, column, document, has, root, rows, skip};
use rand::Rng;
use runner_plugin::RowRng;
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::process::Command;

pub(crate) fn compile(sandbox: &Sandbox, arguments: &[&str]) {
    let mut compiler = Command::new(arguments[0]);
    compiler.args(&arguments[1..]).args(["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1"]);
    compiler.arg("-I").arg(root().join("plugins/sdk/include")).current_dir(sandbox.path(""));
    Ran::new(&mut compiler).code(0);
}

#[test]
fn a_new_plugin_in_c_and_in_cpp_runs_as_it_is() {
    for (language, compiler) in [("c", "cc"), ("cpp", "c++")] {
        if !(has("make") && has(compiler)) {
            continue;
        }
        let sandbox = Sandbox::new();
        let option = format!("--{language}");
        let ran = sandbox.run(&["new", "zeros", &option]).code(0);
        ran.says(&format!("Wrote plugins/zeros/zeros.{language}"))
            .says("make -C plugins/zeros test");
        for target in [&["test"][..], &[]] {
            let mut make = Command::new("make");
            make.args(["-C", "plugins/zeros"]).args(target).current_dir(sandbox.path(""));
            let ran = Ran::new(&mut make).code(0);
            assert!(ran.stderr.is_empty(), "{language}: {}", ran.stderr);
        }
        let run = ["configs/zeros.toml", "--plugin-dir", "plugins/zeros", "--progress", "none"];
        sandbox.run(&run).code(0);
        let found = rows(&sandbox, &["results/zeros"]);
        assert_eq!(found[0]["trials"], 100);
        assert!(found[0]["success_rate"].as_f64() > Some(0.9), "{found:?}");
        let again = sandbox.run(&["new", "zeros", &option]).code(2);
        again.warns("zeros already exists");
    }
    let sandbox = Sandbox::new();
    sandbox.run(&["new", "zeros", "--c", "--cpp"]).code(2).warns("cannot be used with");
    // Only a plugin in Rust needs crates.
    sandbox.run(&["new", "test", "--c"]).code(0);
    for name in ["core", "runner_plugin"] {
        sandbox.run(&["new", name]).code(2).warns("is the name of a crate that the plugin needs");
    }
}

#[test]
fn the_random_numbers_in_c_are_those_of_the_sdk() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "draws.c",
        "#include \"runner_random.h\"\n#include <stdio.h>\nint main(void) {\n    uint8_t \
        seed[32];\n    for (int salt = 0; salt < 3; salt++) {\n    for (int i = 0; i < 32; \
        i++) seed[i] = (uint8_t)(salt * (7 * i + 1));\n    for (uint64_t row = 0; row < 5; \
        row++) {\n    runner_random random = runner_random_of_row(seed, row << (13 * salt));\n    \
        for (int i = 0; i < 4; i++) {\n    printf(\"%llu\\n\", (unsigned long \
        long)runner_random_next(&random));\n    } } }\n}\n",
    );
    compile(&sandbox, &["cc", "-std=c99", "draws.c", "-o", "draws"]);
    let drawn = Ran::new(&mut Command::new(sandbox.path("draws"))).code(0).stdout;
    let mut expected = String::new();
    for salt in 0..3u8 {
        let seed = std::array::from_fn(|i| salt.wrapping_mul((7 * i + 1) as u8));
        for row in 0..5u64 {
            let mut rng = RowRng::new(&seed, row << (13 * salt));
            (0..4).for_each(|_| expected.push_str(&format!("{}\n", rng.next_u64())));
        }
    }
    assert_eq!(drawn, expected);
}

/// 12 numbers below 3, and their mean: each has the same probability. Of 30,000 draws, the count of
/// each value lies within 5 standard deviations of 10,000 (a false alarm in 600,000).
#[test]
fn numbers_below_a_bound_are_equally_likely_in_c() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "below.c",
        "#include \"runner_random.h\"\n#include <stdio.h>\nint main(void) {\n    uint8_t \
        seed[32] = {5};\n    runner_random random = runner_random_of_row(seed, 0);\n    long \
        count[3] = {0};\n    double sum = 0;\n    for (int i = 0; i < 30000; i++) {\n    \
        count[runner_random_below(&random, 3)]++;\n    sum += runner_random_unit(&random);\n    \
        }\n    printf(\"%ld %ld %ld %f\\n\", count[0], count[1], count[2], sum / 30000);\n}\n",
    );
    compile(&sandbox, &["cc", "-std=c99", "below.c", "-o", "below"]);
    let drawn = Ran::new(&mut Command::new(sandbox.path("below"))).code(0).stdout;
    let numbers: Vec<f64> =
        drawn.split_whitespace().map(|word| word.parse().expect("a number")).collect();
    let deviation = (30_000.0_f64 * 2.0 / 9.0).sqrt();
    for count in &numbers[..3] {
        assert!((count - 10_000.0).abs() < 5.0 * deviation, "{drawn}");
    }
    assert!((numbers[3] - 0.5).abs() < 5.0 / (12.0_f64 * 30_000.0).sqrt(), "{drawn}");
}

#[test]
fn every_member_of_a_problem_in_cpp_is_called() {
    if !has("c++") {
        return;
    }
    let sandbox = Sandbox::new();
    let source = root().join("tests/fixtures/cpp/everything.cpp").display().to_string();
    let library = ["c++", "-std=c++17", "-shared", "-fPIC", &source, "-o", "libeverything_cpp.so"];
    compile(&sandbox, &library);
    let here = ["--plugin-dir", "."];
    let sample = |arguments: &[&str]| {
        sandbox.run(&[&["sample", "everything_cpp"], arguments, &here].concat())
    };
    // Lehmer's code of the last permutation, there and back.
    let last = sample(&["--number", "719", "--format", "line"]).code(0);
    assert_eq!(last.stdout, "order 5 4 3 2 1 0  719\n");
    sample(&["--number", "0", "--check"]).code(0).says("1 of 1 valid");
    sample(&["--number", "719", "--check"]).code(1).says("0 of 1 valid");
    let no_number = sample(&["--number", "0", "--format", "line", "--set", "fault=number"]).code(0);
    assert_eq!(no_number.stdout, "order 0 1 2 3 4 5\n");
    sample(&["--set", "words=so", "--format", "board"]).code(0).says("so ");
    sample(&["--format", "svg"]).code(2).warns("draws no image");
    sample(&["--set", "n=5"]).code(3).warns("n is odd; take an even n, or odd = true");
    sample(&["--set", "n=5", "--set", "odd=true"]).code(0);
    sample(&["--set", "fault=render"]).code(3).warns("an exception that is no std::exception");
    sandbox.write(
        "x.toml",
        "repeats = 20\n[problem]\nplugin = \"everything_cpp\"\nscale = 0.5\n[[operators]]\n\
        population = 9\nselection = \"tournament\"\ncrossover = \"problem\"\nmutation = \
        \"problem\"\n[stop]\nevaluations = 900\n",
    );
    let run = |arguments: &[&str]| {
        sandbox.run(&[&["x.toml", "--progress", "none"], arguments, &here].concat())
    };
    run(&["--jobs", "1"]).code(0);
    run(&["--jobs", "2", "--isolation", "process", "--out", "apart"]).code(0);
    let table = |folder: &str| sandbox.read(&format!("{folder}/x/trials.parquet"));
    assert!(table("results") == table("apart"));
    let found = rows(&sandbox, &["results/x"]);
    assert!(found[0]["success_rate"].as_f64() > Some(0.5), "{found:?}");
    // An exception costs the trials that meet it.
    run(&["--set", "problem.fault=fitness", "--out", "faulty"]).code(1);
    let trials = rows(&sandbox, &["faulty/x", "--trials"]);
    let failed = |row: &&serde_json::Value| row["outcome"] == "failed";
    assert!(trials.iter().filter(failed).count() > 0);
    for trial in trials.iter().filter(failed) {
        assert_eq!(trial["error"], "plugin `everything_cpp`: evaluate: nearly sorted already");
    }
}

/// Bits, of which the first two may not both be one: the best is one of two.
#[test]
fn a_problem_in_cpp_can_have_constraints() {
    if !has("c++") {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.write(
        "bound.cpp",
        r#"#include "runner_plugin.hpp"
struct Bound {
    using Gene = std::uint8_t;
    static constexpr const char *name = "bound", *version = "1", *summary = "Ones, not both.";
    explicit Bound(const runner::Values &) {}
    runner::Description describe() const { return runner::Description::bits(6); }
    void sample(runner::Random &random, runner::Genome<Gene> genome) const {
        for (Gene &gene : genome) gene = static_cast<Gene>(random.below(2));
    }
    double fitness(runner::Genome<const Gene> genome) const {
        double zeros = 6;
        for (Gene gene : genome) zeros -= gene;
        return zeros;
    }
    double violation(runner::Genome<const Gene> genome) const {
        return genome[0] == 1 && genome[1] == 1 ? 1 : 0;
    }
};
RUNNER_PLUGIN(Bound)
"#,
    );
    compile(&sandbox, &["c++", "-std=c++17", "-shared", "-fPIC", "bound.cpp", "-o", "libbound.so"]);
    sandbox.run(&["conformance", "bound", "--plugin-dir", "."]).code(0);
    sandbox.write(
        "x.toml",
        "repeats = 10\n[problem]\nplugin = \"bound\"\n[[operators]]\npopulation = 20\nselection = \
        \"tournament\"\nmutation = \"bit-flip\"\n[stop]\ngenerations = 60\nfitness = 1\n",
    );
    sandbox.run(&["x.toml", "--plugin-dir", ".", "--progress", "none"]).code(0);
    let trials = rows(&sandbox, &["results/x", "--trials"]);
    assert!(trials.iter().all(|trial| trial["best_fitness"] == 1.0), "{trials:?}");
}

/// Whether a compiler is GCC. Clang makes no unique symbols, and may inline a function that the
/// loader could replace.
fn is_gcc(compiler: &str) -> bool {
    let said = Command::new(compiler).arg("--version").output().expect("a compiler").stdout;
    String::from_utf8_lossy(&said).contains("Free Software Foundation")
}

/// A problem in C++ with this name and this member more.
fn in_cpp(name: &str, class: &str, member: &str) -> String {
    format!(
        r#"#include "runner_plugin.hpp"
#include <vector>
struct {class} {{
    using Gene = std::uint8_t;
    static constexpr const char *name = "{name}", *version = "1", *summary = "Sums.";
    static constexpr runner_parameter parameters[] = {{
        runner::integer("length", 2, 100, "Bits of {name}.", 4)}};
    const std::size_t length;
    explicit {class}(const runner::Values &values)
        : length(static_cast<std::size_t>(values.integer("length"))) {{}}
    runner::Description describe() const {{ return runner::Description::bits(length); }}
    void sample(runner::Random &random, runner::Genome<Gene> genome) const {{
        for (Gene &gene : genome) gene = static_cast<Gene>(random.below(2));
    }}
    {member}
}};
RUNNER_PLUGIN({class})
"#
    )
}

const FITNESS: &str =
    "double fitness(runner::Genome<const Gene> genome) const { return genome[0]; }";

/// Both classes are called `Problem`, and both have a local static in `fitness`.
#[test]
fn two_plugins_in_cpp_do_not_share_their_static_data() {
    if !has("c++") {
        return;
    }
    let sandbox = Sandbox::new();
    for (name, weight) in [("aa", 1), ("bb", 10)] {
        let fitness = format!(
            "double fitness(runner::Genome<const Gene> genome) const {{ static const \
            std::vector<double> weights(100, {weight}); double sum = 0; for (std::size_t i = 0; i \
            < genome.size(); i++) sum += genome[i] * weights[i]; return sum; }}"
        );
        sandbox.write(&format!("{name}.cpp"), in_cpp(name, "Problem", &fitness));
        sandbox.write(
            &format!("{name}.toml"),
            format!(
                "repeats = 5\n[problem]\nplugin = \"{name}\"\n[[operators]]\nalgorithm = \
                \"random-search\"\n[stop]\nevaluations = 3\nfitness = -1\n"
            ),
        );
    }
    let build = |folder: &str, option: &str| {
        std::fs::create_dir(sandbox.path(folder)).expect("a folder");
        for name in ["aa", "bb"] {
            let (source, library) = (format!("{name}.cpp"), format!("{folder}/lib{name}.so"));
            let shared = ["c++", "-std=c++17", "-shared", "-fPIC", option, &source, "-o", &library];
            compile(&sandbox, &shared);
        }
    };
    let run = |configs: &[&str], folder: &str, out: &str| {
        let more = ["--plugin-dir", folder, "--out", out, "--progress", "none"];
        sandbox.run(&[configs, &more[..]].concat())
    };
    build("visible", "-fvisibility=default");
    if cfg!(all(target_os = "linux", target_env = "gnu")) && is_gcc("c++") {
        run(&["aa.toml", "bb.toml"], "visible", "refused")
            .code(3)
            .warns("would share static data in one process, such as `_Z")
            .warns("build them with -fvisibility=hidden");
        let listed = sandbox.run(&["plugins", "aa", "bb", "--plugin-dir", "visible"]);
        listed.code(3).warns("would share static data");
    }
    run(&["bb.toml"], "visible", "visible-alone").code(0);
    build("hidden", "-fvisibility=hidden");
    run(&["bb.toml"], "hidden", "alone").code(0);
    run(&["aa.toml", "bb.toml"], "hidden", "together").code(0);
    let trials = |folder: &str| sandbox.read(&format!("{folder}/bb/trials.parquet"));
    assert!(trials("alone") == trials("together"));
    let listed = sandbox.run(&["plugins", "aa", "bb", "--plugin-dir", "hidden"]).code(0);
    listed.says("Bits of aa.").says("Bits of bb.");
}

/// The loader looks for `link` in the system's library first: the plugin would not call its own.
#[test]
fn a_plugin_in_c_with_the_name_of_a_system_function_is_refused() {
    let sandbox = Sandbox::new();
    let own = "int link(int zeros, int length) { return length - zeros; }\n";
    let source = document("tests/fixtures/c/onemax.c");
    let changed = source
        .replacen("static int32_t sample(", &format!("{own}\nstatic int32_t sample("), 1)
        .replacen("(double)zeros;", "(double)link((int)zeros, (int)length);", 1);
    assert!(changed.contains("double)link("), "the fixture has no such line");
    sandbox.write("onemax_c.c", changed);
    let build = |options: &[&str]| {
        let arguments =
            ["cc", "-std=c11", "-shared", "-fPIC", "onemax_c.c", "-o", "libonemax_c.so"];
        compile(&sandbox, &[&arguments[..], options].concat());
    };
    let run = ["sample", "onemax_c", "--plugin-dir", ".", "--set", "target=ones"];
    build(&[]);
    if cfg!(target_os = "linux") && is_gcc("cc") {
        sandbox
            .run(&run)
            .code(3)
            .warns("has a function or datum `link`, but would get the system's of that name")
            .warns("make it static, or build with -fvisibility=hidden");
    }
    for option in ["-fvisibility=hidden", "-Wl,-Bsymbolic"] {
        build(&[option]);
        sandbox.run(&run).code(0);
    }
}

/// Optional members that cannot be called would be left out without a word: a constrained problem
/// would run without its constraints.
#[test]
fn a_member_in_cpp_that_cannot_be_called_is_an_error_of_the_compiler() {
    if !has("c++") {
        return;
    }
    let sandbox = Sandbox::new();
    let compiled = |member: &str, class: &str| {
        let source = in_cpp("odd", class, &format!("{FITNESS}\n    {member}"));
        sandbox.write("odd.cpp", source.replace("struct Final {", "struct Final final {"));
        let mut compiler = Command::new("c++");
        compiler.args(["-std=c++17", "-Wall", "-Wextra", "-fPIC", "-c", "odd.cpp", "-o", "odd.o"]);
        compiler.arg("-I");
        compiler.arg(root().join("plugins/sdk/include")).current_dir(sandbox.path(""));
        Ran::new(&mut compiler)
    };
    for (member, class) in [
        ("double violation(runner::Genome<const Gene>) { return 0; }", "Problem"),
        ("double violation(runner::Genome<const Gene>) { return 0; }", "Final"),
        ("double violation(runner::Genome<Gene>) const { return 0; }", "Problem"),
        ("double violation(runner::Genome<const Gene> &) const { return 0; }", "Problem"),
    ] {
        compiled(member, class).code(1).warns("member `violation` cannot be called");
    }
    // A datum of such a name is none of the plugin's calls.
    let sound = "double violation(runner::Genome<const Gene>) const { return 0; } int number = 3;";
    for class in ["Problem", "Final"] {
        compiled(sound, class).code(0);
    }
    compiled(
        "private: bool is_valid(runner::Genome<const Gene>) const { return true; }",
        "Problem",
    )
    .code(1)
    .warns("make it public and const");
    compiled("double violation(int); double violation(double);", "Problem")
        .code(1)
        .warns("member `violation` cannot be called");
    let alone = "using Number = int; double state_fitness(runner::Genome<const Gene>, const Number \
        *) const { return 0; }";
    compiled(alone, "Problem").code(1).warns("both `change` and `state_fitness`");
}

/// Searches by the moves of a plugin in C and of one in C++ give the tables that whole evaluations
/// give.
#[test]
fn moves_in_c_and_cpp_have_the_fitness_of_whole_genomes() {
    for (name, source, compiler, standard) in [
        ("onemax_c", "tests/fixtures/c/onemax.c", "cc", "-std=c11"),
        ("everything_cpp", "tests/fixtures/cpp/everything.cpp", "c++", "-std=c++17"),
    ] {
        if !has(compiler) {
            continue;
        }
        let sandbox = Sandbox::new();
        let (source, library) =
            (root().join(source).display().to_string(), format!("lib{name}.so"));
        compile(&sandbox, &[compiler, standard, "-shared", "-fPIC", &source, "-o", &library]);
        let problem = if name == "onemax_c" { "target = \"ones\"" } else { "n = 12\nscale = 0.75" };
        let mutations = if name == "onemax_c" { "\"bit-flip\"" } else { "\"swap\"" };
        sandbox.write(
            "x.toml",
            format!(
                "repeats = 5\n[problem]\nplugin = \"{name}\"\n{problem}\n[[operators]]\nname = \
                \"steepest\"\nalgorithm = \"hill-climbing\"\n[[operators]]\nname = \
                \"annealing\"\nalgorithm = {{ kind = \"simulated-annealing\", moves = 30 }}\n\
                mutation = {mutations}\n[[operators]]\nname = \"one\"\npopulation = 1\nselection = \
                \"uniform\"\nmutation = {mutations}\nreplacement = \"plus\"\n[stop]\nevaluations = \
                500\n"
            ),
        );
        let [off, on, checked] = ["off", "on", "checked"].map(|way| {
            let mut command = sandbox.command();
            command.env("RUNNER_MOVES", way).args(["x.toml", "--out", way, "--plugin-dir", "."]);
            Ran::new(&mut command).code(0);
            sandbox.read(&format!("{way}/x/trials.parquet"))
        });
        assert!(off == on && off == checked, "{name}");
        let set = if name == "onemax_c" { "target=ones" } else { "scale=0.75" };
        let only = ["--only", "moves", "--set", set, "--plugin-dir", "."];
        let ran = sandbox.run(&[&["conformance", name], &only[..]].concat()).code(0);
        ran.says("1 checks passed");
    }
}

/// With the compiler that RUNNER_TEST_ZIG names, such as `zig` or `python3 -m ziglang`.
#[test]
fn the_example_in_zig_builds_and_runs() {
    let Ok(zig) = std::env::var("RUNNER_TEST_ZIG") else {
        return skip("RUNNER_TEST_ZIG names no compiler");
    };
    let sandbox = Sandbox::new();
    for name in ["ones.zig", "ones.toml", "headers.h"] {
        sandbox.write(name, document(&format!("examples/zig/{name}")));
    }
    let zig: Vec<&str> = zig.split_whitespace().collect();
    let zig = |arguments: &[&str]| {
        let mut command = Command::new(zig[0]);
        command.args(&zig[1..]).args(arguments).current_dir(sandbox.path(""));
        Ran::new(&mut command).code(0)
    };
    let include = root().join("plugins/sdk/include").display().to_string();
    let headers = zig(&["translate-c", "-lc", "-I", &include, "headers.h"]);
    sandbox.write("headers.zig", headers.stdout);
    zig(&["build-lib", "-dynamic", "-O", "ReleaseFast", "-lc", "ones.zig"]);
    sandbox.run(&["ones.toml", "--plugin-dir", ".", "--progress", "none"]).code(0);
    let found = rows(&sandbox, &["results/ones"]);
    assert!(found[0]["success_rate"].as_f64() > Some(0.9), "{found:?}");
    sandbox.run(&["conformance", "ones", "--plugin-dir", "."]).code(0);
}

/// Operators in C and C++. With one parent, from which a child differs in exactly one bit, a search
/// of OneMax takes as many evaluations as local search does: one for the first genome, and n / k on
/// average for each improvement, from the zeros that it has (Bin(n, 1/2)) down to the last.
#[test]
fn operators_in_c_and_in_cpp_do_what_they_say() {
    let zeros = |n: u32| -> f64 {
        // The mean over the first genome of n (1 + 1/2 + ... + 1/k).
        let (mut chance, mut steps, mut mean) = (0.5_f64.powi(n as i32), 0.0, 0.0);
        for k in 1..=n {
            chance *= f64::from(n - k + 1) / f64::from(k);
            steps += f64::from(n) / f64::from(k);
            mean += chance * steps;
        }
        mean
    };
    for compiler in [&["cc", "-std=c99"][..], &["c++", "-x", "c++", "-std=c++17"]] {
        if !has(compiler[0]) {
            continue;
        }
        let sandbox = Sandbox::new();
        let library = format!("{DLL_PREFIX}onebit{DLL_SUFFIX}");
        sandbox.write("onebit.c", document("tests/fixtures/c/onebit.c"));
        let mut command = Command::new(compiler[0]);
        command.args(&compiler[1..]).args(["-Wall", "-Werror", "-O1", "-shared", "-fPIC"]);
        command.arg("-I").arg(root().join("plugins/sdk/include")).current_dir(sandbox.path(""));
        Ran::new(command.args(["onebit.c", "-o", &library])).code(0);
        sandbox.run(&["conformance", &format!("./{library}")]).code(0);
        sandbox.write(
            "a.toml",
            format!(
                "repeats = 1000\n[problem]\nplugin = \"onemax\"\nlength = 20\n\
                [[operators]]\npopulation = 1\nselection = {{ plugin = \"./{library}\" }}\n\
                mutation = {{ plugin = \"./{library}\" }}\n\
                replacement = {{ kind = \"plus\", offspring = 1 }}\n[stop]\nfitness = 0\n\
                evaluations = 100000\n"
            ),
        );
        sandbox.run(&["a.toml", "--progress", "none"]).code(0);
        let taken = column(&sandbox.path("results/a/trials.parquet"), "evaluations");
        let mean = taken.iter().sum::<f64>() / 1000.0;
        let squares: f64 = taken.iter().map(|one| (one - mean).powi(2)).sum();
        let error = (squares / 999.0 / 1000.0).sqrt();
        let expected = 1.0 + zeros(20);
        // Beyond 4.5 standard errors in 7 of a million experiments.
        assert!((mean - expected).abs() < 4.5 * error, "{mean} and {expected}, +-{error}");
        // Two flips in place of one would not pass.
        assert!(4.5 * error < expected / 10.0, "{error}");
    }
}

#[test]
fn a_problem_in_cpp_can_be_noisy() {
    if !has("c++") {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.write(
        "blur.cpp",
        r#"#include "runner_plugin.hpp"
struct Blur {
    using Gene = std::uint8_t;
    static constexpr const char *name = "blur", *version = "1", *summary = "Zeros, blurred.";
    explicit Blur(const runner::Values &) {}
    runner::Description describe() const {
        runner::Description made = runner::Description::bits(6);
        made.ideal = 0;
        made.noise = RUNNER_NOISELESS;
        return made;
    }
    void sample(runner::Random &random, runner::Genome<Gene> genome) const {
        for (Gene &gene : genome) gene = static_cast<Gene>(random.below(2));
    }
    double fitness(runner::Genome<const Gene> genome) const {
        double zeros = 6;
        for (Gene gene : genome) zeros -= gene;
        return zeros;
    }
    double noisy_fitness(runner::Random &random, runner::Genome<const Gene> genome) const {
        return fitness(genome) + random.unit() - 0.5;
    }
};
RUNNER_PLUGIN(Blur)
"#,
    );
    compile(&sandbox, &["c++", "-std=c++17", "-shared", "-fPIC", "blur.cpp", "-o", "libblur.so"]);
    let checks = ["--only", "noise", "--only", "rows", "--only", "repeatable", "--only", "ideal"];
    sandbox.run(&[&["conformance", "blur", "--plugin-dir", "."], &checks[..]].concat()).code(0);
    sandbox.write(
        "x.toml",
        "repeats = 10\n[problem]\nplugin = \"blur\"\n[[operators]]\npopulation = 20\nselection = \
        \"tournament\"\nmutation = \"bit-flip\"\n[stop]\ngenerations = 200\n",
    );
    sandbox.run(&["x.toml", "--plugin-dir", ".", "--progress", "none"]).code(0);
    let trials = rows(&sandbox, &["results/x", "--trials"]);
    assert!(trials.iter().all(|trial| trial["best_fitness"] == 0.0), "{trials:?}");
}
