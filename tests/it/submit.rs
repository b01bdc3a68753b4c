//! Submissions without a batch system: scripts, what is refused, and engines that run here.

use crate::tuning::{short, tables};
use crate::util::{Ran, Sandbox, eventually, rows, skip};
use std::fs;
use std::path::Path;
use std::process::Command;
#[cfg(target_os = "linux")]
use std::process::Stdio;
#[cfg(target_os = "linux")]
use std::time::Duration;

const CONFIG: &str = r#"
repeats = 30

[problem]
plugin = "nqueens"
n      = 6

[[operators]]
name       = "ga"
population = 8
selection  = "tournament"
mutation   = "reset"

[[operators]]
name      = "climb"
algorithm = { kind = "hill-climbing", step = "steepest" }

[stop]
evaluations = 200
"#;

/// A sandbox with an experiment, and programs of Slurm that answer so.
fn sandbox(programs: &[(&str, &str)]) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("six queens.toml", CONFIG);
    for (name, script) in programs {
        sandbox.program(&format!("bin/{name}"), format!("#!/bin/sh\n{script}\n"));
    }
    sandbox
}

/// Runs the binary where there are no other programs than those of the sandbox and the shell.
fn run(sandbox: &Sandbox, arguments: &[&str]) -> Ran {
    let mut command = sandbox.command();
    command.env("PATH", sandbox.path("bin")).args(arguments);
    Ran::new(&mut command)
}

/// The text without what differs from one machine and run to the next.
fn plain(text: &str, sandbox: &Sandbox) -> String {
    let here = fs::canonicalize(sandbox.path("")).expect("it is there");
    let text = text.replace(sandbox.path("").display().to_string().trim_end_matches('/'), "/here");
    let text = text.replace(&here.display().to_string(), "/here");
    let text = text.replace(env!("CARGO_BIN_EXE_runner"), "/bin/runner");
    // Names of jobs have digits of the plan.
    let text = match text.split_once("--plan ") {
        Some((_, rest)) => text.replace(&format!("-{}", &rest[..8]), "-PLAN"),
        None => text,
    };
    let mut plain = String::new();
    for line in text.lines() {
        let line = match line.split_once("--plan ") {
            Some((before, rest)) => format!("{before}--plan PLAN{}", &rest[16..]),
            None => line.to_owned(),
        };
        plain.push_str(&line);
        plain.push('\n');
    }
    plain
}

/// Whether bash reads the scripts of a text that `--dry-run` printed.
fn check_with_bash(text: &str) {
    for script in text.split("\n#!/bin/bash\n").skip(1) {
        let script = script.split("\n# /").next().expect("a script");
        let file = tempfile::NamedTempFile::new().expect("a file");
        fs::write(file.path(), script).expect("a file");
        let ran = Ran::new(Command::new("bash").arg("-n").arg(file.path()));
        assert!(ran.code == Some(0) && ran.stderr.is_empty(), "{script}\n{ran}");
    }
}

#[test]
fn scripts_can_be_read_before_they_are_submitted() {
    let size = "echo 'MaxArraySize            = 1001'";
    let sandbox = sandbox(&[("scontrol", size)]);
    let submit = ["submit", "slurm", "six queens.toml", "--dry-run", "--set=stop.evaluations=300"];
    let user = ["--", "--partition=short", "--comment=it's mine"];
    let ran = run(&sandbox, &[&submit[..], &["--shards", "20"], &user].concat()).code(0);
    check_with_bash(&ran.stdout);
    insta::assert_snapshot!("one_shard_a_task", plain(&ran.stdout, &sandbox));
    let ran = run(&sandbox, &[&submit[..], &["--shards", "2500"]].concat()).code(0);
    check_with_bash(&ran.stdout);
    insta::assert_snapshot!("several_shards_a_task", plain(&ran.stdout, &sandbox));
    for engine in ["parallel", "hyperqueue", "kubernetes", "print"] {
        let arguments = ["submit", engine, "six queens.toml", "--dry-run", "--shards", "2"];
        let ran = run(&sandbox, &arguments).code(0);
        check_with_bash(&ran.stdout);
        insta::assert_snapshot!(engine, plain(&ran.stdout, &sandbox));
    }
    assert!(!sandbox.path("results").exists(), "a dry run wrote something");
}

