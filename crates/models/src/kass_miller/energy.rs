//! Momentum and energy.

use undine_grid::{Field, Real, par};
use undine_sim::Budget;

use super::height_field::HeightField;
use crate::heightfield::DENSITY;

/// Momentum Σ √D m, kinetic energy ½ ρ Σ m² and potential energy above the water at rest; the volume is left at zero.
///
/// The potential energy is ∫ ρ g z dz over the water, z from the still level, less that of the water at rest: ½ ρ g η²
/// over a bed below that level, and ½ ρ g ((b + d)² − b²) above it.
pub fn energy<T: Real, const W: usize>(height_field: &HeightField<T, W>, gravity: f64) -> Budget {
    let [columns, rows] = height_field.depth.size();
    // Σ √D m along x and y, Σ m², and Σ of the doubled potential energy of a row
    let row_sums = |y: usize| {
        let (depth, bed) = (row(&height_field.depth, y), row(&height_field.bed, y));
        let flow = [row(&height_field.flow[0], y), row(&height_field.flow[1], y)];
        // Faces on the sides have m = 0
        let below = if y > 0 { row(&height_field.depth, y - 1) } else { &[] };
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
    let rows_of = |range: std::ops::Range<usize>| range.map(row_sums).fold([0.0; 4], add);
    let sums = par::fold(rows, (1 << 14) / columns.max(1) + 1, rows_of, add).unwrap_or_default();
    let mass = DENSITY * height_field.grid().cell_measure();
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

/// Σ √D m over a row of faces.
fn momentum<T: Real>(flow: &[T], depth: &[T], before: &[T]) -> f64 {
    sum_of(flow.len(), |x| flow[x].to_f64() * (0.5 * (depth[x].to_f64() + before[x].to_f64())).sqrt())
}

/// Sum of terms in eight lanes, in a fixed order.
#[inline]
fn sum_of(count: usize, term: impl Fn(usize) -> f64) -> f64 {
    const LANES: usize = 8;
    let mut lanes = [0.0; LANES];
    let full = count - count % LANES;
    for start in (0..full).step_by(LANES) {
        for (lane, sum) in lanes.iter_mut().enumerate() {
            *sum += term(start + lane);
        }
    }
    let rest: f64 = (full..count).map(term).sum();
    lanes.iter().sum::<f64>() + rest
}
