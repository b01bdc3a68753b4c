//! Progress: shows events as bars, plain lines or JSON on standard error.

mod bars;
mod json;
mod line;
mod plain;
mod screen;
mod totals;
mod wait;

pub(crate) use totals::duration;
pub(crate) use wait::{Wait, silence};

use crate::cli::arguments::ProgressMode;
use crate::cli::message::show_plainly;
use crate::run::{Event, Observer};
use crate::system::streams::Stream;
use std::num::NonZeroU64;

/// Display that shows only notices.
struct Silent;

impl Observer for Silent {
    fn observe(&mut self, event: &Event<'_>) {
        if let Event::Notice(notice) = event {
            show_plainly(notice);
        }
    }
}

/// Returns the display that the user asks for. `Auto` depends on whether standard error is a
/// terminal. JSON lines have the generations of each trial in the interval `generations`.
pub(crate) fn display(mode: ProgressMode, generations: Option<NonZeroU64>) -> Box<dyn Observer> {
    match mode {
        ProgressMode::Auto if Stream::Error.is_terminal() => Box::new(bars::Bars::default()),
        ProgressMode::Auto | ProgressMode::Plain => Box::new(plain::Plain::default()),
        ProgressMode::Bars => Box::new(bars::Bars::default()),
        ProgressMode::Json => Box::new(json::Json::new(generations)),
        ProgressMode::None => Box::new(Silent),
    }
}
