//! Best fitness so far over all trials.

use super::distance::{FitnessAxis, Side};
use super::division::Division;
use super::model::{Axis, BANDS, Body, Chart, Curve, Panel, Shape};
use super::panels::are_hidden;
use super::parts::Part;
use super::subject::{Against, Labelled, Subject, TRIALS};
use super::trajectory::{batches, first_trials};
use super::words::not_shown;
use crate::lists::extremes;
use crate::results::{ResultsError, Trajectories, TrajectoryTables};
use crate::stats::quantile;
use crate::words::count;

/// Number of points of a curve.
pub(super) const POINTS: usize = 200;
/// Ratio of greatest to least beyond which an axis of evaluations is logarithmic.
pub(super) const SPAN: f64 = 30.0;

pub(super) fn charts(
    subject: &Subject<'_>,
    tables: &mut TrajectoryTables,
) -> Result<Vec<Chart>, ResultsError> {
    let arms = subject.with_trials();
    let mut charts = Vec::new();
    if let Some(Division { panels, sets }) = subject.division(&arms) {
        let (banded, mut all, mut sizes) = (sets <= BANDS, Vec::new(), Vec::new());
        let drawn: Vec<usize> =
            panels.iter().flat_map(|(_, own)| own.iter().map(|one| one.arm)).collect();
        for (title, arms) in panels {
            let curves = curves(subject, tables, arms, banded, &mut sizes)?;
            all.push(Panel { title, curves });
        }
        charts.push(shown(subject, &drawn, ("", ""), &sizes, Body::Panels(all)));
    } else {
        for Part { range, suffix, words } in subject.curve_parts(arms.len()) {
            let (arms, mut sizes) = (&arms[range], Vec::new());
            let (labelled, banded) = (subject.labelled(arms), arms.len() <= BANDS);
            let curves = curves(subject, tables, labelled, banded, &mut sizes)?;
            charts.push(shown(subject, arms, (&suffix, &words), &sizes, Body::Curves(curves)));
        }
    }
    Ok(charts)
}

/// Returns the curves of arms. Adds the number of evaluations between two points of each arm to
/// `sizes`.
fn curves(
    subject: &Subject<'_>,
    tables: &mut TrajectoryTables,
    arms: Vec<Labelled>,
    banded: bool,
    sizes: &mut Vec<Option<(u64, u64)>>,
) -> Result<Vec<Curve>, ResultsError> {
    let curve = |Labelled { arm, label, colour }| {
        let found = first_trials(subject.results, tables, arm)?;
        sizes.push(found.batch);
        let (points, bounds) = over_trials(&found, subject.against);
        let bounds = if banded { bounds } else { Vec::new() };
        Ok(Curve { label, colour, points, bounds, gaps: Vec::new(), shape: Shape::Steps })
    };
    arms.into_iter().map(curve).collect()
}

/// Returns a chart of the best fitness so far, with a suffix of its name and words before its note.
/// `arms` are in the order of the curves.
fn shown(
    subject: &Subject<'_>,
    arms: &[usize],
    (suffix, words): (&str, &str),
    sizes: &[Option<(u64, u64)>],
    mut body: Body,
) -> Chart {
    let ideals: Vec<Option<f64>> = arms.iter().map(|arm| subject.ideal(*arm)).collect();
    let labels = ["best fitness so far", "distance to the ideal, best so far"];
    let fitness = FitnessAxis::of(&mut body.curves_mut(), &ideals, Side::Up, labels);
    let (mut y, mut scale) = (fitness.axis, fitness.words);
    if let Body::Panels(panels) = &body
        && are_hidden(panels, &y)
    {
        y.own = true;
        scale.push_str("; each panel has a scale of its own");
    }
    let against = subject.against;
    let read = match against {
        Against::Evaluations => {
            batches(sizes).map_or_else(String::new, |sizes| format!("; read at {sizes}"))
        }
        // A generation of a climb is one move, that of random search is a batch.
        Against::Generations => "; generations differ between algorithms".to_owned(),
    };
    let banded = body.curves().iter().any(|curve| curve.has_bounds());
    let bands = if banded { ", band: quartiles" } else { "" };
    let empty = body.curves().iter().filter(|curve| curve.points.is_empty()).count() as u64;
    let why = "in which half of the trials or more found no feasible genome";
    let hidden = not_shown(empty, "arm", why);
    Chart {
        name: format!("fitness{suffix}"),
        title: format!("Best fitness so far: {}", subject.summary.experiment),
        note: format!(
            "{words}{}; median{bands}; ended trials keep their last value{read}{scale}{hidden}",
            trials(subject, arms)
        ),
        x: axis(against, body.places()),
        y,
        body,
    }
}

