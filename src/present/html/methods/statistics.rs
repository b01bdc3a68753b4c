//! The statistics in words: intervals, comparisons, and what the pictures draw.

use super::text::Text;
use crate::analysis::comparison::Ground;
use crate::analysis::{CONFIDENCE, DifferenceMethod, RateInterval, RateMethod};
use crate::present::comparison::{interval_name, interval_over};
use crate::present::format::{count, percent, real};
use crate::stats::{BOOTSTRAP_RESAMPLES, ERT_SUCCESSES};

/// What was worked out.
#[derive(Clone, Debug)]
pub(crate) struct Statistics {
    /// Method and level of the success rates' intervals; the level of all that is said of
    /// differences.
    pub rates: RateInterval,
    /// Whether a trial of some arm can be successful.
    pub defines_success: bool,
    /// Whether no search draws a random number.
    pub exact: bool,
    /// Some arm has a success, and so an ERT and a run-length distribution.
    pub successes: bool,
    /// Pairs of arms that were compared, by how many tests, on which grounds, and how.
    pub comparisons: usize,
    /// Tests that were adjusted together.
    pub tests: usize,
    /// Tests of arms against their baselines, adjusted together and separately from the others.
    pub baseline_tests: usize,
    /// The arms that the stopping rule was to tell apart, whose test comes before all others.
    pub asked: Option<[String; 2]>,
    pub grounds: Vec<Ground>,
    pub method: Option<DifferenceMethod>,
    /// Words for the distributions of the rank tests of evaluations and of final fitness: of single
    /// comparisons, and of those over all values of swept keys.
    pub distributions: [[String; 2]; 2],
    /// Whether some are over all values of swept keys.
    pub strata: bool,
    /// How arms were told from their baselines, where they have any.
    pub baseline: Option<DifferenceMethod>,
    /// There are rows of generations.
    pub traced: bool,
}

impl Statistics {
    pub(super) fn say(&self, text: &mut Text) {
        let (level, fixed) = (percent(self.rates.confidence), percent(CONFIDENCE));
        let sequence = self.rates.method == RateMethod::Sequence;
        if !self.defines_success {
            text.say(
                "Success is not defined, because there is no target: no success rates are given",
            );
        } else if self.exact {
            text.say("All trials of an arm are the same, so that success rates and ERTs are exact");
        } else if sequence {
            text.say(format!(
                "The intervals of the success rates are {level} confidence sequences, which are \
                valid at all numbers of trials simultaneously"
            ));
            text.say(" (@robbins1970; @howard2021)");
        } else {
            text.say(format!("Success rates are given with Wilson's {level} score interval"));
            text.say(" (@wilson1927)");
        }
        text.say(". ");
        if self.successes {
            text.say(
                "The expected running time (ERT) is the number of evaluations that all trials \
                spent, divided by the number of successes",
            );
            text.say(" (@auger2005)");
            if !self.exact {
                self.bootstrap(text);
            }
            text.say(format!(". Run-length distributions have {fixed} bands"));
            text.say(" (@dvoretzky1956; @massart1990)");
            text.say(". ");
            if sequence {
                text.say("Neither is adjusted for the stopping rule. ");
            }
        }
        if self.traced {
            text.say("Best fitness is plotted as the median and the quartiles over the trials. ");
        }
        if let Some(method) = self.baseline {
            text.say(format!(
                "The difference from the baseline's success rate is given with {}",
                interval_name(method, self.rates.confidence)
            ));
            text.say(format!(" ({})", source(method)));
            if self.baseline_tests == 0 {
                text.say(
                    "; the verdict rests on the same tests as those between arms, with the \
                    p-values of all arms against their baselines adjusted together",
                );
                text.say(" (@holm1979)");
            }
            text.say(". ");
        }
        if let Some(method) = self.method {
            self.comparisons(method, text);
        }
    }

    /// The interval of the ERT.
    fn bootstrap(&self, text: &mut Text) {
        text.say(format!(
            ", with a bootstrap-t {} interval of its logarithm from {} resamples",
            percent(CONFIDENCE),
            count(BOOTSTRAP_RESAMPLES as u64)
        ));
        text.say(" (@efron1981)");
        text.say(format!(
            " (tails of 0.025 (1 - 5/d) for d successes; none for fewer than {ERT_SUCCESSES})"
        ));
    }

