//! `runner submit`: submits shards of experiments and tunings to a batch system.

use super::folders::warn_of_nested;
use super::isolation::isolation;
use super::load::{expanded, load, search_path};
use super::output::{line, put};
use super::round::go_on;
use super::slurm_jobs::{shown, submit_to_slurm};
use super::trace::check_traces;
use super::tune::load as load_tuning;
use crate::analysis::SummaryRow;
use crate::cli::arguments::{EngineName, ExperimentArguments, IsolationMode, SubmitArguments};
use crate::cli::{Failure, Faults};
use crate::cluster::{
    ClusterError, Engine, ScriptFile, ShardSet, Submission, digest_of_arms, hyperqueue, kubernetes,
    parallel, print, slurm,
};
use crate::config::{Catalogue, Overrides, Sources, Tuning, is_tuning, repeated_name};
use crate::exit::Exit;
use crate::plan::{Arm, Plan};
use crate::results::{Provenance, RoundFile, refuse_pieces};
use crate::run::{PluginLoader, ResultsFolder, SessionOptions, refuse_other_build};
use crate::system::interrupt::Interrupt;
use crate::words::{count, counted};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf, absolute};

/// Environment variables that affect how problems are found and run.
const VARIABLES: [&str; 3] = ["RUNNER_PLUGIN_PATH", "VIRTUAL_ENV", "PYTHONPATH"];
/// Arguments of `sbatch` that the runner sets itself.
const OURS: [&str; 5] = ["--array", "-a", "--wrap", "--parsable", "--kill-on-invalid-dep"];

/// An experiment that is ready to be submitted.
struct Prepared<'plan> {
    plan: &'plan Plan,
    submission: Submission,
    /// Shards to run.
    shards: ShardSet,
    files: Vec<ScriptFile>,
}

pub(super) fn submit(arguments: &SubmitArguments, interrupt: &Interrupt) -> Result<Exit, Failure> {
    check_arguments(arguments)?;
    warn_of_nested(&arguments.out);
    let isolation = isolation(&arguments.isolation, &arguments.experiments.plugins)?;
    let loader = isolation.plugin_loader(interrupt);
    let (files, configs) = expanded(&arguments.experiments.configs)
        .into_iter()
        .partition::<Vec<PathBuf>, _>(|path| is_tuning(path));
    let tunings = tunings(&files, arguments, &loader)?;
    let experiments = ExperimentArguments { configs, ..arguments.experiments.clone() };
    let plans = match experiments.configs.is_empty() {
        true => Vec::new(),
        false => load(&experiments, &loader)?,
    };
    let all = || {
        let tunings = tunings.iter().map(|(plan, tuning)| (plan, Some(tuning)));
        plans.iter().map(|plan| (plan, None)).chain(tunings)
    };
    if let Some(fault) = repeated_name(all().map(|(plan, _)| (&*plan.name, &*plan.source.path))) {
        let faults = Faults { diagnostics: vec![fault], sources: Sources::default() };
        return Err(Failure::nothing_run(Exit::Usage, faults));
    }
    all().try_for_each(|(plan, _)| check_traces(std::slice::from_ref(plan), &arguments.out))?;
    let prepared = all()
        .map(|(plan, tuning)| prepare(plan, tuning, arguments))
        .collect::<Result<Vec<_>, Failure>>()?;
    let options = SessionOptions {
        isolation,
        interrupt: interrupt.clone(),
        accept_plugin_change: arguments.accept_plugin_change,
        retry_failed: arguments.retry_failed,
        ..SessionOptions::new(&arguments.out)
    };
    for one in prepared {
        if one.shards.is_empty() && arguments.engine != EngineName::Slurm {
            line!("{}: all shards are done", one.submission.experiment);
        } else if arguments.engine == EngineName::Print {
            put(&print::commands(&one.submission, &one.shards)?);
        } else if arguments.dry_run {
            show(&one);
        } else if one.plan.stopping_rule.is_some() {
            go_on(one.plan, one.submission, &options, None)?;
        } else {
            hand_over(one)?;
        }
    }
    Ok(Exit::Done)
}

