//! Uniform rain as a running integral: each tile owes the difference since it was last settled.
//!
//! An area on which R units have fallen so far gives every column floor(R) units, so no column has a remainder of its own,
//! and a sleeping tile can be settled when it wakes.

use std::io;
use std::ops::Range;

use undine_sim::{Reader, Writer};

use super::columns::Columns;
use super::ledger::Ledger;
use super::tiling::Tiling;
use super::visits::Visits;
use super::volume_update::SumsOfTiles;

/// The uniform rains of a scene.
#[derive(Debug, Clone, Default)]
pub(super) struct Rain {
    areas: Vec<[Range<usize>; 2]>,
    /// Units per column that have fallen so far.
    fallen: Vec<f64>,
    /// Whole units per column that each tile has been given, rain by rain.
    settled: Vec<i64>,
}

impl Rain {
    pub fn new(areas: impl Iterator<Item = [Range<usize>; 2]>, tiling: &Tiling) -> Rain {
        let areas: Vec<_> = areas.collect();
        Rain { fallen: vec![0.0; areas.len()], settled: vec![0; areas.len() * tiling.count()], areas }
    }

    /// Number of rains.
    pub fn count(&self) -> usize {
        self.areas.len()
    }

    /// Lets units fall on every column of a rain's area.
    pub fn fall(&mut self, rain: usize, units: f64) {
        if units.is_finite() {
            self.fallen[rain] += units;
        }
    }

    /// Units that a tile has still to be given.
    pub fn owed(&self, tiling: &Tiling, tile: usize) -> i64 {
        (0..self.count())
            .map(|rain| {
                let [columns, rows] = self.overlap(tiling, rain, tile);
                self.due(rain, tile).saturating_mul((columns.len() * rows.len()) as i64)
            })
            .fold(0, i64::saturating_add)
    }

    /// Whole units per column that a tile has still to be given by a rain.
    fn due(&self, rain: usize, tile: usize) -> i64 {
        self.fallen[rain].floor() as i64 - self.settled[tile * self.count() + rain]
    }

    /// The columns of a tile on which a rain falls.
    fn overlap(&self, tiling: &Tiling, rain: usize, tile: usize) -> [Range<usize>; 2] {
        let ([columns, rows], [own_columns, own_rows]) = (&self.areas[rain], tiling.extent(tile));
        let both = |a: &Range<usize>, b: Range<usize>| a.start.max(b.start)..a.end.min(b.end);
        [both(columns, own_columns), both(rows, own_rows)]
    }

    /// Gives the awake tiles what they are owed. Rain for which a column has no room is not counted.
    pub fn settle(
        &mut self,
        columns: &mut Columns,
        visits: &Visits,
        sums: &mut SumsOfTiles,
        ledger: &mut Ledger,
        film: i32,
    ) {
        let tiling = columns.tiling;
        for tile in (0..tiling.count()).filter(|&tile| visits.is_awake(tile)) {
            for rain in 0..self.count() {
                let due = self.due(rain, tile);
                if due == 0 {
                    continue;
                }
                let place = tile * self.count() + rain;
                self.settled[place] += due;
                let [along_x, along_y] = self.overlap(&tiling, rain, tile);
                let mut given = 0;
                for cell in along_y.flat_map(|y| along_x.clone().map(move |x| [x, y])) {
                    let index = tiling.index(cell);
                    let units = due.clamp(0, i64::from(columns.headroom(index)));
                    columns.add(index, units as i32, film, sums);
                    given += units;
                }
                ledger.record(given);
            }
        }
    }

    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.values("rain fallen", &self.fallen)?;
        to.records("rain settled", self.settled.iter().map(|units| [*units as u64]))
    }

    /// Restores what was saved. Where other rains were saved, nothing is owed.
    pub fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        let (mut fallen, mut settled) = (Vec::new(), Vec::new());
        from.list_into("rain fallen", &mut fallen)?;
        from.records("rain settled", |[units]: [u64; 1]| settled.push(units as i64))?;
        if fallen.len() == self.fallen.len() && settled.len() == self.settled.len() {
            (self.fallen, self.settled) = (fallen, settled);
        } else {
            self.fallen.fill(0.0);
            self.settled.fill(0);
        }
        Ok(())
    }
}
