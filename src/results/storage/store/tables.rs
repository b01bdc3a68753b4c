//! The tables of a set of trials: written beside each other, and published companions first.

use super::Store;
use crate::analysis::{ArmAccumulator, ArmTotals};
use crate::plan::settings::Trace;
use crate::record::TrialRecord;
use crate::results::error::ResultsError;
use crate::results::schema::columns::Table;
use crate::results::schema::row::{
    GenerationRow, Row, TimingRow, TrialView, View, generation_rows,
};
use crate::results::schema::table_schema::TableSchema;
use crate::results::storage::completeness::CompletenessCheck;
use crate::results::storage::finished::Finished;
use crate::results::storage::folder::TableSet;
use crate::results::storage::merge::{MOST_OPEN, Source, Taker, merge, merge_arm, merge_blocks};
use crate::results::storage::metadata::Origin;
use crate::results::storage::reader::{Refusal, TableReader};
use crate::results::storage::writer::{GroupSize, RowWriter, Written, write_rows};
use crate::system::beside::both;

/// Tables that are written but do not have their names yet.
pub(super) struct Tables {
    pub generations: Option<Written>,
    pub timings: Written,
    pub trials: Written,
}

impl Tables {
    /// Reads them once more.
    pub(super) fn check(&self) -> Result<(), ResultsError> {
        self.generations.as_ref().map_or(Ok(()), |written| written.check(Table::Generations))?;
        self.timings.check(Table::Timings)?;
        self.trials.check(Table::Trials)
    }

    /// Companions first: a trial counts as finished once its row is there, so all else must be by
    /// then.
    pub(super) fn publish(self) -> Result<(), ResultsError> {
        self.generations.map_or(Ok(()), Written::publish)?;
        self.timings.publish()?;
        self.trials.publish()
    }
}

/// What a thread came to; its panic goes on here.
/// The finished trials on their way into the table, each looked at and added up.
struct Trials<'store, 'check, 'spec> {
    /// Of the trials that come.
    arm: usize,
    writer: RowWriter<'store, TrialRecord>,
    check: &'check mut CompletenessCheck<'spec>,
    accumulator: ArmAccumulator,
}

impl Taker<TrialRecord> for Trials<'_, '_, '_> {
    fn row(&mut self, trial: TrialRecord) -> Result<(), ResultsError> {
        self.check.trial(&trial);
        self.accumulator.add(&trial);
        self.writer.push(trial)
    }

    fn takes_block(&self) -> bool {
        self.writer.takes_block()
    }

    fn block(&mut self, reader: &TableReader, group: usize) -> Result<(), ResultsError> {
        let frame = reader.group(group, Some(&TrialView::FIGURES))?;
        let view = TrialView::new(&frame, reader.start(group))
            .map_err(|error| reader.damaged(error.to_string()))?;
        for row in 0..frame.height() {
            let trial = view.row(row, self.arm);
            self.check.trial(&trial);
            self.accumulator.add(&trial);
        }
        self.writer.push_block(&reader.encoded(group)?)
    }
}

/// Rows on their way into a file.
pub(super) struct Copies<'store, R>(pub RowWriter<'store, R>);

impl<R: Row> Taker<R> for Copies<'_, R> {
    fn row(&mut self, row: R) -> Result<(), ResultsError> {
        self.0.push(row)
    }

    fn takes_block(&self) -> bool {
        self.0.takes_block()
    }

    fn block(&mut self, reader: &TableReader, group: usize) -> Result<(), ResultsError> {
        self.0.push_block(&reader.encoded(group)?)
    }
}

/// Opens a table of these sets, where they have it.
pub(crate) fn open_sources<R: Row>(
    sets: &[TableSet],
    schema: &TableSchema,
) -> Result<Vec<Source<R>>, ResultsError> {
    let mut sources = Vec::new();
    for set in sets {
        let path = set.path(R::TABLE);
        match Source::open(&path, schema) {
            Ok(mut source) => {
                if sets.len() > MOST_OPEN {
                    source.shut();
                }
                sources.push(source);
            }
            // The first run has no tables yet, and timings that could not be read were set aside. A
            // part was there a moment ago: without it the rest is not all.
            Err(Refusal::Missing) if set.part.is_none() || R::TABLE == Table::Timings => {}
            // Shards whose timings are damaged are merged without them, with a notice.
            Err(Refusal::Damaged(_)) if R::TABLE == Table::Timings => {}
            Err(refusal) => return Err(refusal.into_error(&path)),
        }
    }
    Ok(sources)
}

