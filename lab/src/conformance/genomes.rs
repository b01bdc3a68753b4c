//! Genomes that a problem makes: by sampling, by its own operators, by number.

use super::batch::Batch;
use super::subject::{Subject, seed};
use super::{Finding, Found};
use crate::problem::Format;
use crate::random::draws::Random;
use rand::RngExt;

/// Number of checked samples; the same on slow and fast machines.
const SAMPLES: usize = 256;

pub(super) fn sampling(subject: &Subject) -> Found {
    // The handle checks each gene against the encoding.
    let one = subject.sample(&seed(1), 0, SAMPLES)?;
    let other = subject.sample(&seed(2), 0, SAMPLES)?;
    let space = subject.description().space_size.unwrap_or(u64::MAX);
    let single = space == 1 || is_single(subject);
    let distinct = one.distinct();
    if distinct == 1 && !single {
        return Err(Finding::Failed(format!("all of {} samples are the same genome", one.rows())));
    }
    if one == other && !single {
        return Err(Finding::Failed("another seed gives the same genomes".to_owned()));
    }
    Ok(Finding::Passed(format!("{distinct} different genomes among {} samples", one.rows())))
}

/// Whether the encoding has one genome alone.
fn is_single(subject: &Subject) -> bool {
    crate::problem::Space::of(subject.description()).is_some_and(|space| space.size() == 1)
}

pub(super) fn validity(subject: &Subject) -> Found {
    if !subject.description().has_is_valid {
        return Ok(Finding::Skipped("it has no is_valid".to_owned()));
    }
    let samples = subject.sample(&seed(1), 0, SAMPLES)?;
    let valid = subject.is_valid(&samples)?.iter().filter(|valid| **valid == 1).count();
    let seen = format!("{valid} of {} samples keep the rules", samples.rows());
    Ok(if valid == 0 { Finding::Failed(seen) } else { Finding::Passed(seen) })
}

/// The rows that keep the problem's rules; all, where it has none.
fn valid_rows(subject: &Subject, batch: &Batch) -> Result<Vec<bool>, Finding> {
    if !subject.description().has_is_valid {
        return Ok(vec![true; batch.rows()]);
    }
    Ok(subject.is_valid(batch)?.into_iter().map(|valid| valid == 1).collect())
}

pub(super) fn operators(subject: &Subject) -> Found {
    let (has_crossover, has_mutate) =
        (subject.description().has_crossover, subject.description().has_mutate);
    if !has_crossover && !has_mutate {
        return Ok(Finding::Skipped("it has neither".to_owned()));
    }
    let first = subject.sample(&seed(1), 0, SAMPLES)?;
    let second = subject.sample(&seed(2), 0, SAMPLES)?;
    let (sound, other) = (valid_rows(subject, &first)?, valid_rows(subject, &second)?);
    let mut seen = Vec::new();
    if has_mutate {
        let mutants = subject.mutate(&seed(3), 0, &first)?;
        let kept = soundness(subject, "mutate", &mutants, &sound)?;
        let changed = changed(&first, &mutants);
        if changed == 0 {
            return Err(Finding::Failed(format!(
                "mutate changed none of {} genomes",
                first.rows()
            )));
        }
        seen.push(format!("mutate changed {changed} of {} genomes{kept}", first.rows()));
    }
    if has_crossover {
        let children = subject.crossover(&seed(3), 0, (&first, &second))?;
        let both: Vec<bool> = sound.iter().zip(&other).map(|(one, two)| *one && *two).collect();
        let kept = soundness(subject, "crossover", &children, &both)?;
        let new = changed(&first, &children);
        if new == 0 && changed(&first, &second) > 0 {
            return Err(Finding::Failed("every child is its first parent".to_owned()));
        }
        seen.push(format!("crossover gave {new} children other than the first parent{kept}"));
    }
    Ok(Finding::Passed(seen.join("; ")))
}

fn changed(before: &Batch, after: &Batch) -> usize {
    (0..before.rows()).filter(|row| before.row(*row) != after.row(*row)).count()
}

/// Number of valid parents from which on some offspring must be valid.
const FEW_PARENTS: usize = 10;

/// Reports the share of valid offspring of valid parents: a problem's operators may break
/// its rules, but not always.
fn soundness(
    subject: &Subject,
    call: &str,
    offspring: &Batch,
    sound: &[bool],
) -> Result<String, Finding> {
    let now = valid_rows(subject, offspring)?;
    let parents = sound.iter().filter(|sound| **sound).count();
    let kept = sound.iter().zip(&now).filter(|(before, now)| **before && **now).count();
    // A few may all be invalid by chance.
    if kept == 0 && parents >= FEW_PARENTS {
        return Err(Finding::Failed(format!(
            "all {parents} genomes that {call} made of valid ones break the problem's rules"
        )));
    }
    Ok(match subject.description().has_is_valid {
        true => format!(", {kept} of {parents} from valid ones are valid"),
        false => String::new(),
    })
}

pub(super) fn numbering(subject: &Subject) -> Found {
    let Some(size) = subject.description().space_size else {
        return Ok(Finding::Skipped("it does not enumerate".to_owned()));
    };
    let mut random = Random::seed_from_u64(1);
    let ends = [0, size - 1];
    let picked: Vec<u64> =
        ends.into_iter().chain((2..SAMPLES).map(|_| random.random_range(0..size))).collect();
    let has_number = subject.problem.has_number();
    for number in &picked {
        let genome = subject.enumerate(*number, 1)?;
        if !has_number {
            continue;
        }
        let back = subject.number(&genome)?[0];
        if back != *number {
            let back = if back == u64::MAX { "none".to_owned() } else { back.to_string() };
            return Err(Finding::Failed(format!(
                "the genome that enumerate gives for {number} has the number {back}"
            )));
        }
    }
    let run = SAMPLES.min(usize::try_from(size).unwrap_or(usize::MAX));
    let distinct = subject.enumerate(0, run)?.distinct();
    if distinct < run {
        return Err(Finding::Failed(format!(
            "the first {run} numbers give {distinct} different genomes"
        )));
    }
    if has_number {
        samples_have_their_numbers(subject)?;
    }
    let inverse = if has_number { ", and back" } else { "; it has no `number`" };
    Ok(Finding::Passed(format!("{} numbers below {size}{inverse}", picked.len())))
}

fn samples_have_their_numbers(subject: &Subject) -> Result<(), Finding> {
    let samples = subject.sample(&seed(1), 0, SAMPLES)?;
    for (row, number) in subject.number(&samples)?.into_iter().enumerate() {
        if number != u64::MAX && subject.enumerate(number, 1)? != samples.row(row) {
            return Err(Finding::Failed(format!(
                "a sample has the number {number}, but enumerate gives another genome for it"
            )));
        }
    }
    Ok(())
}

/// Whether a problem of these values does anything at all.
pub(super) fn smoke(subject: &Subject) -> Found {
    let samples = subject.sample(&seed(1), 0, 2)?;
    subject.evaluate(&samples)?;
    valid_rows(subject, &samples)?;
    if subject.description().has_render {
        subject.render(&samples.row(0), Format::Line)?;
    }
    Ok(Finding::Passed("works".to_owned()))
}
