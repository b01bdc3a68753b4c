//! Control characters, and those that set the direction of writing, in the texts of a plugin: what
//! is made for readers shows their code.

use crate::house::files;
use crate::python::python;
use crate::util::Sandbox;

const PROBLEM: &str = r#"
from runner import Bits, Text

class Problem:
    """Sums\u202e bits\x1b[31m."""
    version = "1\u202e\x1b[2J"
    parameters = {"note": Text("none", doc="A\u2066 note.")}

    def __init__(self, note):
        self.note = note

    def describe(self):
        return Bits(8, worst=8)

    def fitness(self, genome):
        return sum(genome)

    def render(self, genome, kind):
        return "line\u202e\x1b[31m" if kind == "line" else None
"#;

const CONFIG: &str = r#"repeats = 4
[problem]
plugin = "hides.py"
[[operators]]
name = "ga"
population = 4
selection = "uniform"
mutation = "bit-flip"
[sweep]
"problem.note" = ["one\u202e\u001b[31m", "two\u0085"]
[stop]
evaluations = 20
fitness = 0
"#;

fn is_hidden(letter: &char) -> bool {
    let directs = ['\u{61c}', '\u{200e}', '\u{200f}'].contains(letter)
        || ('\u{2028}'..='\u{202e}').contains(letter)
        || ('\u{2066}'..='\u{2069}').contains(letter);
    directs || letter.is_control() && !['\n', '\t'].contains(letter)
}

#[test]
fn what_readers_get_shows_the_codes_of_hidden_characters() {
    if python("sys").is_none() {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.write("hides.py", PROBLEM);
    sandbox.write("a.toml", CONFIG);
    sandbox.run(&["a.toml"]).code(0);
    sandbox.run(&["report", "results/a"]).code(0);
    sandbox.run(&["plot", "results/a"]).code(0);
    for command in [&["show", "results/a", "--latex"][..], &["show", "results/a", "--trials"]] {
        let ran = sandbox.run(command).code(0);
        assert_eq!(ran.stdout.chars().find(is_hidden), None, "{ran}");
        assert!(ran.stdout.contains("u202e"), "{ran}");
    }
    let folder = sandbox.path(".");
    for ending in ["html", "svg"] {
        let made = files(&folder, ending);
        assert!(!made.is_empty(), "{ending}");
        let mut shows = 0;
        for path in made {
            let text = std::fs::read_to_string(&path).expect("UTF-8");
            assert_eq!(text.chars().find(is_hidden), None, "{}", path.display());
            shows += text.matches("\\u202e").count();
        }
        assert!(shows > 0, "{ending}");
    }
}
