//! Differences between a trial in a table and the same trial run again.

use crate::problem::Genome;
use crate::record::TrialRecord;
use std::fmt;

/// One thing that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// A figure of the record, in the table and now.
    Figure {
        /// The column's name.
        name: &'static str,
        /// Value in the table.
        then: String,
        /// Value now.
        now: String,
    },
    /// The best genome, its text, or the error.
    Other,
    /// The trial ran to its end then, and not now.
    Unfinished,
}

impl fmt::Display for Difference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::Figure { name, then, now } => {
                write!(out, "{name} {then} in the table, {now} now")
            }
            Difference::Other => out.write_str("a different best genome, text or error"),
            Difference::Unfinished => out.write_str("it did not finish this time"),
        }
    }
}

/// Returns the differences between a table's record and the record of the same trial run again;
/// empty if the two are equal. Timings and traces are not compared.
#[must_use]
pub fn differences(table: &TrialRecord, again: &TrialRecord) -> Vec<Difference> {
    let (mut table, mut again) = (comparable(table, 0), comparable(again, 0));
    // The words of an error may depend on the process or the machine.
    if table.outcome.is_failure() && again.outcome.is_failure() {
        (table.error, again.error) = (None, None);
    }
    // Of a trial that ran before they were counted, the table says nothing.
    again.evaluations_after_best.take_if(|_| table.evaluations_after_best.is_none());
    let figures = |record: &TrialRecord| {
        [
            ("seed", record.seed.to_string()),
            ("outcome", record.outcome.to_string()),
            ("success", record.success.to_string()),
            ("validity", text(record.valid)),
            ("best fitness", text(record.best_fitness)),
            ("best violation", text(record.best_violation)),
            ("standard error of the best fitness", text(record.best_error)),
            ("evaluations", record.evaluations.to_string()),
            ("evaluations saved", text(record.evaluations_saved)),
            ("generations", record.generations.to_string()),
            ("to success", text(record.evaluations_to_success)),
            ("after best", text(record.evaluations_after_best)),
        ]
    };
    let pairs = figures(&table).into_iter().zip(figures(&again));
    let mut differences: Vec<Difference> = pairs
        .filter(|((_, then), (_, now))| then != now)
        .map(|((name, then), (_, now))| Difference::Figure { name, then, now })
        .collect();
    if let Some(error) = again.error.as_ref().filter(|_| table.error.is_none()) {
        let (then, now) = ("none".to_owned(), error.clone());
        differences.push(Difference::Figure { name: "error", then, now });
    }
    if differences.is_empty() && table != again {
        differences.push(Difference::Other);
    }
    differences
}

/// Returns a number in all of its digits.
fn text<T: ToString>(number: Option<T>) -> String {
    number.map_or_else(|| "none".to_owned(), |number| number.to_string())
}

/// Returns a record as its table gives it back, of this arm: without timing and trace, genes as
/// numbers.
pub(super) fn comparable(record: &TrialRecord, arm: usize) -> TrialRecord {
    let best = record.best.as_ref().map(|genome| Genome::F64(genome.numbers()));
    TrialRecord { arm, best, ..record.clone().without_trace() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Timing, TrialId};

    #[test]
    fn numbers_are_shown_as_numbers() {
        let lost = TrialRecord::lost(crate::record::Outcome::Evaluations, String::new());
        let of = |best_fitness: Option<f64>| {
            let result = TrialRecord { best_fitness, error: None, ..lost.clone() };
            result.with_id(TrialId { arm: 0, trial: 0, seed: 0 }, Timing::default())
        };
        let told = differences(&of(Some(4.225_7)), &of(None));
        let told: Vec<String> = told.iter().map(ToString::to_string).collect();
        assert_eq!(told, ["best fitness 4.2257 in the table, none now"]);
    }
}
