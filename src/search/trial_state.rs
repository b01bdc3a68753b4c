//! The state of a trial: counts evaluations, keeps the best and the trace, and knows the limits.

use super::call_seed;
use super::population::Population;
use super::spread::Spread;
use crate::plan::seed::Seeds;
use crate::plan::settings::{OnSuccess, Stop, Trace};
use crate::plan::start::Start;
use crate::problem::{CallError, Format, Gene, Genome, Genomes, Problem};
use crate::random::draws::Random;
use crate::record::{Improvement, Outcome, TraceRow, TrialResult};
use crate::system::interrupt::Interrupt;
use std::marker::PhantomData;
use std::time::Instant;

/// Evaluations of single genomes between two looks at clock and interrupt.
const CHECK_INTERVAL: usize = 1024;

/// Why a generation was not completed. It does not count, and has no row in the trace.
#[derive(Debug)]
pub(super) enum Incomplete {
    /// By a budget, the clock, an interrupt, or the solver's own stop rule.
    Stopped,
    /// The plugin failed. Boxed: this is the error of every evaluation, and small ones cost less.
    Failed(Box<CallError>),
}

impl From<CallError> for Incomplete {
    fn from(error: CallError) -> Self {
        Incomplete::Failed(error.into())
    }
}

/// One trial so far.
pub(super) struct TrialState<'trial, G> {
    problem: &'trial Problem,
    stop: &'trial Stop,
    trace: Trace,
    interrupt: &'trial Interrupt,
    /// None: all in this thread.
    pub spread: Option<&'trial Spread>,
    deadline: Option<Instant>,
    /// The greatest fitness that is a success.
    target: f64,
    /// The trial's generator; every random number of the trial follows from it, but those of an
    /// initial population that is paired.
    pub random: Random,
    /// Seed of a paired initial population.
    initial_seed: Option<u64>,
    /// Given genomes of the initial population.
    start: Option<&'trial Start>,
    /// The trial's number.
    number: u64,
    /// Number of the generation that is being made; 0: the initial population.
    generation: u64,
    evaluations: u64,
    evaluations_to_success: Option<u64>,
    best_fitness: Option<f64>,
    /// The first genome that had the best fitness: one row.
    best: Genomes,
    gene: PhantomData<G>,
    /// Generation of the last improvement.
    improved: u64,
    rows: Vec<TraceRow>,
    improvements: Vec<Improvement>,
}

impl<'trial, G: Gene> TrialState<'trial, G> {
    pub(super) fn new(
        problem: &'trial Problem,
        stop: &'trial Stop,
        start: Option<&'trial Start>,
        trace: Trace,
        seeds: Seeds,
        interrupt: &'trial Interrupt,
    ) -> Self {
        let description = problem.description();
        TrialState {
            problem,
            stop,
            trace,
            interrupt,
            spread: None,
            deadline: stop.time_limit().and_then(|limit| Instant::now().checked_add(limit)),
            // Without a target nothing is at or below it.
            target: stop.target.map_or(f64::NEG_INFINITY, |target| description.reaching(target)),
            random: Random::seed_from_u64(seeds.trial),
            initial_seed: seeds.start,
            start,
            number: seeds.number,
            generation: 0,
            evaluations: 0,
            evaluations_to_success: None,
            best_fitness: None,
            best: Genomes::new::<G>(description.genome_length),
            gene: PhantomData,
            improved: 0,
            rows: Vec::new(),
            improvements: Vec::new(),
        }
    }

