//! What the documents say is true: their configs run, their plugins build, their lists are whole.

use crate::guide::the_other_plugins_build_and_run;
use crate::util::{Ran, Sandbox, copy, document, root};
use std::fs;
use std::path::Path;
use std::process::Command;

/// The contents of the fenced blocks of a language.
pub(crate) fn blocks(document: &str, language: &str) -> Vec<String> {
    let opening = format!("```{language}");
    let mut blocks = Vec::new();
    let mut lines = document.lines();
    while lines.by_ref().any(|line| line == opening) {
        let block = lines.by_ref().take_while(|line| *line != "```");
        blocks.push(block.map(|line| format!("{line}\n")).collect());
    }
    blocks
}

/// Cargo in a folder of the sandbox, on what was downloaded for this project, into a target folder
/// of the sandbox.
pub(crate) fn cargo(sandbox: &Sandbox, folder: &str, arguments: &[&str]) -> Ran {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(sandbox.path(folder)).args(arguments).arg("--offline");
    cargo.env("CARGO_TARGET_DIR", sandbox.path("built")).env_remove("RUSTFLAGS");
    Ran::new(&mut cargo).code(0)
}

/// Runs a config on the plugins that `cargo` built, from a folder of the sandbox.
fn run(sandbox: &Sandbox, config: &str) -> Ran {
    let dir = sandbox.path("built/debug");
    let dir = dir.to_str().expect("UTF-8");
    sandbox.run(&[config, "--plugin-dir", dir, "--repeats", "3", "--progress", "none"])
}

/// A plugin scaffolded outside of the repository, locked to the versions that the repository has.
fn scaffold(name: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox
        .run(&["new", name])
        .code(0)
        .says(&format!("Wrote plugins/{name} and configs/{name}.toml"));
    sandbox.write(&format!("plugins/{name}/Cargo.lock"), document("Cargo.lock"));
    sandbox
}

/// The documents whose configs are whole: those of `plugins/README.md` need its plugin, those of
/// the tutorial and of the lessons each other.
#[test]
fn every_config_in_the_documents_passes_the_check() {
    let folder = fs::read_dir(root().join("docs")).expect("the documents");
    let names = folder.map(|entry| entry.expect("a document").file_name());
    let names = names.map(|name| format!("docs/{}", name.to_str().expect("UTF-8")));
    let mut documents: Vec<String> = names.filter(|name| name.ends_with(".md")).collect();
    documents.retain(|name| {
        !["docs/suites.md", "docs/teaching.md", "docs/tutorial.md"].contains(&name.as_str())
    });
    documents.push("README.md".to_owned());
    documents.sort();
    let sandbox = Sandbox::new();
    sandbox.write("stock.py", &blocks(&document("docs/noise.md"), "python")[0]);
    sandbox.write("climb.py", &blocks(&document("docs/own-algorithms.md"), "python")[0]);
    let mut found: Vec<(String, usize)> = Vec::new();
    for name in documents {
        let configs = blocks(&document(&name), "toml");
        for (number, config) in configs.iter().enumerate() {
            let file = format!("{}-{number}.toml", name.replace('/', "-").replace(".md", ""));
            sandbox.write(&file, config);
            // What those with [start] begin with.
            let queens = config.contains("\"nqueens\"");
            let first = if queens { "0,4,7,5,2,6,1,1\n3,1,6,2,5,7,4,4\n" } else { "0,1,1,0\n" };
            sandbox.write("first.csv", first);
            sandbox.run(&["check", &file]).code(0).says("valid");
        }
        if !configs.is_empty() {
            found.push((name, configs.len()));
        }
    }
    let due = [
        ("README.md", 1),
        ("docs/analysis.md", 5),
        ("docs/config.md", 3),
        ("docs/exact-results.md", 1),
        ("docs/noise.md", 2),
        ("docs/own-algorithms.md", 1),
        ("docs/papers.md", 1),
        ("docs/problems.md", 2),
        ("docs/running.md", 6),
        ("docs/scale.md", 1),
        ("docs/searches.md", 10),
        ("docs/tuning.md", 2),
    ];
    let due = due.map(|(name, configs)| (name.to_owned(), configs));
    assert_eq!(found, due, "documents with configs");
}

