//! `runner completions`: a script that teaches a shell the command line.

use crate::cli::Cli;
use crate::exit::Exit;
use clap::CommandFactory;
use clap_complete::Shell;

pub fn completions(shell: Shell) -> Exit {
    clap_complete::generate(shell, &mut Cli::command(), "runner", &mut std::io::stdout());
    Exit::Done
}
