//! A key of an experiment file as the command line left it.

use super::options::{Overrides, change, changes};
use super::parse::parse;
use super::source::Sources;
use toml::{Table, Value};

/// Returns the value of a key at the top of an experiment file, with the overrides of its run.
pub fn asked(config: &str, overrides: &[String], key: &str) -> Option<Value> {
    let (mut sources, mut faults) = (Sources::default(), Vec::new());
    let source = sources.add("the experiment file", config);
    let mut root = parse(&sources, source, &mut faults);
    let changes = changes(&Overrides::from_words(overrides), &mut sources, &mut faults);
    change(&mut root, &changes, &mut faults);
    let value = root.take(key)?;
    format!("{key} = {}", value.to_toml()).parse::<Table>().ok()?.remove(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_has_the_last_word() {
        let config = "seed = 5\nrepeats = { half-width = 0.1, max = 100 }\n";
        let asked = |words: &[&str], key| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            asked(config, &words, key)
        };
        assert_eq!(asked(&[], "seed"), Some(Value::Integer(5)));
        assert_eq!(asked(&["--set seed=7"], "seed"), Some(Value::Integer(7)));
        assert_eq!(asked(&["--seed 9", "--set seed=7"], "seed"), Some(Value::Integer(9)));
        assert_eq!(asked(&[], "name"), None);
        let repeats = asked(&["--set repeats.confidence=0.9"], "repeats").expect("repeats");
        assert_eq!(repeats["confidence"].as_float(), Some(0.9));
        assert_eq!(repeats["half-width"].as_float(), Some(0.1));
        assert_eq!(asked(&["--repeats 50"], "repeats"), Some(Value::Integer(50)));
    }
}
