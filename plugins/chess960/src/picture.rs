//! Ranks for the eye. White's pieces are upper-case or white, Black's lower-case or black, as is
//! the custom of the field.

use runner_plugin::Format;
use std::fmt::Write;

const WHITE: [char; 6] = ['?', '♖', '♘', '♗', '♕', '♔'];
const LETTERS: [char; 6] = ['?', 'R', 'N', 'B', 'Q', 'K'];

/// Outlines of the pieces on a square of 40 x 40, by their letter: drawn, since few machines have a
/// font with chess signs.
const OUTLINES: [(char, &str); 6] = [
    ('R', "M10 35h20v-4h-3l-1-13h3v-9h-4v3h-3v-3h-4v3h-3v-3h-4v9h3l-1 13h-3z"),
    ('N', "M12 35h18c2-13 0-23-9-27l-2-4-3 5c-5 3-8 9-8 13l4 4 4-4h6c-2 5-9 6-10 13z"),
    ('B', "M20 4a2 2 0 0 1 1 4c7 5 8 12 3 17l1 6h4v4h-18v-4h4l1-6c-5-5-4-12 3-17a2 2 0 0 1 1-4z"),
    ('Q', "M11 35h18v-4l4-16-7 8-3-15h-6l-3 15-7-8 4 16z"),
    ('K', "M11 35h18v-5c8-6 6-18-7-15v-3h4v-4h-4v-4h-4v4h-4v4h4v3c-13-3-15 9-7 15z"),
    ('P', "M12 35h16v-4c-2-3-5-6-5-10a6 6 0 1 0-6 0c0 4-3 7-5 10z"),
];

fn of(signs: [char; 6], gene: u8) -> char {
    signs.get(usize::from(gene)).copied().unwrap_or('?')
}

pub(crate) fn render(genes: &[u8], format: Format) -> Option<String> {
    Some(match format {
        Format::Line => genes.iter().map(|&gene| of(WHITE, gene)).collect(),
        Format::Board => board(genes),
        Format::Svg => svg(genes),
    })
}

/// The eight rows of squares from Black's side down, each square's sign.
fn rows(genes: &[u8], white: [char; 6], black: [char; 6], pawns: [char; 2]) -> [Vec<char>; 8] {
    std::array::from_fn(|row| match row {
        // Black's pieces face White's: the same on each file.
        0 => genes.iter().map(|&gene| of(black, gene)).collect(),
        1 => vec![pawns[1]; 8],
        6 => vec![pawns[0]; 8],
        7 => genes.iter().map(|&gene| of(white, gene)).collect(),
        _ => vec![' '; 8],
    })
}

/// `| R | K | …` between rules of 33 dashes.
fn board(genes: &[u8]) -> String {
    let rule = "-".repeat(33) + "\n";
    let mut text = rule.clone();
    for row in rows(genes, LETTERS, LETTERS.map(|letter| letter.to_ascii_lowercase()), ['P', 'p']) {
        for sign in row {
            text += "| ";
            text.push(sign);
            text.push(' ');
        }
        text += "|\n";
        text += &rule;
    }
    text
}

fn svg(genes: &[u8]) -> String {
    const SQUARE: usize = 40;
    let line: String = genes.iter().map(|&gene| of(LETTERS, gene)).collect();
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 320 320\" role=\"img\" \
        aria-label=\"{line}\"><rect width=\"320\" height=\"320\" fill=\"#f0d9b5\"/>\
        <path fill=\"#b58863\" d=\""
    );
    for dark in 0..32 {
        // White's a1, at the bottom left, is dark.
        let (row, column) = (dark / 4, 2 * (dark % 4) + usize::from(dark / 4 % 2 == 0));
        write_to(
            &mut svg,
            format_args!("M{} {}h{SQUARE}v{SQUARE}h-{SQUARE}z", column * SQUARE, row * SQUARE),
        );
    }
    svg += r#""/>"#;
    for (row, letters) in rows(genes, LETTERS, LETTERS, ['P', 'P']).into_iter().enumerate() {
        let fill = if row < 4 { "#222222" } else { "#ffffff" };
        for (column, letter) in letters.into_iter().enumerate() {
            let Some((_, outline)) = OUTLINES.iter().find(|(piece, _)| *piece == letter) else {
                continue;
            };
            let (x, y) = (column * SQUARE, row * SQUARE);
            write_to(
                &mut svg,
                format_args!(
                    "<path transform=\"translate({x} {y})\" fill=\"{fill}\" stroke=\"#000\" \
                    d=\"{outline}\"/>"
                ),
            );
        }
    }
    svg + "</svg>"
}

fn write_to(text: &mut String, words: std::fmt::Arguments<'_>) {
    text.write_fmt(words).expect("writing to a string cannot fail");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::tests::genes;

    #[test]
    fn the_line_is_the_back_rank() {
        assert_eq!(render(&genes("RNBQKBNR"), Format::Line).as_deref(), Some("♖♘♗♕♔♗♘♖"));
    }

    #[test]
    fn the_board_is_the_whole_start_position() {
        let rule = "---------------------------------\n";
        let empty = "|   |   |   |   |   |   |   |   |\n";
        let lines = [
            "| r | k | n | b | b | n | q | r |\n",
            "| p | p | p | p | p | p | p | p |\n",
            empty,
            empty,
            empty,
            empty,
            "| P | P | P | P | P | P | P | P |\n",
            "| R | K | N | B | B | N | Q | R |\n",
        ];
        let expected = lines.iter().fold(rule.to_owned(), |text, line| text + line + rule);
        assert_eq!(render(&genes("RKNBBNQR"), Format::Board), Some(expected));
    }

    #[test]
    fn the_svg_has_every_piece() {
        let svg = render(&genes("RNBQKBNR"), Format::Svg).expect("there is one");
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>"));
        assert_eq!(svg.matches("<path transform").count(), 32);
        assert_eq!(svg.matches("#ffffff").count(), 16);
        assert_eq!(svg.matches("v40").count(), 32);
        assert!(svg.contains("M0 280h"), "a1 is dark");
    }
}
