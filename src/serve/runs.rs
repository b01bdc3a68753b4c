//! The runs of all pages: begun, told what to do, and looked at.

use super::app::App;
use super::check::{runnable, setting};
use super::error::Refusal;
use super::run::Run;
use super::stream::viewed;
use crate::live::{LiveProcess, Order, Pace, Task};
use crate::problem::PluginPolicy;
use crate::system::interrupt::Interrupt;
use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long a run waits for its first viewer, or for one that comes back.
const GRACE: Duration = Duration::from_secs(5);
/// Trials that a page repeats at most.
const MOST_TRIALS: u64 = 1_000_000;

/// Runs by their names, which nobody guesses.
#[derive(Debug)]
pub(super) struct Runs {
    most: usize,
    runs: Mutex<BTreeMap<String, Arc<Run>>>,
}

impl Runs {
    /// So many at a time.
    #[must_use]
    pub(super) fn new(most: usize) -> Self {
        Runs { most, runs: Mutex::default() }
    }

    fn with<R>(&self, body: impl FnOnce(&mut BTreeMap<String, Arc<Run>>) -> R) -> R {
        body(&mut self.runs.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn find(&self, id: &str) -> Result<Arc<Run>, Refusal> {
        let found = self.with(|runs| runs.get(id).cloned());
        found.ok_or_else(|| Refusal::missing("this run is over; start it again"))
    }

    fn check_room(&self) -> Result<(), Refusal> {
        let going = self.with(|runs| runs.values().filter(|run| !run.view().is_over()).count());
        if going < self.most {
            return Ok(());
        }
        let words = format!(
            "{going} searches are under way, and the server was told to run no more at a time \
            (--runs {}); wait for one to end, or close its page",
            self.most
        );
        Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, words))
    }

    fn add(&self, run: Arc<Run>) -> Result<String, Refusal> {
        let id = super::app::unguessable().map_err(Refusal::failed)?;
        self.with(|runs| runs.insert(id.clone(), run));
        Ok(id)
    }

    /// Ends a run that nobody has looked at for a while.
    pub(super) async fn end_if_alone(self_of: Arc<App>, id: String) {
        tokio::time::sleep(GRACE).await;
        self_of.runs.with(|runs| {
            if runs.get(&id).is_some_and(|run| run.is_alone()) {
                runs.remove(&id).iter().for_each(|run| run.end());
            }
        });
    }
}

/// What a page wants to watch.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "task")]
pub(super) enum Wish {
    /// A trial, at so many generations a second; none: as fast as it goes.
    Watch {
        text: String,
        arm: usize,
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

/// Begins a run.
///
/// # Errors
/// If the text cannot be run, too many runs are under way, or the system gives no process.
pub(super) async fn begin(
    State(app): State<Arc<App>>,
    Json(wish): Json<Wish>,
) -> Result<Json<Value>, Refusal> {
    app.runs.check_room()?;
    let starting = Arc::clone(&app);
    let started = tokio::task::spawn_blocking(move || start(&starting, wish));
    let run = started.await.map_err(Refusal::failed)??;
    let id = app.runs.add(run)?;
    tokio::spawn(Runs::end_if_alone(Arc::clone(&app), id.clone()));
    Ok(Json(json!({ "id": id })))
}

fn start(app: &App, wish: Wish) -> Result<Arc<Run>, Refusal> {
    let (text, task) = match wish {
        Wish::Watch { text, arm, trial, pace, paused } => {
            (text, Task::Watch { arm, trial, pace: pace_of(pace)?, paused })
        }
        Wish::Repeat { text, trials } => {
            if !(1..=MOST_TRIALS).contains(&trials) {
                let words = "a page repeats 1 to 1,000,000 trials; for more, run the experiment \
                    with `runner`";
                return Err(Refusal::wrong(words));
            }
            (text, Task::Repeat { trials })
        }
        Wish::Replay { experiment, arm, trial } => {
            let folder = app.experiments.folder(&experiment)?;
            let trust = app.options.trust;
            (String::new(), Task::Replay { folder, arm, trial, trust })
        }
    };
    if !matches!(task, Task::Replay { .. }) {
        runnable(app, &text)?;
    }
    let setting = setting(app, text);
    let mut command = app.command.clone();
    if matches!(task, Task::Replay { trust: true, .. }) {
        // Whoever started the server trusts the results, wherever their plugins are.
        command.policy = PluginPolicy::Any;
    }
    let interrupt = Interrupt::default();
    let begun = LiveProcess::begin(&command, setting, task, interrupt.clone());
    let run = begun.and_then(|(process, line)| Run::follow(process, line, interrupt));
    run.map_err(|error| Refusal::failed(format!("no process can be started: {error}")))
}

/// A pace that can be kept.
fn pace_of(generations: Option<f64>) -> Result<Pace, Refusal> {
    if generations.is_some_and(|pace| !(0.01..=1e6).contains(&pace)) {
        return Err(Refusal::wrong("the speed is 0.01 to 1,000,000 generations a second"));
    }
    Ok(Pace { generations })
}

/// What a page tells a run.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "order")]
pub(super) enum Told {
    Pause,
    Resume,
    Step,
    Pace { pace: Option<f64> },
    End,
}

/// Passes an order on.
///
/// # Errors
/// If the run is over, or the order is none.
pub(super) async fn order(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    Json(told): Json<Told>,
) -> Result<Json<Value>, Refusal> {
    let run = app.runs.find(&id)?;
    match told {
        Told::Pause => run.tell(&Order::Pause),
        Told::Resume => run.tell(&Order::Resume),
        Told::Step => run.tell(&Order::Step),
        Told::Pace { pace } => run.tell(&Order::Pace(pace_of(pace)?)),
        Told::End => {
            app.runs.with(|runs| runs.remove(&id));
            run.end();
        }
    }
    Ok(Json(json!({})))
}

/// The stream of a run.
///
/// # Errors
/// If the run is over.
pub(super) async fn events(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    let run = app.runs.find(&id)?;
    Ok(viewed(app, id, run))
}
