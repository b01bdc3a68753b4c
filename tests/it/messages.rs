//! What a newcomer gets told: each message names the thing, the value, the rule and the way out.

use crate::util::{Ran, Sandbox, plugins};
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::process::{Command, Stdio};

const QUEENS: &str = r#"[problem]
plugin = "nqueens"

[[operators]]
name       = "ga"
population = 20
selection  = "tournament"
mutation   = "reset"

[stop]
evaluations = 200
"#;

fn queens() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", QUEENS);
    sandbox
}

/// What a command line is answered with on standard error.
fn told(sandbox: &Sandbox, line: &str, code: i32) -> String {
    sandbox.run(&line.split(' ').collect::<Vec<_>>()).code(code).stderr
}

/// The first line of the answer.
fn first(sandbox: &Sandbox, line: &str) -> String {
    told(sandbox, line, 2).lines().next().unwrap_or_default().to_owned()
}

#[test]
fn a_bare_command_line_says_how_to_begin_and_is_no_error() {
    let ran = Sandbox::new().run::<&str>(&[]).code(2);
    assert_eq!(ran.stdout, "");
    let words = "runner: experiments on evolutionary search";
    assert!(ran.stderr.starts_with(words), "{}", ran.stderr);
    let groups = ["Run ", "Look ", "Compare ", "Make "];
    let lines = ran.stderr.lines().filter(|line| groups.iter().any(|word| line.starts_with(word)));
    let mut listed: Vec<&str> = lines.flat_map(|line| line[11..].split(", ")).collect();
    listed.sort_unstable();
    let help = Sandbox::new().run(&["--help"]).code(0).stdout;
    let (_, commands) = help.split_once("Commands:\n").expect("commands");
    let commands = commands.lines().take_while(|line| !line.is_empty());
    let mut known: Vec<&str> = commands.filter_map(|line| line.split_whitespace().next()).collect();
    known.retain(|word| *word != "help");
    known.sort_unstable();
    assert_eq!(listed, known);
}

#[test]
fn plugins_are_listed_by_name() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&["plugins", "nqueens", "onemax"]).code(0).says("INTEGER").says("BITS");
    let named = |plugin: &str| ran.stdout.contains(&format!("\n{plugin} "));
    assert!(named("nqueens") && named("onemax") && !named("pbo"), "{}", ran.stdout);
    sandbox
        .run(&["plugins", "nquens", "pbo"])
        .code(3)
        .warns("did you mean `nqueens`?")
        .says("\npbo ");
}

#[test]
fn the_folder_of_all_results_is_answered_with_one_in_it() {
    let sandbox = queens();
    sandbox.run(&["x.toml", "--repeats", "2"]).code(0);
    for command in ["show", "compare", "plot"] {
        sandbox.run(&[command, "results"]).code(4).warns("did you mean results/x?");
    }
}

/// The commonest slip: the experiment's file, or a table, in place of the folder of results.
#[test]
fn a_file_in_place_of_results_is_named_with_the_folder_that_was_meant() {
    let sandbox = queens();
    let is_file = |line: &str, file: &str, rest: &str| {
        let answer = told(&sandbox, line, 4);
        let words = format!("error: {file}: this is a file, and results are in a folder; {rest}");
        assert!(answer.starts_with(&words), "{line}: {answer}");
    };
    is_file("show x.toml", "x.toml", "name a folder that a run created, for example results/NAME");
    sandbox.run(&["x.toml", "--repeats", "2"]).code(0);
    for line in ["show", "compare", "rank", "plot", "report", "runtimes", "merge"] {
        is_file(&format!("{line} x.toml"), "x.toml", "did you mean results/x?");
    }
    is_file("show results/x/trials.parquet", "results/x/trials.parquet", "name a folder");
    let answer = told(&sandbox, "x.toml --out x.toml", 4);
    assert!(answer.contains("x.toml: --out takes the folder in which each"), "{answer}");
    let nested = told(&sandbox, "x.toml --repeats 2 --out results/x", 0);
    assert!(nested.contains("results/x is the folder of an experiment"), "{nested}");
}

#[test]
fn a_folder_without_results_ends_every_command_with_the_same_code() {
    let sandbox = queens();
    for line in [
        "show none",
        "verify none",
        "replay none ga 0",
        "plot none",
        "plot none --trial ga 0",
        "report none",
        "compare none",
        "compare none none",
        "runtimes none",
        "diff none none",
        "gate none --at-least ert<9",
        "export none --format ioh",
        "merge none",
    ] {
        let answer = told(&sandbox, line, 4);
        assert!(answer.starts_with("error: none: there are no results here: "), "{line}: {answer}");
    }
}

