//! The store as a whole: whatever happens to a run, its tables come out the same.

use super::*;
use crate::plan::fingerprint::Fingerprint;
use crate::plan::settings::Trace;
use crate::plan::{ArmSpec, BestType, ResultsSpec};
use crate::present::terminal::{ShowFormat, ShowOptions, ShowTable, show};
use crate::problem::Genome;
use crate::problem::parameter::Value;
use crate::record::{Outcome, Timing, TraceRow, TrialRecord};
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Arms by their population; the same population is the same arm in every layout.
pub(super) fn spec(populations: &[i64], repeats: u64, trace: Trace) -> ResultsSpec {
    let fingerprints: Vec<_> = populations
        .iter()
        .map(|population| Fingerprint(*blake3::hash(&population.to_le_bytes()).as_bytes()))
        .collect();
    let arms = populations.iter().zip(&fingerprints).map(|(population, fingerprint)| ArmSpec {
        id: fingerprint.id(),
        label: format!("tournament operators.population={population}"),
        problem: "nqueens".to_owned(),
        operators: "tournament".to_owned(),
        swept: vec![Some(Value::Integer(*population))],
        settings: format!("population = {population}\n"),
        baseline: None,
    });
    ResultsSpec {
        experiment: "queens".to_owned(),
        seed: 2026,
        repeats,
        limits: None,
        stopping_rule: None,
        trace,
        best: BestType::Integers,
        swept_keys: vec!["operators.population".to_owned()],
        arms: arms.collect(),
        fingerprints,
        plugin: crate::problem::PluginFile::default(),
    }
}

/// What trial `trial` of an arm gives: a function of its seed alone, but for its timing.
pub(super) fn record(spec: &ResultsSpec, arm: usize, trial: u64) -> TrialRecord {
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
        })
        .collect();
    TrialRecord {
        arm,
        trial,
        seed,
        outcome,
        success,
        best_fitness: (!failed).then_some(if success { 0.0 } else { (seed % 5 + 1) as f64 }),
        generations,
        evaluations,
        evaluations_to_success: success.then_some(evaluations),
        valid: trial.is_multiple_of(3).then_some(success),
        best: (!failed).then(|| Genome::U8(seed.to_le_bytes().to_vec())),
        best_text: trial.is_multiple_of(2).then(|| format!("♛ {}", seed % 100)),
        error: failed.then(|| "plugin `nqueens`: evaluate: no".to_owned()),
        timing: Timing { seconds: 0.5, worker: (trial % 2) as u32 },
        trace,
        improvements: Vec::new(),
    }
}

fn missing(spec: &ResultsSpec, finished: &Finished) -> Vec<TrialRecord> {
    let arms = 0..spec.arms.len();
    let trials = |arm| finished.missing(arm, 0..spec.repeats).into_iter().flatten();
    arms.flat_map(|arm| trials(arm).map(move |trial| record(spec, arm, trial))).collect()
}

/// Runs what is missing, in one piece, and finishes. Says how many trials it ran, and what it was
/// told.
fn run(out: &Path, spec: &ResultsSpec) -> (usize, Vec<String>) {
    let Opened { mut store, finished, notices, .. } =
        Store::open(out, spec).expect("the folder can be opened");
    let records = missing(spec, &finished);
    let ran = records.len();
    store.append(records).expect("records can be written");
    store.finish().expect("the tables can be written");
    (ran, notices)
}

/// Runs some of what is missing, in parts, without finishing. The records come in a random order,
/// some twice.
fn run_some(out: &Path, spec: &ResultsSpec, share: f64, rng: &mut Xoshiro256PlusPlus) {
    let Opened { mut store, finished, .. } =
        Store::open(out, spec).expect("the folder can be opened");
    let mut records = missing(spec, &finished);
    for place in (1..records.len()).rev() {
        records.swap(place, (rng.next_u64() % (place as u64 + 1)) as usize);
    }
    records.truncate((records.len() as f64 * share) as usize);
    while !records.is_empty() {
        let rest = records.split_off(records.len().min(1 + (rng.next_u64() % 40) as usize));
        let twice = records[0].clone();
        store.append(records).expect("records can be taken");
        store.append(vec![twice]).expect("records can be taken");
        store.flush().expect("parts can be written");
        records = rest;
    }
    store.close().expect("parts can be written");
}

