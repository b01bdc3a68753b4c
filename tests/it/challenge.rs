//! Results hashes: the same wherever and however an experiment runs, and challenged by strangers.

use crate::faults::shim;
use crate::util::{Ran, Sandbox, copy_program, document, plugins, skip};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Searches of several kinds, with a trace, in some 10,000 evaluations.
const SEARCHES: &str = r#"
seed = 11
repeats = 6
baseline = true
[problem]
plugin = "nqueens"
n = 12
[[operators]]
name = "ga"
population = 60
scaling = "reciprocal"
selection = "roulette"
crossover = { kind = "one-point", rate = 0.9 }
mutation = { kind = "reset", rate = 0.2 }
[[operators]]
name = "annealing"
algorithm = "simulated-annealing"
[[operators]]
name = "climb"
algorithm = { kind = "hill-climbing", step = "first-improvement", restarts = true }
[stop]
evaluations = 700
[output]
trace = "best"
"#;

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", SEARCHES);
    sandbox
}

/// The hash below the table of an experiment.
fn hash(ran: &Ran) -> String {
    let line = ran.stdout.lines().find_map(|line| line.strip_prefix("Results: "));
    line.unwrap_or_else(|| panic!("no hash\n{ran}")).to_owned()
}

fn published(sandbox: &Sandbox) -> String {
    hash(&sandbox.run(&["x.toml", "--progress", "none"]).code(0))
}

/// Vectors, jobs, processes, shards, paths, times, languages and limits leave the hash as it is.
#[test]
fn the_hash_is_the_same_wherever_an_experiment_runs() {
    let sandbox = sandbox();
    let expected = published(&sandbox);
    let run = String::from_utf8(sandbox.read("results/x/run.toml")).expect("UTF-8");
    assert!(run.contains(&format!("results = \"{expected}\"")), "{run}");
    let shown = sandbox.run(&["show", "results/x"]).code(0);
    assert_eq!(hash(&shown), expected);
    let same = |command: &mut Command| {
        let ran = Ran::new(command.args(["challenge", "x.toml", "--hash", &expected])).code(0);
        ran.says(&format!("same: {expected}, 24 trials of 4 arms"));
    };
    for vectors in ["plain", "avx2", "avx512"] {
        same(sandbox.command().env("RUNNER_VECTORS", vectors));
    }
    for jobs in ["1", "2", "8"] {
        let arguments = ["challenge", "x.toml", "--hash", &expected, "--jobs", jobs];
        sandbox.run(&arguments).code(0).says("same: ");
    }
    let processes = ["challenge", "x.toml", "--hash", &expected, "--isolation", "process"];
    sandbox.run(&processes).code(0).says("same: ");
    sandbox.write("elsewhere/deep/ünïcode/note", "");
    let elsewhere = sandbox.path("elsewhere/deep/ünïcode");
    for (name, value) in [
        ("TMPDIR", elsewhere.to_str().expect("UTF-8")),
        ("HOME", elsewhere.to_str().expect("UTF-8")),
        ("LC_ALL", "tr_TR.UTF-8"),
        ("LANG", "de_DE.UTF-8"),
        ("TZ", "Pacific/Kiritimati"),
        ("USER", "nobody"),
    ] {
        same(sandbox.command().env(name, value));
    }
    // Years later, and as another user where the system allows that.
    let clock = [("FAULT_CLOCK", "4102444800"), ("LD_PRELOAD", shim().to_str().expect("UTF-8"))];
    same(sandbox.command().envs(clock));
    // Little stack, few files, and an address space that has an end.
    let limited = |limits: &str| {
        let command = sandbox.command();
        let program = command.get_program().to_str().expect("UTF-8").to_owned();
        let mut shell = Command::new("sh");
        shell.current_dir(sandbox.path("."));
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        let line = format!("{limits} && exec {program} challenge x.toml --hash {expected}");
        Ran::new(shell.args(["-c", &line])).code(0).says("same: ");
    };
    limited("ulimit -s 1024");
    limited("ulimit -n 64");
    limited("ulimit -v 4000000");
}

/// A new folder that any user may enter, whether or not the folder of temporary files is private.
fn for_everyone() -> tempfile::TempDir {
    use std::os::unix::fs::PermissionsExt;
    let enters = |folder: &Path| {
        let mode = std::fs::metadata(folder).map_or(0, |status| status.permissions().mode());
        mode & 0o001 != 0
    };
    let open = |folder: &PathBuf| folder.ancestors().all(enters);
    let own = std::env::temp_dir();
    let mut places = [own, "/tmp".into(), "/var/tmp".into()].into_iter();
    let place = places.find(open).expect("of the folders of temporary files, one is open to all");
    let folder = tempfile::tempdir_in(place).expect("a temporary directory");
    std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o755)).expect("its owner may");
    folder
}

