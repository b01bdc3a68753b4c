//! A back rank: what stands where, the rules, and the distance to the classical one.

/// Piece on a square, as genes code it.
pub(crate) const ROOK: u8 = 1;
pub(crate) const KNIGHT: u8 = 2;
pub(crate) const BISHOP: u8 = 3;
pub(crate) const QUEEN: u8 = 4;
pub(crate) const KING: u8 = 5;

/// Squares as bits, file a the lowest. The first rank's a is dark.
pub(crate) const DARK: u8 = 0b0101_0101;
pub(crate) const LIGHT: u8 = !DARK;

/// The greatest fitness of the 960 valid ranks.
pub(crate) const WORST_VALID: u8 = 20;
/// The greatest fitness of all 5040 arrangements of the pieces.
pub(crate) const WORST: u8 = 22;

/// The pieces of a back rank, one set of squares a kind. From genes that break the code some sets
/// come out wrong: such a rank is never valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rank {
    pub rooks: u8,
    pub knights: u8,
    pub bishops: u8,
    pub queen: u8,
    pub king: u8,
}

/// A one in each byte.
const ONES: u64 = 0x0101_0101_0101_0101;

impl Rank {
    /// From 8 genes, file a first. Always inlined: most callers need some of the sets.
    #[inline(always)]
    pub(crate) fn of(genes: &[u8]) -> Self {
        let word = word(genes);
        let squares = |piece: u8| {
            // A byte is 0 where the piece stands and 1..=7 elsewhere; 8 less that has bit 3 only
            // where it was 0.
            let here = ((8 * ONES) - (word ^ (u64::from(piece) * ONES))) >> 3 & ONES;
            // Gathers the lowest bit of each byte in the highest byte.
            (here.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
        };
        Rank {
            rooks: squares(ROOK),
            knights: squares(KNIGHT),
            bishops: squares(BISHOP),
            queen: squares(QUEEN),
            king: squares(KING),
        }
    }

    /// As 8 genes, file a in the lowest byte.
    #[inline]
    pub(crate) const fn word(self) -> u64 {
        SPREAD[self.rooks as usize] * ROOK as u64
            + SPREAD[self.knights as usize] * KNIGHT as u64
            + SPREAD[self.bishops as usize] * BISHOP as u64
            + SPREAD[self.queen as usize] * QUEEN as u64
            + SPREAD[self.king as usize] * KING as u64
    }

    #[inline]
    pub(crate) fn write(self, genes: &mut [u8]) {
        genes.copy_from_slice(&self.word().to_le_bytes());
    }

    /// The right pieces, bishops on different colours, the king between the rooks.
    #[inline]
    pub(crate) fn is_valid(self) -> bool {
        let Rank { rooks, knights, bishops, queen, king } = self;
        let pieces = rooks.count_ones() == 2
            && knights.count_ones() == 2
            && bishops.count_ones() == 2
            && queen.count_ones() == 1
            && king.count_ones() == 1;
        pieces
            && rooks | knights | bishops | queen | king == 0xff
            && two_colours(bishops)
            && between(king, rooks)
    }

    /// Sum over the pieces of the distance to the classical square, like pieces matched in order of
    /// file.
    #[inline]
    pub(crate) fn fitness(self) -> u8 {
        FROM_ROOKS[self.rooks as usize]
            + FROM_KNIGHTS[self.knights as usize]
            + FROM_BISHOPS[self.bishops as usize]
            + FROM_QUEEN[self.queen as usize]
            + FROM_KING[self.king as usize]
    }

    /// Sum over the pieces of the distance to those of another rank with the same pieces, matched
    /// likewise.
    pub(crate) fn distance(self, other: Rank) -> u32 {
        let sets = [
            (self.rooks, other.rooks),
            (self.knights, other.knights),
            (self.bishops, other.bishops),
            (self.queen, other.queen),
            (self.king, other.king),
        ];
        sets.into_iter()
            .map(|(a, b)| {
                squares(a)
                    .zip(squares(b))
                    .map(|(a, b)| a.trailing_zeros().abs_diff(b.trailing_zeros()))
                    .sum::<u32>()
            })
            .sum()
    }
}

/// 8 genes as one word. Bits that no piece has are cut off, except that a gene with any becomes 0:
/// no piece.
#[inline]
fn word(genes: &[u8]) -> u64 {
    let genes: [u8; 8] = genes.try_into().expect("a rank has 8 genes");
    let word = u64::from_le_bytes(genes);
    if word & !(7 * ONES) == 0 {
        word
    } else {
        u64::from_le_bytes(genes.map(|gene| if gene > 7 { 0 } else { gene }))
    }
}

/// Whether the square lies between the lowest and the highest of the others.
#[inline]
pub(crate) fn between(square: u8, others: u8) -> bool {
    let below = square.wrapping_sub(1);
    others & below != 0 && others & !(below | square) != 0
}

#[inline]
pub(crate) fn two_colours(squares: u8) -> bool {
    squares & DARK != 0 && squares & LIGHT != 0
}

/// The squares of a set one by one, file a first.
#[inline]
pub(crate) fn squares(mut set: u8) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let lowest = set & set.wrapping_neg();
        set ^= lowest;
        (lowest != 0).then_some(lowest)
    })
}

/// Number `index` of a set's squares, from 0; the set has more than that.
#[inline]
pub(crate) const fn nth(mut set: u8, mut index: u32) -> u8 {
    while index > 0 {
        set &= set - 1;
        index -= 1;
    }
    set & set.wrapping_neg()
}

