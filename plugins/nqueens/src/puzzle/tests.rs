use super::*;
use crate::moves::tests::walk_on;
use crate::queens::{Counting, Encoding, NQueens, Queens};
use crate::{given, greedy};
use runner_plugin::{Conflicting, Incremental, Plugin, Problem, RowRng, Value};

fn parameters(n: usize, encoding: &str, placed: &str, excluded: &str) -> Parameters {
    drawn(n, encoding, placed, excluded, [0, 0, 2, 1])
}

/// `numbers`: placed queens, excluded diagonals, open squares and seed.
fn drawn(n: usize, encoding: &str, placed: &str, excluded: &str, numbers: [i64; 4]) -> Parameters {
    let text = |text: &str| Value::Text(text.to_owned());
    let [queens, diagonals, open, seed] = numbers.map(Value::Integer);
    let values = vec![
        Value::Integer(n as i64),
        text(encoding),
        text("pairs"),
        text(placed),
        queens,
        text(excluded),
        diagonals,
        open,
        seed,
    ];
    Parameters::new(NQueens::PARAMETERS, values).expect("a value for each")
}

fn puzzle(parameters: &Parameters) -> Queens<u8, Puzzle> {
    let puzzle = Puzzle::read(parameters).expect("a puzzle").expect("not a whole board");
    let encoding = encoding(parameters);
    Queens::on(puzzle, encoding, Counting::Pairs)
}

fn encoding(parameters: &Parameters) -> Encoding {
    match parameters.text("encoding") {
        "rows" => Encoding::Rows,
        _ => Encoding::Permutation,
    }
}

/// Diagonals that no queen may be on, as sums and differences.
fn forbidden(text: &str) -> Vec<(bool, i64)> {
    let one = |word: &str| {
        let (kind, number) = word.split_once(':').expect("a diagonal");
        (kind == "sum", number.parse().expect("a number"))
    };
    text.split_whitespace().map(one).collect()
}

fn is_on(column: usize, row: usize, (is_sum, number): (bool, i64)) -> bool {
    let (column, row) = (column as i64, row as i64);
    number == if is_sum { column + row } else { row - column }
}

/// Pairs of queens of which at most one is placed, and queens of the genome on forbidden
/// diagonals, by the definition.
fn clashes(board: &[usize], placed: &[usize], forbidden: &[(bool, i64)]) -> usize {
    let mut clashes = 0;
    for (column, row) in board.iter().enumerate() {
        if placed.contains(&column) {
            continue;
        }
        clashes += forbidden.iter().filter(|line| is_on(column, *row, **line)).count();
        for (other, other_row) in board.iter().enumerate() {
            let apart = row.abs_diff(*other_row);
            let attacks = apart == 0 || apart == column.abs_diff(other);
            let counts = placed.contains(&other) || other > column;
            clashes += usize::from(other != column && counts && attacks);
        }
    }
    clashes
}

/// The rows of all queens of a genome.
fn whole(queens: &Queens<u8, Puzzle>, genome: &[u8]) -> Vec<usize> {
    let mut board: Vec<usize> = queens.board.placed.iter().map(|row| *row as usize).collect();
    for (position, gene) in genome.iter().enumerate() {
        let (column, row) = queens.board.square(position, gene.row());
        board[column] = row;
    }
    board
}

const PUZZLES: [(usize, &str, &str); 8] = [
    (1, "", "sum:0"),
    (4, "0:1", ""),
    (4, "", "sum:3 difference:-2"),
    (5, "2:4", "difference:3"),
    (6, "0:1 1:3", "sum:0 sum:8 difference:0"),
    (7, "3:6", "sum:2 sum:7 difference:-5 difference:1"),
    (8, "1:3 3:4", ""),
    (8, "0:0", "sum:14 sum:9 difference:5"),
];

