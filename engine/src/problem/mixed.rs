//! Genes of mixed genomes, each of a kind of its own.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Largest whole number of a gene: all smaller ones are exact as doubles.
const LARGEST: f64 = (1u64 << 53) as f64;

/// Values that a gene of a mixed genome may take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum MixedKind {
    /// A number between two bounds, both inclusive.
    Real {
        /// Minimum.
        low: f64,
        /// Maximum.
        high: f64,
    },
    /// A whole number between two bounds, both inclusive.
    Integer {
        /// Minimum.
        low: f64,
        /// Maximum.
        high: f64,
    },
    /// The index of one of these words, which have no order.
    Choice(Vec<String>),
    /// 0 or 1.
    Bit,
}

impl MixedKind {
    /// Returns the name of the kind, for readers.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            MixedKind::Real { .. } => "number",
            MixedKind::Integer { .. } => "whole number",
            MixedKind::Choice(_) => "choice",
            MixedKind::Bit => "bit",
        }
    }
}

/// Gene of a mixed genome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MixedGene {
    /// Name in tables; may be empty.
    pub name: String,
    /// Values that it may take.
    pub kind: MixedKind,
}

impl MixedGene {
    /// Returns the least and the greatest value, as numbers.
    #[inline]
    #[must_use]
    pub fn bounds(&self) -> (f64, f64) {
        match &self.kind {
            MixedKind::Real { low, high } | MixedKind::Integer { low, high } => (*low, *high),
            MixedKind::Choice(words) => (0.0, (words.len() - 1) as f64),
            MixedKind::Bit => (0.0, 1.0),
        }
    }

    /// Returns whether all values are whole numbers.
    #[inline]
    #[must_use]
    pub fn is_whole(&self) -> bool {
        !matches!(self.kind, MixedKind::Real { .. })
    }

    /// Returns whether a number is a value of the gene.
    #[inline]
    #[must_use]
    pub fn allows(&self, value: f64) -> bool {
        let (low, high) = self.bounds();
        value >= low && value <= high && !(self.is_whole() && value.fract() != 0.0)
    }

    /// Describes the values, such as "a whole number from 1 to 9".
    #[must_use]
    pub fn rule(&self) -> String {
        match &self.kind {
            MixedKind::Real { low, high } => format!("a number from {low} to {high}"),
            MixedKind::Integer { low, high } => format!("a whole number from {low} to {high}"),
            MixedKind::Choice(words) => format!(
                "the number of a choice, from 0 to {} ({})",
                words.len() - 1,
                words.join(", ")
            ),
            MixedKind::Bit => "0 or 1".to_owned(),
        }
    }

    /// Returns the distance of two values, from 0 to 1: the difference as a share of the range for
    /// numbers, and whether they differ for choices and bits.
    ///
    /// Gower (1971), A general coefficient of similarity and some of its properties,
    /// doi:10.2307/2528823.
    #[inline]
    #[must_use]
    pub fn distance(&self, one: f64, other: f64) -> f64 {
        if one == other {
            return 0.0;
        }
        match self.kind {
            MixedKind::Real { low, high } | MixedKind::Integer { low, high } => {
                (one - other).abs() / (high - low)
            }
            MixedKind::Choice(_) | MixedKind::Bit => 1.0,
        }
    }

    /// Writes a value for readers: the word of a choice, or the number, real ones with six digits.
    /// The name comes first if there is one.
    #[must_use]
    pub fn text(&self, value: f64) -> String {
        let word = match &self.kind {
            MixedKind::Real { .. } => six_digits(value),
            _ => self.written(value),
        };
        if self.name.is_empty() { word } else { format!("{}={word}", self.name) }
    }