/// A set of squares as bytes of 0 and 1.
static SPREAD: [u64; 256] = spread();
static FROM_ROOKS: [u8; 256] = distances(0, 7);
static FROM_KNIGHTS: [u8; 256] = distances(1, 6);
static FROM_BISHOPS: [u8; 256] = distances(2, 5);
static FROM_QUEEN: [u8; 256] = distances(3, 3);
static FROM_KING: [u8; 256] = distances(4, 4);

const fn spread() -> [u64; 256] {
    let mut table = [0; 256];
    let mut set = 0;
    while set < 256 {
        let mut file = 0;
        while file < 8 {
            table[set] |= ((set as u64 >> file) & 1) << (8 * file);
            file += 1;
        }
        set += 1;
    }
    table
}

/// For each set of squares: its first square's distance to file `first` and its second's to file
/// `second`. Sets with more than two squares, or fewer, belong to no rank; what is there of them
/// counts.
const fn distances(first: u8, second: u8) -> [u8; 256] {
    let mut table = [0; 256];
    let mut set = 0;
    while set < 256 {
        let (mut file, mut seen) = (0u8, 0);
        while file < 8 {
            if (set >> file) & 1 == 1 && seen < 2 {
                table[set] += file.abs_diff(if seen == 0 { first } else { second });
                seen += 1;
            }
            file += 1;
        }
        set += 1;
    }
    table
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Genes of a rank in letters.
    pub(crate) fn genes(letters: &str) -> Vec<u8> {
        letters
            .bytes()
            .map(|letter| {
                " RNBQK".bytes().position(|other| other == letter).expect("a piece") as u8
            })
            .collect()
    }

    fn rank(letters: &str) -> Rank {
        Rank::of(&genes(letters))
    }

    /// All 5040 arrangements of the eight pieces.
    pub(crate) fn arrangements() -> Vec<Vec<u8>> {
        fn extend(rank: &mut Vec<u8>, left: &mut [u8; 6], all: &mut Vec<Vec<u8>>) {
            if rank.len() == 8 {
                all.push(rank.clone());
            }
            for piece in ROOK..=KING {
                if left[piece as usize] > 0 {
                    left[piece as usize] -= 1;
                    rank.push(piece);
                    extend(rank, left, all);
                    rank.pop();
                    left[piece as usize] += 1;
                }
            }
        }
        let mut all = Vec::new();
        extend(&mut Vec::new(), &mut [0, 2, 2, 2, 1, 1], &mut all);
        all
    }

    #[test]
    fn the_known_ranks_have_their_known_fitness() {
        for (letters, fitness) in [
            ("RNKQBBNR", 4),
            ("RNBKQBRN", 4),
            ("RNBKQBNR", 2),
            ("RNBQKBRN", 2),
            ("RNBQKBNR", 0),
            ("BBQNNRKR", 18),
        ] {
            assert_eq!(rank(letters).fitness(), fitness, "{letters}");
        }
    }

    #[test]
    fn the_worst_are_the_worst() {
        let all = arrangements();
        assert_eq!(all.len(), 5040);
        let ranks = || all.iter().map(|genes| Rank::of(genes));
        assert_eq!(ranks().filter(|rank| rank.is_valid()).count(), 960);
        assert_eq!(ranks().map(Rank::fitness).max(), Some(WORST));
        assert_eq!(
            ranks().filter(|rank| rank.is_valid()).map(Rank::fitness).max(),
            Some(WORST_VALID)
        );
        assert_eq!(ranks().filter(|rank| rank.fitness() == 0).count(), 1);
    }

    /// The definitions, without bits.
    #[test]
    fn rules_and_fitness_agree_with_their_definitions() {
        for genes in arrangements() {
            let files = |piece| (0..8).filter(|&file| genes[file] == piece).collect::<Vec<usize>>();
            let (rooks, bishops, king) = (files(ROOK), files(BISHOP), files(KING)[0]);
            let valid = rooks[0] < king && king < rooks[1] && (bishops[0] + bishops[1]) % 2 == 1;
            let classical = super::tests::genes("RNBQKBNR");
            let fitness: usize = (ROOK..=KING)
                .flat_map(|piece| {
                    files(piece)
                        .into_iter()
                        .zip((0..8).filter(|&file| classical[file] == piece).collect::<Vec<_>>())
                })
                .map(|(file, home)| file.abs_diff(home))
                .sum();
            let rank = Rank::of(&genes);
            assert_eq!(
                (rank.is_valid(), usize::from(rank.fitness())),
                (valid, fitness),
                "{genes:?}"
            );
            assert_eq!(rank.distance(Rank::of(&classical)) as usize, fitness);
            let mut back = [0; 8];
            rank.write(&mut back);
            assert_eq!(back, *genes);
        }
    }

    #[test]
    fn either_rook_can_break_the_rule() {
        assert!(rank("RNBQKBNR").is_valid());
        assert!(!rank("KNBQRBNR").is_valid(), "no rook on the king's left");
        assert!(!rank("RNBQRBNK").is_valid(), "no rook on the king's right");
        assert!(!rank("RNBQKNBR").is_valid(), "bishops of one colour");
    }

    #[test]
    fn other_pieces_than_the_eight_are_never_valid() {
        assert!(!rank("RNBQKBNN").is_valid());
        assert!(!rank("RNBQKBQR").is_valid());
        for stray in [0, 6, 7, 9, 13, 0x81, 255] {
            for file in 0..8 {
                let mut genes = genes("RNBQKBNR");
                genes[file] = stray;
                assert!(!Rank::of(&genes).is_valid(), "{genes:?}");
            }
        }
    }
}
