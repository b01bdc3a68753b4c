//! Published run times: the experiments in `configs/published` beside what others measured.

use crate::Outcome;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Published figures.
const PUBLISHED: &str = "configs/published/run-times.csv";
/// Page that is written.
const PAGE: &str = "docs/published-results.md";
/// Heading of the first section that is written by hand. It and what follows stay.
const BY_HAND: &str = "\n## Beside other programs\n";
/// Probability of a false finding in an experiment.
const LEVEL: f64 = 0.05;

/// Runs the experiments in configs/published, and writes docs/published-results.md.
#[derive(clap::Args)]
pub(crate) struct RunTimes {
    /// The program
    #[arg(long, default_value = "target/release/runner")]
    runner: PathBuf,
    /// Folder for the results; trials that are there are not run again
    #[arg(long, default_value = "target/published")]
    out: PathBuf,
}

/// Number of pairs of samples that a test draws.
const DRAWS: u32 = 9_999;

/// Published figures of an algorithm on a problem.
#[derive(Clone, Debug, PartialEq)]
struct Published {
    experiment: String,
    algorithm: String,
    problem: String,
    runs: u32,
    successes: u32,
    /// Expected running time in evaluations; `None` without success.
    ert: Option<f64>,
    /// Mean and standard deviation of the successful runs, if they are published.
    spread: Option<(f64, f64)>,
}

/// Figures of an arm.
#[derive(Clone, Debug, Default, PartialEq)]
struct Own {
    trials: u64,
    /// Evaluations of each success.
    evaluations: Vec<f64>,
    /// Expected running time with its interval.
    ert: Option<(f64, f64, f64)>,
}

/// An algorithm on a problem: both figures, and the p-value of the test that they are equal.
struct Row {
    published: Published,
    own: Own,
    p: Option<f64>,
}

impl RunTimes {
    pub(crate) fn write(&self) -> Outcome<()> {
        let mut configs: Vec<PathBuf> = fs::read_dir("configs/published")?
            .map(|entry| Ok(entry?.path()))
            .collect::<Outcome<_>>()?;
        configs.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
        configs.sort();
        let ran = Command::new(&self.runner).args(&configs).arg("--out").arg(&self.out).status()?;
        if !ran.success() {
            return Err("the experiments did not finish".into());
        }
        let published = published(&fs::read_to_string(PUBLISHED)?)?;
        let mut page = INTRODUCTION.to_owned();
        let mut experiments: Vec<&str> = Vec::new();
        for one in &published {
            if experiments.last() != Some(&one.experiment.as_str()) {
                experiments.push(&one.experiment);
            }
        }
        for name in experiments {
            let own = self.own(name)?;
            let of_it = published.iter().filter(|one| one.experiment == name);
            let rows = of_it.map(|one| {
                let key = (one.algorithm.clone(), one.problem.clone());
                let own = own.get(&key).ok_or_else(|| format!("{name}: no arm for {key:?}"))?;
                Ok(Row { published: one.clone(), own: own.clone(), p: test(one, own) })
            });
            section(&mut page, name, rows.collect::<Outcome<_>>()?)?;
        }
        let old = fs::read_to_string(PAGE)?;
        page.push_str(old.find(BY_HAND).map_or("", |at| &old[at..]));
        fs::write(PAGE, page)?;
        println!("{PAGE}");
        Ok(())
    }

    /// Returns the figures of an experiment by operator set and problem.
    fn own(&self, experiment: &str) -> Outcome<BTreeMap<(String, String), Own>> {
        let folder = self.out.join(experiment);
        let mut all: BTreeMap<(String, String), Own> = BTreeMap::new();
        for row in show(&self.runner, &folder, &[])? {
            let number = |key: &str| row[key].as_f64();
            let own = all.entry(key(&row)).or_default();
            own.trials = row["trials"].as_u64().unwrap_or(0);
            let low = number("ert_low").unwrap_or(0.0);
            own.ert =
                number("ert").map(|ert| (ert, low, number("ert_high").unwrap_or(f64::INFINITY)));
        }
        for row in show(&self.runner, &folder, &["--trials"])? {
            if let Some(evaluations) = row["evaluations_to_success"].as_f64() {
                all.entry(key(&row)).or_default().evaluations.push(evaluations);
            }
        }
        Ok(all)
    }
}

/// Returns the rows of a table.
fn show(runner: &Path, folder: &Path, more: &[&str]) -> Outcome<Vec<Value>> {
    let shown = Command::new(runner).arg("show").arg(folder).arg("--json").args(more).output()?;
    if !shown.status.success() {
        return Err(String::from_utf8_lossy(&shown.stderr).into());
    }
    Ok(serde_json::from_slice(&shown.stdout)?)
}

