//! Shards: run twice, even at once, killed, on file systems without locks; each time the bytes of a
//! run on one machine.
#![cfg(target_os = "linux")]

use crate::faults::preloaded;
use crate::python::python;
use crate::util::{Ran, Sandbox, column, eventually, tables};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

/// Trials that take some 40 ms each, on whatever machine: a shard of them can be met on its way.
const SLOW: &str = r#"
seed    = 11
repeats = 60
[problem]
plugin = "faulty"
fault  = "slow"
share  = 1.0
[[operators]]
name       = "tournament"
population = 4
selection  = { kind = "tournament", size = 2 }
mutation   = "bit-flip"
[[operators]]
name       = "random"
algorithm  = "random-search"
population = 4
[stop]
evaluations = 40
on-success  = "continue"
[output]
trace = "best"
"#;

/// A sandbox with the experiment, and its tables of a run on one machine, which is made once.
fn whole() -> (Sandbox, Vec<Vec<u8>>) {
    static WHOLE: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    let sandbox = Sandbox::new();
    sandbox.write("slow.toml", SLOW);
    let tables = WHOLE.get_or_init(|| {
        // Each trial waits: more of them than cores.
        sandbox.run(&["slow.toml", "--out", "whole", "--jobs", "8"]).code(0);
        tables(&sandbox, "whole/slow")
    });
    (sandbox, tables.clone())
}

/// The same with trials that take no time, for what no other run meets on its way. Its tables are
/// in the folder `whole` too.
fn quick() -> (Sandbox, Vec<Vec<u8>>) {
    let sandbox = Sandbox::new();
    let quick = SLOW.replace("\"slow\"", "\"nan\"").replace("share  = 1.0", "share  = 0.0");
    sandbox.write("slow.toml", quick);
    sandbox.run(&["slow.toml", "--out", "whole"]).code(0);
    let tables = tables(&sandbox, "whole/slow");
    (sandbox, tables)
}

fn shard(sandbox: &Sandbox, number: u32) -> Command {
    let mut command = sandbox.command();
    // A run is more than one process; signals are for all of them.
    command.process_group(0);
    let shard = format!("{number}/2");
    command.args(["slow.toml", "--out", "s", "--jobs", "1", "--progress", "none"]);
    command.args(["--shard", &shard]).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn merged(sandbox: &Sandbox, out: &str) -> Vec<Vec<u8>> {
    let shards = ["s/slow.shard-1-of-2", "s/slow.shard-2-of-2"];
    sandbox.run(&[&["merge", "--out", out], &shards[..]].concat()).code(0);
    tables(sandbox, &format!("{out}/slow"))
}

/// What stands in the first shard's folder.
fn home(sandbox: &Sandbox) -> PathBuf {
    sandbox.path("s/slow.shard-1-of-2")
}

fn attempts(sandbox: &Sandbox) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(home(sandbox).join("attempts"));
    entries.map_or_else(|_| Vec::new(), |found| found.flatten().map(|one| one.path()).collect())
}

/// Waits until an attempt has kept trials.
fn wait_for_trials(sandbox: &Sandbox) {
    let journal = |attempt: PathBuf| std::fs::metadata(attempt.join("parts/journal"));
    let has_trials = |attempt: PathBuf| journal(attempt).is_ok_and(|file| file.len() > 0);
    eventually("trials are kept", || attempts(sandbox).into_iter().any(has_trials));
}

fn signal(child: &Child, name: &str) {
    let group = format!("-{}", child.id());
    let sent = Command::new("kill").args([name, "--", &group]).status().expect("there is a kill");
    assert!(sent.success());
}

fn ended(child: Child) -> Ran {
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let (out, errors) = (text(output.stdout), text(output.stderr));
    Ran::of("the first run of the shard".to_owned(), output.status.code(), out, errors)
}

