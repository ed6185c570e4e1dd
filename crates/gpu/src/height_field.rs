//! Height fields and displaced sheets of a frame, in single precision for upload.

use std::borrow::Cow;
use std::collections::BTreeMap;

use undine_frame::{Frame, Material, Mesh, Quantity, Shared, SurfaceRole, SurfaceShape, Tiles, Triangles};

use crate::upload::Rectangle;

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

impl HeightFieldRevision {
    /// Samples along x and y.
    pub fn size(&self) -> [u32; 2] {
        self.size
    }
}

/// Samples beyond a changed one whose maps depend on it: its slopes reach one sample, and the extrapolation over dry ground
/// from these slopes another.
const REACH: u32 = 2;

/// The tiles of the arrays of a height field: what there is of bed, wetness and velocity beside the level.
#[derive(Debug, Clone, PartialEq)]
pub struct HeightFieldTiles {
    grid: [f32; 5],
    size: [u32; 2],
    tiles: [Option<Tiles>; 4],
}

impl HeightFieldData {
    /// Its tiles, if all of its arrays are in tiles.
    pub fn tiles(&self) -> Option<HeightFieldTiles> {
        let HeightFieldRevision { grid, size, .. } = self.revision();
        let scalars = [&self.level, &self.bed, &self.wetness].map(|array| (array.is_empty(), array.tiles()));
        let [level, bed, wetness] = scalars;
        let all = [level, bed, wetness, (self.velocity.is_empty(), self.velocity.tiles())];
        let is_known = all.iter().all(|(is_empty, tiles)| *is_empty || tiles.is_some());
        is_known.then(|| HeightFieldTiles { grid, size, tiles: all.map(|(_, tiles)| tiles.cloned()) })
    }

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

impl HeightFieldTiles {
    /// The samples whose maps may differ from those of a former height field, a rectangle for each row of tiles; `None` where
    /// all may.
    pub fn changed_since(&self, former: &HeightFieldTiles) -> Option<Vec<Rectangle>> {
        let [columns, rows] = self.size;
        if self.grid != former.grid || self.size != former.size {
            return None;
        }
        let mut changed: BTreeMap<u32, Rectangle> = BTreeMap::new();
        for (own, former) in self.tiles.iter().zip(&former.tiles) {
            let (own, former) = match (own, former) {
                (Some(own), Some(former)) => (own, former),
                (None, None) => continue,
                _ => return None,
            };
            for tile in own.changed_since(former)? {
                let [x, y] = own.extent(tile).map(|range| range.start as u32..range.end as u32);
                let rectangle = [
                    x.start.saturating_sub(REACH)..(x.end + REACH).min(columns),
                    y.start.saturating_sub(REACH)..(y.end + REACH).min(rows),
                ];
                let of_row = changed.entry(y.start).or_insert_with(|| rectangle.clone());
                *of_row = [0, 1].map(|axis| {
                    let (a, b) = (&of_row[axis], &rectangle[axis]);
                    a.start.min(b.start)..a.end.max(b.end)
                });
            }
        }
        Some(changed.into_values().collect())
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
        | SurfaceShape::Implicit(_)
        | SurfaceShape::Curve(_) => None,
    });
    // Meshes tessellated from a surface of the frame are drawn as that surface
    let is_alone = |mesh: &&Mesh| frame.surfaces.iter().all(|surface| surface.name != mesh.name);
    let is_sheet = |mesh: &&Mesh| {
        mesh.material == Material::Water && matches!(mesh.triangles, Triangles::Lattice { .. })
    };
    let meshes = frame.meshes.iter().filter(is_sheet).filter(is_alone).map(Cow::Borrowed);
    shapes.chain(meshes).collect()
}
