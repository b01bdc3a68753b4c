//! Files in the format of TSPLIB (Reinelt 1991, doi:10.1287/ijoc.3.4.376).

use crate::distances::Distances;
use crate::metric::Metric;
use runner_plugin::data::{Cursor, DataText};
use std::collections::BTreeSet;

/// Maximum number of cities.
const MOST: usize = 65_536;
/// Maximum number of cities whose distances a file lists: 100 MB.
const MOST_LISTED: usize = 5_000;
/// Largest listed distance.
const FARTHEST: i64 = 1_000_000_000;
/// Largest coordinate.
const EDGE: f64 = 1e9;

/// Order of listed distances, row by row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Listing {
    Full,
    Upper,
    Lower,
    UpperWithDiagonal,
    LowerWithDiagonal,
}

/// Listings by their names. Columns of one half are rows of the other.
const LISTINGS: [(&str, Listing); 9] = [
    ("FULL_MATRIX", Listing::Full),
    ("UPPER_ROW", Listing::Upper),
    ("LOWER_ROW", Listing::Lower),
    ("UPPER_DIAG_ROW", Listing::UpperWithDiagonal),
    ("LOWER_DIAG_ROW", Listing::LowerWithDiagonal),
    ("UPPER_COL", Listing::Lower),
    ("LOWER_COL", Listing::Upper),
    ("UPPER_DIAG_COL", Listing::LowerWithDiagonal),
    ("LOWER_DIAG_COL", Listing::UpperWithDiagonal),
];

/// Parts of a file that were read.
#[derive(Default)]
struct Parts {
    cities: Option<usize>,
    /// Kind of distance; `Some(None)` for listed ones.
    metric: Option<Option<Metric>>,
    listing: Option<Listing>,
    one_way: bool,
    places: Vec<[f64; 2]>,
    /// Places for pictures alone.
    shown: Vec<[f64; 2]>,
    table: Vec<u32>,
    /// Keys that were read.
    seen: BTreeSet<String>,
}

/// Reads cities.
///
/// # Errors
/// Returns a message with the line of the first fault.
pub(crate) fn parse(text: &DataText) -> Result<Distances, String> {
    let (mut cursor, mut parts) = (text.cursor(), Parts::default());
    loop {
        cursor.skip_comments("#");
        let Some(line) = cursor.line() else { break };
        let (key, value) = match line.split_once(':') {
            // A comment without a colon of its own may have one further on.
            Some((key, value)) if !key.trim().contains(char::is_whitespace) => {
                (key.trim(), value.trim())
            }
            _ => line
                .split_once(char::is_whitespace)
                .map_or((line, ""), |(key, value)| (key, value.trim())),
        };
        if key == "EOF" {
            break;
        }
        parts.read(key, value, &mut cursor)?;
    }
    parts.finish(&cursor)
}

/// Returns the entry of a list by its name.
fn named<T: Copy>(
    entries: &[(&str, T)],
    (key, value): (&str, &str),
    cursor: &Cursor<'_>,
) -> Result<T, String> {
    entries.iter().find(|(name, _)| *name == value).map(|(_, entry)| *entry).ok_or_else(|| {
        let names: Vec<&str> = entries.iter().map(|(name, _)| *name).collect();
        cursor.fault(format!("{key} is `{value}`; the known ones are {}", names.join(", ")))
    })
}

impl Parts {
    /// Reads what a line says, or begins.
    fn read(&mut self, key: &str, value: &str, cursor: &mut Cursor<'_>) -> Result<(), String> {
        if !self.seen.insert(key.to_owned()) && key != "COMMENT" {
            return Err(cursor.fault(format!("{key} stands twice; keep the intended one")));
        }
        match key {
            "NAME" | "COMMENT" | "NODE_COORD_TYPE" | "DISPLAY_DATA_TYPE" => {}
            "TYPE" => {
                // Some files have the name of their author behind the type.
                let word = value.split_whitespace().next().unwrap_or("");
                self.one_way = named(&[("TSP", false), ("ATSP", true)], (key, word), cursor)?;
            }
            "DIMENSION" => match value.parse() {
                Ok(cities) if (3..=MOST).contains(&cities) => self.cities = Some(cities),
                _ => {
                    return Err(cursor.fault(format!(
                        "DIMENSION is `{value}`, but must be a number of cities from 3 to {MOST}"
                    )));
                }
            },
            "EDGE_WEIGHT_TYPE" => {
                let mut known = vec![("EXPLICIT", None)];
                known.extend(Metric::ALL.map(|(name, metric)| (name, Some(metric))));
                self.metric = Some(named(&known, (key, value), cursor)?);
            }
            "EDGE_WEIGHT_FORMAT" if value == "FUNCTION" => {}
            "EDGE_WEIGHT_FORMAT" => self.listing = Some(named(&LISTINGS, (key, value), cursor)?),
            "NODE_COORD_SECTION" => self.places = self.coordinates(key, cursor)?,
            "DISPLAY_DATA_SECTION" => self.shown = self.coordinates(key, cursor)?,
            "EDGE_WEIGHT_SECTION" => self.table = self.listed(cursor)?,
            _ => {
                return Err(cursor.fault(format!(
                    "`{key}` is no part of a symmetric or asymmetric problem of TSPLIB that is \
                    known here; remove it, or check the file"
                )));
            }
        }
        Ok(())
    }

