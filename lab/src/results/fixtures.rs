//! Experiments to write and read back: plans, records and runs that tests make up.

use super::schema::columns::Table;
use super::storage::folder::list_segments;
use super::storage::reader::TableReader;
use super::storage::writer::FrameWriter;
use super::{Finished, Opened, Results, Store};
use crate::parquet::Frame;
use crate::plan::fingerprint::Fingerprint;
use crate::plan::resolved::Settings;
use crate::plan::settings::Trace;
use crate::plan::{ArmSpec, BestType, ResultsSpec};
use crate::problem::Genome;
use crate::problem::parameter::Value;
use crate::problem::section::{Key, Section};
use crate::record::{Outcome, Timing, TraceRow, TrialId, TrialRecord};
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Arms by their population; the same population is the same arm in every spec.
pub fn spec(populations: &[i64], repeats: u64, trace: Trace) -> ResultsSpec {
    let fingerprints: Vec<_> = populations
        .iter()
        .map(|population| Fingerprint(*blake3::hash(&population.to_le_bytes()).as_bytes()))
        .collect();
    let one = |key: &'static str, value| Section::from_iter([(Key::from(key), value)]).into();
    let settings = |population: &i64| Settings {
        name: "tournament".into(),
        problem: one("plugin", Value::Text("nqueens".into())),
        operators: one("population", Value::Integer(*population)),
        ..Settings::default()
    };
    let arms = populations.iter().zip(&fingerprints).map(|(population, fingerprint)| ArmSpec {
        id: fingerprint.id(),
        label: format!("tournament operators.population={population}"),
        problem: "nqueens".to_owned(),
        operators: "tournament".to_owned(),
        swept: vec![Some(Value::Integer(*population))],
        settings: settings(population),
        baseline: None,
        genes: None,
    });
    ResultsSpec {
        experiment: "queens".to_owned(),
        seed: 2026,
        repeats,
        limits: None,
        stopping_rule: None,
        trace,
        best: BestType::Integers,
        violations: false,
        swept_keys: vec!["operators.population".to_owned()],
        arms: arms.collect(),
        fingerprints,
        plugin: crate::problem::PluginFile::default(),
        operator_plugins: Vec::new(),
    }
}

/// Returns a record of trial `trial` of an arm. All but its timing depends on its seed alone.
pub fn record(spec: &ResultsSpec, arm: usize, trial: u64) -> TrialRecord {
    let seed = spec.trial_seed(arm, trial);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let outcome = match rng.next_u64() % 20 {
        0 => Outcome::Failed,
        1 => Outcome::TimedOut,
        2..8 => Outcome::Generations,
        _ => Outcome::Solved,
    };
    let success = outcome == Outcome::Solved;
    let generations = rng.next_u64() % 50;
    let evaluations = (generations + 1) * 10;
    let failed = outcome == Outcome::Failed;
    let trace = (0..if spec.trace == Trace::None || failed { 0 } else { generations % 4 + 1 })
        .map(|generation| TraceRow {
            generation,
            evaluations: (generation + 1) * 10,
            best: 2.0,
            mean: 3.25,
            worst: (seed % 9) as f64,
            best_so_far: 1.0,
            violations: None,
        })
        .collect();
    TrialRecord {
        arm,
        trial,
        seed,
        outcome,
        success,
        best_fitness: (!failed).then_some(if success { 0.0 } else { (seed % 5 + 1) as f64 }),
        best_violation: None,
        generations,
        evaluations,
        evaluations_to_success: success.then_some(evaluations),
        valid: trial.is_multiple_of(3).then_some(success),
        best: (!failed).then(|| Genome::U8(seed.to_le_bytes().to_vec())),
        best_text: trial.is_multiple_of(2).then(|| format!("♛ {}", seed % 100)),
        error: failed.then(|| "plugin `nqueens`: evaluate: no".to_owned()),
        timing: Timing { seconds: 0.5, worker: (trial % 2) as u32 },
        trace,
        traced_genes: None,
        improvements: Vec::new(),
        operator_counts: Vec::new(),
        evaluations_after_best: (!failed).then_some(seed % 10),
        best_error: None,
        evaluations_saved: None,
    }
}

