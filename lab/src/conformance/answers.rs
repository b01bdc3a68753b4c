//! Whether answers follow from a call's arguments alone.

use super::batch::Batch;
use super::subject::{Subject, seed};
use super::{Finding, Found};
use crate::problem::{CallError, Format, Noise};
use std::thread;
use std::time::Duration;

/// Wait for answers that nobody asked a program for.
const SILENCE: Duration = Duration::from_millis(200);

/// One answer to each call that the problem has: the call's name, and what it gave as bytes.
type Answers = Vec<(&'static str, Vec<u8>)>;

/// A call with the first row of a piece, and the piece; its answer as bytes.
type Call<'a> = &'a dyn Fn(u64, &Batch) -> Result<Vec<u8>, CallError>;

/// Calls the problem in pieces of `size` rows; with `size` the number of all rows, each call once.
pub(super) fn ask(subject: &Subject, genomes: &Batch, size: usize) -> Result<Answers, CallError> {
    let rows = genomes.rows();
    let pieces: Vec<(usize, usize)> =
        (0..rows).step_by(size).map(|from| (from, rows.min(from + size))).collect();
    let each = |call: Call<'_>| {
        let bytes = pieces.iter().map(|(from, to)| call(*from as u64, &genomes.part(*from, *to)));
        bytes.collect::<Result<Vec<_>, _>>().map(|bytes| bytes.concat())
    };
    let (description, seed) = (subject.description(), seed(1));
    let mut answers: Answers = Vec::new();
    answers.push((
        "sample",
        each(&|first, part| Ok(subject.sample(&seed, first, part.rows())?.bytes().to_vec()))?,
    ));
    if description.noise != Noise::NoiselessUnknown {
        let fitness = |_, part: &Batch| Ok(bytemuck::cast_slice(&subject.evaluate(part)?).to_vec());
        answers.push(("evaluate", each(&fitness)?));
    }
    if description.is_noisy() {
        let noisy = |first, part: &Batch| {
            let fitness = subject.evaluate_noisy(&seed, first, part)?;
            Ok(bytemuck::cast_slice(&fitness).to_vec())
        };
        answers.push(("evaluate_noisy", each(&noisy)?));
    }
    if description.has_violations {
        let violations =
            |_, part: &Batch| Ok(bytemuck::cast_slice(&subject.figures(part)?.1).to_vec());
        answers.push(("evaluate_constrained", each(&violations)?));
    }
    if description.has_mutate {
        let mutated =
            |first, part: &Batch| Ok(subject.mutate(&seed, first, part)?.bytes().to_vec());
        answers.push(("mutate", each(&mutated)?));
    }
    if description.has_crossover {
        let others = subject.sample(&seed, 0, rows)?;
        let children = |first: u64, part: &Batch| {
            let others = others.part(first as usize, first as usize + part.rows());
            Ok(subject.crossover(&seed, first, (part, &others))?.bytes().to_vec())
        };
        answers.push(("crossover", each(&children)?));
    }
    if description.has_is_valid {
        answers.push(("is_valid", each(&|_, part| subject.is_valid(part))?));
    }
    if subject.problem.has_number() {
        let numbers = |_, part: &Batch| Ok(bytemuck::cast_slice(&subject.number(part)?).to_vec());
        answers.push(("number", each(&numbers)?));
    }
    for format in [Format::Line, Format::Board, Format::Svg] {
        if description.has_render {
            let text = subject.render(&genomes.row(0), format)?;
            answers.push(("render", text.unwrap_or_default().into_bytes()));
        }
    }
    Ok(answers)
}

/// The first call that answers differ in.
fn difference(one: &Answers, other: &Answers) -> Option<&'static str> {
    one.iter().zip(other).find(|(one, other)| one.1 != other.1).map(|(one, _)| one.0)
}

pub(super) fn repeatable(subject: &Subject) -> Found {
    let genomes = subject.sample(&seed(0), 0, subject.rows)?;
    let one = ask(subject, &genomes, subject.rows)?;
    // Some faults show at every second call alone, or after a few.
    for _ in 0..3 {
        if let Some(call) = difference(&one, &ask(subject, &genomes, subject.rows)?) {
            let words = format!("`{call}` gave another answer to the same call");
            return Err(Finding::Failed(words));
        }
    }
    let calls = one.len();
    Ok(Finding::Passed(format!("{calls} calls with {} rows, four times each", subject.rows)))
}

