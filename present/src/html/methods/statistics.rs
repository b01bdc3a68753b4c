//! Statistics as text: intervals, comparisons, and the content of the charts.

use super::test_words::TestWords;
use super::values::when;
use crate::analysis::comparison::Criterion;
use crate::analysis::{CONFIDENCE, DifferenceMethod, RateInterval, RateMethod};
use crate::comparison::{interval_name, interval_over};
use crate::format::{percent, real};
use crate::stats::{BOOTSTRAP_RESAMPLES, ERT_SUCCESSES};
use crate::words::{count, counted};

/// Statistics of the report.
#[derive(Clone, Debug)]
pub(crate) struct Statistics {
    /// Method and level of the success rates' intervals. The level also holds for differences.
    pub rates: RateInterval,
    /// Whether a trial of some arm can be successful.
    pub defines_success: bool,
    /// Whether no search draws a random number.
    pub exact: bool,
    /// Whether the trials of some arm are all the same.
    pub some_exact: bool,
    /// Whether some arm has a success, and so an ERT and a run-length distribution.
    pub successes: bool,
    /// Number of compared pairs of arms.
    pub comparisons: usize,
    /// Number of tests that were adjusted together.
    pub tests: usize,
    /// Number of tests of arms against their baselines, adjusted together and separately from the
    /// others.
    pub baseline_tests: usize,
    /// Arms that the stopping rule compares, whose test comes before all others.
    pub asked: Option<[String; 2]>,
    pub criteria: Vec<Criterion>,
    /// Whether some compared arms have different budgets.
    pub budgets_differ: bool,
    /// Method of the comparisons of arms that draw random numbers, if there are any.
    pub method: Option<DifferenceMethod>,
    /// Whether the trials of one arm alone are all the same in some comparison, and in all.
    pub one_is_exact: bool,
    pub all_are_exact: bool,
    /// Distributions of the rank tests of evaluations and of final fitness, as text: for single
    /// comparisons, and for those over all values of swept keys.
    pub distributions: [[String; 2]; 2],
    /// Whether some comparisons are not over all values of swept keys, and whether some are.
    pub single: bool,
    pub strata: bool,
    /// Method of the comparison with baselines; `None` if there are none.
    pub baseline: Option<DifferenceMethod>,
    /// Whether the pictures of run lengths have bands.
    pub bands: bool,
    /// Whether the pictures of best fitness have quartiles; `None` without such a picture.
    pub quartiles: Option<bool>,
    /// Whether the problem has constraints.
    pub constraints: bool,
    /// Text about the ranking over problems; empty if arms were not ranked.
    pub ranks: String,
    /// Whether arms are in groups of those that are not told apart.
    pub grouped: bool,
}

const GROUPS: &str =
    "Arms that are not told apart share a letter (a compact letter display, @piepho2004). ";

impl Statistics {
    /// Returns the paragraph.
    pub(super) fn words(&self) -> String {
        [
            self.success_rates(),
            self.running_times(),
            self.quartiles.map_or_else(String::new, |quartiles| {
                let quartiles = when(quartiles, " and the quartiles");
                format!("Best fitness is plotted as the median{quartiles} over the trials. ")
            }),
            self.baseline.map_or_else(String::new, |method| self.against_baselines(method)),
            self.method.map_or_else(String::new, |method| self.comparisons(method)),
            when(self.grouped, GROUPS).to_owned(),
            self.ranks.clone(),
        ]
        .concat()
    }

    fn success_rates(&self) -> String {
        let level = percent(self.rates.confidence);
        if !self.defines_success {
            "Success is not defined, because there is no target: no success rates are given. "
                .to_owned()
        } else if self.exact {
            "All trials of an arm are the same, so that success rates and ERTs are exact. "
                .to_owned()
        } else if self.rates.method == RateMethod::InverseSampling {
            format!(
                "The intervals of the success rates are exact {level} intervals for trials that \
                end at a number of successes (@haldane1945; @jennison1983); where trials failed, \
                they are {level} confidence sequences (@robbins1970; @howard2021). Success rates \
                are successes divided by trials, which is biased upwards. "
            )
        } else if self.rates.method == RateMethod::Sequence {
            format!(
                "The intervals of the success rates are {level} confidence sequences, which are \
                valid at all numbers of trials simultaneously (@robbins1970; @howard2021). "
            )
        } else {
            let exact =
                when(self.some_exact, "; those of arms whose trials are all the same are exact");
            let wilson = format!("Wilson's {level} score interval (@wilson1927)");
            format!("Success rates are given with {wilson}{exact}. ")
        }
    }

