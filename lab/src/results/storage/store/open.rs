//! Opening a store: what is in its folder is sorted first.

use super::Store;
use crate::plan::ResultsSpec;
use crate::plan::round::Share;
use crate::results::error::ResultsError;
use crate::results::schema::columns::Table;
use crate::results::schema::table_schema::TableSchema;
use crate::results::storage::atomic::{remove_if_there, write_atomically};
use crate::results::storage::attempt::{Attempt, LeftJournal, left_journals};
use crate::results::storage::entry::{self, Entries, EntryWriter};
use crate::results::storage::files::make_folder;
use crate::results::storage::finished::Finished;
use crate::results::storage::folder::{self, PARTS, PLAN, RETRYING, next_number};
use crate::results::storage::journal::Journal;
use crate::results::storage::judge::FailedTrials;
use crate::results::storage::lock::Lock;
use crate::results::storage::metadata::Origin;
use crate::results::storage::plan_file::PlanFile;
use crate::results::storage::provenance::Provenance;
use crate::results::storage::recovery::recover;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// A store, and what it found in its folder.
pub struct Opened {
    /// The store, ready for records.
    pub store: Store,
    /// Trials that need not be run.
    pub finished: Finished,
    /// The builds of the plugin that made them: the BLAKE3 of its library, in hex.
    pub plugins: BTreeSet<String>,
    /// Builds that an earlier run found there or was told to accept.
    pub known_plugins: BTreeSet<String>,
    /// Notices for the user about files that were moved away, with the reasons.
    pub notices: Vec<String>,
    /// The plan that was in the folder; `None` if there was none, as where results are finished.
    plan_before: Option<Vec<u8>>,
}

impl Opened {
    /// Closes a store that must not be used after all, as for another build of the plugin. The
    /// folder has its former plan again, so that finished results do not look unfinished.
    ///
    /// # Errors
    /// Returns an error if the plan cannot be written or removed.
    pub(crate) fn abandon(self) -> Result<(), ResultsError> {
        let Opened { store, plan_before, .. } = self;
        let parts = store.folder.join(PARTS);
        if let Some(plan) = plan_before {
            return write_atomically(&parts.join(PLAN), &plan);
        }
        remove_if_there(&parts.join(PLAN))?;
        if store.attempt.is_none() && store.journal.length() == 0 {
            remove_if_there(store.journal.path())?;
        }
        // Other files stay, and the folder with them.
        _ = fs::remove_dir(&parts);
        Ok(())
    }
}

impl Store {
    /// Opens `out_dir/<experiment>/`, makes it if need be, and sorts what is there: trials that the
    /// spec asks for count as finished; those that it does not are moved to `superseded/`,
    /// unreadable files to `damaged/`.
    ///
    /// # Errors
    /// Returns an error if another process holds the folder, it is a symbolic link, or its files
    /// cannot be read, moved or written.
    pub fn open(out_dir: &Path, spec: &ResultsSpec) -> Result<Opened, ResultsError> {
        Store::open_share(out_dir, spec, None, FailedTrials::Keep)
    }

    /// Opens the folder of a share in the same way. `failed` decides whether failed trials are kept
    /// or run again. While failed trials are moved away, a mark is in the folder. A later run
    /// continues an interrupted move, no matter what its own `failed` is.
    pub(crate) fn open_share(
        out_dir: &Path,
        spec: &ResultsSpec,
        share: Option<&Share>,
        failed: FailedTrials,
    ) -> Result<Opened, ResultsError> {
        let home = out_dir.join(
            share.map_or_else(|| spec.experiment.clone(), |share| share.folder(&spec.experiment)),
        );
        if let Some(key) = spec.swept_keys.iter().find(|key| is_column(key)) {
            return Err(ResultsError::Column { path: home, key: key.clone() });
        }
        Provenance::refuse_imported(&home)?;
        if folder::has_tuning(&home) {
            return Err(ResultsError::OtherKind { folder: home, has: "a tuning" });
        }
        folder::create_folder(&home)?;
        let place = Place::take(&home, share.is_some())?;
        place.open(spec, share, failed)
    }
}

/// Folders of a store, and the journals in them.
struct Place {
    /// The folder of the experiment or of the shard.
    folder: PathBuf,
    /// Folder that the store writes to: the same, or an attempt's.
    work: PathBuf,
    lock: Lock,
    attempt: Option<Attempt>,
    /// Journals of earlier runs.
    journals: Vec<LeftJournal>,
}

