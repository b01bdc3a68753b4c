//! A program and its processes. Each call has a process to itself, so that there are as many
//! processes as threads that call at once: one per worker.

use super::connection::{Connection, Exchange, Lost};
use super::declaration::Hello;
use super::frame::{Request, Status};
use crate::problem::declared::Declared;
use crate::problem::{FILE_CHANGED, Permitted, PluginError, PluginFile};
use crate::system::call_limit::{self, CallLimit, Loss};
use crate::system::guard::{self, PluginNumber};
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

/// Maximum length of a declaration or description by a program, in bytes.
const LONGEST: usize = 1 << 26;
/// Maximum time for a program to start, and to create a problem.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// Maximum mean service time for which a process is pinned to its caller's core. For longer service
/// times, the wake-up time is negligible, and a program may use several cores itself.
const SHORT: Duration = Duration::from_millis(2);

/// Program with its pool of processes.
pub(crate) struct Program {
    location: Permitted,
    hash: blake3::Hash,
    number: PluginNumber,
    /// Processes that no call uses, each with the thread that used it last.
    idle: Mutex<Vec<(ThreadId, Connection)>>,
    /// Whether the program counts its memory blocks.
    counts_blocks: bool,
    /// Whether each request has a single genome.
    is_row_by_row: AtomicBool,
    instances: AtomicU32,
    /// Numbers of the instances that were dropped.
    gone: Mutex<Vec<u32>>,
    /// Recent mean service time of requests in nanoseconds; 0 before the first.
    service: AtomicU64,
}

/// Recipe for creating the same instance in each process.
pub(super) struct Recipe {
    /// `Create`, or `CreateOperator`.
    pub request: Request,
    pub number: u32,
    /// Parameters as JSON.
    pub parameters: Vec<u8>,
    /// Description that the program returned for the first instance, as JSON.
    pub description: Vec<u8>,
}

impl Program {
    /// Starts the program and reads its declaration. Returns the declaration and the program.
    ///
    /// # Errors
    /// Returns an error if the program cannot be started or violates the protocol.
    pub(crate) fn open(location: &Permitted) -> Result<(Declared, Program), PluginError> {
        let fault = |message: String| PluginError::Program { path: location.path.clone(), message };
        let (process, hello) = start(location).map_err(fault)?;
        let declared = hello.declared().map_err(fault)?;
        let program = Program {
            hash: PluginFile::hash_of(&location.path, &hello.files).map_err(fault)?,
            number: guard::plugin(&declared.name),
            location: location.clone(),
            idle: Mutex::default(),
            counts_blocks: hello.memory,
            is_row_by_row: AtomicBool::new(false),
            instances: AtomicU32::new(0),
            gone: Mutex::default(),
            service: AtomicU64::new(0),
        };
        program.put_back(process);
        Ok((declared, program))
    }

    /// Returns the hash of the program's file and of the files that it imported from its folder.
    pub(crate) fn hash(&self) -> blake3::Hash {
        self.hash
    }

    /// Returns the number of memory blocks that a process has in use after it released the dropped
    /// instances. `None` if the program does not count them or gives no answer.
    pub(crate) fn blocks(&self) -> Option<u64> {
        if !self.counts_blocks {
            return None;
        }
        let mut process = self.process().ok()?;
        self.clear(&mut process).ok()?;
        let blocks = prepare(&mut process, Request::Memory, &[], self.number).ok()?.ok()?;
        self.put_back(process);
        Some(u64::from_le_bytes(blocks.try_into().ok()?))
    }

    /// Waits for `patience` and checks that the processes send nothing that was not requested. The
    /// error is in words that follow "the program".
    pub(crate) fn is_silent(&self, patience: Duration) -> Result<(), String> {
        self.idle.lock().iter_mut().try_for_each(|(_, process)| process.is_silent(patience))
    }

    /// Sets whether each request has a single genome from now on.
    pub(crate) fn ask_row_by_row(&self, is_on: bool) {
        self.is_row_by_row.store(is_on, Ordering::Relaxed);
    }

    /// Returns whether each request has a single genome.
    pub(super) fn is_row_by_row(&self) -> bool {
        self.is_row_by_row.load(Ordering::Relaxed)
    }

    /// Returns a new number for an instance.
    pub(super) fn next_instance(&self) -> u32 {
        self.instances.fetch_add(1, Ordering::Relaxed)
    }

