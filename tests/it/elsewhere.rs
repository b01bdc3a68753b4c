//! Commands of the documents that no test can run as they are: why, and what runs them.

use crate::documents::pages;
use crate::house::files;
use crate::typed::{Typed, commands};
use crate::util::{document, root};
use std::path::Path;

/// Why a command is not run here, and what runs it.
struct Elsewhere {
    commands: &'static [&'static str],
    #[expect(dead_code, reason = "it is there to be read")]
    why: &'static str,
    by: By,
}

enum By {
    /// A test of this crate or another one.
    Test(&'static str),
    /// A script with these words.
    Script(&'static str, &'static str),
    /// Nothing can.
    Nobody,
}

const CI: &str = ".ci/run";

const ELSEWHERE: &[Elsewhere] = &[
    Elsewhere {
        commands: &["exec runner target ea.toml --as irace \"$@\""],
        why: "irace gives it its words",
        by: By::Test("irace_tunes_by_its_target_runner"),
    },
    Elsewhere {
        commands: &["exec runner target ea.toml --as smac \"$@\""],
        why: "SMAC gives it its words",
        by: By::Test("smac_tunes_by_its_script"),
    },
    Elsewhere {
        commands: &["runner serve"],
        why: "it serves until it is stopped",
        by: By::Test("a_search_is_paused_and_goes_step_by_step"),
    },
    Elsewhere {
        commands: &["cargo fmt --all --check"],
        why: "no test of the program",
        by: By::Script(CI, "cargo fmt --all --check"),
    },
    Elsewhere {
        commands: &["cargo clippy --workspace --all-targets -- -D warnings"],
        why: "no test of the program",
        by: By::Script(CI, "cargo clippy --workspace --all-targets --locked -- -D warnings"),
    },
    Elsewhere {
        commands: &["cargo deny check"],
        why: "it needs cargo-deny from the network",
        by: By::Script(CI, "cargo-deny --offline --log-level error check"),
    },
    Elsewhere {
        commands: &["cargo test --workspace --exclude '*-units'"],
        why: "it is what runs this test",
        by: By::Script(CI, "cargo test --workspace --exclude '*-units'"),
    },
    Elsewhere {
        commands: &["cargo test --release"],
        why: "it is what runs this test",
        by: By::Script(CI, "cargo test --release"),
    },
    Elsewhere {
        commands: &["cargo xtask dist"],
        why: "it packs a release build",
        by: By::Script(CI, "cargo xtask dist"),
    },
    Elsewhere {
        commands: &[
            "cargo xtask dist --only archive",
            "rattler-build build --recipe packaging/conda/recipe.yaml",
            "python3 packaging/conda/build.py",
            "pip install py-rattler-build",
        ],
        why: "they pack a release build, by a package from the network",
        by: By::Script(CI, "\"$out/packaging/conda/build.py\" \"$out/conda\""),
    },
    Elsewhere {
        commands: &[
            "docker build --file packaging/Dockerfile --tag runner .",
            "docker run --rm --user \"$(id -u)\" --volume .:/study runner configs/study.toml",
        ],
        why: "they need the daemon of Docker; the file is linted",
        by: By::Script(CI, "hadolint\" packaging/Dockerfile"),
    },
    Elsewhere {
        commands: &[
            "apptainer build runner.sif packaging/apptainer.def",
            "apptainer run runner.sif configs/study.toml",
            "nix-build packaging",
        ],
        why: "they need programs and images that CI does not have",
        by: By::Nobody,
    },
    Elsewhere {
        commands: &["cargo xtask golden", "cargo xtask golden DIR"],
        why: "a build in the repository, and a minute of experiments",
        by: By::Script(CI, "cargo xtask golden \"$out/golden\""),
    },
    Elsewhere {
        commands: &["cargo xtask published"],
        why: "the main job on all configs, in a release build",
        by: By::Script(CI, "cargo xtask published \"$out/results\""),
    },
    Elsewhere {
        commands: &["cargo xtask size"],
        why: "a build in the repository",
        by: By::Script(CI, "cargo xtask size"),
    },
    Elsewhere {
        commands: &["cargo run --release --manifest-path benches/peers/Cargo.toml"],
        why: "a release build of other libraries, from the network",
        by: By::Script(CI, "--manifest-path benches/peers/Cargo.toml"),
    },
    Elsewhere {
        commands: &["cargo install --path .", "cargo uninstall runner"],
        why: "they change the home of whoever runs the tests",
        by: By::Test("a_program_that_came_alone_says_how_to_get_its_plugins"),
    },
    Elsewhere {
        commands: &["cargo test -p partition"],
        why: "a build in the repository",
        by: By::Test("a_new_plugin_joins_the_repository"),
    },
    Elsewhere {
        commands: &[
            "cargo test --manifest-path plugins/partition/Cargo.toml",
            "cargo build --release --manifest-path plugins/partition/Cargo.toml",
        ],
        why: "a build of the SDK",
        by: By::Test("the_plugin_step_by_step_builds_and_runs"),
    },
    Elsewhere {
        commands: &[
            "sudo apt install ./runner_0.1.0_amd64.deb",
            "runner /usr/share/doc/runner/configs/onemax.toml",
            "sudo apt purge runner",
        ],
        why: "they need the Debian package, and root",
        by: By::Script(CI, "/usr/bin/runner /usr/share/doc/runner/configs/onemax.toml"),
    },
    Elsewhere {
        commands: &[
            "python3 -m venv lab",
            "lab/bin/pip install runner_lab-0.1.0-py3-none-manylinux_2_31_x86_64.whl polars",
            "lab/bin/runner --version",
            "pip install runner_lab-0.1.0-py3-none-manylinux_2_31_x86_64.whl polars",
            "pip uninstall runner-lab",
        ],
        why: "they need the wheel, and packages from the network",
        by: By::Script(CI, "\"$out/venv/bin/pip\" install --quiet \"$out\"/dist/*.whl"),
    },
    Elsewhere {
        commands: &[
            "pip install --editable python mypy pytest types-tqdm polars",
            "pip install cloudpickle ipykernel nbclient",
            "PYTHONPATH=plugins/python RUNNER_PROGRAM=$PWD/target/release/runner pytest python",
            "cd python && mypy",
        ],
        why: "they need packages from the network",
        by: By::Script(CI, "(cd python && \"$out/venv/bin/mypy\" && \"$out/venv/bin/pytest\" -q)"),
    },
    Elsewhere {
        commands: &["pip install -r site/requirements.txt"],
        why: "it needs the network",
        by: By::Script(CI, "pip install --quiet -r site/requirements.txt"),
    },
    Elsewhere {
        commands: &["apt-get install slurm-wlm munge"],
        why: "it needs the network, and root",
        by: By::Script(CI, "needs slurmctld slurm-wlm"),
    },
    Elsewhere {
        commands: &["sinfo -N -h -o \"%N %t\""],
        why: "it needs a cluster",
        by: By::Test("a_node_that_dies_costs_no_trial"),
    },
    Elsewhere {
        commands: &["python3 -m ziglang"],
        why: "it needs a Zig compiler",
        by: By::Test("the_example_in_zig_builds_and_runs"),
    },
    Elsewhere {
        commands: &[
            "runner configs/onemax.toml --progress json --generation-events 10 2>&1 >/dev/null | \
            python examples/mlflow_events.py sqlite:///mlflow.db",
        ],
        why: "it needs MLflow",
        by: By::Test("the_events_of_a_run_are_logged_to_mlflow"),
    },
    Elsewhere {
        commands: &["pip install cargo-zigbuild ziglang", "twine upload dist/*.whl"],
        why: "they make and publish a release",
        by: By::Nobody,
    },
    Elsewhere {
        commands: &["ssh -L 8717:127.0.0.1:8717 HOST"],
        why: "it needs another machine",
        by: By::Nobody,
    },
];

/// Without what the shell takes for a comment.
pub(crate) fn without_comment(words: &str) -> &str {
    words.split("  #").next().unwrap_or_default().trim_end()
}

pub(crate) fn runs_elsewhere(words: &str) -> bool {
    let listed = ELSEWHERE.iter().flat_map(|one| one.commands);
    listed.into_iter().any(|command| *command == without_comment(words)) || is_suite(words)
}

/// Whether it is a command of Cargo that measures, simulates, or tests for long.
fn is_suite(words: &str) -> bool {
    let words: Vec<&str> = words.split_whitespace().skip_while(|word| word.contains('=')).collect();
    matches!(
        words[..],
        ["cargo", "bench", ..]
            | ["cargo", "run", "--release", "--example", ..]
            | ["cargo", "test", "shown" | "--release" | "--test", ..]
    )
}

/// The sources of the program and the tests.
fn sources() -> Vec<std::path::PathBuf> {
    files(root(), "rs")
}

pub(crate) fn is_a_test(name: &str) -> bool {
    let function = format!("#[test]\nfn {name}() {{");
    sources().iter().any(|path| text(path).contains(&function))
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).expect("a source")
}

