//! The boundary of a liquid: the sides of its box and the solids in it.
//!
//! Open fractions of faces and cells for the cut-cell method [batty2007], and the signed distance from solids at
//! nodes, all in single precision for the inner loops. Distances interpolated between nodes round off corners and miss
//! walls thinner than a cell; near those the exact distance of the shapes is used.

use undine_grid::{Condition, Field, FieldError, Grid, Location, MacVelocity, neighbour, par};
use undine_scene::Problem;

use super::cell_map::CellMap;
use super::particles::to_metres;
use super::tiles::cell_of;
use crate::solids::{SOLID, Solids};

/// The distance from solids where there are none, in cells.
pub(crate) const FAR: f32 = 1e3;
/// The least distance of particles from walls, in cells.
pub(crate) const MARGIN: f32 = 0.02;

/// Interpolated distances below which the exact distance decides, in cells.
pub(crate) const EXACT_BELOW: f32 = 0.5;
/// How far behind its surface a wall is probed, to tell whether the nodes resolve it, in cells.
const PROBE_DEPTH: f32 = 0.5;

/// The sides of the box and the solids in it.
pub(crate) struct SolidBoundary<const D: usize> {
    pub cells: [usize; D],
    pub solids: Option<SolidGeometry<D>>,
}

/// Solids, and their fractions and distances on the grid.
pub(crate) struct SolidGeometry<const D: usize> {
    pub solids: Solids<D>,
    /// Open fractions of the faces.
    pub face_fractions: MacVelocity<f32, D>,
    /// Signed distance at the nodes, in cells, positive outside.
    pub distance: Field<f32, D>,
    /// Not zero in cells near a wall that the nodes do not resolve.
    near_thin_wall: CellMap<D>,
}

impl<const D: usize> SolidBoundary<D> {
    /// The boundary of a box with these solids in it.
    pub fn new(grid: Grid<D>, solids: Option<Solids<D>>) -> Result<Self, FieldError> {
        let solids = solids.map(|solids| SolidGeometry::new(grid, solids)).transpose()?;
        Ok(SolidBoundary { cells: grid.cells(), solids })
    }

    /// Distance of a point from the nearest solid, in cells, negative inside; linear between nodes.
    #[inline]
    pub fn distance(&self, point: [f32; D]) -> f32 {
        self.solids.as_ref().map_or(FAR, |geometry| geometry.distance_at(point))
    }

    /// Unit normal of the nearest solid, pointing away from it: ∇d/|∇d|.
    #[inline]
    pub fn normal(&self, point: [f32; D]) -> Option<[f32; D]> {
        let geometry = self.solids.as_ref()?;
        let difference = |axis: usize| {
            let at = |by: f32| {
                let mut shifted = point;
                shifted[axis] += by;
                geometry.distance_at(shifted)
            };
            at(0.25) - at(-0.25)
        };
        let gradient: [f32; D] = std::array::from_fn(difference);
        let length = gradient.iter().map(|s| s * s).sum::<f32>().sqrt();
        (length > 1e-6).then(|| gradient.map(|s| s / length))
    }

    /// Distance from the nearest wall in cells, and its unit normal: interpolated from nodes where these resolve the
    /// wall, exact where it is thinner.
    pub fn nearest_wall(&self, geometry: &SolidGeometry<D>, point: [f32; D]) -> Option<(f32, [f32; D])> {
        let distance = geometry.distance_at(point);
        let is_solid = |normal: &[f32; D]| {
            let step = distance + PROBE_DEPTH;
            geometry.distance_at(std::array::from_fn(|axis| point[axis] - step * normal[axis]))
                < -0.5 * PROBE_DEPTH
        };
        match self.normal(point).filter(is_solid) {
            Some(normal) => Some((distance, normal)),
            None => geometry.exact_nearest_wall(point),
        }
    }

    /// Whether the centre of a cell is in a solid.
    #[inline]
    pub fn is_solid(&self, cell: [usize; D]) -> bool {
        self.solids.as_ref().is_some_and(|geometry| geometry.solids.cell_kinds()[cell] & SOLID != 0)
    }

    /// The open fraction α of a face.
    #[inline]
    pub fn face_fraction(&self, axis: usize, at: [isize; D]) -> f32 {
        self.solids.as_ref().map_or(1.0, |geometry| geometry.face_fractions[axis].at(at))
    }

    /// The open fraction of a face of a cell: sides 0 and 1 are the lower and upper one along the first axis, and so
    /// on. Zero on the sides of the box.
    #[inline]
    pub fn face_fraction_of(&self, cell: [isize; D], side: usize) -> f32 {
        let axis = side / 2;
        let face = neighbour(cell, axis, side as isize % 2);
        let is_within = face[axis] > 0 && (face[axis] as usize) < self.cells[axis];
        if is_within { self.face_fraction(axis, face) } else { 0.0 }
    }

