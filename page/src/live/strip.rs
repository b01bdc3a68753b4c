//! Strips: a population as a picture of a row per individual and a column per gene, whose shades
//! are the genes' values. Where all are alike, columns are of one shade.

use super::series::{evenly, merit_order};
use crate::problem::{Description, Genome};
use serde::{Deserialize, Serialize};

/// Rows and columns that are shown at most.
const MOST: (usize, usize) = (64, 256);

/// Shades of genes, row after row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Strip {
    pub rows: usize,
    pub columns: usize,
    /// 0: the gene's lower bound, 255: its upper; without bounds, the least and the greatest of
    /// those shown.
    pub shades: Vec<u8>,
}

impl Strip {
    /// Returns the genes of a population, the best individual first. A large one is sampled:
    /// individuals evenly by rank, genes evenly by place.
    pub(crate) fn of(
        description: &Description,
        genes: &Genome,
        fitness: &[f64],
        violations: &[f64],
    ) -> Self {
        let length = description.genome_length;
        let value = reader(genes);
        let mut ranked: Vec<usize> = (0..fitness.len()).collect();
        ranked.sort_by(|one, other| merit_order(fitness, violations, *one, *other));
        let rows = evenly(&ranked, MOST.0);
        let columns = evenly(&(0..length).collect::<Vec<_>>(), MOST.1);
        let all = || rows.iter().flat_map(|row| columns.iter().map(move |column| (*row, *column)));
        let at = |(row, column): (usize, usize)| value(row * length + column);
        let seen = all().map(at).fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        let shade = |place: (usize, usize)| {
            let (mut low, mut high) = description.bounds.of(place.1);
            if !(high - low).is_finite() {
                (low, high) = seen;
            }
            let share = if high > low { (at(place) - low) / (high - low) } else { 0.0 };
            (share.clamp(0.0, 1.0) * 255.0).round() as u8
        };
        Strip { rows: rows.len(), columns: columns.len(), shades: all().map(shade).collect() }
    }
}

/// The value of a gene by its place.
fn reader(genes: &Genome) -> Box<dyn Fn(usize) -> f64 + '_> {
    match genes {
        Genome::U8(genes) => Box::new(|place| f64::from(genes[place])),
        Genome::U16(genes) => Box::new(|place| f64::from(genes[place])),
        Genome::U32(genes) => Box::new(|place| f64::from(genes[place])),
        Genome::F64(genes) => Box::new(|place| genes[place]),
    }
}
