//! Shapes of obstacles: signed distance, containment and segment intersection.

use super::ground::Ground;
use super::mesh_body::MeshBody;
use super::polygon::{Polygon, signed_distance};
use super::segment_intersection::{intersect_ball, intersect_block, intersect_cylinder, polygon_entry};
use super::trajectory::Pose;

/// A shape in local coordinates.
#[derive(Debug, Clone)]
pub enum SolidShape<const D: usize> {
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
        /// Its corners in local coordinates.
        rest: Vec<[f64; 2]>,
        /// The polygon in the current pose.
        placed: Polygon,
    },
    /// A closed mesh or a sheet, in 3-D.
    Mesh(Box<MeshBody>),
    /// Everything below a height, in 3-D.
    Ground(Box<Ground>),
}

impl<const D: usize> SolidShape<D> {
    /// Radius of the bounding sphere about its origin.
    pub fn reach(&self) -> f64 {
        let length = |point: &[f64]| point.iter().map(|x| x * x).sum::<f64>().sqrt();
        match self {
            SolidShape::Ball { radius } => *radius,
            SolidShape::Block { half } => length(half),
            SolidShape::Cylinder { radius, half_height } => radius.hypot(*half_height),
            SolidShape::Outline { rest, .. } => rest.iter().map(|corner| length(corner)).fold(0.0, f64::max),
            SolidShape::Mesh(body) => {
                let corners = body.triangles().iter().flatten();
                body.margin() + corners.map(|corner| length(corner)).fold(0.0, f64::max)
            }
            SolidShape::Ground(_) => f64::MAX,
        }
    }

    /// Signed distance of a point in world coordinates from the shape in a pose; of meshes and ground, exact up to
    /// `within`.
    pub fn distance(&self, pose: Pose<D>, point: [f64; D], within: f64) -> f64 {
        match self {
            SolidShape::Outline { placed, .. } => placed.distance(to_xy(point)),
            shape => shape.local_distance(pose.to_local(point), within),
        }
    }

    /// Signed distance of a point in local coordinates; of meshes and ground, exact up to `within`.
    pub fn local_distance(&self, point: [f64; D], within: f64) -> f64 {
        let length = |point: &[f64]| point.iter().map(|x| x * x).sum::<f64>().sqrt();
        match self {
            SolidShape::Ball { radius } => length(&point) - radius,
            SolidShape::Block { half } => {
                let beyond: [f64; D] = std::array::from_fn(|axis| point[axis].abs() - half[axis]);
                distance_to_box(beyond)
            }
            SolidShape::Cylinder { radius, half_height } => {
                let across = point[0].hypot(point[1]) - radius;
                let up = point.get(2).map_or(f64::NEG_INFINITY, |height| height.abs() - half_height);
                distance_to_box([across, up])
            }
            SolidShape::Outline { rest, .. } => signed_distance(rest, to_xy(point)),
            SolidShape::Mesh(body) => body.distance(to_xyz(point), within),
            SolidShape::Ground(ground) => ground.distance(to_xyz(point), within),
        }
    }

    /// Whether a point in local coordinates lies inside.
    pub fn contains(&self, point: [f64; D]) -> bool {
        match self {
            SolidShape::Mesh(body) => body.contains(to_xyz(point)),
            SolidShape::Ground(ground) => ground.contains(to_xyz(point)),
            shape => shape.local_distance(point, 0.0) <= 0.0,
        }
    }

    /// Parameter t ∈ [0, 1] at which a segment in local coordinates enters the shape; zero if it begins inside.
    pub fn entry(&self, segment: [[f64; D]; 2]) -> Option<f64> {
        match self {
            SolidShape::Ball { radius } => intersect_ball(segment, *radius).map(|[entry, _]| entry),
            SolidShape::Block { half } => intersect_block(segment, *half).map(|[entry, _]| entry),
            SolidShape::Cylinder { radius, half_height } => {
                intersect_cylinder(segment, *radius, *half_height).map(|[entry, _]| entry)
            }
            SolidShape::Outline { rest, .. } => polygon_entry(segment.map(to_xy), rest),
            SolidShape::Mesh(body) => body.entry(segment.map(to_xyz)),
            SolidShape::Ground(ground) => ground.entry(segment.map(to_xyz)),
        }
    }

    /// Whether the shape intersects a segment between two open points in local coordinates. Always false for ground,
    /// which has no thin parts.
    pub fn crosses(&self, segment: [[f64; D]; 2]) -> bool {
        match self {
            SolidShape::Ground(_) => false,
            SolidShape::Mesh(body) => body.is_crossed(segment.map(to_xyz)),
            shape => shape.entry(segment).is_some(),
        }
    }

    /// Whether the shape intersects a segment in local coordinates or contains its first end.
    pub fn separates(&self, segment: [[f64; D]; 2]) -> bool {
        match self {
            SolidShape::Ground(ground) => ground.entry(segment.map(to_xyz)).is_some(),
            SolidShape::Mesh(body) => body.is_crossed(segment.map(to_xyz)) || body.holds(to_xyz(segment[0])),
            shape => shape.entry(segment).is_some(),
        }
    }
}

/// Signed distance from a box, given the signed distances from its faces.
fn distance_to_box<const N: usize>(beyond: [f64; N]) -> f64 {
    let outside = beyond.iter().map(|x| x.max(0.0).powi(2)).sum::<f64>().sqrt();
    let deepest = beyond.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    outside + deepest.min(0.0)
}

pub(super) fn to_xy<const D: usize>(point: [f64; D]) -> [f64; 2] {
    [point[0], point[1]]
}

pub(super) fn to_xyz<const D: usize>(point: [f64; D]) -> [f64; 3] {
    std::array::from_fn(|axis| point.get(axis).copied().unwrap_or(0.0))
}
