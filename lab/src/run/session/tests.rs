use super::*;
use crate::config::{Catalogue, Overrides, load_text};
use crate::plan::round::{Round, Share};
use crate::plan::shard::Shard;
use crate::problem::{Library, SearchPath};
use crate::results::{MergedForm, Results, merge_shards, trial_errors};
use crate::run::{Advance, Isolation, advance, collect_trials};
use crate::system::interrupt::Interrupt;
use std::path::Path;

/// Returns an experiment with two arms, most of whose trials do not fail.
fn plan(repeats: &str) -> Plan {
    let mut catalogue = Catalogue::new(SearchPath::of(Vec::new()));
    catalogue.add(Library::linked::<faulty::Faulty>("1").expect("its table is sound"));
    let text = format!(
        "repeats = {repeats}\n[problem]\nplugin = \"faulty\"\nfault = \"nan\"\nshare = 0.05\n\
        [[operators]]\nname = \"a\"\npopulation = 4\nselection = \"uniform\"\n\
        mutation = \"bit-flip\"\n\
        [[operators]]\nname = \"b\"\nalgorithm = \"random-search\"\npopulation = 4\n\
        [stop]\nevaluations = 60\n"
    );
    let outcome = load_text(Path::new("x.toml"), &text, &Overrides::default(), &mut catalogue);
    let found = outcome.diagnostics;
    outcome.plans.into_iter().next().unwrap_or_else(|| panic!("{found:?}"))
}

/// The words of the events, and the trials that the arms have by the last of them.
#[derive(Default)]
struct Watcher {
    words: Vec<&'static str>,
    trials: Vec<u64>,
    /// Interrupt that is raised once that number of trials is in.
    interrupt: Option<(u64, Interrupt)>,
}

impl Observer for Watcher {
    fn observe(&mut self, event: &Event<'_>) {
        self.words.push(match event {
            Event::Started { finished, .. } => {
                self.trials = finished.iter().map(|arm| arm.trials).collect();
                "started"
            }
            Event::TargetsRaised { .. } => "raised",
            Event::Running { .. } => "running",
            Event::Advanced { arm, progress } => {
                self.trials[*arm] = progress.trials;
                "advanced"
            }
            Event::Generation(_) => "generation",
            Event::Notice(_) => "notice",
            Event::Writing { .. } => "writing",
            Event::Ended { .. } => "ended",
        });
        if let Some((trials, interrupt)) = &self.interrupt
            && self.trials.iter().sum::<u64>() >= *trials
        {
            interrupt.raise();
        }
    }
}

fn options(folder: &Path) -> SessionOptions {
    SessionOptions { jobs: 2, ..SessionOptions::new(folder) }
}

fn tables(folder: &Path) -> [Vec<u8>; 2] {
    ["summary", "trials"].map(|table| {
        std::fs::read(folder.join("x").join(format!("{table}.parquet"))).expect("a table")
    })
}

