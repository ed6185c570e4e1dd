//! Measurements on a liquid that is the only water of its scene.

use anyhow::Context;
use glam::DVec3;
use undine_checks::Worst;
use undine_sim::{Budget, Disturbance, Runner};

/// Its budget.
pub fn budget(runner: &Runner) -> Budget {
    runner.waters()[0].simulation.budget()
}

/// Calls `work` with the position and the velocity of every particle.
pub fn for_each_particle(runner: &Runner, mut work: impl FnMut(DVec3, DVec3)) -> anyhow::Result<()> {
    let view = runner.waters()[0].simulation.view();
    let particles = view.clouds.first().context("the liquid shows no particles")?;
    for (position, velocity) in particles.positions.iter().zip(particles.velocities) {
        work(DVec3::from_array(position.map(f64::from)), DVec3::from_array(velocity.map(f64::from)));
    }
    Ok(())
}

/// A named field with one value per cell of a 2-D liquid.
pub struct PlaneField {
    /// Cells along x and y.
    pub size: [usize; 2],
    /// Centre of the first cell.
    pub origin: [f64; 2],
    /// Edge of a cell in metres.
    pub cell: f64,
    /// The values, x fastest.
    pub values: Vec<f32>,
}

impl PlaneField {
    /// Reads a field.
    pub fn read(runner: &Runner, name: &str) -> anyhow::Result<PlaneField> {
        let view = runner.waters()[0].simulation.view();
        let found = view.fields.iter().find(|field| field.name == name);
        let samples = &found.with_context(|| format!("there is no field {name:?}"))?.samples;
        let ([columns, rows, _], [x, y, _]) = (samples.size(), samples.origin());
        let cell = samples.spacing()[0];
        Ok(PlaneField { size: [columns, rows], origin: [x, y], cell, values: samples.values() })
    }

    /// The values of a row of cells.
    pub fn row(&self, row: usize) -> &[f32] {
        &self.values[row * self.size[0]..][..self.size[0]]
    }
}

/// The greatest speed in the liquid in m/s, of its particles and on its grid.
pub fn max_speed(runner: &Runner) -> anyhow::Result<f64> {
    let mut max = Worst::default();
    PlaneField::read(runner, "speed")?
        .values
        .into_iter()
        .for_each(|speed| max.compare(f64::from(speed), 0.0));
    for_each_particle(runner, |_, velocity| max.compare(velocity.length(), 0.0))?;
    Ok(max.value())
}

/// Gives the particles in a ball the velocities of a flow: each takes that of a point less than `spacing` away.
pub fn set_flow(runner: &mut Runner, ball: (DVec3, f64), spacing: f64, flow: impl Fn(DVec3) -> DVec3) {
    let (centre, radius) = ball;
    let steps = (radius / spacing).ceil() as i32 + 1;
    let layers = if centre.z == 0.0 { 0..=0 } else { -steps..=steps };
    for z in layers {
        for (x, y) in (-steps..=steps).flat_map(|x| (-steps..=steps).map(move |y| (x, y))) {
            let at = centre + spacing * DVec3::new(f64::from(x), f64::from(y), f64::from(z));
            let velocity = flow(at - centre);
            // Overlapping balls around the points of a lattice; those outside the box are refused
            let _ = runner.disturb(&Disturbance::Push { at, radius: 0.9 * spacing, velocity });
        }
    }
}
