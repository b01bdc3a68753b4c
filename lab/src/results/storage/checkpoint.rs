//! Checkpoints: a file per running trial with the results of its evaluations, from which the trial
//! goes on after its run was killed.
//!
//! The file is a sequence of frames. The body of the first is the `Identity` of
//! the trial and the number of bytes of a row. The body of each other frame is the time that the
//! trial took so far, in milliseconds (u64), and rows. A row is the check of a genome (u32), its
//! fitness (f64) and, if the problem has constraints, its violation (f64). Numbers are little
//! endian. What follows the last sound frame does not count. A file whose rows have no bytes has a
//! snapshot (`snapshot.rs`).

use super::folder::checkpoint_path;
use super::frame::{self, HEAD, Mark};
use super::lock::lock_soon;
use crate::plan::ResultsSpec;
use crate::plan::fingerprint::{ArmId, Fingerprint};
use crate::results::error::ResultsError;
use crate::search::EvaluationLog;
use crate::system::guard;
use crate::system::notice::Level;
use crate::system::regular;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::mem::take;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const MARK: Mark = *b"\xF1evals1\n";
/// Maximum number of bytes of a file. The rest of a longer trial is not written.
const MOST: u64 = 1 << 30;
/// Number of bytes that are written before they are due, once there is a file.
const MANY: usize = 1 << 20;
/// Number of bytes for which a file is made before it is due.
const TOO_MANY: usize = 1 << 24;
/// Maximum number of bytes of a frame.
pub(super) const LARGEST: usize = 1 << 30;
/// Time after which a trial that is interrupted leaves a file, though none was due yet.
pub(super) const WORTH: Duration = Duration::from_secs(1);
/// Number of bytes of the body of the first frame: the identity, and the number of bytes of a row.
const FIRST: usize = 32 + 1;
/// Number of bytes of a frame's body before its rows.
const TIME: usize = 8;
/// Number of bytes of a row of a file that has a snapshot in place of results.
pub(super) const SNAPSHOT: usize = 0;

/// Hash of all that decides which evaluations a trial makes, and in which order. It covers the
/// arm's fingerprint, the seed and the number of the trial, the build of the plugins, and the
/// version of the runner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity(pub(super) [u8; 32]);

impl Identity {
    pub(crate) fn new(arm: Fingerprint, seed: u64, trial: u64, build: &str) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&arm.0).update(&seed.to_le_bytes()).update(&trial.to_le_bytes());
        hasher.update(build.as_bytes()).update(&[0]).update(env!("CARGO_PKG_VERSION").as_bytes());
        Identity(*hasher.finalize().as_bytes())
    }

    /// Returns the identity of a trial of an experiment.
    pub(crate) fn of(spec: &ResultsSpec, arm: usize, trial: u64) -> Self {
        let seed = spec.trial_seed(arm, trial);
        Identity::new(spec.fingerprints[arm], seed, trial, &spec.build())
    }
}

/// Folder in which running trials keep their checkpoints.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CheckpointFolder {
    /// Folder of the experiment, of the shard, or of the attempt at a shard; a message to a worker
    /// process has it, too, and paths need not be UTF-8.
    pub folder: OsString,
    /// Time after which results are due to be written.
    pub interval: Duration,
    /// Trials that have a file already.
    pub left: BTreeSet<(ArmId, u64)>,
}

impl CheckpointFolder {
    /// Returns the checkpoint of a trial. `has_violations` says whether the problem has
    /// constraints.
    pub(crate) fn checkpoint(
        &self,
        (arm, trial): (ArmId, u64),
        identity: Identity,
        has_violations: bool,
    ) -> Checkpoint {
        let now = Instant::now();
        let mut new = Checkpoint {
            path: checkpoint_path(self.folder.as_ref(), arm, trial),
            identity,
            row: if has_violations { 20 } else { 12 },
            interval: self.interval,
            began: now,
            spent: Duration::ZERO,
            file: None,
            length: 0,
            recalled: None,
            pending: Vec::new(),
            written: now,
            is_over: false,
        };
        if self.left.contains(&(arm, trial)) {
            // One that cannot be read is written anew.
            _ = new.open();
        }
        new
    }
}

/// Contents of a checkpoint's file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Survey {
    /// Whether the file is of the trial that was asked for.
    pub is_same: bool,
    /// Number of evaluations in its sound frames.
    pub evaluations: u64,
    /// Number of bytes of its sound frames.
    pub sound: u64,
    /// Number of bytes behind them.
    pub rest: u64,
    /// Time that the trial took.
    spent: Duration,
    /// Number of bytes of a row; 0 of a snapshot.
    row: usize,
}

impl Survey {
    /// Looks through a file.
    pub(crate) fn of(path: &Path, identity: Identity) -> io::Result<Self> {
        Survey::of_file(&mut regular::open(path)?, Some(identity))
    }

