//! Opening a store: what is in its folder is sorted first.

use super::{Kept, Store};
use crate::plan::ResultsSpec;
use crate::plan::shard::Shard;
use crate::results::error::ResultsError;
use crate::results::schema::columns::Table;
use crate::results::schema::table_schema::TableSchema;
use crate::results::storage::atomic::{remove_if_there, write_atomically};
use crate::results::storage::finished::Finished;
use crate::results::storage::folder::{self, DAMAGED, JOURNAL, PARTS, PLAN, RETRYING, SUPERSEDED};
use crate::results::storage::journal::{self, Journal, JournalContents};
use crate::results::storage::lock::Lock;
use crate::results::storage::plan_file::PlanFile;
use crate::results::storage::provenance::Provenance;
use crate::results::storage::quarantine::Quarantine;
use crate::results::storage::recovery::{FailedTrials, recover};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

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
        Store::open_shard(out_dir, spec, None, FailedTrials::Keep)
    }

    /// The same for the folder of a shard, and with `failed` trials kept or to be run again. Moving
    /// those away is marked in the folder until it is done: a run that was cut short meanwhile is
    /// gone on with so, whatever the next one asks for.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub(crate) fn open_shard(
        out_dir: &Path,
        spec: &ResultsSpec,
        shard: Option<Shard>,
        failed: FailedTrials,
    ) -> Result<Opened, ResultsError> {
        let folder = out_dir.join(
            shard.map_or_else(|| spec.experiment.clone(), |one| one.folder(&spec.experiment)),
        );
        if let Some(key) = spec.swept_keys.iter().find(|key| is_column(key)) {
            return Err(ResultsError::Column { path: folder, key: key.clone() });
        }
        Provenance::refuse_imported(&folder)?;
        folder::create_folder(&folder)?;
        let lock = Lock::take(&folder)?;
        let parts = folder.join(PARTS);
        fs::create_dir_all(&parts).map_err(ResultsError::writing(&parts, "create the folder"))?;
        folder::remove_unfinished(&folder)?;
        folder::remove_unfinished(&parts)?;
        let schema = TableSchema::of(spec);
        // All that can fail to be read is read before anything is moved.
        let (plan, path) = (parts.join(PLAN), parts.join(JOURNAL));
        let before = match PlanFile::read(&plan) {
            Ok(before) => before.map(|plan| (plan.origin.build(), plan.origin.plugins)),
            // It is about to be written anew.
            Err(ResultsError::Unreadable { .. }) => None,
            Err(error) => return Err(error),
        };
        let mut journalled = journal::read(&path, spec)?;
        let marker = parts.join(RETRYING);
        let marked = marker.try_exists();
        let marked = marked.map_err(ResultsError::reading(&marker, "look at the file"))?;
        let failed = if marked { FailedTrials::RunAgain } else { failed };
        if failed == FailedTrials::RunAgain {
            write_atomically(&marker, b"")?;
            journalled.give_up_retried();
        }
        let found = recover(&folder, spec, &schema, failed)?;
        let (before, known_plugins) =
            before.map_or((None, found.tables_plugins), |(last, all)| (Some(last), all));
        write_atomically(&plan, &PlanFile::new(spec, shard, known_plugins.clone()).to_json())?;
        let next_part =
            found.parts.iter().filter_map(|set| set.part).map(|(_, number)| number + 1).max();
        let fresh = found.parts.is_empty() && found.finished.total() == 0;
        let mut notices = found.notices;
        notices.extend(quarantine_journal(&folder, &path, &journalled)?);
        let build = spec.build();
        // The journal names builds by their first digits: those that can have written it are known.
        let known: Vec<&String> =
            [&build].into_iter().chain(&before).chain(&found.plugins).collect();
        let name = |start: &u64| {
            let known = known.iter().find(|hex| journal::build(hex) == *start);
            known.map_or_else(|| format!("{start:016x}"), |hex| (*hex).clone())
        };
        let journal_plugins: BTreeSet<String> = journalled.plugins.iter().map(name).collect();
        let mut store = Store {
            spec: spec.clone(),
            shard,
            journal: Journal::open(&path, &build)?,
            schema,
            folder: folder.clone(),
            finished: found.finished,
            plugins: found.plugins.clone(),
            buffer_plugins: BTreeSet::new(),
            buffer: Vec::new(),
            buffered_rows: 0,
            buffered_genes: 0,
            flushed: Instant::now(),
            kept: fresh.then(Kept::default),
            parts: found.parts,
            next_part: next_part.unwrap_or(0),
            _lock: lock,
        };
        // What a killed run had only in its journal becomes a part before the journal is used
        // again.
        store.buffer(journalled.records);
        if !store.buffer.is_empty() {
            store.buffer_plugins = journal_plugins;
        }
        store.flush()?;
        store.journal.clear()?;
        remove_if_there(&marker)?;
        let (finished, plugins) = (store.finished.clone(), store.plugins.clone());
        Ok(Opened { store, finished, plugins, known_plugins, notices })
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
