//! `runner man`: writes the manual, one page per command.

use crate::cli::{Cli, Failure};
use crate::exit::Exit;
use crate::results::storage::output_folder;
use clap::CommandFactory;
use std::path::Path;

pub(super) fn man(folder: &Path) -> Result<Exit, Failure> {
    let folder = output_folder::create(folder)?;
    clap_mangen::generate_to(Cli::command(), &folder).map_err(|error| {
        Failure::results(format!("cannot write man pages to {}: {error}", folder.display()))
    })?;
    Ok(Exit::Done)
}
