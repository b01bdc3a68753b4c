//! Sweeps: values that go together, combinations that are left out, several sweeps, one set's keys.

use crate::util::{Sandbox, rows};

const SETS: &str = r#"
repeats = 3
[problem]
plugin = "nqueens"
n      = 8
[[operators]]
name       = "ga"
population = 10
selection  = { kind = "tournament", size = 2 }
mutation   = { kind = "reset", rate = 0.5 }
[[operators]]
name      = "climb"
algorithm = { kind = "hill-climbing", step = "steepest", sideways = 10 }
[stop]
evaluations = 300
"#;

/// The labels of the arms that a sweep makes, as results have them.
fn arms(sweep: &str) -> Vec<String> {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", format!("{SETS}{sweep}"));
    sandbox.run(&["x.toml"]).code(0);
    let rows = rows(&sandbox, &["results/x"]);
    rows.iter().map(|row| row["arm"].as_str().expect("a label").to_owned()).collect()
}

fn told(sweep: &str, words: &[&str]) {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", format!("{SETS}{sweep}"));
    let ran = sandbox.run(&["check", "x.toml"]).code(2);
    for word in words {
        assert!(ran.stderr.contains(word), "no {word:?}\n{ran}");
    }
}

#[test]
fn values_go_together_where_the_file_says_so() {
    let labels = arms(
        "[sweep]\n\"problem.n\" = { from = 6, to = 10, step = 2 }\n\"stop.evaluations\" = [100, \
        200, 400]\n\"stop.stagnation\" = [5, 9]\ntogether = [\"problem.n\", \
        \"stop.evaluations\"]\n",
    );
    let of = |set: &str, n: u32, evaluations: u32, stagnation: u32| {
        format!("{set} problem.n={n} stop.evaluations={evaluations} stop.stagnation={stagnation}")
    };
    let mut expected = Vec::new();
    for set in ["ga", "climb"] {
        for (n, evaluations) in [(6, 100), (8, 200), (10, 400)] {
            expected.extend([5, 9].map(|stagnation| of(set, n, evaluations, stagnation)));
        }
    }
    assert_eq!(labels, expected);
    told(
        "[sweep]\n\"problem.n\" = [6, 8]\n\"stop.evaluations\" = [1, 2, 3]\ntogether = \
        [\"problem.n\", \"stop.evaluations\"]\n",
        &["x.toml:19:13", "different numbers of values", "2 of `problem.n`, 3 of `stop.eval"],
    );
    told(
        "[sweep]\n\"problem.n\" = [6, 8]\ntogether = [\"problem.m\", \"problem.n\"]\n",
        &["`problem.m` is not swept in this table", "did you mean \"problem.n\"?"],
    );
    told("[sweep]\n\"problem.n\" = [6, 8]\ntogether = 3\n", &["`together` must be a list"]);
}

#[test]
fn combinations_are_left_out_by_rules() {
    let labels = arms(
        "[sweep]\nproblem.n = [6, 8, 10]\nstop.stagnation = [5, 9]\nexcept = [{ \"problem.n\" = \
        10, \"stop.stagnation\" = 5 }, { problem.n = [6, 8], \"stop.stagnation\" = 9 }]\n",
    );
    let kept = [
        "problem.n=6 stop.stagnation=5",
        "problem.n=8 stop.stagnation=5",
        "problem.n=10 stop.stagnation=9",
    ];
    let of = |set: &'static str| kept.map(|arm| format!("{set} {arm}"));
    assert_eq!(labels, [of("ga"), of("climb")].concat());
    told(
        "[sweep]\n\"problem.n\" = [6, 8]\nexcept = [{ \"problem.n\" = [6, 8] }]\n",
        &["this experiment has no arms", "`except` leaves all out"],
    );
    told("[sweep]\n\"problem.n\" = [6, 8]\nexcept = [{ \"n\" = 6 }]\n", &["`n` is not swept"]);
    let sandbox = Sandbox::new();
    let text =
        format!("{SETS}[sweep]\n\"problem.n\" = [6, 8]\nexcept = [{{ \"problem.n\" = 7 }}]\n");
    sandbox.write("x.toml", text);
    let ran = sandbox.run(&["check", "x.toml"]).code(0);
    assert!(ran.stderr.contains("no arm has `problem.n` = 7"), "{ran}");
}

#[test]
fn a_key_of_one_operator_set_is_swept_alone() {
    let labels = arms(
        "[sweep]\n\"operators.ga.population\" = [10, 20]\n\"operators.climb.algorithm.sideways\" \
        = [0, 100]\n\"problem.n\" = [6, 8]\n",
    );
    assert_eq!(
        labels,
        [
            "ga operators.ga.population=10 problem.n=6",
            "ga operators.ga.population=10 problem.n=8",
            "ga operators.ga.population=20 problem.n=6",
            "ga operators.ga.population=20 problem.n=8",
            "climb operators.climb.algorithm.sideways=0 problem.n=6",
            "climb operators.climb.algorithm.sideways=0 problem.n=8",
            "climb operators.climb.algorithm.sideways=100 problem.n=6",
            "climb operators.climb.algorithm.sideways=100 problem.n=8",
        ]
    );
    // An override of the set ends its sweep.
    let sandbox = Sandbox::new();
    let sweep = "[sweep]\n\"operators.ga.population\" = [10, 20]\n";
    sandbox.write("x.toml", format!("{SETS}{sweep}"));
    for (set, arms) in [("operators.ga.population=30", "2 arms"), ("problem.n=6", "3 arms")] {
        sandbox.run(&["check", "x.toml", "--set", set]).code(0).says(arms);
    }
    told("[sweep]\n\"operators.go.population\" = [10, 20]\n", &["x.toml:17:1", "operators.NAME"]);
    told("[sweep]\n\"operators.ga.populaton\" = [10, 20]\n", &["no key"]);
}

