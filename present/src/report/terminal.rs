//! Reports in the terminal.
//!
//! Figures stay whole, texts are wrapped between words, and long names are cut in the middle. Then
//! the least important columns are left out. If not even that fits, each row becomes a block of
//! lines.

use super::column::{Column, INDENT, Kind, Medium, NOTHING, in_step};
use super::table::Report;
use super::wrap::{cut, hanging, longest_line, longest_word, paragraph, wrap};
use console::measure_text_width as columns_of;

/// Columns of the terminal between two columns of the table.
const GAP: usize = 2;
/// Width below which a text is hard to read.
const LEAST_TEXT: usize = 12;
/// Widths to which names are cut: first if columns can be left out, then to keep those that cannot.
const NAMES: [usize; 4] = [28, 20, 16, 12];

/// Writes the table that fits into `width` columns of the terminal with the most of its columns; if
/// several do, the shortest. If none fits, writes a block of lines for each row of the first table.
/// Ends with a newline. `also` names an option that shows the omitted columns, such as "--csv"; it
/// may be empty.
pub fn fitted(reports: &[Report], width: usize, also: &str) -> String {
    let all: Vec<Layout<'_>> = reports.iter().map(Layout::of).collect();
    let last = all.iter().flat_map(|one| &one.columns).filter_map(|column| column.rank).max();
    for names in NAMES {
        for rank in 0..=last.unwrap_or(0) {
            let tables = all.iter().filter_map(|one| one.table(rank, names, width, also));
            if let Some(table) = tables.min_by_key(|table| table.lines().count()) {
                return table;
            }
        }
    }
    all.first().map_or_else(String::new, |one| one.blocks(width))
}

/// Columns of a report as the terminal shows them. Intervals have a separate column, or the second
/// line of rows with parts.
struct Layout<'a> {
    report: &'a Report,
    columns: Vec<Shown<'a>>,
}

struct Shown<'a> {
    column: &'a Column,
    heading: String,
    /// Texts of each row's parts, with the indent of their lines.
    cells: Vec<Vec<(&'a str, String)>>,
    kind: Kind,
    rank: Option<u8>,
}

impl<'a> Layout<'a> {
    fn of(report: &'a Report) -> Self {
        let mut columns = Vec::new();
        for column in report.shown(Medium::Terminal) {
            let below = column.detail.as_ref().filter(|_| report.has_parts());
            let text = |row: usize, text: &str| match below.map(|detail| &detail.texts[row]) {
                Some(detail) if !detail.is_empty() => format!("{text}\n{detail}"),
                _ => text.to_owned(),
            };
            let cells = (0..column.cells.len())
                .map(|row| {
                    let texts = column.texts(row).into_iter();
                    texts.map(|(indent, words)| (indent, text(row, words))).collect()
                })
                .collect();
            let level = below.map(|detail| format!("\n{}", detail.heading()));
            let heading = format!("{}{}", column.heading, level.unwrap_or_default());
            let (kind, rank) = (column.kind, column.rank);
            columns.push(Shown { column, heading, cells, kind, rank });
            if let Some(detail) = column.detail.as_ref().filter(|_| below.is_none()) {
                let cells = detail.texts.iter().map(|text| vec![("", text.clone())]).collect();
                let rank = Some(detail.rank.min(rank.unwrap_or(u8::MAX)));
                let (heading, kind) = (detail.heading(), Kind::Figure);
                columns.push(Shown { column, heading, cells, kind, rank });
            }
        }
        Layout { report, columns }
    }

