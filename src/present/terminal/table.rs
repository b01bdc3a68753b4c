//! The summary as a table in the terminal.

use super::grid::{no_room_for, paragraph, widest_piece, wrap_words};
use crate::analysis::comparison::Ground;
use crate::analysis::{ArmSummary, CONFIDENCE, RateMethod, Spread, SummaryRow, SummaryTable};
use crate::plan::swept_text;
use crate::present::format::{count, ert_interval, percent, rate, real};
use crate::problem::parameter::Value;
use crate::sequential::race::Standing;
use crate::stats::ERT_SUCCESSES;
use crate::system::output::visible_line;
use comfy_table::presets::UTF8_BORDERS_ONLY;
use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement, Table};

/// From this width on, intervals stand beside their figures, and the least best fitness and
/// failures have room.
const WIDE: u16 = 110;
/// From this width on, success rates also show as bars.
const WIDEST: u16 = 130;
/// A comparison with the baseline takes so many columns; what became of a race no more.
const COMPARISON: u16 = 16;
/// Characters of a full bar.
const BAR: usize = 10;
/// Of one that stands before its figure.
const SHORT_BAR: usize = 7;
/// Characters of a swept value that stay on one line.
const LONGEST_VALUE: usize = 20;
/// Characters of a word in an operator set's name that stay on one line.
const LONGEST_NAME: usize = 20;
/// Columns that a cell takes beside its text: a space on either side.
const PADDING: usize = 2;
/// Number of columns that the frame takes.
const FRAME: usize = 2;
const NOTHING: &str = "–";

/// A heading, and what stands below it for an arm.
type SummaryColumn<'a> = (String, Box<dyn Fn(&SummaryRow) -> String + 'a>);

/// Returns the summary as a table at most `width` columns wide, with notes on what its figures
/// leave out. Columns that have no room are left out, the least important first, and a note names
/// them. Only long names make it wider. Ends with a newline.
#[must_use]
pub(crate) fn summary_table(summary: &SummaryTable, width: u16) -> String {
    let mut layout = Layout::of(summary, width);
    let fits = |table: &str| {
        let widest = table.lines().map(console::measure_text_width).max().unwrap_or(0);
        widest <= usize::from(width)
    };
    let mut table = layout.table(summary);
    while !fits(&table) && layout.leave_out() {
        table = layout.table(summary);
    }
    // Columns that were left out since may have made room for bars.
    if layout.left_out.len() > 1 {
        let bars = layout.left_out.remove(0);
        let with_bars = layout.table(summary);
        if fits(&with_bars) {
            table = with_bars;
        } else {
            layout.left_out.insert(0, bars);
        }
    }
    format!("{table}\n{}", layout.notes())
}

/// The columns of names and swept values: their headings, and their texts by row.
fn names(summary: &SummaryTable) -> Vec<(String, Vec<String>)> {
    let operators = |row: &SummaryRow| visible_line(&row.arm.operators).into_owned();
    let mut all = vec![("operators".to_owned(), summary.rows.iter().map(operators).collect())];
    for (place, key) in summary.swept_keys.iter().enumerate() {
        let cell = |row: &SummaryRow| swept_cell(row.arm.swept[place].as_ref());
        let cells = summary.rows.iter().map(cell).collect();
        all.push((short_key(key, &summary.swept_keys), cells));
    }
    all
}

/// Wraps these texts into what is left of `room`, columns of the terminal: names give way, but no
/// word that is not too long is broken.
fn give_way(names: &mut [(String, Vec<String>)], room: usize) {
    let mut widths = Vec::new();
    for (place, (heading, cells)) in names.iter().enumerate() {
        let widest = |texts: &[String], of: fn(&str) -> usize| {
            texts.iter().map(|text| of(text)).max().unwrap_or(0).max(longest_line(heading))
        };
        let natural = widest(cells, longest_line);
        let least = match place {
            0 => widest(cells, |text| widest_piece(text, LONGEST_NAME)).clamp(10, LONGEST_NAME),
            _ => natural.min(LONGEST_VALUE),
        };
        widths.push((least, natural.max(least)));
    }
    let mut left = room.saturating_sub(widths.iter().map(|(least, _)| least).sum());
    for ((_, cells), (least, natural)) in names.iter_mut().zip(widths) {
        let more = (natural - least).min(left);
        left -= more;
        cells.iter_mut().for_each(|text| *text = wrap_words(text, least + more).join("\n"));
    }
}

