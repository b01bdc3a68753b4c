//! Pages: experiments as one standalone HTML file, for a paper or a homework.

mod certainty;
mod entry;
mod methods;
mod question;
mod ranking;
mod suite;
mod tables;
mod times;
mod tuning;

use crate::analysis::RateMethod;
use crate::analysis::comparison::{Comparison, Criterion, answers, tests_of};
use crate::analysis::ranking::Ranking;
use crate::answer::answer_lines;
use crate::chart::{Chart, Subject, board_uri, gallery, ranking_of, themed};
use crate::comparison::distributions;
use crate::format::{real, with_violation};
use crate::record::TrialRecord;
use crate::results::{Imported, ResultsError};
use crate::system::output::visible;
use crate::words::counted;
pub use entry::Entry;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use methods::{Facts, Statistics, checklist, methods, ranking_words};
pub(crate) use question::question_words;
use std::collections::BTreeMap;
use std::path::Path;
pub use suite::{SuiteEntry, SuitePage, suite_page};
pub use tuning::tuning_page;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// A shown solution.
#[derive(Clone, Debug)]
pub struct Best {
    /// Number of the arm.
    pub arm: usize,
    /// Trial that found the best genome.
    pub record: TrialRecord,
    /// SVG of the plugin; `None` if it draws none.
    pub board: Option<String>,
}

/// Maximum number of arms whose best solutions are shown.
const BOARDS: usize = 12;

/// Number of trials per ending, by the outcome's word.
pub(crate) type Endings = BTreeMap<&'static str, u64>;

