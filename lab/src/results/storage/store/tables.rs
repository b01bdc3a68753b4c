//! The tables of a set of trials: companions are published first.

use super::Store;
use crate::analysis::{ArmTotals, SummaryTable};
use crate::plan::settings::Trace;
use crate::record::TrialRecord;
use crate::results::error::ResultsError;
use crate::results::results_hash::{RowHasher, results_hash};
use crate::results::schema::columns::Table;
use crate::results::schema::row::{GenerationRow, Row, TimingRow};
use crate::results::schema::table_schema::TableSchema;
use crate::results::storage::checksum::Checksum;
use crate::results::storage::completeness::CompletenessCheck;
use crate::results::storage::folder::TableSet;
use crate::results::storage::merge::{MOST_OPEN, Source, merge, merge_arm};
use crate::results::storage::metadata::Origin;
use crate::results::storage::reader::TableReader;
use crate::results::storage::segment::{Segment, SegmentRows};
use crate::results::storage::table_rows::TableRows;
use crate::results::storage::writer::{RowWriter, Written, key_values};
use crate::system::parallel::both;
use blake3::Hash;

/// Figures of each arm, and the hash of all trials.
pub(super) struct Figures {
    arms: Vec<ArmTotals>,
    trials: Hash,
}

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

/// Opens the rows that tables and segments have.
pub(crate) fn open_sources<R: Row>(
    sets: &[TableSet],
    segments: &[Segment],
    schema: &TableSchema,
) -> Result<Vec<Source<R>>, ResultsError> {
    let mut sources: Vec<Source<R>> = Vec::new();
    let many = sets.len() + segments.len() > MOST_OPEN;
    for set in sets {
        match TableRows::open(&set.path(R::TABLE), schema) {
            Ok(mut table) => {
                if many {
                    table.close();
                }
                sources.push(Box::new(table));
            }
            // The first run has no tables yet, and timings that could not be read were set aside. A
            // part was there a moment ago: without it the rest is not all.
            Err(error)
                if error.is_missing() && (set.part.is_none() || R::TABLE == Table::Timings) => {}
            Err(error) => return Err(error),
        }
    }
    for segment in segments {
        let mut segment = segment.clone();
        if many {
            segment.close();
        }
        sources.push(SegmentRows::source(segment, schema));
    }
    Ok(sources)
}

impl Store {
    /// Returns the checksum of the trials table if the tables in the folder are those that would be
    /// written: there is nothing else in it, and a run of the same plan, build and version wrote
    /// them to their end.
    pub(super) fn written_before(&self, origin: &Origin) -> Option<Checksum> {
        let is_all = self.parts.is_empty()
            && self.segments.is_empty()
            && self.guests.is_empty()
            && self.journalled.is_empty();
        if self.changed || !is_all {
            return None;
        }
        let tables = TableSet::tables(&self.work);
        let open = |table| TableReader::peek(&tables.path(table), table).ok();
        let is_traced = self.schema.trace != Trace::None;
        let mut rows = [Table::Timings, Table::Generations].into_iter();
        let are_same = rows.all(|table| {
            let same = |reader: TableReader| {
                reader.key_values() == key_values(table, &self.schema, origin)
            };
            open(table).map_or(table == Table::Generations && !is_traced, same)
        });
        let trials = open(Table::Trials)?;
        let is_same = trials.key_values() == key_values(Table::Trials, &self.schema, origin);
        // The summary is written last before the trials: it names those that it sums up.
        let summed_up = open(Table::Summary)?.metadata.trials?;
        let is_summed_up = summed_up == trials.checksum.to_string();
        (are_same && is_same && is_summed_up).then_some(trials.checksum)
    }

    /// Writes the tables of the finished trials of these segments and of its own tables.
    pub(super) fn write_tables(
        &self,
        segments: &[Segment],
        into: &TableSet,
        origin: &Origin,
        check: &mut CompletenessCheck<'_>,
    ) -> Result<(SummaryTable, Tables), ResultsError> {
        // Timings at the same time as the others, which take longer.
        let (timings, others) = both(
            || self.write_timings(segments, into, origin),
            || {
                let (figures, trials) = self.write_trials(segments, into, origin, check)?;
                Ok((figures, trials, self.write_generations(segments, into, origin, check)?))
            },
        );
        let timings = timings?;
        let (figures, trials, generations) = others?;
        let (generations, traced) = generations.unzip();
        Ok((self.summary(figures, traced), Tables { generations, timings, trials }))
    }

