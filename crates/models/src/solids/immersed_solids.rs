//! The obstacles of a fluid on its grid: signed distance at nodes, open area fractions of faces, solid flags,
//! velocities.

use std::sync::Arc;

use undine_frame::{Body, Material, Mesh};
use undine_grid::{Condition, Field, FieldError, Grid, Location, MacVelocity, neighbour, par};
use undine_scene::Problem;

use super::distance_sampler::DistanceSampler;
use super::distances::Distances;
use super::face_fraction::open_fraction;
use super::prism::prism;
use super::render_mesh::body_mesh;
use super::row_mask::RowMask;
use super::shape::SolidShape;
use super::solid_flags::{SOLID, flag_solid_neighbours};
use super::thin_wall_faces::ThinWallFaces;
use super::trajectory::{Pose, RigidVelocity, Trajectory};

/// Largest number of obstacles of one fluid: their indices are stored in bytes.
pub const MOST: usize = 255;

/// Distance from the surface, in cells, to which a point inside an obstacle is pushed.
const PUSH_MARGIN: f64 = 0.05;

/// Largest number of steps along the gradient to push a point out.
const MAX_PUSHES: u32 = 8;

/// One obstacle.
#[derive(Debug, Clone)]
pub struct Obstacle<const D: usize> {
    /// Name of its body, if given.
    pub name: Option<String>,
    /// Material of its body.
    pub material: Material,
    /// Its shape in local coordinates.
    pub shape: SolidShape<D>,
    /// Position and rotation as functions of time.
    pub trajectory: Trajectory<D>,
}

impl<const D: usize> Obstacle<D> {
    /// The name of its body: its own, or its number counted from 1.
    fn body_name(&self, number: usize) -> String {
        self.name.clone().unwrap_or_else(|| format!("obstacle-{}", number + 1))
    }

    fn drawn(&self, mesh: Mesh) -> Arc<Mesh> {
        Arc::new(Mesh { material: self.material, ..mesh })
    }
}

/// The obstacles of a fluid on its grid.
#[derive(Debug, Clone)]
pub struct Solids<const D: usize> {
    pub(super) obstacles: Vec<Obstacle<D>>,
    rigid_velocities: Vec<RigidVelocity<D>>,
    pub(super) poses: Vec<Pose<D>>,
    /// Poses before the last advance.
    pub(super) earlier: Vec<Pose<D>>,
    /// Bounding radius of each shape about its origin.
    pub(super) reaches: Vec<f64>,
    /// Render meshes in local coordinates; in 2-D only after [`Solids::extrude_bodies`].
    bodies: Vec<Arc<Mesh>>,
    pub(super) distances: Distances<D>,
    open: MacVelocity<f64, D>,
    face_kinds: Vec<Field<u8, D>>,
    cell_kinds: Field<u8, D>,
    /// Rows of nodes that are all open.
    open_rows: RowMask<D>,
    /// Largest displacement of any point in the last advance, in cells.
    pub(super) travel: f32,
    /// For liquids: faces closed by thin walls, and distances for particles.
    pub(super) thin: Option<(ThinWallFaces<D>, DistanceSampler<D>)>,
}

impl<const D: usize> Solids<D> {
    /// The obstacles on a grid in their poses at the start.
    pub fn new(grid: Grid<D>, obstacles: Vec<Obstacle<D>>) -> Result<Self, FieldError> {
        let mut solids = Solids::unplaced(grid, obstacles)?;
        solids.place();
        Ok(solids)
    }

    /// As [`Solids::new`], but also walls thinner than a cell are watertight: faces between cells that they separate
    /// are closed, and [`Solids::crossing`] finds collisions of particles. Of the flags of samples only [`SOLID`] is
    /// set.
    pub fn watertight(grid: Grid<D>, obstacles: Vec<Obstacle<D>>) -> Result<Self, FieldError> {
        let mut solids = Solids::unplaced(grid, obstacles)?;
        solids.thin = Some((ThinWallFaces::new(grid)?, DistanceSampler::new(&solids.distances.nearest)));
        solids.place();
        Ok(solids)
    }