/// Returns the tunings of these files, each with the plan of the settings that it begins with.
fn tunings(
    files: &[PathBuf],
    arguments: &SubmitArguments,
    loader: &PluginLoader,
) -> Result<Vec<(Plan, Tuning)>, Failure> {
    let ExperimentArguments { set, repeats, seed, plugins, .. } = &arguments.experiments;
    let unused = [(repeats.is_some(), "--repeats"), (arguments.retry_failed, "--retry-failed")];
    let unused = unused.into_iter().find_map(|(given, flag)| given.then_some(flag));
    if let (Some(file), Some(flag)) = (files.first(), unused) {
        return Err(Failure::usage(format!(
            "{flag}: {} is a tuning, whose shards have no such option; leave it out, or submit \
            the tuning by itself",
            file.display()
        )));
    }
    let load = |file: &PathBuf| {
        let overrides = Overrides { set: set.clone(), repeats: None, seed: seed.clone() };
        let mut catalogue = Catalogue::opening(search_path(plugins), loader.opener());
        let (plans, tuning) = load_tuning(file, &overrides, &mut catalogue)?;
        Ok(plans.into_iter().next().map(|plan| (plan, tuning)))
    };
    files.iter().filter_map(|file| load(file).transpose()).collect()
}

/// Refuses arguments of `sbatch` that conflict with the runner's own, or with another engine.
fn check_arguments(arguments: &SubmitArguments) -> Result<(), Failure> {
    let ours = |word: &&String| {
        let name = word.split('=').next().unwrap_or_default();
        OURS.contains(&name) || (word.starts_with("-a") && !word.starts_with("--"))
    };
    if let Some(word) = arguments.engine_arguments.iter().find(ours) {
        return Err(Failure::usage(format!(
            "`{word}`: runner gives this argument to sbatch itself; leave it out, and say with \
            --shards how many tasks there are"
        )));
    }
    match arguments.engine_arguments.first() {
        Some(word) if arguments.engine != EngineName::Slurm => Err(Failure::usage(format!(
            "`{word}`: only `runner submit slurm` passes on what follows `--`; with other engines, \
            change the file that they write"
        ))),
        _ => Ok(()),
    }
}

/// Checks an experiment, or a tuning that begins with the plan. Returns what is to be submitted.
fn prepare<'plan>(
    plan: &'plan Plan,
    tuning: Option<&Tuning>,
    arguments: &SubmitArguments,
) -> Result<Prepared<'plan>, Failure> {
    if plan.stopping_rule.is_some() && arguments.engine != EngineName::Slurm {
        return Err(Failure::usage(format!(
            "{}: the stopping rule in `repeats` needs rounds, each of which submits the next, and \
            only `runner submit slurm` has them; give a number of trials, such as --repeats 1000",
            plan.source.path.display()
        )));
    }
    let before = find_before(plan, arguments)?;
    if let Some(before) = before.as_ref().filter(|_| !arguments.dry_run) {
        // Tasks of a complete tuning may still be in the queue, and nothing is submitted.
        if !(arguments.missing && before.is_finished()?) {
            check_queue(before, arguments.engine)?;
        }
    }
    let mut submission = describe(plan, tuning, arguments)?;
    if tuning.is_none() {
        check_results(plan, &submission, arguments)?;
    }
    if plan.stopping_rule.is_some() {
        let file = RoundFile::read(&submission.results())?;
        submission.round = Some(file.map_or(1, |file| file.round.number));
    }
    let shards = if arguments.missing {
        submission = again(submission, before, plan, arguments)?;
        let is_over = match submission.is_tuning {
            false if arguments.retry_failed => {
                let has_failed = |row: &SummaryRow| row.figures.failures > 0;
                submission.finished()?.is_some_and(|summary| !summary.rows.iter().any(has_failed))
            }
            _ => submission.is_finished()?,
        };
        match is_over {
            true => ShardSet::default(),
            false => submission.missing(arguments.retry_failed)?,
        }
    } else {
        submission.all()
    };
    if tuning.is_none() && submission.shards > plan.trials() {
        warning!(
            "{}: {} shards of {} trials: some shards have nothing to do",
            plan.name,
            count(submission.shards),
            count(plan.trials())
        );
    }
    let files = match submission.engine {
        Engine::Slurm => slurm::scripts(&submission, &shards)?,
        Engine::Parallel => parallel::files(&submission, &shards)?,
        Engine::HyperQueue => hyperqueue::files(&submission, &shards)?,
        Engine::Kubernetes => kubernetes::files(&submission, &shards)?,
    };
    Ok(Prepared { plan, submission, shards, files })
}

/// Returns the earlier submission of an experiment, if there is one. One that cannot be read is
/// replaced, but nothing can be missing of it.
fn find_before(plan: &Plan, arguments: &SubmitArguments) -> Result<Option<Submission>, Failure> {
    match Submission::find(&Submission::folder_of(&arguments.out, &plan.name)) {
        Err(ClusterError::Unreadable { path, message }) if !arguments.missing => {
            warning!(
                "{}: this is not a submission that this version of the runner wrote: {message}; it \
                is replaced, and tasks that it named may still be in a queue",
                path.display()
            );
            Ok(None)
        }
        before => Ok(before?),
    }
}

