//! Nothing lost: kills, full disks, shards, plugins that die, verification, replay.

use crate::util::{Ran, Sandbox, eventually, number, root, rows, sized, tables, wait_for_lock};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::Value;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

/// Short trials of two arms, with a trace.
const QUEENS: &str = r#"
seed    = 5
repeats = 400
[problem]
plugin = "nqueens"
[[operators]]
name        = "tournament"
population  = 20
selection   = { kind = "tournament", size = 2 }
crossover   = "one-point"
mutation    = { kind = "reset", rate = 0.5 }
[stop]
generations = 40
[sweep]
"problem.n" = [6, 8]
[output]
trace = "best"
"#;

/// Kills at random moments, with any number of jobs, threads or processes, until the run ends; the
/// bytes are those of a run that nobody disturbed. `RUNNER_KILLS` says how many kills at least.
#[cfg(unix)]
#[test]
fn a_run_killed_again_and_again_gives_the_bytes_of_an_undisturbed_one() {
    let sandbox = Sandbox::new();
    // Long enough for several kills: some tenths of a second in a debug build, or a second.
    let repeats = format!("repeats = {}", sized(600, 4_000));
    sandbox.write("cut.toml", QUEENS.replace("repeats = 400", &repeats));
    sandbox.run(&["cut.toml", "--out", "whole"]).code(0);
    // Another whose trials end by what they tell.
    let width = sized(6, 3);
    let asking = format!("repeats = {{ half-width = 0.0{width}, max = 8000 }}");
    sandbox.write("asking/cut.toml", QUEENS.replace("repeats = 400", &asking));
    sandbox.run(&["asking/cut.toml", "--out", "asked"]).code(0);
    // A third whose searches are a plugin's, with a state of their own.
    let own = "[[operators]]\nname = \"own\"\nalgorithm = { plugin = \"breeding\", operator = \
        \"climb\", mutants = 20 }\n[stop]\n";
    let (before, after) = QUEENS.split_once("[[operators]]").expect("a set");
    let (_, after) = after.split_once("[stop]\n").expect("its end");
    let after = after.replace("problem.n\" = [6, 8]", "problem.length\" = [40, 60]");
    let own = format!("{before}{own}{after}").replace("nqueens", "onemax");
    sandbox.write("own/cut.toml", own.replace("repeats = 400", &repeats));
    sandbox.run(&["own/cut.toml", "--out", "owned"]).code(0);
    // A fourth whose fitness is noisy.
    let noisy = QUEENS
        .replace("\"nqueens\"", "\"onemax\"\nnoise = 0.3")
        .replace("\"reset\"", "\"bit-flip\"")
        .replace("[stop]", "noise = { evaluations-per-genome = 3 }\n[stop]")
        .replace("\"problem.n\" = [6, 8]", "\"problem.length\" = [20, 40]");
    sandbox.write("noisy/cut.toml", noisy.replace("repeats = 400", &repeats));
    sandbox.run(&["noisy/cut.toml", "--out", "noised"]).code(0);
    let runs = ["whole/cut", "asked/cut", "owned/cut", "noised/cut"];
    let expected = runs.map(|run| tables(&sandbox, run));
    let configs = ["cut.toml", "asking/cut.toml", "own/cut.toml", "noisy/cut.toml"];
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(41);
    let (wanted, mut kills, mut rounds) = (number("RUNNER_KILLS", sized(4, 40)), 0, 0);
    // Of each config at least one experiment.
    while kills < wanted || rounds < configs.len() as u64 {
        rounds += 1;
        assert!(rounds < 100 * wanted, "the run is too short to be killed");
        let (out, which) = (format!("out-{rounds}"), rounds as usize % configs.len());
        for tried in 1.. {
            let jobs = rng.random_range(1..=4).to_string();
            let isolation = if rng.random_bool(0.3) { "process" } else { "thread" };
            let mut command = sandbox.command();
            std::os::unix::process::CommandExt::process_group(&mut command, 0);
            let mut child = command
                .args([
                    configs[which],
                    "--progress",
                    "none",
                    "--out",
                    &out,
                    "--jobs",
                    &jobs,
                    "--isolation",
                    isolation,
                ])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("the binary starts");
            // Ever more, so that a busy machine comes to the end too.
            let longest = sized(300_000, 1_000_000) + 50_000 * tried * tried;
            let patience = Duration::from_micros(rng.random_range(0..longest));
            std::thread::sleep(patience);
            if let Some(status) = child.try_wait().expect("a child") {
                assert_eq!(status.code(), Some(0));
                break;
            }
            // The run alone, or its workers with it, as a terminal that is closed does.
            let group = rustix::process::Pid::from_child(&child);
            if rng.random_bool(0.5) {
                child.kill().expect("it was still running");
            } else {
                rustix::process::kill_process_group(group, rustix::process::Signal::KILL)
                    .expect("they were");
            }
            child.wait().expect("it ends");
            wait_for_lock(&sandbox.path(format!("{out}/cut")));
            kills += 1;
        }
        assert!(
            tables(&sandbox, &format!("{out}/cut")) == expected[which],
            "the bytes differ after {kills} kills"
        );
        std::fs::remove_dir_all(sandbox.path(&out)).expect("a folder");
    }
    eprintln!("{kills} kills survived, in {rounds} experiments");
}

