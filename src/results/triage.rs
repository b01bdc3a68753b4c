//! What a run finds in its folder: trials to keep, trials that the config no longer asks for, files that are broken.

use super::columns::Table;
use super::error::ResultsError;
use super::file::{FrameWriter, GroupSize, Refusal, TableReader};
use super::finished::Finished;
use super::folder::{Aside, DAMAGED, SUPERSEDED, Unit, list_parts};
use super::layout::{Layout, Shape};
use super::merge::{Source, scan_keys};
use super::row::{GenerationRow, TimingRow};
use crate::experiment::Trace;
use crate::fingerprint::ArmId;
use crate::record::TrialRecord;
use polars::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What became of the folder's contents: afterwards every trial in it is one that the layout asks for, with its trace.
pub(crate) struct Triage<'a> {
    layout: &'a Layout,
    shape: &'a Shape,
    folder: &'a Path,
    superseded: Aside,
    damaged: Aside,
    finished: Finished,
    /// Trials moved away, by reason.
    moved: BTreeMap<Reason, u64>,
    gone_arms: BTreeSet<ArmId>,
    notices: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reason {
    /// The config has no such arm.
    Arm,
    /// The trial has another seed than the config gives it.
    Seed,
    /// The trial's number is not below `repeats`.
    Repeats,
    /// The trial ran without the trace that the config asks for.
    Trace,
}

/// The trials, the parts that hold them (by number), and what to tell the user.
pub(crate) struct Found {
    pub finished: Finished,
    pub parts: Vec<Unit>,
    pub notices: Vec<String>,
}

pub(crate) fn triage(folder: &Path, layout: &Layout, shape: &Shape) -> Result<Found, ResultsError> {
    let mut triage = Triage {
        layout,
        shape,
        folder,
        superseded: Aside::new(folder, SUPERSEDED),
        damaged: Aside::new(folder, DAMAGED),
        finished: Finished::new(layout.arms.len()),
        moved: BTreeMap::new(),
        gone_arms: BTreeSet::new(),
        notices: Vec::new(),
    };
    triage.tables()?;
    let all = [Table::Trials, Table::Generations, Table::Timings];
    let mut parts = Vec::new();
    for unit in list_parts(folder, &all)? {
        if triage.unit(&unit)? {
            parts.push(unit);
        } else {
            // What is left of it was never finished (its trials are missing), or its trials are in a folded part.
            unit.remove()?;
        }
    }
    triage.summarise();
    Ok(Found { finished: triage.finished, parts, notices: triage.notices })
}