/// Another user, to whom nothing belongs: the program and the plugin are copied to where that user
/// can read them.
#[test]
fn the_hash_is_the_same_for_another_user() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let expected = published(&sandbox());
    let place = for_everyone();
    let path = |name: &str| place.path().join(name);
    let (config, runner, temporary) = (path("x.toml"), path("runner"), path("temporary"));
    std::fs::write(&config, SEARCHES).expect("a config");
    std::fs::create_dir(&temporary).expect("a folder");
    copy_program(env!("CARGO_BIN_EXE_runner").as_ref(), &runner);
    copy_program(&plugins().join("libnqueens.so"), &path("libnqueens.so"));
    for (path, mode) in
        [(&config, 0o644), (&runner, 0o755), (&path("libnqueens.so"), 0o755), (&temporary, 0o777)]
    {
        std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).expect("its owner may");
    }
    let challenge = |program: &str| {
        let mut command = Command::new(program);
        command.current_dir(&place).env_clear();
        for name in ["HOME", "TMPDIR"] {
            command.env(name, &temporary);
        }
        command
    };
    let arguments = ["challenge", "x.toml", "--hash", &expected, "--progress", "none"];
    let runner = runner.to_str().expect("UTF-8");
    let mut command = if rustix::process::geteuid().is_root() {
        let mut command = challenge(runner);
        command.args(arguments).uid(65_534).gid(65_534);
        command
    } else {
        // A user of another number in a namespace of its own.
        let other = ["--user", "--map-user=12345"];
        let allowed = challenge("unshare").args(other).arg("true").status();
        if !allowed.is_ok_and(|status| status.success()) {
            return skip("a user may not become another one here: no user namespaces");
        }
        let mut command = challenge("unshare");
        command.args(other).arg(runner).args(arguments);
        command
    };
    Ran::new(&mut command).code(0).says(&format!("same: {expected}, 24 trials of 4 arms"));
}

#[test]
fn shards_merged_have_the_hash_of_one_run() {
    let sandbox = sandbox();
    let expected = published(&sandbox);
    for shard in ["1/2", "2/2"] {
        sandbox.run(&["x.toml", "--out", "parts", "--shard", shard]).code(0);
        let folder = format!("parts/x.shard-{}", shard.replace('/', "-of-"));
        sandbox.run(&["show", &folder]).code(0).says("is done").says("`runner merge`");
    }
    let shards = ["parts/x.shard-1-of-2", "parts/x.shard-2-of-2"];
    let merged = sandbox.run(&[&["merge"], &shards[..], &["--out", "one"]].concat()).code(0);
    assert_eq!(hash(&merged), expected);
    let pieces = ["--out", "pieces", "--partitioned"];
    let merged = sandbox.run(&[&["merge"], &shards[..], &pieces].concat()).code(0);
    assert_eq!(hash(&merged), expected);
}

#[test]
fn a_difference_is_named_with_its_trials_and_a_report_is_filled_in() {
    let sandbox = sandbox();
    let expected = published(&sandbox);
    let challenge = |more: &[&str]| {
        let base = ["challenge", "x.toml", "--hash", &expected, "--progress", "none"];
        sandbox.run(&[&base[..], more].concat())
    };
    let tables = ["--against", "results/x"];
    challenge(&tables).code(0).says("same: ");
    challenge(&[&tables[..], &["--sample", "9"]].concat())
        .code(0)
        .says("9 of 9 trials are the same");
    // Another hash: nothing is known of the trials.
    let other = format!("r1-{}", "0".repeat(32));
    let ran = sandbox.run(&["challenge", "x.toml", "--hash", &other]).code(1);
    let ran = ran.says(&format!("different: {expected} here, {other} published"));
    let ran = ran.says("To report the difference").says("  engine revision ".trim());
    ran.says("--against FOLDER");
    sandbox
        .run(&["challenge", "x.toml", "--hash", &other, "--against", "results/x"])
        .code(2)
        .warns(&format!("these tables have the results hash {expected}, not {other}"));
    // Another config is not run at all.
    challenge(&[&tables[..], &["--set", "problem.n=13"]].concat())
        .code(1)
        .says("`ga` of the tables has other settings in this config")
        .says("no trial was run");
    challenge(&[&tables[..], &["--seed", "12"]].concat())
        .code(1)
        .says("the seed is 12 in this config, 11 in the tables");
    challenge(&[&tables[..], &["--set", "repeats=3"]].concat())
        .code(1)
        .says("12 trials here, 24 in the tables: is `repeats` another?");
    challenge(&["--hash-of", "x"]).code(2);
    for wrong in ["r1-12", "r2-00000000000000000000000000000000", "x"] {
        let ran = sandbox.run(&["challenge", "x.toml", "--hash", wrong]).code(2);
        ran.warns("it must be r1- and 32 hex digits");
    }
    sandbox
        .run(&["challenge", "x.toml", "--hash", &expected, "--sample", "3"])
        .code(2)
        .warns("--against");
}

