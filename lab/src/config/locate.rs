//! Places of a text by its keys: which key a byte belongs to, and the text as JSON.

use serde_json::{Map, Value as Json};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Returns the path of the innermost key whose key or value has this byte, such as `problem.n` or
/// `operators.0.selection.size`. Returns an empty path if there is no such key, or if the text is
/// no TOML.
#[must_use]
pub fn key_at(text: &str, byte: usize) -> String {
    let Ok(table) = DeTable::parse(text) else { return String::new() };
    let mut path = Vec::new();
    in_table(table.get_ref(), byte, &mut path);
    path.join(".")
}

fn in_table(table: &DeTable<'_>, byte: usize, path: &mut Vec<String>) -> bool {
    for (key, value) in table {
        path.push(key.get_ref().to_string());
        if in_value(value, byte, path) || key.span().contains(&byte) {
            return true;
        }
        path.pop();
    }
    false
}

fn in_value(value: &Spanned<DeValue<'_>>, byte: usize, path: &mut Vec<String>) -> bool {
    let below = match value.get_ref() {
        DeValue::Table(table) => in_table(table, byte, path),
        DeValue::Array(items) => items.iter().enumerate().any(|(place, item)| {
            path.push(place.to_string());
            let found = in_value(item, byte, path);
            if !found {
                path.pop();
            }
            found
        }),
        _ => false,
    };
    below || value.span().contains(&byte)
}

/// Returns a text as JSON; `None` if it is no TOML. Numbers that JSON's readers may not hold
/// exactly are texts.
#[must_use]
pub fn text_as_json(text: &str) -> Option<Json> {
    DeTable::parse(text).ok().map(|table| of_table(table.get_ref()))
}

/// Returns the keys of `[sweep]`, or of each `[[sweep]]`, in the order of the text. The arms have
/// that order, and JSON has none.
#[must_use]
pub fn sweep_keys(text: &str) -> Vec<Vec<String>> {
    let Ok(table) = DeTable::parse(text) else { return Vec::new() };
    let keys = |value: &Spanned<DeValue<'_>>| match value.get_ref() {
        DeValue::Table(table) => {
            let mut keys: Vec<_> = table.keys().collect();
            keys.sort_by_key(|key| key.span().start);
            keys.iter().map(|key| key.get_ref().to_string()).collect()
        }
        _ => Vec::new(),
    };
    match table.get_ref().get("sweep") {
        Some(value) => match value.get_ref() {
            DeValue::Array(tables) => tables.iter().map(keys).collect(),
            _ => vec![keys(value)],
        },
        None => Vec::new(),
    }
}

fn of_table(table: &DeTable<'_>) -> Json {
    let entries =
        table.iter().map(|(key, value)| (key.get_ref().to_string(), of_value(value.get_ref())));
    Json::Object(entries.collect::<Map<String, Json>>())
}

/// The greatest integer up to which all are exact as a JavaScript number.
const EXACT: i64 = (1 << 53) - 1;

fn of_value(value: &DeValue<'_>) -> Json {
    match value {
        DeValue::Integer(written) => {
            let number = i64::from_str_radix(written.as_str(), written.radix());
            match number {
                Ok(number) if number.abs() <= EXACT => number.into(),
                _ => written.as_str().into(),
            }
        }
        DeValue::Float(written) => written.as_str().parse::<f64>().map_or(Json::Null, Json::from),
        DeValue::Boolean(truth) => (*truth).into(),
        DeValue::String(text) => text.as_ref().into(),
        DeValue::Datetime(time) => time.to_string().into(),
        DeValue::Array(items) => items.iter().map(|item| of_value(item.get_ref())).collect(),
        DeValue::Table(table) => of_table(table),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sweeps_keep_the_order_of_the_text() {
        let one = "[sweep]\n\"problem.n\" = [8]\n\"operators.a.population\" = [1]\n";
        assert_eq!(sweep_keys(one), [["problem.n", "operators.a.population"]]);
        let two = "[[sweep]]\nseed = [1]\n\"problem.n\" = [8]\n[[sweep]]\nb = 1\na = 2\n";
        assert_eq!(sweep_keys(two), [["seed", "problem.n"], ["b", "a"]]);
        assert!(sweep_keys("seed = 1\n").is_empty());
    }

    #[test]
    fn a_byte_has_its_innermost_key() {
        let text = "seed = 1\n[problem]\nplugin = \"x\"\nn = 8\n\n[[operators]]\n\
            selection = { kind = \"tournament\", size = 2 }\n";
        for (at, path) in [
            ("1", "seed"),
            ("n = 8", "problem.n"),
            ("8", "problem.n"),
            ("\"x\"", "problem.plugin"),
            ("size", "operators.0.selection.size"),
            ("2", "operators.0.selection.size"),
            ("selection", "operators.0.selection"),
        ] {
            let byte = text.find(at).expect("it is there");
            assert_eq!(key_at(text, byte), path, "{at}");
        }
        assert_eq!(key_at("a = ", 0), "");
    }

    #[test]
    fn a_text_is_the_same_as_json() {
        let json =
            text_as_json("seed = 18446744073709551615\n[stop]\nfitness = 0\nx = [1.5, true]")
                .expect("it is TOML");
        let expected = serde_json::json!({
            "seed": "18446744073709551615", "stop": { "fitness": 0, "x": [1.5, true] },
        });
        assert_eq!(json, expected);
    }
}
