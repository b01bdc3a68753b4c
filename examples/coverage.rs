//! How often are sequential stopping rules right, how many trials do they take, does the advice on
//! the number of trials reach its power, how often is a gain by earlier restarts shown, where
//! there is one and where there is none, and do the intervals of expected running times, of medians
//! and of a difference over strata hold?
//! Simulates trials with the code that ends an experiment
//! and computes its statistics, and prints the tables of docs/analysis.md:
//!
//!     cargo run --release --example coverage
//!     cargo run --release --example coverage races

#![expect(clippy::print_stdout, reason = "an example prints what it finds")]

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use runner::analysis::{Counts, rates_apart};
use runner::plan::stopping::{StoppingCriterion, StoppingRule};
use runner::sequential::race::Standing;
use runner::sequential::{Outcomes, SequentialState};
use runner::stats::{
    End, Interval, Multiset, Reached, RunLength, Stratum, cluster_factor, cochran_mantel_haenszel,
    ert_interval, fisher, holm, incidence, inverse_sampling, mcnemar, median_interval, normal_cdf,
    normal_quantile, pairs_to_tell, quantile, rate_difference, restart_gain, stratified_difference,
    trials_to_tell, weighed_difference, weighed_mcnemar, wilson,
};

/// Simulated experiments per row: a share of 95 % is then known to within half a percent, with
/// `FEWER` to within one and a half.
const EXPERIMENTS: u64 = 4_000;
const FEWER: u64 = 1_000;
const MOST: u64 = 200_000;
const HALF_WIDTH: f64 = 0.05;

/// Simulates, and prints what it finds.
type Table = fn(&mut Xoshiro256PlusPlus);

fn main() {
    // Each table has its own draws, so that one changes without the others.
    let tables: [(&str, Table); 13] = [
        ("precision", precision),
        ("successes", |_| successes()),
        ("precise-differences", precise_differences),
        ("decisions", decisions),
        ("decided-differences", decided_differences),
        ("races", races),
        ("advice", advice),
        ("restarts", restarts),
        ("ert", expected_running_times),
        ("failures", rare_failures),
        ("medians", medians),
        ("strata", strata),
        ("common-starts", common_starts),
    ];
    let asked: Vec<String> = std::env::args().skip(1).collect();
    for (name, table) in tables {
        if asked.is_empty() || asked.iter().any(|one| one == name) {
            table(&mut Xoshiro256PlusPlus::seed_from_u64(2026));
        }
    }
}

fn precision(rng: &mut Xoshiro256PlusPlus) {
    // 0.25 (1.96 / h)²: the fixed sample size that suffices for every rate.
    let fixed = (0.25 * (1.959_964 / HALF_WIDTH) * (1.959_964_f64 / HALF_WIDTH)).ceil();
    println!(
        "half-width = {HALF_WIDTH}; {EXPERIMENTS} experiments per row; fixed: {fixed} trials\n"
    );
    println!(
        "| rate | coverage | Wilson's coverage | mean of the plain rate | mean trials | 90 % of \
        experiments within | share of the fixed size |"
    );
    println!("|---:|---:|---:|---:|---:|---:|---:|");
    let stopping_rule = StoppingRule {
        criterion: StoppingCriterion::Precision { half_width: HALF_WIDTH },
        confidence: 0.95,
    };
    for rate in [0.001, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 0.99] {
        let (mut held, mut by_wilson, mut rates) = (0, 0, 0.0);
        let mut trials: Vec<u64> = Vec::new();
        for _ in 0..EXPERIMENTS {
            let arms = run(&stopping_rule, &[rate], MOST, rng);
            let (successes, all) = count(&arms[0]);
            trials.push(all);
            rates += successes as f64 / all as f64;
            held += u64::from(
                stopping_rule
                    .interval(successes, all)
                    .is_some_and(|one| one.low <= rate && rate <= one.high),
            );
            by_wilson += u64::from(
                wilson(successes, all, 0.95).is_some_and(|one| one.low <= rate && rate <= one.high),
            );
        }
        let (mean, most) = spread(&mut trials);
        println!(
            "| {rate} | {:.1} % | {:.1} % | {:.4} | {mean:.0} | {most} | {:.2} |",
            percent(held, EXPERIMENTS),
            percent(by_wilson, EXPERIMENTS),
            rates / EXPERIMENTS as f64,
            mean / fixed
        );
    }
}

/// Calculates without draws: the probability of every end of the rule.
fn successes() {
    let (wanted, most) = (7, 1_000);
    println!("successes = {wanted}, max = {most}; exact\n");
    println!(
        "| rate | coverage | fewer than {wanted} successes | mean trials | mean of the plain rate \
        | mean without bias |"
    );
    println!("|---:|---:|---:|---:|---:|---:|");
    for rate in [0.001, 0.005, 0.01, 0.05, 0.1, 0.3, 0.5, 0.9] {
        let (mut held, mut fewer, mut trials, mut plain, mut unbiased) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for (r, n, chance) in ends_by_successes(wanted, most, rate) {
            let one = inverse_sampling(r, n, wanted, most, 0.95).expect("an end of the rule");
            held += if one.low <= rate && rate <= one.high { chance } else { 0.0 };
            fewer += if r < wanted { chance } else { 0.0 };
            trials += chance * n as f64;
            plain += chance * r as f64 / n as f64;
            let without = if r < wanted { 0 } else { 1 };
            unbiased += chance * (r - without) as f64 / (n - without) as f64;
        }
        println!(
            "| {rate} | {:.1} % | {:.1} % | {trials:.0} | {plain:.4} | {unbiased:.4} |",
            100.0 * held,
            100.0 * fewer
        );
    }
}

