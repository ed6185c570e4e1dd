//! Surfaces in the representation of the simulation.

use std::sync::Arc;

use crate::{Attribute, Curves, Frame, Mesh, Shared, SurfaceRole};

/// A surface of a water or of its ground. Its mesh is tessellated from its shape on request.
#[derive(Debug, Clone, PartialEq)]
pub struct Surface {
    /// Name of its mesh.
    pub name: String,
    /// Which of the frame's waters it belongs to.
    pub water: usize,
    /// What it bounds.
    pub role: SurfaceRole,
    /// Its geometry.
    pub shape: SurfaceShape,
    /// Attributes per sample or vertex of the shape.
    pub attributes: Vec<Attribute>,
}

/// Geometry of a surface.
#[derive(Debug, Clone, PartialEq)]
pub enum SurfaceShape {
    /// Levels over a regular lattice.
    Heights(Heights),
    /// A lattice of displaced vertices.
    Sheet(Sheet),
    /// Triangles.
    Mesh(Arc<Mesh>),
    /// The zero level set of the distance from a liquid's surface: see [`Frame::liquids`].
    Implicit(Implicit),
    /// The outline of a 2-D liquid.
    Curve(Curves),
}

/// Levels over a regular lattice, column fastest.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Heights {
    /// Samples along x and y.
    pub size: [u32; 2],
    /// Position of the first sample in metres.
    pub origin: [f64; 2],
    /// Distance of neighbouring samples in metres.
    pub spacing: [f64; 2],
    /// Level of the surface in metres.
    pub level: Shared<f32>,
    /// Level of the ground in metres; cells no deeper than `dry_depth` are dry.
    pub bed: Option<Shared<f32>>,
    /// Horizontal velocity in m/s.
    pub velocity: Option<Shared<[f32; 2]>>,
    /// Water thinner than this, in metres, is not drawn.
    pub dry_depth: f32,
}

/// A sheet of displaced vertices over a rectilinear lattice.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sheet {
    /// x of the columns at rest, in metres.
    pub columns: Shared<f64>,
    /// y of the rows at rest, in metres.
    pub rows: Shared<f64>,
    /// Positions of the vertices, column fastest.
    pub positions: Shared<[f32; 3]>,
    /// Unit normals.
    pub normals: Shared<[f32; 3]>,
    /// Velocities in m/s.
    pub velocities: Shared<[f32; 3]>,
}

/// The box of a liquid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Implicit {
    /// Lowest and highest corner in metres.
    pub bounds: [[f64; 3]; 2],
    /// Edge of a cell of the simulation in metres.
    pub cell: f64,
}

/// Most samples of a height water of which pictures draw a mesh of all. A mesh made for the viewpoint gains nothing
/// below.
const MOST_MESHED: usize = 768 * 768;
/// Fewest samples along an axis of a large water: a narrower one is a section.
const LEAST_ACROSS: u32 = 64;

/// A height water over ground that is so large that pictures draw it by a mesh made for their viewpoint.
#[derive(Debug, Clone, Copy)]
pub struct LargeWater<'f> {
    /// Its surface.
    pub water: &'f Surface,
    /// The levels of its surface.
    pub heights: &'f Heights,
    /// Its ground.
    pub ground: &'f Surface,
}

impl Heights {
    /// Number of samples.
    pub fn count(&self) -> usize {
        self.size.iter().map(|&samples| samples as usize).product()
    }
}

impl Surface {
    /// The surface of a water over a lattice, and that of its ground if it has a bed.
    pub fn with_bed(name: &str, heights: Heights) -> Vec<Surface> {
        let surface = |name: String, role: SurfaceRole, heights: Heights| Surface {
            name,
            water: 0,
            role,
            shape: SurfaceShape::Heights(heights),
            attributes: Vec::new(),
        };
        let bed = heights.bed.clone().map(|level| {
            let ground = Heights { level, bed: None, velocity: None, ..heights.clone() };
            surface(format!("{name}-ground"), SurfaceRole::Bed, ground)
        });
        [surface(name.to_owned(), SurfaceRole::Water, heights)].into_iter().chain(bed).collect()
    }

