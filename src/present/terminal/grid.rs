//! Grids: tables for readers that fit the terminal.
//!
//! Figures stay whole, texts are wrapped between words, and columns that say least give way. Where
//! not even that fits, each row becomes a block of lines.

use console::measure_text_width as columns_of;

/// A table: columns of equally many cells.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    pub columns: Vec<Column>,
    /// What stands between the parts of a row where they share a line: "against".
    pub between: &'static str,
}

#[derive(Clone, Debug)]
pub(crate) struct Column {
    /// Its lines.
    pub(super) heading: String,
    pub(super) kind: Kind,
    pub(super) cells: Vec<Cell>,
    /// Whether it may be left out, and when: 1 first.
    rank: Option<u8>,
    /// Of each row the part that is the best, or 0 where there are none; where some is.
    pub(super) best: Vec<Option<usize>>,
}

/// A cell of a row.
#[derive(Clone, Debug)]
pub(crate) enum Cell {
    /// A text, with lines of its own.
    Whole(String),
    /// One text a part of the row: parts stand below each other, at the same height in all columns
    /// that have them. All cells of a row that have parts have equally many.
    Parts(Vec<String>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// What the row is about.
    Name,
    /// A setting of it.
    Setting,
    Figure,
    Text,
}

/// Where texts may be broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Breaks {
    Spaces,
    Hyphens,
}

/// Between two columns, and the frame on both sides of all of them.
const GAP: usize = 3;
const FRAME: usize = 4;
/// Before the name of a part that is not the first, and before the lines of a block.
const INDENT: &str = "  ";
/// Columns of the terminal below which a text is hard to read.
const LEAST_TEXT: usize = 12;
/// Where there is nothing.
pub(super) const NOTHING: &str = "–";

impl Column {
    pub(crate) fn name(heading: impl Into<String>, cells: Vec<Cell>) -> Self {
        let best = vec![None; cells.len()];
        Column { heading: heading.into(), kind: Kind::Name, cells, rank: None, best }
    }

    pub(crate) fn setting(heading: impl Into<String>, cells: Vec<Cell>) -> Self {
        Column { kind: Kind::Setting, ..Column::name(heading, cells) }
    }

    pub(crate) fn figure(heading: impl Into<String>, cells: Vec<Cell>) -> Self {
        Column { kind: Kind::Figure, ..Column::name(heading, cells) }
    }

    pub(crate) fn text(heading: impl Into<String>, cells: Vec<Cell>) -> Self {
        Column { kind: Kind::Text, ..Column::name(heading, cells) }
    }

    /// One that may be left out; those of rank 1 are left out first.
    #[must_use]
    pub(crate) fn giving_way(self, rank: u8) -> Self {
        Column { rank: Some(rank), ..self }
    }

    /// With the best cells marked, for tables that can set them apart.
    #[must_use]
    pub(crate) fn best(self, best: Vec<Option<usize>>) -> Self {
        Column { best, ..self }
    }

    /// The texts of a row, each with what stands before its lines.
    pub(super) fn texts(&self, row: usize) -> Vec<(&str, &str)> {
        match &self.cells[row] {
            Cell::Whole(text) => vec![("", text.as_str())],
            Cell::Parts(texts) => {
                let indent = |part| if part > 0 && self.kind == Kind::Name { INDENT } else { "" };
                texts.iter().enumerate().map(|(part, text)| (indent(part), text.as_str())).collect()
            }
        }
    }

    /// Terminal columns that the texts take in `measure`, and the heading at least.
    fn widest(&self, measure: impl Fn(&str) -> usize) -> usize {
        let texts = (0..self.cells.len()).flat_map(|row| self.texts(row));
        let cells = texts.map(|(indent, text)| columns_of(indent) + measure(text));
        cells.chain([longest_line(&self.heading)]).max().unwrap_or(0)
    }

    /// The fewest columns of the terminal that it can do with.
    fn least(&self, breaks: Breaks) -> usize {
        let natural = self.widest(longest_line);
        let words = self.widest(|text| {
            text.lines()
                .flat_map(|line| pieces(line, breaks))
                .map(|piece| columns_of(piece.trim_end()))
                .max()
                .unwrap_or(0)
        });
        match self.kind {
            Kind::Figure => natural,
            Kind::Text => words.max(natural.min(LEAST_TEXT)),
            Kind::Name | Kind::Setting => words,
        }
    }

