//! Births as a page shows them: genes around what happened, boards, and fitness before and after.

use super::frame::{Relative, ShownBirth};
use crate::problem::{Format, Genome, Problem};
use crate::search::Birth;

/// Genes of a genome that are shown at most.
const MOST: usize = 40;

impl ShownBirth {
    /// Shows a birth. The child before its mutation is evaluated once more, outside of the trial.
    pub(super) fn of(problem: &Problem, birth: &Birth) -> Self {
        let Birth { parents, cut, bred, mutates, born, fitness } = birth;
        let (before, after) = (bred.numbers(), born.numbers());
        let changed = before.iter().zip(&after).position(|(before, after)| before != after);
        let length = after.len();
        let middle = changed.or(*cut).unwrap_or(0);
        let from = middle.saturating_sub(MOST / 2).min(length.saturating_sub(MOST));
        let relative = |genome: &Genome, fitness| Relative {
            svg: problem.render(genome, Format::Svg).ok().flatten(),
            genes: genome.numbers().into_iter().skip(from).take(MOST).collect(),
            fitness,
        };
        let bred_fitness = || match &parents[..] {
            [(_, fitness)] => Some(*fitness),
            _ => fitness_of(problem, bred),
        };
        ShownBirth {
            parents: parents.iter().map(|(one, fitness)| relative(one, Some(*fitness))).collect(),
            cut: *cut,
            bred: changed.map(|_| relative(bred, bred_fitness())),
            mutates: *mutates,
            born: relative(born, Some(*fitness)),
            from,
            length,
        }
    }
}

/// Returns the fitness of a genome; `None` with constraints or noise, or if the problem fails.
fn fitness_of(problem: &Problem, genome: &Genome) -> Option<f64> {
    let description = problem.description();
    if description.has_violations || description.is_noisy() {
        return None;
    }
    let mut fitness = [0.0];
    let evaluated = match genome {
        Genome::U8(genes) => problem.evaluate(genes, &mut fitness),
        Genome::U16(genes) => problem.evaluate(genes, &mut fitness),
        Genome::U32(genes) => problem.evaluate(genes, &mut fitness),
        Genome::F64(genes) => problem.evaluate(genes, &mut fitness),
    };
    evaluated.ok().map(|()| fitness[0])
}
