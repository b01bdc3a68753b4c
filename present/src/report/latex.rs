//! Reports for papers: LaTeX with the rules of booktabs.

use super::column::{Column, Kind, Medium, in_step};
use super::table::Report;
use super::wrap::paragraph;
use crate::system::output::visible;
use crate::system::output::visible_line;

/// Maximum number of characters of a comment line.
const COMMENT: usize = 96;

/// Returns the table that readers see; the best cells are bold. `notes` are comments above it.
pub fn latex(report: &Report, notes: &str) -> String {
    let mut text = "% Needs \\usepackage{booktabs}.\n".to_owned();
    for line in paragraph(notes, COMMENT).lines().filter(|line| !line.is_empty()) {
        text.push_str(&format!("% {line}\n"));
    }
    let columns: Vec<&Column> = report.shown(Medium::All).collect();
    let kind = |kind: Kind| if matches!(kind, Kind::Name | Kind::Text) { 'l' } else { 'r' };
    let kinds: String = columns.iter().map(|column| kind(column.kind)).collect();
    text.push_str(&format!("\\begin{{tabular}}{{@{{}}{kinds}@{{}}}}\n  \\toprule\n"));
    let headings = columns.iter().map(|column| heading(column)).collect::<Vec<_>>();
    text.push_str(&lines(&headings));
    text.push_str("  \\midrule\n");
    let has_parts = report.has_parts();
    let several = |row: usize| columns.iter().any(|column| column.texts(row).len() > 1);
    for row in 0..report.rows() {
        let cells = columns.iter().map(|column| {
            let parts = column.texts(row).into_iter().enumerate();
            parts.map(|part| part_lines(column, row, part, has_parts)).collect()
        });
        text.push_str(&lines(&in_step(columns.iter().copied(), row, cells.collect())));
        if row + 1 < report.rows() && several(row) {
            text.push_str("  \\addlinespace\n");
        }
    }
    text.push_str("  \\bottomrule\n\\end{tabular}\n");
    visible(&text).into_owned()
}

/// Returns the lines of a part of a cell. Intervals are in parentheses, below the figures if rows
/// have parts.
fn part_lines(
    column: &Column,
    row: usize,
    (place, (indent, words)): (usize, (&str, &str)),
    has_parts: bool,
) -> Vec<String> {
    let best = column.best.get(row).copied().flatten() == Some(place);
    let mut words = match column.kind {
        Kind::Text => words.replacen(": ", ":\n", 1),
        _ => words.to_owned(),
    };
    let detail = column.detail.as_ref().map(|detail| &detail.texts[row]);
    if let Some(detail) = detail.filter(|text| !text.is_empty()) {
        let gap = if has_parts { "\n" } else { " " };
        words = format!("{words}{gap}({})", detail.replacen(" to ", "–", 1));
    }
    let line = |(number, line): (usize, &str)| match latex_text(line) {
        text if number > 0 => text,
        text => {
            let quad = if indent.is_empty() { "" } else { "\\quad " };
            let text = if best { format!("\\textbf{{{text}}}") } else { text };
            format!("{quad}{text}")
        }
    };
    words.lines().enumerate().map(line).collect()
}

/// Returns the lines of a heading. The first begins with a capital, unless it is a single letter.
/// The level of the intervals is the last.
fn heading(column: &Column) -> Vec<String> {
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
    let level = column.detail.as_ref().map(|detail| format!("({})", detail.level));
    let lines = column.heading.lines().map(str::to_owned).chain(level);
    lines.enumerate().map(|(number, text)| line((number, &text))).collect()
}
/// Returns the lines of the table for cells of several lines each.
fn lines(cells: &[Vec<String>]) -> String {
    let height = cells.iter().map(Vec::len).max().unwrap_or(0);
    let line = |number: usize| {
        let cell = |lines: &Vec<String>| lines.get(number).cloned().unwrap_or_default();
        let cells = cells.iter().map(cell).collect::<Vec<_>>().join(" & ");
        // After a line, these would be an argument of the command that ended it.
        let guard = if cells.starts_with(['[', '*']) { "{}" } else { "" };
        format!("  {guard}{cells} \\\\\n")
    };
    (0..height).map(line).collect()
}

