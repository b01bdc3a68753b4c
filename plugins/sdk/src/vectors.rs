//! Which vector instructions a processor has, and may use.

use std::sync::LazyLock;

/// Sets of vector instructions, each with all those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Vectors {
    /// Instructions that every processor of its kind has.
    Plain,
    /// AVX2, and what came before or with it: BMI1, BMI2 and POPCNT.
    Avx2,
    /// AVX-512 as Intel has it since Ice Lake and AMD since its fourth generation: F, BW, CD, DQ,
    /// VL, IFMA, VBMI, VBMI2, BITALG and VPOPCNTDQ.
    Avx512,
}

impl Vectors {
    /// All sets, for tests that try each one.
    pub const ALL: [Vectors; 3] = [Vectors::Plain, Vectors::Avx2, Vectors::Avx512];
}

/// Returns the largest set that this processor has, limited by `RUNNER_VECTORS` (`plain`, `avx2` or
/// `avx512`) for tests and comparisons. Results do not depend on it.
///
/// For plugins with separate loops for several kinds of processor:
///
/// ```
/// use runner_plugin::{Vectors, vectors};
///
/// let at_a_time = if vectors() >= Vectors::Avx2 { 32 } else { 16 };
/// # assert!(at_a_time >= 16);
/// ```
#[must_use]
#[inline]
pub fn vectors() -> Vectors {
    static MOST: LazyLock<Vectors> = LazyLock::new(|| {
        let allowed = match std::env::var("RUNNER_VECTORS").as_deref() {
            Ok("plain") => Vectors::Plain,
            Ok("avx2") => Vectors::Avx2,
            _ => Vectors::Avx512,
        };
        allowed.min(found())
    });
    *MOST
}

#[cfg(target_arch = "x86_64")]
fn found() -> Vectors {
    macro_rules! has {
        ($($feature:tt),*) => { $(std::arch::is_x86_feature_detected!($feature))&&* };
    }
    if !has!("avx2", "bmi1", "bmi2", "popcnt") {
        Vectors::Plain
    } else if has!("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")
        && has!("avx512ifma", "avx512vbmi", "avx512vbmi2", "avx512bitalg", "avx512vpopcntdq")
    {
        Vectors::Avx512
    } else {
        Vectors::Avx2
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn found() -> Vectors {
    Vectors::Plain
}
