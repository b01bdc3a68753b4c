//! Trajectories: how the best fitness of each trial came down, as far as the tables know.

use super::rows::Rows;
use super::{GenerationRow, Results, ResultsError};
use crate::record::TrialRecord;
use std::collections::BTreeMap;

/// One trial, and its rows of the generations table.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    /// Row of the trials table.
    pub record: TrialRecord,
    /// Improvements of the best fitness so far, in order; empty if there are no generations. With
    /// constraints, only feasible genomes count.
    pub steps: Vec<Step>,
    /// Worst fitness of the first generation; `None` if there are no generations.
    pub worst: Option<f64>,
}

/// A fitness that was the best so far at the end of a generation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Number of the generation, from 0.
    pub generation: u64,
    /// Evaluations of the trial by then.
    pub evaluations: u64,
    /// The best fitness so far.
    pub best: f64,
}

/// The trajectories of an arm.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trajectories {
    /// Trajectories in the order of the trials' numbers.
    pub trials: Vec<Trajectory>,
    /// The fewest and the most evaluations from one row of the generations table to the next. A
    /// fitness was reached at an unknown point between two rows. `None` if there are no
    /// generations.
    pub batch: Option<(u64, u64)>,
}

/// The tables that trajectories are read from, opened once: of arms, in any order.
pub struct TrajectoryTables {
    trials: Rows<TrialRecord>,
    generations: Rows<GenerationRow>,
}

impl TrajectoryTables {
    /// Opens the tables.
    ///
    /// # Errors
    /// Returns an error if one cannot be read.
    pub fn open(results: &Results) -> Result<Self, ResultsError> {
        let generations = results.rows::<GenerationRow>()?.figures();
        Ok(TrajectoryTables { trials: results.rows()?, generations })
    }
}

/// The generations table, opened once to read the first trial of each arm.
pub struct FirstTrials(Rows<GenerationRow>);

impl FirstTrials {
    /// Opens the table.
    ///
    /// # Errors
    /// Returns an error if it cannot be read.
    pub fn open(results: &Results) -> Result<Self, ResultsError> {
        results.rows().map(FirstTrials)
    }

    /// Returns the generations of an arm's first trial that has some, with genomes if they are
    /// traced.
    ///
    /// # Errors
    /// Returns an error if the table cannot be read.
    pub fn of_arm(&mut self, arm: usize) -> Result<Vec<GenerationRow>, ResultsError> {
        let mut rows: Vec<GenerationRow> = Vec::new();
        self.0.of_arm_while(arm, |row| {
            let is_own = rows.first().is_none_or(|first| first.trial == row.trial);
            rows.extend(is_own.then_some(row));
            is_own
        })?;
        Ok(rows)
    }
}

/// Reads the trajectories of one arm's trials. `keep` is called with each trial, by number: it
/// leaves a trial out, or gives the record back without what need not be kept.
///
/// # Errors
/// Returns an error if a table cannot be read.
pub fn trajectories(
    tables: &mut TrajectoryTables,
    arm: usize,
    mut keep: impl FnMut(TrialRecord) -> Option<TrialRecord>,
) -> Result<Trajectories, ResultsError> {
    let mut trials: BTreeMap<u64, Trajectory> = BTreeMap::new();
    tables.trials.of_arm(arm, |record| {
        if let Some(record) = keep(record) {
            let trajectory = Trajectory { steps: Vec::new(), worst: None, record };
            trials.insert(trajectory.record.trial, trajectory);
        }
    })?;
    let mut batch: Option<(u64, u64)> = None;
    // Trial and evaluations.
    let mut before: Option<(u64, u64)> = None;
    tables.generations.of_arm(arm, |row: GenerationRow| {
        let Some(trajectory) = trials.get_mut(&row.trial) else { return };
        let figures = row.figures;
        let since = before.filter(|(trial, _)| *trial == row.trial).map_or(0, |(_, since)| since);
        // With the whole population traced, a generation has several rows.
        if figures.evaluations > since {
            let size = figures.evaluations - since;
            let (least, most) = batch.unwrap_or((size, size));
            batch = Some((least.min(size), most.max(size)));
        }
        before = Some((row.trial, figures.evaluations));
        trajectory.add(&row);
    })?;
    Ok(Trajectories { trials: trials.into_values().collect(), batch })
}

impl Trajectory {
    /// Refines the steps by the trials table. It has the evaluation that reached the target, not
    /// only the end of its generation.
    pub fn refine(&mut self, target: Option<f64>) {
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

    fn add(&mut self, row: &GenerationRow) {
        let figures = row.figures;
        let worst = self.worst.get_or_insert(figures.worst);
        if figures.generation == 0 {
            *worst = worst.max(figures.worst);
        }
        let Some(best) = figures.feasible_so_far() else { return };
        if self.steps.last().is_none_or(|last| best < last.best) {
            self.steps.push(Step {
                generation: figures.generation,
                evaluations: figures.evaluations,
                best,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::settings::Trace;
    use crate::record::TraceRow;
    use crate::results::fixtures::{ended, folder, record, spec};
    use crate::results::{Opened, Store};

    #[test]
    fn steps_are_where_the_best_so_far_became_less() {
        let out = folder();
        let spec = spec(&[10], 3, Trace::Best);
        let row = |(generation, evaluations, best_so_far): (u64, u64, f64)| TraceRow {
            generation,
            evaluations,
            best: best_so_far,
            mean: 5.0,
            worst: 9.0 - generation as f64,
            best_so_far,
            violations: None,
        };
        let rows = [(0, 10, 4.0), (1, 22, 4.0), (2, 30, 1.5)];
        let traced =
            |trial| TrialRecord { trace: rows.map(row).to_vec(), ..record(&spec, 0, trial) };
        let Opened { mut store, .. } = Store::open(out.path(), &spec).expect("a folder");
        store.append((0..3).map(traced).collect()).expect("written");
        store.finish(&mut |_| ()).expect("tables");
        let results = Results::open(&out.path().join("queens")).expect("results");
        let odd = |record: TrialRecord| (record.trial % 2 == 1).then_some(record);
        let mut tables = TrajectoryTables::open(&results).expect("tables");
        let found = trajectories(&mut tables, 0, odd).expect("readable");
        assert_eq!(found.batch, Some((8, 12)));
        let [one] = &found.trials[..] else { panic!("{found:?}") };
        assert_eq!((one.record.trial, one.worst), (1, Some(9.0)));
        let steps: Vec<_> =
            one.steps.iter().map(|step| (step.generation, step.evaluations, step.best)).collect();
        assert_eq!(steps, [(0, 10, 4.0), (2, 30, 1.5)]);
    }

    #[test]
    fn the_target_is_reached_at_its_evaluation() {
        let refined = |steps: &[(u64, f64)], evaluations, success: Option<u64>, target, best| {
            let record = TrialRecord {
                success: success.is_some(),
                evaluations_to_success: success,
                best_fitness: Some(best),
                ..ended(evaluations, steps.len() as u64)
            };
            let step = |(generation, (evaluations, best)): (u64, &(u64, f64))| Step {
                generation,
                evaluations: *evaluations,
                best: *best,
            };
            let steps = (0..).zip(steps).map(step).collect();
            let mut trajectory = Trajectory { record, steps, worst: None };
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
}
