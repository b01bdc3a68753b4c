//! Columns: a name and values of one type, of which some may be missing.

use super::error::FrameError;
use crate::system::expected_panic;
use polars::prelude::{
    BooleanChunked, ChunkedArray, DataType, Float64Chunked, Int64Chunked, IntoSeries,
    ListBuilderTrait, ListChunked, ListPrimitiveChunkedBuilder, ListStringChunkedBuilder,
    NewChunkedArray, NumericNative, PolarsDataType, PolarsError, PolarsNumericType, Series,
    StringChunked, UInt32Chunked, UInt64Chunked,
};
use std::ops::Range;

/// Texts.
pub type Texts = StringChunked;
/// Whole numbers from 0, of 64 bits.
pub type Naturals = UInt64Chunked;
/// Whole numbers from 0, of 32 bits.
pub type Words = UInt32Chunked;
/// Whole numbers, of 64 bits.
pub type Integers = Int64Chunked;
/// Real numbers.
pub type Reals = Float64Chunked;
/// Truth values.
pub type Booleans = BooleanChunked;

/// A named column.
#[derive(Clone, Debug)]
pub struct Column(pub(super) Series);

impl Column {
    /// A column of texts.
    pub fn texts<'a>(name: &str, values: impl Iterator<Item = Option<&'a str>>) -> Self {
        Column(StringChunked::from_iter_options(name.into(), values).into_series())
    }

    /// A column of numbers that all rows have.
    pub(crate) fn numbers<T: NumericNative>(name: &str, values: impl Iterator<Item = T>) -> Self
    where
        T::PolarsType: PolarsNumericType<Native = T>,
        ChunkedArray<T::PolarsType>: IntoSeries,
    {
        let values = values.collect();
        Column(ChunkedArray::<T::PolarsType>::from_vec(name.into(), values).into_series())
    }

    /// A column of numbers.
    pub fn optional<T: NumericNative>(name: &str, values: impl Iterator<Item = Option<T>>) -> Self
    where
        T::PolarsType: PolarsNumericType<Native = T>,
        ChunkedArray<T::PolarsType>: IntoSeries,
    {
        Column(ChunkedArray::<T::PolarsType>::from_iter_options(name.into(), values).into_series())
    }

    /// A column of truth values.
    pub(crate) fn booleans(name: &str, values: impl Iterator<Item = Option<bool>>) -> Self {
        Column(BooleanChunked::from_iter_options(name.into(), values).into_series())
    }

    /// A column of lists of numbers.
    pub(crate) fn lists<T: NumericNative>(name: &str, lists: &Lists<T>) -> Self
    where
        T::PolarsType: PolarsNumericType<Native = T>,
    {
        let Lists { values, ends } = lists;
        let (rows, kind) = (ends.len(), T::PolarsType::get_static_dtype());
        let mut builder = ListPrimitiveChunkedBuilder::<T::PolarsType>::new(
            name.into(),
            rows,
            values.len(),
            kind,
        );
        let mut start = 0;
        for end in ends {
            match end {
                Some(end) => builder.append_slice(&values[start..*end]),
                None => builder.append_null(),
            }
            start = end.unwrap_or(start);
        }
        Column(builder.finish().into_series())
    }

    /// A column of lists of texts.
    pub(crate) fn text_lists(name: &str, lists: impl Iterator<Item = Option<Vec<String>>>) -> Self {
        let mut builder = ListStringChunkedBuilder::new(name.into(), lists.size_hint().0, 0);
        for list in lists {
            match list {
                Some(texts) => builder.append_values_iter(texts.iter().map(String::as_str)),
                None => builder.append_null(),
            }
        }
        Column(builder.finish().into_series())
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.name()
    }

    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The first row without a value.
    pub(crate) fn first_missing(&self) -> Option<usize> {
        if self.0.null_count() == 0 {
            return None;
        }
        self.0.is_null().iter().position(|missing| missing == Some(true))
    }

    fn expected<'a, T>(
        &'a self,
        values: Result<&'a T, PolarsError>,
        what: &str,
    ) -> Result<&'a T, FrameError> {
        values.map_err(|_| self.wrong_kind(what))
    }

    /// "real numbers".
    pub(crate) fn kind_in_words(&self) -> String {
        in_words(self.0.dtype())
    }

    fn wrong_kind(&self, what: &str) -> FrameError {
        let (name, own) = (self.name(), self.kind_in_words());
        FrameError::new(format!("the column `{name}` has {own}, not {what}"))
    }

    /// Its values as texts.
    ///
    /// # Errors
    /// If they are not.
    pub fn str(&self) -> Result<&Texts, FrameError> {
        self.expected(self.0.str(), "texts")
    }

    /// Its values as whole numbers from 0.
    ///
    /// # Errors
    /// If they are not.
    pub fn u64(&self) -> Result<&Naturals, FrameError> {
        self.expected(self.0.u64(), "whole numbers of 64 bits without a sign")
    }

    /// Its values as whole numbers from 0, of 32 bits.
    ///
    /// # Errors
    /// If they are not.
    pub fn u32(&self) -> Result<&Words, FrameError> {
        self.expected(self.0.u32(), "whole numbers of 32 bits without a sign")
    }

    /// Its values as whole numbers.
    ///
    /// # Errors
    /// If they are not.
    pub fn i64(&self) -> Result<&Integers, FrameError> {
        self.expected(self.0.i64(), "whole numbers of 64 bits with a sign")
    }

    /// Its values as real numbers.
    ///
    /// # Errors
    /// If they are not.
    pub fn f64(&self) -> Result<&Reals, FrameError> {
        self.expected(self.0.f64(), "real numbers")
    }

    /// Its values as truth values.
    ///
    /// # Errors
    /// If they are not.
    pub fn bool(&self) -> Result<&Booleans, FrameError> {
        self.expected(self.0.bool(), "truth values")
    }

    /// The rows' lists, as ranges of one column of values.
    ///
    /// # Errors
    /// If it has no lists.
    pub fn list(&self) -> Result<ListColumn, FrameError> {
        let lists: ListChunked = self.expected(self.0.list(), "lists")?.rechunk().into_owned();
        let is_there: Vec<bool> = lists.is_not_null().iter().map(|one| one == Some(true)).collect();
        let mut ranges = Vec::with_capacity(is_there.len());
        let mut values = None;
        for array in lists.downcast_iter() {
            let ends = array.offsets();
            let range = |row: usize| ends[row] as usize..ends[row + 1] as usize;
            ranges.extend((0..array.len()).map(|row| is_there[row].then(|| range(row))));
            values = Series::try_from((self.0.name().clone(), array.values().clone())).ok();
        }
        let values = values.ok_or_else(|| self.wrong_kind("lists of simple values"))?;
        Ok(ListColumn { values: Column(values), ranges })
    }

    /// Its values, of whatever kind of number, as real numbers.
    ///
    /// # Errors
    /// If they are no numbers.
    pub fn to_f64(&self) -> Result<Column, FrameError> {
        self.cast(&DataType::Float64, "numbers")
    }

    /// Its values, of whatever simple kind, as texts.
    pub(crate) fn to_text(&self) -> Result<Column, FrameError> {
        self.cast(&DataType::String, "texts or numbers")
    }

    fn cast(&self, kind: &DataType, what: &str) -> Result<Column, FrameError> {
        // Of some kinds Polars panics.
        let values = expected_panic::catch(|| self.0.cast(kind).ok()).flatten();
        values.map(Column).ok_or_else(|| self.wrong_kind(what))
    }
}

