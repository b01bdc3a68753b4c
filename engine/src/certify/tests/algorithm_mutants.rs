//! Mutants of whole algorithms: the settings are others, or another algorithm takes their place.

use super::faulty::{Fault, Faulty};
use super::mutation;
use crate::operators::{
    Crossover, CrossoverKind, Cut, Mix, MutationKind, Rearrangement, Replacement, Scaling,
    Schedules, Selection, Ties,
};
use crate::search::algorithms::{
    Cells, Cellular, Cga, CmaEs, ConflictMinimization, Control, DeterministicCrowding,
    DifferentialEvolution, Emigrants, Exhaustive, GreedyHillClimbing, HillClimbing, Islands,
    IteratedLocalSearch, Jade, LShade, LateAcceptance, MinConflicts, OnePlusLambdaLambda,
    OnePlusOneEs, ParticleSwarm, Pbil, PivotingRule, RandomSearch, Restarts, Rounding,
    SelfAdjustingOnePlusLambda, Shade, SimulatedAnnealing, Strategy, TabuSearch,
    ThresholdAccepting, Topology, Umda, Update, VariableNeighborhoodSearch,
};
use crate::search::{Algorithm, Evolutionary, Sharing};
use std::any::Any;
use std::sync::Arc;

/// Returns a search that keeps the best of parents and children.
fn elitist() -> Evolutionary {
    let kind = CrossoverKind::OnePoint { cut: Cut::Inner };
    Evolutionary {
        population: 4,
        scaling: Scaling::Reciprocal,
        selection: Selection::Uniform,
        mix: None,
        crossover: Some(Crossover { kind, rate: 1.0, children: 2 }),
        mutation: None,
        replacement: Replacement::Plus { offspring: 4, ties: Ties::Parents },
        sharing: None,
        schedules: Schedules::NONE,
    }
}

