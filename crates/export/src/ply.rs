//! Meshes and particles as PLY [turk1994], binary, little endian.
//!
//! Vertices carry `x y z`, then `nx ny nz`, `vx vy vz` (velocity), `s t` (texture) and one float per attribute, as far
//! as they are there. Faces are triangles; outlines have edges instead. Lengths are metres, z is up.

use std::io::{self, Write};

use undine_frame::{Attribute, Cloud, Curves, Mesh, Quantity};

use crate::names::{UniqueNames, identifier, one_line};

/// Writes a mesh; refuses one that is inconsistent.
///
/// ```
/// let sheet = undine_frame::Mesh::flat_sheet("water", [1.0, 1.0], [2, 2]);
/// let mut file = Vec::new();
/// undine_export::ply::write_mesh(&sheet, &mut file)?;
/// assert!(file.starts_with(b"ply\nformat binary_little_endian 1.0\n"));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_mesh(mesh: &Mesh, mut writer: impl Write) -> io::Result<()> {
    refuse(mesh.inconsistency())?;
    let mut vertices = VertexTable::new(&mesh.positions);
    vertices.add_vectors(["nx", "ny", "nz"], &mesh.normals);
    vertices.add_vectors(["vx", "vy", "vz"], &mesh.velocities);
    vertices.add_vectors(["s", "t"], &mesh.uvs);
    vertices.add_attributes(&mesh.attributes);
    vertices.write_header(&mut writer, &mesh.name)?;
    writeln!(writer, "element face {}\nproperty list uchar uint vertex_indices", mesh.triangle_count())?;
    writer.write_all(b"end_header\n")?;
    vertices.write_rows(&mut writer)?;
    write_faces(mesh, &mut writer)
}

/// Writes a cloud of particles; refuses one that is inconsistent.
pub fn write_cloud(cloud: &Cloud, mut writer: impl Write) -> io::Result<()> {
    refuse(cloud.inconsistency())?;
    let mut vertices = VertexTable::new(&cloud.positions);
    vertices.add_vectors(["vx", "vy", "vz"], &cloud.velocities);
    vertices.add_attributes(&cloud.attributes);
    vertices.write_header(&mut writer, &cloud.name)?;
    writeln!(writer, "comment radius {}", cloud.radius)?;
    writer.write_all(b"end_header\n")?;
    vertices.write_rows(&mut writer)
}

/// Writes curves in the plane z = 0, each as a closed chain of edges; refuses inconsistent ones.
pub fn write_curves(name: &str, curves: &Curves, mut writer: impl Write) -> io::Result<()> {
    refuse(curves.inconsistency())?;
    let positions: Vec<[f32; 3]> = curves.points.iter().map(|[x, y]| [*x, *y, 0.0]).collect();
    let vertices = VertexTable::new(&positions);
    vertices.write_header(&mut writer, name)?;
    writeln!(writer, "element edge {}\nproperty uint vertex1\nproperty uint vertex2", positions.len())?;
    writer.write_all(b"end_header\n")?;
    vertices.write_rows(&mut writer)?;
    let mut start = 0;
    for &end in curves.ends.iter() {
        for point in start..end {
            let next = if point + 1 < end { point + 1 } else { start };
            writer.write_all(&[point, next].map(u32::to_le_bytes).concat())?;
        }
        start = end;
    }
    Ok(())
}

fn refuse(fault: Option<String>) -> io::Result<()> {
    fault.map_or(Ok(()), |fault| Err(io::Error::new(io::ErrorKind::InvalidInput, fault)))
}

fn write_faces(mesh: &Mesh, writer: &mut impl Write) -> io::Result<()> {
    for triangle in mesh.triangles() {
        let mut row = [3; 13];
        for (corner, bytes) in triangle.iter().zip(row[1..].chunks_exact_mut(4)) {
            bytes.copy_from_slice(&corner.to_le_bytes());
        }
        writer.write_all(&row)?;
    }
    Ok(())
}

/// The vertex element: its properties, grouped into columns of one or more floats per vertex.
struct VertexTable<'a> {
    count: usize,
    names: Vec<String>,
    columns: Vec<VertexColumn<'a>>,
    taken: UniqueNames,
}

struct VertexColumn<'a> {
    values: &'a [f32],
    width: usize,
}

impl<'a> VertexTable<'a> {
    fn new(positions: &'a [[f32; 3]]) -> Self {
        let mut vertices = VertexTable {
            count: positions.len(),
            names: Vec::new(),
            columns: Vec::new(),
            taken: UniqueNames::default(),
        };
        vertices.add_vectors(["x", "y", "z"], positions);
        vertices
    }

    /// Adds a vector property if the mesh has it.
    fn add_vectors<const N: usize>(&mut self, names: [&str; N], vectors: &'a [[f32; N]]) {
        // The names are reserved in any case, so that no attribute is mistaken for a velocity.
        let names = names.map(|name| self.taken.name(name.to_owned(), '_'));
        if vectors.len() == self.count {
            self.names.extend(names);
            self.columns.push(VertexColumn { values: vectors.as_flattened(), width: N });
        }
    }

    fn add_attributes(&mut self, attributes: &'a [Attribute]) {
        for attribute in attributes {
            let width = attribute.components as usize;
            let name = identifier(&attribute.name);
            let names: Vec<String> = match (attribute.quantity, width) {
                (Quantity::Colour, 3) => ["red", "green", "blue"].map(str::to_owned).into(),
                (_, 1) => vec![name],
                _ => (0..width).map(|component| format!("{name}_{component}")).collect(),
            };
            self.names.extend(names.into_iter().map(|name| self.taken.name(name, '_')));
            self.columns.push(VertexColumn { values: &attribute.values, width });
        }
    }

