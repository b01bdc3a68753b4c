//! Charts: what a picture shows, before anybody knows how it is drawn.

/// One picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
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

/// A scale with its unit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    pub label: String,
    pub logarithmic: bool,
    /// None: from the data.
    pub range: Option<(f64, f64)>,
}

impl Axis {
    #[must_use]
    pub fn new(label: impl Into<String>) -> Self {
        Axis { label: label.into(), ..Axis::default() }
    }

    #[must_use]
    pub fn logarithmic(self, logarithmic: bool) -> Self {
        Axis { logarithmic, ..self }
    }

    #[must_use]
    pub fn range(self, low: f64, high: f64) -> Self {
        Axis { range: Some((low, high)), ..self }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// At most `CURVES` of them, or they cannot be told apart.
    Curves(Vec<Curve>),
    /// A row each, the first at the top.
    Dots(Vec<Dot>),
    Cells(Cells),
}

/// Curves of one chart that colours and dashes tell apart.
pub const CURVES: usize = 8;

/// A line with what surrounds it.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    pub label: String,
    /// Number of its colour.
    pub colour: usize,
    pub points: Vec<(f64, f64)>,
    /// For each point: the bounds around it. Empty: none.
    pub bounds: Vec<(f64, f64)>,
    pub shape: Shape,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
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
pub struct Dot {
    pub label: String,
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// Figures of two swept keys.
#[derive(Clone, Debug, PartialEq)]
pub struct Cells {
    /// Along the x axis.
    pub columns: Vec<String>,
    /// From the top.
    pub rows: Vec<String>,
    /// By row; none where there is no arm.
    pub values: Vec<Vec<Option<f64>>>,
    /// What the colours mean.
    pub label: String,
}
