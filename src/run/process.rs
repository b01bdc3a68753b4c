//! Worker processes: a plugin that dies takes its process along, and no more than the trial it was in.

use super::message::{Reply, Request, receive, send};
use crate::plan::Plan;
use crate::record::{Outcome, Timing, TrialRecord};
use std::ffi::OsString;
use std::io::{self, BufReader};
use std::ops::Range;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How a worker process is started.
#[derive(Clone, Debug)]
pub struct WorkerCommand {
    pub program: PathBuf,
    /// So that it makes the same plan.
    pub arguments: Vec<OsString>,
}

/// Beyond `stop.trial-seconds`, which the worker itself looks at between generations: then it does not come back.
const GRACE: Duration = Duration::from_secs(1);
/// How often the watchdog looks.
const WATCH: Duration = Duration::from_millis(50);

/// The processes of a run that have a deadline. One thread watches them all.
#[derive(Debug, Default)]
pub struct Watchdog {
    /// By worker: the deadline of the trial that it is in.
    deadlines: Mutex<Vec<Option<Watched>>>,
}

#[derive(Debug)]
struct Watched {
    deadline: Instant,
    child: Arc<Mutex<Child>>,
    killed: bool,
}

impl Watchdog {
    pub fn new(workers: usize) -> Self {
        Watchdog { deadlines: Mutex::new((0..workers).map(|_| None).collect()) }
    }

    /// Kills what is late, until `ended` says that nobody is left.
    pub fn watch(&self, ended: impl Fn() -> bool) {
        while !ended() {
            std::thread::sleep(WATCH);
            for watched in lock(&self.deadlines).iter_mut().flatten() {
                if !watched.killed && Instant::now() >= watched.deadline {
                    watched.killed = true;
                    // It may have ended by itself meanwhile.
                    _ = lock(&watched.child).kill();
                }
            }
        }
    }

    fn set(&self, worker: usize, deadline: Option<(Instant, &Arc<Mutex<Child>>)>) {
        let watched = deadline.map(|(deadline, child)| Watched { deadline, child: Arc::clone(child), killed: false });
        lock(&self.deadlines)[worker] = watched;
    }

    fn killed(&self, worker: usize) -> bool {
        lock(&self.deadlines)[worker].as_ref().is_some_and(|watched| watched.killed)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A worker's process, started when it is first needed and again when it died.
pub struct Process<'run> {
    plan: &'run Plan,
    command: &'run WorkerCommand,
    watchdog: &'run Watchdog,
    number: usize,
    running: Option<Running>,
}

struct Running {
    child: Arc<Mutex<Child>>,
    requests: ChildStdin,
    replies: BufReader<ChildStdout>,
}

/// Why a process could not be had: the run cannot go on.
pub type Unavailable = String;

impl<'run> Process<'run> {
    pub fn new(plan: &'run Plan, command: &'run WorkerCommand, watchdog: &'run Watchdog, number: usize) -> Self {
        Process { plan, command, watchdog, number, running: None }
    }

    fn start(&self) -> Result<Running, Unavailable> {
        let program = self.command.program.display();
        let mut command = Command::new(&self.command.program);
        command.args(&self.command.arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        #[cfg(unix)]
        {
            use std::os::unix::process::CommandExt;
            // Ctrl-C in a terminal is for the run alone: it ends its workers.
            command.process_group(0);
        }
        let mut child = command.spawn().map_err(|error| format!("{program}: no worker process: {error}"))?;
        let (Some(requests), Some(replies)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(format!("{program}: a worker process without its pipes"));
        };
        let mut running = Running { child: Arc::new(Mutex::new(child)), requests, replies: BufReader::new(replies) };
        match receive(&mut running.replies) {
            Ok(Reply::Ready { plan }) if plan == self.plan.digest() => Ok(running),
            Ok(Reply::Ready { .. }) => {
                Err("a worker process made another plan: the config or the plugin changed while the run went on; run it again"
                    .to_owned())
            }
            Ok(_) => Err("a worker process could not make its plan".to_owned()),
            Err(_) => Err(format!("a worker process ended before its first trial: {}", running.end())),
        }
    }

    /// Runs trials of an arm. `deliver` takes each record, in order, and says whether to go on; false: it said no.
    ///
    /// # Errors
    /// If no process can be started.
    pub fn run(
        &mut self,
        arm: usize,
        trials: Range<u64>,
        mut deliver: impl FnMut(TrialRecord) -> bool,
    ) -> Result<bool, Unavailable> {
        let limit = self.plan.arms[arm].settings.stop.trial_seconds;
        let limit = limit.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).map(|limit| limit + GRACE);
        let mut next = trials.start;
        while next < trials.end {
            let mut running = match self.running.take() {
                Some(running) => running,
                None => self.start()?,
            };
            // A process that is gone shows when its answer is read.
            _ = send(&mut running.requests, &Request::Trials { arm, from: next, to: trials.end });
            let mut died = false;
            while next < trials.end && !died {
                let started = Instant::now();
                let deadline = limit.and_then(|limit| started.checked_add(limit));
                self.watchdog.set(self.number, deadline.map(|deadline| (deadline, &running.child)));
                let record = match receive(&mut running.replies) {
                    Ok(Reply::Record(record)) => *record,
                    _ => {
                        died = true;
                        let end = running.end();
                        let late = self.watchdog.killed(self.number);
                        self.lost(arm, next, late, &end, started.elapsed())
                    }
                };
                self.watchdog.set(self.number, None);
                next += 1;
                if !deliver(record) {
                    return Ok(false);
                }
            }
            if !died {
                self.running = Some(running);
            }
        }
        Ok(true)
    }

