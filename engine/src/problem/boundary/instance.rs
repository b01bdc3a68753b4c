//! Instances of problems in libraries: calls to the plugin's functions.
//!
//! Before a call, its outputs hold values that every check rejects. A plugin that leaves a
//! row out is therefore detected, and the row does not keep the numbers of an earlier call.

use super::handle::{Handle, UNWRITTEN_GENES, call, call_optional, with_aligned, with_aligned_mut};
use super::mixed;
use super::table::{MoveCalls, ProblemCalls};
use super::written::written;
use crate::problem::answer::UNWRITTEN;
use crate::problem::declared::Declared;
use crate::problem::host::{Described, Instance as HostInstance, Rows, RowsMut, Variation};
use crate::problem::parameter::{Kind, Value};
use crate::problem::{Format, Gene, GeneKind, Genomes, PluginError};
use crate::system::guard::Call;
use runner_plugin::Moves;
use runner_plugin::abi::{self, runner_description, runner_moves, runner_text, runner_value};

/// Number of conflicts that no gene has, in place of one that is not written yet.
const UNWRITTEN_CONFLICTS: u32 = u32::MAX;

/// Instance of a problem in a library.
pub(crate) struct Instance {
    calls: ProblemCalls,
    handle: Handle,
    state_size: u64,
}

impl Instance {
    /// Creates an instance from checked values and returns it with its description.
    pub(crate) fn create(
        plugin: &Declared,
        calls: &ProblemCalls,
        values: &[Value],
    ) -> Result<(Instance, Described), PluginError> {
        let calls = *calls;
        let raw: Vec<runner_value> = plugin
            .parameters
            .iter()
            .zip(values)
            .map(|(parameter, value)| raw_value(&parameter.kind, value))
            .collect();
        let mut pointer = std::ptr::null_mut();
        // SAFETY: the header's `create` gets one value per parameter; the values outlive the call.
        call(calls.plugin, Call::Create, |error| unsafe {
            (calls.create)(raw.as_ptr(), raw.len() as u64, &raw mut pointer, error)
        })
        .map_err(|message| PluginError::Create { plugin: plugin.name.clone(), message })?;
        let (plugin_number, destroy) = (calls.plugin, calls.destroy);
        let (gene, genome_length) = (GeneKind::U8, 0);
        let handle = Handle { plugin: plugin_number, pointer, destroy, gene, genome_length };
        let mut instance = Instance { calls, handle, state_size: 0 };
        let described = instance
            .describe()
            .map_err(|message| PluginError::Description { plugin: plugin.name.clone(), message })?;
        instance.handle.gene = described.gene;
        instance.handle.genome_length = described.genome_length;
        instance.state_size = described.state_size;
        Ok((instance, described))
    }

    fn describe(&self) -> Result<Described, String> {
        let mut raw = runner_description {
            struct_size: size_of::<runner_description>() as u64,
            encoding: 0,
            gene: 0,
            genome_length: 0,
            low: std::ptr::null(),
            high: std::ptr::null(),
            bound_count: 0,
            ideal: f64::NAN,
            worst: f64::NAN,
            space_size: 0,
            // A plugin built against ABI 1.0 does not know this field and leaves it unchanged.
            tolerance: f64::NAN,
            state_size: 0,
            noise: abi::RUNNER_EXACT,
            genes: std::ptr::null(),
            gene_size: 0,
            move_kinds: 0,
        };
        // SAFETY: the header's `describe`, on a live instance.
        self.handle.call(Call::Describe, |error| unsafe {
            (self.calls.describe)(self.handle.pointer, &raw mut raw, error)
        })?;
        let gene = match raw.gene {
            abi::RUNNER_GENE_U8 => GeneKind::U8,
            abi::RUNNER_GENE_U16 => GeneKind::U16,
            abi::RUNNER_GENE_U32 => GeneKind::U32,
            abi::RUNNER_GENE_F64 => GeneKind::F64,
            other => return Err(format!("the kind of gene is {other}, which is unknown")),
        };
        let genome_length = match usize::try_from(raw.genome_length) {
            Ok(length) if length >= 1 && raw.genome_length <= u64::from(u32::MAX) => length,
            _ => {
                return Err(format!(
                    "the genome length is {}, outside 1 to {}",
                    raw.genome_length,
                    u32::MAX
                ));
            }
        };
        let bounds = raw.bound_count;
        if bounds != 0 && bounds != 1 && bounds != raw.genome_length {
            return Err(format!(
                "there are {bounds} pairs of bounds for {genome_length} genes; give none, one, or \
                one per gene"
            ));
        }
        if bounds != 0 && (raw.low.is_null() || raw.high.is_null()) {
            return Err(format!("there are {bounds} pairs of bounds, but a null pointer to them"));
        }
        let copy = |bound: *const f64| match bounds {
            0 => Vec::new(),
            // SAFETY: by the header's rule, `bound_count` numbers that live as long as the
            // instance; the pointer is not null.
            _ => unsafe { std::slice::from_raw_parts(bound, bounds as usize) }.to_vec(),
        };
        let mixed = match raw.encoding {
            // SAFETY: by the header's rule, `genome_length` genes that live as long as the
            // instance.
            abi::RUNNER_ENCODING_MIXED => unsafe { mixed::genes(&raw, genome_length) }?,
            _ => Vec::new(),
        };
        Ok(Described {
            encoding: raw.encoding,
            gene,
            genome_length,
            low: copy(raw.low),
            high: copy(raw.high),
            ideal: raw.ideal,
            worst: raw.worst,
            space_size: raw.space_size,
            tolerance: raw.tolerance,
            // Without these calls, the state is never read.
            state_size: if self.calls.moves.is_some() { raw.state_size } else { 0 },
            move_kinds: raw.move_kinds,
            noise: raw.noise,
            mixed,
        })
    }