/// Trials so short that whole row groups of the tables are written on the way, by whatever worker
/// has time.
const BLOCKS: &str = r#"
seed    = 6
repeats = 54_200
[problem]
plugin = "onemax"
length = 8
[[operators]]
name       = "few"
population = 2
selection  = "uniform"
mutation   = "bit-flip"
[[operators]]
name       = "more"
population = 3
selection  = "uniform"
mutation   = "bit-flip"
[stop]
generations = 1
"#;

/// Threads, kills and what is on the disk when they come change no byte, whether a row group was
/// written on the way or is put together at the end.
#[cfg(unix)]
#[test]
fn row_groups_written_on_the_way_are_those_of_an_undisturbed_run() {
    let sandbox = Sandbox::new();
    // A block of 50,000 trials and the beginning of another, or two blocks.
    let repeats = sized(27_100, 54_200).to_string();
    sandbox.write("blocks.toml", BLOCKS.replace("54_200", &repeats));
    // Without a trace there are no generations.
    let tables = |folder: &str| {
        ["trials", "summary"].map(|table| sandbox.read(&format!("{folder}/{table}.parquet")))
    };
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(43);
    sandbox.run(&["blocks.toml", "--out", "whole", "--jobs", "2"]).code(0);
    let expected = tables("whole/blocks");
    // Row groups of half a block, merged.
    let shards = ["1/2", "2/2"].map(|shard| {
        sandbox.run(&["blocks.toml", "--out", "shards", "--shard", shard]).code(0);
        format!("shards/blocks.shard-{}", shard.replace('/', "-of-"))
    });
    sandbox.run(&["merge", &shards[0], &shards[1], "--out", "merged"]).code(0);
    assert!(tables("merged/blocks") == expected);
    let all_jobs = ["7", "1", "2"];
    for jobs in &all_jobs[..sized(1, 3) as usize] {
        let out = format!("out-{jobs}");
        let arguments = ["blocks.toml", "--progress", "none", "--out", &out, "--jobs", jobs];
        for _ in 0..2 {
            let mut command = sandbox.command();
            let command = command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
            let mut child = command.spawn().expect("the binary starts");
            std::thread::sleep(Duration::from_millis(rng.random_range(300..3_000)));
            _ = child.kill();
            child.wait().expect("it ends");
            wait_for_lock(&sandbox.path(format!("{out}/blocks")));
        }
        sandbox.run(&arguments).code(0);
        assert!(tables(&format!("{out}/blocks")) == expected, "{jobs} jobs");
    }
}

