//! One test crate: it drives the real binary on the real plugins.

mod algorithms;
mod analysis;
mod certify;
mod compare;
mod damage;
mod docs;
mod enough;
mod exact;
mod export;
mod failures;
mod faults;
mod fuzz;
mod hostile;
mod house;
mod messages;
mod methods;
mod pictures;
mod reference;
mod reliability;
mod run;
mod schema;
mod sizes;
mod stopping;
mod streams;
mod trust;
mod util;