/// `RUNNER_BLESS=1 cargo test --test it the_reference_of_commands` writes the document anew: read
/// what changed.
#[test]
fn the_reference_of_commands_is_their_help() {
    let sandbox = Sandbox::new();
    let help = |words: &[&str]| {
        let mut command = sandbox.command();
        command.args(words).arg("--help").env("COLUMNS", "100");
        Ran::new(&mut command).code(0).stdout
    };
    let all = help(&[]);
    let listed = all.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands = listed.take_while(|line| !line.is_empty());
    let commands = commands.filter_map(|line| line.split_whitespace().next());
    let beginning = "# Commands\n\nWhat `runner --help` and `runner COMMAND --help` print.\n";
    let mut printed = beginning.to_owned();
    let mut add = |title: &str, text: &str| {
        let lines = text.lines().map(str::trim_end);
        printed += &format!("\n## {title}\n\n```text\n");
        lines.for_each(|line| printed += &format!("{line}\n"));
        printed += "```\n";
    };
    add("runner", &all);
    for command in commands.filter(|command| *command != "help") {
        add(&format!("runner {command}"), &help(&[command]));
    }
    if std::env::var_os("RUNNER_BLESS").is_some() {
        std::fs::write(root().join("docs/commands.md"), &printed).expect("docs/commands.md");
    }
    assert!(
        printed == document("docs/commands.md"),
        "docs/commands.md is not what the program prints; RUNNER_BLESS=1 cargo test --test it \
        the_reference_of_commands rewrites it"
    );
}

/// What a document asks its reader to do, in order.
enum Step {
    /// Write the config of this text.
    Write(String),
    /// Run these words of a command line.
    Run(String),
    /// See these lines among what the command printed.
    See(String),
}

/// A config is in a block of TOML, a command stands alone and indented, and what it prints is in a
/// block of text.
fn steps(document: &str) -> Vec<Step> {
    let (mut steps, mut lines) = (Vec::new(), document.lines());
    while let Some(line) = lines.next() {
        let mut block = || -> String {
            let lines = lines.by_ref().take_while(|line| *line != "```");
            lines.map(|line| format!("{line}\n")).collect()
        };
        match line {
            "```toml" => steps.push(Step::Write(block())),
            "```text" => steps.push(Step::See(block())),
            line => {
                let words = line.strip_prefix("    runner ");
                steps.extend(words.map(|words| Step::Run(words.to_owned())));
            }
        }
    }
    steps
}

#[test]
fn the_tutorial_does_what_it_says() {
    let sandbox = Sandbox::new();
    let mut files = ["queens.toml", "which.toml"].into_iter();
    let (mut ran, mut seen) = (None, 0);
    for step in steps(&document("docs/tutorial.md")) {
        match step {
            Step::Write(config) => _ = sandbox.write(files.next().expect("a file"), config),
            Step::Run(words) => {
                let mut command = sandbox.command();
                command.args(words.split(' ')).env("COLUMNS", "96");
                ran = Some(Ran::new(&mut command).code(0));
            }
            Step::See(lines) => {
                let ran = ran.as_ref().expect("a command before it");
                for line in lines.lines() {
                    assert!(ran.stdout.contains(line), "{line}\n{ran}");
                    seen += 1;
                }
            }
        }
    }
    assert!(seen >= 12, "{seen} lines");
    assert!(sandbox.path("results/which/report.html").is_file());
    for plot in ["success-rate", "run-length"] {
        let drawn = sandbox.read(&format!("results/which/plots/{plot}.svg"));
        let shown = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join(format!("docs/pictures/tutorial-{plot}.svg"));
        if std::env::var_os("RUNNER_BLESS").is_some() {
            fs::write(&shown, &drawn).expect("the picture is written");
        }
        let is_same = fs::read(&shown).expect("the tutorial's picture") == drawn;
        assert!(is_same, "{}; RUNNER_BLESS=1 writes it anew", shown.display());
    }
}

