//! An instance of a program's problem or operator: encodes the calls as frames.

use super::connection::Exchange;
use super::declaration::{Created, CreatedOperator, operator_as_json, values_as_json};
use super::frame::{Request, Status};
use super::pool::{Program, Recipe};
use super::search::Search;
use crate::problem::answer::MOST_BYTES;
use crate::problem::declared::Declared;
use crate::problem::declared_operator::DeclaredOperator;
use crate::problem::host::{self, Described, Rows, RowsMut, Variation};
use crate::problem::{Description, Format, Gene, GeneKind, PluginError};
use crate::system::guard::Call;
use bytemuck::{cast_slice, cast_slice_mut};
use rand::RngExt;
use rand::seq::SliceRandom;
use runner_plugin::{RowRng, abi};
use std::ops::Range;
use std::sync::Arc;

#[cfg(target_endian = "big")]
compile_error!("programs are sent genes in the order of bytes of this machine, little endian");

/// Maximum number of gene bytes per request, unless a single genome has more: the capacity of a
/// pipe. A longer batch is sent in parts, each while the process serves the part ahead of it.
const PART: usize = 1 << 20;

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
        let has = created.optional().map_err(wrong)?.to_vec();
        let instance = Instance {
            program: Arc::clone(program),
            recipe: Recipe { request: Request::Create, number, parameters, description },
            described: described.clone(),
            has,
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
        let has = CreatedOperator::read(&description)?;
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
            move_kinds: 0,
            noise: abi::RUNNER_EXACT,
            mixed: Vec::new(),
        };
        Ok(Instance { program: Arc::clone(program), recipe, described, has })
    }

    /// Sends a request for each part of a batch. `body` appends the genes and whatever else follows
    /// the head, for a range of rows. The answer has `each` bytes per row; `put` receives it.
    fn ask(
        &self,
        request: Request,
        (rows, each): (usize, usize),
        body: impl Fn(Range<usize>, &mut Vec<u8>),
        mut put: impl FnMut(Range<usize>, &[u8]),
    ) -> Result<(), String> {
        let at_once = if self.program.is_row_by_row() { 1 } else { (PART / self.row()).max(1) };
        let range = |part: usize| part * at_once..rows.min((part + 1) * at_once);
        let body = |part: usize, frame: &mut Vec<u8>| {
            frame.extend(self.head(range(part).len()));
            body(range(part), frame);
        };
        let (parts, longest) = (rows.div_ceil(at_once), rows.min(at_once) * each);
        let exchange = Exchange { request, parts, body: &body, longest };
        self.program.ask(&self.recipe, &exchange, |part, status, bytes| {
            check_length(status, bytes, range(part).len() * each)?;
            put(range(part), bytes);
            Ok(())
        })
    }

    /// Sends one request. `pieces` follow the head with this number of rows.
    fn ask_once(
        &self,
        (request, rows): (Request, usize),
        pieces: &[&[u8]],
        longest: usize,
        mut take: impl FnMut(Status, &[u8]) -> Result<(), String>,
    ) -> Result<(), String> {
        let body = |_, frame: &mut Vec<u8>| {
            frame.extend(self.head(rows));
            pieces.iter().for_each(|piece| frame.extend_from_slice(piece));
        };
        let exchange = Exchange { request, parts: 1, body: &body, longest };
        self.program.ask(&self.recipe, &exchange, |_, status, bytes| take(status, bytes))
    }

    /// Returns the size of a genome in bytes.
    fn row(&self) -> usize {
        self.described.genome_length * self.described.gene.size()
    }

    /// Returns the genes of these rows.
    fn genes<'genes>(&self, genes: &'genes [u8], rows: Range<usize>) -> &'genes [u8] {
        &genes[rows.start * self.row()..rows.end * self.row()]
    }

    /// Returns the start of a request's body: the number of the instance and the number of rows.
    fn head(&self, rows: usize) -> [u8; 8] {
        let mut head = [0; 8];
        head[..4].copy_from_slice(&self.recipe.number.to_le_bytes());
        head[4..].copy_from_slice(&(rows as u32).to_le_bytes());
        head
    }

    /// Sends requests for a batch and writes one answer per row.
    fn per_row<A: bytemuck::Pod>(
        &self,
        request: Request,
        genes: Rows<'_>,
        answers: &mut [A],
    ) -> Result<(), String> {
        let body =
            |rows, frame: &mut Vec<u8>| frame.extend_from_slice(self.genes(genes.bytes, rows));
        self.ask(request, (answers.len(), size_of::<A>()), body, |rows, bytes| {
            cast_slice_mut(&mut answers[rows]).copy_from_slice(bytes);
        })
    }

    /// Sends requests whose answers are the genes of a batch. `body` appends the body for a range
    /// of rows.
    fn make_genes(
        &self,
        request: Request,
        out: RowsMut<'_>,
        body: impl Fn(Range<usize>, &mut Vec<u8>),
    ) -> Result<(), String> {
        let row = self.row();
        self.ask(request, (out.bytes.len() / row, row), body, |rows, bytes| {
            out.bytes[rows.start * row..rows.end * row].copy_from_slice(bytes);
        })
    }

    /// Samples random genomes according to the encoding, for a problem without its own sampling.
    fn draw<G: Gene>(&self, seed: &[u8; 32], first: u64, genes: &mut [G]) -> Result<(), String> {
        let Described { encoding, genome_length, low, high, mixed, .. } = &self.described;
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
                abi::RUNNER_ENCODING_MIXED => {
                    for (kind, gene) in mixed.iter().zip(genome) {
                        let (low, high) = kind.bounds();
                        *gene = G::from_f64(if kind.is_whole() {
                            rng.random_range(low as i64..=high as i64) as f64
                        } else {
                            rng.random_range(low..=high)
                        });
                    }
                }
                _ => return Err("the program has none, and its encoding is opaque".to_owned()),
            }
        }
        Ok(())
    }
}