#[test]
fn commands_that_do_not_exist_are_answered_with_the_ones_that_were_meant() {
    let sandbox = queens();
    for (line, answer) in [
        (
            "chekc x.toml",
            "error: there is no command and no file called `chekc`; did you mean `runner check \
            x.toml`?",
        ),
        (
            "shwo results/x --trials",
            "error: there is no command and no file called `shwo`; did you mean `runner show \
            results/x --trials`?",
        ),
        (
            "run x.toml",
            "error: there is no command `run`: experiments run without a command; write `runner \
            x.toml`",
        ),
        ("x", "error: there is no command and no file called `x`; did you mean the file `x.toml`?"),
        (
            "frobnicate",
            "error: there is no command and no file called `frobnicate`; `runner --help` lists the \
            commands; give an experiment file with its extension, as in x.toml",
        ),
    ] {
        assert_eq!(first(&sandbox, line), answer);
    }
}

#[test]
fn values_of_flags_are_answered_with_their_range() {
    let sandbox = queens();
    for (line, answer) in [
        (
            "x.toml --jobs 0",
            "error: invalid value '0' for '--jobs <N>': it must be at least 1; leave out --jobs \
            for one per core",
        ),
        (
            "x.toml --jobs 18446744073709551615",
            "error: invalid value '18446744073709551615' for '--jobs <N>': it must be at most \
            4096; leave out --jobs for one per core",
        ),
        (
            "check x.toml -j -2",
            "error: invalid value '-2' for '--jobs <N>': it must be a whole number from 1 to 4096; \
            leave out --jobs for one per core",
        ),
        (
            "serve --port 65536",
            "error: invalid value '65536' for '--port <PORT>': it must be a whole number from 0 to \
            65535",
        ),
        (
            "serve --runs 0",
            "error: invalid value '0' for '--runs <N>': it must be a whole number from 1 to 65535",
        ),
        (
            "rank results/x --budget 0",
            "error: invalid value '0' for '--budget <EVALUATIONS>': it must be a whole number of \
            at least 1",
        ),
        (
            "x.toml --isolation process --worker-memory 1",
            "error: invalid value '1' for '--worker-memory <MB>': it must be a whole number of MB \
            from 128 to 16777216; a worker process cannot start with less",
        ),
        (
            "x.toml --worker-memory 500",
            "error: --worker-memory 500: threads share the memory of one process, so a limit per \
            worker needs worker processes; add --isolation process",
        ),
        (
            "submit print x.toml --shards 2 --worker-memory 500",
            "error: --worker-memory 500: threads share the memory of one process, so a limit per \
            worker needs worker processes; add --isolation process",
        ),
        (
            "x.toml --plugin-dir nowhere",
            "error: invalid value 'nowhere' for '--plugin-dir <DIR>': there is no such folder; \
            check the path, or build the plugins first",
        ),
        (
            "sample onemax --plugin-dir x.toml",
            "error: invalid value 'x.toml' for '--plugin-dir <DIR>': this is a file; name the \
            folder that contains it",
        ),
        (
            "replay results/x ga x",
            "error: invalid value 'x' for '[TRIAL]': a trial is given by its number from 0, as in \
            the column `trial`; an ARM whose label has spaces needs quotes",
        ),
        (
            "sample onemax -n 0",
            "error: invalid value '0' for '--count <N>': it must be a whole number of at least 1",
        ),
        (
            "sample onemax --seed -1",
            "error: invalid value '-1' for '--seed <SEED>': it must be a whole number from \
            0 to 18446744073709551615",
        ),
        (
            "verify results/x --all --seed 3",
            "error: the argument '--all' cannot be used with '--seed <SEED>'",
        ),
    ] {
        assert_eq!(first(&sandbox, line), answer);
    }
    assert_eq!(
        first(&sandbox, "sample onemax --set plugin=pbo"),
        "error: the plugin is given by its own argument"
    );
    let both = "plot results/x --terminal --format svg";
    assert_eq!(
        first(&sandbox, both),
        "error: the argument '--terminal' cannot be used with '--format <FORMAT>'"
    );
    assert!(told(&sandbox, "show results/x --rows 3", 2).contains("--trials"), "rows of what?");
}

