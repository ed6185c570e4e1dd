//! The output contract of Undine.
//!
//! A [`Frame`] is the state of a scene at one time as plain owned data: surfaces, meshes, clouds, bodies and fields.
//! Each is identified by its [`Quantity`], role or [`Material`]. Nothing here depends on a solver, so everything that
//! receives frames (renderers, exporters, the cache, the report) also works later, from disk, in another process.
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
mod attribute;
mod cloud;
mod counter_history;
mod curves;
mod liquid;
mod mesh;
mod quantity;
mod raster;
mod request;
mod shared;
mod sink;
mod surface;

pub use atomic::{AtomicFile, partial_name};
pub use attribute::Attribute;
pub use cloud::{Body, Cloud};
pub use counter_history::CounterHistory;
pub use curves::Curves;
pub use liquid::Liquid;
pub use mesh::{Mesh, Triangles};
pub use quantity::{CellKind, CloudRole, FieldScale, Material, Quantity, RegionState, SurfaceRole};
pub use raster::Raster;
pub use request::{FieldChoice, FieldRequest, FrameRequest};
pub use shared::{Shared, Tiles};
pub use sink::{Schedule, Sink, SinkError};
pub use surface::{Heights, Implicit, LargeWater, Sheet, Surface, SurfaceShape};

/// The state of a scene at one time, ready to be drawn, meshed, stored or measured.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Frame {
    /// Number of the frame; frame 0 is the start.
    pub index: u64,
    /// Time of the frame in seconds.
    pub time: f64,
    /// The waters; surfaces, clouds and fields refer to them by index.
    pub waters: Vec<WaterLabel>,
    /// Surfaces in the representation of the simulation.
    pub surfaces: Vec<Surface>,
    /// Meshes tessellated from the surfaces, and others for pictures only. They are not stored: they can be made again.
    pub meshes: Vec<Mesh>,
    /// Clouds of particles.
    pub clouds: Vec<Cloud>,
    /// Rigid bodies with their poses.
    pub bodies: Vec<Body>,
    /// Fields on regular lattices: height maps, speeds, pressures, …
    pub fields: Vec<Raster>,
    /// What the waters counted in every frame so far.
    pub counters: Vec<CounterHistory>,
}

/// A water of a frame.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WaterLabel {
    /// Its name.
    pub name: String,
    /// The lattice of its cells, if it has one.
    pub domain: Option<Domain>,
}

/// A regular lattice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Domain {
    /// Samples along x, y and z; 1 along an axis that does not exist.
    pub size: [u32; 3],
    /// Position of the first sample in metres.
    pub origin: [f64; 3],
    /// Distance of neighbouring samples in metres.
    pub spacing: [f64; 3],
}

impl Frame {
    /// An empty frame.
    pub fn new(index: u64, time: f64) -> Self {
        Frame { index, time, ..Frame::default() }
    }

    /// The field with this name, if the frame carries one.
    pub fn field(&self, name: &str) -> Option<&Raster> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The first field that holds a quantity, if the frame carries one.
    pub fn field_of(&self, quantity: Quantity) -> Option<&Raster> {
        self.fields.iter().find(|field| field.quantity == quantity)
    }

    /// The mesh with this name, if the frame carries one.
    pub fn mesh(&self, name: &str) -> Option<&Mesh> {
        self.meshes.iter().find(|mesh| mesh.name == name)
    }

    /// Bounding box of all geometry, as (lowest corner, highest corner); `None` for an empty frame.
    pub fn bounds(&self) -> Option<([f32; 3], [f32; 3])> {
        let positions = self.meshes.iter().flat_map(|mesh| &mesh.positions);
        let positions = positions.chain(self.clouds.iter().flat_map(|cloud| &cloud.positions));
        positions.fold(None, |bounds, p| {
            let (low, high) = bounds.unwrap_or((*p, *p));
            Some((
                std::array::from_fn(|axis| f32::min(low[axis], p[axis])),
                std::array::from_fn(|axis| f32::max(high[axis], p[axis])),
            ))
        })
    }
}
