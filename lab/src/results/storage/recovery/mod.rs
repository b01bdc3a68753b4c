//! Recovery of a folder: trials to keep, trials that the config no longer asks for, and broken
//! files.

mod entries;
mod notices;
mod rows;

pub(crate) use rows::must_be_traced;

use crate::plan::ResultsSpec;
use crate::plan::fingerprint::ArmId;
use crate::plan::settings::Trace;
use crate::record::TrialRecord;
use crate::results::error::ResultsError;
use crate::results::schema::columns::Table;
use crate::results::schema::row::{GenerationRow, Row, TimingRow};
use crate::results::schema::table_schema::TableSchema;
use crate::results::storage::attempt::LeftJournal;
use crate::results::storage::files::if_there;
use crate::results::storage::finished::Finished;
use crate::results::storage::folder::{
    DAMAGED, SUPERSEDED, TableSet, list_parts, list_segments, strays,
};
use crate::results::storage::judge::{FailedTrials, Reason};
use crate::results::storage::metadata::TableMetadata;
use crate::results::storage::quarantine::Quarantine;
use crate::results::storage::reader::TableReader;
use crate::results::storage::segment::Segment;
use crate::results::storage::table_rows::TableRows;
use rows::{Keys, check_rows};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// State of the recovery of a folder. Afterwards the folder only has trials that the spec asks for,
/// each with its trace.
pub(crate) struct Recovery<'a> {
    spec: &'a ResultsSpec,
    schema: &'a TableSchema,
    folder: &'a Path,
    /// The folder itself, or that of the shard of which it is an attempt.
    home: &'a Path,
    failed: FailedTrials,
    superseded: Quarantine,
    damaged: Quarantine,
    finished: Finished,
    /// Trials moved away, by reason.
    moved: BTreeMap<Reason, u64>,
    /// Trials of segments and journals that the config does not ask for, and why.
    stale_entries: BTreeMap<(ArmId, u64), Reason>,
    gone_arms: BTreeSet<ArmId>,
    /// Trials that stay though they ran within another budget.
    kept: u64,
    /// Files of another experiment or seed that were moved away, by what they say of themselves.
    foreign: BTreeMap<String, Vec<PathBuf>>,
    /// The builds of the plugin that made the trials that stay.
    plugins: BTreeSet<String>,
    notices: Vec<String>,
}

/// The trials, the files that hold them, and the notices for the user.
pub(crate) struct Recovered {
    pub finished: Finished,
    /// The builds of the plugin that made them, and those that made the ones of the tables.
    pub plugins: BTreeSet<String>,
    pub tables_plugins: BTreeSet<String>,
    pub segments: Vec<Segment>,
    pub parts: Vec<TableSet>,
    /// Whether something was moved away.
    pub changed: bool,
    pub notices: Vec<String>,
}

/// Sorts what is in the folder: moves what the config does not ask for to `superseded/`, and files
/// that cannot be read to `damaged/`, both in `home`.
pub(crate) fn recover(
    folder: &Path,
    home: &Path,
    spec: &ResultsSpec,
    schema: &TableSchema,
    failed: FailedTrials,
    journals: &[LeftJournal],
    builds: &dyn Fn(u64, &BTreeSet<String>) -> String,
) -> Result<Recovered, ResultsError> {
    let mut recovery = Recovery {
        spec,
        schema,
        folder,
        home,
        failed,
        superseded: Quarantine::new(home, SUPERSEDED),
        damaged: Quarantine::new(home, DAMAGED),
        finished: Finished::new(spec.arms.len()),
        moved: BTreeMap::new(),
        stale_entries: BTreeMap::new(),
        gone_arms: BTreeSet::new(),
        kept: 0,
        foreign: BTreeMap::new(),
        plugins: BTreeSet::new(),
        notices: Vec::new(),
    };
    for path in strays(home)? {
        recovery
            .notices
            .push(format!("{}: not a name of a part file; it is left as it is", path.display()));
    }
    recovery.tables()?;
    let tables_plugins = recovery.plugins.clone();
    let mut parts = Vec::new();
    for set in list_parts(folder)? {
        if recovery.sort(&set)? {
            parts.push(set);
        } else {
            // What is left of it was never finished (its trials are missing), or its trials are in
            // a folded part.
            set.remove()?;
        }
    }
    let known = recovery.plugins.clone();
    let segments =
        recovery.entries(&list_segments(folder)?, journals, &|start| builds(start, &known))?;
    // By now, these are in no file any more.
    for ((arm, _), reason) in std::mem::take(&mut recovery.stale_entries) {
        recovery.count_trial(arm, reason);
    }
    recovery.summarise();
    let changed = recovery.superseded.made().or(recovery.damaged.made()).is_some();
    let Recovery { finished, plugins, notices, .. } = recovery;
    Ok(Recovered { finished, plugins, tables_plugins, segments, parts, changed, notices })
}

