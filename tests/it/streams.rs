//! Standard output and standard error: closed, full, or a pipe that nobody reads. They must not end
//! a run.

use crate::util::{Ran, Sandbox};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, PipeWriter, pipe};
use std::process::Stdio;

const ONEMAX: &str = r#"
repeats = 200
[problem]
plugin = "onemax"
length = 12
[[operators]]
preset = "simple-ga"
population = 10
[stop]
generations = 10
"#;

/// Some of its trials fail.
const FAULTY: &str = r#"
repeats = 60
[problem]
plugin = "faulty"
fault = "nan"
share = 0.1
[[operators]]
algorithm = "random-search"
population = 10
[stop]
evaluations = 100
"#;

/// A pipe whose reader is gone.
fn closed() -> PipeWriter {
    let (reader, writer) = pipe().expect("a pipe");
    drop(reader);
    writer
}

/// A file on a disk without space.
#[cfg(target_os = "linux")]
fn full() -> File {
    OpenOptions::new().write(true).open("/dev/full").expect("Linux has it")
}

/// A sandbox with the experiments `onemax` and `faulty`, and the tables of the first in `results`.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("onemax.toml", ONEMAX);
    sandbox.write("faulty.toml", FAULTY);
    sandbox.run(&["onemax.toml"]).code(0);
    sandbox
}

#[test]
fn a_run_ends_as_it_would_when_nobody_reads_standard_error() {
    let sandbox = sandbox();
    let expected = sandbox.read("results/onemax/trials.parquet");
    for mode in ["plain", "bars", "json", "none"] {
        for jobs in ["1", "2"] {
            let out = format!("{mode}-{jobs}");
            let mut command = sandbox.command();
            command.args(["onemax.toml", "--out", &out, "--progress", mode, "--jobs", jobs]);
            let status =
                command.stdout(Stdio::null()).stderr(closed()).status().expect("the binary starts");
            assert_eq!(status.code(), Some(0), "{mode} {jobs}");
            assert!(
                sandbox.read(&format!("{out}/onemax/trials.parquet")) == expected,
                "{mode} {jobs}"
            );
        }
    }
}

#[test]
fn a_run_goes_on_when_its_reader_leaves() {
    let sandbox = sandbox();
    for mode in ["plain", "json"] {
        let (reader, writer) = pipe().expect("a pipe");
        let mut command = sandbox.command();
        command.args(["onemax.toml", "--out", mode, "--progress", mode]).stdout(Stdio::null());
        let mut child = command.stderr(writer).spawn().expect("the binary starts");
        // The parent's copy of the other end.
        drop(command);
        let mut first = String::new();
        BufReader::new(reader).read_line(&mut first).expect("a line");
        assert!(first.contains("onemax"), "{first}");
        assert_eq!(child.wait().expect("it ends").code(), Some(0), "{mode}");
    }
}

#[test]
fn errors_keep_their_exit_code_when_nobody_reads_them() {
    let sandbox = sandbox();
    sandbox.write("wrong.toml", "repeats = 0\n");
    let cases: [(&[&str], i32); 8] = [
        (&["wrong.toml"], 2),
        (&["--no-such-option"], 2),
        (&["operators", "no such operator"], 2),
        (&["sample", "no-such-plugin"], 3),
        (&["show", "no-such-folder"], 4),
        (&["faulty.toml"], 1),
        (&["replay", "results/onemax", "simple-ga", "3"], 0),
        (&["verify", "results/onemax"], 0),
    ];
    for (arguments, code) in cases {
        let mut command = sandbox.command();
        command.args(arguments).stdout(Stdio::null()).stderr(closed());
        assert_eq!(
            command.status().expect("the binary starts").code(),
            Some(code),
            "{arguments:?}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_earns_its_exit_code_on_full_streams() {
    let sandbox = sandbox();
    for (config, code) in [("onemax.toml", 0), ("faulty.toml", 1)] {
        let mut command = sandbox.command();
        command.args([config, "--out", "full"]).stdout(full()).stderr(full());
        assert_eq!(command.status().expect("the binary starts").code(), Some(code), "{config}");
        let mut command = sandbox.command();
        command.args([config, "--out", "gone"]).stdout(closed()).stderr(closed());
        assert_eq!(command.status().expect("the binary starts").code(), Some(code), "{config}");
    }
    assert!(
        sandbox.read("full/onemax/trials.parquet") == sandbox.read("results/onemax/trials.parquet")
    );
}

/// Commands whose product is what they print.
const TALKERS: [&[&str]; 16] = [
    &["--help"],
    &["--version"],
    &["help", "show"],
    &["show", "results/onemax"],
    &["show", "results/onemax", "--trials", "--csv"],
    &["show", "results/onemax", "--json"],
    &["compare", "results/onemax", "results/onemax", "--csv"],
    &["runtimes", "results/onemax"],
    &["power", "--detect", "0.6", "0.7"],
    &["plot", "results/onemax", "--terminal", "--only", "success"],
    &["check", "onemax.toml"],
    &["verify", "results/onemax"],
    &["replay", "results/onemax", "simple-ga", "3"],
    &["operators"],
    &["sample", "onemax", "-n", "5"],
    &["completions", "bash"],
];

#[cfg(target_os = "linux")]
#[test]
fn what_is_only_printed_is_lost_on_a_full_disk() {
    let sandbox = sandbox();
    for arguments in TALKERS {
        let mut command = sandbox.command();
        command.args(arguments).stdout(full());
        let ran = Ran::with_errors(&mut command).code(4);
        assert!(ran.stderr.contains("standard output"), "{ran}");
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let sandbox = sandbox();
    let endless: &[&str] = &["sample", "onemax", "-n", "18446744073709551615"];
    for arguments in TALKERS.into_iter().chain([endless]) {
        let mut command = sandbox.command();
        command.args(arguments).stdout(closed());
        let ran = Ran::with_errors(&mut command).code(0);
        assert!(!ran.stderr.contains("error") && !ran.stderr.contains("panicked"), "{ran}");
    }
}

#[cfg(unix)]
#[test]
fn streams_that_are_not_there_at_all_are_no_error() {
    let sandbox = sandbox();
    for closed in ["2>&-", ">&-", ">&- 2>&-", "<&- >&- 2>&-"] {
        let mut shell = std::process::Command::new("sh");
        shell
            .arg("-c")
            .arg(format!("exec \"$0\" onemax.toml --out 'x{closed}' --progress plain {closed}"));
        shell.arg(env!("CARGO_BIN_EXE_runner")).current_dir(sandbox.path(""));
        assert_eq!(shell.status().expect("a shell").code(), Some(0), "{closed}");
        let expected = sandbox.read("results/onemax/trials.parquet");
        assert!(sandbox.read(&format!("x{closed}/onemax/trials.parquet")) == expected, "{closed}");
    }
}
