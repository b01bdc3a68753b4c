//! `runner compare`: compares the arms of one experiment, or of two.

use super::arms::{open, tell_unfinished};
use super::comparison::{Arms, announce, refuse, samples_within, without_trials};
use super::output::put_report;
use super::sorting::{chosen, cut};
use super::within::within;
use crate::analysis::DifferenceMethod;
use crate::analysis::comparison::{
    Comparison, Family, MOST_PAIRS, Rule, Sample, answers, compare as compare_samples,
    compare_within, family, made_in_pairs, matched, tests_of,
};
use crate::cli::Failure;
use crate::cli::arguments::CompareArguments;
use crate::cli::message::show;
use crate::exit::Exit;
use crate::plan::find_arm;
use crate::present::answer::{answer_lines, answer_report};
use crate::present::comparison::{budget_words, legend, rule_words};
use crate::present::report::{fitted, latex, paragraph};
use crate::results::Results;
use crate::words::{count, counted};

pub(super) fn compare(arguments: &CompareArguments) -> Result<Exit, Failure> {
    let results = open(&arguments.folder, &arguments.arms)?;
    let other = arguments.other.as_deref().map(|other| open(other, &arguments.arms)).transpose()?;
    let both = std::iter::once(&results).chain(&other);
    both.clone().for_each(tell_unfinished);
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
    let report = Arms::of(&first, second.as_deref()).report(&found, &rule);
    let shown = chosen(&report, &arguments.sort)?;
    // All pairs are one family, however many are shown.
    let notes = [legend(&found, &rule), cut(shown.rows(), found.len())].join(" ");
    let notes = notes.trim_end();
    let answer = answers(&first, &found);
    let groups = rule == Rule::EveryTwo && !answer.is_empty() && !arguments.shows_pairs();
    put_report(
        &shown,
        &arguments.form,
        |width| {
            let (table, also) = match groups {
                true => (answer_report(&answer), ""),
                false => (shown.clone(), "--csv"),
            };
            let lines = answer_lines(&answer, &found).into_iter();
            let lines: String = lines.map(|line| paragraph(&line, width)).collect();
            let gap = if lines.is_empty() { "" } else { "\n" };
            let below = match arguments.explain {
                true => notes.to_owned(),
                false => note(&found, groups, &cut(shown.rows(), found.len())),
            };
            format!("{lines}{gap}{}{}", fitted(&[table], width, also), paragraph(&below, width))
        },
        || latex(&shown, notes),
    )?;
    Ok(Exit::Done)
}

/// Returns the line below the table: the number of tests, and the options that show more.
fn note(found: &[Comparison], groups: bool, cut: &str) -> String {
    let tests = match tests_of(found).map(|tests| tests as u64) {
        [0 | 1, 0 | 1] => String::new(),
        [tests, 0] | [0, tests] => format!("p adjusted for {} tests (Holm). ", count(tests)),
        [tests, baselines] => format!(
            "p adjusted for {}, and for {} against baselines (Holm). ",
            counted(tests, "test"),
            count(baselines)
        ),
    };
    let (groups, pairs) = match groups {
        true => ("Arms that share a letter are not told apart. ", "--pairs, "),
        false => ("", ""),
    };
    let rates = match found.iter().any(|one| one.defines_success) {
        true => "",
        false => "Success is not defined: there is no target. ",
    };
    let cut = if cut.is_empty() { String::new() } else { format!("{cut} ") };
    let budgets = budget_words(found);
    format!("{cut}{groups}{rates}{tests}More: {pairs}--explain.{budgets}{}", rule_words(found))
}

impl CompareArguments {
    /// Returns whether the user asks for a row per comparison.
    fn shows_pairs(&self) -> bool {
        self.pairs || self.all_pairs || self.sort.sort.is_some() || self.sort.top.is_some()
    }
}

/// Returns whether trials are compared in pairs. Warns of arms without trials.
fn ready(
    arms: &[Sample],
    pairs: &[(&Sample, &Sample)],
    arguments: &CompareArguments,
) -> Result<bool, Failure> {
    check_number(arms, pairs.len())?;
    without_trials(pairs).iter().for_each(show);
    in_pairs(pairs, arguments)
}

/// Returns the pairs of arms that are compared.
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

/// Refuses numbers of pairs that cannot be compared together.
fn check_number(arms: &[Sample], pairs: usize) -> Result<(), Failure> {
    match pairs {
        0 => Err(Failure::usage("there are no two arms of one problem to compare")),
        1..=MOST_PAIRS => Ok(()),
        _ => {
            let against = match pairs > arms.len() {
                true => ", or all with one of them by --against",
                false => "",
            };
            Err(Failure::usage(format!(
                "{} arms make {} pairs, and with so many tests each has little power; choose at \
                most {} pairs: some arms by --arm '{}'{against}",
                count(arms.len() as u64),
                count(pairs as u64),
                count(MOST_PAIRS as u64),
                arms[0].label
            )))
        }
    }
}

/// Returns whether trials are compared in pairs: as they were made, unless the user says otherwise.
fn in_pairs(pairs: &[(&Sample, &Sample)], arguments: &CompareArguments) -> Result<bool, Failure> {
    let ended_in_pairs = |one: &Sample, other: &Sample| {
        let method = DifferenceMethod::of(one.stopping_rule.as_ref(), one.common && other.common);
        one.folder == other.folder && method.is_anytime() && method.is_paired()
    };
    if let Some((one, _)) = pairs.iter().find(|(one, other)| ended_in_pairs(one, other))
        && arguments.unpaired
    {
        return Err(Failure::usage(format!(
            "--unpaired: a stopping rule (`repeats`) decided how many trials `{}` has, and with it \
            only a comparison of pairs is valid here; leave out --unpaired",
            one.label
        )));
    }
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
