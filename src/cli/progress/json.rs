//! JSON lines: progress for programs. One object a line, told apart by `event`.

use super::tally::Tally;
use crate::cli::message::{self, show_object};
use crate::run::{Event, Observer};
use serde_json::{Value, json};

#[derive(Debug, Default)]
pub(super) struct Json {
    tally: Option<Tally>,
}

impl Observer for Json {
    fn observe(&mut self, event: &Event<'_>) {
        if let Some(value) = self.object(event) {
            show_object(&value);
        }
    }
}

impl Json {
    fn object(&mut self, event: &Event<'_>) -> Option<Value> {
        Some(match event {
            Event::Started { plan, finished, target_trials, jobs } => {
                let tally = Tally::new(plan, finished, target_trials);
                let object = json!({
                    "event": "started", "experiment": plan.name, "arms": tally.labels,
                    "repeats": plan.repeats,
                    "trials_total": tally.total(), "trials_done": tally.before, "jobs": jobs,
                });
                self.tally = Some(tally);
                object
            }
            Event::TargetsRaised { target_trials } => {
                let tally = self.tally.as_mut()?;
                tally.target_trials = target_trials.to_vec();
                json!({
                    "event": "extended", "target_trials": target_trials,
                    "trials_total": tally.total(),
                })
            }
            Event::Running { arm } => {
                json!({ "event": "running", "arm": self.tally.as_ref()?.labels[*arm] })
            }
            Event::Advanced { arm, progress } => {
                let tally = self.tally.as_mut()?;
                tally.advance(*arm, *progress);
                json!({
                    "event": "advanced", "arm": tally.labels[*arm], "trials": progress.trials,
                    "successes": progress.successes, "failures": progress.failures,
                    "trials_done": tally.trials, "trials_total": tally.total(),
                    "trials_per_second": tally.speed(),
                    "seconds_left": tally.left().map(|left| left.as_secs_f64()),
                })
            }
            Event::Notice(notice) => message::object(notice),
            Event::Writing => json!({ "event": "writing" }),
            Event::Ended { interrupted, elapsed } => {
                let tally = self.tally.take()?;
                json!({
                    "event": "ended", "experiment": tally.name, "trials_done": tally.trials,
                    "interrupted": interrupted, "seconds": elapsed.as_secs_f64(),
                })
            }
        })
    }
}
