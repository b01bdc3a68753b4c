//! A problem: an instance of a plugin, with every answer checked.

use super::answer;
use super::apart::Home;
use super::boundary;
use super::description::{Bounds, Description, Encoding, GeneKind};
use super::host::{Described, Instance, Rows, RowsMut};
use super::moves::MoveUse;
use super::{CallError, Gene, Genome, Library, PluginError};
use crate::problem::parameter::Value;
use crate::system::guard::Call;
use runner_plugin::abi;
use std::fmt;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

/// What a genome is rendered as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One line of text, for a table cell.
    Line,
    /// Text of several lines, for a terminal.
    Board,
    /// One `<svg>` element.
    Svg,
}

/// A problem to search: immutable, used by many threads at once.
///
/// Genes are `rows x genome length`, row-major; rows that do not start at a multiple of 64 bytes
/// are copied first. Every method fails with the plugin's own words, or with the rule that its
/// answer breaks; the buffers then hold no meaning.
///
/// # Panics
/// If `G` is not the described kind of gene, or slices do not hold whole and equally many rows: a
/// caller's bug.
pub struct Problem {
    library: Arc<Library>,
    values: Vec<Value>,
    description: Description,
    /// Made when it is first used, where the description was known before.
    instance: OnceLock<Box<dyn Instance>>,
    /// A [`MoveUse`].
    move_use: AtomicU8,
}

impl Problem {
    /// Makes the problem of checked values.
    pub(super) fn new(library: Arc<Library>, values: &[Value]) -> Result<Self, PluginError> {
        let (instance, description) = make(&library, values)?;
        let made = Problem::described(library, values, description);
        Ok(Problem { instance: instance.into(), ..made })
    }

    /// The problem of checked values that describes itself like this.
    pub(super) fn described(
        library: Arc<Library>,
        values: &[Value],
        description: Description,
    ) -> Self {
        let move_use = (MoveUse::usual() as u8).into();
        let (values, instance) = (values.to_vec(), OnceLock::new());
        Problem { library, values, description, instance, move_use }
    }

