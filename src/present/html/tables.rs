//! The tables of a page.

use crate::analysis::comparison::{Comparison, Ground, Place, Rule};
use crate::analysis::{CONFIDENCE, RateMethod, SummaryRow, Verdict};
use crate::present::chart::Subject;
use crate::present::comparison::{legend, verdict};
use crate::present::excerpt::{readable, spread};
use crate::present::format::{count, p_words, percent, rate, rate_interval, real};
use crate::problem::PluginFile;
use crate::results::Provenance;
use crate::sequential::race::Standing;
use crate::stats::{ERT_SUCCESSES, effect_size, effect_word};
use maud::{Markup, html};
use std::path::Path;

const NOTHING: &str = "–";

/// The summary; its rows can be sorted. Of too many arms, a table of how their figures are spread
/// stands before the best and the worst.
pub(super) fn summary(subject: &Subject<'_>, folder: &Path) -> Markup {
    let rows = &subject.summary.rows;
    let swept = &subject.summary.swept_keys;
    let baselines = rows.iter().any(|row| row.baseline_comparison.is_some());
    let failures = rows.iter().any(|row| row.figures.failures > 0);
    let races = rows.iter().any(|row| row.standing.is_some());
    let constrained = rows.iter().any(|row| row.figures.feasibility.is_some());
    let interval = subject.summary.rate_interval();
    let cut = subject.excerpt.words();
    html! {
        p {
            "An " b { "arm" } " is an operator set on a problem, with one value of each swept key. "
            b { "ERT" } ", the expected running time, is the number of evaluations that all trials \
            spent, divided by the number of successes: lower is better. "
            b { "Median best fitness" } " is the median of the best fitness that each trial \
            reached; fitness is minimised."
        }
        @if let Some(words) = &cut {
            (spreads(rows))
            p { "The table shows " (words) ", by success rate, then ERT, then median best fitness. \
                All are in " code { (folder.join("summary.parquet").display()) } "; "
                code { "runner show " (folder.display()) " --csv" } " prints them." }
        }
        div.scroll tabindex="0" role="region"
            aria-label=(format!("Summary of {}", subject.summary.experiment)) {
            table.sortable {
                caption { "One row per arm."
                    @if subject.summary.is_exact() {
                        " All trials of an arm are the same, so its figures are exact."
                    } @else if rows.iter().any(|row| row.figures.defines_success) {
                        " Intervals: of the success rate " (rate_interval(&interval)) ", \
                        of the ERT bootstrap-t " (percent(CONFIDENCE)) ", – with fewer than "
                        (ERT_SUCCESSES) " successes."
                    }
                    @if failures { " Figures are computed from the trials that ran; after “failed” \
                        is the success rate if failures count as unsuccessful." }
                    @if interval.method == RateMethod::Sequence { " A stopping rule decided the \
                        number of trials: the rates are slightly biased towards the side that \
                        stopped them, and the intervals of the ERT are not adjusted for it." }
                    @if rows.iter().all(|row| !row.figures.defines_success) { " Success is not \
                        defined: the problem states no ideal, and the experiment no target." }
                    @if constrained { " Fitness is that of the trials whose best genome is \
                        feasible." } }
                thead { tr {
                    th scope="col" { "Arm" }
                    @for key in swept { th scope="col" { (breaking(key)) } }
                    th scope="col" { "Trials" }
                    @if races { th.text scope="col" { "Race" } }
                    @if failures { th scope="col" { "Failed" } }
                    th scope="col" { "Success rate" }
                    th scope="col" { "ERT (evaluations)" }
                    th scope="col" { "Median evaluations to success" }
                    th scope="col" { "Median best fitness" }
                    @if constrained { th scope="col" { "Feasible" } }
                    @if baselines { th scope="col" { "Against random search" } }
                } }
                @let shown = [races, failures, constrained, baselines];
                tbody { @for place in &subject.excerpt.arms { (arm(&rows[*place], swept, shown)) } }
            }
        }
    }
}

/// How the figures of all arms are spread.
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

