//! Files that are damaged, missing or of elsewhere: what stands in a results folder is what the
//! config asked for, or words say that it is not.

use crate::faults::{SMALL, prepare};
use crate::util::{
    Ran, Sandbox, copy, eventually, number, plugins, rows, sized, tables, wait_for_lock,
};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// All files below a folder, by their names from there.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(under) = folders.pop() {
        for entry in fs::read_dir(folder.join(&under)).expect("a folder").flatten() {
            let name = under.join(entry.file_name());
            if entry.path().is_dir() { folders.push(name) } else { found.push(name) }
        }
    }
    found.sort();
    found
}

fn remove(path: &Path) {
    _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
}

#[cfg(unix)]
fn pipe(path: &Path) {
    rustix::fs::mkfifoat(rustix::fs::CWD, path, rustix::fs::Mode::RWXU).expect("a pipe");
}

#[cfg(not(unix))]
fn pipe(path: &Path) {
    fs::create_dir(path).expect("a folder");
}

const KINDS: [&str; 8] =
    ["cut", "flipped", "empty", "another's", "deleted", "a folder", "a pipe", "a link"];

/// Does to a file what `kind` says; `other` is its like in another experiment.
fn damage(path: &Path, kind: &str, other: &Path, rng: &mut Xoshiro256PlusPlus) {
    let mut bytes = fs::read(path).expect("a file");
    remove(path);
    match kind {
        "cut" if !bytes.is_empty() => bytes.truncate(rng.random_range(0..bytes.len())),
        "flipped" if !bytes.is_empty() => {
            let place = rng.random_range(0..bytes.len());
            bytes[place] ^= 1 << rng.random_range(0..8u32);
        }
        "another's" => bytes = fs::read(other).unwrap_or_default(),
        "deleted" => return,
        "a folder" => return fs::create_dir(path).expect("a folder"),
        "a pipe" => return pipe(path),
        #[cfg(unix)]
        "a link" => {
            let elsewhere = path.with_file_name("elsewhere");
            fs::write(&elsewhere, &bytes).expect("a file");
            return std::os::unix::fs::symlink(elsewhere, path).expect("a link");
        }
        _ => bytes.clear(),
    }
    fs::write(path, bytes).expect("a file");
}

/// The folder that is not finished, of a start that has one.
fn begun(start: &str) -> &'static str {
    if start == "parts" { "out/small" } else { "shards/small.shard-1-of-2" }
}

