//! Views: the current state of a watched search, for all of its viewers.

use crate::live::{Frame, Series, TrialFrame};
use serde_json::{Value, json};

/// A search as it was seen last.
#[derive(Debug, Default)]
pub(super) struct View {
    frame: Option<Frame>,
    series: Series,
    /// Grows with each change; 0: nothing is known yet.
    version: u64,
    /// The version in which the board came.
    board: u64,
    /// Why the search ended before its time.
    lost: Option<String>,
}

/// State that a viewer knows already.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Known {
    pub version: u64,
    /// Epoch of the series, and number of points.
    series: (u64, usize),
}

impl View {
    /// Takes a frame. Points that it brings join the series.
    pub(super) fn take(&mut self, mut frame: Frame) {
        self.version += 1;
        if let Frame::Trial(trial) = &mut frame {
            let convergence = std::mem::take(&mut trial.convergence);
            self.series.take(convergence.replaces, convergence.points);
            let same = matches!(&self.frame, Some(Frame::Trial(old)) if old.board == trial.board);
            if !same {
                self.board = self.version;
            }
        }
        self.frame = Some(frame);
    }

    /// Notes that the search is over, and why.
    pub(super) fn lose(&mut self, words: String) {
        self.version += 1;
        self.lost = Some(words);
    }

    pub(super) fn version(&self) -> u64 {
        self.version
    }

    /// Whether nothing more will come.
    pub(super) fn is_over(&self) -> bool {
        self.lost.is_some() || self.frame.as_ref().is_some_and(Frame::is_last)
    }

    /// Returns the event that is new to a viewer: its name and its content.
    pub(super) fn news(&self, known: &mut Known) -> (&'static str, Value) {
        let before = std::mem::replace(&mut known.version, self.version);
        if let Some(words) = &self.lost {
            return ("lost", json!({ "error": words }));
        }
        match &self.frame {
            None | Some(Frame::Needs(..) | Frame::Texts(_)) => ("wait", Value::Null),
            Some(Frame::Checked(_)) => ("lost", json!({ "error": "it was checked only" })),
            Some(Frame::Unable(words)) => ("lost", json!({ "error": words })),
            Some(Frame::Repeats(repeats)) => ("repeats", json!(repeats)),
            Some(Frame::Replayed(replayed)) => ("replayed", json!(replayed)),
            Some(Frame::Trial(trial)) => ("trial", self.trial(trial, before, known)),
        }
    }

    fn trial(&self, trial: &TrialFrame, before: u64, known: &mut Known) -> Value {
        let (replaces, points) = match before {
            // A viewer that comes back may still have points.
            0 => (true, self.series.all()),
            _ => self.series.since(known.series.0, known.series.1),
        };
        known.series = self.series.place();
        let mut news = json!(trial);
        news["convergence"] = json!({ "replaces": replaces, "points": points });
        if self.board <= before {
            // It is the one that the viewer has.
            news["board"] = Value::Null;
        }
        news
    }
}
