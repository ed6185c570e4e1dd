//! Height fields in flows of a known form.

mod cell_contents;
mod motion;
mod ports;

use undine_grid::{Condition, MacVelocity};

use super::super::TrackedSurface;
use super::*;

/// Open cells in the plane.
fn basin(size: [usize; 2], spacing: [f64; 2]) -> Cells<2> {
    Cells::new(Grid::new(size, spacing, [0.0; 2]).unwrap())
}

fn velocity_of(cells: &Cells<2>, u: impl Fn([f64; 2]) -> [f64; 2] + Sync) -> MacVelocity<f64, 2> {
    let mut velocity = MacVelocity::new(*cells.grid(), Condition::FreeSlip, 1).unwrap();
    (0..2).for_each(|axis| velocity[axis].set_by_position(|[x, y]| u([x, y])[axis]));
    velocity
}

fn flux(upwind: f64) -> HeightSettings {
    HeightSettings { form: HeightForm::Flux, upwind }
}

const EQ12: HeightSettings = HeightSettings { form: HeightForm::Eq12, upwind: 0.0 };

/// Numbers in [0, 1).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}
