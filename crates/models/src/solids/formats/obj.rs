//! Wavefront OBJ: vertices (`v`) and faces (`f`).
//!
//! Our own reader: tobj 4.0 reports no line, refuses files in which only some vertices have colours, and overflows on
//! indices of normals that are not there; obj-rs 0.7 keeps single precision and panics on splines.

use super::{MeshError, Triangle, push_fan};

/// Reads the vertices and faces of an OBJ file; faces of more than three corners are cut into fans.
pub(in crate::solids) fn read_obj(text: &str) -> Result<Vec<Triangle>, MeshError> {
    let mut corners: Vec<[f64; 3]> = Vec::new();
    let mut around = Vec::new();
    let mut triangles = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let mut words = line.split_whitespace();
        let wrong = |what: &str| MeshError::line(number + 1, what);
        match words.next() {
            Some("v") => corners.push(vertex(words).ok_or_else(|| wrong("a vertex has three numbers"))?),
            Some("f") => {
                around.clear();
                face(words, &corners, &mut around).ok_or_else(|| wrong("this face has no such corners"))?;
                push_fan(&around, &mut triangles)?;
            }
            _ => {}
        }
    }
    Ok(triangles)
}

pub(super) fn vertex<'t>(mut words: impl Iterator<Item = &'t str>) -> Option<[f64; 3]> {
    let mut corner = [0.0; 3];
    for along in &mut corner {
        *along = words.next()?.parse().ok().filter(|number: &f64| number.is_finite())?;
    }
    Some(corner)
}

fn face<'t>(
    words: impl Iterator<Item = &'t str>,
    corners: &[[f64; 3]],
    around: &mut Vec<[f64; 3]>,
) -> Option<()> {
    for word in words {
        let number: i64 = word.split('/').next()?.parse().ok()?;
        // Negative numbers count from the last vertex back
        let index = if number < 0 { (corners.len() as i64).checked_add(number)? } else { number - 1 };
        around.push(*corners.get(usize::try_from(index).ok()?)?);
    }
    (around.len() >= 3).then_some(())
}

#[cfg(test)]
mod tests {
    use super::super::CUBE;
    use super::*;

    #[test]
    fn an_obj_file_is_read_or_refused_with_its_line() {
        assert_eq!(read_obj(CUBE).unwrap().len(), 12);
        let refusal = |text: &str| read_obj(text).unwrap_err().to_string();
        assert_eq!(refusal("v 1 2\n"), "line 1: a vertex has three numbers");
        assert_eq!(refusal("v 1 2 3\nf 1 2 3"), "line 2: this face has no such corners");
        assert_eq!(refusal("v 1 2 nan\n"), "line 1: a vertex has three numbers");
        assert_eq!(refusal("f 0 0 0"), "line 1: this face has no such corners");
        assert_eq!(refusal("f -9223372036854775808 1 1"), "line 1: this face has no such corners");
    }
}
