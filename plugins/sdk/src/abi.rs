//! The plugin ABI as Rust types: a mirror of `include/runner_plugin.h`, which is the specification
//! and says what each field means. The names are the header's.
#![expect(
    non_camel_case_types,
    reason = "the header's names, so that both can be read side by side"
)]

use std::ffi::{c_char, c_void};

/// Version of the ABI: a host loads only plugins of its own major version.
pub const ABI_MAJOR: u32 = 1;
/// Rises when fields or functions are added at the end of a struct.
pub const ABI_MINOR: u32 = 7;

/// The symbol that a plugin exports.
pub const TABLE_SYMBOL: &str = "runner_plugin_table";
/// The symbol that an unoptimised plugin may also export, so that the host can warn.
pub const DEBUG_SYMBOL: &str = "runner_plugin_debug";

/// Status of a call: success.
pub const RUNNER_OK: i32 = 0;
/// Status: an argument breaks a rule that the error text states (create: a parameter).
pub const RUNNER_INVALID: i32 = 1;
/// Status: the plugin could not do it; the error text says why.
pub const RUNNER_FAILED: i32 = 2;
/// Status: the plugin's code panicked; the error text is the message.
pub const RUNNER_PANIC: i32 = 3;

/// Kind of parameter: an integer.
pub const RUNNER_INTEGER: u32 = 1;
/// Kind of parameter: a number.
pub const RUNNER_REAL: u32 = 2;
/// Kind of parameter: true or false.
pub const RUNNER_BOOLEAN: u32 = 3;
/// Kind of parameter: one word out of several.
pub const RUNNER_CHOICE: u32 = 4;
/// Kind of parameter: any text.
pub const RUNNER_STRING: u32 = 5;
/// Since 1.2. Path of a file, whose contents are the value.
pub const RUNNER_FILE: u32 = 6;

/// Encoding: each gene an integer within its bounds; u8, u16 or u32.
pub const RUNNER_ENCODING_INTEGER: u32 = 1;
/// Encoding: each of 0 .. genome_length-1 once; u8, u16 or u32.
pub const RUNNER_ENCODING_PERMUTATION: u32 = 2;
/// Encoding: each gene 0 or 1; u8.
pub const RUNNER_ENCODING_BITS: u32 = 3;
/// Encoding: each gene a number within its bounds; f64.
pub const RUNNER_ENCODING_REAL: u32 = 4;
/// Encoding: the plugin's own; it provides crossover and mutate.
pub const RUNNER_ENCODING_OPAQUE: u32 = 5;
/// Since 1.5. Encoding: each gene has its own kind; f64.
pub const RUNNER_ENCODING_MIXED: u32 = 6;

/// Kind of gene: an unsigned integer of 8 bits.
pub const RUNNER_GENE_U8: u32 = 1;
/// Kind of gene: an unsigned integer of 16 bits.
pub const RUNNER_GENE_U16: u32 = 2;
/// Kind of gene: an unsigned integer of 32 bits.
pub const RUNNER_GENE_U32: u32 = 3;
/// Kind of gene: a floating-point number of 64 bits.
pub const RUNNER_GENE_F64: u32 = 4;

/// Format of render: one line of text, for a table cell.
pub const RUNNER_RENDER_LINE: u32 = 1;
/// Format of render: several lines of text, for a terminal; ends with a newline.
pub const RUNNER_RENDER_BOARD: u32 = 2;
/// Format of render: one `<svg>` element.
pub const RUNNER_RENDER_SVG: u32 = 3;

/// Kind of operator: chooses parents.
pub const RUNNER_SELECTION: u32 = 1;
/// Kind of operator: makes a child of two parents.
pub const RUNNER_CROSSOVER: u32 = 2;
/// Kind of operator: changes a genome.
pub const RUNNER_MUTATION: u32 = 3;
/// Kind of operator: searches. Since 1.3.
pub const RUNNER_ALGORITHM: u32 = 4;

/// Kind of move: some genes take other values.
pub const RUNNER_CHANGES: u32 = 1;
/// Kind of move: two positions exchange their genes.
pub const RUNNER_EXCHANGES: u32 = 2;
/// Since 1.6. Kind of move: the genes from a position to a later one are reversed.
pub const RUNNER_REVERSALS: u32 = 3;
/// Since 1.6. Kind of move: a gene moves to another position; those between shift by one.
pub const RUNNER_INSERTIONS: u32 = 4;

