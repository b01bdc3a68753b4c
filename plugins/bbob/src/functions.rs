//! The 24 functions: RR-6829, sections 1 to 24. Each value is the distance to the optimum's value,
//! so the least value is 0.

use crate::elementary::rounded;
use crate::instance::{Draws, Matrix};
use crate::lanes::Lanes;
use crate::transformations::{conditioning, oscillate, oscillated, penalty, places, stretch};
use std::f64::consts::PI;

/// Names of the functions, from number 1.
pub const NAMES: [&str; 24] = [
    "sphere",
    "separable ellipsoid",
    "separable Rastrigin",
    "Büche-Rastrigin",
    "linear slope",
    "attractive sector",
    "step ellipsoid",
    "Rosenbrock",
    "rotated Rosenbrock",
    "ellipsoid",
    "discus",
    "bent cigar",
    "sharp ridge",
    "different powers",
    "Rastrigin",
    "Weierstrass",
    "Schaffer F7",
    "ill-conditioned Schaffer F7",
    "Griewank-Rosenbrock",
    "Schwefel",
    "Gallagher, 101 peaks",
    "Gallagher, 21 peaks",
    "Katsuura",
    "Lunacek bi-Rastrigin",
];

/// Optimum of the sine in Schwefel's function, divided by 100. The report has 4.2096874633; the
/// suite's programs have this number.
const SCHWEFEL: f64 = 4.2096874637;
/// Least value of the sum of Weierstrass: the sum of 2^-k for k from 0 to 11, negative.
const WEIERSTRASS: f64 = -4095.0 / 2048.0;
/// Number of factors of Katsuura's product, each at most 321, whose product is a number.
const FACTORS: usize = 100;
/// First centre of Lunacek's function.
const LUNACEK: f64 = 2.5;

/// A function of one dimension and instance.
#[derive(Clone, Debug)]
pub struct Function {
    number: u32,
    n: usize,
    /// Place of the optimum.
    optimum: Vec<f64>,
    /// Value at the optimum.
    offset: f64,
    /// Matrix that is applied first, if any.
    first: Option<Matrix>,
    /// Matrix that is applied second, if any.
    second: Option<Matrix>,
    /// Factor per gene.
    factors: Vec<f64>,
    peaks: Vec<Peak>,
}

/// Peak of Gallagher's functions.
#[derive(Clone, Debug)]
struct Peak {
    height: f64,
    /// Rotated place.
    place: Vec<f64>,
    /// Factor per squared distance.
    factors: Vec<f64>,
}

/// Buffers of one evaluation.
#[derive(Clone, Debug)]
pub struct Buffers<const L: usize> {
    one: Vec<Lanes<L>>,
    other: Vec<Lanes<L>>,
}

impl<const L: usize> Default for Buffers<L> {
    fn default() -> Self {
        Buffers { one: Vec::new(), other: Vec::new() }
    }
}

