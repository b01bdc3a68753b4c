//! A program, and its processes: as many as are asked at once.

use super::declaration::Hello;
use super::frame::{Request, Status};
use super::process::{Lost, Process};
use crate::problem::boundary::Declared;
use crate::problem::{Location, PluginError};
use crate::system::call_limit::{self, CallLimit, Loss};
use crate::system::guard::{self, PluginNumber};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a program may take to start, and to make a problem.
const PATIENCE: Duration = Duration::from_secs(60);
/// Bytes of what a program says of itself.
const LONGEST: usize = 1 << 26;

/// A program. Its processes wait here until they are asked again.
pub(crate) struct Program {
    location: Location,
    hash: blake3::Hash,
    pub(super) number: PluginNumber,
    idle: Mutex<Vec<Process>>,
    instances: AtomicU32,
    /// The numbers of instances that are gone.
    gone: Mutex<Vec<u32>>,
}

/// What makes an instance in a process: the same one in each.
pub(super) struct Recipe {
    /// `Create`, or `CreateOperator`.
    pub request: Request,
    pub number: u32,
    /// Its parameters, as JSON.
    pub parameters: Vec<u8>,
    /// What the program said of the first one, as JSON.
    pub description: Vec<u8>,
}

impl Program {
    /// Starts the program and has it say what it is: what it declares, and the hash of its files.
    ///
    /// # Errors
    /// If it cannot be started, or breaks the protocol.
    pub(crate) fn open(location: &Location) -> Result<(Declared, Program), PluginError> {
        let fault = |message: String| PluginError::Program { path: location.path.clone(), message };
        let mut process = start(location).map_err(fault)?;
        let hello = hello(&mut process).map_err(fault)?;
        let declared = hello.declared().map_err(fault)?;
        let hash = hash(location, &hello).map_err(fault)?;
        let number = guard::plugin(&declared.name);
        let idle = Mutex::new(vec![process]);
        let (location, instances) = (location.clone(), AtomicU32::new(0));
        let gone = Mutex::default();
        Ok((declared, Program { location, hash, number, idle, instances, gone }))
    }

    /// Of the program's file, and of those that it imported from its own folder.
    pub(crate) fn hash(&self) -> blake3::Hash {
        self.hash
    }

    /// A number for an instance.
    pub(super) fn next_instance(&self) -> u32 {
        self.instances.fetch_add(1, Ordering::Relaxed)
    }

    /// Processes may forget the instance of this number.
    pub(super) fn forget(&self, number: u32) {
        self.gone().push(number);
    }

    fn gone(&self) -> MutexGuard<'_, Vec<u32>> {
        self.gone.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has a process give up the instances that are gone.
    fn clear(&self, process: &mut Process) -> Result<(), Lost> {
        let gone = {
            let gone = self.gone();
            let new = gone[process.told..].to_vec();
            process.told = gone.len();
            new
        };
        for number in gone {
            if process.made.remove(&number) {
                let limit = at_most(&call_limit::current());
                // A program that cannot do that keeps it.
                process.ask(Request::Destroy, &[&number.to_le_bytes()], LONGEST, &limit)?;
            }
        }
        Ok(())
    }

    /// Asks a process that has the instance of this recipe; `read` takes the answer.
    ///
    /// # Errors
    /// Why there is no answer; in words that follow the call.
    pub(super) fn ask<R>(
        &self,
        recipe: &Recipe,
        (request, pieces, longest): (Request, &[&[u8]], usize),
        read: impl FnOnce(Status, &[u8]) -> Result<R, String>,
    ) -> Result<R, String> {
        let mut process = self.process()?;
        if !process.made.contains(&recipe.number) {
            let Recipe { request, number, parameters, .. } = recipe;
            let description = make(&mut process, *request, *number, parameters)?;
            if !is_same(&description, &recipe.description) {
                return Err("the program describes this problem otherwise than it did in another \
                    process"
                    .to_owned());
            }
        }
        let limit = call_limit::current();
        match process.ask(request, pieces, longest, &limit) {
            Ok((Status::Failed, words)) => {
                let words = String::from_utf8_lossy(words).into_owned();
                self.idle().push(process);
                Err(words)
            }
            Ok((status, bytes)) => {
                let result = read(status, bytes);
                if result.is_ok() {
                    self.idle().push(process);
                }
                result
            }
            // The process ends here; the next call gets another.
            Err(lost) => Err(words(lost, &limit)),
        }
    }

