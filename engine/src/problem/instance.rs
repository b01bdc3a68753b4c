//! Problems: instances of plugins whose results are all checked.

use super::answer;
use super::boundary;
use super::description::{Bounds, Description, Encoding, GeneKind, Noise};
use super::host::{Described, Instance, Rows, RowsMut};
use super::library::{check_files, check_values, key};
use super::mixed;
use super::move_use::MoveUse;
use super::remote::PluginPlacement;
use super::{CallError, Format, Gene, Genome, Library, PluginError};
use crate::problem::parameter::Value;
use crate::system::guard::Call;
use runner_plugin::abi;
use std::any::Any;
use std::fmt;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

/// Problem to search: immutable, used by many threads at once.
///
/// Genes are `rows x genome length`, row-major. Rows that do not start at a multiple of 64 bytes
/// are copied first. Every method fails with the plugin's message, or with the rule that its result
/// violates. After an error, the contents of the buffers are unspecified.
///
/// # Panics
/// Panics if `G` is not the described kind of gene. Panics if slices do not hold the same number of
/// whole rows. Either is a bug in the caller.
pub struct Problem {
    library: Arc<Library>,
    values: Vec<Value>,
    description: Description,
    /// Instance, created on first use if the description was already known.
    instance: OnceLock<Box<dyn Instance>>,
    /// Numeric code of a [`MoveUse`].
    move_use: AtomicU8,
}

impl Problem {
    /// Creates the problem from checked values.
    fn new(library: Arc<Library>, values: &[Value]) -> Result<Self, PluginError> {
        let (instance, description) = make(&library, values)?;
        let made = Problem::described(library, values, description);
        Ok(Problem { instance: instance.into(), ..made })
    }

    /// Creates the problem from checked values and its known description, without an instance.
    fn described(library: Arc<Library>, values: &[Value], description: Description) -> Self {
        let move_use = (MoveUse::usual() as u8).into();
        let (values, instance) = (values.to_vec(), OnceLock::new());
        Problem { library, values, description, instance, move_use }
    }

    /// Returns the instance, and creates it if necessary.
    #[inline]
    fn instance(&self) -> Result<&dyn Instance, String> {
        match self.instance.get() {
            Some(instance) => Ok(instance.as_ref()),
            None => self.make(),
        }
    }

    #[cold]
    fn make(&self) -> Result<&dyn Instance, String> {
        let (instance, description) =
            make(&self.library, &self.values).map_err(|error| match error {
                PluginError::Create { message, .. } => {
                    format!("cannot make this problem: {message}")
                }
                PluginError::Description { message, .. } => {
                    format!("its description of the problem is wrong: {message}")
                }
                other => other.to_string(),
            })?;
        // The comparison uses the text, because a bound that is NaN does not equal itself.
        if format!("{description:?}") != format!("{:?}", self.description) {
            return Err(
                "the plugin describes this problem otherwise than it did in another process"
                    .to_owned(),
            );
        }
        Ok(self.instance.get_or_init(|| instance).as_ref())
    }

    /// Returns the values of the plugin's parameters, in its order.
    #[must_use]
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// Returns the plugin that created the problem.
    #[must_use]
    pub fn library(&self) -> &Arc<Library> {
        &self.library
    }

    /// Returns the plugin's checked description of the problem.
    #[must_use]
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// Returns whether the plugin can number genomes (see [`number`](Self::number)). Returns false
    /// before the instance is created.
    #[must_use]
    pub fn has_number(&self) -> bool {
        self.instance.get().is_some_and(|one| one.has(Call::Number))
    }

    /// Returns the setting for the evaluation of moves.
    #[inline]
    pub(super) fn move_use(&self) -> MoveUse {
        MoveUse::of(self.move_use.load(Relaxed))
    }

    /// Sets whether searches evaluate moves from now on. Results are identical.
    pub fn use_moves(&self, how: MoveUse) {
        self.move_use.store(how as u8, Relaxed);
    }

    /// Returns the instance that provides the calls of moves.
    #[inline]
    pub(super) fn moving(&self) -> Result<&boundary::Instance, String> {
        let instance: &dyn Any = self.instance()?;
        instance.downcast_ref().ok_or_else(|| "a program has none".to_owned())
    }

