//! The problem: sides as bits.

use crate::graph::Graph;
use crate::{format, picture};
use runner_plugin::data::{DataText, InstanceRng};
use runner_plugin::rand::RngExt;
use runner_plugin::{
    Description, Instance, MoveCalls, Parameter, Parameters, Plugin, Problem, Render, RowRng,
    RowRngs, words,
};

/// The plugin `maxcut`.
#[derive(Debug)]
pub struct MaxCut;

/// An instance. Gene i is the side of vertex i.
#[derive(Clone, Debug)]
pub struct Cuts {
    pub(crate) graph: Graph,
    /// Side of the grid, if the graph is one.
    pub(crate) side: Option<usize>,
}

impl Plugin for MaxCut {
    const NAME: &'static str = "maxcut";
    const SUMMARY: &'static str =
        "Maximum cut: two sides of a graph with heavy edges between them; fitness is -cut.";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::file(
            "file",
            "A graph in the format of the Gset: numbers of vertices and edges, then ends (from 1) \
            and weight of each edge. Without a file, a random graph.",
        )
        .optional(),
        Parameter::choice(
            "graph",
            words!["random", "torus"],
            "Kind of a random graph: each pair of vertices is joined with probability `density`, \
            or a square grid that is closed to a torus; a file has its own.",
        )
        .default_choice(0),
        Parameter::integer(
            "n",
            2..=5000,
            "Vertices of a random graph, a square number of at least 9 for a torus; a file has its \
            own.",
        )
        .default_integer(100),
        Parameter::real("density", 0.0..=1.0, "Probability of an edge of a random graph.")
            .default_real(0.1),
        Parameter::choice(
            "weights",
            words!["one", "sign"],
            "Weights of a random graph: all 1, or 1 and -1 with the same probability.",
        )
        .default_choice(0),
        Parameter::integer("instance", 0..=i64::MAX, "Seed of a random graph.").default_integer(1),
    ];
    type Problem = Cuts;

    fn create(parameters: &Parameters) -> Result<Instance, String> {
        if let Some(path) = parameters.file("file") {
            let idle = ["graph", "n", "density", "weights", "instance"];
            parameters.require_defaults(&idle, "with a file")?;
            return Ok(Cuts { graph: format::parse(&DataText::read(path)?)?, side: None }.into());
        }
        let n = parameters.integer("n") as usize;
        let mut rng = InstanceRng::new(parameters.integer("instance"));
        let signs = parameters.text("weights") == "sign";
        let weigh = |rng: &mut InstanceRng| if signs { 2 * rng.within(0, 1) - 1 } else { 1 };
        if parameters.text("graph") == "random" {
            let density = parameters.real("density");
            if density == 0.0 {
                return Err("with `density` = 0 there is no edge to cut; choose more".to_owned());
            }
            if density == 1.0 && !signs {
                let place = "in a complete graph with weights of 1";
                parameters.require_defaults(&["instance"], place)?;
            }
            let graph = Graph::random(n, density, &mut rng, weigh);
            return Ok(Cuts { graph, side: None }.into());
        }
        parameters.require_defaults(&["density"], "in a torus")?;
        if !signs {
            parameters.require_defaults(&["instance"], "in a torus with weights of 1")?;
        }
        let side = n.isqrt();
        if side < 3 || side * side != n {
            let below = side.max(3).pow(2);
            return Err(format!(
                "a torus has a square number of vertices, at least 9, and n = {n}; choose {below} \
                or {}",
                (below.isqrt() + 1).pow(2)
            ));
        }
        Ok(Cuts { graph: Graph::torus(side, &mut rng, weigh), side: Some(side) }.into())
    }
}

impl Problem for Cuts {
    type Gene = u8;

    fn describe(&self) -> Description {
        // Integers: exact.
        Description::bits(self.graph.vertices()).tolerance(0.0)
    }

    fn sample(&self, rng: &mut RowRng, genome: &mut [u8]) {
        let rng = rng.stream();
        genome.fill_with(|| rng.random_range(0..=1));
    }

    fn sample_rows(&self, rngs: &RowRngs, genomes: &mut [u8]) {
        rngs.fill_below(2, genomes);
    }

    /// Returns the cut, negative, since lower is better.
    fn fitness(&self, genome: &[u8]) -> f64 {
        -self.graph.cut(genome) as f64
    }

    const MOVES: Option<MoveCalls<Self>> = Some(MoveCalls::new());

    const RENDER: Option<Render<Self>> = Some(|cuts, genome, format| {
        let (is_grid, edges) = (cuts.side.is_some(), cuts.graph.edges.len());
        let is_drawn =
            format != runner_plugin::Format::Svg || is_grid || edges <= picture::MOST_DRAWN;
        is_drawn.then(|| picture::render(&cuts.graph, cuts.side, genome, format))
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::tests::greatest;
    use runner_plugin::Value;

    #[test]
    fn flips_from_many_starts_find_the_greatest_cut() {
        // The optimum is independent code: all divisions are tried.
        for instance in 1..=5 {
            let mut rng = InstanceRng::new(instance);
            let graph = Graph::random(12, 0.5, &mut rng, |rng| 2 * rng.within(0, 1) - 1);
            let optimum = greatest(&graph) as f64;
            let (cuts, mut best) = (Cuts { graph, side: None }, f64::INFINITY);
            for start in 0..50 {
                let mut sides = [0; 12];
                cuts.sample(&mut RowRng::new(&[instance as u8; 32], start), &mut sides);
                while let Some(vertex) = (0..12).find(|vertex| {
                    let mut other = sides;
                    other[*vertex] ^= 1;
                    cuts.fitness(&other) < cuts.fitness(&sides)
                }) {
                    sides[vertex] ^= 1;
                }
                best = best.min(cuts.fitness(&sides));
            }
            assert_eq!(-best, optimum, "instance {instance}");
        }
    }

    #[test]
    fn a_torus_that_is_no_square_is_refused() {
        let made = |n: i64| {
            let texts = |text: &str| Value::Text(text.to_owned());
            let values = vec![
                texts(""),
                texts("torus"),
                Value::Integer(n),
                Value::Real(0.5),
                texts("sign"),
                Value::Integer(1),
            ];
            MaxCut::create(&Parameters::new(MaxCut::PARAMETERS, values).expect("sound values"))
        };
        let refusal = made(10).err().expect("no square");
        assert!(refusal.ends_with("n = 10; choose 9 or 16"), "{refusal}");
        assert!(made(4).is_err() && made(9).is_ok());
    }
}
