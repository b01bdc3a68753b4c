//! `runner CONFIG…`: the main job.

use super::load::load;
use super::terminal;
use crate::cli::RunArguments;
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::plan::Plan;
use crate::progress::{Display, display};
use crate::record::TrialRecord;
use crate::report::{advice, summary_table};
use crate::results::{
    Finished, Layout, Opened, PluginFile, Provenance, Results, ResultsError, Run, Store, SummaryTable,
};
use crate::run::{ArmProgress, Event, Sink, run_trials};
use std::ops::Range;
use std::path::Path;
use std::time::Instant;

pub fn run(arguments: &RunArguments) -> Exit {
    let interrupt = match Interrupt::on_signals() {
        Ok(interrupt) => interrupt,
        Err(error) => {
            eprintln!("warning: Ctrl-C will end the run at once, without a summary: {error}");
            Interrupt::default()
        }
    };
    let plans = match load(&arguments.experiments) {
        Ok(plans) => plans,
        Err(exit) => return exit,
    };
    let jobs = arguments.jobs.or_else(|| std::thread::available_parallelism().ok()).map_or(1, Into::into);
    let mut display = display(arguments.progress);
    let mut exit = Exit::Done;
    for plan in &plans {
        let ended = Experiment { plan, out: &arguments.out, jobs, interrupt: &interrupt }.run(display.as_mut());
        match ended {
            Ok(ended) => exit = exit.worse(ended),
            Err(error) => {
                eprintln!("error: {error}");
                return Exit::Results;
            }
        }
        if exit == Exit::Interrupted {
            break;
        }
    }
    exit
}

/// Arms in the closing summary; more would scroll it away.
const SHOWN: usize = 50;

/// One experiment on its way from plan to tables.
struct Experiment<'run> {
    plan: &'run Plan,
    out: &'run Path,
    jobs: usize,
    interrupt: &'run Interrupt,
}

impl Experiment<'_> {
    fn run(&self, display: &mut dyn Display) -> Result<Exit, ResultsError> {
        let plan = self.plan;
        let started = Instant::now();
        let Opened { mut store, finished, notices } = Store::open(self.out, &Layout::from(plan))?;
        let folder = store.folder().to_path_buf();
        for notice in &notices {
            display.show(&Event::Notice { message: notice });
        }
        let progress = progress(plan, &finished, &folder)?;
        let mut provenance = Provenance::read(&folder)?;
        provenance.runs.push(self.provenance(finished.total()));
        provenance.write(&folder)?;
        display.show(&Event::Started { plan, finished: &progress, jobs: self.jobs });
        let missing = missing(plan, &finished);
        let mut keeper = Keeper { store: &mut store, display, progress };
        run_trials(plan, &missing, self.jobs, self.interrupt, &mut keeper)?;
        let done = keeper.progress.iter().map(|arm| arm.trials).sum();
        let interrupted = done < plan.trials();
        let mut end = |ending: &str| {
            if let Some(run) = provenance.runs.last_mut() {
                run.end(ending, done);
            }
            provenance.write(&folder)
        };
        if interrupted {
            store.close()?;
            end("interrupted")?;
            display.show(&Event::Ended { interrupted: true, elapsed: started.elapsed() });
            eprintln!("Interrupted; what finished is saved. Run the same command again to go on.");
            return Ok(Exit::Interrupted);
        }
        display.show(&Event::Writing);
        let summary = store.finish()?;
        end("done")?;
        display.show(&Event::Ended { interrupted: false, elapsed: started.elapsed() });
        Ok(conclude(plan, &summary, &folder))
    }

    fn provenance(&self, trials_before: u64) -> Run {
        let Plan { library, source, .. } = self.plan;
        let (major, minor) = library.abi();
        Run {
            overrides: source.overrides.clone(),
            plugin: PluginFile {
                name: library.name().into(),
                version: library.version().into(),
                path: library.path().display().to_string(),
                blake3: library.file_hash().to_string(),
                abi: format!("{major}.{minor}"),
            },
            config_path: source.path.display().to_string(),
            config: source.text.clone(),
            ..Run::begin(self.jobs, trials_before)
        }
    }
}

/// What earlier runs left, an entry an arm.
fn progress(plan: &Plan, finished: &Finished, folder: &Path) -> Result<Vec<ArmProgress>, ResultsError> {
    let mut progress = vec![ArmProgress::default(); plan.arms.len()];
    if finished.total() > 0 {
        let results = Results::open(folder)?;
        results.trials(|record| {
            progress[record.arm].count(std::slice::from_ref(&record));
            Ok(())
        })?;
    }
    Ok(progress)
}

/// The runs of trial numbers that each arm misses.
fn missing(plan: &Plan, finished: &Finished) -> Vec<Vec<Range<u64>>> {
    let of_arm = |arm: usize| {
        if finished.count(arm) == 0 {
            return std::iter::once(0..plan.repeats).collect();
        }
        let mut runs: Vec<Range<u64>> = Vec::new();
        for trial in finished.missing(arm, plan.repeats) {
            match runs.last_mut() {
                Some(run) if run.end == trial => run.end += 1,
                _ => runs.push(trial..trial + 1),
            }
        }
        runs
    };
    (0..plan.arms.len()).map(of_arm).collect()
}

/// Keeps records in the store and tells the display.
struct Keeper<'run> {
    store: &'run mut Store,
    display: &'run mut dyn Display,
    progress: Vec<ArmProgress>,
}

impl Sink for Keeper<'_> {
    type Error = ResultsError;

    fn running(&mut self, arm: usize) {
        self.display.show(&Event::Running { arm });
    }

    fn records(&mut self, records: Vec<TrialRecord>) -> Result<(), ResultsError> {
        let mut touched: Vec<usize> = Vec::new();
        for record in &records {
            self.progress[record.arm].count(std::slice::from_ref(record));
            if !touched.contains(&record.arm) {
                touched.push(record.arm);
            }
        }
        if !records.is_empty() {
            self.store.append(records)?;
        }
        self.store.flush_if_due()?;
        for arm in touched {
            self.display.show(&Event::Advanced { arm, progress: self.progress[arm] });
        }
        Ok(())
    }
}

/// Prints the summary, where the tables are, and advice.
fn conclude(plan: &Plan, summary: &SummaryTable, folder: &Path) -> Exit {
    println!("{}", plan.name);
    let all = summary.rows.len();
    let mut shown = summary.clone();
    shown.rows.truncate(SHOWN);
    println!("{}", summary_table(&shown, terminal::width()).trim_end());
    if all > SHOWN {
        println!("The first {SHOWN} of {all} arms; `runner show {}` prints them all.", folder.display());
    }
    println!("Tables: {}", folder.join("*.parquet").display());
    for line in advice(plan, summary, folder) {
        eprintln!("note: {line}");
    }
    println!();
    let failed: u64 = summary.rows.iter().map(|row| row.figures.failures).sum();
    if failed > 0 { Exit::SomeFailed } else { Exit::Done }
}
