//! Charts: what a picture shows, before anybody knows how it is drawn.

use super::colour::Colour;

/// One picture.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Chart {
    /// Its file's name, without the ending: unique in a gallery.
    pub name: String,
    /// What is shown.
    pub title: String,
    /// Of how many trials; what the intervals are.
    pub note: String,
    pub x: Axis,
    pub y: Axis,
    pub body: Body,
}

impl Chart {
    /// The note, with what the picture itself cannot show: curves that lie upon each other.
    #[must_use]
    pub(crate) fn said(&self) -> String {
        let mut said = self.note.clone();
        if let Body::Curves(curves) = &self.body {
            for group in coinciding(curves, &self.y) {
                let labels: Vec<&str> =
                    group.iter().map(|curve| curves[*curve].label.as_str()).collect();
                said.push_str(&format!("; these curves coincide: {}", labels.join(" / ")));
            }
        }
        said
    }
}

/// A scale with its unit.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Axis {
    pub label: String,
    pub logarithmic: bool,
    /// None: from the data.
    pub range: Option<(f64, f64)>,
}

impl Axis {
    #[must_use]
    pub(crate) fn new(label: impl Into<String>) -> Self {
        Axis { label: label.into(), ..Axis::default() }
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
pub(crate) enum Body {
    /// At most `CURVES` of them, or they cannot be told apart.
    Curves(Vec<Curve>),
    /// A row each, the first at the top.
    Dots(Vec<Dot>),
    Cells(Cells),
    Ranks(Ranks),
}

/// Curves of one chart that colours and dashes tell apart.
pub(super) const CURVES: usize = 8;
/// Curves of one chart whose bands can be told apart.
pub(super) const BANDS: usize = 4;

/// A line with what surrounds it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Curve {
    pub label: String,
    pub colour: Colour,
    pub points: Vec<(f64, f64)>,
    /// For each point: the bounds around it. Empty: none.
    pub bounds: Vec<(f64, f64)>,
    pub shape: Shape,
}

impl Curve {
    /// Whether there is anything to see around the line.
    #[must_use]
    pub(super) fn has_bounds(&self) -> bool {
        self.bounds.iter().any(|(low, high)| low < high)
    }
}

/// The groups of curves, by their places, that lie upon each other: their points differ by less
/// than an eye sees.
#[must_use]
pub(super) fn coinciding(curves: &[Curve], y: &Axis) -> Vec<Vec<usize>> {
    /// Part of the axis: about half a pixel.
    const SEEN: f64 = 0.002;
    let height = |value: f64| if y.logarithmic { value.ln() } else { value };
    let values = || curves.iter().flat_map(|curve| curve.points.iter().map(|(_, y)| height(*y)));
    let (low, high) = y.range.unwrap_or_else(|| {
        (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max))
    });
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
pub(crate) enum Shape {
    Line,
    /// Constant from each point to the next.
    Steps,
    /// Points with bars to their bounds, joined by a line.
    Joined,
    /// Points alone.
    Cloud,
}

/// A figure with its interval.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Dot {
    pub label: String,
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// Mean ranks of arms over problems.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ranks {
    /// Number of ranked arms; of many only some have a mark.
    pub arms: usize,
    /// The least rank first.
    pub marks: Vec<Mark>,
    /// From the least to the greatest rank of arms that are not told apart.
    pub groups: Vec<(f64, f64)>,
    /// The least difference that tells two arms apart.
    pub critical: f64,
}

/// An arm on the line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mark {
    pub label: String,
    pub rank: f64,
}

/// Figures of two swept keys.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cells {
    /// Along the x axis.
    pub columns: Vec<String>,
    /// From the top.
    pub rows: Vec<String>,
    /// By row; none where there is no arm.
    pub values: Vec<Vec<Option<f64>>>,
    /// What the colours mean.
    pub label: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(heights: &[f64]) -> Chart {
        let curve = |(colour, height): (usize, &f64)| Curve {
            label: format!("curve {colour}"),
            colour: Colour::Own(colour),
            points: vec![(1.0, *height), (2.0, 1.0)],
            bounds: Vec::new(),
            shape: Shape::Joined,
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
    }
}