    /// Writes a value exactly: the word of a choice, or the number.
    #[must_use]
    pub fn written(&self, value: f64) -> String {
        match &self.kind {
            MixedKind::Choice(words) if words.len() as f64 > value && value >= 0.0 => {
                words[value as usize].clone()
            }
            _ if value == 0.0 || (1e-5..1e16).contains(&value.abs()) => value.to_string(),
            _ => format!("{value:e}"),
        }
    }

    /// Returns the words of a choice; none for other kinds.
    #[must_use]
    pub fn words(&self) -> &[String] {
        if let MixedKind::Choice(words) = &self.kind { words } else { &[] }
    }

    /// Returns the value that a word of a choice names.
    #[must_use]
    pub fn named(&self, word: &str) -> Option<f64> {
        self.words().iter().position(|one| one == word).map(|index| index as f64)
    }

    /// Checks the gene at this position.
    fn check(&self, locus: usize) -> Result<(), String> {
        if !is_word(&self.name) && !self.name.is_empty() || self.name.contains('=') {
            return Err(format!(
                "gene {locus} is called `{}`, but a name has no white space and no `=`",
                self.name
            ));
        }
        match &self.kind {
            MixedKind::Choice(words) => {
                let distinct: BTreeSet<&String> = words.iter().collect();
                if words.is_empty() || distinct.len() < words.len() {
                    return Err(format!(
                        "gene {locus} has the choices `{}`, but needs at least one, and each once",
                        words.join(" ")
                    ));
                }
                match words.iter().find(|word| !is_word(word)) {
                    None => Ok(()),
                    Some(word) => Err(format!(
                        "gene {locus} has the choice `{word}`, but a choice is a word without \
                        white space"
                    )),
                }
            }
            MixedKind::Real { low, high } => {
                if low <= high && low.is_finite() && high.is_finite() && (high - low).is_finite() {
                    return Ok(());
                }
                Err(format!(
                    "gene {locus} is a number from {low} to {high}, but bounds and their distance \
                    must be finite, and bounds in order"
                ))
            }
            MixedKind::Integer { low, high } => {
                let is_exact = |bound: f64| bound.fract() == 0.0 && bound.abs() <= LARGEST;
                if low <= high && is_exact(*low) && is_exact(*high) {
                    return Ok(());
                }
                Err(format!(
                    "gene {locus} is a whole number from {low} to {high}, but bounds must be whole \
                    numbers in order, from -2^53 to 2^53"
                ))
            }
            MixedKind::Bit => Ok(()),
        }
    }
}

/// Returns whether a text can be shown as one word of a line.
fn is_word(text: &str) -> bool {
    !text.is_empty() && !text.contains(|one: char| one.is_whitespace() || one.is_control())
}

/// Checks the genes of a mixed genome of this length.
pub(super) fn check(genes: &[MixedGene], genome_length: usize) -> Result<(), String> {
    if genes.len() != genome_length {
        return Err(format!(
            "it describes {} genes, but a mixed genome needs one description for each of its \
            {genome_length}",
            genes.len()
        ));
    }
    let mut names = BTreeSet::new();
    for (locus, gene) in genes.iter().enumerate() {
        gene.check(locus)?;
        if !gene.name.is_empty() && !names.insert(&gene.name) {
            return Err(format!("two genes are called `{}`", gene.name));
        }
    }
    Ok(())
}

/// Rounds a number to six digits.
fn six_digits(value: f64) -> String {
    let text = format!("{value:.5e}");
    let rounded: f64 = text.parse().expect("a number was written");
    if rounded == 0.0 || (1e-4..1e9).contains(&rounded.abs()) {
        rounded.to_string()
    } else {
        format!("{rounded:e}")
    }
}

/// Writes the values of a genome exactly, each as [`MixedGene::written`] does.
#[must_use]
pub fn written_values(genes: &[MixedGene], values: &[f64]) -> Vec<String> {
    genes.iter().zip(values).map(|(gene, value)| gene.written(*value)).collect()
}

