//! A program, and its processes: as many as are asked at once, or as callers may ask.

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

/// Bytes of what a program says of itself.
const LONGEST: usize = 1 << 26;
/// Times of service with which a process should be asked by two callers. To be told of an answer
/// and to send another request takes some 100 microseconds where a core has to wake up for it: in
/// the longest ones that is little. In the shortest, callers that take turns cost as much.
const PROMPT: Range<Duration> = Duration::from_micros(20)..Duration::from_millis(10);
/// The longest mean time of service with which a process is kept on its caller's core: in longer
/// ones, the time to wake up counts for little, and a program may use several cores itself.
const SHORT: Duration = Duration::from_millis(2);

/// A program. Its processes wait here until they are asked again.
pub(crate) struct Program {
    location: Permitted,
    hash: blake3::Hash,
    pub(super) number: PluginNumber,
    processes: Mutex<Processes>,
    /// Signals that there is another process, or may be.
    changed: Condvar,
    /// Whether it counts its blocks of memory.
    counts_blocks: bool,
    instances: AtomicU32,
    /// The numbers of instances that are gone.
    gone: Mutex<Vec<u32>>,
    /// How long requests were served lately.
    service: MeanTime,
    /// How long callers took lately from an answer to their next request.
    between: MeanTime,
}

#[derive(Default)]
struct Processes {
    running: Vec<Running>,
    /// Those that are being started.
    starting: usize,
}

struct Running {
    process: Arc<Pipeline>,
    /// How many callers ask it now.
    callers: usize,
    /// Who asked it last.
    last: Option<ThreadId>,
}

/// The mean of the times that were seen lately, in nanoseconds; 0 before the first.
#[derive(Default)]
struct MeanTime(AtomicU64);

impl MeanTime {
    /// Of two threads at once, one may not be heard.
    fn learn(&self, time: Duration) {
        let new = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX).max(1);
        let old = self.0.load(Ordering::Relaxed);
        self.0.store(if old == 0 { new } else { old - old / 8 + new / 8 }, Ordering::Relaxed);
    }

    fn get(&self) -> Duration {
        Duration::from_nanos(self.0.load(Ordering::Relaxed))
    }
}

/// A process that a caller asks; until this is dropped it counts as one.
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
        // Each of its callers finds it so; the first one takes it away.
        if self.process.is_ended() {
            running.remove(place);
            drop(processes);
            self.program.changed.notify_all();
        }
    }
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

    /// Of the program's file, and of those that it imported from its own folder.
    pub(crate) fn hash(&self) -> blake3::Hash {
        self.hash
    }

    /// Whether its processes should be asked by two callers each, so that none is idle while one
    /// makes its next request: where what callers do meanwhile takes no more than the cores that
    /// are idle, of which there are so many for each process. Without, there is nothing to gain.
    pub(crate) fn wants_partners(&self, idle_cores: f64) -> bool {
        let (service, between) = (self.service.get(), self.between.get());
        PROMPT.contains(&service) && between <= service.mul_f64(idle_cores.clamp(0.0, 1.0))
    }

    /// Asks a process for the blocks of memory that it has in use, after it gave up the instances
    /// that are gone; `None` if the program does not count them, or gives no answer.
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

    /// Waits for what nobody asked its processes for: an error, in words that follow "the program".
    pub(crate) fn is_silent(&self, patience: Duration) -> Result<(), String> {
        let processes = self.processes();
        let all: Vec<_> = processes.running.iter().map(|one| Arc::clone(&one.process)).collect();
        drop(processes);
        all.iter().try_for_each(|process| process.is_silent(patience))
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
                // A program that cannot do that keeps it.
                _ = prepare(process, requests, Request::Destroy, &pieces, self.number)?;
            }
        }
        Ok(())
    }

    /// Asks a process that has the instance of this recipe; `take` has the answer.
    ///
    /// # Errors
    /// Why there is no answer; in words that follow the call.
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
                // Another process has it to serve.
                Err(Lost::Unserved) => {}
                Err(lost) => return Err(words(lost)),
            }
        }
    }

    /// Has a process make the instance of this recipe, if it did not yet; or the reason for which
    /// it cannot.
    fn make_ready(
        &self,
        process: &Pipeline,
        requests: &mut Requests,
        recipe: &Recipe,
    ) -> Result<Result<(), String>, Lost> {
        if self.clear(process, requests).is_err() {
            // It was no trial's request. Who asks next finds out whether the run is over.
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

    /// Makes an instance in a process; its description, as the program sent it, or its words.
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

    /// The process that has the fewest callers, of those the one that this thread asked last, whose
    /// core is this one's; a new one, if all have some and there may be more.
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

    /// Starts the process that is counted as starting.
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

/// Whether two texts are the same JSON.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    let value = |text| serde_json::from_slice::<serde_json::Value>(text).ok();
    one == other || value(one).is_some_and(|one| Some(one) == value(other))
}

/// Asks what makes a process ready; its answer, or its words.
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

/// Why there is no answer, in words that follow the call; and for the trial's outcome.
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
