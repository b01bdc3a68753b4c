//! Findings of a plugin's conformance checks, as a table in the terminal.

use crate::conformance::{Check, Finding};
use crate::report::{Report, Rows, fitted, hanging};

/// A check and its finding.
pub struct Conformance {
    /// Rule that was checked.
    pub check: &'static Check,
    /// Result of the check.
    pub finding: Finding,
}

/// Number of words above which a repeated text is written once, below the table.
const LONG: usize = 12;

/// Returns the findings as a table of at most `width` columns, with notes below it. Rule and
/// finding share a column if that is shorter. Ends with a newline.
pub fn conformance(found: &[Conformance], width: usize) -> String {
    let parts = |finding: &Finding| match finding {
        Finding::Passed(seen) => ("passed", seen.clone()),
        Finding::Failed(seen) => ("FAILED", seen.clone()),
        Finding::Skipped(seen) => ("–", seen.clone()),
        Finding::Unfinished(seen) => ("unfinished", seen.clone()),
    };
    let (verdicts, mut seen): (Vec<_>, Vec<_>) =
        found.iter().map(|one| parts(&one.finding)).unzip();
    let notes = taken_out(&mut seen);
    let rule = |one: &Conformance| format!("{} ({})", one.check.rule, one.check.written);
    let (checks, seen) = (Rows(found), Rows(&seen));
    let name = || checks.name("check", |one| one.check.name.to_owned());
    let verdict = || Rows(&verdicts).text("verdict", |verdict| (*verdict).to_owned());
    let wide = vec![
        name(),
        checks.text("rule, and where it is written", rule),
        seen.text("seen", String::clone),
        verdict(),
    ];
    let both: Vec<_> = found.iter().zip(seen.0).collect();
    let both = Rows(&both).text("rule, and where it is written; what was seen", |(one, seen)| {
        format!("{}\nseen: {seen}", rule(one))
    });
    let narrow = vec![name(), verdict(), both];
    let mut text = fitted(&[wide, narrow].map(Report::new), width, "");
    for (number, note) in notes.iter().enumerate() {
        text.push_str(&hanging(&format!("note {}: ", number + 1), note, width));
    }
    text
}

/// Replaces each long text that occurs several times by "see note 1". Returns the notes.
fn taken_out(seen: &mut [String]) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for place in 0..seen.len() {
        let text = seen[place].clone();
        let times = seen.iter().filter(|other| **other == text).count();
        if times > 1 && text.split_whitespace().count() > LONG {
            notes.push(text.clone());
            let short = format!("see note {}", notes.len());
            seen.iter_mut().filter(|other| **other == text).for_each(|one| one.clone_from(&short));
        }
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::CHECKS;

    #[test]
    fn what_several_checks_saw_is_said_once() {
        let same = "the plugin ended the program while it made a problem of these values, so that \
            nothing of what it does could be looked at, neither samples nor fitness";
        let finding = |row: usize| match row {
            0 => Finding::Passed("7 calls".to_owned()),
            1..=5 => Finding::Failed(same.to_owned()),
            _ => Finding::Skipped("it has no render".to_owned()),
        };
        let found: Vec<Conformance> = CHECKS[..8]
            .iter()
            .enumerate()
            .map(|(row, check)| Conformance { check, finding: finding(row) })
            .collect();
        for width in [60, 80, 120, 200] {
            let text = conformance(&found, width);
            assert!(text.lines().all(|line| console::measure_text_width(line) <= width), "{text}");
            assert_eq!(text.matches("see note 1").count(), 5, "{text}");
            assert_eq!(text.matches("ended the program").count(), 1, "{text}");
            let words: Vec<&str> = text.split_whitespace().collect();
            assert!(words.windows(2).any(|two| two == ["note", "1:"]), "{text}");
            // A short text stays in its row, however often it occurs.
            assert_eq!(text.matches("no render").count(), 2, "{text}");
            for word in found.iter().flat_map(|one| one.check.rule.split(' ')) {
                assert!(words.iter().any(|shown| shown.contains(word)), "{word}\n{text}");
            }
        }
        insta::assert_snapshot!(conformance(&found, 80));
    }
}
