//! Operators of a plugin: each with its usual parameters, on genomes of every encoding that it
//! works on.

use super::batch::{Batch, of_kind};
use super::subject::seed;
use super::{Finding, Found};
use crate::config::parameter_value;
use crate::problem::parameter::{Fallback, Kind, Parameter, Value};
use crate::problem::{
    Bounds, CallError, DeclaredOperator, Description, Encoding, Gene, GeneKind, Library, MixedGene,
    MixedKind, OperatorKind, PluginError, PluginOperator, PluginSearch,
};
use crate::random::draws::Random;
use crate::words::counted;
use rand::RngExt;
use rand::seq::SliceRandom;
use std::io;
use std::sync::Arc;
use std::thread;

/// Number of rows of a batch, and of parents chosen from these rows.
const ROWS: usize = 40;
/// Greatest number of asks of a search.
const ASKS: usize = 60;
/// Greatest number of asks of a search that goes on from its state.
const REST: usize = 20;
/// Greatest number of genomes of a search.
const ASKED: usize = 4000;

/// The operators of a plugin, with values that take the place of defaults.
pub struct Operators<'a> {
    /// Library that declares the operators.
    pub library: &'a Arc<Library>,
    /// Keys and values, as `--set` has them.
    pub set: &'a [(String, String)],
}

/// An operator that was made for a problem, and genomes of that problem.
struct Case {
    operator: PluginOperator,
    problem: Description,
    first: Batch,
    second: Batch,
}

/// Output of an operator, as bytes.
type Answer = Vec<u8>;

impl Operators<'_> {
    /// Returns the value of each parameter; `None` if a required one is missing.
    fn values(&self, operator: &DeclaredOperator) -> Result<Option<Vec<Value>>, Finding> {
        let value = |parameter: &Parameter| {
            let given = self.set.iter().find(|(key, _)| *key == parameter.key);
            match (given, &parameter.fallback) {
                (Some((key, text)), _) => parameter_value(parameter, text)
                    .map(Some)
                    .map_err(|rule| Finding::Failed(format!("--set: {key} {rule}"))),
                (None, Fallback::Value(value)) => Ok(Some(value.clone())),
                (None, Fallback::Required | Fallback::Derived(_)) => Ok(None),
            }
        };
        operator.parameters.iter().map(value).collect()
    }

    /// Every operator on every example of a problem that it works on, with its values.
    fn cases(&self) -> Result<Vec<Case>, Finding> {
        let mut cases = Vec::new();
        for (place, declared) in self.library.declared().operators.iter().enumerate() {
            let Some(values) = self.values(declared)? else { continue };
            for problem in examples(declared) {
                cases.extend(self.case(place, &values, problem)?);
            }
        }
        if cases.is_empty() {
            let words = "no operator works with its defaults on bits, integers, permutations or \
                real numbers; give its parameters by --set";
            return Err(Finding::Skipped(words.to_owned()));
        }
        Ok(cases)
    }

    /// Returns a case; `None` if the plugin refuses with a reason.
    fn case(
        &self,
        place: usize,
        values: &[Value],
        problem: Description,
    ) -> Result<Option<Case>, Finding> {
        match self.library.operator(place, values, &problem) {
            Ok(operator) => {
                let (first, second) = (genomes(&problem, 1), genomes(&problem, 2));
                Ok(Some(Case { operator, problem, first, second }))
            }
            Err(PluginError::Operator { message, .. }) if is_words(&message) => Ok(None),
            Err(error) => Err(Finding::Failed(error.to_string())),
        }
    }
}

/// Whether a plugin gave a reason.
fn is_words(message: &str) -> bool {
    message != "it gave no reason" && !message.starts_with("panicked")
}

