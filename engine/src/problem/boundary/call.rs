//! Calling a plugin's functions.

use super::super::{Format, Gene, GeneKind, Genome, Genomes, PluginError};
use super::environment;
use super::table::{Declared, MoveCalls, ProblemCalls};
use crate::problem::parameter::{Kind, Value};
use crate::system::guard::{self, Call, PluginNumber};
use runner_plugin::Moves;
use runner_plugin::abi::{
    self, runner_buffer, runner_description, runner_moves, runner_text, runner_value,
};
use std::cell::{RefCell, UnsafeCell};
use std::ffi::c_void;

/// A made instance. Its methods pass whole rows and give the plugin's fault in words; they do not
/// judge the answer.
pub(crate) struct Instance {
    calls: ProblemCalls,
    pointer: *mut c_void,
    gene: GeneKind,
    genome_length: usize,
    state_size: u64,
}

// SAFETY: the header's rule 6: an instance is immutable and called from many threads at once.
unsafe impl Send for Instance {}
// SAFETY: as above.
unsafe impl Sync for Instance {}

/// What the plugin said of an instance, copied but not yet judged beyond what calls need.
#[derive(Clone)]
pub(crate) struct Described {
    pub encoding: u32,
    pub gene: GeneKind,
    pub genome_length: usize,
    pub low: Vec<f64>,
    pub high: Vec<f64>,
    pub ideal: f64,
    pub worst: f64,
    pub space_size: u64,
    pub tolerance: f64,
    pub state_size: u64,
}

/// Bytes of an error message that are kept.
const ERROR_CAPACITY: usize = 4096;
/// Bytes of a rendering that need no allocation.
const LINE_CAPACITY: usize = 512;
/// Bytes that a rendering may have: beyond it the length is not believed.
const RENDER_LIMIT: u64 = 1 << 30;

