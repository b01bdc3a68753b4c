//! Tables for papers: LaTeX with the rules of booktabs.

use super::grid::{Grid, Kind, in_step, paragraph};
use crate::present::data_table::latex_text;
use crate::system::output::visible;

/// Characters of a line of comments.
const COMMENT: usize = 96;

/// The table; what is best is bold. `notes` stand above it as comments.
#[must_use]
pub(crate) fn latex(grid: &Grid, notes: &str) -> String {
    let mut text = "% Needs \\usepackage{booktabs}.\n".to_owned();
    for line in paragraph(notes, COMMENT).lines().filter(|line| !line.is_empty()) {
        text.push_str(&format!("% {line}\n"));
    }
    let kind = |kind: Kind| if matches!(kind, Kind::Name | Kind::Text) { 'l' } else { 'r' };
    let kinds: String = grid.columns.iter().map(|column| kind(column.kind)).collect();
    text.push_str(&format!("\\begin{{tabular}}{{@{{}}{kinds}@{{}}}}\n  \\toprule\n"));
    let headings = grid.columns.iter().map(|column| heading(&column.heading)).collect::<Vec<_>>();
    text.push_str(&lines(&headings));
    text.push_str("  \\midrule\n");
    let columns: Vec<_> = grid.columns.iter().collect();
    let several = |row: usize| grid.columns.iter().any(|column| column.texts(row).len() > 1);
    for row in 0..grid.rows() {
        let cells = columns.iter().map(|column| {
            let parts = column.texts(row).into_iter().enumerate();
            let part = |(place, (indent, words)): (usize, (&str, &str))| -> Vec<String> {
                let best = column.best.get(row).copied().flatten() == Some(place);
                let words = if column.kind == Kind::Text {
                    words.replacen(": ", ":\n", 1)
                } else {
                    words.to_owned()
                };
                let line = |(number, line): (usize, &str)| match latex_text(line) {
                    text if number > 0 => text,
                    text => {
                        let quad = if indent.is_empty() { "" } else { "\\quad " };
                        let text = if best { format!("\\textbf{{{text}}}") } else { text };
                        format!("{quad}{text}")
                    }
                };
                words.lines().enumerate().map(line).collect()
            };
            parts.map(part).collect()
        });
        text.push_str(&lines(&in_step(&columns, row, cells.collect())));
        if row + 1 < grid.rows() && several(row) {
            text.push_str("  \\addlinespace\n");
        }
    }
    text.push_str("  \\bottomrule\n\\end{tabular}\n");
    visible(&text).into_owned()
}

/// The lines of a heading: the first begins with a capital, unless it is a single letter.
fn heading(heading: &str) -> Vec<String> {
    let line = |(number, line): (usize, &str)| {
        let text = latex_text(line.trim_start());
        match (number, line.starts_with(' ')) {
            (0, _) if text.chars().nth(1).is_some_and(char::is_alphanumeric) => {
                text[..1].to_uppercase() + &text[1..]
            }
            (0, _) if text == "p" || text == "n" => format!("${text}$"),
            (_, true) => format!("\\quad {text}"),
            _ => text,
        }
    };
    heading.lines().enumerate().map(line).collect()
}

/// Cells of several lines each, as lines of the table.
fn lines(cells: &[Vec<String>]) -> String {
    let height = cells.iter().map(Vec::len).max().unwrap_or(0);
    let line = |number: usize| {
        let cell = |lines: &Vec<String>| lines.get(number).cloned().unwrap_or_default();
        format!("  {} \\\\\n", cells.iter().map(cell).collect::<Vec<_>>().join(" & "))
    };
    (0..height).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::super::grid::{Cell, Column};
    use super::*;

    #[test]
    fn a_table_for_a_paper_has_rules_heads_and_the_best_in_bold() {
        let parts = |one: &str, two: &str| vec![Cell::Parts(vec![one.into(), two.into()])];
        let whole = |text: &str| vec![Cell::Whole(text.into())];
        let grid = Grid {
            columns: vec![
                Column::name("arm\n  against", parts("a_b & c", "50 % \\d")),
                Column::figure("success\nrate", parts("0.520", "0.450")).best(vec![Some(0)]),
                Column::figure("difference\n(95 %)", whole("+0.070\n(-0.026–+0.113)")),
                Column::figure("p", whole("< 0.001")),
                Column::text("verdict", whole("better: success rate")),
            ],
            between: "against",
        };
        let text = latex(&grid, "1 comparison.");
        let expected = r"% Needs \usepackage{booktabs}.
% 1 comparison.
\begin{tabular}{@{}lrrrl@{}}
  \toprule
  Arm & Success & Difference & $p$ & Verdict \\
  \quad against & rate & (95\,\%) &  &  \\
  \midrule
  a\_b \& c & \textbf{0.520} & $+$0.070 & $<$ 0.001 & better: \\
  \quad 50\,\% \textbackslash{}d & 0.450 & ($-$0.026--$+$0.113) &  & success rate \\
  \bottomrule
\end{tabular}
";
        let expected = expected.replace("$<$", "\\textless{}");
        assert_eq!(text, expected);
    }
}
