//! Files in the format of the Gset: vertices and edges, then a line per edge with its ends (from 1)
//! and its weight.

use crate::graph::{Edge, Graph};
use runner_plugin::data::DataText;

/// Maximum number of vertices, and of edges.
const MOST_VERTICES: usize = 1_000_000;
const MOST_EDGES: usize = 10_000_000;
/// Maximum weight of an edge, in either direction.
const HEAVIEST: i64 = 100_000_000;

/// Reads a graph.
///
/// # Errors
/// Returns a message with the line of the first fault.
pub(crate) fn parse(text: &DataText) -> Result<Graph, String> {
    let mut cursor = text.cursor();
    cursor.skip_comments("#");
    let vertices = cursor.count("the number of vertices", 2..=MOST_VERTICES)?;
    let count = cursor.count("the number of edges", 0..=MOST_EDGES)?;
    let mut edges = Vec::new();
    for number in 1..=count {
        let mut end =
            |which| cursor.count(&format!("the {which} end of edge {number}"), 1..=vertices);
        let ends = [end("first")? - 1, end("second")? - 1];
        if ends[0] == ends[1] {
            return Err(
                cursor.fault(format!("edge {number} joins vertex {} to itself", ends[0] + 1))
            );
        }
        let weight =
            cursor.integer(&format!("the weight of edge {number}"), -HEAVIEST..=HEAVIEST)?;
        edges.push(Edge { ends, weight });
    }
    cursor.end(&format!("{count} edges"))?;
    Ok(Graph::new(vertices, edges))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<Graph, String> {
        parse(&DataText::new("x.txt", text))
    }

    const OWN: &str = "4 3\n1 2 5\n2 3 -1\n4 1 2\n";

    #[test]
    fn edges_are_read_with_their_weights() {
        let graph = read(OWN).expect("good");
        assert_eq!((graph.vertices(), graph.edges.len()), (4, 3));
        assert_eq!(graph.cut(&[0, 1, 0, 1]), 6);
    }

    #[test]
    fn every_fault_is_named_with_its_line() {
        let cases = [
            ("", "x.txt, line 1: the file ends before the number of vertices"),
            ("1 0", "line 1: the number of vertices is `1`, but must be an integer from 2 to"),
            ("4000000000 1", "line 1: the number of vertices is `4000000000`"),
            ("4 -1", "line 1: the number of edges is `-1`"),
            ("4 2\n1 2 1\n", "line 3: the file ends before the first end of edge 2"),
            (
                "4 1\n1 5 1",
                "line 2: the second end of edge 1 is `5`, but must be an integer from 1",
            ),
            ("4 1\n0 2 1", "line 2: the first end of edge 1 is `0`"),
            ("4 1\n3 3 1", "line 2: edge 1 joins vertex 3 to itself"),
            ("4 1\n1 2 0.5", "line 2: the weight of edge 1 is `0.5`"),
            ("4 1\n1 2 1\n2 3 1", "line 3: `2` follows after 1 edges; correct the counts"),
        ];
        for (text, words) in cases {
            let error = read(text).expect_err(words);
            assert!(error.starts_with("x.txt, line ") && error.contains(words), "{words}\n{error}");
        }
    }

    proptest! {
        #[test]
        fn no_file_makes_the_reader_panic(
            place in 0..OWN.len(), cut in 0..20usize, word in "[ -~\\n]{0,12}",
        ) {
            let end = (place + cut).min(OWN.len());
            let text = format!("{}{word}{}", &OWN[..place], &OWN[end..]);
            if let Ok(graph) = read(&text) {
                prop_assert!(graph.vertices() >= 2);
            }
        }
    }
}