impl Instance {
    /// Makes and describes an instance of checked values.
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
        // SAFETY: the header's `create`: as many values as parameters, which live through the call.
        call(calls.plugin, Call::Create, |error| unsafe {
            (calls.create)(raw.as_ptr(), raw.len() as u64, &raw mut pointer, error)
        })
        .map_err(|message| PluginError::Create { plugin: plugin.name.clone(), message })?;
        // A null pointer is a fine instance for a plugin without state.
        let mut instance =
            Instance { calls, pointer, gene: GeneKind::U8, genome_length: 0, state_size: 0 };
        let described = instance
            .describe()
            .map_err(|message| PluginError::Description { plugin: plugin.name.clone(), message })?;
        instance.gene = described.gene;
        instance.genome_length = described.genome_length;
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
            // A plugin built against 1.0 does not know this field, and leaves it so.
            tolerance: f64::NAN,
            state_size: 0,
        };
        // SAFETY: the header's `describe`, on a live instance.
        self.call(Call::Describe, |error| unsafe {
            (self.calls.describe)(self.pointer, &raw mut raw, error)
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
                    "the genome length is {}, outside 1..={}",
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
            // SAFETY: the header's rule: `bound_count` numbers that live as long as the instance;
            // not null.
            _ => unsafe { std::slice::from_raw_parts(bound, bounds as usize) }.to_vec(),
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
            // Without the calls, nobody reads a state.
            state_size: if self.calls.moves.is_some() { raw.state_size } else { 0 },
        })
    }

    fn call(
        &self,
        call: Call,
        function: impl FnOnce(*mut runner_buffer) -> i32,
    ) -> Result<(), String> {
        self::call(self.calls.plugin, call, function)
    }

    /// Whether the plugin offers this optional call.
    pub(crate) fn has(&self, call: Call) -> bool {
        match call {
            Call::Crossover => self.calls.crossover.is_some(),
            Call::Mutate => self.calls.mutate.is_some(),
            Call::IsValid => self.calls.is_valid.is_some(),
            Call::Render => self.calls.render.is_some(),
            Call::Enumerate => self.calls.enumerate.is_some(),
            Call::Number => self.calls.number.is_some(),
            Call::EvaluateConstrained => self.calls.evaluate_constrained.is_some(),
            _ => true,
        }
    }

    /// Rows in `genes`. The asserts make the calls below sound: the plugin is told of no more than
    /// is there.
    fn rows<G: Gene>(&self, genes: &[G]) -> u64 {
        assert_eq!(G::KIND, self.gene, "a caller's bug: the genes are not of the instance's kind");
        assert_eq!(
            genes.len() % self.genome_length,
            0,
            "a caller's bug: the genes are not whole rows"
        );
        (genes.len() / self.genome_length) as u64
    }

    pub(crate) fn sample<G: Gene>(
        &self,
        seed: &[u8; 32],
        first_row: u64,
        genes: &mut [G],
    ) -> Result<(), String> {
        self.random(Call::Sample, self.calls.sample, seed, first_row, genes)
    }

    pub(crate) fn mutate<G: Gene>(
        &self,
        seed: &[u8; 32],
        first_row: u64,
        genes: &mut [G],
    ) -> Result<(), String> {
        let mutate = self.calls.mutate.ok_or("the plugin has none")?;
        self.random(Call::Mutate, mutate, seed, first_row, genes)
    }

    fn random<G: Gene>(
        &self,
        call: Call,
        function: abi::random_fn,
        seed: &[u8; 32],
        first_row: u64,
        genes: &mut [G],
    ) -> Result<(), String> {
        let rows = self.rows(genes);
        with_aligned_mut(genes, |genes| {
            // SAFETY: a live instance and `rows` genomes of its kind, aligned and exclusive.
            self.call(call, |error| unsafe {
                function(
                    self.pointer,
                    seed.as_ptr(),
                    first_row,
                    rows,
                    genes.as_mut_ptr().cast(),
                    error,
                )
            })
        })
    }

    pub(crate) fn evaluate<G: Gene>(&self, genes: &[G], fitness: &mut [f64]) -> Result<(), String> {
        let rows = self.rows(genes);
        assert_eq!(rows, fitness.len() as u64, "a caller's bug: one fitness a row");
        with_aligned(0, genes, |genes| {
            // SAFETY: a live instance, `rows` genomes of its kind to read, aligned, and as many
            // numbers to write.
            self.call(Call::Evaluate, |error| unsafe {
                (self.calls.evaluate)(
                    self.pointer,
                    rows,
                    genes.as_ptr().cast(),
                    fitness.as_mut_ptr(),
                    error,
                )
            })
        })
    }

    pub(crate) fn evaluate_constrained<G: Gene>(
        &self,
        genes: &[G],
        fitness: &mut [f64],
        violations: &mut [f64],
    ) -> Result<(), String> {
        let evaluate = self.calls.evaluate_constrained.ok_or("the plugin has none")?;
        let rows = self.rows(genes);
        assert!(
            rows == fitness.len() as u64 && rows == violations.len() as u64,
            "a caller's bug: one fitness and one violation a row"
        );
        with_aligned(0, genes, |genes| {
            // SAFETY: a live instance, `rows` genomes of its kind to read, aligned, and twice as
            // many numbers to write.
            self.call(Call::EvaluateConstrained, |error| unsafe {
                let (fitness, violations) = (fitness.as_mut_ptr(), violations.as_mut_ptr());
                evaluate(self.pointer, rows, genes.as_ptr().cast(), fitness, violations, error)
            })
        })
    }

    /// The calls of moves. The asserts make them sound.
    fn moves<G: Gene>(&self, genome: &[G], state: &Genomes) -> Result<MoveCalls, String> {
        let moves = self.calls.moves.ok_or("the plugin has none")?;
        assert!(
            self.rows(genome) == 1 && state.genes::<u8>().len() as u64 == self.state_size,
            "a caller's bug: one genome and its state"
        );
        Ok(moves)
    }

    /// Writes the state of a genome, which has room for it; returns the genome's fitness.
    pub(crate) fn build_state<G: Gene>(
        &self,
        genome: &[G],
        state: &mut Genomes,
    ) -> Result<f64, String> {
        let MoveCalls { build_state, .. } = self.moves(genome, state)?;
        let (state, mut fitness) = (state.genes_mut::<u8>().as_mut_ptr().cast(), f64::NAN);
        with_aligned(0, genome, |genome| {
            let genome = genome.as_ptr().cast();
            // SAFETY: a live instance, a genome of its kind to read, a state and a number to write,
            // aligned.
            self.call(Call::BuildState, |error| unsafe {
                build_state(self.pointer, genome, state, &raw mut fitness, error)
            })
        })?;
        Ok(fitness)
    }

    /// One fitness per move from this genome with this state.
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
        with_aligned_mut(genome, |genome| {
            let genome = genome.as_mut_ptr().cast();
            let fitness = fitness.as_mut_ptr();
            // SAFETY: a live instance, a genome of its kind and its state, aligned and exclusive,
            // whole moves to read and as many numbers to write.
            self.call(Call::EvaluateMoves, |error| unsafe {
                evaluate_moves(self.pointer, genome, state, &raw const raw, fitness, error)
            })
        })
    }

    /// Makes the only one of these moves.
    pub(crate) fn apply_move<G: Gene>(
        &self,
        genome: &mut [G],
        state: &mut Genomes,
        moves: &Moves<'_, G>,
    ) -> Result<(), String> {
        let MoveCalls { apply_move, .. } = self.moves(genome, state)?;
        let (state, raw) = (state.genes_mut::<u8>().as_mut_ptr().cast(), raw_moves(moves));
        assert_eq!(raw.count, 1, "a caller's bug: one move");
        with_aligned_mut(genome, |genome| {
            let genome = genome.as_mut_ptr().cast();
            // SAFETY: as in `evaluate_moves`.
            self.call(Call::ApplyMove, |error| unsafe {
                apply_move(self.pointer, genome, state, &raw const raw, error)
            })
        })
    }

    pub(crate) fn crossover<G: Gene>(
        &self,
        seed: &[u8; 32],
        first_row: u64,
        first: &[G],
        second: &[G],
        children: &mut [G],
    ) -> Result<(), String> {
        let crossover = self.calls.crossover.ok_or("the plugin has none")?;
        let rows = self.rows(children);
        assert!(
            rows == self.rows(first) && rows == self.rows(second),
            "a caller's bug: two parents a child"
        );
        with_aligned(0, first, |first| {
            with_aligned(1, second, |second| {
                with_aligned_mut(children, |children| {
                    let (first, second) = (first.as_ptr().cast(), second.as_ptr().cast());
                    let children = children.as_mut_ptr().cast();
                    // SAFETY: a live instance and three times `rows` genomes of its kind, aligned,
                    // the last exclusive.
                    self.call(Call::Crossover, |error| unsafe {
                        crossover(
                            self.pointer,
                            seed.as_ptr(),
                            first_row,
                            rows,
                            first,
                            second,
                            children,
                            error,
                        )
                    })
                })
            })
        })
    }

    pub(crate) fn is_valid<G: Gene>(&self, genes: &[G], valid: &mut [u8]) -> Result<(), String> {
        let is_valid = self.calls.is_valid.ok_or("the plugin has none")?;
        let rows = self.rows(genes);
        assert_eq!(rows, valid.len() as u64, "a caller's bug: one answer a row");
        with_aligned(0, genes, |genes| {
            // SAFETY: a live instance, `rows` genomes of its kind to read, aligned, and as many
            // bytes to write.
            self.call(Call::IsValid, |error| unsafe {
                is_valid(self.pointer, rows, genes.as_ptr().cast(), valid.as_mut_ptr(), error)
            })
        })
    }

    /// None where the plugin has no such format.
    pub(crate) fn render(&self, genome: &Genome, format: Format) -> Result<Option<String>, String> {
        match genome {
            Genome::U8(genes) => self.render_genes(genes, format),
            Genome::U16(genes) => self.render_genes(genes, format),
            Genome::U32(genes) => self.render_genes(genes, format),
            Genome::F64(genes) => self.render_genes(genes, format),
        }
    }

    fn render_genes<G: Gene>(&self, genes: &[G], format: Format) -> Result<Option<String>, String> {
        let Some(render) = self.calls.render else {
            return Ok(None);
        };
        // Not an assert: a genome that comes back from a file can be anything.
        if G::KIND != self.gene || genes.len() != self.genome_length {
            let (kind, length) = (self.gene.as_str(), self.genome_length);
            let given = (genes.len(), G::KIND.as_str());
            return Err(format!(
                "the genome has {} genes of {}, but the problem {length} of {kind}",
                given.0, given.1
            ));
        }
        let code = match format {
            Format::Line => abi::RUNNER_RENDER_LINE,
            Format::Board => abi::RUNNER_RENDER_BOARD,
            Format::Svg => abi::RUNNER_RENDER_SVG,
        };
        // Lines are short: room on the stack does for them, and what is kept is as long as the
        // text.
        let mut line = [0; LINE_CAPACITY];
        let mut long = Vec::new();
        let mut text = &mut line[..];
        for again in [false, true] {
            let mut buffer =
                runner_buffer { data: text.as_mut_ptr(), capacity: text.len() as u64, length: 0 };
            let status = with_aligned(0, genes, |genes| {
                let mut status = abi::RUNNER_OK;
                // SAFETY: a live instance, one genome of its kind, aligned, and a buffer of as many
                // bytes as it says.
                let answer = self.call(Call::Render, |error| unsafe {
                    status =
                        render(self.pointer, genes.as_ptr().cast(), code, &raw mut buffer, error);
                    status
                });
                if status == abi::RUNNER_INVALID { Ok(status) } else { answer.map(|()| status) }
            })?;
            if status == abi::RUNNER_INVALID {
                return Ok(None);
            }
            if buffer.length > RENDER_LIMIT {
                return Err(format!(
                    "the rendering is {} bytes long, beyond the {RENDER_LIMIT} allowed",
                    buffer.length
                ));
            }
            let length = buffer.length as usize;
            if length <= text.len() {
                let text = std::str::from_utf8(&text[..length])
                    .map_err(|_| "the rendering is not UTF-8")?;
                return Ok(Some(text.to_owned()));
            }
            if again {
                break;
            }
            long.try_reserve_exact(length)
                .map_err(|_| format!("there is no memory for its {length} bytes"))?;
            long.resize(length, 0);
            text = &mut long;
        }
        Err("the rendering grows from one call to the next".to_owned())
    }

    pub(crate) fn enumerate<G: Gene>(
        &self,
        first_number: u64,
        genes: &mut [G],
    ) -> Result<(), String> {
        let enumerate = self.calls.enumerate.ok_or("the plugin has none")?;
        let rows = self.rows(genes);
        with_aligned_mut(genes, |genes| {
            // SAFETY: a live instance and `rows` genomes of its kind, aligned and exclusive.
            self.call(Call::Enumerate, |error| unsafe {
                enumerate(self.pointer, first_number, rows, genes.as_mut_ptr().cast(), error)
            })
        })
    }

    pub(crate) fn number<G: Gene>(&self, genes: &[G], numbers: &mut [u64]) -> Result<(), String> {
        let number = self.calls.number.ok_or("the plugin has none")?;
        let rows = self.rows(genes);
        assert_eq!(rows, numbers.len() as u64, "a caller's bug: one number a row");
        with_aligned(0, genes, |genes| {
            // SAFETY: a live instance, `rows` genomes of its kind to read, aligned, and as many
            // numbers to write.
            self.call(Call::Number, |error| unsafe {
                number(self.pointer, rows, genes.as_ptr().cast(), numbers.as_mut_ptr(), error)
            })
        })
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        guard::enter(self.calls.plugin, Call::Destroy);
        // SAFETY: `create` gave it, and this is the only place that gives it back.
        unsafe { (self.calls.destroy)(self.pointer) };
        environment::restore();
        guard::leave();
    }
}

