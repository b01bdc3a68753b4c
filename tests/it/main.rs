//! One test crate: it drives the real binary on the real plugins.

mod run;
mod util;
