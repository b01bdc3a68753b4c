//! Results, plugins and configs of strangers: what they name is not loaded, what they link to is
//! not written, and what they say drives neither terminal nor browser nor spreadsheet.

use crate::util::{Ran, Sandbox, copy_program, plugins, rows};
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const ONEMAX: &str = r#"
repeats = 20
[problem]
plugin = "PLUGIN"
length = 12
[[operators]]
preset = "simple-ga"
population = 10
[stop]
generations = 10
"#;

const HOSTILE: &str = r#"
repeats = 5
[problem]
plugin = "faulty"
fault = "FAULT"
[[operators]]
name = "=1+1"
algorithm = "random-search"
population = 4
[stop]
evaluations = 40
[sweep]
"problem.note" = ["right \u202eto left\u2066"]
"#;

/// The file name of the plugin `onemax`.
fn library() -> String {
    format!("{DLL_PREFIX}onemax{DLL_SUFFIX}")
}

/// A copy of the program that has no plugins beside it.
fn alone(sandbox: &Sandbox) -> PathBuf {
    let program = sandbox.path("bin/runner");
    if !program.exists() {
        copy_program(Path::new(env!("CARGO_BIN_EXE_runner")), &program);
    }
    program
}

fn run_alone(sandbox: &Sandbox, arguments: &[&str]) -> Ran {
    let mut command = Command::new(alone(sandbox));
    command
        .args(arguments)
        .current_dir(sandbox.path(""))
        .env_remove("RUNNER_PLUGIN_PATH")
        .env("XDG_STATE_HOME", sandbox.path("state"))
        .env("NO_COLOR", "1");
    Ran::new(&mut command)
}

/// Runs an experiment with a plugin in `folder`, which is not on the search path; `named` is how
/// its config names it.
fn experiment(sandbox: &Sandbox, folder: &str, named: &str) {
    fs::create_dir_all(sandbox.path(folder)).expect("a folder");
    fs::copy(plugins().join(library()), sandbox.path(folder).join(library()))
        .expect("a copy of the plugin");
    sandbox.write("x.toml", ONEMAX.replace("PLUGIN", named));
    run_alone(sandbox, &["x.toml", "--plugin-dir", folder]).code(0);
    // As if somebody else had made the results.
    fs::remove_dir_all(sandbox.path("state")).expect("notes on the plugin");
}

const AGAIN: [&[&str]; 3] = [
    &["replay", "results/x", "simple-ga", "3"],
    &["verify", "results/x"],
    &["plot", "results/x", "--trial", "simple-ga", "3", "--format", "svg"],
];

#[cfg(unix)]
#[test]
fn results_find_their_plugin_or_say_what_to_type() {
    let sandbox = Sandbox::new();
    experiment(&sandbox, "my plugins", "onemax");
    for command in AGAIN {
        let ran = run_alone(&sandbox, command).code(3);
        let lines: Vec<&str> =
            ran.stderr.lines().filter(|line| line.starts_with("  runner ")).collect();
        let [with_folder, with_trust] = lines.as_slice() else { panic!("{ran}") };
        assert!(
            with_folder.contains(" --plugin-dir '/") && with_trust.ends_with(" --trust"),
            "{ran}"
        );
        for line in lines {
            let mut shell = Command::new("sh");
            shell
                .arg("-c")
                .arg(line.replacen("runner", "exec bin/runner", 1))
                .current_dir(sandbox.path(""));
            Ran::new(&mut shell).code(0);
        }
        let mut listed = Command::new(alone(&sandbox));
        listed.args(command).current_dir(sandbox.path("")).env("RUNNER_PLUGIN_PATH", "my plugins");
        Ran::new(&mut listed).code(0);
    }
    let ran = run_alone(&sandbox, &["report", "results/x"])
        .code(0)
        .warns("note: no boards: ")
        .warns(" --trust");
    assert!(ran.stderr.contains("runner report results/x --plugin-dir '/"), "{ran}");
}

#[test]
fn of_several_builds_the_recorded_one_is_taken() {
    let sandbox = Sandbox::new();
    experiment(&sandbox, "right", "onemax");
    // Bytes after the last section change the hash, and nothing else.
    let mut other = fs::read(plugins().join(library())).expect("the plugin");
    other.extend_from_slice(b"another build");
    sandbox.write(&format!("other/{}", library()), other);
    let both = ["--plugin-dir", "other", "--plugin-dir", "right"];
    let ran =
        run_alone(&sandbox, &[&["replay", "results/x", "simple-ga", "3"], &both[..]].concat())
            .code(0);
    ran.warns("the same as in the table");
    // The plugin lies only where the config said.
    experiment(&sandbox, "by-path", &format!("./by-path/{}", library()));
    run_alone(&sandbox, &["verify", "results/x", "--plugin-dir", "by-path"])
        .code(0)
        .says("20 of 20 trials are the same");
    // Another build that the user put on the search path is taken where there is no better one.
    run_alone(&sandbox, &["verify", "results/x", "--plugin-dir", "other"])
        .code(0)
        .says("20 of 20 trials are the same");
}

