use super::*;
use crate::operators::registry::{Slot, entries, find};
use crate::parameter::{Fallback, Kind};
use crate::problem::GeneKind;
use std::borrow::Cow;

fn problem(encoding: Encoding) -> Description {
    Description {
        encoding,
        gene: if encoding == Encoding::Real { GeneKind::F64 } else { GeneKind::U8 },
        genome_length: 8,
        bounds: if encoding == Encoding::Opaque { Bounds::None } else { Bounds::Uniform { low: 0.0, high: 7.0 } },
        ideal: Some(0.0),
        worst: Some(28.0),
        space_size: None,
        has_crossover: false,
        has_mutate: false,
        has_is_valid: false,
        has_render: false,
    }
}

fn context(problem: &Description) -> Context<'_> {
    Context { population: 10, mixed: false, problem }
}

fn setting(kind: &'static str, values: &[(&'static str, Value)]) -> Setting {
    Setting { kind, values: values.to_vec() }
}

/// Builds an operator, whatever its slot, and returns its debug form and its completed setting.
fn build(slot: Slot, setting: &Setting, context: &Context<'_>) -> Result<(String, Setting), Complaint> {
    fn told<T: std::fmt::Debug>((operator, setting): (T, Setting)) -> (String, Setting) {
        (format!("{operator:?}"), setting)
    }
    match slot {
        Slot::Scaling => build_scaling(setting, context).map(told),
        Slot::Selection => build_selection(setting, context).map(told),
        Slot::Crossover => build_crossover(setting, context).map(told),
        Slot::Mutation => build_mutation(setting, context).map(told),
        Slot::Replacement => build_replacement(setting, context).map(told),
    }
}

/// What a user would see.
fn refused(slot: Slot, kind: &'static str, values: &[(&'static str, Value)], problem: &Description) -> String {
    let complaint = build(slot, &setting(kind, values), &context(problem)).expect_err("this setting breaks a rule");
    format!("{}: {complaint}", complaint.key.unwrap_or("kind"))
}

#[test]
fn every_operator_is_built_where_it_fits_and_its_complete_setting_builds_the_same() {
    let mut built = std::collections::BTreeSet::new();
    for encoding in Encoding::ALL {
        let problem = Description { has_crossover: true, has_mutate: true, ..problem(encoding) };
        for slot in Slot::ALL {
            for entry in entries(slot) {
                let bare = build(slot, &setting(entry.name, &[]), &context(&problem));
                assert_eq!(bare.is_ok(), entry.fits(&problem).is_ok(), "{slot} {} on {encoding}: {bare:?}", entry.name);
                let Ok((operator, complete)) = bare else { continue };
                built.insert((slot.word(), entry.name));
                let again = build(slot, &complete, &context(&problem)).expect("a complete setting is a good one");
                assert_eq!(again, (operator, complete.clone()));
                // In the registry's order, and whole but for what has no value: reset's and elitism's alternatives.
                let keys: Vec<&str> = complete.values.iter().map(|(key, _)| *key).collect();
                let known: Vec<&str> = entry.parameters.iter().map(|parameter| parameter.key.as_ref()).collect();
                let expected: Vec<&str> = known.into_iter().filter(|key| keys.contains(key)).collect();
                assert_eq!(keys, expected, "{slot} {}", entry.name);
                for parameter in &entry.parameters {
                    let left_out =
                        matches!((entry.name, parameter.key.as_ref()), ("reset", "gene-rate") | ("elitism", "share"));
                    assert_eq!(keys.contains(&parameter.key.as_ref()), !left_out, "{} {}", entry.name, parameter.key);
                }
            }
        }
    }
    assert_eq!(built.len(), Slot::ALL.iter().map(|slot| entries(*slot).count()).sum::<usize>());
}

#[test]
fn every_word_of_every_choice_is_built() {
    for slot in Slot::ALL {
        for entry in entries(slot) {
            let problem = problem(entry.encodings[0]);
            for parameter in &entry.parameters {
                let Kind::Choice(words) = &parameter.kind else { continue };
                for word in words.iter() {
                    let key = parameter.key.as_ref();
                    let given = setting(entry.name, &[(key, Value::Text(word.clone()))]);
                    let (_, complete) = build(slot, &given, &context(&problem)).expect("a choice offers what there is");
                    assert!(complete.values.contains(&(key, Value::Text(word.clone()))));
                }
            }
        }
    }
}

