//! Page of a suite: the answer, ranks, distributions over targets, and the figures of every
//! algorithm on every function. Its bytes depend on the trials alone.

use super::methods::{Facts, SuiteFacts, suite_methods};
use super::question::question;
use super::{Endings, contents, document, pictures, ranking, title_of};
use crate::analysis::Standings;
use crate::analysis::ranking::{Measure, Problem};
use crate::analysis::suite::{Contest, Entrant, Origin};
use crate::chart::{Subject, SuiteSubject, suite_charts};
use crate::config::Suite;
use crate::report::Sheet;
use crate::results::{Provenance, Results, ResultsError};
use crate::suite::{
    figures_words, function_caption, function_report, left_out_words, refusal, suite_answer,
    suite_words,
};
use crate::words::count;
use maud::{Markup, html};

/// Results on the page of a suite.
pub struct SuiteEntry {
    /// Tables.
    pub results: Results,
    /// Origin of the results.
    pub provenance: Provenance,
    /// Path of a pack or a folder of others, as the user named it, and the hash of a pack.
    pub taken: Option<(String, Option<String>)>,
}

/// Content of a suite's page.
pub struct SuitePage<'a> {
    /// The suite.
    pub suite: &'a Suite,
    /// Options that overrode keys of the experiments.
    pub overrides: &'a [String],
    /// Results that take part, and the same with their tables.
    pub entrants: &'a [Entrant],
    /// Tables and origins, one per entrant.
    pub entries: &'a [&'a SuiteEntry],
    /// Algorithms on the functions.
    pub contest: &'a Contest,
    /// Functions with their budgets.
    pub problems: &'a [Problem<'a>],
    /// Ranks.
    pub standings: &'a Standings,
}

/// Returns the page.
///
/// # Errors
/// Returns an error if a table cannot be read.
pub fn suite_page(page: &SuitePage<'_>) -> Result<String, ResultsError> {
    let SuitePage { suite, contest, problems, standings, entries, .. } = page;
    let order = standings.order(contest);
    let results: Vec<&Results> = entries.iter().map(|entry| &entry.results).collect();
    let subject = SuiteSubject {
        name: &suite.name,
        contest,
        problems,
        results: &results,
        order: &order,
        targets: suite.targets.as_deref(),
    };
    let charts = suite_charts(&subject)?;
    let table = function_report(contest, problems, standings, &order);
    let title = format!("{}, version {}", suite.name, suite.version);
    let header = html! {
        h1 { (title) }
        p.faint { "A suite of " (figures_words(contest)) ". Made by runner "
            (env!("CARGO_PKG_VERSION")) " from a file with BLAKE3 " code { (suite.hash()) } "." }
        (contents(PARTS))
    };
    let main = html! {
        section aria-labelledby="answer" {
            (heading("answer"))
            p.answer { (suite_answer(standings)) }
            @for words in cautions(page, subject.is_traced()) { p { (words) } }
            (question(&suite.text, false))
            (heading("ranks"))
            @match &standings.ranking {
                Some(found) => (ranking::ranks(found, &suite.name, "ranks-")),
                None => p { "None." },
            }
            (heading("targets"))
            @if charts.is_empty() { p { "No function has a target, and no experiment a trace." } }
            (pictures(&charts, 0))
            (heading("functions"))
            (Sheet {
                report: &table,
                caption: html! { (function_caption(standings.measure)) },
                label: format!("Functions of {}", suite.name),
            }
            .markup())
            (heading("results"))
            (origins(page))
            (heading("methods"))
            div.methods { (methods(page, subject.is_traced())?) }
            details {
                summary { "The file of the suite" }
                pre tabindex="0" { code { (suite.text) } }
            }
        }
    };
    Ok(document(&title, &header, &main))
}

/// Parts of the page with their ids.
const PARTS: [(&str, &str); 6] = [
    ("answer", "Answer"),
    ("ranks", "Ranks over functions"),
    ("targets", "Targets reached"),
    ("functions", "Functions"),
    ("results", "Results"),
    ("methods", "Methods"),
];

fn heading(id: &str) -> Markup {
    super::heading(title_of(&PARTS, id), Some(id), true)
}