#[test]
fn a_shard_may_run_twice_at_the_same_moment() {
    let (sandbox, whole) = whole();
    let both = [1, 2].map(|_| shard(&sandbox, 1).spawn().expect("the binary starts"));
    both.into_iter().for_each(|child| _ = ended(child).code(0).says("shard 1/2"));
    shard(&sandbox, 2).status().expect("it runs");
    assert!(merged(&sandbox, "m") == whole);
    assert!(attempts(&sandbox).is_empty(), "attempts are left");
    // A shard that is done is done: nothing is run, and nothing changes.
    let part = home(&sandbox).join("parts/whole");
    let before = std::fs::metadata(&part).expect("a part").modified().expect("a time");
    ended(shard(&sandbox, 1).spawn().expect("the binary starts")).code(0);
    assert_eq!(std::fs::metadata(&part).expect("a part").modified().expect("a time"), before);
    sandbox.run(&["report", "s/slow.shard-1-of-2", "--out", "shard.html"]).code(0);
    let page = String::from_utf8(sandbox.read("shard.html")).expect("UTF-8");
    assert!(page.contains("those of shard 1 of 2.") && !page.contains("Unfinished:"));
}

/// Runs that end at about the same moment remove each other's folders while they write.
#[test]
fn runs_of_a_shard_may_end_at_the_same_moment() {
    let (sandbox, whole) = quick();
    for _ in 0..12 {
        let runs = [1, 1, 1, 1, 2, 2].map(|number| shard(&sandbox, number));
        let runs = runs.map(|mut run| run.spawn().expect("the binary starts"));
        runs.into_iter().for_each(|child| _ = ended(child).code(0));
        assert!(merged(&sandbox, "m") == whole);
        assert!(attempts(&sandbox).is_empty(), "attempts are left");
        for out in ["s", "m"] {
            std::fs::remove_dir_all(sandbox.path(out)).expect("a folder");
        }
    }
}

#[test]
fn a_run_that_was_taken_for_dead_finds_its_shard_done() {
    let (sandbox, whole) = whole();
    // As where a node loses its daemon: the task goes on, and is started elsewhere too.
    let lost = shard(&sandbox, 1).spawn().expect("the binary starts");
    wait_for_trials(&sandbox);
    signal(&lost, "-STOP");
    ended(shard(&sandbox, 1).spawn().expect("the binary starts")).code(0);
    let done = std::fs::read(home(&sandbox).join("parts/whole")).expect("done");
    signal(&lost, "-CONT");
    ended(lost).code(0).warns("another run of this shard was done first");
    let after = std::fs::read(home(&sandbox).join("parts/whole")).expect("done");
    assert!(done == after);
    shard(&sandbox, 2).status().expect("it runs");
    assert!(merged(&sandbox, "m") == whole);
}

/// A run with another seed, in the same folder at the same time, is no run of the same shard.
#[test]
fn a_run_with_another_seed_does_not_take_a_shard_for_done() {
    let (sandbox, _) = whole();
    let other = |number| {
        let mut command = shard(&sandbox, number);
        command.args(["--seed", "77"]);
        command
    };
    let run = other(1).spawn().expect("the binary starts");
    wait_for_trials(&sandbox);
    signal(&run, "-STOP");
    ended(shard(&sandbox, 1).spawn().expect("the binary starts")).code(0);
    signal(&run, "-CONT");
    let run = ended(run).code(0).says("shard 1/2");
    assert!(!run.stderr.contains("was done first"), "{run}");
    ended(other(2).spawn().expect("the binary starts")).code(0);
    merged(&sandbox, "m");
    let trials = sandbox.run(&["show", "m/slow", "--trials", "--json"]).code(0).stdout;
    sandbox.run(&["slow.toml", "--seed", "77", "--out", "w", "--jobs", "8"]).code(0);
    let expected = sandbox.run(&["show", "w/slow", "--trials", "--json"]).code(0).stdout;
    assert_eq!(trials, expected);
    // The trials of the other run are kept.
    let superseded = std::fs::read_dir(home(&sandbox).join("superseded")).expect("a folder");
    assert!(superseded.flatten().any(|folder| folder.path().join("whole").is_file()));
}

#[test]
fn shards_of_an_earlier_seed_are_missing() {
    let (sandbox, _) = quick();
    for number in ["1/2", "2/2"] {
        sandbox.run(&["slow.toml", "--shard", number]).code(0);
    }
    let submit = ["submit", "parallel", "slow.toml", "--seed", "12"];
    sandbox.run(&[&submit[..], &["--shards", "2"]].concat()).code(0);
    sandbox.run(&["status", "results/slow"]).code(1).says("2 missing; 0 of 120 trials");
    let missing = sandbox.run(&[&submit[..], &["--missing"]].concat()).code(0);
    assert!(!missing.stdout.contains("done"), "{missing}");
}