    fn unplaced(grid: Grid<D>, mut obstacles: Vec<Obstacle<D>>) -> Result<Self, FieldError> {
        let distances = Distances::new(grid)?;
        let edge = grid.spacing().into_iter().fold(f64::INFINITY, f64::min);
        for obstacle in obstacles.iter_mut().filter(|obstacle| !obstacle.trajectory.is_still()) {
            if let SolidShape::Mesh(body) = &mut obstacle.shape {
                body.cache_local_distances(edge, distances.band);
            }
        }
        let kinds = |location| Field::new(grid, location, Condition::Open, 1);
        let poses: Vec<Pose<D>> = obstacles.iter().map(|obstacle| obstacle.trajectory.start()).collect();
        Ok(Solids {
            rigid_velocities: vec![RigidVelocity::none(); obstacles.len()],
            earlier: poses.clone(),
            poses,
            reaches: obstacles.iter().map(|obstacle| obstacle.shape.reach()).collect(),
            bodies: bodies(&obstacles),
            distances,
            open: MacVelocity::new(grid, Condition::Open, 1)?,
            face_kinds: (0..D).map(|axis| kinds(Location::Face(axis))).collect::<Result<_, _>>()?,
            cell_kinds: kinds(Location::Center)?,
            open_rows: RowMask::new(grid.samples(Location::Node)),
            travel: 0.0,
            thin: None,
            obstacles,
        })
    }

    /// Extrudes the obstacles of a 2-D fluid between two heights, for pictures of its raised surface.
    pub fn extrude_bodies(&mut self, heights: [f64; 2]) {
        let named = self.obstacles.iter().enumerate();
        let body = |(number, one): (usize, &Obstacle<D>)| {
            prism(&one.body_name(number), &one.shape, heights).map(|mesh| one.drawn(mesh))
        };
        self.bodies = named.filter_map(body).collect();
    }

    /// Whether no obstacle ever moves.
    pub fn are_still(&self) -> bool {
        self.obstacles.iter().all(|obstacle| obstacle.trajectory.is_still())
    }

    /// Moves all obstacles to time `to`; velocities are means since time `from`. Returns whether any obstacle can move.
    pub fn advance(&mut self, from: f64, to: f64) -> Result<bool, Problem> {
        if self.are_still() {
            return Ok(false);
        }
        for (rigid_velocity, obstacle) in self.rigid_velocities.iter_mut().zip(&self.obstacles) {
            *rigid_velocity = obstacle.trajectory.rigid_velocity(from, to)?;
        }
        self.place_at(to)?;
        for (pose, obstacle) in self.earlier.iter_mut().zip(&self.obstacles) {
            *pose = obstacle.trajectory.pose(from)?;
        }
        let speeds = self
            .rigid_velocities
            .iter()
            .zip(&self.reaches)
            .map(|(rigid_velocity, reach)| rigid_velocity.speed(*reach));
        self.travel = (speeds.fold(0.0, f64::max) * (to - from) / self.smallest_cell()) as f32;
        Ok(true)
    }

    /// Sets the poses of a time.
    pub fn place_at(&mut self, time: f64) -> Result<(), Problem> {
        for (pose, obstacle) in self.poses.iter_mut().zip(&self.obstacles) {
            *pose = obstacle.trajectory.pose(time)?;
        }
        self.place();
        Ok(())
    }

    /// Recomputes distances, fractions and flags from the poses.
    fn place(&mut self) {
        self.distances.clear();
        for (number, obstacle) in self.obstacles.iter_mut().enumerate() {
            self.distances.add(number as u8, &mut obstacle.shape, self.poses[number]);
        }
        self.earlier.copy_from_slice(&self.poses);
        self.travel = 0.0;
        self.compute_face_fractions();
        self.flag_cells();
        self.close_thin_walls();
    }

