//! Bars: one for each running arm with its live success rate, and one for all.

use super::Display;
use super::tally::{Tally, duration, rate, speed};
use crate::names::{Parts, names_of};
use crate::plan::{Arm, Plan};
use crate::report::count;
use crate::run::{ArmProgress, Event};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::{Duration, Instant};

/// Arms shown at once; more would scroll a small terminal.
const SHOWN: usize = 8;
/// Longest label, in characters, where what differs between arms fits.
const LABEL: usize = 36;
/// Longest label shown.
const MOST: usize = 60;
/// Redraws a second.
const REDRAWS: u8 = 10;

#[derive(Debug, Default)]
pub struct Bars {
    experiment: Option<Experiment>,
}

#[derive(Debug)]
struct Experiment {
    tally: Tally,
    /// One per arm: what tells it from the others.
    names: Vec<String>,
    bars: MultiProgress,
    overall: ProgressBar,
    running: Vec<ArmBar>,
    label_width: usize,
}

/// The bar of an arm that is running.
#[derive(Debug)]
struct ArmBar {
    arm: usize,
    bar: ProgressBar,
    /// When it began to run, and how many trials it had then.
    since: Instant,
    from: u64,
}

impl Display for Bars {
    fn show(&mut self, event: &Event<'_>) {
        if let Event::Started { plan, finished, wanted, .. } = event {
            self.experiment = Some(Experiment::new(Tally::new(plan, finished, wanted), names(plan)));
            return;
        }
        let Some(experiment) = &mut self.experiment else {
            if let Event::Notice { message } = event {
                message!("{message}");
            }
            return;
        };
        match event {
            Event::Started { .. } => {}
            Event::Running { arm } => experiment.run(*arm),
            Event::Wanted { wanted } => {
                experiment.tally.wanted = wanted.to_vec();
                experiment.overall.set_length(experiment.tally.total());
                experiment.overall.set_message(experiment.overall_message());
            }
            Event::Advanced { arm, progress } => experiment.advance(*arm, *progress),
            Event::Writing => experiment.overall.set_message("writing tables"),
            Event::Notice { message } => {
                experiment.bars.suspend(|| message!("{message}"));
            }
            Event::Ended { interrupted, elapsed } => {
                experiment.end(*interrupted, *elapsed);
                self.experiment = None;
            }
        }
    }
}

impl Experiment {
    fn new(tally: Tally, names: Vec<String>) -> Self {
        let bars = MultiProgress::with_draw_target(ProgressDrawTarget::stderr_with_hz(REDRAWS));
        let overall = bars.add(ProgressBar::new(tally.total()));
        let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let label_width = longest.max(tally.name.chars().count().min(LABEL)).min(MOST);
        let style = style("{prefix} {bar:24.green/dim} {percent:>3} % {msg}");
        overall.set_style(style);
        overall.set_prefix(fit(&tally.name, label_width));
        overall.set_position(tally.trials);
        overall.enable_steady_tick(Duration::from_millis(250));
        Experiment { tally, names, bars, overall, running: Vec::new(), label_width }
    }

    fn run(&mut self, arm: usize) {
        if self.running.iter().any(|shown| shown.arm == arm) || self.running.len() >= SHOWN {
            return;
        }
        let bar = self.bars.insert_before(&self.overall, ProgressBar::new(self.tally.wanted[arm]));
        bar.set_style(style("{prefix} {bar:24.cyan/dim} {percent:>3} % {msg}"));
        bar.set_prefix(fit(&self.names[arm], self.label_width));
        let from = self.tally.arms[arm].trials;
        bar.set_position(from);
        self.running.push(ArmBar { arm, bar, since: Instant::now(), from });
    }

    fn advance(&mut self, arm: usize, progress: ArmProgress) {
        self.tally.advance(arm, progress);
        if let Some(shown) = self.running.iter().position(|shown| shown.arm == arm) {
            let wanted = self.tally.wanted[arm];
            if progress.trials >= wanted {
                let ArmBar { bar, .. } = self.running.remove(shown);
                bar.finish_and_clear();
                self.bars.remove(&bar);
            } else {
                let ArmBar { bar, since, from, .. } = &self.running[shown];
                bar.set_length(wanted);
                bar.set_position(progress.trials);
                bar.set_message(arm_message(progress, wanted, progress.trials - from, since.elapsed()));
            }
        }
        self.overall.set_position(self.tally.trials);
        self.overall.set_message(self.overall_message());
    }

    fn overall_message(&self) -> String {
        let tally = &self.tally;
        let mut message = format!(
            "{}/{}  {}/{} arms",
            count(tally.trials),
            count(tally.total()),
            tally.arms_done(),
            tally.arms.len()
        );
        if let (Some(per_second), Some(left)) = (tally.speed(), tally.left()) {
            message.push_str(&format!("  {}  {} left", speed(per_second), duration(left)));
        }
        message
    }

    fn end(&mut self, interrupted: bool, elapsed: Duration) {
        for shown in self.running.drain(..) {
            shown.bar.finish_and_clear();
        }
        self.overall.finish_and_clear();
        let word = if interrupted { "interrupted after" } else { "done in" };
        message!("{}: {} trials, {word} {}", self.tally.name, count(self.tally.trials), duration(elapsed));
    }
}

/// "120/1,000  success 0.52 [0.43, 0.61]  85 trials/s  10 s left"
fn arm_message(progress: ArmProgress, repeats: u64, done_here: u64, elapsed: Duration) -> String {
    let mut message = format!("{}/{}  success {}", count(progress.trials), count(repeats), rate(progress));
    if progress.failures > 0 {
        message.push_str(&format!("  {} failed", count(progress.failures)));
    }
    let per_second = done_here as f64 / elapsed.as_secs_f64();
    if per_second.is_finite() && done_here > 0 {
        let left = Duration::try_from_secs_f64((repeats - progress.trials) as f64 / per_second);
        message.push_str(&format!("  {}", speed(per_second)));
        message.extend(left.ok().map(|left| format!("  {} left", duration(left))));
    }
    message
}

/// Short names of a plan's arms.
fn names(plan: &Plan) -> Vec<String> {
    fn parts(arm: &Arm) -> Parts<'_> {
        Parts { operators: &arm.settings.operators.name, swept: arm.settings.swept.iter().collect() }
    }
    names_of(&plan.arms.iter().map(parts).collect::<Vec<_>>(), &plan.swept_keys, LABEL)
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the template is a literal of this file").progress_chars("━╸─")
}

/// Pads or cuts to exactly `width` characters.
fn fit(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return format!("{text:<width$}");
    }
    let kept: String = text.chars().take(width - 1).collect();
    format!("{kept}…")
}
