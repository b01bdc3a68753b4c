//! What was moved, and why, in words for the user.

use super::Recovery;
use super::rows::Keys;
use crate::results::schema::columns::Table;
use crate::results::storage::folder::TableSet;

/// Why the config does not ask for a trial.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reason {
    /// The config has no such arm.
    Arm,
    /// The trial has another seed than the config gives it.
    Seed,
    /// The trial's number is not below `repeats`.
    Repeats,
    /// The trial ran without the trace that the config asks for.
    Trace,
    /// The trial failed, crashed or timed out, and is to be run again.
    Retried,
}

impl Recovery<'_> {
    pub(super) fn count(&mut self, reason: Reason, trials: u64) {
        *self.moved.entry(reason).or_default() += trials;
    }

    /// Takes note of a set's trials that are not asked for.
    pub(super) fn count_stale(&mut self, set: &TableSet, keys: &Keys) {
        let origin = keys.metadata.origin();
        if origin.seed != self.spec.seed || origin.experiment != self.spec.experiment {
            self.foreign.entry(origin.to_string()).or_default().push(set.path(Table::Trials));
        }
        for (&(id, _), &reason) in &keys.stale {
            self.count(reason, 1);
            if reason == Reason::Arm {
                self.gone_arms.insert(id);
            }
        }
    }

    /// One notice a reason.
    pub(super) fn summarise(&mut self) {
        let Some(folder) = self.superseded.made() else { return };
        let own = format!("this is `{}` with seed {}", self.spec.experiment, self.spec.seed);
        for (origin, paths) in &self.foreign {
            let (first, more) = (paths[0].display(), paths.len() - 1);
            let more = if more == 0 { String::new() } else { format!(" and {more} more") };
            self.notices.push(format!(
                "{first}{more}: from {origin}, but {own}; moved to {}",
                folder.display()
            ));
        }
        for (reason, trials) in &self.moved {
            let why = match reason {
                Reason::Arm => {
                    let ids: Vec<String> = self.gone_arms.iter().map(ToString::to_string).collect();
                    let shown = ids.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
                    let more = ids
                        .len()
                        .checked_sub(4)
                        .map_or(String::new(), |more| format!(" and {} more", more + 1));
                    format!("the config no longer has their arms ({shown}{more})")
                }
                Reason::Seed => "the config gives them different seeds".to_owned(),
                Reason::Repeats if self.spec.limits.is_some() => {
                    "the stopping rule in `repeats` was satisfied by the trials before them"
                        .to_owned()
                }
                Reason::Repeats => {
                    format!("their numbers are not below repeats = {}", self.spec.repeats)
                }
                Reason::Trace => {
                    format!(
                        "they ran without output.trace = \"{}\" and are run again",
                        self.spec.trace.as_str()
                    )
                }
                Reason::Retried => {
                    "they failed, crashed or timed out, and are run again (--retry-failed)"
                        .to_owned()
                }
            };
            self.notices.push(format!("{trials} trials moved to {}: {why}", folder.display()));
        }
    }
}
