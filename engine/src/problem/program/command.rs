//! How a program is started.

use crate::problem::Location;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The Python side: the interpreter gets it as an argument, so nothing has to be installed.
const PYTHON: &str = include_str!("../../../../plugins/python/runner.py");

/// The program that starts programs.
static LAUNCHER: OnceLock<PathBuf> = OnceLock::new();

/// Has programs started through this executable, as `EXECUTABLE launch --parent=PID -- PROGRAM …`,
/// which makes them end with this process. Without it they are started directly, and end
/// when they next read a request.
pub fn start_through(executable: PathBuf) {
    // Who came first stays.
    _ = LAUNCHER.set(executable);
}

/// The program, and what it is given.
pub(super) fn command(location: &Location) -> Command {
    let words = words(location);
    let mut command = match LAUNCHER.get() {
        Some(launcher) => {
            let mut command = Command::new(launcher);
            command.arg("launch").arg(format!("--parent={}", std::process::id()));
            if location.is_python() {
                // `plugins/python/runner.py` unblocks them.
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
    // Sets of texts then have one order in all processes.
    if std::env::var_os("PYTHONHASHSEED").is_none() {
        command.env("PYTHONHASHSEED", "0");
    }
    // Python 3.11 and later then import nothing from the working folder. In earlier ones
    // `plugins/python/runner.py` sees to that; it also hides the variable from the problem.
    if location.is_python() && std::env::var_os("PYTHONSAFEPATH").is_none() {
        command.env("PYTHONSAFEPATH", "runner");
    }
    // Libraries below numpy start a thread per core otherwise; the workers are the threads here.
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

/// What runs a Python file.
pub(super) fn interpreter(location: &Location) -> PathBuf {
    location.interpreter.clone().unwrap_or_else(|| {
        match std::env::var_os("VIRTUAL_ENV").filter(|folder| !folder.is_empty()) {
            Some(folder) => Path::new(&folder).join("bin/python"),
            None => PathBuf::from("python3"),
        }
    })
}
