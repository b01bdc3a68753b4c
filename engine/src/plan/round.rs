//! Rounds: parts of an experiment that has a stopping rule and runs in shards. A look at the
//! outcomes needs all trials before it. So shards run the trials of one look at a time.

use super::shard::Shard;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Trials between two looks: a range of trial numbers for each arm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Round {
    /// Number of the round, from 1.
    pub number: u32,
    /// Trial numbers of each arm, in plan order; empty for an arm that needs no more trials.
    pub trials: Vec<Range<u64>>,
}

impl Round {
    /// Returns whether the round fits an experiment with `arms` arms and `repeats` trials per arm.
    #[must_use]
    pub fn fits(&self, arms: usize, repeats: u64) -> bool {
        let within = |run: &Range<u64>| run.start <= run.end && run.end <= repeats;
        self.trials.len() == arms && self.trials.iter().all(within)
    }

    /// Returns the number of trials of all arms.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.trials.iter().map(|run| run.end - run.start).sum()
    }
}

/// Part of an experiment that one run does, while others do the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// Shard that the run does.
    pub shard: Shard,
    /// Round whose trials are divided into shards; `None` for all trials.
    pub round: Option<Round>,
}

impl Share {
    /// Creates a share of all trials.
    #[must_use]
    pub fn of_all(shard: Shard) -> Self {
        Share { shard, round: None }
    }

    /// Returns the trials of an arm that belong to this share. `repeats` is the number of trials of
    /// the arm; it is unused if there is a round.
    #[must_use]
    pub fn trials(&self, arm: usize, repeats: u64) -> Range<u64> {
        match self.round.as_ref().map(|round| &round.trials[arm]) {
            None => self.shard.trials(arm, repeats),
            Some(run) => {
                let piece = self.shard.trials(arm, run.end - run.start);
                run.start + piece.start..run.start + piece.end
            }
        }
    }

    /// Returns the name of the share's folder.
    #[must_use]
    pub fn folder(&self, experiment: &str) -> String {
        let round = self.round.as_ref().map(|round| format!(".round-{}", round.number));
        self.shard.folder(&format!("{experiment}{}", round.unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shards_of_a_round_share_its_trials_out() {
        let round = Round { number: 2, trials: vec![100..150, 7..7, 0..3] };
        assert_eq!(round.total(), 53);
        let share = |number| Share { shard: Shard { number, of: 4 }, round: Some(round.clone()) };
        for (arm, run) in round.trials.iter().enumerate() {
            let mut trials: Vec<u64> =
                (1..=4).flat_map(|number| share(number).trials(arm, 1_000)).collect();
            trials.sort_unstable();
            assert!(trials.into_iter().eq(run.clone()), "arm {arm}");
        }
        assert_eq!(share(3).folder("x"), "x.round-2.shard-3-of-4");
        assert_eq!(Share::of_all(Shard { number: 3, of: 4 }).folder("x"), "x.shard-3-of-4");
    }
}
