//! `runner diff`: compares two runs of one experiment, as a gate.

use super::arms::tell_unfinished;
use super::comparison::{Arms, announce, refuse, samples_within, without_trials};
use super::output::{line, put};
use crate::analysis::Verdict;
use crate::analysis::comparison::{Comparison, Rule, compare, matched};
use crate::cli::Failure;
use crate::cli::arguments::{DiffArguments, FailOn};
use crate::cli::message::show;
use crate::exit::Exit;
use crate::present::comparison::legend;
use crate::present::report::{fitted, paragraph};
use crate::present::terminal::width;
use crate::results::Results;

/// Compares the arms of two runs, and fails if one got worse.
pub(super) fn diff(arguments: &DiffArguments) -> Result<Exit, Failure> {
    let opened = [Results::open(&arguments.new)?, Results::open(&arguments.old)?];
    opened.iter().for_each(tell_unfinished);
    let mut both = samples_within(&opened, arguments.budget)?.into_iter();
    let (new, old) = (both.next().unwrap_or_default(), both.next().unwrap_or_default());
    let found = matched(&new, &old);
    announce(&found, &arguments.new, &arguments.old);
    refuse(&found, arguments.across_problems)?;
    without_trials(&found.pairs).iter().for_each(show);
    let compared = compare(&found.pairs, false);
    if !compared.is_empty() {
        let words = legend(&compared, &Rule::Runs);
        let report = Arms::of(&new, Some(&old)).report(&compared, &Rule::Runs);
        let width = width().into();
        put(&(fitted(&[report], width, "") + &paragraph(&words, width)));
    }
    // An arm without usable trials in the new run counts as one that got worse.
    let lost = found.pairs.iter().filter(|(new, _)| new.trials() == 0).count() + found.gone.len();
    let arms = found.pairs.iter().flat_map(|(new, old)| [new, old]);
    let silent = arms.filter(|arm| arm.trials() == 0).count();
    let (gone, added) = (found.gone.len(), found.added.len());
    let changes = Changes { silent, gone, added, lost, ..Changes::of(&compared) };
    line!("{}", changes.words());
    if !changes.fail(arguments.fail_on) {
        return Ok(Exit::Done);
    }
    if lost == 0 {
        return Ok(Exit::SomeFailed);
    }
    let new = arguments.new.display();
    let words = format!("{lost} of the old run's arms have no usable trials in {new}");
    Err(Failure::new(Exit::SomeFailed, words))
}

/// Numbers of arms of the old run, by what changed.
#[derive(Default)]
struct Changes {
    compared: usize,
    worse: usize,
    better: usize,
    /// Arms that may be worse, depending on their failed trials.
    may_be_worse: usize,
    may_differ: bool,
    /// Arms without usable trials: in either run, and in the new one.
    silent: usize,
    lost: usize,
    gone: usize,
    added: usize,
}

impl Changes {
    fn of(compared: &[Comparison]) -> Self {
        let with = |verdict| compared.iter().filter(|one| one.verdict == verdict).count();
        // Failed trials do not make the gate pass.
        let open = |one: &&Comparison| {
            let against = one.failed() > 0 && one.if_against == Verdict::Worse;
            let turned = one.verdict_without_failures() == Verdict::Worse;
            one.verdict != Verdict::Worse && (against || turned)
        };
        Changes {
            compared: compared.len(),
            worse: with(Verdict::Worse),
            better: with(Verdict::Better),
            may_be_worse: compared.iter().filter(open).count(),
            may_differ: compared.iter().any(|one| matches!(one.verdict, Verdict::Open { .. })),
            ..Changes::default()
        }
    }

    fn words(&self) -> String {
        let Changes { compared, worse, better, .. } = self;
        let alike = compared - worse - better;
        let mut words = format!("{worse} worse, {better} better, {alike} cannot be told apart");
        for (number, what) in [
            (self.may_be_worse, "may be worse, given their failed trials"),
            (self.silent, "without usable trials"),
            (self.gone, "gone"),
            (self.added, "new"),
        ] {
            if number > 0 {
                words.push_str(&format!(", {number} {what}"));
            }
        }
        words
    }

    fn fail(&self, when: FailOn) -> bool {
        let worse = self.worse + self.may_be_worse + self.lost > 0;
        match when {
            FailOn::Never => false,
            FailOn::Worse => worse,
            FailOn::Changed => worse || self.better > 0 || self.may_differ,
        }
    }
}
