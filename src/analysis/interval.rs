//! Intervals that say how they were made, and how sure they are.

use std::fmt;

/// How the interval of a success rate was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateMethod {
    /// Wilson (1927): for a number of trials fixed beforehand.
    Wilson,
    /// Holds at every number of trials at once: for trials that ended by their outcomes.
    Sequence,
}

/// The interval of a success rate, with its method and its level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateInterval {
    pub low: f64,
    pub high: f64,
    pub method: RateMethod,
    /// The probability that the interval holds the rate, such as 0.95.
    pub confidence: f64,
}

impl RateMethod {
    /// The word in the tables.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            RateMethod::Wilson => "wilson",
            RateMethod::Sequence => "confidence-sequence",
        }
    }

    /// The method of this word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [RateMethod::Wilson, RateMethod::Sequence].into_iter().find(|method| method.word() == word)
    }
}

/// For readers: "Wilson", "confidence sequence".
impl fmt::Display for RateMethod {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(match self {
            RateMethod::Wilson => "Wilson",
            RateMethod::Sequence => "confidence sequence",
        })
    }
}

/// For readers: "Wilson 95 %", "confidence sequence 80 %".
impl fmt::Display for RateInterval {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.method, percent(self.confidence))
    }
}

/// A level for readers: 0.95 is "95 %".
#[must_use]
pub fn percent(level: f64) -> String {
    // To six digits, so that 0.07 is no 7.000000000000001.
    format!("{} %", (level * 1e8).round() / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_and_methods_have_their_words() {
        assert_eq!([0.95, 0.8, 0.995, 0.07].map(percent), ["95 %", "80 %", "99.5 %", "7 %"]);
        for method in [RateMethod::Wilson, RateMethod::Sequence] {
            assert_eq!(RateMethod::from_word(method.word()), Some(method));
            let interval = RateInterval { low: 0.0, high: 1.0, method, confidence: 0.8 };
            assert_eq!(interval.to_string(), format!("{method} 80 %"));
        }
        assert_eq!(RateMethod::from_word("normal"), None);
    }
}
