//! The service: what a process of a page does, from its first order to its end.

use super::connection::{Inbound, Outbound};
use super::data_folder::named_in;
use super::frame::Frame;
use super::lines::line;
use super::order::{Order, Setting, Task};
use super::reading::read;
use super::together::together;
use super::{checking, repeating, replaying, watching};
use crate::config::{Catalogue, FileAccess, Outcome, Overrides, load_text};
use crate::plan::{Arm, Plan};
use crate::present::memory::too_large_for_a_page;
use crate::problem::{Opener, PluginPolicy, SearchPath};
use crate::run::{Inbox, OwnPlugins, PluginSource, default_jobs, memory_need, memory_shortage};
use crate::system::guard;
use std::io;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::slice;

/// Reason why a task was not done.
enum Fault {
    /// The task is impossible, for this reason.
    Unable(String),
    /// Nobody listens any more.
    Gone(io::Error),
}

impl From<String> for Fault {
    fn from(words: String) -> Self {
        Fault::Unable(words)
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Fault::Gone(error)
    }
}

/// Does what the first order asks for, and sends frames until that is done.
///
/// # Errors
/// Returns an error if nobody listens any more, or if an order is invalid.
pub fn serve_orders(mut stream: UnixStream) -> io::Result<()> {
    let mut inbox = Inbox::default();
    let (_, policy) = inbox.receive::<PluginPolicy>(&mut stream, None)?;
    let (stamp, order) = inbox.receive::<Order>(&mut stream, None)?;
    let Order::Begin(setting, task) = order else { return Err(io::ErrorKind::InvalidData.into()) };
    let mut outbound = Outbound { stream: stream.try_clone()?, stamp };
    match work(&setting, policy, task, Inbound { stream, inbox }, &mut outbound) {
        Ok(()) => Ok(()),
        Err(Fault::Unable(words)) => outbound.send(&Frame::Unable(words)),
        Err(Fault::Gone(error)) => Err(error),
    }
}

fn work(
    setting: &Setting,
    policy: PluginPolicy,
    task: Task,
    mut inbound: Inbound,
    outbound: &mut Outbound,
) -> Result<(), Fault> {
    let search = || SearchPath::of(setting.folders.clone());
    // Anyone with the address can use a page, so plugins that its user ran are not trusted.
    let own = OwnPlugins::default;
    let source = |trust, policy| PluginSource { search: search(), own: own(), trust, policy };
    match task {
        Task::Check => {
            let path = setting.path.display().to_string();
            let outcome = checking::without_too_large(load(setting, policy));
            let found = checking::checked(&outcome, &setting.text, &path);
            outbound.send(&Frame::Checked(Box::new(found)))?;
        }
        Task::Read { folder, reading, trust } => {
            let texts = read(&folder, reading, &source(trust, policy))?;
            outbound.send(&Frame::Texts(texts))?;
        }
        Task::Lines { folders } => {
            for folder in &folders {
                outbound.send(&Frame::text(line(folder).to_string()))?;
            }
        }
        Task::Together { folders } => {
            outbound.send(&Frame::text(together(&folders)?.to_string()))?;
        }
        Task::Replay { folder, arm, trial, trust } => {
            let (replay, place) = replaying::open(&folder, &arm, &source(trust, policy))?;
            let arms = slice::from_ref(&replay.plan.arms[place]);
            admitted(&replay.plan, arms, 1, &mut inbound, outbound)?;
            let replayed = replaying::replayed(&replay, place, trial)?;
            outbound.send(&Frame::Replayed(Box::new(replayed)))?;
        }
        Task::Watch { arm, trial, pace, paused } => {
            let mut plan = plan(setting, policy)?;
            without_time_limit(&mut plan);
            let arms = plan.arms.get(arm..=arm).ok_or_else(|| format!("there is no arm {arm}"))?;
            admitted(&plan, arms, 1, &mut inbound, outbound)?;
            watching::Watched { plan: &plan, arm, trial, pace, paused }.run(inbound, outbound)?;
        }
        Task::Repeat { trials } => {
            let mut plan = plan(setting, policy)?;
            plan.repeats = trials;
            let jobs = admitted(&plan, &plan.arms, default_jobs(), &mut inbound, outbound)?;
            repeating::repeat(&plan, trials, jobs, inbound, outbound)?;
        }
    }
    Ok(())
}

/// Reports the memory that trials of these arms need, and waits for room. Returns the number that
/// may run at once.
fn admitted(
    plan: &Plan,
    arms: &[Arm],
    most: usize,
    inbound: &mut Inbound,
    outbound: &mut Outbound,
) -> Result<usize, Fault> {
    if let Some(refused) = too_large_for_a_page(plan, arms) {
        return Err(Fault::Unable(refused.sentence()));
    }
    let fits = |jobs: &usize| memory_shortage(plan, arms, *jobs, None).is_none();
    let most = (1..=most).rev().find(fits).unwrap_or(1);
    outbound.send(&Frame::Needs(memory_need(plan, arms), most))?;
    match inbound.receive()? {
        Order::Go(jobs) => Ok(jobs.clamp(1, most)),
        _ => Err(Fault::Gone(io::ErrorKind::InvalidData.into())),
    }
}

/// Reads the text, which comes from a page: no other file is read but those of the data folder.
fn load(setting: &Setting, policy: PluginPolicy) -> Outcome {
    let search = SearchPath::of(setting.folders.clone());
    let read = || {
        let named = |folder: &PathBuf| named_in(&setting.text, folder);
        let data = setting.data.as_ref().map(named).unwrap_or_default();
        let catalogue = Catalogue::opening(search, Opener::here(policy)).with_data(data);
        let mut catalogue = catalogue.reading(FileAccess::None);
        load_text(&setting.path, &setting.text, &Overrides::default(), &mut catalogue)
    };
    guard::in_own_surroundings(read)
}

/// Returns the plan, or its faults as text.
fn plan(setting: &Setting, policy: PluginPolicy) -> Result<Plan, String> {
    let mut outcome = load(setting, policy);
    outcome.plans.pop().ok_or_else(|| {
        let words = outcome.diagnostics.iter().map(|one| one.render(&outcome.sources, false));
        words.collect::<Vec<_>>().join("\n")
    })
}

/// Removes the time limit of trials, which may be held up. It is kept if nothing else ends a trial.
fn without_time_limit(plan: &mut Plan) {
    let stops = plan.arms.iter_mut().map(|arm| &mut arm.settings.stop);
    stops.filter(|stop| !stop.is_by_time_alone()).for_each(|stop| stop.trial_seconds = None);
}
