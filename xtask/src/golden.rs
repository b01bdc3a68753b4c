//! `cargo xtask golden`: writes down everything that users see of the shipped experiments, so that
//! `diff -r` between two commits shows what a change of structure changed.

use crate::Outcome;
use crate::checksums::sha256;
use crate::process;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Writes the hashes of all tables of the shipped experiments, what each command prints of them in
/// each format, and the references that the program prints. Fails if the tables of one job are not
/// those of two jobs, of three merged shards and of a run that was killed.
#[derive(clap::Args)]
pub(crate) struct Golden {
    /// Folder to write; must not exist
    #[arg(value_name = "DIR")]
    out: PathBuf,
    /// The program; its plugins are in the same folder
    #[arg(long, value_name = "FILE", default_value = "target/release/runner")]
    runner: PathBuf,
    /// Trials per arm
    #[arg(long, value_name = "N", default_value_t = 20)]
    repeats: u64,
    /// Only the experiments of these names (repeatable)
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// A Python with pyarrow, which reads every column of every table
    #[arg(long, value_name = "FILE")]
    python: Option<PathBuf>,
}

/// Milliseconds after which a run is killed; the next one goes on with what it left.
const KILLS: [u64; 3] = [40, 120, 360];

/// Commands that print a results folder, and the formats of each; the terminal's comes first.
const COMMANDS: [(&[&str], &[&str]); 8] = [
    (&["show"], &["--csv", "--json", "--latex"]),
    (&["show", "--trials"], &["--csv", "--json"]),
    (&["compare"], &["--csv", "--json", "--markdown", "--latex"]),
    (&["compare", "--paired"], &["--csv"]),
    (&["compare", "--all-pairs"], &["--csv"]),
    (&["rank"], &["--csv", "--json", "--markdown", "--latex"]),
    (&["runtimes"], &["--csv", "--json", "--markdown", "--latex"]),
    (&["gate", "--at-least", "success_rate >= 0.5"], &["--json"]),
];

/// Commands that print a reference.
const REFERENCES: [&[&str]; 10] = [
    &["--help"],
    &["schema"],
    &["schema", "--markdown"],
    &["operators"],
    &["certify", "--csv"],
    &["plugins", "--json"],
    &["conformance", "nqueens", "--json"],
    &["conformance", "chess960", "--json"],
    &["conformance", "onemax", "--json"],
    &["conformance", "coloring", "--json"],
];

/// The name, type and hash of every column: the values, whatever the bytes of the file.
const VALUES: &str = r#"
import hashlib, json, sys
import pyarrow.parquet as parquet
for path in sys.argv[1:]:
    table = parquet.read_table(path)
    for name in table.column_names:
        values = json.dumps(table.column(name).to_pylist(), default=repr).encode()
        kind = table.schema.field(name).type
        print(path, name, kind, hashlib.sha256(values).hexdigest())
"#;

impl Golden {
    pub(crate) fn write(&self) -> Outcome<()> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("no root")?;
        fs::create_dir(&self.out).map_err(|error| format!("{}: {error}", self.out.display()))?;
        let out = fs::canonicalize(&self.out)?;
        let work = out.join("work");
        fs::create_dir_all(work.join("home"))?;
        let runner = Runner { program: fs::canonicalize(&self.runner)?, work: work.clone() };
        let (mut tables, mut hashes) = (Vec::new(), String::new());
        let mut different = Vec::new();
        for config in files(&root.join("configs"), "toml")? {
            let name = config.file_stem().ok_or("no name")?.to_string_lossy().into_owned();
            if !self.only.is_empty() && !self.only.contains(&name) {
                continue;
            }
            println!("{name}");
            let repeats = self.repeats.to_string();
            let run = |folder: &str, more: &[&str]| {
                let mut command = runner.command(&["--repeats", &repeats, "--progress", "none"]);
                command.arg(&config).args(["--out", folder]).args(more);
                command
            };
            finish(&mut run("results", &["--jobs", "1"]))?;
            finish(&mut run("jobs", &["--jobs", "2"]))?;
            for after in KILLS {
                kill(&mut run("killed", &["--jobs", "2"]), Duration::from_millis(after))?;
            }
            finish(&mut run("killed", &["--jobs", "2"]))?;
            for shard in ["1/3", "2/3", "3/3"] {
                finish(&mut run("shards", &["--shard", shard]))?;
            }
            let shards = [1, 2, 3].map(|shard| format!("shards/{name}.shard-{shard}-of-3"));
            let mut merge = runner.command(&["merge", "--out", "merged"]);
            finish(merge.args(&shards))?;
            for path in files(&work.join("results").join(&name), "parquet")? {
                // Times differ with each run.
                if path.ends_with("timings.parquet") {
                    continue;
                }
                let (bytes, table) = (fs::read(&path)?, path.strip_prefix(work.join("results"))?);
                writeln!(hashes, "{} {}", sha256(&bytes), table.display())?;
                for way in ["jobs", "killed", "merged"].map(|way| Path::new(way).join(table)) {
                    if fs::read(work.join(&way)).ok().as_ref() != Some(&bytes) {
                        different.push(way.display().to_string());
                    }
                }
                tables.push(path.strip_prefix(&work)?.to_owned());
            }
            runner.print_results(&name, &out)?;
            runner.print_challenge(&config, &name, &repeats, &out)?;
        }
        fs::write(out.join("tables.txt"), hashes)?;
        if let Some(python) = &self.python {
            fs::write(out.join("values.txt"), values(python, &work, &tables)?)?;
        }
        runner.print_references(&out)?;
        fs::remove_dir_all(&work)?;
        match different.as_slice() {
            [] => Ok(()),
            files => Err(format!("other bytes than with one job: {}", files.join(", ")).into()),
        }
    }
}

