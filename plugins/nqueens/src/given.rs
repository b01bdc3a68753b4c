//! The givens of a puzzle: placed queens and excluded diagonals, as written or drawn.

use runner_plugin::Parameters;
use runner_plugin::data::InstanceRng;

/// Most columns of a board of which diagonals are drawn; it takes n² steps.
const MOST_COLUMNS: usize = 10_000;

/// The board before any queen of a genome is on it.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    pub columns: usize,
    /// Column and row of each queen.
    pub queens: Vec<(usize, usize)>,
    /// Lines with a queen, and excluded diagonals: 1 each, others 0.
    pub taken: Vec<u32>,
    /// Excluded diagonals alone.
    pub excluded: Vec<u32>,
    column_has_queen: Vec<bool>,
}

/// Numbers of the lines of a square: rows first, then rising diagonals, then falling ones.
#[inline]
pub(crate) fn on_lines(n: usize, column: usize, row: usize) -> [usize; 3] {
    [row, n + column + row, 3 * n - 1 + column + n - 1 - row]
}

impl Given {
    /// Reads the parameters, and draws what they ask for.
    ///
    /// # Errors
    /// Returns the rule that a value breaks.
    pub(crate) fn read(parameters: &Parameters) -> Result<Self, String> {
        let mut given = Given::nothing(parameters.integer("n") as usize);
        given.place_all(parameters.text("placed"))?;
        given.exclude_all(parameters.text("excluded"))?;
        let mut rng = InstanceRng::new(parameters.integer("puzzle"));
        given.draw_queens(parameters.integer("placed-queens") as usize, &mut rng)?;
        let diagonals = parameters.integer("excluded-diagonals") as usize;
        if diagonals > 0 {
            let least = parameters.integer("open-squares") as usize;
            given.draw_diagonals(diagonals, least, &mut rng)?;
        } else {
            parameters.require_defaults(&["open-squares"], "without `excluded-diagonals`")?;
        }
        if diagonals == 0 && parameters.integer("placed-queens") == 0 {
            let reason = "without `placed-queens` and `excluded-diagonals`";
            parameters.require_defaults(&["puzzle"], reason)?;
        }
        if given.queens.len() == given.columns {
            return Err(
                "all queens are placed, which leaves nothing to search for; place fewer".to_owned()
            );
        }
        Ok(given)
    }

    pub(crate) fn nothing(n: usize) -> Self {
        let lines = vec![0; 5 * n - 2];
        Given {
            columns: n,
            queens: Vec::new(),
            excluded: lines.clone(),
            taken: lines,
            column_has_queen: vec![false; n],
        }
    }

    /// Whether nothing is placed and nothing excluded.
    pub(crate) fn is_empty(&self) -> bool {
        self.taken.iter().all(|taken| *taken == 0)
    }

    /// Whether a queen can be put on a square: nothing is on its lines.
    fn is_open(&self, column: usize, row: usize) -> bool {
        let lines = on_lines(self.columns, column, row);
        !self.column_has_queen[column] && lines.iter().all(|line| self.taken[*line] == 0)
    }

    fn place(&mut self, column: usize, row: usize) {
        on_lines(self.columns, column, row).into_iter().for_each(|line| self.taken[line] = 1);
        self.column_has_queen[column] = true;
        self.queens.push((column, row));
    }

    fn place_all(&mut self, text: &str) -> Result<(), String> {
        let n = self.columns;
        for word in text.split_whitespace() {
            let numbers = word.split_once(':');
            let read = |number: &str| number.parse().ok().filter(|number| *number < n);
            let square = numbers.and_then(|(column, row)| Some((read(column)?, read(row)?)));
            let (column, row) = square.ok_or_else(|| {
                format!(
                    "`placed` has `{word}`, but a queen is COLUMN:ROW with two numbers from 0 to \
                    {}, such as 0:{}",
                    n - 1,
                    n / 2
                )
            })?;
            if !self.is_open(column, row) {
                return Err(format!(
                    "`placed` has a queen at {word}, which one before it attacks; leave one of \
                    them out"
                ));
            }
            self.place(column, row);
        }
        Ok(())
    }

    fn exclude_all(&mut self, text: &str) -> Result<(), String> {
        let n = self.columns;
        for word in text.split_whitespace() {
            let line = diagonal(word, n).ok_or_else(|| {
                let most = n - 1;
                format!(
                    "`excluded` has `{word}`, but a diagonal is sum:NUMBER from 0 to {} or \
                    difference:NUMBER from -{most} to {most}",
                    2 * most
                )
            })?;
            if self.excluded[line] == 0 && self.taken[line] > 0 {
                return Err(format!(
                    "`excluded` has the diagonal {word}, on which a queen is placed; leave one of \
                    them out"
                ));
            }
            (self.excluded[line], self.taken[line]) = (1, 1);
        }
        Ok(())
    }