impl Function {
    /// Creates a function.
    ///
    /// # Panics
    /// If `number` is not from 1 to 24, or `n` is below 2.
    #[must_use]
    pub fn new(number: u32, n: usize, instance: u32) -> Self {
        assert!((1..=24).contains(&number) && n >= 2, "function {number} of {n} numbers");
        // Two functions share the optimum of their predecessor.
        let seed = i64::from(match number {
            4 => 3,
            18 => 17,
            number => number,
        }) + 10_000 * i64::from(instance);
        let draws = Draws::new(seed);
        let later = Draws::new(seed + 1_000_000);
        let both = |condition: f64| {
            Some(later.rotation(n).times(&conditioning(condition, n), &draws.rotation(n)))
        };
        let powers = |base: f64| places(n).map(|place| libm::pow(base, place)).collect();
        let scale = widening(n);
        let scaled = || Some(draws.rotation(n).scaled(&vec![scale; n]));
        let mut function = Function {
            number,
            n,
            optimum: draws.optimum(n),
            offset: draws.offset(),
            first: None,
            second: None,
            factors: Vec::new(),
            peaks: Vec::new(),
        };
        match number {
            2 => function.factors = powers(1e6),
            3 => function.factors = conditioning(10.0, n),
            4 => {
                function.optimum.iter_mut().step_by(2).for_each(|number| *number = number.abs());
                function.factors = conditioning(10.0, n);
            }
            5 => {
                let factors = conditioning(100.0, n);
                let signed = factors.iter().zip(&function.optimum);
                function.factors = signed.map(|(factor, at)| factor.copysign(*at)).collect();
                function.optimum.iter_mut().for_each(|at| *at = 5.0f64.copysign(*at));
            }
            6 | 13 => function.first = both(10.0),
            7 => {
                function.first = Some(draws.rotation(n).scaled(&conditioning(10.0, n)));
                function.second = Some(later.rotation(n));
                function.factors = powers(100.0);
            }
            8 => function.optimum.iter_mut().for_each(|at| *at *= 0.75),
            9 | 19 => {
                function.first = scaled();
                let matrix = function.first.as_ref();
                let at = |column| {
                    matrix.map_or(0.0, |matrix| 0.5 * matrix.column_sum(column) / (scale * scale))
                };
                function.optimum = (0..n).map(at).collect();
            }
            10 => {
                function.first = Some(later.rotation(n));
                function.factors = powers(1e6);
            }
            11 => function.first = Some(later.rotation(n)),
            12 => {
                function.optimum = later.optimum(n);
                function.first = Some(later.rotation(n));
            }
            14 => {
                function.first = Some(later.rotation(n));
                function.factors = places(n).map(|place| 2.0 + 4.0 * place).collect();
            }
            15 => {
                function.first = Some(later.rotation(n));
                function.second = both(10.0);
            }
            16 => {
                function.first = Some(later.rotation(n));
                function.second = both(0.01);
            }
            17 | 18 => {
                let condition = if number == 17 { 10.0 } else { 1000.0 };
                function.first = Some(later.rotation(n));
                function.second = Some(draws.rotation(n).scaled(&conditioning(condition, n)));
            }
            20 => {
                let sign = |uniform: &f64| if *uniform < 0.5 { -0.5 } else { 0.5 };
                function.optimum =
                    draws.uniform(n).iter().map(|uniform| sign(uniform) * SCHWEFEL).collect();
                function.factors = conditioning(10.0, n);
            }
            21 | 22 => function.place_peaks(draws),
            23 => function.first = both(100.0),
            24 => {
                let sign = |normal: &f64| if *normal < 0.0 { -0.5 } else { 0.5 };
                function.optimum =
                    draws.normal(n).iter().map(|normal| sign(normal) * LUNACEK).collect();
                function.first = both(100.0);
            }
            _ => {}
        }
        function
    }

    /// Places the peaks of Gallagher's functions.
    fn place_peaks(&mut self, draws: Draws) {
        let n = self.n;
        let (count, width, first) =
            if self.number == 21 { (101, 10.0, 1000f64.sqrt()) } else { (21, 9.8, 1000.0) };
        let rotation = draws.rotation(n);
        let ranks = order(&draws.uniform(count - 1));
        let uniform = draws.uniform(n * count);
        for peak in 0..count {
            let condition = match peak.checked_sub(1) {
                None => first,
                Some(other) => libm::pow(1000.0, ranks[other] as f64 / (count - 2) as f64),
            };
            let height = match peak.checked_sub(1) {
                None => 10.0,
                Some(other) => 1.1 + 8.0 * other as f64 / (count - 2) as f64,
            };
            let seed = draws.seed() + 1000 * peak as i64;
            let exponent = |rank: &usize| *rank as f64 / (n - 1) as f64 - 0.5;
            let factor = |rank| libm::pow(condition, exponent(rank));
            let factors = order(&Draws::new(seed).uniform(n)).iter().map(factor).collect();
            let shrink = if peak == 0 { 0.8 } else { 1.0 };
            let place: Vec<f64> = uniform[peak * n..][..n]
                .iter()
                .map(|uniform| shrink * (width * uniform - width / 2.0))
                .collect();
            let point: Vec<Lanes<1>> = place.iter().map(|at| Lanes([*at])).collect();
            let mut rotated = vec![Lanes([0.0]); n];
            rotation.add_product(&point, &mut rotated);
            let rotated = rotated.into_iter().map(|Lanes([at])| at).collect();
            if peak == 0 {
                self.optimum = place;
            }
            self.peaks.push(Peak { height, place: rotated, factors });
        }
        self.first = Some(rotation);
    }

    /// Returns the place of the optimum.
    #[must_use]
    pub fn optimum(&self) -> &[f64] {
        &self.optimum
    }

