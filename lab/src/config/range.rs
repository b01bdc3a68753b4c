//! Ranges of a sweep, such as `{ from = 0.1, to = 0.5, step = 0.1 }`, and the values in them.

use super::diagnostic::Diagnostic;
use super::fields::{check_keys, wrong_type};
use super::node::{Entry, Node, Shape};

/// Most values of a range: an experiment has no more arms.
const MOST: usize = 1_000_000;

pub(super) const FROM: &str = "from";
pub(super) const TO: &str = "to";
pub(super) const STEP: &str = "step";
pub(super) const FACTOR: &str = "factor";
/// Names of the number of values in other tools.
const COUNTS: [&str; 5] = ["count", "num", "number", "points", "steps"];
pub(super) const KEYS: [&str; 4] = [FROM, TO, STEP, FACTOR];

/// Returns whether a table is meant as a range. Below [sweep] a dotted key without quotes makes
/// tables too; what these lead to are lists and ranges, and no numbers.
pub(super) fn is_range(entries: &[Entry]) -> bool {
    let number = |entry: &Entry| !matches!(entry.value.shape, Shape::List(_) | Shape::Table(_));
    entries.iter().any(|entry| KEYS.contains(&entry.key.as_str()) && number(entry))
}

/// An exact decimal number: `digits` times ten to the power of `-places`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Decimal {
    digits: i128,
    places: u32,
}

impl Decimal {
    /// Returns the number as it was written; `None` if it has too many digits to be computed with.
    fn of(node: &Node) -> Option<Decimal> {
        let text = match node.shape {
            Shape::Integer(number) => number.to_string(),
            // The shortest digits that read back as the same number, without an exponent.
            Shape::Real(number) if number.is_finite() => number.to_string(),
            _ => return None,
        };
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        let digits = format!("{whole}{fraction}").parse().ok()?;
        Some(Decimal { digits, places: u32::try_from(fraction.len()).ok()? })
    }

    /// Returns both numbers with the same number of decimal places.
    fn alike(self, other: Decimal) -> Option<(i128, i128, u32)> {
        let places = self.places.max(other.places);
        let scaled =
            |one: Decimal| 10_i128.checked_pow(places - one.places)?.checked_mul(one.digits);
        Some((scaled(self)?, scaled(other)?, places))
    }

    fn plus(self, other: Decimal) -> Option<Decimal> {
        let (one, other, places) = self.alike(other)?;
        Some(Decimal { digits: one.checked_add(other)?, places })
    }

    fn times(self, other: Decimal) -> Option<Decimal> {
        let product = Decimal {
            digits: self.digits.checked_mul(other.digits)?,
            places: self.places + other.places,
        };
        Some(product.shortest())
    }

    /// Returns the number without zeros at the end.
    fn shortest(mut self) -> Decimal {
        while self.places > 0 && self.digits % 10 == 0 {
            self = Decimal { digits: self.digits / 10, places: self.places - 1 };
        }
        self
    }

    fn compare(self, other: Decimal) -> Option<std::cmp::Ordering> {
        let (one, other, _) = self.alike(other)?;
        Some(one.cmp(&other))
    }

    fn is_positive(self) -> bool {
        self.digits > 0
    }

    /// Returns the number as TOML, with a point if it is not whole or if `real` is set.
    fn text(self, real: bool) -> String {
        let Decimal { digits, places } = self.shortest();
        if places == 0 {
            return if real { format!("{digits}.0") } else { digits.to_string() };
        }
        let sign = if digits < 0 { "-" } else { "" };
        let padded = format!("{:0>width$}", digits.unsigned_abs(), width = places as usize + 1);
        let (whole, fraction) = padded.split_at(padded.len() - places as usize);
        format!("{sign}{whole}.{fraction}")
    }
}

