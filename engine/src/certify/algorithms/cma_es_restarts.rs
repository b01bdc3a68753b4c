//! Checks of the restarts of the covariance matrix adaptation evolution strategy: the runs of whole
//! trials, against the schedules of IPOP (Auger and Hansen 2005, doi:10.1109/CEC.2005.1554902) and
//! of BIPOP (Hansen 2009, doi:10.1145/1570256.1570333).

use super::{STOP, trials_until};
use crate::certify::statistic::{Finding, outcomes};
use crate::certify::textbook::Chances;
use crate::certify::{Check, CheckContext, check};
use crate::operators::operator::Slot;
use crate::problem::{Genome, fixtures};
use crate::record::TrialRecord;
use crate::search::Stop;
use crate::search::algorithms::{CmaEs, Covariance, Restarts};
use statrs::distribution::{ContinuousCDF, Normal};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Number of trials.
const TRIALS: u32 = 1_000;
/// Number of trials that go on until the number of children grows no more.
const LONG_TRIALS: u32 = 3;
/// Number of children of the first run.
const LAMBDA: usize = 4;
/// Settings of IPOP. The range of the only gene is 200.
const IPOP: CmaEs = CmaEs {
    lambda: LAMBDA,
    sigma: 0.01,
    covariance: Covariance::Full,
    active: true,
    restarts: Restarts::Ipop,
};
const BIPOP: CmaEs = CmaEs { restarts: Restarts::Bipop, ..IPOP };
/// Greatest number of times that the children are doubled.
const MOST_DOUBLINGS: usize = 9;
/// Ends of the classes of steps, in units of the initial step size.
const CLASSES: [f64; 5] = [0.01, 0.03, 0.1, 0.3, 1.0];

pub(super) fn checks() -> Vec<Check> {
    let slot = Slot::Algorithm;
    vec![
        check(slot, "cma-es", "runs of IPOP double the children, 9 times at most", doublings),
        check(slot, "cma-es", "runs of IPOP begin anywhere with the initial step size", second_run),
        check(slot, "cma-es", "runs of BIPOP alternate by their evaluations", alternation),
        check(
            slot,
            "cma-es",
            "the first run with few children of a fourfold one is drawn as in Hansen (2009)",
            small_run,
        ),
    ]
}

/// Run of a trial.
struct Run {
    lambda: usize,
    /// Generations of children.
    generations: u64,
    /// Gene that the run begins with.
    first: f64,
    /// Gene of the first child.
    child: f64,
}

impl Run {
    fn evaluations(&self) -> u64 {
        1 + self.generations * self.lambda as u64
    }

    /// Returns the length of the first step, in units of the initial step size.
    fn step(&self) -> f64 {
        (self.child - self.first) / (200.0 * IPOP.sigma)
    }

    /// Returns whether the run begins so far from the bounds that no first step is reflected there.
    fn is_inside(&self) -> bool {
        self.first.abs() < 90.0
    }
}

/// Returns the runs of a trial that have children. Each begins with a generation of one genome.
fn runs(trial: &TrialRecord) -> Vec<Run> {
    let Some(Genome::F64(genes)) = &trial.traced_genes else { return Vec::new() };
    let rows: Vec<(u64, f64)> =
        trial.trace.iter().zip(genes).map(|(row, gene)| (row.generation, *gene)).collect();
    let (mut runs, mut first): (Vec<Run>, _) = (Vec::new(), None);
    for generation in rows.chunk_by(|one, other| one.0 == other.0) {
        let (lambda, gene) = (generation.len(), generation[0].1);
        match (lambda, first.take(), runs.last_mut()) {
            (1, ..) => first = Some(gene),
            (_, Some(first), _) => runs.push(Run { lambda, generations: 1, first, child: gene }),
            (_, None, Some(run)) => run.generations += 1,
            _ => {}
        }
    }
    runs
}

/// Runs trials of one gene, and visits the runs of each.
fn visit(
    context: &mut CheckContext<'_>,
    settings: CmaEs,
    (trials, stop): (u32, Stop),
    mut visit: impl FnMut(&[Run]),
) {
    let algorithm = context.subject.algorithm(Arc::new(settings));
    let (problem, start) = (fixtures::reals(1), [vec![30.0]]);
    let random = &mut context.random;
    trials_until(&stop, trials, &problem, &algorithm, &start, random, |trial| visit(&runs(&trial)));
}

/// Compares the children of all runs with powers of 2, until several have the greatest number.
fn doublings(context: &mut CheckContext<'_>) -> Finding {
    let (mut cases, mut breaches, mut greatest) = (0, 0, 0);
    let stop = Stop { evaluations: Some(500_000), ..STOP };
    visit(context, IPOP, (LONG_TRIALS, stop), |runs| {
        for (number, run) in runs.iter().enumerate() {
            cases += 1;
            breaches += u64::from(run.lambda != LAMBDA << number.min(MOST_DOUBLINGS));
            greatest += u64::from(number > MOST_DOUBLINGS);
        }
    });
    Finding::promise(cases, breaches).and(greatest > 0, "no run after the last doubling")
}

