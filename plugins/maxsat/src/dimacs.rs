//! Files in the formats of DIMACS: `p cnf`, `p wcnf` with or without a top weight, and weighted
//! clauses without a header line as the MaxSAT Evaluation has them since 2022, with `h` for hard
//! ones.

use crate::formula::{Clauses, Formula, Literal};
use runner_plugin::data::{Cursor, DataText};

/// Maximum number of variables, and of clauses.
const MOST_VARIABLES: usize = 1_000_000;
const MOST_CLAUSES: usize = 10_000_000;
/// Maximum weight of all clauses: fitness is exact up to 2^53.
const HEAVIEST: i64 = 1_000_000_000_000_000;

/// Header of a file.
struct Header {
    variables: usize,
    clauses: Option<usize>,
    weighted: bool,
    /// Weight of hard clauses; `None` if there is none.
    top: Option<i64>,
}

/// Reads clauses. Hard ones weigh one more than all others together, so that a better assignment
/// never leaves more of them unsatisfied.
///
/// # Errors
/// Returns a message with the line of the first fault.
pub(crate) fn parse(text: &DataText) -> Result<Formula, String> {
    let mut cursor = text.cursor();
    cursor.skip_comments("c");
    let header = header(&mut cursor)?;
    let (mut clauses, mut hard, mut variables) = (Clauses::new(), Vec::new(), header.variables);
    loop {
        cursor.skip_comments("c");
        // Files of the SAT library end in a line of `%`.
        if matches!(cursor.peek(), None | Some("%")) {
            break;
        }
        let number = clauses.count() + 1;
        if header.clauses.is_some_and(|count| number > count) || number > MOST_CLAUSES {
            _ = cursor.word();
            let most = header.clauses.unwrap_or(MOST_CLAUSES);
            return Err(cursor.fault(format!(
                "there are more than {most} clauses; correct the header, or remove them"
            )));
        }
        let weight = weight(&mut cursor, &header, number)?;
        loop {
            let most = if header.clauses.is_some() { header.variables } else { MOST_VARIABLES };
            let what = format!("a literal of clause {number}, or 0 at its end,");
            let literal = cursor.integer(&what, -(most as i64)..=most as i64)?;
            if literal == 0 {
                break;
            }
            let variable = literal.unsigned_abs() as usize;
            variables = variables.max(variable);
            clauses.put(Literal { variable: variable as u32 - 1, value: u8::from(literal > 0) });
        }
        let is_open = clauses.end(weight.unwrap_or(0));
        hard.extend((weight.is_none() && is_open).then_some(number - 1));
    }
    finish(&cursor, &header, variables, clauses, &hard)
}

fn header(cursor: &mut Cursor<'_>) -> Result<Header, String> {
    if cursor.peek() != Some("p") {
        // The format of 2022 has no header.
        return Ok(Header { variables: 0, clauses: None, weighted: true, top: None });
    }
    let line = cursor.line().unwrap_or("");
    let words: Vec<&str> = line.split_whitespace().collect();
    let wrong = || {
        cursor.fault(format!(
            "the header is `{line}`, but must be `p cnf VARIABLES CLAUSES` or `p wcnf VARIABLES \
            CLAUSES TOP`, with at most {MOST_VARIABLES} variables and {MOST_CLAUSES} clauses"
        ))
    };
    let (kind, sizes, top) = match words.as_slice() {
        ["p", kind @ ("cnf" | "wcnf"), variables, clauses] => (*kind, [variables, clauses], None),
        ["p", "wcnf", variables, clauses, top] => ("wcnf", [variables, clauses], Some(top)),
        _ => return Err(wrong()),
    };
    let [Ok(variables), Ok(clauses)] = sizes.map(|word| word.parse::<usize>()) else {
        return Err(wrong());
    };
    let top = match top.map(|word| word.parse::<i64>()) {
        Some(Ok(top)) if top > 0 => Some(top),
        Some(_) => return Err(wrong()),
        None => None,
    };
    if !(1..=MOST_VARIABLES).contains(&variables) || clauses > MOST_CLAUSES {
        return Err(wrong());
    }
    Ok(Header { variables, clauses: Some(clauses), weighted: kind == "wcnf", top })
}

/// Returns the weight of the next clause; `None` if it is hard.
fn weight(cursor: &mut Cursor<'_>, header: &Header, number: usize) -> Result<Option<i64>, String> {
    if !header.weighted {
        return Ok(Some(1));
    }
    if header.clauses.is_none() && cursor.peek() == Some("h") {
        _ = cursor.word();
        return Ok(None);
    }
    let weight = cursor.integer(&format!("the weight of clause {number}"), 0..=i64::MAX)?;
    if header.top.is_some_and(|top| weight >= top) {
        return Ok(None);
    }
    if weight > HEAVIEST {
        return Err(cursor.fault(format!(
            "the weight of clause {number} is {weight}, but must be at most {HEAVIEST}"
        )));
    }
    Ok(Some(weight))
}

