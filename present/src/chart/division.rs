//! Division of arms into panels: a panel per problem, a colour per operator set.

use super::colour::{Colour, colours, grey_baseline};
use super::model::CURVES;
use super::subject::{LONGEST, Labelled, Subject, number};
use crate::lists::distinct;
use crate::names::{Parts, names_of};
use crate::problem::parameter::Value;

/// Maximum number of panels of a chart.
pub(super) const MOST: usize = 12;
/// Maximum number of characters of a panel's title, if its distinguishing parts fit.
const TITLE: usize = 20;

/// Division of an experiment's arms into panels.
#[derive(Debug, PartialEq)]
pub(super) struct Division {
    /// Panels: the name of the problem, and its arms. Label and colour are those of the operator
    /// set.
    pub panels: Vec<(String, Vec<Labelled>)>,
    /// Number of operator sets.
    pub sets: usize,
}

impl Division {
    /// Returns whether a chart has a panel per problem: there are several problems, not too many,
    /// and several operator sets.
    pub(super) fn is_drawn(&self) -> bool {
        (2..=MOST).contains(&self.panels.len()) && self.sets >= 2
    }
}

impl Subject<'_> {
    /// Divides arms into panels by the swept values of the problem. `None` if there are not several
    /// problems with several operator sets, or too many problems.
    pub(super) fn division(&self, arms: &[usize]) -> Option<Division> {
        Some(self.division_of_all(arms)).filter(Division::is_drawn)
    }

    /// Divides arms into panels, however few or many.
    pub(super) fn division_of_all(&self, arms: &[usize]) -> Division {
        let keys = self.results.swept_keys();
        let told = (0..keys.len()).filter(|key| !self.limits[*key]);
        let (of_problem, of_set): (Vec<usize>, Vec<usize>) =
            told.partition(|key| keys[*key].starts_with("problem."));
        let arm = |place: usize| &self.summary.rows[place].arm;
        let values = |place: usize, keys: &[usize]| -> Vec<&Option<Value>> {
            keys.iter().map(|key| &arm(place).swept[*key]).collect()
        };
        let set = |place: usize| (arm(place).operators.as_str(), values(place, &of_set));
        let problems = distinct(arms.iter().map(|arm| values(*arm, &of_problem)));
        let sets = distinct(arms.iter().map(|arm| set(*arm)));
        let titles = problems.iter().map(|swept| ("", swept.clone()));
        let titles = names(&of_problem, keys, titles, TITLE);
        let labels = names(&of_set, keys, sets.iter().cloned(), LONGEST);
        let members: Vec<Vec<usize>> = sets
            .iter()
            .map(|one| arms.iter().copied().filter(|arm| set(*arm) == *one).collect())
            .collect();
        let colours = self.colours_of_sets(&members, &of_set);
        let labelled = |arm: &usize| {
            let place = sets.iter().position(|one| *one == set(*arm))?;
            Some(Labelled { arm: *arm, label: labels[place].clone(), colour: colours[place] })
        };
        let panels = titles.into_iter().zip(&problems).map(|(title, problem)| {
            let own = arms.iter().filter(|arm| values(**arm, &of_problem) == *problem);
            (title, own.filter_map(labelled).collect())
        });
        Division { panels: panels.collect(), sets: sets.len() }
    }

    /// Returns the colours of operator sets, given by their arms. Sets that differ in one number
    /// have ordered colours. A baseline is grey. Of more sets than there are colours, only the one
    /// with the most successes and the baseline have one.
    fn colours_of_sets(&self, members: &[Vec<usize>], keys: &[usize]) -> Vec<Colour> {
        let arm = |set: usize| &self.summary.rows[members[set][0]].arm;
        let is_baseline = |set: usize| self.samples[members[set][0]].baseline;
        if members.len() > CURVES {
            let successes = |set: usize| -> u64 {
                members[set].iter().map(|arm| self.samples[*arm].successes()).sum()
            };
            let best = (0..members.len()).rev().max_by_key(|set| successes(*set));
            return (0..members.len())
                .map(|set| match (Some(set) == best, is_baseline(set)) {
                    (true, _) => Colour::Own(0),
                    (_, true) => Colour::Own(1),
                    _ => Colour::Grey,
                })
                .collect();
        }
        let searches: Vec<usize> = (0..members.len()).filter(|set| !is_baseline(*set)).collect();
        let alike = searches.windows(2).all(|two| arm(two[0]).operators == arm(two[1]).operators);
        let value = |set: usize| match keys {
            [key] if alike && !is_baseline(set) => arm(set).swept[*key].as_ref().and_then(number),
            _ => None,
        };
        let mut found = colours(&(0..members.len()).map(value).collect::<Vec<_>>());
        grey_baseline(&mut found, is_baseline);
        found
    }
}

/// Returns short names of operator sets with the values of some swept keys.
fn names<'a>(
    chosen: &[usize],
    keys: &[String],
    parts: impl Iterator<Item = (&'a str, Vec<&'a Option<Value>>)>,
    longest: usize,
) -> Vec<String> {
    let keys: Vec<String> = chosen.iter().map(|key| keys[*key].clone()).collect();
    let parts: Vec<Parts<'_>> =
        parts.map(|(operators, swept)| Parts { operators, swept }).collect();
    names_of(&parts, &keys, longest)
}
