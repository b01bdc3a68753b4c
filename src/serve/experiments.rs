//! The experiments of the results folder: what is in them by now. Each file is read once however
//! many pages look, and again only after it changed.

use super::app::App;
use super::error::Refusal;
use super::stream::respond;
use crate::analysis::comparison::{compare, family, made_in_pairs};
use crate::analysis::{SummaryRow, SummaryTable};
use crate::cluster::Submission;
use crate::present::chart::{Boards, Subject, gallery, trial_svg};
use crate::present::comparison::{legend, verdict};
use crate::results::{Results, ResultsError, samples};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::sse::Event;
use axum::response::{IntoResponse, Response};
use futures_util::stream::unfold;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path as FilePath, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// Between two looks at the files of an experiment that somebody watches, at least.
const INTERVAL: Duration = Duration::from_millis(500);
/// Between two reads so many times as long passes as a read takes.
const REST: u32 = 5;
/// Arms that an answer has at most.
const ARMS: usize = 10_000;

/// What a folder's files were when they were read: names, sizes and times.
type Signature = Vec<(String, u64, Option<SystemTime>)>;

/// What was read of an experiment.
#[derive(Clone, Debug)]
struct Read {
    signature: Signature,
    answer: Arc<Value>,
    /// Pictures by name, once somebody asked.
    plots: Option<Arc<Vec<(String, String)>>>,
    comparison: Option<Arc<Value>>,
    /// When it may be read again.
    due: Instant,
}

/// The results folder.
#[derive(Debug)]
pub(super) struct Experiments {
    out: PathBuf,
    read: Mutex<BTreeMap<String, Arc<Mutex<Option<Read>>>>>,
}

impl Experiments {
    #[must_use]
    pub(super) fn new(out: PathBuf) -> Self {
        Experiments { out, read: Mutex::default() }
    }

    /// The folder of an experiment.
    ///
    /// # Errors
    /// If there is none of this name in the results folder itself.
    pub(super) fn folder(&self, name: &str) -> Result<PathBuf, Refusal> {
        let plain = !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', '\0']);
        let folder = self.out.join(name);
        let none = || Refusal::missing(format!("there is no experiment `{name}` here"));
        let kind = folder.symlink_metadata().map_err(|_| none())?;
        // A link may lead anywhere.
        if plain && kind.is_dir() { Ok(folder) } else { Err(none()) }
    }

    /// Names of the folders that may be experiments, the newest first.
    fn names(&self) -> Vec<(String, Option<SystemTime>)> {
        let entries = std::fs::read_dir(&self.out).into_iter().flatten().flatten();
        let mut names: Vec<_> = entries
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
            .filter(|entry| !Submission::is_folder(&entry.path()))
            .filter_map(|entry| {
                let name = entry.file_name().into_string().ok()?;
                let time = entry.metadata().ok().and_then(|found| found.modified().ok());
                (!name.starts_with('.')).then_some((name, time))
            })
            .collect();
        names.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        names
    }

    /// What is kept of an experiment, after it was read as far as that is due.
    fn read<R>(&self, name: &str, take: impl FnOnce(&mut Read) -> R) -> Result<R, Refusal> {
        let folder = self.folder(name)?;
        let place = {
            let mut all = self.read.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(all.entry(name.to_owned()).or_default())
        };
        // Who comes while it is read waits for that, and reads nothing.
        let mut kept = place.lock().unwrap_or_else(PoisonError::into_inner);
        let signature = signature(&folder);
        let stale = kept
            .as_ref()
            .is_none_or(|kept| kept.signature != signature && Instant::now() >= kept.due);
        if stale {
            let started = Instant::now();
            let answer = match read(&folder) {
                Ok(answer) => answer,
                Err(error) => json!({ "error": error.to_string() }),
            };
            let due = Instant::now() + (started.elapsed() * REST).max(INTERVAL);
            let answer = Arc::new(answer);
            *kept = Some(Read { signature, answer, plots: None, comparison: None, due });
        }
        match kept.as_mut() {
            Some(kept) => Ok(take(kept)),
            None => Err(Refusal::failed("it was read and is not there")),
        }
    }
}