/// Each file of a results folder, damaged in each way: readers say what is there or that they
/// cannot, the run or merge ends in the tables of an undisturbed one, at the latest when what is no
/// file is out of the way. `RUNNER_DAMAGE` says how many.
#[test]
fn no_damage_makes_a_table_lie() {
    let sandbox = Sandbox::new();
    prepare(&sandbox);
    // The same folders of another experiment of the same name.
    let foreign = Sandbox::new();
    prepare(&foreign);
    for start in ["tables", "parts", "shards"] {
        let (from, to) =
            (foreign.path(format!("starts/{start}")), sandbox.path(format!("foreign/{start}")));
        copy(&from, &to);
    }
    for (start, folder) in [("tables", "out"), ("parts", "out"), ("shards", "shards")] {
        let out = format!("foreign/{start}/{folder}");
        remove(&sandbox.path(&out));
        let more: &[&[&str]] = match start {
            "shards" => &[&["--shard", "1/2"], &["--shard", "2/2"]],
            "parts" => &[&["--shard", "1/1"]],
            _ => &[&[]],
        };
        for more in more {
            sandbox
                .run(
                    &[&["small.toml", "--seed", "6", "--repeats", "13", "--out", &out], *more]
                        .concat(),
                )
                .code(0);
        }
    }
    let merged =
        ["merge", "shards/small.shard-1-of-2", "shards/small.shard-2-of-2", "--out", "out"];
    let starts: [(&str, &str, &[&str]); 3] = [
        ("tables", "out/small", &["small.toml", "--out", "out"]),
        ("parts", "out/small", &["small.toml", "--out", "out"]),
        ("shards", "shards", &merged),
    ];
    let whole = tables(&sandbox, "whole/small");
    let shown = sandbox.run(&["show", "starts/tables/out/small", "--csv"]).code(0).stdout;
    let listed =
        sandbox.run(&["show", "starts/tables/out/small", "--trials", "--csv"]).code(0).stdout;
    // What readers say of runs that are not finished, before the damage.
    let mut unfinished = BTreeMap::new();
    for start in ["parts", "shards"] {
        for out in ["out", "shards"] {
            remove(&sandbox.path(out));
        }
        copy(&sandbox.path(format!("starts/{start}")), &sandbox.path("."));
        let ran = sandbox.run(&["show", begun(start), "--trials", "--csv"]).code(0);
        unfinished.insert(start, ran.stdout);
    }
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(53);
    let (mut at_once, mut helped, mut told) = (0, 0, 0);
    for tried in 0..number("RUNNER_DAMAGE", sized(16, 200)) {
        let (start, folder, command) = starts[tried as usize % starts.len()];
        for out in ["out", "shards"] {
            remove(&sandbox.path(out));
        }
        copy(&sandbox.path(format!("starts/{start}")), &sandbox.path("."));
        let all = files(&sandbox.path(folder));
        let name = &all[rng.random_range(0..all.len())];
        let kind = KINDS[rng.random_range(0..KINDS.len())];
        let path = sandbox.path(folder).join(name);
        damage(
            &path,
            kind,
            &sandbox.path(format!("foreign/{start}")).join(folder).join(name),
            &mut rng,
        );
        let what = format!("{start}: {} is {kind}", name.display());
        // Whoever reads the finished folder gets what was in it, or words.
        if start == "tables" {
            for (more, sound) in [(&["--csv"][..], &shown), (&["--trials", "--csv"], &listed)] {
                let ran = sandbox.run(&[&["show", "out/small"], more].concat());
                match ran.code {
                    Some(0) => assert!(ran.stdout == *sound, "{what}\n{ran}"),
                    Some(4) => {
                        told += 1;
                        assert!(ran.stderr.contains("error: "), "{what}\n{ran}");
                    }
                    _ => panic!("{what}\n{ran}"),
                }
            }
        } else {
            let ran = sandbox.run(&["show", begun(start), "--trials", "--csv"]);
            assert!(matches!(ran.code, Some(0 | 4)), "{what}\n{ran}");
            // A crash may leave a file that is missing or ends early, but flips no bit.
            if kind == "flipped" && ran.code == Some(0) {
                assert!(ran.stdout == unfinished[start], "{what}\n{ran}");
            }
        }
        let ran = sandbox.run(command);
        if ran.code == Some(0) {
            at_once += 1;
        } else {
            helped += 1;
            assert!(ran.code == Some(4) && ran.stderr.contains("error: "), "{what}\n{ran}");
            // As the message says: what is no file goes out of the way, and a shard is run again.
            if matches!(kind, "a folder" | "a pipe" | "a link") {
                remove(&path);
            }
            if start == "shards" {
                for shard in ["1/2", "2/2"] {
                    let again = sandbox.run(&["small.toml", "--shard", shard, "--out", "shards"]);
                    let again = again.code(0);
                    assert!(!again.stderr.contains("error"), "{what}\n{ran}\n{again}");
                }
            }
            sandbox.run(command).code(0);
        }
        assert!(tables(&sandbox, "out/small") == whole, "other tables: {what}\n{ran}");
        if (tried + 1).is_multiple_of(100) {
            eprintln!(
                "{} damaged: {at_once} mended at once, {helped} with help, {told} told readers",
                tried + 1
            );
        }
    }
    assert!(
        at_once > 0 && helped > 0 && told > 0,
        "{at_once} mended at once, {helped} with help, {told} told readers"
    );
    eprintln!("damaged: {at_once} mended at once, {helped} with help, {told} told readers");
}

fn flip(path: &Path) {
    let mut bytes = fs::read(path).expect("a file");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(path, bytes).expect("a file");
}

/// Runs a shard of the small experiment.
fn shard(sandbox: &Sandbox, number: &str) -> Ran {
    sandbox.run(&["small.toml", "--shard", number, "--out", "s"]).code(0)
}

/// Merges both shards of the small experiment.
fn merge(sandbox: &Sandbox) -> Ran {
    sandbox.run(&["merge", "s/small.shard-1-of-2", "s/small.shard-2-of-2", "--out", "m"])
}

