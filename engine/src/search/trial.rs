//! State of a trial: counts evaluations, keeps the best genome and the trace, and checks the
//! limits.

use super::arm::Arm;
use super::call_seed;
use super::children::ChildNotes;
use super::diversity::diversity;
use super::duplicates::Duplicates;
use super::evaluator::Evaluator;
use super::logged::SharedLog;
use super::population::{Figures, Population};
use super::ranking::Ranking;
use super::restarts::{Point, Restarts, Run};
use super::seeds::Seeds;
use super::start::Start;
use super::stop::{OnSuccess, Stop};
use super::trace::Trace;
use super::variation::Lineage;
use super::watcher::{Generation, Watcher};
use crate::operators::Unit;
use crate::problem::moves::Moves;
use crate::problem::{CallError, Format, Gene, Genome, Genomes, Problem};
use crate::random::draws::Random;
use crate::record::{Improvement, Outcome, TraceRow, TrialResult, ViolationTrace};
use crate::system::call_limit;
use crate::system::interrupt::Interrupt;
use std::marker::PhantomData;
use std::mem::take;
use std::ops::Range;
use std::time::{Duration, Instant};

/// Number of evaluations of single genomes between two checks of the deadline and the interrupt.
const CHECK_INTERVAL: usize = 1024;

/// Reason why a generation was not completed. Such a generation does not count, and has no row in
/// the trace.
#[derive(Debug)]
pub(super) enum Halt {
    /// Stopped by a budget, the deadline, an interrupt, or the search's own stop rule.
    Stopped,
    /// The plugin failed. The error is boxed because every evaluation returns this type, and small
    /// types cost less.
    Failed(Box<CallError>),
}

impl From<CallError> for Halt {
    fn from(error: CallError) -> Self {
        Halt::Failed(error.into())
    }
}

/// A running trial.
pub(super) struct Trial<'trial, G> {
    problem: &'trial Problem,
    stop: &'trial Stop,
    trace: Trace,
    interrupt: &'trial Interrupt,
    /// Whether a watcher observes the trial.
    pub is_watched: bool,
    /// Whether children that equal an earlier genome are drawn again.
    pub avoids: bool,
    evaluator: &'trial mut Evaluator<G>,
    /// Number of evaluations per genome.
    each: u64,
    /// Whether survivors are evaluated anew.
    reevaluates: bool,
    deadline: Option<Instant>,
    /// Time that this thread's calls had already waited for others when the trial began.
    waited: Duration,
    /// Greatest fitness that counts as a success.
    target: f64,
    pub ranking: Ranking,
    /// The trial's generator. All random numbers of the trial follow from it, except those of a
    /// paired initial population.
    pub random: Random,
    seeds: Seeds,
    /// Given genomes of the initial population.
    start: Option<&'trial Start>,
    /// Rule that ends a run; `None` if the trial is one run.
    restarts: Option<Restarts>,
    run: Run,
    /// Number of the current generation; 0 is the initial population.
    generation: u64,
    evaluations: u64,
    evaluations_to_success: Option<u64>,
    best_fitness: Option<f64>,
    /// Violation of the best genome; 0 without constraints.
    best_violation: f64,
    /// Standard error of the best fitness; `None` if the fitness has none.
    best_error: Option<f64>,
    /// First genome with the best fitness, as one row.
    best: Genomes,
    gene: PhantomData<G>,
    /// Generation of the last improvement.
    improved: u64,
    /// Number of evaluations up to and including the last improvement.
    best_after: u64,
    /// Diversity of the last completed generation; `None` if no stop rule asks for it.
    diversity: Option<f64>,
    /// Notes on the children of generations.
    pub notes: ChildNotes,
    rows: Vec<TraceRow>,
    /// Genomes of the trace's rows, if the trace has genomes.
    traced_genes: Vec<G>,
    improvements: Vec<Improvement>,
}

