//! Verdict of the tests of two arms.

use std::fmt;

/// Verdict of the tests of two arms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The first arm is better.
    Better,
    /// The first arm is worse.
    Worse,
    /// No test finds a difference.
    Unclear,
    /// A test finds a difference, but the outcomes of failed trials could change the verdict.
    Open {
        /// Number of failed trials of both arms together.
        failures: u64,
    },
}

impl Verdict {
    /// Returns the word in tables and for programs. The number of failures is a separate value.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Better => "better",
            Verdict::Worse => "worse",
            Verdict::Unclear => "unclear",
            Verdict::Open { .. } => "open",
        }
    }

    /// Returns whether the tests tell the arms apart.
    #[must_use]
    pub fn tells_apart(self) -> bool {
        matches!(self, Verdict::Better | Verdict::Worse)
    }

    /// Returns the verdict with this word. `failures` is the number of failures of an open verdict.
    pub(crate) fn parse(text: &str, failures: u64) -> Option<Self> {
        let all = [Verdict::Better, Verdict::Worse, Verdict::Unclear, Verdict::Open { failures }];
        all.into_iter().find(|verdict| verdict.as_str() == text)
    }

    /// Returns the number of failures that could change the verdict; `None` if it is not open.
    #[must_use]
    pub fn open_failures(self) -> Option<u64> {
        match self {
            Verdict::Open { failures } => Some(failures),
            _ => None,
        }
    }

    /// Returns this verdict if `others` are equal to it, otherwise an open one with `failures`. An
    /// unclear verdict stays as it is.
    #[must_use]
    pub(crate) fn if_also(self, others: [Verdict; 2], failures: u64) -> Self {
        let stands = self == Verdict::Unclear || others.iter().all(|other| *other == self);
        if stands { self } else { Verdict::Open { failures } }
    }
}

impl fmt::Display for Verdict {
    /// Writes the text in the tables.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Better => out.pad("better"),
            Verdict::Worse => out.pad("worse"),
            Verdict::Unclear => out.pad("cannot tell"),
            Verdict::Open { failures: 1 } => out.pad("cannot tell: 1 failure could turn it"),
            Verdict::Open { failures } => {
                out.pad(&format!("cannot tell: {failures} failures could turn it"))
            }
        }
    }
}
