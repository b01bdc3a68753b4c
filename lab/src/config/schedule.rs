//! Schedules: a table in place of a number, by which a parameter changes during a trial.

use super::diagnostic::Faults;
use super::fields::{choice, is_meant, strict, value};
use super::keys::{self, Key};
use super::node::Node;
use crate::operators::{Course, Schedule, Unit};
use crate::problem::parameter::{Parameter, Value};

/// Reads the table of a parameter. `None` if something is wrong with it, which is reported.
pub(super) fn read(node: &Node, parameter: &Parameter, out: &mut Faults) -> Option<Schedule> {
    let before = out.len();
    strict(node, &keys::SCHEDULE_TABLE, out)?;
    let [from, to] =
        [&keys::SCHEDULE_FROM, &keys::SCHEDULE_TO].map(|key| end(node, key, parameter, out));
    let over = match &*choice(node, &keys::SCHEDULE_OVER, out) {
        "generations" => Unit::Generations,
        _ => Unit::Evaluations,
    };
    let course = match &*choice(node, &keys::SCHEDULE_COURSE, out) {
        "geometric" => Course::Geometric,
        _ => Course::Linear,
    };
    if out.len() > before {
        return None;
    }
    let schedule = Schedule { from: from?, to: to?, over, course };
    if course == Course::Geometric && schedule.least() <= 0.0 {
        let error = node.error(
            format!("the schedule of `{}` has an end at 0", parameter.key),
            "its course is geometric",
        );
        let error = error.rule("equal factors lead neither to 0 nor away from it");
        return error.help("use an end above 0, or course = \"linear\"").to(out);
    }
    Some(schedule)
}

/// Returns an end of the schedule, which is a value of the parameter.
fn end(table: &Node, key: &Key, parameter: &Parameter, out: &mut Faults) -> Option<f64> {
    let Some(node) = key.of(table) else {
        let names = keys::SCHEDULE_TABLE.names();
        if is_meant(table.entries().unwrap_or_default(), key.name, &names) {
            return None;
        }
        let message = format!("the schedule of `{}` has no `{}`", parameter.key, key.name);
        let error = table.error(message, "in this table");
        let error = error.rule("a schedule leads from one number to another");
        let key = &parameter.key;
        return error.help(format!("write it as {key} = {{ from = 0.3, to = 0.01 }}")).to(out);
    };
    match value(node, key.name, &parameter.kind, out) {
        Some(Value::Real(number)) => Some(number),
        _ => None,
    }
}

/// Complains of a schedule where an algorithm has no use for one.
pub(super) fn idle(node: &Node, of: &str, parameter: &Parameter, out: &mut Faults) {
    let message = format!("`{}` of {of} has a schedule", parameter.key);
    let error = node.error(message, "not with this algorithm");
    let error = error.rule(
        "parameters change with the generations of an algorithm that crosses and mutates a \
        population",
    );
    out.push(error.help("write a number, or choose another algorithm, such as \"evolutionary\""));
}
