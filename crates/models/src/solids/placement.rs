//! All obstacles of a fluid on its grid: how far each node is from them, how open each face is, how they move.

use std::sync::Arc;

use undine_frame::{Body, Material, Mesh};
use undine_grid::{Condition, Field, FieldError, Grid, Location, MacVelocity, neighbour, par};

use super::barriers::Barriers;
use super::body::body_mesh;
use super::distances::Distances;
use super::fraction::open_share;
use super::kinds::{SOLID, name_neighbours};
use super::pose::{Course, Motion, Pose};
use super::prism::prism;
use super::probe::Probe;
use super::quiet_rows::QuietRows;
use super::shape::Shape;

/// The most obstacles of one fluid: each has a number in a byte.
pub const MOST: usize = 255;

/// How far off an obstacle something is put that was in it, in cells.
const MARGIN: f64 = 0.05;

/// How often a way out of obstacles is tried.
const TRIES: u32 = 8;

/// One obstacle.
#[derive(Debug, Clone)]
pub struct Obstacle<const D: usize> {
    /// What its body is called, where its author has named it.
    pub name: Option<String>,
    /// What its body is made of.
    pub material: Material,
    /// Its shape about its centre.
    pub shape: Shape<D>,
    /// Where its centre is at what time.
    pub course: Course<D>,
}

impl<const D: usize> Obstacle<D> {
    /// The name of its body: its own, or its number, counted from 1.
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
    motions: Vec<Motion<D>>,
    pub(super) poses: Vec<Pose<D>>,
    /// Where everything was before the last advance.
    pub(super) earlier: Vec<Pose<D>>,
    /// How far each shape reaches from its centre.
    pub(super) reaches: Vec<f64>,
    /// The obstacles as they are drawn, each in its own coordinates; of flat fluids only once they stand.
    bodies: Vec<Arc<Mesh>>,
    pub(super) distances: Distances<D>,
    open: MacVelocity<f64, D>,
    face_kinds: Vec<Field<u8, D>>,
    cell_kinds: Field<u8, D>,
    /// Rows of nodes that are open throughout.
    open_rows: QuietRows<D>,
    /// How far anything went in the last advance, in cells.
    pub(super) travel: f32,
    /// What liquids ask for: faces that thin walls close, and distances for particles.
    pub(super) thin: Option<(Barriers<D>, Probe<D>)>,
}

impl<const D: usize> Solids<D> {
    /// Puts obstacles on a grid as they are at a time.
    pub fn new(grid: Grid<D>, obstacles: Vec<Obstacle<D>>, time: f64) -> Result<Self, FieldError> {
        let mut solids = Solids::unplaced(grid, obstacles, time)?;
        solids.place(time);
        Ok(solids)
    }

    /// As [`Solids::new`], but no wall is too thin to hold water: faces between cells that it separates are closed, and
    /// particles can ask for [`Solids::crossing`]. The kinds of samples say only which are [`SOLID`].
    pub fn watertight(grid: Grid<D>, obstacles: Vec<Obstacle<D>>, time: f64) -> Result<Self, FieldError> {
        let mut solids = Solids::unplaced(grid, obstacles, time)?;
        solids.thin = Some((Barriers::new(grid)?, Probe::new(&solids.distances.nearest)));
        solids.place(time);
        Ok(solids)
    }

    fn unplaced(grid: Grid<D>, mut obstacles: Vec<Obstacle<D>>, time: f64) -> Result<Self, FieldError> {
        let distances = Distances::new(grid)?;
        let edge = grid.spacing().into_iter().fold(f64::INFINITY, f64::min);
        for obstacle in obstacles.iter_mut().filter(|obstacle| !obstacle.course.is_still()) {
            if let Shape::Mesh(body) = &mut obstacle.shape {
                body.prepare_to_move(edge, distances.band);
            }
        }
        let kinds = |location| Field::new(grid, location, Condition::Open, 1);
        let poses: Vec<Pose<D>> = obstacles.iter().map(|obstacle| obstacle.course.pose(time)).collect();
        Ok(Solids {
            motions: vec![Motion::none(); obstacles.len()],
            earlier: poses.clone(),
            poses,
            reaches: obstacles.iter().map(|obstacle| obstacle.shape.reach()).collect(),
            bodies: bodies(&obstacles),
            distances,
            open: MacVelocity::new(grid, Condition::Open, 1)?,
            face_kinds: (0..D).map(|axis| kinds(Location::Face(axis))).collect::<Result<_, _>>()?,
            cell_kinds: kinds(Location::Center)?,
            open_rows: QuietRows::new(grid.samples(Location::Node)),
            travel: 0.0,
            thin: None,
            obstacles,
        })
    }

    /// Lets the obstacles of a flat fluid stand upright between two heights, to be seen beside its raised surface.
    pub fn stand(&mut self, heights: [f64; 2]) {
        let named = self.obstacles.iter().enumerate();
        let body = |(number, one): (usize, &Obstacle<D>)| {
            prism(&one.body_name(number), &one.shape, heights).map(|mesh| one.drawn(mesh))
        };
        self.bodies = named.filter_map(body).collect();
    }