/// Refuses results that tasks or the merge would refuse after all shards have run.
fn check_results(
    plan: &Plan,
    submission: &Submission,
    arguments: &SubmitArguments,
) -> Result<(), Failure> {
    let results = submission.results();
    Provenance::refuse_imported(&results)?;
    refuse_pieces(&results)?;
    if arguments.accept_plugin_change {
        return Ok(());
    }
    let out = ResultsFolder::new(&arguments.out);
    let folders = submission.shard_folders()?.into_iter().chain([results]);
    for folder in folders.filter(|folder| submission.has_results_in(folder)) {
        refuse_other_build(plan, &out.holding(&folder))?;
    }
    Ok(())
}

/// Refuses to submit if jobs of the experiment wait or run, because they would run the same trials.
fn check_queue(before: &Submission, engine: EngineName) -> Result<(), ClusterError> {
    if before.engine != Engine::Slurm && !before.is_tuning && engine != EngineName::Print {
        let shards = before.running()?;
        return match shards.is_empty() {
            true => Ok(()),
            false => Err(ClusterError::Running {
                experiment: before.experiment.clone(),
                shards: shards.to_string(),
                folder: shown(&before.results()),
            }),
        };
    }
    let jobs = before.last_job_numbers();
    if before.engine != Engine::Slurm || jobs.is_empty() {
        return Ok(());
    }
    let tasks = match slurm::tasks(&jobs) {
        // This system has no Slurm, and the user asks for none.
        Err(ClusterError::NoProgram { .. }) if engine != EngineName::Slurm => return Ok(()),
        tasks => tasks?,
    };
    let waiting = tasks.in_the_queue();
    if waiting == 0 {
        return Ok(());
    }
    let jobs: Vec<String> = tasks.jobs_in_the_queue().iter().map(u64::to_string).collect();
    Err(ClusterError::Queued {
        experiment: before.experiment.clone(),
        tasks: counted(waiting as u64, "task"),
        folder: shown(&before.results()),
        jobs: jobs.join(" "),
    })
}

/// Returns the submission of an experiment, or of a tuning that begins with the plan. The command
/// line describes it.
fn describe(
    plan: &Plan,
    tuning: Option<&Tuning>,
    arguments: &SubmitArguments,
) -> Result<Submission, Failure> {
    let engine = match arguments.engine {
        EngineName::Slurm => Engine::Slurm,
        EngineName::Hyperqueue => Engine::HyperQueue,
        EngineName::Kubernetes => Engine::Kubernetes,
        // GNU parallel takes a list of commands.
        EngineName::Parallel | EngineName::Print => Engine::Parallel,
    };
    let whole = |path: &Path| {
        absolute(path).map_err(|error| {
            Failure::usage(format!("{}: cannot resolve this path: {error}", path.display()))
        })
    };
    let shards = arguments.shards.unwrap_or(1);
    let first = match tuning {
        Some(tuning) => Some(tuning.seed_of_iteration(1)),
        None => plan.arms.first().map(|arm| arm.seeds(plan.seed, 0).trial),
    };
    Ok(Submission {
        runner_version: env!("CARGO_PKG_VERSION").to_owned(),
        engine,
        experiment: plan.name.clone(),
        config: whole(&plan.source.path)?,
        is_tuning: tuning.is_some(),
        plan: tuning.map_or_else(|| plan.identity(), |tuning| tuning.identity.clone()),
        shards,
        round: None,
        shards_per_task: shards_per_task(engine, shards),
        arms: plan.arms.len() as u64,
        arms_digest: digest_of_arms(plan.arms.iter().map(Arm::id)),
        first_seed: first.map_or_else(String::new, |seed| seed.to_string()),
        repeats: plan.repeats,
        out: whole(&arguments.out)?,
        working_directory: whole(Path::new("."))?,
        program: std::env::current_exe().map_err(|error| {
            Failure::usage(format!("the path of this program is not known: {error}"))
        })?,
        arguments: passed_on(arguments)?,
        engine_arguments: arguments.engine_arguments.clone(),
        environment: environment()?,
        jobs: Vec::new(),
    })
}

/// Returns the minimum number of shards per task for which the site's arrays hold all tasks.
fn shards_per_task(engine: Engine, shards: u64) -> u64 {
    match engine {
        Engine::Slurm => shards.div_ceil(slurm::largest_array()),
        _ => 1,
    }
}

