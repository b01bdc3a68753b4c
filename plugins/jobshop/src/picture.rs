//! Schedules for the eye: Gantt charts, a row per machine. Jobs and machines are numbered from 0,
//! as in files.

use crate::schedule::Decoder;
use crate::shop::Shop;
use runner_plugin::Format;
use runner_plugin::data::Svg;
use std::fmt::Write;

/// Operation in a chart.
struct Bar {
    job: usize,
    begin: u64,
    end: u64,
}

/// Maximum number of operations in a chart.
pub(crate) const MOST_DRAWN: usize = 20_000;
/// Size of a chart.
const WIDTH: usize = 600;
const ROW: usize = 20;
const LEFT: usize = 30;
/// Characters of a row of the board.
const COLUMNS: u64 = 60;

pub(crate) fn render(shop: &Shop, jobs: &[usize], format: Format) -> String {
    let mut rows: Vec<Vec<Bar>> = (0..shop.machines).map(|_| Vec::new()).collect();
    let makespan = Decoder::new(shop).decode(jobs.iter().copied(), |number, begin| {
        let operation = shop.operations[number];
        let (job, end) = (number / shop.machines, begin + operation.time);
        rows[operation.machine].push(Bar { job, begin, end });
    });
    match format {
        Format::Line => jobs.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
        Format::Board => board(&rows, makespan),
        Format::Svg => svg(&rows, makespan, shop.jobs()),
    }
}

/// Returns the sign of a job.
fn sign(job: usize) -> char {
    char::from_digit(job as u32 % 36, 36).unwrap_or('?')
}

/// Returns a row of signs per machine, in which a point is idle time.
fn board(rows: &[Vec<Bar>], makespan: u64) -> String {
    let columns = makespan.clamp(1, COLUMNS);
    let at =
        |time: u64| (u128::from(time) * u128::from(columns) / u128::from(makespan.max(1))) as usize;
    let mut text = format!("makespan {makespan}\n");
    for (machine, bars) in rows.iter().enumerate() {
        let mut signs = vec!['.'; columns as usize];
        for bar in bars {
            signs[at(bar.begin)..at(bar.end)].fill(sign(bar.job));
        }
        let signs: String = signs.into_iter().collect();
        writeln!(text, "{machine:>4} {signs}").expect("writing to a string cannot fail");
    }
    text
}

fn svg(rows: &[Vec<Bar>], makespan: u64, jobs: usize) -> String {
    let height = ROW * (rows.len() + 1);
    let label = format!("A schedule of {jobs} jobs on {} machines: {makespan}", rows.len());
    let mut svg = Svg::new(LEFT + WIDTH + 10, height, &label);
    let scale = WIDTH as f64 / makespan.max(1) as f64;
    let at = |time: u64| LEFT as f64 + time as f64 * scale;
    for (machine, bars) in rows.iter().enumerate() {
        let top = ROW * machine;
        svg.put(format_args!(
            "<text x=\"4\" y=\"{}\" font-size=\"11\" font-family=\"sans-serif\">{machine}</text>",
            top + 14
        ));
        for Bar { job, begin, end } in bars {
            let (x, width, hue) = (at(*begin), at(*end) - at(*begin), job * 137 % 360);
            svg.put(format_args!(
                "<rect x=\"{x:.1}\" y=\"{}\" width=\"{width:.1}\" height=\"{}\" \
                fill=\"hsl({hue},60%,70%)\" stroke=\"#ffffff\"><title>job {job}, {begin} to \
                {end}</title></rect>",
                top + 2,
                ROW - 4
            ));
            if width >= 12.0 {
                svg.put(format_args!(
                    "<text x=\"{:.1}\" y=\"{}\" font-size=\"10\" font-family=\"sans-serif\" \
                    text-anchor=\"middle\">{job}</text>",
                    x + width / 2.0,
                    top + 14
                ));
            }
        }
    }
    for (time, anchor) in [(0, "start"), (makespan, "end")] {
        svg.put(format_args!(
            "<text x=\"{:.1}\" y=\"{}\" font-size=\"11\" font-family=\"sans-serif\" \
            text-anchor=\"{anchor}\">{time}</text>",
            at(time),
            height - 6
        ));
    }
    svg.end()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shop::Operation;

    #[test]
    fn every_format_shows_every_operation() {
        let times = [(0, 3), (1, 2), (0, 2), (1, 4)];
        let operations = times.map(|(machine, time)| Operation { machine, time }).to_vec();
        let shop = Shop { machines: 2, operations };
        let order = [1, 0, 1, 0];
        assert_eq!(render(&shop, &order, Format::Line), "1 0 1 0");
        let board = render(&shop, &order, Format::Board);
        assert_eq!(board, "makespan 8\n   0 11000...\n   1 ..111100\n");
        let drawn = render(&shop, &order, Format::Svg);
        assert_eq!(drawn.matches("<title>").count(), 4);
        assert!(drawn.contains("job 1, 2 to 6"), "{drawn}");
    }

    #[test]
    fn a_shop_without_work_is_drawn_too() {
        let shop = Shop { machines: 1, operations: vec![Operation { machine: 0, time: 0 }] };
        assert_eq!(render(&shop, &[0], Format::Board), "makespan 0\n   0 .\n");
        assert!(render(&shop, &[0], Format::Svg).ends_with("</svg>"));
    }
}