/// Returns the page.
///
/// # Errors
/// Returns an error if a table cannot be read.
pub fn page(entries: &[Entry<'_>]) -> Result<String, ResultsError> {
    let title = match entries {
        [one] => one.subject.summary.experiment.clone(),
        several => format!("{} experiments", several.len()),
    };
    let experiments: Vec<_> = entries
        .iter()
        .map(|entry| (entry.subject.summary.experiment.as_str(), &*entry.subject.samples))
        .collect();
    let ranked = if entries.len() > 1 { ranking_of(&experiments) } else { None };
    let mut sections = Vec::new();
    for (place, entry) in entries.iter().enumerate() {
        sections.push(section(place, entry, entries.len() == 1)?);
    }
    let header = html! {
        @if entries.len() == 1 { h1 id="name-0" { (title) } } @else { h1 { (title) } }
        p.faint { "Made by runner " (env!("CARGO_PKG_VERSION")) " from the tables of "
            @for (place, entry) in entries.iter().enumerate() {
                @if place > 0 { ", " }
                code { (entry.folder.display()) }
            } "." }
        @if let [section] = sections.as_slice() {
            @let all = PARTS.map(|(id, title)| (format!("e0-{id}"), title)).into_iter();
            (contents(all.filter(|(id, _)| section.0.contains(&format!("id=\"{id}\"")))))
        }
        @if entries.len() > 1 {
            nav aria-label="Experiments" { ul {
                @for (place, entry) in entries.iter().enumerate() {
                    li { a href=(format!("#experiment-{place}")) {
                        (entry.subject.summary.experiment)
                    } }
                }
            } }
        }
    };
    let main = html! {
        @if let Some(found) = &ranked {
            section aria-labelledby="ranks" {
                h2 id="ranks" { "Ranks over all experiments" }
                (ranking::ranks(found, "all experiments", "all-"))
            }
        }
        @for section in &sections { (section) }
    };
    Ok(document(&title, &header, &main))
}

/// Returns a page that needs no other files.
fn document(title: &str, header: &Markup, main: &Markup) -> String {
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="generator" content=(format!("runner {}", env!("CARGO_PKG_VERSION")));
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header { (header) }
                main { (main) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    // Texts of plugins and configs may contain anything.
    visible(&markup.into_string()).into_owned()
}

/// Returns the reproducibility checklists of experiments as Markdown, and the folders without a
/// checklist, because no run of `runner` made them.
pub fn checklists<'a>(entries: &'a [Entry<'_>]) -> (String, Vec<&'a Path>) {
    let (mut texts, mut without) = (Vec::new(), Vec::new());
    for Entry { folder, subject, provenance, endings, times, compared, .. } in entries {
        let Some(facts) = Facts::new(subject, provenance, endings) else {
            without.push(*folder);
            continue;
        };
        let (compared, _) = compared;
        let grouped = !answers(&subject.samples, compared).is_empty();
        let ranked = ranking_of(&[(&subject.summary.experiment, &subject.samples)]);
        let statistics = statistics(subject, compared, grouped, (&[], ranked.as_ref()));
        let experiment = (subject.summary.experiment.as_str(), *folder);
        let seconds = times.iter().map(|times| times.total).sum();
        texts.push(checklist(&facts, &statistics, experiment, seconds));
    }
    (visible(&texts.join("\n")).into_owned(), without)
}

/// Parts of an experiment's section with their ids, in their order.
const PARTS: [(&str, &str); 9] = [
    ("answer", "Answer"),
    ("plots", "Plots"),
    ("results", "Results"),
    ("comparisons", "Comparisons"),
    ("ranks", "Ranks over problems"),
    ("best", "Best solutions"),
    ("methods", "Methods"),
    ("provenance", "Provenance"),
    ("times", "Times"),
];

/// Returns the title of a part by its id.
fn title_of(parts: &[(&'static str, &'static str)], id: &str) -> &'static str {
    parts.iter().find(|(own, _)| *own == id).map_or("", |(_, title)| title)
}

/// Returns a heading; one level higher if the page has one experiment.
fn heading(title: &str, id: Option<&str>, alone: bool) -> Markup {
    html! { @if alone { h2 id=[id] { (title) } } @else { h3 id=[id] { (title) } } }
}

/// Returns links to parts of a page by their ids.
fn contents<T: std::fmt::Display>(parts: impl IntoIterator<Item = (T, &'static str)>) -> Markup {
    html! {
        nav aria-label="Contents" { ul {
            @for (id, title) in parts { li { a href=(format!("#{id}")) { (title) } } }
        } }
    }
}

fn section(place: usize, entry: &Entry<'_>, alone: bool) -> Result<Markup, ResultsError> {
    let Entry { subject, provenance, best, endings, compared: (compared, rule), .. } = entry;
    let run = provenance.runs.last();
    let answers = answers(&subject.samples, compared);
    let answer = answer_lines(&answers, compared);
    let ranked = ranking_of(&[(&subject.summary.experiment, &subject.samples)]);
    let charts = gallery(subject)?;
    let facts = Facts::new(subject, provenance, endings);
    let drawn = (charts.as_slice(), ranked.as_ref());
    let statistics = statistics(subject, compared, !answers.is_empty(), drawn);
    let part = |id: &str| heading(title_of(&PARTS, id), Some(&format!("e{place}-{id}")), alone);
    Ok(html! {
        section id=(format!("experiment-{place}")) aria-labelledby=(format!("name-{place}")) {
            @if !alone {
                h2 id=(format!("name-{place}")) { (subject.summary.experiment) }
            }
            @if !answer.is_empty() {
                (part("answer"))
                @for line in &answer { p.answer { (line) } }
                (certainty::certainty(&answers, compared, rule, ranked.is_some()))
            }
            @if let Some(run) = run { (question::question(&run.config, alone)) }
            @if let Some(planned) = subject.results.planned() {
                @match subject.results.shard() {
                    Some((shard, own)) if subject.summary.all_trials() >= own => p {
                        strong { "One shard:" } " the figures are computed from its trials, those "
                        "of shard " (shard.number) " of " (shard.of) ". " code { "runner merge" }
                        " makes the tables of all shards."
                    },
                    _ => p {
                        strong { "Unfinished:" } " the figures are computed from the trials so \
                            far, of up to " (planned) " per arm."
                    },
                }
            }
            @if let Some(imported) = &provenance.imported {
                (origin_of_imported(imported))
            }
            (part("plots"))
            (pictures(&charts, place))
            (part("results"))
            (tables::summary(subject, entry.folder))
            @if !compared.is_empty() {
                (part("comparisons"))
                (tables::comparisons(subject, compared, &answers, rule))
            }
            @if let Some(found) = &ranked {
                (part("ranks"))
                (ranking::ranks(found, &subject.summary.experiment, &format!("e{place}r-")))
            }
            @if !best.is_empty() {
                (part("best"))
                (boards(subject, best))
            }
            @if let Some(run) = run {
                @if let Some(facts) = &facts {
                    (part("methods"))
                    div.methods { (methods(facts, &statistics, &format!("e{place}-"))) }
                }
                (part("provenance"))
                (tables::provenance(provenance))
                details {
                    summary { "The experiment file" }
                    pre tabindex="0" { code { (run.config) } }
                }
            }
            @if entry.times.iter().any(|times| times.per_trial.is_some()) {
                (part("times"))
                (times::times(subject, &entry.times, provenance))
            }
        }
    })
}

/// Maximum number of pictures that are not folded: rates, run lengths and fitness come first.
const OPEN: usize = 6;

/// Returns the pictures of an experiment. Printing unfolds them.
fn pictures(charts: &[Chart], place: usize) -> Markup {
    let figure = |number: usize| {
        let drawn = themed(&charts[number], &format!("e{place}p{number}-"));
        html! { figure { (PreEscaped(drawn)) } }
    };
    let open = charts.len().min(OPEN);
    html! {
        div.pictures { @for number in 0..open { (figure(number)) } }
        @if charts.len() > OPEN {
            details {
                summary { (counted((charts.len() - OPEN) as u64, "more picture")) }
                div.pictures { @for number in OPEN..charts.len() { (figure(number)) } }
            }
        }
    }
}

/// Returns the origin of trials that another program ran.
fn origin_of_imported(imported: &Imported) -> Markup {
    html! {
        p { strong { "Imported:" } " runner did not run the trials of arms marked \
            (imported). They were read from " code { (imported.file) } " (BLAKE3 "
            code { (imported.blake3) } ") at " (imported.time) ", "
            (imported.map.join(", "))
            @if let Some(beside) = &imported.beside {
                "; the others are those of " code { (beside) }
            } "." }
    }
}

/// Returns the statistics for the Methods section, with the page's charts and ranking.
fn statistics(
    subject: &Subject<'_>,
    compared: &[Comparison],
    grouped: bool,
    (charts, ranked): (&[Chart], Option<&Ranking>),
) -> Statistics {
    let of = |name| charts.iter().filter(move |chart: &&Chart| chart.name.starts_with(name));
    let has_bounds = |chart: &Chart| chart.body.curves().iter().any(|curve| curve.has_bounds());
    let fitness = of("fitness").next().map(|_| of("fitness").any(has_bounds));
    let rows = &subject.summary.rows;
    let [tests, baseline_tests] = tests_of(compared);
    let with_chance = compared.iter().find(|one| !one.one_is_exact);
    Statistics {
        rates: subject.summary.rate_interval(),
        method: with_chance.or(compared.first()).map(|one| one.method),
        single: compared.iter().any(|one| !one.is_over_strata()),
        strata: compared.iter().any(Comparison::is_over_strata),
        one_is_exact: compared.iter().any(|one| one.one_is_exact),
        all_are_exact: compared.iter().all(|one| one.one_is_exact),
        grouped,
        baseline: rows.iter().find_map(|row| row.difference().map(|one| one.method)),
        exact: subject.summary.is_exact(),
        some_exact: rows.iter().any(|row| {
            row.figures.success_interval.is_some_and(|one| one.method == RateMethod::Exact)
        }),
        defines_success: rows.iter().any(|row| row.figures.defines_success),
        successes: rows.iter().any(|row| row.figures.ert.is_some()),
        comparisons: compared.iter().filter(|one| !one.against_baseline).count(),
        tests,
        baseline_tests,
        budgets_differ: compared.iter().any(|one| one.budget.is_some()),
        asked: compared
            .iter()
            .find(|one| one.asked && one.test(Criterion::SuccessRate).is_some())
            .map(|one| {
                let mut pair = [one.first.clone(), one.second.clone()];
                pair.sort();
                pair
            }),
        criteria: Criterion::ALL
            .into_iter()
            .filter(|criterion| compared.iter().any(|one| one.test(*criterion).is_some()))
            .collect(),
        distributions: [Criterion::Evaluations, Criterion::FinalFitness].map(|criterion| {
            [false, true].map(|over| {
                let of = compared.iter().filter(|one| {
                    one.is_over_strata() == over && (with_chance.is_none() || !one.one_is_exact)
                });
                distributions(of, criterion)
            })
        }),
        bands: of("run-length").any(has_bounds),
        quartiles: fitness,
        constraints: subject.results.violations(),
        ranks: ranked.map_or_else(String::new, |ranking| {
            ranking_words(ranking, ["problems", "operator sets"])
        }),
    }
}

fn boards(subject: &Subject<'_>, best: &[Best]) -> Markup {
    let more = subject.samples.len().saturating_sub(BOARDS);
    html! {
        div.boards {
            @for Best { arm, record, board } in best {
                figure {
                    @let fitness = record.best_fitness.map_or_else(|| "none".to_owned(), real);
                    @let fitness = with_violation(fitness, record.best_violation);
                    @if let Some(board) = board {
                        img src=(board_uri(board)) alt=(format!("Best solution of {}, fitness \
                            {fitness}", subject.names[*arm])) width="320" height="320";
                    }
                    figcaption {
                        (subject.names[*arm]) ": fitness " (fitness) ", trial " (record.trial)
                        @if let Some(text) = &record.best_text {
                            @if text.chars().count() <= 80 { br; code { (text) } }
                        }
                    }
                }
            }
        }
        @if more > 0 {
            p.faint {
                "The first " (BOARDS) " arms; " (more)
                (if more == 1 { " more is" } else { " more are" }) " in trials.parquet."
            }
        }
    }
}
