//! The plugin ABI as Rust types: a mirror of `include/runner_plugin.h`, which is the specification
//! and says what each field means. The names are the header's.
#![expect(
    non_camel_case_types,
    reason = "the header's names, so that both can be read side by side"
)]

use std::ffi::{c_char, c_void};

pub const ABI_MAJOR: u32 = 1;
pub const ABI_MINOR: u32 = 1;

/// The symbol that a plugin exports.
pub const TABLE_SYMBOL: &str = "runner_plugin_table";
/// The symbol that an unoptimised plugin may also export, so that the host can warn.
pub const DEBUG_SYMBOL: &str = "runner_plugin_debug";

pub const RUNNER_OK: i32 = 0;
pub const RUNNER_INVALID: i32 = 1;
pub const RUNNER_FAILED: i32 = 2;
pub const RUNNER_PANIC: i32 = 3;

pub const RUNNER_INTEGER: u32 = 1;
pub const RUNNER_REAL: u32 = 2;
pub const RUNNER_BOOLEAN: u32 = 3;
pub const RUNNER_CHOICE: u32 = 4;
pub const RUNNER_STRING: u32 = 5;

pub const RUNNER_ENCODING_INTEGER: u32 = 1;
pub const RUNNER_ENCODING_PERMUTATION: u32 = 2;
pub const RUNNER_ENCODING_BITS: u32 = 3;
pub const RUNNER_ENCODING_REAL: u32 = 4;
pub const RUNNER_ENCODING_OPAQUE: u32 = 5;

pub const RUNNER_GENE_U8: u32 = 1;
pub const RUNNER_GENE_U16: u32 = 2;
pub const RUNNER_GENE_U32: u32 = 3;
pub const RUNNER_GENE_F64: u32 = 4;

pub const RUNNER_RENDER_LINE: u32 = 1;
pub const RUNNER_RENDER_BOARD: u32 = 2;
pub const RUNNER_RENDER_SVG: u32 = 3;

pub const RUNNER_REQUIRED: u32 = 1;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct runner_text {
    pub data: *const c_char,
    pub length: u64,
}

impl runner_text {
    pub const EMPTY: runner_text = runner_text { data: std::ptr::null(), length: 0 };

    /// A view of `text`, valid as long as `text` is.
    #[must_use]
    pub const fn new(text: &str) -> Self {
        runner_text { data: text.as_ptr().cast(), length: text.len() as u64 }
    }
}

