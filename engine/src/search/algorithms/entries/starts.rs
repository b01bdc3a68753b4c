//! The parameter `start` of the searches that repair genes in conflict.

use crate::operators::values::{Complaint, Values};
use crate::problem::Description;
use std::borrow::Cow;

/// Choices of the parameter.
pub(in crate::search::algorithms) const STARTS: &[Cow<'static, str>] =
    &[Cow::Borrowed("random"), Cow::Borrowed("greedy")];

/// Returns whether the plugin constructs the first genome; `default` if the parameter is not given.
pub(in crate::search::algorithms) fn is_greedy(
    values: &Values,
    problem: &Description,
    default: bool,
) -> Result<bool, Complaint> {
    let greedy = values.given_choice("start").map_or(default, |start| start == "greedy");
    if greedy && !problem.has_construct {
        return Err(Complaint::of(
            "start",
            "the plugin of this problem does not construct genomes",
            "write start = \"random\"",
        ));
    }
    Ok(greedy)
}
