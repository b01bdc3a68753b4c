//! Conformance: checks that a plugin in any language follows the rules of the plugin interface.
//! Each check can fail, and says what it saw; a test has a faulty plugin for each.

mod answers;
mod batch;
mod conflicts;
mod fitness;
mod genomes;
mod memory;
mod moves;
mod operators;
mod others;
mod rendering;
mod speed;
mod subject;

use crate::problem::parameter::Value;
use crate::problem::{CallError, Description, Library, OperatorKind, PluginError};
use crate::system::memory::size;
pub use operators::{Operators, ends_of};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;
use subject::Subject;

/// Bytes of a genome, at most.
const LARGEST: u128 = 1 << 26;

/// Outcome of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", content = "seen", rename_all = "lowercase")]
pub enum Finding {
    /// No violation of the rule was seen.
    Passed(String),
    /// The rule is broken.
    Failed(String),
    /// There is nothing to check, for this reason.
    Skipped(String),
    /// The check did not end: the problem hangs or needs more time. No verdict on the rule.
    Unfinished(String),
}

impl From<CallError> for Finding {
    fn from(error: CallError) -> Self {
        Finding::Failed(format!("{}: {}", error.call, error.message))
    }
}

/// Result of a check. A failed call also breaks the rule.
type Found = Result<Finding, Finding>;

/// One check.
pub struct Check {
    /// Its name on the command line.
    pub name: &'static str,
    /// Rule that must hold.
    pub rule: &'static str,
    /// Document that states the rule.
    pub written: &'static str,
    run: Run,
}

