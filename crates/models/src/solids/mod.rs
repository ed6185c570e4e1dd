//! Solids in a fluid: polygons, primitives and meshes, standing or moving. Shared by the waters that fill a box.
//!
//! A scene describes them in `[[obstacle]]`. Each has a shape about its own centre and a course: where the centre is
//! at what time and how the shape is turned. On the grid they become a signed distance at the nodes (exact near the
//! surface, for polygons and meshes by the nearest side and a scan that tells inside from outside), and from it come
//! the open shares of the faces [batty2007, ng2009] and the samples that lie in solid. This is done once, and again only
//! when something moves. Liquids ask for more ([`Solids::watertight`]): walls thinner than a cell close faces, and
//! particles find no way through them.
//!
//! Not modelled: obstacles that the fluid pushes, obstacles through a periodic side, slip along obstacles.

mod barriers;
mod belonging;
mod body;
mod distances;
mod facets;
mod formats;
mod fraction;
mod ground;
mod keys;
mod kinds;
mod mesh;
mod mesh_body;
mod passage;
mod placement;
mod polygon;
mod pose;
mod prism;
mod probe;
mod quiet_rows;
mod shape;
mod soundness;
mod tunnel;
mod winding;

#[cfg(test)]
mod mesh_files;
#[cfg(test)]
mod thin_walls;

pub(crate) use belonging::read_kind;
pub use distances::{Distances, for_each_in};
pub use facets::Facets;
pub use formats::{MESH_FORMATS, MeshError, MeshFormat};
pub use ground::{Ground, read_ground};
pub(crate) use keys::{
    BOX, BOX_KEYS, CIRCLE, CIRCLE_KEYS, COURSE_KEYS, CYLINDER, CYLINDER_KEYS, MESH, MESH_KEYS, POLYGON,
    POLYGON_KEYS, RECTANGLE, RECTANGLE_KEYS, SPHERE, SPHERE_KEYS, read_obstacle,
};
pub use keys::{OBSTACLE, Standing, read_obstacles};
pub use kinds::{SOLID, towards_solid};
pub use mesh::Triangle;
pub use mesh_body::MeshBody;
pub use placement::{MOST, Obstacle, Solids};
pub use polygon::{Polygon, PolygonError};
pub use pose::{Course, Motion, Pose};
pub use probe::Probe;
pub use shape::Shape;
pub use soundness::{Sound, Unsound, check_closed, check_sheet};