/// All genomes of small boards: fitness is what the definition counts, and as many genomes
/// solve the puzzle as solutions of n queens, found by trying all boards, keep to it.
#[test]
fn small_puzzles_are_what_trying_all_boards_says() {
    for (n, placed, excluded) in PUZZLES {
        let lines = forbidden(excluded);
        let fixed: Vec<(usize, usize)> = placed
            .split_whitespace()
            .map(|word| {
                let (column, row) = word.split_once(':').expect("a square");
                (column.parse().expect("a column"), row.parse().expect("a row"))
            })
            .collect();
        let columns: Vec<usize> = fixed.iter().map(|(column, _)| *column).collect();
        let keeps = |board: &[usize]| {
            let free = board.iter().enumerate().filter(|(column, _)| !columns.contains(column));
            fixed.iter().all(|(column, row)| board[*column] == *row)
                && free
                    .clone()
                    .all(|(column, row)| lines.iter().all(|line| !is_on(column, *row, *line)))
        };
        let every = Queens::<u8>::new(n, Encoding::Permutation, Counting::Pairs);
        let mut board = vec![0u8; n];
        let due = (0..every.genomes().space_size())
            .filter(|number| {
                every.genomes().enumerate(*number, &mut board);
                let board: Vec<usize> = board.iter().map(|row| (*row).into()).collect();
                clashes(&board, &[], &[]) == 0 && keeps(&board)
            })
            .count();
        for encoding in ["rows", "permutation"] {
            let queens = puzzle(&parameters(n, encoding, placed, excluded));
            let size = queens.genomes().space_size();
            if size > 300_000 {
                continue;
            }
            let (mut solved, mut genome) = (0, vec![0; queens.board.genes()]);
            for number in 0..size {
                queens.genomes().enumerate(number, &mut genome);
                assert_eq!(queens.genomes().number(&genome), Some(number));
                let found = queens.fitness(&genome);
                let whole = whole(&queens, &genome);
                assert_eq!(found, clashes(&whole, &columns, &lines) as f64, "{genome:?}");
                let n = genome.len();
                let most = n * (n - 1) / 2 + 3 * n;
                assert!(found <= most as f64, "{genome:?}");
                solved += usize::from(found == 0.0);
            }
            assert_eq!(solved, due, "{n} {placed} {excluded} {encoding}");
        }
    }
}

/// Two of eight queens are placed, as in 1850 (the article has the picture). There are two ways
/// to place the others.
#[test]
fn the_oldest_puzzle_has_two_solutions() {
    let queens = puzzle(&parameters(8, "permutation", "1:3 3:4", ""));
    let mut genome = vec![0; 6];
    let solved = (0..queens.genomes().space_size()).filter(|number| {
        queens.genomes().enumerate(*number, &mut genome);
        queens.fitness(&genome) == 0.0
    });
    assert_eq!(solved.count(), 2);
}

#[test]
fn moves_of_puzzles_have_the_fitness_of_whole_boards() {
    for encoding_name in ["rows", "permutation"] {
        for n in [4, 9, 30, 200] {
            let numbers = [n as i64 / 4, n as i64 / 2, 1, 3];
            let parameters = drawn(n, encoding_name, "", "", numbers);
            walk_on(&puzzle(&parameters), encoding(&parameters));
        }
    }
}

/// A gene's conflicts, and constructed genomes, by the definition.
#[test]
fn conflicts_and_greedy_starts_are_those_of_the_definition() {
    for (n, placed, excluded) in PUZZLES {
        let lines = forbidden(excluded);
        for encoding in ["rows", "permutation"] {
            let queens = puzzle(&parameters(n, encoding, placed, excluded));
            let board = &queens.board;
            let attackers = |column: usize, row: usize, others: &[(usize, usize)]| {
                let attacks = |(other, other_row): &&(usize, usize)| {
                    let apart = row.abs_diff(*other_row);
                    *other != column && (apart == 0 || apart == column.abs_diff(*other))
                };
                others.iter().filter(attacks).count()
                    + lines.iter().filter(|line| is_on(column, row, **line)).count()
            };
            let is_placed = |column: usize| board.free.binary_search(&(column as u32)).is_err();
            let fixed: Vec<(usize, usize)> = (0..n)
                .filter(|column| is_placed(*column))
                .map(|column| (column, board.placed[column] as usize))
                .collect();
            for row in 0..50 {
                let mut genome = vec![0u8; board.genes()];
                greedy::construct(&queens, &mut RowRng::new(&[4; 32], row), &mut genome);
                let mut before = fixed.clone();
                let mut left: Vec<usize> = (0..board.values()).collect();
                for (position, gene) in genome.iter().enumerate() {
                    let of = |value: usize| {
                        let (column, row) = board.square(position, value);
                        attackers(column, row, &before)
                    };
                    let fewest = left.iter().map(|value| of(*value)).min();
                    assert_eq!(Some(of(gene.row())), fewest, "{genome:?} {position}");
                    if encoding == "permutation" {
                        left.retain(|value| *value != gene.row());
                    }
                    before.push(board.square(position, gene.row()));
                }
                let mut state = vec![0; queens.state_length()];
                queens.build(&genome, &mut state);
                let positions: Vec<u32> = (0..genome.len() as u32).collect();
                let mut told = vec![9; genome.len()];
                queens.conflicts(&genome, &state, &positions, &mut told);
                for (position, told) in told.iter().enumerate() {
                    let (column, row) = board.square(position, genome[position].row());
                    assert_eq!(*told as usize, attackers(column, row, &before), "{genome:?}");
                }
            }
        }
    }
}