fn finish(
    cursor: &Cursor<'_>,
    header: &Header,
    variables: usize,
    mut clauses: Clauses,
    hard: &[usize],
) -> Result<Formula, String> {
    if let Some(count) = header.clauses.filter(|count| *count > clauses.count()) {
        return Err(
            cursor.fault(format!("the file ends after {} of {count} clauses", clauses.count()))
        );
    }
    if variables == 0 {
        return Err(cursor.fault("the file has no clause with a variable"));
    }
    let sum = |weights: &[i64]| weights.iter().try_fold(0i64, |sum, one| sum.checked_add(*one));
    let soft = sum(&clauses.weights).unwrap_or(i64::MAX);
    hard.iter().for_each(|clause| clauses.weights[*clause] = soft.saturating_add(1));
    if sum(&clauses.weights).is_none_or(|all| all > HEAVIEST) {
        return Err(cursor.fault(format!(
            "the clauses weigh more than {HEAVIEST} together, hard ones each one more than all \
            others; divide the weights"
        )));
    }
    Ok(Formula::new(variables, clauses))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<Formula, String> {
        parse(&DataText::new("x.cnf", text))
    }

    const OWN: &str = "c own\np cnf 3 3\n1 -2 0\n2\n3 0\nc between\n-1 -3 0\n";

    #[test]
    fn clauses_go_on_to_their_zero() {
        let formula = read(OWN).expect("good");
        assert_eq!((formula.variables(), formula.clauses()), (3, 3));
        assert_eq!(formula.unsatisfied(&[0, 0, 0]), 1);
        assert_eq!(formula.unsatisfied(&[1, 1, 0]), 0);
        // As files of the SAT library end.
        assert!(read(&format!("{OWN}%\n0\n")).is_ok());
    }

    #[test]
    fn weights_of_both_formats_are_the_same() {
        let old = read("p wcnf 2 3 100\n100 1 0\n4 -1 0\n5 2 -1 0\n").expect("good");
        let new = read("h 1 0\n4 -1 0\n5 2 -1 0\n").expect("good");
        for values in [[0, 0], [0, 1], [1, 0], [1, 1]] {
            assert_eq!(old.unsatisfied(&values), new.unsatisfied(&values));
        }
        // The hard clause weighs 10: 4 + 5 + 1.
        assert_eq!([old.unsatisfied(&[0, 0]), old.unsatisfied(&[1, 0])], [10, 9]);
        // Without a top weight, no clause is hard.
        let soft = read("p wcnf 2 3\n100 1 0\n4 -1 0\n5 2 -1 0\n").expect("good");
        assert_eq!(soft.unsatisfied(&[0, 0]), 100);
    }

    #[test]
    fn every_fault_is_named_with_its_line() {
        let cases = [
            ("", "x.cnf, line 1: the file has no clause with a variable"),
            ("p cnf 3\n", "line 1: the header is `p cnf 3`, but must be `p cnf VARIABLES CLAUSES`"),
            ("p cnf 99999999999 1\n", "but must be `p cnf VARIABLES CLAUSES`"),
            ("p cnf 3 99999999\n1 0", "and 10000000 clauses"),
            ("p cnf 0 0\n", "but must be `p cnf VARIABLES CLAUSES`"),
            ("p cnf 3 2\n1 0\n", "line 2: the file ends after 1 of 2 clauses"),
            ("p cnf 3 1\n1 0\n2 0\n", "line 3: there are more than 1 clauses; correct the header"),
            ("p cnf 3 1\n1 4 0\n", "line 2: a literal of clause 1, or 0 at its end, is `4`"),
            ("p cnf 3 1\n1 x 0\n", "line 2: a literal of clause 1, or 0 at its end, is `x`"),
            (
                "p cnf 3 1\n1 2",
                "line 2: the file ends before a literal of clause 1, or 0 at its end",
            ),
            ("p wcnf 3 1 9\n-5 1 0", "line 2: the weight of clause 1 is `-5`, but must be"),
            ("p wcnf 3 1 0\n5 1 0", "line 1: the header is `p wcnf 3 1 0`"),
            ("p wcnf 3 1\n9999999999999999 1 0", "but must be at most 1000000000000000"),
            ("h 1 0\n1000000000000000 1 0\n", "the clauses weigh more than 1000000000000000"),
        ];
        for (text, words) in cases {
            let error = read(text).expect_err(words);
            assert!(error.starts_with("x.cnf, line ") && error.contains(words), "{words}\n{error}");
        }
    }

    proptest! {
        #[test]
        fn no_file_makes_the_reader_panic(
            place in 0..OWN.len(), cut in 0..20usize, word in "[ -~\\n]{0,12}",
        ) {
            let end = (place + cut).min(OWN.len());
            let text = format!("{}{word}{}", &OWN[..place], &OWN[end..]);
            if let Ok(formula) = read(&text) {
                prop_assert!(formula.unsatisfied(&vec![0; formula.variables()]) >= 0);
            }
        }

        #[test]
        fn no_words_make_the_reader_panic(
            words in prop::collection::vec(prop::sample::select(vec![
                "p", "cnf", "wcnf", "h", "0", "1", "-1", "2", "c", "%", "\n", "99999999", "-",
                "9223372036854775807", "-9223372036854775808",
            ]), 0..30),
        ) {
            _ = read(&words.join(" "));
        }
    }
}
