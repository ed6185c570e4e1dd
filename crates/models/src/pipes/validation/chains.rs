//! Limited volumes of water on chains of basins, against fill–spill–merge.

use anyhow::Context;
use undine_checks::{Checks, ExpectedTable, Target, Worst, measured};
use undine_scene::{LoadOptions, Scene};
use undine_sim::WATER_KEYS;

use super::super::ENTRY;
use super::super::water::{self, Pipes};
use super::depressions::{Depressions, Lake};
use super::run_until;

const CHAINS: &str = include_str!("../../../../../validation/pipes/fill-spill-merge/case.toml");
const EXPECTED: &str = include_str!("../../../../../validation/pipes/fill-spill-merge/expected.csv");

/// What is poured: where, and how many m³.
const POURED: [([f64; 2], f64); 6] = [
    ([-9.75, 4.0], 36.0),
    ([-9.75, 0.0], 57.6),
    ([9.75, 0.0], 15.0),
    ([-3.25, -4.0], 30.0),
    ([3.25, -4.0], 20.0),
    ([-9.75, -4.0], 10.0),
];

/// Area of a basin in m².
const AREA: f64 = 18.0;
/// Width of an outlet in metres.
const OUTLET: f64 = 1.0;
/// The calm band in units for which the bound was set; that of the manager is twice as wide now.
const BAND: f64 = 64.0;

/// Levels of the lakes with and without the manager.
pub fn levels(checks: &mut Checks) -> anyhow::Result<()> {
    for manager in ["exact", "none"] {
        let mut water = build(manager)?;
        let bed = bed(&water);
        let oracle = oracle(&water, &bed);
        if manager == "exact" {
            compare_with_hand(checks, &water, &oracle)?;
        }
        run_until(&mut water, 2700.0, 0.1)?;
        compare(checks, manager, &water, &oracle.lakes());
    }
    Ok(())
}

fn build(manager: &str) -> anyhow::Result<Pipes> {
    let overrides = vec![format!("water.0.manager='{manager}'")];
    let scene = Scene::parse("case", CHAINS, &LoadOptions { overrides, ..LoadOptions::default() })?;
    let values = scene.sections("water")[0].read(&[WATER_KEYS, ENTRY.keys])?;
    Ok(water::read(&scene, &values)?.0)
}

/// The bed in units, row by row.
fn bed(water: &Pipes) -> Vec<i64> {
    let index = |cell: usize| water.columns.tiling.index(cell_at(water, cell));
    let count = water.columns.tiling.cells().into_iter().product();
    (0..count).map(|cell| i64::from(water.columns.bed[index(cell)])).collect()
}

fn cell_at(water: &Pipes, cell: usize) -> [usize; 2] {
    let columns = water.columns.tiling.cells()[0];
    [cell % columns, cell / columns]
}

/// The cell that has a point of the terrain.
fn cell_under(water: &Pipes, at: [f64; 2]) -> usize {
    let [x, y] = water.grid.cell_at(at).map(|index| index as usize);
    y * water.columns.tiling.cells()[0] + x
}

/// The oracle, with everything poured.
fn oracle<'b>(water: &Pipes, bed: &'b [i64]) -> Depressions<'b> {
    let tiling = water.columns.tiling;
    let columns = tiling.cells()[0];
    let neighbours = |cell: usize| {
        let offsets = water.sets.iter().flat_map(|set| [set.direction.offset, set.direction.opposite()]);
        let beside = offsets.filter_map(|offset| tiling.beside(cell_at(water, cell), offset));
        beside.map(|[x, y]| y * columns + x).collect()
    };
    let is_open = |cell: usize| cell % columns + 1 == columns;
    let mut oracle = Depressions::new(bed, neighbours, is_open);
    for (at, volume) in POURED {
        oracle.pour(cell_under(water, at), (volume / water.unit_volume()).round() as i64);
    }
    oracle
}

/// The oracle against levels by hand.
fn compare_with_hand(checks: &mut Checks, water: &Pipes, oracle: &Depressions<'_>) -> anyhow::Result<()> {
    let lakes = oracle.lakes();
    let mut error = Worst::default();
    for [x, y, level, full, pits] in
        ExpectedTable::parse(EXPECTED)?.select(["x", "y", "level", "full", "pits"])?
    {
        let cell = cell_under(water, [x, y]);
        let lake = lakes.iter().find(|lake| lake.cells.contains(&cell)).context("a lake is missing")?;
        anyhow::ensure!(
            f64::from(lake.is_full) == full && lake.pits as f64 == pits,
            "another lake at {x}, {y}"
        );
        error.compare(metres(water, lake.level), level);
    }
    let target = Target::exact(1e-6, "volume over area, to the nearest unit");
    checks.at_most("oracle against levels by hand, metres", measured(error.value()), target);
    Ok(())
}

fn metres(water: &Pipes, level: f64) -> f64 {
    water.units.metres(0) + level * water.units.unit()
}

/// The lakes of the water against those of the oracle.
fn compare(checks: &mut Checks, manager: &str, water: &Pipes, lakes: &[Lake]) {
    let (mut error, mut beside) = (Worst::default(), Worst::default());
    let count = water.columns.tiling.cells().into_iter().product();
    let mut is_lake = vec![false; count];
    for lake in lakes {
        for &cell in &lake.cells {
            is_lake[cell] = true;
            let level = water.level_in(cell_at(water, cell));
            error.compare(level, metres(water, lake.level));
        }
    }
    for cell in (0..count).filter(|&cell| !is_lake[cell]) {
        beside.compare(water.depth_in(cell_at(water, cell)), 0.0);
    }
    let target = Target::ours(
        calm_head(water).min(1e-3),
        "the head whose weir flow is the calm band, and a millimetre",
    );
    checks.at_most(format!("greatest error of a level in metres, {manager}"), error.value(), target);
    let target = Target::ours(1e-3, "asked of this model: a millimetre");
    checks.at_most(format!("greatest depth beside the lakes in metres, {manager}"), beside.value(), target);
    let lost = (water.held() - water.ledger.expected()) as f64;
    checks.at_most(
        format!("units lost, {manager}"),
        measured(lost.abs()),
        Target::exact(0.0, "volume is exact"),
    );
}

/// The head of a weir that fills the calm band over a basin within the longest window, 5/k.
fn calm_head(water: &Pipes) -> f64 {
    let band = BAND * water.units.unit();
    (water.settings.friction * AREA * band / (5.0 * 1.705 * OUTLET)).powf(2.0 / 3.0)
}
