//! The definitions, table by table.

use super::{Form, Key, Table};
use crate::operators::operator::Slot;
use crate::plan::MOST_ARMS;
use crate::problem::parameter::{Fallback, Kind, Value};
use std::borrow::Cow;

/// The version that first had all of these.
const FIRST: &str = "0.1.0";

pub(super) const fn key(
    name: &'static str,
    form: Form,
    fallback: Fallback,
    doc: &'static str,
) -> Key {
    Key { name, form, fallback, doc, since: FIRST, swept: false }
}

/// Returns a key that `[sweep]` may give several values.
const fn swept(name: &'static str, form: Form, fallback: Fallback, doc: &'static str) -> Key {
    Key { name, form, fallback, doc, since: FIRST, swept: true }
}

const fn integer(low: i64, high: i64) -> Form {
    Form::Value(Kind::Integer { low, high })
}

/// Makes the form of a value that is one of some words.
macro_rules! choice {
    ($($word:literal),+) => {
        Form::Value(Kind::Choice(Cow::Borrowed(const { &[$(Cow::Borrowed($word)),+] })))
    };
}
pub(super) use choice;

const fn chosen(word: &'static str) -> Fallback {
    Fallback::Value(Value::Text(Cow::Borrowed(word)))
}

pub(super) const TEXT: Form = Form::Value(Kind::Text);
const SHARE: Form =
    Form::Value(Kind::Real { low: 0.0, high: 1.0, low_open: false, high_open: false });
pub(super) const ANY_NUMBER: Kind =
    Kind::Real { low: f64::NEG_INFINITY, high: f64::INFINITY, low_open: false, high_open: false };

/// Most trials per arm.
const MOST: i64 = 1_000_000_000_000;
/// Maximum number of trials per arm if outcomes are kept in memory, at one byte per trial and arm.
const MOST_ASKED: i64 = 1_000_000_000;
/// Largest population, in individuals.
const LARGEST: i64 = 10_000_000;

pub(crate) static NAME: Key = key(
    "name",
    TEXT,
    Fallback::Derived("the file's name without its extension"),
    "Names the folder under results/: 1 to 100 bytes of letters, digits, spaces and -_.+,=@, with \
    no dot or space at either end, and without .shard-, .round- and .submission.",
);
pub(crate) static EXTENDS: Key = key(
    "extends",
    Form::Paths,
    Fallback::Derived("none"),
    "Files, relative to this one, whose keys hold where this file says nothing: tables are merged, \
    lists and the rule of `repeats` replaced. A key that such a file sweeps stays swept: hold it \
    by a sweep of one value. Of several, later ones win. Each may extend others. Their `name` is \
    not taken.",
);
pub(crate) static SEED: Key = key(
    "seed",
    Form::Unsigned,
    Fallback::Value(Value::Integer(0)),
    "Every random number of the experiment derives from it. Other TOML parsers may refuse more \
    than 9223372036854775807.",
);
pub(crate) static REPEATS: Key = key(
    "repeats",
    Form::ValueOrTable(Kind::Integer { low: 1, high: MOST }, &REPEATS_TABLE),
    Fallback::Value(Value::Integer(100)),
    "Trials per arm, or a sequential stopping rule.",
);
pub(crate) static BASELINE: Key = key(
    "baseline",
    Form::Value(Kind::Boolean),
    Fallback::Value(Value::Boolean(false)),
    "Also run random search with as many evaluations as each arm can spend, and say which arms \
    beat it.",
);
pub(crate) static PAIRING: Key = key(
    "pairing",
    choice!("independent", "common"),
    chosen("independent"),
    "With \"common\", trial k of every arm of one problem starts from the same genomes, so that \
    arms can be compared in pairs.",
);
pub(crate) static CHECKPOINT: Key = key(
    "checkpoint",
    Form::Value(Kind::Real { low: 0.0, high: 1e9, low_open: false, high_open: false }),
    Fallback::Value(Value::Real(60.0)),
    "Seconds after which the evaluations of a running trial are written down, or a snapshot of its \
    state, so that it goes on after it was killed; 0 for never. It changes no result.",
);
pub(crate) static PROBLEM: Key =
    key("problem", Form::Table(&PROBLEM_TABLE), Fallback::Required, "The problem to solve.");
