//! The parameter `neighbors` of the searches that list neighbours, and the limit of their number.

use crate::operators::values::{Complaint, Values};
use crate::operators::{Neighborhood, Rearrangement};
use crate::problem::parameter::{Fallback, Kind, Parameter};
use crate::problem::{Description, Encoding};

/// Maximum number of neighbours that a search may evaluate in every step. 2^24 allows for 4,096
/// queens in rows.
const MOST_NEIGHBORS: u64 = 1 << 24;

/// Parameter that chooses the neighbours of a permutation.
pub(in crate::search::algorithms) const NEIGHBORS: Parameter = Parameter::new(
    "neighbors",
    Kind::choice(Rearrangement::NAMES),
    Fallback::Derived("swap, on permutations"),
    "Neighbours of a permutation: two genes swapped, a segment reversed (2-opt of a tour: Croes \
    1958, doi:10.1287/opre.6.6.791), or a gene inserted at another place (or-opt of one city: Or \
    1976).",
);

/// Returns the chosen neighbours of a permutation. The default is left out of an arm's settings, so
/// that arms from before the parameter keep theirs.
pub(in crate::search::algorithms) fn neighbors(
    values: &mut Values,
    problem: &Description,
) -> Result<Rearrangement, Complaint> {
    let Some(name) = values.given_choice("neighbors") else { return Ok(Rearrangement::Swap) };
    if problem.encoding != Encoding::Permutation {
        let usual = match problem.encoding {
            Encoding::Bits => "one bit flips",
            _ => "one gene takes another value",
        };
        return Err(Complaint::of(
            "neighbors",
            format!(
                "\"{name}\" is a move of permutations, and the encoding of this problem is {}",
                problem.encoding
            ),
            format!("leave `neighbors` out: in the neighbours of this problem, {usual}"),
        ));
    }
    let chosen = Rearrangement::named(name).expect("one of the choices");
    if chosen == Rearrangement::Swap {
        values.leave_out("neighbors");
    }
    Ok(chosen)
}

/// Returns the chosen neighbours of a permutation for a search that lists all neighbours, and has
/// this name in messages.
///
/// # Errors
/// Under the conditions of [`neighbors`], or if there are too many neighbours.
pub(in crate::search::algorithms) fn listed_neighbors(
    values: &mut Values,
    problem: &Description,
    search: &str,
) -> Result<Rearrangement, Complaint> {
    let chosen = neighbors(values, problem)?;
    let neighbors = Neighborhood::of(problem, chosen).map_or(0, |all| all.count());
    if neighbors <= MOST_NEIGHBORS {
        return Ok(chosen);
    }
    Err(Complaint::new(
        format!(
            "a genome of this problem has {neighbors} neighbours, and {search} lists at most \
            {MOST_NEIGHBORS}"
        ),
        "choose `simulated-annealing`, or hill climbing with step = \"first-improvement\", which \
            draw their neighbours",
    ))
}
