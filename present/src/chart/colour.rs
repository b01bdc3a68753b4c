//! Colours of curves, and their markers.

use kuva::plot::ColorMap;
use kuva::plot::scatter::MarkerShape;

/// Okabe and Ito's colours (2008, "Color Universal Design"), which people with any colour vision
/// can distinguish. Black is left out because it is the text's, yellow because it is invisible on
/// white. The eighth colour is the first one with dashes.
const COLOURS: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#777777"];
/// Markers, one per colour. In a terminal, a letter of similar shape. The eighth is hollow.
const MARKERS: [MarkerShape; 7] = [
    MarkerShape::Circle,
    MarkerShape::Square,
    MarkerShape::Triangle,
    MarkerShape::Diamond,
    MarkerShape::TriangleDown,
    MarkerShape::Star,
    MarkerShape::Pentagon,
];
const LETTERS: [char; 8] = ['●', '■', '▲', '◆', '▼', '★', '○', '□'];
/// Letter of a grey curve.
const GREY_LETTER: char = '◇';

/// A curve's colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// Number of one of the distinct colours.
    Own(usize),
    /// Colour of a baseline next to steps.
    Grey,
    /// Step between the least value and the greatest.
    Step { place: usize, of: usize },
}

/// Returns the colours of curves with these values: steps from the least to the greatest. A single
/// curve without a value is grey. If there are several such curves, or too few values, each curve
/// has a distinct colour.
pub(super) fn colours(values: &[Option<f64>]) -> Vec<Colour> {
    let mut order: Vec<f64> = values.iter().flatten().copied().collect();
    order.sort_unstable_by(f64::total_cmp);
    let of = order.len();
    if of < 2 || of + 1 < values.len() {
        return (0..values.len()).map(Colour::Own).collect();
    }
    let step = |value: f64| Colour::Step { place: order.partition_point(|one| *one < value), of };
    values.iter().map(|value| value.map_or(Colour::Grey, step)).collect()
}

/// Makes the only baseline among several curves grey. Of the distinct colours, the other curves
/// then have all but grey.
pub(super) fn grey_baseline(found: &mut [Colour], is_baseline: impl Fn(usize) -> bool) {
    let baselines = (0..found.len()).filter(|curve| is_baseline(*curve)).count();
    if baselines != 1 || found.len() == 1 {
        return;
    }
    let grey = COLOURS.len() - 1;
    let mut others = (0..).filter(|number| number % COLOURS.len() != grey);
    for (curve, colour) in found.iter_mut().enumerate() {
        if is_baseline(curve) {
            *colour = Colour::Grey;
        } else if let (Colour::Own(number), Some(next)) = (colour, others.next()) {
            *number = next;
        }
    }
}

impl Colour {
    /// Returns the colour for style sheets. Steps are the middle of viridis (van der Walt and Smith
    /// 2015), whose lightness grows with the value. Its ends are hard to see on white or black.
    pub(super) fn css(self) -> String {
        match self {
            Colour::Own(number) => COLOURS[number % COLOURS.len()].to_owned(),
            Colour::Grey => COLOURS[COLOURS.len() - 1].to_owned(),
            Colour::Step { place, of } => {
                let share = place as f64 / (of.max(2) - 1) as f64;
                ColorMap::Viridis.map(0.28 + 0.5 * share)
            }
        }
    }

    /// Returns whether the curve has dashes, because another curve may have the same colour.
    pub(super) fn is_dashed(self) -> bool {
        matches!(self, Colour::Own(number) if number >= COLOURS.len())
    }

    /// Returns the number of the curve's marker.
    pub(super) fn marker(self) -> usize {
        match self {
            Colour::Own(number) | Colour::Step { place: number, .. } => number % MARKERS.len(),
            Colour::Grey => 0,
        }
    }

    /// Returns the marker in a chart.
    pub(super) fn shape(self) -> MarkerShape {
        MARKERS[self.marker()]
    }

    /// Returns the marker in a terminal.
    pub(super) fn letter(self) -> char {
        match self {
            Colour::Own(number) | Colour::Step { place: number, .. } => {
                LETTERS[number % LETTERS.len()]
            }
            Colour::Grey => GREY_LETTER,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the relative luminance, as WCAG 2.2 defines it.
    fn luminance(colour: Colour) -> f64 {
        let css = colour.css();
        let part = |at: usize| {
            let share = f64::from(u8::from_str_radix(&css[at..at + 2], 16).expect("hex")) / 255.0;
            if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
    }

    #[test]
    fn steps_grow_lighter_with_their_values_and_are_seen_on_white_and_on_black() {
        let found = colours(&[Some(40.0), Some(5.0), None, Some(10.0), Some(20.0)]);
        let step = |place| Colour::Step { place, of: 4 };
        assert_eq!(found, [step(3), step(0), Colour::Grey, step(1), step(2)]);
        let all: Vec<f64> = (0..8).map(|place| luminance(Colour::Step { place, of: 8 })).collect();
        assert!(all.windows(2).all(|two| two[0] < two[1]), "{all:?}");
        // Not lower than the palest of the other colours on white, and more than twice as light as
        // black.
        let contrast = |light: f64, dark: f64| (light + 0.05) / (dark + 0.05);
        assert!(contrast(1.0, all[7]) > 1.9 && contrast(all[0], 0.009) > 2.4, "{all:?}");
    }

    #[test]
    fn curves_without_an_order_have_colours_of_their_own() {
        let own = |count| (0..count).map(Colour::Own).collect::<Vec<_>>();
        assert_eq!(colours(&[None, None]), own(2));
        assert_eq!(colours(&[Some(1.0), Some(2.0), None, None]), own(4));
        assert_eq!(colours(&[Some(1.0)]), own(1));
        let mut found = own(9);
        grey_baseline(&mut found, |curve| curve == 2);
        let numbers = [0, 1, 2, 3, 4, 5, 7, 8].map(Colour::Own);
        let letters: Vec<char> = found[..8].iter().map(|one| one.letter()).collect();
        assert_eq!(crate::lists::distinct(letters.iter()).len(), 8, "{letters:?}");
        assert_eq!((found[2], [&found[..2], &found[3..]].concat()), (Colour::Grey, numbers.into()));
        let mut found = own(3);
        grey_baseline(&mut found, |curve| curve > 0);
        assert_eq!(found, own(3));
    }
}