/// Returns the mutant of this name of an algorithm, or the algorithm if it has none.
pub(super) fn mutant(name: &str, algorithm: Arc<dyn Algorithm>) -> Arc<dyn Algorithm> {
    let settings: &dyn Any = &*algorithm;
    if let Some(OnePlusLambdaLambda { lambda }) = settings.downcast_ref()
        && name == "λ begins a tenth higher"
    {
        return Arc::new(OnePlusLambdaLambda { lambda: 1.1 * lambda });
    }
    if let Some(&settings) = settings.downcast_ref::<CmaEs>() {
        match name {
            "steps a twentieth too long" => {
                return Arc::new(CmaEs { sigma: 1.05 * settings.sigma, ..settings });
            }
            "no runs of few children" if settings.restarts == Restarts::Bipop => {
                return Arc::new(CmaEs { restarts: Restarts::Ipop, ..settings });
            }
            "runs of few children" if settings.restarts == Restarts::Ipop => {
                return Arc::new(CmaEs { restarts: Restarts::Bipop, ..settings });
            }
            "bad children are ignored" => {
                return Arc::new(CmaEs { active: false, ..settings });
            }
            _ => {}
        }
    }
    if let Some(&settings) = settings.downcast_ref::<OnePlusOneEs>()
        && name == "a rule of a quarter"
    {
        return Arc::new(OnePlusOneEs { success_rate: 0.25, ..settings });
    }
    if let Some(&settings) = settings.downcast_ref::<DifferentialEvolution>() {
        match name {
            "too large a difference" => {
                return Arc::new(DifferentialEvolution { weight: 0.51, ..settings });
            }
            "a gene too many is the mutant's" => {
                let crossover_rate = settings.crossover_rate + 0.03;
                return Arc::new(DifferentialEvolution { crossover_rate, ..settings });
            }
            "a random base in place of the best" if settings.strategy == Strategy::Best => {
                let strategy = Strategy::Rand;
                return Arc::new(DifferentialEvolution { strategy, ..settings });
            }
            "a third counts as the best" => {
                if let Strategy::CurrentToPBest { p } = settings.strategy {
                    let strategy = Strategy::CurrentToPBest { p: p + 0.25 };
                    return Arc::new(DifferentialEvolution { strategy, ..settings });
                }
            }
            _ => {}
        }
    }
    if let Some(&settings) = settings.downcast_ref::<Jade>() {
        match name {
            "means that hardly move" => {
                return Arc::new(Jade { learning_rate: 0.1, ..settings });
            }
            "no archive" => return Arc::new(Jade { archive: 0.0, ..settings }),
            _ => {}
        }
    }
    if let Some(&settings) = settings.downcast_ref::<Shade>() {
        match name {
            "too large a share of the best" => {
                return Arc::new(Shade { p: 0.85, ..settings });
            }
            "too long a memory" => return Arc::new(Shade { memory: 2, ..settings }),
            _ => {}
        }
    }
    if let Some(&settings) = settings.downcast_ref::<LShade>()
        && name == "one individual too many"
    {
        return Arc::new(LShade { population: settings.population + 1, ..settings });
    }
    if let Some(&settings) = settings.downcast_ref::<ThresholdAccepting>() {
        match name {
            "a threshold that includes its end" => {
                let threshold = settings.threshold.next_up();
                return Arc::new(ThresholdAccepting { threshold, ..settings });
            }
            "a threshold that stays" => {
                return Arc::new(ThresholdAccepting { cooling: 1.0, ..settings });
            }
            _ => {}
        }
    }
    if let Some(&settings) = settings.downcast_ref::<LateAcceptance>() {
        match name {
            "a shorter history" => {
                return Arc::new(LateAcceptance { history: 1, ..settings });
            }
            "a longer history" => {
                return Arc::new(LateAcceptance { history: 3, ..settings });
            }
            _ => {}
        }
    }
    if let Some(&settings) = settings.downcast_ref::<TabuSearch>() {
        match name {
            "a tenure that is too short" => {
                let tenure = settings.tenure - 1;
                return Arc::new(TabuSearch { tenure, ..settings });
            }
            "a tenure without chance" => {
                return Arc::new(TabuSearch { random_tenure: 0, ..settings });
            }
            _ => {}
        }
    }
    if let Some(&settings) = settings.downcast_ref::<IteratedLocalSearch>()
        && name == "a perturbation too short"
    {
        let perturbation = settings.perturbation - 1;
        return Arc::new(IteratedLocalSearch { perturbation, neighbors: Rearrangement::Swap });
    }
    if let Some(settings) = settings.downcast_ref::<Islands>() {
        let settings = settings.clone();
        match name {
            "a migration too early" => {
                return Arc::new(Islands { every: settings.every - 1, ..settings });
            }
            "random emigrants in place of the best" => {
                return Arc::new(Islands { emigrants: Emigrants::Random, ..settings });
            }
            _ => {}
        }
    }
    if let Some(settings) = settings.downcast_ref::<Cellular>() {
        match name {
            "five neighbours in place of nine" => {
                return Arc::new(Cellular { neighborhood: Cells::Linear5, ..settings.clone() });
            }
            "children that take their cells at once" => {
                return Arc::new(Cellular { update: Update::LineSweep, ..settings.clone() });
            }
            _ => {}
        }
    }
    if let Some(settings) = settings.downcast_ref::<Evolutionary>()
        && name == "a learning rate that is too high"
    {
        let mut settings = settings.clone();
        mutation(&mut settings, |kind| match kind {
            MutationKind::SelfAdaptiveGaussian(rule) | MutationKind::SelfAdaptiveBitFlip(rule) => {
                rule.learning_rate *= 1.5
            }
            _ => {}
        });
        return Arc::new(settings);
    }
    if let Some(settings) = settings.downcast_ref::<Evolutionary>()
        && let Some(sharing) = settings.sharing
        && name == "niches that reach too far"
    {
        let sharing = Some(Sharing { radius: 1.2 * sharing.radius, ..sharing });
        return Arc::new(Evolutionary { sharing, ..settings.clone() });
    }
    if let Some(settings) = settings.downcast_ref::<Evolutionary>()
        && name == "a schedule that ends too high"
    {
        let mut settings = settings.clone();
        let Schedules { crossover_rate, mutation_rate, gene_rate, sigma } = &mut settings.schedules;
        for schedule in [crossover_rate, mutation_rate, gene_rate, sigma].into_iter().flatten() {
            schedule.to *= 1.5;
        }
        return Arc::new(settings);
    }
    if let Some(settings) = settings.downcast_ref::<Evolutionary>()
        && let Replacement::RestrictedTournament { offspring, window } = settings.replacement
    {
        let replacement = match name {
            "a window one too small" => {
                Replacement::RestrictedTournament { offspring, window: window - 1 }
            }
            "the worst are replaced, not the nearest" => Replacement::SteadyState { offspring },
            _ => settings.replacement,
        };
        return Arc::new(Evolutionary { replacement, ..settings.clone() });
    }
    if settings.downcast_ref::<DeterministicCrowding>().is_some()
        && name == "the better survive wherever they are"
    {
        return Arc::new(elitist());
    }
    if let Some(&settings) = settings.downcast_ref::<VariableNeighborhoodSearch>()
        && name == "a strength that ends too soon"
    {
        let most_moves = settings.most_moves - 1;
        return Arc::new(VariableNeighborhoodSearch { most_moves, ..settings });
    }
    if let Some(&settings) = settings.downcast_ref::<VariableNeighborhoodSearch>() {
        let neighbors = match (name, settings.neighbors) {
            ("exchanges in place of reversals", Rearrangement::Reversal)
            | ("exchanges in place of insertions", Rearrangement::Insertion) => Rearrangement::Swap,
            (_, chosen) => chosen,
        };
        if neighbors != settings.neighbors {
            return Arc::new(VariableNeighborhoodSearch { neighbors, ..settings });
        }
    }
    if settings.is::<VariableNeighborhoodSearch>() && name == "one strength alone" {
        return Arc::new(IteratedLocalSearch { perturbation: 1, neighbors: Rearrangement::Swap });
    }
    if settings.is::<ConflictMinimization>() && name == "the best exchange" {
        return Arc::new(MinConflicts { greedy: false });
    }
    if settings.is::<MinConflicts>() && name == "the best value of any gene" {
        let pivoting_rule = PivotingRule::Steepest;
        return Arc::new(HillClimbing {
            pivoting_rule,
            sideways: 9,
            restarts: false,
            neighbors: Rearrangement::Swap,
        });
    }
    if let Some(&settings) = settings.downcast_ref::<ParticleSwarm>() {
        match name {
            "a little too much inertia" => {
                return Arc::new(ParticleSwarm { inertia: 0.78, ..settings });
            }
            "a weaker pull to the best" => {
                return Arc::new(ParticleSwarm { social: 1.2, ..settings });
            }
            "all particles in place of the ring" if settings.topology == Topology::Ring => {
                return Arc::new(ParticleSwarm { topology: Topology::Global, ..settings });
            }
            _ => {}
        }
    }
    let mutant = bit_string_mutant(name, settings)
        .or_else(|| climber(name, settings))
        .or_else(|| annealer(name, settings))
        .or_else(|| baseline(name, settings))
        .or_else(|| breeder(name, settings))
        .or_else(|| faulty(name, &algorithm));
    mutant.unwrap_or(algorithm)
}

