//! Arguments of `runner export`.

use super::values;
use clap::{Args, ValueEnum, ValueHint};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ExportArguments {
    /// Folder of an experiment
    #[arg(value_name = "FOLDER", value_hint = ValueHint::DirPath, value_parser = values::results())]
    pub folder: PathBuf,
    /// The format to write
    #[arg(long, value_enum)]
    pub format: ExportKind,
    /// Folder for the files [default: FOLDER/ioh or FOLDER/coco]
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportKind {
    /// IOHprofiler (IOHanalyzer, iohinspector)
    Ioh,
    /// COCO (cocopp)
    Coco,
}
