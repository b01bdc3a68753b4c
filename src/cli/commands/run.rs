//! `runner CONFIG…`: the main job.

use super::load::load;
use super::output::line;
use super::room;
use super::workplace::Workplace;
use crate::analysis::SummaryTable;
use crate::analysis::comparison::{Comparison, Family, Rule, compare, family, made_in_pairs};
use crate::analysis::stopping::{Outcomes, SequentialState};
use crate::cli::progress::{Display, display};
use crate::cli::{Failure, IsolationMode, RunArguments};
use crate::exit::Exit;
use crate::plan::Plan;
use crate::plan::ResultsSpec;
use crate::plan::shard::Shard;
use crate::plan::stopping::{Criterion, StoppingRule};
use crate::present::format::{count, percent};
use crate::present::terminal;
use crate::present::terminal::{advice, summary_table};
use crate::problem::PluginFile;
use crate::record::{Outcome, TrialRecord};
use crate::results::{Finished, Opened, Provenance, Results, ResultsError, Run, Store, samples};
use crate::run::{ArmProgress, Event, Isolation, RunError, Sink, run_trials};
use crate::system::guard;
use crate::system::interrupt::Interrupt;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use std::time::Instant;

pub fn run(arguments: &RunArguments, interrupt: &Interrupt) -> Result<Exit, Failure> {
    let place = Workplace::of(&arguments.isolation, &arguments.experiments.plugins, interrupt)
        .map_err(Failure::plugin)?;
    let worker = worker_memory(arguments)?;
    let loaded = load(&arguments.experiments, place.opener.clone());
    place.rest();
    if interrupt.is_raised() {
        message!("Interrupted before the first trial. Run the same command again to go on.");
        return Ok(Exit::Interrupted);
    }
    let plans = loaded?;
    let jobs = room::jobs(arguments.jobs);
    room::check(&plans, jobs, worker)?;
    check_shard(&plans, arguments)?;
    let ended = run_all(&plans, arguments, &place.isolation, jobs, interrupt);
    // The words first: problems are destroyed after them, and that is the plugins' part again.
    let exit = ended.unwrap_or_else(|failure| failure.print());
    guard::done(exit.code());
    Ok(exit)
}

/// What a worker process may use, in bytes.
fn worker_memory(arguments: &RunArguments) -> Result<Option<u64>, Failure> {
    let Some(megabytes) = arguments.isolation.worker_memory else { return Ok(None) };
    match arguments.isolation.mode {
        IsolationMode::Process => Ok(Some(megabytes.get().saturating_mul(1 << 20))),
        IsolationMode::Thread => Err(Failure::usage(format!(
            "--worker-memory {megabytes}: threads share the memory of one process, so that a limit \
            for each needs worker processes; add --isolation process"
        ))),
    }
}

/// A shard cannot answer a question.
fn check_shard(plans: &[Plan], arguments: &RunArguments) -> Result<(), Failure> {
    let asking = |plan: &&Plan| arguments.shard.is_some() && plan.stopping_rule.is_some();
    match plans.iter().find(asking) {
        None => Ok(()),
        Some(plan) => Err(Failure::usage(format!(
            "{}: a shard does not know the other shards' trials, so it cannot tell when the \
            criterion of `repeats` is answered; give a number of trials, such as --repeats 1000",
            plan.source.path.display()
        ))),
    }
}

/// One experiment after the other.
fn run_all(
    plans: &[Plan],
    arguments: &RunArguments,
    isolation: &Isolation,
    jobs: usize,
    interrupt: &Interrupt,
) -> Result<Exit, Failure> {
    let mut display = display(arguments.progress);
    // From here on the working directory can change: a plugin can do that.
    let out = &std::path::absolute(&arguments.out).unwrap_or_else(|_| arguments.out.clone());
    let mut exit = Exit::Done;
    for plan in plans {
        let experiment = Experiment { plan, arguments, out, isolation, jobs, interrupt };
        exit = exit.worse(experiment.run(display.as_mut())?);
        if exit == Exit::Interrupted {
            break;
        }
    }
    Ok(exit)
}