    /// Returns the suite's value at the optimum.
    #[must_use]
    pub fn offset(&self) -> f64 {
        self.offset
    }

    /// Returns the distances of the values of some genomes, gene by gene, to the value at the
    /// optimum.
    #[must_use]
    #[inline(always)]
    pub fn value<const L: usize>(&self, genome: &[Lanes<L>], buffers: &mut Buffers<L>) -> Lanes<L> {
        let n = self.n as f64;
        let Buffers { one, other } = buffers;
        one.clear();
        one.extend(genome.iter().zip(&self.optimum).map(|(gene, at)| *gene - *at));
        other.resize(self.n, Lanes::all(0.0));
        match self.number {
            1 => one.iter().map(|x| *x * *x).sum(),
            2 => {
                oscillate(one);
                weighted(&self.factors, one)
            }
            3 => {
                oscillate(one);
                stretch(0.2, one);
                one.iter_mut().zip(&self.factors).for_each(|(x, factor)| *x *= *factor);
                rastrigin(one)
            }
            4 => {
                oscillate(one);
                for (at, (x, factor)) in one.iter_mut().zip(&self.factors).enumerate() {
                    let above = if at % 2 == 0 { 10.0 * factor } else { *factor };
                    *x = x.map(|x| x * if x > 0.0 { above } else { *factor });
                }
                rastrigin(one) + 100.0 * penalty(genome)
            }
            5 => {
                let term = |((gene, at), slope): ((&Lanes<L>, &f64), &f64)| {
                    let within = gene.map(|gene| if gene * at < 25.0 { gene } else { *at });
                    5.0 * slope.abs() - *slope * within
                };
                genome.iter().zip(&self.optimum).zip(&self.factors).map(term).sum()
            }
            6 => {
                apply(&self.first, one, other);
                let term = |(x, at): (&Lanes<L>, &f64)| {
                    let x = x.map(|x| if x * at > 0.0 { 100.0 * x } else { x });
                    x * x
                };
                let sum = other.iter().zip(&self.optimum).map(term).sum();
                oscillated(sum).pow(Lanes::all(0.9))
            }
            7 => {
                apply(&self.first, one, other);
                let before = other[0].abs();
                let nearest = |x: f64| {
                    let fine = rounded(10.0 * x) / 10.0;
                    if x.abs() > 0.5 { rounded(x) } else { fine }
                };
                other.iter_mut().for_each(|x| *x = x.map(nearest));
                apply(&self.second, other, one);
                let sum = weighted(&self.factors, one);
                0.1 * sum.max(1e-4 * before) + penalty(genome)
            }
            8 => {
                let scale = widening(self.n);
                one.iter_mut().for_each(|x| *x = scale * *x + 1.0);
                rosenbrock(one)
            }
            9 => {
                apply_from(0.5, &self.first, genome, other);
                rosenbrock(other)
            }
            10 => {
                apply(&self.first, one, other);
                oscillate(other);
                weighted(&self.factors, other)
            }
            11 => {
                apply(&self.first, one, other);
                oscillate(other);
                let (first, rest) = other.split_at(1);
                1e6 * first[0] * first[0] + squares(rest)
            }
            12 => {
                apply(&self.first, one, other);
                stretch(0.5, other);
                apply(&self.first, other, one);
                let (first, rest) = one.split_at(1);
                first[0] * first[0] + 1e6 * squares(rest)
            }
            13 => {
                apply(&self.first, one, other);
                let (first, rest) = other.split_at(1);
                first[0] * first[0] + 100.0 * squares(rest).sqrt()
            }
            14 => {
                apply(&self.first, one, other);
                let mut sum = Lanes::all(0.0);
                for (x, power) in other.iter().zip(&self.factors) {
                    sum += x.abs().pow(Lanes::all(*power));
                }
                sum.sqrt()
            }
            15 => {
                apply(&self.first, one, other);
                oscillate(other);
                stretch(0.2, other);
                apply(&self.second, other, one);
                rastrigin(one)
            }
            16 => {
                apply(&self.first, one, other);
                oscillate(other);
                apply(&self.second, other, one);
                let mut sum = Lanes::all(0.0);
                for x in one {
                    sum += weierstrass(*x);
                }
                let mean = sum / n - WEIERSTRASS;
                10.0 * mean * mean * mean + 10.0 / n * penalty(genome)
            }
            17 | 18 => {
                apply(&self.first, one, other);
                stretch(0.5, other);
                apply(&self.second, other, one);
                let mut sum = Lanes::all(0.0);
                for pair in one.array_windows::<2>() {
                    let squares = squares(pair);
                    let wave = (50.0 * squares.pow(Lanes::all(0.1))).sin();
                    sum += squares.sqrt().sqrt() * (1.0 + wave * wave);
                }
                let mean = sum / (n - 1.0);
                mean * mean + 10.0 * penalty(genome)
            }
            19 => {
                apply_from(0.5, &self.first, genome, other);
                let mut sum = Lanes::all(0.0);
                for pair in other.array_windows() {
                    let value = valley(pair);
                    sum += value / 4000.0 - value.cos();
                }
                10.0 + 10.0 * sum / (n - 1.0)
            }
            20 => self.schwefel(genome, one),
            21 | 22 => {
                apply(&self.first, genome, other);
                let (together, rest) = self.peaks.as_chunks::<4>();
                let mut highest = Lanes::all(0.0);
                for peaks in together {
                    highest = highest.max(height(peaks, other));
                }
                for peak in rest {
                    highest = highest.max(height(std::array::from_ref(peak), other));
                }
                let root = oscillated(10.0 - highest);
                root * root + penalty(genome)
            }
            23 => {
                apply(&self.first, one, other);
                let power = Lanes::all(10.0 / libm::pow(n, 1.2));
                let (mut raised, mut product) = (Lanes::all(1.0), Lanes::all(1.0));
                for (at, x) in other.iter().enumerate() {
                    // The product of many factors would have no number: its parts are raised.
                    if at > 0 && at % FACTORS == 0 {
                        raised = raised * product.pow(power);
                        product = Lanes::all(1.0);
                    }
                    let mut sum = Lanes::all(0.0);
                    for power in 1..=32 {
                        let factor = (1u64 << power) as f64;
                        let scaled = factor * *x;
                        sum += scaled.map(|x| (x - rounded(x)).abs()) * (1.0 / factor);
                    }
                    product = product * (1.0 + (at + 1) as f64 * sum);
                }
                10.0 / n / n * (raised * product.pow(power) - 1.0) + penalty(genome)
            }
            _ => self.lunacek(genome, one, other),
        }
    }