/// Problems of the encodings that an operator works on.
fn examples(operator: &DeclaredOperator) -> Vec<Description> {
    let per_gene = |low: Vec<f64>, high: Vec<f64>| Bounds::PerGene { low, high };
    let all = [
        problem(Encoding::Bits, GeneKind::U8, 20, Bounds::Uniform { low: 0.0, high: 1.0 }),
        problem(Encoding::Integer, GeneKind::U8, 12, Bounds::Uniform { low: 0.0, high: 9.0 }),
        problem(Encoding::Integer, GeneKind::U16, 3, {
            per_gene(vec![5.0, 300.0, 0.0], vec![9.0, 900.0, 1.0])
        }),
        problem(Encoding::Permutation, GeneKind::U8, 12, Bounds::Uniform { low: 0.0, high: 11.0 }),
        problem(Encoding::Permutation, GeneKind::U16, 300, {
            Bounds::Uniform { low: 0.0, high: 299.0 }
        }),
        problem(Encoding::Real, GeneKind::F64, 4, Bounds::Uniform { low: -5.0, high: 5.0 }),
        problem(Encoding::Real, GeneKind::F64, 3, {
            per_gene(vec![-1e6, 0.0, 0.001], vec![1e6, 1.0, 0.002])
        }),
        problem(Encoding::Mixed, GeneKind::F64, 4, Bounds::Mixed(mixed_genes())),
    ];
    all.into_iter().filter(|one| operator.encodings().contains(&one.encoding)).collect()
}

/// A gene of each kind.
fn mixed_genes() -> Vec<MixedGene> {
    let words = ["a", "b", "c"].map(str::to_owned).to_vec();
    let kinds = [
        MixedKind::Real { low: -1.5, high: 2.5 },
        MixedKind::Integer { low: -3.0, high: 9.0 },
        MixedKind::Choice(words),
        MixedKind::Bit,
    ];
    kinds.map(|kind| MixedGene { name: String::new(), kind }).to_vec()
}

fn problem(
    encoding: Encoding,
    gene: GeneKind,
    genome_length: usize,
    bounds: Bounds,
) -> Description {
    Description {
        encoding,
        gene,
        genome_length,
        bounds,
        ideal: None,
        worst: None,
        tolerance: 0.0,
        worst_tolerance: 0.0,
        space_size: None,
        has_crossover: false,
        has_mutate: false,
        has_is_valid: false,
        has_render: false,
        has_violations: false,
        has_conflicts: false,
        has_construct: false,
        state_size: 0,
        has_reversals: false,
        has_insertions: false,
        noise: crate::problem::Noise::Absent,
    }
}

/// Genomes at random; the first ones at the ends of their bounds.
fn genomes(problem: &Description, number: u64) -> Batch {
    let mut random = Random::seed_from_u64(number);
    let row = |row: usize| -> Vec<f64> {
        if problem.encoding == Encoding::Permutation {
            let mut genes: Vec<f64> = (0..problem.genome_length).map(|gene| gene as f64).collect();
            genes.shuffle(&mut random);
            return genes;
        }
        let gene = |locus: usize| {
            let (low, high) = problem.bounds.of(locus);
            let is_whole = problem.bounds.mixed().get(locus).is_some_and(MixedGene::is_whole);
            match (row, problem.gene) {
                (0, _) => low,
                (1, _) => high,
                (_, GeneKind::F64) if is_whole => {
                    random.random_range(low as i64..=high as i64) as f64
                }
                (_, GeneKind::F64) => random.random_range(low..=high),
                _ => random.random_range(low as u32..=high as u32).into(),
            }
        };
        (0..problem.genome_length).map(gene).collect()
    };
    Batch::of_numbers(problem, &(0..ROWS).map(row).collect::<Vec<_>>())
}

/// Distinct and in no order.
fn fitness() -> Vec<f64> {
    (0..ROWS).map(|row| ((row * 17) % ROWS) as f64).collect()
}

impl Case {
    /// The operator, in words: "crossover `edge-recombination`".
    fn name(&self) -> String {
        let DeclaredOperator { kind, name, .. } = self.operator.declared();
        format!("{kind} `{name}`")
    }

    /// "crossover `edge-recombination` on permutation: …"
    fn failed(&self, words: impl std::fmt::Display) -> Finding {
        Finding::Failed(format!("{} on {}: {words}", self.name(), self.problem.encoding))
    }