/// Columns of the terminal that the longest line of a text takes.
fn longest_line(text: &str) -> usize {
    text.lines().map(console::measure_text_width).max().unwrap_or(0)
}

/// What there is to show, and how much room for it.
struct Layout {
    width: u16,
    wide: bool,
    widest: bool,
    /// Against a baseline.
    measured: bool,
    races: bool,
    /// The problem has constraints.
    constrained: bool,
    /// Some arm has a target.
    rates: bool,
    failures: u64,
    timed_out: u64,
    /// Columns that have no room, and bars.
    left_out: Vec<Extra>,
    /// Some arm has too few successes for an interval of its ERT, or equal ones.
    no_ert_interval: bool,
    /// Of the intervals of success rates, and of all others.
    level: String,
    fixed: String,
    sequential: bool,
}

/// Part of a narrow table that may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extra {
    Bars,
    ToSuccess,
    Fitness,
    Feasible,
    Against,
    Ert,
}

impl Extra {
    /// All of them, the least important first.
    const ORDER: [Extra; 6] = [
        Extra::Bars,
        Extra::ToSuccess,
        Extra::Fitness,
        Extra::Feasible,
        Extra::Against,
        Extra::Ert,
    ];

    /// The column in words; `None` for bars, which repeat a figure.
    fn words(self) -> Option<&'static str> {
        match self {
            Extra::Bars => None,
            Extra::ToSuccess => Some("evaluations to success"),
            Extra::Fitness => Some("fitness"),
            Extra::Feasible => Some("feasible"),
            Extra::Against => Some("the comparison with random search"),
            Extra::Ert => Some("ERT"),
        }
    }
}

impl Layout {
    fn of(summary: &SummaryTable, width: u16) -> Self {
        let figures = || summary.rows.iter().map(|row| &row.figures);
        let rates = figures().any(|row| row.defines_success) || summary.rows.is_empty();
        let measured = summary.rows.iter().any(|row| row.baseline_comparison.is_some());
        let races = summary.rows.iter().any(|row| row.standing.is_some());
        let comparison = (u16::from(measured) + u16::from(races)) * COMPARISON;
        let interval = summary.rate_interval();
        Layout {
            rates,
            width,
            wide: width >= WIDE + comparison,
            widest: width >= WIDEST + 2 * comparison,
            measured,
            races,
            constrained: figures().any(|row| row.feasibility.is_some()),
            failures: figures().map(|row| row.failures).sum(),
            timed_out: figures().map(|row| row.timed_out).sum(),
            left_out: Vec::new(),
            no_ert_interval: figures().filter_map(|row| row.ert).any(|ert| ert.interval.is_none()),
            level: percent(interval.confidence),
            fixed: percent(CONFIDENCE),
            sequential: rates && interval.method == RateMethod::Sequence,
        }
    }

    /// Leaves out the least important part that is there; false if there is none.
    fn leave_out(&mut self) -> bool {
        if self.wide || !self.rates {
            return false;
        }
        let is_there = |extra: &Extra| match extra {
            Extra::Feasible => self.constrained,
            Extra::Against => self.measured,
            _ => true,
        };
        let mut there = Extra::ORDER.into_iter().filter(is_there);
        let next = there.find(|extra| !self.left_out.contains(extra));
        self.left_out.extend(next);
        next.is_some()
    }

    fn shows(&self, extra: Extra) -> bool {
        !self.left_out.contains(&extra)
    }

