//! Trials that go on after their run was killed: the same bytes, and no evaluation made twice.

use crate::docs::blocks;
use crate::python::python;
use crate::util::{Ran, Sandbox, document, plan_of, sized, tables, wait_for_lock};
use runner::plan::{ArmId, Plan};
use runner::results::CheckpointFolder;
use runner::run::TrialRunner;
use runner::system::interrupt::Interrupt;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// A problem in Python that writes its calls down: a byte per evaluation. It kills the run, with
/// all of its processes, at the calls whose numbers are in a file.
const PROBLEM: &str = r#"
import os
import signal
from runner import Bits, Integer, Reals

BASE = os.path.dirname(os.path.abspath(__file__))


def count():
    with open(os.path.join(BASE, "calls"), "ab") as file:
        file.write(b".")
        file.flush()
        number = file.tell()
    try:
        with open(os.path.join(BASE, "kills")) as file:
            kills = set(map(int, file.read().split()))
    except FileNotFoundError:
        return
    if number in kills:
        with open(os.path.join(BASE, "group")) as file:
            os.killpg(int(file.read()), signal.SIGKILL)
        signal.pause()


class Problem:
    parameters = {"n": Integer(12, low=1, high=1000, doc="Genes.")}

    def __init__(self, n):
        self.n = n

    def describe(self):
        return DESCRIBED

FITNESS
"#;

/// A kind of genome with its fitness, and the operator sets that are tried on it.
struct Kind {
    name: &'static str,
    described: &'static str,
    fitness: &'static str,
    sets: &'static [&'static str],
}

/// Fitness that counts ones.
const ONES: &str = "    def fitness(self, genome):
        count()
        return self.n - sum(genome)
";
const BITS: &str = "Bits(self.n, worst=self.n)";
const CROSSING: &str = "population = 6\nselection = \"tournament\"\ncrossover = \
    \"one-point\"\nmutation = \"bit-flip\"";

const KINDS: [Kind; 4] = [
    Kind {
        name: "bits",
        described: BITS,
        fitness: ONES,
        sets: &[
            CROSSING,
            "algorithm = \"hill-climbing\"",
            "algorithm = { plugin = \"own.py\" }\nrestarts = { stagnation = 3 }",
        ],
    },
    Kind {
        name: "reals",
        described: "Reals(self.n, low=-5.0, high=5.0)",
        fitness: "    def fitness(self, genome):
        count()
        return sum(gene * gene for gene in genome)
",
        sets: &["algorithm = \"cma-es\"", "algorithm = \"differential-evolution\"\npopulation = 8"],
    },
    Kind {
        name: "noisy",
        described: BITS,
        fitness: "    def fitness(self, genome, rng):
        count()
        return self.n - sum(genome) + rng.random()
",
        sets: &["population = 4\nselection = \"tournament\"\nmutation = \"bit-flip\"\nnoise = { \
            evaluations-per-genome = 2 }"],
    },
    Kind {
        name: "constrained",
        described: BITS,
        fitness: "    def fitness(self, genome):
        count()
        return self.n - sum(genome)

    def violation(self, genome):
        return max(0, sum(genome[:4]) - 2)
",
        sets: &[CROSSING],
    },
];

/// Trials of each arm.
const REPEATS: usize = 3;
/// Evaluations of the largest batch: CMA-ES has 11 genomes per generation.
const LARGEST_BATCH: usize = 12;
/// Evaluations of each trial.
const EVALUATIONS: usize = 40;

/// A sandbox with a problem of a kind and an experiment on it.
fn sandbox(kind: &Kind, algorithms: usize) -> Sandbox {
    let sandbox = Sandbox::new();
    let problem = PROBLEM.replace("DESCRIBED", kind.described).replace("FITNESS", kind.fitness);
    sandbox.write("slow.py", problem);
    sandbox.write("own.py", &blocks(&document("docs/own-algorithms.md"), "python")[0]);
    let sets: Vec<String> = (kind.sets.iter().take(algorithms).enumerate())
        .map(|(number, set)| format!("[[operators]]\nname = \"{number}\"\n{set}\n"))
        .collect();
    let config = format!(
        "repeats = {REPEATS}\ncheckpoint = 1e-9\n[problem]\nplugin = \"slow.py\"\n{}[stop]\n\
        evaluations = {EVALUATIONS}\n[output]\ntrace = \"best\"\n",
        sets.concat()
    );
    sandbox.write("a.toml", config);
    sandbox
}

/// Number of evaluations that were made.
fn calls(sandbox: &Sandbox) -> usize {
    fs::read(sandbox.path("calls")).map_or(0, |calls| calls.len())
}

/// Runs an experiment as a process group that the problem kills.
fn run(sandbox: &Sandbox, arguments: &[&str]) -> Ran {
    let plain = sandbox.command();
    let mut command = Command::new("sh");
    command.args(["-c", "echo $$ > group; exec \"$0\" \"$@\""]).arg(plain.get_program());
    command.args(["a.toml", "--progress", "none"]).args(arguments);
    command.current_dir(sandbox.path("."));
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    Ran::new(&mut command)
}