    /// Returns the functions of moves. The asserts make calls to them sound.
    #[inline(always)]
    fn moves<G: Gene>(&self, genome: &[G], state: &Genomes) -> Result<MoveCalls, String> {
        let moves = self.calls.moves.ok_or("the plugin has none")?;
        assert!(
            self.handle.count(Rows::of(genome)) == 1
                && state.genes::<u8>().len() as u64 == self.state_size,
            "a caller's bug: one genome and its state"
        );
        Ok(moves)
    }

    /// Writes the state of a genome and returns the genome's fitness. `state` already has the right
    /// size.
    pub(crate) fn build_state<G: Gene>(
        &self,
        genome: &[G],
        state: &mut Genomes,
    ) -> Result<f64, String> {
        let MoveCalls { build_state, .. } = self.moves(genome, state)?;
        let (state, mut fitness) = (state.genes_mut::<u8>().as_mut_ptr().cast(), f64::NAN);
        with_aligned(0, Rows::of(genome), |genome| {
            let genome = genome.as_ptr().cast();
            // SAFETY: the instance is live. The genome is of its kind and readable, the state and
            // the number are writable; all are aligned.
            self.handle.call(Call::BuildState, |error| unsafe {
                build_state(self.handle.pointer, genome, state, &raw mut fitness, error)
            })
        })?;
        Ok(fitness)
    }

    /// Writes one fitness per move from this genome with this state.
    #[inline(always)]
    pub(crate) fn evaluate_moves<G: Gene>(
        &self,
        genome: &mut [G],
        state: &mut Genomes,
        moves: &Moves<'_, G>,
        fitness: &mut [f64],
    ) -> Result<(), String> {
        let MoveCalls { evaluate_moves, .. } = self.moves(genome, state)?;
        let (state, raw) = (state.genes_mut::<u8>().as_mut_ptr().cast(), raw_moves(moves));
        assert_eq!(raw.count, fitness.len() as u64, "a caller's bug: one fitness a move");
        fitness.fill(UNWRITTEN);
        with_aligned_mut(RowsMut::of(genome), |genome| {
            let genome = genome.as_mut_ptr().cast();
            let fitness = fitness.as_mut_ptr();
            // SAFETY: the instance is live. The genome is of its kind; genome and state are aligned
            // and exclusive. The moves are whole, and `fitness` has one number per move.
            self.handle.call(Call::EvaluateMoves, |error| unsafe {
                evaluate_moves(self.handle.pointer, genome, state, &raw const raw, fitness, error)
            })
        })
    }

