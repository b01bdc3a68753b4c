//! Trials and the runs that made them.

use super::facts::{ArmFacts, Facts};
use super::values::when;
use crate::config::asked;
use crate::lists::distinct;
use crate::plan::settings::Pairing;
use crate::problem::PluginFile;
use crate::problem::section::Setting;
use crate::results::Run;
use crate::words::{count, listed};
use std::collections::BTreeSet;

/// Returns the numbers of trials and arms, and the seeds.
pub(super) fn trials(facts: &Facts<'_>) -> String {
    let trials = || facts.arms.iter().map(|arm| arm.trials + arm.failures);
    let bounds = [trials().min(), trials().max()].map(|bound| count(bound.unwrap_or(0)));
    let each = distinct(bounds).join(" to ");
    let (arms, in_all) = match facts.arms.len() {
        1 => ("one arm".to_owned(), String::new()),
        several => (
            format!("{} arms", count(several as u64)),
            format!(" per arm, {} in all", count(trials().sum())),
        ),
    };
    let unfinished =
        when(facts.unfinished, "The experiment is not finished: these are the trials so far. ");
    let seeds: BTreeSet<String> = facts.runs.iter().map(|run| seed(run)).collect();
    let is_paired = facts.arms.iter().any(|arm| arm.settings.pairing == Pairing::Common);
    let paired = when(
        is_paired,
        "Trial k of every arm of one problem starts from the same initial population, or as many \
        of its individuals as the arm needs (common random numbers; @law2015). ",
    );
    let hash = facts.results.map_or_else(String::new, |hash| {
        format!("The values of all trials have the results hash {hash}. ")
    });
    format!(
        "We ran {arms} on the problem {}, with {each} seeded trials{in_all}. {unfinished}The seed \
        of a trial is derived with BLAKE3 from the experiment's seed ({}), the arm's settings and \
        the trial's number (@oconnor2020). {hash}{paired}{}",
        facts.last_run().plugin.name,
        listed(&Vec::from_iter(seeds), "and"),
        given_genomes(facts)
    )
}

/// Returns the given genomes with which trials began.
fn given_genomes(facts: &Facts<'_>) -> String {
    let given = facts.runs.iter().rev().find_map(|run| run.first_genomes.clone());
    let Some(first) = given else { return String::new() };
    let genomes = match first.rows {
        1 => "1 genome was".to_owned(),
        rows => format!("{rows} genomes were"),
    };
    format!(
        "{genomes} given ({}; BLAKE3 {}): trial k of every arm began with the k-th of them, and \
        those after it as far as its first population had room for given individuals{}; the others \
        were random. ",
        first.source,
        short(&first.blake3),
        room(facts)
    )
}

/// Returns " (10 of 20)": the given individuals of each first population, which `share` decides.
fn room(facts: &Facts<'_>) -> String {
    let given = |arm: &ArmFacts<'_>| {
        let start = arm.settings.start.as_ref()?.get("given")?.as_number()?;
        let population = arm.settings.operators.get("population").and_then(Setting::as_number);
        Some((start as u64, population.unwrap_or(1.0) as u64))
    };
    let rooms: BTreeSet<(u64, u64)> = facts.arms.iter().filter_map(given).collect();
    let words = |(given, all)| format!("{} of {}", count(given), count(all));
    let rooms: Vec<String> = rooms.into_iter().map(words).collect();
    if rooms.is_empty() { String::new() } else { format!(" ({})", listed(&rooms, "or")) }
}

/// Returns the beginning of a hash or a revision, which identifies it.
fn short(hash: &str) -> &str {
    hash.get(..12).unwrap_or(hash)
}

/// Returns the seed that a run's trials derive from.
fn seed(run: &Run) -> String {
    let asked = asked(&run.config, &run.overrides, "seed");
    asked.map_or_else(|| "0".to_owned(), |seed| seed.to_string())
}

/// Property of a run: its name, and its text.
type Property = (&'static str, fn(&Run) -> String);

const PROPERTIES: [Property; 8] = [
    ("runner", |run| {
        let revision = run.git_revision.as_ref();
        let revision = revision.map(|revision| format!(", revision {}", short(revision)));
        format!("{} ({} build{})", run.runner_version, run.build, revision.unwrap_or_default())
    }),
    ("engine revision", |run| run.engine_revision.to_string()),
    ("plugin version", |run| run.plugin.version.clone()),
    ("plugin's BLAKE3", |run| short(&run.plugin.blake3).to_owned()),
    ("operators of the plugins", |run| {
        let words = |file: &PluginFile| {
            format!("{} {} (BLAKE3 {})", file.name, file.version, short(&file.blake3))
        };
        let plugins = run.operator_plugins.iter().map(|plugin| words(&plugin.file));
        listed(&plugins.collect::<Vec<_>>(), "and")
    }),
    // The text cites the source of the generator separately.
    ("generator", |run| run.generator.split(" (").next().unwrap_or(&run.generator).to_owned()),
    ("platform", |run| run.platform.clone()),
    ("seed", seed),
];

/// Returns the programs that made the trials: common properties once, the others for each run.
pub(super) fn runs(facts: &Facts<'_>) -> String {
    let last = facts.last_run();
    let is_there = |(_, of): &Property| facts.runs.iter().any(|run| !of(run).is_empty());
    let is_shared = |(_, of): &Property| facts.runs.iter().all(|run| of(run) == of(last));
    let there = PROPERTIES.into_iter().filter(is_there);
    let (mut shared, own): (Vec<Property>, Vec<Property>) = there.partition(is_shared);
    // The seeds were already mentioned.
    shared.retain(|(name, _)| *name != "seed");
    let words = |properties: &[Property], run: &Run| {
        let all = properties.iter().map(|(name, of)| format!("{name} {}", of(run)));
        all.collect::<Vec<_>>().join(", ")
    };
    let runs = match facts.runs.len() {
        1 => "one run".to_owned(),
        several => format!("{several} runs"),
    };
    let is_cited = last.generator.contains("Vigna 2021");
    let generator = when(is_cited, "; for the generator see @blackman2021");
    let mut text =
        format!("The trials were made in {runs} with {}{generator}. ", words(&shared, last));
    if !own.is_empty() {
        let run = |run: &&Run| {
            let trials = run.trials_after.map_or_else(
                || "an unknown number of".to_owned(),
                |after| count(after.saturating_sub(run.trials_before)),
            );
            format!("that of {} ({trials} trials) with {}", run.start, words(&own, run))
        };
        let all: Vec<String> = facts.runs.iter().map(run).collect();
        text += &format!("The runs differ: {}. ", all.join("; "));
    }
    text
}
