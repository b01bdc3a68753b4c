//! Points for the eye.

use runner_plugin::Format;
use std::fmt::Write;

/// Numbers of a line.
const LINE_LIMIT: usize = 64;
/// Numbers that a board or a picture shows.
const LIMIT: usize = 1024;

/// None where there are too many numbers for the format.
pub(crate) fn render(genome: &[f64], (low, high): (f64, f64), format: Format) -> Option<String> {
    match format {
        Format::Line => (genome.len() <= LINE_LIMIT).then(|| {
            let numbers: Vec<String> = genome.iter().map(|x| format!("{x:.4}")).collect();
            numbers.join(" ")
        }),
        Format::Board => (genome.len() <= LIMIT).then(|| board(genome, low, high)),
        Format::Svg => (genome.len() <= LIMIT).then(|| svg(genome, low, high)),
    }
}

/// A line a number: its place within the domain, and its value.
fn board(genome: &[f64], low: f64, high: f64) -> String {
    const WIDTH: usize = 40;
    let mut text = String::new();
    for (place, x) in genome.iter().enumerate() {
        let at =
            ((x - low) / (high - low) * WIDTH as f64).round().clamp(0.0, WIDTH as f64) as usize;
        let line = format!("{}|{}", ".".repeat(at), ".".repeat(WIDTH - at));
        writeln!(text, "x{:<4} {line} {x:.6}", place + 1).expect("writing to a string cannot fail");
    }
    text
}

/// A column per number: a dot at its height within the domain.
fn svg(genome: &[f64], low: f64, high: f64) -> String {
    let (across, n) = (20 * genome.len(), genome.len());
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {across} 200\" role=\"img\" \
        aria-label=\"a point of {n} numbers\"><rect width=\"{across}\" height=\"200\" \
        fill=\"#ffffff\"/><g stroke=\"#cccccc\">"
    );
    for place in 0..n {
        let x = 20 * place + 10;
        write!(svg, r#"<path d="M{x} 5v190"/>"#).expect("writing to a string cannot fail");
    }
    svg += r##"</g><g fill="#1f4e79">"##;
    for (place, value) in genome.iter().enumerate() {
        let (x, y) = (20 * place + 10, 195.0 - 190.0 * (value - low) / (high - low));
        write!(svg, r#"<circle cx="{x}" cy="{y:.1}" r="5"/>"#)
            .expect("writing to a string cannot fail");
    }
    svg + "</g></svg>"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_shows_every_number() {
        let genome = [-5.0, 0.0, 5.0];
        assert_eq!(
            render(&genome, (-5.0, 5.0), Format::Line).as_deref(),
            Some("-5.0000 0.0000 5.0000")
        );
        let board = render(&genome, (-5.0, 5.0), Format::Board).expect("small enough");
        let dots = ".".repeat(20);
        assert_eq!(board.lines().nth(1), Some(format!("x2    {dots}|{dots} 0.000000").as_str()));
        let svg = render(&genome, (-5.0, 5.0), Format::Svg).expect("small enough");
        assert!(svg.matches("<circle").count() == 3 && svg.contains("cy=\"100.0\""));
    }
}