    pub(super) fn error(&self, call: &'static str) -> impl Fn(String) -> CallError + '_ {
        move |message| CallError { plugin: self.library.name().to_owned(), call, message }
    }

    /// Fills rows at random. Row `i` depends only on (seed, `first_row + i`).
    ///
    /// # Errors
    /// Returns an error if the plugin fails or returns genes that violate the encoding.
    pub fn sample<G: Gene>(
        &self,
        seed: &[u8; 32],
        first_row: u64,
        genes: &mut [G],
    ) -> Result<(), CallError> {
        self.instance()
            .and_then(|instance| instance.sample(seed, first_row, RowsMut::of(genes)))
            .and_then(|()| answer::check_genes(&self.description, genes))
            .map_err(self.error("sample"))
    }

    /// Writes one fitness per row. Each is finite and, where ideal and worst are known, between
    /// them up to their tolerances.
    ///
    /// # Errors
    /// Returns an error if the plugin fails or returns a fitness outside this range.
    pub fn evaluate<G: Gene>(&self, genes: &[G], fitness: &mut [f64]) -> Result<(), CallError> {
        self.instance()
            .and_then(|instance| instance.evaluate(Rows::of(genes), fitness))
            .and_then(|()| answer::check_fitness(&self.description, fitness))
            .map_err(self.error("evaluate"))
    }

    /// Writes fitness and violation per row, for a problem that has violations. Fitness is as in
    /// [`evaluate`](Self::evaluate), but that of an infeasible row may be below the ideal.
    /// Violations are finite and at least 0, and 0 for feasible rows.
    ///
    /// # Errors
    /// Returns an error if the plugin fails, has no violations, or returns numbers outside these
    /// ranges.
    pub fn evaluate_constrained<G: Gene>(
        &self,
        genes: &[G],
        fitness: &mut [f64],
        violations: &mut [f64],
    ) -> Result<(), CallError> {
        self.instance()
            .and_then(|one| one.evaluate_constrained(Rows::of(genes), fitness, violations))
            .and_then(|()| answer::check_violations(violations))
            .and_then(|()| answer::check_constrained(&self.description, fitness, violations))
            .map_err(self.error("evaluate_constrained"))
    }

    /// Evaluates each row once, for a noisy problem. The numbers that row `i` draws follow from the
    /// seed and `first_row + i`. Each fitness is finite; the noise may carry it beyond the ideal
    /// and the worst.
    ///
    /// # Errors
    /// Returns an error if the plugin fails, has no noise, or returns a number that is not finite.
    pub fn evaluate_noisy<G: Gene>(
        &self,
        seed: &[u8; 32],
        first_row: u64,
        genes: &[G],
        fitness: &mut [f64],
    ) -> Result<(), CallError> {
        self.instance()
            .and_then(|one| one.evaluate_noisy(seed, first_row, Rows::of(genes), fitness))
            .and_then(|()| answer::check_noisy(fitness))
            .map_err(self.error("evaluate_noisy"))
    }

    /// Writes one child per row from the parents in the same row of `first` and `second`.
    ///
    /// # Errors
    /// Returns an error if the plugin fails, returns genes that violate the encoding, or has no
    /// crossover.
    pub fn crossover<G: Gene>(
        &self,
        seed: &[u8; 32],
        first_row: u64,
        first: &[G],
        second: &[G],
        children: &mut [G],
    ) -> Result<(), CallError> {
        self.instance()
            .and_then(|instance| {
                let parents = [Rows::of(first), Rows::of(second)];
                instance.crossover(seed, first_row, parents, RowsMut::of(children))
            })
            .and_then(|()| answer::check_genes(&self.description, children))
            .map_err(self.error("crossover"))
    }

    /// Mutates every row in place, once.
    ///
    /// # Errors
    /// Returns an error if the plugin fails, returns genes that violate the encoding, or has no
    /// mutation.
    pub fn mutate<G: Gene>(
        &self,
        seed: &[u8; 32],
        first_row: u64,
        genes: &mut [G],
    ) -> Result<(), CallError> {
        self.instance()
            .and_then(|instance| instance.mutate(seed, first_row, RowsMut::of(genes)))
            .and_then(|()| answer::check_genes(&self.description, genes))
            .map_err(self.error("mutate"))
    }

    /// Writes 1 for each row that satisfies the problem's rules, else 0.
    ///
    /// # Errors
    /// Returns an error if the plugin fails, returns another number, or has no rules.
    pub fn is_valid<G: Gene>(&self, genes: &[G], valid: &mut [u8]) -> Result<(), CallError> {
        self.instance()
            .and_then(|instance| instance.is_valid(Rows::of(genes), valid))
            .and_then(|()| answer::check_valid(valid))
            .map_err(self.error("is_valid"))
    }

    /// Returns, for each genome, whether it satisfies the problem's rules. The process that has the
    /// plugin decides. Every result is true if the plugin has no rules. The genomes must be of the
    /// problem's kind and length.
    ///
    /// # Errors
    /// Returns an error, in words, if the plugin fails, returns another number, or its process
    /// ends.
    pub fn keep_rules(&self, genomes: &[Genome]) -> Result<Vec<bool>, String> {
        if !self.description.has_is_valid {
            return Ok(vec![true; genomes.len()]);
        }
        if let Some(answer) = self.library.validate_remotely(&self.values, genomes) {
            return answer;
        }
        let keeps = |genome: &Genome| -> Result<bool, CallError> {
            let mut valid = [0];
            match genome {
                Genome::U8(genes) => self.is_valid(genes, &mut valid)?,
                Genome::U16(genes) => self.is_valid(genes, &mut valid)?,
                Genome::U32(genes) => self.is_valid(genes, &mut valid)?,
                Genome::F64(genes) => self.is_valid(genes, &mut valid)?,
            }
            Ok(valid[0] == 1)
        };
        let answers: Result<Vec<bool>, CallError> = genomes.iter().map(keeps).collect();
        answers.map_err(|error| error.to_string())
    }

    /// Renders a genome; `None` if the plugin lacks the format. Lines and boards of mixed
    /// genomes have values by name, unless the plugin renders them.
    ///
    /// # Errors
    /// Returns an error if the plugin fails, its text is not UTF-8, or the genome does not belong
    /// to this problem.
    pub fn render(&self, genome: &Genome, format: Format) -> Result<Option<String>, CallError> {
        if !self.description.has_render {
            return Ok(None);
        }
        let row = Rows::of_genome(genome);
        let Description { gene, genome_length, .. } = self.description;
        let error = self.error("render");
        // A genome that was read from a file can have any kind and length.
        if (row.kind, genome.length()) != (gene, genome_length) {
            return Err(error(format!(
                "the genome has {} genes of {}, but the problem {genome_length} of {}",
                genome.length(),
                row.kind.as_str(),
                gene.as_str()
            )));
        }
        let rendered = self.instance().and_then(|instance| instance.render(row, format));
        let rendered = rendered.map_err(error)?;
        Ok(match (&self.description.bounds, genome) {
            (Bounds::Mixed(genes), Genome::F64(values)) => {
                let texts = mixed::texts(genes, values);
                rendered.or_else(|| match format {
                    Format::Line => Some(texts.join(" ")),
                    Format::Board => Some(texts.join("\n") + "\n"),
                    Format::Svg => None,
                })
            }
            _ => rendered,
        })
    }

    /// Writes the genes of a genome, separated by spaces: numbers, and choices by name.
    #[must_use]
    pub fn genes_text(&self, genome: &Genome) -> String {
        match (&self.description.bounds, genome) {
            (Bounds::Mixed(genes), Genome::F64(values)) => {
                mixed::written_values(genes, values).join(" ")
            }
            _ => genome.to_string(),
        }
    }

    /// Writes the genomes with consecutive numbers from `first_number`, each below the
    /// description's `space_size`.
    ///
    /// # Errors
    /// Returns an error if the plugin fails, returns genes that violate the encoding, or cannot
    /// enumerate. Returns an error if there are fewer genomes than requested.
    pub fn enumerate<G: Gene>(&self, first_number: u64, genes: &mut [G]) -> Result<(), CallError> {
        let rows = (genes.len() / self.description.genome_length) as u64;
        let size = self.description.space_size.unwrap_or(0);
        let outside = rows > size.saturating_sub(first_number);
        let checked = if outside {
            Err(format!(
                "{rows} genomes from number {first_number} on are asked for, but there are {size}, \
                from 0"
            ))
        } else {
            self.instance()
                .and_then(|instance| instance.enumerate(first_number, RowsMut::of(genes)))
        };
        checked
            .and_then(|()| answer::check_genes(&self.description, genes))
            .map_err(self.error("enumerate"))
    }

    /// Writes the number of each row, the inverse of [`enumerate`](Self::enumerate). The number is
    /// `u64::MAX` for a row without one.
    ///
    /// # Errors
    /// Returns an error if the plugin fails, returns a number that is not below the space size, or
    /// cannot number genomes.
    pub fn number<G: Gene>(&self, genes: &[G], numbers: &mut [u64]) -> Result<(), CallError> {
        self.instance()
            .and_then(|instance| instance.number(Rows::of(genes), numbers))
            .and_then(|()| answer::check_numbers(&self.description, numbers))
            .map_err(self.error("number"))
    }
}

impl fmt::Debug for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Problem")
            .field("library", &self.library)
            .field("description", &self.description)
            .finish()
    }
}

