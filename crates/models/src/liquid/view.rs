//! What a liquid shows of itself.

use undine_frame::RasterKind;
use undine_grid::{Location, neighbour, par};
use undine_sim::{
    ColumnView, Lattice, LiquidView, NamedField, ParticlesView, SampleField, SurfaceView, View,
};

use super::simulation::Liquid;

/// Positions in metres and velocities in m/s, as views want them.
#[derive(Debug)]
pub(super) struct Shown {
    positions: Vec<[f32; 3]>,
    velocities: Vec<[f32; 3]>,
}

/// Everything there is to see.
pub(super) fn view<const D: usize>(liquid: &Liquid<D>) -> View<'_> {
    let shown = liquid.shown.get_or_init(|| show(liquid));
    View {
        surface: Some(SurfaceView::Liquid(LiquidView {
            distance: distance(liquid),
            solids: solids(liquid),
            bounds: [padded(liquid.grid.origin()), padded(liquid.grid.far_corner())],
            cell: liquid.cell(),
        })),
        particles: Some(ParticlesView {
            positions: &shown.positions,
            velocities: &shown.velocities,
            radius: (0.25 * (D as f64).sqrt() * liquid.cell()) as f32,
            masses: &[],
            attributes: attributes(liquid),
        }),
        bodies: liquid.walls.solids.as_ref().map_or_else(Vec::new, |standing| standing.solids.bodies()),
        fields: fields(liquid),
    }
}

fn show<const D: usize>(liquid: &Liquid<D>) -> Shown {
    let (particles, grid) = (&liquid.particles, &liquid.grid);
    let (origin, cell) = (grid.origin(), liquid.cell());
    let mut shown =
        Shown { positions: vec![[0.0; 3]; particles.len()], velocities: vec![[0.0; 3]; particles.len()] };
    par::for_each_chunk(&mut shown.positions, 1 << 12, |first, chunk| {
        for (number, to) in (first..).zip(chunk) {
            for axis in 0..D {
                to[axis] = (origin[axis] + f64::from(particles.position[axis][number]) * cell) as f32;
            }
        }
    });
    par::for_each_chunk(&mut shown.velocities, 1 << 12, |first, chunk| {
        for (number, to) in (first..).zip(chunk) {
            (0..D).for_each(|axis| to[axis] = particles.velocity[axis][number]);
        }
    });
    shown
}

fn attributes<const D: usize>(liquid: &Liquid<D>) -> Vec<ColumnView<'_>> {
    let particles = &liquid.particles;
    let named = ["red", "green", "blue"].into_iter().zip(&particles.colour);
    named
        .filter(|_| particles.has_colour())
        .map(|(name, values)| ColumnView { name, unit: "", values })
        .collect()
}

fn distance<const D: usize>(liquid: &Liquid<D>) -> Box<dyn Lattice + '_> {
    let cell = liquid.cell() as f32;
    SampleField::scalar(liquid.grid, Location::Center, move |at| cell * liquid.distance.at(at))
}

fn solids<const D: usize>(liquid: &Liquid<D>) -> Option<Box<dyn Lattice + '_>> {
    let cell = liquid.cell() as f32;
    let standing = liquid.walls.solids.as_ref()?;
    Some(SampleField::scalar(liquid.grid, Location::Node, move |at| cell * standing.distance.at(at)))
}

fn fields<const D: usize>(liquid: &Liquid<D>) -> Vec<NamedField<'_>> {
    let at_centre = |axis: usize, cell: [isize; D]| {
        let component = &liquid.velocity[axis];
        0.5 * (component.at(cell) + component.at(neighbour(cell, axis, 1)))
    };
    let is_liquid = |cell: [isize; D]| liquid.distance.at(cell) < 0.0;
    let named = |name, unit, kind, samples| NamedField { name, unit, kind, samples };
    let mut fields = vec![
        named("distance", "m", RasterKind::Signed, distance(liquid)),
        named(
            "velocity",
            "m/s",
            RasterKind::Vector,
            SampleField::boxed(liquid.grid, Location::Center, D, move |cell, out| {
                (0..D).for_each(|axis| out[axis] = if is_liquid(cell) { at_centre(axis, cell) } else { 0.0 });
            }),
        ),
        named(
            "speed",
            "m/s",
            RasterKind::Scalar,
            SampleField::scalar(liquid.grid, Location::Center, move |cell| {
                let squares = (0..D).map(|axis| at_centre(axis, cell).powi(2)).sum::<f32>();
                if is_liquid(cell) { squares.sqrt() } else { 0.0 }
            }),
        ),
        named(
            "pressure",
            "Pa",
            RasterKind::Scalar,
            SampleField::scalar(liquid.grid, Location::Center, |cell| liquid.pressure_at(cell) as f32),
        ),
        named(
            "cells",
            "",
            RasterKind::CellKind,
            SampleField::scalar(liquid.grid, Location::Center, |cell| f32::from(kind(liquid, cell))),
        ),
    ];
    fields.extend(solids(liquid).map(|samples| named("solids", "m", RasterKind::Signed, samples)));
    fields
}

/// 0 for an empty cell, 1 for one on the surface, 2 for a full one, 3 for solid, as in §3.5.3 of [li2007].
fn kind<const D: usize>(liquid: &Liquid<D>, cell: [isize; D]) -> u8 {
    let cells = liquid.grid.cells();
    let at = cell.map(|along| along as usize);
    let has_particles = |at: [usize; D]| liquid.distance[at] < 0.0 || !liquid.tiles.in_cell(at).is_empty();
    if liquid.walls.is_solid(at) {
        return 3;
    }
    if !has_particles(at) {
        return 0;
    }
    let is_empty = |axis: usize, by: isize| {
        let beside = neighbour(cell, axis, by);
        let is_inside = beside[axis] >= 0 && (beside[axis] as usize) < cells[axis];
        let at = beside.map(|along| along as usize);
        is_inside && !liquid.walls.is_solid(at) && !has_particles(at)
    };
    if (0..D).any(|axis| is_empty(axis, -1) || is_empty(axis, 1)) { 1 } else { 2 }
}

fn padded<const D: usize>(point: [f64; D]) -> [f64; 3] {
    std::array::from_fn(|axis| point.get(axis).copied().unwrap_or(0.0))
}
