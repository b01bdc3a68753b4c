//! `runner conformance`: tests whether a plugin keeps the rules, each check in a separate process.

use super::isolation::processes;
use super::load::{Given, load_plugin, search_path};
use super::output::{line, put};
use crate::cli::Failure;
use crate::cli::arguments::ConformanceArguments;
use crate::cli::progress::Wait;
use crate::config::parameter_key;
use crate::conformance::{
    CHECKS, Check, Finding, MEMORY, OPERATOR_PROCESSES, OTHERS, PARAMETERS, PROCESSES, SPEED,
    ends_of, run,
};
use crate::exit::Exit;
use crate::present::terminal::{self, Conformance};
use crate::problem::{Library, Opener, PluginPolicy, SearchPath};
use crate::system::interrupt::Interrupt;
use crate::system::output::put_exactly;
use parking_lot::Mutex;
use serde_json::json;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Included plugins whose speed is shown next to that of the checked one.
const PEERS: [&str; 2] = ["onemax", "nqueens"];

/// Multiple of `--seconds` after which a running check is ended. It is large, because a busy
/// machine must not make a slow check look like one that hangs.
const PATIENCE: u32 = 10;

pub(super) fn conformance(
    arguments: &ConformanceArguments,
    interrupt: &Interrupt,
) -> Result<Exit, Failure> {
    for name in &arguments.only {
        if named(name).is_none() {
            let names = CHECKS.each_ref().map(|check| check.name).join(", ");
            let words = format!("--only: there is no check `{name}`; the checks are {names}");
            return Err(Failure::usage(words));
        }
    }
    if arguments.here {
        return here(arguments);
    }
    let search = search_path(&arguments.plugins);
    // No code of the plugin runs in this process.
    let isolation = processes(&search).map_err(Failure::plugin)?;
    let loader = isolation.plugin_loader(interrupt);
    let (library, _) = open(arguments, search, loader.opener())?;
    let now = Arc::new(Mutex::new(""));
    let shown = Arc::clone(&now);
    let wait = Wait::begin(move || format!("checking {}", shown.lock()));
    let kit = Kit { arguments, library: &library, interrupt };
    let mut found = Vec::new();
    for check in CHECKS.iter().filter(|check| check.applies(&library)) {
        if !arguments.only.is_empty() && !arguments.only.iter().any(|only| only == check.name) {
            continue;
        }
        *now.lock() = check.name;
        let finding = kit.check(check.name);
        if interrupt.is_raised() {
            return Ok(Exit::Interrupted);
        }
        found.push(Conformance { check, finding });
    }
    drop(wait);
    Ok(print(&found, arguments.json))
}

fn print(found: &[Conformance], json: bool) -> Exit {
    let count = |is: fn(&Finding) -> bool| found.iter().filter(|one| is(&one.finding)).count();
    let failed = count(|finding| matches!(finding, Finding::Failed(_)));
    let unfinished = count(|finding| matches!(finding, Finding::Unfinished(_)));
    if json {
        let rows: Vec<_> = found.iter().map(object).collect();
        put_exactly(&format!("{:#}\n", json!(rows)));
    } else {
        put(&terminal::conformance(found, terminal::width().into()));
        let skipped = count(|finding| matches!(finding, Finding::Skipped(_)));
        let passed = found.len() - failed - skipped - unfinished;
        let open = match unfinished {
            0 => String::new(),
            open => format!("{open} unfinished, "),
        };
        line!("{passed} checks passed, {failed} failed, {open}{skipped} do not apply.");
    }
    if failed + unfinished > 0 { Exit::Plugin } else { Exit::Done }
}

fn object(one: &Conformance) -> serde_json::Value {
    let (outcome, seen) = match &one.finding {
        Finding::Passed(seen) => ("passed", seen),
        Finding::Failed(seen) => ("failed", seen),
        Finding::Skipped(seen) => ("skipped", seen),
        Finding::Unfinished(seen) => ("unfinished", seen),
    };
    let check = one.check;
    json!({
        "check": check.name, "outcome": outcome, "seen": seen, "rule": check.rule,
        "written": check.written,
    })
}

fn limit(arguments: &ConformanceArguments) -> Duration {
    Duration::from_secs(u64::from(arguments.seconds.get()))
}

