//! Files, good and bad.

use super::*;
use proptest::prelude::*;

fn read(text: &str) -> Result<Distances, String> {
    parse(&DataText::new("x.tsp", text))
}

const PLACES: &str = "NAME : own\nCOMMENT: a rectangle: 3 by 4\nTYPE : TSP\nDIMENSION: 4\n\
    EDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 3.0 0\n4 0 4e0\n3 3 4\nEOF\n";

fn listed(format: &str, numbers: &str) -> String {
    format!(
        "TYPE: TSP\nDIMENSION: 4\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: {format}\n\
        EDGE_WEIGHT_SECTION\n{numbers}\n"
    )
}

#[test]
fn places_are_read_in_any_order() {
    let distances = read(PLACES).expect("good");
    assert_eq!(distances.cities(), 4);
    assert_eq!([distances.way(0, 1), distances.way(0, 2), distances.way(0, 3)], [3, 5, 4]);
}

#[test]
fn every_listing_is_the_same_table() {
    // Numbers of the half above the diagonal are 1 to 6, row by row.
    let listings = [
        ("FULL_MATRIX", "9 1 2 3\n1 9 4 5\n2 4 9 6\n3 5 6 9"),
        ("UPPER_ROW", "1 2 3 4 5 6"),
        ("LOWER_ROW", "1\n2 4\n3 5 6"),
        ("UPPER_DIAG_ROW", "9 1 2 3 9 4 5 9 6 9"),
        ("LOWER_DIAG_ROW", "9 1 9 2 4 9 3 5 6 9"),
        ("LOWER_COL", "1 2 3 4 5 6"),
        ("UPPER_COL", "1 2 4 3 5 6"),
        ("LOWER_DIAG_COL", "9 1 2 3 9 4 5 9 6 9"),
        ("UPPER_DIAG_COL", "9 1 9 2 4 9 3 5 6 9"),
    ];
    for (format, numbers) in listings {
        let distances = read(&listed(format, numbers)).expect(format);
        let row = |from| [0, 1, 2, 3].map(|to| distances.way(from, to) % 9);
        assert_eq!([row(0), row(1)], [[0, 1, 2, 3], [1, 0, 4, 5]], "{format}");
        assert_eq!([row(2), row(3)], [[2, 4, 0, 6], [3, 5, 6, 0]], "{format}");
    }
}

#[test]
fn ways_back_may_differ_only_where_the_type_says_so() {
    let text = listed("FULL_MATRIX", "0 1 2 3 1 0 4 5 2 4 0 6 3 5 7 0");
    let error = read(&text).expect_err("the ways differ");
    assert!(error.contains("cities 4 and 3 differ, but TYPE is TSP"), "{error}");
    let distances = read(&text.replace("TYPE: TSP", "TYPE: ATSP")).expect("good");
    assert_eq!((distances.way(2, 3), distances.way(3, 2)), (6, 7));
}

#[test]
fn every_fault_is_named_with_its_line() {
    let half = listed("UPPER_ROW", "1 2 3 4");
    let cases = [
        (String::new(), "x.tsp, line 1: the file ends without DIMENSION"),
        (PLACES.replace("4\nEDGE", "2\nEDGE"), "line 4: DIMENSION is `2`, but must be a number of"),
        (PLACES.replace("4\nEDGE", "4000000000\nEDGE"), "line 4: DIMENSION is `4000000000`"),
        (PLACES.replace("EUC_2D", "XRAY1"), "line 5: EDGE_WEIGHT_TYPE is `XRAY1`; the known ones"),
        (PLACES.replace(": TSP", ": CVRP"), "line 3: TYPE is `CVRP`; the known ones are TSP, ATSP"),
        (PLACES.replace("3.0", "three"), "line 8: the first coordinate of city 2 is `three`"),
        (PLACES.replace("3.0", "nan"), "line 8: the first coordinate of city 2 is `nan`"),
        (PLACES.replace("4e0\n3 3 4", "4\n4 3 4"), "line 10: the city 4 has a second place"),
        (PLACES.replace("3 3 4", "5 3 4"), "line 10: the number of a city is `5`, but must be"),
        (PLACES.replace("3 3 4\nEOF\n", ""), "line 10: the file ends before the number of a city"),
        (PLACES.replace("DIMENSION: 4\n", ""), "NODE_COORD_SECTION stands before DIMENSION"),
        (PLACES.replace("EDGE_WEIGHT_TYPE : EUC_2D\n", ""), "ends without EDGE_WEIGHT_TYPE"),
        (PLACES.replace("NAME", "FIXED_EDGES_SECTION"), "line 1: `FIXED_EDGES_SECTION` is no part"),
        (half.clone(), "the file ends before a distance (from city 2 to 4)"),
        (half.replace("2 3", "-2 3"), "line 6: a distance is `-2`, but must be an integer from 0"),
        (half.replace("UPPER_ROW", "DIAGONAL"), "line 4: EDGE_WEIGHT_FORMAT is `DIAGONAL`"),
        (half.replace("DIMENSION: 4", "DIMENSION: 65000"), "a table of 65000 cities is too large"),
        (half.replace("EDGE_WEIGHT_FORMAT: UPPER_ROW\n", ""), "stands before EDGE_WEIGHT_FORMAT"),
    ];
    for (text, words) in cases {
        let error = read(&text).expect_err(words);
        assert!(error.starts_with("x.tsp, line ") && error.contains(words), "{words}\n{error}");
    }
}

proptest! {
    #[test]
    fn no_file_makes_the_reader_panic(
        place in 0..PLACES.len(), cut in 0..40usize, word in "[ -~\\n]{0,12}",
    ) {
        let end = (place + cut).min(PLACES.len());
        let text = format!("{}{word}{}", &PLACES[..place], &PLACES[end..]);
        if let Ok(distances) = read(&text) {
            prop_assert!(distances.cities() >= 3);
        }
    }

    #[test]
    fn no_words_make_the_reader_panic(
        keys in prop::collection::vec(prop::sample::select(vec![
            "DIMENSION: 4\n", "DIMENSION: 65536\n", "EDGE_WEIGHT_TYPE: EXPLICIT\n",
            "EDGE_WEIGHT_TYPE: GEO\n", "EDGE_WEIGHT_FORMAT: FULL_MATRIX\n", "NODE_COORD_SECTION\n",
            "EDGE_WEIGHT_SECTION\n", "DISPLAY_DATA_SECTION\n", "1 2 3\n", "4 5 6 7\n", "EOF\n",
            "EDGE_WEIGHT_FORMAT: LOWER_ROW\n", "1e999 -1\n", "\u{0}\n", ":\n",
        ]), 0..20),
    ) {
        _ = read(&keys.concat());
    }
}