impl Library {
    /// Creates an instance of the problem from one value per parameter, in the plugin's order.
    ///
    /// # Errors
    /// Returns an error if a value does not match the declared parameter, or the plugin rejects the
    /// values. Returns an error if the plugin's description of the instance is wrong.
    pub fn create(self: &Arc<Self>, values: &[Value]) -> Result<Problem, PluginError> {
        self.check_problem()?;
        check_values(self.parameters(), values)
            .map_err(|message| PluginError::Values { plugin: self.name().to_owned(), message })?;
        match self.placement() {
            PluginPlacement::Here { known: Some(known), .. }
                if known.contains_key(&key(values)) =>
            {
                Ok(Problem::described(Arc::clone(self), values, known[&key(values)].clone()))
            }
            PluginPlacement::Here { .. } => Problem::new(Arc::clone(self), values),
            PluginPlacement::Remote(remote) => {
                let description = remote.describe(self.location(), self.name(), values)?;
                Ok(Problem::described(Arc::clone(self), values, description))
            }
        }
    }
}

/// Creates an instance from checked values and returns it with its description.
fn make(
    library: &Library,
    values: &[Value],
) -> Result<(Box<dyn Instance>, Description), PluginError> {
    let (instance, described) = match library.placement() {
        PluginPlacement::Here { host, .. } => {
            library.check_problem()?;
            let plugin = library.name().to_owned();
            check_files(values).map_err(|message| PluginError::Create { plugin, message })?;
            host.create(library.declared(), values)?
        }
        PluginPlacement::Remote(_) => {
            let message = "it is in another process".to_owned();
            return Err(PluginError::Create { plugin: library.name().to_owned(), message });
        }
    };
    let judged = judge(instance.as_ref(), described);
    let description = judged.map_err(|message| PluginError::Description {
        plugin: library.name().to_owned(),
        message,
    })?;
    Ok((instance, description))
}

