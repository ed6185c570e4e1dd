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

/// Ten thousand steps: a flood in a closed valley that wets and dries, and a river that runs through.
pub fn mass(checks: &mut Checks) -> anyhow::Result<()> {
    for (name, text) in [("closed valley", SLOSHING), ("river", RIVER)] {
        let mut runner = build(text, &[])?;
        let (mut steps, mut below) = (0, Worst::default());
        while steps < 10_000 {
            steps += runner.next_frame()?.steps;
            let view = runner.waters()[0].simulation.view();
            let depth =
                view.fields.iter().find(|field| field.name == "depth").map(|field| field.samples.values());
            for depth in depth.unwrap_or_default() {
                below.add(measured(f64::from(if depth >= 0.0 { 0.0 } else { -depth })));
            }
        }
        let error = measured(runner.waters()[0].simulation.volume().relative_error().abs());
        checks.at_most(
            format!("{name}: volume after 10⁴ steps, relative"),
            error,
            Target::exact(1e-14, "continuity"),
        );
        checks.at_most(
            format!("{name}: depth below zero, m"),
            below.value(),
            Target::exact(0.0, "a depth is not negative"),
        );
    }
    Ok(())
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
