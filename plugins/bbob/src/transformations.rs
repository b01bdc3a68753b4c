//! Transformations that make functions irregular, asymmetric and ill-conditioned: RR-6829, section
//! 0.2.

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
pub(crate) fn oscillated(number: f64) -> f64 {
    if number == 0.0 {
        return 0.0;
    }
    let log = libm::log(number.abs()) / 0.1;
    let (one, other) = if number > 0.0 { (1.0, 0.79) } else { (0.55, 0.31) };
    let waves = libm::sin(one * log) + libm::sin(other * log);
    libm::exp(0.1 * (log + 0.49 * waves)).copysign(number)
}

/// Applies T_osz to each number.
pub(crate) fn oscillate(numbers: &mut [f64]) {
    numbers.iter_mut().for_each(|number| *number = oscillated(*number));
}

/// Applies T_asy, which stretches positive numbers, the later ones more.
pub(crate) fn stretch(beta: f64, numbers: &mut [f64]) {
    let n = numbers.len();
    for (number, place) in numbers.iter_mut().zip(places(n)) {
        if *number > 0.0 {
            *number = libm::pow(*number, 1.0 + beta * place * number.sqrt());
        }
    }
}

/// Returns f_pen: the sum of squared distances to the bounds -5 and 5.
pub(crate) fn penalty(genome: &[f64]) -> f64 {
    genome.iter().map(|gene| (gene.abs() - 5.0).max(0.0)).map(|beyond| beyond * beyond).sum()
}

/// Returns the nearest integer; halves are rounded up.
pub(crate) fn rounded(number: f64) -> f64 {
    (number + 0.5).floor()
}
