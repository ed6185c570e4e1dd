//! Smoke in space: it hides, is hidden, and casts its shadow.

use glam::Vec3;
use undine_frame::{Body, Frame, Material, Mesh, Quantity, Raster, Triangles};
use undine_render::preview::{BackdropKind, PreviewSpec, SmokeSpec};
use undine_render::{Camera, Picture, PictureKind, PictureSpec, draw};

/// A ball of smoke in a box of one by one by two metres.
fn ball(value: f32) -> Raster {
    let size = [16u32, 16, 32];
    let spacing = [1.0 / 16.0; 3];
    let place = |sample: u32, axis: usize| (f64::from(sample) + 0.5) * spacing[axis];
    let mut values = Vec::new();
    for z in 0..size[2] {
        for y in 0..size[1] {
            for x in 0..size[0] {
                let offset = [place(x, 0) - 0.5, place(y, 1) - 0.5, place(z, 2) - 1.0];
                let distance = offset.iter().map(|along| along * along).sum::<f64>().sqrt();
                values.push(if distance < 0.35 { value } else { 0.0 });
            }
        }
    }
    Raster {
        name: "smoke".into(),
        quantity: Quantity::Smoke,
        size,
        components: 1,
        origin: spacing.map(|spacing| 0.5 * spacing),
        spacing,
        values: values.into(),
        ..Raster::default()
    }
}

/// A square plate that faces +x and −x.
fn plate(x: f32) -> Body {
    let corners = [[0.0, -0.5, -0.5], [0.0, 0.5, -0.5], [0.0, 0.5, 0.5], [0.0, -0.5, 0.5]];
    let shape = Mesh {
        name: "plate".into(),
        material: Material::Solid,
        positions: corners.to_vec(),
        normals: Vec::new(),
        velocities: Vec::new(),
        uvs: Vec::new(),
        attributes: Vec::new(),
        triangles: Triangles::List(vec![[0, 1, 2], [0, 2, 3]]),
    };
    Body { position: [x, 0.5, 1.0], rotation: [0.0, 0.0, 0.0, 1.0], ..Body::standing(0, shape) }
}

fn picture(fields: Vec<Raster>, bodies: Vec<Body>, spec: PreviewSpec) -> Picture {
    let frame = Frame { fields, bodies, ..Frame::new(0, 0.0) };
    let camera = Camera {
        eye: Some(Vec3::new(5.0, 0.5, 1.0)),
        target: Some(Vec3::new(0.5, 0.5, 1.0)),
        ..Camera::default()
    };
    let kind = PictureKind::Preview(spec);
    draw(&PictureSpec { width: 64, height: 64, kind, camera, ..PictureSpec::default() }, &frame).unwrap()
}

fn studio() -> PreviewSpec {
    PreviewSpec { backdrop: BackdropKind::Studio, bloom: 0.0, ..PreviewSpec::default() }
}

fn soot() -> PreviewSpec {
    let smoke = SmokeSpec { density: Some(40.0), colour: [0.0; 3], ..SmokeSpec::default() };
    PreviewSpec { smoke, ..studio() }
}

fn brightness(picture: &Picture, x: u32, y: u32) -> u32 {
    picture.pixel(x, y).into_iter().flatten().map(u32::from).sum()
}

#[test]
fn soot_hides_what_is_behind_it_and_nothing_else() {
    let (without, with) =
        (picture(vec![ball(0.0)], vec![], soot()), picture(vec![ball(1.0)], vec![], soot()));
    assert!(brightness(&with, 32, 32) < 30, "{:?}", with.pixel(32, 32));
    assert!(brightness(&without, 32, 32) > 300, "{:?}", without.pixel(32, 32));
    assert_eq!(with.pixel(2, 2), without.pixel(2, 2));
}

#[test]
fn bodies_in_front_hide_smoke_and_bodies_behind_are_hidden() {
    let bare = picture(vec![ball(0.0)], vec![plate(1.5)], soot());
    let before = picture(vec![ball(1.0)], vec![plate(1.5)], soot());
    let behind = picture(vec![ball(1.0)], vec![plate(-0.5)], soot());
    // The plate's near side may lie in the smoke's shadow, but it is seen.
    assert!(brightness(&bare, 32, 32) > 60 && brightness(&before, 32, 32) > 30);
    assert!(brightness(&behind, 32, 32) < 30, "{:?}", behind.pixel(32, 32));
}

#[test]
fn smoke_darkens_the_floor_in_its_shadow() {
    let sum = |picture: &Picture| {
        (48..64)
            .flat_map(|y| (0..64).map(move |x| (x, y)))
            .map(|(x, y)| brightness(picture, x, y))
            .sum::<u32>()
    };
    let (without, with) =
        (picture(vec![ball(0.0)], vec![], soot()), picture(vec![ball(1.0)], vec![], soot()));
    assert!(sum(&with) < sum(&without), "{} and {}", sum(&with), sum(&without));
}

#[test]
fn strange_smoke_is_drawn_without_a_fault() {
    let broken = Raster { values: vec![1.0; 7].into(), ..ball(1.0) };
    let endless = Raster { values: ball(1.0).values.iter().map(|value| value / 0.0).collect(), ..ball(1.0) };
    let flat = Raster { size: [16, 512, 1], ..ball(1.0) };
    for raster in [broken, endless, flat] {
        for spec in [studio(), PreviewSpec::default()] {
            assert_eq!(picture(vec![raster.clone()], vec![], spec).rgb.len(), 64 * 64 * 3);
        }
    }
    // A studio with nothing in it at all.
    assert_eq!(picture(vec![], vec![], studio()).rgb.len(), 64 * 64 * 3);
}
