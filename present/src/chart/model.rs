//! Charts: the content of a chart, independent of the drawing.

use super::colour::Colour;
use crate::lists::extremes;
use std::borrow::Cow;

/// A chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// File name without the extension, unique in a gallery.
    pub name: String,
    /// Shown figure, as a title.
    pub title: String,
    /// Number of trials, and the kind of the intervals.
    pub note: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Marks of the chart.
    pub body: Body,
}

impl Chart {
    /// Returns the note, extended by the names of curves that coincide.
    pub(crate) fn said(&self) -> String {
        let named = |curves: &[Curve]| -> Vec<String> {
            let labels = |group: Vec<usize>| {
                let labels = group.iter().map(|curve| curves[*curve].label.as_str());
                labels.collect::<Vec<_>>().join(" / ")
            };
            coinciding(curves, &self.y).into_iter().map(labels).collect()
        };
        let groups: Vec<String> = match &self.body {
            Body::Curves(curves) => named(curves),
            // More curves than colours distinguish are grey.
            Body::Panels(panels) => {
                let few = panels.iter().filter(|panel| panel.curves.len() <= CURVES);
                let words = |panel: &Panel| {
                    let groups = named(&panel.curves).join(", ");
                    (!groups.is_empty()).then(|| format!("{}: {groups}", panel.title))
                };
                few.filter_map(words).collect()
            }
            Body::Dots(_) | Body::Cells(_) | Body::Ranks(_) | Body::Parallel(_) => Vec::new(),
        };
        let coincide = format!("these curves coincide: {}", groups.join("; "));
        let parts = [(!self.note.is_empty(), &self.note), (!groups.is_empty(), &coincide)];
        let parts = parts.into_iter().filter(|(is_there, _)| *is_there);
        parts.map(|(_, words)| words.as_str()).collect::<Vec<_>>().join("; ")
    }
}

/// An axis: a scale with its unit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    pub label: String,
    pub logarithmic: bool,
    /// Range of the axis; `None` if it follows from the data.
    pub range: Option<(f64, f64)>,
    /// Whether each panel has a range of its own.
    pub own: bool,
    /// Whether all numbers on it are whole.
    pub whole: bool,
    /// Names of the places 1, 2, …; empty if the places are numbers.
    pub names: Vec<String>,
}

impl Axis {
    pub(crate) fn new(label: impl Into<String>) -> Self {
        Axis { label: label.into(), ..Axis::default() }
    }

    /// Returns the label with the scale, if it is not the usual one.
    pub(super) fn words(&self) -> Cow<'_, str> {
        match self.logarithmic && !self.label.is_empty() {
            true => Cow::Owned(format!("{}, logarithmic", self.label)),
            false => Cow::Borrowed(&self.label),
        }
    }

    #[must_use]
    pub(crate) fn logarithmic(self, logarithmic: bool) -> Self {
        Axis { logarithmic, ..self }
    }

    #[must_use]
    pub(crate) fn range(self, low: f64, high: f64) -> Self {
        Axis { range: Some((low, high)), ..self }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// At most `CURVES` curves, because more cannot be distinguished.
    Curves(Vec<Curve>),
    /// A panel per problem, with common axes unless the vertical one differs too much.
    Panels(Vec<Panel>),
    /// One row per dot, the first at the top.
    Dots(Vec<Dot>),
    Cells(Cells),
    Ranks(Ranks),
    Parallel(Parallel),
}

impl Body {
    /// Returns the body with these curves of operator sets over all problems. More than colours
    /// distinguish are in a panel, which has some of them in grey.
    pub(super) fn over_all_problems(curves: Vec<Curve>) -> Self {
        match curves.len() <= CURVES {
            true => Body::Curves(curves),
            false => Body::Panels(vec![Panel { title: "all problems".to_owned(), curves }]),
        }
    }

    /// Returns the places of all points along the horizontal axis.
    pub(super) fn places(&self) -> Vec<f64> {
        self.curves().iter().flat_map(|curve| curve.points.iter().map(|(x, _)| *x)).collect()
    }

    /// Returns all curves to be changed, in the order of [`curves`](Self::curves).
    pub(super) fn curves_mut(&mut self) -> Vec<&mut Curve> {
        match self {
            Body::Curves(curves) => curves.iter_mut().collect(),
            Body::Panels(panels) => panels.iter_mut().flat_map(|panel| &mut panel.curves).collect(),
            Body::Dots(_) | Body::Cells(_) | Body::Ranks(_) | Body::Parallel(_) => Vec::new(),
        }
    }

    /// Returns all curves, panel by panel; none of a body that has no curves.
    pub(crate) fn curves(&self) -> Vec<&Curve> {
        match self {
            Body::Curves(curves) => curves.iter().collect(),
            Body::Panels(panels) => panels.iter().flat_map(|panel| &panel.curves).collect(),
            Body::Dots(_) | Body::Cells(_) | Body::Ranks(_) | Body::Parallel(_) => Vec::new(),
        }
    }
}

/// Maximum number of curves per chart that colours and dashes distinguish.
pub(super) const CURVES: usize = 8;
/// Maximum number of curves per chart whose bands can be distinguished.
pub(super) const BANDS: usize = 4;

