//! First trial of each arm: fitness in its generations and, where the trace has them, diversity and
//! the success of operators.

use super::colour::Colour;
use super::distance::{FitnessAxis, Side};
use super::fitness::{POINTS, Pairs, axis};
use super::model::{Axis, Body, Chart, Curve, Shape};
use super::operator_success;
use super::subject::{Against, Labelled, Subject, file_name};
use crate::problem::Genome;
use crate::record::TraceRow;
use crate::results::{FirstTrials, GenerationRow, ResultsError};
use crate::search::diversity_of;

/// Maximum number of arms whose first trial is shown.
const FIRST: usize = 6;

pub(super) fn charts(subject: &Subject<'_>) -> Result<Vec<Chart>, ResultsError> {
    let mut trials = FirstTrials::open(subject.results)?;
    let first: Vec<usize> = subject.with_trials().into_iter().take(FIRST).collect();
    let (mut charts, mut curves, mut successes) = (Vec::new(), Vec::new(), Vec::new());
    let mut are_reals = false;
    for Labelled { arm, label, colour } in subject.labelled(&first) {
        let rows = trials.of_arm(arm)?;
        charts.extend(fitness(subject, arm, &rows));
        successes.extend(operator_success::of_arm(&rows, subject.against, &label));
        are_reals |= rows.iter().any(|row| matches!(row.genome, Some(Genome::F64(_))));
        curves.extend(diversity(&rows, subject.against, label, colour));
    }
    charts.extend(diversities(subject, curves, are_reals));
    charts.extend(operator_success::chart(subject, successes));
    Ok(charts)
}

/// Returns best, mean and worst of each generation of an arm's first trial, and every individual if
/// they are traced.
fn fitness(subject: &Subject<'_>, arm: usize, rows: &[GenerationRow]) -> Option<Chart> {
    let first = rows.first()?;
    let against = subject.against;
    let place = |row: &GenerationRow| against.row(&row.figures);
    let individuals = subject.results.trace().has_individuals();
    let curve =
        |label: &str, colour, points, shape| Curve::new(label, Colour::Own(colour), points, shape);
    let of = |figure: fn(&TraceRow) -> f64| -> Pairs {
        rows.iter().map(|row| (place(row) as f64, figure(&row.figures))).collect()
    };
    let mut curves = if individuals {
        let generations = generations(rows.iter().map(|row| (place(row), row.figures)));
        let line = |figure: fn(&Generation) -> f64| {
            thinned(generations.iter().map(|one| (one.at as f64, figure(one))).collect())
        };
        let (mean, best) = (line(|one| one.sum / one.count), line(|one| one.best.1));
        vec![
            curve("each individual", 6, individuals_shown(of(|row| row.best)), Shape::Cloud),
            curve("mean", 1, mean, Shape::Line),
            curve("best", 0, best, Shape::Line),
        ]
    } else {
        vec![
            curve("worst", 6, thinned(of(|row| row.worst)), Shape::Line),
            curve("mean", 1, thinned(of(|row| row.mean)), Shape::Line),
            curve("best", 0, thinned(of(|row| row.best)), Shape::Line),
        ]
    };
    let is_infeasible = |row: &GenerationRow| {
        row.figures.violations.is_some_and(|one| one.best > 0.0 || one.feasible < 1.0)
    };
    let infeasible = match rows.iter().any(is_infeasible) {
        true => {
            "; infeasible genomes are drawn with their fitness, and the best is that of least \
            violation"
        }
        false => "",
    };
    let ideals = vec![subject.ideal(arm); curves.len()];
    let mut all: Vec<&mut Curve> = curves.iter_mut().collect();
    let scale = FitnessAxis::of(&mut all, &ideals, Side::Up, ["fitness", "distance to the ideal"]);
    Some(Chart {
        name: format!("trial-{}", file_name(&subject.names[arm])),
        title: format!("Fitness in one trial: {}", subject.names[arm]),
        note: format!(
            "trial {}; the whole population of each generation{infeasible}{}",
            first.trial, scale.words
        ),
        x: axis(against, rows.iter().map(|row| place(row) as f64)),
        y: scale.axis,
        body: Body::Curves(curves),
    })
}

