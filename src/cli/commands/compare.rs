//! `runner compare`: the arms of an experiment, or of two, compared.

use super::arms::open;
use super::comparison::{Arms, announce, refuse, samples_within, without_trials};
use super::output::put_table;
use super::sorting::{at, cut, order};
use super::within::within;
use crate::analysis::comparison::{
    Comparison, Family, Ground, Place, Rule, Sample, Shift, compare as compare_samples,
    compare_within, family, made_in_pairs, matched,
};
use crate::cli::Failure;
use crate::cli::arguments::CompareArguments;
use crate::exit::Exit;
use crate::plan::find_arm;
use crate::present::comparison::legend;
use crate::present::data_table::DataTable;
use crate::present::format::count;
use crate::present::terminal;
use crate::results::Results;
use serde_json::{Value, json};

/// Pairs that are compared at once.
const MOST_PAIRS: usize = 20_000;

pub(super) fn compare(arguments: &CompareArguments) -> Result<Exit, Failure> {
    let results = open(&arguments.folder, &arguments.arms)?;
    let other = arguments.other.as_deref().map(|other| open(other, &arguments.arms)).transpose()?;
    let both = std::iter::once(&results).chain(&other);
    let mut both = samples_within(both, arguments.budget)?.into_iter();
    let (first, second) = (both.next().unwrap_or_default(), both.next());
    let (found, rule) = match arguments.within.is_empty() {
        true => {
            let Family { pairs, rule } = pairs(arguments, &results, &first, second.as_deref())?;
            let paired = ready(&first, &pairs, arguments)?;
            (compare_samples(&pairs, paired), rule)
        }
        false => {
            let factors = within(arguments, &first)?;
            let pairs: Vec<_> = factors.pairs().collect();
            let paired = ready(&first, &pairs, arguments)?;
            (compare_within(&factors, paired, false), factors.rule(false))
        }
    };
    if found.is_empty() {
        return Err(Failure::new(
            Exit::SomeFailed,
            "fewer than two arms have usable trials, so there is nothing to compare",
        ));
    }
    let arms = Arms::of(&first, second.as_deref());
    let places = order(&sheet(&found), &arguments.sort)?;
    let shown = at(&found, &places);
    // All of them are one family, however many are shown.
    let words = [legend(&found, &rule), cut(shown.len(), found.len())].join(" ");
    put_table(
        &sheet(&shown),
        &arguments.form,
        || arms.table(&shown, &rule, words.trim_end(), ", and so does --csv"),
        || arms.latex(&shown, &rule, words.trim_end()),
    )?;
    Ok(Exit::Done)
}

/// Whether trials are compared in pairs, once it is clear that these arms can be compared; arms
/// without trials are warned of.
fn ready(
    arms: &[Sample],
    pairs: &[(&Sample, &Sample)],
    arguments: &CompareArguments,
) -> Result<bool, Failure> {
    check_number(arms, pairs.len())?;
    without_trials(pairs).iter().for_each(|words| warning!("{words}"));
    in_pairs(pairs, arguments)
}

/// The arms that are compared with each other.
fn pairs<'a>(
    arguments: &CompareArguments,
    results: &Results,
    first: &'a [Sample],
    second: Option<&'a [Sample]>,
) -> Result<Family<'a>, Failure> {
    if let Some((second, other)) = second.zip(arguments.other.as_deref()) {
        let found = matched(first, second);
        announce(&found, &arguments.folder, other);
        refuse(&found, arguments.across_problems)?;
        return Ok(Family { pairs: found.pairs, rule: Rule::Runs });
    }
    let Some(name) = &arguments.against else {
        return Ok(family(first, arguments.all_pairs));
    };
    let place =
        find_arm(results.arms(), name).map_err(|error| Failure::usage(error.to_string()))?;
    let base = &first[place];
    let is_other = |sample: &&Sample| sample.label != base.label && sample.problem == base.problem;
    Ok(Family {
        pairs: first.iter().filter(is_other).map(|sample| (sample, base)).collect(),
        rule: Rule::Against(base.label.clone()),
    })
}

/// Whether so many pairs can be compared together.
fn check_number(arms: &[Sample], pairs: usize) -> Result<(), Failure> {
    match pairs {
        0 => Err(Failure::usage("there are no two arms of one problem to compare")),
        1..=MOST_PAIRS => Ok(()),
        _ => Err(Failure::usage(format!(
            "{} arms make {} pairs, and with so many tests each has little power; leave out \
            --all-pairs, or compare each arm with one: --against '{}'",
            count(arms.len() as u64),
            count(pairs as u64),
            arms[0].label
        ))),
    }
}

