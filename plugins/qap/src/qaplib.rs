//! Files in the format of QAPLIB: the number of facilities, then the matrices A and B. The cost of
//! an assignment p is the sum of a(i, j) b(p(i), p(j)).

use crate::matrices::Matrices;
use runner_plugin::data::DataText;

/// Maximum number of facilities: two matrices of 32 MB.
pub(crate) const MOST: usize = 2_000;
/// Maximum entry, in either direction.
const LARGEST: i64 = 1_000_000_000;

/// Reads matrices.
///
/// # Errors
/// Returns a message with the line of the first fault.
pub(crate) fn parse(text: &DataText) -> Result<Matrices, String> {
    let mut cursor = text.cursor();
    cursor.skip_comments("#");
    let n = cursor.count("the number of facilities", 2..=MOST)?;
    let mut matrix = |name: &str| {
        let mut entries = Vec::new();
        for place in 0..n * n {
            let entry = cursor.integer(&format!("an entry of {name}"), -LARGEST..=LARGEST);
            entries.push(entry.map_err(|error| {
                format!("{error} (row {}, column {})", place / n + 1, place % n + 1)
            })?);
        }
        Ok::<_, String>(entries)
    };
    let (flows, ways) = (matrix("the first matrix")?, matrix("the second matrix")?);
    cursor.end(&format!("two matrices of {n} rows"))?;
    Matrices::new(n, flows, ways).map_err(|error| cursor.fault(error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<Matrices, String> {
        parse(&DataText::new("x.dat", text))
    }

    const OWN: &str = "2\n\n0 3\n1 0\n\n0 5\n7 0\n";

    #[test]
    fn matrices_are_read_row_by_row() {
        let matrices = read(OWN).expect("good");
        assert_eq!((matrices.flow(0, 1), matrices.way(1, 0)), (3, 7));
        assert_eq!(matrices.cost([0, 1].into_iter()), 22);
    }

    #[test]
    fn every_fault_is_named_with_its_line() {
        let huge = format!("2\n0 {LARGEST} 0 0\n0 {LARGEST} 0 0\n");
        let cases = [
            ("", "x.dat, line 1: the file ends before the number of facilities"),
            ("1\n0\n0", "line 1: the number of facilities is `1`, but must be an integer from 2"),
            ("90000\n0", "line 1: the number of facilities is `90000`"),
            ("2\n0 3\n1 x", "line 3: an entry of the first matrix is `x`"),
            ("2\n0 3\n1 0\n0 5\n7", "ends before an entry of the second matrix (row 2, column 2)"),
            ("2\n0 3\n1 0\n0 5\n7 0.5", "line 5: an entry of the second matrix is `0.5`"),
            ("2\n0 3\n1 0\n0 5\n7 0\n9", "line 6: `9` follows after two matrices of 2 rows"),
            (&huge, "costs could exceed 2^53"),
        ];
        for (text, words) in cases {
            let error = read(text).expect_err(words);
            assert!(error.starts_with("x.dat, line ") && error.contains(words), "{words}\n{error}");
        }
    }

    proptest! {
        #[test]
        fn no_file_makes_the_reader_panic(
            place in 0..OWN.len(), cut in 0..20usize, word in "[ -~\\n]{0,12}",
        ) {
            let end = (place + cut).min(OWN.len());
            let text = format!("{}{word}{}", &OWN[..place], &OWN[end..]);
            if let Ok(matrices) = read(&text) {
                prop_assert!(matrices.n() >= 2);
            }
        }
    }
}