/// Returns what a reader of the answer has to know: options, missing functions, missing targets.
fn cautions(page: &SuitePage<'_>, traced: bool) -> Vec<String> {
    let SuitePage { suite, overrides, standings, .. } = page;
    let mut words = Vec::new();
    if !overrides.is_empty() {
        words.push(format!(
            "These are not results of the suite as its file defines it, but with {}.",
            overrides.join(" ")
        ));
    }
    if !standings.unranked.is_empty() {
        let why = match standings.measure {
            Measure::FinalFitness => "whose budgets differ without a trace",
            _ => "without a target",
        };
        words.push(format!("Functions {why} are not ranked: {}.", standings.unranked.join(", ")));
    }
    let left_out = standings.left_out.iter();
    words.extend(left_out.map(|one| format!("Not ranked: {}.", left_out_words(one))));
    if suite.targets.is_some() && !traced {
        words.push(
            "Some results have no trace (output.trace), so distributions show the target of each \
            function in place of the targets of the suite."
                .to_owned(),
        );
    }
    words
}

/// Returns the results that take part, and the arms that cannot be compared.
fn origins(page: &SuitePage<'_>) -> Markup {
    let of = |origin: fn(Origin) -> bool| {
        let both = page.entrants.iter().zip(page.entries);
        both.filter(move |(entrant, _)| origin(entrant.origin))
    };
    html! {
        h3 { "Experiments of the suite" }
        @for (entrant, entry) in of(|origin| origin == Origin::Own) { (origin(entrant, entry)) }
        @if of(|origin| origin != Origin::Own).next().is_some() {
            h3 { "Results of others" }
        }
        @for (entrant, entry) in of(|origin| origin != Origin::Own) { (origin(entrant, entry)) }
        @if !page.contest.refused.is_empty() {
            h3 { "Not comparable" }
            ul {
                @for one in &page.contest.refused {
                    li { em { (one.arm) } " of " (page.entrants[one.entrant].name) ": "
                        (refusal(&one.why)) }
                }
            }
        }
    }
}

/// Returns the origin of results, without what depends on the machine.
fn origin(entrant: &Entrant, entry: &SuiteEntry) -> Markup {
    let Provenance { results, runs, suites, imported } = &entry.provenance;
    html! {
        dl {
            dt { "Name" } dd { (entrant.name) }
            @if let Some((path, hash)) = &entry.taken {
                dt { "From" } dd { code { (path) }
                    @if let Some(hash) = hash { ", BLAKE3 " code { (hash) } } }
            }
            dt { "Trials" } dd {
                @let trials = entrant.samples.iter().map(|one| one.trials() + one.failures);
                (count(trials.sum())) " of " (count(entrant.samples.len() as u64)) " arms" }
            @if let Some(hash) = results {
                dt { "Results hash" } dd { code { (hash) } }
            }
            @if entry.taken.is_some() && !suites.is_empty() {
                dt { "Suites" }
                dd { (suites.iter().map(suite_words).collect::<Vec<_>>().join("; ")) }
            }
            @if let Some(imported) = imported {
                dt { "Imported" } dd {
                    "by runner from " code { (imported.file) } ", BLAKE3 "
                    code { (imported.blake3) } ", " (imported.map.join(", "))
                    @if let Some(target) = imported.target { "; success from " (target) " on" }
                }
            } @else if let Some(run) = runs.last() {
                dt { "Runner" } dd {
                    (run.runner_version) ", engine revision " (run.engine_revision) }
                dt { "Plugin" } dd {
                    (run.plugin.name) " " (run.plugin.version) ", BLAKE3 "
                    code { (run.plugin.blake3) } }
            }
        }
    }
}

/// Returns the Methods section with its references.
fn methods(page: &SuitePage<'_>, traced: bool) -> Result<Markup, ResultsError> {
    let mut subjects = Vec::new();
    for (entrant, entry) in page.entrants.iter().zip(page.entries) {
        if entrant.origin != Origin::Imported {
            let subject = Subject::of(&entry.results, entrant.samples.clone())?;
            subjects.push((entrant, entry, subject));
        }
    }
    let endings = Endings::new();
    let facts = |(entrant, entry, subject)| {
        let (entrant, entry): (&&Entrant, &&SuiteEntry) = (entrant, entry);
        Some((entrant.name.as_str(), Facts::new(subject, &entry.provenance, &endings)?))
    };
    let facts = SuiteFacts {
        name: (&page.suite.name, &page.suite.version),
        contest: page.contest,
        standings: page.standings,
        traced,
        entrants: subjects
            .iter()
            .filter_map(|(entrant, entry, subject)| facts((entrant, entry, subject)))
            .collect(),
    };
    Ok(suite_methods(&facts, "suite-"))
}
