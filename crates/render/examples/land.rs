//! Draws water on land of many sizes for people to look at, and tells how long each picture took:
//! `cargo run --release -p undine-render --example land -- FOLDER [NAME]`.
//!
//! Land and water are formulae, turned into meshes by the same functions that models are shown with.

use std::error::Error;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Instant;

use glam::{Vec2, Vec3};
use undine_frame::{
    Attribute, Body, Cloud, CloudRole, Frame, Heights, Material, Mesh, Quantity, Shared, Triangles,
};
use undine_render::Picture;
use undine_render::preview::{self, Beyond, GroundKind, PreviewSpec, RippleSpec, Viewpoint, WaterLook};
use undine_render::sky::SkySpec;
use undine_surface::{ground_mesh, height_mesh};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).map_or_else(|| PathBuf::from("out/land"), PathBuf::from);
    fs::create_dir_all(&folder)?;
    let wanted = std::env::args().nth(2);
    for (name, shot) in
        SHOTS.iter().filter(|(name, _)| wanted.as_deref().is_none_or(|wanted| wanted == *name))
    {
        let (spec, sky, view, frame) = shot()?;
        let start = Instant::now();
        let picture = preview::draw(&spec, &sky, &view, [1280, 720], &frame)?;
        let line = format!("{name} 1280x720 in {:.3} s\n", start.elapsed().as_secs_f64());
        std::io::Write::write_all(&mut std::io::stdout(), line.as_bytes())?;
        save(&folder.join(format!("{name}.png")), &picture)?;
    }
    Ok(())
}

type Shot = Result<(PreviewSpec, SkySpec, Viewpoint, Frame), Box<dyn Error>>;
type MakeShot = fn() -> Shot;

static SHOTS: &[(&str, MakeShot)] = &[
    ("beach", beach),
    ("beach-close", beach_close),
    ("beach-above", beach_above),
    ("valley", valley),
    ("valley-block", valley_block),
    ("bowl", bowl),
    ("tank", tank),
    ("bay", bay),
    ("village", village),
    ("pool", pool),
    ("pool-ball", pool_ball),
];

/// Land, water and flow at a place: bed, level, velocity, wetness.
struct Column {
    bed: f64,
    level: f64,
    velocity: [f64; 2],
    wetness: f64,
}

fn frame(
    cells: [usize; 2],
    size: [f64; 2],
    column: impl Fn(f64, f64) -> Column + Sync,
) -> Result<Frame, Box<dyn Error>> {
    let spacing = [size[0] / cells[0] as f64, size[1] / cells[1] as f64];
    let place = |index: usize, axis: usize| (index as f64 + 0.5) * spacing[axis];
    let columns =
        (0..cells[0] * cells[1]).map(|cell| column(place(cell % cells[0], 0), place(cell / cells[0], 1)));
    let columns: Vec<Column> = columns.collect();
    let values = |value: fn(&Column) -> f64| -> Shared<f32> {
        columns.iter().map(|column| value(column) as f32).collect()
    };
    let water = Heights {
        size: cells.map(|cells| cells as u32),
        origin: spacing.map(|step| 0.5 * step),
        spacing,
        level: values(|column| column.level.max(column.bed)),
        bed: Some(values(|column| column.bed)),
        velocity: Some(columns.iter().map(|column| column.velocity.map(|along| along as f32)).collect()),
        dry_depth: 1e-4,
    };
    let wetness = Attribute::new("wetness", Quantity::Wetness, 1, values(|column| column.wetness));
    let ground = Heights { level: values(|column| column.bed), bed: None, velocity: None, ..water.clone() };
    let mut frame = Frame::new(0, 3.0);
    frame.meshes.push(height_mesh("water", &water));
    frame.meshes.push(ground_mesh("ground", &ground, &[wetness]));
    Ok(frame)
}

