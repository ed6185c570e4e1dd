//! Readers of mesh files. They take bytes, return triangles in the file's own unit and axes, and report errors with
//! their location.
//!
//! Each reader names the library it uses, or why it uses none. They are fuzzed by `fuzz/fuzz_targets/mesh.rs`, which
//! builds this folder alone: it uses nothing of the crate but `Triangle`.

mod base64;
mod gltf;
mod obj;
mod ply;
mod stl;

pub(super) use obj::read_obj;

use super::triangle::Triangle;

/// Largest number of triangles that is read.
const MOST_TRIANGLES: usize = 1 << 20;

/// Why a mesh file cannot be read.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// A line of a text file is wrong.
    #[error("line {line}: {what}")]
    Line {
        /// Its number, from 1.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
    /// The file as a whole is invalid.
    #[error("{0}")]
    File(String),
}

impl MeshError {
    fn file(what: impl Into<String>) -> MeshError {
        MeshError::File(what.into())
    }

    fn line(line: usize, what: impl Into<String>) -> MeshError {
        MeshError::Line { line, what: what.into() }
    }
}

/// Reads a file, with the buffer file that it may refer to.
type MeshReader = fn(&[u8], Option<&[u8]>) -> Result<Vec<Triangle>, MeshError>;

/// A format of mesh files.
#[derive(Debug, Clone, Copy)]
pub struct MeshFormat {
    /// Extension of its file names.
    pub extension: &'static str,
    /// Name for people.
    pub name: &'static str,
    /// Whether its second axis points up by convention, rather than the third.
    pub is_y_up: bool,
    read: MeshReader,
}

/// Every format of mesh files that is read.
pub static MESH_FORMATS: &[MeshFormat] = &[
    MeshFormat {
        extension: "obj",
        name: "Wavefront OBJ",
        is_y_up: false,
        read: |bytes, _| read_obj(text(bytes)?),
    },
    MeshFormat {
        extension: "ply",
        name: "PLY, text or binary",
        is_y_up: false,
        read: |bytes, _| ply::read_ply(bytes),
    },
    MeshFormat {
        extension: "stl",
        name: "STL, text or binary",
        is_y_up: false,
        read: |bytes, _| stl::read_stl(bytes),
    },
    MeshFormat { extension: "gltf", name: "glTF 2.0", is_y_up: true, read: gltf::read_gltf },
    MeshFormat { extension: "glb", name: "binary glTF 2.0", is_y_up: true, read: gltf::read_gltf },
];

impl MeshFormat {
    /// The format of a file, by its name.
    pub fn of(name: &str) -> Option<&'static MeshFormat> {
        let (_, extension) = name.rsplit_once('.')?;
        MESH_FORMATS.iter().find(|format| format.extension.eq_ignore_ascii_case(extension))
    }

    /// Reads a file of this format; `numbers` is the buffer file of a glTF file.
    pub fn read(&self, bytes: &[u8], numbers: Option<&[u8]>) -> Result<Vec<Triangle>, MeshError> {
        let triangles = (self.read)(bytes, numbers)?;
        if triangles.is_empty() {
            return Err(MeshError::file("there is no face in it"));
        }
        if triangles.iter().flatten().flatten().any(|along| along.is_nan() || along.abs() > 1e30) {
            return Err(MeshError::file("it has corners that are no finite numbers"));
        }
        Ok(triangles)
    }
}

fn text(bytes: &[u8]) -> Result<&str, MeshError> {
    std::str::from_utf8(bytes).map_err(|_| MeshError::file("this is not UTF-8 text"))
}

fn too_many() -> MeshError {
    MeshError::file("more than a million triangles; simplify the mesh")
}

/// Triangulates a face of three or more corners as a fan.
fn push_fan(around: &[[f64; 3]], triangles: &mut Vec<Triangle>) -> Result<(), MeshError> {
    if let Some((first, others)) = around.split_first() {
        triangles.extend(others.windows(2).map(|pair| [*first, pair[0], pair[1]]));
    }
    if triangles.len() > MOST_TRIANGLES { Err(too_many()) } else { Ok(()) }
}

#[cfg(test)]
pub(super) const CUBE: &str = "v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1\n\
    f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2/1 3/1/1 7//1 6\nf -6 -5 -1 -2\nf 4 1 5 8\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cut_or_changed_file_makes_a_reader_panic() {
        let files: [(&str, Vec<u8>); 5] = [
            ("a.obj", CUBE.into()),
            ("a.ply", ply::samples::ascii().into()),
            ("b.ply", ply::samples::binary(true)),
            ("a.stl", stl::samples::binary()),
            ("a.glb", gltf::samples::binary()),
        ];
        for (name, file) in files {
            let format = MeshFormat::of(name).unwrap();
            assert!(format.read(&file, None).is_ok(), "{name}");
            for place in 0..file.len() {
                // Any result will do, but no panic
                let _ = format.read(&file[..place], None);
                let mut changed = file.clone();
                changed[place] ^= 0x5b;
                let _ = format.read(&changed, None);
            }
        }
    }

    #[test]
    fn formats_are_found_by_extension() {
        assert_eq!(MeshFormat::of("glass.STL").unwrap().extension, "stl");
        assert!(MeshFormat::of("glass.blend").is_none() && MeshFormat::of("obj").is_none());
    }
}
