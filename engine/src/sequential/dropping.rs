//! Drop-outs of a race: the rule that all races share (see [`race`](super::race)).

/// Returns the competitors that drop out of a race of `all`, in descending order of the evidence
/// against them. `left` are still in the race, and `rivals` are those of them whose evidence
/// counts. `evidence` returns the logarithm of the e-process against "the second is no better than
/// the first". The last competitor always stays.
pub(super) fn dropping(
    all: usize,
    left: &[usize],
    rivals: &[usize],
    confidence: f64,
    evidence: impl Fn(usize, usize) -> f64,
) -> Vec<usize> {
    let others = (all - 1) as f64;
    // Evidence that suffices for dropping out, whatever the other competitors have.
    let enough = libm::log(left.len() as f64 / (1.0 - confidence));
    let mean = |one: usize| {
        let mut each = Vec::new();
        for rival in rivals.iter().filter(|rival| **rival != one) {
            let of_rival = evidence(one, *rival);
            each.push(of_rival);
            if of_rival - libm::log(others) >= enough {
                break;
            }
        }
        log_of_sum(&each) - libm::log(others)
    };
    let mut against: Vec<(f64, usize)> = left.iter().map(|one| (mean(*one), *one)).collect();
    against.sort_by(|one, other| other.0.total_cmp(&one.0));
    let reached = |place: usize, evidence: f64| {
        let still = left.len() - place;
        still > 1 && evidence >= libm::log(still as f64 / (1.0 - confidence))
    };
    let dropped =
        against.iter().enumerate().take_while(|(place, (evidence, _))| reached(*place, *evidence));
    dropped.map(|(_, (_, one))| *one).collect()
}

/// Returns the logarithm of the sum of numbers given by their logarithms.
fn log_of_sum(logarithms: &[f64]) -> f64 {
    let greatest = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if greatest == f64::NEG_INFINITY {
        return greatest;
    }
    greatest + libm::log(logarithms.iter().map(|one| libm::exp(one - greatest)).sum())
}
