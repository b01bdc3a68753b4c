//! Strings of bits for the eye.

use runner_plugin::Format;
use runner_plugin::data::draw_bits;

/// Bits of a row.
const WIDTH: usize = 64;
/// Maximum number of bits in a picture.
const MOST_DRAWN: usize = 16_384;

pub(crate) fn render(genome: &[u8], format: Format) -> Option<String> {
    let signs = |genes: &[u8]| genes.iter().map(ToString::to_string).collect::<String>();
    match format {
        _ if genome.len() > MOST_DRAWN => None,
        Format::Line => Some(signs(genome)),
        Format::Board => Some(genome.chunks(WIDTH).map(|row| signs(row) + "\n").collect()),
        Format::Svg => {
            let ones = genome.iter().filter(|gene| **gene == 1).count();
            Some(draw_bits(genome, WIDTH, &format!("{ones} ones of {} bits", genome.len())))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_shows_every_bit() {
        let genome: Vec<u8> = (0..70).map(|gene| (gene % 2) as u8).collect();
        let shown = |format| render(&genome, format).expect("short");
        assert_eq!(shown(Format::Line), "01".repeat(35));
        assert_eq!(shown(Format::Board), format!("{}\n010101\n", "01".repeat(32)));
        assert_eq!(shown(Format::Svg).matches("<rect").count(), 36);
        assert_eq!(render(&vec![0; MOST_DRAWN + 1], Format::Line), None);
    }
}
