//! The shapes an obstacle can have, and their distances at the nodes of a grid.

use std::ops::Range;

use undine_grid::{Condition, Field, FieldError, Grid, Location};

use super::mesh::{self, Triangle};
use super::polygon::{Polygon, distance_to_side};
use super::pose::Pose;

/// Cells around a surface within which its distance is known.
const BAND_CELLS: f64 = 3.0;

/// A shape about its own centre.
#[derive(Debug, Clone)]
pub enum Shape<const D: usize> {
    /// A disc or a sphere.
    Ball {
        /// Its radius in metres.
        radius: f64,
    },
    /// A rectangle or a box.
    Block {
        /// Half of its size in metres.
        half: [f64; D],
    },
    /// An upright cylinder; in 2-D a disc.
    Cylinder {
        /// Its radius in metres.
        radius: f64,
        /// Half of its height in metres.
        half_height: f64,
    },
    /// A polygon, in 2-D.
    Outline {
        /// Its corners before it is moved.
        rest: Vec<[f64; 2]>,
        /// The polygon where it is now.
        placed: Polygon,
    },
    /// A closed mesh, in 3-D.
    Mesh {
        /// Its triangles before it is moved.
        rest: Vec<Triangle>,
        /// Its triangles where they are now.
        placed: Vec<Triangle>,
    },
}

/// Distances to the nearest of several shapes at the nodes of a grid: positive outside, negative inside, and no more
/// than a band of some cells either way.
#[derive(Debug, Clone)]
pub struct Distances<const D: usize> {
    /// The distance to the nearest shape.
    pub nearest: Field<f64, D>,
    /// The number of the nearest shape.
    pub owner: Field<u8, D>,
    /// Distance to the shape that is being added, without a sign.
    unsigned: Field<f64, D>,
    /// Whether the nodes are in the shape that is being added.
    inside: Field<u8, D>,
    /// How far distances are known, in metres.
    pub band: f64,
}

/// A box of nodes.
pub(super) type Nodes<const D: usize> = [Range<usize>; D];

impl<const D: usize> Shape<D> {
    /// The farthest that any of its points is from its centre.
    pub fn reach(&self) -> f64 {
        let length = |point: &[f64]| point.iter().map(|along| along * along).sum::<f64>().sqrt();
        match self {
            Shape::Ball { radius } => *radius,
            Shape::Block { half } => length(half),
            Shape::Cylinder { radius, half_height } => radius.hypot(*half_height),
            Shape::Outline { rest, .. } => rest.iter().map(|corner| length(corner)).fold(0.0, f64::max),
            Shape::Mesh { rest, .. } => {
                rest.iter().flatten().map(|corner| length(corner)).fold(0.0, f64::max)
            }
        }
    }

    /// Signed distance of a point of the world from the shape in a pose; `None` for meshes, which have too many sides.
    pub fn distance(&self, pose: Pose<D>, point: [f64; D]) -> Option<f64> {
        match self {
            Shape::Outline { placed, .. } => Some(placed.distance(flat(point))),
            shape => shape.formula(pose.inwards(point)),
        }
    }

    /// Signed distance of a point of the shape's own space, for shapes that have a formula.
    fn formula(&self, point: [f64; D]) -> Option<f64> {
        let length = |point: &[f64]| point.iter().map(|along| along * along).sum::<f64>().sqrt();
        match *self {
            Shape::Ball { radius } => Some(length(&point) - radius),
            Shape::Block { half } => {
                let beyond: [f64; D] = std::array::from_fn(|axis| point[axis].abs() - half[axis]);
                Some(distance_to_box(beyond))
            }
            Shape::Cylinder { radius, half_height } => {
                let across = point[0].hypot(point[1]) - radius;
                let up = point.get(2).map_or(f64::NEG_INFINITY, |height| height.abs() - half_height);
                Some(distance_to_box([across, up]))
            }
            Shape::Outline { .. } | Shape::Mesh { .. } => None,
        }
    }
}

