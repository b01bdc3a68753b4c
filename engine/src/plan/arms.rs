//! The arms of a plan. There is at least one, so that a plan which runs nothing cannot be made.

use super::sections::Sections;
use super::settings::{ArmSettings, Pairing};
use super::{Arm, Fingerprint, fingerprint, label};
use crate::problem::{Library, Problem};
use std::collections::HashMap;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// Arm before it has an index, a label and a fingerprint.
#[derive(Clone, Debug)]
pub struct ArmDraft {
    /// Settings that its trials run with.
    pub settings: ArmSettings,
    /// Instance of the plugin with the arm's parameters.
    pub problem: Arc<Problem>,
    /// Index of its baseline among the drafts; `None` if it has none.
    pub baseline: Option<usize>,
}

/// Two arms with the same settings or the same label, by their indices and labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DuplicateArms {
    /// Index of the first arm among the drafts.
    pub first: usize,
    /// Index of the second arm among the drafts.
    pub second: usize,
    /// Label of the first arm.
    pub first_label: String,
    /// Label of the second arm.
    pub second_label: String,
}

/// Reason why drafts make no arms of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoArms {
    /// There are no drafts.
    None,
    /// Some arms have the same settings as an earlier arm: the first such pair, and the others.
    Duplicates(DuplicateArms, Vec<DuplicateArms>),
    /// Two arms with other settings have the same label.
    SameLabel(DuplicateArms),
}

/// Returns the fingerprint of each arm. Arms with the same fingerprint run the same trials.
#[must_use]
pub fn fingerprints(drafts: &[ArmDraft], library: &Library, pairing: Pairing) -> Vec<Fingerprint> {
    let mut sections = Sections::of(library.name(), pairing);
    let of = |draft: &ArmDraft| {
        let in_full = sections.arm(&draft.settings);
        let revision = draft.settings.operators.revision();
        fingerprint(&in_full.fingerprinted(), library, revision)
    };
    drafts.iter().map(of).collect()
}

/// The arms of a plan: at least one.
#[derive(Debug)]
pub struct Arms(Vec<Arm>);

impl Arms {
    /// Gives the arms of a plan their indices, labels and fingerprints.
    ///
    /// # Errors
    /// Returns an error if there are no arms, or if some have the same settings or the same label.
    pub fn of(
        drafts: Vec<ArmDraft>,
        library: &Library,
        pairing: Pairing,
        swept_keys: &[String],
    ) -> Result<Self, NoArms> {
        let mut seen: HashMap<Fingerprint, usize> = HashMap::with_capacity(drafts.len());
        let mut labels: HashMap<String, usize> = HashMap::with_capacity(drafts.len());
        let mut arms: Vec<Arm> = Vec::with_capacity(drafts.len());
        let (mut duplicates, mut same_label) = (Vec::new(), None);
        let mut sections = Sections::of(library.name(), pairing);
        for (index, ArmDraft { settings, problem, baseline }) in drafts.into_iter().enumerate() {
            let label = label(&settings, swept_keys);
            let in_full = sections.arm(&settings);
            let revision = settings.operators.revision();
            let own = fingerprint(&in_full.fingerprinted(), library, revision);
            let first = *seen.entry(own).or_insert(index);
            if first != index {
                let (first_label, second_label) = (arms[first].label.clone(), label.clone());
                duplicates.push(DuplicateArms { first, second: index, first_label, second_label });
            }
            if let Some(first) = labels.insert(label.clone(), index) {
                let (first_label, second_label) = (label.clone(), label.clone());
                let same = DuplicateArms { first, second: index, first_label, second_label };
                same_label.get_or_insert(same);
            }
            let start =
                (pairing == Pairing::Common).then(|| fingerprint(&in_full.problem(), library, 0));
            let resolved = in_full.settings;
            arms.push(Arm {
                index,
                label,
                fingerprint: own,
                settings,
                resolved,
                problem,
                baseline,
                start,
            });
        }
        let mut duplicates = duplicates.into_iter();
        match duplicates.next() {
            Some(first) => Err(NoArms::Duplicates(first, duplicates.collect())),
            None if arms.is_empty() => Err(NoArms::None),
            None => same_label.map_or(Ok(Arms(arms)), |arms| Err(NoArms::SameLabel(arms))),
        }
    }
}

impl Deref for Arms {
    type Target = [Arm];

    fn deref(&self) -> &[Arm] {
        &self.0
    }
}

impl DerefMut for Arms {
    fn deref_mut(&mut self) -> &mut [Arm] {
        &mut self.0
    }
}

impl<'arms> IntoIterator for &'arms Arms {
    type Item = &'arms Arm;
    type IntoIter = std::slice::Iter<'arms, Arm>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}
