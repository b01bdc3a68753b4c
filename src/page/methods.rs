//! The Methods paragraph: what was done, in words that a paper can take over.

use crate::picture::Subject;
use crate::report::count;
use crate::results::Run;
use crate::stats::BOOTSTRAP_RESAMPLES;
use maud::{Markup, html};
use toml::{Table, Value};

/// Operator sets that are described.
const SETS: usize = 12;

pub fn methods(subject: &Subject<'_>, run: &Run, comparisons: usize) -> Markup {
    let rows = &subject.summary.rows;
    let trials: u64 = subject.samples.iter().map(crate::comparison::Sample::trials).sum();
    let sequence = rows.iter().any(|row| row.figures.sequence.is_some());
    let config: Table = run.config.parse().unwrap_or_default();
    let seed = override_of(run, "--seed")
        .unwrap_or_else(|| config.get("seed").map_or_else(|| "0".to_owned(), ToString::to_string));
    let common = rows.iter().any(|row| row.arm.settings.starts_with("pairing = \"common\""));
    let (sets, more) = sets(subject);
    html! {
        p {
            "We ran " (arms_in_words(rows.len())) " on the problem " (run.plugin.name) " (plugin version " (run.plugin.version) "), with "
            (each(subject)) " seeded trials an arm, " (count(trials)) " in all, using runner " (run.runner_version)
            @if let Some(revision) = &run.git_revision { " (revision " (revision.get(..12).unwrap_or(revision)) ")" }
            ", engine revision " (run.engine_revision) ". "
            @if let Some(first) = rows.first() { (problem(&first.arm.settings, &subject.summary.swept_keys)) " " (stop(&first.arm.settings)) }
            " The seed of each trial follows from the experiment's seed " (seed)
            ", the arm's settings and the trial's number by BLAKE3; random numbers come from " (run.generator) ". "
            @if common { "Trial k of every arm of one problem starts from the same initial population (common random numbers). " }
            @if !subject.summary.swept_keys.is_empty() { "We varied " (subject.summary.swept_keys.join(", ")) " over the values in the table. " }
        }
        p {
            "The operator sets were: "
            @for (place, (name, words)) in sets.iter().enumerate() { @if place > 0 { "; " } em { (name) } " (" (words) ")" }
            @if more > 0 { "; and " (more) " more" } ". "
            "One generation is one batch of evaluations; every computed fitness counts as an evaluation."
        }
        p {
            "A trial succeeds if its best fitness reaches the target. "
            @if sequence {
                "Trials ended when their question was answered, at numbers of trials fixed beforehand (50, and each a quarter more than the one \
                 before); the success rates' intervals are confidence sequences, which hold at all of them at once (Robbins 1970; Howard et al. 2021). "
            } @else { "Success rates are given with Wilson's 95 % score interval (Wilson 1927). " }
            "The expected running time (ERT) is all evaluations spent over the number of successes (Auger & Hansen 2005), with a BCa bootstrap 95 % \
             interval of " (count(BOOTSTRAP_RESAMPLES as u64)) " resamples (Efron 1987). "
            @if comparisons > 0 {
                "Success rates were compared by Fisher's exact test, with Newcombe's hybrid score interval of their difference (Newcombe 1998), and \
                 evaluations to success by the effect size A12 (Vargha & Delaney 2000), a trial without success counting as longer than any other; \
                 p-values were adjusted for " (count(comparisons as u64)) " comparisons (Holm 1979), and differences called at a level of 0.05. "
            }
            "The tables are the same to the byte whatever the number of threads or interruptions."
        }
        p.faint {
            "References: Auger & Hansen 2005, doi:10.1109/CEC.2005.1554903. Efron 1987, doi:10.1080/01621459.1987.10478410. Holm 1979, Scand. J. \
             Statist. 6:65–70. Howard et al. 2021, doi:10.1214/20-AOS1991. Newcombe 1998, \
             doi:10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I. Robbins 1970, doi:10.1214/aoms/1177696786. Vargha & Delaney \
             2000, doi:10.3102/10769986025002101. Wilson 1927, doi:10.1080/01621459.1927.10502953."
        }
    }
}

