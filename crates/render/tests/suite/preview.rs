//! Previews of strange and simple frames.

use glam::Vec3;
use undine_frame::{Body, Cloud, Frame, Material, Mesh, Triangles};
use undine_render::preview::{Beyond, PreviewSpec, Viewpoint};
use undine_render::{Camera, Picture, PictureKind, PictureSpec, draw};
use undine_scene::Timed;

fn spec(preview: PreviewSpec, view: Viewpoint) -> PictureSpec {
    let constant = |number: f32| Timed::constant(f64::from(number));
    let camera = Camera {
        eye: view.eye,
        target: view.target,
        azimuth: view.azimuth.map(constant),
        elevation: view.elevation.map(constant),
        distance: view.distance.map(constant),
        field: view.field.map(constant),
        ..Camera::default()
    };
    PictureSpec {
        width: 96,
        height: 54,
        kind: PictureKind::Preview(preview),
        camera,
        ..PictureSpec::default()
    }
}

fn wavy(vertices: u32) -> Frame {
    let mut sheet = Mesh::flat_sheet("water", [30.0, 30.0], [vertices; 2]);
    for (position, normal) in sheet.positions.iter_mut().zip(&mut sheet.normals) {
        let phase = 0.9 * position[0] + 0.5 * position[1];
        position[2] = 0.3 * phase.sin();
        *normal = Vec3::new(-0.27 * phase.cos(), -0.15 * phase.cos(), 1.0).normalize().to_array();
    }
    let mut frame = Frame::new(3, 0.75);
    frame.meshes.push(sheet);
    frame
}

fn cube(size: f32) -> Mesh {
    let corner = |index: u32| [0, 1, 2].map(|axis| if index >> axis & 1 == 1 { size } else { -size });
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Mesh {
        name: String::from("cube"),
        material: Material::Solid,
        positions: (0..8).map(corner).collect(),
        normals: Vec::new(),
        velocities: Vec::new(),
        uvs: Vec::new(),
        attributes: Vec::new(),
        triangles: Triangles::List(triangles),
    }
}

fn busy() -> Frame {
    let mut frame = wavy(80);
    let shape = cube(1.5);
    frame.bodies.push(Body {
        position: [12.0, 14.0, 0.2],
        rotation: [0.1, 0.2, 0.0, 0.97],
        ..Body::standing(0, shape)
    });
    frame.clouds.push(Cloud {
        name: String::from("spray"),
        positions: (0..50).map(|index| [index as f32 * 0.6, 15.0, 1.0 + 0.02 * index as f32]).collect(),
        radius: 0.15,
        ..Cloud::default()
    });
    frame
}

fn on_threads(threads: usize, spec: &PictureSpec, frame: &Frame) -> Picture {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| draw(spec, frame)).unwrap()
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    for beyond in [Beyond::Sea, Beyond::Shore, Beyond::Nothing] {
        let spec = spec(PreviewSpec { beyond, ..PreviewSpec::default() }, Viewpoint::default());
        let one = on_threads(1, &spec, &busy());
        assert_eq!(one, on_threads(2, &spec, &busy()));
        assert_eq!(one, on_threads(5, &spec, &busy()));
    }
}

#[test]
fn an_empty_frame_is_sky_over_sea() {
    let view = Viewpoint {
        eye: Some(Vec3::new(0.0, 0.0, 4.0)),
        target: Some(Vec3::new(9.0, 0.0, 4.0)),
        ..Viewpoint::default()
    };
    let picture = draw(&spec(PreviewSpec::default(), view), &Frame::new(0, 0.0)).unwrap();
    let brightness = |y: u32| {
        let row = (0..96).filter_map(|x| picture.pixel(x, y));
        row.flatten().map(u32::from).sum::<u32>()
    };
    // The horizon is in the middle: sky above, darker water below, and the seam between them is soft.
    assert!(brightness(20) > brightness(45));
    assert!(brightness(26).abs_diff(brightness(27)) < brightness(26) / 5);
}