#[test]
fn a_merge_with_a_damaged_part_says_so_and_writes_nothing() {
    let sandbox = Sandbox::new();
    sandbox.write("small.toml", SMALL);
    sandbox.run(&["small.toml", "--out", "whole"]).code(0);
    let shard = |number: &str| shard(&sandbox, number);
    let merge = || merge(&sandbox);
    shard("1/2");
    shard("2/2");
    flip(&sandbox.path("s/small.shard-2-of-2/parts/whole"));
    merge().code(4).warns("trials are lost").warns("run shard 2/2 again");
    assert!(!sandbox.path("m").exists());
    shard("2/2").warns("copied to");
    merge().code(0);
    assert!(tables(&sandbox, "m/small") == tables(&sandbox, "whole/small"));
}

/// Shards that an earlier version began are neither merged nor gone on with: they say so.
/// A shard whose blocks are all sound lost no trial: its run writes the index anew.
#[test]
fn a_run_mends_a_shard_whose_index_alone_is_damaged() {
    let sandbox = Sandbox::new();
    sandbox.write("small.toml", SMALL);
    let shard = |number: &str| shard(&sandbox, number);
    let merge = || merge(&sandbox);
    shard("1/2");
    shard("2/2");
    let path = sandbox.path("s/small.shard-2-of-2/parts/whole");
    let mut bytes = fs::read(&path).expect("a segment");
    // The file ends with the index and its place, 8 bytes.
    let place = bytes.len() - 20;
    bytes[place] ^= 1;
    fs::write(&path, bytes).expect("a file");
    merge().code(4).warns("its index is damaged").warns("run shard 2/2 again");
    shard("2/2");
    merge().code(0);
}

#[test]
fn a_shard_of_an_earlier_version_is_named() {
    let sandbox = Sandbox::new();
    sandbox.write("small.toml", SMALL);
    sandbox.run(&["small.toml", "--out", "whole"]).code(0);
    sandbox.run(&["small.toml", "--shard", "1/1", "--out", "s"]).code(0);
    fs::remove_file(sandbox.path("s/small.shard-1-of-1/parts/whole")).expect("a file");
    let part = "s/small.shard-1-of-1/parts/trials-0-000000.parquet";
    sandbox.write(part, sandbox.read("whole/small/trials.parquet"));
    for command in
        [&["small.toml", "--shard", "1/1", "--out", "s"][..], &["merge", "s/small.shard-1-of-1"]]
    {
        sandbox
            .run(command)
            .code(4)
            .warns("trials-0-000000.parquet: an earlier version of the runner wrote this part");
    }
}

