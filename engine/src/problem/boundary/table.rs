//! Reads and checks a plugin's table.

use super::super::{Permitted, PluginError};
use super::environment;
use super::operator_table::{self, OperatorCalls};
use crate::problem::operator::DeclaredOperator;
use crate::problem::parameter::{Fallback, Kind, Parameter, Value};
use crate::system::guard::{self, Call, PluginNumber};
use runner_plugin::abi::{
    self, runner_parameter, runner_plugin as Table, runner_text, runner_value,
};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::mem::MaybeUninit;
use std::path::{Path, PathBuf};

/// Checked table, in the host's own types.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Declared {
    /// Name in configs and in the plugin's file name.
    pub name: String,
    /// Version, as its author writes it.
    pub version: String,
    /// Description of the problem in one sentence.
    pub summary: String,
    /// Parameters that users may set, in the plugin's order.
    pub parameters: Vec<Parameter>,
    /// Whether the plugin has a problem; a plugin may have only operators.
    pub has_problem: bool,
    /// Operators for the problems of any plugin, in the plugin's order.
    pub operators: Vec<DeclaredOperator>,
    /// ABI version: major, minor.
    pub abi: (u32, u32),
    /// Whether the library says that it was built without optimisation.
    pub debug_build: bool,
    /// Language and version of a program, as in "CPython 3.13.5, numpy 2.3.4"; `None` for a
    /// library.
    pub language: Option<String>,
    /// Other files of a program, relative to its folder; empty for a library.
    pub files: Vec<PathBuf>,
}

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

/// Maximum length of a text in bytes and of a list in items. A greater value indicates an invalid
/// pointer.
pub(super) const SANE: u64 = 1 << 16;

/// Size of the table of ABI 1.0 in bytes.
const TABLE_1_0: u64 = std::mem::offset_of!(Table, evaluate_constrained) as u64;

