//! Output at the end of a run.

use crate::analysis::SummaryTable;
use crate::format::{percent, real};
use crate::plan::Plan;
use crate::plan::round::{Round, Share};
use crate::plan::stopping::{StoppingCriterion, StoppingRule};
use crate::report::paragraph;
use crate::results::{TrialError, TrialErrors};
use crate::sequential::SequentialState;
use crate::sequential::race::Standing;
use crate::summary::{report_table, summary_report};
use crate::system::shell::{shell_path, shell_word};
use crate::words::{count, first_listed};
use std::path::Path;

/// Maximum number of arms in the closing summary. More would scroll it away.
const SHOWN: usize = 50;

/// Returns the text for a finished experiment, for a terminal of `width` columns. It has the
/// answer, the summary, the decisions of the stopping rule, and the path of the tables.
pub fn conclusion(
    plan: &Plan,
    summary: &SummaryTable,
    answer: &[String],
    state: &SequentialState,
    folder: &Path,
    width: u16,
) -> String {
    let all = summary.rows.len();
    let failures: u64 = summary.rows.iter().map(|row| row.figures.failures).sum();
    if failures > 0 && summary.rows.iter().all(|row| row.figures.trials == 0) {
        return format!(
            "{}: all {} trials failed, so there are no figures\nTables: {}\n",
            plan.name,
            count(failures),
            folder.join("*.parquet").display()
        );
    }
    let mut text = format!("{}\n", plan.name);
    // Lines of a stopping rule are not wrapped, like messages.
    let has_answer = plan.stopping_rule.as_ref().is_some_and(is_question);
    for line in answer {
        text.push_str(&match has_answer {
            true => format!("{line}\n"),
            false => paragraph(line, width.into()),
        });
    }
    text.push_str(&format!("\n{}\n", first_arms(summary, width).trim_end()));
    if all > SHOWN {
        text.push_str(&format!(
            "The first {SHOWN} of {} arms; `runner show {}` prints them all.\n",
            count(all as u64),
            shell_path(folder)
        ));
    }
    let rule = plan.stopping_rule.as_ref();
    text.push_str(&match rule.map(|rule| (rule, &rule.criterion)) {
        Some((rule, StoppingCriterion::Precision { half_width })) => {
            format!("{}\n", precision(plan, rule, *half_width, state))
        }
        Some((_, StoppingCriterion::Successes { wanted, .. })) => {
            format!("{}\n", counted(plan, *wanted, summary, state))
        }
        _ => String::new(),
    });
    text.push_str(&format!("Tables: {}\n", folder.join("*.parquet").display()));
    text.push_str(&hash_line(summary));
    text
}

/// Returns the table of the first arms, with the notes on all.
fn first_arms(summary: &SummaryTable, width: u16) -> String {
    let mut shown = summary.clone();
    shown.rows.truncate(SHOWN);
    report_table(summary_report(&shown), summary, width)
}

/// Returns the summary of the arms that were run, of an experiment that lacks trials of other arms.
/// `others` is the number of trials of those.
pub fn partial_conclusion(
    plan: &Plan,
    summary: &SummaryTable,
    arms: &str,
    others: u64,
    width: u16,
) -> String {
    let table = first_arms(summary, width);
    let others = match others {
        0 => "the others have no trials yet".to_owned(),
        others => format!("the others lack trials (they have {})", count(others)),
    };
    format!(
        "{}\n{}\n{arms}; {others}. The tables are written once all arms have their trials: run the \
        same command without --arm.\n",
        plan.name,
        table.trim_end()
    )
}

