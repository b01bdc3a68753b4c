//! Crossovers whose children of permutations are permutations. All run in time linear in the
//! length.

use super::cut::segment;
use crate::operators::kernels::crossover as kernel;
use crate::problem::Gene;
use crate::random::draws::Random;

/// Buffers that permutation crossovers reuse.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// Place or mark of each value.
    places: Vec<u32>,
}

/// Marker for no place.
const NOWHERE: u32 = u32::MAX;

/// Order crossover, OX: each child keeps a random segment of one parent. The other places take the
/// missing values in the order of the other parent, starting after the segment and wrapping around.
///
/// Source: Davis (1985), "Applying adaptive algorithms to epistatic domains", IJCAI 9, pp. 162-164.
#[inline]
pub(crate) fn order<G: Gene>(
    a: &[G],
    b: &[G],
    random: &mut Random,
    scratch: &mut Scratch,
    c: &mut [G],
    d: Option<&mut [G]>,
) {
    if a.len() < 2 {
        c.copy_from_slice(a);
        if let Some(d) = d {
            d.copy_from_slice(b);
        }
        return;
    }
    let (from, to) = segment(a.len(), random);
    order_child(a, b, from, to, scratch, c);
    if let Some(d) = d {
        order_child(b, a, from, to, scratch, d);
    }
}

fn order_child<G: Gene>(
    keeper: &[G],
    giver: &[G],
    from: usize,
    to: usize,
    scratch: &mut Scratch,
    child: &mut [G],
) {
    let length = keeper.len();
    let kept = &mut scratch.places;
    kept.clear();
    kept.resize(length, 0);
    for locus in from..to {
        child[locus] = keeper[locus];
        kept[keeper[locus].to_index()] = 1;
    }
    let mut place = if to == length { 0 } else { to };
    for gene in giver[to..].iter().chain(&giver[..to]) {
        if kept[gene.to_index()] == 0 {
            child[place] = *gene;
            place = if place + 1 == length { 0 } else { place + 1 };
        }
    }
}

/// Partially mapped crossover, PMX: a random segment comes from the other parent. Outside it, a
/// gene stays unless the segment contains its value. Otherwise the mapping between the segments is
/// followed until it leaves the segment.
///
/// Source: Goldberg and Lingle (1985), "Alleles, loci, and the traveling salesman problem", ICGA 1,
/// pp. 154-159.
#[inline]
pub(crate) fn pmx<G: Gene>(
    a: &[G],
    b: &[G],
    random: &mut Random,
    scratch: &mut Scratch,
    c: &mut [G],
    d: Option<&mut [G]>,
) {
    if a.len() < 2 {
        c.copy_from_slice(a);
        if let Some(d) = d {
            d.copy_from_slice(b);
        }
        return;
    }
    let (from, to) = segment(a.len(), random);
    pmx_child(a, b, from, to, scratch, c);
    if let Some(d) = d {
        pmx_child(b, a, from, to, scratch, d);
    }
}

/// Writes the child that takes `from..to` from the giver.
#[inline]
fn pmx_child<G: Gene>(
    keeper: &[G],
    giver: &[G],
    from: usize,
    to: usize,
    scratch: &mut Scratch,
    child: &mut [G],
) {
    let parents = [bytemuck::cast_slice(keeper), bytemuck::cast_slice(giver)];
    if G::KIND.size() != 1 || !kernel::pmx_child(parents, from..to, bytemuck::cast_slice_mut(child))
    {
        pmx_child_by_exchanges(keeper, giver, from, to, scratch, child);
    }
}

