//! `runner suite`: runs the experiments of a suite, takes in results of others, writes the page.

use super::output::{line, put, put_chart, words_of_written};
use super::run::run_then;
use crate::analysis::Standings;
use crate::analysis::comparison::{Sample, is_imported};
use crate::analysis::ranking::Measure;
use crate::analysis::suite::{Contest, Entrant, Origin, Why, contest};
use crate::cli::arguments::{ExperimentArguments, SuiteArguments};
use crate::cli::{Failure, Faults};
use crate::config::Suite;
use crate::exit::Exit;
use crate::plan::{Plan, ResultsSpec};
use crate::present::chart::ranks_chart;
use crate::present::html::{SuiteEntry, SuitePage, suite_page};
use crate::present::pack::OpenedPack;
use crate::present::ranking::{arm_report, tests_line};
use crate::present::report::{TableFormat, fitted, paragraph};
use crate::present::suite::{figures_report, left_out_words, mismatch, refusal, suite_answer};
use crate::present::terminal;
use crate::results::storage::output_folder;
use crate::results::{
    Provenance, Results, SuiteVersion, empty_samples, planned_samples, samples_at,
};
use crate::system::interrupt::Interrupt;
use crate::system::regular;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::slice;

pub(super) fn suite(arguments: &SuiteArguments, interrupt: &Interrupt) -> Result<Exit, Failure> {
    let suite = Suite::read(&arguments.file()).map_err(|(diagnostics, sources)| {
        Failure::nothing_run(Exit::Usage, Faults { diagnostics, sources })
    })?;
    let taken = taken(suite.results.iter().chain(&arguments.add))?;
    let experiments = ExperimentArguments {
        configs: suite.experiments.clone(),
        ..arguments.run.experiments.clone()
    };
    let first =
        |plans: &[Plan]| check(&suite, &arguments.file(), plans, (&taken, &arguments.run.out));
    run_then(&arguments.run, &experiments, interrupt, first, |plans, exit| {
        if !matches!(exit, Exit::Done | Exit::SomeFailed) {
            return Ok(exit);
        }
        match finished(plans, &arguments.run.out)? {
            Some(own) => write(&suite, plans, own, &taken, &arguments.run.out)?,
            None => note!("the page is written by the same command once all trials are there"),
        }
        Ok(exit)
    })
}

/// Checks from the plans alone, before anything is run, that the experiments go together and that
/// results of others can be compared with them.
fn check(
    suite: &Suite,
    file: &Path,
    plans: &[Plan],
    (taken, out): (&[Taken], &Path),
) -> Result<(), Failure> {
    let (mut names, mut all) = (Names::default(), Vec::new());
    for plan in plans {
        all.push(Entrant {
            name: names.unique(plan.name.clone(), None),
            origin: Origin::Own,
            plugin: (plan.library.name().to_owned(), plan.library.version().to_owned()),
            other_version: None,
            samples: planned_samples(&ResultsSpec::from(plan), &out.join(&plan.name)),
        });
    }
    let others: Vec<&SuiteEntry> = taken.iter().map(|one| &one.entry).collect();
    for entry in &others {
        all.push(entrant(suite, entry, empty_samples(&entry.results), &mut names));
    }
    check_pool(suite, file, plans)?;
    let mut contest = matched(suite, &all)?;
    // A limit of generations may end trials of the suite after fewer evaluations than are planned.
    let mut arms = plans.iter().flat_map(|plan| plan.arms.iter());
    if arms.any(|arm| arm.settings.stop.generations.is_some()) {
        contest.refused.retain(|one| !matches!(one.why, Why::Budget(..)));
    }
    all_refused(&all[plans.len()..], &others, &contest, plans.len()).map_or(Ok(()), Err)
}

/// Refuses pooled keys that are parameters of none of the experiments' problems.
fn check_pool(suite: &Suite, file: &Path, plans: &[Plan]) -> Result<(), Failure> {
    let parameters = plans.iter().flat_map(|plan| plan.library.parameters());
    let parameters: BTreeSet<&str> = parameters.map(|parameter| &*parameter.key).collect();
    suite.check_pool(file, &parameters).map_err(|(diagnostics, sources)| {
        Failure::nothing_run(Exit::Usage, Faults { diagnostics, sources })
    })
}

/// Results of others.
struct Taken {
    /// The folder or the pack, as the user named it.
    path: PathBuf,
    entry: SuiteEntry,
    /// Holds the folder of the results.
    _pack: Option<OpenedPack>,
}