impl<'trial, G: Gene> Trial<'trial, G> {
    pub(super) fn new(
        arm: Arm<'trial>,
        evaluator: &'trial mut Evaluator<G>,
        seeds: Seeds,
        interrupt: &'trial Interrupt,
    ) -> Self {
        let Arm { problem, constraints, stop, start, restarts, resampling, duplicates, .. } = arm;
        if let Some(noisy) = &mut evaluator.noisy {
            noisy.seed = seeds.of_noise();
        }
        if let Some(known) = &mut evaluator.known {
            known.forget();
        }
        let description = problem.description();
        let limit = stop.time_limit().map(|limit| limit.saturating_sub(evaluator.spent()));
        Trial {
            problem,
            stop,
            trace: arm.trace,
            interrupt,
            is_watched: false,
            avoids: duplicates == Duplicates::Avoid,
            evaluator,
            each: resampling.evaluations as u64,
            reevaluates: resampling.reevaluates,
            deadline: limit.and_then(|limit| Instant::now().checked_add(limit)),
            waited: call_limit::waited(),
            // Without a target, no fitness counts as a success.
            target: stop.target.map_or(f64::NEG_INFINITY, |target| description.reaching(target)),
            ranking: Ranking::new(constraints),
            random: Random::seed_from_u64(seeds.trial),
            seeds,
            start,
            restarts,
            run: Run::default(),
            generation: 0,
            evaluations: 0,
            evaluations_to_success: None,
            best_fitness: None,
            best_violation: 0.0,
            best_error: None,
            best: Genomes::new::<G>(description.genome_length),
            gene: PhantomData,
            improved: 0,
            best_after: 0,
            diversity: None,
            notes: ChildNotes::new(arm.counts_children),
            rows: Vec::new(),
            traced_genes: Vec::new(),
            improvements: Vec::new(),
        }
    }

    /// Returns the log of its evaluations; `None` if none is kept.
    pub(super) fn log(&self) -> Option<SharedLog> {
        self.evaluator.log()
    }

    /// Creates and evaluates the initial population: first the given genomes, then random ones.
    /// Genomes are given, and paired, only in the first run.
    ///
    /// # Errors
    /// If the budget ends before the last row, or the plugin fails.
    pub(super) fn begin(&mut self, population: &mut Population<G>) -> Result<(), Halt> {
        self.begin_by(population, Problem::sample)
    }

    /// Creates and evaluates the initial population like [`begin`](Self::begin). `draw` fills rows
    /// from a seed and the number of the first row.
    ///
    /// # Errors
    /// If the budget ends before the last row, or the plugin fails.
    pub(super) fn begin_by(
        &mut self,
        population: &mut Population<G>,
        draw: impl FnOnce(&Problem, &[u8; 32], u64, &mut [G]) -> Result<(), CallError>,
    ) -> Result<(), Halt> {
        let is_first = self.run.number == 0;
        // Paired trials share the seed of the initial population.
        let seed = match self.seeds.start.filter(|_| is_first) {
            None => call_seed(&mut self.random),
            Some(start) => call_seed(&mut Random::seed_from_u64(start)),
        };
        let start = self.start.filter(|_| is_first);
        let given = start.map_or(0, |start| start.count.min(population.rows()));
        if let Some(start) = start {
            for place in 0..given {
                let genes = population.row_mut(place).iter_mut();
                let from = start.genome(self.seeds.number, place);
                genes.zip(from).for_each(|(gene, number)| *gene = G::from_f64(*number));
                let stated = start.fitness(self.seeds.number, place);
                if let (Some(known), Some(fitness)) = (&mut self.evaluator.known, stated) {
                    known.learn(population.row(place), fitness);
                }
            }
        }
        if given < population.rows() {
            let drawn = given * population.length();
            draw(self.problem, &seed, given as u64, &mut population.genes_mut()[drawn..])?;
        }
        self.evaluator.begin(population);
        self.evaluate(population)
    }

