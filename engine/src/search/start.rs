//! Genomes of the first population that a config gives, in place of random ones.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// Genomes from outside the experiment, in the order of their source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GivenGenomes {
    /// Source as named in the config, such as `file = "first.csv"`.
    pub source: String,
    rows: Vec<Vec<f64>>,
}

/// Error in a text of genomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadGenomes {
    /// Line number in the text, from 1.
    pub line: u64,
    /// Description of the error.
    pub message: String,
}

impl fmt::Display for BadGenomes {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "line {}: {}", self.line, self.message)
    }
}

impl GivenGenomes {
    /// Creates genomes from these rows, with one number per gene.
    #[must_use]
    pub fn new(source: String, rows: Vec<Vec<f64>>) -> Self {
        GivenGenomes { source, rows }
    }

    /// Returns one row per genome, with one number per gene.
    #[must_use]
    pub fn rows(&self) -> &[Vec<f64>] {
        &self.rows
    }

    /// Returns the BLAKE3 hash of the genomes, in hex. It covers the length (u64) and the genes
    /// (f64) of each genome, all little endian. It covers neither the path nor the format of the
    /// source.
    #[must_use]
    pub fn hash(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for row in &self.rows {
            hasher.update(&(row.len() as u64).to_le_bytes());
            row.iter().for_each(|gene| _ = hasher.update(&gene.to_le_bytes()));
        }
        hasher.finalize().to_hex().to_string()
    }

    /// Parses one genome per line, with commas between its genes. Lines that begin with `#` are
    /// comments. A first line that does not begin with a number is a heading. Returns the genomes
    /// and the line number of each.
    ///
    /// # Errors
    /// If a line is not a genome; the error describes the first such line.
    pub fn parse(source: String, text: &[u8]) -> Result<(Self, Vec<u64>), BadGenomes> {
        let (mut rows, mut lines, mut headed) = (Vec::new(), Vec::new(), false);
        let text = String::from_utf8_lossy(text);
        for (line, words) in (1..).zip(text.lines()) {
            let words = words.trim().trim_start_matches('\u{feff}');
            if words.is_empty() || words.starts_with('#') {
                continue;
            }
            let fields: Vec<&str> =
                words.split(',').map(|field| field.trim().trim_matches('"')).collect();
            let read: Vec<Option<f64>> = fields.iter().map(|field| number_of(field)).collect();
            if rows.is_empty() && !headed && read.first() == Some(&None) {
                headed = true;
                continue;
            }
            if let Some(place) = read.iter().position(Option::is_none) {
                let found = fields[place];
                let message = format!("gene {} is `{found}`, which is no number", place + 1);
                return Err(BadGenomes { line, message });
            }
            rows.push(read.into_iter().flatten().collect());
            lines.push(line);
        }
        Ok((GivenGenomes { source, rows }, lines))
    }

    /// Returns the genomes as text that [`parse`](Self::parse) reads back, each gene exactly.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let line = |row: &Vec<f64>| {
            let genes: Vec<String> = row.iter().map(f64::to_string).collect();
            format!("{}\n", genes.join(","))
        };
        self.rows.iter().map(line).collect()
    }
}

fn number_of(field: &str) -> Option<f64> {
    let number: f64 = field.parse().ok()?;
    number.is_finite().then_some(number)
}

/// Given genomes with which the trials of an arm begin.
#[derive(Clone, Debug, PartialEq)]
pub struct Start {
    /// Given genomes; at least one.
    pub genomes: Arc<GivenGenomes>,
    /// Number of individuals of the first population that are given; at least 1, at most the
    /// population size. The rest is drawn.
    pub count: usize,
}

impl Start {
    /// Returns the genome at a place in the first population of a trial, both from 0. Trial k
    /// begins with row k. After the last row, the first row follows.
    #[must_use]
    pub fn genome(&self, trial: u64, place: usize) -> &[f64] {
        let rows = self.genomes.rows();
        let first = (trial % rows.len() as u64) as usize;
        &rows[(first + place) % rows.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parsed(text: &str) -> Result<Vec<Vec<f64>>, String> {
        let read = GivenGenomes::parse("x".to_owned(), text.as_bytes());
        read.map(|(given, _)| given.rows).map_err(|error| error.to_string())
    }

    #[test]
    fn headings_comments_and_spaces_are_left_out() {
        let rows = parsed("# from a run\na, b\n1, 2\n\n# more\n 3 ,4.5\n");
        assert_eq!(rows, Ok(vec![vec![1.0, 2.0], vec![3.0, 4.5]]));
        let lines = GivenGenomes::parse(String::new(), b"# c\na,b\n1,2\n\n3,4\n");
        assert_eq!(lines.expect("genomes").1, [3, 5]);
    }

    #[test]
    fn what_is_no_number_is_named_with_its_line_and_gene() {
        for word in ["x", "", "NaN", "inf", "1e999"] {
            let said = parsed(&format!("1,2\n3,{word}\n")).expect_err("no number");
            assert_eq!(said, format!("line 2: gene 2 is `{word}`, which is no number"));
        }
        // Only one heading may precede the first row.
        assert!(parsed("a,b\nc,d\n1,2\n").is_err());
    }

    #[test]
    fn a_trial_begins_with_the_row_of_its_number() {
        let rows = vec![vec![0.0], vec![1.0], vec![2.0]];
        let start = Start { genomes: Arc::new(GivenGenomes::new(String::new(), rows)), count: 5 };
        let of = |trial| (0..5).map(|place| start.genome(trial, place)[0]).collect::<Vec<_>>();
        assert_eq!(of(0), [0.0, 1.0, 2.0, 0.0, 1.0]);
        assert_eq!(of(2), [2.0, 0.0, 1.0, 2.0, 0.0]);
        assert_eq!(of(u64::MAX), of(u64::MAX % 3));
    }

    proptest! {
        #[test]
        fn genomes_are_read_as_they_are_written(
            rows in prop::collection::vec(
                prop::collection::vec(any::<f64>().prop_filter("finite", |x| x.is_finite()), 1..6),
                1..6,
            ),
        ) {
            let given = GivenGenomes::new("x".to_owned(), rows);
            let again = GivenGenomes::parse("x".to_owned(), given.to_csv().as_bytes());
            let (again, lines) = again.expect("genomes");
            prop_assert_eq!(again.hash(), given.hash());
            prop_assert_eq!(lines.len(), given.rows.len());
        }
    }
}
