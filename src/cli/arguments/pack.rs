//! Arguments of `runner pack`.

use super::{RecordedPluginArguments, values};
use crate::present::pack::{Author, License};
use clap::{Args, ValueHint};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct PackArguments {
    /// Folder of a finished experiment or tuning
    #[arg(value_name = "FOLDER", value_hint = ValueHint::DirPath, value_parser = values::results())]
    pub folder: PathBuf,
    /// The file to write [default: FOLDER.zip]
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub out: Option<PathBuf>,
    /// Licence of the results: an SPDX identifier, such as CC-BY-4.0, or an address
    #[arg(long, value_name = "LICENCE")]
    pub license: Option<License>,
    /// An author, as "NAME" or "NAME <https://orcid.org/ID>" (repeatable); "FAMILY, GIVEN" tells
    /// CITATION.cff the parts of the name
    #[arg(long = "author", value_name = "AUTHOR")]
    pub authors: Vec<Author>,
    #[command(flatten)]
    pub plugins: RecordedPluginArguments,
}
