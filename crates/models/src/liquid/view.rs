//! The view of a liquid: surface, particles, solids and fields.

use undine_frame::{CellKind, CloudRole, Quantity};
use undine_grid::{Location, neighbour, par};
use undine_sim::{AttributeView, CloudView, FieldView, Lattice, LiquidView, SampleField, SurfaceView, View};

use super::simulation::LiquidSimulation;

/// Positions in metres and velocities in m/s, as arrays of points.
#[derive(Debug)]
pub(super) struct ParticleArrays {
    positions: Vec<[f32; 3]>,
    velocities: Vec<[f32; 3]>,
}

/// The whole view.
pub(super) fn view<const D: usize>(liquid: &LiquidSimulation<D>) -> View<'_> {
    let arrays = liquid.particle_arrays.get_or_init(|| gather_particles(liquid));
    View {
        surfaces: vec![SurfaceView::Liquid(LiquidView {
            distance: distance(liquid),
            bounds: [to_3d(liquid.grid.origin()), to_3d(liquid.grid.far_corner())],
            cell: liquid.cell(),
        })],
        clouds: vec![CloudView {
            role: CloudRole::Liquid,
            positions: &arrays.positions,
            velocities: &arrays.velocities,
            radius: (0.25 * (D as f64).sqrt() * liquid.cell()) as f32,
            attributes: attributes(liquid),
        }],
        bodies: liquid.boundary.solids.as_ref().map_or_else(Vec::new, |geometry| geometry.solids.bodies()),
        fields: fields(liquid),
    }
}

/// Copies positions and velocities into arrays of points.
fn gather_particles<const D: usize>(liquid: &LiquidSimulation<D>) -> ParticleArrays {
    let (particles, grid) = (&liquid.particles, &liquid.grid);
    let (origin, cell) = (grid.origin(), liquid.cell());
    let mut arrays = ParticleArrays {
        positions: vec![[0.0; 3]; particles.len()],
        velocities: vec![[0.0; 3]; particles.len()],
    };
    par::for_each_chunk(&mut arrays.positions, 1 << 12, |first, chunk| {
        for (index, to) in (first..).zip(chunk) {
            for axis in 0..D {
                to[axis] = (origin[axis] + f64::from(particles.position[axis][index]) * cell) as f32;
            }
        }
    });
    par::for_each_chunk(&mut arrays.velocities, 1 << 12, |first, chunk| {
        for (index, to) in (first..).zip(chunk) {
            (0..D).for_each(|axis| to[axis] = particles.velocity[axis][index]);
        }
    });
    arrays
}

fn attributes<const D: usize>(liquid: &LiquidSimulation<D>) -> Vec<AttributeView<'_>> {
    let particles = &liquid.particles;
    let columns = || particles.colour.iter().map(Vec::as_slice).collect();
    let colour =
        || AttributeView { name: "colour", unit: "", quantity: Quantity::Colour, columns: columns() };
    particles.has_colour().then(colour).into_iter().collect()
}

fn distance<const D: usize>(liquid: &LiquidSimulation<D>) -> Box<dyn Lattice + '_> {
    let cell = liquid.cell() as f32;
    SampleField::scalar(liquid.grid, Location::Center, move |at| cell * liquid.distance.at(at))
}

fn solids<const D: usize>(liquid: &LiquidSimulation<D>) -> Option<Box<dyn Lattice + '_>> {
    let cell = liquid.cell() as f32;
    let geometry = liquid.boundary.solids.as_ref()?;
    Some(SampleField::scalar(liquid.grid, Location::Node, move |at| cell * geometry.distance.at(at)))
}

fn fields<const D: usize>(liquid: &LiquidSimulation<D>) -> Vec<FieldView<'_>> {
    let at_centre = |axis: usize, cell: [isize; D]| {
        let component = &liquid.velocity[axis];
        0.5 * (component.at(cell) + component.at(neighbour(cell, axis, 1)))
    };
    let is_liquid = |cell: [isize; D]| liquid.distance.at(cell) < 0.0;
    let named = FieldView::new;
    // Velocity and speed are shown in the liquid only; solids only where there are any
    let mut fields = vec![
        named("distance", "m", Quantity::SurfaceDistance, distance(liquid)),
        named(
            "velocity",
            "m/s",
            Quantity::Velocity,
            SampleField::boxed(liquid.grid, Location::Center, D, move |cell, out| {
                (0..D).for_each(|axis| out[axis] = if is_liquid(cell) { at_centre(axis, cell) } else { 0.0 });
            }),
        ),
        named(
            "speed",
            "m/s",
            Quantity::Speed,
            SampleField::scalar(liquid.grid, Location::Center, move |cell| {
                let squares = (0..D).map(|axis| at_centre(axis, cell).powi(2)).sum::<f32>();
                if is_liquid(cell) { squares.sqrt() } else { 0.0 }
            }),
        ),
        named(
            "pressure",
            "Pa",
            Quantity::Pressure,
            SampleField::scalar(liquid.grid, Location::Center, |cell| liquid.pressure_at(cell) as f32),
        ),
        named(
            "cells",
            "",
            Quantity::CellKind,
            SampleField::scalar(liquid.grid, Location::Center, |cell| f32::from(kind(liquid, cell).code())),
        ),
    ];
    fields.extend(solids(liquid).map(|samples| named("solids", "m", Quantity::SolidDistance, samples)));
    fields
}

/// The kind of a cell, as in §3.5.3 of [li2007].
fn kind<const D: usize>(liquid: &LiquidSimulation<D>, cell: [isize; D]) -> CellKind {
    let cells = liquid.grid.cells();
    let at = cell.map(|i| i as usize);
    let has_particles =
        |at: [usize; D]| liquid.distance[at] < 0.0 || !liquid.tiles.particles_in(at).is_empty();
    if liquid.boundary.is_solid(at) {
        return CellKind::Solid;
    }
    if !has_particles(at) {
        return CellKind::Empty;
    }
    let is_empty = |axis: usize, by: isize| {
        let adjacent = neighbour(cell, axis, by);
        let is_inside = adjacent[axis] >= 0 && (adjacent[axis] as usize) < cells[axis];
        let at = adjacent.map(|i| i as usize);
        is_inside && !liquid.boundary.is_solid(at) && !has_particles(at)
    };
    if (0..D).any(|axis| is_empty(axis, -1) || is_empty(axis, 1)) {
        CellKind::Surface
    } else {
        CellKind::Full
    }
}

fn to_3d<const D: usize>(point: [f64; D]) -> [f64; 3] {
    std::array::from_fn(|axis| point.get(axis).copied().unwrap_or(0.0))
}
