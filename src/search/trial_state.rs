//! The state: counts evaluations, keeps the best, and says when and why a trial ends.

use super::population::Population;
use crate::plan::settings::{OnSuccess, Stop, Trace};
use crate::problem::{CallError, Format, Gene, Genome, Genomes, Problem};
use crate::record::{Improvement, Outcome, Timing, TraceRow, TrialRecord};
use std::marker::PhantomData;
use std::time::{Duration, Instant};

/// What a trial has seen so far.
pub struct TrialState<'arm, G> {
    problem: &'arm Problem,
    stop: &'arm Stop,
    trace: Trace,
    /// The greatest fitness that is a success.
    target: f64,
    deadline: Option<Instant>,
    pub generations: u64,
    pub evaluations: u64,
    pub evaluations_to_success: Option<u64>,
    pub best_fitness: Option<f64>,
    /// The first genome that had the best fitness: one row.
    best: Genomes,
    gene: PhantomData<G>,
    /// Generation of the last improvement.
    improved: u64,
    pub rows: Vec<TraceRow>,
    improvements: Vec<Improvement>,
}

impl<'arm, G: Gene> TrialState<'arm, G> {
    pub fn new(problem: &'arm Problem, stop: &'arm Stop, trace: Trace) -> Self {
        // Without a target nothing is at or below it.
        let reaching = |target| problem.description().reaching(target);
        let target = stop.target.map_or(f64::NEG_INFINITY, reaching);
        TrialState {
            problem,
            stop,
            trace,
            target,
            deadline: None,
            generations: 0,
            evaluations: 0,
            evaluations_to_success: None,
            best_fitness: None,
            best: Genomes::new::<G>(problem.description().genome_length),
            gene: PhantomData,
            improved: 0,
            rows: Vec::new(),
            improvements: Vec::new(),
        }
    }

    /// Forgets the trial before.
    pub fn start(&mut self) {
        self.generations = 0;
        self.evaluations = 0;
        self.evaluations_to_success = None;
        self.best_fitness = None;
        self.improved = 0;
        self.rows.clear();
        self.improvements.clear();
        let limit =
            self.stop.trial_seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        self.deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
    }

    /// Evaluates as many rows as the budget allows, from the first on, and takes note of the best.
    /// Returns whether that was all of them; fitness beyond is left as it was.
    ///
    /// # Errors
    /// The plugin's.
    pub fn evaluate(&mut self, population: &mut Population<G>) -> Result<bool, CallError> {
        let rows = population.rows();
        self.evaluate_rows(population, rows)
    }

    /// As [`evaluate`](Self::evaluate), the first `rows` rows alone.
    ///
    /// # Errors
    /// The plugin's.
    pub fn evaluate_rows(
        &mut self,
        population: &mut Population<G>,
        rows: usize,
    ) -> Result<bool, CallError> {
        let length = population.length();
        let (genes, fitness) = population.parts_mut();
        let budget = self.stop.evaluations.map_or(u64::MAX, |limit| limit - self.evaluations);
        let allowed = rows.min(usize::try_from(budget).unwrap_or(usize::MAX));
        let fitness = &mut fitness[..allowed];
        self.problem.evaluate(&genes[..allowed * length], fitness)?;
        let least = least(fitness);
        if self.trace == Trace::Improvements {
            let generation = self.generations + u64::from(self.evaluations > 0);
            let mut best = self.best_fitness;
            for (row, value) in fitness.iter().enumerate() {
                if best.is_none_or(|best| *value < best) {
                    best = Some(*value);
                    self.improvements.push(Improvement {
                        generation,
                        evaluations: self.evaluations + row as u64 + 1,
                        fitness: *value,
                        genome: Genome::from_genes(&genes[row * length..][..length]),
                    });
                }
            }
        }
        if self.best_fitness.is_none_or(|best| least < best) {
            let row = fitness.iter().position(|value| *value == least).expect("it is one of them");
            self.best_fitness = Some(least);
            self.best.genes_mut::<G>().copy_from_slice(&genes[row * length..][..length]);
            self.improved = self.generations + u64::from(self.evaluations > 0);
            if least <= self.target && self.evaluations_to_success.is_none() {
                let first = fitness
                    .iter()
                    .position(|value| *value <= self.target)
                    .expect("the least is at the target");
                self.evaluations_to_success = Some(self.evaluations + first as u64 + 1);
            }
        }
        self.evaluations += allowed as u64;
        Ok(allowed == rows)
    }

