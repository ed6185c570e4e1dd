//! Speed of surfacing a liquid, compared with splashsurf.
//!
//! The liquid fills a box of 128 × 64 × 64 cells with waves, full of particles and with a narrow band of them.

use undine_checks::{Bench, Figures, best_of};
use undine_frame::{Cloud, Liquid, Raster};

use crate::{Surfacing, liquid_mesh};

/// Benchmarks of surfacing.
pub static BENCHES: &[Bench] = &[Bench { name: "surface/liquid", run: mesh }];

const CELLS: [u32; 3] = [128, 64, 64];
const CELL: f32 = 1.0 / 64.0;
/// Particles per second of splashsurf 0.14 on two threads: a sheet of a million, cubes as wide as a radius, 2.6 s.
const PEER: f64 = 1e6 / 2.6;

/// Particles per second for several resolutions of the mesh.
pub fn mesh(figures: &mut Figures) -> anyhow::Result<()> {
    for (name, band) in [("full", f32::INFINITY), ("narrow band", 4.0 * CELL)] {
        let (cloud, distance) = tank(band);
        let liquid = Liquid { cloud: &cloud, distance: &distance, solids: None };
        for cells in [1.0, 2.0] {
            let surfacing = Surfacing { cells, ..Surfacing::default() };
            let seconds = best_of(5, || drop(std::hint::black_box(liquid_mesh(&liquid, &surfacing))));
            let rate = cloud.positions.len() as f64 / seconds;
            let metric = format!("{name}, {cells} per cell");
            figures.rate(metric, rate / 1e6, "M particles/s", PEER / 1e6, "M/s of splashsurf 0.14");
        }
    }
    Ok(())
}

/// Distance from the surface, negative below it.
fn height([x, y, z]: [f32; 3]) -> f32 {
    let waves = 0.04 * (9.0 * x + 3.0 * (5.0 * y).sin()).sin() + 0.02 * (23.0 * y + 4.0 * x).sin();
    0.7 * (z - 0.33 - 0.25 * (2.2 * x).cos() - waves)
}

/// Eight jittered particles per cell, and the distance at cell centres.
fn tank(band: f32) -> (Cloud, Raster) {
    let coordinates = |index: u32, [columns, rows]: [u32; 2]| {
        [index % columns, index / columns % rows, index / columns / rows].map(|x| x as f32)
    };
    let scattered = |index: u32| {
        let at = coordinates(index, [2 * CELLS[0], 2 * CELLS[1]]);
        let noise = [0.7548776, 0.569_840_3, 0.3247179].map(|step: f32| (index as f32 * step).fract());
        std::array::from_fn(|axis| 0.5 * CELL * (at[axis] + noise[axis]))
    };
    let count: u32 = CELLS.iter().product();
    let is_held = |at: &[f32; 3]| (-band..0.0).contains(&height(*at));
    let positions: Vec<[f32; 3]> = (0..8 * count).map(scattered).filter(is_held).collect();
    let cloud = Cloud { velocities: positions.clone(), positions, radius: 0.5 * CELL, ..Cloud::default() };
    let centre = |index: u32| coordinates(index, [CELLS[0], CELLS[1]]).map(|x| CELL * (x + 0.5));
    let distance = Raster {
        size: CELLS,
        components: 1,
        origin: [0.5 * f64::from(CELL); 3],
        spacing: [f64::from(CELL); 3],
        values: (0..count).map(|index| height(centre(index)).clamp(-4.0 * CELL, 4.0 * CELL)).collect(),
        ..Raster::default()
    };
    (cloud, distance)
}