fn beach_frame() -> Result<Frame, Box<dyn Error>> {
    frame([512, 384], [40.0, 30.0], |x, y| {
        let dune = 0.5 * hills(x * 0.2, y * 0.2, 4) + 0.25 * (0.2 * y).sin();
        let bed = 0.085 * (x - 22.0) + dune * (0.04 * (x - 20.0)).clamp(0.08, 1.0);
        let depth: f64 = (0.0 - bed).max(0.02);
        let phase = 1.1 * (x + 0.25 * (0.3 * y).sin()) + 0.12 * y;
        let wave = (0.10 * (phase.sin() + 0.35 * (2.0 * phase).cos())) * (depth / 0.5).min(1.0);
        let wave = if x > 30.0 { -9.0 } else { wave };
        let reached = 0.16 + 0.04 * (0.7 * y).sin() + 0.02 * (2.3 * y).sin();
        let wetness = (1.0 - (bed - reached) / 0.10).clamp(0.0, 1.0);
        Column { bed, level: 0.02 + wave, velocity: [0.4, 0.0], wetness }
    })
}

fn beach() -> Shot {
    let spec = PreviewSpec {
        level: Some(0.0),
        ripples: RippleSpec { strength: 0.025, ..RippleSpec::default() },
        ..PreviewSpec::default()
    };
    let view = Viewpoint { elevation: Some(16.0), azimuth: Some(-60.0), ..Viewpoint::default() };
    Ok((spec, SkySpec::default(), view, beach_frame()?))
}

fn beach_close() -> Shot {
    let spec = PreviewSpec {
        level: Some(0.0),
        ripples: RippleSpec { strength: 0.025, ..RippleSpec::default() },
        ..PreviewSpec::default()
    };
    let view = Viewpoint {
        eye: Some(Vec3::new(26.0, 8.0, 1.7)),
        target: Some(Vec3::new(20.5, 14.0, 0.0)),
        ..Viewpoint::default()
    };
    Ok((spec, SkySpec::default(), view, beach_frame()?))
}

fn beach_above() -> Shot {
    let (spec, sky, _, frame) = beach()?;
    Ok((spec, sky, Viewpoint { elevation: Some(80.0), azimuth: Some(-90.0), ..Viewpoint::default() }, frame))
}

/// A valley 2 km long that falls from north to south; a lake above, a flood front below.
fn valley_column(x: f64, y: f64) -> Column {
    let middle = 1000.0 + 160.0 * (0.0032 * y).sin();
    let aside = (x - middle).abs();
    let floor = 60.0 + 0.05 * y;
    let walls = 260.0 * (aside / 700.0).powf(1.6);
    let rough = 90.0 * hills(x * 0.0035 + 3.0, y * 0.0035, 7) * (aside / 500.0).clamp(0.08, 1.0);
    let dam = 46.0 * (-((y - 1450.0) / 22.0).powi(2)).exp() * f64::from(aside < 320.0 || y > 0.0);
    let bed = floor + walls + rough - 6.0 * (-(aside / 26.0).powi(2)).exp()
        + if aside > 30.0 { dam } else { 0.3 * dam };
    let lake = 60.0 + 0.05 * 1450.0 + 40.0;
    let front = 620.0 + 60.0 * (0.02 * x).sin();
    let along = ((y - front) / 800.0).clamp(0.0, 1.0);
    let level = if y > 1450.0 {
        lake
    } else if y > front {
        floor + 1.5 + 11.0 * along.sqrt() + 0.35 * hills(x * 0.05, y * 0.03, 3)
    } else {
        floor - 3.2
    };
    let speed = if y > 1450.0 {
        0.2
    } else if y > front {
        13.0
    } else {
        2.0
    };
    Column { bed, level, velocity: [0.0, -speed], wetness: if level > bed - 2.0 { 0.7 } else { 0.0 } }
}

fn valley() -> Shot {
    let frame = frame([512, 512], [2000.0, 2000.0], valley_column)?;
    let spec = PreviewSpec {
        beyond: Beyond::Land,
        ground: GroundKind::Alpine,
        look: WaterLook::named("muddy-river").unwrap_or_default(),
        ..PreviewSpec::default()
    };
    let view = Viewpoint { azimuth: Some(-70.0), elevation: Some(26.0), ..Viewpoint::default() };
    Ok((spec, SkySpec { sun_azimuth: 150.0, ..SkySpec::default() }, view, frame))
}

fn valley_block() -> Shot {
    let frame = frame([512, 512], [2000.0, 2000.0], valley_column)?;
    let spec = PreviewSpec { beyond: Beyond::Nothing, ground: GroundKind::Grass, ..PreviewSpec::default() };
    Ok((spec, SkySpec::default(), Viewpoint::default(), frame))
}