/// Returns a text in one line, with special characters escaped.
pub(super) fn escaped(text: &str, escape: fn(char) -> Option<&'static str>) -> String {
    visible_line(text).chars().fold(String::new(), |mut escaped, character| {
        match escape(character) {
            Some(words) => escaped.push_str(words),
            None => escaped.push(character),
        }
        escaped
    })
}

/// Returns a text for LaTeX: signs before numbers as in formulas, a thin space before per cent.
pub(crate) fn latex_text(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let digit = |place: usize| letters.get(place).is_some_and(char::is_ascii_digit);
    let open = |place: usize| {
        place.checked_sub(1).is_none_or(|before| matches!(letters[before], ' ' | '(' | '–'))
    };
    let mut signed = String::new();
    for (place, letter) in letters.iter().enumerate() {
        match letter {
            '+' | '-' if digit(place + 1) && open(place) => {
                // A placeholder that occurs in no text, because escaping follows.
                signed.push(if *letter == '+' { '\u{e000}' } else { '\u{e001}' });
            }
            ' ' if letters.get(place + 1) == Some(&'%') => signed.push('\u{e002}'),
            letter => signed.push(*letter),
        }
    }
    escaped(&signed, in_latex)
}

/// Returns the escape of a character that is special in LaTeX, or missing in its fonts.
fn in_latex(character: char) -> Option<&'static str> {
    Some(match character {
        '&' => "\\&",
        '%' => "\\%",
        '$' => "\\$",
        '#' => "\\#",
        '_' => "\\_",
        '{' => "\\{",
        '}' => "\\}",
        '\\' => "\\textbackslash{}",
        '^' => "\\textasciicircum{}",
        '~' => "\\textasciitilde{}",
        '<' => "\\textless{}",
        '>' => "\\textgreater{}",
        '|' => "\\textbar{}",
        '∞' => "$\\infty$",
        '–' => "--",
        '−' => "$-$",
        '…' => "\\ldots{}",
        '\u{e000}' => "$+$",
        '\u{e001}' => "$-$",
        '\u{e002}' => "\\,",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::column::Cell;
    use super::*;

    #[test]
    fn latex_sets_what_was_written() {
        let text = latex_text("a\\b^c~d_e|<f> {50 %} –");
        assert_eq!(
            text,
            concat!(
                r"a\textbackslash{}b\textasciicircum{}c\textasciitilde{}d\_e",
                r"\textbar{}\textless{}f\textgreater{} \{50\,\%\} --"
            )
        );
        assert_eq!(latex_text("-0.5 (+1–-2) a-1"), "$-$0.5 ($+$1--$-$2) a-1");
    }

    #[test]
    fn no_name_is_an_argument_of_the_line_before() {
        let cells = ["[a]", "*b", "c[d]"].map(|name| vec![name.to_owned()]);
        let found = cells.map(|cell| lines(&[cell]));
        assert_eq!(found, ["  {}[a] \\\\\n", "  {}*b \\\\\n", "  c[d] \\\\\n"]);
    }

    #[test]
    fn a_table_for_a_paper_has_rules_heads_and_the_best_in_bold() {
        let parts = |one: &str, two: &str| vec![Cell::Parts(vec![one.into(), two.into()])];
        let whole = |text: &str| vec![Cell::Whole(text.into())];
        let report = Report {
            columns: vec![
                Column::name("arm\n  against", parts("a_b & c", "50 % \\d")),
                Column::figure("success\nrate", parts("0.520", "0.450")).best(vec![Some(0)]),
                Column::figure("difference", whole("+0.070")).intervals(
                    "95 %".into(),
                    vec!["-0.026 to +0.113".into()],
                    1,
                ),
                Column::figure("p", whole("< 0.001")),
                Column::text("verdict", whole("better: success rate")),
            ],
            between: "against",
        };
        let text = latex(&report, "1 comparison.");
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
