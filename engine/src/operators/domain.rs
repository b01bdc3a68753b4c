//! Domains: which problems an operator works on.

use super::registry::{Operator, Slot, listed};
use crate::problem::{Description, Encoding};

/// The problems that an operator works on.
#[derive(Clone, Copy, Debug)]
pub enum Domain {
    /// Those of any encoding.
    Any,
    /// Those of these encodings.
    Encodings(&'static [Encoding]),
    /// Those whose genes may change places: any encoding but opaque, with the same bounds for all
    /// genes.
    Rearranged,
    /// Those that pass; an error says why another does not, as a sentence without a full stop.
    Where(fn(&Description) -> Result<(), String>),
    /// Those whose plugin brings the operator.
    Plugin,
}

/// Genes stand for themselves at each place.
pub(super) const PLACED: Domain =
    Domain::Encodings(&[Encoding::Integer, Encoding::Bits, Encoding::Real]);

impl Domain {
    /// The encodings of the problems, whatever else they must have.
    #[must_use]
    pub fn encodings(self) -> &'static [Encoding] {
        match self {
            Domain::Encodings(encodings) => encodings,
            Domain::Rearranged => {
                &[Encoding::Integer, Encoding::Permutation, Encoding::Bits, Encoding::Real]
            }
            Domain::Any | Domain::Where(_) | Domain::Plugin => &Encoding::ALL,
        }
    }
}

impl Operator {
    /// Whether it works on this problem in this slot; the words say why not.
    ///
    /// # Errors
    /// The reason, as a sentence without a full stop.
    pub fn fits(&self, slot: Slot, problem: &Description) -> Result<(), String> {
        match self.domain {
            Domain::Plugin => return brings(slot, problem),
            Domain::Where(passes) => return passes(problem),
            Domain::Any => {}
            Domain::Encodings(_) | Domain::Rearranged => {
                let encodings = self.domain.encodings();
                if !encodings.contains(&problem.encoding) {
                    let words: Vec<&str> =
                        encodings.iter().map(|encoding| encoding.as_str()).collect();
                    return Err(format!(
                        "it works on {}, and the problem's encoding is {}",
                        listed(&words, "and"),
                        problem.encoding
                    ));
                }
            }
        }
        if matches!(self.domain, Domain::Rearranged) {
            same_bounds(problem)?;
        }
        match slot {
            Slot::Crossover | Slot::Mutation => finite_widths(problem),
            _ => Ok(()),
        }
    }
}

fn brings(slot: Slot, problem: &Description) -> Result<(), String> {
    let there = if slot == Slot::Crossover { problem.has_crossover } else { problem.has_mutate };
    if there { Ok(()) } else { Err(format!("the plugin does not provide its own {slot}")) }
}

/// Genes that move to other places stay within the bounds there.
fn same_bounds(problem: &Description) -> Result<(), String> {
    let first = problem.bounds.of(0);
    let odd = (1..problem.genome_length).find(|locus| problem.bounds.of(*locus) != first);
    let Some(locus) = odd else { return Ok(()) };
    let ((first_low, first_high), (low, high)) = (first, problem.bounds.of(locus));
    Err(format!(
        "it moves genes to other positions, but the bounds differ: {first_low} to {first_high} for \
        gene 0, {low} to {high} for gene {locus}"
    ))
}

/// New real values are drawn between bounds that have a width.
fn finite_widths(problem: &Description) -> Result<(), String> {
    let endless = |locus: &usize| {
        let (low, high) = problem.bounds.of(*locus);
        (high - low).is_infinite()
    };
    if problem.encoding == Encoding::Real
        && let Some(locus) = (0..problem.genome_length).find(endless)
    {
        let (low, high) = problem.bounds.of(locus);
        return Err(format!(
            "the bounds of gene {locus}, {low:e} to {high:e}, are too far apart: their distance is \
            not a finite number"
        ));
    }
    Ok(())
}