#[test]
fn overrides_are_shown_as_the_flags_that_they_are() {
    let sandbox = queens();
    assert_eq!(
        told(&sandbox, "x.toml --set problem.m=12", 2),
        "\
error: unknown key `m` in the problem `nqueens`
 |
 | --set problem.m=12
 |       ^^^^^^^^^ not a key of the problem `nqueens`
 |
 = note: the keys of the problem `nqueens` are plugin, n, encoding, counting, placed, \
        placed-queens, excluded, excluded-diagonals, open-squares and puzzle
 = help: did you mean `n`?

1 error; nothing was run
"
    );
    assert_eq!(
        told(&sandbox, "x.toml --repeats -3", 2),
        "\
error: `repeats` = -3 is not allowed
 |
 | --repeats -3
 |           ^^ out of range
 |
 = note: `repeats` must be an integer from 1 to 1000000000000
 = help: raise it to at least 1

1 error; nothing was run
"
    );
    assert_eq!(
        told(&sandbox, "x.toml --seed 18446744073709551616", 2),
        "\
error: 18446744073709551616 is not a 64-bit integer
 |
 | --seed 18446744073709551616
 |        ^^^^^^^^^^^^^^^^^^^^ too large
 |
 = note: an integer must be from -9223372036854775808 to 18446744073709551615
 = help: choose one closer to 0

1 error; nothing was run
"
    );
    let open =
        sandbox.run(&["x.toml", "--set", "operators.mutation={ kind = \"swap\""]).code(2).stderr;
    assert_eq!(
        open,
        "\
error: `{ kind = \"swap\"` begins like a table but is not a valid one
 |
 | --set operators.mutation={ kind = \"swap\"
 |                          ^^^^^^^^^^^^^^^ no closing }
 |
 = note: the value is TOML, in which texts are in quotes; a shell removes quotes \
and splits at spaces
 = help: put the whole assignment in single quotes: --set 'operators.mutation={ kind = \
\"swap\", rate = 0.5 }'

1 error; nothing was run
"
    );
}

#[test]
fn the_largest_seed_runs() {
    let sandbox = queens();
    let ran = sandbox
        .run(&["x.toml", "--seed", "18446744073709551615", "--repeats", "2", "--progress", "none"])
        .code(0);
    assert!(ran.stdout.contains("Tables: results/x/*.parquet"), "{ran}");
    sandbox.run(&["verify", "results/x"]).code(0);
}

#[test]
fn files_are_found_by_pattern_and_missed_by_name() {
    let sandbox = queens();
    sandbox.write("-x.toml", QUEENS);
    sandbox.run(&["check", "*.toml"]).code(0).says("x (x.toml): valid").says("-x (-x.toml): valid");
    assert_eq!(
        first(&sandbox, "-x.toml"),
        "error: `-x.toml` looks like a flag; for a file of this name write ./-x.toml"
    );
    let isolated = ["./-x.toml", "--isolation", "process", "--repeats", "2", "--progress", "none"];
    sandbox.run(&isolated).code(0);
    assert_eq!(
        told(&sandbox, "no/*.toml", 2),
        "error: no/*.toml: cannot be read: no file matches this pattern\n |\n = help: check the \
        folder and the extension; `ls` shows the files\n\n1 error; nothing was run\n"
    );
    sandbox.write("queens.toml", QUEENS);
    assert_eq!(
        told(&sandbox, "quens.toml", 2),
        "error: quens.toml: cannot be read: there is no such file\n |\n = help: did you mean \
        queens.toml?\n\n1 error; nothing was run\n"
    );
}

#[test]
fn flags_may_stand_before_a_command() {
    let sandbox = queens();
    let ran = sandbox
        .run(&[
            "--plugin-dir",
            ".",
            "sample",
            "onemax",
            "-n",
            "2",
            "--format",
            "line",
            "--set",
            "length=3",
        ])
        .code(0);
    assert_eq!(ran.stdout.lines().count(), 2, "{ran}");
    assert!(
        first(&sandbox, "--shard 1/2 show results/x")
            .starts_with("error: unexpected argument '--shard' found")
    );
}

#[test]
fn a_picture_that_a_plugin_does_not_draw_is_not_written() {
    let sandbox = queens();
    assert_eq!(
        told(&sandbox, "sample onemax --format svg --out pictures", 2),
        "error: --format svg: the plugin `onemax` draws no image of this genome; choose line, \
        board or genes\n"
    );
    assert!(!sandbox.path("pictures").exists());
    sandbox.run(&["sample", "nqueens", "--format", "svg"]).code(0).says("<svg");
}

