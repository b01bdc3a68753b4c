//! Runtime distributions of a suite: the share of all trials and targets that each algorithm has
//! reached within a number of evaluations, over all functions and for each.

use super::colour::Colour;
use super::division::MOST;
use super::ecdf::{
    NO_TARGETS, Reached, Searched, Steps, chart, has_targets, longest, reached, targets, together,
};
use super::model::{Body, CURVES, Chart, Curve, Panel};
use super::subject::Labelled;
use super::words::not_shown;
use crate::analysis::comparison::Sample;
use crate::analysis::ranking::Problem;
use crate::analysis::suite::{Contest, Function};
use crate::plan::settings::Trace;
use crate::results::{Results, ResultsError, TrajectoryTables};
use crate::words::count;

/// Number of algorithms with a colour if there are more than colours distinguish.
const COLOURED: usize = 6;

/// Input of the charts of a suite.
#[derive(Clone, Copy)]
pub struct SuiteSubject<'a> {
    /// Name of the suite.
    pub name: &'a str,
    /// Algorithms on the functions.
    pub contest: &'a Contest,
    /// The functions with their budgets.
    pub problems: &'a [Problem<'a>],
    /// Tables of each entrant.
    pub results: &'a [&'a Results],
    /// Numbers of the algorithms, the best first.
    pub order: &'a [usize],
    /// Targets of every function; `None` if the trials decide.
    pub targets: Option<&'a [f64]>,
}

/// Functions with the times at which each algorithm reached its targets.
type Times = Vec<(String, Vec<Reached>)>;

impl SuiteSubject<'_> {
    /// Returns whether all arms have traces, so that targets above the last are known.
    pub fn is_traced(&self) -> bool {
        self.results.iter().all(|results| results.trace() != Trace::None)
    }

    /// Returns an algorithm with the colour of its rank. Of many, only the best have one.
    fn labelled(&self, algorithm: usize, arm: usize) -> Labelled {
        let rank = self.order.iter().position(|one| *one == algorithm).unwrap_or(0);
        let colour = match self.order.len() <= CURVES || rank < COLOURED {
            true => Colour::Own(rank),
            false => Colour::Grey,
        };
        Labelled { arm, label: self.contest.algorithms[algorithm].clone(), colour }
    }

    /// Returns the times of a function whose trials only say when they succeeded.
    fn successes(&self, function: &Function) -> Vec<Reached> {
        let searched = |algorithm: usize, sample: &Sample| {
            let trials = sample.run_lengths.values().map(|length| match length.is_finite() {
                true => vec![(length as u64, 0.0)],
                false => Steps::new(),
            });
            let ends = sample.run_lengths.values().filter(|length| length.is_finite());
            let longest = ends.fold(0.0, f64::max) as u64;
            Searched {
                arm: self.labelled(algorithm, 0),
                trials: trials.collect(),
                longest: sample.unsuccessful.longest.unwrap_or(0).max(longest),
                batch: None,
            }
        };
        let all = function.contestants.iter().map(|one| searched(one.algorithm, &one.sample));
        reached(all.collect(), &[0.0])
    }

    /// Returns the times of a function, from the traces of all instances, which have equal weight.
    fn traced(
        &self,
        function: &Function,
        tables: &mut [TrajectoryTables],
    ) -> Result<Vec<Reached>, ResultsError> {
        let mut instances: Times = Vec::new();
        for instance in 0..function.instances {
            let mut arms = Vec::new();
            let mut target = None;
            for one in &function.contestants {
                for part in one.parts.iter().filter(|part| part.instance == Some(instance)) {
                    let results = self.results[part.entrant];
                    target = results.arms()[part.arm].settings.target();
                    let arm = self.labelled(one.algorithm, part.arm);
                    arms.push(Searched::read(results, &mut tables[part.entrant], arm)?);
                }
            }
            let found = self.targets.map_or_else(|| targets(&arms, target), <[f64]>::to_vec);
            instances.push((String::new(), reached(arms, &found)));
        }
        instances.retain(|(_, sets)| has_targets(sets));
        Ok(together(&instances))
    }

    fn times(&self) -> Result<Times, ResultsError> {
        let mut tables = match self.is_traced() {
            true => self.results.iter().map(|one| TrajectoryTables::open(one)).collect(),
            false => Ok(Vec::new()),
        }?;
        let mut all = Vec::new();
        for (function, problem) in self.contest.functions.iter().zip(self.problems) {
            let sets = match self.is_traced() {
                true => self.traced(function, &mut tables)?,
                false => self.successes(function),
            };
            let budget = problem.budget.unwrap_or(u64::MAX);
            let mut sets: Vec<Reached> = sets.into_iter().map(|one| one.within(budget)).collect();
            sets.sort_by_key(|one| {
                let place = |algorithm: &usize| self.contest.algorithms[*algorithm] == one.label();
                self.order.iter().position(place)
            });
            all.push((function.name.clone(), sets));
        }
        Ok(all)
    }
}

/// Returns the chart over all functions, and those with a panel for each function.
///
/// # Errors
/// Returns an error if a table cannot be read.
pub fn suite_charts(subject: &SuiteSubject<'_>) -> Result<Vec<Chart>, ResultsError> {
    let what = match (subject.is_traced(), subject.targets) {
        (false, _) => "the target of each function".to_owned(),
        (true, None) => "targets from the worst first value to the best".to_owned(),
        (true, Some(targets)) => format!("{} targets", targets.len()),
    };
    // Without a target there is nothing to reach.
    let reachable = |function: &Function| {
        let mut all = function.contestants.iter();
        subject.is_traced() || all.all(|one| one.sample.defines_success())
    };
    let times = subject.times()?.into_iter().zip(&subject.contest.functions);
    let mut times: Times =
        times.filter(|(_, function)| reachable(function)).map(|(times, _)| times).collect();
    let all = times.len();
    times.retain(|(_, sets)| has_targets(sets));
    let left_out = not_shown((all - times.len()) as u64, "function", NO_TARGETS);
    let curves = |sets: &[Reached]| -> Vec<Curve> {
        let end = longest(sets);
        sets.iter().map(|set| set.curve(end)).collect()
    };
    let mut charts = Vec::new();
    let all = together(&times);
    if !all.is_empty() && times.len() > 1 {
        let note =
            format!("{} functions of equal weight; {what}{left_out}", count(times.len() as u64));
        let body = Body::over_all_problems(curves(&all));
        charts.push(chart("ecdf".to_owned(), subject.name, note, body));
    }
    let pages = times.len().div_ceil(MOST);
    for (place, part) in times.chunks(MOST).enumerate() {
        let panel = |(title, sets): &(String, Vec<Reached>)| Panel {
            title: title.clone(),
            curves: curves(sets),
        };
        let body = Body::Panels(part.iter().map(panel).collect());
        let (number, which) = match pages {
            1 => (String::new(), String::new()),
            all => (format!("-{}", place + 1), format!("; part {} of {all}", place + 1)),
        };
        let name = format!("ecdf-by-function{number}");
        charts.push(chart(name, subject.name, format!("{what}{left_out}{which}"), body));
    }
    Ok(charts)
}