    fn close_thin_walls(&mut self) {
        let Some((thin_wall_faces, distance_sampler)) = &mut self.thin else { return };
        let nodes = &self.distances.nearest;
        distance_sampler.update(nodes);
        let (obstacles, poses, reaches) = (&self.obstacles, &self.poses, &self.reaches);
        let near = |[from, to]: [[f64; D]; 2]| {
            let length = distance_between(from, to);
            (0..obstacles.len()).filter_map(move |number| {
                let pose = poses[number];
                let is_near = distance_between(pose.position(), from) <= reaches[number] + length;
                is_near.then(|| (&obstacles[number].shape, [pose.to_local(from), pose.to_local(to)]))
            })
        };
        thin_wall_faces.find(
            nodes,
            |segment| near(segment).any(|(shape, own)| shape.crosses(own)),
            |segment| near(segment).any(|(shape, own)| shape.separates(own)),
        );
        thin_wall_faces.close(&mut self.open);
    }

    /// The greatest speed of any point of an obstacle at a time.
    pub fn speed(&self, time: f64) -> f64 {
        let speeds = self.obstacles.iter().zip(&self.reaches);
        let speeds = speeds.map(|(one, reach)| one.trajectory.speed(time, *reach));
        speeds.fold(0.0, f64::max)
    }

    /// Open area fractions of the faces normal to each axis, 0 to 1.
    pub fn open(&self) -> &MacVelocity<f64, D> {
        &self.open
    }

    /// Flags of the faces normal to an axis: [`SOLID`] and [`solid_neighbour_flag`].
    pub fn face_kinds(&self, axis: usize) -> &Field<u8, D> {
        &self.face_kinds[axis]
    }

    /// Flags of the cells.
    pub fn cell_kinds(&self) -> &Field<u8, D> {
        &self.cell_kinds
    }

    /// Signed distance to the nearest obstacle at nodes, in metres, clamped to a narrow band.
    pub fn distances(&self) -> &Field<f64, D> {
        &self.distances.nearest
    }

    /// Signed distance of a point from the nearest obstacle, in metres, negative inside, clamped to a narrow band.
    /// Exact: computed from the shapes, not interpolated.
    pub fn distance_from(&self, point: [f64; D]) -> f64 {
        let band = self.distances.band;
        let rough = self.distance_between_nodes(point);
        if rough.abs() >= band {
            return rough;
        }
        let shapes = self.obstacles.iter().zip(&self.poses);
        let nearest = shapes.map(|(one, pose)| one.shape.distance(*pose, point, band));
        nearest.fold(f64::INFINITY, f64::min).clamp(-band, band)
    }

    /// Pushes a point out of all obstacles along the distance gradient, to a small distance off the surface; `None`
    /// when it is too deep inside.
    pub fn push_outside(&self, point: [f64; D]) -> Option<[f64; D]> {
        let cell = self.smallest_cell();
        let margin = PUSH_MARGIN * cell;
        let mut position = point;
        for _ in 0..MAX_PUSHES {
            let depth = margin - self.distance_from(position);
            if depth <= 0.0 {
                return Some(position);
            }
            let uphill = self.outward_normal(position, 0.01 * cell)?;
            // Slightly more, or rounding would require another step
            position = std::array::from_fn(|axis| position[axis] + (depth + 0.1 * margin) * uphill[axis]);
        }
        None
    }

    /// Unit normal of the nearest obstacle: the normalised gradient of the distance, by central differences over
    /// ±`reach`.
    pub(super) fn outward_normal(&self, point: [f64; D], reach: f64) -> Option<[f64; D]> {
        let rise = |axis: usize| {
            let at = |by: f64| {
                let mut adjacent = point;
                adjacent[axis] += by;
                self.distance_from(adjacent)
            };
            at(reach) - at(-reach)
        };
        let gradient: [f64; D] = std::array::from_fn(rise);
        let length = gradient.iter().map(|x| x * x).sum::<f64>().sqrt();
        (length > 0.0).then(|| gradient.map(|x| x / length))
    }

