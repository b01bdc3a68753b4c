//! Theme: size and colours of a chart, except those of its curves.

use kuva::render::theme::Theme;

/// Width in pixels. At the 86 mm of a paper's column, its letters have 7 to 8 points.
pub(super) const WIDTH: f64 = 480.0;
pub(super) const HEIGHT: f64 = 320.0;

/// Placeholders for colours that depend on the page: ink, faint ink, grid, paper.
pub(super) const INKS: [(&str, &str, &str); 4] = [
    ("#010203", "#1a1a1a", "var(--ink)"),
    ("#010204", "#555555", "var(--faint)"),
    ("#010205", "#e3e3e3", "var(--grid)"),
    ("#010206", "#ffffff", "none"),
];

pub(super) fn theme() -> Theme {
    let [ink, faint, grid, paper] = INKS.map(|(stand_in, ..)| stand_in.to_owned());
    Theme {
        background: paper.clone(),
        axis_color: faint.clone(),
        grid_color: grid.clone(),
        tick_color: faint,
        text_color: ink.clone(),
        legend_bg: paper,
        legend_border: grid,
        colorbar_border: ink,
        show_grid: true,
        ..Theme::light()
    }
}
