//! `--time-limit`: a run that ends by the clock has even arms and goes on to the same bytes. Limits
//! are over at once, never reached, or far shorter than the run on any machine.

use crate::util::{Sandbox, rows, tables};

const CONFIG: &str = r#"
repeats = 50
[problem]
plugin = "onemax"
length = 12
[[operators]]
name = "chance"
algorithm = "random-search"
population = 10
[[operators]]
name       = "ga"
population = 10
selection  = "tournament"
mutation   = "bit-flip"
[stop]
generations = 10
"#;

const ENDED: &str =
    "The time limit is reached; finished trials are saved. Run the same command again to continue.";

#[test]
fn a_limit_that_is_over_at_once_or_never_reached_changes_no_bytes() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", CONFIG);
    let out = |out: &'static str| ["x.toml", "--progress", "plain", "--out", out];
    sandbox.run(&out("whole")).code(0);
    for isolation in ["thread", "process"] {
        let arguments = [&out("cut")[..], &["--isolation", isolation]].concat();
        // The clock has moved on since the start.
        let limited = [&arguments[..], &["--time-limit", "0.000000001"]].concat();
        let ran = sandbox.run(&limited).code(130);
        assert!(ran.stderr.contains(ENDED), "{ran}");
        assert!(!sandbox.path("cut/x/trials.parquet").exists());
        let ran = sandbox.run(&[&arguments[..], &["--time-limit", "365d"]].concat()).code(0);
        assert!(!ran.stderr.contains("time limit"), "{ran}");
        assert!(tables(&sandbox, "cut/x") == tables(&sandbox, "whole/x"), "{isolation}");
        // Nothing is missing any more.
        sandbox.run(&limited).code(0);
        std::fs::remove_dir_all(sandbox.path("cut")).expect("a folder");
    }
    // The second experiment is not reached.
    sandbox.write("y.toml", CONFIG);
    let both = ["x.toml", "y.toml", "--out", "two", "--time-limit", "0.000000001"];
    sandbox.run(&both).code(130);
    assert!(!sandbox.path("two/y").exists());
}

#[test]
fn a_limit_within_a_run_leaves_even_arms() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", CONFIG);
    sandbox.run(&["x.toml", "--out", "whole", "--progress", "none"]).code(0);
    let endless = ["--repeats", "100000000", "--time-limit", "0.5s"];
    let ran = sandbox.run(&[&["x.toml", "--progress", "json"], &endless[..]].concat()).code(130);
    assert!(ran.stderr.contains("\"interrupted\":true"), "{ran}");
    assert!(ran.stderr.contains(ENDED), "{ran}");
    let summary = rows(&sandbox, &["results/x"]);
    assert_eq!(summary[0]["trials"], summary[1]["trials"], "{summary:?}");
    // More or fewer trials than these, as fast as the machine is.
    sandbox.run(&["x.toml", "--progress", "none"]).code(0);
    assert!(tables(&sandbox, "results/x") == tables(&sandbox, "whole/x"));
}

#[test]
fn a_stopping_rule_goes_on_after_a_limit() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", CONFIG.replace("50", "{ half-width = 0.1, max = 2000 }"));
    sandbox.run(&["x.toml", "--out", "whole", "--progress", "none"]).code(0);
    sandbox.run(&["x.toml", "--progress", "none", "--time-limit", "0.000000001"]).code(130);
    sandbox.run(&["x.toml", "--progress", "none"]).code(0);
    assert!(tables(&sandbox, "results/x") == tables(&sandbox, "whole/x"));
}

#[test]
fn a_limit_is_a_time() {
    let sandbox = Sandbox::new();
    for wrong in ["0", "2w", "soon", "-1"] {
        let ran = sandbox.run(&["x.toml", &format!("--time-limit={wrong}")]).code(2);
        assert!(ran.stderr.contains("such as 90s, 10m or 2h"), "{ran}");
    }
}