/// Returns every end of trials until `wanted` successes or `most` trials: successes, trials and
/// probability.
fn ends_by_successes(wanted: u64, most: u64, rate: f64) -> Vec<(u64, u64, f64)> {
    // Probability of each number of successes so far, if the trials have not ended.
    let mut going = vec![0.0; wanted as usize];
    going[0] = 1.0;
    let mut ends = Vec::new();
    for trial in 1..=most {
        if trial >= wanted {
            ends.push((wanted, trial, going[wanted as usize - 1] * rate));
        }
        for successes in (0..going.len()).rev() {
            let before = if successes == 0 { 0.0 } else { going[successes - 1] * rate };
            going[successes] = going[successes] * (1.0 - rate) + before;
        }
    }
    ends.extend((0..).zip(going).map(|(successes, chance)| (successes, most, chance)));
    ends
}

/// Two arms, each run until its own rate is precise: the interval of their difference.
fn precise_differences(rng: &mut Xoshiro256PlusPlus) {
    println!(
        "\nhalf-width = {HALF_WIDTH}, two independent arms; the difference of their rates; {FEWER} \
        experiments per row\n"
    );
    println!(
        "| rates | coverage | Newcombe's coverage | wrong verdicts | mean width | \
        Newcombe's width |"
    );
    println!("|---|---:|---:|---:|---:|---:|");
    let stopping_rule = StoppingRule {
        criterion: StoppingCriterion::Precision { half_width: HALF_WIDTH },
        confidence: 0.95,
    };
    for (p, q) in [(0.5, 0.5), (0.1, 0.1), (0.02, 0.02), (0.05, 0.1), (0.3, 0.5)] {
        let (mut held, mut by_newcombe, mut wrong) = (0, 0, 0);
        let mut widths = (0.0, 0.0);
        for _ in 0..FEWER {
            let arms = run(&stopping_rule, &[p, q], MOST, rng);
            let (first, second) = (count(&arms[0]), count(&arms[1]));
            let (found, _) = rates_apart(Counts::Arms(first, second), [Some(&stopping_rule); 2])
                .expect("there are trials");
            let (_, plain) = rate_difference(first, second, 0.95).expect("there are trials");
            held += u64::from(found.interval.low <= p - q && p - q <= found.interval.high);
            by_newcombe += u64::from(plain.low <= p - q && p - q <= plain.high);
            wrong += u64::from(is_wrong(found.interval, p - q));
            widths = (
                widths.0 + found.interval.high - found.interval.low,
                widths.1 + plain.high - plain.low,
            );
        }
        let mean = |sum: f64| sum / FEWER as f64;
        println!(
            "| {p} and {q} | {:.1} % | {:.1} % | {:.1} % | {:.3} | {:.3} |",
            percent(held, FEWER),
            percent(by_newcombe, FEWER),
            percent(wrong, FEWER),
            mean(widths.0),
            mean(widths.1)
        );
    }
}

fn decisions(rng: &mut Xoshiro256PlusPlus) {
    println!(
        "\ndecide; {EXPERIMENTS} experiments per row, at most {MOST} trials per arm (equal rates: \
        5,000); fixed: level 0.05, power 0.9\n"
    );
    println!(
        "| rates | right | wrong | cannot tell | mean trials per arm | 90 % of experiments within \
        | fixed size | share of it |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|");
    let stopping_rule = StoppingRule {
        criterion: StoppingCriterion::Decision { first: 0, second: 1 },
        confidence: 0.95,
    };
    for (p, q) in
        [(0.5, 0.5), (0.1, 0.1), (0.5, 0.55), (0.6, 0.7), (0.2, 0.4), (0.1, 0.5), (0.01, 0.03)]
    {
        let (mut right, mut wrong) = (0, 0);
        let mut trials: Vec<u64> = Vec::new();
        for _ in 0..EXPERIMENTS {
            let arms = run(&stopping_rule, &[p, q], if p == q { 5_000 } else { MOST }, rng);
            trials.push(arms[0].len() as u64);
            // The interval of the pairs has 0 in it exactly where nothing was decided.
            let (found, _) = rates_apart(pairs(&arms[1], &arms[0]), [Some(&stopping_rule); 2])
                .expect("there are trials");
            let excludes_0 = found.interval.low > 0.0 || found.interval.high < 0.0;
            right += u64::from(excludes_0 && found.interval.low > 0.0 && q > p);
            wrong += u64::from(excludes_0 && !(found.interval.low > 0.0 && q > p));
        }
        let (mean, most) = spread(&mut trials);
        let unclear = EXPERIMENTS - right - wrong;
        let fixed = trials_to_tell(p, q, 0.05, 0.9);
        println!(
            "| {p} and {q} | {:.1} % | {:.1} % | {:.1} % | {mean:.0} | {most} | {} | {} |",
            percent(right, EXPERIMENTS),
            percent(wrong, EXPERIMENTS),
            percent(unclear, EXPERIMENTS),
            fixed.map_or("–".to_owned(), |fixed| fixed.to_string()),
            fixed.map_or("–".to_owned(), |fixed| format!("{:.2}", mean / fixed)),
        );
    }
}

/// Runs, by their chance of success at each evaluation: constant, none at first, of two kinds, or
/// with runs that get stuck.
#[derive(Clone, Copy)]
enum Length {
    Constant,
    Late,
    TwoKinds,
    Stuck,
}

impl Length {
    fn draw(self, rng: &mut Xoshiro256PlusPlus) -> RunLength {
        let mut waiting = |chance: f64| waiting(chance, rng);
        match self {
            Length::Constant => RunLength { evaluations: waiting(0.001), end: End::Solved },
            Length::Late => RunLength { evaluations: 300 + waiting(0.001), end: End::Solved },
            Length::TwoKinds => {
                let chance = if waiting(0.5) == 1 { 0.003 } else { 0.0006 };
                RunLength { evaluations: waiting(chance), end: End::Solved }
            }
            // Whichever comes first.
            Length::Stuck => {
                let (success, stuck) = (waiting(0.001), waiting(0.0005));
                let end = if success <= stuck { End::Solved } else { End::Stuck };
                RunLength { evaluations: success.min(stuck), end }
            }
        }
    }

