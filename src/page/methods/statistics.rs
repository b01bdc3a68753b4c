//! The statistics in words: intervals, comparisons, and what the pictures draw.

use super::facts::Facts;
use super::text::Text;
use crate::report::count;
use crate::results::CONFIDENCE;
use crate::stats::BOOTSTRAP_RESAMPLES;

/// What was worked out.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// Success rates have a confidence sequence: a question ended the trials.
    pub sequence: bool,
    /// Some arm has a success, and so an ERT and a run-length distribution.
    pub successes: bool,
    /// Pairs of arms that were compared.
    pub comparisons: usize,
    /// Of the arms that have a baseline.
    pub baselines: bool,
    /// There are rows of generations.
    pub traced: bool,
}

impl Statistics {
    pub fn say(&self, _facts: &Facts<'_>, text: &mut Text) {
        let level = format!("{} %", 100.0 * CONFIDENCE);
        if self.sequence {
            text.say("The intervals of the success rates are confidence sequences, which hold at all numbers of trials at once");
            text.cite(&["Robbins 1970", "Howard, Ramdas, McAuliffe and Sekhon 2021"]);
        } else {
            text.say(format!("Success rates are given with Wilson's {level} score interval"));
            text.cite(&["Wilson 1927"]);
        }
        text.say(". ");
        if self.successes {
            text.say("The expected running time (ERT) is the number of evaluations that all trials spent, divided by the number of successes");
            text.cite(&["Auger and Hansen 2005"]);
            text.say(format!(
                ", with a BCa bootstrap {level} interval of {} resamples",
                count(BOOTSTRAP_RESAMPLES as u64)
            ));
            text.cite(&["Efron 1987"]);
            text.say(format!(". Run-length distributions have {level} bands"));
            text.cite(&["Dvoretzky, Kiefer and Wolfowitz 1956", "Massart 1990"]);
            text.say(". ");
        }
        if self.traced {
            text.say("Best fitness is drawn as the median and the quartiles over the trials. ");
        }
        if self.baselines {
            text.say(format!("The difference to the baseline's success rate has Newcombe's {level} interval"));
            text.cite(&["Newcombe 1998"]);
            text.say(". ");
        }
        if self.comparisons > 0 {
            text.say("Success rates were compared by Fisher's exact test");
            text.cite(&["Fisher 1935"]);
            text.say(", with Newcombe's hybrid score interval of their difference");
            text.cite(&["Newcombe 1998"]);
            text.say(", and evaluations to success by the effect size A12");
            text.cite(&["Vargha and Delaney 2000"]);
            text.say(format!(
                ", a trial without success counting as longer than any other; p-values were adjusted for {} comparisons",
                count(self.comparisons as u64)
            ));
            text.cite(&["Holm 1979"]);
            text.say(", and differences called at a level of 0.05. ");
        }
    }
}
