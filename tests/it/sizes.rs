//! Sizes that the rules allow and machines do not: refused beforehand, with the arithmetic and the
//! way out.

use crate::util::{Ran, Sandbox, column, rows, sized};
use std::process::Command;

fn config(problem: &str, operators: &str, stop: &str) -> String {
    format!("repeats = 10\n[problem]\n{problem}\n[[operators]]\n{operators}\n[stop]\n{stop}\n")
}

const EVOLUTION: &str = "name = \"large\"\npopulation = 10000000\nselection = \
    \"tournament\"\nmutation = { kind = \"reset\", rate = 0.1 }";

#[test]
fn a_population_that_no_machine_holds_is_refused_with_the_arithmetic() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "queens.toml",
        config("plugin = \"nqueens\"\nn = 65535", EVOLUTION, "generations = 1"),
    );
    for command in [
        &["check", "queens.toml"] as &[&str],
        &["queens.toml"],
        &["queens.toml", "--isolation", "process"],
    ] {
        let ran = sandbox.run(&[command, &["--jobs", "2"]].concat()).code(2);
        let ran = ran.warns("queens.toml: the arm `large` needs more memory than is available");
        // Population, next one, children, and the best.
        let ran = ran.warns(
            "30,000,001 genomes of 65,535 genes of 2 bytes: 3.9 TB, and 2 trials run \
            at once: 7.9 TB; this machine has ",
        );
        ran.warns("lower the population to ").warns("1 error; nothing was run");
    }
    assert!(!sandbox.path("results").exists());
}

#[test]
fn every_experiment_that_does_not_fit_is_named() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "queens.toml",
        config("plugin = \"nqueens\"\nn = 65535", EVOLUTION, "generations = 1"),
    );
    let bits = EVOLUTION.replace("\"reset\"", "\"bit-flip\"").replace("10000000", "1000000");
    sandbox.write(
        "bits.toml",
        config("plugin = \"onemax\"\nlength = 1000000", &bits, "evaluations = 1000000"),
    );
    sandbox.write(
        "fits.toml",
        config("plugin = \"onemax\"", &bits.replace("1000000", "10"), "evaluations = 20"),
    );
    let ran = sandbox
        .run(&["fits.toml", "queens.toml", "bits.toml"])
        .code(2)
        .warns("2 errors; nothing was run");
    ran.warns("queens.toml: the arm").warns("bits.toml: the arm");
}

