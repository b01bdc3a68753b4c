//! Searches that are watched while they run: each in a process of its own, which takes orders and
//! sends what there is to be seen, a few times a second.

mod frame;
#[cfg(unix)]
mod order;
#[cfg(unix)]
mod process;
#[cfg(unix)]
mod repeating;
#[cfg(unix)]
mod replaying;
mod series;
#[cfg(unix)]
mod service;
#[cfg(unix)]
mod stage;
mod strip;
mod tally;
#[cfg(unix)]
mod watching;

pub(crate) use frame::{Frame, TrialFrame};
#[cfg(unix)]
pub(crate) use order::{Order, Pace, Setting, Task};
#[cfg(unix)]
pub(crate) use process::LiveProcess;
pub(crate) use series::Series;
#[cfg(unix)]
pub(crate) use service::serve_orders;
