//! Signed distance of obstacles at every pixel, and redistancing on a lattice.

use glam::Vec2;
use undine_frame::{Frame, Quantity};

use super::layer_context::LayerContext;
use super::resample::{FilterKernel, PixelBuffer};
use crate::DrawError;

/// Signed distance to the nearest obstacle in pixels, negative inside.
///
/// It is computed from a signed distance field of solids, or from a mask of solid cells; `None` if the frame has neither.
/// Only the sign of the field and the values next to a border are used: farther away it may be inaccurate, and where
/// obstacles touch it is zero inside them.
pub fn obstacle_distance(context: &LayerContext<'_>) -> Result<Option<PixelBuffer<1>>, DrawError> {
    let has = |quantity: Quantity| context.frame.field_of(quantity).is_some();
    let is_smooth = has(Quantity::SolidDistance);
    let quantity = if is_smooth { Quantity::SolidDistance } else { Quantity::SolidMask };
    if !has(quantity) {
        return Ok(None);
    }
    let (_, slice) = context.slice(&quantity.into())?;
    let spacing = slice.spacing[0].min(slice.spacing[1]) as f32;
    let near: Vec<f32> = match is_smooth {
        true => slice.samples().map(|at| slice.value(at) / spacing).collect(),
        false => slice.samples().map(|at| if slice.value(at) != 0.0 { -0.5 } else { 0.5 }).collect(),
    };
    let mut cells = redistance(&near, slice.size);
    if !is_smooth {
        cells = smoothed(&smoothed(&cells, slice.size), slice.size);
    }
    let pixels = spacing * context.density();
    let kernel = if is_smooth { FilterKernel::Crisp } else { FilterKernel::Smooth };
    let cell = |at: [usize; 2]| [cells[at[1] * slice.size[0] + at[0]] * pixels];
    Ok(Some(context.plane(&slice, kernel, cell)))
}

/// The error for frames without a field of obstacles.
pub fn no_obstacle_field(frame: &Frame) -> DrawError {
    let known = frame.fields.iter().map(|raster| raster.name.clone()).collect();
    DrawError::NoField { wanted: Quantity::SolidDistance.name().to_owned(), known }
}

/// Neighbours of a cell that a sweep from the low corner has visited.
const BEHIND: [[isize; 2]; 4] = [[-1, 0], [0, -1], [-1, -1], [1, -1]];

/// Redistancing: signed distances in cells from the values next to the border. Closest points of the border are propagated
/// by alternating raster sweeps (fast sweeping).
pub fn redistance(near: &[f32], size: [usize; 2]) -> Vec<f32> {
    let [columns, rows] = size;
    let mut nearest = borders(near, size);
    for _ in 0..2 {
        for cell in 0..columns * rows {
            sweep_cell(&mut nearest, cell, size, 1);
        }
        for cell in (0..columns * rows).rev() {
            sweep_cell(&mut nearest, cell, size, -1);
        }
    }
    let far = (columns + rows) as f32;
    let away = |cell: usize| nearest[cell].map_or(far, |point| point.distance(middle(cell, columns)));
    near.iter().enumerate().map(|(cell, side)| if *side < 0.0 { -away(cell) } else { away(cell) }).collect()
}

fn middle(cell: usize, columns: usize) -> Vec2 {
    Vec2::new((cell % columns) as f32, (cell / columns) as f32)
}

fn neighbour(cell: usize, [columns, rows]: [usize; 2], [dx, dy]: [isize; 2]) -> Option<usize> {
    let column = (cell % columns).checked_add_signed(dx).filter(|column| *column < columns)?;
    let row = (cell / columns).checked_add_signed(dy).filter(|row| *row < rows)?;
    Some(row * columns + column)
}

