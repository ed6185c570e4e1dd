//! Momentum and energy of the basin.

use undine_grid::{Field, Real, par};
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
        let (depth, bed) = (row(&basin.depth, y), row(&basin.bed, y));
        let flow = [row(&basin.flow[0], y), row(&basin.flow[1], y)];
        // Nothing flows through the sides
        let below = if y > 0 { row(&basin.depth, y - 1) } else { &[] };
        let along_x = momentum(&flow[0][1..], &depth[1..], &depth[..columns - 1]);
        let along_y = momentum(&flow[1][..below.len()], &depth[..below.len()], below);
        let kinetic = sum_of(columns, |x| {
            let [u, v] = [flow[0][x].to_f64(), flow[1][x].to_f64()];
            u * u + v * v
        });
        let potential = sum_of(columns, |x| {
            let (bed, depth) = (bed[x].to_f64(), depth[x].to_f64());
            let (level, dry) = (bed + depth, bed.max(0.0));
            level * level - dry * dry
        });
        [along_x, along_y, kinetic, potential]
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

fn row<T: Real>(field: &Field<T, 2>, y: usize) -> &[T] {
    field.row([0, y as isize])
}

/// Sum of flows times the root of the mean depth on both sides of their faces.
fn momentum<T: Real>(flow: &[T], depth: &[T], before: &[T]) -> f64 {
    sum_of(flow.len(), |x| flow[x].to_f64() * (0.5 * (depth[x].to_f64() + before[x].to_f64())).sqrt())
}

/// Sum of terms, added up in lanes: several at once, in an order of its own that is always the same.
#[inline]
fn sum_of(count: usize, term: impl Fn(usize) -> f64) -> f64 {
    const LANES: usize = 8;
    let mut lanes = [0.0; LANES];
    let whole = count - count % LANES;
    for start in (0..whole).step_by(LANES) {
        for (lane, sum) in lanes.iter_mut().enumerate() {
            *sum += term(start + lane);
        }
    }
    let rest: f64 = (whole..count).map(term).sum();
    lanes.iter().sum::<f64>() + rest
}
