//! Settings as text: one value if all arms share it, otherwise all values.

use super::text::name;
pub(super) use crate::format::six_digits as number;
use crate::lists::distinct;
use crate::problem::parameter::Value;
use crate::problem::section::{Section, Setting};
use crate::words::listed;

/// Minimum length of an evenly spaced list that is written as a range.
const MANY: usize = 13;

/// Returns the words if the condition holds, otherwise an empty text.
pub(super) fn when(is_so: bool, words: &str) -> &str {
    if is_so { words } else { "" }
}

/// Sections of settings, one per arm.
#[derive(Clone, Debug)]
pub(super) struct Sections<'a>(pub Vec<&'a Section>);

impl<'a> FromIterator<&'a Section> for Sections<'a> {
    fn from_iter<I: IntoIterator<Item = &'a Section>>(sections: I) -> Self {
        Self(sections.into_iter().collect())
    }
}

impl<'a> Sections<'a> {
    /// Returns the keys in order of appearance, without those left out.
    pub(super) fn keys(&self, without: &[&str]) -> Vec<&'a str> {
        let all = self.0.iter().flat_map(|section| section.keys());
        distinct(all.filter(|key| !without.contains(key)))
    }

    /// Returns the distinct values of a key, in the order of the arms; `None` for arms without the
    /// key.
    pub(super) fn values(&self, key: &str) -> Vec<Option<&'a Setting>> {
        distinct(self.0.iter().map(|section| section.get(key)))
    }

    /// Returns a text such as "n 8, encoding rows or permutation": each key except those left out,
    /// with its values.
    pub(super) fn words(&self, without: &[&str]) -> String {
        let word = |key: &str| format!("{key} {}", listed_values(&self.values(key), "none", "or"));
        self.keys(without).into_iter().map(word).collect::<Vec<_>>().join(", ")
    }
}

/// Returns the kind of an operator or algorithm.
pub(super) fn kind(setting: &Setting) -> Option<&str> {
    setting.as_section()?.get("kind")?.as_text()
}

fn in_words(setting: &Setting) -> String {
    match setting {
        Setting::Value(Value::Text(text)) if text.is_empty() => "empty".to_owned(),
        // A text of the user may look like a citation.
        Setting::Value(Value::Text(text)) if text.contains('@') => name(text),
        Setting::Value(Value::Text(text)) => text.to_string(),
        Setting::Value(Value::File(file)) => file.to_string(),
        Setting::Value(Value::Boolean(yes)) => if *yes { "yes" } else { "no" }.to_owned(),
        Setting::Value(Value::Integer(whole)) => number(*whole as f64),
        Setting::Value(Value::Real(real)) => number(*real),
        Setting::Section(section) => Sections(vec![section]).words(&[]),
    }
}

/// Returns a list such as "10, 20 or 40": numbers in ascending order, others in their order.
/// `nothing` stands for a missing value.
pub(super) fn listed_values(values: &[Option<&Setting>], nothing: &str, last: &str) -> String {
    let number_of = |value: &Option<&Setting>| value.and_then(Setting::as_number);
    let Some(mut numbers) = values.iter().map(number_of).collect::<Option<Vec<f64>>>() else {
        let word = |value: &Option<&Setting>| value.map_or_else(|| nothing.to_owned(), in_words);
        let mut words: Vec<String> = values.iter().map(word).collect();
        words.dedup();
        return listed(&words, last);
    };
    numbers.sort_by(f64::total_cmp);
    evenly(&numbers).unwrap_or_else(|| {
        let mut words: Vec<String> = numbers.into_iter().map(number).collect();
        words.dedup();
        listed(&words, last)
    })
}

/// Returns "from 1 to 100 in steps of 1" if there are many evenly spaced numbers.
fn evenly(numbers: &[f64]) -> Option<String> {
    let (first, last) = (*numbers.first()?, *numbers.last()?);
    let step = (last - first) / (numbers.len() - 1) as f64;
    let even = |(place, value): (usize, &f64)| {
        (value - (first + step * place as f64)).abs() <= 1e-9 * last.abs().max(1.0)
    };
    (numbers.len() >= MANY && numbers.iter().enumerate().all(even))
        .then(|| format!("from {} to {} in steps of {}", number(first), number(last), number(step)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_six_digits() {
        let all = [0.01, 1.0, 20_000.0, 1.0 / 96.0, 0.123456, 1e-7, -2.5, 1234.5678];
        let words = ["0.01", "1", "20,000", "0.0104167", "0.123456", "1e-7", "-2.5", "1234.57"];
        assert_eq!(all.map(number), words);
    }

    #[test]
    fn many_even_numbers_are_given_by_their_ends() {
        let many: Vec<Setting> =
            (1..=20).map(|number| Setting::Value(Value::Integer(number))).collect();
        let all: Vec<Option<&Setting>> = many.iter().map(Some).collect();
        assert_eq!(listed_values(&all, "", "or"), "from 1 to 20 in steps of 1");
        assert_eq!(listed_values(&all[..3], "", "and"), "1, 2 and 3");
    }
}