/// Returns the record of a trial that ended without success after these numbers of evaluations and
/// generations.
pub fn ended(evaluations: u64, generations: u64) -> TrialRecord {
    let id = TrialId { arm: 0, trial: 0, seed: 0 };
    let result = TrialRecord {
        outcome: Outcome::Evaluations,
        generations,
        evaluations,
        error: None,
        ..TrialRecord::lost(Outcome::Failed, String::new())
    };
    result.with_id(id, Timing::default())
}

/// Returns a record for each trial of the plan that is not finished.
pub fn missing(spec: &ResultsSpec, finished: &Finished) -> Vec<TrialRecord> {
    let arms = 0..spec.arms.len();
    let trials = |arm| finished.missing(arm, 0..spec.repeats).into_iter().flatten();
    arms.flat_map(|arm| trials(arm).map(move |trial| record(spec, arm, trial))).collect()
}

/// Runs the missing trials in one piece, and finishes. Returns the number of trials that it ran,
/// and the notices.
pub fn run(out: &Path, spec: &ResultsSpec) -> (usize, Vec<String>) {
    let Opened { mut store, finished, notices, .. } =
        Store::open(out, spec).expect("the folder can be opened");
    let records = missing(spec, &finished);
    let ran = records.len();
    store.append(records).expect("records can be written");
    store.finish(&mut |_| ()).expect("the tables can be written");
    (ran, notices)
}

/// Runs some of what is missing without finishing. The records come in a random order, some twice;
/// some are in segments, others in the journal.
pub fn run_some(out: &Path, spec: &ResultsSpec, share: f64, rng: &mut Xoshiro256PlusPlus) {
    let Opened { mut store, finished, .. } =
        Store::open(out, spec).expect("the folder can be opened");
    let mut records = missing(spec, &finished);
    for place in (1..records.len()).rev() {
        records.swap(place, (rng.next_u64() % (place as u64 + 1)) as usize);
    }
    records.truncate((records.len() as f64 * share) as usize);
    let mut segments = 0;
    while !records.is_empty() {
        let rest = records.split_off(records.len().min(1 + (rng.next_u64() % 40) as usize));
        let twice = records[0].clone();
        store.append(records).expect("records can be taken");
        store.append(vec![twice]).expect("records can be taken");
        if segments == 0 || rng.next_u64().is_multiple_of(3) {
            store.seal().expect("a segment can be written");
            segments += 1;
        }
        records = rest;
    }
    store.close().expect("parts can be written");
}

/// Returns the tables' bytes.
pub fn tables(out: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(out.join("queens")).expect("the folder is there").flatten();
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let parquet = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "parquet"));
    parquet.map(|path| (name(&path), fs::read(&path).expect("the table can be read"))).collect()
}

/// Returns the segments.
pub fn segments(out: &Path) -> Vec<PathBuf> {
    list_segments(&out.join("queens")).expect("a folder")
}

/// Returns the records of the trials table.
pub fn all_trials(out: &Path) -> Vec<TrialRecord> {
    let results = Results::open(&out.join("queens")).expect("there are results");
    let mut trials = Vec::new();
    let read = results.trials(|trial| trials.push(trial));
    read.expect("the trials can be read");
    trials
}

/// Returns a new empty folder.
pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// Returns a record as it is read from the tables. Its genes have the tables' type, and it has no
/// timing and no trace, which are in separate tables.
pub fn as_read(mut record: TrialRecord) -> TrialRecord {
    if let Some(Genome::U8(genes)) = &record.best {
        record.best = Some(Genome::U32(genes.iter().map(|&gene| u32::from(gene)).collect()));
    }
    record.timing = Timing::default();
    record.trace.clear();
    record
}

/// Writes a table's file anew, with these changes to its metadata and its rows, and a checksum that
/// fits them.
pub fn rewrite(
    path: &Path,
    table: Table,
    metadata: impl Fn(&str, String) -> String,
    rows: impl Fn(Frame) -> Frame,
) {
    let reader = TableReader::open(path, table).expect("a table");
    let pairs = reader.key_values().into_iter();
    let pairs = pairs.map(|(key, value)| (key.clone(), metadata(&key, value))).collect();
    let frame = rows(reader.group(0, None).expect("rows"));
    let mut writer = FrameWriter::create(path, frame.schema(), pairs).expect("a file");
    writer.write(frame).and_then(|()| writer.finish()?.publish()).expect("written");
}