    /// Whether anything ever moves.
    pub fn are_still(&self) -> bool {
        self.obstacles.iter().all(|obstacle| obstacle.course.is_still())
    }

    /// Moves everything on to time `to`; motions are the mean ones since time `from`. True when anything can move.
    pub fn advance(&mut self, from: f64, to: f64) -> bool {
        if self.are_still() {
            return false;
        }
        for (motion, obstacle) in self.motions.iter_mut().zip(&self.obstacles) {
            *motion = obstacle.course.motion(from, to);
        }
        self.place(to);
        let earlier = self.earlier.iter_mut().zip(&self.obstacles);
        earlier.for_each(|(pose, obstacle)| *pose = obstacle.course.pose(from));
        let speeds = self.motions.iter().zip(&self.reaches).map(|(motion, reach)| motion.speed(*reach));
        self.travel = (speeds.fold(0.0, f64::max) * (to - from) / self.smallest_cell()) as f32;
        true
    }

    /// Puts everything where it is at a time.
    pub fn place(&mut self, time: f64) {
        self.distances.clear();
        for (number, obstacle) in self.obstacles.iter_mut().enumerate() {
            self.poses[number] = obstacle.course.pose(time);
            self.distances.add(number as u8, &mut obstacle.shape, self.poses[number]);
        }
        self.earlier.copy_from_slice(&self.poses);
        self.travel = 0.0;
        self.measure_faces();
        self.name_cells();
        self.find_thin_walls();
    }

    fn find_thin_walls(&mut self) {
        let Some((barriers, probe)) = &mut self.thin else { return };
        let nodes = &self.distances.nearest;
        probe.copy(nodes);
        let (obstacles, poses, reaches) = (&self.obstacles, &self.poses, &self.reaches);
        let near = |[from, to]: [[f64; D]; 2]| {
            let length = distance_between(from, to);
            (0..obstacles.len()).filter_map(move |number| {
                let pose = poses[number];
                let is_near = distance_between(pose.position(), from) <= reaches[number] + length;
                is_near.then(|| (&obstacles[number].shape, [pose.inwards(from), pose.inwards(to)]))
            })
        };
        barriers.find(
            nodes,
            |stretch| near(stretch).any(|(shape, own)| shape.crosses(own)),
            |stretch| near(stretch).any(|(shape, own)| shape.separates(own)),
        );
        barriers.close(&mut self.open);
    }

    /// The greatest speed of any point of an obstacle, now.
    pub fn speed(&self, time: f64) -> f64 {
        let speeds = self.obstacles.iter().zip(&self.reaches);
        let speeds = speeds.map(|(one, reach)| one.course.speed(time, *reach));
        speeds.fold(0.0, f64::max)
    }

    /// Open shares of the faces across each axis, 0 to 1.
    pub fn open(&self) -> &MacVelocity<f64, D> {
        &self.open
    }

    /// What the faces across an axis are: [`SOLID`], beside it ([`towards_solid`]), or neither.
    pub fn face_kinds(&self, axis: usize) -> &Field<u8, D> {
        &self.face_kinds[axis]
    }

    /// What the cells are.
    pub fn cell_kinds(&self) -> &Field<u8, D> {
        &self.cell_kinds
    }

    /// Distance to the nearest obstacle at nodes, in metres, within a band of some cells.
    pub fn distances(&self) -> &Field<f64, D> {
        &self.distances.nearest
    }

    /// Signed distance of a point from the nearest obstacle, in metres, negative inside, within a band of some cells. It
    /// is that of the shapes themselves.
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

    /// The nearest point outside all obstacles, a little off their surface; `None` from too deep inside.
    pub fn way_out(&self, point: [f64; D]) -> Option<[f64; D]> {
        let cell = self.smallest_cell();
        let margin = MARGIN * cell;
        let mut place = point;
        for _ in 0..TRIES {
            let depth = margin - self.distance_from(place);
            if depth <= 0.0 {
                return Some(place);
            }
            let uphill = self.slope(place, 0.01 * cell)?;
            // A hair more, or rounding would ask for another try
            place = std::array::from_fn(|axis| place[axis] + (depth + 0.1 * margin) * uphill[axis]);
        }
        None
    }

    /// Unit vector away from the nearest obstacle.
    pub(super) fn slope(&self, point: [f64; D], reach: f64) -> Option<[f64; D]> {
        let rise = |axis: usize| {
            let at = |by: f64| {
                let mut beside = point;
                beside[axis] += by;
                self.distance_from(beside)
            };
            at(reach) - at(-reach)
        };
        let slope: [f64; D] = std::array::from_fn(rise);
        let length = slope.iter().map(|along| along * along).sum::<f64>().sqrt();
        (length > 0.0).then(|| slope.map(|along| along / length))
    }

