//! Fitness on the workers of a cluster, on real schedulers of this machine: the tables have the
//! same bytes when a worker is lost, which costs an evaluation and no trial.

use crate::python::python;
use crate::util::{Ran, Sandbox, document, eventually, rows};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A process that is ended with its group.
struct Group(Child);

impl Group {
    fn start(command: &mut Command, log: &Path) -> Self {
        use std::os::unix::process::CommandExt;
        let file = std::fs::File::create(log).expect("a log");
        let both = file.try_clone().expect("a log");
        command.process_group(0).stdin(Stdio::null()).stdout(file).stderr(both);
        Group(command.spawn().expect("it starts"))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        use nix::sys::signal::{Signal, killpg};
        let group = nix::unistd::Pid::from_raw(self.0.id().cast_signed());
        _ = killpg(group, Signal::SIGKILL);
        _ = self.0.wait();
    }
}

/// Runs an example three times, at other numbers of jobs and with a worker that ends itself in
/// the middle of a simulation, and asserts that the tables are the same.
fn runs_alike(sandbox: &Sandbox, example: &str, interpreter: &str, cluster: (&str, &str)) {
    let source = document(&format!("examples/python/{example}"));
    // One simulation, whichever comes first, ends its worker.
    let fatal = "    import os
    try:
        os.close(os.open(LOST, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        pass
    else:
        os.kill(os.getpid(), 9)
    time.sleep(seconds)
";
    let lost = sandbox.path("lost");
    let fatal = fatal.replace("LOST", &format!("{:?}", lost.display().to_string()));
    let source = source.replacen("    time.sleep(seconds)\n", &fatal, 1);
    assert!(source.contains("os.kill"));
    sandbox.write(example, source);
    let config = format!(
        "repeats = 3
[problem]
plugin = \"./{example}\"
interpreter = \"{interpreter}\"
length = 12
seconds = 0.0
[[operators]]
preset = \"simple-ga\"
population = 8
[stop]
evaluations = 40
[output]
trace = \"population\"
"
    );
    sandbox.write("x.toml", config);
    let run = |out: &str, jobs: &str| {
        let mut command = sandbox.command();
        command.env(cluster.0, cluster.1).env("HOME", sandbox.path("home"));
        command.args(["x.toml", "--out", out, "--jobs", jobs]);
        Ran::new(&mut command).code(0);
        let trials = rows(sandbox, &[&format!("{out}/x"), "--trials"]);
        assert!(trials.iter().all(|trial| trial["outcome"] != "failed"), "{trials:?}");
        ["trials", "generations"].map(|table| sandbox.read(&format!("{out}/x/{table}.parquet")))
    };
    let first = run("lost-one", "1");
    assert!(lost.exists(), "no worker was lost");
    assert!(run("quiet", "2") == first);
}

#[test]
fn dask_evaluates_and_a_lost_worker_costs_no_trial() {
    let Some(interpreter) = python("distributed") else { return };
    let sandbox = Sandbox::new();
    let file = sandbox.path("scheduler.json");
    let place = ["--scheduler-file", file.to_str().expect("UTF-8"), "--no-dashboard"];
    let start = |arguments: &[&str], log: &str| {
        let mut command = Command::new(&interpreter);
        command.args(["-m", "dask"]).args(arguments).args(place);
        Group::start(&mut command, &sandbox.path(log))
    };
    let _scheduler = start(&["scheduler", "--host", "127.0.0.1", "--port", "0"], "scheduler.log");
    let workers = ["worker", "--host", "127.0.0.1", "--nworkers", "2", "--nthreads", "1"];
    let _workers = start(&workers, "workers.log");
    let address = || {
        let text = std::fs::read_to_string(&file).ok()?;
        let json: serde_json::Value = serde_json::from_str(&text).ok()?;
        json["address"].as_str().map(str::to_owned)
    };
    eventually("the scheduler has an address", || address().is_some());
    let address = address().expect("an address");
    let cluster = ("DASK_SCHEDULER_ADDRESS", address.as_str());
    runs_alike(&sandbox, "dask_fitness.py", &interpreter, cluster);
}

#[test]
fn ray_evaluates_and_a_lost_worker_costs_no_trial() {
    let Some(interpreter) = python("ray") else { return };
    let sandbox = Sandbox::new();
    // Its sockets' names must be short.
    let folder = tempfile::Builder::new().prefix("r").tempdir_in("/tmp").expect("a folder");
    let mut command = Command::new(&interpreter);
    command.args(["-m", "ray.scripts.scripts", "start", "--head", "--block", "--port", "0"]);
    command.args(["--node-ip-address", "127.0.0.1", "--num-cpus", "2", "--disable-usage-stats"]);
    command.args(["--include-dashboard", "false", "--object-store-memory", "100000000"]);
    // A token of an earlier cluster of this user would be asked of the searches.
    command.arg("--temp-dir").arg(folder.path()).env("HOME", sandbox.path("home"));
    let log = sandbox.path("ray.log");
    let _head = Group::start(&mut command, &log);
    let address = || {
        let text = std::fs::read_to_string(&log).ok()?;
        let (_, rest) = text.split_once("--address='")?;
        rest.split_once('\'').map(|(address, _)| address.to_owned())
    };
    eventually("the head has an address", || address().is_some());
    let address = address().expect("an address");
    runs_alike(&sandbox, "ray_fitness.py", &interpreter, ("RAY_ADDRESS", &address));
}
