//! A program and the pool of its processes. The pool grows with concurrent callers, up to the limit
//! on processes.

use super::declaration::Hello;
use super::frame::{Request, Status};
use super::pipeline::{Answered, Lost, Pipeline, Question, Requests, TICK, Time};
use crate::problem::boundary::Declared;
use crate::problem::{Location, Permitted, PluginError};
use crate::system::call_limit::{self, Loss};
use crate::system::guard::{self, PluginNumber};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

/// Maximum length of a declaration or description by a program, in bytes.
const LONGEST: usize = 1 << 26;
/// Range of service times in which two callers should share a process. When a core has to wake up,
/// receiving an answer and sending the next request takes about 100 microseconds. This is
/// negligible for longer service times. For shorter ones, switching between callers costs as much.
const PROMPT: Range<Duration> = Duration::from_micros(20)..Duration::from_millis(10);
/// Maximum mean service time for which a process is pinned to its caller's core. For longer service
/// times, the wake-up time is negligible, and a program may use several cores itself.
const SHORT: Duration = Duration::from_millis(2);

/// Program with its pool of processes.
pub(crate) struct Program {
    location: Permitted,
    hash: blake3::Hash,
    pub(super) number: PluginNumber,
    processes: Mutex<Processes>,
    /// Signals that a process was added or may be added.
    changed: Condvar,
    /// Whether the program counts its memory blocks.
    counts_blocks: bool,
    instances: AtomicU32,
    /// Numbers of the instances that were dropped.
    gone: Mutex<Vec<u32>>,
    /// Recent mean service time of requests.
    service: MeanTime,
    /// Recent mean time of callers from an answer to their next request.
    between: MeanTime,
}

#[derive(Default)]
struct Processes {
    running: Vec<Running>,
    /// Number of processes that are being started.
    starting: usize,
}

struct Running {
    process: Arc<Pipeline>,
    /// Number of current callers.
    callers: usize,
    /// Thread of the last caller.
    last: Option<ThreadId>,
}

/// Moving average of recent times in nanoseconds; 0 before the first.
#[derive(Default)]
struct MeanTime(AtomicU64);

impl MeanTime {
    /// Adds a time. If two threads call this at once, one time may be lost.
    fn learn(&self, time: Duration) {
        let new = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX).max(1);
        let old = self.0.load(Ordering::Relaxed);
        self.0.store(if old == 0 { new } else { old - old / 8 + new / 8 }, Ordering::Relaxed);
    }

    fn get(&self) -> Duration {
        Duration::from_nanos(self.0.load(Ordering::Relaxed))
    }
}

/// Reservation of a process by a caller. The process counts one caller until this value is dropped.
struct Caller<'program> {
    program: &'program Program,
    process: Arc<Pipeline>,
}

