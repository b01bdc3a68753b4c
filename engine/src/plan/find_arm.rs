//! Lookup of the arm that a user names.

use super::arm_key::{ArmKey, listed};
use super::arm_patterns::{Wanted, by_likeness};
use std::fmt;

/// Error: a name matches no arm, or several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoSuchArm {
    pub name: String,
    /// Labels of all arms, the most similar first.
    pub labels: Vec<String>,
}

impl fmt::Display for NoSuchArm {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NoSuchArm { name, labels } = self;
        write!(out, "there is no single arm called `{name}`; {}", listed(labels))
    }
}

impl std::error::Error for NoSuchArm {}

/// Returns the index of the only arm that matches a label, ID, operator set, or pattern of labels.
///
/// # Errors
/// Returns an error if no arm matches, or if several arms match.
pub fn find_arm<'arm, N: Into<ArmKey<'arm>>>(
    arms: impl IntoIterator<Item = N>,
    name: &str,
) -> Result<usize, NoSuchArm> {
    let arms: Vec<ArmKey<'arm>> = arms.into_iter().map(Into::into).collect();
    let exact = arms.iter().position(|arm| arm.label == name || arm.id.to_string() == name);
    if let Some(place) = exact {
        return Ok(place);
    }
    let wanted = Wanted::new(name);
    let mut meant = (0..arms.len()).filter(|place| wanted.means(arms[*place]));
    match (meant.next(), meant.next()) {
        (Some(place), None) => Ok(place),
        _ => Err(NoSuchArm { name: name.to_owned(), labels: by_likeness(&arms, name) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Fingerprint;

    fn arms() -> [ArmKey<'static>; 3] {
        let id = |digit| Fingerprint([digit; 32]).id();
        [("ga n=4", "ga", 1), ("ga n=6", "ga", 2), ("climb n=4", "climb", 3)]
            .map(|(label, operators, digit)| ArmKey { label, id: id(digit), operators })
    }

    #[test]
    fn an_arm_goes_by_its_label_its_id_or_a_set_that_makes_no_other() {
        assert_eq!(find_arm(arms(), "ga n=6"), Ok(1));
        assert_eq!(find_arm(arms(), &arms()[1].id.to_string()), Ok(1));
        assert_eq!(find_arm(arms(), "climb"), Ok(2));
    }

    #[test]
    fn what_names_none_or_several_is_answered_with_the_labels() {
        for name in ["ga", "", "2"] {
            let error = find_arm(arms(), name).expect_err("no arm");
            assert_eq!(
                error.to_string(),
                format!(
                    "there is no single arm called `{name}`; the arms are `ga n=4`, `ga n=6`, \
                    `climb n=4`"
                )
            );
        }
        let many = NoSuchArm { name: "x".to_owned(), labels: vec!["a".to_owned(); 12] };
        assert!(many.to_string().ends_with("`a` and 2 more"), "{many}");
    }
}
