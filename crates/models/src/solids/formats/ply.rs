//! PLY: elements that a header describes, as text or as bytes of either order.

use super::{MOST_TRIANGLES, MeshError, push_fan, too_many};
use crate::solids::mesh::Triangle;

/// The most elements of a kind: as many as triangles may need, and no memory bomb.
const MOST_ELEMENTS: usize = 4 * MOST_TRIANGLES;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Encoding {
    Text,
    LittleEndian,
    BigEndian,
}

/// A type of numbers: bytes, and how they are read.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Number {
    Signed(usize),
    Unsigned(usize),
    Real(usize),
}

struct Property {
    name: String,
    /// The type of a list's length.
    count: Option<Number>,
    number: Number,
}

struct Element {
    name: String,
    count: usize,
    properties: Vec<Property>,
}

struct Header {
    encoding: Encoding,
    elements: Vec<Element>,
    /// Bytes of the header.
    length: usize,
}

pub(super) fn read_ply(bytes: &[u8]) -> Result<Vec<Triangle>, MeshError> {
    let header = read_header(bytes)?;
    let mut source = Source { bytes: &bytes[header.length..], encoding: header.encoding };
    let (mut corners, mut triangles) = (Vec::new(), Vec::new());
    for element in &header.elements {
        for number in 0..element.count {
            let ended = || MeshError::file(format!("it ends within {} {number}", element.name));
            let row = source.row(element).ok_or_else(ended)?;
            match element.name.as_str() {
                "vertex" => corners.push(row.corner),
                "face" => {
                    let corner = |&index: &usize| corners.get(index).copied();
                    let around: Option<Vec<[f64; 3]>> = row.indices.iter().map(corner).collect();
                    let wrong = || MeshError::file(format!("face {number} has no such corners"));
                    push_fan(&around.filter(|around| around.len() >= 3).ok_or_else(wrong)?, &mut triangles)?;
                }
                _ => {}
            }
        }
    }
    Ok(triangles)
}

fn read_header(bytes: &[u8]) -> Result<Header, MeshError> {
    let mut header = Header { encoding: Encoding::Text, elements: Vec::new(), length: 0 };
    for number in 1.. {
        let rest = &bytes[header.length..];
        let Some(end) = rest.iter().position(|&byte| byte == b'\n') else { break };
        header.length += end + 1;
        let wrong = |what: &str| MeshError::line(number, what);
        let line = std::str::from_utf8(&rest[..end]).map_err(|_| wrong("the header is not text"))?;
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["ply"] if number == 1 => {}
            _ if number == 1 => return Err(wrong("this is no PLY file")),
            ["end_header"] => return Ok(header),
            ["format", word, _] => {
                header.encoding = encoding(word).ok_or_else(|| wrong("this format is not known"))?;
            }
            ["element", name, count] => {
                let count = count.parse().map_err(|_| wrong("the number of elements is no number"))?;
                if count > MOST_ELEMENTS {
                    return Err(too_many());
                }
                header.elements.push(Element { name: name.to_owned(), count, properties: Vec::new() });
            }
            ["property", ..] => {
                let element =
                    header.elements.last_mut().ok_or_else(|| wrong("this belongs to no element"))?;
                let property = property(&words[1..]).ok_or_else(|| wrong("this property is not known"))?;
                element.properties.push(property);
            }
            _ => {}
        }
    }
    Err(MeshError::file("its header has no end"))
}

fn encoding(word: &str) -> Option<Encoding> {
    match word {
        "ascii" => Some(Encoding::Text),
        "binary_little_endian" => Some(Encoding::LittleEndian),
        "binary_big_endian" => Some(Encoding::BigEndian),
        _ => None,
    }
}

fn property(words: &[&str]) -> Option<Property> {
    match *words {
        ["list", count, kind, name] => {
            Some(Property { name: name.into(), count: Some(number(count)?), number: number(kind)? })
        }
        [kind, name] => Some(Property { name: name.into(), count: None, number: number(kind)? }),
        _ => None,
    }
}

fn number(word: &str) -> Option<Number> {
    Some(match word {
        "char" | "int8" => Number::Signed(1),
        "short" | "int16" => Number::Signed(2),
        "int" | "int32" => Number::Signed(4),
        "uchar" | "uint8" => Number::Unsigned(1),
        "ushort" | "uint16" => Number::Unsigned(2),
        "uint" | "uint32" => Number::Unsigned(4),
        "float" | "float32" => Number::Real(4),
        "double" | "float64" => Number::Real(8),
        _ => return None,
    })
}

/// What is wanted of an element: a place, or the corners of a face.
#[derive(Default)]
struct Row {
    corner: [f64; 3],
    indices: Vec<usize>,
}

/// The bytes that are not read yet.
struct Source<'b> {
    bytes: &'b [u8],
    encoding: Encoding,
}

impl Source<'_> {
    fn row(&mut self, element: &Element) -> Option<Row> {
        let mut row = Row::default();
        for property in &element.properties {
            let Some(count) = property.count else {
                let value = self.next(property.number)?;
                let axis = ["x", "y", "z"].iter().position(|axis| *axis == property.name);
                axis.into_iter().for_each(|axis| row.corner[axis] = value);
                continue;
            };
            let is_wanted = property.name.starts_with("vertex_ind");
            for _ in 0..whole(self.next(count)?)? {
                let value = self.next(property.number)?;
                if is_wanted {
                    row.indices.push(whole(value)?);
                }
            }
        }
        Some(row)
    }

    fn next(&mut self, number: Number) -> Option<f64> {
        if self.encoding == Encoding::Text {
            return self.next_word()?.parse().ok();
        }
        let length = match number {
            Number::Signed(length) | Number::Unsigned(length) | Number::Real(length) => length,
        };
        let (taken, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        let mut little = [0; 8];
        for (place, &byte) in taken.iter().enumerate() {
            little[if self.encoding == Encoding::BigEndian { length - 1 - place } else { place }] = byte;
        }
        let whole = u64::from_le_bytes(little);
        Some(match number {
            Number::Unsigned(_) => whole as f64,
            Number::Signed(1) => f64::from(whole as u8 as i8),
            Number::Signed(2) => f64::from(whole as u16 as i16),
            Number::Signed(_) => f64::from(whole as u32 as i32),
            Number::Real(4) => f64::from(f32::from_bits(whole as u32)),
            Number::Real(_) => f64::from_bits(whole),
        })
    }

    fn next_word(&mut self) -> Option<&str> {
        let start = self.bytes.iter().position(|byte| !byte.is_ascii_whitespace())?;
        let rest = &self.bytes[start..];
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        let (word, rest) = rest.split_at(length);
        self.bytes = rest;
        std::str::from_utf8(word).ok()
    }
}

fn whole(value: f64) -> Option<usize> {
    (value >= 0.0 && value <= u32::MAX.into() && value.fract() == 0.0).then_some(value as usize)
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
        assert_eq!(refusal("plyy\n"), "line 1: this is no PLY file");
        let text = samples::ascii();
        assert_eq!(refusal(&text.replace("double", "quad")), "line 7: this property is not known");
        assert_eq!(refusal(&text.replace("4 0 1 2 3", "4 0 1 2 4")), "face 0 has no such corners");
        assert_eq!(refusal(&text.replace("4 0 1 2 3", "4 0 1")), "it ends within face 0");
        assert_eq!(refusal(&text.replace("face 1", "face 99999999999")), too_many().to_string());
        assert_eq!(refusal("ply\nelement vertex 1\n"), "its header has no end");
    }
}
