//! Tests that operators are built from the declarations in their entries.

use crate::operators::build::{crossover, mutation, selection};
use crate::operators::crossover::CROSSOVERS;
use crate::operators::mutation::MUTATIONS;
use crate::operators::operator::Slot;
use crate::operators::registry::{Entry, Family};
use crate::operators::replacement::{REPLACEMENTS, Replacement};
use crate::operators::scaling::{SCALINGS, Scaling};
use crate::operators::selection::SELECTIONS;
use crate::operators::values::{Complaint, Context, Make, Values};
use crate::operators::{CONSTRAINTS, Mutation, MutationKind, Selection};
use crate::problem::parameter::{Kind, Value};
use crate::problem::section::Section;
use crate::problem::section::Setting;
use crate::problem::{Bounds, Description, Encoding, GeneKind};
use crate::search::algorithm::Parts;
use crate::search::algorithms::ALGORITHMS;
use crate::search::registry::{all, operators};
use std::borrow::Cow;
use std::fmt::Debug;

fn problem(encoding: Encoding) -> Description {
    Description {
        encoding,
        gene: if encoding == Encoding::Real { GeneKind::F64 } else { GeneKind::U8 },
        genome_length: 8,
        bounds: if encoding == Encoding::Opaque {
            Bounds::None
        } else {
            Bounds::Uniform { low: 0.0, high: 7.0 }
        },
        ideal: Some(0.0),
        worst: Some(28.0),
        tolerance: 1e-9,
        worst_tolerance: 1e-9,
        space_size: None,
        has_crossover: false,
        has_mutate: false,
        has_is_valid: false,
        has_render: false,
        has_violations: true,
        has_conflicts: true,
        has_construct: true,
        state_size: 0,
        has_reversals: false,
        has_insertions: false,
        noise: crate::problem::Noise::Absent,
    }
}

fn context(problem: &Description) -> Context<'_> {
    Context::new(10, problem)
}

