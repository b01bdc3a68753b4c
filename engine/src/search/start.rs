//! Genomes of the first population that a config gives, in place of random ones.

use crate::problem::MixedGene;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// Genomes from outside the experiment, in the order of their source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GivenGenomes {
    /// Source as named in the config, such as `file = "first.csv"`.
    pub source: String,
    rows: Vec<Vec<f64>>,
    /// Fitness of each genome, as its source states it; empty if it does not.
    fitness: Vec<f64>,
}

/// Heading of the fitness in [`GivenGenomes::to_csv`].
pub const FITNESS: &str = "fitness";

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
        GivenGenomes { source, rows, fitness: Vec::new() }
    }

    /// Adds the fitness of each genome: as many numbers as there are genomes, or none.
    #[must_use]
    pub fn with_fitness(self, fitness: Vec<f64>) -> Self {
        GivenGenomes { fitness, ..self }
    }

    /// Returns the fitness of each genome; empty if it is not stated.
    #[must_use]
    pub fn fitness(&self) -> &[f64] {
        &self.fitness
    }

    /// Returns one row per genome, with one number per gene.
    #[must_use]
    pub fn rows(&self) -> &[Vec<f64>] {
        &self.rows
    }

    /// Returns the BLAKE3 hash of the genomes, in hex. It covers the length (u64) and the genes
    /// (f64) of each genome, and the fitness values, if they are stated, all little endian. It
    /// covers neither the path nor the format of the source.
    #[must_use]
    pub fn hash(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for row in &self.rows {
            hasher.update(&(row.len() as u64).to_le_bytes());
            row.iter().for_each(|gene| _ = hasher.update(&gene.to_le_bytes()));
        }
        self.fitness.iter().for_each(|fitness| _ = hasher.update(&fitness.to_le_bytes()));
        hasher.finalize().to_hex().to_string()
    }

    /// Parses one genome per line, with commas between its genes: numbers, or words of a choice,
    /// which `genes` describe if genomes are mixed. Lines that begin with `#` are comments. A first
    /// line without a number is a heading, unless the first gene is a choice and a field has a
    /// value of its gene. The heading names the column that has the fitness, if one
    /// is asked for; all others are genes. Returns the genomes and the line number of each.
    ///
    /// # Errors
    /// If a line is not a genome, or if there is no such heading; the error describes the first
    /// such line.
    pub fn parse(
        source: String,
        text: &[u8],
        fitness: Option<&str>,
        genes: &[MixedGene],
    ) -> Result<(Self, Vec<u64>), BadGenomes> {
        let (mut rows, mut lines, mut headed) = (Vec::new(), Vec::new(), false);
        let (mut known, mut column) = (Vec::new(), None);
        let text = String::from_utf8_lossy(text);
        for (line, words) in (1..).zip(text.lines()) {
            let words = words.trim().trim_start_matches('\u{feff}');
            if words.is_empty() || words.starts_with('#') {
                continue;
            }
            let fields: Vec<&str> =
                words.split(',').map(|field| field.trim().trim_matches('"')).collect();
            if rows.is_empty() && !headed && is_heading(&fields, fitness, genes) {
                if let Some(separator) = other_separator(&fields) {
                    let message = format!("{separator} between the numbers, not a comma");
                    return Err(BadGenomes { line, message });
                }
                headed = true;
                column = fitness.and_then(|name| fields.iter().position(|field| *field == name));
                continue;
            }
            if let Some(name) = fitness.filter(|_| column.is_none()) {
                let message = format!("no heading before it names a column `{name}`");
                return Err(BadGenomes { line, message });
            }
            let mut row = Vec::with_capacity(fields.len());
            for (place, field) in fields.iter().enumerate() {
                if column == Some(place) {
                    let message = || format!("the fitness is `{field}`, which is no number");
                    let number = number_of(field);
                    known.push(number.ok_or_else(|| BadGenomes { line, message: message() })?);
                } else {
                    let value = value_of(field, row.len(), genes);
                    row.push(value.map_err(|message| BadGenomes { line, message })?);
                }
            }
            if column.is_some() && known.len() <= rows.len() {
                let message = "the fitness is missing".to_owned();
                return Err(BadGenomes { line, message });
            }
            rows.push(row);
            lines.push(line);
        }
        Ok((GivenGenomes { source, rows, fitness: known }, lines))
    }

    /// Returns the genomes as text that [`parse`](Self::parse) reads back, each number exactly. The
    /// fitness, if it is stated, is the column [`FITNESS`].
    #[must_use]
    pub fn to_csv(&self) -> String {
        let line = |(number, row): (usize, &Vec<f64>)| {
            let known = self.fitness.get(number);
            let numbers: Vec<String> = known.into_iter().chain(row).map(f64::to_string).collect();
            format!("{}\n", numbers.join(","))
        };
        let is_stated = !self.fitness.is_empty();
        let heading = if is_stated { format!("{FITNESS},genes\n") } else { String::new() };
        heading + &self.rows.iter().enumerate().map(line).collect::<String>()
    }
}

