//! Draws made-up outlines and coarse heights into a folder: a section with its outline, a drop over soup as bodies of
//! revolution, a marble in a bowl, and a cove of coarse cells by moonlight; and how long each took.
//!
//! ```sh
//! cargo run --release -p undine-render --example outlines -- pictures
//! ```

use std::error::Error;
use std::f32::consts::PI;
use std::fs::{self, File};
use std::path::Path;
use std::time::Instant;

use undine_frame::{
    Cloud, CloudRole, Curves, Frame, FrameRequest, Heights, Quantity, Raster, Surface, SurfaceRole,
    SurfaceShape,
};
use undine_render::{Picture, Pictures, draw};
use undine_scene::{LoadOptions, Scene};
use undine_surface::{Tessellation, tessellate};

/// A picture by its name, what the scene file says of it, and what it shows.
type Shot = (&'static str, &'static str, fn() -> Frame);

const SOUP: &str =
    "[camera]\nelevation = 24\n[[surface]]\nrevolve = true\n[[picture]]\nlook = 'soup'\ntank = 'none'\n";
const MARBLE: &str = "[camera]\nelevation = 30\n[[surface]]\nrevolve = true\n\
    [[prop]]\nkind = 'bowl'\nname = 'glass bowl'\nradius = 0.118\nheight = 0.066\nat = [0, 0, -0.003]\nwall = 0.003\n\
    [[prop]]\nkind = 'ball'\nradius = 0.02\nat = [0.0, 0, 0.1]\ncolour = [0.02, 0.1, 0.5]\nstripe = [0.8, 0.8, 0.8]\ngloss = 1\n\
    [[picture]]\nlook = 'soup'\ntank = 'none'\n";
const COVE: &str = "[camera]\neye = [60, -30, 22]\ntarget = [22, 22, 2]\n[sky]\nkind = 'moonlit'\nsun_azimuth = 130\nsun_elevation = 24\nclouds = 0.2\n\
    [[surface]]\nspline = true\ncells = 6\nrock = 1.2\n[[picture]]\nground = 'rock'\nexposure = 5\nlook = 'storm-sea'\n\
    ripples = 0.06\nripple_length = 0.8\nripple_spread = 15\nripple_direction = 180\n";
const COARSE: &str = "[camera]\neye = [60, -30, 22]\ntarget = [22, 22, 2]\n[[picture]]\nground = 'rock'\n";
const SMOOTH: &str = "[camera]\neye = [60, -30, 22]\ntarget = [22, 22, 2]\n[[surface]]\nspline = true\ncells = 6\nrock = 1.2\n[[picture]]\nground = 'rock'\n";

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| String::from("pictures"));
    let only = std::env::args().nth(2);
    let kind = std::env::args().nth(3).unwrap_or_else(|| String::from("preview"));
    fs::create_dir_all(&folder)?;
    let mut times = String::from("picture,milliseconds\n");
    let shots: [Shot; 9] = [
        ("section", "[[picture]]\nkind = 'flat'\n", section),
        ("outline", "[[picture]]\nkind = 'flat'\nlayer = [{ show = 'outline', thickness = 2 }]\n", section),
        (
            "cells",
            "[[picture]]\nkind = 'flat'\nlayer = [{ show = 'cells' }, { show = 'outline' }]\n",
            section,
        ),
        ("markers", "[[picture]]\nkind = 'flat'\n", markers),
        ("soup", SOUP, soup),
        ("marble", MARBLE, soup),
        ("coarse", COARSE, cove),
        ("smooth", SMOOTH, cove),
        ("cove", COVE, cove),
    ];
    for (name, text, frame) in shots {
        if only.as_deref().is_some_and(|only| only != name) {
            continue;
        }
        let kind = if text.contains("kind = 'flat'") { String::new() } else { format!("kind = '{kind}'\n") };
        let text = format!("[scene]\nduration = 1\n{text}{kind}size = [960, 540]\n");
        let scene = Scene::parse(name, &text, &LoadOptions::default())?;
        let (spec, tessellation) = (&Pictures::read(&scene)?[0], Tessellation::read(&scene)?);
        let mut frame = frame();
        tessellate(
            &mut frame,
            &FrameRequest { meshes: true, liquid_meshes: true, clouds: true, ..FrameRequest::default() },
            &tessellation,
        );
        let start = Instant::now();
        let picture = draw(spec, &frame)?;
        times += &format!("{name},{:.0}\n", 1e3 * start.elapsed().as_secs_f64());
        write(&picture, &Path::new(&folder).join(format!("{name}.png")))?;
    }
    fs::write(Path::new(&folder).join("times.csv"), times)?;
    Ok(())
}

