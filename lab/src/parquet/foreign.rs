//! Types that other programs write. Those that our tables lack are read as one of their types,
//! or reported as not read.

use super::column::Column;
use polars::prelude::{ArrowDataType, ArrowField, DataType, Series};
use polars_parquet::parquet::schema::types::{ParquetType, PhysicalType};

/// Column as it is read.
pub(super) struct Reading {
    /// Field that the pages are decoded as.
    pub field: ArrowField,
    /// Digits after the decimal point, if whole numbers are decoded in place of decimal numbers.
    pub digits: usize,
}

impl Reading {
    /// Returns how a column of a file is read. Returns the name of its type if that is not read.
    pub(super) fn of(field: &ArrowField, parquet: &ParquetType) -> Result<Self, String> {
        let kind = field.dtype();
        let as_is = |kind| {
            let field = ArrowField::new(field.name.clone(), kind, field.is_nullable);
            Reading { field, digits: 0 }
        };
        match kind {
            ArrowDataType::Decimal(_, digits) => match physical(parquet) {
                Some(PhysicalType::Int32) => {
                    Ok(Reading { digits: *digits, ..as_is(ArrowDataType::Int32) })
                }
                Some(PhysicalType::Int64) => {
                    Ok(Reading { digits: *digits, ..as_is(ArrowDataType::Int64) })
                }
                _ => Err("decimal numbers of more than 64 bits".to_owned()),
            },
            ArrowDataType::Dictionary(_, values, _) => Ok(as_is(read_as(values)?)),
            ArrowDataType::List(of) => Ok(as_is(ArrowDataType::List(entry(of)?))),
            ArrowDataType::LargeList(of) => Ok(as_is(ArrowDataType::LargeList(entry(of)?))),
            kind => Ok(as_is(read_as(kind)?)),
        }
    }

    /// Returns the type of the column.
    pub(super) fn kind(&self) -> DataType {
        match self.digits {
            0 => DataType::from_arrow_field(&self.field),
            _ => DataType::Float64,
        }
    }

    /// Returns the values of the column. A decimal number is the real number next to it.
    pub(super) fn column(&self, decoded: Series) -> Result<Column, String> {
        let Reading { digits, .. } = self;
        if *digits == 0 {
            return Ok(Column(decoded));
        }
        let words = |error: polars::error::PolarsError| error.to_string();
        let whole = decoded.cast(&DataType::Int64).map_err(words)?;
        let real = |whole: i64| format!("{whole}e-{digits}").parse::<f64>().unwrap_or(f64::NAN);
        let values = whole.i64().map_err(words)?.iter().map(|whole| whole.map(real));
        Ok(Column::optional(decoded.name(), values))
    }
}

/// Says that a column of this type is not read, and the way out.
pub(crate) fn not_read(name: &str, kind: &str) -> String {
    format!("its column `{name}` has {kind}, which are not read: write it as numbers or texts")
}

fn physical(parquet: &ParquetType) -> Option<PhysicalType> {
    match parquet {
        ParquetType::PrimitiveType(primitive) => Some(primitive.physical_type),
        ParquetType::GroupType { .. } => None,
    }
}

/// Returns the entries of a list as they are read.
fn entry(of: &ArrowField) -> Result<Box<ArrowField>, String> {
    let kind = read_as(of.dtype()).map_err(|name| format!("lists of {name}"))?;
    Ok(Box::new(ArrowField::new(of.name.clone(), kind, of.is_nullable)))
}

/// Returns the type that values are decoded as, or the name of the type if it is not read.
fn read_as(kind: &ArrowDataType) -> Result<ArrowDataType, String> {
    use ArrowDataType as Kind;
    let name = match kind {
        // All of them are 32 bits wide in the file.
        Kind::Int8 | Kind::Int16 | Kind::UInt8 | Kind::UInt16 => return Ok(Kind::Int32),
        Kind::Null
        | Kind::Boolean
        | Kind::Int32
        | Kind::Int64
        | Kind::UInt32
        | Kind::UInt64
        | Kind::Float32
        | Kind::Float64
        | Kind::Utf8
        | Kind::LargeUtf8
        | Kind::Utf8View => return Ok(kind.clone()),
        Kind::Float16 => "real numbers of 16 bits",
        Kind::Date32 | Kind::Date64 => "dates",
        Kind::Timestamp(..) | Kind::Time32(_) | Kind::Time64(_) | Kind::Duration(_) => "times",
        Kind::Decimal(..) => "decimal numbers",
        Kind::Binary | Kind::LargeBinary | Kind::BinaryView | Kind::FixedSizeBinary(_) => "bytes",
        Kind::Struct(_) | Kind::Map(..) => "structures",
        Kind::List(_) | Kind::LargeList(_) | Kind::FixedSizeList(..) => "lists",
        _ => "a type of its own",
    };
    Err(name.to_owned())
}