/// Writes one table of a set: the rows of these sets, merged; those of `finished` trials, or all.
pub(super) fn merge_into<R: Row>(
    sets: &[TableSet],
    into: &TableSet,
    schema: &TableSchema,
    origin: &Origin,
    size: GroupSize,
    finished: Option<&Finished>,
) -> Result<Written, ResultsError> {
    let mut copies = Copies(RowWriter::<R>::create(&into.path(R::TABLE), schema, origin, size)?);
    let keep = |arm, trial| finished.is_none_or(|finished| finished.contains(arm, trial));
    let keep_all = |arm, run| finished.is_none_or(|finished| finished.contains_all(arm, run));
    let mut sources = open_sources::<R>(sets, schema)?;
    for arm in 0..schema.arms.len() {
        if size.takes_blocks() {
            merge_blocks(&mut sources, arm, origin, &keep, &keep_all, &mut copies)?;
        } else {
            merge_arm(&mut sources, arm, &keep, &mut |row| copies.0.push(row))?;
        }
    }
    copies.0.finish()
}

/// Writes all tables of a set: the rows of these sets, merged; those of `finished` trials, or all.
pub(super) fn merge_sets(
    sets: &[TableSet],
    into: &TableSet,
    schema: &TableSchema,
    origin: &Origin,
    size: GroupSize,
    finished: Option<&Finished>,
) -> Result<Tables, ResultsError> {
    let trials = merge_into::<TrialRecord>(sets, into, schema, origin, size, finished)?;
    let generations = match schema.trace {
        Trace::None => None,
        _ => Some(merge_into::<GenerationRow>(sets, into, schema, origin, size, finished)?),
    };
    let timings = merge_into::<TimingRow>(sets, into, schema, origin, size, finished)?;
    Ok(Tables { generations, timings, trials })
}

/// The timings of trials.
fn timings_of(records: &[TrialRecord]) -> Vec<TimingRow> {
    let timing = |record: &TrialRecord| TimingRow {
        arm: record.arm,
        trial: record.trial,
        timing: record.timing,
    };
    records.iter().map(timing).collect()
}

/// Writes the generations of trials, which are in order; none where there is no trace.
fn write_generations(
    set: &TableSet,
    records: &[TrialRecord],
    schema: &TableSchema,
    origin: &Origin,
    size: GroupSize,
) -> Result<Option<Written>, ResultsError> {
    if schema.trace == Trace::None {
        return Ok(None);
    }
    let path = set.path(Table::Generations);
    let mut writer = RowWriter::create(&path, schema, origin, size)?;
    for record in records {
        generation_rows(record).try_for_each(|row| writer.push(row))?;
    }
    writer.finish().map(Some)
}

/// Writes the tables of these trials, which are in order, under names that are not theirs yet.
pub(super) fn write_tables(
    set: &TableSet,
    records: &[TrialRecord],
    schema: &TableSchema,
    origin: &Origin,
    size: GroupSize,
) -> Result<Tables, ResultsError> {
    let generations = write_generations(set, records, schema, origin, size)?;
    let timings = timings_of(records);
    let timings = write_rows(&set.path(Table::Timings), &timings, schema, origin, size)?;
    let trials = write_rows(&set.path(Table::Trials), records, schema, origin, size)?;
    Ok(Tables { generations, timings, trials })
}

impl Store {
    /// [`write_tables`] with each table on a thread of its own.
    pub(super) fn write(
        &self,
        set: &TableSet,
        records: &[TrialRecord],
        origin: &Origin,
        size: GroupSize,
    ) -> Result<Tables, ResultsError> {
        let (schema, timings) = (&*self.schema, timings_of(records));
        // The tables beside each other: on short trials this is what the end of a run waits for.
        let ((timings, generations), trials) = both(
            || {
                both(
                    || write_rows(&set.path(Table::Timings), &timings, schema, origin, size),
                    || write_generations(set, records, schema, origin, size),
                )
            },
            || write_rows(&set.path(Table::Trials), records, schema, origin, size),
        );
        Ok(Tables { generations: generations?, timings: timings?, trials: trials? })
    }

    /// Writes the final tables from memory.
    pub(super) fn write_kept(
        &self,
        mut records: Vec<TrialRecord>,
        origin: &Origin,
        check: &mut CompletenessCheck<'_>,
    ) -> Result<(Vec<ArmTotals>, Tables), ResultsError> {
        records.sort_unstable_by_key(Row::key);
        let mut figures = Vec::new();
        let mut rest = &records[..];
        for (arm, row) in self.schema.arms.iter().enumerate() {
            let count = rest.iter().take_while(|record| record.arm == arm).count();
            let mut accumulator = self.schema.accumulator(arm);
            for record in &rest[..count] {
                check.trial(record);
                if !record.trace.is_empty() {
                    check.traced(arm, record.trial);
                }
                accumulator.add(record);
            }
            figures.push(accumulator.finish(row.id, self.spec.stopping_rule.as_ref()));
            rest = &rest[count..];
        }
        let tables =
            self.write(&TableSet::tables(&self.work), &records, origin, GroupSize::TABLE)?;
        Ok((figures, tables))
    }