    pub(super) fn smallest_cell(&self) -> f64 {
        self.distances.nearest.grid().spacing().into_iter().fold(f64::INFINITY, f64::min)
    }

    /// The distance at a point of the box, multilinear between nodes.
    fn distance_between_nodes(&self, point: [f64; D]) -> f64 {
        let nodes = &self.distances.nearest;
        let grid = nodes.grid();
        let (mut below, mut fraction) = ([0; D], [0.0; D]);
        for axis in 0..D {
            let last = grid.cells()[axis] as f64;
            let along = ((point[axis] - grid.origin()[axis]) / grid.spacing()[axis]).clamp(0.0, last);
            below[axis] = along.min(last - 1.0) as isize;
            fraction[axis] = along - below[axis] as f64;
        }
        let weight = |corner: usize| {
            let along =
                |axis: usize| if corner >> axis & 1 == 1 { fraction[axis] } else { 1.0 - fraction[axis] };
            (0..D).map(along).product::<f64>()
        };
        (0..1 << D).map(|corner| weight(corner) * nodes.at(corner_node(below, corner))).sum()
    }

    /// The render meshes of the obstacles in their current poses; none of a 2-D fluid without a raised surface.
    pub fn bodies(&self) -> Vec<Body> {
        let body = |((id, mesh), pose): ((u32, &Arc<Mesh>), &Pose<D>)| Body {
            id,
            mesh: Arc::clone(mesh),
            position: std::array::from_fn(|axis| pose.position().get(axis).map_or(0.0, |x| *x as f32)),
            rotation: pose.rotation().map(|part| part as f32),
        };
        (0..).zip(&self.bodies).zip(&self.poses).map(body).collect()
    }

    /// The velocity component along `axis` of the obstacle nearest to a face normal to that axis.
    #[inline]
    pub fn velocity(&self, axis: usize, at: [isize; D]) -> f64 {
        let owner = usize::from(self.distances.owner.at(at));
        self.rigid_velocities[owner].component(axis, self.open[axis].position(at))
    }

    /// θ ∈ [0.1, 1]: distance from a sample to the solid surface towards its neighbour along `axis`, in cells, by
    /// linear interpolation of the signed distance.
    pub fn wall_fraction(&self, location: Location, at: [isize; D], axis: usize, is_high: bool) -> f64 {
        let here = self.distance(location, at);
        let there = self.distance(location, neighbour(at, axis, if is_high { 1 } else { -1 }));
        // The lower bound keeps the Shortley–Weller coefficients bounded for a sample on the surface
        (here / (here - there)).clamp(0.1, 1.0)
    }

    /// Signed distance at a sample: the mean of the nodes around it.
    fn distance(&self, location: Location, at: [isize; D]) -> f64 {
        let nodes = &self.distances.nearest;
        let (mut sum, mut count) = (0.0, 0);
        for corner in 0..1 << D {
            let is_beside = (0..D).all(|axis| corner >> axis & 1 == 0 || !location.is_on_side(axis));
            if is_beside {
                sum += nodes.get(corner_node(at, corner)).unwrap_or(0.0);
                count += 1;
            }
        }
        sum / f64::from(count)
    }