#[test]
fn derived_values_are_worked_out_and_written_out() {
    let queens = problem(Encoding::Integer);
    let context = context(&queens);
    let toml = |slot, kind: &'static str, values: &[(&'static str, Value)], context: &Context<'_>| {
        build(slot, &setting(kind, values), context).map(|(_, complete)| complete.to_toml()).expect("good settings")
    };
    assert_eq!(toml(Slot::Scaling, "complement", &[], &context), r#"{ kind = "complement", worst = 28.0 }"#);
    assert_eq!(toml(Slot::Replacement, "plus", &[], &context), r#"{ kind = "plus", offspring = 10 }"#);
    assert_eq!(toml(Slot::Replacement, "comma", &[], &context), r#"{ kind = "comma", offspring = 70 }"#);
    assert_eq!(toml(Slot::Mutation, "reset", &[], &context), r#"{ kind = "reset", rate = 1.0, value = "different" }"#);
    let bits = problem(Encoding::Bits);
    let mixed = Context { mixed: true, problem: &bits, ..context };
    assert_eq!(toml(Slot::Mutation, "bit-flip", &[], &mixed), r#"{ kind = "bit-flip", gene-rate = 0.125 }"#);
    assert_eq!(
        toml(Slot::Crossover, "one-point", &[("cut", Value::Text(Cow::Borrowed("any")))], &mixed),
        r#"{ kind = "one-point", children = 2, cut = "any" }"#
    );
    // Half of 5 is 3, rounded up; a whole number stands for itself where a number is meant.
    for (values, elite) in [
        (vec![], 1),
        (vec![("share", Value::Real(0.5))], 3),
        (vec![("share", Value::Integer(0))], 0),
        (vec![("count", Value::Integer(4))], 4),
    ] {
        let small = Context { population: 5, ..context };
        let (replacement, complete) = build_replacement(&setting("elitism", &values), &small).expect("good settings");
        assert_eq!(replacement, Replacement::Elitism { elite });
        assert_eq!(complete.values, [("count", Value::Integer(elite as i64))]);
    }
}

#[test]
fn broken_rules_are_answered_with_the_value_the_rule_and_the_way_out() {
    let queens = problem(Encoding::Integer);
    let unknown = Description { worst: None, ideal: None, ..queens.clone() };
    let negative = Description { ideal: Some(-5.0), ..queens.clone() };
    let single = Description { genome_length: 1, ..queens.clone() };
    let real = |value| Value::Real(value);
    let whole = |value| Value::Integer(value);
    let answers = [
        (
            refused(Slot::Scaling, "complement", &[], &unknown),
            "kind: `complement` subtracts from the worst fitness, and the problem states none; set it, as in { kind = \
             \"complement\", worst = 100.0 }, or use `rank`, which needs none",
        ),
        (
            refused(Slot::Scaling, "complement", &[("worst", real(0.0))], &queens),
            "worst: `worst` is 0, but must be finite and above the problem's ideal, 0: else nothing has a weight; set the \
             greatest fitness that is still to have a chance",
        ),
        (
            refused(Slot::Scaling, "complement", &[("worst", real(f64::INFINITY))], &unknown),
            "worst: `worst` is inf, but must be finite: else nothing has a weight; set the greatest fitness that is still \
             to have a chance",
        ),
        (
            refused(Slot::Scaling, "reciprocal", &[], &negative),
            "kind: `reciprocal` needs fitness of at least 0, and the problem's ideal is -5; use `rank` or `complement`",
        ),
        (
            refused(Slot::Selection, "noisy-rank", &[], &negative),
            "kind: `noisy-rank` needs fitness of at least 0, and the problem's ideal is -5; use `tournament`",
        ),
        (
            refused(Slot::Selection, "tournament", &[("size", whole(11))], &queens),
            "size: a tournament of 11 is larger than the population of 10; lower `size` to 10 or less, or raise \
             `population`",
        ),
        (
            refused(Slot::Selection, "truncation", &[("share", real(0.04))], &queens),
            "share: a share of 0.04 of a population of 10 is no parent at all; raise `share` to 0.1 or more, or raise \
             `population`",
        ),
        (
            refused(Slot::Crossover, "order", &[], &queens),
            "kind: crossover `order` does not fit: it is for permutation genomes, and this problem's are integer; use \
             `one-point`, `two-point` or `uniform`",
        ),
        (
            refused(Slot::Crossover, "problem", &[], &queens),
            "kind: crossover `problem` does not fit: the plugin brings no crossover of its own; use `one-point`, \
             `two-point` or `uniform`",
        ),
        (
            refused(Slot::Crossover, "two-point", &[], &single),
            "kind: `two-point` cuts between two genes, and a genome of this problem has only one; use `uniform`, or leave \
             `crossover` out",
        ),
        (
            refused(Slot::Mutation, "swap", &[], &problem(Encoding::Opaque)),
            "kind: mutation `swap` does not fit: it is for integer, permutation, bits and real genomes, and this \
             problem's are opaque; leave `mutation` out, or have the plugin bring its own",
        ),
        (
            refused(Slot::Replacement, "elitism", &[("share", real(0.5)), ("count", whole(1))], &queens),
            "count: `share = 0.5` and `count = 1` both say how many parents live on; keep one of the two",
        ),
        (
            refused(Slot::Replacement, "elitism", &[("share", real(0.96))], &queens),
            "share: a share of 0.96 of a population of 10 is 10 parents, which leaves no place for children; lower `share`, so \
             that at most 9 live on",
        ),
        (
            refused(Slot::Replacement, "elitism", &[("count", whole(10))], &queens),
            "count: 10 parents of a population of 10 live on, which leaves no place for children; lower `count`, so that at \
             most 9 live on",
        ),
        (
            refused(Slot::Replacement, "elitism", &[("share", real(0.01))], &queens),
            "share: a share of 0.01 of a population of 10 is no parent at all; set `count = 1` in its place to keep the \
             best",
        ),
        (
            refused(Slot::Replacement, "comma", &[("offspring", whole(9))], &queens),
            "offspring: `comma` fills a population of 10 from 9 children, which are too few; raise `offspring` to 10 or \
             more; 7 x the population is usual",
        ),
        (
            refused(Slot::Replacement, "steady-state", &[("offspring", whole(11))], &queens),
            "offspring: 11 children have no place in a population of 10; lower `offspring` to 10 or less, or use `plus`",
        ),
    ];
    for (answer, expected) in answers {
        assert_eq!(answer, expected);
    }
}

#[test]
fn genes_are_not_moved_to_places_with_other_bounds() {
    let bounds = |high: f64| Bounds::PerGene { low: vec![0.0; 8], high: [vec![7.0; 7], vec![high]].concat() };
    let same = Description { bounds: bounds(7.0), ..problem(Encoding::Integer) };
    let differ = Description { bounds: bounds(9.0), ..problem(Encoding::Integer) };
    for kind in ["swap", "insert", "inversion", "scramble"] {
        assert!(build_mutation(&setting(kind, &[]), &context(&same)).is_ok());
        assert_eq!(
            refused(Slot::Mutation, kind, &[], &differ),
            format!(
                "kind: mutation `{kind}` does not fit: it moves genes to other places, and the bounds differ: 0 to 7 for \
                 gene 0, 0 to 9 for gene 7; use `reset`"
            )
        );
    }
    assert!(build_mutation(&setting("reset", &[]), &context(&differ)).is_ok());
}

#[test]
fn bounds_too_far_apart_to_be_measured_are_refused() {
    let bounds = Bounds::Uniform { low: f64::MIN, high: f64::MAX };
    let endless = Description { bounds, ..problem(Encoding::Real) };
    assert!(build_mutation(&setting("gaussian", &[]), &context(&endless)).is_err());
    assert!(build_crossover(&setting("sbx", &[]), &context(&endless)).is_err());
}

#[test]
fn selections_by_weight_need_a_scaling() {
    for (selection, name) in [(Selection::Roulette, "roulette"), (Selection::Sus, "sus")] {
        let complaint = check_pair(selection, Scaling::None).expect_err("there are no weights");
        assert_eq!(
            complaint.to_string(),
            format!(
                "`{name}` draws parents by weight, and without a scaling there are no weights; set `scaling` to \
                 \"complement\", \"reciprocal\", \"share-complement\" or \"rank\", or select by `tournament`"
            )
        );
        assert_eq!(check_pair(selection, Scaling::Reciprocal), Ok(()));
    }
    assert_eq!(check_pair(Selection::Uniform, Scaling::None), Ok(()));
    assert_eq!(check_pair(Selection::Tournament { size: 2 }, Scaling::Reciprocal), Ok(()));
}

#[test]
fn fallbacks_leave_nothing_required() {
    // A bare name is a whole setting.
    for slot in Slot::ALL {
        for entry in entries(slot) {
            assert!(
                entry.parameters.iter().all(|parameter| parameter.fallback != Fallback::Required),
                "{}",
                entry.name
            );
            assert!(find(slot, entry.name).is_some_and(|found| std::ptr::eq(found, entry)));
        }
    }
}