/// Returns the operator set and the swept values of a row: "leading-ones", or "function=8, n=5".
fn key(row: &Value) -> (String, String) {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let keys = row.as_object().into_iter().flatten();
    let swept: Vec<(&str, String)> = keys
        .filter_map(|(key, value)| Some((key.strip_prefix("problem.")?, text(value))))
        .collect();
    let problem = match &swept[..] {
        [(_, value)] => value.clone(),
        _ => {
            swept.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(", ")
        }
    };
    (text(&row["operators"]), problem)
}

/// Reads the published figures.
fn published(text: &str) -> Outcome<Vec<Published>> {
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
    let row = |row: Result<csv::StringRecord, csv::Error>| -> Outcome<Published> {
        let row = row?;
        let word = |at: usize| row.get(at).unwrap_or_default().to_owned();
        let number = |at: usize| -> Outcome<Option<f64>> {
            Ok(if word(at).is_empty() { None } else { Some(word(at).parse()?) })
        };
        Ok(Published {
            experiment: word(0),
            algorithm: word(1),
            problem: word(2),
            runs: word(3).parse()?,
            successes: word(4).parse()?,
            ert: number(5)?,
            spread: number(6)?.zip(number(7)?),
        })
    };
    reader.records().map(row).collect()
}

/// Returns the p-value of the test that both samples come from the same distribution, by the
/// difference of their means; `None` if a run failed on either side, or the published mean is
/// unknown.
///
/// Only mean and deviation are published, so the distribution is that of our runs: both samples are
/// drawn from them (Efron and Tibshirani 1993, "An Introduction to the Bootstrap", chapter 16). The
/// p-value is twice the share of draws in the smaller tail, because times are skewed.
fn test(published: &Published, own: &Own) -> Option<f64> {
    let (theirs, _) = published.spread?;
    let whole = published.runs == published.successes && own.evaluations.len() as u64 == own.trials;
    if !whole || own.trials < 2 {
        return None;
    }
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut mean = |runs: usize| {
        let drawn =
            (0..runs).map(|_| own.evaluations[random.random_range(0..own.evaluations.len())]);
        drawn.sum::<f64>() / runs as f64
    };
    let ours = own.evaluations.iter().sum::<f64>() / own.trials as f64;
    let (mut less, mut more) = (1, 1);
    for _ in 0..DRAWS {
        let difference = mean(published.runs as usize) - mean(own.evaluations.len());
        less += u32::from(difference <= theirs - ours);
        more += u32::from(difference >= theirs - ours);
    }
    Some((2.0 * f64::from(less.min(more)) / f64::from(DRAWS + 1)).min(1.0))
}

/// Adjusts p-values for the number of tests: Holm (1979).
fn holm(p: &[Option<f64>]) -> Vec<Option<f64>> {
    let mut order: Vec<usize> = (0..p.len()).filter(|at| p[*at].is_some()).collect();
    order.sort_by(|one, other| p[*one].partial_cmp(&p[*other]).expect("p-values are numbers"));
    let (mut adjusted, mut least) = (vec![None; p.len()], 0.0f64);
    for (rank, at) in order.iter().enumerate() {
        let raw = p[*at].unwrap_or(1.0);
        least = least.max(raw * (order.len() - rank) as f64).min(1.0);
        adjusted[*at] = Some(least);
    }
    adjusted
}

/// Writes a number of evaluations with commas.
fn count(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Adds the table of an experiment.
fn section(page: &mut String, name: &str, rows: Vec<Row>) -> Outcome<()> {
    let adjusted = holm(&rows.iter().map(|row| row.p).collect::<Vec<_>>());
    writeln!(page, "\n## {name}\n")?;
    writeln!(page, "From [configs/published](../configs/published).\n")?;
    writeln!(page, "| problem | algorithm | published ERT | here | 95 % interval | ratio | p | |")?;
    writeln!(page, "|---|---|---:|---:|---|---:|---:|---|")?;
    for (row, p) in rows.iter().zip(adjusted) {
        let Row { published, own, .. } = row;
        let error = published.spread.filter(|_| published.runs == published.successes);
        let error = error.map(|(_, deviation)| deviation / f64::from(published.runs).sqrt());
        let error = error.map_or_else(String::new, |error| format!(" ± {}", count(error)));
        let theirs =
            published.ert.map_or_else(|| "no success".to_owned(), |ert| count(ert) + &error);
        let (here, interval) = own.ert.map_or_else(
            || ("no success".to_owned(), String::new()),
            |(ert, low, high)| (count(ert), format!("{} to {}", count(low), count(high))),
        );
        let ratio = own.ert.zip(published.ert).map(|((ert, ..), theirs)| ert / theirs);
        let ratio = ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}"));
        let shown = row.p.map_or_else(String::new, |p| {
            if p < 0.001 { "< 0.001".to_owned() } else { format!("{p:.3}") }
        });
        let verdict = match p {
            Some(p) if p < LEVEL => "differs".to_owned(),
            Some(_) => "not told apart".to_owned(),
            None => verdict(published, own),
        };
        let Published { problem, algorithm, .. } = published;
        writeln!(
            page,
            "| {problem} | {algorithm} | {theirs} | {here} | {interval} | {ratio} | {shown} | \
            {verdict} |"
        )?;
    }
    Ok(())
}

