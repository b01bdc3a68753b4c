//! `runner plan`: how many trials a question takes, before any is run.

use super::output::line;
use crate::cli::PlanArguments;
use crate::comparison::trials_to_tell;
use crate::exit::Exit;
use crate::report::count;

pub fn plan(arguments: &PlanArguments) -> Exit {
    let (rates, power, level) = (&arguments.detect, arguments.power, arguments.level);
    let (Some(p), Some(q)) = (rates.first(), rates.get(1)) else { return Exit::Usage };
    let within = |value: f64| value > 0.0 && value < 1.0;
    if !(0.0..=1.0).contains(p) || !(0.0..=1.0).contains(q) || p == q {
        message!("error: --detect {p} {q}: these must be two different success rates from 0 to 1, such as 0.6 0.7");
        return Exit::Usage;
    }
    if !within(power) || !within(level) {
        message!("error: --power {power} --level {level}: each must be between 0 and 1, such as 0.9 and 0.05");
        return Exit::Usage;
    }
    let Some(trials) = trials_to_tell(*p, *q, level, power) else { return Exit::Usage };
    line!("{} trials an arm (repeats = {})", count(trials as u64), trials as u64);
    line!(
        "With rates of {p} and {q}, a two-sided test of level {level} then finds the difference with probability {power} (normal \
         approximation, corrected for continuity)."
    );
    Exit::Done
}
