//! The command in a program that has no page: the feature is off, or the system is no Unix.

use crate::cli::Failure;
use crate::cli::arguments::ServeArguments;
use crate::exit::Exit;
use crate::system::interrupt::Interrupt;
#[cfg(unix)]
use std::{io, os::unix::net::UnixStream};

pub(crate) fn serve(_: &ServeArguments, _: &Interrupt) -> Result<Exit, Failure> {
    Err(Failure::usage(
        "this program has no live page: it needs a Unix system, and the feature `page`, which \
         `cargo build` has unless `--no-default-features` leaves it out",
    ))
}

/// Ends the connection: no page of this program can have started the process.
#[cfg(unix)]
pub(crate) fn serve_orders(_: UnixStream) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