/// Returns the verdict where there is no test.
fn verdict(published: &Published, own: &Own) -> String {
    let (successes, trials) = (own.evaluations.len() as u64, own.trials);
    let all = published.runs == published.successes && successes == trials;
    match (published.successes, successes) {
        (0, 0) => "neither succeeds".to_owned(),
        _ if all => String::new(),
        (theirs, ours) => format!("{theirs} of {} there, {ours} of {trials} here", published.runs),
    }
}

const INTRODUCTION: &str = "\
# Published results

Expected running times (ERT) in evaluations of the algorithms of this runner, beside those that
others published. `cargo xtask run-times` runs the experiments in
[configs/published](../configs/published) and writes this page from their tables and from
[run-times.csv](../configs/published/run-times.csv), which has the published figures with their
sources.

The published figures of the PBO suite come from 11 runs each. ± is their standard error. p is the
p-value of a test that both samples come from one distribution; there is one where all runs
succeed. It is the share of pairs of samples of these sizes, both drawn from the runs made here,
whose means are as far apart (Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapter
16; twice the smaller tail of 9,999 draws). A test by standard errors, such as Welch's, finds too
much where times are skewed. The verdict adjusts p for all tests of the experiment (Holm 1979): if
nothing differed, a repetition would find a difference anywhere with a probability of about 5 %.
With 11 runs, a difference of one standard deviation is found in 4 of 5 cases before the adjustment,
and in a quarter to a half of the cases after it: \"not told apart\" is no proof that two are equal.
Where the published data has no deviations, the ratio stands alone.

What is known of the published data:

- The runs of OneMax are short for nearly all algorithms, as if they shared their first strings.
- The published log-normal algorithm takes longer than its definition does, on OneMax, LeadingOnes
  and rugged OneMax. It is the only one that is told apart. Its definition is certified by
  enumeration of its children.
- On LeadingOnes of half the bits (function 11, not in the table), RLS took 2,014 evaluations
  there. With 100 bits of which 50 count, 100 * 50 / 2 = 2,500 steps are exact, since each of the 50
  is wrong with a probability of 1/2 and found in 100 steps on average; with the first string, 2,501
  evaluations. 2,000 trials here (`leading-ones-dummy-1`, seed 1) took 2,496 (2,470 to 2,521).
- The normalized and the variance-controlled algorithm agree with the published runs if the normal
  number is truncated, not rounded.
- One of the 15 published runs of the bent cigar (function 12) with 2 numbers did not succeed.
- Times on the Ising ring have a standard deviation as large as their mean, so that means of 11 runs
  vary by 30 % (below).
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_tested_and_adjusted() {
        let text = "# x\n\
            experiment,algorithm,problem,runs,successes,ert,mean,sd\n\
            a,b,\"n=2, f=1\",4,4,10,10,2\n\
            a,c,d,4,0,,,\n";
        let read = published(text).expect("rows");
        assert_eq!((read[0].problem.as_str(), read[1].ert), ("n=2, f=1", None));
        let own = |evaluations: &[f64]| Own {
            trials: 4,
            evaluations: evaluations.to_vec(),
            ert: Some((10.0, 9.0, 11.0)),
        };
        // The same mean; and means that differ by 6 standard errors of 1 and 0.5.
        assert_eq!(test(&read[0], &own(&[9.0, 11.0, 9.0, 11.0])), Some(1.0));
        // No draw is as far apart.
        assert_eq!(test(&read[0], &own(&[17.0, 17.0, 16.0, 17.0])), Some(0.0002));
        // One of eight differences of a run and the mean of two is 1 or more.
        let one = Published { runs: 1, successes: 1, spread: Some((1.5, 0.0)), ..read[0].clone() };
        let p = test(&one, &Own { trials: 2, ..own(&[0.0, 1.0]) }).expect("a test");
        assert!((0.217..0.283).contains(&p), "{p}");
        assert_eq!(test(&read[0], &own(&[9.0, 11.0])), None);
        assert_eq!(holm(&[Some(0.01), None, Some(0.04)]), [Some(0.02), None, Some(0.04)]);
        assert_eq!((count(999.6), count(1234567.0)), ("1,000".into(), "1,234,567".into()));
    }
}
