//! What must not change: the volume, and symmetry.

use glam::DVec2;
use undine_checks::{Checks, Target, Worst, measured};
use undine_grid::{Condition, Field, Grid, Location};
use undine_sim::{Simulation, Step, World};

use crate::checks::build;
use crate::heightfield::HeightFieldSetup;
use crate::shallow_water::{Settings, ShallowWater};

const SLOSHING: &str = include_str!("../../../../../validation/shallow-water/mass/case.toml");
const RIVER: &str = include_str!("../../../../../validation/shallow-water/mass/river.toml");

const TIDE: &str = include_str!("../../../../../validation/shallow-water/mass-long/tide.toml");

/// Depth below which a cell counts as dry when the moves of the shore are counted, in metres.
const SHORE: f32 = 1e-3;

/// A flood in a closed valley that wets and dries, and a river that runs through, for ten thousand steps.
pub fn mass(checks: &mut Checks) -> anyhow::Result<()> {
    for (name, text) in [("closed valley", SLOSHING), ("river", RIVER)] {
        let run = VolumeRun::of(text, 10_000)?;
        run.check(checks, name, "10⁴", Target::exact(1e-14, "continuity"));
    }
    Ok(())
}

/// The same and a tide over a rough shore, for a hundred thousand steps.
pub fn mass_long(checks: &mut Checks) -> anyhow::Result<()> {
    let bound = Target::exact(1e-13, "continuity");
    for (name, text) in [("closed valley", SLOSHING), ("river", RIVER)] {
        VolumeRun::of(text, 100_000)?.check(checks, name, "10⁵", bound);
    }
    let tide = VolumeRun::of(TIDE, 100_000)?;
    tide.check(checks, "tide", "10⁵", bound);
    let target = Target::ours(0.05, "cells become wet and dry until the end");
    checks.at_most("tide: frames in which no cell becomes wet or dry, fraction", tide.idle, target);
    Ok(())
}

/// What a run does to the volume.
struct VolumeRun {
    /// |held − initial − in + out|, relative.
    error: f64,
    /// The greatest depth below zero in any frame.
    below: Worst,
    /// Fraction of the frames in which no cell became wet or dry.
    idle: f64,
}

impl VolumeRun {
    /// Runs a scene for a number of steps.
    fn of(text: &str, count: u64) -> anyhow::Result<VolumeRun> {
        let mut runner = build(text, &[])?;
        let (mut steps, mut below) = (0, Worst::default());
        let (mut frames, mut idle, mut before) = (0.0, 0.0, Vec::new());
        while steps < count {
            steps += runner.next_frame()?.steps;
            let view = runner.waters()[0].simulation.view();
            let depth = view.fields.iter().find(|field| field.name == "depth");
            let depth = depth.map(|field| field.samples.values()).unwrap_or_default();
            for &depth in &depth {
                below.add(measured(f64::from(if depth >= 0.0 { 0.0 } else { -depth })));
            }
            let is_wet: Vec<bool> = depth.iter().map(|&depth| depth > SHORE).collect();
            frames += 1.0;
            idle += if is_wet == before { 1.0 } else { 0.0 };
            before = is_wet;
        }
        let error = measured(runner.waters()[0].simulation.volume().relative_error().abs());
        Ok(VolumeRun { error, below, idle: measured(idle / frames) })
    }

    fn check(&self, checks: &mut Checks, name: &str, steps: &str, volume: Target) {
        checks.at_most(format!("{name}: volume after {steps} steps, relative"), self.error, volume);
        checks.at_most(
            format!("{name}: depth below zero, m"),
            self.below.value(),
            Target::exact(0.0, "a depth is not negative"),
        );
    }
}

/// A round lump falls into a round, partly dry bowl with a square rim: mirrored and transposed cells must stay equal.
pub fn symmetry(checks: &mut Checks) -> anyhow::Result<()> {
    const CELLS: usize = 80;
    let grid = Grid::new([CELLS; 2], [0.1; 2], [-4.0; 2])?;
    let blank = Field::new(grid, Location::Center, Condition::Open, 3)?;
    let (mut bed, mut depth) = (blank.clone(), blank.clone());
    // Set by distances in whole half cells, which are the same to the bit in all mirrors
    for row in 0..CELLS {
        for column in 0..CELLS {
            let half = |index: usize| 0.05 * (2 * index as isize + 1 - CELLS as isize).abs() as f64;
            let away = DVec2::new(half(column), half(row));
            let squared = away.x * away.x + away.y * away.y;
            bed[[column, row]] = 0.1 * squared + 0.2 * ((3.0 * away.x).cos() * (3.0 * away.y).cos());
            depth[[column, row]] = if squared < 1.0 { 1.5 } else { (0.4 - bed[[column, row]]).max(0.0) };
        }
    }
    let velocity = [blank.clone(), blank];
    let land = HeightFieldSetup { grid, bed, depth, velocity, still_level: 0.0, warnings: Vec::new() };
    let mut water = ShallowWater::new(land, Settings { manning: 0.02, ..Settings::default() })?;
    let mut time = 0.0;
    for _ in 0..2000 {
        let dt = water.max_dt();
        let mut world = World { time, gravity: 9.81, seed: 0, driver: None };
        time += match water.step(dt, &mut world)? {
            Step::Done(_) => dt,
            Step::Retry { .. } => anyhow::bail!("the step was too long"),
        };
    }
    let (mut mirrored, mut transposed, mut flow) = (Worst::default(), Worst::default(), Worst::default());
    for (column, row) in (0..CELLS).flat_map(|row| (0..CELLS).map(move |column| (column, row))) {
        let (here, there) = ([column, row], [CELLS - 1 - column, row]);
        mirrored.compare(water.depth_in(here), water.depth_in(there));
        transposed.compare(water.depth_in(here), water.depth_in([row, column]));
        let (one, other) = (water.discharge_in(here), water.discharge_in([row, column]));
        flow.compare(one[0], other[1]);
        flow.compare(one[0], -water.discharge_in(there)[0]);
    }
    const SOURCE: &str = "the equations know no direction";
    checks.at_most("depths mirrored, m", mirrored.value(), Target::exact(1e-12, SOURCE));
    checks.at_most("depths transposed, m", transposed.value(), Target::exact(1e-12, SOURCE));
    checks.at_most("momenta mirrored and transposed, m²/s", flow.value(), Target::exact(1e-12, SOURCE));
    Ok(())
}
