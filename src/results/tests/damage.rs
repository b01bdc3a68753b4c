//! Files that are broken, foreign or incomplete.

use crate::parquet::{Column, Frame};
use crate::plan::settings::Trace;
use crate::record::TrialRecord;
use crate::results::fixtures::*;
use crate::results::schema::columns::Table;
use crate::results::*;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::fs;
use std::path::Path;

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
        assert!(error.to_string().contains("was not requested"), "{error}");
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
        let older = |key: &str, value: String| match key {
            "runner" => format!(
                "{{\"table\":\"{table}\",\"format\":1,\"version\":\"0.1.0\",\"trace\":\"none\"}}"
            ),
            _ => value,
        };
        rewrite(&path, table, older, |frame| frame);
    }
    let before = tables(out.path());
    let Err(run) = Store::open(out.path(), &spec) else { panic!("it was taken for one's own") };
    let Err(read) = Results::open(&out.path().join("queens")) else { panic!("it was shown") };
    for error in [run.to_string(), read.to_string()] {
        assert!(
            error.contains("written in table format 1 by another version of the runner"),
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
fn a_folder_without_results_is_named() {
    let out = folder();
    let Err(error) = Results::open(&out.path().join("nothing")) else {
        panic!("there were results")
    };
    assert!(error.to_string().contains("does not exist"), "{error}");
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
        merge_shards(&[circle], place.path(), MergedForm::Files, false)
            .is_err_and(|error| { error.to_string().contains("cannot look at the folder") })
    );
}

/// What no runner writes is not taken for something else: the file, the row and the value are
/// named, and the next run sets the file aside.
#[test]
fn a_row_that_no_runner_writes_is_named() {
    let (out, whole) = (folder(), folder());
    let spec = spec(&[10], 40, Trace::Best);
    run(whole.path(), &spec);
    let rng = || Xoshiro256PlusPlus::seed_from_u64(4);
    let melted = |frame: Frame| {
        let outcomes: Vec<String> = (frame.column("outcome").and_then(Column::str))
            .expect("texts")
            .iter()
            .enumerate()
            .map(|(row, word)| if row == 2 { "melted" } else { word.expect("no nulls") }.to_owned())
            .collect();
        frame.with_column(Column::texts("outcome", outcomes.iter().map(|one| Some(one.as_str()))))
    };
    let timeless = |frame: Frame| {
        let rows = frame.height();
        let seconds = (0..rows).map(|row| (row != 1).then_some(0.5));
        frame.with_column(Column::optional("seconds", seconds))
    };
    type Change<'a> = &'a dyn Fn(Frame) -> Frame;
    let changes: [(Table, Change<'_>, &str); 2] = [
        (Table::Trials, &melted, "row 3: the outcome `melted` is none of solved, generations, "),
        (Table::Timings, &timeless, "row 2: it has no `seconds`"),
    ];
    for (table, change, expected) in changes {
        let out = out.path().join(table.as_str());
        run_some(&out, &spec, 0.5, &mut rng());
        let part = parts(&out, table.as_str()).into_iter().next().expect("a part");
        rewrite(&part, table, |_, value| value, change);
        let results = Results::open(&out.join("queens")).expect("there are results");
        let read = match table {
            Table::Trials => results.trials(|_| Ok::<(), ResultsError>(())),
            _ => results.timings(|_| Ok(())),
        };
        let error = read.expect_err("it was taken for something").to_string();
        for part in [&*part.to_string_lossy(), expected] {
            assert!(error.contains(part), "{part}: {error}");
        }
        let (_, notices) = run(&out, &spec);
        assert!(notices.len() == 1 && notices[0].contains(expected), "{notices:?}");
        let (found, expected) = (tables(&out), tables(whole.path()));
        assert!(found["trials.parquet"] == expected["trials.parquet"]);
    }
}
