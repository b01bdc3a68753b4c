//! What it costs to merge shards: rows per second, peak memory, bytes.
//!
//!     cargo bench --bench merge
//!     cargo bench --bench merge -- rows=100000000 arms=100 shards=1000 fitness=real folder=DIR
//!
//! Writes the shards of an experiment as runs with `--shard` leave them, though a formula makes the
//! records and no search, and merges them as a user does. In a folder that is named, shards stay
//! and are not written again.

#![expect(clippy::print_stdout, reason = "a benchmark prints what it measures")]

mod support;

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use runner::plan::Plan;
use runner::plan::round::Share;
use runner::plan::shard::Shard;
use runner::problem::Genome;
use runner::record::{Outcome, Timing, TrialId, TrialRecord};
use runner::run::{Ended, Event, Session, SessionOptions};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use support::{is_brief, plan, watch};

/// Records that are handed over at once.
const BATCH: usize = 1_000;
/// Budget of a trial.
const GENERATIONS: u64 = 50;

/// What is merged.
struct Case {
    rows: u64,
    arms: u64,
    shards: u64,
    /// No two trials have the same fitness; otherwise there are a few values.
    real: bool,
    /// Where the shards stay; none: they go.
    folder: Option<PathBuf>,
}

impl Case {
    /// From `key=value`, on the command line.
    fn new(arguments: &[(&str, &str)]) -> Self {
        let given = |key| arguments.iter().find(|(name, _)| *name == key).map(|(_, value)| *value);
        let number = |key, otherwise| {
            given(key).map_or(otherwise, |value| value.parse::<u64>().expect("a number"))
        };
        Case {
            rows: number("rows", if is_brief() { 2_000 } else { 1_000_000 }),
            arms: number("arms", 1),
            shards: number("shards", if is_brief() { 3 } else { 100 }),
            real: given("fitness") == Some("real"),
            folder: given("folder").map(PathBuf::from),
        }
    }

    fn plan(&self) -> Plan {
        let problem = match self.real {
            true => "plugin = \"continuous\"\nfunction = \"sphere\"\nn = 2",
            false => "plugin = \"nqueens\"",
        };
        let mutation = match self.real {
            true => "{ kind = \"gaussian\", sigma = 0.01 }",
            false => "\"reset\"",
        };
        let populations: Vec<u64> = (10..10 + self.arms).collect();
        plan(&format!(
            "repeats = {}\n[problem]\n{problem}\n[[operators]]\npopulation = 10\nselection = \
            \"uniform\"\nmutation = {mutation}\n[stop]\ngenerations = {GENERATIONS}\n[sweep]\n\
            \"operators.population\" = {populations:?}\n",
            self.rows / self.arms,
        ))
    }

