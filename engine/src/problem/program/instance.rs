//! An instance of a program's problem or operator: encodes the calls as frames.

use super::declaration::{Created, operator_as_json, values_as_json};
use super::frame::{Request, Status};
use super::pool::{Program, Recipe};
use crate::problem::boundary::Declared;
use crate::problem::declared_operator::DeclaredOperator;
use crate::problem::host::{self, Described, Rows, RowsMut, Variation};
use crate::problem::{Description, Format, Gene, GeneKind, PluginError};
use crate::system::guard::Call;
use bytemuck::{cast_slice, cast_slice_mut};
use rand::RngExt;
use rand::seq::SliceRandom;
use runner_plugin::{RowRng, abi};
use std::sync::Arc;

#[cfg(target_endian = "big")]
compile_error!("programs are sent genes in the order of bytes of this machine, little endian");

/// Maximum number of gene bytes per frame, unless a single genome has more.
const BATCH: usize = 1 << 26;
/// Maximum length of a rendering in bytes.
const RENDERING: usize = 1 << 30;

/// Instance, identical in every process of the program.
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

impl Instance {
    /// Creates an instance from checked values and returns it with its description.
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

    /// Creates an operator from checked values for a problem. The error is the program's message.
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
            // An operator samples no genomes.
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

    /// Sends a request and reads an answer of exactly `out.len()` bytes.
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

    /// Returns the number of genomes per frame.
    fn rows_at_once(&self) -> usize {
        (BATCH / self.row()).max(1)
    }

    /// Returns the size of a genome in bytes.
    fn row(&self) -> usize {
        self.described.genome_length * self.described.gene.size()
    }

    /// Returns the header of each frame of a batch: the number of the instance and the number of
    /// rows.
    fn head(&self, rows: usize) -> [u8; 8] {
        let mut head = [0; 8];
        head[..4].copy_from_slice(&self.recipe.number.to_le_bytes());
        head[4..].copy_from_slice(&(rows as u32).to_le_bytes());
        head
    }

