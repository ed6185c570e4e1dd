//! Views of the model: surface, drops, waterfalls and named fields.

use undine_frame::Quantity;
use undine_sim::{FieldView, HeightView, Lattice, SampleField, SurfaceView, View};

use super::water::{FILM, Pipes};

/// Surface, drops in the air and named fields; fields are evaluated on demand.
pub(super) fn view(water: &Pipes) -> View<'_> {
    let surface = HeightView {
        level: level(water),
        bed: Some(bed(water)),
        velocity: Some(velocities(water)),
        wetness: Some(wetness(water)),
        dry_depth: FILM as f32,
    };
    // A sphere of the volume of a drop
    let radius = (0.75 * water.settings.drops.volume / std::f64::consts::PI).cbrt();
    let (field, rain) = (FieldView::new, water.sources.particles());
    View {
        surfaces: vec![SurfaceView::Height(surface)],
        clouds: rain.into_iter().chain(water.drops.view(radius)).chain(water.falls_cloud(radius)).collect(),
        bodies: Vec::new(),
        fields: vec![
            field("height", "m", Quantity::Height, level(water)),
            field("depth", "m", Quantity::Depth, flowing(water, |cell| water.depth_in(cell))),
            field("bed", "m", Quantity::Bed, bed(water)),
            field("velocity", "m/s", Quantity::Velocity, velocities(water)),
            field("speed", "m/s", Quantity::Speed, flowing(water, |cell| water.velocity_in(cell).length())),
            field("wetness", "", Quantity::Wetness, wetness(water)),
            field("regions", "", Quantity::Region, regions(water)),
        ],
    }
}

/// What changes with volumes and flows.
fn flowing<'a>(water: &'a Pipes, value: impl Fn([usize; 2]) -> f64 + Sync + 'a) -> Box<dyn Lattice + 'a> {
    let stamps = water.columns.tiling.stamps(&water.changes.water);
    SampleField::in_tiles(water.grid, stamps, 1, move |cell, out| out[0] = value(cell) as f32)
}

fn level(water: &Pipes) -> Box<dyn Lattice + '_> {
    flowing(water, |cell| water.level_in(cell))
}

fn velocities(water: &Pipes) -> Box<dyn Lattice + '_> {
    let stamps = water.columns.tiling.stamps(&water.changes.water);
    SampleField::in_tiles(water.grid, stamps, 2, |cell, out| {
        out.copy_from_slice(&water.velocity_in(cell).as_vec2().to_array());
    })
}

fn bed(water: &Pipes) -> Box<dyn Lattice + '_> {
    let stamps = water.columns.tiling.stamps(&water.changes.bed);
    SampleField::in_tiles(water.grid, stamps, 1, |cell, out| out[0] = water.bed_in(cell) as f32)
}

/// The kind of region of each column.
fn regions(water: &Pipes) -> Box<dyn Lattice + '_> {
    SampleField::per_cell(water.grid, |cell| f32::from(water.region_state(cell).code()))
}

fn wetness(water: &Pipes) -> Box<dyn Lattice + '_> {
    let stamps = water.columns.tiling.stamps(&water.changes.wetness);
    SampleField::in_tiles(water.grid, stamps, 1, |cell, out| {
        let index = water.columns.tiling.index(cell);
        out[0] = water.columns.wetness(index, water.settings.drying, water.time);
    })
}