/// Kills a run at each of these calls, and lets it come to its end. Returns the notices on trials
/// that go on.
fn kill_and_go_on(
    sandbox: &Sandbox,
    kills: impl IntoIterator<Item = usize>,
    arguments: &[&str],
) -> Vec<String> {
    let (mut notices, mut killed) = (Vec::new(), 0);
    for kill in kills {
        sandbox.write("kills", kill.to_string());
        let ran = run(sandbox, arguments);
        notices.push(ran.stderr.clone());
        if ran.code == Some(0) {
            assert!(killed > 0, "no run was killed");
            return notices;
        }
        killed += 1;
        assert_eq!(ran.code, None, "{}", ran.stderr);
        assert!(calls(sandbox) >= kill);
        let attempts = fs::read_dir(sandbox.path("parts/a.shard-1-of-2/attempts"));
        let attempts = attempts.into_iter().flatten().flatten().map(|entry| entry.path());
        for folder in attempts.chain([sandbox.path("results/a")]) {
            wait_for_lock(&folder);
        }
    }
    sandbox.write("kills", "");
    notices.push(run(sandbox, arguments).code(0).stderr);
    notices
}

/// Checkpoints in the folder of an experiment.
fn checkpoints(sandbox: &Sandbox) -> Vec<PathBuf> {
    let parts = fs::read_dir(sandbox.path("results/a/parts")).into_iter().flatten().flatten();
    let named = |path: &PathBuf| path.to_string_lossy().contains("/checkpoint-");
    parts.map(|entry| entry.path()).filter(named).collect()
}

/// Kills of runs with any number of jobs, in threads and in processes, at counted calls of the
/// fitness. What a call was evaluating is lost, and nothing else is evaluated twice.
#[test]
fn killed_trials_go_on_to_the_same_bytes() {
    if python("sys").is_none() {
        return;
    }
    let algorithms = usize::MAX;
    let forms = [("1", "thread"), ("2", "process"), ("8", "thread"), ("1", "process")];
    for (number, kind) in KINDS.iter().enumerate() {
        let expected = {
            let whole = sandbox(kind, algorithms);
            run(&whole, &["--jobs", "2"]).code(0);
            assert_eq!(calls(&whole), REPEATS * EVALUATIONS * kind.sets.len(), "{}", kind.name);
            tables(&whole, "results/a")
        };
        let all = REPEATS * EVALUATIONS * kind.sets.len();
        for (jobs, isolation) in (0..sized(1, 4)).map(|form| forms[(form as usize + number) % 4]) {
            let killed = sandbox(kind, algorithms);
            let kills = sized(2, 8) as usize;
            // With one job, the first kill is in the middle of a trial.
            let at = (1..=kills).map(|kill| kill * all / (kills + 1) + kill + 7);
            let arguments = ["--jobs", jobs, "--isolation", isolation];
            let notices = kill_and_go_on(&killed, at, &arguments);
            let words = format!("{}, {jobs} jobs, {isolation}: {notices:?}", kind.name);
            assert!(tables(&killed, "results/a") == expected, "{words}");
            let workers: usize = jobs.parse().expect("a number");
            let most = all + kills * LARGEST_BATCH * workers;
            assert!(calls(&killed) <= most, "{} calls of {all}: {words}", calls(&killed));
            let again = |notice: &String| notice.contains("evaluations are not made again");
            // With several jobs, a run may be killed when one trial is done and no other began.
            assert!(workers > 1 || notices[1..].iter().any(again), "{words}");
            assert!(checkpoints(&killed).is_empty(), "{words}");
        }
    }
}

/// A shard's attempt takes the checkpoints of the one that was killed.
#[test]
fn a_killed_shard_goes_on() {
    if python("sys").is_none() {
        return;
    }
    let (whole, parts) = (sandbox(&KINDS[0], 1), sandbox(&KINDS[0], 1));
    run(&whole, &["--jobs", "1"]).code(0);
    let shard = |number| ["--shard", number, "--out", "parts", "--jobs", "1"];
    let notices = kill_and_go_on(&parts, [15, 35], &shard("1/2"));
    assert!(notices[2].contains("evaluations are not made again"), "{notices:?}");
    run(&parts, &shard("2/2")).code(0);
    assert!(calls(&parts) <= REPEATS * EVALUATIONS + 10, "{} calls", calls(&parts));
    let shards = ["1", "2"].map(|number| format!("parts/a.shard-{number}-of-2"));
    parts.run(&["merge", &shards[0], &shards[1], "--out", "results"]).code(0);
    assert!(tables(&parts, "results/a") == tables(&whole, "results/a"));
}