    /// Returns the text about the ERT and the distributions of run lengths.
    fn running_times(&self) -> String {
        if !self.successes {
            return String::new();
        }
        let level = percent(CONFIDENCE);
        let interval = format!(
            ", with a bootstrap-t {level} interval of its logarithm from {} resamples (@efron1981; \
            tails of 0.025 (1 - 5/d) for d successes, none for fewer than {ERT_SUCCESSES}; of arms \
            of which some trials did not succeed, the upper end is at most the one from the bounds \
            of the mean success and of the chance of failure, @clopper1934)",
            count(BOOTSTRAP_RESAMPLES as u64)
        );
        let bands =
            format!("Run-length distributions have {level} bands (@dvoretzky1956; @massart1990). ");
        let unadjusted = match self.bands {
            true => "Neither is adjusted for the stopping rule. ",
            false => "It is not adjusted for the stopping rule. ",
        };
        format!(
            "The expected running time (ERT) is the number of evaluations of all trials, of a \
            success until it succeeded, divided by the number of successes (@auger2005){}. {}{}",
            when(!self.exact, &interval),
            when(self.bands, &bands),
            when(self.rates.method.is_sequential(), unadjusted)
        )
    }

    fn against_baselines(&self, method: DifferenceMethod) -> String {
        let verdict = when(
            self.baseline_tests == 0,
            "; the verdict rests on the same tests as those between arms, with the p-values of all \
            arms against their baselines adjusted together (@holm1979)",
        );
        format!(
            "The difference from the baseline's success rate is given with {} ({}){verdict}. ",
            interval_name(method, self.rates.confidence),
            TestWords::of(method).interval
        )
    }

    fn comparisons(&self, method: DifferenceMethod) -> String {
        let tested = |criterion| self.criteria.contains(&criterion);
        let words = TestWords::of(method);
        let mut tests = Vec::new();
        if tested(Criterion::SuccessRate) {
            tests.push(format!("Success rates were compared {}", self.tests_of_rates(method)));
        } else if self.defines_success {
            let interval =
                format!("{} ({})", interval_name(method, self.rates.confidence), words.interval);
            let over = format!("{}{}", interval_over(method), words.interval_of_strata);
            tests.push(match (self.single, self.strata) {
                (true, false) => {
                    format!("Differences of success rates are given with {interval}")
                }
                (true, true) => format!(
                    "Differences of success rates are given with {interval}, over all swept \
                    values with {over}"
                ),
                (false, _) => format!(
                    "Differences of success rates over all swept values are given with {over}"
                ),
            });
        }
        if tested(Criterion::Evaluations) {
            let single = words.evaluations.replace("{distribution}", &self.distributions[0][0]);
            tests.push(format!(
                "evaluations to success {}, where a trial without success counts as longer than \
                any other (@lachin1999)",
                self.with_strata(&single, method, 0)
            ));
        }
        if tested(Criterion::FinalFitness) {
            let which = match (tested(Criterion::SuccessRate), self.defines_success) {
                (true, _) => "the final fitness of arms that never succeeded",
                (false, true) => "the final fitness was compared",
                (false, false) => "The final fitness was compared",
            };
            let single = match self.all_are_exact {
                true => "by the sign test".to_owned(),
                false => format!("by {}{}", words.final_fitness, self.distributions[1][0]),
            };
            let infeasible = when(
                self.constraints,
                ", where a trial without a feasible genome counts as worse than any other",
            );
            let shift = when(self.single, ", with the shift between them (@hodges1963)");
            tests.push(format!(
                "{which} {}{infeasible}{shift}",
                self.with_strata(&single, method, 1)
            ));
        }
        let verdict = match self.criteria.len() {
            0 | 1 => "A verdict rests on this test",
            _ => "A verdict rests on the first of these on which two arms differ",
        };
        let level = real(((1.0 - self.rates.confidence) * 1e9).round() / 1e9);
        let budgets = when(
            self.budgets_differ,
            "Arms with different budgets were compared by what their trials reached within the \
            smaller of the two. ",
        );
        format!(
            "{budgets}{}. {}{verdict}{}, and differences are reported at a level of {level}. ",
            tests.join("; "),
            when(self.one_is_exact && !method.is_paired(), &self.arms_without_chance(method)),
            self.adjustment()
        )
    }

