//! One test crate: it drives the real binary on the real plugins.

mod algorithms;
mod docs;
mod reference;
mod run;
mod util;
