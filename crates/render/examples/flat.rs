//! Draws flat pictures of made-up fluids into a folder: a candle, a cup of coffee, ink, and a stream; and how long
//! each took.
//!
//! ```sh
//! cargo run --release -p undine-render --example flat -- pictures
//! ```

use std::error::Error;
use std::f32::consts::TAU;
use std::fs::{self, File};
use std::path::Path;
use std::time::Instant;

use undine_frame::{Attribute, Cloud, Frame, Quantity, Raster};
use undine_render::{Picture, Pictures, draw};
use undine_scene::{LoadOptions, Scene};

const SIZE: [u32; 2] = [240, 135];
const BOX: [f32; 2] = [1.6, 0.9];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| String::from("pictures"));
    fs::create_dir_all(&folder)?;
    let mut times = String::from("picture,milliseconds\n");
    for (name, layers, frame) in [
        ("plain", "", stream()),
        ("lines", LINES, stream()),
        ("candle", CANDLE, candle()),
        ("coffee", COFFEE, coffee()),
        ("ink", INK, stream()),
    ] {
        let text = format!("[scene]\nduration = 1\n[[picture]]\nkind = 'flat'\n{layers}\n");
        let scene = Scene::parse(name, &text, &LoadOptions::default())?;
        let spec = &Pictures::read(&scene)?[0];
        let start = Instant::now();
        let picture = draw(spec, &frame)?;
        times += &format!("{name},{:.0}\n", 1e3 * start.elapsed().as_secs_f64());
        write(&Path::new(&folder).join(format!("{name}.png")), &picture)?;
    }
    fs::write(Path::new(&folder).join("times.csv"), times)?;
    Ok(())
}

const LINES: &str = "layer = [
    { show = 'field', field = 'speed', map = 'lagoon' },
    { show = 'streamlines', spacing = 18, opacity = 0.7 },
    { show = 'solid', colour = '#d8dce2' },
]";

const CANDLE: &str = "background = '#0a0705'
layer = [
    { show = 'field', field = 'speed', colour = '#8a8378', fade = 1.4, opacity = 0.35 },
    { show = 'metaballs', radius = 0.03, softness = 0.7, core = 14, map = 'flame', blend = 'screen' },
    { show = 'glow', radius = 0.06, strength = 0.8 },
    { show = 'glow', radius = 0.4, strength = 0.8, threshold = 0.05 },
]";

const COFFEE: &str = "background = '#7d5a3c'
layer = [
    { show = 'field', field = 'speed', ramp = [{ colour = '#1d0d06' }, { colour = '#6a3d20' }] },
    { show = 'metaballs', radius = 0.012, softness = 0.5, core = 6, map = 'foam' },
    { show = 'relief', field = 'vorticity', depth = 0.012, lamp = [0.3, 1.1, 0.6], gloss = 0.5 },
    { show = 'solid', colour = '#f3efe8', wall = 0.06, rim = 0.03, shadow = 0.6, shadow_width = 0.06 },
]";

const INK: &str = "layer = [{ show = 'dye', ink = 'paper' }, { show = 'solid' }]";

/// A field by its value at a place.
fn field(name: &str, quantity: Quantity, components: u32, value: impl Fn([f32; 2]) -> Vec<f32>) -> Raster {
    let spacing = [0, 1].map(|axis| BOX[axis] / SIZE[axis] as f32);
    let cells = (0..SIZE[1]).flat_map(|row| (0..SIZE[0]).map(move |column| [column, row]));
    let place = |cell: [u32; 2]| [0, 1].map(|axis| (cell[axis] as f32 + 0.5) * spacing[axis]);
    Raster {
        name: name.into(),
        unit: String::new(),
        water: 0,
        quantity,
        size: [SIZE[0], SIZE[1], 1],
        components,
        origin: [0.5 * f64::from(spacing[0]), 0.5 * f64::from(spacing[1]), 0.0],
        spacing: [f64::from(spacing[0]), f64::from(spacing[1]), 1.0],
        values: cells.flat_map(|cell| value(place(cell))).collect(),
    }
}

/// Speed, vorticity and the rest of a velocity.
fn motion(frame: &mut Frame, velocity: impl Fn([f32; 2]) -> [f32; 2]) {
    let curl = |[x, y]: [f32; 2]| {
        let step = 2e-3;
        let along = velocity([x + step, y])[1] - velocity([x - step, y])[1];
        let up = velocity([x, y + step])[0] - velocity([x, y - step])[0];
        (along - up) / (2.0 * step)
    };
    let speed = |at| velocity(at)[0].hypot(velocity(at)[1]);
    frame.fields.push(field("velocity", Quantity::Velocity, 2, |at| velocity(at).to_vec()));
    frame.fields.push(field("speed", Quantity::Speed, 1, |at| vec![speed(at)]));
    frame.fields.push(field("vorticity", Quantity::Vorticity, 1, |at| vec![curl(at)]));
}

