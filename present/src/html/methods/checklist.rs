//! Reproducibility checklist: what conferences and journals ask of an experiment, with the answers
//! that follow from what was run, and the questions that only the author can answer.
//!
//! Its parts follow López-Ibáñez, Branke and Paquete (2021), doi:10.1145/3466624.

use super::facts::Facts;
use super::statistics::Statistics;
use super::text::Text;
use super::{Description, described};
use crate::config::asked;
use crate::format::seconds as time_words;
use crate::lists::distinct;
use crate::problem::PluginFile;
use crate::words::count;
use std::path::Path;
use toml::Value;

/// An item: a title, and an answer, or what is left to the author.
struct Item {
    title: &'static str,
    answered: bool,
    text: String,
}

fn answer(title: &'static str, text: impl Into<String>) -> Item {
    Item { title, answered: true, text: text.into() }
}

fn question(title: &'static str, text: impl Into<String>) -> Item {
    Item { title, answered: false, text: text.into() }
}

/// Returns the checklist of an experiment as Markdown. `seconds`: time of all trials together.
pub(crate) fn checklist(
    facts: &Facts<'_>,
    statistics: &Statistics,
    (name, folder): (&str, &Path),
    seconds: f64,
) -> String {
    let Description { trials, runs, problem, sets, stops, endings, statistics } =
        described(facts, statistics);
    let folder = folder.display();
    let parts = [
        (
            "Experiment",
            vec![
                answer("Trials and seeds", trials),
                enough(facts),
                answer("Problem instances", problem),
                answer("Algorithms and their parameters", sets),
                answer(
                    "All settings",
                    format!(
                        "Every setting, defaults included, is in `{folder}/run.toml` with the \
                        experiment file."
                    ),
                ),
                answer("Budgets and stop rules", stops),
                completed(facts, endings),
                question(
                    "Choice of parameters",
                    "Say how the values above were chosen, on which instances, and with which \
                    budget.",
                ),
                question(
                    "Choice of problems",
                    "Say why these problems and sizes, and what they stand for.",
                ),
            ],
        ),
        (
            "Statistics",
            vec![
                answer("Measures, tests and corrections", statistics),
                question("Claims", "Name the figure or table that supports each claim."),
            ],
        ),
        (
            "Programs and machines",
            vec![answer("Programs", runs), revision(facts), machines(facts), time(seconds)],
        ),
        (
            "Artifact",
            vec![
                answer(
                    "Data",
                    format!(
                        "Every trial is a row of `{folder}/trials.parquet` with its seed, its \
                        result and its best genome."
                    ),
                ),
                answer(
                    "Repetition",
                    format!(
                        "`runner verify {folder}` runs trials again and compares them with the \
                        table; `--all` runs all of them."
                    ),
                ),
                plugins(facts),
                question("Archive", "Name the DOI under which these files are archived."),
                question("Licence", "Name the licence of the data and of the plugins."),
            ],
        ),
    ];
    let mut text = format!("# Reproducibility checklist: {name}\n");
    let mut all = Vec::new();
    for (title, items) in parts {
        text += &format!("\n## {title}\n\n");
        for Item { title, answered, text: words } in items {
            let mark = if answered { 'x' } else { ' ' };
            let words = Text(vec![words]);
            text += &format!("- [{mark}] **{title}.** {}\n", words.plain().trim());
            all.extend(words.0);
        }
    }
    let references = Text(all).cited();
    text += "\n## References\n\n";
    for reference in references.values() {
        text += &format!("- {}\n", reference.text());
    }
    text
}

/// Returns whether the number of trials has a reason in the experiment file.
fn enough(facts: &Facts<'_>) -> Item {
    let last = facts.last_run();
    match asked(&last.config, &last.overrides, "repeats") {
        Some(Value::Table(_)) => {
            answer("Number of trials", "A stopping rule decided it, as described below.")
        }
        _ if facts.tuning_race.is_some() => answer(
            "Number of trials",
            "The race of a tuning decided it, as described below. `experiment.toml` alone does \
            not repeat it.",
        ),
        _ => question(
            "Number of trials",
            "It was fixed in advance. Say why it is enough; `runner power` calculates the number \
            that a difference needs.",
        ),
    }
}

fn completed(facts: &Facts<'_>, endings: String) -> Item {
    match facts.unfinished {
        true => question("Ends of trials", format!("Finish the experiment. {endings}")),
        false => answer("Ends of trials", endings),
    }
}

fn revision(facts: &Facts<'_>) -> Item {
    let missing = facts.runs.iter().any(|run| run.git_revision.is_none());
    let debug = facts.runs.iter().any(|run| run.build != "release");
    match (missing, debug) {
        (true, _) => question(
            "Source of runner",
            "A run does not know the revision of its source. Name the release or the commit.",
        ),
        (_, true) => question(
            "Source of runner",
            "A run was made with a debug build. Its results are those of a release, its times are \
            not.",
        ),
        _ => answer("Source of runner", "The revision above, built as a release."),
    }
}

fn machines(facts: &Facts<'_>) -> Item {
    let machines = distinct(facts.runs.iter().map(|run| run.machine()));
    answer("Machines", format!("{}.", machines.join("; ")))
}

fn time(seconds: f64) -> Item {
    match seconds > 0.0 {
        true => answer(
            "Time",
            format!("The trials took {} of their workers together.", time_words(seconds)),
        ),
        false => question("Time", "No time of a trial is known. Say how long the runs took."),
    }
}

/// Returns the plugins with their full hashes. Their sources are unknown.
fn plugins(facts: &Facts<'_>) -> Item {
    let files = facts.runs.iter().flat_map(|run| {
        let operators = run.operator_plugins.iter().map(|plugin| &plugin.file);
        [&run.plugin].into_iter().chain(operators)
    });
    let words =
        |file: &PluginFile| format!("{} {} (BLAKE3 {})", file.name, file.version, file.blake3);
    let files = distinct(files.map(words));
    let data: u64 = facts.runs.iter().map(|run| run.data_files.len() as u64).max().unwrap_or(0);
    let data = match data {
        0 => String::new(),
        1 => "; and of the data file that the experiment names".to_owned(),
        files => format!("; and of the {} data files that the experiment names", count(files)),
    };
    question(
        "Plugins",
        format!("Say where to get the source and the build of {}{data}.", files.join("; ")),
    )
}