pub(super) fn rows(subject: &Subject) -> Found {
    let genomes = subject.sample(&seed(0), 0, subject.rows)?;
    let whole = ask(subject, &genomes, subject.rows)?;
    for size in [1, 3, 7] {
        let pieces = ask(subject, &genomes, size)?;
        if let Some(call) = difference(&whole, &pieces) {
            return Err(Finding::Failed(format!(
                "`{call}` gave other answers when {} rows were split into calls of {size}",
                subject.rows
            )));
        }
    }
    Ok(Finding::Passed(format!("{} rows in one call, and in calls of 1, 3 and 7", subject.rows)))
}

/// Threads that ask at once.
const THREADS: usize = 4;

pub(super) fn threads(subject: &Subject) -> Found {
    at_once(subject)?;
    Ok(Finding::Passed(format!("{THREADS} threads with {} rows, 8 times each", subject.rows)))
}

/// Checks that a request which waits in the pipe of a process changes no answer, and that nothing
/// else comes.
pub(super) fn frames(subject: &Subject) -> Found {
    let genomes = subject.sample(&seed(0), 0, subject.rows)?;
    let whole = ask(subject, &genomes, subject.rows)?;
    subject.library().ask_row_by_row(true);
    let rows = ask(subject, &genomes, subject.rows);
    subject.library().ask_row_by_row(false);
    if let Some(call) = difference(&whole, &rows?) {
        return Err(Finding::Failed(format!(
            "`{call}` gave another answer while the next request was in the pipe"
        )));
    }
    // Bytes that follow the last answer lie before the next one, whenever they arrive.
    subject.evaluate(&genomes.row(0))?;
    let unasked = |words| Finding::Failed(format!("the program {words}"));
    subject.library().is_silent(SILENCE).map_err(unasked)?;
    Ok(Finding::Passed("2 requests in the pipe of a process, then silence".to_owned()))
}

/// Repeats the calls of one thread in several threads at once.
fn at_once(subject: &Subject) -> Result<(), Finding> {
    let genomes = subject.sample(&seed(0), 0, subject.rows)?;
    let alone = ask(subject, &genomes, subject.rows)?;
    let together: Vec<Result<Option<&'static str>, CallError>> = thread::scope(|scope| {
        let work = || {
            // Several times: threads meet by chance.
            for _ in 0..8 {
                let answers = ask(subject, &genomes, subject.rows)?;
                if let Some(call) = difference(&alone, &answers) {
                    return Ok(Some(call));
                }
            }
            Ok(None)
        };
        let start = |_| thread::Builder::new().spawn_scoped(scope, work);
        let threads: Vec<_> = (0..THREADS).map(start).collect();
        let ended = threads.into_iter().map(|thread| match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(error) => Err(CallError {
                plugin: subject.library().name().to_owned(),
                call: "evaluate",
                message: format!("no thread can be started: {error}"),
            }),
        });
        ended.collect()
    });
    for answer in together {
        if let Some(call) = answer? {
            return Err(Finding::Failed(format!(
                "`{call}` gave another answer while {THREADS} threads called it"
            )));
        }
    }
    Ok(())
}

pub(super) fn instances(subject: &Subject) -> Found {
    let genomes = subject.sample(&seed(0), 0, subject.rows)?;
    let one = ask(subject, &genomes, subject.rows)?;
    let other = subject.again().map_err(|error| Finding::Failed(error.to_string()))?;
    // Compared as text, because a bound that is NaN does not equal itself.
    if format!("{:?}", other.description()) != format!("{:?}", subject.description()) {
        return Err(Finding::Failed("`describe` gave another description".to_owned()));
    }
    Ok(match difference(&one, &ask(&other, &genomes, subject.rows)?) {
        None => Finding::Passed(format!("two instances, {} calls each", one.len())),
        Some(call) => Finding::Failed(format!("`{call}` gave another answer in a second instance")),
    })
}

/// The hash of all answers, for another process to be compared with.
pub(super) fn digest(subject: &Subject) -> Found {
    // As many rows in each process, however fast it is.
    let genomes = subject.sample(&seed(0), 0, 8)?;
    let mut hasher = blake3::Hasher::new();
    hasher.update(format!("{:?}", subject.description()).as_bytes());
    for (call, answer) in ask(subject, &genomes, 8)? {
        hasher.update(call.as_bytes());
        hasher.update(&answer);
    }
    Ok(Finding::Passed(hasher.finalize().to_hex().to_string()))
}