fn finished(ended: Ended) -> Conclusion {
    match ended {
        Ended::Finished(conclusion) => conclusion,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_experiment_runs_to_its_tables_and_tells_of_it() {
    let (folder, plan) = (tempfile::tempdir().expect("a folder"), plan("200"));
    let mut watcher = Watcher::default();
    let ended = run_experiment(&plan, &options(folder.path()), &mut watcher).expect("no error");
    let Conclusion { folder: results, summary, state, .. } = finished(ended);
    assert_eq!(results.path, folder.path().join("x"));
    assert_eq!((watcher.trials, state.target_trials), (vec![200, 200], vec![200, 200]));
    assert_eq!(watcher.words.first(), Some(&"started"));
    assert_eq!(watcher.words[watcher.words.len() - 2..], ["writing", "ended"]);
    let failures: u64 = summary.rows.iter().map(|row| row.figures.failures).sum();
    let errors = trial_errors(&Results::open(&results.path).expect("tables")).expect("tables");
    let listed: u64 = errors.errors.iter().map(|one| one.trials).sum();
    assert!(failures > 0 && listed + errors.others == failures, "{errors:?}");
}

/// As a cluster does it.
#[test]
fn records_from_elsewhere_give_the_same_tables_in_any_order_and_number() {
    let (here, there) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("one"));
    let plan = plan("{ half-width = 0.06, max = 400 }");
    run_experiment(&plan, &options(here.path()), &mut |_: &Event<'_>| {}).expect("no error");
    let (options, mut watcher) = (options(there.path()), Watcher::default());
    let mut session = Session::open(&plan, &options, &mut watcher).expect("a folder");
    while !session.missing().is_empty() {
        let runs = session.missing().runs().iter().enumerate();
        let trials: Vec<(usize, u64)> = runs
            .flat_map(|(arm, runs)| runs.iter().cloned().flatten().map(move |t| (arm, t)))
            .collect();
        let mut records =
            collect_trials(&plan, trials, 1, &Isolation::Threads, &Interrupt::default())
                .expect("threads");
        records.reverse();
        // What comes twice counts once.
        session.add(records.clone(), &mut watcher).expect("they are kept");
        records.extend(records.clone());
        session.add(records, &mut watcher).expect("they are kept already");
        session.decide(&mut watcher).expect("none is missing");
    }
    let conclusion = finished(session.finish(&mut watcher).expect("tables"));
    assert_eq!(watcher.trials, conclusion.state.target_trials);
    assert!(watcher.words.contains(&"raised"), "{:?}", watcher.words);
    assert!(tables(here.path()) == tables(there.path()));
}

#[test]
fn trials_that_were_not_run_are_an_error_and_foreign_ones_too() {
    let (folder, plan) = (tempfile::tempdir().expect("a folder"), plan("20"));
    let options = options(folder.path());
    let mut observer = |_: &Event<'_>| {};
    let mut session = Session::open(&plan, &options, &mut observer).expect("a folder");
    let error = session.decide(&mut observer).expect_err("all are missing").to_string();
    assert!(error.contains("40 of 40 trials") && error.contains("trial 0 of `a`"), "{error}");
    let threads = &Isolation::Threads;
    let mut records =
        collect_trials(&plan, [(1, 3)], 1, threads, &Interrupt::default()).expect("threads");
    records[0].arm = 7;
    let error = session.add(records, &mut observer).expect_err("there is no such arm").to_string();
    assert!(error.contains("not requested (arm 7, trial 3"), "{error}");
}

#[test]
fn an_interrupted_session_goes_on_to_the_same_tables() {
    let (cut, whole) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("one"));
    let plan = plan("8000");
    let interrupt = Interrupt::default();
    let mut watcher = Watcher { interrupt: Some((100, interrupt.clone())), ..Watcher::default() };
    let stopping = SessionOptions { interrupt, ..options(cut.path()) };
    match run_experiment(&plan, &stopping, &mut watcher).expect("no error") {
        Ended::Interrupted { trials, .. } => assert!((100..16_000).contains(&trials), "{trials}"),
        other => panic!("{other:?}"),
    }
    assert!(!watcher.words.contains(&"writing"));
    let mut watcher = Watcher::default();
    finished(run_experiment(&plan, &options(cut.path()), &mut watcher).expect("no error"));
    run_experiment(&plan, &options(whole.path()), &mut |_: &Event<'_>| {}).expect("no error");
    assert!(tables(cut.path()) == tables(whole.path()));
}

#[test]
fn shards_are_done_when_their_trials_are_and_merge_to_the_same_tables() {
    let (parts, whole) =
        (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("one"));
    let plan = plan("30");
    let folders: Vec<_> = [1, 2]
        .map(|number| {
            let share = Some(Share::of_all(Shard { number, of: 2 }));
            let options = SessionOptions { share, ..options(parts.path()) };
            match run_experiment(&plan, &options, &mut |_: &Event<'_>| {}).expect("no error") {
                Ended::ShardDone { folder, trials: 30 } => folder.path,
                other => panic!("{other:?}"),
            }
        })
        .into();
    merge_shards(&folders, &parts.path().join("merged"), MergedForm::Files, false)
        .expect("two shards");
    run_experiment(&plan, &options(whole.path()), &mut |_: &Event<'_>| {}).expect("no error");
    assert!(tables(&parts.path().join("merged")) == tables(whole.path()));
}

#[test]
fn a_question_is_answered_in_rounds_of_shards_as_on_one_machine() {
    let (seen, counted) = in_rounds("{ half-width = 0.08, max = 3000 }");
    assert_eq!(seen, counted);
}

/// Trials beyond the last wanted success are no part of the tables.
#[test]
fn successes_are_counted_in_rounds_of_shards_as_on_one_machine() {
    let (seen, counted) = in_rounds("{ successes = 90, max = 3000 }");
    assert!(seen >= counted, "{seen} {counted}");
}

/// Runs the trials in rounds of three shards and compares the tables with those of one run. Returns
/// the number of trials that were run, and of those that count.
fn in_rounds(repeats: &str) -> (u64, u64) {
    let (rounds, whole) =
        (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("one"));
    let plan = plan(repeats);
    let quiet = &mut |_: &Event<'_>| {};
    let begun = |after, observer: &mut dyn Observer| {
        advance(&plan, &options(rounds.path()), 3, after, observer).expect("no error")
    };
    let (mut next, mut number, mut seen) = (begun(None, quiet), 0, 0);
    while let Advance::Next(file) = next {
        number += 1;
        assert_eq!(file.round.number, number);
        // Asked for once more, as by a job that was started twice, it is the same round.
        assert!(matches!(begun(Some(number - 1), quiet), Advance::Next(same) if same == file));
        // Not before all shards are there.
        let early = advance(&plan, &options(rounds.path()), 3, Some(number), quiet);
        let early = early.expect_err("shards are missing").to_string();
        assert!(early.contains("missing"), "{early}");
        for shard in 1..=3 {
            let share =
                Share { shard: Shard { number: shard, of: 3 }, round: Some(file.round.clone()) };
            let options = SessionOptions { share: Some(share), ..options(rounds.path()) };
            match run_experiment(&plan, &options, quiet).expect("no error") {
                Ended::ShardDone { trials, .. } => seen += trials,
                other => panic!("{other:?}"),
            }
        }
        // The first process was killed before it removed the shards of the round before.
        let before = Round { number: number - 1, ..file.round.clone() };
        let share = Share { shard: Shard { number: 1, of: 3 }, round: Some(before) };
        std::fs::create_dir(rounds.path().join(share.folder(&plan.name))).expect("a folder");
        next = begun(Some(number), quiet);
    }
    assert!(number > 2, "{number} rounds");
    let Advance::Finished(conclusion) = next else { panic!("{next:?}") };
    let counted: u64 = conclusion.state.target_trials.iter().sum();
    run_experiment(&plan, &options(whole.path()), quiet).expect("no error");
    assert!(tables(rounds.path()) == tables(whole.path()));
    let left: Vec<_> = std::fs::read_dir(rounds.path()).expect("a folder").flatten().collect();
    assert_eq!(left.len(), 1, "{left:?}");
    // Asked for after the end, it is the same end.
    assert!(matches!(begun(Some(number), quiet), Advance::Finished(_)));
    (seen, counted)
}

/// Shards of the last round stay if its job is killed while it writes the tables. They are no part
/// of the rounds of a later question.
#[test]
fn shards_of_an_earlier_question_are_not_those_of_a_later_one() {
    let out = tempfile::tempdir().expect("a folder");
    let quiet = &mut |_: &Event<'_>| {};
    let share = |round: &Round, number| Share {
        shard: Shard { number, of: 2 },
        round: Some(round.clone()),
    };
    let answered = |plan: &Plan, leaves: bool| {
        let quiet = &mut |_: &Event<'_>| {};
        let mut after = None;
        loop {
            let next = advance(plan, &options(out.path()), 2, after, quiet).expect("no error");
            let Advance::Next(file) = next else { break };
            for number in [1, 2] {
                let share = Some(share(&file.round, number));
                let folder = share.as_ref().map(|share| share.folder(&plan.name));
                let folder = out.path().join(folder.expect("a folder"));
                let options = SessionOptions { share, ..options(out.path()) };
                run_experiment(plan, &options, quiet).expect("no error");
                if leaves {
                    // As a killed job leaves it.
                    let copy = out.path().join(format!("kept-{number}"));
                    _ = std::fs::remove_dir_all(&copy);
                    let mut copied = std::process::Command::new("cp");
                    let status = copied.arg("-r").args([&folder, &copy]).status();
                    assert!(status.expect("it runs").success());
                }
            }
            after = Some(file.round.number);
        }
        after.expect("a round")
    };
    let first = plan("{ half-width = 0.2, max = 60 }");
    let last = answered(&first, true);
    for number in [1, 2] {
        let round = Round { number: last, trials: Vec::new() };
        let folder = out.path().join(share(&round, number).folder(&first.name));
        std::fs::rename(out.path().join(format!("kept-{number}")), folder).expect("a folder");
    }
    let later = plan("{ half-width = 0.05, max = 3000 }");
    assert!(answered(&later, false) >= last);
    let whole = tempfile::tempdir().expect("a folder");
    run_experiment(&later, &options(whole.path()), quiet).expect("no error");
    assert!(tables(out.path()) == tables(whole.path()));
}