/// Arms in the closing summary; more would scroll it away.
const SHOWN: usize = 50;

/// One experiment on its way from plan to tables.
struct Experiment<'run> {
    plan: &'run Plan,
    arguments: &'run RunArguments,
    /// The folder for the results, absolute.
    out: &'run Path,
    isolation: &'run Isolation,
    jobs: usize,
    interrupt: &'run Interrupt,
}

impl Experiment<'_> {
    fn run(&self, display: &mut dyn Display) -> Result<Exit, ResultsError> {
        let plan = self.plan;
        let started = Instant::now();
        let spec = ResultsSpec::from(plan);
        let Opened { mut store, finished, plugins, known_plugins, notices } =
            Store::open_shard(self.out, &spec, self.arguments.shard)?;
        let folder = store.folder().to_path_buf();
        // As the user named it.
        let shown = &folder
            .strip_prefix(self.out)
            .map_or_else(|_| folder.clone(), |name| self.arguments.out.join(name));
        for notice in &notices {
            display.show(&Event::Notice { message: notice });
        }
        let (progress, outcomes) = progress(plan, &finished, &folder)?;
        let mut state = state(plan, &outcomes);
        let mut missing = missing(plan, self.arguments.shard, &finished, &state.target_trials);
        self.check_plugin(&plugins, &known_plugins, &missing, shown, display)?;
        if !missing.iter().all(Vec::is_empty) {
            store.accept_plugins()?;
        }
        let (mut provenance, notice) = Provenance::read_or_set_aside(&folder)?;
        notice.iter().for_each(|message| display.show(&Event::Notice { message }));
        provenance.runs.push(self.provenance(finished.total()));
        provenance.write(&folder)?;
        display.show(&Event::Started {
            plan,
            finished: &progress,
            target_trials: &state.target_trials,
            jobs: self.jobs,
        });
        let mut keeper = Keeper { store: &mut store, display, progress, outcomes };
        // Where a question ends the trials: look after look. Otherwise once.
        let (done, interrupted) = loop {
            match run_trials(plan, &missing, self.jobs, self.isolation, self.interrupt, &mut keeper)
            {
                Ok(_) => {}
                Err(RunError::Sink(error)) => return Err(error),
                Err(RunError::Worker(message)) => return Err(ResultsError::Worker { message }),
            }
            state = self::state(plan, &keeper.outcomes);
            // What the store has counts, and not what workers said.
            let left = self::missing(
                plan,
                self.arguments.shard,
                keeper.store.finished(),
                &state.target_trials,
            );
            let done = keeper.store.finished().total();
            if left.iter().all(Vec::is_empty) || self.interrupt.is_raised() {
                break (done, !left.iter().all(Vec::is_empty));
            }
            // Unless a question wants more trials than before, all should be there.
            if left_of(&missing, &left) > 0 {
                store.close()?;
                return Err(self.lacking(&left, shown));
            }
            keeper.display.show(&Event::Wanted { target_trials: &state.target_trials });
            missing = left;
        };
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
            message!("Interrupted; what finished is saved. Run the same command again to go on.");
            return Ok(Exit::Interrupted);
        }
        if let Some(shard) = self.arguments.shard {
            store.close()?;
            end("done")?;
            display.show(&Event::Ended { interrupted: false, elapsed: started.elapsed() });
            line!(
                "{}: shard {shard}, {done} of {} trials, in {}",
                plan.name,
                plan.trials(),
                shown.display()
            );
            line!("When all shards are done: runner merge {}", beside(shown, shard));
            return Ok(Exit::Done);
        }
        display.show(&Event::Writing);
        // The tables are the same whatever was in the folder before: trials beyond the answer have
        // no place in them.
        let beyond =
            (0..plan.arms.len()).any(|arm| store.finished().count(arm) > state.target_trials[arm]);
        if beyond {
            store.close()?;
            let spec = ResultsSpec { limits: Some(state.target_trials.clone()), ..spec };
            let opened = Store::open(self.out, &spec)?;
            opened.notices.iter().for_each(|message| display.show(&Event::Notice { message }));
            store = opened.store;
        }
        store.want(state.target_trials.clone());
        let summary = store.finish()?;
        end("done")?;
        display.show(&Event::Ended { interrupted: false, elapsed: started.elapsed() });
        let ended = conclude(plan, &summary, &state, shown);
        if summary.rows.iter().any(|row| row.figures.failures > 0 || row.figures.timed_out > 0)
            && troubles(&folder, shown)?
        {
            return Ok(Exit::SomeFailed);
        }
        Ok(ended)
    }

    /// The error of a run that ended without these trials.
    fn lacking(&self, left: &[Vec<Range<u64>>], folder: &Path) -> ResultsError {
        let first =
            left.iter().enumerate().find_map(|(arm, runs)| Some((arm, runs.first()?.start)));
        let example = first.map_or_else(String::new, |(arm, trial)| {
            format!("trial {trial} of `{}`", self.plan.arms[arm].label)
        });
        let wanted = match self.arguments.shard {
            Some(shard) => (0..self.plan.arms.len())
                .map(|arm| length(&shard.trials(arm, self.plan.repeats)))
                .sum(),
            None => self.plan.trials(),
        };
        ResultsError::Lacking { folder: folder.to_owned(), lacking: trials(left), wanted, example }
    }

    /// Trials of one arm must come from one plugin: another build of the same version may search
    /// otherwise. `then`: the builds that made the finished trials, as the files say themselves;
    /// `known`: those that an earlier run accepted.
    fn check_plugin(
        &self,
        then: &BTreeSet<String>,
        known: &BTreeSet<String>,
        missing: &[Vec<Range<u64>>],
        folder: &Path,
        display: &mut dyn Display,
    ) -> Result<(), ResultsError> {
        let now = PluginFile::of(&self.plan.library);
        let nothing_to_do = missing.iter().all(Vec::is_empty);
        // The builds that the tables would hold.
        let mut builds = then.clone();
        if !nothing_to_do {
            builds.insert(now.blake3.clone());
        }
        let mixed = builds.len() > 1 && !builds.is_subset(known);
        // A folder whose arms have all changed has no trial of another build left.
        if !mixed && (then.is_empty() || then.contains(&now.blake3)) {
            return Ok(());
        }
        if mixed && !self.arguments.accept_plugin_change {
            let PluginFile { name, version, .. } = now;
            return Err(ResultsError::PluginChanged { folder: folder.to_owned(), name, version });
        }
        let message = format!(
            "the trials in {} were made by another build of the plugin {} {}: its library's bytes \
            changed, its version did not; `runner verify {}` tells whether it searches as before",
            folder.display(),
            now.name,
            now.version,
            folder.display()
        );
        display.show(&Event::Notice { message: &message });
        Ok(())
    }

    fn provenance(&self, trials_before: u64) -> Run {
        let Plan { library, source, .. } = self.plan;
        Run {
            overrides: source.overrides.clone(),
            plugin: PluginFile::of(library),
            config_path: source.path.display().to_string(),
            config: source.text.clone(),
            ..Run::begin(self.jobs, trials_before)
        }
    }
}

