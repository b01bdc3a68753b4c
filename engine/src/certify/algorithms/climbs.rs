//! Climbs on an enumerated landscape: every sequence of moves that their definitions allow.

use super::landscapes::Landscape;
use std::collections::BTreeMap;

/// Chances of genomes.
type Genomes = BTreeMap<Vec<u8>, f64>;
/// Chances of the end of a climb, with its number of moves.
pub(super) type Ends = BTreeMap<(Vec<u8>, u64), f64>;

/// Returns the ends of a climb, each move to a random one of the best neighbours.
pub(super) fn climb(genome: &[u8], on: Landscape) -> Ends {
    let (mut at, mut ends) = (Genomes::from([(genome.to_vec(), 1.0)]), Ends::new());
    for moves in 0.. {
        let mut next = Genomes::new();
        for (genome, chance) in at {
            let all = on.neighbors(&genome);
            let least = all.iter().map(|one| on.fitness(one)).min().unwrap_or(usize::MAX);
            if least >= on.fitness(&genome) {
                ends.insert((genome, moves), chance);
                continue;
            }
            let best: Vec<&Vec<u8>> = all.iter().filter(|one| on.fitness(one) == least).collect();
            for one in &best {
                *next.entry((*one).clone()).or_insert(0.0) += chance / best.len() as f64;
            }
        }
        if next.is_empty() {
            break;
        }
        at = next;
    }
    ends
}

/// Returns the ends of climbs that follow this number of random moves.
pub(super) fn shake_and_climb(
    genome: &[u8],
    on: Landscape,
    moves: usize,
    known: &mut BTreeMap<Vec<u8>, Ends>,
) -> Ends {
    let mut at = Genomes::from([(genome.to_vec(), 1.0)]);
    for _ in 0..moves {
        let mut next = Genomes::new();
        for (genome, chance) in at {
            let all = on.neighbors(&genome);
            let each = chance / all.len() as f64;
            all.into_iter().for_each(|one| *next.entry(one).or_insert(0.0) += each);
        }
        at = next;
    }
    let mut ends = Ends::new();
    for (genome, chance) in at {
        let climbed = known.entry(genome).or_insert_with_key(|genome| climb(genome, on));
        for (end, part) in climbed {
            *ends.entry(end.clone()).or_insert(0.0) += chance * *part;
        }
    }
    ends
}

/// Returns the key of an outcome.
pub(super) fn key(evaluations: u64, fitness: u64) -> Vec<u8> {
    [evaluations.to_le_bytes(), fitness.to_le_bytes()].concat()
}

/// Returns the evaluations of a climb with this number of moves: of its first genome, and of all
/// neighbours for each move and once more.
pub(super) fn spent(genome: &[u8], on: Landscape, moves: u64) -> u64 {
    1 + (moves + 1) * on.neighbors(genome).len() as u64
}
