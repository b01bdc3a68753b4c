use super::*;
use crate::problem::{Description, Encoding, MixedGene, MixedKind};
use crate::random::generator::Made;
use proptest::prelude::*;

const DIGITS: Bounds = Bounds::Uniform { low: 2.0, high: 6.0 };

#[test]
fn reset_draws_its_places_and_values_uniformly() {
    // 40,000 mutations of a row of 4. A place's share is 1/4. The share of a new value is 1/4
    // (different) or 1/5 (any). Each binomial count is within 5 standard deviations: a false-alarm
    // rate of 6e-7 per count.
    for (different, values, share) in [(true, [2, 3, 5, 6], 0.25), (false, [2, 3, 5, 6], 0.2)] {
        let mut random = Random::seed_from_u64(1);
        let (mut places, mut counts) = ([0.0; 4], [0.0; 7]);
        for _ in 0..40_000 {
            let mut row = [4u8; 4];
            reset(&mut row[..], &DIGITS, &Loci::of(Genes::One), different, &mut random);
            if let Some(place) = row.iter().position(|gene| *gene != 4) {
                assert_eq!(row.iter().filter(|gene| **gene != 4).count(), 1);
                places[place] += 1.0;
                counts[row[place] as usize] += 1.0;
            } else {
                assert!(!different);
                counts[4] += 1.0;
            }
        }
        let near = |count: f64, all: f64, share: f64| {
            assert!(
                (count - all * share).abs() < 5.0 * (all * share * (1.0 - share)).sqrt(),
                "{count} of {all}"
            );
        };
        values.iter().for_each(|value| near(counts[*value], 40_000.0, share));
        let changed: f64 = places.iter().sum();
        places.iter().for_each(|place| near(*place, changed, 0.25));
        assert_eq!(counts[0] + counts[1], 0.0);
    }
}

#[test]
fn real_resets_stay_within_the_bounds_of_each_gene() {
    let bounds = Bounds::PerGene { low: vec![0.0, 10.0], high: vec![1.0, 20.0] };
    let mut random = Random::seed_from_u64(2);
    for _ in 0..1_000 {
        let mut row = [0.5, 15.0];
        reset(&mut row[..], &bounds, &Loci::of(Genes::Each(1.0)), true, &mut random);
        assert!((0.0..=1.0).contains(&row[0]) && (10.0..=20.0).contains(&row[1]), "{row:?}");
    }
}

#[test]
fn every_swap_and_insertion_is_equally_likely() {
    // A row of 4 has 12 ordered pairs of places. A swap has 6 equally likely results. An insertion
    // has 9 results, because the 6 moves between neighbours coincide in pairs. 36,000 of each,
    // within 5 standard deviations.
    let mut random = Random::seed_from_u64(3);
    let mut seen = std::collections::BTreeMap::new();
    for _ in 0..36_000 {
        let mut row = [0u8, 1, 2, 3];
        swap(&mut row, &mut random);
        *seen.entry(row).or_insert(0.0) += 1.0;
    }
    assert_eq!(seen.len(), 6);
    assert!(
        seen.values().all(|count| (count - 6_000.0_f64).abs() < 5.0 * (5_000f64).sqrt()),
        "{seen:?}"
    );
    seen.clear();
    for _ in 0..36_000 {
        let mut row = [0u8, 1, 2, 3];
        insert(&mut row, &mut random);
        *seen.entry(row).or_insert(0.0) += 1.0;
    }
    assert_eq!(seen.len(), 9);
    for (row, count) in &seen {
        let neighbours = [[1, 0, 2, 3], [0, 2, 1, 3], [0, 1, 3, 2]].contains(row);
        let expected = if neighbours { 6_000.0 } else { 3_000.0 };
        assert!((count - expected).abs() < 5.0 * expected.sqrt(), "{seen:?}");
    }
}