/// Killed, a run has lost none of the trials that it had said were done: only those under way are
/// run again.
#[cfg(unix)]
#[test]
fn a_killed_run_loses_only_what_was_under_way() {
    use std::io::{BufRead, BufReader};
    let sandbox = Sandbox::new();
    sandbox.write("cut.toml", QUEENS.replace("repeats = 400", "repeats = 20000"));
    let done = |line: &str| {
        let event: serde_json::Value = serde_json::from_str(line).ok()?;
        event["trials_done"].as_u64()
    };
    let mut before = 0;
    for round in 0..6u64 {
        let mut child = sandbox
            .command()
            .args(["cut.toml", "--progress", "json", "--jobs", "2"])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let mut told = Vec::new();
        let lines =
            BufReader::new(child.stderr.take().expect("a pipe")).lines().map_while(Result::ok);
        for line in lines {
            told.extend(done(&line));
            // Not at the moments at which parts are written.
            if told.len() as u64 > 4 + round {
                _ = child.kill();
            }
        }
        let ended = child.wait().expect("it ends");
        wait_for_lock(&sandbox.path("results/cut"));
        let (first, last) = (told[0], told[told.len() - 1]);
        assert!(first >= before, "round {round}: {before} were done, {first} are found");
        if ended.success() {
            // On a quick machine it is done before it can be killed so often.
            assert!(round > 0, "the run is too short to be killed");
            break;
        }
        assert!(last > first, "something was done");
        before = last;
    }
}

/// A command whose files cannot grow beyond a limit, as on a disk that is full.
#[cfg(target_os = "linux")]
fn limited(sandbox: &Sandbox, kilobytes: u32, arguments: &[&str]) -> Ran {
    let mut shell = std::process::Command::new("bash");
    let script = format!("ulimit -f {kilobytes}; exec \"$@\"");
    shell.args(["-c", &script, "bash"]).arg(sandbox.command().get_program()).args(arguments);
    shell.current_dir(sandbox.path(".")).stdin(Stdio::null()).env_remove("RUNNER_PLUGIN_PATH");
    Ran::new(&mut shell)
}

