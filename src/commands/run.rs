//! `runner CONFIG…`: the main job.

use crate::cli::RunArguments;
use crate::commands::load::{self, Loaded};
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::plan::Plan;
use crate::progress::{Display, display};
use crate::record::TrialRecord;
use crate::report::{advice, summary_table};
use crate::results::{Finished, Layout, Provenance, ResultsError, Store, Summary};
use crate::run::{ArmProgress, Event, Sink, run_trials};
use std::ops::Range;
use std::path::Path;
use std::time::Instant;

pub fn run(arguments: &RunArguments) -> Exit {
    let Loaded { plans, .. } = match load::load(&arguments.experiments) {
        Ok(loaded) => loaded,
        Err(exit) => return exit,
    };
    let interrupt = match Interrupt::on_signals() {
        Ok(interrupt) => interrupt,
        Err(error) => {
            eprintln!("warning: Ctrl-C will end the run at once, without a summary: {error}");
            Interrupt::default()
        }
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
        let (mut store, finished) = Store::open(self.out, Layout::from(plan))?;
        for notice in store.notices() {
            display.show(&Event::Notice { message: notice });
        }
        let progress = store.progress().to_vec();
        display.show(&Event::Started { plan, finished: &progress, jobs: self.jobs });
        let missing = missing(&finished, plan);
        let mut keeper = Keeper { store: &mut store, display, progress };
        run_trials(plan, &missing, self.jobs, self.interrupt, &mut keeper)?;
        if self.interrupt.is_raised() {
            store.close()?;
            display.show(&Event::Ended { interrupted: true, elapsed: started.elapsed() });
            eprintln!("{}: interrupted; what finished is saved. Run the same command again to go on.", plan.name);
            return Ok(Exit::Interrupted);
        }
        display.show(&Event::Writing);
        let folder = store.folder().to_path_buf();
        let summary = store.finish()?;
        display.show(&Event::Ended { interrupted: false, elapsed: started.elapsed() });
        Ok(conclude(plan, &summary, &folder))
    }
}