/// Subject and function of a check.
enum Run {
    /// The plugin's problem.
    Problem(fn(&Subject) -> Found),
    /// The plugin's problem among other instances of it, which the check creates itself.
    Among(fn(&Arc<Library>, &[Value], Duration) -> Found),
    /// The problem of a program.
    Program(fn(&Subject) -> Found),
    /// Its operators for the problems of others.
    Operators(fn(&Operators<'_>) -> Found),
    /// Its algorithms.
    Algorithms(fn(&Operators<'_>) -> Found),
}

impl Check {
    /// Whether the plugin has what is checked.
    #[must_use]
    pub fn applies(&self, library: &Library) -> bool {
        match self.run {
            Run::Problem(_) | Run::Among(_) => library.declared().has_problem,
            Run::Program(_) => library.declared().has_problem && library.is_program(),
            Run::Operators(_) => !library.declared().operators.is_empty(),
            Run::Algorithms(_) => {
                let mut operators = library.declared().operators.iter();
                operators.any(|operator| operator.kind == OperatorKind::Algorithm)
            }
        }
    }
}

/// Every check.
pub static CHECKS: [Check; 26] = [
    Check {
        name: "repeatable",
        rule: "the same call gives the same answer",
        written: "runner_plugin.h, rule 6",
        run: Run::Problem(answers::repeatable),
    },
    Check {
        name: "rows",
        rule: "a row's answer does not depend on the other rows of a call",
        written: "runner_plugin.h, rules 4 and 5",
        run: Run::Problem(answers::rows),
    },
    Check {
        name: "threads",
        rule: "many threads at once get the answers of one",
        written: "runner_plugin.h, rule 6",
        run: Run::Problem(answers::threads),
    },
    Check {
        name: "frames",
        rule: "a program answers each request once, in one process, and writes nothing else",
        written: "docs/programs.md, A problem in any other language",
        run: Run::Program(answers::frames),
    },
    Check {
        name: "instances",
        rule: "another instance with the same parameters gives the same answers",
        written: "runner_plugin.h, rule 6",
        run: Run::Problem(answers::instances),
    },
    Check {
        name: "sampling",
        rule: "samples are genomes of the encoding, and differ by row and seed",
        written: "plugins/README.md, What a plugin declares",
        run: Run::Problem(genomes::sampling),
    },
    Check {
        name: "validity",
        rule: "some samples keep the problem's own rules",
        written: "plugins/README.md, What a plugin declares",
        run: Run::Problem(genomes::validity),
    },
    Check {
        name: "operators",
        rule: "own crossover and mutation give other genomes of the encoding, valid ones among \
            them",
        written: "plugins/README.md, Own operators",
        run: Run::Problem(genomes::operators),
    },
    Check {
        name: "numbering",
        rule: "enumerate and number are each other's inverse",
        written: "plugins/README.md, Enumeration",
        run: Run::Problem(genomes::numbering),
    },
    Check {
        name: "fitness",
        rule: "every genome has a finite fitness, not below the ideal or above the worst",
        written: "runner_plugin.h, evaluate",
        run: Run::Problem(fitness::bounds),
    },
    Check {
        name: "ideal",
        rule: "the ideal is the least fitness there is",
        written: "runner_plugin.h, runner_description",
        run: Run::Problem(fitness::ideal),
    },
    Check {
        name: "noise",
        rule: "of a noisy problem, another seed and another row give another fitness",
        written: "runner_plugin.h, evaluate_noisy",
        run: Run::Problem(fitness::noise),
    },
    Check {
        name: "moves",
        rule: "a move has the fitness of the genome it leads to, and evaluating it changes nothing",
        written: "runner_plugin.h, runner_plugin",
        run: Run::Problem(moves::moves),
    },
    Check {
        name: "conflicts",
        rule: "conflicts are mutual, and a gene has the same by the state and by the genome",
        written: "runner_plugin.h, runner_plugin",
        run: Run::Problem(conflicts::conflicts),
    },
    Check {
        name: "rendering",
        rule: "a line is one line, a board ends with a line feed, an image is one SVG element \
            without scripts and outside links",
        written: "plugins/README.md, Rendering",
        run: Run::Problem(rendering::rendering),
    },
    Check {
        name: MEMORY,
        rule: "calls do not make the process grow",
        written: "runner_plugin.h, rule 3",
        run: Run::Problem(memory::memory),
    },
    Check {
        name: PROCESSES,
        rule: "another process gives the same answers",
        written: "runner_plugin.h, rule 6",
        run: Run::Problem(answers::digest),
    },
    Check {
        name: OTHERS,
        rule: "instances with other parameters change no answer",
        written: "runner_plugin.h, rule 6",
        run: Run::Among(others::digest_among_others),
    },
    Check {
        name: PARAMETERS,
        rule: "the least and the greatest value of each parameter make a problem that works, or \
            are refused in words",
        written: "plugins/README.md, What a plugin declares",
        run: Run::Problem(genomes::smoke),
    },
    Check {
        name: SPEED,
        rule: "(figures, no rule)",
        written: "docs/performance.md",
        run: Run::Problem(speed::speed),
    },
    Check {
        name: "operator-repeatable",
        rule: "the same call of an operator gives the same answer",
        written: "runner_plugin.h, rule 6",
        run: Run::Operators(operators::repeatable),
    },
    Check {
        name: "operator-rows",
        rule: "a child or mutant does not depend on the other rows of a call",
        written: "runner_plugin.h, rules 4 and 5",
        run: Run::Operators(operators::rows),
    },
    Check {
        name: "operator-results",
        rule: "an operator gives genomes of the encoding or rows that are there, and not always \
            the same",
        written: "runner_plugin.h, runner_operator",
        run: Run::Operators(operators::results),
    },
    Check {
        name: "operator-states",
        rule: "a search that goes on from its state asks for the same genomes",
        written: "runner_plugin.h, runner_operator",
        run: Run::Algorithms(operators::states),
    },
    Check {
        name: OPERATOR_PROCESSES,
        rule: "another process gives the same answers",
        written: "runner_plugin.h, rule 6",
        run: Run::Operators(operators::digest),
    },
    Check {
        name: "operator-parameters",
        rule: "the least and the greatest value of each parameter make an operator that works, or \
            are refused in words",
        written: "plugins/README.md, Operators of one's own",
        run: Run::Operators(operators::parameters),
    },
];

/// Name of the check that compares the digests of two processes.
pub const PROCESSES: &str = "processes";
/// Name of the check that compares a process with other instances to one without them.
pub const OTHERS: &str = "others";
/// Name of the check of operators in several processes.
pub const OPERATOR_PROCESSES: &str = "operator-processes";
/// The check that counts allocations.
pub const MEMORY: &str = "memory";
/// The check that is made with other values of the parameters.
pub const PARAMETERS: &str = "parameters";
/// The check that other plugins make too.
pub const SPEED: &str = "speed";

/// Runs a check in this process: on the problem of these values, or on the operators with those
/// that are set. A check that takes longer than `time` may end without a verdict.
#[must_use]
pub fn run(
    check: &Check,
    library: &Arc<Library>,
    (values, set): (&[Value], &[(String, String)]),
    time: Duration,
) -> Finding {
    match check.run {
        Run::Problem(run) | Run::Program(run) => on_problem(check, run, (library, values), time),
        Run::Among(run) => run(library, values, time).unwrap_or_else(|broken| broken),
        Run::Operators(run) | Run::Algorithms(run) => {
            run(&Operators { library, set }).unwrap_or_else(|broken| broken)
        }
    }
}

/// Returns the size of a genome in bytes.
fn genome_bytes(problem: &Description) -> u128 {
    problem.genome_length as u128 * problem.gene.size() as u128
}

fn on_problem(
    check: &Check,
    run: fn(&Subject) -> Found,
    (library, values): (&Arc<Library>, &[Value]),
    time: Duration,
) -> Finding {
    match library.create(values) {
        Ok(problem) => {
            let bytes = genome_bytes(problem.description());
            if bytes > LARGEST {
                let bytes = size(bytes);
                return Finding::Skipped(format!("a genome has {bytes}, too much to try here"));
            }
            run(&Subject::new(problem, time)).unwrap_or_else(|broken| broken)
        }
        // Refused: that is an answer.
        Err(PluginError::Create { message, .. }) if check.name == PARAMETERS => {
            Finding::Passed(format!("refused: {message}"))
        }
        Err(error) => Finding::Failed(error.to_string()),
    }
}