    /// Splits a batch into parts that fit in a frame. Yields the first row, the number of rows and
    /// the genes of each part.
    fn parts<'genes>(
        &self,
        rows: RowsMut<'genes>,
    ) -> impl Iterator<Item = (u64, usize, &'genes mut [u8])> + use<'genes> {
        let (row, at_once) = (self.row(), self.rows_at_once());
        let parts = rows.bytes.chunks_mut(at_once * row).enumerate();
        parts.map(move |(part, genes)| ((part * at_once) as u64, genes.len() / row, genes))
    }

    /// Sends a request for a batch and writes one answer per row.
    fn per_row<A: bytemuck::Pod>(
        &self,
        request: Request,
        rows: Rows<'_>,
        answers: &mut [A],
    ) -> Result<(), String> {
        let at_once = self.rows_at_once();
        let parts = rows.bytes.chunks(at_once * self.row()).zip(answers.chunks_mut(at_once));
        for (genes, answers) in parts {
            let pieces = [&self.head(answers.len())[..], genes];
            self.ask(request, &pieces, cast_slice_mut(answers))?;
        }
        Ok(())
    }

    /// Samples random genomes according to the encoding, for a problem without its own sampling.
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

impl Variation for Instance {
    fn mutate(&self, seed: &[u8; 32], first_row: u64, rows: RowsMut<'_>) -> Result<(), String> {
        for (row, count, genes) in self.parts(rows) {
            let first = (first_row + row).to_le_bytes();
            let before = genes.to_vec();
            let pieces = [&self.head(count)[..], seed, &first, &before];
            self.ask(Request::Mutate, &pieces, genes)?;
        }
        Ok(())
    }

    fn crossover(
        &self,
        seed: &[u8; 32],
        first_row: u64,
        [first, second]: [Rows<'_>; 2],
        children: RowsMut<'_>,
    ) -> Result<(), String> {
        let chunk = self.rows_at_once() * self.row();
        let parents = first.bytes.chunks(chunk).zip(second.bytes.chunks(chunk));
        for ((row, count, children), (first, second)) in self.parts(children).zip(parents) {
            let number = (first_row + row).to_le_bytes();
            let pieces = [&self.head(count)[..], seed, &number, first, second];
            self.ask(Request::Crossover, &pieces, children)?;
        }
        Ok(())
    }
}

impl host::OperatorInstance for Instance {
    fn select(
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
}

impl host::Instance for Instance {
    fn has(&self, call: Call) -> bool {
        self.has.iter().any(|has| has == call.name())
    }

    fn sample(&self, seed: &[u8; 32], first_row: u64, rows: RowsMut<'_>) -> Result<(), String> {
        if !self.has(Call::Sample) {
            return match rows.kind {
                GeneKind::U8 => self.draw(seed, first_row, rows.bytes),
                GeneKind::U16 => self.draw::<u16>(seed, first_row, cast_slice_mut(rows.bytes)),
                GeneKind::U32 => self.draw::<u32>(seed, first_row, cast_slice_mut(rows.bytes)),
                GeneKind::F64 => self.draw::<f64>(seed, first_row, cast_slice_mut(rows.bytes)),
            };
        }
        for (row, count, genes) in self.parts(rows) {
            let first = (first_row + row).to_le_bytes();
            let pieces = [&self.head(count)[..], seed, &first];
            self.ask(Request::Sample, &pieces, genes)?;
        }
        Ok(())
    }

    fn evaluate(&self, rows: Rows<'_>, fitness: &mut [f64]) -> Result<(), String> {
        self.per_row(Request::Evaluate, rows, fitness)
    }

    fn evaluate_constrained(
        &self,
        rows: Rows<'_>,
        fitness: &mut [f64],
        violations: &mut [f64],
    ) -> Result<(), String> {
        let at_once = self.rows_at_once();
        let parts = rows
            .bytes
            .chunks(at_once * self.row())
            .zip(fitness.chunks_mut(at_once).zip(violations.chunks_mut(at_once)));
        let mut answers = Vec::new();
        for (genes, (fitness, violations)) in parts {
            // The answer holds all fitness, then all violations.
            answers.resize(2 * fitness.len(), 0.0);
            let pieces = [&self.head(fitness.len())[..], genes];
            self.ask(Request::EvaluateConstrained, &pieces, cast_slice_mut(&mut answers))?;
            let (first, second) = answers.split_at(fitness.len());
            fitness.copy_from_slice(first);
            violations.copy_from_slice(second);
        }
        Ok(())
    }

    fn is_valid(&self, rows: Rows<'_>, valid: &mut [u8]) -> Result<(), String> {
        self.per_row(Request::IsValid, rows, valid)
    }

    fn render(&self, row: Rows<'_>, format: Format) -> Result<Option<String>, String> {
        if !self.has(Call::Render) {
            return Ok(None);
        }
        let code = [match format {
            Format::Line => abi::RUNNER_RENDER_LINE as u8,
            Format::Board => abi::RUNNER_RENDER_BOARD as u8,
            Format::Svg => abi::RUNNER_RENDER_SVG as u8,
        }];
        let pieces = [&self.head(1)[..], &code, row.bytes];
        let asked = (Request::Render, &pieces[..], RENDERING);
        self.program.ask(&self.recipe, asked, |status, bytes| match status {
            Status::Nothing => Ok(None),
            _ => match std::str::from_utf8(bytes) {
                Ok(text) => Ok(Some(text.to_owned())),
                Err(_) => Err("the rendering is not UTF-8".to_owned()),
            },
        })
    }

    fn enumerate(&self, first_number: u64, rows: RowsMut<'_>) -> Result<(), String> {
        for (row, count, genes) in self.parts(rows) {
            let pieces = [&self.head(count)[..], &(first_number + row).to_le_bytes()];
            self.ask(Request::Enumerate, &pieces, genes)?;
        }
        Ok(())
    }

    fn number(&self, rows: Rows<'_>, numbers: &mut [u64]) -> Result<(), String> {
        self.per_row(Request::Number, rows, numbers)
    }
}
