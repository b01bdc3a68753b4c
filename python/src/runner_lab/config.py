"""Configs as objects, with completion in an editor; `to_dict` of each returns what a file would
hold. Written by generate_config.py from the schema of the experiment file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Optional, Union

from .settings import AnyOperator, Problem, Table

AlgorithmName = Literal[
    "evolutionary",
    "islands",
    "cellular",
    "deterministic-crowding",
    "random-search",
    "hill-climbing",
    "simulated-annealing",
    "threshold-accepting",
    "late-acceptance",
    "tabu-search",
    "iterated-local-search",
    "variable-neighborhood-search",
    "min-conflicts",
    "conflict-minimization",
    "one-plus-lambda-lambda",
    "self-adjusting-one-plus-lambda",
    "greedy-hill-climbing",
    "umda",
    "pbil",
    "cga",
    "differential-evolution",
    "jade",
    "shade",
    "l-shade",
    "particle-swarm",
    "cma-es",
    "one-plus-one-es",
    "exhaustive",
]

ConstraintsName = Literal["feasibility-first", "penalty", "ignore"]

CrossoverName = Literal[
    "one-point",
    "two-point",
    "uniform",
    "order",
    "pmx",
    "cycle",
    "blend",
    "sbx",
    "problem",
]

MutationName = Literal[
    "reset",
    "swap",
    "insert",
    "inversion",
    "scramble",
    "bit-flip",
    "gaussian",
    "polynomial",
    "mixed",
    "self-adaptive-bit-flip",
    "self-adaptive-gaussian",
    "problem",
]

ReplacementName = Literal[
    "generational",
    "elitism",
    "plus",
    "comma",
    "steady-state",
    "restricted-tournament",
]

ScalingName = Literal["none", "complement", "reciprocal", "share-complement", "rank"]

SelectionName = Literal[
    "roulette",
    "sus",
    "tournament",
    "truncation",
    "uniform",
    "noisy-rank",
]


@dataclass
class Range(Table):
    """A range of numbers, both ends included. Without `step` and `factor`, a `sample` takes values
    between the ends."""

    from_: float

    to: float

    course: Optional[Literal["linear", "geometric"]] = None
    """Equal steps, or equal factors, which need both values above 0. Default: "linear"."""

    factor: Optional[float] = None

    step: Optional[float] = None


@dataclass
class Schedule(Table):
    """In place of a number, `rate` of crossover and mutation, `gene-rate` and `sigma` take a table:
    the value then changes with the share of a budget that is spent when a generation begins
    (deterministic parameter control: Eiben, Hinterding and Michalewicz 1999). For the algorithms
    that cross and mutate a population."""

    from_: float
    """Value when nothing of the budget is spent."""

    to: float
    """Value when the whole budget is spent."""

    course: Optional[Literal["linear", "geometric"]] = None
    """Equal steps, or equal factors, which need both values above 0. Default: "linear"."""

    over: Optional[Literal["evaluations", "generations"]] = None
    """The budget that counts; `[stop]` must have it. Default: "evaluations"."""


@dataclass
class Mix(Table):
    """Exactly one operation per step, with these shares. Default: crossover, then mutation, each
    with its own rate."""

    clone: Optional[float] = None
    """Share of steps in which a parent is copied. Default: 0.0."""

    crossover: Optional[float] = None
    """Share of steps with crossover of two parents. Default: 0.0."""

    mutate: Optional[float] = None
    """Share of steps in which a copy of a parent is mutated. Default: 0.0."""


@dataclass
class Noise(Table):
    """How a search evaluates genomes of a noisy problem. Default: each genome is evaluated once."""

    combine: Optional[Literal["mean", "median"]] = None
    """Statistic of these evaluations that the search takes as the fitness. Default: "mean"."""

    evaluations_per_genome: Optional[int] = None
    """Number of evaluations of each genome. Each counts against the budget. Default: 1."""

    re_evaluate: Optional[bool] = None
    """Whether individuals that survived the last generation are evaluated anew in each: those that
    are compared with children (replacement plus), the elite, or the current genome of simulated
    annealing, threshold accepting and greedy hill climbing. Default: false."""


@dataclass
class Restarts(Table):
    """When the search begins anew within the trial. Default: none, except those of the algorithm
    itself."""

    every: Optional[int] = None
    """Each run is this long. `runner runtimes` estimates the best length. Default: either this,
    `stagnation` or `luby`."""

    luby: Optional[int] = None
    """Runs are 1, 1, 2, 1, 1, 2, 4, … times this long (Luby, Sinclair and Zuckerman 1993). Default:
    either this, `stagnation` or `every`."""

    stagnation: Optional[int] = None
    """A run ends after this long without a better best fitness of the run. Default: either this,
    `every` or `luby`."""

    unit: Optional[Literal["generations", "evaluations"]] = None
    """What the number counts: generations after a run's initial population, or evaluations. A run
    ends with a generation. Default: "generations"."""


@dataclass
class Sharing(Table):
    """How individuals that are alike share their weights; for selections that draw by weight.
    Default: none: each individual keeps its weight."""

    radius: float
    """Distance from which on two individuals share nothing: the number of positions that differ,
    Euclid's distance for real genes, or Gower's for mixed ones."""

    alpha: Optional[float] = None
    """Exponent of the distance in units of the radius. Default: 1.0."""


@dataclass
class Repeats(Table):
    """A sequential stopping rule instead of a fixed number of trials."""

    max: int
    """Maximum number of trials per arm; at least `successes`."""

    best: Optional[bool] = None
    """Race all arms of a problem until the one with the highest success rate is known: true. Arms
    that are worse beyond doubt drop out early. Arms with other parameters of the problem, or
    another [stop], have a race of their own. Default: either this, `half-width`, `successes` or
    `decide`."""

    confidence: Optional[float] = None
    """Probability that the answer is right, which allows for repeated looks; with `successes`, the
    level of the intervals. Default: 0.95."""

    decide: Optional[Sequence[str]] = None
    """Run until it is known which of two arms has the higher success rate; evaluations and fitness
    are not looked at. An arm is named by its label, or by an operator set that makes only one arm.
    Default: either this, `half-width`, `successes` or `best`."""

    half_width: Optional[float] = None
    """Run each arm until the interval of its success rate is at most twice this wide in total.
    Default: either this, `successes`, `decide` or `best`."""

    successes: Optional[int] = None
    """Run each arm until that many of its trials have succeeded. Trials after the last of these are
    not in the tables. Default: either this, `half-width`, `decide` or `best`."""


@dataclass
class Output(Table):
    """What is recorded in addition to trials and summary. Default: no trace."""

    operators: Optional[bool] = None
    """Whether generations.parquet also has the numbers of children by crossover, by mutation and by
    both, and of those that are better than their parents. Needs a trace, and an algorithm with
    both: the evolutionary one, islands, cellular or deterministic-crowding. Default: false."""

    trace: Optional[Literal["none", "best", "population", "genomes"]] = None
    """Rows in generations.parquet: none, one per generation (best, mean, worst), one per
    individual, or one per individual with its genome. `runner check` says how much the rows of
    individuals can be. Default: "none"."""


@dataclass
class Start(Table):
    """Genomes of the first population. Default: random genomes."""

    arm: Optional[str] = None
    """The arm of that experiment: its label, its id, or an operator set that makes only one arm.
    Default: the experiment's only arm."""

    column: Optional[str] = None
    """The column of a Parquet file that has the genomes. Default: "best"."""

    experiment: Optional[str] = None
    """The path of the results folder of a finished experiment, relative to this file: the best
    genome of each trial, the best one first. Default: either this or `file`."""

    file: Optional[str] = None
    """The path of a file of genomes, relative to this one: CSV with a genome per line, or Parquet
    with a column of lists. Default: either this or `experiment`."""

    fitness: Optional[str] = None
    """The column that has the fitness of the genomes (of an experiment `best_fitness`): they are
    not evaluated again. Needs `duplicates = "reuse"` or "avoid". Default: given genomes are
    evaluated like others."""

    rows: Optional[int] = None
    """Maximum number of genomes to take, from the first. Default: all."""

    share: Optional[float] = None
    """Share of the first population that is given, rounded to whole individuals, at least one; the
    others are drawn at random. Default: as many as there are genomes."""


