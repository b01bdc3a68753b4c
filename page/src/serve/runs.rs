//! The runs of all pages, by their names.

use super::error::Refusal;
use super::run::Run;
use super::token::unguessable;
use axum::http::StatusCode;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Time that a run waits for its first viewer, or for one that comes back.
const GRACE: Duration = Duration::from_secs(5);
/// Arms that a page watches side by side at most.
pub(super) const MOST_ARMS: usize = 6;
/// Between the names of runs side by side.
pub(super) const BETWEEN: char = ',';
/// Time that a search waits for room that another one is about to leave.
pub(super) const ENDING: Duration = Duration::from_secs(2);

/// Runs by their names, which nobody guesses.
#[derive(Debug)]
pub(super) struct Runs {
    most: u32,
    places: Arc<Semaphore>,
    runs: Mutex<BTreeMap<String, Arc<Run>>>,
}

impl Runs {
    /// Creates an empty collection for at most `most` concurrent runs.
    pub(super) fn new(most: u16) -> Self {
        let places = Arc::new(Semaphore::new(most.into()));
        Runs { most: most.into(), places, runs: Mutex::default() }
    }

    fn with<R>(&self, body: impl FnOnce(&mut BTreeMap<String, Arc<Run>>) -> R) -> R {
        body(&mut self.runs.lock())
    }

    /// Runs side by side that are not over, each with its place among them and its name.
    pub(super) fn find(&self, ids: &str) -> Result<Vec<(usize, String, Arc<Run>)>, Refusal> {
        let found: Vec<_> = self.with(|runs| {
            let all = ids.split(BETWEEN).enumerate().take(MOST_ARMS);
            all.filter_map(|(place, id)| Some((place, id.to_owned(), runs.get(id)?.clone())))
                .collect()
        });
        if found.is_empty() {
            return Err(Refusal::missing("this run is over; start it again"));
        }
        Ok(found)
    }

    /// Reserves places among the concurrent runs, before anything is started.
    pub(super) async fn places(&self, count: usize) -> Result<Vec<OwnedSemaphorePermit>, Refusal> {
        if count > self.most as usize {
            let words = format!(
                "{count} searches side by side are too many: the server was told to run no more \
                than {0} at a time (--runs {0}); watch fewer, or one of them alone",
                self.most
            );
            return Err(Refusal::wrong(words));
        }
        let mut places = Vec::new();
        for _ in 0..count {
            places.push(self.place().await?);
        }
        Ok(places)
    }

    async fn place(&self) -> Result<OwnedSemaphorePermit, Refusal> {
        let taken = tokio::time::timeout(ENDING, Arc::clone(&self.places).acquire_owned()).await;
        taken.ok().and_then(Result::ok).ok_or_else(|| {
            let words = format!(
                "{0} searches are under way, and the server was told to run no more at a time \
                (--runs {0}); wait for one to end, or close its page",
                self.most
            );
            Refusal::new(StatusCode::SERVICE_UNAVAILABLE, words)
        })
    }

    /// Waits until the processes of all have ended, for a while.
    pub(super) async fn ended(&self) {
        _ = tokio::time::timeout(ENDING, self.places.acquire_many(self.most)).await;
    }

    /// Adds a run, and returns its name.
    pub(super) fn add(&self, run: Arc<Run>) -> Result<String, Refusal> {
        let id = unguessable().map_err(Refusal::failed)?;
        self.with(|runs| runs.insert(id.clone(), run));
        Ok(id)
    }

    /// Forgets a run.
    pub(super) fn remove(&self, id: &str) {
        self.with(|runs| runs.remove(id));
    }

    /// Ends a run that nobody comes to look at for a while.
    pub(super) fn end_if_alone(
        self: Arc<Self>,
        id: String,
    ) -> impl Future<Output = ()> + Send + 'static {
        let visits = self.with(|runs| runs.get(&id).map(|run| run.visits()));
        async move {
            tokio::time::sleep(GRACE).await;
            self.with(|runs| {
                // A viewer that came and left meanwhile has begun another wait.
                let same = |run: &&Arc<Run>| run.is_alone() && Some(run.visits()) == visits;
                if runs.get(&id).filter(same).is_some() {
                    runs.remove(&id).iter().for_each(|run| run.end());
                }
            });
        }
    }
}