// Closest point of the border next to each cell: the foot of the perpendicular on the line through the crossings towards its
// neighbours, or the only crossing.
fn borders(near: &[f32], size: [usize; 2]) -> Vec<Option<Vec2>> {
    let crossing = |cell: usize, step: [isize; 2]| {
        let other = near[neighbour(cell, size, step)?];
        let here = near[cell];
        let crosses = (here < 0.0) != (other < 0.0);
        crosses.then(|| here.abs() / (here.abs() + other.abs()).max(1e-12))
    };
    let nearest = |cell: usize, axis: usize| {
        let sides = [-1, 1].map(|side| {
            let step = if axis == 0 { [side, 0] } else { [0, side] };
            crossing(cell, step).map(|fraction| fraction * side as f32)
        });
        sides.into_iter().flatten().min_by(|a, b| a.abs().total_cmp(&b.abs()))
    };
    let border = |cell: usize| {
        let foot = match (nearest(cell, 0), nearest(cell, 1)) {
            (Some(x), Some(y)) => Vec2::new(x * y * y, x * x * y) / (x * x + y * y).max(1e-12),
            (Some(x), None) => Vec2::new(x, 0.0),
            (None, Some(y)) => Vec2::new(0.0, y),
            (None, None) => return None,
        };
        Some(middle(cell, size[0]) + foot)
    };
    (0..near.len()).map(border).collect()
}

fn sweep_cell(nearest: &mut [Option<Vec2>], cell: usize, size: [usize; 2], sign: isize) {
    let here = middle(cell, size[0]);
    for step in BEHIND {
        let known = neighbour(cell, size, step.map(|offset| sign * offset)).and_then(|other| nearest[other]);
        let is_nearer = |point: &Vec2| {
            nearest[cell].is_none_or(|own| point.distance_squared(here) < own.distance_squared(here))
        };
        if let Some(point) = known.filter(is_nearer) {
            nearest[cell] = Some(point);
        }
    }
}

/// Binomial filter (1 2 1)/4 along both axes, which smooths the staircase of masks.
pub fn smoothed(cells: &[f32], [columns, rows]: [usize; 2]) -> Vec<f32> {
    let mean = |cell: usize| {
        let (column, row) = (cell % columns, cell / columns);
        let near =
            |middle: usize, count: usize| [middle.saturating_sub(1), middle, (middle + 1).min(count - 1)];
        let weights = [0.25, 0.5, 0.25];
        let line = |row: usize| -> f32 {
            near(column, columns)
                .iter()
                .zip(weights)
                .map(|(&x, weight)| weight * cells[row * columns + x])
                .sum()
        };
        near(row, rows).iter().zip(weights).map(|(&y, weight)| weight * line(y)).sum()
    };
    (0..cells.len()).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: [usize; 2] = [64, 48];

    fn exact(cell: usize) -> f32 {
        middle(cell, SIZE[0]).distance(Vec2::new(31.3, 23.8)) - 12.0
    }

    fn cells(value: impl Fn(usize) -> f32) -> Vec<f32> {
        (0..SIZE[0] * SIZE[1]).map(value).collect()
    }

    #[test]
    fn values_beside_the_border_give_all_others() {
        // Farther than two cells off the values are worthless, but for their sign.
        let near = cells(|cell| exact(cell).clamp(-2.0, 2.0) * if cell % 3 == 0 { 1.0 } else { 1.02 });
        for (cell, distance) in redistance(&near, SIZE).into_iter().enumerate() {
            assert!(
                (distance - exact(cell)).abs() < 0.25 + 0.02 * exact(cell).abs(),
                "{cell}: {distance}, not {}",
                exact(cell)
            );
        }
    }

    #[test]
    fn solid_cells_give_about_the_distance() {
        let near = cells(|cell| if exact(cell) < 0.0 { -0.5 } else { 0.5 });
        for (cell, distance) in redistance(&near, SIZE).into_iter().enumerate() {
            assert!((distance - exact(cell)).abs() < 0.8, "{cell}: {distance}, not {}", exact(cell));
        }
    }

    #[test]
    fn seams_inside_obstacles_vanish() {
        // Two halves that touch along a column, where the field says that the border is near.
        let near = cells(|cell| exact(cell).max(-(middle(cell, SIZE[0]).x - 31.0).abs() - 1e-3));
        let cell = 24 * SIZE[0] + 31;
        assert!((redistance(&near, SIZE)[cell] - exact(cell)).abs() < 1.0);
    }

    #[test]
    fn all_open_and_all_solid_have_a_distance() {
        assert!(redistance(&cells(|_| 0.5), SIZE).iter().all(|distance| *distance > 99.0));
        assert!(redistance(&cells(|_| -0.5), SIZE).iter().all(|distance| *distance < -99.0));
        assert!(redistance(&[f32::NAN], [1, 1])[0] > 0.0 && redistance(&[], [0, 0]).is_empty());
    }
}
