//! Progress bars: one per running arm with its live success rate, and one for the experiment.

use super::line::{Label, Words, line, longest};
use super::screen;
use super::totals::{Totals, about, duration, rates, speed};
use crate::cli::message::show_plainly;
use crate::run::{ArmProgress, Event, Observer};
use crate::system::streams::Stream;
use crate::words::{count, counted};
use console::Style;
use indicatif::{MultiProgress, ProgressBar, ProgressState, ProgressStyle};
use parking_lot::Mutex;
use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Maximum number of arms shown at once, if the terminal has enough lines.
const SHOWN: usize = 8;
/// Redraws per second.
const REDRAWS: u8 = 10;
/// Default number of columns.
const USUAL: u16 = 80;

#[derive(Debug, Default)]
pub(super) struct Bars {
    experiment: Option<Experiment>,
}

#[derive(Debug)]
struct Experiment {
    totals: Totals,
    /// One label per arm.
    labels: Vec<Label>,
    bars: MultiProgress,
    overall: Shown,
    running: Vec<ArmBar>,
    /// Columns of the longest label.
    longest: usize,
}

/// A bar, and what its next redraw shows.
#[derive(Debug)]
struct Shown {
    bar: ProgressBar,
    next: Arc<Mutex<Next>>,
}

/// Text behind a bar, and the share of it that is filled.
#[derive(Debug, Default)]
struct Next {
    words: Words,
    share: f64,
}

/// Bar of a running arm.
#[derive(Debug)]
struct ArmBar {
    arm: usize,
    shown: Shown,
    /// Time at which the arm began to run, and its number of trials at that time.
    since: Instant,
    from: u64,
}

impl Shown {
    /// Creates a bar whose line is laid out at each redraw, for the current width of the terminal.
    fn new(bar: ProgressBar, label: Label, longest: usize, colour: Style) -> Self {
        let next = Arc::<Mutex<Next>>::default();
        let told = Arc::clone(&next);
        let draw = move |_: &ProgressState, out: &mut dyn Write| {
            let width = Stream::Error.size().map_or(USUAL, |(_, columns)| columns);
            let Next { words, share } = &*told.lock();
            // Nobody could receive the error.
            _ = out.write_str(&line(width.into(), &label, longest, *share, words, &colour));
        };
        let style =
            ProgressStyle::with_template("{line}").expect("the template is a literal of this file");
        bar.set_style(style.with_key("line", draw));
        Shown { bar, next }
    }

    /// Changes the words, of `done` of `all` trials. The position only asks for a redraw: any
    /// redraw shows words and share of the same time.
    fn tell(&self, words: Words, done: u64, all: u64) {
        let share = (done as f64 / all.max(1) as f64).min(1.0);
        *self.next.lock() = Next { words, share };
        self.bar.set_position(done);
    }
}

impl Observer for Bars {
    fn observe(&mut self, event: &Event<'_>) {
        if let Event::Started { plan, finished, target_trials, .. } = event {
            let labels = plan.arms.iter().map(|arm| Label::of_arm(plan, arm)).collect();
            let name = Label::of_experiment(plan);
            self.experiment =
                Some(Experiment::new(Totals::new(plan, finished, target_trials), labels, name));
            return;
        }
        let Some(experiment) = &mut self.experiment else {
            if let Event::Notice(notice) = event {
                show_plainly(notice);
            }
            return;
        };
        match event {
            Event::Started { .. } | Event::Generation(_) => {}
            Event::Running { arm } => experiment.run(*arm),
            Event::TargetsRaised { target_trials } => {
                experiment.totals.target_trials = target_trials.to_vec();
                experiment.tell(experiment.overall_words());
            }
            Event::Advanced { arm, progress } => experiment.advance(*arm, *progress),
            Event::Writing { share } => experiment.tell_writing(*share),
            Event::Notice(notice) => experiment.bars.suspend(|| show_plainly(notice)),
            Event::Ended { interrupted, elapsed } => {
                experiment.end(*interrupted, *elapsed);
                self.experiment = None;
            }
        }
    }
}

impl Experiment {
    fn new(totals: Totals, labels: Vec<Label>, name: Label) -> Self {
        let bars = MultiProgress::with_draw_target(screen::target(REDRAWS));
        // A single arm needs no bar next to that of the experiment.
        let several = labels.len() > 1;
        let longest = longest(labels.iter().filter(|_| several).chain([&name]));
        let bar = bars.add(ProgressBar::new(totals.total()));
        let overall = Shown::new(bar, name, longest, Style::new().for_stderr().green());
        overall.tell(Words::new(), totals.trials, totals.total());
        overall.bar.enable_steady_tick(Duration::from_millis(250));
        Experiment { totals, labels, bars, overall, running: Vec::new(), longest }
    }

    fn run(&mut self, arm: usize) {
        if self.labels.len() == 1 {
            return;
        }
        // One line is for the experiment's bar, one for the cursor.
        let lines =
            Stream::Error.size().map_or(SHOWN, |(rows, _)| usize::from(rows).saturating_sub(2));
        if self.running.iter().any(|running| running.arm == arm)
            || self.running.len() >= SHOWN.min(lines)
        {
            return;
        }
        let bar = self
            .bars
            .insert_before(&self.overall.bar, ProgressBar::new(self.totals.target_trials[arm]));
        let shown = Shown::new(
            bar,
            self.labels[arm].clone(),
            self.longest,
            Style::new().for_stderr().cyan(),
        );
        let from = self.totals.arms[arm].trials;
        shown.tell(Words::new(), from, self.totals.target_trials[arm]);
        self.running.push(ArmBar { arm, shown, since: Instant::now(), from });
    }

