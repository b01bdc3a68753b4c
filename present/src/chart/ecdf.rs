//! Runtime distributions over targets: the share of all trials and targets that are reached within
//! a number of evaluations.
//!
//! Source: Hansen, Auger, Ros, Mersmann, Tušar and Brockhoff (2021),
//! doi:10.1080/10556788.2020.1808977. Problems have equal weight.

use super::fitness::{axis, trials};
use super::model::{Axis, Body, CURVES, Chart, Curve, Panel, Shape};
use super::subject::{Against, Labelled, Subject};
use super::trajectory::{batches, first_trials};
use super::words::not_shown;
use crate::results::{Results, ResultsError, Step, TrajectoryTables};

/// Maximum number of targets per problem.
const TARGETS: usize = 51;
/// Least share of the first precision that a target has, as in COCO: from 1e2 to 1e-8.
const DEPTH: f64 = 1e-10;
/// Ratio of the first precision to the last beyond which targets are logarithmic.
const WIDE: f64 = 1_000.0;
/// Number of steps of a curve beyond which invisible ones are left out.
const STEPS: f64 = 250.0;

/// Best fitness so far of a trial, as pairs of evaluations and fitness.
pub(super) type Steps = Vec<(u64, f64)>;

pub(super) fn charts(
    subject: &Subject<'_>,
    tables: &mut TrajectoryTables,
) -> Result<Vec<Chart>, ResultsError> {
    let mut arms = subject.all_with_trials();
    let mut division = subject.division_of_all(&arms);
    if division.panels.len() == 1 {
        arms = subject.with_trials();
        division = subject.division_of_all(&arms);
    }
    let mut sizes = Vec::new();
    let mut problems = Vec::new();
    for (title, labelled) in &division.panels {
        let arms = labelled.iter().map(|one| {
            let read = Searched::read(subject.results, tables, one.clone())?;
            sizes.push(read.batch);
            Ok(read)
        });
        let arms = arms.collect::<Result<Vec<_>, ResultsError>>()?;
        let target = |one: &Labelled| subject.results.arms()[one.arm].settings.target();
        let targets = targets(&arms, labelled.first().and_then(target));
        problems.push((title.clone(), reached(arms, &targets)));
    }
    let all = problems.len();
    problems.retain(|(_, sets)| has_targets(sets));
    let left_out = not_shown((all - problems.len()) as u64, "problem", NO_TARGETS);
    let title = &subject.summary.experiment;
    let sizes = batches(&sizes).map_or_else(String::new, |sizes| format!("; read at {sizes}"));
    let note = |words: &str| format!("{words}{}{sizes}{left_out}", trials(subject, &arms));
    if let [(_, sets)] = &problems[..] {
        let end = longest(sets);
        let mut charts = Vec::new();
        for part in subject.curve_parts(sets.len()) {
            let mut sets = sets[part.range].to_vec();
            if division.sets > CURVES {
                let arms: Vec<usize> = sets.iter().map(|set| set.arm.arm).collect();
                let colours = subject.colours(&arms, None);
                sets.iter_mut().zip(colours).for_each(|(set, colour)| set.arm.colour = colour);
            }
            let curves = sets.iter().map(|set| set.curve(end)).collect();
            let targets = sets.first().map_or(0, |set| set.targets);
            let words = format!("{}{targets} targets; ", part.words);
            let name = format!("ecdf{}", part.suffix);
            charts.push(chart(name, title, note(&words), Body::Curves(curves)));
        }
        return Ok(charts);
    }
    let together = together(&problems);
    let mut charts = Vec::new();
    if !together.is_empty() {
        let end = longest(&together);
        let curves: Vec<Curve> = together.iter().map(|set| set.curve(end)).collect();
        let words = format!("{} problems of equal weight; ", problems.len());
        let body = Body::over_all_problems(curves);
        charts.push(chart("ecdf".to_owned(), title, note(&words), body));
    }
    if division.is_drawn() && !problems.is_empty() {
        let panel = |(title, sets): (String, Vec<Reached>)| {
            let end = longest(&sets);
            Panel { title, curves: sets.iter().map(|set| set.curve(end)).collect() }
        };
        let panels = Body::Panels(problems.into_iter().map(panel).collect());
        charts.push(chart("ecdf-by-problem".to_owned(), title, note(""), panels));
    }
    Ok(charts)
}

