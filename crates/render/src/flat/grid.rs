//! Layers of the simulation grid: cell borders and cell types.

use undine_frame::{CellKind, Cloud, FieldChoice, Frame, Quantity};

use super::compositor::{BlendState, PixelRect};
use super::layer_context::LayerContext;
use crate::DrawError;
use crate::plots::canvas::LinearRgb;
use crate::plots::slice::Slice;

/// A layer of cell borders.
#[derive(Debug, Clone, PartialEq)]
pub struct GridLayer {
    /// A cell-centred field; `None` for the first one of the frame.
    pub field: Option<FieldChoice>,
    /// Thickness of the lines in pixels.
    pub thickness: f32,
    /// Their colour, linear.
    pub colour: LinearRgb,
}

impl Default for GridLayer {
    fn default() -> Self {
        GridLayer { field: None, thickness: 0.6, colour: crate::colour::from_hex(0x7b8794) }
    }
}

/// Least distance of lines in pixels; finer grids show every second, fourth, … border.
const CLOSEST: f64 = 4.0;

impl GridLayer {
    pub(super) fn draw(
        &self,
        context: &mut LayerContext<'_>,
        blend_state: BlendState,
    ) -> Result<(), DrawError> {
        let raster = crate::plots::find(context.frame, self.field.as_ref())?;
        let slice = Slice::new(raster, context.across, context.position);
        let region = context.compositor.inner;
        let lines = [0, 1].map(|axis| self.covers(context, &slice, region, axis));
        context.compositor.paint(region, blend_state, |x, y, _| (self.colour, lines[0][x].max(lines[1][y])));
        Ok(())
    }

    // Coverage of each pixel column or row by the lines across an axis.
    fn covers(&self, context: &LayerContext<'_>, slice: &Slice, region: PixelRect, axis: usize) -> Vec<f32> {
        let mut covers = vec![0.0f32; if axis == 0 { region.width } else { region.height }];
        let width = context.compositor.window.density()[axis] * slice.spacing[axis];
        let mut every = 1;
        while width * (every as f64) < CLOSEST && every < slice.size[axis] {
            every *= 2;
        }
        let low = slice.bounds().0;
        let (half, strength) = (0.5 * self.thickness.max(1.0), self.thickness.clamp(0.0, 1.0));
        for border in (0..=slice.size[axis]).step_by(every) {
            let mut position = low;
            position[axis] += border as f64 * slice.spacing[axis];
            let at = context.compositor.window.pixel_of(position)[axis];
            let (first, last) = ((at - half - 1.0).max(0.0) as usize, (at + half + 1.0).max(0.0) as usize);
            for pixel in first..=last.min(covers.len().saturating_sub(1)) {
                let aside = (pixel as f32 + 0.5 - at).abs();
                covers[pixel] = covers[pixel].max(strength * (half + 0.5 - aside).clamp(0.0, 1.0));
            }
        }
        covers
    }
}

/// A layer of cell types: empty, surface, full, solid, inflow or outflow.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CellsLayer {
    /// The kinds of the cells, or the signed distance of the liquid's surface; `None` for that distance, or for the kinds
    /// where there is none on the lattice of the cells.
    pub field: Option<FieldChoice>,
}

fn colour(kind: CellKind) -> Option<LinearRgb> {
    let hex = match kind {
        CellKind::Empty => return None,
        CellKind::Surface => 0x6fc3e6,
        CellKind::Full => 0x1c5f9e,
        CellKind::Solid => 0x596069,
        CellKind::Inflow => 0xd9a441,
        CellKind::Outflow => 0x4c9a6a,
    };
    Some(crate::colour::from_hex(hex))
}

impl CellsLayer {
    pub(super) fn draw(
        &self,
        context: &mut LayerContext<'_>,
        blend_state: BlendState,
    ) -> Result<(), DrawError> {
        let (raster, slice) = context.slice(&self.choice(context.frame))?;
        let kinds = match raster.quantity {
            Quantity::CellKind => slice.samples().map(|at| kind_of(slice.value(at))).collect(),
            _ => {
                let solids = context.frame.field_of(Quantity::SolidDistance);
                let solids = solids.filter(|raster| raster.inconsistency().is_none());
                let solids = solids.map(|raster| Slice::new(raster, context.across, context.position));
                kinds(&slice, solids.as_ref(), &context.frame.clouds)
            }
        };
        let (region, window) = (context.compositor.inner, context.compositor.window);
        context.compositor.paint(region, blend_state, |x, y, _| {
            let cell = slice.cell(window.world_at(glam::Vec2::new(x as f32 + 0.5, y as f32 + 0.5)));
            let ink = cell.and_then(|[column, row]| colour(kinds[row * slice.size[0] + column]));
            ink.map_or(([0.0; 3], 0.0), |ink| (ink, 1.0))
        });
        Ok(())
    }

    fn choice(&self, frame: &Frame) -> FieldChoice {
        let [distance, kinds] =
            [Quantity::SurfaceDistance, Quantity::CellKind].map(|one| frame.field_of(one));
        let is_coarser = match (distance, kinds) {
            (Some(distance), Some(kinds)) => kinds.water == distance.water && kinds.size != distance.size,
            (None, kinds) => kinds.is_some(),
            (Some(_), None) => false,
        };
        let own = if is_coarser { Quantity::CellKind } else { Quantity::SurfaceDistance };
        self.field.clone().unwrap_or_else(|| own.into())
    }
}

// The kind of a code; empty for others.
fn kind_of(code: f32) -> CellKind {
    // NaN is cast to 0
    CellKind::ALL.get(code.max(0.0) as usize).copied().unwrap_or(CellKind::Empty)
}

// A cell is wet if its centre is inside the liquid or it contains a particle; a wet cell next to a dry one is a surface
// cell.
fn kinds(slice: &Slice, solids: Option<&Slice>, clouds: &[Cloud]) -> Vec<CellKind> {
    // Wet cells: negative distance at the centre, or a particle
    let [columns, rows] = slice.size;
    let mut is_wet: Vec<bool> = slice.samples().map(|at| slice.value(at) < 0.0).collect();
    for at in clouds.iter().flat_map(|cloud| &cloud.positions).filter(|at| slice.holds(**at)) {
        if let Some([column, row]) = slice.cell(slice.axes.map(|axis| f64::from(at[axis]))) {
            is_wet[row * columns + column] = true;
        }
    }
    // Solid cells: centre inside an obstacle
    let position =
        |at: [usize; 2]| [0, 1].map(|axis| slice.origin[axis] + slice.spacing[axis] * at[axis] as f64);
    let is_solid: Vec<bool> = slice
        .samples()
        .map(|at| solids.is_some_and(|solids| solids.interpolate(position(at)) < 0.0))
        .collect();
    // Classify by the four neighbours
    let state = |[column, row]: [usize; 2]| {
        let cell = row * columns + column;
        let neighbours = [
            (column > 0).then(|| cell - 1),
            (column + 1 < columns).then_some(cell + 1),
            (row > 0).then(|| cell - columns),
            (row + 1 < rows).then_some(cell + columns),
        ];
        let is_dry = |&other: &usize| !is_wet[other] && !is_solid[other];
        match (is_solid[cell], is_wet[cell]) {
            (true, _) => CellKind::Solid,
            (_, false) => CellKind::Empty,
            _ if neighbours.iter().flatten().any(is_dry) => CellKind::Surface,
            _ => CellKind::Full,
        }
    };
    slice.samples().map(state).collect()
}