    /// The table, without notes.
    fn table(&self, summary: &SummaryTable) -> String {
        let columns = self.columns();
        let mut table = plain_table(self.width);
        let right = |text: String| Cell::new(text).set_alignment(CellAlignment::Right);
        let bars =
            |name: &str, text: String| if name.is_empty() { Cell::new(text) } else { right(text) };
        let figures: Vec<Vec<String>> = summary
            .rows
            .iter()
            .map(|row| columns.iter().map(|(_, cell)| cell(row)).collect())
            .collect();
        let mut names = names(summary);
        let of_figures = columns.iter().enumerate().map(|(place, (heading, _))| {
            let cells = figures.iter().map(|row| longest_line(&row[place])).max().unwrap_or(0);
            cells.max(longest_line(heading))
        });
        let taken = of_figures.sum::<usize>() + PADDING * (names.len() + columns.len()) + FRAME;
        give_way(&mut names, usize::from(self.width).saturating_sub(taken));
        let name = |place: usize, text: &str| {
            if place == 0 { Cell::new(text) } else { right(text.into()) }
        };
        let headings = names.iter().enumerate().map(|(place, (heading, _))| name(place, heading));
        let header = columns.iter().map(|(name, _)| bars(name, name.clone()));
        table.set_header(headings.chain(header).collect::<Vec<_>>());
        for (row, cells) in figures.into_iter().enumerate() {
            let cells = columns.iter().zip(cells).map(|((name, _), text)| bars(name, text));
            let names =
                names.iter().enumerate().map(|(place, (_, texts))| name(place, &texts[row]));
            table.add_row(names.chain(cells).collect::<Vec<_>>());
        }
        let all = names.len() + columns.len();
        table.set_constraints((0..all).map(|_| ColumnConstraint::ContentWidth));
        table.trim_fmt()
    }

    /// Those of the figures, from left to right.
    fn columns(&self) -> Vec<SummaryColumn<'_>> {
        // Below the trials that it came to, where lines are in twos anyway.
        let trials = |row: &SummaryRow| match row.standing.filter(|_| !self.wide) {
            Some(standing) => format!("{}\n{}", count(row.figures.trials), in_race(standing)),
            None => count(row.figures.trials),
        };
        let mut columns: Vec<SummaryColumn<'_>> = vec![("trials".into(), Box::new(trials))];
        if !self.rates {
            add_fitness(&mut columns);
            if self.measured {
                columns.push(("against\nrandom".into(), Box::new(|row| against(row, false))));
            }
        } else if self.wide {
            self.add_wide(&mut columns)
        } else {
            self.add_narrow(&mut columns)
        }
        if self.constrained && self.shows(Extra::Feasible) {
            columns.push(("feasible\n(rate)".into(), Box::new(feasible)));
        }
        if self.wide && self.failures > 0 {
            columns.push(("failures".into(), Box::new(|row| count(row.figures.failures))));
        }
        if self.wide && self.timed_out > 0 {
            columns.push(("timed\nout".into(), Box::new(|row| count(row.figures.timed_out))));
        }
        columns
    }

    fn add_wide<'a>(&'a self, columns: &mut Vec<SummaryColumn<'a>>) {
        let Layout { measured, widest, level, fixed, .. } = self;
        if self.races {
            let race = |row: &SummaryRow| row.standing.map_or(NOTHING, in_race).to_owned();
            columns.push(("race".into(), Box::new(race)));
        }
        // The comparison takes two lines: the second is free for a bar.
        let below = *measured && !widest;
        columns.push((
            format!("success rate\n({level} interval)"),
            Box::new(move |row| match row.figures.success_rate.filter(|_| below) {
                Some(rate) => format!("{}\n{}", success(&row.figures, " "), bar(rate, BAR)),
                None => success(&row.figures, " "),
            }),
        ));
        if !below && (*measured || self.width >= WIDEST) {
            let beside = |row: &SummaryRow| {
                row.figures.success_rate.map_or(String::new(), |rate| bar(rate, BAR))
            };
            columns.push(("".into(), Box::new(beside)));
        }
        if *measured {
            columns.push(("against\nrandom search".into(), Box::new(|row| against(row, *widest))));
        }
        columns.push(("evaluations\nto success\n(median)".into(), Box::new(median_to_success)));
        columns.push((
            format!("ERT, evaluations\n({fixed} interval)"),
            Box::new(|row| ert(&row.figures, " ")),
        ));
        if !measured || *widest {
            let least =
                |row: &SummaryRow| optional(row.figures.best_fitness.map(|spread| spread.min));
            columns.push(("best\nfitness\n(least)".into(), Box::new(least)));
        }
        columns.push(("best\nfitness\n(median)".into(), Box::new(median_fitness)));
    }

    fn add_narrow<'a>(&'a self, columns: &mut Vec<SummaryColumn<'a>>) {
        let rates = |row: &SummaryRow| {
            let bar = |rate| format!("{} ", bar(rate, SHORT_BAR));
            let rate = row.figures.success_rate.filter(|_| self.shows(Extra::Bars));
            format!("{}{}", rate.map_or(String::new(), bar), success(&row.figures, "\n"))
        };
        columns.push((format!("success\nrate ({})", self.level), Box::new(rates)));
        if self.measured && self.shows(Extra::Against) {
            columns.push(("against\nrandom".into(), Box::new(|row| against(row, false))));
        }
        if self.shows(Extra::ToSuccess) {
            columns.push(("to success\n(median)".into(), Box::new(median_to_success)));
        }
        if self.shows(Extra::Ert) {
            columns.push(("ERT,\nevaluations".into(), Box::new(|row| ert(&row.figures, "\n"))));
        }
        if self.shows(Extra::Fitness) {
            columns.push(("fitness\n(median)".into(), Box::new(median_fitness)));
        }
    }

    /// What the figures leave out, a line each.
    fn notes(&self) -> String {
        let Layout { level, fixed, .. } = self;
        let mut text = String::new();
        let left_out: Vec<_> = self.left_out.iter().filter_map(|extra| extra.words()).collect();
        if !left_out.is_empty() {
            let note = no_room_for(&left_out, ", and so does `runner show --csv`");
            text.push_str(&paragraph(&note, self.width.into()));
        }
        if self.sequential {
            text.push_str(&format!(
                "A stopping rule decided the number of trials. The intervals of the success rates \
                ({level} confidence sequences) allow for that; the rates themselves are slightly \
                biased towards the side that stopped the trials, and the intervals of the ERT \
                ({fixed}, bootstrap) are not adjusted.\n"
            ));
        }
        if self.rates && self.no_ert_interval {
            text.push_str(&format!(
                "(–): an ERT has an interval from {ERT_SUCCESSES} successes on that differ in \
                their evaluations.\n"
            ));
        }
        if !self.rates {
            text.push_str(
                "Success is not defined: the problem states no ideal, and the experiment no \
                target (stop.fitness).\n",
            );
        }
        if self.constrained {
            text.push_str(
                "Fitness is that of the trials whose best genome is feasible; `feasible` is their \
                share.\n",
            );
        }
        if self.races {
            text.push_str(
                "The arms raced: `out` dropped out after its trials, worse beyond doubt; `left` \
                could not be told from the others that are left.\n",
            );
        }
        if self.failures > 0 {
            text.push_str(&format!(
                "{} failed or crashed: see `error` in trials.parquet. Figures are computed from \
                the trials that ran{}.\n",
                trials_in_words(self.failures),
                match self.rates {
                    true => ";\nafter `failed` is the rate if failures count as unsuccessful",
                    false => "",
                }
            ));
        }
        if self.timed_out > 0 {
            text.push_str(&format!(
                "{} timed out (stop.trial-seconds); which ones depends on the machine.\n",
                trials_in_words(self.timed_out)
            ));
        }
        text
    }
}

