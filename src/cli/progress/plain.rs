//! Plain lines: progress for logs, pipes and CI.

use super::totals::{Totals, duration, speed};
use crate::cli::message::show_plainly;
use crate::run::{Event, Observer};
use crate::words::{count, counted};
use std::time::{Duration, Instant};

/// Minimum time between two lines.
const PERIOD: Duration = Duration::from_secs(2);

#[derive(Debug, Default)]
pub(super) struct Plain {
    totals: Option<Totals>,
    last: Option<Instant>,
}

impl Observer for Plain {
    fn observe(&mut self, event: &Event<'_>) {
        match event {
            Event::Started { plan, finished, target_trials, jobs } => {
                let totals = Totals::new(plan, finished, target_trials);
                // An earlier run may have had more than are to be run now.
                let already = match totals.before.min(totals.total()) {
                    0 => String::new(),
                    before => format!(", {} of them already done", count(before)),
                };
                // A stopping rule asks for more.
                let first = if plan.stopping_rule.is_some() { " at first" } else { "" };
                message!(
                    "{}: {}{first} in {}{already}, on {}",
                    totals.name,
                    counted(totals.total(), "trial"),
                    counted(finished.len() as u64, "arm"),
                    counted(*jobs as u64, "thread"),
                );
                self.last = Some(Instant::now());
                self.totals = Some(totals);
            }
            Event::Advanced { arm, progress } => {
                let Some(totals) = &mut self.totals else { return };
                totals.advance(*arm, *progress);
                if self.last.is_some_and(|last| last.elapsed() >= PERIOD) {
                    self.last = Some(Instant::now());
                    message!("{}", line(totals));
                }
            }
            Event::TargetsRaised { target_trials } => {
                if let Some(totals) = &mut self.totals {
                    totals.target_trials = target_trials.to_vec();
                }
            }
            Event::Writing { share } => {
                let Some(totals) = &self.totals else { return };
                if self.last.is_some_and(|last| last.elapsed() >= PERIOD) {
                    self.last = Some(Instant::now());
                    message!("{}: writing tables ({:.0} %)", totals.name, 100.0 * share);
                }
            }
            Event::Running { .. } | Event::Generation(_) => {}
            Event::Notice(notice) => show_plainly(notice),
            Event::Ended { interrupted, elapsed } => {
                let Some(totals) = self.totals.take() else { return };
                let word = if *interrupted { "interrupted after" } else { "done in" };
                message!(
                    "{}: {}, {word} {}",
                    totals.name,
                    counted(totals.trials, "trial"),
                    duration(*elapsed)
                );
            }
        }
    }
}

fn line(totals: &Totals) -> String {
    let share = 100.0 * totals.trials as f64 / totals.total().max(1) as f64;
    let mut line = format!(
        "{}: {}/{} trials ({share:.0} %), {}/{} arms",
        totals.name,
        count(totals.trials),
        count(totals.total()),
        totals.arms_done(),
        totals.arms.len(),
    );
    if let (Some(per_second), Some(left)) = (totals.speed(), totals.left()) {
        line.push_str(&format!(", {}, {} left", speed(per_second), duration(left)));
    }
    line
}
