//! Pictures as one `<svg>` element.

use std::fmt::{Arguments, Write};

/// Picture on a white ground.
#[derive(Debug)]
pub struct Svg(String);

impl Svg {
    /// Begins a picture of this size, with a text for those who do not see it.
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
}