/// Returns the values of a range, from the first to the last, both included. `key` is the swept
/// key.
///
/// # Errors
/// Returns the faults of the range.
pub(super) fn values(
    key: &str,
    node: &Node,
    entries: &[Entry],
) -> Result<Vec<Node>, Vec<Diagnostic>> {
    let mut out = Vec::new();
    check_keys(entries, &KEYS, "a range", &mut out);
    let example =
        "write it as { from = 4, to = 32, step = 4 } or { from = 1, to = 64, factor = 2 }";
    if !out.is_empty() && node.get(STEP).or(node.get(FACTOR)).is_none() {
        // The unknown key is the only slip.
        let counts = entries.iter().any(|entry| COUNTS.contains(&entry.key.as_str()));
        let helped = |one: Diagnostic| if counts { one.help(example) } else { one };
        return Err(out.into_iter().map(helped).collect());
    }
    let by = match (node.get(STEP), node.get(FACTOR)) {
        (Some(step), None) => Some((STEP, step)),
        (None, Some(factor)) => Some((FACTOR, factor)),
        (step, _) => {
            let label = if step.is_some() { "both step and factor" } else { "no step or factor" };
            let error =
                node.error(format!("the range of `{key}` needs either a step or a factor"), label);
            let rule = "without either, it needs a `sample`, which takes values between the ends";
            out.push(error.rule(rule).help(example));
            None
        }
    };
    let mut number = |name: &str| match node.get(name) {
        None => {
            let error =
                node.error(format!("the range of `{key}` has no `{name}`"), format!("no `{name}`"));
            out.push(error.help(example));
            None
        }
        Some(node) => {
            let decimal = Decimal::of(node);
            if decimal.is_none() {
                out.push(wrong_type(node, name, "a number of at most 38 digits").help(example));
            }
            decimal
        }
    };
    let (from, to) = (number(FROM), number(TO));
    let by_number = by.map(|(name, _)| number(name));
    if !out.is_empty() {
        return Err(out);
    }
    let (Some(from), Some(to), Some((name, by_node)), Some(Some(by))) = (from, to, by, by_number)
    else {
        return Err(out);
    };
    let is_real =
        |key: &str| node.get(key).is_some_and(|node| matches!(node.shape, Shape::Real(_)));
    let texts = walk(key, from, to, (name, by), node, by_node)?;
    // Halves of whole numbers are whole as long as all of them are.
    let is_whole = |decimal: &Decimal| decimal.shortest().places == 0;
    let real = [FROM, TO, STEP].into_iter().any(is_real) || !texts.iter().all(is_whole);
    let shape = |decimal: Decimal| {
        let text = decimal.text(real);
        match text.parse() {
            Ok(integer) if !real => Some(Shape::Integer(integer)),
            _ => text.parse().ok().filter(|_| real).map(Shape::Real),
        }
    };
    let shapes: Option<Vec<Shape>> = texts.into_iter().map(shape).collect();
    let shapes = shapes.ok_or_else(|| vec![too_long(key, node)])?;
    Ok(shapes.into_iter().map(|shape| Node { shape, origin: node.origin }).collect())
}

/// Returns the values from the first to the last.
fn walk(
    key: &str,
    from: Decimal,
    to: Decimal,
    (name, by): (&str, Decimal),
    node: &Node,
    by_node: &Node,
) -> Result<Vec<Decimal>, Vec<Diagnostic>> {
    let long = || vec![too_long(key, node)];
    let grows = to.compare(from).ok_or_else(long)?.is_ge();
    let next = |value: Decimal| if name == STEP { value.plus(by) } else { value.times(by) };
    let away = match name {
        STEP => by.digits == 0 || by.is_positive() != grows,
        _ => {
            let one = Decimal { digits: 1, places: 0 };
            let larger = by.compare(one).ok_or_else(long)?;
            !from.is_positive() || !by.is_positive() || larger.is_eq() || larger.is_gt() != grows
        }
    };
    if away && from.compare(to).ok_or_else(long)?.is_ne() {
        let error = by_node.error(
            format!(
                "the range of `{key}` never gets from {} to {}",
                from.text(false),
                to.text(false)
            ),
            format!("this {name} leads elsewhere"),
        );
        let rule = match name {
            STEP => "a step is added: positive to go up, negative to go down",
            _ => "a factor multiplies positive numbers: above 1 to go up, below 1 to go down",
        };
        return Err(vec![error.rule(rule).help(format!("change the {name}, or `from` and `to`"))]);
    }
    let mut values = vec![from];
    let mut value = from;
    while value.compare(to).ok_or_else(long)?.is_ne() {
        let before = value;
        value = next(value).ok_or_else(long)?;
        let order = value.compare(to).ok_or_else(long)?;
        if if grows { order.is_gt() } else { order.is_lt() } {
            let (last, beyond) = (before.text(false), value.text(false));
            let at = node.get(TO).map_or(node.origin, |to| to.origin);
            let error = at.error(
                format!("the range of `{key}` passes by {}", to.text(false)),
                format!("the values next to it are {last} and {beyond}"),
            );
            let error = error.rule("both ends of a range are among its values");
            return Err(vec![error.help(format!("write to = {last}, or to = {beyond}"))]);
        }
        values.push(value);
        if values.len() > MOST {
            let error = node.error(
                format!("the range of `{key}` has more than {MOST} values"),
                "too many values",
            );
            return Err(vec![error.help(format!("choose a larger {name}"))]);
        }
    }
    Ok(values)
}

