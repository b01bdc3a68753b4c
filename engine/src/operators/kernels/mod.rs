//! Kernels: loops over many genes or rows. Each has a portable form. Where whole trials gain from
//! it, it also has forms for the vector instructions of some processors. Every form gives the same
//! bits.

pub(crate) mod crossover;
pub(crate) mod minimum;
pub(crate) mod scaling;
pub(crate) mod wheel;
#[cfg(target_arch = "x86_64")]
mod wide_wheel;