impl Triage<'_> {
    fn tables(&mut self) -> Result<(), ResultsError> {
        let unit = Unit::tables(self.folder);
        if !self.unit(&unit)? {
            // Without trials.parquet its companions are kept only as far as parts have their trials.
            self.companion::<GenerationRow>(&unit)?;
            self.companion::<TimingRow>(&unit)?;
        }
        Ok(())
    }

    /// Sorts a unit; whether it still has trials.
    fn unit(&mut self, unit: &Unit) -> Result<bool, ResultsError> {
        let path = unit.path(Table::Trials);
        let keys = match self.keys(&path) {
            Ok(keys) => keys,
            Err(Refusal::Missing) => return Ok(false),
            Err(refusal) => return self.set_aside_damaged(unit, Table::Trials, refusal).map(|()| false),
        };
        if !self.companion::<GenerationRow>(unit)? && self.layout.trace != Trace::None {
            self.count(Reason::Trace, keys.total);
            self.supersede(unit)?;
            return Ok(false);
        }
        self.companion::<TimingRow>(unit)?;
        if keys.stale.is_empty() {
            keys.fresh.iter().for_each(|&(arm, trial)| _ = self.finished.insert(arm, trial));
            return Ok(true);
        }
        for (&(id, _), &reason) in &keys.stale {
            self.count(reason, 1);
            if reason == Reason::Arm {
                self.gone_arms.insert(id);
            }
        }
        if keys.fresh.is_empty() {
            self.supersede(unit)?;
            return Ok(false);
        }
        // Trials last: if this is cut short, the next run finds the stale rows again.
        self.split::<GenerationRow>(unit, &keys)?;
        self.split::<TimingRow>(unit, &keys)?;
        self.split::<TrialRecord>(unit, &keys)?;
        keys.fresh.iter().for_each(|&(arm, trial)| _ = self.finished.insert(arm, trial));
        Ok(true)
    }

    fn count(&mut self, reason: Reason, trials: u64) {
        *self.moved.entry(reason).or_default() += trials;
    }

    /// Sorts the rows of a trials table by whether the layout asks for them.
    fn keys(&self, path: &Path) -> Result<Keys, Refusal> {
        // Opening it as a source checks that its rows are in order.
        Source::<TrialRecord>::open(path, self.shape)?;
        let reader = TableReader::open(path, Table::Trials)?;
        let mut keys = Keys::default();
        scan_keys(&reader, |id, trial, seed| {
            keys.total += 1;
            let stale = match self.shape.arm_index(id) {
                None => Some(Reason::Arm),
                Some(arm) if self.layout.trial_seed(arm, trial) != seed => Some(Reason::Seed),
                Some(arm) if trial >= self.layout.limit(arm) => Some(Reason::Repeats),
                Some(arm) => {
                    keys.fresh.push((arm, trial));
                    None
                }
            };
            if let Some(reason) = stale {
                keys.stale.insert((id, trial), reason);
            }
            Ok(())
        })
        .map_err(Refusal::Damaged)?;
        Ok(keys)
    }

    /// Checks a table beside the trials; whether it is there, readable and (generations) of the trace asked for. What
    /// is not is set aside.
    fn companion<R: super::row::Row>(&mut self, unit: &Unit) -> Result<bool, ResultsError> {
        let path = unit.path(R::TABLE);
        let label = match Source::<R>::open(&path, self.shape) {
            Ok(_) => TableReader::open(&path, R::TABLE).map(|reader| reader.label),
            Err(refusal) => Err(refusal),
        };
        match label {
            Ok(label) if R::TABLE != Table::Generations || label.trace == self.layout.trace.word() => Ok(true),
            Ok(_) => {
                self.superseded.take(&path)?;
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                if unit.part.is_none() {
                    self.notices.push(format!(
                        "{name}: not the trace that the config asks for (output.trace = \"{}\")",
                        self.layout.trace.word()
                    ));
                }
                Ok(false)
            }
            Err(Refusal::Missing) => Ok(false),
            Err(refusal) => self.set_aside_damaged(unit, R::TABLE, refusal).map(|()| false),
        }
    }

    /// A broken trials table takes its companions along; a broken companion goes alone.
    fn set_aside_damaged(&mut self, unit: &Unit, table: Table, refusal: Refusal) -> Result<(), ResultsError> {
        let path = unit.path(table);
        let Refusal::Damaged(message) = refusal else {
            return Err(refusal.into_error(&path));
        };
        self.damaged.take(&path)?;
        let consequence =
            if table == Table::Timings { "the times of its trials are lost" } else { "its trials are run again" };
        if table == Table::Trials {
            self.damaged.take(&unit.path(Table::Generations))?;
            self.damaged.take(&unit.path(Table::Timings))?;
        }
        let aside = self.damaged.folder()?.display();
        self.notices.push(format!("{}: cannot be read ({message}); moved to {aside}, {consequence}", path.display()));
        Ok(())
    }

    fn supersede(&mut self, unit: &Unit) -> Result<(), ResultsError> {
        // Trials first: companions alone count for nothing.
        for table in [Table::Trials, Table::Generations, Table::Timings] {
            self.superseded.take(&unit.path(table))?;
        }
        Ok(())
    }

    /// Rewrites a table without its stale rows, which are written to the superseded folder first.
    fn split<R: super::row::Row>(&mut self, unit: &Unit, keys: &Keys) -> Result<(), ResultsError> {
        let path = unit.path(R::TABLE);
        let reader = match TableReader::open(&path, R::TABLE) {
            Ok(reader) => reader,
            Err(Refusal::Missing) => return Ok(()),
            Err(refusal) => return Err(refusal.into_error(&path)),
        };
        let mut stale = Vec::with_capacity(reader.rows());
        scan_keys(&reader, |id, trial, _| {
            stale.push(keys.stale.contains_key(&(id, trial)));
            Ok(())
        })
        .map_err(|message| reader.damaged(message))?;
        let aside = self.superseded.folder()?.join(path.file_name().unwrap_or_default());
        let write = |path: &Path, of: bool| {
            let mut writer = FrameWriter::create(path, &reader.schema, reader.metadata(), GroupSize::PART)?;
            let mut start = 0;
            for group in 0..reader.groups() {
                let frame = reader.group(group, None).map_err(|message| reader.damaged(message))?;
                let end = start + frame.height();
                let mask: BooleanChunked = stale[start..end].iter().map(|&stale| stale == of).collect();
                let mut chosen = frame.filter(&mask).map_err(|error| reader.damaged(error.to_string()))?;
                chosen.rechunk_mut();
                writer.write(&chosen)?;
                start = end;
            }
            writer.finish()?.publish()
        };
        write(&aside, true)?;
        write(&path, false)
    }

    /// One notice a reason.
    fn summarise(&mut self) {
        let Some(folder) = self.superseded.made() else { return };
        for (reason, trials) in &self.moved {
            let why = match reason {
                Reason::Arm => {
                    let ids: Vec<String> = self.gone_arms.iter().map(ToString::to_string).collect();
                    let shown = ids.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
                    let more = ids.len().checked_sub(4).map_or(String::new(), |more| format!(" and {} more", more + 1));
                    format!("the config no longer has their arms ({shown}{more})")
                }
                Reason::Seed => "the config gives them other seeds".to_owned(),
                Reason::Repeats if self.layout.limits.is_some() => {
                    "the question of `repeats` was answered by the trials before them".to_owned()
                }
                Reason::Repeats => format!("their numbers are not below repeats = {}", self.layout.repeats),
                Reason::Trace => {
                    format!("they ran without output.trace = \"{}\" and are run again", self.layout.trace.word())
                }
            };
            self.notices.push(format!("{trials} trials moved to {}: {why}", folder.display()));
        }
    }
}

#[derive(Default)]
struct Keys {
    total: u64,
    fresh: Vec<(usize, u64)>,
    stale: BTreeMap<(ArmId, u64), Reason>,
}
