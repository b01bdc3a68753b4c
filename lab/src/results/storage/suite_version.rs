//! Suites that results count for.

use serde::{Deserialize, Serialize};

/// A suite that results count for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuiteVersion {
    /// Name of the suite.
    pub name: String,
    /// Version of the suite.
    pub version: String,
    /// BLAKE3 of the suite's file.
    pub blake3: String,
}
