//! The shape of an experiment's tables.

use crate::analysis::comparison::draws;
use crate::analysis::{ArmAccumulator, ArmTotals, DifferenceMethod, MOST_COMPARED, SummaryTable};
use crate::plan::settings::Trace;
use crate::plan::stopping::{StoppingCriterion, StoppingRule};
use crate::plan::{ArmId, ArmSpec, BestType, ResultsSpec};
use crate::problem::parameter::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The type of a swept key's column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SweptType {
    Integer,
    Real,
    Boolean,
    Text,
}

/// A spec without what only writing new trials needs; a finished folder gives one back.
#[derive(Clone, Debug)]
pub struct TableSchema {
    pub experiment: String,
    /// The question that ends the trials.
    pub stopping_rule: Option<StoppingRule>,
    pub trace: Trace,
    pub best: BestType,
    /// Whether the problem has constraints: then the tables have columns for them.
    pub violations: bool,
    /// Whether an arm evaluates each genome several times: then the trials have a column for the
    /// standard error.
    pub standard_errors: bool,
    /// Whether an arm remembers genomes: then the trials have a column for what that saves.
    pub saved: bool,
    pub swept_keys: Vec<String>,
    pub swept_types: Vec<SweptType>,
    pub arms: Vec<ArmSpec>,
    index: BTreeMap<ArmId, usize>,
    /// Arms that have a baseline or are one.
    compared: Vec<bool>,
    /// Number of trials up to which each of them gets a verdict.
    most_compared: u64,
    /// Each arm's id as the tables spell it.
    pub hex: Vec<String>,
}

impl TableSchema {
    pub(crate) fn of(spec: &ResultsSpec) -> TableSchema {
        let schema = TableSchema::new(
            spec.experiment.clone(),
            spec.trace,
            spec.best,
            spec.swept_keys.clone(),
            spec.arms.clone(),
        );
        let (stopping_rule, violations) = (spec.stopping_rule.clone(), spec.violations);
        TableSchema { stopping_rule, violations, ..schema }
    }

    pub(crate) fn new(
        experiment: String,
        trace: Trace,
        best: BestType,
        swept_keys: Vec<String>,
        arms: Vec<ArmSpec>,
    ) -> Self {
        let index = arms.iter().enumerate().map(|(index, arm)| (arm.id, index)).collect();
        let swept_types = (0..swept_keys.len())
            .map(|key| swept_type(arms.iter().filter_map(|arm| arm.swept[key].as_ref())))
            .collect();
        let baselines: BTreeSet<ArmId> = arms.iter().filter_map(|arm| arm.baseline).collect();
        let is_compared = |arm: &ArmSpec| arm.baseline.is_some() || baselines.contains(&arm.id);
        let compared: Vec<bool> = arms.iter().map(is_compared).collect();
        let number = compared.iter().filter(|compared| **compared).count();
        let most_compared = MOST_COMPARED / number.max(1) as u64;
        let hex = arms.iter().map(|arm| arm.id.to_string()).collect();
        TableSchema {
            experiment,
            stopping_rule: None,
            trace,
            best,
            violations: false,
            standard_errors: arms.iter().any(evaluates_several_times),
            saved: arms.iter().any(|arm| arm.settings.value("operators.duplicates").is_some()),
            swept_keys,
            swept_types,
            arms,
            index,
            compared,
            most_compared,
            hex,
        }
    }

    /// Returns whether trial k of every arm of a problem starts from the same genomes.
    pub(crate) fn common(&self) -> bool {
        self.arms.first().is_some_and(|arm| arm.common())
    }

    /// Returns the summary of these arms.
    pub(crate) fn summary(&self, totals: Vec<ArmTotals>) -> SummaryTable {
        let TableSchema { experiment, swept_keys, arms, stopping_rule, .. } = self;
        SummaryTable::new(experiment, swept_keys, arms, stopping_rule.as_ref(), totals)
    }

    /// Returns whether arms race. The summary then has their standings.
    pub(crate) fn races(&self) -> bool {
        let criterion = self.stopping_rule.as_ref().map(|rule| &rule.criterion);
        matches!(criterion, Some(StoppingCriterion::Best { .. }))
    }

    /// Returns an empty accumulator for the trials of an arm.
    pub(crate) fn accumulator(&self, arm: usize) -> ArmAccumulator {
        let method = DifferenceMethod::of(self.stopping_rule.as_ref(), self.common());
        let most = if self.compared[arm] { self.most_compared } else { 0 };
        ArmAccumulator::new(method, most).exact(!self.draws(arm))
    }

    /// Returns whether the search of an arm draws random numbers.
    pub(crate) fn draws(&self, arm: usize) -> bool {
        draws(&self.arms[arm].settings)
    }

    /// Returns whether a gene of an arm is a choice. Genomes are then also written by name.
    pub(crate) fn has_names(&self) -> bool {
        self.arms.iter().any(|arm| arm.genes.is_some())
    }

    pub(crate) fn arm_index(&self, id: ArmId) -> Option<usize> {
        self.index.get(&id).copied()
    }
}

/// Returns whether an arm evaluates each genome several times.
fn evaluates_several_times(arm: &ArmSpec) -> bool {
    let evaluations = arm.settings.value("operators.noise.evaluations-per-genome");
    matches!(evaluations, Some(Value::Integer(count)) if *count > 1)
}

/// Returns the narrowest type that holds all values.
pub(crate) fn swept_type<'a>(values: impl Iterator<Item = &'a Value>) -> SweptType {
    let type_of = |value: &Value| match value {
        Value::Integer(_) => SweptType::Integer,
        Value::Real(_) => SweptType::Real,
        Value::Boolean(_) => SweptType::Boolean,
        Value::Text(_) | Value::File(_) => SweptType::Text,
    };
    let common = |first, second| match (first, second) {
        _ if first == second => first,
        (SweptType::Integer, SweptType::Real) | (SweptType::Real, SweptType::Integer) => {
            SweptType::Real
        }
        _ => SweptType::Text,
    };
    values.map(type_of).reduce(common).unwrap_or(SweptType::Text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::swept_text;
    use std::borrow::Cow;

    #[test]
    fn swept_columns_take_the_narrowest_type_that_holds_all_values() {
        let text = Value::Text(Cow::Borrowed("rank"));
        assert_eq!(swept_type([Value::Integer(1), Value::Integer(2)].iter()), SweptType::Integer);
        assert_eq!(swept_type([Value::Integer(1), Value::Real(0.5)].iter()), SweptType::Real);
        assert_eq!(swept_type([Value::Boolean(true)].iter()), SweptType::Boolean);
        assert_eq!(swept_type([Value::Boolean(true), Value::Integer(1)].iter()), SweptType::Text);
        assert_eq!(swept_type([text.clone(), Value::Integer(1)].iter()), SweptType::Text);
        assert_eq!(swept_text(&text), "rank");
        assert_eq!(swept_text(&Value::Real(1.0)), "1.0");
    }
}
