//! The nearest name: what a user probably meant.

/// Returns the candidate most like `name`, if any is like it at all: fewer than half of the
/// characters would have to change (Damerau 1964, doi:10.1145/363958.363994), or one starts with
/// the other.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    let like = |candidate: &&str| {
        let candidate = candidate.to_lowercase();
        let longest = name.chars().count().max(candidate.chars().count());
        let distance = strsim::damerau_levenshtein(&name, &candidate);
        let contained =
            name.len() >= 3 && (candidate.starts_with(&name) || name.starts_with(&candidate));
        (distance * 2 < longest || contained).then_some(distance)
    };
    candidates
        .into_iter()
        .filter_map(|candidate| like(&candidate).map(|distance| (distance, candidate)))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Returns the nearest key, as [`nearest`] does. For a name of a single letter, an only candidate
/// of a single letter is the nearest.
pub(crate) fn nearest_key<'a>(name: &str, candidates: &[&'a str]) -> Option<&'a str> {
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
        assert_eq!(nearest("roulette", []), None);
        assert_eq!(nearest_key("m", &["plugin", "n", "encoding"]), Some("n"));
        assert_eq!(nearest_key("m", &["n", "k"]), None);
    }
}
