//! Arms of two runs, matched by their settings.

use super::sample::{Sample, is_imported};
use std::collections::{BTreeMap, BTreeSet};

/// Arms of a new run matched with those of an old one.
#[derive(Debug, Default)]
pub struct Matched<'a> {
    /// New and old arm of each match.
    pub pairs: Vec<(&'a Sample, &'a Sample)>,
    /// Differing settings of pairs that have only their label in common.
    pub differing: Vec<Differing<'a>>,
    /// Arms only in the old run.
    pub gone: Vec<&'a Sample>,
    /// Arms only in the new run.
    pub added: Vec<&'a Sample>,
}

/// Two arms of one label with different settings.
#[derive(Debug)]
pub struct Differing<'a> {
    pub new: &'a Sample,
    /// Key, then the old and the new value; `None` if it is not set.
    pub keys: Vec<(String, Option<String>, Option<String>)>,
}

impl Differing<'_> {
    /// Returns whether the problems differ: another plugin, or another of its parameters.
    #[must_use]
    pub fn problem(&self) -> bool {
        self.keys.iter().any(|(key, ..)| key.starts_with("problem."))
    }

    /// Returns a text such as "stop.evaluations was 1000 and is now 200".
    #[must_use]
    pub fn words(&self) -> String {
        let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "not set".to_owned());
        let key = |(key, old, new): &(String, Option<String>, Option<String>)| {
            format!("{key} was {} and is now {}", value(old), value(new))
        };
        self.keys.iter().map(key).collect::<Vec<_>>().join(", ")
    }
}

/// Matches imported arms by their label, because their only setting is a budget that follows from
/// their trials. Then matches arms of the same settings, whatever their labels. Then matches the
/// remaining arms by label, and lists their differences. Neither seeds nor the versions of plugin
/// and engine are settings.
#[must_use]
pub fn matched<'a>(new: &'a [Sample], old: &'a [Sample]) -> Matched<'a> {
    let of = |samples: &'a [Sample]| {
        samples.iter().map(|sample| (sample, sample.settings.flat())).collect::<Vec<_>>()
    };
    let (new, old) = (of(new), of(old));
    let mut found = Matched::default();
    let mut taken: BTreeSet<usize> = BTreeSet::new();
    let mut partners: Vec<Option<usize>> = vec![None; new.len()];
    let mut by_settings: BTreeMap<&Flat, Vec<usize>> = BTreeMap::new();
    let mut by_label: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (place, (sample, settings)) in old.iter().enumerate() {
        by_settings.entry(settings).or_default().push(place);
        by_label.entry(&sample.label).or_default().push(place);
    }
    for by in [By::ImportedLabel, By::Settings, By::Label] {
        for ((sample, settings), partner) in
            new.iter().zip(&mut partners).filter(|(_, partner)| partner.is_none())
        {
            let alike = match by {
                By::ImportedLabel if !is_imported(&sample.operators) => continue,
                By::ImportedLabel | By::Label => by_label.get(sample.label.as_str()),
                By::Settings => by_settings.get(settings),
            };
            let mut free = alike.into_iter().flatten().filter(|place| !taken.contains(place));
            // An arm of the same name is preferred if several have the same settings.
            let same_name = free.clone().find(|place| old[**place].0.label == sample.label);
            let Some(place) = same_name.or_else(|| free.next()) else { continue };
            taken.insert(*place);
            *partner = Some(*place);
        }
    }
    for ((sample, settings), partner) in new.iter().zip(partners) {
        let Some(partner) = partner else {
            found.added.push(sample);
            continue;
        };
        let (other, theirs) = &old[partner];
        found.pairs.push((sample, other));
        if theirs != settings {
            let keys: BTreeSet<&String> = settings.keys().chain(theirs.keys()).collect();
            let keys = keys.into_iter().filter(|key| settings.get(*key) != theirs.get(*key));
            let keys = keys
                .map(|key| (key.clone(), theirs.get(key).cloned(), settings.get(key).cloned()))
                .collect();
            found.differing.push(Differing { new: sample, keys });
        }
    }
    found.gone = old
        .iter()
        .enumerate()
        .filter(|(place, _)| !taken.contains(place))
        .map(|(_, (sample, _))| *sample)
        .collect();
    found
}

/// Property by which arms are matched.
#[derive(Clone, Copy)]
enum By {
    ImportedLabel,
    Settings,
    Label,
}

/// Settings by their full keys.
type Flat = BTreeMap<String, String>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::resolved::SettingsReader;

    fn arm(label: &str, length: u64, population: u64, budget: u64) -> Sample {
        let settings = format!(
            "[problem]\nplugin = \"onemax\"\nlength = {length}\n\n[[operators]]\nname = \
            \"{label}\"\npopulation = {population}\nselection = {{ kind = \"tournament\", size = 2 \
            }}\n\n[stop]\nevaluations = {budget}\n"
        );
        let settings = SettingsReader::default().read(&settings).expect("settings");
        Sample { label: label.to_owned(), settings, ..Sample::default() }
    }

    #[test]
    fn arms_are_matched_by_settings_then_by_label() {
        let old = [
            arm("a", 20, 10, 100),
            arm("b", 20, 20, 100),
            arm("c", 20, 30, 100),
            arm("d", 8, 40, 100),
        ];
        let new = [
            arm("b", 20, 10, 100),
            arm("c", 20, 30, 200),
            arm("d", 12, 40, 100),
            arm("e", 20, 50, 100),
        ];
        let found = matched(&new, &old);
        let labels: Vec<_> =
            found.pairs.iter().map(|(new, old)| (new.label.as_str(), old.label.as_str())).collect();
        // `b` is the old `a` under another name; the old `b` is gone.
        assert_eq!(labels, [("b", "a"), ("c", "c"), ("d", "d")]);
        let words: Vec<_> =
            found.differing.iter().map(|one| (one.words(), one.problem())).collect();
        assert_eq!(words[0], ("stop.evaluations was 100 and is now 200".to_owned(), false));
        assert_eq!(words[1], ("problem.length was 8 and is now 12".to_owned(), true));
        assert_eq!(found.gone.iter().map(|arm| &arm.label).collect::<Vec<_>>(), ["b"]);
        assert_eq!(found.added.iter().map(|arm| &arm.label).collect::<Vec<_>>(), ["e"]);
    }

    /// The derived budgets of imported arms are exchanged between two runs.
    #[test]
    fn imported_arms_are_matched_by_label() {
        let of = |budgets: [u64; 2]| {
            ["quick (imported)", "slow (imported)"].into_iter().zip(budgets).map(
                |(label, budget)| Sample {
                    operators: label.to_owned(),
                    ..arm(label, 8, 10, budget)
                },
            )
        };
        let (new, old) = (of([100, 200]).collect::<Vec<_>>(), of([200, 100]).collect::<Vec<_>>());
        let found = matched(&new, &old);
        assert!(found.pairs.iter().all(|(one, other)| one.label == other.label));
        assert_eq!((found.pairs.len(), found.gone.len(), found.added.len()), (2, 0, 0));
    }
}
