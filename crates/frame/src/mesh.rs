//! Triangle meshes.

use crate::{Attribute, Material, Quantity};

/// Connectivity of the vertices of a mesh.
#[derive(Debug, Clone, PartialEq)]
pub enum Triangles {
    /// The vertices are a lattice, column fastest; each cell is two triangles. Needs no storage of its own.
    Lattice {
        /// Vertices along the first axis.
        columns: u32,
        /// Vertices along the second axis.
        rows: u32,
    },
    /// An explicit list, counter-clockwise seen from outside (above).
    List(Vec<[u32; 3]>),
}

/// A triangle mesh with attributes at its vertices.
///
/// ```
/// use undine_frame::Mesh;
/// let sheet = Mesh::flat_sheet("water", [1.0, 1.0], [2, 2]);
/// assert_eq!(sheet.triangles().collect::<Vec<_>>(), [[0, 1, 3], [0, 3, 2]]);
/// assert_eq!(sheet.inconsistency(), None);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Mesh {
    /// Name of the surface: that of the water or body it belongs to.
    pub name: String,
    /// Its material.
    pub material: Material,
    /// Vertices in metres, z up.
    pub positions: Vec<[f32; 3]>,
    /// Unit normals, one per vertex.
    pub normals: Vec<[f32; 3]>,
    /// Velocities in metres per second, one per vertex, or empty.
    pub velocities: Vec<[f32; 3]>,
    /// Texture coordinates, one per vertex, or empty.
    pub uvs: Vec<[f32; 2]>,
    /// Attributes per vertex.
    pub attributes: Vec<Attribute>,
    /// Its triangles.
    pub triangles: Triangles,
}

impl Mesh {
    /// A level sheet at z = 0 from the origin to `size`, with `vertices` along each axis.
    pub fn flat_sheet(name: &str, size: [f32; 2], vertices: [u32; 2]) -> Self {
        let [columns, rows] = vertices;
        let step = |index: u32, count: u32| index as f32 / (count.max(2) - 1) as f32;
        let uvs: Vec<[f32; 2]> = (0..rows)
            .flat_map(|row| (0..columns).map(move |column| [step(column, columns), step(row, rows)]))
            .collect();
        Mesh {
            name: name.to_owned(),
            material: Material::Water,
            positions: uvs.iter().map(|uv| [uv[0] * size[0], uv[1] * size[1], 0.0]).collect(),
            normals: vec![[0.0, 0.0, 1.0]; uvs.len()],
            velocities: Vec::new(),
            uvs,
            attributes: Vec::new(),
            triangles: Triangles::Lattice { columns, rows },
        }
    }

    /// Number of triangles.
    pub fn triangle_count(&self) -> usize {
        match &self.triangles {
            Triangles::Lattice { columns, rows } => {
                2 * columns.saturating_sub(1) as usize * rows.saturating_sub(1) as usize
            }
            Triangles::List(list) => list.len(),
        }
    }

    /// The vertex numbers of triangle `index`, counter-clockwise seen from above.
    ///
    /// The diagonal of a lattice cell alternates like a chequerboard, so that no direction is favoured.
    pub fn triangle(&self, index: usize) -> [u32; 3] {
        match &self.triangles {
            Triangles::List(list) => list[index],
            Triangles::Lattice { columns, .. } => {
                let cells = columns - 1;
                let cell = (index / 2) as u32;
                let (column, row) = (cell % cells, cell / cells);
                let southwest = row * columns + column;
                let (southeast, northwest) = (southwest + 1, southwest + columns);
                let northeast = northwest + 1;
                match ((column + row) % 2, index % 2) {
                    (0, 0) => [southwest, southeast, northeast],
                    (0, _) => [southwest, northeast, northwest],
                    (_, 0) => [southwest, southeast, northwest],
                    (_, _) => [southeast, northeast, northwest],
                }
            }
        }
    }

    /// All triangles in order.
    pub fn triangles(&self) -> impl ExactSizeIterator<Item = [u32; 3]> + '_ {
        (0..self.triangle_count()).map(|index| self.triangle(index))
    }

    /// Linear red, green and blue of every vertex, if the mesh carries colours.
    pub fn colours(&self) -> Option<&[[f32; 3]]> {
        self.attribute(Quantity::Colour).and_then(Attribute::triples)
    }

    /// The attribute that holds a quantity, if the mesh carries it for every vertex.
    pub fn attribute(&self, quantity: Quantity) -> Option<&Attribute> {
        Attribute::find(&self.attributes, quantity, self.positions.len())
    }

    /// What is inconsistent about this mesh, if anything: arrays of the wrong length, triangles with an invalid vertex
    /// index. Meshes read from files must be checked with this.
    pub fn inconsistency(&self) -> Option<String> {
        let vertices = self.positions.len();
        let fits = |name: &str, length: usize| {
            let is_sound = length == vertices || length == 0;
            (!is_sound).then(|| format!("{length} {name} for {vertices} vertices"))
        };
        let lattice = match &self.triangles {
            Triangles::Lattice { columns, rows } => (u64::from(*columns) * u64::from(*rows)
                != vertices as u64)
                .then(|| format!("a lattice of {columns} × {rows} for {vertices} vertices")),
            Triangles::List(list) => list
                .iter()
                .flatten()
                .find(|&&vertex| vertex as usize >= vertices)
                .map(|vertex| format!("a triangle names vertex {vertex} of {vertices}")),
        };
        lattice
            .or_else(|| fits("normals", self.normals.len()))
            .or_else(|| fits("velocities", self.velocities.len()))
            .or_else(|| fits("texture coordinates", self.uvs.len()))
            .or_else(|| self.attributes.iter().find_map(|one| one.inconsistency(vertices, "vertices")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lattice_triangles_tile_the_sheet_and_face_up() {
        let sheet = Mesh::flat_sheet("water", [3.0, 2.0], [7, 5]);
        let mut area = 0.0;
        for [a, b, c] in sheet.triangles() {
            let [a, b, c] = [a, b, c].map(|vertex| sheet.positions[vertex as usize]);
            let doubled = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
            assert!(doubled > 0.0, "triangle faces down");
            area += 0.5 * doubled;
        }
        assert!((area - 6.0).abs() < 1e-5);
    }

    #[test]
    fn inconsistencies_are_named() {
        let mut sheet = Mesh::flat_sheet("water", [1.0, 1.0], [2, 2]);
        assert_eq!(sheet.inconsistency(), None);
        sheet.triangles = Triangles::List(vec![[0, 1, 4]]);
        assert_eq!(sheet.inconsistency().unwrap(), "a triangle names vertex 4 of 4");
        sheet.triangles = Triangles::Lattice { columns: 3, rows: 2 };
        assert_eq!(sheet.inconsistency().unwrap(), "a lattice of 3 × 2 for 4 vertices");
    }
}
