//! Rules: what the cells of a row must hold.

use super::ImportError;
use super::arms::{ImportedTrial, Imports};
use super::mapping::Mapping;
use super::source::Table;
use crate::problem::parameter::Value;

/// Returns the trials of all rows.
///
/// # Errors
/// Returns every cell that breaks a rule, with its place, its column, its value, the rule and a way
/// out.
pub(super) fn trials(table: &Table, mapping: &Mapping) -> Result<Imports, ImportError> {
    let (mut faults, mut trials) = (Vec::new(), Vec::new());
    for (row, cells) in table.rows.iter().enumerate() {
        let mut reading = Reading { table, row, cells, faults: &mut faults };
        trials.extend(reading.trial(mapping));
    }
    if !faults.is_empty() {
        return Err(ImportError::Faults(faults));
    }
    let keys = mapping.swept.iter().map(|(key, _)| key.clone()).collect();
    let rows = table.rows.len() as u64;
    let defines_success = mapping.success.is_some() || mapping.target.is_some();
    Ok(Imports { trials, keys, rows, map: mapping.words.clone(), defines_success })
}

/// Greatest number of a trial.
const MOST_TRIAL: u64 = 1_000_000_000_000_000;

/// A row that is being read.
struct Reading<'a> {
    table: &'a Table,
    row: usize,
    cells: &'a [String],
    faults: &'a mut Vec<String>,
}

impl Reading<'_> {
    fn trial(&mut self, mapping: &Mapping) -> Option<ImportedTrial> {
        let before = self.faults.len();
        let fitness = mapping.fitness.and_then(|column| self.number(column));
        let success = match (mapping.success, mapping.target) {
            (Some(column), target) => self.truth(column).inspect(|success| {
                let reached = fitness.zip(target).map(|(fitness, target)| fitness <= target);
                if reached.is_some_and(|reached| reached != *success) {
                    let at = if *success { "is above" } else { "reaches" };
                    let rule = format!("the fitness {at} the target of --target");
                    self.fault(column, &rule, "leave out --target, or mend the row");
                }
            }),
            (None, target) => fitness.map(|fitness| target.is_some_and(|target| fitness <= target)),
        };
        let evaluations =
            mapping.evaluations.and_then(|column| self.count(column, 1, "evaluations"));
        let trial = mapping.trial.and_then(|column| self.trial_number(column));
        let seed = mapping.seed.and_then(|column| self.count(column, 0, "the seed"));
        let text = |column: usize| self.cells[column].clone();
        let arm = mapping.arm.iter().map(|column| text(*column)).collect::<Vec<_>>().join(" ");
        let problem = mapping.problem.map(text);
        let best = mapping.best.map(text).filter(|text| !text.is_empty());
        let swept = mapping.swept.iter().map(|(_, column)| value(&self.cells[*column])).collect();
        if !mapping.arm.is_empty() && arm.trim().is_empty() {
            self.fault(mapping.arm[0], "an arm must have a name", "name it");
        }
        let Some(success) = success else {
            if self.faults.len() == before {
                let column = mapping.fitness.unwrap_or_default();
                let rule = "without a value nothing is known of the trial";
                self.fault(column, rule, "fill it in, or map `success`");
            }
            return None;
        };
        (self.faults.len() == before).then(|| ImportedTrial {
            arm: if arm.is_empty() { None } else { Some(arm) },
            problem,
            swept,
            trial,
            seed: seed.unwrap_or(0),
            success,
            to_success: evaluations.filter(|_| success),
            evaluations,
            fitness,
            dimension: None,
            target: mapping.target,
            best,
            place: self.table.place(self.row),
        })
    }

    fn fault(&mut self, column: usize, rule: &str, way_out: &str) {
        self.faults.push(format!(
            "{}: column `{}` is `{}`: {rule}; {way_out}",
            self.table.place(self.row),
            self.table.columns[column],
            self.cells[column]
        ));
    }

    fn truth(&mut self, column: usize) -> Option<bool> {
        let found = match self.cells[column].to_lowercase().as_str() {
            "1" | "true" | "1.0" => Some(true),
            "0" | "false" | "0.0" => Some(false),
            _ => None,
        };
        if found.is_none() {
            let rule = "success must be 0, 1, true or false";
            self.fault(column, rule, "mend it, or map another column: --map success=COLUMN");
        }
        found
    }

    fn trial_number(&mut self, column: usize) -> Option<u64> {
        let number = self.count(column, 0, "the trial's number")?;
        if number > MOST_TRIAL {
            let rule = format!("the trial's number must be at most {MOST_TRIAL}");
            self.fault(column, &rule, "number the trials of each arm from 0, or do not map them");
            return None;
        }
        Some(number)
    }

    /// Returns a whole number. It may be written in floating point, such as 1500.0.
    fn count(&mut self, column: usize, least: u64, what: &str) -> Option<u64> {
        let text = self.cells[column].as_str();
        let real = || {
            let number: f64 = text.parse().ok()?;
            let whole = number.fract() == 0.0 && (0.0..9e15).contains(&number);
            whole.then_some(number as u64)
        };
        let found = text.parse::<u64>().ok().or_else(real).filter(|number| *number >= least);
        if found.is_none() {
            let rule = format!("{what} must be a whole number of at least {least}");
            self.fault(column, &rule, "mend it");
        }
        found
    }

    /// Returns `None` if there is no value.
    fn number(&mut self, column: usize) -> Option<f64> {
        let text = self.cells[column].as_str();
        if text.is_empty() {
            return None;
        }
        let found = text.parse::<f64>().ok().filter(|number| number.is_finite());
        if found.is_none() {
            let rule = "fitness must be a finite number, the less the better, or empty";
            self.fault(column, rule, "mend it");
        }
        found
    }
}

