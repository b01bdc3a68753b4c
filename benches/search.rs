//! How many evaluations a second: whole trials through the loaded plugin, beside loops written by hand for one problem.
//!
//!     cargo bench --bench search
//!
//! Each workload runs by turns with its hand-written loop, five times each on one thread; the medians are printed, and their
//! ratio, which says more than either on a busy machine. First the loops are checked to search as the runner does: the mean
//! fitness of the last generations agrees within 5 standard deviations.

mod fused;
mod support;

use fused::Fused;
use runner::interrupt::Interrupt;
use runner::plan::Plan;
use runner::search::searcher;
use std::time::Instant;
use support::{is_brief, median, plan};

/// A workload: its config, and the loop by hand where there is one.
struct Workload {
    name: &'static str,
    config: String,
    fused: Option<Fused>,
    /// Trials a run.
    trials: u64,
}

fn queens(n: usize, population: usize, selection: &str, crossover: &str, generations: u64) -> String {
    let encoding = if crossover.contains("pmx") { "permutation" } else { "rows" };
    let mutation = if crossover.contains("pmx") { "swap" } else { "reset" };
    format!(
        "seed = 1\nrepeats = 100\n[problem]\nplugin = \"nqueens\"\nn = {n}\nencoding = \"{encoding}\"\n[[operators]]\n\
         name = \"ga\"\npopulation = {population}\n{selection}\ncrossover = {crossover}\n\
         mutation = {{ kind = \"{mutation}\", rate = 0.03 }}\n[stop]\ngenerations = {generations}\non-success = \"continue\"\n\
         [output]\ntrace = \"none\"\n"
    )
}

fn workloads() -> Vec<Workload> {
    let wheel = "scaling = \"complement\"\nselection = \"roulette\"";
    let three = "selection = { kind = \"tournament\", size = 3 }";
    let cut = "{ kind = \"one-point\", children = 1 }";
    let small = Fused { n: 8, population: 100, tournament: None, generations: 1000 };
    let middle = Fused { n: 64, population: 200, tournament: Some(3), generations: 500 };
    vec![
        Workload {
            name: "8 queens, roulette",
            config: queens(8, 100, wheel, cut, 1000),
            fused: Some(small),
            trials: 20,
        },
        Workload {
            name: "64 queens, tournament of 3",
            config: queens(64, 200, three, cut, 500),
            fused: Some(middle),
            trials: 5,
        },
        Workload {
            name: "64 queens, pmx",
            config: queens(64, 200, three, "{ kind = \"pmx\", children = 1 }", 500),
            fused: None,
            trials: 3,
        },
        Workload {
            name: "1,000 queens, tournament of 3",
            config: queens(1000, 200, three, cut, 50),
            fused: None,
            trials: 3,
        },
        Workload {
            name: "10,000 queens, tournament of 3",
            config: queens(10_000, 200, three, cut, 10),
            fused: None,
            trials: 1,
        },
    ]
}

/// Evaluations a second of some trials, and each trial's best fitness.
fn run(plan: &Plan, trials: std::ops::Range<u64>) -> f64 {
    let arm = &plan.arms[0];
    let mut search = searcher(&arm.problem, &arm.settings.operators, &arm.settings.stop, plan.trace);
    let (started, mut evaluations) = (Instant::now(), 0);
    for trial in trials {
        let record = search.run(arm.seeds(plan.seed, trial), &Interrupt::default()).expect("nobody interrupts");
        assert!(record.error.is_none(), "{:?}", record.error);
        evaluations += record.evaluations;
    }
    evaluations as f64 / started.elapsed().as_secs_f64()
}

/// The mean fitness of the last 50 generations of some trials, one number a trial.
fn settled(config: &str, trials: u64) -> Vec<f64> {
    let plan = plan(&config.replace("trace = \"none\"", "trace = \"best\""));
    let arm = &plan.arms[0];
    let mut search = searcher(&arm.problem, &arm.settings.operators, &arm.settings.stop, plan.trace);
    let mean = |trial| {
        let record = search.run(arm.seeds(plan.seed, trial), &Interrupt::default()).expect("nobody interrupts");
        record.trace.iter().rev().take(50).map(|row| row.mean).sum::<f64>() / 50.0
    };
    (0..trials).map(mean).collect()
}

fn moments(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    (mean, values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0) / count)
}

fn main() {
    let rounds = if is_brief() { 1 } else { 5 };
    println!("{:<32} {:>14} {:>14} {:>8}", "million evaluations a second", "runner", "by hand", "ratio");
    for Workload { name, config, fused, trials } in workloads() {
        if let Some(fused) = &fused {
            let ((ours, spread), (theirs, other)) = (moments(&settled(&config, 12)), moments(&fused.settled(12)));
            assert!(
                (ours - theirs).abs() < 5.0 * (spread + other).sqrt(),
                "{name}: the loop by hand settles at {theirs}, the runner at {ours}"
            );
        }
        let plan = plan(&config);
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for round in 0..rounds {
            ours.push(run(&plan, round * trials..(round + 1) * trials));
            theirs.extend(fused.as_ref().map(|fused| fused.rate(round * trials..(round + 1) * trials)));
        }
        let ours = median(ours);
        match theirs.is_empty() {
            true => println!("{name:<32} {:>14.2} {:>14} {:>8}", ours / 1e6, "–", "–"),
            false => {
                let theirs = median(theirs);
                println!("{name:<32} {:>14.2} {:>14.2} {:>8.2}", ours / 1e6, theirs / 1e6, ours / theirs);
            }
        }
    }
}
