//! Noisy rows: evaluates genomes whose fitness is noisy, and judges them.

use super::batch::Batch;
use super::population::Population;
use super::resampling::{Resampling, Statistic, mean, standard_error};
use super::spread::{Spread, evaluate_batch};
use crate::problem::{CallError, Gene, Genomes, Noise, Problem};
use std::marker::PhantomData;
use std::ops::Range;

/// Maximum number of bytes of the genomes that are copied and evaluated at once, unless a single
/// genome has more.
const BLOCK: usize = 1 << 20;

/// Evaluator of rows with noisy fitness. Evaluation `i` of a trial draws from the trial's seed of
/// noise and from `i`, so that no fitness depends on how rows are split into calls.
pub(super) struct NoisyRows<G> {
    resampling: Resampling,
    /// Whether the problem has the noiseless fitness.
    has_noiseless: bool,
    /// The trial's seed of noise.
    pub seed: [u8; 32],
    /// Genomes that are evaluated at once, each as often as it is evaluated.
    copies: Genomes,
    /// Fitness of each evaluation of a block of rows.
    samples: Vec<f64>,
    /// Value by which each row is judged: its noiseless fitness, or else the mean of its
    /// evaluations.
    pub worth: Vec<f64>,
    /// Standard error of the mean of each row; empty if rows are judged otherwise, or evaluated
    /// once.
    pub errors: Vec<f64>,
    gene: PhantomData<G>,
}

impl<G: Gene> NoisyRows<G> {
    /// Creates the evaluator. Returns `None` if the problem has no noise.
    pub(super) fn of(problem: &Problem, resampling: Resampling) -> Option<Self> {
        let description = problem.description();
        description.is_noisy().then(|| NoisyRows {
            resampling,
            has_noiseless: description.noise == Noise::NoiselessKnown,
            seed: [0; 32],
            copies: Genomes::new::<G>(0),
            samples: Vec::new(),
            worth: Vec::new(),
            errors: Vec::new(),
            gene: PhantomData,
        })
    }

    /// Evaluates the first rows of a population and judges them. `first` is the number of the
    /// trial's evaluations so far.
    pub(super) fn evaluate(
        &mut self,
        problem: &Problem,
        spread: Option<&Spread>,
        (population, rows): (&mut Population<G>, usize),
        first: u64,
    ) -> Result<(), CallError> {
        self.worth.clear();
        self.errors.clear();
        self.sample(problem, spread, (population, rows), first, !self.has_noiseless)?;
        if !self.has_noiseless {
            return Ok(());
        }
        self.worth.resize(rows, 0.0);
        let genes = population.first(rows);
        let mut noiseless = Batch::new(genes, &mut self.worth, None);
        evaluate_batch(problem, spread, &mut noiseless)
    }

    /// Evaluates the first rows of a population like [`evaluate`](Self::evaluate), but judges none.
    pub(super) fn evaluate_anew(
        &mut self,
        problem: &Problem,
        spread: Option<&Spread>,
        rows: (&mut Population<G>, usize),
        first: u64,
    ) -> Result<(), CallError> {
        self.sample(problem, spread, rows, first, false)
    }

    /// Evaluates the first rows of a population. `by_mean` says whether the means are what the rows
    /// are judged by.
    fn sample(
        &mut self,
        problem: &Problem,
        spread: Option<&Spread>,
        (population, rows): (&mut Population<G>, usize),
        first: u64,
        by_mean: bool,
    ) -> Result<(), CallError> {
        let each = self.resampling.evaluations;
        let genome = size_of::<G>() * population.length();
        let at_once = (BLOCK / genome).max(1);
        let block = (at_once / each).max(1);
        for start in (0..rows).step_by(block) {
            let rows = start..rows.min(start + block);
            // Numbers of the block's evaluations among those of all rows.
            let all = rows.start * each..rows.end * each;
            self.samples.resize(all.len(), 0.0);
            for from in all.clone().step_by(at_once) {
                let part = from..all.end.min(from + at_once);
                self.copy_rows(population, part.clone());
                let samples = &mut self.samples[part.start - all.start..part.end - all.start];
                let draws = Some((&self.seed, first + from as u64));
                let mut batch = Batch::new(self.copies.genes::<G>(), samples, draws);
                evaluate_batch(problem, spread, &mut batch)?;
            }
            self.combine(&mut population.fitness[rows], by_mean);
        }
        Ok(())
    }

