//! The rows of one table: which of them the config still asks for.

use super::Recovery;
use crate::parquet::Frame;
use crate::plan::budget::Budget;
use crate::plan::fingerprint::ArmId;
use crate::record::{Outcome, TrialRecord};
use crate::results::error::ResultsError;
use crate::results::schema::columns::Table;
use crate::results::schema::row::{Row, trial_ends};
use crate::results::storage::files::if_there;
use crate::results::storage::finished::Finished;
use crate::results::storage::folder::TableSet;
use crate::results::storage::judge::{Judge, Judgement, Ran, Reason};
use crate::results::storage::metadata::TableMetadata;
use crate::results::storage::reader::TableReader;
use crate::results::storage::table_rows::{TableRows, scan, scan_keys};
use crate::results::storage::writer::FrameWriter;
use std::collections::BTreeMap;
use std::path::Path;

/// The trials of one table.
pub(super) struct Keys {
    pub metadata: TableMetadata,
    pub total: u64,
    /// The trials that the spec asks for.
    pub fresh: Vec<FreshTrial>,
    /// Other trials, with the reason.
    pub stale: BTreeMap<(ArmId, u64), Reason>,
    /// Number of trials in `fresh` that ran within another budget than the spec's, but are equal in
    /// both.
    pub kept: u64,
}

/// A trial that the spec asks for.
#[derive(Clone, Copy)]
pub(super) struct FreshTrial {
    pub arm: usize,
    pub trial: u64,
    must_be_traced: bool,
}

/// Returns whether a trial with this outcome must have rows in the generations table, because it
/// completed a generation after the first.
pub(crate) fn must_be_traced(outcome: Outcome, generations: u64) -> bool {
    !outcome.is_failure() && generations > 0
}

/// Checks whether all rows of a table are such as a runner writes.
pub(super) fn check_rows<R: Row>(reader: &TableReader) -> Result<(), ResultsError> {
    (0..reader.groups()).try_for_each(|group| {
        let frame = reader.group(group, Some(R::COMPLETE))?;
        reader.sound(R::check(&frame, reader.start(group)))
    })
}

impl Recovery<'_> {
    /// Sorts the rows of a trials table by whether the spec asks for them.
    pub(super) fn keys(&self, path: &Path) -> Result<Keys, ResultsError> {
        // Opening it as a source checks that its rows are in order.
        TableRows::<TrialRecord>::open(path, self.schema)?;
        let reader = TableReader::open(path, Table::Trials)?;
        let metadata = reader.metadata.clone();
        let (mut fresh, mut stale, mut kept) = (Vec::new(), BTreeMap::new(), 0);
        let judge = Judge::new(self.spec, self.failed);
        let budget = metadata.origin().budget;
        let is_other_budget = self.spec.budget() != budget;
        let columns = ["seed", "outcome", "generations", "evaluations"];
        let read = |frame: &Frame, first: usize| {
            Ok((frame.column("seed")?.u64()?.clone(), trial_ends(frame, first)?))
        };
        scan(&reader, &columns, read, |id, trial, row, (seeds, ends)| {
            let (seed, end) = (seeds.get(row).unwrap_or(0), ends[row]);
            // The table of generations says which trace they have.
            let ran = Ran { arm: id, trial, seed, outcome: end.outcome, is_traced: true };
            let within = |asked: &Budget| {
                if is_other_budget {
                    budget?.keeps(end, asked).then_some(true)
                } else {
                    Some(false)
                }
            };
            match judge.judge_trial(&ran, within) {
                Judgement::Asked { arm, trial, kept: is_kept } => {
                    kept += u64::from(is_kept);
                    let must_be_traced = must_be_traced(end.outcome, end.generations);
                    fresh.push(FreshTrial { arm, trial, must_be_traced });
                }
                Judgement::Stale { reason, .. } => _ = stale.insert((id, trial), reason),
            }
            Ok(())
        })?;
        check_rows::<TrialRecord>(&reader)?;
        Ok(Keys { metadata, total: reader.rows() as u64, fresh, stale, kept })
    }

    /// Finds trials that must have a trace but lack one; they are run again.
    pub(super) fn find_untraced(
        &mut self,
        set: &TableSet,
        keys: &mut Keys,
    ) -> Result<(), ResultsError> {
        let mut traced = Finished::new(self.spec.arms.len());
        let reader = TableReader::open(&set.path(Table::Generations), Table::Generations)?;
        scan_keys(&reader, |id, trial| {
            self.schema.arm_index(id).into_iter().for_each(|arm| _ = traced.insert(arm, trial));
            Ok(())
        })?;
        keys.fresh.retain(|&FreshTrial { arm, trial, must_be_traced }| {
            let is_whole = !must_be_traced || traced.contains(arm, trial);
            if !is_whole {
                keys.stale.insert((self.schema.arms[arm].id, trial), Reason::Trace);
            }
            is_whole
        });
        Ok(())
    }

    /// Rewrites a table without its stale rows, which are written to the superseded folder first.
    pub(super) fn split<R: Row>(
        &mut self,
        set: &TableSet,
        keys: &Keys,
    ) -> Result<(), ResultsError> {
        let path = set.path(R::TABLE);
        let Some(reader) = if_there(TableReader::open(&path, R::TABLE))? else { return Ok(()) };
        let mut stale = Vec::with_capacity(reader.rows());
        scan_keys(&reader, |id, trial| {
            stale.push(keys.stale.contains_key(&(id, trial)));
            Ok(())
        })?;
        let away = self.superseded.folder()?.join(path.file_name().unwrap_or_default());
        let write = |path: &Path, of: bool| {
            let mut writer = FrameWriter::create(path, reader.schema(), reader.key_values())?;
            let mut start = 0;
            for group in 0..reader.groups() {
                let frame = reader.group(group, None)?;
                let end = start + frame.height();
                let chosen: Vec<bool> =
                    stale[start..end].iter().map(|&stale| stale == of).collect();
                writer.write(reader.sound(frame.filter(&chosen))?)?;
                start = end;
            }
            writer.finish()?.publish()
        };
        write(&away, true)?;
        write(&path, false)
    }
}