@dataclass
class Stop(Table):
    """When a trial ends. Default: required, unless every search is exhaustive."""

    diversity: Optional[float] = None
    """A trial ends when the diversity of its population is at or below this: the mean distance of
    all pairs of individuals (Morrison and De Jong 2002), in positions that differ, Euclid's for
    real genes, or Gower's for mixed ones, from 0 to 1. For algorithms with a population; beside a
    budget, because mutation may keep it diverse. Default: no limit."""

    evaluations: Optional[int] = None
    """Maximum number of computed fitness values; never exceeded. Default: no limit."""

    fitness: Optional[float] = None
    """The target: a trial succeeds when its best fitness is at or below it; if the target is the
    problem's ideal, a fitness within the problem's tolerance also counts. One below the ideal
    cannot be reached. Default: the problem's ideal fitness."""

    generations: Optional[int] = None
    """Maximum number of generations after the initial population. Default: no limit."""

    keep_ended: Optional[bool] = None
    """Whether another budget (generations, evaluations, stagnation, trial-seconds) keeps the trials
    that ended before it and for another reason: seeds then do not follow from the budget. Default:
    false."""

    on_success: Optional[Literal["stop", "continue"]] = None
    """Whether a trial ends when it succeeds, or continues to its budget (fixed-budget studies).
    Default: "stop"."""

    stagnation: Optional[int] = None
    """Maximum number of consecutive generations without a better best fitness. Default: no
    limit."""

    trial_seconds: Optional[float] = None
    """Maximum wall time in seconds: the only criterion whose outcome depends on the machine, and so
    best a safety limit beside another budget. Default: no limit."""


