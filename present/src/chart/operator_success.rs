//! Success of operators: the share of children that are better than their parents, in the first
//! trial of each arm.

use super::colour::Colour;
use super::fitness::axis;
use super::model::{Axis, Body, Chart, Curve, Panel, Shape};
use super::subject::{Against, Subject};
use crate::record::{OperatorCounts, Successes};
use crate::results::GenerationRow;
use crate::words::count;

/// Maximum number of points of a curve. The share of a single generation is coarse, because it has
/// few children.
const POINTS: usize = 15;

/// Function that returns the numbers of one kind of children.
type OfKind = fn(&OperatorCounts) -> Successes;

/// Kinds of children, each with its label.
const KINDS: [(&str, OfKind); 3] = [
    ("crossover", |counts| counts.crossed),
    ("mutation", |counts| counts.mutated),
    ("crossover and mutation", |counts| counts.crossed_mutated),
];

/// Curves of an arm.
pub(super) struct ArmSuccess {
    panel: Panel,
    /// Least and greatest number of generations of a point, which differ by at most one.
    sizes: (usize, usize),
}

/// Returns the curves of an arm's first trial; `None` if its children are not counted.
pub(super) fn of_arm(rows: &[GenerationRow], against: Against, title: &str) -> Option<ArmSuccess> {
    let is_same = |one: &GenerationRow, other: &GenerationRow| {
        one.figures.generation == other.figures.generation
    };
    let mut counted: Vec<(u64, OperatorCounts)> = Vec::new();
    for generation in rows.chunk_by(is_same) {
        counted.push((against.row(&generation[0].figures), generation[0].operators?));
    }
    // The initial population has no parents.
    let counted = counted.get(1..)?;
    let (all, points) = (counted.len(), counted.len().min(POINTS));
    let part = |point: usize| &counted[all * point / points..all * (point + 1) / points];
    let curve = |(colour, (label, of)): (usize, (&str, OfKind))| {
        let points = (0..points).filter_map(|point| share(part(point), of)).collect();
        Curve::new(label, Colour::Own(colour), points, Shape::Joined)
    };
    let mut curves: Vec<Curve> = KINDS.into_iter().enumerate().map(curve).collect();
    curves.retain(|curve| !curve.points.is_empty());
    let panel = Panel { title: title.to_owned(), curves };
    (!panel.curves.is_empty())
        .then(|| ArmSuccess { panel, sizes: (all / points, all.div_ceil(points)) })
}

/// Returns the end of these generations, and the share of their children of a kind that are better
/// than their parents; `None` if there is no child of the kind.
fn share(generations: &[(u64, OperatorCounts)], of: OfKind) -> Option<(f64, f64)> {
    let (end, _) = generations.last()?;
    let sum = |number: fn(Successes) -> u64| {
        generations.iter().map(|(_, counts)| number(of(counts))).sum::<u64>() as f64
    };
    let children = sum(|kind| kind.children);
    (children > 0.0).then(|| (*end as f64, sum(|kind| kind.better) / children))
}

/// Returns the chart of these arms, with a panel each; `None` without any.
pub(super) fn chart(subject: &Subject<'_>, mut arms: Vec<ArmSuccess>) -> Option<Chart> {
    let sizes = || arms.iter().map(|arm| arm.sizes);
    let (least, most) =
        (sizes().map(|(least, _)| least).min()?, sizes().map(|(_, most)| most).max()?);
    let each = match (least, most) {
        (1, 1) => "each generation".to_owned(),
        (least, most) if least == most => format!("{} generations each", count(most as u64)),
        (least, most) => {
            format!("{} to {} generations each", count(least as u64), count(most as u64))
        }
    };
    let (title, body) = match arms.len() {
        1 => {
            let Panel { title, curves } = arms.remove(0).panel;
            (title, Body::Curves(curves))
        }
        _ => {
            let panels = arms.into_iter().map(|arm| arm.panel).collect();
            (subject.summary.experiment.clone(), Body::Panels(panels))
        }
    };
    Some(Chart {
        name: "operators".to_owned(),
        title: format!("Success of operators: {title}"),
        note: format!(
            "one trial, the first of each arm; share of the children of {each} that are better \
            than their parents"
        ),
        x: axis(subject.against, body.places()),
        y: Axis::new("share of better children"),
        body,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::TraceRow;

    fn row(generation: u64, numbers: [u64; 7]) -> GenerationRow {
        let figures = TraceRow {
            generation,
            evaluations: 10 * (generation + 1),
            best: 0.0,
            mean: 0.0,
            worst: 0.0,
            best_so_far: 0.0,
            violations: None,
        };
        let operators = Some(OperatorCounts::from_array(numbers));
        GenerationRow { arm: 0, trial: 0, figures, operators, genome: None }
    }

    /// A row per individual counts once, and kinds without children have no curve.
    #[test]
    fn shares_are_of_all_children_of_the_generations_of_a_point() {
        let zero = row(0, [0; 7]);
        let mut rows = vec![zero.clone(), zero];
        for generation in 1..=50 {
            let numbers = [4, generation % 2, 0, 0, 3, 3, 1];
            rows.extend([row(generation, numbers), row(generation, numbers)]);
        }
        let made = of_arm(&rows, Against::Generations, "a").expect("curves");
        assert_eq!(made.sizes, (3, 4));
        let of = |place: usize| &made.panel.curves[place];
        assert_eq!((made.panel.curves.len(), of(0).points.len()), (2, 15));
        assert_eq!((of(0).label.as_str(), of(0).points[0]), ("crossover", (3.0, 2.0 / 12.0)));
        assert_eq!(of(1).points[14], (50.0, 1.0));
        let uncounted = GenerationRow { operators: None, ..row(0, [0; 7]) };
        assert!(of_arm(&[uncounted], Against::Generations, "a").is_none());
        assert!(of_arm(&rows[..2], Against::Generations, "a").is_none());
    }
}
