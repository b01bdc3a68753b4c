//! The list of experiments, with one line each. Pages are notified of changes.

use super::app::App;
use super::aside::{self, in_thread};
use super::error::Refusal;
use super::experiments::signature;
use super::stream::respond;
use crate::live::{Frame, LiveProcess, Lost, Setting, Task};
use crate::system::interrupt::Interrupt;
use axum::Json;
use axum::extract::State;
use axum::response::Response;
use axum::response::sse::Event;
use futures_util::stream::unfold;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::time::{Instant, sleep_until};

/// Minimum interval between two checks of the folder.
const INTERVAL: Duration = Duration::from_secs(1);
/// Ratio of the time between two looks to the time that a look takes.
const REST: u32 = 20;
/// Lines that are asked for at a time, at most; and experiments that are looked at together.
const MOST_LINES: usize = 200;
const MOST_TOGETHER: usize = 100;

/// A folder of the list. The stamp changes when its results do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamped {
    modified: Option<u64>,
    stamp: u64,
}

fn seconds(time: Option<SystemTime>) -> Option<u64> {
    let since = time.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
    since.map(|since| since.as_secs())
}

/// Returns the stamp of a folder. Tables get their names in it, which changes its time; a run
/// writes below it.
fn stamp(folder: &Path, modified: Option<SystemTime>) -> u64 {
    let mut hasher = DefaultHasher::new();
    modified.hash(&mut hasher);
    if folder.join("parts").is_dir() {
        signature(folder).hash(&mut hasher);
    }
    // Pages count in doubles.
    hasher.finish() >> 11
}

/// Returns the folders by their names.
fn stamped(app: &App) -> BTreeMap<String, Stamped> {
    let of = |(name, time): (String, Option<SystemTime>)| {
        let stamp = stamp(&app.options.out.join(&name), time);
        (name, Stamped { modified: seconds(time), stamp })
    };
    app.experiments.names().into_iter().map(of).collect()
}

/// Returns which experiments there are, the newest first: at once, whatever is in them.
pub(super) async fn list(State(app): State<Arc<App>>) -> Result<Json<Value>, Refusal> {
    let asked = Arc::clone(&app);
    let listed = app.limits.looks.run(move || {
        let names = asked.experiments.names().into_iter();
        Ok(names.map(|(name, time)| json!({ "name": name, "modified": seconds(time) })).collect())
    });
    listed.await.map(Json)
}

/// Returns a stream of the list: all folders, then those that come, change and go.
pub(super) async fn watch(State(app): State<Arc<App>>) -> Response {
    let none: Option<BTreeMap<String, Stamped>> = None;
    let start = (app, none, Instant::now());
    respond(unfold(start, async |(app, before, mut due)| {
        loop {
            sleep_until(due).await;
            let began = Instant::now();
            let asked = Arc::clone(&app);
            let now = app.limits.looks.run(move || Ok(stamped(&asked))).await;
            due = Instant::now() + INTERVAL.max(began.elapsed() * REST);
            // The disk is busy: the next look may do better.
            let Ok(now) = now else { continue };
            if before.as_ref() != Some(&now) {
                let news = news(before.as_ref(), &now);
                let event = Event::default().event("list").data(news.to_string());
                return Some((Ok(event), (app, Some(now), due)));
            }
        }
    }))
}

fn news(before: Option<&BTreeMap<String, Stamped>>, now: &BTreeMap<String, Stamped>) -> Value {
    let old = |name: &String| before.and_then(|before| before.get(name));
    let changed = now.iter().filter(|(name, one)| old(name) != Some(*one));
    let row = |(name, one): (&String, &Stamped)| {
        let Stamped { modified, stamp } = one;
        json!({ "name": name, "modified": modified, "stamp": stamp })
    };
    let gone = before.into_iter().flat_map(BTreeMap::keys).filter(|name| !now.contains_key(*name));
    json!({ "rows": changed.map(row).collect::<Vec<_>>(), "gone": gone.collect::<Vec<_>>() })
}

/// An experiment's name and its folder, or why there is none.
type Named = (String, Result<PathBuf, Refusal>);

/// Names of experiments that a page asks for.
#[derive(Debug, Deserialize)]
pub(super) struct Names {
    names: Vec<String>,
}

impl Names {
    /// Returns each name with its folder, or why there is none.
    async fn folders(self, app: &Arc<App>, most: usize) -> Result<Vec<Named>, Refusal> {
        if self.names.len() > most {
            let words = format!("a page asks for at most {most} experiments at a time");
            return Err(Refusal::wrong(words));
        }
        let asked = Arc::clone(app);
        let find = move |name: String| {
            let folder = asked.experiments.folder(&name);
            (name, folder)
        };
        app.limits.looks.run(move || Ok(self.names.into_iter().map(find).collect())).await
    }
}