/// The tables' bytes.
fn tables(out: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(out.join("queens")).expect("the folder is there").flatten();
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let parquet = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "parquet"));
    parquet.map(|path| (name(&path), fs::read(&path).expect("the table can be read"))).collect()
}

/// The part files of a table.
fn parts(out: &Path, table: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(out.join("queens/parts")) else {
        return Vec::new();
    };
    let ours =
        entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(table));
    let mut paths: Vec<_> = ours.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn all_trials(out: &Path) -> Vec<TrialRecord> {
    let results = Results::open(&out.join("queens")).expect("there are results");
    let mut trials = Vec::new();
    let read = results.trials(|trial| -> Result<(), ResultsError> {
        trials.push(trial);
        Ok(())
    });
    read.expect("the trials can be read");
    trials
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// What comes back from the tables: genes have the tables' type, timing and trace are in tables of
/// their own.
fn as_read(mut record: TrialRecord) -> TrialRecord {
    if let Some(Genome::U8(genes)) = &record.best {
        record.best = Some(Genome::U32(genes.iter().map(|&gene| u32::from(gene)).collect()));
    }
    record.timing = Timing::default();
    record.trace.clear();
    record
}

#[test]
fn records_come_back_as_they_went() {
    let out = folder();
    let spec = spec(&[10, 20], 50, Trace::Best);
    assert_eq!(run(out.path(), &spec).0, 100);
    let expected: Vec<_> = missing(&spec, &Finished::new(2)).into_iter().map(as_read).collect();
    assert_eq!(all_trials(out.path()), expected);

    let results = Results::open(&out.path().join("queens")).expect("there are results");
    assert_eq!(
        (results.experiment(), results.arms(), results.planned()),
        ("queens", &spec.arms[..], None)
    );
    let mut figures = Vec::new();
    let read = results.generations_of(1, |row| -> Result<(), ResultsError> {
        figures.push((row.trial, row.figures));
        Ok(())
    });
    read.expect("the generations can be read");
    let traces = (0..50)
        .flat_map(|trial| record(&spec, 1, trial).trace.into_iter().map(move |row| (trial, row)));
    assert_eq!(figures, traces.collect::<Vec<_>>());
}

#[test]
fn files_describe_their_columns() {
    let out = folder();
    run(out.path(), &spec(&[10], 2, Trace::Best));
    for table in Table::ALL {
        let path = out.path().join("queens").join(table.file_name());
        let reader = super::storage::reader::TableReader::open(&path, table).expect("a table");
        let polars::prelude::KeyValueMetadata::Static(pairs) = reader.metadata() else {
            panic!("no pairs")
        };
        let docs =
            pairs.iter().find(|pair| pair.key == "columns").and_then(|pair| pair.value.clone());
        let docs: BTreeMap<String, String> =
            serde_json::from_str(&docs.expect("docs")).expect("JSON");
        let names: Vec<_> = reader.schema.iter_names().map(|name| name.to_string()).collect();
        assert!(
            names.iter().all(|name| docs.contains_key(name)) && names.len() == docs.len(),
            "{table}: {names:?}"
        );
    }
}

#[test]
fn real_genes_come_back_exactly() {
    let out = folder();
    let mut spec = spec(&[10], 3, Trace::None);
    spec.best = BestType::Reals;
    let Opened { mut store, .. } =
        Store::open(out.path(), &spec).expect("the folder can be opened");
    let genes = |trial: u64| Genome::F64(vec![0.1 + trial as f64, f64::MIN_POSITIVE, -1e300]);
    let records =
        (0..3).map(|trial| TrialRecord { best: Some(genes(trial)), ..record(&spec, 0, trial) });
    store.append(records.collect()).expect("records can be written");
    store.finish().expect("the tables can be written");
    assert_eq!(all_trials(out.path())[2].best, Some(genes(2)));
}

#[test]
fn tables_are_the_same_however_the_records_came() {
    for trace in [Trace::None, Trace::Best, Trace::Population] {
        let spec = spec(&[30, 10, 20], 200, trace);
        let whole = folder();
        run(whole.path(), &spec);
        let expected = tables(whole.path());
        assert_eq!(expected.len(), if trace == Trace::None { 3 } else { 4 });
        for seed in 0..2 {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
            let out = folder();
            run_some(out.path(), &spec, 0.5, &mut rng);
            run_some(out.path(), &spec, 0.3, &mut rng);
            run(out.path(), &spec);
            assert!(tables(out.path()) == expected, "seed {seed}, trace {trace:?}");
            assert!(!out.path().join("queens/parts").exists());
        }
    }
}

#[test]
fn more_repeats_run_only_the_missing_trials() {
    let (out, whole) = (folder(), folder());
    assert_eq!(run(out.path(), &spec(&[10, 20], 30, Trace::Best)).0, 60);
    assert_eq!(run(out.path(), &spec(&[10, 20], 100, Trace::Best)), (140, vec![]));
    assert_eq!(run(out.path(), &spec(&[10, 20], 100, Trace::Best)), (0, vec![]));
    run(whole.path(), &spec(&[10, 20], 100, Trace::Best));
    assert!(tables(out.path()) == tables(whole.path()));
}

#[test]
fn arms_may_be_added_and_change_places_and_names() {
    let (out, whole) = (folder(), folder());
    run(out.path(), &spec(&[10, 20], 40, Trace::Best));
    let mut later = spec(&[30, 20, 10], 40, Trace::Best);
    later.swept_keys.push("problem.n".to_owned());
    for arm in &mut later.arms {
        arm.label.push_str(" problem.n=8");
        arm.swept.push(Some(Value::Integer(8)));
    }
    assert_eq!(run(out.path(), &later), (40, vec![]));
    run(whole.path(), &later);
    assert!(tables(out.path()) == tables(whole.path()));
}

#[test]
fn a_truncated_part_is_set_aside_and_run_again() {
    let (out, whole) = (folder(), folder());
    let spec = spec(&[10, 20], 100, Trace::Best);
    run(whole.path(), &spec);
    for table in ["trials", "generations", "timings"] {
        let out = out.path().join(table);
        run_some(&out, &spec, 0.6, &mut Xoshiro256PlusPlus::seed_from_u64(9));
        let broken = parts(&out, table).into_iter().next().expect("a part");
        let bytes = fs::read(&broken).expect("the part can be read");
        fs::write(&broken, &bytes[..bytes.len() / 2]).expect("the part can be written");
        let (ran, notices) = run(&out, &spec);
        assert!(if table == "timings" { ran == 80 } else { ran > 80 }, "{ran} trials ran");
        assert!(notices[0].contains(&*broken.to_string_lossy()), "{notices:?}");
        let aside = out.join("queens/damaged/001").join(broken.file_name().expect("a name"));
        assert_eq!(fs::read(aside).expect("it is set aside"), bytes[..bytes.len() / 2]);
        let (mut found, mut expected) = (tables(&out), tables(whole.path()));
        if table == "timings" {
            assert_ne!(found.remove("timings.parquet"), expected.remove("timings.parquet"));
        }
        assert!(found == expected, "{table}");
    }
}

#[test]
fn a_broken_table_is_set_aside_and_run_again() {
    let out = folder();
    let spec = spec(&[10], 50, Trace::None);
    run(out.path(), &spec);
    let expected = tables(out.path());
    fs::write(out.path().join("queens/trials.parquet"), b"PAR1 nonsense PAR1")
        .expect("it can be written");
    let (ran, notices) = run(out.path(), &spec);
    assert_eq!((ran, notices.len()), (50, 1), "{notices:?}");
    assert!(tables(out.path()) == expected);
}

#[test]
fn what_the_config_no_longer_asks_for_is_kept_aside() {
    let out = folder();
    let superseded =
        |number: &str, table: &str| out.path().join("queens/superseded").join(number).join(table);
    run(out.path(), &spec(&[10, 20], 40, Trace::Best));
    let before = tables(out.path());

    // An arm goes and fewer trials are asked for.
    let (ran, notices) = run(out.path(), &spec(&[20], 30, Trace::Best));
    assert_eq!((ran, notices.len()), (0, 2), "{notices:?}");
    assert!(notices[0].starts_with("40 trials moved to "), "{notices:?}");
    assert!(
        notices[1].starts_with("10 trials moved to ") && notices[1].contains("repeats = 30"),
        "{notices:?}"
    );
    let whole = folder();
    run(whole.path(), &spec(&[20], 30, Trace::Best));
    assert!(tables(out.path()) == tables(whole.path()));
    for (table, kind) in
        [("trials.parquet", Table::Trials), ("generations.parquet", Table::Generations)]
    {
        let reader = super::storage::reader::TableReader::open(&superseded("001", table), kind)
            .expect("a table");
        assert!(reader.rows() > 0);
    }

    // Another experiment seed: everything goes, as it is.
    let mut other = spec(&[20], 30, Trace::Best);
    other.seed = 1;
    let kept = tables(out.path());
    assert_eq!(run(out.path(), &other).0, 30);
    for table in ["trials.parquet", "generations.parquet", "timings.parquet"] {
        assert!(fs::read(superseded("002", table)).expect("a table") == kept[table]);
    }
    assert!(before["trials.parquet"] != kept["trials.parquet"]);
}

#[test]
fn another_trace_runs_again_and_no_trace_keeps_the_trials() {
    let out = folder();
    run(out.path(), &spec(&[10], 20, Trace::None));
    let (ran, notices) = run(out.path(), &spec(&[10], 20, Trace::Best));
    assert_eq!((ran, notices.len()), (20, 1), "{notices:?}");
    assert!(notices[0].contains("output.trace = \"best\""), "{notices:?}");
    assert_eq!(run(out.path(), &spec(&[10], 20, Trace::None)).0, 0);
    assert!(!out.path().join("queens/generations.parquet").exists());
    assert!(out.path().join("queens/superseded/002/generations.parquet").exists());
}

#[test]
fn a_run_killed_anywhere_goes_on() {
    let whole = folder();
    let spec = spec(&[10, 20], 60, Trace::Best);
    run(whole.path(), &spec);
    let expected = tables(whole.path());
    // Killed after some of the final tables had their names, or some of the parts were gone: all
    // combinations of what can be there, the tables in the order in which they appear.
    let order = ["summary.parquet", "generations.parquet", "timings.parquet", "trials.parquet"];
    for published in 0..=order.len() {
        let out = folder();
        run_some(out.path(), &spec, 1.0, &mut Xoshiro256PlusPlus::seed_from_u64(1));
        let queens = out.path().join("queens");
        for table in &order[..published] {
            fs::write(queens.join(table), &expected[*table]).expect("it can be written");
        }
        fs::write(queens.join(".unfinished-trials.parquet"), b"PAR1").expect("it can be written");
        if published == order.len() {
            let trials = parts(out.path(), "trials").into_iter().next();
            fs::remove_file(trials.expect("a part")).expect("it can be removed");
        }
        assert_eq!(run(out.path(), &spec), (0, vec![]), "{published} tables");
        assert!(tables(out.path()) == expected, "{published} tables");
        assert!(!queens.join(".unfinished-trials.parquet").exists());
    }
    // Killed while a part appeared: its companions are there, its trials are not.
    let out = folder();
    run_some(out.path(), &spec, 0.5, &mut Xoshiro256PlusPlus::seed_from_u64(2));
    let trials = parts(out.path(), "trials").into_iter().next().expect("a part");
    fs::remove_file(trials).expect("it can be removed");
    let (ran, notices) = run(out.path(), &spec);
    assert!(ran > 60 && notices.is_empty(), "{ran} {notices:?}");
    assert!(tables(out.path()) == expected);
}

#[test]
fn parts_stay_few() {
    let out = folder();
    let spec = spec(&[10], 150, Trace::None);
    let Opened { mut store, .. } =
        Store::open(out.path(), &spec).expect("the folder can be opened");
    let mut most = 0;
    for trial in 0..150 {
        store.append(vec![record(&spec, 0, trial)]).expect("records can be taken");
        store.flush().expect("parts can be written");
        most = most.max(parts(out.path(), "trials").len());
    }
    // 150 in base 8 has three digits of at most 7.
    assert!(most <= 21, "{most} parts");
    store.finish().expect("the tables can be written");
    assert_eq!(all_trials(out.path()).len(), 150);
}

#[test]
fn an_unfinished_folder_can_be_read() {
    let out = folder();
    let spec = spec(&[10, 20], 50, Trace::Best);
    run_some(out.path(), &spec, 0.5, &mut Xoshiro256PlusPlus::seed_from_u64(3));
    let results = Results::open(&out.path().join("queens")).expect("there are results");
    assert_eq!(results.planned(), Some(50));
    let live = results.summary().expect("the summary can be worked out");
    assert_eq!(
        live.rows.iter().map(|row| row.figures.trials + row.figures.failures).sum::<u64>(),
        50
    );
    assert_eq!(all_trials(out.path()).len(), 50);

    let Opened { mut store, finished, .. } =
        Store::open(out.path(), &spec).expect("the folder can be opened");
    store.append(missing(&spec, &finished)).expect("records can be taken");
    let written = store.finish().expect("the tables can be written");
    let read = Results::open(&out.path().join("queens")).and_then(|results| results.summary());
    assert_eq!(read.expect("the summary can be read"), written);
}

#[test]
fn figures_count_failures_apart() {
    let out = folder();
    let spec = spec(&[10], 100, Trace::None);
    run(out.path(), &spec);
    let summary = Results::open(&out.path().join("queens"))
        .and_then(|results| results.summary())
        .expect("a summary");
    let figures = &summary.rows[0].figures;
    let records: Vec<_> = (0..100).map(|trial| record(&spec, 0, trial)).collect();
    let count = |of: &dyn Fn(&TrialRecord) -> bool| {
        records.iter().filter(|record| of(record)).count() as u64
    };
    assert_eq!(figures.failures, count(&|record| record.outcome == Outcome::Failed));
    assert_eq!(figures.trials, 100 - figures.failures);
    assert_eq!(figures.successes, count(&|record| record.success));
    assert_eq!(figures.timed_out, count(&|record| record.outcome == Outcome::TimedOut));
    let counted = records.iter().filter(|record| !record.outcome.is_failure());
    assert_eq!(figures.evaluations_total, counted.map(|record| record.evaluations).sum::<u64>());
    let ert = figures.ert.expect("there are successes");
    assert_eq!(ert.value, figures.evaluations_total as f64 / figures.successes as f64);
    assert!(ert.low < ert.value && ert.value < ert.high.expect("a bound"));
}

/// Whatever lost a trial on the way, no table appears without it, and what finished stays.
#[test]
fn a_table_that_lacks_a_trial_does_not_appear() {
    for earlier in [0, 10] {
        let out = folder();
        if earlier > 0 {
            run(out.path(), &spec(&[10, 20], earlier, Trace::Best));
        }
        let spec = spec(&[10, 20], 30, Trace::Best);
        let Opened { mut store, finished, .. } =
            Store::open(out.path(), &spec).expect("the folder can be opened");
        let mut records = missing(&spec, &finished);
        let lost = records.remove(7);
        store.append(records).expect("records can be taken");
        let before = tables(out.path());
        let Err(error) = store.finish() else { panic!("it was not noticed") };
        let example = format!("trial {} of `{}`", lost.trial, spec.arms[lost.arm].label);
        assert!(error.to_string().contains("1 of 60 trials are missing at the end"), "{error}");
        assert!(error.to_string().contains(&example), "{error}");
        assert!(
            tables(out.path()).into_iter().filter(|(name, _)| !name.starts_with('.')).eq(before)
        );
        assert_eq!(run(out.path(), &spec), (1, vec![]));
        let whole = folder();
        run(whole.path(), &spec);
        assert!(tables(out.path()) == tables(whole.path()));
    }
}

/// A record that nobody asked for is not kept: another seed, another arm, a number beyond the last.
#[test]
fn a_result_that_nobody_asked_for_is_refused() {
    let out = folder();
    let spec = spec(&[10], 5, Trace::None);
    let right = record(&spec, 0, 3);
    let wrong = [
        TrialRecord { seed: right.seed ^ 1, ..right.clone() },
        TrialRecord { arm: 1, ..right.clone() },
        TrialRecord { trial: 4, ..right.clone() },
        record(&spec, 0, 5),
    ];
    for wrong in wrong {
        let Opened { mut store, .. } =
            Store::open(out.path(), &spec).expect("the folder can be opened");
        let error = store.append(vec![wrong]).expect_err("nobody asked for it");
        assert!(error.to_string().contains("nobody asked for"), "{error}");
    }
    assert_eq!(run(out.path(), &spec).0, 5);
}

/// Folders that a runner wrote before tables said whose they are.
#[test]
fn a_folder_of_an_older_format_is_named_and_left() {
    let out = folder();
    let spec = spec(&[10], 5, Trace::None);
    run(out.path(), &spec);
    for table in [Table::Summary, Table::Trials, Table::Timings] {
        let path = out.path().join("queens").join(table.file_name());
        let reader = super::storage::reader::TableReader::open(&path, table).expect("a table");
        let polars::prelude::KeyValueMetadata::Static(mut pairs) = reader.metadata() else {
            panic!("no pairs")
        };
        for pair in pairs.iter_mut().filter(|pair| pair.key == "runner") {
            let label = format!(
                "{{\"table\":\"{table}\",\"format\":1,\"version\":\"0.1.0\",\"trace\":\"none\"}}"
            );
            pair.value = Some(label);
        }
        let metadata = polars::prelude::KeyValueMetadata::Static(pairs);
        let frame = reader.group(0, None).expect("rows");
        let mut writer = super::storage::file::FrameWriter::create(
            &path,
            frame.schema(),
            metadata,
            super::storage::file::GroupSize::TABLE,
        )
        .expect("a file");
        writer.write(&frame).and_then(|()| writer.finish()?.publish()).expect("written");
    }
    let before = tables(out.path());
    let Err(run) = Store::open(out.path(), &spec) else { panic!("it was taken for one's own") };
    let Err(shown) = Results::open(&out.path().join("queens")) else { panic!("it was shown") };
    for error in [run.to_string(), shown.to_string()] {
        assert!(
            error.contains("written in format 1 of the tables, by another version of the runner"),
            "{error}"
        );
    }
    assert!(tables(out.path()) == before && !out.path().join("queens/superseded").exists());
}

#[test]
fn one_run_at_a_time() {
    let out = folder();
    let spec = spec(&[10], 10, Trace::None);
    let first = Store::open(out.path(), &spec).expect("the folder can be opened");
    let Err(error) = Store::open(out.path(), &spec) else { panic!("the folder was opened twice") };
    assert!(error.to_string().contains(&format!("process {}", std::process::id())), "{error}");
    drop(first);
    Store::open(out.path(), &spec).expect("the folder is free again");
}

#[cfg(unix)]
#[test]
fn links_out_of_the_folder_are_refused() {
    let (out, elsewhere) = (folder(), folder());
    std::os::unix::fs::symlink(elsewhere.path(), out.path().join("queens")).expect("a link");
    let Err(error) = Store::open(out.path(), &spec(&[10], 10, Trace::None)) else {
        panic!("the link was followed")
    };
    assert!(matches!(error, ResultsError::Link { .. }), "{error}");
}

#[test]
fn a_swept_key_cannot_take_a_fixed_name() {
    let out = folder();
    let mut spec = spec(&[10], 10, Trace::None);
    spec.swept_keys[0] = "trial".to_owned();
    let Err(error) = Store::open(out.path(), &spec) else { panic!("the key was taken") };
    assert!(error.to_string().contains("`trial`"), "{error}");
}

fn shown(out: &Path, table: ShowTable, format: ShowFormat, width: u16) -> String {
    let mut bytes = Vec::new();
    let options = ShowOptions { table, format, rows: 5, width };
    show(&out.join("queens"), &options, &mut bytes).expect("results can be shown");
    String::from_utf8(bytes).expect("UTF-8")
}

#[test]
fn results_are_shown() {
    let out = folder();
    run(out.path(), &spec(&[10, 20], 1_000, Trace::None));
    insta::assert_snapshot!(
        "summary_at_80_columns",
        shown(out.path(), ShowTable::Summary, ShowFormat::Table, 80)
    );
    insta::assert_snapshot!(
        "summary_at_140_columns",
        shown(out.path(), ShowTable::Summary, ShowFormat::Table, 140)
    );
    insta::assert_snapshot!(
        "trials_at_120_columns",
        shown(out.path(), ShowTable::Trials, ShowFormat::Table, 120)
    );

    let csv = shown(out.path(), ShowTable::Trials, ShowFormat::Csv, 80);
    assert_eq!(csv.lines().count(), 2_001);
    assert!(
        csv.starts_with("experiment,arm,arm_id,problem,operators,operators.population,trial,seed,"),
        "{csv:.200}"
    );
    let json = shown(out.path(), ShowTable::Summary, ShowFormat::Json, 80);
    assert!(json.starts_with("[\n  {\"experiment\":\"queens\",\"arm\":"), "{json:.80}");
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json[1]["operators.population"], 20);
    assert_eq!(json.as_array().map(Vec::len), Some(2));
    let json = shown(out.path(), ShowTable::Trials, ShowFormat::Json, 80);
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json.as_array().map(Vec::len), Some(2_000));
    assert!(json[3]["best"].as_array().is_some_and(|genes| genes.len() == 8), "{}", json[3]);
}

