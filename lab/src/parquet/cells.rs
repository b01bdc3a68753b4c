//! Cells: a column's values as a table of texts has them.

use super::column::Column;
use super::error::FrameError;

impl Column {
    /// The values as texts; what is missing is empty.
    pub(crate) fn cells(&self) -> Result<Vec<String>, FrameError> {
        let rows = 0..self.len();
        if let Ok(reals) = self.f64() {
            let text = |row| reals.get(row).map(|real| real.to_string()).unwrap_or_default();
            return Ok(rows.map(text).collect());
        }
        if let Ok(truths) = self.bool() {
            let text = |row| truths.get(row).map(|truth| truth.to_string()).unwrap_or_default();
            return Ok(rows.map(text).collect());
        }
        if let Ok(lists) = self.list() {
            let values = lists.values.cells()?;
            let text =
                |row| lists.range(row).map(|range| values[range].join(" ")).unwrap_or_default();
            return Ok(rows.map(text).collect());
        }
        let texts = self.to_text()?;
        let texts = texts.str()?;
        Ok(rows.map(|row| texts.get(row).unwrap_or_default().to_owned()).collect())
    }
}
