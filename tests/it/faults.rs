//! A system that errs: calls that fail, are cut short or kill the process, files that are damaged
//! or of elsewhere. Whatever happens, a run ends with the tables of an undisturbed one, or says in
//! words that it did not, and loses nothing sound.

use crate::util::{Ran, Sandbox, copy, number, root, sized, tables};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Short trials of two arms, with a trace.
pub(crate) const SMALL: &str = r#"
seed    = 5
repeats = 40
[problem]
plugin = "nqueens"
[[operators]]
name        = "tournament"
population  = 10
selection   = { kind = "tournament", size = 2 }
crossover   = "one-point"
mutation    = { kind = "reset", rate = 0.5 }
[stop]
generations = 10
[sweep]
"problem.n" = [6, 8]
[output]
trace = "best"
"#;

/// A file of tests/fixtures/c as a library in `folder`, to be preloaded.
pub(crate) fn preloaded(source: &str, folder: &Path) -> PathBuf {
    let library = folder.join(source).with_extension("so");
    let built = Command::new("cc")
        .args(["-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(root().join("tests/fixtures/c").join(source))
        .arg("-ldl")
        .output()
        .expect("there is a C compiler");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    library
}

/// The library of tests/fixtures/c/fault.c.
pub(crate) fn shim() -> &'static Path {
    static BUILT: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    let (_, library) = BUILT.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let library = preloaded("fault.c", folder.path());
        (folder, library)
    });
    library
}

/// A command on a system that errs at one call on files below `under`, however their paths begin.
pub(crate) fn faulty(sandbox: &Sandbox, under: &str, call: &str, nth: u64, how: &str) -> Command {
    let mut command = sandbox.command();
    command.env("LD_PRELOAD", shim()).env("FAULT_UNDER", under).env("FAULT_CALL", call);
    command.env("FAULT_NTH", nth.to_string()).env("FAULT_HOW", how);
    command
}

/// The calls that a command makes on the files that its faults are meant for.
fn count_calls(sandbox: &Sandbox, command: &mut Command) -> u64 {
    _ = std::fs::remove_file(sandbox.path("count"));
    Ran::new(command.env("FAULT_COUNT", sandbox.path("count"))).code(0);
    // No file: there was no call.
    std::fs::read_to_string(sandbox.path("count")).map_or(0, |text| text.parse().expect("a number"))
}

/// Whether the system ended a command by SIGKILL, or the part of it that does the work.
pub(crate) fn is_killed(ran: &Ran) -> bool {
    matches!(ran.code, None | Some(137))
}

/// Trials that the last run in a folder found there.
fn found_before(sandbox: &Sandbox, folder: &str) -> u64 {
    let text = String::from_utf8(sandbox.read(&format!("{folder}/run.toml"))).expect("UTF-8");
    let line = text.lines().rfind(|line| line.starts_with("trials-before = ")).expect("a run");
    line.rsplit(' ').next().and_then(|number| number.parse().ok()).expect("a number")
}

/// Folders that a run or a merge starts from, the commands that end in the tables `out/small`, and
/// the trials that each has.
struct Start {
    name: &'static str,
    arguments: &'static [&'static str],
    trials: u64,
}

const STARTS: [Start; 5] = [
    Start { name: "nothing", arguments: &["small.toml", "--out", "out"], trials: 0 },
    Start { name: "tables", arguments: &["small.toml", "--out", "out"], trials: 26 },
    Start { name: "parts", arguments: &["small.toml", "--out", "out", "--jobs", "2"], trials: 40 },
    Start {
        name: "shards",
        arguments: &[
            "merge",
            "shards/small.shard-1-of-2",
            "shards/small.shard-2-of-2",
            "--out",
            "out",
        ],
        trials: 0,
    },
    Start { name: "question", arguments: &["asking/small.toml", "--out", "out"], trials: 60 },
];

/// Makes these folders below `starts/`, and the tables that each must end in below `whole/`.
pub(crate) fn prepare(sandbox: &Sandbox) {
    sandbox.write("small.toml", SMALL);
    let asking = "repeats = { half-width = 0.3, max = 30 }";
    sandbox.write("asking/small.toml", SMALL.replace("repeats = 40", asking));
    let start = |name: &str, more: &[&str]| {
        let out = format!("starts/{name}/out");
        sandbox.run(&[&["small.toml", "--progress", "none", "--out", &out], more].concat()).code(0);
    };
    std::fs::create_dir_all(sandbox.path("starts/nothing")).expect("a folder");
    start("tables", &["--repeats", "13"]);
    // Two runs that were killed when their trials were done: tables of an earlier run, a segment
    // that the second one made of the journal of the first one, and a journal.
    start("parts", &["--repeats", "13"]);
    for repeats in ["16", "20"] {
        let mut killed = faulty(sandbox, "starts/parts", "rename", 4, "kill");
        let killed = Ran::new(killed.args([
            "small.toml",
            "--repeats",
            repeats,
            "--out",
            "starts/parts/out",
        ]));
        assert!(is_killed(&killed), "{killed}");
    }
    for shard in ["1/2", "2/2"] {
        sandbox.run(&["small.toml", "--shard", shard, "--out", "starts/shards/shards"]).code(0);
    }
    start("question", &[]);
    sandbox.run(&["small.toml", "--out", "whole"]).code(0);
    sandbox.run(&["asking/small.toml", "--out", "asked"]).code(0);
}

