//! Builders: from a setting to the operator that the search uses, and every rule that needs more than one value to check.
//!
//! Each takes a setting as the user wrote it (values of the registry's types, within their ranges; what is not set is
//! missing) and returns the operator together with the setting complete: defaults and derived values written out, so that
//! it can be shown, fingerprinted, and read back as a config.

use super::registry::{Slot, entries, listed};
use super::settle::{Complaint, Context, Settled, number, whole};
use super::{Crossover, CrossoverKind, Cut, Genes, Mutation, MutationKind, Replacement, Scaling, Selection, Setting};
use crate::parameter::Value;
use crate::problem::{Bounds, Description, Encoding};

const DEFAULTED: &str = "the registry has a default";

/// Builds a scaling.
///
/// # Errors
/// `complement` without a known worst fitness or with one that leaves no weights; a scaling for fitness of at least 0 on a
/// problem whose ideal is below.
pub fn build_scaling(setting: &Setting, context: &Context<'_>) -> Result<(Scaling, Setting), Complaint> {
    let mut settled = Settled::new(Slot::Scaling, setting);
    let scaling = match settled.entry.name {
        "none" => Scaling::None,
        "complement" => Scaling::Complement { worst: worst(&mut settled, context.problem)? },
        "reciprocal" => {
            not_below_nought(&settled, context.problem)?;
            Scaling::Reciprocal
        }
        "share-complement" => {
            not_below_nought(&settled, context.problem)?;
            Scaling::ShareComplement
        }
        "rank" => Scaling::Rank { pressure: settled.real("pressure", None).expect(DEFAULTED) },
        other => unreachable!("scaling `{other}` is in the registry but has no builder"),
    };
    Ok((scaling, settled.finish()))
}

fn worst(settled: &mut Settled<'_>, problem: &Description) -> Result<f64, Complaint> {
    let worst = settled.real("worst", problem.worst).ok_or_else(|| {
        Complaint::on_kind(
            "`complement` subtracts from the worst fitness, and the problem states none",
            "set it, as in { kind = \"complement\", worst = 100.0 }, or use `rank`, which needs none",
        )
    })?;
    let ideal = problem.ideal.unwrap_or(f64::NEG_INFINITY);
    if !worst.is_finite() || worst <= ideal {
        let rule = match problem.ideal {
            Some(ideal) => format!("finite and above the problem's ideal, {ideal}"),
            None => "finite".to_string(),
        };
        return Err(Complaint::of(
            "worst",
            format!("`worst` is {worst}, but must be {rule}: else nothing has a weight"),
            "set the greatest fitness that is still to have a chance",
        ));
    }
    Ok(worst)
}

/// For operators that make sense only where fitness is at least 0.
fn not_below_nought(settled: &Settled<'_>, problem: &Description) -> Result<(), Complaint> {
    match problem.ideal {
        Some(ideal) if ideal < 0.0 => Err(Complaint::on_kind(
            format!("`{}` needs fitness of at least 0, and the problem's ideal is {ideal}", settled.entry.name),
            match settled.entry.slot {
                Slot::Scaling => "use `rank` or `complement`",
                _ => "use `tournament`",
            },
        )),
        _ => Ok(()),
    }
}

/// Builds a selection.
///
/// # Errors
/// A tournament larger than the population; a truncation that leaves no parent; a noisy ranking of fitness below 0.
pub fn build_selection(setting: &Setting, context: &Context<'_>) -> Result<(Selection, Setting), Complaint> {
    let population = context.population;
    let mut settled = Settled::new(Slot::Selection, setting);
    let selection = match settled.entry.name {
        "roulette" => Selection::Roulette,
        "sus" => Selection::Sus,
        "uniform" => Selection::Uniform,
        "tournament" => {
            let size = settled.count("size", None).expect(DEFAULTED);
            if size > population {
                return Err(Complaint::of(
                    "size",
                    format!("a tournament of {size} is larger than the population of {population}"),
                    format!("lower `size` to {population} or less, or raise `population`"),
                ));
            }
            Selection::Tournament { size }
        }
        "truncation" => {
            let share = settled.real("share", None).expect(DEFAULTED);
            let count = part(share, population);
            if count == 0 {
                return Err(Complaint::of(
                    "share",
                    format!("a share of {share} of a population of {population} is no parent at all"),
                    format!("raise `share` to {} or more, or raise `population`", 1.0 / population as f64),
                ));
            }
            Selection::Truncation { count }
        }
        "noisy-rank" => {
            not_below_nought(&settled, context.problem)?;
            Selection::NoisyRank
        }
        other => unreachable!("selection `{other}` is in the registry but has no builder"),
    };
    Ok((selection, settled.finish()))
}