#[test]
fn gaussian_and_polynomial_steps_have_their_size_and_keep_the_bounds() {
    let bounds = Bounds::Uniform { low: -50.0, high: 50.0 };
    let mut random = Random::seed_from_u64(4);
    let (mut square, mut sum) = (0.0, 0.0);
    for _ in 0..20_000 {
        let mut row = [0.0];
        gaussian(&mut row[..], &bounds, 0.02, &Loci::of(Genes::One), &mut random);
        square += row[0] * row[0] / 20_000.0;
        polynomial(&mut row[..], &bounds, 20.0, &Loci::of(Genes::One), &mut random);
        sum += row[0] / 20_000.0;
        for start in [-50.0, 49.9, 50.0] {
            let mut row = [start; 2];
            gaussian(&mut row[..], &bounds, 0.5, &Loci::of(Genes::Each(1.0)), &mut random);
            assert!(row.iter().all(|gene| (-50.0..=50.0).contains(gene)));
            row = [start; 2];
            polynomial(&mut row[..], &bounds, 1.0, &Loci::of(Genes::Each(1.0)), &mut random);
            assert!(row.iter().all(|gene| (-50.0..=50.0).contains(gene)));
        }
    }
    // The variance is 4 (standard deviation of its estimate 0.04), and the mean is 0 (0.033). Both
    // are within 5 standard deviations: a false-alarm rate of 6e-7 each.
    assert!((square - 4.0_f64).abs() < 0.2 && sum.abs() < 0.17, "{square} {sum}");
}

#[test]
fn polynomial_steps_have_their_distribution() {
    // Start in the middle of [0, 1] with eta 1. The result is at most 1/4 with probability ((3/4)^2
    // - (1/2)^2) / (2 - 2 (1/2)^2), and at least 3/4 with the same probability. Shares of 100,000
    // are within 5 standard deviations: a false-alarm rate of 6e-7 each.
    let bounds = Bounds::Uniform { low: 0.0, high: 1.0 };
    let mut random = Random::seed_from_u64(5);
    let (mut below, mut above) = (0.0, 0.0);
    for _ in 0..100_000 {
        let mut row = [0.5];
        polynomial(&mut row[..], &bounds, 1.0, &Loci::of(Genes::One), &mut random);
        below += f64::from(row[0] <= 0.25) / 1e5;
        above += f64::from(row[0] >= 0.75) / 1e5;
    }
    let share = 0.3125 / 1.5;
    for found in [below, above] {
        assert!(
            (found - share).abs() < 5.0 * (share * (1.0 - share) / 1e5_f64).sqrt(),
            "{found} is not {share}"
        );
    }
}

#[test]
fn scrambles_and_inversions_are_as_likely_as_their_segments_make_them() {
    // The segments of a row of 3 are places 0-1, 1-2 and 0-2, with probability 1/3 each. An
    // inversion of each gives one order. A scramble keeps the order with probability 1/3 x (1/2 +
    // 1/2 + 1/6) = 7/18. It gives each exchange of neighbours with 1/3 x (1/2 + 1/6) = 4/18, and
    // each of the three other orders with 1/18. 36,000 of each, within 5 standard deviations.
    let near = |counts: &std::collections::BTreeMap<[u8; 3], f64>, row: [u8; 3], share: f64| {
        let found = counts.get(&row).copied().unwrap_or(0.0);
        let deviation = (36_000.0 * share * (1.0 - share)).sqrt();
        assert!((found - 36_000.0 * share).abs() <= 5.0 * deviation, "{row:?}: {counts:?}");
    };
    let count = |mutate: fn(&mut [u8], &mut Random), seed| {
        let mut random = Random::seed_from_u64(seed);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..36_000 {
            let mut row = [0u8, 1, 2];
            mutate(&mut row, &mut random);
            *counts.entry(row).or_insert(0.0) += 1.0;
        }
        counts
    };
    let inverted = count(inversion, 6);
    assert_eq!(inverted.len(), 3);
    [[1, 0, 2], [0, 2, 1], [2, 1, 0]].into_iter().for_each(|row| near(&inverted, row, 1.0 / 3.0));
    let scrambled = count(scramble, 7);
    near(&scrambled, [0, 1, 2], 7.0 / 18.0);
    [[1, 0, 2], [0, 2, 1]].into_iter().for_each(|row| near(&scrambled, row, 4.0 / 18.0));
    [[1, 2, 0], [2, 0, 1], [2, 1, 0]].into_iter().for_each(|row| near(&scrambled, row, 1.0 / 18.0));
}

