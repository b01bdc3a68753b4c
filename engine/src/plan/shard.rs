//! Shards: parts of an experiment that run separately, on any machines, and are merged.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// One of `of` parts; sizes differ by at most one trial per arm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Shard {
    /// Number of the shard, from 1.
    pub number: u64,
    /// Number of shards, at least 1.
    pub of: u64,
}

/// Maximum number of shards of an experiment.
pub const MOST: u64 = 1_000_000;

impl Shard {
    /// Returns whether the number of the shard and the number of shards are in range.
    #[must_use]
    pub fn exists(self) -> bool {
        (1..=MOST).contains(&self.of) && (1..=self.of).contains(&self.number)
    }

    /// Returns the number of trials of this shard, for `arms` arms with `repeats` trials each.
    #[must_use]
    pub fn total(self, arms: u64, repeats: u64) -> u64 {
        let Shard { number, of } = self;
        let cut = |piece: u64| u128::from(repeats) * u128::from(piece) / u128::from(of);
        // `turns` counts the whole groups of `of` arms. `rest` is the number of arms after the last
        // group.
        let (turns, rest) = (arms / of, arms % of);
        let last = match number.checked_sub(rest) {
            Some(first) => cut(number) - cut(first),
            None => cut(number) + cut(of) - cut(of + number - rest),
        };
        u64::try_from(u128::from(turns) * u128::from(repeats) + last).unwrap_or(u64::MAX)
    }

    /// Returns the trials of an arm that belong to this shard. Each arm is cut into `of` ranges of
    /// trials, which the shards take in turn. Shards thus have equal sizes even if an arm has fewer
    /// trials than there are shards.
    #[must_use]
    pub fn trials(self, arm: usize, repeats: u64) -> Range<u64> {
        let piece = (self.number - 1 + self.of - arm as u64 % self.of) % self.of;
        let cut =
            |piece: u64| (u128::from(repeats) * u128::from(piece) / u128::from(self.of)) as u64;
        cut(piece)..cut(piece + 1)
    }

    /// Returns the shard that contains a trial.
    #[must_use]
    pub fn holding(of: u64, arm: usize, trial: u64, repeats: u64) -> Shard {
        // The last piece that begins at or before the trial.
        let piece = ((u128::from(trial) + 1) * u128::from(of) - 1) / u128::from(repeats.max(1));
        Shard { number: (piece as u64 + arm as u64 % of) % of + 1, of }
    }

    /// Returns the name of the shard's folder.
    #[must_use]
    pub fn folder(self, experiment: &str) -> String {
        format!("{experiment}.shard-{}-of-{}", self.number, self.of)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", self.number, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text
            .split_once('/')
            .and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((number, of)) if (Shard { number, of }).exists() => Ok(Shard { number, of }),
            _ => Err(format!(
                "a shard is given as I/N, such as 3/10, with I from 1 to N and N at most {MOST}"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_share_the_trials_out_and_are_of_one_size() {
        for (of, repeats, arms) in [(1, 5, 3), (3, 10, 4), (10, 7, 25), (4, 1, 8), (7, 700, 2)] {
            let mut sizes = vec![0; of as usize];
            for arm in 0..arms {
                let mut seen = vec![0; repeats as usize];
                for number in 1..=of {
                    let shard = Shard { number, of };
                    for trial in shard.trials(arm, repeats) {
                        seen[trial as usize] += 1;
                        sizes[number as usize - 1] += 1;
                        assert_eq!(
                            Shard::holding(of, arm, trial, repeats),
                            shard,
                            "trial {trial} of {repeats}"
                        );
                    }
                }
                assert!(seen.iter().all(|times| *times == 1), "{seen:?}");
            }
            for number in 1..=of {
                let total = Shard { number, of }.total(arms as u64, repeats);
                assert_eq!(total, sizes[number as usize - 1]);
            }
            let (least, most) = (sizes.iter().min(), sizes.iter().max());
            assert!(
                most.zip(least).is_some_and(|(most, least)| most - least <= arms as u64),
                "{sizes:?}"
            );
        }
    }

    #[test]
    fn only_shards_that_exist_are_read() {
        assert_eq!("3/10".parse(), Ok(Shard { number: 3, of: 10 }));
        for wrong in ["", "3", "0/10", "11/10", "3/0", "-1/2", "3/10/2", "a/b", "1/1000001"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