#[test]
fn a_folder_without_results_is_named() {
    let out = folder();
    let Err(error) = Results::open(&out.path().join("nothing")) else {
        panic!("there were results")
    };
    assert!(error.to_string().contains("does not exist"), "{error}");
}

/// Time and memory are printed, for `cargo test many_trials -- --nocapture`; what is asserted is
/// the content.
#[test]
fn many_trials_pass_through_in_pieces() {
    let trials = std::env::var("RUNNER_MANY_TRIALS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(40_000);
    let kept = std::env::var("RUNNER_MANY_FOLDER").ok();
    let out = folder();
    let path = kept.as_deref().map_or(out.path(), Path::new);
    let spec = spec(&[10], trials, Trace::None);
    let start = std::time::Instant::now();
    let Opened { mut store, .. } = Store::open(path, &spec).expect("the folder can be opened");
    // A stride that is prime to the number of trials visits each of them once, far from in order.
    for place in 0..trials {
        store.append(vec![record(&spec, 0, place * 7_919 % trials)]).expect("records can be taken");
        if place % 5_000 == 4_999 {
            store.flush().expect("parts can be written");
        }
    }
    let written = start.elapsed();
    let summary = store.finish().expect("the tables can be written");
    let merged = start.elapsed() - written;
    let read = std::time::Instant::now();
    let Opened { store, finished, .. } =
        Store::open(path, &spec).expect("the folder can be opened");
    store.close().expect("nothing is to be written");
    assert_eq!(finished.count(0), trials);
    assert_eq!(summary.rows[0].figures.trials + summary.rows[0].figures.failures, trials);
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak =
        status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or("peak memory unknown");
    println!(
        "{trials} trials: written in {written:?}, merged in {merged:?}, opened in {:?}; {peak}",
        read.elapsed()
    );
}

/// A folder that cannot be looked at is not one that is missing.
#[cfg(unix)]
#[test]
fn a_folder_that_the_system_does_not_show_is_an_error_of_the_system() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let circle = place.path().join("circle");
    std::os::unix::fs::symlink(&circle, &circle).expect("a link");
    let words = |path: &Path| Results::open(path).err().map(|error| error.to_string());
    let said = words(&circle).expect("no results");
    assert!(said.contains("circle") && !said.contains("there are no results"), "{said}");
    let said = words(&place.path().join("gone")).expect("no results");
    assert!(said.contains("the folder does not exist"), "{said}");
    assert!(
        merge_shards(&[circle], place.path())
            .is_err_and(|error| { error.to_string().contains("cannot look at the folder") })
    );
}