    /// Ends a generation of samples that followed from no earlier ones: the first is generation 0.
    pub fn end_batch(&mut self, fitness: &[f64]) {
        self.generations += u64::from(self.evaluations > fitness.len() as u64);
        self.end_generation(fitness);
    }

    /// Ends a generation (or, at first, the initial population) whose population has this fitness.
    pub fn end_generation(&mut self, fitness: &[f64]) {
        let best_so_far = self.best_fitness.expect("a generation ends after its evaluation");
        let (generation, evaluations) = (self.generations, self.evaluations);
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

    /// Whether the trial has its solution and ends with it.
    pub fn is_solved(&self) -> bool {
        self.evaluations_to_success.is_some() && self.stop.on_success == OnSuccess::Stop
    }

    /// Whether the trial ran out of seconds.
    pub fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Why the trial ends here; none: it goes on.
    pub fn outcome(&self) -> Option<Outcome> {
        let reached = |limit: Option<u64>, value: u64| limit.is_some_and(|limit| value >= limit);
        if self.is_solved() {
            Some(Outcome::Solved)
        } else if reached(self.stop.generations, self.generations) {
            Some(Outcome::Generations)
        } else if reached(self.stop.evaluations, self.evaluations) {
            Some(Outcome::Evaluations)
        } else if reached(self.stop.stagnation, self.generations.saturating_sub(self.improved)) {
            Some(Outcome::Stagnated)
        } else if self.is_late() {
            Some(Outcome::TimedOut)
        } else {
            None
        }
    }

    /// What the trial leaves. None when it was interrupted: then it leaves nothing.
    pub fn record(
        &mut self,
        seed: u64,
        end: Result<Option<Outcome>, CallError>,
    ) -> Option<TrialRecord> {
        let (outcome, mut error) = match end {
            Ok(outcome) => (outcome?, None),
            Err(error) => (Outcome::Failed, Some(error)),
        };
        let (valid, best_text) = match self.describe_best() {
            Ok(described) => described,
            // A trial whose best cannot be looked at has no trustworthy result.
            Err(later) => {
                error.get_or_insert(later);
                (None, None)
            }
        };
        let outcome = if error.is_some() { Outcome::Failed } else { outcome };
        let failed = outcome.is_failure();
        Some(TrialRecord {
            arm: 0,
            trial: 0,
            seed,
            outcome,
            success: !failed && self.evaluations_to_success.is_some(),
            best_fitness: self.best_fitness,
            generations: self.generations,
            evaluations: self.evaluations,
            evaluations_to_success: self.evaluations_to_success.filter(|_| !failed),
            valid,
            best: self.best_fitness.map(|_| Genome::from_genes(self.best.genes::<G>())),
            best_text,
            error: error.map(|error| error.to_string()),
            timing: Timing::default(),
            trace: std::mem::take(&mut self.rows),
            improvements: std::mem::take(&mut self.improvements),
        })
    }

    /// Whether the best keeps the problem's rules, and its line of text, where the plugin has these
    /// calls.
    fn describe_best(&self) -> Result<(Option<bool>, Option<String>), CallError> {
        if self.best_fitness.is_none() {
            return Ok((None, None));
        }
        let description = self.problem.description();
        let mut valid = None;
        if description.has_is_valid {
            let mut answer = [0];
            self.problem.is_valid(self.best.genes::<G>(), &mut answer)?;
            valid = Some(answer[0] != 0);
        }
        let text =
            self.problem.render(&Genome::from_genes(self.best.genes::<G>()), Format::Line)?;
        Ok((valid, text))
    }
}

/// The least value, eight lanes at a time: comparisons wait for each other. The values are not
/// empty and hold no NaN: the problem handle saw to it.
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
