//! Failed trials run again once their plugin is mended.

use crate::util::{Ran, Sandbox, plugins, rows, sized, wait_for_lock};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

const TABLES: [&str; 3] = ["summary", "trials", "generations"];

/// Two arms of which many trials fail, unless the plugin is mended.
fn config(more: &str) -> String {
    format!(
        "seed = 3\nrepeats = 60\n{more}\n[problem]\nplugin = \"faulty\"\nfault = \
        \"error-evaluate\"\nlength = 12\nshare = 0.01\n[[operators]]\nname = \"ga\"\npopulation = \
        8\nselection = \"uniform\"\nmutation = \"bit-flip\"\n[stop]\ngenerations = 10\n[output]\n\
        trace = \"best\"\n[sweep]\n\"operators.population\" = [8, 12]\n"
    )
}

fn runner(sandbox: &Sandbox, mended: bool, arguments: &[&str]) -> Ran {
    let mut command = sandbox.command();
    if mended {
        command.env("FAULTY_IS_MENDED", "1");
    }
    Ran::new(command.args(arguments))
}

#[track_caller]
fn same(sandbox: &Sandbox, one: &str, other: &str) {
    for table in TABLES {
        let of = |folder: &str| sandbox.read(&format!("{folder}/{table}.parquet"));
        assert!(of(one) == of(other), "{table} differs");
    }
}

fn outcomes(sandbox: &Sandbox, folder: &str, outcome: &str) -> usize {
    let trials = rows(sandbox, &[folder, "--trials"]);
    trials.iter().filter(|trial| trial["outcome"] == outcome).count()
}

/// Rows of the tables of this kind in `superseded/`.
fn superseded(sandbox: &Sandbox, folder: &str, table: &str) -> usize {
    let pattern = sandbox.path(format!("{folder}/superseded/*/{table}*.parquet"));
    let found = glob::glob(&pattern.to_string_lossy()).expect("a pattern").flatten();
    found.map(|path| crate::util::column(&path, "trial").len()).sum()
}

#[test]
fn failed_trials_run_again_and_give_the_bytes_of_a_run_from_the_start() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", config(""));
    runner(&sandbox, true, &["x.toml", "--out", "whole"]).code(0);
    runner(&sandbox, false, &["x.toml"]).code(1);
    let failed = outcomes(&sandbox, "results/x", "failed");
    assert!((10..110).contains(&failed), "{failed}");
    // Without the flag they stay, and the user hears of them.
    runner(&sandbox, true, &["x.toml"])
        .code(1)
        .warns(&format!("{failed} trials of earlier runs failed, crashed or timed out"))
        .warns("--retry-failed runs them again");
    assert_eq!(superseded(&sandbox, "results/x", "trials"), 0);
    // Still broken: the same trials fail again.
    // A gate does not take the trials that are to run again for trials that never were.
    crate::util::copy(&sandbox.path("results"), &sandbox.path("stopped"));
    let stopped = ["x.toml", "--retry-failed", "--out", "stopped", "--time-limit", "0.001s"];
    runner(&sandbox, false, &stopped).code(130);
    let gate = sandbox.run(&["gate", "stopped/x", "--at-least", "success_rate>=0"]);
    assert!(gate.stderr.contains("with lower numbers than others are missing"), "{gate}");
    runner(&sandbox, false, &["x.toml", "--retry-failed"]).code(1);
    assert_eq!(outcomes(&sandbox, "results/x", "failed"), failed);
    runner(&sandbox, true, &["x.toml", "--retry-failed"])
        .code(0)
        .warns(&format!("{failed} trials moved to "))
        .warns("superseded/002: they failed, crashed or timed out, and are run again");
    same(&sandbox, "results/x", "whole/x");
    assert_eq!(superseded(&sandbox, "results/x", "trials"), 2 * failed);
    runner(&sandbox, true, &["x.toml", "--retry-failed"]).code(0).warns("has nothing to run again");
    // On a new folder there is nothing to say.
    let ran = runner(&sandbox, true, &["x.toml", "--retry-failed", "--out", "new"]).code(0);
    assert!(!ran.stderr.contains("--retry-failed"), "{ran}");
    same(&sandbox, "new/x", "whole/x");
}

#[test]
fn all_trials_may_have_failed() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", config("").replace("share = 0.01", "share = 1.0"));
    runner(&sandbox, true, &["x.toml", "--out", "whole"]).code(0);
    runner(&sandbox, false, &["x.toml", "--keep-going"]).code(1);
    assert_eq!(outcomes(&sandbox, "results/x", "failed"), 120);
    // The page shows the first error, for there is nothing else.
    #[cfg(unix)]
    {
        let server = crate::serve::Server::start(&sandbox, &[]);
        let read = server.json("/api/experiments/x");
        assert_eq!((&read["state"], &read["trials"]), (&"finished".into(), &120.into()), "{read}");
        assert!(read["error"].as_str().is_some_and(|words| words.contains("evaluate")), "{read}");
    }
    runner(&sandbox, true, &["x.toml", "--retry-failed"]).code(0);
    same(&sandbox, "results/x", "whole/x");
    assert_eq!(superseded(&sandbox, "results/x", "trials"), 120);
}

