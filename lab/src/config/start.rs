//! The table [start]: genomes for the first population, from a file or another experiment.

use super::data_file::{NoData, is_parquet};
use super::diagnostic::{Diagnostic, Faults};
use super::fields::{given_count, given_number, strict, text};
use super::file_access::FileAccess;
use super::genome_file::{GenomeRows, read_experiment, read_file};
use super::keys::{self, Key};
use super::node::Node;
use super::source::Origin;
use crate::plan::{ArmDraft, label};
use crate::problem::parameter::Value;
use crate::problem::{Encoding, GeneKind, Genome, MixedGene, Problem, fitness_fault};
use crate::search::start::{GivenGenomes, Start};
use crate::search::{Duplicates, Guidance};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

/// Column of an experiment's trials that has the fitness of their best genomes.
const OF_EXPERIMENT: &str = "best_fitness";

/// Source of the first genomes.
struct Source {
    /// Name in messages.
    shown: String,
    /// Entry of the config, as text.
    words: String,
    origin: Origin,
}

impl Source {
    /// Complains that there are no genomes in it.
    fn unreadable(&self, node: &Node, NoData { message, help, key }: NoData) -> Diagnostic {
        let message = format!("{}: {message}", self.shown);
        let at = key.and_then(|key| key.of(node));
        at.map_or(self.origin, |at| at.origin).error(message, "no genomes").help(help)
    }

    /// Complains that a name in it is another choice in the problem of `arm` than in that of the
    /// first arm.
    fn ambiguous(&self, arm: &str) -> Diagnostic {
        let message = format!("{}: its names are other choices for the arm `{arm}`", self.shown);
        let error = self.origin.error(message, "these genomes");
        let error = error.rule("all arms begin with the same genomes, of the same numbers");
        error.help("give choices by number, from 0, or put the arms into files of their own")
    }
}

/// Returns the genes of the genomes of an arm; none unless they are mixed.
fn genes_of(draft: &ArmDraft) -> &[MixedGene] {
    draft.problem.description().bounds.mixed()
}

/// Returns the words of each gene.
fn choices(genes: &[MixedGene]) -> impl Iterator<Item = &[String]> {
    genes.iter().map(MixedGene::words)
}

/// Gives every arm its first genomes, where the config has some. A path is relative to `base`, and
/// read if it is one of these `files`.
/// `before`: genomes that an earlier plan of the config read; nothing is read then, and the plugin
/// is not asked again.
pub(super) fn give(
    root: &Node,
    base: &Path,
    (before, files): (Option<GivenGenomes>, FileAccess),
    swept_keys: &[String],
    drafts: &mut [ArmDraft],
    out: &mut Faults,
) {
    let Some(node) = keys::START.of(root) else { return };
    let faults = out.len();
    if strict(node, &keys::START_TABLE, out).is_none() {
        return;
    }
    let share = given_number(node, &keys::START_SHARE, out);
    let most = given_count(node, &keys::START_ROWS, out);
    let Some(source) = source(node, base, out) else { return };
    if out.len() > faults {
        return;
    }
    let asked = before.is_none();
    let most = most.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
    let read =
        |genes: &[MixedGene]| read(node, base, files, genes).map(|found| found.truncated(most));
    let genes = drafts.first().map_or(&[][..], genes_of);
    let found = match before {
        Some(given) => Ok(GenomeRows::numbered(&given).truncated(most)),
        None => read(genes),
    };
    let found = match found {
        Ok(found) => found,
        Err(error) => return out.push(source.unreadable(node, error)),
    };
    if found.rows.is_empty() {
        let error = source
            .origin
            .error(format!("{}: there are no genomes in it", source.shown), "no genomes");
        out.push(error.help("give at least one, or remove the table [start]"));
        return;
    }
    if let Some(stated) = keys::START_FITNESS.of(node)
        && let Some(error) = useless(drafts, stated.origin)
    {
        out.push(error);
        return;
    }
    let mut seen = BTreeSet::new();
    for draft in drafts.iter() {
        // Arms of the same parameters share their problem.
        if !seen.insert(Arc::as_ptr(&draft.problem).addr()) {
            continue;
        }
        let arm = label(&draft.settings, swept_keys);
        let own = genes_of(draft);
        if asked && !choices(own).eq(choices(genes)) {
            // A name may be another choice in the problem of this arm.
            match read(own) {
                Ok(again) if again.rows == found.rows => {}
                Ok(_) => return out.push(source.ambiguous(&arm)),
                Err(error) => {
                    let rule = format!("the arm `{arm}` begins with these genomes");
                    return out.push(source.unreadable(node, error).rule(rule));
                }
            }
        }
        let fault = fault(&draft.problem, &found, asked);
        let fault = fault.or_else(|| stated_fault(&draft.problem, &found));
        if let Some((message, rule)) = fault {
            let message = format!("{}: {message}", source.shown);
            let error = source.origin.error(message, "these genomes");
            let error = error.rule(format!("{rule}; the arm `{arm}` begins with these genomes"));
            return out.push(error.help("correct the genome, or leave it out"));
        }
    }
    let genomes = GivenGenomes::new(source.words, found.rows).with_fitness(found.fitness);
    let genomes = Arc::new(genomes);
    put_in(&genomes, share, node.origin, drafts, out);
}

