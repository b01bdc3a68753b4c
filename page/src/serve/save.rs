//! Saving: the page's settings as an experiment file.

use super::app::App;
use super::error::Refusal;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::sync::Arc;

fn written(path: &Path, text: &str) -> std::io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(text.as_bytes())
}

#[derive(Debug, Deserialize)]
pub(super) struct Saved {
    name: String,
    text: String,
}

/// Writes a new file; one that is there stays as it is.
pub(super) async fn save(
    State(app): State<Arc<App>>,
    Json(Saved { name, text }): Json<Saved>,
) -> Result<Json<Value>, Refusal> {
    let good = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.is_empty() || name.len() > 100 || !name.chars().all(good) {
        return Err(Refusal::wrong(
            "the name of an experiment file has letters, digits, - and _ only",
        ));
    }
    let path = app.options.configs.join(format!("{name}.toml"));
    let write = move || Ok((written(&path, &text), path));
    let (written, path) = app.limits.looks.run(write).await?;
    match written {
        Ok(()) => Ok(Json(json!({
            "path": path.display().to_string(),
            "command": format!("runner {}", crate::system::shell::shell_path(&path)),
        }))),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(Refusal::new(
            StatusCode::CONFLICT,
            format!("{} is there already; choose another name", path.display()),
        )),
        Err(error) => {
            Err(Refusal::failed(format!("{}: cannot be written: {error}", path.display())))
        }
    }
}
