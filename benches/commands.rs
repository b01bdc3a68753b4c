//! What whole commands cost: start, threads, tables, memory.
//!
//!     cargo bench --bench commands
//!
//! Runs the runner as a user does, in a temporary folder, and prints each figure with its target.

#![expect(clippy::print_stdout, reason = "a benchmark prints what it measures")]

mod support;

use runner::parquet::{Column, ParquetReader};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;
use support::{is_brief, median, watch};

/// Trials of 260 evaluations; none ends earlier.
const PAPER: &str = "[problem]\nplugin = \"chess960\"\ninvalid = \"keep\"\n[[operators]]\npreset = \
    \"chess960-paper\"\n[stop]\ngenerations = 50\non-success = \"continue\"\n[output]\ntrace = \
    \"none\"\n";
/// Trials of 60 evaluations of 8 queens.
const TINY: &str = "[problem]\nplugin = \"nqueens\"\n[[operators]]\npopulation = 10\nselection = \
    \"uniform\"\nmutation = \"reset\"\n[stop]\ngenerations = 5\n";

/// Trials of 100,100 evaluations of 8 queens.
const LONG: &str = "[problem]\nplugin = \"nqueens\"\n[[operators]]\npopulation = 100\nscaling = \
    \"complement\"\nselection = \"roulette\"\ncrossover = \"one-point\"\nmutation = \
    \"reset\"\n[stop]\ngenerations = 1000\non-success = \"continue\"\n";

struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    fn config(&self, name: &str, text: &str) -> PathBuf {
        let file = self.folder.path().join(format!("{name}.toml"));
        fs::write(&file, text).expect("a config");
        file
    }

    /// The folder of this name, without what earlier runs left in it.
    fn cleared(&self, out: &str) -> PathBuf {
        let out = self.folder.path().join(out);
        _ = fs::remove_dir_all(&out);
        out
    }

    /// A run of `config` into a folder of its own.
    fn start(&self, config: &Path, out: &Path, more: &[&str]) -> Child {
        Command::new(env!("CARGO_BIN_EXE_runner"))
            .arg(config)
            .arg("--out")
            .arg(out)
            .args(more)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the runner starts")
    }

    /// Seconds that a run takes, and its peak memory in MB.
    fn run(&self, config: &Path, out: &str, more: &[&str]) -> (f64, f64) {
        let out = self.cleared(out);
        watch(self.start(config, &out, &[&["--progress", "none"], more].concat()))
    }

    /// Seconds that two processes take that know nothing of each other, with `half` of the trials
    /// each: what the machine has to give.
    fn pair(&self, half: &Path) -> f64 {
        let folders = ["left", "right"].map(|out| self.cleared(out));
        let started = Instant::now();
        let one_thread = ["--jobs", "1", "--progress", "none"];
        let pair = folders.map(|out| self.start(half, &out, &one_thread));
        pair.into_iter().for_each(|mut child| assert!(child.wait().expect("a child").success()));
        started.elapsed().as_secs_f64()
    }

    /// Milliseconds from the command to its plan and to its first trial.
    fn first_trial(&self, config: &Path) -> (f64, f64) {
        let out = self.cleared("first");
        let started = Instant::now();
        let mut child = self.start(config, &out, &["--progress", "json"]);
        let (mut planned, mut running) = (f64::NAN, f64::NAN);
        for line in BufReader::new(child.stderr.take().expect("piped")).lines() {
            let line = line.expect("text");
            let now = started.elapsed().as_secs_f64() * 1e3;
            if line.contains("\"event\":\"started\"") {
                planned = now;
            } else if line.contains("\"event\":\"running\"") && running.is_nan() {
                running = now;
            }
        }
        child.wait().expect("a child");
        (planned, running)
    }

    /// Seconds that the trials of a run took, by its timings.
    fn searched(&self, out: &str, name: &str) -> f64 {
        let file = fs::File::open(self.folder.path().join(out).join(name).join("timings.parquet"))
            .expect("timings");
        let reader = ParquetReader::open(file).expect("a table");
        let of_group = |group| -> f64 {
            let frame = reader.group(group, Some(&["seconds"])).expect("rows");
            let seconds = frame.column("seconds").and_then(Column::f64).expect("seconds");
            (0..frame.height()).filter_map(|row| seconds.get(row)).sum()
        };
        (0..reader.groups()).map(of_group).sum()
    }
}

fn line(what: &str, found: String, wanted: &str) {
    println!("{what:<64} {found:>14}   {wanted}");
}