/// Complains of stated fitness that no arm can use, or that is not enough for a problem.
fn useless(drafts: &[ArmDraft], origin: Origin) -> Option<Diagnostic> {
    if let Some(draft) = drafts.iter().find(|draft| draft.problem.description().has_violations) {
        let name = draft.problem.library().name();
        let message = format!("the fitness of given genomes is not enough for `{name}`");
        let error = origin.error(message, "without the violation");
        let error = error.rule("this problem has constraints: a genome has a violation too");
        return Some(error.help("remove it; the given genomes are then evaluated"));
    }
    let evaluates = |draft: &ArmDraft| draft.settings.operators.duplicates == Duplicates::Allow;
    if !drafts.iter().all(evaluates) {
        return None;
    }
    let error = origin.error("no operator set uses known fitness", "not used");
    let error = error.rule("it is used by operator sets that evaluate no genome twice");
    Some(error.help("add duplicates = \"reuse\" to an operator set, or remove this key"))
}

/// Puts the genomes into the settings of the arms.
fn put_in(
    genomes: &Arc<GivenGenomes>,
    share: Option<f64>,
    origin: Origin,
    drafts: &mut [ArmDraft],
    out: &mut Faults,
) {
    for draft in drafts {
        let settings = &mut draft.settings;
        let algorithm = &settings.operators.algorithm;
        if !algorithm.takes_start() {
            let reason = match algorithm.guidance() {
                Guidance::Order => "exhaustive search goes through all genomes in order",
                _ => "its algorithm is a plugin's, which asks for its own genomes",
            };
            let name = &settings.operators.name;
            let message = format!("the operator set `{name}` has no first population: {reason}");
            let error = origin.error(message, "gives a first population");
            out.push(error.help("move this operator set to a file without [start]"));
            return;
        }
        let population = algorithm.population();
        let count = match share {
            Some(share) => ((share * population as f64).round() as usize).max(1),
            None => genomes.rows().len(),
        };
        let count = count.min(population);
        settings.start = Some(Start { genomes: Arc::clone(genomes), count });
    }
}

/// Returns the source of the genomes according to the table.
fn source(node: &Node, base: &Path, out: &mut Faults) -> Option<Source> {
    let given = [&keys::START_FILE, &keys::START_EXPERIMENT].map(|key| key.of(node));
    let (key, at) = match given {
        [Some(file), None] => (&keys::START_FILE, file),
        [None, Some(experiment)] => (&keys::START_EXPERIMENT, experiment),
        [Some(file), Some(experiment)] => {
            let error =
                experiment.error("[start] has both `file` and `experiment`", "a second source");
            return error.also(file.origin, "the first one").help("keep one of them").to(out);
        }
        [None, None] => {
            let error = node.error("[start] names no genomes", "in this table");
            let error = error.of_absence();
            return error.help(
                "add file = \"first.csv\", or experiment = \"results/NAME\" for the best genomes \
                of its trials",
            ).to(out);
        }
    };
    let path = base.join(text(at, key.name, out)?);
    let is_file = key.name == keys::START_FILE.name;
    unused(node, &keys::START_ARM, !is_file, "only an experiment has arms", out);
    let columns = is_file && is_parquet(&path);
    unused(node, &keys::START_COLUMN, columns, "only a Parquet file has columns", out);
    if let Some(column) = keys::START_FITNESS.of(node).filter(|_| !is_file)
        && column.as_text().is_some_and(|name| name != OF_EXPERIMENT)
    {
        let error = column.error("no such fitness", "not of an experiment");
        return error.help(format!("write fitness = \"{OF_EXPERIMENT}\"")).to(out);
    }
    let words = [
        &keys::START_FILE,
        &keys::START_COLUMN,
        &keys::START_EXPERIMENT,
        &keys::START_ARM,
        &keys::START_FITNESS,
    ];
    let mut told = Vec::new();
    for key in words {
        let Some(at) = key.of(node) else { continue };
        let value = Value::Text(text(at, key.name, out)?.to_owned().into());
        told.push(format!("{} = {value}", key.name));
    }
    let rows = keys::START_ROWS.of(node).and_then(Node::value);
    told.extend(rows.map(|rows| format!("{} = {rows}", keys::START_ROWS.name)));
    let (shown, words) = (path.display().to_string(), told.join(", "));
    Some(Source { shown, words, origin: at.origin })
}

/// Complains of a key that is useless next to the others.
fn unused(node: &Node, key: &'static Key, used: bool, rule: &str, out: &mut Faults) {
    if let Some(at) = key.of(node).filter(|_| !used) {
        let message = format!("`{}` has no use here", key.name);
        let error = at.error(message, "not used");
        out.push(error.rule(rule).help("remove it"));
    }
}

