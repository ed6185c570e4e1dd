//! Draws lakes on a fractal terrain of any number of samples, from near and far, and tells how long each part took:
//! `cargo run --release -p undine-render --example large_water -- FOLDER SIDE [VIEW] [FRAMES] [trace] [full]`.
//!
//! The ground is the same for every number of samples, so that pictures of 320² and 4096² samples can be compared. With
//! more than one frame the camera moves forward by a hundredth of its distance from frame to frame. `full` draws meshes of
//! all samples.

use std::error::Error;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use glam::Vec3;
use rayon::prelude::*;
use undine_frame::{Attribute, Frame, FrameRequest, Heights, Quantity, Shared, Surface, SurfaceRole};
use undine_render::preview::{self, PreviewSpec, Viewpoint};
use undine_render::sky::SkySpec;
use undine_render::{Picture, trace};
use undine_surface::{Tessellation, tessellate};

/// Width of the terrain in metres.
const WIDTH: f64 = 4096.0;
/// Level of all lakes in metres.
const LEVEL: f64 = 195.0;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().map_or_else(|| PathBuf::from("out/large"), PathBuf::from);
    let side: usize = arguments.next().map_or(Ok(1024), |side| side.parse())?;
    let wanted = arguments.next().unwrap_or_else(|| String::from("all"));
    let frames: usize = arguments.next().map_or(Ok(1), |frames| frames.parse())?;
    let kinds: Vec<String> = arguments.collect();
    let is = |kind: &str| kinds.iter().any(|one| one == kind);
    fs::create_dir_all(&folder)?;
    let captured = lakes(side);
    let start = Instant::now();
    let mut frame = captured.clone();
    let request = FrameRequest { meshes: true, large_meshes: is("full"), ..FrameRequest::default() };
    tessellate(&mut frame, &request, &Tessellation::default());
    if is("full") {
        frame.surfaces.clear(); // Renderers would prefer them
    }
    say(&format!("{side} meshes {:.3} s", start.elapsed().as_secs_f64()))?;
    let suffix = if is("full") { "-full" } else { "" };
    for (name, eye, target) in views().iter().filter(|(name, _, _)| wanted == "all" || wanted == *name) {
        for step in 0..frames {
            let eye = *eye + (*target - *eye) * (0.01 * step as f32);
            let view = Viewpoint { eye: Some(eye), target: Some(*target), ..Viewpoint::default() };
            let start = Instant::now();
            let picture = draw(is("trace"), &view, &frame)?;
            let seconds = start.elapsed().as_secs_f64();
            say(&format!("{side} {name} {step} picture {seconds:.3} s"))?;
            save(&folder.join(format!("{name}-{side}-{step}{suffix}.png")), &picture)?;
        }
    }
    Ok(())
}

fn draw(is_traced: bool, view: &Viewpoint, frame: &Frame) -> Result<Picture, Box<dyn Error>> {
    let (spec, sky) =
        (PreviewSpec { level: Some(LEVEL as f32), ..PreviewSpec::default() }, SkySpec::default());
    if is_traced {
        let spec = trace::TraceSpec { scene: spec, ..trace::TraceSpec::default() };
        return Ok(trace::draw(&spec, &sky, view, [480, 270], frame, None)?.picture);
    }
    Ok(preview::draw(&spec, &sky, view, [960, 540], frame)?)
}

