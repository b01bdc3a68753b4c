//! Axis of a tuned key: its values as places between two ends.

use super::ticks::linear_tick;
use crate::format::real;
use crate::lists::{distinct, extremes};
use crate::tune::{Coordinate, Dimension};
use crate::tuning::SettingRow;

/// Numbers that span more than this factor have a logarithmic axis: one and a half decades.
const DECADES: f64 = 30.0;
/// Number of settings below which their spread does not choose the scale.
const FEW: usize = 5;
/// Numbers that span less than this factor have a linear axis.
const NARROW: f64 = 5.0;
/// Least number of labelled ticks that a linear axis tries to have.
const TICKS: f64 = 3.0;

/// Returns whether positive numbers span more than one and a half decades.
pub(super) fn spans_decades(numbers: impl Iterator<Item = f64>) -> bool {
    let (least, most) = extremes(numbers);
    least > 0.0 && most / least > DECADES
}

/// Returns the settings that have a value of a key and a mean cost. The setting of the file has no
/// values.
pub(super) fn compared(rows: &[SettingRow]) -> Vec<&SettingRow> {
    let has_value = |row: &&SettingRow| row.values.iter().any(Option::is_some);
    let has_cost = |row: &&SettingRow| row.mean_cost.is_some_and(f64::is_finite);
    rows.iter().filter(has_value).filter(has_cost).collect()
}

/// Returns the words of a note on the setting of the file, which has no values to draw; empty if
/// there is none with a cost.
pub(super) fn own_setting(rows: &[SettingRow]) -> &'static str {
    let is_own = |row: &SettingRow| row.values.iter().all(Option::is_none);
    let has_cost = |row: &SettingRow| row.mean_cost.is_some_and(f64::is_finite);
    match rows.iter().any(|row| is_own(row) && has_cost(row)) {
        true => "; not shown: the file's own",
        false => "",
    }
}

/// Axis of a key.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum KeyAxis {
    /// Numbers between two ends.
    Numbers { low: f64, high: f64, logarithmic: bool, whole: bool },
    /// Values without an order, in that of their first settings.
    Choices(Vec<String>),
}

impl KeyAxis {
    /// Returns the axis of a key's values; `None` without a value. Numbers have the scale on which
    /// those of the first iteration are spread evenly, as they are drawn.
    pub(super) fn of_key(rows: &[&SettingRow], key: usize) -> Option<Self> {
        let values = rows.iter().filter_map(|row| row.values[key].as_deref());
        let numbers: Option<Vec<f64>> = values.clone().map(|value| value.parse().ok()).collect();
        match numbers {
            Some(numbers) => {
                let first = rows.iter().filter(|row| row.iteration == 1);
                let first = first.filter_map(|row| row.values[key].as_deref()?.parse().ok());
                Some(Self::of_numbers(&numbers)?.spreading(&first.collect::<Vec<f64>>()))
            }
            None => {
                let choices = distinct(values).into_iter().map(str::to_owned);
                Some(KeyAxis::Choices(choices.collect()))
            }
        }
    }

    /// Returns the axis on the scale, linear or logarithmic, on which the mean of these numbers is
    /// nearer to the middle; unchanged with few numbers.
    fn spreading(self, numbers: &[f64]) -> Self {
        let KeyAxis::Numbers { low, high, whole, .. } = self else { return self };
        if numbers.len() < FEW || low <= 0.0 || high / low < NARROW {
            return self;
        }
        let scaled = |logarithmic| KeyAxis::Numbers { low, high, logarithmic, whole };
        let offset = |axis: &KeyAxis| {
            let shares = numbers.iter().map(|number| axis.share_of(*number));
            (shares.sum::<f64>() / numbers.len() as f64 - 0.5).abs()
        };
        let [linear, logarithmic] = [scaled(false), scaled(true)];
        if offset(&logarithmic) < offset(&linear) { logarithmic } else { linear }
    }

