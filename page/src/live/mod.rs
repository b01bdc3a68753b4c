//! Searches that are watched while they run: each in a process of its own, which takes orders and
//! sends what there is to be seen, a few times a second. What a page shows of results is read in
//! such a process too.

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
