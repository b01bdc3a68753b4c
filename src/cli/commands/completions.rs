//! `runner completions`: prints a script that completes the command line in a shell.

use crate::cli::Cli;
use crate::exit::Exit;
use crate::system::output::put_exactly;
use clap::CommandFactory;
use clap_complete::Shell;

pub(super) fn completions(shell: Shell) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "runner", &mut script);
    put_exactly(&String::from_utf8_lossy(&script));
    Exit::Done
}