#[test]
fn a_folder_of_the_variable_that_is_not_there_is_warned_of() {
    let sandbox = queens();
    let mut command = sandbox.command();
    command.env("RUNNER_PLUGIN_PATH", "/nowhere").args(["check", "x.toml"]);
    let ran = Ran::new(&mut command).code(0);
    assert_eq!(
        ran.stderr,
        "warning: RUNNER_PLUGIN_PATH names /nowhere, which does not exist; it is ignored\n"
    );
}

/// A config with more in it, its exit code, and the first lines of what is said: the message and
/// the way out.
fn sense(change: &str, code: i32) -> Vec<String> {
    let sandbox = Sandbox::new();
    let (problem, rest) = QUEENS.split_once("\n\n").expect("two tables");
    let text = match change.split_once('|') {
        Some((before, after)) => QUEENS.replace(before, after),
        None => format!("{problem}\n\n{rest}{change}"),
    };
    assert_ne!(text, QUEENS, "nothing changed by {change}");
    sandbox.write("x.toml", text);
    let ran = sandbox.run(&["check", "x.toml"]).code(code);
    let good = |line: &&str| {
        line.starts_with("error") || line.starts_with("warning") || line.contains("= help: ")
    };
    ran.stderr.lines().filter(good).map(|line| line.trim().replace("= help: ", "")).collect()
}

#[test]
fn settings_that_cannot_mean_what_they_say_are_told() {
    let cases: [(&str, i32, &[&str]); 18] = [
        (
            "fitness = -1\n",
            0,
            &[
                "warning: no trial can reach `fitness` = -1",
                "raise it to at least 0, or remove it: the default target is the ideal; to \
                continue after success, write on-success = \"continue\"",
            ],
        ),
        (
            "fitness = 28\n",
            0,
            &[
                "warning: every genome reaches `fitness` = 28",
                "lower it, or remove it: the default target is the ideal",
            ],
        ),
        (
            "generations = 10\nstagnation = 11\n",
            0,
            &["warning: `stagnation` = 11 never ends a trial", "lower it below 10, or remove it"],
        ),
        ("generations = 10\nstagnation = 10\n", 0, &[]),
        (
            "evaluations = 200|evaluations = 19",
            0,
            &[
                "warning: operator set `ga` never makes a child: 19 evaluations",
                "raise `evaluations` to at least 21; to only draw genomes, choose algorithm = \
                \"random-search\"",
            ],
        ),
        ("evaluations = 200|evaluations = 21", 0, &[]),
        (
            "generations = 0\n",
            0,
            &[
                "warning: operator set `ga` never makes a child: 0 generations",
                "raise `generations` to at least 1; to only draw genomes, choose algorithm = \
                \"random-search\"",
            ],
        ),
        (
            "\"reset\"|{ kind = \"reset\", rate = 0 }",
            0,
            &[
                "warning: the mutation of operator set `ga` never mutates a child",
                "raise its `rate` above 0, or remove the mutation",
            ],
        ),
        (
            "\"reset\"|\"reset\"\ncrossover = \"uniform\"\nmix = { clone = 0.5, mutate = 0.5 }",
            0,
            &[
                "warning: operator set `ga` never uses its crossover",
                "give the mix a share of `crossover`, or remove the crossover",
            ],
        ),
        (
            "\"reset\"|\"reset\"\nscaling = \"rank\"",
            0,
            &[
                "warning: operator set `ga` never uses its scaling",
                "remove it, or choose selection = \"roulette\" or \"sus\"",
            ],
        ),
        (
            "[sweep]\nproblem.n = [8]\n",
            0,
            &[
                "warning: the sweep of `problem.n` has one value",
                "list more values, or write n = 8 in [problem]",
            ],
        ),
        (
            "[sweep]\nproblem.n = [6, 6]\n",
            2,
            &["error: the sweep of `problem.n` has 6 twice", "remove one of them"],
        ),
        ("[problem]|baseline = true\n[problem]", 0, &[]),
        (
            "[problem]|pairing = \"common\"\n[problem]",
            0,
            &[
                "warning: no two arms are paired",
                "remove `pairing`, or add a table [[operators]] to compare with",
            ],
        ),
        (
            "\"ga\"|\" ga\"",
            2,
            &[
                "error: this is not a valid name for an operator set",
                "choose another, such as name = \"tournament\"",
            ],
        ),
        (
            "\"ga\"|\"g\u{200b}a\"",
            2,
            &[
                "error: this is not a valid name for an operator set",
                "choose another, such as name = \"tournament\"",
            ],
        ),
        (
            "[problem]|name = \"x.shard-1-of-2\"\n[problem]",
            2,
            &[
                "error: \"x.shard-1-of-2\" is not a valid folder name",
                "choose another, such as name = \"eight-queens\"",
            ],
        ),
        (
            "[problem]|name = \"x.submission\"\n[problem]",
            2,
            &[
                "error: \"x.submission\" is not a valid folder name",
                "choose another, such as name = \"eight-queens\"",
            ],
        ),
    ];
    for (change, code, answer) in cases {
        assert_eq!(sense(change, code), answer, "{change}");
    }
}