pub(crate) static OPERATORS: Key = key(
    "operators",
    Form::Tables(&OPERATOR_SET),
    Fallback::Required,
    "How to search; each table makes an arm.",
);
pub(crate) static PRESETS: Key = key(
    "presets",
    Form::PathsOrTables(&PRESET_TABLE),
    Fallback::Derived("none"),
    "Operator sets of your own that `preset` may name: here, or in files, relative to this one.",
);
pub(crate) static STOP: Key = key(
    "stop",
    Form::Table(&STOP_TABLE),
    Fallback::Derived("required, unless every search is exhaustive"),
    "When a trial ends.",
);
pub(crate) static START: Key = key(
    "start",
    Form::Table(&START_TABLE),
    Fallback::Derived("random genomes"),
    "Genomes of the first population.",
);
pub(crate) static SWEEP: Key = key(
    "sweep",
    Form::Table(&SWEEP_TABLE),
    Fallback::Derived("no sweep"),
    "Keys with several values.",
);
pub(crate) static TUNE: Key = key(
    "tune",
    Form::Table(&TUNE_TABLE),
    Fallback::Derived("no tuning"),
    "Keys of the operator set to tune: `runner tune` searches their ranges for good settings.",
);
pub(crate) static OUTPUT: Key = key(
    "output",
    Form::Table(&OUTPUT_TABLE),
    Fallback::Derived("no trace"),
    "What is recorded in addition to trials and summary.",
);

/// The top of the file.
pub(crate) static TOP: Table = Table {
    key: "",
    name: "an experiment file",
    example: "",
    header: "the top of the file, before the first table",
    doc: "Keys of the whole experiment.",
    keys: &[
        &EXTENDS,
        &NAME,
        &SEED,
        &REPEATS,
        &BASELINE,
        &PAIRING,
        &CHECKPOINT,
        &PROBLEM,
        &OPERATORS,
        &PRESETS,
        &STOP,
        &START,
        &SWEEP,
        &TUNE,
        &OUTPUT,
    ],
};

pub(crate) static HALF_WIDTH: Key = key(
    "half-width",
    Form::Value(Kind::Real { low: 1e-6, high: 0.5, low_open: false, high_open: true }),
    Fallback::Derived("either this, `successes`, `decide` or `best`"),
    "Run each arm until the interval of its success rate is at most twice this wide in total.",
);
pub(crate) static SUCCESSES: Key = key(
    "successes",
    integer(1, MOST_ASKED),
    Fallback::Derived("either this, `half-width`, `decide` or `best`"),
    "Run each arm until that many of its trials have succeeded. Trials after the last of these are \
    not in the tables.",
);
pub(crate) static DECIDE: Key = key(
    "decide",
    Form::TwoArms,
    Fallback::Derived("either this, `half-width`, `successes` or `best`"),
    "Run until it is known which of two arms has the higher success rate; evaluations and fitness \
    are not looked at. An arm is named by its label, or by an operator set that makes only one \
    arm.",
);
pub(crate) static BEST: Key = key(
    "best",
    Form::Value(Kind::Boolean),
    Fallback::Derived("either this, `half-width`, `successes` or `decide`"),
    "Race all arms of a problem until the one with the highest success rate is known: true. Arms \
    that are worse beyond doubt drop out early. Arms with other parameters of the problem, or \
    another [stop], have a race of their own.",
);
pub(crate) static MAX: Key = key(
    "max",
    integer(1, MOST_ASKED),
    Fallback::Required,
    "Maximum number of trials per arm; at least `successes`.",
);
pub(crate) static CONFIDENCE: Key = key(
    "confidence",
    Form::Value(Kind::Real { low: 0.0, high: 1.0, low_open: true, high_open: true }),
    Fallback::Value(Value::Real(0.95)),
    "Probability that the answer is right, which allows for repeated looks; with `successes`, the \
    level of the intervals.",
);

pub(crate) static REPEATS_TABLE: Table = Table {
    key: "repeats",
    name: "repeats",
    example: "repeats = { half-width = 0.02, max = 100000 }",
    header: "repeats = { … }",
    doc: "A sequential stopping rule instead of a fixed number of trials.",
    keys: &[&HALF_WIDTH, &SUCCESSES, &DECIDE, &BEST, &MAX, &CONFIDENCE],
};

