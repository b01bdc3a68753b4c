//! The Methods section: what was done, in words that a paper can take over. Every sentence follows
//! from the resolved settings of all arms, the trials and the runs; what the words cite is what the
//! list of references has.

mod ends;
mod facts;
mod settings;
mod statistics;
mod text;

pub(super) use facts::Facts;
pub(super) use statistics::Statistics;

use crate::operators::operator::{Slot, listed};
use crate::plan::settings::Pairing;
use crate::present::format::count;
use crate::problem::PluginFile;
use crate::problem::section::{Section, Setting};
use crate::search::registry::find;
use ends::{endings, stops};
use facts::{ArmFacts, seed};
use maud::Markup;
use settings::{Cited, citations, keys, listed_values, say_keys, say_slot, values};
use std::collections::BTreeSet;
use text::Text;

/// Operator sets that are described one by one.
const SETS: usize = 12;

/// The section, with ids that begin so.
pub(super) fn methods(facts: &Facts<'_>, statistics: &Statistics, prefix: &str) -> Markup {
    written(facts, statistics).markup(prefix)
}

fn written(facts: &Facts<'_>, statistics: &Statistics) -> Text {
    let mut text = Text::default();
    trials(facts, &mut text);
    runs(facts, &mut text);
    text.paragraph();
    problem(facts, &mut text);
    text.paragraph();
    let mut cited = Cited::new();
    operators(facts, &mut text, &mut cited);
    text.paragraph();
    stops(facts, &mut text);
    baseline(facts, &mut text, &mut cited);
    endings(facts, &mut text);
    text.paragraph();
    statistics.say(&mut text);
    text
}

/// How many trials of how many arms.
fn trials(facts: &Facts<'_>, text: &mut Text) {
    let all: u64 = facts.arms.iter().map(|arm| arm.trials + arm.failures).sum();
    let each = || facts.arms.iter().map(|arm| arm.trials + arm.failures);
    let (least, most) = (each().min().unwrap_or(0), each().max().unwrap_or(0));
    let each =
        if least == most { count(most) } else { format!("{} to {}", count(least), count(most)) };
    let arms = facts.arms.len();
    let last = facts.runs[facts.runs.len() - 1];
    text.say(format!(
        "We ran {} on the problem {}, with {each} seeded trials{}. ",
        if arms == 1 { "one arm".to_owned() } else { format!("{} arms", count(arms as u64)) },
        last.plugin.name,
        if arms == 1 { String::new() } else { format!(" per arm, {} in all", count(all)) },
    ));
    if facts.unfinished {
        text.say("The experiment is not finished: these are the trials so far. ");
    }
    let seeds: BTreeSet<String> = facts.runs.iter().map(|run| seed(run)).collect();
    let seeds: Vec<&str> = seeds.iter().map(String::as_str).collect();
    text.say(format!(
        "The seed of a trial is derived with BLAKE3 from the experiment's seed ({}), the arm's \
        settings and the trial's number",
        listed(&seeds, "and")
    ));
    text.say(" (@oconnor2020)");
    text.say(". ");
    let paired = facts.arms.iter().filter(|arm| arm.settings.pairing == Pairing::Common).count();
    if paired > 0 {
        text.say(
            "Trial k of every arm of one problem starts from the same initial population, or as \
            many of its individuals as the arm needs (common random numbers",
        );
        text.say("; ");
        text.say("@law2015");
        text.say("). ");
    }
    given_genomes(facts, text);
}

/// What trials began with that was not random.
fn given_genomes(facts: &Facts<'_>, text: &mut Text) {
    let given = |run: &&crate::results::Run| run.first_genomes.clone();
    let Some(first) = facts.runs.iter().rev().find_map(given) else { return };
    let genomes = if first.rows == 1 {
        "1 genome was".to_owned()
    } else {
        format!("{} genomes were", first.rows)
    };
    text.say(format!(
        "{genomes} given ({}; BLAKE3 {}): trial k of every arm began with the k-th of them, and \
        those after it as far as its first population had room for given individuals{}; the others \
        were random. ",
        first.source,
        short(&first.blake3),
        room(facts)
    ));
}

