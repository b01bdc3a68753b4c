//! Trajectories as curves: the points at which each best fitness so far was first known.

use super::subject::{Against, TRIALS};
use crate::record::{TraceRow, TrialRecord};
use crate::results::{
    Results, ResultsError, Step, Trajectories, Trajectory, TrajectoryTables, trajectories,
};
use crate::words::count;

impl Against {
    /// Returns the position of a step on this axis.
    pub(super) fn step(self, step: &Step) -> u64 {
        match self {
            Against::Evaluations => step.evaluations,
            Against::Generations => step.generation,
        }
    }

    /// Returns the position of a generation on this axis.
    pub(super) fn row(self, row: &TraceRow) -> u64 {
        match self {
            Against::Evaluations => row.evaluations,
            Against::Generations => row.generation,
        }
    }

    /// Returns the position of a trial's end on this axis.
    pub(super) fn end(self, trial: &Trajectory) -> u64 {
        match self {
            Against::Evaluations => trial.record.evaluations,
            Against::Generations => trial.record.generations,
        }
    }

    /// Returns a trial's best fitness so far at this position; `None` before the first is known.
    pub(super) fn best(self, trial: &Trajectory, place: u64) -> Option<f64> {
        let known = trial.steps.partition_point(|step| self.step(step) <= place);
        known.checked_sub(1).map(|last| trial.steps[last].best)
    }
}

/// Returns the trajectories of an arm's first trials, without failed ones. A trial that found no
/// feasible genome has no steps.
pub(super) fn first_trials(
    results: &Results,
    tables: &mut TrajectoryTables,
    arm: usize,
) -> Result<Trajectories, ResultsError> {
    let target = results.arms()[arm].settings.target();
    let mut kept = 0;
    let mut found = trajectories(tables, arm, |record| {
        let wanted = kept < TRIALS && !record.outcome.is_failure();
        kept += usize::from(wanted);
        // Genomes may be large, and no curve shows them.
        wanted.then_some(TrialRecord { best: None, best_text: None, ..record })
    })?;
    found.trials.iter_mut().for_each(|trial| trial.refine(target));
    Ok(found)
}

/// Returns a text for the recorded positions over several arms, such as "the ends of generations,
/// 10 evaluations each".
pub(super) fn batches(of_arms: &[Option<(u64, u64)>]) -> Option<String> {
    let known = || of_arms.iter().flatten();
    let (least, most) =
        (known().map(|(least, _)| *least).min()?, known().map(|(_, most)| *most).max()?);
    Some(match (least, most) {
        (1, 1) => "each evaluation".to_owned(),
        (least, most) if least == most => {
            format!("the ends of generations, {} evaluations each", count(most))
        }
        (least, most) => {
            format!("the ends of generations, {} to {} evaluations each", count(least), count(most))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::fixtures::ended;

    fn trajectory(steps: &[(u64, f64)], record: TrialRecord) -> Trajectory {
        let step = |(generation, (evaluations, best)): (u64, &(u64, f64))| Step {
            generation,
            evaluations: *evaluations,
            best: *best,
        };
        Trajectory { record, steps: (0..).zip(steps).map(step).collect(), worst: None }
    }

    #[test]
    fn the_best_so_far_is_what_was_known_by_then() {
        let trajectory = trajectory(&[(10, 5.0), (20, 2.0)], ended(30, 2));
        let best = |place| Against::Evaluations.best(&trajectory, place);
        assert_eq!(
            [best(9), best(10), best(19), best(20), best(99)],
            [None, Some(5.0), Some(5.0), Some(2.0), Some(2.0)]
        );
        assert_eq!(Against::Generations.best(&trajectory, 1), Some(2.0));
        let ends = [Against::Evaluations, Against::Generations].map(|axis| axis.end(&trajectory));
        assert_eq!(ends, [30, 2]);
    }

    #[test]
    fn generations_are_named_by_their_size() {
        assert_eq!(
            batches(&[Some((10, 10)), None]).as_deref(),
            Some("the ends of generations, 10 evaluations each")
        );
        assert_eq!(
            batches(&[Some((1, 56)), Some((1_000, 1_000))]).as_deref(),
            Some("the ends of generations, 1 to 1,000 evaluations each")
        );
        assert_eq!(batches(&[None]), None);
    }
}