    /// The open volume fraction of a cell, from the distances at its corners.
    pub fn volume_fraction(&self, cell: [isize; D]) -> f32 {
        let Some(geometry) = &self.solids else { return 1.0 };
        let (mut sum, mut min, mut max) = (0.0, f32::INFINITY, f32::NEG_INFINITY);
        for corner in 0..1 << D {
            let node = std::array::from_fn(|axis| cell[axis] + (corner >> axis & 1));
            let distance = geometry.distance.at(node);
            sum += distance;
            (min, max) = (min.min(distance), max.max(distance));
        }
        // As a plane sweeps from one corner to the opposite one, the fraction grows nearly linearly
        let mean = sum / (1 << D) as f32;
        (0.5 + mean / (max - min).max(1e-3)).clamp(0.0, 1.0)
    }

    /// Moves the solids from one time to another; true when any moved.
    pub fn advance(&mut self, from: f64, to: f64) -> Result<bool, Problem> {
        let Some(geometry) = &mut self.solids else { return Ok(false) };
        let moved = geometry.solids.advance(from, to)?;
        if moved {
            geometry.refresh();
        }
        Ok(moved)
    }

    /// Restores the poses at the end of a step and the velocities during it; true when any solid can move.
    pub fn restore(&mut self, step_start: f64, time: f64) -> Result<bool, Problem> {
        self.advance(step_start, time)
    }

    /// A hash of the shapes and poses of the solids.
    pub fn fingerprint(&self) -> u64 {
        self.solids.as_ref().map_or(0, |geometry| geometry.solids.fingerprint())
    }

    /// The greatest speed of any solid, in m/s.
    pub fn max_speed(&self, time: f64) -> f64 {
        self.solids.as_ref().map_or(0.0, |geometry| geometry.solids.speed(time))
    }

    /// Whether a particle may be at a point: outside solids, by [`MARGIN`] or more.
    pub fn is_free(&self, point: [f32; D]) -> bool {
        let Some(geometry) = &self.solids else { return true };
        let distance = geometry.distance_at(point);
        distance > MARGIN && (distance > EXACT_BELOW || geometry.exact_distance(point) > 0.0)
    }

    /// Pushes a point out of solids, to [`MARGIN`] off their surface.
    #[inline]
    pub fn push_outside(&self, mut point: [f32; D]) -> [f32; D] {
        for _ in 0..3 {
            let depth = MARGIN - self.distance(point);
            if depth <= 0.0 {
                break;
            }
            let Some(normal) = self.normal(point) else { break };
            point = std::array::from_fn(|axis| point[axis] + (depth + 0.1 * MARGIN) * normal[axis]);
        }
        // Interpolated distances round off corners: there the exact distance decides
        let near = self.solids.as_ref().filter(|_| self.distance(point) < EXACT_BELOW);
        point = self.clamp_to_box(point);
        match near.filter(|geometry| geometry.exact_distance(point) <= 0.0) {
            Some(geometry) => {
                self.clamp_to_box(self.push_out_of_wedge(geometry, geometry.exact_push_outside(point)))
            }
            None => point,
        }
    }

    /// Pushes a point out of the wedge between a solid and a side of the box: along the side, where the nearest point
    /// outside the solid is beyond it.
    fn push_out_of_wedge(&self, geometry: &SolidGeometry<D>, point: [f32; D]) -> [f32; D] {
        let mut point = self.clamp_to_box(point);
        for _ in 0..4 {
            let inside = geometry.exact_nearest_wall(point).filter(|(distance, _)| *distance <= 0.0);
            let inside = inside.filter(|_| geometry.is_in_thick_wall(point));
            let Some((distance, normal)) = inside else { break };
            let tangent: [f32; D] = std::array::from_fn(|axis| {
                let [low, high] = [MARGIN, self.cells[axis] as f32 - MARGIN];
                let is_out =
                    point[axis] <= low && normal[axis] < 0.0 || point[axis] >= high && normal[axis] > 0.0;
                if is_out { 0.0 } else { normal[axis] }
            });
            let squared = tangent.iter().map(|n| n * n).sum::<f32>();
            if squared < 1e-3 {
                break;
            }
            let step = (MARGIN - distance) / squared;
            point = self.clamp_to_box(std::array::from_fn(|axis| point[axis] + step * tangent[axis]));
        }
        point
    }

    /// The nearest point inside the box, [`MARGIN`] off its sides.
    #[inline]
    pub fn clamp_to_box(&self, point: [f32; D]) -> [f32; D] {
        std::array::from_fn(|axis| point[axis].clamp(MARGIN, self.cells[axis] as f32 - MARGIN))
    }
}

