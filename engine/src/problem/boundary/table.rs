//! Reads and checks a plugin's table.

use super::super::{Permitted, PluginError};
use super::environment;
use super::fields::{is_name, parameters, text};
use super::operator_table::{self, OperatorCalls};
use super::symbols;
use crate::problem::declared::Declared;
use crate::system::guard::{self, Call, PluginNumber};
use crate::system::streams;
use runner_plugin::abi::{self, runner_plugin as Table};
use std::mem::MaybeUninit;
use std::path::Path;
use std::sync::Once;

/// Functions of a plugin: those of its problem, if it has one, and those of each operator.
#[derive(Clone)]
pub(crate) struct Calls {
    pub problem: Option<ProblemCalls>,
    pub operators: Vec<OperatorCalls>,
}

/// Functions of a problem.
#[derive(Clone, Copy)]
pub(crate) struct ProblemCalls {
    pub(super) plugin: PluginNumber,
    pub(super) create: abi::create_fn,
    pub(super) destroy: abi::destroy_fn,
    pub(super) describe: abi::describe_fn,
    pub(super) sample: abi::random_fn,
    pub(super) evaluate: abi::evaluate_fn,
    pub(super) crossover: Option<abi::crossover_fn>,
    pub(super) mutate: Option<abi::random_fn>,
    pub(super) is_valid: Option<abi::is_valid_fn>,
    pub(super) render: Option<abi::render_fn>,
    pub(super) enumerate: Option<abi::enumerate_fn>,
    pub(super) number: Option<abi::number_fn>,
    pub(super) evaluate_constrained: Option<abi::evaluate_constrained_fn>,
    pub(super) moves: Option<MoveCalls>,
    pub(super) conflicts: Option<abi::conflicts_fn>,
    pub(super) construct: Option<abi::random_fn>,
    pub(super) evaluate_noisy: Option<abi::evaluate_noisy_fn>,
}

/// Functions of moves: a plugin has all of them or none.
#[derive(Clone, Copy)]
pub(crate) struct MoveCalls {
    pub(super) build_state: abi::build_state_fn,
    pub(super) evaluate_moves: abi::evaluate_moves_fn,
    pub(super) apply_move: abi::apply_move_fn,
}

impl MoveCalls {
    fn of(table: &Table) -> Result<Option<Self>, String> {
        match (table.build_state, table.evaluate_moves, table.apply_move) {
            (None, None, None) => Ok(None),
            (Some(build_state), Some(evaluate_moves), Some(apply_move)) => {
                Ok(Some(MoveCalls { build_state, evaluate_moves, apply_move }))
            }
            _ => Err("of `build_state`, `evaluate_moves` and `apply_move` some are null, but a \
                plugin has all three or none"
                .to_owned()),
        }
    }
}

/// Size of the table of ABI 1.0 in bytes.
const TABLE_1_0: u64 = std::mem::offset_of!(Table, evaluate_constrained) as u64;

/// Loads a library and reads its table.
pub(crate) fn open(permitted: &Permitted) -> Result<(Declared, Calls), PluginError> {
    let path = &permitted.path;
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    static DIVERTED: Once = Once::new();
    DIVERTED.call_once(streams::divert_output);
    guard::enter(guard::plugin(&name), Call::Load);
    // SAFETY: loading runs the library's initialisers. The policy that permits the file gives
    // consent.
    let library = unsafe { libloading::Library::new(path) };
    environment::restore();
    guard::leave();
    let library = library
        .map_err(|error| PluginError::Load { path: path.to_owned(), message: reason(&error) })?;
    // The library is never unloaded, because its code and constants must outlive every thread that
    // may still use them.
    let library: &'static libloading::Library = Box::leak(Box::new(library));
    // SAFETY: the header gives the symbol this type. Only the frozen prefix is read before the
    // version is known.
    let table = unsafe { library.get::<*const Table>(abi::TABLE_SYMBOL) }
        .map_err(|_| PluginError::NoTable { path: path.to_owned() })?;
    symbols::check(path, (*table).addr())?;
    // SAFETY: only the symbol's presence is checked; it is never read.
    let debug_build = unsafe { library.get::<*const u8>(abi::DEBUG_SYMBOL) }.is_ok();
    // SAFETY: the pointer is the exported constant of a library that stays loaded.
    let (declared, calls) = unsafe { read(*table, path) }?;
    Ok((Declared { debug_build, ..declared }, calls))
}

/// Returns the message of the system's loader. The crate's own message only states that loading
/// failed.
fn reason(error: &libloading::Error) -> String {
    let source = std::error::Error::source(error).map(ToString::to_string);
    source.filter(|words| !words.trim().is_empty()).unwrap_or_else(|| error.to_string())
}