#[test]
fn what_runs_elsewhere_does() {
    let found: Vec<Typed> = pages().iter().flat_map(|page| commands(&document(page))).collect();
    for elsewhere in ELSEWHERE {
        for command in elsewhere.commands {
            let is_there = found.iter().any(|typed| without_comment(&typed.words) == *command);
            assert!(is_there, "no page has `{command}` any more");
        }
        match elsewhere.by {
            By::Test(name) => assert!(is_a_test(name), "there is no test {name}"),
            By::Script(path, words) => assert!(document(path).contains(words), "{path}: {words}"),
            By::Nobody => (),
        }
    }
}

/// Measurements, simulations and long suites are there, and so are the variables that they read.
#[test]
fn every_suite_that_is_named_is_there() {
    let sources: Vec<(String, String)> = sources()
        .iter()
        .map(|path| (path.file_stem().expect("a name").to_string_lossy().into_owned(), text(path)))
        .collect();
    for page in pages() {
        for typed in commands(&document(&page)).iter().filter(|typed| is_suite(&typed.words)) {
            let (variables, words): (Vec<&str>, Vec<&str>) =
                typed.words.split_whitespace().partition(|word| word.contains('='));
            for variable in variables {
                let name = variable.split('=').next().unwrap_or_default();
                let quoted = format!("\"{name}\"");
                let is_read = sources.iter().any(|(_, source)| source.contains(&quoted));
                assert!(is_read || name == "INSTA_UPDATE", "{page}: nothing reads {name}");
            }
            let is_there = match words[..] {
                // All suites.
                ["cargo", "test", "--release"] => true,
                ["cargo", "bench", "--bench", name] => {
                    root().join(format!("benches/{name}.rs")).is_file()
                }
                ["cargo", "run", _, _, name, ref parts @ ..] => {
                    let source = document(&format!("examples/{name}.rs"));
                    parts.iter().all(|part| source.contains(&format!("\"{part}\"")))
                }
                _ => {
                    let name = words.last().expect("a word").trim_end_matches("::");
                    sources.iter().any(|(file, source)| file == name || has_function(source, name))
                }
            };
            assert!(is_there, "{page}:{}: there is nothing for {}", typed.line, typed.words);
        }
    }
}

/// Whether a source has a function with these words in its name.
fn has_function(source: &str, words: &str) -> bool {
    source
        .split("\nfn ")
        .skip(1)
        .any(|rest| rest.split('(').next().is_some_and(|name| name.contains(words)))
}