#[test]
fn the_longest_genomes_are_refused() {
    let sandbox = Sandbox::new();
    for operators in [
        "preset = \"simple-ga\"",
        "algorithm = \"random-search\"",
        "algorithm = { kind = \"simulated-annealing\", temperature = 1.0, cooling = 0.9, moves = \
        10 }",
    ] {
        let problem = "plugin = \"faulty\"\nlength = 4294967295";
        sandbox.write("long.toml", config(problem, operators, "evaluations = 4294967296"));
        for command in [&["check", "long.toml"] as &[&str], &["long.toml"]] {
            let ran = sandbox.run(command).code(2).warns("needs more memory than is available");
            ran.warns("genomes of 4,294,967,295 genes of 1 byte: ");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_limit_of_the_shell_holds_where_it_is_lower() {
    let sandbox = Sandbox::new();
    let bits = EVOLUTION.replace("\"reset\"", "\"bit-flip\"").replace("10000000", "1000");
    sandbox.write(
        "bits.toml",
        config("plugin = \"onemax\"\nlength = 1000000", &bits, "evaluations = 1000"),
    );
    let mut shell = Command::new("sh");
    shell
        .arg("-c")
        .arg("ulimit -v 5000000; exec \"$0\" check bits.toml --jobs 2")
        .arg(env!("CARGO_BIN_EXE_runner"));
    let ran = Ran::new(shell.current_dir(sandbox.path(""))).code(2);
    // 3 GB for one trial; two do not fit, one does.
    ran.warns(
        "3,001 genomes of 1,000,000 genes of 1 byte: 3.0 GB, and 2 trials run at once: 6.0 GB; ",
    )
    .warns("of address space is left (ulimit -v)")
    .warns("run fewer trials at once: --jobs 1");
}

/// A trial of 31 genomes traces 1,000 of a megabyte, and holds each twice where it hands them on.
#[cfg(target_os = "linux")]
#[test]
fn a_trace_of_genomes_must_fit_beside_the_others() {
    let sandbox = Sandbox::new();
    let bits = EVOLUTION.replace("\"reset\"", "\"bit-flip\"").replace("10000000", "10");
    let config = config("plugin = \"onemax\"\nlength = 1000000", &bits, "evaluations = 1000");
    sandbox.write("bits.toml", config + "[output]\ntrace = \"genomes\"\n");
    let limited = |arguments: &str| {
        let mut shell = Command::new("sh");
        let line = format!("ulimit -v 3500000; exec \"$0\" {arguments}");
        shell.arg("-c").arg(line).arg(env!("CARGO_BIN_EXE_runner"));
        Ran::new(shell.current_dir(sandbox.path("")))
    };
    for command in ["check bits.toml --jobs 2", "bits.toml --jobs 2"] {
        limited(command)
            .code(2)
            .warns("the arm `large` needs more memory than is available")
            .warns(
                "31 genomes of 1,000,000 genes of 1 byte and those of its trace: 2.0 GB, and 2 \
                trials run at once: 4.1 GB; ",
            )
            .warns("of address space is left (ulimit -v)")
            .warns("run fewer trials at once: --jobs 1")
            .warns("1 error; nothing was run");
    }
    // One at a time has room, and so have two without the genomes.
    limited("check bits.toml --jobs 2 --set output.trace=population").code(0);
    let worker = ["--isolation", "process", "--worker-memory", "1000", "--jobs", "1"];
    sandbox
        .run(&[&["bits.toml"], &worker[..]].concat())
        .code(2)
        .warns("and those of its trace: 2.0 GB; --worker-memory allows 1.0 GB");
}

#[test]
fn a_worker_process_must_have_room_for_a_trial() {
    let sandbox = Sandbox::new();
    let bits = EVOLUTION.replace("\"reset\"", "\"bit-flip\"").replace("10000000", "1000");
    sandbox.write(
        "bits.toml",
        config("plugin = \"onemax\"\nlength = 1000000", &bits, "evaluations = 1000"),
    );
    let ran = sandbox
        .run(&["bits.toml", "--jobs", "1", "--isolation", "process", "--worker-memory", "500"])
        .code(2);
    ran.warns("genes of 1 byte: 3.0 GB; --worker-memory allows 524 MB")
        .warns("lower the population to 100");
}

#[test]
fn more_jobs_than_trials_are_idle_and_absurd_ones_are_refused() {
    let sandbox = Sandbox::new();
    let small = EVOLUTION.replace("\"reset\"", "\"bit-flip\"").replace("10000000", "10");
    sandbox.write("small.toml", config("plugin = \"onemax\"", &small, "evaluations = 20"));
    sandbox.run(&["small.toml", "--jobs", "4096"]).code(0);
    sandbox.run(&["check", "small.toml", "--jobs", "4096"]).code(0);
    sandbox.run(&["verify", "results/small", "--jobs", "4096"]).code(0);
    for jobs in ["0", "4097", "18446744073709551615", "many"] {
        for command in
            [&["small.toml"] as &[&str], &["check", "small.toml"], &["verify", "results/small"]]
        {
            sandbox
                .run(&[command, &["--jobs", jobs]].concat())
                .code(2)
                .warns("leave out --jobs for one per core");
        }
    }
}

#[test]
fn check_estimates_trials_that_take_too_long_to_try() {
    let sandbox = Sandbox::new();
    let long = [
        "algorithm = { kind = \"random-search\" }",
        "algorithm = { kind = \"simulated-annealing\", temperature = 1.0, cooling = 0.99, moves = \
        100000000 }",
        "algorithm = { kind = \"hill-climbing\", step = \"steepest\", sideways = 1000, restarts = \
        true }",
    ];
    // The climb would solve it.
    let stop = "evaluations = 4294967296\non-success = \"continue\"";
    for operators in &long[..sized(1, 3) as usize] {
        sandbox.write("long.toml", config("plugin = \"onemax\"\nlength = 400", operators, stop));
        let ran = sandbox.run(&["check", "long.toml"]).code(0);
        let ran = ran.says("still running").says("x 10 trials = 10, about ");
        // Billions of evaluations are not over within the two seconds of the try.
        assert_ne!(crate::check::cell(&ran, "trial"), "–", "{ran}");
    }
    let climb = "algorithm = { kind = \"random-search\" }";
    sandbox.write(
        "long.toml",
        config("plugin = \"onemax\"\nlength = 400", climb, "stagnation = 4294967296"),
    );
    let ran = sandbox.run(&["check", "long.toml"]).code(0).says("still running");
    assert_eq!(crate::check::cell(&ran, "trial"), "–", "{ran}");
    ran.says("x 10 trials = 10, at least ");
    // The first generation does not end within the time, but its evaluations are known.
    let stop = "generations = 1000\non-success = \"continue\"";
    sandbox.write("long.toml", config("plugin = \"onemax\"\nlength = 400", long[1], stop));
    let ran = sandbox.run(&["check", "long.toml"]).code(0).says("still running");
    assert_ne!(crate::check::cell(&ran, "trial"), "–", "{ran}");
    ran.says("x 10 trials = 10, about ");
}

/// Comparing all pairs of 20,000 genomes takes many times the limit, whatever the machine.
#[test]
fn a_time_limit_ends_a_trial_within_a_generation() {
    let sandbox = Sandbox::new();
    let operators = "population = 20000\nselection = \"sus\"\nscaling = \"complement\"\nmutation = \
        \"bit-flip\"\nsharing = { radius = 3 }";
    let window = "population = 200\nselection = \"uniform\"\nmutation = \"bit-flip\"\n\
        replacement = { kind = \"restricted-tournament\", window = 2000000 }";
    for (operators, evaluated) in [(operators, 20_000), (window, 400)] {
        let stop = "trial-seconds = 0.05";
        sandbox.write("x.toml", config("plugin = \"onemax\"\nlength = 100", operators, stop));
        sandbox.run(&["x.toml", "--set", "repeats=1"]).code(0);
        let trial = &rows(&sandbox, &["results/x", "--trials"])[0];
        assert_eq!((&trial["outcome"], &trial["generations"]), (&"timed-out".into(), &0.into()));
        assert!(trial["evaluations"].as_u64() <= Some(evaluated), "{trial}");
    }
}

#[test]
fn a_trace_of_pairs_is_no_larger_than_check_says() {
    let sandbox = Sandbox::new();
    let trace = "evaluations = 300\non-success = \"continue\"\n[output]\ntrace = \"population\"";
    let problem = "plugin = \"onemax\"\nlength = 100";
    sandbox.write("x.toml", config(problem, "algorithm = \"cga\"", trace));
    sandbox.run(&["check", "x.toml"]).code(0).says("trace: at most 3,000 rows");
    sandbox.run(&["x.toml"]).code(0);
    let generations = column(&sandbox.path("results/x/generations.parquet"), "trial").len();
    assert!((2_500..=3_000).contains(&generations), "{generations}");
}

#[test]
fn a_sweep_is_checked_to_its_last_arm() {
    let sandbox = Sandbox::new();
    let sizes = (10..110).map(|size| size.to_string()).collect::<Vec<_>>().join(", ");
    let sweep = format!(
        "evaluations = 20\n[sweep]\n\"operators.population\" = [{sizes}]\n\"problem.length\" = [5, \
        6]"
    );
    let small = EVOLUTION.replace("\"reset\"", "\"bit-flip\"").replace("10000000", "10");
    sandbox.write("sweep.toml", config("plugin = \"onemax\"", &small, &sweep));
    let ran = sandbox.run(&["check", "sweep.toml"]).code(0);
    let ran = ran
        .says("The first 20 of 200 arms: --rows N shows more.")
        .says("200 arms x 10 trials = 2,000, about ");
    assert!(!ran.stdout.contains("the estimate for the others is based on these"), "{ran}");
}

#[test]
fn of_many_mistakes_the_first_are_printed() {
    let sandbox = Sandbox::new();
    let small = EVOLUTION.replace("\"reset\"", "\"bit-flip\"").replace("10000000", "10");
    let keys: String = (0..3000).map(|key| format!("key{key} = 1\n")).collect();
    let twice = "length = 10\n".repeat(3000);
    for (keys, first) in [(keys, "unknown key `key0`"), (twice, "the key `length` occurs twice")] {
        sandbox.write(
            "many.toml",
            config(&format!("plugin = \"onemax\"\n{keys}"), &small, "evaluations = 20"),
        );
        let ran = sandbox.run(&["many.toml"]).code(2).warns(first);
        assert_eq!(ran.stderr.matches("error: ").count(), 100, "{ran}");
        ran.warns(" more; fix the first ones").warns(" errors; nothing was run");
    }
}
