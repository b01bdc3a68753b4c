//! Division of content that does not fit into one chart.

use std::ops::Range;

/// A part of content that does not fit into one chart.
pub(super) struct Part {
    pub range: Range<usize>,
    /// Suffix such as "-2"; empty if there is only one part.
    pub suffix: String,
    /// Text such as "arms 9 to 16 of 30; "; empty if there is only one part.
    pub words: String,
}

/// Divides `count` things into at most `most` charts of `size` things. They are in the order of the
/// file, or those with the best arms come first.
pub(super) fn parts(
    count: usize,
    size: usize,
    most: usize,
    what: &str,
    best_first: bool,
) -> Vec<Part> {
    let all = count.div_ceil(size);
    // Sizes differ by at most one. If not all things can be shown, the parts are full.
    let cut = |part: usize| if all > most { size * part } else { count * part / all.max(1) };
    let shown = cut(all.min(most));
    let rest = match (shown < count, best_first) {
        (false, _) => String::new(),
        (true, false) => format!(", of which the first {shown} are shown"),
        (true, true) => format!(", of which the {shown} with the best arms are shown"),
    };
    (0..all.min(most))
        .map(|part| {
            let range = cut(part)..cut(part + 1);
            let several = all > 1;
            Part {
                suffix: if several { format!("-{}", part + 1) } else { String::new() },
                words: match several {
                    true => {
                        format!("{what} {} to {} of {count}{rest}; ", range.start + 1, range.end)
                    }
                    false => String::new(),
                },
                range,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_of_one_size_and_leave_nothing_out() {
        let ranges = |count| {
            parts(count, 8, 6, "arms", false).into_iter().map(|part| part.range).collect::<Vec<_>>()
        };
        assert_eq!(ranges(8).first(), Some(&(0..8)));
        assert_eq!(ranges(8).len(), 1);
        assert_eq!(ranges(9), [0..4, 4..9]);
        assert!(ranges(0).is_empty());
        assert_eq!(ranges(30).iter().map(ExactSizeIterator::len).sum::<usize>(), 30);
        assert_eq!(parts(9, 8, 6, "arms", false)[1].words, "arms 5 to 9 of 9; ");
        assert_eq!(
            parts(301, 8, 6, "arms", false)[5].words,
            "arms 41 to 48 of 301, of which the first 48 are shown; "
        );
        assert_eq!(
            parts(301, 8, 1, "lines", true)[0].words,
            "lines 1 to 8 of 301, of which the 8 with the best arms are shown; "
        );
    }
}