#[test]
fn each_bit_flips_with_its_rate() {
    // 40,000 rows of 8 at a rate of 1/8; each bit's share is within 5 standard deviations.
    let mut random = Random::seed_from_u64(8);
    let mut flipped = [0.0; 8];
    for _ in 0..40_000 {
        let mut row = [0u8, 1, 0, 1, 0, 1, 0, 1];
        bit_flip(&mut row[..], &Loci::of(Genes::Each(0.125)), &mut random);
        flipped.iter_mut().zip(row).enumerate().for_each(|(locus, (count, bit))| {
            *count += f64::from(bit != (locus % 2) as u8) / 40_000.0;
        });
    }
    let deviation = (0.125 * 0.875 / 40_000.0_f64).sqrt();
    assert!(
        flipped.iter().all(|share: &f64| (share - 0.125).abs() < 5.0 * deviation),
        "{flipped:?}"
    );
}

#[test]
fn a_gene_with_one_value_keeps_it() {
    let bounds = Bounds::PerGene { low: vec![3.0, 0.0], high: vec![3.0, f64::from(u32::MAX)] };
    let mut random = Random::seed_from_u64(9);
    for different in [true, false] {
        let mut row = [3u32, 7];
        reset(&mut row[..], &bounds, &Loci::of(Genes::Each(1.0)), different, &mut random);
        assert_eq!(row[0], 3);
        assert_ne!(row[1], 7);
    }
}

/// A range with more values than a double has digits: odd numbers are half of the draws, within 5
/// standard deviations of 4,000 (a false alarm in 6e-7 each), and a new value is another one.
#[test]
fn the_widest_whole_numbers_are_drawn_with_all_their_digits() {
    let most = (1u64 << 53) as f64;
    let kind = MixedKind::Integer { low: -most, high: most };
    let gene = MixedGene { name: String::new(), kind };
    let mut random = Random::seed_from_u64(10);
    for different in [true, false] {
        let draws = (0..4_000).map(|_| mixed::reset(&gene, 3.0, different, &mut random));
        let (positive, others): (Vec<f64>, Vec<f64>) = draws.partition(|value| *value > 0.0);
        for draws in [positive, others] {
            let odd = draws.iter().filter(|value| **value as i64 % 2 != 0).count() as f64;
            let all = draws.len() as f64;
            assert!((odd - all / 2.0).abs() < 2.5 * all.sqrt(), "{odd} of {all}");
        }
    }
    let kind = MixedKind::Integer { low: most - 1.0, high: most };
    let pair = MixedGene { name: String::new(), kind };
    assert_eq!(mixed::reset(&pair, most - 1.0, true, &mut random), most);
    assert_eq!(mixed::reset(&pair, most, true, &mut random), most - 1.0);
}

proptest! {
    #[test]
    fn rearrangements_keep_the_genes(length in 1usize..30, seed: u64) {
        let mut random = Random::seed_from_u64(seed);
        for mutate in [swap::<u8>, insert::<u8>, inversion::<u8>, scramble::<u8>] {
            let mut row: Vec<u8> = (0..length as u8).collect();
            mutate(&mut row, &mut random);
            let mut sorted = row.clone();
            sorted.sort_unstable();
            prop_assert!(sorted.into_iter().eq(0..length as u8));
        }
        let mut bits = vec![1u8; length];
        bit_flip(&mut bits[..], &Loci::of(Genes::One), &mut random);
        prop_assert_eq!(bits.iter().filter(|bit| **bit == 0).count(), 1);
    }

    #[test]
    fn inversion_reverses_one_segment(length in 2usize..30, seed: u64) {
        let mut row: Vec<u8> = (0..length as u8).collect();
        inversion(&mut row, &mut Random::seed_from_u64(seed));
        let from = row.iter().enumerate().position(|(i, gene)| i != *gene as usize).expect("some \
            gene moves");
        let to = row.iter().enumerate().rposition(|(i, gene)| i != *gene as usize).expect("some \
            gene moves");
        prop_assert!(row[from..=to].iter().rev().copied().eq(from as u8..=to as u8));
    }
}

fn problem(genome_length: usize, bounds: Bounds, gene: GeneKind) -> Description {
    Description {
        encoding: if gene == GeneKind::F64 { Encoding::Real } else { Encoding::Integer },
        gene,
        genome_length,
        bounds,
        ideal: None,
        worst: None,
        tolerance: 0.0,
        worst_tolerance: 0.0,
        space_size: None,
        has_crossover: false,
        has_mutate: false,
        has_is_valid: false,
        has_render: false,
        has_violations: false,
        has_conflicts: false,
        has_construct: false,
        state_size: 0,
        has_reversals: false,
        has_insertions: false,
        noise: crate::problem::Noise::Absent,
    }
}