    fn comparisons(&self, method: DifferenceMethod, text: &mut Text) {
        let tested = |ground| self.grounds.contains(&ground);
        let interval = interval_name(method, self.rates.confidence);
        if tested(Ground::SuccessRate) {
            Self::success_rates(method, text);
            text.say(format!(", with {interval} of their difference"));
            text.say(format!(" ({})", source(method)));
            if self.strata {
                Self::strata(method, text);
            }
        } else if self.defines_success {
            text.say(format!("Differences of success rates are given with {interval}"));
            text.say(format!(" ({})", source(method)));
        }
        if tested(Ground::Evaluations) {
            text.say("; evaluations to success");
            self.evaluations(method, text);
            self.over_strata(method, 0, text);
        }
        if tested(Ground::FinalFitness) {
            text.say(match (tested(Ground::SuccessRate), self.defines_success) {
                (true, _) => "; the final fitness of arms that never succeeded",
                (false, true) => "; the final fitness was compared",
                (false, false) => "The final fitness was compared",
            });
            self.final_fitness(method, text);
            self.over_strata(method, 1, text);
        }
        text.say(if self.grounds.len() > 1 {
            ". A verdict rests on the first of these on which two arms differ"
        } else {
            ". A verdict rests on this test"
        });
        let (tests, comparisons) = (count(self.tests as u64), count(self.comparisons as u64));
        let over = match self.comparisons {
            1 => "one comparison".to_owned(),
            _ => format!("{comparisons} comparisons"),
        };
        match (&self.asked, self.tests) {
            (None, 0) if self.baseline_tests > 1 => {
                text.say(format!(
                    "; the p-values of the {} tests against baselines were adjusted together",
                    count(self.baseline_tests as u64)
                ));
                text.say(" (@holm1979)");
            }
            (None, 0 | 1) => {}
            (None, _) => {
                text.say(format!(
                    "; the p-values of {tests} tests in {over} were adjusted together"
                ));
                text.say(" (@holm1979)");
                if self.baseline_tests > 0 {
                    text.say(format!(
                        ", separately from those of {} tests against baselines",
                        count(self.baseline_tests as u64)
                    ));
                }
            }
            (Some([first, second]), _) => {
                text.say(format!(
                    "; the success rates of {first} and {second}, which the stopping rule was to \
                    tell apart, were tested first, at the full level"
                ));
                if self.tests > 0 {
                    text.say(match self.tests {
                        1 => "; the p-value of the other test was adjusted".to_owned(),
                        _ => format!(
                            "; the p-values of the other {tests} tests in {over} were adjusted \
                            together"
                        ),
                    });
                    text.say(" (@holm1979)");
                }
            }
        }
        let left = ((1.0 - self.rates.confidence) * 1e9).round() / 1e9;
        text.say(format!(", and differences are reported at a level of {}. ", real(left)));
    }

    fn success_rates(method: DifferenceMethod, text: &mut Text) {
        match method {
            DifferenceMethod::Independent => {
                text.say("Success rates were compared by Fisher's exact test");
                text.say(" (@fisher1935)");
            }
            DifferenceMethod::Paired => {
                text.say(
                    "Success rates were compared over pairs of trials with the same number by \
                    McNemar's exact test",
                );
                text.say(" (@mcnemar1947)");
            }
            DifferenceMethod::Sequence | DifferenceMethod::PairedSequence => {
                text.say(
                    "Success rates were compared by e-values, which are valid with the stopping \
                    rule",
                );
                text.say(" (@ramdas2023)");
            }
        }
    }

    fn strata(method: DifferenceMethod, text: &mut Text) {
        text.say("; over all swept values by ");
        match method {
            DifferenceMethod::Independent => {
                text.say("the test of Cochran, Mantel and Haenszel");
                text.say(" (@mantel1959)");
            }
            DifferenceMethod::Paired => text.say("McNemar's exact test over all pairs"),
            DifferenceMethod::Sequence | DifferenceMethod::PairedSequence => {
                text.say("the intervals of all values at once");
            }
        }
        text.say(format!(", with {} of the weighted mean difference", interval_over(method)));
        if method == DifferenceMethod::Independent {
            text.say(" (@miettinen1985)");
        }
    }

    /// The rank test over all swept values, of evaluations (0) or of final fitness (1).
    fn over_strata(&self, method: DifferenceMethod, place: usize, text: &mut Text) {
        if self.strata && method == DifferenceMethod::Independent {
            text.say(" (over all swept values by the test of van Elteren");
            text.say(" (@vanelteren1960)");
            text.say(format!("{})", self.distributions[place][1]));
        }
    }

    fn evaluations(&self, method: DifferenceMethod, text: &mut Text) {
        match method {
            DifferenceMethod::Independent => {
                text.say(" by the test of Mann and Whitney");
                text.say(" (@mann1947)");
                text.say(&*self.distributions[0][0]);
                text.say(", with the effect size A12");
                text.say(" (@vargha2000)");
            }
            DifferenceMethod::Paired => {
                text.say(" by the sign test of which trial of a pair needs fewer")
            }
            DifferenceMethod::Sequence | DifferenceMethod::PairedSequence => {
                text.say(" by bets on which trial of a pair needs fewer")
            }
        }
        text.say(", where a trial without success counts as longer than any other");
        text.say(" (@lachin1999)");
    }

    fn final_fitness(&self, method: DifferenceMethod, text: &mut Text) {
        text.say(" by ");
        match method {
            DifferenceMethod::Independent => {
                text.say("the test of Mann and Whitney");
                text.say(" (@mann1947)");
            }
            DifferenceMethod::Paired => {
                text.say("signed ranks");
                text.say(" (@wilcoxon1945)");
            }
            DifferenceMethod::Sequence | DifferenceMethod::PairedSequence => {
                text.say("bets on which trial of a pair ends lower");
            }
        }
        text.say(&*self.distributions[1][0]);
        text.say(", with the shift between them");
        text.say(" (@hodges1963)");
    }
}

/// Where the interval of a difference comes from.
fn source(method: DifferenceMethod) -> &'static str {
    match method {
        DifferenceMethod::Independent => "@newcombe1998",
        DifferenceMethod::Paired => "@tango1998",
        DifferenceMethod::Sequence => "@ramdas2023",
        DifferenceMethod::PairedSequence => "@waudbysmith2024",
    }
}
