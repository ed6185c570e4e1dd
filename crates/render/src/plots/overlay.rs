//! Overlays of a field plot: arrows, streamlines, particles, cell borders.

use glam::Vec2;
use undine_frame::Cloud;

use super::canvas::{LinearRgb, PlotCanvas};
use super::layout::Window;
use super::slice::Slice;
use crate::colour::from_hex;
use crate::streamlines::StreamlineTracer;

/// Draws a vector field as arrows about `spacing` pixels apart; the longest has the length of the spacing.
pub fn arrows(canvas: &mut PlotCanvas, window: &Window, slice: &Slice, spacing: f32) {
    let Some((_, longest)) = slice.range().filter(|range| range.1 > 0.0) else { return };
    let spacing = spacing.max(6.0);
    let counts =
        [window.area.width(), window.area.height()].map(|room| ((room / spacing) as usize).clamp(1, 1000));
    for index in 0..counts[0] * counts[1] {
        let fraction = Vec2::new(
            ((index % counts[0]) as f32 + 0.5) / counts[0] as f32,
            ((index / counts[0]) as f32 + 0.5) / counts[1] as f32,
        );
        let at = Vec2::new(
            window.area.left + fraction.x * window.area.width(),
            window.area.top + fraction.y * window.area.height(),
        );
        let Some(cell) = slice.cell(window.world_at(at)) else { continue };
        let [right, up] = slice.vector(cell);
        let reach = Vec2::new(right, -up) * (0.95 * spacing / longest);
        if reach.is_finite() && reach.length() > 0.5 {
            arrow(canvas, at - 0.5 * reach, at + 0.5 * reach);
        }
    }
}

/// Draws a vector field as streamlines about `spacing` pixels apart.
pub fn streamlines(canvas: &mut PlotCanvas, window: &Window, slice: &Slice, spacing: f32) {
    let Some((_, longest)) = slice.range().filter(|range| range.1 > 0.0) else { return };
    let corner = Vec2::new(window.area.left, window.area.top);
    let density = window.density();
    let velocity = |at: Vec2| {
        let [right, up] = slice.interpolate_vector(window.world_at(corner + at));
        // Lines end where the fluid is nearly at rest
        let moves = right.hypot(up) > 1e-3 * longest;
        moves.then(|| Vec2::new(right * density[0] as f32, -up * density[1] as f32))
    };
    let tracer = StreamlineTracer { size: Vec2::new(window.area.width(), window.area.height()), velocity };
    for line in tracer.evenly_spaced(spacing, 1e5) {
        for pair in line.windows(2) {
            canvas.line(corner + pair[0], corner + pair[1], 0.9, from_hex(0x14181d));
        }
    }
}

// A dark arrow with a pale outline, visible on every colour.
fn arrow(canvas: &mut PlotCanvas, from: Vec2, to: Vec2) {
    let length = (to - from).length();
    let ahead = (to - from) / length.max(1e-6);
    let head = (0.42 * length).clamp(2.0, 9.0).min(length);
    let neck = to - ahead * head;
    let aside = Vec2::new(-ahead.y, ahead.x) * (0.42 * head);
    let thickness = (0.08 * length).clamp(0.9, 2.2);
    let (dark, pale) = (from_hex(0x14181d), from_hex(0xffffff));
    canvas.line(from, neck, thickness + 1.6, mixed(pale));
    canvas.line(from, neck, thickness, dark);
    canvas.polygon(&[to, neck + aside, neck - aside], dark);
}

fn mixed(ink: LinearRgb) -> LinearRgb {
    ink.map(|channel| 0.8 * channel)
}

/// Draws the particles in a slice as dots.
pub fn particles(canvas: &mut PlotCanvas, window: &Window, slice: &Slice, clouds: &[Cloud]) {
    let density = window.density();
    for cloud in clouds {
        let radius = (f64::from(cloud.radius) * density[0].min(density[1])).clamp(1.0, 40.0) as f32;
        for position in cloud.positions.iter().filter(|at| slice.holds(**at)) {
            let at = window.pixel_of(slice.axes.map(|axis| f64::from(position[axis])));
            if at.is_finite() {
                canvas.disc(at, radius + 0.7, from_hex(0xffffff), 0.5);
                canvas.disc(at, radius, from_hex(0x1f4e79), 0.85);
            }
        }
    }
}

/// Draws cell borders, unless they are closer than three pixels.
pub fn grid(canvas: &mut PlotCanvas, window: &Window, slice: &Slice) {
    let ink = from_hex(0x3a3f45);
    let density = window.density();
    for axis in 0..2 {
        if density[axis] * slice.spacing[axis] < 3.0 {
            continue;
        }
        for border in 0..=slice.size[axis] {
            let mut from = slice.bounds().0;
            let mut to = slice.bounds().1;
            from[axis] += border as f64 * slice.spacing[axis];
            to[axis] = from[axis];
            let (from, to) = (window.pixel_of(from), window.pixel_of(to));
            let snapped = |at: Vec2| Vec2::new(at.x.round() + 0.5, at.y.round() + 0.5);
            canvas.line(snapped(from), snapped(to), 0.35, ink);
        }
    }
}