impl Recovery<'_> {
    fn tables(&mut self) -> Result<(), ResultsError> {
        let set = TableSet::tables(self.folder);
        if self.sort(&set)? {
            self.summary(&set)?;
        } else {
            // Without trials.parquet its companions are kept only as far as parts have their
            // trials.
            self.companion::<GenerationRow>(&set, None)?;
            self.companion::<TimingRow>(&set, None)?;
        }
        Ok(())
    }

    /// Moves a summary away that cannot be read, or is one of another experiment. It is made anew.
    fn summary(&mut self, set: &TableSet) -> Result<(), ResultsError> {
        let path = set.path(Table::Summary);
        match TableReader::open(&path, Table::Summary) {
            Ok(reader) => {
                let origin = reader.metadata.origin();
                if origin.seed != self.spec.seed {
                    self.foreign.entry(origin.to_string()).or_default().push(path.clone());
                    self.superseded.take(&path)?;
                }
                Ok(())
            }
            Err(error @ ResultsError::Unreadable { .. }) => {
                self.quarantine(set, Table::Summary, error)
            }
            Err(_) => Ok(()),
        }
    }

    /// Sorts a set. Returns whether it still has trials.
    fn sort(&mut self, set: &TableSet) -> Result<bool, ResultsError> {
        let path = set.path(Table::Trials);
        let mut keys = match if_there(self.keys(&path)) {
            Ok(Some(keys)) => keys,
            Ok(None) => return Ok(false),
            Err(error) => return self.quarantine(set, Table::Trials, error).map(|()| false),
        };
        if keys.fresh.is_empty() && !keys.stale.is_empty() {
            self.give_up(set, &keys)?;
            return Ok(false);
        }
        if self.companion::<GenerationRow>(set, Some(&keys.metadata))? {
            self.find_untraced(set, &mut keys)?;
        } else if self.spec.trace != Trace::None {
            self.count(Reason::Trace, keys.total);
            self.supersede(set)?;
            return Ok(false);
        }
        self.companion::<TimingRow>(set, None)?;
        if keys.stale.is_empty() {
            self.keep(&keys);
            return Ok(true);
        }
        if keys.fresh.is_empty() {
            self.give_up(set, &keys)?;
            return Ok(false);
        }
        self.count_stale(set, &keys);
        // Trials last: if this is cut short, the next run finds the stale rows again.
        self.split::<GenerationRow>(set, &keys)?;
        self.split::<TimingRow>(set, &keys)?;
        self.split::<TrialRecord>(set, &keys)?;
        self.keep(&keys);
        Ok(true)
    }

    /// Moves a set away that has no trial that is asked for.
    fn give_up(&mut self, set: &TableSet, keys: &Keys) -> Result<(), ResultsError> {
        self.count_stale(set, keys);
        let other = |reason: &Reason| *reason == Reason::Budget;
        if self.failed == FailedTrials::RunAgain || keys.stale.values().any(other) {
            // Trials last: another build, or a larger budget, may make them otherwise, and
            // companions that stay would be taken for theirs.
            self.superseded.take(&set.path(Table::Generations))?;
            self.superseded.take(&set.path(Table::Timings))?;
        }
        self.supersede(set)
    }

    fn keep(&mut self, keys: &Keys) {
        keys.fresh.iter().for_each(|one| _ = self.finished.insert(one.arm, one.trial));
        self.kept += keys.kept;
        self.plugins.extend(keys.metadata.origin().plugins.iter().cloned());
    }

    /// Checks a table next to the trials, which have that metadata. Returns whether the table
    /// exists, is readable, is of this experiment and (generations) has the trace asked for. Moves
    /// other tables away.
    fn companion<R: Row>(
        &mut self,
        set: &TableSet,
        trials: Option<&TableMetadata>,
    ) -> Result<bool, ResultsError> {
        let path = set.path(R::TABLE);
        let metadata = TableRows::<R>::open(&path, self.schema)
            .and_then(|_| TableReader::open(&path, R::TABLE))
            .and_then(|reader| check_rows::<R>(&reader).map(|()| reader.metadata));
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        match metadata {
            Ok(metadata)
                if R::TABLE == Table::Generations && metadata.trace != self.spec.trace.as_str() =>
            {
                self.superseded.take(&path)?;
                if set.part.is_none() {
                    self.notices.push(format!(
                        "{name}: does not have the trace that the config asks for ({})",
                        self.spec.trace.keys()
                    ));
                }
                Ok(false)
            }
            // A companion may be newer than its trials and then holds theirs too; older or of
            // elsewhere it is foreign.
            Ok(metadata)
                if metadata.origin().seed != self.spec.seed
                    || trials.is_some_and(|trials| {
                        !trials.origin().plugins.is_subset(&metadata.origin().plugins)
                    }) =>
            {
                // With trials that are not asked for any more it is no news.
                if trials.is_some_and(|trials| trials.origin().seed == self.spec.seed) {
                    self.foreign
                        .entry(metadata.origin().to_string())
                        .or_default()
                        .push(path.clone());
                }
                self.superseded.take(&path)?;
                Ok(false)
            }
            Ok(_) => Ok(true),
            Err(error) if error.is_missing() => Ok(false),
            Err(error) => self.quarantine(set, R::TABLE, error).map(|()| false),
        }
    }

    /// Moves a broken table to quarantine. A trials table takes its companions along; a companion
    /// goes alone.
    fn quarantine(
        &mut self,
        set: &TableSet,
        table: Table,
        error: ResultsError,
    ) -> Result<(), ResultsError> {
        let path = set.path(table);
        let ResultsError::Unreadable { message, .. } = error else { return Err(error) };
        self.damaged.take(&path)?;
        let consequence = match table {
            Table::Summary => "it is made anew",
            Table::Timings => "the timings of its trials are lost",
            _ => "its trials are run again",
        };
        if table == Table::Trials {
            self.damaged.take(&set.path(Table::Generations))?;
            self.damaged.take(&set.path(Table::Timings))?;
        }
        let to = self.damaged.folder()?.display();
        self.notices.push(format!(
            "{}: cannot be read ({message}); moved to {to}, {consequence}",
            path.display()
        ));
        Ok(())
    }

    fn supersede(&mut self, set: &TableSet) -> Result<(), ResultsError> {
        // Trials first: companions alone count for nothing.
        for table in [Table::Trials, Table::Generations, Table::Timings] {
            self.superseded.take(&set.path(table))?;
        }
        Ok(())
    }
}
