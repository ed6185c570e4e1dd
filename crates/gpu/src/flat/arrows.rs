//! A vector field as arrows on a regular grid of the page.

use glam::{DVec2, Vec2};
use undine_render::plots::Slice;

use super::marks::StrokeInstance;
use super::page::PageViewport;

/// Fewest and most pixels between arrows.
const SPACINGS: [f32; 2] = [6.0, 1e4];

/// Arrows of a field, `spacing` pixels apart. The longest vector of the field is drawn nearly as long as the spacing.
pub fn arrows(slice: &Slice, page: &PageViewport, spacing: f32, colour: [f32; 3]) -> Vec<StrokeInstance> {
    let spacing = if spacing.is_nan() { SPACINGS[1] } else { spacing.clamp(SPACINGS[0], SPACINGS[1]) };
    let longest = slice.range().map_or(0.0, |(_, high)| high);
    if longest <= 0.0 {
        return Vec::new();
    }
    let (low, high) = slice.bounds();
    let counts = (page.size / spacing).ceil();
    let mut strokes = Vec::new();
    for row in 0..counts.y as u32 {
        for column in 0..counts.x as u32 {
            let at = (Vec2::new(column as f32, row as f32) + 0.5) * spacing;
            let position = page.position(at);
            let is_inside = (0..2).all(|axis| position[axis] >= low[axis] && position[axis] <= high[axis]);
            if !is_inside {
                continue;
            }
            let reach =
                Vec2::from(slice.interpolate_vector(position.to_array())) * (0.95 * spacing / longest);
            if reach.is_finite() && reach.length() > 0.75 {
                strokes.extend(arrow(page, position, reach.clamp_length_max(spacing), spacing, colour));
            }
        }
    }
    strokes
}

// An arrow as a shaft and a tapering head; `reach` is the whole vector in pixels.
fn arrow(
    page: &PageViewport,
    middle: DVec2,
    reach: Vec2,
    spacing: f32,
    [red, green, blue]: [f32; 3],
) -> [StrokeInstance; 2] {
    let length = reach.length();
    let thickness = (0.07 * spacing).clamp(1.0, 2.5);
    let head = (0.4 * length).min(5.0 * thickness);
    let half = 0.5 * thickness * (length / spacing).clamp(0.35, 1.0);
    let metres = |pixels: Vec2| (middle + pixels.as_dvec2() / page.density).as_vec2().to_array();
    let neck = reach * (0.5 - head / length.max(1e-6));
    let colour = [red, green, blue, 1.0];
    let shaft = StrokeInstance { from: metres(-0.5 * reach), to: metres(neck), halves: [half; 2], colour };
    [
        shaft,
        StrokeInstance { from: metres(neck), to: metres(0.5 * reach), halves: [0.38 * head, 0.0], colour },
    ]
}

#[cfg(test)]
mod tests {
    use undine_frame::{Quantity, Raster};

    use super::*;
    use crate::FlatView;

    #[test]
    fn arrows_follow_the_field_and_do_not_overlap() {
        let values = (0..64).flat_map(|cell| [0.1 * cell as f32, 0.0]).collect();
        let quantity = Quantity::Velocity;
        let raster = Raster {
            size: [8, 8, 1],
            components: 2,
            quantity,
            spacing: [0.125; 3],
            values,
            ..Raster::default()
        };
        let view = FlatView { centre: [0.4375; 2], height: 1.0, background: [0.0; 3], layers: Vec::new() };
        let page = PageViewport::new(&view, [200, 200]);
        let strokes = arrows(&Slice::new(&raster, None, None), &page, 20.0, [1.0; 3]);
        assert!(strokes.len() > 150, "{}", strokes.len());
        for pair in strokes.chunks(2) {
            let long = (pair[1].to[0] - pair[0].from[0]) * 200.0;
            assert!(long > 0.0 && long <= 20.0 && pair[0].from[1] == pair[1].to[1]);
        }
    }
}
