//! Arguments of `runner import`.

use super::values;
use clap::{Args, ValueHint};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ImportArguments {
    /// A CSV file (.csv, .tsv, .txt), a Parquet file, or a folder in IOHprofiler's format
    #[arg(value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub file: PathBuf,
    /// Which column holds what, such as success=solved,evaluations=nevals (repeatable); several
    /// columns for arm make its name together
    #[arg(long, value_name = "KEY=COLUMN", value_delimiter = ',')]
    pub map: Vec<String>,
    /// A trial is successful if its fitness is at most this, where no column says (IOHprofiler: at
    /// least this, if the function is maximised)
    #[arg(
        long,
        value_name = "FITNESS",
        value_parser = values::finite,
        allow_negative_numbers = true
    )]
    pub target: Option<f64>,
    /// The experiment's name [default: the file's]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Results of a run, whose arms are also added to the new folder
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub beside: Option<PathBuf>,
    /// Folder for the results
    #[arg(
        long, short, value_name = "DIR", default_value = "results", value_hint = ValueHint::DirPath
    )]
    pub out: PathBuf,
}
