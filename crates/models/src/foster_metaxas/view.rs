//! The view of the water: its cells, markers, surface, solids and fields.

use undine_frame::{CloudRole, Quantity};
use undine_grid::Location;
use undine_sim::{CloudView, FieldView, SampleField, SurfaceView, View};

use super::cells::is_fluid;
use super::simulation::CellWater;
use super::surface::TrackedSurface;

/// The whole view.
pub(super) fn view<const D: usize>(water: &CellWater<D>) -> View<'_> {
    View {
        surfaces: surface_views(water),
        clouds: marker_cloud(water).into_iter().collect(),
        bodies: water.solids.as_ref().map_or_else(Vec::new, |solids| solids.bodies()),
        fields: fields(water),
    }
}

/// The surface as what tracks it has it; markers have none.
fn surface_views<const D: usize>(_: &CellWater<D>) -> Vec<SurfaceView<'_>> {
    Vec::new()
}

fn marker_cloud<const D: usize>(water: &CellWater<D>) -> Option<CloudView<'_>> {
    let TrackedSurface::Markers(markers) = &water.surface else { return None };
    let positions = water.marker_positions.get_or_init(|| {
        markers.positions().map(|point| std::array::from_fn(|axis| point.get(axis).map_or(0.0, |x| *x as f32))).collect()
    });
    let least = water.grid.spacing().into_iter().fold(f64::INFINITY, f64::min);
    Some(CloudView { role: CloudRole::Marker, positions, radius: 0.1 * least as f32, ..CloudView::default() })
}

fn fields<const D: usize>(water: &CellWater<D>) -> Vec<FieldView<'_>> {
    let (grid, flow, index) = (water.grid, &water.flow, water.flow.index);
    let place = move |cell: [isize; D]| index.at(cell.map(|i| i as usize));
    let density = water.settings.density;
    let in_fluid = move |at: usize, value: f64| if is_fluid(flow.kinds[at]) { value as f32 } else { 0.0 };
    let mut fields = vec![
        FieldView::new(
            "cells",
            "",
            Quantity::CellKind,
            SampleField::scalar(grid, Location::Center, move |cell| f32::from(water.cells.kind(cell).code())),
        ),
        FieldView::new(
            "pressure",
            "Pa",
            Quantity::Pressure,
            SampleField::scalar(grid, Location::Center, move |cell| {
                in_fluid(place(cell), density * flow.pressure[place(cell)])
            }),
        ),
        FieldView::new(
            "velocity",
            "m/s",
            Quantity::Velocity,
            SampleField::boxed(grid, Location::Center, D, move |cell, out| {
                let at = place(cell);
                (0..D).for_each(|axis| out[axis] = in_fluid(at, water.cell_velocity(at, axis)));
            }),
        ),
        FieldView::new(
            "speed",
            "m/s",
            Quantity::Speed,
            SampleField::scalar(grid, Location::Center, move |cell| {
                let at = place(cell);
                in_fluid(at, (0..D).map(|axis| water.cell_velocity(at, axis).powi(2)).sum::<f64>().sqrt())
            }),
        ),
    ];
    if D == 2 {
        let vorticity = SampleField::scalar(grid, Location::Center, move |cell| {
            in_fluid(place(cell), vorticity(water, place(cell)))
        });
        fields.push(FieldView::new("vorticity", "1/s", Quantity::Vorticity, vorticity));
    }
    fields
}

/// ∂v/∂x − ∂u/∂y at the centre of a cell, by differences to those neighbours that hold fluid.
fn vorticity<const D: usize>(water: &CellWater<D>, at: usize) -> f64 {
    let (flow, strides) = (&water.flow, water.flow.index.strides());
    let slope = |component: usize, along: usize| {
        let [low, high] = [at - strides[along], at + strides[along]]
            .map(|beside| if is_fluid(flow.kinds[beside]) { beside } else { at });
        let steps = usize::from(low != at) + usize::from(high != at);
        let difference = water.cell_velocity(high, component) - water.cell_velocity(low, component);
        if steps == 0 { 0.0 } else { difference / (steps as f64 * water.grid.spacing()[along]) }
    };
    slope(1, 0) - slope(0, 1)
}