    /// Returns the table without the columns of this rank and below; `None` if it is wider than
    /// `width`.
    fn table(&self, rank: u8, names: usize, width: usize, also: &str) -> Option<String> {
        let goes = |column: &&Shown<'_>| column.rank.is_some_and(|own| own <= rank);
        let (gone, kept): (Vec<&Shown<'_>>, Vec<&Shown<'_>>) = self.columns.iter().partition(goes);
        let room = width.checked_sub(GAP * (kept.len().max(1) - 1))?;
        let widths = shared(&kept, room, names)?;
        let headings: Vec<Vec<String>> =
            kept.iter().zip(&widths).map(|(one, width)| one.headings(*width)).collect();
        let height = |cells: &[Vec<String>]| cells.iter().map(Vec::len).max().unwrap_or(0);
        let line = |cells: &[Vec<String>], number: usize| -> String {
            let cell = |((column, lines), width): ((&&Shown<'_>, &Vec<String>), &usize)| {
                column.padded(lines.get(number).map_or("", String::as_str), *width)
            };
            let cells: Vec<String> = kept.iter().zip(cells).zip(&widths).map(cell).collect();
            format!("{}\n", cells.join(&" ".repeat(GAP)).trim_end())
        };
        let mut text = String::new();
        // The headings are aligned with the line below them.
        let most = height(&headings);
        let headings: Vec<Vec<String>> = headings
            .into_iter()
            .map(|lines| [vec![String::new(); most - lines.len()], lines].concat())
            .collect();
        (0..most).for_each(|number| text.push_str(&line(&headings, number)));
        let across = widths.iter().sum::<usize>() + GAP * (kept.len().max(1) - 1);
        text.push_str(&format!("{}\n", "─".repeat(across)));
        let columns: Vec<Vec<Vec<Vec<String>>>> =
            kept.iter().zip(&widths).map(|(one, width)| one.lines(*width)).collect();
        for row in 0..self.report.rows() {
            let parts = columns.iter().map(|column| column[row].clone()).collect();
            let cells = in_step(kept.iter().map(|shown| shown.column), row, parts);
            (0..height(&cells)).for_each(|number| text.push_str(&line(&cells, number)));
        }
        let gone: Vec<String> = gone.iter().filter_map(|column| column.missed(&gone)).collect();
        if !gone.is_empty() {
            text.push_str(&paragraph(&not_shown(&gone, also), width));
        }
        Some(text)
    }

    /// Returns a block of lines for each row: its subject, a line per figure, an empty line.
    fn blocks(&self, width: usize) -> String {
        let one_line = |text: &str| text.lines().collect::<Vec<_>>().join(" ");
        let told: Vec<&Shown<'_>> = self
            .columns
            .iter()
            .filter(|one| matches!(one.kind, Kind::Figure | Kind::Text))
            .filter(|one| !one.heading.trim().is_empty())
            .collect();
        let headings: Vec<String> = told.iter().map(|one| one_line(&one.heading)).collect();
        let left = headings.iter().map(|heading| columns_of(heading)).max().unwrap_or(0);
        // Values are below each other if there is room for their longest word.
        let words = |one: &&Shown<'_>| {
            one.cells.iter().flatten().map(|(_, text)| longest_word(text)).max().unwrap_or(0)
        };
        let longest = told.iter().map(words).max().unwrap_or(0);
        let aligned = left + 2 * INDENT.len() + longest <= width;
        let mut text = String::new();
        for row in 0..self.report.rows() {
            for (part, title) in self.titles(row).into_iter().enumerate() {
                let between = self.report.between;
                let (indent, between) =
                    if part > 0 { (INDENT, format!("{between} ")) } else { ("", String::new()) };
                text.push_str(&hanging(indent, &format!("{between}{title}"), width));
            }
            for (column, heading) in told.iter().zip(&headings) {
                let gap = if column.kind == Kind::Figure { ", " } else { " " };
                let texts = column.cells[row].iter();
                let texts: Vec<String> =
                    texts.map(|(_, text)| text.replace("\n(", " (").replace('\n', gap)).collect();
                let value = texts.join(&format!(" {} ", self.report.between));
                let gap = " ".repeat(left - columns_of(heading));
                let first = format!("{INDENT}{heading}{gap}{INDENT}");
                text.push_str(&match aligned {
                    true => hanging(&first, &value, width),
                    false => hanging(INDENT, &format!("{heading} {value}"), width),
                });
            }
            text.push('\n');
        }
        text
    }

    /// Returns the titles of a row's parts: their names and settings.
    fn titles(&self, row: usize) -> Vec<String> {
        let mut titles: Vec<Vec<String>> = Vec::new();
        for column in &self.columns {
            for (part, (_, text)) in column.cells[row].iter().enumerate() {
                let heading = column.heading.lines().collect::<Vec<_>>().join(" ");
                let told = match column.kind {
                    Kind::Name => text.clone(),
                    Kind::Setting if !["", NOTHING].contains(&text.as_str()) => {
                        format!("{heading} {text}")
                    }
                    _ => continue,
                };
                titles.resize(titles.len().max(part + 1), Vec::new());
                titles[part].push(told);
            }
        }
        titles.into_iter().map(|told| told.join(", ")).collect()
    }
}

