//! What bounds the liquid: the sides of its box and the solids in it, in single precision for the hot loops.

use undine_grid::{Condition, Field, FieldError, Grid, Location, MacVelocity, neighbour, par};

use super::cell_map::CellMap;
use super::particles::to_metres;
use super::tiles::cell_of;
use crate::solids::{SOLID, Solids};

/// Where nothing is near, in cells.
pub(crate) const FAR: f32 = 1e3;
/// How far particles are kept off walls, in cells.
pub(crate) const MARGIN: f32 = 0.02;

/// Distances between nodes below which a point may be in a solid, in cells.
pub(crate) const EXACT_BELOW: f32 = 0.5;
/// How far behind its surface a wall is looked for between nodes, in cells.
const PROBE_DEPTH: f32 = 0.5;

/// The sides of the box and the solids in it.
pub(crate) struct SolidBoundary<const D: usize> {
    pub cells: [usize; D],
    pub solids: Option<SolidGeometry<D>>,
}

/// Solids, and what follows from where they stand.
pub(crate) struct SolidGeometry<const D: usize> {
    pub solids: Solids<D>,
    /// Open shares of the faces.
    pub face_fractions: MacVelocity<f32, D>,
    /// Distance at the nodes, in cells, positive in the open.
    pub distance: Field<f32, D>,
    /// Not zero in cells with a wall near that the nodes do not notice.
    near_thin_wall: CellMap<D>,
}

impl<const D: usize> SolidBoundary<D> {
    /// The walls of a box with these solids in it.
    pub fn new(grid: Grid<D>, solids: Option<Solids<D>>) -> Result<Self, FieldError> {
        let solids = solids.map(|solids| SolidGeometry::new(grid, solids)).transpose()?;
        Ok(SolidBoundary { cells: grid.cells(), solids })
    }

    /// Distance of a point from the nearest solid, in cells, negative inside; linear between nodes.
    #[inline]
    pub fn distance(&self, point: [f32; D]) -> f32 {
        self.solids.as_ref().map_or(FAR, |geometry| geometry.distance_at(point))
    }

    /// Unit vector away from the nearest solid.
    #[inline]
    pub fn normal(&self, point: [f32; D]) -> Option<[f32; D]> {
        let geometry = self.solids.as_ref()?;
        let rise = |axis: usize| {
            let at = |by: f32| {
                let mut adjacent = point;
                adjacent[axis] += by;
                geometry.distance_at(adjacent)
            };
            at(0.25) - at(-0.25)
        };
        let slope: [f32; D] = std::array::from_fn(rise);
        let length = slope.iter().map(|along| along * along).sum::<f32>().sqrt();
        (length > 1e-6).then(|| slope.map(|along| along / length))
    }

    /// How far a point is off the nearest wall, however thin, in cells, and the unit vector away from it. Of walls that
    /// the nodes notice, distances between nodes are good enough; of thinner ones, only those of the shapes are.
    pub fn nearest_wall(&self, geometry: &SolidGeometry<D>, point: [f32; D]) -> Option<(f32, [f32; D])> {
        let distance = geometry.distance_at(point);
        let is_solid = |normal: &[f32; D]| {
            let way = distance + PROBE_DEPTH;
            geometry.distance_at(std::array::from_fn(|axis| point[axis] - way * normal[axis]))
                < -0.5 * PROBE_DEPTH
        };
        match self.normal(point).filter(is_solid) {
            Some(normal) => Some((distance, normal)),
            None => geometry.exact_nearest_wall(point),
        }
    }

    /// Whether the middle of a cell is solid.
    #[inline]
    pub fn is_solid(&self, cell: [usize; D]) -> bool {
        self.solids.as_ref().is_some_and(|geometry| geometry.solids.cell_kinds()[cell] & SOLID != 0)
    }

    /// The open share of a face.
    #[inline]
    pub fn face_fraction(&self, axis: usize, at: [isize; D]) -> f32 {
        self.solids.as_ref().map_or(1.0, |geometry| geometry.face_fractions[axis].at(at))
    }

