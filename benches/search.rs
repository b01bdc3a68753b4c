//! Evaluations per second: whole trials through the loaded plugin, compared with hand-written loops
//! for one problem.
//!
//!     cargo bench --bench search
//!
//! Each workload alternates with its hand-written loops, five times each on one thread. The
//! benchmark prints the medians, and their ratios, which are more reliable on a busy machine. First
//! it checks that the loops search as the runner does: the values they settle at agree within 5
//! standard deviations.

#![expect(clippy::print_stdout, reason = "a benchmark prints what it measures")]

mod fused;
mod support;

use fused::limit::Limit;
use fused::paper::Paper;
use fused::{Make, Plain};
use runner::plan::Plan;
use runner::search::executor_for;
use runner::system::interrupt::Interrupt;
use std::time::Instant;
use support::{is_brief, median, plan};

/// A workload: its config, and the hand-written loops, if any.
struct Workload {
    name: &'static str,
    config: String,
    plain: Option<Make>,
    tuned: Option<Make>,
    generations: u64,
    /// Generations at the end that are compared, and trials to compare.
    compared: (u64, u64),
    /// Trials per run.
    trials: u64,
}

fn queens(
    n: usize,
    population: usize,
    selection: &str,
    crossover: &str,
    generations: u64,
) -> String {
    let encoding = if crossover.contains("pmx") { "permutation" } else { "rows" };
    let mutation = if crossover.contains("pmx") { "swap" } else { "reset" };
    format!(
        "seed = 1\nrepeats = 100\n[problem]\nplugin = \"nqueens\"\nn = {n}\nencoding = \
        \"{encoding}\"\n[[operators]]\nname = \"ga\"\npopulation = \
        {population}\n{selection}\ncrossover = {crossover}\nmutation = {{ kind = \"{mutation}\", \
        rate = 0.03 }}\n[stop]\ngenerations = {generations}\non-success = \
        \"continue\"\n[output]\ntrace = \"none\"\n"
    )
}

fn workloads() -> Vec<Workload> {
    let wheel = "scaling = \"complement\"\nselection = \"roulette\"";
    let three = "selection = { kind = \"tournament\", size = 3 }";
    let cut = "{ kind = \"one-point\", children = 1 }";
    let pmx = "{ kind = \"pmx\", children = 1 }";
    let workload = |name, config, generations, trials| Workload {
        name,
        config,
        plain: None,
        tuned: None,
        generations,
        compared: (50, 12),
        trials,
    };
    vec![
        Workload {
            plain: Some(|seed| {
                Plain { n: 8, population: 100, permutation: false, tournament: None }.search(seed)
            }),
            tuned: Some(|seed| Box::new(Limit::new(seed))),
            ..workload("8 queens, roulette", queens(8, 100, wheel, cut, 1000), 1000, 100)
        },
        Workload {
            plain: Some(|seed| {
                Plain { n: 64, population: 200, permutation: false, tournament: Some(3) }
                    .search(seed)
            }),
            ..workload("64 queens, tournament of 3", queens(64, 200, three, cut, 500), 500, 5)
        },
        Workload {
            plain: Some(|seed| {
                Plain { n: 64, population: 200, permutation: true, tournament: Some(3) }
                    .search(seed)
            }),
            ..workload("64 queens, pmx", queens(64, 200, three, pmx, 500), 500, 3)
        },
        workload("1,000 queens, tournament of 3", queens(1000, 200, three, cut, 50), 50, 3),
        workload("10,000 queens, tournament of 3", queens(10_000, 200, three, cut, 10), 10, 1),
        Workload {
            plain: Some(|seed| Box::new(Paper::new(seed))),
            // The best at the end.
            compared: (1, 4000),
            ..workload("Chess960, the paper's trial", PAPER.to_owned(), 50, 4000)
        },
        workload("OneMax of 100 bits, (1+1)", bits(ONE_PLUS_ONE), 0, 1000),
        workload("OneMax of 100 bits, RLS", bits("preset = \"rls\""), 0, 2000),
        workload("OneMax of 100 bits, fast GA", bits("preset = \"fast-ga\""), 0, 1000),
        workload("OneMax of 100 bits, UMDA", bits(UMDA), 0, 300),
        workload("sphere of 20 numbers, CMA-ES", sphere(20, CMA_ES, 2401), 0, 200),
        workload("sphere of 10 numbers, DE", sphere(10, DE, 6000), 0, 200),
        workload("8 queens, annealing", annealing("rows", "continue"), 0, 100),
        workload("8 queens, annealing to a solution", annealing("rows", "stop"), 0, 1000),
        workload("8 queens in a permutation, the same", annealing("permutation", "stop"), 0, 5000),
    ]
}

const ONE_PLUS_ONE: &str = "population = 1\nselection = \"uniform\"\nmutation = \
    \"bit-flip\"\nreplacement = \"plus\"";

const UMDA: &str = "algorithm = \"umda\"\npopulation = 200";
const CMA_ES: &str = "algorithm = \"cma-es\"";
const DE: &str = "algorithm = \"differential-evolution\"\npopulation = 50";