#[test]
fn the_readme_and_the_analysis_show_its_experiment() {
    let sandbox = Sandbox::new();
    let readme = document("README.md");
    let config = &blocks(&readme, "toml")[0];
    sandbox.write("eight-queens.toml", config);
    let mut command = sandbox.command();
    command.args(["eight-queens.toml", "--progress", "none"]).env("COLUMNS", "80");
    let shown = Ran::new(&mut command).code(0).stdout;
    assert!(shown.starts_with(&blocks(&readme, "text")[0]), "README.md has not\n{shown}");
    let mistake = config.replacen("\"roulette\"\ncrossover", "\"roulete\"\ncrossover", 1);
    sandbox.write("eight-queens.toml", mistake);
    let told = sandbox.run(&["eight-queens.toml"]).code(2).stderr;
    let shown = &blocks(&document("docs/running.md"), "text");
    assert!(shown.contains(&told), "docs/running.md has not\n{told}");
    is_in_the_analysis(&sandbox, &["compare", "results/eight-queens"]);
    is_in_the_analysis(&sandbox, &["compare", "results/eight-queens", "--pairs"]);
}

/// What a command prints, 96 columns wide, is in `docs/analysis.md`; of a ranking without its
/// diagram.
pub(crate) fn is_in_the_analysis(sandbox: &Sandbox, arguments: &[&str]) {
    let mut command = sandbox.command();
    command.args(arguments).env("COLUMNS", "96");
    let shown = Ran::new(&mut command).code(0).stdout;
    let text = shown.split("\nMean ranks by ").next().expect("a text").trim_end();
    let indented = |line: &str| if line.is_empty() { "\n".into() } else { format!("    {line}\n") };
    let text: String = text.lines().map(indented).collect();
    let told = document("docs/analysis.md");
    assert!(told.contains(&text) && !text.is_empty(), "docs/analysis.md has not\n{shown}");
}

#[test]
fn the_grounds_in_the_analysis_are_those_of_its_config() {
    let sandbox = Sandbox::new();
    sandbox.write("populations.toml", &blocks(&document("docs/analysis.md"), "toml")[0]);
    let short = ["--out", "short", "--set", "stop.evaluations=200"];
    sandbox.run(&["populations.toml", "--progress", "none"]).code(0);
    sandbox.run(&[&["populations.toml", "--progress", "none"], &short[..]].concat()).code(0);
    is_in_the_analysis(&sandbox, &["compare", "results/populations"]);
    is_in_the_analysis(&sandbox, &["compare", "short/populations"]);
}

#[test]
fn the_race_in_the_analysis_is_the_config_that_ships() {
    let sandbox = Sandbox::new();
    let told = document("docs/analysis.md");
    let configs = blocks(&told, "toml");
    let config = configs.iter().find(|config| config.contains("best = true")).expect("a race");
    assert!(document("configs/queens-race.toml").ends_with(&format!("\n{config}")));
    sandbox.write("race.toml", config);
    let shown = sandbox.run(&["race.toml", "--progress", "none"]).code(0).stdout;
    let lines: Vec<&str> = shown
        .lines()
        .filter(|line| line.contains("is the best of") || line.starts_with("The race took"))
        .collect();
    assert_eq!(lines.len(), 2, "{shown}");
    assert!(told.contains(&format!("```text\n{}\n```", lines.join("\n"))), "{lines:#?}");
}

/// A newcomer reads it in four minutes.
#[test]
fn the_readme_is_short() {
    let lines = document("README.md").lines().count();
    assert!(lines <= 200, "{lines} lines");
}

/// The program alone says in a few lines how to begin, and names every command in its group.
#[test]
fn the_program_alone_says_how_to_begin() {
    let sandbox = Sandbox::new();
    let alone = Ran::new(&mut sandbox.command()).code(2);
    assert!(alone.stdout.is_empty() && alone.stderr.lines().count() <= 12, "{alone}");
    let help = sandbox.run(&["--help"]).code(0).stdout;
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = listed.take_while(|line| !line.is_empty());
    let words: Vec<&str> = alone.stderr.split([' ', ',', '\n', ';']).collect();
    for command in listed.filter_map(|line| line.split_whitespace().next()) {
        let is_there = command == "help" || words.contains(&command);
        assert!(is_there, "BARE in src/cli/words.rs lacks {command}\n{alone}");
    }
}

#[test]
fn every_command_and_every_preset_is_in_its_table() {
    let readme = document("README.md");
    let rows = readme.lines().filter(|line| line.starts_with("| "));
    let help = Sandbox::new().run(&["--help"]).code(0).stdout;
    let commands = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty());
    let commands: Vec<&str> = commands.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(commands.contains(&"check"), "the commands in the help: {commands:?}");
    for command in commands {
        let is_named = rows.clone().any(|row| row.contains(&format!("`{command}`")));
        assert!(is_named, "README.md's table lacks the command {command}");
    }
    let (presets, searches) =
        (document("lab/src/config/presets.toml"), document("docs/searches.md"));
    for preset in presets.lines().filter_map(|line| line.strip_prefix('[')?.strip_suffix(']')) {
        let row = format!("| `{preset}` |");
        assert!(searches.contains(&row), "docs/searches.md lacks the preset {preset}");
    }
}