/// A fitness that depends on the build of the plugin: the trials that differ and the cause.
#[test]
fn another_build_of_a_plugin_is_named_as_the_cause() {
    if crate::python::python("sys").is_none() {
        return;
    }
    let sandbox = Sandbox::new();
    let problem = |scale: u32| {
        format!(
            "from runner import Bits\n\n\nclass Problem:\n    def describe(self):\n        return \
            Bits(12, ideal=0)\n\n    def fitness(self, genome):\n        return {scale} * \
            genome.count(0) if hasattr(genome, \"count\") else {scale} * sum(1 for gene in genome \
            if not gene)\n"
        )
    };
    sandbox.write("zeros.py", problem(1));
    sandbox.write(
        "z.toml",
        "repeats = 4\n[problem]\nplugin = \"zeros.py\"\n[[operators]]\nname = \
        \"random\"\nalgorithm = \"random-search\"\npopulation = 5\n[stop]\nevaluations = 30\n",
    );
    let expected = hash(&sandbox.run(&["z.toml", "--progress", "none"]).code(0));
    sandbox.write("zeros.py", problem(2));
    let base = ["challenge", "z.toml", "--hash", &expected, "--against", "results/z"];
    let ran = sandbox.run(&base).code(1);
    let ran = ran.says("random trial 0: best fitness").says("0 of 4 trials are the same");
    ran.says("why: the plugin zeros").says("is a different build").says("  published   r1-");
}

/// A fitness that depends on the version of Python: the version is named as the cause.
#[test]
fn another_version_of_python_is_named_as_the_cause() {
    if crate::python::python("sys").is_none() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.write(
        "late.py",
        "import platform\n\nfrom runner import Bits\n\nLATER = platform.python_version() == \
        \"3.99.0\"\n\n\nclass Problem:\n    def describe(self):\n        return Bits(12, \
        ideal=0)\n\n    def fitness(self, genome):\n        return sum(genome) + LATER\n",
    );
    sandbox.write(
        "z.toml",
        "repeats = 4\n[problem]\nplugin = \"late.py\"\n[[operators]]\nname = \
        \"random\"\nalgorithm = \"random-search\"\npopulation = 5\n[stop]\nevaluations = 30\n",
    );
    let expected = hash(&sandbox.run(&["z.toml", "--progress", "none"]).code(0));
    // Imported by Python when it starts, before anything asks for its version.
    sandbox.write(
        "another/sitecustomize.py",
        "import platform\n\nplatform.python_version = lambda: \"3.99.0\"\n",
    );
    let base = ["challenge", "z.toml", "--hash", &expected, "--against", "results/z"];
    let mut command = sandbox.command();
    command.args(base).env("PYTHONPATH", sandbox.path("another"));
    let ran = Ran::new(&mut command).code(1).says("0 of 4 trials are the same");
    ran.says("why: the plugin late ran in ").says(" and now runs in CPython 3.99.0");
}

/// The hash of an experiment that ships and runs in a moment; `cargo xtask published` compares all
/// of them after the main job.
#[test]
fn a_shipped_experiment_has_its_published_hash() {
    let sandbox = Sandbox::new();
    sandbox.write("every-board.toml", document("configs/every-board.toml"));
    let found = hash(&sandbox.run(&["every-board.toml", "--progress", "none"]).code(0));
    let published = document("configs/published.hashes");
    assert!(published.contains(&format!("\nevery-board {found}\n")), "{found}\n{published}");
}

/// Trials that are there would be kept, not run; and a hash in capitals is the same.
#[test]
fn a_challenge_runs_every_trial() {
    let sandbox = sandbox();
    let hash = published(&sandbox);
    let capitals = format!("r1-{}", hash[3..].to_ascii_uppercase());
    let challenge = ["challenge", "x.toml", "--hash", &capitals, "--out"];
    let ask = |out: &str| sandbox.run(&[&challenge[..], &[out]].concat());
    ask("results").code(2).warns("name another folder with --out, or none");
    ask("again").code(0).says("same: ");
    ask("again").code(2).warns("would not be run again");
    // Nor are those of a run that did not end.
    std::fs::create_dir_all(sandbox.path("begun/x/parts")).expect("a folder");
    ask("begun").code(2).warns("would not be run again");
}