/// Exchanges each gene of the segment with the giver's value for that place, wherever that value is
/// now. Every exchange moves one step along a mapping, so that finally all mappings have been
/// followed. The order does not matter, and there are no branches.
pub(crate) fn pmx_child_by_exchanges<G: Gene>(
    keeper: &[G],
    giver: &[G],
    from: usize,
    to: usize,
    scratch: &mut Scratch,
    child: &mut [G],
) {
    let places = &mut scratch.places;
    places.resize(keeper.len(), 0);
    for (locus, gene) in keeper.iter().enumerate() {
        places[gene.to_index()] = locus as u32;
    }
    child.copy_from_slice(keeper);
    for locus in from..to {
        let (wanted, displaced) = (giver[locus], child[locus]);
        let place = places[wanted.to_index()];
        child[locus] = wanted;
        child[place as usize] = displaced;
        // The place of `wanted` stays outdated, because it is never looked up again.
        places[displaced.to_index()] = place;
    }
}

/// Cycle crossover, CX: every value keeps a place that it has in one of its parents. The places
/// form cycles. The first child takes the first, third, … cycle from the first parent and the
/// others from the second.
///
/// Source: Oliver, Smith and Holland (1987), "A study of permutation crossover operators on the
/// traveling salesman problem", ICGA 2, pp. 224-230.
#[inline]
pub(crate) fn cycle<G: Gene>(a: &[G], b: &[G], scratch: &mut Scratch, c: &mut [G], d: &mut [G]) {
    let places = &mut scratch.places;
    places.clear();
    places.resize(a.len(), 0);
    for (locus, gene) in a.iter().enumerate() {
        places[gene.to_index()] = locus as u32;
    }
    c.copy_from_slice(b);
    d.copy_from_slice(a);
    let mut stays = true;
    for start in 0..a.len() {
        // A visited place has no entry any more.
        if places[a[start].to_index()] == NOWHERE {
            continue;
        }
        let mut locus = start;
        while places[a[locus].to_index()] != NOWHERE {
            places[a[locus].to_index()] = NOWHERE;
            if stays {
                c[locus] = a[locus];
                d[locus] = b[locus];
            }
            // Place in the first parent of the second parent's value at this place. Once the cycle
            // is closed, this is the start.
            let next = places[b[locus].to_index()];
            locus = if next == NOWHERE { start } else { next as usize };
        }
        stays = !stays;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::draws::shuffle;
    use proptest::prelude::*;

    #[test]
    fn the_published_examples_come_out() {
        // Eiben and Smith (2015), chapter 4, doi:10.1007/978-3-662-44874-8, counted from 0.
        let mut scratch = Scratch::default();
        let mut child = [0u8; 9];
        // Order crossover with segment 4 5 6 7 at places 3..7; the other values follow from place 7
        // on.
        let (a, b) = ([0, 1, 2, 3, 4, 5, 6, 7, 8], [8, 2, 6, 7, 1, 5, 4, 0, 3]);
        order_child(&a, &b, 3, 7, &mut scratch, &mut child);
        assert_eq!(child, [2, 7, 1, 3, 4, 5, 6, 0, 8]);
        // Partially mapped crossover with the segment of the first parent: 6 is replaced by 4, and
        // 4 by 1.
        pmx_child(&b, &a, 3, 7, &mut scratch, &mut child);
        assert_eq!(child, [8, 2, 1, 3, 4, 5, 6, 0, 7]);
        let mut other = [0u8; 9];
        cycle(&a, &[8, 2, 6, 7, 1, 5, 4, 0, 3], &mut scratch, &mut child, &mut other);
        assert_eq!(child, [0, 2, 6, 3, 1, 5, 4, 7, 8]);
        assert_eq!(other, [8, 1, 2, 7, 4, 5, 6, 0, 3]);
    }

    /// Computes the child as Goldberg and Lingle define it. For each place of the segment, the two
    /// values at that place in the parents are exchanged in the child.
    fn pmx_oracle(keeper: &[u16], giver: &[u16], from: usize, to: usize) -> Vec<u16> {
        let mut child = keeper.to_vec();
        for (locus, value) in giver.iter().enumerate().take(to).skip(from) {
            let place =
                child.iter().position(|gene| gene == value).expect("a permutation has every value");
            child.swap(locus, place);
        }
        child
    }

    /// Traces the cycles one by one, by search; the odd ones come from the first parent.
    fn cycle_oracle(a: &[u16], b: &[u16]) -> Vec<u16> {
        let mut child: Vec<Option<u16>> = vec![None; a.len()];
        let mut from_first = true;
        while let Some(start) = child.iter().position(Option::is_none) {
            let mut locus = start;
            loop {
                child[locus] = Some(if from_first { a[locus] } else { b[locus] });
                locus = a
                    .iter()
                    .position(|gene| *gene == b[locus])
                    .expect("a permutation has every value");
                if locus == start {
                    break;
                }
            }
            from_first = !from_first;
        }
        child.into_iter().flatten().collect()
    }

    fn parents() -> impl Strategy<Value = (Vec<u16>, Vec<u16>, u64)> {
        (1usize..40, any::<u64>()).prop_map(|(length, seed)| {
            let mut random = Random::seed_from_u64(seed);
            let mut parent = || {
                let mut genes: Vec<u16> = (0..length as u16).collect();
                shuffle(&mut genes, &mut random);
                genes
            };
            (parent(), parent(), seed)
        })
    }

    fn is_permutation(genes: &[u16]) -> bool {
        let mut sorted = genes.to_vec();
        sorted.sort_unstable();
        sorted.into_iter().eq(0..genes.len() as u16)
    }

    proptest! {
        #[test]
        fn children_are_permutations_and_like_parents_have_like_children(
            (a, b, seed) in parents(),
        ) {
            let mut random = Random::seed_from_u64(seed);
            let mut scratch = Scratch::default();
            let (mut c, mut d) = (vec![u16::MAX; a.len()], vec![u16::MAX; a.len()]);
            order(&a, &b, &mut random, &mut scratch, &mut c, Some(&mut d));
            prop_assert!(is_permutation(&c) && is_permutation(&d));
            pmx(&a, &b, &mut random, &mut scratch, &mut c, Some(&mut d));
            prop_assert!(is_permutation(&c) && is_permutation(&d));
            cycle(&a, &b, &mut scratch, &mut c, &mut d);
            prop_assert!(is_permutation(&c) && is_permutation(&d));
            // Cycle crossover gives every value a place that it has in one of the parents.
            for i in 0..a.len() {
                prop_assert!([(a[i], b[i]), (b[i], a[i])].contains(&(c[i], d[i])));
            }
            prop_assert_eq!(&c, &cycle_oracle(&a, &b));
            prop_assert_eq!(&d, &cycle_oracle(&b, &a));
            order(&a, &a, &mut random, &mut scratch, &mut c, Some(&mut d));
            prop_assert!(c == a && d == a);
            pmx(&a, &a, &mut random, &mut scratch, &mut c, Some(&mut d));
            prop_assert!(c == a && d == a);
        }

        #[test]
        fn order_and_pmx_keep_what_they_promise(
            (a, b, _) in parents(),
            cuts in any::<(u16, u16)>(),
        ) {
            let length = a.len();
            let (one, other) = (cuts.0 as usize % (length + 1), cuts.1 as usize % (length + 1));
            let (from, to) = (one.min(other), one.max(other));
            let mut scratch = Scratch::default();
            let mut child = vec![0; length];
            order_child(&a, &b, from, to, &mut scratch, &mut child);
            prop_assert_eq!(&child[from..to], &a[from..to]);
            // Outside the segment, values follow in the order of the other parent. Both are read
            // from the segment's end, wrapping around.
            let rest: Vec<u16> = child[to..].iter().chain(&child[..from]).copied().collect();
            let round = b[to..].iter().chain(&b[..to]).copied();
            let wanted: Vec<u16> = round.filter(|gene| !a[from..to].contains(gene)).collect();
            prop_assert_eq!(rest, wanted);
            pmx_child(&a, &b, from, to, &mut scratch, &mut child);
            prop_assert_eq!(&child[from..to], &b[from..to]);
            prop_assert_eq!(&child, &pmx_oracle(&a, &b, from, to));
            for locus in (0..from).chain(to..length) {
                prop_assert!(child[locus] == a[locus] || b[from..to].contains(&a[locus]));
            }
        }
    }
}