/// Name, camera and target; the last three stand over a shore, with water to the west of it.
fn views() -> [(&'static str, Vec3, Vec3); 5] {
    let is_shore = |&(x, y): &(f64, f64)| {
        let under = |x: f64| LEVEL - ground(x, y);
        under(x) > 0.0 && under(x + 1.0) < 0.0 && [15.0, 30.0, 60.0].iter().all(|west| under(x - west) > 0.5)
    };
    let places = (12..68).flat_map(|row| (800..3000).map(move |x| (f64::from(x), 50.0 * f64::from(row))));
    let (x, y) = places.into_iter().find(is_shore).unwrap_or((2000.0, 1800.0));
    let (x, y, level) = (x as f32, y as f32, LEVEL as f32);
    [
        ("far", Vec3::new(2048.0, -2600.0, 1900.0), Vec3::new(2048.0, 1800.0, 160.0)),
        ("valley", Vec3::new(1150.0, 700.0, 460.0), Vec3::new(2300.0, 2300.0, 190.0)),
        ("down", Vec3::new(x, y - 50.0, 1500.0), Vec3::new(x, y, level)),
        ("shore", Vec3::new(x - 60.0, y - 20.0, level + 14.0), Vec3::new(x + 20.0, y + 5.0, level)),
        ("near", Vec3::new(x - 14.0, y - 8.0, level + 3.0), Vec3::new(x + 2.0, y + 1.0, level)),
    ]
}

/// Lakes with small waves on a fractal terrain.
fn lakes(side: usize) -> Frame {
    let spacing = WIDTH / side as f64;
    let at = |index: usize| [index % side, index / side].map(|cell| (cell as f64 + 0.5) * spacing);
    let each = |value: &(dyn Fn(f64, f64) -> f32 + Sync)| -> Shared<f32> {
        (0..side * side)
            .into_par_iter()
            .map(|index| value(at(index)[0], at(index)[1]))
            .collect::<Vec<f32>>()
            .into()
    };
    let bed = each(&|x, y| ground(x, y) as f32);
    let wave = |x: f64, y: f64| 0.12 * (0.21 * x + 0.1 * y).sin() + 0.08 * (0.33 * y - 0.12 * x).sin();
    let level = each(&|x, y| (LEVEL + wave(x, y)).max(ground(x, y)) as f32);
    let wetness = each(&|x, y| (1.0 - (ground(x, y) - LEVEL) / 3.0).clamp(0.0, 1.0) as f32);
    let velocity: Vec<[f32; 2]> =
        bed.iter().map(|bed| if *bed < LEVEL as f32 { [0.3, 0.1] } else { [0.0; 2] }).collect();
    let heights = Heights {
        size: [side as u32; 2],
        origin: [0.5 * spacing; 2],
        spacing: [spacing; 2],
        level,
        bed: Some(bed),
        velocity: Some(velocity.into()),
        dry_depth: 1e-3,
    };
    let mut frame = Frame::new(0, 3.0);
    frame.surfaces = Surface::with_bed("lakes", heights);
    for surface in frame.surfaces.iter_mut().filter(|surface| surface.role == SurfaceRole::Bed) {
        surface.attributes.push(Attribute::new("wetness", Quantity::Wetness, 1, wetness.clone()));
    }
    frame
}

/// Hills of many sizes, the smallest eight metres long.
fn ground(x: f64, y: f64) -> f64 {
    let (mut sum, mut height, mut length) = (0.0, 240.0, 1500.0);
    while length > 6.0 {
        sum += height * noise(x / length, y / length);
        (height, length) = (height * 0.46, length * 0.5);
    }
    sum
}

/// Value noise from 0 to 1.
fn noise(x: f64, y: f64) -> f64 {
    let (column, row) = (x.floor(), y.floor());
    let smooth = |t: f64| t * t * (3.0 - 2.0 * t);
    let (u, v) = (smooth(x - column), smooth(y - row));
    let corner = |east: i64, north: i64| {
        let mixed = (column as i64 + east).wrapping_mul(0x9E37_79B9_7F4A_7C15_u64 as i64)
            ^ (row as i64 + north).wrapping_mul(0xC2B2_AE3D_27D4_EB4F_u64 as i64);
        let mixed = (mixed as u64 ^ (mixed as u64 >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        ((mixed ^ (mixed >> 32)) & 0xffff) as f64 / 65535.0
    };
    let line = |north: i64| corner(0, north) * (1.0 - u) + corner(1, north) * u;
    line(0) * (1.0 - v) + line(1) * v
}

fn say(line: &str) -> Result<(), Box<dyn Error>> {
    Ok(writeln!(std::io::stdout(), "{line}")?)
}

fn save(path: &Path, picture: &Picture) -> Result<(), Box<dyn Error>> {
    let mut encoder = png::Encoder::new(File::create(path)?, picture.width, picture.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header()?.write_image_data(&picture.rgb)?;
    Ok(())
}
