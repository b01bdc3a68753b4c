//! The table of a tuning: a row for each setting that was tried.

use super::record::KeyRecord;
use super::result::{End, TuningResult};
use crate::parquet::{Column, Frame, FrameError, ParquetReader, ParquetWriter};
use crate::results::schema::row::swept_column;
use crate::results::schema::table_schema::swept_type;
use crate::results::storage::atomic::write_atomically;
use crate::results::{ResultsError, SETTINGS_TABLE};
use std::fs::File;
use std::path::Path;

/// Columns before those of the tuned keys.
const FIRST: [&str; 3] = ["setting", "iteration", "parent"];

/// Writes the table.
pub(super) fn write_settings(result: &TuningResult) -> Result<(), ResultsError> {
    let path = result.folder.path.join(SETTINGS_TABLE);
    let bytes =
        frame(result).and_then(bytes).map_err(|error| ResultsError::unwritable(&path, error))?;
    write_atomically(&path, &bytes)
}

fn bytes(frame: Frame) -> Result<Vec<u8>, FrameError> {
    let mut bytes = Vec::new();
    let writer = ParquetWriter::new(&mut bytes, frame.schema(), Vec::new())?;
    writer.write(frame)?;
    writer.finish()?;
    drop(writer);
    Ok(bytes)
}

fn frame(result: &TuningResult) -> Result<Frame, FrameError> {
    let rows = &result.settings;
    let finalist =
        |number: usize| result.record.finalists.iter().find(|finalist| finalist.setting == number);
    let number = |name, values: Vec<Option<u64>>| Column::optional(name, values.into_iter());
    let real = |name, values: Vec<Option<f64>>| Column::optional(name, values.into_iter());
    let [setting, iteration, parent] = FIRST;
    let mut columns = vec![
        number(setting, rows.iter().map(|row| Some(row.number as u64)).collect()),
        number(iteration, rows.iter().map(|row| Some(u64::from(row.iteration))).collect()),
        number(parent, rows.iter().map(|row| row.parent.map(|one| one as u64)).collect()),
    ];
    for (place, KeyRecord { key, .. }) in result.record.keys.iter().enumerate() {
        let values = || rows.iter().map(|row| row.values[place].as_ref());
        columns.push(swept_column(key, swept_type(values().flatten()), values()));
    }
    columns.push(number("trials", rows.iter().map(|row| Some(row.trials)).collect()));
    columns.push(number("failures", rows.iter().map(|row| Some(row.failures)).collect()));
    columns.push(real("mean_cost", rows.iter().map(|row| row.mean_cost).collect()));
    let standing = |end| match end {
        End::Survived => "survived",
        End::DroppedOut { .. } => "dropped out",
        End::Outranked { .. } => "outranked",
    };
    columns.push(Column::texts("standing", rows.iter().map(|row| Some(standing(row.end)))));
    let of_end = |figure: fn(End) -> Option<u64>| rows.iter().map(|row| figure(row.end)).collect();
    columns.push(number(
        "ended_in",
        of_end(|end| match end {
            End::Survived => None,
            End::DroppedOut { iteration, .. } | End::Outranked { iteration } => {
                Some(u64::from(iteration))
            }
        }),
    ));
    columns.push(number(
        "dropped_after",
        of_end(|end| match end {
            End::DroppedOut { after, .. } => Some(after),
            _ => None,
        }),
    ));
    columns.push(number(
        "dropped_by",
        of_end(|end| match end {
            End::DroppedOut { by, .. } => Some(by as u64),
            _ => None,
        }),
    ));
    let tested = || rows.iter().map(|row| finalist(row.number));
    columns.push(number("test_trials", tested().map(|one| Some(one?.trials)).collect()));
    columns.push(number("test_failures", tested().map(|one| Some(one?.failures)).collect()));
    columns.push(real("test_mean_cost", tested().map(|one| one?.mean).collect()));
    columns.push(real("test_median_cost", tested().map(|one| one?.median).collect()));
    let standing = tested().map(|one| {
        let one = one?;
        Some(match (one.dropped_out, result.record.has_best()) {
            _ if result.record.finalists.len() < 2 => return None,
            (Some(_), _) => "dropped out",
            (None, _) if one.trials == 0 => return None,
            (None, true) => "best",
            (None, false) => "not told apart",
        })
    });
    columns.push(Column::texts("test_standing", standing));
    Frame::new(rows.len(), columns)
}