/// What earlier runs left, an entry an arm; each outcome, if they decide how many trials there are.
fn progress(
    plan: &Plan,
    finished: &Finished,
    folder: &Path,
) -> Result<(Vec<ArmProgress>, Option<Outcomes>), ResultsError> {
    let mut progress = vec![ArmProgress::default(); plan.arms.len()];
    let mut outcomes = plan.stopping_rule.as_ref().map(|_| Outcomes::new(plan.arms.len()));
    if finished.total() > 0 {
        let results = Results::open(folder)?;
        results.trials(|record| {
            progress[record.arm].count(std::slice::from_ref(&record));
            outcomes.iter_mut().for_each(|outcomes| outcomes.add(&record));
            Ok(())
        })?;
    }
    Ok((progress, outcomes))
}

/// How many trials are wanted by now, and whether they are enough.
fn state(plan: &Plan, outcomes: &Option<Outcomes>) -> SequentialState {
    match plan.stopping_rule.as_ref().zip(outcomes.as_ref()) {
        Some((stopping_rule, outcomes)) => stopping_rule.state(outcomes, plan.repeats),
        None => SequentialState {
            target_trials: vec![plan.repeats; plan.arms.len()],
            settled: true,
            better: None,
            open: 0,
        },
    }
}

/// The runs of trial numbers that each arm misses, of a shard or of all.
fn missing(
    plan: &Plan,
    shard: Option<Shard>,
    finished: &Finished,
    target_trials: &[u64],
) -> Vec<Vec<Range<u64>>> {
    let of_arm = |arm: usize| {
        let target_trials =
            shard.map_or(0..target_trials[arm], |shard| shard.trials(arm, plan.repeats));
        finished.missing(arm, target_trials)
    };
    (0..plan.arms.len()).map(of_arm).collect()
}

