//! The nearest name: what a user probably meant.

/// Maximum distance of a candidate of which `name` is a part, or the initials.
const OF_A_PART: usize = 2;

/// Returns the candidate most like `name`, if any is like it at all: fewer than half of the
/// characters would have to change (Damerau 1964, doi:10.1145/363958.363994), one contains the
/// other, or `name` has the initials of the candidate's words.
#[must_use]
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    let like = |candidate: &&str| {
        let candidate = candidate.to_lowercase();
        let longest = name.chars().count().max(candidate.chars().count());
        let distance = strsim::damerau_levenshtein(&name, &candidate);
        let parts = candidate.split(['-', '_']);
        let initials: String = parts.filter_map(|part| part.chars().next()).collect();
        let is_part = (name.len() >= 3
            && (candidate.contains(&name) || name.starts_with(&candidate)))
            || (name.len() >= 2 && initials == name);
        match is_part {
            true => Some(distance.min(OF_A_PART)),
            false => (distance * 2 < longest).then_some(distance),
        }
    };
    candidates
        .into_iter()
        .filter_map(|candidate| like(&candidate).map(|distance| (distance, candidate)))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Returns the nearest key, as [`nearest`] does. For a name of a single letter, an only candidate
/// of a single letter is the nearest.
#[must_use]
pub fn nearest_key<'a>(name: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let single = |word: &str| word.chars().count() == 1;
    let mut letters = candidates.iter().copied().filter(|candidate| single(candidate));
    match (single(name), letters.next(), letters.next()) {
        (true, Some(letter), None) => Some(letter),
        _ => nearest(name, candidates.iter().copied()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_errors_find_their_name() {
        let names = ["roulette", "sus", "tournament", "truncation", "uniform"];
        assert_eq!(nearest("roulete", names), Some("roulette"));
        assert_eq!(nearest("tournment", names), Some("tournament"));
        assert_eq!(nearest("Tournament", names), Some("tournament"));
        assert_eq!(nearest("tour", names), Some("tournament"));
        assert_eq!(nearest("ROUL", ["Roulette-Wheel"]), Some("Roulette-Wheel"));
        assert_eq!(nearest("xyzzy", names), None);
        let algorithms = ["simulated-annealing", "random-search", "tabu-search", "islands"];
        assert_eq!(nearest("annealing", algorithms), Some("simulated-annealing"));
        assert_eq!(nearest("sa", algorithms), Some("simulated-annealing"));
        assert_eq!(nearest("ts", algorithms), Some("tabu-search"));
        assert_eq!(nearest("hc", algorithms), None);
        assert_eq!(nearest("roulette", []), None);
        assert_eq!(nearest_key("m", &["plugin", "n", "encoding"]), Some("n"));
        assert_eq!(nearest_key("m", &["n", "k"]), None);
    }
}
