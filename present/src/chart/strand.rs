//! Strands: coinciding curves, drawn with alternating dashes.

use super::model::{Axis, Curve, coinciding};

/// Position of a curve among those that coincide with it, and their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Strand {
    pub place: usize,
    pub of: usize,
}

impl Default for Strand {
    fn default() -> Self {
        Strand { place: 0, of: 1 }
    }
}

/// Returns one strand per curve, for curves that are drawn over this vertical axis.
pub(super) fn strands(curves: &[Curve], y: &Axis) -> Vec<Strand> {
    let mut strands = vec![Strand::default(); curves.len()];
    for group in coinciding(curves, y) {
        for (place, curve) in group.iter().enumerate() {
            strands[*curve] = Strand { place, of: group.len() };
        }
    }
    strands
}

/// Returns the dashes of a curve. Coinciding curves alternate, so that each is visible.
pub(super) fn dashes(curve: &Curve, strand: Strand) -> Option<String> {
    const TURN: usize = 7;
    match strand {
        Strand { of: 1, .. } => curve.colour.is_dashed().then(|| "5 3".to_owned()),
        Strand { place, of } => {
            Some(format!("0 {} {TURN} {}", TURN * place, TURN * (of - 1 - place)))
        }
    }
}