    /// Returns the tests of arms whose trials are all the same with other arms.
    fn arms_without_chance(&self, method: DifferenceMethod) -> String {
        let tested = |criterion| self.criteria.contains(&criterion);
        let by_signs = tested(Criterion::Evaluations) || tested(Criterion::FinalFitness);
        let rates = "by McNemar's exact test (@mcnemar1947), with Tango's interval (@tango1998)";
        let tests = match (tested(Criterion::SuccessRate), by_signs) {
            (true, true) => format!("{rates}, and by the sign test"),
            (true, false) => rates.to_owned(),
            (false, _) => "by the sign test".to_owned(),
        };
        let tests = match method.is_anytime() {
            true => "with confidence sequences and e-values of pairs".to_owned(),
            false => tests,
        };
        format!(
            "Trials that are all the same, because the search draws no random number, were \
            compared with those of the other arm in pairs: {tests}. "
        )
    }

    /// Returns the tests of success rates, and the interval of their difference.
    fn tests_of_rates(&self, method: DifferenceMethod) -> String {
        let words = TestWords::of(method);
        let single = format!(
            "{}, with {} of their difference ({})",
            words.success_rates,
            interval_name(method, self.rates.confidence),
            words.interval
        );
        let over = format!(
            "over all swept values by {}, with {} of the weighted mean difference{}",
            words.strata,
            interval_over(method),
            words.interval_of_strata
        );
        match (self.single, self.strata) {
            (true, false) => single,
            (true, true) => format!("{single}; {over}"),
            (false, _) => over,
        }
    }

    /// Returns the tests of evaluations (0) or of final fitness (1): of `single` comparisons, and
    /// over all swept values.
    fn with_strata(&self, single: &str, method: DifferenceMethod, place: usize) -> String {
        let over = match (method, place) {
            (DifferenceMethod::Independent, _) => format!(
                "by the test of van Elteren (@vanelteren1960){}",
                self.distributions[place][1]
            ),
            (DifferenceMethod::Paired, _) => "by the sign test over all pairs".to_owned(),
            // Bets over all values are those of single comparisons.
            _ => return single.to_owned(),
        };
        match (self.single, self.strata) {
            (true, false) => single.to_owned(),
            (true, true) => format!("{single} (over all swept values {over})"),
            (false, _) => format!("over all swept values {over}"),
        }
    }

    /// Returns the order of the tests, and the groups of p-values that were adjusted together.
    fn adjustment(&self) -> String {
        let tests = count(self.tests as u64);
        let of_baselines =
            format!("{} against baselines", counted(self.baseline_tests as u64, "test"));
        let over = match self.comparisons {
            1 => "one comparison".to_owned(),
            several => format!("{} comparisons", count(several as u64)),
        };
        let adjusted =
            |which: &str| format!("; the p-values of {which} were adjusted together (@holm1979)");
        match (&self.asked, self.tests) {
            (None, 0) if self.baseline_tests > 1 => adjusted(&format!("the {of_baselines}")),
            (None, 1) if self.baseline_tests > 1 => {
                adjusted(&format!("the {of_baselines}")) + ", separately from that between arms"
            }
            (None, 0 | 1) => String::new(),
            (None, _) => {
                let separately = format!(", separately from those of {of_baselines}");
                let separately = when(self.baseline_tests > 0, &separately);
                adjusted(&format!("{tests} tests in {over}")) + separately
            }
            (Some([first, second]), others) => {
                let others = match others {
                    0 => String::new(),
                    1 => "; the p-value of the other test was adjusted (@holm1979)".to_owned(),
                    _ => adjusted(&format!("the other {tests} tests in {over}")),
                };
                format!(
                    "; the success rates of {first} and {second}, which the stopping rule was to \
                    tell apart, were tested first, at the full level{others}{}",
                    when(
                        self.baseline_tests > 1,
                        &format!("{}, separately", adjusted(&format!("the {of_baselines}")))
                    )
                )
            }
        }
    }
}