/// Reason why a problem is not shown.
pub(super) const NO_TARGETS: &str = "without a feasible genome";

/// Returns whether a problem has targets. Without a feasible genome it has none, and no share.
pub(super) fn has_targets(sets: &[Reached]) -> bool {
    sets.iter().any(|set| set.targets > 0)
}

/// Returns a chart of the shares of trials and targets. `title` names what was searched.
pub(super) fn chart(name: String, title: &str, note: String, body: Body) -> Chart {
    Chart {
        name,
        title: format!("Targets reached: {title}"),
        note,
        x: axis(Against::Evaluations, body.places()),
        y: Axis::new("share of trials and targets").range(-0.02, 1.02),
        body,
    }
}

/// Trials of an operator set on a problem.
pub(super) struct Searched {
    pub arm: Labelled,
    /// Best fitness so far, by trial.
    pub trials: Vec<Steps>,
    /// Evaluations of the longest trial.
    pub longest: u64,
    /// The fewest and the most evaluations between two points, if known.
    pub batch: Option<(u64, u64)>,
}

impl Searched {
    /// Reads the trials of an arm from its traces.
    pub(super) fn read(
        results: &Results,
        tables: &mut TrajectoryTables,
        arm: Labelled,
    ) -> Result<Self, ResultsError> {
        let found = first_trials(results, tables, arm.arm)?;
        let longest = found.trials.iter().map(|trial| trial.record.evaluations).max();
        let pairs =
            |steps: &[Step]| steps.iter().map(|step| (step.evaluations, step.best)).collect();
        let trials = found.trials.iter().map(|trial| pairs(&trial.steps)).collect();
        Ok(Searched { arm, trials, longest: longest.unwrap_or(0), batch: found.batch })
    }
}

/// Times at which an operator set reached its targets.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reached {
    arm: Labelled,
    /// Evaluations, and the share of all trials and targets that this one is.
    hits: Vec<(u64, f64)>,
    /// Number of targets of the problem.
    targets: usize,
    /// Evaluations of the longest trial.
    longest: u64,
}

impl Reached {
    fn of(arm: Labelled, all: &[Steps], targets: &[f64], longest: u64) -> Self {
        let weight = 1.0 / (all.len().max(1) * targets.len().max(1)) as f64;
        let hit = |steps: &Steps, target: f64| {
            let first = steps.partition_point(|(_, best)| *best > target);
            steps.get(first).map(|(evaluations, _)| (*evaluations, weight))
        };
        let pairs = all.iter().flat_map(|steps| targets.iter().map(move |target| (steps, target)));
        let hits = pairs.filter_map(|(steps, target)| hit(steps, *target)).collect();
        Reached { arm, hits, targets: targets.len(), longest }
    }

    /// Returns the name of the operator set.
    pub(super) fn label(&self) -> &str {
        &self.arm.label
    }

    /// Returns the times within a number of evaluations.
    pub(super) fn within(mut self, budget: u64) -> Self {
        self.hits.retain(|(evaluations, _)| *evaluations <= budget);
        self.longest = self.longest.min(budget);
        self
    }