    /// Makes and evaluates the initial population: first the genomes that are given, then random
    /// ones.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    pub(super) fn begin(&mut self, population: &mut Population<G>) -> Result<(), Incomplete> {
        // Paired trials share it.
        let seed = match self.initial_seed {
            None => call_seed(&mut self.random),
            Some(start) => call_seed(&mut Random::seed_from_u64(start)),
        };
        let given = self.start.map_or(0, |start| start.count.min(population.rows()));
        if let Some(start) = self.start {
            for place in 0..given {
                let genes = population.row_mut(place).iter_mut();
                let from = start.genome(self.number, place);
                genes.zip(from).for_each(|(gene, number)| *gene = G::from_f64(*number));
            }
        }
        if given < population.rows() {
            let drawn = given * population.length();
            self.problem.sample(&seed, given as u64, &mut population.genes_mut()[drawn..])?;
        }
        self.evaluate(population)
    }

    /// Evaluates the population, as far as the budget goes, and keeps the best. Fitness of rows
    /// beyond the budget is left as it was.
    ///
    /// # Errors
    /// If the budget ends before the last row, or the plugin fails.
    pub(super) fn evaluate(&mut self, population: &mut Population<G>) -> Result<(), Incomplete> {
        let rows = population.rows();
        self.evaluate_rows(population, rows)
    }

    /// As [`evaluate`](Self::evaluate), the first `rows` rows alone.
    ///
    /// # Errors
    /// As there.
    pub(super) fn evaluate_rows(
        &mut self,
        population: &mut Population<G>,
        rows: usize,
    ) -> Result<(), Incomplete> {
        let budget = self.stop.evaluations.map_or(u64::MAX, |limit| limit - self.evaluations);
        let within = rows.min(usize::try_from(budget).unwrap_or(usize::MAX));
        let length = population.length();
        let (genes, fitness) = population.parts_mut();
        let (genes, fitness) = (&genes[..within * length], &mut fitness[..within]);
        match self.spread {
            None => self.problem.evaluate(genes, fitness)?,
            Some(spread) => spread.evaluate(self.problem, genes, fitness)?,
        }
        if self.trace == Trace::Improvements {
            self.record_improvements(genes, fitness);
        }
        self.update_best(genes, fitness);
        self.evaluations += within as u64;
        if within == rows { Ok(()) } else { Err(Incomplete::Stopped) }
    }

    fn record_improvements(&mut self, genes: &[G], fitness: &[f64]) {
        let genomes = genes.chunks_exact(self.problem.description().genome_length);
        let mut best = self.best_fitness;
        for (evaluations, (genome, fitness)) in (self.evaluations + 1..).zip(genomes.zip(fitness)) {
            if best.is_none_or(|best| *fitness < best) {
                best = Some(*fitness);
                self.improvements.push(Improvement {
                    generation: self.generation,
                    evaluations,
                    fitness: *fitness,
                    genome: Genome::from_genes(genome),
                });
            }
        }
    }

    /// No rows are no change.
    fn update_best(&mut self, genes: &[G], fitness: &[f64]) {
        let least = least(fitness);
        if self.best_fitness.is_some_and(|best| least >= best) {
            return;
        }
        let length = self.problem.description().genome_length;
        let row = fitness.iter().position(|value| *value == least).expect("it is one of them");
        self.best_fitness = Some(least);
        self.best.genes_mut::<G>().copy_from_slice(&genes[row * length..][..length]);
        self.improved = self.generation;
        if least <= self.target && self.evaluations_to_success.is_none() {
            let first = fitness.iter().position(|value| *value <= self.target);
            let first = first.expect("the least is at the target") as u64;
            self.evaluations_to_success = Some(self.evaluations + first + 1);
        }
    }

    /// Completes the generation, whose population has this fitness.
    pub(super) fn end_generation(&mut self, fitness: &[f64]) {
        let best_so_far = self.best_fitness.expect("a generation ends after its evaluation");
        let (generation, evaluations) = (self.generation, self.evaluations);
        self.generation += 1;
        let row = |best, mean, worst| TraceRow {
            generation,
            evaluations,
            best,
            mean,
            worst,
            best_so_far,
        };
        match self.trace {
            Trace::None => {}
            Trace::Best | Trace::Improvements => {
                let (mut best, mut worst, mut sum) = (f64::INFINITY, f64::NEG_INFINITY, 0.0);
                for value in fitness {
                    best = value.min(best);
                    worst = value.max(worst);
                    sum += value;
                }
                self.rows.push(row(best, sum / fitness.len() as f64, worst));
            }
            Trace::Population => {
                self.rows.extend(fitness.iter().map(|value| row(*value, *value, *value)))
            }
        }
    }

    /// Generations completed after the initial population.
    fn generations(&self) -> u64 {
        self.generation.saturating_sub(1)
    }

    /// Success, where it ends the trial.
    pub(super) fn solved(&self) -> Option<Outcome> {
        let ends = self.evaluations_to_success.is_some() && self.stop.on_success == OnSuccess::Stop;
        ends.then_some(Outcome::Solved)
    }

    /// The limit that is reached; of several, the first in this order.
    pub(super) fn limit_reached(&self) -> Option<Outcome> {
        let reached = |limit: Option<u64>, value: u64| limit.is_some_and(|limit| value >= limit);
        let generations = self.generations();
        if reached(self.stop.generations, generations) {
            Some(Outcome::Generations)
        } else if reached(self.stop.evaluations, self.evaluations) {
            Some(Outcome::Evaluations)
        } else if reached(self.stop.stagnation, generations.saturating_sub(self.improved)) {
            Some(Outcome::Stagnated)
        } else if self.is_late() {
            Some(Outcome::TimedOut)
        } else {
            None
        }
    }

    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupt.is_raised()
    }

    /// A look at clock and interrupt in the middle of a generation.
    ///
    /// # Errors
    /// If one of them ends the trial.
    pub(super) fn check(&self) -> Result<(), Incomplete> {
        if self.is_interrupted() || self.is_late() { Err(Incomplete::Stopped) } else { Ok(()) }
    }

    /// As [`check`](Self::check), but before every [`CHECK_INTERVAL`]th evaluation of a generation
    /// alone; `evaluation` is its number in the generation, from 0.
    ///
    /// # Errors
    /// As there.
    pub(super) fn check_periodically(&self, evaluation: usize) -> Result<(), Incomplete> {
        if evaluation % CHECK_INTERVAL == CHECK_INTERVAL - 1 { self.check() } else { Ok(()) }
    }

    /// What the trial leaves, at this outcome or error.
    pub(super) fn into_result(self, end: Result<Outcome, CallError>) -> TrialResult {
        let best = self.best_fitness.map(|_| Genome::from_genes(self.best.genes::<G>()));
        // A trial whose best cannot be described has no trustworthy result.
        let described = best.as_ref().map_or(Ok((None, None)), |best| self.describe(best));
        let error = end.as_ref().err().or(described.as_ref().err()).map(ToString::to_string);
        let evaluations_to_success = self.evaluations_to_success.filter(|_| error.is_none());
        let (valid, best_text) = described.unwrap_or_default();
        TrialResult {
            outcome: end.ok().filter(|_| error.is_none()).unwrap_or(Outcome::Failed),
            success: evaluations_to_success.is_some(),
            best_fitness: self.best_fitness,
            generations: self.generations(),
            evaluations: self.evaluations,
            evaluations_to_success,
            valid,
            best,
            best_text,
            error,
            trace: self.rows,
            improvements: self.improvements,
        }
    }

    /// Whether the best genome keeps the problem's rules, and its line of text; none where the
    /// plugin lacks the call.
    fn describe(&self, best: &Genome) -> Result<(Option<bool>, Option<String>), CallError> {
        let mut valid = None;
        if self.problem.description().has_is_valid {
            let mut answer = [0];
            self.problem.is_valid(self.best.genes::<G>(), &mut answer)?;
            valid = Some(answer[0] != 0);
        }
        Ok((valid, self.problem.render(best, Format::Line)?))
    }
}

/// The least value, eight lanes at a time: comparisons wait for each other. None of them is NaN:
/// the problem handle saw to it. Infinite, if there are none.
fn least(values: &[f64]) -> f64 {
    let less = |a: f64, b: f64| if b < a { b } else { a };
    let (eights, rest) = values.as_chunks::<8>();
    let mut lanes = [f64::INFINITY; 8];
    for eight in eights {
        for lane in 0..8 {
            lanes[lane] = less(lanes[lane], eight[lane]);
        }
    }
    rest.iter().copied().chain(lanes).fold(f64::INFINITY, less)
}
