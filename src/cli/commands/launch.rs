//! `runner launch`: becomes a program that ends when the process that started it ends. Internal.

use crate::cli::Failure;
use crate::cli::arguments::LaunchArguments;
use crate::exit::Exit;

#[cfg(unix)]
pub(super) fn launch(arguments: &LaunchArguments) -> Result<Exit, Failure> {
    use crate::system::interrupt::block_signals;
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
    let error = Command::new(&arguments.words[0]).args(&arguments.words[1..]).exec();
    Err(Failure::plugin(format!("{}: {error}", arguments.words[0].display())))
}

#[cfg(not(unix))]
pub(super) fn launch(_arguments: &LaunchArguments) -> Result<Exit, Failure> {
    Err(Failure::usage("problems that are programs need a Unix system"))
}