    /// Returns whether the axis is logarithmic.
    pub(super) fn is_logarithmic(&self) -> bool {
        matches!(self, KeyAxis::Numbers { logarithmic: true, .. })
    }

    /// Returns the axis of numbers, logarithmic if they span decades; `None` without a number.
    pub(super) fn of_numbers(numbers: &[f64]) -> Option<Self> {
        let low = numbers.iter().copied().reduce(f64::min)?;
        let high = numbers.iter().copied().reduce(f64::max)?;
        let logarithmic = spans_decades(numbers.iter().copied());
        let whole = numbers.iter().all(|number| number.fract() == 0.0);
        Some(KeyAxis::Numbers { low, high, logarithmic, whole })
    }

    /// Returns the dimension of a space that the axis is.
    pub(super) fn dimension(&self) -> Dimension {
        match self {
            KeyAxis::Numbers { .. } => Dimension::Number,
            KeyAxis::Choices(choices) => Dimension::Choice(choices.len()),
        }
    }

    pub(super) fn coordinate(&self, value: &str) -> Option<Coordinate> {
        match self {
            KeyAxis::Numbers { .. } => Some(Coordinate::Share(self.share(value)?)),
            KeyAxis::Choices(choices) => {
                Some(Coordinate::Choice(choices.iter().position(|one| one == value)?))
            }
        }
    }

    /// Returns the place of a value, from 0 to 1.
    pub(super) fn share(&self, value: &str) -> Option<f64> {
        match self {
            KeyAxis::Numbers { .. } => Some(self.share_of(value.parse().ok()?)),
            KeyAxis::Choices(choices) => {
                let place = choices.iter().position(|one| one == value)?;
                Some(Self::share_of_choice(place, choices.len()))
            }
        }
    }

    /// Returns the place of a number, from 0 to 1.
    pub(super) fn share_of(&self, number: f64) -> f64 {
        match *self {
            KeyAxis::Numbers { low, high, .. } if low >= high => 0.5,
            KeyAxis::Numbers { low, high, logarithmic: true, .. } => {
                libm::log(number / low) / libm::log(high / low)
            }
            KeyAxis::Numbers { low, high, .. } => (number - low) / (high - low),
            KeyAxis::Choices(_) => 0.5,
        }
    }

    fn share_of_choice(place: usize, of: usize) -> f64 {
        if of < 2 { 0.5 } else { place as f64 / (of - 1) as f64 }
    }

    /// Returns the labelled places: every choice, or round numbers between the ends.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        let (low, high, logarithmic, whole) = match self {
            KeyAxis::Choices(choices) => {
                let place = |place| Self::share_of_choice(place, choices.len());
                let named = choices.iter().enumerate();
                return named.map(|(at, choice)| (place(at), choice.clone())).collect();
            }
            KeyAxis::Numbers { low, high, .. } if low >= high => {
                return vec![(0.5, real(*low))];
            }
            KeyAxis::Numbers { low, high, logarithmic, whole } => {
                (*low, *high, *logarithmic, *whole)
            }
        };
        let numbers = if logarithmic { decades(low, high) } else { steps(low, high, whole) };
        let words = |number: f64| match logarithmic {
            true => power(number),
            false => linear_tick(number, high - low),
        };
        numbers.into_iter().map(|number| (self.share_of(number), words(number))).collect()
    }
}

/// Returns the number, with a power of ten if it is one and has many zeros.
fn power(number: f64) -> String {
    let decade = libm::log10(number.abs());
    match number > 0.0 && decade.fract() == 0.0 && !(-3.0..=4.0).contains(&decade) {
        true => format!("1e{decade}"),
        false => real(number),
    }
}