impl Drop for Caller<'_> {
    fn drop(&mut self) {
        let mut processes = self.program.processes();
        let running = &mut processes.running;
        let same = |one: &Running| Arc::ptr_eq(&one.process, &self.process);
        let Some(place) = running.iter().position(same) else { return };
        running[place].callers -= 1;
        // Every caller of an ended process gets here; the first one removes it.
        if self.process.is_ended() {
            running.remove(place);
            drop(processes);
            self.program.changed.notify_all();
        }
    }
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
        let process = start(location).map_err(fault)?;
        let hello = hello(&process).map_err(fault)?;
        let declared = hello.declared().map_err(fault)?;
        let program = Program {
            hash: hash(location, &hello).map_err(fault)?,
            number: guard::plugin(&declared.name),
            location: location.clone(),
            processes: Mutex::default(),
            changed: Condvar::new(),
            counts_blocks: hello.memory,
            instances: AtomicU32::new(0),
            gone: Mutex::default(),
            service: MeanTime::default(),
            between: MeanTime::default(),
        };
        program.processes().running.push(Running {
            process: Arc::new(process),
            callers: 0,
            last: None,
        });
        Ok((declared, program))
    }

    /// Returns the hash of the program's file and of the files that it imported from its folder.
    pub(crate) fn hash(&self) -> blake3::Hash {
        self.hash
    }

    /// Returns whether each process should have two callers. A process then stays busy while one
    /// caller prepares its next request. This pays off only if the callers' work in between fits in
    /// the idle cores. `idle_cores` is the number of idle cores per process.
    pub(crate) fn wants_partners(&self, idle_cores: f64) -> bool {
        let (service, between) = (self.service.get(), self.between.get());
        PROMPT.contains(&service) && between <= service.mul_f64(idle_cores.clamp(0.0, 1.0))
    }

    /// Returns the number of memory blocks that a process has in use after it released the dropped
    /// instances. `None` if the program does not count them or gives no answer.
    pub(crate) fn blocks(&self) -> Option<u64> {
        if !self.counts_blocks {
            return None;
        }
        let caller = self.process().ok()?;
        let mut requests = caller.process.requests();
        self.clear(&caller.process, &mut requests).ok()?;
        let asked = prepare(&caller.process, &mut requests, Request::Memory, &[], self.number);
        let blocks = asked.ok()?.ok()?;
        Some(u64::from_le_bytes(blocks.try_into().ok()?))
    }

    /// Waits for `patience` and checks that the processes send nothing that was not requested. The
    /// error is in words that follow "the program".
    pub(crate) fn is_silent(&self, patience: Duration) -> Result<(), String> {
        let processes = self.processes();
        let all: Vec<_> = processes.running.iter().map(|one| Arc::clone(&one.process)).collect();
        drop(processes);
        all.iter().try_for_each(|process| process.is_silent(patience))
    }

    /// Returns a new number for an instance.
    pub(super) fn next_instance(&self) -> u32 {
        self.instances.fetch_add(1, Ordering::Relaxed)
    }

    /// Marks the instance with this number as dropped, so that processes release it.
    pub(super) fn forget(&self, number: u32) {
        self.gone().push(number);
    }

    fn gone(&self) -> MutexGuard<'_, Vec<u32>> {
        self.gone.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Releases the dropped instances in a process.
    fn clear(&self, process: &Pipeline, requests: &mut Requests) -> Result<(), Lost> {
        let gone = {
            let gone = self.gone();
            let new = gone[requests.told..].to_vec();
            requests.told = gone.len();
            new
        };
        for number in gone {
            if requests.made.remove(&number) {
                let pieces = [&number.to_le_bytes()[..]];
                // A program that does not support this request keeps the instance.
                _ = prepare(process, requests, Request::Destroy, &pieces, self.number)?;
            }
        }
        Ok(())
    }

    /// Sends a request to a process that has the instance of this recipe. `take` receives the
    /// answer.
    ///
    /// # Errors
    /// Returns the reason for a missing answer, in words that follow the call.
    pub(super) fn ask<R>(
        &self,
        recipe: &Recipe,
        (request, pieces, longest): (Request, &[&[u8]], usize),
        mut take: impl FnMut(Status, &[u8]) -> Result<R, String>,
    ) -> Result<R, String> {
        let now = Instant::now();
        if let Some(last) = call_limit::last_answer() {
            self.between.learn(now.saturating_duration_since(last));
        }
        let time = Time::Callers(now);
        let question = Question { request, pieces, longest, time, plugin: self.number };
        loop {
            let caller = self.process()?;
            let mut requests = caller.process.requests();
            let sent = match self.make_ready(&caller.process, &mut requests, recipe) {
                Ok(Ok(())) => {
                    caller.process.is_asked(self.service.get() <= SHORT);
                    caller.process.send(&mut requests, question)
                }
                Ok(Err(words)) => return Err(words),
                Err(lost) => Err(lost),
            };
            drop(requests);
            match sent.and_then(|turn| turn.answer(&mut take)) {
                Ok(Answered { result, begun, ended }) => {
                    self.service.learn(ended.saturating_duration_since(begun));
                    call_limit::answered(ended);
                    return result;
                }
                // The request was not served, so another process gets it.
                Err(Lost::Unserved) => {}
                Err(lost) => return Err(words(lost)),
            }
        }
    }

    /// Creates the instance of this recipe in a process if it does not have it yet. The inner error
    /// is the reason why the process cannot create it.
    fn make_ready(
        &self,
        process: &Pipeline,
        requests: &mut Requests,
        recipe: &Recipe,
    ) -> Result<Result<(), String>, Lost> {
        if self.clear(process, requests).is_err() {
            // The failed request did not belong to a trial. The next caller finds out whether the
            // run is over.
            return Err(Lost::Unserved);
        }
        let Recipe { request, number, parameters, description } = recipe;
        if requests.made.contains(number) {
            return Ok(Ok(()));
        }
        Ok(match self.make(process, requests, (*request, *number, parameters))? {
            Ok(made) if is_same(&made, description) => Ok(()),
            Ok(_) => {
                process.end();
                Err("the program describes this problem otherwise than it did in another process"
                    .to_owned())
            }
            Err(words) => Err(words),
        })
    }

    /// Creates an instance in a process. Returns the description as the program sent it, or the
    /// program's error message.
    fn make(
        &self,
        process: &Pipeline,
        requests: &mut Requests,
        (request, number, parameters): (Request, u32, &[u8]),
    ) -> Result<Result<Vec<u8>, String>, Lost> {
        let pieces = [&number.to_le_bytes()[..], parameters];
        let made = prepare(process, requests, request, &pieces, self.number)?;
        if made.is_ok() {
            requests.made.insert(number);
        }
        Ok(made)
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
        loop {
            let caller = self.process()?;
            let mut requests = caller.process.requests();
            let cleared = self.clear(&caller.process, &mut requests);
            let made = cleared.map_err(|_| Lost::Unserved).and_then(|()| {
                self.make(&caller.process, &mut requests, (request, number, parameters))
            });
            match made {
                Ok(made) => return made,
                Err(Lost::Unserved) => {}
                Err(lost) => return Err(words(lost)),
            }
        }
    }

    /// Returns the process with the fewest callers. Ties go to the process that this thread used
    /// last, because it is on this thread's core. Starts a new process if all are in use and the
    /// limit permits another.
    fn process(&self) -> Result<Caller<'_>, String> {
        let most = call_limit::processes().unwrap_or(usize::MAX);
        let here = Some(thread::current().id());
        let mut processes = self.processes();
        loop {
            let Processes { running, starting } = &mut *processes;
            let may_start = running.len() + *starting < most;
            let usable = running.iter_mut().take(most);
            match usable.min_by_key(|running| (running.callers, running.last != here)) {
                Some(one) if one.callers == 0 || !may_start => {
                    one.callers += 1;
                    one.last = here;
                    return Ok(Caller { program: self, process: Arc::clone(&one.process) });
                }
                _ if call_limit::is_interrupted() => {
                    return Err(words(Lost::Expired(Loss::Interrupted, None)));
                }
                _ if may_start => {
                    *starting += 1;
                    drop(processes);
                    return self.started();
                }
                _ => {
                    let waited = self.changed.wait_timeout(processes, TICK);
                    (processes, _) = waited.unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }

    /// Starts the process that is already counted as starting.
    fn started(&self) -> Result<Caller<'_>, String> {
        let process = self.start_again().map(Arc::new);
        let mut processes = self.processes();
        processes.starting -= 1;
        if let Ok(process) = &process {
            let last = Some(thread::current().id());
            processes.running.push(Running { process: Arc::clone(process), callers: 1, last });
        }
        drop(processes);
        self.changed.notify_all();
        process.map(|process| Caller { program: self, process })
    }

    fn start_again(&self) -> Result<Pipeline, String> {
        let process = start(&self.location)?;
        let hello = hello(&process)?;
        if hash(&self.location, &hello)? != self.hash {
            return Err("its file was changed while it ran; start the run again".to_owned());
        }
        Ok(process)
    }

    fn processes(&self) -> MutexGuard<'_, Processes> {
        self.processes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns whether two texts are the same JSON value.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    let value = |text| serde_json::from_slice::<serde_json::Value>(text).ok();
    one == other || value(one).is_some_and(|one| Some(one) == value(other))
}