/// Distance from a box, given how far a point lies beyond each of its faces.
fn distance_to_box<const N: usize>(beyond: [f64; N]) -> f64 {
    let outside = beyond.iter().map(|along| along.max(0.0).powi(2)).sum::<f64>().sqrt();
    let deepest = beyond.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    outside + deepest.min(0.0)
}

impl<const D: usize> Distances<D> {
    /// Nothing but open space.
    pub fn new(grid: Grid<D>) -> Result<Self, FieldError> {
        let numbers = || Field::new(grid, Location::Node, Condition::Open, 1);
        let labels = || Field::new(grid, Location::Node, Condition::Open, 1);
        let band = BAND_CELLS * grid.spacing().into_iter().fold(0.0, f64::max);
        Ok(Distances { nearest: numbers()?, owner: labels()?, unsigned: numbers()?, inside: labels()?, band })
    }

    /// Takes all shapes away.
    pub fn clear(&mut self) {
        self.nearest.fill(self.band);
        self.owner.fill(0);
    }

    /// Adds a shape in a pose under a number.
    pub fn add(&mut self, number: u8, shape: &mut Shape<D>, pose: Pose<D>) {
        match shape {
            Shape::Outline { rest, placed } => self.add_outline(number, rest, placed, pose),
            Shape::Mesh { rest, placed } => self.add_mesh(number, rest, placed, pose),
            shape => self.add_formula(number, shape, pose),
        }
    }

    fn add_formula(&mut self, number: u8, shape: &Shape<D>, pose: Pose<D>) {
        let centre = pose.outwards([0.0; D]);
        let reach = shape.reach() + self.band;
        let nodes = self.nodes(centre.map(|along| along - reach), centre.map(|along| along + reach));
        for_each_in(&nodes, |at| {
            let point = self.position(at);
            if let Some(distance) = shape.formula(pose.inwards(point)) {
                self.keep_nearer(at, distance, number);
            }
        });
    }

    fn add_outline(&mut self, number: u8, rest: &[[f64; 2]], placed: &mut Polygon, pose: Pose<D>) {
        placed.place(rest, |corner| flat(pose.outwards(std::array::from_fn(|axis| corner[axis.min(1)]))));
        let [low, high] = placed.bounds();
        let nodes = self.nodes_around(low, high);
        self.forget(&nodes);
        for side in placed.sides() {
            let [low, high] =
                [f64::min, f64::max].map(|pick| [0, 1].map(|axis| pick(side[0][axis], side[1][axis])));
            let near = self.nodes_around(low, high);
            for_each_in(&near, |at| {
                let distance = distance_to_side(flat(self.position(at)), side);
                self.unsigned[at] = self.unsigned[at].min(distance);
            });
        }
        self.fill_inside(&nodes, placed);
        self.take_over(&nodes, number);
    }

    /// Marks the nodes inside a polygon, row by row.
    fn fill_inside(&mut self, nodes: &Nodes<D>, polygon: &mut Polygon) {
        let grid = *self.inside.grid();
        let (origin, spacing) = (grid.origin(), grid.spacing());
        let (columns, rows) = (nodes[0].clone(), nodes[1].clone());
        let height = |row: usize| origin[1] + (rows.start + row) as f64 * spacing[1];
        let inside = &mut self.inside;
        polygon.scan(rows.len(), height, |row, gap| {
            let first = |x: f64| {
                ((x - origin[0]) / spacing[0]).ceil().clamp(columns.start as f64, columns.end as f64)
            };
            for x in first(gap[0]) as usize..first(gap[1]) as usize {
                inside[std::array::from_fn(|axis| [x, rows.start + row, 0][axis])] = 1;
            }
        });
    }