    /// Expected evaluations of a run that is given up after a number of evaluations, and the
    /// probability that it succeeds before.
    fn until(self, after: f64) -> (f64, f64) {
        // Of a constant chance.
        let constant = |chance: f64, after: f64| {
            let solved = 1.0 - (1.0 - chance).powf(after.max(0.0));
            (solved / chance, solved)
        };
        match self {
            Length::Constant => constant(0.001, after),
            Length::Late => {
                let (spent, solved) = constant(0.001, after - 300.0);
                (after.min(300.0) + spent, solved)
            }
            Length::TwoKinds => {
                let ((spent, solved), (slow, slowly)) =
                    (constant(0.003, after), constant(0.0006, after));
                ((spent + slow) / 2.0, (solved + slowly) / 2.0)
            }
            Length::Stuck => {
                let (spent, _) = constant(1.0 - (1.0 - 0.001) * (1.0 - 0.0005), after);
                (spent, 0.001 * spent)
            }
        }
    }

    /// Expected evaluations to success if every run is given up after one of these numbers, each
    /// equally often.
    fn cost<const N: usize>(self, after: [f64; N]) -> f64 {
        let both = after.map(|after| self.until(after));
        both.iter().map(|(spent, _)| spent).sum::<f64>()
            / both.iter().map(|(_, solved)| solved).sum::<f64>()
    }
}

