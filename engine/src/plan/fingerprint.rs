//! Fingerprints, which identify an arm whatever the config calls it.

use serde::{Deserialize, Serialize};
use std::fmt;

/// BLAKE3 over an arm's resolved settings, the plugin's name and version, the engine revision and
/// the algorithm's, unless that is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint(pub [u8; 32]);

impl Fingerprint {
    /// Returns the first 8 bytes, which the tables call `arm_id`.
    #[must_use]
    pub fn id(self) -> ArmId {
        let [a, b, c, d, e, f, g, h, ..] = self.0;
        ArmId(u64::from_be_bytes([a, b, c, d, e, f, g, h]))
    }

    /// Returns the fingerprint as 64 hex digits.
    #[must_use]
    pub fn to_hex(self) -> String {
        blake3::Hash::from(self.0).to_string()
    }

    /// Reads a fingerprint from 64 hex digits; `None` if the text is something else.
    #[must_use]
    pub fn from_hex(digits: &str) -> Option<Self> {
        blake3::Hash::from_hex(digits).ok().map(|hash| Fingerprint(*hash.as_bytes()))
    }
}

/// Short name of an arm in the tables, shown as 16 hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ArmId(pub u64);

impl ArmId {
    /// Reads an ID from the 16 hex digits of the tables; `None` if the text is something else.
    #[must_use]
    pub fn from_hex(digits: &str) -> Option<Self> {
        if digits.len() != 16 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        u64::from_str_radix(digits, 16).ok().map(ArmId)
    }
}

impl fmt::Display for ArmId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:016x}", self.0)
    }
}
