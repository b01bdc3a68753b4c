//! Kernel of a minimum: the least of many values.

use multiversion::multiversion;

/// Returns the minimum, or infinity without values. Eight lanes are compared separately, because
/// comparisons in a single lane would wait for each other. No value is NaN, because the problem
/// handle checks that.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
pub(crate) fn minimum(values: &[f64]) -> f64 {
    minimum_in_lanes(values)
}

/// Body that is compiled once per instruction set.
#[inline(always)]
fn minimum_in_lanes(values: &[f64]) -> f64 {
    let less = |a: f64, b: f64| if b < a { b } else { a };
    let (eights, rest) = values.as_chunks::<8>();
    let mut lanes = [f64::INFINITY; 8];
    for eight in eights {
        for lane in 0..8 {
            lanes[lane] = less(lanes[lane], eight[lane]);
        }
    }
    rest.iter().copied().chain(lanes).fold(f64::INFINITY, less)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_is_found_wherever_it_is() {
        for ways in [minimum, minimum_in_lanes] {
            assert_eq!(ways(&[]), f64::INFINITY);
            for rows in 1..40 {
                for row in 0..rows {
                    let mut values: Vec<f64> = (0..rows).map(|row| 7.0 + row as f64).collect();
                    values[row] = -3.0;
                    assert_eq!(ways(&values), -3.0, "row {row} of {rows}");
                }
            }
        }
    }
}