/// Checks that a selection has the weights that it draws by.
///
/// # Errors
/// A selection by weight beside the scaling `none`. The selection is to blame.
pub fn check_pair(selection: Selection, scaling: Scaling) -> Result<(), Complaint> {
    if !selection.uses_weights() || scaling != Scaling::None {
        return Ok(());
    }
    let scalings: Vec<String> = entries(Slot::Scaling)
        .filter(|entry| entry.name != "none")
        .map(|entry| format!("\"{}\"", entry.name))
        .collect();
    let name = if selection == Selection::Sus { "sus" } else { "roulette" };
    Err(Complaint::on_kind(
        format!("`{name}` draws parents by weight, and without a scaling there are no weights"),
        format!("set `scaling` to {}, or select by `tournament`", listed(&scalings, "or")),
    ))
}

/// Builds a crossover.
///
/// # Errors
/// One that does not fit the problem's encoding, or has no place to cut.
pub fn build_crossover(setting: &Setting, context: &Context<'_>) -> Result<(Crossover, Setting), Complaint> {
    let problem = context.problem;
    let mut settled = Settled::new(Slot::Crossover, setting);
    check_fit(&settled, problem)?;
    let rate = rate(&mut settled, context);
    let children = settled.count("children", None).expect(DEFAULTED);
    let kind = match settled.entry.name {
        "one-point" => {
            let cut = match settled.word("cut").expect(DEFAULTED).as_ref() {
                "inner" => Cut::Inner,
                "any" => Cut::Any,
                other => unreachable!("`cut` is a word of its choice, guaranteed by the config, not {other}"),
            };
            if cut == Cut::Inner {
                has_inner_cut(&settled, problem)?;
            }
            CrossoverKind::OnePoint { cut }
        }
        "two-point" => {
            has_inner_cut(&settled, problem)?;
            CrossoverKind::TwoPoint
        }
        "uniform" => CrossoverKind::Uniform { swap: settled.real("swap", None).expect(DEFAULTED) },
        "order" => CrossoverKind::Order,
        "pmx" => CrossoverKind::Pmx,
        "cycle" => CrossoverKind::Cycle,
        "blend" => CrossoverKind::Blend { alpha: settled.real("alpha", None).expect(DEFAULTED) },
        "sbx" => CrossoverKind::Sbx { eta: settled.real("eta", None).expect(DEFAULTED) },
        "problem" => CrossoverKind::Problem,
        other => unreachable!("crossover `{other}` is in the registry but has no builder"),
    };
    Ok((Crossover { kind, rate, children }, settled.finish()))
}

fn has_inner_cut(settled: &Settled<'_>, problem: &Description) -> Result<(), Complaint> {
    if problem.genome_length >= 2 {
        return Ok(());
    }
    Err(Complaint::on_kind(
        format!("`{}` cuts between two genes, and a genome of this problem has only one", settled.entry.name),
        "use `uniform`, or leave `crossover` out",
    ))
}

/// Builds a mutation.
///
/// # Errors
/// One that does not fit the problem's encoding or its bounds.
pub fn build_mutation(setting: &Setting, context: &Context<'_>) -> Result<(Mutation, Setting), Complaint> {
    let problem = context.problem;
    let mut settled = Settled::new(Slot::Mutation, setting);
    check_fit(&settled, problem)?;
    let rate = rate(&mut settled, context);
    let one_a_genome = Some(1.0 / problem.genome_length as f64);
    let kind = match settled.entry.name {
        // Where no rate is set, none is noted either: "exactly one" has no rate that would say the same.
        "reset" => MutationKind::Reset {
            genes: settled.real("gene-rate", None).map_or(Genes::One, Genes::Each),
            different: settled.word("value").expect(DEFAULTED) == "different",
        },
        "swap" => MutationKind::Swap,
        "insert" => MutationKind::Insert,
        "inversion" => MutationKind::Inversion,
        "scramble" => MutationKind::Scramble,
        "bit-flip" => MutationKind::BitFlip { genes: each(&mut settled, one_a_genome) },
        "gaussian" => {
            let sigma = settled.real("sigma", None).expect(DEFAULTED);
            MutationKind::Gaussian { sigma, genes: each(&mut settled, None) }
        }
        "polynomial" => {
            let eta = settled.real("eta", None).expect(DEFAULTED);
            MutationKind::Polynomial { eta, genes: each(&mut settled, one_a_genome) }
        }
        "problem" => MutationKind::Problem,
        other => unreachable!("mutation `{other}` is in the registry but has no builder"),
    };
    Ok((Mutation { kind, rate }, settled.finish()))
}

fn each(settled: &mut Settled<'_>, derived: Option<f64>) -> Genes {
    Genes::Each(settled.real("gene-rate", derived).expect("derived from the genome length or from the registry"))
}

/// A mix says itself how often each operation is used: the rate is 1 then, and stays out of the setting, since a config
/// may not have both.
fn rate(settled: &mut Settled<'_>, context: &Context<'_>) -> f64 {
    if context.mixed { 1.0 } else { settled.real("rate", None).expect(DEFAULTED) }
}

