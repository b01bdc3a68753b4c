//! Choices of the form: problems with their parameters, operators, presets, and settings that are
//! ready to run.

use super::app::App;
use super::error::Refusal;
use super::ready::ready;
use crate::config::{form as of_config, parameter_field};
use crate::problem::{Library, Location};
use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};
use std::sync::Arc;

/// All of it. A plugin that cannot be used is there with the reason.
///
/// # Errors
/// If the system gives no thread.
pub(super) async fn form(State(app): State<Arc<App>>) -> Result<Json<Value>, Refusal> {
    let made = tokio::task::spawn_blocking(move || {
        let mut form = of_config();
        form["problems"] = app.command.policy.files().map(|file| problem(&app, file)).collect();
        form["ready"] = ready();
        form
    });
    made.await.map(Json).map_err(Refusal::failed)
}

fn problem(app: &App, file: &std::path::Path) -> Value {
    match Library::open(&Location::new(file), &app.opener()) {
        Ok(library) => json!({
            "name": library.name(),
            "version": library.version(),
            "summary": library.summary(),
            "parameters": library.parameters().iter().map(parameter_field).collect::<Vec<_>>(),
            "error": null,
        }),
        Err(error) => json!({
            "name": file.file_stem().unwrap_or_default().to_string_lossy(),
            "summary": "", "parameters": [], "error": error.to_string(),
        }),
    }
}