/// Calls that can fail.
const CALLS: [&str; 13] = [
    "open",
    "read",
    "write",
    "fsync",
    "rename",
    "ftruncate",
    "lseek",
    "unlink",
    "mkdir",
    "stat",
    "list",
    "copy",
    "mmap",
];

/// How they fail, as errno.h numbers it: EINTR, EIO, ENOMEM, EACCES, ENFILE, EMFILE, EFBIG, ENOSPC,
/// EROFS, ESTALE.
const ERRORS: [&str; 10] = ["4", "5", "12", "13", "23", "24", "27", "28", "30", "116"];

/// A fault: which call fails in which command, and how.
struct Fault {
    /// Index of the start.
    place: usize,
    call: &'static str,
    how: &'static str,
    /// Below which folder.
    under: &'static str,
    /// Draws which of the calls it is.
    rng: Xoshiro256PlusPlus,
}

impl Fault {
    /// The fault of this number: the same in every run of this test.
    fn of_number(number: u64) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(number);
        let place = number as usize % STARTS.len();
        let call = CALLS[rng.random_range(0..CALLS.len())];
        let how = match rng.random_range(0..6u32) {
            0 => "kill",
            1 if call == "read" || call == "write" => "short",
            _ => ERRORS[rng.random_range(0..ERRORS.len())],
        };
        let of_shards = STARTS[place].name == "shards" && rng.random_bool(0.5);
        let under = if of_shards { "shards/small" } else { "out/small" };
        Fault { place, call, how, under, rng }
    }
}

/// How commands ended in which a call failed.
#[derive(Default)]
struct Endings {
    said: u64,
    killed: u64,
    done: u64,
}

/// A place to try faults in.
struct Trials {
    sandbox: Sandbox,
    /// The tables that each start must end in.
    expected: Vec<Vec<Vec<u8>>>,
    /// Calls by start, name and folder.
    counts: std::collections::BTreeMap<(usize, &'static str, &'static str), u64>,
    endings: Endings,
}

impl Trials {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        prepare(&sandbox);
        let expected = |start: &Start| {
            tables(&sandbox, if start.name == "question" { "asked/small" } else { "whole/small" })
        };
        let expected = STARTS.iter().map(expected).collect();
        let counts = std::collections::BTreeMap::new();
        Trials { sandbox, expected, counts, endings: Endings::default() }
    }

    /// Makes the folders that a command starts from.
    fn fresh(&self, start: &Start) {
        for folder in ["out", "shards"] {
            _ = std::fs::remove_dir_all(self.sandbox.path(folder));
        }
        let from = self.sandbox.path(format!("starts/{}", start.name));
        copy(&from, &self.sandbox.path("."));
    }

    /// How many calls there are that this fault may meet.
    fn count(&mut self, fault: &Fault) -> u64 {
        let key = (fault.place, fault.call, fault.under);
        if let Some(count) = self.counts.get(&key) {
            return *count;
        }
        let start = &STARTS[fault.place];
        self.fresh(start);
        let mut counting = faulty(&self.sandbox, fault.under, fault.call, 0, "0");
        let count = count_calls(&self.sandbox, counting.args(start.arguments));
        self.counts.insert(key, count);
        count
    }

    /// Runs a command in which a call fails, then the same command undisturbed.
    fn try_fault(&mut self, mut fault: Fault) {
        let count = self.count(&fault);
        let nth = fault.rng.random_range(1..=count.max(1));
        let Fault { place, call, how, under, .. } = fault;
        let start = &STARTS[place];
        self.fresh(start);
        let ran = Ran::new(faulty(&self.sandbox, under, call, nth, how).args(start.arguments));
        let what =
            format!("{}: {call} {nth} of {count} under {under} ends with {how}\n{ran}", start.name);
        match ran.code {
            Some(0) => {
                self.endings.done += 1;
                self.check(place, "other tables", &what);
            }
            Some(4) => {
                self.endings.said += 1;
                assert!(ran.stderr.contains("error: "), "no words\n{what}");
            }
            _ if how == "kill" && is_killed(&ran) => self.endings.killed += 1,
            _ => panic!("{what}"),
        }
        self.nothing_is_damaged(&what);
        let again = self.sandbox.run(start.arguments).code(0);
        let what = format!("{what}\nthe second time\n{again}");
        self.check(place, "other tables the second time", &what);
        self.nothing_is_damaged(&what);
        if start.name != "shards" {
            let found = found_before(&self.sandbox, "out/small");
            assert!(found >= start.trials, "trials were lost\n{what}");
        }
    }

    fn check(&self, place: usize, wrong: &str, what: &str) {
        assert!(tables(&self.sandbox, "out/small") == self.expected[place], "{wrong}\n{what}");
    }

    fn nothing_is_damaged(&self, what: &str) {
        assert!(!self.sandbox.path("out/small/damaged").exists(), "nothing is damaged\n{what}");
    }
}

