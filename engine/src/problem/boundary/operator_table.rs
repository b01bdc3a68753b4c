//! Reads and checks the operators in a plugin's table.

use super::fields::{SANE, is_name, parameters, text};
use crate::problem::Encoding;
use crate::problem::declared_operator::{DeclaredOperator, OperatorKind, RESERVED};
use crate::system::guard::PluginNumber;
use runner_plugin::abi::{self, runner_operator, runner_plugin as Table};
use std::mem::MaybeUninit;

/// Functions of an operator.
#[derive(Clone, Copy)]
pub(crate) struct OperatorCalls {
    pub(super) plugin: PluginNumber,
    pub(super) create: abi::create_operator_fn,
    pub(super) destroy: abi::destroy_fn,
    pub(super) select: Option<abi::select_fn>,
    pub(super) crossover: Option<abi::crossover_fn>,
    pub(super) mutate: Option<abi::random_fn>,
    pub(super) search: Option<SearchCalls>,
}

/// Functions of an algorithm.
#[derive(Clone, Copy)]
pub(super) struct SearchCalls {
    pub begin: abi::begin_fn,
    pub ask: abi::ask_fn,
    pub tell: abi::tell_fn,
    pub end: abi::destroy_fn,
    /// Functions for the state of a search, in both directions.
    pub state: Option<(abi::state_fn, abi::restore_fn)>,
}

/// Size of an operator of ABI 1.1 in bytes. Later versions have more fields.
const FIRST_SIZE: u64 = std::mem::offset_of!(runner_operator, begin) as u64;

/// Encodings with their codes in the header.
const ENCODINGS: [(u32, Encoding); 6] = [
    (abi::RUNNER_ENCODING_INTEGER, Encoding::Integer),
    (abi::RUNNER_ENCODING_PERMUTATION, Encoding::Permutation),
    (abi::RUNNER_ENCODING_BITS, Encoding::Bits),
    (abi::RUNNER_ENCODING_REAL, Encoding::Real),
    (abi::RUNNER_ENCODING_OPAQUE, Encoding::Opaque),
    (abi::RUNNER_ENCODING_MIXED, Encoding::Mixed),
];

/// Returns the code of an encoding.
pub(super) fn code(encoding: Encoding) -> u32 {
    let found = ENCODINGS.iter().find(|(_, one)| *one == encoding);
    found.expect("the list has every encoding").0
}

/// Returns the operators in a table and the functions of each.
///
/// # Safety
/// The table's pointers must be as the header requires.
pub(super) unsafe fn read(
    table: &Table,
    plugin: PluginNumber,
) -> Result<(Vec<DeclaredOperator>, Vec<OperatorCalls>), String> {
    let (count, stride) = (table.operator_count, table.operator_size);
    let (mut declared, mut calls): (Vec<DeclaredOperator>, Vec<OperatorCalls>) = Default::default();
    if count == 0 {
        return Ok((declared, calls));
    }
    if table.operators.is_null() || count > SANE {
        return Err(format!("`operators` are {count} at {:p}", table.operators));
    }
    if !(FIRST_SIZE..=SANE).contains(&stride)
        || !stride.is_multiple_of(align_of::<runner_operator>() as u64)
    {
        return Err(format!(
            "`operator_size` is {stride}, but an operator of ABI 1.1 has {FIRST_SIZE} bytes"
        ));
    }
    for place in 0..count as usize {
        // SAFETY: guaranteed by the caller: `count` operators at intervals of `stride` bytes.
        let raw = unsafe { raw(table.operators.byte_add(place * stride as usize), stride) };
        // SAFETY: guaranteed by the caller.
        let (operator, own) = unsafe { one(&raw, place, plugin) }?;
        operator.check_new(&declared)?;
        declared.push(operator);
        calls.push(own);
    }
    Ok((declared, calls))
}

/// Reads an operator of `size` bytes. Fields that it lacks are null.
///
/// # Safety
/// `size` bytes must be readable, at least [`FIRST_SIZE`].
unsafe fn raw(from: *const runner_operator, size: u64) -> runner_operator {
    let mut raw = MaybeUninit::<runner_operator>::zeroed();
    let known = size_of::<runner_operator>().min(size as usize);
    // SAFETY: guaranteed by the caller; `known` bytes fit in the copy.
    unsafe { from.cast::<u8>().copy_to_nonoverlapping(raw.as_mut_ptr().cast(), known) };
    // SAFETY: the fields that were not copied are functions, for which zeros are `None`.
    unsafe { raw.assume_init() }
}

/// # Safety
/// The operator's pointers must be as the header requires.
unsafe fn one(
    raw: &runner_operator,
    place: usize,
    plugin: PluginNumber,
) -> Result<(DeclaredOperator, OperatorCalls), String> {
    // SAFETY: guaranteed by the caller.
    let name = unsafe { text(raw.name, &format!("name of operator {place}")) }?;
    if !is_name(&name) {
        return Err(format!(
            "operator {place} is called `{name}`, but a name is 1 to 64 lower-case letters, \
            digits, `-` and `_`"
        ));
    }
    // SAFETY: guaranteed by the caller.
    let (summary, source) = unsafe {
        (text(raw.summary, "summary of an operator")?, text(raw.source, "source of an operator")?)
    };
    // SAFETY: guaranteed by the caller.
    let parameters =
        unsafe { parameters(raw.parameters, raw.parameter_count, raw.parameter_size, &RESERVED) }
            .map_err(|rule| format!("of its operator `{name}`, {rule}"))?;
    let (kind, call) = match raw.kind {
        abi::RUNNER_SELECTION => (OperatorKind::Selection, raw.select.is_some()),
        abi::RUNNER_CROSSOVER => (OperatorKind::Crossover, raw.crossover.is_some()),
        abi::RUNNER_MUTATION => (OperatorKind::Mutation, raw.mutate.is_some()),
        abi::RUNNER_ALGORITHM => (OperatorKind::Algorithm, search(raw).is_some()),
        other => return Err(format!("its operator `{name}` is of the unknown kind {other}")),
    };
    let (Some(create), Some(destroy), true) = (raw.create, raw.destroy, call) else {
        return Err(format!(
            "its {kind} `{name}` lacks `create`, `destroy` or `{}`, which every {kind} needs",
            kind.call()
        ));
    };
    let bit = |code: &u32| raw.encodings & 1 << code != 0;
    let encodings: Vec<Encoding> =
        ENCODINGS.iter().filter(|(code, _)| bit(code)).map(|(_, encoding)| *encoding).collect();
    if encodings.is_empty() && raw.encodings != 0 {
        return Err(format!(
            "its {kind} `{name}` works on no encoding that this runner knows: bits {:#b}",
            raw.encodings
        ));
    }
    let (select, crossover, mutate) = (raw.select, raw.crossover, raw.mutate);
    let search = search(raw);
    let calls = OperatorCalls { plugin, create, destroy, select, crossover, mutate, search };
    Ok((DeclaredOperator { kind, name, summary, source, encodings, parameters }, calls))
}

/// Returns the functions of an algorithm; `None` if one is null.
fn search(raw: &runner_operator) -> Option<SearchCalls> {
    let (begin, ask, tell, end) = (raw.begin?, raw.ask?, raw.tell?, raw.end?);
    let state = raw.state.zip(raw.restore);
    Some(SearchCalls { begin, ask, tell, end, state })
}
