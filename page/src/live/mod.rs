//! Searches that are watched while they run, each in a separate process, which takes orders and
//! sends its visible state a few times per second. The results that a page shows are also read in
//! such a process.

mod birth;
mod checking;
mod connection;
mod data_folder;
mod frame;
mod lines;
mod order;
mod process;
mod reading;
mod repeating;
mod replaying;
mod series;
mod service;
mod stage;
mod strip;
mod tally;
mod together;
mod watching;

pub(crate) use data_folder::names as data_names;
pub(crate) use frame::{Checked, Fault, Frame, TrialFrame};
pub(crate) use order::{Order, Pace, Reading, Setting, Task};
pub(crate) use process::{LiveProcess, Lost};
pub(crate) use series::Series;
pub use service::serve_orders;
