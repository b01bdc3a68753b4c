//! Columns: a name and values of one type, of which some may be missing.

use super::error::FrameError;
use crate::system::expected_panic;
use polars_arrow::array::{
    Array, BooleanArray, DictionaryArray, DictionaryKey, ListArray, MutableBinaryViewArray,
    PrimitiveArray, Utf8ViewArray,
};
use polars_arrow::bitmap::Bitmap;
use polars_arrow::datatypes::{ArrowDataType, Field};
use polars_arrow::offset::OffsetsBuffer;
use polars_arrow::types::NativeType;
use polars_compute::cast::cast_default;
use std::ops::Range;

/// Texts.
pub type Texts = Utf8ViewArray;
/// Whole numbers from 0, of 64 bits.
pub type Naturals = PrimitiveArray<u64>;
/// Whole numbers from 0, of 32 bits.
pub type Words = PrimitiveArray<u32>;
/// Whole numbers, of 64 bits.
pub type Integers = PrimitiveArray<i64>;
/// Real numbers.
pub type Reals = PrimitiveArray<f64>;
/// Truth values.
pub type Booleans = BooleanArray;

/// A named column.
#[derive(Clone, Debug)]
pub struct Column {
    name: String,
    values: Box<dyn Array>,
}

impl Column {
    pub(crate) fn new(name: &str, values: Box<dyn Array>) -> Self {
        Column { name: name.to_owned(), values }
    }

    /// A column of texts.
    pub(crate) fn texts<'a>(name: &str, values: impl Iterator<Item = Option<&'a str>>) -> Self {
        let values: MutableBinaryViewArray<str> = values.collect();
        Column::new(name, Texts::from(values).boxed())
    }

    /// A column of numbers that all rows have.
    pub(crate) fn numbers<T: NativeType>(name: &str, values: impl Iterator<Item = T>) -> Self {
        Column::new(name, PrimitiveArray::<T>::from_vec(values.collect()).boxed())
    }

    /// A column of numbers.
    pub(crate) fn optional<T: NativeType>(
        name: &str,
        values: impl Iterator<Item = Option<T>>,
    ) -> Self {
        let values: PrimitiveArray<T> = values.collect();
        Column::new(name, values.boxed())
    }

    /// A column of truth values.
    pub(crate) fn booleans(name: &str, values: impl Iterator<Item = Option<bool>>) -> Self {
        let values: BooleanArray = values.collect();
        Column::new(name, values.boxed())
    }

    /// A column of lists of numbers.
    pub(crate) fn lists<T: NativeType>(name: &str, lists: Lists<T>) -> Self {
        let Lists { values, ends, there } = lists;
        let values = PrimitiveArray::<T>::from_vec(values).boxed();
        let kind = ListArray::<i64>::default_datatype(values.dtype().clone());
        // Ends ascend, from 0 to the number of values.
        let offsets = OffsetsBuffer::try_from(ends).unwrap_or_default();
        let there: Bitmap = there.into();
        let there = (there.unset_bits() > 0).then_some(there);
        Column::new(name, ListArray::<i64>::new(kind, offsets, values, there).boxed())
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn array(&self) -> &dyn Array {
        &*self.values
    }

    pub(crate) fn kind(&self) -> &ArrowDataType {
        self.values.dtype()
    }

    /// "real numbers".
    pub(crate) fn kind_in_words(&self) -> String {
        in_words(self.kind())
    }

    /// As files have it: any column may lack values.
    pub(crate) fn field(&self) -> Field {
        Field::new(self.name.as_str().into(), self.kind().clone(), true)
    }

    /// The first row without a value.
    pub(crate) fn first_missing(&self) -> Option<usize> {
        let there = self.values.validity()?;
        (0..self.len()).find(|&row| !there.get_bit(row))
    }

    fn of<A: 'static>(&self, what: &str) -> Result<&A, FrameError> {
        self.values.as_any().downcast_ref().ok_or_else(|| self.wrong_kind(what))
    }

    fn wrong_kind(&self, what: &str) -> FrameError {
        FrameError::new(format!(
            "the column `{}` has {}, not {what}",
            self.name,
            self.kind_in_words()
        ))
    }

    /// Its values as texts.
    ///
    /// # Errors
    /// If they are not.
    pub fn str(&self) -> Result<&Texts, FrameError> {
        self.of("texts")
    }

    /// Its values as whole numbers from 0.
    ///
    /// # Errors
    /// If they are not.
    pub fn u64(&self) -> Result<&Naturals, FrameError> {
        self.of("whole numbers of 64 bits without a sign")
    }

    /// Its values as whole numbers from 0, of 32 bits.
    ///
    /// # Errors
    /// If they are not.
    pub fn u32(&self) -> Result<&Words, FrameError> {
        self.of("whole numbers of 32 bits without a sign")
    }

    /// Its values as whole numbers.
    ///
    /// # Errors
    /// If they are not.
    pub fn i64(&self) -> Result<&Integers, FrameError> {
        self.of("whole numbers of 64 bits with a sign")
    }

    /// Its values as real numbers.
    ///
    /// # Errors
    /// If they are not.
    pub fn f64(&self) -> Result<&Reals, FrameError> {
        self.of("real numbers")
    }

    /// Its values as truth values.
    ///
    /// # Errors
    /// If they are not.
    pub fn bool(&self) -> Result<&Booleans, FrameError> {
        self.of("truth values")
    }

    /// The rows' lists, as ranges of one column of values.
    ///
    /// # Errors
    /// If it has no lists.
    pub fn list(&self) -> Result<ListColumn, FrameError> {
        let lists: &ListArray<i64> = self.of("lists")?;
        Ok(ListColumn {
            values: Column::new(&self.name, lists.values().clone()),
            lists: lists.clone(),
        })
    }

    /// Its values, of whatever kind of number, as real numbers.
    ///
    /// # Errors
    /// If they are no numbers.
    pub fn to_f64(&self) -> Result<Column, FrameError> {
        self.cast(&ArrowDataType::Float64, "numbers")
    }

    /// Its values, of whatever simple kind, as texts.
    ///
    /// # Errors
    /// If there are no texts for them.
    pub(crate) fn to_text(&self) -> Result<Column, FrameError> {
        if let ArrowDataType::Dictionary(..) = self.kind() {
            let decoded = self.decoded::<u8>().or_else(|| self.decoded::<u16>());
            let decoded = decoded.or_else(|| self.decoded::<u32>());
            let decoded = decoded.or_else(|| self.decoded::<i8>());
            let decoded = decoded.or_else(|| self.decoded::<i16>());
            let decoded = decoded.or_else(|| self.decoded::<i32>());
            return decoded
                .or_else(|| self.decoded::<i64>())
                .ok_or_else(|| self.wrong_kind("texts"));
        }
        self.cast(&ArrowDataType::Utf8View, "texts or numbers")
    }

    /// The texts of a dictionary, as categories are, with keys of this type; none if it is not one.
    fn decoded<K: DictionaryKey>(&self) -> Option<Column> {
        let dictionary: &DictionaryArray<K> = self.values.as_any().downcast_ref()?;
        let values = Column::new(&self.name, dictionary.values().clone()).to_text().ok()?;
        let values = values.str().ok()?;
        let keys = dictionary.keys_iter();
        Some(Column::texts(&self.name, keys.map(|key| values.get(key?))))
    }

    fn cast(&self, kind: &ArrowDataType, what: &str) -> Result<Column, FrameError> {
        // Of some kinds Polars panics.
        let values = expected_panic::catch(|| cast_default(&*self.values, kind).ok()).flatten();
        let values = values.ok_or_else(|| self.wrong_kind(what))?;
        Ok(Column { name: self.name.clone(), values })
    }
}

