//! Meshes as Wavefront OBJ, a text format that nearly every program reads.
//!
//! Positions, texture coordinates, normals and triangles, or closed lines; the format has no velocities or attributes (use
//! PLY for them).
//! Numbers are written in their shortest round-trip form. Lengths are metres, z is up.

use std::io::{self, Write};

use undine_frame::{Curves, Mesh};

use crate::names::{identifier, one_line};
use crate::number::Shortest;

/// Writes a mesh; refuses one that is inconsistent.
///
/// ```
/// let sheet = undine_frame::Mesh::flat_sheet("water", [1.0, 1.0], [2, 2]);
/// let mut file = Vec::new();
/// undine_export::obj::write_mesh(&sheet, &mut file)?;
/// assert!(String::from_utf8_lossy(&file).contains("\nv 1 0 0\n"));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_mesh(mesh: &Mesh, mut writer: impl Write) -> io::Result<()> {
    if let Some(fault) = mesh.inconsistency() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, fault));
    }
    writeln!(writer, "# undine, metres, z up: {}\no {}", one_line(&mesh.name), identifier(&mesh.name))?;
    write_lines(&mut writer, "v", &mesh.positions)?;
    write_lines(&mut writer, "vt", &mesh.uvs)?;
    write_lines(&mut writer, "vn", &mesh.normals)?;
    let face_format = FaceFormat { uvs: !mesh.uvs.is_empty(), normals: !mesh.normals.is_empty() };
    let mut line = String::new();
    for triangle in mesh.triangles() {
        line.clear();
        line.push('f');
        triangle.iter().for_each(|&vertex| face_format.push(&mut line, vertex));
        line.push('\n');
        writer.write_all(line.as_bytes())?;
    }
    Ok(())
}

/// Writes curves in the plane z = 0, each as a polyline that ends at its first point; refuses inconsistent ones.
pub fn write_curves(name: &str, curves: &Curves, mut writer: impl Write) -> io::Result<()> {
    if let Some(fault) = curves.inconsistency() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, fault));
    }
    writeln!(writer, "# undine, metres, z up: {}\no {}", one_line(name), identifier(name))?;
    for [x, y] in curves.points.iter() {
        writeln!(writer, "v {} {} 0", Shortest(*x), Shortest(*y))?;
    }
    let mut first = 1;
    for curve in curves.iter().filter(|curve| !curve.is_empty()) {
        let numbers = (first..first + curve.len()).chain([first]);
        let line: String = numbers.map(|number| format!(" {number}")).collect();
        writeln!(writer, "l{line}")?;
        first += curve.len();
    }
    Ok(())
}

fn write_lines<const N: usize>(writer: &mut impl Write, word: &str, vectors: &[[f32; N]]) -> io::Result<()> {
    for vector in vectors {
        writer.write_all(word.as_bytes())?;
        vector.iter().try_for_each(|&value| write!(writer, " {}", Shortest(value)))?;
        writer.write_all(b"\n")?;
    }
    Ok(())
}

/// Vertex reference of a face, `v/vt/vn`: position, texture coordinate and normal have the same index, counted from 1.
struct FaceFormat {
    uvs: bool,
    normals: bool,
}

impl FaceFormat {
    fn push(&self, line: &mut String, vertex: u32) {
        let number = (u64::from(vertex) + 1).to_string();
        line.push(' ');
        line.push_str(&number);
        if self.uvs || self.normals {
            line.push('/');
        }
        if self.uvs {
            line.push_str(&number);
        }
        if self.normals {
            line.push('/');
            line.push_str(&number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(mesh: &Mesh) -> String {
        let mut file = Vec::new();
        write_mesh(mesh, &mut file).unwrap();
        String::from_utf8(file).unwrap()
    }

    #[test]
    fn numbers_read_back_and_faces_count_from_one() {
        let mut sheet = Mesh::flat_sheet("my water", [1.0, 1.0], [2, 2]);
        sheet.positions[3] = [1.0 / 3.0, 1e-12, -0.1];
        let text = text(&sheet);
        let last = text.lines().filter_map(|line| line.strip_prefix("v ")).nth(3).unwrap();
        let read: Vec<f32> = last.split(' ').map(|number| number.parse().unwrap()).collect();
        assert_eq!(read, sheet.positions[3]);
        let faces: Vec<&str> = text.lines().filter(|line| line.starts_with("f ")).collect();
        assert_eq!(faces, ["f 1/1/1 2/2/2 4/4/4", "f 1/1/1 4/4/4 3/3/3"]);
        assert!(text.contains("\no my_water\n"));
    }

    #[test]
    fn curves_are_closed_lines() {
        let loops: [&[[f32; 2]]; 3] =
            [&[[0.0, 0.0], [1.0, 0.0], [0.0, 0.5]], &[], &[[2.0, 0.0], [3.0, 0.0], [2.5, 1.0]]];
        let curves = Curves::new(loops, [[0.0; 2], [3.0, 1.0]], 0.1);
        let mut file = Vec::new();
        write_curves("a drop", &curves, &mut file).unwrap();
        let text = String::from_utf8(file).unwrap();
        assert!(text.contains("\no a_drop\nv 0 0 0\nv 1 0 0\nv 0 0.5 0\n"), "{text}");
        assert!(text.ends_with("\nl 1 2 3 1\nl 4 5 6 4\n"), "{text}");
        let broken = Curves { ends: vec![9].into(), ..curves };
        assert!(write_curves("drop", &broken, io::sink()).is_err());
    }

    #[test]
    fn corners_name_only_what_is_there() {
        let mut sheet = Mesh::flat_sheet("w", [1.0, 1.0], [2, 2]);
        sheet.uvs.clear();
        assert!(text(&sheet).contains("f 1//1 2//2 4//4\n"));
        sheet.normals.clear();
        assert!(text(&sheet).contains("f 1 2 4\n"));
    }
}
