//! The forms of TOML: one document in every way that it can be written.

use serde_json::{Map, Value};

/// How tables, keys and texts are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `[a.b]` and `c = "…"`.
    Headers,
    /// `a.b.c = "…"`.
    Dotted,
    /// `a = { b = { c = '…' } }`.
    Inline,
    /// `["a"."b"]` and `"c" = """…"""`.
    Quoted,
    /// The same, of escapes alone.
    Escaped,
    /// `['a'.'b']` and `'c' = '''…'''`.
    Literal,
}

impl Form {
    pub(crate) const ALL: [Form; 6] =
        [Form::Headers, Form::Dotted, Form::Inline, Form::Quoted, Form::Escaped, Form::Literal];

    fn key(self, key: &str) -> String {
        let bare = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        match self {
            Form::Headers | Form::Dotted | Form::Inline if key.bytes().all(bare) => key.to_owned(),
            Form::Escaped => escaped(key),
            Form::Literal => format!("'{key}'"),
            _ => format!("{key:?}"),
        }
    }

    fn path(self, path: &[&str]) -> String {
        let keys: Vec<String> = path.iter().map(|key| self.key(key)).collect();
        keys.join(".")
    }

    /// A value in a line.
    fn value(self, value: &Value) -> String {
        match value {
            Value::String(text) => match self {
                Form::Headers | Form::Dotted => format!("{text:?}"),
                Form::Inline => format!("'{text}'"),
                Form::Quoted => format!("\"\"\"\n{text}\"\"\""),
                Form::Escaped => escaped(text),
                Form::Literal => format!("'''{text}'''"),
            },
            Value::Array(values) => {
                let values: Vec<String> = values.iter().map(|value| self.value(value)).collect();
                format!("[{}]", values.join(", "))
            }
            Value::Object(table) => {
                let entry = |(key, value): (&String, &Value)| {
                    format!("{} = {}", self.key(key), self.value(value))
                };
                let entries: Vec<String> = table.iter().map(entry).collect();
                format!("{{ {} }}", entries.join(", "))
            }
            value => value.to_string(),
        }
    }

    fn dotted(self, path: &[&str], value: &Value, out: &mut String) {
        match value {
            Value::Object(table) => {
                table.iter().for_each(|(key, value)| {
                    self.dotted(&[path, &[key]].concat(), value, out);
                });
            }
            value => *out += &format!("{} = {}\n", self.path(path), self.value(value)),
        }
    }

    fn headed(self, path: &[&str], table: &Map<String, Value>, out: &mut String) {
        // After a header, keys are those of its table.
        let (tables, values): (Vec<_>, Vec<_>) =
            table.iter().partition(|(_, value)| !tables_of(value).is_empty());
        for (key, value) in values {
            *out += &format!("{} = {}\n", self.key(key), self.value(value));
        }
        for (key, value) in tables {
            let path = [path, &[key]].concat();
            let name = self.path(&path);
            let header = if value.is_array() { format!("[[{name}]]") } else { format!("[{name}]") };
            for table in tables_of(value) {
                *out += &format!("{header}\n");
                self.headed(&path, table, out);
            }
        }
    }
}

/// The table that a value is, or the tables of a list of nothing else.
fn tables_of(value: &Value) -> Vec<&Map<String, Value>> {
    let list = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    let tables: Option<Vec<_>> = list.iter().map(Value::as_object).collect();
    tables.unwrap_or_default()
}

fn escaped(text: &str) -> String {
    let escapes: String = text.chars().map(|one| format!("\\u{:04x}", u32::from(one))).collect();
    format!("\"{escapes}\"")
}

/// Writes a document in this form.
pub(crate) fn write(document: &Value, form: Form) -> String {
    let Value::Object(table) = document else { panic!("a document is a table: {document}") };
    let mut out = String::new();
    match form {
        Form::Dotted => form.dotted(&[], document, &mut out),
        Form::Inline => table.iter().for_each(|(key, value)| {
            out += &format!("{} = {}\n", form.key(key), form.value(value));
        }),
        _ => form.headed(&[], table, &mut out),
    }
    out
}

#[test]
fn a_document_says_the_same_in_every_form() {
    let document = serde_json::json!({
        "a": "x y",
        "list": [1, "two"],
        "t": { "u": { "b.c": "/d" }, "v": [{ "w": true }, { "z": 2.5 }] },
    });
    for form in Form::ALL {
        let text = write(&document, form);
        let read: toml_edit::DocumentMut =
            text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(read["t"]["u"]["b.c"].as_str(), Some("/d"), "{text}");
        assert_eq!(read["list"][1].as_str(), Some("two"), "{text}");
        assert_eq!(read["t"]["v"][1]["z"].as_float(), Some(2.5), "{text}");
    }
}
