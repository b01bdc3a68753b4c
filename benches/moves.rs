//! Local search by moves and by whole evaluations: the same trials through the loaded plugin, with
//! the evaluation of moves turned on and off.
//!
//!     cargo bench --bench moves
//!     cargo bench --bench moves -- annealing     # workloads with this in their name
//!
//! Both ways alternate, three times each on one thread; the benchmark prints the median time of an
//! evaluation, and the ratio. First it checks that both give the same trial.

#![expect(clippy::print_stdout, reason = "a benchmark prints what it measures")]

mod support;

use runner::plan::Plan;
use runner::problem::MoveUse;
use runner::record::TrialRecord;
use runner::search::executor_for;
use runner::system::interrupt::Interrupt;
use std::time::Instant;
use support::{is_brief, median, plan};

/// A workload: a problem, an operator set, and how much of it is run.
struct Workload {
    name: String,
    problem: String,
    operators: &'static str,
    trials: u64,
    /// Budgets of a trial that evaluates whole genomes, and of one that evaluates moves: a way that
    /// is much faster needs more to be timed.
    budgets: [u64; 2],
    on_success: &'static str,
}

const STEEPEST: &str = "algorithm = \"hill-climbing\"";
const FIRST: &str = "algorithm = { kind = \"hill-climbing\", step = \"first-improvement\" }";
const ANNEALING: &str = "algorithm = { kind = \"simulated-annealing\", temperature = 1.0, cooling \
    = 0.999, moves = 200 }\nmutation = \"reset\"";
const ONE_PLUS_ONE: &str = "population = 1\nselection = \"uniform\"\nmutation = \"bit-flip\"\n\
    replacement = \"plus\"";
const STEADY_BITS: &str = "population = 20\nselection = { kind = \"tournament\", size = 2 }\n\
    mutation = \"bit-flip\"\nreplacement = \"steady-state\"";
const STEADY_RESET: &str = "population = 100\nselection = { kind = \"tournament\", size = 2 }\n\
    mutation = \"reset\"\nreplacement = \"steady-state\"";
const STEADY_SWAP: &str = "population = 100\nselection = { kind = \"tournament\", size = 2 }\n\
    mutation = \"swap\"\nreplacement = \"steady-state\"";
const TEN_PLUS_TEN: &str = "population = 10\nselection = \"uniform\"\nmutation = \"reset\"\n\
    replacement = \"plus\"";
const TWO_OPT: &str = "algorithm = { kind = \"hill-climbing\", neighbors = \"reversal\" }";
const OR_OPT: &str = "algorithm = { kind = \"hill-climbing\", neighbors = \"insertion\" }";
const ANNEALED_TWO_OPT: &str = "algorithm = { kind = \"simulated-annealing\", temperature = \
    100000.0, cooling = 0.9, moves = 10000 }\nmutation = \"inversion\"";
const GENERATIONAL: &str = "population = 100\nselection = { kind = \"tournament\", size = 2 }\n\
    crossover = { kind = \"one-point\", rate = 0.1 }\nmutation = \"reset\"\nreplacement = { kind = \
    \"elitism\", count = 2 }";

