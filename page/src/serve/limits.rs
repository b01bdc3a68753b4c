//! Limits of concurrent work that may block on a disk or a process. A request that finds no
//! room within a while is refused, so that nothing that hangs holds up the rest.

use super::error::Refusal;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Time that a request waits for room.
pub(super) const QUEUE: Duration = Duration::from_secs(5);

/// The limits of a server. Together they take fewer threads than there are: see `THREADS`.
#[derive(Debug)]
pub(super) struct Limits {
    /// Looks at names, sizes and times of files.
    pub looks: Limit,
    /// Checks of settings, and starts of searches.
    pub checks: Limit,
    /// Processes that read results.
    pub reads: Limit,
}

impl Limits {
    pub(super) fn new() -> Self {
        Limits {
            looks: Limit::new(16, "looks at the results folder"),
            checks: Limit::new(16, "checks of settings and starts of searches"),
            reads: Limit::new(8, "reads of results"),
        }
    }
}

/// Limit on the number of concurrent tasks of a kind.
#[derive(Debug)]
pub(super) struct Limit {
    most: usize,
    what: &'static str,
    room: Arc<Semaphore>,
}

impl Limit {
    fn new(most: usize, what: &'static str) -> Self {
        Limit { most, what, room: Arc::new(Semaphore::new(most)) }
    }

    /// Waits for room. Dropping the permit makes room for another task.
    pub(super) async fn enter(&self) -> Result<OwnedSemaphorePermit, Refusal> {
        let entered = tokio::time::timeout(QUEUE, Arc::clone(&self.room).acquire_owned()).await;
        entered.ok().and_then(Result::ok).ok_or_else(|| {
            let words = format!(
                "the server is busy: {} {} are under way, as many as it does at a time, and none \
                of them ended within {} s; try again soon",
                self.most,
                self.what,
                QUEUE.as_secs()
            );
            Refusal::new(StatusCode::SERVICE_UNAVAILABLE, words)
        })
    }

    /// Runs blocking work in a separate thread.
    pub(super) async fn run<R: Send + 'static>(
        &self,
        body: impl FnOnce() -> Result<R, Refusal> + Send + 'static,
    ) -> Result<R, Refusal> {
        let room = self.enter().await?;
        let held = move || {
            let done = body();
            drop(room);
            done
        };
        tokio::task::spawn_blocking(held).await.map_err(Refusal::failed)?
    }
}

/// Answers a request once there is room for a check.
pub(super) async fn limit_checks(
    State(limits): State<Arc<Limits>>,
    request: Request,
    next: Next,
) -> Response {
    match limits.checks.enter().await {
        Ok(_room) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    }
}
