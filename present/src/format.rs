//! Number formats for readers.

use crate::analysis::comparison::Comparison;
use crate::analysis::{RateInterval, RateMethod};
use crate::stats::Ert;
use crate::words::{count, counted, separated};

/// Writes an interval as "0.477 to 0.539".
pub fn ends(low: &str, high: &str) -> String {
    format!("{low} to {high}")
}

/// Writes the budget within which figures are: " within 41 evaluations"; empty without one.
pub(crate) fn within_words(budget: Option<u64>) -> String {
    budget.map_or_else(String::new, |budget| format!(" within {}", counted(budget, "evaluation")))
}

/// Writes the interval of a success rate; "exact" if it has no width.
pub(crate) fn rate_ends(interval: &RateInterval) -> String {
    match interval.method {
        RateMethod::Exact => "exact".to_owned(),
        _ => ends(&rate(interval.low), &rate(interval.high)),
    }
}

/// Writes a difference of rates, with its sign, as [`rate`] does.
pub(crate) fn signed(value: f64) -> String {
    let sign = if value.is_sign_negative() { '-' } else { '+' };
    format!("{sign}{}", rate(value.abs()))
}

/// Writes a number with its sign, as [`real`] does.
pub(crate) fn signed_real(value: f64) -> String {
    if value < 0.0 { real(value) } else { format!("+{}", real(value)) }
}

/// Writes the interval of an expected running time; "–" if it has none.
pub(crate) fn ert_interval(ert: &Ert) -> String {
    match ert.interval {
        None => "–".to_owned(),
        Some(_) if ert.is_exact() => "exact".to_owned(),
        Some(one) => ends(&real(one.low), &one.high.map_or("∞".to_owned(), real)),
    }
}

/// Formats a rate with three decimals, or with as many as tell it from 0 and 1, if up to nine do.
pub fn rate(value: f64) -> String {
    let is_told = |decimals: &usize| {
        let text = format!("{value:.decimals$}");
        ![0.0, 1.0].iter().any(|end| *end != value && text == format!("{end:.decimals$}"))
    };
    let decimals = (3..=9).find(is_told).unwrap_or(3);
    format!("{value:.decimals$}")
}

/// Formats a level: 0.95 is "95 %".
pub fn percent(level: f64) -> String {
    // Six digits, so that 0.07 is not 7.000000000000001.
    format!("{} %", (level * 1e8).round() / 1e6)
}

/// Returns method and level of an interval: "Wilson 95 %", "confidence sequence 80 %".
pub fn rate_interval(interval: &RateInterval) -> String {
    match interval.method {
        RateMethod::Exact => interval.method.to_string(),
        method => format!("{method} {}", percent(interval.confidence)),
    }
}

/// Formats a fitness, with the violation of an infeasible genome: "12, violation 3".
pub fn with_violation(fitness: String, violation: Option<f64>) -> String {
    match violation.filter(|violation| *violation > 0.0) {
        Some(violation) => format!("{fitness}, violation {}", real(violation)),
        None => fitness,
    }
}

/// Formats a p-value with three decimals, or as below the least of them. One that is close to the
/// significance level has enough decimals to show on which side it is.
pub(crate) fn p_beside(p: f64, level: f64) -> String {
    let least = |few: usize, text: &dyn Fn(f64, usize) -> String| {
        let is_seen = |digits: &usize| p == level || text(p, *digits) != text(level, *digits);
        text(p, (few..17).find(is_seen).unwrap_or(17))
    };
    if p >= 0.001 {
        return least(3, &|number, digits| format!("{number:.digits$}"));
    }
    match level > 0.001 {
        true => "< 0.001".to_owned(),
        false => least(1, &|number, digits| format!("{number:.digits$e}")),
    }
}

/// Formats the adjusted p-value of a comparison for its level.
pub(crate) fn p_of(one: &Comparison) -> String {
    // As messages round the level.
    p_beside(one.p_adjusted(), ((1.0 - one.confidence) * 1e9).round() / 1e9)
}

/// Formats a number with as many digits as readers need. Numbers above 100 are whole (12,346), as
/// are whole numbers (4). Others have up to three decimals (0.25, 2.135). Very small ones use
/// powers of ten (1.2e-7).
pub fn real(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        return if value.is_nan() {
            "–".to_owned()
        } else if value > 0.0 {
            "∞".to_owned()
        } else {
            "-∞".to_owned()
        };
    }
    if size >= 1e15 || (size > 0.0 && size < 0.001) {
        return format!("{value:.1e}");
    }
    if size >= 100.0 || value.fract() == 0.0 {
        let text = separated(&format!("{size:.0}"));
        return if value < 0.0 { format!("-{text}") } else { text };
    }
    format!("{value:.3}").trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Formats a number with six significant digits.
pub(crate) fn six_digits(value: f64) -> String {
    let size = value.abs();
    let sign = if value < 0.0 { "-" } else { "" };
    if value.fract() == 0.0 && size < 1e15 {
        return format!("{sign}{}", count(size as u64));
    }
    if !value.is_finite() {
        return value.to_string();
    }
    let shortest = |digits: &str| digits.trim_end_matches('0').trim_end_matches('.').to_owned();
    if (1e-4..1e9).contains(&size) {
        let decimals = (5 - size.log10().floor() as i32).max(0) as usize;
        return shortest(&format!("{value:.decimals$}"));
    }
    let text = format!("{value:.5e}");
    let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
    format!("{}e{power}", shortest(digits))
}