fn signature(folder: &FilePath) -> Signature {
    let of = |folder: &FilePath| {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.filter_map(|entry| {
            let found = entry.metadata().ok()?;
            let name = entry.file_name().to_string_lossy().into_owned();
            found.is_file().then(|| (name, found.len(), found.modified().ok()))
        })
    };
    let mut all: Signature = of(folder).chain(of(&folder.join("parts"))).collect();
    all.sort();
    all
}

fn read(folder: &FilePath) -> Result<Value, ResultsError> {
    let results = Results::open(folder)?;
    let summary = results.summary()?;
    Ok(json!({
        "experiment": results.experiment(),
        "finished": results.planned().is_none(),
        "planned": results.planned(),
        "imported": results.imported(),
        "trace": results.trace().as_str(),
        "swept": summary.swept_keys,
        "count": summary.rows.len(),
        "trials": trials(&summary),
        "method": summary.rate_interval().method.as_str(),
        "arms": summary.rows.iter().take(ARMS).map(arm).collect::<Vec<_>>(),
        "config": config(folder),
    }))
}

fn trials(summary: &SummaryTable) -> u64 {
    summary.rows.iter().map(|row| row.figures.trials + row.figures.failures).sum()
}

/// The text of the experiment file of the last run.
fn config(folder: &FilePath) -> Option<String> {
    let provenance = crate::results::Provenance::read(folder).ok()?;
    provenance.runs.last().map(|run| run.config.clone())
}

fn arm(row: &SummaryRow) -> Value {
    let SummaryRow { arm, figures, .. } = row;
    let interval = figures.success_interval.as_ref();
    let swept: Vec<Option<String>> =
        arm.swept.iter().map(|value| value.as_ref().map(ToString::to_string)).collect();
    json!({
        "label": arm.label,
        "id": arm.id.to_string(),
        "operators": arm.operators,
        "swept": swept,
        "trials": figures.trials,
        "successes": figures.successes,
        "failures": figures.failures,
        "rate": figures.success_rate,
        "low": interval.map(|interval| interval.low),
        "high": interval.map(|interval| interval.high),
        "ert": figures.ert.as_ref().map(|ert| ert.value),
        "best": figures.best_fitness.as_ref().map(|spread| spread.min),
        "median": figures.best_fitness.as_ref().map(|spread| spread.median),
        "evaluations": figures.evaluations_total,
    })
}

/// A blocking part of an answer, in a thread of its own.
async fn aside<R: Send + 'static>(
    body: impl FnOnce() -> Result<R, Refusal> + Send + 'static,
) -> Result<R, Refusal> {
    tokio::task::spawn_blocking(body).await.map_err(Refusal::failed)?
}

/// Which experiments there are, the newest first: at once, whatever is in them.
///
/// # Errors
/// If the system gives no thread.
pub(super) async fn list(State(app): State<Arc<App>>) -> Result<Json<Value>, Refusal> {
    let listed = aside(move || {
        let seconds = |time: Option<SystemTime>| {
            let since = time.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
            since.map(|since| since.as_secs())
        };
        let names = app.experiments.names().into_iter();
        Ok(names.map(|(name, time)| json!({ "name": name, "modified": seconds(time) })).collect())
    });
    listed.await.map(Json)
}

/// What there is of an experiment by now.
///
/// # Errors
/// If there is none of this name.
pub(super) async fn one(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
) -> Result<Json<Value>, Refusal> {
    let answer = aside(move || app.experiments.read(&name, |kept| Arc::clone(&kept.answer)));
    Ok(Json(Value::clone(&*answer.await?)))
}

/// The same as a stream: each time that something changed.
///
/// # Errors
/// If there is none of this name.
pub(super) async fn events(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
) -> Result<Response, Refusal> {
    app.experiments.folder(&name)?;
    let none: Option<Arc<Value>> = None;
    Ok(respond(unfold((app, name, none), async |(app, name, before)| {
        loop {
            let (asked, of) = (Arc::clone(&app), name.clone());
            let answer =
                aside(move || asked.experiments.read(&of, |kept| Arc::clone(&kept.answer))).await;
            let answer = answer.ok()?;
            if before.as_ref().is_none_or(|before| !Arc::ptr_eq(before, &answer)) {
                let event = Event::default().event("experiment").data(answer.to_string());
                return Some((Ok(event), (app, name, Some(answer))));
            }
            tokio::time::sleep(INTERVAL).await;
        }
    })))
}