#[test]
fn damaged_checkpoints_and_those_of_other_builds_change_no_byte() {
    if python("sys").is_none() {
        return;
    }
    type Damage = fn(&Sandbox);
    let damages: [(&str, &str, Damage); 3] = [
        ("damaged or cut", "goes on", |killed| {
            for path in checkpoints(killed) {
                let mut bytes = fs::read(&path).expect("a checkpoint");
                let middle = bytes.len() / 2;
                bytes[middle] ^= 4;
                fs::write(path, bytes).expect("written");
            }
        }),
        ("of another build", "begins anew", |killed| {
            let path = killed.path("slow.py");
            let text = fs::read_to_string(&path).expect("a problem");
            fs::write(path, text + "# Another build.\n").expect("written");
        }),
        ("", "", |killed| {
            let path = killed.path("a.toml");
            let text = fs::read_to_string(&path).expect("a config");
            fs::write(path, text.replace("checkpoint = 1e-9", "checkpoint = 0")).expect("written");
        }),
    ];
    for (notice, end, damage) in damages {
        let killed = sandbox(&KINDS[0], 1);
        killed.write("kills", "21");
        assert_eq!(run(&killed, &["--jobs", "1"]).code, None);
        wait_for_lock(&killed.path("results/a"));
        assert_eq!(checkpoints(&killed).len(), 1);
        damage(&killed);
        killed.write("kills", "");
        let ran = run(&killed, &["--jobs", "1"]).code(0);
        assert!(ran.stderr.contains(notice) && ran.stderr.contains(end), "{}", ran.stderr);
        assert!(checkpoints(&killed).is_empty(), "{notice}");
        // The tables name the build.
        let whole = sandbox(&KINDS[0], 1);
        damage(&whole);
        run(&whole, &["--jobs", "1"]).code(0);
        let same = tables(&killed, "results/a") == tables(&whole, "results/a");
        assert!(same, "{notice}");
    }
}

/// Searches of libraries, most of them by moves: too fast to be killed at a counted call. Whatever
/// part of its file a trial has, it becomes the trial without a file, and the part stays.
#[test]
fn a_trial_goes_on_from_any_part_of_its_file() {
    let sets = [
        "algorithm = \"hill-climbing\"",
        "algorithm = { kind = \"hill-climbing\", step = \"first-improvement\" }",
        "algorithm = { kind = \"simulated-annealing\", cooling = 0.9 }\n\
            mutation = \"bit-flip\"",
        "algorithm = \"tabu-search\"",
        "algorithm = \"late-acceptance\"",
        "algorithm = \"iterated-local-search\"",
        "algorithm = \"one-plus-lambda-lambda\"",
        "population = 1\nselection = \"uniform\"\nmutation = \"bit-flip\"\nreplacement = \"plus\"",
        CROSSING,
        "algorithm = \"umda\"\npopulation = 10",
        "algorithm = \"random-search\"",
    ];
    let sets: Vec<String> = (sets.iter().enumerate())
        .map(|(number, set)| format!("[[operators]]\nname = \"{number}\"\n{set}\n"))
        .collect();
    let config = format!(
        "repeats = 1\n[problem]\nplugin = \"onemax\"\nlength = 30\n{}[stop]\nevaluations = 80\n\
        on-success = \"continue\"\n[output]\ntrace = \"best\"\n",
        sets.concat()
    );
    let queens = "repeats = 1\n[problem]\nplugin = \"nqueens\"\nn = 12\n[[operators]]\n\
        algorithm = \"min-conflicts\"\n[stop]\nevaluations = 80\non-success = \"continue\"\n";
    for text in [config.as_str(), queens] {
        let plan = plan_of(text);
        for arm in &plan.arms {
            goes_on_from_any_part(&plan, arm.index, arm.id());
        }
    }
}

fn goes_on_from_any_part(plan: &Plan, arm: usize, id: ArmId) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("parts")).expect("a folder");
    let run = |left: Option<bool>| {
        let folder = left.map(|left| CheckpointFolder {
            folder: folder.path().into(),
            interval: Duration::from_nanos(1),
            left: left.then_some((id, 0)).into_iter().collect(),
        });
        let mut runner = TrialRunner::new(plan, plan.trace, 0).checkpointing(folder);
        let record = runner.run_watched(arm, 0, &Interrupt::default(), None);
        let mut record = record.expect("nobody interrupts");
        record.timing.seconds = 0.0;
        format!("{record:?}")
    };
    let plain = run(None);
    assert_eq!(run(Some(false)), plain, "arm {arm}");
    let path = folder.path().join(format!("parts/checkpoint-{id}-0"));
    let whole = fs::read(&path).expect("a checkpoint");
    for part in [8, 5, 1, 0] {
        let end = whole.len() * part / 8;
        fs::write(&path, &whole[..end]).expect("written");
        assert_eq!(run(Some(true)), plain, "arm {arm} from {part} of 8 parts");
        let now = fs::read(&path).expect("a checkpoint");
        // The last frame may have been cut, and the next has another time in it.
        let frames = memchr::memmem::find_iter(&whole, b"\xF1evals1\n").chain([whole.len()]);
        let sound = frames.filter(|start| *start <= end).last().expect("a frame begins at 0");
        let stays = now.len() >= sound && now[..sound] == whole[..sound];
        assert!(stays, "arm {arm}, {part} of 8 parts: {sound} bytes of {end} should stay");
        assert!(part < 8 || now == whole, "arm {arm}: the file was written again");
    }
}
