//! Events: what happens in a run, for those who watch it. They are the sole way from work to
//! display.

use super::generation_progress::GenerationProgress;
use crate::plan::Plan;
use crate::record::TrialRecord;
use crate::system::notice::Notice;
use std::num::NonZeroU64;
use std::time::Duration;

/// Counts of an arm's trials so far, which the display keeps per arm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArmProgress {
    /// Trials done, failed ones included.
    pub trials: u64,
    /// Trials that reached the target.
    pub successes: u64,
    /// Failed and crashed trials.
    pub failures: u64,
}

impl ArmProgress {
    /// Returns the number of trials that did not fail.
    #[must_use]
    pub fn ran(self) -> u64 {
        self.trials - self.failures
    }

    /// Counts these records in.
    pub fn count(&mut self, records: &[TrialRecord]) {
        for record in records {
            self.trials += 1;
            self.successes += u64::from(record.success);
            self.failures += u64::from(record.outcome.is_failure());
        }
    }
}

/// Something that happened.
#[derive(Debug)]
pub enum Event<'a> {
    /// An experiment begins. `finished` has the progress of earlier runs, and `target_trials` the
    /// trials that there are to be. Both have one entry per arm.
    Started {
        /// The plan that is run.
        plan: &'a Plan,
        /// Progress of earlier runs, per arm.
        finished: &'a [ArmProgress],
        /// Trials that there are to be, per arm.
        target_trials: &'a [u64],
        /// Trials at a time.
        jobs: usize,
    },
    /// The stopping rule asks for more trials. The new numbers have one entry per arm.
    TargetsRaised {
        /// Trials that there are to be, per arm.
        target_trials: &'a [u64],
    },
    /// A worker took up trials of this arm.
    Running {
        /// Index of the arm in the plan.
        arm: usize,
    },
    /// A trial completed a generation. Only observers that ask for generations receive it.
    Generation(&'a GenerationProgress),
    /// Trials of one arm came in; `progress` is the arm's new count.
    Advanced {
        /// Index of the arm in the plan.
        arm: usize,
        /// Present counts of the arm.
        progress: ArmProgress,
    },
    /// Something that the user should read now.
    Notice(&'a Notice),
    /// All trials are in; the tables are being written. Reported at the start, and while it lasts.
    Writing {
        /// Share of the trials whose rows are written. At 1 the files are read once more.
        share: f64,
    },
    /// The experiment is over.
    Ended {
        /// Whether trials are missing.
        interrupted: bool,
        /// Wall time of the run.
        elapsed: Duration,
    },
}

/// Receiver of a run's events, on the thread that called the run. A closure implements it: `|event:
/// &Event<'_>| …`.
pub trait Observer {
    /// Takes note of an event; the run waits for it.
    fn observe(&mut self, event: &Event<'_>);

    /// Returns the interval of the generations of each trial that it receives; `None` for none.
    fn generations(&self) -> Option<NonZeroU64> {
        None
    }
}

impl<F: FnMut(&Event<'_>)> Observer for F {
    fn observe(&mut self, event: &Event<'_>) {
        self(event);
    }
}