    /// Returns the value of Schwefel's function x sin(√|x|).
    #[inline(always)]
    fn schwefel<const L: usize>(&self, genome: &[Lanes<L>], moved: &mut [Lanes<L>]) -> Lanes<L> {
        let double = |at: usize| 2.0 * genome[at] * 1.0f64.copysign(self.optimum[at]);
        let (mut sum, mut beyond) = (Lanes::all(0.0), Lanes::all(0.0));
        for (at, moved) in moved.iter_mut().enumerate() {
            let centre = 2.0 * self.optimum[at].abs();
            *moved = double(at);
            if at > 0 {
                *moved += 0.25 * (double(at - 1) - 2.0 * self.optimum[at - 1].abs());
            }
            let x = 100.0 * (self.factors[at] * (*moved - centre) + centre);
            let above = (x.abs() - 500.0).max(Lanes::all(0.0));
            beyond += above * above;
            sum += x * x.abs().sqrt().sin();
        }
        0.01 * (418.9828872724339 - sum / self.n as f64) + 0.01 * beyond
    }

    /// Returns the value of Lunacek's function of two funnels.
    #[inline(always)]
    fn lunacek<const L: usize>(
        &self,
        genome: &[Lanes<L>],
        moved: &mut [Lanes<L>],
        turned: &mut [Lanes<L>],
    ) -> Lanes<L> {
        let n = self.n as f64;
        let slope = 1.0 - 0.5 / ((n + 20.0).sqrt() - 4.1);
        let second = -((LUNACEK * LUNACEK - 1.0) / slope).sqrt();
        let (mut to_first, mut to_second) = (Lanes::all(0.0), Lanes::all(0.0));
        for ((x, gene), at) in moved.iter_mut().zip(genome).zip(&self.optimum) {
            let double = 2.0 * *gene * 1.0f64.copysign(*at);
            *x = double - LUNACEK;
            to_first += *x * *x;
            to_second += (double - second) * (double - second);
        }
        apply(&self.first, moved, turned);
        to_first.min(n + slope * to_second) + 10.0 * (n - cosines(turned)) + 1e4 * penalty(genome)
    }
}

