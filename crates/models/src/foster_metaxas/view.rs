//! The view of the water: its cells, markers, surface, solids and fields.

use undine_frame::{Body, CellKind, CloudRole, Curves, Quantity};
use undine_grid::{Grid, Location};
use undine_sim::{CloudView, FieldView, HeightView, OutlineDistance, SampleField, SurfaceView, View};

use super::cells::is_fluid;
use super::simulation::CellWater;
use super::surface::{HeightField, TrackedSurface};

/// Depth below which water is not drawn, in cells.
const DRY_SHARE: f64 = 1e-3;
/// Points of an outline along a column.
const OUTLINE_SAMPLES: usize = 4;

/// The whole view.
pub(super) fn view<const D: usize>(water: &CellWater<D>) -> View<'_> {
    View {
        surfaces: surface_views(water),
        clouds: marker_cloud(water).into_iter().collect(),
        bodies: bodies(water),
        fields: fields(water),
    }
}

/// The surface as what tracks it has it: heights in space, outlines in the plane. Markers have none.
fn surface_views<const D: usize>(water: &CellWater<D>) -> Vec<SurfaceView<'_>> {
    match &water.surface {
        TrackedSurface::HeightField(heights) if D == 3 => {
            height_view(water, heights).map(SurfaceView::Height).into_iter().collect()
        }
        _ if D == 3 => Vec::new(),
        _ => outlines(water).map(SurfaceView::Curve).into_iter().collect(),
    }
}

/// The obstacles; the bed of a height field shows them all.
fn bodies<const D: usize>(water: &CellWater<D>) -> Vec<Body> {
    let has_bed = D == 3 && matches!(water.surface, TrackedSurface::HeightField(_));
    let solids = water.solids.as_ref().filter(|_| !has_bed);
    solids.map_or_else(Vec::new, |solids| solids.bodies())
}

/// Levels over the bed that the solid cells at the bottom make.
fn height_view<'a, const D: usize>(
    water: &'a CellWater<D>,
    heights: &'a HeightField<D>,
) -> Option<HeightView<'a>> {
    let grid = &water.grid;
    let plane = |values: [f64; D]| [values[0], values[1]];
    let cells = [grid.cells()[0], grid.cells()[1]];
    let columns = Grid::new(cells, plane(grid.spacing()), plane(grid.origin())).ok()?;
    let bed = move |[x, y]: [usize; 2]| bed_of_column(water, [x, y]);
    let level = SampleField::per_cell(columns, move |column| {
        let height = heights.height_at(columns.centre(column.map(|i| i as isize)));
        height.unwrap_or_else(|| bed(column)) as f32
    });
    let velocity = SampleField::boxed(columns, Location::Center, 2, move |column, out| {
        let at = columns.centre(column);
        let height = heights.height_at(at).unwrap_or(f64::NEG_INFINITY);
        let velocity = surface_velocity(water, at, height);
        (0..2).for_each(|axis| out[axis] = velocity[axis] as f32);
    });
    Some(HeightView {
        level,
        bed: Some(SampleField::per_cell(columns, move |column| bed(column) as f32)),
        velocity: Some(velocity),
        wetness: None,
        dry_depth: (DRY_SHARE * grid.spacing()[D - 1]) as f32,
    })
}

/// Top of the solid cells that reach up from the bottom of a column.
fn bed_of_column<const D: usize>(water: &CellWater<D>, column: [usize; 2]) -> f64 {
    let mut cell: [isize; D] = std::array::from_fn(|axis| column.get(axis).map_or(0, |i| *i as isize));
    while cell[D - 1] < water.grid.cells()[D - 1] as isize && water.cells.kind(cell) == CellKind::Solid {
        cell[D - 1] += 1;
    }
    water.grid.node(cell)[D - 1]
}

/// Velocity just below the surface.
fn surface_velocity<const D: usize>(water: &CellWater<D>, at: [f64; 2], height: f64) -> [f64; D] {
    let mut point: [f64; D] = std::array::from_fn(|axis| at.get(axis).copied().unwrap_or(0.0));
    point[D - 1] = height - 1e-6 * water.grid.spacing()[D - 1];
    water.velocity_at(point)
}

/// The outline of a 2-D water, by chains or by its heights.
fn outlines<const D: usize>(water: &CellWater<D>) -> Option<Curves> {
    let in_plane = |point: [f64; D]| [point[0] as f32, point[1] as f32];
    let curves: Vec<Vec<[f32; 2]>> = match &water.surface {
        TrackedSurface::Markers(_) => return None,
        TrackedSurface::Chains(chains) => {
            chains.loops().map(|points| points.map(in_plane).collect()).collect()
        }
        TrackedSurface::HeightField(heights) => vec![outline_below(water, heights)],
    };
    let corner = |point: [f64; D]| [point[0], point[1]];
    let bounds = [corner(water.grid.origin()), corner(water.grid.far_corner())];
    Some(Curves::new(curves, bounds, water.grid.spacing().into_iter().fold(f64::INFINITY, f64::min)))
}

/// The region below the heights of a 2-D water.
fn outline_below<const D: usize>(water: &CellWater<D>, heights: &HeightField<D>) -> Vec<[f32; 2]> {
    let ([low, floor], [high, _]) =
        ([0, 1].map(|a| water.grid.origin()[a]), [0, 1].map(|a| water.grid.far_corner()[a]));
    let count = OUTLINE_SAMPLES * water.grid.cells()[0];
    let surface = (0..=count).rev().map(|number| low + (high - low) * number as f64 / count as f64);
    let surface = surface.map(|x| [x as f32, heights.height_at([x, 0.0]).unwrap_or(floor) as f32]);
    let bottom = [[low as f32, floor as f32], [high as f32, floor as f32]];
    bottom.into_iter().chain(surface).collect()
}

fn marker_cloud<const D: usize>(water: &CellWater<D>) -> Option<CloudView<'_>> {
    let TrackedSurface::Markers(markers) = &water.surface else { return None };
    let positions = water.marker_positions.get_or_init(|| {
        markers
            .positions()
            .map(|point| std::array::from_fn(|axis| point.get(axis).map_or(0.0, |x| *x as f32)))
            .collect()
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
    if let Some(solids) = &water.solids {
        let distance =
            SampleField::scalar(grid, Location::Node, move |node| solids.distances().at(node) as f32);
        fields.push(FieldView::new("solids", "m", Quantity::SolidDistance, distance));
    }
    if D == 2 {
        let vorticity = SampleField::scalar(grid, Location::Center, move |cell| {
            in_fluid(place(cell), vorticity(water, place(cell)))
        });
        fields.push(FieldView::new("vorticity", "1/s", Quantity::Vorticity, vorticity));
        fields.extend(outlines(water).map(|curves| {
            FieldView::new("distance", "m", Quantity::SurfaceDistance, Box::new(OutlineDistance(curves)))
        }));
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
