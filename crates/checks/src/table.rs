//! Tables of expected values, `expected.csv` beside a case.

use anyhow::{Context, bail};

/// A small table of numbers: CSV with a header and `#` comments.
pub struct ExpectedTable {
    columns: Vec<String>,
    rows: Vec<Vec<f64>>,
}

impl ExpectedTable {
    /// Reads a table.
    pub fn parse(text: &str) -> anyhow::Result<ExpectedTable> {
        let mut lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
        let header = lines.next().context("the table has no header")?;
        let columns: Vec<String> = header.split(',').map(|name| name.trim().to_owned()).collect();
        let mut rows = Vec::new();
        for line in lines {
            let row: Result<Vec<f64>, _> = line.split(',').map(|cell| cell.trim().parse::<f64>()).collect();
            let row = row.with_context(|| format!("{line:?} is not a row of numbers"))?;
            if row.len() != columns.len() {
                bail!("{line:?} has {} cells for {} columns", row.len(), columns.len());
            }
            rows.push(row);
        }
        Ok(ExpectedTable { columns, rows })
    }

    /// The rows, each with the values of the named columns.
    pub fn select<const N: usize>(&self, names: [&str; N]) -> anyhow::Result<Vec<[f64; N]>> {
        let mut chosen = [0; N];
        for (place, name) in chosen.iter_mut().zip(names) {
            *place = self
                .columns
                .iter()
                .position(|column| column == name)
                .with_context(|| format!("no column {name:?}"))?;
        }
        Ok(self.rows.iter().map(|row| chosen.map(|column| row[column])).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::ExpectedTable;

    #[test]
    fn columns_are_found_by_name() {
        let table = ExpectedTable::parse("# from nowhere\nk, omega\n1,2\n3,4\n").unwrap();
        assert_eq!(table.select(["omega"]).unwrap(), [[2.0], [4.0]]);
        assert!(table.select(["c"]).is_err());
        assert!(ExpectedTable::parse("a,b\n1\n").is_err());
    }
}