#[test]
fn a_shard_goes_on_from_what_a_killed_run_of_it_left() {
    let (sandbox, whole) = whole();
    let mut killed = shard(&sandbox, 1).spawn().expect("the binary starts");
    wait_for_trials(&sandbox);
    signal(&killed, "-KILL");
    killed.wait().expect("gone");
    let show = sandbox.run(&["show", "s/slow.shard-1-of-2", "--json"]).code(0);
    let show =
        show.warns("shard 1 of 2, of 60 trials per arm; the figures are of its trials alone");
    let rows: Vec<serde_json::Value> = serde_json::from_str(&show.stdout).expect("JSON");
    let before: u64 = rows.iter().filter_map(|row| row["trials"].as_u64()).sum();
    assert!(before > 0, "{show}");
    ended(shard(&sandbox, 1).spawn().expect("the binary starts")).code(0);
    let runs = String::from_utf8(sandbox.read("s/slow.shard-1-of-2/run.toml")).expect("UTF-8");
    let runs: toml::Table = runs.parse().expect("TOML");
    let last = runs["runs"].as_array().and_then(|runs| runs.last()).expect("a run");
    let found = last["trials-before"].as_integer().expect("a number");
    assert!(found >= before as i64, "it began with {found} of {before} trials");
    shard(&sandbox, 2).status().expect("it runs");
    assert!(merged(&sandbox, "m") == whole);
}

/// Two runs of a shard that are killed leave two journals of one name. Both are kept where another
/// seed does not ask for them.
#[test]
fn the_journals_of_all_killed_runs_are_kept() {
    let (sandbox, _) = whole();
    let mut sizes = Vec::new();
    let both = [1, 2].map(|_| shard(&sandbox, 1).spawn().expect("the binary starts"));
    let has_trials = |attempt: &PathBuf| {
        std::fs::metadata(attempt.join("parts/journal")).is_ok_and(|file| file.len() > 0)
    };
    let all_have = || attempts(&sandbox).iter().filter(|one| has_trials(one)).count() == 2;
    eventually("both runs have kept trials", all_have);
    for mut child in both {
        signal(&child, "-KILL");
        child.wait().expect("gone");
    }
    for attempt in attempts(&sandbox) {
        sizes.push(std::fs::metadata(attempt.join("parts/journal")).expect("a journal").len());
    }
    let mut other = shard(&sandbox, 1);
    other.args(["--seed", "77", "--repeats", "2"]);
    ended(other.spawn().expect("the binary starts")).code(0);
    let parts = home(&sandbox).join("superseded/001/parts");
    let size = |name: &str| std::fs::metadata(parts.join(name)).map_or(0, |file| file.len());
    let mut kept = [size("journal"), size("journal-2")];
    kept.sort_unstable();
    sizes.sort_unstable();
    assert_eq!(kept.to_vec(), sizes);
    assert!(size("plan.json") > 0, "the plan says what these trials are");
}

#[test]
fn a_merge_that_was_killed_leaves_no_folder_in_the_way() {
    let (sandbox, whole) = quick();
    [1, 2].iter().for_each(|number| _ = shard(&sandbox, *number).status().expect("it runs"));
    let left = sandbox.path("m/slow/.unfinished-0123456789abcdef");
    std::fs::create_dir_all(left.join("trials")).expect("a folder");
    std::fs::write(left.join("trials/0.parquet"), "half").expect("a file");
    assert!(merged(&sandbox, "m") == whole);
    assert!(!left.exists());
}

#[test]
fn shards_and_their_merge_need_no_locks_and_map_no_file() {
    let (sandbox, whole) = quick();
    let library = preloaded("nolocks.c", &sandbox.path(""));
    let deny = |mut command: Command, under: &str| {
        command.env("LD_PRELOAD", &library).env("UNDER", under);
        Ran::new(&mut command)
    };
    let mut pair = [1, 2].map(|_| shard(&sandbox, 1));
    pair.iter_mut().for_each(|one| _ = one.env("LD_PRELOAD", &library).env("UNDER", "shard-"));
    let pair = pair.map(|mut one| one.spawn().expect("the binary starts"));
    pair.into_iter().for_each(|child| _ = ended(child).code(0));
    deny(shard(&sandbox, 2), "shard-").code(0);
    let mut merge = sandbox.command();
    merge.args(["merge", "--out", "m", "s/slow.shard-1-of-2", "s/slow.shard-2-of-2"]);
    deny(merge, ".parquet").code(0).warns("the file system has no locks");
    assert!(tables(&sandbox, "m/slow") == whole);
    // The shim does what it says: with locks there is no such notice.
    assert!(merged(&sandbox, "n") == whole);
}

