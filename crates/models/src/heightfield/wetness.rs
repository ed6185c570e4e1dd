//! The wetness map of [kass1990]: w = 1 where the ground is covered, dw/dt = −`drying` where it is not, w ≥ 0.

use std::io;

use undine_grid::{Condition, Field, FieldError, Grid, Location, par};
use undine_sim::{Reader, Writer};

/// Wetness w of the ground, between 0 and 1.
pub struct Wetness {
    field: Field<f32, 2>,
    drying: f64,
}

impl Wetness {
    /// w = 0 everywhere; uncovered ground will lose `drying` per second.
    pub fn new(grid: &Grid<2>, drying: f64) -> Result<Wetness, FieldError> {
        Ok(Wetness { field: Field::new(*grid, Location::Center, Condition::Open, 1)?, drying })
    }

    /// Sets w = 1 where the ground is covered and w ← max(w − `drying` dt, 0) elsewhere.
    pub fn update(&mut self, dt: f64, is_wet: impl Fn([usize; 2]) -> bool + Sync) {
        let loss = self.loss(dt);
        par::rows(&mut self.field, |[_, y], row| {
            for (x, wetness) in row.iter_mut().enumerate() {
                *wetness = if is_wet([x, y as usize]) { 1.0 } else { (*wetness - loss).max(0.0) };
            }
        });
    }

    /// `drying` dt: what an uncovered cell loses in `dt` seconds, for a model that updates
    /// [`field_mut`](Wetness::field_mut) itself.
    pub fn loss(&self, dt: f64) -> f32 {
        (self.drying * dt) as f32
    }

    /// The map.
    pub fn field(&self) -> &Field<f32, 2> {
        &self.field
    }

    /// The map, for a model that updates it itself.
    pub fn field_mut(&mut self) -> &mut Field<f32, 2> {
        &mut self.field
    }

    /// Writes the map.
    pub fn save(&self, to: &mut Writer<'_>) -> io::Result<()> {
        to.field("wetness", &self.field)
    }

    /// Restores a map that was saved.
    pub fn restore(&mut self, from: &mut Reader<'_>) -> io::Result<()> {
        from.field("wetness", &mut self.field)
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
        wetness.update(100.0, |_| false);
        assert_eq!(wetness.field().to_dense(), [0.0; 6]);
    }
}