    /// Copies the genome of each of these evaluations.
    fn copy_rows(&mut self, population: &Population<G>, evaluations: Range<usize>) {
        let length = population.length();
        self.copies.resize::<G>(evaluations.len() * length);
        let copies = self.copies.genes_mut::<G>().chunks_exact_mut(length);
        for (copy, evaluation) in copies.zip(evaluations) {
            copy.copy_from_slice(population.row(evaluation / self.resampling.evaluations));
        }
    }

    /// Writes the fitness of the rows whose samples are there.
    fn combine(&mut self, fitness: &mut [f64], by_mean: bool) {
        let NoisyRows { resampling, samples, worth, errors, .. } = self;
        for (samples, fitness) in samples.chunks_exact_mut(resampling.evaluations).zip(fitness) {
            if by_mean {
                worth.push(mean(samples));
                errors.extend(standard_error(samples));
            }
            *fitness = match resampling.combine {
                Statistic::Mean => mean(samples),
                median => median.of(samples),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::fixtures::noisy::{draw, noisy};
    use crate::search::population::population_of;

    const SEED: [u8; 32] = [7; 32];

    fn rows_of(problem: &Problem, evaluations: usize, combine: Statistic) -> NoisyRows<u8> {
        let resampling = Resampling { evaluations, combine, reevaluates: false };
        let rows = NoisyRows::of(problem, resampling).expect("it is noisy");
        NoisyRows { seed: SEED, ..rows }
    }

    /// Draws of the evaluations of one row of a batch that follows `first` evaluations.
    fn draws(first: u64, row: usize, each: usize) -> Vec<f64> {
        let start = first + (row * each) as u64;
        (start..start + each as u64).map(|number| draw(&SEED, number)).collect()
    }

    #[test]
    fn each_evaluation_draws_by_its_number() {
        // So long that a block has several genomes, one, or less than one.
        for length in [90_000, 300_000, 900_000] {
            let problem = noisy(length, false);
            let (rows, first) = (7, 40);
            let mut population = population_of::<u8>(&problem, rows);
            let mut noisy = rows_of(&problem, 3, Statistic::Median);
            noisy.evaluate(&problem, None, (&mut population, rows), first).expect("it evaluates");
            for row in 0..rows {
                let mut drawn = draws(first, row, 3);
                assert_eq!(noisy.worth[row], mean(&drawn));
                assert_eq!(Some(noisy.errors[row]), standard_error(&drawn));
                drawn.sort_by(f64::total_cmp);
                assert_eq!(population.fitness[row], drawn[1]);
            }
        }
    }

    #[test]
    fn rows_are_judged_by_the_noiseless_fitness_where_there_is_one() {
        let problem = noisy(2, true);
        let mut population = population_of::<u8>(&problem, 3);
        population.genes_mut().copy_from_slice(&[5, 0, 3, 0, 9, 0]);
        let mut noisy = rows_of(&problem, 2, Statistic::Mean);
        noisy.evaluate(&problem, None, (&mut population, 3), 0).expect("it evaluates");
        assert_eq!((&noisy.worth[..], noisy.errors.len()), (&[5.0, 3.0, 9.0][..], 0));
        noisy.evaluate_anew(&problem, None, (&mut population, 2), 6).expect("it evaluates");
        let due = [draws(6, 0, 2), draws(6, 1, 2), draws(0, 2, 2)].map(|drawn| mean(&drawn));
        assert_eq!(population.fitness[..], due);
        // The values by which rows are judged are still there.
        assert_eq!(noisy.worth, [5.0, 3.0, 9.0]);
    }
}
