//! Streams: server-sent events of a run or of an experiment. A reader that is slow misses what was
//! between; nobody waits for it.

use super::run::Run;
use super::runs::Runs;
use super::view::Known;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{Stream, select_all, unfold};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// Between two events of a run.
const INTERVAL: Duration = Duration::from_millis(50);
/// Interval of keep-alive messages, for proxies that close idle connections.
const ALIVE: Duration = Duration::from_secs(15);

/// A viewer of a run, counted as long as it is there.
struct Viewer {
    runs: Arc<Runs>,
    /// Place of the run among those side by side.
    place: usize,
    id: String,
    run: Arc<Run>,
    versions: watch::Receiver<u64>,
    known: Known,
    due: Instant,
    over: bool,
}

impl Drop for Viewer {
    fn drop(&mut self) {
        if self.run.leave() {
            let ended = Arc::clone(&self.runs).end_if_alone(self.id.clone());
            if let Ok(runtime) = tokio::runtime::Handle::try_current() {
                runtime.spawn(ended);
            }
        }
    }
}

impl Viewer {
    /// The next event; none after the last.
    async fn next(&mut self) -> Option<Event> {
        if self.over {
            return None;
        }
        sleep_until(self.due).await;
        if self.versions.wait_for(|version| *version > self.known.version).await.is_err() {
            return None;
        }
        let view = self.run.view();
        let (name, news) = view.news(&mut self.known);
        self.over = view.is_over();
        drop(view);
        self.due = Instant::now() + INTERVAL;
        let event = Event::default().event(name).id(self.place.to_string());
        Some(event.data(news.to_string()))
    }
}

/// The stream of runs side by side to one viewer. An event has the place of its run as its id.
pub(super) fn viewed(all: &Arc<Runs>, found: Vec<(usize, String, Arc<Run>)>) -> Response {
    let streams = found.into_iter().map(|(place, id, run)| {
        run.enter();
        let versions = run.versions();
        let (known, due) = (Known::default(), Instant::now());
        let runs = Arc::clone(all);
        let viewer = Viewer { runs, place, id, run, versions, known, due, over: false };
        Box::pin(unfold(viewer, async |mut viewer| {
            let event = viewer.next().await?;
            Some((Ok(event), viewer))
        }))
    });
    respond(select_all(streams))
}

/// Events as an answer.
pub(super) fn respond(
    events: impl Stream<Item = Result<Event, Infallible>> + Send + 'static,
) -> Response {
    Sse::new(events).keep_alive(KeepAlive::new().interval(ALIVE)).into_response()
}