/// Flag of a parameter: the user must give a value; `fallback` is not read.
pub const RUNNER_REQUIRED: u32 = 1;
/// Flag of a parameter added to an existing problem: at its fallback it is no part of an arm's
/// settings and identity. Since 1.2.
pub const RUNNER_LATER: u32 = 2;

/// Noise of a fitness: none. The same genome has the same fitness each time.
pub const RUNNER_EXACT: u64 = 0;
/// Since 1.4. Noise of a fitness: the noiseless value is not known, and `evaluate` is not called.
pub const RUNNER_NOISY: u64 = 1;
/// Since 1.4. Noise of a fitness: `evaluate` gives its noiseless value.
pub const RUNNER_NOISELESS: u64 = 2;

/// UTF-8 text.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct runner_text {
    /// Its first byte; may be null if `length` is 0.
    pub data: *const c_char,
    /// Bytes.
    pub length: u64,
}

impl runner_text {
    /// No text.
    pub const EMPTY: runner_text = runner_text { data: std::ptr::null(), length: 0 };

    /// A view of `text`, valid as long as `text` is.
    #[must_use]
    pub const fn new(text: &str) -> Self {
        runner_text { data: text.as_ptr().cast(), length: text.len() as u64 }
    }
}

/// A buffer of the host for text. The plugin writes at most `capacity` bytes.
#[repr(C)]
#[derive(Debug)]
pub struct runner_buffer {
    /// Buffer to which the plugin writes UTF-8.
    pub data: *mut u8,
    /// Bytes that fit.
    pub capacity: u64,
    /// Bytes of the complete text, set by the plugin; may exceed `capacity`.
    pub length: u64,
}

/// A parameter's value; the fields that its kind does not use are 0.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct runner_value {
    /// Kind of parameter.
    pub kind: u32,
    /// 0.
    pub reserved: u32,
    /// The integer; 0 or 1 for a boolean; the index into `choices` for a choice.
    pub integer: i64,
    /// The number of a real parameter.
    pub real: f64,
    /// The text, or the word of a choice.
    pub text: runner_text,
}

/// Parameter that a user may set under `[problem]`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct runner_parameter {
    /// Lower-case words joined by `-` or `_`; not "plugin".
    pub key: runner_text,
    /// One sentence, with the unit, if any.
    pub doc: runner_text,
    /// Kind of parameter.
    pub kind: u32,
    /// 0, [`RUNNER_REQUIRED`] or [`RUNNER_LATER`].
    pub flags: u32,
    /// The value where the user sets none.
    pub fallback: runner_value,
    /// Least value of an integer, inclusive.
    pub integer_low: i64,
    /// Greatest value of an integer, inclusive.
    pub integer_high: i64,
    /// Least value of a number, inclusive; may be -∞.
    pub real_low: f64,
    /// Greatest value of a number, inclusive; may be ∞.
    pub real_high: f64,
    /// The words of a choice.
    pub choices: *const runner_text,
    /// Number of words.
    pub choice_count: u64,
}

/// Gene of a mixed genome. Since 1.5.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct runner_gene {
    /// [`RUNNER_REAL`], [`RUNNER_INTEGER`], [`RUNNER_CHOICE`], or [`RUNNER_BOOLEAN`] for a bit.
    pub kind: u32,
    /// 0.
    pub reserved: u32,
    /// Least value of a number, inclusive; an integer's is a whole number.
    pub low: f64,
    /// Greatest value of a number, inclusive; an integer's is a whole number.
    pub high: f64,
    /// Its name in tables; may be empty.
    pub name: runner_text,
    /// The words of a choice.
    pub choices: *const runner_text,
    /// Number of words.
    pub choice_count: u64,
}

/// Description of an instance. The plugin writes no field that lies beyond `struct_size`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct runner_description {
    /// Bytes that the host knows.
    pub struct_size: u64,
    /// Encoding of a solution, which decides which of the host's operators can be used.
    pub encoding: u32,
    /// Kind of gene.
    pub gene: u32,
    /// Genes per genome, 1 to 2^32-1.
    pub genome_length: u64,
    /// Least values of the genes, inclusive; live as long as the instance.
    pub low: *const f64,
    /// Greatest values of the genes, inclusive; live as long as the instance.
    pub high: *const f64,
    /// 0: no bounds; 1: one pair for all genes; `genome_length`: a pair per gene.
    pub bound_count: u64,
    /// The lowest possible fitness; NaN if unknown.
    pub ideal: f64,
    /// The highest possible fitness; NaN if unknown.
    pub worst: f64,
    /// Number of genomes that `enumerate` numbers; 0 without it.
    pub space_size: u64,
    /// Since 1.1.
    pub tolerance: f64,
    /// Since 1.1. Bytes of a state, if there are moves; 0: this instance has none.
    pub state_size: u64,
    /// Since 1.4. [`RUNNER_EXACT`], [`RUNNER_NOISY`] or [`RUNNER_NOISELESS`].
    pub noise: u64,
    /// Since 1.5. Genes of a mixed genome, `genome_length` of them; live as long as the instance.
    pub genes: *const runner_gene,
    /// Bytes of such a gene: the array's stride.
    pub gene_size: u64,
    /// Since 1.6. Kinds of moves of a permutation that the instance evaluates besides exchanges: a
    /// bit `1 << RUNNER_REVERSALS` and so on.
    pub move_kinds: u64,
}

