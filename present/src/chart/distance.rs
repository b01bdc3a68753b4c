//! Distances to the ideal: fitness on a logarithmic axis, where it comes close to a known ideal.

use super::model::{Axis, Curve};
use super::ticks::tick;

/// Ratio of the greatest distance to the least beyond which distances are drawn.
const WIDE: f64 = 1_000.0;
/// Least distance that is drawn, as on logarithmic axes of the library.
const LEAST: f64 = 1e-10;

/// Coordinate of a curve's points that is a fitness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Across,
    Up,
}

/// Axis of fitness, and an addition to the note of its chart.
pub(super) struct FitnessAxis {
    pub axis: Axis,
    pub words: String,
}

impl FitnessAxis {
    /// Returns the axis of these curves. `ideals` has the ideal of each curve's problem, and
    /// `labels` the label of an axis of fitness and of one of distances. Where the fitness comes
    /// close to the ideal, the curves become those of distances to it.
    pub(super) fn of(
        curves: &mut [&mut Curve],
        ideals: &[Option<f64>],
        side: Side,
        [fitness, distance]: [&str; 2],
    ) -> Self {
        let ideals: Option<Vec<f64>> = ideals.iter().copied().collect();
        let Some((ideals, floor)) = ideals.and_then(|ideals| {
            let floor = floor(distances(curves, &ideals, side))?;
            Some((ideals, floor))
        }) else {
            return FitnessAxis { axis: Axis::new(fitness), words: String::new() };
        };
        let mut below = false;
        for (curve, ideal) in curves.iter_mut().zip(&ideals) {
            each(curve, side, |value| {
                below |= *value - ideal < floor;
                *value = (*value - ideal).max(floor);
            });
        }
        let words = match below {
            true => format!("; a distance below {}, or of 0, is at the lower edge", tick(floor)),
            false => String::new(),
        };
        FitnessAxis { axis: Axis::new(distance).logarithmic(true), words }
    }
}

/// Calls a function with each fitness of a curve.
fn each(curve: &mut Curve, side: Side, mut with: impl FnMut(&mut f64)) {
    match side {
        Side::Across => curve.points.iter_mut().for_each(|(x, _)| with(x)),
        Side::Up => {
            curve.points.iter_mut().for_each(|(_, y)| with(y));
            curve.bounds.iter_mut().for_each(|(low, high)| {
                with(low);
                with(high);
            });
        }
    }
}

/// Returns the distance of each fitness of the curves to the ideal of the curve's problem.
fn distances(curves: &mut [&mut Curve], ideals: &[f64], side: Side) -> Vec<f64> {
    let mut found = Vec::new();
    for (curve, ideal) in curves.iter_mut().zip(ideals) {
        each(curve, side, |value| found.push(*value - ideal));
    }
    found
}

/// Returns the power of ten at which a logarithmic axis of these distances begins. `None` if they
/// are better drawn as fitness: they are whole numbers, span few powers of ten, or go far below the
/// ideal, as noise can.
fn floor(distances: Vec<f64>) -> Option<f64> {
    let far = distances.iter().copied().fold(0.0, f64::max);
    let positive = distances.iter().copied().filter(|one| *one > 0.0);
    let near = positive.fold(f64::INFINITY, f64::min).max(LEAST);
    let least = distances.iter().copied().fold(0.0, f64::min);
    let whole = distances.iter().all(|one| one.fract() == 0.0);
    if whole || !far.is_finite() || far / near <= WIDE || least < -near {
        return None;
    }
    // A distance of 0 is told from the least one.
    let cut = distances.iter().any(|one| *one <= 0.0);
    let room = if cut { 2.0 } else { 1.0 };
    Some(10_f64.powf((near / room).log10().floor()).max(LEAST))
}

#[cfg(test)]
mod tests {
    use super::super::colour::Colour;
    use super::super::model::Shape;
    use super::*;

    fn drawn(values: &[f64], ideal: Option<f64>) -> (Vec<f64>, FitnessAxis) {
        let points = (1..).map(f64::from).zip(values.iter().copied()).collect();
        let mut curve = Curve::new("a", Colour::Own(0), points, Shape::Steps);
        let made = FitnessAxis::of(&mut [&mut curve], &[ideal], Side::Up, ["fitness", "distance"]);
        (curve.points.iter().map(|(_, y)| *y).collect(), made)
    }

    #[test]
    fn fitness_that_comes_close_to_the_ideal_is_drawn_as_a_distance() {
        let (values, made) = drawn(&[103.5, 4.0, 3.5 + 1e-5], Some(3.5));
        assert!(made.axis.logarithmic && made.axis.label == "distance" && made.words.is_empty());
        assert!(values[0] == 100.0 && (values[2] / 1e-5 - 1.0).abs() < 1e-6, "{values:?}");
        let (values, made) = drawn(&[100.0, 0.5, 3e-9, 0.0], Some(0.0));
        assert_eq!(values, [100.0, 0.5, 3e-9, 1e-9]);
        assert_eq!(made.words, "; a distance below 1e-9, or of 0, is at the lower edge");
        assert_eq!(drawn(&[1.5, 1e-30], Some(0.0)).0, [1.5, 1e-10]);
    }

    #[test]
    fn other_fitness_is_drawn_as_it_is() {
        for (values, ideal) in [
            (vec![100.5, 1e-6], None),
            (vec![5_000.0, 1.0, 0.0], Some(0.0)),
            (vec![100.5, 35.2], Some(0.0)),
            (vec![1.5, 0.0], Some(0.0)),
            (vec![100.5, 1e-6, -0.5], Some(0.0)),
        ] {
            let (found, made) = drawn(&values, ideal);
            assert!(found == values && !made.axis.logarithmic && made.words.is_empty());
        }
    }
}