    /// The open share of the face of a cell on a side: 0 and 1 are the lower and upper side along the first axis, and so
    /// on. None of the sides of the box.
    #[inline]
    pub fn face_fraction_of(&self, cell: [isize; D], side: usize) -> f32 {
        let axis = side / 2;
        let face = neighbour(cell, axis, side as isize % 2);
        let is_within = face[axis] > 0 && (face[axis] as usize) < self.cells[axis];
        if is_within { self.face_fraction(axis, face) } else { 0.0 }
    }

    /// Open share of a cell.
    pub fn volume_fraction(&self, cell: [isize; D]) -> f32 {
        let Some(geometry) = &self.solids else { return 1.0 };
        let (mut sum, mut least, mut most) = (0.0, f32::INFINITY, f32::NEG_INFINITY);
        for corner in 0..1 << D {
            let node = std::array::from_fn(|axis| cell[axis] + (corner >> axis & 1));
            let distance = geometry.distance.at(node);
            sum += distance;
            (least, most) = (least.min(distance), most.max(distance));
        }
        // Between two parallel planes through corners the share grows evenly, or nearly so
        let mean = sum / (1 << D) as f32;
        (0.5 + mean / (most - least).max(1e-3)).clamp(0.0, 1.0)
    }

    /// Moves the solids on; true when any moved.
    pub fn advance(&mut self, from: f64, to: f64) -> bool {
        self.solids.as_mut().is_some_and(|geometry| {
            let moved = geometry.solids.advance(from, to);
            if moved {
                geometry.refresh();
            }
            moved
        })
    }

    /// Puts the solids where they are at the end of a step, moving as they did in it; true when any can move.
    pub fn restore(&mut self, step_start: f64, time: f64) -> bool {
        let moving = self.solids.as_mut().filter(|geometry| !geometry.solids.are_still());
        moving.is_some_and(|geometry| {
            geometry.solids.advance(step_start, time);
            geometry.refresh();
            true
        })
    }

    /// Tells apart where solids stand.
    pub fn layout_hash(&self) -> u64 {
        self.solids.as_ref().map_or(0, |geometry| geometry.solids.footprint())
    }

    /// The greatest speed of any solid, in m/s.
    pub fn max_speed(&self, time: f64) -> f64 {
        self.solids.as_ref().map_or(0.0, |geometry| geometry.solids.speed(time))
    }

    /// Whether a particle may be at a point: in the open, a little off all walls.
    pub fn is_free(&self, point: [f32; D]) -> bool {
        let Some(geometry) = &self.solids else { return true };
        let distance = geometry.distance_at(point);
        distance > MARGIN && (distance > EXACT_BELOW || geometry.exact_distance(point) > 0.0)
    }

    /// The nearest point in the open to a point, a little off all walls.
    #[inline]
    pub fn project_out(&self, mut point: [f32; D]) -> [f32; D] {
        for _ in 0..3 {
            let depth = MARGIN - self.distance(point);
            if depth <= 0.0 {
                break;
            }
            let Some(normal) = self.normal(point) else { break };
            point = std::array::from_fn(|axis| point[axis] + (depth + 0.1 * MARGIN) * normal[axis]);
        }
        // Distances between nodes round off corners
        let near = self.solids.as_ref().filter(|_| self.distance(point) < EXACT_BELOW);
        point = self.clamp_to_box(point);
        match near.filter(|geometry| geometry.exact_distance(point) <= 0.0) {
            Some(geometry) => {
                self.clamp_to_box(self.project_out_of_wedge(geometry, geometry.exact_project_out(point)))
            }
            None => point,
        }
    }

    /// The way out of a solid that leads along a side of the box, where the nearest one leads through that.
    fn project_out_of_wedge(&self, geometry: &SolidGeometry<D>, point: [f32; D]) -> [f32; D] {
        let mut point = self.clamp_to_box(point);
        for _ in 0..4 {
            let inside = geometry.exact_nearest_wall(point).filter(|(distance, _)| *distance <= 0.0);
            let inside = inside.filter(|_| geometry.is_in_thick_wall(point));
            let Some((distance, normal)) = inside else { break };
            let along: [f32; D] = std::array::from_fn(|axis| {
                let [low, high] = [MARGIN, self.cells[axis] as f32 - MARGIN];
                let is_out =
                    point[axis] <= low && normal[axis] < 0.0 || point[axis] >= high && normal[axis] > 0.0;
                if is_out { 0.0 } else { normal[axis] }
            });
            let gain = along.iter().map(|one| one * one).sum::<f32>();
            if gain < 1e-3 {
                break;
            }
            let way = (MARGIN - distance) / gain;
            point = self.clamp_to_box(std::array::from_fn(|axis| point[axis] + way * along[axis]));
        }
        point
    }