    fn fault(&self, error: CallError) -> Finding {
        let words = match is_words(&error.message) {
            true => error.message,
            false => format!("an error without words: {}", error.message),
        };
        self.failed(words)
    }

    /// Returns the output for all rows, in calls of `size` rows; a selection gets all at once. The
    /// output of an algorithm is the genomes that a search asks for.
    fn answer(&self, seed: &[u8; 32], size: usize) -> Result<Answer, Finding> {
        match self.operator.declared().kind {
            OperatorKind::Selection => {
                return Ok(bytemuck::cast_slice(&self.parents(seed, &fitness())?).to_vec());
            }
            OperatorKind::Algorithm => {
                return self.searched(seed, 1.0).map_err(|error| self.fault(error));
            }
            OperatorKind::Crossover | OperatorKind::Mutation => {}
        }
        let mut answer = Vec::new();
        for from in (0..ROWS).step_by(size) {
            let to = ROWS.min(from + size);
            let parents = (self.first.part(from, to), self.second.part(from, to));
            let made = self.made(seed, from as u64, &parents).map_err(|error| self.fault(error))?;
            answer.extend_from_slice(made.bytes());
        }
        Ok(answer)
    }

    /// Returns the genomes that a search asks for. Their fitness is a weighted sum of the genes,
    /// times `sign`.
    fn searched(&self, seed: &[u8; 32], sign: f64) -> Result<Answer, CallError> {
        self.told(&mut self.operator.begin(seed)?, ASKS, sign)
    }

    /// Returns the genomes that a search asks for in at most `asks` asks.
    fn told(
        &self,
        search: &mut PluginSearch<'_>,
        asks: usize,
        sign: f64,
    ) -> Result<Answer, CallError> {
        let length = self.problem.genome_length;
        of_kind!(self.problem.gene, G => {
            let weighted = |(locus, gene): (usize, &G)| (locus + 1) as f64 * gene.to_f64();
            let fitness =
                |genome: &[G]| sign * genome.iter().enumerate().map(weighted).sum::<f64>();
            let (mut answer, mut asked) = (Vec::new(), 0);
            for _ in 0..asks {
                let rows = search.ask()?;
                if rows == 0 || asked > ASKED {
                    break;
                }
                asked += rows;
                let mut genes = vec![G::from_f64(0.0); rows * length];
                search.genomes(&mut genes)?;
                let fitness: Vec<f64> = genes.chunks_exact(length).map(fitness).collect();
                search.tell(&genes, &fitness, None)?;
                answer.extend_from_slice(bytemuck::cast_slice(&genes));
            }
            Ok(answer)
        })
    }

    /// Compares a search with one of another instance that goes on from its state after each of
    /// these numbers of asks. Returns whether it has states.
    fn goes_on(&self, twin: &Case, after: &[usize]) -> Result<bool, Finding> {
        let fault = |error| self.fault(error);
        for asks in after {
            let mut search = self.operator.begin(&seed(1)).map_err(fault)?;
            let first = self.told(&mut search, *asks, 1.0).map_err(fault)?;
            let Some(state) = search.state().map_err(fault)? else { return Ok(false) };
            let rest = self.told(&mut search, REST, 1.0).map_err(fault)?;
            drop(search);
            let mut undisturbed = self.operator.begin(&seed(1)).map_err(fault)?;
            let whole = self.told(&mut undisturbed, asks + REST, 1.0).map_err(fault)?;
            // Both end where enough genomes were asked for.
            let (known, shortest) = ([first, rest.clone()].concat(), whole.len());
            let shortest = shortest.min(known.len());
            if whole[..shortest] != known[..shortest] {
                return Err(self.failed("other genomes after it was asked for its state"));
            }
            drop(undisturbed);
            let mut restored = twin.operator.begin(&seed(1)).map_err(fault)?;
            restored.restore(&state).map_err(fault)?;
            if self.told(&mut restored, REST, 1.0).map_err(fault)? != rest {
                let words =
                    format!("other genomes from its state after ask {asks} on, in another object");
                return Err(self.failed(words));
            }
        }
        Ok(true)
    }

