//! The wetness map of [kass1990]: w = 1 where the ground is covered, dw/dt = −`drying` where it is not, w ≥ 0.

use std::io;

use undine_grid::{Condition, Field, FieldError, Grid, Location, Real, par};
use undine_sim::{Counter, Reader, Writer};

/// Wetness w of the ground, between 0 and 1.
pub struct Wetness {
    field: Field<f32, 2>,
    drying: f64,
    /// Number of covered cells.
    covered: u64,
}

impl Wetness {
    /// w = 0 everywhere; uncovered ground will lose `drying` per second.
    pub fn new(grid: &Grid<2>, drying: f64) -> Result<Wetness, FieldError> {
        Ok(Wetness { field: Field::new(*grid, Location::Center, Condition::Open, 1)?, drying, covered: 0 })
    }

    /// Sets w = 1 where the ground is covered and w ← max(w − `drying` dt, 0) elsewhere.
    pub fn update(&mut self, dt: f64, is_wet: impl Fn([usize; 2]) -> bool + Sync) {
        let loss = (self.drying * dt) as f32;
        self.covered = par::rows_sum([&mut self.field], |[_, y], [row]| {
            let mut covered = 0;
            for (x, wetness) in row.iter_mut().enumerate() {
                let is_wet = is_wet([x, y as usize]);
                *wetness = if is_wet { 1.0 } else { (*wetness - loss).max(0.0) };
                covered += usize::from(is_wet);
            }
            covered as f64
        }) as u64;
    }

    /// The same for ground that is covered where `depth` exceeds `film`.
    pub fn update_by_depth<T: Real>(&mut self, dt: f64, depth: &Field<T, 2>, film: T) {
        let loss = (self.drying * dt) as f32;
        self.covered = par::rows_sum([&mut self.field], |at, [row]| {
            let mut covered = 0;
            for (wetness, &depth) in row.iter_mut().zip(depth.row(at)) {
                let is_wet = depth > film;
                *wetness = if is_wet { 1.0 } else { (*wetness - loss).max(0.0) };
                covered += usize::from(is_wet);
            }
            covered as f64
        }) as u64;
    }

    /// Counters of a water whose steps update every cell: all cells that a step has updated, those of them that are wet
    /// after it, and the wet cells.
    pub fn counters(&self) -> [Counter; 3] {
        [
            Counter::sum("cell updates", "updates", self.field.len() as u64),
            Counter::sum("wet cell updates", "updates", self.covered),
            Counter::state("wet cells", "cells", self.covered),
        ]
    }

    /// The map.
    pub fn field(&self) -> &Field<f32, 2> {
        &self.field
    }

    /// Writes the map.
    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.field("wetness", &self.field)
    }

    /// Restores a map that was saved.
    pub fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        from.field("wetness", &mut self.field)?;
        self.covered = par::rows_sum([&mut self.field], |_, [row]| {
            row.iter().filter(|&&wetness| wetness == 1.0).count() as f64
        }) as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ground_is_wet_under_water_and_dries_evenly() {
        let grid = Grid::new([3, 2], [1.0; 2], [0.0; 2]).unwrap();
        let mut wetness = Wetness::new(&grid, 0.25).unwrap();
        wetness.update(1.0, |[x, _]| x == 0);
        assert_eq!(wetness.field().to_dense(), [1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
        wetness.update(1.0, |[x, _]| x == 1);
        assert_eq!(wetness.field().to_dense(), [0.75, 1.0, 0.0, 0.75, 1.0, 0.0]);
        assert_eq!(wetness.counters().map(|counter| counter.count), [6, 2, 2]);
        wetness.update(100.0, |_| false);
        assert_eq!(wetness.field().to_dense(), [0.0; 6]);
        assert_eq!(wetness.covered, 0);
    }
}
