//! Merging: many sorted tables into one, arm by arm in plan order, with a row group of each in
//! memory at a time.

use crate::plan::fingerprint::ArmId;
use crate::results::error::ResultsError;
use crate::results::schema::columns::GENOME;
use crate::results::schema::row::{Row, View};
use crate::results::schema::table_schema::TableSchema;
use crate::results::storage::reader::{Refusal, TableReader};
use polars::prelude::*;
use std::path::Path;

/// Rows of one arm, next to each other in a file, ascending by trial.
#[derive(Clone, Copy, Debug)]
struct Segment {
    arm: usize,
    start: usize,
    end: usize,
}

/// Calls `visit` with each row's arm, trial and seed (0 where the table has none), in order.
pub(crate) fn scan_keys(
    reader: &TableReader,
    mut visit: impl FnMut(ArmId, u64, u64) -> Result<(), String>,
) -> Result<(), Refusal> {
    let seeded = reader.schema.contains("seed");
    let columns: &[&str] = if seeded { &["arm_id", "trial", "seed"] } else { &["arm_id", "trial"] };
    let mut last = (String::new(), ArmId(0));
    for group in 0..reader.groups() {
        let frame = reader.group(group, Some(columns))?;
        let words = |error: PolarsError| Refusal::Damaged(error.to_string());
        let ids = frame.column("arm_id").and_then(Column::str).map_err(words)?;
        let trials = frame.column("trial").and_then(Column::u64).map_err(words)?;
        let seeds = if seeded {
            Some(frame.column("seed").and_then(Column::u64).map_err(words)?)
        } else {
            None
        };
        for row in 0..frame.height() {
            let (Some(hex), Some(trial)) = (ids.get(row), trials.get(row)) else {
                return Err(Refusal::Damaged("a row has no arm_id or no trial".to_owned()));
            };
            if last.0 != hex {
                let id = ArmId::from_hex(hex);
                let id = id.ok_or_else(|| {
                    Refusal::Damaged(format!("the arm_id `{hex}` is not 16 hex digits"))
                })?;
                last = (hex.to_owned(), id);
            }
            let seed = seeds.and_then(|seeds| seeds.get(row)).unwrap_or(0);
            visit(last.1, trial, seed).map_err(Refusal::Damaged)?;
        }
    }
    Ok(())
}

/// A table with an index of its arms, read row by row in any order of arms.
pub(crate) struct Source<R: Row> {
    /// None: the rows are in memory, and held.
    pub reader: Option<TableReader>,
    /// Ascending by arm, at most one per arm.
    segments: Vec<Segment>,
    /// The group that was read last, with its first row.
    held: Option<(usize, usize, R::View)>,
}

impl<R: Row> Source<R> {
    /// Rows of arms that `schema` lacks are left out.
    pub(crate) fn open(path: &Path, schema: &TableSchema) -> Result<Self, Refusal> {
        let reader = TableReader::open(path, R::TABLE)?;
        let mut segments: Vec<Segment> = Vec::new();
        let mut row = 0;
        let mut before: Option<(ArmId, u64)> = None;
        scan_keys(&reader, |id, trial, _| {
            match before {
                Some((last, earlier)) if last == id => {
                    if trial < earlier {
                        return Err(format!(
                            "trial {trial} of arm {id} comes after trial {earlier}"
                        ));
                    }
                    if let (Some(segment), true) =
                        (segments.last_mut(), schema.arm_index(id).is_some())
                    {
                        segment.end = row + 1;
                    }
                }
                _ => {
                    if let Some(arm) = schema.arm_index(id) {
                        segments.push(Segment { arm, start: row, end: row + 1 });
                    }
                }
            }
            before = Some((id, trial));
            row += 1;
            Ok(())
        })?;
        segments.sort_by_key(|segment| segment.arm);
        if let Some(pair) = segments.windows(2).find(|pair| pair[0].arm == pair[1].arm) {
            let id = schema.arms[pair[0].arm].id;
            return Err(Refusal::Damaged(format!(
                "the rows of arm {id} are not next to each other"
            )));
        }
        Ok(Source { reader: Some(reader), segments, held: None })
    }