#[test]
fn what_slurm_refuses_is_told_in_its_words() {
    let submit = ["submit", "slurm", "six queens.toml", "--shards", "4"];
    run(&sandbox(&[]), &submit).code(2).warns("error: `sbatch` cannot be started: ");
    let refusal = "echo 'sbatch: error: invalid partition specified: nope' >&2; exit 1";
    let refused = sandbox(&[("sbatch", refusal)]);
    let ran = run(&refused, &[&submit[..], &["--", "--partition=nope"]].concat()).code(2);
    ran.warns("sbatch refused the job array: invalid partition specified: nope");
    // A refused submission replaces none.
    run(&refused, &["submit", "parallel", "six queens.toml", "--shards", "4"]).code(0);
    let file = "results/six queens.submission/submission.toml";
    let before = refused.read(file);
    run(&refused, &["submit", "slurm", "six queens.toml", "--missing"]).code(2);
    assert_eq!(refused.read(file), before);
    // The array is taken back when the merge is refused.
    let array = "case \"$*\" in *merge.sh) echo 'sbatch: error: no more jobs' >&2; exit 1;; esac; \
        echo 17";
    let half = sandbox(&[("sbatch", array), ("scancel", "echo \"$@\" > cancelled")]);
    let ran = run(&half, &submit).code(2);
    ran.warns("sbatch refused the job that merges: no more jobs; nothing of `six queens` is");
    assert_eq!(half.read("cancelled"), b"17\n");
    let odd = sandbox(&[("sbatch", "echo welcome")]);
    run(&odd, &submit).code(2).warns("sbatch answered `welcome`, which is not the number of a job");
}

#[test]
fn what_cannot_be_meant_is_refused_before_anything_is_submitted() {
    let sandbox = sandbox(&[("sbatch", "echo called > called; echo 1")]);
    sandbox.write("asks.toml", CONFIG.replace("30", "{ half-width = 0.1, max = 1000 }"));
    sandbox.write("wrong.toml", CONFIG.replace("tournament", "tornament"));
    let refused = |arguments: &[&str], words: &str| {
        run(&sandbox, &[&["submit"], arguments].concat()).code(2).warns(words);
    };
    refused(&["slurm", "six queens.toml", "wrong.toml", "--shards", "2"], "tornament");
    refused(&["parallel", "asks.toml", "--shards", "2"], "stopping rule");
    refused(&["slurm", "six queens.toml"], "--shards");
    refused(&["slurm", "six queens.toml", "--shards", "0"], "from 1 to 1000000");
    refused(&["slurm", "six queens.toml", "--missing"], "was not submitted to results before");
    let array = ["slurm", "six queens.toml", "--shards", "2", "--", "--array=1-9"];
    refused(&array, "`--array=1-9`: runner gives this argument to sbatch itself");
    let other = ["print", "six queens.toml", "--shards", "2", "--", "--time=3"];
    refused(&other, "only `runner submit slurm` passes on");
    assert!(!sandbox.path("called").exists());
    let status = run(&sandbox, &["status", "results/six queens"]).code(2);
    status.warns("the experiment was not submitted");
    let plan = ["six queens.toml", "--plan", "0123456789abcdef"];
    run(&sandbox, &plan).code(2).warns("this is not the experiment that was submitted");
}