#[test]
fn several_sweeps_make_their_arms_one_after_another() {
    let labels = arms(
        "[[sweep]]\n\"problem.n\" = [6, 8]\n[[sweep]]\n\"stop.evaluations\" = [100, 200]\n\
        \"problem.n\" = [8, 10]\n[[sweep]]\n\"operators.ga.population\" = [20, 30]\n",
    );
    let own = [
        "problem.n=6",
        "problem.n=8",
        "problem.n=8 stop.evaluations=100",
        "problem.n=10 stop.evaluations=100",
        "problem.n=8 stop.evaluations=200",
        "problem.n=10 stop.evaluations=200",
    ];
    let mut expected: Vec<String> = own.iter().map(|arm| format!("ga {arm}")).collect();
    expected.extend(["20", "30"].map(|size| format!("ga operators.ga.population={size}")));
    expected.extend(own.iter().map(|arm| format!("climb {arm}")));
    assert_eq!(labels, expected);
    let labels = arms("[[sweep]]\n\"problem.n\" = [6, 7]\n[[sweep]]\n\"problem.n\" = [7, 9]\n");
    assert_eq!(labels[..3], ["ga problem.n=6", "ga problem.n=7", "ga problem.n=9"]);
}

#[test]
fn an_arm_that_two_sweeps_make_is_made_once_by_the_first() {
    // Both sweeps contain the file's own values, 8 and 300.
    let sweeps =
        "[[sweep]]\n\"problem.n\" = [6, 8]\n[[sweep]]\n\"stop.evaluations\" = [100, 300]\n";
    let own = ["problem.n=6", "problem.n=8", "stop.evaluations=100"];
    let expected: Vec<String> =
        ["ga", "climb"].iter().flat_map(|set| own.map(|arm| format!("{set} {arm}"))).collect();
    assert_eq!(arms(sweeps), expected);
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", format!("{SETS}{sweeps}"));
    let checked = sandbox.run(&["check", "x.toml"]).code(0);
    checked.says("sweep: 2 arms of an earlier sweep made once");
    // What one sweep says twice is a slip, and refused.
    told("[sweep]\n\"operators.ga.mutation.rate\" = [1, 1.0]\n", &["have the same settings"]);
}

/// Baselines of one problem were two where one sweep gave the file's own value, and nothing ran.
#[test]
fn arms_of_one_problem_share_their_baseline_however_it_is_written() {
    let sandbox = Sandbox::new();
    let text = "repeats = 3\nbaseline = true\n[problem]\nplugin = \"onemax\"\nlength = 20\n\
        [[operators]]\nname = \"ga\"\npopulation = 8\nselection = \"uniform\"\nmutation = \
        \"bit-flip\"\n[stop]\nevaluations = 100\n[[sweep]]\n\"problem.length\" = [10, 20]\n\
        [[sweep]]\n\"operators.population\" = [6, 12]\n";
    sandbox.write("x.toml", text);
    sandbox.run(&["x.toml"]).code(0).says("random-search");
    let rows = rows(&sandbox, &["results/x"]);
    let labels: Vec<&str> = rows.iter().filter_map(|row| row["arm"].as_str()).collect();
    assert_eq!(
        labels,
        [
            "ga problem.length=10",
            "ga problem.length=20",
            "ga operators.population=6",
            "ga operators.population=12",
            "random-search problem.length=10",
            "random-search",
        ]
    );
}

/// What a sweep makes is what its arms are when they are written out: the same trials.
#[test]
fn arms_have_the_trials_of_files_without_a_sweep() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "x.toml",
        format!(
            "{SETS}[[sweep]]\n\"problem.n\" = [6, 10]\n\"stop.evaluations\" = [100, 200]\ntogether \
            = [\"problem.n\", \"stop.evaluations\"]\n"
        ),
    );
    sandbox.run(&["x.toml"]).code(0);
    let plain = SETS.replace("n      = 8", "n      = 10").replace("= 300", "= 200");
    sandbox.write("y.toml", plain);
    sandbox.run(&["y.toml"]).code(0);
    let seeds = |folder: &str, swept: bool| -> Vec<String> {
        let rows = rows(&sandbox, &[folder, "--trials"]);
        let mine = rows.iter().filter(|row| !swept || row["problem.n"] == 10);
        mine.map(|row| format!("{} {} {}", row["arm_id"], row["seed"], row["best"])).collect()
    };
    assert_eq!(seeds("results/x", true), seeds("results/y", false));
    assert_eq!(seeds("results/y", false).len(), 6);
}
