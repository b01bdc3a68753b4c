//! Reads and checks the fields of a plugin's table: texts, names and parameters.

use crate::problem::parameter::{Fallback, Kind, Parameter, Value};
use crate::words;
use runner_plugin::abi::{self, runner_parameter, runner_text, runner_value};
use std::borrow::Cow;

/// Maximum length of a text in bytes and of a list in items. A greater value indicates an invalid
/// pointer.
pub(super) const SANE: u64 = 1 << 16;

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
    words::listed(&words, "or")
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
    let later = raw.flags & abi::RUNNER_LATER != 0;
    Ok(Parameter { key: key.into(), kind, fallback, doc: doc.into(), later, varies: false })
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
        abi::RUNNER_FILE => Kind::File,
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
            // As for a value that is given, -0 is 0.
            Ok(Value::Real(raw.real + 0.0))
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
        Kind::File if raw.text.length == 0 => Ok(Value::Text("".into())),
        Kind::File => Err("is a path, but a file has no default but none".to_owned()),
    }
}
