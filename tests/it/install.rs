//! Installing: a program that is moved, alone or with its plugins, and its manual.

use crate::util::{Ran, Sandbox, copy_program, document, plugins};
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The same file, or a copy of it where file systems meet.
fn put(from: &Path, to: &Path) {
    fs::create_dir_all(to.parent().expect("a folder above")).expect("folders");
    if fs::hard_link(from, to).is_err() {
        copy_program(from, to);
    }
}

/// The program in the folder `bin` of a sandbox, away from where it was built.
fn moved(sandbox: &Sandbox) -> PathBuf {
    let name = format!("runner{}", std::env::consts::EXE_SUFFIX);
    let program = sandbox.path("bin").join(name);
    put(Path::new(env!("CARGO_BIN_EXE_runner")), &program);
    program
}

/// What `runner WORDS…` leaves, in a sandbox and with nothing of this environment.
fn run(program: &Path, sandbox: &Sandbox, words: &[&str]) -> Ran {
    let mut command = Command::new(program);
    Ran::new(command.args(words).current_dir(sandbox.path(".")).env_clear())
}

const SIX: &str = r#"
    repeats = 2
    problem = { plugin = "nqueens", n = 6 }
    operators = [{ algorithm = "random-search" }]
    stop = { evaluations = 200 }
"#;

#[test]
fn plugins_are_found_in_lib_beside_bin() {
    let sandbox = Sandbox::new();
    let program = moved(&sandbox);
    let library = format!("{DLL_PREFIX}nqueens{DLL_SUFFIX}");
    put(&plugins().join(&library), &sandbox.path("lib/runner/plugins").join(&library));
    sandbox.write("six.toml", SIX);
    run(&program, &sandbox, &["six.toml", "--progress", "none"]).code(0).says("operators-1");
    run(&program, &sandbox, &["plugins"]).code(0).says("nqueens");
    // Also through a link, as package managers make them.
    #[cfg(unix)]
    {
        let link = sandbox.path("runner-link");
        std::os::unix::fs::symlink(&program, &link).expect("a link");
        run(&link, &sandbox, &["check", "six.toml"]).code(0);
    }
}

#[test]
fn a_program_that_came_alone_says_how_to_get_its_plugins() {
    let sandbox = Sandbox::new();
    let program = moved(&sandbox);
    sandbox.write("six.toml", SIX);
    let place = sandbox.path("bin/../lib/runner/plugins");
    let place = place.strip_prefix(sandbox.path("")).expect("in the sandbox").to_owned();
    for words in [["six.toml", "--progress=none"], ["sample", "nqueens"]] {
        let ran = run(&program, &sandbox, &words).code(3);
        let told: Vec<&str> = ran.stderr.split_whitespace().collect();
        let told = told.join(" ");
        assert!(told.contains("copy the plugins of a release (lib/runner/plugins)"), "{ran}");
        assert!(told.contains(&*place.to_string_lossy()), "{ran}");
    }
}

#[test]
fn a_program_that_cargo_installed_takes_the_plugins_that_cargo_built() {
    let sandbox = Sandbox::new();
    let program = moved(&sandbox);
    let library = format!("{DLL_PREFIX}nqueens{DLL_SUFFIX}");
    let checkout = sandbox.path("my checkout");
    put(&plugins().join(&library), &checkout.join("target/release/deps").join(&library));
    sandbox.write("six.toml", SIX);
    run(&program, &sandbox, &["check", "six.toml"]).code(3);
    // Cargo writes this record beside `bin`; paths are URLs in it.
    let source = checkout.to_string_lossy().replace(' ', "%20");
    let bin = program.file_name().expect("a name").to_string_lossy().into_owned();
    let record = |source: &str, profile: &str| {
        format!(
            r#"{{"installs":{{
                "other 2.0.0 (registry+https://example.org/index)":{{"version_req":"2",
                    "bins":["other"],"features":[],"all_features":false,
                    "no_default_features":false,"profile":"release"}},
                "runner 0.1.0 ({source})":{{"version_req":null,"bins":["{bin}"],"features":[],
                    "all_features":false,"no_default_features":false,"profile":"{profile}"}}}}}}"#
        )
    };
    let good = format!("path+file://{source}");
    sandbox.write(".crates2.json", record(&good, "release"));
    run(&program, &sandbox, &["check", "six.toml"]).code(0);
    run(&program, &sandbox, &["plugins"]).code(0).says("nqueens");
    // A folder that is gone, a record of another source, and one that is cut.
    let elsewhere = record("git+https://example.org/runner#0123", "release");
    for broken in [record(&good, "dev"), elsewhere, record(&good, "release")[..99].to_owned()] {
        sandbox.write(".crates2.json", &broken);
        run(&program, &sandbox, &["check", "six.toml"]).code(3);
    }
}

#[test]
fn every_command_has_a_page_of_the_manual() {
    let sandbox = Sandbox::new();
    sandbox.run(&["man", "pages/man1"]).code(0);
    let help = sandbox.run(&["--help"]).code(0).stdout;
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands: Vec<&str> = commands
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    assert!(commands.len() > 20, "{commands:?}");
    for command in &commands {
        let page = sandbox.read(&format!("pages/man1/runner-{command}.1"));
        let page = String::from_utf8(page).expect("UTF-8");
        assert!(page.starts_with(".ie") && page.contains(".SH SYNOPSIS"), "{command}: {page}");
    }
    let pages = fs::read_dir(sandbox.path("pages/man1")).expect("the pages").count();
    assert_eq!(pages, commands.len() + 1, "and one of the program; none of hidden commands");
    sandbox.write("file", "");
    sandbox.run(&["man", "file/man1"]).code(4).warns("file/man1");
}

#[test]
fn what_packages_are_made_from_names_this_version() {
    let version = env!("CARGO_PKG_VERSION");
    let recipe = document("packaging/conda/recipe.yaml");
    assert!(recipe.contains(&format!("\n  version: {version}\n")), "{recipe}");
    let definition = document("packaging/apptainer.def");
    for words in
        [format!(" dist/runner-{version}-x86_64-linux.tar.gz"), format!("Version {version}")]
    {
        assert!(definition.contains(&words), "{words}: {definition}");
    }
}
