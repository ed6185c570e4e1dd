//! Strokes with smooth edges, drawn by all threads: each band of rows takes the strokes that touch it, in their order.

use glam::Vec2;
use rayon::prelude::*;

use super::sheet::{Region, Sheet, Style};
use crate::colour::mix;
use crate::plots::canvas::Ink;

/// Rows of a band.
const BAND: usize = 16;
/// Strokes farther out than this are not drawn: nobody sees them, and their pixels could not be counted.
const FAR: f32 = 1e5;

/// A straight stroke with round ends that may taper; a dot where both ends are the same.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stroke {
    /// Its start in pixels.
    pub from: Vec2,
    /// Its end.
    pub to: Vec2,
    /// Half its thickness at both ends.
    pub half: [f32; 2],
    /// Pixels over which its edge fades: 1 for a crisp one.
    pub edge: f32,
    /// Its colour.
    pub ink: Ink,
    /// How much it covers.
    pub cover: f32,
}

impl Stroke {
    fn reach(&self) -> f32 {
        self.half[0].max(self.half[1]).max(0.5) + 1.0
    }

    fn is_near(&self, region: Region) -> bool {
        let (low, high) = (self.from.min(self.to) - self.reach(), self.from.max(self.to) + self.reach());
        let is_finite = self.from.abs().max_element() < FAR && self.to.abs().max_element() < FAR;
        let reaches = high.x >= 0.0 && high.y >= 0.0;
        is_finite && reaches && low.x < region.width as f32 && low.y < region.height as f32
    }

    fn cover_at(&self, at: Vec2) -> f32 {
        let along = self.to - self.from;
        let share = ((at - self.from).dot(along) / along.length_squared().max(1e-12)).clamp(0.0, 1.0);
        let half = self.half[0] + (self.half[1] - self.half[0]) * share;
        let distance = (at - self.from - along * share).length();
        // A stroke thinner than a pixel becomes paler instead.
        let (drawn, strength) = (half.max(0.5), (2.0 * half).clamp(0.0, 1.0));
        let inside = ((drawn + 0.5 - distance) / self.edge.max(1.0)).clamp(0.0, 1.0);
        let eased = if self.edge > 1.0 { inside * inside * (3.0 - 2.0 * inside) } else { inside };
        self.cover * strength * eased
    }
}

/// How strokes of one layer meet each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meeting {
    /// They are parts of lines: where they overlap they cover once.
    Joined,
    /// Each covers what is below it.
    Piled,
}

/// Draws strokes onto the box of a sheet as one layer.
pub fn draw(strokes: &[Stroke], meeting: Meeting, sheet: &mut Sheet, style: Style) {
    let region = sheet.inner;
    let bands = sorted(strokes, region);
    let width = sheet.light.width.max(1);
    let rows = &mut sheet.light.pixels[region.top * width..(region.top + region.height) * width];
    rows.par_chunks_mut(BAND * width).zip(&bands).enumerate().for_each(|(band, (pixels, chosen))| {
        let first_row = band * BAND;
        let mut layer = vec![([0.0; 3], 0.0); region.width * (pixels.len() / width)];
        for &stroke in chosen {
            lay(&strokes[stroke as usize], meeting, &mut layer, region.width, first_row);
        }
        for (row, inks) in pixels.chunks_mut(width).zip(layer.chunks(region.width.max(1))) {
            for (pixel, (ink, cover)) in row[region.left..].iter_mut().zip(inks) {
                *pixel = style.laid(*pixel, *ink, *cover);
            }
        }
    });
}

// The strokes that touch each band.
fn sorted(strokes: &[Stroke], region: Region) -> Vec<Vec<u32>> {
    let mut bands = vec![Vec::new(); region.height.div_ceil(BAND)];
    let last = bands.len().saturating_sub(1);
    for (index, stroke) in strokes.iter().enumerate().filter(|(_, stroke)| stroke.is_near(region)) {
        let band = |y: f32| (y.max(0.0) as usize / BAND).min(last);
        let (top, bottom) = (stroke.from.y.min(stroke.to.y), stroke.from.y.max(stroke.to.y));
        for band in band(top - stroke.reach())..=band(bottom + stroke.reach()) {
            bands[band].push(index as u32);
        }
    }
    bands
}

