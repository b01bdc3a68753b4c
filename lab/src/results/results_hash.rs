//! Results hash: one name for the values of all results of an experiment.
//!
//! It is a BLAKE3 of the trials, and of the generations if there is a trace, in the order of the
//! plan. Encoding and format of the tables do not enter it, nor do timings and messages of errors,
//! which depend on the machine. The summary follows from the trials, and does not enter it either.

use super::schema::row::GenerationRow;
use crate::plan::ArmId;
use crate::problem::Genome;
use crate::record::TrialRecord;
use blake3::{Hash, Hasher};

/// Version of the list of values; the beginning of a hash in text.
const VERSION: &str = "r1-";
/// Number of hex digits in text.
const DIGITS: usize = 32;
/// Bytes that are hashed at a time.
const BUFFER: usize = 1 << 16;

/// Hashes rows of one table, in the order of the plan.
#[derive(Default)]
pub(crate) struct RowHasher {
    hasher: Hasher,
    buffer: Vec<u8>,
}

impl RowHasher {
    /// Adds a trial of the arm.
    pub(crate) fn trial(&mut self, arm: ArmId, trial: &TrialRecord) {
        self.key(arm, trial.trial);
        self.u64(trial.seed);
        self.bytes(trial.outcome.as_str().as_bytes());
        self.u64(trial.success.into());
        self.optional(trial.best_fitness.map(f64::to_bits));
        self.optional(trial.best_violation.map(f64::to_bits));
        self.u64(trial.generations);
        self.u64(trial.evaluations);
        self.optional(trial.evaluations_to_success);
        self.optional(trial.valid.map(u64::from));
        self.genome(trial.best.as_ref());
        self.bytes(trial.best_text.as_deref().unwrap_or_default().as_bytes());
        // Few trials have one of these, so that the hash of all others is as it was.
        if let Some(error) = trial.best_error {
            self.optional(Some(error.to_bits()));
        }
        if let Some(saved) = trial.evaluations_saved {
            self.optional(Some(saved));
        }
        self.flush(BUFFER);
    }

    /// Adds a row of a trace.
    pub(crate) fn generation(&mut self, arm: ArmId, row: &GenerationRow) {
        let figures = &row.figures;
        self.key(arm, row.trial);
        self.u64(figures.generation);
        self.u64(figures.evaluations);
        for figure in [figures.best, figures.mean, figures.worst, figures.best_so_far] {
            self.u64(figure.to_bits());
        }
        let violations = figures.violations;
        let violations = violations.map(|one| [one.best, one.feasible, one.best_so_far]);
        for place in 0..3 {
            self.optional(violations.map(|all| all[place].to_bits()));
        }
        self.genome(row.genome.as_ref());
        // Few traces have these, so that the hash of all others is as it was.
        if let Some(counts) = row.operators {
            counts.to_array().into_iter().for_each(|count| self.optional(Some(count)));
        }
        self.flush(BUFFER);
    }

    pub(crate) fn finish(mut self) -> Hash {
        self.flush(0);
        self.hasher.finalize()
    }

    fn key(&mut self, arm: ArmId, trial: u64) {
        self.u64(arm.0);
        self.u64(trial);
    }

    fn u64(&mut self, value: u64) {
        self.buffer.extend(value.to_le_bytes());
    }

    fn optional(&mut self, value: Option<u64>) {
        self.buffer.push(value.is_some().into());
        self.u64(value.unwrap_or(0));
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.u64(bytes.len() as u64);
        self.buffer.extend(bytes);
    }

    fn genome(&mut self, genome: Option<&Genome>) {
        let (bits, length) = match genome {
            None => (0, 0),
            Some(Genome::U8(genes)) => (8, genes.len()),
            Some(Genome::U16(genes)) => (16, genes.len()),
            Some(Genome::U32(genes)) => (32, genes.len()),
            Some(Genome::F64(genes)) => (64, genes.len()),
        };
        self.buffer.push(bits);
        self.u64(length as u64);
        match genome {
            None => {}
            Some(Genome::U8(genes)) => self.buffer.extend(genes),
            Some(Genome::U16(genes)) => {
                self.buffer.extend(genes.iter().flat_map(|g| g.to_le_bytes()))
            }
            Some(Genome::U32(genes)) => {
                self.buffer.extend(genes.iter().flat_map(|g| g.to_le_bytes()))
            }
            Some(Genome::F64(genes)) => {
                self.buffer.extend(genes.iter().flat_map(|gene| gene.to_bits().to_le_bytes()));
            }
        }
    }

    fn flush(&mut self, from: usize) {
        if self.buffer.len() >= from {
            self.hasher.update(&self.buffer);
            self.buffer.clear();
        }
    }
}

/// Returns the hash of both tables in text, such as "r1-5f3c…"; `generations` is `None` without a
/// trace.
pub(crate) fn results_hash(trials: Hash, generations: Option<Hash>) -> String {
    let mut hasher = Hasher::new();
    hasher.update(trials.as_bytes());
    if let Some(generations) = generations {
        hasher.update(generations.as_bytes());
    }
    format!("{VERSION}{}", &hasher.finalize().to_hex()[..DIGITS])
}

/// Returns whether a text can be a results hash of this version.
#[must_use]
pub fn is_results_hash(text: &str) -> bool {
    let digits = text.strip_prefix(VERSION);
    digits.is_some_and(|digits| {
        digits.len() == DIGITS && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::fixtures::{record, spec};

    #[test]
    fn every_value_of_a_trial_enters_the_hash_and_its_timing_does_not() {
        let spec = spec(&[10], 3, crate::plan::settings::Trace::None);
        let hash = |trial: &TrialRecord| {
            let mut hasher = RowHasher::default();
            hasher.trial(ArmId(7), trial);
            hasher.finish()
        };
        let trial = record(&spec, 0, 1);
        let same = hash(&trial);
        let changed: Vec<TrialRecord> = [
            |one: &mut TrialRecord| one.trial += 1,
            |one: &mut TrialRecord| one.seed += 1,
            |one: &mut TrialRecord| one.success = !one.success,
            |one: &mut TrialRecord| one.best_fitness = one.best_fitness.map(|value| value + 1.0),
            |one: &mut TrialRecord| one.best_violation = Some(0.5),
            |one: &mut TrialRecord| one.generations += 1,
            |one: &mut TrialRecord| one.evaluations += 1,
            |one: &mut TrialRecord| one.evaluations_to_success = Some(123_456),
            |one: &mut TrialRecord| one.valid = one.valid.map_or(Some(true), |valid| Some(!valid)),
            |one: &mut TrialRecord| one.best = Some(Genome::U8(vec![3, 1])),
            |one: &mut TrialRecord| one.best_text = Some("another".to_owned()),
            |one: &mut TrialRecord| one.best_error = Some(0.5),
            |one: &mut TrialRecord| one.evaluations_saved = Some(5),
        ]
        .into_iter()
        .map(|change: fn(&mut TrialRecord)| {
            let mut other = trial.clone();
            change(&mut other);
            other
        })
        .collect();
        assert!(changed.iter().all(|other| hash(other) != same), "{changed:#?}");
        let mut timed = trial.clone();
        timed.timing.seconds += 1.0;
        timed.evaluations_after_best = Some(9);
        assert_eq!(hash(&timed), same);
        let text = results_hash(same, None);
        assert!(is_results_hash(&text) && !is_results_hash(&text[1..]), "{text}");
        assert_ne!(text, results_hash(same, Some(same)));
    }
}