/// The nqueens plugin as a file of its own, whose bytes a test may change behind the last section:
/// nothing changes but its hash.
fn own_plugin(sandbox: &Sandbox, more: &[u8]) {
    let name = format!("{}nqueens{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let library = fs::read(plugins().join(&name)).expect("the plugin");
    sandbox.write(&format!("own/{name}"), [&library[..], more].concat());
}

#[test]
fn a_merge_never_mixes_builds_with_what_is_there() {
    let sandbox = Sandbox::new();
    sandbox.write("small.toml", SMALL);
    let run = |more: &[&str]| sandbox.run(&[&["small.toml", "--plugin-dir", "own"], more].concat());
    own_plugin(&sandbox, b"");
    run(&["--out", "m"]).code(0);
    let before = tables(&sandbox, "m/small");
    own_plugin(&sandbox, b"another build");
    run(&["--out", "s", "--shard", "1/1"]).code(0);
    let merge = |out: &str| sandbox.run(&["merge", "s/small.shard-1-of-1", "--out", out]);
    merge("m").code(4).warns("a different build of the plugin");
    assert!(tables(&sandbox, "m/small") == before, "nothing was touched");
    merge("elsewhere").code(0);
    run(&["--out", "whole"]).code(0);
    assert!(tables(&sandbox, "elsewhere/small") == tables(&sandbox, "whole/small"));
}

#[test]
fn a_merge_mixes_builds_where_that_is_accepted() {
    let sandbox = Sandbox::new();
    sandbox.write("small.toml", SMALL);
    let run = |more: &[&str]| sandbox.run(&[&["small.toml", "--plugin-dir", "own"], more].concat());
    own_plugin(&sandbox, b"");
    run(&["--out", "s", "--shard", "1/2"]).code(0);
    run(&["--out", "whole"]).code(0);
    own_plugin(&sandbox, b"another build");
    run(&["--out", "s", "--shard", "2/2"]).code(0);
    let merge = |more: &[&str]| {
        let shards = ["merge", "s/small.shard-1-of-2", "s/small.shard-2-of-2", "--out", "m"];
        sandbox.run(&[&shards[..], more].concat())
    };
    merge(&[]).code(4).warns("a different build of the plugin").warns("--accept-plugin-change");
    assert!(!sandbox.path("m/small/trials.parquet").exists());
    merge(&["--accept-plugin-change"]).code(0);
    // The same trials, in files that name both builds.
    let shown = |folder: &str| rows(&sandbox, &[folder, "--trials", "--rows", "100000"]);
    assert_eq!(shown("m/small"), shown("whole/small"));
    let builds = |folder: &str| -> Vec<String> {
        let run = String::from_utf8(sandbox.read(&format!("{folder}/run.toml"))).expect("UTF-8");
        let lines = run.lines().filter_map(|line| line.trim().strip_prefix("blake3 = \""));
        lines.map(|line| line.trim_end_matches('"').to_owned()).collect()
    };
    let both = ["s/small.shard-1-of-2", "s/small.shard-2-of-2"].map(builds).concat();
    assert!(both.len() == 2 && both[0] != both[1], "{both:?}");
    let table = sandbox.read("m/small/trials.parquet");
    let names = |build: &String| table.windows(build.len()).any(|part| part == build.as_bytes());
    assert!(both.iter().all(names), "{both:?}");
    // What was accepted holds for these two builds: each goes on, and a third one does not.
    run(&["--out", "m", "--repeats", "50"]).code(0);
    own_plugin(&sandbox, b"a third build");
    run(&["--out", "m", "--repeats", "60"]).code(3).warns("--accept-plugin-change");
    // Nor are they merged into what one build made, unless that is accepted.
    own_plugin(&sandbox, b"");
    run(&["--out", "one"]).code(0);
    let into = |more: &[&str]| {
        let shard = ["merge", "t/small.shard-1-of-1", "--out", "one"];
        sandbox.run(&[&shard[..], more].concat())
    };
    own_plugin(&sandbox, b"another build");
    run(&["--out", "t", "--shard", "1/1"]).code(0);
    into(&[]).code(4).warns("a different build of the plugin");
    into(&["--accept-plugin-change"]).code(0);
    assert_eq!(shown("one/small"), shown("whole/small"));
}

#[test]
fn a_merge_notices_other_results_of_the_same_trials() {
    let sandbox = Sandbox::new();
    let config = "repeats = 20\n[problem]\nplugin = \"faulty\"\nfault = \"flaky\"\nshare = \
        1.0\nlength = 16\n[[operators]]\nname = \"ga\"\npopulation = 8\nselection = \
        \"uniform\"\nmutation = \"bit-flip\"\n[stop]\ngenerations = 10\nfitness = -1\n";
    sandbox.write("flaky.toml", config);
    sandbox.run(&["flaky.toml", "--out", "m"]).code(0);
    sandbox.run(&["flaky.toml", "--out", "s", "--shard", "1/1"]).code(0);
    sandbox
        .run(&["merge", "s/flaky.shard-1-of-1", "--out", "m"])
        .code(4)
        .warns("has a different result than in m");
}

/// Which build made the trials, the tables say themselves: a run that had nothing to do does not
/// hide it, nor does a missing run.toml.
#[test]
fn builds_are_told_apart_without_run_toml() {
    let sandbox = Sandbox::new();
    sandbox.write("small.toml", SMALL);
    let run = |repeats: &str| {
        sandbox.run(&["small.toml", "--plugin-dir", "own", "--repeats", repeats, "--out", "out"])
    };
    own_plugin(&sandbox, b"");
    run("10").code(0);
    own_plugin(&sandbox, b"another build");
    run("10").code(0).warns("another build of the plugin nqueens");
    run("20").code(3).warns("another build of the plugin nqueens").warns("--accept-plugin-change");
    // The finished results are as they were.
    let shown = sandbox.run(&["show", "out/small"]).code(0);
    assert!(!shown.stdout.contains("repeats 20"), "{}", shown.stdout);
    assert!(!sandbox.path("out/small/parts/plan.json").exists());
    fs::remove_file(sandbox.path("out/small/run.toml")).expect("a file");
    run("20").code(3);
    sandbox.write("out/small/run.toml", "no = TOML =");
    run("20").code(3);
    run("10").code(0).warns("run.toml: cannot be read").warns("a new one was started");
    assert!(sandbox.path("out/small/damaged/001/run.toml").exists());
    own_plugin(&sandbox, b"");
    run("20").code(0);
    sandbox
        .run(&["small.toml", "--plugin-dir", "own", "--repeats", "20", "--out", "whole"])
        .code(0);
    assert!(tables(&sandbox, "out/small") == tables(&sandbox, "whole/small"));
    // A part of another build that someone puts there is not mixed in either.
    own_plugin(&sandbox, b"another build");
    sandbox.run(&["small.toml", "--plugin-dir", "own", "--shard", "1/1", "--out", "s"]).code(0);
    copy(&sandbox.path("s/small.shard-1-of-1/parts"), &sandbox.path("out/small/parts"));
    own_plugin(&sandbox, b"");
    fs::remove_file(sandbox.path("out/small/parts/plan.json")).expect("a file");
    run("40").code(3).warns("another build of the plugin nqueens");
    run("40").code(3);
    sandbox
        .run(&["small.toml", "--plugin-dir", "own", "--out", "out", "--accept-plugin-change"])
        .code(0);
}

/// Another experiment's files, sound as they are, are named and not counted.
#[test]
fn strangers_are_named() {
    let sandbox = Sandbox::new();
    sandbox.write("small.toml", SMALL);
    let run = |more: &[&str]| sandbox.run(&[&["small.toml"], more].concat()).code(0);
    run(&["--out", "own"]);
    run(&["--out", "other", "--seed", "6"]);
    run(&["--out", "fewer", "--repeats", "10"]);
    let swap = |from: &str, table: &str| {
        remove(&sandbox.path("out"));
        copy(&sandbox.path("own"), &sandbox.path("out"));
        let name = format!("small/{table}.parquet");
        fs::copy(sandbox.path(from).join(&name), sandbox.path("out").join(&name)).expect("a file");
    };
    let mends = |words: &str| {
        sandbox.run(&["small.toml", "--out", "out"]).code(0).warns(words);
        assert!(tables(&sandbox, "out/small") == tables(&sandbox, "own/small"), "{words}");
    };
    swap("other", "generations");
    mends("generations.parquet: from the experiment `small` with seed 6");
    swap("other", "trials");
    mends("trials.parquet: from the experiment `small` with seed 6");
    swap("fewer", "generations");
    mends("they ran without output.trace = \"best\" and are run again");
    // A summary is that of the trials beside it, and no other.
    for from in ["other", "fewer"] {
        swap(from, "summary");
        for command in [
            &["show", "out/small"][..],
            &["compare", "out/small"],
            &["plot", "out/small", "--terminal"],
        ] {
            let ran = sandbox.run(command);
            assert!(
                ran.code != Some(0) && ran.stderr.contains("summary.parquet: it belongs to"),
                "{ran}"
            );
        }
        let ran = sandbox.run(&["small.toml", "--out", "out"]).code(0);
        assert!(tables(&sandbox, "out/small") == tables(&sandbox, "own/small"));
        if from == "other" {
            ran.warns("summary.parquet: from the experiment `small` with seed 6");
        }
    }
    let mut bytes = sandbox.read("out/small/summary.parquet");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    sandbox.write("out/small/summary.parquet", bytes);
    let ran = sandbox.run(&["small.toml", "--out", "out"]).code(0);
    ran.warns("summary.parquet: cannot be read").warns("it is made anew");
    assert!(tables(&sandbox, "out/small") == tables(&sandbox, "own/small"));
    swap("other", "generations");
    let ran = sandbox.run(&["plot", "out/small", "--terminal"]);
    assert!(
        ran.code != Some(0) && ran.stderr.contains("generations.parquet: it belongs to"),
        "{ran}"
    );
}

/// The plan of an unfinished folder is what a run wrote, or nothing is shown.
#[test]
fn a_changed_plan_is_noticed() {
    let sandbox = Sandbox::new();
    sandbox.write("small.toml", SMALL);
    sandbox.run(&["small.toml", "--shard", "1/2", "--out", "s"]).code(0);
    let plan = "s/small.shard-1-of-2/parts/plan.json";
    let text = String::from_utf8(sandbox.read(plan)).expect("UTF-8");
    assert!(text.contains("\"seed\":5"), "{text}");
    sandbox.write(plan, text.replace("\"seed\":5", "\"seed\":7"));
    for command in ["show", "compare", "merge"] {
        sandbox
            .run(&[command, "s/small.shard-1-of-2"])
            .code(4)
            .warns("changed or damaged after a run wrote it");
    }
    sandbox.run(&["small.toml", "--shard", "1/2", "--out", "s"]).code(0);
    sandbox.run(&["show", "s/small.shard-1-of-2"]).code(0);
}

/// One bit in the journal costs its trial alone, and is said.
#[cfg(unix)]
#[test]
fn a_flipped_bit_in_the_journal_costs_one_trial() {
    let sandbox = Sandbox::new();
    prepare(&sandbox);
    copy(&sandbox.path("starts/parts"), &sandbox.path("."));
    let done = |folder: &str| -> u64 {
        let summary = rows(&sandbox, &[folder]);
        let count = |row: &serde_json::Value, name: &str| row[name].as_u64().expect("a number");
        summary.iter().map(|row| count(row, "trials") + count(row, "failures")).sum()
    };
    // 26 trials are in the tables, 6 in a segment, 8 in the journal: all of them are shown.
    assert_eq!(done("out/small"), 40);
    flip(&sandbox.path("out/small/parts/journal"));
    // A reader does not leave a trial out: it says that the journal is damaged.
    for reader in [&["show", "out/small"][..], &["compare", "out/small"]] {
        sandbox.run(reader).code(4).warns("parts/journal");
    }
    let ran =
        sandbox.run(&["small.toml", "--out", "out"]).code(0).warns("their trials are run again");
    let text = String::from_utf8(sandbox.read("out/small/run.toml")).expect("UTF-8");
    assert!(text.contains("trials-before = 39"), "{text}\n{ran}");
    assert!(tables(&sandbox, "out/small") == tables(&sandbox, "whole/small"));
}

/// What is no file in a file's place is named before it is read; a pipe is not waited for.
#[cfg(unix)]
#[test]
fn pipes_and_links_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("small.toml", SMALL);
    sandbox.write("elsewhere", "mine");
    for name in ["parts/journal", "parts/plan.json", "run.toml", "trials.parquet", ".lock"] {
        for kind in ["a symbolic link", "a pipe"] {
            remove(&sandbox.path("out"));
            let path = sandbox.write(&format!("out/small/{name}"), "");
            remove(&path);
            if kind == "a pipe" {
                pipe(&path);
            } else {
                std::os::unix::fs::symlink(sandbox.path("elsewhere"), &path).expect("a link");
            }
            sandbox.run(&["small.toml", "--out", "out"]).code(4).warns(name).warns(kind);
            assert_eq!(sandbox.read("elsewhere"), b"mine");
            remove(&path);
            sandbox.run(&["small.toml", "--out", "out"]).code(0);
        }
    }
}