fn arms_in_words(arms: usize) -> String {
    if arms == 1 { "one arm".to_owned() } else { format!("{} arms", count(arms as u64)) }
}

fn override_of(run: &Run, name: &str) -> Option<String> {
    run.overrides.iter().rev().find_map(|word| word.strip_prefix(name)?.strip_prefix(' ')).map(str::to_owned)
}

/// "1,000", or from the least to the most.
fn each(subject: &Subject<'_>) -> String {
    let trials = || subject.samples.iter().map(crate::comparison::Sample::trials);
    let (least, most) = (trials().min().unwrap_or(0), trials().max().unwrap_or(0));
    if least == most { count(most) } else { format!("{} to {}", count(least), count(most)) }
}

fn table(settings: &str) -> Table {
    settings.parse().unwrap_or_default()
}

/// A table's keys and values in words, but for some.
fn in_words(table: &Table, without: &[&str]) -> String {
    let kept = table.iter().filter(|(key, _)| !without.contains(&key.as_str()));
    kept.map(|(key, value)| format!("{key} {}", value_in_words(value))).collect::<Vec<_>>().join(", ")
}

fn value_in_words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Table(table) => match table.get("kind").and_then(Value::as_str) {
            Some(kind) if table.len() == 1 => kind.to_owned(),
            Some(kind) => format!("{kind} [{}]", in_words(table, &["kind"])),
            None => format!("[{}]", in_words(table, &[])),
        },
        other => other.to_string(),
    }
}

fn problem(settings: &str, swept: &[String]) -> String {
    let settings = table(settings);
    let Some(problem) = settings.get("problem").and_then(Value::as_table) else { return String::new() };
    let swept: Vec<&str> = swept.iter().filter_map(|key| key.strip_prefix("problem.")).chain(["plugin"]).collect();
    let words = in_words(problem, &swept);
    if words.is_empty() { String::new() } else { format!("Its parameters were {words}.") }
}

fn stop(settings: &str) -> String {
    let settings = table(settings);
    let Some(stop) = settings.get("stop").and_then(Value::as_table) else { return String::new() };
    let whole = |key: &str| stop.get(key).and_then(Value::as_integer).map(|value| count(value.unsigned_abs()));
    let mut ends = Vec::new();
    if let Some(target) = stop.get("fitness") {
        let goes_on = stop.get("on-success").and_then(Value::as_str) == Some("continue");
        let target = target.as_float().map_or_else(|| target.to_string(), crate::report::real);
        ends.push(if goes_on { format!("(not at the target, {target})") } else { format!("at a fitness of {target}") });
    }
    ends.extend(whole("generations").map(|number| format!("after {number} generations")));
    ends.extend(whole("evaluations").map(|number| format!("after {number} evaluations")));
    ends.extend(whole("stagnation").map(|number| format!("after {number} generations without improvement")));
    ends.extend(stop.get("trial-seconds").map(|seconds| format!("after {seconds} seconds")));
    format!("A trial ended {}, whichever came first.", ends.join(", or "))
}

/// Each operator set once, in words; and how many are left out.
fn sets(subject: &Subject<'_>) -> (Vec<(String, String)>, usize) {
    let swept: Vec<&str> = subject
        .summary
        .swept_keys
        .iter()
        .filter_map(|key| key.strip_prefix("operators.")?.split('.').next())
        .chain(["name"])
        .collect();
    let mut sets: Vec<(String, String)> = Vec::new();
    for row in &subject.summary.rows {
        if sets.iter().any(|(name, _)| *name == row.arm.operators) {
            continue;
        }
        let settings = table(&row.arm.settings);
        let set = settings.get("operators").and_then(Value::as_array).and_then(|sets| sets.first()?.as_table());
        sets.push((row.arm.operators.clone(), set.map_or_else(String::new, |set| in_words(set, &swept))));
    }
    let more = sets.len().saturating_sub(SETS);
    sets.truncate(SETS);
    (sets, more)
}
