//! The mouth of an emitter: the flux that the velocity carries out of its region.
//!
//! Q = Σ max(0, (u − u_region)·n) α A over the faces of the region, on subcells of half a cell's edge. In liquid u is
//! the projected velocity, in air that of the emitter. What an emitter adds is limited by ∫ Q dt, and by what it holds
//! when full at the start: in liquid that cannot give way it adds nothing, however empty some of its subcells look.

use undine_grid::{Field, neighbour};

use crate::free_surface::solid_boundary::SolidBoundary;

/// The flux out of a region through its boundary, by which an emitter may emit, and the particles that it holds.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct MouthFlow {
    /// Particles of the region when full.
    pub content: f64,
    /// Flux in m³/s.
    pub flux: f64,
}

/// An emitter's region on subcells of half a cell's edge.
pub(super) struct Mouth<'a, const D: usize> {
    /// Lowest and highest cell.
    pub cells: [[usize; D]; 2],
    /// Edge of a cell in metres.
    pub edge: f64,
    /// Velocity of the emitter where there is no liquid yet, in m/s.
    pub velocity: [f64; D],
    pub boundary: &'a SolidBoundary<D>,
    /// The projected velocity on faces.
    pub projected: &'a [Field<f32, D>; D],
    /// One in cells of liquid.
    pub is_liquid: &'a Field<u8, D>,
}

impl<const D: usize> Mouth<'_, D> {
    /// The flux out of the region, Σ max(0, (u − u_region)·n) α A over the faces of its subcells. `contains` tells whether
    /// a point, in cells, is in the region, and `moving` gives the velocity of the region at one; `inside` is scratch.
    pub fn flow(
        &self,
        contains: impl Fn([f32; D]) -> bool,
        moving: impl Fn([f32; D]) -> [f64; D],
        inside: &mut Vec<u8>,
    ) -> MouthFlow {
        // Which subcells are in the region
        let [low, high] = self.cells;
        let size: [usize; D] = std::array::from_fn(|axis| 2 * (high[axis] + 1 - low[axis]));
        let count: usize = size.iter().product();
        let subcell = |mut index: usize| -> [usize; D] {
            std::array::from_fn(|axis| {
                let i = index % size[axis];
                index /= size[axis];
                i
            })
        };
        let centre = |at: [usize; D]| -> [f32; D] {
            std::array::from_fn(|axis| low[axis] as f32 + 0.5 * at[axis] as f32 + 0.25)
        };
        inside.clear();
        inside.extend((0..count).map(|index| u8::from(contains(centre(subcell(index))))));
        // The flux through the faces between those and others
        let area = (0.5 * self.edge).powi(D as i32 - 1);
        let mut flow = MouthFlow::default();
        for index in (0..count).filter(|&index| inside[index] != 0) {
            let at = subcell(index);
            flow.content += 1.0;
            let mut stride = 1;
            for axis in 0..D {
                let neighbours = [
                    (at[axis] > 0).then(|| inside[index - stride]),
                    (at[axis] + 1 < size[axis]).then(|| inside[index + stride]),
                ];
                for (is_high, beyond) in neighbours.into_iter().enumerate() {
                    if beyond.unwrap_or(0) == 0 {
                        let outwards = if is_high == 1 { 1.0 } else { -1.0 };
                        let relative = |(u, open): (f64, f64)| (u - moving(centre(at))[axis], open);
                        let through = self.velocity_at(low, at, axis, is_high == 1).map(relative);
                        flow.flux += through.map_or(0.0, |(u, open)| area * open * (outwards * u).max(0.0));
                    }
                }
                stride *= size[axis];
            }
        }
        flow
    }

    /// The velocity on the low or high face of a subcell across an axis, and its open fraction; `None` on a side of the
    /// box.
    fn velocity_at(&self, low: [usize; D], at: [usize; D], axis: usize, is_high: bool) -> Option<(f64, f64)> {
        let cell: [isize; D] = std::array::from_fn(|axis| (low[axis] + at[axis] / 2) as isize);
        let above = neighbour(cell, axis, 1);
        let is_upper = at[axis] % 2 == 1;
        let face = if is_high { above } else { cell };
        let is_cell_face = is_upper == is_high;
        if is_cell_face && (face[axis] == 0 || face[axis] as usize == self.boundary.cells[axis]) {
            return None;
        }
        let open = if is_cell_face { f64::from(self.boundary.face_fraction(axis, face)) } else { 1.0 };
        let component = &self.projected[axis];
        let projected = match is_cell_face {
            true => component.at(face),
            false => 0.5 * (component.at(cell) + component.at(above)),
        };
        let u = if self.is_liquid.at(cell) != 0 { f64::from(projected) } else { self.velocity[axis] };
        Some((u, open))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use undine_grid::{Condition, Grid, Location, MacVelocity};

    #[test]
    fn the_flux_of_a_mouth_is_speed_times_cross_section() {
        let grid = Grid::new([20, 20, 20], [0.1; 3], [0.0; 3]).unwrap();
        let boundary = SolidBoundary::new(grid, None).unwrap();
        let still = MacVelocity::<f32, 3>::new(grid, Condition::Open, 1).unwrap();
        let mut is_liquid = Field::new(grid, Location::Center, Condition::Open, 1).unwrap();
        let velocity = [0.0, 0.0, -2.0];
        let cells = [[5; 3], [14; 3]];
        let cube = |point: [f32; 3]| point.iter().all(|x| (7.0..12.0).contains(x));
        let mouth = |is_liquid: &Field<u8, 3>, velocity, moving: [f64; 3]| {
            let projected = still.components();
            let mouth = Mouth { cells, edge: 0.1, velocity, boundary: &boundary, projected, is_liquid };
            mouth.flow(cube, |_| moving, &mut Vec::new())
        };
        // In air the velocity of the emitter counts, through a cross section of 0.5 m × 0.5 m
        let in_air = mouth(&is_liquid, velocity, [0.0; 3]);
        assert!((in_air.flux - 0.5).abs() < 1e-12 && in_air.content == 1000.0, "{in_air:?}");
        // Nothing passes a mouth that moves with its liquid; one that leaves its liquid behind emits
        assert!(mouth(&is_liquid, velocity, velocity).flux.abs() < 1e-12);
        assert!((mouth(&is_liquid, [0.0; 3], [3.0, 0.0, 0.0]).flux - 0.75).abs() < 1e-12);
        // In liquid that the projection holds still nothing is emitted
        is_liquid.fill(1);
        assert_eq!(mouth(&is_liquid, velocity, [0.0; 3]).flux, 0.0);
    }
}
