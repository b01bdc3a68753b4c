//! Line of a progress bar, fitted to the width of the terminal.

use crate::plan::{Arm, Plan};
use crate::problem::parameter::Value;
use crate::system::output::visible_line;
use console::{Alignment, Style, measure_text_width as columns, pad_str, truncate_str};

/// Columns of the widest bar.
const WIDEST_BAR: usize = 24;
/// Columns of the longest label.
const LONGEST_LABEL: usize = 48;

/// Short name of an arm or an experiment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Label {
    /// Name of the experiment or of the operator set.
    name: String,
    /// Swept keys by their last part, with their values: "rate=0.1 n=8".
    swept: String,
    /// Swept values alone: "0.1 8".
    values: String,
}

impl Label {
    pub(super) fn of_experiment(plan: &Plan) -> Self {
        Label { name: visible_line(&plan.name).into_owned(), ..Label::default() }
    }

    pub(super) fn of_arm(plan: &Plan, arm: &Arm) -> Self {
        let name = visible_line(&arm.settings.operators.name).into_owned();
        let mut label = Label { name, ..Label::default() };
        for (key, value) in plan.swept_keys.iter().zip(&arm.settings.swept) {
            let value = match value {
                None => continue,
                Some(Value::Text(text)) => text.to_string(),
                Some(other) => other.to_string(),
            };
            let value = visible_line(&value).into_owned();
            let gap = if label.swept.is_empty() { "" } else { " " };
            label
                .swept
                .push_str(&format!("{gap}{}={value}", key.rsplit('.').next().unwrap_or(key)));
            label.values.push_str(&format!("{gap}{value}"));
        }
        label
    }

    fn length(&self) -> usize {
        columns(&self.name) + if self.swept.is_empty() { 0 } else { 1 + columns(&self.swept) }
    }

    /// Returns the label in exactly `width` columns. Swept values distinguish arms of one set, so
    /// the set's name is shortened first, then the keys are dropped. If it is still too long, its
    /// middle is cut.
    fn fit(&self, width: usize) -> String {
        let text = if self.swept.is_empty() {
            middle(&self.name, width)
        } else {
            let named = |swept: &str| {
                let room = width.checked_sub(columns(swept) + 1)?;
                let whole = columns(&self.name) <= room;
                (whole || room >= 4).then(|| format!("{} {swept}", end(&self.name, room)))
            };
            named(&self.swept)
                .or_else(|| named(&self.values))
                .unwrap_or_else(|| middle(&self.values, width))
        };
        pad_str(&text, width, Alignment::Left, None).into_owned()
    }
}

/// Cuts the end of a text that is wider than `width` columns.
fn end(text: &str, width: usize) -> String {
    truncate_str(text, width, "…").into_owned()
}

/// Cuts the middle of a text that is wider than `width` columns.
fn middle(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let tail = width / 2;
    let head = truncate_str(text, width.saturating_sub(tail + 1), "").into_owned();
    let fits = |at: &usize| columns(&text[*at..]) <= tail;
    let from = text.char_indices().map(|(at, _)| at).find(fits).unwrap_or(text.len());
    format!("{head}…{}", &text[from..])
}

/// Texts of a bar, in order of importance. Each has several forms, the longest first; the longest
/// that fits is shown.
pub(super) type Words = Vec<Vec<String>>;

/// Returns a line shorter than `width` columns: label, bar, percentage, and as many texts as fit.
/// `labels` is the length of the longest label.
pub(super) fn line(
    width: usize,
    label: &Label,
    labels: usize,
    share: f64,
    words: &Words,
    colour: &Style,
) -> String {
    // The last column stays free, because some terminals wrap there.
    let room = width.saturating_sub(1).max(12);
    let bar = (room / 8).clamp(4, WIDEST_BAR);
    let percent = format!("{:>3} %", (100.0 * share) as u64);
    let label_room =
        (room / 3).min(labels.max(8)).min(LONGEST_LABEL).min(room.saturating_sub(bar + 7)).max(1);
    let full = ((share * bar as f64) as usize).min(bar);
    let drawn = colour.apply_to("━".repeat(full));
    let rest = Style::new().for_stderr().dim().apply_to("─".repeat(bar - full));
    let mut text = format!("{} {drawn}{rest} {percent}", label.fit(label_room));
    let mut used = label_room + 1 + bar + 1 + columns(&percent);
    for forms in words {
        if let Some(word) = forms.iter().find(|word| used + 2 + columns(word) <= room) {
            text.push_str("  ");
            text.push_str(word);
            used += 2 + columns(word);
        }
    }
    text
}

/// Returns the columns of the longest label.
pub(super) fn longest<'a>(labels: impl Iterator<Item = &'a Label>) -> usize {
    labels.map(Label::length).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(name: &str, swept: &str, values: &str) -> Label {
        Label { name: name.to_owned(), swept: swept.to_owned(), values: values.to_owned() }
    }

    #[test]
    fn no_line_is_as_wide_as_the_terminal() {
        let words: Words = vec![
            vec!["120/1,000".to_owned()],
            vec!["success 0.52 (0.43 to 0.61)".to_owned(), "success 0.52".to_owned()],
            vec!["10 s left".to_owned()],
            vec!["85 trials/s".to_owned()],
        ];
        let long =
            label("a name of an operator set that goes on and on", "rate=0.001 n=8", "0.001 8");
        for width in [20, 40, 60, 80, 120, 200] {
            let line = line(width, &long, long.length(), 0.5, &words, &Style::new());
            let shown = console::strip_ansi_codes(&line).into_owned();
            assert!(columns(&shown) < width, "{width}: {shown}");
            assert!(width < 60 || shown.contains("success 0.52"), "{width}: {shown}");
            assert!(width < 200 || shown.contains("85 trials/s"), "{width}: {shown}");
        }
    }

    #[test]
    fn labels_keep_what_tells_them_apart() {
        let one = label("tournament of the day", "rate=0.1 n=8", "0.1 8");
        let two = label("tournament of the day", "rate=0.2 n=8", "0.2 8");
        for width in 5..40 {
            assert_ne!(one.fit(width), two.fit(width), "{width}");
            assert_eq!(columns(&one.fit(width)), width);
        }
        assert_eq!(one.fit(24), "tournament… rate=0.1 n=8");
        assert_eq!(one.fit(14), "tournam… 0.1 8");
        assert_eq!(label("a-long-name-of-a-set", "", "").fit(9), "a-lo…-set");
        // Characters of two columns.
        let wide = label("選択と交叉と突然変異の組", "rate=0.1", "0.1");
        for width in 8..40 {
            assert_eq!(columns(&wide.fit(width)), width);
        }
        assert_eq!(label("選択と交叉と突然変異", "", "").fit(10), "選択…変異 ");
    }
}
