//! The speed of long waves along an axis and along the diagonal.

use std::f64::consts::PI;

use undine_checks::{Checks, Target, measured};

use super::super::water::Pipes;
use super::{build, step};

const G: f64 = 9.81;
/// Depth in metres; cells are one metre wide.
const DEPTH: f64 = 1.0;
/// Height of the wave in metres.
const AMPLITUDE: f64 = 1e-3;

/// A standing wave with half waves along x and y in a closed basin.
struct StandingWave {
    cells: [usize; 2],
    half_waves: [f64; 2],
}

impl StandingWave {
    fn shape(&self, cell: [usize; 2]) -> f64 {
        let part = |axis: usize| {
            let phase = PI * self.half_waves[axis] * (cell[axis] as f64 + 0.5) / self.cells[axis] as f64;
            phase.cos()
        };
        part(0) * part(1)
    }

    fn each_cell(&self) -> impl Iterator<Item = [usize; 2]> + use<> {
        let [columns, rows] = self.cells;
        (0..rows).flat_map(move |y| (0..columns).map(move |x| [x, y]))
    }

    fn amplitude(&self, water: &Pipes) -> f64 {
        let (mut product, mut square) = (0.0, 0.0);
        for cell in self.each_cell() {
            product += (water.depth_in(cell) - DEPTH) * self.shape(cell);
            square += self.shape(cell).powi(2);
        }
        product / square
    }

    /// Speed of the wave divided by √(g d), from the time between zeros of its amplitude, half a period apart.
    fn relative_speed(&self, neighbours: &str) -> anyhow::Result<f64> {
        let [columns, rows] = self.cells;
        let mut water = build(&format!(
            "size = [{columns}, {rows}]\nresolution = {columns}\nlevel = {DEPTH}\nfriction = 0\nmanager = \"none\"\n\
             neighbours = \"{neighbours}\"\n[[terrain]]\nkind = \"plane\"\n"
        ))?;
        for cell in self.each_cell() {
            let index = water.columns.tiling.index(cell);
            let change = (AMPLITUDE * self.shape(cell) / water.units.unit()).round() as i32;
            water.columns.add(index, change, 0, &mut water.sums);
        }
        let (mut zeros, mut before) = (Vec::new(), self.amplitude(&water));
        while zeros.len() < 5 {
            let dt = step(&mut water, f64::INFINITY)?;
            let now = self.amplitude(&water);
            if now.signum() != before.signum() {
                zeros.push(water.time - dt * now / (now - before));
            }
            before = now;
        }
        let period = 2.0 * (zeros[4] - zeros[0]) / 4.0;
        let wavenumber = (0..2).map(|axis| (PI * self.half_waves[axis] / self.cells[axis] as f64).powi(2));
        let wavenumber = wavenumber.sum::<f64>().sqrt();
        Ok(measured(2.0 * PI / (wavenumber * period)) / (G * DEPTH).sqrt())
    }
}

/// Long waves of 32 cells run at √(g d).
pub fn speed(checks: &mut Checks) -> anyhow::Result<()> {
    // 3 half waves on 68 cells along both axes: 32.06 cells along the diagonal
    let along_axis = StandingWave { cells: [48, 48], half_waves: [3.0, 0.0] };
    let along_diagonal = StandingWave { cells: [68, 68], half_waves: [3.0, 3.0] };
    for neighbours in ["four", "eight"] {
        for (wave, way) in [(&along_axis, "axis"), (&along_diagonal, "diagonal")] {
            let error = (wave.relative_speed(neighbours)? - 1.0).abs();
            let target = Target::ours(0.01, "asked of this model: 1 % with 32 cells a wavelength");
            checks.at_most(format!("error of the speed, {neighbours} neighbours, {way}"), error, target);
        }
    }
    Ok(())
}
