//! Traced pictures of frames made by hand.

use glam::Vec3;
use undine_frame::{Attribute, Cloud, CloudRole, Frame, Material, Mesh, Quantity, Triangles};
use undine_render::trace::{RenderPass, TraceSpec};
use undine_render::{Picture, PictureKind, PictureSpec, Pictures, draw, draw_with_passes};
use undine_scene::{LoadOptions, Scene};

/// A picture as a scene file would ask for it: keys of `[camera]`, then those of the picture.
fn spec(camera: &str, picture: &str) -> PictureSpec {
    let text = format!(
        "[scene]\nduration = 1\n[camera]\n{camera}\n[[picture]]\nkind = 'trace'\nquality = 'draft'\nsize = [64, 36]\n{picture}\n"
    );
    let scene =
        Scene::parse("made", &text, &LoadOptions::default()).unwrap_or_else(|errors| panic!("{errors}"));
    Pictures::read(&scene).unwrap_or_else(|errors| panic!("{errors}")).remove(0)
}

fn brightness(picture: &Picture, columns: std::ops::Range<u32>, rows: std::ops::Range<u32>) -> f64 {
    let count = f64::from(columns.len() as u32 * rows.len() as u32 * 3);
    let pixels = rows.flat_map(|y| columns.clone().map(move |x| (x, y)));
    let sum: u64 = pixels.flat_map(|(x, y)| picture.pixel(x, y).unwrap()).map(u64::from).sum();
    sum as f64 / count
}

/// A sea of long waves.
fn sea() -> Frame {
    let mut sheet = Mesh::flat_sheet("sea", [20.0, 20.0], [65, 65]);
    for (at, normal) in sheet.positions.iter_mut().zip(&mut sheet.normals) {
        at[2] = 0.1 * at[0].sin();
        *normal = Vec3::new(-0.1 * at[0].cos(), 0.0, 1.0).normalize().to_array();
    }
    let mut frame = Frame::new(3, 0.25);
    frame.meshes.push(sheet);
    frame
}

/// Still water of half a metre over a sandy slope that rises out of it; its dry part is wet at one side.
fn beach() -> Frame {
    let mut ground = Mesh::flat_sheet("beach", [10.0, 10.0], [41, 41]);
    ground.material = Material::Ground;
    ground.positions.iter_mut().for_each(|at| at[2] = 0.15 * (at[0] - 5.0));
    ground.normals.fill(Vec3::new(-0.15, 0.0, 1.0).normalize().to_array());
    let wetness: Vec<f32> = ground.positions.iter().map(|at| if at[1] < 5.0 { 1.0 } else { 0.0 }).collect();
    ground.attributes.push(Attribute::new("wetness", Quantity::Wetness, 1, wetness));
    let mut water = Mesh::flat_sheet("water", [10.0, 10.0], [41, 41]);
    let under_ground = |at: &mut [f32; 3]| at[2] = (0.15 * (at[0] - 5.0) - 0.01).clamp(-0.001, 0.0);
    water.positions.iter_mut().for_each(under_ground);
    let mut frame = Frame::new(0, 0.0);
    frame.meshes.extend([ground, water]);
    frame
}

/// A cube of liquid.
fn cube() -> Frame {
    let positions: Vec<[f32; 3]> =
        (0..8).map(|corner| [0, 1, 2].map(|axis| (corner >> axis & 1) as f32 * 0.5)).collect();
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    let mesh = Mesh::flat_sheet("cube", [0.0; 2], [0; 2]);
    let mut frame = Frame::new(0, 0.0);
    frame.meshes.push(Mesh { positions, normals: Vec::new(), triangles: Triangles::List(triangles), ..mesh });
    frame
}

#[test]
fn pictures_have_the_same_bits_for_any_number_of_threads() {
    for (frame, picture) in [(sea(), ""), (beach(), "beyond = 'none'"), (cube(), "look = 'honey'")] {
        let spec = spec("", picture);
        let drawn = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| draw(&spec, &frame).unwrap())
        };
        let one = drawn(1);
        assert!(one.rgb.iter().any(|&byte| byte > 40) && one.rgb.iter().any(|&byte| byte < 230));
        assert_eq!(one, drawn(2));
        assert_eq!(one, drawn(5));
    }
}

#[test]
fn the_keys_reach_the_picture() {
    let spec =
        spec("", "paths = 3\nbounces = 5\ndenoise = false\naperture = 0.02\nfocus = 4\npasses = ['depth']");
    let PictureKind::Trace(trace) = &spec.kind else { panic!("no trace") };
    let wanted = TraceSpec { focus: Some(4.0), aperture: 0.02, keeps_noise: true, ..TraceSpec::default() };
    assert_eq!((trace.focus, trace.aperture, trace.keeps_noise), (wanted.focus, wanted.aperture, true));
    assert_eq!((trace.samples(), trace.bounces, &trace.passes), ([3, 3], Some(5), &vec![RenderPass::Depth]));
}

// Under water the sky is gathered in a window; around it the surface mirrors the depths.
#[test]
fn an_eye_under_water_sees_the_sky_in_a_window() {
    let camera = "eye = [10, 10, -3]\ntarget = [10, 10.001, 0]\nfield = 130";
    let spec = PictureSpec { width: 64, height: 64, ..spec(camera, "ripples = 0\ndepth = 40") };
    let picture = draw(&spec, &sea()).unwrap();
    let (window, rim) = (brightness(&picture, 24..40, 24..40), brightness(&picture, 0..64, 0..4));
    assert!(window > 2.0 * rim && rim > 0.0, "{window} over {rim}");
}

