//! Outlines of 2-D liquids on a page.

use undine_frame::Frame;

use super::marks::StrokeInstance;

/// Half the thickness of an outline in pixels.
const HALF: f32 = 0.75;

/// A white stroke along every segment of the outlines of a frame; none on a page that does not show their plane.
pub fn strokes(frame: &Frame, axes: [usize; 2]) -> Vec<StrokeInstance> {
    let shown = frame.curves().filter(|_| axes == [0, 1]);
    let segments = shown.flat_map(|(_, curves)| curves.segments());
    let is_finite = |[from, to]: &[[f32; 2]; 2]| from.iter().chain(to).all(|metres| metres.is_finite());
    let stroke = |[from, to]: [[f32; 2]; 2]| StrokeInstance { from, to, halves: [HALF; 2], colour: [1.0; 4] };
    segments.filter(is_finite).map(stroke).collect()
}

#[cfg(test)]
mod tests {
    use undine_frame::{Curves, Surface, SurfaceRole, SurfaceShape};

    use super::*;

    #[test]
    fn every_finite_segment_has_a_stroke() {
        let loops = [vec![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], vec![[f32::NAN; 2], [2.0, 2.0], [3.0, 2.0]]];
        let shape = SurfaceShape::Curve(Curves::new(loops, [[0.0; 2], [4.0; 2]], 0.1));
        let surface = Surface {
            name: "drop".into(),
            water: 0,
            role: SurfaceRole::Water,
            shape,
            attributes: Vec::new(),
        };
        let frame = Frame { surfaces: vec![surface], ..Frame::default() };
        let ends: Vec<_> = strokes(&frame, [0, 1]).iter().map(|stroke| (stroke.from, stroke.to)).collect();
        assert_eq!(ends.len(), 4);
        assert_eq!(ends[2], ([0.0, 1.0], [0.0, 0.0]));
        assert!(strokes(&frame, [0, 2]).is_empty());
    }
}
