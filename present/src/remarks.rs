//! Remarks on results that are compared or ranked: what their reader should know of them, for
//! commands and pages alike.

use crate::analysis::comparison::{Matched, Sample};
use crate::analysis::ranking::{ENOUGH, LeftOut, Problem, Ranking};
use crate::plan::shard::Shard;
use crate::ranking::measure_name;
use crate::results::{Provenance, Results, Run};
use crate::system::notice::{Level, Notice};
use crate::words::{count, counted, listed};
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

/// Number of arms or problems that a remark names. The rest is counted.
const NAMED: usize = 4;
/// Number of remarks of one kind. The rest is counted.
const EACH: usize = 10;

fn note(words: String) -> Notice {
    Notice::new(Level::Note, words)
}

fn warning(words: String) -> Notice {
    Notice::new(Level::Warning, words)
}

/// Shortens remarks of one kind, each on an arm. The last one, `rest`, counts those left out: it is
/// given words such as "17 more arms".
fn few(remarks: impl Iterator<Item = Notice>, rest: impl Fn(&str) -> Notice) -> Vec<Notice> {
    let mut remarks: Vec<Notice> = remarks.collect();
    let more = remarks.len().saturating_sub(EACH);
    if more > 1 {
        remarks.truncate(EACH);
        remarks.push(rest(&format!("{} more arms", count(more as u64))));
    }
    remarks
}

/// Lists names: the first of them, and the number of the rest.
fn named(mut names: Vec<String>) -> String {
    let more = names.len().saturating_sub(NAMED);
    if more > 1 {
        names.truncate(NAMED);
        names.push(format!("{} more", count(more as u64)));
    }
    listed(&names, "and")
}

/// Returns a remark if trials are missing. `name` is what the reader calls these results.
pub fn unfinished(results: &Results, name: &str) -> Option<Notice> {
    let planned = results.planned()?;
    let trials = counted(planned, "trial");
    Some(note(match results.shard() {
        Some((Shard { number, of }, _)) => format!(
            "{name}: shard {number} of {of}, of {trials} per arm; the figures are of its trials \
            alone"
        ),
        None => format!("{name}: unfinished, of {trials} per arm; the figures are those so far"),
    }))
}

/// Returns a remark if another program ran these trials.
pub fn imported(results: &Results, name: &str) -> Option<Notice> {
    let file = results.imported()?;
    Some(note(format!(
        "{name}: arms marked (imported) are from {file}; runner did not run their trials"
    )))
}

/// Returns the differences between two runs other than their arms, from the old one to the new.
pub fn origins(new: &Path, old: &Path) -> Vec<Notice> {
    let last = |folder: &Path| {
        Provenance::read(folder).ok().and_then(|provenance| provenance.runs.into_iter().last())
    };
    let Some((new, old)) = last(new).zip(last(old)) else { return Vec::new() };
    let plugin = |run: &Run| format!("{} {}", run.plugin.name, run.plugin.version);
    let facts = [
        ("the plugin", plugin(&old), plugin(&new)),
        ("the engine revision", old.engine_revision.to_string(), new.engine_revision.to_string()),
        ("the runner", old.runner_version, new.runner_version),
    ];
    let differing = facts.into_iter().filter(|(_, old, new)| old != new);
    differing.map(|(what, old, new)| note(format!("{what} was {old} and is now {new}"))).collect()
}

/// Returns the arms that an arm-by-arm comparison leaves out, and the settings that differ. The
/// names are what the reader calls the results.
pub fn of_matches(found: &Matched<'_>, new: &str, old: &str) -> Vec<Notice> {
    let renamed = found.pairs.iter().filter(|(one, other)| one.label != other.label);
    let renamed = renamed.map(|(one, other)| {
        note(format!("`{}` has the settings that `{}` has in {old}", one.label, other.label))
    });
    let renamed = few(renamed, |more| {
        note(format!("{more} have the settings of arms with other names in {old}"))
    });
    let same: Vec<_> = found.pairs.iter().filter(|(one, other)| one.has_trials_of(other)).collect();
    let same = same.first().map(|(one, _)| {
        let others = match same.len() - 1 {
            0 => String::new(),
            others => format!(" and {}", counted(others as u64, "other arm")),
        };
        note(format!(
            "trials of `{}`{others} are the same in {new} and {old} (same seed, settings and \
            plugin): they are no independent evidence; another `seed` makes other trials",
            one.label
        ))
    });
    let differing = found.differing.iter().filter(|one| !one.problem());
    let differing = differing.map(|one| note(format!("`{}`: {}", one.new.label, one.words())));
    let differing = few(differing, |more| note(format!("{more} have other settings")));
    let missing = [(&found.gone, old, new), (&found.added, new, old)];
    let missing = missing.into_iter().flat_map(|(samples, there, not)| {
        let words = format!("in {there} and not in {not}");
        let each = samples.iter().map(|one| warning(format!("`{}` is {words}", one.label)));
        few(each, |more| warning(format!("{more} are {words}")))
    });
    renamed.into_iter().chain(same).chain(differing).chain(missing).collect()
}

