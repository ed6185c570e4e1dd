//! Views of the model: surface, drops and named fields.

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
    let field = FieldView::new;
    View {
        surfaces: vec![SurfaceView::Height(surface)],
        clouds: water.sources.particles().into_iter().chain(water.drops.view(radius)).collect(),
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

/// The regions of the thesis' manager, which a curve may have.
fn regions(water: &Pipes) -> Box<dyn Lattice + '_> {
    if water.curve.is_none() {
        let never = water.columns.tiling.stamps(&water.changes.bed);
        return SampleField::in_tiles(water.grid, never, 1, |_, out| {
            out[0] = f32::from(water.region_code(0))
        });
    }
    SampleField::per_cell(water.grid, |[column, _]| f32::from(water.region_code(column)))
}

fn wetness(water: &Pipes) -> Box<dyn Lattice + '_> {
    let stamps = water.columns.tiling.stamps(&water.changes.wetness);
    SampleField::in_tiles(water.grid, stamps, 1, |cell, out| {
        let index = water.columns.tiling.index(cell);
        out[0] = water.columns.wetness(index, water.settings.drying, water.time);
    })
}
