//! Where the obstacles are: their signed distance at every pixel.

use undine_frame::Raster;

use super::resample::{Kernel, Plane};
use super::stage::Stage;
use crate::DrawError;
use crate::plots::slice::Slice;

/// The distance to the nearest obstacle in pixels, negative inside.
///
/// It is read from the field `distance` (in metres), or made from the cells of the field `solid`. `None` where the frame
/// has neither.
pub fn distance(stage: &Stage<'_>) -> Result<Option<Plane<1>>, DrawError> {
    let density = stage.density();
    if stage.frame.raster("distance").is_some() {
        let (_, slice) = stage.slice("distance")?;
        return Ok(Some(stage.plane(&slice, Kernel::Crisp, |at| [slice.value(at) * density])));
    }
    if stage.frame.raster("solid").is_some() {
        let (_, slice) = stage.slice("solid")?;
        let cells = from_cells(&slice);
        let spacing = slice.spacing[0].min(slice.spacing[1]) as f32 * density;
        let cell = |at: [usize; 2]| [cells[at[1] * slice.size[0] + at[0]] * spacing];
        return Ok(Some(stage.plane(&slice, Kernel::Smooth, cell)));
    }
    Ok(None)
}

/// The fields that tell where obstacles are; those there are, for messages.
pub fn missing(frame: &undine_frame::Frame) -> DrawError {
    let known = frame.rasters.iter().map(|raster: &Raster| raster.name.clone()).collect();
    DrawError::NoField { wanted: String::from("distance"), known }
}

// Signed distances in cells, by two sweeps that hand on the distance of the neighbours. The border lies half-way between
// a solid cell and an open one.
fn from_cells(slice: &Slice) -> Vec<f32> {
    let is_solid: Vec<bool> = slice.samples().map(|at| slice.value(at) != 0.0).collect();
    let outside = swept(&is_solid, slice.size);
    let is_open: Vec<bool> = is_solid.iter().map(|solid| !solid).collect();
    let inside = swept(&is_open, slice.size);
    let signed = |cell: usize| {
        if is_solid[cell] { 0.5 - inside[cell] } else { outside[cell] - 0.5 }
    };
    let steps: Vec<f32> = (0..is_solid.len()).map(signed).collect();
    smoothed(&smoothed(&steps, slice.size), slice.size)
}

// Each cell mixed with its neighbours, which takes the steps off the border.
fn smoothed(cells: &[f32], [columns, rows]: [usize; 2]) -> Vec<f32> {
    let mean = |cell: usize| {
        let (column, row) = (cell % columns, cell / columns);
        let near =
            |middle: usize, count: usize| [middle.saturating_sub(1), middle, (middle + 1).min(count - 1)];
        let shares = [0.25, 0.5, 0.25];
        let line = |row: usize| -> f32 {
            near(column, columns).iter().zip(shares).map(|(&x, share)| share * cells[row * columns + x]).sum()
        };
        near(row, rows).iter().zip(shares).map(|(&y, share)| share * line(y)).sum()
    };
    (0..cells.len()).map(mean).collect()
}

fn swept(is_goal: &[bool], [columns, rows]: [usize; 2]) -> Vec<f32> {
    const DIAGONAL: f32 = std::f32::consts::SQRT_2;
    let far = (columns + rows) as f32;
    let mut distance: Vec<f32> = is_goal.iter().map(|&goal| if goal { 0.0 } else { far }).collect();
    let mut visit = |column: usize, row: usize, back: isize| {
        let mut least = distance[row * columns + column];
        for (dx, dy, way) in [(-1, 0, 1.0), (0, -1, 1.0), (-1, -1, DIAGONAL), (1, -1, DIAGONAL)] {
            let neighbour = (column.checked_add_signed(back * dx), row.checked_add_signed(back * dy));
            if let (Some(x), Some(y)) = neighbour
                && x < columns
                && y < rows
            {
                least = least.min(distance[y * columns + x] + way);
            }
        }
        distance[row * columns + column] = least;
    };
    for cell in 0..columns * rows {
        visit(cell % columns, cell / columns, 1);
    }
    for cell in (0..columns * rows).rev() {
        visit(cell % columns, cell / columns, -1);
    }
    distance
}

#[cfg(test)]
mod tests {
    use undine_frame::RasterKind;

    use super::*;

    fn disc(size: u32, radius: f32) -> Slice {
        let values = (0..size * size).map(|cell| {
            let (x, y) = ((cell % size) as f32 - 31.5, (cell / size) as f32 - 31.5);
            f32::from(u8::from(x.hypot(y) < radius))
        });
        let raster = Raster {
            kind: RasterKind::CellKind,
            size: [size, size, 1],
            components: 1,
            spacing: [1.0; 3],
            values: values.collect(),
            ..Raster::default()
        };
        Slice::new(&raster, None, None)
    }

    #[test]
    fn cells_give_about_the_distance() {
        let slice = disc(64, 12.0);
        let cells = from_cells(&slice);
        for (at, distance) in slice.samples().zip(&cells) {
            let exact = (at[0] as f32 - 31.5).hypot(at[1] as f32 - 31.5) - 12.0;
            assert!((distance - exact).abs() < 1.0 + 0.09 * exact.abs(), "{at:?}: {distance}, not {exact}");
        }
    }

    #[test]
    fn all_open_and_all_solid_have_a_distance() {
        assert!(from_cells(&disc(64, 0.0)).iter().all(|distance| *distance > 0.0));
        assert!(from_cells(&disc(64, 100.0)).iter().all(|distance| *distance < 0.0));
        assert!(from_cells(&disc(1, 0.0)).iter().all(|distance| *distance > 0.0));
    }
}
