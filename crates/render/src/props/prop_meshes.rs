//! Meshes of props, centred at the origin, with vertex colours.

use std::f32::consts::{PI, TAU};

use glam::{Vec2, Vec3};
use undine_frame::{Attribute, Material, Mesh, Quantity, Triangles};

/// Segments around a ball or cylinder.
const AROUND: usize = 64;
/// Segments from pole to pole of a ball.
const RINGS: usize = 32;

/// Mesh builder whose faces have their own vertices, so that edges and colours stay sharp.
pub struct PropMesh {
    mesh: Mesh,
    colours: Vec<Vec3>,
}

impl PropMesh {
    fn new(name: &str) -> Self {
        let mesh = Mesh {
            name: name.to_owned(),
            material: Material::Solid,
            positions: Vec::new(),
            normals: Vec::new(),
            velocities: Vec::new(),
            uvs: Vec::new(),
            attributes: Vec::new(),
            triangles: Triangles::List(Vec::new()),
        };
        PropMesh { mesh, colours: Vec::new() }
    }

    /// Adds a face of four corners, counter-clockwise seen from outside, with their normals.
    fn face(&mut self, corners: [Vec3; 4], normals: [Vec3; 4], colour: Vec3) {
        let first = self.mesh.positions.len() as u32;
        self.mesh.positions.extend(corners.map(<[f32; 3]>::from));
        self.mesh.normals.extend(normals.map(<[f32; 3]>::from));
        self.colours.extend([colour; 4]);
        if let Triangles::List(list) = &mut self.mesh.triangles {
            list.extend([[0, 1, 2], [0, 2, 3]].map(|corner| corner.map(|number| first + number)));
        }
    }

    /// The mesh with its colours.
    fn finish(mut self) -> Mesh {
        let colours: Vec<f32> = self.colours.iter().flat_map(|colour| colour.to_array()).collect();
        self.mesh.attributes = vec![Attribute::new("colour", Quantity::Colour, 3, colours)];
        self.mesh
    }

    /// Adds a surface of revolution about z from a profile of (radius, height) points with normals.
    fn add_revolved(&mut self, profile: &[(Vec2, Vec2)], colour: impl Fn(f32) -> Vec3) {
        for strip in 0..AROUND {
            let angle = |number: usize| TAU * (number % AROUND) as f32 / AROUND as f32;
            let [low, high] = [angle(strip), angle(strip + 1)].map(Vec2::from_angle);
            let about = |flat: Vec2, way: Vec2| Vec3::new(flat.x * way.x, flat.x * way.y, flat.y);
            let colour = colour((strip as f32 + 0.5) / AROUND as f32);
            for pair in profile.windows(2) {
                let [(lower, lower_normal), (upper, upper_normal)] = [pair[0], pair[1]];
                let corners = [about(lower, low), about(lower, high), about(upper, high), about(upper, low)];
                let normals = [
                    about(lower_normal, low),
                    about(lower_normal, high),
                    about(upper_normal, high),
                    about(upper_normal, low),
                ];
                self.face(corners, normals, colour);
            }
        }
    }
}

/// Colours around a prop: one, or two alternating.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StripeColours {
    /// The first.
    pub main: Vec3,
    /// The second colour and the number of stripes.
    pub stripes: Option<(Vec3, u32)>,
}

impl StripeColours {
    /// The colour at a fraction of the circumference.
    fn at(&self, fraction: f32) -> Vec3 {
        match self.stripes {
            Some((other, count)) if (fraction * count as f32) as u32 % 2 == 1 => other,
            _ => self.main,
        }
    }
}

/// A ball.
pub fn ball(name: &str, radius: f32, colours: StripeColours) -> Mesh {
    let profile: Vec<(Vec2, Vec2)> = (0..=RINGS)
        .map(|ring| {
            let (height, out) = (PI * (ring as f32 / RINGS as f32 - 0.5)).sin_cos();
            let normal = Vec2::new(out.max(0.0), height);
            (radius * normal, normal)
        })
        .collect();
    let mut shape = PropMesh::new(name);
    shape.add_revolved(&profile, |fraction| colours.at(fraction));
    shape.finish()
}

/// A cylinder along z.
pub fn cylinder(name: &str, radius: f32, height: f32, colours: StripeColours) -> Mesh {
    let at = |out: f32, up: f32| Vec2::new(out * radius, 0.5 * up * height);
    let mut shape = PropMesh::new(name);
    let parts = [
        ([at(0.0, -1.0), at(1.0, -1.0)], -Vec2::Y),
        ([at(1.0, -1.0), at(1.0, 1.0)], Vec2::X),
        ([at(1.0, 1.0), at(0.0, 1.0)], Vec2::Y),
    ];
    for (ends, normal) in parts {
        shape.add_revolved(&ends.map(|end| (end, normal)), |fraction| colours.at(fraction));
    }
    shape.finish()
}