#[repr(C)]
#[derive(Debug)]
pub struct runner_buffer {
    pub data: *mut u8,
    pub capacity: u64,
    pub length: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct runner_value {
    pub kind: u32,
    pub reserved: u32,
    pub integer: i64,
    pub real: f64,
    pub text: runner_text,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct runner_parameter {
    pub key: runner_text,
    pub doc: runner_text,
    pub kind: u32,
    pub flags: u32,
    pub fallback: runner_value,
    pub integer_low: i64,
    pub integer_high: i64,
    pub real_low: f64,
    pub real_high: f64,
    pub choices: *const runner_text,
    pub choice_count: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct runner_description {
    pub struct_size: u64,
    pub encoding: u32,
    pub gene: u32,
    pub genome_length: u64,
    pub low: *const f64,
    pub high: *const f64,
    pub bound_count: u64,
    pub ideal: f64,
    pub worst: f64,
    pub space_size: u64,
    /// Since 1.1.
    pub tolerance: f64,
}

pub type create_fn =
    unsafe extern "C" fn(*const runner_value, u64, *mut *mut c_void, *mut runner_buffer) -> i32;
pub type destroy_fn = unsafe extern "C" fn(*mut c_void);
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
pub type evaluate_fn =
    unsafe extern "C" fn(*const c_void, u64, *const c_void, *mut f64, *mut runner_buffer) -> i32;
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
pub type is_valid_fn =
    unsafe extern "C" fn(*const c_void, u64, *const c_void, *mut u8, *mut runner_buffer) -> i32;
pub type render_fn = unsafe extern "C" fn(
    *const c_void,
    *const c_void,
    u32,
    *mut runner_buffer,
    *mut runner_buffer,
) -> i32;
pub type enumerate_fn =
    unsafe extern "C" fn(*const c_void, u64, u64, *mut c_void, *mut runner_buffer) -> i32;
pub type number_fn =
    unsafe extern "C" fn(*const c_void, u64, *const c_void, *mut u64, *mut runner_buffer) -> i32;

/// The table. Every function is an `Option`, so that a null pointer of a C plugin is a value and
/// not a fault.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct runner_plugin {
    pub abi_major: u32,
    pub abi_minor: u32,
    pub struct_size: u64,
    pub name: runner_text,
    pub version: runner_text,
    pub summary: runner_text,
    pub parameters: *const runner_parameter,
    pub parameter_count: u64,
    pub parameter_size: u64,
    pub create: Option<create_fn>,
    pub destroy: Option<destroy_fn>,
    pub describe: Option<describe_fn>,
    pub sample: Option<random_fn>,
    pub evaluate: Option<evaluate_fn>,
    pub crossover: Option<crossover_fn>,
    pub mutate: Option<random_fn>,
    pub is_valid: Option<is_valid_fn>,
    pub render: Option<render_fn>,
    pub enumerate: Option<enumerate_fn>,
    pub number: Option<number_fn>,
}

/// Size and offsets of every struct, in the header's order: `(struct or struct.field, bytes)`. The
/// tests compare it with what a C compiler makes of the header.
#[must_use]
pub fn layout() -> Vec<(&'static str, usize)> {
    use std::mem::offset_of;
    macro_rules! rows {
        ($($type:ident { $($field:ident),* })*) => {
            vec![$((stringify!($type), size_of::<$type>()),
                $((concat!(stringify!($type), ".", stringify!($field)), offset_of!($type, $field)),)*)*]
        };
    }
    rows! {
        runner_text { data, length }
        runner_buffer { data, capacity, length }
        runner_value { kind, reserved, integer, real, text }
        runner_parameter { key, doc, kind, flags, fallback, integer_low, integer_high, real_low, real_high, choices,
            choice_count }
        runner_description { struct_size, encoding, gene, genome_length, low, high, bound_count, ideal, worst,
            space_size, tolerance }
        runner_plugin { abi_major, abi_minor, struct_size, name, version, summary, parameters, parameter_count,
            parameter_size, create, destroy, describe, sample, evaluate, crossover, mutate, is_valid, render,
            enumerate, number }
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
        assert_eq!(size_of::<runner_description>(), 80);
        assert_eq!(size_of::<runner_plugin>(), 176);
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
            ("RUNNER_ENCODING_INTEGER", RUNNER_ENCODING_INTEGER),
            ("RUNNER_ENCODING_PERMUTATION", RUNNER_ENCODING_PERMUTATION),
            ("RUNNER_ENCODING_BITS", RUNNER_ENCODING_BITS),
            ("RUNNER_ENCODING_REAL", RUNNER_ENCODING_REAL),
            ("RUNNER_ENCODING_OPAQUE", RUNNER_ENCODING_OPAQUE),
            ("RUNNER_GENE_U8", RUNNER_GENE_U8),
            ("RUNNER_GENE_U16", RUNNER_GENE_U16),
            ("RUNNER_GENE_U32", RUNNER_GENE_U32),
            ("RUNNER_GENE_F64", RUNNER_GENE_F64),
            ("RUNNER_RENDER_LINE", RUNNER_RENDER_LINE),
            ("RUNNER_RENDER_BOARD", RUNNER_RENDER_BOARD),
            ("RUNNER_RENDER_SVG", RUNNER_RENDER_SVG),
            ("RUNNER_REQUIRED", RUNNER_REQUIRED),
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
