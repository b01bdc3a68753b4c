//! Genes of mixed genomes, each of a kind of its own.

use crate::RowRng;
use rand::RngExt;

/// Gene of a mixed genome, for [`Description::mixed`](crate::Description::mixed). In a genome each
/// is an `f64`.
#[derive(Clone, Debug, PartialEq)]
pub struct MixedGene {
    pub(crate) name: String,
    pub(crate) kind: MixedKind,
}

/// Values that a gene of a mixed genome may take.
#[derive(Clone, Debug, PartialEq)]
pub enum MixedKind {
    /// A number between two bounds, inclusive.
    Real(f64, f64),
    /// A whole number between two bounds, inclusive.
    Integer(f64, f64),
    /// The index of one of these words.
    Choice(Vec<String>),
    /// 0 or 1.
    Bit,
}

impl MixedGene {
    pub(crate) const fn new(name: String, kind: MixedKind) -> Self {
        MixedGene { name, kind }
    }

    /// A number from `low` to `high`.
    #[must_use]
    pub const fn real(low: f64, high: f64) -> Self {
        MixedGene::new(String::new(), MixedKind::Real(low, high))
    }

    /// A whole number from `low` to `high`, from -2^53 to 2^53.
    #[must_use]
    pub const fn integer(low: i64, high: i64) -> Self {
        MixedGene::new(String::new(), MixedKind::Integer(low as f64, high as f64))
    }

    /// One of these words, which are distinct and without white space. Its value is the index.
    #[must_use]
    pub fn choice(words: &[&str]) -> Self {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        MixedGene::new(String::new(), MixedKind::Choice(words))
    }

    /// 0 or 1.
    #[must_use]
    pub const fn bit() -> Self {
        MixedGene::new(String::new(), MixedKind::Bit)
    }

    /// Names the gene for tables; the name has no white space and no `=`.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }

    /// Its name; may be empty.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The values that it may take.
    #[must_use]
    pub fn kind(&self) -> &MixedKind {
        &self.kind
    }

    /// A random value, uniform in its kind.
    #[must_use]
    pub fn sample(&self, rng: &mut RowRng) -> f64 {
        match &self.kind {
            MixedKind::Real(low, high) => rng.random_range(*low..=*high),
            MixedKind::Integer(low, high) => rng.random_range(*low as i64..=*high as i64) as f64,
            MixedKind::Choice(words) => rng.random_range(0..words.len() as i64) as f64,
            MixedKind::Bit => rng.random_range(0..=1_i64) as f64,
        }
    }
}