/// With the limit gone the run goes on.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said_and_costs_nothing() {
    let sandbox = Sandbox::new();
    sandbox.write("full.toml", QUEENS);
    let mut failed = 0;
    for kilobytes in [1, 4, 16] {
        let ran = limited(&sandbox, kilobytes, &["full.toml", "--out", "out"]);
        if ran.code != Some(0) {
            failed += 1;
            ran.code(4).warns("free space");
        }
    }
    assert!(failed > 0, "the limit was never met");
    sandbox.run(&["full.toml", "--out", "out"]).code(0);
    sandbox.run(&["full.toml", "--out", "whole"]).code(0);
    assert!(tables(&sandbox, "out/full") == tables(&sandbox, "whole/full"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_cannot_be_written_whole_leaves_what_was_there() {
    let sandbox = Sandbox::new();
    let sweep = "\"stop.generations\" = [20, 40]";
    sandbox.write("x.toml", QUEENS.replace("\"problem.n\" = [6, 8]", sweep));
    sandbox.run(&["x.toml", "--repeats", "5"]).code(0);
    for (file, arguments) in [
        ("page.html", &["report", "results/x", "--out", "page.html"][..]),
        ("rows.parquet", &["compare", "results/x", "--parquet", "rows.parquet"]),
        ("boards/nqueens-0.svg", &["sample", "nqueens", "--format", "svg", "--out", "boards"]),
    ] {
        sandbox.write(file, "before");
        limited(&sandbox, 0, arguments).code(4).warns(file);
        assert_eq!(sandbox.read(file), b"before", "{file}");
    }
    let new = ["init", "new.toml", "--plugin", "onemax", "--question", "success", "--yes"];
    limited(&sandbox, 0, &new).code(4).warns("new.toml: cannot be written");
    let names = |folder: &str| {
        let read = std::fs::read_dir(sandbox.path(folder)).expect("a folder");
        let names = read.map(|entry| entry.expect("an entry").file_name());
        names.map(|name| name.to_string_lossy().into_owned()).collect::<Vec<_>>()
    };
    let left = [names("."), names("boards")].concat();
    let is_partial = |name: &String| name.contains("unfinished") || name.contains("new");
    assert!(!left.iter().any(is_partial), "{left:?}");
}

#[test]
fn merged_shards_are_the_bytes_of_a_whole_run() {
    let sandbox = Sandbox::new();
    sandbox.write("queens.toml", QUEENS);
    sandbox.run(&["queens.toml", "--out", "whole"]).code(0);
    let shard =
        |number: &str| sandbox.run(&["queens.toml", "--shard", number, "--out", "s"]).code(0);
    // Any order, one twice.
    for number in ["5/7", "1/7", "2/7", "7/7", "5/7", "4/7"] {
        shard(number).says(&format!("shard {number}"));
    }
    let folders = |numbers: &[u32]| {
        numbers.iter().map(|n| format!("s/queens.shard-{n}-of-7")).collect::<Vec<_>>()
    };
    let merge = |numbers: &[u32]| {
        sandbox.run(&[&["merge".to_owned()], &folders(numbers)[..], &["--out=m".into()]].concat())
    };
    merge(&[1, 2, 4, 5, 7]).code(4).warns("3/7 is missing").warns("6/7 is missing");
    assert!(!sandbox.path("m").exists(), "nothing is written before all is well");
    shard("3/7");
    shard("6/7");
    merge(&[6, 5, 4, 3, 2, 1, 7, 5]).code(0).says("Tables: ");
    assert!(tables(&sandbox, "m/queens") == tables(&sandbox, "whole/queens"));
    // Again, over what is there.
    merge(&[1, 2, 3, 4, 5, 6, 7]).code(0);
    assert!(tables(&sandbox, "m/queens") == tables(&sandbox, "whole/queens"));
    // Of another config.
    sandbox.run(&["queens.toml", "--shard", "6/7", "--out", "t", "--seed", "6"]).code(0);
    sandbox
        .run(&["merge", "s/queens.shard-1-of-7", "t/queens.shard-6-of-7"])
        .code(4)
        .warns("a different seed");
    sandbox.run(&["merge", "whole/queens"]).code(4).warns("not a shard");
    sandbox.run(&["merge", "nowhere"]).code(4).warns("does not exist");
    sandbox.run(&["queens.toml", "--shard", "8/7"]).code(2).warns("3/10");
}

fn faulty(sandbox: &Sandbox, fault: &str, more: &str) -> String {
    let file = format!("{fault}.toml");
    sandbox.write(
        &file,
        format!(
            "repeats = 12\n[problem]\nplugin = \"faulty\"\nfault = \"{fault}\"\nshare = \
            0.008\nlength = 16\n[[operators]]\nname = \"ga\"\npopulation = 8\nselection = \
            \"uniform\"\nmutation = \"bit-flip\"\n[stop]\ngenerations = 10\nfitness = -1\n{more}"
        ),
    );
    file
}

/// The trials that a fault does not befall are the same as without isolation and without the fault.
#[cfg(unix)]
#[test]
fn a_plugin_that_dies_costs_one_trial() {
    let sandbox = Sandbox::new();
    let run = |file: &str, more: &[&str]| {
        sandbox
            .run(&[&[file, "--isolation", "process", "--jobs", "2", "--out", "out"], more].concat())
    };
    for (fault, words) in [
        ("abort", "signal 6 (SIGABRT)"),
        ("segfault", "signal 11 (SIGSEGV)"),
        ("exit", "exited by itself with code 0"),
        ("corrupt", "signal"),
        ("allocate", "signal"),
    ] {
        let file = faulty(&sandbox, fault, "");
        let ran = run(&file, &["--worker-memory", "600"]).code(1).warns(words);
        let trials = rows(&sandbox, &[&format!("out/{fault}"), "--trials"]);
        assert_eq!(trials.len(), 12, "{ran}");
        let crashed = trials.iter().filter(|trial| trial["outcome"] == "crashed").count();
        let sane = trials.iter().filter(|trial| trial["outcome"] == "generations").count();
        assert!(
            crashed > 0 && sane > 0 && crashed + sane == 12,
            "{fault}: {crashed} crashed, {sane} ended well"
        );
        assert!(ran.stderr.contains(&format!("runner replay out/{fault} ga ")), "{ran}");
    }
    // The same trials fail each time: the tables are the same bytes.
    let file = faulty(&sandbox, "abort", "");
    sandbox.run(&[&file, "--isolation", "process", "--jobs", "1", "--out", "again"]).code(1);
    assert_eq!(
        sandbox.read("out/abort/trials.parquet"),
        sandbox.read("again/abort/trials.parquet")
    );
    // A plugin that prints does not disturb, and hangs cost their seconds.
    let file = faulty(&sandbox, "chatter", "");
    run(&file, &[]).code(0);
    let file = faulty(&sandbox, "endless", "keep-ended = true\ntrial-seconds = 0.2\n");
    run(&file, &[]).code(1).warns("did not come back within stop.trial-seconds = 0.2");
    let trials = rows(&sandbox, &["out/endless", "--trials"]);
    let count = |outcome: &str| trials.iter().filter(|trial| trial["outcome"] == outcome).count();
    assert!(
        count("timed-out") > 0 && count("timed-out") + count("generations") == 12,
        "{trials:?}"
    );
    // Their completed generations count: a smaller budget gives the same figures.
    let of = |row: &Value, key: &str| row[key].as_u64();
    let late: Vec<_> = trials.iter().filter(|row| row["outcome"] == "timed-out").collect();
    for row in &late {
        let evaluations = of(row, "evaluations").expect("a number");
        let of_generations = of(row, "generations").map(|completed| 8 * (completed + 1));
        assert!(evaluations == 0 || of_generations == Some(evaluations), "{row}");
        assert_eq!(row["best_fitness"] == Value::Null, evaluations == 0, "{row}");
        assert_eq!(row["best"], Value::Null, "{row}");
    }
    let longest = late.iter().max_by_key(|row| of(row, "evaluations")).expect("late trials");
    let evaluations = of(longest, "evaluations").filter(|evaluations| *evaluations > 8);
    let budget = format!("stop.evaluations={}", evaluations.expect("completed generations"));
    let more = ["--isolation", "process", "--jobs", "2", "--out", "short", "--set", &budget];
    sandbox.run(&[&[file.as_str()], &more[..]].concat());
    let short = rows(&sandbox, &["short/endless", "--trials"]);
    let same = short.iter().find(|row| row["trial"] == longest["trial"]).expect("the same trial");
    for figure in ["seed", "evaluations", "best_fitness", "evaluations_after_best"] {
        assert_eq!(same[figure], longest[figure], "{figure}: {same} {longest}");
    }
    assert_eq!(same["outcome"], "evaluations");
}

#[cfg(unix)]
#[test]
fn processes_give_the_bytes_of_threads() {
    let sandbox = Sandbox::new();
    sandbox.write("queens.toml", QUEENS);
    sandbox.run(&["queens.toml", "--out", "threads", "--set", "problem.encoding=rows"]).code(0);
    for jobs in ["1", "3"] {
        let set = ["--set", "problem.encoding=rows"];
        sandbox
            .run(
                &[
                    &["queens.toml", "--out", jobs, "--jobs", jobs, "--isolation", "process"],
                    &set[..],
                ]
                .concat(),
            )
            .code(0);
        assert!(tables(&sandbox, "threads/queens") == tables(&sandbox, &format!("{jobs}/queens")));
    }
}

#[test]
fn verification_finds_what_is_not_as_it_was() {
    let sandbox = Sandbox::new();
    sandbox.write("queens.toml", QUEENS);
    sandbox.run(&["queens.toml", "--repeats", "50", "--set", "operators.population=10"]).code(0);
    sandbox.run(&["verify", "results/queens"]).code(0).says("100 of 100 trials are the same");
    sandbox.run(&["verify", "results/queens", "--trials", "7"]).code(0).says("7 of 7");
    // The config that run.toml holds is no longer the one of the tables.
    let text = String::from_utf8(sandbox.read("results/queens/run.toml")).expect("UTF-8");
    sandbox.write("results/queens/run.toml", text.replace("seed    = 5", "seed    = 6"));
    sandbox
        .run(&["verify", "results/queens", "--all"])
        .code(1)
        .says("0 of 100 trials are the same")
        .says("why: unknown");
    sandbox.write("results/queens/run.toml", text.replace("blake3 = \"", "blake3 = \"0"));
    sandbox.run(&["verify", "results/queens"]).code(0);
    sandbox.run(&["verify", "nowhere"]).code(4).warns("does not exist");
    // A plugin that does not agree with itself.
    let file = faulty(&sandbox, "flaky", "").replace(".toml", "");
    sandbox.run(&[&format!("{file}.toml"), "--set", "problem.share=1.0"]).code(0);
    let ran = sandbox.run(&["verify", &format!("results/{file}")]).code(1);
    assert!(ran.stdout.contains("gives different results for the same trial"), "{ran}");
}

#[test]
fn a_trial_is_replayed_with_its_boards() {
    let sandbox = Sandbox::new();
    sandbox.write("queens.toml", QUEENS);
    sandbox.run(&["queens.toml", "--repeats", "5"]).code(0);
    let ran = sandbox.run(&["replay", "results/queens", "tournament problem.n=8", "3"]).code(0);
    let ran = ran.warns("the same as in the table").says("tournament problem.n=8 trial 3");
    assert!(ran.stdout.contains("generation 0, evaluation 1: fitness"), "{ran}");
    let trials = rows(&sandbox, &["results/queens", "--trials"]);
    let trial = trials
        .iter()
        .find(|trial| trial["trial"] == 3 && trial["problem.n"] == 8)
        .expect("the trial");
    let last =
        ran.stdout.lines().rfind(|line| line.starts_with("generation")).expect("an improvement");
    let best = trial["best_fitness"].as_f64().expect("a number");
    assert!(last.ends_with(&format!("fitness {best}")), "{last} {trial}");
    sandbox
        .run(&["replay", "results/queens", "tournament", "3"])
        .code(2)
        .warns("there is no single arm called");
}

/// A library whose bytes changed under one version.
#[test]
fn another_build_of_a_plugin_is_not_mixed_in() {
    let sandbox = Sandbox::new();
    sandbox.write("queens.toml", QUEENS);
    let name = format!("{}nqueens{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let library = std::fs::read(Path::new(crate::util::plugins()).join(&name)).expect("the plugin");
    let run = |repeats: &str, more: &[&str]| {
        sandbox.run(
            &[&["queens.toml", "--plugin-dir", "own", "--repeats", repeats, "--out", "out"], more]
                .concat(),
        )
    };
    sandbox.write(&format!("own/{name}"), &library);
    run("10", &[]).code(0);
    // Bytes behind the end of the file's last section change nothing but its hash.
    sandbox.write(&format!("own/{name}"), [&library[..], b"another build"].concat());
    run("20", &[])
        .code(3)
        .warns("another build of the plugin nqueens")
        .warns("--accept-plugin-change");
    run("10", &[]).code(0).warns("another build of the plugin nqueens");
    run("20", &["--accept-plugin-change"]).code(0);
    run("30", &[]).code(0);
    // Trial by trial they are those of one build, and the file says that two made them.
    sandbox.run(&["queens.toml", "--repeats", "30", "--out", "whole"]).code(0);
    let trials = |out: &str| {
        sandbox.run(&["show", &format!("{out}/queens"), "--trials", "--csv"]).code(0).stdout
    };
    assert_eq!(trials("out"), trials("whole"));
    assert!(tables(&sandbox, "out/queens") != tables(&sandbox, "whole/queens"));
}

/// Bytes written into a library that is in use may change its code.
#[cfg(target_os = "linux")]
#[test]
fn a_library_that_is_overwritten_while_its_trials_run_makes_no_table() {
    let sandbox = Sandbox::new();
    sandbox.write("queens.toml", QUEENS.replace("repeats = 400", "repeats = 100000000"));
    let library = crate::util::plugins().join("libnqueens.so");
    let own = sandbox.write("own/libnqueens.so", std::fs::read(library).expect("the plugin"));
    let begin = |out: &str| {
        let mut command = sandbox.command();
        command.args(["queens.toml", "--plugin-dir", "own", "--out", out, "--progress", "none"]);
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        let child = command.spawn().expect("a run");
        let journal = sandbox.path(format!("{out}/queens/parts/journal"));
        let has_trials = || std::fs::metadata(&journal).is_ok_and(|file| file.len() > 1_000);
        eventually("trials", has_trials);
        child
    };
    let end = |child: std::process::Child| {
        let run = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(run, rustix::process::Signal::INT).expect("it runs");
        let ended = child.wait_with_output().expect("an end");
        (ended.status.code(), String::from_utf8(ended.stderr).expect("UTF-8"))
    };
    // A new file in its place changes nothing.
    let run = begin("moved");
    std::fs::copy(&own, sandbox.path("new.so")).expect("a copy");
    let append = |path: &Path| {
        let file = std::fs::OpenOptions::new().append(true).open(path);
        std::io::Write::write_all(&mut file.expect("it is there"), b"new").expect("written");
    };
    append(&sandbox.path("new.so"));
    std::fs::rename(sandbox.path("new.so"), &own).expect("renamed");
    let (code, said) = end(run);
    assert_eq!(code, Some(130), "{said}");
    let run = begin("written");
    append(&own);
    let (code, said) = end(run);
    assert!(code == Some(3) && said.contains("was overwritten while its trials ran"), "{said}");
}

#[test]
fn a_config_writes_nowhere_else() {
    let sandbox = Sandbox::new();
    for name in ["../evil", "a/b", "..", ".", "", "a\\\\b", "/tmp/evil"] {
        sandbox.write("queens.toml", format!("name = \"{name}\"\n{QUEENS}"));
        sandbox.run(&["queens.toml", "--out", "deep/out"]).code(2);
        assert!(!sandbox.path("deep").exists() && !sandbox.path("evil").exists(), "{name}");
    }
    assert!(root().join("Cargo.toml").exists());
}

/// Runs that start at the same moment: one takes the folder, and each other one goes on from its
/// results, or is told that another run is there.
#[cfg(unix)]
#[test]
fn runs_that_start_at_once_wait_or_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("queens.toml", QUEENS.replace("400", "2"));
    for round in ["1", "2", "3", "4"] {
        let start = |_| {
            let mut run = sandbox.command();
            run.args(["queens.toml", "--out", round, "--progress", "none"]);
            run.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts")
        };
        let runs: Vec<_> = (0..8).map(start).collect();
        let ends: Vec<_> =
            runs.into_iter().map(|run| run.wait_with_output().expect("it ends")).collect();
        for end in &ends {
            let words = String::from_utf8_lossy(&end.stderr);
            let is_refused = words.contains("another run is writing to this folder");
            assert!(end.status.success() || is_refused, "{words}");
        }
        assert!(ends.iter().any(|end| end.status.success()));
    }
}
