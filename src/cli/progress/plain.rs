//! Plain lines: for logs, pipes and CI.

use super::tally::{Tally, duration, speed};
use crate::cli::message::show_plainly;
use crate::present::format::count;
use crate::run::{Event, Observer};
use std::time::{Duration, Instant};

/// A line at most this often.
const PERIOD: Duration = Duration::from_secs(2);

#[derive(Debug, Default)]
pub(super) struct Plain {
    tally: Option<Tally>,
    last: Option<Instant>,
}

impl Observer for Plain {
    fn observe(&mut self, event: &Event<'_>) {
        match event {
            Event::Started { plan, finished, target_trials, jobs } => {
                let tally = Tally::new(plan, finished, target_trials);
                let already = match tally.before {
                    0 => String::new(),
                    before => format!(", {} of them already done", count(before)),
                };
                let (arms, threads) = (finished.len(), *jobs);
                message!(
                    "{}: {} trials in {arms} arm{}{already}, on {threads} thread{}",
                    tally.name,
                    count(tally.total()),
                    if arms == 1 { "" } else { "s" },
                    if threads == 1 { "" } else { "s" },
                );
                self.last = Some(Instant::now());
                self.tally = Some(tally);
            }
            Event::Advanced { arm, progress } => {
                let Some(tally) = &mut self.tally else { return };
                tally.advance(*arm, *progress);
                if self.last.is_some_and(|last| last.elapsed() >= PERIOD) {
                    self.last = Some(Instant::now());
                    message!("{}", line(tally));
                }
            }
            Event::TargetsRaised { target_trials } => {
                if let Some(tally) = &mut self.tally {
                    tally.target_trials = target_trials.to_vec();
                }
            }
            Event::Running { .. } | Event::Writing => {}
            Event::Notice(notice) => show_plainly(notice),
            Event::Ended { interrupted, elapsed } => {
                let Some(tally) = self.tally.take() else { return };
                let word = if *interrupted { "interrupted after" } else { "done in" };
                message!(
                    "{}: {} trials, {word} {}",
                    tally.name,
                    count(tally.trials),
                    duration(*elapsed)
                );
            }
        }
    }
}

fn line(tally: &Tally) -> String {
    let share = 100.0 * tally.trials as f64 / tally.total().max(1) as f64;
    let mut line = format!(
        "{}: {}/{} trials ({share:.0} %), {}/{} arms",
        tally.name,
        count(tally.trials),
        count(tally.total()),
        tally.arms_done(),
        tally.arms.len(),
    );
    if let (Some(per_second), Some(left)) = (tally.speed(), tally.left()) {
        line.push_str(&format!(", {}, {} left", speed(per_second), duration(left)));
    }
    line
}