#[test]
fn a_view_half_under_water_is_dark_below_and_bright_above() {
    let spec =
        spec("eye = [10, 10, 0.02]\ntarget = [10, 30, 0]\nfield = 60", "ripples = 0\nport = 0.5\ndepth = 40");
    let mut still = Frame::new(0, 0.0);
    still.meshes.push(Mesh::flat_sheet("sea", [20.0, 20.0], [9, 9]));
    let picture = draw(&spec, &still).unwrap();
    let (air, water) = (brightness(&picture, 0..64, 2..12), brightness(&picture, 0..64, 26..34));
    assert!(air > 1.5 * water, "{air} over {water}");
}

#[test]
fn wet_sand_is_darker_than_dry_sand() {
    let spec = spec("azimuth = 0\nelevation = 60", "ground = 'sand'\nbeyond = 'none'\nbackdrop = 'sky'");
    let picture = draw(&spec, &beach()).unwrap();
    // Seen from +x the wet side, of small y, is on the left.
    let (wet, dry) = (brightness(&picture, 14..28, 22..28), brightness(&picture, 36..50, 22..28));
    assert!(dry > 1.1 * wet, "{dry} beside {wet}");
}

#[test]
fn foam_spray_and_mist_are_white_on_dark_water() {
    let spec = spec("eye = [10, -2, 4]\ntarget = [10, 10, 0]", "ripples = 0\nlook = 'storm-sea'");
    let bare = brightness(&draw(&spec, &sea()).unwrap(), 16..48, 18..34);
    let mut foamy = sea();
    let count = foamy.meshes[0].positions.len();
    foamy.meshes[0].attributes.push(Attribute::new("foam", Quantity::Foam, 1, vec![0.8; count]));
    let foam = brightness(&draw(&spec, &foamy).unwrap(), 16..48, 18..34);
    assert!(foam > bare + 30.0, "{foam} over {bare}");
    let cloud = |role: CloudRole| {
        let mut frame = sea();
        let positions =
            (0..3600).map(|index| [6.0 + (index % 60) as f32 * 0.13, 3.0 + (index / 60) as f32 * 0.13, 0.6]);
        // Smaller than a pixel, so that they are specks.
        let points = Cloud { role, positions: positions.collect(), radius: 0.05, ..Cloud::default() };
        frame.clouds.push(points);
        brightness(&draw(&spec, &frame).unwrap(), 16..48, 18..34)
    };
    let (spray, mist) = (cloud(CloudRole::Spray), cloud(CloudRole::Mist));
    assert!(spray > bare + 10.0 && mist > bare + 2.0 && mist < spray, "{spray} and {mist} over {bare}");
}

// A ball before a plain sky: a wide lens and an open shutter both smear its edge.
#[test]
fn lenses_and_shutters_blur() {
    let mut frame = Frame::new(0, 0.0);
    let ball = Cloud {
        name: "ball".into(),
        positions: vec![[0.0, 0.0, 5.0]],
        velocities: vec![[40.0, 0.0, 0.0]],
        radius: 0.5,
        ..Cloud::default()
    };
    frame.clouds.push(ball);
    let shot = |keys: &str| {
        let spec = spec("eye = [0, -8, 5]\ntarget = [0, 0, 5]\nfield = 20", keys);
        draw_with_passes(&spec, &frame).unwrap().passes.remove(0).values
    };
    let touched = |depths: &[f32]| depths.iter().filter(|depth| **depth > 0.0).count();
    let sharp = touched(&shot("beyond = 'none'\npasses = ['depth']"));
    let wide = touched(&shot("beyond = 'none'\npasses = ['depth']\naperture = 0.4\nfocus = 3"));
    let moving = touched(&shot("beyond = 'none'\npasses = ['depth']\nshutter = 0.05"));
    assert!(sharp > 20 && wide > sharp + sharp / 3 && moving > sharp + sharp / 3, "{sharp} {wide} {moving}");
}

// Whoever knows the sunlight that comes through water decides how bright the bed is.
#[test]
fn sunlight_through_water_is_taken_from_who_knows_it() {
    let spec =
        spec("azimuth = 180\nelevation = 60", "beyond = 'none'\nbackdrop = 'sky'\npasses = ['caustics']");
    let PictureKind::Trace(trace) = &spec.kind else { panic!("no trace") };
    let caustics = |gathered: f32| {
        let known = move |_: Vec3, _: Vec3| Vec3::splat(gathered);
        let (sky, view) = (spec.daylight.at(0.0).unwrap(), spec.camera.at(0.0).unwrap());
        let drawn = undine_render::trace::draw(trace, &sky, &view, [64, 36], &beach(), Some(&known)).unwrap();
        drawn.passes[0].values.iter().sum::<f32>()
    };
    let (none, some) = (caustics(0.0), caustics(1.0));
    assert!(none == 0.0 && some > 100.0, "{none} and {some}");
}

#[test]
fn a_lamp_lights_what_the_sun_does_not() {
    let lit = |lamp: &str| {
        let spec = spec("", &format!("tank = 'plinth'\nbackdrop = 'dark'\n{lamp}"));
        brightness(&draw(&spec, &cube()).unwrap(), 0..64, 0..36)
    };
    let (dark, bright) = (lit(""), lit("lamp = [{ at = [0.2, -0.8, 1], radius = 0.2, light = 800 }]"));
    assert!(bright > dark + 5.0, "{bright} over {dark}");
}

#[test]
fn strange_frames_are_drawn() {
    let spec = spec("", "");
    assert!(draw(&spec, &Frame::new(0, 0.0)).is_ok());
    let mut broken = sea();
    broken.meshes[0].positions[7] = [f32::NAN; 3];
    broken.meshes[0].positions[9] = [f32::INFINITY, 0.0, 0.0];
    assert!(draw(&spec, &broken).is_ok());
    let mut wrong = sea();
    wrong.meshes[0].normals.pop();
    assert!(draw(&spec, &wrong).is_err());
}
