//! Lists: each item once, and the ends of numbers.

/// Returns each item once, in the order in which they come.
pub(crate) fn distinct<T: PartialEq>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut once = Vec::new();
    for item in all {
        if !once.contains(&item) {
            once.push(item);
        }
    }
    once
}

/// Returns the least and the greatest number; infinities without any.
pub(crate) fn extremes(numbers: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let wider = |(low, high): (f64, f64), number| (low.min(number), high.max(number));
    numbers.into_iter().fold((f64::INFINITY, f64::NEG_INFINITY), wider)
}
