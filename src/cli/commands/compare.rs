//! `runner compare`: arms beside each other; `runner diff`: two runs of one experiment, as a gate.

use super::output::{line, put, put_table};
use crate::analysis::Verdict;
use crate::analysis::comparison::{
    Comparison, Family, Matched, Rule, Sample, compare as compare_samples, family, made_in_pairs,
    matched,
};
use crate::cli::{CompareArguments, DiffArguments, FailOn, Failure};
use crate::exit::Exit;
use crate::present::comparison::{legend, verdict};
use crate::present::data_table::DataTable;
use crate::present::format::count;
use crate::present::terminal::{self, ArmName};
use crate::results::{Provenance, Results, samples};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::Path;

/// Pairs that are compared at once.
const MOST_PAIRS: usize = 20_000;

pub fn compare(arguments: &CompareArguments) -> Result<Exit, Failure> {
    let first = read(&arguments.folder)?;
    let second = arguments.other.as_deref().map(read).transpose()?;
    let Family { pairs, rule } = match (&second, &arguments.against) {
        (Some(second), _) => {
            let found = matched(&first, second);
            announce(
                &found,
                &arguments.folder,
                arguments.other.as_deref().unwrap_or(Path::new("")),
            );
            refuse(&found, arguments.across_problems)?;
            Family { pairs: found.pairs, rule: Rule::Runs }
        }
        (None, Some(name)) => against(&first, name)?,
        (None, None) => family(&first, arguments.all_pairs),
    };
    if pairs.len() > MOST_PAIRS {
        let (arms, all) = (count(first.len() as u64), count(pairs.len() as u64));
        let words = format!(
            "{arms} arms make {all} pairs, and with so many tests each has little power; leave out \
            --all-pairs, or compare each arm with one: --against '{}'",
            first[0].label
        );
        return Err(Failure::usage(words));
    }
    if pairs.is_empty() {
        return Err(Failure::usage("there are no two arms of one problem to compare"));
    }
    let paired = in_pairs(&pairs, arguments)?;
    let empty = without_trials(&pairs);
    empty.iter().for_each(|words| warning!("{words}"));
    let found = compare_samples(&pairs, paired);
    if found.is_empty() {
        return Err(Failure::new(
            Exit::SomeFailed,
            "fewer than two arms have usable trials, so there is nothing to compare",
        ));
    }
    let arms = Arms::of(&first, second.as_deref());
    put_table(&sheet(&found), &arguments.form, || {
        arms.table(&found, &rule, ", and so does --csv")
    })?;
    Ok(Exit::Done)
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

/// Each arm of its problem against the one of this label.
fn against<'a>(samples: &'a [Sample], name: &str) -> Result<Family<'a>, Failure> {
    let Some(base) = samples.iter().find(|sample| sample.label == *name) else {
        let labels: Vec<String> =
            samples.iter().map(|sample| format!("`{}`", sample.label)).collect();
        return Err(Failure::usage(format!(
            "there is no arm `{name}`; the arms are {}",
            labels.join(", ")
        )));
    };
    let others = samples
        .iter()
        .filter(|sample| sample.label != base.label && sample.problem == base.problem);
    Ok(Family {
        pairs: others.map(|sample| (sample, base)).collect(),
        rule: Rule::Against(name.to_owned()),
    })
}

/// Compares the arms of two runs, and fails if one got worse.
pub fn diff(arguments: &DiffArguments) -> Result<Exit, Failure> {
    let (new, old) = (read(&arguments.new)?, read(&arguments.old)?);
    let found = matched(&new, &old);
    announce(&found, &arguments.new, &arguments.old);
    refuse(&found, arguments.across_problems)?;
    let silent: Vec<String> = without_trials(&found.pairs);
    silent.iter().for_each(|words| warning!("{words}"));
    // An arm that has nothing to show any more is no better than one that got worse.
    let lost = found.pairs.iter().filter(|(new, _)| new.trials() == 0).count() + found.gone.len();
    let compared = compare_samples(&found.pairs, false);
    if !compared.is_empty() {
        put(&Arms::of(&new, Some(&old)).table(&compared, &Rule::Runs, ""));
    }
    let with = |verdict| compared.iter().filter(|one| one.verdict == verdict).count();
    let (worse, better) = (with(Verdict::Worse), with(Verdict::Better));
    let mut words = format!(
        "{worse} worse, {better} better, {} cannot be told apart",
        compared.len() - worse - better
    );
    // A gate does not open because trials failed.
    let open = |one: &&Comparison| {
        one.failed() > 0 && one.verdict != Verdict::Worse && one.if_against == Verdict::Worse
    };
    let may_be_worse = compared.iter().filter(open).count();
    let may_differ = compared.iter().any(|one| matches!(one.verdict, Verdict::Open { .. }));
    for (number, what) in [
        (may_be_worse, "may be worse, given their failed trials"),
        (silent.len(), "without usable trials"),
        (found.gone.len(), "gone"),
        (found.added.len(), "new"),
    ] {
        if number > 0 {
            words.push_str(&format!(", {number} {what}"));
        }
    }
    line!("{words}");
    let fails = match arguments.fail_on {
        FailOn::Never => false,
        FailOn::Worse => worse + may_be_worse + lost > 0,
        FailOn::Changed => worse + better + may_be_worse + lost > 0 || may_differ,
    };
    if fails && lost > 0 {
        return Err(Failure::new(
            Exit::SomeFailed,
            format!(
                "{lost} of the old run's arms have no usable trials in {}",
                arguments.new.display()
            ),
        ));
    }
    Ok(if fails { Exit::SomeFailed } else { Exit::Done })
}

