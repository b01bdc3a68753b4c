//! `runner suite`: runs the experiments of a suite, takes in results of others, writes the page.

use super::output::{line, put, put_chart, words_of_written};
use super::run::run_then;
use crate::analysis::Standings;
use crate::analysis::ranking::Measure;
use crate::analysis::suite::{Contest, Entrant, Origin, contest};
use crate::cli::arguments::{ExperimentArguments, SuiteArguments};
use crate::cli::{Failure, Faults};
use crate::config::Suite;
use crate::exit::Exit;
use crate::plan::Plan;
use crate::present::chart::ranks_chart;
use crate::present::html::{SuiteEntry, SuitePage, suite_page};
use crate::present::pack::OpenedPack;
use crate::present::ranking::{arm_report, tests_line};
use crate::present::report::{TableFormat, fitted, paragraph};
use crate::present::suite::{figures_report, left_out_words, mismatch, refusal, suite_answer};
use crate::present::terminal;
use crate::results::import::is_imported;
use crate::results::storage::output_folder;
use crate::results::{Provenance, Results, samples_at};
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
    run_then(&arguments.run, &experiments, interrupt, |plans, exit| {
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

/// Results of others, as the user named them.
struct Taken {
    path: PathBuf,
    pack: Option<(OpenedPack, String)>,
}

impl Taken {
    fn folder(&self) -> PathBuf {
        self.pack.as_ref().map_or_else(|| self.path.clone(), |(pack, _)| pack.results())
    }
}

/// Opens the results of others: every byte of a pack is checked.
fn taken<'a>(paths: impl Iterator<Item = &'a PathBuf>) -> Result<Vec<Taken>, Failure> {
    let mut all: Vec<Taken> = Vec::new();
    for path in paths {
        let pack = match path.is_file() {
            true => {
                let pack = OpenedPack::open(path).map_err(Failure::results)?;
                let hash = regular::hash(path).map_err(|error| {
                    Failure::results(format!("{}: cannot be read: {error}", path.display()))
                })?;
                Some((pack, hash.to_string()))
            }
            false => None,
        };
        let hash = |one: &Taken| one.pack.as_ref().map(|(_, hash)| hash.clone());
        let one = Taken { path: path.clone(), pack };
        if all.iter().any(|other| {
            other.path == one.path || (hash(other).is_some() && hash(other) == hash(&one))
        }) {
            let path = path.display();
            return Err(Failure::usage(format!(
                "{path}: these results are named twice; name them once, by --add or in the suite"
            )));
        }
        Results::open(&one.folder())?;
        all.push(one);
    }
    Ok(all)
}

/// Opens the results of the suite's experiments; `None` if one is unfinished.
fn finished(plans: &[Plan], out: &Path) -> Result<Option<Vec<Results>>, Failure> {
    let mut all = Vec::new();
    for plan in plans {
        let folder = out.join(&plan.name);
        if !folder.is_dir() {
            return Ok(None);
        }
        let results = Results::open(&folder)?;
        if results.planned().is_some() {
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
    let mut entries = Vec::new();
    for results in own {
        let provenance = Provenance::read(results.folder())?;
        entries.push(SuiteEntry { results, provenance, taken: None });
    }
    for one in taken {
        let folder = one.folder();
        let mut results = Results::open(&folder)?;
        if results.imported().is_some() {
            // Arms next to the imported ones are those of an experiment of ours.
            let chosen: Vec<bool> =
                results.arms().iter().map(|arm| is_imported(&arm.operators)).collect();
            results = results.only(&chosen)?;
        }
        let hash = one.pack.as_ref().map(|(_, hash)| hash.clone());
        let taken = Some((one.path.display().to_string(), hash));
        let provenance = Provenance::read(&folder)?;
        entries.push(SuiteEntry { results, provenance, taken });
    }
    let entrants = entrants(&entries)?;
    let contest =
        contest(&entrants, &suite.pool).map_err(|fault| Failure::usage(mismatch(&fault)))?;
    refuse(&entrants, &entries, &contest)?;
    let by = suite.by.as_ref();
    let by = by.and_then(|by| Measure::ALL.into_iter().find(|one| one.as_str() == by));
    let problems = contest.problems();
    let standings = Standings::of(&problems, by, suite.level);
    standings.left_out.iter().for_each(|one| warning!("not ranked: {}", left_out_words(one)));
    let overrides = plans.first().map_or(&[][..], |plan| &plan.source.overrides);
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

/// Returns what takes part in the suite, each with a name of its own.
fn entrants(entries: &[SuiteEntry]) -> Result<Vec<Entrant>, Failure> {
    let samples = samples_at(entries.iter().map(|entry| &entry.results), None)?;
    let (mut all, mut names): (Vec<Entrant>, BTreeSet<String>) = Default::default();
    for (entry, samples) in entries.iter().zip(samples) {
        let stem = |path: &String| {
            let stem = Path::new(path).file_stem().unwrap_or_default();
            stem.to_string_lossy().into_owned()
        };
        let experiment = || entry.results.experiment().to_owned();
        let short = entry.taken.as_ref().map_or_else(experiment, |(path, _)| stem(path));
        let whole = entry.taken.iter().map(|(path, _)| path.clone());
        let mut candidates = [short.clone()].into_iter().chain(whole);
        let name = candidates.find(|name| !names.contains(name)).unwrap_or(short);
        names.insert(name.clone());
        let run = entry.provenance.runs.last();
        let origin = match (&entry.taken, &entry.provenance.imported) {
            (None, _) => Origin::Own,
            (Some(_), None) => Origin::Others,
            (Some(_), Some(_)) => Origin::Imported,
        };
        let plugin =
            |run: &crate::results::Run| (run.plugin.name.clone(), run.plugin.version.clone());
        let plugin = run.filter(|_| origin != Origin::Imported).map(plugin).unwrap_or_default();
        all.push(Entrant { name, origin, plugin, samples });
    }
    Ok(all)
}

/// Warns of arms of others that cannot be compared.
///
/// # Errors
/// Returns an error if none of some results can.
fn refuse(entrants: &[Entrant], entries: &[SuiteEntry], contest: &Contest) -> Result<(), Failure> {
    for (place, (entrant, entry)) in entrants.iter().zip(entries).enumerate() {
        let refused: Vec<_> = contest.refused.iter().filter(|one| one.entrant == place).collect();
        let Some((path, _)) = entry.taken.as_ref() else {
            refused.iter().for_each(|one| {
                warning!("`{}` of {}: {}", one.arm, entrant.name, refusal(&one.why));
            });
            continue;
        };
        if let [first, ..] = refused[..]
            && refused.len() == entrant.samples.len()
        {
            return Err(Failure::usage(format!(
                "{path}: none of its {} arms can be compared with the suite; `{}`: {}",
                entrant.samples.len(),
                first.arm,
                refusal(&first.why)
            )));
        }
        for one in refused {
            warning!("{path}: `{}` is left out: {}", one.arm, refusal(&one.why));
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
