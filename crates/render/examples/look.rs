//! Draws a few waters and plots for people to look at, and tells how long each took:
//! `cargo run --release -p undine-render --example look -- FOLDER [NAME]`.

use std::error::Error;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Instant;

use undine_frame::{Body, Cloud, CloudRole, Frame, Material, Mesh, Quantity, Raster, Triangles};
use undine_render::Picture;
use undine_render::plots::{HslRamp, MapChoice, PlotSpec};
use undine_render::preview::{self, BedKind, Beyond, PreviewSpec, RippleSpec, Viewpoint, WaterLook};
use undine_render::sky::SkySpec;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).map_or_else(|| PathBuf::from("out/look"), PathBuf::from);
    fs::create_dir_all(&folder)?;
    let wanted = std::env::args().nth(2);
    let is_wanted = |name: &str| wanted.as_deref().is_none_or(|wanted| wanted == name);
    for (name, spec, sky, view, frame) in scenes().into_iter().filter(|shot| is_wanted(shot.0)) {
        for size in [[1280, 720], [640, 360]] {
            let start = Instant::now();
            let picture = preview::draw(&spec, &sky, &view, size, &frame)?;
            let line = format!("{name} {}x{} in {:.3} s\n", size[0], size[1], start.elapsed().as_secs_f64());
            std::io::Write::write_all(&mut std::io::stdout(), line.as_bytes())?;
            save(&folder.join(format!("{name}-{}.png", size[1])), &picture)?;
        }
    }
    for (name, spec) in plots().into_iter().filter(|plot| is_wanted(plot.0)) {
        for size in [[1280, 720], [640, 360], [120, 90]] {
            let picture = undine_render::plots::draw(&spec, size, &fields())?;
            save(&folder.join(format!("plot-{name}-{}.png", size[1])), &picture)?;
        }
    }
    Ok(())
}

fn plots() -> Vec<(&'static str, PlotSpec)> {
    let of = |field: &str| PlotSpec { field: Some(field.to_owned()), ..PlotSpec::default() };
    vec![
        ("height", PlotSpec { contours: 8, arrows: Some("velocity".into()), ..of("height") }),
        ("curl", of("curl")),
        ("hsl", PlotSpec { map: MapChoice::Hsl(HslRamp::default()), ..of("curl") }),
        ("cells", PlotSpec { shows_grid: true, ..of("cells") }),
        ("speed", PlotSpec { is_log: true, map: MapChoice::Named("ember".into()), ..of("velocity") }),
        ("profile", of("level")),
        (
            "column",
            PlotSpec {
                across: Some(1),
                is_smooth: false,
                map: MapChoice::Named("ice".into()),
                ..of("pressure")
            },
        ),
    ]
}

/// A frame with a field of every kind.
fn fields() -> Frame {
    let raster =
        |name: &str, unit: &str, quantity: Quantity, size: [u32; 3], value: &dyn Fn([f32; 3]) -> Vec<f32>| {
            let spacing = 8.0 / f64::from(size[0]);
            let place = |index: u32| {
                let at = [index % size[0], index / size[0] % size[1], index / size[0] / size[1]];
                at.map(|index| index as f32 * spacing as f32)
            };
            let values: Vec<f32> = (0..size.iter().product()).flat_map(|index| value(place(index))).collect();
            let components = (values.len() / size.iter().product::<u32>() as usize) as u32;
            let (origin, spacing) = ([0.5 * spacing; 3], [spacing; 3]);
            Raster {
                name: name.into(),
                water: 0,
                unit: unit.into(),
                quantity,
                size,
                components,
                origin,
                spacing,
                values: values.into(),
            }
        };
    let wave = |[x, y, _]: [f32; 3]| (1.7 * x).sin() * (1.1 * y + 0.4 * x).cos();
    let flow = |[x, y, _]: [f32; 3]| vec![(y - 2.2) * (-0.1 * (x - 4.0).powi(2)).exp(), -(x - 4.0) * 0.6];
    let cell = |[x, y, _]: [f32; 3]| match (x, y) {
        _ if (x - 5.5).powi(2) + (y - 1.0).powi(2) < 0.9 => 2.0,
        _ if y < 2.0 + 0.4 * x.sin() => 1.0,
        _ => 0.0,
    };
    let mut frame = Frame::new(40, 1.25);
    frame.fields = vec![
        raster("height", "m", Quantity::Height, [128, 72, 1], &|at| vec![0.3 * wave(at)]),
        raster("velocity", "m/s", Quantity::Velocity, [96, 54, 1], &flow),
        raster("curl", "1/s", Quantity::Vorticity, [128, 72, 1], &|at| vec![3.0 * wave(at)]),
        raster("cells", "", Quantity::CellKind, [48, 27, 1], &|at| vec![cell(at)]),
        raster("level", "m", Quantity::Height, [200, 1, 1], &|[x, ..]| vec![1.0 + 0.2 * (2.0 * x).sin()]),
        raster("bed", "m", Quantity::Bed, [200, 1, 1], &|[x, ..]| {
            vec![1.6 - 0.35 * x + 0.02 * x * x * x * 0.5]
        }),
        raster("pressure", "kPa", Quantity::Pressure, [40, 30, 20], &|[x, y, z]| {
            vec![9.81 * (4.0 - z) + x.sin() * y.cos()]
        }),
    ];
    frame
}