/// A part whose name no run gives is left alone.
#[test]
fn a_part_with_an_endless_number_is_left_alone() {
    let sandbox = Sandbox::new();
    sandbox.write("small.toml", SMALL);
    sandbox.run(&["small.toml", "--out", "whole"]).code(0);
    let bytes = sandbox.read("whole/small/trials.parquet");
    let names = [
        "trials-4294967295-000001",
        "trials-0-18446744073709551615",
        "trials-0-1",
        "trials-x-000001",
    ];
    for name in names {
        sandbox.write(&format!("out/small/parts/{name}.parquet"), &bytes);
    }
    let ran = sandbox.run(&["small.toml", "--out", "out"]).code(0);
    for name in names {
        assert!(
            ran.stderr.contains(&format!("{name}.parquet: not a name of a part file")),
            "{ran}"
        );
        assert_eq!(sandbox.read(&format!("out/small/parts/{name}.parquet")), bytes);
    }
    assert!(tables(&sandbox, "out/small") == tables(&sandbox, "whole/small"));
}

/// A shard of more trials than there is memory for a bit each.
#[cfg(unix)]
#[test]
fn a_shard_of_a_million_million_trials_goes_on() {
    use std::io::{BufRead, BufReader};
    let sandbox = Sandbox::new();
    sandbox.write("small.toml", SMALL);
    let mut before = 0;
    for _ in 0..2 {
        let mut child = sandbox
            .command()
            .args([
                "small.toml",
                "--shard",
                "3/3",
                "--repeats",
                "1000000000000",
                "--progress",
                "json",
            ])
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let mut told = Vec::new();
        for line in
            BufReader::new(child.stderr.take().expect("a pipe")).lines().map_while(Result::ok)
        {
            let event: serde_json::Value = serde_json::from_str(&line).unwrap_or_default();
            told.extend(event["trials_done"].as_u64());
            if told.len() > 5 {
                child.kill().expect("it runs for years");
                break;
            }
        }
        child.wait().expect("it ends");
        wait_for_lock(&sandbox.path("results/small.shard-3-of-3"));
        assert!(told[0] >= before && told[5] > told[0], "{told:?} after {before}");
        before = told[5];
    }
    let ran = sandbox.run(&["merge", "results/small.shard-3-of-3"]).code(4);
    assert!(ran.stderr.contains("2/3 is missing (666,666,666,666 trials)"), "{ran}");
}

