//! Space of settings: one dimension per tuned key.

/// Dimension of a space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// Numbers between two ends.
    Number,
    /// This number of values without an order, at least 1.
    Choice(usize),
}

/// Coordinate of a point in one dimension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Coordinate {
    /// Share of the way between the ends, in [0, 1).
    Share(f64),
    /// Index of the value.
    Choice(usize),
}

/// Coordinates of a setting; `None` in the dimensions of keys that it does not have.
pub type Point = Vec<Option<Coordinate>>;

/// Space of settings.
pub trait Space {
    /// Returns the dimensions. Whether a setting has a key depends only on earlier dimensions.
    fn dimensions(&self) -> &[Dimension];

    /// Returns whether a setting with these coordinates in the earlier dimensions has the key of
    /// the next one.
    fn has(&self, earlier: &[Option<Coordinate>]) -> bool;

    /// Returns the coordinates of the setting that the tuning begins with, around which others are
    /// drawn if it is left; `None` if it has none.
    fn base(&self) -> Option<Point> {
        None
    }

    /// Returns the settings that the first iteration tries before it draws any.
    fn initial(&self) -> &[Point] {
        &[]
    }
}
