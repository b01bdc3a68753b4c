//! `runner worker`: loads plugins and runs trials for another process. Internal.

use crate::cli::Failure;
use crate::cli::arguments::WorkerArguments;
use crate::exit::Exit;

#[cfg(unix)]
pub(super) fn worker(arguments: &WorkerArguments) -> Result<Exit, Failure> {
    use crate::system::{guard, streams};
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use std::io;
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;
    // The connection replaces standard input, the board replaces standard output. A plugin must
    // find neither there: it would read requests as its input, and pass both to the programs that
    // it starts.
    let connection = || -> io::Result<(UnixStream, OwnedFd)> {
        let connection = rustix::io::fcntl_dupfd_cloexec(io::stdin(), 3)?;
        let board = rustix::io::fcntl_dupfd_cloexec(io::stdout(), 3)?;
        rustix::stdio::dup2_stdin(std::fs::File::open("/dev/null")?)?;
        rustix::stdio::dup2_stdout(io::stderr())?;
        streams::keep();
        Ok((UnixStream::from(connection), board))
    };
    let (connection, board) = connection().map_err(|error| {
        Failure::results(format!("a worker process cannot set up its descriptors: {error}"))
    })?;
    #[cfg(target_os = "linux")]
    {
        // A killed run must not leave workers behind that a plugin keeps busy for ever.
        _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
    }
    // The run may have ended before the line above.
    let mut other_end = [PollFd::new(&connection, PollFlags::empty())];
    let polled = poll(&mut other_end, Some(&Timespec::default()));
    if polled.is_ok() && other_end[0].revents().contains(PollFlags::HUP) {
        return Ok(Exit::Interrupted);
    }
    if let Some(megabytes) = arguments.memory {
        let bytes = Some(megabytes.get() << 20);
        let limit = rustix::process::Rlimit { current: bytes, maximum: bytes };
        rustix::process::setrlimit(rustix::process::Resource::As, limit).map_err(|error| {
            Failure::results(format!(
                "--worker-memory {megabytes}: the limit cannot be set: {error}"
            ))
        })?;
    }
    guard::write_to(board);
    let answer =
        if arguments.live { super::serve::serve_orders } else { crate::run::answer_requests };
    // An error means that the run has ended.
    Ok(answer(connection).map_or(Exit::Interrupted, |()| Exit::Done))
}

#[cfg(not(unix))]
pub fn worker(_arguments: &WorkerArguments) -> Result<Exit, Failure> {
    Err(Failure::usage("worker processes need a Unix system"))
}
