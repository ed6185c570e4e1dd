//! Layer of a slice through a liquid: water that darkens with depth, and a bright rim along its surface.
//!
//! The liquid is where the signed distance is negative. Only its sign and the values next to the surface are used; the
//! field is redistanced elsewhere. Coloured particles tint the water.

use glam::{Vec2, Vec3};
use undine_frame::{Cloud, FieldChoice, Quantity};

use super::compositor::BlendState;
use super::layer_context::LayerContext;
use super::resample::{FilterKernel, PixelBuffer};
use super::signed_distance;
use crate::DrawError;
use crate::colour::mix;
use crate::noise::smoothstep;
use crate::plots::canvas::LinearRgb;
use crate::plots::slice::Slice;

/// A layer of liquid, filled.
#[derive(Debug, Clone, PartialEq)]
pub struct WaterLayer {
    /// The signed distance of its surface, negative inside.
    pub field: FieldChoice,
    /// Colour of deep water, linear.
    pub colour: LinearRgb,
    /// Width of the bright rim, in heights of the box.
    pub rim: f32,
    /// Attenuation depth of light from the surface, in heights of the box.
    pub depth: f32,
}

impl Default for WaterLayer {
    fn default() -> Self {
        WaterLayer {
            field: FieldChoice::Of(Quantity::SurfaceDistance),
            colour: crate::colour::from_hex(0x0b3f86),
            rim: 0.03,
            depth: 0.3,
        }
    }
}

/// Colour of water just below the surface.
const SHALLOW: Vec3 = Vec3::new(0.10, 0.50, 0.78);
/// The colour of the rim.
const RIM: Vec3 = Vec3::new(0.72, 0.93, 1.0);

impl WaterLayer {
    pub(super) fn draw(
        &self,
        context: &mut LayerContext<'_>,
        blend_state: BlendState,
    ) -> Result<(), DrawError> {
        let (_, slice) = context.slice(&self.field)?;
        let away = surface_distance(context, &slice);
        let dye = ParticleColours::new(&context.frame.clouds, &slice).map(|dyes| dyes.plane(context, &slice));
        let region = context.compositor.inner;
        let height = region.height.max(1) as f32;
        let (rim, depth) = ((self.rim * height).max(1.0), (self.depth * height).max(1.0));
        context.compositor.paint(region, blend_state, |x, y, _| {
            let index = y * region.width + x;
            let distance = away.pixels[index][0];
            let cover = (0.5 - distance).clamp(0.0, 1.0);
            if cover.is_nan() || cover <= 0.0 {
                return ([0.0; 3], 0.0);
            }
            let tint = dye.as_ref().map(|dye| Vec3::from(dye.pixels[index]));
            let below = -distance.min(0.0);
            let upwards = -away.slope(x, y)[1];
            let floor = y as f32 / height;
            (self.colour(tint, below / rim, below / depth, upwards, floor), cover)
        });
        Ok(())
    }

    // Colour at a distance below the surface in units of the rim width (`rims`) and of the attenuation depth (`depths`), by
    // the surface's orientation (`upwards`) and the position down the box.
    fn colour(&self, tint: Option<Vec3>, rims: f32, depths: f32, upwards: f32, down: f32) -> LinearRgb {
        let deep = tint.map_or(Vec3::from(self.colour), |tint| 0.42 * tint);
        let shallow = tint.map_or(SHALLOW.max(deep), |tint| 0.85 * tint + 0.06);
        let body = deep.lerp(shallow, (-1.6 * depths).exp()) * (1.12 - 0.45 * down);
        // Light from above: the rim is bright on top and faint below overhangs
        let facing = smoothstep(-1.2, 1.0, upwards);
        let glow = (-2.2 * rims).exp() * (0.10 + 0.42 * facing);
        let line = smoothstep(0.22, 0.0, rims) * (0.25 + 0.75 * facing);
        let rim = tint.map_or(RIM, |tint| tint.lerp(Vec3::ONE, 0.65));
        let lit = body + rim * glow;
        mix(lit.to_array(), rim.to_array(), 0.9 * line)
    }
}

/// Signed distance of a liquid's surface at every pixel, in pixels, negative inside.
pub fn surface_distance(context: &LayerContext<'_>, slice: &Slice) -> PixelBuffer<1> {
    let spacing = slice.spacing[0].min(slice.spacing[1]) as f32;
    let mut near: Vec<f32> = slice.samples().map(|at| slice.value(at) / spacing).collect();
    if let Some(solids) = solids(context) {
        let position =
            |at: [usize; 2]| [0, 1].map(|axis| slice.origin[axis] + slice.spacing[axis] * at[axis] as f64);
        let is_known: Vec<bool> =
            slice.samples().map(|at| solids.interpolate(position(at)) >= 0.3 * spacing).collect();
        fill_unknown(&mut near, &is_known, slice.size);
    }
    let mut far = signed_distance::redistance(&near, slice.size);
    // Smooth the creases of the distance at the medial axis, which shading would show
    for _ in 0..SOFTENED {
        far = signed_distance::smoothed(&far, slice.size);
    }
    let pixels = spacing * context.density();
    // Near the surface the original field is smoother than the redistanced one
    let cell = |at: [usize; 2]| {
        let index = at[1] * slice.size[0] + at[0];
        let (near, far) = (near[index], far[index]);
        let trust = 1.0 - smoothstep(1.2, 3.0, far.abs());
        [(far + (near - far) * if near.is_finite() { trust } else { 0.0 }) * pixels]
    };
    context.plane(slice, FilterKernel::Smooth, cell)
}

