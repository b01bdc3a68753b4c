//! Files of items: their number and the capacity, then a line per item with profit and weight.

use crate::items::{Item, Items};
use runner_plugin::data::DataText;

/// Maximum number of items.
const MOST: usize = 1_000_000;
/// Maximum profit and weight of an item: sums are exact.
const LARGEST: i64 = 1_000_000_000;

/// Reads items.
///
/// # Errors
/// Returns a message with the line of the first fault.
pub(crate) fn parse(text: &DataText) -> Result<Items, String> {
    let mut cursor = text.cursor();
    cursor.skip_comments("#");
    let n = cursor.count("the number of items", 1..=MOST)?;
    let capacity = cursor.integer("the capacity", 0..=LARGEST * MOST as i64)?;
    let mut items = Vec::new();
    for number in 1..=n {
        let profit = cursor.integer(&format!("the profit of item {number}"), 0..=LARGEST)?;
        let weight = cursor.integer(&format!("the weight of item {number}"), 0..=LARGEST)?;
        items.push(Item { profit, weight });
    }
    cursor.end(&format!("{n} items"))?;
    Ok(Items { items, capacity })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<Items, String> {
        parse(&DataText::new("x.txt", text))
    }

    const OWN: &str = "# own items\n3 10\n6 5\n5 4\n8 7\n";

    #[test]
    fn items_are_read_with_profit_and_weight() {
        let items = read(OWN).expect("good");
        assert_eq!((items.capacity, items.items.len()), (10, 3));
        assert_eq!(items.items[2], Item { profit: 8, weight: 7 });
        assert_eq!(items.best(), Some(11));
    }

    #[test]
    fn every_fault_is_named_with_its_line() {
        let cases = [
            ("", "x.txt, line 1: the file ends before the number of items"),
            ("0 5", "line 1: the number of items is `0`, but must be an integer from 1 to"),
            ("99999999 5", "line 1: the number of items is `99999999`"),
            ("1 -5\n1 1", "line 1: the capacity is `-5`"),
            ("2 9\n1 1\n1", "line 3: the file ends before the weight of item 2"),
            ("1 9\n1 -1", "line 2: the weight of item 1 is `-1`, but must be an integer from 0"),
            ("1 9\n1.5 1", "line 2: the profit of item 1 is `1.5`"),
            ("1 9\n1 1\n2 2", "line 3: `2` follows after 1 items; correct the counts"),
        ];
        for (text, words) in cases {
            let error = read(text).expect_err(words);
            assert!(error.starts_with("x.txt, line ") && error.contains(words), "{words}\n{error}");
        }
    }

    proptest! {
        #[test]
        fn no_file_makes_the_reader_panic(
            place in 0..OWN.len(), cut in 0..20usize, word in "[ -~\\n]{0,12}",
        ) {
            let end = (place + cut).min(OWN.len());
            let text = format!("{}{word}{}", &OWN[..place], &OWN[end..]);
            if let Ok(items) = read(&text) {
                prop_assert!(items.best().is_none_or(|best| best >= 0));
            }
        }
    }
}
