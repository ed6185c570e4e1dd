//! Obstacles of 3-D fluids as meshes, for pictures. Each is made once, about its own centre; its pose moves it.

use std::collections::HashMap;
use std::f64::consts::{PI, TAU};

use undine_frame::{Material, Mesh, Triangles};

use super::mesh::{Triangle, cross, dot, minus};
use super::shape::Shape;

/// Pieces around a sphere or a cylinder.
const AROUND: u32 = 96;

/// Rings of a sphere from pole to pole.
const RINGS: u32 = 48;

/// Faces of a mesh that meet at a smaller angle than this are drawn as one smooth surface: its cosine.
const SMOOTH: f64 = 0.7;

/// The surface of a shape in 3-D; flat shapes have none.
pub(super) fn body_mesh<const D: usize>(name: &str, shape: &Shape<D>) -> Option<Mesh> {
    if D < 3 {
        return None;
    }
    let mut body = Body::default();
    match shape {
        Shape::Ball { radius } => body.add_sphere(*radius),
        Shape::Block { half } => body.add_box([half[0], half[1], half[D - 1]]),
        Shape::Cylinder { radius, half_height } => body.add_cylinder(*radius, *half_height),
        Shape::Mesh(mesh) => body.add_triangles(mesh.triangles()),
        Shape::Ground(ground) => body.add_triangles(ground.triangles()),
        Shape::Outline { .. } => return None,
    }
    Some(body.into_mesh(name))
}

/// A mesh in the making.
#[derive(Default)]
pub(super) struct Body {
    pub positions: Vec<[f32; 3]>,
    pub normals: Vec<[f32; 3]>,
    pub triangles: Vec<[u32; 3]>,
}

impl Body {
    pub fn into_mesh(self, name: &str) -> Mesh {
        Mesh {
            name: name.to_owned(),
            material: Material::Solid,
            positions: self.positions,
            normals: self.normals,
            velocities: Vec::new(),
            uvs: Vec::new(),
            attributes: Vec::new(),
            triangles: Triangles::List(self.triangles),
        }
    }

    pub fn add_vertex(&mut self, position: [f64; 3], normal: [f64; 3]) {
        self.positions.push(position.map(|along| along as f32));
        self.normals.push(normal.map(|along| along as f32));
    }

    /// Joins a lattice of vertices, `columns` wide, that begins at vertex `first`.
    fn join(&mut self, first: u32, columns: u32, rows: u32) {
        for row in 0..rows - 1 {
            for column in 0..columns - 1 {
                let low = first + row * columns + column;
                let high = low + columns;
                self.triangles.extend([[low, low + 1, high + 1], [low, high + 1, high]]);
            }
        }
    }

    fn add_sphere(&mut self, radius: f64) {
        for ring in 0..=RINGS {
            let (up, across) = (PI * (f64::from(ring) / f64::from(RINGS) - 0.5)).sin_cos();
            for piece in 0..=AROUND {
                let (sine, cosine) = (TAU * f64::from(piece) / f64::from(AROUND)).sin_cos();
                let normal = [across * cosine, across * sine, up];
                self.add_vertex(normal.map(|along| radius * along), normal);
            }
        }
        self.join(0, AROUND + 1, RINGS + 1);
    }

    fn add_box(&mut self, half: [f64; 3]) {
        for axis in 0..3 {
            for side in [-1.0, 1.0] {
                let first = self.positions.len() as u32;
                let (one, other) = ((axis + 1) % 3, (axis + 2) % 3);
                for corner in 0..4 {
                    let mut position = [0.0; 3];
                    position[axis] = side * half[axis];
                    // Seen from outside, the first axis must run to the right of the second
                    position[one] = side * half[one] * if corner % 2 == 1 { 1.0 } else { -1.0 };
                    position[other] = half[other] * if corner / 2 == 1 { 1.0 } else { -1.0 };
                    let mut normal = [0.0; 3];
                    normal[axis] = side;
                    self.add_vertex(position, normal);
                }
                self.join(first, 2, 2);
            }
        }
    }