fn main() {
    let bench = Bench { folder: tempfile::tempdir().expect("a temporary folder") };
    let few = if is_brief() { 1 } else { 100 };
    let rounds = if is_brief() { 1 } else { 5 };

    let one = bench.config("one", &format!("repeats = 1\n{TINY}"));
    // A start is over so soon that a few would tell of the machine's mood.
    let starts = if is_brief() { 1 } else { 51 };
    let firsts = (0..starts).map(|_| bench.first_trial(&one).1).collect();
    line(
        "start of the command to the first trial",
        format!("{:.1} ms", median(firsts)),
        "under 20 ms",
    );

    let values = |from: usize| format!("{:?}", (from..from + few).collect::<Vec<_>>());
    let sweep = format!(
        "[sweep]\n\"problem.n\" = {}\n\"operators.population\" = {}\n",
        values(4),
        values(10)
    );
    let many = bench.config("many", &format!("repeats = 1\n{TINY}{sweep}"));
    let waits = (0..rounds)
        .map(|_| bench.first_trial(&many))
        .map(|(planned, running)| running - planned)
        .collect();
    line(
        &format!("plan of {} arms to the first trial", few * few),
        format!("{:.1} ms", median(waits)),
        "under 50 ms",
    );

    let (short, long) = (1000 * few, 30 * few);
    for (name, trials, what, text) in [
        ("short", short, format!("{short} trials of 260 evaluations"), PAPER),
        ("long", long, format!("{long} trials of 100,100 evaluations"), LONG),
    ] {
        let whole = bench.config(name, &format!("repeats = {trials}\n{text}"));
        let half = bench.config("half", &format!("repeats = {}\n{text}", trials / 2));
        let (mut shares, mut gains, mut most) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..rounds {
            let (alone, _) = bench.run(&whole, "alone", &["--jobs", "1"]);
            shares.push(bench.searched("alone", name) / alone);
            let (both, _) = bench.run(&whole, "both", &["--jobs", "2"]);
            gains.push(alone / both);
            most.push(alone / bench.pair(&half));
        }
        let share = format!("{:.1} %", 100.0 * median(shares));
        line(&format!("{what}, 1 thread: time in search"), share, "at least 90 %");
        line(
            "the same, 2 threads against 1",
            format!("{:.2} times", median(gains)),
            "at least 1.9 times",
        );
        let most = format!("{:.2} times", median(most));
        line("the same, 2 processes of half the trials against 1", most, "what the machine gives");
    }

    records(&bench, few);
    reading(&bench, few);
}

/// Has the children of this thread run on one core meanwhile, where the system allows it.
fn on_one_core<R>(work: impl FnOnce() -> R) -> R {
    #[cfg(target_os = "linux")]
    {
        use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
        let before = sched_getaffinity(None).expect("the cores of this thread");
        let mut one = CpuSet::new();
        one.set(sched_getcpu());
        sched_setaffinity(None, &one).expect("one of them");
        let found = work();
        sched_setaffinity(None, &before).expect("those of before");
        found
    }
    #[cfg(not(target_os = "linux"))]
    work()
}

/// What keeping records costs where trials are over at once: time by threads, and memory by trials.
fn records(bench: &Bench, few: usize) {
    let mut curve = Vec::new();
    for trials in [1_000 * few, 10_000 * few, 100_000 * few] {
        let config = bench.config("tiny", &format!("repeats = {trials}\n{TINY}"));
        let half = bench.config("half", &format!("repeats = {}\n{TINY}", trials / 2));
        let (alone, _) = bench.run(&config, "alone", &["--jobs", "1"]);
        let (core, _) = on_one_core(|| bench.run(&config, "alone", &["--jobs", "1"]));
        let (both, memory) = bench.run(&config, "both", &["--jobs", "2"]);
        let most = alone / bench.pair(&half);
        let what = format!("{trials} trials of 60 evaluations, 2 threads against 1");
        line(&what, format!("{:.2} times", alone / both), "a second core keeps records for one");
        let what = "the same, 2 threads on 2 cores against 1 on one";
        line(what, format!("{:.2} times", core / both), "at least 1.8 times");
        let most = format!("{most:.2} times");
        line("the same, 2 processes of half the trials against 1", most, "what the machine gives");
        curve.push(memory);
        let what = format!("the same, 2 threads, {both:.1} s: memory");
        line(&what, format!("{memory:.0} MB"), "under 300 MB, and the same for any number");
    }
    let ratio = format!("{:.2} times", curve[2] / curve[1]);
    line("memory of the most trials against a tenth of them", ratio, "at most 1.1 times");
}

/// What the commands that read results take, of a folder with many trials of two arms.
fn reading(bench: &Bench, few: usize) {
    let trials = 50_000 * few;
    let arm = |name: &str, population: usize| {
        format!(
            "[[operators]]\nname = \"{name}\"\npopulation = {population}\nselection = \
            \"uniform\"\nmutation = \"reset\"\n"
        )
    };
    let text = format!(
        "repeats = {trials}\n[problem]\nplugin = \"nqueens\"\n{}{}[stop]\ngenerations = 5\n",
        arm("ten", 10),
        arm("twelve", 12)
    );
    bench.run(&bench.config("two", &text), "read", &["--jobs", "2"]);
    for arguments in [
        &["show"][..],
        &["show", "--times"],
        &["compare"],
        &["runtimes"],
        &["plot", "--out", "plots"],
        &["report", "--out", "page.html"],
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_runner"));
        command.current_dir(bench.folder.path()).arg(arguments[0]).arg("read/two");
        let child = command
            .args(&arguments[1..])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the runner starts");
        let (seconds, memory) = watch(child);
        let what = format!("runner {} of 2 arms of {trials} trials", arguments.join(" "));
        line(&what, format!("{seconds:.1} s, {memory:.0} MB"), "10 s, 500 MB");
    }
}
