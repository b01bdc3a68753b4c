//! Checkpoints of a plan's trials.

use crate::plan::Plan;
use crate::plan::fingerprint::ArmId;
use crate::problem::PluginFile;
use crate::results::{CheckpointFolder, Identity};
use crate::search::{EvaluationLog, Speed};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::time::Duration;

/// Place of the checkpoints, as a message to a worker process.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct CheckpointPlace {
    folder: OsString,
    interval: Duration,
    left: Vec<(u64, u64)>,
}

impl From<&CheckpointFolder> for CheckpointPlace {
    fn from(folder: &CheckpointFolder) -> Self {
        CheckpointPlace {
            folder: folder.folder.clone().into(),
            interval: folder.interval,
            left: folder.left.iter().map(|(arm, trial)| (arm.0, *trial)).collect(),
        }
    }
}

impl From<CheckpointPlace> for CheckpointFolder {
    fn from(place: CheckpointPlace) -> Self {
        CheckpointFolder {
            folder: place.folder.into(),
            interval: place.interval,
            left: place.left.into_iter().map(|(arm, trial)| (ArmId(arm), trial)).collect(),
        }
    }
}

/// Checkpoints of the trials of a worker.
pub(super) struct Checkpoints {
    folder: CheckpointFolder,
    /// Build of the plugins.
    build: String,
    /// Speed of each arm's evaluations; `None` if they are too fast for checkpoints.
    speeds: Vec<Option<Speed>>,
}

impl Checkpoints {
    pub(super) fn new(plan: &Plan, folder: CheckpointFolder) -> Self {
        let operators: Vec<PluginFile> =
            plan.operator_libraries.iter().map(|one| PluginFile::of(&one.library)).collect();
        let build = PluginFile::build(&PluginFile::of(&plan.library), &operators);
        Checkpoints { folder, build, speeds: vec![Some(Speed::default()); plan.arms.len()] }
    }

    /// Returns the checkpoint of a trial, and the speed of the arm's evaluations so far. Returns
    /// `None` if it needs none.
    pub(super) fn begin(
        &self,
        plan: &Plan,
        arm: usize,
        trial: u64,
    ) -> Option<(Box<dyn EvaluationLog>, Speed)> {
        let one = &plan.arms[arm];
        let key = (one.id(), trial);
        let speed = match self.speeds[arm] {
            None if !self.folder.left.contains(&key) => return None,
            speed => speed.unwrap_or_default(),
        };
        let seed = one.seeds(plan.seed, trial).trial;
        let identity = Identity::new(one.fingerprint, seed, trial, &self.build);
        let has_violations = one.problem.description().has_violations;
        Some((Box::new(self.folder.checkpoint(key, identity, has_violations)), speed))
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