/// Moves, each from the same genome to a neighbour. Since 1.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct runner_moves {
    /// [`RUNNER_CHANGES`] and so on.
    pub kind: u32,
    /// 0.
    pub reserved: u32,
    /// Number of moves, at least 1.
    pub count: u64,
    /// Start of the changes of each move, and the end of the last; null if each has one.
    pub starts: *const u32,
    /// The positions of changes, or two per move of the other kinds.
    pub positions: *const u32,
    /// Values of the changes, as many as positions.
    pub values: *const c_void,
}

/// Makes an instance: values, their number, the instance, error.
pub type create_fn =
    unsafe extern "C" fn(*const runner_value, u64, *mut *mut c_void, *mut runner_buffer) -> i32;
/// Frees an instance.
pub type destroy_fn = unsafe extern "C" fn(*mut c_void);
/// Describes an instance: instance, description, error.
pub type describe_fn =
    unsafe extern "C" fn(*const c_void, *mut runner_description, *mut runner_buffer) -> i32;
/// `sample` and `mutate`: instance, 32 bytes of seed, first row, rows, genomes, error.
pub type random_fn = unsafe extern "C" fn(
    *const c_void,
    *const u8,
    u64,
    u64,
    *mut c_void,
    *mut runner_buffer,
) -> i32;
/// Writes one fitness per row: instance, rows, genomes, fitness, error.
pub type evaluate_fn =
    unsafe extern "C" fn(*const c_void, u64, *const c_void, *mut f64, *mut runner_buffer) -> i32;
/// Writes fitness and violation per row: instance, rows, genomes, fitness, violations, error.
pub type evaluate_constrained_fn = unsafe extern "C" fn(
    *const c_void,
    u64,
    *const c_void,
    *mut f64,
    *mut f64,
    *mut runner_buffer,
) -> i32;
/// Writes one noisy fitness per row: instance, 32 bytes of seed, first row, rows, genomes, fitness,
/// error.
pub type evaluate_noisy_fn = unsafe extern "C" fn(
    *const c_void,
    *const u8,
    u64,
    u64,
    *const c_void,
    *mut f64,
    *mut runner_buffer,
) -> i32;
/// Makes children: instance, 32 bytes of seed, first row, rows, first parents, second parents,
/// children, error.
pub type crossover_fn = unsafe extern "C" fn(
    *const c_void,
    *const u8,
    u64,
    u64,
    *const c_void,
    *const c_void,
    *mut c_void,
    *mut runner_buffer,
) -> i32;
/// Writes 1 for each row that follows the problem's rules, otherwise 0: instance, rows, genomes,
/// answers, error.
pub type is_valid_fn =
    unsafe extern "C" fn(*const c_void, u64, *const c_void, *mut u8, *mut runner_buffer) -> i32;
/// Renders a genome: instance, genome, format, text, error.
pub type render_fn = unsafe extern "C" fn(
    *const c_void,
    *const c_void,
    u32,
    *mut runner_buffer,
    *mut runner_buffer,
) -> i32;
/// Writes genomes by number: instance, first number, rows, genomes, error.
pub type enumerate_fn =
    unsafe extern "C" fn(*const c_void, u64, u64, *mut c_void, *mut runner_buffer) -> i32;
/// Writes the number of each row: instance, rows, genomes, numbers, error.
pub type number_fn =
    unsafe extern "C" fn(*const c_void, u64, *const c_void, *mut u64, *mut runner_buffer) -> i32;

