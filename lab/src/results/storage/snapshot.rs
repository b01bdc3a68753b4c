//! Snapshots: the file of a running trial whose evaluations are too fast to be logged.
//!
//! The file is that of a [checkpoint](super::checkpoint) whose rows have no bytes. Its second frame
//! has the time that the trial took so far, in milliseconds (u64), the number of its evaluations
//! (u64), and the snapshot. It is replaced as a whole, so there is always one that is sound.

use super::atomic::write_atomically;
use super::checkpoint::{
    CheckpointFolder, Identity, LARGEST, SNAPSHOT, WORTH, append_first, append_frame, numbers_of,
    read_first, read_frame,
};
use super::folder::checkpoint_path;
use crate::plan::fingerprint::ArmId;
use crate::results::error::ResultsError;
use crate::search::SnapshotFile;
use crate::system::guard;
use crate::system::notice::Level;
use crate::system::regular;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time that a snapshot may take to be written, however long an interval is.
const SLOW: Duration = Duration::from_secs(1);
/// Multiple of the time that a slower one took, after which the next is due.
const SHARE: u32 = 20;

/// Last snapshot of a trial, in a file. The file is made when the trial has lasted for an interval.
/// A snapshot that cannot be written costs no trial.
///
/// Most trials are shorter than an interval, so path and identity are made when they are needed.
pub(crate) struct StoredSnapshot {
    checkpoints: Arc<CheckpointFolder>,
    key: (ArmId, u64),
    identity: Box<dyn Fn() -> Identity>,
    /// Moment at which this process took up the trial.
    began: Instant,
    /// Time that the trial took in earlier processes.
    spent: Duration,
    /// Snapshot from which the trial goes on.
    left: Option<Vec<u8>>,
    written: Instant,
    /// Time from one snapshot to the next.
    pause: Duration,
    /// Whether nothing more is written.
    is_over: bool,
}

impl StoredSnapshot {
    /// Returns the snapshot of a trial, and reads the one that is there, if it is of this trial.
    pub(crate) fn new(
        checkpoints: &Arc<CheckpointFolder>,
        key: (ArmId, u64),
        identity: impl Fn() -> Identity + 'static,
    ) -> Self {
        let now = Instant::now();
        let mut new = StoredSnapshot {
            checkpoints: Arc::clone(checkpoints),
            key,
            identity: Box::new(identity),
            began: now,
            spent: Duration::ZERO,
            left: None,
            written: now,
            pause: checkpoints.interval,
            is_over: false,
        };
        // One that cannot be read is written anew.
        if checkpoints.left.contains(&key)
            && let Ok(Some((spent, left))) = read(&new.path(), (new.identity)())
        {
            (new.spent, new.left) = (spent, Some(left));
        }
        new
    }

    fn try_write(&self, evaluations: u64, snapshot: &[u8]) -> Result<(), ResultsError> {
        let path = self.path();
        let failed = ResultsError::writing(&path, "write the snapshot");
        let time = (self.spent + self.began.elapsed()).as_millis() as u64;
        let parts = [&time.to_le_bytes(), &evaluations.to_le_bytes(), snapshot];
        if parts.iter().map(|part| part.len()).sum::<usize>() > LARGEST {
            return Err(failed(io::Error::other("it is larger than 1 GiB")));
        }
        let mut frames = Vec::new();
        append_first(&mut frames, (self.identity)(), SNAPSHOT)
            .and_then(|()| append_frame(&mut frames, &parts))
            .map_err(failed)?;
        write_atomically(&path, &frames)
    }

    fn path(&self) -> PathBuf {
        checkpoint_path(self.checkpoints.folder.as_ref(), self.key.0, self.key.1)
    }

    /// Returns whether the trial goes on from a snapshot.
    pub(crate) fn is_left(&self) -> bool {
        self.left.is_some()
    }
}

/// Reads the snapshot of a trial, and the time that the trial took; `None` if the file has none.
fn read(path: &Path, identity: Identity) -> io::Result<Option<(Duration, Vec<u8>)>> {
    let mut file = regular::open(path)?;
    if read_first(&mut file)? != Some((identity, SNAPSHOT)) {
        return Ok(None);
    }
    let body = read_frame(&mut file)?.unwrap_or_default();
    Ok(numbers_of(&body).map(|(spent, _, snapshot)| (spent, snapshot.to_vec())))
}

impl SnapshotFile for StoredSnapshot {
    fn snapshot(&mut self) -> Option<Vec<u8>> {
        self.left.take()
    }

    fn spent(&self) -> Duration {
        self.spent
    }

    fn is_due(&self) -> bool {
        !self.is_over && self.written.elapsed() >= self.pause
    }

    fn is_worth_saving(&self) -> bool {
        !self.is_over && self.began.elapsed() >= self.checkpoints.interval.min(WORTH)
    }

    fn write(&mut self, evaluations: u64, snapshot: &[u8]) {
        let began = Instant::now();
        let written = self.try_write(evaluations, snapshot);
        self.written = Instant::now();
        let took = self.written - began;
        if took > SLOW {
            self.pause = self.checkpoints.interval.max(took * SHARE);
        }
        if let Err(error) = written {
            self.is_over = true;
            guard::report(Level::Warning, format!("{error}; the trial runs on without snapshots"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::storage::checkpoint::Survey;
    use std::fs;

    const IDENTITY: Identity = Identity([7; 32]);
    const KEY: (ArmId, u64) = (ArmId(5), 3);

    #[test]
    fn a_trial_goes_on_from_a_sound_snapshot_of_its_own() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir_all(folder.path().join("parts")).expect("a folder");
        let checkpoints = Arc::new(CheckpointFolder {
            folder: folder.path().into(),
            interval: Duration::from_nanos(1),
            left: [KEY].into(),
        });
        let left = |identity| StoredSnapshot::new(&checkpoints, KEY, move || identity).snapshot();
        assert_eq!(left(IDENTITY), None);
        for snapshot in [b"first".as_slice(), b"the second one"] {
            let mut file = StoredSnapshot::new(&checkpoints, KEY, || IDENTITY);
            assert!(file.is_due() && file.is_worth_saving());
            file.write(40, snapshot);
            assert_eq!(left(IDENTITY).as_deref(), Some(snapshot));
        }
        assert_eq!(left(Identity([8; 32])), None);
        let path = checkpoint_path(folder.path(), KEY.0, KEY.1);
        let survey = Survey::of(&path, IDENTITY).expect("readable");
        assert_eq!((survey.evaluations, survey.rest), (40, 0));
        let whole = fs::read(&path).expect("a file");
        for place in 0..whole.len() {
            let mut flipped = whole.clone();
            flipped[place] ^= 1 << (place % 8);
            for damaged in [&flipped[..], &whole[..place]] {
                fs::write(&path, damaged).expect("written");
                assert_eq!(left(IDENTITY), None, "byte {place}");
            }
        }
    }
}