/// Returns the mutant of this name of an algorithm on bit strings.
fn bit_string_mutant(name: &str, settings: &dyn Any) -> Option<Arc<dyn Algorithm>> {
    if settings.is::<GreedyHillClimbing>() && name == "bits in random order" {
        let pivoting_rule = PivotingRule::FirstImprovement;
        return Some(Arc::new(HillClimbing {
            pivoting_rule,
            sideways: 0,
            restarts: true,
            neighbors: Rearrangement::Swap,
        }));
    }
    if let Some(&SelfAdjustingOnePlusLambda { lambda, control }) = settings.downcast_ref() {
        let control = match (name, control) {
            ("a greater first rate", Control::TwoRate { .. }) => Control::TwoRate { strength: 3.0 },
            ("rounded in place of truncated", Control::Normal { strength, factor, .. }) => {
                Control::Normal { strength, factor, rounding: Rounding::Nearest }
            }
            ("a variance that stays", Control::Normal { strength, rounding, .. }) => {
                Control::Normal { strength, factor: 1.0, rounding }
            }
            ("another first rate", Control::LogNormal { .. }) => Control::LogNormal { rate: 0.22 },
            _ => return None,
        };
        return Some(Arc::new(SelfAdjustingOnePlusLambda { lambda, control }));
    }
    if let Some(&settings) = settings.downcast_ref::<Umda>() {
        return match name {
            "one too many are learned from" => {
                Some(Arc::new(Umda { selected: settings.selected + 1, ..settings }))
            }
            "too small a margin" => {
                Some(Arc::new(Umda { margin: 0.9 * settings.margin, ..settings }))
            }
            _ => None,
        };
    }
    if let Some(&settings) = settings.downcast_ref::<Pbil>() {
        return match name {
            "nothing learned from the worst" => {
                Some(Arc::new(Pbil { negative_learning_rate: 0.0, ..settings }))
            }
            "mutations that go too far" => {
                Some(Arc::new(Pbil { mutation_shift: 1.5 * settings.mutation_shift, ..settings }))
            }
            _ => None,
        };
    }
    let &Cga { virtual_population, margin } = settings.downcast_ref()?;
    let virtual_population = virtual_population + 1;
    (name == "steps that are too short")
        .then(|| -> Arc<dyn Algorithm> { Arc::new(Cga { virtual_population, margin }) })
}

