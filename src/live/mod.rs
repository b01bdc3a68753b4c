//! Searches that are watched while they run: each in a process of its own, which takes orders and
//! sends what there is to be seen, a few times a second.

mod frame;
#[cfg(unix)]
mod order;
#[cfg(unix)]
mod process;
mod series;
#[cfg(unix)]
mod repeating;
#[cfg(unix)]
mod replaying;
#[cfg(unix)]
mod service;
#[cfg(unix)]
mod stage;
mod strip;
mod tally;
#[cfg(unix)]
mod watching;

pub(crate) use frame::{
    Board, Convergence, Ending, Frame, Repeats, RepeatsOfArm, ReplayedStep, Replayed, State, TrialFrame,
};
#[cfg(unix)]
pub(crate) use order::{Order, Pace, Setting, Task};
#[cfg(unix)]
pub(crate) use process::LiveProcess;
pub(crate) use series::{Point, Series};
#[cfg(unix)]
pub(crate) use service::serve_orders;