    /// What a trial could have come to; follows from its seed.
    fn record(&self, plan: &Plan, arm: usize, trial: u64) -> TrialRecord {
        let seed = plan.arms[arm].seeds(plan.seed, trial).trial;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut unit = || (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        let success = unit() < 0.7;
        let (outcome, generations) = match success {
            true => (Outcome::Solved, (unit() * GENERATIONS as f64) as u64),
            false => (Outcome::Generations, GENERATIONS),
        };
        let fitness = if self.real { unit() } else { (unit() * 4.0).ceil() };
        let best = match self.real {
            true => Genome::F64(vec![unit(), unit()]),
            false => Genome::U8((0..8).map(|_| (unit() * 8.0) as u8).collect()),
        };
        let evaluations = (generations + 1) * (10 + arm as u64);
        let result = TrialRecord {
            success,
            best_fitness: Some(if success && !self.real { 0.0 } else { fitness }),
            generations,
            evaluations,
            evaluations_to_success: success.then_some(evaluations),
            evaluations_after_best: Some(evaluations / 10),
            best_error: None,
            best: Some(best),
            error: None,
            ..TrialRecord::lost(outcome, String::new())
        };
        let timing = Timing { seconds: unit() * 1e-3, worker: (trial % 2) as u32 };
        result.with_id(TrialId { arm, trial, seed }, timing)
    }

    /// Leaves what a run of this shard would.
    fn write(&self, plan: &Plan, shard: Shard, out: &Path) {
        let options =
            SessionOptions { share: Some(Share::of_all(shard)), ..SessionOptions::new(out) };
        let mut observer = |_: &Event<'_>| {};
        let mut session = Session::open(plan, &options, &mut observer).expect("a folder");
        let missing = session.missing().runs().to_vec();
        let trials = missing
            .into_iter()
            .enumerate()
            .flat_map(|(arm, runs)| runs.into_iter().flatten().map(move |trial| (arm, trial)));
        let trials: Vec<(usize, u64)> = trials.collect();
        for some in trials.chunks(BATCH) {
            let records = some.iter().map(|(arm, trial)| self.record(plan, *arm, *trial)).collect();
            session.add(records, &mut observer).expect("the records are kept");
        }
        session.decide(&mut observer).expect("all are there");
        let ended = session.finish(&mut observer).expect("the shard is written");
        assert!(matches!(ended, Ended::ShardDone { .. }), "{ended:?}");
    }

    /// Writes the shards and merges them, and prints what that took.
    fn measure(&self) {
        let temporary = tempfile::tempdir().expect("a temporary folder");
        let folder = self.folder.as_deref().unwrap_or(temporary.path());
        let (plan, out) = (self.plan(), folder.join("shards"));
        let shards: Vec<Shard> =
            (1..=self.shards).map(|number| Shard { number, of: self.shards }).collect();
        let (started, next) = (Instant::now(), AtomicU64::new(0));
        std::thread::scope(|scope| {
            let write = || {
                while let Some(shard) = shards.get(next.fetch_add(1, Ordering::Relaxed) as usize) {
                    self.write(&plan, *shard, &out);
                }
            };
            (0..2).for_each(|_| _ = scope.spawn(write));
        });
        let written = started.elapsed().as_secs_f64();
        let merged = folder.join("merged");
        _ = fs::remove_dir_all(&merged);
        let (seconds, memory) = watch(
            Command::new(env!("CARGO_BIN_EXE_runner"))
                .arg("merge")
                .args(shards.iter().map(|shard| out.join(shard.folder(&plan.name))))
                .arg("--out")
                .arg(&merged)
                .stdout(Stdio::null())
                .spawn()
                .expect("the runner starts"),
        );
        let Case { rows, arms, shards, .. } = self;
        println!(
            "| {rows} | {arms} | {shards} | {} | {written:.0} | {:.0} | {seconds:.1} | {:.0} | \
            {memory:.0} | {:.0} |",
            if self.real { "all differ" } else { "few values" },
            megabytes(&out),
            self.rows as f64 / seconds / 1e3,
            megabytes(&merged)
        );
    }
}

/// What the files below a folder take.
fn megabytes(folder: &Path) -> f64 {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let size = |path: &Path| fs::metadata(path).map_or(0.0, |metadata| metadata.len() as f64 / 1e6);
    entries
        .map(|entry| entry.path())
        .map(|path| if path.is_dir() { megabytes(&path) } else { size(&path) })
        .sum()
}

fn main() {
    println!(
        "| rows | arms | shards | fitness | s to write the shards | MB of shards | s to merge | \
        thousand rows per s | peak memory, MB | MB of tables |\n\
        |---:|---:|---:|---|---:|---:|---:|---:|---:|---:|"
    );
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let asked: Vec<(&str, &str)> =
        arguments.iter().filter_map(|argument| argument.split_once('=')).collect();
    if !asked.is_empty() {
        return Case::new(&asked).measure();
    }
    for usual in [&[("arms", "1")], &[("arms", "100")], &[("fitness", "real")]] {
        Case::new(usual).measure();
    }
}
