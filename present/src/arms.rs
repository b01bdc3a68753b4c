//! Arms as subjects of rows: a column for the operator set, and one per swept key in which they
//! differ.

use super::report::{Cell, Column, NOTHING};
use crate::lists::distinct;
use crate::plan::swept_text;
use crate::problem::parameter::Value;
use crate::system::output::visible_line;

/// Name of an arm in a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArmName<'a> {
    /// Name of the operator set.
    pub operators: &'a str,
    /// Swept keys with the arm's values.
    pub swept: &'a [(String, Value)],
}

/// Name of the arm of another run that has the same name.
const OTHER_RUN: &str = "the other run";

impl ArmName<'_> {
    fn value(&self, key: &str) -> Option<&Value> {
        self.swept.iter().find(|(own, _)| own == key).map(|(_, value)| value)
    }
}

/// Returns the columns, for rows of one arm each, or of two arms below each other.
pub fn arm_columns(heading: &str, rows: &[Vec<ArmName<'_>>]) -> Vec<Column> {
    let arms = || rows.iter().flatten();
    let differs = |key: &&String| {
        arms().any(|arm| Some(arm.value(key)) != arms().next().map(|one| one.value(key)))
    };
    let keys = distinct(arms().flat_map(|arm| arm.swept).map(|(key, _)| key));
    let keys: Vec<String> = keys.into_iter().filter(differs).cloned().collect();
    let column = |text: &dyn Fn(&ArmName<'_>) -> String, again: &str| -> Vec<Cell> {
        let cell = |row: &Vec<ArmName<'_>>| match row.as_slice() {
            [first, second] if first == second => Cell::Parts(vec![text(first), again.to_owned()]),
            arms => Cell::Parts(arms.iter().map(text).collect()),
        };
        rows.iter().map(cell).collect()
    };
    let name = |arm: &ArmName<'_>| visible_line(arm.operators).into_owned();
    let mut columns = vec![Column::name(heading, column(&name, OTHER_RUN))];
    columns.extend(keys.iter().map(|key| {
        let value = |arm: &ArmName<'_>| {
            let value = arm.value(key).map(swept_text);
            value.map_or(NOTHING.to_owned(), |value| visible_line(&value).into_owned())
        };
        Column::setting(short_key(key, &keys), column(&value, ""))
    }));
    columns
}

/// Returns a swept key's last part. If two keys have the same last part, returns all parts except
/// the first.
pub(crate) fn short_key(key: &str, all: &[String]) -> String {
    let last = |key: &str| key.rsplit('.').next().unwrap_or_default().to_owned();
    let alike = all.iter().filter(|other| last(other) == last(key)).count() > 1;
    if alike {
        key.split_once('.').map_or(key, |(_, rest)| rest).replace('.', "\n")
    } else {
        last(key)
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::{Report, fitted};
    use super::*;

    fn swept(values: &[(&str, i64)]) -> Vec<(String, Value)> {
        values.iter().map(|(key, value)| ((*key).to_owned(), Value::Integer(*value))).collect()
    }

    #[test]
    fn keys_in_which_no_two_arms_differ_have_no_column() {
        let (one, two) = (
            swept(&[("problem.n", 8), ("stop.generations", 50)]),
            swept(&[("problem.n", 12), ("stop.generations", 50)]),
        );
        let arm = |operators, swept| ArmName { operators, swept };
        let rows = [
            vec![arm("an \u{1b}[2J set", &one), arm("random-search", &[])],
            vec![arm("ga", &two), arm("ga", &two)],
        ];
        let columns = arm_columns("arm\n  against", &rows);
        insta::assert_snapshot!(fitted(&[Report { columns, between: "against" }], 80, ""));
        let alone = [vec![arm("ga", &one)], vec![arm("ga", &two)]];
        let columns = arm_columns("arm", &alone);
        insta::assert_snapshot!(fitted(&[Report::new(columns)], 80, ""));
    }
}