impl Taken {
    fn open(path: &Path, pack: Option<OpenedPack>, hash: Option<String>) -> Result<Self, Failure> {
        let folder = pack.as_ref().map_or_else(|| path.to_owned(), OpenedPack::results);
        let mut results = Results::open(&folder)?;
        if results.imported().is_some() {
            // Arms next to the imported ones are those of an experiment of ours.
            let chosen: Vec<bool> =
                results.arms().iter().map(|arm| is_imported(&arm.operators)).collect();
            results = results.only(&chosen)?;
        }
        let taken = Some((path.display().to_string(), hash));
        let entry = SuiteEntry { results, provenance: Provenance::read(&folder)?, taken };
        Ok(Taken { path: path.to_owned(), entry, _pack: pack })
    }

    /// Returns the hash of the pack; `None` of a folder.
    fn hash(&self) -> Option<&String> {
        self.entry.taken.as_ref()?.1.as_ref()
    }
}

/// Opens the results of others: every byte of a pack is checked.
fn taken<'a>(paths: impl Iterator<Item = &'a PathBuf>) -> Result<Vec<Taken>, Failure> {
    let mut all: Vec<Taken> = Vec::new();
    for path in paths {
        let (pack, hash) = match path.is_file() {
            true => {
                let pack = OpenedPack::open(path).map_err(Failure::results)?;
                let hash = regular::hash(path).map_err(|error| {
                    Failure::results(format!("{}: cannot be read: {error}", path.display()))
                })?;
                (Some(pack), Some(hash.to_string()))
            }
            false => (None, None),
        };
        if all
            .iter()
            .any(|other| other.path == *path || (hash.is_some() && other.hash() == hash.as_ref()))
        {
            let path = path.display();
            return Err(Failure::usage(format!(
                "{path}: these results are named twice; name them once, by --add or in the suite"
            )));
        }
        all.push(Taken::open(path, pack, hash)?);
    }
    Ok(all)
}

/// Opens the results of the suite's experiments; `None` if one is unfinished, or its tables are
/// those of another plan, which a shard leaves as they are.
fn finished(plans: &[Plan], out: &Path) -> Result<Option<Vec<Results>>, Failure> {
    let mut all = Vec::new();
    for plan in plans {
        let folder = out.join(&plan.name);
        if !folder.is_dir() {
            return Ok(None);
        }
        let results = Results::open(&folder)?;
        if !results.are_of(&ResultsSpec::from(plan)) {
            return Ok(None);
        }
        all.push(results);
    }
    Ok(Some(all))
}

/// Writes the page and the table, and prints the answer.
fn write(
    suite: &Suite,
    plans: &[Plan],
    own: Vec<Results>,
    taken: &[Taken],
    out: &Path,
) -> Result<(), Failure> {
    let overrides = plans.first().map_or(&[][..], |plan| &plan.source.overrides);
    let mut own_entries = Vec::new();
    for results in own {
        if overrides.is_empty() {
            Provenance::note_suite(results.folder(), suite_version(suite))?;
        }
        let provenance = Provenance::read(results.folder())?;
        own_entries.push(SuiteEntry { results, provenance, taken: None });
    }
    let others = taken.iter().map(|one| &one.entry);
    let entries: Vec<&SuiteEntry> = own_entries.iter().chain(others).collect();
    let entrants = entrants(suite, &entries)?;
    let contest = matched(suite, &entrants)?;
    refuse(&entrants, &entries, &contest)?;
    let by = suite.by.as_deref().and_then(Measure::parse);
    let problems = contest.problems();
    let standings = Standings::of(&problems, by, suite.level);
    standings.left_out.iter().for_each(|one| warning!("not ranked: {}", left_out_words(one)));
    let page = suite_page(&SuitePage {
        suite,
        overrides,
        entrants: &entrants,
        entries: &entries,
        contest: &contest,
        problems: &problems,
        standings: &standings,
    })?;
    let table = figures_report(&contest, &problems, &standings, &entrants);
    show(suite, &standings);
    let folder = output_folder::create(out)?;
    let files = [("csv", table.text(TableFormat::Csv)), ("html", page)];
    let mut written = Vec::new();
    for (ending, text) in files {
        let path = folder.join(format!("{}.{ending}", suite.name));
        output_folder::write(&path, text.as_bytes())?;
        line!("{}", path.display());
        written.push(path);
    }
    note!("{}", words_of_written(&written));
    Ok(())
}

/// Returns the suite as `run.toml` names it.
fn suite_version(suite: &Suite) -> SuiteVersion {
    SuiteVersion { name: suite.name.clone(), version: suite.version.clone(), blake3: suite.hash() }
}

