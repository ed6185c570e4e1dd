//! Solids in a fluid: polygons, primitives and meshes, standing or moving. Shared by the waters that fill a box.
//!
//! A scene describes them in `[[obstacle]]`. Each has a shape about its own centre and a course: where the centre is
//! at what time and how the shape is turned. On the grid they become a signed distance at the nodes (exact near the
//! surface, for polygons and meshes by the nearest side and a scan that tells inside from outside), and from it come
//! the open shares of the faces [batty2007, ng2009] and the samples that lie in solid. This is done once, and again only
//! when something moves.
//!
//! Not modelled: obstacles that the fluid pushes, obstacles through a periodic side, slip along obstacles.

mod belonging;
mod body;
mod fraction;
mod keys;
mod mesh;
mod polygon;
mod pose;
mod prism;
mod shape;
mod solids;

pub(crate) use belonging::belongs_to;
pub use keys::{OBSTACLE_KEYS, OBSTACLE_KINDS, ObstacleKind, read_obstacles};
pub use polygon::{Polygon, PolygonError};
pub use pose::{Course, Motion, Pose};
pub use shape::{Distances, Shape, for_each_in};
pub use solids::{MOST, Obstacle, SOLID, Solids, towards_solid};
