//! Differential evolution: a family of searches on real genes. Each individual is crossed with a
//! mutant, which differences of other individuals make. A child replaces its parent unless it is
//! worse.
//!
//! `classic` has fixed parameters. In `adaptive`, they are drawn for each child from what led to
//! better children before, as in JADE, SHADE and L-SHADE.

mod adaptation;
mod adaptive;
mod archive;
mod classic;
mod donors;
mod jade;
mod l_shade;
mod shade;

pub(super) use classic::DIFFERENTIAL_EVOLUTION;
pub use classic::{DifferentialEvolution, Strategy};
pub(super) use jade::JADE;
pub use jade::Jade;
pub(super) use l_shade::L_SHADE;
pub use l_shade::LShade;
pub(super) use shade::SHADE;
pub use shade::Shade;