/// Uniform in (0, 1].
fn unit(rng: &mut Xoshiro256PlusPlus) -> f64 {
    ((rng.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64
}

/// Simulated arms: how often a gain is shown, how often its interval contains the true gain of the
/// judged cut-offs, and the true gain of the proposed cut-off.
fn restarts(rng: &mut Xoshiro256PlusPlus) {
    println!("\nearlier restarts; {EXPERIMENTS} arms per row\n");
    println!(
        "| chance of success per evaluation | budget | trials | gain shown | coverage of the true \
        gain | true gain of the cut-off where shown |"
    );
    println!("|---|---:|---:|---:|---:|---:|");
    let lines = [
        ("constant", Length::Constant, None),
        ("constant", Length::Constant, Some(700)),
        ("constant, and one to get stuck", Length::Stuck, None),
        ("none at first, then constant", Length::Late, None),
        ("two kinds of runs", Length::TwoKinds, None),
        ("two kinds of runs", Length::TwoKinds, Some(4_000)),
    ];
    for (words, length, budget) in lines {
        for trials in [100, 300, 1_000] {
            let (mut shown, mut held, mut told, mut gained) = (0, 0, 0, 0.0);
            for _ in 0..EXPERIMENTS {
                let run = |rng: &mut Xoshiro256PlusPlus| match (length.draw(rng), budget) {
                    (run, Some(budget)) if run.evaluations > budget => {
                        RunLength { evaluations: budget, end: End::Cut }
                    }
                    (run, _) => run,
                };
                let runs: Vec<RunLength> = (0..trials).map(|_| run(rng)).collect();
                let Some(found) = restart_gain(&runs, 20, 0.95) else { continue };
                let whole = length.cost([budget.map_or(1e9, |budget| budget as f64)]);
                let judged = whole / length.cost(found.judged.map(|after| after as f64));
                told += 1;
                held += u64::from(found.interval.low <= judged && judged <= found.interval.high);
                if found.is_shown() {
                    shown += 1;
                    gained += whole / length.cost([found.after as f64]);
                }
            }
            println!(
                "| {words} | {} | {trials} | {:.1} % | {} | {} |",
                budget.map_or("–".to_owned(), |budget| budget.to_string()),
                percent(shown, EXPERIMENTS),
                if told == 0 {
                    "–".to_owned()
                } else {
                    format!("{:.1} %", 100.0 * held as f64 / told as f64)
                },
                if shown == 0 { "–".to_owned() } else { format!("{:.2}", gained / shown as f64) },
            );
        }
    }
}

/// Run lengths of the tables of intervals, each with its budget.
const LENGTHS: [(&str, &[f64], Option<u64>); 6] = [
    ("constant chance 0.001", &[0.001], None),
    ("constant chance 0.3", &[0.3], None),
    ("constant chance 0.001", &[0.001], Some(700)),
    ("constant chance 0.001", &[0.001], Some(220)),
    ("two kinds of runs, 0.003 and 0.0006", &[0.003, 0.0006], Some(700)),
    ("two kinds of runs, 0.003 and 0.0006", &[0.003, 0.0006], Some(4_000)),
];

/// Draws the number of evaluations until the first success of a constant chance.
fn waiting(chance: f64, rng: &mut Xoshiro256PlusPlus) -> u64 {
    (unit(rng).ln() / (1.0 - chance).ln()).floor() as u64 + 1
}

/// Runs of these kinds, each equally likely.
fn runs_of(
    chances: &[f64],
    budget: Option<u64>,
    trials: usize,
    rng: &mut Xoshiro256PlusPlus,
) -> Vec<RunLength> {
    let run = |_| {
        let chance = chances[(draw(rng) * chances.len() as f64) as usize];
        let evaluations = waiting(chance, rng);
        match budget.filter(|budget| evaluations > *budget) {
            Some(evaluations) => RunLength { evaluations, end: End::Cut },
            None => RunLength { evaluations, end: End::Solved },
        }
    };
    (0..trials).map(run).collect()
}

/// Coverage of the ERT's interval, and of the BCa interval that was rejected.
fn expected_running_times(rng: &mut Xoshiro256PlusPlus) {
    println!("\nexpected running time; {EXPERIMENTS} arms per row\n");
    println!(
        "| chance of success per evaluation | budget | trials | with an interval | \
        of these, right | of all, wrong | median of upper over lower end | BCa: \
        of all, wrong | upper over lower end |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|");
    for (words, chances, budget) in LENGTHS {
        let within = budget.map_or(1e9, |budget| budget as f64);
        let solved = |chance: f64| 1.0 - (1.0 - chance).powf(within);
        let truth = chances.iter().map(|one| solved(*one) / one).sum::<f64>()
            / chances.iter().map(|one| solved(*one)).sum::<f64>();
        for trials in [2, 3, 5, 6, 8, 10, 15, 20, 50, 100] {
            let (mut told, mut held, mut succeeded, mut by_bca) = (0, 0, 0, 0);
            let (mut ratios, mut bca_ratios) = (Vec::new(), Vec::new());
            for arm in 0..EXPERIMENTS {
                let runs = runs_of(chances, budget, trials, rng);
                let of = |solved: bool| -> Multiset<u64> {
                    let own = runs.iter().filter(|run| (run.end == End::Solved) == solved);
                    own.map(|run| run.evaluations).collect()
                };
                let Some(found) = ert_interval(&of(true), &of(false), arm) else { continue };
                if let Some(one) = found.interval {
                    let high = one.high.unwrap_or(f64::INFINITY);
                    told += 1;
                    held += u64::from(one.low <= truth && truth <= high);
                    ratios.push(high / one.low);
                }
                let one = bca(&runs, found.value, rng);
                succeeded += 1;
                by_bca += u64::from(one.low <= truth && truth <= one.high);
                bca_ratios.push(one.high / one.low);
            }
            let share = |count: u64, of: u64| match of {
                0 => "–".to_owned(),
                _ => format!("{:.1} %", percent(count, of)),
            };
            println!(
                "| {words} | {} | {trials} | {} | {} | {} | {} | {} | {} |",
                budget.map_or("–".to_owned(), |budget| budget.to_string()),
                share(told, EXPERIMENTS),
                share(held, told),
                share(told - held, EXPERIMENTS),
                middle(ratios),
                share(succeeded - by_bca, EXPERIMENTS),
                middle(bca_ratios),
            );
        }
    }
}

/// Coverage of the ERT's interval where a share of trials never succeeds within a long budget.
fn rare_failures(rng: &mut Xoshiro256PlusPlus) {
    const BUDGET: u64 = 100_000;
    const CHANCE: f64 = 1.0 / 800.0;
    println!("\nrare failures, of {BUDGET} evaluations; {EXPERIMENTS} arms per row\n");
    println!(
        "| failures | trials | with a failure | of these, right | upper over lower end | without \
        one: right |"
    );
    println!("|---|---:|---:|---:|---:|---:|");
    for (share, trials) in [(0.01, 100), (0.02, 100), (0.03, 100), (0.1, 100), (0.01, 300)] {
        let truth = 1.0 / CHANCE + share / (1.0 - share) * BUDGET as f64;
        let (mut failed, mut held, mut ratios) = (0, [0, 0], Vec::new());
        for arm in 0..EXPERIMENTS {
            let (mut to_success, mut unsuccessful) = (Multiset::default(), Multiset::default());
            for _ in 0..trials {
                if draw(rng) < share {
                    unsuccessful.insert(BUDGET);
                } else {
                    to_success.insert(waiting(CHANCE, rng));
                }
            }
            let found = ert_interval(&to_success, &unsuccessful, arm);
            let one = found.and_then(|ert| ert.interval).expect("many succeed");
            let high = one.high.unwrap_or(f64::INFINITY);
            let fails = usize::from(!unsuccessful.is_empty());
            held[fails] += u64::from(one.low <= truth && truth <= high);
            if fails == 1 {
                failed += 1;
                ratios.push(high / one.low);
            }
        }
        let without = EXPERIMENTS - failed;
        println!(
            "| {:.0} % | {trials} | {:.1} % | {:.1} % | {} | {} |",
            100.0 * share,
            percent(failed, EXPERIMENTS),
            percent(held[1], failed),
            middle(ratios),
            match without {
                0 => "–".to_owned(),
                _ => format!("{:.1} %", percent(held[0], without)),
            },
        );
    }
}

/// The median in words; "∞" where it is, "–" without values.
fn middle(mut values: Vec<f64>) -> String {
    values.sort_unstable_by(f64::total_cmp);
    match values.get(values.len() / 2) {
        None => "–".to_owned(),
        Some(value) if value.is_infinite() => "∞".to_owned(),
        Some(value) => format!("{value:.1}"),
    }
}

/// Efron's BCa interval (1987) of the ERT from 1,000 resamples.
fn bca(runs: &[RunLength], ert: f64, rng: &mut Xoshiro256PlusPlus) -> Interval {
    let per_success = |spent: f64, successes: f64| spent / successes;
    let of =
        |run: &RunLength| (run.evaluations as f64, f64::from(u8::from(run.end == End::Solved)));
    let mut resamples: Vec<f64> = (0..1_000)
        .map(|_| {
            let (mut spent, mut successes) = (0.0, 0.0);
            for _ in runs {
                let (evaluations, success) = of(&runs[(draw(rng) * runs.len() as f64) as usize]);
                (spent, successes) = (spent + evaluations, successes + success);
            }
            per_success(spent, successes)
        })
        .collect();
    resamples.sort_unstable_by(f64::total_cmp);
    let (spent, successes) = runs.iter().map(of).fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
    let without: Vec<f64> = runs
        .iter()
        .map(of)
        .map(|(evaluations, success)| per_success(spent - evaluations, successes - success))
        .collect();
    let mean = without.iter().sum::<f64>() / without.len() as f64;
    let power = |exponent: i32| without.iter().map(|one| (mean - one).powi(exponent)).sum::<f64>();
    let skew = power(3) / (6.0 * power(2).powf(1.5));
    let skew = if skew.is_finite() { skew } else { 0.0 };
    let below = resamples.iter().filter(|one| **one < ert).count() as f64;
    let equal = resamples.iter().filter(|one| **one == ert).count() as f64;
    let share = (below + 0.5 * equal) / 1_000.0;
    let bias = if share > 0.0 && share < 1.0 { normal_quantile(share) } else { 0.0 };
    let at = |tail: f64| {
        let z = bias + normal_quantile(tail);
        let room = 1.0 - skew * z;
        let moved = if room > 0.0 { normal_cdf(bias + z / room) } else { tail };
        quantile(&resamples, moved).unwrap_or(f64::NAN)
    };
    Interval { low: at(0.025), high: at(0.975) }
}

/// Coverage of the median's interval, and of Brookmeyer and Crowley's, which was rejected.
fn medians(rng: &mut Xoshiro256PlusPlus) {
    println!("\nmedian evaluations to success; {EXPERIMENTS} arms per row\n");
    println!(
        "| chance of success per evaluation | budget | trials | coverage | Brookmeyer and Crowley |"
    );
    println!("|---|---:|---:|---:|---:|");
    for (words, chances, budget) in LENGTHS {
        // The least number of evaluations within which half of the runs succeed.
        let solved = |after: u64| {
            let each = chances.iter().map(|chance| 1.0 - (1.0 - chance).powf(after as f64));
            each.sum::<f64>() / chances.len() as f64
        };
        let truth = (1..).find(|after| solved(*after) >= 0.5).unwrap_or(u64::MAX);
        for trials in [1, 3, 5, 6, 8, 10, 20, 50, 100] {
            let (mut told, mut held, mut before) = (0, 0, 0);
            for _ in 0..EXPERIMENTS {
                let runs = runs_of(chances, budget, trials, rng);
                let below = |high: Option<u64>| high.is_none_or(|high| truth <= high);
                if let Some(one) = median_interval(&runs, 0.95) {
                    let above = match one.low {
                        Reached::Within(low) | Reached::Beyond(low) => low <= truth,
                        Reached::Never => false,
                    };
                    told += 1;
                    held += u64::from(above && below(one.high));
                }
                let steps = incidence(&runs, 0.95).steps;
                let half = |of: &dyn Fn(&Interval) -> f64| {
                    let step = steps.iter().find(|step| of(&step.interval) >= 0.5);
                    step.map(|step| step.evaluations)
                };
                let low = half(&|interval| interval.high);
                let low = low
                    .unwrap_or_else(|| runs.iter().map(|run| run.evaluations).max().unwrap_or(0));
                before += u64::from(low <= truth && below(half(&|interval| interval.low)));
            }
            println!(
                "| {words} | {} | {trials} | {} | {:.1} % |",
                budget.map_or("–".to_owned(), |budget| budget.to_string()),
                match told {
                    0 => "–".to_owned(),
                    _ => format!("{:.1} %", percent(held, told)),
                },
                percent(before, EXPERIMENTS),
            );
        }
    }
}

/// Trials of each arm of a race at most.
const RACED: u64 = 5_000;

/// How often the best arm of a race drops out, how often it is found, and what that costs: against
/// arms that all run as long as the last one did, and against arms that all run to the maximum.
fn races(rng: &mut Xoshiro256PlusPlus) {
    println!(
        "\nbest; {FEWER} races per row, at most {RACED} trials per arm; wrong: a best arm dropped \
        out (with its standard error)\n"
    );
    println!(
        "| rates | arms | best found | not told apart | wrong | mean trials | all arms as long as \
        the last | times | all arms to the maximum | times |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    let spread = |arms: usize, from: f64, to: f64| {
        (0..arms).map(move |arm| from + (to - from) * arm as f64 / (arms - 1).max(1) as f64)
    };
    let field = |near: Vec<f64>| [near, spread(90, 0.5, 0.05).collect()].concat();
    let rows: [(&str, Vec<f64>); 6] = [
        ("0.70; nine at 0.60; 90 from 0.50 to 0.05", field([vec![0.7], vec![0.6; 9]].concat())),
        (
            "0.60; nine from 0.59 to 0.51; 90 from 0.50 to 0.05",
            field(spread(10, 0.6, 0.51).collect()),
        ),
        ("ten at 0.60; 90 from 0.50 to 0.05", field(vec![0.6; 10])),
        ("0.10; nine at 0.05; 90 at 0.01", [vec![0.1], vec![0.05; 9], vec![0.01; 90]].concat()),
        ("100 at 0.30", vec![0.3; 100]),
        ("0.50, 0.45 and 0.30", vec![0.5, 0.45, 0.3]),
    ];
    for (words, rates) in rows {
        let rule = StoppingRule {
            criterion: StoppingCriterion::Best { races: vec![0; rates.len()] },
            confidence: 0.95,
        };
        let highest = rates.iter().copied().fold(0.0, f64::max);
        let (mut found, mut open, mut wrong, mut spent, mut last) = (0, 0, 0, 0, 0);
        for _ in 0..FEWER {
            let state = raced(&rule, &rates, rng);
            let of_the_best = |standing: Standing| {
                let mut arms = rates.iter().zip(&state.standings);
                arms.any(|(rate, one)| *rate == highest && *one == Some(standing))
            };
            let dropped = rates.iter().zip(&state.standings).any(|(rate, one)| {
                *rate == highest && matches!(one, Some(Standing::DroppedOut { .. }))
            });
            wrong += u64::from(dropped);
            found += u64::from(!dropped && of_the_best(Standing::Best));
            open += u64::from(!dropped && of_the_best(Standing::NotToldApart));
            spent += state.target_trials.iter().sum::<u64>();
            last += state.target_trials.iter().max().copied().unwrap_or(0) * rates.len() as u64;
        }
        let mean = |sum: u64| sum as f64 / FEWER as f64;
        let share = wrong as f64 / FEWER as f64;
        let most = RACED * rates.len() as u64;
        println!(
            "| {words} | {} | {:.1} % | {:.1} % | {:.1} % (±{:.1}) | {:.0} | {:.0} | {:.1} | \
            {most} | {:.1} |",
            rates.len(),
            percent(found, FEWER),
            percent(open, FEWER),
            percent(wrong, FEWER),
            100.0 * (share * (1.0 - share) / FEWER as f64).sqrt(),
            mean(spent),
            mean(last),
            last as f64 / spent as f64,
            most as f64 / mean(spent)
        );
    }
}

/// A race of arms with these success rates.
fn raced(rule: &StoppingRule, rates: &[f64], rng: &mut Xoshiro256PlusPlus) -> SequentialState {
    let mut outcomes = Outcomes::new(rates.len());
    let mut there = vec![0; rates.len()];
    loop {
        let state = rule.state(&outcomes, RACED);
        if state.settled {
            return state;
        }
        for (arm, rate) in rates.iter().enumerate() {
            while there[arm] < state.target_trials[arm] {
                outcomes.note(arm, there[arm], Some(draw(rng) < *rate));
                there[arm] += 1;
            }
        }
    }
}

/// Two arms that the rule names, and a third that ends with them: a baseline as good as the first.
fn decided_differences(rng: &mut Xoshiro256PlusPlus) {
    println!(
        "\ndecide between the first two of three arms, at most 20,000 trials per arm (equal rates: \
        2,000); {FEWER} experiments per row\n"
    );
    println!(
        "| rates | coverage | Newcombe's coverage | first minus second, mean | coverage, baseline \
        | wrong verdicts, baseline | Newcombe's |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|");
    let stopping_rule = StoppingRule {
        criterion: StoppingCriterion::Decision { first: 0, second: 1 },
        confidence: 0.95,
    };
    for (p, q) in [(0.5, 0.5), (0.1, 0.1), (0.6, 0.7), (0.2, 0.4), (0.01, 0.03)] {
        let (mut held, mut by_newcombe, mut differences) = (0, 0, 0.0);
        let (mut with_baseline, mut wrong, mut wrong_by_newcombe) = (0, 0, 0);
        for _ in 0..FEWER {
            let arms = run(&stopping_rule, &[p, q, p], if p == q { 2_000 } else { 20_000 }, rng);
            let of = |other: usize| {
                let (found, _) =
                    rates_apart(pairs(&arms[0], &arms[other]), [Some(&stopping_rule); 2])
                        .expect("trials");
                (
                    found,
                    rate_difference(count(&arms[0]), count(&arms[other]), 0.95).expect("trials").1,
                )
            };
            let (found, plain) = of(1);
            differences += found.value;
            held += u64::from(found.interval.low <= p - q && p - q <= found.interval.high);
            by_newcombe += u64::from(plain.low <= p - q && p - q <= plain.high);
            let (found, plain) = of(2);
            with_baseline += u64::from(found.interval.low <= 0.0 && 0.0 <= found.interval.high);
            wrong += u64::from(is_wrong(found.interval, 0.0));
            wrong_by_newcombe += u64::from(is_wrong(plain, 0.0));
        }
        println!(
            "| {p}, {q}, {p} | {:.1} % | {:.1} % | {:+.4} | {:.1} % | {:.1} % | {:.1} % |",
            percent(held, FEWER),
            percent(by_newcombe, FEWER),
            differences / FEWER as f64,
            percent(with_baseline, FEWER),
            percent(wrong, FEWER),
            percent(wrong_by_newcombe, FEWER)
        );
    }
}

/// Does the number of trials that `runner compare` and `runner power` propose find the difference
/// in nine of ten experiments, if the assumed rates are true? All arms but the first have the
/// second rate.
fn advice(rng: &mut Xoshiro256PlusPlus) {
    println!(
        "\ntrials per arm proposed for a power of 0.9, and their actual power; all pairs of arms, \
        Holm; {FEWER} experiments per row\n"
    );
    println!(
        "| rates | arms | comparisons | trials, independent | power | trials, unadjusted level | \
        power | trials, paired | power |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|");
    for (p, q) in [(0.6, 0.7), (0.5, 0.8), (0.1, 0.2), (0.02, 0.05)] {
        for arms in [2, 3, 4] {
            let family = arms * (arms - 1) / 2;
            let level = 0.05 / family as f64;
            let alone = |level: f64| trials_to_tell(p, q, level, 0.9).expect("a gap") as u64;
            let (adjusted, plain) = (alone(level), alone(0.05));
            // Half of an arm's trials follow a draw that all arms share.
            let share =
                |one: f64, other: f64| 0.5 * (one - one.min(other)) + 0.5 * one * (1.0 - other);
            let in_pairs =
                pairs_to_tell(share(q, p), share(p, q), level, 0.9).expect("a gap") as u64;
            let rates: Vec<f64> =
                std::iter::once(q).chain(std::iter::repeat_n(p, arms - 1)).collect();
            let mut power = |trials: u64, paired: bool| {
                let found = (0..FEWER).filter(|_| is_found(&rates, trials, paired, rng)).count();
                percent(found as u64, FEWER)
            };
            println!(
                "| {p} and {q} | {arms} | {family} | {adjusted} | {:.1} % | {plain} | {:.1} % | \
                {in_pairs} | {:.1} % |",
                power(adjusted, false),
                power(plain, false),
                power(in_pairs, true)
            );
        }
    }
}

/// Whether the first arm is found to be better than the second, among all pairs.
fn is_found(rates: &[f64], trials: u64, paired: bool, rng: &mut Xoshiro256PlusPlus) -> bool {
    let mut arms: Vec<Vec<bool>> = vec![Vec::with_capacity(trials as usize); rates.len()];
    for _ in 0..trials {
        let shared = paired.then(|| (draw(rng) < 0.5).then(|| draw(rng))).flatten();
        for (arm, rate) in arms.iter_mut().zip(rates) {
            arm.push(shared.unwrap_or_else(|| draw(rng)) < *rate);
        }
    }
    let mut p_values = Vec::new();
    for (place, first) in arms.iter().enumerate() {
        for second in &arms[place + 1..] {
            p_values.push(match (paired, pairs(first, second)) {
                (true, Counts::Pairs { first, second, .. }) => mcnemar(first, second),
                _ => fisher(count(first), count(second)),
            });
        }
    }
    holm(&p_values)[0] <= 0.05 && count(&arms[0]).0 > count(&arms[1]).0
}

/// Rates of both arms and trials of each, in every stratum.
type Setting = Vec<(f64, f64, u64, u64)>;

/// Two arms compared over strata: how often the interval of the weighted difference holds.
fn strata(rng: &mut Xoshiro256PlusPlus) {
    println!(
        "\ntwo arms over strata; the weighted difference; {EXPERIMENTS} experiments per row\n"
    );
    println!(
        "| strata | true difference | coverage | wrong verdicts | mean width | Newcombe's by \
        stratum | Sato's |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|");
    let alike = |count: usize, p, q, n, m| -> Setting { vec![(p, q, n, m); count] };
    let mixed = |pairs: &[(f64, f64)], n| -> Setting {
        pairs.iter().map(|(p, q)| (*p, *q, n, n)).collect()
    };
    let falling = |n| mixed(&[(0.99, 0.95), (0.8, 0.6), (0.3, 0.15), (0.02, 0.01)], n);
    let never: Setting = [alike(3, 0.0, 0.0, 30, 30), alike(1, 0.5, 0.3, 30, 30)].concat();
    let settings: Vec<(&str, Setting)> = vec![
        ("2 of 1,000 trials, rates 0.6 and 0.55", alike(2, 0.6, 0.55, 1000, 1000)),
        ("2 of 1,000 trials, rates 0.002 and 0.001", alike(2, 0.002, 0.001, 1000, 1000)),
        ("4 of 100 trials, rates 0.5 and 0.5", alike(4, 0.5, 0.5, 100, 100)),
        ("4 of 100 trials, rates 0.99 and 0.99", alike(4, 0.99, 0.99, 100, 100)),
        ("4 of 100 trials, rates from 0.99 and 0.95 to 0.02 and 0.01", falling(100)),
        ("the same with 10 trials", falling(10)),
        ("4 of 100 trials, differences 0.6, 0.2, 0 and -0.4", {
            mixed(&[(0.9, 0.3), (0.6, 0.4), (0.5, 0.5), (0.1, 0.5)], 100)
        }),
        ("4 of 30 trials, in three no success, then 0.5 and 0.3", never),
        ("10 of 30 and 10 trials, rates 0.3 and 0.1", alike(10, 0.3, 0.1, 30, 10)),
        ("50 of 2 trials, rates 0.5 and 0.5", alike(50, 0.5, 0.5, 2, 2)),
        ("50 of 2 trials, rates 0.9 and 0.6", alike(50, 0.9, 0.6, 2, 2)),
        ("50 of 3 and 1 trials, rates 0.05 and 0.05", alike(50, 0.05, 0.05, 3, 1)),
        ("200 of 1 trial, rates 0.8 and 0.5", alike(200, 0.8, 0.5, 1, 1)),
        ("200 of 5 trials, rates 0.02 and 0.01", alike(200, 0.02, 0.01, 5, 5)),
        ("5 of 20 trials, rates 1 and 1", alike(5, 1.0, 1.0, 20, 20)),
        ("5 of 20 trials, rates 1 and 0", alike(5, 1.0, 0.0, 20, 20)),
    ];
    for (words, setting) in settings {
        let weight = |n: u64, m: u64| n as f64 * m as f64 / (n + m) as f64;
        let total: f64 = setting.iter().map(|(_, _, n, m)| weight(*n, *m)).sum();
        let truth =
            setting.iter().map(|(p, q, n, m)| weight(*n, *m) * (p - q)).sum::<f64>() / total;
        let holds = |one: Interval| one.low <= truth + 1e-12 && truth - 1e-12 <= one.high;
        let (mut held, mut wrong, mut width) = (0, 0, 0.0);
        let mut others = [0, 0];
        for _ in 0..EXPERIMENTS {
            let strata: Vec<Stratum> = setting
                .iter()
                .map(|(p, q, n, m)| {
                    let mut of = |rate: f64, trials: u64| {
                        ((0..trials).filter(|_| draw(rng) < rate).count() as u64, trials)
                    };
                    Stratum { first: of(*p, *n), second: of(*q, *m) }
                })
                .collect();
            let (value, interval) = stratified_difference(&strata, 0.95).expect("trials");
            held += u64::from(holds(interval));
            width += interval.high - interval.low;
            let told = cochran_mantel_haenszel(&strata) <= 0.05;
            wrong += u64::from(told && (truth.abs() < 1e-12 || value * truth < 0.0));
            others[0] += u64::from(holds(by_stratum(&strata)));
            others[1] += u64::from(holds(sato(&strata)));
        }
        let share = |count| percent(count, EXPERIMENTS);
        println!(
            "| {words} | {truth:+.3} | {:.1} % | {:.1} % | {:.3} | {:.1} % | {:.1} % |",
            share(held),
            share(wrong),
            width / EXPERIMENTS as f64,
            share(others[0]),
            share(others[1])
        );
    }
}

/// Newcombe's interval of each stratum, the distances to its ends added in squares.
fn by_stratum(strata: &[Stratum]) -> Interval {
    let (mut value, mut down, mut up, mut total) = (0.0, 0.0, 0.0, 0.0);
    for one in strata {
        let (n, m) = (one.first.1 as f64, one.second.1 as f64);
        let weight = n * m / (n + m);
        let (difference, interval) =
            rate_difference(one.first, one.second, 0.95).expect("there are trials");
        value += weight * difference;
        down += (weight * (difference - interval.low)).powi(2);
        up += (weight * (interval.high - difference)).powi(2);
        total += weight;
    }
    Interval { low: (value - down.sqrt()) / total, high: (value + up.sqrt()) / total }
}

/// The normal interval with the variance of Sato (1989).
fn sato(strata: &[Stratum]) -> Interval {
    let (mut value, mut p, mut q, mut total) = (0.0, 0.0, 0.0, 0.0);
    for one in strata {
        let ((x, n), (y, m)) = (one.first, one.second);
        let [x, n, y, m] = [x, n, y, m].map(|count| count as f64);
        let all = n + m;
        value += (x * m - y * n) / all;
        p += (n * n * y - m * m * x + n * m * (m - n) / 2.0) / (all * all);
        q += (x * (m - y) + y * (n - x)) / (2.0 * all);
        total += n * m / all;
    }
    let (value, variance) = (value / total, (value / total * p + q) / (total * total));
    let reach = 1.959_963_984_540_054 * variance.max(0.0).sqrt();
    Interval { low: value - reach, high: value + reach }
}

/// Pairs whose trials have common starts in several strata: the weighted difference over all
/// pairs, with and without regard to the starts.
fn common_starts(rng: &mut Xoshiro256PlusPlus) {
    println!("\npairs over strata with common starts; {EXPERIMENTS} experiments per row\n");
    println!(
        "| strata | trials | rates | coverage | of pairs taken as independent | wrong verdicts |"
    );
    println!("|---:|---:|---|---:|---:|---:|");
    for (count, trials) in [(3, 20), (3, 100), (10, 20), (10, 100)] {
        for (p, q) in [(0.5, 0.5), (0.8, 0.6), (0.05, 0.05)] {
            let (mut held, mut plain, mut wrong) = (0, 0, 0);
            for _ in 0..EXPERIMENTS {
                // In half of the trials a start decides, of each arm for itself, in all strata.
                let mut values: Vec<Vec<(u64, f64)>> = vec![Vec::new(); count];
                let mut alone = [0.0, 0.0];
                for trial in 0..trials {
                    let starts = (draw(rng) < 0.5).then(|| [draw(rng), draw(rng)]);
                    for stratum in &mut values {
                        let [one, other] = starts.unwrap_or_else(|| [draw(rng), draw(rng)]);
                        let (first, second) = (one < p, other < q);
                        alone[0] += f64::from(u8::from(first && !second));
                        alone[1] += f64::from(u8::from(second && !first));
                        let value = f64::from(i8::from(first) - i8::from(second));
                        stratum.push((trial, value));
                    }
                }
                let factor = cluster_factor(&values);
                let all = (count as u64 * trials) as f64;
                let found = |factor: f64| {
                    let [first, second] = alone.map(|count| count / factor);
                    let (_, interval) =
                        weighed_difference(first, second, all / factor, 0.95).expect("pairs");
                    interval.low <= p - q + 1e-12 && p - q - 1e-12 <= interval.high
                };
                held += u64::from(found(factor));
                plain += u64::from(found(1.0));
                let told = weighed_mcnemar(alone[0] / factor, alone[1] / factor) <= 0.05;
                wrong += u64::from(told && (p == q || alone[0] < alone[1]));
            }
            println!(
                "| {count} | {trials} | {p} and {q} | {:.1} % | {:.1} % | {:.1} % |",
                percent(held, EXPERIMENTS),
                percent(plain, EXPERIMENTS),
                percent(wrong, EXPERIMENTS)
            );
        }
    }
}

fn is_wrong(found: Interval, difference: f64) -> bool {
    (found.low > 0.0 && difference <= 0.0) || (found.high < 0.0 && difference >= 0.0)
}

fn count(arm: &[bool]) -> (u64, u64) {
    (arm.iter().filter(|success| **success).count() as u64, arm.len() as u64)
}

/// Pairs of trials with the same number.
fn pairs(first: &[bool], second: &[bool]) -> Counts {
    let alone = |one: &[bool], other: &[bool]| {
        one.iter().zip(other).filter(|(one, two)| **one && !**two).count()
    };
    let (ours, theirs) = (alone(first, second), alone(second, first));
    Counts::Pairs {
        first: ours as u64,
        second: theirs as u64,
        all: first.len().min(second.len()) as u64,
    }
}

fn percent(count: u64, of: u64) -> f64 {
    100.0 * count as f64 / of as f64
}

/// The mean, and what nine in ten do not exceed.
fn spread(trials: &mut [u64]) -> (f64, u64) {
    trials.sort_unstable();
    (trials.iter().sum::<u64>() as f64 / trials.len() as f64, trials[trials.len() * 9 / 10])
}

fn draw(rng: &mut Xoshiro256PlusPlus) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// An experiment of arms with these success rates, run until it has told enough: the outcomes of
/// each arm.
fn run(
    stopping_rule: &StoppingRule,
    rates: &[f64],
    most: u64,
    rng: &mut Xoshiro256PlusPlus,
) -> Vec<Vec<bool>> {
    let mut outcomes = Outcomes::new(rates.len());
    let mut arms: Vec<Vec<bool>> = vec![Vec::new(); rates.len()];
    loop {
        let state = stopping_rule.state(&outcomes, most);
        if state.settled {
            return arms;
        }
        for (arm, rate) in rates.iter().enumerate() {
            while (arms[arm].len() as u64) < state.target_trials[arm] {
                let success = draw(rng) < *rate;
                outcomes.note(arm, arms[arm].len() as u64, Some(success));
                arms[arm].push(success);
            }
        }
    }
}