/// A library that leaves the file `loaded` in the working folder of who loads it.
#[cfg(unix)]
fn mark(sandbox: &Sandbox) -> PathBuf {
    let source = sandbox.write(
        "mark.c",
        "#include <stdio.h>\n__attribute__((constructor)) static void mark(void) { FILE *f = \
        fopen(\"loaded\", \"w\"); if (f) fclose(f); }\n",
    );
    let library = sandbox.path("mark.so");
    let built =
        Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(source).output();
    assert!(built.expect("a C compiler").status.success());
    library
}

#[cfg(unix)]
#[test]
fn a_library_that_results_name_is_not_loaded() {
    let sandbox = Sandbox::new();
    experiment(&sandbox, "elsewhere", &format!("./elsewhere/{}", library()));
    let (mark, there) = (mark(&sandbox), sandbox.path("elsewhere").join(library()));
    let loaded = sandbox.path("loaded");
    fs::remove_file(&there).expect("the plugin");
    fs::copy(&mark, &there).expect("a library in its place");
    let honest = String::from_utf8(sandbox.read("results/x/run.toml")).expect("UTF-8");
    let hash = honest
        .lines()
        .find_map(|line| line.strip_prefix("blake3 = "))
        .expect("a hash")
        .trim_matches('"');
    let forged =
        honest.replace(hash, blake3::hash(&fs::read(&mark).expect("a library")).to_hex().as_str());
    assert!(honest != forged);
    let page: &[&str] = &["report", "results/x"];
    for run in [&honest, &forged] {
        sandbox.write("results/x/run.toml", run);
        for command in AGAIN.into_iter().chain([page]) {
            let ran = run_alone(&sandbox, command)
                .code(if command == page { 0 } else { 3 })
                .warns(" --trust");
            assert!(!loaded.exists(), "{ran}");
            let ran = run_alone(&sandbox, &[command, &["--trust"]].concat());
            assert!(fs::remove_file(&loaded).is_ok(), "{ran}");
        }
    }
}

/// The folder `outside` with a file that must stay as it is.
#[cfg(unix)]
fn outside(sandbox: &Sandbox) -> PathBuf {
    sandbox.write("outside/precious", "precious");
    sandbox.path("outside")
}

#[cfg(unix)]
fn untouched(folder: &Path) {
    let names: Vec<_> =
        fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(names, ["precious"]);
    assert_eq!(fs::read_to_string(folder.join("precious")).expect("the file"), "precious");
}

#[cfg(unix)]
#[test]
fn links_lead_no_file_out_of_the_results() {
    use std::os::unix::fs::symlink;
    let sandbox = Sandbox::new();
    let outside = outside(&sandbox);
    sandbox.write("x.toml", ONEMAX.replace("PLUGIN", "onemax"));
    sandbox.run(&["x.toml"]).code(0);
    let results = sandbox.path("results/x");
    // A folder that leads out.
    for (name, command) in [
        ("plots", &["plot", "results/x"] as &[&str]),
        ("ioh", &["export", "results/x", "--format", "ioh"]),
        ("coco", &["export", "results/x", "--format", "coco"]),
    ] {
        symlink(&outside, results.join(name)).expect("a link");
        sandbox.run(command).code(4).warns("this is a symbolic link");
        untouched(&outside);
        fs::remove_file(results.join(name)).expect("the link");
        sandbox.run(command).code(0);
    }
    // Folders that a run itself writes to.
    for name in ["data", "start", "parts"] {
        _ = fs::remove_dir_all(results.join(name));
        symlink(&outside, results.join(name)).expect("a link");
        sandbox.run(&["x.toml"]).code(4).warns("this is a symbolic link");
        untouched(&outside);
        fs::remove_file(results.join(name)).expect("the link");
    }
    // Folders within those.
    for (inner, format) in [("ioh/simple-ga", "ioh"), ("coco/simple-ga", "coco")] {
        fs::remove_dir_all(results.join(inner)).expect("a folder");
        symlink(&outside, results.join(inner)).expect("a link");
        sandbox
            .run(&["export", "results/x", "--format", format])
            .code(4)
            .warns("this is a symbolic link");
        untouched(&outside);
    }
    // A file that leads out gives way.
    let picture = fs::read_dir(results.join("plots"))
        .expect("plots")
        .flatten()
        .next()
        .expect("a picture")
        .path();
    fs::remove_file(&picture).expect("a picture");
    symlink(outside.join("precious"), &picture).expect("a link");
    sandbox.run(&["plot", "results/x"]).code(0);
    untouched(&outside);
    assert!(!picture.is_symlink() && picture.is_file());
    // What the user names may lead anywhere.
    symlink(&outside, sandbox.path("mine")).expect("a link");
    sandbox.run(&["plot", "results/x", "--out", "mine", "--format", "svg"]).code(0);
    assert!(fs::read_dir(&outside).expect("a folder").count() > 1);
}