/// Returns the place of each number in ascending order: the number of the k-th least is element k.
fn order(numbers: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by(|one, other| numbers[*one].total_cmp(&numbers[*other]));
    order
}

/// Writes the product of a matrix and a vector, each sum from `offset` on.
#[inline(always)]
fn apply_from<const L: usize>(
    offset: f64,
    matrix: &Option<Matrix>,
    vector: &[Lanes<L>],
    result: &mut [Lanes<L>],
) {
    result.fill(Lanes::all(offset));
    if let Some(matrix) = matrix {
        matrix.add_product(vector, result);
    }
}

#[inline(always)]
fn apply<const L: usize>(matrix: &Option<Matrix>, vector: &[Lanes<L>], result: &mut [Lanes<L>]) {
    apply_from(0.0, matrix, vector, result);
}

/// Returns the factor by which Rosenbrock's valley is stretched in `n` dimensions.
fn widening(n: usize) -> f64 {
    ((n as f64).sqrt() / 8.0).max(1.0)
}

#[inline(always)]
fn squares<const L: usize>(numbers: &[Lanes<L>]) -> Lanes<L> {
    numbers.iter().map(|x| *x * *x).sum()
}

/// Returns the weighted sum of squares.
#[inline(always)]
fn weighted<const L: usize>(factors: &[f64], numbers: &[Lanes<L>]) -> Lanes<L> {
    factors.iter().zip(numbers).map(|(factor, x)| *factor * *x * *x).sum()
}

#[inline(always)]
fn rastrigin<const L: usize>(numbers: &[Lanes<L>]) -> Lanes<L> {
    10.0 * (numbers.len() as f64 - cosines(numbers)) + squares(numbers)
}

/// Returns the height of the highest of some peaks, whose sums do not wait for each other.
#[inline(always)]
fn height<const L: usize, const P: usize>(peaks: &[Peak; P], point: &[Lanes<L>]) -> Lanes<L> {
    let mut sums = [Lanes::all(0.0); P];
    for (at, x) in point.iter().enumerate() {
        for (sum, peak) in sums.iter_mut().zip(peaks) {
            let distance = *x - peak.place[at];
            *sum += peak.factors[at] * distance * distance;
        }
    }
    let mut highest = Lanes::all(0.0);
    for (sum, peak) in sums.into_iter().zip(peaks) {
        highest = highest.max(peak.height * (-0.5 / point.len() as f64 * sum).exp());
    }
    highest
}

/// Returns the sum of the cosines of whole turns.
#[inline(always)]
fn cosines<const L: usize>(numbers: &[Lanes<L>]) -> Lanes<L> {
    let mut sum = Lanes::all(0.0);
    for x in numbers {
        sum += (2.0 * PI * *x).cos();
    }
    sum
}

#[inline(always)]
fn valley<const L: usize>(pair: &[Lanes<L>; 2]) -> Lanes<L> {
    let [x, next] = *pair;
    let (curve, slope) = (x * x - next, x - 1.0);
    100.0 * curve * curve + slope * slope
}

#[inline(always)]
fn rosenbrock<const L: usize>(numbers: &[Lanes<L>]) -> Lanes<L> {
    numbers.array_windows().map(valley).sum()
}

