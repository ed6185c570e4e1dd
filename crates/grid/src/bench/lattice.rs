//! Stencils and interpolation on lattices.

use undine_checks::{Figures, best_of};

use super::memory::copy_bandwidth;
use crate::interpolation::{Cubic, Linear, sample};
use crate::{Condition, Field, Grid, Location, fill_ghosts, kernels, par};

fn field(cells: usize) -> anyhow::Result<Field<f32, 3>> {
    let grid = Grid::new([cells; 3], [1.0 / cells as f64; 3], [0.0; 3])?;
    let mut field = Field::new(grid, Location::Center, Condition::Periodic, 2)?;
    field.set_by_position(|[x, y, z]| (6.0 * x).sin() * (4.0 * y).cos() + z);
    fill_ghosts(&mut field);
    Ok(field)
}

/// A seven-point sweep over 256³ numbers. It must read and write every number once, as a copy does.
pub fn sweep(figures: &mut Figures) -> anyhow::Result<()> {
    let limit = copy_bandwidth();
    for cells in [64, 128, 256] {
        let from = field(cells)?;
        let mut to = field(cells)?;
        let rounds = (256 / cells).pow(3);
        let seconds = best_of(7, || (0..rounds).for_each(|_| kernels::sweep(&from, &mut to, 0.4, 0.1)));
        let bytes = (rounds * cells.pow(3) * 2 * size_of::<f32>()) as f64;
        let metric = format!("7-point sweep of {cells}³ f32");
        figures.rate(metric, bytes / seconds / 1e9, "GB/s", limit / 1e9, "GB/s copied");
    }
    Ok(())
}

/// Values at scattered points, beside fetching the eight numbers around each point and adding them up.
pub fn interpolation(figures: &mut Figures) -> anyhow::Result<()> {
    const CELLS: usize = 128;
    const POINTS: usize = 1 << 21;
    let field = field(CELLS)?;
    // Scattered points, always the same
    let point = |index: usize| -> [f64; 3] {
        std::array::from_fn(|axis| ((index * [7919, 104_729, 1_299_709][axis]) % 999_983) as f64 / 999_983.0)
    };
    let points: Vec<[f64; 3]> = (0..POINTS).map(point).collect();
    let mut values = vec![0.0f32; POINTS];
    let mut rate = |work: &(dyn Fn([f64; 3]) -> f32 + Sync)| {
        let seconds = best_of(5, || {
            par::for_each_chunk(&mut values, 4096, |first, chunk| {
                let points = &points[first..first + chunk.len()];
                chunk.iter_mut().zip(points).for_each(|(value, &point)| *value = work(point));
            });
        });
        std::hint::black_box(&values);
        POINTS as f64 / seconds / 1e6
    };
    // The limit: fetching and adding the eight values around a point
    let bare = rate(&|point| {
        let at = field.grid().cell_at(point);
        let corner =
            |index: isize| field.at([at[0] + (index & 1), at[1] + (index >> 1 & 1), at[2] + (index >> 2)]);
        (0..8).map(corner).sum()
    });
    let (linear, cubic) =
        (rate(&|point| sample(Linear, &field, point)), rate(&|point| sample(Cubic, &field, point)));
    figures.rate("trilinear, scattered points", linear, "M points/s", bare, "M bare fetches/s");
    figures.rate("tricubic, scattered points", cubic, "M points/s", bare, "M bare fetches/s");
    Ok(())
}