/// Returns a line of each of these experiments that is there. What did not change since is not read
/// again.
pub(super) async fn lines(
    State(app): State<Arc<App>>,
    Json(asked): Json<Names>,
) -> Result<Json<Value>, Refusal> {
    let folders = asked.folders(&app, MOST_LINES).await?;
    let there = |(name, folder): Named| Some((name, folder.ok()?));
    let there: Vec<(String, PathBuf)> = folders.into_iter().filter_map(there).collect();
    let looked = there.clone();
    let stamps = move || {
        let modified = |folder: &PathBuf| folder.metadata().ok()?.modified().ok();
        Ok(looked.iter().map(|(_, one)| stamp(one, modified(one))).collect::<Vec<u64>>())
    };
    let stamps = app.limits.looks.run(stamps).await?;
    let known = |name: &String, stamp: u64| {
        let kept = app.experiments.with_lines(|lines| lines.get(name).cloned());
        kept.filter(|(at, _)| *at == stamp).map(|(_, line)| line)
    };
    let (mut lines, mut new) = (Map::new(), Vec::new());
    for ((name, folder), stamp) in there.into_iter().zip(stamps) {
        match known(&name, stamp) {
            Some(line) => _ = lines.insert(name, stamped_line(line, stamp)),
            None => new.push((name, folder, stamp)),
        }
    }
    if !new.is_empty() {
        let folders = new.iter().map(|(_, folder, _)| folder.clone()).collect();
        let room = app.limits.reads.enter().await?;
        let read = in_thread(&app, move |app, interrupt| {
            let _room = room;
            read(app, folders, &interrupt)
        });
        let read = read.await?;
        for ((name, _, stamp), read) in new.into_iter().zip(read) {
            let line = match read {
                Ok(line) => {
                    let kept = (stamp, line.clone());
                    app.experiments.with_lines(|lines| lines.insert(name.clone(), kept));
                    line
                }
                // The next read may do better.
                Err(words) => json!({ "error": words }),
            };
            lines.insert(name, stamped_line(line, stamp));
        }
    }
    Ok(Json(Value::Object(lines)))
}

fn stamped_line(mut line: Value, stamp: u64) -> Value {
    line["stamp"] = json!(stamp);
    line
}

/// Begins a read in a process.
fn begin(app: &App, task: Task, interrupt: &Interrupt) -> Result<LiveProcess, Refusal> {
    let (text, path, folders) = (String::new(), PathBuf::new(), Vec::new());
    let setting = Setting { text, path, folders, data: None };
    aside::begin(&app.command, setting, task, interrupt.clone())
}

/// Reads the lines of these folders in a process. After one that ends it, which has words in place
/// of a line, another process goes on.
fn read(
    app: &App,
    folders: Vec<PathBuf>,
    interrupt: &Interrupt,
) -> Result<Vec<Result<Value, String>>, Refusal> {
    let mut lines = Vec::new();
    while lines.len() < folders.len() && !interrupt.is_raised() {
        let task = Task::Lines { folders: folders[lines.len()..].to_vec() };
        let mut process = begin(app, task, interrupt)?;
        while lines.len() < folders.len() {
            match process.frame(Instant::now().into_std().checked_add(app.options.patience)) {
                Ok(Frame::Texts(texts)) => {
                    let line = texts.first().map(|(_, text)| serde_json::from_str(text));
                    lines.push(Ok(line.and_then(Result::ok).unwrap_or_default()));
                }
                Ok(_) => return Err(Refusal::failed("the process gave no answer")),
                Err(Lost { words, .. }) => {
                    lines.push(Err(format!("the process that reads it {words}")));
                    break;
                }
            }
        }
    }
    Ok(lines)
}

/// Returns the comparison and the ranking of several experiments.
pub(super) async fn together(
    State(app): State<Arc<App>>,
    Json(asked): Json<Names>,
) -> Result<Json<Value>, Refusal> {
    let folders = asked.folders(&app, MOST_TOGETHER).await?;
    let folders: Vec<PathBuf> =
        folders.into_iter().map(|(_, folder)| folder).collect::<Result<_, _>>()?;
    let room = app.limits.reads.enter().await?;
    let body = move |app: &App, interrupt: Interrupt| {
        let _room = room;
        let mut process = begin(app, Task::Together { folders }, &interrupt)?;
        match process.frame(Instant::now().into_std().checked_add(app.options.patience)) {
            Ok(Frame::Texts(texts)) => Ok(texts),
            Ok(Frame::Unable(words)) => Err(Refusal::wrong(words)),
            Ok(_) => Err(Refusal::failed("the process gave no answer")),
            Err(Lost { words, .. }) => {
                Err(Refusal::failed(format!("the process that reads them {words}")))
            }
        }
    };
    let texts = in_thread(&app, body).await?;
    let text = texts.first().map(|(_, text)| serde_json::from_str(text));
    text.and_then(Result::ok).map(Json).ok_or_else(|| Refusal::failed("the answer is no JSON"))
}
