//! The plugin: its parameters and the problem's instance.

use crate::rank::{Rank, WORST, WORST_VALID};
use crate::{breed, number, picture};
use runner_plugin::{
    Crossover, Description, Enumerate, Instance, IsValid, Mutate, Number, Parameter, Parameters,
    Plugin, Problem, Render, RowRng, words,
};

/// An instance of `chess960`. A genome is the back rank from file a to h: 1 rook, 2 knight, 3
/// bishop, 4 queen, 5 king.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chess960 {
    /// Encoding of a position.
    pub placement: Placement,
    /// Treatment of genomes that break the rules.
    pub invalid: Invalid,
}

/// Distribution from which ranks are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// King, rooks, bishops, queen, knights; not uniform.
    KingFirst,
    /// Each of the 960 as likely.
    Uniform,
}

/// Treatment of mutants that break the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Invalid {
    /// The unmutated rank stays.
    Reject,
    /// It stays as it is.
    Keep,
    /// It stays, and `PENALTY` is added to its fitness.
    Penalise,
    /// The nearest valid rank takes its place.
    Repair,
}

/// Makes every rank that breaks the rules worse than every one that keeps them: above the worst
/// valid fitness.
pub(crate) const PENALTY: u8 = WORST_VALID + 1;

impl Plugin for Chess960 {
    const NAME: &'static str = "chess960";
    const SUMMARY: &'static str =
        "Chess960 back ranks; fitness is the distance from the classical rank.";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::choice(
            "placement",
            words!["king-first", "uniform"],
            "How ranks are drawn: king first, then rooks around it, then the rest; or all 960 \
            equally likely.",
        )
        .default_choice(0),
        Parameter::choice(
            "invalid",
            words!["reject", "keep", "penalise", "repair"],
            "What happens to a mutant that breaks the rules: it is undone, kept, kept with 21 \
            added to its fitness, or replaced by the nearest valid rank.",
        )
        .default_choice(0),
    ];
    type Problem = Self;

    fn create(parameters: &Parameters) -> Result<Instance, String> {
        let placement = match parameters.text("placement") {
            "king-first" => Placement::KingFirst,
            _ => Placement::Uniform,
        };
        let invalid = match parameters.text("invalid") {
            "reject" => Invalid::Reject,
            "keep" => Invalid::Keep,
            "penalise" => Invalid::Penalise,
            _ => Invalid::Repair,
        };
        Ok(Chess960 { placement, invalid }.into())
    }
}

impl Chess960 {
    fn mutate(&self, rng: &mut RowRng, genome: &mut [u8]) {
        // Two rooks that change places change nothing: draw until the pieces differ, which 25 of 28
        // pairs do.
        let (one, other) = loop {
            let (one, other) = breed::two_files(rng);
            if genome[one] != genome[other] {
                break (one, other);
            }
        };
        genome.swap(one, other);
        match self.invalid {
            Invalid::Keep | Invalid::Penalise => {}
            Invalid::Reject => {
                if !Rank::of(genome).is_valid() {
                    genome.swap(one, other);
                }
            }
            Invalid::Repair => {
                let rank = Rank::of(genome);
                if !rank.is_valid() {
                    breed::repair(rank).write(genome);
                }
            }
        }
    }
}

impl Problem for Chess960 {
    type Gene = u8;

    fn describe(&self) -> Description {
        let worst = match self.invalid {
            Invalid::Reject | Invalid::Repair => WORST_VALID,
            Invalid::Keep => WORST,
            Invalid::Penalise => WORST + PENALTY,
        };
        Description::opaque(8)
            .bounds(vec![1.0], vec![5.0])
            .ideal(0.0)
            .worst(worst.into())
            .tolerance(0.0)
            .space_size(number::COUNT)
    }

    fn sample(&self, rng: &mut RowRng, genome: &mut [u8]) {
        let rank = match self.placement {
            Placement::KingFirst => breed::king_first(rng),
            Placement::Uniform => breed::uniform(rng),
        };
        rank.write(genome);
    }

    fn fitness(&self, genome: &[u8]) -> f64 {
        let rank = Rank::of(genome);
        let penalty =
            if self.invalid == Invalid::Penalise && !rank.is_valid() { PENALTY } else { 0 };
        (rank.fitness() + penalty).into()
    }

    const CROSSOVER: Option<Crossover<Self>> = Some(|_, rng, first, second, child| {
        breed::cross(Rank::of(first), Rank::of(second), rng).write(child);
    });
    const MUTATE: Option<Mutate<Self>> = Some(Self::mutate);
    const IS_VALID: Option<IsValid<Self>> = Some(|_, genome| Rank::of(genome).is_valid());
    const RENDER: Option<Render<Self>> = Some(|_, genome, format| picture::render(genome, format));
    const ENUMERATE: Option<Enumerate<Self>> =
        Some(|_, number, genome| number::RANKS[number as usize].write(genome));
    const NUMBER: Option<Number<Self>> = Some(|_, genome| number::number(Rank::of(genome)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::tests::{arrangements, genes};

    fn chess(invalid: Invalid) -> Chess960 {
        Chess960 { placement: Placement::Uniform, invalid }
    }

    /// 2,000 mutants of the classical rank.
    fn mutants(invalid: Invalid) -> impl Iterator<Item = Vec<u8>> {
        (0..2000).map(move |row| {
            let mut genome = genes("RNBQKBNR");
            chess(invalid).mutate(&mut RowRng::new(&[2; 32], row), &mut genome);
            genome
        })
    }

    #[test]
    fn only_keep_and_penalise_let_mutants_break_the_rules() {
        for (invalid, breaks) in [
            (Invalid::Reject, false),
            (Invalid::Repair, false),
            (Invalid::Keep, true),
            (Invalid::Penalise, true),
        ] {
            assert_eq!(
                mutants(invalid).any(|genome| !Rank::of(&genome).is_valid()),
                breaks,
                "{invalid:?}"
            );
        }
    }

    #[test]
    fn a_rejected_mutant_is_its_parent() {
        let kept = mutants(Invalid::Keep).zip(mutants(Invalid::Reject));
        for (mutant, answer) in kept {
            let expected = if Rank::of(&mutant).is_valid() { mutant } else { genes("RNBQKBNR") };
            assert_eq!(answer, expected);
        }
    }

    #[test]
    fn the_penalty_sets_the_invalid_behind_the_valid() {
        let penalised = chess(Invalid::Penalise);
        let (mut worst_valid, mut best_invalid, mut worst) = (0.0f64, f64::INFINITY, 0.0f64);
        for genome in arrangements() {
            let fitness = penalised.fitness(&genome);
            worst = worst.max(fitness);
            if Rank::of(&genome).is_valid() {
                worst_valid = worst_valid.max(fitness);
            } else {
                best_invalid = best_invalid.min(fitness);
            }
        }
        assert!(worst_valid < best_invalid);
        assert_eq!(worst, f64::from(WORST + PENALTY));
        assert_eq!(PENALTY, 21, "the parameter's words state it");
    }
}