/// The comparison of the arms, as `runner compare` makes it.
///
/// # Errors
/// If the tables cannot be read.
pub(super) async fn comparison(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
) -> Result<Json<Value>, Refusal> {
    let made = aside(move || {
        let folder = app.experiments.folder(&name)?;
        app.experiments.read(&name, |kept| {
            let made = match &kept.comparison {
                Some(made) => Arc::clone(made),
                None => Arc::new(compared(&folder).map_err(Refusal::failed)?),
            };
            kept.comparison = Some(Arc::clone(&made));
            Ok(made)
        })?
    });
    Ok(Json(Value::clone(&*made.await?)))
}

fn compared(folder: &FilePath) -> Result<Value, ResultsError> {
    let samples = samples(&Results::open(folder)?)?;
    let family = family(&samples, false);
    let all = compare(&family.pairs, made_in_pairs(&family.pairs));
    let of = |one: &crate::analysis::comparison::Comparison| {
        json!({
            "first": one.first, "second": one.second, "verdict": verdict(one),
            "difference": one.difference,
            "low": one.difference_interval.low, "high": one.difference_interval.high,
        })
    };
    Ok(json!({
        "pairs": all.iter().map(of).collect::<Vec<_>>(),
        "legend": legend(&all, &family.rule),
    }))
}

/// The pictures of an experiment by name.
fn drawn(app: &App, name: &str) -> Result<Arc<Vec<(String, String)>>, Refusal> {
    let folder = app.experiments.folder(name)?;
    app.experiments.read(name, |kept| {
        let made = match &kept.plots {
            Some(made) => Arc::clone(made),
            None => Arc::new(plots_of(&folder).map_err(Refusal::failed)?),
        };
        kept.plots = Some(Arc::clone(&made));
        Ok(made)
    })?
}

fn plots_of(folder: &FilePath) -> Result<Vec<(String, String)>, ResultsError> {
    let results = Results::open(folder)?;
    let charts = gallery(&Subject::read(&results)?)?;
    Ok(charts
        .iter()
        .map(|chart| (chart.name.clone(), trial_svg(chart, &Boards::default())))
        .collect())
}

/// The names of the pictures.
///
/// # Errors
/// If the tables cannot be read.
pub(super) async fn plots(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
) -> Result<Json<Value>, Refusal> {
    let drawn = aside(move || drawn(&app, &name)).await?;
    Ok(Json(drawn.iter().map(|(name, _)| name.as_str()).collect()))
}

/// A picture.
///
/// # Errors
/// If there is none of this name.
pub(super) async fn plot(
    State(app): State<Arc<App>>,
    Path((name, plot)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    let drawn = aside(move || drawn(&app, &name)).await?;
    let found = drawn.iter().find(|(known, _)| *known == plot);
    let (_, svg) = found.ok_or_else(|| Refusal::missing("there is no such picture"))?;
    let policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
    let headers = [(CONTENT_TYPE, "image/svg+xml"), (CONTENT_SECURITY_POLICY, policy)];
    Ok((headers, svg.clone()).into_response())
}

/// The report, as `runner report` writes it. It runs in a process of its own, as it loads the
/// plugin.
///
/// # Errors
/// If it cannot be made.
pub(super) async fn report(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
) -> Result<Response, Refusal> {
    let page = aside(move || {
        let folder = app.experiments.folder(&name)?;
        let file = tempfile::NamedTempFile::new().map_err(Refusal::failed)?;
        let mut command = std::process::Command::new(&app.command.program);
        command.arg("report").arg(&folder).arg("--out").arg(file.path());
        let plugins = serde_json::to_string(&app.command.policy).map_err(Refusal::failed)?;
        command.arg("--only-plugins").arg(plugins);
        for folder in app.options.search.dirs().iter().filter(|folder| folder.is_dir()) {
            command.arg("--plugin-dir").arg(folder);
        }
        let made = command.stdin(std::process::Stdio::null()).output().map_err(Refusal::failed)?;
        if !made.status.success() {
            return Err(Refusal::failed(String::from_utf8_lossy(&made.stderr)));
        }
        std::fs::read_to_string(file.path()).map_err(Refusal::failed)
    });
    let policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
        img-src data:; sandbox allow-scripts";
    let headers = [(CONTENT_TYPE, "text/html; charset=utf-8"), (CONTENT_SECURITY_POLICY, policy)];
    Ok((headers, page.await?).into_response())
}
