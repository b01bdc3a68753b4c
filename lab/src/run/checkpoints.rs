//! Checkpoints of a plan's trials.

use crate::plan::Plan;
use crate::problem::PluginFile;
use crate::results::{CheckpointFolder, Identity, StoredSnapshot};
use crate::search::{EvaluationLog, SnapshotFile, Speed};
use std::sync::Arc;

/// Checkpoint of one trial.
pub(super) struct Begun {
    /// Log of its evaluations, and the speed of the arm's evaluations so far. `None` if they are
    /// too fast for a log, or if the trial goes on from a snapshot.
    pub log: Option<(Box<dyn EvaluationLog>, Speed)>,
    pub snapshots: Box<dyn SnapshotFile>,
}

/// Checkpoints of the trials of a worker.
pub(super) struct Checkpoints {
    folder: Arc<CheckpointFolder>,
    /// Build of the plugins.
    build: Arc<str>,
    /// Speed of each arm's evaluations; `None` if they are too fast for logs.
    speeds: Vec<Option<Speed>>,
}

impl Checkpoints {
    pub(super) fn new(plan: &Plan, folder: CheckpointFolder) -> Self {
        let operators: Vec<PluginFile> =
            plan.operator_libraries.iter().map(|one| PluginFile::of(&one.library)).collect();
        let build = PluginFile::build(&PluginFile::of(&plan.library), &operators);
        Checkpoints {
            folder: folder.into(),
            build: build.into(),
            speeds: vec![Some(Speed::default()); plan.arms.len()],
        }
    }

    /// Returns the checkpoint of a trial.
    pub(super) fn begin(&mut self, plan: &Plan, arm: usize, trial: u64) -> Begun {
        let one = &plan.arms[arm];
        let key = (one.id(), trial);
        let (fingerprint, seed) = (one.fingerprint, one.seeds(plan.seed, trial).trial);
        let build = Arc::clone(&self.build);
        let identity = move || Identity::new(fingerprint, seed, trial, &build);
        let snapshots = Box::new(StoredSnapshot::new(&self.folder, key, identity.clone()));
        if snapshots.is_left() {
            self.speeds[arm] = None;
            return Begun { log: None, snapshots };
        }
        let is_logged = self.speeds[arm].is_some() || self.folder.left.contains(&key);
        let log = is_logged.then(|| {
            let has_violations = one.problem.description().has_violations;
            let log = self.folder.checkpoint(key, identity(), has_violations);
            (Box::new(log) as Box<dyn EvaluationLog>, self.speeds[arm].unwrap_or_default())
        });
        Begun { log, snapshots }
    }

    /// Ends the checkpoint of a trial. `log` is `None` if evaluations were too fast for it.
    pub(super) fn end(
        &mut self,
        arm: usize,
        log: Option<(Box<dyn EvaluationLog>, Speed)>,
        is_interrupted: bool,
    ) {
        self.speeds[arm] = log.as_ref().map(|(_, speed)| *speed);
        if let Some((mut log, _)) = log.filter(|_| is_interrupted) {
            log.write();
        }
    }
}