/// Returns a remark for each arm without a usable trial. `name` is what the reader calls the
/// results of a folder.
pub fn without_trials(pairs: &[(&Sample, &Sample)], name: impl Fn(&Path) -> String) -> Vec<Notice> {
    let mut known = HashSet::new();
    let arms = pairs.iter().flat_map(|(one, other)| [one, other]);
    let silent =
        arms.filter(|sample| sample.trials() == 0 && known.insert((&sample.label, &sample.folder)));
    let remark = |sample: &&Sample| {
        let failed = match sample.failures {
            0 => "there are none yet".to_owned(),
            failures => format!("all {} failed or crashed", count(failures)),
        };
        warning(format!(
            "`{}` in {} has no usable trials: {failed}",
            sample.label,
            name(&sample.folder)
        ))
    };
    few(silent.map(remark), |more| warning(format!("{more} have no usable trials")))
}

/// Returns a remark for problems that are the same.
pub fn twice(problems: &[Problem<'_>]) -> Vec<Notice> {
    let mut same: BTreeMap<Option<&str>, Vec<String>> = BTreeMap::new();
    for problem in problems {
        let settings = problem.arms.first().map(|(_, arm)| arm.problem.as_str());
        same.entry(settings).or_default().push(problem.name.clone());
    }
    let again = same.into_values().filter(|names| names.len() > 1).map(|names| {
        let times = match names.len() {
            2 => "twice".to_owned(),
            more => format!("{} times", count(more as u64)),
        };
        warning(format!(
            "{} are the same problem: it counts {times}, and the p-values take its results for \
            independent evidence",
            named(names)
        ))
    });
    again.collect()
}

/// Returns a remark per problem and reason for which arms are left out, with their names.
pub fn left_out(left_out: &[LeftOut]) -> Vec<Notice> {
    let mut groups: Vec<Vec<&LeftOut>> = Vec::new();
    for arm in left_out {
        let is_same =
            |other: &LeftOut| (&other.problem, other.silent) == (&arm.problem, arm.silent);
        match groups.iter_mut().find(|group| is_same(group[0])) {
            Some(group) => group.push(arm),
            None => groups.push(vec![arm]),
        }
    }
    groups.iter().map(|group| warning(lacking(group))).collect()
}

/// Explains why arms are left out that lack the same problem for the same reason.
fn lacking(arms: &[&LeftOut]) -> String {
    let names = named(arms.iter().map(|arm| format!("`{}`", arm.name)).collect());
    let (are, they, have) =
        if arms.len() == 1 { ("is", "it", "has") } else { ("are", "they", "have") };
    let LeftOut { problem, silent, .. } = arms[0];
    let lacking =
        if *silent { format!("{have} no usable trials on") } else { "did not search".to_owned() };
    format!(
        "{names} {are} left out: {they} {lacking} {problem}, and a ranking needs every arm on \
        every problem"
    )
}

/// Returns the reason why this number of problems makes no ranking, with a way out.
pub fn too_little(problems: usize) -> String {
    if problems < 2 {
        return format!(
            "a ranking needs two problems or more (better {ENOUGH}), and there is {problems}: take \
            the results of more experiments, or of one that sweeps over a key of [problem]"
        );
    }
    "fewer than two arms searched every problem, so there is nothing to rank; arms are matched by \
    the names of their operator sets and by swept values"
        .to_owned()
}

/// Returns the remarks on a ranking: failed trials, few problems, arms that are all alike.
pub fn of_ranking(ranking: &Ranking) -> Vec<Notice> {
    let mut found = Vec::new();
    if ranking.failures > 0 {
        found.push(warning(format!(
            "{} failed: ranks are computed from those that ran, and no verdict is given \
            that the failures could turn",
            counted(ranking.failures, "trial")
        )));
    }
    let wanted = ranking.wanted_problems();
    if ranking.problems.len() < wanted {
        let unless = match ranking.arms.len() {
            2 => "",
            _ => " unless they differ on every one",
        };
        found.push(warning(format!(
            "{} problems are too few to tell arms apart by ranks{unless}; take {wanted} or more",
            ranking.problems.len()
        )));
    }
    if ranking.friedman.statistic == 0.0 {
        found.push(note(format!(
            "no arm differs from another in {}: rank by another measure (`runner rank --by`)",
            measure_name(ranking.measure)
        )));
    }
    found
}
