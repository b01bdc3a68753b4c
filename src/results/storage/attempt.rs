//! Attempts: runs of one shard, each in a folder of its own.
//!
//! A shard may run twice, even at the same moment on two machines: a scheduler starts it again
//! elsewhere while a node that it has lost still runs it. Locks do not help there, since many
//! shared file systems have none. So an attempt writes to `attempts/<unique>/` in the shard's
//! folder, where nobody else writes. It begins with what is there already: parts that others
//! published, and those of attempts that ended without (links to the files where the file system
//! has links, copies elsewhere). At its end it publishes by renaming files into the shard's
//! `parts/`: a shard with all of its trials as one sorted set whose name and bytes are the same
//! whoever made it, anything else under a name that no other attempt takes.

use crate::plan::ResultsSpec;
use crate::results::error::ResultsError;
use crate::results::schema::columns::Table;
use crate::results::storage::atomic::{
    UNFINISHED, copy_atomically, remove_if_there, remove_shared_folder, rename, sync_folder,
};
use crate::results::storage::checksum::Checksum;
use crate::results::storage::folder::{ATTEMPTS, JOURNAL, PARTS, RETRYING, TableSet, list_parts};
use crate::results::storage::journal::{self, JournalContents};
use crate::results::storage::lock::Lock;
use crate::results::storage::reader::TableReader;
use crate::system::host::{host_name, unique};
use crate::system::regular;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Files of others come and go: so often is looked for what came meanwhile.
const LOOKS: usize = 20;

/// A run of a shard on its way.
pub(crate) struct Attempt {
    /// The shard's folder.
    home: PathBuf,
    /// Its own folder in there.
    pub folder: PathBuf,
    /// Published sets that it began with.
    adopted: Vec<Adopted>,
    /// Attempts of this machine that ended without publishing: what they had is in here.
    ended: Vec<PathBuf>,
}

/// A published set, and the name of its content.
struct Adopted {
    set: TableSet,
    /// None: it cannot be read.
    checksum: Option<Checksum>,
}

/// A journal that an attempt left, by its path.
pub(crate) type LeftJournal = (PathBuf, JournalContents);

impl Attempt {
    /// Begins an attempt at a shard, with the files that are there.
    ///
    /// # Errors
    /// If files cannot be read, linked, copied or made.
    pub(crate) fn begin(
        home: &Path,
        spec: &ResultsSpec,
    ) -> Result<(Self, Vec<LeftJournal>), ResultsError> {
        let others = attempts(home)?;
        let folder = home.join(ATTEMPTS).join(unique_name());
        for new in [home.join(PARTS), folder.join(PARTS)] {
            fs::create_dir_all(&new).map_err(ResultsError::writing(&new, "create the folder"))?;
        }
        let (adopted, ended) = (Vec::new(), Vec::new());
        let mut attempt = Attempt { home: home.to_owned(), folder, adopted, ended };
        let mut journals = Vec::new();
        // The journals first: what leaves them meanwhile is in a part by then.
        let left = others.iter().map(|other| other.join(PARTS)).chain([home.join(PARTS)]);
        for path in left.map(|parts| parts.join(JOURNAL)) {
            journals.push((path.clone(), journal::read(&path, spec)?));
        }
        let mut number = 0;
        for (other, (_, journal)) in others.into_iter().zip(&mut journals) {
            attempt.adopt(&other, &mut number)?;
            match Lock::is_free(&other) {
                true => attempt.ended.push(other),
                // It may be writing just now.
                false => journal.damaged = 0,
            }
        }
        let adopted = attempt.adopt(home, &mut number)?;
        let known = |(set, copy): (TableSet, TableSet)| Adopted { set, checksum: checksum(&copy) };
        attempt.adopted = adopted.into_iter().map(known).collect();
        Ok((attempt, journals))
    }

    /// Takes the parts of a folder; which they were, each with its copy.
    fn adopt(
        &self,
        folder: &Path,
        number: &mut u64,
    ) -> Result<Vec<(TableSet, TableSet)>, ResultsError> {
        let mut adopted: Vec<(TableSet, TableSet)> = Vec::new();
        for _ in 0..LOOKS {
            let mut gone = false;
            for set in list_parts(folder, &[Table::Trials])? {
                if adopted.iter().any(|(known, _)| *known == set) {
                    continue;
                }
                let copy = TableSet::part(&self.folder, 0, *number);
                *number += 1;
                if take(&set, &copy)? {
                    adopted.push((set, copy));
                } else {
                    gone = true;
                    copy.remove()?;
                }
            }
            if !gone {
                break;
            }
        }
        Ok(adopted)
    }

    /// Whether these are the parts that it began with, and the shard was published as a whole.
    pub(crate) fn is_published(&self, parts: &[TableSet]) -> bool {
        let [Adopted { set, .. }] = &self.adopted[..] else { return false };
        parts.len() == 1 && self.ended.is_empty() && *set == self.whole()
    }