    fn add_mesh(&mut self, number: u8, rest: &[Triangle], placed: &mut [Triangle], pose: Pose<D>) {
        let to_world = |corner: [f64; 3]| {
            let moved = pose.outwards(std::array::from_fn(|axis| corner[axis]));
            std::array::from_fn(|axis| moved.get(axis).copied().unwrap_or(0.0))
        };
        placed.iter_mut().zip(rest).for_each(|(triangle, rest)| *triangle = rest.map(to_world));
        let [low, high] = mesh::bounds(placed);
        let nodes = self.nodes(self.lowered(low), self.raised(high));
        self.forget(&nodes);
        for triangle in placed.iter() {
            let [low, high] = mesh::bounds(std::slice::from_ref(triangle));
            let near = self.nodes(self.lowered(low), self.raised(high));
            for_each_in(&near, |at| {
                let distance = mesh::distance(deep(self.position(at)), triangle);
                self.unsigned[at] = self.unsigned[at].min(distance);
            });
        }
        mesh::fill_inside(&mut self.inside, &nodes, placed);
        self.take_over(&nodes, number);
    }

    fn lowered(&self, corner: [f64; 3]) -> [f64; D] {
        std::array::from_fn(|axis| corner[axis] - self.band)
    }

    fn raised(&self, corner: [f64; 3]) -> [f64; D] {
        std::array::from_fn(|axis| corner[axis] + self.band)
    }

    fn forget(&mut self, nodes: &Nodes<D>) {
        for_each_in(nodes, |at| {
            self.unsigned[at] = self.band;
            self.inside[at] = 0;
        });
    }

    fn take_over(&mut self, nodes: &Nodes<D>, number: u8) {
        for_each_in(nodes, |at| {
            let sign = if self.inside[at] == 1 { -1.0 } else { 1.0 };
            self.keep_nearer(at, sign * self.unsigned[at], number);
        });
    }

    fn keep_nearer(&mut self, at: [usize; D], distance: f64, number: u8) {
        let distance = distance.clamp(-self.band, self.band);
        if distance < self.nearest[at] {
            self.nearest[at] = distance;
            self.owner[at] = number;
        }
    }

    fn position(&self, at: [usize; D]) -> [f64; D] {
        self.nearest.position(at.map(|along| along as isize))
    }

    /// The nodes of a plane within the band of a box.
    fn nodes_around(&self, low: [f64; 2], high: [f64; 2]) -> Nodes<D> {
        let pick = |corner: [f64; 2], by: f64| std::array::from_fn(|axis| corner[axis.min(1)] + by);
        self.nodes(pick(low, -self.band), pick(high, self.band))
    }

    /// The nodes between two corners.
    fn nodes(&self, low: [f64; D], high: [f64; D]) -> Nodes<D> {
        let (grid, size) = (self.nearest.grid(), self.nearest.size());
        std::array::from_fn(|axis| {
            let place = |at: f64| (at - grid.origin()[axis]) / grid.spacing()[axis];
            let most = size[axis] as f64;
            let first = place(low[axis]).ceil().clamp(0.0, most) as usize;
            let end = (place(high[axis]).floor() + 1.0).clamp(0.0, most) as usize;
            first..end.max(first)
        })
    }
}

/// Calls `work` with every node of a box, x fastest.
pub fn for_each_in<const D: usize>(nodes: &Nodes<D>, mut work: impl FnMut([usize; D])) {
    let rows = nodes.get(1).cloned().unwrap_or(0..1);
    let planes = nodes.get(2).cloned().unwrap_or(0..1);
    for z in planes {
        for y in rows.clone() {
            for x in nodes[0].clone() {
                work(std::array::from_fn(|axis| [x, y, z][axis]));
            }
        }
    }
}

fn flat<const D: usize>(point: [f64; D]) -> [f64; 2] {
    [point[0], point[1]]
}

fn deep<const D: usize>(point: [f64; D]) -> [f64; 3] {
    std::array::from_fn(|axis| point.get(axis).copied().unwrap_or(0.0))
}