    /// The record of a trial whose process is gone.
    fn lost(&self, arm: usize, trial: u64, late: bool, end: &str, elapsed: Duration) -> TrialRecord {
        let plan = self.plan;
        let (outcome, error) = match late {
            true => {
                let limit = plan.arms[arm].settings.stop.trial_seconds.unwrap_or(0.0);
                (Outcome::TimedOut, format!("the plugin did not come back within stop.trial-seconds = {limit}"))
            }
            false => (Outcome::Crashed, format!("the worker process {end}")),
        };
        TrialRecord {
            arm,
            trial,
            seed: plan.arms[arm].seeds(plan.seed, trial).trial,
            outcome,
            success: false,
            best_fitness: None,
            generations: 0,
            evaluations: 0,
            evaluations_to_success: None,
            valid: None,
            best: None,
            best_text: None,
            error: Some(error),
            timing: Timing { seconds: elapsed.as_secs_f64(), worker: self.number as u32 },
            trace: Vec::new(),
            improvements: Vec::new(),
        }
    }
}

impl Running {
    /// Ends the process; how it ended, in words.
    fn end(&mut self) -> String {
        let mut child = lock(&self.child);
        // What sent rubbish still lives.
        let ended = match child.try_wait() {
            Ok(Some(status)) => Ok(status),
            // Its pipe closes a moment before it is gone.
            _ => wait_briefly(&mut child).map_or_else(
                || {
                    _ = child.kill();
                    child.wait()
                },
                Ok,
            ),
        };
        ended.map_or_else(|error| format!("is gone: {error}"), words)
    }
}

fn wait_briefly(child: &mut Child) -> Option<ExitStatus> {
    for _ in 0..200 {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    None
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut child = lock(&self.child);
        // It may be in a trial that nobody waits for.
        _ = child.kill();
        _ = child.wait();
    }
}

fn words(status: ExitStatus) -> String {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        if let Some(signal) = status.signal() {
            let name = match signal {
                4 => " (SIGILL)",
                6 => " (SIGABRT)",
                7 => " (SIGBUS)",
                8 => " (SIGFPE)",
                9 => " (SIGKILL)",
                11 => " (SIGSEGV)",
                15 => " (SIGTERM)",
                _ => "",
            };
            return format!("was ended by signal {signal}{name}");
        }
    }
    match status.code() {
        Some(code) => format!("exited by itself with code {code}"),
        None => "ended".to_owned(),
    }
}

/// The worker's side: runs what is asked for until nobody asks any more.
///
/// # Errors
/// When the run does not listen any more.
pub fn serve(plan: &Plan, mut requests: impl io::Read, mut replies: impl io::Write) -> io::Result<()> {
    use crate::interrupt::Interrupt;
    use crate::search::{Search, searcher};
    send(&mut replies, &Reply::Ready { plan: plan.digest() })?;
    let mut current: Option<(usize, Box<dyn Search + '_>)> = None;
    loop {
        let Request::Trials { arm, from, to } = match receive(&mut requests) {
            Ok(request) => request,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            Err(error) => return Err(error),
        };
        let search = match &mut current {
            Some((index, search)) if *index == arm => search,
            _ => {
                let settings = &plan.arms[arm].settings;
                let search = searcher(&plan.arms[arm].problem, &settings.operators, &settings.stop, plan.trace);
                &mut current.insert((arm, search)).1
            }
        };
        for trial in from..to {
            let started = Instant::now();
            let seeds = plan.arms[arm].seeds(plan.seed, trial);
            let mut record = search.run(seeds, &Interrupt::default()).expect("nobody interrupts a worker process");
            record.arm = arm;
            record.trial = trial;
            record.timing = Timing { seconds: started.elapsed().as_secs_f64(), worker: 0 };
            send(&mut replies, &Reply::Record(Box::new(record)))?;
        }
    }
}
