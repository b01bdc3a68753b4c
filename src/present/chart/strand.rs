//! Strands: curves that coincide, drawn in turns.

use super::model::{Body, Chart, Curve, coinciding};

/// A curve's place among those that coincide with it, and how many they are.
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

/// Returns one per curve of a chart.
pub(super) fn strands(chart: &Chart) -> Vec<Strand> {
    let Body::Curves(curves) = &chart.body else { return Vec::new() };
    let mut strands = vec![Strand::default(); curves.len()];
    for group in coinciding(curves, &chart.y) {
        for (place, curve) in group.iter().enumerate() {
            strands[*curve] = Strand { place, of: group.len() };
        }
    }
    strands
}

/// Returns dashes, beyond the colours; curves that coincide take turns, so that each can be seen.
pub(super) fn dashes(curve: &Curve, strand: Strand) -> Option<String> {
    const TURN: usize = 7;
    match strand {
        Strand { of: 1, .. } => curve.colour.is_dashed().then(|| "5 3".to_owned()),
        Strand { place, of } => {
            Some(format!("0 {} {TURN} {}", TURN * place, TURN * (of - 1 - place)))
        }
    }
}
