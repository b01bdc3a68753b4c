//! Performance profiles: the share of problems on which an operator set needs at most a multiple of
//! the evaluations of the best set.
//!
//! Source: Dolan and Moré (2002), doi:10.1007/s101070100263, with the expected running time as the
//! measure.

use super::division::Division;
use super::fitness::SPAN;
use super::model::{Axis, Body, Chart, Curve, Shape};
use super::subject::{Labelled, Subject};

/// Minimum number of problems of a profile.
const PROBLEMS: usize = 3;
/// Ratio of the axis's end to the greatest ratio.
const MARGIN: f64 = 1.1;

pub(super) fn charts(subject: &Subject<'_>) -> Vec<Chart> {
    let arms = subject.all_with_trials();
    let Division { panels, sets } = subject.division_of_all(&arms);
    let ert = |one: &Labelled| {
        Some((one.clone(), subject.summary.rows[one.arm].figures.ert.as_ref()?.value))
    };
    let solved = panels.iter().map(|(_, arms)| arms.iter().filter_map(ert).collect::<Vec<_>>());
    let solved: Vec<Vec<(Labelled, f64)>> = solved.filter(|arms| !arms.is_empty()).collect();
    if sets < 2 || solved.len() < PROBLEMS {
        return Vec::new();
    }
    let mut all: Vec<(Labelled, Vec<f64>)> = Vec::new();
    for one in panels.iter().flat_map(|(_, arms)| arms) {
        if all.iter().all(|(other, _)| other.label != one.label) {
            all.push((one.clone(), Vec::new()));
        }
    }
    for arms in &solved {
        let best = arms.iter().map(|(_, ert)| *ert).fold(f64::INFINITY, f64::min);
        for (one, ert) in arms {
            let own = all.iter_mut().filter(|(set, _)| set.label == one.label);
            own.for_each(|(_, ratios)| ratios.push(ert / best));
        }
    }
    let ratios = || all.iter().flat_map(|(_, ratios)| ratios.iter().copied());
    let end = MARGIN * ratios().fold(1.0, f64::max);
    let count = solved.len();
    let curves: Vec<Curve> =
        all.into_iter().map(|(set, ratios)| curve(set, ratios, count, end)).collect();
    let left_out = match panels.len() - count {
        0 => String::new(),
        1 => "; one that no set solves is left out".to_owned(),
        others => format!("; {others} that no set solves are left out"),
    };
    vec![Chart {
        name: "profile".to_owned(),
        title: format!("Performance profile: {}", subject.summary.experiment),
        note: format!(
            "{count} problems{left_out}; {}; ERT relative to the least of any set",
            subject.trials(arms.iter().copied())
        ),
        x: match Axis::new("times the ERT of the best set") {
            axis if end > SPAN => axis.logarithmic(true),
            axis => axis.range(1.0, end),
        },
        y: Axis::new("share of problems").range(-0.02, 1.02),
        body: Body::over_all_problems(curves),
    }]
}

/// Returns the share of `problems` whose ratio is at most x, up to `end`.
fn curve(set: Labelled, mut ratios: Vec<f64>, problems: usize, end: f64) -> Curve {
    ratios.sort_unstable_by(f64::total_cmp);
    let mut points = Vec::new();
    if ratios.first().is_none_or(|least| *least > 1.0) {
        points.push((1.0, 0.0));
    }
    let mut count = 0;
    for group in ratios.chunk_by(|one, other| one == other) {
        count += group.len();
        points.push((group[0], count as f64 / problems as f64));
    }
    points.push((end, count as f64 / problems as f64));
    let Labelled { label, colour, .. } = set;
    Curve::new(label, colour, points, Shape::Steps)
}

#[cfg(test)]
mod tests {
    use super::super::colour::Colour;
    use super::*;

    #[test]
    fn a_profile_begins_at_the_share_of_wins() {
        let set = || Labelled { arm: 0, label: "a".to_owned(), colour: Colour::Own(0) };
        let wins = curve(set(), vec![4.0, 1.0, 1.0], 4, 8.0);
        assert_eq!(wins.points, [(1.0, 0.5), (4.0, 0.75), (8.0, 0.75)]);
        let never = curve(set(), Vec::new(), 4, 8.0);
        assert_eq!(never.points, [(1.0, 0.0), (8.0, 0.0)]);
        let slow = curve(set(), vec![2.0], 1, 8.0);
        assert_eq!(slow.points, [(1.0, 0.0), (2.0, 1.0), (8.0, 1.0)]);
    }
}