fn write(picture: &Picture, path: &Path) -> Result<(), Box<dyn Error>> {
    let mut encoder = png::Encoder::new(File::create(path)?, picture.width, picture.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header()?.write_image_data(&picture.rgb)?;
    Ok(())
}

/// A bowl of soup of 15 × 30 cells with the axis as its low side, and a drop above it.
fn soup_outlines() -> Vec<Vec<[f32; 2]>> {
    const CELL: f32 = 0.008;
    // The stepped side of the bowl, the surface with a wave, and the axis
    let bed = |column: usize| ((column * column) as f32 / 28.0).floor() * CELL;
    let steps = (0..14).flat_map(|column| {
        let x = column as f32 * CELL;
        [[x, bed(column)], [x + CELL, bed(column)]]
    });
    let level = |x: f32| 0.045 + 0.006 * (70.0 * x).cos() * (-12.0 * x).exp();
    let steps: Vec<[f32; 2]> = steps.filter(|at| at[1] <= level(at[0])).collect();
    let rim = steps.last().map_or(0.1, |at| at[0]);
    let surface = (0..=60).map(|n| rim * (1.0 - n as f32 / 60.0)).map(|x| [x, level(x)]);
    let axis = (1..10).map(|n| [0.0, 0.045 * (1.0 - 0.1 * n as f32)]);
    let pool = steps.iter().copied().chain(surface).chain(axis).collect();
    let drop = (0..=50)
        .map(|n| n as f32 * PI / 50.0 - 0.5 * PI)
        .map(|angle| [0.02 * angle.cos(), 0.1 + 0.02 * angle.sin()]);
    vec![pool, drop.chain((1..8).map(|n| [0.0, 0.12 - 0.005 * n as f32])).collect()]
}

fn soup() -> Frame {
    let curves = Curves::new(soup_outlines(), [[0.0, 0.0], [0.12, 0.24]], 0.008);
    let shape = SurfaceShape::Curve(curves);
    let surface =
        Surface { name: "soup".into(), water: 0, role: SurfaceRole::Water, shape, attributes: Vec::new() };
    Frame { surfaces: vec![surface], ..Frame::new(0, 0.0) }
}

/// The same in the plane, with its signed distance and the kinds of its cells.
fn section() -> Frame {
    let mut frame = soup();
    let Some(curves) = frame.curves().next().map(|(_, curves)| curves.clone()) else { return frame };
    let inside = |at: [f32; 2]| curves.winding(at) != 0;
    let distance = |at: [f32; 2]| {
        let away = curves.segments().map(|[from, to]| {
            let (from, to) = (glam::Vec2::from(from), glam::Vec2::from(to));
            let t = ((glam::Vec2::from(at) - from).dot(to - from) / (to - from).length_squared().max(1e-12))
                .clamp(0.0, 1.0);
            (from + t * (to - from)).distance(glam::Vec2::from(at))
        });
        let away = away.fold(f32::INFINITY, f32::min);
        if inside(at) { -away } else { away }
    };
    let kind = |at: [f32; 2]| match inside(at) {
        _ if at[1] < 0.008 * ((at[0] / 0.008).floor().powi(2) / 28.0).floor() => 3.0,
        true if distance(at) > -0.008 => 1.0,
        true => 2.0,
        false => 0.0,
    };
    let raster = |name: &str, quantity: Quantity, cell: f32, value: &dyn Fn([f32; 2]) -> f32| {
        let size = [(0.12 / cell).round() as u32, (0.24 / cell).round() as u32, 1];
        let at = |n: u32| [(n % size[0]) as f32 + 0.5, (n / size[0]) as f32 + 0.5].map(|x| x * cell);
        Raster {
            name: name.into(),
            quantity,
            size,
            components: 1,
            origin: [f64::from(0.5 * cell), f64::from(0.5 * cell), 0.0],
            spacing: [f64::from(cell); 3],
            values: (0..size[0] * size[1]).map(|n| value(at(n))).collect(),
            ..Raster::default()
        }
    };
    frame.fields = vec![
        raster("cells", Quantity::CellKind, 0.008, &kind),
        raster("surface", Quantity::SurfaceDistance, 0.002, &distance),
    ];
    frame
}

fn markers() -> Frame {
    let mut frame = section();
    let positions = (0..60 * 120).map(|n| [(n % 60) as f32 * 0.002 + 0.001, (n / 60) as f32 * 0.002 + 0.001]);
    let wet = frame.curves().next().map(|(_, curves)| curves.clone()).unwrap_or_default();
    let positions = positions.filter(|&at| wet.winding(at) != 0).map(|[x, y]| [x, y, 0.0]).collect();
    frame.clouds.push(Cloud { role: CloudRole::Marker, positions, radius: 0.0004, ..Cloud::default() });
    frame.fields.truncate(1);
    frame.surfaces.clear();
    frame
}

/// A cove of 50 × 40 columns of one metre, with a ground of whole cells, rocks and a wave.
fn cove() -> Frame {
    let size = [50, 40];
    let at = |n: u32| [(n % 50) as f32 + 0.5, (n / 50) as f32 + 0.5];
    let rocks: [([f32; 2], f32, f32); 4] = [
        ([22.0, 14.0], 3.5, 8.0),
        ([30.0, 25.0], 2.5, 7.0),
        ([14.0, 29.0], 4.0, 9.0),
        ([35.0, 10.0], 2.0, 5.5),
    ];
    let bed = |n: u32| {
        let [x, y] = at(n);
        let slope = 10.0 * (-x / 9.0).exp() + 7.0 * ((y - 20.0).abs() / 20.0).powi(4);
        let rock = rocks.iter().map(|(middle, radius, height)| {
            let away = (x - middle[0]).hypot(y - middle[1]);
            if away < *radius { *height } else { 0.0 }
        });
        rock.fold(slope, f32::max).floor() - 5.0
    };
    let level = |n: u32| {
        let [x, y] = at(n);
        let wave = 0.9 * (-((x - 27.0) / 4.0).powi(2)).exp() * (1.0 + 0.2 * (y / 6.0).sin());
        (0.3 * (x / 5.0).sin() + wave + 0.2).max(bed(n))
    };
    let heights = Heights {
        size,
        origin: [0.5; 2],
        spacing: [1.0; 2],
        level: (0..2000).map(level).collect(),
        bed: Some((0..2000).map(bed).collect()),
        dry_depth: 1e-3,
        ..Heights::default()
    };
    Frame { surfaces: Surface::with_bed("cove", heights), ..Frame::new(0, 0.0) }
}
