//! Tables of a page.

use crate::analysis::comparison::{Answer, Comparison, Rule};
use crate::analysis::{CONFIDENCE, SummaryRow};
use crate::answer::answer_report;
use crate::chart::Subject;
use crate::comparison::legend;
use crate::excerpt::{readable, spread};
use crate::format::{percent, rate_interval, real};
use crate::pairs::{comparison_report, labels};
use crate::problem::PluginFile;
use crate::report::{NOTHING, Sheet};
use crate::results::{Provenance, Run};
use crate::stats::ERT_SUCCESSES;
use crate::suite::suite_words;
use crate::summary::{summary_notes, summary_report};
use crate::words::count;
use maud::{Markup, html};
use std::path::Path;

/// Returns the summary as a table with sortable rows. If there are too many arms, a table of the
/// spread of their figures precedes the best and the worst.
pub(super) fn summary(subject: &Subject<'_>, folder: &Path) -> Markup {
    let rows = &subject.summary.rows;
    let interval = subject.summary.rate_interval();
    let cut = subject.excerpt.words();
    html! {
        p {
            "An " b { "arm" } " is an operator set on a problem, with one value of each swept key. "
            b { "ERT" } ", the expected running time, is the number of evaluations of all trials, \
            of a success until it succeeded, divided by the number of successes: lower is better. "
            b { "Median best fitness" } " is the median of the best fitness that each trial \
            reached; fitness is minimised."
        }
        @if let Some(words) = &cut {
            (spreads(rows))
            p { "The table shows " (words) ", by success rate, then ERT, then median best fitness. \
                All are in " code { (folder.join("summary.parquet").display()) } "; "
                code { "runner show " (folder.display()) " --csv" } " prints them." }
        }
        @let report = summary_report(&subject.summary).at(&subject.excerpt.arms);
        @let caption = html! { "One row per arm."
            @if subject.summary.is_exact() {
                " All trials of an arm are the same, so its figures are exact."
            } @else if rows.iter().any(|row| row.figures.defines_success) {
                " Intervals: of the success rate " (rate_interval(&interval)) ", of the ERT \
                bootstrap-t " (percent(CONFIDENCE)) ", – with fewer than " (ERT_SUCCESSES)
                " successes."
            }
            @for note in summary_notes(&subject.summary) { " " (note) } };
        @let label = format!("Summary of {}", subject.summary.experiment);
        (Sheet { report: &report, caption, label }.markup())
    }
}

/// Returns a table of the spread of all arms' figures.
fn spreads(rows: &[SummaryRow]) -> Markup {
    let figures = || rows.iter().map(|row| &row.figures);
    let all: [(&str, Vec<f64>); 3] = [
        ("Success rate", figures().filter_map(|one| one.success_rate).collect()),
        ("ERT (evaluations)", figures().filter_map(|one| Some(one.ert?.value)).collect()),
        (
            "Median best fitness",
            figures().filter_map(|one| Some(one.best_fitness?.median)).collect(),
        ),
    ];
    let heads =
        ["Figure", "Arms", "Least", "First quartile", "Median", "Third quartile", "Greatest"];
    html! {
        div.scroll tabindex="0" role="region" aria-label="Spread of the figures of all arms" {
        table {
            caption { "All arms that have the figure." }
            thead { tr { @for head in heads { th scope="col" { (head) } } } }
            tbody {
                @for (name, values) in all {
                    tr {
                        th.text scope="row" data-label="Figure" { (name) }
                        td data-label="Arms" { (count(values.len() as u64)) }
                        @let found = spread(values.into_iter()).map(|spread| spread.map(real));
                        @for (place, head) in heads[2..].iter().enumerate() {
                            td data-label=(head) {
                                (found.as_ref().map_or(NOTHING, |found| &found[place]))
                            }
                        }
                    }
                }
            }
        }
        }
    }
}

/// Writes the groups of arms without detected differences, if all were compared with each other,
/// and as many comparisons as are readable.
pub(super) fn comparisons(
    subject: &Subject<'_>,
    compared: &[Comparison],
    answers: &[Answer<'_>],
    rule: &Rule,
) -> Markup {
    let experiment = &subject.summary.experiment;
    let groups = answer_report(answers);
    let first = if answers.iter().all(Answer::has_best) { "The best first. " } else { "" };
    let caption = html! { (first) "Arms that share a letter are not told apart (compact \
    letter display, Piepho 2004)." };
    let groups = Sheet { report: &groups, caption, label: format!("Groups of {experiment}") };
    let (shown, cut) = readable(compared);
    let shown: Vec<Comparison> = shown.into_iter().cloned().collect();
    let report = comparison_report(&shown, &labels(&shown), rule);
    let all = count(compared.len() as u64);
    let caption = html! { "One row per comparison, " (all) " in all." (cut) };
    let sheet = Sheet { report: &report, caption, label: format!("Comparisons of {experiment}") };
    html! {
        @if answers.is_empty() { (sheet.markup()) } @else {
            (groups.markup())
            details { summary { "All comparisons" } (sheet.markup()) }
        }
        details { summary { "How differences, tests and verdicts were calculated" }
            p { (legend(compared, rule)) } }
    }
}

/// Returns the plugins of a run as terms and their descriptions.
pub(super) fn plugins(run: &Run) -> Markup {
    html! {
        dt { "Plugin" }
        (plugin(&run.plugin))
        @for one in &run.operator_plugins {
            dt { "Operators of" }
            (plugin(&one.file))
        }
    }
}

/// Returns a plugin with its version and hash.
fn plugin(file: &PluginFile) -> Markup {
    html! {
        dd { (file.name) " " (file.version) ", ABI " (file.abi) ", BLAKE3 " code { (file.blake3) } }
    }
}

/// Returns the runs that made the tables.
pub(super) fn provenance(provenance: &Provenance) -> Markup {
    html! {
        @if let Some(hash) = &provenance.results {
            dl { dt { "Results hash" } dd { code { (hash) } ", of the values of all trials" } }
        }
        @for suite in &provenance.suites { dl { dt { "Suite" } dd { (suite_words(suite)) } } }
        @for run in &provenance.runs {
            dl {
                dt { "Run" }
                dd {
                    (run.start) " to " (run.end.as_deref().unwrap_or("?")) ", "
                    (run.ending.as_deref().unwrap_or("killed"))
                }
                dt { "Trials" }
                dd {
                    (count(run.trials_before)) " before, "
                    (run.trials_after.map_or_else(|| "?".to_owned(), count)) " after"
                }
                dt { "Runner" }
                dd {
                    (run.runner_version)
                    @if let Some(revision) = &run.git_revision { " (" (revision) ")" }
                    ", engine revision " (run.engine_revision) ", " (run.build) " build"
                }
                (plugins(run))
                dt { "Generator" } dd { (run.generator) }
                dt { "Machine" } dd { (run.machine()) }
                @if !run.overrides.is_empty() {
                    dt { "Overrides" } dd { (run.overrides.join(" ")) }
                }
            }
        }
    }
}