/// Returns a repeated submission, divided into shards as before.
fn again(
    now: Submission,
    before: Option<Submission>,
    plan: &Plan,
    arguments: &SubmitArguments,
) -> Result<Submission, Failure> {
    let Some(before) = before else {
        return Err(Failure::usage(format!(
            "--missing: `{}` was not submitted to {} before; leave --missing out, and give \
            --shards N",
            plan.name,
            arguments.out.display()
        )));
    };
    if let Some(shards) = arguments.shards.filter(|shards| *shards != before.shards) {
        return Err(Failure::usage(format!(
            "--shards {shards}: `{}` was submitted as {} shards; leave --shards out to submit what \
            is missing of them, or leave --missing out to begin anew",
            plan.name, before.shards
        )));
    }
    if now.plan != before.plan {
        return Err(Failure::usage(format!(
            "--missing: `{}` is not the experiment that was submitted: its plan is {} now and was \
            {} then, so the config, a flag, a plugin or the runner is not the same; put back what \
            was changed, or leave --missing out and give --shards N to begin anew",
            plan.name, now.plan, before.plan
        )));
    }
    let engine_arguments = match now.engine_arguments.is_empty() {
        true => before.engine_arguments,
        false => now.engine_arguments,
    };
    Ok(Submission {
        shards: before.shards,
        shards_per_task: shards_per_task(now.engine, before.shards),
        engine_arguments,
        jobs: before.jobs,
        ..now
    })
}

/// Returns the flags that each task also receives.
fn passed_on(arguments: &SubmitArguments) -> Result<Vec<String>, Failure> {
    let ExperimentArguments { set, repeats, seed, plugins, configs: _ } = &arguments.experiments;
    let mut words: Vec<String> = set.iter().map(|value| format!("--set={value}")).collect();
    words.extend(repeats.iter().map(|value| format!("--repeats={value}")));
    words.extend(seed.iter().map(|value| format!("--seed={value}")));
    for folder in &plugins.plugin_dir {
        let folder = absolute(folder).unwrap_or_else(|_| folder.clone());
        let folder = folder.to_str().ok_or_else(|| ClusterError::Word {
            what: "this path",
            word: folder.to_string_lossy().into_owned(),
        })?;
        words.push(format!("--plugin-dir={folder}"));
    }
    if arguments.isolation.mode == IsolationMode::Process {
        words.push("--isolation=process".to_owned());
        words.push(format!("--plugin-seconds={}", arguments.isolation.plugin_seconds));
        let memory = arguments.isolation.worker_memory.iter();
        words.extend(memory.map(|megabytes| format!("--worker-memory={megabytes}")));
    }
    let flags = [
        (arguments.accept_plugin_change, "--accept-plugin-change"),
        (arguments.retry_failed, "--retry-failed"),
    ];
    words.extend(flags.iter().filter(|(given, _)| *given).map(|(_, flag)| (*flag).to_owned()));
    Ok(words)
}

/// Returns the environment variables of a task, with absolute paths.
fn environment() -> Result<BTreeMap<String, String>, ClusterError> {
    let mut given = BTreeMap::new();
    for name in VARIABLES {
        let text = std::env::var_os(name).unwrap_or_default();
        let parts = std::env::split_paths(&text)
            .filter(|part| !part.as_os_str().is_empty())
            .map(|part| absolute(&part).unwrap_or(part));
        let whole = std::env::join_paths(parts).unwrap_or(text);
        let value = whole.into_string().map_err(|whole| ClusterError::Word {
            what: "this environment variable",
            word: format!("{name}={}", whole.to_string_lossy()),
        })?;
        if !value.is_empty() {
            given.insert(name.to_owned(), value);
        }
    }
    Ok(given)
}

fn show(one: &Prepared<'_>) {
    let folder = one.submission.folder();
    for file in one.files.iter().filter(|file| !file.text.is_empty()) {
        line!("# {}", folder.join(file.name).display());
        line!("{}", file.text);
    }
}

/// Writes the files, and submits them if the engine accepts submissions.
fn hand_over(one: Prepared<'_>) -> Result<(), Failure> {
    let Prepared { mut submission, shards, files, plan: _ } = one;
    let name = submission.experiment.clone();
    let is_over = || Ok::<_, Failure>(shards.is_empty() && submission.is_finished()?);
    if submission.engine == Engine::Slurm && is_over()? {
        line!("{name}: complete; there is nothing to submit");
        return Ok(());
    }
    let before = Submission::find(&submission.folder()).ok().flatten();
    submission.write(&files)?;
    let usage = match submission.engine {
        Engine::Slurm => {
            return submit_to_slurm(&mut submission, &shards).or_else(|error| {
                // A refused submission replaces none.
                before.map_or(Ok(()), |before| before.note())?;
                Err(error)
            });
        }
        Engine::Parallel => parallel::usage(&submission)?,
        Engine::HyperQueue => hyperqueue::usage(&submission)?,
        Engine::Kubernetes => kubernetes::usage(&submission)?,
    };
    put(&usage);
    Ok(())
}