    /// Returns the share reached against evaluations, flat from the last hit to `end`.
    pub(super) fn curve(&self, end: u64) -> Curve {
        let mut hits = self.hits.clone();
        hits.sort_unstable_by_key(|(evaluations, _)| *evaluations);
        let (mut points, mut share, mut drawn) = (Vec::new(), 0.0, 0.0);
        for group in hits.chunk_by(|one, other| one.0 == other.0) {
            share += group.iter().map(|(_, weight)| weight).sum::<f64>();
            let last = hits.last().is_some_and(|last| last.0 == group[0].0);
            if share - drawn >= 1.0 / STEPS || points.is_empty() || last {
                drawn = share;
                points.push((group[0].0 as f64, share));
            }
        }
        if points.is_empty() {
            points.push((1.0, 0.0));
        }
        if points.last().is_some_and(|(x, _)| *x < end as f64) {
            points.push((end as f64, share));
        }
        let Labelled { label, colour, .. } = self.arm.clone();
        Curve::new(label, colour, points, Shape::Steps)
    }
}

pub(super) fn longest(sets: &[Reached]) -> u64 {
    sets.iter().map(|set| set.longest).max().unwrap_or(0)
}

/// Returns when the arms of a problem reached these targets.
pub(super) fn reached(arms: Vec<Searched>, targets: &[f64]) -> Vec<Reached> {
    let set = |one: Searched| Reached::of(one.arm, &one.trials, targets, one.longest);
    arms.into_iter().map(set).collect()
}

/// Returns the targets of a problem, from the worst first value of a trial to the best value that
/// any trial reached: all values if they are few; otherwise evenly spaced. If `target` is known and
/// the distances to it differ by several orders of magnitude, they are evenly spaced on a
/// logarithmic scale, the least of them is `target` if a trial reached it, and none is below it.
pub(super) fn targets(arms: &[Searched], target: Option<f64>) -> Vec<f64> {
    targets_of(arms.iter().flat_map(|one| &one.trials), target)
}

fn targets_of<'a>(all: impl Iterator<Item = &'a Steps> + Clone, target: Option<f64>) -> Vec<f64> {
    let firsts = all.clone().filter_map(|steps| steps.first()).map(|(_, best)| *best);
    let worst = firsts.fold(f64::NEG_INFINITY, f64::max);
    let mut values: Vec<f64> = all.flatten().map(|(_, best)| *best).collect();
    values.sort_unstable_by(f64::total_cmp);
    values.dedup();
    let Some(best) = values.first().copied() else { return Vec::new() };
    if values.len() <= TARGETS || !worst.is_finite() {
        values.retain(|value| value.is_finite());
        return values;
    }
    let place = |step: usize, of: usize| step as f64 / (of - 1) as f64;
    if let Some(target) = target.filter(|target| *target < worst) {
        let far = worst - target;
        let near = values.iter().map(|value| value - target).find(|distance| *distance > 0.0);
        let near = near.unwrap_or(far).max(DEPTH * far);
        if far / near > WIDE {
            let reached = (best <= target).then_some(target);
            let above = TARGETS - usize::from(reached.is_some());
            let distance = |step: usize| near * (far / near).powf(place(step, above));
            return reached
                .into_iter()
                .chain((0..above).map(|step| target + distance(step)))
                .collect();
        }
    }
    (0..TARGETS).map(|step| best + (worst - best) * place(step, TARGETS)).collect()
}

/// Joins the problems: each operator set once, with its hits on all of them. Sets that lack a
/// problem are left out.
pub(super) fn together(problems: &[(String, Vec<Reached>)]) -> Vec<Reached> {
    let Some((_, first)) = problems.first() else { return Vec::new() };
    let share = 1.0 / problems.len() as f64;
    let joined = |set: &Reached| {
        let parts = problems
            .iter()
            .map(|(_, sets)| sets.iter().find(|other| other.arm.label == set.arm.label));
        let parts: Vec<&Reached> = parts.collect::<Option<_>>()?;
        let hits = parts.iter().flat_map(|part| &part.hits);
        let hits = hits.map(|(evaluations, weight)| (*evaluations, weight * share)).collect();
        let longest = parts.iter().map(|part| part.longest).max().unwrap_or(0);
        Some(Reached { hits, longest, ..set.clone() })
    };
    first.iter().filter_map(joined).collect()
}