    fn of_file(file: &mut File, identity: Option<Identity>) -> io::Result<Self> {
        let mut found = Survey { rest: file.metadata()?.len(), ..Survey::default() };
        let Some((own, row)) = read_first(file)? else { return Ok(found) };
        (found.is_same, found.row) = (identity.is_none_or(|identity| own == identity), row);
        if !found.is_same || !matches!(found.row, SNAPSHOT | 12 | 20) {
            return Ok(Survey { is_same: false, ..found });
        }
        found.count(FIRST);
        if found.row == SNAPSHOT {
            return found.of_snapshot(file);
        }
        while let Some(body) = read_frame(file)? {
            let Some((time, rows)) = body.split_first_chunk::<TIME>() else { break };
            if rows.len() % found.row != 0 {
                break;
            }
            found.spent = Duration::from_millis(u64::from_le_bytes(*time));
            found.evaluations += (rows.len() / found.row) as u64;
            found.count(body.len());
        }
        Ok(found)
    }

    /// Looks through the rest of a file with a snapshot.
    fn of_snapshot(mut self, file: &mut File) -> io::Result<Self> {
        let body = read_frame(file)?.unwrap_or_default();
        let Some((spent, evaluations, _)) = numbers_of(&body) else {
            return Ok(Survey { is_same: false, ..self });
        };
        (self.spent, self.evaluations) = (spent, evaluations);
        self.count(body.len());
        Ok(self)
    }

    fn count(&mut self, body: usize) {
        let length = frame::length(body) as u64;
        (self.sound, self.rest) = (self.sound + length, self.rest - length);
    }
}

/// Returns the number of evaluations in a checkpoint, of whichever trial; 0 if it cannot be read.
pub(crate) fn evaluations(path: &Path) -> u64 {
    let survey = regular::open(path).and_then(|mut file| Survey::of_file(&mut file, None));
    survey.map_or(0, |survey| survey.evaluations)
}

/// Returns the time that a trial took, the number of its evaluations, and its snapshot, of the body
/// of a snapshot's frame.
pub(super) fn numbers_of(body: &[u8]) -> Option<(Duration, u64, &[u8])> {
    let (time, rest) = body.split_first_chunk()?;
    let (evaluations, snapshot) = rest.split_first_chunk()?;
    let time = Duration::from_millis(u64::from_le_bytes(*time));
    Some((time, u64::from_le_bytes(*evaluations), snapshot))
}

/// Appends the first frame of a file: the trial, and the number of bytes of a row.
pub(super) fn append_first(bytes: &mut Vec<u8>, identity: Identity, row: usize) -> io::Result<()> {
    append_frame(bytes, &[&identity.0, &[row as u8]])
}

/// Reads the first frame of a file: the trial, and the number of bytes of a row.
pub(super) fn read_first(file: &mut impl Read) -> io::Result<Option<(Identity, usize)>> {
    let body = read_frame(file)?.unwrap_or_default();
    Ok(match body.split_first_chunk() {
        Some((identity, [row])) => Some((Identity(*identity), usize::from(*row))),
        _ => None,
    })
}

/// Appends a frame whose body has these parts.
pub(super) fn append_frame(bytes: &mut Vec<u8>, parts: &[&[u8]]) -> io::Result<()> {
    let start = frame::begin(bytes);
    parts.iter().for_each(|part| bytes.extend_from_slice(part));
    frame::end(bytes, start, &MARK).map_err(io::Error::other)
}

/// Reads the body of the next frame; `None` if no sound one follows.
pub(super) fn read_frame(file: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    file.take(HEAD as u64).read_to_end(&mut bytes)?;
    let Some(length) = frame::body_length(&bytes).filter(|length| *length <= LARGEST) else {
        return Ok(None);
    };
    file.take(length as u64 + 1).read_to_end(&mut bytes)?;
    Ok(frame::body(&bytes, &MARK).map(<[u8]>::to_vec))
}

/// Log of a trial's evaluations in a file. The file is made when the trial has lasted for an
/// interval. A checkpoint that cannot be written costs no trial.
pub(crate) struct Checkpoint {
    path: PathBuf,
    identity: Identity,
    /// Number of bytes of a row.
    row: usize,
    interval: Duration,
    /// Moment at which this process took up the trial.
    began: Instant,
    /// Time that the trial took in earlier processes.
    spent: Duration,
    file: Option<File>,
    /// Number of bytes of the file's sound frames.
    length: u64,
    /// Frame whose rows are recalled; `None` once the log has no more.
    recalled: Option<Recalled>,
    /// Rows that are not in the file.
    pending: Vec<u8>,
    written: Instant,
    /// Whether nothing more is written.
    is_over: bool,
}

