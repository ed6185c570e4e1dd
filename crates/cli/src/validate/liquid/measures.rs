//! What is measured on a liquid that is the only water of its scene.

use anyhow::Context;
use undine::glam::DVec3;
use undine::sim::Budget;
use undine::{Disturbance, Runner};

/// Its budget.
pub fn budget(runner: &Runner) -> Budget {
    runner.waters()[0].simulation.budget()
}

/// Calls `work` with the position and the velocity of every particle.
pub fn for_each_particle(runner: &Runner, mut work: impl FnMut(DVec3, DVec3)) -> anyhow::Result<()> {
    let view = runner.waters()[0].simulation.view();
    let particles = view.particles.context("the liquid shows no particles")?;
    for (position, velocity) in particles.positions.iter().zip(particles.velocities) {
        work(DVec3::from_array(position.map(f64::from)), DVec3::from_array(velocity.map(f64::from)));
    }
    Ok(())
}

/// A named field with one number per cell of a 2-D liquid.
pub struct Plane {
    /// Cells along x and y.
    pub size: [usize; 2],
    /// Middle of the first cell.
    pub origin: [f64; 2],
    /// Edge of a cell in metres.
    pub cell: f64,
    /// The numbers, x fastest.
    pub values: Vec<f32>,
}

impl Plane {
    /// Reads a field.
    pub fn read(runner: &Runner, name: &str) -> anyhow::Result<Plane> {
        let view = runner.waters()[0].simulation.view();
        let found = view.fields.iter().find(|field| field.name == name);
        let samples = &found.with_context(|| format!("there is no field {name:?}"))?.samples;
        let ([columns, rows, _], [x, y, _]) = (samples.size(), samples.origin());
        let cell = samples.spacing()[0];
        Ok(Plane { size: [columns, rows], origin: [x, y], cell, values: samples.values() })
    }

    /// The numbers of a row of cells.
    pub fn row(&self, row: usize) -> &[f32] {
        &self.values[row * self.size[0]..][..self.size[0]]
    }
}

/// The greatest speed in the liquid in m/s, of its particles and on its grid.
pub fn fastest(runner: &Runner) -> anyhow::Result<f64> {
    let mut most = Plane::read(runner, "speed")?.values.into_iter().map(f64::from).fold(0.0, f64::max);
    for_each_particle(runner, |_, velocity| most = most.max(velocity.length()))?;
    Ok(most)
}

/// Gives the particles in a ball the velocities of a flow: each takes that of a point less than `fineness` away.
pub fn set_flow(runner: &mut Runner, ball: (DVec3, f64), fineness: f64, flow: impl Fn(DVec3) -> DVec3) {
    let (middle, radius) = ball;
    let steps = (radius / fineness).ceil() as i32 + 1;
    let layers = if middle.z == 0.0 { 0..=0 } else { -steps..=steps };
    for z in layers {
        for (x, y) in (-steps..=steps).flat_map(|x| (-steps..=steps).map(move |y| (x, y))) {
            let at = middle + fineness * DVec3::new(f64::from(x), f64::from(y), f64::from(z));
            let velocity = flow(at - middle);
            // Balls around the points of a lattice that leave no gaps between them; those outside have no answer
            let _ = runner.disturb(&Disturbance::Push { at, radius: 0.9 * fineness, velocity });
        }
    }
}

/// Something that swings about zero, as it is measured over time.
#[derive(Default)]
pub struct Swing {
    last: Option<(f64, f64)>,
    crossings: Vec<f64>,
}

impl Swing {
    /// Takes a value at a time.
    pub fn note(&mut self, time: f64, value: f64) {
        if let Some((before, earlier)) = self.last
            && (earlier < 0.0) != (value < 0.0)
        {
            self.crossings.push(before + (time - before) * earlier / (earlier - value));
        }
        self.last = Some((time, value));
    }

    /// The period, from all crossings of zero by the method of least squares.
    pub fn period(&self) -> anyhow::Result<f64> {
        let count = self.crossings.len() as f64;
        anyhow::ensure!(count >= 4.0, "it does not swing");
        let middle = 0.5 * (count - 1.0);
        let (mut product, mut squares) = (0.0, 0.0);
        for (number, time) in self.crossings.iter().enumerate() {
            let off = number as f64 - middle;
            product += off * time;
            squares += off * off;
        }
        Ok(2.0 * product / squares)
    }
}

#[cfg(test)]
mod tests {
    use super::Swing;

    #[test]
    fn the_period_of_a_cosine_is_found() {
        let mut swing = Swing::default();
        assert!(swing.period().is_err());
        (0..400).map(|step| f64::from(step) * 0.01).for_each(|time| swing.note(time, (7.0 * time).cos()));
        assert!((swing.period().unwrap() * 7.0 / std::f64::consts::TAU - 1.0).abs() < 1e-3);
    }
}