/// Where no trial can be successful: the best fitness of the trials.
fn add_fitness(columns: &mut Vec<SummaryColumn<'_>>) {
    columns.push(("success\nrate".into(), Box::new(|row| success(&row.figures, " "))));
    type Of = fn(Spread) -> f64;
    let of: [(&str, Of); 3] = [
        ("least", |spread| spread.min),
        ("median", |spread| spread.median),
        ("greatest", |spread| spread.max),
    ];
    for (name, of) in of {
        let cell = move |row: &SummaryRow| optional(row.figures.best_fitness.map(of));
        columns.push((format!("best fitness\n({name})"), Box::new(cell)));
    }
}

fn median_to_success(row: &SummaryRow) -> String {
    optional(row.figures.evaluations_to_success.map(|quartiles| quartiles.median))
}

fn median_fitness(row: &SummaryRow) -> String {
    optional(row.figures.best_fitness.map(|spread| spread.median))
}

fn feasible(row: &SummaryRow) -> String {
    row.figures.feasibility.map_or(NOTHING.to_owned(), |found| rate(found.rate))
}

/// What became of an arm in its race, in a word or two.
fn in_race(standing: Standing) -> &'static str {
    match standing {
        Standing::Best => "best",
        Standing::DroppedOut { .. } => "out",
        Standing::NotToldApart => "left",
    }
}

