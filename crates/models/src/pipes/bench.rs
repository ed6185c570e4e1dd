//! Speed of steps of the pipes relative to the memory bandwidth, to finite volumes, and asleep relative to awake.

use std::time::Instant;

use super::thesis::bench::UPDATES;
use undine_checks::{Bench, Figures};
use undine_grid::bench::copy_bandwidth;
use undine_sim::Simulation;

use super::validation::great_terrain::{self, wet_and_awake};
use super::validation::{build, step as take_step};
use super::water::Pipes;
use crate::checks::{FLOODED, ISLANDS, height_field_rate};

/// The benchmarks of this model.
pub static BENCHES: &[Bench] = &[
    Bench { name: "pipes/step", run: step },
    Bench { name: "pipes/great-terrain", run: great_terrain },
    UPDATES,
];

/// Bytes that a step must move for a column with four neighbours: it reads bed, volume, two flows and two transfers, and
/// writes all but the bed. The two passes of this one move 14 numbers instead of 11: transfers and volumes are read twice.
const BYTES: f64 = 11.0 * 4.0;

/// The share of the speed of finite volumes that is asked of this model.
const TIMES_FINITE_VOLUMES: f64 = 4.0;

/// Columns per second with all of them awake, for several resolutions, on all threads and on one.
pub fn step(figures: &mut Figures) -> anyhow::Result<()> {
    let limit = copy_bandwidth() / BYTES / 1e6;
    let mut row = |metric: String, rate: f64| {
        figures.rate(metric, rate, "M cells/s", limit, "M/s by the memory's bandwidth");
    };
    for resolution in [256, 512, 1024, 2048] {
        row(format!("step of {resolution}², flooded"), rate(resolution, FLOODED)?);
    }
    row("step of 1024², islands".into(), rate(1024, ISLANDS)?);
    row("step of 1024², eight neighbours".into(), rate(1024, &format!("{FLOODED}\nneighbours = 'eight'"))?);
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    row("step of 1024², flooded, one thread".into(), alone.install(|| rate(1024, FLOODED))?);
    // In the same run, for the ratio
    let (own, other) = (rate(1024, FLOODED)?, height_field_rate("shallow-water", 1024, FLOODED, 8)?);
    let wanted = TIMES_FINITE_VOLUMES * other;
    figures.rate("step of 1024², flooded", own, "M cells/s", wanted, "M/s, four times shallow-water");
    Ok(())
}

fn rate(resolution: usize, keys: &str) -> anyhow::Result<f64> {
    let frames = ((1 << 25) / (resolution * resolution)).clamp(8, 100);
    height_field_rate("pipes", resolution, &format!("{keys}\nmanager = 'none'"), frames)
}

/// By how much a step is to be cheaper with the river asleep than with all wet tiles awake.
const TIMES_ASLEEP: f64 = 20.0;

/// Steps of great terrain with a hundred lakes and a river: as it sleeps, while its spring pulses, and with all wet tiles
/// awake.
fn great_terrain(figures: &mut Figures) -> anyhow::Result<()> {
    let mut water = build(&great_terrain::scene(1.0, 10))?;
    while water.time < great_terrain::REST {
        take_step(&mut water, 1.0)?;
    }
    let asleep = milliseconds(&mut water, 400)?;
    let parts = wet_and_awake(&water);
    while water.time < great_terrain::REST + 500.0 {
        take_step(&mut water, 1.0)?;
    }
    let pulsing = milliseconds(&mut water, 400)?;
    let parts = [parts, wet_and_awake(&water)];
    // They are awake for at least a window
    let tiles = water.columns.tiling.count();
    water.managed(|water, manager| {
        let wet: Vec<usize> = (0..tiles).filter(|&tile| water.sums(tile).total > 0).collect();
        wet.into_iter().for_each(|tile| manager.wake(water, tile));
    });
    let awake = milliseconds(&mut water, 24)?;
    for (state, time, [wet, some]) in [("asleep", asleep, parts[0]), ("pulsing", pulsing, parts[1])] {
        figures.rate(format!("awake tiles, river {state}"), some as f64, "tiles", wet as f64, "wet tiles");
        figures.rate(
            format!("step of 4096², river {state}"),
            time,
            "ms",
            awake,
            "ms with all wet tiles awake",
        );
    }
    figures.rate("times cheaper, river asleep", awake / asleep, "times", TIMES_ASLEEP, "times asked");
    Ok(())
}

/// The mean time of a step in ms.
fn milliseconds(water: &mut Pipes, steps: u32) -> anyhow::Result<f64> {
    let start = Instant::now();
    for _ in 0..steps {
        let dt = water.max_dt().min(0.25);
        take_step(water, dt)?;
    }
    Ok(start.elapsed().as_secs_f64() * 1e3 / f64::from(steps))
}
