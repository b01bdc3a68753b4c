//! Waits: messages on standard error during long operations without progress bars.

use super::screen;
use crate::system::streams::Stream;
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Minimum duration before a message is shown.
const PATIENCE: Duration = Duration::from_secs(1);
/// Minimum time between two lines without a terminal.
const LINES: Duration = Duration::from_secs(10);
/// Time between two redraws on a terminal.
const FRAMES: Duration = Duration::from_millis(200);

/// Whether nothing is reported.
static IS_SILENT: AtomicBool = AtomicBool::new(false);

/// Makes all later waits report nothing.
pub(crate) fn silence() {
    IS_SILENT.store(true, Ordering::Relaxed);
}

/// Reports progress until it is dropped.
#[derive(Debug)]
pub(crate) struct Wait {
    ends: Option<Sender<()>>,
    teller: Option<JoinHandle<()>>,
}

impl Wait {
    /// Begins to report. `words` returns the current progress; it is called repeatedly.
    pub(crate) fn begin(words: impl Fn() -> String + Send + 'static) -> Self {
        if IS_SILENT.load(Ordering::Relaxed) {
            return Wait { ends: None, teller: None };
        }
        let (ends, ended) = channel();
        let named = std::thread::Builder::new().name("wait".to_owned());
        // If the thread cannot start, nothing is reported.
        let teller = named.spawn(move || tell(&words, &ended)).ok();
        Wait { ends: Some(ends), teller }
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        self.ends.take();
        _ = self.teller.take().map(JoinHandle::join);
    }
}

fn tell(words: &dyn Fn() -> String, ended: &Receiver<()>) {
    let goes_on = |time| ended.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
    if !goes_on(PATIENCE) {
        return;
    }
    if !Stream::Error.is_terminal() {
        message!("{}", words());
        while goes_on(LINES) {
            message!("{}", words());
        }
        return;
    }
    let bar = ProgressBar::with_draw_target(None, screen::target(20));
    bar.set_style(
        ProgressStyle::with_template("{wide_msg}").expect("the template is a literal of this file"),
    );
    loop {
        bar.set_message(crate::system::output::visible_line(&words()).into_owned());
        if !goes_on(FRAMES) {
            break;
        }
    }
    bar.finish_and_clear();
}
