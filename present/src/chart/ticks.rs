//! Labelled ticks of axes: their words, and ranges that have at least two of them.

use crate::format::{real, real_beside};

/// Ratio of a logarithmic axis to the numbers on it, at either end.
const ROOM: f64 = 1.1;
/// Number of decades beyond which only powers of ten are labelled.
const DECADES: f64 = 3.0;
/// Least number of ticks.
const LEAST: usize = 2;
/// Range, as a share of its numbers, below which they cannot be told apart.
const SAME: f64 = 1e-12;
/// Maximum difference of a tick and its words, as a share of the axis.
const EXACT: f64 = 1e-3;
/// Letters of large numbers.
const UNITS: [(f64, &str); 4] = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];

/// Returns a range around these numbers with some room at its ends, and two labelled ticks.
pub(super) fn logarithmic_around((low, high): (f64, f64)) -> (f64, f64) {
    two_logarithmic((low / ROOM, high * ROOM))
}

/// Returns the whole decades around these numbers, with some room for marks at their ends.
pub(super) fn decades_around((low, high): (f64, f64)) -> (f64, f64) {
    let power = |exponent: f64| 10_f64.powf(exponent);
    let ends = (power(low.log10().floor()), power(high.log10().ceil()));
    two_logarithmic((ends.0.min(low / ROOM), ends.1.max(high * ROOM)))
}

/// Widens the range of a logarithmic axis until it has two labelled ticks. A range of counts does
/// not go below 1.
pub(super) fn two_logarithmic((mut low, mut high): (f64, f64)) -> (f64, f64) {
    let is_number = low > 0.0 && low <= high && high.is_finite();
    if !is_number || high.log10().ceil() - low.log10().floor() > DECADES {
        return (low, high);
    }
    let counts = low >= 1.0 / ROOM;
    while rounds(low, high).filter(|round| (low..=high).contains(round)).count() < LEAST {
        let below = rounds(low, high).filter(|round| *round < low).last().unwrap_or(low / 2.0);
        let above = rounds(low, high).find(|round| *round > high).unwrap_or(high * 2.0);
        if low / below <= above / high && !(counts && below < 1.0) {
            low = below;
        } else {
            high = above;
        }
    }
    (low, high)
}

/// Returns 1, 2, 5 and 10 times the powers of ten, from below these numbers to above them.
fn rounds(low: f64, high: f64) -> impl Iterator<Item = f64> {
    let powers = low.log10().floor() as i32 - 1..=high.log10().ceil() as i32;
    powers.flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10_f64.powi(power)))
}

/// Widens the range of a linear axis if its ends are the same number.
pub(super) fn two_linear((low, high): (f64, f64)) -> (f64, f64) {
    let size = low.abs().max(high.abs());
    let is_number = low.is_finite() && high.is_finite();
    if !is_number || high - low > (SAME * size).max(f64::MIN_POSITIVE) {
        return (low, high);
    }
    let room = if size > 0.0 { 0.1 * size } else { 1.0 };
    (low - room, high + room)
}

/// Formats a tick of a linear axis of this length: in short words if these state the value,
/// otherwise with enough decimals.
pub(super) fn linear_tick(value: f64, length: f64) -> String {
    // Removes rounding errors, which are far below the digits of a tick.
    let round = if value.abs() < 1e-9 * length { 0.0 } else { tidy(value) };
    let value = if (round - value).abs() < 1e-6 * length { round } else { value };
    let near = EXACT * length;
    let words = tick(value);
    if number_of(&words).is_none_or(|number| (number - value).abs() <= near) {
        return words;
    }
    let exact = real_beside(value, &[value - 2.0 * near, value + 2.0 * near]);
    match exact.contains('.') && !exact.contains('e') {
        true => exact.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => exact,
    }
}

/// Removes rounding errors of a tick.
fn tidy(value: f64) -> f64 {
    format!("{value:.9e}").parse().unwrap_or(value)
}