#[test]
fn the_nearer_thing_hides_the_farther_in_any_order() {
    let mut red = cube(1.0);
    let mut hidden = cube(1.0);
    red.positions.iter_mut().for_each(|position| position[0] += 5.0);
    hidden.positions.iter_mut().for_each(|position| position[0] += 9.0);
    hidden.material = Material::Ground;
    let view =
        Viewpoint { eye: Some(Vec3::ZERO), target: Some(Vec3::X), field: Some(20.0), ..Viewpoint::default() };
    let spec =
        spec(PreviewSpec { solid: [1.0, 0.0, 0.0], beyond: Beyond::Nothing, ..PreviewSpec::default() }, view);
    let mut frame = Frame::new(0, 0.0);
    frame.meshes = vec![red.clone(), hidden.clone()];
    let front_first = draw(&spec, &frame).unwrap();
    frame.meshes = vec![hidden, red];
    assert_eq!(front_first, draw(&spec, &frame).unwrap());
    let [red, green, _] = front_first.pixel(48, 27).unwrap();
    assert!(red > 3 * green.max(1), "the far cube shines through");
}

#[test]
fn cameras_anywhere_draw_something() {
    let eyes = [
        (Vec3::new(15.0, 15.0, 40.0), Vec3::new(15.0, 15.0, 0.0)),
        (Vec3::new(15.0, 15.0, 0.05), Vec3::new(20.0, 15.0, 0.0)),
        (Vec3::new(15.0, 15.0, -1.0), Vec3::new(15.0, 20.0, 3.0)),
        (Vec3::new(15.0, 15.0, -1.0), Vec3::new(15.0, 15.0, -9.0)),
        (Vec3::new(-40.0, 0.0, 9.0), Vec3::new(-90.0, 0.0, 20.0)),
        (Vec3::splat(7.0), Vec3::splat(7.0)),
        (Vec3::splat(f32::NAN), Vec3::ZERO),
        (Vec3::new(0.0, 0.0, 1e30), Vec3::ZERO),
    ];
    for (eye, target) in eyes {
        for beyond in [Beyond::Sea, Beyond::Shore, Beyond::Nothing] {
            let view = Viewpoint { eye: Some(eye), target: Some(target), ..Viewpoint::default() };
            let preview = PreviewSpec { beyond, samples: 1, ..PreviewSpec::default() };
            assert!(draw(&spec(preview, view), &busy()).is_ok());
        }
    }
}

#[test]
fn strange_meshes_are_drawn_or_refused() {
    let mut broken_numbers = wavy(20);
    for (index, position) in broken_numbers.meshes[0].positions.iter_mut().enumerate() {
        match index % 7 {
            0 => position[2] = f32::NAN,
            1 => position[0] = f32::INFINITY,
            2 => *position = [1e30, -1e30, 1e30],
            _ => {}
        }
    }
    broken_numbers.meshes[0].normals[5] = [f32::NAN; 3];
    let mut flat = Frame::new(0, 0.0);
    flat.meshes.push(Mesh::flat_sheet("point", [0.0, 0.0], [4, 4]));
    flat.meshes.push(Mesh::flat_sheet("none", [1.0, 1.0], [0, 0]));
    flat.meshes.push(Mesh::flat_sheet("row", [1.0, 1.0], [1, 5]));
    for beyond in [Beyond::Sea, Beyond::Shore, Beyond::Nothing] {
        let spec = spec(PreviewSpec { beyond, samples: 1, ..PreviewSpec::default() }, Viewpoint::default());
        assert!(draw(&spec, &broken_numbers).is_ok());
        assert!(draw(&spec, &flat).is_ok());
    }
    let mut unfit = wavy(20);
    unfit.meshes[0].normals.pop();
    let error = draw(&spec(PreviewSpec::default(), Viewpoint::default()), &unfit).unwrap_err();
    assert_eq!(error.to_string(), "mesh \"water\" is broken: 399 normals for 400 vertices");
}

#[test]
fn a_finely_and_a_coarsely_meshed_plane_look_the_same() {
    let flat = |vertices: u32| {
        let mut frame = Frame::new(0, 0.0);
        frame.meshes.push(Mesh::flat_sheet("water", [30.0, 30.0], [vertices; 2]));
        frame
    };
    let spec = spec(PreviewSpec::default(), Viewpoint::default());
    let (coarse, fine) = (draw(&spec, &flat(2)).unwrap(), draw(&spec, &flat(150)).unwrap());
    let gap: u32 = coarse.rgb.iter().zip(&fine.rgb).map(|(a, b)| u32::from(a.abs_diff(*b))).sum();
    assert!(f64::from(gap) / (coarse.rgb.len() as f64) < 0.3, "cracks or seams: {gap}");
}