    /// Makes an instance; its description, as the program sent it.
    ///
    /// # Errors
    /// The program's words, or why there are none.
    pub(super) fn create(
        &self,
        request: Request,
        number: u32,
        parameters: &[u8],
    ) -> Result<Vec<u8>, String> {
        let mut process = self.process()?;
        let description = make(&mut process, request, number, parameters)?;
        self.idle().push(process);
        Ok(description)
    }

    /// A process that waits, or a new one.
    fn process(&self) -> Result<Process, String> {
        let held = self.idle().pop();
        if let Some(mut process) = held
            && self.clear(&mut process).is_ok()
        {
            return Ok(process);
        }
        self.start_again()
    }

    fn start_again(&self) -> Result<Process, String> {
        let mut process = start(&self.location)?;
        let hello = hello(&mut process)?;
        if hash(&self.location, &hello)? != self.hash {
            return Err("its file was changed while it ran; start the run again".to_owned());
        }
        Ok(process)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Process>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether two texts are the same JSON.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    let value = |text| serde_json::from_slice::<serde_json::Value>(text).ok();
    one == other || value(one).is_some_and(|one| Some(one) == value(other))
}

/// Makes an instance in this process; its description, as the program sent it.
fn make(
    process: &mut Process,
    request: Request,
    number: u32,
    parameters: &[u8],
) -> Result<Vec<u8>, String> {
    let limit = at_most(&call_limit::current());
    let pieces = [&number.to_le_bytes()[..], parameters];
    match process.ask(request, &pieces, LONGEST, &limit) {
        Ok((Status::Done, bytes)) => {
            let description = bytes.to_vec();
            process.made.insert(number);
            Ok(description)
        }
        Ok((_, words)) => Err(String::from_utf8_lossy(words).into_owned()),
        Err(lost) => Err(words(lost, &limit)),
    }
}

fn start(location: &Location) -> Result<Process, String> {
    Process::start(location).map_err(|error| format!("it cannot be started: {error}"))
}

fn hello(process: &mut Process) -> Result<Hello, String> {
    let limit = at_most(&call_limit::current());
    let answer = process.ask(Request::Hello, &[], LONGEST, &limit);
    match answer.map_err(|lost| words(lost, &limit))? {
        (Status::Done, bytes) => serde_json::from_slice(bytes)
            .map_err(|error| format!("what it says of itself is wrong: {error}")),
        (_, words) => Err(String::from_utf8_lossy(words).into_owned()),
    }
}

/// A limit for what is not a trial's search.
fn at_most(limit: &CallLimit) -> CallLimit {
    let latest = Instant::now() + PATIENCE;
    let deadline = limit.deadline.map_or(latest, |deadline| deadline.min(latest));
    let seconds = match deadline == latest {
        true => Some(PATIENCE.as_secs_f64()),
        false => limit.seconds,
    };
    CallLimit { deadline: Some(deadline), seconds, interrupt: limit.interrupt.clone() }
}

/// Why there is no answer, in words that follow the call; and for the trial's outcome.
fn words(lost: Lost, limit: &CallLimit) -> String {
    call_limit::lose(match &lost {
        Lost::Expired(loss) => *loss,
        Lost::Gone(_) => Loss::Gone,
    });
    match lost {
        Lost::Expired(Loss::Interrupted) => "was interrupted".to_owned(),
        Lost::Expired(_) => {
            let limit = limit.seconds.map_or_else(String::new, |s| format!(" within {s} s"));
            format!("did not come back{limit}; the program was ended")
        }
        Lost::Gone(words) => format!("the program {words}"),
    }
}

/// The hash of its file; where it imported others from its own folder, of all of them.
fn hash(location: &Location, hello: &Hello) -> Result<blake3::Hash, String> {
    let read = |path: &std::path::Path| {
        std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
    };
    let own = blake3::hash(&read(&location.path)?);
    if hello.files.is_empty() {
        return Ok(own);
    }
    let folder = location.path.parent().unwrap_or(std::path::Path::new("."));
    let mut hasher = blake3::Hasher::new();
    hasher.update(own.as_bytes());
    for file in &hello.files {
        let hash = blake3::hash(&read(&folder.join(file))?);
        hasher.update(file.to_string_lossy().as_bytes()).update(&[0]).update(hash.as_bytes());
    }
    Ok(hasher.finalize())
}