pub(crate) static PLUGIN: Key = key(
    "plugin",
    TEXT,
    Fallback::Required,
    "A plugin's name, or the path to its library, Python file or program, relative to this file. \
    `runner plugins` lists the names.",
);
pub(crate) static INTERPRETER: Key = key(
    "interpreter",
    TEXT,
    Fallback::Derived("the active virtual environment's `python`, otherwise `python3`"),
    "What runs a plugin that is a Python file: a program's name, or a path relative to this file, \
    such as \".venv/bin/python\".",
);

pub(crate) static PROBLEM_TABLE: Table = Table {
    key: "problem",
    name: "the problem",
    example: "[problem] with plugin = \"nqueens\"",
    header: "[problem]",
    doc: "The plugin, and a key for each parameter of the plugin.",
    keys: &[&PLUGIN, &INTERPRETER],
};

pub(crate) static SET_NAME: Key = key(
    "name",
    TEXT,
    Fallback::Derived("the preset's name, otherwise operators-1, operators-2, …"),
    "Names the arms: 1 to 100 bytes, no control or invisible characters, no space at either end.",
);
pub(crate) static PRESET: Key = key(
    "preset",
    TEXT,
    Fallback::Derived("none"),
    "An operator set that is included in the runner, or one of `presets`; the other keys of the \
    table override its keys. `runner operators` lists those of the runner.",
);
pub(crate) static ALGORITHM: Key = swept(
    "algorithm",
    Form::Operator(Slot::Algorithm),
    chosen("evolutionary"),
    "The search algorithm. The other keys define the evolutionary algorithm.",
);
pub(crate) static POPULATION: Key = swept(
    "population",
    integer(1, LARGEST),
    Fallback::Derived("required; 100 for random and exhaustive search, `umda` and `pbil`"),
    "Individuals per generation. At least 2; 1 is allowed with mutation only and the replacement \
    plus or comma.",
);
pub(crate) static SCALING: Key = swept(
    "scaling",
    Form::Operator(Slot::Scaling),
    chosen("none"),
    "Turns fitness into the weight that selection uses.",
);
pub(crate) static SELECTION: Key =
    swept("selection", Form::Operator(Slot::Selection), Fallback::Required, "Chooses the parents.");
pub(crate) static MIX: Key = swept(
    "mix",
    Form::Table(&MIX_TABLE),
    Fallback::Derived("crossover, then mutation, each with its own rate"),
    "Exactly one operation per step, with these shares.",
);
pub(crate) static CROSSOVER: Key = swept(
    "crossover",
    Form::Operator(Slot::Crossover),
    Fallback::Derived("none; one of crossover and mutation is required"),
    "Makes children from two parents.",
);
pub(crate) static MUTATION: Key = swept(
    "mutation",
    Form::Operator(Slot::Mutation),
    Fallback::Derived("none; one of crossover and mutation is required"),
    "Changes a child.",
);
pub(crate) static REPLACEMENT: Key = swept(
    "replacement",
    Form::Operator(Slot::Replacement),
    chosen("generational"),
    "Makes the next population from parents and children.",
);

pub(crate) static CONSTRAINTS: Key = swept(
    "constraints",
    Form::Operator(Slot::Constraints),
    Fallback::Derived("feasibility-first, where the problem has constraints"),
    "What violations of the problem's constraints mean beside fitness. A trial succeeds with a \
    feasible genome only, whatever this says.",
);

pub(crate) static RESTARTS: Key = swept(
    "restarts",
    Form::Table(&RESTARTS_TABLE),
    Fallback::Derived("none, except those of the algorithm itself"),
    "When the search begins anew within the trial.",
);

pub(crate) static SHARING: Key = swept(
    "sharing",
    Form::Table(&SHARING_TABLE),
    Fallback::Derived("none: each individual keeps its weight"),
    "How individuals that are alike share their weights; for selections that draw by weight.",
);

pub(crate) static NOISE: Key = swept(
    "noise",
    Form::Table(&NOISE_TABLE),
    Fallback::Derived("each genome is evaluated once"),
    "How a search evaluates genomes of a noisy problem.",
);

pub(crate) static DUPLICATES: Key = swept(
    "duplicates",
    choice!("allow", "avoid", "reuse"),
    chosen("allow"),
    "What becomes of a genome that the trial evaluated before: it is evaluated again (\"allow\"), \
    it gets the fitness of the first time (\"reuse\"), or a child is drawn again until it is new, \
    at most 20 times (\"avoid\"). Genomes that are evaluated as moves are evaluated again, which \
    is fast.",
);