#[test]
fn a_task_of_an_array_takes_its_shard_from_the_environment() {
    let sandbox = sandbox(&[]);
    let auto = |variables: &[(&str, &str)]| {
        let mut command = sandbox.command();
        for name in ["SLURM_ARRAY_TASK_ID", "HQ_TASK_ID", "JOB_COMPLETION_INDEX"] {
            command.env_remove(name);
        }
        command.envs(variables.iter().copied());
        Ran::new(command.args(["six queens.toml", "--shard", "auto/3", "--progress", "none"]))
    };
    auto(&[]).code(2).warns(
        "HQ_TASK_ID (from 1), JOB_COMPLETION_INDEX (from 0) or SLURM_ARRAY_TASK_ID (from 1), and",
    );
    auto(&[("SLURM_ARRAY_TASK_ID", "4")]).code(2).warns("it must be from 1 to 3");
    auto(&[("SLURM_ARRAY_TASK_ID", "1")]).code(0).says("shard 1/3");
    auto(&[("HQ_TASK_ID", "2")]).code(0).says("shard 2/3");
    let merge = ["merge", "results/six queens.shard-*-of-3"];
    run(&sandbox, &merge).code(4).warns("3/3 is missing (20 trials)");
    assert!(!sandbox.path("results/six queens").exists(), "a merge without a shard left something");
    auto(&[("JOB_COMPLETION_INDEX", "2")]).code(0).says("shard 3/3");
    run(&sandbox, &merge).code(0);
    is_as_one_run(&sandbox);
}

/// Whether the tables in `results` are those of one run.
#[track_caller]
fn is_as_one_run(sandbox: &Sandbox) {
    sandbox.run(&["six queens.toml", "--out", "single", "--progress", "none"]).code(0);
    for table in ["trials.parquet", "summary.parquet"] {
        let of = |out: &str| sandbox.read(&format!("{out}/six queens/{table}"));
        assert!(of("results") == of("single"), "{table} differs from that of one run");
    }
}

/// By the schema that Kubernetes publishes.
const VALIDATE: &str = "
import json, sys
try:
    import kubernetes_validate as schema
except ImportError:
    sys.exit(77)
schema.validate(json.load(open(sys.argv[1])), schema.latest_version(), strict=True)
";

#[test]
fn the_job_of_kubernetes_keeps_to_its_schema() {
    let sandbox = sandbox(&[]);
    sandbox.run(&["submit", "kubernetes", "six queens.toml", "--shards", "5"]).code(0);
    let job = sandbox.path("results/six queens.submission/job.json");
    let python = crate::python::interpreter();
    let validate = |path: &Path| {
        Ran::new(Command::new(&python).args(["-c", VALIDATE]).arg(path).env("PYTHONHASHSEED", "0"))
    };
    let ran = validate(&job);
    if ran.code == Some(77) {
        return skip(&format!("{python} has no kubernetes-validate"));
    }
    ran.code(0);
    let text = fs::read_to_string(&job).expect("it is written");
    let wrong = text.replace("\"completions\": 5", "\"completions\": \"5\"");
    validate(&sandbox.write("wrong.json", wrong)).code(1);
}

#[test]
fn the_commands_of_print_run_in_any_shell() {
    let sandbox = sandbox(&[]);
    let ran = run(&sandbox, &["submit", "print", "six queens.toml", "--shards", "3"]).code(0);
    let mut shell = Command::new("sh");
    shell.arg("-ec").arg(&ran.stdout).env("NO_COLOR", "1").current_dir("/");
    Ran::new(&mut shell).code(0);
    is_as_one_run(&sandbox);
}

