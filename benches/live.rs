//! What it costs a search to be watched: the wall time of a trial that a page follows at full
//! speed, over that of the same trial run by `runner`. Both in turns, in one run.
//!
//!     cargo bench --bench live

#![expect(clippy::print_stdout, reason = "a benchmark prints what it measures")]

mod support;

use runner::parquet::ParquetReader;
use serde_json::{Value, json};
use std::error::Error;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use support::{is_brief, median};

/// Each way is measured so many times.
const ROUNDS: usize = 7;
const RUNNER: &str = env!("CARGO_BIN_EXE_runner");

/// Names of workloads and their operator sets with problem.
const WORKLOADS: [(&str, &str); 3] = [
    (
        "8 queens, population 100",
        "[problem]\nplugin = \"nqueens\"\nn = 8\n[[operators]]\npopulation = 100\n\
        scaling = \"complement\"\nselection = \"roulette\"\ncrossover = \"one-point\"\n\
        mutation = { kind = \"reset\", rate = 0.1 }\n[stop]\nevaluations = 100000000\n\
        on-success = \"continue\"\n",
    ),
    (
        "onemax, 1,000 bits, population 1",
        "[problem]\nplugin = \"onemax\"\nlength = 1000\n[[operators]]\npopulation = 1\n\
        selection = \"uniform\"\nmutation = \"bit-flip\"\n\
        replacement = { kind = \"plus\", offspring = 1 }\n[stop]\nevaluations = 2000000\n\
        on-success = \"continue\"\n",
    ),
    (
        "100 queens, population 10,000",
        "[problem]\nplugin = \"nqueens\"\nn = 100\n[[operators]]\npopulation = 10000\n\
        selection = \"tournament\"\ncrossover = \"one-point\"\n\
        mutation = { kind = \"reset\", rate = 0.1 }\n[stop]\nevaluations = 5000000\n\
        on-success = \"continue\"\n",
    ),
];

struct Server {
    process: Child,
    address: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        _ = self.process.kill();
        _ = self.process.wait();
    }
}

impl Server {
    fn start(folder: &Path) -> Result<Self, Box<dyn Error>> {
        let mut process = Command::new(RUNNER)
            .args(["serve", "--port", "0"])
            .current_dir(folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut line = String::new();
        let out = process.stdout.take().ok_or("no output")?;
        BufReader::new(out).read_line(&mut line)?;
        Ok(Server { process, address: line.trim().trim_end_matches('/').to_owned() })
    }

    /// Seconds of a trial that is followed to its end.
    fn watched(&self, text: &str) -> Result<f64, Box<dyn Error>> {
        let wish = json!({
            "task": "watch", "text": text, "arms": [0], "trial": 0, "pace": null, "paused": false,
        });
        let begun = ureq::post(format!("{}/api/runs", self.address))
            .header("origin", &self.address)
            .header("x-runner-page", "1")
            .send_json(wish)?
            .body_mut()
            .read_to_string()?;
        let begun: Value = serde_json::from_str(&begun)?;
        let id = begun["id"].as_str().ok_or("no run")?;
        let events = ureq::get(format!("{}/api/runs/{id}/events", self.address))
            .header("x-runner-page", "1")
            .call()?;
        for line in BufReader::new(events.into_body().into_reader()).lines() {
            let line = line?;
            let Some(data) = line.strip_prefix("data: ") else { continue };
            let frame: Value = serde_json::from_str(data)?;
            if let Some(seconds) = frame["ending"]["seconds"].as_f64() {
                return Ok(seconds);
            }
        }
        Err("the search did not end".into())
    }
}

/// Seconds of the same trial, run by `runner`.
fn plain(folder: &Path, text: &str) -> Result<f64, Box<dyn Error>> {
    let config = folder.join("plain.toml");
    std::fs::write(&config, text)?;
    _ = std::fs::remove_dir_all(folder.join("results"));
    let ran = Command::new(RUNNER)
        .arg(&config)
        .args(["--repeats", "1", "--jobs", "1", "--progress", "none"])
        .current_dir(folder)
        .output()?;
    if !ran.status.success() {
        return Err(String::from_utf8_lossy(&ran.stderr).into());
    }
    let file = std::fs::File::open(folder.join("results/plain/timings.parquet"))?;
    let frame = ParquetReader::open(file)?.group(0, Some(&["seconds"]))?;
    Ok(frame.column("seconds")?.f64()?.get(0).ok_or("no trial")?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let server = Server::start(folder.path())?;
    let rounds = if is_brief() { 1 } else { ROUNDS };
    println!("{:<36} {:>10} {:>10} {:>7}", "a trial", "plain s", "watched s", "ratio");
    for (name, text) in WORKLOADS {
        let (mut alone, mut watched) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            alone.push(plain(folder.path(), text)?);
            watched.push(server.watched(text)?);
        }
        let (alone, watched) = (median(alone), median(watched));
        println!("{name:<36} {alone:>10.3} {watched:>10.3} {:>7.3}", watched / alone);
    }
    Ok(())
}
