//! The potential of metaballs in the plane, as a raster.

use undine_frame::{Cloud, Domain, Quantity, Raster};
use undine_grid::par;

use super::Metaballs;
use super::balls::{Falloff, MassParticle, particles};

/// Rows per parallel task.
const BAND: usize = 16;
/// Most samples along an axis.
const MAX_SAMPLES: f64 = 4096.0;

/// A ball in the plane, in metres from the corner of the raster.
struct MetaballDisc {
    at: [f64; 2],
    reach: f64,
    falloff: Falloff,
}

/// Σ m/d² of the particles in 1/m², in the plane and over the extent of the samples of a field.
pub fn metaball_raster(name: String, cloud: &Cloud, over: &Domain, metaballs: &Metaballs) -> Raster {
    let Domain { size, origin, spacing: step } = *over;
    let corner = [0, 1].map(|axis| origin[axis] - 0.5 * step[axis]);
    let extent = [0, 1].map(|axis| f64::from(size[axis]) * step[axis]);
    let samples = extent.map(|extent| (extent / metaballs.cell).ceil().clamp(1.0, MAX_SAMPLES));
    let spacing = [0, 1].map(|axis| extent[axis] / samples[axis]);
    let discs: Vec<MetaballDisc> =
        particles(cloud).map(|particle| disc(&particle, corner, metaballs)).collect();
    let [columns, rows] = samples.map(|samples| samples as usize);
    Raster {
        name,
        unit: String::from("1/m²"),
        water: cloud.water,
        quantity: Quantity::default(),
        size: [columns as u32, rows as u32, 1],
        components: 1,
        origin: [corner[0] + 0.5 * spacing[0], corner[1] + 0.5 * spacing[1], origin[2]],
        spacing: [spacing[0], spacing[1], 1.0],
        values: fill(columns, rows, spacing, &discs).into(),
    }
}

fn disc(particle: &MassParticle, corner: [f64; 2], metaballs: &Metaballs) -> MetaballDisc {
    let reach = metaballs.cutoff * particle.mass.sqrt();
    MetaballDisc {
        at: [0, 1].map(|axis| particle.position[axis] - corner[axis]),
        reach,
        falloff: Falloff {
            strength: particle.mass as f32,
            reach_squared: ((reach * reach) as f32).max(1e-30),
        },
    }
}

fn fill(columns: usize, rows: usize, spacing: [f64; 2], discs: &[MetaballDisc]) -> Vec<f32> {
    let mut values = vec![0.0; columns * rows];
    let bands = bands(rows, spacing[1], discs);
    par::for_each_chunk(&mut values, BAND * columns, |first, band| {
        let row = first / columns;
        for (y, line) in (row..).zip(band.chunks_mut(columns)) {
            let y = (y as f64 + 0.5) * spacing[1];
            bands[row / BAND]
                .iter()
                .for_each(|&disc| add_to_line(line, spacing[0], y, &discs[disc as usize]));
        }
    });
    values
}

/// The indices of the discs within reach of each band, in rising order.
fn bands(rows: usize, spacing: f64, discs: &[MetaballDisc]) -> Vec<Vec<u32>> {
    let mut bands = vec![Vec::new(); rows.div_ceil(BAND)];
    let last = bands.len().saturating_sub(1);
    let band = |y: f64| (y / (spacing * BAND as f64)).clamp(0.0, last as f64) as usize;
    for (number, disc) in (0u32..).zip(discs) {
        let (low, high) = (disc.at[1] - disc.reach, disc.at[1] + disc.reach);
        bands[band(low)..=band(high)].iter_mut().for_each(|band| band.push(number));
    }
    bands
}

fn add_to_line(line: &mut [f32], spacing: f64, y: f64, disc: &MetaballDisc) {
    let dy = y - disc.at[1];
    let left = disc.reach * disc.reach - dy * dy;
    if left <= 0.0 {
        return;
    }
    let samples = line.len() as f64;
    let sample = |x: f64| (x / spacing - 0.5).clamp(0.0, samples);
    let (start, end) = (sample(disc.at[0] - left.sqrt()).ceil(), sample(disc.at[0] + left.sqrt()).ceil());
    for (x, value) in (start as usize..).zip(&mut line[start as usize..end as usize]) {
        let dx = (x as f64 + 0.5) * spacing - disc.at[0];
        *value += disc.falloff.at((dx * dx + dy * dy) as f32).0;
    }
}
