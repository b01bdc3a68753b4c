//! Repeat on the live page: its verdicts are those of `runner compare`.

use crate::serve::{Server, is_over};
use crate::util::Sandbox;
use serde_json::json;

/// Two searches with other budgets: one ends by its generations.
const OTHER_BUDGETS: &str = r#"name = "budgets"
seed = 8
repeats = 40
[problem]
plugin = "nqueens"
n = 30
[[operators]]
name = "genetic"
population = 20
selection = { kind = "tournament", size = 2 }
crossover = "uniform"
mutation = "reset"
[[operators]]
name = "climbing"
algorithm = "hill-climbing"
[stop]
generations = 30
evaluations = 700
"#;

/// Traces tell the fitness at the smaller budget, here as in the tables. Without a trace it is not
/// known in either.
#[test]
fn traces_count_in_repeats_as_in_tables() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[]);
    for (trace, known) in [("", false), ("best", true), ("population", true)] {
        let output = if known { format!("[output]\ntrace = \"{trace}\"\n") } else { String::new() };
        let name = format!("budgets{trace}");
        let text =
            format!("{}{output}", OTHER_BUDGETS.replace("\"budgets\"", &format!("{name:?}")));
        sandbox.write("budgets.toml", &text);
        sandbox.run(&["budgets.toml"]).code(0);
        let id = server.begin(&json!({ "task": "repeat", "text": text, "trials": 40 }));
        let repeats = server.until(&id, "repeats", is_over);
        let compared = server.json(&format!("/api/experiments/{name}/comparison"));
        let words = &repeats["verdicts"][0]["words"];
        assert_eq!(words, &compared["pairs"][0]["verdict"]);
        let is_unknown = words.as_str().is_some_and(|words| words.contains("is not known"));
        assert_eq!(is_unknown, !known, "{trace}: {words}");
        assert_eq!(repeats["note"], json!(null));
    }
}