/// Returns the mutant of this name of simulated annealing.
fn annealer(name: &str, settings: &dyn Any) -> Option<Arc<dyn Algorithm>> {
    let &settings = settings.downcast_ref::<SimulatedAnnealing>()?;
    let SimulatedAnnealing { temperature, cooling, moves, mutation } = settings;
    let (temperature, cooling) = match name {
        "nothing worse is accepted" => (1e-300, cooling),
        "twice the worsening" => (temperature / 2.0, cooling),
        "a temperature one step late" => (temperature / cooling, cooling),
        "a temperature that stays" => (temperature, 1.0),
        "a threshold in place of a chance" => {
            let threshold = temperature;
            return Some(Arc::new(ThresholdAccepting { threshold, cooling, moves, mutation }));
        }
        _ => return None,
    };
    Some(Arc::new(SimulatedAnnealing { temperature, cooling, ..settings }))
}

/// Returns the mutant of this name of hill climbing.
fn climber(name: &str, settings: &dyn Any) -> Option<Arc<dyn Algorithm>> {
    let &settings = settings.downcast_ref::<HillClimbing>()?;
    let HillClimbing { pivoting_rule: rule, sideways, neighbors, .. } = settings;
    let mutant = match name {
        "any better neighbour in place of the best" if rule == PivotingRule::Steepest => {
            HillClimbing { pivoting_rule: PivotingRule::FirstImprovement, ..settings }
        }
        "the best in place of the first better" if rule != PivotingRule::Steepest => {
            HillClimbing { pivoting_rule: PivotingRule::Steepest, ..settings }
        }
        "a move sideways too many" if sideways > 0 => {
            HillClimbing { sideways: sideways + 1, ..settings }
        }
        "exchanges in place of reversals" if neighbors == Rearrangement::Reversal => {
            HillClimbing { neighbors: Rearrangement::Swap, ..settings }
        }
        "exchanges in place of insertions" if neighbors == Rearrangement::Insertion => {
            HillClimbing { neighbors: Rearrangement::Swap, ..settings }
        }
        "a restart in place of an end" => HillClimbing { restarts: true, ..settings },
        _ => return None,
    };
    Some(Arc::new(mutant))
}

/// Returns the mutant of this name of a search without guidance.
fn baseline(name: &str, settings: &dyn Any) -> Option<Arc<dyn Algorithm>> {
    if let Some(RandomSearch { population }) = settings.downcast_ref()
        && name == "one sample too few"
    {
        return Some(Arc::new(RandomSearch { population: population - 1 }));
    }
    let &Exhaustive { population } = settings.downcast_ref()?;
    (name == "samples in place of all genomes")
        .then(|| -> Arc<dyn Algorithm> { Arc::new(RandomSearch { population }) })
}

/// Returns the mutant of this name of the evolutionary algorithm.
fn breeder(name: &str, settings: &dyn Any) -> Option<Arc<dyn Algorithm>> {
    let mut set = settings.downcast_ref::<Evolutionary>()?.clone();
    match (name, set.replacement) {
        ("parents without a tournament", _) => set.selection = Selection::Uniform,
        ("no crossover", _) => set.crossover = None,
        ("one child of each pair", _) => {
            set.crossover.as_mut().into_iter().for_each(|crossover| crossover.children = 1);
        }
        ("crossed children do not mutate", _) => {
            let (clone, crossover, mutate) = (0.4, 0.6, 0.0);
            set.mix = set.mix.or(Some(Mix { clone, crossover, mutate }));
        }
        ("an elite that is too large", Replacement::Elitism { elite }) => {
            set.replacement = Replacement::Elitism { elite: elite + 1 };
        }
        ("the best child whatever the parent", Replacement::Plus { offspring, .. })
            if set.population == 1 =>
        {
            set.replacement = Replacement::Comma { offspring };
        }
        ("one child too many", Replacement::Plus { offspring, ties }) => {
            set.replacement = Replacement::Plus { offspring: offspring + 1, ties };
        }
        ("ties to children alone", Replacement::Plus { offspring, .. }) => {
            set.replacement = Replacement::Plus { offspring, ties: Ties::Children };
        }
        ("children in place of the worst", Replacement::Plus { offspring, .. }) => {
            set.replacement = Replacement::SteadyState { offspring };
        }
        _ => return None,
    }
    Some(Arc::new(set))
}

/// Returns the algorithm with a fault of this name in its trials.
fn faulty(name: &str, algorithm: &Arc<dyn Algorithm>) -> Option<Arc<dyn Algorithm>> {
    let fault = match name {
        "the first of equal neighbours" => Fault::FirstOfEquals,
        "no genome like the one before" => Fault::NoneLikeTheLast,
        "a number of few children that never comes" => Fault::NeverSeven,
        "first steps that are never short" => Fault::LongSteps,
        "two genomes exchanged" => Fault::TwoExchanged,
        "one genome twice, another never" => Fault::FirstTwice,
        _ => return None,
    };
    Some(Arc::new(Faulty { algorithm: Arc::clone(algorithm), fault }))
}