fn length(run: &Range<u64>) -> u64 {
    run.end - run.start
}

/// The trials in these runs.
fn trials(runs: &[Vec<Range<u64>>]) -> u64 {
    runs.iter().flatten().map(length).sum()
}

/// The trials that are in both; the runs of each arm ascend.
fn left_of(before: &[Vec<Range<u64>>], now: &[Vec<Range<u64>>]) -> u64 {
    let common = |one: &Range<u64>, other: &Range<u64>| {
        one.end.min(other.end).saturating_sub(one.start.max(other.start))
    };
    let of_arm = |(before, now): (&Vec<Range<u64>>, &Vec<Range<u64>>)| -> u64 {
        let (mut trials, mut place) = (0, 0);
        for run in before {
            while now.get(place).is_some_and(|other| other.end <= run.start) {
                place += 1;
            }
            trials += now[place..]
                .iter()
                .take_while(|other| other.start < run.end)
                .map(|other| common(run, other))
                .sum::<u64>();
        }
        trials
    };
    before.iter().zip(now).map(of_arm).sum()
}

/// The pattern that names all shards beside this one.
fn beside(folder: &Path, shard: Shard) -> String {
    let text = folder.display().to_string();
    let own = format!(".shard-{}-of-{}", shard.number, shard.of);
    format!("{}.shard-*-of-{}", text.strip_suffix(&own).unwrap_or(&text), shard.of)
}

/// Keeps records in the store and tells the display.
struct Keeper<'run> {
    store: &'run mut Store,
    display: &'run mut dyn Display,
    progress: Vec<ArmProgress>,
    outcomes: Option<Outcomes>,
}