/// Returns the two lines that a finished share of `trials` trials shows. `out` is the results
/// directory that `--out` named; `None` if it is the one that `runner merge` writes to anyway.
pub fn shard_conclusion(
    plan: &Plan,
    share: &Share,
    trials: u64,
    folder: &Path,
    out: Option<&Path>,
) -> String {
    let Share { shard, round } = share;
    let round = round.as_ref();
    let all = round.map_or_else(|| plan.trials(), Round::total);
    let words = round.map_or_else(String::new, |round| format!("round {}, ", round.number));
    let own = format!(".shard-{}-of-{}", shard.number, shard.of);
    let folder = folder.display().to_string();
    // The pattern that matches all shards.
    let before = folder.strip_suffix(&own).unwrap_or(&folder);
    let shards = format!("{}.shard-*-of-{}", glob::Pattern::escape(before), shard.of);
    let shards = if shell_word(before) == before { shards } else { shell_word(&shards) };
    let out = out.map_or_else(String::new, |out| format!(" --out {}", shell_path(out)));
    format!(
        "{}: {words}shard {shard}, {trials} of {all} trials, in {folder}\nWhen all shards are \
        done: runner merge {shards}{out}\n",
        plan.name
    )
}

/// Returns a line with the results hash; empty without one.
pub fn hash_line(summary: &SummaryTable) -> String {
    summary.results_hash.as_ref().map_or_else(String::new, |hash| format!("Results: {hash}\n"))
}

/// Returns whether a stopping rule asks which arm is better or the best.
fn is_question(rule: &StoppingRule) -> bool {
    matches!(rule.criterion, StoppingCriterion::Decision { .. } | StoppingCriterion::Best { .. })
}

/// Returns the answer of a stopping rule that asks which arm is better or the best; `None` if there
/// is no such rule.
pub fn decided(plan: &Plan, state: &SequentialState) -> Option<Vec<String>> {
    let rule = plan.stopping_rule.as_ref()?;
    match &rule.criterion {
        // The result of a race by cost is part of the whole tuning.
        StoppingCriterion::Precision { .. }
        | StoppingCriterion::Successes { .. }
        | StoppingCriterion::Cheapest(_) => None,
        StoppingCriterion::Decision { first, second } => {
            Some(vec![decision(plan, rule, (*first, *second), state)])
        }
        StoppingCriterion::Best { races } => Some(raced(plan, rule, races, state)),
    }
}

/// Maximum numbers of races with a separate line, and of arms named in it.
const RACES: usize = 10;
const NAMED: usize = 8;

/// Returns the result of each race, the total cost, and the confidence.
fn raced(
    plan: &Plan,
    rule: &StoppingRule,
    races: &[usize],
    state: &SequentialState,
) -> Vec<String> {
    let all = races.iter().max().map_or(0, |last| last + 1);
    let mut lines: Vec<String> =
        (0..all.min(RACES)).map(|number| one_race(plan, races, number, state)).collect();
    if all > RACES {
        lines.push(format!("… and {} more races: see the column `race`.", all - RACES));
    }
    let spent: u64 = state.target_trials.iter().sum();
    let best = match all {
        1 => "that the best arm dropped out",
        _ => "that the best arm of a race dropped out",
    };
    lines.push(format!(
        "The race{} took {} of at most {} trials. The probability {best} is at most {}, which \
        allows for all arms and repeated looks.",
        if all == 1 { "" } else { "s" },
        count(spent),
        count(plan.trials()),
        real(((1.0 - rule.confidence) * 1e9).round() / 1e9)
    ));
    if state.open > 0 {
        lines.push(format!(
            "Some arms that are left would be told apart by the trials that ran, but {} failures \
            could turn it.",
            count(state.open)
        ));
    }
    lines
}

fn one_race(plan: &Plan, races: &[usize], number: usize, state: &SequentialState) -> String {
    let arms: Vec<usize> = (0..races.len()).filter(|arm| races[*arm] == number).collect();
    let label = |arm: &usize| format!("`{}`", plan.arms[*arm].label);
    let dropped_out =
        |arm: &&usize| matches!(state.standings[**arm], Some(Standing::DroppedOut { .. }));
    let left: Vec<&usize> = arms.iter().filter(|arm| !dropped_out(arm)).collect();
    let trials = count(left.iter().map(|arm| state.target_trials[**arm]).max().unwrap_or(0));
    if let [winner] = left[..] {
        return format!(
            "{} is the best of {} arms: the last other one dropped out after {trials} trials.",
            label(winner),
            count(arms.len() as u64)
        );
    }
    format!(
        "{} of {} arms are left after the maximum of {trials} trials and cannot be told apart: \
        {}.",
        count(left.len() as u64),
        count(arms.len() as u64),
        first_listed(left.iter().map(|arm| label(arm)), NAMED)
    )
}

