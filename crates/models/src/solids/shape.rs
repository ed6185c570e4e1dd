//! The shapes an obstacle can have: how far a point is from one, and where a stretch enters it.

use super::ground::Ground;
use super::mesh_body::MeshBody;
use super::passage::{enter_outline, through_ball, through_block, through_cylinder};
use super::polygon::{Polygon, signed_distance};
use super::pose::Pose;

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
    /// A closed mesh or a sheet, in 3-D.
    Mesh(Box<MeshBody>),
    /// Everything below a height, in 3-D.
    Ground(Box<Ground>),
}

impl<const D: usize> Shape<D> {
    /// The farthest that any of its points is from its centre.
    pub fn reach(&self) -> f64 {
        let length = |point: &[f64]| point.iter().map(|along| along * along).sum::<f64>().sqrt();
        match self {
            Shape::Ball { radius } => *radius,
            Shape::Block { half } => length(half),
            Shape::Cylinder { radius, half_height } => radius.hypot(*half_height),
            Shape::Outline { rest, .. } => rest.iter().map(|corner| length(corner)).fold(0.0, f64::max),
            Shape::Mesh(body) => {
                let corners = body.triangles().iter().flatten();
                body.margin() + corners.map(|corner| length(corner)).fold(0.0, f64::max)
            }
            Shape::Ground(_) => f64::MAX,
        }
    }

    /// Signed distance of a point of the world from the shape in a pose; of meshes and ground, exact up to `within`.
    pub fn distance(&self, pose: Pose<D>, point: [f64; D], within: f64) -> f64 {
        match self {
            Shape::Outline { placed, .. } => placed.distance(flat(point)),
            shape => shape.own_distance(pose.inwards(point), within),
        }
    }

    /// Signed distance of a point of the shape's own space; of meshes and ground, exact up to `within`.
    pub fn own_distance(&self, point: [f64; D], within: f64) -> f64 {
        let length = |point: &[f64]| point.iter().map(|along| along * along).sum::<f64>().sqrt();
        match self {
            Shape::Ball { radius } => length(&point) - radius,
            Shape::Block { half } => {
                let beyond: [f64; D] = std::array::from_fn(|axis| point[axis].abs() - half[axis]);
                distance_to_box(beyond)
            }
            Shape::Cylinder { radius, half_height } => {
                let across = point[0].hypot(point[1]) - radius;
                let up = point.get(2).map_or(f64::NEG_INFINITY, |height| height.abs() - half_height);
                distance_to_box([across, up])
            }
            Shape::Outline { rest, .. } => signed_distance(rest, flat(point)),
            Shape::Mesh(body) => body.distance(deep(point), within),
            Shape::Ground(ground) => ground.distance(deep(point), within),
        }
    }

    /// Whether a point of the shape's own space lies in it.
    pub fn contains(&self, point: [f64; D]) -> bool {
        match self {
            Shape::Mesh(body) => body.contains(deep(point)),
            Shape::Ground(ground) => ground.contains(deep(point)),
            shape => shape.own_distance(point, 0.0) <= 0.0,
        }
    }

    /// How far along a stretch of the shape's own space, as a share of it, the solid begins; zero for one that begins in
    /// it.
    pub fn entry(&self, stretch: [[f64; D]; 2]) -> Option<f64> {
        match self {
            Shape::Ball { radius } => through_ball(stretch, *radius).map(|[entry, _]| entry),
            Shape::Block { half } => through_block(stretch, *half).map(|[entry, _]| entry),
            Shape::Cylinder { radius, half_height } => {
                through_cylinder(stretch, *radius, *half_height).map(|[entry, _]| entry)
            }
            Shape::Outline { rest, .. } => enter_outline(stretch.map(flat), rest),
            Shape::Mesh(body) => body.entry(stretch.map(deep)),
            Shape::Ground(ground) => ground.entry(stretch.map(deep)),
        }
    }

    /// Whether the shape lies between two points of its own space that are both in the open. Ground has no thin parts.
    pub fn crosses(&self, stretch: [[f64; D]; 2]) -> bool {
        match self {
            Shape::Ground(_) => false,
            Shape::Mesh(body) => body.is_crossed(stretch.map(deep)),
            shape => shape.entry(stretch).is_some(),
        }
    }

    /// Whether the shape lies between two points of its own space, or holds them.
    pub fn separates(&self, stretch: [[f64; D]; 2]) -> bool {
        match self {
            Shape::Ground(ground) => ground.entry(stretch.map(deep)).is_some(),
            Shape::Mesh(body) => body.is_crossed(stretch.map(deep)) || body.holds(deep(stretch[0])),
            shape => shape.entry(stretch).is_some(),
        }
    }
}

/// Distance from a box, given how far a point lies beyond each of its faces.
fn distance_to_box<const N: usize>(beyond: [f64; N]) -> f64 {
    let outside = beyond.iter().map(|along| along.max(0.0).powi(2)).sum::<f64>().sqrt();
    let deepest = beyond.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    outside + deepest.min(0.0)
}

pub(super) fn flat<const D: usize>(point: [f64; D]) -> [f64; 2] {
    [point[0], point[1]]
}

pub(super) fn deep<const D: usize>(point: [f64; D]) -> [f64; 3] {
    std::array::from_fn(|axis| point.get(axis).copied().unwrap_or(0.0))
}