fn number_of(field: &str) -> Option<f64> {
    let number: f64 = field.parse().ok()?;
    number.is_finite().then_some(number)
}

/// Returns whether the first line is a heading: it names the column of the fitness, or none of its
/// fields is a number, nor the line a genome of choices.
fn is_heading(fields: &[&str], fitness: Option<&str>, genes: &[MixedGene]) -> bool {
    fitness.is_some_and(|name| fields.contains(&name))
        || fields.iter().all(|field| number_of(field).is_none())
            && (fitness.is_some() || !begins_with_word(fields, genes))
}

/// Returns what separates the numbers of a line that has no comma; `None` if it has no several
/// numbers.
fn other_separator(fields: &[&str]) -> Option<&'static str> {
    let [line] = fields else { return None };
    let separators = [(';', "a semicolon"), ('\t', "a tab"), (' ', "a blank")];
    let found = separators.into_iter().find(|(separator, _)| {
        let mut parts = line.split(*separator);
        line.contains(*separator) && parts.all(|part| number_of(part.trim()).is_some())
    });
    found.map(|(_, name)| name)
}

/// Returns whether a line is a genome that begins with a word of a choice: some field has a value.
fn begins_with_word(fields: &[&str], genes: &[MixedGene]) -> bool {
    let is_value = |(field, gene): (&&str, &MixedGene)| {
        number_of(field).is_some() || gene.named(field).is_some()
    };
    genes.first().is_some_and(|first| !first.words().is_empty())
        && fields.iter().zip(genes).any(is_value)
}

/// Reads the value of the gene `locus`: a number, or a word of a choice.
fn value_of(field: &str, locus: usize, genes: &[MixedGene]) -> Result<f64, String> {
    let gene = genes.get(locus);
    let named = gene.and_then(|gene| gene.named(field));
    let number = number_of(field);
    let Some((value, gene)) = named.zip(gene) else {
        return number.ok_or_else(|| no_value(field, locus, gene));
    };
    match number.filter(|number| *number != value && gene.allows(*number)) {
        None => Ok(value),
        Some(number) => Err(format!(
            "gene {} is `{field}`, which is the name of a choice and the number of another, `{}`: \
            give names in a column of a Parquet file",
            locus + 1,
            gene.written(number)
        )),
    }
}

/// Reads the value of the gene `locus` from a column of texts, in which a choice has its name. A
/// text that is no name is a number.
///
/// # Errors
/// If it is neither.
pub fn named_value(text: &str, locus: usize, genes: &[MixedGene]) -> Result<f64, String> {
    let gene = genes.get(locus);
    let value = gene.and_then(|gene| gene.named(text)).or_else(|| number_of(text));
    value.ok_or_else(|| no_value(text, locus, gene))
}

