//! The rows of one table: which of them the config still asks for.

use super::Recovery;
use crate::parquet::FrameError;
use crate::plan::budget::Budget;
use crate::plan::fingerprint::ArmId;
use crate::record::{Outcome, TrialEnd, TrialRecord};
use crate::results::error::ResultsError;
use crate::results::schema::columns::Table;
use crate::results::schema::row::{Row, outcomes, trial_ends};
use crate::results::storage::finished::Finished;
use crate::results::storage::folder::TableSet;
use crate::results::storage::judge::{FailedTrials, Reason};
use crate::results::storage::metadata::TableMetadata;
use crate::results::storage::reader::{Refusal, TableReader};
use crate::results::storage::table_rows::{TableRows, scan_keys, scan_seeds};
use crate::results::storage::writer::FrameWriter;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The trials of one table.
pub(super) struct Keys {
    pub metadata: TableMetadata,
    pub total: u64,
    /// Arm and number of each trial that the spec asks for.
    pub fresh: Vec<(usize, u64)>,
    /// Other trials, with the reason.
    pub stale: BTreeMap<(ArmId, u64), Reason>,
    /// Number of trials in `fresh` that ran within another budget than the spec's, but are equal in
    /// both.
    pub kept: u64,
}

/// Returns whether a trial with this outcome must have rows in the generations table, because it
/// completed a generation after the first.
pub(crate) fn must_be_traced(outcome: Outcome, generations: u64) -> bool {
    !outcome.is_failure() && generations > 0
}

/// Returns the ends of the trials of a trials table, row by row.
fn ends_of(reader: &TableReader) -> Result<Vec<TrialEnd>, Refusal> {
    let mut ends = Vec::with_capacity(reader.rows());
    for group in 0..reader.groups() {
        let frame = reader.group(group, Some(&["outcome", "generations", "evaluations"]))?;
        let found = trial_ends(&frame, reader.start(group));
        ends.extend(found.map_err(|error| Refusal::Damaged(error.to_string()))?);
    }
    Ok(ends)
}

/// Checks whether all rows of a table are such as a runner writes.
pub(super) fn check_rows<R: Row>(reader: &TableReader) -> Result<(), Refusal> {
    for group in 0..reader.groups() {
        let frame = reader.group(group, Some(R::COMPLETE))?;
        R::check(&frame, reader.start(group))
            .map_err(|error| Refusal::Damaged(error.to_string()))?;
    }
    Ok(())
}