    /// The nearest point inside the box, a little off its sides.
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

    fn refresh(&mut self) {
        let per_cell = 1.0 / self.distance.grid().spacing()[0];
        let nodes = self.solids.distances();
        par::rows(&mut self.distance, |at, row| {
            row.iter_mut().zip(nodes.row(at)).for_each(|(to, from)| *to = (from * per_cell) as f32);
        });
        let solids = &self.solids;
        self.near_thin_wall.set_rows(|at, row| {
            for (x, torn) in row.iter_mut().enumerate() {
                *torn = u8::from(solids.is_torn(neighbour(at.map(|i| i as isize), 0, x as isize)));
            }
        });
        self.near_thin_wall.dilate(2);
        let open = self.solids.open();
        for axis in 0..D {
            par::rows(&mut self.face_fractions[axis], |at, row| {
                for (to, &from) in row.iter_mut().zip(open[axis].row(at)) {
                    // Slits carry nothing that could be seen, and spoil the pressure
                    *to = if from < 0.01 { 0.0 } else { from as f32 };
                }
            });
        }
    }

    /// Whether there is a wall near a point that the nodes do not notice.
    #[inline]
    pub fn is_near_thin_wall(&self, point: [f32; D]) -> bool {
        self.near_thin_wall.at(cell_of(point, self.distance.grid().cells())) != 0
    }

    /// A point itself, or the nearest one outside the shapes where it is in one. In a thin wall the nearest one may lie
    /// on the wrong side, so there it stays where it is.
    fn exact_project_out(&self, point: [f32; D]) -> [f32; D] {
        if !self.is_in_thick_wall(point) {
            return point;
        }
        let (grid, out) = (self.distance.grid(), self.solids.way_out(to_metres(self.distance.grid(), point)));
        out.map_or(point, |out| {
            std::array::from_fn(|axis| ((out[axis] - grid.origin()[axis]) / grid.spacing()[axis]) as f32)
        })
    }

    /// Distance of a point in cells from the shapes themselves, in metres.
    fn exact_distance(&self, point: [f32; D]) -> f64 {
        self.solids.distance_from(to_metres(self.distance.grid(), point))
    }

    /// Whether a point is in a shape that goes on behind it.
    fn is_in_thick_wall(&self, point: [f32; D]) -> bool {
        if self.exact_distance(point) > 0.0 {
            return false;
        }
        self.exact_nearest_wall(point).is_none_or(|(_, normal)| {
            let behind: [f32; D] = std::array::from_fn(|axis| point[axis] - 0.6 * PROBE_DEPTH * normal[axis]);
            self.exact_distance(behind) < -0.4 * f64::from(PROBE_DEPTH) * self.distance.grid().spacing()[0]
        })
    }

    /// How far a point in cells is off the shapes, in cells, and the unit vector away from them.
    fn exact_nearest_wall(&self, point: [f32; D]) -> Option<(f32, [f32; D])> {
        let cell = self.distance.grid().spacing()[0];
        let metres = to_metres(self.distance.grid(), point);
        let depth = self.solids.distance_from(metres);
        let rise = |axis: usize| {
            let mut adjacent = metres;
            adjacent[axis] += 0.01 * cell;
            self.solids.distance_from(adjacent) - depth
        };
        let slope: [f64; D] = std::array::from_fn(rise);
        let length = slope.iter().map(|along| along * along).sum::<f64>().sqrt();
        (length > 1e-6 * cell).then(|| ((depth / cell) as f32, slope.map(|along| (along / length) as f32)))
    }

    #[inline]
    fn distance_at(&self, point: [f32; D]) -> f32 {
        let (layout, cells) = (self.distance.layout(), self.distance.grid().cells());
        let strides = layout.strides();
        let (mut below, mut t) = ([0; D], [0.0; D]);
        for axis in 0..D {
            let along = point[axis].clamp(0.0, cells[axis] as f32);
            let cell = (along as usize).min(cells[axis] - 1);
            below[axis] = cell as isize;
            t[axis] = along - cell as f32;
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
