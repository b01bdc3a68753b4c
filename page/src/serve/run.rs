//! A run: a search in its process, and those who look at it. It ends soon after the last of them
//! has left.

use super::memory::Share;
use super::view::View;
use crate::live::{Frame, LiveProcess, Lost, Order};
use crate::run::Line;
use crate::system::interrupt::Interrupt;
use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::{OwnedSemaphorePermit, watch};

/// Resources that a search holds until its process has ended: its place among the searches that run
/// at a time, and its memory.
pub(super) type Held = (OwnedSemaphorePermit, Share);

/// A search that pages look at.
#[derive(Debug)]
pub(super) struct Run {
    view: Mutex<View>,
    line: Mutex<Line>,
    interrupt: Interrupt,
    viewers: AtomicUsize,
    /// Number of viewers that ever came.
    visits: AtomicUsize,
    versions: watch::Sender<u64>,
}

impl Run {
    /// Follows a process in a thread of its own.
    pub(super) fn follow(
        process: LiveProcess,
        line: Line,
        interrupt: Interrupt,
        held: Held,
    ) -> std::io::Result<Arc<Self>> {
        let run = Arc::new(Run {
            view: Mutex::default(),
            line: Mutex::new(line),
            interrupt,
            viewers: AtomicUsize::new(0),
            visits: AtomicUsize::new(0),
            versions: watch::Sender::new(0),
        });
        let followed = Arc::clone(&run);
        std::thread::Builder::new()
            .name("frames".to_owned())
            .spawn(move || followed.receive(process, held))?;
        Ok(run)
    }

    fn receive(&self, mut process: LiveProcess, held: Held) {
        let last = loop {
            let frame = process.frame(None);
            if frame.as_ref().map_or(true, Frame::is_last) {
                break frame;
            }
            self.show(frame);
        };
        // Who sees the last frame finds room for another search.
        drop(process);
        drop(held);
        self.show(last);
    }

    fn show(&self, frame: Result<Frame, Lost>) {
        let mut view = self.view();
        match frame {
            Ok(frame) => view.take(frame),
            Err(lost) => view.lose(format!("the process of the search {}", lost.words)),
        }
        let version = view.version();
        drop(view);
        self.versions.send_replace(version);
    }

    /// Returns the state so far.
    pub(super) fn view(&self) -> MutexGuard<'_, View> {
        self.view.lock()
    }

    /// Tells when the view changes.
    pub(super) fn versions(&self) -> watch::Receiver<u64> {
        self.versions.subscribe()
    }

    /// Passes an order on.
    pub(super) fn tell(&self, order: &Order) {
        self.line.lock().tell(order);
    }

    /// Ends the search, if it goes on.
    pub(super) fn end(&self) {
        self.interrupt.raise();
    }

    /// Counts a viewer in.
    pub(super) fn enter(&self) {
        self.viewers.fetch_add(1, Ordering::Relaxed);
        self.visits.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the number of viewers that ever came.
    pub(super) fn visits(&self) -> usize {
        self.visits.load(Ordering::Relaxed)
    }

    /// Counts a viewer out; true: it was the last.
    pub(super) fn leave(&self) -> bool {
        self.viewers.fetch_sub(1, Ordering::Relaxed) == 1
    }

    /// Whether nobody looks.
    pub(super) fn is_alone(&self) -> bool {
        self.viewers.load(Ordering::Relaxed) == 0
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.end();
    }
}