/// Writes the state of a genome and its fitness: instance, genome, state, fitness, error.
pub type build_state_fn = unsafe extern "C" fn(
    *const c_void,
    *const c_void,
    *mut c_void,
    *mut f64,
    *mut runner_buffer,
) -> i32;
/// Writes one fitness per move: instance, genome, state, moves, fitness, error.
pub type evaluate_moves_fn = unsafe extern "C" fn(
    *const c_void,
    *mut c_void,
    *mut c_void,
    *const runner_moves,
    *mut f64,
    *mut runner_buffer,
) -> i32;
/// Makes a move: instance, genome, state, the move, error.
pub type apply_move_fn = unsafe extern "C" fn(
    *const c_void,
    *mut c_void,
    *mut c_void,
    *const runner_moves,
    *mut runner_buffer,
) -> i32;

/// Writes the conflicts of genes: instance, genome, its state or null, number of positions,
/// positions, conflicts, error.
pub type conflicts_fn = unsafe extern "C" fn(
    *const c_void,
    *const c_void,
    *const c_void,
    u64,
    *const u32,
    *mut u32,
    *mut runner_buffer,
) -> i32;

/// Makes an operator for a problem: values, their number, the problem, the instance, error.
pub type create_operator_fn = unsafe extern "C" fn(
    *const runner_value,
    u64,
    *const runner_description,
    *mut *mut c_void,
    *mut runner_buffer,
) -> i32;
/// Chooses parents: instance, 32 bytes of seed, rows, fitness, violations or null, how many
/// parents, their rows, error.
pub type select_fn = unsafe extern "C" fn(
    *const c_void,
    *const u8,
    u64,
    *const f64,
    *const f64,
    u64,
    *mut u32,
    *mut runner_buffer,
) -> i32;

/// Begins a search: instance, 32 bytes of seed, the search, error.
pub type begin_fn =
    unsafe extern "C" fn(*const c_void, *const u8, *mut *mut c_void, *mut runner_buffer) -> i32;
/// Asks a search for genomes: search, most rows, genomes, how many rows were written, error.
pub type ask_fn =
    unsafe extern "C" fn(*mut c_void, u64, *mut c_void, *mut u64, *mut runner_buffer) -> i32;
/// Tells a search the outcome: search, rows, genomes, fitness, violations or null, error.
pub type tell_fn = unsafe extern "C" fn(
    *mut c_void,
    u64,
    *const c_void,
    *const f64,
    *const f64,
    *mut runner_buffer,
) -> i32;
/// Writes the state of a search: search, its state, error.
pub type state_fn =
    unsafe extern "C" fn(*const c_void, *mut runner_buffer, *mut runner_buffer) -> i32;
/// Gives a search a state: search, the state and its length, error.
pub type restore_fn = unsafe extern "C" fn(*mut c_void, *const u8, u64, *mut runner_buffer) -> i32;

/// An operator. Since 1.1.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct runner_operator {
    /// [`RUNNER_SELECTION`] and so on.
    pub kind: u32,
    /// A bit `1 << RUNNER_ENCODING_…` for each encoding that it works on; 0: any.
    pub encodings: u32,
    /// Its name in configs.
    pub name: runner_text,
    /// One sentence.
    pub summary: runner_text,
    /// Author, year and DOI; may be empty.
    pub source: runner_text,
    /// The parameters, in order.
    pub parameters: *const runner_parameter,
    /// Number of parameters.
    pub parameter_count: u64,
    /// Bytes of a parameter: the array's stride.
    pub parameter_size: u64,
    /// Makes it for a problem.
    pub create: Option<create_operator_fn>,
    /// Frees it.
    pub destroy: Option<destroy_fn>,
    /// Call of a selection.
    pub select: Option<select_fn>,
    /// Call of a crossover.
    pub crossover: Option<crossover_fn>,
    /// Call of a mutation.
    pub mutate: Option<random_fn>,
    /// Since 1.3. Call of an algorithm, like the next three: begins a search.
    pub begin: Option<begin_fn>,
    /// Asks for the next genomes.
    pub ask: Option<ask_fn>,
    /// Tells their fitness.
    pub tell: Option<tell_fn>,
    /// Frees the search.
    pub end: Option<destroy_fn>,
    /// Since 1.7. Writes the state of a search, between a tell and the next ask.
    pub state: Option<state_fn>,
    /// Gives a search that has just begun the state of another.
    pub restore: Option<restore_fn>,
}