/// Sends a request that prepares a process. Returns its answer or its error message.
fn prepare(
    process: &Pipeline,
    requests: &mut Requests,
    request: Request,
    pieces: &[&[u8]],
    plugin: PluginNumber,
) -> Result<Result<Vec<u8>, String>, Lost> {
    let time = Time::Preparation;
    let question = Question { request, pieces, longest: LONGEST, time, plugin };
    let turn = process.send(requests, question)?;
    let answered = turn.answer(|status, bytes| {
        let words = || Err(String::from_utf8_lossy(bytes).into_owned());
        Ok(if status == Status::Done { Ok(bytes.to_vec()) } else { words() })
    })?;
    Ok(answered.result.and_then(|answer| answer))
}

fn start(location: &Permitted) -> Result<Pipeline, String> {
    Pipeline::start(location).map_err(|error| format!("it cannot be started: {error}"))
}

fn hello(process: &Pipeline) -> Result<Hello, String> {
    let mut requests = process.requests();
    let said = prepare(process, &mut requests, Request::Hello, &[], PluginNumber::default());
    let said = said.map_err(words)??;
    serde_json::from_slice(&said)
        .map_err(|error| format!("what it says of itself is wrong: {error}"))
}

/// Describes why there is no answer, in words that follow the call. Also records the loss for the
/// trial's outcome.
fn words(lost: Lost) -> String {
    call_limit::lose(match &lost {
        Lost::Expired(loss, _) => *loss,
        Lost::Gone(_) | Lost::Unserved => Loss::Gone,
    });
    match lost {
        Lost::Expired(Loss::Interrupted, _) => "was interrupted".to_owned(),
        Lost::Expired(_, seconds) => {
            let limit = seconds.map_or_else(String::new, |s| format!(" within {s} s"));
            format!("did not come back{limit}; the program was ended")
        }
        Lost::Gone(words) => format!("the program {words}"),
        Lost::Unserved => "the program was ended".to_owned(),
    }
}

/// Returns the hash of the program's file. If the program imported others from its folder, the hash
/// covers all of them.
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