/// The velocity of a vortex with a smooth core.
fn vortex([x, y]: [f32; 2], [east, north]: [f32; 2], strength: f32, core: f32) -> [f32; 2] {
    let (dx, dy) = (x - east, y - north);
    let spin = strength / (dx * dx + dy * dy + core * core);
    [-spin * dy, spin * dx]
}

fn stream() -> Frame {
    let mut frame = Frame::new(0, 0.0);
    let row = |index: usize| [0.55 + 0.22 * index as f32, if index.is_multiple_of(2) { 0.54 } else { 0.36 }];
    let velocity = |at: [f32; 2]| {
        (0..5_usize).fold([0.25, 0.0], |sum, index| {
            let sign = if index.is_multiple_of(2) { -1.0 } else { 1.0 };
            let own = vortex(at, row(index), 0.03 * sign, 0.05);
            [sum[0] + own[0], sum[1] + own[1]]
        })
    };
    motion(&mut frame, velocity);
    let distance = |[x, y]: [f32; 2]| (x - 0.3_f32).hypot(y - 0.45) - 0.08;
    frame.fields.push(field("solids", Quantity::SolidDistance, 1, |at| vec![distance(at)]));
    let blot =
        |[x, y]: [f32; 2], east: f32, north: f32| (-((x - east).powi(2) + (y - north).powi(2)) / 0.02).exp();
    frame.fields.push(field("dye", Quantity::Dye, 3, |at| {
        let [blue, yellow, red] = [blot(at, 0.6, 0.45), blot(at, 0.8, 0.5), blot(at, 1.1, 0.4)];
        vec![red + yellow, 0.8 * yellow + 0.1 * red, blue]
    }));
    frame
}

fn particle(number: usize, salt: u32) -> f32 {
    let bits = (number as u32).wrapping_mul(2_654_435_761).wrapping_add(salt.wrapping_mul(40_503_977));
    ((bits ^ bits >> 13).wrapping_mul(1_274_126_177) >> 8) as f32 / 16_777_216.0
}

fn candle() -> Frame {
    let mut frame = Frame::new(0, 0.0);
    motion(&mut frame, |[x, y]| {
        let aside = (x - 0.8 - 0.02 * (9.0 * y).sin()) / (0.02 + 0.06 * (y - 0.2).max(0.0));
        [0.0, if y > 0.2 { (-aside * aside).exp() * (0.3 + y) } else { 0.0 }]
    });
    let flame = (0..160).map(|number| {
        let age = particle(number, 1);
        let aside = (particle(number, 2) - 0.5) * 0.045 * (1.0 - age) * (0.4 + 3.0 * age * (1.0 - age));
        ([0.8 + aside + 0.006 * (age * 5.0).sin(), 0.2 + 0.26 * age, 0.0], (1.0 - age).powi(2) * 0.22)
    });
    let (positions, masses): (Vec<_>, Vec<_>) = flame.unzip();
    let mass = Attribute::new("mass", Quantity::Mass, 1, masses);
    frame.clouds.push(Cloud { positions, radius: 0.004, attributes: vec![mass], ..Cloud::default() });
    frame
}

fn coffee() -> Frame {
    let mut frame = Frame::new(0, 0.0);
    motion(&mut frame, |at| {
        let parts = [
            vortex(at, [0.8, 0.45], 0.03, 0.12),
            vortex(at, [0.68, 0.5], 0.02, 0.04),
            vortex(at, [0.92, 0.36], -0.012, 0.03),
        ];
        parts.into_iter().fold([0.0; 2], |sum, part| [sum[0] + part[0], sum[1] + part[1]])
    });
    frame
        .fields
        .push(field("solids", Quantity::SolidDistance, 1, |[x, y]| vec![0.36 - (x - 0.8).hypot(y - 0.45)]));
    let foam = (0..500).map(|number| {
        let turn = TAU * (2.2 * particle(number, 3) + particle(number, 4) * 0.12);
        let out = 0.05 + 0.25 * particle(number, 3) + 0.03 * particle(number, 5);
        [0.8 + out * turn.cos(), 0.45 + out * turn.sin(), 0.0]
    });
    frame.clouds.push(Cloud { positions: foam.collect(), radius: 0.003, ..Cloud::default() });
    frame
}

fn write(path: &Path, picture: &Picture) -> Result<(), Box<dyn Error>> {
    let mut encoder = png::Encoder::new(File::create(path)?, picture.width, picture.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&picture.rgb)?;
    writer.finish()?;
    Ok(())
}