fn bowl() -> Shot {
    let mut frame = frame([256, 256], [4.0, 4.0], |x, y| {
        let squared = (x - 2.0).powi(2) + (y - 2.0).powi(2);
        let bed = 0.11 * squared + 0.05 * hills(1.1 * x, 1.1 * y, 4);
        let film = 0.002 * (6.0 * hills(2.0 * x + 9.0, 2.0 * y, 3)).clamp(0.0, 1.0);
        let ring = 0.006 * (20.0 * squared.sqrt()).sin() * (-squared).exp();
        Column {
            bed,
            level: (0.075 + ring).max(bed + film),
            velocity: [0.0; 2],
            wetness: if film > 0.0 { 1.0 } else { 0.6 },
        }
    })?;
    frame.clouds.push(rain(3000, 4.0, 1.6));
    let spec = PreviewSpec { beyond: Beyond::Nothing, ground: GroundKind::Sand, ..PreviewSpec::default() };
    Ok((spec, SkySpec::default(), Viewpoint::default(), frame))
}

fn rain(count: u32, width: f32, height: f32) -> Cloud {
    let random = |index: u32, what: u32| {
        let bits =
            (index.wrapping_mul(0x9e37_79b1) ^ what.wrapping_mul(0x85eb_ca77)).wrapping_mul(0x2c1b_3c6d);
        (bits ^ bits >> 15) as f32 / u32::MAX as f32
    };
    let position =
        |index: u32| [width * random(index, 1), width * random(index, 2), height * (0.2 + random(index, 3))];
    Cloud {
        role: CloudRole::Rain,
        positions: (0..count).map(position).collect(),
        velocities: vec![[0.2, 0.0, -5.0]; count as usize],
        radius: 0.002,
        ..Cloud::default()
    }
}

fn tank() -> Shot {
    let frame = frame([400, 1], [10.0, 0.025], |x, _| {
        let bed = 0.9 * (-((x - 6.3) / 0.9).powi(2)).exp() + 0.03 * x + 0.05 * (2.0 * x).sin();
        let wave = 0.16 * (-((x - 3.2) / 0.7).powi(2)).exp() + 0.02 * (5.0 * x).sin();
        let level = if x < 6.3 { 0.78 + wave } else { 0.52 + 0.01 * (9.0 * x).sin() };
        Column { bed, level, velocity: [0.0; 2], wetness: 0.0 }
    })?;
    Ok((PreviewSpec::default(), SkySpec::default(), Viewpoint::default(), frame))
}

fn bay() -> Shot {
    let frame = frame([512, 384], [20e3, 15e3], |x, y| {
        let coast = 11e3 + 2500.0 * (y * 4.2e-4).sin() + 900.0 * hills(x * 2e-4, y * 2e-4, 5);
        let bed = 0.05 * (x - coast)
            + 220.0 * hills(x * 3.0e-4, y * 3.0e-4, 7) * ((x - coast) / 3000.0).clamp(0.02, 1.0);
        let wave = 14.0 * (-((x - 7600.0 - 300.0 * (y * 5e-4).cos()) / 420.0).powi(2)).exp();
        Column { bed, level: wave, velocity: [wave, 0.0], wetness: 0.0 }
    })?;
    let spec = PreviewSpec {
        level: Some(0.0),
        depth: 300.0,
        look: WaterLook::named("storm-sea").unwrap_or_default(),
        ..PreviewSpec::default()
    };
    let sky = SkySpec::default();
    Ok((spec, sky, Viewpoint { elevation: Some(18.0), azimuth: Some(-165.0), ..Viewpoint::default() }, frame))
}

fn village() -> Shot {
    let frame = frame([512, 512], [200.0, 200.0], |x, y| {
        let slope = 0.03 * y + 1.2 * hills(0.03 * x, 0.03 * y, 4);
        let (across, along) = ((x / 25.0).fract() * 25.0, (y / 25.0).fract() * 25.0);
        let is_house = (x - 100.0).abs() < 75.0
            && (y - 100.0).abs() < 75.0
            && (7.0..17.0).contains(&across)
            && (8.0..16.0).contains(&along);
        let bed = slope + if is_house { 6.0 } else { 0.0 };
        let front = 70.0 + 12.0 * (0.08 * x).sin();
        let depth = if y > front { 0.3 + 0.9 * ((y - front) / 60.0).min(1.0) } else { 0.0 };
        let level =
            if is_house || y <= front { bed } else { slope + depth + 0.08 * hills(0.5 * x, 0.5 * y, 3) };
        Column { bed, level, velocity: [0.5, -5.0], wetness: 0.0 }
    })?;
    let spec = PreviewSpec {
        beyond: Beyond::Land,
        ground: GroundKind::Grass,
        look: WaterLook::named("muddy-river").unwrap_or_default(),
        ..PreviewSpec::default()
    };
    Ok((spec, SkySpec::default(), Viewpoint::default(), frame))
}

