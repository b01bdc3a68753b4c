//! Some arms of an experiment: run, shown, compared, plotted.

use crate::util::{Sandbox, rows};

const CONFIG: &str = r#"
seed     = 5
repeats  = 40
baseline = true
[problem]
plugin = "nqueens"
n      = 6
[[operators]]
name        = "tournament"
population  = 20
selection   = { kind = "tournament", size = 2 }
mutation    = { kind = "reset", rate = 0.5 }
[[operators]]
name        = "truncation"
population  = 20
selection   = { kind = "truncation", share = 0.5 }
mutation    = { kind = "reset", rate = 0.5 }
[stop]
evaluations = 600
[sweep]
"operators.mutation.rate" = [0.25, 0.5]
[output]
trace = "best"
"#;

const TABLES: [&str; 3] = ["summary", "trials", "generations"];

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("queens.toml", CONFIG);
    sandbox
}

#[track_caller]
fn same(sandbox: &Sandbox, one: &str, other: &str) {
    for table in TABLES {
        let of = |folder: &str| sandbox.read(&format!("{folder}/queens/{table}.parquet"));
        assert!(of(one) == of(other), "{table} differs");
    }
}

#[test]
fn arms_run_one_by_one_give_the_bytes_of_a_run_of_all() {
    let sandbox = sandbox();
    sandbox.run(&["queens.toml", "--out", "whole"]).code(0);
    let run = |more: &[&str]| sandbox.run(&[&["queens.toml"], more].concat()).code(0);
    let first = run(&["--arm", "tournament operators.mutation.rate=0.25"])
        .says("1 of 5 arms; the others have no trials yet")
        .says("without --arm");
    assert!(!first.stdout.contains("truncation"), "{first}");
    assert!(
        !sandbox.path("results/queens/summary.parquet").exists(),
        "no table without all trials"
    );
    let trials = |arm: &str| rows(&sandbox, &["results/queens", "--trials", "--arm", arm]).len();
    assert_eq!((trials("*"), trials("tournament*=0.25"), trials("truncation")), (40, 40, 0));
    // A set, and a pattern; what is there is not run again.
    run(&["--arm", "tournament", "--arm", "*0.5"])
        .says("3 of 5 arms; the others have no trials yet");
    assert_eq!((trials("*"), trials("tournament"), trials("*=0.5")), (120, 80, 80));
    run(&["--repeats", "60", "--arm", "random-search"])
        .says("1 of 5 arms; the others lack trials (they have 120)");
    run(&[]).says("Tables: ");
    same(&sandbox, "results", "whole");
    // All arms are there: the tables stay what they are, and one arm is shown.
    let last = run(&["--arm", "random-search"]).says("Tables: ");
    assert!(!last.stdout.contains("tournament"), "{last}");
    same(&sandbox, "results", "whole");
    // The last arms complete the tables; processes and shards know arms too.
    for arm in ["truncation", "random-search", "tournament"] {
        let isolation = if cfg!(unix) { "process" } else { "thread" };
        run(&["--arm", arm, "--out", "each", "--isolation", isolation]);
    }
    same(&sandbox, "each", "whole");
    for shard in ["1/2", "2/2"] {
        run(&["--shard", shard, "--out", "s", "--arm", "t*"]).says("4 of 5 arms");
        run(&["--shard", shard, "--out", "s", "--arm", "random*"]).says("runner merge");
    }
    let shards = ["s/queens.shard-1-of-2", "s/queens.shard-2-of-2"];
    sandbox.run(&[&["merge", "--out", "m"], &shards[..]].concat()).code(0);
    same(&sandbox, "m", "whole");
}

#[test]
fn arms_are_shown_compared_and_plotted() {
    let sandbox = sandbox();
    sandbox.run(&["queens.toml"]).code(0);
    let run = |line: &str| sandbox.run(&line.split(' ').collect::<Vec<_>>());
    let shown = run("show results/queens --arm *=0.5").code(0).warns("2 of 5 arms");
    assert!(!shown.stdout.contains(" 0.25 ") && !shown.stdout.contains("random-search"), "{shown}");
    // What the summary says of an arm is what it says among all.
    let all = rows(&sandbox, &["results/queens"]);
    let some = rows(&sandbox, &["results/queens", "--arm", "truncation"]);
    assert_eq!(some, all[2..4]);
    run("compare results/queens --arm tournament").code(0).says("0.25").says("0.5");
    let compared = run("compare results/queens --arm tournament --csv").code(0);
    assert_eq!(compared.stdout.lines().count(), 2, "{compared}");
    run("compare results/queens results/queens --arm trunc* --csv").code(0);
    run("compare results/queens --arm random-search").code(2).warns("no two arms");
    let plot = run("plot results/queens --terminal --only success-rate --arm truncation").code(0);
    assert!(!plot.stdout.contains("tournament"), "{plot}");
    run("replay results/queens trunc*=0.25 3").code(0).warns("the same as in the table");
    run("replay results/queens trunc* 3").code(2).warns("there is no single arm called `trunc*`");
}

/// The question is about arms by their places, which change.
#[test]
fn arms_of_a_stopping_rule_are_shown_and_run_alone() {
    let sandbox = Sandbox::new();
    let text = CONFIG.replace("[sweep]\n\"operators.mutation.rate\" = [0.25, 0.5]\n", "");
    let asking = |rule: &str| text.replace("= 40", &format!("= {rule}"));
    for rule in [
        "{ half-width = 0.1, max = 400 }",
        "{ decide = [\"tournament\", \"truncation\"], max = 400 }",
    ] {
        sandbox.write("queens.toml", asking(rule));
        sandbox.run(&["queens.toml", "--out", "whole"]).code(0);
        let out = format!("out-{}", rule.len());
        let run =
            |more: &[&str]| sandbox.run(&[&["queens.toml", "--out", &out], more].concat()).code(0);
        run(&["--arm", "truncation"]).says("1 of 3 arms");
        run(&["--arm", "tr*", "--arm", "to*"]).says("2 of 3 arms");
        run(&[]);
        same(&sandbox, &out, "whole");
        let folder = format!("{out}/queens");
        for arm in ["truncation", "random-search", "t*"] {
            sandbox.run(&["show", &folder, "--arm", arm]).code(0);
        }
        sandbox.run(&["compare", &folder, "--arm", "t*"]).code(0);
    }
}

#[test]
fn patterns_that_mean_no_arm_are_answered_with_the_labels() {
    let sandbox = sandbox();
    sandbox.write("other.toml", CONFIG.replace("tournament\"\npop", "other\"\npop"));
    let line = ["queens.toml", "--arm", "trunkation*"];
    let ran =
        sandbox.run(&line).code(2).warns("--arm: no arm is called `trunkation*`; the arms are");
    assert!(ran.stderr.contains("the arms are `truncation "), "nearest first\n{ran}");
    assert!(!sandbox.path("results").exists(), "nothing was run");
    // Of several files one at least has it; the others are left out.
    sandbox
        .run(&["queens.toml", "other.toml", "--arm", "other"])
        .code(0)
        .warns("queens.toml: no arm of --arm is in it");
    assert!(!sandbox.path("results/queens").exists(), "it was not run");
    sandbox.run(&["show", "results/other", "--arm", "x"]).code(2).warns("no arm is called `x`");
    sandbox.run(&["queens.toml", "--arm", "t*", "--retry-failed"]).code(2).warns("cannot be used");
}
