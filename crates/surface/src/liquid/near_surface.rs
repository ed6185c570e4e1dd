//! Cells of the simulation near the surface, whose particles are used.

use undine_grid::par;

use super::lattice::SurfaceLattice;

/// Particles are used if a cell within their kernel radius is not deeper than this, in cells of the simulation.
const DEEP: f32 = 2.0;

/// One flag per cell, x fastest: dilation by `reach` cells of all cells that are not deep.
pub fn near_surface_cells(lattice: &SurfaceLattice<'_>, reach: usize) -> Vec<u8> {
    let [columns, rows, _] = lattice.cells;
    let plane = columns * rows;
    let limit = -DEEP * lattice.refinement;
    let mut flags = vec![0u8; lattice.cells.iter().product()];
    par::for_each_chunk(&mut flags, plane, |first, chunk| {
        let cells = (first..).zip(chunk.iter_mut());
        cells.for_each(|(cell, flag)| *flag = u8::from(lattice.distance_in(cell) > limit));
        for row in chunk.chunks_mut(columns) {
            let before = row.to_vec();
            spread(row, &before, 1, reach);
        }
        let before = chunk.to_vec();
        spread(chunk, &before, columns, reach);
    });
    let before = flags.clone();
    par::for_each_chunk(&mut flags, plane, |first, chunk| {
        let z = first / plane;
        for other in z.saturating_sub(reach)..=z + reach {
            if let Some(flags) = before.get(other * plane..(other + 1) * plane) {
                chunk.iter_mut().zip(flags).for_each(|(flag, other)| *flag |= other);
            }
        }
    });
    flags
}

/// Dilates flags by up to `reach` strides.
fn spread(flags: &mut [u8], before: &[u8], stride: usize, reach: usize) {
    let most = flags.len();
    for distance in (1..=reach).map(|steps| (steps * stride).min(most)) {
        let onwards = flags[distance..].iter_mut().zip(before);
        onwards.for_each(|(flag, other)| *flag |= other);
        flags.iter_mut().zip(&before[distance..]).for_each(|(flag, other)| *flag |= other);
    }
}
