//! Requests, on the side of a worker process, which answers them until no more requests come.

use super::message::{Inbox, PlanText, Reply, Request, send};
use super::{TrialRunner, memory_shortage};
use crate::config::{Catalogue, Overrides, load_text};
use crate::plan::Plan;
use crate::problem::parameter::Value;
use crate::problem::{
    Description, Genome, Known, Library, Location, Opener, OpenerPlace, PluginError, PluginPolicy,
    SearchPath, key,
};
use crate::results::CheckpointFolder;
use crate::system::guard;
use crate::system::interrupt::Interrupt;
use crate::system::spare_workers::SpareWorkers;
use std::collections::BTreeMap;
use std::io;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Answers the requests that come in.
///
/// # Errors
/// Returns an error if the run does not listen any more.
pub fn answer_requests(mut stream: UnixStream) -> io::Result<()> {
    let mut inbox = Inbox::default();
    let (_, policy) = inbox.receive(&mut stream, None)?;
    let opener = Opener::here(policy);
    let mut answers =
        Answers { opener, libraries: BTreeMap::new(), plan: None, checkpoints: None, runner: None };
    loop {
        match inbox.receive(&mut stream, None) {
            Ok((stamp, request)) => answers.answer(request, &mut stream, stamp)?,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}

/// State of a worker process between requests.
struct Answers {
    opener: Opener,
    libraries: BTreeMap<Location, Arc<Library>>,
    /// A worker has one plan, and ends with it.
    plan: Option<&'static Plan>,
    /// Folder of the checkpoints of the plan's trials.
    checkpoints: Option<CheckpointFolder>,
    runner: Option<TrialRunner<'static>>,
}

impl Answers {
    fn answer(&mut self, request: Request, stream: &mut UnixStream, stamp: u64) -> io::Result<()> {
        let reply = match request {
            Request::Open { at } => Reply::Opened(
                self.open(&at)
                    .map(|library| (library.declared().clone(), *library.file_hash().as_bytes())),
            ),
            Request::Describe { at, values } => Reply::Described(self.describe(&at, &values)),
            Request::TryOperator { at, operator, values, problem } => {
                Reply::TriedOperator(self.try_operator(&at, operator, &values, &problem))
            }
            Request::Validate { at, values, genomes } => {
                Reply::Validated(self.validate(&at, &values, &genomes))
            }
            Request::Plan(text) => self.make_plan(&text),
            Request::Trials { arm, from, to, worker, generations } => {
                let Some(plan) = self.plan.filter(|plan| arm < plan.arms.len()) else {
                    return Err(io::ErrorKind::InvalidData.into());
                };
                let spare = || Arc::new(SpareWorkers::granted(guard::granted()));
                let new = || {
                    TrialRunner::new(plan, plan.trace, worker)
                        .sharing(spare())
                        .checkpointing(self.checkpoints.take())
                };
                let runner = self.runner.get_or_insert_with(new);
                return (from..to).try_for_each(|trial| {
                    // A run that does not listen any more shows when the record is sent.
                    let report = |figures| _ = send(stream, stamp, &Reply::Generation(figures));
                    let interrupt = Interrupt::default();
                    let record = runner.run_reporting(arm, trial, &interrupt, generations, report);
                    // A request to stop ended its program: the run is asked to stop, too.
                    let record = record.ok_or(io::ErrorKind::Interrupted)?;
                    send(stream, stamp, &Reply::Record(Box::new(record)))
                });
            }
        };
        send(stream, stamp, &reply)
    }

    fn open(&mut self, at: &Location) -> Result<Arc<Library>, PluginError> {
        if let Some(library) = self.libraries.get(at) {
            return Ok(Arc::clone(library));
        }
        let library = Library::open(at, &self.opener)?;
        self.libraries.insert(at.clone(), Arc::clone(&library));
        Ok(library)
    }

    fn describe(&mut self, at: &Location, values: &[Value]) -> Result<Description, PluginError> {
        let problem = self.open(at)?.create(values)?;
        let description = problem.description().clone();
        // A plugin that cannot give back what it made shows that when it has run.
        std::mem::forget(problem);
        Ok(description)
    }

    fn try_operator(
        &mut self,
        at: &Location,
        place: usize,
        values: &[Value],
        problem: &Description,
    ) -> Result<(), PluginError> {
        // Kept: a plugin that cannot give back what it made shows that when it has run.
        self.open(at)?.operator(place, values, problem).map(std::mem::forget)
    }

    fn validate(
        &mut self,
        at: &Location,
        values: &[Value],
        genomes: &[Genome],
    ) -> Result<Vec<bool>, String> {
        let problem = self.open(at).and_then(|library| library.create(values));
        let problem = problem.map_err(|error| error.to_string())?;
        let answer = problem.keep_rules(genomes);
        std::mem::forget(problem);
        answer
    }

    fn make_plan(&mut self, text: &PlanText) -> Reply {
        match make(text, &self.opener.policy) {
            Ok(made) => {
                let made: &'static Plan = Box::leak(Box::new(made));
                self.plan = Some(made);
                self.checkpoints.clone_from(&text.checkpoints);
                Reply::Ready { plan: made.digest() }
            }
            Err(words) => Reply::Unable(words),
        }
    }
}

/// Returns the plan, or what is wrong with it, in words.
fn make(text: &PlanText, policy: &PluginPolicy) -> Result<Plan, String> {
    let known: Known = text
        .problems
        .iter()
        .map(|(values, description)| (key(values), description.clone()))
        .collect();
    let folders = text.folders.iter().map(PathBuf::from).collect();
    let place = OpenerPlace::Known(Arc::new(known));
    let opener = Opener { policy: policy.clone(), place };
    let mut catalogue =
        Catalogue::opening(SearchPath::of(folders), opener).giving(text.given.clone());
    catalogue = catalogue.with_data(text.data_files.clone());
    let overrides = Overrides::from_words(&text.overrides);
    let mut outcome = load_text(Path::new(&text.path), &text.text, &overrides, &mut catalogue);
    let plan = outcome.plans.pop().ok_or_else(|| {
        let words: Vec<String> =
            outcome.diagnostics.iter().map(|one| one.render(&outcome.sources, false)).collect();
        words.join("\n")
    })?;
    // The run has looked before; an allocation that fails would end this process without words.
    match memory_shortage(&plan, &plan.arms, 1, None) {
        Some(shortage) => Err(format!(
            "{}: {shortage}; allow more by --worker-memory, or lower the population or the size of \
            the problem",
            text.path.display()
        )),
        None => Ok(plan),
    }
}
