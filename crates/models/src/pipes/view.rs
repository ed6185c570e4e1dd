//! Views of the model: surface, drops, waterfalls and named fields.

use undine_frame::Quantity;
use undine_grid::Location;
use undine_sim::{FieldView, HeightView, Lattice, SampleField, SurfaceView, View};

use super::water::{FILM, Pipes};

/// Surface, drops in the air and named fields; fields are evaluated on demand.
pub(super) fn view(water: &Pipes) -> View<'_> {
    let surface = HeightView {
        level: level(water),
        bed: Some(bed(water)),
        velocity: Some([0, 1].map(|axis| lattice(water, move |cell| water.velocity_in(cell)[axis]))),
        wetness: Some(wetness(water)),
        dry_depth: FILM as f32,
    };
    let velocities = SampleField::boxed(water.grid, Location::Center, 2, |cell, out| {
        let velocity = water.velocity_in(cell.map(|index| index as usize));
        out.copy_from_slice(&velocity.as_vec2().to_array());
    });
    // A sphere of the volume of a drop
    let radius = (0.75 * water.settings.drops.volume / std::f64::consts::PI).cbrt();
    let (field, rain) = (FieldView::new, water.sources.particles());
    View {
        surfaces: vec![SurfaceView::Height(surface)],
        clouds: rain.into_iter().chain(water.drops.view(radius)).chain(water.falls_cloud(radius)).collect(),
        bodies: Vec::new(),
        fields: vec![
            field("height", "m", Quantity::Height, level(water)),
            field("depth", "m", Quantity::Depth, lattice(water, |cell| water.depth_in(cell))),
            field("bed", "m", Quantity::Bed, bed(water)),
            field("velocity", "m/s", Quantity::Velocity, velocities),
            field("speed", "m/s", Quantity::Speed, lattice(water, |cell| water.velocity_in(cell).length())),
            field("wetness", "", Quantity::Wetness, wetness(water)),
            field("regions", "", Quantity::Region, regions(water)),
        ],
    }
}

fn lattice<'a>(water: &'a Pipes, value: impl Fn([usize; 2]) -> f64 + Sync + 'a) -> Box<dyn Lattice + 'a> {
    SampleField::per_cell(water.grid, move |cell| value(cell) as f32)
}

fn level(water: &Pipes) -> Box<dyn Lattice + '_> {
    lattice(water, |cell| water.level_in(cell))
}

fn bed(water: &Pipes) -> Box<dyn Lattice + '_> {
    lattice(water, |cell| water.bed_in(cell))
}

fn regions(water: &Pipes) -> Box<dyn Lattice + '_> {
    SampleField::per_cell(water.grid, |cell| f32::from(water.region_state(cell).code()))
}

fn wetness(water: &Pipes) -> Box<dyn Lattice + '_> {
    SampleField::per_cell(water.grid, |cell| {
        let index = water.columns.tiling.index(cell);
        water.columns.wetness(index, water.settings.drying, water.time)
    })
}