/// A frame of a file, and the place of the next row in it.
struct Recalled {
    /// Place of the frame in the file.
    start: u64,
    body: Vec<u8>,
    /// Place of the next row in the body.
    place: usize,
}

impl Checkpoint {
    /// Opens the file that is there, to go on from it if it is of this trial.
    fn open(&mut self) -> io::Result<()> {
        let mut file = regular::open_with(&self.path, OpenOptions::new().read(true).write(true))?;
        if !self.lock(&file) {
            return Ok(());
        }
        let survey = Survey::of_file(&mut file, Some(self.identity))?;
        if !survey.is_same || survey.row != self.row {
            return Ok(());
        }
        file.set_len(survey.sound)?;
        file.rewind()?;
        let body = read_frame(&mut file)?.unwrap_or_default();
        (self.spent, self.length) = (survey.spent, survey.sound);
        self.file = Some(file);
        // The first frame has no rows.
        self.recalled = Some(Recalled { start: 0, place: body.len(), body });
        Ok(())
    }

    /// Locks the file. If another process has it, that of a run which is not quite dead, the trial
    /// begins anew, without a checkpoint.
    fn lock(&mut self, file: &File) -> bool {
        self.is_over = matches!(lock_soon(file), Err(TryLockError::WouldBlock));
        !self.is_over
    }

    /// Reads the next frame, if all rows of the last are recalled. Returns the frame; `None` if the
    /// log has no more rows.
    fn recalled(&mut self) -> Option<&mut Recalled> {
        let Recalled { start, body, place } = self.recalled.as_mut()?;
        while *place >= body.len() {
            *start += frame::length(body.len()) as u64;
            // Every frame was sound a moment ago.
            match self.file.as_mut().map(read_frame) {
                Some(Ok(Some(next))) if *start < self.length => (*body, *place) = (next, TIME),
                _ => {
                    let end = *start;
                    self.end_at(end);
                    return None;
                }
            }
        }
        self.recalled.as_mut()
    }

    /// Ends the log at this place of the file. From here on, results are appended.
    fn end_at(&mut self, place: u64) {
        (self.recalled, self.length) = (None, place);
        let Some(file) = &mut self.file else { return };
        let moved = file.set_len(place).and_then(|()| file.seek(SeekFrom::Start(place)));
        self.is_over |= moved.is_err();
    }

    /// Ends the log before the row that comes next.
    fn cut(&mut self) {
        let Some(Recalled { start, body, place }) = self.recalled.take() else { return };
        self.pending = body[TIME..place].to_vec();
        self.end_at(start);
        let words = format!(
            "{}: the checkpoint has results of other genomes from some evaluation on; the trial \
            goes on from there without them",
            self.path.display()
        );
        guard::report(Level::Warning, words);
    }

    /// Writes the pending rows.
    fn try_write(&mut self) -> io::Result<()> {
        let mut bytes = Vec::new();
        if self.file.is_none() {
            let options = &mut OpenOptions::new();
            let file = regular::open_with(
                &self.path,
                options.create(true).truncate(false).read(true).write(true),
            )?;
            if !self.lock(&file) {
                return Ok(());
            }
            file.set_len(0)?;
            self.file = Some(file);
            append_first(&mut bytes, self.identity, self.row)?;
        }
        let time = (self.spent + self.began.elapsed()).as_millis() as u64;
        append_frame(&mut bytes, &[&time.to_le_bytes(), &take(&mut self.pending)])?;
        if self.length + bytes.len() as u64 > MOST {
            self.is_over = true;
            let words = format!(
                "{}: the checkpoint is full, with {MOST} bytes; if the run is killed, the trial \
                goes on from here",
                self.path.display()
            );
            guard::report(Level::Note, words);
            return Ok(());
        }
        self.length += bytes.len() as u64;
        let Some(file) = &mut self.file else { return Ok(()) };
        file.write_all(&bytes)?;
        file.sync_data()
    }
}

impl Drop for Checkpoint {
    /// Closing the file is not enough: a process that a plugin forked off may have it open too.
    fn drop(&mut self) {
        self.file.iter().for_each(|file| _ = file.unlock());
    }
}

impl EvaluationLog for Checkpoint {
    fn recall(&mut self, check: u32) -> Option<(f64, f64)> {
        let row = self.row;
        let Recalled { body, place, .. } = self.recalled()?;
        let (own, numbers) = body[*place..*place + row].split_first_chunk::<4>()?;
        if u32::from_le_bytes(*own) != check {
            self.cut();
            return None;
        }
        let number = |at: usize| {
            let bytes = numbers.get(at..)?.first_chunk::<8>()?;
            Some(f64::from_le_bytes(*bytes))
        };
        let result = (number(0)?, number(8).unwrap_or(0.0));
        *place += row;
        Some(result)
    }