    /// Applies the single move in `moves`.
    #[inline(always)]
    pub(crate) fn apply_move<G: Gene>(
        &self,
        genome: &mut [G],
        state: &mut Genomes,
        moves: &Moves<'_, G>,
    ) -> Result<(), String> {
        let MoveCalls { apply_move, .. } = self.moves(genome, state)?;
        let (state, raw) = (state.genes_mut::<u8>().as_mut_ptr().cast(), raw_moves(moves));
        assert_eq!(raw.count, 1, "a caller's bug: one move");
        with_aligned_mut(RowsMut::of(genome), |genome| {
            let genome = genome.as_mut_ptr().cast();
            // SAFETY: as in `evaluate_moves`.
            self.handle.call(Call::ApplyMove, |error| unsafe {
                apply_move(self.handle.pointer, genome, state, &raw const raw, error)
            })
        })
    }

    /// Writes the number of conflicts of the gene at each position. `state` is that of the genome,
    /// if the caller has it.
    pub(crate) fn conflicts<G: Gene>(
        &self,
        genome: &[G],
        state: Option<&Genomes>,
        positions: &[u32],
        numbers: &mut [u32],
    ) -> Result<(), String> {
        let conflicts = self.calls.conflicts.ok_or("the plugin has none")?;
        let state = match state {
            Some(state) => {
                self.moves(genome, state)?;
                state.genes::<u8>().as_ptr().cast()
            }
            None => std::ptr::null(),
        };
        assert!(
            self.handle.count(Rows::of(genome)) == 1
                && positions.len() == numbers.len()
                && positions.iter().all(|place| (*place as usize) < genome.len()),
            "a caller's bug: one genome, and a number for each of its positions"
        );
        let (count, positions) = (positions.len() as u64, positions.as_ptr());
        numbers.fill(UNWRITTEN_CONFLICTS);
        let written = numbers.as_mut_ptr();
        with_aligned(0, Rows::of(genome), |genome| {
            let genome = genome.as_ptr().cast();
            // SAFETY: the instance is live. The genome is of its kind; it and its state are
            // readable and aligned. There are `count` positions and numbers.
            self.handle.call(Call::Conflicts, |error| unsafe {
                conflicts(self.handle.pointer, genome, state, count, positions, written, error)
            })
        })?;
        match numbers.iter().position(|number| *number == UNWRITTEN_CONFLICTS) {
            Some(place) => Err(format!("the plugin did not write the number of position {place}")),
            None => Ok(()),
        }
    }

    /// Fills rows gene by gene, each with the fewest conflicts.
    pub(crate) fn construct(
        &self,
        seed: &[u8; 32],
        first_row: u64,
        rows: RowsMut<'_>,
    ) -> Result<(), String> {
        let construct = self.calls.construct.ok_or("the plugin has none")?;
        rows.bytes.fill(UNWRITTEN_GENES);
        self.handle.random(Call::Construct, construct, seed, first_row, rows)
    }
}

impl Variation for Instance {
    fn crossover(
        &self,
        seed: &[u8; 32],
        first_row: u64,
        parents: [Rows<'_>; 2],
        children: RowsMut<'_>,
    ) -> Result<(), String> {
        let crossover = self.calls.crossover.ok_or("the plugin has none")?;
        self.handle.crossover(crossover, seed, first_row, parents, children)
    }

    fn mutate(&self, seed: &[u8; 32], first_row: u64, rows: RowsMut<'_>) -> Result<(), String> {
        let mutate = self.calls.mutate.ok_or("the plugin has none")?;
        self.handle.random(Call::Mutate, mutate, seed, first_row, rows)
    }
}

impl HostInstance for Instance {
    fn has(&self, call: Call) -> bool {
        match call {
            Call::Crossover => self.calls.crossover.is_some(),
            Call::Mutate => self.calls.mutate.is_some(),
            Call::IsValid => self.calls.is_valid.is_some(),
            Call::Render => self.calls.render.is_some(),
            Call::Enumerate => self.calls.enumerate.is_some(),
            Call::Number => self.calls.number.is_some(),
            Call::EvaluateConstrained => self.calls.evaluate_constrained.is_some(),
            Call::Conflicts => self.calls.conflicts.is_some(),
            Call::Construct => self.calls.construct.is_some(),
            Call::EvaluateNoisy => self.calls.evaluate_noisy.is_some(),
            _ => true,
        }
    }

    fn sample(&self, seed: &[u8; 32], first_row: u64, rows: RowsMut<'_>) -> Result<(), String> {
        rows.bytes.fill(UNWRITTEN_GENES);
        self.handle.random(Call::Sample, self.calls.sample, seed, first_row, rows)
    }