/// Row of the table, as far as pictures need it.
#[derive(Clone, Debug, PartialEq)]
pub struct SettingRow {
    /// Value of each tuned key; `None` if the setting does not have the key.
    pub values: Vec<Option<String>>,
    /// Number of the iteration that drew it.
    pub iteration: u64,
    /// Mean cost in the iterations; `None` if no trial ran.
    pub mean_cost: Option<f64>,
    /// Whether the last iteration left it.
    pub survived: bool,
}

/// Reads all columns of the table, as texts.
///
/// # Errors
/// Returns an error if the file cannot be read.
pub fn settings_cells(folder: &Path) -> Result<Vec<(String, Vec<String>)>, ResultsError> {
    let (_, mut columns) = read(folder, |frame, _| {
        let cells = |column: &Column| Ok((column.name().to_owned(), column.cells()?));
        frame.columns().iter().map(cells).collect::<Result<Vec<_>, FrameError>>()
    })?;
    // The table has one row group.
    Ok(columns.pop().unwrap_or_default())
}

/// Reads the table: the tuned keys, and the rows.
///
/// # Errors
/// Returns an error if the file cannot be read, or is no such table.
pub fn read_settings(folder: &Path) -> Result<(Vec<String>, Vec<SettingRow>), ResultsError> {
    let (keys, groups) = read(folder, rows_of)?;
    Ok((keys, groups.into_iter().flatten().collect()))
}

/// Reads the tuned keys, and what `of` returns for each row group.
fn read<T>(
    folder: &Path,
    of: impl Fn(&Frame, &[String]) -> Result<T, FrameError>,
) -> Result<(Vec<String>, Vec<T>), ResultsError> {
    let path = folder.join(SETTINGS_TABLE);
    let file = File::open(&path).map_err(ResultsError::reading(&path, "open the file"))?;
    let unreadable =
        |message: String| ResultsError::UnreadableTuning { path: path.clone(), message };
    let reader = ParquetReader::open(file).map_err(|error| unreadable(error.to_string()))?;
    let names: Vec<String> = reader.schema().iter_names().map(ToString::to_string).collect();
    let keys = names.iter().skip(FIRST.len()).take_while(|name| *name != "trials");
    let keys: Vec<String> = keys.cloned().collect();
    let mut groups = Vec::new();
    for group in 0..reader.groups() {
        let frame = reader.group(group, None).map_err(|error| unreadable(error.to_string()))?;
        groups.push(of(&frame, &keys).map_err(|error| unreadable(error.to_string()))?);
    }
    Ok((keys, groups))
}

fn rows_of(frame: &Frame, keys: &[String]) -> Result<Vec<SettingRow>, FrameError> {
    let values =
        keys.iter().map(|key| frame.column(key)?.cells()).collect::<Result<Vec<_>, _>>()?;
    let iterations = frame.column(FIRST[1])?.u64()?;
    let costs = frame.column("mean_cost")?.f64()?;
    let standings = frame.column("standing")?.str()?;
    let is_value = |cell: &String| !cell.is_empty();
    let row = |row: usize| SettingRow {
        values: values.iter().map(|cells| Some(cells[row].clone()).filter(is_value)).collect(),
        iteration: iterations.get(row).unwrap_or_default(),
        mean_cost: costs.get(row),
        survived: standings.get(row) == Some("survived"),
    };
    Ok((0..frame.height()).map(row).collect())
}
