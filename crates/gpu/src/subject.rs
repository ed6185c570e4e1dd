//! What there is to see at one moment.

use undine_frame::{Mesh, Points, Posed, Raster};

/// Everything that a moment of a scene shows, as plain data.
#[derive(Debug, Clone, Default)]
pub struct Subject {
    /// Time in seconds: small ripples and foam run by it.
    pub time: f64,
    /// Waters over a regular lattice, with the ground below them.
    pub heights: Vec<Heights>,
    /// Sheets of moved vertices (lattices) and closed surfaces (lists of triangles).
    pub meshes: Vec<Mesh>,
    /// Particles.
    pub points: Vec<Points>,
    /// Solid bodies, where they are now.
    pub bodies: Vec<Posed>,
    /// The fields that the shot's views ask for, by name.
    pub rasters: Vec<Raster>,
    /// Lowest and highest corner of a tank that holds a liquid.
    pub tank: Option<[[f32; 3]; 2]>,
}

/// A height field: the level of the water over each sample, column fastest.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Heights {
    /// Name of the water.
    pub name: String,
    /// Samples along x and y.
    pub size: [u32; 2],
    /// Position of the first sample in metres.
    pub origin: [f32; 2],
    /// Distance of neighbouring samples in metres.
    pub spacing: [f32; 2],
    /// Level of the surface in metres.
    pub level: Vec<f32>,
    /// Level of the ground in metres, or empty.
    pub bed: Vec<f32>,
    /// How wet the ground is, from 0 to 1, or empty.
    pub wetness: Vec<f32>,
    /// Horizontal velocity in m/s, or empty.
    pub velocity: Vec<[f32; 2]>,
    /// Water thinner than this, in metres, is not drawn.
    pub dry_depth: f32,
}