#[cfg(unix)]
#[test]
fn crashed_and_timed_out_trials_run_again() {
    for (fault, outcome) in [("abort", "crashed"), ("endless", "timed-out")] {
        let sandbox = Sandbox::new();
        let text = config("").replace("error-evaluate", fault);
        let text = text.replace("share = 0.01", "share = 0.001");
        sandbox.write("x.toml", text.replace("[stop]", "[stop]\ntrial-seconds = 3"));
        let run = |mended: bool, more: &[&str]| {
            let line = [&["x.toml", "--isolation", "process"], more].concat();
            runner(&sandbox, mended, &line)
        };
        run(true, &["--out", "whole"]).code(0);
        run(false, &[]);
        assert!(outcomes(&sandbox, "results/x", outcome) > 0, "{fault}");
        run(true, &["--retry-failed"]).code(0);
        same(&sandbox, "results/x", "whole/x");
    }
}

/// Killed at some moment of the retry, the next run, which does not ask for it, ends with
/// the bytes of a mended run or still has the failed trials with all their rows.
#[cfg(unix)]
#[test]
fn a_retry_that_is_killed_loses_nothing_and_mixes_nothing() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", config(""));
    runner(&sandbox, true, &["x.toml", "--out", "whole"]).code(0);
    runner(&sandbox, false, &["x.toml", "--out", "failed"]).code(1);
    let rounds = sized(6, 12);
    for round in 0..rounds {
        let out = format!("out-{round}");
        runner(&sandbox, false, &["x.toml", "--out", &out]).code(1);
        let mut command = sandbox.command();
        command.env("FAULTY_IS_MENDED", "1").args(["x.toml", "--retry-failed", "--out", &out]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut run = command.spawn().expect("it starts");
        std::thread::sleep(Duration::from_millis(180 / rounds * round));
        run.kill().expect("it can be killed");
        run.wait().expect("it ends");
        let folder = format!("{out}/x");
        wait_for_lock(&sandbox.path(&folder));
        let ended = runner(&sandbox, true, &["x.toml", "--out", &out]);
        let like = if ended.code == Some(0) { "whole/x" } else { "failed/x" };
        same(&sandbox, &folder, like);
        if ended.code == Some(0) {
            let (away, failed) =
                (superseded(&sandbox, &folder, "trials"), outcomes(&sandbox, "failed/x", "failed"));
            assert!(away >= failed, "{away} of {failed} rows are kept");
        }
    }
    // Whether a kill fell between the rows and the marker depends on the machine. Here it did.
    std::fs::create_dir_all(sandbox.path("failed/x/parts")).expect("a folder");
    sandbox.write("failed/x/parts/retrying", "");
    runner(&sandbox, true, &["x.toml", "--out", "failed"]).code(0);
    same(&sandbox, "failed/x", "whole/x");
}

/// Another build under the same version is only taken when asked, and the tables name both.
#[test]
fn a_mended_build_is_accepted_by_name_only() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", config(""));
    let name = format!("{}faulty{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let library = std::fs::read(Path::new(plugins()).join(&name)).expect("the plugin");
    sandbox.write(&format!("own/{name}"), &library);
    let run = |mended: bool, more: &[&str]| {
        runner(&sandbox, mended, &[&["x.toml", "--plugin-dir", "own"], more].concat())
    };
    run(false, &[]).code(1);
    let failed = outcomes(&sandbox, "results/x", "failed");
    sandbox.write(&format!("own/{name}"), [&library[..], b"mended"].concat());
    run(true, &["--out", "whole"]).code(0);
    // Refused before anything is moved.
    run(true, &["--retry-failed"]).code(3).warns("--accept-plugin-change");
    assert_eq!(superseded(&sandbox, "results/x", "trials"), 0);
    assert_eq!(outcomes(&sandbox, "results/x", "failed"), failed);
    run(true, &["--retry-failed", "--accept-plugin-change"]).code(0);
    let trials = |folder: &str| sandbox.run(&["show", folder, "--trials", "--csv"]).code(0).stdout;
    assert_eq!(trials("results/x"), trials("whole/x"));
    // Once nothing of the old build is left, nothing is to be accepted.
    sandbox.write("x.toml", config("").replace("share = 0.01", "share = 1.0"));
    sandbox.write(&format!("own/{name}"), &library);
    run(false, &["--out", "all"]).code(1);
    sandbox.write(&format!("own/{name}"), [&library[..], b"mended"].concat());
    run(true, &["--out", "all", "--retry-failed"]).code(0);
    run(true, &["--out", "fresh"]).code(0);
    same(&sandbox, "all/x", "fresh/x");
}