/// Names of entrants.
#[derive(Default)]
struct Names(BTreeSet<String>);

impl Names {
    /// Returns the first of two names that no other entrant has.
    fn unique(&mut self, short: String, whole: Option<String>) -> String {
        let mut candidates = [Some(short.clone()), whole].into_iter().flatten();
        let name = candidates.find(|name| !self.0.contains(name)).unwrap_or(short);
        self.0.insert(name.clone());
        name
    }
}

/// Returns the entrants of the suite, each with a unique name.
fn entrants(suite: &Suite, entries: &[&SuiteEntry]) -> Result<Vec<Entrant>, Failure> {
    let samples = samples_at(entries.iter().map(|entry| &entry.results), None)?;
    let mut names = Names::default();
    let all = entries.iter().zip(samples);
    Ok(all.map(|(entry, samples)| entrant(suite, entry, samples, &mut names)).collect())
}

fn entrant(suite: &Suite, entry: &SuiteEntry, samples: Vec<Sample>, names: &mut Names) -> Entrant {
    let Provenance { runs, suites, imported, .. } = &entry.provenance;
    let origin = match (&entry.taken, imported) {
        (None, _) => Origin::Own,
        (Some(_), None) => Origin::Others,
        (Some(_), Some(_)) => Origin::Imported,
    };
    let name = match &entry.taken {
        None => names.unique(entry.results.experiment().to_owned(), None),
        Some((path, _)) => {
            let stem = Path::new(path).file_stem().unwrap_or_default();
            names.unique(stem.to_string_lossy().into_owned(), Some(path.clone()))
        }
    };
    let run = runs.last().filter(|_| origin != Origin::Imported);
    let plugin = run.map(|run| (run.plugin.name.clone(), run.plugin.version.clone()));
    let mut versions = suites.iter().filter(|one| one.name == suite.name).map(|one| &one.version);
    let is_other = origin != Origin::Own && !versions.clone().any(|one| *one == suite.version);
    let other = versions.next_back().filter(|_| is_other);
    Entrant {
        name,
        origin,
        plugin: plugin.unwrap_or_default(),
        other_version: other.map(|other| [other.clone(), suite.version.clone()]),
        samples,
    }
}

fn matched(suite: &Suite, entrants: &[Entrant]) -> Result<Contest, Failure> {
    contest(entrants, &suite.pool).map_err(|fault| Failure::usage(mismatch(&fault)))
}

/// Returns the error if no arm of some results of others can be compared. `first` is the number of
/// the first of these entrants.
fn all_refused(
    entrants: &[Entrant],
    entries: &[&SuiteEntry],
    contest: &Contest,
    first: usize,
) -> Option<Failure> {
    for (place, (entrant, entry)) in entrants.iter().zip(entries).enumerate() {
        let mut refused = contest.refused.iter().filter(|one| one.entrant == first + place);
        let all = entrant.samples.len();
        if let Some((path, _)) = &entry.taken
            && refused.clone().count() == all
            && let Some(one) = refused.next()
        {
            return Some(Failure::usage(format!(
                "{path}: none of its {all} arms can be compared with the suite; `{}`: {}",
                one.arm,
                refusal(&one.why)
            )));
        }
    }
    None
}

/// Warns of arms of others that cannot be compared.
fn refuse(entrants: &[Entrant], entries: &[&SuiteEntry], contest: &Contest) -> Result<(), Failure> {
    if let Some(failure) = all_refused(entrants, entries, contest, 0) {
        return Err(failure);
    }
    for one in &contest.refused {
        let why = refusal(&one.why);
        match &entries[one.entrant].taken {
            None => warning!("`{}` of {}: {why}", one.arm, entrants[one.entrant].name),
            Some((path, _)) => warning!("{path}: `{}` is left out: {why}", one.arm),
        }
    }
    Ok(())
}

/// Prints the answer, the ranks and the diagram.
fn show(suite: &Suite, standings: &Standings) {
    let width = terminal::width().into();
    line!("\n{}, version {}", suite.name, suite.version);
    put(&paragraph(&suite_answer(standings), width));
    let Some(ranking) = &standings.ranking else { return };
    line!();
    put(&fitted(slice::from_ref(&arm_report(ranking)), width, "--csv"));
    put(&paragraph(&tests_line(ranking), width));
    if let Some(chart) = ranks_chart(ranking, &suite.name) {
        line!();
        put_chart(&chart);
    }
}