impl<const D: usize> SolidGeometry<D> {
    fn new(grid: Grid<D>, solids: Solids<D>) -> Result<Self, FieldError> {
        let mut geometry = SolidGeometry {
            solids,
            face_fractions: MacVelocity::new(grid, Condition::Open, 1)?,
            distance: Field::new(grid, Location::Node, Condition::Open, 1)?,
            near_thin_wall: CellMap::new(grid.cells()),
        };
        geometry.refresh();
        Ok(geometry)
    }

    /// Recomputes distances and fractions after the solids have moved.
    fn refresh(&mut self) {
        let per_cell = 1.0 / self.distance.grid().spacing()[0];
        let nodes = self.solids.distances();
        par::rows(&mut self.distance, |at, row| {
            row.iter_mut().zip(nodes.row(at)).for_each(|(to, from)| *to = (from * per_cell) as f32);
        });
        let solids = &self.solids;
        self.near_thin_wall.set_rows(|at, row| {
            for (x, split) in row.iter_mut().enumerate() {
                *split = u8::from(solids.is_split(neighbour(at.map(|i| i as isize), 0, x as isize)));
            }
        });
        self.near_thin_wall.dilate(2);
        let open = self.solids.open();
        for axis in 0..D {
            par::rows(&mut self.face_fractions[axis], |at, row| {
                for (to, &from) in row.iter_mut().zip(open[axis].row(at)) {
                    // Narrow slits carry hardly any flux and spoil the conditioning of the pressure solve
                    *to = if from < 0.01 { 0.0 } else { from as f32 };
                }
            });
        }
    }

    /// Whether there is a wall near a point that the nodes do not resolve.
    #[inline]
    pub fn is_near_thin_wall(&self, point: [f32; D]) -> bool {
        self.near_thin_wall.at(cell_of(point, self.distance.grid().cells())) != 0
    }

    /// The nearest point outside the shapes. In a thin wall that may be on the wrong side, so there the point stays.
    fn exact_push_outside(&self, point: [f32; D]) -> [f32; D] {
        if !self.is_in_thick_wall(point) {
            return point;
        }
        let (grid, out) =
            (self.distance.grid(), self.solids.push_outside(to_metres(self.distance.grid(), point)));
        out.map_or(point, |out| {
            std::array::from_fn(|axis| ((out[axis] - grid.origin()[axis]) / grid.spacing()[axis]) as f32)
        })
    }

    /// Exact distance from the shapes, in metres, of a point in cells.
    fn exact_distance(&self, point: [f32; D]) -> f64 {
        self.solids.distance_from(to_metres(self.distance.grid(), point))
    }

    /// Whether a point is in a shape thicker than [`PROBE_DEPTH`] there.
    fn is_in_thick_wall(&self, point: [f32; D]) -> bool {
        if self.exact_distance(point) > 0.0 {
            return false;
        }
        self.exact_nearest_wall(point).is_none_or(|(_, normal)| {
            let behind: [f32; D] = std::array::from_fn(|axis| point[axis] - 0.6 * PROBE_DEPTH * normal[axis]);
            self.exact_distance(behind) < -0.4 * f64::from(PROBE_DEPTH) * self.distance.grid().spacing()[0]
        })
    }

    /// Exact distance from the shapes and unit normal at a point, all in cells.
    fn exact_nearest_wall(&self, point: [f32; D]) -> Option<(f32, [f32; D])> {
        let cell = self.distance.grid().spacing()[0];
        let metres = to_metres(self.distance.grid(), point);
        let depth = self.solids.distance_from(metres);
        let difference = |axis: usize| {
            let mut shifted = metres;
            shifted[axis] += 0.01 * cell;
            self.solids.distance_from(shifted) - depth
        };
        let gradient: [f64; D] = std::array::from_fn(difference);
        let length = gradient.iter().map(|s| s * s).sum::<f64>().sqrt();
        (length > 1e-6 * cell).then(|| ((depth / cell) as f32, gradient.map(|s| (s / length) as f32)))
    }

    /// The distance at a point, linear between nodes.
    #[inline]
    fn distance_at(&self, point: [f32; D]) -> f32 {
        let (layout, cells) = (self.distance.layout(), self.distance.grid().cells());
        let strides = layout.strides();
        let (mut below, mut t) = ([0; D], [0.0; D]);
        for axis in 0..D {
            let x = point[axis].clamp(0.0, cells[axis] as f32);
            let cell = (x as usize).min(cells[axis] - 1);
            below[axis] = cell as isize;
            t[axis] = x - cell as f32;
        }
        let start = layout.offset(below);
        let values = self.distance.storage();
        let mut sum = 0.0;
        for corner in 0..1 << D {
            let (mut weight, mut index) = (1.0, start);
            for axis in 0..D {
                let is_high = corner >> axis & 1 == 1;
                weight *= if is_high { t[axis] } else { 1.0 - t[axis] };
                index += if is_high { strides[axis] } else { 0 };
            }
            sum += weight * values[index];
        }
        sum
    }
}
