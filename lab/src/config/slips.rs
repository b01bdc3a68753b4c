//! Slips of syntax: habits from other formats or languages, with the way out.

use super::diagnostic::Diagnostic;
use super::source::Origin;

/// Returns the diagnostic of a slip that is seen in the line of an error: a habit from other
/// formats or languages.
pub(super) fn in_line(text: &str, source: usize, at: usize) -> Option<Diagnostic> {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line = text[start..].lines().next().unwrap_or_default();
    let line = line.split('#').next().unwrap_or_default();
    let bare = outside_quotes(line);
    let place = |at: usize, length: usize| {
        let start = start + at;
        Origin { source, start, end: start + length }
    };
    let begins = |at: usize| line[..at].trim_end().ends_with(['=', '[', ',']);
    if MERGE_MARKS.iter().any(|mark| line.starts_with(mark)) {
        // The marks are one slip, which begins with the first of them.
        let lines = text.split_inclusive('\n').scan(0, |end, line| {
            *end += line.len();
            Some((*end - line.len(), line))
        });
        let mut marked = lines.filter(|(_, line)| line.starts_with(MERGE_MARKS[0]));
        let start = marked.next().map_or(start, |(first, _)| first);
        let origin = Origin { source, start, end: start + MERGE_MARKS[0].len() };
        let error = origin.error("a merge conflict", "it begins here");
        let error = error.rule("version control marks lines of which it cannot tell what is right");
        return Some(error.help("keep one of the two parts, and remove the three marks"));
    }
    let quotes = ['\u{201c}', '\u{201d}', '\u{201e}', '\u{2018}', '\u{2019}', '«', '»', '`'];
    let mut letters = line.char_indices();
    if let Some((at, quote)) = letters.find(|(at, one)| quotes.contains(one) && begins(*at)) {
        let name = if quote == '`' { "a backquote" } else { "a typographic quote" };
        let error =
            place(at, quote.len_utf8()).error(format!("{name}: {quote}"), "not a quote of TOML");
        return Some(error.rule("in TOML, texts are in straight quotes").help("write \""));
    }
    if let Some(at) = bare.find("//").filter(|at| line[..*at].ends_with([' ', '\t']) || *at == 0) {
        return Some(comment(place(at, line.len() - at), "//", &line[at + 2..]));
    }
    let blanks = line.len() - line.trim_start().len();
    let mark = ["--", ";", "/*", "%"].iter().find(|mark| line[blanks..].starts_with(**mark));
    if let Some(mark) = mark {
        let words = line[blanks + mark.len()..].trim_end().trim_end_matches("*/").trim_end();
        return Some(comment(place(blanks, line.trim_end().len() - blanks), mark, words));
    }
    if let Some(key) = bare.split_once('=').map(|(key, _)| key.trim())
        && !key.starts_with(['[', '{', ']', '}'])
        && key.split_ascii_whitespace().count() > 1
        && key.chars().all(|letter| letter.is_ascii_alphanumeric() || " \t-_".contains(letter))
    {
        let error =
            place(blanks, key.len()).error(format!("a key with blanks: {key}"), "two words");
        let words: Vec<&str> = key.split_ascii_whitespace().collect();
        let error = error.rule("in TOML, a key without quotes has no blanks");
        return Some(error.help(format!("write {}", words.join("-"))));
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

/// Beginnings of lines by which version control marks a merge conflict.
const MERGE_MARKS: [&str; 4] = ["<<<<<<<", "|||||||", "=======", ">>>>>>>"];

/// Returns the complaint about a comment behind the mark of another language.
fn comment(origin: Origin, mark: &str, words: &str) -> Diagnostic {
    let error = origin.error(format!("a comment behind {mark}"), "not a comment");
    error.rule("in TOML, a comment begins with #").help(format!("write #{words}"))
}

/// Returns the diagnostic of a wrong number that has an error at a place.
pub(super) fn of_value(text: &str, source: usize, at: usize) -> Option<Diagnostic> {
    let ends = ['\n', '\r', '=', '[', ']', '{', '}', ',', '#', '"'];
    let start = text[..at].rfind(ends).map_or(0, |place| place + 1);
    let end = text[at..].find(ends).map_or(text.len(), |length| at + length);
    // Other blanks than these are no blanks in TOML.
    let blanks = [' ', '\t'];
    let start = end - text[start..end].trim_start_matches(blanks).len();
    let written = text[start..end].trim_end_matches(blanks);
    let origin = Origin { source, start, end: start + written.len() };
    let digits = written.trim_start_matches(['+', '-']);
    if let Some(error) = leading_zero(origin, written) {
        return Some(error);
    }
    if let Some(prefix) = digits.get(..2).filter(|two| ["0x", "0o", "0b"].contains(two)) {
        return Some(not_of_base(origin, written, prefix));
    }
    if let Some(letter) = written.chars().find(|letter| !letter.is_ascii()) {
        return Some(foreign(text, origin, letter));
    }
    let error = origin.error(format!("not a number: {written}"), "not a number");
    let is_digit = |letter: char| letter.is_ascii_digit();
    let (whole, rest) = digits.split_at(digits.find(|one| !is_digit(one)).unwrap_or(digits.len()));
    let sign = &written[..written.len() - digits.len()];
    if let Some(fraction) = rest.strip_prefix('.') {
        let before = if whole.is_empty() { "0" } else { whole };
        let after = if fraction.starts_with(is_digit) { "" } else { "0" };
        let is_short = before != whole || !after.is_empty();
        let is_number = |letter: char| is_digit(letter) || "eE+-".contains(letter);
        if !is_short || !fraction.chars().all(is_number) || whole.len() + fraction.len() == 0 {
            return None;
        }
        let error = error.rule("in TOML, digits are on both sides of the point");
        return Some(error.help(format!("write {sign}{before}.{after}{fraction}")));
    }
    if whole.is_empty() || rest.is_empty() || rest.starts_with(['-', ':', '_', 'e', 'E']) {
        return None;
    }
    let error = error.rule("in TOML, a number has no unit, and no separators but _");
    let joined: String = written.chars().filter(|letter| !" '".contains(*letter)).collect();
    Some(match joined[sign.len()..].chars().all(is_digit) {
        true => error.help(format!("write {joined}")),
        false => error.help(format!("write out its digits, without {rest}")),
    })
}

/// Returns a line with blanks in place of the texts in quotes.
fn outside_quotes(line: &str) -> String {
    let mut open = None;
    let blank = |letter: char| {
        let is_open = open.is_some();
        match open {
            None if letter == '"' || letter == '\'' => open = Some(letter),
            Some(quote) if letter == quote => open = None,
            _ => {}
        }
        if is_open { " ".repeat(letter.len_utf8()) } else { letter.to_string() }
    };
    line.chars().map(blank).collect()
}

/// Returns the complaint about a character outside quotes that is not ASCII, and within `origin`.
fn foreign(text: &str, origin: Origin, letter: char) -> Diagnostic {
    let (name, help) = match letter {
        '\u{a0}' | '\u{202f}' | '\u{2007}' => (", no-break space", "write a space"),
        '\u{2000}'..='\u{200a}' | '\u{3000}' => (", a wide or narrow space", "write a space"),
        '\u{200b}'..='\u{200f}' | '\u{2060}' => (", which has no width", "remove it"),
        '\u{feff}' => (", byte order mark", "remove it"),
        '\u{2212}' => (", minus sign", "write -"),
        '\u{2010}'..='\u{2015}' => (", a dash", "write -"),
        '\u{ff1d}' => (", equals sign", "write ="),
        _ => ("", "write it with letters from a to z, or in quotes"),
    };
    let at = origin.start + text[origin.start..].find(letter).unwrap_or(0);
    let place = Origin { start: at, end: at + letter.len_utf8(), ..origin };
    let code = format!("U+{:04X}{name}", u32::from(letter));
    let message = format!("a character outside quotes: {code}");
    let error = place.error(message, "not allowed here");
    error.rule("in TOML, other characters than ASCII are in quotes and comments only").help(help)
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
