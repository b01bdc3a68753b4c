//! The command that starts a program.

use crate::problem::Location;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Python side of the protocol. The interpreter gets it as an argument, so that nothing has to be
/// installed.
const PYTHON: &str = include_str!("../../../../plugins/python/runner.py");

/// Executable that starts programs.
static LAUNCHER: OnceLock<PathBuf> = OnceLock::new();

/// Sets the executable that starts programs, as `EXECUTABLE launch --parent=PID -- PROGRAM …`.
/// Programs then end with this process. Without it, programs are started directly, and end when
/// they next read a request.
pub fn start_through(executable: PathBuf) {
    // The first call wins.
    _ = LAUNCHER.set(executable);
}

/// Returns the command for the program, with its arguments and environment.
pub(super) fn command(location: &Location) -> Command {
    let words = words(location);
    let mut command = match LAUNCHER.get() {
        Some(launcher) => {
            let mut command = Command::new(launcher);
            command.arg("launch").arg(format!("--parent={}", std::process::id()));
            if location.is_python() {
                // `plugins/python/runner.py` unblocks the signals.
                command.arg("--block");
            }
            command.arg("--");
            command.args(&words);
            command
        }
        None => {
            let mut command = Command::new(&words[0]);
            command.args(&words[1..]);
            command
        }
    };
    // Python sets of texts then have the same order in all processes.
    if std::env::var_os("PYTHONHASHSEED").is_none() {
        command.env("PYTHONHASHSEED", "0");
    }
    // Python 3.11 and later then import nothing from the working folder. In earlier versions
    // `plugins/python/runner.py` ensures this; it also hides the variable from the problem.
    if location.is_python() && std::env::var_os("PYTHONSAFEPATH").is_none() {
        command.env("PYTHONSAFEPATH", "runner");
    }
    // Otherwise the libraries that numpy uses start one thread per core, but the workers already
    // use the cores.
    for variable in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"] {
        if std::env::var_os(variable).is_none() {
            command.env(variable, "1");
        }
    }
    command
}

fn words(location: &Location) -> Vec<OsString> {
    let path = location.path.clone().into_os_string();
    if !location.is_python() {
        return vec![path];
    }
    vec![interpreter(location).into_os_string(), "-c".into(), PYTHON.into(), path]
}

/// Returns the interpreter of a Python file.
pub(super) fn interpreter(location: &Location) -> PathBuf {
    location.interpreter.clone().unwrap_or_else(|| {
        match std::env::var_os("VIRTUAL_ENV").filter(|folder| !folder.is_empty()) {
            Some(folder) => Path::new(&folder).join("bin/python"),
            None => PathBuf::from("python3"),
        }
    })
}