    /// What is inconsistent about this surface, if anything: arrays of the wrong length.
    pub fn inconsistency(&self) -> Option<String> {
        // Every array of the shape must have one value per sample or vertex
        let vertices = match &self.shape {
            SurfaceShape::Heights(heights) => {
                let samples = u64::from(heights.size[0]) * u64::from(heights.size[1]);
                let lengths = [
                    ("levels", Some(heights.level.len())),
                    ("levels of the ground", heights.bed.as_ref().map(|bed| bed.len())),
                    ("velocities", heights.velocity.as_ref().map(|velocity| velocity.len())),
                ];
                let is_wrong =
                    |(_, length): &(&str, Option<usize>)| length.is_some_and(|l| l as u64 != samples);
                if let Some((name, Some(length))) = lengths.into_iter().find(is_wrong) {
                    return Some(format!("{length} {name} for {samples} samples"));
                }
                heights.level.len()
            }
            SurfaceShape::Sheet(sheet) => {
                let vertices = sheet.columns.len() as u128 * sheet.rows.len() as u128;
                let lengths = [
                    ("positions", sheet.positions.len()),
                    ("normals", sheet.normals.len()),
                    ("velocities", sheet.velocities.len()),
                ];
                if let Some((name, length)) =
                    lengths.into_iter().find(|(_, length)| *length as u128 != vertices)
                {
                    return Some(format!("{length} {name} for {vertices} vertices"));
                }
                sheet.positions.len()
            }
            SurfaceShape::Mesh(mesh) => {
                if let Some(inconsistency) = mesh.inconsistency() {
                    return Some(inconsistency);
                }
                mesh.positions.len()
            }
            SurfaceShape::Implicit(_) => 0,
            SurfaceShape::Curve(curves) => {
                if let Some(inconsistency) = curves.inconsistency() {
                    return Some(inconsistency);
                }
                curves.points.len()
            }
        };
        self.attributes.iter().find_map(|one| one.inconsistency(vertices, "samples"))
    }
}

impl Frame {
    /// The box of the first liquid in space, if the frame shows one.
    pub fn tank(&self) -> Option<[[f64; 3]; 2]> {
        self.surfaces.iter().find_map(|surface| match &surface.shape {
            SurfaceShape::Implicit(liquid) => {
                let [low, high] = liquid.bounds;
                (high[2] > low[2]).then_some(liquid.bounds)
            }
            SurfaceShape::Heights(_)
            | SurfaceShape::Sheet(_)
            | SurfaceShape::Mesh(_)
            | SurfaceShape::Curve(_) => None,
        })
    }

    /// The water surfaces that are height fields, in order.
    pub fn heights(&self) -> impl Iterator<Item = (&Surface, &Heights)> {
        self.surfaces.iter().filter(|surface| surface.role == SurfaceRole::Water).filter_map(|surface| {
            match &surface.shape {
                SurfaceShape::Heights(heights) => Some((surface, heights)),
                SurfaceShape::Sheet(_)
                | SurfaceShape::Mesh(_)
                | SurfaceShape::Implicit(_)
                | SurfaceShape::Curve(_) => None,
            }
        })
    }

    /// The outlines of 2-D liquids, in order.
    pub fn curves(&self) -> impl Iterator<Item = (&Surface, &Curves)> {
        self.surfaces.iter().filter_map(|surface| match &surface.shape {
            SurfaceShape::Curve(curves) if curves.inconsistency().is_none() => Some((surface, curves)),
            SurfaceShape::Heights(_)
            | SurfaceShape::Sheet(_)
            | SurfaceShape::Mesh(_)
            | SurfaceShape::Implicit(_)
            | SurfaceShape::Curve(_) => None,
        })
    }

    /// The large height waters, by their number of samples alone.
    pub fn large_waters(&self) -> impl Iterator<Item = LargeWater<'_>> {
        self.heights().filter_map(|(water, heights)| {
            let is_large = heights.count() > MOST_MESHED
                && heights.size.iter().all(|&samples| samples >= LEAST_ACROSS)
                && heights.bed.is_some()
                && water.inconsistency().is_none();
            let ground = self.bed(water.water).filter(|_| is_large)?;
            Some(LargeWater { water, heights, ground })
        })
    }

    /// The ground of a water, if it has any.
    pub fn bed(&self, water: usize) -> Option<&Surface> {
        self.surfaces.iter().find(|surface| surface.role == SurfaceRole::Bed && surface.water == water)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waters_of_many_samples_over_ground_are_large() {
        let count = |size: [u32; 2], has_bed: bool| {
            let samples = size[0] as usize * size[1] as usize;
            let values = || Shared::from(vec![0.0; samples]);
            let bed = has_bed.then(values);
            let heights = Heights { size, level: values(), bed, ..Heights::default() };
            let frame = Frame { surfaces: Surface::with_bed("lake", heights), ..Frame::default() };
            let names: Vec<String> = frame.large_waters().map(|large| large.ground.name.clone()).collect();
            assert!(names.iter().all(|name| name == "lake-ground"));
            names.len()
        };
        assert_eq!([count([768, 768], true), count([769, 768], true)], [0, 1]);
        assert_eq!([count([769, 768], false), count([20_000, 40], true)], [0, 0]);
        let mut broken = Surface::with_bed("lake", Heights { size: [900, 900], ..Heights::default() });
        broken.push(broken[0].clone());
        assert_eq!(Frame { surfaces: broken, ..Frame::default() }.large_waters().count(), 0);
    }
}
