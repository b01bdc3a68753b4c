//! Entries of the registry: their declarations, and the problems they fit.

use crate::operators::operator::{Operator, Slot};
use crate::problem::parameter::{Fallback, Parameter};
use crate::problem::{Bounds, Description, Encoding, GeneKind, Noise};
use crate::search::registry::{all, find, operators};

#[test]
fn names_and_keys_are_unique_and_defaults_lie_in_their_ranges() {
    for (slot, operator) in all() {
        let name = operator.name;
        let same = operators(slot).iter().filter(|other| other.name == name).count();
        assert_eq!(same, 1, "{slot} {name}");
        assert!(operator.summary.ends_with('.'), "{slot} {name}");
        for Parameter { key, kind, fallback, .. } in operator.parameters {
            let same = operator.parameters.iter().filter(|other| other.key == *key).count();
            assert_eq!(same, 1, "{slot} {name} {key}");
            if let Fallback::Value(value) = fallback {
                assert_eq!(kind.check(value).as_ref(), Ok(value), "{slot} {name} {key}");
            }
        }
    }
}

fn problem(encoding: Encoding, gene: GeneKind, bounds: Bounds) -> Description {
    Description {
        encoding,
        gene,
        genome_length: 3,
        bounds,
        ideal: None,
        worst: None,
        tolerance: 1e-9,
        worst_tolerance: 1e-9,
        space_size: None,
        has_crossover: true,
        has_mutate: false,
        has_is_valid: false,
        has_render: false,
        has_violations: false,
        has_conflicts: false,
        has_construct: false,
        state_size: 0,
        has_reversals: false,
        has_insertions: false,
        noise: Noise::Absent,
    }
}

fn fitting(slot: Slot, problem: &Description) -> Vec<&'static str> {
    let fits = |operator: &&Operator| operator.fits(slot, problem).is_ok();
    operators(slot).into_iter().filter(fits).map(|operator| operator.name).collect()
}

#[test]
fn operators_fit_encodings_that_they_keep_valid() {
    let same = Bounds::Uniform { low: 0.0, high: 2.0 };
    let placed = ["one-point", "two-point", "uniform"];
    let permuted = problem(Encoding::Permutation, GeneKind::U8, same.clone());
    assert_eq!(fitting(Slot::Crossover, &permuted), ["order", "pmx", "cycle", "problem"]);
    assert_eq!(fitting(Slot::Mutation, &permuted), ["swap", "insert", "inversion", "scramble"]);
    let real = problem(Encoding::Real, GeneKind::F64, same);
    assert_eq!(
        fitting(Slot::Crossover, &real),
        [&placed[..], &["blend", "sbx", "problem"]].concat()
    );
    let opaque = problem(Encoding::Opaque, GeneKind::U8, Bounds::None);
    assert_eq!(fitting(Slot::Crossover, &opaque), ["problem"]);
    assert_eq!(fitting(Slot::Mutation, &opaque), [] as [&str; 0]);
    assert_eq!(fitting(Slot::Selection, &opaque).len(), operators(Slot::Selection).len());
}

#[test]
fn genes_are_not_moved_to_places_with_other_bounds() {
    let bounds = |high| Bounds::PerGene { low: vec![0.0; 3], high: vec![7.0, 7.0, high] };
    let same = problem(Encoding::Integer, GeneKind::U8, bounds(7.0));
    assert_eq!(
        fitting(Slot::Mutation, &same),
        ["reset", "swap", "insert", "inversion", "scramble"]
    );
    let differ = problem(Encoding::Integer, GeneKind::U8, bounds(9.0));
    assert_eq!(fitting(Slot::Mutation, &differ), ["reset"]);
    assert_eq!(
        find(Slot::Mutation, "swap").map(|swap| swap.fits(Slot::Mutation, &differ)),
        Some(Err(
            "it moves genes to other positions, but the bounds differ: 0 to 7 for gene 0, 0 to 9 \
            for gene 2"
                .into()
        ))
    );
}

#[test]
fn bounds_without_a_width_between_them_are_refused() {
    let endless =
        problem(Encoding::Real, GeneKind::F64, Bounds::Uniform { low: f64::MIN, high: f64::MAX });
    assert_eq!(fitting(Slot::Mutation, &endless), [] as [&str; 0]);
    assert_eq!(fitting(Slot::Crossover, &endless), ["problem"]);
}