@dataclass
class Budget(Table):
    """A budget in evaluations."""

    evaluations: int
    """Evaluations of all trials together; needs `stop.evaluations`."""


@dataclass
class Tune(Table):
    """Keys of the operator set to tune: `runner tune` searches their ranges for good settings.
    Default: no tuning."""

    budget: Union[int, Budget, Mapping[str, Any]]
    """Trials of all iterations together, or `{ evaluations = … }`. The comparison at the end is not
    part of it."""

    keys: Mapping[str, Any]
    """Tuned keys, each with a range or a list of values."""

    confidence: Optional[float] = None
    """Probability, per race, that no setting drops out that no other beats. Default: 0.95."""

    cost: Optional[Literal["evaluations", "fitness"]] = None
    """What is to be low: evaluations to the first success, where an unsuccessful trial counts as
    ten times `stop.evaluations`; or the fitness of the best feasible genome. Default:
    "evaluations"."""

    forbid: Optional[Sequence[Mapping[str, Any]]] = None
    """Combinations that are not tried: tables of tuned keys, each with a value, a list of values or
    a range `{ from = …, to = … }`. A setting is forbidden if all keys of a table match. Default:
    none."""

    initial: Optional[Sequence[Mapping[str, Any]]] = None
    """Settings that the first iteration tries, next to those that it draws: tables of tuned keys,
    each with a value. `survivors.toml` of another tuning has them. Default: none."""

    test: Optional[Mapping[str, Any]] = None
    """Instances on which the survivors are compared at the end, with fresh seeds. Default: the
    instances of `train`."""

    test_repeats: Optional[int] = None
    """Maximum number of trials of each survivor on each test instance. Default: 200."""

    train: Optional[Mapping[str, Any]] = None
    """Instances on which settings race: keys of [problem], each with a list of values. The first
    values of all keys make the first instance. Default: the problem of the file."""


