//! The tables of imported trials, and where they came from.

use super::{ImportError, Report, Request, digest};
use crate::analysis::ArmAccumulator;
use crate::plan::ResultsSpec;
use crate::record::TrialRecord;
use crate::results::ResultsError;
use crate::results::schema::columns::Table;
use crate::results::schema::table_schema::TableSchema;
use crate::results::storage::folder::{TableSet, create_folder, is_there};
use crate::results::storage::lock::{LOCK, Lock};
use crate::results::storage::metadata::Origin;
use crate::results::storage::provenance::{Imported, Provenance};
use crate::results::storage::summary::write_summary;
use crate::results::storage::writer::RowWriter;
use crate::system::host::now;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// Writes `run.toml`, the trials and the summary.
///
/// # Errors
/// Returns an error if the folder has other results, or a file cannot be written.
pub(super) fn write(
    request: &Request,
    spec: &ResultsSpec,
    records: Vec<TrialRecord>,
    rows: u64,
    map: Vec<String>,
) -> Result<Report, ImportError> {
    let folder = request.out.join(&spec.experiment);
    check(&folder, &request.file)?;
    let file = request.file.display().to_string();
    let blake3 = digest(&request.file).map_err(|error| format!("{file}: {error}"))?;
    let beside = request.beside.as_ref().map(|beside| beside.display().to_string());
    let imported = Imported {
        file: file.clone(),
        blake3: blake3.clone(),
        rows,
        map,
        target: request.target,
        beside,
        time: now(),
        runner_version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    create_folder(&folder)?;
    let _lock = Lock::take(&folder)?;
    // A run may have begun in it a moment ago.
    check(&folder, &request.file)?;
    let schema = Arc::new(TableSchema::of(spec));
    let mut origin = Origin::new(spec, BTreeSet::new());
    origin.imported = Some(file);
    let mut accumulators: Vec<ArmAccumulator> =
        (0..spec.arms.len()).map(|arm| schema.accumulator(arm)).collect();
    records.iter().for_each(|record| accumulators[record.arm].add(record));
    let totals = accumulators.into_iter().zip(&spec.arms);
    let totals = totals.map(|(accumulator, arm)| accumulator.finish(arm.id, None)).collect();
    let set = TableSet::tables(&folder);
    let number = records.len() as u64;
    let mut writer = RowWriter::create(&set.path(Table::Trials), &schema, &origin, number)?;
    records.into_iter().try_for_each(|record| writer.push(record))?;
    let trials = writer.finish()?;
    trials.check(Table::Trials)?;
    let path = folder.join(Table::Summary.file_name());
    let summary = schema.summary(totals);
    let summary = write_summary(&summary, &path, &schema, &origin, trials.checksum)?;
    Provenance { imported: Some(imported), ..Provenance::default() }.write(&folder)?;
    trials.publish()?;
    summary.publish()?;
    Ok(Report { folder, arms: spec.arms.len(), trials: number })
}

/// Checks that a folder may be written: it is missing, is empty, or holds an earlier import of this
/// file.
fn check(folder: &Path, file: &Path) -> Result<(), ImportError> {
    if !is_there(folder)? || is_empty(folder)? {
        return Ok(());
    }
    let plain = |path: &Path| path.strip_prefix(".").unwrap_or(path).to_owned();
    let place = folder.display();
    let fault = match Provenance::read(folder)?.imported {
        Some(imported) if plain(Path::new(&imported.file)) == plain(file) => return Ok(()),
        Some(Imported { file, .. }) => format!(
            "{place}: its trials were imported from {file}; give --name or --out, or remove the \
            folder"
        ),
        None => format!(
            "{place}: this folder is there already and is no import; choose another name with \
            --name, or another folder with --out"
        ),
    };
    Err(fault.into())
}

/// Returns whether nothing is in a folder but its lock.
fn is_empty(folder: &Path) -> Result<bool, ImportError> {
    let wrong = || ResultsError::reading(folder, "look into the folder");
    for entry in std::fs::read_dir(folder).map_err(wrong())? {
        if entry.map_err(wrong())?.file_name() != LOCK {
            return Ok(false);
        }
    }
    Ok(true)
}
