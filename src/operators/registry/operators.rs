//! The entries: what each operator is called, takes, works on and comes from.

use super::{Entry, Slot};
use crate::problem::Encoding;
use crate::problem::parameter::{Fallback, Kind, Parameter, Value};
use std::borrow::Cow;

const ALL: &[Encoding] = &Encoding::ALL;
/// Genes stand for themselves at each place.
const PLACED: &[Encoding] = &[Encoding::Integer, Encoding::Bits, Encoding::Real];
const PERMUTATION: &[Encoding] = &[Encoding::Permutation];
/// Rearranging keeps these valid.
pub const REARRANGED: &[Encoding] =
    &[Encoding::Integer, Encoding::Permutation, Encoding::Bits, Encoding::Real];
const REAL: &[Encoding] = &[Encoding::Real];
const BITS: &[Encoding] = &[Encoding::Bits];
/// The neighbours of a genome can be listed.
const LISTABLE: &[Encoding] = &[Encoding::Integer, Encoding::Permutation, Encoding::Bits];

/// All of them, slot by slot.
pub fn all() -> Vec<Entry> {
    let mut all = algorithms();
    all.extend(scalings());
    all.extend(selections());
    all.extend(crossovers());
    all.extend(mutations());
    all.extend(replacements());
    all
}

fn entry(
    slot: Slot,
    name: &'static str,
    summary: &'static str,
    encodings: &'static [Encoding],
    parameters: Vec<Parameter>,
    source: &'static str,
) -> Entry {
    Entry { slot, name, summary, encodings, parameters, source }
}

fn parameter(key: &'static str, kind: Kind, fallback: Fallback, doc: &'static str) -> Parameter {
    Parameter { key: Cow::Borrowed(key), kind, fallback, doc: Cow::Borrowed(doc) }
}

fn real(low: f64, high: f64) -> Kind {
    Kind::Real { low, high, low_open: false, high_open: false }
}

fn given(value: f64) -> Fallback {
    Fallback::Value(Value::Real(value))
}

fn choice(
    key: &'static str,
    words: &'static [Cow<'static, str>],
    first: &'static str,
    doc: &'static str,
) -> Parameter {
    let fallback = Fallback::Value(Value::Text(Cow::Borrowed(first)));
    parameter(key, Kind::Choice(Cow::Borrowed(words)), fallback, doc)
}