/// The file that describes a submission, damaged in each way: `status` says how far it is or that
/// it cannot be read, and the same when the file is whole again. `RUNNER_DAMAGE` says how many.
#[cfg(unix)]
#[test]
fn a_damaged_submission_is_told() {
    let sandbox = Sandbox::new();
    sandbox.write("small.toml", SMALL);
    let submit = ["submit", "kubernetes", "small.toml", "--shards", "3"];
    sandbox.run(&submit).code(0);
    sandbox.run(&[&submit[..], &["--out", "other", "--seed", "9"]].concat()).code(0);
    let path = sandbox.path("results/small.submission/submission.toml");
    let other = sandbox.path("other/small.submission/submission.toml");
    let whole = fs::read(&path).expect("a submission");
    let sound = sandbox.run(&["status", "results/small"]).code(1).stdout;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(54);
    for _ in 0..number("RUNNER_DAMAGE", sized(16, 200)) {
        let kind = KINDS[rng.random_range(0..KINDS.len())];
        damage(&path, kind, &other, &mut rng);
        let ran = crate::hostile::ends(&sandbox, &["status", "results/small"]);
        let words = !ran.stderr.contains("panicked") && !ran.stderr.contains("backtrace");
        // A letter of a path or a name may be another one, and the status still one of it.
        let told = ran.code <= Some(1) || ran.stderr.contains("error: ");
        assert!(words && told && matches!(ran.code, Some(0..=4)), "{kind}\n{ran}");
        remove(&path);
        fs::write(&path, &whole).expect("a file");
    }
    assert_eq!(sandbox.run(&["status", "results/small"]).code(1).stdout, sound);
}