#[test]
fn a_mutation_as_a_move_changes_what_it_changes_in_place() {
    let (one, each) = (Genes::One, Genes::Each(0.1));
    let kinds = [
        MutationKind::Reset { genes: one, different: true },
        MutationKind::Reset { genes: each, different: false },
        MutationKind::BitFlip { genes: each },
        MutationKind::BitFlip { genes: one },
        MutationKind::BitFlip { genes: Genes::AtLeastOne(0.1) },
        MutationKind::BitFlip { genes: Genes::PowerLaw(PowerLaw::of(2.5, 20)) },
        MutationKind::BitFlip { genes: Genes::PowerLawRate(PowerLaw::of(2.5, 20)) },
        MutationKind::Swap,
        MutationKind::Gaussian { sigma: 0.2, genes: Genes::Each(0.05) },
        MutationKind::Polynomial { eta: 3.0, genes: each },
    ];
    fn same<G: Gene>(kind: MutationKind, row: &[G], bounds: &Bounds) {
        let problem = problem(row.len(), bounds.clone(), G::KIND);
        let mutation = MoveMutation::of(kind, &problem).expect("few genes change");
        let mut list = MoveList::default();
        let mut random = Random::seed_from_u64(8);
        let mut places = random.clone();
        for number in 0..500 {
            let mut changed = row.to_vec();
            RowMutation::of(kind).mutate(&mut changed, bounds, &mut random);
            mutation.add(row, bounds, &mut places, &mut list);
            assert_eq!(random.drawn(), places.drawn(), "{kind:?}");
            let mut moved = row.to_vec();
            list.all().make(number, &mut moved);
            assert_eq!(moved, changed, "{kind:?}");
            assert_eq!(list.is_idle(number, row), changed == row, "{kind:?}");
        }
    }
    for kind in kinds {
        match kind {
            MutationKind::Gaussian { .. } | MutationKind::Polynomial { .. } => {
                let bounds = Bounds::Uniform { low: -2.0, high: 5.0 };
                same(
                    kind,
                    &(0..20).map(f64::from).map(|gene| gene / 5.0).collect::<Vec<_>>(),
                    &bounds,
                );
            }
            _ => {
                let row: Vec<u8> = (0..20).map(|locus| locus % 2).collect();
                same(kind, &row, &Bounds::Uniform { low: 0.0, high: 1.0 });
            }
        }
    }
    // Integers from 3 to 9, with bounds for all genes and for each.
    let row: Vec<u16> = (0..20).map(|locus| 3 + locus * locus % 7).collect();
    for different in [true, false] {
        let kind = MutationKind::Reset { genes: one, different };
        same(kind, &row, &Bounds::Uniform { low: 3.0, high: 9.0 });
        same(kind, &row, &Bounds::PerGene { low: vec![2.0; 20], high: vec![9.0; 20] });
    }
    // Bounds that allow only one value.
    let kind = MutationKind::Reset { genes: one, different: true };
    same(kind, &[4u8; 20], &Bounds::Uniform { low: 4.0, high: 4.0 });
}