    fn add_cylinder(&mut self, radius: f64, half_height: f64) {
        let around = |piece: u32| (TAU * f64::from(piece) / f64::from(AROUND)).sin_cos();
        for up in [-half_height, half_height] {
            for piece in 0..=AROUND {
                let (sine, cosine) = around(piece);
                self.add_vertex([radius * cosine, radius * sine, up], [cosine, sine, 0.0]);
            }
        }
        self.join(0, AROUND + 1, 2);
        for side in [-1.0, 1.0] {
            let middle = self.positions.len() as u32;
            self.add_vertex([0.0, 0.0, side * half_height], [0.0, 0.0, side]);
            for piece in 0..=AROUND {
                let (sine, cosine) = around(piece);
                self.add_vertex(
                    [radius * cosine, side * radius * sine, side * half_height],
                    [0.0, 0.0, side],
                );
            }
            self.triangles.extend((1..=AROUND).map(|piece| [middle, middle + piece, middle + piece + 1]));
        }
    }

    /// Triangles, each with corners of its own, whose normals are means over the faces that go on smoothly.
    fn add_triangles(&mut self, triangles: &[Triangle]) {
        let weighted = |[a, b, c]: &Triangle| cross(minus(*b, *a), minus(*c, *a));
        let mut faces_at: HashMap<[u64; 3], Vec<[f64; 3]>> = HashMap::new();
        for triangle in triangles {
            for corner in triangle {
                faces_at.entry(corner.map(f64::to_bits)).or_default().push(weighted(triangle));
            }
        }
        for triangle in triangles {
            let own = weighted(triangle);
            let goes_on =
                |other: &[f64; 3]| dot(own, *other) >= SMOOTH * (dot(own, own) * dot(*other, *other)).sqrt();
            let first = self.positions.len() as u32;
            for corner in triangle {
                let faces = &faces_at[&corner.map(f64::to_bits)];
                let sum = faces
                    .iter()
                    .filter(|face| goes_on(face))
                    .fold([0.0; 3], |sum, face| std::array::from_fn(|axis| sum[axis] + face[axis]));
                self.add_vertex(*corner, unit(sum));
            }
            self.triangles.push([first, first + 1, first + 2]);
        }
    }
}

fn unit(vector: [f64; 3]) -> [f64; 3] {
    let length = dot(vector, vector).sqrt();
    if length > 0.0 { vector.map(|along| along / length) } else { [0.0, 0.0, 1.0] }
}

#[cfg(test)]
mod tests {
    use super::super::formats::{CUBE, read_obj};
    use super::super::mesh_body::MeshBody;
    use super::*;

    /// The volume that a closed mesh encloses, positive when all its triangles face outwards.
    fn volume(mesh: &Mesh) -> f64 {
        let corner = |vertex: u32| mesh.positions[vertex as usize].map(f64::from);
        mesh.triangles().map(|[a, b, c]| dot(corner(a), cross(corner(b), corner(c))) / 6.0).sum()
    }

    #[test]
    fn bodies_enclose_their_shapes_and_face_outwards() {
        let cube = read_obj(CUBE).unwrap();
        let cases: [(Shape<3>, f64); 4] = [
            (Shape::Ball { radius: 2.0 }, 4.0 / 3.0 * PI * 8.0),
            (Shape::Block { half: [1.0, 0.5, 0.25] }, 1.0),
            (Shape::Cylinder { radius: 0.5, half_height: 1.0 }, 0.5 * PI),
            (Shape::Mesh(Box::new(MeshBody::new(cube, None))), 8.0),
        ];
        for (shape, exact) in cases {
            let mesh = body_mesh("stone", &shape).unwrap();
            assert_eq!(mesh.inconsistency(), None);
            assert!((volume(&mesh) / exact - 1.0).abs() < 0.005, "{shape:?}: {}", volume(&mesh));
            for [a, b, c] in mesh.triangles() {
                let corner = |vertex: u32| mesh.positions[vertex as usize].map(f64::from);
                let face = cross(minus(corner(b), corner(a)), minus(corner(c), corner(a)));
                let normal = mesh.normals[a as usize].map(f64::from);
                assert!((dot(normal, normal) - 1.0).abs() < 1e-5 && dot(face, normal) > -1e-9);
            }
        }
    }

    #[test]
    fn flat_shapes_have_no_body() {
        assert_eq!(body_mesh("disc", &Shape::<2>::Ball { radius: 1.0 }), None);
    }
}