    /// The instance, made now if need be.
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
        // By its words: a bound that is not a number is not equal to itself.
        if format!("{description:?}") != format!("{:?}", self.description) {
            return Err(
                "the plugin describes this problem otherwise than it did in another process"
                    .to_owned(),
            );
        }
        Ok(self.instance.get_or_init(|| instance).as_ref())
    }

    /// The values of the plugin's parameters, in its order.
    #[must_use]
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// The plugin that made it.
    #[must_use]
    pub fn library(&self) -> &Arc<Library> {
        &self.library
    }

    /// What the plugin says of it, checked.
    #[must_use]
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// Whether the plugin can number genomes (see [`number`](Self::number)).
    #[must_use]
    pub fn has_number(&self) -> bool {
        self.instance.get().is_some_and(|one| one.has(Call::Number))
    }

    /// Whether searches evaluate moves, where the plugin can.
    #[inline]
    pub(super) fn move_use(&self) -> MoveUse {
        MoveUse::of(self.move_use.load(Relaxed))
    }

    /// From now on, searches evaluate moves like this. Results are the same.
    pub fn use_moves(&self, how: MoveUse) {
        self.move_use.store(how as u8, Relaxed);
    }

    /// The instance that has the calls of moves.
    #[inline]
    pub(super) fn moving(&self) -> Result<&boundary::Instance, String> {
        self.instance()?.moves().ok_or_else(|| "a program has none".to_owned())
    }

    pub(super) fn error(&self, call: &'static str) -> impl Fn(String) -> CallError + '_ {
        move |message| CallError { plugin: self.library.name().to_owned(), call, message }
    }

    /// Fills rows at random. Row `i` follows from (seed, `first_row + i`) alone.
    ///
    /// # Errors
    /// If the plugin fails or gives genes that break the encoding; likewise below.
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

    /// Writes one fitness per row: finite, and between ideal and worst where these are known, up to
    /// their tolerances.
    ///
    /// # Errors
    /// If the plugin fails or gives a fitness outside of that.
    pub fn evaluate<G: Gene>(&self, genes: &[G], fitness: &mut [f64]) -> Result<(), CallError> {
        self.instance()
            .and_then(|instance| instance.evaluate(Rows::of(genes), fitness))
            .and_then(|()| answer::check_fitness(&self.description, fitness))
            .map_err(self.error("evaluate"))
    }

    /// Writes fitness and violation per row, of a problem that has violations: fitness as
    /// [`evaluate`](Self::evaluate) does, but that of a row that is not feasible may be below the
    /// ideal; violations finite and at least 0, and 0 for feasible rows.
    ///
    /// # Errors
    /// If the plugin fails, has no violations, or gives numbers outside of that.
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

    /// One child a row, of the parents in the same row of `first` and `second`.
    ///
    /// # Errors
    /// As for [`sample`](Self::sample), and if the plugin has no crossover.
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
    /// As for [`sample`](Self::sample), and if the plugin has no mutation.
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

    /// Writes 1 where a row keeps the problem's rules, else 0.
    ///
    /// # Errors
    /// If the plugin fails, answers otherwise, or has no rules.
    pub fn is_valid<G: Gene>(&self, genes: &[G], valid: &mut [u8]) -> Result<(), CallError> {
        self.instance()
            .and_then(|instance| instance.is_valid(Rows::of(genes), valid))
            .and_then(|()| answer::check_valid(valid))
            .map_err(self.error("is_valid"))
    }

    /// Whether each of these genomes keeps the problem's rules, by the process that has the plugin;
    /// true where the plugin has no rules. The genomes are of the problem's kind and length.
    ///
    /// # Errors
    /// If the plugin fails or answers otherwise, or its process ends; in words.
    pub fn keep_rules(&self, genomes: &[Genome]) -> Result<Vec<bool>, String> {
        if !self.description.has_is_valid {
            return Ok(vec![true; genomes.len()]);
        }
        if let Some(answer) = self.library.validate_apart(&self.values, genomes) {
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

    /// A genome for the eye; none where the plugin has no such format.
    ///
    /// # Errors
    /// If the plugin fails, its text is not UTF-8, or the genome is not one of this problem.
    pub fn render(&self, genome: &Genome, format: Format) -> Result<Option<String>, CallError> {
        if !self.description.has_render {
            return Ok(None);
        }
        let row = Rows::of_genome(genome);
        let Description { gene, genome_length, .. } = self.description;
        let error = self.error("render");
        // A genome that comes back from a file can be anything.
        if (row.kind, genome.length()) != (gene, genome_length) {
            return Err(error(format!(
                "the genome has {} genes of {}, but the problem {genome_length} of {}",
                genome.length(),
                row.kind.as_str(),
                gene.as_str()
            )));
        }
        self.instance().and_then(|instance| instance.render(row, format)).map_err(error)
    }

    /// Writes the genomes numbered from `first_number` on, each below the description's
    /// `space_size`.
    ///
    /// # Errors
    /// As for [`sample`](Self::sample), if the plugin cannot enumerate, and if there are not as
    /// many genomes.
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

    /// Writes the number of each row, the inverse of [`enumerate`](Self::enumerate); `u64::MAX`
    /// where a row has none.
    ///
    /// # Errors
    /// If the plugin fails, gives a number that is not below the space size, or cannot number.
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

/// Makes an instance of checked values, and its description.
fn make(
    library: &Library,
    values: &[Value],
) -> Result<(Box<dyn Instance>, Description), PluginError> {
    let (instance, described) = match library.home() {
        Home::Here { host, .. } => {
            library.check_problem()?;
            host.create(library.declared(), values)?
        }
        Home::Apart(_) => {
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

/// Bytes that a state may have.
const LARGEST_STATE: u64 = 1 << 34;

/// The description, if it holds together.
fn judge(instance: &dyn Instance, described: Described) -> Result<Description, String> {
    let Described { gene, genome_length, ideal, worst, space_size, tolerance, .. } = described;
    let encoding = match described.encoding {
        abi::RUNNER_ENCODING_INTEGER => Encoding::Integer,
        abi::RUNNER_ENCODING_PERMUTATION => Encoding::Permutation,
        abi::RUNNER_ENCODING_BITS => Encoding::Bits,
        abi::RUNNER_ENCODING_REAL => Encoding::Real,
        abi::RUNNER_ENCODING_OPAQUE => Encoding::Opaque,
        other => return Err(format!("the encoding is {other}, which is unknown")),
    };
    let fits = match encoding {
        Encoding::Integer | Encoding::Permutation => gene != GeneKind::F64,
        Encoding::Bits => gene == GeneKind::U8,
        Encoding::Real => gene == GeneKind::F64,
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
    let state_size = described.state_size;
    if state_size > LARGEST_STATE {
        return Err(format!("a state has {state_size} bytes, beyond the {LARGEST_STATE} allowed"));
    }
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
        has_render: instance.has(Call::Render),
        has_violations: instance.has(Call::EvaluateConstrained),
        state_size,
    })
}

/// How far rounding may take a fitness beyond the ideal, and beyond the worst. `stated`: NaN for
/// the default.
///
/// The default is to take in what rounding does to sums of thousands of terms (1e-12 of the ideal;
/// 1e-9 where that is near 0), and no genome that is worse: whole numbers up to 1e11 stay apart,
/// and so does a millionth of the range of fitness.
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
    // `min` leaves out a NaN.
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

/// The greatest number that a gene can be.
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
        if !(low <= high && low.is_finite() && high.is_finite()) {
            return Err(format!(
                "the bounds of gene {locus} are {low} and {high}, but must be finite and in order"
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
        // A unit in the last place is little; a whole number is much.
        for ideal in [1.0, 0.3, 1e3, -7e6, 1e9, -1e11] {
            let tolerance = usual(ideal, f64::NAN);
            assert!(
                ideal - tolerance
                    <= f64::from_bits(ideal.to_bits() - 64)
                        .min(f64::from_bits(ideal.to_bits() + 64))
            );
            assert!(tolerance < 0.5, "{ideal}");
        }
        // Of a scale of its own: a ten-billionth is all there is.
        assert_eq!(usual(0.0, 1e-10), 1e-16);
        assert_eq!(tolerances(0.0, 1e-10, 1e-12), Ok((1e-12, 1e-12)));
        assert!(
            tolerances(0.0, 1.0, -1.0).is_err() && tolerances(0.0, 1.0, f64::INFINITY).is_err()
        );
        // The widest range: nothing overflows.
        assert_eq!(
            tolerances(f64::MIN, f64::MAX, f64::NAN),
            Ok((f64::MAX * 1e-12, f64::MAX * 1e-12))
        );
    }
}
