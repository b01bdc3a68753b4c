//! Strings of bits for the eye.

use runner_plugin::Format;
use std::fmt::Write;

/// Bits of a line.
const LINE_LIMIT: usize = 1024;
/// Bits that a picture shows.
const LIMIT: usize = 16_384;

/// None where the string is too long for the format. `width`: bits of a row of the board.
pub(crate) fn render(genome: &[u8], width: usize, format: Format) -> Option<String> {
    let signs = |genes: &[u8]| {
        genes.iter().map(|gene| if *gene == 1 { '1' } else { '0' }).collect::<String>()
    };
    match format {
        Format::Line => (genome.len() <= LINE_LIMIT).then(|| signs(genome)),
        Format::Board => (genome.len() <= LIMIT)
            .then(|| genome.chunks(width).map(|row| signs(row) + "\n").collect()),
        Format::Svg => (genome.len() <= LIMIT).then(|| svg(genome, width)),
    }
}

fn svg(genome: &[u8], width: usize) -> String {
    let rows = genome.len().div_ceil(width);
    let (across, down) = (10 * width.min(genome.len()), 10 * rows);
    let ones = genome.iter().filter(|gene| **gene == 1).count();
    let n = genome.len();
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {across} {down}\" role=\"img\" \
        aria-label=\"{ones} ones of {n} bits\"><rect width=\"{across}\" height=\"{down}\" \
        fill=\"#ffffff\"/><path fill=\"#1f4e79\" stroke=\"#ffffff\" d=\""
    );
    for (place, _) in genome.iter().enumerate().filter(|(_, gene)| **gene == 1) {
        let (x, y) = (10 * (place % width), 10 * (place / width));
        svg.write_fmt(format_args!("M{x} {y}h10v10h-10z"))
            .expect("writing to a string cannot fail");
    }
    svg + r#""/></svg>"#
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_shows_every_bit() {
        let genome = [1, 0, 1, 1, 0];
        assert_eq!(render(&genome, 64, Format::Line).as_deref(), Some("10110"));
        assert_eq!(render(&genome, 2, Format::Board).as_deref(), Some("10\n11\n0\n"));
        let svg = render(&genome, 2, Format::Svg).expect("small enough");
        assert!(svg.contains("viewBox=\"0 0 20 30\"") && svg.matches("v10").count() == 3);
        assert_eq!(render(&vec![0; LINE_LIMIT + 1], 64, Format::Line), None);
    }
}