fn precision(plan: &Plan, rule: &StoppingRule, half_width: f64, state: &SequentialState) -> String {
    let short = state.target_trials.iter().filter(|trials| **trials == plan.repeats).count();
    let at_most = match short {
        0 => String::new(),
        _ => format!(
            "; {short} of {} arms reached the maximum of {} trials and may be less precise",
            plan.arms.len(),
            count(plan.repeats)
        ),
    };
    let open = match state.open {
        0 => String::new(),
        open => {
            format!(" The success rates are uncertain because of {} failed trials.", count(open))
        }
    };
    format!(
        "Each arm ran until its {} confidence sequence was at most {} wide in \
        total{at_most}.{open}",
        percent(rule.confidence),
        real(2.0 * half_width)
    )
}

/// Returns the ends of arms that ran until they had `wanted` successes.
fn counted(plan: &Plan, wanted: u64, summary: &SummaryTable, state: &SequentialState) -> String {
    let short = summary.rows.iter().filter(|row| row.figures.successes < wanted).count();
    let at_most = match short {
        0 => String::new(),
        _ => format!(
            "; {short} of {} arms had fewer after the maximum of {} trials",
            plan.arms.len(),
            count(plan.repeats)
        ),
    };
    let open = match state.open {
        0 => String::new(),
        open => format!(" {} failed trials might have been successes.", count(open)),
    };
    let successes = if wanted == 1 { "success" } else { "successes" };
    format!("Each arm ran until it had {} {successes}{at_most}.{open}", count(wanted))
}

fn decision(
    plan: &Plan,
    rule: &StoppingRule,
    (first, second): (usize, usize),
    state: &SequentialState,
) -> String {
    let (trials, name) = (count(state.target_trials[first]), |arm: usize| &plan.arms[arm].label);
    if let Some(better) = state.better {
        let worse = if better == first { second } else { first };
        return format!(
            "`{}` succeeds more often than `{}`: decided after {trials} trials of each, with an \
            error probability of at most {}, which allows for repeated looks. Evaluations and \
            fitness were not looked at: `runner compare` does that.",
            name(better),
            name(worse),
            real(((1.0 - rule.confidence) * 1e9).round() / 1e9)
        );
    }
    let open = match state.open {
        0 => String::new(),
        open => {
            format!(
                ": the trials that ran would decide it, but {} failures could turn it",
                count(open)
            )
        }
    };
    format!(
        "Cannot tell which of `{}` and `{}` succeeds more often within {trials} trials of \
        each{open}. Evaluations and fitness were not looked at: to compare arms by these, give \
        `repeats` a number.",
        name(first),
        name(second)
    )
}

/// Returns the errors of trials, each with the command that runs its first trial again.
pub fn trial_error_messages(found: &TrialErrors, folder: &Path) -> Vec<String> {
    let words = |one: &TrialError| {
        let TrialError { outcome, error, trials, arms, first: (arm, trial) } = one;
        let which = match (trials, arms) {
            (1, _) => format!("trial {trial} of `{arm}`"),
            (_, 1) => format!("{} trials of `{arm}`", count(*trials)),
            (_, all) => format!("{} trials of {all} arms", count(*trials)),
        };
        let (folder, arm) = (shell_path(folder), shell_word(arm));
        format!("{outcome}: {which}: {error}\n  again: runner replay {folder} {arm} {trial}")
    };
    let mut messages: Vec<String> = found.errors.iter().map(words).collect();
    if found.others > 0 {
        let others = count(found.others);
        let rest =
            format!("and {others} more trials with other errors; they are in trials.parquet");
        messages.push(rest);
    }
    messages
}