#[test]
fn a_baseline_that_nobody_gets_is_told() {
    let sandbox = Sandbox::new();
    let text = "baseline = true\n[problem]\nplugin = \"nqueens\"\n[[operators]]\nalgorithm = \
        \"random-search\"\n[stop]\nevaluations = 200\n";
    sandbox.write("x.toml", text);
    assert_eq!(
        told(&sandbox, "check x.toml", 0),
        "\
warning: no arm gets a baseline
 --> x.toml:1:12
  |
1 | baseline = true
  |            ^^^^ requests baselines
  |
  = note: the baseline is random search; random search and exhaustive search themselves \
get no baseline
  = help: remove `baseline`, or add a table [[operators]] with another search

"
    );
}

#[test]
fn questions_that_no_trial_can_answer_are_told() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", format!("repeats = {{ half-width = 0.02, max = 10 }}\n{QUEENS}"));
    assert_eq!(
        told(&sandbox, "check x.toml", 0),
        "\
warning: `max` = 10 trials are too few for `half-width` = 0.02, whatever the success rate
 --> x.toml:1:38
  |
1 | repeats = { half-width = 0.02, max = 10 }
  |                                      ^^ too few
  |
  = note: the interval must be at most twice that wide, but after that many trials it is \
at least 0.935 wide
  = help: raise `max`, or choose a larger `half-width`

"
    );
    sandbox.write(
        "x.toml",
        format!("repeats = {{ half-width = 0.1, max = 1000, confidence = 0.05 }}\n{QUEENS}"),
    );
    assert_eq!(
        told(&sandbox, "check x.toml", 0),
        "\
warning: `confidence` = 0.05: the answer is more likely wrong than right
 --> x.toml:1:56
  |
1 | repeats = { half-width = 0.1, max = 1000, confidence = 0.05 }
  |                                                        ^^^^ less than one half
  |
  = note: it is the probability that the answer is right, as in 0.95
  = help: did you mean 0.95?

"
    );
    sandbox.write(
        "x.toml",
        "[problem]\nplugin = \"nqueens\"\nn = 4\n[[operators]]\nalgorithm = \"exhaustive\"\n",
    );
    let same = told(&sandbox, "check x.toml", 0);
    assert!(same.starts_with("warning: all 100 trials of an arm will be the same\n"), "{same}");
}

#[test]
fn a_target_below_the_ideal_is_told_with_the_arms_that_it_concerns() {
    let sandbox = Sandbox::new();
    sandbox
        .write("x.toml", format!("{QUEENS}[sweep]\nstop.fitness = [0, -2]\nproblem.n = [6, 8]\n"));
    assert_eq!(
        told(&sandbox, "check x.toml", 0),
        "\
warning: no trial can reach `fitness` = -2
  --> x.toml:13:20
   |
13 | stop.fitness = [0, -2]
   |                    ^^ below the ideal
   |
   = note: the lowest possible fitness of this problem is 0; this applies to 2 of 4 arms
   = help: raise it to at least 0, or remove it: the default target is the ideal; \
to continue after success, write on-success = \"continue\"

"
    );
}

#[test]
fn what_a_plugin_says_of_many_arms_is_told_once() {
    let sandbox = Sandbox::new();
    let text = QUEENS.replace("\"nqueens\"", "\"faulty\"\nfault = \"error-create\"");
    sandbox.write("x.toml", format!("{text}[sweep]\nproblem.length = [4, 6, 8, 10]\n"));
    let refused = told(&sandbox, "check x.toml", 3);
    assert_eq!(refused.matches("do not go together").count(), 1, "{refused}");
    assert!(refused.contains("this applies to 4 of the 4 swept combinations"), "{refused}");
    sandbox.write(
        "x.toml",
        format!(
            "{}[sweep]\nproblem.length = [4, 6, 8, 10]\n",
            text.replace("error-create", "error-evaluate")
        ),
    );
    let ran = sandbox.run(&["x.toml", "--repeats", "3", "--progress", "none"]).code(1);
    assert_eq!(ran.stderr.matches("as asked").count(), 1, "{ran}");
    assert!(
        ran.stderr.contains("failed: 12 trials of 4 arms: plugin `faulty`: evaluate: "),
        "{ran}"
    );
    assert!(
        ran.stderr.contains("  again: runner replay results/x 'ga problem.length=4' 0\n"),
        "{ran}"
    );
    let checked = sandbox.run(&["check", "x.toml"]).code(1);
    let all = "  FAILED: `ga problem.length=4` and 3 more: plugin `faulty`: ";
    assert_eq!(checked.stdout.matches("FAILED").count(), 1, "{checked}");
    assert!(checked.stdout.contains(all), "{checked}");
}