fn algorithms() -> Vec<Entry> {
    const STEPS: &[Cow<'static, str>] =
        &[Cow::Borrowed("steepest"), Cow::Borrowed("first-improvement")];
    let make = |name, summary, encodings, parameters, source| {
        entry(Slot::Algorithm, name, summary, encodings, parameters, source)
    };
    vec![
        make(
            "evolutionary",
            "A population that selects, varies and replaces; the other slots say how.",
            ALL,
            vec![],
            "Holland (1975); De Jong (2006), Evolutionary Computation: A Unified Approach",
        ),
        make(
            "random-search",
            "Independent samples of the problem; a generation is `population` of them.",
            ALL,
            vec![],
            "Brooks (1958), doi:10.1287/opre.6.2.244",
        ),
        make(
            "hill-climbing",
            "One genome that moves to better neighbours; a generation is one move, or one new \
            start.",
            LISTABLE,
            vec![
                choice(
                    "step",
                    STEPS,
                    "steepest",
                    "To the best neighbour, or to the first better one in random order.",
                ),
                parameter(
                    "sideways",
                    Kind::Integer { low: 0, high: 1_000_000_000 },
                    Fallback::Value(Value::Integer(0)),
                    "Moves in a row to neighbours that are as good, before the climb is stuck.",
                ),
                parameter(
                    "restarts",
                    Kind::Boolean,
                    Fallback::Value(Value::Boolean(true)),
                    "A stuck climb starts anew at a random genome; else the trial ends as \
                    `stagnated`.",
                ),
            ],
            "Russell and Norvig (2021), Artificial Intelligence: A Modern Approach, section 4.1",
        ),
        make(
            "simulated-annealing",
            "One genome that moves to worse ones too, the less often the colder it is; a \
            generation is one temperature.",
            ALL,
            vec![
                parameter(
                    "temperature",
                    Kind::Real { low: 0.0, high: f64::INFINITY, low_open: true, high_open: true },
                    given(1.0),
                    "At the start, in units of fitness: a move that is worse by this much is taken \
                    with probability 1/e.",
                ),
                parameter(
                    "cooling",
                    Kind::Real { low: 0.0, high: 1.0, low_open: true, high_open: false },
                    given(0.95),
                    "Factor of the temperature from one generation to the next.",
                ),
                parameter(
                    "moves",
                    Kind::Integer { low: 1, high: 100_000_000 },
                    Fallback::Derived("the genome's length"),
                    "Moves proposed at each temperature.",
                ),
            ],
            "Kirkpatrick, Gelatt and Vecchi (1983), doi:10.1126/science.220.4598.671",
        ),
        make(
            "exhaustive",
            "Every genome in order, as the plugin or the encoding numbers them; a generation is \
            `population` of them.",
            ALL,
            vec![],
            "-",
        ),
    ]
}

fn scalings() -> Vec<Entry> {
    let make = |name, summary, parameters, source| {
        entry(Slot::Scaling, name, summary, ALL, parameters, source)
    };
    vec![
        make("none", "No weights: for selections that only compare fitness.", vec![], "-"),
        make(
            "complement",
            "worst - f, and 0 where f is greater than worst.",
            vec![parameter(
                "worst",
                real(f64::NEG_INFINITY, f64::INFINITY),
                Fallback::Derived("the problem's worst fitness"),
                "Fitness that weighs nothing.",
            )],
            "Goldberg (1989), Genetic Algorithms in Search, Optimization and Machine Learning",
        ),
        make(
            "reciprocal",
            "1 / f, and 1 at f = 0.",
            vec![],
            "8 queens notes (clone, crossover, mutate)",
        ),
        make(
            "share-complement",
            "1 - f / sum of the population's f; 1 for all where the sum is 0.",
            vec![],
            "8 queens notes (clone, crossover, mutate), the older weight",
        ),
        make(
            "rank",
            "Linear in the rank: the best weighs pressure, the worst 2 - pressure; ties share.",
            vec![parameter(
                "pressure",
                real(1.0, 2.0),
                given(1.5),
                "Expected children of the best.",
            )],
            "Baker (1985), ICGA 1, 101-111",
        ),
    ]
}

fn selections() -> Vec<Entry> {
    let make = |name, summary, parameters, source| {
        entry(Slot::Selection, name, summary, ALL, parameters, source)
    };
    let share = Kind::Real { low: 0.0, high: 1.0, low_open: true, high_open: false };
    vec![
        make(
            "roulette",
            "In proportion to weight, by independent turns of a wheel.",
            vec![],
            "Holland (1975); Goldberg (1989)",
        ),
        make(
            "sus",
            "In proportion to weight, by evenly spaced pointers on one turn of the wheel.",
            vec![],
            "Baker (1987), ICGA 2, 14-21",
        ),
        make(
            "tournament",
            "The fittest of some uniform draws with replacement.",
            vec![parameter(
                "size",
                Kind::Integer { low: 1, high: i64::from(u32::MAX) },
                Fallback::Value(Value::Integer(2)),
                "Draws; at most the population.",
            )],
            "Goldberg and Deb (1991), doi:10.1016/B978-0-08-050684-5.50008-2",
        ),
        make(
            "truncation",
            "Uniformly among the fittest share of the population, of equals by lot.",
            vec![parameter(
                "share",
                share,
                given(0.5),
                "Part of the population that may become parents.",
            )],
            "Mühlenbein and Schlierkamp-Voosen (1993), doi:10.1162/evco.1993.1.1.25",
        ),
        make("uniform", "Uniformly among all: no selection pressure.", vec![], "-"),
        make(
            "noisy-rank",
            "Ranked by fitness times a fresh uniform number; neighbours in that order mate.",
            vec![],
            "Baljicki and Milović, Fischer random chess (Chess960)",
        ),
    ]
}

/// Parameters of a crossover: those that all have, then its own.
fn crossing(own: Vec<Parameter>) -> Vec<Parameter> {
    let mut all = vec![
        parameter(
            "rate",
            real(0.0, 1.0),
            given(1.0),
            "Probability that a pair is crossed; not under a mix.",
        ),
        parameter(
            "children",
            Kind::Integer { low: 1, high: 2 },
            Fallback::Value(Value::Integer(2)),
            "Children of a pair.",
        ),
    ];
    all.extend(own);
    all
}

fn crossovers() -> Vec<Entry> {
    const CUTS: &[Cow<'static, str>] = &[Cow::Borrowed("inner"), Cow::Borrowed("any")];
    let make = |name, summary, encodings, own, source| {
        entry(Slot::Crossover, name, summary, encodings, crossing(own), source)
    };
    let positive = real(0.0, 1e6);
    vec![
        make(
            "one-point",
            "Genes before one cut from one parent, the others from the other.",
            PLACED,
            vec![choice("cut", CUTS, "inner", "Where it falls: 1..=length-1, or 0..=length.")],
            "Holland (1975)",
        ),
        make(
            "two-point",
            "The genes between two cuts are exchanged.",
            PLACED,
            vec![],
            "De Jong (1975)",
        ),
        make(
            "uniform",
            "Each gene is exchanged with a probability.",
            PLACED,
            vec![parameter(
                "swap",
                real(0.0, 1.0),
                given(0.5),
                "Probability that a gene is exchanged.",
            )],
            "Syswerda (1989), ICGA 3, 2-9",
        ),
        make(
            "order",
            "A segment stays; the other values follow in the other parent's order (OX).",
            PERMUTATION,
            vec![],
            "Davis (1985), IJCAI 9, 162-164",
        ),
        make(
            "pmx",
            "A segment comes from the other parent; clashes are mapped through it.",
            PERMUTATION,
            vec![],
            "Goldberg and Lingle (1985), ICGA 1, 154-159",
        ),
        make(
            "cycle",
            "Every value keeps a place that it has in a parent (CX).",
            PERMUTATION,
            vec![],
            "Oliver, Smith and Holland (1987), ICGA 2, 224-230",
        ),
        make(
            "blend",
            "Uniform in the parents' range, widened on both sides (BLX-alpha).",
            REAL,
            vec![parameter(
                "alpha",
                positive.clone(),
                given(0.5),
                "Widening, in widths of the parents' range.",
            )],
            "Eshelman and Schaffer (1993), doi:10.1016/B978-0-08-094832-4.50018-0",
        ),
        make(
            "sbx",
            "Spreads children around parents as one-point crossover of bits would, within bounds.",
            REAL,
            vec![parameter(
                "eta",
                positive,
                given(15.0),
                "Distribution index: the greater, the closer to the parents.",
            )],
            "Deb and Agrawal (1995), Complex Systems 9, 115-148; Deb and Beyer (2001), \
            doi:10.1162/106365601750190406",
        ),
        make("problem", "The plugin's own crossover.", ALL, vec![], "the plugin"),
    ]
}

/// Parameters of a mutation: the rate that all have, then its own.
fn mutating(own: Vec<Parameter>) -> Vec<Parameter> {
    let rate = parameter(
        "rate",
        real(0.0, 1.0),
        given(1.0),
        "Probability that a child is mutated; not under a mix.",
    );
    std::iter::once(rate).chain(own).collect()
}

fn gene_rate(fallback: Fallback) -> Parameter {
    parameter(
        "gene-rate",
        real(0.0, 1.0),
        fallback,
        "Probability that a gene of a mutated child changes.",
    )
}

fn mutations() -> Vec<Entry> {
    const VALUES: &[Cow<'static, str>] = &[Cow::Borrowed("different"), Cow::Borrowed("any")];
    let make = |name, summary, encodings, own, source| {
        entry(Slot::Mutation, name, summary, encodings, mutating(own), source)
    };
    let rearrange = |name, summary, source| make(name, summary, REARRANGED, vec![], source);
    let each = Fallback::Derived("1 / genome length");
    vec![
        make(
            "reset",
            "New uniform values within the bounds.",
            PLACED,
            vec![
                gene_rate(Fallback::Derived("exactly one gene")),
                choice(
                    "value",
                    VALUES,
                    "different",
                    "Whether the new value differs from the old one.",
                ),
            ],
            "Eiben and Smith (2015), doi:10.1007/978-3-662-44874-8",
        ),
        rearrange("swap", "Two places exchange their genes.", "Syswerda (1991)"),
        rearrange(
            "insert",
            "A gene moves to another place.",
            "Fogel (1988), doi:10.1007/BF00363857",
        ),
        rearrange("inversion", "The genes between two places are reversed.", "Holland (1975)"),
        rearrange("scramble", "The genes between two places are shuffled.", "Syswerda (1991)"),
        make(
            "bit-flip",
            "Bits are inverted.",
            BITS,
            vec![gene_rate(each.clone())],
            "Holland (1975); Mühlenbein (1992) for the rate",
        ),
        make(
            "gaussian",
            "Adds normal numbers; kept within bounds.",
            REAL,
            vec![
                parameter(
                    "sigma",
                    real(0.0, 1e6),
                    given(0.1),
                    "Standard deviation, in widths of the gene's range.",
                ),
                gene_rate(given(1.0)),
            ],
            "Rechenberg (1973); Schwefel (1981)",
        ),
        make(
            "polynomial",
            "Steps with a polynomial distribution, truncated at the bounds.",
            REAL,
            vec![
                parameter(
                    "eta",
                    real(0.0, 1e6),
                    given(20.0),
                    "Distribution index: the greater, the smaller the steps.",
                ),
                gene_rate(each),
            ],
            "Deb and Goyal (1996); Deb (2001)",
        ),
        make("problem", "The plugin's own mutation.", ALL, vec![], "the plugin"),
    ]
}

fn replacements() -> Vec<Entry> {
    let make = |name, summary, parameters, source| {
        entry(Slot::Replacement, name, summary, ALL, parameters, source)
    };
    let many = Kind::Integer { low: 1, high: 100_000_000 };
    let offspring = |fallback, doc| vec![parameter("offspring", many.clone(), fallback, doc)];
    const TIES: &[Cow<'static, str>] =
        &[Cow::Borrowed("children"), Cow::Borrowed("parents"), Cow::Borrowed("random")];
    vec![
        make("generational", "The children replace the population.", vec![], "Holland (1975)"),
        make(
            "elitism",
            "The best parents live on, of equals by lot; children take the other places.",
            vec![
                parameter(
                    "share",
                    Kind::Real { low: 0.0, high: 1.0, low_open: false, high_open: true },
                    Fallback::Derived("from count; else one parent"),
                    "Part of the next population that is best parents, rounded to whole parents.",
                ),
                parameter(
                    "count",
                    Kind::Integer { low: 0, high: 100_000_000 },
                    Fallback::Derived("from share; else one parent"),
                    "Parents that live on, in place of share.",
                ),
            ],
            "De Jong (1975)",
        ),
        make(
            "plus",
            "The best of parents and children: (mu + lambda).",
            vec![
                parameter(
                    "offspring",
                    many.clone(),
                    Fallback::Derived("the population"),
                    "Children a generation.",
                ),
                choice(
                    "ties",
                    TIES,
                    "children",
                    "Who comes first where a child is as good as a parent; of equal children, or \
                    parents, by lot. children: Droste, Jansen and Wegener (2002), \
                    doi:10.1016/S0304-3975(01)00182-7; random: Witt (2006), \
                    doi:10.1162/evco.2006.14.1.65.",
                ),
            ],
            "Schwefel (1977); Beyer and Schwefel (2002), doi:10.1023/A:1015059928466",
        ),
        make(
            "comma",
            "The best of the children, of equals by lot: (mu, lambda).",
            offspring(
                Fallback::Derived("7 x the population"),
                "Children a generation; at least the population.",
            ),
            "Schwefel (1977); Beyer and Schwefel (2002), doi:10.1023/A:1015059928466",
        ),
        make(
            "steady-state",
            "The children replace the worst of the population, of equals by lot, even where they \
            are worse.",
            offspring(
                Fallback::Value(Value::Integer(1)),
                "Children a generation; at most the population.",
            ),
            "Eiben and Smith (2015), section 5.3.2, doi:10.1007/978-3-662-44874-8; Whitley (1989), \
            ICGA 3, 116-121, whose program drops a child that is worse, as plus does",
        ),
    ]
}