/// Whether a crossover or mutation fits the problem's encoding, its own operators and its bounds.
fn check_fit(settled: &Settled<'_>, problem: &Description) -> Result<(), Complaint> {
    let entry = settled.entry;
    let name = entry.name;
    let fitting = || {
        let names: Vec<String> = entries(entry.slot)
            .filter(|other| other.fits(problem).is_ok() && bounds_fit(other.name, problem).is_ok())
            .map(|other| format!("`{}`", other.name))
            .collect();
        match names.as_slice() {
            [] => format!("leave `{}` out, or have the plugin bring its own", entry.slot),
            names => format!("use {}", listed(names, "or")),
        }
    };
    entry
        .fits(problem)
        .and_then(|()| bounds_fit(name, problem))
        .map_err(|reason| Complaint::on_kind(format!("{} `{name}` does not fit: {reason}", entry.slot), fitting()))
}

/// Whether the children of an operator stay within the problem's bounds.
fn bounds_fit(name: &str, problem: &Description) -> Result<(), String> {
    let ranges = || (0..problem.genome_length).map(|locus| problem.bounds.of(locus));
    let per_gene = matches!(problem.bounds, Bounds::PerGene { .. });
    if per_gene
        && matches!(name, "swap" | "insert" | "inversion" | "scramble")
        && let Some(locus) = (1..problem.genome_length).find(|locus| problem.bounds.of(*locus) != problem.bounds.of(0))
    {
        let ((low, high), (first_low, first_high)) = (problem.bounds.of(locus), problem.bounds.of(0));
        return Err(format!(
            "it moves genes to other places, and the bounds differ: {first_low} to {first_high} for gene 0, {low} to \
             {high} for gene {locus}"
        ));
    }
    if problem.encoding == Encoding::Real && name != "problem" && !ranges().all(|(low, high)| (high - low).is_finite())
    {
        return Err("the bounds of a gene lie so far apart that their difference is not a number".to_string());
    }
    Ok(())
}

/// Builds a replacement.
///
/// # Errors
/// An elitism that leaves no place for children, or none for parents though one is asked for, or that has both `share` and
/// `count`; fewer offspring than `comma` chooses from; more than `steady-state` has places for.
pub fn build_replacement(setting: &Setting, context: &Context<'_>) -> Result<(Replacement, Setting), Complaint> {
    let population = context.population;
    let mut settled = Settled::new(Slot::Replacement, setting);
    let mut offspring =
        |derived| settled.count("offspring", derived).expect("derived from the population or a default");
    let replacement = match setting.kind {
        "generational" => Replacement::Generational,
        "elitism" => {
            let elite = elite(&settled, population)?;
            // One of share and count, the exact one: a share would be read with the population of another arm.
            settled.note("count", Value::Integer(elite as i64));
            Replacement::Elitism { elite }
        }
        "plus" => Replacement::Plus { offspring: offspring(Some(population)) },
        "comma" => {
            let offspring = offspring(Some(7 * population));
            if offspring < population {
                return Err(Complaint::of(
                    "offspring",
                    format!("`comma` fills a population of {population} from {offspring} children, which are too few"),
                    format!("raise `offspring` to {population} or more; 7 x the population is usual"),
                ));
            }
            Replacement::Comma { offspring }
        }
        "steady-state" => {
            let offspring = offspring(None);
            if offspring > population {
                return Err(Complaint::of(
                    "offspring",
                    format!("{offspring} children have no place in a population of {population}"),
                    format!("lower `offspring` to {population} or less, or use `plus`"),
                ));
            }
            Replacement::SteadyState { offspring }
        }
        other => unreachable!("replacement `{other}` is in the registry but has no builder"),
    };
    Ok((replacement, settled.finish()))
}

/// Parents that live on.
fn elite(settled: &Settled<'_>, population: usize) -> Result<usize, Complaint> {
    let (key, words, elite) = match (settled.given("share"), settled.given("count")) {
        (None, None) => return Ok(1),
        (Some(share), Some(count)) => {
            return Err(Complaint::of(
                "count",
                format!("`share = {share}` and `count = {count}` both say how many parents live on"),
                "keep one of the two",
            ));
        }
        (None, Some(count)) => {
            let elite = whole("count", count);
            ("count", format!("{elite} parents of a population of {population} live on"), elite)
        }
        (Some(share), None) => {
            let share = number("share", share);
            let elite = part(share, population);
            if elite == 0 && share > 0.0 {
                return Err(Complaint::of(
                    "share",
                    format!("a share of {share} of a population of {population} is no parent at all"),
                    "set `count = 1` in its place to keep the best",
                ));
            }
            ("share", format!("a share of {share} of a population of {population} is {elite} parents"), elite)
        }
    };
    if elite >= population {
        return Err(Complaint::of(
            key,
            format!("{words}, which leaves no place for children"),
            format!("lower `{key}`, so that at most {} live on", population - 1),
        ));
    }
    Ok(elite)
}

/// A share of the population in whole individuals, halves rounded up.
fn part(share: f64, population: usize) -> usize {
    (share * population as f64).round() as usize
}

#[cfg(test)]
mod tests;