    /// Whether nobody removed its folder so far.
    ///
    /// # Errors
    /// If somebody did.
    pub(crate) fn must_be_there(&self) -> Result<(), ResultsError> {
        let found = fs::metadata(&self.folder);
        found.map(|_| ()).map_err(ResultsError::reading(&self.folder, "look at the folder"))
    }

    /// Whether another attempt published the shard with these trials meanwhile.
    pub(crate) fn is_done_alike(&self, trials: Checksum) -> bool {
        let whole = self.whole();
        let before = self.adopted.iter().any(|one| one.set == whole);
        !before && checksum(&whole) == Some(trials)
    }

    /// Publishes parts under names that no other attempt takes.
    pub(crate) fn publish(&self, parts: &[TableSet]) -> Result<(), ResultsError> {
        let first = unique() >> 12;
        for (set, number) in parts.iter().zip(first..) {
            let published = TableSet::part(&self.home, 0, number);
            for table in TableSet::APPEARING {
                let from = set.path(table);
                if from.exists() {
                    rename(&from, &published.path(table))?;
                }
            }
        }
        // What has a new content by now is another attempt's.
        let same = |one: &&Adopted| one.checksum.is_none() || checksum(&one.set) == one.checksum;
        self.adopted.iter().filter(same).try_for_each(|one| one.set.remove())
    }

    /// Where the whole shard is published.
    pub(crate) fn whole(&self) -> TableSet {
        whole(&self.home)
    }

    /// Ends the attempt after the whole shard was published: whatever else is there is a part of
    /// that. Another attempt that still runs finds its folder gone, and the shard done.
    pub(crate) fn end_done(self) -> Result<(), ResultsError> {
        let done = self.whole();
        for set in list_parts(&self.home, &[Table::Trials])? {
            if set != done {
                set.remove()?;
            }
        }
        remove_if_there(&self.home.join(PARTS).join(JOURNAL))?;
        for other in all_attempts(&self.home)? {
            remove(&other)?;
        }
        self.end()
    }

    /// Ends the attempt after its parts were published.
    pub(crate) fn end(self) -> Result<(), ResultsError> {
        remove_if_there(&self.home.join(PARTS).join(RETRYING))?;
        self.ended.iter().try_for_each(|other| remove(other))?;
        remove(&self.folder)?;
        // Others may have theirs in it.
        _ = fs::remove_dir(self.home.join(ATTEMPTS));
        sync_folder(&self.home.join(ATTEMPTS))
    }
}

/// The set that has all trials of a shard.
pub(crate) fn whole(home: &Path) -> TableSet {
    TableSet::part(home, 0, 0)
}

/// The folders of a shard's attempts; none in the folder of a whole experiment.
pub(crate) fn attempts(home: &Path) -> Result<Vec<PathBuf>, ResultsError> {
    let is_removed = |folder: &PathBuf| {
        folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with(UNFINISHED))
    };
    let mut folders = all_attempts(home)?;
    folders.retain(|folder| !is_removed(folder));
    Ok(folders)
}

/// The same with those whose removal was cut short.
fn all_attempts(home: &Path) -> Result<Vec<PathBuf>, ResultsError> {
    let folder = home.join(ATTEMPTS);
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(ResultsError::reading(&folder, "list the folder")(error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(ResultsError::reading(&folder, "list the folder"))?;
        // A link would lead elsewhere.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

/// Takes copies of the files of a set; false if it has gone meanwhile.
pub(crate) fn take(set: &TableSet, copy: &TableSet) -> Result<bool, ResultsError> {
    for table in TableSet::APPEARING {
        let (from, to) = (set.path(table), copy.path(table));
        // What is no file is named by the name that it has here.
        let link = || fs::hard_link(&from, &to).or_else(|_| copy_atomically(&from, &to));
        match regular::open(&from).and_then(|_| link()) {
            Err(error) if error.kind() == ErrorKind::NotFound && table == Table::Trials => {
                return Ok(false);
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            taken => taken.map_err(ResultsError::reading(&from, "copy the part"))?,
        }
    }
    Ok(true)
}

/// Removes an attempt's folder: at once for its owner, who finds it gone and not half of it.
fn remove(folder: &Path) -> Result<(), ResultsError> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    if name.starts_with(UNFINISHED) {
        return remove_shared_folder(folder);
    }
    let gone = folder.with_file_name(format!("{UNFINISHED}{name}"));
    match fs::rename(folder, &gone) {
        // Another attempt removed it.
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(ResultsError::writing(folder, "remove the folder")(error)),
        Ok(()) => remove_shared_folder(&gone),
    }
}

/// The checksum of a set's trials; none where they cannot be read.
fn checksum(set: &TableSet) -> Option<Checksum> {
    let reader = TableReader::peek(&set.path(Table::Trials), Table::Trials);
    reader.ok().map(|reader| reader.checksum)
}

/// A name that no other attempt has, on whatever machine.
fn unique_name() -> String {
    let host = host_name().unwrap_or_default();
    let host: String = host.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    format!("{host}.{}.{:016x}", std::process::id(), unique())
}