    /// Creates the writer of the table that has these rows.
    fn row_writer<R: Row>(
        &self,
        into: &TableSet,
        origin: &Origin,
    ) -> Result<RowWriter<R>, ResultsError> {
        RowWriter::create(&into.path(R::TABLE), &self.schema, origin, self.finished.total())
    }

    /// Writes the trials. Each is checked and added up as it is written.
    fn write_trials(
        &self,
        segments: &[Segment],
        into: &TableSet,
        origin: &Origin,
        check: &mut CompletenessCheck<'_>,
    ) -> Result<(Figures, Written), ResultsError> {
        let mut writer = self.row_writer(into, origin)?;
        let figures = self.add_up(segments, check, |trial| writer.push(trial))?;
        Ok((figures, writer.finish()?))
    }

    /// Adds up the figures of each arm from the trials of these segments and of its own tables.
    /// `emit` gets the trials in order.
    pub(super) fn add_up(
        &self,
        segments: &[Segment],
        check: &mut CompletenessCheck<'_>,
        mut emit: impl FnMut(TrialRecord) -> Result<(), ResultsError>,
    ) -> Result<Figures, ResultsError> {
        let mut sources = open_sources::<TrialRecord>(&self.sets(), segments, &self.schema)?;
        let (mut arms, mut hasher) = (Vec::new(), RowHasher::default());
        for (arm, row) in self.schema.arms.iter().enumerate() {
            let mut accumulator = self.schema.accumulator(arm);
            merge_arm(&mut sources, arm, &|_, _| true, &mut |trial: TrialRecord| {
                check.trial(&trial);
                accumulator.add(&trial);
                hasher.trial(row.id, &trial);
                emit(trial)
            })?;
            arms.push(accumulator.finish(row.id, self.spec.stopping_rule.as_ref()));
        }
        Ok(Figures { arms, trials: hasher.finish() })
    }

    fn write_timings(
        &self,
        segments: &[Segment],
        into: &TableSet,
        origin: &Origin,
    ) -> Result<Written, ResultsError> {
        let mut sources = open_sources::<TimingRow>(&self.sets(), segments, &self.schema)?;
        let mut writer = self.row_writer(into, origin)?;
        let keep = |arm, trial| self.finished.contains(arm, trial);
        merge(&mut sources, self.schema.arms.len(), keep, |row| writer.push(row))?;
        writer.finish()
    }

    /// Sums up all trials; `traced` is the hash of the generations.
    pub(super) fn summary(&self, figures: Figures, traced: Option<Hash>) -> SummaryTable {
        let results_hash = Some(results_hash(figures.trials, traced));
        SummaryTable { results_hash, ..self.schema.summary(figures.arms) }
    }

    /// Writes the generations and returns their hash; `None` if there is no trace.
    fn write_generations(
        &self,
        segments: &[Segment],
        into: &TableSet,
        origin: &Origin,
        check: &mut CompletenessCheck<'_>,
    ) -> Result<Option<(Written, Hash)>, ResultsError> {
        if self.schema.trace == Trace::None {
            return Ok(None);
        }
        let mut writer = self.row_writer(into, origin)?;
        let hash = self.look_at_traces(segments, check, |row| writer.push(row))?;
        Ok(Some((writer.finish()?, hash)))
    }

    /// Notes which trials have a trace in these segments and in its own tables, whose rows `emit`
    /// gets in order.
    pub(super) fn look_at_traces(
        &self,
        segments: &[Segment],
        check: &mut CompletenessCheck<'_>,
        mut emit: impl FnMut(GenerationRow) -> Result<(), ResultsError>,
    ) -> Result<Hash, ResultsError> {
        let mut sources = open_sources::<GenerationRow>(&self.sets(), segments, &self.schema)?;
        let keep = |arm, trial| self.finished.contains(arm, trial);
        let mut hasher = RowHasher::default();
        merge(&mut sources, self.schema.arms.len(), keep, |row: GenerationRow| {
            check.traced(row.arm, row.trial);
            hasher.generation(self.schema.arms[row.arm].id, &row);
            emit(row)
        })?;
        Ok(hasher.finish())
    }
}
