//! The registry: every operator with its parameters, defaults, encodings and source. What a config
//! may say, what `runner operators` prints and what the tables' settings show all come from here.

mod operators;

use crate::problem::parameter::Parameter;
use crate::problem::{Description, Encoding};
use operators::REARRANGED;
use std::fmt;
use std::sync::LazyLock;

/// A place in an operator set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slot {
    Algorithm,
    Scaling,
    Selection,
    Crossover,
    Mutation,
    Replacement,
}

impl Slot {
    pub const ALL: [Slot; 6] = [
        Slot::Algorithm,
        Slot::Scaling,
        Slot::Selection,
        Slot::Crossover,
        Slot::Mutation,
        Slot::Replacement,
    ];

    /// The key in a config.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Slot::Algorithm => "algorithm",
            Slot::Scaling => "scaling",
            Slot::Selection => "selection",
            Slot::Crossover => "crossover",
            Slot::Mutation => "mutation",
            Slot::Replacement => "replacement",
        }
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.word())
    }
}

/// One operator.
#[derive(Debug)]
pub struct Entry {
    pub slot: Slot,
    pub name: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// Encodings that it works on.
    pub encodings: &'static [Encoding],
    pub parameters: Vec<Parameter>,
    /// Author, year, and DOI where there is one.
    pub source: &'static str,
}

impl Entry {
    /// Whether it works on this problem; the words say why not.
    ///
    /// # Errors
    /// The reason, as a sentence without a full stop.
    pub fn fits(&self, problem: &Description) -> Result<(), String> {
        if self.name == "problem" {
            let there = if self.slot == Slot::Crossover {
                problem.has_crossover
            } else {
                problem.has_mutate
            };
            return if there {
                Ok(())
            } else {
                Err(format!("the plugin brings no {} of its own", self.slot))
            };
        }
        if self.name == "simulated-annealing"
            && problem.encoding == Encoding::Opaque
            && !problem.has_mutate
        {
            return Err(
                "only the plugin knows the encoding, and it brings no mutation that could \
                propose moves"
                    .into(),
            );
        }
        let unlisted = matches!(problem.encoding, Encoding::Real | Encoding::Opaque)
            && problem.space_size.is_none();
        if self.name == "exhaustive" && unlisted {
            return Err(format!("the plugin does not enumerate its {} genomes", problem.encoding));
        }
        if self.encodings.contains(&problem.encoding) {
            return self.keeps_bounds(problem);
        }
        let words: Vec<&str> = self.encodings.iter().map(|encoding| encoding.word()).collect();
        Err(format!(
            "it works on {}, and the problem's encoding is {}",
            listed(&words, "and"),
            problem.encoding
        ))
    }

    /// Whether children of parents within the bounds stay there.
    fn keeps_bounds(&self, problem: &Description) -> Result<(), String> {
        let varies = matches!(self.slot, Slot::Crossover | Slot::Mutation);
        if self.encodings == REARRANGED
            && let Some(locus) = odd_bounds(problem)
        {
            let ((first_low, first_high), (low, high)) =
                (problem.bounds.of(0), problem.bounds.of(locus));
            return Err(format!(
                "it moves genes to other places, and the bounds differ: {first_low} to \
                {first_high} for gene 0, {low} to {high} for gene {locus}"
            ));
        }
        let endless = |locus: &usize| {
            let (low, high) = problem.bounds.of(*locus);
            (high - low).is_infinite()
        };
        if varies
            && problem.encoding == Encoding::Real
            && let Some(locus) = (0..problem.genome_length).find(endless)
        {
            let (low, high) = problem.bounds.of(locus);
            return Err(format!(
                "the bounds of gene {locus}, {low:e} to {high:e}, lie too far apart for a width \
                between them"
            ));
        }
        Ok(())
    }
}

/// The first gene whose bounds are not those of gene 0.
fn odd_bounds(problem: &Description) -> Option<usize> {
    let first = problem.bounds.of(0);
    (1..problem.genome_length).find(|locus| problem.bounds.of(*locus) != first)
}

/// "a, b and c".
#[must_use]
pub fn listed(words: &[&str], last: &str) -> String {
    match words {
        [] => String::new(),
        [one] => (*one).to_string(),
        [most @ .., end] => format!("{} {last} {end}", most.join(", ")),
    }
}

/// The operators of a slot, in the order of the documentation.
pub fn entries(slot: Slot) -> impl Iterator<Item = &'static Entry> {
    REGISTRY.iter().filter(move |entry| entry.slot == slot)
}

/// The operator of this name.
#[must_use]
pub fn find(slot: Slot, name: &str) -> Option<&'static Entry> {
    entries(slot).find(|entry| entry.name == name)
}

static REGISTRY: LazyLock<Vec<Entry>> = LazyLock::new(operators::all);

#[cfg(test)]
mod tests;
