//! Encodings: how the values of a column are written, by what they are. Every reader of Parquet
//! knows them; `docs/performance.md` has what each saves.

use super::error::FrameError;
use super::frame::Frame;
use polars_arrow::array::{Array, DictionaryArray, ListArray, PrimitiveArray};
use polars_arrow::bitmap::Bitmap;
use polars_arrow::datatypes::{ArrowDataType, Field, IntegerType};
use polars_arrow::types::NativeType;
use polars_parquet::write::{
    CompressedPage, Encoding, ParquetType, WriteOptions, array_to_columns, array_to_pages,
    compress, get_dtype_encoding, to_nested,
};
use std::collections::HashMap;

/// Integers in lists up to this one may be numbers of a dictionary.
const LARGEST: u32 = u16::MAX as u32;

/// Real numbers, at most so many different ones, may be numbers of a dictionary.
const DIFFERENT: usize = 1 << 12;

/// The pages of each leaf of a frame's columns, in a file of these fields.
pub(super) fn encode(
    frame: &Frame,
    fields: &[ParquetType],
    options: WriteOptions,
) -> Result<Vec<Vec<CompressedPage>>, FrameError> {
    let mut columns = Vec::new();
    for (column, field) in frame.columns().iter().zip(fields) {
        columns.extend(leaves(column.array(), field, options)?);
    }
    Ok(columns)
}

/// The pages of each leaf of a column.
fn leaves(
    array: &dyn Array,
    field: &ParquetType,
    options: WriteOptions,
) -> Result<Vec<Vec<CompressedPage>>, FrameError> {
    let (array, encodings) = encoded(array);
    let leaves = match field {
        // For a column without any value, Polars would set 8 MB to zero.
        ParquetType::PrimitiveType(kind) if array.null_count() == array.len() => {
            let nested = to_nested(&*array, field).map_err(FrameError::new)?;
            let nested = nested.into_iter().next().unwrap_or_default();
            array_to_pages(&*array, kind.clone(), &nested, options, encodings[0])
                .map(|pages| vec![pages])
        }
        _ => array_to_columns(array, field.clone(), options, &encodings),
    };
    let leaves = leaves.map_err(FrameError::new)?.into_iter().map(|pages| {
        let page = |page| compress(page, Vec::new(), options.compression).map_err(FrameError::new);
        pages.map(|one| one.map_err(FrameError::new).and_then(page)).collect()
    });
    leaves.collect()
}

/// A column's values in the form in which they are written, and the encodings of its leaves.
pub(super) fn encoded(array: &dyn Array) -> (Box<dyn Array>, Vec<Encoding>) {
    let dictionary = || lists(array).or_else(|| reals(array));
    if counts_up(array) {
        (array.to_boxed(), vec![Encoding::DeltaBinaryPacked])
    } else if let Some(array) = dictionary() {
        (array, vec![Encoding::RleDictionary])
    } else {
        (array.to_boxed(), get_dtype_encoding(array.dtype()))
    }
}

/// Whether nearly every value is one more than the one before it, as the numbers of trials are:
/// they are written as differences.
fn counts_up(array: &dyn Array) -> bool {
    let numbers = array.as_any().downcast_ref::<PrimitiveArray<u64>>();
    let Some(numbers) = numbers.filter(|numbers| numbers.null_count() == 0) else { return false };
    let values = numbers.values();
    let others = values.windows(2).filter(|pair| pair[0].checked_add(1) != Some(pair[1])).count();
    values.len() > 1 && others <= values.len() / 8
}

/// Lists of small integers, as numbers of a dictionary: by themselves they are written in four
/// bytes each.
fn lists(array: &dyn Array) -> Option<Box<dyn Array>> {
    let lists = array.as_any().downcast_ref::<ListArray<i64>>()?;
    let integers = lists.values().as_any().downcast_ref::<PrimitiveArray<u32>>()?;
    let values = integers.values();
    let greatest = values.iter().copied().max().filter(|greatest| *greatest <= LARGEST)?;
    let mut places = vec![None; greatest as usize + 1];
    values.iter().for_each(|value| places[*value as usize] = Some(0));
    let mut different = Vec::new();
    for (value, place) in (0..).zip(&mut places).filter(|(_, place)| place.is_some()) {
        *place = Some(different.len() as u32);
        different.push(value);
    }
    let numbers = values.iter().map(|value| places[*value as usize].unwrap_or_default());
    if different.len() > values.len() / 4 {
        return None;
    }
    let numbers = dictionary(numbers.collect(), different, integers.validity())?;
    let ArrowDataType::LargeList(field) = lists.dtype() else { return None };
    let field = Field::new(field.name.clone(), numbers.dtype().clone(), field.is_nullable);
    let kind = ArrowDataType::LargeList(Box::new(field));
    let (offsets, there) = (lists.offsets().clone(), lists.validity().cloned());
    Some(ListArray::<i64>::new(kind, offsets, numbers, there).boxed())
}

/// Real numbers of which few are different, such as a fitness that counts something, as numbers of
/// a dictionary.
fn reals(array: &dyn Array) -> Option<Box<dyn Array>> {
    let reals = array.as_any().downcast_ref::<PrimitiveArray<f64>>()?;
    let most = DIFFERENT.min(reals.len() / 4);
    let (mut places, mut different) = (HashMap::new(), Vec::new());
    let (mut before, mut again) = (None, 0);
    let mut numbers = Vec::with_capacity(reals.len());
    for value in reals.iter() {
        // What stands where a value is missing is left out of the file.
        let Some(value) = value.copied() else {
            numbers.push(0);
            continue;
        };
        let place = *places.entry(value.to_bits()).or_insert_with(|| {
            different.push(value);
            different.len() as u32 - 1
        });
        if different.len() > most {
            return None;
        }
        numbers.push(place);
        again += usize::from(before == Some(place));
        before = Some(place);
    }
    // Runs of one value are smaller as they are, once compressed.
    if again > reals.len() / 2 {
        return None;
    }
    (!different.is_empty()).then(|| dictionary(numbers, different, reals.validity())).flatten()
}