/// Writes the values of a genome for readers, each as [`MixedGene::text`] does.
pub(super) fn texts(genes: &[MixedGene], values: &[f64]) -> Vec<String> {
    genes.iter().zip(values).map(|(gene, value)| gene.text(*value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gene(name: &str, kind: MixedKind) -> MixedGene {
        MixedGene { name: name.to_owned(), kind }
    }

    fn choice(words: &[&str]) -> MixedKind {
        MixedKind::Choice(words.iter().map(|word| (*word).to_owned()).collect())
    }

    #[test]
    fn values_are_shown_by_name() {
        let genes = [
            gene("rate", MixedKind::Real { low: 0.0, high: 1.0 }),
            gene("", MixedKind::Integer { low: -9.0, high: 9.0 }),
            gene("", choice(&["a", "b"])),
            gene("on", MixedKind::Bit),
        ];
        assert_eq!(check(&genes, 4), Ok(()));
        let values = [0.123_456_789, -3.0, 1.0, 1.0];
        assert_eq!(texts(&genes, &values), ["rate=0.123457", "-3", "b", "on=1"]);
        assert_eq!(written_values(&genes, &values), ["0.123456789", "-3", "b", "1"]);
        for value in [0.1 + 0.2, 1e-300, -2.5e200, 1e-5, 0.0] {
            assert_eq!(genes[0].written(value).parse(), Ok(value));
        }
        assert_eq!((genes[0].written(1e-300).len(), genes[2].written(2.0)), (6, "2".to_owned()));
        assert_eq!(
            (genes[2].named("b"), genes[2].named("1"), genes[3].named("1")),
            (Some(1.0), None, None)
        );
        assert_eq!(six_digits(1.5e-7), "1.5e-7");
        assert_eq!(six_digits(-2_345_678.9), "-2345680");
        assert!(genes[0].allows(0.3) && !genes[0].allows(1.5) && !genes[0].allows(f64::NAN));
        assert!(genes[1].allows(-9.0) && !genes[1].allows(1.5));
        assert!(genes[2].allows(1.0) && !genes[2].allows(2.0) && !genes[2].allows(0.5));
    }

    #[test]
    fn distances_are_shares_of_the_range() {
        let integer = gene("", MixedKind::Integer { low: 1.0, high: 9.0 });
        assert_eq!(integer.distance(1.0, 9.0), 1.0);
        assert_eq!(integer.distance(3.0, 1.0), 0.25);
        let fixed = gene("", MixedKind::Real { low: 2.0, high: 2.0 });
        assert_eq!(fixed.distance(2.0, 2.0), 0.0);
        assert_eq!(gene("", choice(&["a", "b", "c"])).distance(0.0, 1.0), 1.0);
        assert_eq!(gene("", MixedKind::Bit).distance(1.0, 1.0), 0.0);
    }

    #[test]
    fn wrong_genes_are_named() {
        for (one, rule) in [
            (gene("a b", MixedKind::Bit), "white space"),
            (gene("a=b", MixedKind::Bit), "no `=`"),
            (gene("", choice(&[])), "at least one"),
            (gene("", choice(&["a", "a"])), "each once"),
            (gene("", choice(&["a", "b c"])), "word without"),
            (gene("", MixedKind::Real { low: 1.0, high: 0.0 }), "in order"),
            (gene("", MixedKind::Real { low: f64::MIN, high: f64::MAX }), "finite"),
            (gene("", MixedKind::Integer { low: 0.5, high: 2.0 }), "whole numbers"),
            (gene("", MixedKind::Integer { low: 0.0, high: 1e17 }), "2^53"),
        ] {
            let fault = check(&[one], 1).expect_err(rule);
            assert!(fault.contains(rule) && fault.starts_with("gene 0 "), "{fault}");
        }
        let twice = [gene("a", MixedKind::Bit), gene("a", MixedKind::Bit)];
        assert!(check(&twice, 2).is_err() && check(&twice, 3).is_err());
    }
}
