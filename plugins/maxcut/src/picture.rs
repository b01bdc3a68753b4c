//! Divisions for the eye. Vertices have the numbers of files, from 1.

use crate::graph::Graph;
use runner_plugin::Format;
use runner_plugin::data::{Svg, draw_bits};

/// Maximum number of edges in a picture.
pub(crate) const MOST_DRAWN: usize = 20_000;
/// Size of a picture of two columns.
const WIDTH: usize = 300;
const HEIGHT: f64 = 400.0;

/// Renders a division. `side` is that of a grid.
pub(crate) fn render(graph: &Graph, side: Option<usize>, sides: &[u8], format: Format) -> String {
    match format {
        Format::Line => sides.iter().map(ToString::to_string).collect(),
        Format::Board => {
            let mut text = format!("cut {}\n", graph.cut(sides));
            for row in sides.chunks(side.unwrap_or(64)) {
                text.extend(row.iter().map(|side| if *side == 0 { '.' } else { '#' }));
                text.push('\n');
            }
            text
        }
        Format::Svg => svg(graph, side, sides),
    }
}

fn svg(graph: &Graph, side: Option<usize>, sides: &[u8]) -> String {
    let label = format!("{} vertices on two sides, a cut of {}", sides.len(), graph.cut(sides));
    if let Some(side) = side {
        return draw_bits(sides, side, &label);
    }
    let mut svg = Svg::new(WIDTH, HEIGHT as usize, &label);
    // The sides are columns, each from the top to the bottom.
    let mut counts = [0, 0];
    let mut ranks = Vec::with_capacity(sides.len());
    for side in sides {
        ranks.push(counts[usize::from(*side)]);
        counts[usize::from(*side)] += 1;
    }
    let place = |vertex: usize| {
        let side = usize::from(sides[vertex]);
        let step = (HEIGHT - 20.0) / counts[side] as f64;
        ([20, WIDTH - 20][side], 10.0 + step * (f64::from(ranks[vertex]) + 0.5))
    };
    let cut = graph.edges.iter().filter(|edge| sides[edge.ends[0]] != sides[edge.ends[1]]);
    for edge in cut {
        let [(a, b), (c, d)] = edge.ends.map(place);
        let stroke = if edge.weight < 0 { "#c00000" } else { "#bbbbbb" };
        svg.put(format_args!("<path d=\"M{a} {b:.1}L{c} {d:.1}\" stroke=\"{stroke}\"/>"));
    }
    for vertex in 0..sides.len() {
        let (x, y) = place(vertex);
        svg.put(format_args!("<circle cx=\"{x}\" cy=\"{y:.1}\" r=\"3\" fill=\"#3060a0\"/>"));
    }
    svg.end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_plugin::data::InstanceRng;

    #[test]
    fn every_format_shows_every_vertex() {
        let torus = Graph::torus(3, &mut InstanceRng::new(1), |_| 1);
        let sides = [0, 1, 0, 1, 0, 1, 0, 1, 1];
        assert_eq!(render(&torus, Some(3), &sides, Format::Line), "010101011");
        let board = render(&torus, Some(3), &sides, Format::Board);
        assert_eq!(board, format!("cut {}\n.#.\n#.#\n.##\n", torus.cut(&sides)));
        let drawn = render(&torus, Some(3), &sides, Format::Svg);
        // The ground is white, five squares are not.
        assert_eq!(drawn.matches("<rect").count(), 6);
        let drawn = render(&torus, None, &sides, Format::Svg);
        let edges = torus.cut(&sides) as usize;
        assert_eq!((drawn.matches("<circle").count(), drawn.matches("<path").count()), (9, edges));
    }
}
