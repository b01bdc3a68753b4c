//! Pictures as one `<svg>` element.

use std::fmt::{Arguments, Write};

/// Picture on a white ground.
#[derive(Debug)]
pub struct Svg(String);

impl Svg {
    /// Begins a picture of this size, with an alternative text.
    #[must_use]
    pub fn new(width: usize, height: usize, label: &str) -> Self {
        let label = escaped(label);
        Svg(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
            role=\"img\" aria-label=\"{label}\"><rect width=\"{width}\" height=\"{height}\" \
            fill=\"#ffffff\"/>"
        ))
    }

    /// Adds elements.
    pub fn put(&mut self, elements: Arguments<'_>) {
        self.0.write_fmt(elements).expect("writing to a string cannot fail");
    }

    /// Returns the finished element.
    #[must_use]
    pub fn end(self) -> String {
        self.0 + "</svg>"
    }
}

/// Draws bits as squares, `width` per row; those that are 1 are dark. `label` is the alternative
/// text.
///
/// # Panics
/// Panics if `width` is 0.
#[must_use]
pub fn draw_bits(bits: &[u8], width: usize, label: &str) -> String {
    let rows = bits.len().div_ceil(width);
    let mut svg = Svg::new(SQUARE * width.min(bits.len()), SQUARE * rows, label);
    for (place, _) in bits.iter().enumerate().filter(|(_, bit)| **bit == 1) {
        let (x, y) = (SQUARE * (place % width), SQUARE * (place / width));
        svg.put(format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{SQUARE}\" height=\"{SQUARE}\" fill=\"#3060a0\"/>"
        ));
    }
    svg.end()
}

/// Side of the square of a bit.
const SQUARE: usize = 10;

/// Returns a text for an attribute.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_one_element() {
        let mut svg = Svg::new(10, 20, "a < \"b\"");
        svg.put(format_args!("<path d=\"M{} 0\"/>", 3));
        let text = svg.end();
        assert!(text.starts_with("<svg ") && text.ends_with("<path d=\"M3 0\"/></svg>"), "{text}");
        assert!(text.contains("aria-label=\"a &lt; &quot;b&quot;\""), "{text}");
    }

    #[test]
    fn bits_are_squares() {
        let text = draw_bits(&[1, 0, 1, 1, 0], 2, "bits");
        // The ground, and three bits.
        assert_eq!(text.matches("<rect").count(), 4);
        assert!(text.contains("viewBox=\"0 0 20 30\"") && text.contains("x=\"10\" y=\"10\""));
    }
}
