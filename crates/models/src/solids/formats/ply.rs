//! PLY: elements that a header describes, as text or as bytes of either order, read by serde-ply.
//!
//! Chosen over ply-rs-bw, which refuses numbers such as `.5` and `1.`, blank lines, and rows that go over two lines.

use std::io::{self, BufRead, Read};

use serde::Deserialize;
use serde_ply::{DeserializeError, PlyFormat, PlyReader};

use super::{MOST_TRIANGLES, MeshError, Triangle, push_fan, too_many};

/// Largest number of elements: enough for the triangles allowed, but bounded memory.
const MOST_ELEMENTS: usize = 4 * MOST_TRIANGLES;

#[derive(Deserialize)]
struct PlyVertex {
    x: f64,
    y: f64,
    z: f64,
}

#[derive(Deserialize)]
struct PlyFace {
    #[serde(alias = "vertex_index")]
    vertex_indices: Vec<u32>,
}

/// A row of any other element.
#[derive(Deserialize)]
struct OtherElement {}

/// Vertices and faces of a file.
#[derive(Default)]
struct PlyElements {
    vertices: Vec<PlyVertex>,
    faces: Vec<PlyFace>,
    /// Whether rows are lines.
    is_text: bool,
}

pub(super) fn read_ply(bytes: &[u8]) -> Result<Vec<Triangle>, MeshError> {
    // The last word of a text file may be its last byte, which the reader does not expect
    let mut source = bytes.chain(&b"\n"[..]);
    let mut elements = PlyElements { is_text: true, ..PlyElements::default() };
    let read = read_elements(&mut source, &mut elements);
    let read_bytes = bytes.len() - source.get_ref().0.len();
    match read {
        Ok(true) => triangles(&elements),
        Ok(false) => Err(too_many()),
        Err(error) => Err(located(&error.0, &bytes[..read_bytes], elements.is_text)),
    }
}

/// Reads vertices and faces, or says that there are too many.
fn read_elements(source: impl BufRead, elements: &mut PlyElements) -> Result<bool, DeserializeError> {
    let mut reader = PlyReader::from_reader(source)?;
    elements.is_text = reader.header().format == PlyFormat::Ascii;
    let count = reader.header().elem_defs.iter().map(|element| element.count).fold(0, usize::saturating_add);
    if count > MOST_ELEMENTS {
        return Ok(false);
    }
    while let Some(element) = reader.current_element() {
        match element.name.as_str() {
            "vertex" => elements.vertices.extend(reader.next_element::<Vec<PlyVertex>>()?),
            "face" => elements.faces.extend(reader.next_element::<Vec<PlyFace>>()?),
            _ => drop(reader.next_element::<Vec<OtherElement>>()?),
        }
    }
    Ok(true)
}

/// Why a file cannot be read, with the line or byte that the reader has reached.
fn located(error: &io::Error, read: &[u8], is_text: bool) -> MeshError {
    let what = match error.kind() {
        io::ErrorKind::UnexpectedEof => "the file ends too early".to_owned(),
        _ => error.to_string(),
    };
    if !is_text {
        return MeshError::file(format!("byte {}: {what}", read.len()));
    }
    // A line's end belongs to the line
    let before = read.split_last().map_or(&[][..], |(_, before)| before);
    MeshError::line(1 + before.iter().filter(|&&byte| byte == b'\n').count(), what)
}

fn triangles(elements: &PlyElements) -> Result<Vec<Triangle>, MeshError> {
    let mut triangles = Vec::with_capacity(elements.faces.len());
    let corner =
        |&index: &u32| elements.vertices.get(index as usize).map(|vertex| [vertex.x, vertex.y, vertex.z]);
    for (number, face) in elements.faces.iter().enumerate() {
        let around: Option<Vec<[f64; 3]>> = face.vertex_indices.iter().map(corner).collect();
        let wrong = || MeshError::file(format!("face {number} has no such corners"));
        push_fan(&around.filter(|around| around.len() >= 3).ok_or_else(wrong)?, &mut triangles)?;
    }
    Ok(triangles)
}

#[cfg(test)]
pub(super) mod samples {
    /// A square with a colour at each corner.
    pub fn ascii() -> &'static str {
        "ply\nformat ascii 1.0\ncomment a square\nelement vertex 4\nproperty float x\nproperty float y\n\
         property double z\nproperty uchar red\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n\
         0 0 0.5 255\n1 0 0.5 0\n1 1 0.5 0\n0 1 0.5 7\n4 0 1 2 3\n"
    }

    /// The same in bytes.
    pub fn binary(is_little: bool) -> Vec<u8> {
        let header = ascii().split_inclusive("end_header\n").next().unwrap_or_default();
        let word = if is_little { "binary_little_endian" } else { "binary_big_endian" };
        let mut bytes = header.replace("ascii", word).into_bytes();
        let mut push = |little: &[u8]| match is_little {
            true => bytes.extend(little),
            false => bytes.extend(little.iter().rev()),
        };
        for [x, y] in [[0.0_f32, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]] {
            push(&x.to_le_bytes());
            push(&y.to_le_bytes());
            push(&0.5_f64.to_le_bytes());
            push(&[9]);
        }
        push(&[4]);
        (0..4i32).for_each(|index| push(&index.to_le_bytes()));
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_bytes_of_either_order_are_the_same_square() {
        let square = read_ply(samples::ascii().as_bytes()).unwrap();
        assert_eq!(square[1], [[0.0, 0.0, 0.5], [1.0, 1.0, 0.5], [0.0, 1.0, 0.5]]);
        assert_eq!(read_ply(&samples::binary(true)).unwrap(), square);
        assert_eq!(read_ply(&samples::binary(false)).unwrap(), square);
    }

    #[test]
    fn wrong_files_are_refused_with_their_place() {
        let refusal = |text: &str| read_ply(text.as_bytes()).unwrap_err().to_string();
        let begins = |text: &str, start: &str| assert!(refusal(text).starts_with(start), "{}", refusal(text));
        begins("plyy\n", "line 1: ");
        begins("ply\nelement vertex 1\n", "line 2: the file ends too early");
        let text = samples::ascii();
        begins(&text.replace("double", "quad"), "line 7: ");
        begins(&text.replace("1 0 0.5", "1 0 half"), "line 13: ");
        begins(&text.replace("4 0 1 2 3", "4 0 1 2 -3"), "line 16: ");
        begins(&text.replace("4 0 1 2 3", "4 0 1"), "line 16: the file ends too early");
        begins(&text.replace("vertex_indices", "corners"), "line 16: ");
        assert_eq!(refusal(&text.replace("4 0 1 2 3", "4 0 1 2 4")), "face 0 has no such corners");
        assert_eq!(refusal(&text.replace("4 0 1 2 3", "2 0 1")), "face 0 has no such corners");
        assert_eq!(refusal(&text.replace("face 1", "face 99999999999")), too_many().to_string());
        let binary = samples::binary(true);
        let cut = read_ply(&binary[..binary.len() - 3]).unwrap_err().to_string();
        assert_eq!(cut, format!("byte {}: the file ends too early", binary.len() - 3));
    }

    #[test]
    fn text_may_be_laid_out_freely() {
        let square = read_ply(samples::ascii().as_bytes()).unwrap();
        let text = samples::ascii().replace("0.5", ".5").replace("1 0", "1. 0").replace("255\n", "255 ");
        assert_eq!(read_ply(text.trim_end().as_bytes()).unwrap(), square);
        let other = text.replace("vertex_indices", "vertex_index").replace('\n', "\r\n");
        assert_eq!(read_ply(other.as_bytes()).unwrap(), square);
    }
}
