//! The tracked surface as it is drawn: chains and 2-D height fields as outlines, 3-D height fields over their bed.

use undine_frame::Curves;
use undine_grid::{Grid, Location};
use undine_sim::{FieldView, HeightView, OutlineDistance, SampleField, SurfaceView};

use super::cells::{Cells, is_fluid};
use super::simulation::CellWater;
use super::surface::{HeightField, TrackedSurface};
use super::voxels::{SOLID, Voxels};
use crate::solids::Obstacle;
use undine_frame::Quantity;

/// Points of an outline along the surface of a column of a height field.
const POINTS_PER_COLUMN: usize = 4;
/// Ground above the box is drawn up to this many heights of the box.
const HIGHEST_GROUND: usize = 4;
/// Water thinner than this is not drawn, in cells.
const DRY_CELLS: f64 = 1e-3;

/// The outline of a 2-D water whose surface is tracked as a line.
pub(super) fn outline<const D: usize>(water: &CellWater<D>) -> Option<Curves> {
    let (low, high) = (water.grid.origin(), water.grid.far_corner());
    let bounds = [[low[0], low[1]], [high[0], high[1]]];
    let cell = water.grid.spacing().into_iter().fold(f64::INFINITY, f64::min);
    let point = |at: [f64; D]| [at[0] as f32, at[1] as f32];
    let loops: Vec<Vec<[f32; 2]>> = match &water.surface {
        TrackedSurface::Chains(chains) => chains.loops().map(|points| points.map(point).collect()).collect(),
        TrackedSurface::HeightField(heights) if D == 2 => pools(&water.cells, heights),
        _ => return None,
    };
    Some(Curves::new(loops, bounds, cell))
}

/// A closed curve around each run of wet columns of a 2-D height field.
fn pools<const D: usize>(cells: &Cells<D>, heights: &HeightField<D>) -> Vec<Vec<[f32; 2]>> {
    let (grid, count) = (cells.grid(), cells.grid().cells()[0]);
    let floor = |column: usize| heights.floor(column);
    let is_wet = |column: usize| heights.is_open(column) && heights.heights()[column] > floor(column);
    let side = |column: usize| grid.origin()[0] + column as f64 * grid.spacing()[0];
    let mut pools = Vec::new();
    let mut first = 0;
    while first < count {
        let end = (first..count).find(|&column| !is_wet(column)).unwrap_or(count);
        if end > first {
            // Along the floor to the east, then back along the surface
            let mut pool = Vec::new();
            for column in first..end {
                pool.extend([side(column), side(column + 1)].map(|x| [x as f32, floor(column) as f32]));
            }
            let points = POINTS_PER_COLUMN * (end - first);
            for number in (0..=points).rev() {
                let x = side(first) + number as f64 / POINTS_PER_COLUMN as f64 * grid.spacing()[0];
                let column = (first + number / POINTS_PER_COLUMN).min(end - 1);
                let level = heights.height_at([x.min(grid.far_corner()[0]), 0.0]).unwrap_or(heights.heights()[column]);
                pool.push([x as f32, level.max(floor(column)) as f32]);
            }
            pools.push(pool);
        }
        first = end + 1;
    }
    pools
}

/// The surface of a 3-D height field, with the bed of the water below it.
pub(super) fn heights<const D: usize>(water: &CellWater<D>) -> Option<SurfaceView<'_>> {
    let TrackedSurface::HeightField(heights) = &water.surface else { return None };
    if D != 3 {
        return None;
    }
    let plan = plan(&water.grid)?;
    let columns = water.grid.cells()[0];
    let levels = levels(water, heights);
    let at = move |cell: [isize; 2]| cell[0] as usize + columns * cell[1] as usize;
    let dry_depth = (DRY_CELLS * water.grid.spacing()[D - 1]) as f32;
    Some(SurfaceView::Height(HeightView {
        level: SampleField::scalar(plan, Location::Center, move |cell| levels[at(cell)]),
        bed: Some(SampleField::scalar(plan, Location::Center, move |cell| water.bed[at(cell)])),
        velocity: Some(SampleField::boxed(plan, Location::Center, 2, move |cell, out| {
            let velocity = surface_velocity(water, at(cell));
            out.copy_from_slice(&velocity);
        })),
        wetness: None,
        dry_depth,
    }))
}