/// The keys that name an operator set, in place of saying how it searches.
pub(crate) const NAMING: [&Key; 2] = [&SET_NAME, &PRESET];

const SET_KEYS: &[&Key] = &[
    &SET_NAME,
    &PRESET,
    &ALGORITHM,
    &POPULATION,
    &SCALING,
    &SELECTION,
    &MIX,
    &CROSSOVER,
    &MUTATION,
    &REPLACEMENT,
    &CONSTRAINTS,
    &SHARING,
    &RESTARTS,
    &NOISE,
    &DUPLICATES,
];

pub(crate) static OPERATOR_SET: Table = Table {
    key: "operators",
    name: "an operator set",
    example: "[[operators]]",
    header: "[[operators]]",
    doc: "How to search. Each table makes an arm, or with a sweep one for each combination of \
        values.",
    keys: SET_KEYS,
};

pub(crate) static PRESET_TABLE: Table = Table {
    key: "presets",
    name: "a preset",
    example: "[[presets]] with name = \"mine\"",
    header: "[[presets]]",
    doc: "An operator set that others name with `preset`.",
    keys: SET_KEYS,
};

pub(crate) static CLONE: Key = swept(
    "clone",
    SHARE,
    Fallback::Value(Value::Real(0.0)),
    "Share of steps in which a parent is copied.",
);
pub(crate) static MIX_CROSSOVER: Key = swept(
    "crossover",
    SHARE,
    Fallback::Value(Value::Real(0.0)),
    "Share of steps with crossover of two parents.",
);
pub(crate) static MUTATE: Key = swept(
    "mutate",
    SHARE,
    Fallback::Value(Value::Real(0.0)),
    "Share of steps in which a copy of a parent is mutated.",
);

pub(crate) static MIX_TABLE: Table = Table {
    key: "mix",
    name: "a mix",
    example: "mix = { clone = 0.30, crossover = 0.69, mutate = 0.01 }",
    header: "mix = { … }",
    doc: "Shares that sum to 1. Crossover and mutation then take no rate.",
    keys: &[&CLONE, &MIX_CROSSOVER, &MUTATE],
};

pub(crate) static RUN_STAGNATION: Key = swept(
    "stagnation",
    integer(1, i64::MAX),
    Fallback::Derived("either this, `every` or `luby`"),
    "A run ends after this long without a better best fitness of the run.",
);
pub(crate) static RUN_EVERY: Key = swept(
    "every",
    integer(1, i64::MAX),
    Fallback::Derived("either this, `stagnation` or `luby`"),
    "Each run is this long. `runner runtimes` estimates the best length.",
);
pub(crate) static RUN_LUBY: Key = swept(
    "luby",
    integer(1, i64::MAX),
    Fallback::Derived("either this, `stagnation` or `every`"),
    "Runs are 1, 1, 2, 1, 1, 2, 4, … times this long (Luby, Sinclair and Zuckerman 1993).",
);
pub(crate) static RUN_UNIT: Key = swept(
    "unit",
    choice!("generations", "evaluations"),
    chosen("generations"),
    "What the number counts: generations after a run's initial population, or evaluations. A run \
    ends with a generation.",
);

pub(crate) static RESTARTS_TABLE: Table = Table {
    key: "restarts",
    name: "a rule for restarts",
    example: "restarts = { stagnation = 200 }",
    header: "restarts = { … }",
    doc: "Where a run ends, the next one begins with a random population. Each is independent of \
        the others; the best genome, the evaluations and the generations of the trial go on. A \
        search that ends by itself also begins anew.",
    keys: &[&RUN_STAGNATION, &RUN_EVERY, &RUN_LUBY, &RUN_UNIT],
};

/// Largest number of evaluations of a genome.
const MOST_EVALUATIONS: i64 = 100_000;
pub(crate) static EVALUATIONS_PER_GENOME: Key = swept(
    "evaluations-per-genome",
    integer(1, MOST_EVALUATIONS),
    Fallback::Value(Value::Integer(1)),
    "Number of evaluations of each genome. Each counts against the budget.",
);
pub(crate) static COMBINE: Key = swept(
    "combine",
    choice!("mean", "median"),
    chosen("mean"),
    "Statistic of these evaluations that the search takes as the fitness.",
);
pub(crate) static RE_EVALUATE: Key = swept(
    "re-evaluate",
    Form::Value(Kind::Boolean),
    Fallback::Value(Value::Boolean(false)),
    "Whether individuals that survived the last generation are evaluated anew in each: those that \
    are compared with children (replacement plus), the elite, or the current genome of simulated \
    annealing, threshold accepting and greedy hill climbing.",
);