#[test]
fn the_check_lists_what_is_swept() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "x.toml",
        format!(
            "{QUEENS}[sweep]\nproblem.n = [6, 8, 10]\noperators.mutation = [\"reset\", \"swap\"]\n"
        ),
    );
    let ran = sandbox.run(&["check", "x.toml"]).code(0);
    let swept: Vec<&str> =
        ran.stdout.lines().filter(|line| line.starts_with("  sweep: ")).collect();
    assert_eq!(
        swept,
        [
            "  sweep: problem.n = 6, 8, 10",
            "  sweep: operators.mutation = \"reset\", \"swap\"",
            "  sweep: 6 combinations for each operator set",
        ]
    );
}

#[test]
fn plugins_are_listed_with_what_a_genome_is() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&["plugins"]).code(0);
    for line in [
        "  genome: integer, 8 genes (u8) from 0 to 7; permutation with encoding = \
        \"permutation\"\n  fitness: ideal 0, worst 28\n",
        "  genome: bits, 100 genes (u8) from 0 to 1\n  fitness: ideal 0, worst 100\n  provides: \
        nothing\n",
    ] {
        assert!(ran.stdout.contains(line), "no {line:?}\n{ran}");
    }
    // In groups by encoding, each with what suits it.
    let place = |text: &str| ran.stdout.find(text).unwrap_or_else(|| panic!("no {text:?}\n{ran}"));
    let order = ["INTEGER\n", "\nnqueens ", "PERMUTATION\n", "\ntsp ", "BITS\n", "\nonemax "];
    assert!(order.map(place).is_sorted(), "{ran}");
    place("  crossover: order, pmx, cycle\n");
    place("OPERATORS ALONE\n\nbreeding ");
    let json = sandbox.run(&["plugins", "--json"]).code(0).stdout;
    let plugins: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let chess = plugins
        .as_array()
        .expect("a list")
        .iter()
        .find(|one| one["name"] == "chess960")
        .expect("chess960");
    assert_eq!(
        (&chess["example"]["crossover"], &chess["example"]["mutation"]),
        (&true.into(), &true.into())
    );
    assert_eq!(chess["parameters"][0]["words"], serde_json::json!(["king-first", "uniform"]));
}

/// `runner init` with lines on standard input.
fn answered(sandbox: &Sandbox, arguments: &[&str], lines: &str) -> Ran {
    sandbox.write("answers", lines);
    let answers = std::fs::File::open(sandbox.path("answers")).expect("answers");
    let mut command: Command = sandbox.command();
    command.arg("init").args(arguments).stdin(Stdio::from(answers));
    Ran::new(&mut command)
}

#[test]
fn init_writes_a_good_file_for_every_plugin_and_question() {
    let sandbox = Sandbox::new();
    for plugin in ["bbob", "chess960", "continuous", "nqueens", "onemax", "pbo", "faulty"] {
        for question in ["success", "compare", "scale"] {
            let file = format!("{plugin}-{question}.toml");
            let ran = sandbox
                .run(&["init", "--plugin", plugin, "--question", question, "--evaluations", "300"])
                .code(0);
            assert_eq!(
                ran.stdout,
                format!("Wrote {file}. Next:\n  runner check {file}\n  runner {file}\n")
            );
            let ran = sandbox.run(&["check", &file]).code(0);
            assert_eq!(ran.stderr, "", "{plugin} {question}");
        }
    }
    // Sizes are what changes the length of the genomes: no number of a function, and no `n` that a
    // file of data overrides.
    let written = |file: &str| String::from_utf8_lossy(&sandbox.read(file)).into_owned();
    let bbob = written("bbob-scale.toml");
    assert!(bbob.contains("\"problem.n\" = ["), "{bbob}");
    let cities = "NAME: four\nTYPE: TSP\nDIMENSION: 4\nEDGE_WEIGHT_TYPE: EUC_2D\n\
        NODE_COORD_SECTION\n1 0 0\n2 0 1\n3 1 1\n4 1 0\nEOF\n";
    sandbox.write("four.tsp", cities);
    let scale = ["init", "tour.toml", "--plugin", "tsp", "--question", "scale", "--yes"];
    sandbox.run(&[&scale[..], &["--set", "file=four.tsp"]].concat()).code(0);
    let tour = written("tour.toml");
    assert!(tour.contains("stop.evaluations") && !tour.contains("\"problem.n\""), "{tour}");
}

