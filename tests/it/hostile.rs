//! Plugins that do what no plugin should, and signals at any moment: no run ends in silence, in a
//! hang, or with fewer trials than were asked for and an exit code of 0. `RUNNER_HOSTILE` says how
//! many seeds each plugin is tried with.

#![cfg(target_os = "linux")]

use crate::util::{Ran, Sandbox, column, number, root, rows, sized};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The plugin in C, compiled once a test run; with `defines`, a variant of it.
fn library(name: &str, defines: &[&str]) -> PathBuf {
    let folder = crate::util::plugins().join("hostile");
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(format!("lib{name}.so"));
    let unfinished = folder.join(format!("lib{name}.{}.so", std::process::id()));
    let output = Command::new("cc")
        .args(["-std=gnu11", "-O1", "-w", "-shared", "-fPIC", "-I"])
        .arg(root().join("plugins/sdk/include"))
        .args(defines)
        .arg(root().join("tests/fixtures/c/hostile.c"))
        .arg("-o")
        .arg(&unfinished)
        .args(["-lm", "-lpthread"])
        .output()
        .expect("a C compiler");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::rename(&unfinished, &path).expect("the same folder");
    path
}

pub(crate) fn hostile() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| library("hostile", &[]))
}

const TRIALS: usize = 12;

/// A config of 12 trials, of some 90 evaluations each. One of `every` genomes is evaluated as
/// `mode` says.
fn config(sandbox: &Sandbox, name: &str, mode: &str, call: &str, every: u32, more: &str) -> String {
    let plugin = hostile().display();
    let file = format!("{name}.toml");
    sandbox.write(
        &file,
        format!(
            "repeats = {TRIALS}\n[problem]\nplugin = \"{plugin}\"\nmode = \"{mode}\"\ncall = \
            \"{call}\"\nevery = {every}\n[[operators]]\nname = \"ga\"\npopulation = 8\nselection = \
            \"uniform\"\nmutation = \"bit-flip\"\n[stop]\ngenerations = 10\nfitness = -1\n{more}"
        ),
    );
    file
}

/// Runs a command that has to come to its end; a file takes what it prints, since a child of the
/// plugin may hold a pipe.
pub(crate) fn ends(sandbox: &Sandbox, arguments: &[&str]) -> Ran {
    let mut command = sandbox.command();
    command.args(arguments);
    comes_to_its_end(sandbox, command)
}

pub(crate) fn comes_to_its_end(sandbox: &Sandbox, mut command: Command) -> Ran {
    static NEXT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let (out, err) =
        (sandbox.path(format!("stdout-{number}")), sandbox.path(format!("stderr-{number}")));
    let file = |path| std::fs::File::create(path).expect("a file in the sandbox");
    command.stdout(file(&out)).stderr(file(&err));
    let mut child = command.spawn().expect("the binary starts");
    let code = wait(&mut child, &format!("{command:?}"));
    let text = |path| String::from_utf8_lossy(&std::fs::read(path).expect("a file")).into_owned();
    Ran::of(format!("{command:?}"), code, text(&out), text(&err))
}