/// Flips are drawn once and follow the genome: each move of the list is inverted from the genome at
/// its turn, whichever bits earlier moves have inverted.
#[test]
fn flips_from_made_numbers_are_the_mutants_of_a_changing_genome() {
    let genes = [
        Genes::One,
        Genes::Each(0.005),
        Genes::Each(0.08),
        Genes::Each(0.12),
        Genes::AtLeastOne(0.05),
        Genes::PowerLaw(PowerLaw::of(2.5, 20)),
    ];
    for kind in genes.map(|genes| MutationKind::BitFlip { genes }) {
        let mut row: Vec<u8> = (0..20).map(|locus| locus % 2).collect();
        let bounds = Bounds::Uniform { low: 0.0, high: 1.0 };
        let mutation = MoveMutation::of(kind, &problem(row.len(), bounds.clone(), GeneKind::U8));
        let mutation = mutation.expect("few genes change");
        assert!(mutation.inverts());
        let (mut random, mut list) = (Random::seed_from_u64(9), MoveList::default());
        let mut ends = Vec::new();
        let mut ahead = random.clone();
        let mut made = Made::new(ahead.ahead());
        for _ in 0..64 {
            mutation.add_flips::<u8>(row.len(), &mut made, &mut list);
            if made.is_beyond() {
                break;
            }
            ends.push(made.drawn() as u64);
        }
        assert!(ends.len() > 10, "{kind:?}");
        let first = random.drawn();
        for (number, end) in ends.iter().enumerate() {
            list.invert(number..ends.len(), &row);
            let mut changed = row.clone();
            RowMutation::of(kind).mutate(&mut changed, &bounds, &mut random);
            assert_eq!(random.drawn(), first + end, "{kind:?}");
            for moves in [list.range(0..ends.len()), list.clone().part(0..ends.len())] {
                let mut moved = row.clone();
                moves.make(number, &mut moved);
                assert_eq!(moved, changed, "{kind:?}");
            }
            let mut moved = row.clone();
            list.part(number..ends.len()).make(0, &mut moved);
            assert_eq!(moved, changed, "{kind:?}");
            assert_eq!(list.is_idle(number, &row), changed == row, "{kind:?}");
            row = changed;
        }
    }
    let gaussian = MutationKind::Gaussian { sigma: 0.2, genes: Genes::One };
    let bounds = Bounds::Uniform { low: -1.0, high: 1.0 };
    let gaussian = MoveMutation::of(gaussian, &problem(20, bounds, GeneKind::F64));
    assert!(!gaussian.expect("one gene changes").inverts());
}

#[test]
fn mutations_that_change_many_genes_are_no_moves() {
    let of = |kind, length| {
        let bounds = Bounds::Uniform { low: 0.0, high: 1.0 };
        MoveMutation::of(kind, &problem(length, bounds, GeneKind::U8)).is_some()
    };
    let flips = |genes| of(MutationKind::BitFlip { genes }, 100);
    assert!(flips(Genes::One) && flips(Genes::Each(0.01)) && flips(Genes::Each(0.125)));
    assert!(!flips(Genes::Each(0.2)) && !flips(Genes::Each(1.0)));
    assert!(flips(Genes::PowerLaw(PowerLaw::of(1.5, 100))));
    assert!(!flips(Genes::PowerLaw(PowerLaw { beta: 0.5, most: 50 })));
    for kind in [MutationKind::Insert, MutationKind::Inversion, MutationKind::Problem] {
        assert!(!of(kind, 100));
    }
    assert!(of(MutationKind::Swap, 2) && !of(MutationKind::Swap, 1));
}

#[test]
fn at_least_one_bit_flips_and_every_set_is_as_likely_as_by_drawing_again() {
    // All 31 sets of flipped bits of 5, at four rates. Each count of 60,000 is within 5 standard
    // deviations: a false-alarm rate of 6e-7 per count, 8e-5 in total.
    for rate in [0.01_f64, 0.05, 0.2, 0.9] {
        let mut random = Random::seed_from_u64(10);
        let mut counts = [0.0; 32];
        for _ in 0..60_000 {
            let mut row = [0u8; 5];
            bit_flip(&mut row[..], &Loci::of(Genes::AtLeastOne(rate)), &mut random);
            counts[row.iter().fold(0, |set, bit| 2 * set + usize::from(*bit))] += 1.0;
        }
        assert_eq!(counts[0], 0.0);
        let any = 1.0 - (1.0 - rate).powi(5);
        for (set, count) in counts.iter().enumerate().skip(1) {
            let hits = set.count_ones() as i32;
            let share = rate.powi(hits) * (1.0 - rate).powi(5 - hits) / any;
            let deviation = (60_000.0 * share * (1.0 - share)).sqrt();
            // A count with a small mean is not normally distributed, so a deviation of up to 8 is
            // allowed.
            let most = (5.0 * deviation).max(8.0);
            assert!((count - 60_000.0 * share).abs() < most, "{rate}: {set:b} {count}");
        }
    }
    let mut row = [0u8; 5];
    bit_flip(&mut row[..], &Loci::of(Genes::AtLeastOne(1.0)), &mut Random::seed_from_u64(11));
    assert_eq!(row, [1; 5]);
}
