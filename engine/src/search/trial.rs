//! State of a trial: counts evaluations, keeps the best genome and the trace, and checks the
//! limits.

use super::arm::Arm;
use super::best::Best;
use super::call_seed;
use super::children::ChildNotes;
use super::clock::Clock;
use super::diversity::diversity;
use super::duplicates::Duplicates;
use super::evaluator::Evaluator;
use super::halt::Halt;
use super::logged::SharedLog;
use super::population::{Figures, Population};
use super::ranking::Ranking;
use super::recorder::{self, Recorder};
use super::restarts::{Point, Restarts, Run};
use super::seeds::Seeds;
use super::snapshot::Snapshot;
use super::start::Start;
use super::stop::{OnSuccess, Stop};
use super::variation::Lineage;
use super::watcher::{Generation, Watcher};
use crate::operators::Unit;
use crate::problem::moves::Moves;
use crate::problem::{CallError, Format, Gene, Genome, Problem};
use crate::random::draws::Random;
use crate::record::{Outcome, Timing, TrialRecord};
use crate::system::call_limit::{self, Loss};
use crate::system::guard::{self, Reached, ReachedBest};
use crate::system::interrupt::Interrupt;
use std::mem::take;
use std::time::Duration;

/// A running trial.
pub(super) struct Trial<'trial, G> {
    problem: &'trial Problem,
    stop: &'trial Stop,
    pub clock: Clock<'trial>,
    /// Number of evaluations at which to check whether a snapshot is due.
    pub look_at: u64,
    /// Whether a watcher observes the trial.
    pub is_watched: bool,
    /// Whether children that equal an earlier genome are drawn again.
    pub avoids: bool,
    evaluator: &'trial mut Evaluator<G>,
    /// Number of evaluations per genome.
    each: u64,
    /// Whether survivors are evaluated anew.
    reevaluates: bool,
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
    best: Best<G>,
    /// Diversity of the last completed generation; `None` if no stop rule asks for it.
    diversity: Option<f64>,
    /// Notes on the children of generations.
    pub notes: ChildNotes<G>,
    recorder: Recorder<G>,
}

impl<'trial, G: Gene> Trial<'trial, G> {
    pub(super) fn new(
        arm: Arm<'trial>,
        evaluator: &'trial mut Evaluator<G>,
        seeds: Seeds,
        interrupt: &'trial Interrupt,
        spent: Duration,
    ) -> Self {
        let Arm { problem, constraints, stop, start, restarts, resampling, duplicates, .. } = arm;
        if let Some(noisy) = &mut evaluator.noisy {
            noisy.seed = seeds.of_noise();
        }
        if let Some(known) = &mut evaluator.known {
            known.forget();
        }
        let description = problem.description();
        let limit = stop.time_limit().map(|limit| limit.saturating_sub(spent));
        Trial {
            problem,
            stop,
            clock: Clock::start(interrupt, limit),
            look_at: u64::MAX,
            is_watched: false,
            avoids: duplicates == Duplicates::Avoid,
            evaluator,
            each: resampling.evaluations as u64,
            reevaluates: resampling.reevaluates,
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
            best: Best::new(description.genome_length),
            diversity: None,
            notes: ChildNotes::new(arm.counts_children),
            recorder: Recorder::new(arm.trace),
        }
    }