#[test]
fn random_puzzles_leave_open_squares_and_grow_with_their_counts() {
    for (n, seed) in [(10, 1), (10, 2), (24, 1), (60, 7)] {
        let read = |queens: i64, diagonals: i64| {
            let numbers = [queens, diagonals, 3, seed];
            given::Given::read(&drawn(n, "rows", "", "", numbers)).expect("a puzzle")
        };
        let of = |diagonals: i64| read(2, diagonals).excluded;
        let few = read(1, 0);
        assert_eq!(few.queens[..], read(2, 0).queens[..1]);
        let all = of(n as i64);
        assert_eq!(all.iter().sum::<u32>(), n as u32);
        let less = of(n as i64 / 2);
        assert!(less.iter().zip(&all).all(|(less, all)| less <= all));
        let given = read(2, n as i64);
        let is_open = |column: usize, row: usize| {
            let lines = on_lines(n, column, row);
            lines.iter().all(|line| given.taken[*line] == 0)
        };
        let free = |column: &usize| !given.queens.iter().any(|(other, _)| other == column);
        for column in (0..n).filter(free) {
            let open = (0..n).filter(|row| is_open(column, *row)).count();
            // Two queens alone leave more than three.
            assert!(open >= 3, "{n} {seed} {column}: {open}");
        }
    }
}

#[test]
fn what_contradicts_itself_is_answered_with_the_rule() {
    let refused = |placed: &str, excluded: &str, numbers: [i64; 4]| {
        Puzzle::read(&drawn(4, "rows", placed, excluded, numbers)).expect_err("it is refused")
    };
    let none = [0, 0, 2, 1];
    assert!(refused("0", "", none).contains("COLUMN:ROW with two numbers from 0 to 3"));
    assert!(refused("0:4", "", none).contains("has `0:4`"));
    assert!(refused("0:0 1:1", "", none).contains("a queen at 1:1, which one before it"));
    assert!(refused("0:0 0:2", "", none).contains("a queen at 0:2, which one before it"));
    assert!(refused("", "sum:7", none).contains("sum:NUMBER from 0 to 6"));
    assert!(refused("0:1", "difference:1", none).contains("on which a queen is placed"));
    assert!(refused("0:1 1:3 2:0 3:2", "", none).contains("place fewer"));
    assert!(refused("", "", [5, 0, 2, 1]).contains("another `puzzle`"));
    assert!(refused("", "", [0, 12, 3, 1]).contains("`open-squares` to fewer"));
    assert!(Puzzle::read(&parameters(8, "rows", "", "")).expect("no puzzle").is_none());
}

#[test]
fn pictures_show_placed_queens_and_excluded_squares() {
    let queens = puzzle(&parameters(4, "permutation", "0:1", "sum:6"));
    let text = queens.board.render(&[2u8, 0, 1], Format::Board).expect("small enough");
    assert_eq!(text, ". . Q .\nQ . . .\n. . . Q\n. Q . x\n");
    let svg = queens.board.render(&[0u8, 1, 2], Format::Svg).expect("small enough");
    assert!(svg.contains("#c00000"), "a queen on an excluded diagonal is red");
}
