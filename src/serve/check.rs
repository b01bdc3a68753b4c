//! The check of an experiment's text: what is wrong with it, field by field, in the words of
//! `runner check`; or what it would run.

use super::app::App;
use super::error::Refusal;
use crate::config::{Diagnostic, Outcome, Overrides, Severity, key_at, load_text, text_as_json};
use crate::plan::Plan;
use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

/// What messages call the text.
pub(super) const NAME: &str = "experiment.toml";
/// The longest text that is looked at, in bytes.
const LONGEST: usize = 1 << 20;
/// Arms that a page runs at most.
const ARMS: usize = 100;

#[derive(Debug, Deserialize)]
pub(super) struct Question {
    text: String,
}

/// What is wrong with a text, and what it would run.
///
/// # Errors
/// If the text is too long, or the system gives no thread.
pub(super) async fn check(
    State(app): State<Arc<App>>,
    Json(Question { text }): Json<Question>,
) -> Result<Json<Value>, Refusal> {
    if text.len() > LONGEST {
        return Err(Refusal::wrong("the experiment's text is longer than 1 MB"));
    }
    let checked = tokio::task::spawn_blocking(move || answer(&app, &text));
    checked.await.map(Json).map_err(Refusal::failed)
}

fn answer(app: &App, text: &str) -> Value {
    let config = text_as_json(text);
    if let Some((path, words)) = config.as_ref().and_then(outside) {
        let fault = json!({ "severity": "error", "path": path, "message": words });
        return json!({ "config": config, "diagnostics": [fault], "plan": null });
    }
    let outcome = load(app, text);
    let found = outcome.diagnostics.iter().map(|one| diagnostic(one, &outcome, text));
    let diagnostics: Vec<Value> = found.collect();
    json!({
        "config": config,
        "diagnostics": diagnostics,
        "plan": outcome.plans.first().map(plan),
    })
}

/// The text, checked; the problem is made in the process for that.
fn load(app: &App, text: &str) -> Outcome {
    load_text(Path::new(NAME), text, &Overrides::default(), &mut app.catalogue())
}

/// Whether a text may be run from a page: its key and words, if not. A page must not read files, or
/// start programs, that lie elsewhere.
#[must_use]
pub(super) fn outside(config: &Value) -> Option<(String, String)> {
    fn walk(value: &Value, path: &str) -> Option<(String, String)> {
        let here =
            |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
        let refuse = |key: &str, why: &str| {
            let words = format!(
                "`{key}`: a page cannot {why}; write it into an experiment file and run that with \
                `runner`"
            );
            Some((here(key), words))
        };
        match value {
            Value::Array(items) => {
                let mut all = items.iter().enumerate();
                all.find_map(|(place, item)| walk(item, &here(&place.to_string())))
            }
            Value::Object(table) => table.iter().find_map(|(key, below)| {
                let is_path = below.as_str().is_some_and(|text| text.contains(['/', '\\']));
                match key.as_str() {
                    "extends" => refuse(key, "read another experiment file"),
                    "start" if path.is_empty() => refuse(key, "read first genomes"),
                    "interpreter" => refuse(key, "choose a program to start"),
                    "plugin" if is_path => refuse(key, "load a plugin by its path"),
                    _ => walk(below, &here(key)),
                }
            }),
            _ => None,
        }
    }
    walk(config, "")
}

fn diagnostic(one: &Diagnostic, outcome: &Outcome, text: &str) -> Value {
    let Outcome { sources, .. } = outcome;
    let own = |origin: &&crate::config::Origin| sources.name(origin.source) == NAME;
    let also = one.also.iter().map(|(origin, _)| origin);
    let origin = one.origin.iter().chain(also).find(own);
    let place = one.place(sources).filter(|place| place.file == NAME);
    let severity = match one.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    json!({
        "severity": severity,
        "path": origin.map(|origin| key_at(text, origin.start)),
        "line": place.map(|place| place.line),
        "message": one.message,
        "label": one.label,
        "rule": one.rule,
        "help": one.help,
    })
}

fn plan(plan: &Plan) -> Value {
    let arms = plan.arms.iter().take(ARMS).map(|arm| {
        let description = arm.problem.description();
        json!({
            "label": arm.label,
            "id": arm.id().to_string(),
            "encoding": description.encoding.as_str(),
            "genome_length": description.genome_length,
            "ideal": description.ideal,
            "target": arm.settings.stop.target,
            "constrained": description.has_violations,
            "generations": arm.settings.stop.generations,
            "evaluations": arm.settings.stop.evaluations,
        })
    });
    json!({
        "name": plan.name,
        "seed": plan.seed.to_string(),
        "repeats": plan.repeats,
        "problem": plan.library.name(),
        "arms": arms.collect::<Vec<_>>(),
        "count": plan.arms.len(),
    })
}

/// Whether a text can be run from a page.
///
/// # Errors
/// What is wrong with it, in words.
pub(super) fn runnable(app: &App, text: &str) -> Result<(), Refusal> {
    let config = text_as_json(text).ok_or_else(|| Refusal::wrong("the text is not TOML"))?;
    if let Some((_, words)) = outside(&config) {
        return Err(Refusal::wrong(words));
    }
    let outcome = load(app, text);
    match outcome.plans.first() {
        Some(plan) if plan.arms.len() > ARMS => Err(Refusal::wrong(format!(
            "{} arms are too many for a page; save the experiment and run it with `runner`",
            plan.arms.len()
        ))),
        Some(_) => Ok(()),
        None => {
            let first = outcome.diagnostics.first().map(|one| one.message.clone());
            Err(Refusal::wrong(first.unwrap_or_else(|| "the experiment has no arms".to_owned())))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_reads_and_starts_nothing_elsewhere() {
        for (text, path) in [
            ("extends = \"/etc/passwd\"", "extends"),
            ("[start]\nfile = \"x.csv\"", "start"),
            ("[problem]\nplugin = \"../evil.so\"", "problem.plugin"),
            ("[problem]\nplugin = \"x.py\"\ninterpreter = \"sh\"", "problem.interpreter"),
            ("[[operators]]\nmutation = { plugin = \"/tmp/x.so\" }", "operators.0.mutation.plugin"),
        ] {
            let config = text_as_json(text).expect("it is TOML");
            assert_eq!(outside(&config).expect(text).0, path);
        }
        let good = "[problem]\nplugin = \"nqueens\"\n[[operators]]\nselection = \"roulette\"";
        assert_eq!(outside(&text_as_json(good).expect("it is TOML")), None);
    }
}