/// Reads the table of a plugin that is linked into this program.
pub(crate) fn linked<P: runner_plugin::Plugin>(
    version: &'static str,
    path: &Path,
) -> Result<(Declared, Calls), PluginError> {
    let table = runner_plugin::table::<P>(version, &[]);
    // SAFETY: the SDK builds the table from constants of this program.
    unsafe { read(&table, path) }
}

/// Reads the table by the header's rule 1: first the frozen prefix, then as many bytes as the
/// plugin has.
///
/// # Safety
/// `table` must point to a plugin's table, whose functions and constants live as long as the
/// process.
pub(super) unsafe fn read(
    table: *const Table,
    path: &Path,
) -> Result<(Declared, Calls), PluginError> {
    let breaks = |rule: String| PluginError::Table { path: path.to_owned(), rule };
    if table.is_null() || !table.is_aligned() {
        return Err(breaks("the exported table is not an aligned constant".to_owned()));
    }
    // SAFETY: every version has the prefix.
    let (major, minor, struct_size) = unsafe {
        (
            (&raw const (*table).abi_major).read(),
            (&raw const (*table).abi_minor).read(),
            (&raw const (*table).struct_size).read(),
        )
    };
    if major != abi::ABI_MAJOR {
        return Err(PluginError::ForeignAbi { path: path.to_owned(), major, minor });
    }
    if struct_size < TABLE_1_0 {
        return Err(breaks(format!(
            "`struct_size` is {struct_size}, but the table of ABI {major}.0 has {TABLE_1_0} bytes"
        )));
    }
    // A newer minor version has more fields after the known ones; they are ignored. An older one
    // has fewer fields; the missing ones are null. All added fields are pointers, and none is read
    // partially.
    let there = size_of::<Table>().min(struct_size as usize);
    let there = there - there % size_of::<usize>();
    let mut copy = MaybeUninit::<Table>::zeroed();
    // SAFETY: the table has at least `there` bytes, and every bit pattern is a valid table because
    // null functions are `None`.
    let copy = unsafe {
        copy.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(table.cast(), there);
        copy.assume_init()
    };
    // SAFETY: the texts and parameters are constants of the plugin.
    unsafe { declare(&copy) }.map_err(breaks)
}

/// # Safety
/// The table's pointers must be as the header requires.
unsafe fn declare(table: &Table) -> Result<(Declared, Calls), String> {
    // SAFETY: guaranteed by the caller.
    let (name, version, summary) = unsafe {
        (
            text(table.name, "name")?,
            text(table.version, "version")?,
            text(table.summary, "summary")?,
        )
    };
    if !is_name(&name) {
        return Err(format!(
            "its name is `{name}`, but a name is 1 to 64 lower-case letters, digits, `-` and `_`"
        ));
    }
    if version.trim().is_empty() {
        return Err("its `version` is empty".to_owned());
    }
    // SAFETY: guaranteed by the caller.
    let declared = unsafe {
        parameters(table.parameters, table.parameter_count, table.parameter_size, &["plugin"])
    }?;
    let plugin = guard::plugin(&name);
    // SAFETY: guaranteed by the caller.
    let (operators, operator_calls) = unsafe { operator_table::read(table, plugin) }?;
    macro_rules! required {
        ($($call:ident),*) => {
            ProblemCalls {
                plugin,
                $($call: table.$call.ok_or_else(|| format!("`{}` is null, but every plugin needs \
                    it", stringify!($call)))?,)*
                crossover: table.crossover,
                mutate: table.mutate,
                is_valid: table.is_valid,
                render: table.render,
                enumerate: table.enumerate,
                number: table.number,
                evaluate_constrained: table.evaluate_constrained,
                moves: MoveCalls::of(table)?,
                conflicts: table.conflicts,
                construct: table.construct.filter(|_| table.conflicts.is_some()),
                evaluate_noisy: table.evaluate_noisy,
            }
        };
    }
    let has_problem = operators.is_empty()
        || table.create.is_some()
        || table.describe.is_some()
        || table.sample.is_some()
        || table.evaluate.is_some();
    let problem = match has_problem {
        true => Some(required!(create, destroy, describe, sample, evaluate)),
        false => None,
    };
    let calls = Calls { problem, operators: operator_calls };
    let abi = (table.abi_major, table.abi_minor);
    Ok((
        Declared {
            name,
            version,
            summary,
            parameters: declared,
            has_problem,
            operators,
            abi,
            debug_build: cfg!(debug_assertions),
            language: None,
            files: Vec::new(),
        },
        calls,
    ))
}
