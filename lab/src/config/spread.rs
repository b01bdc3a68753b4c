//! Ranges without steps, such as `{ from = 0.001, to = 0.5, course = "geometric" }`, of which a
//! sample takes values between the ends.

use super::diagnostic::{Diagnostic, Faults};
use super::fields::{check_keys, choice, wrong_type};
use super::keys;
use super::node::{Entry, Node, Shape};
use super::range::{FACTOR, FROM, STEP, TO};

pub(super) const COURSE: &str = "course";

/// Greatest integer up to which all are exact as real numbers.
const EXACT: i64 = 1 << 53;

/// A range without steps.
#[derive(Clone, Debug)]
pub(super) struct Spread {
    from: f64,
    to: f64,
    /// Whether equal factors are equally likely, in place of equal differences.
    geometric: bool,
    /// Whether the values are integers.
    whole: bool,
    node: Node,
}

/// Returns whether the entries of a range give it no steps.
pub(super) fn has_no_steps(entries: &[Entry]) -> bool {
    !entries.iter().any(|entry| [STEP, FACTOR].contains(&entry.key.as_str()))
}

impl Spread {
    /// Reads a range without steps. `key` is the swept key.
    pub(super) fn read(
        key: &str,
        node: &Node,
        entries: &[Entry],
        out: &mut Faults,
    ) -> Option<Self> {
        let before = out.len();
        check_keys(entries, &[FROM, TO, COURSE], "a range without steps", out);
        let geometric = &*choice(node, &keys::SCHEDULE_COURSE, out) == "geometric";
        let from = end(key, node, FROM, out);
        let to = end(key, node, TO, out);
        let (from, to) = (from?, to?);
        if out.len() > before {
            return None;
        }
        let whole = [FROM, TO]
            .iter()
            .all(|name| node.get(name).is_some_and(|end| matches!(end.shape, Shape::Integer(_))));
        let wrong = |message: String, label: &str| {
            let at = node.get(FROM).map_or(node.origin, |from| from.origin);
            at.error(message, label)
        };
        if from >= to {
            let message = format!("the range of `{key}` has no values between {from} and {to}");
            let error = wrong(message, "not below `to`");
            return error.rule("`from` is below `to`").help("exchange or change the two").to(out);
        }
        if geometric && from <= 0.0 {
            let message = format!("the geometric range of `{key}` begins at {from}");
            let error = wrong(message, "not above 0").rule("its ends must be above 0");
            return error.help("choose a larger `from`, or course = \"linear\"").to(out);
        }
        Some(Spread { from, to, geometric, whole, node: node.clone() })
    }

    /// Returns the complaint about a range without steps whose key goes together with others.
    pub(super) fn goes_together(key: &str, node: &Node) -> Diagnostic {
        let message = format!("the values of `{key}` go together with others");
        let error = node.error(message, "has no steps");
        let error = error.rule("a range without steps has no first value, and no second");
        error.help("list the values, or give the range a step or a factor")
    }

    /// Returns the number of its values; `None` if there are as many as real numbers.
    pub(super) fn count(&self) -> Option<u64> {
        self.whole.then(|| (self.to - self.from) as u64 + 1)
    }

    /// Returns the ends between which values are drawn.
    fn ends(&self) -> (f64, f64) {
        let wider = if self.whole { 0.5 } else { 0.0 };
        (self.from - wider, self.to + wider)
    }

    /// Returns the share of the range, in [0, 1), at which a number lies; `None` if it is outside.
    pub(super) fn share(&self, value: &Node) -> Option<f64> {
        let number = value.as_number()?;
        let (low, high) = self.ends();
        let share = match self.geometric {
            true => libm::log(number / low) / libm::log(high / low),
            false => (number - low) / (high - low),
        };
        let inside = (self.from..=self.to).contains(&number);
        inside.then(|| share.clamp(0.0, 1.0 - f64::EPSILON))
    }

    /// Returns whether it has a value between two numbers, or one of them.
    pub(super) fn has_between(&self, low: f64, high: f64) -> bool {
        let (low, high) = (low.max(self.from), high.min(self.to));
        if self.whole { low.ceil() <= high } else { low <= high }
    }

    /// Returns its ends in words.
    pub(super) fn shown(&self) -> String {
        format!("{} to {}", self.from, self.to)
    }

    /// Returns the value at a share of the range, in [0, 1). An integer is the nearest one: half a
    /// unit is added at both ends, so that each has its own part of the range. A real number has 6
    /// digits.
    pub(super) fn value(&self, share: f64) -> Node {
        let (low, high) = self.ends();
        let value = match self.geometric {
            true => libm::exp(libm::log(low) + share * (libm::log(high) - libm::log(low))),
            // The width of a range may exceed the greatest number.
            false if (high - low).is_infinite() => low * (1.0 - share) + high * share,
            false => low + share * (high - low),
        };
        let shape = match self.whole {
            true => Shape::Integer(value.round().clamp(self.from, self.to) as i64),
            false => Shape::Real(shortened(value).clamp(self.from, self.to)),
        };
        Node { shape, origin: self.node.origin }
    }
}

