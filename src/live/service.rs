//! The service: what a process of a watched search does, from its first order to its end.

use super::frame::Frame;
use super::order::{Order, Setting, Task};
use super::{checking, repeating, replaying, watching};
use crate::config::{Catalogue, FileAccess, Outcome, Overrides, load_text};
use crate::plan::Plan;
use crate::problem::{Opener, PluginPolicy, SearchPath};
use crate::run::{Inbox, PluginSource, send};
use crate::system::guard;
use crate::system::interrupt::Interrupt;
use std::io;
use std::os::unix::net::UnixStream;

/// Where frames go.
pub(super) struct Outbound {
    stream: UnixStream,
    stamp: u64,
}

impl Outbound {
    /// Sends a frame.
    ///
    /// # Errors
    /// When nobody reads any more.
    pub(super) fn send(&mut self, frame: &Frame) -> io::Result<()> {
        send(&mut self.stream, self.stamp, frame)
    }
}

/// Orders that follow the first, as they come; after the last, the interrupt is raised.
pub(super) struct Inbound {
    stream: UnixStream,
    inbox: Inbox,
}

impl Inbound {
    /// Hands orders on, in a thread that is there until the process ends.
    ///
    /// # Errors
    /// The system's, when it gives no thread.
    pub(super) fn follow(
        mut self,
        interrupt: Interrupt,
        mut take: impl FnMut(&Order) + Send + 'static,
    ) -> io::Result<()> {
        let body = move || {
            while let Ok((_, order)) = self.inbox.receive::<Order>(&mut self.stream, None) {
                take(&order);
            }
            interrupt.raise();
        };
        std::thread::Builder::new().name("orders".to_owned()).spawn(body).map(|_| ())
    }
}

/// Does what the first order asks for, and sends frames until that is done.
///
/// # Errors
/// When nobody listens any more, or the first order is none.
pub(crate) fn serve_orders(mut stream: UnixStream) -> io::Result<()> {
    let mut inbox = Inbox::default();
    let (_, policy) = inbox.receive::<PluginPolicy>(&mut stream, None)?;
    let (stamp, order) = inbox.receive::<Order>(&mut stream, None)?;
    let Order::Begin(setting, task) = order else { return Err(io::ErrorKind::InvalidData.into()) };
    let mut outbound = Outbound { stream: stream.try_clone()?, stamp };
    let inbound = Inbound { stream, inbox };
    match task {
        Task::Check => {
            let found = checking::checked(
                &load(&setting, policy),
                &setting.text,
                &setting.path.display().to_string(),
            );
            outbound.send(&Frame::Checked(Box::new(found)))
        }
        Task::Replay { folder, arm, trial, trust } => {
            let search = SearchPath::of(setting.folders);
            let source = PluginSource { search, trust, policy };
            match replaying::replayed(&folder, &arm, trial, &source) {
                Ok(replayed) => outbound.send(&Frame::Replayed(Box::new(replayed))),
                Err(words) => outbound.send(&Frame::Unable(words)),
            }
        }
        Task::Watch { arm, trial, pace, paused } => match plan(&setting, policy) {
            Ok(plan) if arm < plan.arms.len() => {
                let watched = watching::Watched { plan: &plan, arm, trial, pace, paused };
                watched.run(inbound, &mut outbound)
            }
            Ok(_) => outbound.send(&Frame::Unable(format!("there is no arm {arm}"))),
            Err(words) => outbound.send(&Frame::Unable(words)),
        },
        Task::Repeat { trials } => match plan(&setting, policy) {
            Ok(plan) => repeating::repeat(&plan, trials, inbound, &mut outbound),
            Err(words) => outbound.send(&Frame::Unable(words)),
        },
    }
}

/// Reads the text, which comes from a page: no other file is read.
fn load(setting: &Setting, policy: PluginPolicy) -> Outcome {
    let search = SearchPath::of(setting.folders.clone());
    let mut catalogue = Catalogue::opening(search, Opener::here(policy)).reading(FileAccess::None);
    let read = || load_text(&setting.path, &setting.text, &Overrides::default(), &mut catalogue);
    guard::aside(read)
}

/// The plan, or what is wrong with it, in words. Its trials have no limit of time: they may be
/// held up.
fn plan(setting: &Setting, policy: PluginPolicy) -> Result<Plan, String> {
    let mut outcome = load(setting, policy);
    let Some(mut plan) = outcome.plans.pop() else {
        let words = outcome.diagnostics.iter().map(|one| one.render(&outcome.sources, false));
        return Err(words.collect::<Vec<_>>().join("\n"));
    };
    // Where nothing else ends a trial, time does here too.
    let stops = plan.arms.iter_mut().map(|arm| &mut arm.settings.stop);
    stops.filter(|stop| !stop.is_by_time_alone()).for_each(|stop| stop.trial_seconds = None);
    Ok(plan)
}
