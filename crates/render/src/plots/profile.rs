//! Profile plot: a water surface over its ground, or any field along a line.

use glam::Vec2;

use super::canvas::{Area, LinearRgb, PlotCanvas};
use super::layout::{PlotLayout, Window};
use super::slice::Slice;
use crate::colour::{from_hex, mix};

/// Profile of a slice along its first axis.
pub struct ProfilePlot<'a> {
    /// The values.
    pub slice: &'a Slice,
    /// The row of the slice that is shown.
    pub row: usize,
    /// The ground below, on the same samples.
    pub ground: Option<&'a Slice>,
    /// Regions of the water on the same samples, which colour it, as codes of a quantity of kinds.
    pub regions: Option<&'a Slice>,
    /// Lower and upper end of the vertical axis; `None` to fit the values.
    pub limits: Option<[f32; 2]>,
}

impl ProfilePlot<'_> {
    /// The window of the profile.
    pub fn window(&self, layout: &PlotLayout) -> Window {
        let (low, high) = self.slice.bounds();
        let rows = [Some(self.slice), self.ground].into_iter().flatten();
        let values = rows.flat_map(|slice| (0..slice.size[0]).map(|column| slice.value([column, self.row])));
        let finite = values.filter(|value| value.is_finite());
        let range = finite.fold(None, |range: Option<[f32; 2]>, value| {
            let [low, high] = range.unwrap_or([value; 2]);
            Some([low.min(value), high.max(value)])
        });
        let [bottom, top] = self.limits.unwrap_or_else(|| with_margin(range.unwrap_or([0.0, 1.0])));
        let top = if top > bottom { top } else { bottom + 1.0 };
        layout.stretched([low[0], f64::from(bottom)], [high[0], f64::from(top)])
    }

    /// Draws the water, the ground and their outlines.
    pub fn paint(&self, canvas: &mut PlotCanvas, window: &Window) {
        let area = window.area;
        canvas.rectangle(area, from_hex(0xf1f5f8));
        let (water, deep, earth) = (from_hex(0x66aed6), from_hex(0x1f5f93), from_hex(0x8a7458));
        for x in area.left.max(0.0) as i32..area.right as i32 {
            let column = Area { left: x as f32, right: x as f32 + 1.0, ..area };
            let surface = self.height(self.slice, window, x as f32 + 0.5);
            let ground =
                self.ground.map_or(area.bottom, |ground| self.height(ground, window, x as f32 + 0.5));
            let (surface, ground) =
                (surface.clamp(area.top, area.bottom), ground.clamp(area.top, area.bottom));
            let [light, dark] = self.region_colours(window, x as f32 + 0.5).unwrap_or([water, deep]);
            fill_gradient(canvas, column, surface, ground, light, dark);
            canvas.rectangle(Area { top: ground, ..column }, earth);
        }
        canvas.within(area, |canvas| {
            if let Some(ground) = self.ground {
                self.outline(canvas, window, ground, from_hex(0x4d3f2d));
            }
            self.outline(canvas, window, self.slice, from_hex(0x0e3554));
        });
    }

    // Colours of the water at a pixel column, at the surface and at the ground, by its region; none outside all.
    fn region_colours(&self, window: &Window, x: f32) -> Option<[LinearRgb; 2]> {
        let regions = self.regions?;
        let x_world = window.world_at(Vec2::new(x, 0.0))[0];
        let row = regions.origin[1] + self.row as f64 * regions.spacing[1];
        let code = regions.cell([x_world, row]).map_or(0.0, |cell| regions.value(cell));
        let colour = region_colour(code.max(0.0) as usize)?;
        Some([colour, mix(colour, [0.0; 3], 0.35)])
    }

    // Pixel row of a curve at a pixel column; the bottom where the value is missing.
    fn height(&self, slice: &Slice, window: &Window, x: f32) -> f32 {
        let x_world = window.world_at(Vec2::new(x, 0.0))[0];
        let row = slice.origin[1] + self.row as f64 * slice.spacing[1];
        let y = window.pixel_of([x_world, f64::from(slice.interpolate([x_world, row]))]).y;
        if y.is_finite() { y } else { window.area.bottom }
    }

    fn outline(&self, canvas: &mut PlotCanvas, window: &Window, slice: &Slice, ink: [f32; 3]) {
        let thickness = (window.area.height() / 260.0).clamp(1.0, 6.0);
        let columns = window.area.left as i32..window.area.right as i32;
        let point = |x: i32| Vec2::new(x as f32 + 0.5, self.height(slice, window, x as f32 + 0.5));
        // No water surface below the ground
        let is_buried =
            |at: Vec2| self.ground.is_some_and(|ground| self.height(ground, window, at.x) < at.y - 0.5);
        for x in columns.clone().take(columns.len().saturating_sub(1)) {
            let (from, to) = (point(x), point(x + 1));
            if !is_buried(from) && !is_buried(to) {
                canvas.line(from, to, thickness, ink);
            }
        }
    }
}

/// The colour of water in a region of this code; those asleep are paler. None outside all regions.
pub fn region_colour(code: usize) -> Option<LinearRgb> {
    const INKS: [u32; 6] = [0x3f8fd0, 0x3fa87a, 0xd0563c, 0xb5cfe3, 0xb9d8c8, 0xe6c3b9];
    INKS.get(code.checked_sub(1)?).map(|ink| from_hex(*ink))
}

// Fills a column from the surface to the ground with a vertical gradient.
fn fill_gradient(
    canvas: &mut PlotCanvas,
    column: Area,
    surface: f32,
    ground: f32,
    top: [f32; 3],
    bottom: [f32; 3],
) {
    let steps = 24;
    let step = (ground - surface) / steps as f32;
    for index in 0..steps {
        if step > 0.0 {
            let ink = mix(top, bottom, index as f32 / (steps - 1) as f32);
            let upper = surface + index as f32 * step;
            // Each stripe extends to the ground, so that antialiasing leaves no seams
            canvas.rectangle(Area { top: upper, bottom: ground, ..column }, ink);
        }
    }
}

fn with_margin([low, high]: [f32; 2]) -> [f32; 2] {
    let room = ((high - low) * 0.18).max(high.abs() * 1e-3).max(1e-6);
    [low - room, high + room]
}