pub(crate) static NOISE_TABLE: Table = Table {
    key: "noise",
    name: "a rule for noise",
    example: "noise = { evaluations-per-genome = 5 }",
    header: "noise = { … }",
    doc: "For problems whose fitness is noisy: each evaluation draws random numbers, which follow \
        from the trial's seed and the number of the evaluation (docs/noise.md).",
    keys: &[&EVALUATIONS_PER_GENOME, &COMBINE, &RE_EVALUATE],
};

const ABOVE_ZERO: Form =
    Form::Value(Kind::Real { low: 0.0, high: f64::INFINITY, low_open: true, high_open: true });
pub(crate) static RADIUS: Key = swept(
    "radius",
    ABOVE_ZERO,
    Fallback::Required,
    "Distance from which on two individuals share nothing: the number of positions that differ, \
    Euclid's distance for real genes, or Gower's for mixed ones.",
);
pub(crate) static ALPHA: Key = swept(
    "alpha",
    ABOVE_ZERO,
    Fallback::Value(Value::Real(1.0)),
    "Exponent of the distance in units of the radius.",
);

pub(crate) static SHARING_TABLE: Table = Table {
    key: "sharing",
    name: "a rule for sharing",
    example: "sharing = { radius = 5 }",
    header: "sharing = { … }",
    doc: "Divides the weight of each individual by its niche count: the sum of 1 - (d / \
        radius)^alpha over all individuals at distances d below the radius (Goldberg and \
        Richardson 1987). It compares all pairs of individuals in each generation.",
    keys: &[&RADIUS, &ALPHA],
};

pub(crate) static SCHEDULE_FROM: Key = key(
    "from",
    Form::Value(ANY_NUMBER),
    Fallback::Required,
    "Value when nothing of the budget is spent.",
);
pub(crate) static SCHEDULE_TO: Key =
    key("to", Form::Value(ANY_NUMBER), Fallback::Required, "Value when the whole budget is spent.");
pub(crate) static SCHEDULE_OVER: Key = key(
    "over",
    choice!("evaluations", "generations"),
    chosen("evaluations"),
    "The budget that counts; `[stop]` must have it.",
);
pub(crate) static SCHEDULE_COURSE: Key = key(
    "course",
    choice!("linear", "geometric"),
    chosen("linear"),
    "Equal steps, or equal factors, which need both values above 0.",
);

pub(crate) static SCHEDULE_TABLE: Table = Table {
    key: "rate",
    name: "a schedule",
    example: "rate = { from = 0.3, to = 0.01 }",
    header: "rate = { from = …, to = … }",
    doc: "In place of a number, `rate` of crossover and mutation, `gene-rate` and `sigma` take a \
        table: the value then changes with the share of a budget that is spent when a generation \
        begins (deterministic parameter control: Eiben, Hinterding and Michalewicz 1999). For the \
        algorithms that cross and mutate a population.",
    keys: &[&SCHEDULE_FROM, &SCHEDULE_TO, &SCHEDULE_OVER, &SCHEDULE_COURSE],
};

