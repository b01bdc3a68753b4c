//! Tests that tables are read as they were written, no matter by which way rows got into them.

use crate::parquet::Frame;
use crate::plan::BestType;
use crate::plan::settings::Trace;
use crate::problem::Genome;
use crate::record::{Outcome, TrialRecord};
use crate::results::fixtures::*;
use crate::results::schema::columns::Table;
use crate::results::storage::reader::TableReader;
use crate::results::*;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

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
    let mut rows = results.rows::<GenerationRow>().expect("the table can be read");
    let read = rows.of_arm(1, |row| figures.push((row.trial, row.figures)));
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
        let reader = TableReader::open(&path, table).expect("a table");
        let pairs = reader.key_values();
        let (_, docs) = pairs.iter().find(|(key, _)| key == "columns").expect("docs");
        let docs: BTreeMap<String, String> = serde_json::from_str(docs).expect("JSON");
        let names: Vec<_> = reader.schema().iter_names().map(|name| name.to_string()).collect();
        assert!(
            names.iter().all(|name| docs.contains_key(name)) && names.len() == docs.len(),
            "{table}: {names:?}"
        );
    }
}

/// Tables as a runner wrote them before trials had the evaluations after their best.
#[test]
fn tables_of_the_format_before_are_read_and_continued() {
    let out = folder();
    let spec_of = |repeats| spec(&[10], repeats, Trace::None);
    run(out.path(), &spec_of(5));
    let place = out.path().join("queens");
    let path = |table: Table| place.join(table.file_name());
    let checksum = || {
        TableReader::open(&path(Table::Trials), Table::Trials).expect("trials").checksum.to_string()
    };
    let (ours, mut theirs) = (checksum(), String::new());
    for table in [Table::Trials, Table::Timings, Table::Summary] {
        let older = |_: &str, value: String| {
            value.replace("\"format\":7", "\"format\":5").replace(&ours, &theirs)
        };
        rewrite(&path(table), table, older, |frame| {
            let later = ["after_best", "fitness_q25", "fitness_q75", "fitness_sd"];
            let is_older = |name: &str| !later.iter().any(|one| name.contains(one));
            let columns = frame.columns().iter().filter(|one| is_older(one.name()));
            Frame::new(frame.height(), columns.cloned().collect()).expect("a frame")
        });
        theirs = checksum();
    }
    let expected = |repeats| -> Vec<TrialRecord> {
        let records = missing(&spec_of(repeats), &Finished::new(1)).into_iter().map(as_read);
        records
            .map(|mut record| {
                record.evaluations_after_best.take_if(|_| record.trial < 5);
                record
            })
            .collect()
    };
    assert_eq!(all_trials(out.path()), expected(5));
    let later = || {
        let summary = Results::open(&place).and_then(|results| results.summary());
        let figures = summary.expect("a summary").rows[0].figures.clone();
        let fitness = figures.best_fitness.expect("a best fitness");
        [figures.evaluations_after_best_median, fitness.q25, fitness.q75, fitness.deviation]
    };
    assert_eq!(later(), [None; 4]);
    assert_eq!(run(out.path(), &spec_of(10)).0, 5);
    assert_eq!(all_trials(out.path()), expected(10));
    assert!(later().iter().all(Option::is_some));
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
    store.finish(&mut |_| ()).expect("the tables can be written");
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
    let interval = ert.interval.expect("successes enough");
    assert!(interval.low < ert.value && ert.value < interval.high.expect("a bound"));
}

#[test]
fn a_swept_key_cannot_take_a_fixed_name() {
    let out = folder();
    let mut spec = spec(&[10], 10, Trace::None);
    spec.swept_keys[0] = "trial".to_owned();
    let Err(error) = Store::open(out.path(), &spec) else { panic!("the key was taken") };
    assert!(error.to_string().contains("`trial`"), "{error}");
}

/// Groups are read ahead: in whatever order arms are asked for, their rows are their own, and one
/// trial after another has all columns.
#[test]
fn rows_of_several_groups_are_read_in_any_order_of_arms() {
    // An arm of so many trials ends its row group.
    let (out, spec) = (folder(), spec(&[10, 20, 30], 4_100, Trace::None));
    let Opened { mut store, .. } = Store::open(out.path(), &spec).expect("it can be opened");
    let all: Vec<_> =
        (0..3).map(|arm| (0..4_100).map(|trial| record(&spec, arm, trial)).collect()).collect();
    all.iter().for_each(|arm: &Vec<_>| store.append(arm.clone()).expect("it can be taken"));
    store.finish(&mut |_| ()).expect("the tables can be written");
    let results = Results::open(&out.path().join("queens")).expect("there are results");
    for arms in [[0, 1, 2], [2, 0, 1], [1, 1, 0]] {
        let mut rows = results.rows::<TrialRecord>().expect("the table can be read");
        for arm in arms {
            let mut expected = all[arm].iter().cloned().map(as_read);
            let read = rows.of_arm(arm, |trial| assert_eq!(Some(trial), expected.next()));
            read.expect("the arm can be read");
            assert_eq!(expected.next(), None);
        }
        let mut figures = results.rows().expect("the table can be read").figures();
        let read = figures.of_arm(arms[0], |_| ());
        read.expect("the arm can be read");
        let mut whole = figures.whole();
        for (arm, trial) in [(1, 4_099), (0, 7), (2, 0)] {
            let found = whole.find(arm, trial).expect("the table can be read");
            assert_eq!(found, Some(as_read(all[arm][trial as usize].clone())));
        }
    }
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
    let summary = store.finish(&mut |_| ()).expect("the tables can be written");
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
