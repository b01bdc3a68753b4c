//! What a run finds in its folder: trials to keep, trials that the config no longer asks for, files
//! that are broken.

use crate::plan::ResultsSpec;
use crate::plan::fingerprint::ArmId;
use crate::plan::settings::Trace;
use crate::record::{Outcome, TrialRecord};
use crate::results::error::ResultsError;
use crate::results::schema::columns::Table;
use crate::results::schema::row::{GenerationRow, TimingRow};
use crate::results::schema::table_schema::TableSchema;
use crate::results::storage::file::{FrameWriter, GroupSize};
use crate::results::storage::finished::Finished;
use crate::results::storage::folder::{Aside, DAMAGED, SUPERSEDED, Unit, list_parts, strays};
use crate::results::storage::label::Label;
use crate::results::storage::merge::{Source, scan_keys};
use crate::results::storage::reader::{Refusal, TableReader};
use polars::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What became of the folder's contents: afterwards every trial in it is one that the layout asks
/// for, with its trace.
pub(crate) struct Triage<'a> {
    spec: &'a ResultsSpec,
    schema: &'a TableSchema,
    folder: &'a Path,
    superseded: Aside,
    damaged: Aside,
    finished: Finished,
    /// Trials moved away, by reason.
    moved: BTreeMap<Reason, u64>,
    gone_arms: BTreeSet<ArmId>,
    /// Files of another experiment or seed that were moved away, by what they say of themselves.
    strangers: BTreeMap<String, Vec<PathBuf>>,
    /// The builds of the plugin that made the trials that stay.
    plugins: BTreeSet<String>,
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
    /// The builds of the plugin that made them, and those that made the ones of the tables.
    pub plugins: BTreeSet<String>,
    pub tables_plugins: BTreeSet<String>,
    pub parts: Vec<Unit>,
    pub notices: Vec<String>,
}

pub(crate) fn triage(
    folder: &Path,
    spec: &ResultsSpec,
    schema: &TableSchema,
) -> Result<Found, ResultsError> {
    let mut triage = Triage {
        spec,
        schema,
        folder,
        superseded: Aside::new(folder, SUPERSEDED),
        damaged: Aside::new(folder, DAMAGED),
        finished: Finished::new(spec.arms.len()),
        moved: BTreeMap::new(),
        gone_arms: BTreeSet::new(),
        strangers: BTreeMap::new(),
        plugins: BTreeSet::new(),
        notices: Vec::new(),
    };
    for path in strays(folder)? {
        triage
            .notices
            .push(format!("{}: no run gives a part such a name; it is left alone", path.display()));
    }
    triage.tables()?;
    let tables_plugins = triage.plugins.clone();
    let all = [Table::Trials, Table::Generations, Table::Timings];
    let mut parts = Vec::new();
    for unit in list_parts(folder, &all)? {
        if triage.unit(&unit)? {
            parts.push(unit);
        } else {
            // What is left of it was never finished (its trials are missing), or its trials are in
            // a folded part.
            unit.remove()?;
        }
    }
    triage.summarise();
    let Triage { finished, plugins, notices, .. } = triage;
    Ok(Found { finished, plugins, tables_plugins, parts, notices })
}