/// Loads a library and reads its table.
pub(crate) fn open(permitted: &Permitted) -> Result<(Declared, Calls), PluginError> {
    let path = &permitted.path;
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
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

/// # Safety
/// `text` must point to as many bytes as it states.
pub(super) unsafe fn text(text: runner_text, what: &str) -> Result<String, String> {
    if text.length == 0 {
        return Ok(String::new());
    }
    if text.data.is_null() || text.length > SANE {
        return Err(format!("`{what}` is a text of {} bytes at {:p}", text.length, text.data));
    }
    // SAFETY: guaranteed by the caller, and the pointer is not null.
    let bytes = unsafe { std::slice::from_raw_parts(text.data.cast::<u8>(), text.length as usize) };
    std::str::from_utf8(bytes).map(str::to_owned).map_err(|_| format!("`{what}` is not UTF-8"))
}

/// Formats a list of words, such as "`plugin`" or "`kind`, `rate` or `children`".
pub(crate) fn listed(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match words.as_slice() {
        [most @ .., last] if !most.is_empty() => format!("{} or {last}", most.join(", ")),
        words => words.concat(),
    }
}

/// Returns whether this is a valid plugin name.
pub(crate) fn is_name(name: &str) -> bool {
    name.len() <= 64
        && name.starts_with(|first: char| first.is_ascii_lowercase() || first.is_ascii_digit())
        && name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_'))
}

/// Returns whether this is a valid parameter key.
pub(crate) fn is_key(key: &str) -> bool {
    key.starts_with(|first: char| first.is_ascii_lowercase())
        && key.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_'))
}

/// Reads parameters and checks that none of their keys is in `reserved`.
///
/// # Safety
/// `first` must point to `count` parameters at intervals of `stride` bytes, each as the header
/// requires.
pub(super) unsafe fn parameters(
    first: *const runner_parameter,
    count: u64,
    stride: u64,
    reserved: &[&str],
) -> Result<Vec<Parameter>, String> {
    if count == 0 {
        return Ok(Vec::new());
    }
    let known = size_of::<runner_parameter>();
    if first.is_null() || count > SANE {
        return Err(format!("`parameters` are {count} at {first:p}"));
    }
    if stride < known as u64
        || stride > SANE
        || !stride.is_multiple_of(align_of::<runner_parameter>() as u64)
    {
        return Err(format!(
            "`parameter_size` is {stride}, but a parameter of ABI 1.0 has {known} bytes"
        ));
    }
    let mut parameters: Vec<Parameter> = Vec::new();
    for place in 0..count as usize {
        // SAFETY: guaranteed by the caller: `count` parameters at intervals of `stride` bytes, each
        // of at least `known` bytes.
        let raw = unsafe { first.byte_add(place * stride as usize).read() };
        // SAFETY: guaranteed by the caller.
        let parameter = unsafe { parameter(&raw, place, reserved) }?;
        if parameters.iter().any(|other| other.key == parameter.key) {
            return Err(format!("it declares the parameter `{}` twice", parameter.key));
        }
        parameters.push(parameter);
    }
    Ok(parameters)
}

/// # Safety
/// The parameter's pointers must be as the header requires.
unsafe fn parameter(
    raw: &runner_parameter,
    place: usize,
    reserved: &[&str],
) -> Result<Parameter, String> {
    // SAFETY: guaranteed by the caller.
    let key = unsafe { text(raw.key, &format!("key of parameter {place}")) }?;
    if !is_key(&key) || reserved.contains(&key.as_str()) {
        return Err(format!(
            "the key of parameter {place} is `{key}`, but a key is lower-case words joined by `-` \
            or `_`, and not {}",
            listed(reserved)
        ));
    }
    // SAFETY: guaranteed by the caller.
    let doc = unsafe { text(raw.doc, &format!("doc of `{key}`")) }?;
    // SAFETY: guaranteed by the caller.
    let kind = unsafe { kind(raw, &key) }?;
    let fallback = if raw.flags & abi::RUNNER_REQUIRED != 0 {
        Fallback::Required
    } else {
        // SAFETY: guaranteed by the caller.
        Fallback::Value(
            unsafe { fallback(&raw.fallback, raw.kind, &kind) }
                .map_err(|rule| format!("the default of `{key}` {rule}"))?,
        )
    };
    Ok(Parameter { key: key.into(), kind, fallback, doc: doc.into() })
}

/// # Safety
/// The parameter's choices must be as the header requires.
unsafe fn kind(raw: &runner_parameter, key: &str) -> Result<Kind, String> {
    Ok(match raw.kind {
        abi::RUNNER_INTEGER => {
            let (low, high) = (raw.integer_low, raw.integer_high);
            if low > high {
                return Err(format!("the range of `{key}`, {low} to {high}, is empty"));
            }
            Kind::Integer { low, high }
        }
        abi::RUNNER_REAL => {
            let (low, high) = (raw.real_low, raw.real_high);
            if low.is_nan() || high.is_nan() || low > high {
                return Err(format!("the range of `{key}`, {low} to {high}, is empty"));
            }
            Kind::Real { low, high, low_open: false, high_open: false }
        }
        abi::RUNNER_BOOLEAN => Kind::Boolean,
        abi::RUNNER_STRING => Kind::Text,
        abi::RUNNER_CHOICE => {
            if raw.choices.is_null() || raw.choice_count == 0 || raw.choice_count > SANE {
                return Err(format!(
                    "the choices of `{key}` are {} at {:p}",
                    raw.choice_count, raw.choices
                ));
            }
            // SAFETY: guaranteed by the caller, and the pointer is not null.
            let choices =
                unsafe { std::slice::from_raw_parts(raw.choices, raw.choice_count as usize) };
            let mut words: Vec<Cow<'static, str>> = Vec::new();
            for choice in choices {
                // SAFETY: guaranteed by the caller.
                let word = unsafe { text(*choice, &format!("choice of `{key}`")) }?;
                if word.is_empty() || words.iter().any(|other| *other == word) {
                    return Err(format!(
                        "the choices of `{key}` contain `{word}`, which is empty or occurs twice"
                    ));
                }
                words.push(word.into());
            }
            Kind::Choice(words.into())
        }
        other => return Err(format!("`{key}` is a parameter of the unknown kind {other}")),
    })
}

/// # Safety
/// The value's text must be as the header requires.
unsafe fn fallback(raw: &runner_value, stated: u32, kind: &Kind) -> Result<Value, String> {
    if raw.kind != stated {
        return Err(format!("is a value of kind {}, not {stated}", raw.kind));
    }
    match kind {
        Kind::Integer { low, high } if (low..=high).contains(&&raw.integer) => {
            Ok(Value::Integer(raw.integer))
        }
        Kind::Integer { low, high } => Err(format!("is {}, outside {low} to {high}", raw.integer)),
        Kind::Real { low, high, .. } if (low..=high).contains(&&raw.real) => {
            Ok(Value::Real(raw.real))
        }
        Kind::Real { low, high, .. } => Err(format!("is {}, outside {low} to {high}", raw.real)),
        Kind::Boolean if raw.integer == 0 || raw.integer == 1 => {
            Ok(Value::Boolean(raw.integer == 1))
        }
        Kind::Boolean => Err(format!("is {}, neither 0 nor 1", raw.integer)),
        Kind::Choice(words) => usize::try_from(raw.integer)
            .ok()
            .and_then(|index| words.get(index))
            .map(|word| Value::Text(word.clone()))
            .ok_or_else(|| {
                format!("is choice number {}, but there are {}", raw.integer, words.len())
            }),
        // SAFETY: guaranteed by the caller.
        Kind::Text => unsafe { text(raw.text, "text") }.map(|text| Value::Text(text.into())),
    }
}
