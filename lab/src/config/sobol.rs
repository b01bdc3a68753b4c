//! Sobol sequences: points that fill a cube evenly (Sobol 1967, doi:10.1016/0041-5553(67)90144-9).

use crate::random::draws::Random;
use rand::Rng;

/// Bits of a coordinate.
const BITS: usize = 32;
/// Maximum number of coordinates of a point.
pub(super) const MOST_DIMENSIONS: usize = INITIAL.len() + 1;

/// The primitive polynomial of each coordinate after the first, and the initial direction numbers
/// (Joe and Kuo 2008, doi:10.1137/070709359). The polynomial has as many degrees as there are
/// numbers; its inner coefficients are the bits of the first entry.
const INITIAL: [(u32, &[u32]); 20] = [
    (0, &[1]),
    (1, &[1, 3]),
    (1, &[1, 3, 1]),
    (2, &[1, 1, 1]),
    (1, &[1, 1, 3, 3]),
    (4, &[1, 3, 5, 13]),
    (2, &[1, 1, 5, 5, 17]),
    (4, &[1, 1, 5, 5, 5]),
    (7, &[1, 1, 7, 11, 19]),
    (11, &[1, 1, 5, 1, 1]),
    (13, &[1, 1, 1, 3, 11]),
    (14, &[1, 3, 5, 5, 31]),
    (1, &[1, 3, 3, 9, 7, 49]),
    (13, &[1, 1, 1, 15, 21, 21]),
    (16, &[1, 3, 1, 13, 27, 49]),
    (19, &[1, 1, 1, 15, 7, 5]),
    (22, &[1, 3, 1, 15, 13, 25]),
    (25, &[1, 1, 5, 5, 19, 61]),
    (1, &[1, 3, 7, 11, 23, 15, 103]),
    (4, &[1, 3, 7, 13, 13, 15, 69]),
];

/// A Sobol sequence in the order of Gray codes (Antonov and Saleev 1979,
/// doi:10.1016/0041-5553(79)90085-5).
#[derive(Debug)]
pub(super) struct Sobol {
    directions: Vec<[u32; BITS]>,
    /// Coordinates of the next point, as multiples of 2^-32.
    next: Vec<u32>,
    /// Number of points made.
    made: u32,
}

impl Sobol {
    /// Returns the sequence of points with 1 to [`MOST_DIMENSIONS`] coordinates; it begins at 0.
    pub(super) fn new(dimensions: usize) -> Self {
        let rest = INITIAL.iter().map(|(polynomial, initial)| directions(*polynomial, initial));
        let first = std::array::from_fn(|bit| 1 << (BITS - 1 - bit));
        let directions = std::iter::once(first).chain(rest).take(dimensions).collect();
        Sobol { directions, next: vec![0; dimensions], made: 0 }
    }

    /// Shifts the points by random digits: each coordinate has its own, and each point stays
    /// uniform (L'Ecuyer and Lemieux 2002, doi:10.1007/0-306-48102-2_20).
    pub(super) fn shifted(mut self, random: &mut Random) -> Self {
        self.next.iter_mut().for_each(|place| *place ^= random.next_u32());
        self
    }

    /// Returns the next point, in the middle of its cell of width 2^-32.
    pub(super) fn point(&mut self) -> Vec<f64> {
        let point = self.next.iter().map(|place| (f64::from(*place) + 0.5) / 2_f64.powi(32));
        let point = point.collect();
        let bit = self.made.trailing_ones() as usize;
        for (place, directions) in self.next.iter_mut().zip(&self.directions) {
            *place ^= directions[bit];
        }
        self.made += 1;
        point
    }
}

