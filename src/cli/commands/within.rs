//! `runner compare --within KEY`: compares operator sets at each value of a swept key and over all
//! values.

use crate::analysis::comparison::{Factors, Sample, factors};
use crate::cli::Failure;
use crate::cli::arguments::CompareArguments;

/// Returns the requested comparisons.
///
/// # Errors
/// Returns an error if a key is not swept, an arm does not exist, or there is nothing to compare.
pub(super) fn within<'a>(
    arguments: &CompareArguments,
    samples: &'a [Sample],
) -> Result<Factors<'a>, Failure> {
    let mut swept: Vec<&String> = Vec::new();
    for (key, _) in samples.iter().flat_map(|sample| &sample.swept) {
        if !swept.contains(&key) {
            swept.push(key);
        }
    }
    let mut keys = Vec::new();
    for key in &arguments.within {
        keys.push(named(key, &swept)?.clone());
    }
    // Keys are in the order of the file, not of the arguments.
    let keys: Vec<String> = swept.into_iter().filter(|key| keys.contains(key)).cloned().collect();
    let against = arguments.against.as_deref();
    let found = factors(samples, &keys, against, arguments.all_pairs);
    let base = |name: &str| samples.iter().any(|sample| sample.operators == name);
    if let Some(name) = against.filter(|name| !base(name)) {
        let mut sets: Vec<&str> = samples.iter().map(|sample| sample.operators.as_str()).collect();
        sets.dedup();
        return Err(Failure::usage(format!(
            "--against: with --within, name an operator set; there is none called `{name}`, they \
            are {}",
            sets.join(", ")
        )));
    }
    if found.questions.is_empty() {
        return Err(Failure::usage(format!(
            "--within {}: no two operator sets have arms of one problem at the same value; leave \
            out --within to compare all arms",
            keys.join(" --within ")
        )));
    }
    Ok(found)
}

/// Returns the swept key with this name, in full or by its last parts.
fn named<'a>(key: &str, swept: &[&'a String]) -> Result<&'a String, Failure> {
    let end = format!(".{key}");
    let ends: Vec<&&String> = swept.iter().filter(|own| own.ends_with(&end)).collect();
    let exact = swept.iter().find(|own| ***own == key);
    match (exact, ends.as_slice()) {
        (Some(found), _) => Ok(found),
        (None, [found]) => Ok(found),
        _ if swept.is_empty() => Err(Failure::usage(format!(
            "--within {key}: the experiment sweeps over no key; leave out --within"
        ))),
        _ => {
            let swept: Vec<&str> = swept.iter().map(|key| key.as_str()).collect();
            Err(Failure::usage(format!(
                "--within {key}: there is no single swept key of that name; the swept keys are {}",
                swept.join(", ")
            )))
        }
    }
}
