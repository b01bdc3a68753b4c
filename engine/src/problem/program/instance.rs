//! An instance of a program's problem: the calls as frames.

use super::declaration::{Created, operator_as_json, values_as_json};
use super::frame::{Request, Status};
use super::pool::{Program, Recipe};
use crate::problem::boundary::{Declared, Described};
use crate::problem::operator::DeclaredOperator;
use crate::problem::{Description, Format, Gene, GeneKind, Genome, PluginError};
use crate::system::guard::Call;
use bytemuck::{cast_slice, cast_slice_mut};
use rand::RngExt;
use rand::seq::SliceRandom;
use runner_plugin::{RowRng, abi};
use std::sync::Arc;

#[cfg(target_endian = "big")]
compile_error!("programs are sent genes in the order of bytes of this machine, little endian");

/// Bytes of genes that are sent at once, unless one genome has more.
const BATCH: usize = 1 << 26;
/// Bytes that a rendering may have.
const RENDERING: usize = 1 << 30;

/// A made instance: the same in every process of the program.
pub(crate) struct Instance {
    program: Arc<Program>,
    recipe: Recipe,
    described: Described,
    has: Vec<String>,
}

impl Drop for Instance {
    fn drop(&mut self) {
        self.program.forget(self.recipe.number);
    }
}

// Not inlined: beside the calls of a library, which are short, their frames would cost those too.
impl Instance {
    /// Makes and describes an instance of checked values.
    pub(crate) fn create(
        plugin: &Declared,
        program: &Arc<Program>,
        values: &[crate::problem::parameter::Value],
    ) -> Result<(Instance, Described), PluginError> {
        let name = || plugin.name.clone();
        let number = program.next_instance();
        let parameters = values_as_json(&plugin.parameters, values).into_bytes();
        let created = program.create(Request::Create, number, &parameters);
        let description =
            created.map_err(|message| PluginError::Create { plugin: name(), message })?;
        let wrong = |message| PluginError::Description { plugin: name(), message };
        let created: Created =
            serde_json::from_slice(&description).map_err(|error| wrong(error.to_string()))?;
        let described = created.described().map_err(wrong)?;
        let instance = Instance {
            program: Arc::clone(program),
            recipe: Recipe { request: Request::Create, number, parameters, description },
            described: described.clone(),
            has: created.has,
        };
        Ok((instance, described))
    }

    /// Makes an operator of checked values for a problem; fails in the program's words.
    pub(crate) fn operator(
        program: &Arc<Program>,
        declared: &DeclaredOperator,
        values: &[crate::problem::parameter::Value],
        problem: &Description,
    ) -> Result<Instance, String> {
        let (request, number) = (Request::CreateOperator, program.next_instance());
        let parameters = operator_as_json(declared, values, problem).into_bytes();
        let description = program.create(request, number, &parameters)?;
        let recipe = Recipe { request, number, parameters, description };
        let described = Described {
            // Nothing is drawn by it.
            encoding: abi::RUNNER_ENCODING_OPAQUE,
            gene: problem.gene,
            genome_length: problem.genome_length,
            low: Vec::new(),
            high: Vec::new(),
            ideal: f64::NAN,
            worst: f64::NAN,
            space_size: 0,
            tolerance: f64::NAN,
            state_size: 0,
        };
        Ok(Instance { program: Arc::clone(program), recipe, described, has: Vec::new() })
    }

    /// Chooses the rows of parents.
    #[inline(never)]
    pub(crate) fn select(
        &self,
        seed: &[u8; 32],
        fitness: &[f64],
        violations: Option<&[f64]>,
        parents: &mut [u32],
    ) -> Result<(), String> {
        let (count, given) = ((parents.len() as u32).to_le_bytes(), [violations.is_some().into()]);
        let (fitness_bytes, violations) = (cast_slice(fitness), violations.unwrap_or_default());
        let head = self.head(fitness.len());
        let pieces = [&head[..], seed, &count, &given, fitness_bytes, cast_slice(violations)];
        self.ask(Request::Select, &pieces, cast_slice_mut(parents))
    }

    pub(crate) fn has(&self, call: Call) -> bool {
        self.has.iter().any(|has| has == call.name())
    }

    /// Asks for an answer of exactly `out.len()` bytes.
    fn ask(&self, request: Request, pieces: &[&[u8]], out: &mut [u8]) -> Result<(), String> {
        self.program.ask(&self.recipe, (request, pieces, out.len()), |status, bytes| {
            if status != Status::Done || bytes.len() != out.len() {
                return Err(format!(
                    "the program answered with {} bytes in place of {}",
                    bytes.len(),
                    out.len()
                ));
            }
            out.copy_from_slice(bytes);
            Ok(())
        })
    }

