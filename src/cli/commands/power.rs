//! `runner power`: calculates the number of trials that a comparison needs, before any is run.

use super::output::{line, put};
use crate::cli::Failure;
use crate::cli::arguments::PowerArguments;
use crate::exit::Exit;
use crate::present::format::real;
use crate::present::report::paragraph;
use crate::present::terminal::width;
use crate::stats::{SampleSize, plan_pairs, plan_trials};
use crate::words::count;

pub(super) fn power(arguments: &PowerArguments) -> Result<Exit, Failure> {
    let SampleSize { trials, power } = plan(arguments)?;
    let trials = trials as u64;
    line!("{} trials per arm (repeats = {trials})", count(trials));
    let among = match arguments.comparisons.get() {
        1 => String::new(),
        several => format!(
            ", as one of {} comparisons whose p-values are adjusted together (Holm),",
            count(several)
        ),
    };
    let test =
        if arguments.discordant.is_some() { "McNemar's exact test" } else { "Fisher's exact test" };
    let (p, q) = rates(arguments)?;
    let words = format!(
        "With rates of {p} and {q}, {test}{among} at a level of {} then finds the difference with \
        a probability of {}.",
        arguments.level,
        match power {
            Some(power) => format!("{power:.4} (exact)"),
            None => format!(
                "about {} (normal approximation, corrected for continuity)",
                arguments.power
            ),
        }
    );
    put(&paragraph(&words, width().into()));
    Ok(Exit::Done)
}

/// Returns the two success rates that the comparison should distinguish.
fn rates(arguments: &PowerArguments) -> Result<(f64, f64), Failure> {
    let [p, q] = arguments.detect.as_slice() else {
        return Err(Failure::usage("--detect: give two success rates, such as 0.6 0.7"));
    };
    if !(0.0..=1.0).contains(p) || !(0.0..=1.0).contains(q) || p == q {
        return Err(Failure::usage(format!(
            "--detect {p} {q}: these must be two different success rates from 0 to 1, such as 0.6 \
            0.7"
        )));
    }
    Ok((*p, *q))
}

/// More trials than any experiment has.
const MOST_TRIALS: f64 = 1e15;

/// Returns the number of trials per arm.
fn plan(arguments: &PowerArguments) -> Result<SampleSize, Failure> {
    let ((p, q), power, level) = (rates(arguments)?, arguments.power, arguments.level);
    let within = |value: f64| value > 0.0 && value < 1.0;
    if !within(power) || !within(level) {
        return Err(Failure::usage(format!(
            "--power {power} --level {level}: each must be between 0 and 1, such as 0.9 and 0.05"
        )));
    }
    let each = level / arguments.comparisons.get() as f64;
    let trials = match arguments.discordant {
        None => plan_trials(p, q, each, power),
        Some(share) => {
            let gap = discordant_gap((p, q), share)?;
            plan_pairs(0.5 * (share + gap), 0.5 * (share - gap), each, power)
        }
    };
    trials.filter(|size| size.trials <= MOST_TRIALS).ok_or_else(|| {
        Failure::usage(format!(
            "--detect {p} {q}: no number of trials that can be run tells these rates apart"
        ))
    })
}

/// Returns the difference between the two shares of pairs in which only one of the trials succeeds.
/// It is the difference of the rates.
fn discordant_gap((p, q): (f64, f64), share: f64) -> Result<f64, Failure> {
    let (gap, most) = ((p - q).abs(), (p + q).min(2.0 - p - q));
    // Decimal rates are not exact: 0.8 - 0.5 is more than 0.3.
    const SLACK: f64 = 1e-9;
    if (gap - SLACK..=most + SLACK).contains(&share) {
        return Ok(gap.min(share));
    }
    Err(Failure::usage(format!(
        "--discordant {share}: with rates of {p} and {q}, the share of pairs in which exactly one \
        trial succeeds is between {} and {}",
        real(gap),
        real(most)
    )))
}