    /// Places queens one by one: a free column and a free row, each with the same probability,
    /// until neither diagonal is taken.
    fn draw_queens(&mut self, count: usize, rng: &mut InstanceRng) -> Result<(), String> {
        let n = self.columns;
        let free_of = |has_queen: &dyn Fn(usize) -> bool| -> Vec<usize> {
            (0..n).filter(|place| !has_queen(*place)).collect()
        };
        let mut columns = free_of(&|column| self.column_has_queen[column]);
        let mut rows = free_of(&|row| self.taken[row] > 0);
        let (mut placed, mut tries) = (0, 0);
        while placed < count && tries < n * n && !columns.is_empty() {
            let bound = columns.len() as u64;
            let [column, row] = [rng.below(bound) as usize, rng.below(bound) as usize];
            if self.is_open(columns[column], rows[row]) {
                self.place(columns.swap_remove(column), rows.swap_remove(row));
                placed += 1;
            }
            tries += 1;
        }
        if placed == count {
            return Ok(());
        }
        Err(format!(
            "of {count} queens at random only {placed} found a square that none attacks; set \
            `placed-queens` to at most {placed}, or another `puzzle`"
        ))
    }

    /// Excludes diagonals one by one: rising or falling, each with the same probability, then any
    /// one not drawn before. One that would leave a row or column fewer than `least` open squares
    /// is passed over.
    fn draw_diagonals(
        &mut self,
        count: usize,
        least: usize,
        rng: &mut InstanceRng,
    ) -> Result<(), String> {
        let n = self.columns;
        if n > MOST_COLUMNS {
            return Err(format!(
                "`excluded-diagonals` are drawn on boards of up to {MOST_COLUMNS} columns, and n = \
                {n}"
            ));
        }
        let diagonals = 2 * n - 1;
        let mut left = [(n..n + diagonals).collect(), (n + diagonals..n + 2 * diagonals).collect()];
        left.iter_mut().for_each(|lines: &mut Vec<usize>| rng.shuffle(lines));
        let mut open = OpenSquares::of(self);
        let mut excluded = 0;
        while excluded < count {
            let kind = match left.each_ref().map(Vec::is_empty) {
                [false, false] => rng.below(2) as usize,
                [true, false] => 1,
                [false, true] => 0,
                [true, true] => break,
            };
            let Some(line) = left[kind].pop() else { continue };
            if self.taken[line] == 0 && open.close(self, line, least) {
                (self.excluded[line], self.taken[line]) = (1, 1);
                excluded += 1;
            }
        }
        if excluded == count {
            return Ok(());
        }
        Err(format!(
            "of {count} diagonals at random only {excluded} could be excluded, with {least} open \
            squares left in each row and column; set `excluded-diagonals` to at most {excluded}, \
            `open-squares` to fewer, or another `puzzle`"
        ))
    }
}

/// The line of a diagonal as it is written.
fn diagonal(word: &str, n: usize) -> Option<usize> {
    let (kind, number) = word.split_once(':')?;
    let number: i64 = number.parse().ok()?;
    let most = n as i64 - 1;
    match kind {
        "sum" if (0..=2 * most).contains(&number) => Some(n + number as usize),
        // A falling diagonal is counted by the column less the row.
        "difference" if (-most..=most).contains(&number) => {
            Some(3 * n - 1 + (most - number) as usize)
        }
        _ => None,
    }
}

/// Number of open squares of each column and row.
struct OpenSquares {
    columns: Vec<usize>,
    rows: Vec<usize>,
}

impl OpenSquares {
    fn of(given: &Given) -> Self {
        let n = given.columns;
        let mut open = OpenSquares { columns: vec![0; n], rows: vec![0; n] };
        for column in 0..n {
            for row in (0..n).filter(|row| given.is_open(column, *row)) {
                open.columns[column] += 1;
                open.rows[row] += 1;
            }
        }
        open
    }

    /// Closes the open squares of a diagonal, if each of their columns and rows keeps `least`.
    fn close(&mut self, given: &Given, line: usize, least: usize) -> bool {
        let squares: Vec<(usize, usize)> = squares_of(given.columns, line)
            .filter(|(column, row)| given.is_open(*column, *row))
            .collect();
        let keeps =
            |(column, row): &(usize, usize)| self.columns[*column].min(self.rows[*row]) > least;
        if !squares.iter().all(keeps) {
            return false;
        }
        for (column, row) in squares {
            self.columns[column] -= 1;
            self.rows[row] -= 1;
        }
        true
    }
}

/// The squares of a diagonal, by its line.
fn squares_of(n: usize, line: usize) -> impl Iterator<Item = (usize, usize)> {
    let falling = line.checked_sub(3 * n - 1);
    (0..n).filter_map(move |column| {
        let row = match falling {
            Some(offset) => (column + n - 1).checked_sub(offset)?,
            None => (line - n).checked_sub(column)?,
        };
        (row < n).then_some((column, row))
    })
}
