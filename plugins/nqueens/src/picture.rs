//! Boards for the eye.

use super::queens::RowGene;
use runner_plugin::Format;
use std::fmt::Write;

/// A line ends being readable somewhere; the genome itself is in the tables.
const LINE_LIMIT: usize = 1024;
/// Columns that a terminal shows.
const BOARD_LIMIT: usize = 128;
/// Columns at which squares are still visible.
const SVG_LIMIT: usize = 256;

/// A queen on a square of 40 x 40: drawn, since few machines have a font with chess signs.
const QUEEN: &str = "M11 35h18v-4l4-16-7 8-3-15h-6l-3 15-7-8 4 16z";

/// A cross on such a square.
const CROSS: &str = "M12 12l16 16M28 12l-16 16";

/// None where the board is too large for the format. `is_excluded`: whether no queen may be on a
/// square, by its column and row.
pub(crate) fn render<G: RowGene>(
    board: &[G],
    is_excluded: impl Fn(usize, usize) -> bool,
    format: Format,
) -> Option<String> {
    let n = board.len();
    match format {
        Format::Line => (n <= LINE_LIMIT).then(|| line(board)),
        Format::Board => (n <= BOARD_LIMIT).then(|| text(board, is_excluded)),
        Format::Svg => (n <= SVG_LIMIT).then(|| svg(board, is_excluded)),
    }
}

/// The rows, from column 0: `0 4 7 5 2 6 1 3`.
fn line<G: RowGene>(board: &[G]) -> String {
    let rows: Vec<String> = board.iter().map(ToString::to_string).collect();
    rows.join(" ")
}

/// A line per row, row 0 at the top; `x` for an excluded square.
fn text<G: RowGene>(board: &[G], is_excluded: impl Fn(usize, usize) -> bool) -> String {
    let mut text = String::with_capacity(2 * board.len() * board.len());
    for row in 0..board.len() {
        for (column, queen) in board.iter().enumerate() {
            if column > 0 {
                text.push(' ');
            }
            text.push(match queen.row() == row {
                true => 'Q',
                false if is_excluded(column, row) => 'x',
                false => '.',
            });
        }
        text.push('\n');
    }
    text
}

/// The board, with the queens that clash in red; a red cross on an excluded square.
fn svg<G: RowGene>(board: &[G], is_excluded: impl Fn(usize, usize) -> bool) -> String {
    const SQUARE: usize = 40;
    let n = board.len();
    let side = n * SQUARE;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {side} {side}\" role=\"img\" \
        aria-label=\"{n} queens\"><rect width=\"{side}\" height=\"{side}\" fill=\"#f0d9b5\"/>\
        <path fill=\"#b58863\" d=\""
    );
    for row in 0..n {
        for column in (0..n).filter(|column| (row + column) % 2 == 1) {
            write_to(
                &mut svg,
                format_args!("M{} {}h{SQUARE}v{SQUARE}h-{SQUARE}z", column * SQUARE, row * SQUARE),
            );
        }
    }
    svg += r#""/>"#;
    let squares = (0..n).flat_map(|row| (0..n).map(move |column| (column, row)));
    for (column, row) in squares.filter(|(column, row)| is_excluded(*column, *row)) {
        let (x, y) = (column * SQUARE, row * SQUARE);
        write_to(
            &mut svg,
            format_args!(
                r##"<path transform="translate({x} {y})" stroke="#c00000" d="{CROSS}"/>"##
            ),
        );
    }
    for (column, queen) in board.iter().enumerate() {
        let clashes = board.iter().enumerate().any(|(other, row)| {
            let apart = row.row().abs_diff(queen.row());
            other != column && (apart == 0 || apart == other.abs_diff(column))
        });
        let clashes = clashes || is_excluded(column, queen.row());
        let colour = if clashes { "#c00000" } else { "#000000" };
        let (x, y) = (column * SQUARE, queen.row() * SQUARE);
        write_to(
            &mut svg,
            format_args!(r#"<path transform="translate({x} {y})" fill="{colour}" d="{QUEEN}"/>"#),
        );
    }
    svg + "</svg>"
}

fn write_to(text: &mut String, words: std::fmt::Arguments<'_>) {
    text.write_fmt(words).expect("writing to a string cannot fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown<G: RowGene>(board: &[G], format: Format) -> Option<String> {
        render(board, |_, _| false, format)
    }

    #[test]
    fn a_solution_renders_in_every_format() {
        let board: [u8; 8] = [0, 4, 7, 5, 2, 6, 1, 3];
        assert_eq!(shown(&board, Format::Line).as_deref(), Some("0 4 7 5 2 6 1 3"));
        let text = shown(&board, Format::Board).expect("small enough");
        assert_eq!(text.lines().next(), Some("Q . . . . . . ."));
        assert_eq!(text.lines().nth(7), Some(". . Q . . . . ."));
        assert_eq!(text.lines().count(), 8);
        let svg = shown(&board, Format::Svg).expect("small enough");
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>"));
        assert_eq!(svg.matches(QUEEN).count(), 8);
        assert!(!svg.contains("#c00000"));
        assert!(shown(&[0u8, 1], Format::Svg).expect("small enough").contains("#c00000"));
    }

    #[test]
    fn boards_too_large_for_a_format_have_none() {
        assert_eq!(shown(&vec![0u16; LINE_LIMIT + 1], Format::Line), None);
        assert_eq!(shown(&vec![0u16; BOARD_LIMIT + 1], Format::Board), None);
        assert_eq!(shown(&vec![0u16; SVG_LIMIT + 1], Format::Svg), None);
    }
}
