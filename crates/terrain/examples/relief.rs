//! A shaded relief of a scene's terrain as a PNG: `cargo run --example relief -- scene.toml out.png`.
//!
//! Further arguments: x0 y0 x1 y1 of the rectangle, and pixels along x. Ground below 0 is tinted blue.

use std::error::Error;
use std::fs::File;
use std::path::Path;

use undine_grid::Grid;
use undine_scene::{LoadOptions, Scene};
use undine_terrain::Terrain;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [scene, out, numbers @ ..] = arguments.as_slice() else {
        return Err("give a scene, the picture's name, x0 y0 x1 y1 and the pixels along x".into());
    };
    let scene = Scene::load(Path::new(scene), &LoadOptions::default())?;
    let terrain = Terrain::read(&scene)?.ok_or("the scene has no [[terrain]]")?;
    let numbers: Vec<f64> = numbers.iter().map(|number| number.parse()).collect::<Result<_, _>>()?;
    let (x0, y0, x1, y1, width) = match numbers.as_slice() {
        &[x0, y0, x1, y1, width] => (x0, y0, x1, y1, width),
        _ => (-10.0, -10.0, 10.0, 10.0, 800.0),
    };
    let spacing = (x1 - x0) / width;
    let grid = Grid::new([width as usize, ((y1 - y0) / spacing) as usize], [spacing; 2], [x0, y0])?;
    let bed = terrain.sample(&grid)?;

    let [columns, rows] = grid.cells();
    let heights = bed.to_dense();
    let low = heights.iter().copied().fold(f64::INFINITY, f64::min);
    let high = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut pixels = Vec::new();
    for row in (0..rows as isize).rev() {
        for column in 0..columns as isize {
            let slope =
                |ahead: [isize; 2], behind: [isize; 2]| (bed.at(ahead) - bed.at(behind)) / (2.0 * spacing);
            let east = slope([column + 1, row], [column - 1, row]);
            let north = slope([column, row + 1], [column, row - 1]);
            pixels.extend(shade(bed.at([column, row]), [low, high], [east, north]));
        }
    }
    let mut encoder = png::Encoder::new(File::create(out)?, columns as u32, rows as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header()?.write_image_data(&pixels)?;
    Ok(())
}

/// Light from the north-west, brighter when higher.
fn shade(height: f64, [low, high]: [f64; 2], [east, north]: [f64; 2]) -> [u8; 3] {
    let length = (east * east + north * north + 1.0).sqrt();
    let light = ((0.5 * east - 0.5 * north + 0.7) / length).max(0.05);
    let share = (height - low) / (high - low).max(1e-9);
    let tint = if height < 0.0 { [0.45, 0.6, 0.85] } else { [0.85, 0.8 + 0.05 * share, 0.65 + 0.2 * share] };
    tint.map(|tint| (255.0 * (tint * light * (0.7 + 0.4 * share)).clamp(0.0, 1.0)) as u8)
}
