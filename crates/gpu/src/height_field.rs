//! Height fields and displaced sheets of a frame, in single precision for upload.

use std::borrow::Cow;

use undine_frame::{Frame, Material, Mesh, Quantity, Shared, SurfaceRole, SurfaceShape, Triangles};

/// A height field in single precision, row by row.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HeightFieldData {
    /// Samples along x and y.
    pub size: [u32; 2],
    /// Position of the first sample in metres.
    pub origin: [f32; 2],
    /// Grid spacing in metres.
    pub spacing: [f32; 2],
    /// Level of the surface in metres.
    pub level: Shared<f32>,
    /// Level of the ground in metres, or empty.
    pub bed: Shared<f32>,
    /// Wetness of the ground, from 0 to 1, or empty.
    pub wetness: Shared<f32>,
    /// Horizontal velocity in m/s, or empty.
    pub velocity: Shared<[f32; 2]>,
    /// Water thinner than this, in metres, is not drawn.
    pub dry_depth: f32,
}

/// Identifies the contents of a height field by the revisions of its arrays, without comparing values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeightFieldRevision {
    grid: [f32; 5],
    size: [u32; 2],
    values: [u64; 4],
}

impl HeightFieldData {
    /// The height fields of a frame, with the beds below them.
    pub fn of_frame(frame: &Frame) -> Vec<HeightFieldData> {
        let height_map = |(surface, heights): (&undine_frame::Surface, &undine_frame::Heights)| {
            let wetness = frame.bed(surface.water).and_then(|bed| {
                bed.attributes.iter().find(|attribute| attribute.quantity == Quantity::Wetness)
            });
            HeightFieldData {
                size: heights.size,
                origin: heights.origin.map(|x| x as f32),
                spacing: heights.spacing.map(|step| step as f32),
                level: heights.level.clone(),
                bed: heights.bed.clone().unwrap_or_default(),
                wetness: wetness.map(|wetness| wetness.values.clone()).unwrap_or_default(),
                velocity: heights.velocity.clone().unwrap_or_default(),
                dry_depth: heights.dry_depth,
            }
        };
        frame.heights().map(height_map).collect()
    }

    /// The revision; equal for equal contents.
    pub fn revision(&self) -> HeightFieldRevision {
        let ([x, y], [dx, dy]) = (self.origin, self.spacing);
        HeightFieldRevision {
            grid: [x, y, dx, dy, self.dry_depth],
            size: self.size,
            values: [
                self.level.revision(),
                self.bed.revision(),
                self.wetness.revision(),
                self.velocity.revision(),
            ],
        }
    }
}

/// The displaced sheets of a frame, as meshes on a lattice.
pub fn sheets(frame: &Frame) -> Vec<Cow<'_, Mesh>> {
    let shapes = frame.surfaces.iter().filter_map(|surface| match &surface.shape {
        SurfaceShape::Sheet(sheet) if surface.inconsistency().is_none() => {
            let rest =
                sheet.rows.iter().flat_map(|&y| sheet.columns.iter().map(move |&x| [x as f32, y as f32]));
            Some(Cow::Owned(Mesh {
                name: surface.name.clone(),
                material: match surface.role {
                    SurfaceRole::Water => Material::Water,
                    SurfaceRole::Bed => Material::Ground,
                },
                positions: sheet.positions.to_vec(),
                normals: sheet.normals.to_vec(),
                velocities: sheet.velocities.to_vec(),
                uvs: rest.collect(),
                attributes: Vec::new(),
                triangles: Triangles::Lattice {
                    columns: sheet.columns.len() as u32,
                    rows: sheet.rows.len() as u32,
                },
            }))
        }
        SurfaceShape::Sheet(_)
        | SurfaceShape::Heights(_)
        | SurfaceShape::Mesh(_)
        | SurfaceShape::Implicit(_) => None,
    });
    // Meshes tessellated from a surface of the frame are drawn as that surface
    let is_alone = |mesh: &&Mesh| frame.surfaces.iter().all(|surface| surface.name != mesh.name);
    let is_sheet = |mesh: &&Mesh| {
        mesh.material == Material::Water && matches!(mesh.triangles, Triangles::Lattice { .. })
    };
    let meshes = frame.meshes.iter().filter(is_sheet).filter(is_alone).map(Cow::Borrowed);
    shapes.chain(meshes).collect()
}