/// A bowl of a rim radius and a depth, with a wall of even thickness and a round rim. Its inside is z = depth (r/radius)².
pub fn bowl(name: &str, [radius, depth]: [f32; 2], wall: f32, colours: StripeColours) -> Mesh {
    // Point of the inside and the direction into the wall
    let inside = |ring: usize| {
        let r = radius * ring as f32 / RINGS as f32;
        let (at, slope) = (Vec2::new(r, depth * (r / radius).powi(2)), 2.0 * depth * r / (radius * radius));
        (at, Vec2::new(slope, -1.0).normalize())
    };
    let outer = (0..=RINGS).map(inside).map(|(at, into)| (at + wall * into, into));
    let (edge, into) = inside(RINGS);
    let rim = (1..8).map(|step| {
        let turned = Vec2::from_angle(PI * step as f32 / 8.0).rotate(into);
        (edge + 0.5 * wall * (into + turned), turned)
    });
    let inner = (0..=RINGS).rev().map(inside).map(|(at, into)| (at, -into));
    let profile: Vec<(Vec2, Vec2)> = outer.chain(rim).chain(inner).collect();
    let mut shape = PropMesh::new(name);
    shape.add_revolved(&profile, |fraction| colours.at(fraction));
    shape.finish()
}

/// A box.
pub fn cuboid(name: &str, size: Vec3, colour: Vec3) -> Mesh {
    let mut shape = PropMesh::new(name);
    for axis in 0..3 {
        for sign in [-1.0, 1.0] {
            let unit = |axis: usize| Vec3::AXES[axis % 3];
            let out = sign * unit(axis);
            // The tangent axes, ordered so that the face is counter-clockwise from outside
            let (first, second) = if sign > 0.0 { (axis + 1, axis + 2) } else { (axis + 2, axis + 1) };
            let corner = |one: f32, other: f32| 0.5 * size * (out + one * unit(first) + other * unit(second));
            let corners = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
            shape.face(corners, [out; 4], colour);
        }
    }
    shape.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: StripeColours = StripeColours { main: Vec3::X, stripes: Some((Vec3::Y, 4)) };

    /// The volume inside a closed mesh whose triangles all face outwards.
    fn volume(mesh: &Mesh) -> f32 {
        let at = |number: u32| Vec3::from(mesh.positions[number as usize]);
        mesh.triangles().map(|[a, b, c]| at(a).dot(at(b).cross(at(c))) / 6.0).sum()
    }

    #[test]
    fn shapes_hold_their_volume_and_face_outwards() {
        let expected = [4.0 / 3.0 * PI * 8.0, PI * 4.0 * 3.0, 6.0];
        let meshes = [
            ball("b", 2.0, PLAIN),
            cylinder("c", 2.0, 3.0, PLAIN),
            cuboid("d", Vec3::new(1.0, 2.0, 3.0), Vec3::X),
        ];
        for (mesh, expected) in meshes.iter().zip(expected) {
            assert_eq!(mesh.inconsistency(), None);
            let error = volume(mesh) / expected - 1.0;
            assert!((-0.01..1e-4).contains(&error), "{}: {error}", mesh.name);
            for (at, normal) in mesh.positions.iter().zip(&mesh.normals) {
                assert!(Vec3::from(*at).dot(Vec3::from(*normal)) >= 0.0, "{at:?} {normal:?}");
            }
        }
    }

    #[test]
    fn a_bowl_is_a_wall_around_a_paraboloid() {
        let mesh = bowl("bowl", [2.0, 1.0], 0.05, PLAIN);
        assert_eq!(mesh.inconsistency(), None);
        // Area of the paraboloid z = r²/4 up to r = 2: π/6 · 4² · ((1 + 4/4)^1.5 − 1) / (4/4) times the thickness
        let area = PI / 6.0 * 16.0 * (2.0_f32.powf(1.5) - 1.0);
        let error = volume(&mesh) / (area * 0.05) - 1.0;
        assert!(error.abs() < 0.06, "{error}");
        for [a, b, c] in mesh.triangles() {
            let [a, b, c] = [a, b, c].map(|vertex| vertex as usize);
            let at = |vertex: usize| Vec3::from(mesh.positions[vertex]);
            let face = (at(b) - at(a)).cross(at(c) - at(a));
            let normal =
                Vec3::from(mesh.normals[a]) + Vec3::from(mesh.normals[b]) + Vec3::from(mesh.normals[c]);
            assert!(face.dot(normal) >= 0.0, "a face looks into the wall");
        }
    }

    #[test]
    fn every_other_stripe_has_the_other_colour() {
        let mesh = ball("b", 1.0, PLAIN);
        let sum: Vec3 = mesh.colours().unwrap().iter().copied().map(Vec3::from).sum();
        assert_eq!(sum / mesh.positions.len() as f32, Vec3::new(0.5, 0.5, 0.0));
    }
}