/// A run whose folder is renamed ends soon, and not when its last trial is done; with the folder
/// back in its place it goes on.
#[test]
fn a_folder_that_is_renamed_while_a_run_writes_ends_the_run() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "long.toml",
        "repeats = 1_000_000_000\n[problem]\nplugin = \"onemax\"\nlength = 200\n[[operators]]\n\
        population = 20\nselection = \"uniform\"\nmutation = \"bit-flip\"\n[stop]\nevaluations = \
        20_000\n",
    );
    let mut command = sandbox.command();
    command.args(["long.toml", "--progress", "json"]).stdout(Stdio::null()).stderr(Stdio::piped());
    let run = command.spawn().expect("the binary starts");
    let journal = sandbox.path("results/long/parts/journal");
    eventually("trials finish", || journal.metadata().is_ok_and(|journal| journal.len() > 0));
    std::fs::rename(sandbox.path("results/long"), sandbox.path("moved")).expect("a folder");
    let output = run.wait_with_output().expect("it ends by itself");
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{told}");
    assert!(told.contains("the folder was renamed or deleted while a run wrote to it"), "{told}");
    std::fs::rename(sandbox.path("moved"), sandbox.path("results/long")).expect("a folder");
    sandbox.run(&["long.toml", "--repeats", "1"]).code(0).warns("1 of them already done");
    // Another run that began in a new folder of the name keeps its own.
    let mut command = sandbox.command();
    command.args(["long.toml", "--progress", "json"]).stdout(Stdio::null()).stderr(Stdio::piped());
    let run = command.spawn().expect("the binary starts");
    eventually("trials finish", || journal.metadata().is_ok_and(|journal| journal.len() > 1000));
    std::fs::rename(sandbox.path("results/long"), sandbox.path("moved")).expect("a folder");
    std::fs::create_dir_all(sandbox.path("results/long/parts")).expect("a folder");
    std::fs::write(&journal, "its own").expect("a file");
    let output = run.wait_with_output().expect("it ends by itself");
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{told}");
    assert!(told.contains("the folder was renamed or deleted while a run wrote to it"), "{told}");
    assert_eq!(std::fs::read(&journal).expect("a file"), b"its own");
    assert!(!sandbox.path("results/long/trials.parquet").exists());
}
