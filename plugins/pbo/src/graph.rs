//! The maximum independent set of the suite's graph.

/// The vertices in the set, less the number of vertices for each edge within it. An odd last gene
/// is idle.
///
/// The graph has N vertices, even, numbered from 1: two paths 1..=N/2 and N/2+1..=N, and between
/// them i with i + N/2 + 1 (i < N/2) and with i + N/2 - 1 (2 <= i <= N/2).
pub(crate) fn independent_set(genome: &[u8]) -> f64 {
    let count = genome.len() & !1;
    let half = count / 2;
    let chosen = |vertex: usize| usize::from(genome[vertex - 1]);
    let vertices: usize = genome[..count].iter().map(|gene| usize::from(*gene)).sum();
    let mut edges = 0;
    for vertex in 1..=count {
        if chosen(vertex) == 0 {
            continue;
        }
        if vertex != half && vertex < count {
            edges += chosen(vertex + 1);
        }
        if vertex < half {
            edges += chosen(vertex + half + 1);
        }
        if (2..=half).contains(&vertex) {
            edges += chosen(vertex + half - 1);
        }
    }
    vertices as f64 - count as f64 * edges as f64
}

/// The size of the greatest independent set of the graph of so many genes.
pub(crate) fn greatest(n: usize) -> f64 {
    let count = n & !1;
    (if count.is_multiple_of(4) { count / 2 } else { count / 2 + 1 }) as f64
}