/// Returns a swept value: a number or a truth value if the text is one. A text of which a number
/// would lose something, such as 0101, stays a text.
pub(super) fn value(text: &str) -> Option<Value> {
    if text.is_empty() {
        return None;
    }
    let truth = || text.to_lowercase().parse().ok().map(Value::Boolean);
    let found = number(text).or_else(truth);
    Some(found.unwrap_or_else(|| Value::Text(text.to_owned().into())))
}

/// Returns the number that a text is. A whole one is an integer, however it is written: 8, 8.0 and
/// 0.8e1 are one value.
fn number(text: &str) -> Option<Value> {
    /// All integers up to this one are exact as real numbers.
    const EXACT: f64 = (1_u64 << 53) as f64;
    if let Some(integer) = text.parse::<i64>().ok().filter(|number| number.to_string() == text) {
        return Some(Value::Integer(integer));
    }
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    let digits = || mantissa.chars().filter(char::is_ascii_digit);
    if digits().count() == text.chars().count() - usize::from(text.starts_with(['+', '-'])) {
        return None;
    }
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite())?;
    // The shortest digits that parse to the number are those of the text.
    let own: String = digits().collect();
    let shown = format!("{number:e}");
    let shown: String = shown.split('e').next()?.chars().filter(char::is_ascii_digit).collect();
    let significant = |digits: &str| digits.trim_matches('0').to_owned();
    if significant(&own) != significant(&shown) {
        return None;
    }
    match number.fract() == 0.0 && number.abs() < EXACT {
        true => Some(Value::Integer(number as i64)),
        false => Some(Value::Real(number)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_the_type_that_their_text_has() {
        for whole in ["8", "8.0", "0.8e1", "8e0"] {
            assert_eq!(value(whole), Some(Value::Integer(8)), "{whole}");
        }
        for text in [
            "0101",
            "+8",
            "-08",
            "18446744073709551615",
            "0.12345678901234567890",
            "0.99999999999999999999",
            "9007199254740993.0",
        ] {
            assert_eq!(value(text), Some(Value::Text(text.to_owned().into())));
        }
        assert_eq!(value("-7"), Some(Value::Integer(-7)));
        assert_eq!(value("0.1234567890123456"), Some(Value::Real(0.123_456_789_012_345_6)));
        let found = ["8", "0.5", "True", "rank", ""].map(value);
        assert_eq!(
            found,
            [
                Some(Value::Integer(8)),
                Some(Value::Real(0.5)),
                Some(Value::Boolean(true)),
                Some(Value::Text("rank".into())),
                None
            ]
        );
    }
}