    /// Marks the instance with this number as dropped, so that processes release it.
    pub(super) fn forget(&self, number: u32) {
        self.gone.lock().push(number);
    }

    /// Sends requests to a process that has the instance of this recipe. `take` receives the number
    /// of the request and the answer.
    ///
    /// # Errors
    /// Returns the reason for a missing answer, in words that follow the call.
    pub(super) fn ask(
        &self,
        recipe: &Recipe,
        exchange: &Exchange<'_>,
        take: impl FnMut(usize, Status, &[u8]) -> Result<(), String>,
    ) -> Result<(), String> {
        let mut process = self.reserve(recipe)?;
        let answered = self.ask_process(&mut process, exchange, take)?;
        self.put_back(process);
        answered
    }

    /// Reserves a process that has the instance of this recipe, for requests that depend on each
    /// other.
    pub(super) fn reserve(&self, recipe: &Recipe) -> Result<Connection, String> {
        let since = Instant::now();
        let process = self.ready(recipe)?;
        call_limit::wait(since.elapsed());
        Ok(process)
    }

    /// Sends requests to a reserved process. Returns the program's error message if it fails.
    ///
    /// # Errors
    /// Returns the reason for a missing answer, in words that follow the call. The process is then
    /// of no more use.
    pub(super) fn ask_process(
        &self,
        process: &mut Connection,
        exchange: &Exchange<'_>,
        take: impl FnMut(usize, Status, &[u8]) -> Result<(), String>,
    ) -> Result<Result<(), String>, String> {
        let begun = Instant::now();
        process.is_asked(Duration::from_nanos(self.service.load(Ordering::Relaxed)) <= SHORT);
        let answered = called(process, self.number, exchange, &call_limit::current(), take);
        let answered = answered.map_err(words)?;
        self.learn(begun.elapsed() / exchange.parts.max(1) as u32);
        Ok(answered)
    }

    /// Creates an instance in any process and returns the description as the program sent it.
    ///
    /// # Errors
    /// Returns the program's error message, or the reason for a missing answer.
    pub(super) fn create(
        &self,
        request: Request,
        number: u32,
        parameters: &[u8],
    ) -> Result<Vec<u8>, String> {
        let mut process = self.cleared()?;
        let made = self.make(&mut process, (request, number, parameters)).map_err(words)?;
        self.put_back(process);
        made
    }

    /// Returns a process that has the instance of this recipe.
    fn ready(&self, recipe: &Recipe) -> Result<Connection, String> {
        let Recipe { request, number, parameters, description } = recipe;
        let mut process = self.cleared()?;
        if process.made.contains(number) {
            return Ok(process);
        }
        match self.make(&mut process, (*request, *number, parameters)).map_err(words)? {
            Ok(made) if is_same(&made, description) => Ok(process),
            Ok(_) => {
                Err("the program describes this problem otherwise than it did in another process"
                    .to_owned())
            }
            Err(words) => {
                self.put_back(process);
                Err(words)
            }
        }
    }

    /// Creates an instance in a process. Returns the description as the program sent it, or the
    /// program's error message.
    fn make(
        &self,
        process: &mut Connection,
        (request, number, parameters): (Request, u32, &[u8]),
    ) -> Result<Result<Vec<u8>, String>, Lost> {
        let body = [&number.to_le_bytes()[..], parameters].concat();
        let made = prepare(process, request, &body, self.number)?;
        if made.is_ok() {
            process.made.insert(number);
        }
        Ok(made)
    }

    /// Returns a process that has released the dropped instances.
    fn cleared(&self) -> Result<Connection, String> {
        loop {
            let mut process = self.process()?;
            // A failed release belongs to no trial. Another process has nothing to release.
            if self.clear(&mut process).is_ok() {
                return Ok(process);
            }
        }
    }

    /// Releases the dropped instances in a process.
    fn clear(&self, process: &mut Connection) -> Result<(), Lost> {
        let gone = {
            let gone = self.gone.lock();
            let new = gone[process.told..].to_vec();
            process.told = gone.len();
            new
        };
        for number in gone {
            if process.made.remove(&number) {
                // A program that does not support this request keeps the instance.
                _ = prepare(process, Request::Destroy, &number.to_le_bytes(), self.number)?;
            }
        }
        Ok(())
    }

