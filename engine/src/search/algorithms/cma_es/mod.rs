//! The covariance matrix adaptation evolution strategy. Children are drawn from a normal
//! distribution. The best of them move its mean, and their steps change its covariance.
//!
//! Hansen (2016), arXiv:1604.00772.
//!
//! The search works on genes that are scaled to their ranges. A child beyond a bound is reflected
//! there, so that the search sees a function without bounds.

mod distribution;
mod eigen;
mod entry;
mod rates;
mod restarts;
mod settings;
mod termination;

pub(super) use entry::CMA_ES;
pub use settings::{CmaEs, Covariance, Restarts};

use crate::operators::Order;
use crate::problem::Problem;
use crate::record::Outcome;
use crate::search::call_seed;
use crate::search::executor::Search;
use crate::search::halt::Halt;
use crate::search::population::{Population, population_of};
use crate::search::ranking::Use;
use crate::search::snapshot::Snapshot;
use crate::search::trial::Trial;
use distribution::Distribution;
use rates::Rates;
use restarts::{Run, Schedule};
use termination::Termination;

/// State of the search.
struct Adaptation<'arm> {
    problem: &'arm Problem,
    settings: &'arm CmaEs,
    schedule: Schedule,
    run: Run,
    rates: Rates,
    distribution: Distribution,
    termination: Termination,
    /// Start of a run.
    first: Population<f64>,
    children: Population<f64>,
    order: Order,
    /// Evaluations of the run.
    evaluations: u64,
    /// Whether the run has just begun, so that `first` is the population.
    is_first: bool,
    has_converged: bool,
}

impl<'arm> Adaptation<'arm> {
    fn new(problem: &'arm Problem, settings: &'arm CmaEs) -> Self {
        let CmaEs { lambda, covariance, active, .. } = *settings;
        let n = problem.description().genome_length;
        let schedule = Schedule::new(*settings);
        Adaptation {
            problem,
            settings,
            run: schedule.first(),
            schedule,
            rates: Rates::new(n, lambda, covariance, active),
            distribution: Distribution::new(vec![0.0; n], lambda, settings.sigma, covariance),
            termination: Termination::default(),
            first: population_of(problem, 1),
            children: population_of(problem, lambda),
            order: Order::default(),
            evaluations: 0,
            is_first: true,
            has_converged: false,
        }
    }

    /// Begins a run around the genome in `first`.
    fn begin(&mut self, run: Run) {
        self.fit(run.lambda);
        self.run = run;
        let bounds = &self.problem.description().bounds;
        let genes = self.first.row(0).iter().enumerate();
        let mean = genes.map(|(at, gene)| scaled(*gene, bounds.of(at))).collect();
        let covariance = self.settings.covariance;
        self.distribution = Distribution::new(mean, run.lambda, run.sigma, covariance);
        self.termination.restart();
        self.evaluations = 1;
        self.is_first = true;
        self.has_converged = false;
    }

    /// Fits rates and children to their number.
    fn fit(&mut self, lambda: usize) {
        let CmaEs { covariance, active, .. } = *self.settings;
        if lambda != self.children.rows() {
            self.rates = Rates::new(self.first.length(), lambda, covariance, active);
            self.children = population_of(self.problem, lambda);
        }
    }

    /// Draws the children.
    fn breed(&mut self, trial: &mut Trial<'_, f64>) {
        let Adaptation { problem, run, distribution, children, .. } = self;
        distribution.draw(run.lambda, &mut trial.random);
        let n = children.length();
        for row in 0..run.lambda {
            let steps = &distribution.steps[row * n..][..n];
            for (at, gene) in children.row_mut(row).iter_mut().enumerate() {
                let bounds = problem.description().bounds.of(at);
                *gene = within(distribution.mean[at] + distribution.sigma * steps[at], bounds);
            }
        }
    }
}

/// Returns a gene as a share of its range; 0 if the range has one number.
pub(super) fn scaled(gene: f64, (low, high): (f64, f64)) -> f64 {
    if high > low { (gene - low) / (high - low) } else { 0.0 }
}

/// Returns the gene of a scaled number. Numbers beyond 0 or 1 are reflected there.
pub(super) fn within(scaled: f64, (low, high): (f64, f64)) -> f64 {
    let inside = (0.0..=1.0).contains(&scaled);
    let reflected = if inside { scaled } else { 1.0 - (scaled.rem_euclid(2.0) - 1.0).abs() };
    (low + reflected * (high - low)).clamp(low, high)
}

impl Search for Adaptation<'_> {
    type Gene = f64;

    fn start(&mut self, trial: &mut Trial<'_, f64>) -> Result<(), Halt> {
        trial.begin(&mut self.first)?;
        self.schedule = Schedule::new(*self.settings);
        self.begin(self.schedule.first());
        Ok(())
    }

    fn generation(&mut self, trial: &mut Trial<'_, f64>) -> Result<(), Halt> {
        if self.has_converged {
            let run = self.schedule.next(self.evaluations, &mut trial.random);
            self.problem.sample(&call_seed(&mut trial.random), 0, self.first.genes_mut())?;
            trial.evaluate(&mut self.first)?;
            self.begin(run);
            return Ok(());
        }
        self.breed(trial);
        trial.evaluate(&mut self.children)?;
        self.evaluations += self.run.lambda as u64;
        self.is_first = false;
        let Adaptation { run, rates, distribution, termination, children, order, .. } = self;
        let scores = trial.ranking.scores(Use::Order, children);
        let order = order.least(scores.iter().copied(), run.lambda, 0, &mut trial.random);
        distribution.update(rates, order);
        let sorted = order.iter().map(|child| trial.ranking.key(children, *child as usize));
        self.has_converged = termination.has_ended(distribution, sorted, run);
        Ok(())
    }

    fn save_or_restore(&mut self, snapshot: &mut Snapshot<'_>) {
        self.schedule.save_or_restore(snapshot);
        snapshot.save_or_restore(&mut self.run);
        snapshot.save_or_restore(&mut self.distribution);
        self.termination.save_or_restore(snapshot);
        self.first.save_or_restore(snapshot);
        snapshot.save_or_restore(&mut self.evaluations);
        snapshot.save_or_restore(&mut self.is_first);
        snapshot.save_or_restore(&mut self.has_converged);
        self.fit(self.run.lambda);
    }

    fn population(&self) -> &Population<f64> {
        if self.is_first { &self.first } else { &self.children }
    }

    fn ended(&self) -> Option<Outcome> {
        let ends = self.has_converged && self.settings.restarts == Restarts::None;
        ends.then_some(Outcome::Stagnated)
    }
}