type Given<'a> = &'a [(&'a str, Value)];

/// Returns an entry and its values as the config reads them: the given values, otherwise the
/// defaults.
fn chosen<M>(family: &Family<M>, kind: &str, given: Given<'_>) -> (&'static Entry<M>, Values) {
    let entry = family.find(kind).expect("the tests know the registry");
    let parameters = entry.operator.parameters;
    for (key, _) in given {
        assert!(parameters.iter().any(|one| one.key == *key), "`{kind}` has no `{key}`");
    }
    let values = Values::new(&entry.operator, |parameter| {
        let (_, value) = given.iter().find(|(key, _)| parameter.key == *key)?;
        Some(parameter.kind.check(value).expect("the tests keep to the ranges"))
    });
    (entry, values)
}

/// Builds an operator of any slot. Returns its debug form and its values.
fn build(
    slot: Slot,
    kind: &str,
    given: Given<'_>,
    mixed: bool,
    context: Context<'_>,
) -> Result<(String, Section), Complaint> {
    fn told<T: Debug>((operator, section): (T, Section)) -> (String, Section) {
        (format!("{operator:?}"), section)
    }
    fn plain<T: Debug>(
        family: &Family<Make<T>>,
        kind: &str,
        given: Given<'_>,
        context: Context<'_>,
    ) -> Result<(String, Section), Complaint> {
        let (entry, values) = chosen(family, kind, given);
        entry.build(values, context).map(told)
    }
    match slot {
        Slot::Algorithm => {
            let (entry, mut values) = chosen(&ALGORITHMS, kind, given);
            // Structured populations have the operators of other slots, too.
            let kind = MutationKind::Problem;
            let parts = Parts {
                scaling: Some(Scaling::Reciprocal),
                selection: Some(Selection::Uniform),
                replacement: Some(Replacement::Generational),
                mutation: entry.make.uses(Slot::Crossover).then_some(Mutation { kind, rate: 1.0 }),
                ..Parts::default()
            };
            let algorithm = (entry.make.make)(&mut values, &parts, context)?;
            Ok(told((algorithm, values.section())))
        }
        Slot::Scaling => plain(&SCALINGS, kind, given, context),
        Slot::Selection => {
            let (entry, values) = chosen(&SELECTIONS, kind, given);
            selection(entry, values, Scaling::Reciprocal, context).map(told)
        }
        Slot::Crossover => {
            let (entry, values) = chosen(&CROSSOVERS, kind, given);
            crossover(entry, values, mixed, context).map(told)
        }
        Slot::Mutation => {
            let (entry, values) = chosen(&MUTATIONS, kind, given);
            mutation(entry, values, mixed, context).map(told)
        }
        Slot::Replacement => plain(&REPLACEMENTS, kind, given, context),
        Slot::Constraints => plain(&CONSTRAINTS, kind, given, context),
    }
}

/// Returns the values of an operator's settings.
fn values(section: &Section) -> Vec<(&str, Value)> {
    let settings = section.iter().skip(1);
    settings
        .map(|(key, setting)| match setting {
            Setting::Value(value) => (key, value.clone()),
            Setting::Section(_) => panic!("`{key}` is no value"),
        })
        .collect()
}

/// Returns the complaint that a user would see.
fn refused(slot: Slot, kind: &str, values: Given<'_>, problem: &Description) -> String {
    let complaint =
        build(slot, kind, values, false, context(problem)).expect_err("this setting breaks a rule");
    format!("{}: {}; {}", complaint.key.unwrap_or("kind"), complaint.message, complaint.help)
}

#[test]
fn every_operator_is_built_where_it_fits_and_its_setting_builds_the_same_again() {
    let mut built = std::collections::BTreeMap::new();
    for encoding in Encoding::ALL {
        let problem = Description { has_crossover: true, has_mutate: true, ..problem(encoding) };
        for (slot, declared) in all().filter(|(slot, operator)| {
            operator.fits(*slot, &problem).is_ok() && operator.name != "evolutionary"
        }) {
            let name = declared.name;
            let (operator, section) =
                build(slot, name, &[], false, context(&problem)).expect("defaults are good");
            let again = build(slot, name, &values(&section), false, context(&problem))
                .expect("what it says is good");
            assert_eq!(again, (operator.clone(), section.clone()));
            // The section is complete and in the registry's order, except for the parameters whose
            // absence has a meaning.
            let left_out = |key: &str| {
                matches!(
                    (name, key),
                    (_, "neighbors")
                        | ("reset", "gene-rate")
                        | ("elitism", "share")
                        | ("bit-flip", "strength" | "beta")
                        | ("differential-evolution", "strategy" | "p")
                )
            };
            let keys = declared.parameters.iter().map(|parameter| parameter.key.as_ref());
            let expected = std::iter::once("kind").chain(keys.filter(|key| !left_out(key)));
            assert!(section.keys().eq(expected), "{slot} {name}: {section:?}");
            // The debug form names this operator.
            let of_kind = operator.split("kind: ").last().unwrap_or_default();
            let named = if slot == Slot::Algorithm { operator.as_str() } else { of_kind };
            let variant: String =
                named.split([' ', '(', ',']).next().unwrap_or_default().to_lowercase();
            let squeezed = name.replace('-', "");
            assert_eq!(variant, squeezed, "{slot} {name} is built as {operator}");
            built.insert((slot.as_str(), name), operator);
        }
    }
    // The evolutionary algorithm is not built here, because it consists of the other slots.
    assert_eq!(built.len() + 1, all().count());
}

#[test]
fn every_word_of_every_choice_makes_an_operator_of_its_own() {
    for (slot, operator) in all() {
        for parameter in operator.parameters {
            let Kind::Choice(words) = &parameter.kind else { continue };
            let encoding = match parameter.key.as_ref() {
                "neighbors" => Encoding::Permutation,
                _ => operator.domain.encodings()[0],
            };
            let problem = problem(encoding);
            let built = words.iter().map(|word| {
                let given = [(parameter.key.as_ref(), Value::Text(word.clone()))];
                build(slot, operator.name, &given, false, context(&problem))
                    .expect("a choice offers what there is")
                    .0
            });
            let distinct: std::collections::BTreeSet<String> = built.collect();
            assert_eq!(
                distinct.len(),
                words.len(),
                "{} {}: {distinct:?}",
                operator.name,
                parameter.key
            );
        }
    }
}

#[test]
fn derived_values_are_worked_out_and_written_out() {
    let (queens, bits) = (problem(Encoding::Integer), problem(Encoding::Bits));
    let told = |slot, kind, values: Given<'_>, mixed, problem| {
        let built = build(slot, kind, values, mixed, context(problem));
        Setting::Section(built.expect("good settings").1).to_string()
    };
    let text = |word: &'static str| Value::Text(Cow::Borrowed(word));
    for (found, expected) in [
        (
            told(Slot::Scaling, "complement", &[], false, &queens),
            r#"{ kind = "complement", worst = 28.0 }"#,
        ),
        (
            told(Slot::Replacement, "plus", &[], false, &queens),
            r#"{ kind = "plus", offspring = 10, ties = "children" }"#,
        ),
        (
            told(Slot::Replacement, "comma", &[], false, &queens),
            r#"{ kind = "comma", offspring = 70 }"#,
        ),
        (
            told(Slot::Mutation, "reset", &[], false, &queens),
            r#"{ kind = "reset", rate = 1.0, value = "different" }"#,
        ),
        (
            told(Slot::Mutation, "bit-flip", &[], true, &bits),
            r#"{ kind = "bit-flip", gene-rate = 0.125 }"#,
        ),
        (
            told(Slot::Crossover, "one-point", &[("cut", text("any"))], true, &queens),
            r#"{ kind = "one-point", children = 2, cut = "any" }"#,
        ),
    ] {
        assert_eq!(found, expected);
    }
    // Half of 5 is rounded up to 3. An integer is accepted where a real number is expected.
    for (given, elite) in [
        (vec![], 1),
        (vec![("share", Value::Real(0.5))], 3),
        (vec![("share", Value::Integer(0))], 0),
        (vec![("count", Value::Integer(4))], 4),
    ] {
        let small = Context::new(5, &queens);
        let (entry, given) = chosen(&REPLACEMENTS, "elitism", &given);
        let (operator, section) = entry.build(given, small).expect("good settings");
        assert_eq!(operator, Replacement::Elitism { elite });
        assert_eq!(values(&section), [("count", Value::Integer(elite as i64))]);
    }
}

#[test]
fn broken_rules_are_answered_with_the_value_the_rule_and_the_way_out() {
    let queens = problem(Encoding::Integer);
    let unknown = Description { worst: None, ideal: None, ..queens.clone() };
    let negative = Description { ideal: Some(-5.0), ..queens.clone() };
    let single = Description { genome_length: 1, ..queens.clone() };
    let (real, whole) = (Value::Real, Value::Integer);
    let answers = [
        refused(Slot::Scaling, "complement", &[], &unknown),
        refused(Slot::Scaling, "complement", &[("worst", real(0.0))], &queens),
        refused(Slot::Scaling, "reciprocal", &[], &negative),
        refused(Slot::Scaling, "share-complement", &[], &negative),
        refused(Slot::Selection, "noisy-rank", &[], &negative),
        refused(Slot::Selection, "tournament", &[("size", whole(11))], &queens),
        refused(Slot::Selection, "truncation", &[("share", real(0.04))], &queens),
        refused(Slot::Crossover, "one-point", &[], &single),
        refused(Slot::Crossover, "two-point", &[], &single),
        refused(
            Slot::Replacement,
            "elitism",
            &[("share", real(0.5)), ("count", whole(1))],
            &queens,
        ),
        refused(Slot::Replacement, "elitism", &[("share", real(0.96))], &queens),
        refused(Slot::Replacement, "elitism", &[("share", real(0.01))], &queens),
        refused(Slot::Replacement, "elitism", &[("count", whole(10))], &queens),
        refused(Slot::Replacement, "comma", &[("offspring", whole(9))], &queens),
        refused(Slot::Replacement, "steady-state", &[("offspring", whole(11))], &queens),
    ];
    let expected = "\
kind: `complement` needs the worst fitness, and the problem does not state one; give it: \
scaling = { kind = \"complement\", worst = … }
worst: with `worst` = 0 all weights are 0: the problem's ideal is 0, and no fitness is below \
it; set it above the ideal; a fitness of `worst` or more gets weight 0
kind: `reciprocal` needs fitness of at least 0, and the problem's ideal is -5; choose `rank` or \
`complement`
kind: `share-complement` needs fitness of at least 0, and the problem's ideal is -5; choose \
`rank` or `complement`
kind: `noisy-rank` needs fitness of at least 0, and the problem's ideal is -5; choose \
`tournament`
size: a tournament of 11 is larger than the population of 10; choose a size from 1 to 10
share: a share of 0.04 of a population of 10 rounds to no parents; choose a share of at least \
0.05, or a larger population
kind: `one-point` cuts a genome of at least 2 genes, and this one has 1; leave crossover out, \
or choose `uniform`
kind: `two-point` cuts a genome of at least 2 genes, and this one has 1; leave crossover out, \
or choose `uniform`
count: elitism has both a `share` and a `count`; keep the intended one
share: 10 of 10 parents survive, which leaves no place for children; let at most 9 survive
share: a share of 0.01 of a population of 10 rounds to no parents; choose a share of at least \
0.05, or a larger population
count: 10 of 10 parents survive, which leaves no place for children; let at most 9 survive
offspring: 9 children cannot fill a population of 10; make at least 10
offspring: 11 children cannot replace more than the population of 10; make at most 10";
    assert_eq!(answers.join("\n"), expected);
}

#[test]
fn a_single_gene_may_be_cut_off_at_its_ends() {
    let single = Description { genome_length: 1, ..problem(Encoding::Integer) };
    let any = [("cut", Value::Text(Cow::Borrowed("any")))];
    assert!(build(Slot::Crossover, "one-point", &any, false, context(&single)).is_ok());
}

#[test]
fn selections_by_weight_need_a_scaling() {
    let queens = problem(Encoding::Integer);
    for operator in operators(Slot::Selection) {
        let (entry, values) = chosen(&SELECTIONS, operator.name, &[]);
        let built = selection(entry, values, Scaling::None, context(&queens));
        assert_eq!(
            built.is_err(),
            matches!(operator.name, "roulette" | "sus"),
            "{}: {built:?}",
            operator.name
        );
    }
}