/// The moves as the header has them; they borrow from `moves`.
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
    }
}

/// The value borrows from `value` and `kind`.
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
            _ => runner_value { kind: abi::RUNNER_STRING, text: runner_text::new(value), ..zero },
        },
    }
}

thread_local! {
    /// Where plugins write their words. All zeros between calls: what a plugin says it wrote and
    /// did not is then nobody's.
    static WORDS: UnsafeCell<[u8; ERROR_CAPACITY]> = const { UnsafeCell::new([0; ERROR_CAPACITY]) };
}

/// Calls with an error buffer; a status other than OK becomes the plugin's words.
#[inline]
pub(super) fn call(
    plugin: PluginNumber,
    call: Call,
    function: impl FnOnce(*mut runner_buffer) -> i32,
) -> Result<(), String> {
    let words = WORDS.with(UnsafeCell::get);
    let mut error =
        runner_buffer { data: words.cast(), capacity: ERROR_CAPACITY as u64, length: 0 };
    guard::enter(plugin, call);
    let status = function(&raw mut error);
    environment::restore();
    guard::leave();
    // SAFETY: this thread's own bytes, and no call is under way in it.
    let first = unsafe { *words.cast::<u8>() };
    if status == abi::RUNNER_OK && error.length == 0 && first == 0 {
        return Ok(());
    }
    // SAFETY: as above; the reference ends with this function.
    unfortunate(status, error.length, unsafe { &mut *words })
}

