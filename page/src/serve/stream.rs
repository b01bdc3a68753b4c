//! Streams: server-sent events of a run or of an experiment. A reader that is slow misses what was
//! between; nobody waits for it.

use super::app::App;
use super::run::Run;
use super::runs::Runs;
use super::view::Known;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{Stream, unfold};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// Between two events of a run.
const INTERVAL: Duration = Duration::from_millis(50);
/// A sign of life for proxies that close connections.
const ALIVE: Duration = Duration::from_secs(15);

/// A viewer of a run, counted as long as it is there.
struct Viewer {
    app: Arc<App>,
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
            let ended = Runs::end_if_alone(Arc::clone(&self.app), self.id.clone());
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
        Some(Event::default().event(name).data(news.to_string()))
    }
}

/// The stream of a run to one viewer.
pub(super) fn viewed(app: Arc<App>, id: String, run: Arc<Run>) -> Response {
    run.enter();
    let versions = run.versions();
    let (known, due) = (Known::default(), Instant::now());
    let viewer = Viewer { app, id, run, versions, known, due, over: false };
    respond(unfold(viewer, async |mut viewer| {
        let event = viewer.next().await?;
        Some((Ok(event), viewer))
    }))
}

/// Events as an answer.
pub(super) fn respond(
    events: impl Stream<Item = Result<Event, Infallible>> + Send + 'static,
) -> Response {
    Sse::new(events).keep_alive(KeepAlive::new().interval(ALIVE)).into_response()
}