pub(crate) static FITNESS: Key = swept(
    "fitness",
    Form::Value(ANY_NUMBER),
    Fallback::Derived("the problem's ideal fitness"),
    "The target: a trial succeeds when its best fitness is at or below it; if the target is the \
    problem's ideal, a fitness within the problem's tolerance also counts. One below the ideal \
    cannot be reached.",
);
pub(crate) static GENERATIONS: Key = swept(
    "generations",
    integer(0, i64::MAX),
    Fallback::Derived("no limit"),
    "Maximum number of generations after the initial population.",
);
pub(crate) static EVALUATIONS: Key = swept(
    "evaluations",
    integer(1, i64::MAX),
    Fallback::Derived("no limit"),
    "Maximum number of computed fitness values; never exceeded.",
);
pub(crate) static STAGNATION: Key = swept(
    "stagnation",
    integer(1, i64::MAX),
    Fallback::Derived("no limit"),
    "Maximum number of consecutive generations without a better best fitness.",
);
pub(crate) static DIVERSITY: Key = swept(
    "diversity",
    Form::Value(Kind::Real { low: 0.0, high: f64::INFINITY, low_open: false, high_open: true }),
    Fallback::Derived("no limit"),
    "A trial ends when the diversity of its population is at or below this: the mean distance of \
    all pairs of individuals (Morrison and De Jong 2002), in positions that differ, Euclid's \
    for real genes, or Gower's for mixed ones, from 0 to 1. For algorithms with a population; \
    beside a budget, because mutation may keep it diverse.",
);
pub(crate) static TRIAL_SECONDS: Key = swept(
    "trial-seconds",
    Form::Value(Kind::Real { low: 0.0, high: 1e9, low_open: true, high_open: false }),
    Fallback::Derived("no limit"),
    "Maximum wall time in seconds: the only criterion whose outcome depends on the machine, and so \
    best a safety limit beside another budget.",
);
pub(crate) static ON_SUCCESS: Key = swept(
    "on-success",
    choice!("stop", "continue"),
    chosen("stop"),
    "Whether a trial ends when it succeeds, or continues to its budget (fixed-budget studies).",
);

pub(crate) static KEEP_ENDED: Key = key(
    "keep-ended",
    Form::Value(Kind::Boolean),
    Fallback::Value(Value::Boolean(false)),
    "Whether another budget (generations, evaluations, stagnation, trial-seconds) keeps the trials \
    that ended before it and for another reason: seeds then do not follow from the budget.",
);

pub(crate) static STOP_TABLE: Table = Table {
    key: "stop",
    name: "[stop]",
    example: "[stop] with generations = 1000",
    header: "[stop]",
    doc: "Termination criteria: a trial ends at the first that applies. At least one of \
        generations, evaluations, stagnation and trial-seconds is required, unless every search is \
        exhaustive.",
    keys: &[
        &FITNESS,
        &GENERATIONS,
        &EVALUATIONS,
        &STAGNATION,
        &DIVERSITY,
        &TRIAL_SECONDS,
        &ON_SUCCESS,
        &KEEP_ENDED,
    ],
};

pub(crate) static START_FILE: Key = key(
    "file",
    TEXT,
    Fallback::Derived("either this or `experiment`"),
    "The path of a file of genomes, relative to this one: CSV with a genome per line, or Parquet \
    with a column of lists.",
);
pub(crate) static START_COLUMN: Key = key(
    "column",
    TEXT,
    Fallback::Value(Value::Text(Cow::Borrowed("best"))),
    "The column of a Parquet file that has the genomes.",
);
pub(crate) static START_EXPERIMENT: Key = key(
    "experiment",
    TEXT,
    Fallback::Derived("either this or `file`"),
    "The path of the results folder of a finished experiment, relative to this file: the best \
    genome of each trial, the best one first.",
);
pub(crate) static START_ARM: Key = key(
    "arm",
    TEXT,
    Fallback::Derived("the experiment's only arm"),
    "The arm of that experiment: its label, its id, or an operator set that makes only one arm.",
);
pub(crate) static START_FITNESS: Key = key(
    "fitness",
    TEXT,
    Fallback::Derived("given genomes are evaluated like others"),
    "The column that has the fitness of the genomes (of an experiment `best_fitness`): they are \
    not evaluated again. Needs `duplicates = \"reuse\"` or \"avoid\".",
);
pub(crate) static START_ROWS: Key = key(
    "rows",
    integer(1, LARGEST),
    Fallback::Derived("all"),
    "Maximum number of genomes to take, from the first.",
);
pub(crate) static START_SHARE: Key = key(
    "share",
    Form::Value(Kind::Real { low: 0.0, high: 1.0, low_open: true, high_open: false }),
    Fallback::Derived("as many as there are genomes"),
    "Share of the first population that is given, rounded to whole individuals, at least one; the \
    others are drawn at random.",
);

pub(crate) static START_TABLE: Table = Table {
    key: "start",
    name: "[start]",
    example: "[start] with file = \"first.csv\"",
    header: "[start]",
    doc: "Given genomes for the first population of every arm, in place of random ones.",
    keys: &[
        &START_FILE,
        &START_COLUMN,
        &START_EXPERIMENT,
        &START_ARM,
        &START_FITNESS,
        &START_ROWS,
        &START_SHARE,
    ],
};