    /// Writes the final tables from the parts and the earlier tables.
    pub(super) fn merge_tables(
        &self,
        origin: &Origin,
        check: &mut CompletenessCheck<'_>,
    ) -> Result<(Vec<ArmTotals>, Tables), ResultsError> {
        let size = GroupSize::TABLE;
        let tables = TableSet::tables(&self.work);
        let mut sets = vec![tables.clone()];
        sets.extend(self.parts.iter().chain(&self.guests).cloned());
        // Beside the others, which take longer.
        let (schema, finished) = (&*self.schema, Some(&self.finished));
        let (timings, others) = both(
            || merge_into::<TimingRow>(&sets, &tables, schema, origin, size, finished),
            || {
                self.merge_trials(&sets, origin, check).and_then(|(figures, trials)| {
                    Ok((figures, trials, self.merge_generations(&sets, origin, check)?))
                })
            },
        );
        let timings = timings?;
        let (figures, trials, generations) = others?;
        Ok((figures, Tables { generations, timings, trials }))
    }

    /// The trials of these sets, each looked at and added up as it is written.
    fn merge_trials(
        &self,
        sets: &[TableSet],
        origin: &Origin,
        check: &mut CompletenessCheck<'_>,
    ) -> Result<(Vec<ArmTotals>, Written), ResultsError> {
        let path = TableSet::tables(&self.work).path(Table::Trials);
        let (schema, size) = (&self.schema, GroupSize::TABLE);
        let mut sources = open_sources::<TrialRecord>(sets, schema)?;
        let writer = RowWriter::create(&path, schema, origin, size)?;
        let accumulator = ArmAccumulator::default();
        let mut trials = Trials { arm: 0, writer, check, accumulator };
        let mut figures = Vec::new();
        for (arm, row) in schema.arms.iter().enumerate() {
            trials.arm = arm;
            trials.accumulator = schema.accumulator(arm);
            merge_blocks(&mut sources, arm, origin, &|_, _| true, &|_, _| true, &mut trials)?;
            let accumulator = std::mem::take(&mut trials.accumulator);
            figures.push(accumulator.finish(row.id, self.spec.stopping_rule.as_ref()));
        }
        Ok((figures, trials.writer.finish()?))
    }

    fn merge_generations(
        &self,
        sets: &[TableSet],
        origin: &Origin,
        check: &mut CompletenessCheck<'_>,
    ) -> Result<Option<Written>, ResultsError> {
        if self.schema.trace == Trace::None {
            return Ok(None);
        }
        let path = TableSet::tables(&self.work).path(Table::Generations);
        let (schema, size) = (&self.schema, GroupSize::TABLE);
        let mut writer = RowWriter::<GenerationRow>::create(&path, schema, origin, size)?;
        self.look_at_traces(sets, check, |row| writer.push(row))?;
        writer.finish().map(Some)
    }

    /// The figures of each arm from the trials of these sets, which `emit` gets in order.
    pub(super) fn add_up(
        &self,
        sets: &[TableSet],
        check: &mut CompletenessCheck<'_>,
        mut emit: impl FnMut(TrialRecord) -> Result<(), ResultsError>,
    ) -> Result<Vec<ArmTotals>, ResultsError> {
        let mut sources = open_sources::<TrialRecord>(sets, &self.schema)?;
        let mut figures = Vec::new();
        for (arm, row) in self.schema.arms.iter().enumerate() {
            let mut accumulator = self.schema.accumulator(arm);
            merge_arm(&mut sources, arm, &|_, _| true, &mut |trial: TrialRecord| {
                check.trial(&trial);
                accumulator.add(&trial);
                emit(trial)
            })?;
            figures.push(accumulator.finish(row.id, self.spec.stopping_rule.as_ref()));
        }
        Ok(figures)
    }

    /// Notes which trials have a trace in these sets, whose rows `emit` gets in order.
    pub(super) fn look_at_traces(
        &self,
        sets: &[TableSet],
        check: &mut CompletenessCheck<'_>,
        mut emit: impl FnMut(GenerationRow) -> Result<(), ResultsError>,
    ) -> Result<(), ResultsError> {
        if self.schema.trace == Trace::None {
            return Ok(());
        }
        let keep = |arm, trial| self.finished.contains(arm, trial);
        let mut sources = open_sources::<GenerationRow>(sets, &self.schema)?;
        merge(&mut sources, self.schema.arms.len(), keep, |row: GenerationRow| {
            check.traced(row.arm, row.trial);
            emit(row)
        })
    }
}
