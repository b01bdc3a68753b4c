//! Labels next to the ends of curves, instead of a legend.

use super::model::{Axis, Curve, Shape};
use super::theme::INKS;
use super::words::{text_at, width_of};
use crate::lists::extremes;
use kuva::render::layout::ComputedLayout;

/// Pixels: font size, distance of labels, length of a label's line, and the widest label that
/// leaves enough room for curves.
const LETTERS: f64 = 10.0;
const LINE: f64 = 13.0;
const LEAD: f64 = 16.0;
const WIDEST: f64 = 150.0;
/// Maximum share of the axis between a curve's end and the right edge.
const NEAR: f64 = 0.03;

/// Returns the pixels to the right of the axes for the labels. `None` if curves end far from there,
/// or labels are long, so that a legend is used.
pub(super) fn room(curves: &[Curve], x: &Axis) -> Option<f64> {
    let at = |x_value: f64| if x.logarithmic { x_value.ln() } else { x_value };
    let places = curves.iter().flat_map(|curve| curve.points.iter().map(|(x, _)| at(*x)));
    let ends = match (&x.range, x.names.len()) {
        (Some((low, high)), _) => vec![at(*low), at(*high)],
        (None, 0) => Vec::new(),
        (None, names) => vec![1.0, names as f64],
    };
    let (least, most) = extremes(places.chain(ends));
    let at_the_end = |curve: &Curve| {
        let end = curve.points.last().map(|(x, _)| at(*x));
        curve.shape != Shape::Cloud && end.is_some_and(|end| most - end <= NEAR * (most - least))
    };
    let widest = curves.iter().map(|curve| width_of(&curve.label, LETTERS)).fold(0.0, f64::max);
    (!curves.is_empty() && widest <= WIDEST && curves.iter().all(at_the_end))
        .then_some(LEAD + widest + 4.0)
}

/// Draws each label at the height of its curve's end, or as near as other labels allow, with a line
/// from the end.
pub(super) fn labels(curves: &[Curve], layout: &ComputedLayout) -> String {
    let edge = layout.width - layout.margin_right;
    let (top, bottom) = (layout.margin_top, layout.height - layout.margin_bottom);
    let mut ends: Vec<(f64, f64, &Curve)> = curves
        .iter()
        .filter_map(|curve| {
            let (x, y) = curve.points.last()?;
            Some((layout.map_y(*y), layout.map_x(*x), curve))
        })
        .collect();
    ends.sort_by(|one, other| one.0.total_cmp(&other.0));
    let wanted: Vec<f64> = ends.iter().map(|(y, ..)| *y).collect();
    let mut drawn = String::new();
    for ((y, x, curve), height) in ends.iter().zip(apart(&wanted, top, bottom)) {
        let label = edge + LEAD;
        drawn.push_str(&format!(
            "<polyline points=\"{x:.1},{y:.1} {edge:.1},{y:.1} {:.1},{height:.1}\" fill=\"none\" \
            stroke=\"{}\" stroke-width=\"1.2\"/>",
            label - 3.0,
            curve.colour.css()
        ));
        drawn.push_str(&text_at(label, height + 0.36 * LETTERS, LETTERS, INKS[0].0, &curve.label));
    }
    drawn
}

/// Returns ascending heights, with at least one line of text between two of them, from `top` to
/// `bottom`. They are as near to the wanted heights as possible.
fn apart(wanted: &[f64], top: f64, bottom: f64) -> Vec<f64> {
    // Labels that touch become groups, each at the mean of its members' wanted positions. A group
    // has its first height, the sum of its members' wanted first heights, and their number.
    let mut groups: Vec<(f64, f64, usize)> = Vec::new();
    for height in wanted {
        groups.push((*height, *height, 1));
        while let [.., (above, one, many), (below, other, more)] = &groups[..]
            && above + *many as f64 * LINE > *below
        {
            let moved = LINE * (many * more) as f64;
            let (sum, count) = (one + other - moved, many + more);
            let span = LINE * (count - 1) as f64;
            let first = (sum / count as f64).min(bottom - span).max(top);
            groups.truncate(groups.len() - 2);
            groups.push((first, sum, count));
        }
    }
    let of_group = |(first, _, count): &(f64, f64, usize)| {
        let first = *first;
        (0..*count).map(move |place| first + LINE * place as f64).collect::<Vec<_>>()
    };
    groups.iter().flat_map(of_group).collect()
}

#[cfg(test)]
mod tests {
    use super::super::colour::Colour;
    use super::*;

    fn curve(label: &str, last: f64) -> Curve {
        Curve::new(label, Colour::Own(0), vec![(1.0, 0.0), (last, 1.0)], Shape::Line)
    }

    #[test]
    fn labels_stand_apart_and_near_their_curves() {
        assert_eq!(apart(&[10.0, 50.0, 90.0], 0.0, 100.0), [10.0, 50.0, 90.0]);
        assert_eq!(apart(&[50.0, 50.0, 50.0], 0.0, 100.0), [37.0, 50.0, 63.0]);
        assert_eq!(apart(&[2.0, 2.0], 0.0, 100.0), [0.0, 13.0]);
        assert_eq!(apart(&[70.0, 100.0, 100.0, 100.0], 0.0, 100.0), [61.0, 74.0, 87.0, 100.0]);
        for seed in 0..200_u32 {
            let height = |place: u32| f64::from((seed * 7919 + place * place * 104_729) % 101);
            let mut wanted: Vec<f64> = (0..8).map(height).collect();
            wanted.sort_unstable_by(f64::total_cmp);
            let found = apart(&wanted, 0.0, 100.0);
            assert!(found.windows(2).all(|two| two[1] - two[0] > LINE - 1e-9), "{found:?}");
            assert!(found[0] >= 0.0 && found[7] <= 100.0 + 1e-9, "{found:?}");
        }
    }

    #[test]
    fn curves_that_end_early_and_long_labels_have_a_legend() {
        let x = Axis::new("x");
        assert!(room(&[curve("one", 9.0), curve("other", 9.0)], &x).is_some());
        assert!(room(&[curve("one", 9.0), curve("other", 5.0)], &x).is_none());
        assert!(room(&[curve(&"long ".repeat(12), 9.0)], &x).is_none());
        assert!(room(&[], &x).is_none());
    }
}
