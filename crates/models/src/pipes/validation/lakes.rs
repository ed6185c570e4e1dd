//! Still water over any bed, and lakes that have overflowed.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use undine_checks::{Checks, Target, Worst, measured};
use undine_sim::Simulation;

use super::super::water::Pipes;
use super::{build, run_until};

/// A lake around islands stays exactly as it is, for both stencils, also with the sea beyond an open side.
pub fn at_rest(checks: &mut Checks) -> anyhow::Result<()> {
    for neighbours in ["four", "eight"] {
        let mut water = build(&format!(
            "size = [20, 20]\nresolution = 96\nlevel = 0.123456789\nfriction = 0\nmanager = \"none\"\neast = \"open\"\n\
             neighbours = \"{neighbours}\"\n[[terrain]]\nkind = \"noise\"\nwavelength = 5\namplitude = 1\nseed = 4\n"
        ))?;
        let before = water.columns.volume.clone();
        run_until(&mut water, 20.0, 0.1)?;
        let changes =
            water.columns.volume.iter().zip(&before).map(|(now, then)| f64::from((now - then).abs()));
        let exact = || Target::exact(0.0, "a lake at rest has no flow");
        checks.at_most(
            format!("units moved, {neighbours} neighbours"),
            measured(Worst::of(changes).value()),
            exact(),
        );
        let energy = measured(water.budget().kinetic_energy);
        checks.at_most(format!("kinetic energy, {neighbours} neighbours"), energy, exact());
    }
    Ok(())
}

/// After rain that fills every basin, lakes stand at the levels of their sills.
pub fn levels(checks: &mut Checks) -> anyhow::Result<()> {
    let open = ["west", "east", "south", "north"].map(|side| format!("{side} = \"open\"\n")).concat();
    let mut water = build(&format!(
        "size = [16, 16]\nresolution = 48\nfriction = 0.5\nmanager = \"none\"\n{open}\
         [[terrain]]\nkind = \"noise\"\nwavelength = 5\namplitude = 0.5\nseed = 8\n\
         [[source]]\nkind = \"rain\"\nrate = \"36000*pulse(t, 100)\"\n"
    ))?;
    run_until(&mut water, 6000.0, 0.1)?;
    let spills = spill_levels(&water);
    let unit = water.units.unit();
    let mut error = Worst::default();
    let mut lakes = 0;
    for (index, &spill) in spills.iter().enumerate() {
        // A centimetre under the sill, so that films on slopes do not count as lakes
        if spill > water.columns.bed[index].saturating_add(water.units.depth(0.01)) {
            error.compare(f64::from(water.columns.level(index)) * unit, f64::from(spill) * unit);
            lakes += 1;
        }
    }
    anyhow::ensure!(lakes > 100, "the terrain has only {lakes} columns of lakes");
    let target =
        Target::ours(1e-3, "asked of this model: spill levels of the priority flood within a millimetre");
    checks.at_most("greatest error of a lake's level in metres", error.value(), target);
    Ok(())
}

/// The priority flood [barnes2014]: the lowest level at which water from each column reaches a side, by the model's own
/// neighbours.
fn spill_levels(water: &Pipes) -> Vec<i32> {
    let tiling = water.columns.tiling;
    let [columns, rows] = tiling.cells();
    let mut spills = vec![i32::MIN; tiling.stored()];
    let mut open = BinaryHeap::new();
    for cell in (0..rows).flat_map(|y| (0..columns).map(move |x| [x, y])) {
        let is_edge = cell[0] == 0 || cell[1] == 0 || cell[0] + 1 == columns || cell[1] + 1 == rows;
        if is_edge {
            let index = tiling.index(cell);
            spills[index] = water.columns.bed[index];
            open.push(Reverse((spills[index], cell)));
        }
    }
    while let Some(Reverse((level, cell))) = open.pop() {
        for set in &water.sets {
            for offset in [set.direction.offset, set.direction.opposite()] {
                let Some(beside) = tiling.beside(cell, offset) else { continue };
                let index = tiling.index(beside);
                if spills[index] == i32::MIN {
                    spills[index] = level.max(water.columns.bed[index]);
                    open.push(Reverse((spills[index], beside)));
                }
            }
        }
    }
    spills
}
