//! `runner launch`: becomes a program that ends when the process that started it ends. Internal.

use crate::cli::Failure;
use crate::cli::arguments::LaunchArguments;
use crate::exit::Exit;
#[cfg(unix)]
use std::{fs::File, io::Read, path::Path};

#[cfg(unix)]
pub(super) fn launch(arguments: &LaunchArguments) -> Result<Exit, Failure> {
    use crate::system::interrupt::block_signals;
    use std::io::ErrorKind;
    use std::os::unix::process::CommandExt;
    use std::process::Command;
    #[cfg(target_os = "linux")]
    {
        _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
    }
    let parent = rustix::process::getppid().map(|id| id.as_raw_nonzero().get().unsigned_abs());
    // The parent may have ended before the line above.
    if parent != Some(arguments.parent) {
        return Ok(Exit::Interrupted);
    }
    if arguments.block {
        block_signals();
    }
    let program = Path::new(&arguments.words[0]);
    let error = Command::new(program).args(&arguments.words[1..]).exec();
    let path = program.display();
    Err(Failure::plugin(match (error.kind(), interpreter(program)) {
        (ErrorKind::NotFound, Some(interpreter)) => format!(
            "{path} did not start: its first line names `{interpreter}`, which does not exist here"
        ),
        (ErrorKind::NotFound, None) => format!(
            "{path} did not start: there is no such program; install it, or name another (of \
            Python, by the key `interpreter` of the plugin's table)"
        ),
        (ErrorKind::PermissionDenied, _) if program.is_file() => {
            format!("{path} did not start: it may not be executed; try chmod +x")
        }
        _ => format!("{path} did not start: {error}"),
    }))
}

/// Returns the interpreter in the first line of a script; `None` if it has none.
#[cfg(unix)]
fn interpreter(script: &Path) -> Option<String> {
    /// Maximum length of such a line that Linux reads (execve(2)).
    const LONGEST: u64 = 256;
    let mut start = Vec::new();
    File::open(script).ok()?.take(LONGEST).read_to_end(&mut start).ok()?;
    let line = start.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line);
    line.split_whitespace().next().map(str::to_owned)
}

#[cfg(not(unix))]
pub(super) fn launch(_arguments: &LaunchArguments) -> Result<Exit, Failure> {
    Err(Failure::usage("problems that are programs need a Unix system"))
}