    fn evaluate(&self, rows: Rows<'_>, fitness: &mut [f64]) -> Result<(), String> {
        let count = self.handle.count(rows);
        assert_eq!(count, fitness.len() as u64, "a caller's bug: one fitness a row");
        fitness.fill(UNWRITTEN);
        with_aligned(0, rows, |genes| {
            let (genes, fitness) = (genes.as_ptr().cast(), fitness.as_mut_ptr());
            // SAFETY: the instance is live; `genes` holds `count` genomes of its kind, aligned;
            // `fitness` holds `count` numbers.
            self.handle.call(Call::Evaluate, |error| unsafe {
                (self.calls.evaluate)(self.handle.pointer, count, genes, fitness, error)
            })
        })
    }

    fn evaluate_constrained(
        &self,
        rows: Rows<'_>,
        fitness: &mut [f64],
        violations: &mut [f64],
    ) -> Result<(), String> {
        let evaluate = self.calls.evaluate_constrained.ok_or("the plugin has none")?;
        let count = self.handle.count(rows);
        assert!(
            count == fitness.len() as u64 && count == violations.len() as u64,
            "a caller's bug: one fitness and one violation a row"
        );
        fitness.fill(UNWRITTEN);
        violations.fill(UNWRITTEN);
        with_aligned(0, rows, |genes| {
            // SAFETY: the instance is live; `genes` holds `count` genomes of its kind, aligned;
            // `fitness` and `violations` hold `count` numbers each.
            self.handle.call(Call::EvaluateConstrained, |error| unsafe {
                let (fitness, violations) = (fitness.as_mut_ptr(), violations.as_mut_ptr());
                let (instance, genes) = (self.handle.pointer, genes.as_ptr().cast());
                evaluate(instance, count, genes, fitness, violations, error)
            })
        })
    }

    fn evaluate_noisy(
        &self,
        seed: &[u8; 32],
        first_row: u64,
        rows: Rows<'_>,
        fitness: &mut [f64],
    ) -> Result<(), String> {
        let evaluate = self.calls.evaluate_noisy.ok_or("the plugin has none")?;
        let count = self.handle.count(rows);
        assert_eq!(count, fitness.len() as u64, "a caller's bug: one fitness a row");
        fitness.fill(UNWRITTEN);
        with_aligned(0, rows, |genes| {
            let (genes, fitness) = (genes.as_ptr().cast(), fitness.as_mut_ptr());
            // SAFETY: the instance is live; `genes` holds `count` genomes of its kind, aligned;
            // `fitness` holds `count` numbers, and the seed 32 bytes.
            self.handle.call(Call::EvaluateNoisy, |error| unsafe {
                let (instance, seed) = (self.handle.pointer, seed.as_ptr());
                evaluate(instance, seed, first_row, count, genes, fitness, error)
            })
        })
    }

    fn is_valid(&self, rows: Rows<'_>, valid: &mut [u8]) -> Result<(), String> {
        let is_valid = self.calls.is_valid.ok_or("the plugin has none")?;
        let count = self.handle.count(rows);
        assert_eq!(count, valid.len() as u64, "a caller's bug: one answer a row");
        valid.fill(u8::MAX);
        with_aligned(0, rows, |genes| {
            let (genes, valid) = (genes.as_ptr().cast(), valid.as_mut_ptr());
            // SAFETY: the instance is live; `genes` holds `count` genomes of its kind, aligned;
            // `valid` holds `count` bytes.
            self.handle.call(Call::IsValid, |error| unsafe {
                is_valid(self.handle.pointer, count, genes, valid, error)
            })
        })
    }

    fn render(&self, row: Rows<'_>, format: Format) -> Result<Option<String>, String> {
        let Some(render) = self.calls.render else {
            return Ok(None);
        };
        assert_eq!(self.handle.count(row), 1, "a caller's bug: one genome");
        let code = match format {
            Format::Line => abi::RUNNER_RENDER_LINE,
            Format::Board => abi::RUNNER_RENDER_BOARD,
            Format::Svg => abi::RUNNER_RENDER_SVG,
        };
        let text = written("rendering", |buffer| {
            with_aligned(0, row, |genes| {
                // SAFETY: the instance is live; `genes` holds one genome of its kind, aligned; the
                // buffer has the capacity that it states.
                call_optional(self.handle.plugin, Call::Render, |error| unsafe {
                    render(self.handle.pointer, genes.as_ptr().cast(), code, buffer, error)
                })
            })
        })?;
        let text = text.map(String::from_utf8).transpose();
        text.map_err(|_| "the rendering is not UTF-8".to_owned())
    }

