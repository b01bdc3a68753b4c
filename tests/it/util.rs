//! A sandbox a test: a directory, the real binary, the real plugins, and a failure report with all
//! it needs.

use crate::python::search_path;
use runner::config::{Catalogue, Overrides, load_text};
use runner::parquet::ParquetReader;
use runner::plan::Plan;
use runner::problem::SearchPath;
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// A temporary directory in which the real binary runs.
pub(crate) struct Sandbox {
    dir: tempfile::TempDir,
    /// Where the program keeps what it knows of its user.
    state: tempfile::TempDir,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        let folder = || tempfile::tempdir().expect("a temporary directory");
        Sandbox { dir: folder(), state: folder() }
    }

    /// A path in the sandbox.
    pub(crate) fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.dir.path().join(relative)
    }

    /// Writes a file, and the folders above it.
    pub(crate) fn write(&self, relative: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(relative);
        std::fs::create_dir_all(path.parent().expect("a folder above")).expect("folders");
        std::fs::write(&path, text).expect("a file in the sandbox");
        path
    }

    /// Writes a program's text, and lets it be executed. A process of its own writes the file,
    /// because a test that forks meanwhile would hand the open file to its child, and a file that
    /// is open for writing cannot be executed ("Text file busy").
    #[cfg(unix)]
    pub(crate) fn program(&self, relative: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(relative);
        std::fs::create_dir_all(path.parent().expect("a folder above")).expect("folders");
        let mut writer = Command::new("sh")
            .args(["-c", "cat >\"$0\" && chmod 755 \"$0\""])
            .arg(&path)
            .stdin(Stdio::piped())
            .spawn()
            .expect("a shell");
        let mut input = writer.stdin.take().expect("a pipe");
        std::io::Write::write_all(&mut input, text.as_ref()).expect("a shell that reads");
        drop(input);
        assert!(writer.wait().expect("it ends").success(), "no file {}", path.display());
        path
    }

    /// The bytes of a file.
    pub(crate) fn read(&self, relative: &str) -> Vec<u8> {
        let path = self.path(relative);
        std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// The binary with the built plugins, in the sandbox, without colours.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_runner"));
        command.current_dir(self.dir.path()).env("NO_COLOR", "1").env_remove("RUNNER_PLUGIN_PATH");
        command.env("COLUMNS", "120").env("PATH", search_path()).stdin(Stdio::null());
        command.env("XDG_STATE_HOME", self.state.path());
        plugins();
        #[cfg(unix)]
        with_default_signals(&mut command);
        command
    }

    /// Runs the binary to its end.
    pub(crate) fn run<S: AsRef<std::ffi::OsStr>>(&self, arguments: &[S]) -> Ran {
        let mut command = self.command();
        command.args(arguments);
        Ran::new(&mut command)
    }
}

/// Has a command start with the default dispositions of signals, even if the tests ignore some, as
/// with `nohup cargo test` or with `cargo test &` in a script.
#[cfg(unix)]
#[expect(unsafe_code, reason = "nothing else undoes that a child ignores what its parent ignores")]
pub(crate) fn with_default_signals(command: &mut Command) {
    use nix::sys::signal::{SigHandler, Signal, signal};
    use std::os::unix::process::CommandExt;
    // SAFETY: between fork and exec, only calls are made that may be made there
    // (signal-safety(7)), and the default disposition runs no code.
    unsafe {
        command.pre_exec(|| {
            for one in [Signal::SIGHUP, Signal::SIGINT, Signal::SIGQUIT] {
                signal(one, SigHandler::SigDfl)?;
            }
            Ok(())
        });
    }
}

/// What a finished process left.
pub(crate) struct Ran {
    command: String,
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    pub(crate) fn new(command: &mut Command) -> Self {
        let output = command.output().expect("the binary starts");
        Ran {
            command: format!("{command:?}"),
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("UTF-8 on standard output"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8 on standard error"),
        }
    }

    /// Runs a command whose standard output leads elsewhere.
    pub(crate) fn with_errors(command: &mut Command) -> Self {
        let child = command.stderr(Stdio::piped()).spawn().expect("the binary starts");
        let output = child.wait_with_output().expect("it ends");
        Ran {
            command: format!("{command:?}"),
            code: output.status.code(),
            stdout: String::new(),
            stderr: String::from_utf8(output.stderr).expect("UTF-8 on standard error"),
        }
    }

    /// What a process left that was waited for elsewhere.
    pub(crate) fn of(command: String, code: Option<i32>, stdout: String, stderr: String) -> Self {
        Ran { command, code, stdout, stderr }
    }

    /// Asserts the exit code.
    #[track_caller]
    pub(crate) fn code(self, expected: i32) -> Self {
        assert_eq!(self.code, Some(expected), "exit code\n{self}");
        self
    }

    /// Asserts that standard output has this text.
    #[track_caller]
    pub(crate) fn says(self, text: &str) -> Self {
        assert!(self.stdout.contains(text), "no {text:?} on standard output\n{self}");
        self
    }

    /// Asserts that standard error has this text.
    #[track_caller]
    pub(crate) fn warns(self, text: &str) -> Self {
        assert!(self.stderr.contains(text), "no {text:?} on standard error\n{self}");
        self
    }
}

impl fmt::Display for Ran {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ran { command, code, stdout, stderr } = self;
        write!(
            out,
            "command: {command}\ncode: {code:?}\n--- stdout\n{stdout}\n--- stderr\n{stderr}---"
        )
    }
}

