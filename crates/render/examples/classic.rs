//! Draws classic pictures for people to look at, and tells how long each took:
//! `cargo run --release -p undine-render --example classic -- FOLDER [NAME]`.
//!
//! Waters are formulae, turned into meshes by the same functions that models are shown with.

use std::error::Error;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Instant;

use undine_frame::{Attribute, Frame, Heights, Quantity, Shared};
use undine_render::Picture;
use undine_render::caustics::{CausticsKind, CausticsSpec};
use undine_render::classic::{self, ClassicSpec};
use undine_render::preview::{BedKind, Beyond, GroundKind, Viewpoint, WaterLook};
use undine_render::sky::SkySpec;
use undine_surface::{ground_mesh, height_mesh};

type Shot = Result<(ClassicSpec, SkySpec, Viewpoint, Frame), Box<dyn Error>>;

type MakeShot = fn() -> Shot;

static SHOTS: &[(&str, MakeShot)] = &[
    ("dish", dish),
    ("pool", || pool(CausticsKind::IlluminationMap)),
    ("pool-beams", || pool(CausticsKind::Beams)),
    ("pool-photons", || pool(CausticsKind::Photons)),
    ("pool-none", || pool(CausticsKind::Nothing)),
    ("sea", sea),
];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).map_or_else(|| PathBuf::from("out/classic"), PathBuf::from);
    fs::create_dir_all(&folder)?;
    let wanted = std::env::args().nth(2);
    for (name, shot) in
        SHOTS.iter().filter(|(name, _)| wanted.as_deref().is_none_or(|wanted| wanted == *name))
    {
        let (spec, sky, view, frame) = shot()?;
        classic::draw(&spec, &sky, &view, [640, 480], &frame)?;
        let start = Instant::now();
        let picture = classic::draw(&spec, &sky, &view, [640, 480], &frame)?;
        let line = format!("{name} 640x480 in {:.3} s\n", start.elapsed().as_secs_f64());
        std::io::Write::write_all(&mut std::io::stdout(), line.as_bytes())?;
        save(&folder.join(format!("{name}.png")), &picture)?;
    }
    Ok(())
}

/// Bed and level at a place.
fn frame(
    cells: usize,
    size: f64,
    column: impl Fn(f64, f64) -> (f64, f64) + Sync,
) -> Result<Frame, Box<dyn Error>> {
    let spacing = size / cells as f64;
    let at = |cell: usize| {
        column(((cell % cells) as f64 + 0.5) * spacing, ((cell / cells) as f64 + 0.5) * spacing)
    };
    let values = |value: fn((f64, f64)) -> f64| -> Shared<f32> {
        (0..cells * cells).map(|cell| value(at(cell)) as f32).collect()
    };
    let water = Heights {
        size: [cells as u32; 2],
        origin: [0.5 * spacing; 2],
        spacing: [spacing; 2],
        level: values(|(bed, level)| level.max(bed)),
        bed: Some(values(|(bed, _)| bed)),
        velocity: None,
        dry_depth: 1e-4,
    };
    let wetness = values(|(bed, _)| (1.0 - (bed + 0.17) / 0.05).clamp(0.0, 1.0));
    let wetness = Attribute::new("wetness", Quantity::Wetness, 1, wetness);
    let ground = Heights { level: values(|(bed, _)| bed), bed: None, ..water.clone() };
    let mut frame = Frame::new(0, 3.0);
    frame.meshes.push(height_mesh("water", &water));
    frame.meshes.push(ground_mesh("ground", &ground, &[wetness]));
    Ok(frame)
}

