//! The entries of segments and journals that earlier runs left: those that the config asks for.

use super::Recovery;
use crate::results::error::ResultsError;
use crate::results::storage::atomic::remove_if_there;
use crate::results::storage::attempt::LeftJournal;
use crate::results::storage::entry::Entries;
use crate::results::storage::files::{if_there, make_folder};
use crate::results::storage::folder::{PARTS, PLAN, next_number, segment_path};
use crate::results::storage::journal::FULL;
use crate::results::storage::judge::{Judge, Judgement};
use crate::results::storage::metadata::Origin;
use crate::results::storage::quarantine::Quarantine;
use crate::results::storage::segment::{self, Segment};
use crate::system::regular;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Segments below this number of bytes are put together once there are more than [`MOST`].
const SMALL: u64 = FULL / 8;
const MOST: usize = 8;

/// Contents of a file.
#[derive(Default)]
struct Sorted {
    entries: Entries,
    /// Whether there are trials that the config does not ask for.
    stale: bool,
    /// Bytes that belong to no sound entry.
    damaged: u64,
}

impl Recovery<'_> {
    /// Sorts segments and journals. The files of journals stay: their trials are in a segment
    /// afterwards. `builds`: names the builds of the plugin by the start of their hash.
    pub(super) fn entries(
        &mut self,
        segments: &[PathBuf],
        journals: &[LeftJournal],
        builds: &dyn Fn(u64) -> String,
    ) -> Result<Vec<Segment>, ResultsError> {
        let judge = Judge::new(self.spec, self.failed);
        let (mut kept, mut replaced) = (Vec::new(), Vec::new());
        // Trials of small segments and of journals, and the builds that made them.
        let (mut rest, mut rest_builds) = (Entries::default(), BTreeSet::new());
        for path in segments {
            let opened = match if_there(Segment::open(path)) {
                Ok(Some(segment)) => Some(segment),
                Ok(None) => continue,
                Err(ResultsError::Unreadable { .. }) => None,
                Err(error) => return Err(error),
            };
            let is_small = segments.len() > MOST
                && opened.as_ref().is_some_and(|segment| segment.size() < SMALL);
            let sorted = match &opened {
                Some(segment) if !is_small => {
                    // Most segments stay as they are: their entries are not kept in memory.
                    let sorted = self.sort_segment(&judge, segment, false)?;
                    if !sorted.stale && sorted.damaged == 0 {
                        self.plugins.extend(segment.origin.plugins.iter().cloned());
                        kept.push(segment.clone());
                        continue;
                    }
                    self.sort_segment(&judge, segment, true)?
                }
                Some(segment) => self.sort_segment(&judge, segment, true)?,
                None => self.sort_damaged(&judge, path)?,
            };
            let mut made_by = BTreeSet::new();
            match &opened {
                Some(segment) => made_by.extend(segment.origin.plugins.iter().cloned()),
                None => made_by.extend(sorted.entries.builds().into_iter().map(builds)),
            }
            if !sorted.entries.is_empty() {
                self.plugins.extend(made_by.iter().cloned());
                rest_builds.extend(made_by);
            }
            self.set_aside(path, &sorted)?;
            rest.append(sorted.entries);
            replaced.push(path.clone());
            if rest.size() as u64 >= FULL {
                kept.extend(self.write_segment(&mut rest, &mut rest_builds)?);
            }
        }
        for LeftJournal { path, bytes, is_live } in journals {
            let mut sorted = Sorted::default();
            for entry in bytes.entries() {
                let judged = self.sort_entry(&judge, entry, Some(&mut sorted.entries));
                sorted.stale |= judged.ok_or_else(|| bytes.foreign("another format"))?;
            }
            // Another run may be writing it just now.
            sorted.damaged = if *is_live { 0 } else { bytes.damage.bytes as u64 };
            let made_by: BTreeSet<String> =
                sorted.entries.builds().into_iter().map(builds).collect();
            self.plugins.extend(made_by.iter().cloned());
            rest_builds.extend(made_by);
            self.set_aside(path, &sorted)?;
            rest.append(sorted.entries);
        }
        kept.extend(self.write_segment(&mut rest, &mut rest_builds)?);
        // Only now are their trials elsewhere.
        for path in &replaced {
            remove_if_there(path)?;
        }
        Ok(kept)
    }

    /// Takes note of an entry; returns whether the config does not ask for it, or `None` if another
    /// version of the runner wrote it.
    fn sort_entry(
        &mut self,
        judge: &Judge<'_>,
        entry: &[u8],
        into: Option<&mut Entries>,
    ) -> Option<bool> {
        match judge.judge(entry)? {
            Judgement::Asked { arm, trial, kept } => {
                if self.finished.insert(arm, trial) {
                    self.kept += u64::from(kept);
                }
                if let Some(entries) = into {
                    entries.push(arm, trial, entry);
                }
                Some(false)
            }
            Judgement::Stale { arm, trial, reason } => {
                self.stale_entries.insert((arm, trial), reason);
                Some(true)
            }
        }
    }

    fn sort_segment(
        &mut self,
        judge: &Judge<'_>,
        segment: &Segment,
        keep: bool,
    ) -> Result<Sorted, ResultsError> {
        let mut sorted = Sorted::default();
        for index in segment.blocks.iter() {
            let block = match segment.block(index) {
                Ok(block) => block,
                Err(ResultsError::Unreadable { .. }) => {
                    sorted.damaged += index.size();
                    continue;
                }
                Err(error) => return Err(error),
            };
            for entry in block.entries() {
                let into = keep.then_some(&mut sorted.entries);
                let stale = self.sort_entry(judge, entry, into);
                sorted.stale |= stale.ok_or_else(|| foreign(&segment.path))?;
            }
        }
        let origin = &segment.origin;
        let own = origin.seed == self.spec.seed && origin.experiment == self.spec.experiment;
        if sorted.stale && !own && keep {
            self.foreign.entry(origin.to_string()).or_default().push(segment.path.clone());
        }
        Ok(sorted)
    }

    /// Sorts a segment whose index is damaged.
    fn sort_damaged(&mut self, judge: &Judge<'_>, path: &Path) -> Result<Sorted, ResultsError> {
        let bytes = regular::read(path, regular::MOST_OF_DATA)
            .map_err(ResultsError::reading(path, "read the file"))?;
        let mut sorted = Sorted::default();
        sorted.damaged = segment::scan(&bytes, |entry| {
            let stale = self.sort_entry(judge, entry, Some(&mut sorted.entries));
            sorted.stale |= stale.ok_or_else(|| foreign(path))?;
            Ok(())
        })? as u64;
        Ok(sorted)
    }

    /// Keeps a segment that has trials which are not asked for, or is damaged, and says so.
    fn set_aside(&mut self, path: &Path, sorted: &Sorted) -> Result<(), ResultsError> {
        if sorted.stale {
            copy(path, &mut self.superseded)?;
            self.copy_plan()?;
        }
        if sorted.damaged > 0 {
            let to = copy(path, &mut self.damaged)?;
            self.notices.push(format!(
                "{}: {} bytes are damaged (their checksum does not match); copied to {}, and \
                their trials are run again",
                path.display(),
                sorted.damaged,
                to.display()
            ));
        }
        Ok(())
    }

    /// Copies the plan next to superseded segments, which says what their arms are.
    fn copy_plan(&mut self) -> Result<(), ResultsError> {
        let plan = self.home.join(PARTS).join(PLAN);
        let to = self.superseded.folder()?.join(PARTS).join(PLAN);
        if plan.exists() && !to.exists() {
            fs::copy(&plan, &to).map_err(ResultsError::writing(&to, "copy the plan"))?;
        }
        Ok(())
    }

    fn write_segment(
        &self,
        entries: &mut Entries,
        builds: &mut BTreeSet<String>,
    ) -> Result<Option<Segment>, ResultsError> {
        if entries.is_empty() {
            return Ok(None);
        }
        let path = segment_path(self.folder, next_number(self.folder)?);
        let origin = Origin::new(self.spec, std::mem::take(builds));
        let segment = segment::write_entries(&path, &origin, entries)?;
        *entries = Entries::default();
        Ok(Some(segment))
    }
}

fn foreign(path: &Path) -> ResultsError {
    ResultsError::JournalFormat { path: path.to_owned(), found: "another format".to_owned() }
}

/// Copies a file of the folder of parts into a quarantine; returns where it is.
fn copy(path: &Path, quarantine: &mut Quarantine) -> Result<PathBuf, ResultsError> {
    let parts = quarantine.folder()?.join(PARTS);
    make_folder(&parts)?;
    // Journals of several attempts at a shard have one name.
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let numbered = (2..).map(|number: u64| format!("{name}-{number}"));
    let mut places = std::iter::once(name.to_string()).chain(numbered).map(|one| parts.join(one));
    let to = places.find(|path| !path.exists()).expect("there are more numbers than files");
    fs::copy(path, &to).map_err(ResultsError::writing(path, "copy the file"))?;
    Ok(quarantine.folder()?.to_owned())
}
