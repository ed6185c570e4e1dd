//! STL: triangles one after the other, as text or as 50 bytes each.
//!
//! Our own reader: of a text stl_io 0.11 leaves out every solid after the first, refuses one without a name or without
//! its last line, and reports no line; a file of bytes whose title begins with "solid " it may take for text.

use super::obj::vertex;
use super::{MOST_TRIANGLES, MeshError, Triangle, text, too_many};

/// Bytes before the first triangle of a binary file: a title, and how many there are.
const HEAD: usize = 84;

/// Bytes of a triangle: a normal, three corners, and two bytes that mean nothing.
const RECORD: usize = 50;

pub(super) fn read_stl(bytes: &[u8]) -> Result<Vec<Triangle>, MeshError> {
    // In 64 bits, which no count overflows
    let length = |count: u32| HEAD as u64 + u64::from(count) * RECORD as u64;
    match binary_count(bytes) {
        Some(count) if bytes.len() as u64 == length(count) => read_binary(&bytes[HEAD..]),
        _ if bytes.starts_with(b"solid") => read_text(text(bytes)?),
        Some(count) => Err(MeshError::file(format!(
            "it should hold {count} triangles in {} bytes, but has {}",
            length(count),
            bytes.len()
        ))),
        None => Err(MeshError::file("this is no STL file")),
    }
}

/// The number of triangles that a binary file says it has.
fn binary_count(bytes: &[u8]) -> Option<u32> {
    bytes.get(80..HEAD)?.try_into().ok().map(u32::from_le_bytes)
}

fn read_binary(records: &[u8]) -> Result<Vec<Triangle>, MeshError> {
    let (records, _) = records.as_chunks::<RECORD>();
    if records.len() > MOST_TRIANGLES {
        return Err(too_many());
    }
    let number = |record: &[u8; RECORD], at: usize| {
        f64::from(f32::from_le_bytes([record[at], record[at + 1], record[at + 2], record[at + 3]]))
    };
    let triangle = |record: &[u8; RECORD]| -> Triangle {
        [0, 1, 2].map(|corner| [0, 1, 2].map(|axis| number(record, 12 + 12 * corner + 4 * axis)))
    };
    Ok(records.iter().map(triangle).collect())
}

fn read_text(text: &str) -> Result<Vec<Triangle>, MeshError> {
    let (mut corners, mut triangles) = (Vec::with_capacity(3), Vec::new());
    for (number, line) in text.lines().enumerate() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("vertex") => {
                let corner = vertex(words);
                let wrong = || MeshError::line(number + 1, "a vertex has three numbers");
                corners.push(corner.ok_or_else(wrong)?);
            }
            Some("endloop") => {
                let triangle = <Triangle>::try_from(corners.as_slice());
                let wrong = |_| MeshError::line(number + 1, "a facet has three corners");
                triangles.push(triangle.map_err(wrong)?);
                corners.clear();
            }
            _ => {}
        }
        if triangles.len() > MOST_TRIANGLES {
            return Err(too_many());
        }
    }
    Ok(triangles)
}

#[cfg(test)]
pub(super) mod samples {
    /// Two triangles.
    pub fn binary() -> Vec<u8> {
        let mut bytes = vec![b's'; 80];
        bytes.extend(2u32.to_le_bytes());
        for triangle in 0..2 {
            let numbers = (0..12u8).map(|number| f32::from(number) + 100.0 * triangle as f32);
            bytes.extend(numbers.flat_map(f32::to_le_bytes));
            bytes.extend([0, 0]);
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_binary_files_are_read() {
        let triangles = read_stl(&samples::binary()).unwrap();
        assert_eq!(triangles[1], [[103.0, 104.0, 105.0], [106.0, 107.0, 108.0], [109.0, 110.0, 111.0]]);
        let facet =
            "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1e0 0\nendloop\nendfacet\n";
        let triangles = read_stl(format!("solid glass\n{facet}{facet}endsolid\n").as_bytes()).unwrap();
        assert_eq!(triangles, [[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]; 2]);
    }

    #[test]
    fn a_binary_file_may_begin_with_the_word_of_text_files() {
        let mut bytes = samples::binary();
        bytes[..6].copy_from_slice(b"solid ");
        assert_eq!(read_stl(&bytes).unwrap().len(), 2);
    }

    #[test]
    fn all_solids_of_a_text_file_are_read() {
        let facet =
            "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n";
        let text = format!("solid a\n{facet}endsolid a\nsolid b\n{facet}endsolid b\n");
        assert_eq!(read_stl(text.as_bytes()).unwrap().len(), 2);
    }

    #[test]
    fn cut_files_are_refused_with_what_is_missing() {
        let file = samples::binary();
        let refusal = read_stl(&file[..150]).unwrap_err().to_string();
        assert_eq!(refusal, "it should hold 2 triangles in 184 bytes, but has 150");
        assert!(read_stl(b"no").is_err());
        let refusal = read_stl(b"solid\nvertex 1 2 3\nendloop\n").unwrap_err().to_string();
        assert_eq!(refusal, "line 3: a facet has three corners");
    }
}
