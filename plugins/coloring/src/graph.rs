//! Graphs by their definition.

/// A graph whose chromatic number is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Graph {
    /// Vertices, numbered from 0.
    pub vertices: usize,
    /// Each edge once, the lower vertex first.
    pub edges: Vec<(usize, usize)>,
    /// The fewest colours that keep the ends of all edges apart.
    pub chromatic_number: usize,
    /// The side of the board, of a queen graph.
    pub side: Option<usize>,
}

/// The names of the challenge, each with its graph's construction.
pub(crate) const NAMES: [&str; 9] = [
    "queen5_5", "queen6_6", "queen7_7", "queen8_8", "myciel3", "myciel4", "myciel5", "myciel6",
    "myciel7",
];

impl Graph {
    /// The graph of one of the [`NAMES`]; none for another name.
    pub(crate) fn named(name: &str) -> Option<Graph> {
        match name {
            "queen5_5" => Some(Graph::queens(5, 5)),
            "queen6_6" => Some(Graph::queens(6, 7)),
            "queen7_7" => Some(Graph::queens(7, 7)),
            "queen8_8" => Some(Graph::queens(8, 9)),
            _ => {
                let steps = name.strip_prefix("myciel")?.parse().ok()?;
                NAMES.contains(&name).then(|| Graph::mycielski(steps))
            }
        }
    }

    /// The squares of a board, row by row; two are joined where a queen on one attacks the other.
    fn queens(side: usize, chromatic_number: usize) -> Graph {
        let attacks = |one: usize, other: usize| {
            let ((row, file), (to_row, to_file)) =
                ((one / side, one % side), (other / side, other % side));
            let (down, across) = (row.abs_diff(to_row), file.abs_diff(to_file));
            down == 0 || across == 0 || down == across
        };
        let squares = side * side;
        let pairs = (0..squares).flat_map(|one| (one + 1..squares).map(move |other| (one, other)));
        let edges = pairs.filter(|(one, other)| attacks(*one, *other)).collect();
        Graph { vertices: squares, edges, chromatic_number, side: Some(side) }
    }

    /// So many steps from one vertex (`myciel3` is the Grötzsch graph): each adds a twin to every
    /// vertex, which is joined to the neighbours of the vertex, and one vertex that is joined to
    /// all twins. A step adds no triangle, and 1 to the chromatic number.
    ///
    /// Source: Mycielski (1955), "Sur le coloriage des graphs", Colloquium Mathematicum 3, 161-162.
    fn mycielski(steps: usize) -> Graph {
        let (mut vertices, mut edges) = (2, vec![(0, 1)]);
        for _ in 1..steps {
            let twins = edges
                .iter()
                .flat_map(|&(one, other)| [(one, vertices + other), (other, vertices + one)])
                .collect::<Vec<_>>();
            let hub = 2 * vertices;
            edges.extend(twins);
            edges.extend((vertices..hub).map(|twin| (twin, hub)));
            vertices = hub + 1;
        }
        Graph { vertices, edges, chromatic_number: steps + 1, side: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether so many colours are enough: every colouring is tried, vertices with the fewest free
    /// colours first, and of unused colours one (Brélaz 1979, doi:10.1145/359094.359101).
    fn is_colorable(graph: &Graph, colors: usize) -> bool {
        fn search(neighbors: &[Vec<usize>], colored: &mut [Option<usize>], colors: usize) -> bool {
            let free = |vertex: usize, colored: &[Option<usize>]| {
                let taken: Vec<usize> =
                    neighbors[vertex].iter().filter_map(|other| colored[*other]).collect();
                (0..colors).filter(|color| !taken.contains(color)).collect::<Vec<_>>()
            };
            let open = (0..colored.len()).filter(|vertex| colored[*vertex].is_none());
            let Some(vertex) = open.min_by_key(|vertex| {
                (free(*vertex, colored).len(), usize::MAX - neighbors[*vertex].len())
            }) else {
                return true;
            };
            let used = colored.iter().flatten().max().map_or(0, |most| most + 1);
            for color in free(vertex, colored).into_iter().filter(|color| *color <= used) {
                colored[vertex] = Some(color);
                if search(neighbors, colored, colors) {
                    return true;
                }
            }
            colored[vertex] = None;
            false
        }
        let mut neighbors = vec![Vec::new(); graph.vertices];
        for (one, other) in &graph.edges {
            neighbors[*one].push(*other);
            neighbors[*other].push(*one);
        }
        search(&neighbors, &mut vec![None; graph.vertices], colors)
    }

    #[test]
    fn the_graphs_have_the_published_sizes() {
        // Vertices, edges and chromatic numbers: Johnson and Trick (1996).
        let published = [
            ("queen5_5", 25, 160, 5),
            ("queen6_6", 36, 290, 7),
            ("queen7_7", 49, 476, 7),
            ("queen8_8", 64, 728, 9),
            ("myciel3", 11, 20, 4),
            ("myciel4", 23, 71, 5),
            ("myciel5", 47, 236, 6),
            ("myciel6", 95, 755, 7),
            ("myciel7", 191, 2360, 8),
        ];
        assert_eq!(published.map(|row| row.0), NAMES);
        for (name, vertices, edges, chromatic_number) in published {
            let graph = Graph::named(name).expect(name);
            assert_eq!(
                (graph.vertices, graph.edges.len(), graph.chromatic_number),
                (vertices, edges, chromatic_number),
                "{name}"
            );
            let mut sorted = graph.edges.clone();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted.len(), edges, "{name}: an edge twice");
        }
        assert_eq!(Graph::named("myciel8"), None);
    }

    #[test]
    fn no_fewer_colors_are_enough() {
        for name in ["queen5_5", "queen6_6", "myciel3", "myciel4"] {
            let graph = Graph::named(name).expect(name);
            assert!(is_colorable(&graph, graph.chromatic_number), "{name}");
            assert!(!is_colorable(&graph, graph.chromatic_number - 1), "{name}");
        }
    }
}