/// One call of the system in each run fails, in every way; the next run goes on to the tables of an
/// undisturbed one. `RUNNER_FAULTS` says how many.
#[cfg(target_os = "linux")]
#[test]
fn no_fault_of_the_system_costs_a_trial() {
    let faults = number("RUNNER_FAULTS", sized(16, 200));
    let next = std::sync::atomic::AtomicU64::new(0);
    let place = || {
        let mut trials = Trials::new();
        loop {
            let number = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            if number >= faults {
                return trials.endings;
            }
            trials.try_fault(Fault::of_number(number));
            if (number + 1).is_multiple_of(500) {
                eprintln!("fault {}", number + 1);
            }
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let endings: Vec<Endings> = std::thread::scope(|scope| {
        let places: Vec<_> = (0..cores).map(|_| scope.spawn(place)).collect();
        places.into_iter().map(|place| place.join().expect("every fault ended well")).collect()
    });
    let sum = |of: fn(&Endings) -> u64| endings.iter().map(of).sum::<u64>();
    let (said, killed, done) = (sum(|e| e.said), sum(|e| e.killed), sum(|e| e.done));
    let words = format!("faults: {said} said so, {killed} killed, {done} had no effect");
    assert!(said > 0 && killed > 0 && done > 0, "{words}");
    eprintln!("{words}");
}

/// Too few files may be open: nothing is damaged for that.
#[cfg(target_os = "linux")]
#[test]
fn a_limit_on_open_files_moves_nothing() {
    let sandbox = Sandbox::new();
    prepare(&sandbox);
    let expected = tables(&sandbox, "whole/small");
    let mut refused = 0;
    for limit in 4..16usize {
        // From both starts, or from one after the other.
        let starts = ["tables", "parts"];
        let some = if sized(0, 1) == 1 { &starts[..] } else { &starts[limit % 2..=limit % 2] };
        for start in some {
            _ = std::fs::remove_dir_all(sandbox.path("out"));
            copy(&sandbox.path(format!("starts/{start}")), &sandbox.path("."));
            let mut shell = Command::new("bash");
            let script = format!("ulimit -n {limit}; exec \"$@\"");
            shell.args(["-c", &script, "bash"]).arg(sandbox.command().get_program());
            shell.args(["small.toml", "--out", "out", "--progress", "none"]);
            shell
                .current_dir(sandbox.path("."))
                .stdin(Stdio::null())
                .env_remove("RUNNER_PLUGIN_PATH");
            let ran = Ran::new(&mut shell);
            if ran.code != Some(0) {
                refused += 1;
                assert!(ran.stderr.contains("error"), "limit {limit}: {ran}");
            }
            assert!(!sandbox.path("out/small/damaged").exists(), "limit {limit}: {ran}");
            sandbox.run(&["small.toml", "--out", "out"]).code(0);
            assert!(tables(&sandbox, "out/small") == expected, "limit {limit}, {start}");
        }
    }
    assert!(refused > 0, "the limit was never met");
}

/// Rows are written in large pieces, not one by one.
#[cfg(target_os = "linux")]
#[test]
fn tables_are_written_in_large_pieces() {
    let sandbox = Sandbox::new();
    sandbox.write("small.toml", SMALL);
    let mut counting = faulty(&sandbox, "out/small", "write", 0, "0");
    let writes =
        count_calls(&sandbox, counting.args(["small.toml", "--repeats", "600", "--out", "out"]));
    // Most are the journal's, one for each delivery of finished trials.
    assert!((1..1_300).contains(&writes), "{writes} calls for 1,200 trials");
}

/// The clock may be as wrong as it likes.
#[cfg(target_os = "linux")]
#[test]
fn a_clock_beyond_the_calendar_stops_nothing() {
    let sandbox = Sandbox::new();
    sandbox.write("small.toml", SMALL);
    sandbox.run(&["small.toml", "--out", "whole"]).code(0);
    for seconds in ["253402300800", "9000000000000000", "-377705116801"] {
        _ = std::fs::remove_dir_all(sandbox.path("out"));
        let mut command = faulty(&sandbox, "out/small", "none", 0, "0");
        command.env("FAULT_CLOCK", seconds);
        Ran::new(command.args(["small.toml", "--out", "out"])).code(0);
        assert!(tables(&sandbox, "out/small") == tables(&sandbox, "whole/small"), "{seconds}");
    }
}