    /// The lines of a row's parts, the text of each wrapped.
    fn lines(&self, row: usize, width: usize, breaks: Breaks) -> Vec<Vec<String>> {
        let texts = self.texts(row).into_iter();
        texts
            .map(|(indent, text)| {
                let lines = wrap(text, width - columns_of(indent), breaks);
                lines.into_iter().map(|line| format!("{indent}{line}")).collect()
            })
            .collect()
    }

    fn padded(&self, line: &str, width: usize) -> String {
        let gap = " ".repeat(width.saturating_sub(columns_of(line)));
        match self.kind {
            Kind::Name | Kind::Text => format!("{line}{gap}"),
            Kind::Setting | Kind::Figure => format!("{gap}{line}"),
        }
    }
}

/// The one of these tables that has room in `width` columns of the terminal, with as many of its
/// columns as there is room for; of several the shortest. Where none has room, a block of lines for
/// each row of the first. Ends with a newline. `also` says what else shows the columns that are
/// left out, after "A wider terminal shows them".
#[must_use]
pub(crate) fn fitted(grids: &[Grid], width: usize, also: &str) -> String {
    let ranks = grids.iter().flat_map(|grid| &grid.columns).filter_map(|column| column.rank);
    let last = ranks.max().unwrap_or(0);
    for breaks in [Breaks::Spaces, Breaks::Hyphens] {
        for rank in 0..=last {
            let tables = grids.iter().filter_map(|grid| grid.table(rank, breaks, width, also));
            if let Some(table) = tables.min_by_key(|table| table.lines().count()) {
                return table;
            }
        }
    }
    grids.first().map_or_else(String::new, |grid| grid.blocks(width))
}

impl Grid {
    pub(super) fn rows(&self) -> usize {
        self.columns.iter().map(|column| column.cells.len()).max().unwrap_or(0)
    }

    /// The table without the columns of this rank and below; none if it is wider than `width`.
    fn table(&self, rank: u8, breaks: Breaks, width: usize, also: &str) -> Option<String> {
        let goes = |column: &&Column| column.rank.is_some_and(|own| own <= rank);
        let (gone, kept): (Vec<&Column>, Vec<&Column>) = self.columns.iter().partition(goes);
        let room = width.checked_sub(FRAME + GAP * (kept.len().max(1) - 1))?;
        let widths = shared(&kept, room, breaks)?;
        let line = |cells: Vec<String>| format!("│ {} │\n", cells.join("   "));
        let rule = |left, middle: &str, right| {
            let inner = widths.iter().sum::<usize>() + GAP * (kept.len().max(1) - 1) + FRAME - 2;
            format!("{left}{}{right}\n", middle.repeat(inner))
        };
        let mut text = rule('┌', "─", '┐');
        let heading = |column: &&Column| -> Vec<String> {
            column.heading.lines().map(str::to_owned).collect()
        };
        let headings: Vec<Vec<String>> = kept.iter().map(heading).collect();
        let across = |cells: &[Vec<String>], number: usize| -> String {
            let cell = |((column, lines), width): ((&&Column, &Vec<String>), &usize)| {
                column.padded(lines.get(number).map_or("", String::as_str), *width)
            };
            line(kept.iter().zip(cells).zip(&widths).map(cell).collect())
        };
        let height = |cells: &[Vec<String>]| cells.iter().map(Vec::len).max().unwrap_or(0);
        (0..height(&headings)).for_each(|number| text.push_str(&across(&headings, number)));
        text.push_str(&rule('╞', "═", '╡'));
        for row in 0..self.rows() {
            let parts: Vec<Vec<Vec<String>>> = kept
                .iter()
                .zip(&widths)
                .map(|(one, width)| one.lines(row, *width, breaks))
                .collect();
            let cells = in_step(&kept, row, parts);
            (0..height(&cells)).for_each(|number| text.push_str(&across(&cells, number)));
        }
        text.push_str(&rule('└', "─", '┘'));
        if !gone.is_empty() {
            let names: Vec<String> =
                gone.iter().map(|column| column.heading.replace('\n', " ")).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            text.push_str(&paragraph(&no_room_for(&names, also), width));
        }
        Some(text)
    }

