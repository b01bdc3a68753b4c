//! Weighted graphs.

use runner_plugin::data::InstanceRng;

/// Edge between two vertices, numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    pub ends: [usize; 2],
    pub weight: i64,
}

/// Graph with the neighbours of each vertex.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    pub edges: Vec<Edge>,
    /// Place of the first neighbour of each vertex, and the end of the last.
    starts: Vec<usize>,
    /// Neighbours of all vertices, with the weights of their edges.
    neighbors: Vec<(u32, i64)>,
}

impl Graph {
    pub(crate) fn new(vertices: usize, edges: Vec<Edge>) -> Self {
        let mut starts = vec![0; vertices + 1];
        edges.iter().flat_map(|edge| edge.ends).for_each(|vertex| starts[vertex + 1] += 1);
        (0..vertices).for_each(|vertex| starts[vertex + 1] += starts[vertex]);
        let (mut free, mut neighbors) = (starts.clone(), vec![(0, 0); 2 * edges.len()]);
        for Edge { ends: [one, other], weight } in &edges {
            for (from, to) in [(*one, *other), (*other, *one)] {
                neighbors[free[from]] = (to as u32, *weight);
                free[from] += 1;
            }
        }
        Graph { edges, starts, neighbors }
    }

    /// Returns the number of vertices.
    pub(crate) fn vertices(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the neighbours of a vertex with the weights of the edges to them.
    #[inline]
    pub(crate) fn neighbors(&self, vertex: usize) -> &[(u32, i64)] {
        &self.neighbors[self.starts[vertex]..self.starts[vertex + 1]]
    }

    /// Returns the weight of the edges between the sides.
    pub(crate) fn cut(&self, sides: &[u8]) -> i64 {
        let between = |edge: &&Edge| sides[edge.ends[0]] != sides[edge.ends[1]];
        self.edges.iter().filter(between).map(|edge| edge.weight).sum()
    }

    /// Returns a graph whose vertices are joined in pairs, each with this probability (Gilbert
    /// 1959, doi:10.1214/aoms/1177706098). `weigh` draws the weight of an edge.
    pub(crate) fn random(
        vertices: usize,
        density: f64,
        rng: &mut InstanceRng,
        weigh: impl Fn(&mut InstanceRng) -> i64,
    ) -> Self {
        let mut edges = Vec::new();
        for one in 0..vertices {
            for other in one + 1..vertices {
                if rng.uniform() < density {
                    edges.push(Edge { ends: [one, other], weight: weigh(rng) });
                }
            }
        }
        Graph::new(vertices, edges)
    }

    /// Returns a square grid that is closed to a torus, row by row: each vertex is joined to its
    /// four neighbours.
    pub(crate) fn torus(
        side: usize,
        rng: &mut InstanceRng,
        weigh: impl Fn(&mut InstanceRng) -> i64,
    ) -> Self {
        let mut edges = Vec::new();
        for vertex in 0..side * side {
            let (row, column) = (vertex / side, vertex % side);
            let right = row * side + (column + 1) % side;
            let below = (row + 1) % side * side + column;
            for other in [right, below] {
                edges.push(Edge { ends: [vertex, other], weight: weigh(rng) });
            }
        }
        Graph::new(side * side, edges)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The greatest cut by trying all divisions. The last vertex stays on its side.
    pub(crate) fn greatest(graph: &Graph) -> i64 {
        let n = graph.vertices();
        let sides = |number: u32| (0..n).map(move |vertex| (number >> vertex & 1) as u8);
        let cut = |number: u32| graph.cut(&sides(number).collect::<Vec<u8>>());
        (0..1 << (n - 1)).map(cut).max().expect("a division")
    }

    #[test]
    fn neighbors_are_those_of_the_edges() {
        let mut rng = InstanceRng::new(1);
        let graph = Graph::random(12, 0.5, &mut rng, |rng| rng.within(-3, 3));
        let mut seen = 0;
        for one in 0..12 {
            for (other, weight) in graph.neighbors(one) {
                let same = |edge: &&Edge| {
                    let [a, b] = edge.ends;
                    [a, b] == [one, *other as usize] || [b, a] == [one, *other as usize]
                };
                let edge = graph.edges.iter().find(same).expect("an edge");
                assert_eq!(edge.weight, *weight);
                seen += 1;
            }
        }
        assert_eq!(seen, 2 * graph.edges.len());
    }

    #[test]
    fn random_graphs_have_their_density_and_tori_four_neighbors() {
        let graph = Graph::random(200, 0.3, &mut InstanceRng::new(2), |_| 1);
        // 19,900 pairs: the deviation is 65, and 325 are exceeded with probability 6e-7; one seed.
        assert!(graph.edges.len().abs_diff(5970) < 325, "{}", graph.edges.len());
        let torus = Graph::torus(4, &mut InstanceRng::new(2), |_| 1);
        assert!((0..16).all(|vertex| torus.neighbors(vertex).len() == 4));
        // A torus of even sides is a chessboard: all of its edges can be cut.
        let board: Vec<u8> = (0..16).map(|vertex| ((vertex / 4 + vertex % 4) % 2) as u8).collect();
        assert_eq!(torus.cut(&board), 32);
        assert_eq!(greatest(&torus), 32);
        // With odd sides, each of the 3 rows and 3 columns loses an edge.
        assert_eq!(greatest(&Graph::torus(3, &mut InstanceRng::new(2), |_| 1)), 12);
    }

    #[test]
    fn the_target_of_the_config_is_the_greatest_cut() {
        let config = include_str!("../../../configs/maxcut.toml");
        let words = "\nn       = 20\ndensity = 0.5\nweights = \"sign\"\n";
        assert!(config.contains(words), "the graph is this one");
        let weigh = |rng: &mut InstanceRng| 2 * rng.within(0, 1) - 1;
        let greatest = greatest(&Graph::random(20, 0.5, &mut InstanceRng::new(1), weigh));
        assert!(config.contains(&format!("\nfitness     = -{greatest}\n")), "{greatest}");
    }
}