/// Returns the nearest number of 6 decimal digits.
fn shortened(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

/// Returns an end of a range.
fn end(key: &str, node: &Node, name: &str, out: &mut Faults) -> Option<f64> {
    let example = "write it as { from = 0.01, to = 0.5 }";
    let Some(end) = node.get(name) else {
        let message = format!("the range of `{key}` has no `{name}`");
        return node.error(message, format!("no `{name}`")).help(example).to(out);
    };
    match end.shape {
        Shape::Integer(number) if number.abs() <= EXACT => Some(number as f64),
        Shape::Real(number) if number.is_finite() => Some(number),
        _ => {
            let wanted = format!("a number; an integer is from -{EXACT} to {EXACT}");
            wrong_type(end, name, &wanted).help(example).to(out)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::parse::parse;
    use crate::config::source::Sources;

    fn spread(text: &str) -> Result<Spread, String> {
        let mut sources = Sources::default();
        let source = sources.add("x.toml", format!("x = {text}"));
        let mut out = Vec::new();
        let root = parse(&sources, source, &mut out);
        let node = root.get("x").expect("the key");
        let read = Spread::read("problem.n", node, node.entries().expect("a table"), &mut out);
        read.ok_or_else(|| {
            out.iter().map(|one| one.message.as_str()).collect::<Vec<_>>().join("; ")
        })
    }

    #[test]
    fn values_are_at_their_share_of_the_range() {
        for (text, share, value) in [
            ("{ from = 0.0, to = 1.0 }", 0.25, "0.25"),
            ("{ from = 1.0, to = 100.0, course = \"geometric\" }", 0.5, "10.0"),
            ("{ from = 0.001, to = 0.1, course = \"geometric\" }", 0.75, "0.0316228"),
            ("{ from = -3, to = 4.0 }", 0.0, "-3.0"),
            // Each of four integers has a quarter.
            ("{ from = 1, to = 4 }", 0.0, "1"),
            ("{ from = 1, to = 4 }", 0.2499, "1"),
            ("{ from = 1, to = 4 }", 0.2501, "2"),
            ("{ from = 1, to = 4 }", 0.9999, "4"),
            // From 0.5 to 8.5, geometric: 1.5 is at ln 3 / ln 17.
            ("{ from = 1, to = 8, course = \"geometric\" }", 0.3877, "1"),
            ("{ from = 1, to = 8, course = \"geometric\" }", 0.3878, "2"),
        ] {
            assert_eq!(spread(text).expect(text).value(share).to_toml(), value, "{text} {share}");
        }
        for (text, values) in [
            ("{ from = 0.001, to = 0.5, course = \"geometric\" }", ["0.001", "0.0246712", "0.5"]),
            ("{ from = 0.0, to = 1.0 }", ["0.0", "0.376652", "1.0"]),
            ("{ from = 2, to = 200, course = \"geometric\" }", ["2", "17", "200"]),
        ] {
            let spread = spread(text).expect(text);
            let node = |value: &str| Node {
                shape: match value.parse() {
                    Ok(number) => Shape::Integer(number),
                    Err(_) => Shape::Real(value.parse().expect("a number")),
                },
                origin: spread.node.origin,
            };
            for value in values {
                let share = spread.share(&node(value)).expect(value);
                assert_eq!(spread.value(share).to_toml(), value, "{text}");
            }
            assert_eq!(spread.share(&node("201")), None);
        }
        assert_eq!(spread("{ from = 3, to = 12 }").expect("a range").count(), Some(10));
        assert_eq!(spread("{ from = 3, to = 12.0 }").expect("a range").count(), None);
    }

    #[test]
    fn a_range_without_values_is_an_error() {
        for (text, words) in [
            ("{ from = 4 }", "has no `to`"),
            ("{ from = 4, to = 4 }", "no values between 4 and 4"),
            ("{ from = 0.0, to = 1.0, course = \"geometric\" }", "begins at 0"),
            ("{ from = 0.0, to = \"x\" }", "`to` must be a number"),
            ("{ from = 0.0, to = 1.0, course = \"lineal\" }", "`course`"),
            ("{ from = 0, to = 9007199254740993 }", "an integer is from"),
            ("{ from = 0, to = 9, by = 2 }", "unknown key `by`"),
        ] {
            let error = spread(text).expect_err(text);
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