    fn compute_face_fractions(&mut self) {
        let nodes = &self.distances.nearest;
        self.open_rows.update(|at| nodes.row(at).iter().all(|&distance| distance > 0.0));
        let open_rows = &self.open_rows;
        for axis in 0..D {
            par::rows(&mut self.open[axis], |at, row| {
                if open_rows.covers(at, Some(axis)) {
                    return row.fill(1.0);
                }
                for (x, open) in row.iter_mut().enumerate() {
                    *open = open_fraction(&face_corners(nodes, axis, along_row(at, x))[..1 << (D - 1)]);
                }
            });
            let kinds = &mut self.face_kinds[axis];
            par::rows(kinds, |at, row| {
                if open_rows.covers(at, Some(axis)) {
                    return row.fill(0);
                }
                for (x, kind) in row.iter_mut().enumerate() {
                    let corners = face_corners(nodes, axis, along_row(at, x));
                    let sum: f64 = corners[..1 << (D - 1)].iter().sum();
                    *kind = if sum <= 0.0 { SOLID } else { 0 };
                }
            });
            if self.thin.is_none() {
                flag_solid_neighbours(kinds);
            }
        }
    }

    fn flag_cells(&mut self) {
        let (nodes, open_rows) = (&self.distances.nearest, &self.open_rows);
        par::rows(&mut self.cell_kinds, |at, row| {
            if open_rows.covers(at, None) {
                return row.fill(0);
            }
            for (x, kind) in row.iter_mut().enumerate() {
                let cell = along_row(at, x);
                let sum: f64 = (0..1 << D).map(|corner| nodes.at(corner_node(cell, corner))).sum();
                *kind = if sum <= 0.0 { SOLID } else { 0 };
            }
        });
        if self.thin.is_none() {
            flag_solid_neighbours(&mut self.cell_kinds);
        }
    }

    /// Hash of which cells and faces are solid, to detect that obstacles were changed.
    pub fn fingerprint(&self) -> u64 {
        // Eight samples at a time
        let solid = u64::from_le_bytes([SOLID; 8]);
        let mixed = |sum: u64, word: u64| (sum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
        let kinds = self.face_kinds.iter().chain([&self.cell_kinds]);
        kinds.fold(1, |sum, field| {
            let (words, rest) = field.storage().as_chunks::<8>();
            let sum = words.iter().fold(sum, |sum, word| mixed(sum, u64::from_le_bytes(*word) & solid));
            rest.iter().fold(sum, |sum, kind| mixed(sum, u64::from(kind & SOLID)))
        })
    }

    /// Number of cells that are not solid.
    pub fn open_cells(&self) -> usize {
        par::sum(&self.cell_kinds, |kind| f64::from(1 - (kind & SOLID))) as usize
    }
}

fn bodies<const D: usize>(obstacles: &[Obstacle<D>]) -> Vec<Arc<Mesh>> {
    let body = |(number, one): (usize, &Obstacle<D>)| {
        body_mesh(&one.body_name(number), &one.shape).map(|mesh| one.drawn(mesh))
    };
    obstacles.iter().enumerate().filter_map(body).collect()
}

fn distance_between<const D: usize>(one: [f64; D], other: [f64; D]) -> f64 {
    (0..D).map(|axis| (one[axis] - other[axis]).powi(2)).sum::<f64>().sqrt()
}

#[inline]
pub(super) fn along_row<const D: usize>(mut at: [isize; D], x: usize) -> [isize; D] {
    at[0] += x as isize;
    at
}

/// A node of a cell or face: bit `a` of the corner's number selects the high node along axis `a`.
#[inline]
pub(super) fn corner_node<const D: usize>(at: [isize; D], corner: usize) -> [isize; D] {
    std::array::from_fn(|axis| at[axis] + (corner >> axis & 1) as isize)
}

/// Distances at the corners of a face, in the order of [`open_fraction`].
#[inline]
fn face_corners<const D: usize>(nodes: &Field<f64, D>, axis: usize, at: [isize; D]) -> [f64; 4] {
    let mut corners = [0.0; 4];
    for (number, corner) in corners.iter_mut().enumerate().take(1 << (D - 1)) {
        // The bits of the number belong to the axes other than `axis`, in order
        let low = number & ((1 << axis) - 1);
        let node = low | ((number - low) << 1);
        *corner = nodes.at(corner_node(at, node));
    }
    corners
}
