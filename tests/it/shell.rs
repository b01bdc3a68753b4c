//! A shell in a sandbox, in which the commands of a page run one after the other.

use crate::python::search_path;
use crate::util::{Ran, Sandbox, copy, document, plugins, root};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// What stands for programs that no test may run. `cargo` builds nothing: `cargo run --release` and
/// `cargo build --release` have what the tests' build left; tests and `cargo xtask run-times` do
/// nothing. The queue of Slurm goes on only by `queue`.
const TOOLS: [(&str, &str); 7] = [
    (
        "cargo",
        r#"mkdir -p target/release && ln -sf "$BUILT"/runner "$BUILT"/lib*.so target/release
        case "$1 $2 $3" in
            "run --release --") shift 3; exec target/release/runner "$@" ;;
            "build --release ") ;;
            "build  " | "test -p runner"* | "test --test it" | "xtask run-times ") ;;
            *) echo "no such command of cargo here: $*" >&2; exit 101 ;;
        esac"#,
    ),
    (
        "python3",
        r#"[ -z "$RUNNER_TEST_PYTHON" ] || exec "$RUNNER_TEST_PYTHON" "$@"
        PATH=$OLD_PATH
        exec python3 "$@""#,
    ),
    (
        "duckdb",
        r#"python3 -c 'import duckdb' 2>/dev/null || {
            echo "skipped: no duckdb" >&2
            [ -z "$RUNNER_TESTS" ]
            exit
        }
        exec python3 -c 'import duckdb, sys; print(duckdb.sql(sys.argv[2]))' "$@""#,
    ),
    ("mail", "cat >> mails"),
    (
        "sbatch",
        r#"mkdir -p "$HOME/queue"
        job=$(cat "$HOME/queue/next" 2>/dev/null || echo 1)
        echo $((job + 1)) > "$HOME/queue/next"
        for script; do true; done
        echo "$script" > "$HOME/queue/job-$job"
        echo "$job""#,
    ),
    (
        "squeue",
        r#"for file in "$HOME"/queue/job-*; do
            if [ -e "$file" ]; then echo "${file##*-}|N/A|PENDING|Dependency"; fi
        done"#,
    ),
    (
        "queue",
        r#"while [ -n "$(ls "$HOME/queue" | grep job-)" ]; do
            job=$(ls "$HOME/queue" | sed -n 's/^job-//p' | sort -n | head -n 1)
            script=$(cat "$HOME/queue/job-$job")
            rm "$HOME/queue/job-$job"
            last=$(sed -n 's/^#SBATCH --array=1-//p' "$script")
            log=$(sed -n "s/^#SBATCH --output='*\([^']*\)'*$/\1/p" "$script")
            for task in $(seq 1 "${last:-1}"); do
                name=$(echo "$log" | sed "s/%[Aj]/$job/; s/%a/$task/")
                SLURM_ARRAY_TASK_ID=$task bash "$script" > "$name" 2>&1 || exit
            done
        done"#,
    ),
];

/// What changes the machine, or asks others: a page that has such a command must list it.
const FORBIDDEN: [&str; 10] =
    ["apt", "apt-get", "curl", "docker", "dpkg", "npm", "pip", "ssh", "sudo", "twine"];

/// Commands go on in the folder where the last one ended.
pub(crate) struct Shell {
    sandbox: Sandbox,
    folder: PathBuf,
}

impl Shell {
    pub(crate) fn new() -> Self {
        let sandbox = Sandbox::new();
        let forbidden = FORBIDDEN.map(|name| (name, "echo \"no test runs this\" >&2; exit 126"));
        for (name, script) in TOOLS.into_iter().chain(forbidden) {
            sandbox.program(&format!("home/tools/{name}"), format!("#!/bin/sh\n{script}\n"));
        }
        symlink(env!("CARGO_BIN_EXE_runner"), sandbox.path("home/tools/runner")).expect("a link");
        for folder in ["here", "home/plugins"] {
            fs::create_dir(sandbox.path(folder)).expect("a folder");
        }
        let folder = sandbox.path("here");
        Shell { sandbox, folder }
    }

