//! Benchmarks.

use std::time::Instant;

/// A benchmark: a group of speeds. Each is compared with a limit measured in the same run: memory bandwidth, a minimal
/// implementation, another program.
#[derive(Debug, Clone, Copy)]
pub struct Bench {
    /// `<model or part>/<what>`.
    pub name: &'static str,
    /// Runs the benchmark and records its figures.
    pub run: fn(&mut Figures) -> anyhow::Result<()>,
}

/// Records the figures of a benchmark.
#[derive(Debug, Default)]
pub struct Figures {
    done: Vec<Figure>,
    table: Option<FigureTable>,
}

/// Counts of several runs side by side: what has no limit of the machine.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FigureTable {
    /// Headings.
    pub columns: Vec<&'static str>,
    /// One cell for each column.
    pub rows: Vec<Vec<String>>,
}

impl FigureTable {
    /// Its lines, with columns of even width: the first ones to the left, numbers to the right.
    ///
    /// ```
    /// let rows = vec![vec!["none".to_owned(), "12".to_owned()]];
    /// let table = undine_checks::FigureTable { columns: vec!["manager", "updates"], rows };
    /// assert_eq!(table.lines(), ["manager  updates", "none          12"]);
    /// ```
    pub fn lines(&self) -> Vec<String> {
        let head = self.columns.iter().map(|column| (*column).to_owned()).collect();
        let all: Vec<&Vec<String>> = std::iter::once(&head).chain(&self.rows).collect();
        let cell = |row: &Vec<String>, column: usize| row.get(column).cloned().unwrap_or_default();
        let width =
            |column: usize| all.iter().map(|row| cell(row, column).chars().count()).max().unwrap_or(0);
        let is_number =
            |column: usize| self.rows.iter().all(|row| !cell(row, column).starts_with(char::is_alphabetic));
        let line = |row: &&Vec<String>| {
            let cells = (0..self.columns.len()).map(|column| match is_number(column) {
                true => format!("{:>1$}", cell(row, column), width(column)),
                false => format!("{:<1$}", cell(row, column), width(column)),
            });
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        all.iter().map(line).collect()
    }
}

/// A measured speed and its limit.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// What was measured.
    pub metric: String,
    /// The measured value.
    pub value: f64,
    /// Its unit.
    pub unit: &'static str,
    /// The limit of the machine, or the speed of another program.
    pub limit: f64,
    /// What the limit is, with its unit.
    pub limit_is: &'static str,
}

impl Figures {
    /// Records a rate with its limit; `limit_is` describes the limit.
    pub fn rate(
        &mut self,
        metric: impl Into<String>,
        value: f64,
        unit: &'static str,
        limit: f64,
        limit_is: &'static str,
    ) {
        self.done.push(Figure { metric: metric.into(), value, unit, limit, limit_is });
    }

    /// Records a row of the table of this benchmark; all rows have the same columns.
    pub fn row(&mut self, columns: &[&'static str], cells: Vec<String>) {
        let table = self.table.get_or_insert_with(FigureTable::default);
        table.columns = columns.to_vec();
        table.rows.push(cells);
    }

    /// The table, if there is one.
    pub fn table(&self) -> Option<&FigureTable> {
        self.table.as_ref()
    }

    /// Everything recorded, in order.
    pub fn done(&self) -> &[Figure] {
        &self.done
    }
}

/// The shortest of several runs, in seconds.
pub fn best_of(runs: u32, mut work: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..runs {
        let start = Instant::now();
        work();
        best = best.min(start.elapsed().as_secs_f64());
    }
    best
}
