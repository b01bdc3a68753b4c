//! Waits: a word on standard error while something takes long that has no bars.

use super::screen;
use crate::system::streams::Stream;
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// What is over sooner needs no words.
const PATIENCE: Duration = Duration::from_secs(1);
/// A line at most this often where there is no terminal.
const LINES: Duration = Duration::from_secs(10);
/// Between two looks on a terminal.
const FRAMES: Duration = Duration::from_millis(200);

/// Tells what goes on, until it is dropped.
#[derive(Debug)]
pub(crate) struct Wait {
    ends: Option<Sender<()>>,
    teller: Option<JoinHandle<()>>,
}

impl Wait {
    /// `words` says how far it is, now and then.
    pub(crate) fn begin(words: impl Fn() -> String + Send + 'static) -> Self {
        let (ends, ended) = channel();
        let named = std::thread::Builder::new().name("wait".to_owned());
        // Without a thread for it nothing is told.
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
