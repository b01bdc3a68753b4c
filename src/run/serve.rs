//! The worker's side: does what it is asked for until nobody asks any more.

use super::TrialRunner;
use super::message::{Inbox, PlanText, Reply, Request, send};
use crate::config::{Catalogue, Overrides, load_text};
use crate::plan::Plan;
use crate::problem::{Known, Library, Opener, PluginError, SearchPath, key};
use crate::system::interrupt::Interrupt;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Answers the requests that come in.
///
/// # Errors
/// When the run does not listen any more.
pub fn serve(mut stream: UnixStream) -> io::Result<()> {
    let mut inbox = Inbox::default();
    let mut libraries = BTreeMap::new();
    // A worker has one plan, and ends with it.
    let mut plan: Option<&'static Plan> = None;
    let mut runner = None;
    loop {
        let (stamp, request) = match inbox.receive(&mut stream, None) {
            Ok(received) => received,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            Err(error) => return Err(error),
        };
        let reply = match request {
            Request::Open { path } => {
                Reply::Opened(open(&mut libraries, &path).map(|library| library.declared().clone()))
            }
            Request::Describe { path, values } => {
                Reply::Described(open(&mut libraries, &path).and_then(|library| {
                    let problem = library.create(&values)?;
                    let description = problem.description().clone();
                    // A plugin that cannot give back what it made shows that when it has run.
                    std::mem::forget(problem);
                    Ok(description)
                }))
            }
            Request::Plan(text) => match make(&text) {
                Ok(made) => {
                    let made: &'static Plan = Box::leak(Box::new(made));
                    plan = Some(made);
                    Reply::Ready { plan: made.digest() }
                }
                Err(words) => Reply::Unable(words),
            },
            Request::Trials { arm, from, to, worker } => {
                let Some(plan) = plan.filter(|plan| arm < plan.arms.len()) else {
                    return Err(io::ErrorKind::InvalidData.into());
                };
                let runner =
                    runner.get_or_insert_with(|| TrialRunner::new(plan, plan.trace, worker));
                for trial in from..to {
                    let record = runner.run(arm, trial, &Interrupt::default());
                    let record = record.expect("nobody interrupts a worker process");
                    send(&mut stream, stamp, &Reply::Record(Box::new(record)))?;
                }
                continue;
            }
        };
        send(&mut stream, stamp, &reply)?;
    }
}

fn open(
    libraries: &mut BTreeMap<OsString, Arc<Library>>,
    path: &OsString,
) -> Result<Arc<Library>, PluginError> {
    if let Some(library) = libraries.get(path) {
        return Ok(Arc::clone(library));
    }
    let library = Library::load(Path::new(path))?;
    libraries.insert(path.clone(), Arc::clone(&library));
    Ok(library)
}

/// The plan, or what is wrong with it, in words.
fn make(text: &PlanText) -> Result<Plan, String> {
    let known: Known = text
        .problems
        .iter()
        .map(|(values, description)| (key(values), description.clone()))
        .collect();
    let folders = text.folders.iter().map(PathBuf::from).collect();
    let mut catalogue =
        Catalogue::opening(SearchPath::of(folders), Opener::Knowing(Arc::new(known)));
    let overrides = Overrides::from_words(&text.overrides);
    let mut outcome = load_text(Path::new(&text.path), &text.text, &overrides, &mut catalogue);
    outcome.plans.pop().ok_or_else(|| {
        let words: Vec<String> =
            outcome.diagnostics.iter().map(|one| one.render(&outcome.sources, false)).collect();
        words.join("\n")
    })
}
