//! Trajectories: how the best fitness of each trial came down, as far as the tables know.

use super::rows::Rows;
use super::{GenerationRow, Results, ResultsError};
use crate::record::TrialRecord;
use std::collections::BTreeMap;

/// One trial, and its rows of the generations table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Trajectory {
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
pub(crate) struct Step {
    /// Number of the generation, from 0.
    pub generation: u64,
    /// Evaluations of the trial by then.
    pub evaluations: u64,
    /// The best fitness so far.
    pub best: f64,
}

/// The trajectories of an arm.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Trajectories {
    /// Trajectories in the order of the trials' numbers.
    pub trials: Vec<Trajectory>,
    /// The fewest and the most evaluations from one row of the generations table to the next. A
    /// fitness was reached at an unknown point between two rows. `None` if there are no
    /// generations.
    pub batch: Option<(u64, u64)>,
}

/// The tables that trajectories are read from, opened once: of arms, in any order.
pub(crate) struct TrajectoryTables {
    trials: Rows<TrialRecord>,
    generations: Rows<GenerationRow>,
}

impl TrajectoryTables {
    /// Opens the tables.
    ///
    /// # Errors
    /// Returns an error if one cannot be read.
    pub(crate) fn open(results: &Results) -> Result<Self, ResultsError> {
        let generations = results.rows::<GenerationRow>()?.without_genomes();
        Ok(TrajectoryTables { trials: results.rows()?, generations })
    }

    /// Returns the generations of an arm's first trial that has some, without genomes.
    ///
    /// # Errors
    /// Returns an error if the table cannot be read.
    pub(crate) fn first_trial(&mut self, arm: usize) -> Result<Vec<GenerationRow>, ResultsError> {
        let mut rows: Vec<GenerationRow> = Vec::new();
        self.generations.of_arm(arm, |row: GenerationRow| -> Result<(), ResultsError> {
            if rows.first().is_none_or(|first| first.trial == row.trial) {
                rows.push(row);
            }
            Ok(())
        })?;
        Ok(rows)
    }
}

/// Reads the trajectories of one arm's trials. `keep` is called with each trial, by number: it
/// leaves a trial out, or gives the record back without what need not be kept.
///
/// # Errors
/// Returns an error if a table cannot be read.
pub(crate) fn trajectories(
    tables: &mut TrajectoryTables,
    arm: usize,
    mut keep: impl FnMut(TrialRecord) -> Option<TrialRecord>,
) -> Result<Trajectories, ResultsError> {
    let mut trials: BTreeMap<u64, Trajectory> = BTreeMap::new();
    tables.trials.of_arm(arm, |record| -> Result<(), ResultsError> {
        if let Some(record) = keep(record) {
            let trajectory = Trajectory { steps: Vec::new(), worst: None, record };
            trials.insert(trajectory.record.trial, trajectory);
        }
        Ok(())
    })?;
    let mut batch: Option<(u64, u64)> = None;
    // Trial and evaluations.
    let mut before: Option<(u64, u64)> = None;
    tables.generations.of_arm(arm, |row: GenerationRow| -> Result<(), ResultsError> {
        let Some(trajectory) = trials.get_mut(&row.trial) else { return Ok(()) };
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
        Ok(())
    })?;
    Ok(Trajectories { trials: trials.into_values().collect(), batch })
}

impl Trajectory {
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
    use crate::results::fixtures::{folder, record, spec};
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
        store.finish().expect("tables");
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
}
