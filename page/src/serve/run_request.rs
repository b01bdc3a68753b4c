//! Requests of pages: to start, control and watch searches.

use super::app::App;
use super::check::{runnable, setting};
use super::error::Refusal;
use super::run::Run;
use super::runs::{BETWEEN, ENDING, MOST_ARMS};
use super::stream::viewed;
use crate::live::{Frame, LiveProcess, Lost, Order, Pace, Task};
use crate::run::WorkerCommand;
use axum::Json;
use axum::extract::{Path, State};
use axum::response::Response;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::OwnedSemaphorePermit;

/// Trials that a page repeats at most.
const MOST_TRIALS: u64 = 1_000_000;

/// Request of a page to watch a search.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "task")]
pub(super) enum RunRequest {
    /// A trial per arm, at this number of generations a second; `None` if as fast as it goes.
    Watch {
        text: String,
        arms: Vec<usize>,
        trial: u64,
        pace: Option<f64>,
        paused: bool,
    },
    Repeat {
        text: String,
        trials: u64,
    },
    Replay {
        experiment: String,
        arm: String,
        trial: u64,
    },
}

impl RunRequest {
    /// Searches that it asks for.
    fn count(&self) -> usize {
        match self {
            RunRequest::Watch { arms, .. } => arms.len(),
            RunRequest::Repeat { .. } | RunRequest::Replay { .. } => 1,
        }
    }
}

/// Begins a run, or several side by side, whose names are joined.
///
/// # Errors
/// If the text cannot be run, too many runs are under way, there is too little memory, or the
/// system gives no process.
pub(super) async fn begin(
    State(app): State<Arc<App>>,
    Json(request): Json<RunRequest>,
) -> Result<Json<Value>, Refusal> {
    // If the page leaves meanwhile, nobody looks at the run, and it ends.
    let begun = tokio::spawn(async move {
        let count = request.count();
        if !(1..=MOST_ARMS).contains(&count) {
            let words = format!("a page watches 1 to {MOST_ARMS} arms side by side, not {count}");
            return Err(Refusal::wrong(words));
        }
        let places = app.runs.places(count).await?;
        let reads = matches!(request, RunRequest::Replay { .. });
        let limit = if reads { &app.limits.reads } else { &app.limits.checks };
        let starting = Arc::clone(&app);
        let mut ids = Vec::new();
        for run in limit.run(move || start(&starting, request, places)).await? {
            let id = app.runs.add(run)?;
            tokio::spawn(Arc::clone(&app.runs).end_if_alone(id.clone()));
            ids.push(id);
        }
        Ok(Json(json!({ "id": ids.join(&BETWEEN.to_string()) })))
    });
    begun.await.map_err(Refusal::failed)?
}

fn start(
    app: &App,
    request: RunRequest,
    places: Vec<OwnedSemaphorePermit>,
) -> Result<Vec<Arc<Run>>, Refusal> {
    let (text, tasks) = match request {
        RunRequest::Watch { text, arms, trial, pace, paused } => {
            let pace = pace_of(pace)?;
            let task = |arm| Task::Watch { arm, trial, pace, paused };
            (text, arms.into_iter().map(task).collect())
        }
        RunRequest::Repeat { text, trials } => {
            if !(1..=MOST_TRIALS).contains(&trials) {
                let words = "a page repeats 1 to 1,000,000 trials; for more, run the experiment \
                    with `runner`";
                return Err(Refusal::wrong(words));
            }
            (text, vec![Task::Repeat { trials }])
        }
        RunRequest::Replay { experiment, arm, trial } => {
            let folder = app.experiments.folder(&experiment)?;
            let trust = app.options.trust;
            (String::new(), vec![Task::Replay { folder, arm, trial, trust }])
        }
    };
    let replays = matches!(tasks[..], [Task::Replay { .. }]);
    let (command, patience) = if replays {
        (app.command_for_results(), app.options.patience)
    } else {
        runnable(app, &text)?;
        (app.command.clone(), app.command.patience)
    };
    let begin = |(task, place)| search(app, &text, task, (&command, patience), place);
    tasks.into_iter().zip(places).map(begin).collect()
}

/// Begins one search in a process of its own.
fn search(
    app: &App,
    text: &str,
    task: Task,
    (command, patience): (&WorkerCommand, Duration),
    place: OwnedSemaphorePermit,
) -> Result<Arc<Run>, Refusal> {
    let setting = setting(app, text.to_owned());
    let interrupt = app.interrupt.child();
    let none = |error| Refusal::failed(format!("no process can be started: {error}"));
    let begun = LiveProcess::begin(command, setting, task, interrupt.clone());
    let (mut process, mut line) = begun.map_err(none)?;
    let (need, most) = match process.frame(Instant::now().checked_add(patience)) {
        Ok(Frame::Needs(need, most)) => (need, most),
        Ok(Frame::Unable(words)) => return Err(Refusal::wrong(words)),
        Ok(_) => return Err(Refusal::failed("the process of the search gave no answer")),
        Err(Lost { words, .. }) => {
            return Err(Refusal::failed(format!("the process of the search {words}")));
        }
    };
    let (memory, jobs) = app.memory.take(need, most, ENDING)?;
    line.tell(&Order::Go(jobs));
    Run::follow(process, line, interrupt, (place, memory)).map_err(none)
}

/// A pace that can be kept.
fn pace_of(generations: Option<f64>) -> Result<Pace, Refusal> {
    if generations.is_some_and(|pace| !(0.01..=1e6).contains(&pace)) {
        return Err(Refusal::wrong("the speed is 0.01 to 1,000,000 generations a second"));
    }
    Ok(Pace { generations })
}

/// Command of a page to a run.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "order")]
pub(super) enum Told {
    Pause,
    Resume,
    Step,
    Pace { pace: Option<f64> },
    End,
}

/// Passes an order on, to each of the runs side by side.
pub(super) async fn order(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Json(told): Json<Told>,
) -> Result<Json<Value>, Refusal> {
    let found = app.runs.find(&id)?;
    let order = match told {
        Told::Pause => Some(Order::Pause),
        Told::Resume => Some(Order::Resume),
        Told::Step => Some(Order::Step),
        Told::Pace { pace } => Some(Order::Pace(pace_of(pace)?)),
        Told::End => None,
    };
    for (_, id, run) in found {
        if let Some(order) = &order {
            run.tell(order);
        } else {
            app.runs.remove(&id);
            run.end();
        }
    }
    Ok(Json(json!({})))
}

/// The stream of a run, or of several side by side: a browser has few connections.
pub(super) async fn events(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    let found = app.runs.find(&id)?;
    Ok(viewed(&app.runs, found))
}
