//! Choices for the eye.

use crate::items::{Item, Items};
use runner_plugin::Format;
use runner_plugin::data::Svg;

/// Maximum number of items in a picture.
pub(crate) const MOST_DRAWN: usize = 20_000;
/// Size of a picture, and the height of its bar.
const WIDTH: f64 = 600.0;
const HEIGHT: usize = 60;
const BAR: usize = 40;

pub(crate) fn render(items: &Items, chosen: &[u8], format: Format) -> String {
    let Item { profit, weight } = items.sums(chosen);
    let words = format!("profit {profit}, weight {weight} of {}", items.capacity);
    match format {
        Format::Line => chosen.iter().map(ToString::to_string).collect(),
        Format::Board => {
            let mut text = format!("{words}\n");
            for row in chosen.chunks(64) {
                text.extend(row.iter().map(|chosen| if *chosen == 0 { '.' } else { '#' }));
                text.push('\n');
            }
            text
        }
        Format::Svg => svg(items, chosen, weight, &words),
    }
}

/// Draws the chosen items by their weight: the darker, the more profit a unit has. What is beyond
/// the line does not fit.
fn svg(items: &Items, chosen: &[u8], weight: i64, words: &str) -> String {
    let mut svg = Svg::new(WIDTH as usize, HEIGHT, words);
    let scale = WIDTH / weight.max(items.capacity).max(1) as f64;
    let density = |item: &Item| item.profit as f64 / item.weight.max(1) as f64;
    let most = items.items.iter().map(density).fold(f64::MIN_POSITIVE, f64::max);
    let mut x = 0.0;
    for item in items.items.iter().zip(chosen).filter(|(_, chosen)| **chosen == 1).map(|one| one.0)
    {
        let (width, share) = (item.weight as f64 * scale, density(item) / most);
        svg.put(format_args!(
            "<rect x=\"{x:.2}\" y=\"10\" width=\"{width:.2}\" height=\"{BAR}\" fill=\"#3060a0\" \
            fill-opacity=\"{share:.2}\" stroke=\"#ffffff\" stroke-width=\"0.5\"/>"
        ));
        x += width;
    }
    let line = items.capacity as f64 * scale;
    svg.put(format_args!("<path d=\"M{line:.2} 4V{}\" stroke=\"#c00000\"/>", BAR + 16));
    svg.end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_shows_what_is_chosen() {
        let item = |profit, weight| Item { profit, weight };
        let items = Items { items: vec![item(6, 5), item(5, 4), item(8, 7)], capacity: 10 };
        let chosen = [1, 0, 1];
        assert_eq!(render(&items, &chosen, Format::Line), "101");
        let board = render(&items, &chosen, Format::Board);
        assert_eq!(board, "profit 14, weight 12 of 10\n#.#\n");
        let drawn = render(&items, &chosen, Format::Svg);
        assert_eq!(drawn.matches("<rect").count(), 3);
        assert!(drawn.contains("M500.00 4"), "{drawn}");
    }
}