fn in_words(kind: &ArrowDataType) -> String {
    match kind {
        ArrowDataType::Utf8View => "texts".to_owned(),
        ArrowDataType::UInt64 | ArrowDataType::UInt32 => "whole numbers without a sign".to_owned(),
        ArrowDataType::Int64 | ArrowDataType::Int32 => "whole numbers".to_owned(),
        ArrowDataType::Float64 | ArrowDataType::Float32 => "real numbers".to_owned(),
        ArrowDataType::Boolean => "truth values".to_owned(),
        ArrowDataType::LargeList(values) => format!("lists of {}", in_words(&values.dtype)),
        other => format!("values of the type {other:?}"),
    }
}

/// Lists of numbers on their way into a column.
#[derive(Debug)]
pub(crate) struct Lists<T> {
    values: Vec<T>,
    ends: Vec<i64>,
    there: Vec<bool>,
}

impl<T> Lists<T> {
    pub(crate) fn with_capacity(rows: usize, values: usize) -> Self {
        let mut ends = Vec::with_capacity(rows + 1);
        ends.push(0);
        Lists { values: Vec::with_capacity(values), ends, there: Vec::with_capacity(rows) }
    }

    /// Adds a row with a list.
    pub(crate) fn push(&mut self, list: impl Iterator<Item = T>) {
        self.values.extend(list);
        self.end(true);
    }

    /// Adds a row without one.
    pub(crate) fn push_none(&mut self) {
        self.end(false);
    }

    fn end(&mut self, there: bool) {
        self.ends.push(self.values.len() as i64);
        self.there.push(there);
    }
}

/// A column of lists, read row by row.
#[derive(Clone, Debug)]
pub struct ListColumn {
    lists: ListArray<i64>,
    /// The values of all lists, one list after the other.
    pub values: Column,
}

impl ListColumn {
    /// Where the values of a row's list are; none where it has no list.
    #[must_use]
    pub fn range(&self, row: usize) -> Option<Range<usize>> {
        if self.lists.validity().is_some_and(|there| !there.get_bit(row)) {
            return None;
        }
        let ends = self.lists.offsets();
        Some(ends[row] as usize..ends[row + 1] as usize)
    }
}