fn arm(
    row: &SummaryRow,
    swept: &[String],
    [races, failures, constrained, baselines]: [bool; 4],
) -> Markup {
    let figures = &row.figures;
    let words = |value: Option<f64>| value.map_or_else(|| NOTHING.to_owned(), real);
    let interval = figures.success_interval;
    let median = figures.evaluations_to_success.map(|quartiles| quartiles.median);
    let fitness = figures.best_fitness.map(|spread| spread.median);
    html! {
        tr {
            th.text scope="row" data-label="Arm" { (row.arm.operators) }
            @for (key, value) in swept.iter().zip(&row.arm.swept) {
                @let text = value.as_ref().map(crate::plan::swept_text).unwrap_or_default();
                td data-label=(key) data-value=(text) {
                    @if text.is_empty() { (NOTHING) } @else { (text) }
                }
            }
            td data-label="Trials" data-value=(figures.trials) { (count(figures.trials)) }
            @if races { td.text data-label="Race" { (standing(row)) } }
            @if failures {
                td data-label="Failed" data-value=(figures.failures) { (count(figures.failures)) }
            }
            td data-label="Success rate" data-value=(plain(figures.success_rate)) {
                @if let Some((value, interval)) = figures.success_rate.zip(interval) {
                    (rate(value)) " "
                    span.small {
                        @match interval.method {
                            RateMethod::Exact => "[exact]",
                            _ => { "[" (rate(interval.low)) ", " (rate(interval.high)) "]" }
                        }
                    }
                    span.bar aria-hidden="true" {
                        span style=(format!("width:{:.1}%", 100.0 * value)) {}
                    }
                } @else { (NOTHING) }
                @if let Some(bounds) = figures.bounds().filter(|_| figures.failures > 0) {
                    " " span.small { (count(figures.failures)) " failed: " (rate(bounds.low)) }
                }
            }
            td data-label="ERT (evaluations)" data-value=(plain(figures.ert.map(|ert| ert.value))) {
                @if let Some(ert) = figures.ert {
                    (real(ert.value)) " "
                    span.small {
                        @match ert.interval {
                            Some(_) if ert.is_exact() => "[exact]",
                            Some(one) => {
                                "[" (real(one.low)) ", "
                                (one.high.map_or_else(|| "∞".to_owned(), real)) "]"
                            }
                            None => "[–]",
                        }
                    }
                } @else { (NOTHING) }
            }
            td data-label="Median evaluations to success" data-value=(plain(median)) {
                (words(median))
            }
            td data-label="Median best fitness" data-value=(plain(fitness)) { (words(fitness)) }
            @if constrained {
                @let feasible = figures.feasibility.map(|found| found.rate);
                td data-label="Feasible" data-value=(plain(feasible)) {
                    (feasible.map_or_else(|| NOTHING.to_owned(), rate))
                }
            }
            @if baselines {
                (against(row))
            }
        }
    }
}

/// The difference from the baseline's success rate, and the verdict.
fn against(row: &SummaryRow) -> Markup {
    let (difference, verdict) = (row.difference(), row.verdict());
    let better = verdict == Some(Verdict::Better);
    let ground = row.baseline_comparison.and_then(|one| one.ground);
    html! {
        td data-label="Against random search"
            data-value=(plain(difference.map(|difference| difference.value)))
            class=[better.then_some("better")] {
            @if let Some(difference) = difference {
                (signed(difference.value)) " "
                span.small {
                    "[" (signed(difference.interval.low)) ", "
                    (signed(difference.interval.high)) "]"
                }
                " "
            }
            @match verdict {
                Some(verdict) => { (verdict) }
                None => @if difference.is_none() { (NOTHING) }
            }
            @match ground {
                Some(Ground::Evaluations) => ": evaluations",
                Some(Ground::FinalFitness) => ": final fitness",
                Some(Ground::SuccessRate) | None => {}
            }
        }
    }
}

/// What became of an arm in its race, and when.
fn standing(row: &SummaryRow) -> String {
    match row.standing {
        Some(Standing::DroppedOut { after }) => format!("dropped out after {}", count(after)),
        Some(standing) => standing.as_str().to_owned(),
        None => NOTHING.to_owned(),
    }
}

/// A key that may be broken after its dots.
fn breaking(key: &str) -> Markup {
    html! { @for part in key.split_inclusive('.') { (part) wbr; } }
}

fn signed(value: f64) -> String {
    format!("{value:+.3}").replace('-', "−")
}