fn too_long(key: &str, node: &Node) -> Diagnostic {
    let error = node.error(
        format!("the range of `{key}` has values that are too large or have too many digits"),
        "beyond 38 digits, or beyond 64 bits",
    );
    error.help("choose numbers with fewer digits, or list the values")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::parse::parse;
    use crate::config::source::Sources;
    use proptest::prelude::*;

    fn range(text: &str) -> Result<String, String> {
        let mut sources = Sources::default();
        let source = sources.add("x.toml", format!("x = {text}"));
        let root = parse(&sources, source, &mut Vec::new());
        let node = root.get("x").expect("the key");
        let Shape::Table(entries) = &node.shape else { panic!("a table") };
        assert!(is_range(entries));
        let found = values("problem.n", node, entries);
        let texts =
            |nodes: Vec<Node>| nodes.iter().map(Node::to_toml).collect::<Vec<_>>().join(" ");
        found.map(texts).map_err(|errors| {
            errors.iter().map(|one| one.message.as_str()).collect::<Vec<_>>().join("; ")
        })
    }

    #[test]
    fn both_ends_are_among_the_values_and_decimals_are_exact() {
        for (text, values) in [
            ("{ from = 4, to = 16, step = 4 }", "4 8 12 16"),
            ("{ from = 16, to = 4, step = -4 }", "16 12 8 4"),
            ("{ from = 1, to = 64, factor = 2 }", "1 2 4 8 16 32 64"),
            ("{ from = 0.1, to = 0.5, step = 0.1 }", "0.1 0.2 0.3 0.4 0.5"),
            ("{ from = -0.2, to = 0.2, step = 0.1 }", "-0.2 -0.1 0.0 0.1 0.2"),
            ("{ from = 0, to = 1, step = 0.25 }", "0.0 0.25 0.5 0.75 1.0"),
            ("{ from = 1, to = 0.001, factor = 0.1 }", "1.0 0.1 0.01 0.001"),
            ("{ from = 1e-7, to = 1e-5, factor = 10 }", "1e-7 1e-6 1e-5"),
            ("{ from = 1, to = 3.375, factor = 1.5 }", "1.0 1.5 2.25 3.375"),
            ("{ from = 7, to = 7, step = 1 }", "7"),
            ("{ from = 64, to = 8, factor = 0.5 }", "64 32 16 8"),
            ("{ from = 5, to = 1.25, factor = 0.5 }", "5.0 2.5 1.25"),
        ] {
            assert_eq!(range(text).as_deref(), Ok(values), "{text}");
        }
    }

    #[test]
    fn a_range_that_goes_nowhere_is_an_error() {
        for (text, words) in [
            ("{ from = 4, to = 32 }", "needs either a step or a factor"),
            ("{ from = 4, to = 32, step = 1, factor = 2 }", "needs either a step or a factor"),
            ("{ from = 4, step = 1 }", "has no `to`"),
            ("{ from = 4, to = \"x\", step = 1 }", "`to` must be a number"),
            ("{ from = 4, to = 32, step = 5 }", "passes by 32"),
            ("{ from = 4, to = 32, step = -4 }", "never gets from 4 to 32"),
            ("{ from = 4, to = 32, step = 0 }", "never gets from 4 to 32"),
            ("{ from = 0, to = 32, factor = 2 }", "never gets from 0 to 32"),
            ("{ from = 4, to = 32, factor = 1 }", "never gets from 4 to 32"),
            ("{ from = 4, to = 32, factor = 0.5 }", "never gets from 4 to 32"),
            ("{ from = 0, to = 10000000, step = 1 }", "has more than 1000000 values"),
            ("{ from = 1, to = 2, factor = 1.00000000000001 }", "too many digits"),
            ("{ from = 1, to = 2, step = 1, by = 3 }", "unknown key `by` in a range"),
        ] {
            let error = range(text).expect_err(text);
            assert!(error.contains(words), "{text}: {error}");
        }
    }

    proptest! {
        /// Each value is the number that its decimal digits read as.
        #[test]
        fn steps_of_hundredths_are_the_numbers_that_one_would_write(
            first in -500_i64..500, step in 1_i64..50, more in 0_i64..40,
        ) {
            let written = |hundredths: i64| {
                let (sign, size) = (if hundredths < 0 { "-" } else { "" }, hundredths.abs());
                format!("{sign}{}.{:02}", size / 100, size % 100)
            };
            let text = format!(
                "{{ from = {}, to = {}, step = {} }}",
                written(first), written(first + step * more), written(step)
            );
            let expected: Vec<String> = (0..=more).map(|place| {
                let number: f64 = written(first + step * place).parse().expect("a number");
                // The text -0.00 is no number that is reckoned with.
                format!("{:?}", if number == 0.0 { 0.0 } else { number })
            }).collect();
            prop_assert_eq!(range(&text), Ok(expected.join(" ")));
        }
    }
}