#[cfg(test)]
mod tests {
    use super::super::colour::Colour;
    use super::*;

    fn labelled(arm: usize) -> Labelled {
        Labelled { arm, label: format!("set {arm}"), colour: Colour::Own(arm) }
    }

    #[test]
    fn targets_are_values_or_evenly_spaced() {
        let steps = |values: &[f64]| -> Steps { (1..).zip(values.iter().copied()).collect() };
        let few = [steps(&[5.0, 2.0]), steps(&[4.0, 2.0, 0.0])];
        assert_eq!(targets_of(few.iter(), Some(0.0)), [0.0, 2.0, 4.0, 5.0]);
        let many = [steps(&(0..=100).rev().map(f64::from).collect::<Vec<_>>())];
        let linear = targets_of(many.iter(), Some(0.0));
        assert_eq!((linear.len(), linear[0], linear[25], linear[50]), (51, 0.0, 50.0, 100.0));
        let halved: Vec<f64> = (0..60).map(|step| 7.0 + 0.5_f64.powi(step)).collect();
        let logarithmic = targets_of([steps(&halved)].iter(), Some(7.0));
        let ratios: Vec<f64> =
            logarithmic.windows(2).map(|two| (two[1] - 7.0) / (two[0] - 7.0)).collect();
        let (low, high) = (ratios[10], ratios[49]);
        assert!(logarithmic.len() == 51 && (low / high - 1.0).abs() < 1e-3, "{ratios:?}");
        assert!((logarithmic[50] - 8.0).abs() < 1e-12, "{logarithmic:?}");
        // One trial reached the target, or went below it.
        for end in [7.0, 6.5] {
            let solved: Vec<f64> = halved.iter().copied().chain([end]).collect();
            let found = targets_of([steps(&solved)].iter(), Some(7.0));
            assert_eq!((found.len(), found[0]), (51, 7.0));
            let ratio = (found[50] - 7.0) / (found[49] - 7.0);
            let other = (found[20] - 7.0) / (found[19] - 7.0);
            assert!(ratio > 1.3 && (ratio / other - 1.0).abs() < 1e-3, "{found:?}");
        }
    }

    #[test]
    fn shares_count_all_trials_and_targets_of_problems_of_equal_weight() {
        let trials = vec![vec![(10, 3.0), (20, 1.0)], vec![(40, 2.0)]];
        let one = Reached::of(labelled(0), &trials, &[1.0, 2.0, 3.0], 50);
        // Six pairs: one is reached at 10, two more at 20, two more at 40, and one never.
        let shares = |curve: &Curve| -> Vec<(f64, f64)> {
            let rounded = |share: f64| (share * 1_200.0).round() / 1_200.0;
            curve.points.iter().map(|(x, share)| (*x, rounded(*share))).collect()
        };
        let sixth = |count: f64| count / 6.0;
        assert_eq!(
            shares(&one.curve(90)),
            [(10.0, sixth(1.0)), (20.0, sixth(3.0)), (40.0, sixth(5.0)), (90.0, sixth(5.0))]
        );
        let none = Reached::of(labelled(0), &[vec![(5, 9.0)]], &[1.0], 60);
        assert_eq!(shares(&none.curve(60)), [(1.0, 0.0), (60.0, 0.0)]);
        let other = Reached::of(labelled(1), &trials, &[9.0], 50);
        let problems = [("a".to_owned(), vec![one.clone(), other]), ("b".to_owned(), vec![none])];
        let [both] = &together(&problems)[..] else { panic!("set 1 lacks a problem") };
        assert_eq!(both.longest, 60);
        assert_eq!(shares(&both.curve(60)).last(), Some(&(60.0, 5.0 / 12.0)));
    }
}