/// What takes longer never comes, however busy the machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(600);

/// Waits until something holds.
#[track_caller]
pub(crate) fn eventually(what: &str, holds: impl FnMut() -> bool) {
    eventually_or(holds, || what.to_owned());
}

/// The same with words that are looked for once it has not held for too long.
#[track_caller]
pub(crate) fn eventually_or(mut holds: impl FnMut() -> bool, what: impl FnOnce() -> String) {
    let since = Instant::now();
    while !holds() {
        let waited = since.elapsed();
        assert!(waited < PATIENCE, "not within {PATIENCE:?}: {}", what());
        // What comes soon is soon seen, and what takes long costs little.
        std::thread::sleep(
            (waited / 10).clamp(Duration::from_millis(1), Duration::from_millis(100)),
        );
    }
}

/// Waits until a run that was killed has let go of its folder: its processes do not end all at
/// once.
pub(crate) fn wait_for_lock(folder: &Path) {
    if let Ok(file) = std::fs::File::open(folder.join(".lock")) {
        file.lock().expect("the lock");
    }
}

/// Lines of the first table that a command shows: its headings, and its rows.
pub(crate) fn table(shown: &str) -> (Vec<&str>, Vec<&str>) {
    let lines: Vec<&str> = shown.lines().collect();
    let rule = lines.iter().position(|line| line.starts_with("──"));
    let rule = rule.unwrap_or_else(|| panic!("no table:\n{shown}"));
    let is_heading = |line: &&&str| !line.is_empty() && !line.ends_with(['.', ':']);
    let headings: Vec<&str> = lines[..rule].iter().rev().take_while(is_heading).copied().collect();
    let ends = ["Results: ", "Not shown: ", "The first ", "  FAILED: ", "More: "];
    let is_row = |line: &&&str| {
        let is_note = ends.iter().any(|words| line.starts_with(words));
        let is_total = line.ends_with(" threads") || line.ends_with(" thread");
        !line.is_empty() && !is_note && !is_total
    };
    let rows = lines[rule + 1..].iter().take_while(is_row).copied().collect();
    (headings.into_iter().rev().collect(), rows)
}

/// The rows of `runner show … --json`.
pub(crate) fn rows(sandbox: &Sandbox, arguments: &[&str]) -> Vec<serde_json::Value> {
    let ran = sandbox.run(&[&["show"], arguments, &["--json"]].concat()).code(0);
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}\n{ran}"))
}

/// A column of numbers of a table.
pub(crate) fn column(table: &Path, name: &str) -> Vec<f64> {
    let file = std::fs::File::open(table).expect("a table");
    let reader = ParquetReader::open(file).expect("a table");
    let mut values = Vec::new();
    for group in 0..reader.groups() {
        let frame = reader.group(group, Some(&[name])).expect("rows");
        let column = frame.column(name).expect("its column").to_f64().expect("numbers");
        let column = column.f64().expect("as cast");
        values.extend((0..frame.height()).filter_map(|row| column.get(row)));
    }
    values
}

/// The root of the project.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A file of the project.
pub(crate) fn document(path: &str) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The folder of the binary. The plugins are put there too, once a test run, from where Cargo built
/// them as dependencies of the tests. A second `cargo build` here would choose other features, and
/// so replace the libraries that examples and doctests link.
pub(crate) fn plugins() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let folder = Path::new(env!("CARGO_BIN_EXE_runner")).parent().expect("a folder");
        for plugin in [
            "nqueens",
            "chess960",
            "onemax",
            "pbo",
            "continuous",
            "bbob",
            "coloring",
            "jobshop",
            "knapsack",
            "landscapes",
            "maxcut",
            "maxsat",
            "qap",
            "tsp",
            "edges",
            "breeding",
            "faulty",
        ] {
            let name = format!("{DLL_PREFIX}{plugin}{DLL_SUFFIX}");
            let copy = tempfile::NamedTempFile::new_in(folder).expect("a file beside the binary");
            let built = folder.join("deps").join(&name);
            std::fs::copy(&built, copy.path())
                .unwrap_or_else(|error| panic!("{}: {error}", built.display()));
            copy.persist(folder.join(&name)).expect("a library beside the binary");
        }
        folder.to_path_buf()
    })
}

