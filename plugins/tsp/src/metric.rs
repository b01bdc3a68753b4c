//! Distances of TSPLIB between places in a plane or on the earth.

/// Kind of distance, as `EDGE_WEIGHT_TYPE` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Metric {
    /// Straight line, rounded to the nearest integer.
    Euc2d,
    /// Straight line, rounded up.
    Ceil2d,
    /// Sum of the differences, rounded.
    Man2d,
    /// Larger of the differences, each rounded.
    Max2d,
    /// Kilometres on the earth between degrees and minutes, as in 48.23 for 48°23'.
    Geo,
    /// Pseudo-Euclidean distance.
    Att,
}

impl Metric {
    /// All kinds, with their names in files.
    pub(crate) const ALL: [(&'static str, Metric); 6] = [
        ("EUC_2D", Metric::Euc2d),
        ("CEIL_2D", Metric::Ceil2d),
        ("MAN_2D", Metric::Man2d),
        ("MAX_2D", Metric::Max2d),
        ("GEO", Metric::Geo),
        ("ATT", Metric::Att),
    ];

    /// Returns the distance of two places, by the formulas of Reinelt (1991).
    pub(crate) fn between(self, one: [f64; 2], other: [f64; 2]) -> u32 {
        let [across, up] = [one[0] - other[0], one[1] - other[1]];
        let squares = across * across + up * up;
        let distance = match self {
            Metric::Euc2d => rounded(squares.sqrt()),
            Metric::Ceil2d => squares.sqrt().ceil(),
            Metric::Man2d => rounded(across.abs() + up.abs()),
            Metric::Max2d => rounded(across.abs()).max(rounded(up.abs())),
            Metric::Geo => on_earth(one, other),
            Metric::Att => {
                let straight = (squares / 10.0).sqrt();
                let near = rounded(straight);
                if near < straight { near + 1.0 } else { near }
            }
        };
        distance as u32
    }
}

/// Rounds as the library's `nint` does: half upwards.
fn rounded(number: f64) -> f64 {
    (number + 0.5).floor()
}

/// Radius of the earth in kilometres, as TSPLIB has it.
const RADIUS: f64 = 6378.388;
/// The circle's number as TSPLIB has it: more digits give other distances.
#[expect(clippy::approx_constant, reason = "the digits of TSPLIB")]
const PI: f64 = 3.141592;

fn on_earth(one: [f64; 2], other: [f64; 2]) -> f64 {
    let radians = |degrees: f64| {
        let whole = degrees.trunc();
        PI * (whole + 5.0 * (degrees - whole) / 3.0) / 180.0
    };
    let [latitude, longitude] = one.map(radians);
    let [to_latitude, to_longitude] = other.map(radians);
    let along = libm::cos(longitude - to_longitude);
    let (apart, together) = (libm::cos(latitude - to_latitude), libm::cos(latitude + to_latitude));
    let cosine = 0.5 * ((1.0 + along) * apart - (1.0 - along) * together);
    (RADIUS * libm::acos(cosine.clamp(-1.0, 1.0)) + 1.0).trunc()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_follow_the_formulas() {
        let (zero, place) = ([0.0, 0.0], [3.0, 4.5]);
        // By hand: 5.408..., 7.5, 4.5 and sqrt(29.25 / 10) = 1.710.
        let found = |metric: Metric| metric.between(zero, place);
        assert_eq!(found(Metric::Euc2d), 5);
        assert_eq!(found(Metric::Ceil2d), 6);
        assert_eq!((found(Metric::Man2d), found(Metric::Max2d)), (8, 5));
        assert_eq!(found(Metric::Att), 2);
        // Below the nearest integer the pseudo-distance is one more: sqrt(1.6) = 1.265.
        assert_eq!(Metric::Att.between(zero, [4.0, 0.0]), 2);
        assert_eq!(Metric::Euc2d.between(zero, zero), 0);
    }

    #[test]
    fn degrees_of_latitude_are_as_long_as_they_are() {
        // One degree of a great circle: 6378.388 * 3.141592 / 180 = 111.32, and 1 is added.
        assert_eq!(Metric::Geo.between([10.0, 20.0], [11.0, 20.0]), 112);
        // With minutes, 0.30 is half a degree.
        assert_eq!(Metric::Geo.between([10.0, 20.0], [10.30, 20.0]), 56);
        assert_eq!(Metric::Geo.between([10.0, 20.0], [10.0, 20.0]), 1);
        // From pole to pole, half around the earth: 20038.1.
        assert_eq!(Metric::Geo.between([-90.0, 0.0], [90.0, 0.0]), 20039);
    }
}