pub(crate) static PLUGIN_OF_OPERATOR: Key = key(
    "plugin",
    TEXT,
    Fallback::Required,
    "The plugin that has the operator: its name, or the path of its file.",
);
pub(crate) static INTERPRETER_OF_OPERATOR: Key =
    key("interpreter", TEXT, Fallback::Derived("as in [problem]"), "What runs a Python file.");
pub(crate) static OPERATOR: Key = key(
    "operator",
    TEXT,
    Fallback::Derived("the plugin's only operator of this kind"),
    "The operator's name; not needed where the plugin has one of this kind.",
);
pub(crate) static VERSION: Key =
    key("version", TEXT, Fallback::Derived("any"), "The version that the plugin must have.");

/// The operator of a plugin, in a slot. Its other keys are the parameters of the operator.
pub(crate) static PLUGIN_OPERATOR: Table = Table {
    key: "",
    name: "an operator of a plugin",
    example: "crossover = { plugin = \"mine\" }",
    header: "crossover = { plugin = … }",
    doc: "An operator that a plugin has for the problems of others.",
    keys: &[&PLUGIN_OF_OPERATOR, &INTERPRETER_OF_OPERATOR, &OPERATOR, &VERSION],
};

pub(crate) static SAMPLE: Key = key(
    "sample",
    integer(1, MOST_ARMS as i64),
    Fallback::Derived("all combinations"),
    "Number of combinations to choose by the seed, in place of all.",
);
pub(crate) static METHOD: Key = key(
    "method",
    choice!("random", "latin-hypercube", "sobol"),
    chosen("random"),
    "How to choose the combinations of a sample.",
);

/// Its keys are the paths of other keys, and those that say which combinations there are.
pub(crate) static SWEEP_TABLE: Table = Table {
    key: "sweep",
    name: "[sweep]",
    example: "[sweep] with \"problem.n\" = [6, 8]",
    header: "[sweep]",
    doc: "Paths of keys, each with a list or a range of values, or a table of combinations. Every \
        combination of the values makes an arm; the last key varies fastest.",
    keys: &[],
};

pub(crate) static TUNE_BUDGET: Key = key(
    "budget",
    Form::ValueOrTable(Kind::Integer { low: 1, high: MOST_ASKED }, &TUNE_BUDGET_TABLE),
    Fallback::Required,
    "Trials of all iterations together, or `{ evaluations = … }`. The comparison at the end is not \
    part of it.",
);
pub(crate) static TUNE_COST: Key = key(
    "cost",
    choice!("evaluations", "fitness"),
    chosen("evaluations"),
    "What is to be low: evaluations to the first success, where an unsuccessful trial counts as \
    ten times `stop.evaluations`; or the fitness of the best feasible genome.",
);
pub(crate) static TUNE_TRAIN: Key = key(
    "train",
    Form::Table(&TRAIN_TABLE),
    Fallback::Derived("the problem of the file"),
    "Instances on which settings race: keys of [problem], each with a list of values. The first \
    values of all keys make the first instance.",
);
pub(crate) static TUNE_TEST: Key = key(
    "test",
    Form::Table(&TEST_TABLE),
    Fallback::Derived("the instances of `train`"),
    "Instances on which the survivors are compared at the end, with fresh seeds.",
);
pub(crate) static TUNE_TEST_REPEATS: Key = key(
    "test-repeats",
    integer(10, 1_000_000),
    Fallback::Value(Value::Integer(200)),
    "Maximum number of trials of each survivor on each test instance.",
);
pub(crate) static TUNE_CONFIDENCE: Key = key(
    "confidence",
    Form::Value(Kind::Real { low: 0.0, high: 1.0, low_open: true, high_open: true }),
    Fallback::Value(Value::Real(0.95)),
    "Probability, per race, that no setting drops out that no other beats.",
);
pub(crate) static TUNE_FORBID: Key = key(
    "forbid",
    Form::Tables(&FORBID_TABLE),
    Fallback::Derived("none"),
    "Combinations that are not tried: tables of tuned keys, each with a value, a list of values or \
    a range `{ from = …, to = … }`. A setting is forbidden if all keys of a table match.",
);
pub(crate) static TUNE_INITIAL: Key = key(
    "initial",
    Form::Tables(&INITIAL_TABLE),
    Fallback::Derived("none"),
    "Settings that the first iteration tries, next to those that it draws: tables of tuned keys, \
    each with a value. `survivors.toml` of another tuning has them.",
);
pub(crate) static TUNE_KEYS: Key = key(
    "keys",
    Form::Table(&TUNE_KEYS_TABLE),
    Fallback::Required,
    "Tuned keys, each with a range or a list of values.",
);

