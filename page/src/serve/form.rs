//! Choices of the form: problems with their parameters, operators, presets, and settings that are
//! ready to run.

use super::app::App;
use super::error::Refusal;
use super::ready::ready;
use crate::config::{foreign_operators, form as of_config, parameter_field};
use crate::live::data_names;
use crate::problem::{Library, Location, PluginError};
use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

/// Returns the whole form. A plugin that cannot be used is listed with the reason.
pub(super) async fn form(State(app): State<Arc<App>>) -> Result<Json<Value>, Refusal> {
    let made = tokio::task::spawn_blocking(move || {
        let mut form = of_config();
        let mut problems = Vec::new();
        for file in app.command.policy.files() {
            match Library::open(&Location::new(file), &app.opener()) {
                Ok(library) => {
                    add_operators(&mut form, &library);
                    problems.extend(library.declared().has_problem.then(|| problem(&library)));
                }
                Err(error) => problems.push(unusable(file, &error)),
            }
        }
        form["problems"] = problems.into();
        form["ready"] = ready();
        offer_files(&mut form, app.options.data.as_deref());
        form
    });
    made.await.map(Json).map_err(Refusal::failed)
}

/// Returns the names of the files of data that can be chosen now.
pub(super) async fn data(State(app): State<Arc<App>>) -> Result<Json<Vec<String>>, Refusal> {
    let read = tokio::task::spawn_blocking(move || {
        app.options.data.as_deref().map(data_names).unwrap_or_default()
    });
    read.await.map(Json).map_err(Refusal::failed)
}

/// Adds the available files and their folder to the file fields.
fn offer_files(form: &mut Value, folder: Option<&Path>) {
    let names = folder.map(data_names).unwrap_or_default();
    let folder = folder.map(|folder| folder.display().to_string());
    let mut left = vec![form];
    while let Some(value) = left.pop() {
        if value["type"] == "file" {
            (value["words"], value["folder"]) = (json!(names), json!(folder));
        }
        match value {
            Value::Array(values) => left.extend(values),
            Value::Object(table) => left.extend(table.values_mut()),
            _ => {}
        }
    }
}

fn problem(library: &Library) -> Value {
    json!({
        "name": library.name(),
        "version": library.version(),
        "summary": library.summary(),
        "parameters": library.parameters().iter().map(parameter_field).collect::<Vec<_>>(),
        "error": null,
    })
}

fn unusable(file: &Path, error: &PluginError) -> Value {
    json!({
        "name": file.file_stem().unwrap_or_default().to_string_lossy(),
        "summary": "", "parameters": [], "error": error.to_string(),
    })
}

/// Adds the operators of a plugin to those of their slots.
fn add_operators(form: &mut Value, library: &Library) {
    let operators = foreign_operators(library.name(), &library.declared().operators);
    for (slot, operator) in operators {
        let slots = form["slots"].as_array_mut().into_iter().flatten();
        let found = slots.filter(|one| one["slot"] == slot.as_str());
        found.filter_map(|one| one["operators"].as_array_mut()).for_each(|all| {
            all.push(operator.clone());
        });
    }
}