/// What a call's status and words mean. Leaves the words zero.
#[cold]
fn unfortunate(status: i32, length: u64, bytes: &mut [u8; ERROR_CAPACITY]) -> Result<(), String> {
    let written = &bytes[..length.min(ERROR_CAPACITY as u64) as usize];
    // Beyond its end, a text is zeros, however long the plugin says it is.
    let written = written.split(|byte| *byte == 0).next().unwrap_or_default();
    let words = String::from_utf8_lossy(written);
    let words = match words.trim() {
        "" => "it gave no reason",
        words => words,
    };
    let meaning = match status {
        abi::RUNNER_OK => Ok(()),
        abi::RUNNER_INVALID | abi::RUNNER_FAILED => Err(words.to_owned()),
        abi::RUNNER_PANIC => Err(format!("panicked: {words}")),
        other => Err(format!("it returned the unknown status {other}: {words}")),
    };
    bytes.fill(0);
    meaning
}

/// What the header promises of the first byte of every batch.
const ALIGNMENT: usize = 64;

thread_local! {
    /// For rows that do not start at a cache line (one row out of a population): copied here.
    static SCRATCH: [RefCell<Genomes>; 3] = Default::default();
}

/// Passes the genes on, by way of a scratch buffer (`slot`, one a nested use) if they are not
/// aligned.
pub(super) fn with_aligned<G: Gene, R>(
    slot: usize,
    genes: &[G],
    body: impl FnOnce(&[G]) -> R,
) -> R {
    if genes.as_ptr().addr().is_multiple_of(ALIGNMENT) {
        return body(genes);
    }
    SCRATCH.with(|scratch| {
        let mut copy = scratch[slot].borrow_mut();
        copy.resize::<G>(genes.len());
        copy.genes_mut().copy_from_slice(genes);
        body(copy.genes())
    })
}

/// As [`with_aligned`], and copies back.
pub(super) fn with_aligned_mut<G: Gene, R>(genes: &mut [G], body: impl FnOnce(&mut [G]) -> R) -> R {
    if genes.as_ptr().addr().is_multiple_of(ALIGNMENT) {
        return body(genes);
    }
    SCRATCH.with(|scratch| {
        let mut copy = scratch[2].borrow_mut();
        copy.resize::<G>(genes.len());
        copy.genes_mut().copy_from_slice(genes);
        let result = body(copy.genes_mut());
        genes.copy_from_slice(copy.genes());
        result
    })
}
