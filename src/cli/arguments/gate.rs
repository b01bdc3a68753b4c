//! Arguments of `runner gate`.

use super::{ArmArguments, values};
use crate::analysis::{Condition, Figure, Operator};
use crate::results::schema::columns::Table;
use crate::words::nearest;
use clap::{Args, ValueHint};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct GateArguments {
    /// Folder of an experiment
    #[arg(value_name = "FOLDER", value_hint = ValueHint::DirPath, value_parser = values::results())]
    pub folder: PathBuf,
    /// Condition on a figure, such as "success_rate >= 0.9": with >=, >, <= or <, of success_rate,
    /// ert, evaluations_to_success_median or best_fitness_median (repeatable: then all must hold)
    #[arg(
        long = "at-least",
        value_name = "CONDITION",
        required = true,
        value_parser = condition
    )]
    pub conditions: Vec<Condition>,
    /// Level of the intervals
    #[arg(long, value_name = "LEVEL", default_value = "0.95", value_parser = confidence)]
    pub confidence: f64,
    #[command(flatten)]
    pub arms: ArmArguments,
    /// A JSON array with an object for each arm and condition
    #[arg(long)]
    pub json: bool,
}

/// Parses the level of an interval. The bootstrap of an ERT needs more resamples for a higher one.
fn confidence(text: &str) -> Result<f64, String> {
    let level = text.parse().ok().filter(|level| (0.5..=0.999).contains(level));
    level.ok_or_else(|| "it must be a number from 0.5 to 0.999, such as 0.95".to_owned())
}

fn condition(text: &str) -> Result<Condition, String> {
    let names = Figure::ALL.map(Figure::as_str);
    let usable = format!("figures with an interval are {}", names.join(", "));
    let Some((name, rest)) = text.find(['<', '>']).map(|place| text.split_at(place)) else {
        return Err(format!(
            "it must be a figure, one of >=, >, <= and <, and a number, such as \"success_rate >= \
            0.9\"; {usable}"
        ));
    };
    let name = name.trim();
    let Some(figure) = Figure::parse(name) else {
        let columns = Table::Summary.columns();
        return Err(match nearest(name, names) {
            _ if columns.iter().any(|column| column.name == name) => {
                format!("`{name}` is a column without an interval, which decides here; {usable}")
            }
            Some(near) => format!("there is no figure `{name}`; did you mean `{near}`? {usable}"),
            None => format!("there is no figure `{name}`; {usable}"),
        });
    };
    let split = |operator: Operator| Some((operator, rest.strip_prefix(operator.as_str())?.trim()));
    let (operator, number) =
        Operator::ALL.into_iter().find_map(split).expect("it begins with < or >");
    let Some(limit) = number.parse().ok().filter(|limit: &f64| limit.is_finite()) else {
        return Err(format!("`{number}` is no number; write the limit as one, such as 0.9"));
    };
    if figure == Figure::SuccessRate && !(0.0..=1.0).contains(&limit) {
        return Err(format!("a rate is from 0 to 1, not {limit}; write 90 % as 0.9"));
    }
    Ok(Condition { figure, operator, limit })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read_with_and_without_spaces() {
        let read = |text: &str| condition(text).map(|condition| condition.to_string());
        for (text, meant) in [
            ("success_rate >= 0.9", "success_rate >= 0.9"),
            ("success_rate>0.90", "success_rate > 0.9"),
            (" ert<= 1e3 ", "ert <= 1000"),
            ("best_fitness_median <-2.5", "best_fitness_median < -2.5"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(meant));
        }
        for (text, words) in [
            ("success_rate = 1", "it must be a figure, one of >=, >, <= and <, and a number"),
            ("sucess_rate >= 1", "did you mean `success_rate`?"),
            ("evaluations_total < 9", "is a column without an interval"),
            ("zebra < 9", "there is no figure `zebra`; figures with an interval are success_rate"),
            ("ert <= many", "`many` is no number"),
            ("ert =< 5", "there is no figure `ert =`"),
            ("ert <= inf", "`inf` is no number"),
            ("ert >< 5", "`< 5` is no number"),
            ("success_rate >= 90", "a rate is from 0 to 1, not 90"),
        ] {
            let told = read(text).expect_err(text);
            assert!(told.contains(words), "{text}: {told}");
        }
        assert_eq!(confidence("0.99"), Ok(0.99));
        assert!(["1", "0", "95", "NaN", "x"].iter().all(|wrong| confidence(wrong).is_err()));
    }
}
