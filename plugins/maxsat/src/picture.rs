//! Assignments for the eye. Variables have the numbers of files, from 1.

use crate::formula::Formula;
use runner_plugin::Format;
use runner_plugin::data::Svg;

/// Maximum number of clauses in a picture.
pub(crate) const MOST_DRAWN: usize = 20_000;
/// Squares in a row of a picture, and their side.
const PER_ROW: usize = 50;
const SQUARE: usize = 8;

pub(crate) fn render(formula: &Formula, values: &[u8], format: Format) -> String {
    match format {
        Format::Line => values.iter().map(ToString::to_string).collect(),
        Format::Board => {
            let mut text = format!("{}\n", counted(formula, values));
            for row in values.chunks(64) {
                text.extend(row.iter().map(|value| if *value == 0 { '0' } else { '1' }));
                text.push('\n');
            }
            text
        }
        Format::Svg => svg(formula, values),
    }
}

/// Returns how many clauses are satisfied, in words.
fn counted(formula: &Formula, values: &[u8]) -> String {
    let holds = |clause: &usize| formula.satisfied(*clause, values) > 0;
    let satisfied = (0..formula.clauses()).filter(holds).count();
    let weight = formula.unsatisfied(values);
    format!("{satisfied} of {} clauses satisfied, unsatisfied weight {weight}", formula.clauses())
}

/// Draws a square per clause: the darker, the more of its literals hold; red if none does.
fn svg(formula: &Formula, values: &[u8]) -> String {
    let rows = formula.clauses().div_ceil(PER_ROW).max(1);
    let (width, height) = (SQUARE * PER_ROW, SQUARE * rows);
    let mut svg = Svg::new(width, height, &counted(formula, values));
    for clause in 0..formula.clauses() {
        let (x, y) = (SQUARE * (clause % PER_ROW), SQUARE * (clause / PER_ROW));
        let color = match formula.satisfied(clause, values) {
            // A clause without weight always holds.
            0 if formula.weight(clause) == 0 => "#eeeeee",
            0 => "#c00000",
            1 => "#b8cce4",
            2 => "#7fa3cf",
            _ => "#3060a0",
        };
        svg.put(format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\" fill=\"{color}\"/>",
            SQUARE - 1,
            SQUARE - 1
        ));
    }
    svg.end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_plugin::data::InstanceRng;

    #[test]
    fn every_format_tells_what_is_unsatisfied() {
        let formula = Formula::random([6, 30, 3], false, &mut InstanceRng::new(1));
        let values = [0, 1, 0, 1, 1, 0];
        assert_eq!(render(&formula, &values, Format::Line), "010110");
        let failed = formula.unsatisfied(&values) as usize;
        let board = render(&formula, &values, Format::Board);
        let words = format!("{} of 30 clauses satisfied", 30 - failed);
        assert!(board.starts_with(&words) && board.ends_with("\n010110\n"), "{board}");
        let drawn = render(&formula, &values, Format::Svg);
        assert_eq!(drawn.matches("#c00000").count(), failed);
        assert_eq!(drawn.matches("<rect").count(), 31);
    }
}
