//! `runner compare`: arms beside each other; `runner diff`: two runs of one experiment, as a gate.

use super::output::{line, put, put_sheet};
use super::terminal;
use crate::cli::{CompareArguments, DiffArguments, FailOn};
use crate::comparison::{Comparison, Sample, compare as compare_samples, pairs as all_pairs};
use crate::exit::Exit;
use crate::report::{Sheet, count, p_words, rate};
use crate::results::{Results, ResultsError, Verdict};
use crate::stats::effect_word;
use serde_json::{Value, json};
use std::path::Path;

/// Pairs that are compared at once.
const MOST_PAIRS: usize = 20_000;

pub fn compare(arguments: &CompareArguments) -> Exit {
    let (first, second) = match samples(&arguments.folder, arguments.other.as_deref()) {
        Ok(samples) => samples,
        Err(error) => {
            message!("error: {error}");
            return Exit::Results;
        }
    };
    let mut pairs: Vec<(&Sample, &Sample)> = Vec::new();
    if let Some(second) = &second {
        pairs.extend(first.iter().filter_map(|one| Some((one, alike(second, one)?))));
    } else if let Some(name) = &arguments.against {
        let Some(base) = first.iter().find(|sample| sample.label == *name) else {
            let labels: Vec<String> = first.iter().map(|sample| format!("`{}`", sample.label)).collect();
            message!("error: there is no arm `{name}`; the arms are {}", labels.join(", "));
            return Exit::Usage;
        };
        pairs.extend(first.iter().filter(|sample| sample.label != *name).map(|sample| (sample, base)));
    } else {
        pairs = all_pairs(&first);
        if pairs.len() > MOST_PAIRS {
            let (arms, all) = (count(first.len() as u64), count(pairs.len() as u64));
            message!(
                "error: {arms} arms make {all} pairs, and a test among so many tells little; compare each with one: --against '{}'",
                first[0].label
            );
            return Exit::Usage;
        }
    }
    if pairs.is_empty() {
        message!("error: there are no two arms of one problem to compare");
        return Exit::Usage;
    }
    let sheet = sheet(&compare_samples(&pairs, arguments.paired));
    put_sheet(&sheet, &arguments.form, &HEADINGS)
}

/// Compares arms of the same label, and fails if one got worse.
pub fn diff(arguments: &DiffArguments) -> Exit {
    let (new, old) = match samples(&arguments.new, Some(&arguments.old)) {
        Ok((new, old)) => (new, old.unwrap_or_default()),
        Err(error) => {
            message!("error: {error}");
            return Exit::Results;
        }
    };
    let pairs: Vec<(&Sample, &Sample)> = new.iter().filter_map(|one| Some((one, alike(&old, one)?))).collect();
    for gone in old.iter().filter(|sample| alike(&new, sample).is_none()) {
        message!("warning: `{}` is in the old results alone", gone.label);
    }
    if pairs.is_empty() {
        message!("error: no arm is in both results");
        return Exit::Usage;
    }
    let compared = compare_samples(&pairs, false);
    put(&sheet(&compared).table(&HEADINGS, terminal::width()));
    let with = |verdict| compared.iter().filter(|one| one.verdict == verdict).count();
    let (worse, better) = (with(Verdict::Worse), with(Verdict::Better));
    line!("{worse} worse, {better} better, {} cannot be told apart", compared.len() - worse - better);
    let fails = match arguments.fail_on {
        FailOn::Never => false,
        FailOn::Worse => worse > 0,
        FailOn::Changed => worse + better > 0,
    };
    if fails { Exit::SomeFailed } else { Exit::Done }
}

fn alike<'a>(samples: &'a [Sample], one: &Sample) -> Option<&'a Sample> {
    samples.iter().find(|other| other.label == one.label)
}

type Samples = (Vec<Sample>, Option<Vec<Sample>>);

fn samples(folder: &Path, other: Option<&Path>) -> Result<Samples, ResultsError> {
    let read = |folder: &Path| Sample::read(&Results::open(folder)?);
    Ok((read(folder)?, other.map(read).transpose()?))
}

const HEADINGS: [(&str, &str); 9] = [
    ("first", "arm"),
    ("second", "against"),
    ("first_rate_words", "rate"),
    ("second_rate_words", "its\nrate"),
    ("difference_words", "difference\n(95 %)"),
    ("p_words", "p\n(Holm)"),
    ("effect_words", "fewer\nevaluations"),
    ("ert_ratio", "ERT\nratio"),
    ("verdict", "verdict"),
];

fn sheet(compared: &[Comparison]) -> Sheet {
    let columns = vec![
        "first",
        "second",
        "first_trials",
        "second_trials",
        "first_rate",
        "second_rate",
        "first_rate_words",
        "second_rate_words",
        "difference",
        "difference_low",
        "difference_high",
        "difference_words",
        "p",
        "p_adjusted",
        "p_words",
        "effect",
        "effect_low",
        "effect_high",
        "effect_size",
        "effect_words",
        "effect_p",
        "effect_p_adjusted",
        "ert_ratio",
        "verdict",
    ];
    let row = |one: &Comparison| -> Vec<Value> {
        let Comparison { difference_interval, effect_interval, .. } = one;
        let difference =
            format!("{:+.3}\n({:+.3}–{:+.3})", one.difference, difference_interval.low, difference_interval.high);
        vec![
            json!(one.first),
            json!(one.second),
            json!(one.trials.0),
            json!(one.trials.1),
            json!(one.rates.0),
            json!(one.rates.1),
            json!(rate(one.rates.0)),
            json!(rate(one.rates.1)),
            json!(one.difference),
            json!(difference_interval.low),
            json!(difference_interval.high),
            json!(difference),
            json!(one.p),
            json!(one.p_adjusted),
            json!(p_words(one.p_adjusted)),
            json!(one.effect),
            json!(effect_interval.low),
            json!(effect_interval.high),
            json!(effect_word(one.effect)),
            json!(format!("{:.2}\n{}", one.effect, effect_word(one.effect))),
            json!(one.effect_p),
            json!(one.effect_p_adjusted),
            json!(one.ert_ratio),
            json!(one.verdict_words()),
        ]
    };
    Sheet { columns, rows: compared.iter().map(row).collect() }
}