/// Returns the number that the words of a tick state; `None` for words that are no number.
fn number_of(words: &str) -> Option<f64> {
    let unit = UNITS.iter().find(|(_, letter)| words.ends_with(letter)).map(|(unit, _)| *unit);
    let digits = words.trim_end_matches(char::is_alphabetic).replace(',', "");
    let digits: f64 = digits.parse().ok()?;
    Some(digits * unit.unwrap_or(1.0))
}

/// Formats a tick of a logarithmic axis. Only every so many powers of ten have words.
pub(super) fn logarithmic_tick(value: f64, every: i32) -> String {
    let power = value.log10().round() as i32;
    if power.rem_euclid(every) == 0 { tick(value) } else { String::new() }
}

/// Formats a tick, with letters for thousands and millions to keep it short.
pub(super) fn tick(value: f64) -> String {
    let value = tidy(value);
    let size = value.abs();
    for (unit, letter) in UNITS {
        // Four digits need no letter.
        if size >= unit.max(1e4) && size < 1e15 {
            return format!("{}{letter}", real(value / unit));
        }
    }
    // A power of ten has no decimals.
    real(value).replace(".0e", "e")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the ticks of the library that draws them.
    fn ticks((low, high): (f64, f64)) -> usize {
        kuva::render::render_utils::generate_ticks_log(low, high).len()
    }

    #[test]
    fn every_range_has_two_ticks() {
        for place in 0..400 {
            let low = 10_f64.powf(f64::from(place) / 50.0);
            for ratio in [1.0, 1.01, 1.3, 1.9, 3.0, 9.0, 80.0, 1_500.0, 1e5] {
                let (from, to) = logarithmic_around((low, low * ratio));
                assert!(
                    from <= low && to >= low * ratio && ticks((from, to)) >= 2,
                    "{low} {ratio}"
                );
                assert!(from >= 1.0 / ROOM, "no part of an evaluation: {from}");
            }
        }
        assert_eq!(logarithmic_around((1.0, 1.0)), (1.0 / 1.1, 2.0));
        // A range that has ticks is as narrow as it was.
        assert_eq!(logarithmic_around((110.0, 550.0)), (110.0 / 1.1, 550.0 * 1.1));
        for value in [0.0, 5.0, -3e-200, 1e250, 1e17] {
            let (low, high) = two_linear((value, value));
            assert!(low < value && value < high, "{value}");
        }
        assert_eq!(two_linear((1.0, 1.5)), (1.0, 1.5));
    }

    #[test]
    fn ticks_have_short_words_and_differ() {
        let words = [0.0, 1.0, 2_500.0, 20_000.0, 3e6, 1e-8, 2e-200, 1e250, 0.1 + 0.2].map(tick);
        assert_eq!(words, ["0", "1", "2,500", "20k", "3M", "1e-8", "2e-200", "1e250", "0.3"]);
        assert_eq!(linear_tick(1e-17, 1.0), "0");
        assert_eq!(linear_tick(1_000.25, 1.0), "1,000.25");
        assert_ne!(linear_tick(12_345.2, 1.0), linear_tick(12_345.4, 1.0));
        let steps = [0.4775, 0.48, 0.4825].map(|value| linear_tick(value, 0.02));
        assert_eq!(steps, ["0.4775", "0.48", "0.4825"]);
        let steps = [202.5, 205.0, -207.5].map(|value| linear_tick(value, 14.0));
        assert_eq!(steps, ["202.5", "205", "-207.5"]);
        let steps = [1_000_000_000.25, 1_000_000_000.5].map(|value| linear_tick(value, 1.0));
        assert_eq!(steps, ["1,000,000,000.25", "1,000,000,000.5"]);
        let steps = [20_000.0, 22_500.0, 2.25e-8].map(|value| linear_tick(value, value));
        assert_eq!(steps, ["20k", "22.5k", "2.25e-8"]);
    }
}
