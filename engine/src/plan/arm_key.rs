//! The names of an arm.

use crate::plan::{Arm, ArmId, ArmSpec};
use crate::words::first_listed;

/// Maximum number of labels that a message lists.
const LISTED: usize = 10;

/// Names of an arm.
#[derive(Clone, Copy, Debug)]
pub struct ArmKey<'arm> {
    /// Label as tables show it: the settings that differ from the other arms.
    pub label: &'arm str,
    /// ID of the arm, the start of its fingerprint.
    pub id: ArmId,
    /// Name of the operator set.
    pub operators: &'arm str,
}

impl<'arm> From<&'arm Arm> for ArmKey<'arm> {
    fn from(arm: &'arm Arm) -> Self {
        ArmKey { label: &arm.label, id: arm.id(), operators: &arm.settings.operators.name }
    }
}

impl<'arm> From<&'arm ArmSpec> for ArmKey<'arm> {
    fn from(arm: &'arm ArmSpec) -> Self {
        ArmKey { label: &arm.label, id: arm.id, operators: &arm.operators }
    }
}

/// Returns the list of these labels for a message.
#[must_use]
pub fn listed(labels: &[String]) -> String {
    let labels = labels.iter().map(|label| format!("`{label}`"));
    format!("the arms are {}", first_listed(labels, LISTED))
}