/// The columns of a 3-D grid.
fn plan<const D: usize>(grid: &Grid<D>) -> Option<Grid<2>> {
    let two = |of: [f64; D]| [of[0], of[1]];
    Grid::new([grid.cells()[0], grid.cells()[1]], two(grid.spacing()), two(grid.origin())).ok()
}

/// Levels of all columns. Where an obstacle fills a column, those of the water around it: the obstacle is drawn itself.
fn levels<const D: usize>(water: &CellWater<D>, heights: &HeightField<D>) -> Vec<f32> {
    let size = [water.grid.cells()[0], water.grid.cells()[1]];
    let top = water.grid.far_corner()[D - 1] as f32;
    let mut levels: Vec<Option<f32>> = (0..water.bed.len())
        .map(|column| match heights.is_open(column) {
            true => Some(heights.heights()[column] as f32),
            false if water.bed[column] >= top => Some(water.bed[column]),
            false => None,
        })
        .collect();
    // Rings of such columns, each from the last one inwards
    while levels.contains(&None) {
        let before = levels.clone();
        for column in (0..levels.len()).filter(|&column| before[column].is_none()) {
            let (x, y) = (column % size[0], column / size[0]);
            let beside = [
                (x > 0).then(|| column - 1),
                (x + 1 < size[0]).then_some(column + 1),
                (y > 0).then(|| column - size[0]),
                (y + 1 < size[1]).then_some(column + size[0]),
            ];
            let known: Vec<f32> = beside.iter().flatten().filter_map(|&other| before[other]).collect();
            if !known.is_empty() {
                levels[column] = Some(known.iter().sum::<f32>() / known.len() as f32);
            }
        }
        if levels == before {
            break;
        }
    }
    levels.iter().zip(&water.bed).map(|(level, bed)| level.unwrap_or(*bed)).collect()
}

/// Horizontal velocity in the topmost cell of fluid of a column.
fn surface_velocity<const D: usize>(water: &CellWater<D>, column: usize) -> [f32; 2] {
    let count = water.bed.len();
    let top = (0..water.grid.cells()[D - 1]).rev().find(|layer| is_fluid(water.cells.kinds()[column + layer * count]));
    top.map_or([0.0; 2], |layer| {
        let at = water.flow.index.at(water.cells.cell(column + layer * count));
        [0, 1].map(|axis| water.cell_velocity(at, axis) as f32)
    })
}

/// Level of the ground in every column of a 3-D water: the top of the cells that terrain and maps fill from below.
/// Other obstacles stand in it and are drawn as bodies.
pub(super) fn bed<const D: usize>(cells: &Cells<D>, ground: Option<&Obstacle<D>>, voxels: &Voxels<D>) -> Vec<f32> {
    if D != 3 {
        return Vec::new();
    }
    let grid = cells.grid();
    let size = grid.cells();
    let (count, layers) = (size[0] * size[1], size[D - 1]);
    let is_ground = |column: usize, layer: usize| {
        let mut cell = cells.cell(column).map(|i| i as isize);
        cell[D - 1] = layer as isize;
        let is_drawn = layer < layers && voxels.letter(column + layer * count) == SOLID;
        is_drawn || ground.is_some_and(|ground| ground.shape.contains(grid.centre(cell)))
    };
    let top = |column: usize| (0..HIGHEST_GROUND * layers).find(|&layer| !is_ground(column, layer));
    (0..count)
        .map(|column| {
            let filled = top(column).unwrap_or(HIGHEST_GROUND * layers);
            (grid.origin()[D - 1] + filled as f64 * grid.spacing()[D - 1]) as f32
        })
        .collect()
}

/// The distance from an outline, by which pages fill the water.
pub(super) fn outline_distance<'a>(outline: &Curves) -> FieldView<'a> {
    FieldView::new("surface", "m", Quantity::SurfaceDistance, Box::new(OutlineDistance(outline.clone())))
}

/// The distance from the obstacles at the nodes of the grid, in metres.
pub(super) fn solid_distance<const D: usize>(water: &CellWater<D>) -> Option<FieldView<'_>> {
    let distances = water.solids.as_ref()?.distances();
    let samples = SampleField::scalar(water.grid, Location::Node, move |at| distances.at(at) as f32);
    Some(FieldView::new("solids", "m", Quantity::SolidDistance, samples))
}
