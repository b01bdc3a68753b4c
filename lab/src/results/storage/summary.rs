//! The summary's file, `summary.parquet`.

use crate::analysis::SummaryTable;
use crate::plan::resolved::SettingsReader;
use crate::plan::settings::Trace;
use crate::plan::{ArmSpec, BestType};
use crate::results::error::ResultsError;
use crate::results::schema::columns::Table;
use crate::results::schema::summary::{read_rows, summary_frame, swept_keys};
use crate::results::schema::table_schema::TableSchema;
use crate::results::storage::checksum::Checksum;
use crate::results::storage::metadata::{Origin, TableMetadata};
use crate::results::storage::reader::TableReader;
use crate::results::storage::writer::{Written, write_frame};
use std::path::Path;

/// Writes the summary under a name that is not its own yet. `trials`: the checksum of the trials
/// that it sums up.
pub(crate) fn write_summary(
    summary: &SummaryTable,
    path: &Path,
    schema: &TableSchema,
    origin: &Origin,
    trials: Checksum,
) -> Result<Written, ResultsError> {
    let frame = summary_frame(summary, schema);
    let frame = frame.map_err(|error| ResultsError::unwritable(path, error))?;
    let mut metadata =
        TableMetadata::new(Table::Summary, schema.trace, origin.clone(), Some(trials));
    metadata.ended_by.clone_from(&schema.stopping_rule);
    metadata.results.clone_from(&summary.results_hash);
    write_frame(path, Table::Summary, frame, schema, &metadata)
}

/// Reads the summary, and what its file says of the experiment and of itself.
pub(crate) fn read_summary(
    path: &Path,
) -> Result<(SummaryTable, TableSchema, TableMetadata), ResultsError> {
    let reader = TableReader::open(path, Table::Summary)?;
    let trace = Trace::parse(&reader.metadata.trace);
    let swept_keys = swept_keys(reader.schema());
    let (mut rows, mut settings) = (Vec::new(), SettingsReader::default());
    for group in 0..reader.groups() {
        let frame = reader.group(group, None)?;
        reader.sound(read_rows(&frame, &swept_keys, &mut settings, &mut rows))?;
    }
    let arms: Vec<ArmSpec> = rows.iter().map(|(_, row)| row.arm.clone()).collect();
    let experiment = rows.first().map(|(experiment, _)| experiment.clone()).unwrap_or_default();
    let mut schema = TableSchema::new(
        experiment.clone(),
        trace.unwrap_or(Trace::None),
        BestType::Integers,
        swept_keys.clone(),
        arms,
    );
    schema.stopping_rule.clone_from(&reader.metadata.ended_by);
    schema.violations = reader.schema().contains(Table::Summary.violation_columns()[0].name);
    let rows = rows.into_iter().map(|(_, row)| row).collect();
    let results_hash = reader.metadata.results.clone();
    let summary = SummaryTable { experiment, swept_keys, rows, results_hash };
    Ok((summary, schema, reader.metadata))
}