    /// Evaluates the population as far as the budget allows, and updates the best genome. The
    /// fitness of rows beyond the budget is unchanged.
    ///
    /// # Errors
    /// If the budget ends before the last row, or the plugin fails.
    pub(super) fn evaluate(&mut self, population: &mut Population<G>) -> Result<(), Halt> {
        let rows = population.rows();
        self.evaluate_rows(population, rows)
    }

    /// Evaluates the first `rows` rows like [`evaluate`](Self::evaluate).
    ///
    /// # Errors
    /// If the budget ends before the last row, or the plugin fails.
    #[inline]
    pub(super) fn evaluate_rows(
        &mut self,
        population: &mut Population<G>,
        rows: usize,
    ) -> Result<(), Halt> {
        let within = rows.min(self.budget());
        self.evaluator.evaluate(self.problem, population, within, self.evaluations)?;
        self.count_rows(population, within, rows)
    }

    /// Evaluates children bred from `parents` like [`evaluate`](Self::evaluate). Children that
    /// differ little from an earlier genome are evaluated incrementally, from the genes that
    /// differ.
    ///
    /// # Errors
    /// If the budget ends before the last row, or the plugin fails.
    #[inline]
    pub(super) fn evaluate_children(
        &mut self,
        children: &mut Population<G>,
        parents: &mut Population<G>,
        lineage: Lineage<'_>,
    ) -> Result<(), Halt> {
        let rows = children.rows();
        let within = rows.min(self.budget());
        let family = (parents, lineage);
        let first = self.evaluations;
        self.evaluator.evaluate_children(self.problem, family, children, within, first)?;
        self.count_rows(children, within, rows)
    }

    /// Returns the rows whose genome equals an earlier one, of the trial or among the rows. Empty
    /// if the trial does not remember genomes.
    pub(super) fn repeated(&self, population: &Population<G>) -> Vec<usize> {
        let known = self.evaluator.known.as_ref();
        known.map_or_else(Vec::new, |known| known.repeated(population))
    }

    /// Evaluates the first `rows` rows, which survived the last generation, anew if the arm asks
    /// for it. These evaluations count, but do not change the best genome: each genome is judged by
    /// its first evaluations, because the best of many would be better by chance.
    ///
    /// # Errors
    /// If the budget ends before the last row, or the plugin fails.
    #[inline]
    pub(super) fn reevaluate(
        &mut self,
        population: &mut Population<G>,
        rows: usize,
    ) -> Result<(), Halt> {
        if !self.reevaluates {
            return Ok(());
        }
        let within = rows.min(self.budget());
        self.evaluator.evaluate_anew(self.problem, population, within, self.evaluations)?;
        self.evaluations += within as u64 * self.each;
        if within == rows { Ok(()) } else { Err(Halt::Stopped) }
    }

    /// Counts the first `within` of `rows` evaluated rows, and updates the best genome. Returns an
    /// error if the budget did not cover all rows.
    #[inline]
    fn count_rows(
        &mut self,
        population: &Population<G>,
        within: usize,
        rows: usize,
    ) -> Result<(), Halt> {
        let copy = |row, genome: &mut [G]| genome.copy_from_slice(population.row(row));
        if self.evaluator.noisy.is_some() {
            self.update_noisy_best(population.figures(within), copy);
        } else {
            self.update_best(population.figures(within), copy);
        }
        self.evaluations += within as u64 * self.each;
        if within == rows { Ok(()) } else { Err(Halt::Stopped) }
    }

    /// Returns the number of genomes that the rest of the budget is enough for.
    pub(super) fn budget(&self) -> usize {
        // A division takes longer than many an evaluation.
        let left = |limit: u64| match limit - self.evaluations {
            left if self.each == 1 => left,
            left => left / self.each,
        };
        let budget = self.stop.evaluations.map_or(u64::MAX, left);
        usize::try_from(budget).unwrap_or(usize::MAX)
    }