/// Maximum size of a state in bytes.
const LARGEST_STATE: u64 = 1 << 34;

/// Checks the description of an instance for consistency and converts it.
fn judge(instance: &dyn Instance, described: Described) -> Result<Description, String> {
    let Described { gene, genome_length, ideal, worst, space_size, tolerance, .. } = described;
    let encoding = match described.encoding {
        abi::RUNNER_ENCODING_INTEGER => Encoding::Integer,
        abi::RUNNER_ENCODING_PERMUTATION => Encoding::Permutation,
        abi::RUNNER_ENCODING_BITS => Encoding::Bits,
        abi::RUNNER_ENCODING_REAL => Encoding::Real,
        abi::RUNNER_ENCODING_OPAQUE => Encoding::Opaque,
        abi::RUNNER_ENCODING_MIXED => Encoding::Mixed,
        other => return Err(format!("the encoding is {other}, which is unknown")),
    };
    let fits = match encoding {
        Encoding::Integer | Encoding::Permutation => gene != GeneKind::F64,
        Encoding::Bits => gene == GeneKind::U8,
        Encoding::Real | Encoding::Mixed => gene == GeneKind::F64,
        Encoding::Opaque => true,
    };
    if !fits {
        return Err(format!("genes of {} do not go with the {encoding} encoding", gene.as_str()));
    }
    let bounds = match encoding {
        Encoding::Bits => Bounds::Uniform { low: 0.0, high: 1.0 },
        Encoding::Permutation => {
            let high = (genome_length - 1) as f64;
            if high > greatest(gene) {
                return Err(format!(
                    "a permutation of {genome_length} does not fit genes of {}",
                    gene.as_str()
                ));
            }
            Bounds::Uniform { low: 0.0, high }
        }
        Encoding::Mixed => {
            mixed::check(&described.mixed, genome_length)?;
            Bounds::Mixed(described.mixed)
        }
        _ => bounds(encoding, gene, described.low, described.high)?,
    };
    if ideal.is_infinite() || worst.is_infinite() {
        return Err(format!(
            "the ideal is {ideal} and the worst {worst}, but each must be finite, or NaN if unknown"
        ));
    }
    if ideal > worst {
        return Err(format!(
            "the ideal {ideal} is above the worst {worst}, but the lower a fitness the better"
        ));
    }
    let (tolerance, worst_tolerance) = tolerances(ideal, worst, tolerance)?;
    let noise = noise(instance, described.noise)?;
    // A noisy problem is asked for no moves.
    let state_size = if noise == Noise::Absent { described.state_size } else { 0 };
    if state_size > LARGEST_STATE {
        return Err(format!("a state has {state_size} bytes, beyond the {LARGEST_STATE} allowed"));
    }
    let has_kind = |kind: u32| {
        let is_stated = described.move_kinds >> kind & 1 == 1;
        state_size > 0 && encoding == Encoding::Permutation && is_stated
    };
    if space_size > 0 && !instance.has(Call::Enumerate) {
        return Err(format!("it numbers {space_size} genomes, but has no `enumerate`"));
    }
    Ok(Description {
        encoding,
        gene,
        genome_length,
        bounds,
        ideal: (!ideal.is_nan()).then_some(ideal),
        worst: (!worst.is_nan()).then_some(worst),
        tolerance,
        worst_tolerance,
        space_size: (space_size > 0).then_some(space_size),
        has_crossover: instance.has(Call::Crossover),
        has_mutate: instance.has(Call::Mutate),
        has_is_valid: instance.has(Call::IsValid),
        // Mixed genomes are rendered by the names of their values.
        has_render: instance.has(Call::Render) || encoding == Encoding::Mixed,
        has_violations: instance.has(Call::EvaluateConstrained),
        has_conflicts: instance.has(Call::Conflicts),
        has_construct: instance.has(Call::Construct),
        state_size,
        has_reversals: has_kind(abi::RUNNER_REVERSALS),
        has_insertions: has_kind(abi::RUNNER_INSERTIONS),
        noise,
    })
}