#[test]
fn init_overwrites_nothing_and_says_what_is_missing() {
    let sandbox = Sandbox::new();
    sandbox.write("mine.toml", "# mine\n");
    assert_eq!(
        told(&sandbox, "init mine.toml --plugin onemax", 2),
        "error: mine.toml already exists and will not be overwritten; name another file, as in \
        `runner init mine.toml`\n"
    );
    assert_eq!(sandbox.read("mine.toml"), b"# mine\n");
    sandbox.run(&["init", "tour.toml", "--plugin", "tsp", "--question", "compare", "-y"]).code(0);
    let tour = String::from_utf8_lossy(&sandbox.read("tour.toml")).into_owned();
    assert!(tour.contains("repeats  = 100\n") && tour.contains("Which finds better"), "{tour}");
    sandbox.run(&["init", "--plugin", "onemax"]).code(0);
    sandbox
        .run(&["init", "--plugin", "onemax"])
        .code(2)
        .warns("onemax-success.toml: the file already exists");
    // Where nobody answers, every question has a default.
    sandbox.run(&["init", "--yes"]).code(0).says("nqueens");
    sandbox.run(&["init", "--plugin", "nqueen"]).code(3).warns("did you mean `nqueens`?");
    sandbox
        .run(&["init", "--plugin", "nqueens", "--set", "n=0"])
        .code(2)
        .warns("`n` must be an integer from 1 to 8388608");
    sandbox
        .run(&["init", "--plugin", "pbo", "--set", "problem=ising-torus", "--set", "n=7"])
        .code(3);
}

#[test]
fn init_finds_the_plugin_again_that_it_was_given() {
    let sandbox = Sandbox::new();
    let folder = plugins().to_str().expect("UTF-8");
    let library = format!("{folder}/{DLL_PREFIX}onemax{DLL_SUFFIX}");
    sandbox.run(&["init", "path.toml", "--plugin", &library]).code(0);
    sandbox.run(&["check", "path.toml"]).code(0).says("valid");
    let ran =
        sandbox.run(&["init", "folder.toml", "--plugin", "onemax", "--plugin-dir", folder]).code(0);
    assert!(
        ran.stdout.ends_with(&format!("\n  runner folder.toml --plugin-dir {folder}\n")),
        "{ran}"
    );
}

/// An empty line is the default of each question. The file names the schema, which is written next
/// to it once.
#[test]
fn init_has_a_default_for_each_question_and_writes_the_schema() {
    let sandbox = Sandbox::new();
    answered(&sandbox, &[], "\n\n\n\n\n\n\n")
        .code(0)
        .says("Wrote nqueens-success.toml")
        .warns("wrote runner.schema.json");
    let text = String::from_utf8(sandbox.read("nqueens-success.toml")).expect("UTF-8");
    assert!(text.starts_with("#:schema ./runner.schema.json\n\n# Question"), "{text}");
    let schema = sandbox.read("runner.schema.json");
    let schema: serde_json::Value = serde_json::from_slice(&schema).expect("JSON");
    assert!(schema["properties"]["problem"].is_object(), "{schema}");
    sandbox.write("runner.schema.json", "mine");
    let ran = sandbox.run(&["init", "other.toml", "--yes"]).code(0);
    assert!(!ran.stderr.contains("schema"), "{ran}");
    assert_eq!(sandbox.read("runner.schema.json"), b"mine");
}

/// Of a folder that does not exist the most alike one is named, and `replay` names arms.
#[test]
fn results_that_do_not_exist_are_answered_with_the_ones_that_were_meant() {
    let sandbox = queens();
    sandbox.write("queens.toml", sandbox.read("x.toml"));
    sandbox.run(&["queens.toml"]).code(0);
    for (line, near) in
        [("show results/quens", "results/queens"), ("compare qeens", "results/queens")]
    {
        let answer = told(&sandbox, line, 4);
        assert!(answer.ends_with(&format!("did you mean {near}?\n")), "{line}: {answer}");
    }
    let answer = told(&sandbox, "replay results/queen ga 0", 4);
    assert!(answer.ends_with("did you mean results/queens?\n"), "{answer}");
    assert!(!told(&sandbox, "show results/frobnicate", 4).contains("did you mean"));
    let answer = told(&sandbox, "replay queens", 2);
    let words = "name an arm and the number of a trial, as in `runner replay results/queens ";
    assert!(answer.contains(words) && answer.contains("the arms are `"), "{answer}");
}

