//! JSON lines: progress for programs, one object per line, distinguished by `event`.

use super::totals::Totals;
use crate::cli::message::{self, show_object};
use crate::results::schema::columns::OPERATOR_COUNTS;
use crate::run::{Event, GenerationFigures, GenerationProgress, Observer};
use serde_json::{Value, json};
use std::num::NonZeroU64;

#[derive(Debug, Default)]
pub(super) struct Json {
    totals: Option<Totals>,
    /// Whether the first trial has begun, per arm.
    begun: Vec<bool>,
    /// Interval of the generations that are events; `None` if none is.
    generations: Option<NonZeroU64>,
}

impl Observer for Json {
    fn generations(&self) -> Option<NonZeroU64> {
        self.generations
    }

    fn observe(&mut self, event: &Event<'_>) {
        if let Some(value) = self.object(event) {
            show_object(&value);
        }
    }
}

impl Json {
    pub(super) fn new(generations: Option<NonZeroU64>) -> Self {
        Json { generations, ..Json::default() }
    }

    fn object(&mut self, event: &Event<'_>) -> Option<Value> {
        Some(match event {
            Event::Started { plan, finished, target_trials, jobs } => {
                let totals = Totals::new(plan, finished, target_trials);
                let object = json!({
                    "event": "started", "experiment": plan.name, "arms": totals.labels,
                    "repeats": plan.repeats,
                    "trials_total": totals.total(), "trials_done": totals.before, "jobs": jobs,
                });
                self.begun = vec![false; totals.arms.len()];
                self.totals = Some(totals);
                object
            }
            Event::TargetsRaised { target_trials } => {
                let totals = self.totals.as_mut()?;
                totals.target_trials = target_trials.to_vec();
                json!({
                    "event": "extended", "target_trials": target_trials,
                    "trials_total": totals.total(),
                })
            }
            // Workers return to each arm in every round.
            Event::Running { arm } => {
                if std::mem::replace(self.begun.get_mut(*arm)?, true) {
                    return None;
                }
                json!({ "event": "running", "arm": self.totals.as_ref()?.labels[*arm] })
            }
            Event::Generation(progress) => generation(progress, self.totals.as_ref()?),
            Event::Advanced { arm, progress } => {
                let totals = self.totals.as_mut()?;
                totals.advance(*arm, *progress);
                json!({
                    "event": "advanced", "arm": totals.labels[*arm], "trials": progress.trials,
                    "successes": progress.successes, "failures": progress.failures,
                    "trials_done": totals.trials, "trials_total": totals.total(),
                    "trials_per_second": totals.speed(),
                    "seconds_left": totals.left().map(|left| left.as_secs_f64()),
                })
            }
            Event::Notice(notice) => message::object(notice),
            Event::Writing { share } => json!({ "event": "writing", "share": share }),
            Event::Ended { interrupted, elapsed } => {
                let totals = self.totals.take()?;
                json!({
                    "event": "ended", "experiment": totals.name, "trials_done": totals.trials,
                    "interrupted": interrupted, "seconds": elapsed.as_secs_f64(),
                })
            }
        })
    }
}

/// Returns the event of a generation. Its figures have the names of the generations table.
fn generation(progress: &GenerationProgress, totals: &Totals) -> Value {
    let GenerationProgress { arm, trial, figures } = progress;
    let GenerationFigures { row: figures, diversity, operators } = figures;
    let mut object = json!({
        "event": "generation", "arm": totals.labels[*arm], "trial": trial,
        "generation": figures.generation, "evaluations": figures.evaluations,
        "best": figures.best, "mean": figures.mean, "worst": figures.worst,
        "best_so_far": figures.best_so_far,
    });
    if let Some(violations) = &figures.violations {
        object["best_violation"] = violations.best.into();
        object["feasible_share"] = violations.feasible.into();
        object["violation_so_far"] = violations.best_so_far.into();
    }
    if let Some(diversity) = diversity {
        object["diversity"] = (*diversity).into();
    }
    if let Some(operators) = operators {
        for (column, number) in OPERATOR_COUNTS.iter().zip(operators.to_array()) {
            object[column.name] = number.into();
        }
    }
    object
}