fn workloads() -> Vec<Workload> {
    let queens = |n: u64, search: &str, operators, budgets| Workload {
        name: format!("{n} queens, {search}"),
        problem: format!("plugin = \"nqueens\"\nn = {n}"),
        operators,
        trials: 1,
        budgets,
        on_success: "continue",
    };
    let permutations = |n: u64, search: &str, operators, budgets| Workload {
        name: format!("{n} queens as a permutation, {search}"),
        problem: format!("plugin = \"nqueens\"\nencoding = \"permutation\"\nn = {n}"),
        ..queens(n, search, operators, budgets)
    };
    let tours = |n: u64, search: &str, operators, budgets| Workload {
        name: format!("tour of {n} cities, {search}"),
        problem: format!("plugin = \"tsp\"\nn = {n}"),
        ..queens(n, search, operators, budgets)
    };
    let bits_by = |problem: &str, n: u64, search: &str, operators, trials, budget| Workload {
        name: format!("{problem} of {n} bits, {search}"),
        problem: match problem {
            "OneMax" => format!("plugin = \"onemax\"\nlength = {n}"),
            _ => format!("plugin = \"pbo\"\nproblem = \"{}\"\nn = {n}", problem.to_lowercase()),
        },
        operators,
        trials,
        budgets: [budget; 2],
        on_success: "stop",
    };
    let bits =
        |problem, n, trials, budget| bits_by(problem, n, "(1+1)", ONE_PLUS_ONE, trials, budget);
    let steady = |problem, n, budget| bits_by(problem, n, "steady state", STEADY_BITS, 1, budget);
    vec![
        queens(100, "steepest climb", STEEPEST, [1_000_000, 10_000_000]),
        queens(200, "steepest climb", STEEPEST, [1_000_000, 10_000_000]),
        queens(1000, "steepest climb", STEEPEST, [1_000_000, 20_000_000]),
        queens(4000, "steepest climb", STEEPEST, [200_000, 20_000_000]),
        queens(200, "first improvement", FIRST, [1_000_000, 10_000_000]),
        queens(100, "annealing", ANNEALING, [1_000_000; 2]),
        queens(200, "annealing", ANNEALING, [1_000_000; 2]),
        queens(1000, "annealing", ANNEALING, [500_000; 2]),
        queens(10_000, "annealing", ANNEALING, [100_000; 2]),
        bits("OneMax", 100, 200, 1_000_000),
        bits("OneMax", 1000, 20, 1_000_000),
        bits("OneMax", 10_000, 1, 200_000),
        bits("leading-ones", 100, 20, 1_000_000),
        bits("leading-ones", 1000, 1, 200_000),
        bits("ising-ring", 100, 5, 20_000),
        bits("labs", 100, 1, 20_000),
        bits("mis", 1000, 1, 200_000),
        bits("nk-landscape", 1000, 1, 200_000),
        queens(200, "steady state", STEADY_RESET, [200_000; 2]),
        queens(1000, "steady state", STEADY_RESET, [200_000; 2]),
        permutations(1000, "steady state", STEADY_SWAP, [200_000; 2]),
        queens(1000, "(10+10)", TEN_PLUS_TEN, [200_000; 2]),
        queens(1000, "generational", GENERATIONAL, [200_000; 2]),
        steady("OneMax", 1000, 200_000),
        steady("labs", 1100, 4_000),
        tours(200, "2-opt climb", TWO_OPT, [500_000, 10_000_000]),
        tours(1000, "2-opt climb", TWO_OPT, [100_000, 10_000_000]),
        tours(1000, "or-opt climb", OR_OPT, [100_000, 10_000_000]),
        tours(1000, "annealing by 2-opt", ANNEALED_TWO_OPT, [100_000, 1_000_000]),
    ]
}

impl Workload {
    fn plan(&self, budget: u64) -> Plan {
        let Workload { problem, operators, on_success, .. } = self;
        plan(&format!(
            "seed = 1\nrepeats = 1000\n[problem]\n{problem}\n[[operators]]\nname = \
            \"a\"\n{operators}\n[stop]\nfitness = {}\nevaluations = {budget}\non-success = \
            \"{on_success}\"\n[output]\ntrace = \"none\"\n",
            // Of some the best is not known.
            if ["labs", "nk-"].iter().any(|name| problem.contains(name)) { "-1000" } else { "0" }
        ))
    }
}

/// Runs trials this way: the last one, and the nanoseconds that an evaluation took.
fn run(plan: &Plan, way: MoveUse, trials: std::ops::Range<u64>) -> (TrialRecord, f64) {
    let arm = &plan.arms[0];
    arm.problem.use_moves(way);
    let (operators, stop) = (&arm.settings.operators, &arm.settings.stop);
    let mut executor = executor_for(&arm.problem, operators, stop, None, plan.trace);
    let (started, mut evaluations, mut last) = (Instant::now(), 0, None);
    for trial in trials {
        let result = executor
            .run(arm.seeds(plan.seed, trial), &Interrupt::default())
            .expect("nobody interrupts");
        assert!(result.error.is_none(), "{:?}", result.error);
        evaluations += result.evaluations;
        last = Some(result);
    }
    let seconds = started.elapsed().as_secs_f64();
    (last.expect("at least one trial"), seconds * 1e9 / evaluations as f64)
}

fn main() {
    let rounds = if is_brief() { 1 } else { 3 };
    println!("{:<34} {:>10} {:>10} {:>8}", "ns per evaluation", "whole", "moves", "ratio");
    let asked: Vec<String> =
        std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let is_asked =
        |name: &str| asked.is_empty() || asked.iter().any(|word| name.contains(word.as_str()));
    for workload in workloads().into_iter().filter(|workload| is_asked(&workload.name)) {
        let budgets = workload.budgets.map(|budget| if is_brief() { budget / 100 } else { budget });
        let trials = if is_brief() { 1 } else { workload.trials };
        let same = workload.plan(budgets[0].min(100_000));
        let [off, on] = [MoveUse::Off, MoveUse::On].map(|way| run(&same, way, 0..1).0);
        assert!(off == on, "{}: moves lead to another trial", workload.name);
        let plans = budgets.map(|budget| workload.plan(budget));
        let mut times = [Vec::new(), Vec::new()];
        for round in 0..rounds {
            let range = round * trials..(round + 1) * trials;
            for (way, (plan, times)) in
                [MoveUse::Off, MoveUse::On].into_iter().zip(plans.iter().zip(&mut times))
            {
                times.push(run(plan, way, range.clone()).1);
            }
        }
        let [whole, moves] = times.map(median);
        println!("{:<34} {whole:>10.1} {moves:>10.1} {:>8.1}", workload.name, whole / moves);
    }
}