    fn parents(&self, seed: &[u8; 32], fitness: &[f64]) -> Result<Vec<u32>, Finding> {
        let mut parents = vec![u32::MAX; 2 * ROWS];
        self.operator
            .select(seed, fitness, None, &mut parents)
            .map_err(|error| self.fault(error))?;
        Ok(parents)
    }

    fn made(
        &self,
        seed: &[u8; 32],
        row: u64,
        (first, second): &(Batch, Batch),
    ) -> Result<Batch, CallError> {
        of_kind!(self.problem.gene, G => {
            let mut genes = first.genes::<G>();
            match self.operator.declared().kind {
                OperatorKind::Crossover => {
                    let (one, two) = (first.genes::<G>(), second.genes());
                    self.operator.crossover(seed, row, &one, &two, &mut genes)?;
                }
                _ => self.operator.mutate(seed, row, &mut genes)?,
            }
            Ok(Batch::of(&genes, self.problem.genome_length))
        })
    }
}

pub(super) fn repeatable(operators: &Operators<'_>) -> Found {
    let cases = operators.cases()?;
    for case in &cases {
        let one = case.answer(&seed(1), ROWS)?;
        for _ in 0..3 {
            if case.answer(&seed(1), ROWS)? != one {
                return Err(case.failed("another answer to the same call"));
            }
        }
        let again = operators.cases()?;
        let twin = again.iter().find(|twin| twin.operator == case.operator);
        if twin.is_none_or(|twin| twin.answer(&seed(1), ROWS).as_ref() != Ok(&one)) {
            return Err(case.failed("another answer in a second instance"));
        }
        let same = || (0..4).all(|_| case.answer(&seed(1), ROWS).as_ref() == Ok(&one));
        let all = thread::scope(|scope| {
            let start = |_| thread::Builder::new().spawn_scoped(scope, same);
            let threads = (0..4).map(start).collect::<io::Result<Vec<_>>>()?;
            Ok(threads.into_iter().all(|thread| thread.join().unwrap_or(false)))
        });
        let all = all.map_err(|error: io::Error| {
            case.failed(format!("no thread can be started: {error}"))
        })?;
        if !all {
            return Err(case.failed("another answer while 4 threads called it"));
        }
    }
    Ok(Finding::Passed(format!("{}, each called 21 times", told(&cases))))
}

/// "2 operators, 5 times with a problem".
fn told(cases: &[Case]) -> String {
    let mut names: Vec<String> = cases.iter().map(Case::name).collect();
    names.dedup();
    let times = counted(cases.len() as u64, "time");
    format!("{}, {times} with a problem", counted(names.len() as u64, "operator"))
}

pub(super) fn rows(operators: &Operators<'_>) -> Found {
    let mut cases = operators.cases()?;
    let has_rows = [OperatorKind::Crossover, OperatorKind::Mutation];
    cases.retain(|case| has_rows.contains(&case.operator.declared().kind));
    if cases.is_empty() {
        let words = "it has neither crossovers nor mutations; selections and algorithms see all \
            rows";
        return Ok(Finding::Skipped(words.to_owned()));
    }
    for case in &cases {
        let whole = case.answer(&seed(1), ROWS)?;
        for size in [1, 3, 7] {
            if case.answer(&seed(1), size)? != whole {
                let words =
                    format!("other answers when {ROWS} rows were split into calls of {size}");
                return Err(case.failed(words));
            }
        }
    }
    Ok(Finding::Passed(format!("{}: {ROWS} rows in one call, and in smaller ones", told(&cases))))
}

