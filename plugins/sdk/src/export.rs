//! The plugin's side of the boundary: the C functions behind the table. All `unsafe` of the SDK is
//! in this file, `entry.rs`, `operator_calls.rs` and `move_calls.rs`. It rests on two promises of
//! the host, written in `runner_plugin.h`: pointers are valid for the stated number of rows and
//! exclusive where they are written through, and an instance pointer is one that `create` gave and
//! `destroy` has not taken back.

use crate::abi::{
    self, runner_buffer, runner_description, runner_moves, runner_plugin, runner_text, runner_value,
};
use crate::entry::{Fault, guard, missing, take_over_panic_messages, write};
use crate::move_calls;
use crate::problem::{Format, Gene, Plugin, Problem};
use crate::raw_genes::{self, RawGenes};
use crate::{DeclaredOperator, Description, Parameter, Parameters, RowRng, RowRngs, Value};
use std::ffi::c_void;
use std::sync::OnceLock;

// SAFETY: a table, a parameter and a text are constants whose pointers lead to other constants;
// nobody writes to them.
unsafe impl Sync for runner_plugin {}
// SAFETY: as above.
unsafe impl Send for runner_plugin {}
// SAFETY: as above.
unsafe impl Sync for Parameter {}
// SAFETY: as above.
unsafe impl Send for Parameter {}

/// A made instance of any problem, `problem.into()`.
pub struct Instance(Box<dyn Erased>);

impl<P: Problem> From<P> for Instance {
    fn from(problem: P) -> Self {
        Instance(Box::new(Typed {
            problem,
            description: OnceLock::new(),
            raw_genes: OnceLock::new(),
        }))
    }
}

/// The table of a plugin; [`export!`](crate::export) puts it where the host finds it.
#[must_use]
pub const fn table<P: Plugin>(
    version: &'static str,
    operators: &'static [DeclaredOperator],
) -> runner_plugin {
    // The optional calls: null where the problem has none.
    macro_rules! optional {
        ($constant:ident, $entry:expr) => {
            if <P::Problem as Problem>::$constant.is_some() { Some($entry) } else { None }
        };
    }
    runner_plugin {
        parameters: P::PARAMETERS.as_ptr().cast(),
        parameter_count: P::PARAMETERS.len() as u64,
        create: Some(create::<P>),
        destroy: Some(destroy),
        describe: Some(describe),
        sample: Some(sample),
        evaluate: Some(evaluate),
        crossover: optional!(CROSSOVER, crossover as abi::crossover_fn),
        mutate: optional!(MUTATE, mutate as abi::random_fn),
        is_valid: optional!(IS_VALID, is_valid as abi::is_valid_fn),
        render: optional!(RENDER, render as abi::render_fn),
        enumerate: optional!(ENUMERATE, enumerate as abi::enumerate_fn),
        number: optional!(NUMBER, number as abi::number_fn),
        evaluate_constrained: optional!(
            VIOLATION,
            evaluate_constrained as abi::evaluate_constrained_fn
        ),
        build_state: optional!(MOVES, move_calls::build_state as abi::build_state_fn),
        evaluate_moves: optional!(MOVES, move_calls::evaluate_moves as abi::evaluate_moves_fn),
        apply_move: optional!(MOVES, move_calls::apply_move as abi::apply_move_fn),
        conflicts: optional!(CONFLICTS, move_calls::conflicts as abi::conflicts_fn),
        construct: match &<P::Problem as Problem>::CONFLICTS {
            Some(calls) if calls.construct.is_some() => Some(move_calls::construct),
            _ => None,
        },
        evaluate_noisy: optional!(NOISY_FITNESS, evaluate_noisy as abi::evaluate_noisy_fn),
        ..operators_table(P::NAME, P::SUMMARY, version, operators)
    }
}

