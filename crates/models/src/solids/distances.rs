//! Signed distance to the nearest shape at the nodes of a grid.

use std::ops::Range;

use undine_grid::{Condition, Field, FieldError, Grid, Location, par};

use super::ground::Ground;
use super::immersed_solids::along_row;
use super::mesh_body::MeshBody;
use super::polygon::{Polygon, distance_to_segment};
use super::shape::{SolidShape, to_xy, to_xyz};
use super::trajectory::Pose;
use super::winding::NodeBox;

/// Half width of the narrow band around a surface, in cells.
const BAND_CELLS: f64 = 3.0;

/// Signed distance to the nearest of several shapes at the nodes of a grid: positive outside, negative inside, clamped
/// to a narrow band.
#[derive(Debug, Clone)]
pub struct Distances<const D: usize> {
    /// The distance to the nearest shape.
    pub nearest: Field<f64, D>,
    /// Index of the nearest shape.
    pub owner: Field<u8, D>,
    /// Unsigned distance to the shape being added.
    unsigned: Field<f64, D>,
    /// 1 at nodes inside the shape being added.
    inside: Field<u8, D>,
    /// Half width of the narrow band, in metres.
    pub band: f64,
}

/// A box of nodes: a range of indices along each axis.
pub(super) type NodeRanges<const D: usize> = [Range<usize>; D];

impl<const D: usize> Distances<D> {
    /// No shapes: open space everywhere.
    pub fn new(grid: Grid<D>) -> Result<Self, FieldError> {
        let numbers = || Field::new(grid, Location::Node, Condition::Open, 1);
        let labels = || Field::new(grid, Location::Node, Condition::Open, 1);
        let band = BAND_CELLS * grid.spacing().into_iter().fold(0.0, f64::max);
        Ok(Distances { nearest: numbers()?, owner: labels()?, unsigned: numbers()?, inside: labels()?, band })
    }

    /// Removes all shapes.
    pub fn clear(&mut self) {
        self.nearest.fill(self.band);
        self.owner.fill(0);
    }

    /// Takes the minimum with the distance to a shape in a pose; `number` is its index.
    pub fn add(&mut self, number: u8, shape: &mut SolidShape<D>, pose: Pose<D>) {
        match shape {
            SolidShape::Outline { rest, placed } => self.add_outline(number, rest, placed, pose),
            SolidShape::Mesh(body) => self.add_mesh(number, body, pose),
            SolidShape::Ground(ground) => self.add_ground(number, ground),
            shape => self.add_formula(number, shape, pose),
        }
    }

    fn add_formula(&mut self, number: u8, shape: &SolidShape<D>, pose: Pose<D>) {
        let centre = pose.to_world([0.0; D]);
        let reach = shape.reach() + self.band;
        let nodes = self.nodes(centre.map(|x| x - reach), centre.map(|x| x + reach));
        for_each_index(&nodes, |at| {
            let point = self.position(at);
            self.keep_nearer(at, shape.local_distance(pose.to_local(point), self.band), number);
        });
    }

    fn add_outline(&mut self, number: u8, rest: &[[f64; 2]], placed: &mut Polygon, pose: Pose<D>) {
        placed.place(rest, |corner| to_xy(pose.to_world(std::array::from_fn(|axis| corner[axis.min(1)]))));
        let [low, high] = placed.bounds();
        let nodes = self.nodes_around(low, high);
        self.reset(&nodes);
        for side in placed.sides() {
            let [low, high] =
                [f64::min, f64::max].map(|pick| [0, 1].map(|axis| pick(side[0][axis], side[1][axis])));
            let near = self.nodes_around(low, high);
            for_each_index(&near, |at| {
                let distance = distance_to_segment(to_xy(self.position(at)), side);
                self.unsigned[at] = self.unsigned[at].min(distance);
            });
        }
        self.fill_inside(&nodes, placed);
        self.merge_signed(&nodes, number);
    }

    /// Marks the nodes inside a polygon by a scanline fill.
    fn fill_inside(&mut self, nodes: &NodeRanges<D>, polygon: &mut Polygon) {
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

    fn add_mesh(&mut self, number: u8, body: &mut MeshBody, pose: Pose<D>) {
        if D < 3 {
            return;
        }
        let to_world = |corner: [f64; 3]| to_xyz(pose.to_world(std::array::from_fn(|axis| corner[axis])));
        let [low, high] = body.place(to_world);
        let reach = self.band + body.margin();
        let corner = |corner: [f64; 3], by: f64| std::array::from_fn(|axis| corner[axis] + by);
        let nodes = self.nodes(corner(low, -reach), corner(high, reach));
        let first = self.position(nodes.each_ref().map(|range| range.start));
        let node_box = NodeBox {
            low: to_xyz(first),
            spacing: to_xyz(self.nearest.grid().spacing()),
            size: std::array::from_fn(|axis| nodes[axis].len()),
        };
        body.sample_distances(&node_box, self.band, |point| {
            to_xyz(pose.to_local(std::array::from_fn(|axis| point[axis])))
        });
        let mut index = 0;
        for_each_index(&nodes, |at| {
            self.keep_nearer(at, body.distance_at(index), number);
            index += 1;
        });
    }

    fn add_ground(&mut self, number: u8, ground: &Ground) {
        let (band, size) = (self.band, self.nearest.size());
        let nodes: NodeRanges<D> = size.map(|n| 0..n);
        let grid = *self.nearest.grid();
        par::rows(&mut self.unsigned, |at, row| {
            for (x, distance) in row.iter_mut().enumerate() {
                let node = along_row(at, x);
                *distance = ground.distance(to_xyz(grid.node(node)), band);
            }
        });
        for_each_index(&nodes, |at| self.keep_nearer(at, self.unsigned[at], number));
    }

    fn reset(&mut self, nodes: &NodeRanges<D>) {
        for_each_index(nodes, |at| {
            self.unsigned[at] = self.band;
            self.inside[at] = 0;
        });
    }

    fn merge_signed(&mut self, nodes: &NodeRanges<D>, number: u8) {
        for_each_index(nodes, |at| {
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
        self.nearest.position(at.map(|x| x as isize))
    }

    /// The nodes of a 2-D grid within the band of a bounding box.
    fn nodes_around(&self, low: [f64; 2], high: [f64; 2]) -> NodeRanges<D> {
        let pick = |corner: [f64; 2], by: f64| std::array::from_fn(|axis| corner[axis.min(1)] + by);
        self.nodes(pick(low, -self.band), pick(high, self.band))
    }

    /// The nodes within a bounding box.
    fn nodes(&self, low: [f64; D], high: [f64; D]) -> NodeRanges<D> {
        let (grid, size) = (self.nearest.grid(), self.nearest.size());
        std::array::from_fn(|axis| {
            let index = |at: f64| (at - grid.origin()[axis]) / grid.spacing()[axis];
            let most = size[axis] as f64;
            let first = index(low[axis]).ceil().clamp(0.0, most) as usize;
            let end = (index(high[axis]).floor() + 1.0).clamp(0.0, most) as usize;
            first..end.max(first)
        })
    }
}

/// Calls `work` with every index of a box, x fastest.
pub fn for_each_index<const D: usize>(nodes: &NodeRanges<D>, mut work: impl FnMut([usize; D])) {
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