    /// Rows in memory, in order.
    pub(crate) fn of(rows: &[R], schema: &TableSchema) -> PolarsResult<Self> {
        let mut segments: Vec<Segment> = Vec::new();
        for (place, row) in rows.iter().enumerate() {
            let arm = row.key().0;
            match segments.last_mut() {
                Some(segment) if segment.arm == arm => segment.end = place + 1,
                _ => segments.push(Segment { arm, start: place, end: place + 1 }),
            }
        }
        let view = R::View::new(&R::frame(rows, schema)?, 0)?;
        Ok(Source { reader: None, segments, held: Some((0, 0, view)) })
    }

    fn segment(&self, arm: usize) -> Option<Segment> {
        let place = self.segments.binary_search_by_key(&arm, |segment| segment.arm).ok()?;
        Some(self.segments[place])
    }

    /// The view that holds a row of the file, and the row's place in it.
    fn view(&mut self, row: usize) -> Result<(&R::View, usize), ResultsError> {
        if let Some(reader) = &self.reader {
            let (group, start) = reader.group_of(row);
            if self.held.as_ref().is_none_or(|(held, ..)| *held != group) {
                self.held = None;
                // Only the table's own columns: those that describe arms come from the spec,
                // which may have changed.
                let described = ["experiment", "arm", "arm_id", "problem", "operators"];
                let all = R::TABLE.columns().iter().chain(R::TABLE.violation_columns());
                let names = all.map(|column| column.name);
                let genome = GENOME.iter().map(|column| column.name);
                let genome = genome.filter(|name| reader.schema.contains(name));
                let own = names.filter(|name| !described.contains(name));
                let columns: Vec<&str> = own.chain(genome).collect();
                let frame = reader.group(group, Some(&columns))?;
                let view = R::View::new(&frame, start)
                    .map_err(|error| reader.damaged(error.to_string()))?;
                self.held = Some((group, start, view));
            }
        }
        let (_, start, view) =
            self.held.as_ref().expect("the group was just read, or all rows are in memory");
        Ok((view, row - start))
    }
}

/// Calls `emit` with the rows of each trial that `keep` wants, arm by arm in plan order, within an
/// arm by trial, within a trial as in the file. Where several files have a trial, the first file's
/// rows stand for all: they are the same but for timings.
pub(crate) fn merge<R: Row, E: From<ResultsError>>(
    sources: &mut [Source<R>],
    arms: usize,
    keep: impl Fn(usize, u64) -> bool,
    mut emit: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    for arm in 0..arms {
        merge_arm(sources, arm, &keep, &mut emit)?;
    }
    Ok(())
}

/// [`merge`] for one arm.
pub(crate) fn merge_arm<R: Row, E: From<ResultsError>>(
    sources: &mut [Source<R>],
    arm: usize,
    keep: &impl Fn(usize, u64) -> bool,
    emit: &mut impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    struct Head {
        source: usize,
        row: usize,
        end: usize,
        trial: u64,
    }
    let mut heads = Vec::new();
    for (index, source) in sources.iter_mut().enumerate() {
        if let Some(segment) = source.segment(arm) {
            let (view, place) = source.view(segment.start)?;
            let trial = view.trial(place);
            heads.push(Head { source: index, row: segment.start, end: segment.end, trial });
        }
    }
    while let Some(trial) = heads.iter().map(|head| head.trial).min() {
        let mut wanted = keep(arm, trial);
        for head in heads.iter_mut().filter(|head| head.trial == trial) {
            while head.row < head.end {
                let (view, place) = sources[head.source].view(head.row)?;
                head.trial = view.trial(place);
                if head.trial != trial {
                    break;
                }
                if wanted {
                    emit(view.row(place, arm))?;
                }
                head.row += 1;
            }
            wanted = false;
        }
        heads.retain(|head| head.row < head.end);
    }
    Ok(())
}