/// The table of a plugin with operators and no problem;
/// [`export_operators!`](crate::export_operators) puts it where the host finds it.
#[must_use]
pub const fn operators_table(
    name: &'static str,
    summary: &'static str,
    version: &'static str,
    operators: &'static [DeclaredOperator],
) -> runner_plugin {
    runner_plugin {
        abi_major: abi::ABI_MAJOR,
        abi_minor: abi::ABI_MINOR,
        struct_size: size_of::<runner_plugin>() as u64,
        name: runner_text::new(name),
        version: runner_text::new(version),
        summary: runner_text::new(summary),
        parameters: std::ptr::null(),
        parameter_count: 0,
        parameter_size: size_of::<Parameter>() as u64,
        create: None,
        destroy: None,
        describe: None,
        sample: None,
        evaluate: None,
        crossover: None,
        mutate: None,
        is_valid: None,
        render: None,
        enumerate: None,
        number: None,
        evaluate_constrained: None,
        operators: operators.as_ptr().cast(),
        operator_count: operators.len() as u64,
        operator_size: size_of::<DeclaredOperator>() as u64,
        build_state: None,
        evaluate_moves: None,
        apply_move: None,
        conflicts: None,
        construct: None,
        evaluate_noisy: None,
    }
}

/// `count` items at `data`, which may be anything where there are none.
///
/// # Safety
/// `data` leads to `count` valid items that nobody writes to during `'a`.
pub(crate) unsafe fn slice<'a, T>(data: *const T, count: usize) -> &'a [T] {
    if count == 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts(data, count) }
}

/// As [`slice`], to write to.
///
/// # Safety
/// `data` leads to `count` valid items that nobody else uses during `'a`.
pub(crate) unsafe fn slice_mut<'a, T>(data: *mut T, count: usize) -> &'a mut [T] {
    if count == 0 {
        return &mut [];
    }
    // SAFETY: the caller's promise.
    unsafe { std::slice::from_raw_parts_mut(data, count) }
}

pub(crate) fn rows(count: u64) -> usize {
    usize::try_from(count).expect("rows of a batch in memory fit usize")
}

/// A call with randomness.
pub(crate) struct Draw<'a> {
    pub(crate) seed: &'a [u8; 32],
    pub(crate) first_row: u64,
    pub(crate) rows: usize,
}

impl Draw<'_> {
    /// Calls `each` with every row's number within the batch and its generator.
    pub(crate) fn each_row(&self, each: impl FnMut(usize, &mut RowRng)) {
        RowRngs::new(self.seed, self.first_row, self.rows).each_row(each);
    }
}