/// Returns the settings of glibc in which each freed block counts as free at once. By default, each
/// thread keeps freed blocks, which count as allocated. Other settings of the user stay.
fn no_thread_cache() -> OsString {
    let mut settings = std::env::var_os("GLIBC_TUNABLES").unwrap_or_default();
    if !settings.is_empty() {
        settings.push(":");
    }
    settings.push("glibc.malloc.tcache_count=0");
    settings
}

fn named(name: &str) -> Option<&'static Check> {
    CHECKS.iter().find(|check| check.name == name)
}

/// Opens the tested plugin with its parameters.
fn open(
    arguments: &ConformanceArguments,
    search: SearchPath,
    opener: Opener,
) -> Result<(Arc<Library>, Given), Failure> {
    let ConformanceArguments { plugin, set, interpreter, .. } = arguments;
    load_plugin(plugin, interpreter.as_deref(), set, search, opener)
}

/// Runs one check in this process, and prints its finding as JSON.
fn here(arguments: &ConformanceArguments) -> Result<Exit, Failure> {
    let search = search_path(&arguments.plugins);
    let (library, given) = open(arguments, search, Opener::here(PluginPolicy::Any))?;
    let Given { problem, operators } = given;
    let check = arguments.only.first().and_then(|name| named(name));
    let check = check.ok_or_else(|| Failure::usage("--here needs --only"))?;
    let finding = run(check, &library, (&problem, &operators), limit(arguments));
    put_exactly(&format!("{}\n", json!(finding)));
    Ok(Exit::Done)
}

/// Inputs of the checks.
struct Kit<'run> {
    arguments: &'run ConformanceArguments,
    library: &'run Library,
    interrupt: &'run Interrupt,
}

impl Kit<'_> {
    fn check(&self, name: &'static str) -> Finding {
        let ConformanceArguments { plugin, set, .. } = self.arguments;
        if name == PROCESSES || name == OPERATOR_PROCESSES {
            return self
                .compare([name, name], ["two processes", "two processes gave different answers"]);
        }
        if name == OTHERS {
            let broken =
                "an instance answers otherwise where there are instances with other parameters";
            let held = "with and without other instances";
            return self.compare([PROCESSES, OTHERS], [held, broken]);
        }
        if name == PARAMETERS {
            return self.parameters();
        }
        match self.outside(plugin, set, name) {
            Finding::Passed(seen) if name == SPEED => {
                let peers = PEERS.into_iter().filter(|peer| *peer != self.library.name());
                let peers = peers.filter_map(|peer| match self.outside(peer, &[], name) {
                    Finding::Passed(seen) => Some(format!("; {peer}: {seen}")),
                    _ => None,
                });
                Finding::Passed(seen + &peers.collect::<String>())
            }
            finding => finding,
        }
    }

    /// Compares the digests of two checks, each in a separate process.
    fn compare(&self, names: [&str; 2], [held, broken]: [&str; 2]) -> Finding {
        let ConformanceArguments { plugin, set, .. } = self.arguments;
        match names.map(|name| self.outside(plugin, set, name)) {
            [Finding::Passed(one), Finding::Passed(other)] if one == other => {
                Finding::Passed(format!("{held}, digest {one:.16}"))
            }
            [Finding::Passed(_), Finding::Passed(_)] => Finding::Failed(broken.to_owned()),
            [Finding::Passed(_), other] | [other, _] => other,
        }
    }

    /// Tests every parameter at the ends of its range, with the others unchanged.
    fn parameters(&self) -> Finding {
        let (mut works, mut refused) = (0, 0);
        for parameter in self.library.parameters() {
            for value in ends_of(parameter) {
                let key = parameter.key.as_ref();
                let is_other = |set: &&String| {
                    set.split_once('=').is_none_or(|(name, _)| parameter_key(name) != key)
                };
                let set: Vec<String> =
                    self.arguments.set.iter().filter(is_other).cloned().collect();
                let set = [set, vec![format!("{key}={value}")]].concat();
                match self.outside(&self.arguments.plugin, &set, PARAMETERS) {
                    Finding::Failed(seen) => {
                        return Finding::Failed(format!("{key} = {value}: {seen}"));
                    }
                    Finding::Unfinished(seen) => {
                        return Finding::Unfinished(format!("{key} = {value}: {seen}"));
                    }
                    Finding::Passed(seen) if seen.starts_with("refused") => refused += 1,
                    _ => works += 1,
                }
                if self.interrupt.is_raised() {
                    return Finding::Skipped("interrupted".to_owned());
                }
            }
        }
        match works + refused {
            0 => Finding::Skipped("it has no parameters with ends".to_owned()),
            all => Finding::Passed(format!("{all} values: {works} work, {refused} are refused")),
        }
    }

    /// Runs a check in a separate process.
    fn outside(&self, plugin: &str, set: &[String], name: &str) -> Finding {
        let Ok(program) = std::env::current_exe() else {
            return Finding::Failed("this program does not find itself".to_owned());
        };
        let mut command = Command::new(program);
        command.args(["conformance", "--here", "--only", name]);
        command.args(["--seconds", &self.arguments.seconds.to_string()]);
        set.iter().for_each(|set| _ = command.args(["--set", set]));
        for folder in &self.arguments.plugins.plugin_dir {
            command.arg("--plugin-dir").arg(folder);
        }
        // The plugins that the speed is compared with need no interpreter.
        if let Some(interpreter) = &self.arguments.interpreter
            && plugin == self.arguments.plugin
        {
            command.arg("--interpreter").arg(interpreter);
        }
        command.args(["--", plugin]).stdin(Stdio::null());
        if name == MEMORY {
            command.env("GLIBC_TUNABLES", no_thread_cache());
        }
        let limit = limit(self.arguments).saturating_mul(PATIENCE);
        answer(&mut command, limit, self.interrupt).unwrap_or_else(Finding::Failed)
    }
}