impl Place {
    /// Locks an experiment's folder, or begins an attempt in a shard's folder.
    fn take(folder: &Path, is_share: bool) -> Result<Self, ResultsError> {
        if is_share {
            let (attempt, journals) = Attempt::begin(folder)?;
            let work = attempt.folder.clone();
            let lock = Lock::take(&work)?;
            folder::remove_all_unfinished(folder, false)?;
            let (folder, attempt) = (folder.to_owned(), Some(attempt));
            return Ok(Place { folder, work, lock, attempt, journals });
        }
        let (folder, lock) = (folder.to_owned(), Lock::take(folder)?);
        let parts = folder.join(PARTS);
        make_folder(&parts)?;
        folder::remove_all_unfinished(&folder, lock.is_held())?;
        let journals = left_journals(&folder, false)?;
        Ok(Place { work: folder.clone(), folder, lock, attempt: None, journals })
    }

    fn open(
        mut self,
        spec: &ResultsSpec,
        share: Option<&Share>,
        failed: FailedTrials,
    ) -> Result<Opened, ResultsError> {
        let schema = TableSchema::of(spec);
        let plan = self.folder.join(PARTS).join(PLAN);
        let before = match PlanFile::read(&plan) {
            Ok(before) => before.map(|plan| (plan.spec.build(), plan.plugins)),
            // It is about to be written anew.
            Err(ResultsError::Unreadable { .. }) => None,
            Err(error) => return Err(error),
        };
        let plan_before = before.as_ref().and_then(|_| fs::read(&plan).ok());
        let marker = self.folder.join(PARTS).join(RETRYING);
        let failed = self.mark(&marker, failed)?;
        let build = spec.build();
        // Journals name builds by their first digits: those that can have written them are known.
        let last = before.as_ref().map(|(last, _)| last.clone());
        let name = |start: u64, plugins: &BTreeSet<String>| {
            let mut known = [&build].into_iter().chain(&last).chain(plugins);
            let known = known.find(|hex| entry::build(hex) == start);
            known.map_or_else(|| format!("{start:016x}"), String::clone)
        };
        let journals = std::mem::take(&mut self.journals);
        let found = recover(&self.work, &self.folder, spec, &schema, failed, &journals, &name)?;
        let is_new = before.is_none() && found.finished.total() == 0;
        let known_plugins = before.map_or(found.tables_plugins, |(_, all)| all);
        let mut notices = self.notices();
        notices.extend(found.notices);
        let mut journal = Journal::open(&self.work)?;
        let spec = Arc::new(spec.clone());
        journal.clear()?;
        for left in journals.iter().filter(|left| left.path.starts_with(&self.work)) {
            if left.path != journal.path() {
                remove_if_there(&left.path)?;
            }
        }
        let mut store = Store {
            share: share.cloned(),
            journal,
            journalled: Entries::default(),
            encoder: Arc::new(EntryWriter::new(&self.work, Arc::clone(&spec), &build)),
            origin: Origin::new(&spec, BTreeSet::new()),
            spec,
            schema: Arc::new(schema),
            next_number: next_number(&self.work)?,
            folder: self.folder,
            work: self.work,
            attempt: self.attempt,
            finished: found.finished,
            plugins: found.plugins,
            planned_plugins: BTreeSet::new(),
            sealing: None,
            segments: found.segments,
            parts: found.parts,
            guests: Vec::new(),
            changed: found.changed,
            checkpoints_removed: Instant::now(),
            lock: Arc::new(self.lock),
        };
        // Where there is nothing yet, the build of this run is the one that will have made it all:
        // the plan need not be written again before the first trial.
        let is_new = is_new && known_plugins.is_empty();
        let plugins = if is_new { [build].into() } else { known_plugins.clone() };
        store.write_plan(plugins)?;
        if store.changed {
            store.withdraw_summary()?;
        }
        if store.attempt.is_none() {
            remove_if_there(&marker)?;
        }
        let (finished, plugins) = (store.finished.clone(), store.plugins.clone());
        Ok(Opened { store, finished, plugins, known_plugins, notices, plan_before })
    }

    /// Marks that failed trials are moved away, or finds that marked. An attempt moves copies: its
    /// mark stays until it publishes.
    fn mark(&self, marker: &Path, failed: FailedTrials) -> Result<FailedTrials, ResultsError> {
        let marked = marker.try_exists();
        let marked = marked.map_err(ResultsError::reading(marker, "look at the file"))?;
        let failed = if marked { FailedTrials::RunAgain } else { failed };
        if failed == FailedTrials::RunAgain {
            write_atomically(marker, b"")?;
        }
        Ok(failed)
    }

    fn notices(&self) -> Vec<String> {
        let unlocked = self.attempt.is_none() && !self.lock.is_held();
        let words = || {
            format!(
                "{}: the file system has no locks, so nothing keeps a second run from writing to \
                this folder; start none",
                self.folder.display()
            )
        };
        unlocked.then(words).into_iter().collect()
    }
}

/// Returns whether a table that describes arms has a column of this name, whatever is swept.
fn is_column(key: &str) -> bool {
    let mut tables = Table::ALL.iter().filter(|table| table.describes_arms());
    tables.any(|table| table.columns().iter().any(|column| column.name == key))
}