/// Arms beside each other, as far as they can be read; `rule`: which they are.
pub(super) fn comparisons(experiment: &str, compared: &[Comparison], rule: &Rule) -> Markup {
    let keys: &[String] = if let Rule::Within { keys, .. } = rule { keys } else { &[] };
    let fitness = compared.iter().any(|one| one.fitness.is_some());
    let (shown, cut) = readable(compared);
    html! {
        div.scroll tabindex="0" role="region" aria-label=(format!("Comparisons of {experiment}")) {
            table.sortable {
                caption {
                    (legend(compared, rule)) (cut)
                }
                thead { tr {
                    th scope="col" { "Arm" }
                    th.text scope="col" { "Against" }
                    @for key in keys { th scope="col" { (breaking(key)) } }
                    th scope="col" { "Rates" }
                    th scope="col" { "Difference" }
                    th scope="col" { "p" }
                    th scope="col" { "Fewer evaluations" }
                    th scope="col" { "ERT ratio" }
                    @if fitness { th scope="col" { "Final fitness (median)" } }
                    th.text scope="col" { "Verdict" }
                } }
                tbody {
                    @for one in shown {
                        tr {
                            th.text scope="row" data-label="Arm" { (one.first) }
                            td.text data-label="Against" { (one.second) }
                            @for (number, key) in keys.iter().enumerate() {
                                td data-label=(key) { (at(one, number)) }
                            }
                            (rates(one))
                            td.whole data-label="p" data-value=(one.p_adjusted()) {
                                (p_words(one.p_adjusted()))
                            }
                            @let effect = one.defines_success.then_some(one.effect);
                            td data-label="Fewer evaluations" data-value=(plain(effect)) {
                                @if let Some(effect) = effect {
                                    (format!("{effect:.2}")) " " span.small { (size(one)) }
                                } @else { (NOTHING) }
                            }
                            @let ratio = one.ert_ratio.map(|ratio| ratio.to_string());
                            td data-label="ERT ratio" data-value=(ratio.unwrap_or_default()) {
                                (one.ert_ratio.map_or_else(|| NOTHING.to_owned(), real))
                            }
                            @if fitness { (medians(one)) }
                            td.text data-label="Verdict" { (verdict(one)) }
                        }
                    }
                }
            }
        }
    }
}

/// The success rates and their difference.
fn rates(one: &Comparison) -> Markup {
    let rates = one.defines_success.then_some(one.rates);
    let difference = one.defines_success.then_some(one.difference);
    html! {
        td data-label="Rates" data-value=(plain(rates.map(|(first, _)| first))) {
            @if let Some((first, second)) = rates { (rate(first)) ", " (rate(second)) }
            @else { (NOTHING) }
        }
        td data-label="Difference" data-value=(plain(difference)) {
            @if let Some(difference) = difference {
                (signed(difference)) " "
                span.small {
                    "[" (signed(one.difference_interval.low)) ", "
                    (signed(one.difference_interval.high)) "]"
                }
            } @else { (NOTHING) }
        }
    }
}

/// A value to sort by; nothing where there is none.
fn plain(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// The value of a key within which arms are compared.
fn at(one: &Comparison, number: usize) -> &str {
    match &one.place {
        Place::At(values) => &values[number],
        Place::Over { .. } => "all",
        Place::Whole => NOTHING,
    }
}

/// The final fitness of two arms that never succeed.
fn medians(one: &Comparison) -> Markup {
    let medians = one.fitness.as_ref().map(|fitness| fitness.medians);
    html! {
        @let first = medians.map(|(first, _)| first.to_string());
        td data-label="Final fitness (median)" data-value=(first.unwrap_or_default()) {
            @if let Some((first, second)) = medians {
                (real(first)) ", " (real(second))
            } @else { (NOTHING) }
        }
    }
}

/// The size of an effect in words.
fn size(one: &Comparison) -> &'static str {
    one.effect_interval
        .map_or_else(|| effect_word(one.effect), |interval| effect_size(one.effect, interval))
}

/// A plugin, and which file of it.
fn plugin(file: &PluginFile) -> Markup {
    html! {
        dd { (file.name) " " (file.version) ", ABI " (file.abi) ", BLAKE3 " code { (file.blake3) } }
    }
}

/// The runs that made the tables.
pub(super) fn provenance(provenance: &Provenance) -> Markup {
    html! {
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
                dt { "Plugin" }
                (plugin(&run.plugin))
                @for one in &run.operator_plugins {
                    dt { "Operators of" }
                    (plugin(&one.file))
                }
                dt { "Generator" } dd { (run.generator) }
                dt { "Machine" } dd { (run.machine()) }
                @if !run.overrides.is_empty() {
                    dt { "Overrides" } dd { (run.overrides.join(" ")) }
                }
            }
        }
    }
}