/// " (10 of 20)": the given individuals of each first population, which `share` decides.
fn room(facts: &Facts<'_>) -> String {
    let given = |arm: &ArmFacts<'_>| {
        let start = arm.settings.start.as_ref()?.get("given")?.as_number()?;
        let population = arm.settings.operators.get("population").and_then(Setting::as_number);
        Some((start as u64, population.unwrap_or(1.0) as u64))
    };
    let rooms: BTreeSet<(u64, u64)> = facts.arms.iter().filter_map(given).collect();
    let words = |(given, all): &(u64, u64)| format!("{} of {}", count(*given), count(*all));
    let rooms: Vec<String> = rooms.iter().map(words).collect();
    match rooms.as_slice() {
        [] => String::new(),
        rooms => {
            let rooms: Vec<&str> = rooms.iter().map(String::as_str).collect();
            format!(" ({})", listed(&rooms, "or"))
        }
    }
}

/// The beginning of a hash or a revision, which tells it from others.
fn short(hash: &str) -> &str {
    hash.get(..12).unwrap_or(hash)
}

/// The plugins of operators, with their files; empty where there are none.
fn operator_plugins(run: &crate::results::Run) -> String {
    let words = |file: &PluginFile| {
        format!("{} {} (BLAKE3 {})", file.name, file.version, short(&file.blake3))
    };
    let all: Vec<String> = run.operator_plugins.iter().map(|one| words(&one.file)).collect();
    listed(&all.iter().map(String::as_str).collect::<Vec<_>>(), "and")
}

/// The programs that made the trials: what they share once, what differs with each run.
fn runs(facts: &Facts<'_>, text: &mut Text) {
    type Said = fn(&crate::results::Run) -> String;
    let said: [(&str, Said); 7] = [
        ("runner", |run| {
            let revision =
                run.git_revision.as_ref().map(|revision| format!(", revision {}", short(revision)));
            format!("{} ({} build{})", run.runner_version, run.build, revision.unwrap_or_default())
        }),
        ("engine revision", |run| run.engine_revision.to_string()),
        ("plugin version", |run| run.plugin.version.clone()),
        ("plugin's BLAKE3", |run| short(&run.plugin.blake3).to_owned()),
        ("operators of the plugins", operator_plugins),
        ("generator", generator),
        ("platform", |run| run.platform.clone()),
    ];
    let number_of_runs = facts.runs.len();
    let same = |of: &Said| facts.runs.iter().all(|run| of(run) == of(facts.runs[0]));
    let words = |(name, of): &(&str, Said)| format!("{name} {}", of(facts.runs[0]));
    let there = |of: &Said| facts.runs.iter().any(|run| !of(run).is_empty());
    let said: Vec<(&str, Said)> = said.into_iter().filter(|(_, of)| there(of)).collect();
    let shared: Vec<String> = said.iter().filter(|(_, of)| same(of)).map(words).collect();
    text.say(match number_of_runs {
        1 => "The trials were made in one run".to_owned(),
        several => format!("The trials were made in {several} runs"),
    });
    if !shared.is_empty() {
        text.say(format!(" with {}", shared.join(", ")));
    }
    if facts.runs.iter().any(|run| run.generator.contains("Vigna 2021")) {
        text.say("; for the generator see ");
        text.say("@blackman2021");
    }
    text.say(". ");
    let own = said.iter().filter(|(_, of)| !same(of)).map(|(name, of)| (*name, *of));
    let own: Vec<(&str, Said)> =
        own.chain((!same(&(seed as Said))).then_some(("seed", seed as Said))).collect();
    if !own.is_empty() {
        text.say("The runs differ: ");
        let run_words = |run: &&crate::results::Run| {
            let own: Vec<String> =
                own.iter().map(|(name, of)| format!("{name} {}", of(run))).collect();
            format!("that of {} ({} trials) with {}", run.start, trials_of(run), own.join(", "))
        };
        text.say(facts.runs.iter().map(run_words).collect::<Vec<_>>().join("; "));
        text.say(". ");
    }
}

