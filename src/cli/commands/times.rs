//! `runner show --times`: prints the running times of trials, and the machines.

use super::output::put;
use super::sorting::{chosen, cut};
use crate::cli::Failure;
use crate::cli::arguments::ShowArguments;
use crate::present::report::{TableFormat, fitted, paragraph};
use crate::present::terminal;
use crate::present::times::{TimesRow, times_report};
use crate::results::{Provenance, Results, times as read_times};

/// Prints the times of all experiments.
pub(super) fn times(all: &[Results], arguments: &ShowArguments) -> Result<(), Failure> {
    let (mut rows, mut machines) = (Vec::new(), Vec::new());
    for results in all {
        let own = Provenance::read(results.folder())?.machines();
        for machine in &own {
            if !machines.contains(machine) {
                machines.push(machine.clone());
            }
        }
        let arms = results.arms().iter().zip(read_times(results)?);
        rows.extend(arms.map(|(arm, times)| TimesRow {
            experiment: results.experiment().to_owned(),
            arm: arm.clone(),
            swept: arm.swept_with(results.swept_keys()),
            times,
            machine: own.join("; "),
        }));
    }
    let report = times_report(&rows);
    let shown = chosen(&report, &arguments.sort)?;
    let format = match arguments {
        ShowArguments { csv: true, .. } => Some(TableFormat::Csv),
        ShowArguments { json: true, .. } => Some(TableFormat::Json),
        _ => None,
    };
    match format {
        Some(format) => crate::system::output::put_exactly(&shown.text(format)),
        None => {
            let width = usize::from(terminal::width());
            let words = [words(&rows, &machines), cut(shown.rows(), rows.len())].join(" ");
            put(&fitted(&[shown], width, "--csv"));
            put(&paragraph(words.trim_end(), width));
        }
    }
    Ok(())
}

/// Returns the caption of the table, with the machine.
fn words(rows: &[TimesRow], machines: &[String]) -> String {
    let machine = match machines {
        [] => "a machine that run.toml does not name".to_owned(),
        [one] => one.clone(),
        several => format!("several machines: {}", several.join("; ")),
    };
    let missing = match rows.iter().filter(|row| row.times.per_trial.is_none()).count() {
        0 => "",
        _ => " Arms without times have no rows in timings.parquet.",
    };
    format!(
        "Medians with quartiles. On {machine}. Times depend on the machine and on \
        what else it did; failed trials are left out.{missing}"
    )
}