pub(super) fn states(operators: &Operators<'_>) -> Found {
    let mut cases = operators.cases()?;
    cases.retain(|case| case.operator.declared().kind == OperatorKind::Algorithm);
    let twins = operators.cases()?;
    let mut going = Vec::new();
    for case in cases {
        let twin = twins.iter().find(|twin| twin.operator == case.operator);
        if case.goes_on(twin.unwrap_or(&case), &[1, 5, 30])? {
            going.push(case);
        }
    }
    Ok(match going[..] {
        [] => Finding::Skipped("no algorithm has `state` and `restore`".to_owned()),
        _ => Finding::Passed(format!("{}, from states after 1, 5 and 30 asks", told(&going))),
    })
}

pub(super) fn results(operators: &Operators<'_>) -> Found {
    let cases = operators.cases()?;
    for case in &cases {
        // The handle checks genes and rows.
        let (one, other) = (case.answer(&seed(1), ROWS)?, case.answer(&seed(2), ROWS)?);
        match case.operator.declared().kind {
            OperatorKind::Selection => {
                let reversed: Vec<f64> = fitness().iter().map(|fitness| -fitness).collect();
                let turned = case.parents(&seed(1), &reversed)?;
                if one == other && one == bytemuck::cast_slice::<u32, u8>(&turned) {
                    return Err(case.failed("the same parents for every seed and fitness"));
                }
            }
            OperatorKind::Algorithm => {
                let turned = case.searched(&seed(1), -1.0).map_err(|error| case.fault(error))?;
                if one == other && one == turned {
                    return Err(case.failed("the same genomes for every seed and fitness"));
                }
            }
            OperatorKind::Mutation if one == case.first.bytes() && other == one => {
                return Err(case.failed(format!("it changed none of {ROWS} genomes")));
            }
            OperatorKind::Crossover if one == case.first.bytes() && other == one => {
                return Err(case.failed("every child is its first parent"));
            }
            _ => {}
        }
    }
    Ok(Finding::Passed(told(&cases)))
}

/// The hash of all answers, for another process to be compared with.
pub(super) fn digest(operators: &Operators<'_>) -> Found {
    let mut hasher = blake3::Hasher::new();
    for case in operators.cases()? {
        hasher.update(case.name().as_bytes());
        hasher.update(&case.answer(&seed(1), ROWS)?);
    }
    Ok(Finding::Passed(hasher.finalize().to_hex().to_string()))
}

/// Each parameter at its ends, the others as they are.
pub(super) fn parameters(operators: &Operators<'_>) -> Found {
    let (mut works, mut refused) = (0, 0);
    for (place, declared) in operators.library.declared().operators.iter().enumerate() {
        let Some(values) = operators.values(declared)? else { continue };
        let ends = declared.parameters.iter().enumerate();
        for (at, value) in ends.flat_map(|(at, one)| ends_of(one).into_iter().map(move |v| (at, v)))
        {
            let mut values = values.clone();
            values[at] = value;
            for problem in examples(declared) {
                match operators.case(place, &values, problem)? {
                    None => refused += 1,
                    Some(case) => {
                        case.answer(&seed(1), ROWS).map_err(|_| {
                            let (key, value) = (&declared.parameters[at].key, &values[at]);
                            case.failed(format!("it fails with {key} = {value}"))
                        })?;
                        works += 1;
                    }
                }
            }
        }
    }
    Ok(match works + refused {
        0 => Finding::Skipped("no operator has parameters with ends".to_owned()),
        all => Finding::Passed(format!("{all} times: {works} work, {refused} are refused")),
    })
}

/// The least and the greatest value of a parameter, or all of them.
pub fn ends_of(parameter: &Parameter) -> Vec<Value> {
    match &parameter.kind {
        Kind::Integer { low, high } => vec![Value::Integer(*low), Value::Integer(*high)],
        Kind::Real { low, high, .. } => {
            let ends = [*low, *high].into_iter().filter(|end| end.is_finite());
            ends.map(Value::Real).collect()
        }
        Kind::Boolean => vec![Value::Boolean(false), Value::Boolean(true)],
        Kind::Choice(words) => words.iter().map(|word| Value::Text(word.clone())).collect(),
        Kind::Text | Kind::File => Vec::new(),
    }
}
