//! Transformations that make functions irregular, asymmetric and ill-conditioned: RR-6829, section
//! 0.2.

use crate::lanes::Lanes;

/// Returns the place of each of `n` genes, from 0 to 1.
pub(crate) fn places(n: usize) -> impl Iterator<Item = f64> + Clone {
    (0..n).map(move |at| at as f64 / (n - 1).max(1) as f64)
}

/// Returns the diagonal of Λ: `alpha` to the power of half a gene's place.
pub(crate) fn conditioning(alpha: f64, n: usize) -> Vec<f64> {
    let root = alpha.sqrt();
    places(n).map(|place| libm::pow(root, place)).collect()
}

/// Returns T_osz of a number, which oscillates around it.
#[inline(always)]
pub(crate) fn oscillated<const L: usize>(number: Lanes<L>) -> Lanes<L> {
    let log = number.abs().ln() / 0.1;
    let one = number.map(|number| if number > 0.0 { 1.0 } else { 0.55 });
    let other = number.map(|number| if number > 0.0 { 0.79 } else { 0.31 });
    let waves = (one * log).sin() + (other * log).sin();
    let value = (0.1 * (log + 0.49 * waves)).exp();
    value.zip(number, |value, x| if x == 0.0 { 0.0 } else { value.copysign(x) })
}

/// Applies T_osz to each number.
#[inline(always)]
pub(crate) fn oscillate<const L: usize>(numbers: &mut [Lanes<L>]) {
    for number in numbers {
        *number = oscillated(*number);
    }
}

/// Applies T_asy, which stretches positive numbers, the later ones more.
#[inline(always)]
pub(crate) fn stretch<const L: usize>(beta: f64, numbers: &mut [Lanes<L>]) {
    let n = numbers.len();
    for (number, place) in numbers.iter_mut().zip(places(n)) {
        let power = number.pow(1.0 + beta * place * number.sqrt());
        *number = number.zip(power, |x, power| if x > 0.0 { power } else { x });
    }
}

/// Returns f_pen: the sum of squared distances to the bounds -5 and 5.
#[inline(always)]
pub(crate) fn penalty<const L: usize>(genome: &[Lanes<L>]) -> Lanes<L> {
    let beyond = genome.iter().map(|gene| (gene.abs() - 5.0).max(Lanes::all(0.0)));
    beyond.map(|beyond| beyond * beyond).sum()
}