/// Without its source, which the text cites.
fn generator(run: &crate::results::Run) -> String {
    run.generator.split(" (").next().unwrap_or(&run.generator).to_owned()
}

fn trials_of(run: &crate::results::Run) -> String {
    run.trials_after.map_or_else(
        || "an unknown number of".to_owned(),
        |after| count(after.saturating_sub(run.trials_before)),
    )
}

/// The problem's parameters, and what was swept.
fn problem(facts: &Facts<'_>, text: &mut Text) {
    let problems: Vec<&Section> = facts.arms.iter().map(|arm| &*arm.settings.problem).collect();
    let mut one = Vec::new();
    let mut several = Vec::new();
    for key in keys(&problems).into_iter().filter(|key| *key != "plugin") {
        let values = values(&problems, key);
        let words = listed_values(&values, "not given", "or");
        if values.len() == 1 {
            one.push(format!("{key} {words}"))
        } else {
            several.push(format!("{key} was {words}"))
        }
    }
    match (one.as_slice(), several.as_slice()) {
        ([], []) => text.say("The problem has no parameters. "),
        (one, []) => text.say(format!("In all arms, the problem had {}. ", one.join(", "))),
        ([], several) => text
            .say(format!("The problem's parameters differ between arms: {}. ", several.join("; "))),
        (one, several) => text.say(format!(
            "In all arms, the problem had {}; between arms, {}. ",
            one.join(", "),
            several.join("; ")
        )),
    }
    if facts.swept_keys.is_empty() {
        return;
    }
    let words = |(place, key): (usize, &String)| {
        let values = swept_values(facts, place);
        format!("{key} over {}", listed_values(&values, "", "and"))
    };
    let varied: Vec<String> = facts.swept_keys.iter().enumerate().map(words).collect();
    text.say(format!("We varied {}{}. ", varied.join(", and "), combinations(facts)));
}

/// ", in every combination" or ", in 5 of the 6 combinations"; empty if no operator set has several
/// swept keys.
fn combinations(facts: &Facts<'_>) -> String {
    let sets = names(facts, false);
    let own: Vec<&ArmFacts<'_>> =
        facts.arms.iter().filter(|arm| sets.contains(&arm.operators)).collect();
    // An operator set without one of the keys has no combination of them.
    let whole = |arm: &&&ArmFacts<'_>| arm.swept.iter().all(Option::is_some);
    let tried: BTreeSet<(&str, String)> =
        own.iter().filter(whole).map(|arm| (arm.operators, format!("{:?}", arm.swept))).collect();
    if facts.swept_keys.len() < 2 || tried.is_empty() {
        return String::new();
    }
    let all: usize =
        (0..facts.swept_keys.len()).map(|place| swept_values(facts, place).len()).product();
    let with_all: BTreeSet<&str> = tried.iter().map(|(set, _)| *set).collect();
    let each = |set: &&str| tried.iter().filter(|(own, _)| own == set).count() == all;
    if with_all.iter().all(each) {
        return ", in every combination".to_owned();
    }
    let once: BTreeSet<&String> = tried.iter().map(|(_, values)| values).collect();
    format!(", in {} of the {} combinations", count(once.len() as u64), count(all as u64))
}

/// The values of a swept key, each once.
fn swept_values<'a>(facts: &'a Facts<'_>, key: usize) -> Vec<Option<&'a Setting>> {
    let mut once: Vec<Option<&Setting>> = Vec::new();
    for value in facts.arms.iter().filter_map(|arm| arm.swept[key].as_ref()) {
        if !once.contains(&Some(value)) {
            once.push(Some(value));
        }
    }
    once
}

/// The operator sets in the order of the arms: those that serve as baselines alone, or the others.
fn names<'a>(facts: &'a Facts<'_>, baselines: bool) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for arm in &facts.arms {
        if !names.contains(&arm.operators) {
            names.push(arm.operators);
        }
    }
    let of = |name: &str| {
        facts.arms.iter().filter(|arm| arm.operators == name).all(|arm| arm.is_baseline)
    };
    names.retain(|name| of(name) == baselines);
    names
}

