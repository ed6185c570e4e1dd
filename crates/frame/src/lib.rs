//! The picture-side contract of Undine.
//!
//! A [`Frame`] is what a moment of water looks like, as plain owned data: meshes, points, posed bodies and rasters.
//! Nothing here can name a solver, so everything that takes frames (renderers, exporters, the cache, the report) also
//! works later, from disk, in another process.
//!
//! ```
//! use undine_frame::{Frame, Mesh, Triangles};
//!
//! let mut frame = Frame::new(0, 0.0);
//! frame.meshes.push(Mesh::flat_sheet("water", [2.0, 1.0], [3, 2]));
//! assert_eq!(frame.meshes[0].triangle_count(), 4);
//! assert!(matches!(frame.meshes[0].triangles, Triangles::Lattice { columns: 3, rows: 2 }));
//! ```

mod atomic;
mod liquid;
mod mesh;
mod points;
mod raster;
mod sink;

pub use atomic::{AtomicFile, partial_name};
pub use liquid::{DISTANCE, Liquid, SOLIDS};
pub use mesh::{Attribute, Mesh, Substance, Triangles};
pub use points::{Points, Posed};
pub use raster::{Raster, RasterKind};
pub use sink::{Schedule, Sink, SinkError, Wants};

/// One moment of a scene, ready to be drawn, meshed, stored or measured.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Frame {
    /// Number of the frame; frame 0 is the start.
    pub index: u64,
    /// Time of the frame in seconds.
    pub time: f64,
    /// Surfaces: water sheets, beds, obstacles.
    pub meshes: Vec<Mesh>,
    /// Clouds of particles.
    pub points: Vec<Points>,
    /// Rigid shapes and where they are now.
    pub posed: Vec<Posed>,
    /// Fields on regular lattices: height maps, speeds, pressures, …
    pub rasters: Vec<Raster>,
}

impl Frame {
    /// An empty frame.
    pub fn new(index: u64, time: f64) -> Self {
        Frame { index, time, ..Frame::default() }
    }

    /// The raster with this name, if the frame carries one.
    pub fn raster(&self, name: &str) -> Option<&Raster> {
        self.rasters.iter().find(|raster| raster.name == name)
    }

    /// The mesh with this name, if the frame carries one.
    pub fn mesh(&self, name: &str) -> Option<&Mesh> {
        self.meshes.iter().find(|mesh| mesh.name == name)
    }

    /// The smallest box that holds all geometry, as (lowest corner, highest corner); `None` for an empty frame.
    pub fn bounds(&self) -> Option<([f32; 3], [f32; 3])> {
        let positions = self.meshes.iter().flat_map(|mesh| &mesh.positions);
        let positions = positions.chain(self.points.iter().flat_map(|points| &points.positions));
        positions.fold(None, |bounds, p| {
            let (low, high) = bounds.unwrap_or((*p, *p));
            Some((
                std::array::from_fn(|axis| f32::min(low[axis], p[axis])),
                std::array::from_fn(|axis| f32::max(high[axis], p[axis])),
            ))
        })
    }
}