fn swept_cell(value: Option<&Value>) -> String {
    value.map_or(NOTHING.to_owned(), |value| visible_line(&swept_text(value)).into_owned())
}

/// A swept key's last word, with the one before where two keys end alike.
pub(super) fn short_key(key: &str, all: &[String]) -> String {
    let last = |key: &str| key.rsplit('.').next().unwrap_or_default().to_owned();
    let alike = all.iter().filter(|other| last(other) == last(key)).count() > 1;
    if alike {
        key.split_once('.').map_or(key, |(_, rest)| rest).replace('.', "\n")
    } else {
        last(key)
    }
}

/// A table with a light frame.
pub(crate) fn plain_table(width: u16) -> Table {
    let mut table = Table::new();
    table
        .load_style(UTF8_BORDERS_ONLY)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(width);
    table
}

pub(super) fn trials_in_words(trials: u64) -> String {
    if trials == 1 { "1 trial".to_owned() } else { format!("{} trials", count(trials)) }
}

fn optional(value: Option<f64>) -> String {
    value.map_or(NOTHING.to_owned(), real)
}

/// The success rate, `gap`, its interval; where trials failed, below it how many, and the rate if
/// they were unsuccessful.
fn success(row: &ArmSummary, gap: &str) -> String {
    let shown = ran(row, gap);
    match row.bounds().filter(|_| row.failures > 0) {
        Some(bounds) => format!("{shown}\n{} failed: {}", count(row.failures), rate(bounds.low)),
        None if row.failures > 0 => format!("{shown}\n{} failed", count(row.failures)),
        None => shown,
    }
}

fn ran(row: &ArmSummary, gap: &str) -> String {
    match (row.success_rate, row.success_interval) {
        (Some(value), Some(interval)) => {
            format!("{}{gap}({})", rate(value), interval.ends())
        }
        _ => NOTHING.to_owned(),
    }
}

/// The verdict against the baseline, below the difference of the success rates; `whole`: with its
/// interval.
fn against(row: &SummaryRow, whole: bool) -> String {
    let verdict = verdict_in_words(row);
    let Some(difference) = row.difference() else {
        return verdict.unwrap_or_else(|| NOTHING.to_owned());
    };
    let verdict = verdict.map_or_else(String::new, |verdict| format!("\n{verdict}"));
    let sign = if difference.value < 0.0 { "-" } else { "+" };
    let value = format!("{sign}{}", rate(difference.value.abs()));
    if !whole {
        return value + &verdict;
    }
    let end = |end: f64| if end < 0.0 { format!("-{}", rate(-end)) } else { rate(end) };
    let interval = difference.interval;
    format!("{value} ({} to {}){verdict}", end(interval.low), end(interval.high))
}

/// The verdict against the baseline in narrow lines, with its ground unless that is the success
/// rate.
fn verdict_in_words(row: &SummaryRow) -> Option<String> {
    let words = row.verdict()?.to_string();
    let words = words.replace(": ", ":\n").replace("failures could", "failures\ncould");
    Some(match row.baseline_comparison?.ground {
        Some(Ground::Evaluations) => format!("{words}:\nevaluations"),
        Some(Ground::FinalFitness) => format!("{words}:\nfitness"),
        Some(Ground::SuccessRate) | None => words,
    })
}

/// The ERT, `gap`, its interval.
fn ert(row: &ArmSummary, gap: &str) -> String {
    let Some(ert) = row.ert else { return NOTHING.to_owned() };
    format!("{}{gap}({})", real(ert.value), ert_interval(&ert))
}

/// A rate as a bar of so many characters, to the eighth of one.
fn bar(rate: f64, length: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (rate * (length * 8) as f64).round() as usize;
    let mut text = "█".repeat(eighths / 8);
    text.push_str(EIGHTHS[eighths % 8]);
    let drawn = eighths.div_ceil(8);
    text.push_str(&"░".repeat(length - drawn));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_their_rate() {
        assert_eq!(bar(0.0, BAR), "░░░░░░░░░░");
        assert_eq!(bar(0.5, BAR), "█████░░░░░");
        assert_eq!(bar(0.26, BAR), "██▋░░░░░░░");
        assert_eq!(bar(1.0, BAR), "██████████");
    }
}