/// Counts the classes of the second run's first gene, and of its first step.
fn second_run(context: &mut CheckContext<'_>) -> Finding {
    const STEPS: u8 = 5;
    let normal = Normal::standard();
    let mut counts = BTreeMap::new();
    let stop = Stop { generations: Some(120), ..STOP };
    visit(context, IPOP, (TRIALS, stop), |runs| {
        let Some(run) = runs.get(1) else { return };
        let place = ((run.first + 100.0) / 10.0) as u8;
        let class = (normal.cdf(run.step()) * f64::from(STEPS)) as u8;
        let outcome = if run.is_inside() { vec![place, class] } else { vec![place] };
        *counts.entry(outcome).or_insert(0.0) += 1.0;
    });
    let mut chances = Chances::from([(vec![0], 0.05), (vec![19], 0.05)]);
    for place in 1..19 {
        chances.extend((0..STEPS).map(|class| (vec![place, class], 0.05 / f64::from(STEPS))));
    }
    let all: f64 = counts.values().sum();
    outcomes(&counts, &chances).and(all > 0.5 * f64::from(TRIALS), "few trials have a second run")
}

/// Compares the kinds of all runs with the rule: few children while such runs have taken fewer
/// evaluations than those with many. A run with few takes at most half as many as those with many,
/// and the rest of its last generation.
fn alternation(context: &mut CheckContext<'_>) -> Finding {
    let (mut cases, mut breaches, mut ended_by_limit) = (0, 0, 0);
    let stop = Stop { evaluations: Some(12_000), ..STOP };
    visit(context, BIPOP, (TRIALS / 20, stop), |runs| {
        let (mut of_few, mut of_many, mut doublings) = (0, 0u64, 0);
        for run in runs.iter().skip(1) {
            cases += 1;
            if doublings > 0 && of_few < of_many {
                let most = (of_many / 2).div_ceil(run.lambda as u64);
                let range = LAMBDA..=LAMBDA << doublings >> 1;
                breaches += u64::from(!range.contains(&run.lambda) || run.generations > most);
                ended_by_limit += u64::from(run.generations == most);
                of_few += run.evaluations();
            } else {
                doublings += 1;
                breaches += u64::from(run.lambda != LAMBDA << doublings);
                of_many += run.evaluations();
            }
        }
    });
    Finding::promise(cases, breaches)
        .and(ended_by_limit > 0, "no run ends by its limit")
        .noting(&format!("{ended_by_limit} runs end by their limit"))
}

/// Counts the children and the class of the first step of a run with few children, after one with
/// four times those of the settings.
fn small_run(context: &mut CheckContext<'_>) -> Finding {
    let class = |step: f64| CLASSES.iter().filter(|end| step.abs() >= **end).count() as u8;
    let mut counts = BTreeMap::new();
    let stop = Stop { generations: Some(320), ..STOP };
    visit(context, BIPOP, (TRIALS, stop), |runs| {
        // Runs with few children may have taken more even so; then the children double again.
        let mut after = runs.iter().skip_while(|run| run.lambda != 4 * LAMBDA).skip(1);
        let is_counted = |run: &&Run| run.lambda != 8 * LAMBDA && run.is_inside();
        let Some(run) = after.next().filter(is_counted) else { return };
        *counts.entry(vec![run.lambda as u8, class(run.step())]).or_insert(0.0) += 1.0;
    });
    // The children are LAMBDA times 2^(U^2), and the step size is the initial one times 10^(-2 V).
    let below = |lambda: usize| (lambda as f64 / LAMBDA as f64).log2().sqrt();
    let normal = Normal::standard();
    let shorter = |end: f64| {
        let part = |place: u32| {
            let sigma = 10f64.powf(-2.0 * (f64::from(place) + 0.5) / 1_000.0);
            2.0 * normal.cdf(end / sigma) - 1.0
        };
        (0..1_000).map(part).sum::<f64>() / 1_000.0
    };
    let mut chances = Chances::new();
    for lambda in LAMBDA..2 * LAMBDA {
        let mut before = 0.0;
        for class in 0..=CLASSES.len() {
            let upto = CLASSES.get(class).map_or(1.0, |end| shorter(*end));
            let chance = (below(lambda + 1) - below(lambda)) * (upto - before);
            chances.insert(vec![lambda as u8, class as u8], chance);
            before = upto;
        }
    }
    let all: f64 = counts.values().sum();
    outcomes(&counts, &chances).and(all > 0.5 * f64::from(TRIALS), "few trials have such a run")
}