fn lay(stroke: &Stroke, meeting: Meeting, layer: &mut [(Ink, f32)], width: usize, first_row: usize) {
    let span = |from: f32, to: f32, first: usize, count: usize| {
        let start = (from.min(to) - stroke.reach() - first as f32).max(0.0) as usize;
        let end = (from.max(to) + stroke.reach() - first as f32 + 1.0).max(0.0) as usize;
        start.min(count)..end.min(count)
    };
    let height = layer.len() / width.max(1);
    for y in span(stroke.from.y, stroke.to.y, first_row, height) {
        for x in span(stroke.from.x, stroke.to.x, 0, width) {
            let cover = stroke.cover_at(Vec2::new(x as f32 + 0.5, (first_row + y) as f32 + 0.5));
            if cover > 0.0 {
                let (ink, covered) = &mut layer[y * width + x];
                let whole = match meeting {
                    Meeting::Joined => covered.max(cover),
                    Meeting::Piled => *covered + cover * (1.0 - *covered),
                };
                *ink = mix(*ink, stroke.ink, (cover / whole).min(1.0));
                *covered = whole;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flat::layer::Blend;
    use crate::picture::Radiance;

    const STYLE: Style = Style { opacity: 1.0, blend: Blend::Over };

    fn drawn(strokes: &[Stroke], meeting: Meeting) -> Radiance {
        let mut sheet = Sheet::new(Radiance::filled(60, 40, [0.0; 3]), 0, [0.0; 2], [60.0, 40.0]);
        draw(strokes, meeting, &mut sheet, STYLE);
        sheet.light
    }

    fn light(radiance: &Radiance) -> f32 {
        radiance.pixels.iter().map(|pixel| pixel[0]).sum()
    }

    fn dot(x: f32, y: f32, half: f32) -> Stroke {
        let at = Vec2::new(x, y);
        Stroke { from: at, to: at, half: [half; 2], edge: 1.0, ink: [1.0; 3], cover: 1.0 }
    }

    #[test]
    fn strokes_cover_their_area() {
        assert!((light(&drawn(&[dot(30.2, 19.7, 8.0)], Meeting::Piled)) - 201.1).abs() < 2.0);
        let wedge = Stroke { to: Vec2::new(50.0, 20.0), half: [4.0, 0.0], ..dot(10.0, 20.0, 0.0) };
        let area = 40.0 * 4.0 + 0.5 * 50.3;
        assert!((light(&drawn(&[wedge], Meeting::Joined)) - area).abs() < 6.0);
        let hair = Stroke { to: Vec2::new(50.0, 20.5), half: [0.05; 2], ..dot(10.0, 20.5, 0.0) };
        assert!((light(&drawn(&[hair], Meeting::Joined)) - 4.0).abs() < 0.5, "thin lines are pale");
    }

    #[test]
    fn joined_strokes_cover_once_and_piled_ones_add_up() {
        let pale = Stroke { cover: 0.5, ..dot(30.0, 20.0, 6.0) };
        let middle = |meeting| drawn(&[pale, pale], meeting).pixels[20 * 60 + 30][0];
        assert_eq!((middle(Meeting::Joined), middle(Meeting::Piled)), (0.5, 0.75));
    }

    #[test]
    fn strokes_far_away_are_left_out() {
        let lost = [f32::NAN, f32::INFINITY, -1e30, 1e30, -50.0, 5000.0].map(|x| dot(x, 20.0, 3.0));
        assert_eq!(light(&drawn(&lost, Meeting::Piled)), 0.0);
    }
}