/// Returns the powers of ten between two numbers, with 2 and 5 of them if they are few, and at most
/// about six.
fn decades(low: f64, high: f64) -> Vec<f64> {
    let (first, last) = (libm::floor(libm::log10(low)), libm::ceil(libm::log10(high)));
    let several = last - first > 6.0;
    let is_short = libm::log10(high / low) <= 2.2;
    let digits: &[f64] = if is_short { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let every = if several { libm::ceil((last - first) / 6.0) as usize } else { 1 };
    let decades = (first as i32..=last as i32).step_by(every);
    // Powers of ten as texts are exact.
    let exact = |decade: i32| format!("1e{decade}").parse().unwrap_or(f64::NAN);
    let numbers = decades.flat_map(|decade| digits.iter().map(move |digit| digit * exact(decade)));
    numbers.filter(|number| (low..=high).contains(number)).collect()
}

/// Returns multiples of 1, 2 or 5 times a power of ten between two numbers.
fn steps(low: f64, high: f64, whole: bool) -> Vec<f64> {
    let rough = (high - low) / TICKS;
    let decade = libm::pow(10.0, libm::floor(libm::log10(rough)));
    let digit = [5.0, 2.0, 1.0].into_iter().find(|digit| digit * decade <= rough).unwrap_or(1.0);
    let step = if whole { (digit * decade).max(1.0) } else { digit * decade };
    let (first, last) = (libm::ceil(low / step) as i64, libm::floor(high / step) as i64);
    (first..=last).map(|place| place as f64 * step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(values: &[&str]) -> Option<KeyAxis> {
        let row = |value: &&str| SettingRow {
            values: vec![Some((*value).to_owned())],
            iteration: 1,
            mean_cost: None,
            survived: false,
        };
        let rows: Vec<SettingRow> = values.iter().map(row).collect();
        KeyAxis::of_key(&rows.iter().collect::<Vec<_>>(), 0)
    }

    fn ticks(values: &[&str]) -> Vec<String> {
        let ticks = axis(values).expect("an axis").ticks();
        ticks.into_iter().map(|(_, words)| words).collect()
    }

    #[test]
    fn axes_are_linear_logarithmic_whole_or_of_choices() {
        assert_eq!(ticks(&["0.1", "0.95"]), ["0.2", "0.4", "0.6", "0.8"]);
        assert_eq!(ticks(&["2", "5"]), ["2", "3", "4", "5"]);
        assert_eq!(ticks(&["3", "200"]), ["5", "10", "20", "50", "100", "200"]);
        assert_eq!(ticks(&["0.0001", "0.5"]), ["1e-4", "0.001", "0.01", "0.1"]);
        assert_eq!(ticks(&["uniform", "one-point", "uniform"]), ["uniform", "one-point"]);
        assert_eq!(ticks(&["7"]), ["7"]);
        assert_eq!(ticks(&["1000.12", "1000.58"]), ["1,000.2", "1,000.3", "1,000.4", "1,000.5"]);
        let tiny = axis(&["1.5e-12", "5.5e-12"]).expect("an axis").ticks();
        let shares: Vec<f64> = tiny.iter().map(|(share, _)| (share * 8.0).round()).collect();
        assert_eq!(shares, [1.0, 3.0, 5.0, 7.0], "{tiny:?}");
        assert_eq!(axis(&[]), None);
    }

    #[test]
    fn the_scale_is_that_on_which_the_first_settings_are_spread() {
        let is_logarithmic = |values| axis(values).expect("an axis").is_logarithmic();
        assert!(!is_logarithmic(&["0.002", "0.2", "0.4", "0.6", "0.8", "0.99"]));
        assert!(!is_logarithmic(&["1", "1", "1", "2", "3", "3"]));
        assert!(is_logarithmic(&["4", "7", "13", "25", "48", "90"]));
    }

    #[test]
    fn places_are_between_the_ends() {
        let numbers = axis(&["0.001", "0.1", "0.01"]).expect("an axis");
        assert!((numbers.share("0.01").expect("a place") - 0.5).abs() < 1e-12);
        let choices = axis(&["a", "b", "c"]).expect("an axis");
        let shares = ["a", "c", "d"].map(|choice| choices.share(choice));
        assert_eq!(shares, [Some(0.0), Some(1.0), None]);
        assert_eq!(choices.dimension(), Dimension::Choice(3));
    }
}