impl Triage<'_> {
    fn tables(&mut self) -> Result<(), ResultsError> {
        let unit = Unit::tables(self.folder);
        if !self.unit(&unit)? {
            // Without trials.parquet its companions are kept only as far as parts have their
            // trials.
            self.companion::<GenerationRow>(&unit, None)?;
            self.companion::<TimingRow>(&unit, None)?;
        }
        Ok(())
    }

    /// Sorts a unit; whether it still has trials.
    fn unit(&mut self, unit: &Unit) -> Result<bool, ResultsError> {
        let path = unit.path(Table::Trials);
        let mut keys = match self.keys(&path) {
            Ok(keys) => keys,
            Err(Refusal::Missing) => return Ok(false),
            Err(refusal) => {
                return self.set_aside_damaged(unit, Table::Trials, refusal).map(|()| false);
            }
        };
        if keys.fresh.is_empty() && !keys.stale.is_empty() {
            self.give_up(unit, &keys)?;
            return Ok(false);
        }
        if self.companion::<GenerationRow>(unit, Some(&keys.label))? {
            self.find_untraced(unit, &mut keys)?;
        } else if self.spec.trace != Trace::None {
            self.count(Reason::Trace, keys.total);
            self.supersede(unit)?;
            return Ok(false);
        }
        self.companion::<TimingRow>(unit, None)?;
        if keys.stale.is_empty() {
            self.keep(&keys);
            return Ok(true);
        }
        if keys.fresh.is_empty() {
            self.give_up(unit, &keys)?;
            return Ok(false);
        }
        self.count_stale(unit, &keys);
        // Trials last: if this is cut short, the next run finds the stale rows again.
        self.split::<GenerationRow>(unit, &keys)?;
        self.split::<TimingRow>(unit, &keys)?;
        self.split::<TrialRecord>(unit, &keys)?;
        self.keep(&keys);
        Ok(true)
    }

    /// Moves a unit away that has no trial that is asked for.
    fn give_up(&mut self, unit: &Unit, keys: &Keys) -> Result<(), ResultsError> {
        self.count_stale(unit, keys);
        self.supersede(unit)
    }

    fn count_stale(&mut self, unit: &Unit, keys: &Keys) {
        let origin = keys.label.origin();
        if origin.seed != self.spec.seed || origin.experiment != self.spec.experiment {
            self.strangers.entry(origin.words()).or_default().push(unit.path(Table::Trials));
        }
        for (&(id, _), &reason) in &keys.stale {
            self.count(reason, 1);
            if reason == Reason::Arm {
                self.gone_arms.insert(id);
            }
        }
    }

    fn keep(&mut self, keys: &Keys) {
        keys.fresh.iter().for_each(|&(arm, trial)| _ = self.finished.insert(arm, trial));
        self.plugins.extend(keys.label.origin().plugins.iter().cloned());
    }

    /// Trials that must have left a trace and have none beside them are run again.
    fn find_untraced(&mut self, unit: &Unit, keys: &mut Keys) -> Result<(), ResultsError> {
        let (trials, traces) = (unit.path(Table::Trials), unit.path(Table::Generations));
        let mut traced = Finished::new(self.spec.arms.len());
        let covered = TableReader::open(&traces, Table::Generations).and_then(|reader| {
            scan_keys(&reader, |id, trial, _| {
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
            let look = || -> PolarsResult<Vec<(ArmId, u64)>> {
                let (ids, outcomes) =
                    (frame.column("arm_id")?.str()?, frame.column("outcome")?.str()?);
                let (trials, generations) =
                    (frame.column("trial")?.u64()?, frame.column("generations")?.u64()?);
                let must = |row: &usize| {
                    let outcome = outcomes.get(*row).and_then(Outcome::parse);
                    must_be_traced(
                        outcome.unwrap_or(Outcome::Failed),
                        generations.get(*row).unwrap_or(0),
                    )
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

    fn count(&mut self, reason: Reason, trials: u64) {
        *self.moved.entry(reason).or_default() += trials;
    }

    /// Sorts the rows of a trials table by whether the layout asks for them.
    fn keys(&self, path: &Path) -> Result<Keys, Refusal> {
        // Opening it as a source checks that its rows are in order.
        Source::<TrialRecord>::open(path, self.schema)?;
        let reader = TableReader::open(path, Table::Trials)?;
        let mut keys = Keys {
            label: reader.label.clone(),
            total: 0,
            fresh: Vec::new(),
            stale: BTreeMap::new(),
        };
        scan_keys(&reader, |id, trial, seed| {
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
        Ok(keys)
    }

    /// Checks a table beside the trials, which have that label; whether it is there, readable, of
    /// this experiment and (generations) of the trace asked for. What is not is set aside.
    fn companion<R: crate::results::schema::row::Row>(
        &mut self,
        unit: &Unit,
        trials: Option<&Label>,
    ) -> Result<bool, ResultsError> {
        let path = unit.path(R::TABLE);
        let label = match Source::<R>::open(&path, self.schema) {
            Ok(_) => TableReader::open(&path, R::TABLE).map(|reader| reader.label),
            Err(refusal) => Err(refusal),
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        match label {
            Ok(label)
                if R::TABLE == Table::Generations && label.trace != self.spec.trace.as_str() =>
            {
                self.superseded.take(&path)?;
                if unit.part.is_none() {
                    self.notices.push(format!(
                        "{name}: not the trace that the config asks for (output.trace = \"{}\")",
                        self.spec.trace.as_str()
                    ));
                }
                Ok(false)
            }
            // A companion may be newer than its trials and then holds theirs too; older or of
            // elsewhere it is a stranger.
            Ok(label)
                if label.origin().seed != self.spec.seed
                    || trials.is_some_and(|trials| {
                        !trials.origin().plugins.is_subset(&label.origin().plugins)
                    }) =>
            {
                // With trials that are not asked for any more it is no news.
                if trials.is_some_and(|trials| trials.origin().seed == self.spec.seed) {
                    self.strangers.entry(label.origin().words()).or_default().push(path.clone());
                }
                self.superseded.take(&path)?;
                Ok(false)
            }
            Ok(_) => Ok(true),
            Err(Refusal::Missing) => Ok(false),
            Err(refusal) => self.set_aside_damaged(unit, R::TABLE, refusal).map(|()| false),
        }
    }

    /// A broken trials table takes its companions along; a broken companion goes alone.
    fn set_aside_damaged(
        &mut self,
        unit: &Unit,
        table: Table,
        refusal: Refusal,
    ) -> Result<(), ResultsError> {
        let path = unit.path(table);
        let Refusal::Damaged(message) = refusal else {
            return Err(refusal.into_error(&path));
        };
        self.damaged.take(&path)?;
        let consequence = if table == Table::Timings {
            "the times of its trials are lost"
        } else {
            "its trials are run again"
        };
        if table == Table::Trials {
            self.damaged.take(&unit.path(Table::Generations))?;
            self.damaged.take(&unit.path(Table::Timings))?;
        }
        let aside = self.damaged.folder()?.display();
        self.notices.push(format!(
            "{}: cannot be read ({message}); moved to {aside}, {consequence}",
            path.display()
        ));
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
    fn split<R: crate::results::schema::row::Row>(
        &mut self,
        unit: &Unit,
        keys: &Keys,
    ) -> Result<(), ResultsError> {
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
        .map_err(|refusal| refusal.into_error(&path))?;
        let aside = self.superseded.folder()?.join(path.file_name().unwrap_or_default());
        let write = |path: &Path, of: bool| {
            let mut writer =
                FrameWriter::create(path, &reader.schema, reader.metadata(), GroupSize::PART)?;
            let mut start = 0;
            for group in 0..reader.groups() {
                let frame = reader.group(group, None)?;
                let end = start + frame.height();
                let mask: BooleanChunked =
                    stale[start..end].iter().map(|&stale| stale == of).collect();
                let mut chosen =
                    frame.filter(&mask).map_err(|error| reader.damaged(error.to_string()))?;
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
        let own = format!("this is `{}` with seed {}", self.spec.experiment, self.spec.seed);
        for (words, paths) in &self.strangers {
            let (first, more) = (paths[0].display(), paths.len() - 1);
            let more = if more == 0 { String::new() } else { format!(" and {more} more") };
            self.notices.push(format!(
                "{first}{more}: of {words}, and {own}; moved to {}",
                folder.display()
            ));
        }
        for (reason, trials) in &self.moved {
            let why = match reason {
                Reason::Arm => {
                    let ids: Vec<String> = self.gone_arms.iter().map(ToString::to_string).collect();
                    let shown = ids.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
                    let more = ids
                        .len()
                        .checked_sub(4)
                        .map_or(String::new(), |more| format!(" and {} more", more + 1));
                    format!("the config no longer has their arms ({shown}{more})")
                }
                Reason::Seed => "the config gives them other seeds".to_owned(),
                Reason::Repeats if self.spec.limits.is_some() => {
                    "the question of `repeats` was answered by the trials before them".to_owned()
                }
                Reason::Repeats => {
                    format!("their numbers are not below repeats = {}", self.spec.repeats)
                }
                Reason::Trace => {
                    format!(
                        "they ran without output.trace = \"{}\" and are run again",
                        self.spec.trace.as_str()
                    )
                }
            };
            self.notices.push(format!("{trials} trials moved to {}: {why}", folder.display()));
        }
    }
}

/// Whether a trial that ended so must have rows in the generations table: it completed a generation
/// after the first, at the least.
pub(crate) fn must_be_traced(outcome: Outcome, generations: u64) -> bool {
    !outcome.is_failure() && generations > 0
}

struct Keys {
    label: Label,
    total: u64,
    fresh: Vec<(usize, u64)>,
    stale: BTreeMap<(ArmId, u64), Reason>,
}