/// Returns the axis of evaluations or generations. A wide range of evaluations is logarithmic,
/// because most improvements are among the first of them.
pub(super) fn axis(against: Against, places: impl IntoIterator<Item = f64>) -> Axis {
    let (least, most) = extremes(places);
    Axis::new(against.as_str())
        .logarithmic(against == Against::Evaluations && least >= 1.0 && most / least > SPAN)
}

/// Returns a text such as "20 trials per arm", or that these are the first of each arm.
pub(super) fn trials(subject: &Subject<'_>, arms: &[usize]) -> String {
    let most = arms.iter().map(|arm| subject.samples[*arm].trials()).max().unwrap_or(0);
    match most > TRIALS as u64 {
        true => format!("the first {} trials of each arm", count(TRIALS as u64)),
        false => subject.trials(arms.iter().copied()),
    }
}

/// Returns the positions where something changes, beginning where all trials have a best fitness.
/// If there are too many, returns a selection.
fn grid(found: &Trajectories, against: Against) -> Vec<u64> {
    let first = found
        .trials
        .iter()
        .filter_map(|trial| trial.steps.first().map(|step| against.step(step)))
        .max()
        .unwrap_or(0);
    let last =
        found.trials.iter().map(|trial| against.end(trial)).max().unwrap_or(first).max(first);
    let steps =
        found.trials.iter().flat_map(|trial| trial.steps.iter().map(|step| against.step(step)));
    let mut places: Vec<u64> = steps.filter(|place| *place > first).chain([first, last]).collect();
    places.sort_unstable();
    places.dedup();
    if places.len() <= POINTS {
        return places;
    }
    // Evenly spaced on the axis as it is drawn.
    let (low, high) = (first as f64, last as f64);
    let logarithmic = against == Against::Evaluations && low >= 1.0 && high / low > SPAN;
    let at = |part: f64| {
        if logarithmic { low * (high / low).powf(part) } else { low + (high - low) * part }
    };
    let mut kept: Vec<u64> = (0..=POINTS)
        .filter_map(|point| {
            let wanted = at(point as f64 / POINTS as f64) as u64;
            places.get(places.partition_point(|place| *place < wanted)).copied()
        })
        .chain([last])
        .collect();
    kept.dedup();
    kept
}

pub(super) type Pairs = Vec<(f64, f64)>;

/// Returns the median and the quartiles of the best fitness so far. A trial that has ended keeps
/// its last value. One without a feasible genome is worse than all others: there is no point where
/// the median is of such trials, and the band ends at the greatest fitness.
fn over_trials(found: &Trajectories, against: Against) -> (Pairs, Pairs) {
    let (mut points, mut bounds) = (Vec::new(), Vec::new());
    for place in grid(found, against) {
        let best = |trial| against.best(trial, place).unwrap_or(f64::INFINITY);
        let mut column: Vec<f64> = found.trials.iter().map(best).collect();
        column.sort_unstable_by(f64::total_cmp);
        let known = column.partition_point(|fitness| fitness.is_finite());
        let at = |share| quantile(&column, share).filter(|value| value.is_finite());
        if let (Some(low), Some(middle)) = (at(0.25), at(0.5)) {
            points.push((place as f64, middle));
            bounds.push((low, at(0.75).unwrap_or(column[known - 1])));
        }
    }
    (points, bounds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::fixtures::ended;
    use crate::results::{Step, Trajectory};

    /// A trial without a feasible genome has no steps.
    fn trial(steps: &[(u64, f64)]) -> Trajectory {
        let step = |(evaluations, best): &(u64, f64)| Step {
            generation: *evaluations,
            evaluations: *evaluations,
            best: *best,
        };
        Trajectory { record: ended(40, 4), steps: steps.iter().map(step).collect(), worst: None }
    }

    #[test]
    fn trials_without_a_feasible_genome_are_the_worst_of_all() {
        let some = || trial(&[(10, 4.0), (20, 2.0)]);
        let of = |trials: Vec<Trajectory>| {
            over_trials(&Trajectories { trials, batch: None }, Against::Evaluations)
        };
        let (points, bounds) = of(vec![some(), some(), some(), trial(&[])]);
        assert_eq!(points, [(10.0, 4.0), (20.0, 2.0), (40.0, 2.0)]);
        assert_eq!(bounds[1], (2.0, 2.0));
        // Most have none, so that there is no median.
        assert!(of(vec![some(), trial(&[]), trial(&[])]).0.is_empty());
        assert!(of(vec![trial(&[])]).0.is_empty());
    }
}