/// Returns the sum of twelve cosines of Weierstrass.
#[inline(always)]
fn weierstrass<const L: usize>(x: Lanes<L>) -> Lanes<L> {
    let (mut sum, mut height, mut frequency) = (Lanes::all(0.0), 1.0, 1.0);
    for _ in 0..12 {
        sum += height * (2.0 * PI * (x + 0.5) * frequency).cos();
        height *= 0.5;
        frequency *= 3.0;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values with their offsets, by the package `ioh` 0.4.2: of instance 1 with 2 numbers, and of
    /// instance 7 with 5 numbers.
    #[rustfmt::skip]
    const VALUES: [(f64, f64); 24] = [
        (93.23551908, -966.9164164),
        (2379079.8055382003, 516616.97949362744),
        (-405.60261248535085, 724.0287720718809),
        (-55.82601481020265, 390.0028554559878),
        (71.53999999999999, -37.796842915511995),
        (48.0919831329647, 697160.107822687),
        (369.9536452367256, 695.7025395456373),
        (595.2574843556762, 12185.501898044895),
        (4261.071559270811, 9662.35378144646),
        (46330440.82791831, 64901408.83919155),
        (560442.2391579521, 93542.67236567519),
        (2533930867.714362, 3900330538.4864693),
        (1440.9868941993673, 1031.0815082234733),
        (-32.36083926994269, -116.87046337217883),
        (1021.3435069514788, 818.4614066400952),
        (85.74826543539514, 71.74100719829565),
        (22.289875315211898, 147.76219428934925),
        (118.53524288166051, 348.73066695317516),
        (-32.009786536519286, 87.37017899917295),
        (-439.6702225995431, 58053.34394195908),
        (58.78052027296451, 187.9438304036284),
        (-998.6239253637717, 216.538216031925),
        (20.875932799065716, -964.7538068529598),
        (122.34525317487999, -118.75685655144429),
    ];

    fn value_of(function: &Function, genome: &[f64]) -> f64 {
        let genome: Vec<Lanes<1>> = genome.iter().map(|gene| Lanes([*gene])).collect();
        function.value(&genome, &mut Buffers::default()).0[0]
    }

    #[test]
    fn values_are_those_of_the_suite() {
        for (number, values) in (1..).zip(VALUES) {
            for (n, instance, value) in [(2, 1, values.0), (5, 7, values.1)] {
                let gene = |at: u32| f64::from((7 * at + 3 * number) % 19) / 2.0 - 4.5;
                let genome: Vec<f64> = (0..n).map(|at| gene(at) + 0.125 * f64::from(at)).collect();
                let function = Function::new(number, n as usize, instance);
                let own = value_of(&function, &genome) + function.offset();
                let error = (own - value).abs() / value.abs();
                assert!(error < 1e-11, "function {number} of {n}: {own} is not {value}");
            }
        }
    }

    #[test]
    fn the_least_sum_of_weierstrass_is_exact() {
        assert_eq!(weierstrass(Lanes([0.0])).0, [WEIERSTRASS]);
    }

    #[test]
    fn no_value_is_better_than_that_of_the_optimum() {
        for number in 1..=24 {
            for n in [2, 5, 40] {
                let function = Function::new(number, n, 3);
                let optimum = function.optimum().to_vec();
                let least = value_of(&function, &optimum);
                assert!(least.abs() < 1e-7, "function {number} of {n}: {least:e}");
                for at in 0..n {
                    let mut genome = optimum.clone();
                    genome[at] -= 1e-3f64.copysign(genome[at]);
                    let value = value_of(&function, &genome);
                    assert!(value >= least, "function {number} of {n}: {value:e} by {at}");
                }
            }
        }
    }

    /// Katsuura's product has no number beyond some 235 factors; its logarithm has.
    #[test]
    fn katsuura_of_many_numbers_is_that_of_logarithms() {
        for n in [40, 100, 101, 300, 640] {
            let gene = |at: usize, number: usize| ((7 * at + 3 * number) % 19) as f64 / 2.0 - 4.4;
            let values = [1, 2].map(|number| {
                let genome: Vec<f64> = (0..n).map(|at| gene(at, number)).collect();
                let function = Function::new(23, n, 1);
                let moved: Vec<Lanes<1>> = genome.iter().map(|gene| Lanes([*gene])).collect();
                let mut rows = Buffers::default();
                let own = function.value(&moved, &mut rows).0[0];
                let logarithms = rows.other.iter().enumerate().map(|(at, x)| {
                    let part = |power: i32| {
                        let scaled = 2.0f64.powi(power) * x.0[0];
                        (scaled - scaled.round()).abs() / 2.0f64.powi(power)
                    };
                    libm::log1p((at + 1) as f64 * (1..=32).map(part).sum::<f64>())
                });
                let size = n as f64;
                let sum = logarithms.sum::<f64>() * 10.0 / libm::pow(size, 1.2);
                let value = 10.0 / size / size * libm::expm1(sum) + penalty(&moved).0[0];
                assert!((own - value).abs() <= 1e-9 * value, "{n}: {own}, not {value}");
                own
            });
            assert!(values[0] != values[1], "{n}");
        }
    }
}
