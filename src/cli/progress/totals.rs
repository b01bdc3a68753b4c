//! Totals of an experiment in progress, and their texts.

use crate::analysis::CONFIDENCE;
use crate::plan::Plan;
use crate::run::ArmProgress;
use crate::stats::wilson;
use crate::words::count;
use std::time::{Duration, Instant};

/// Counts over all arms since the start.
#[derive(Debug)]
pub(super) struct Totals {
    pub name: String,
    pub labels: Vec<String>,
    /// Target number of trials per arm.
    pub target_trials: Vec<u64>,
    pub arms: Vec<ArmProgress>,
    /// Number of trials that existed before this run.
    pub before: u64,
    pub trials: u64,
    pub started: Instant,
}

impl Totals {
    pub(super) fn new(plan: &Plan, finished: &[ArmProgress], target_trials: &[u64]) -> Self {
        let before = finished.iter().map(|arm| arm.trials).sum();
        Totals {
            name: plan.name.clone(),
            labels: plan.arms.iter().map(|arm| arm.label.clone()).collect(),
            target_trials: target_trials.to_vec(),
            arms: finished.to_vec(),
            before,
            trials: before,
            started: Instant::now(),
        }
    }

    pub(super) fn advance(&mut self, arm: usize, progress: ArmProgress) {
        self.trials += progress.trials - self.arms[arm].trials;
        self.arms[arm] = progress;
    }

    /// Returns the number of trials of the whole experiment.
    pub(super) fn total(&self) -> u64 {
        self.target_trials.iter().sum()
    }

    pub(super) fn arms_done(&self) -> usize {
        self.arms
            .iter()
            .zip(&self.target_trials)
            .filter(|(arm, target_trials)| arm.trials >= **target_trials)
            .count()
    }

    /// Returns the trials per second in this run; `None` before the first.
    pub(super) fn speed(&self) -> Option<f64> {
        let seconds = self.started.elapsed().as_secs_f64();
        let done = self.trials - self.before;
        (done > 0 && seconds > 0.0).then(|| done as f64 / seconds)
    }

    /// Returns the remaining time at the current speed.
    pub(super) fn left(&self) -> Option<Duration> {
        let left = self.total().saturating_sub(self.trials) as f64;
        self.speed().and_then(|speed| Duration::try_from_secs_f64(left / speed).ok())
    }
}

/// Returns the live success rate, with its Wilson 95 % interval and without: "0.52 (0.49 to 0.55)",
/// "0.52".
pub(super) fn rates(progress: ArmProgress) -> Vec<String> {
    let ran = progress.ran();
    let Some(interval) = wilson(progress.successes, ran, CONFIDENCE) else {
        return vec!["-".into()];
    };
    let rate = format!("{:.2}", progress.successes as f64 / ran as f64);
    vec![format!("{rate} ({:.2} to {:.2})", interval.low, interval.high), rate]
}

/// Formats a duration for readers: "3.2 s", "2 min 5 s", "1 h 3 min", "12 days".
pub(crate) fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 9.95 {
        return format!("{seconds:.1} s");
    }
    let whole = seconds.round() as u64;
    match whole {
        0..60 => format!("{whole} s"),
        60..3_600 => format!("{} min {} s", whole / 60, whole % 60),
        3_600..172_800 => format!("{} h {} min", whole / 3_600, whole % 3_600 / 60),
        172_800..63_115_200 => format!("{} days", count(whole / 86_400)),
        _ => format!("{} years", count(whole / 31_557_600)),
    }
}

/// Formats a duration briefly, in its largest unit: "3.2 s", "2 min", "1 h", "12 days".
pub(super) fn about(time: Duration) -> String {
    let whole = time.as_secs_f64().round() as u64;
    match whole {
        60..3_570 => format!("{} min", (whole + 30) / 60),
        3_570..172_800 => format!("{} h", (whole + 1_800) / 3_600),
        _ => duration(time),
    }
}

/// Formats a speed: "812 trials/s", or "0.4 trials/s".
pub(super) fn speed(per_second: f64) -> String {
    if per_second < 9.95 {
        format!("{per_second:.1} trials/s")
    } else {
        format!("{} trials/s", count(per_second as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_well() {
        let words = |seconds| duration(Duration::from_secs_f64(seconds));
        assert_eq!(words(0.04), "0.0 s");
        assert_eq!(words(3.21), "3.2 s");
        assert_eq!(words(9.97), "10 s");
        assert_eq!(words(59.6), "1 min 0 s");
        assert_eq!(words(125.0), "2 min 5 s");
        assert_eq!(words(3_780.0), "1 h 3 min");
        assert_eq!(words(1e6), "11 days");
        assert_eq!(duration(Duration::MAX), "584,542,046,090 years");
        let words = |seconds| about(Duration::from_secs_f64(seconds));
        assert_eq!([3.21, 59.6, 125.0, 3_569.0].map(words), ["3.2 s", "1 min", "2 min", "59 min"]);
        assert_eq!([3_570.0, 3_780.0, 1e6].map(words), ["1 h", "1 h", "11 days"]);
    }
}
