//! Meshes of displaced sheets, whose vertices the model has already moved.

use undine_frame::{Material, Mesh, Sheet, Triangles};

/// The mesh of a displaced sheet. Texture coordinates are rest positions in metres, so that a texture moves with the
/// water.
pub fn sheet_mesh(name: &str, sheet: &Sheet) -> Mesh {
    let rest = sheet.rows.iter().flat_map(|&y| sheet.columns.iter().map(move |&x| [x as f32, y as f32]));
    Mesh {
        name: name.to_owned(),
        material: Material::Water,
        positions: sheet.positions.to_vec(),
        normals: sheet.normals.to_vec(),
        velocities: sheet.velocities.to_vec(),
        uvs: rest.collect(),
        attributes: Vec::new(),
        triangles: Triangles::Lattice { columns: sheet.columns.len() as u32, rows: sheet.rows.len() as u32 },
    }
}