    /// Returns the number of cities, which has to stand before a section.
    fn cities(&self, section: &str, cursor: &Cursor<'_>) -> Result<usize, String> {
        self.cities.ok_or_else(|| cursor.fault(format!("{section} stands before DIMENSION")))
    }

    /// Reads a place for each city.
    fn coordinates(&self, section: &str, cursor: &mut Cursor<'_>) -> Result<Vec<[f64; 2]>, String> {
        let cities = self.cities(section, cursor)?;
        let mut places = vec![None; cities];
        for _ in 0..cities {
            let number = cursor.count("the number of a city", 1..=cities)?;
            if places[number - 1].is_some() {
                return Err(cursor.fault(format!("the city {number} has a second place")));
            }
            let mut part =
                |what: &str| cursor.real(&format!("the {what} of city {number}"), -EDGE..=EDGE);
            places[number - 1] = Some([part("first coordinate")?, part("second coordinate")?]);
        }
        // Each number came once, so that none is missing.
        Ok(places.into_iter().flatten().collect())
    }

    /// Reads the listed distances as a full table.
    fn listed(&self, cursor: &mut Cursor<'_>) -> Result<Vec<u32>, String> {
        let cities = self.cities("EDGE_WEIGHT_SECTION", cursor)?;
        let Some(listing) = self.listing else {
            return Err(cursor.fault("EDGE_WEIGHT_SECTION stands before EDGE_WEIGHT_FORMAT"));
        };
        if cities > MOST_LISTED {
            return Err(cursor.fault(format!(
                "a table of {cities} cities is too large; the most is {MOST_LISTED}"
            )));
        }
        // Numbers are read before the table is made: a file that ends early makes none.
        let mut ways = Vec::new();
        for from in 0..cities {
            for to in listing.of_row(from, cities) {
                let way = cursor
                    .integer("a distance", 0..=FARTHEST)
                    .map_err(|error| format!("{error} (from city {} to {})", from + 1, to + 1))?;
                ways.push(way as u32);
            }
        }
        if listing == Listing::Full {
            return Ok(ways);
        }
        let (mut table, mut ways) = (vec![0; cities * cities], ways.into_iter());
        for from in 0..cities {
            for (to, way) in listing.of_row(from, cities).zip(&mut ways) {
                table[from * cities + to] = way;
                table[to * cities + from] = way;
            }
        }
        Ok(table)
    }

    fn finish(self, cursor: &Cursor<'_>) -> Result<Distances, String> {
        let missing = |part: &str| cursor.fault(format!("the file ends without {part}"));
        let cities = self.cities.ok_or_else(|| missing("DIMENSION"))?;
        let metric = self.metric.ok_or_else(|| missing("EDGE_WEIGHT_TYPE"))?;
        let Some(metric) = metric else {
            if self.table.is_empty() {
                return Err(missing("EDGE_WEIGHT_SECTION"));
            }
            if let Some([one, other]) = self.differing(cities) {
                return Err(cursor.fault(format!(
                    "the ways between the cities {one} and {other} differ, but TYPE is TSP; write \
                    ATSP, or correct the table"
                )));
            }
            let shown = if self.shown.is_empty() { self.places } else { self.shown };
            return Ok(Distances::of_table(cities, self.table, shown));
        };
        if self.places.is_empty() {
            return Err(missing("NODE_COORD_SECTION"));
        }
        Ok(Distances::of_places(self.places, metric))
    }

    /// Returns two cities with different ways back and forth, where there may be none.
    fn differing(&self, cities: usize) -> Option<[usize; 2]> {
        let mut pairs = (0..cities).flat_map(|one| (0..one).map(move |other| [one, other]));
        let differ = |[one, other]: &[usize; 2]| {
            self.table[one * cities + other] != self.table[other * cities + one]
        };
        let found = pairs.find(differ).filter(|_| !self.one_way)?;
        Some(found.map(|city| city + 1))
    }
}

impl Listing {
    /// Returns the cities whose distances from `row` are listed.
    fn of_row(self, row: usize, cities: usize) -> std::ops::Range<usize> {
        match self {
            Listing::Full => 0..cities,
            Listing::Upper => row + 1..cities,
            Listing::Lower => 0..row,
            Listing::UpperWithDiagonal => row..cities,
            Listing::LowerWithDiagonal => 0..row + 1,
        }
    }
}

#[cfg(test)]
mod tests;