/// Smoothing passes of the redistanced field.
const SOFTENED: usize = 6;

fn solids(context: &LayerContext<'_>) -> Option<Slice> {
    let raster =
        context.frame.field_of(Quantity::SolidDistance).filter(|raster| raster.inconsistency().is_none())?;
    Some(Slice::new(raster, context.across, context.position))
}

// Inside solids the distance is extrapolated from the nearest cell outside, found by raster sweeps.
fn fill_unknown(near: &mut [f32], is_known: &[bool], [columns, rows]: [usize; 2]) {
    let mut source: Vec<Option<usize>> =
        is_known.iter().enumerate().map(|(cell, &is_known)| is_known.then_some(cell)).collect();
    let middle = |cell: usize| Vec2::new((cell % columns) as f32, (cell / columns) as f32);
    let cells = columns * rows;
    for pass in 0..4 {
        let is_back = pass % 2 == 1;
        for step in 0..cells {
            let cell = if is_back { cells - 1 - step } else { step };
            let (column, row) = (cell % columns, cell / columns);
            let neighbours = match is_back {
                false => [(column > 0).then(|| cell - 1), (row > 0).then(|| cell - columns)],
                true => {
                    [(column + 1 < columns).then_some(cell + 1), (row + 1 < rows).then_some(cell + columns)]
                }
            };
            let away = |from: usize| middle(from).distance_squared(middle(cell));
            for other in neighbours.into_iter().flatten() {
                let nearer =
                    source[other].filter(|other| source[cell].is_none_or(|own| away(*other) < away(own)));
                source[cell] = nearer.filter(|_| !is_known[cell]).or(source[cell]);
            }
        }
    }
    for cell in (0..cells).filter(|&cell| !is_known[cell]) {
        if let Some(known) = source[cell] {
            near[cell] = near[known];
        }
    }
}

/// Mip levels of the sums of particle colours over the cells of a slice.
struct ParticleColours {
    levels: Vec<(usize, Vec<(Vec3, f32)>)>,
}

impl ParticleColours {
    // `None` if no particle has a colour, or all are white.
    fn new(clouds: &[Cloud], slice: &Slice) -> Option<ParticleColours> {
        let mut cells = vec![(Vec3::ZERO, 0.0); slice.size[0] * slice.size[1]];
        for cloud in clouds {
            let Some(colours) = cloud.colours() else { continue };
            for (at, colour) in cloud.positions.iter().zip(colours).filter(|(at, _)| slice.holds(**at)) {
                let position = slice.axes.map(|axis| f64::from(at[axis]));
                if let Some([column, row]) = slice.cell(position) {
                    let (sum, count) = &mut cells[row * slice.size[0] + column];
                    *sum += Vec3::from(*colour).clamp(Vec3::ZERO, Vec3::ONE);
                    *count += 1.0;
                }
            }
        }
        let has_colour =
            cells.iter().any(|(sum, count)| (*sum - Vec3::splat(*count)).abs().max_element() > 0.02);
        has_colour.then(|| ParticleColours { levels: levels(cells, slice.size) })
    }

    fn plane(&self, context: &LayerContext<'_>, slice: &Slice) -> PixelBuffer<3> {
        context.plane(slice, FilterKernel::Smooth, |[column, row]| self.at(column, row).to_array())
    }

    // Mean colour of a cell, or of the finest mip level that has particles.
    fn at(&self, column: usize, row: usize) -> Vec3 {
        let means = self.levels.iter().enumerate().map(|(level, (columns, cells))| {
            let cell = cells.get((row >> level) * columns + (column >> level));
            cell.copied().unwrap_or((Vec3::ZERO, 0.0))
        });
        let found = means.into_iter().find(|(_, count)| *count > 0.0);
        found.map_or(Vec3::ONE, |(sum, count)| sum / count)
    }
}

// Sums over blocks of 1, 2 × 2, 4 × 4 … cells.
fn levels(cells: Vec<(Vec3, f32)>, size: [usize; 2]) -> Vec<(usize, Vec<(Vec3, f32)>)> {
    let mut levels = vec![(size[0], cells)];
    let mut size = size;
    while size[0] > 1 || size[1] > 1 {
        let half = size.map(|count| count.div_ceil(2));
        let mut sums = vec![(Vec3::ZERO, 0.0); half[0] * half[1]];
        if let Some((columns, cells)) = levels.last() {
            for (index, (colour, count)) in cells.iter().enumerate() {
                let sum = &mut sums[(index / columns / 2) * half[0] + index % columns / 2];
                *sum = (sum.0 + *colour, sum.1 + count);
            }
        }
        levels.push((half[0], sums));
        size = half;
    }
    levels
}