impl Shown<'_> {
    /// Returns the columns of the terminal that the texts take in `measure`, at least those of the
    /// heading.
    fn widest(&self, measure: impl Fn(&str) -> usize) -> usize {
        let cells = self.cells.iter().flatten();
        let cells = cells.map(|(indent, text)| columns_of(indent) + measure(text));
        cells.max().unwrap_or(0).max(self.least_heading())
    }

    /// Returns the width of the heading. The heading of names is not wrapped.
    fn least_heading(&self) -> usize {
        match self.kind {
            Kind::Name => longest_line(&self.heading),
            _ => longest_word(&self.heading),
        }
    }

    /// Returns the width with which no text is wrapped or cut.
    fn natural(&self) -> usize {
        self.widest(longest_line)
    }

    /// Returns the least width; names are cut to `names`.
    fn least(&self, names: usize) -> usize {
        let natural = self.natural();
        match self.kind {
            Kind::Figure => natural,
            Kind::Text => self.widest(longest_word).max(natural.min(LEAST_TEXT)),
            Kind::Name | Kind::Setting => natural.min(names.max(self.least_heading())),
        }
    }

    fn headings(&self, width: usize) -> Vec<String> {
        match self.kind {
            Kind::Name => self.heading.lines().map(str::to_owned).collect(),
            _ => wrap(&self.heading, width),
        }
    }

    /// Returns the lines of each row's parts. Names that are too long are cut in the middle, unless
    /// two of them would look the same. All other texts are wrapped.
    fn lines(&self, width: usize) -> Vec<Vec<Vec<String>>> {
        let wrapped = |(indent, text): &(&str, String)| -> Vec<String> {
            let lines = wrap(text, width - columns_of(indent));
            lines.into_iter().map(|line| format!("{indent}{line}")).collect()
        };
        let mut names = match self.kind {
            Kind::Name | Kind::Setting => {
                let texts = self.cells.iter().flatten();
                let texts = texts.map(|(indent, text)| (columns_of(indent), text.as_str()));
                cut(&texts.collect::<Vec<_>>(), width)
            }
            _ => None,
        }
        .map(Vec::into_iter);
        let mut part = |part: &(&str, String)| match &mut names {
            None => wrapped(part),
            Some(names) => {
                vec![format!("{}{}", part.0, names.next().unwrap_or_default())]
            }
        };
        self.cells.iter().map(|parts| parts.iter().map(&mut part).collect()).collect()
    }

    fn padded(&self, line: &str, width: usize) -> String {
        let gap = " ".repeat(width.saturating_sub(columns_of(line)));
        match self.kind {
            Kind::Name | Kind::Text => format!("{line}{gap}"),
            Kind::Setting | Kind::Figure => format!("{gap}{line}"),
        }
    }

    /// Returns the name of a column that is left out; `None` if that of its figures includes it, or
    /// if it repeats another one.
    fn missed(&self, gone: &[&Shown<'_>]) -> Option<String> {
        let title = self.column.title();
        let is_detail = self.heading != self.column.heading && !self.heading.contains('\n');
        if !is_detail {
            return Some(title).filter(|title| !title.trim().is_empty());
        }
        let with_figures = gone
            .iter()
            .any(|one| std::ptr::eq(one.column, self.column) && one.heading == one.column.heading);
        (!with_figures).then(|| {
            let what = self.column.detail.as_ref().map_or("", |detail| match detail.what {
                "" => detail.level.as_str(),
                what => what,
            });
            format!("{what} of {title}")
        })
    }
}