/// The program, in an environment that is the same on every machine.
struct Runner {
    program: PathBuf,
    work: PathBuf,
}

impl Runner {
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(arguments).current_dir(&self.work).env_clear();
        command.env("HOME", self.work.join("home")).env("COLUMNS", "100").env("NO_COLOR", "1");
        command
    }

    /// Writes what each command prints of an experiment: output, messages and exit code.
    fn print_results(&self, name: &str, out: &Path) -> Outcome<()> {
        let folder = out.join("commands").join(name);
        fs::create_dir_all(&folder)?;
        let results = format!("results/{name}");
        for (words, formats) in COMMANDS {
            for format in [""].iter().chain(formats) {
                let mut arguments = words.to_vec();
                arguments.insert(1, &results);
                arguments.extend((!format.is_empty()).then_some(format));
                let file = words.join("") + format;
                fs::write(folder.join(file + ".txt"), self.printed(&arguments)?)?;
            }
        }
        Ok(())
    }

    /// Writes what a challenge of the experiment's own results hash prints.
    fn print_challenge(&self, config: &Path, name: &str, repeats: &str, out: &Path) -> Outcome<()> {
        let shown = self.printed(&["show", &format!("results/{name}")])?;
        let hash = shown.lines().find_map(|line| line.strip_prefix("Results: "));
        let hash = hash.ok_or_else(|| format!("{name}: no results hash"))?;
        let config = config.to_str().ok_or("a path that is not UTF-8")?;
        let arguments = ["challenge", config, "--hash", hash, "--repeats", repeats];
        let printed = self.printed(&[&arguments[..], &["--progress", "none"]].concat())?;
        fs::write(out.join("commands").join(name).join("challenge.txt"), printed)?;
        Ok(())
    }

    fn print_references(&self, out: &Path) -> Outcome<()> {
        let folder = out.join("references");
        fs::create_dir_all(&folder)?;
        for arguments in REFERENCES {
            let name = arguments.join("");
            let file = format!("{}.txt", name.trim_start_matches('-'));
            let printed = self.printed(arguments)?;
            // Measured speeds, and the check that is under way, differ with each run.
            let lines = printed
                .lines()
                .filter(|line| !line.contains(" ns an evaluation") && !line.contains("checking "));
            fs::write(folder.join(file), lines.collect::<Vec<_>>().join("\n") + "\n")?;
        }
        Ok(())
    }

    fn printed(&self, arguments: &[&str]) -> Outcome<String> {
        let output = self.command(arguments).output()?;
        let text = format!(
            "{}{}exit code {:?}\n",
            String::from_utf8(output.stdout)?,
            String::from_utf8(output.stderr)?,
            output.status.code()
        );
        Ok(text.replace(&*self.work.to_string_lossy(), "WORK"))
    }
}

/// Runs a command; fails with its messages unless it succeeds.
fn finish(command: &mut Command) -> Outcome<()> {
    let output = command.output()?;
    let words = || format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    if output.status.success() { Ok(()) } else { Err(words().into()) }
}

/// Starts a command and kills it, unless it ends before.
fn kill(command: &mut Command, after: Duration) -> Outcome<()> {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    std::thread::sleep(after);
    child.kill()?;
    child.wait()?;
    Ok(())
}

/// The files of a folder with this ending, in order.
fn files(folder: &Path, ending: &str) -> Outcome<Vec<PathBuf>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|own| own == ending) {
            all.push(path);
        }
    }
    all.sort();
    Ok(all)
}

/// The hash of every column of every table, read by pyarrow.
fn values(python: &Path, work: &Path, tables: &[PathBuf]) -> Outcome<String> {
    // Not its canonical form: a virtual environment's Python is a link to another one.
    let python = std::path::absolute(python)?;
    process::text(Command::new(python).args(["-c", VALUES]).args(tables).current_dir(work))
}