/// Waits for a process, for very long if need be; its exit code, or the signal that ended it as a
/// shell has it.
#[track_caller]
fn wait(child: &mut Child, what: &str) -> Option<i32> {
    use std::os::unix::process::ExitStatusExt;
    let since = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child") {
            return status.code().or_else(|| status.signal().map(|signal| 128 + signal));
        }
        if since.elapsed() > Duration::from_secs(300) {
            child.kill().expect("it still runs");
            panic!("{what}: it hangs");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn trials(sandbox: &Sandbox, folder: &str) -> usize {
    let table = sandbox.path(format!("{folder}/trials.parquet"));
    if table.exists() { column(&table, "trial").len() } else { 0 }
}

/// What a run with a hostile plugin must come to.
struct Case {
    mode: &'static str,
    call: &'static str,
    code: i32,
    /// On standard error.
    words: &'static str,
    more: &'static str,
}

const fn case(mode: &'static str, call: &'static str, code: i32, words: &'static str) -> Case {
    Case { mode, call, code, words, more: "" }
}

fn seeds() -> u64 {
    number("RUNNER_HOSTILE", 1)
}

/// In worker processes, whatever a plugin does costs the trial that it was in; every trial that was
/// asked for is in the table.
#[test]
fn in_processes_a_hostile_plugin_costs_its_trial() {
    let sandbox = Sandbox::new();
    let limit = |mode, call, code, words| Case {
        more: "trial-seconds = 0.2\n",
        ..case(mode, call, code, words)
    };
    let cases = [
        case(
            "exit",
            "evaluate",
            1,
            "plugin `hostile`: evaluate: the worker process exited by itself with code 0",
        ),
        case(
            "_exit",
            "evaluate",
            1,
            "plugin `hostile`: evaluate: the worker process exited by itself with code 0",
        ),
        case(
            "exit-1",
            "evaluate",
            1,
            "plugin `hostile`: evaluate: the worker process exited by itself with code 1",
        ),
        case(
            "abort",
            "evaluate",
            1,
            "plugin `hostile`: evaluate: the worker process was ended by signal 6 (SIGABRT)",
        ),
        case(
            "segv",
            "evaluate",
            1,
            "plugin `hostile`: evaluate: the worker process was ended by signal 11 (SIGSEGV)",
        ),
        case(
            "segv",
            "render",
            1,
            "plugin `hostile`: render: the worker process was ended by signal 11 (SIGSEGV)",
        ),
        case(
            "segv",
            "is_valid",
            1,
            "plugin `hostile`: is_valid: the worker process was ended by signal 11 (SIGSEGV)",
        ),
        case("fpe", "evaluate", 1, "signal 8 (SIGFPE)"),
        case("ill", "evaluate", 1, "signal"),
        case(
            "overflow",
            "evaluate",
            1,
            "plugin `hostile`: evaluate: the worker process was ended by signal",
        ),
        case("alarm", "evaluate", 1, "signal 14 (SIGALRM)"),
        case("kill", "evaluate", 1, "signal 9 (SIGKILL)"),
        case("term-unheld", "evaluate", 1, "signal 15 (SIGTERM)"),
        case(
            "exec",
            "evaluate",
            1,
            "plugin `hostile`: evaluate: the worker process exited by itself with code 0",
        ),
        case(
            "exec-sleep",
            "evaluate",
            1,
            "plugin `hostile`: evaluate: the worker process closed its connection",
        ),
        case(
            "child-dies",
            "evaluate",
            1,
            "plugin `hostile`: evaluate: the worker process exited by itself with code 0",
        ),
        case("scribble", "evaluate", 1, "the worker process sent what is no answer"),
        case("scribble-all", "evaluate", 1, "the worker process sent what is no answer"),
        case("close", "evaluate", 1, "plugin `hostile`: "),
        case("close-all", "evaluate", 1, "plugin `hostile`: "),
        case("pthread-exit", "evaluate", 1, "signal 6 (SIGABRT)"),
        case(
            "thread-exit",
            "evaluate",
            1,
            "plugin `hostile`: evaluate: the worker process exited by itself with code 0",
        ),
        case("nan", "evaluate", 1, "plugin `hostile`: evaluate: the fitness of row"),
        case("genes", "sample", 1, "plugin `hostile`: sample: gene 0 of row 0 is 200"),
        case("huge", "render", 1, "plugin `hostile`: render: the rendering is"),
        case(
            "growing",
            "render",
            1,
            "plugin `hostile`: render: the rendering grows from one call to the next",
        ),
        case("no-text", "render", 1, "plugin `hostile`: render: the rendering is not UTF-8"),
        case("endless-error", "evaluate", 1, "plugin `hostile`: evaluate: aaaa"),
        limit(
            "loop",
            "evaluate",
            1,
            "plugin `hostile`: evaluate: did not come back within stop.trial-seconds = 0.2",
        ),
        limit(
            "stubborn",
            "render",
            1,
            "plugin `hostile`: render: did not come back within stop.trial-seconds = 0.2",
        ),
    ];
    // Every third, or all.
    for Case { mode, call, code, words, more } in cases.into_iter().step_by(sized(3, 1) as usize) {
        // Each trial that loops computes until its time is up, and after one whose process was
        // ended from outside the run waits for its own end: fewer of those.
        let every = match mode {
            "loop" | "alarm" | "kill" | "term-unheld" | "exec-sleep" => 150,
            _ => 60,
        };
        for seed in 0..seeds() {
            let file = config(&sandbox, &format!("{mode}-{call}"), mode, call, every, more);
            let (seed, out) = (seed.to_string(), format!("out-{seed}"));
            let ran = ends(
                &sandbox,
                &[&file, "--isolation", "process", "--jobs", "2", "--out", &out, "--seed", &seed],
            );
            let folder = format!("{out}/{mode}-{call}");
            let trials = rows(&sandbox, &[&folder, "--trials"]);
            assert_eq!(trials.len(), TRIALS, "{mode} in {call}\n{ran}");
            let bad = trials.iter().filter(|trial| !trial["error"].is_null()).count();
            assert!(bad > 0, "{mode} in {call}: it did nothing\n{ran}");
            assert!(
                bad < TRIALS || call != "evaluate",
                "{mode} in {call}: it cost all trials\n{ran}"
            );
            ran.code(code).warns(words).warns("runner replay");
        }
    }
}

/// What a plugin changes in its process changes no table: the bytes are those of a plugin that does
/// nothing.
#[test]
fn what_a_plugin_changes_around_it_changes_no_table() {
    let sandbox = Sandbox::new();
    let modes = [
        "fork",
        "fork-exit",
        "fork-many",
        "child",
        "program",
        "stdin",
        "cat",
        "chdir",
        "umask",
        "round",
        "flush",
        "handlers",
        "sigchld",
        "group",
        "thread",
        "locale",
        "environment",
        "dup2",
        "redirect",
        "close-streams",
        "printf",
        "nice",
    ];
    let processes = [
        "rlimit",
        "rlimit-file",
        "term",
        "int",
        "hup",
        "atexit",
        "atexit-crash",
        "atexit-pause",
        "scribble-none",
    ];
    let table = |mode: &str, call: &str, isolation: &str| {
        // One mode a folder; its name is a parameter, which decides the seeds: so the tables are
        // read without them.
        let file = config(&sandbox, "same", mode, call, 60, "");
        let out = format!("out-{mode}-{call}-{isolation}");
        let ran = ends(&sandbox, &[&file, "--isolation", isolation, "--jobs", "2", "--out", &out])
            .code(0);
        assert_eq!(
            trials(&sandbox, &format!("{out}/same")),
            TRIALS,
            "{mode} in {call}, {isolation}\n{ran}"
        );
        sandbox.read(&format!("{out}/same/trials.parquet"))
    };
    for call in ["evaluate", "create"].into_iter().take(sized(1, 2) as usize) {
        for mode in modes {
            let threads = table(mode, call, "thread");
            let processes = table(mode, call, "process");
            assert!(threads == processes, "{mode} in {call}: threads and processes differ");
        }
    }
    for mode in processes {
        table(mode, "evaluate", "process");
    }
}

/// Wherever a plugin leads the streams of its process, and if it closes them: results and messages
/// reach who started the program, and the plugin's file gets none of them.
#[test]
fn a_plugin_that_takes_the_streams_takes_no_results_along() {
    let sandbox = Sandbox::new();
    let notes = sandbox.path("notes");
    let ends = |arguments: &[&str]| {
        let mut command = sandbox.command();
        command.args(arguments).env("HOSTILE_NOTES", &notes);
        comes_to_its_end(&sandbox, command)
    };
    for mode in ["redirect", "close-streams"] {
        for call in ["create", "evaluate", "render"] {
            for isolation in ["thread", "process"] {
                let name = format!("{mode}-{call}-{isolation}");
                let file = config(&sandbox, &name, mode, call, 2, "");
                let folder = format!("results/{name}");
                let how = ["--isolation", isolation, "--jobs", "2"];
                let ran = ends(&[&[&file, "--progress", "plain"], &how[..]].concat()).code(0);
                let tables = format!("Tables: {folder}/*.parquet");
                ran.says("ga").says(&tables).warns("12 trials, done in");
                assert_eq!(trials(&sandbox, &folder), TRIALS, "{name}");
                let again = ["--progress", "json", "--out", "again"];
                let ran = ends(&[&[file.as_str()], &again[..], &how[..]].concat()).code(0);
                ran.says("ga").warns("\"event\":\"started\"").warns("\"event\":\"ended\"");
                ends(&["check", &file, "--isolation", isolation]).code(0).says("valid");
                ends(&["verify", &folder, "--trust"]).code(0).says("12 of 12 trials are the same");
                ends(&["replay", &folder, "ga", "3", "--trust"]).code(0).says("trial 3");
                let written = std::fs::read_to_string(&notes).unwrap_or_default();
                assert_eq!(written, "", "{name}: what the runner prints is in the plugin's file");
            }
        }
    }
}

/// Text that a library prints goes to standard error, not among results or answers of checks.
#[test]
fn what_a_plugin_prints_is_not_among_results() {
    let sandbox = Sandbox::new();
    let file = config(&sandbox, "loud", "printf", "create", 60, "");
    let folder = hostile().parent().expect("a folder").display().to_string();
    let set = ["--plugin-dir", &folder, "--set", "mode=printf", "--set", "call=create"];
    let sampled = [&["sample", "hostile", "--format", "genes"], &set[..]];
    let checked = ["conformance", "hostile", "--only", "repeatable"];
    for arguments in [vec![file.as_str()], vec!["check", &file], sampled.concat()] {
        let ran = sandbox.run(&arguments).code(0).warns("no line feed");
        assert!(!ran.stdout.contains("no line feed"), "{arguments:?}\n{ran}");
    }
    sandbox.run(&[&checked[..], &set].concat()).code(0).says("1 checks passed, 0 failed");
}

/// Bars too: they stay on the terminal.
#[test]
fn a_plugin_that_takes_the_streams_takes_no_bars_along() {
    let sandbox = Sandbox::new();
    let file = config(&sandbox, "bars", "redirect", "create", 60, "");
    let mut command = sandbox.command();
    let runner = command.get_program().to_str().expect("UTF-8").to_owned();
    command = Command::new("script");
    command.args(["-qec", &format!("stty cols 80 rows 24; exec {runner} {file}"), "/dev/null"]);
    command.current_dir(sandbox.path(".")).stdin(Stdio::null()).env("TERM", "xterm");
    command.env("HOSTILE_NOTES", sandbox.path("notes")).env_remove("COLUMNS");
    let ran = comes_to_its_end(&sandbox, command).code(0);
    let ran = ran.says("\u{1b}[2K").says(" 0 %").says("bars: 12 trials, done in");
    let ran = ran.says("\nga ").says("Tables: results/bars/*.parquet");
    assert!(sandbox.read("notes").is_empty(), "{ran}");
    // The terminal's width is known as before: no line of the table is wider.
    let table = ran.stdout.lines().filter(|line| line.starts_with("──") || line.starts_with("ga "));
    let widths: Vec<usize> = table.map(|line| line.trim_end().chars().count()).collect();
    assert!(!widths.is_empty() && widths.iter().all(|width| *width <= 80), "{widths:?}\n{ran}");
}

/// What only a plugin made room for is lost all the same.
#[test]
fn a_plugin_that_takes_the_streams_hides_no_full_disk() {
    let sandbox = Sandbox::new();
    for mode in ["redirect", "close-streams"] {
        let file = config(&sandbox, mode, mode, "create", 60, "");
        let mut command = sandbox.command();
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("it is there");
        command.args(["check", &file]).stdout(full);
        Ran::with_errors(&mut command).code(4).warns("cannot write to standard output");
    }
}

/// A plugin can delete results while the run goes on: the run says which trials are missing, makes
/// no table without them, and the same command runs them again.
#[test]
fn a_plugin_that_deletes_results_leaves_no_table_that_lacks_trials() {
    let sandbox = Sandbox::new();
    let file = config(&sandbox, "gone", "remove", "evaluate", 1, "");
    ends(&sandbox, &[&file, "--out", "whole"]).code(0);
    let path = |out: &str, table: &str| format!("{out}/gone/{table}.parquet");
    for isolation in ["thread", "process"] {
        let run = |more: &[&str], removed: Option<&str>| {
            let mut command = sandbox.command();
            command.args([&file, "--isolation", isolation, "--jobs", "2", "--out", isolation]);
            command.args(more);
            if let Some(table) = removed {
                command.env("HOSTILE_REMOVE", sandbox.path(path(isolation, table)));
            }
            comes_to_its_end(&sandbox, command)
        };
        // The first five are in a table when the others run.
        run(&["--repeats", "5"], None).code(0);
        let ran = run(&[], Some("trials")).code(4);
        let ran = ran.warns("5 of 12 trials are missing at the end, such as trial 0 of `ga`");
        assert!(!ran.stdout.contains("Tables"), "{ran}");
        for table in ["trials", "summary"] {
            assert!(!sandbox.path(path(isolation, table)).exists(), "{table}\n{ran}");
        }
        let ran = run(&[], None).code(0).says("Tables");
        for table in ["trials", "summary"] {
            let (found, due) = (path(isolation, table), path("whole", table));
            assert!(sandbox.read(&found) == sandbox.read(&due), "{table}\n{ran}");
        }
    }
}

/// A mode of rounding, or of flushing, that one experiment's plugin leaves behind changes neither
/// its own tables nor those of the next.
#[test]
fn floating_point_stays_as_it_was() {
    let sandbox = Sandbox::new();
    for mode in ["round", "flush"] {
        for call in ["create", "sample", "evaluate", "is_valid"] {
            for isolation in ["thread", "process"] {
                let first = config(&sandbox, "first", mode, call, 3, "");
                let second = config(&sandbox, "second", "none", "never", 1, "");
                let out = format!("{mode}-{call}-{isolation}");
                ends(
                    &sandbox,
                    &[&first, &second, "--jobs", "2", "--isolation", isolation, "--out", &out],
                )
                .code(0);
                for folder in ["first", "second"] {
                    for trial in rows(&sandbox, &[&format!("{out}/{folder}"), "--trials"]) {
                        let best = trial["best_fitness"].as_f64().expect("a number");
                        assert!(best.fract() == 0.0, "{mode} in {call}, {isolation}: {trial}");
                    }
                }
            }
        }
    }
}

/// In threads, a plugin that ends the program is named, with its call and trial, and the exit code
/// is never 0.
#[test]
fn in_threads_a_plugin_that_ends_the_program_is_named() {
    let sandbox = Sandbox::new();
    let ended = "plugin `hostile`: evaluate ended the program: it ";
    for (mode, call, codes, words) in [
        ("exit", "evaluate", &[3][..], &format!("{ended}exited with code 0 in trial")[..]),
        ("exit-1", "evaluate", &[3], &format!("{ended}exited with code 1 in trial")),
        ("_exit", "evaluate", &[3], "exited with code 0"),
        ("abort", "evaluate", &[3], &format!("{ended}was ended by signal 6 (SIGABRT) in trial")),
        ("segv", "evaluate", &[3], &format!("{ended}was ended by signal 11 (SIGSEGV) in trial")),
        ("segv", "render", &[3], "plugin `hostile`: render ended the program"),
        ("fpe", "evaluate", &[3], "(SIGFPE)"),
        ("ill", "evaluate", &[3], ended),
        ("overflow", "evaluate", &[3], ended),
        ("alarm", "evaluate", &[3], "signal 14 (SIGALRM)"),
        ("kill", "evaluate", &[137], "signal 9 (SIGKILL)"),
        // The thread is unwound: that ends the program in this call, or the thread is gone and the
        // run finds that trials are missing.
        ("pthread-exit", "evaluate", &[3, 4], "error: "),
        ("exec", "evaluate", &[3], "exited with code 0"),
        ("exec-sleep", "evaluate", &[3], "replaced the program by another one"),
        ("close", "evaluate", &[3, 4, 134], "the program"),
        ("close-all", "evaluate", &[3, 4, 134], "the program"),
        ("rlimit", "evaluate", &[4], "Too many open files"),
        ("rlimit-file", "evaluate", &[4], ""),
        ("term", "evaluate", &[130], "Interrupted"),
        ("int", "evaluate", &[130], "Interrupted"),
        ("hup", "evaluate", &[130], "Interrupted"),
        (
            "exit",
            "create",
            &[3],
            "plugin `hostile`: create ended the program: it exited with code 0",
        ),
        (
            "_exit",
            "create",
            &[3],
            "plugin `hostile`: create ended the program: it exited with code 0",
        ),
        (
            "segv",
            "create",
            &[3],
            "plugin `hostile`: create ended the program: it was ended by signal 11 (SIGSEGV)",
        ),
        ("exit", "describe", &[3], "plugin `hostile`: describe ended the program"),
        ("segv", "sample", &[3], "plugin `hostile`: sample ended the program"),
        ("thread-crash", "create", &[0, 3, 139], ""),
    ] {
        for seed in 0..seeds() {
            let name = format!("{mode}-{call}");
            let file = config(&sandbox, &name, mode, call, 60, "");
            let (seed, out) = (seed.to_string(), format!("out-{seed}"));
            let ran = ends(&sandbox, &[&file, "--jobs", "2", "--out", &out, "--seed", &seed]);
            assert!(ran.code.is_some_and(|code| codes.contains(&code)), "{mode} in {call}\n{ran}");
            if ran.code == Some(0) {
                assert_eq!(
                    trials(&sandbox, &format!("{out}/{name}")),
                    TRIALS,
                    "{mode} in {call}\n{ran}"
                );
            }
            ran.warns(words);
        }
    }
}

/// What comes after all is done costs nothing, and is said. All at the same time: one of them never
/// ends by itself.
#[test]
fn in_threads_a_plugin_that_fails_after_everything_was_done_costs_nothing() {
    let sandbox = Sandbox::new();
    let late = |mode: &str, call: &str, words: &str| {
        let name = format!("{mode}-{call}");
        let file = config(&sandbox, &name, mode, call, 60, "");
        let ran = ends(&sandbox, &[&file, "--jobs", "2", "--out", "late"]).warns(words);
        let ran = if words.is_empty() { ran } else { ran.code(3) };
        assert_eq!(trials(&sandbox, &format!("late/{name}")), TRIALS, "{ran}");
    };
    let ways = [
        (
            "segv",
            "destroy",
            "plugin `hostile`: destroy: the program was ended by signal 11 (SIGSEGV) after \
            everything was done",
        ),
        ("_exit", "destroy", ""),
        (
            "pause",
            "destroy",
            "plugin `hostile`: destroy: the program did not end after everything was done",
        ),
        ("atexit", "evaluate", "the program exited with code 7 after everything was done"),
        (
            "atexit-crash",
            "evaluate",
            "the program was ended by signal 11 (SIGSEGV) after everything was done",
        ),
    ];
    std::thread::scope(|scope| {
        for (mode, call, words) in ways {
            let late = &late;
            scope.spawn(move || late(mode, call, words));
        }
    });
}

/// The other commands name it too.
#[test]
fn commands_that_call_a_plugin_name_it_when_it_ends_them() {
    let sandbox = Sandbox::new();
    let file = config(&sandbox, "ends", "exit", "evaluate", 1, "");
    let plugin = hostile().display().to_string();
    let words = "plugin `hostile`: evaluate ended the program: it exited with code 0";
    ends(&sandbox, &["check", &file]).code(3).warns(words);
    ends(&sandbox, &["sample", &plugin, "--set", "mode=segv", "--set", "call=sample"])
        .code(3)
        .warns("plugin `hostile`: sample ended the program: it was ended by signal 11 (SIGSEGV)");
    // A table of the same problem under a plugin that went bad since: `verify` and `replay` say so.
    let file = config(&sandbox, "bad", "exit", "evaluate", 1_000_000, "");
    ends(&sandbox, &[&file]).code(0);
    let provenance = String::from_utf8(sandbox.read("results/bad/run.toml")).expect("UTF-8");
    sandbox.write("results/bad/run.toml", provenance.replace("every = 1000000", "every = 1"));
    ends(&sandbox, &["verify", "results/bad", "--trust"])
        .code(4)
        .warns("there is no trial to compare");
}

/// Nothing of a plugin runs in the process of the run: not its initialisers, not `create`, for none
/// of the files.
#[test]
fn in_processes_a_plugin_that_cannot_be_described_is_said_with_its_line() {
    let sandbox = Sandbox::new();
    for (mode, call, words) in [
        (
            "exit",
            "create",
            "plugin `hostile`: create: the process that loaded it exited by itself with code 0",
        ),
        (
            "segv",
            "create",
            "plugin `hostile`: create: the process that loaded it was ended by signal 11 (SIGSEGV)",
        ),
        (
            "segv",
            "describe",
            "plugin `hostile`: describe: the process that loaded it was ended by signal 11 \
            (SIGSEGV)",
        ),
        (
            "loop",
            "create",
            "plugin `hostile`: create: did not return within 1 s, the limit set by \
            --plugin-seconds",
        ),
        ("stubborn", "describe", "plugin `hostile`: describe: did not return within 1 s"),
        ("scribble", "create", "the process that loaded it sent what is no answer"),
        ("long-error", "create", "plugin `hostile`: cannot create this problem: oh!"),
    ] {
        let bad = config(&sandbox, "bad", mode, call, 1, "");
        let good = config(&sandbox, "good", "none", "never", 1, "");
        let ran = ends(&sandbox, &[&good, &bad, "--isolation", "process", "--plugin-seconds", "1"]);
        ran.code(3).warns(words).warns("--> bad.toml:2").warns("nothing was run");
        assert!(!sandbox.path("results").exists(), "nothing is written");
    }
    let library = library("loaded", &["-DCRASH_ON_LOAD"]);
    sandbox.write(
        "loaded.toml",
        String::from_utf8(sandbox.read("good.toml"))
            .expect("UTF-8")
            .replace(&hostile().display().to_string(), &library.display().to_string()),
    );
    let words = "libloaded.so`: load: the process that loaded it was ended by signal 11 (SIGSEGV)";
    ends(&sandbox, &["loaded.toml", "--isolation", "process"]).code(3).warns(words);
    let words =
        "plugin `libloaded.so`: load ended the program: it was ended by signal 11 (SIGSEGV)";
    ends(&sandbox, &["loaded.toml"]).code(3).warns(words);
}

/// A crash when a problem is given back comes after its trials.
#[test]
fn in_processes_destroy_costs_nothing() {
    let sandbox = Sandbox::new();
    for mode in ["segv", "exit", "loop"] {
        let file = config(&sandbox, mode, mode, "destroy", 1, "");
        ends(&sandbox, &[&file, "--isolation", "process"]).code(0);
        assert_eq!(trials(&sandbox, &format!("results/{mode}")), TRIALS, "{mode}");
    }
}

/// A plugin that is not the same in every process costs trials, not the run.
#[test]
fn a_problem_that_is_another_one_in_another_process_fails_its_trials() {
    let sandbox = Sandbox::new();
    let file = config(&sandbox, "other", "other-length", "never", 1, "");
    let ran = ends(&sandbox, &[&file, "--isolation", "process", "--jobs", "1"]);
    assert_eq!(trials(&sandbox, "results/other"), TRIALS, "{ran}");
    // By the number of the process: one time in seven it is the same by chance.
    assert!(
        ran.code == Some(0) || ran.stderr.contains("otherwise than it did in another process"),
        "{ran}"
    );
    let file = config(&sandbox, "second", "second", "never", 1, "");
    ends(&sandbox, &[&file, "--isolation", "process", "--jobs", "1"]).code(0);
    assert_eq!(trials(&sandbox, "results/second"), TRIALS);
}

/// A message that says it is longer than what was written has nothing of the runner's memory in it.
#[test]
fn an_error_text_has_no_bytes_that_the_plugin_did_not_write() {
    let sandbox = Sandbox::new();
    for isolation in ["thread", "process"] {
        let file = config(&sandbox, "lies", "long-error", "evaluate", 60, "");
        ends(&sandbox, &[&file, "--isolation", isolation, "--jobs", "2", "--out", isolation])
            .code(1);
        let trials = rows(&sandbox, &[&format!("{isolation}/lies"), "--trials"]);
        let errors: Vec<&str> = trials.iter().filter_map(|trial| trial["error"].as_str()).collect();
        assert!(
            !errors.is_empty()
                && errors.iter().all(|error| *error == "plugin `hostile`: evaluate: oh!"),
            "{errors:?}"
        );
    }
    assert!(
        sandbox.read("thread/lies/trials.parquet") == sandbox.read("process/lies/trials.parquet")
    );
}

/// A plugin whose values depend on the process is found out, and neither tables nor machine are
/// blamed.
#[test]
fn verification_asks_other_processes() {
    let sandbox = Sandbox::new();
    let file = config(&sandbox, "pid", "pid", "never", 1, "");
    ends(&sandbox, &[&file]).code(0);
    let ran = ends(&sandbox, &["verify", "results/pid", "--trust"])
        .code(1)
        .says("0 of 12 trials are the same");
    let ran = ran.says("why: the plugin gives different results in another process");
    assert!(!ran.stdout.contains("the tables or a machine"), "{ran}");
}

/// A config that only the run can read, and one whose name looks like an option.
#[test]
fn workers_get_the_plan_and_not_the_path() {
    let sandbox = Sandbox::new();
    let file = config(&sandbox, "plain", "none", "never", 1, "");
    let text = sandbox.read(&file);
    ends(&sandbox, &[&file]).code(0);
    sandbox.write("-plain.toml", [b"name = \"dash\"\n", &text[..]].concat());
    ends(&sandbox, &["--isolation", "process", "--", "-plain.toml"]).code(0);
    assert_eq!(trials(&sandbox, "results/dash"), TRIALS);
    sandbox.write("input.toml", [b"name = \"input\"\n", &text[..]].concat());
    let mut command = sandbox.command();
    command.args(["/dev/stdin", "--isolation", "process"]);
    command.stdin(std::fs::File::open(sandbox.path("input.toml")).expect("a file"));
    Ran::new(&mut command).code(0);
    assert_eq!(trials(&sandbox, "results/input"), TRIALS);
}

/// What the plugin makes when it is about to hang.
const MARK: &str = "in-the-call";

/// Starts a run in a group of its own.
fn start(sandbox: &Sandbox, arguments: &[&str]) -> Child {
    _ = std::fs::remove_file(sandbox.path(MARK));
    let mut command = sandbox.command();
    command.env("HOSTILE_MARK", sandbox.path(MARK));
    let file =
        |name: &str| std::fs::File::create(sandbox.path(name)).expect("a file in the sandbox");
    command
        .args(arguments)
        .stdout(file("started.out"))
        .stderr(file("started.err"))
        .process_group(0);
    command.spawn().expect("the binary starts")
}

fn told(sandbox: &Sandbox) -> String {
    String::from_utf8_lossy(&sandbox.read("started.err")).into_owned()
}

/// Waits until the journal of a run has something.
fn under_way(sandbox: &Sandbox, child: &mut Child, folder: &str) {
    let journal = sandbox.path(format!("{folder}/parts/journal"));
    while !std::fs::metadata(&journal).is_ok_and(|file| file.len() > 0)
        && child.try_wait().expect("a child").is_none()
    {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Waits until the plugin is in the call in which it hangs.
fn in_the_call(sandbox: &Sandbox, child: &mut Child) {
    while !sandbox.path(MARK).exists() {
        assert!(child.try_wait().expect("a child").is_none(), "it ended: {}", told(sandbox));
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn signal(to: &str, name: &str) {
    let sent =
        Command::new("kill").args([&format!("-{name}"), "--", to]).output().expect("kill starts");
    assert!(sent.status.success(), "{sent:?}");
}

/// Every process of a run: its own, those that it started, and theirs.
pub(crate) fn family(of: u32) -> Vec<u32> {
    let mut all = vec![of];
    let mut next = 0;
    while next < all.len() {
        let tasks =
            std::fs::read_dir(format!("/proc/{}/task", all[next])).into_iter().flatten().flatten();
        for task in tasks {
            let children =
                std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
            all.extend(children.split_whitespace().filter_map(|child| child.parse::<u32>().ok()));
        }
        next += 1;
    }
    all
}

/// As a batch system stops a job: every process of it gets the signal, the workers first. What
/// finished is kept, nothing is in the tables as crashed, and the same command goes on to the bytes
/// of a run that nobody stopped.
#[test]
fn a_stopped_job_goes_on_to_the_same_bytes() {
    let sandbox = Sandbox::new();
    config(&sandbox, "job", "none", "never", 1, "");
    let repeats = sized(1_200, 3_000).to_string();
    let job = ["job.toml", "--jobs", "2", "--repeats", &repeats, "--set", "stop.generations=100"];
    ends(&sandbox, &[&job[..], &["--out", "whole"]].concat()).code(0);
    let mut stopped = 0;
    for (round, (name, isolation)) in ["TERM", "INT", "HUP"]
        .into_iter()
        .flat_map(|name| [(name, "process"), (name, "thread")])
        .step_by(sized(3, 1) as usize)
        .enumerate()
    {
        for again in 0..seeds() {
            let out = format!("out-{round}-{again}");
            let arguments = [&job[..], &["--out", &out, "--isolation", isolation]].concat();
            let mut child = start(&sandbox, &arguments);
            under_way(&sandbox, &mut child, &format!("{out}/job"));
            for process in family(child.id()).into_iter().rev() {
                // One may have ended with the others.
                _ = Command::new("kill")
                    .args([&format!("-{name}"), "--", &process.to_string()])
                    .output();
            }
            let code = wait(&mut child, "a stopped job");
            if code == Some(130) {
                stopped += 1;
                assert!(told(&sandbox).contains("Interrupted"), "{}", told(&sandbox));
                assert!(
                    told(&sandbox).contains("finished trials are saved")
                        || told(&sandbox).contains("Finished trials are saved")
                );
            } else {
                assert_eq!(code, Some(0), "{name} {isolation}: {}", told(&sandbox));
            }
            ends(&sandbox, &arguments).code(0);
            for table in ["trials", "summary"] {
                let (whole, other) =
                    (format!("whole/job/{table}.parquet"), format!("{out}/job/{table}.parquet"));
                assert!(
                    sandbox.read(&whole) == sandbox.read(&other),
                    "{name} {isolation}: the {table} differ"
                );
            }
        }
    }
    assert!(stopped > 0, "all runs were too short to be stopped");
}

/// A request to stop ends a run whose plugin does not come back: with words that name the call, or
/// at once if it comes again. All ways at the same time, since each waits for some seconds.
#[test]
fn a_plugin_that_hangs_does_not_keep_a_run_from_ending() {
    // One way of them computes, the others sleep.
    let ways = [
        ("pause", "evaluate", "thread"),
        ("stubborn", "evaluate", "thread"),
        ("pause", "create", "thread"),
        ("stubborn", "evaluate", "process"),
        ("loop", "create", "process"),
    ];
    hostile();
    std::thread::scope(|scope| {
        for (place, (mode, call, isolation)) in ways.into_iter().enumerate() {
            // Where it comes once, some seconds pass: one signal a way, or both.
            let once = if place % 2 == 0 { ["TERM", "HUP"] } else { ["HUP", "TERM"] };
            let once = once.into_iter().take(sized(1, 2) as usize).map(|name| (name, false));
            for (name, twice) in once.chain([("INT", true)]) {
                scope.spawn(move || ends_while_it_hangs(mode, call, isolation, name, twice));
            }
        }
    });
}

/// Has a plugin hang in this way, and the run asked to stop by this signal, once or until it ends.
fn ends_while_it_hangs(mode: &str, call: &str, isolation: &str, name: &str, twice: bool) {
    let sandbox = Sandbox::new();
    config(&sandbox, "hang", mode, call, 1, "");
    let how = ["--jobs", "2", "--isolation", isolation, "--progress", "none"];
    let mut child = start(&sandbox, &[&["hang.toml"], &how[..]].concat());
    in_the_call(&sandbox, &mut child);
    let group = format!("-{}", child.id());
    signal(&group, name);
    if twice {
        until_it_ends(&mut child, &group, name);
    }
    let code = wait(&mut child, "a run that hangs");
    let (told, way) = (told(&sandbox), format!("{name} in {mode} in {call}, {isolation}"));
    assert_eq!(code, Some(130), "{way}: {told}");
    assert!(family(child.id()).len() == 1, "{way}: no process is left");
    if !twice {
        assert!(told.contains("nterrupted"), "{way}: {told}");
    }
    if isolation == "thread" && !twice {
        assert!(told.contains(&format!("plugin `hostile`: {call}")), "{way}: {told}");
    }
}

/// Sends a signal until the run has ended: beyond the moment in which two are taken for one.
fn until_it_ends(child: &mut Child, to: &str, name: &str) {
    while child.try_wait().expect("a child").is_none() {
        _ = Command::new("kill").args([&format!("-{name}"), "--", to]).output();
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A call that takes longer than the time limit is named while it is under way.
#[test]
fn a_call_that_does_not_come_back_is_named_in_threads() {
    let sandbox = Sandbox::new();
    config(&sandbox, "hang", "pause", "evaluate", 1, "trial-seconds = 0.1\n");
    let mut child = start(&sandbox, &["hang.toml", "--jobs", "1"]);
    while !told(&sandbox).contains("warning: plugin `hostile`: evaluate has not returned for") {
        assert!(child.try_wait().expect("a child").is_none(), "it ended: {}", told(&sandbox));
        std::thread::sleep(Duration::from_millis(10));
    }
    // More than once, so that nobody waits for the call.
    let to = child.id().to_string();
    until_it_ends(&mut child, &to, "TERM");
    assert_eq!(wait(&mut child, "a run that hangs"), Some(130));
}

/// From the first moment, while the command line is read and plugins are loaded.
#[test]
fn a_signal_before_the_first_trial_is_a_request_to_stop() {
    let sandbox = Sandbox::new();
    let pipe = sandbox.path("pipe.toml");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo starts").success());
    for isolation in ["thread", "process"] {
        for name in ["TERM", "INT", "HUP"] {
            let mut child = start(&sandbox, &["pipe.toml", "--isolation", isolation]);
            // It waits for the config, which never comes: opening the other end says that it has
            // got so far.
            let other =
                std::fs::OpenOptions::new().write(true).open(&pipe).expect("the run opens it");
            signal(&child.id().to_string(), name);
            assert_eq!(
                wait(&mut child, "a run that waits"),
                Some(130),
                "{name} {isolation}: {}",
                told(&sandbox)
            );
            drop(other);
            assert!(told(&sandbox).contains("Interrupted"), "{}", told(&sandbox));
        }
    }
}

/// A run that the user has made deaf to hang-ups stays so.
#[test]
fn nohup_holds() {
    let sandbox = Sandbox::new();
    let file = config(&sandbox, "deaf", "hup", "evaluate", 60, "");
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' HUP; exec \"$@\"", "sh"]).arg(sandbox.command().get_program());
    shell.args([&file, "--jobs", "2"]).current_dir(sandbox.path("."));
    Ran::new(&mut shell).code(0);
    assert_eq!(trials(&sandbox, "results/deaf"), TRIALS);
}

/// A killed run takes all its processes along, and lets go of its folder.
#[test]
fn a_killed_run_leaves_no_process_behind() {
    let sandbox = Sandbox::new();
    config(&sandbox, "hang", "stubborn", "evaluate", 1, "");
    for isolation in ["thread", "process"] {
        let mut child = start(&sandbox, &["hang.toml", "--jobs", "2", "--isolation", isolation]);
        in_the_call(&sandbox, &mut child);
        let all = family(child.id());
        child.kill().expect("it runs");
        child.wait().expect("it ends");
        // A zombie has no memory any more.
        let lives = |process: &u32| {
            std::fs::read_to_string(format!("/proc/{process}/maps"))
                .is_ok_and(|maps| !maps.is_empty())
        };
        while all.iter().any(lives) {
            std::thread::sleep(Duration::from_millis(5));
        }
        _ = std::fs::remove_dir_all(sandbox.path("results"));
    }
}

/// Where the system gives fewer threads or processes than are asked for, the run goes on with those
/// that it gives, or says why it cannot.
#[test]
fn a_run_without_threads_ends_with_words() {
    let sandbox = Sandbox::new();
    let file = config(&sandbox, "few", "none", "never", 1, "");
    for isolation in ["thread", "process"] {
        // Each thread reserves its stack: with little address space, the first ones fit.
        for megabytes in [300, 500, 700, 900, 1200] {
            let script = format!("ulimit -v {}; exec \"$@\"", megabytes * 1024);
            let mut shell = Command::new("bash");
            shell.args(["-c", &script, "bash"]).arg(sandbox.command().get_program());
            shell.args([
                &file,
                "--jobs",
                "300",
                "--isolation",
                isolation,
                "--out",
                &format!("{isolation}-{megabytes}"),
            ]);
            shell.current_dir(sandbox.path(".")).stdin(Stdio::null());
            shell
                .stdout(Stdio::null())
                .stderr(std::fs::File::create(sandbox.path("few.err")).expect("a file"));
            let mut child = shell.spawn().expect("bash starts");
            let code = wait(&mut child, "a run with little address space");
            let words = String::from_utf8_lossy(&sandbox.read("few.err")).into_owned();
            if code == Some(0) {
                assert_eq!(
                    trials(&sandbox, &format!("{isolation}-{megabytes}/few")),
                    TRIALS,
                    "{words}"
                );
            } else {
                assert!(
                    !words.trim().is_empty(),
                    "{isolation}, {megabytes} MB: {code:?} without a word"
                );
            }
        }
    }
}