@dataclass
class OperatorSet(Table):
    """How to search. Each table makes an arm, or with a sweep one for each combination of
    values."""

    name: Optional[str] = None
    """Names the arms: 1 to 100 bytes, no control or invisible characters, no space at either end.
    Default: the preset's name, otherwise operators-1, operators-2, …."""

    algorithm: Optional[Union[AlgorithmName, AnyOperator]] = None
    """The search algorithm. The other keys define the evolutionary algorithm. Default:
    "evolutionary"."""

    constraints: Optional[Union[ConstraintsName, AnyOperator]] = None
    """What violations of the problem's constraints mean beside fitness. A trial succeeds with a
    feasible genome only, whatever this says. Default: feasibility-first, where the problem has
    constraints."""

    crossover: Optional[Union[CrossoverName, AnyOperator]] = None
    """Makes children from two parents. Default: none; one of crossover and mutation is required."""

    duplicates: Optional[Literal["allow", "avoid", "reuse"]] = None
    """What becomes of a genome that the trial evaluated before: it is evaluated again ("allow"), it
    gets the fitness of the first time ("reuse"), or a child is drawn again until it is new, at most
    20 times ("avoid"). Genomes that are evaluated as moves are evaluated again, which is fast.
    Default: "allow"."""

    mix: Optional[Union[Mix, Mapping[str, Any]]] = None
    """Exactly one operation per step, with these shares. Default: crossover, then mutation, each
    with its own rate."""

    mutation: Optional[Union[MutationName, AnyOperator]] = None
    """Changes a child. Default: none; one of crossover and mutation is required."""

    noise: Optional[Union[Noise, Mapping[str, Any]]] = None
    """How a search evaluates genomes of a noisy problem. Default: each genome is evaluated once."""

    population: Optional[int] = None
    """Individuals per generation. At least 2; 1 is allowed with mutation only and the replacement
    plus or comma. Default: required; 100 for random and exhaustive search, `umda` and `pbil`."""

    preset: Optional[str] = None
    """An operator set that is included in the runner, or one of `presets`; the other keys of the
    table override its keys. `runner operators` lists those of the runner. Default: none."""

    replacement: Optional[Union[ReplacementName, AnyOperator]] = None
    """Makes the next population from parents and children. Default: "generational"."""

    restarts: Optional[Union[Restarts, Mapping[str, Any]]] = None
    """When the search begins anew within the trial. Default: none, except those of the algorithm
    itself."""

    scaling: Optional[Union[ScalingName, AnyOperator]] = None
    """Turns fitness into the weight that selection uses. Default: "none"."""

    selection: Optional[Union[SelectionName, AnyOperator]] = None
    """Chooses the parents."""

    sharing: Optional[Union[Sharing, Mapping[str, Any]]] = None
    """How individuals that are alike share their weights; for selections that draw by weight.
    Default: none: each individual keeps its weight."""


@dataclass
class Experiment(Table):
    """Keys of the whole experiment."""

    operators: Sequence[Union[OperatorSet, Mapping[str, Any]]]
    """How to search; each table makes an arm."""

    problem: Union[Problem, str, Mapping[str, Any], Any]
    """The problem to solve."""

    name: Optional[str] = None
    """Names the folder under results/: 1 to 100 bytes of letters, digits, spaces and -_.+,=@, with
    no dot or space at either end, and without .shard-, .round- and .submission. Default: the file's
    name without its extension."""

    baseline: Optional[bool] = None
    """Also run random search with as many evaluations as each arm can spend, and say which arms
    beat it. Default: false."""

    checkpoint: Optional[float] = None
    """Seconds after which the evaluations of a running trial are written down, or a snapshot of its
    state, so that it goes on after it was killed; 0 for never. It changes no result. Default:
    60.0."""

    extends: Optional[Union[str, Sequence[str]]] = None
    """Files, relative to this one, whose keys hold where this file says nothing: tables are merged,
    lists and the rule of `repeats` replaced. A key that such a file sweeps stays swept: hold it by
    a sweep of one value. Of several, later ones win. Each may extend others. Their `name` is not
    taken. Default: none."""

    output: Optional[Union[Output, Mapping[str, Any]]] = None
    """What is recorded in addition to trials and summary. Default: no trace."""

    pairing: Optional[Literal["independent", "common"]] = None
    """With "common", trial k of every arm of one problem starts from the same genomes, so that arms
    can be compared in pairs. Default: "independent"."""

    presets: Optional[Union[str, Sequence[Union[str, OperatorSet, Mapping[str, Any]]]]] = None
    """Operator sets of your own that `preset` may name: here, or in files, relative to this one.
    Default: none."""

    repeats: Optional[Union[int, Repeats, Mapping[str, Any]]] = None
    """Trials per arm, or a sequential stopping rule. Default: 100."""

    seed: Optional[int] = None
    """Every random number of the experiment derives from it. Other TOML parsers may refuse more
    than 9223372036854775807. Default: 0."""

    start: Optional[Union[Start, Mapping[str, Any]]] = None
    """Genomes of the first population. Default: random genomes."""

    stop: Optional[Union[Stop, Mapping[str, Any]]] = None
    """When a trial ends. Default: required, unless every search is exhaustive."""

    sweep: Optional[Union[Mapping[str, Any], Sequence[Mapping[str, Any]]]] = None
    """Keys with several values. Default: no sweep."""

    tune: Optional[Union[Tune, Mapping[str, Any]]] = None
    """Keys of the operator set to tune: `runner tune` searches their ranges for good settings.
    Default: no tuning."""
