//! Files that are broken, foreign or incomplete.

use crate::parquet::{Column, Frame};
use crate::plan::ResultsSpec;
use crate::plan::settings::Trace;
use crate::record::TrialRecord;
use crate::results::fixtures::*;
use crate::results::schema::columns::Table;
use crate::results::*;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::fs;
use std::path::{Path, PathBuf};

/// Whatever happens to a segment: what is sound of it is kept, the rest runs again, and a copy of
/// the file stays.
#[test]
fn a_damaged_segment_loses_no_sound_block() {
    let whole = folder();
    let spec = spec(&[10, 20], 100, Trace::Best);
    run(whole.path(), &spec);
    let flip = |at: usize| {
        move |bytes: &mut Vec<u8>| {
            let place = bytes.len() * at / 100;
            bytes[place] ^= 4;
        }
    };
    type Change<'a> = &'a dyn Fn(&mut Vec<u8>);
    let (first, middle, last) = (flip(3), flip(60), flip(99));
    let changes: [(&str, Change<'_>); 4] = [
        ("cut", &|bytes| bytes.truncate(bytes.len() / 2)),
        ("first", &first),
        ("middle", &middle),
        ("index", &last),
    ];
    for (name, change) in changes {
        let out = whole.path().join(name);
        run_some(&out, &spec, 0.6, &mut Xoshiro256PlusPlus::seed_from_u64(9));
        let segment = segments(&out).into_iter().next().expect("a segment");
        let mut bytes = fs::read(&segment).expect("it can be read");
        change(&mut bytes);
        fs::write(&segment, &bytes).expect("it can be written");
        let shown = Results::open(&out.join("queens")).and_then(|results| results.trials(|_| ()));
        let refused = shown.expect_err("trials are missing").to_string();
        assert!(refused.contains(&*segment.to_string_lossy()), "{name}: {refused}");
        let (ran, notices) = run(&out, &spec);
        assert!(
            if name == "index" { ran == 80 } else { (80..140).contains(&ran) },
            "{name}: {ran}"
        );
        assert_eq!(notices.len(), usize::from(ran > 80), "{name}: {notices:?}");
        if ran > 80 {
            assert!(notices[0].contains(&*segment.to_string_lossy()), "{notices:?}");
            let aside = out.join("queens/damaged/001/parts");
            let aside = aside.join(segment.file_name().expect("a name"));
            assert_eq!(fs::read(aside).expect("it is set aside"), bytes);
        }
        assert!(tables(&out) == tables(whole.path()), "{name}");
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
        let Err(error) = store.finish(&mut |_| ()) else { panic!("it was not noticed") };
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

/// Puts finished tables into the folder of parts, where earlier versions kept them; returns the
/// file of one.
fn old_part(out: &Path, spec: &ResultsSpec, whole: &Path, table: Table) -> PathBuf {
    // This writes the plan.
    drop(Store::open(out, spec).expect("the folder can be opened"));
    let part = |table: Table| out.join("queens/parts").join(format!("{table}-0-000000.parquet"));
    for table in [Table::Trials, Table::Generations, Table::Timings] {
        let from = whole.join("queens").join(table.file_name());
        fs::copy(from, part(table)).expect("it can be copied");
    }
    part(table)
}

#[test]
fn what_an_earlier_version_left_is_read_and_gone_on_with() {
    let (whole, fewer, out) = (folder(), folder(), folder());
    let all = spec(&[10, 20], 40, Trace::Best);
    run(whole.path(), &all);
    run(fewer.path(), &spec(&[10, 20], 15, Trace::Best));
    old_part(out.path(), &all, fewer.path(), Table::Trials);
    assert_eq!(all_trials(out.path()).len(), 30);
    assert_eq!(run(out.path(), &all), (50, vec![]));
    assert!(tables(out.path()) == tables(whole.path()));
    assert!(!out.path().join("queens/parts").exists());
}

/// Checks that rows which no runner writes are not mistaken for other data. The message names the
/// file, the row and the value, and the next run sets the file aside.
#[test]
fn a_row_that_no_runner_writes_is_named() {
    let (out, whole) = (folder(), folder());
    let spec = spec(&[10], 40, Trace::Best);
    run(whole.path(), &spec);
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
        let part = old_part(&out, &spec, whole.path(), table);
        rewrite(&part, table, |_, value| value, change);
        let results = Results::open(&out.join("queens")).expect("there are results");
        let read = match table {
            Table::Trials => results.trials(|_| ()),
            _ => results.rows::<TimingRow>().and_then(|rows| rows.all(|_| ())),
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
