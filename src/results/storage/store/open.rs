//! Opening a store: what is in its folder is sorted first.

use super::waiting::Waiting;
use super::{Intake, Kept, Store};
use crate::plan::ResultsSpec;
use crate::plan::round::Share;
use crate::results::error::ResultsError;
use crate::results::schema::columns::Table;
use crate::results::schema::table_schema::TableSchema;
use crate::results::storage::atomic::{remove_if_there, write_atomically};
use crate::results::storage::attempt::{Attempt, LeftJournal};
use crate::results::storage::finished::Finished;
use crate::results::storage::folder::{self, DAMAGED, JOURNAL, PARTS, PLAN, RETRYING, SUPERSEDED};
use crate::results::storage::journal::{self, EntryWriter, Journal, JournalContents};
use crate::results::storage::lock::Lock;
use crate::results::storage::metadata::Origin;
use crate::results::storage::plan_file::PlanFile;
use crate::results::storage::provenance::Provenance;
use crate::results::storage::quarantine::Quarantine;
use crate::results::storage::recovery::{FailedTrials, recover};
use std::collections::{BTreeSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A store, and what it found in its folder.
pub struct Opened {
    /// Ready for records.
    pub store: Store,
    /// Trials that need not be run.
    pub finished: Finished,
    /// The builds of the plugin that made them: the BLAKE3 of its library, in hex.
    pub plugins: BTreeSet<String>,
    /// Those that an earlier run found there or was told to accept.
    pub known_plugins: BTreeSet<String>,
    /// What was moved aside and why, in words for the user.
    pub notices: Vec<String>,
}

impl Store {
    /// Opens `out_dir/<experiment>/`, makes it if need be, and sorts what is there: trials that the
    /// spec asks for count as finished; those that it does not are moved to `superseded/`,
    /// unreadable files to `damaged/`.
    ///
    /// # Errors
    /// If another process holds the folder, it is a symbolic link, or its files cannot be read,
    /// moved or written.
    pub fn open(out_dir: &Path, spec: &ResultsSpec) -> Result<Opened, ResultsError> {
        Store::open_share(out_dir, spec, None, FailedTrials::Keep)
    }

    /// The same for the folder of a share, and with `failed` trials kept or to be run again. Moving
    /// those away is marked in the folder until it is done: a run that was cut short meanwhile is
    /// gone on with so, whatever the next one asks for.
    ///
    /// # Errors
    /// As [`open`](Self::open).
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
        folder::create_folder(&home)?;
        let place = Place::take(&home, spec, share.is_some())?;
        place.open(spec, share, failed)
    }
}

/// Where a store works, and what it finds there.
struct Place {
    /// The folder of the experiment or of the shard.
    folder: PathBuf,
    /// Where the store writes: the same, or an attempt's folder.
    work: PathBuf,
    lock: Lock,
    attempt: Option<Attempt>,
    /// What runs left in journals.
    journals: Vec<LeftJournal>,
}

