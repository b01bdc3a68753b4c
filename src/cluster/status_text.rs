//! Status of a submission as text for readers.

use super::Engine;
use super::status::{ArmStatus, ShardState, ShardStatus, Status, Verdict};
use crate::present::format::{ends, rate};
use crate::present::report::{Cell, Column, NOTHING, Report, fitted};
use crate::system::output::visible_line;
use crate::words::{count, counted, first_texts};
use std::fmt::Write;
use std::path::Path;

/// Maximum numbers of listed shards that need attention, and of listed arms. More would scroll the
/// rest away.
const SHARDS: usize = 10;
const ARMS: usize = 40;

/// Returns the status as text for a terminal of `width` columns. It ends with a newline.
pub(crate) fn text(status: &Status, width: u16) -> String {
    let mut text = format!("{}\n", first_line(status));
    for state in [ShardState::Running, ShardState::Pending] {
        if status.count(state) > 0 {
            _ = writeln!(text, "  {}: {}", state.as_str(), status.set(state));
        }
    }
    let ended =
        |shard: &&ShardStatus| matches!(shard.state, ShardState::Failed | ShardState::Missing);
    let lines = status.shards.iter().filter(ended).map(shard_line);
    let lines = first_texts(lines, SHARDS, ": --json lists them");
    lines.iter().for_each(|line| _ = writeln!(text, "  {line}"));
    if let Some(merge) = &status.merge {
        let log = status.merge_log.as_deref().map_or_else(String::new, log);
        _ = writeln!(text, "  merge: {merge}{log}");
    }
    if let Some(why) = &status.queue {
        _ = writeln!(text, "  the queue is not known: {why}");
    }
    if !status.arms.is_empty() {
        text.push_str(&arms(status, width));
    }
    let next = match status.verdict {
        Verdict::Complete => "Complete",
        Verdict::Underway => "Underway",
        // Whether its tasks run is only known on the machine that runs them.
        Verdict::Stopped if status.engine != Engine::Slurm && !status.is_all_done() => {
            "Next, if no task runs any more"
        }
        Verdict::Stopped => "Next",
    };
    _ = writeln!(text, "{next}: {}", status.next);
    if let Some(then) = &status.then {
        let left = [ShardState::Failed, ShardState::Missing].map(|state| status.set(state));
        let left: Vec<String> =
            left.iter().map(ToString::to_string).filter(|set| !set.is_empty()).collect();
        _ = writeln!(text, "Shards {} ended without all of their trials.", left.join(","));
        _ = writeln!(text, "When the tasks in the queue have ended: {then}");
    }
    text
}

/// Returns a line such as "onemax: round 2: 4 shards: 3 done, 1 failed; 600 of 800 trials", or
/// "tuning: iteration-2: 4 shards: 4 running; 600 trials".
fn first_line(status: &Status) -> String {
    let states: Vec<String> = ShardState::ALL
        .iter()
        .filter(|state| status.count(**state) > 0)
        .map(|state| format!("{} {}", count(status.count(*state) as u64), state.as_str()))
        .collect();
    let round = status.round.filter(|_| status.verdict != Verdict::Complete);
    let stage = round.map(|round| format!("round {round}")).or_else(|| status.stage.clone());
    let most = if status.round.is_some() { "at most " } else { "" };
    format!(
        "{}: {}{}: {}; {}{}",
        status.experiment,
        stage.map_or_else(String::new, |stage| format!("{stage}: ")),
        counted(status.shards.len() as u64, "shard"),
        states.join(", "),
        count(status.trials),
        match status.of {
            Some(of) => format!(" of {most}{} trials", count(of)),
            None => " trials".to_owned(),
        }
    )
}

/// Returns a line such as "shard 2: failed (TIMEOUT), 40 of 200 trials; log: …".
fn shard_line(shard: &ShardStatus) -> String {
    let reason = shard.reason.as_ref().map_or_else(String::new, |words| format!(" ({words})"));
    let trials = shard.trials.zip(shard.of).map_or_else(String::new, |(trials, of)| {
        format!(", {} of {} trials", count(trials), count(of))
    });
    format!(
        "shard {}: {}{reason}{trials}{}",
        shard.shard,
        shard.state.as_str(),
        shard.log.as_deref().map_or_else(String::new, log)
    )
}

/// Returns a text such as "; log: results/x.submission/logs/x-7_2.log", relative to the working
/// directory.
fn log(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    format!("; log: {}", path.strip_prefix(&here).unwrap_or(path).display())
}

fn arms(status: &Status, width: u16) -> String {
    let arms = &status.arms;
    let shown = &arms[..arms.len().min(ARMS)];
    let cells = |cell: &dyn Fn(&ArmStatus) -> String| {
        shown.iter().map(|arm| Cell::Whole(cell(arm))).collect::<Vec<_>>()
    };
    let shown_rate = |arm: &ArmStatus| arm.success_rate.map_or(NOTHING.to_owned(), rate);
    let interval = |arm: &ArmStatus| match (arm.success_low, arm.success_high) {
        (Some(low), Some(high)) => ends(&rate(low), &rate(high)),
        _ => String::new(),
    };
    let of = if status.round.is_some() { "at most" } else { "of" };
    let mut columns = vec![
        Column::name("arm", cells(&|arm| visible_line(&arm.arm).into_owned())),
        Column::figure("trials", cells(&|arm| count(arm.trials))),
        Column::figure(of, cells(&|arm| count(arm.of))),
    ];
    if arms.iter().any(|arm| arm.failures > 0) {
        columns.push(Column::figure("failed", cells(&|arm| count(arm.failures))));
    }
    let intervals = shown.iter().map(interval).collect();
    columns.push(Column::figure("success\nrate", cells(&shown_rate)).intervals(
        status.interval.clone(),
        intervals,
        1,
    ));
    let mut text = fitted(&[Report::new(columns)], usize::from(width), "--json");
    if arms.len() > ARMS {
        _ = writeln!(text, "The first {ARMS} of {} arms.", count(arms.len() as u64));
    }
    text
}