/// Figures of a generation whose individuals are traced.
struct Generation {
    at: u64,
    /// Violation and fitness of the best individual, the one of least violation.
    best: (f64, f64),
    sum: f64,
    count: f64,
}

/// Returns the generations of these individuals, which are in order.
fn generations(individuals: impl Iterator<Item = (u64, TraceRow)>) -> Vec<Generation> {
    let mut generations: Vec<Generation> = Vec::new();
    for (at, row) in individuals {
        let figures = (row.violations.map_or(0.0, |one| one.best), row.best);
        match generations.last_mut().filter(|last| last.at == at) {
            Some(last) => {
                if figures < last.best {
                    last.best = figures;
                }
                last.sum += row.best;
                last.count += 1.0;
            }
            None => generations.push(Generation { at, best: figures, sum: row.best, count: 1.0 }),
        }
    }
    generations
}

/// Maximum number of points of a cloud.
const CLOUD: usize = 4_000;

/// Returns the distinct points. If there are too many to draw, every k-th.
fn individuals_shown(mut points: Pairs) -> Pairs {
    points.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    points.dedup();
    let step = points.len().div_ceil(CLOUD).max(1);
    points.into_iter().step_by(step).collect()
}

/// Returns few enough points to draw, including the last.
pub(super) fn thinned(points: Pairs) -> Pairs {
    let step = points.len().div_ceil(2 * POINTS).max(1);
    let last = points.len().saturating_sub(1);
    points
        .into_iter()
        .enumerate()
        .filter(|(place, _)| place % step == 0 || *place == last)
        .map(|(_, at)| at)
        .collect()
}

/// Returns the diversity of each generation of a trial; `None` without genomes, or if no generation
/// has two of them.
fn diversity(
    rows: &[GenerationRow],
    against: Against,
    label: String,
    colour: Colour,
) -> Option<Curve> {
    let is_same = |one: &GenerationRow, other: &GenerationRow| {
        one.figures.generation == other.figures.generation
    };
    let point = |generation: &[GenerationRow]| {
        let genomes: Option<Vec<&Genome>> =
            generation.iter().map(|row| row.genome.as_ref()).collect();
        Some((against.row(&generation[0].figures) as f64, diversity_of(&genomes?)?))
    };
    let points: Pairs = rows.chunk_by(is_same).filter_map(point).collect();
    (!points.is_empty()).then(|| Curve::new(label, colour, thinned(points), Shape::Line))
}

/// Returns the chart of these curves; `None` without any.
fn diversities(subject: &Subject<'_>, curves: Vec<Curve>, are_reals: bool) -> Option<Chart> {
    let distance = if are_reals { "mean Euclidean distance" } else { "mean distance" };
    let body = Body::Curves(curves);
    (!body.curves().is_empty()).then(|| Chart {
        name: "diversity".to_owned(),
        title: format!("Diversity: {}", subject.summary.experiment),
        note: format!("one trial, the first of each arm; {distance} of two individuals"),
        x: axis(subject.against, body.places()),
        y: Axis::new("diversity"),
        body,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::ViolationTrace;

    #[test]
    fn the_best_of_a_generation_is_that_of_least_violation() {
        let individual = |at: u64, fitness: f64, violation: f64| {
            let violations = ViolationTrace { best: violation, feasible: 0.0, best_so_far: 0.0 };
            let row = TraceRow {
                generation: at,
                evaluations: at,
                best: fitness,
                mean: fitness,
                worst: fitness,
                best_so_far: fitness,
                violations: Some(violations),
            };
            (at, row)
        };
        let rows = [(0, 6.0, 1.0), (0, 8.0, 0.0), (0, 7.0, 0.0), (1, 5.0, 2.0), (1, 9.0, 1.0)];
        let found =
            generations(rows.map(|(at, fitness, one)| individual(at, fitness, one)).into_iter());
        let found: Vec<_> = found.iter().map(|one| (one.best, one.sum, one.count)).collect();
        assert_eq!(found, [((0.0, 7.0), 21.0, 3.0), ((1.0, 9.0), 14.0, 2.0)]);
    }
}