/// A line with its bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    pub label: String,
    pub colour: Colour,
    pub points: Vec<(f64, f64)>,
    /// Bounds of each point; empty if there are none.
    pub bounds: Vec<(f64, f64)>,
    /// Points that are not joined to the one before.
    pub gaps: Vec<usize>,
    pub shape: Shape,
}

impl Curve {
    /// Returns a curve without bounds.
    pub(super) fn new(
        label: impl Into<String>,
        colour: Colour,
        points: Vec<(f64, f64)>,
        shape: Shape,
    ) -> Self {
        Curve { label: label.into(), colour, points, bounds: Vec::new(), gaps: Vec::new(), shape }
    }

    /// Returns whether the bounds are visible.
    pub(crate) fn has_bounds(&self) -> bool {
        self.bounds.iter().any(|(low, high)| low < high)
    }
}

/// Returns the groups of coinciding curves, by their positions. Their points have no visible
/// difference.
pub(super) fn coinciding(curves: &[Curve], y: &Axis) -> Vec<Vec<usize>> {
    /// Visible share of the axis: about half a pixel.
    const SEEN: f64 = 0.002;
    let height = |value: f64| if y.logarithmic { value.ln() } else { value };
    let values = curves.iter().flat_map(|curve| curve.points.iter().map(|(_, y)| height(*y)));
    let (low, high) = y.range.unwrap_or_else(|| extremes(values));
    let near = SEEN * (high - low).abs();
    let alike = |one: &Curve, other: &Curve| {
        let points = one.points.iter().zip(&other.points);
        one.shape != Shape::Cloud
            && one.shape == other.shape
            && !one.points.is_empty()
            && one.points.len() == other.points.len()
            && points
                .into_iter()
                .all(|((x, y), (u, v))| x == u && (height(*y) - height(*v)).abs() <= near)
    };
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (place, curve) in curves.iter().enumerate() {
        match groups.iter_mut().find(|group| alike(&curves[group[0]], curve)) {
            Some(group) => group.push(place),
            None => groups.push(vec![place]),
        }
    }
    groups.retain(|group| group.len() > 1);
    groups
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Line,
    /// Steps: constant from each point to the next.
    Steps,
    /// Points with bars to their bounds, connected by a line.
    Joined,
    /// Points without a line.
    Cloud,
}

/// A panel: the curves of one problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Name of the problem among the others.
    pub title: String,
    /// Curves of the problem's arms.
    pub curves: Vec<Curve>,
}

/// A figure with its interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Dot {
    pub label: String,
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// Mean ranks of arms over problems.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranks {
    /// Number of ranked arms; if there are many, only some have a mark.
    pub arms: usize,
    /// Marks, the least rank first.
    pub marks: Vec<Mark>,
    /// Least and greatest rank of each group of arms without detected differences.
    pub groups: Vec<(f64, f64)>,
    /// Minimum detectable difference of mean ranks.
    pub critical: f64,
}

/// An arm on the line.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    pub label: String,
    pub rank: f64,
}

/// Settings as lines from axis to axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Parallel {
    /// Axes, the first at the top.
    pub axes: Vec<ParallelAxis>,
    /// Settings.
    pub lines: Vec<ParallelLine>,
}

/// Axis of parallel coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct ParallelAxis {
    /// Name of the key.
    pub label: String,
    /// Labelled places, from 0 to 1.
    pub ticks: Vec<(f64, String)>,
}

/// Setting in parallel coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct ParallelLine {
    /// Place on each axis, from 0 to 1; `None` without a value.
    pub shares: Vec<Option<f64>>,
    /// Whether the setting is drawn in colour, above the others.
    pub survived: bool,
}

/// Figures of two swept keys.
#[derive(Clone, Debug, PartialEq)]
pub struct Cells {
    /// Labels along the x axis.
    pub columns: Vec<String>,
    /// Labels from the top.
    pub rows: Vec<String>,
    /// Values by row; `None` if there is no arm.
    pub values: Vec<Vec<Option<f64>>>,
    /// Meaning of the colours.
    pub label: String,
    /// Whether the values are rates, from 0 to 1.
    pub are_rates: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(heights: &[f64]) -> Chart {
        let curve = |(colour, height): (usize, &f64)| {
            let points = vec![(1.0, *height), (2.0, 1.0)];
            Curve::new(format!("curve {colour}"), Colour::Own(colour), points, Shape::Joined)
        };
        Chart {
            name: String::new(),
            title: String::new(),
            note: "n = 5".to_owned(),
            x: Axis::default(),
            y: Axis::default().range(0.0, 1.0),
            body: Body::Curves(heights.iter().enumerate().map(curve).collect()),
        }
    }

    #[test]
    fn curves_that_coincide_are_named() {
        assert_eq!(
            chart(&[0.5, 0.6, 0.5005]).said(),
            "n = 5; these curves coincide: curve 0 / curve 2"
        );
        assert_eq!(chart(&[0.5, 0.51]).said(), "n = 5");
        let one = chart(&[0.5, 0.6, 0.5005]);
        let Body::Curves(curves) = &one.body else { panic!("{one:?}") };
        let panel = |title: &str, curves| Panel { title: title.to_owned(), curves };
        let panels = vec![panel("n 8", curves.clone()), panel("n 9", curves[..2].to_vec())];
        let two = Chart { note: String::new(), body: Body::Panels(panels), ..one };
        assert_eq!(two.said(), "these curves coincide: n 8: curve 0 / curve 2");
    }
}