impl Recovery<'_> {
    /// Sorts the rows of a trials table by whether the spec asks for them.
    pub(super) fn keys(&self, path: &Path) -> Result<Keys, Refusal> {
        // Opening it as a source checks that its rows are in order.
        TableRows::<TrialRecord>::open(path, self.schema)?;
        let reader = TableReader::open(path, Table::Trials)?;
        let mut keys = Keys {
            metadata: reader.metadata.clone(),
            total: 0,
            fresh: Vec::new(),
            stale: BTreeMap::new(),
            kept: 0,
        };
        scan_seeds(&reader, |id, trial, seed| {
            keys.total += 1;
            let stale = match self.schema.arm_index(id) {
                None => Some(Reason::Arm),
                Some(arm) if self.spec.trial_seed(arm, trial) != seed => Some(Reason::Seed),
                Some(arm) if trial >= self.spec.limit(arm) => Some(Reason::Repeats),
                Some(arm) => {
                    keys.fresh.push((arm, trial));
                    None
                }
            };
            if let Some(reason) = stale {
                keys.stale.insert((id, trial), reason);
            }
            Ok(())
        })?;
        check_rows::<TrialRecord>(&reader)?;
        if self.spec.budget() != keys.metadata.origin().budget {
            self.find_others(&reader, &mut keys)?;
        }
        if self.failed == FailedTrials::RunAgain {
            self.find_retried(&reader, &mut keys)?;
        }
        Ok(keys)
    }

    /// Trials that are asked for but would be others within the budget of the spec are run again.
    fn find_others(&self, reader: &TableReader, keys: &mut Keys) -> Result<(), Refusal> {
        let budgets: Vec<Option<Budget>> =
            self.spec.arms.iter().map(|arm| Budget::of(&arm.settings)).collect();
        let ends = ends_of(reader)?;
        let (mut row, ran) = (0, keys.metadata.origin().budget);
        let mut others = BTreeSet::new();
        scan_keys(reader, |id, trial| {
            let asked = self.schema.arm_index(id).and_then(|arm| budgets[arm]);
            let same = |asked: Budget| ran.is_some_and(|ran| ran.keeps(ends[row], &asked));
            if asked.is_some_and(|asked| !same(asked)) && !keys.stale.contains_key(&(id, trial)) {
                others.insert((id, trial));
            }
            row += 1;
            Ok(())
        })?;
        let arms = &self.schema.arms;
        keys.fresh.retain(|&(arm, trial)| !others.contains(&(arms[arm].id, trial)));
        keys.kept = keys.fresh.iter().filter(|(arm, _)| budgets[*arm].is_some()).count() as u64;
        keys.stale.extend(others.into_iter().map(|key| (key, Reason::Budget)));
        Ok(())
    }

    /// Trials that are asked for but failed, crashed or timed out are run again.
    fn find_retried(&self, reader: &TableReader, keys: &mut Keys) -> Result<(), Refusal> {
        let mut retried = Vec::with_capacity(reader.rows());
        for group in 0..reader.groups() {
            let frame = reader.group(group, Some(&["outcome"]))?;
            let found = outcomes(&frame, reader.start(group));
            let found = found.map_err(|error| Refusal::Damaged(error.to_string()))?;
            retried.extend(found.into_iter().map(Outcome::may_be_retried));
        }
        let (mut row, arms) = (0, &self.schema.arms);
        let mut again = BTreeSet::new();
        scan_keys(reader, |id, trial| {
            if retried[row] && !keys.stale.contains_key(&(id, trial)) {
                again.insert((id, trial));
            }
            row += 1;
            Ok(())
        })?;
        keys.fresh.retain(|&(arm, trial)| !again.contains(&(arms[arm].id, trial)));
        keys.stale.extend(again.into_iter().map(|key| (key, Reason::Retried)));
        Ok(())
    }

    /// Finds trials that must have a trace but lack one; they are run again.
    pub(super) fn find_untraced(
        &mut self,
        set: &TableSet,
        keys: &mut Keys,
    ) -> Result<(), ResultsError> {
        let (trials, traces) = (set.path(Table::Trials), set.path(Table::Generations));
        let mut traced = Finished::new(self.spec.arms.len());
        let covered = TableReader::open(&traces, Table::Generations).and_then(|reader| {
            scan_keys(&reader, |id, trial| {
                self.schema.arm_index(id).into_iter().for_each(|arm| _ = traced.insert(arm, trial));
                Ok(())
            })
        });
        covered.map_err(|refusal| refusal.into_error(&traces))?;
        let reader = TableReader::open(&trials, Table::Trials)
            .map_err(|refusal| refusal.into_error(&trials))?;
        let mut untraced = BTreeSet::new();
        for group in 0..reader.groups() {
            let frame =
                reader.group(group, Some(&["arm_id", "trial", "outcome", "generations"]))?;
            let look = || -> Result<Vec<(ArmId, u64)>, FrameError> {
                let (ids, outcomes) =
                    (frame.column("arm_id")?.str()?, outcomes(&frame, reader.start(group))?);
                let (trials, generations) =
                    (frame.column("trial")?.u64()?, frame.column("generations")?.u64()?);
                let must = |row: &usize| {
                    must_be_traced(outcomes[*row], generations.get(*row).unwrap_or(0))
                };
                let key = |row: usize| Some((ArmId::from_hex(ids.get(row)?)?, trials.get(row)?));
                Ok((0..frame.height()).filter(must).filter_map(key).collect())
            };
            for (id, trial) in look().map_err(|error| reader.damaged(error.to_string()))? {
                if self.schema.arm_index(id).is_some_and(|arm| !traced.contains(arm, trial)) {
                    untraced.insert((id, trial));
                }
            }
        }
        let lacks =
            |&(arm, trial): &(usize, u64)| untraced.contains(&(self.schema.arms[arm].id, trial));
        let (without, with) = std::mem::take(&mut keys.fresh).into_iter().partition(lacks);
        keys.fresh = with;
        for (arm, trial) in without {
            keys.stale.insert((self.schema.arms[arm].id, trial), Reason::Trace);
        }
        Ok(())
    }

    /// Rewrites a table without its stale rows, which are written to the superseded folder first.
    pub(super) fn split<R: Row>(
        &mut self,
        set: &TableSet,
        keys: &Keys,
    ) -> Result<(), ResultsError> {
        let path = set.path(R::TABLE);
        let reader = match TableReader::open(&path, R::TABLE) {
            Ok(reader) => reader,
            Err(Refusal::Missing) => return Ok(()),
            Err(refusal) => return Err(refusal.into_error(&path)),
        };
        let mut stale = Vec::with_capacity(reader.rows());
        scan_keys(&reader, |id, trial| {
            stale.push(keys.stale.contains_key(&(id, trial)));
            Ok(())
        })
        .map_err(|refusal| refusal.into_error(&path))?;
        let away = self.superseded.folder()?.join(path.file_name().unwrap_or_default());
        let write = |path: &Path, of: bool| {
            let mut writer = FrameWriter::create(path, reader.schema(), reader.key_values())?;
            let mut start = 0;
            for group in 0..reader.groups() {
                let frame = reader.group(group, None)?;
                let end = start + frame.height();
                let chosen: Vec<bool> =
                    stale[start..end].iter().map(|&stale| stale == of).collect();
                let chosen = frame.filter(&chosen);
                writer.write(chosen.map_err(|error| reader.damaged(error.to_string()))?)?;
                start = end;
            }
            writer.finish()?.publish()
        };
        write(&away, true)?;
        write(&path, false)
    }
}
