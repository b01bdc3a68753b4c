use super::*;
use proptest::prelude::*;
use std::borrow::Cow;

fn real(value: f64) -> Option<Value> {
    Some(Value::Real(value))
}

fn text(value: &'static str) -> Option<Value> {
    Some(Value::Text(Cow::Borrowed(value)))
}

fn names(arms: &[(&str, Vec<Option<Value>>)], keys: &[&str], width: usize) -> Vec<String> {
    let keys: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
    let parts: Vec<Parts<'_>> = arms
        .iter()
        .map(|(operators, swept)| Parts { operators, swept: swept.iter().collect() })
        .collect();
    names_of(&parts, &keys, width)
}

#[test]
fn what_all_share_is_left_out() {
    let arms = [("ga", vec![real(0.1), text("rows")]), ("ga", vec![real(0.2), text("rows")])];
    assert_eq!(
        names(&arms, &["operators.mutation.rate", "problem.encoding"], 34),
        ["mutation.rate 0.1", "mutation.rate 0.2"]
    );
    assert_eq!(names(&arms[..1], &["operators.mutation.rate", "problem.encoding"], 34), ["ga"]);
    let sets = [("ga", vec![real(0.1)]), ("ga", vec![real(0.2)]), ("random-search", vec![None])];
    assert_eq!(
        names(&sets, &["operators.mutation.rate"], 34),
        ["ga, mutation.rate 0.1", "ga, mutation.rate 0.2", "random-search"]
    );
}

#[test]
fn keys_keep_their_table_where_they_need_it() {
    let keys =
        |keys: &[&str]| key_names(&keys.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>());
    assert_eq!(keys(&["problem.n", "operators.mutation.rate"]), ["n", "mutation.rate"]);
    assert_eq!(
        keys(&["problem.population", "operators.population"]),
        ["problem.population", "operators.population"]
    );
    assert_eq!(keys(&["seed"]), ["seed"]);
}

#[test]
fn long_names_keep_the_value_that_differs() {
    let long = "tournament with one-point crossover and reset";
    let arms: Vec<(&str, Vec<Option<Value>>)> = [0.01, 0.02]
        .into_iter()
        .flat_map(|one| [0.5, 0.9].map(|other| (long, vec![real(one), real(other)])))
        .chain([("tournament with two-point crossover and reset", vec![real(0.01), real(0.5)])])
        .collect();
    assert_eq!(
        names(&arms, &["operators.mutation.rate", "operators.crossover.rate"], 40),
        [
            "one…, mut.rate 0.01, cro.rate 0.5",
            "one…, mut.rate 0.01, cro.rate 0.9",
            "one…, mut.rate 0.02, cro.rate 0.5",
            "one…, mut.rate 0.02, cro.rate 0.9",
            "two…, mut.rate 0.01, cro.rate 0.5"
        ]
        .map(|name| format!("…{name}"))
    );
    let sets = [
        "a generational algorithm with roulette wheel selection and one-point crossover, mutation \
        rate 0.1",
        "a generational algorithm with roulette wheel selection and one-point crossover, mutation \
        rate 0.2",
        "a generational algorithm with tournament selection size 3 and one-point crossover, \
        mutation rate 0.2",
        "plus",
    ];
    let short = elided(&sets, 40);
    assert!(short.iter().all(|name| name.chars().count() <= 60), "{short:?}");
    assert!(short[0].contains("0.1") && short[1].contains("0.2"), "{short:?}");
    assert!(short[0].contains("roulette wheel") && short[2].contains("tournament"), "{short:?}");
    assert_eq!(short[3], "plus");
}

#[test]
fn words_speak_for_themselves_where_no_other_key_has_them() {
    let arms =
        [("ga", vec![text("one-max"), real(0.1)]), ("ga", vec![text("leading-ones"), real(0.2)])];
    assert_eq!(
        names(&arms, &["problem.problem", "operators.mutation.rate"], 26),
        ["one-max, mutation.rate 0.1", "leading-ones, mut.rate 0.2"]
            .map(|name| name.replace("mutation", "mut"))
    );
    let same = [("ga", vec![text("low"), text("high")]), ("ga", vec![text("high"), text("low")])];
    assert_eq!(
        names(&same, &["problem.first", "problem.second"], 5),
        ["first low, sec high", "first high, sec low"]
    );
}

/// Such as a hash, next to names that are nothing like it.
#[test]
fn a_name_of_one_long_word_keeps_its_ends() {
    let hash = "0123456789abcdefghijklmnopqrstuvwxyz";
    let short = elided(&[hash, "plus", "comma"], 20);
    assert_eq!(short, ["012345678…qrstuvwxyz", "plus", "comma"]);
}

proptest! {
    /// Different arms have different names at any width, and every number that differs is in the
    /// name.
    #[test]
    fn names_differ_and_keep_their_values(
        sets in prop::collection::btree_set("[a-c]{1,3}( [a-c0-2.]{1,4}){0,9}", 1..6),
        values in prop::collection::btree_set(0_i64..1000, 1..5),
        width in 8_usize..60,
    ) {
        let rows: Vec<(&str, Vec<Option<Value>>)> = sets
            .iter()
            .flat_map(|set| values.iter().map(move |value| (set.as_str(), *value)))
            .map(|(set, value)| (set, vec![Some(Value::Integer(value))]))
            .collect();
        let short = names(&rows, &["operators.population"], width);
        prop_assert_eq!(short.iter().collect::<BTreeSet<_>>().len(), rows.len(), "{:?}", short);
        if values.len() > 1 {
            for ((_, swept), name) in rows.iter().zip(&short) {
                let value = swept_text(swept[0].as_ref().expect("a value"));
                let named = name.split(' ').any(|word| word == value);
                prop_assert!(named, "{} is not in {}", value, name);
            }
        }
    }
}
