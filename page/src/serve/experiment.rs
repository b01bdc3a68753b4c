//! An experiment: its current contents. They are read once for all pages, and again only
//! after a change. A process reads them, and is ended if it takes too long.

use super::app::App;
use super::aside::{begin, in_thread};
use super::error::Refusal;
use super::experiments::{CachedRead, Texts, signature};
use super::limits::QUEUE;
use super::stream::respond;
use crate::live::{Frame, Lost, Reading, Setting, Task};
use crate::system::interrupt::Interrupt;
use crate::system::shell::shell_word;
use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::sse::Event;
use axum::response::{IntoResponse, Response};
use futures_util::stream::unfold;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::time::timeout;

/// Minimum interval between two checks of the files of a watched experiment.
const INTERVAL: Duration = Duration::from_millis(500);
/// Ratio of the time between two reads to the time that a read takes.
const REST: u32 = 5;

/// The folder of an experiment, looked for in a thread of its own.
pub(super) async fn find(app: &Arc<App>, name: &str) -> Result<PathBuf, Refusal> {
    let (asked, name) = (Arc::clone(app), name.to_owned());
    app.limits.looks.run(move || asked.experiments.folder(&name)).await
}

/// Returns the texts of an experiment, and reads them again if its files changed.
async fn read(app: &Arc<App>, name: &str, reading: Reading) -> Result<Texts, Refusal> {
    let folder = find(app, name).await?;
    let looked = folder.clone();
    let signature = app.limits.looks.run(move || Ok(signature(&looked))).await?;
    let turn = app.experiments.turn(name, reading);
    // A request that comes while it is read waits for that, and reads nothing.
    let waited = timeout(app.options.patience + QUEUE, turn.lock()).await;
    let mut kept = waited.map_err(|_| {
        let words = format!("`{name}` is being read for others; try again soon");
        Refusal::new(StatusCode::SERVICE_UNAVAILABLE, words)
    })?;
    if let Some(kept) = kept.as_ref() {
        let same = kept.signature == signature && kept.answer.is_ok();
        if same || Instant::now() < kept.due {
            return kept.answer.clone();
        }
    }
    let room = app.limits.reads.enter().await?;
    let started = Instant::now();
    let texts = in_thread(app, move |app, interrupt| {
        let _room = room;
        Ok(texts(app, folder, reading, interrupt))
    });
    let answer = texts.await?.map(Arc::new);
    let took = started.elapsed();
    let rest = if answer.is_ok() { took * REST } else { took };
    // Reports are long, and seldom asked for twice.
    let keeps = reading != Reading::Report || answer.is_err();
    let due = Instant::now() + rest.max(INTERVAL);
    *kept = keeps.then(|| CachedRead { signature, answer: answer.clone(), due });
    answer
}

/// Reads in a process, which ends when this returns.
fn texts(
    app: &App,
    folder: PathBuf,
    reading: Reading,
    interrupt: Interrupt,
) -> Result<Vec<(String, String)>, Refusal> {
    let (shown, trust, patience) =
        (folder.display().to_string(), app.options.trust, app.options.patience);
    let folders = app.options.search.dirs().to_vec();
    let setting = Setting { text: String::new(), path: PathBuf::new(), folders, data: None };
    let task = Task::Read { folder, reading, trust };
    let mut process = begin(&app.command_for_results(), setting, task, interrupt)?;
    match process.frame(Instant::now().checked_add(patience)) {
        Ok(Frame::Texts(texts)) => Ok(texts),
        // There may be some soon.
        Ok(Frame::Unable(words)) if reading == Reading::Summary => {
            Ok(vec![(String::new(), json!({ "error": words }).to_string())])
        }
        Ok(Frame::Unable(words)) => Err(Refusal::failed(words)),
        Ok(_) => Err(Refusal::failed(format!("{shown}: the process that reads it gave no answer"))),
        Err(Lost { late: true, .. }) => {
            let words = format!(
                "{shown}: reading it took longer than {} s, the limit set by --read-seconds, and \
                was ended; if it is large, or its disk slow, start the server with a larger one, \
                or use commands such as `runner show {}`",
                patience.as_secs(),
                shell_word(&shown)
            );
            Err(Refusal::new(StatusCode::GATEWAY_TIMEOUT, words))
        }
        Err(Lost { words, .. }) => {
            Err(Refusal::failed(format!("{shown}: the process that reads it {words}")))
        }
    }
}

/// The one text of an answer.
fn only(texts: &Texts) -> String {
    texts.first().map_or_else(String::new, |(_, text)| text.clone())
}

async fn json_of(app: &Arc<App>, name: &str, reading: Reading) -> Result<Response, Refusal> {
    let texts = read(app, name, reading).await?;
    Ok(([(CONTENT_TYPE, "application/json")], only(&texts)).into_response())
}

/// Returns the state of an experiment.
pub(super) async fn one(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
) -> Result<Response, Refusal> {
    json_of(&app, &name, Reading::Summary).await
}

/// Returns a stream of the state, with an event per change.
pub(super) async fn events(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
) -> Result<Response, Refusal> {
    find(&app, &name).await?;
    let none: Option<Result<Texts, Refusal>> = None;
    Ok(respond(unfold((app, name, none), async |(app, name, before)| {
        loop {
            let answer = read(&app, &name, Reading::Summary).await;
            let is_known = match (&before, &answer) {
                (Some(Ok(before)), Ok(answer)) => Arc::ptr_eq(before, answer),
                (Some(Err(before)), Err(answer)) => before == answer,
                _ => false,
            };
            if !is_known {
                let text = match &answer {
                    Ok(texts) => only(texts),
                    // The next read may do better.
                    Err(refusal) => json!({ "error": refusal.words }).to_string(),
                };
                let event = Event::default().event("experiment").data(text);
                return Some((Ok(event), (app, name, Some(answer))));
            }
            tokio::time::sleep(INTERVAL).await;
        }
    })))
}

/// The comparison of the arms, as `runner compare` makes it.
pub(super) async fn comparison(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
) -> Result<Response, Refusal> {
    json_of(&app, &name, Reading::Comparison).await
}

/// The names of the pictures.
pub(super) async fn plots(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
) -> Result<Json<Value>, Refusal> {
    let drawn = read(&app, &name, Reading::Plots).await?;
    Ok(Json(drawn.iter().map(|(name, _)| name.as_str()).collect()))
}

/// A picture.
pub(super) async fn plot(
    State(app): State<Arc<App>>,
    Path((name, plot)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    let drawn = read(&app, &name, Reading::Plots).await?;
    let found = drawn.iter().find(|(known, _)| *known == plot);
    let (_, svg) = found.ok_or_else(|| Refusal::missing("there is no such picture"))?;
    let policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
    let headers = [(CONTENT_TYPE, "image/svg+xml"), (CONTENT_SECURITY_POLICY, policy)];
    Ok((headers, svg.clone()).into_response())
}

/// The report, as `runner report` writes it.
pub(super) async fn report(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
) -> Result<Response, Refusal> {
    let page = read(&app, &name, Reading::Report).await?;
    let policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
        img-src data:; sandbox allow-scripts";
    let headers = [(CONTENT_TYPE, "text/html; charset=utf-8"), (CONTENT_SECURITY_POLICY, policy)];
    Ok((headers, only(&page)).into_response())
}