    /// Returns the idle process that this thread used last, because it is on this thread's core,
    /// or another one. Starts a new process if none is idle.
    fn process(&self) -> Result<Connection, String> {
        let here = thread::current().id();
        let idle = {
            let mut idle = self.idle.lock();
            let last = idle.iter().position(|(thread, _)| *thread == here);
            last.or(idle.len().checked_sub(1)).map(|place| idle.swap_remove(place))
        };
        if let Some((_, process)) = idle {
            return Ok(process);
        }
        if call_limit::is_interrupted() {
            return Err(words(Lost::Expired(Loss::Interrupted, None)));
        }
        let (process, hello) = start(&self.location)?;
        if PluginFile::hash_of(&self.location.path, &hello.files)? != self.hash {
            return Err(FILE_CHANGED.to_owned());
        }
        Ok(process)
    }

    /// Returns a process to those that no call uses.
    pub(super) fn put_back(&self, process: Connection) {
        self.idle.lock().push((thread::current().id(), process));
    }

    /// Adds a time to the mean service time. If two threads call this at once, one may be lost.
    fn learn(&self, time: Duration) {
        let new = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX).max(1);
        let old = self.service.load(Ordering::Relaxed);
        let mean = if old == 0 { new } else { old - old / 8 + new / 8 };
        self.service.store(mean, Ordering::Relaxed);
    }
}

/// Exchanges requests and answers, which the guard sees as a call of the plugin.
fn called(
    process: &mut Connection,
    plugin: PluginNumber,
    exchange: &Exchange<'_>,
    limit: &CallLimit,
    take: impl FnMut(usize, Status, &[u8]) -> Result<(), String>,
) -> Result<Result<(), String>, Lost> {
    let call = exchange.request.call();
    if let Some(call) = call {
        guard::enter(plugin, call);
    }
    let answered = process.exchange(exchange, limit, take);
    if call.is_some() {
        guard::leave();
    }
    answered
}

/// Sends a request that prepares a process. Returns its answer or its error message.
fn prepare(
    process: &mut Connection,
    request: Request,
    body: &[u8],
    plugin: PluginNumber,
) -> Result<Result<Vec<u8>, String>, Lost> {
    let deadline = Some(Instant::now() + PATIENCE);
    let (seconds, waited) = (Some(PATIENCE.as_secs_f64()), Duration::ZERO);
    let limit = CallLimit { deadline, seconds, waited, ..call_limit::current() };
    let body = |_, frame: &mut Vec<u8>| frame.extend_from_slice(body);
    let exchange = Exchange { request, parts: 1, body: &body, longest: LONGEST };
    let mut answer = Err(String::new());
    let answered = called(process, plugin, &exchange, &limit, |_, status, bytes| {
        answer = match status {
            Status::Done => Ok(bytes.to_vec()),
            _ => Err(String::from_utf8_lossy(bytes).into_owned()),
        };
        Ok(())
    })?;
    Ok(answered.and(answer))
}

/// Returns whether two texts are the same JSON value.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    let value = |text| serde_json::from_slice::<serde_json::Value>(text).ok();
    one == other || value(one).is_some_and(|one| Some(one) == value(other))
}

/// Starts a process and reads its declaration.
fn start(location: &Permitted) -> Result<(Connection, Hello), String> {
    let mut process =
        Connection::start(location).map_err(|error| format!("it cannot be started: {error}"))?;
    let said = prepare(&mut process, Request::Hello, &[], PluginNumber::default());
    let said = said.map_err(words)??;
    let hello = serde_json::from_slice(&said)
        .map_err(|error| format!("what it says of itself is wrong: {error}"))?;
    Ok((process, hello))
}

/// Describes why there is no answer, in words that follow the call. Also records the loss for the
/// trial's outcome.
fn words(lost: Lost) -> String {
    match lost {
        Lost::Invalid(words) => words,
        Lost::Gone(words) => {
            call_limit::lose(Loss::Gone);
            format!("the program {words}")
        }
        Lost::Expired(loss, seconds) => {
            call_limit::lose(loss);
            let limit = seconds.map_or_else(String::new, |s| format!(" within {s} s"));
            match loss {
                Loss::Interrupted => "was interrupted".to_owned(),
                _ => format!("did not come back{limit}; the program was ended"),
            }
        }
    }
}