/// A puddle in a dish of sand, as in figure 7 of [kass1990].
fn dish() -> Shot {
    let frame = frame(254, 4.0, |x, y| {
        let (x, y) = (x - 2.0, y - 2.0);
        let bumps = 0.03 * ((3.1 * x + 1.7 * y).sin() + (2.3 * y - 1.3 * x).cos());
        let bed = -0.55 * (1.0 - (x * x + y * y) / 4.84).max(-0.3) + bumps;
        let ring = |cx: f64, cy: f64, phase: f64| {
            let distance = (x - cx).hypot(y - cy);
            0.008 * (16.0 * distance - phase).sin() * (-1.2 * distance).exp()
        };
        (bed, -0.2 + ring(0.3, 0.2, 1.0) + ring(-0.5, -0.3, 3.0) + ring(0.1, -0.7, 5.0))
    })?;
    let spec = ClassicSpec {
        look: WaterLook::named("tropical").unwrap_or_default(),
        beyond: Beyond::Nothing,
        ground: GroundKind::Sand,
        ..ClassicSpec::default()
    };
    let sky = SkySpec { sun_elevation: 40.0, clouds: 0.2, ..SkySpec::default() };
    let view = Viewpoint { elevation: Some(38.0), azimuth: Some(-30.0), ..Viewpoint::default() };
    Ok((spec, sky, view, frame))
}

fn pool(kind: CausticsKind) -> Shot {
    let frame = frame(254, 4.4, |x, y| {
        let inside = (x - 0.2).min(4.2 - x).min(y - 0.2).min(4.2 - y);
        let ring = |cx: f64, cy: f64, phase: f64| {
            let distance = (x - cx).hypot(y - cy);
            0.012 * (9.0 * distance - phase).sin() * (-0.6 * distance).exp()
        };
        let wave = ring(1.5, 2.6, 0.0) + ring(3.1, 1.2, 2.0) + ring(2.6, 3.3, 4.0);
        (if inside > 0.0 { 0.0 } else { 0.8 }, 0.55 + wave)
    })?;
    let spec = ClassicSpec {
        look: WaterLook::named("tropical").unwrap_or_default(),
        beyond: Beyond::Nothing,
        ground: GroundKind::Bed(BedKind::Tiles),
        caustics: CausticsSpec { kind, ..ClassicSpec::default().caustics },
        ..ClassicSpec::default()
    };
    let sky = SkySpec { sun_azimuth: 20.0, sun_elevation: 48.0, ..SkySpec::default() };
    let view = Viewpoint { elevation: Some(38.0), azimuth: Some(-35.0), ..Viewpoint::default() };
    Ok((spec, sky, view, frame))
}

/// A few long sine waves under bumps, as in figure 2.8 of [li2007].
fn sea() -> Shot {
    let mut mesh = undine_frame::Mesh::flat_sheet("sea", [60.0, 60.0], [257, 257]);
    let trains =
        [[0.30_f32, 15.0, 1.0, 0.2], [0.14, 9.0, 0.8, 0.6], [0.07, 5.0, 0.6, -0.8], [0.03, 2.6, 0.1, 1.0]];
    for (position, normal) in mesh.positions.iter_mut().zip(&mut mesh.normals) {
        let (mut height, mut slope) = (0.0, [0.0; 2]);
        for [amplitude, length, east, north] in trains {
            let wave = std::f32::consts::TAU / length;
            let (sine, cosine) = (wave * (east * position[0] + north * position[1]) + length).sin_cos();
            height += amplitude * sine;
            slope =
                [slope[0] + amplitude * wave * east * cosine, slope[1] + amplitude * wave * north * cosine];
        }
        position[2] = height;
        *normal = glam::Vec3::new(-slope[0], -slope[1], 1.0).normalize().to_array();
    }
    let mut frame = Frame::new(0, 3.0);
    frame.meshes.push(mesh);
    let view = Viewpoint {
        azimuth: Some(-120.0),
        elevation: Some(8.0),
        distance: Some(20.0),
        ..Viewpoint::default()
    };
    Ok((
        ClassicSpec::default(),
        SkySpec { sun_elevation: 34.0, sun_azimuth: 100.0, ..SkySpec::default() },
        view,
        frame,
    ))
}

fn save(path: &Path, picture: &Picture) -> Result<(), Box<dyn Error>> {
    let mut encoder = png::Encoder::new(File::create(path)?, picture.width, picture.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header()?.write_image_data(&picture.rgb)?;
    Ok(())
}
