//! Drops, bubbles and shafts of light in traced pictures of frames made by hand.

use glam::Vec3;
use undine_frame::{Cloud, CloudRole, Frame, Mesh};
use undine_render::sky::EnvironmentMap;
use undine_render::{Picture, PictureKind, PictureSpec, Pictures, draw};
use undine_scene::{LoadOptions, Scene};

/// A picture as a scene file would ask for it: keys of `[camera]` and `[sky]`, then those of the picture.
fn spec(camera: &str, sky: &str, picture: &str) -> PictureSpec {
    let text = format!(
        "[scene]\nduration = 1\n[camera]\n{camera}\n[sky]\n{sky}\n[[picture]]\nkind = 'trace'\nquality = 'draft'\nsize = [64, 36]\n{picture}\n"
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

fn ball(role: CloudRole, at: [f32; 3], radius: f32) -> Cloud {
    Cloud { role, positions: vec![at], radius, ..Cloud::default() }
}

/// Waves along x with crests 2 m apart, which gather light about 3 m below them.
fn waves() -> Frame {
    let mut sheet = Mesh::flat_sheet("pool", [40.0, 40.0], [401, 81]);
    for (at, normal) in sheet.positions.iter_mut().zip(&mut sheet.normals) {
        at[2] = 0.15 * (3.0 * at[0]).cos();
        *normal = Vec3::new(0.45 * (3.0 * at[0]).sin(), 0.0, 1.0).normalize().to_array();
    }
    let mut frame = Frame::new(0, 0.0);
    frame.meshes.push(sheet);
    frame
}

#[test]
fn a_drop_shows_the_world_upside_down() {
    let mut spec = spec("eye = [0, -8, 5]\ntarget = [0, 0, 5]\nfield = 20", "", "beyond = 'none'");
    let PictureKind::Trace(trace) = &mut spec.kind else { panic!("no trace") };
    let light = |index: usize| if index / 64 < 16 { Vec3::ONE } else { Vec3::splat(0.02) };
    trace.panorama = Some((EnvironmentMap::new(64, 32, (0..64 * 32).map(light).collect()).unwrap(), 10.0));
    let mut frame = Frame::new(0, 0.0);
    frame.clouds.push(ball(CloudRole::Spray, [0.0, 0.0, 5.0], 0.5));
    let picture = draw(&spec, &frame).unwrap();
    let (above, below) = (brightness(&picture, 2..20, 4..14), brightness(&picture, 2..20, 22..32));
    assert!(above > 3.0 * below, "the world itself: {above} over {below}");
    let (upper, lower) = (brightness(&picture, 30..34, 14..17), brightness(&picture, 30..34, 19..22));
    assert!(lower > 3.0 * upper, "through the drop: {upper} over {lower}");
}

#[test]
fn a_bubble_mirrors_the_light_from_above() {
    let keys = "ripples = 0\ndepth = 60\nlook = 'tropical'";
    let spec = spec("eye = [20, 12, -4]\ntarget = [20, 20, -4]\nfield = 20", "", keys);
    let seen = |role: CloudRole| {
        let mut frame = waves();
        frame.clouds.push(ball(role, [20.0, 20.0, -4.0], 0.5));
        draw(&spec, &frame).unwrap()
    };
    let (bubble, nothing) = (seen(CloudRole::Bubble), seen(CloudRole::Spray));
    // Near its upper rim the light of the surface is mirrored; a drop of water cannot be seen in water.
    let [with, without] = [&bubble, &nothing].map(|picture| brightness(picture, 29..35, 12..15));
    assert!(with > without + 8.0, "{with} over {without}");
    let [with, without] = [&bubble, &nothing].map(|picture| brightness(picture, 2..12, 12..24));
    assert!((with - without).abs() < 3.0, "beside it: {with} and {without}");
}

#[test]
fn waves_make_shafts_of_light() {
    let camera = "eye = [20, 4, -3.2]\ntarget = [20, 30, -3.2]\nfield = 20";
    let sky = "sun_elevation = 88\nclouds = 0";
    let columns = |caustics: &str| {
        let keys = format!("ripples = 0\ndepth = 60\nlook = 'tropical'\ncaustics = '{caustics}'");
        let picture = draw(&spec(camera, sky, &keys), &waves()).unwrap();
        (0..64).map(|x| brightness(&picture, x..x + 1, 14..22)).collect::<Vec<f64>>()
    };
    let spread = |columns: &[f64]| {
        let mean = columns.iter().sum::<f64>() / columns.len() as f64;
        let square = columns.iter().map(|column| (column - mean).powi(2)).sum::<f64>();
        (mean, (square / columns.len() as f64).sqrt())
    };
    let ((mean, shafts), (level, even)) = (spread(&columns("beams")), spread(&columns("none")));
    assert!(shafts > 2.0 * even + 1.0, "{shafts} with shafts, {even} without");
    assert!((mean / level - 1.0).abs() < 0.25, "{mean} with shafts, {level} without");
}