    /// A path in the folder that commands start in.
    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.sandbox.path("here").join(relative)
    }

    pub(crate) fn write(&self, relative: &str, text: impl AsRef<[u8]>) {
        self.sandbox.write(&format!("here/{relative}"), text);
    }

    /// A program in the folder that commands start in.
    pub(crate) fn program(&self, relative: &str, text: impl AsRef<[u8]>) {
        self.sandbox.program(&format!("here/{relative}"), text);
    }

    /// A file of a page's folder with other words.
    pub(crate) fn replace(&self, relative: &str, words: &str, others: &str) {
        let text = fs::read_to_string(self.path(relative)).expect("a file");
        assert!(text.contains(words), "{relative} has no {words:?}:\n{text}");
        self.write(relative, text.replace(words, others));
    }

    /// A file or folder of the project, copied.
    pub(crate) fn copy(&self, relative: &str) {
        copy(&root().join(relative), &self.path(relative));
    }

    /// The next command starts where the page does.
    pub(crate) fn return_home(&mut self) {
        self.folder = self.path("");
    }

    /// Runs a command, or several.
    pub(crate) fn run(&mut self, words: &str) -> Ran {
        self.run_within(96, words)
    }

    /// Runs a command in a terminal of so many columns.
    pub(crate) fn run_within(&mut self, columns: u32, words: &str) -> Ran {
        let tools = self.sandbox.path("home/tools");
        let old = search_path().to_str().expect("UTF-8");
        let mut bash = Command::new("bash");
        bash.arg("-c").arg(format!("{words}\ncode=$?; pwd > \"$HOME/folder\"; exit $code"));
        bash.current_dir(&self.folder).stdin(Stdio::null());
        bash.env("PATH", format!("{}:{old}", tools.display())).env("OLD_PATH", old);
        bash.env("HOME", self.sandbox.path("home")).env("BUILT", plugins());
        bash.env("NO_COLOR", "1").env("COLUMNS", columns.to_string());
        bash.env("RUNNER_PLUGIN_PATH", self.sandbox.path("home/plugins"));
        bash.env_remove("VIRTUAL_ENV").env_remove("SLURM_ARRAY_TASK_ID");
        let ran = Ran::new(&mut bash);
        let folder = self.sandbox.read("home/folder");
        self.folder = PathBuf::from(String::from_utf8(folder).expect("UTF-8").trim_end());
        ran
    }

    /// Every config of the project, with two trials an arm, a small budget and short sweeps.
    pub(crate) fn write_small_configs(&self) {
        for entry in fs::read_dir(root().join("configs")).expect("the configs").flatten() {
            let name = format!("configs/{}", entry.file_name().to_str().expect("UTF-8"));
            if name.ends_with(".toml") {
                self.write(&name, small(&document(&name), 2));
            }
        }
    }
}

/// A config with so many trials an arm, a small budget and short sweeps.
pub(crate) fn small(config: &str, repeats: i64) -> String {
    let mut config: toml::Table = config.parse().expect("a config");
    let most = |table: &mut toml::Table, key: &str, most: i64| {
        if let Some(toml::Value::Integer(number)) = table.get_mut(key) {
            *number = most.min(*number);
        }
    };
    most(&mut config, "repeats", repeats);
    if let Some(toml::Value::Table(stop)) = config.get_mut("stop") {
        most(stop, "evaluations", 200);
        most(stop, "generations", 10);
    }
    if let Some(toml::Value::Table(rule)) = config.get_mut("repeats") {
        most(rule, "max", repeats);
    }
    if let Some(toml::Value::Table(sweep)) = config.get_mut("sweep") {
        for (_, values) in sweep.iter_mut() {
            if let toml::Value::Array(values) = values {
                values.truncate(2);
            }
        }
    }
    config.to_string()
}