/// Says that a text is no value of the gene `locus`.
fn no_value(text: &str, locus: usize, gene: Option<&MixedGene>) -> String {
    let words = gene.map_or(&[][..], MixedGene::words);
    let name = gene.map_or("", |gene| &gene.name);
    let name = if name.is_empty() { String::new() } else { format!(" ({name})") };
    let rule = match words {
        [] => "no number".to_owned(),
        words => format!("no name of a choice ({}), nor a number", words.join(", ")),
    };
    format!("gene {}{name} is `{text}`, which is {rule}", locus + 1)
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
        &self.genomes.rows()[self.row(trial, place)]
    }

    /// Returns the stated fitness of [`genome`](Self::genome); `None` if it is not stated.
    #[must_use]
    pub fn fitness(&self, trial: u64, place: usize) -> Option<f64> {
        self.genomes.fitness().get(self.row(trial, place)).copied()
    }

    fn row(&self, trial: u64, place: usize) -> usize {
        let rows = self.genomes.rows().len();
        let first = (trial % rows as u64) as usize;
        (first + place) % rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::MixedKind;
    use proptest::prelude::*;

    fn parsed(text: &str) -> Result<Vec<Vec<f64>>, String> {
        let read = GivenGenomes::parse("x".to_owned(), text.as_bytes(), None, &[]);
        read.map(|(given, _)| given.rows).map_err(|error| error.to_string())
    }

    #[test]
    fn headings_comments_and_spaces_are_left_out() {
        let rows = parsed("# from a run\na, b\n1, 2\n\n# more\n 3 ,4.5\n");
        assert_eq!(rows, Ok(vec![vec![1.0, 2.0], vec![3.0, 4.5]]));
        let lines = GivenGenomes::parse(String::new(), b"# c\na,b\n1,2\n\n3,4\n", None, &[]);
        assert_eq!(lines.expect("genomes").1, [3, 5]);
    }

    #[test]
    fn what_is_no_number_is_named_with_its_line_and_gene() {
        for word in ["x", "", "NaN", "inf", "1e999"] {
            let said = parsed(&format!("1,2\n3,{word}\n")).expect_err("no number");
            assert_eq!(said, format!("line 2: gene 2 is `{word}`, which is no number"));
        }
        // A line with a number is no heading, whatever its first gene.
        for line in ["O,0,0", "0,O,0"] {
            let said = parsed(&format!("{line}\n1,1,1\n")).expect_err("no number");
            assert!(said.starts_with("line 1: gene ") && said.contains("`O`"), "{said}");
        }
        for (line, name) in [("0;1", "a semicolon"), ("0\t1.5", "a tab"), ("1 2 3", "a blank")] {
            let words = format!("line 1: {name} between the numbers, not a comma");
            assert_eq!(parsed(line), Err(words));
        }
        // Only one heading may precede the first row.
        assert!(parsed("a,b\nc,d\n1,2\n").is_err());
    }

    #[test]
    fn the_fitness_is_the_column_that_the_heading_names() {
        let read = |text: &str| {
            let read = GivenGenomes::parse(String::new(), text.as_bytes(), Some("cost"), &[]);
            read.map(|(given, _)| (given.rows, given.fitness)).map_err(|error| error.to_string())
        };
        let good = Ok((vec![vec![1.0, 2.0], vec![3.0, 4.0]], vec![9.5, 8.0]));
        assert_eq!(read("a,cost,b\n1,9.5,2\n3,8,4\n"), good);
        for (text, words) in [
            ("1,2\n", "line 1: no heading before it names a column `cost`"),
            ("a,b\n1,2\n", "line 2: no heading before it names a column `cost`"),
            ("a,b,cost\n1,2\n", "line 2: the fitness is missing"),
            ("a,cost\n1,x\n", "line 2: the fitness is `x`, which is no number"),
            ("a,cost,b\n1,2,x\n", "line 2: gene 2 is `x`, which is no number"),
        ] {
            assert_eq!(read(text), Err(words.to_owned()), "{text}");
        }
    }

    #[test]
    fn choices_are_read_by_name_or_number() {
        let choice = |words: &[&str]| MixedGene {
            name: "mode".to_owned(),
            kind: MixedKind::Choice(words.iter().map(|word| (*word).to_owned()).collect()),
        };
        let rate = MixedGene { name: String::new(), kind: MixedKind::Real { low: 0.0, high: 9.0 } };
        let genes = [choice(&["slow", "fast"]), rate, choice(&["3", "2", "1"])];
        let read = |text: &str, fitness: Option<&str>| {
            let read = GivenGenomes::parse(String::new(), text.as_bytes(), fitness, &genes);
            read.map(|(given, _)| given.rows).map_err(|error| error.to_string())
        };
        let row = vec![1.0, 2.5, 0.0];
        for text in ["fast,2.5,3\n", "1,2.5,0\n", "mode,rate,size\nfast,2.5,0\n"] {
            assert_eq!(read(text, None), Ok(vec![row.clone()]), "{text}");
        }
        let stated = read("cost,mode,rate,size\n7,fast,2.5,3\n", Some("cost"));
        assert_eq!(stated, Ok(vec![row]));
        for (text, words) in [
            (
                "fast,2.5,3\nquick,1,0\n",
                "line 2: gene 1 (mode) is `quick`, which is no name of a choice (slow, fast), nor \
                a number",
            ),
            // No heading, because it has a value.
            ("quick,1,0\n", "line 1: gene 1 (mode) is `quick`"),
            ("fast,x,0\n", "line 1: gene 2 is `x`, which is no number"),
            (
                "fast,1,2\n",
                "line 1: gene 3 is `2`, which is the name of a choice and the number of",
            ),
        ] {
            let said = read(text, None).expect_err(words);
            assert!(said.starts_with(words), "{said}");
        }
        // Columns of texts have names.
        assert_eq!(named_value("2", 2, &genes), Ok(1.0));
        assert_eq!(named_value("0", 2, &genes), Ok(0.0));
        assert!(named_value("quick", 0, &genes).is_err());
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
            stated in any::<bool>(),
        ) {
            let stated_rows = rows.iter().filter(|_| stated);
            let fitness = stated_rows.map(|row| row[0] / 3.0).collect();
            let given = GivenGenomes::new("x".to_owned(), rows).with_fitness(fitness);
            let column = stated.then_some(FITNESS);
            let again = GivenGenomes::parse("x".to_owned(), given.to_csv().as_bytes(), column, &[]);
            let (again, lines) = again.expect("genomes");
            prop_assert_eq!(&again.fitness, &given.fitness);
            prop_assert_eq!(again.hash(), given.hash());
            prop_assert_eq!(lines.len(), given.rows.len());
        }
    }
}