    fn write_header(&self, writer: &mut impl Write, name: &str) -> io::Result<()> {
        writeln!(writer, "ply\nformat binary_little_endian 1.0\ncomment undine, metres, z up")?;
        writeln!(writer, "comment name {}\nelement vertex {}", one_line(name), self.count)?;
        self.names.iter().try_for_each(|name| writeln!(writer, "property float {name}"))
    }

    fn write_rows(&self, writer: &mut impl Write) -> io::Result<()> {
        let mut row = Vec::with_capacity(4 * self.names.len());
        for vertex in 0..self.count {
            row.clear();
            for column in &self.columns {
                let values = &column.values[vertex * column.width..(vertex + 1) * column.width];
                values.iter().for_each(|value| row.extend_from_slice(&value.to_le_bytes()));
            }
            writer.write_all(&row)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(file: &[u8]) -> (String, &[u8]) {
        let end = b"end_header\n";
        let at = file.windows(end.len()).position(|window| window == end).unwrap() + end.len();
        (String::from_utf8(file[..at].to_vec()).unwrap(), &file[at..])
    }

    #[test]
    fn every_number_of_a_mesh_is_found_again() {
        let mut sheet = Mesh::flat_sheet("water\nsurface", [2.0, 1.0], [3, 2]);
        sheet.velocities = (0..6).map(|i| [i as f32, 0.5, -1.0]).collect();
        let values: Vec<f32> = (0..6).map(|i| 10.0 + i as f32).collect();
        for name in ["foam cover", "x", "x"] {
            sheet.attributes.push(Attribute::new(name, Quantity::Foam, 1, Vec::clone(&values)));
        }
        let mut file = Vec::new();
        write_mesh(&sheet, &mut file).unwrap();
        let (header, body) = parts(&file);
        let properties: Vec<&str> =
            header.lines().filter_map(|line| line.strip_prefix("property float ")).collect();
        let names = ["x", "y", "z", "nx", "ny", "nz", "vx", "vy", "vz", "s", "t", "foam_cover", "x_2", "x_3"];
        assert_eq!(properties, names);
        assert!(
            header.contains("comment name water surface\nelement vertex 6\n") && header.contains("face 4\n")
        );
        let stride = 4 * names.len();
        assert_eq!(body.len(), 6 * stride + 4 * 13);
        let float = |vertex: usize, column: usize| {
            let at = vertex * stride + 4 * column;
            f32::from_le_bytes(body[at..at + 4].try_into().unwrap())
        };
        assert_eq!(
            [float(5, 0), float(5, 1), float(5, 5), float(5, 6), float(5, 11)],
            [2.0, 1.0, 1.0, 5.0, 15.0]
        );
        let face = &body[6 * stride..6 * stride + 13];
        assert_eq!(face, [3, 0, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0]);
    }

    #[test]
    fn particles_have_no_faces() {
        let cloud =
            Cloud { name: "spray".into(), positions: vec![[1.0, 2.0, 3.0]], radius: 0.1, ..Cloud::default() };
        let mut file = Vec::new();
        write_cloud(&cloud, &mut file).unwrap();
        let (header, body) = parts(&file);
        assert!(header.contains("element vertex 1\n") && !header.contains("face"));
        assert_eq!(body.len(), 12);
    }

    #[test]
    fn curves_are_chains_of_edges() {
        let loops = [vec![[0.0, 0.0], [1.0, 0.0], [0.0, 0.5]], vec![[2.0, 0.0], [3.0, 0.0]]];
        let curves = Curves::new(loops, [[0.0; 2], [3.0, 1.0]], 0.1);
        let mut file = Vec::new();
        write_curves("drop", &curves, &mut file).unwrap();
        let (header, body) = parts(&file);
        assert!(header.contains("element vertex 5\n") && header.contains("element edge 5\n"));
        let (positions, edges) = body.split_at(5 * 12);
        let corner = f32::from_le_bytes(positions[40..44].try_into().unwrap());
        let numbers: Vec<u32> =
            edges.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
        assert_eq!((corner, numbers), (0.0, vec![0, 1, 1, 2, 2, 0, 3, 4, 4, 3]));
    }

    #[test]
    fn colours_are_three_columns() {
        let colour = Attribute::new("colour", Quantity::Colour, 3, vec![0.1, 0.2, 0.3]);
        let cloud = Cloud { positions: vec![[0.0; 3]], attributes: vec![colour], ..Cloud::default() };
        let mut file = Vec::new();
        write_cloud(&cloud, &mut file).unwrap();
        let (header, body) = parts(&file);
        assert!(header.contains("property float red\nproperty float green\nproperty float blue\n"));
        assert_eq!(body[12..], [0.1_f32, 0.2, 0.3].map(f32::to_le_bytes).concat());
    }

    #[test]
    fn inconsistent_geometry_is_refused() {
        let mut sheet = Mesh::flat_sheet("water", [1.0, 1.0], [2, 2]);
        sheet.normals.pop();
        assert!(write_mesh(&sheet, io::sink()).unwrap_err().to_string().contains("3 normals for 4"));
        let cloud = Cloud { velocities: vec![[0.0; 3]], ..Cloud::default() };
        assert!(write_cloud(&cloud, io::sink()).is_err());
    }
}
