//! Slips of syntax: habits from other formats or languages, with the way out.

use super::diagnostic::Diagnostic;
use super::source::Origin;

/// Returns the diagnostic of a slip that is seen in the line of an error: a habit from other
/// formats or languages.
pub(super) fn in_line(text: &str, source: usize, at: usize) -> Option<Diagnostic> {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line = text[start..].lines().next().unwrap_or_default();
    let line = line.split('#').next().unwrap_or_default();
    let place = |at: usize, length: usize| {
        let start = start + at;
        Origin { source, start, end: start + length }
    };
    let begins = |at: usize| line[..at].trim_end().ends_with(['=', '[', ',']);
    let quotes = ['\u{201c}', '\u{201d}', '\u{201e}', '\u{2018}', '\u{2019}', '«', '»'];
    let mut letters = line.char_indices();
    if let Some((at, quote)) = letters.find(|(at, one)| quotes.contains(one) && begins(*at)) {
        let error = place(at, quote.len_utf8())
            .error(format!("a typographic quote: {quote}"), "not a quote of TOML");
        return Some(error.rule("in TOML, texts are in straight quotes").help("write \""));
    }
    if let Some((key, value)) = line.split_once(':')
        && !key.trim().is_empty()
        && key.trim().chars().all(|letter| letter.is_alphanumeric() || "-_.\"".contains(letter))
    {
        let error = place(key.len(), 1).error("a colon after a key", "write =");
        let key = key.trim();
        let value = value.trim().trim_start_matches('=').trim_end_matches(',').trim();
        let help = match value {
            "" => format!("write {key} = and a value; the header of a table is [{key}]"),
            value => format!("write {key} = {value}"),
        };
        return Some(error.rule("in TOML, = is between a key and its value").help(help));
    }
    line.match_indices('=').find_map(|(at, _)| {
        let value = line[at + 1..].trim_start();
        let digits =
            |text: &str| text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
        let whole = digits(value);
        let part = value[whole..].strip_prefix(',').map_or(0, digits);
        if whole == 0 || part == 0 {
            return None;
        }
        let number = &value[..whole + 1 + part];
        let [point, joined] = [".", ""].map(|mark| number.replace(',', mark));
        let at = line.len() - value.len();
        let error = place(at, number.len())
            .error(format!("a number with a comma: {number}"), "not a number");
        let help = match part == 3 && !number.starts_with('0') {
            true => format!("write {joined} or {point}"),
            false => format!("write {point}"),
        };
        Some(error.rule("in TOML, decimals follow a point, and thousands have no comma").help(help))
    })
}

/// Returns the diagnostic of a wrong number that has an error at a place.
pub(super) fn of_value(text: &str, source: usize, at: usize) -> Option<Diagnostic> {
    let ends = ['\n', '\r', '=', '[', ']', '{', '}', ',', '#', '"'];
    let start = text[..at].rfind(ends).map_or(0, |place| place + 1);
    let end = text[at..].find(ends).map_or(text.len(), |length| at + length);
    let written = text[start..end].trim();
    let start = end - text[start..end].trim_start().len();
    let origin = Origin { source, start, end: start + written.len() };
    let digits = written.trim_start_matches(['+', '-']);
    if let Some(error) = leading_zero(origin, written) {
        return Some(error);
    }
    let prefix = digits.get(..2).filter(|prefix| ["0x", "0o", "0b"].contains(prefix))?;
    Some(not_of_base(origin, written, prefix))
}

/// Returns the complaint about a number that begins with zeros; `None` if it does not.
pub(super) fn leading_zero(origin: Origin, written: &str) -> Option<Diagnostic> {
    let number = written.trim_start_matches(['+', '-']);
    let rest = number.trim_start_matches('0');
    let is_digit = |letter: char| letter.is_ascii_digit();
    if !number.get(1..)?.starts_with(is_digit) || rest.len() == number.len() {
        return None;
    }
    let sign = &written[..written.len() - number.len()];
    let zero = if rest.starts_with(is_digit) { "" } else { "0" };
    let error = origin.error(format!("a number with a leading zero: {written}"), "not a number");
    let error = error.rule("in TOML, only 0 itself and decimals such as 0.5 begin with 0");
    Some(error.help(format!("write {sign}{zero}{rest}")).of_syntax())
}

/// Returns the complaint about a number of another base, such as `0xGG`.
pub(super) fn not_of_base(origin: Origin, written: &str, prefix: &str) -> Diagnostic {
    let digits = match prefix {
        "0x" => "0 to 9 and a to f",
        "0o" => "0 to 7",
        _ => "0 and 1",
    };
    let error = origin.error(format!("not a number: {written}"), "not a number");
    let error = error.rule(format!("in TOML, the digits behind {prefix} are {digits}"));
    error.help("write it in decimal digits, such as 200").of_syntax()
}
