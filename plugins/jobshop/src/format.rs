//! Files in the standard format: jobs and machines, then a line per job with the machine (from 0)
//! and the time of each of its operations. Lines before that which begin with `#` are comments.

use crate::shop::{Operation, Shop};
use runner_plugin::data::DataText;

/// Maximum number of operations.
pub(crate) const MOST: usize = 65_536;
/// Maximum time of an operation.
const LONGEST: i64 = 1_000_000_000;

/// Reads a shop.
///
/// # Errors
/// Returns a message with the line of the first fault.
pub(crate) fn parse(text: &DataText) -> Result<Shop, String> {
    let mut cursor = text.cursor();
    cursor.skip_comments("#");
    let jobs = cursor.count("the number of jobs", 1..=MOST)?;
    let machines = cursor.count("the number of machines", 1..=MOST)?;
    if jobs * machines > MOST {
        return Err(cursor.fault(format!(
            "{jobs} jobs on {machines} machines have more than {MOST} operations, the most there \
            may be"
        )));
    }
    let mut operations = Vec::new();
    for job in 1..=jobs {
        let mut seen = vec![false; machines];
        for number in 1..=machines {
            let of = |what: &str| format!("the {what} of operation {number} of job {job}");
            let machine = cursor.count(&of("machine"), 0..=machines - 1)?;
            if std::mem::replace(&mut seen[machine], true) {
                return Err(cursor.fault(format!(
                    "job {job} comes to machine {machine} twice, but each job comes to each \
                    machine once"
                )));
            }
            let time = cursor.integer(&of("time"), 0..=LONGEST)? as u64;
            operations.push(Operation { machine, time });
        }
    }
    cursor.end(&format!("{jobs} jobs"))?;
    Ok(Shop { machines, operations })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<Shop, String> {
        parse(&DataText::new("x.txt", text))
    }

    const OWN: &str = "# an own shop\n2 3\n0 3 1 2 2 2\n0 2 2 1 1 4\n";

    #[test]
    fn operations_are_read_job_by_job() {
        let shop = read(OWN).expect("good");
        assert_eq!((shop.jobs(), shop.machines), (2, 3));
        assert_eq!(shop.operations[4], Operation { machine: 2, time: 1 });
    }

    #[test]
    fn every_fault_is_named_with_its_line() {
        let cases = [
            ("", "x.txt, line 1: the file ends before the number of jobs"),
            ("2", "line 1: the file ends before the number of machines"),
            ("0 3", "line 1: the number of jobs is `0`, but must be an integer from 1 to 65536"),
            ("60000 60000", "line 1: 60000 jobs on 60000 machines have more than 65536 operations"),
            ("99999999999999999999 1", "line 1: the number of jobs is `99999999999999999999`"),
            ("1 2\n0 -1 1 2", "line 2: the time of operation 1 of job 1 is `-1`, but must be"),
            ("1 2\n0 1 0 2", "line 2: job 1 comes to machine 0 twice"),
            ("1 2\n1 1 2 2", "line 2: the machine of operation 2 of job 1 is `2`, but must be"),
            ("1 2\n0 1.5 1 2", "the time of operation 1 of job 1 is `1.5`"),
            (
                "2 2\n0 1 1 2\n0 1 1",
                "line 3: the file ends before the time of operation 2 of job 2",
            ),
            ("1 2\n0 1 1 2\n0 5", "line 3: `0` follows after 1 jobs; correct the counts"),
        ];
        for (text, words) in cases {
            let error = read(text).expect_err(words);
            assert!(error.starts_with("x.txt, line ") && error.contains(words), "{words}\n{error}");
        }
    }

    proptest! {
        #[test]
        fn no_file_makes_the_reader_panic(
            place in 0..OWN.len(), cut in 0..20usize, word in "[ -~\\n]{0,12}",
        ) {
            let end = (place + cut).min(OWN.len());
            let text = format!("{}{word}{}", &OWN[..place], &OWN[end..]);
            if let Ok(shop) = read(&text) {
                prop_assert_eq!(shop.operations.len(), shop.jobs() * shop.machines);
            }
        }

        #[test]
        fn no_numbers_make_the_reader_panic(
            numbers in prop::collection::vec(-2..70_000i64, 0..30),
        ) {
            let words: Vec<String> = numbers.iter().map(ToString::to_string).collect();
            _ = read(&words.join(" "));
        }
    }
}
