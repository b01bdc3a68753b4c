//! Estimation-of-distribution algorithms on bits. They sample strings from a model in which each
//! bit is 1 with a probability of its own, and learn these probabilities from the strings.

mod cga;
mod model;
mod pbil;
mod umda;

pub(super) use cga::CGA;
pub use cga::Cga;
pub(super) use pbil::PBIL;
pub use pbil::Pbil;
pub(super) use umda::UMDA;
pub use umda::Umda;
