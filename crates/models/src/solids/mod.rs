//! Solids in a fluid: polygons, primitives and meshes, stationary or moving. Shared by the models that fill a box.
//!
//! A scene describes them in `[[obstacle]]`. Each has a shape in local coordinates and a [`Trajectory`]: the position
//! of its origin and its rotation as functions of time. On the grid they become a signed distance φ at the nodes, exact
//! in a narrow band around the surface (polygons and meshes: distance to the nearest edge or triangle, signed by a
//! scanline or winding-number test). From φ follow the open area fractions of the faces [batty2007, ng2009] and flags
//! of the samples inside solid. All of this is computed once, and again only when a solid moves.
//!
//! Liquids use [`Solids::watertight`], which also closes the faces crossed by walls thinner than a cell and offers
//! continuous collision detection for particles.
//!
//! Not modelled: two-way coupling, obstacles across a periodic side, slip along obstacles.

mod compartments;
mod continuous_collision;
mod distance_sampler;
mod distances;
mod face_fraction;
mod formats;
mod ground;
mod immersed_solids;
mod keys;
mod mesh_body;
mod mesh_validation;
mod polygon;
mod prism;
mod render_mesh;
mod row_mask;
mod segment_intersection;
mod shape;
mod solid_flags;
mod thin_wall_faces;
mod trajectory;
mod triangle;
mod triangle_grid;
mod water_section;
mod winding;

#[cfg(test)]
mod mesh_file_tests;
#[cfg(test)]
mod thin_wall_tests;

pub(crate) use compartments::Compartments;
pub use distance_sampler::DistanceSampler;
pub use distances::{Distances, for_each_index};
pub use formats::{MESH_FORMATS, MeshError, MeshFormat};
pub use ground::{Ground, read_ground};
pub use immersed_solids::{MOST, Obstacle, Solids};
pub(crate) use keys::{
    BOX, BOX_KEYS, CIRCLE, CIRCLE_KEYS, CYLINDER, CYLINDER_KEYS, MESH, MESH_KEYS, POLYGON, POLYGON_KEYS,
    RECTANGLE, RECTANGLE_KEYS, SPHERE, SPHERE_KEYS, TRAJECTORY_KEYS, read_obstacle,
};
pub use keys::{LoadedObstacles, OBSTACLE, read_obstacles};
pub use mesh_body::MeshBody;
pub use mesh_validation::{MeshDefect, ValidatedMesh, check_closed, check_sheet};
pub use polygon::{Polygon, PolygonError};
pub use shape::SolidShape;
pub use solid_flags::{SOLID, solid_neighbour_flag};
pub use trajectory::{Pose, RigidVelocity, Trajectory};
pub use triangle::Triangle;
pub use triangle_grid::TriangleGrid;
pub(crate) use water_section::read_kind;
