//! The check of an experiment's text: what is wrong with it, field by field, in the words of
//! `runner check`; or what it would run. It is made in a process of its own, which has a deadline.

use super::app::App;
use super::aside::{begin, in_thread};
use super::error::Refusal;
use crate::live::{Checked, Fault, Frame, Setting, Task};
use crate::system::interrupt::Interrupt;
use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::Semaphore;

/// Name of the text in messages.
const NAME: &str = "experiment.toml";
/// The longest text that is looked at, in bytes.
const LONGEST: usize = 1 << 20;
/// Arms that a page runs at most.
const ARMS: usize = 100;
/// Checks at a time: others wait, and are not begun if their pages leave.
static CHECKS: Semaphore = Semaphore::const_new(4);

#[derive(Debug, Deserialize)]
pub(super) struct Question {
    text: String,
}

/// Returns the faults of a text, and its plan.
pub(super) async fn check(
    State(app): State<Arc<App>>,
    Json(Question { text }): Json<Question>,
) -> Result<Json<Value>, Refusal> {
    let _turn = CHECKS.acquire().await.map_err(Refusal::failed)?;
    let checked = in_thread(&app, move |app, interrupt| checked(app, text, interrupt));
    let Checked { config, sweep, diagnostics, plan } = checked.await?;
    let config: Option<Value> = config.and_then(|config| serde_json::from_str(&config).ok());
    let diagnostics: Vec<Value> = diagnostics.iter().map(shown).collect();
    Ok(Json(json!({
        "config": config, "sweep": sweep, "diagnostics": diagnostics, "plan": plan,
    })))
}

fn shown(fault: &Fault) -> Value {
    let mut shown = json!(fault);
    shown["severity"] = json!(if fault.is_error { "error" } else { "warning" });
    shown
}

/// Returns the setting of a process for this text.
pub(super) fn setting(app: &App, text: String) -> Setting {
    let folders = app.options.search.dirs().to_vec();
    Setting { text, path: PathBuf::from(NAME), folders, data: app.options.data.clone() }
}

/// Checks a text, until `interrupt` is raised. A process that is lost is a fault of its plugin.
fn checked(app: &App, text: String, interrupt: Interrupt) -> Result<Checked, Refusal> {
    if text.len() > LONGEST {
        return Err(Refusal::wrong("the experiment's text is longer than 1 MB"));
    }
    let patience = app.command.patience;
    let deadline = Instant::now().checked_add(patience);
    let mut process = begin(&app.command, setting(app, text), Task::Check, interrupt)?;
    let words = match process.frame(deadline) {
        Ok(Frame::Checked(checked)) => return Ok(*checked),
        Ok(_) => "gave an answer to a different question".to_owned(),
        Err(lost) => lost.words,
    };
    let fault = Fault {
        is_error: true,
        path: process.is_in_plugin().then(|| "problem.plugin".to_owned()),
        line: None,
        message: format!("the process that checks these settings {words}"),
        label: String::new(),
        rule: Some(format!("a check may take {} s", patience.as_secs())),
        help: Some("`runner check` has no limit: save the experiment and check the file".into()),
    };
    Ok(Checked { config: None, sweep: Vec::new(), diagnostics: vec![fault], plan: None })
}

/// Whether a text can be run from a page.
///
/// # Errors
/// Returns the faults of the text in words if it cannot be run.
pub(super) fn runnable(app: &App, text: &str) -> Result<(), Refusal> {
    let Checked { diagnostics, plan, .. } = checked(app, text.to_owned(), app.interrupt.child())?;
    match plan {
        Some(plan) if plan.count > ARMS => Err(Refusal::wrong(format!(
            "{} arms are too many for a page; save the experiment and run it with `runner`",
            plan.count
        ))),
        Some(_) => Ok(()),
        None => {
            let first = diagnostics.into_iter().find(|fault| fault.is_error);
            let words = first.map(|fault| {
                let part = |before: &str, words: Option<String>| {
                    words.map_or_else(String::new, |words| format!("{before}{words}"))
                };
                fault.message + &part(": ", fault.rule) + &part("; ", fault.help)
            });
            Err(Refusal::wrong(words.unwrap_or_else(|| "the experiment has no arms".to_owned())))
        }
    }
}
