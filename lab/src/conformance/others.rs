//! Checks that instances with other parameters do not change the answers of a problem.

use super::answers::{ask, digest};
use super::subject::{Subject, seed};
use super::{Finding, Found, LARGEST, genome_bytes};
use crate::problem::Library;
use crate::problem::parameter::{Kind, Parameter, Value};
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

/// Rows that each instance is asked for.
const ROWS: usize = 8;
/// Instances with other values per parameter.
const INSTANCES: usize = 2;

/// Returns the digest of a problem that was created and asked among instances with other
/// parameters: one of them is created before it, all are asked before it.
pub(super) fn digest_among_others(
    library: &Arc<Library>,
    values: &[Value],
    time: Duration,
) -> Found {
    let mut others = others(library, values, time);
    let Some(first) = others.next() else {
        let words = "no other values of its parameters make a problem";
        return Ok(Finding::Skipped(words.to_owned()));
    };
    let problem = library.create(values).map_err(|error| Finding::Failed(error.to_string()))?;
    let subject = Subject { problem, rows: ROWS, time };
    let genomes = subject.sample(&seed(0), 0, ROWS)?;
    let disturb = |other: &Subject| {
        let (one, two) = (other.description(), subject.description());
        let is_alike = (one.encoding, one.gene, one.genome_length, &one.bounds)
            == (two.encoding, two.gene, two.genome_length, &two.bounds);
        // A call that fails here fails in the checks of a problem with these values.
        _ = if is_alike {
            ask(other, &genomes, ROWS)
        } else {
            other.sample(&seed(0), 0, ROWS).and_then(|genomes| ask(other, &genomes, ROWS))
        };
    };
    disturb(&first);
    for other in others {
        disturb(&other);
    }
    digest(&subject)
}

/// Creates instances that differ from these values in one parameter.
fn others<'library>(
    library: &'library Arc<Library>,
    values: &'library [Value],
    time: Duration,
) -> impl Iterator<Item = Subject> + use<'library> {
    let parameters = library.parameters().iter().zip(values).enumerate();
    parameters.flat_map(move |(place, (parameter, value))| {
        let create = move |other| {
            let mut values = values.to_vec();
            values[place] = other;
            let problem = library.create(&values).ok()?;
            let is_small = genome_bytes(problem.description()) <= LARGEST;
            is_small.then_some(Subject { problem, rows: ROWS, time })
        };
        others_near(parameter, value).into_iter().filter_map(create).take(INSTANCES)
    })
}

/// Other values of a parameter, the nearest first, because a distant one may make a huge problem.
fn others_near(parameter: &Parameter, value: &Value) -> Vec<Value> {
    match (&parameter.kind, value) {
        (Kind::Integer { low, high }, Value::Integer(value)) => {
            let others = [value.checked_add(1), value.checked_sub(1), value.checked_mul(2)];
            let others = others.into_iter().flatten().chain([value / 2]);
            let others = others.filter(|other| other != value && (low..=high).contains(&other));
            others.map(Value::Integer).collect()
        }
        (Kind::Real { low, high, .. }, Value::Real(value)) => {
            let others = [(value + low) / 2.0, (value + high) / 2.0, value + 1.0, value - 1.0];
            let is_other = |other: &f64| other != value && (low..=high).contains(&other);
            let others = others.into_iter().filter(|other| other.is_finite() && is_other(other));
            others.map(Value::Real).collect()
        }
        (Kind::Boolean, Value::Boolean(value)) => vec![Value::Boolean(!value)],
        (Kind::Choice(words), Value::Text(value)) => {
            let others = words.iter().filter(|word| *word != value);
            others.map(|word| Value::Text(Cow::clone(word))).collect()
        }
        _ => Vec::new(),
    }
}
