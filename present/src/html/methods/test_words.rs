//! Tests of differences as text.

use crate::analysis::DifferenceMethod;

/// Texts for one method of comparison, with its sources.
#[derive(Clone, Copy, Debug)]
pub(super) struct TestWords {
    /// Source of the interval of a difference of success rates.
    pub interval: &'static str,
    pub success_rates: &'static str,
    /// Test of success rates over all values of swept keys.
    pub strata: &'static str,
    pub interval_of_strata: &'static str,
    pub evaluations: &'static str,
    pub final_fitness: &'static str,
}

const SEQUENCE: TestWords = TestWords {
    interval: "@ramdas2023",
    success_rates: "by e-values, which are valid with the stopping rule (@ramdas2023)",
    strata: "the intervals of all values at once",
    interval_of_strata: "",
    evaluations: "by bets on which trial of a pair needs fewer",
    final_fitness: "bets on which trial of a pair ends lower",
};

impl TestWords {
    pub(super) fn of(method: DifferenceMethod) -> Self {
        match method {
            DifferenceMethod::Independent => TestWords {
                interval: "@newcombe1998",
                success_rates: "by Fisher's exact test (@fisher1935)",
                strata: "the test of Cochran, Mantel and Haenszel (@mantel1959)",
                interval_of_strata: " (@miettinen1985)",
                evaluations: "by the tests of Mann and Whitney (@mann1947){distribution}, and of \
                    Brunner and Munzel (@brunner2000), of which the greater p-value counts, with \
                    the effect size A12 (@vargha2000)",
                final_fitness: "the tests of Mann and Whitney (@mann1947) and of Brunner and \
                    Munzel (@brunner2000), of which the greater p-value counts",
            },
            DifferenceMethod::Paired => TestWords {
                interval: "@tango1998",
                success_rates: "over pairs of trials with the same number by McNemar's exact test \
                    (@mcnemar1947)",
                strata: "McNemar's exact test over all pairs",
                interval_of_strata: "",
                evaluations: "by the sign test of which trial of a pair needs fewer",
                final_fitness: "signed ranks (@wilcoxon1945)",
            },
            DifferenceMethod::Sequence => SEQUENCE,
            DifferenceMethod::PairedSequence => {
                TestWords { interval: "@waudbysmith2024", ..SEQUENCE }
            }
        }
    }
}