/// Runs a command and returns the finding that it prints, or that it did not end in time.
fn answer(
    command: &mut Command,
    limit: Duration,
    interrupt: &Interrupt,
) -> Result<Finding, String> {
    /// Maximum time for a thread to read the output of a process that ended. It takes that long
    /// only if a process that the plugin left behind keeps the pipe open.
    const DRAIN: Duration = Duration::from_secs(30);

    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.map_err(|error| format!("no process can be started: {error}"))?;
    let listening = |error| format!("no thread can be started: {error}");
    let out = child.stdout.take().map(first_line).transpose().map_err(listening)?;
    let errors = child.stderr.take().map(fault).transpose().map_err(listening)?;
    let start = Instant::now();
    let ended = loop {
        match child.try_wait() {
            Ok(Some(_)) => break true,
            Ok(None) if start.elapsed() < limit && !interrupt.is_raised() => {
                std::thread::sleep(Duration::from_millis(2));
            }
            _ => break false,
        }
    };
    if !ended {
        _ = child.kill();
        _ = child.wait();
        let seconds = limit.as_secs();
        return Ok(Finding::Unfinished(format!(
            "no end after {seconds} s, {PATIENCE} times --seconds: it hangs or needs more"
        )));
    }
    let text = |stream: Option<Receiver<String>>| {
        stream.and_then(|text| text.recv_timeout(DRAIN).ok()).unwrap_or_default()
    };
    // Without an answer, the process ended before it could report its finding.
    serde_json::from_str(&text(out)).map_err(|_| match text(errors) {
        fault if fault.is_empty() => "the process ended without an answer".to_owned(),
        fault => fault,
    })
}

/// Returns a channel for the first line of a stream.
fn first_line(stream: impl Read + Send + 'static) -> std::io::Result<Receiver<String>> {
    read(stream, |line| Some(line.to_owned()))
}

/// Returns a channel for the message of the first line that is an error.
fn fault(stream: impl Read + Send + 'static) -> std::io::Result<Receiver<String>> {
    read(stream, |line| line.strip_prefix("error: ").map(|words| words.trim_end().to_owned()))
}

/// Reads a stream to its end in a background thread, and sends the first line that `take` accepts.
fn read(
    stream: impl Read + Send + 'static,
    take: fn(&str) -> Option<String>,
) -> std::io::Result<Receiver<String>> {
    /// Maximum bytes per line, more than any answer has.
    const LONGEST: u64 = 1 << 20;
    let (sender, receiver) = channel();
    let work = move || {
        let (mut stream, mut line) = (BufReader::new(stream), Vec::new());
        while let Ok(1..) = (&mut stream).take(LONGEST).read_until(b'\n', &mut line) {
            if let Some(found) = take(&String::from_utf8_lossy(&line)) {
                _ = sender.send(found);
                break;
            }
            line.clear();
        }
        // The rest is also read, so that the writer does not block.
        _ = std::io::copy(&mut stream, &mut std::io::sink());
    };
    std::thread::Builder::new().spawn(work)?;
    Ok(receiver)
}
