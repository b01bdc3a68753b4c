//! The problem: colours as genes.

use crate::graph::{Graph, NAMES};
use crate::picture;
use runner_plugin::rand::RngExt;
use runner_plugin::{
    ConflictCalls, ConflictingGenome, Description, Instance, Parameter, Parameters, Plugin,
    Problem, Render, RowRng, RowRngs, Violation, Word,
};

/// Most colours: as many as there are digits and letters.
const MOST: usize = 36;

const WORDS: &[Word] = &{
    let mut words = [Word::new(NAMES[0]); NAMES.len()];
    let mut place = 1;
    while place < NAMES.len() {
        words[place] = Word::new(NAMES[place]);
        place += 1;
    }
    words
};

/// Gene i is the colour of vertex i.
pub struct Coloring {
    graph: Graph,
    /// A genome has to do with these.
    colors: usize,
}

impl Plugin for Coloring {
    const NAME: &'static str = "coloring";
    const SUMMARY: &'static str =
        "Colour a graph with few colours; a violation is an edge with one colour at both ends.";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::choice(
            "graph",
            WORDS,
            "A graph of the DIMACS challenge (Johnson and Trick 1996). Squares of a board, joined \
            where a queen attacks, and Mycielski's graphs.",
        )
        .default_choice(0),
        Parameter::integer(
            "colors",
            0..=MOST as i64,
            "Colours to choose from; 0: two more than the graph needs.",
        )
        .default_integer(0),
    ];
    type Problem = Self;

    fn create(parameters: &Parameters) -> Result<Instance, String> {
        let name = parameters.text("graph");
        let graph = Graph::named(name).ok_or_else(|| format!("there is no graph {name}"))?;
        let needed = graph.chromatic_number;
        let colors = match parameters.integer("colors") as usize {
            0 => needed + 2,
            colors => colors,
        };
        if colors < needed {
            return Err(format!(
                "{name} needs {needed} colours, and colors = {colors}; choose at least {needed}"
            ));
        }
        Ok(Coloring { graph, colors }.into())
    }
}

impl Problem for Coloring {
    type Gene = u8;

    fn describe(&self) -> Description {
        // Counts: exact.
        Description::integers(self.graph.vertices, 0, self.colors as u32 - 1)
            .ideal(self.graph.chromatic_number as f64)
            .worst(self.colors as f64)
            .tolerance(0.0)
    }

    fn sample(&self, rng: &mut RowRng, genome: &mut [u8]) {
        let rng = rng.stream();
        genome.fill_with(|| rng.random_range(0..self.colors as u8));
    }

    fn sample_rows(&self, rngs: &RowRngs, genomes: &mut [u8]) {
        rngs.fill_below(self.colors as u32, genomes);
    }

    /// Returns the number of colours.
    fn fitness(&self, genome: &[u8]) -> f64 {
        let seen = genome.iter().fold(0u64, |seen, color| seen | 1 << color);
        f64::from(seen.count_ones())
    }

    /// Number of edges with the same colour at both ends.
    const VIOLATION: Option<Violation<Self>> = Some(|coloring, genome| {
        let edges = &coloring.graph.edges;
        let clashes = |&&(one, other): &&(usize, usize)| genome[one] == genome[other];
        edges.iter().filter(clashes).count() as f64
    });

    const CONFLICTS: Option<ConflictCalls<Self>> = Some(ConflictCalls::of_genome());

    const RENDER: Option<Render<Self>> =
        Some(|coloring, genome, format| Some(picture::render(&coloring.graph, genome, format)));
}

impl ConflictingGenome for Coloring {
    /// Writes the number of neighbours that have the colour of each vertex.
    fn conflicts(&self, genome: &[u8], positions: &[u32], conflicts: &mut [u32]) {
        let mut all = vec![0; genome.len()];
        for (one, other) in &self.graph.edges {
            let clash = u32::from(genome[*one] == genome[*other]);
            all[*one] += clash;
            all[*other] += clash;
        }
        for (position, conflicts) in positions.iter().zip(conflicts) {
            *conflicts = all[*position as usize];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coloring(name: &str) -> Coloring {
        Coloring { graph: Graph::named(name).expect(name), colors: 7 }
    }

    fn violation(problem: &Coloring, genome: &[u8]) -> f64 {
        Coloring::VIOLATION.expect("it has constraints")(problem, genome)
    }

    #[test]
    fn colors_and_clashes_are_counted() {
        let problem = coloring("queen5_5");
        assert_eq!(problem.fitness(&[3; 25]), 1.0);
        assert_eq!(violation(&problem, &[3; 25]), 160.0);
        // Knight's moves of (1, 2): five colours, each five queens that do not attack each other.
        let five: Vec<u8> =
            (0..25).map(|square| ((square % 5 + 2 * (square / 5)) % 5) as u8).collect();
        assert_eq!((problem.fitness(&five), violation(&problem, &five)), (5.0, 0.0));
        let mut clash = five;
        clash[0] = clash[1];
        assert!(violation(&problem, &clash) >= 1.0);
    }

    #[test]
    fn both_ends_of_a_clash_are_in_conflict() {
        let problem = coloring("queen5_5");
        let mut told = [0; 25];
        let all: Vec<u32> = (0..25).collect();
        // A queen in the middle attacks 16 squares, one in a corner 12.
        problem.conflicts(&[3; 25], &all, &mut told);
        assert_eq!((told[0], told[12], told.iter().sum::<u32>()), (12, 16, 2 * 160));
        let five: Vec<u8> =
            (0..25).map(|square| ((square % 5 + 2 * (square / 5)) % 5) as u8).collect();
        problem.conflicts(&five, &all, &mut told);
        assert_eq!(told, [0; 25]);
        let mut clash = five;
        clash[0] = clash[1];
        let mut two = [0; 2];
        problem.conflicts(&clash, &[1, 0], &mut two);
        assert!(two[0] >= 1 && two[1] >= 1, "{two:?}");
    }

    #[test]
    fn too_few_colors_are_refused() {
        let made = |colors| {
            let values = vec![
                runner_plugin::Value::Text("myciel4".into()),
                runner_plugin::Value::Integer(colors),
            ];
            Coloring::create(&Parameters::new(Coloring::PARAMETERS, values).expect("sound values"))
        };
        let refusal = made(4).err().expect("four colours are too few");
        assert!(refusal.contains("needs 5 colours"), "{refusal}");
        assert!(made(5).is_ok() && made(0).is_ok());
    }
}
