//! Fitness against generation: over all trials, and within one.

use super::chart::{Axis, Body, Chart, Curve, Shape};
use super::gallery::{Subject, TRIALS, curve_parts, file_name};
use crate::experiment::Trace;
use crate::results::{GenerationRow, ResultsError};
use crate::stats::quantile;

/// Points of a curve.
const POINTS: u64 = 200;
/// Arms whose first trial is shown.
const FIRST: usize = 6;

pub fn charts(subject: &Subject<'_>) -> Result<Vec<Chart>, ResultsError> {
    let arms = subject.with_trials();
    let mut charts = Vec::new();
    for part in curve_parts(arms.len()) {
        let part_arms = &arms[part.range.clone()];
        let mut curves = Vec::new();
        for (place, arm) in part_arms.iter().enumerate() {
            let (points, bounds) = over_trials(subject, *arm)?;
            curves.push(Curve {
                label: subject.names[*arm].clone(),
                colour: place,
                points,
                bounds,
                shape: Shape::Steps,
            });
        }
        let most = part_arms.iter().map(|arm| subject.samples[*arm].trials()).max().unwrap_or(0);
        let trials = match most > TRIALS as u64 {
            true => format!("the first {} trials of each arm", crate::report::count(TRIALS as u64)),
            false => subject.trials(part_arms.iter().copied()),
        };
        charts.push(Chart {
            name: format!("fitness{}", part.suffix),
            title: format!("Best fitness so far: {}", subject.summary.experiment),
            note: format!("{}{trials}; median, band: quartiles", part.words),
            x: Axis::new("generation"),
            y: Axis::new("best fitness so far"),
            body: Body::Curves(curves),
        });
    }
    for arm in arms.into_iter().take(FIRST) {
        charts.extend(first_trial(subject, arm)?);
    }
    Ok(charts)
}

/// The generations at which a curve of `last` generations has points.
fn grid(last: u64) -> Vec<u64> {
    let step = last.div_ceil(POINTS).max(1);
    (0..=last).step_by(step as usize).collect()
}

type Pairs = Vec<(f64, f64)>;

/// The median and the quartiles of the best fitness so far. A trial that ended counts on with its last.
fn over_trials(subject: &Subject<'_>, arm: usize) -> Result<(Pairs, Pairs), ResultsError> {
    let mut last = 0;
    visit(subject, arm, |row| last = last.max(row.figures.generation))?;
    let grid = grid(last);
    let mut columns: Vec<Vec<f64>> = vec![Vec::new(); grid.len()];
    // The trial that is being read: its best at each point of the grid so far.
    let mut current: Option<(u64, usize, f64)> = None;
    let finish = |columns: &mut Vec<Vec<f64>>, current: Option<(u64, usize, f64)>| {
        if let Some((_, next, best)) = current {
            columns[next..].iter_mut().for_each(|column| column.push(best));
        }
    };
    visit(subject, arm, |row| {
        let (trial, figures) = (row.trial, row.figures);
        if current.is_some_and(|(one, ..)| one != trial) {
            finish(&mut columns, current.take());
        }
        let (_, next, best) = current.get_or_insert((trial, 0, figures.best_so_far));
        while *next < grid.len() && grid[*next] < figures.generation {
            columns[*next].push(*best);
            *next += 1;
        }
        *best = figures.best_so_far;
    })?;
    finish(&mut columns, current);
    let (mut points, mut bounds) = (Vec::new(), Vec::new());
    for (generation, column) in grid.iter().zip(&mut columns) {
        column.sort_unstable_by(f64::total_cmp);
        if let (Some(low), Some(middle), Some(high)) =
            (quantile(column, 0.25), quantile(column, 0.5), quantile(column, 0.75))
        {
            points.push((*generation as f64, middle));
            bounds.push((low, high));
        }
    }
    Ok((points, bounds))
}

/// The rows of an arm's first trials.
fn visit(subject: &Subject<'_>, arm: usize, mut each: impl FnMut(GenerationRow)) -> Result<(), ResultsError> {
    let (mut trials, mut last) = (0, None);
    subject.results.generations_of(arm, |row: GenerationRow| -> Result<(), ResultsError> {
        if last.replace(row.trial) != Some(row.trial) {
            trials += 1;
        }
        if trials <= TRIALS {
            each(row);
        }
        Ok(())
    })
}

/// Best, mean and worst of each generation of an arm's first trial; every individual where they are traced.
fn first_trial(subject: &Subject<'_>, arm: usize) -> Result<Option<Chart>, ResultsError> {
    let mut rows: Vec<GenerationRow> = Vec::new();
    subject.results.generations_of(arm, |row: GenerationRow| -> Result<(), ResultsError> {
        if rows.first().is_none_or(|first| first.trial == row.trial) {
            rows.push(row);
        }
        Ok(())
    })?;
    let Some(first) = rows.first().copied() else { return Ok(None) };
    let individuals = subject.results.trace() == Trace::Population;
    let curve = |label: &str, colour: usize, points: Pairs, shape: Shape| Curve {
        label: label.to_owned(),
        colour,
        points,
        bounds: Vec::new(),
        shape,
    };
    let of = |figure: fn(&GenerationRow) -> f64| -> Pairs {
        rows.iter().map(|row| (row.figures.generation as f64, figure(row))).collect()
    };
    let curves = if individuals {
        let mut generations: Vec<(u64, f64, f64, f64)> = Vec::new();
        for row in &rows {
            let fitness = row.figures.best;
            match generations.last_mut() {
                Some((generation, best, sum, count)) if *generation == row.figures.generation => {
                    *best = best.min(fitness);
                    *sum += fitness;
                    *count += 1.0;
                }
                _ => generations.push((row.figures.generation, fitness, fitness, 1.0)),
            }
        }
        let best = thinned(generations.iter().map(|(at, best, ..)| (*at as f64, *best)).collect());
        let mean = thinned(generations.iter().map(|(at, _, sum, count)| (*at as f64, sum / count)).collect());
        vec![
            curve("each individual", 6, individuals_shown(of(|row| row.figures.best)), Shape::Cloud),
            curve("mean", 1, mean, Shape::Line),
            curve("best", 0, best, Shape::Line),
        ]
    } else {
        vec![
            curve("worst", 6, thinned(of(|row| row.figures.worst)), Shape::Line),
            curve("mean", 1, thinned(of(|row| row.figures.mean)), Shape::Line),
            curve("best", 0, thinned(of(|row| row.figures.best)), Shape::Line),
        ]
    };
    Ok(Some(Chart {
        name: format!("trial-{}", file_name(&subject.names[arm])),
        title: format!("Fitness in one trial: {}", subject.names[arm]),
        note: format!("n = 1, trial {}; the whole population of each generation", first.trial),
        x: Axis::new("generation"),
        y: Axis::new("fitness"),
        body: Body::Curves(curves),
    }))
}

/// Points of a cloud.
const CLOUD: usize = 4_000;

/// Different points, few enough to be drawn: every k-th beyond.
fn individuals_shown(mut points: Pairs) -> Pairs {
    points.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    points.dedup();
    let step = points.len().div_ceil(CLOUD).max(1);
    points.into_iter().step_by(step).collect()
}

/// Few enough to be drawn, the last among them.
fn thinned(points: Pairs) -> Pairs {
    let step = points.len().div_ceil(2 * POINTS as usize).max(1);
    let last = points.len().saturating_sub(1);
    points.into_iter().enumerate().filter(|(place, _)| place % step == 0 || *place == last).map(|(_, at)| at).collect()
}