/// A size of a test: so large that the suite is soon done, or the one that its strength comes from
/// where `RUNNER_TESTS=full`.
pub(crate) fn sized(quick: u64, full: u64) -> u64 {
    if is_full() { full } else { quick }
}

fn is_full() -> bool {
    std::env::var("RUNNER_TESTS").is_ok_and(|value| value == "full")
}

/// Says that something is not tested, and what is missing for it, also if the test passes. Where
/// `RUNNER_TESTS` is `all` or `full` nothing may be missing: the test fails.
#[track_caller]
pub(crate) fn skip(missing: &str) {
    let is_all = is_full() || std::env::var("RUNNER_TESTS").is_ok_and(|value| value == "all");
    assert!(!is_all, "{missing}; RUNNER_TESTS says that everything is tested");
    let words = format!("skipped: {missing}\n");
    _ = std::io::Write::write_all(&mut std::io::stderr(), words.as_bytes());
}

/// A number from the environment: how long the suites run that somebody has much time for.
pub(crate) fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// Copies a file, or a folder with all that is in it; folders above are made.
pub(crate) fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        std::fs::create_dir_all(to).expect("a folder");
        for entry in std::fs::read_dir(from).expect("a folder").flatten() {
            copy(&entry.path(), &to.join(entry.file_name()));
        }
    } else {
        std::fs::create_dir_all(to.parent().expect("a folder above")).expect("folders");
        std::fs::copy(from, to).expect("a file");
    }
}

/// Copies a program into folders that are made. A process of its own does so on Unix, as in
/// [`Sandbox::program`].
pub(crate) fn copy_program(from: &Path, to: &Path) {
    std::fs::create_dir_all(to.parent().expect("a folder above")).expect("folders");
    if cfg!(unix) {
        let status = Command::new("cp").args([from, to]).status().expect("cp");
        assert!(status.success(), "no copy {}", to.display());
    } else {
        std::fs::copy(from, to).expect("a copy of the program");
    }
}

/// Whether there is such a program; a test without its program is skipped.
#[track_caller]
pub(crate) fn has(program: &str) -> bool {
    let found = Command::new(program).arg("--version").stdout(Stdio::null()).status().is_ok();
    if !found {
        skip(&format!("there is no {program}"));
    }
    found
}

/// The path of a program, if `PATH` has it.
pub(crate) fn found(program: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| path.is_file())
}

/// The bytes of the tables of a folder that do not depend on the machine: summary, trials and,
/// where there is a trace, generations.
pub(crate) fn tables(sandbox: &Sandbox, folder: &str) -> Vec<Vec<u8>> {
    let path = |table: &str| format!("{folder}/{table}.parquet");
    let traced = sandbox.path(path("generations")).is_file().then_some("generations");
    ["summary", "trials"]
        .into_iter()
        .chain(traced)
        .map(|table| sandbox.read(&path(table)))
        .collect()
}

/// Runs an experiment whose name is `x` by one job, and returns its tables. They are the same by
/// two jobs, in processes, and merged from two shards.
pub(crate) fn however_run(sandbox: &Sandbox, config: &str) -> Vec<Vec<u8>> {
    sandbox.run(&[config, "--jobs", "1"]).code(0);
    let one = tables(sandbox, "results/x");
    sandbox.run(&[config, "--jobs", "2", "--out", "two"]).code(0);
    assert!(tables(sandbox, "two/x") == one);
    #[cfg(unix)]
    {
        sandbox.run(&[config, "--isolation", "process", "--out", "apart"]).code(0);
        assert!(tables(sandbox, "apart/x") == one);
    }
    for shard in ["1/2", "2/2"] {
        sandbox.run(&[config, "--shard", shard, "--out", "shards"]).code(0);
    }
    let both = ["shards/x.shard-1-of-2", "shards/x.shard-2-of-2"];
    sandbox.run(&["merge", both[0], both[1], "--out", "merged"]).code(0);
    assert!(tables(sandbox, "merged/x") == one);
    one
}

/// Plan of an experiment in this text, whose problem is one of the workspace's plugins.
pub(crate) fn plan_of(text: &str) -> Plan {
    let mut catalogue = Catalogue::new(SearchPath::of(vec![plugins().to_owned()]));
    let loaded = load_text(Path::new("x.toml"), text, &Overrides::default(), &mut catalogue);
    let faults: Vec<String> = loaded.diagnostics.into_iter().map(|one| one.message).collect();
    loaded.plans.into_iter().next().unwrap_or_else(|| panic!("{faults:?}"))
}