/// The table. Every function is an `Option`, so that a null pointer of a C plugin is a value and
/// not a fault.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct runner_plugin {
    /// [`ABI_MAJOR`].
    pub abi_major: u32,
    /// [`ABI_MINOR`].
    pub abi_minor: u32,
    /// Bytes of this struct.
    pub struct_size: u64,
    /// Its name in configs and in the library's file name.
    pub name: runner_text,
    /// Raised whenever the same genome could get a different fitness, or the same seed a different
    /// genome.
    pub version: runner_text,
    /// One sentence.
    pub summary: runner_text,
    /// The parameters, in order.
    pub parameters: *const runner_parameter,
    /// Number of parameters.
    pub parameter_count: u64,
    /// Bytes of a parameter: the array's stride.
    pub parameter_size: u64,
    /// Makes an instance.
    pub create: Option<create_fn>,
    /// Frees it.
    pub destroy: Option<destroy_fn>,
    /// Describes it.
    pub describe: Option<describe_fn>,
    /// Fills genomes at random.
    pub sample: Option<random_fn>,
    /// Writes one fitness per row; lower is better.
    pub evaluate: Option<evaluate_fn>,
    /// Optional: makes children of two parents each.
    pub crossover: Option<crossover_fn>,
    /// Optional: mutates genomes in place.
    pub mutate: Option<random_fn>,
    /// Optional: tells which genomes follow the problem's rules.
    pub is_valid: Option<is_valid_fn>,
    /// Optional: renders a genome.
    pub render: Option<render_fn>,
    /// Optional: writes the genomes with these numbers.
    pub enumerate: Option<enumerate_fn>,
    /// Optional: writes the numbers of these genomes.
    pub number: Option<number_fn>,
    /// Since 1.1. Optional: writes fitness and violation per row.
    pub evaluate_constrained: Option<evaluate_constrained_fn>,
    /// Since 1.1. Operators for the problems of any plugin.
    pub operators: *const runner_operator,
    /// Number of operators.
    pub operator_count: u64,
    /// Bytes of an operator: the array's stride.
    pub operator_size: u64,
    /// Since 1.1. Optional, like the next two, and all or none: writes the state of a genome.
    pub build_state: Option<build_state_fn>,
    /// Writes the fitness that each move leads to.
    pub evaluate_moves: Option<evaluate_moves_fn>,
    /// Makes a move.
    pub apply_move: Option<apply_move_fn>,
    /// Since 1.2. Optional: tells which genes are in conflict.
    pub conflicts: Option<conflicts_fn>,
    /// Since 1.2. Optional: fills genomes gene by gene, each with the fewest conflicts.
    pub construct: Option<random_fn>,
    /// Since 1.4. Optional: writes one noisy fitness per row.
    pub evaluate_noisy: Option<evaluate_noisy_fn>,
}