#[test]
fn the_plugin_step_by_step_builds_and_runs() {
    let guide = document("plugins/README.md");
    let (configs, sources) = (blocks(&guide, "toml"), blocks(&guide, "rust"));
    let ([manifest, config], [source, others @ ..]) = (&configs[..], &sources[..]) else {
        panic!("plugins/README.md shows a manifest, a source file and a config")
    };
    let sandbox = scaffold("partition");
    let scaffolded =
        String::from_utf8(sandbox.read("plugins/partition/Cargo.toml")).expect("UTF-8");
    assert!(scaffolded.starts_with(manifest), "the manifest is another one:\n{scaffolded}");
    sandbox.write("plugins/partition/src/lib.rs", source);
    sandbox.write("configs/partition.toml", config);
    cargo(&sandbox, "plugins/partition", &["test"]);
    let built = cargo(&sandbox, "plugins/partition", &["build"]);
    assert!(!built.stderr.contains("warning"), "{built}");
    run(&sandbox, "configs/partition.toml").code(0).says("tournament");
    let dir = sandbox.path("built/debug");
    let dir = dir.to_str().expect("UTF-8");
    sandbox.run(&["sample", "partition", "--plugin-dir", dir]).code(0).says("left: ");
    let odd = ["check", "configs/partition.toml", "--plugin-dir", dir, "--set", "problem.n=7"];
    sandbox.run(&odd).code(0);
    sandbox
        .run(&[&odd[..], &["--set", "problem.balanced=true"]].concat())
        .code(3)
        .warns("7 numbers cannot be split evenly");
    the_other_plugins_build_and_run(&sandbox, others);
}

#[test]
fn a_new_plugin_works_outside_of_the_repository() {
    let sandbox = scaffold("travelling_salesman");
    cargo(&sandbox, "plugins/travelling_salesman", &["test"]).says("1 passed");
    cargo(&sandbox, "plugins/travelling_salesman", &["build"]);
    run(&sandbox, "configs/travelling_salesman.toml").code(0);
    sandbox.run(&["new", "travelling_salesman"]).code(2).warns("already exists");
    // A second plugin beside the first shares its SDK.
    sandbox.run(&["new", "another"]).code(0);
}

#[test]
fn a_workspace_that_cannot_take_a_plugin_is_left_as_it_is() {
    let sandbox = Sandbox::new();
    sandbox.write("Cargo.toml", "[workspace]\nmembers = []\n");
    sandbox.write("plugins/sdk/Cargo.toml", "[package]\nname = \"plugin-sdk\"\n");
    sandbox.run(&["new", "mine"]).code(2).warns("workspace.default-members; add one");
    assert!(!sandbox.path("plugins/mine").exists() && !sandbox.path("configs").exists());
    sandbox.write("Cargo.toml", "[workspace]\nmembers = []\ndefault-members = []\n");
    sandbox.run(&["new", "mine"]).code(0).says("Wrote plugins/mine");
}

#[test]
fn a_new_plugin_joins_the_repository() {
    let sandbox = Sandbox::new();
    for entry in fs::read_dir(root()).expect("the repository") {
        let entry = entry.expect("an entry of the repository");
        let name = entry.file_name();
        let name = name.to_str().expect("UTF-8");
        if !name.starts_with('.') && !["target", "results"].contains(&name) {
            copy(&entry.path(), &sandbox.path(name));
        }
    }
    sandbox.run(&["new", "joined"]).code(0).says("cargo test -p joined");
    let manifest = String::from_utf8(sandbox.read("Cargo.toml")).expect("UTF-8");
    assert_eq!(
        manifest.matches("\"plugins/joined\"").count(),
        2,
        "members and default-members\n{manifest}"
    );
    cargo(&sandbox, ".", &["test", "--package", "joined"]).says("1 passed");
    cargo(&sandbox, ".", &["build", "--package", "joined"]);
    run(&sandbox, "configs/joined.toml").code(0);
}