/// Says what an arm-by-arm comparison leaves out, and which settings differ where it goes on.
fn announce(found: &Matched<'_>, new: &Path, old: &Path) {
    for line in origins(new, old) {
        note!("{line}");
    }
    for (one, other) in found.pairs.iter().filter(|(one, other)| one.label != other.label) {
        note!("`{}` has the settings that `{}` has in {}", one.label, other.label, old.display());
    }
    for one in found.differing.iter().filter(|one| !one.problem()) {
        note!("`{}`: {}", one.new.label, one.words());
    }
    for (samples, there, not) in [(&found.gone, old, new), (&found.added, new, old)] {
        for sample in samples {
            warning!("`{}` is in {} and not in {}", sample.label, there.display(), not.display());
        }
    }
}

/// What differs between two runs besides their arms.
fn origins(new: &Path, old: &Path) -> Vec<String> {
    let last = |folder: &Path| {
        Provenance::read(folder).ok().and_then(|provenance| provenance.runs.into_iter().last())
    };
    let Some((new, old)) = last(new).zip(last(old)) else { return Vec::new() };
    let plugin = |run: &crate::results::Run| format!("{} {}", run.plugin.name, run.plugin.version);
    let facts = [
        ("the plugin", plugin(&old), plugin(&new)),
        ("the engine revision", old.engine_revision.to_string(), new.engine_revision.to_string()),
        ("the runner", old.runner_version, new.runner_version),
    ];
    facts
        .into_iter()
        .filter(|(_, old, new)| old != new)
        .map(|(what, old, new)| format!("{what} was {old} and is now {new}"))
        .collect()
}

/// Arms of one label on different problems are not compared by accident.
fn refuse(found: &Matched<'_>, allowed: bool) -> Result<(), Failure> {
    let Some(one) = found.differing.iter().find(|one| one.problem() && !allowed) else {
        return Ok(());
    };
    let words = format!(
        "`{}` solves different problems in the two runs: {}; their difference would say nothing \
        about the search. Compare runs of the same problem, or give --across-problems",
        one.new.label,
        one.words()
    );
    Err(Failure::usage(words))
}

/// Words for each arm that has no trial that counts.
fn without_trials(pairs: &[(&Sample, &Sample)]) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for sample in
        pairs.iter().flat_map(|(one, other)| [one, other]).filter(|sample| sample.trials() == 0)
    {
        let failed = match sample.failures {
            0 => "there are none yet".to_owned(),
            failures => format!("all {} failed or crashed", count(failures)),
        };
        let line = format!(
            "`{}` in {} has no usable trials: {failed}",
            sample.label,
            sample.folder.display()
        );
        if !words.contains(&line) {
            words.push(line);
        }
    }
    words
}

fn read(folder: &Path) -> Result<Vec<Sample>, Failure> {
    Ok(samples(&Results::open(folder)?)?)
}

/// The arms that comparisons are of. Those of the second run, if there is one, are the second of
/// each.
struct Arms<'a> {
    first: HashMap<&'a str, ArmName<'a>>,
    second: Option<HashMap<&'a str, ArmName<'a>>>,
}

impl<'a> Arms<'a> {
    fn of(first: &'a [Sample], second: Option<&'a [Sample]>) -> Self {
        let name = |sample: &'a Sample| {
            let name = ArmName { operators: &sample.operators, swept: &sample.swept };
            (sample.label.as_str(), name)
        };
        let by_label = |samples: &'a [Sample]| samples.iter().map(name).collect();
        Arms { first: by_label(first), second: second.map(by_label) }
    }

    /// The comparisons as a table, and what they are.
    fn table(&self, compared: &'a [Comparison], rule: &Rule, also: &str) -> String {
        let name = |arms: &HashMap<&'a str, ArmName<'a>>, label: &'a str| -> ArmName<'a> {
            arms.get(label).copied().unwrap_or(ArmName { operators: label, swept: &[] })
        };
        let pair = |one: &'a Comparison| {
            let second = self.second.as_ref().unwrap_or(&self.first);
            [name(&self.first, &one.first), name(second, &one.second)]
        };
        let pairs: Vec<[ArmName<'_>; 2]> = compared.iter().map(pair).collect();
        let width = usize::from(terminal::width());
        let table = terminal::comparison_table(compared, &pairs, width, also);
        table + &terminal::paragraph(&legend(compared, rule), width)
    }
}

fn sheet(compared: &[Comparison]) -> DataTable {
    let columns = vec![
        "first",
        "second",
        "first_trials",
        "second_trials",
        "first_failures",
        "second_failures",
        "first_rate",
        "second_rate",
        "difference",
        "difference_low",
        "difference_high",
        "difference_interval",
        "confidence",
        "p",
        "p_adjusted",
        "effect",
        "effect_low",
        "effect_high",
        "effect_size",
        "effect_p",
        "effect_p_adjusted",
        "ert_ratio",
        "verdict",
    ];
    let row = |one: &Comparison| -> Vec<Value> {
        let Comparison { difference_interval, effect_interval, .. } = one;
        vec![
            json!(one.first),
            json!(one.second),
            json!(one.trials.0),
            json!(one.trials.1),
            json!(one.failures.0),
            json!(one.failures.1),
            json!(one.rates.0),
            json!(one.rates.1),
            json!(one.difference),
            json!(difference_interval.low),
            json!(difference_interval.high),
            json!(one.method.as_str()),
            json!(one.confidence),
            json!(one.p),
            json!(one.p_adjusted),
            json!(one.effect),
            json!(effect_interval.map(|interval| interval.low)),
            json!(effect_interval.map(|interval| interval.high)),
            json!(terminal::effect(one)),
            json!(one.effect_p),
            json!(one.effect_p_adjusted),
            json!(one.ert_ratio),
            json!(verdict(one)),
        ]
    };
    DataTable { columns, rows: compared.iter().map(row).collect() }
}
