//! Trajectories as curves: the points at which each best fitness so far was first known.

use super::gallery::{Against, Subject, TRIALS};
use crate::present::format::count;
use crate::record::TrialRecord;
use crate::results::{
    ResultsError, Step, Trajectories, Trajectory, TrajectoryTables, trajectories,
};

impl Step {
    /// Returns the position of the step on an axis.
    pub(super) fn at(self, against: Against) -> u64 {
        match against {
            Against::Evaluations => self.evaluations,
            Against::Generations => self.generation,
        }
    }
}

impl Trajectory {
    /// Returns the position of the trial's end on an axis.
    pub(super) fn end(&self, against: Against) -> u64 {
        match against {
            Against::Evaluations => self.record.evaluations,
            Against::Generations => self.record.generations,
        }
    }

    /// Returns the best fitness so far at this position; `None` before the first is known.
    pub(super) fn best(&self, against: Against, place: u64) -> Option<f64> {
        let known = self.steps.partition_point(|step| step.at(against) <= place);
        known.checked_sub(1).map(|last| self.steps[last].best)
    }

    /// Refines the steps by the trials table. It has the evaluation that reached the target, not
    /// only the end of its generation.
    fn refine(&mut self, target: Option<f64>) {
        let TrialRecord { generations, evaluations, .. } = self.record;
        let best_fitness = self.record.feasible_fitness();
        let success = self.record.evaluations_to_success.filter(|_| self.record.success);
        if let Some(success) = success {
            let after = |step: &Step| step.evaluations >= success;
            if let Some(place) = self.steps.iter().position(after) {
                let step = self.steps[place];
                match target {
                    // The generation continued to a better fitness.
                    Some(target) if step.best < target => {
                        let reached = Step { evaluations: success, best: target, ..step };
                        self.steps.insert(place, reached);
                    }
                    _ => self.steps[place].evaluations = success,
                }
            }
        }
        // A generation that the budget cut short has no row.
        let last = self.steps.last().map(|last| last.best);
        if let Some(best) = best_fitness.filter(|best| last.is_none_or(|last| *best < last)) {
            let evaluations = success.filter(|_| Some(best) == target).unwrap_or(evaluations);
            self.steps.push(Step { generation: generations, evaluations, best });
        }
    }
}

/// Returns the trajectories of an arm's first trials, without failed ones.
pub(super) fn first_trials(
    subject: &Subject<'_>,
    tables: &mut TrajectoryTables,
    arm: usize,
) -> Result<Trajectories, ResultsError> {
    let target = subject.results.arms()[arm].settings.target();
    let mut kept = 0;
    let mut found = trajectories(tables, arm, |record| {
        let wanted = kept < TRIALS && !record.outcome.is_failure();
        kept += usize::from(wanted);
        // Genomes may be large, and no curve shows them.
        wanted.then_some(TrialRecord { best: None, best_text: None, ..record })
    })?;
    found.trials.iter_mut().for_each(|trial| trial.refine(target));
    found.trials.retain(|trial| !trial.steps.is_empty());
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
    use crate::record::{Outcome, Timing, TrialId, TrialResult};

    fn trajectory(steps: &[(u64, f64)], record: TrialRecord) -> Trajectory {
        let step = |(generation, (evaluations, best)): (u64, &(u64, f64))| Step {
            generation,
            evaluations: *evaluations,
            best: *best,
        };
        Trajectory { record, steps: (0..).zip(steps).map(step).collect(), worst: None }
    }

    fn record(evaluations: u64, generations: u64) -> TrialRecord {
        let id = TrialId { arm: 0, trial: 0, seed: 0 };
        let result = TrialResult {
            outcome: Outcome::Evaluations,
            generations,
            evaluations,
            error: None,
            ..TrialResult::lost(Outcome::Failed, String::new())
        };
        TrialRecord::new(id, result, Timing::default())
    }

    #[test]
    fn the_target_is_reached_at_its_evaluation() {
        let refined = |steps: &[(u64, f64)], evaluations, success: Option<u64>, target, best| {
            let record = TrialRecord {
                success: success.is_some(),
                evaluations_to_success: success,
                best_fitness: Some(best),
                ..record(evaluations, steps.len() as u64)
            };
            let mut trajectory = trajectory(steps, record);
            trajectory.refine(Some(target));
            trajectory.steps.iter().map(|step| (step.evaluations, step.best)).collect::<Vec<_>>()
        };
        let exact = refined(&[(10, 5.0), (20, 0.0)], 20, Some(13), 0.0, 0.0);
        assert_eq!(exact, [(10, 5.0), (13, 0.0)]);
        // The generation continued beyond the target.
        let beyond = refined(&[(10, 5.0), (20, 0.2)], 20, Some(13), 1.0, 0.2);
        assert_eq!(beyond, [(10, 5.0), (13, 1.0), (20, 0.2)]);
        // The budget cut the last generation short, so it has no row.
        let cut = refined(&[(10, 5.0)], 17, None, 0.0, 3.0);
        assert_eq!(cut, [(10, 5.0), (17, 3.0)]);
        let solved = refined(&[(10, 5.0)], 17, Some(15), 0.0, 0.0);
        assert_eq!(solved, [(10, 5.0), (15, 0.0)]);
    }

    #[test]
    fn the_best_so_far_is_what_was_known_by_then() {
        let trajectory = trajectory(&[(10, 5.0), (20, 2.0)], record(30, 2));
        let best = |place| trajectory.best(Against::Evaluations, place);
        assert_eq!(
            [best(9), best(10), best(19), best(20), best(99)],
            [None, Some(5.0), Some(5.0), Some(2.0), Some(2.0)]
        );
        assert_eq!(trajectory.best(Against::Generations, 1), Some(2.0));
        let ends = [Against::Evaluations, Against::Generations].map(|axis| trajectory.end(axis));
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