/// Returns the noise with this code. A noisy problem needs its call, and has no constraints.
fn noise(instance: &dyn Instance, code: u64) -> Result<Noise, String> {
    let noise = match code {
        abi::RUNNER_EXACT => return Ok(Noise::Absent),
        abi::RUNNER_NOISY => Noise::NoiselessUnknown,
        abi::RUNNER_NOISELESS => Noise::NoiselessKnown,
        other => return Err(format!("the noise is {other}, which is unknown")),
    };
    if !instance.has(Call::EvaluateNoisy) {
        return Err("its fitness is noisy, but it has no `evaluate_noisy`".to_owned());
    }
    if instance.has(Call::EvaluateConstrained) {
        return Err("its fitness is noisy and it has constraints, which do not go together: add \
            a penalty for violations to the fitness, or remove the noise"
            .to_owned());
    }
    Ok(noise)
}

/// Returns the tolerances for rounding beyond the ideal and beyond the worst. `stated` is the
/// plugin's tolerance, or NaN for the default.
///
/// The default covers the rounding of sums of thousands of terms: 1e-12 of the ideal, or 1e-9 near
/// 0. It covers no genome that is worse: whole numbers up to 1e11 remain distinct. A millionth of
/// the fitness range also remains distinct.
fn tolerances(ideal: f64, worst: f64, stated: f64) -> Result<(f64, f64), String> {
    if stated < 0.0 || stated.is_infinite() {
        return Err(format!(
            "the tolerance is {stated}, but must be finite and at least 0, or NaN for the default"
        ));
    }
    if ideal + stated >= worst && worst > ideal {
        return Err(format!(
            "the tolerance {stated} covers every fitness from the ideal {ideal} to the worst \
            {worst}; it is only for rounding"
        ));
    }
    // `min` ignores a NaN.
    let usual = |end: f64| {
        if end.is_nan() { 0.0 } else { (1e-12 * end.abs()).max(1e-9).min(1e-6 * (worst - ideal)) }
    };
    if stated.is_nan() {
        return Ok((usual(ideal), usual(worst)));
    }
    Ok((
        if ideal.is_nan() { 0.0 } else { stated },
        usual(worst).max(if worst.is_nan() { 0.0 } else { stated }),
    ))
}