/// Checks that an answer is one, and has this length in bytes.
fn check_length(status: Status, bytes: &[u8], length: usize) -> Result<(), String> {
    if status == Status::Done && bytes.len() == length {
        return Ok(());
    }
    Err(format!("the program answered with {} bytes in place of {length}", bytes.len()))
}

/// Returns the seed and the number of the first row, as requests have them.
fn drawn(seed: &[u8; 32], first_row: u64, rows: &Range<usize>) -> [u8; 40] {
    let mut bytes = [0; 40];
    bytes[..32].copy_from_slice(seed);
    bytes[32..].copy_from_slice(&(first_row + rows.start as u64).to_le_bytes());
    bytes
}

impl Variation for Instance {
    fn mutate(&self, seed: &[u8; 32], first_row: u64, rows: RowsMut<'_>) -> Result<(), String> {
        let before = rows.bytes.to_vec();
        self.make_genes(Request::Mutate, rows, |rows, frame| {
            frame.extend(drawn(seed, first_row, &rows));
            frame.extend_from_slice(self.genes(&before, rows));
        })
    }

    fn crossover(
        &self,
        seed: &[u8; 32],
        first_row: u64,
        parents: [Rows<'_>; 2],
        children: RowsMut<'_>,
    ) -> Result<(), String> {
        self.make_genes(Request::Crossover, children, |rows, frame| {
            frame.extend(drawn(seed, first_row, &rows));
            for parent in parents {
                frame.extend_from_slice(self.genes(parent.bytes, rows.clone()));
            }
        })
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
        let violations = cast_slice(violations.unwrap_or_default());
        let pieces = [&seed[..], &count, &given, cast_slice(fitness), violations];
        let out: &mut [u8] = cast_slice_mut(parents);
        self.ask_once((Request::Select, fitness.len()), &pieces, out.len(), |status, bytes| {
            check_length(status, bytes, out.len())?;
            out.copy_from_slice(bytes);
            Ok(())
        })
    }

    fn begin(&self, seed: &[u8; 32]) -> Result<Box<dyn host::SearchInstance + '_>, String> {
        let has_state = self.has.iter().any(|has| has == Call::State.name());
        let genome = (self.row(), has_state);
        Ok(Box::new(Search::begin(&self.program, &self.recipe, genome, seed)?))
    }
}

impl host::Instance for Instance {
    fn has(&self, call: Call) -> bool {
        // Programs are not asked for conflicts.
        !matches!(call, Call::Conflicts | Call::Construct)
            && self.has.iter().any(|has| has == call.name())
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
        self.make_genes(Request::Sample, rows, |rows, frame| {
            frame.extend(drawn(seed, first_row, &rows));
        })
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
        let body =
            |part, frame: &mut Vec<u8>| frame.extend_from_slice(self.genes(rows.bytes, part));
        let each = 2 * size_of::<f64>();
        // The answer holds all fitness, then all violations.
        self.ask(Request::EvaluateConstrained, (fitness.len(), each), body, |part, bytes| {
            let (first, second) = bytes.split_at(bytes.len() / 2);
            cast_slice_mut(&mut fitness[part.clone()]).copy_from_slice(first);
            cast_slice_mut(&mut violations[part]).copy_from_slice(second);
        })
    }

    fn evaluate_noisy(
        &self,
        seed: &[u8; 32],
        first_row: u64,
        rows: Rows<'_>,
        fitness: &mut [f64],
    ) -> Result<(), String> {
        let body = |part: Range<usize>, frame: &mut Vec<u8>| {
            frame.extend(drawn(seed, first_row, &part));
            frame.extend_from_slice(self.genes(rows.bytes, part));
        };
        let each = size_of::<f64>();
        self.ask(Request::EvaluateNoisy, (fitness.len(), each), body, |part, bytes| {
            cast_slice_mut(&mut fitness[part]).copy_from_slice(bytes);
        })
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
        let (asked, pieces) = ((Request::Render, 1), [&code[..], row.bytes]);
        let mut rendering = None;
        self.ask_once(asked, &pieces, MOST_BYTES, |status, bytes| {
            if status == Status::Done {
                let text = std::str::from_utf8(bytes).map_err(|_| "the rendering is not UTF-8")?;
                rendering = Some(text.to_owned());
            }
            Ok(())
        })?;
        Ok(rendering)
    }

    fn enumerate(&self, first_number: u64, rows: RowsMut<'_>) -> Result<(), String> {
        self.make_genes(Request::Enumerate, rows, |rows, frame| {
            frame.extend((first_number + rows.start as u64).to_le_bytes());
        })
    }

    fn number(&self, rows: Rows<'_>, numbers: &mut [u64]) -> Result<(), String> {
        self.per_row(Request::Number, rows, numbers)
    }
}