/// Size and offsets of every struct, in the header's order: `(struct or struct.field, bytes)`. The
/// tests compare it with what a C compiler makes of the header.
#[must_use]
pub fn layout() -> Vec<(&'static str, usize)> {
    use std::mem::offset_of;
    macro_rules! rows {
        ($($type:ident { $($field:ident),* })*) => {
            vec![$((stringify!($type), size_of::<$type>()),
                $((
                    concat!(stringify!($type), ".", stringify!($field)),
                    offset_of!($type, $field),
                ),)*)*]
        };
    }
    rows! {
        runner_text { data, length }
        runner_buffer { data, capacity, length }
        runner_value { kind, reserved, integer, real, text }
        runner_parameter { key, doc, kind, flags, fallback, integer_low, integer_high, real_low,
            real_high, choices, choice_count }
        runner_gene { kind, reserved, low, high, name, choices, choice_count }
        runner_description { struct_size, encoding, gene, genome_length, low, high, bound_count,
            ideal, worst, space_size, tolerance, state_size, noise, genes, gene_size,
            move_kinds }
        runner_moves { kind, reserved, count, starts, positions, values }
        runner_operator { kind, encodings, name, summary, source, parameters, parameter_count,
            parameter_size, create, destroy, select, crossover, mutate, begin, ask, tell, end,
            state, restore }
        runner_plugin { abi_major, abi_minor, struct_size, name, version, summary, parameters,
            parameter_count, parameter_size, create, destroy, describe, sample, evaluate,
            crossover, mutate, is_valid, render, enumerate, number, evaluate_constrained, operators,
            operator_count, operator_size, build_state, evaluate_moves, apply_move, conflicts,
            construct, evaluate_noisy }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_structs_have_the_sizes_of_a_64_bit_c_compiler() {
        if size_of::<usize>() != 8 {
            return;
        }
        assert_eq!(size_of::<runner_text>(), 16);
        assert_eq!(size_of::<runner_buffer>(), 24);
        assert_eq!(size_of::<runner_value>(), 40);
        assert_eq!(size_of::<runner_parameter>(), 128);
        assert_eq!(size_of::<runner_gene>(), 56);
        assert_eq!(size_of::<runner_description>(), 120);
        assert_eq!(size_of::<runner_moves>(), 40);
        assert_eq!(size_of::<runner_operator>(), 168);
        assert_eq!(size_of::<runner_plugin>(), 256);
        assert_eq!(std::mem::offset_of!(runner_plugin, evaluate_constrained), 176);
        assert_eq!(std::mem::offset_of!(runner_plugin, create), 88);
    }

    #[test]
    fn the_frozen_prefix_never_moves() {
        assert_eq!(std::mem::offset_of!(runner_plugin, abi_major), 0);
        assert_eq!(std::mem::offset_of!(runner_plugin, abi_minor), 4);
        assert_eq!(std::mem::offset_of!(runner_plugin, struct_size), 8);
    }

    #[test]
    fn the_header_states_the_same_version_and_codes() {
        let header = include_str!("../include/runner_plugin.h");
        for (name, value) in [
            ("RUNNER_ABI_MAJOR", ABI_MAJOR),
            ("RUNNER_ABI_MINOR", ABI_MINOR),
            ("RUNNER_ABI_MINOR", ABI_MINOR),
            ("RUNNER_OK", RUNNER_OK as u32),
            ("RUNNER_INVALID", RUNNER_INVALID as u32),
            ("RUNNER_FAILED", RUNNER_FAILED as u32),
            ("RUNNER_PANIC", RUNNER_PANIC as u32),
            ("RUNNER_INTEGER", RUNNER_INTEGER),
            ("RUNNER_REAL", RUNNER_REAL),
            ("RUNNER_BOOLEAN", RUNNER_BOOLEAN),
            ("RUNNER_CHOICE", RUNNER_CHOICE),
            ("RUNNER_STRING", RUNNER_STRING),
            ("RUNNER_FILE", RUNNER_FILE),
            ("RUNNER_SELECTION", RUNNER_SELECTION),
            ("RUNNER_CROSSOVER", RUNNER_CROSSOVER),
            ("RUNNER_MUTATION", RUNNER_MUTATION),
            ("RUNNER_ALGORITHM", RUNNER_ALGORITHM),
            ("RUNNER_ENCODING_INTEGER", RUNNER_ENCODING_INTEGER),
            ("RUNNER_ENCODING_PERMUTATION", RUNNER_ENCODING_PERMUTATION),
            ("RUNNER_ENCODING_BITS", RUNNER_ENCODING_BITS),
            ("RUNNER_ENCODING_REAL", RUNNER_ENCODING_REAL),
            ("RUNNER_ENCODING_OPAQUE", RUNNER_ENCODING_OPAQUE),
            ("RUNNER_ENCODING_MIXED", RUNNER_ENCODING_MIXED),
            ("RUNNER_GENE_U8", RUNNER_GENE_U8),
            ("RUNNER_GENE_U16", RUNNER_GENE_U16),
            ("RUNNER_GENE_U32", RUNNER_GENE_U32),
            ("RUNNER_GENE_F64", RUNNER_GENE_F64),
            ("RUNNER_RENDER_LINE", RUNNER_RENDER_LINE),
            ("RUNNER_RENDER_BOARD", RUNNER_RENDER_BOARD),
            ("RUNNER_RENDER_SVG", RUNNER_RENDER_SVG),
            ("RUNNER_CHANGES", RUNNER_CHANGES),
            ("RUNNER_EXCHANGES", RUNNER_EXCHANGES),
            ("RUNNER_REVERSALS", RUNNER_REVERSALS),
            ("RUNNER_INSERTIONS", RUNNER_INSERTIONS),
            ("RUNNER_REQUIRED", RUNNER_REQUIRED),
            ("RUNNER_LATER", RUNNER_LATER),
            ("RUNNER_EXACT", RUNNER_EXACT as u32),
            ("RUNNER_NOISY", RUNNER_NOISY as u32),
            ("RUNNER_NOISELESS", RUNNER_NOISELESS as u32),
        ] {
            let line = header
                .lines()
                .find(|line| line.split_whitespace().nth(1) == Some(name))
                .expect(name);
            let stated = line.split_whitespace().nth(2).expect(name).trim_end_matches('u');
            assert_eq!(stated, value.to_string(), "{name}");
        }
    }
}