    /// Writes or reads all that the rest of the trial depends on, except the state of its search.
    pub(super) fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        let place = (self.random.mark(), self.random.drawn());
        if let Some((mark, drawn)) = snapshot.write_or_read(&place) {
            self.random = Random::at(&mark, drawn);
        }
        self.evaluator.save_or_restore(snapshot);
        snapshot.save_or_restore(&mut self.run);
        snapshot.save_or_restore(&mut self.generation);
        snapshot.save_or_restore(&mut self.evaluations);
        snapshot.save_or_restore(&mut self.evaluations_to_success);
        self.best.save_or_restore(snapshot);
        snapshot.save_or_restore(&mut self.diversity);
        self.notes.save_or_restore(snapshot);
        self.recorder.save_or_restore(snapshot);
    }

    /// Returns the number of evaluations so far.
    pub(super) fn evaluations(&self) -> u64 {
        self.evaluations
    }

    /// Returns whether it is time to check whether a snapshot is due.
    #[inline]
    pub(super) fn is_look_due(&self) -> bool {
        self.evaluations >= self.look_at
    }

    /// Returns the number of evaluations until the next check whether a snapshot is due.
    #[inline]
    pub(super) fn unlooked(&self) -> usize {
        usize::try_from(self.look_at.saturating_sub(self.evaluations)).unwrap_or(usize::MAX)
    }

    /// Checks at the end of this generation whether a snapshot is due, however few its evaluations.
    pub(super) fn look_soon(&mut self) {
        if self.look_at != u64::MAX {
            self.look_at = 0;
        }
    }

    /// Gives up the log of its evaluations.
    pub(super) fn give_up_log(&mut self) {
        self.evaluator.end_log();
    }

    /// Returns the log of its evaluations; `None` if none is kept.
    pub(super) fn log(&self) -> Option<SharedLog> {
        self.evaluator.log()
    }

    /// Creates and evaluates the initial population: first the given genomes, then random ones.
    /// Genomes are given, and paired, only in the first run.
    pub(super) fn begin(&mut self, population: &mut Population<G>) -> Result<(), Halt> {
        self.begin_by(population, Problem::sample)
    }

    /// Creates and evaluates the initial population like [`begin`](Self::begin). `draw` fills rows
    /// from a seed and the number of the first row.
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
    pub(super) fn evaluate(&mut self, population: &mut Population<G>) -> Result<(), Halt> {
        let rows = population.rows();
        self.evaluate_rows(population, rows)
    }

    /// Evaluates the first `rows` rows like [`evaluate`](Self::evaluate).
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
        if self.recorder.has_rows() || is_watched || self.has_restarts() {
            return 0;
        }
        let Stop { generations, evaluations, stagnation, .. } = *self.stop;
        let since = self.generations().saturating_sub(self.best.found.generation);
        let left = |limit: Option<u64>, spent| limit.unwrap_or(u64::MAX).saturating_sub(spent + 1);
        let left = left(generations, self.generations())
            .min(left(evaluations, self.evaluations))
            .min(left(stagnation, since));
        usize::try_from(left).unwrap_or(usize::MAX)
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
        if self.recorder.has_improvements() {
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
        if self.recorder.has_improvements() {
            self.record_improvements(judged, &copy);
        }
        let best = judged.best();
        if let Some(row) = judged.keys().position(|key| key == best)
            && self.update_trial(judged, (row, best), copy)
        {
            self.best.error = errors.get(row).copied();
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
        self.run.improved = self.point_of(row);
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
        if self.best.key.is_some_and(|best| found >= best) {
            return false;
        }
        self.best.replace(found, self.point_of(row), |genome| copy(row, genome));
        if self.evaluations_to_success.is_none() {
            let first = figures
                .keys()
                .position(|(violation, fitness)| violation == 0.0 && fitness <= self.target);
            self.evaluations_to_success = first.map(|row| self.point_of(row).evaluations);
        }
        true
    }

    /// Returns the current generation, and the trial's evaluations up to and including those of a
    /// row that is not counted yet.
    #[inline]
    fn point_of(&self, row: usize) -> Point {
        self.now().after(row as u64 + 1, self.each)
    }

    #[cold]
    fn record_improvements(&mut self, figures: Figures<'_>, copy: &impl Fn(usize, &mut [G])) {
        let (now, each) = (self.now(), self.each);
        let found = |row| now.after(row as u64 + 1, each);
        self.recorder.improve(&self.best, figures, found, copy);
    }

    /// Completes the generation, which is in the first `rows` rows of a population.
    pub(super) fn close_generation(&mut self, population: &Population<G>, rows: usize) {
        let has_rows = self.recorder.has_rows();
        if has_rows {
            let of_all = recorder::row(self.now(), population.figures(rows), &self.best);
            self.recorder.add(population, rows, of_all);
        }
        if has_rows || self.is_watched {
            self.notes.close_generation(has_rows);
        }
        if self.stop.diversity.is_some() {
            self.diversity =
                diversity(population.first(rows), population.length(), population.metric());
        }
        self.generation += 1;
    }

    /// Notes the figures of the completed generation where they remain if a plugin's call does not
    /// return, and the process is ended for that.
    #[cold]
    pub(super) fn note_reached(&self) {
        guard::reach(&Reached {
            generations: self.generations(),
            evaluations: self.evaluations,
            evaluations_to_success: self.evaluations_to_success,
            best: self.best.key.map(|(violation, fitness)| ReachedBest {
                fitness,
                violation,
                evaluations: self.best.found.evaluations,
            }),
        });
    }

    /// Returns the current generation and the evaluations so far.
    #[inline]
    fn now(&self) -> Point {
        Point { generation: self.generation, evaluations: self.evaluations }
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
        let figures = population.figures(rows);
        let shown = Point { generation: self.generation - 1, ..self.now() };
        watcher.generation(&Generation {
            number: shown.generation,
            evaluations: shown.evaluations,
            last,
            best_so_far: self.best.fitness().unwrap_or(f64::INFINITY),
            best_violation: self.best.violation(),
            diversity: self.diversity,
            fitness: figures.fitness,
            violations: figures.violations,
            births: &|| self.notes.births(),
            operators: self.notes.completed(),
            row: &|| recorder::row(shown, figures, &self.best),
            genes: &|| Genome::from_genes(population.first(rows)),
            best: &|| self.best.genome(),
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
        let now = Point { generation: self.generations(), ..self.now() };
        self.restarts.is_some_and(|rule| rule.end(&self.run, now))
    }

    /// Begins the next run, whose random numbers follow from a seed of its own.
    pub(super) fn begin_run(&mut self) {
        self.run = self.run.next(self.now());
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
        } else if reached(
            self.stop.stagnation,
            generations.saturating_sub(self.best.found.generation),
        ) {
            Some(Outcome::Stagnated)
        } else if self.stop.diversity.zip(self.diversity).is_some_and(|(end, now)| now <= end) {
            Some(Outcome::Converged)
        } else if self.clock.is_late() {
            Some(Outcome::TimedOut)
        } else {
            None
        }
    }

    /// Returns the result of the trial, which ended with this outcome or error.
    pub(super) fn into_result(self, end: Result<Outcome, CallError>) -> TrialRecord {
        let constrained = self.problem.description().has_violations;
        let best = self.best.key.map(|_| self.best.genome());
        // A trial whose best genome cannot be described has no trustworthy result.
        let described = best.as_ref().map_or(Ok((None, None)), |best| self.describe(best));
        let error = end.as_ref().err().or(described.as_ref().err()).map(ToString::to_string);
        // A call that did not come back in time ends the trial as the clock would.
        let is_late = error.is_some() && call_limit::loss() == Some(Loss::Late);
        let is_sound = error.is_none() || is_late;
        let evaluations_to_success = self.evaluations_to_success.filter(|_| is_sound);
        let (valid, best_text) = described.unwrap_or_default();
        let generations = self.generations();
        let recorded = self.recorder.into_recorded();
        TrialRecord {
            arm: 0,
            trial: 0,
            seed: 0,
            timing: Timing::default(),
            outcome: match end {
                _ if is_late => Outcome::TimedOut,
                Ok(outcome) if is_sound => outcome,
                _ => Outcome::Failed,
            },
            success: evaluations_to_success.is_some(),
            best_fitness: self.best.fitness(),
            best_violation: self.best.key.filter(|_| constrained).map(|(violation, _)| violation),
            best_error: self.best.error,
            generations,
            evaluations: self.evaluations,
            evaluations_saved: self.evaluator.known.as_ref().map(|known| known.saved),
            evaluations_to_success,
            evaluations_after_best: self
                .best
                .key
                .map(|_| self.evaluations - self.best.found.evaluations),
            valid,
            best,
            best_text,
            error,
            traced_genes: recorded.genes,
            trace: recorded.trace,
            operator_counts: self.notes.into_counts(),
            improvements: recorded.improvements,
        }
    }

    /// Returns whether the best genome satisfies the problem's rules, and its one-line rendering.
    /// Each is `None` if the plugin lacks the call.
    fn describe(&self, best: &Genome) -> Result<(Option<bool>, Option<String>), CallError> {
        let mut valid = None;
        if self.problem.description().has_is_valid {
            let mut answer = [0];
            self.problem.is_valid(self.best.genes(), &mut answer)?;
            valid = Some(answer[0] != 0);
        }
        Ok((valid, self.problem.render(best, Format::Line)?))
    }
}
