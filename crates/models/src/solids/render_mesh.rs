//! Render meshes of the obstacles of 3-D fluids. Each is built once in local coordinates; its pose transforms it.

use std::collections::HashMap;
use std::f64::consts::{PI, TAU};

use undine_frame::{Material, Mesh, Triangles};

use super::shape::SolidShape;
use super::triangle::{Triangle, cross, dot, subtract};

/// Segments around a sphere or a cylinder.
const SEGMENTS: u32 = 96;

/// Rings of a sphere from pole to pole.
const RINGS: u32 = 48;

/// Cosine of the crease angle: faces that meet at a smaller angle share smooth normals.
const SMOOTHING_COSINE: f64 = 0.7;

/// The surface of a shape in 3-D; flat shapes have none.
pub(super) fn body_mesh<const D: usize>(name: &str, shape: &SolidShape<D>) -> Option<Mesh> {
    if D < 3 {
        return None;
    }
    let mut render_mesh = MeshBuilder::default();
    match shape {
        SolidShape::Ball { radius } => render_mesh.add_sphere(*radius),
        SolidShape::Block { half } => render_mesh.add_box([half[0], half[1], half[D - 1]]),
        SolidShape::Cylinder { radius, half_height } => render_mesh.add_cylinder(*radius, *half_height),
        SolidShape::Mesh(mesh) => render_mesh.add_triangles(mesh.triangles()),
        SolidShape::Ground(ground) => render_mesh.add_triangles(ground.triangles()),
        SolidShape::Outline { .. } => return None,
    }
    Some(render_mesh.into_mesh(name))
}

/// Collects vertices and triangles of a mesh.
#[derive(Default)]
pub(super) struct MeshBuilder {
    pub positions: Vec<[f32; 3]>,
    pub normals: Vec<[f32; 3]>,
    pub triangles: Vec<[u32; 3]>,
}

impl MeshBuilder {
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
        self.positions.push(position.map(|x| x as f32));
        self.normals.push(normal.map(|x| x as f32));
    }

    /// Adds two triangles per quad of a lattice of vertices, `columns` wide, whose first vertex is `first`.
    fn add_quads(&mut self, first: u32, columns: u32, rows: u32) {
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
            for piece in 0..=SEGMENTS {
                let (sine, cosine) = (TAU * f64::from(piece) / f64::from(SEGMENTS)).sin_cos();
                let normal = [across * cosine, across * sine, up];
                self.add_vertex(normal.map(|x| radius * x), normal);
            }
        }
        self.add_quads(0, SEGMENTS + 1, RINGS + 1);
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
                self.add_quads(first, 2, 2);
            }
        }
    }

    fn add_cylinder(&mut self, radius: f64, half_height: f64) {
        let around = |piece: u32| (TAU * f64::from(piece) / f64::from(SEGMENTS)).sin_cos();
        for up in [-half_height, half_height] {
            for piece in 0..=SEGMENTS {
                let (sine, cosine) = around(piece);
                self.add_vertex([radius * cosine, radius * sine, up], [cosine, sine, 0.0]);
            }
        }
        self.add_quads(0, SEGMENTS + 1, 2);
        for side in [-1.0, 1.0] {
            let middle = self.positions.len() as u32;
            self.add_vertex([0.0, 0.0, side * half_height], [0.0, 0.0, side]);
            for piece in 0..=SEGMENTS {
                let (sine, cosine) = around(piece);
                self.add_vertex(
                    [radius * cosine, side * radius * sine, side * half_height],
                    [0.0, 0.0, side],
                );
            }
            self.triangles.extend((1..=SEGMENTS).map(|piece| [middle, middle + piece, middle + piece + 1]));
        }
    }

    /// Triangles with unshared vertices; normals are area-weighted means over adjacent faces within the crease angle.
    fn add_triangles(&mut self, triangles: &[Triangle]) {
        let weighted = |[a, b, c]: &Triangle| cross(subtract(*b, *a), subtract(*c, *a));
        let mut faces_at: HashMap<[u64; 3], Vec<[f64; 3]>> = HashMap::new();
        for triangle in triangles {
            for corner in triangle {
                faces_at.entry(corner.map(f64::to_bits)).or_default().push(weighted(triangle));
            }
        }
        for triangle in triangles {
            let own = weighted(triangle);
            let goes_on = |other: &[f64; 3]| {
                dot(own, *other) >= SMOOTHING_COSINE * (dot(own, own) * dot(*other, *other)).sqrt()
            };
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
    if length > 0.0 { vector.map(|x| x / length) } else { [0.0, 0.0, 1.0] }
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
        let cases: [(SolidShape<3>, f64); 4] = [
            (SolidShape::Ball { radius: 2.0 }, 4.0 / 3.0 * PI * 8.0),
            (SolidShape::Block { half: [1.0, 0.5, 0.25] }, 1.0),
            (SolidShape::Cylinder { radius: 0.5, half_height: 1.0 }, 0.5 * PI),
            (SolidShape::Mesh(Box::new(MeshBody::new(cube, None))), 8.0),
        ];
        for (shape, exact) in cases {
            let mesh = body_mesh("stone", &shape).unwrap();
            assert_eq!(mesh.inconsistency(), None);
            assert!((volume(&mesh) / exact - 1.0).abs() < 0.005, "{shape:?}: {}", volume(&mesh));
            for [a, b, c] in mesh.triangles() {
                let corner = |vertex: u32| mesh.positions[vertex as usize].map(f64::from);
                let face = cross(subtract(corner(b), corner(a)), subtract(corner(c), corner(a)));
                let normal = mesh.normals[a as usize].map(f64::from);
                assert!((dot(normal, normal) - 1.0).abs() < 1e-5 && dot(face, normal) > -1e-9);
            }
        }
    }

    #[test]
    fn flat_shapes_have_no_body() {
        assert_eq!(body_mesh("disc", &SolidShape::<2>::Ball { radius: 1.0 }), None);
    }
}
