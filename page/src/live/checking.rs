//! Checking: what is wrong with an experiment's text, in the words of `runner check`; or what it
//! would run.

use super::frame::{Checked, Fault, Planned, PlannedArm};
use crate::config::{Diagnostic, Origin, Outcome, Severity, key_at, sweep_keys, text_as_json};
use crate::plan::{Arm, Plan};
use crate::present::memory::too_large_for_a_page;

/// Arms that are described at most.
const ARMS: usize = 100;
/// Maximum number of reported faults: errors first, in the order of the text.
const FAULTS: usize = 100;

/// Replaces plans that do not fit into memory by a fault in the words of `runner check`.
pub(super) fn without_too_large(mut outcome: Outcome) -> Outcome {
    let refused = outcome.plans.iter();
    let refused: Vec<_> =
        refused.filter_map(|plan| too_large_for_a_page(plan, &plan.arms)).collect();
    if !refused.is_empty() {
        outcome.plans.clear();
        outcome.diagnostics.splice(..0, refused);
    }
    outcome
}

/// Returns the outcome of loading `text` under the name of `file`.
pub(super) fn checked(outcome: &Outcome, text: &str, file: &str) -> Checked {
    let faults = outcome.diagnostics.iter().take(FAULTS);
    Checked {
        config: text_as_json(text).map(|config| config.to_string()),
        sweep: sweep_keys(text),
        diagnostics: faults.map(|one| fault(one, outcome, text, file)).collect(),
        plan: outcome.plans.first().map(planned),
    }
}

fn fault(one: &Diagnostic, outcome: &Outcome, text: &str, file: &str) -> Fault {
    let Outcome { sources, .. } = outcome;
    let own = |origin: &&Origin| sources.name(origin.source) == file;
    let also = one.also.iter().map(|(origin, _)| origin);
    let origin = one.origin.iter().chain(also).find(own);
    let place = one.place(sources).filter(|place| place.file == file);
    Fault {
        is_error: one.severity == Severity::Error,
        path: origin.map(|origin| key_at(text, origin.start)),
        line: place.map(|place| place.line),
        message: one.message.clone(),
        label: one.label.clone(),
        rule: one.rule.clone(),
        help: one.help.clone(),
    }
}

fn planned(plan: &Plan) -> Planned {
    let arms = plan.arms.iter().take(ARMS).map(|arm| {
        let description = arm.problem.description();
        let same = |other: &Arm| other.settings.parameters == arm.settings.parameters;
        PlannedArm {
            label: arm.label.clone(),
            id: arm.id().to_string(),
            encoding: description.encoding.as_str().to_owned(),
            genome_length: description.genome_length,
            problem: plan.arms.iter().position(same).unwrap_or(arm.index),
            ideal: description.ideal,
            target: arm.settings.stop.target,
            constrained: description.has_violations,
            generations: arm.settings.stop.generations,
            evaluations: arm.settings.stop.evaluations,
        }
    });
    Planned {
        name: plan.name.clone(),
        seed: plan.seed.to_string(),
        repeats: plan.repeats,
        problem: plan.library.name().to_owned(),
        arms: arms.collect(),
        count: plan.arms.len(),
    }
}
