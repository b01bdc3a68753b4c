use crate::search::pairs::{Pair, PairList};
use crate::search::population::Population;

/// Returns rows of one gene, which is the number of the row.
fn numbered(rows: u8) -> Population<u8> {
    let mut population = Population::new(rows.into(), 1);
    population.genes_mut().copy_from_slice(&(0..rows).collect::<Vec<u8>>());
    population
}

/// Returns the parents of each child, in the order of the children.
fn parents(pairs: PairList<'_>) -> Vec<(u8, u8)> {
    let children = pairs.children();
    let (mut first, mut second) = (vec![9; children], vec![9; children]);
    pairs.copy_parents(&numbered(6), &mut first, &mut second);
    first.into_iter().zip(second).collect()
}

/// A second child has the parents in reverse order. Beyond the last row, it is not made.
#[test]
fn each_child_has_its_pair() {
    let all = |per_pair, offspring| PairList::All { parents: &[4, 1, 2, 5], per_pair, offspring };
    assert_eq!(parents(all(1, 2)), [(4, 1), (2, 5)]);
    assert_eq!(parents(all(2, 4)), [(4, 1), (1, 4), (2, 5), (5, 2)]);
    assert_eq!(parents(all(2, 3)), [(4, 1), (1, 4), (2, 5)]);
    let listed = [
        Pair { first: 3, second: 0, child: 1, children: 1 },
        Pair { first: 2, second: 5, child: 4, children: 2 },
    ];
    assert_eq!(parents(PairList::Listed(&listed)), [(3, 0), (2, 5), (5, 2)]);
}

#[test]
fn children_go_to_their_places_and_leave_the_others_alone() {
    let listed = [
        Pair { first: 3, second: 0, child: 1, children: 1 },
        Pair { first: 2, second: 5, child: 4, children: 2 },
    ];
    let mut children = numbered(6);
    PairList::Listed(&listed).copy_children(&[91, 94, 95], &mut children);
    assert_eq!(children.genes(), [0, 91, 2, 3, 94, 95]);
}