fn sets_of<'a>(facts: &'a Facts<'_>, name: &str) -> Vec<&'a Section> {
    let of_set = facts.arms.iter().filter(|arm| arm.operators == name);
    of_set.map(|arm| &*arm.settings.operators).collect()
}

/// The operator sets: what all share once, then each with what is its own.
fn operators(facts: &Facts<'_>, text: &mut Text, cited: &mut Cited) {
    let names = names(facts, false);
    let all: Vec<&Section> = names.iter().flat_map(|name| sets_of(facts, name)).collect();
    let slots = keys(&all);
    let has_all = |slot: &&str| {
        let first = values(&sets_of(facts, names[0]), slot);
        names.iter().all(|name| values(&sets_of(facts, name), slot) == first)
    };
    let (shared, own): (Vec<&str>, Vec<&str>) = match names.len() {
        0 => return,
        1 => (slots, Vec::new()),
        _ => slots.iter().partition(|slot| has_all(slot)),
    };
    match names.as_slice() {
        [one] => {
            text.say("The operator set ");
            text.name(one);
            text.say(" has ");
        }
        names => {
            text.say(format!("There were {} operator sets. ", names.len()));
            if !shared.is_empty() {
                text.say("All of them have ");
            }
        }
    }
    for (place, slot) in shared.iter().enumerate() {
        text.say(if place > 0 { ", " } else { "" });
        say_slot(text, slot, &values(&all, slot), cited);
    }
    if !shared.is_empty() {
        text.say(". ");
    }
    if own.is_empty() {
        return;
    }
    let (shown, rest) = names.split_at(names.len().min(SETS));
    for name in shown {
        let tables = sets_of(facts, name);
        text.name(name);
        text.say(": ");
        say_own(text, &tables, &own, cited);
        text.say(". ");
    }
    if !rest.is_empty() {
        let tables: Vec<&Section> = rest.iter().flat_map(|name| sets_of(facts, name)).collect();
        text.say(format!(
            "The other {} operator sets, listed in the column settings of the summary, have ",
            rest.len()
        ));
        say_own(text, &tables, &own, cited);
        text.say(". ");
    }
}

/// The slots that an operator set does not share; what it lacks and another evolutionary set has is
/// said too.
fn say_own(text: &mut Text, tables: &[&Section], own: &[&str], cited: &mut Cited) {
    let evolutionary = |table: &&Section| {
        table.get("algorithm").is_none_or(|algorithm| {
            let kind = algorithm.as_section().and_then(|section| section.get("kind"));
            kind.and_then(Setting::as_text) == Some("evolutionary")
        })
    };
    let varies = |slot: &str| ["crossover", "mutation", "scaling", "mix"].contains(&slot);
    let mut first = true;
    for slot in own {
        let values = values(tables, slot);
        let absent = values.iter().all(Option::is_none);
        if absent && !(varies(slot) && tables.iter().all(evolutionary)) {
            continue;
        }
        text.say(if first { "" } else { ", " });
        first = false;
        if absent {
            text.say(format!("no {slot}"));
        } else {
            say_slot(text, slot, &values, cited);
        }
    }
    if first {
        text.say("no differences");
    }
}

/// What arms were measured against.
fn baseline(facts: &Facts<'_>, text: &mut Text, cited: &mut Cited) {
    let names = names(facts, true);
    if names.is_empty() {
        return;
    }
    text.say("Arms were compared with random search");
    let new = cited.insert(("algorithm".to_owned(), "random-search".to_owned()));
    if let Some(entry) = find(Slot::Algorithm, "random-search").filter(|_| new) {
        text.say(format!(" ({})", citations(entry.source)));
    }
    text.say(" on the same problem, with as many evaluations as a trial of the arm can spend: ");
    for (place, name) in names.iter().enumerate().take(SETS) {
        text.say(if place > 0 { ", " } else { "" });
        text.name(name);
        text.say(" (");
        say_keys(text, &sets_of(facts, name), &["algorithm"]);
        text.say(")");
    }
    if names.len() > SETS {
        text.say(format!(" and {} more", names.len() - SETS));
    }
    text.say(". ");
}

#[cfg(test)]
mod tests;