    /// A block of lines for each row: what it is about, a line for each figure, an empty line.
    fn blocks(&self, width: usize) -> String {
        let one_line = |text: &str| text.lines().collect::<Vec<_>>().join(" ");
        let told: Vec<&Column> = self
            .columns
            .iter()
            .filter(|one| matches!(one.kind, Kind::Figure | Kind::Text))
            .collect();
        let headings: Vec<String> = told.iter().map(|one| one_line(&one.heading)).collect();
        let left = headings.iter().map(|heading| columns_of(heading)).max().unwrap_or(0);
        // Values stand below each other where there is room for the longest word of them.
        let words = |one: &&Column| {
            let texts = (0..self.rows()).flat_map(|row| one.texts(row));
            texts.flat_map(|(_, text)| text.split_whitespace()).map(columns_of).max().unwrap_or(0)
        };
        let longest = told.iter().map(words).max().unwrap_or(0);
        let aligned = left + 2 * INDENT.len() + longest <= width;
        let mut text = String::new();
        for row in 0..self.rows() {
            for (part, title) in self.titles(row).into_iter().enumerate() {
                let indent = if part > 0 { INDENT } else { "" };
                let between = if part > 0 { format!("{} ", self.between) } else { String::new() };
                text.push_str(&hanging(indent, &format!("{between}{title}"), width));
            }
            for (column, heading) in told.iter().zip(&headings) {
                let texts: Vec<String> =
                    column.texts(row).iter().map(|(_, text)| one_line(text)).collect();
                let value = texts.join(&format!(" {} ", self.between));
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

    /// What the parts of a row are: their names, and the settings that they have.
    fn titles(&self, row: usize) -> Vec<String> {
        let mut titles: Vec<Vec<String>> = Vec::new();
        for column in &self.columns {
            for (part, (_, text)) in column.texts(row).into_iter().enumerate() {
                let heading = column.heading.lines().collect::<Vec<_>>().join(" ");
                let told = match column.kind {
                    Kind::Name => text.to_owned(),
                    Kind::Setting if !["", NOTHING].contains(&text) => format!("{heading} {text}"),
                    _ => continue,
                };
                titles.resize(titles.len().max(part + 1), Vec::new());
                titles[part].push(told);
            }
        }
        titles.into_iter().map(|told| told.join(", ")).collect()
    }
}

/// The width of each column: what it needs at least, and what is left, to names and figures from
/// the left and then to the texts; none if there is no room.
fn shared(columns: &[&Column], room: usize, breaks: Breaks) -> Option<Vec<usize>> {
    let mut widths: Vec<usize> = columns.iter().map(|column| column.least(breaks)).collect();
    let mut left = room.checked_sub(widths.iter().sum())?;
    let natural: Vec<usize> = columns.iter().map(|column| column.widest(longest_line)).collect();
    let is_text = |place: usize| columns[place].kind == Kind::Text;
    for place in (0..columns.len()).filter(|place| !is_text(*place)) {
        let more = (natural[place] - widths[place]).min(left);
        widths[place] += more;
        left -= more;
    }
    // The narrowest text column grows first, so that none is a thread next to a block.
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

/// The lines of a row's cells: a part begins at the same height in all of them.
pub(super) fn in_step(
    columns: &[&Column],
    row: usize,
    cells: Vec<Vec<Vec<String>>>,
) -> Vec<Vec<String>> {
    let has_parts = |column: &&Column| matches!(column.cells[row], Cell::Parts(_));
    let mut heights: Vec<usize> = Vec::new();
    for parts in
        columns.iter().zip(&cells).filter(|(one, _)| has_parts(one)).map(|(_, parts)| parts)
    {
        heights.resize(heights.len().max(parts.len()), 0);
        heights.iter_mut().zip(parts).for_each(|(most, part)| *most = part.len().max(*most));
    }
    let step = |(column, parts): (&&Column, Vec<Vec<String>>)| -> Vec<String> {
        if !has_parts(column) {
            return parts.concat();
        }
        let mut lines = Vec::new();
        for (mut part, height) in parts.into_iter().zip(&heights) {
            part.resize(*height, String::new());
            lines.append(&mut part);
        }
        lines
    };
    columns.iter().zip(cells).map(step).collect()
}

fn longest_line(text: &str) -> usize {
    text.lines().map(columns_of).max().unwrap_or(0)
}

/// The pieces of a line between which it may be broken, spaces at their ends. A dot is a place to
/// break in a name, not in a number.
fn pieces(line: &str, breaks: Breaks) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    for (at, letter) in line.char_indices() {
        let end = at + letter.len_utf8();
        let ends = match letter {
            ' ' => true,
            '-' | '_' | '/' => breaks == Breaks::Hyphens,
            '.' => breaks == Breaks::Hyphens && line[end..].starts_with(char::is_alphabetic),
            _ => false,
        };
        if ends {
            pieces.push(&line[start..end]);
            start = end;
        }
    }
    if start < line.len() {
        pieces.push(&line[start..]);
    }
    pieces
}

/// Columns that the widest piece of a text takes, if words longer than `longest` are broken after
/// hyphens and the like.
pub(super) fn widest_piece(text: &str, longest: usize) -> usize {
    let words = text.lines().flat_map(|line| pieces(line, Breaks::Spaces));
    let piece = |word: &str| columns_of(word.trim_end());
    let widest = words.map(|word| match piece(word) > longest {
        true => pieces(word, Breaks::Hyphens).into_iter().map(piece).max().unwrap_or(0),
        false => piece(word),
    });
    widest.max().unwrap_or(0)
}

/// The text in lines of at most `width` columns. A word that is longer than that is broken after a
/// hyphen or the like; what is longer without such a place, where the line ends.
pub(super) fn wrap_words(text: &str, width: usize) -> Vec<String> {
    wrap(text, width, Breaks::Spaces)
}

/// Wraps a text; `breaks` says whether words that fit on a line may be broken too.
fn wrap(text: &str, width: usize, breaks: Breaks) -> Vec<String> {
    let mut lines = Vec::new();
    for line in text.lines() {
        let mut current = String::new();
        let mut add = |piece: &str, current: &mut String| {
            if columns_of(current) + columns_of(piece.trim_end()) > width && !current.is_empty() {
                lines.push(std::mem::take(current).trim_end().to_owned());
            }
            current.push_str(piece);
            while columns_of(current.trim_end()) > width {
                let head = head(current, width.max(1));
                let rest = current.split_off(head);
                lines.push(std::mem::replace(current, rest));
            }
        };
        for piece in pieces(line, breaks) {
            if columns_of(piece.trim_end()) > width {
                let parts = pieces(piece, Breaks::Hyphens);
                parts.into_iter().for_each(|part| add(part, &mut current));
            } else {
                add(piece, &mut current);
            }
        }
        lines.push(current.trim_end().to_owned());
    }
    lines
}

/// Bytes of the letters that have room in so many columns; of one at least.
fn head(text: &str, width: usize) -> usize {
    let ends = text.char_indices().map(|(at, letter)| at + letter.len_utf8());
    let mut ends = ends.peekable();
    let first = ends.peek().copied().unwrap_or(0);
    ends.take_while(|end| columns_of(&text[..*end]) <= width).last().unwrap_or(first)
}

/// A text after `first`, its further lines as far to the right.
pub(super) fn hanging(first: &str, text: &str, width: usize) -> String {
    let indent = columns_of(first);
    let lines = wrap(text, width.saturating_sub(indent).max(1), Breaks::Spaces);
    let line = |(number, line): (usize, &String)| match number {
        0 => format!("{first}{line}\n"),
        _ => format!("{}{line}\n", " ".repeat(indent)),
    };
    lines.iter().enumerate().map(line).collect()
}

/// A text after `indent` in lines of at most `width` columns, its further lines two columns further
/// to the right. A path or the like that has no room stays whole.
#[must_use]
pub(crate) fn outlined(indent: &str, text: &str, width: usize) -> String {
    let mut found = String::new();
    let mut column = 0;
    for word in text.split_whitespace() {
        let room = column + 1 + columns_of(word) <= width;
        let gap = match (found.is_empty(), room) {
            (true, _) => indent.to_owned(),
            (false, true) => " ".to_owned(),
            (false, false) => format!("\n{indent}{INDENT}"),
        };
        column = if room && column > 0 { column } else { 0 } + columns_of(gap.trim_matches('\n'));
        column += columns_of(word);
        found.push_str(&gap);
        found.push_str(word);
    }
    found + "\n"
}

/// Says which columns are left out; `also` says what else shows them.
pub(super) fn no_room_for(names: &[&str], also: &str) -> String {
    let (words, them) = (names.join(", "), if names.len() > 1 { "them" } else { "it" });
    format!("No room for: {words}. A wider terminal shows {them}{also}.")
}

/// A text for readers in lines of at most `width` columns of the terminal, each with a newline.
#[must_use]
pub(crate) fn paragraph(text: &str, width: usize) -> String {
    hanging("", text, width)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(texts: &[&str]) -> Vec<Cell> {
        texts.iter().map(|text| Cell::Whole((*text).to_owned())).collect()
    }

    fn parts(texts: &[[&str; 2]]) -> Vec<Cell> {
        texts.iter().map(|texts| Cell::Parts(texts.map(str::to_owned).to_vec())).collect()
    }

    fn grid() -> Grid {
        let columns = vec![
            Column::name("arm\n  against", parts(&[["a tournament of two", "order-crossover"]])),
            Column::setting("rate", parts(&[["0.1", NOTHING]])),
            Column::figure("success\nrate", parts(&[["0.902\n(3 failed)", "0.600"]])),
            Column::figure("difference", whole(&["+0.302\n(+0.250–+0.350)"])),
            Column::figure("ERT\nratio", whole(&["0.41"])).giving_way(1),
            Column::text("verdict", whole(&["cannot tell: about 1,200 more trials needed"])),
        ];
        Grid { columns, between: "against" }
    }

    #[test]
    fn parts_of_a_row_stand_at_one_height_in_all_columns() {
        insta::assert_snapshot!(fitted(&[grid()], 120, ""));
        insta::assert_snapshot!(fitted(&[grid()], 80, ", and so does --csv"));
    }

    #[test]
    fn names_are_broken_at_hyphens_before_a_row_becomes_a_block() {
        insta::assert_snapshot!(fitted(&[grid()], 68, ""));
        insta::assert_snapshot!(fitted(&[grid()], 50, ""));
        insta::assert_snapshot!(fitted(&[grid()], 24, ""));
    }

    #[test]
    fn nothing_is_wider_than_the_terminal_and_no_word_is_broken() {
        let all = grid();
        let mut words: Vec<String> = Vec::new();
        for column in &all.columns {
            for (_, text) in column.texts(0) {
                words.extend(text.split_whitespace().map(str::to_owned));
            }
        }
        for width in 24..160 {
            let text = fitted(std::slice::from_ref(&all), width, ", and so does --csv");
            assert!(text.lines().all(|line| columns_of(line) <= width), "{width}\n{text}");
            let hyphens = !text.contains("order-crossover");
            assert!(width < 75 || !hyphens, "{width}\n{text}");
            let shown: Vec<&str> = text.split_whitespace().collect();
            for word in words.iter().filter(|word| !word.contains('-') && *word != "0.41") {
                assert!(shown.iter().any(|one| one.contains(word.as_str())), "{word}\n{text}");
            }
        }
    }

    #[test]
    fn a_text_is_broken_between_words() {
        assert_eq!(wrap("one two three", 7, Breaks::Spaces), ["one two", "three"]);
        assert_eq!(wrap("one\n\ntwo", 7, Breaks::Spaces), ["one", "", "two"]);
        assert_eq!(wrap("order-crossover", 9, Breaks::Hyphens), ["order-", "crossover"]);
        assert_eq!(wrap("order-crossover", 9, Breaks::Spaces), ["order-", "crossover"]);
        assert_eq!(wrap("orderlycrossover", 9, Breaks::Spaces), ["orderlycr", "ossover"]);
        assert_eq!(wrap("a-b order-crossover", 9, Breaks::Spaces), ["a-b", "order-", "crossover"]);
        let name = "lib/queens_notebook.intended";
        assert_eq!(wrap(name, 10, Breaks::Spaces), ["lib/", "queens_", "notebook.", "intended"]);
        assert_eq!(wrap("p = 0.00012", 7, Breaks::Hyphens), ["p =", "0.00012"]);
        assert_eq!(wrap("♕♕ ♕", 2, Breaks::Spaces), ["♕♕", "♕"]);
        assert_eq!(wrap("", 9, Breaks::Spaces), [""; 0]);
        assert_eq!(paragraph("one two three", 9), "one two\nthree\n");
    }

    #[test]
    fn a_text_that_hangs_breaks_no_word() {
        assert_eq!(outlined("  ", "one two three four", 11), "  one two\n    three\n    four\n");
        assert_eq!(outlined("  ", "/a/long/path/name x", 9), "  /a/long/path/name\n    x\n");
        assert_eq!(outlined("  ", "", 9), "\n");
    }

    #[test]
    fn the_first_table_that_fits_is_shown() {
        let narrow = Grid {
            columns: vec![
                Column::name("arm", whole(&["ga"])),
                Column::text("verdict\n(p)", whole(&["better\np < 0.001"])),
            ],
            between: "",
        };
        let text = fitted(&[grid(), narrow], 60, "");
        assert!(text.contains("p < 0.001") && !text.contains("tournament"), "{text}");
    }
}