#[test]
fn tables_in_pieces_say_what_tables_in_files_say() {
    let (sandbox, _) = quick();
    [1, 2].iter().for_each(|number| _ = shard(&sandbox, *number).status().expect("it runs"));
    let merge = |more: &[&str]| {
        let shards = ["merge", "s/slow.shard-1-of-2", "s/slow.shard-2-of-2"];
        sandbox.run(&[&shards[..], more].concat())
    };
    merge(&["--out", "p", "--partitioned"]).code(0).says("p/slow/*/*.parquet");
    let output = |arguments: &[&str]| sandbox.run(arguments).code(0).stdout;
    for command in [&["show", "--json"][..], &["compare", "--json"], &["runtimes", "--json"]] {
        let of = |folder| output(&[command, &[folder]].concat());
        assert_eq!(of("p/slow"), of("whole/slow"), "{command:?}");
    }
    sandbox.run(&["verify", "p/slow", "--trials", "5"]).code(0);
    // Done once more, as by a job that was started again, it is the same.
    merge(&["--out", "p", "--partitioned"]).code(0);
    let pieces = std::fs::read_dir(sandbox.path("p/slow/trials")).expect("pieces").count();
    assert_eq!(pieces, 2);
    // A shard that is given twice is one piece. Each run is noted once.
    sandbox.run(&["slow.toml", "--out", "t", "--shard", "1/2"]).code(0);
    merge(&["--out", "q", "--partitioned", "t/slow.shard-1-of-2"]).code(0);
    let rows = |folder: &str| {
        let entries = std::fs::read_dir(sandbox.path(folder)).expect("pieces").flatten();
        let paths: Vec<PathBuf> = entries.map(|piece| piece.path()).collect();
        paths.iter().map(|path| column(path, "trial").len()).sum::<usize>()
    };
    assert_eq!((rows("q/slow/trials"), rows("q/slow/timings")), (120, 120));
    assert_eq!(rows("q/slow/generations"), rows("p/slow/generations"));
    let runs: toml::Table =
        String::from_utf8(sandbox.read("q/slow/run.toml")).expect("UTF-8").parse().expect("TOML");
    assert_eq!(runs["runs"].as_array().expect("runs").len(), 3);
    // Files are not written beside pieces, nor pieces beside files, which stay as they are.
    merge(&["--out", "p"]).code(4).warns("its tables are in pieces");
    merge(&["--out", "whole", "--partitioned"]).code(4).warns("trials of its own");
    sandbox.run(&["show", "whole/slow"]).code(0).says("Results: r1-");
    let run = ["slow.toml", "--out", "p", "--progress", "none"];
    sandbox.run(&run).code(4).warns("cannot be gone on with");
}

/// As docs/analysis.md has it: one table to Polars and DuckDB, which read no more of it than they
/// need.
#[test]
fn other_tools_read_tables_in_pieces_as_one() {
    let Some(python) = python("polars, duckdb") else { return };
    let (sandbox, _) = quick();
    [1, 2].iter().for_each(|number| _ = shard(&sandbox, *number).status().expect("it runs"));
    let shards = ["s/slow.shard-1-of-2", "s/slow.shard-2-of-2"];
    sandbox.run(&[&["merge", "--partitioned"], &shards[..]].concat()).code(0);
    let text = crate::util::document("docs/analysis.md");
    let snippets: Vec<&str> = text
        .split("```python\n")
        .skip(1)
        .filter_map(|rest| rest.split_once("\n```").map(|(snippet, _)| snippet))
        .filter(|snippet| snippet.contains("results/NAME/trials"))
        .collect();
    assert_eq!(snippets.len(), 2, "one of Polars and one of DuckDB");
    for snippet in snippets {
        let script = format!("{}\nprint('sum', total)\n", snippet.replace("NAME", "slow"));
        let ran =
            Ran::new(Command::new(&python).args(["-c", &script]).current_dir(sandbox.path("")));
        let counted = ran.code(0).stdout;
        assert!(counted.contains("sum 120"), "{counted}");
    }
}