    fn advance(&mut self, arm: usize, progress: ArmProgress) {
        self.totals.advance(arm, progress);
        if let Some(place) = self.running.iter().position(|running| running.arm == arm) {
            let target_trials = self.totals.target_trials[arm];
            if progress.trials >= target_trials {
                let ArmBar { shown, .. } = self.running.remove(place);
                shown.bar.finish_and_clear();
                self.bars.remove(&shown.bar);
            } else {
                let ArmBar { shown, since, from, .. } = &self.running[place];
                let done_here = progress.trials - from;
                let words = arm_words(progress, target_trials, done_here, since.elapsed());
                shown.tell(words, progress.trials, target_trials);
            }
        }
        self.tell(self.overall_words());
    }

    /// Changes the words of the experiment's bar.
    fn tell(&self, words: Words) {
        self.overall.tell(words, self.totals.trials, self.totals.total());
    }

    /// Shows the share of the tables that is written.
    fn tell_writing(&self, share: f64) {
        let words = vec![vec!["writing tables".to_owned()]];
        self.overall.tell(words, (share * 1000.0) as u64, 1000);
    }

    fn overall_words(&self) -> Words {
        let totals = &self.totals;
        if let [arm] = totals.arms[..] {
            let done_here = totals.trials - totals.before;
            return arm_words(arm, totals.total(), done_here, totals.started.elapsed());
        }
        let mut words = vec![
            vec![format!("{}/{}", count(totals.trials), count(totals.total()))],
            self.arms_words(),
        ];
        if let (Some(per_second), Some(left)) = (totals.speed(), totals.left()) {
            words.push(left_words(left));
            words.push(vec![speed(per_second)]);
        }
        words
    }

    /// Returns texts such as "3/200 arms, 189 have no bar", the longest first.
    fn arms_words(&self) -> Vec<String> {
        let (done, all) = (self.totals.arms_done(), self.totals.arms.len());
        let words = format!("{done}/{all} arms");
        match all - done - self.running.len().min(all - done) {
            0 => vec![words],
            1 => vec![format!("{words}, 1 has no bar"), words],
            more => vec![format!("{words}, {} have no bar", count(more as u64)), words],
        }
    }

    fn end(&mut self, interrupted: bool, elapsed: Duration) {
        for running in self.running.drain(..) {
            running.shown.bar.finish_and_clear();
            self.bars.remove(&running.shown.bar);
        }
        self.overall.bar.finish_and_clear();
        let word = if interrupted { "interrupted after" } else { "done in" };
        message!(
            "{}: {}, {word} {}",
            self.totals.name,
            counted(self.totals.trials, "trial"),
            duration(elapsed)
        );
    }
}

/// Returns the texts of an arm's bar: "120/1,000", "success 0.52 (0.43 to 0.61)", "10 s left", "85
/// trials/s".
fn arm_words(progress: ArmProgress, repeats: u64, done_here: u64, elapsed: Duration) -> Words {
    let rates = rates(progress).into_iter().map(|rate| format!("success {rate}")).collect();
    let mut words = vec![vec![format!("{}/{}", count(progress.trials), count(repeats))], rates];
    if progress.failures > 0 {
        let least = progress.successes as f64 / progress.trials.max(1) as f64;
        words.push(vec![
            format!("{} failed: {least:.2}", count(progress.failures)),
            format!("{} failed", count(progress.failures)),
        ]);
    }
    let per_second = done_here as f64 / elapsed.as_secs_f64();
    if per_second.is_finite() && done_here > 0 {
        let left = Duration::try_from_secs_f64((repeats - progress.trials) as f64 / per_second);
        words.extend(left.ok().map(left_words));
        words.push(vec![speed(per_second)]);
    }
    words
}

/// Returns texts for the remaining time: "3 min 46 s left", "4 min left".
fn left_words(left: Duration) -> Vec<String> {
    [duration(left), about(left)].map(|time| format!("{time} left")).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totals(arms: usize) -> Totals {
        Totals {
            name: "queens".to_owned(),
            labels: vec!["ga".to_owned(); arms],
            target_trials: vec![100; arms],
            arms: vec![ArmProgress { trials: 40, successes: 20, failures: 0 }; arms],
            before: 0,
            trials: 40 * arms as u64,
            started: Instant::now(),
        }
    }

    /// Returns the experiment's line with its texts in order, and the number of bars of running
    /// arms.
    fn shown(arms: usize) -> (String, usize) {
        let labels = vec![Label::default(); arms];
        let mut experiment = Experiment::new(totals(arms), labels, Label::default());
        (0..arms).for_each(|arm| experiment.run(arm));
        let words = experiment.overall_words();
        let first = |forms: &Vec<String>| forms[0].clone();
        (words.iter().map(first).collect::<Vec<_>>().join("  "), experiment.running.len())
    }

    #[test]
    fn the_only_arm_has_one_line_that_says_all() {
        let (line, bars) = shown(1);
        assert!(line.starts_with("40/100  success 0.50 (0.35 to 0.65)  "), "{line}");
        assert_eq!(bars, 0);
        let (line, bars) = shown(3);
        assert!(line.starts_with("120/300  0/3 arms  "), "{line}");
        assert_eq!(bars, 3);
    }
}
