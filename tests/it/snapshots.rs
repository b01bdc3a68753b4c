//! Snapshots: a trial whose evaluations are fast goes on from its state at the end of any
//! generation, and becomes the trial that nothing interrupted.

use crate::faults::{faulty, is_killed};
use crate::own_algorithms::document_climb;
use crate::python::python;
use crate::util::{Ran, Sandbox, plan_of, rows, tables, wait_for_lock};
use runner::operators::operator::Slot;
use runner::plan::{Arm, Plan};
use runner::record::TrialRecord;
use runner::search::{SnapshotFile, Trace, executor_for, registry};
use runner::system::interrupt::Interrupt;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

/// Problem, trace and operator sets of an experiment. A set is its algorithm and further keys.
type Experiment = (&'static str, Trace, &'static [(&'static str, &'static str)]);

const EXPERIMENTS: &[Experiment] = &[
    (
        "plugin = \"onemax\"\nlength = 12",
        Trace::GenomesOperators,
        &[
            (
                r#""evolutionary""#,
                r#"population = 6
selection = "tournament"
crossover = "one-point"
mutation = "bit-flip"
replacement = { kind = "elitism", count = 1 }"#,
            ),
            (
                r#""evolutionary""#,
                r#"population = 6
selection = "uniform"
mutation = { kind = "bit-flip", rate = { from = 1.0, to = 0.1, over = "evaluations" } }
replacement = "plus""#,
            ),
            (
                r#""evolutionary""#,
                r#"population = 6
selection = "tournament"
mutation = "self-adaptive-bit-flip"
duplicates = "avoid""#,
            ),
            (
                r#""evolutionary""#,
                r#"population = 6
selection = "tournament"
restarts = { stagnation = 5 }
crossover = "uniform"
mutation = "bit-flip"
duplicates = "reuse""#,
            ),
            (
                r#"{ kind = "islands", count = 2, every = 3 }"#,
                r#"population = 4
selection = "tournament"
crossover = "uniform"
mutation = "bit-flip""#,
            ),
            (
                r#""cellular""#,
                r#"population = 9
selection = "tournament"
crossover = "uniform"
mutation = "bit-flip""#,
            ),
            (
                r#""deterministic-crowding""#,
                r#"population = 7
crossover = "uniform"
mutation = "bit-flip""#,
            ),
        ],
    ),
    (
        "plugin = \"onemax\"\nlength = 12",
        Trace::Improvements,
        &[
            (r#""random-search""#, "population = 3"),
            (r#"{ kind = "hill-climbing", restarts = false }"#, "restarts = { every = 4 }"),
            (r#"{ kind = "hill-climbing", step = "first-improvement", restarts = true }"#, ""),
            (
                r#"{ kind = "simulated-annealing", cooling = 0.9, moves = 7 }"#,
                r#"mutation = "bit-flip""#,
            ),
            (r#""exhaustive""#, "population = 5"),
            (r#""one-plus-lambda-lambda""#, ""),
            (r#""greedy-hill-climbing""#, ""),
            (r#""umda""#, "population = 10"),
            (r#""pbil""#, "population = 10"),
            (r#""cga""#, ""),
            (r#"{ kind = "tabu-search", tenure = 3, random-tenure = 2 }"#, ""),
            (r#""iterated-local-search""#, ""),
            (r#""variable-neighborhood-search""#, ""),
            (
                r#"{ plugin = "breeding", operator = "climb", mutants = 3 }"#,
                "restarts = { every = 150 }",
            ),
        ],
    ),
    (
        "plugin = \"onemax\"\nlength = 40",
        Trace::None,
        &[
            (r#"{ kind = "self-adjusting-one-plus-lambda", lambda = 4 }"#, ""),
            (
                r#""evolutionary""#,
                r#"population = 1
selection = "uniform"
mutation = "bit-flip"
replacement = { kind = "plus", offspring = 1, ties = "children" }"#,
            ),
            (
                r#"{ kind = "simulated-annealing", cooling = 0.9, moves = 40 }"#,
                r#"mutation = "bit-flip""#,
            ),
        ],
    ),
    (
        "plugin = \"nqueens\"\nn = 16",
        Trace::Best,
        &[
            (r#""min-conflicts""#, ""),
            (r#"{ kind = "hill-climbing", step = "first-improvement", sideways = 9 }"#, ""),
            (r#"{ kind = "late-acceptance", history = 40, moves = 7 }"#, r#"mutation = "swap""#),
            (
                r#"{ kind = "threshold-accepting", threshold = 5.0, moves = 7 }"#,
                r#"mutation = "swap""#,
            ),
            (r#"{ kind = "simulated-annealing", moves = 7 }"#, r#"mutation = "inversion""#),
        ],
    ),
    (
        "plugin = \"nqueens\"\nn = 16\nencoding = \"permutation\"",
        Trace::Best,
        &[(r#"{ kind = "conflict-minimization", start = "random" }"#, "restarts = { every = 99 }")],
    ),
    (
        "plugin = \"continuous\"\nfunction = \"sphere\"\nn = 3",
        Trace::Best,
        &[
            (r#""differential-evolution""#, "population = 8"),
            (r#""jade""#, "population = 8"),
            (r#""shade""#, "population = 8"),
            (r#""l-shade""#, ""),
            (r#""particle-swarm""#, "population = 8"),
            (r#"{ kind = "cma-es", restarts = "bipop" }"#, ""),
            (r#"{ kind = "cma-es", covariance = "diagonal" }"#, ""),
            (r#"{ kind = "cma-es", covariance = "none" }"#, ""),
            (r#""one-plus-one-es""#, ""),
        ],
    ),
];

/// Evaluations of each trial.
const EVALUATIONS: u64 = 400;
/// Number of snapshots from which each trial goes on.
const TRIED: usize = 5;

/// File in memory, with all snapshots of a trial.
#[derive(Clone, Default)]
struct Memory {
    all: Rc<RefCell<Vec<Vec<u8>>>>,
    left: Option<Vec<u8>>,
}

impl SnapshotFile for Memory {
    fn snapshot(&mut self) -> Option<Vec<u8>> {
        self.left.take()
    }

    fn spent(&self) -> Duration {
        Duration::ZERO
    }

    fn is_due(&self) -> bool {
        true
    }

    fn is_worth_saving(&self) -> bool {
        true
    }

    fn write(&mut self, _: u64, snapshot: &[u8]) {
        self.all.borrow_mut().push(snapshot.to_vec());
    }

    fn evaluations(&self) -> u64 {
        1
    }
}

fn run((plan, arm, trace): (&Plan, &Arm, Trace), file: Option<Memory>) -> TrialRecord {
    let settings = &arm.settings;
    let (stop, start) = (&settings.stop, settings.start.as_ref());
    let mut executor = executor_for(&arm.problem, &settings.operators, stop, start, trace);
    if let Some(file) = file {
        executor.keep_snapshots(Box::new(file));
    }
    executor.run(arm.seeds(plan.seed, 0), &Interrupt::default()).expect("nobody interrupts")
}

fn goes_on(arm: (&Plan, &Arm, Trace), name: &str) {
    let plain = run(arm, None);
    let file = Memory::default();
    assert_eq!(run(arm, Some(file.clone())), plain, "{name}");
    let all = file.all.borrow().clone();
    assert!(all.len() > TRIED, "{name} has {} snapshots", all.len());
    for at in (1..=TRIED).map(|part| part * all.len() / TRIED - 1) {
        let file = Memory { left: Some(all[at].clone()), ..Memory::default() };
        assert_eq!(run(arm, Some(file)), plain, "{name} from {at} of {}", all.len());
    }
    // A snapshot that cannot be read counts for nothing.
    let cut = all[TRIED][..all[TRIED].len() - 1].to_vec();
    let file = Memory { left: Some(cut), ..Memory::default() };
    assert_eq!(run(arm, Some(file)), plain, "{name} from a part");
}

/// A run that is killed whenever it has written some more snapshots, each time before the last has
/// its name.
#[test]
fn killed_trials_go_on_to_the_same_bytes() {
    let config = r#"
repeats    = 1
checkpoint = 1e-9
[problem]
plugin = "onemax"
length = 50
[[operators]]
population = 100
selection  = "tournament"
crossover  = "uniform"
mutation   = "bit-flip"
[stop]
evaluations = 16_000
on-success  = "continue"
[output]
trace = "best"
"#;
    goes_on_when_killed(&[("a.toml", config)], [2, 4, 3]);
}

/// Search in Python, whose asks take longer than its evaluations, so that its state is written.
const OWN: &str = r#"
repeats    = 1
checkpoint = 1e-9
[problem]
plugin = "onemax"
length = 50
[[operators]]
algorithm = { plugin = "climb.py", mutants = 5 }
restarts  = { every = 300 }
[stop]
evaluations = 1_000
on-success  = "continue"
[output]
trace = "best"
"#;

#[test]
fn a_killed_algorithm_in_python_goes_on_from_its_state() {
    if python("sys").is_none() {
        return;
    }
    // An evaluation that a busy machine holds up is soon outweighed by asks that sleep.
    let algorithm = document_climb()
        .replace("import pickle\n", "import pickle\nimport time\n")
        .replace("length = self.domain.length", "length = self.domain.length; time.sleep(0.003)")
        .replace(
            "self.best = pickle.loads(state)",
            "self.best = pickle.loads(state); open('restored', 'a').write('x')",
        );
    let files = [("a.toml", OWN), ("climb.py", &algorithm)];
    let killed = goes_on_when_killed(&files, [7, 12, 9]);
    // Twice before another kill, and once before the end.
    assert_eq!(killed.read("restored"), b"xxx");
}

#[test]
fn a_state_that_fails_costs_no_trial() {
    if python("sys").is_none() {
        return;
    }
    let run = |algorithm: &str| {
        let sandbox = sandbox_with(&[("a.toml", OWN), ("climb.py", algorithm)]);
        let ran = sandbox.run(&["a.toml", "--progress", "none"]).code(0);
        (ran, rows(&sandbox, &["results/a", "--trials"]))
    };
    let climb = document_climb();
    let (_, whole) = run(&climb);
    let fails = climb.replace("pickle.dumps(self.best)", "pickle.dumps(lambda: 0)");
    let (ran, found) = run(&fails);
    ran.warns("Can't pickle").warns("the trial runs on without snapshots");
    assert_eq!(found, whole);
}

fn sandbox_with(files: &[(&str, &str)]) -> Sandbox {
    let sandbox = Sandbox::new();
    for (name, text) in files {
        sandbox.write(name, text);
    }
    sandbox
}

/// Kills the run of `a.toml` at these renames of a snapshot, then lets it end. Returns its folder.
fn goes_on_when_killed(files: &[(&str, &str)], kills: [u64; 3]) -> Sandbox {
    let whole = sandbox_with(files);
    let arguments = ["a.toml", "--progress", "none", "--jobs", "1"];
    whole.run(&arguments).code(0);
    let killed = sandbox_with(files);
    let mut goes_on = 0;
    for kill in kills {
        let mut command = faulty(&killed, "checkpoint-", "rename", kill, "kill");
        let ran = Ran::new(command.args(arguments));
        assert!(is_killed(&ran), "{}", ran.stderr);
        goes_on += usize::from(ran.stderr.contains("evaluations are not made again"));
        wait_for_lock(&killed.path("results/a"));
    }
    let ran = killed.run(&arguments).code(0);
    assert!(ran.stderr.contains("goes on where it was"), "{}", ran.stderr);
    assert_eq!(goes_on, 2, "all runs but the first go on");
    assert!(tables(&killed, "results/a") == tables(&whole, "results/a"));
    killed
}

#[test]
fn each_algorithm_goes_on_from_any_generation() {
    for (problem, trace, all) in EXPERIMENTS {
        let sets: Vec<String> = (all.iter().enumerate())
            .map(|(number, (algorithm, keys))| {
                format!("[[operators]]\nname = \"{number}\"\nalgorithm = {algorithm}\n{keys}\n")
            })
            .collect();
        let text = format!(
            "repeats = 1\n[problem]\n{problem}\n{}[stop]\nevaluations = {EVALUATIONS}\n\
            on-success = \"continue\"\n",
            sets.concat()
        );
        let plan = &plan_of(&text);
        for (arm, (algorithm, keys)) in plan.arms.iter().zip(*all) {
            goes_on((plan, arm, *trace), &format!("{algorithm} {keys}"));
        }
    }
    for entry in registry::operators(Slot::Algorithm) {
        let name = format!("\"{}\"", entry.name);
        let mut sets = EXPERIMENTS.iter().flat_map(|(_, _, sets)| *sets);
        assert!(
            sets.any(|(algorithm, _)| algorithm.contains(&name)),
            "{name} is not tried: add it to EXPERIMENTS"
        );
    }
}