fn pool() -> Shot {
    let frame = frame([256, 192], [8.0, 6.0], |x, y| {
        let inside = (x - 0.5).min(7.5 - x).min(y - 0.5).min(5.5 - y);
        let bed = if inside > 0.0 { -1.0 - 0.06 * x } else { 0.15 };
        let distance = ((x - 3.0).powi(2) + (y - 2.6).powi(2)).sqrt();
        let wave = 0.03 * (9.0 * distance).sin() * (-0.5 * distance).exp();
        Column { bed, level: wave.max(-0.1), velocity: [0.0; 2], wetness: 0.0 }
    })?;
    let spec = PreviewSpec {
        beyond: Beyond::Nothing,
        ground: GroundKind::Bed(preview::BedKind::Tiles),
        look: WaterLook::named("tropical").unwrap_or_default(),
        ..PreviewSpec::default()
    };
    Ok((spec, SkySpec { sun_elevation: 45.0, ..SkySpec::default() }, Viewpoint::default(), frame))
}

/// The pool with a ball that lies on its floor, and one that floats.
fn pool_ball() -> Shot {
    let (spec, sky, _, mut frame) = pool()?;
    for position in [[4.4, 2.4, -0.85], [5.6, 3.4, 0.0]] {
        frame.bodies.push(Body { position, ..Body::standing(0, ball(0.4)) });
    }
    let view = Viewpoint { elevation: Some(48.0), distance: Some(7.0), ..Viewpoint::default() };
    Ok((PreviewSpec { solid: [0.7, 0.12, 0.06], ..spec }, sky, view, frame))
}

fn ball(radius: f32) -> Mesh {
    let (around, up) = (64_u32, 32_u32);
    let direction = |index: u32| {
        let (turn, rise) = ((index % around) as f32 / around as f32, (index / around) as f32 / up as f32);
        let level = Vec2::from_angle(turn * std::f32::consts::TAU);
        let height = Vec2::from_angle((rise - 0.5) * std::f32::consts::PI);
        (level * height.x).extend(height.y)
    };
    let directions: Vec<Vec3> = (0..around * (up + 1)).map(direction).collect();
    let quads = (0..around * up).flat_map(|index| {
        let beside = index / around * around + (index + 1) % around;
        [[index, beside, beside + around], [index, beside + around, index + around]]
    });
    Mesh {
        material: Material::Solid,
        positions: directions.iter().map(|&direction| (radius * direction).to_array()).collect(),
        normals: directions.iter().map(|direction| direction.to_array()).collect(),
        uvs: Vec::new(),
        triangles: Triangles::List(quads.collect()),
        ..Mesh::flat_sheet("ball", [1.0; 2], [2, 2])
    }
}

/// Rough hills between about −0.5 and 0.5: sines of many lengths and directions, folded.
fn hills(x: f64, y: f64, octaves: u32) -> f64 {
    let (mut sum, mut at, mut height) = (0.0, [x as f32, y as f32], 0.5);
    for octave in 0..octaves {
        let place = Vec2::from(at);
        let wave = (place.x + 1.7 * (0.8 * place.y + f32::from(octave as u8)).sin()).sin()
            * (0.9 * place.y + 1.3 * (0.7 * place.x).cos()).cos();
        sum += height * f64::from(wave);
        height *= 0.5;
        at = (Vec2::from_angle(0.9).rotate(place) * 2.03 + 5.1).to_array();
    }
    sum
}

fn save(path: &Path, picture: &Picture) -> Result<(), Box<dyn Error>> {
    let mut encoder = png::Encoder::new(File::create(path)?, picture.width, picture.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header()?.write_image_data(&picture.rgb)?;
    Ok(())
}