/// A tuning has no merge, and its shards need not run at the same time.
#[test]
fn the_shards_of_a_tuning_run_in_any_shell() {
    let sandbox = sandbox(&[]);
    sandbox.write("tuning.toml", short());
    for engine in ["slurm", "parallel", "hyperqueue", "kubernetes", "print"] {
        let line = ["submit", engine, "tuning.toml", "--dry-run", "--shards", "2"];
        let ran = run(&sandbox, &line).code(0);
        check_with_bash(&ran.stdout);
        assert!(!ran.stdout.contains("merge"), "{ran}");
        if engine == "slurm" {
            insta::assert_snapshot!("a_tuning", plain(&ran.stdout, &sandbox));
        }
    }
    let submit = |arguments: &[&str]| run(&sandbox, &[&["submit"], arguments].concat());
    sandbox.write("plain.toml", format!("name = \"tuning\"\n{CONFIG}"));
    submit(&["parallel", "plain.toml", "tuning.toml", "--shards", "2"])
        .code(2)
        .warns("tuning.toml: its experiment has the same name, `tuning`, as that of plain.toml");
    assert!(!sandbox.path("results").exists(), "something was submitted");
    submit(&["parallel", "tuning.toml", "--shards", "2"]).code(0);
    let status = run(&sandbox, &["status", "results/tuning"]).code(1);
    status.says("tuning: 2 shards: 2 missing; 0 trials").says("shard 1: missing\n");
    let print = |more: &[&str]| {
        let line = ["print", "tuning.toml", "--shards", "2", "--set=tune.test-repeats=12"];
        submit(&[&line, more].concat())
    };
    let printed = print(&[]).code(0).stdout;
    let commands: Vec<&str> = printed.lines().collect();
    assert!(commands.len() == 2 && commands[0].contains(" tune "), "{printed}");
    for command in commands {
        Ran::new(Command::new("sh").arg("-c").arg(command)).code(0);
    }
    let single = ["tune", "tuning.toml", "--set=tune.test-repeats=12", "--out", "single"];
    run(&sandbox, &single).code(0);
    assert!(tables(&sandbox, "results") == tables(&sandbox, "single"));
    // It is not the tuning that was submitted to parallel, but one that has begun like it.
    run(&sandbox, &["status", "results/tuning", "--json"])
        .code(0)
        .says("\"verdict\": \"complete\"");
    let edited = printed.lines().next().expect("a command").replace("=12", "=13");
    let edited = Ran::new(Command::new("sh").arg("-c").arg(edited)).code(2);
    edited.warns("this is not the experiment that was submitted");
    print(&["--repeats", "9"]).code(2).warns("--repeats: tuning.toml is a tuning");
}

#[test]
fn gnu_parallel_runs_the_shards_and_those_that_failed_again() {
    if !Path::new("/usr/bin/parallel").exists() {
        return skip("there is no GNU parallel (apt-get install parallel)");
    }
    let sandbox = sandbox(&[]);
    let submit = ["submit", "parallel", "six queens.toml", "--shards", "4"];
    let usage = sandbox.run(&submit).code(0).stdout;
    let status = sandbox.run(&["status", "results/six queens"]).code(1);
    status
        .says("4 shards: 4 missing")
        .says("Next, if no task runs any more: runner submit parallel --missing");
    let parallel = || {
        let mut shell = Command::new("bash");
        shell.args(["-c", &usage]).current_dir(sandbox.path(""));
        Ran::new(&mut shell)
    };
    // What is in the way of a shard's folder.
    let obstacle = sandbox.write("results/six queens.shard-2-of-4", "");
    parallel().code(1);
    assert!(!sandbox.path("results/six queens").exists(), "it was merged with a shard missing");
    fs::remove_file(obstacle).expect("it is there");
    parallel().code(0);
    let log =
        String::from_utf8(sandbox.read("results/six queens.submission/joblog")).expect("text");
    // A line a run, below the heading: the three that ended well ran once.
    assert_eq!(log.lines().count(), 1 + 4 + 1, "{log}");
    let folder = "results/six queens.submission";
    // The numbers in the log of the whole list are not those of the list of missing shards.
    for shard in ["2", "3"] {
        fs::remove_dir_all(sandbox.path(format!("results/six queens.shard-{shard}-of-4")))
            .expect("it is there");
    }
    fs::remove_dir_all(sandbox.path("results/six queens")).expect("it is there");
    sandbox.run(&["submit", "parallel", "--missing", "six queens.toml"]).code(0);
    parallel().code(0);
    sandbox.run(&["status", folder]).code(0).says("4 shards: 4 done").says("Complete: runner show");
    let json = sandbox.run(&["status", folder, "--json"]).code(0).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let told = (&json[0]["verdict"], &json[0]["trials"], &json[0]["shards"][3]["state"]);
    assert_eq!(told, (&"complete".into(), &60.into(), &"done".into()));
    // A pattern such as results/six* names the submission too.
    let shown = rows(&sandbox, &["results/six queens", folder]);
    for (arm, row) in [&json[0]["arms"][0], &json[0]["arms"][1]].into_iter().zip(&shown) {
        for key in ["arm", "trials", "successes", "success_rate", "success_low", "success_high"] {
            assert_eq!(arm[key], row[key], "{key}");
        }
    }
    is_as_one_run(&sandbox);
}