#[test]
fn an_arm_called_dots_is_exported_into_the_folder() {
    let sandbox = Sandbox::new();
    let two = "[[operators]]\nname = \"..\"\npopulation = 11\npreset = \
        \"simple-ga\"\n[[operators]]\nname = \"a b\"\npopulation = 12\npreset = \
        \"simple-ga\"\n[[operators]]\nname = \"a-b\"\npopulation = 13\npreset = \"simple-ga\"\n";
    sandbox.write(
        "x.toml",
        ONEMAX
            .replace("PLUGIN", "onemax")
            .replace("[[operators]]\n", &format!("{two}[[operators]]\n")),
    );
    sandbox.run(&["x.toml"]).code(0);
    let ran = sandbox.run(&["export", "results/x", "--format", "ioh"]).code(0);
    let mut folders: Vec<&str> = ran.stdout.lines().collect();
    folders.sort_unstable();
    assert_eq!(
        folders,
        [
            "results/x/ioh/a-b",
            "results/x/ioh/a-b-2",
            "results/x/ioh/simple-ga",
            "results/x/ioh/unnamed"
        ]
    );
}

#[test]
fn a_board_of_a_plugin_runs_no_script() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", HOSTILE.replace("FAULT", "hostile"));
    sandbox.run(&["x.toml"]).code(0);
    let arm = rows(&sandbox, &["results/x"])[0]["arm"].as_str().expect("a label").to_owned();
    let ran = sandbox.run(&["plot", "results/x", "--trial", &arm, "0", "--out", "."]).code(0);
    let path =
        ran.stdout.lines().find(|path| path.ends_with(".svg")).expect("a picture").to_owned();
    sandbox.run(&["report", "results/x", "--out", "page.html"]).code(0);
    for file in [path.as_str(), "page.html"] {
        let text = String::from_utf8(sandbox.read(file)).expect("UTF-8");
        assert!(text.contains("data:image/svg+xml,%3Csvg"), "{file}: no board");
        for evil in ["<script>alert", "onload=\"", "</svg><script"] {
            assert!(!text.contains(evil), "{file}: {evil}");
        }
    }
}

/// Nothing that a terminal obeys, but for line feeds.
#[track_caller]
fn harmless(ran: &Ran) {
    for text in [&ran.stdout, &ran.stderr] {
        let commands = |c: char| {
            c != '\n'
                && (c.is_control()
                    || ('\u{202a}'..='\u{202e}').contains(&c)
                    || ('\u{2066}'..='\u{2069}').contains(&c))
        };
        assert!(!text.contains(commands), "{ran}");
    }
}

#[test]
fn words_of_strangers_do_not_drive_the_terminal() {
    let sandbox = Sandbox::new();
    for (fault, code) in [("hostile", 0), ("hostile-error", 1)] {
        sandbox.write("x.toml", HOSTILE.replace("FAULT", fault));
        for progress in ["plain", "none"] {
            let ran = sandbox
                .run(&["x.toml", "--out", &format!("{fault}-{progress}"), "--progress", progress])
                .code(code);
            harmless(&ran);
            assert!(format!("{}{}", ran.stdout, ran.stderr).contains("\\u202e"), "{ran}");
        }
        let folder = format!("{fault}-none/x");
        let arm = rows(&sandbox, &[&folder])[0]["arm"].as_str().expect("a label").to_owned();
        assert!(arm.contains('\u{202e}'), "JSON has it as it is: {arm:?}");
        let trials = rows(&sandbox, &[&folder, "--trials"]);
        let words =
            trials[0][if code == 0 { "best_text" } else { "error" }].as_str().expect("a text");
        assert!(words.contains("\u{1b}[2J"), "{words:?}");
        let ran = sandbox.run(&["replay", &folder, &arm, "0"]).code(0);
        harmless(&ran);
        assert!(ran.stdout.contains("\\u001b[2J"), "{ran}");
        for command in [
            &["show", &folder, "--trials"] as &[&str],
            &["show", &folder],
            &["verify", &folder],
            &["check", "x.toml"],
        ] {
            harmless(&sandbox.run(command));
        }
    }
    let ran =
        sandbox.run(&["sample", "faulty", "--set", "fault=hostile"]).code(0).says("\\u001b[2J");
    harmless(&ran);
    sandbox.write("bad.toml", HOSTILE.replace("FAULT", "\\u001b[2J\\u202e"));
    let ran = sandbox.run(&["bad.toml"]).code(2);
    harmless(&ran);
    let ran = sandbox.run(&["operators", "\u{1b}[2J"]).code(2).warns("\\u001b[2J");
    harmless(&ran);
}

#[test]
fn a_spreadsheet_gets_no_formula() {
    let sandbox = Sandbox::new();
    sandbox.write("x.toml", HOSTILE.replace("FAULT", "none"));
    sandbox.run(&["x.toml"]).code(0);
    sandbox.run(&["show", "results/x", "--csv"]).code(0).says(",'=1+1 ");
    sandbox.run(&["runtimes", "results/x", "--csv"]).code(0).says("\n'=1+1 ");
    let arm = rows(&sandbox, &["results/x"])[0]["arm"].clone();
    assert!(arm.as_str().is_some_and(|arm| arm.starts_with("=1+1 ")));
}