/// A problem whose kind of gene is not known: what the entries call. Genomes are untyped pointers;
/// each method's promise is that they lead to `rows` genomes of the instance's length and kind.
pub(crate) trait Erased: Send + Sync {
    fn describe(&self) -> (&Description, u32);
    fn raw_genes(&self) -> &RawGenes;
    unsafe fn sample(&self, draw: &Draw<'_>, genomes: *mut c_void) -> Result<(), Fault>;
    unsafe fn evaluate(&self, genomes: *const c_void, fitness: &mut [f64]) -> Result<(), Fault>;
    unsafe fn evaluate_constrained(
        &self,
        genomes: *const c_void,
        fitness: &mut [f64],
        violations: &mut [f64],
    ) -> Result<(), Fault>;
    unsafe fn evaluate_noisy(
        &self,
        draw: &Draw<'_>,
        genomes: *const c_void,
        fitness: &mut [f64],
    ) -> Result<(), Fault>;
    unsafe fn crossover(
        &self,
        draw: &Draw<'_>,
        first: *const c_void,
        second: *const c_void,
        children: *mut c_void,
    ) -> Result<(), Fault>;
    unsafe fn mutate(&self, draw: &Draw<'_>, genomes: *mut c_void) -> Result<(), Fault>;
    unsafe fn is_valid(&self, genomes: *const c_void, valid: &mut [u8]) -> Result<(), Fault>;
    unsafe fn render(&self, genome: *const c_void, format: Format)
    -> Result<Option<String>, Fault>;
    unsafe fn enumerate(
        &self,
        first_number: u64,
        rows: usize,
        genomes: *mut c_void,
    ) -> Result<(), Fault>;
    unsafe fn number(&self, genomes: *const c_void, numbers: &mut [u64]) -> Result<(), Fault>;
    fn state_size(&self) -> u64;
    fn move_kinds(&self) -> u64;
    unsafe fn build_state(
        &self,
        genome: *const c_void,
        state: *mut c_void,
        fitness: &mut f64,
    ) -> Result<(), Fault>;
    unsafe fn evaluate_moves(
        &self,
        genome: *mut c_void,
        state: *mut c_void,
        moves: &runner_moves,
        fitness: *mut f64,
    ) -> Result<(), Fault>;
    unsafe fn apply_move(
        &self,
        genome: *mut c_void,
        state: *mut c_void,
        moves: &runner_moves,
    ) -> Result<(), Fault>;
    unsafe fn conflicts(
        &self,
        genome: *const c_void,
        state: *const c_void,
        positions: &[u32],
        conflicts: &mut [u32],
    ) -> Result<(), Fault>;
    unsafe fn construct(&self, draw: &Draw<'_>, genomes: *mut c_void) -> Result<(), Fault>;
}

struct Typed<P> {
    problem: P,
    // Made when first asked for, so that a fault in it is reported as one of `describe`.
    description: OnceLock<Description>,
    /// Genes of the description, as the host reads them.
    raw_genes: OnceLock<RawGenes>,
}

impl<P: Problem> Typed<P> {
    fn description(&self) -> &Description {
        self.description.get_or_init(|| self.problem.describe())
    }

    /// Genes a genome has; never 0, so that genomes can be told apart.
    fn length(&self) -> usize {
        self.description().length.max(1)
    }
}

impl<P: Problem> Erased for Typed<P> {
    fn describe(&self) -> (&Description, u32) {
        (self.description(), P::Gene::KIND)
    }

    fn raw_genes(&self) -> &RawGenes {
        self.raw_genes.get_or_init(|| RawGenes::of(&self.description().genes))
    }

    unsafe fn sample(&self, draw: &Draw<'_>, genomes: *mut c_void) -> Result<(), Fault> {
        let length = self.length();
        // SAFETY: the trait's promise.
        let genes = unsafe { slice_mut(genomes.cast::<P::Gene>(), draw.rows * length) };
        if draw.rows > 0 {
            let rngs = RowRngs::new(draw.seed, draw.first_row, draw.rows);
            self.problem.sample_rows(&rngs, genes);
        }
        Ok(())
    }

    unsafe fn evaluate(&self, genomes: *const c_void, fitness: &mut [f64]) -> Result<(), Fault> {
        // SAFETY: the trait's promise.
        let genes = unsafe { slice(genomes.cast::<P::Gene>(), fitness.len() * self.length()) };
        if fitness.is_empty() {
            return Ok(());
        }
        self.problem.evaluate(genes, fitness).map_err(Fault::Failed)
    }

    unsafe fn evaluate_constrained(
        &self,
        genomes: *const c_void,
        fitness: &mut [f64],
        violations: &mut [f64],
    ) -> Result<(), Fault> {
        P::VIOLATION.ok_or_else(|| missing("violation"))?;
        // SAFETY: the trait's promise.
        let genes = unsafe { slice(genomes.cast::<P::Gene>(), fitness.len() * self.length()) };
        if fitness.is_empty() {
            return Ok(());
        }
        self.problem.evaluate_constrained(genes, fitness, violations).map_err(Fault::Failed)
    }

    unsafe fn evaluate_noisy(
        &self,
        draw: &Draw<'_>,
        genomes: *const c_void,
        fitness: &mut [f64],
    ) -> Result<(), Fault> {
        let call = P::NOISY_FITNESS.ok_or_else(|| missing("noisy fitness"))?;
        let length = self.length();
        // SAFETY: the trait's promise.
        let genes = unsafe { slice(genomes.cast::<P::Gene>(), fitness.len() * length) };
        draw.each_row(|row, rng| {
            fitness[row] = call(&self.problem, rng, &genes[row * length..][..length]);
        });
        Ok(())
    }

    unsafe fn crossover(
        &self,
        draw: &Draw<'_>,
        first: *const c_void,
        second: *const c_void,
        children: *mut c_void,
    ) -> Result<(), Fault> {
        let call = P::CROSSOVER.ok_or_else(|| missing("crossover"))?;
        let length = self.length();
        let count = draw.rows * length;
        // SAFETY: the trait's promise.
        let (first, second) =
            unsafe { (slice(first.cast::<P::Gene>(), count), slice(second.cast(), count)) };
        // SAFETY: the trait's promise.
        let children = unsafe { slice_mut(children.cast::<P::Gene>(), count) };
        draw.each_row(|row, rng| {
            let genes = row * length..(row + 1) * length;
            call(
                &self.problem,
                rng,
                &first[genes.clone()],
                &second[genes.clone()],
                &mut children[genes],
            );
        });
        Ok(())
    }

    unsafe fn mutate(&self, draw: &Draw<'_>, genomes: *mut c_void) -> Result<(), Fault> {
        let call = P::MUTATE.ok_or_else(|| missing("mutate"))?;
        let length = self.length();
        // SAFETY: the trait's promise.
        let genes = unsafe { slice_mut(genomes.cast::<P::Gene>(), draw.rows * length) };
        draw.each_row(|row, rng| call(&self.problem, rng, &mut genes[row * length..][..length]));
        Ok(())
    }

    unsafe fn is_valid(&self, genomes: *const c_void, valid: &mut [u8]) -> Result<(), Fault> {
        let call = P::IS_VALID.ok_or_else(|| missing("is_valid"))?;
        // SAFETY: the trait's promise.
        let genes = unsafe { slice(genomes.cast::<P::Gene>(), valid.len() * self.length()) };
        for (genome, valid) in genes.chunks_exact(self.length()).zip(valid) {
            *valid = u8::from(call(&self.problem, genome));
        }
        Ok(())
    }

    unsafe fn render(
        &self,
        genome: *const c_void,
        format: Format,
    ) -> Result<Option<String>, Fault> {
        let call = P::RENDER.ok_or_else(|| missing("render"))?;
        // SAFETY: the trait's promise, for one row.
        let genome = unsafe { slice(genome.cast::<P::Gene>(), self.length()) };
        Ok(call(&self.problem, genome, format))
    }

    unsafe fn enumerate(
        &self,
        first_number: u64,
        rows: usize,
        genomes: *mut c_void,
    ) -> Result<(), Fault> {
        let call = P::ENUMERATE.ok_or_else(|| missing("enumerate"))?;
        let size = self.description().space_size;
        if rows as u64 > size.saturating_sub(first_number) {
            let last = first_number.saturating_add(rows as u64 - 1);
            return Err(Fault::Invalid(format!(
                "genome number {last} is asked for, but there are {size}, from 0"
            )));
        }
        // SAFETY: the trait's promise.
        let genes = unsafe { slice_mut(genomes.cast::<P::Gene>(), rows * self.length()) };
        for (number, genome) in (first_number..).zip(genes.chunks_exact_mut(self.length())) {
            call(&self.problem, number, genome);
        }
        Ok(())
    }

    unsafe fn number(&self, genomes: *const c_void, numbers: &mut [u64]) -> Result<(), Fault> {
        let call = P::NUMBER.ok_or_else(|| missing("number"))?;
        // SAFETY: the trait's promise.
        let genes = unsafe { slice(genomes.cast::<P::Gene>(), numbers.len() * self.length()) };
        for (genome, number) in genes.chunks_exact(self.length()).zip(numbers) {
            *number = call(&self.problem, genome).unwrap_or(u64::MAX);
        }
        Ok(())
    }

    fn state_size(&self) -> u64 {
        P::MOVES.map_or(0, |calls| (calls.state_size)(&self.problem))
    }

    fn move_kinds(&self) -> u64 {
        P::MOVES.map_or(0, |calls| (calls.move_kinds)(&self.problem))
    }

    unsafe fn build_state(
        &self,
        genome: *const c_void,
        state: *mut c_void,
        fitness: &mut f64,
    ) -> Result<(), Fault> {
        let calls = P::MOVES.ok_or_else(|| missing("moves"))?;
        // SAFETY: the trait's promise, for one row and its state.
        *fitness = unsafe { (calls.build)(&self.problem, genome, self.length(), state) };
        Ok(())
    }

    unsafe fn evaluate_moves(
        &self,
        genome: *mut c_void,
        state: *mut c_void,
        moves: &runner_moves,
        fitness: *mut f64,
    ) -> Result<(), Fault> {
        let calls = P::MOVES.ok_or_else(|| missing("moves"))?;
        // SAFETY: as above, and one number a move.
        unsafe { (calls.evaluate)(&self.problem, genome, self.length(), state, moves, fitness) }
    }

    unsafe fn apply_move(
        &self,
        genome: *mut c_void,
        state: *mut c_void,
        moves: &runner_moves,
    ) -> Result<(), Fault> {
        let calls = P::MOVES.ok_or_else(|| missing("moves"))?;
        // SAFETY: as above.
        unsafe { (calls.apply)(&self.problem, genome, self.length(), state, moves) }
    }

    unsafe fn conflicts(
        &self,
        genome: *const c_void,
        state: *const c_void,
        positions: &[u32],
        conflicts: &mut [u32],
    ) -> Result<(), Fault> {
        let calls = P::CONFLICTS.ok_or_else(|| missing("conflicts"))?;
        // SAFETY: the trait's promise, for one row and its state.
        let genome = unsafe { slice(genome.cast::<P::Gene>(), self.length()) };
        // SAFETY: as above.
        unsafe { (calls.count)(&self.problem, genome, state, positions, conflicts) };
        Ok(())
    }

    unsafe fn construct(&self, draw: &Draw<'_>, genomes: *mut c_void) -> Result<(), Fault> {
        let construct = P::CONFLICTS.and_then(|calls| calls.construct);
        let construct = construct.ok_or_else(|| missing("construct"))?;
        let length = self.length();
        // SAFETY: the trait's promise.
        let genes = unsafe { slice_mut(genomes.cast::<P::Gene>(), draw.rows * length) };
        draw.each_row(|row, rng| {
            construct(&self.problem, rng, &mut genes[row * length..][..length]);
        });
        Ok(())
    }
}

/// # Safety
/// `instance` is one that `create` gave and `destroy` has not taken back.
pub(crate) unsafe fn problem<'a>(instance: *const c_void) -> &'a dyn Erased {
    // SAFETY: the caller's promise; `create` made it of a boxed `Instance`.
    unsafe { &*(*instance.cast::<Instance>()).0 }
}

/// # Safety
/// `text` is valid UTF-8 of the stated length (rule 2), for the length of the call.
pub(crate) unsafe fn owned_text(text: runner_text) -> Result<String, Fault> {
    // SAFETY: the caller's promise.
    let bytes = unsafe { slice(text.data.cast::<u8>(), rows(text.length)) };
    String::from_utf8(bytes.to_vec())
        .map_err(|_| Fault::Invalid("a parameter's text is not UTF-8".to_owned()))
}

/// The host's values of these parameters.
///
/// # Safety
/// `values` leads to `count` values that live through the call.
pub(crate) unsafe fn given(
    declared: &'static [Parameter],
    values: *const runner_value,
    count: u64,
) -> Result<Parameters, Fault> {
    // SAFETY: the caller's promise.
    let raw = unsafe { slice(values, rows(count)) };
    let mut values = Vec::with_capacity(raw.len());
    for value in raw {
        values.push(match value.kind {
            abi::RUNNER_INTEGER => Value::Integer(value.integer),
            abi::RUNNER_REAL => Value::Real(value.real),
            abi::RUNNER_BOOLEAN => Value::Boolean(value.integer != 0),
            abi::RUNNER_CHOICE | abi::RUNNER_STRING | abi::RUNNER_FILE => {
                // SAFETY: rule 2 of the header.
                Value::Text(unsafe { owned_text(value.text) }?)
            }
            kind => {
                return Err(Fault::Invalid(format!(
                    "a parameter's value is of an unknown kind, {kind}"
                )));
            }
        });
    }
    let mut changed = Vec::with_capacity(raw.len());
    for (value, Parameter { raw: usual, .. }) in raw.iter().zip(declared) {
        changed.push(match value.kind {
            abi::RUNNER_REAL => value.real.to_bits() != usual.fallback.real.to_bits(),
            abi::RUNNER_STRING | abi::RUNNER_FILE => {
                // SAFETY: rule 2 of the header; the default is a text of the plugin, or none.
                unsafe { owned_text(value.text)? != owned_text(usual.fallback.text)? }
            }
            _ => value.integer != usual.fallback.integer,
        });
    }
    let parameters = Parameters::new(declared, values).map_err(Fault::Invalid)?;
    Ok(parameters.with_changes(changed))
}

unsafe extern "C" fn create<P: Plugin>(
    values: *const runner_value,
    count: u64,
    instance: *mut *mut c_void,
    error: *mut runner_buffer,
) -> i32 {
    take_over_panic_messages();
    guard(error, || {
        // SAFETY: the host's `count` values, read during this call.
        let parameters = unsafe { given(P::PARAMETERS, values, count) }?;
        let made = Box::new(P::create(&parameters).map_err(Fault::Invalid)?);
        // SAFETY: the host's place for the pointer.
        unsafe { *instance = Box::into_raw(made).cast() };
        Ok(())
    })
}

unsafe extern "C" fn destroy(instance: *mut c_void) {
    if !instance.is_null() {
        guard(std::ptr::null_mut(), || {
            // SAFETY: `create` made it of a boxed `Instance`, and the host gives it back once.
            drop(unsafe { Box::from_raw(instance.cast::<Instance>()) });
            Ok(())
        });
    }
}

/// Bytes of the description of ABI 1.0.
const DESCRIPTION_1_0: u64 = std::mem::offset_of!(runner_description, tolerance) as u64;

unsafe extern "C" fn describe(
    instance: *const c_void,
    description: *mut runner_description,
    error: *mut runner_buffer,
) -> i32 {
    guard(error, || {
        // SAFETY: the host's struct, of which `struct_size` bytes exist; that field is part of
        // every version.
        let struct_size = unsafe { (*description).struct_size };
        if struct_size < DESCRIPTION_1_0 {
            return Err(Fault::Failed(format!(
                "the host's description has {struct_size} bytes, fewer than ABI 1.0 has"
            )));
        }
        // SAFETY: see `problem`.
        let described = unsafe { problem(instance) };
        let (made, gene) = described.describe();
        let filled = runner_description {
            struct_size,
            encoding: made.encoding,
            gene,
            genome_length: made.length as u64,
            low: made.low.as_ptr(),
            high: made.high.as_ptr(),
            bound_count: made.low.len() as u64,
            ideal: made.ideal,
            worst: made.worst,
            space_size: made.space_size,
            tolerance: made.tolerance,
            state_size: described.state_size(),
            noise: made.noise as u64,
            genes: described.raw_genes().first(),
            gene_size: size_of::<abi::runner_gene>() as u64,
            move_kinds: described.move_kinds(),
        };
        if made.encoding == abi::RUNNER_ENCODING_MIXED && !raw_genes::known(struct_size) {
            let words = "mixed genes need a runner whose plugin interface is 1.5 or later";
            return Err(Fault::Failed(words.to_owned()));
        }
        // An older host knows fewer fields: those that lie inside its struct are written.
        let known = size_of_val(&filled).min(struct_size as usize);
        // SAFETY: both structs have as many bytes; the pointers within live as long as the
        // instance.
        unsafe {
            description.cast::<u8>().copy_from_nonoverlapping((&raw const filled).cast(), known)
        };
        Ok(())
    })
}

unsafe extern "C" fn sample(
    instance: *const c_void,
    seed: *const u8,
    first_row: u64,
    count: u64,
    genomes: *mut c_void,
    error: *mut runner_buffer,
) -> i32 {
    guard(error, || {
        // SAFETY: the header's rules: a 32-byte seed, `count` rows of genomes to write, a live
        // instance.
        unsafe {
            let draw = Draw { seed: &*seed.cast(), first_row, rows: rows(count) };
            problem(instance).sample(&draw, genomes)
        }
    })
}

unsafe extern "C" fn evaluate(
    instance: *const c_void,
    count: u64,
    genomes: *const c_void,
    fitness: *mut f64,
    error: *mut runner_buffer,
) -> i32 {
    guard(error, || {
        // SAFETY: the header's rules: `count` rows of genomes to read, `count` numbers to write, a
        // live instance.
        unsafe { problem(instance).evaluate(genomes, slice_mut(fitness, rows(count))) }
    })
}

unsafe extern "C" fn evaluate_constrained(
    instance: *const c_void,
    count: u64,
    genomes: *const c_void,
    fitness: *mut f64,
    violations: *mut f64,
    error: *mut runner_buffer,
) -> i32 {
    guard(error, || {
        // SAFETY: the header's rules: `count` rows of genomes to read, twice `count` numbers to
        // write, a live instance.
        unsafe {
            let (fitness, violations) =
                (slice_mut(fitness, rows(count)), slice_mut(violations, rows(count)));
            problem(instance).evaluate_constrained(genomes, fitness, violations)
        }
    })
}

unsafe extern "C" fn evaluate_noisy(
    instance: *const c_void,
    seed: *const u8,
    first_row: u64,
    count: u64,
    genomes: *const c_void,
    fitness: *mut f64,
    error: *mut runner_buffer,
) -> i32 {
    guard(error, || {
        // SAFETY: the header's rules: a 32-byte seed, `count` rows of genomes to read, `count`
        // numbers to write, a live instance.
        unsafe {
            let draw = Draw { seed: &*seed.cast(), first_row, rows: rows(count) };
            problem(instance).evaluate_noisy(&draw, genomes, slice_mut(fitness, rows(count)))
        }
    })
}

unsafe extern "C" fn crossover(
    instance: *const c_void,
    seed: *const u8,
    first_row: u64,
    count: u64,
    first: *const c_void,
    second: *const c_void,
    children: *mut c_void,
    error: *mut runner_buffer,
) -> i32 {
    guard(error, || {
        // SAFETY: the header's rules: a 32-byte seed, `count` rows each of parents and children, a
        // live instance.
        unsafe {
            let draw = Draw { seed: &*seed.cast(), first_row, rows: rows(count) };
            problem(instance).crossover(&draw, first, second, children)
        }
    })
}

unsafe extern "C" fn mutate(
    instance: *const c_void,
    seed: *const u8,
    first_row: u64,
    count: u64,
    genomes: *mut c_void,
    error: *mut runner_buffer,
) -> i32 {
    guard(error, || {
        // SAFETY: as in `sample`.
        unsafe {
            let draw = Draw { seed: &*seed.cast(), first_row, rows: rows(count) };
            problem(instance).mutate(&draw, genomes)
        }
    })
}

unsafe extern "C" fn is_valid(
    instance: *const c_void,
    count: u64,
    genomes: *const c_void,
    valid: *mut u8,
    error: *mut runner_buffer,
) -> i32 {
    guard(error, || {
        // SAFETY: the header's rules: `count` rows of genomes to read, `count` bytes to write, a
        // live instance.
        unsafe { problem(instance).is_valid(genomes, slice_mut(valid, rows(count))) }
    })
}

unsafe extern "C" fn render(
    instance: *const c_void,
    genome: *const c_void,
    format: u32,
    text: *mut runner_buffer,
    error: *mut runner_buffer,
) -> i32 {
    guard(error, || {
        let format = match format {
            abi::RUNNER_RENDER_LINE => Format::Line,
            abi::RUNNER_RENDER_BOARD => Format::Board,
            abi::RUNNER_RENDER_SVG => Format::Svg,
            other => return Err(Fault::Invalid(format!("the format {other} is unknown"))),
        };
        // SAFETY: the header's rules: one genome to read, a live instance.
        let rendered = unsafe { problem(instance).render(genome, format) }?;
        let rendered =
            rendered.ok_or_else(|| Fault::Invalid(format!("there is no {format:?} rendering")))?;
        // SAFETY: the host's buffer, exclusive for this call.
        write(unsafe { &mut *text }, rendered.as_bytes());
        Ok(())
    })
}

unsafe extern "C" fn enumerate(
    instance: *const c_void,
    first_number: u64,
    count: u64,
    genomes: *mut c_void,
    error: *mut runner_buffer,
) -> i32 {
    guard(error, || {
        // SAFETY: the header's rules: `count` rows of genomes to write, a live instance.
        unsafe { problem(instance).enumerate(first_number, rows(count), genomes) }
    })
}

unsafe extern "C" fn number(
    instance: *const c_void,
    count: u64,
    genomes: *const c_void,
    numbers: *mut u64,
    error: *mut runner_buffer,
) -> i32 {
    guard(error, || {
        // SAFETY: the header's rules: `count` rows of genomes to read, `count` numbers to write, a
        // live instance.
        unsafe { problem(instance).number(genomes, slice_mut(numbers, rows(count))) }
    })
}