/// Formats a number like [`real`], but with enough decimals to tell it from `others`, which differ
/// from it.
pub fn real_beside(value: f64, others: &[f64]) -> String {
    let text = real(value);
    let like = |format: &dyn Fn(f64) -> String, text: &str| {
        others.iter().any(|other| *other != value && format(*other) == text)
    };
    if !value.is_finite() || !like(&real, &text) {
        return text;
    }
    let decimal = |decimals: usize| {
        move |value: f64| {
            let text = format!("{:.decimals$}", value.abs());
            let (whole, rest) = text.split_once('.').unwrap_or((&text, ""));
            let sign = if value < 0.0 { "-" } else { "" };
            format!("{sign}{}.{rest}", separated(whole))
        }
    };
    let first = if value.abs() < 100.0 { 4 } else { 1 };
    let found = (first..16).map(decimal).find(|format| !like(format, &format(value)));
    match found.filter(|_| value.abs() >= 1e-6 && value.abs() < 1e15) {
        Some(format) => format(value),
        None => format!("{value:e}"),
    }
}

/// Formats a time with three digits and a suitable unit: 1.23 ms, 45.6 s.
pub(crate) fn seconds(value: f64) -> String {
    let units = [(1.0, "s"), (1e-3, "ms"), (1e-6, "µs")];
    let rounded = |value: f64| match value {
        value if value >= 99.95 => count(value.round() as u64),
        value if value >= 9.995 => format!("{value:.1}"),
        value => format!("{value:.2}"),
    };
    let unit = units.into_iter().find(|(unit, _)| value >= 0.9995 * unit);
    let (unit, name) = unit.unwrap_or((1e-9, "ns"));
    format!("{} {name}", rounded(value / unit))
}

/// Returns a name with a hyphen in place of what is not kept: "roulette, n 8" is "roulette-n-8".
pub(crate) fn hyphenated(name: &str, keep: impl Fn(char) -> bool) -> String {
    let words = name.split(|letter| !keep(letter)).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}

/// Rounds up to two significant digits.
pub fn round_up(number: f64) -> u64 {
    let number = number.clamp(1.0, 1e15);
    let mut unit = 1.0;
    while number / unit >= 100.0 {
        unit *= 10.0;
    }
    ((number / unit).ceil() * unit) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(
            [count(0), count(999), count(1_000), count(1_234_567)],
            ["0", "999", "1,000", "1,234,567"]
        );
        assert_eq!(
            [0.0, 2.0 / 3.0, 1.0 / 6_000.0, 5_999.0 / 6_000.0, 1e-12, 1.0].map(rate),
            ["0.000", "0.667", "0.0002", "0.9998", "0.000", "1.000"]
        );
        assert_eq!(
            [0.25, -0.000_2, -0.0, 0.0].map(signed),
            ["+0.250", "-0.0002", "-0.000", "+0.000"]
        );
        assert_eq!(
            [0.0, 3.21e-7, 0.000_012_34, 0.0456, 0.9996, 12.34, 5_025.3].map(seconds),
            ["0.00 ns", "321 ns", "12.3 µs", "45.6 ms", "1.00 s", "12.3 s", "5,025 s"]
        );
        assert_eq!([0.95, 0.8, 0.995, 0.07].map(percent), ["95 %", "80 %", "99.5 %", "7 %"]);
        let p_values = [0.0009, 0.001, 0.05, 0.0504, 0.049_96, 0.050_000_4, 0.0505, 1.0]
            .map(|p| p_beside(p, 0.05));
        let words =
            ["< 0.001", "0.001", "0.050", "0.0504", "0.04996", "0.0500004", "0.051", "1.000"];
        assert_eq!(p_values, words);
        assert_eq!(
            [0.009_996, 0.01, 0.000_4].map(|p| p_beside(p, 0.01)),
            ["0.009996", "0.010", "< 0.001"]
        );
        assert_eq!(
            [0.001_113, 0.000_2, 1e-12].map(|p| p_beside(p, 0.001)),
            ["0.0011", "2.0e-4", "1.0e-12"]
        );
        let method = RateMethod::Sequence;
        let interval = RateInterval { low: 0.0, high: 1.0, method, confidence: 0.8 };
        assert_eq!(rate_interval(&interval), "confidence sequence 80 %");
        let reals = [0.0, 4.0, 0.25, 2.1349, 12_345.6, -1_500.0, 1.23e-7, f64::INFINITY, f64::NAN];
        assert_eq!(
            reals.map(real),
            ["0", "4", "0.25", "2.135", "12,346", "-1,500", "1.2e-7", "∞", "–"]
        );
    }

    #[test]
    fn numbers_that_differ_are_not_shown_alike() {
        let both = |one: f64, other: f64| [real_beside(one, &[other]), real_beside(other, &[one])];
        assert_eq!(both(999_999.9, 999_999.91), ["999,999.90", "999,999.91"]);
        assert_eq!(both(-1_500.26, -1_500.0), ["-1,500.3", "-1,500.0"]);
        assert_eq!(both(0.250_01, 0.25), ["0.25001", "0.25000"]);
        assert_eq!(both(1.21e-7, 1.2e-7), ["1.21e-7", "1.2e-7"]);
        assert_eq!(both(f64::INFINITY, 5.0), ["∞", "5"]);
        assert_eq!(both(12_345.6, 12_345.6), ["12,346", "12,346"]);
        assert_eq!(both(1e20, 1e20 + 1e5), ["1e20", "1.000000000000001e20"]);
    }
}
