//! Textbook versions of operators: slow, directly by definition, with every choice enumerated.

use std::collections::BTreeMap;

/// Outcomes and their probabilities.
pub(super) type Chances = BTreeMap<Vec<u8>, f64>;

/// Returns outcomes that are equally likely.
fn equally(outcomes: impl IntoIterator<Item = Vec<u8>>) -> Chances {
    let all: Vec<Vec<u8>> = outcomes.into_iter().collect();
    let each = 1.0 / all.len() as f64;
    let mut chances = Chances::new();
    all.into_iter().for_each(|outcome| *chances.entry(outcome).or_insert(0.0) += each);
    chances
}

/// Returns the segments `from..to` that are neither empty nor the whole row.
pub(super) fn segments(length: usize) -> impl Iterator<Item = (usize, usize)> {
    let all = (0..=length).flat_map(move |from| (from + 1..=length).map(move |to| (from, to)));
    all.filter(move |(from, to)| to - from < length)
}

/// Returns both children of a crossover, concatenated, for every choice.
pub(super) fn children(
    a: &[u8],
    b: &[u8],
    choices: impl Iterator<Item = (usize, usize)>,
    child: impl Fn(&[u8], &[u8], usize, usize) -> Vec<u8>,
) -> Chances {
    equally(choices.map(|(from, to)| [child(a, b, from, to), child(b, a, from, to)].concat()))
}

/// Returns a child with the genes in `from..to` from the second parent, and the others from the
/// first.
pub(super) fn exchange(a: &[u8], b: &[u8], from: usize, to: usize) -> Vec<u8> {
    (0..a.len())
        .map(|place| if (from..to).contains(&place) { b[place] } else { a[place] })
        .collect()
}

/// Returns the child of order crossover by Davis (1985). The segment stays. The other genes follow
/// in the order of the other parent, from the segment's end and wrapping around.
pub(super) fn order(a: &[u8], b: &[u8], from: usize, to: usize) -> Vec<u8> {
    let mut child = a.to_vec();
    let length = a.len();
    let missing: Vec<u8> = (0..length)
        .map(|step| b[(to + step) % length])
        .filter(|gene| !a[from..to].contains(gene))
        .collect();
    for (step, gene) in missing.into_iter().enumerate() {
        child[(to + step) % length] = gene;
    }
    child
}

/// Returns the child of partially mapped crossover by Goldberg and Lingle (1985). Exchanges within
/// the first parent bring in the other parent's segment. Each puts one gene of the segment in its
/// place.
pub(super) fn partially_mapped(a: &[u8], b: &[u8], from: usize, to: usize) -> Vec<u8> {
    let mut child = a.to_vec();
    for (place, gene) in b.iter().enumerate().take(to).skip(from) {
        let other =
            child.iter().position(|own| own == gene).expect("a permutation has every value");
        child.swap(place, other);
    }
    child
}

/// Returns the child of cycle crossover by Oliver, Smith and Holland (1987). Cycles come
/// alternately from one parent and the other.
pub(super) fn cycle(a: &[u8], b: &[u8]) -> Vec<u8> {
    let mut child = vec![None; a.len()];
    let mut own = true;
    while let Some(start) = child.iter().position(Option::is_none) {
        let mut place = start;
        loop {
            child[place] = Some(if own { a[place] } else { b[place] });
            place =
                a.iter().position(|gene| *gene == b[place]).expect("a permutation has every value");
            if place == start {
                break;
            }
        }
        own = !own;
    }
    child.into_iter().flatten().collect()
}

/// Returns the ordered pairs of different positions.
fn places(length: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..length).flat_map(move |one| {
        (0..length).filter(move |other| *other != one).map(move |other| (one, other))
    })
}

/// Returns the outcomes of exchanging the genes of two positions.
pub(super) fn swap(row: &[u8]) -> Chances {
    equally(places(row.len()).map(|(one, other)| {
        let mut row = row.to_vec();
        row.swap(one, other);
        row
    }))
}

/// Returns the outcomes of moving a gene to another position.
pub(super) fn insert(row: &[u8]) -> Chances {
    equally(places(row.len()).map(|(from, to)| {
        let mut row = row.to_vec();
        let gene = row.remove(from);
        row.insert(to, gene);
        row
    }))
}

/// Returns the outcomes of reversing the genes from one position to another.
pub(super) fn inversion(row: &[u8]) -> Chances {
    equally(places(row.len()).map(|(one, other)| {
        let (from, to) = (one.min(other), one.max(other) + 1);
        let reversed = row[from..to].iter().rev();
        row[..from].iter().chain(reversed).chain(&row[to..]).copied().collect()
    }))
}

/// Returns the outcomes of shuffling the genes from one position to another.
pub(super) fn scramble(row: &[u8]) -> Chances {
    let mut chances = Chances::new();
    let pairs = (row.len() * (row.len() - 1)) as f64;
    for (one, other) in places(row.len()) {
        let (from, to) = (one.min(other), one.max(other) + 1);
        let orders = orders(&row[from..to]);
        let each = 1.0 / (pairs * orders.len() as f64);
        for middle in orders {
            *chances.entry([&row[..from], &middle, &row[to..]].concat()).or_insert(0.0) += each;
        }
    }
    chances
}

fn orders(genes: &[u8]) -> Vec<Vec<u8>> {
    let [first, rest @ ..] = genes else { return vec![Vec::new()] };
    let shorter = orders(rest);
    let places = (0..genes.len()).flat_map(|place| {
        shorter.iter().map(move |order| {
            let mut order = order.clone();
            order.insert(place, *first);
            order
        })
    });
    places.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_examples_come_out() {
        // Eiben and Smith (2015), section 4.5, doi:10.1007/978-3-662-44874-8, counted from 0.
        let (a, b) = ([0, 1, 2, 3, 4, 5, 6, 7, 8], [8, 2, 6, 7, 1, 5, 4, 0, 3]);
        assert_eq!(order(&a, &b, 3, 7), [2, 7, 1, 3, 4, 5, 6, 0, 8]);
        assert_eq!(partially_mapped(&b, &a, 3, 7), [8, 2, 1, 3, 4, 5, 6, 0, 7]);
        assert_eq!(cycle(&a, &b), [0, 2, 6, 3, 1, 5, 4, 7, 8]);
        assert_eq!(segments(6).count(), 20);
        let sum = |chances: Chances| chances.values().sum::<f64>();
        for chances in [swap(&a), insert(&a), inversion(&a), scramble(&a[..5])] {
            assert!((sum(chances) - 1.0).abs() < 1e-12);
        }
    }
}