/// Returns the greatest value of a gene.
fn greatest(gene: GeneKind) -> f64 {
    match gene {
        GeneKind::U8 => u8::MAX.into(),
        GeneKind::U16 => u16::MAX.into(),
        GeneKind::U32 => u32::MAX.into(),
        GeneKind::F64 => f64::MAX,
    }
}

fn bounds(
    encoding: Encoding,
    gene: GeneKind,
    low: Vec<f64>,
    high: Vec<f64>,
) -> Result<Bounds, String> {
    for (locus, (&low, &high)) in low.iter().zip(&high).enumerate() {
        if !(low <= high && low.is_finite() && high.is_finite() && (high - low).is_finite()) {
            return Err(format!(
                "the bounds of gene {locus} are {low} and {high}, but they and their distance must \
                be finite, and they in order"
            ));
        }
        if gene != GeneKind::F64
            && (low < 0.0 || high > greatest(gene) || low.fract() != 0.0 || high.fract() != 0.0)
        {
            let greatest = greatest(gene);
            return Err(format!(
                "the bounds of gene {locus} are {low} and {high}, but genes of {} are whole \
                numbers from 0 to {greatest}",
                gene.as_str()
            ));
        }
    }
    match (low.as_slice(), high.as_slice()) {
        ([], []) if encoding == Encoding::Opaque => Ok(Bounds::None),
        ([], []) => Err(format!("there are no bounds, but the {encoding} encoding needs them")),
        ([low], [high]) => Ok(Bounds::Uniform { low: *low, high: *high }),
        _ => Ok(Bounds::PerGene { low, high }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_tolerance_takes_in_rounding_and_no_other_fitness() {
        let usual = |ideal, worst| tolerances(ideal, worst, f64::NAN).expect("finite").0;
        assert_eq!(usual(0.0, f64::NAN), 1e-9);
        assert_eq!(usual(-400.0, f64::NAN), 1e-9);
        assert_eq!(usual(-4e6, 1e9), 4e-6);
        assert_eq!(usual(f64::NAN, 1.0), 0.0);
        // The tolerance covers a unit in the last place, but not a whole number.
        for ideal in [1.0, 0.3, 1e3, -7e6, 1e9, -1e11] {
            let tolerance = usual(ideal, f64::NAN);
            assert!(
                ideal - tolerance
                    <= f64::from_bits(ideal.to_bits() - 64)
                        .min(f64::from_bits(ideal.to_bits() + 64))
            );
            assert!(tolerance < 0.5, "{ideal}");
        }
        // On a tiny scale: the whole range of fitness is 1e-10.
        assert_eq!(usual(0.0, 1e-10), 1e-16);
        assert_eq!(tolerances(0.0, 1e-10, 1e-12), Ok((1e-12, 1e-12)));
        assert!(
            tolerances(0.0, 1.0, -1.0).is_err() && tolerances(0.0, 1.0, f64::INFINITY).is_err()
        );
        // The widest range causes no overflow.
        assert_eq!(
            tolerances(f64::MIN, f64::MAX, f64::NAN),
            Ok((f64::MAX * 1e-12, f64::MAX * 1e-12))
        );
    }
}