/// Reads the genomes of a problem. `genes`: those of its genomes, if they are mixed.
fn read(
    node: &Node,
    base: &Path,
    files: FileAccess,
    genes: &[MixedGene],
) -> Result<GenomeRows, NoData> {
    let word = |key: &Key| key.of(node).and_then(Node::as_text);
    let fitness = word(&keys::START_FITNESS);
    if let Some(folder) = word(&keys::START_EXPERIMENT) {
        let arm = word(&keys::START_ARM);
        return read_experiment(&base.join(folder), (arm, fitness.is_some()), files);
    }
    let path = base.join(word(&keys::START_FILE).unwrap_or_default());
    let column = word(&keys::START_COLUMN);
    let column = column.unwrap_or(keys::START_COLUMN.default_choice());
    read_file(&path, (column, fitness), files, genes)
}

/// Returns the fault and the rule of the first genome invalid for this problem. The plugin's
/// own rules count if it is `asked`.
fn fault(problem: &Problem, found: &GenomeRows, asked: bool) -> Option<(String, String)> {
    let broken = |(row, genes): (usize, &Vec<f64>)| {
        let (what, rule) = genome_fault(problem, genes)?;
        Some((format!("{}: {what}", found.place(row)), rule))
    };
    if let Some(fault) = found.rows.iter().enumerate().find_map(broken) {
        return Some(fault);
    }
    if !asked {
        return None;
    }
    let kind = problem.description().gene;
    let genomes: Option<Vec<Genome>> =
        found.rows.iter().map(|genes| Genome::F64(genes.clone()).of_kind(kind)).collect();
    let name = problem.library().name();
    match problem.keep_rules(&genomes.expect("each gene was found to be one of its kind")) {
        Ok(keep) => {
            let row = keep.iter().position(|keeps| !keeps)?;
            let what = format!("{}: it breaks the rules of the problem", found.place(row));
            Some((what, format!("the plugin `{name}` calls it invalid (is_valid)")))
        }
        Err(error) => Some((
            "it is unknown whether its genomes keep the rules of the problem".to_owned(),
            error,
        )),
    }
}

/// Returns the first stated fitness that cannot be the genome's, and the rule.
fn stated_fault(problem: &Problem, found: &GenomeRows) -> Option<(String, String)> {
    let mut stated: HashMap<Vec<u64>, (usize, f64)> = HashMap::new();
    found.fitness.iter().zip(&found.rows).enumerate().find_map(|(row, (fitness, genes))| {
        let what = || format!("{}: its fitness is {fitness}", found.place(row));
        if let Some(rule) = fitness_fault(problem.description(), *fitness) {
            return Some((what(), rule));
        }
        let genes = genes.iter().map(|gene| gene.to_bits()).collect();
        let (first, other) = *stated.entry(genes).or_insert((row, *fitness));
        let rule = || format!("{} is the same genome with fitness {other}", found.place(first));
        (other != *fitness).then(|| (what(), rule()))
    })
}

/// Returns the reason why numbers are no genome of this problem, and the rule; `None` if they are
/// one.
fn genome_fault(problem: &Problem, genes: &[f64]) -> Option<(String, String)> {
    let description = problem.description();
    let (length, name) = (description.genome_length, problem.library().name());
    if genes.len() != length {
        let what = format!("it has {} genes", genes.len());
        return Some((what, format!("a genome of this problem (`{name}`) has {length}")));
    }
    let largest = match description.gene {
        GeneKind::U8 => Some(f64::from(u8::MAX)),
        GeneKind::U16 => Some(f64::from(u16::MAX)),
        GeneKind::U32 => Some(f64::from(u32::MAX)),
        GeneKind::F64 => None,
    };
    let numbers = if largest.is_some() { "an integer" } else { "a number" };
    let kinds = description.bounds.mixed().iter().zip(genes).enumerate();
    for (locus, (kind, gene)) in kinds {
        if !kind.allows(*gene) {
            let rule = format!("gene {} of this problem (`{name}`) is {}", locus + 1, kind.rule());
            return Some((format!("gene {} is {gene}", locus + 1), rule));
        }
    }
    for (locus, gene) in genes.iter().enumerate() {
        let (low, high) = description.bounds.of(locus);
        let (low, high) = match largest {
            Some(largest) => (low.max(0.0), high.min(largest)),
            None => (low, high),
        };
        let whole = largest.is_none() || gene.fract() == 0.0;
        if !(gene.is_finite() && whole && *gene >= low && *gene <= high) {
            let rule = format!(
                "gene {} of this problem (`{name}`) is {numbers} from {low} to {high}",
                locus + 1
            );
            return Some((format!("gene {} is {gene}", locus + 1), rule));
        }
    }
    if description.encoding != Encoding::Permutation {
        return None;
    }
    let mut first = vec![None; length];
    genes.iter().enumerate().find_map(|(locus, gene)| {
        let other = first[*gene as usize].replace(locus + 1)?;
        let what = format!("gene {} is {gene}, as is gene {other}", locus + 1);
        let last = length - 1;
        let rule = format!("a genome of this problem (`{name}`) has each of 0 to {last} once");
        Some((what, rule))
    })
}