impl Place {
    /// An experiment's folder is locked; in a shard's, an attempt begins.
    fn take(folder: &Path, spec: &ResultsSpec, is_share: bool) -> Result<Self, ResultsError> {
        if is_share {
            let (attempt, journals) = Attempt::begin(folder, spec)?;
            let work = attempt.folder.clone();
            let lock = Lock::take(&work)?;
            let (folder, attempt) = (folder.to_owned(), Some(attempt));
            return Ok(Place { folder, work, lock, attempt, journals });
        }
        let (folder, lock) = (folder.to_owned(), Lock::take(folder)?);
        let parts = folder.join(PARTS);
        fs::create_dir_all(&parts).map_err(ResultsError::writing(&parts, "create the folder"))?;
        folder::remove_unfinished(&folder, lock.is_held())?;
        folder::remove_unfinished(&parts, lock.is_held())?;
        let journal = parts.join(JOURNAL);
        let journals = vec![(journal.clone(), journal::read(&journal, spec)?)];
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
            Ok(before) => before.map(|plan| (plan.origin.build(), plan.origin.plugins)),
            // It is about to be written anew.
            Err(ResultsError::Unreadable { .. }) => None,
            Err(error) => return Err(error),
        };
        let marker = self.folder.join(PARTS).join(RETRYING);
        let failed = self.mark(&marker, failed)?;
        let found = recover(&self.work, &self.folder, spec, &schema, failed)?;
        let (before, known_plugins) =
            before.map_or((None, found.tables_plugins), |(last, all)| (Some(last), all));
        let mut notices = self.notices();
        notices.extend(found.notices);
        for (path, contents) in &self.journals {
            notices.extend(quarantine_journal(&self.folder, path, contents)?);
        }
        let build = spec.build();
        // The journal names builds by their first digits: those that can have written it are known.
        let known: Vec<&String> =
            [&build].into_iter().chain(&before).chain(&found.plugins).collect();
        let name = |start: &u64| {
            let known = known.iter().find(|hex| journal::build(hex) == *start);
            known.map_or_else(|| format!("{start:016x}"), |hex| (*hex).clone())
        };
        let journalled: Vec<JournalContents> =
            std::mem::take(&mut self.journals).into_iter().map(|(_, contents)| contents).collect();
        let journal_plugins: BTreeSet<String> =
            journalled.iter().flat_map(|journal| &journal.plugins).map(name).collect();
        let numbers = found.parts.iter().filter_map(|set| set.part).map(|(_, number)| number + 1);
        let next_part = numbers.max().unwrap_or(0);
        let is_fresh = found.parts.is_empty() && found.finished.total() == 0;
        let journal = self.work.join(PARTS).join(JOURNAL);
        let (spec, entries) = (Arc::new(spec.clone()), EntryWriter::new(&journal, spec, &build));
        let mut store = Store {
            share: share.cloned(),
            journal: Journal::open(&journal)?,
            intake: Arc::new(Intake::new(Arc::clone(&spec), self.work.clone(), entries)),
            origin: Origin::new(&spec, BTreeSet::new()),
            spec,
            schema: Arc::new(schema),
            folder: self.folder,
            work: self.work,
            attempt: self.attempt,
            finished: found.finished,
            plugins: found.plugins,
            waiting_plugins: BTreeSet::new(),
            planned_plugins: BTreeSet::new(),
            waiting: Waiting::default(),
            errands: Arc::default(),
            underway: VecDeque::new(),
            kept: is_fresh.then(Kept::default),
            changed: found.changed,
            parts: found.parts,
            guests: Vec::new(),
            next_part,
            first_part: next_part,
            _lock: self.lock,
        };
        // Where there is nothing yet, the build of this run is the one that will have made it all:
        // the plan need not be written again before the first trial.
        let is_new = before.is_none()
            && is_fresh
            && known_plugins.is_empty()
            && journalled.iter().all(|journal| journal.records.is_empty());
        let plugins = if is_new { [build].into() } else { known_plugins.clone() };
        store.write_plan(plugins)?;
        // What a killed run had only in its journal becomes a part before the journal is used
        // again.
        journalled.into_iter().for_each(|contents| store.wait_for_parts(contents.records));
        if !store.waiting.is_empty() {
            store.waiting_plugins = journal_plugins;
        }
        store.flush()?;
        store.journal.clear()?;
        if store.attempt.is_none() {
            remove_if_there(&marker)?;
        }
        let (finished, plugins) = (store.finished.clone(), store.plugins.clone());
        Ok(Opened { store, finished, plugins, known_plugins, notices })
    }

    /// Marks that failed trials are moved away, or finds that marked. An attempt moves copies: its
    /// mark stays until it publishes.
    fn mark(&mut self, marker: &Path, failed: FailedTrials) -> Result<FailedTrials, ResultsError> {
        let marked = marker.try_exists();
        let marked = marked.map_err(ResultsError::reading(marker, "look at the file"))?;
        let failed = if marked { FailedTrials::RunAgain } else { failed };
        if failed == FailedTrials::RunAgain {
            write_atomically(marker, b"")?;
            self.journals.iter_mut().for_each(|(_, contents)| contents.give_up_retried());
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

/// Whether a table that describes arms has a column of this name, whatever is swept.
fn is_column(key: &str) -> bool {
    let mut tables = Table::ALL.iter().filter(|table| table.describes_arms());
    tables.any(|table| table.columns().iter().any(|column| column.name == key))
}

/// Copies a journal that has entries which cannot be used, and says so.
fn quarantine_journal(
    folder: &Path,
    journal: &Path,
    contents: &JournalContents,
) -> Result<Vec<String>, ResultsError> {
    let copy = |name: &str| -> Result<PathBuf, ResultsError> {
        let mut quarantine = Quarantine::new(folder, name);
        fs::copy(journal, quarantine.folder()?.join(JOURNAL))
            .map_err(ResultsError::writing(journal, "copy the journal"))?;
        quarantine.folder().map(Path::to_owned)
    };
    let mut notices = Vec::new();
    if contents.stale > 0 {
        let to = copy(SUPERSEDED)?;
        notices.push(format!(
            "{} trials moved to {}: the config no longer asks for them",
            contents.stale,
            to.display()
        ));
    }
    if contents.damaged > 0 {
        let (to, bytes) = (copy(DAMAGED)?, contents.damaged);
        notices.push(format!(
            "{}: {bytes} bytes are damaged (their checksum does not match); copied to {}, and \
            their trials are run again",
            journal.display(),
            to.display()
        ));
    }
    Ok(notices)
}