/// Returns the direction numbers of a coordinate, as multiples of 2^-32.
fn directions(polynomial: u32, initial: &[u32]) -> [u32; BITS] {
    let degree = initial.len();
    let mut numbers = [0; BITS];
    for bit in 0..BITS {
        if let Some(initial) = initial.get(bit) {
            numbers[bit] = initial << (BITS - 1 - bit);
            continue;
        }
        let before: u32 = numbers[bit - degree];
        numbers[bit] = before ^ (before >> degree);
        for term in 1..degree {
            if (polynomial >> (degree - 1 - term)) & 1 == 1 {
                numbers[bit] ^= numbers[bit - term];
            }
        }
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the least power of `x` that is 1 modulo a polynomial over the field of two elements,
    /// by multiplication step by step.
    fn order(degree: usize, polynomial: u32) -> u32 {
        let whole = (1 << degree) | (polynomial << 1) | 1;
        let (mut power, mut steps) = (1_u32, 0);
        loop {
            power <<= 1;
            if (power >> degree) & 1 == 1 {
                power ^= whole;
            }
            steps += 1;
            if power == 1 || steps > 1 << degree {
                return steps;
            }
        }
    }

    #[test]
    fn polynomials_are_primitive_and_differ_and_initial_numbers_are_odd_and_small() {
        let mut seen = std::collections::BTreeSet::new();
        for (polynomial, initial) in INITIAL {
            let degree = initial.len();
            assert_eq!(order(degree, polynomial), (1 << degree) - 1, "{degree} {polynomial}");
            assert!(seen.insert((degree, polynomial)), "{degree} {polynomial}");
            for (place, number) in initial.iter().enumerate() {
                assert!(number % 2 == 1 && *number < 2 << place, "{initial:?}");
            }
        }
    }

    /// Each coordinate of the first 256 points has one point in each of 256 equal parts, with and
    /// without shift. The first two coordinates have one in each of 256 equal rectangles.
    #[test]
    fn every_coordinate_is_in_every_part_once() {
        let mut random = Random::seed_from_u64(5);
        for mut sobol in [Sobol::new(21), Sobol::new(21).shifted(&mut random)] {
            let points: Vec<Vec<f64>> = (0..256).map(|_| sobol.point()).collect();
            for dimension in 0..21 {
                let mut parts: Vec<usize> =
                    points.iter().map(|point| (point[dimension] * 256.0) as usize).collect();
                parts.sort_unstable();
                assert!(parts.iter().copied().eq(0..256), "{dimension}");
            }
            for rows in [1_usize, 2, 4, 8, 16, 32, 64, 128, 256] {
                let cell = |point: &Vec<f64>| {
                    let row = (point[0] * rows as f64) as usize;
                    row * (256 / rows) + (point[1] * (256 / rows) as f64) as usize
                };
                let mut cells: Vec<usize> = points.iter().map(cell).collect();
                cells.sort_unstable();
                assert!(cells.into_iter().eq(0..256), "{rows}");
            }
        }
    }

    /// Property A (Sobol 1976): of the first 2^d points in d dimensions, each orthant of the cube
    /// has one. So the matrix of the leading bits of the direction numbers is regular.
    #[test]
    fn the_direction_numbers_have_property_a() {
        let sobol = Sobol::new(MOST_DIMENSIONS);
        for dimensions in 1..=MOST_DIMENSIONS {
            let leading = |numbers: &[u32; BITS]| {
                (0..dimensions).map(|bit| (numbers[bit] >> 31) << bit).sum::<u32>()
            };
            let mut rows: Vec<u32> = sobol.directions[..dimensions].iter().map(leading).collect();
            for column in 0..dimensions {
                let pivot = (column..dimensions).find(|row| (rows[*row] >> column) & 1 == 1);
                let pivot = pivot.unwrap_or_else(|| panic!("{dimensions} dimensions"));
                rows.swap(column, pivot);
                for row in column + 1..dimensions {
                    if (rows[row] >> column) & 1 == 1 {
                        rows[row] ^= rows[column];
                    }
                }
            }
        }
    }

    /// The first points of the published sequence, in the order of Gray codes.
    #[test]
    fn the_first_points_are_those_of_the_source() {
        let mut sobol = Sobol::new(3);
        let points = [
            [0.0, 0.0, 0.0],
            [0.5, 0.5, 0.5],
            [0.75, 0.25, 0.25],
            [0.25, 0.75, 0.75],
            [0.375, 0.375, 0.625],
            [0.875, 0.875, 0.125],
            [0.625, 0.125, 0.875],
            [0.125, 0.625, 0.375],
        ];
        for expected in points {
            let corner: Vec<f64> =
                sobol.point().iter().map(|it| (it * 256.0).floor() / 256.0).collect();
            assert_eq!(corner, expected);
        }
    }
}
