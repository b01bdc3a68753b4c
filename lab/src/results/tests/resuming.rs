//! Runs that go on from what is there.

use crate::plan::settings::Trace;
use crate::problem::parameter::Value;
use crate::results::fixtures::*;
use crate::results::schema::columns::Table;
use crate::results::*;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::fs;

#[test]
fn more_repeats_run_only_the_missing_trials() {
    let (out, whole) = (folder(), folder());
    assert_eq!(run(out.path(), &spec(&[10, 20], 30, Trace::Best)).0, 60);
    assert_eq!(run(out.path(), &spec(&[10, 20], 100, Trace::Best)), (140, vec![]));
    assert_eq!(run(out.path(), &spec(&[10, 20], 100, Trace::Best)), (0, vec![]));
    run(whole.path(), &spec(&[10, 20], 100, Trace::Best));
    assert!(tables(out.path()) == tables(whole.path()));
}

#[cfg(unix)]
#[test]
fn tables_that_are_whole_stay() {
    use std::os::unix::fs::MetadataExt;
    let out = folder();
    let spec_of = |trials| spec(&[10, 20], trials, Trace::Best);
    let files = || {
        ["trials", "timings", "generations"].map(|table| {
            let path = out.path().join(format!("queens/{table}.parquet"));
            path.metadata().expect("a table").ino()
        })
    };
    run(out.path(), &spec_of(60));
    let (written, expected) = (files(), tables(out.path()));
    assert_eq!(run(out.path(), &spec_of(60)), (0, vec![]));
    assert_eq!(files(), written);
    assert!(tables(out.path()) == expected);
    // A summary of other trials, or none, says that the tables were not written to their end.
    fs::remove_file(out.path().join("queens/summary.parquet")).expect("it can be removed");
    run(out.path(), &spec_of(60));
    assert_ne!(files(), written);
    assert!(tables(out.path()) == expected);
    // Killed after the rows of other trials were moved away, before the tables were written.
    let whole = folder();
    run(whole.path(), &spec_of(40));
    let opened = Store::open(out.path(), &spec_of(40)).expect("the folder can be opened");
    assert_eq!(opened.notices.len(), 1);
    opened.store.close().expect("it can be closed");
    let split = files();
    assert_eq!(run(out.path(), &spec_of(40)), (0, vec![]));
    assert_ne!(files(), split);
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
            let segment = segments(out.path()).into_iter().next();
            fs::remove_file(segment.expect("a segment")).expect("it can be removed");
        }
        assert_eq!(run(out.path(), &spec), (0, vec![]), "{published} tables");
        assert!(tables(out.path()) == expected, "{published} tables");
        assert!(!queens.join(".unfinished-trials.parquet").exists());
    }
    // Killed while a journal became a segment, before that appeared and after.
    for sealed in [false, true] {
        let out = folder();
        run_some(out.path(), &spec, 0.5, &mut Xoshiro256PlusPlus::seed_from_u64(2));
        let parts = out.path().join("queens/parts");
        let journal = fs::read(parts.join("journal")).expect("a journal");
        if sealed {
            let opened = Store::open(out.path(), &spec).expect("the folder can be opened");
            opened.store.close().expect("it can be closed");
        }
        fs::write(parts.join("journal-000099"), journal).expect("it can be written");
        fs::write(parts.join("journal"), b"").expect("it can be written");
        fs::write(parts.join(".unfinished-segment-000099"), b"x").expect("it can be written");
        fs::create_dir_all(parts.with_file_name("data")).expect("it can be made");
        fs::write(parts.with_file_name("data").join(".unfinished-file"), b"x")
            .expect("it can be written");
        assert_eq!(all_trials(out.path()).len(), 60);
        assert_eq!(run(out.path(), &spec), (60, vec![]), "sealed: {sealed}");
        assert!(tables(out.path()) == expected);
        assert!(!parts.with_file_name("data").join(".unfinished-file").exists());
    }
}

#[test]
fn segments_stay_few() {
    let out = folder();
    let spec = spec(&[10], 40, Trace::None);
    for trial in 0..40 {
        let Opened { mut store, finished, .. } =
            Store::open(out.path(), &spec).expect("the folder can be opened");
        assert_eq!(finished.total(), trial);
        store.append(vec![record(&spec, 0, trial)]).expect("records can be taken");
        store.close().expect("it can be closed");
        assert!(segments(out.path()).len() <= 9);
    }
    assert_eq!(all_trials(out.path()).len(), 40);
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
    let written = store.finish(&mut |_| ()).expect("the tables can be written");
    let read = Results::open(&out.path().join("queens")).and_then(|results| results.summary());
    assert_eq!(read.expect("the summary can be read"), written);
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
        let reader =
            crate::results::storage::reader::TableReader::open(&superseded("001", table), kind)
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