/// Searches on real numbers, each to the end of its evaluations.
fn sphere(n: usize, operators: &str, evaluations: usize) -> String {
    format!(
        "seed = 1\nrepeats = 10000\n[problem]\nplugin = \"continuous\"\nfunction = \
        \"sphere\"\nn = {n}\n[[operators]]\nname = \"one\"\n{operators}\n[stop]\n\
        evaluations = {evaluations}\non-success = \"continue\"\n[output]\ntrace = \"none\"\n"
    )
}

/// Searches of bit strings, each to the optimum.
fn bits(operators: &str) -> String {
    format!(
        "seed = 1\nrepeats = 10000\n[problem]\nplugin = \"onemax\"\nlength = 100\n\
        [[operators]]\nname = \"one\"\n{operators}\n[stop]\nevaluations = 1000000\n[output]\n\
        trace = \"none\"\n"
    )
}

/// Annealing from a temperature of 1 to 0.03.
fn annealing(encoding: &str, on_success: &str) -> String {
    format!(
        "seed = 1\nrepeats = 25000\n[problem]\nplugin = \"nqueens\"\nn = 8\nencoding = \
        \"{encoding}\"\n[[operators]]\nname = \"annealing\"\nalgorithm = {{ kind = \
        \"simulated-annealing\", temperature = 1.0, cooling = 0.98, moves = 56 }}\n[stop]\n\
        evaluations = 10000\non-success = \"{on_success}\"\n[output]\ntrace = \"none\"\n"
    )
}

/// The genetic algorithm of Baljicki and Milović, run to its last generation.
const PAPER: &str = r#"
seed = 1
repeats = 100
[problem]
plugin = "chess960"
invalid = "keep"
[[operators]]
preset = "chess960-paper"
[stop]
generations = 50
on-success = "continue"
[output]
trace = "none"
"#;

/// Seconds that some trials take, and their evaluations.
fn run(plan: &Plan, trials: std::ops::Range<u64>) -> (f64, u64) {
    let arm = &plan.arms[0];
    let mut executor = executor_for(
        &arm.problem,
        &arm.settings.operators,
        &arm.settings.stop,
        arm.settings.start.as_ref(),
        plan.trace,
    );
    let (started, mut evaluations) = (Instant::now(), 0);
    for trial in trials {
        let result = executor
            .run(arm.seeds(plan.seed, trial), &Interrupt::default())
            .expect("nobody interrupts");
        assert!(result.error.is_none(), "{:?}", result.error);
        evaluations += result.evaluations;
    }
    (started.elapsed().as_secs_f64(), evaluations)
}

/// What each of some trials settles at: the mean over its last generations, or the best.
fn settled(config: &str, last: u64, trials: u64) -> Vec<f64> {
    let plan = plan(&config.replace("trace = \"none\"", "trace = \"best\""));
    let arm = &plan.arms[0];
    let mut executor = executor_for(
        &arm.problem,
        &arm.settings.operators,
        &arm.settings.stop,
        arm.settings.start.as_ref(),
        plan.trace,
    );
    let mean = |trial| {
        let result = executor
            .run(arm.seeds(plan.seed, trial), &Interrupt::default())
            .expect("nobody interrupts");
        match last {
            1 => result.best_fitness.expect("a best"),
            _ => {
                result.trace.iter().rev().take(last as usize).map(|row| row.mean).sum::<f64>()
                    / last as f64
            }
        }
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
    println!(
        "{:<36} {:>10} {:>10} {:>8} {:>10} {:>8}",
        "million evaluations per second", "runner", "plain", "ratio", "tuned", "ratio"
    );
    for workload in workloads() {
        let Workload {
            name,
            config,
            plain,
            tuned,
            generations,
            compared: (last, compared),
            trials,
        } = workload;
        for make in [plain, tuned].into_iter().flatten() {
            let ours = moments(&settled(&config, last, compared));
            let theirs = moments(&fused::settled(make, generations, last, compared));
            assert!(
                (ours.0 - theirs.0).abs() < 5.0 * (ours.1 + theirs.1).sqrt(),
                "{name}: a loop by hand settles at {}, the runner at {}",
                theirs.0,
                ours.0
            );
        }
        let plan = plan(&config);
        let (mut ours, mut others) = (Vec::new(), [Vec::new(), Vec::new()]);
        for round in 0..rounds {
            let range = round * trials..(round + 1) * trials;
            let (seconds, evaluations) = run(&plan, range.clone());
            ours.push(evaluations as f64 / seconds / 1e6);
            for (times, make) in others.iter_mut().zip([plain, tuned]) {
                let seconds = make.map(|make| fused::seconds(make, generations, range.clone()));
                times.extend(seconds.map(|seconds| evaluations as f64 / seconds / 1e6));
            }
        }
        let ours = median(ours);
        let beside = |times: Vec<f64>| match times.is_empty() {
            true => format!("{:>10} {:>8}", "–", "–"),
            false => {
                let theirs = median(times);
                format!("{theirs:>10.2} {:>8.2}", ours / theirs)
            }
        };
        let [plain, tuned] = others.map(beside);
        println!("{name:<36} {ours:>10.2} {plain} {tuned}");
    }
}
