//! Momentum and energy of the basin.

use undine_grid::{Real, par};
use undine_sim::Budget;

use super::basin::Basin;
use crate::heightfield::DENSITY;

/// Momentum, kinetic energy, and potential energy above the water at rest; the volume is left at zero.
///
/// Potential energy is ∫ ρ g z dz over the water, z from the level at rest, less what the water at rest has: over ground
/// below that level ½ ρ g η², and above it ½ ρ g ((b + d)² − b²).
pub fn energy<T: Real, const W: usize>(basin: &Basin<T, W>, gravity: f64) -> Budget {
    let [columns, rows] = basin.depth.size();
    let row_sums = |y: usize| {
        let mut sums = [0.0; 4];
        for x in 0..columns {
            let cell = [x, y];
            let (depth, bed) = (basin.depth[cell].to_f64(), basin.bed[cell].to_f64());
            let dry = bed.max(0.0);
            sums[3] += (bed + depth) * (bed + depth) - dry * dry;
            for axis in 0..2 {
                let flow = basin.flow[axis][cell].to_f64();
                sums[axis] += flow * basin.face_depth(axis, cell).sqrt();
                sums[2] += flow * flow;
            }
        }
        sums
    };
    let add = |a: [f64; 4], b: [f64; 4]| std::array::from_fn(|index| a[index] + b[index]);
    let part = |range: std::ops::Range<usize>| range.map(row_sums).fold([0.0; 4], add);
    let sums = par::fold(rows, (1 << 14) / columns.max(1) + 1, part, add).unwrap_or_default();
    let mass = DENSITY * basin.grid().cell_measure();
    Budget {
        momentum: [mass * sums[0], mass * sums[1], 0.0],
        kinetic_energy: 0.5 * mass * sums[2],
        potential_energy: 0.5 * mass * gravity * sums[3],
        ..Budget::default()
    }
}