/// Writes the number of its process, and waits while there is a file `hold`.
#[cfg(target_os = "linux")]
const HELD: &str = r#"
import os
import time

from runner import Bits


class Problem:
    def describe(self):
        return Bits(8, ideal=0, worst=8)

    def fitness(self, genome):
        open(f"pids/{os.getpid()}", "w").close()
        while os.path.exists("hold"):
            time.sleep(0.01)
        return sum(genome)
"#;

/// A batch system tells every process of a job to stop, and the programs of problems among them.
#[cfg(target_os = "linux")]
#[test]
fn a_program_that_is_told_to_stop_with_its_run_fails_no_trial() {
    use rustix::process::{Pid, Signal, kill_process};
    if crate::python::python("sys").is_none() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.write("held.py", HELD);
    let config = CONFIG.replace("\"nqueens\"\nn      = 6", "\"held.py\"");
    sandbox.write("held.toml", config);
    sandbox.write("hold", "");
    fs::create_dir(sandbox.path("pids")).expect("a folder");
    let arguments = ["held.toml", "--jobs", "1", "--progress", "none"];
    let mut command = sandbox.command();
    command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
    let mut run = command.spawn().expect("the binary starts");
    let program = || {
        let mut entries = fs::read_dir(sandbox.path("pids")).expect("a folder").flatten();
        entries.next()?.file_name().to_str()?.parse::<i32>().ok()
    };
    eventually("the program starts", || program().is_some());
    let program = program().and_then(Pid::from_raw).expect("the number of a process");
    for signal in [Signal::HUP, Signal::INT, Signal::TERM] {
        kill_process(program, signal).expect("it holds the signals");
        std::thread::sleep(Duration::from_millis(50));
    }
    kill_process(Pid::from_child(&run), Signal::TERM).expect("it runs");
    assert_eq!(run.wait().expect("it ends").code(), Some(130));
    fs::remove_file(sandbox.path("hold")).expect("it is there");
    let again = sandbox.run(&arguments).code(0);
    assert!(!again.stderr.contains("failed"), "{again}");
}

#[test]
fn shards_that_ended_early_are_told_while_others_run() {
    let numbers = "case \"$*\" in *merge.sh) echo 18;; *) echo 17;; esac";
    let queue = "echo '17|2|RUNNING|None'; echo '18|N/A|PENDING|Dependency'";
    let ended = "echo '17_1|CANCELLED by 0'; echo '17_2|RUNNING'";
    let programs = [("sbatch", numbers), ("squeue", queue), ("sacct", ended)];
    let sandbox = sandbox(&programs);
    run(&sandbox, &["submit", "slurm", "six queens.toml", "--shards", "2"]).code(0);
    let status = run(&sandbox, &["status", "results/six queens"]).code(5);
    let status = status.says("Underway: ").says("Shards 1 ended without all of their trials.");
    status.says(
        "When the tasks in the queue have ended: runner submit slurm --missing 'six queens.toml'",
    );
}