/// `numbers`: the place of each value among the different ones.
fn dictionary<T: NativeType>(
    numbers: Vec<u32>,
    different: Vec<T>,
    there: Option<&Bitmap>,
) -> Option<Box<dyn Array>> {
    let different = PrimitiveArray::<T>::from_vec(different).boxed();
    let kind = different.dtype().clone();
    let kind = ArrowDataType::Dictionary(IntegerType::UInt32, Box::new(kind), false);
    let numbers = PrimitiveArray::<u32>::from_vec(numbers).with_validity(there.cloned());
    DictionaryArray::<u32>::try_new(kind, numbers, different).ok().map(|array| array.boxed())
}

#[cfg(test)]
mod tests {
    use super::super::{Column, Lists, ParquetReader, ParquetWriter};
    use super::*;
    use proptest::prelude::*;
    use std::io::Seek;

    fn read_back(frame: &Frame) -> Frame {
        let mut file = tempfile::tempfile().expect("a temporary file");
        let out = file.try_clone().expect("a file");
        let mut writer = ParquetWriter::new(out, frame.schema(), Vec::new()).expect("a schema");
        writer.write(frame).expect("written");
        writer.finish().expect("written");
        file.rewind().expect("a file");
        ParquetReader::open(file).expect("a table").group(0, None).expect("rows")
    }

    /// Encodings of the columns, in order.
    fn encodings(frame: &Frame) -> Vec<Encoding> {
        frame.columns().iter().map(|column| encoded(column.array()).1[0]).collect()
    }

    fn lists<T: NativeType>(name: &str, rows: &[Option<Vec<T>>]) -> Column {
        let mut lists = Lists::with_capacity(rows.len(), 0);
        for row in rows {
            match row {
                Some(row) => lists.push(row.iter().copied()),
                None => lists.push_none(),
            }
        }
        Column::lists(name, lists)
    }

    #[test]
    fn values_decide_how_they_are_written() {
        let rows: u64 = 400;
        let frame = Frame::new(
            rows as usize,
            vec![
                Column::numbers("trial", (0..rows / 2).chain(0..rows / 2)),
                Column::numbers(
                    "seed",
                    (0..rows).map(|row| row.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
                ),
                Column::numbers("few", (0..rows).map(|row| (row % 7) as f64)),
                Column::numbers("many", (0..rows).map(|row| row as f64 / 3.0)),
                lists("genes", &vec![Some(vec![3u32, 1, 2, 900]); rows as usize]),
            ],
        );
        let found = encodings(&frame.expect("columns"));
        use Encoding::{DeltaBinaryPacked, RleDictionary};
        let dictionary = RleDictionary;
        // What has no dictionary is written plainly in the end.
        assert_eq!(found, [DeltaBinaryPacked, dictionary, dictionary, dictionary, dictionary]);
        let column = Column::numbers("many", (0..rows).map(|row| row as f64 / 3.0));
        assert!(reals(column.array()).is_none());
    }

    proptest! {
        #[test]
        fn whatever_the_encoding_the_values_come_back(
            rows in 1..300usize,
            step in 1..3u64,
            first in prop_oneof![Just(0), any::<u64>()],
            missing in prop::collection::vec(any::<bool>(), 300),
            small in 1..70_000u32,
            none in any::<bool>(),
        ) {
            let there = |row: usize| !none && missing[row];
            let of = |row: usize| (row as u32).wrapping_mul(2_654_435_761) % small;
            let row_of = |row: usize| (0..row % 5).map(|k| of(row + k)).collect();
            let genes = |row: usize| there(row).then(|| row_of(row));
            let numbers = |row: usize| {
                let number = [f64::INFINITY, -0.0, 0.0, f64::from(of(row))];
                (0..row % 3).map(|k| number[(row + k) % 4]).collect::<Vec<f64>>()
            };
            let all = 0..rows;
            let columns = vec![
                Column::numbers("up", all.clone().map(|row| first.wrapping_add(step * row as u64))),
                Column::optional("some", all.clone().map(|row| there(row).then_some(row as u64))),
                Column::optional(
                    "real",
                    all.clone().map(|row| there(row).then(|| f64::from(of(row)))),
                ),
                Column::numbers("whole", all.clone().map(|row| [0.0, -0.0, 1e300][row % 3])),
                Column::texts("text", all.clone().map(|row| there(row).then_some("words"))),
                lists::<u32>("genes", &all.clone().map(genes).collect::<Vec<_>>()),
                lists::<f64>(
                    "reals",
                    &all.map(|row| there(row).then(|| numbers(row))).collect::<Vec<_>>(),
                ),
            ];
            let frame = Frame::new(rows, columns).expect("columns");
            let found = read_back(&frame);
            for (one, other) in frame.columns().iter().zip(found.columns()) {
                prop_assert_eq!(one.kind(), other.kind());
                // Bit for bit: what is printed tells -0 from 0.
                prop_assert_eq!(format!("{:?}", one.array()), format!("{:?}", other.array()));
            }
        }
    }
}