    /// Genomes per frame.
    fn rows_at_once<G: Gene>(&self) -> usize {
        (BATCH / (self.described.genome_length * size_of::<G>())).max(1)
    }

    /// Instance and rows, as every frame of a batch begins.
    fn head(&self, rows: usize) -> [u8; 8] {
        let mut head = [0; 8];
        head[..4].copy_from_slice(&self.recipe.number.to_le_bytes());
        head[4..].copy_from_slice(&(rows as u32).to_le_bytes());
        head
    }

    /// The genes of each part of a batch, as many rows as go into a frame; and its first row.
    fn parts<'genes, G: Gene>(
        &self,
        genes: &'genes mut [G],
    ) -> impl Iterator<Item = (u64, usize, &'genes mut [G])> + use<'genes, G> {
        let (length, rows) = (self.described.genome_length, self.rows_at_once::<G>());
        genes
            .chunks_mut(rows * length)
            .enumerate()
            .map(move |(part, genes)| ((part * rows) as u64, genes.len() / length, genes))
    }

    #[inline(never)]
    pub(crate) fn sample<G: Gene>(
        &self,
        seed: &[u8; 32],
        first_row: u64,
        genes: &mut [G],
    ) -> Result<(), String> {
        if !self.has(Call::Sample) {
            return self.draw(seed, first_row, genes);
        }
        for (row, rows, genes) in self.parts(genes) {
            let first = (first_row + row).to_le_bytes();
            let pieces = [&self.head(rows)[..], seed, &first];
            self.ask(Request::Sample, &pieces, cast_slice_mut(genes))?;
        }
        Ok(())
    }

    #[inline(never)]
    pub(crate) fn mutate<G: Gene>(
        &self,
        seed: &[u8; 32],
        first_row: u64,
        genes: &mut [G],
    ) -> Result<(), String> {
        for (row, rows, genes) in self.parts(genes) {
            let first = (first_row + row).to_le_bytes();
            let before = genes.to_vec();
            let pieces = [&self.head(rows)[..], seed, &first, cast_slice(&before)];
            self.ask(Request::Mutate, &pieces, cast_slice_mut(genes))?;
        }
        Ok(())
    }

    #[inline(never)]
    pub(crate) fn crossover<G: Gene>(
        &self,
        seed: &[u8; 32],
        first_row: u64,
        first: &[G],
        second: &[G],
        children: &mut [G],
    ) -> Result<(), String> {
        let chunk = self.rows_at_once::<G>() * self.described.genome_length;
        let parents = first.chunks(chunk).zip(second.chunks(chunk));
        for ((row, rows, children), (first, second)) in self.parts(children).zip(parents) {
            let number = (first_row + row).to_le_bytes();
            let pieces =
                [&self.head(rows)[..], seed, &number, cast_slice(first), cast_slice(second)];
            self.ask(Request::Crossover, &pieces, cast_slice_mut(children))?;
        }
        Ok(())
    }

    /// One answer per row.
    fn per_row<G: Gene, A: bytemuck::Pod>(
        &self,
        request: Request,
        genes: &[G],
        answers: &mut [A],
    ) -> Result<(), String> {
        let rows = self.rows_at_once::<G>();
        let parts = genes.chunks(rows * self.described.genome_length).zip(answers.chunks_mut(rows));
        for (genes, answers) in parts {
            let pieces = [&self.head(answers.len())[..], cast_slice(genes)];
            self.ask(request, &pieces, cast_slice_mut(answers))?;
        }
        Ok(())
    }

    #[inline(never)]
    pub(crate) fn evaluate<G: Gene>(&self, genes: &[G], fitness: &mut [f64]) -> Result<(), String> {
        self.per_row(Request::Evaluate, genes, fitness)
    }

    #[inline(never)]
    pub(crate) fn evaluate_constrained<G: Gene>(
        &self,
        genes: &[G],
        fitness: &mut [f64],
        violations: &mut [f64],
    ) -> Result<(), String> {
        let rows = self.rows_at_once::<G>();
        let parts = genes
            .chunks(rows * self.described.genome_length)
            .zip(fitness.chunks_mut(rows).zip(violations.chunks_mut(rows)));
        let mut answers = Vec::new();
        for (genes, (fitness, violations)) in parts {
            // All fitness, then all violations.
            answers.resize(2 * fitness.len(), 0.0);
            let pieces = [&self.head(fitness.len())[..], cast_slice(genes)];
            self.ask(Request::EvaluateConstrained, &pieces, cast_slice_mut(&mut answers))?;
            let (first, second) = answers.split_at(fitness.len());
            fitness.copy_from_slice(first);
            violations.copy_from_slice(second);
        }
        Ok(())
    }

    #[inline(never)]
    pub(crate) fn is_valid<G: Gene>(&self, genes: &[G], valid: &mut [u8]) -> Result<(), String> {
        self.per_row(Request::IsValid, genes, valid)
    }

    #[inline(never)]
    pub(crate) fn number<G: Gene>(&self, genes: &[G], numbers: &mut [u64]) -> Result<(), String> {
        self.per_row(Request::Number, genes, numbers)
    }

    #[inline(never)]
    pub(crate) fn enumerate<G: Gene>(&self, first: u64, genes: &mut [G]) -> Result<(), String> {
        for (row, rows, genes) in self.parts(genes) {
            let pieces = [&self.head(rows)[..], &(first + row).to_le_bytes()];
            self.ask(Request::Enumerate, &pieces, cast_slice_mut(genes))?;
        }
        Ok(())
    }

    /// None where the program has no such format.
    #[inline(never)]
    pub(crate) fn render(&self, genome: &Genome, format: Format) -> Result<Option<String>, String> {
        if !self.has(Call::Render) {
            return Ok(None);
        }
        let (kind, length, bytes): (_, _, &[u8]) = match genome {
            Genome::U8(genes) => (GeneKind::U8, genes.len(), genes),
            Genome::U16(genes) => (GeneKind::U16, genes.len(), cast_slice(genes)),
            Genome::U32(genes) => (GeneKind::U32, genes.len(), cast_slice(genes)),
            Genome::F64(genes) => (GeneKind::F64, genes.len(), cast_slice(genes)),
        };
        let Described { gene, genome_length, .. } = self.described;
        // A genome that comes back from a file can be anything.
        if (kind, length) != (gene, genome_length) {
            return Err(format!(
                "the genome has {length} genes of {}, but the problem {genome_length} of {}",
                kind.as_str(),
                gene.as_str()
            ));
        }
        let code = [match format {
            Format::Line => abi::RUNNER_RENDER_LINE as u8,
            Format::Board => abi::RUNNER_RENDER_BOARD as u8,
            Format::Svg => abi::RUNNER_RENDER_SVG as u8,
        }];
        let pieces = [&self.head(1)[..], &code, bytes];
        let asked = (Request::Render, &pieces[..], RENDERING);
        self.program.ask(&self.recipe, asked, |status, bytes| match status {
            Status::Nothing => Ok(None),
            _ => match std::str::from_utf8(bytes) {
                Ok(text) => Ok(Some(text.to_owned())),
                Err(_) => Err("the rendering is not UTF-8".to_owned()),
            },
        })
    }

    /// Genomes at random by the encoding, for a problem that does not draw them itself.
    fn draw<G: Gene>(&self, seed: &[u8; 32], first: u64, genes: &mut [G]) -> Result<(), String> {
        let Described { encoding, genome_length, low, high, .. } = &self.described;
        let bounds = |locus: usize| {
            let locus = if low.len() == 1 { 0 } else { locus };
            (low[locus], high[locus])
        };
        for (row, genome) in genes.chunks_mut(*genome_length).enumerate() {
            let mut rng = RowRng::new(seed, first + row as u64);
            match *encoding {
                abi::RUNNER_ENCODING_PERMUTATION => {
                    let places = genome.iter_mut().enumerate();
                    places.for_each(|(place, gene)| *gene = G::from_index(place));
                    genome.shuffle(&mut rng);
                }
                abi::RUNNER_ENCODING_BITS => genome
                    .iter_mut()
                    .for_each(|gene| *gene = G::from_index(rng.random_range(0..=1usize))),
                abi::RUNNER_ENCODING_INTEGER => {
                    for (locus, gene) in genome.iter_mut().enumerate() {
                        let (low, high) = bounds(locus);
                        let whole = rng.random_range(low as u64..=high as u64);
                        *gene = G::from_index(whole as usize);
                    }
                }
                abi::RUNNER_ENCODING_REAL => {
                    for (locus, gene) in genome.iter_mut().enumerate() {
                        let (low, high) = bounds(locus);
                        *gene = G::from_f64(rng.random_range(low..=high));
                    }
                }
                _ => return Err("the program has none, and its encoding is opaque".to_owned()),
            }
        }
        Ok(())
    }
}