#[test]
fn shards_are_retried_and_merged_over_what_was_merged_before() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", config(""));
    runner(&sandbox, true, &["x.toml", "--out", "whole"]).code(0);
    let shards = ["1/2", "2/2"];
    let folders = ["s/x.shard-1-of-2", "s/x.shard-2-of-2"];
    let merge = || runner(&sandbox, true, &[&["merge", "--out", "m"], &folders[..]].concat());
    for shard in shards {
        runner(&sandbox, false, &["x.toml", "--shard", shard, "--out", "s"]).code(0);
    }
    merge().code(1);
    for shard in shards {
        runner(&sandbox, true, &["x.toml", "--shard", shard, "--out", "s", "--retry-failed"])
            .code(0)
            .warns("are run again (--retry-failed)");
    }
    merge().code(0).warns("are run again");
    same(&sandbox, "m/x", "whole/x");
    merge().code(0);
    same(&sandbox, "m/x", "whole/x");
}

#[test]
fn a_decided_experiment_decides_anew() {
    let sandbox = Sandbox::new();
    let text = config("").replace("repeats = 60", "repeats = { half-width = 0.1, max = 400 }");
    sandbox.write("x.toml", text.replace("generations = 10", "generations = 10\nfitness = 3"));
    runner(&sandbox, true, &["x.toml", "--out", "whole"]).code(0);
    runner(&sandbox, false, &["x.toml"]).code(1);
    let trials = |folder: &str| rows(&sandbox, &[folder, "--trials"]).len();
    assert_ne!(trials("results/x"), trials("whole/x"));
    runner(&sandbox, true, &["x.toml", "--retry-failed"]).code(0);
    same(&sandbox, "results/x", "whole/x");
}

/// Counts the ones. Where there is a file `edit`, it edits its own file and ends.
#[cfg(unix)]
const EDITED: &str = r#"import os
from runner import Bits

class Problem:
    def describe(self):
        return Bits(8, ideal=0)

    def fitness(self, genome):
        try:
            os.remove("edit")
        except FileNotFoundError:
            pass
        else:
            with open(__file__, "a") as file:
                file.write('#edited')
            os._exit(1)
        return sum(genome)
"#;

/// A program that must be started anew does not run from an edited file: the run ends, and no trial
/// counts as failed for it.
#[cfg(unix)]
#[test]
fn a_program_that_is_edited_while_it_runs_ends_the_run() {
    if crate::python::python("sys").is_none() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.write("ones.py", EDITED);
    sandbox.write(
        "x.toml",
        "seed = 1\nrepeats = 200\n[problem]\nplugin = \"ones.py\"\n[[operators]]\npopulation = 8\n\
        selection = \"uniform\"\nmutation = \"bit-flip\"\n[stop]\nevaluations = 100\n\
        [output]\ntrace = \"best\"\n",
    );
    sandbox.run(&["x.toml", "--out", "whole"]).code(0);
    for isolation in ["thread", "process"] {
        _ = std::fs::remove_dir_all(sandbox.path("results"));
        let run = ["x.toml", "--isolation", isolation, "--jobs", "2"];
        // The first trials are there already, so that the run would go on.
        sandbox.run(&[&run[..], &["--repeats", "20"]].concat()).code(0);
        sandbox.write("edit", "");
        // A worker process that is started anew may notice it before the program is.
        sandbox.run(&run).code(3).warns("changed").warns("finished trials are saved");
        sandbox.write("ones.py", EDITED);
        // The trial whose process ended has failed, unless the run ended before it was kept.
        sandbox.run(&run);
        let failed = ["failed", "crashed"].map(|one| outcomes(&sandbox, "results/x", one));
        assert!(failed.iter().sum::<usize>() <= 1, "{isolation}: {failed:?}");
        sandbox.run(&[&run[..], &["--retry-failed"]].concat()).code(0);
        same(&sandbox, "results/x", "whole/x");
    }
}

/// A trial that failed in the run alone is not blamed on a machine.
#[test]
fn verify_says_that_trials_failed_in_the_run_alone() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", config(""));
    runner(&sandbox, false, &["x.toml"]).code(1);
    runner(&sandbox, true, &["verify", "results/x", "--all"])
        .code(1)
        .says("outcome failed in the table")
        .says("why: the plugin failed in the run, and does not fail here");
}
