//! `runner export`: writes results in the formats of other tools.

use super::arms::tell_unfinished;
use super::output::line;
use crate::cli::Failure;
use crate::cli::arguments::{ExportArguments, ExportKind};
use crate::exit::Exit;
use crate::plan::ArmSpec;
use crate::plan::settings::Trace;
use crate::present::export::{ExportFormat, check_exportable, export as write};
use crate::results::Results;
use crate::results::storage::output_folder;
use crate::system::shell::shell_path;
use crate::words::{count, first_listed};

pub(super) fn export(arguments: &ExportArguments) -> Result<Exit, Failure> {
    let results = Results::open(&arguments.folder)?;
    tell_unfinished(&results);
    check_exportable(&results).map_err(Failure::results)?;
    let (format, name) = match arguments.format {
        ExportKind::Ioh => (ExportFormat::Ioh, "ioh"),
        ExportKind::Coco => (ExportFormat::Coco, "coco"),
    };
    let out = match &arguments.out {
        Some(folder) => output_folder::create(folder)?,
        None => output_folder::create_below(&arguments.folder, name)?,
    };
    let exported = write(&results, format, &out).map_err(Failure::results)?;
    exported.folders.iter().for_each(|folder| line!("{}", folder.display()));
    if !exported.others.is_empty() {
        let others = exported.others.iter().map(|path| shell_path(path));
        note!(
            "other tools also read what was there before and does not belong to this export: {}; \
            remove it unless you want it",
            first_listed(others, 5)
        );
    }
    for (arm, [failed, all]) in &exported.failed {
        note!("{} of {} trials of `{arm}` failed, and are left out", count(*failed), count(*all));
    }
    if exported.without_target {
        note!(
            "without a target, COCO's files have the difference to the least fitness of this \
            export: the last target, 1e-8, is that fitness, and no success"
        );
    }
    let is_untold =
        |arm: &ArmSpec| arm.settings.defines_success() && arm.settings.target().is_none();
    if results.arms().iter().any(is_untold) {
        note!(
            "success was imported without a target, and these formats tell it by fitness alone: \
            import with --target, if a target decides it"
        );
    }
    if results.trace() == Trace::None {
        note!(
            "there is no generations table, so only each trial's success and end are known; \
            set trace = \"best\" in [output] to record each improvement"
        );
    }
    Ok(Exit::Done)
}
