//! One test crate: it drives the real binary on the real plugins.

mod algorithms;
mod analysis;
mod certify;
mod damage;
mod docs;
mod enough;
mod export;
mod faults;
mod fuzz;
mod messages;
mod pictures;
mod reference;
mod reliability;
mod run;
mod schema;
mod streams;
mod util;
