//! Ways: how the best fitness of each trial of an arm came down.

use super::gallery::{Against, Subject, TRIALS};
use crate::record::TrialRecord;
use crate::results::{GenerationRow, ResultsError};
use std::collections::BTreeMap;

/// The ways of an arm's first trials, without those that failed.
#[derive(Clone, Debug, Default)]
pub(super) struct Ways {
    pub ways: Vec<Way>,
    /// The fewest and the most evaluations from one row of the table to the next: where in between
    /// a fitness was reached is not known.
    pub batch: Option<(u64, u64)>,
}

/// One trial's way.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Way {
    /// Each best so far, with where it was first known: at its generation's end, or for the target
    /// at the very evaluation.
    pub steps: Vec<Step>,
    generations: u64,
    pub evaluations: u64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Step {
    pub generation: u64,
    pub evaluations: u64,
    pub best: f64,
}

impl Step {
    pub fn at(self, against: Against) -> u64 {
        match against {
            Against::Evaluations => self.evaluations,
            Against::Generations => self.generation,
        }
    }
}

impl Way {
    pub fn end(&self, against: Against) -> u64 {
        match against {
            Against::Evaluations => self.evaluations,
            Against::Generations => self.generations,
        }
    }

    /// The best so far at this place; none before the first is known.
    pub fn best(&self, against: Against, place: u64) -> Option<f64> {
        let known = self.steps.partition_point(|step| step.at(against) <= place);
        known.checked_sub(1).map(|last| self.steps[last].best)
    }

    /// Adds what the trials table knows to the steps of the generations table.
    fn finish(&mut self, success: Option<u64>, target: Option<f64>, best: Option<f64>) {
        if let Some(success) = success {
            let place = self
                .steps
                .iter()
                .position(|step| step.evaluations >= success)
                .unwrap_or(self.steps.len());
            match (self.steps.get(place).copied(), target) {
                // The generation went on to a better one.
                (Some(step), Some(target)) if step.best < target => {
                    self.steps.insert(place, Step { evaluations: success, best: target, ..step });
                }
                (Some(_), _) => self.steps[place].evaluations = success,
                (None, _) => {}
            }
        }
        // A generation that the budget cut short has no row.
        if let Some(best) =
            best.filter(|best| self.steps.last().is_none_or(|last| *best < last.best))
        {
            let evaluations = success.filter(|_| Some(best) == target).unwrap_or(self.evaluations);
            self.steps.push(Step { generation: self.generations, evaluations, best });
        }
    }
}

/// Reads an arm's ways from the trials and the generations.
pub(super) fn ways(subject: &Subject<'_>, arm: usize) -> Result<Ways, ResultsError> {
    let target = subject.results.arms()[arm].settings.target();
    let mut found: BTreeMap<u64, (Way, Option<u64>, Option<f64>)> = BTreeMap::new();
    subject.results.trials_of(arm, |trial: TrialRecord| -> Result<(), ResultsError> {
        if found.len() < TRIALS && !trial.outcome.is_failure() {
            let TrialRecord { generations, evaluations, .. } = trial;
            let way = Way { steps: Vec::new(), generations, evaluations };
            found.insert(
                trial.trial,
                (way, trial.evaluations_to_success.filter(|_| trial.success), trial.best_fitness),
            );
        }
        Ok(())
    })?;
    let mut batch: Option<(u64, u64)> = None;
    // Trial and evaluations.
    let mut before: Option<(u64, u64)> = None;
    subject.results.generations_of(arm, |row: GenerationRow| -> Result<(), ResultsError> {
        let Some((way, ..)) = found.get_mut(&row.trial) else { return Ok(()) };
        let figures = row.figures;
        let since = before
            .filter(|(trial, _)| *trial == row.trial)
            .map_or(0, |(_, evaluations)| evaluations);
        // With the whole population traced, a generation has several rows.
        if figures.evaluations > since {
            let size = figures.evaluations - since;
            batch =
                Some(batch.map_or((size, size), |(least, most)| (least.min(size), most.max(size))));
        }
        before = Some((row.trial, figures.evaluations));
        if way.steps.last().is_none_or(|last| figures.best_so_far < last.best) {
            let (generation, evaluations) = (figures.generation, figures.evaluations);
            way.steps.push(Step { generation, evaluations, best: figures.best_so_far });
        }
        Ok(())
    })?;
    let finished = found.into_values().map(|(mut way, success, best)| {
        way.finish(success, target, best);
        way
    });
    Ok(Ways { ways: finished.filter(|way| !way.steps.is_empty()).collect(), batch })
}

/// "generations of 10 to 100 evaluations", over several arms.
pub(super) fn batches(of_arms: &[Option<(u64, u64)>]) -> Option<String> {
    let known = || of_arms.iter().flatten();
    let (least, most) =
        (known().map(|(least, _)| *least).min()?, known().map(|(_, most)| *most).max()?);
    let count = crate::present::format::count;
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

    fn way(steps: &[(u64, f64)], evaluations: u64) -> Way {
        let step = |(generation, (evaluations, best)): (u64, &(u64, f64))| Step {
            generation,
            evaluations: *evaluations,
            best: *best,
        };
        Way {
            steps: (0..).zip(steps).map(step).collect(),
            generations: steps.len() as u64,
            evaluations,
        }
    }

    fn told(way: &Way) -> Vec<(u64, f64)> {
        way.steps.iter().map(|step| (step.evaluations, step.best)).collect()
    }

    #[test]
    fn the_target_is_reached_at_its_evaluation() {
        let mut exact = way(&[(10, 5.0), (20, 0.0)], 20);
        exact.finish(Some(13), Some(0.0), Some(0.0));
        assert_eq!(told(&exact), [(10, 5.0), (13, 0.0)]);
        // The generation went on beyond the target.
        let mut beyond = way(&[(10, 5.0), (20, 0.2)], 20);
        beyond.finish(Some(13), Some(1.0), Some(0.2));
        assert_eq!(told(&beyond), [(10, 5.0), (13, 1.0), (20, 0.2)]);
        // The budget cut the last generation short, which has no row.
        let mut cut = way(&[(10, 5.0)], 17);
        cut.finish(None, Some(0.0), Some(3.0));
        assert_eq!(told(&cut), [(10, 5.0), (17, 3.0)]);
        let mut solved = way(&[(10, 5.0)], 17);
        solved.finish(Some(15), Some(0.0), Some(0.0));
        assert_eq!(told(&solved), [(10, 5.0), (15, 0.0)]);
    }

    #[test]
    fn the_best_so_far_is_what_was_known_by_then() {
        let way = way(&[(10, 5.0), (20, 2.0)], 30);
        let best = |place| way.best(Against::Evaluations, place);
        assert_eq!(
            [best(9), best(10), best(19), best(20), best(99)],
            [None, Some(5.0), Some(5.0), Some(2.0), Some(2.0)]
        );
        assert_eq!(way.best(Against::Generations, 1), Some(2.0));
        assert_eq!((way.end(Against::Evaluations), way.end(Against::Generations)), (30, 2));
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