type Shot = (&'static str, PreviewSpec, SkySpec, Viewpoint, Frame);

fn scenes() -> Vec<Shot> {
    let swell = frame(60.0, 512, 3.0, sea);
    let pond = frame(10.0, 512, 2.2, rings);
    let lake = frame(40.0, 512, 1.0, breeze);
    let named = |look: &str| WaterLook::named(look).unwrap_or_default();
    vec![
        (
            "swell",
            PreviewSpec { look: named("storm-sea"), depth: 40.0, ..PreviewSpec::default() },
            SkySpec::default(),
            Viewpoint::default(),
            swell.clone(),
        ),
        (
            "pond",
            PreviewSpec {
                depth: 1.2,
                bed: BedKind::Pebbles,
                beyond: Beyond::Shore,
                ripples: RippleSpec { strength: 0.02, scale: 0.3, ..RippleSpec::default() },
                ..PreviewSpec::default()
            },
            SkySpec { clouds: 0.45, ..SkySpec::default() },
            Viewpoint { elevation: Some(24.0), ..Viewpoint::default() },
            pond,
        ),
        (
            "tropical",
            PreviewSpec { look: named("tropical"), depth: 2.5, ..PreviewSpec::default() },
            SkySpec { sun_elevation: 50.0, ..SkySpec::default() },
            Viewpoint {
                elevation: Some(13.0),
                distance: Some(14.0),
                azimuth: Some(20.0),
                ..Viewpoint::default()
            },
            lake.clone(),
        ),
        ("lake", PreviewSpec::default(), SkySpec::default(), Viewpoint::default(), lake.clone()),
        (
            "sunset",
            PreviewSpec { depth: 10.0, ..PreviewSpec::default() },
            SkySpec { sun_elevation: 7.0, sun_azimuth: 72.0, clouds: 0.4, ..SkySpec::default() },
            Viewpoint { elevation: Some(8.0), ..Viewpoint::default() },
            lake.clone(),
        ),
        (
            "island",
            PreviewSpec { depth: 6.0, ..PreviewSpec::default() },
            SkySpec { sun_azimuth: 150.0, sun_elevation: 35.0, ..SkySpec::default() },
            Viewpoint { elevation: Some(17.0), distance: Some(24.0), ..Viewpoint::default() },
            island(lake),
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
        let rise =
            |dx: f32, dy: f32| (height(x + dx, y + dy, time) - height(x - dx, y - dy, time)) / (2.0 * step);
        let (along, up) = (rise(step, 0.0), rise(0.0, step));
        let length = (along * along + up * up + 1.0).sqrt();
        position[2] = height(x, y, time);
        *normal = [-along / length, -up / length, 1.0 / length];
    }
    let mut frame = Frame::new(0, f64::from(time));
    frame.meshes.push(sheet);
    frame
}

/// The same water with a mound in it, a block and some drops.
fn island(mut frame: Frame) -> Frame {
    let mut mound = Mesh::flat_sheet("mound", [30.0; 2], [200; 2]);
    mound.material = Material::Ground;
    for position in &mut mound.positions {
        let squared = (position[0] - 15.0).powi(2) + (position[1] - 15.0).powi(2);
        let lumps = 0.35 * (0.9 * position[0]).sin() * (1.1 * position[1]).cos();
        *position = [position[0] + 5.0, position[1] + 5.0, (7.4 + lumps) * (-0.014 * squared).exp() - 6.0];
    }
    mound.normals.clear();
    let corner = |index: u32| [0, 1, 2].map(|axis| if index >> axis & 1 == 1 { 1.2 } else { -1.2 });
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let mut block = Mesh::flat_sheet("block", [1.0; 2], [0; 2]);
    block.material = Material::Solid;
    block.positions = (0..8).map(corner).collect();
    block.triangles =
        Triangles::List(faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect());
    frame.meshes.push(mound);
    frame.bodies.push(Body {
        position: [17.0, 10.5, 0.2],
        rotation: [0.1, 0.05, 0.3, 0.94],
        ..Body::standing(0, block)
    });
    let drop = |index: u32| {
        let angle = index as f32 * 2.4;
        let reach = 0.05 * (index as f32).sqrt();
        [23.0 + reach * angle.cos(), 10.0 + reach * angle.sin(), 0.3 + 0.01 * (index % 97) as f32]
    };
    let positions = (0..400).map(drop).collect();
    frame.clouds.push(Cloud { role: CloudRole::Spray, positions, radius: 0.03, ..Cloud::default() });
    frame
}

/// Sum of deep-water waves: (length, amplitude, direction in degrees), with sharpened crests.
fn sum(waves: &[(f32, f32, f32)], x: f32, y: f32, t: f32) -> f32 {
    let wave = |(index, &(length, amplitude, degrees)): (usize, &(f32, f32, f32))| {
        let wavenumber = std::f32::consts::TAU / length;
        let (sine, cosine) = degrees.to_radians().sin_cos();
        let phase =
            wavenumber * (cosine * x + sine * y) - (9.81 * wavenumber).sqrt() * t + 1.7 * index as f32;
        amplitude * (phase.sin() + 0.5 * wavenumber * amplitude * (2.0 * phase).sin())
    };
    waves.iter().enumerate().map(wave).sum()
}

fn sea(x: f32, y: f32, t: f32) -> f32 {
    let waves = [
        (27.0, 0.55, 20.0),
        (17.0, 0.32, 48.0),
        (11.0, 0.20, 2.0),
        (7.1, 0.11, 33.0),
        (4.9, 0.075, -18.0),
        (3.4, 0.05, 61.0),
        (2.3, 0.032, 12.0),
        (1.7, 0.022, 40.0),
        (1.23, 0.014, -30.0),
        (0.9, 0.009, 25.0),
    ];
    sum(&waves, x, y, t)
}

fn breeze(x: f32, y: f32, t: f32) -> f32 {
    let waves =
        [(6.1, 0.030, 15.0), (4.3, 0.024, 41.0), (2.9, 0.016, -12.0), (1.9, 0.010, 30.0), (1.3, 0.006, 60.0)];
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