    fn append(&mut self, check: u32, fitness: f64, violation: f64) {
        if self.is_over {
            return;
        }
        self.pending.extend(check.to_le_bytes());
        self.pending.extend(fitness.to_le_bytes());
        if self.row > 12 {
            self.pending.extend(violation.to_le_bytes());
        }
    }

    fn write_if_due(&mut self) {
        let many = if self.file.is_some() { MANY } else { TOO_MANY };
        if self.pending.len() >= many || self.written.elapsed() >= self.interval {
            self.write();
        }
    }

    fn write(&mut self) {
        let is_young = self.file.is_none() && self.began.elapsed() < self.interval.min(WORTH);
        if self.pending.is_empty() || self.is_over || is_young {
            return;
        }
        self.written = Instant::now();
        if let Err(error) = self.try_write() {
            self.is_over = true;
            let error = ResultsError::writing(&self.path, "write the checkpoint")(error);
            guard::report(Level::Warning, format!("{error}; the trial runs on without it"));
        }
    }

    fn interval(&self) -> Duration {
        self.interval
    }

    fn spent(&self) -> Duration {
        self.spent
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const IDENTITY: Identity = Identity([7; 32]);

    fn checkpoints(folder: &Path, left: bool) -> CheckpointFolder {
        let left = left.then_some((ArmId(5), 3)).into_iter().collect();
        let interval = Duration::from_nanos(1);
        CheckpointFolder { folder: folder.into(), interval, left }
    }

    /// Writes a checkpoint of some frames, of three rows each. Returns its path.
    fn written(folder: &Path, frames: u32) -> PathBuf {
        fs::create_dir_all(folder.join("parts")).expect("a folder");
        let all = checkpoints(folder, false);
        let mut log = all.checkpoint((ArmId(5), 3), IDENTITY, true);
        assert_eq!(log.recall(0), None);
        for frame in 0..frames {
            (0..3).for_each(|row| {
                let number = 3 * frame + row;
                log.append(number, f64::from(number) / 2.0, f64::from(row));
            });
            log.write_if_due();
        }
        checkpoint_path(folder, ArmId(5), 3)
    }

    fn recalled(folder: &Path) -> (u32, Checkpoint) {
        let mut log = checkpoints(folder, true).checkpoint((ArmId(5), 3), IDENTITY, true);
        let mut rows = 0;
        while let Some(result) = log.recall(rows) {
            assert_eq!(result, (f64::from(rows) / 2.0, f64::from(rows % 3)));
            rows += 1;
        }
        (rows, log)
    }

    #[test]
    fn a_trial_goes_on_from_the_sound_part_of_its_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        let path = written(folder, 4);
        let whole = fs::read(&path).expect("a file");
        let of = |path: &Path| Survey::of(path, IDENTITY).expect("readable");
        assert_eq!((of(&path).evaluations, of(&path).rest), (12, 0));
        for end in 0..whole.len() {
            fs::write(&path, &whole[..end]).expect("written");
            let survey = of(&path);
            let (rows, mut log) = recalled(folder);
            assert_eq!(u64::from(rows), survey.evaluations, "{end} bytes");
            // What is appended follows the sound part.
            (rows..12).for_each(|row| log.append(row, f64::from(row) / 2.0, f64::from(row % 3)));
            log.write();
            drop(log);
            assert_eq!(recalled(folder).0, 12, "{end} bytes");
        }
        for place in 0..whole.len() {
            let mut flipped = whole.clone();
            flipped[place] ^= 1 << (place % 8);
            fs::write(&path, &flipped).expect("written");
            assert!(of(&path).rest > 0 && recalled(folder).0 < 12, "byte {place}");
        }
    }

    #[test]
    fn a_file_of_another_trial_or_of_other_genomes_is_not_used() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        let path = written(folder, 2);
        assert!(!Survey::of(&path, Identity([8; 32])).expect("readable").is_same);
        let all = checkpoints(folder, true);
        let mut other = all.checkpoint((ArmId(5), 3), Identity([8; 32]), true);
        assert_eq!((other.recall(0), other.spent()), (None, Duration::ZERO));
        drop(other);
        let mut log = all.checkpoint((ArmId(5), 3), IDENTITY, true);
        assert_eq!((log.recall(0), log.recall(9)), (Some((0.0, 0.0)), None));
        assert_eq!(log.recall(1), None);
        log.append(9, 1.5, 0.5);
        log.write();
        drop(log);
        let mut log = all.checkpoint((ArmId(5), 3), IDENTITY, true);
        let results = [0, 9, 1].map(|check| log.recall(check));
        assert_eq!(results, [Some((0.0, 0.0)), Some((1.5, 0.5)), None]);
        // While it is open, another process does not take it.
        let mut second = all.checkpoint((ArmId(5), 3), IDENTITY, true);
        assert_eq!(second.recall(0), None);
    }
}
