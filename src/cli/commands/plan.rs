//! `runner plan`: how many trials a question takes, before any is run.

use super::output::line;
use crate::cli::{Failure, PlanArguments};
use crate::exit::Exit;
use crate::present::format::{count, real};
use crate::stats::{pairs_to_tell, trials_to_tell};

pub fn plan(arguments: &PlanArguments) -> Result<Exit, Failure> {
    let (power, level) = (arguments.power, arguments.level);
    let [p, q] = arguments.detect.as_slice() else {
        return Err(Failure::usage("--detect: give two success rates, such as 0.6 0.7"));
    };
    let within = |value: f64| value > 0.0 && value < 1.0;
    if !(0.0..=1.0).contains(p) || !(0.0..=1.0).contains(q) || p == q {
        return Err(Failure::usage(format!(
            "--detect {p} {q}: these must be two different success rates from 0 to 1, such as 0.6 \
            0.7"
        )));
    }
    if !within(power) || !within(level) {
        return Err(Failure::usage(format!(
            "--power {power} --level {level}: each must be between 0 and 1, such as 0.9 and 0.05"
        )));
    }
    let each = level / arguments.comparisons.get() as f64;
    let trials = match arguments.discordant {
        None => trials_to_tell(*p, *q, each, power),
        Some(share) => {
            // The one alone succeeds in more pairs than the other, by the difference of the rates;
            // no more can differ than the rates allow.
            let (gap, most) = ((p - q).abs(), (p + q).min(2.0 - p - q));
            if !(gap..=most).contains(&share) {
                return Err(Failure::usage(format!(
                    "--discordant {share}: with rates of {p} and {q}, the share of pairs in which \
                    exactly one trial succeeds is between {} and {}",
                    real(gap),
                    real(most)
                )));
            }
            pairs_to_tell(0.5 * (share + gap), 0.5 * (share - gap), each, power)
        }
    };
    let trials = trials.ok_or_else(|| {
        Failure::usage(format!("--detect {p} {q}: no number of trials tells these rates apart"))
    })?;
    line!("{} trials per arm (repeats = {})", count(trials as u64), trials as u64);
    let among = match arguments.comparisons.get() {
        1 => String::new(),
        several => {
            format!(
                ", as one of {} comparisons whose p-values are adjusted together (Holm),",
                count(several)
            )
        }
    };
    let test =
        if arguments.discordant.is_some() { "McNemar's exact test" } else { "Fisher's exact test" };
    line!(
        "With rates of {p} and {q}, {test}{among} at a level of {level} then finds the difference \
        with a probability of about {power} (normal approximation, corrected for continuity)."
    );
    Ok(Exit::Done)
}