    pub(super) fn smallest_cell(&self) -> f64 {
        self.distances.nearest.grid().spacing().into_iter().fold(f64::INFINITY, f64::min)
    }

    /// The distance at a point of the box, linear between nodes.
    fn distance_between_nodes(&self, point: [f64; D]) -> f64 {
        let nodes = &self.distances.nearest;
        let grid = nodes.grid();
        let (mut below, mut share) = ([0; D], [0.0; D]);
        for axis in 0..D {
            let last = grid.cells()[axis] as f64;
            let along = ((point[axis] - grid.origin()[axis]) / grid.spacing()[axis]).clamp(0.0, last);
            below[axis] = along.min(last - 1.0) as isize;
            share[axis] = along - below[axis] as f64;
        }
        let weight = |corner: usize| {
            let along = |axis: usize| if corner >> axis & 1 == 1 { share[axis] } else { 1.0 - share[axis] };
            (0..D).map(along).product::<f64>()
        };
        (0..1 << D).map(|corner| weight(corner) * nodes.at(corner_node(below, corner))).sum()
    }

    /// The obstacles where they are now, as they are drawn; none of a flat fluid that is not raised.
    pub fn bodies(&self) -> Vec<Body> {
        let body = |((id, mesh), pose): ((u32, &Arc<Mesh>), &Pose<D>)| Body {
            id,
            mesh: Arc::clone(mesh),
            position: std::array::from_fn(|axis| {
                pose.position().get(axis).map_or(0.0, |along| *along as f32)
            }),
            rotation: pose.rotation().map(|part| part as f32),
        };
        (0..).zip(&self.bodies).zip(&self.poses).map(body).collect()
    }

    /// The velocity component along `axis` of the obstacle at a face across that axis.
    #[inline]
    pub fn velocity(&self, axis: usize, at: [isize; D]) -> f64 {
        let owner = usize::from(self.distances.owner.at(at));
        self.motions[owner].component(axis, self.open[axis].position(at))
    }

    /// Share of the way from a sample to its neighbour along `axis` at which the solid begins.
    pub fn way_to_solid(&self, location: Location, at: [isize; D], axis: usize, is_high: bool) -> f64 {
        let here = self.distance(location, at);
        let there = self.distance(location, neighbour(at, axis, if is_high { 1 } else { -1 }));
        // A sample on the very surface would make the difference quotient explode
        (here / (here - there)).clamp(0.1, 1.0)
    }

    /// Distance at a sample: the mean of the nodes around it.
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

    fn measure_faces(&mut self) {
        let nodes = &self.distances.nearest;
        self.open_rows.look(|at| nodes.row(at).iter().all(|&distance| distance > 0.0));
        let open_rows = &self.open_rows;
        for axis in 0..D {
            par::rows(&mut self.open[axis], |at, row| {
                if open_rows.surround(at, Some(axis)) {
                    return row.fill(1.0);
                }
                for (x, open) in row.iter_mut().enumerate() {
                    *open = open_share(&face_corners(nodes, axis, along_row(at, x))[..1 << (D - 1)]);
                }
            });
            let kinds = &mut self.face_kinds[axis];
            par::rows(kinds, |at, row| {
                if open_rows.surround(at, Some(axis)) {
                    return row.fill(0);
                }
                for (x, kind) in row.iter_mut().enumerate() {
                    let corners = face_corners(nodes, axis, along_row(at, x));
                    let sum: f64 = corners[..1 << (D - 1)].iter().sum();
                    *kind = if sum <= 0.0 { SOLID } else { 0 };
                }
            });
            if self.thin.is_none() {
                name_neighbours(kinds);
            }
        }
    }

    fn name_cells(&mut self) {
        let (nodes, open_rows) = (&self.distances.nearest, &self.open_rows);
        par::rows(&mut self.cell_kinds, |at, row| {
            if open_rows.surround(at, None) {
                return row.fill(0);
            }
            for (x, kind) in row.iter_mut().enumerate() {
                let cell = along_row(at, x);
                let sum: f64 = (0..1 << D).map(|corner| nodes.at(corner_node(cell, corner))).sum();
                *kind = if sum <= 0.0 { SOLID } else { 0 };
            }
        });
        if self.thin.is_none() {
            name_neighbours(&mut self.cell_kinds);
        }
    }

    /// A number that tells apart which cells and faces are solid: two placements with the same one stand alike.
    pub fn footprint(&self) -> u64 {
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

    /// Number of cells whose middle is open.
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

/// A node of a cell or face: bit `a` of the corner's number moves one on along axis `a`.
#[inline]
pub(super) fn corner_node<const D: usize>(at: [isize; D], corner: usize) -> [isize; D] {
    std::array::from_fn(|axis| at[axis] + (corner >> axis & 1) as isize)
}

/// Distances at the corners of a face, in the order in which [`open_share`] wants them.
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