    fn enumerate(&self, first_number: u64, rows: RowsMut<'_>) -> Result<(), String> {
        let enumerate = self.calls.enumerate.ok_or("the plugin has none")?;
        let count = self.handle.count(rows.as_rows());
        rows.bytes.fill(UNWRITTEN_GENES);
        with_aligned_mut(rows, |genes| {
            let genes = genes.as_mut_ptr().cast();
            // SAFETY: the instance is live; `genes` holds `count` genomes of its kind, aligned and
            // exclusive.
            self.handle.call(Call::Enumerate, |error| unsafe {
                enumerate(self.handle.pointer, first_number, count, genes, error)
            })
        })
    }

    fn number(&self, rows: Rows<'_>, numbers: &mut [u64]) -> Result<(), String> {
        let number = self.calls.number.ok_or("the plugin has none")?;
        let count = self.handle.count(rows);
        assert_eq!(count, numbers.len() as u64, "a caller's bug: one number a row");
        numbers.fill(u64::MAX - 1);
        with_aligned(0, rows, |genes| {
            let (genes, numbers) = (genes.as_ptr().cast(), numbers.as_mut_ptr());
            // SAFETY: the instance is live; `genes` holds `count` genomes of its kind, aligned;
            // `numbers` holds `count` numbers.
            self.handle.call(Call::Number, |error| unsafe {
                number(self.handle.pointer, count, genes, numbers, error)
            })
        })
    }
}

/// Returns the moves in the header's format; they borrow from `moves`.
#[inline(always)]
fn raw_moves<G: Gene>(moves: &Moves<'_, G>) -> runner_moves {
    let of = |kind, positions| {
        let (count, starts, values) = (moves.count() as u64, std::ptr::null(), std::ptr::null());
        runner_moves { kind, reserved: 0, count, starts, positions, values }
    };
    match *moves {
        Moves::Single { positions, values } => {
            assert_eq!(positions.len(), values.len(), "a caller's bug: a value a position");
            let values = values.as_ptr().cast();
            runner_moves { values, ..of(abi::RUNNER_CHANGES, positions.as_ptr()) }
        }
        Moves::Several { starts, positions, values } => {
            let changes = starts.last().map_or(0, |end| *end as usize);
            assert!(
                positions.len() == changes && values.len() == changes,
                "a caller's bug: positions and values up to the last end"
            );
            let (starts, values) = (starts.as_ptr(), values.as_ptr().cast());
            runner_moves { starts, values, ..of(abi::RUNNER_CHANGES, positions.as_ptr()) }
        }
        Moves::Exchange { pairs } => of(abi::RUNNER_EXCHANGES, pairs.as_ptr().cast()),
        Moves::Reversal { pairs } => of(abi::RUNNER_REVERSALS, pairs.as_ptr().cast()),
        Moves::Insertion { pairs } => of(abi::RUNNER_INSERTIONS, pairs.as_ptr().cast()),
    }
}

/// Returns a value in the header's format; it borrows from `value` and `kind`.
pub(super) fn raw_value(kind: &Kind, value: &Value) -> runner_value {
    let zero =
        runner_value { kind: 0, reserved: 0, integer: 0, real: 0.0, text: runner_text::EMPTY };
    match value {
        Value::Integer(value) => {
            runner_value { kind: abi::RUNNER_INTEGER, integer: *value, ..zero }
        }
        Value::Real(value) => runner_value { kind: abi::RUNNER_REAL, real: *value, ..zero },
        Value::Boolean(value) => {
            runner_value { kind: abi::RUNNER_BOOLEAN, integer: i64::from(*value), ..zero }
        }
        Value::Text(value) => match kind {
            Kind::Choice(words) => {
                let index = words
                    .iter()
                    .position(|word| word == value)
                    .expect("checked: one of the choices");
                runner_value {
                    kind: abi::RUNNER_CHOICE,
                    integer: index as i64,
                    text: runner_text::new(value),
                    ..zero
                }
            }
            Kind::File => {
                runner_value { kind: abi::RUNNER_FILE, text: runner_text::new(value), ..zero }
            }
            _ => runner_value { kind: abi::RUNNER_STRING, text: runner_text::new(value), ..zero },
        },
        Value::File(file) => {
            runner_value { kind: abi::RUNNER_FILE, text: runner_text::new(&file.path), ..zero }
        }
    }
}
