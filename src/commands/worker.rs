//! `runner worker`: a process that runs trials for another one. Not for users.

use super::load::load_again;
use crate::cli::WorkerArguments;
use crate::exit::Exit;
use crate::run::serve;

#[cfg(unix)]
pub fn worker(arguments: &WorkerArguments) -> Exit {
    use std::io::BufWriter;
    // What a plugin prints must not get among the replies: those go to a copy of the pipe, and standard output to standard
    // error.
    let replies = rustix::io::dup(std::io::stdout()).map(std::fs::File::from);
    let (Ok(replies), Ok(())) = (replies, rustix::stdio::dup2_stdout(std::io::stderr())) else {
        message!("error: a worker process cannot set up its pipes");
        return Exit::Results;
    };
    if let Some(megabytes) = arguments.memory {
        let bytes = Some(megabytes.get() << 20);
        let limit = rustix::process::Rlimit { current: bytes, maximum: bytes };
        if let Err(error) = rustix::process::setrlimit(rustix::process::Resource::As, limit) {
            message!("error: --worker-memory {megabytes}: the limit cannot be set: {error}");
            return Exit::Results;
        }
    }
    #[cfg(target_os = "linux")]
    {
        // A run that is killed must not leave workers behind that a plugin keeps busy for ever.
        _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
    }
    let mut plans = match load_again(&arguments.experiments) {
        Ok(plans) => plans,
        Err(exit) => return exit,
    };
    let Some(plan) = plans.pop() else { return Exit::Usage };
    match serve(&plan, std::io::stdin().lock(), BufWriter::new(replies)) {
        Ok(()) => Exit::Done,
        // The run is gone.
        Err(_) => Exit::Interrupted,
    }
}

#[cfg(not(unix))]
pub fn worker(_arguments: &WorkerArguments) -> Exit {
    message!("error: worker processes need a Unix system");
    Exit::Usage
}