pub(crate) static TUNE_TABLE: Table = Table {
    key: "tune",
    name: "[tune]",
    example: "[tune] with budget = 5000",
    header: "[tune]",
    doc: "A search for good settings by `runner tune` ([tuning.md](tuning.md)). The file has one \
        operator set, whose settings take part, and no [sweep]; `repeats` and `baseline` are not \
        used.",
    keys: &[
        &TUNE_BUDGET,
        &TUNE_COST,
        &TUNE_TRAIN,
        &TUNE_TEST,
        &TUNE_TEST_REPEATS,
        &TUNE_CONFIDENCE,
        &TUNE_FORBID,
        &TUNE_INITIAL,
        &TUNE_KEYS,
    ],
};
pub(crate) static TUNE_EVALUATIONS: Key = key(
    "evaluations",
    integer(1, i64::MAX),
    Fallback::Required,
    "Evaluations of all trials together; needs `stop.evaluations`.",
);
pub(crate) static TUNE_BUDGET_TABLE: Table = Table {
    key: "budget",
    name: "the budget of [tune]",
    example: "budget = { evaluations = 10000000 }",
    header: "budget = { … }",
    doc: "A budget in evaluations.",
    keys: &[&TUNE_EVALUATIONS],
};
/// Its keys are those of [problem].
pub(crate) static TRAIN_TABLE: Table = Table {
    key: "train",
    name: "train",
    example: "train = { \"problem.n\" = [8, 10] }",
    header: "train = { … }",
    doc: "Instances on which settings race.",
    keys: &[],
};
/// Its keys are those of [problem].
pub(crate) static TEST_TABLE: Table = Table {
    key: "test",
    name: "test",
    example: "test = { \"problem.n\" = [9, 11] }",
    header: "test = { … }",
    doc: "Instances on which the survivors are compared.",
    keys: &[],
};
/// Its keys are tuned keys.
pub(crate) static FORBID_TABLE: Table = Table {
    key: "forbid",
    name: "forbid",
    example: "forbid = [{ \"operators.population\" = { from = 50 } }]",
    header: "forbid = [{ … }]",
    doc: "A combination that is not tried.",
    keys: &[],
};
/// Its keys are tuned keys.
pub(crate) static INITIAL_TABLE: Table = Table {
    key: "initial",
    name: "initial",
    example: "initial = [{ \"operators.population\" = 12 }]",
    header: "initial = [{ … }]",
    doc: "A setting that the first iteration tries.",
    keys: &[],
};
/// Its keys are paths of keys.
pub(crate) static TUNE_KEYS_TABLE: Table = Table {
    key: "keys",
    name: "[tune.keys]",
    example: "[tune.keys] with \"operators.population\" = { from = 2, to = 100 }",
    header: "[tune.keys]",
    doc: "Paths of keys of [[operators]], each with a range or a list of values.",
    keys: &[],
};

pub(crate) static TRACE: Key = key(
    "trace",
    choice!("none", "best", "population", "genomes"),
    chosen("none"),
    "Rows in generations.parquet: none, one per generation (best, mean, worst), one per \
    individual, or one per individual with its genome. `runner check` says how much the rows of \
    individuals can be.",
);
pub(crate) static OPERATOR_COUNTS: Key = key(
    "operators",
    Form::Value(Kind::Boolean),
    Fallback::Value(Value::Boolean(false)),
    "Whether generations.parquet also has the numbers of children by crossover, by mutation and by \
    both, and of those that are better than their parents. Needs a trace, and an algorithm with \
    both: the evolutionary one, islands, cellular or deterministic-crowding.",
);

pub(crate) static OUTPUT_TABLE: Table = Table {
    key: "output",
    name: "[output]",
    example: "[output] with trace = \"best\"",
    header: "[output]",
    doc: "What is recorded in addition to trials and summary.",
    keys: &[&TRACE, &OPERATOR_COUNTS],
};
