//! Draws a few waters for people to look at: `cargo run --release -p undine-render --example look -- FOLDER`.

use std::error::Error;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Instant;

use undine_frame::{Frame, Mesh};
use undine_render::Picture;
use undine_render::preview::{self, BedKind, Beyond, PreviewSpec, RippleSpec, Viewpoint, WaterLook};
use undine_render::sky::SkySpec;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).map_or_else(|| PathBuf::from("out/look"), PathBuf::from);
    fs::create_dir_all(&folder)?;
    for (name, spec, sky, view, frame) in scenes() {
        for size in [[1280, 720], [640, 360]] {
            let start = Instant::now();
            let picture = preview::draw(&spec, &sky, &view, size, &frame)?;
            let line = format!("{name} {}x{} in {:.3} s\n", size[0], size[1], start.elapsed().as_secs_f64());
            std::io::Write::write_all(&mut std::io::stdout(), line.as_bytes())?;
            save(&folder.join(format!("{name}-{}.png", size[1])), &picture)?;
        }
    }
    Ok(())
}

type Shot = (&'static str, PreviewSpec, SkySpec, Viewpoint, Frame);

fn scenes() -> Vec<Shot> {
    let swell = frame(60.0, 512, 3.0, sea);
    let pond = frame(10.0, 512, 2.2, rings);
    let lake = frame(40.0, 512, 1.0, breeze);
    let named = |look: &str| WaterLook::named(look).unwrap_or_default();
    vec![
        ("swell", PreviewSpec { look: named("storm-sea"), depth: 40.0, ..PreviewSpec::default() }, SkySpec::default(), Viewpoint::default(), swell.clone()),
        (
            "pond",
            PreviewSpec { depth: 1.2, bed: BedKind::Pebbles, beyond: Beyond::Shore, ripples: RippleSpec { strength: 0.02, scale: 0.3, ..RippleSpec::default() }, ..PreviewSpec::default() },
            SkySpec { clouds: 0.45, ..SkySpec::default() },
            Viewpoint { elevation: 24.0, ..Viewpoint::default() },
            pond,
        ),
        (
            "tropical",
            PreviewSpec { look: named("tropical"), depth: 2.5, ..PreviewSpec::default() },
            SkySpec { sun_elevation: 50.0, ..SkySpec::default() },
            Viewpoint { elevation: 13.0, distance: Some(14.0), azimuth: 20.0, ..Viewpoint::default() },
            lake.clone(),
        ),
        (
            "sunset",
            PreviewSpec { depth: 10.0, ..PreviewSpec::default() },
            SkySpec { sun_elevation: 7.0, sun_azimuth: 72.0, clouds: 0.4, ..SkySpec::default() },
            Viewpoint { elevation: 8.0, ..Viewpoint::default() },
            lake,
        ),
    ]
}

fn save(path: &Path, picture: &Picture) -> Result<(), Box<dyn Error>> {
    let mut encoder = png::Encoder::new(File::create(path)?, picture.width, picture.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header()?.write_image_data(&picture.rgb)?;
    Ok(())
}

/// A sheet `size` metres wide whose height is `height(x, y, t)`, with normals by small differences.
fn frame(size: f32, vertices: u32, time: f32, height: fn(f32, f32, f32) -> f32) -> Frame {
    let mut sheet = Mesh::flat_sheet("water", [size; 2], [vertices; 2]);
    for (position, normal) in sheet.positions.iter_mut().zip(&mut sheet.normals) {
        let [x, y, _] = *position;
        let step = 1e-3 * size;
        let rise = |dx: f32, dy: f32| (height(x + dx, y + dy, time) - height(x - dx, y - dy, time)) / (2.0 * step);
        let (along, up) = (rise(step, 0.0), rise(0.0, step));
        let length = (along * along + up * up + 1.0).sqrt();
        position[2] = height(x, y, time);
        *normal = [-along / length, -up / length, 1.0 / length];
    }
    let mut frame = Frame::new(0, f64::from(time));
    frame.meshes.push(sheet);
    frame
}

/// Sum of deep-water waves: (length, amplitude, direction in degrees), with sharpened crests.
fn sum(waves: &[(f32, f32, f32)], x: f32, y: f32, t: f32) -> f32 {
    let wave = |(index, &(length, amplitude, degrees)): (usize, &(f32, f32, f32))| {
        let wavenumber = std::f32::consts::TAU / length;
        let (sine, cosine) = degrees.to_radians().sin_cos();
        let phase = wavenumber * (cosine * x + sine * y) - (9.81 * wavenumber).sqrt() * t + 1.7 * index as f32;
        amplitude * (phase.sin() + 0.5 * wavenumber * amplitude * (2.0 * phase).sin())
    };
    waves.iter().enumerate().map(wave).sum()
}

fn sea(x: f32, y: f32, t: f32) -> f32 {
    let waves = [
        (27.0, 0.55, 20.0), (17.0, 0.32, 48.0), (11.0, 0.20, 2.0), (7.1, 0.11, 33.0), (4.9, 0.075, -18.0),
        (3.4, 0.05, 61.0), (2.3, 0.032, 12.0), (1.7, 0.022, 40.0), (1.23, 0.014, -30.0), (0.9, 0.009, 25.0),
    ];
    sum(&waves, x, y, t)
}

fn breeze(x: f32, y: f32, t: f32) -> f32 {
    let waves = [(6.1, 0.030, 15.0), (4.3, 0.024, 41.0), (2.9, 0.016, -12.0), (1.9, 0.010, 30.0), (1.3, 0.006, 60.0)];
    sum(&waves, x, y, t)
}

/// Rings around a stone's splash.
fn rings(x: f32, y: f32, t: f32) -> f32 {
    let distance = ((x - 5.6).powi(2) + (y - 5.2).powi(2)).sqrt();
    let phase = 14.0 * distance - 11.7 * t;
    let front = 1.0 / (1.0 + ((distance - 1.05 * t) * 4.0).exp());
    0.028 * phase.sin() * front * (-0.45 * distance).exp() / (0.25 + distance).sqrt()
        + 0.003 * sum(&[(1.9, 1.0, 10.0), (1.3, 0.6, 50.0)], x, y, t)
}