#[test]
fn init_takes_its_answers_from_a_pipe() {
    let sandbox = Sandbox::new();
    answered(&sandbox, &[], "nqueens\n12\npermutation\n\ncompare\n5,000\n")
        .code(0)
        .says("Wrote nqueens-compare.toml");
    let text = String::from_utf8(sandbox.read("nqueens-compare.toml")).expect("UTF-8");
    for line in [
        "n        = 12",
        "encoding = \"permutation\"",
        "counting = \"pairs\"",
        "evaluations = 5000",
    ] {
        assert!(text.contains(line), "no {line:?} in\n{text}");
    }
    answered(&sandbox, &[], "nqueens\nmany\n")
        .code(2)
        .warns("many: must be an integer from 1 to 8388608");
    answered(&sandbox, &[], "sudoku\n").code(2).warns("choose one of bbob, chess960, ");
}

/// An experiment on 6 queens with these lines in its operator set and in [stop].
fn six_queens(operators: &str, stop: &str) -> String {
    format!(
        "repeats = 2\n[problem]\nplugin = \"nqueens\"\nn = 6\n[[operators]]\npopulation = 6\n\
        selection = \"tournament\"\nmutation = \"reset\"\n{operators}\n[stop]\n{stop}\n"
    )
}

#[test]
fn slips_are_told_once_with_the_word_that_was_meant() {
    let sandbox = Sandbox::new();
    let says = |text: String, expected: &[&str]| {
        sandbox.write("x.toml", text);
        let ran = sandbox.run(&["x.toml"]).code(2);
        for words in expected {
            assert!(ran.stderr.contains(words), "no {words:?}\n{ran}");
        }
        assert!(ran.stderr.contains("\n1 error; nothing was run"), "{ran}");
    };
    // What other tools call our keys.
    says(six_queens("", "max_evals = 50"), &["did you mean `evaluations`?"]);
    says(six_queens("popsize = 5", "evaluations = 50"), &["did you mean `population`?"]);
    says(six_queens("n_gen = 5", "evaluations = 50"), &["`generations` belongs in [stop]"]);
    // One bracket that is missing is one fault, in its line.
    let open = six_queens("crossover = { kind = \"one-point\"", "evaluations = 50");
    says(open, &["a table in braces without its closing }", "--> x.toml:9:33"]);
    let open = six_queens("", "evaluations = 50\n[sweep]\n\"problem.n\" = [4, 5");
    says(open, &["an array without its closing ]"]);
    // An operator that fits another encoding of the same problem.
    says(six_queens("crossover = \"order\"", "evaluations = 50"), &["encoding = \"permutation\""]);
    sandbox.write("x.toml", six_queens("", "evaluations = 50"));
    sandbox
        .run(&["--repeat", "4", "x.toml"])
        .code(2)
        .warns("unexpected argument '--repeat' found")
        .warns("'--repeats'");
}

#[test]
fn check_calls_valid_only_what_runs_and_python_names_its_module() {
    if crate::python::python("sys").is_none() {
        return;
    }
    let sandbox = Sandbox::new();
    let config = six_queens("", "evaluations = 50").replace("\"nqueens\"\nn = 6", "\"own.py\"");
    sandbox.write("x.toml", config.replace("\"reset\"", "\"bit-flip\""));
    let problem = "from runner import Bits\nclass Problem:\n    def describe(self):\n        \
        return Bits(4)\n    def fitness(self, genome):\n        raise ValueError('no')\n";
    sandbox.write("own.py", problem);
    let ran = sandbox.run(&["check", "x.toml"]).code(1);
    assert!(!ran.stdout.contains(": valid") && ran.stdout.contains("not every first"), "{ran}");
    sandbox.write("own.py", problem.replace("Bits\nclass", "Bits, Bytes\nclass"));
    let ran = sandbox.run(&["check", "x.toml"]).code(3);
    let words = "cannot import name 'Bytes' from 'runner'";
    assert!(ran.stderr.contains(words) && !ran.stderr.contains("__main__"), "{ran}");
}