fn in_words(kind: &DataType) -> String {
    match kind {
        DataType::String => "texts".to_owned(),
        DataType::UInt64 | DataType::UInt32 => "whole numbers without a sign".to_owned(),
        DataType::Int64 | DataType::Int32 => "whole numbers".to_owned(),
        DataType::Float64 | DataType::Float32 => "real numbers".to_owned(),
        DataType::Boolean => "truth values".to_owned(),
        DataType::List(values) => format!("lists of {}", in_words(values)),
        other => format!("values of the type {other}"),
    }
}

/// Builder of a column of lists of numbers.
#[derive(Debug)]
pub(crate) struct Lists<T> {
    values: Vec<T>,
    /// End of each row's values; `None` without a list.
    ends: Vec<Option<usize>>,
}

impl<T> Lists<T> {
    pub(crate) fn with_capacity(rows: usize, values: usize) -> Self {
        Lists { values: Vec::with_capacity(values), ends: Vec::with_capacity(rows) }
    }

    /// Adds a row with a list.
    pub(crate) fn push(&mut self, list: impl Iterator<Item = T>) {
        self.values.extend(list);
        self.ends.push(Some(self.values.len()));
    }

    /// Adds a row without one.
    pub(crate) fn push_none(&mut self) {
        self.ends.push(None);
    }
}

/// A column of lists, read row by row.
#[derive(Clone, Debug)]
pub struct ListColumn {
    /// The values of all lists, one list after the other.
    pub values: Column,
    ranges: Vec<Option<Range<usize>>>,
}

impl ListColumn {
    /// Range of the values of a row's list; `None` if it has no list.
    #[must_use]
    pub fn range(&self, row: usize) -> Option<Range<usize>> {
        self.ranges[row].clone()
    }
}