/// Whether trials are compared in pairs: as they were made, unless the user says otherwise.
fn in_pairs(pairs: &[(&Sample, &Sample)], arguments: &CompareArguments) -> Result<bool, Failure> {
    let independent =
        pairs.iter().flat_map(|(one, other)| [one, other]).find(|sample| !sample.common);
    match independent {
        Some(sample) if arguments.paired => Err(Failure::usage(format!(
            "--paired: the trials of `{}` are independent (pairing = \"independent\"), so trial k \
            of one arm is unrelated to trial k of another; leave out --paired, or run the \
            experiment with pairing = \"common\"",
            sample.label
        ))),
        _ => Ok(arguments.paired || (!arguments.unpaired && made_in_pairs(pairs))),
    }
}

/// All columns.
fn sheet(compared: &[Comparison]) -> DataTable {
    let rows: Vec<_> = compared.iter().map(cells).collect();
    let columns = rows.first().into_iter().flatten().map(|(column, _)| *column).collect();
    let values = |cells: Vec<(&str, Value)>| cells.into_iter().map(|(_, value)| value).collect();
    DataTable { columns, rows: rows.into_iter().map(values).collect() }
}

fn cells(one: &Comparison) -> Vec<(&'static str, Value)> {
    let Comparison { difference_interval, effect_interval, .. } = one;
    // Without a target nothing is said of successes.
    let rates = one.defines_success;
    let of_rates = |value: f64| json!(rates.then_some(value));
    let effect_interval = effect_interval.filter(|_| rates);
    let p = |ground| json!(one.test(ground).map(|test| test.p));
    let p_adjusted = |ground| json!(one.test(ground).map(|test| test.p_adjusted));
    let fitness = one.fitness.as_ref();
    let fitness_effect = fitness.and_then(|fitness| fitness.effect_interval);
    let (speed, shift) = (one.speed, fitness.and_then(|fitness| fitness.shift));
    let value = |shift: Option<Shift>| json!(shift.map(|shift| shift.value));
    let low = |shift: Option<Shift>| json!(shift.and_then(|one| Some(one.interval?.low)));
    let high = |shift: Option<Shift>| json!(shift.and_then(|one| Some(one.interval?.high)));
    let mut cells = vec![("first", json!(one.first)), ("second", json!(one.second))];
    match &one.place {
        Place::Whole => {}
        Place::At(values) => cells.push(("within", json!(values.join(" ")))),
        Place::Over { .. } => cells.push(("within", json!("all"))),
    }
    cells.extend([
        ("first_trials", json!(one.trials.0)),
        ("second_trials", json!(one.trials.1)),
        ("first_failures", json!(one.failures.0)),
        ("second_failures", json!(one.failures.1)),
        ("first_rate", of_rates(one.rates.0)),
        ("second_rate", of_rates(one.rates.1)),
        ("difference", of_rates(one.difference)),
        ("difference_low", of_rates(difference_interval.low)),
        ("difference_high", of_rates(difference_interval.high)),
        ("difference_interval", json!(rates.then(|| one.interval_method()))),
        ("confidence", json!(one.confidence)),
        ("p", p(Ground::SuccessRate)),
        ("p_adjusted", p_adjusted(Ground::SuccessRate)),
        ("effect", of_rates(one.effect)),
        ("effect_low", json!(effect_interval.map(|interval| interval.low))),
        ("effect_high", json!(effect_interval.map(|interval| interval.high))),
        ("effect_size", json!(rates.then(|| terminal::effect(one)))),
        ("effect_p", p(Ground::Evaluations)),
        ("effect_p_adjusted", p_adjusted(Ground::Evaluations)),
        ("budget", json!(one.budget)),
        ("speed", value(speed)),
        ("speed_low", low(speed)),
        ("speed_high", high(speed)),
        ("ert_ratio", json!(one.ert_ratio)),
        ("first_fitness", json!(fitness.map(|fitness| fitness.medians.0))),
        ("second_fitness", json!(fitness.map(|fitness| fitness.medians.1))),
        ("fitness_shift", value(shift)),
        ("fitness_shift_low", low(shift)),
        ("fitness_shift_high", high(shift)),
        ("fitness_effect", json!(fitness.map(|fitness| fitness.effect))),
        ("fitness_effect_low", json!(fitness_effect.map(|interval| interval.low))),
        ("fitness_effect_high", json!(fitness_effect.map(|interval| interval.high))),
        ("fitness_p", p(Ground::FinalFitness)),
        ("fitness_p_adjusted", p_adjusted(Ground::FinalFitness)),
        ("ground", json!(one.ground.map(Ground::as_str))),
        ("verdict", json!(one.verdict.as_str())),
        ("open_failures", json!(one.verdict.open_failures())),
        ("trials_needed", json!(one.needed)),
    ]);
    cells
}