impl Sink for Keeper<'_> {
    type Error = ResultsError;

    fn running(&mut self, arm: usize) {
        self.display.show(&Event::Running { arm });
    }

    fn notice(&mut self, message: &str) {
        self.display.show(&Event::Notice { message });
    }

    fn records(&mut self, records: Vec<TrialRecord>) -> Result<(), ResultsError> {
        let mut touched: Vec<usize> = Vec::new();
        for record in &records {
            self.progress[record.arm].count(std::slice::from_ref(record));
            self.outcomes.iter_mut().for_each(|outcomes| outcomes.add(record));
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

/// Different errors that are listed.
const TROUBLES: usize = 10;

/// An error that trials ended with, and who they were.
struct Trouble {
    outcome: Outcome,
    error: String,
    trials: u64,
    arms: BTreeSet<usize>,
    /// The trial that is named: the first.
    first: (usize, u64),
}

/// Lists the errors of trials, each once, with the command that runs its first trial again; whether
/// there are any.
fn troubles(folder: &Path, shown: &Path) -> Result<bool, ResultsError> {
    let results = Results::open(folder)?;
    let mut troubles: Vec<Trouble> = Vec::new();
    let mut others = 0;
    results.trials(|record| -> Result<(), ResultsError> {
        let Some(error) = &record.error else { return Ok(()) };
        let full = troubles.len() == TROUBLES;
        let known = troubles
            .iter_mut()
            .find(|trouble| (trouble.outcome, &trouble.error) == (record.outcome, error));
        match known {
            Some(trouble) => {
                trouble.trials += 1;
                trouble.arms.insert(record.arm);
            }
            None if full => others += 1,
            None => troubles.push(Trouble {
                outcome: record.outcome,
                error: error.clone(),
                trials: 1,
                arms: BTreeSet::from([record.arm]),
                first: (record.arm, record.trial),
            }),
        }
        Ok(())
    })?;
    for Trouble { outcome, error, trials, arms, first } in &troubles {
        let (arm, trial) = (&results.arms()[first.0].label, first.1);
        match (trials, arms.len()) {
            (1, _) => message!("{outcome}: trial {trial} of `{arm}`: {error}"),
            (_, 1) => message!("{outcome}: {} trials of `{arm}`: {error}", count(*trials)),
            (_, all) => message!("{outcome}: {} trials of {all} arms: {error}", count(*trials)),
        }
        message!("  again: runner replay {} '{arm}' {trial}", shown.display());
    }
    if others > 0 {
        message!("and {} more trials with other errors; they are in trials.parquet", count(others));
    }
    Ok(!troubles.is_empty())
}

/// Prints the summary, where the tables are, and advice.
fn conclude(plan: &Plan, summary: &SummaryTable, state: &SequentialState, folder: &Path) -> Exit {
    line!("{}", plan.name);
    let all = summary.rows.len();
    let mut shown = summary.clone();
    shown.rows.truncate(SHOWN);
    line!("{}", summary_table(&shown, terminal::width()).trim_end());
    if all > SHOWN {
        line!(
            "The first {SHOWN} of {all} arms; `runner show {}` prints them all.",
            folder.display()
        );
    }
    if let Some(stopping_rule) = &plan.stopping_rule {
        line!("{}", answer(plan, stopping_rule, state));
    }
    line!("Tables: {}", folder.join("*.parquet").display());
    for line in advice(plan, summary, &compared(folder), folder) {
        message!("note: {line}");
    }
    line!();
    let failed: u64 = summary.rows.iter().map(|row| row.figures.failures).sum();
    if failed > 0 { Exit::SomeFailed } else { Exit::Done }
}

/// The arms beside each other, as `runner compare` has them, where these are few enough to be read.
fn compared(folder: &Path) -> Vec<Comparison> {
    // Advice alone hangs on it: the tables are written, and who asks for them hears of what is
    // wrong with them.
    let samples = Results::open(folder).and_then(|results| samples(&results)).unwrap_or_default();
    let Family { pairs, rule } = family(&samples, false);
    if rule == Rule::EveryTwo { compare(&pairs, made_in_pairs(&pairs)) } else { Vec::new() }
}

/// What the trials told, where a question ended them.
fn answer(plan: &Plan, stopping_rule: &StoppingRule, state: &SequentialState) -> String {
    let (most, level) = (count(plan.repeats), percent(stopping_rule.confidence));
    match stopping_rule.criterion {
        Criterion::Precision { half_width } => {
            let short = state
                .target_trials
                .iter()
                .filter(|target_trials| **target_trials == plan.repeats)
                .count();
            let at_most = match short {
                0 => String::new(),
                _ => format!(
                    "; {short} of {} arms ran to the most, {most}, and may be less precise",
                    plan.arms.len()
                ),
            };
            format!(
                "Each arm ran until its {level} confidence sequence was no wider than {}, in \
                total{at_most}.{}",
                crate::present::format::real(2.0 * half_width),
                match state.open {
                    0 => String::new(),
                    open => format!(" {} failed trials leave rates open.", count(open)),
                }
            )
        }
        Criterion::Decision { first, second } => {
            let (trials, name) =
                (count(state.target_trials[first]), |arm: usize| &plan.arms[arm].label);
            match state.better {
                Some(better) => {
                    let worse = if better == first { second } else { first };
                    format!(
                        "`{}` is better than `{}`: decided after {trials} trials of each, wrong \
                        with a probability of at most {:.3} however often one looks.",
                        name(better),
                        name(worse),
                        1.0 - stopping_rule.confidence
                    )
                }
                None => format!(
                    "Cannot tell which of `{}` and `{}` is better within {trials} trials of \
                    each{}.",
                    name(first),
                    name(second),
                    match state.open {
                        0 => String::new(),
                        open => format!(
                            ": those that ran would tell, but {} failures could turn it",
                            count(open)
                        ),
                    }
                ),
            }
        }
    }
}