    /// Returns the share of a budget that is spent, from 0 to 1; 0 without such a budget.
    pub(super) fn spent(&self, unit: Unit) -> f64 {
        let (spent, budget) = match unit {
            Unit::Generations => (self.generations(), self.stop.generations),
            Unit::Evaluations => (self.evaluations, self.stop.evaluations),
        };
        budget.map_or(0.0, |budget| spent as f64 / (budget.max(1)) as f64)
    }

    /// Counts the genomes that moves from `genome` lead to as evaluated, with this fitness. Counts
    /// as far as the budget allows, and updates the best genome.
    ///
    /// # Errors
    /// If the budget ends before the last move.
    pub(super) fn count_moves(
        &mut self,
        genome: &[G],
        moves: &Moves<'_, G>,
        fitness: &[f64],
    ) -> Result<(), Halt> {
        let within = fitness.len().min(self.budget());
        let counted = Figures { fitness: &fitness[..within], violations: &[] };
        self.update_best(counted, |row, neighbor| {
            neighbor.copy_from_slice(genome);
            moves.make(row, neighbor);
        });
        self.evaluations += within as u64;
        if within == fitness.len() { Ok(()) } else { Err(Halt::Stopped) }
    }

    /// Counts one move like [`count_moves`](Self::count_moves). `moves` returns the move. It is
    /// called only for an improvement, or if the budget is spent.
    ///
    /// # Errors
    /// If the budget is spent.
    #[inline]
    pub(super) fn count_move<'list>(
        &mut self,
        genome: &[G],
        moves: impl FnOnce() -> Moves<'list, G>,
        fitness: f64,
    ) -> Result<(), Halt> {
        if self.run.best.is_some_and(|(_, best)| fitness >= best) && self.budget() > 0 {
            self.evaluations += 1;
            return Ok(());
        }
        self.count_moves(genome, &moves(), &[fitness])
    }

    /// Counts evaluated proposals. None is better than the current genome.
    #[inline]
    pub(super) fn count_rejected(&mut self, proposals: usize) {
        self.evaluations += proposals as u64;
    }

    /// Returns the number of generations of one evaluation each that may pass together if they
    /// improve nothing. No limit is reached before the generation that follows them. It is 0 if
    /// each generation is recorded or shown.
    #[inline]
    pub(super) fn idle_generations(&self) -> usize {
        let is_watched = self.is_watched || self.stop.diversity.is_some();
        if self.trace != Trace::None || is_watched || self.has_restarts() {
            return 0;
        }
        let Stop { generations, evaluations, stagnation, .. } = *self.stop;
        let since = self.generations().saturating_sub(self.improved);
        let spent = [self.generations(), self.evaluations, since];
        let limits = [generations, evaluations, stagnation].into_iter().zip(spent);
        let left = limits.filter_map(|(limit, spent)| Some(limit?.saturating_sub(spent + 1))).min();
        left.map_or(usize::MAX, |left| usize::try_from(left).unwrap_or(usize::MAX))
    }

    /// Completes generations that changed nothing, at most as many as
    /// [`idle_generations`](Self::idle_generations) returns.
    #[inline]
    pub(super) fn close_idle_generations(&mut self, generations: usize) {
        self.generation += generations as u64;
    }

    /// Updates the best genome from evaluated rows, and counts the evaluations up to the first
    /// success. A success is a feasible row that reaches the target. `copy` writes the genome of a
    /// row.
    #[inline]
    fn update_best(&mut self, figures: Figures<'_>, copy: impl Fn(usize, &mut [G])) {
        if self.trace == Trace::Improvements {
            self.record_improvements(figures, &copy);
        }
        if let Some(found) = self.update_run(figures) {
            self.update_trial(figures, found, copy);
        }
    }

    /// Updates the best genome like [`update_best`](Self::update_best) from rows with noisy
    /// fitness. The rule for restarts goes by what the search sees, all else by the values by which
    /// the rows are judged.
    #[cold]
    fn update_noisy_best(&mut self, seen: Figures<'_>, copy: impl Fn(usize, &mut [G])) {
        self.update_run(seen);
        let Some(noisy) = &mut self.evaluator.noisy else { return };
        let (worth, errors) = (take(&mut noisy.worth), take(&mut noisy.errors));
        let judged = Figures { fitness: &worth, violations: &[] };
        if self.trace == Trace::Improvements {
            self.record_improvements(judged, &copy);
        }
        let best = judged.best();
        if let Some(row) = judged.keys().position(|key| key == best)
            && self.update_trial(judged, (row, best), copy)
        {
            self.best_error = errors.get(row).copied();
        }
        if let Some(noisy) = &mut self.evaluator.noisy {
            (noisy.worth, noisy.errors) = (worth, errors);
        }
    }

    /// Updates the best genome of the run. Returns the row and the key of an improvement.
    #[inline]
    fn update_run(&mut self, figures: Figures<'_>) -> Option<(usize, (f64, f64))> {
        let found = figures.best();
        if self.run.best.is_some_and(|best| found >= best) {
            return None;
        }
        let row = figures.keys().position(|key| key == found)?;
        self.run.best = Some(found);
        let evaluations = self.evaluations_until(row);
        self.run.improved = Point { generation: self.generation, evaluations };
        Some((row, found))
    }

    /// Updates the best genome of the trial by the best row, and the evaluations up to the first
    /// success. Returns whether the row is better than the best genome so far.
    #[inline]
    fn update_trial(
        &mut self,
        figures: Figures<'_>,
        (row, found): (usize, (f64, f64)),
        copy: impl Fn(usize, &mut [G]),
    ) -> bool {
        if self.best_fitness.is_some_and(|best| found >= (self.best_violation, best)) {
            return false;
        }
        copy(row, self.best.genes_mut::<G>());
        (self.best_violation, self.best_fitness) = (found.0, Some(found.1));
        self.improved = self.generation;
        self.best_after = self.evaluations_until(row);
        if self.evaluations_to_success.is_none() {
            let first = figures
                .keys()
                .position(|(violation, fitness)| violation == 0.0 && fitness <= self.target);
            self.evaluations_to_success = first.map(|row| self.evaluations_until(row));
        }
        true
    }

    /// Returns the number of the trial's evaluations up to and including those of a row that is not
    /// counted yet.
    #[inline]
    fn evaluations_until(&self, row: usize) -> u64 {
        self.evaluations + (row as u64 + 1) * self.each
    }

    fn record_improvements(&mut self, figures: Figures<'_>, copy: &impl Fn(usize, &mut [G])) {
        let mut best = self.best_fitness.map(|fitness| (self.best_violation, fitness));
        for (row, key) in figures.keys().enumerate() {
            if best.is_none_or(|best| key < best) {
                best = Some(key);
                let mut genome = self.best.genes::<G>().to_vec();
                copy(row, &mut genome);
                self.improvements.push(Improvement {
                    generation: self.generation,
                    evaluations: self.evaluations_until(row),
                    fitness: key.1,
                    violation: figures.violations.get(row).copied(),
                    genome: Genome::from_genes(&genome),
                });
            }
        }
    }

    /// Completes the generation, which is in the first `rows` rows of a population.
    pub(super) fn close_generation(&mut self, population: &Population<G>, rows: usize) {
        let has_rows = self.trace.has_rows();
        if has_rows {
            self.trace_rows(population.figures(rows));
        }
        if has_rows || self.is_watched {
            self.notes.close_generation(has_rows);
        }
        if self.trace.has_genomes() {
            self.traced_genes.extend_from_slice(population.first(rows));
        }
        if self.stop.diversity.is_some() {
            self.diversity =
                diversity(population.first(rows), population.length(), population.metric());
        }
        self.generation += 1;
    }

    /// Adds the trace rows of the generation. The best and the worst genome are the first and the
    /// last by violation, then by fitness.
    fn trace_rows(&mut self, figures: Figures<'_>) {
        if !self.trace.has_individuals() {
            let row = self.row(self.generation, figures);
            return self.rows.push(row);
        }
        let of_all = self.row(self.generation, figures);
        let one = |(violation, fitness): (f64, f64)| TraceRow {
            best: fitness,
            mean: fitness,
            worst: fitness,
            violations: of_all.violations.map(|so_far| ViolationTrace {
                best: violation,
                feasible: f64::from(violation == 0.0),
                ..so_far
            }),
            ..of_all
        };
        self.rows.extend(figures.keys().map(one));
    }

    /// Returns the trace row of a whole generation.
    fn row(&self, generation: u64, figures: Figures<'_>) -> TraceRow {
        let best = figures.best();
        let rows = figures.fitness.len() as f64;
        let feasible = figures.violations.iter().filter(|violation| **violation == 0.0).count();
        TraceRow {
            generation,
            evaluations: self.evaluations,
            best: best.1,
            mean: figures.fitness.iter().sum::<f64>() / rows,
            worst: figures.worst().1,
            best_so_far: self.best_fitness.expect("a generation ends after its evaluation"),
            violations: (!figures.violations.is_empty()).then_some(ViolationTrace {
                best: best.0,
                feasible: feasible as f64 / rows,
                best_so_far: self.best_violation,
            }),
        }
    }

    /// Shows a watcher the last completed generation. `last` is true if no generation follows.
    #[cold]
    pub(super) fn show(
        &mut self,
        population: &Population<G>,
        rows: usize,
        last: bool,
        watcher: &mut dyn Watcher,
    ) {
        let (number, figures) = (self.generation - 1, population.figures(rows));
        watcher.generation(&Generation {
            number,
            evaluations: self.evaluations,
            last,
            best_so_far: self.best_fitness.unwrap_or(f64::INFINITY),
            best_violation: self.best_violation,
            diversity: self.diversity,
            fitness: figures.fitness,
            violations: figures.violations,
            births: self.notes.births(),
            operators: self.notes.completed(),
            row: &|| self.row(number, figures),
            genes: &|| Genome::from_genes(population.first(rows)),
            best: &|| Genome::from_genes(self.best.genes::<G>()),
        });
        self.notes.forget_births();
    }

    /// Returns the number of generations completed after the initial population.
    fn generations(&self) -> u64 {
        self.generation.saturating_sub(1)
    }

    /// Returns whether the trial consists of several runs.
    pub(super) fn has_restarts(&self) -> bool {
        self.restarts.is_some()
    }

    /// Returns whether the rule for restarts ends the run.
    pub(super) fn is_run_over(&self) -> bool {
        let now = Point { generation: self.generations(), evaluations: self.evaluations };
        self.restarts.is_some_and(|rule| rule.end(&self.run, now))
    }

    /// Begins the next run, whose random numbers follow from a seed of its own.
    pub(super) fn begin_run(&mut self) {
        let now = Point { generation: self.generation, evaluations: self.evaluations };
        self.run = self.run.next(now);
        self.random = Random::seed_from_u64(self.seeds.of_run(self.run.number));
    }

    /// Returns [`Outcome::Solved`] if a success ends the trial.
    pub(super) fn solved(&self) -> Option<Outcome> {
        let ends = self.evaluations_to_success.is_some() && self.stop.on_success == OnSuccess::Stop;
        ends.then_some(Outcome::Solved)
    }

    /// Returns the limit that is reached; if there are several, the first in this order.
    pub(super) fn limit_reached(&self) -> Option<Outcome> {
        let reached = |limit: Option<u64>, value: u64| limit.is_some_and(|limit| value >= limit);
        let generations = self.generations();
        if reached(self.stop.generations, generations) {
            Some(Outcome::Generations)
        } else if reached(self.stop.evaluations, self.evaluations + (self.each - 1)) {
            Some(Outcome::Evaluations)
        } else if reached(self.stop.stagnation, generations.saturating_sub(self.improved)) {
            Some(Outcome::Stagnated)
        } else if self.stop.diversity.zip(self.diversity).is_some_and(|(end, now)| now <= end) {
            Some(Outcome::Converged)
        } else if self.is_late() {
            Some(Outcome::TimedOut)
        } else {
            None
        }
    }

    fn is_late(&self) -> bool {
        // Time that the trial's calls wait for others does not count as the trial's own.
        let waited = || call_limit::waited().saturating_sub(self.waited);
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline + waited())
    }

    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupt.is_raised()
    }

    /// Checks the deadline and the interrupt during a generation.
    ///
    /// # Errors
    /// If the deadline has passed, or the trial is interrupted.
    pub(super) fn check(&self) -> Result<(), Halt> {
        if self.is_interrupted() || self.is_late() { Err(Halt::Stopped) } else { Ok(()) }
    }

    /// Calls [`check`](Self::check) once per [`CHECK_INTERVAL`] evaluations of a generation.
    /// `evaluation` is the number of the evaluation in the generation, from 0.
    ///
    /// # Errors
    /// If the deadline has passed, or the trial is interrupted.
    pub(super) fn check_periodically(&self, evaluation: usize) -> Result<(), Halt> {
        if evaluation % CHECK_INTERVAL == CHECK_INTERVAL - 1 { self.check() } else { Ok(()) }
    }

    /// Calls [`check`](Self::check) if evaluations of a generation end an interval of
    /// [`check_periodically`](Self::check_periodically).
    ///
    /// # Errors
    /// If the deadline has passed, or the trial is interrupted.
    pub(super) fn check_within(&self, evaluations: Range<usize>) -> Result<(), Halt> {
        let intervals = |evaluations: usize| evaluations / CHECK_INTERVAL;
        let ends = intervals(evaluations.start) != intervals(evaluations.end);
        if ends { self.check() } else { Ok(()) }
    }

    /// Returns the result of the trial, which ended with this outcome or error.
    pub(super) fn into_result(self, end: Result<Outcome, CallError>) -> TrialResult {
        let constrained = self.problem.description().has_violations;
        let best = self.best_fitness.map(|_| Genome::from_genes(self.best.genes::<G>()));
        // A trial whose best genome cannot be described has no trustworthy result.
        let described = best.as_ref().map_or(Ok((None, None)), |best| self.describe(best));
        let error = end.as_ref().err().or(described.as_ref().err()).map(ToString::to_string);
        let evaluations_to_success = self.evaluations_to_success.filter(|_| error.is_none());
        let (valid, best_text) = described.unwrap_or_default();
        TrialResult {
            outcome: end.ok().filter(|_| error.is_none()).unwrap_or(Outcome::Failed),
            success: evaluations_to_success.is_some(),
            best_fitness: self.best_fitness,
            best_violation: self.best_fitness.filter(|_| constrained).map(|_| self.best_violation),
            best_error: self.best_error,
            generations: self.generations(),
            evaluations: self.evaluations,
            evaluations_saved: self.evaluator.known.as_ref().map(|known| known.saved),
            evaluations_to_success,
            evaluations_after_best: self.best_fitness.map(|_| self.evaluations - self.best_after),
            valid,
            best,
            best_text,
            error,
            traced_genes: self.trace.has_genomes().then(|| Genome::from_genes(&self.traced_genes)),
            trace: self.rows,
            operator_counts: self.notes.into_counts(),
            improvements: self.improvements,
        }
    }

    /// Returns whether the best genome satisfies the problem's rules, and its one-line rendering.
    /// Each is `None` if the plugin lacks the call.
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