/// Returns the width of each column; `None` if there is no room. Each column gets its minimum. The
/// rest goes to names and figures from the left, then to the texts.
fn shared(columns: &[&Shown<'_>], room: usize, names: usize) -> Option<Vec<usize>> {
    let mut widths: Vec<usize> = columns.iter().map(|column| column.least(names)).collect();
    let mut left = room.checked_sub(widths.iter().sum())?;
    let natural: Vec<usize> = columns.iter().map(|column| column.natural()).collect();
    let is_text = |place: usize| columns[place].kind == Kind::Text;
    for place in (0..columns.len()).filter(|place| !is_text(*place)) {
        let more = (natural[place] - widths[place]).min(left);
        widths[place] += more;
        left -= more;
    }
    // The narrowest text column grows first, so that none is much narrower than another.
    let grows = |widths: &[usize]| {
        let texts = (0..columns.len()).filter(|place| is_text(*place));
        texts.filter(|place| widths[*place] < natural[*place]).min_by_key(|place| widths[*place])
    };
    while left > 0
        && let Some(place) = grows(&widths)
    {
        widths[place] += 1;
        left -= 1;
    }
    Some(widths)
}

/// Returns a note about the columns that are left out.
fn not_shown(names: &[String], also: &str) -> String {
    let names = names.join(", ");
    match also {
        "" => format!("Not shown: {names} (for a wider terminal)."),
        also => format!("Not shown: {names} (for a wider terminal, or {also})."),
    }
}

#[cfg(test)]
mod tests {
    use super::super::column::Cell;
    use super::*;

    fn whole(texts: &[&str]) -> Vec<Cell> {
        texts.iter().map(|text| Cell::Whole((*text).to_owned())).collect()
    }

    fn parts(texts: &[[&str; 2]]) -> Vec<Cell> {
        texts.iter().map(|texts| Cell::Parts(texts.map(str::to_owned).to_vec())).collect()
    }

    fn pairs() -> Report {
        let columns = vec![
            Column::name("arm\n  against", parts(&[["a tournament of two", "order-crossover"]])),
            Column::setting("rate", parts(&[["0.1", NOTHING]])),
            Column::figure("success\nrate", parts(&[["0.902\n(3 failed)", "0.600"]])),
            Column::figure("difference", whole(&["+0.302"])).intervals(
                "95 %".into(),
                vec!["+0.250 to +0.350".into()],
                2,
            ),
            Column::figure("ERT\nratio", whole(&["0.41"])).giving_way(1),
            Column::text("verdict", whole(&["cannot tell: about 1,200 more trials needed"])),
        ];
        Report { columns, between: "against" }
    }

    fn arms() -> Report {
        let names = ["climbs, first improvement", "climbs, steepest improvement of all", "ga"];
        let intervals = ["0.136 to 0.167", "0.998 to 1.000", "0.013 to 0.026"];
        let columns = vec![
            Column::name("arm", whole(&names)),
            Column::figure("trials", whole(&["2,000", "2,000", "20"])),
            Column::figure("success rate", whole(&["0.150", "1.000", "0.019"])).intervals(
                "95 %".into(),
                intervals.map(str::to_owned).to_vec(),
                3,
            ),
            Column::figure("ERT", whole(&["1,492", "714", NOTHING])).intervals(
                "95 %".into(),
                ["1,339 to 1,666", "683 to 744", ""].map(str::to_owned).to_vec(),
                2,
            ),
            Column::figure("fitness (median)", whole(&["1", "0", "2"])).giving_way(1),
        ];
        Report::new(columns)
    }

    #[test]
    fn columns_give_way_and_names_lose_their_middle() {
        insta::assert_snapshot!(fitted(&[arms()], 120, "--csv"));
        insta::assert_snapshot!(fitted(&[arms()], 80, "--csv"));
        insta::assert_snapshot!(fitted(&[arms()], 60, "--csv"));
        insta::assert_snapshot!(fitted(&[arms()], 40, "--csv"));
    }

    #[test]
    fn parts_of_a_row_stand_at_one_height_in_all_columns() {
        insta::assert_snapshot!(fitted(&[pairs()], 120, ""));
        insta::assert_snapshot!(fitted(&[pairs()], 80, "--csv"));
        insta::assert_snapshot!(fitted(&[pairs()], 60, "--csv"));
        insta::assert_snapshot!(fitted(&[pairs()], 24, ""));
    }

    #[test]
    fn nothing_is_wider_than_the_terminal() {
        for report in [arms(), pairs()] {
            for width in 24..160 {
                let text = fitted(std::slice::from_ref(&report), width, "--csv");
                assert!(text.lines().all(|line| columns_of(line) <= width), "{width}\n{text}");
                for figure in ["0.150", "+0.302", "0.902"] {
                    let there = report.shown(Medium::Terminal).any(|column| {
                        (0..column.cells.len()).any(|row| {
                            column.texts(row).iter().any(|(_, text)| text.contains(figure))
                        })
                    });
                    assert_eq!(there, text.contains(figure), "{width}\n{text}");
                }
            }
        }
    }

    #[test]
    fn the_first_table_that_fits_is_shown() {
        let narrow = Report::new(vec![
            Column::name("arm", whole(&["ga"])),
            Column::text("verdict\n(p)", whole(&["better\np < 0.001"])),
        ]);
        let text = fitted(&[pairs(), narrow], 50, "");
        assert!(text.contains("p < 0.001") && !text.contains("tournament"), "{text}");
    }
}
