//! Layer of particles as metaballs.
//!
//! The potential F = Σ m (r/d)² of all particles, with mass m at distance d, is drawn where it exceeds a threshold
//! [blinn1982], as for the candle and the foam of [demeulenaere2008]: a single particle of mass 1 is a disc of nearly radius
//! r at threshold 1; close ones merge. It is evaluated at every pixel. For compact support each term is multiplied by
//! (1 − d²/R²)² with R = 5 r √m. F is singular at every particle; colours follow the number of overlapping particles
//! instead, Σ m r² / (d² + m r²), which is 1 at the centre of a single particle and ½ at its edge.

use glam::Vec2;
use rayon::prelude::*;

use super::compositor::{BlendState, PixelRect};
use super::layer_context::LayerContext;
use super::particles::{chosen, mass};
use super::resample::PixelBuffer;
use crate::DrawError;
use crate::noise::smoothstep;
use crate::plots::MapChoice;
use crate::plots::field::FieldPalette;

/// Radius of support of a particle, in radii of its disc.
const REACH: f32 = 5.0;

/// A layer of particles as metaballs.
#[derive(Debug, Clone, PartialEq)]
pub struct MetaballLayer {
    /// Name of the cloud; `None` for all of them.
    pub cloud: Option<String>,
    /// Radius of a single particle of mass 1 at threshold 1, in metres; `None` for four times that of the particles.
    pub radius: Option<f32>,
    /// Iso-value of the potential at the edge.
    pub threshold: f32,
    /// Width of the soft edge, in ln F; 0 for a sharp one.
    pub softness: f32,
    /// Overlap count at the upper end of the colour map.
    pub core: f32,
    /// The colour map from edge to core.
    pub map: MapChoice,
}

impl Default for MetaballLayer {
    fn default() -> Self {
        MetaballLayer {
            cloud: None,
            radius: None,
            threshold: 1.0,
            softness: 0.0,
            core: 8.0,
            map: MapChoice::Named(String::from("flame")),
        }
    }
}

/// A particle in pixels.
struct ScreenBall {
    at: Vec2,
    /// m r².
    strength: f32,
    reach: f32,
}

impl MetaballLayer {
    pub(super) fn draw(
        &self,
        context: &mut LayerContext<'_>,
        blend_state: BlendState,
    ) -> Result<(), DrawError> {
        let balls = self.balls(context);
        let region = context.compositor.inner;
        let potential = potential(&balls, region);
        let palette = FieldPalette::choose(&self.map, undine_frame::FieldScale::Plain);
        let threshold = self.threshold.max(1e-6);
        let scale = crate::plots::Scale { low: 0.5, high: self.core.max(1.0), is_log: true };
        context.compositor.paint(region, blend_state, |x, y, _| {
            let [force, overlap] = potential.pixels[y * region.width + x];
            // Skip negligible potential
            if force.is_nan() || force <= 1e-3 * threshold {
                return ([0.0; 3], 0.0);
            }
            let above = (force / threshold).ln();
            let [right, down] = potential.slope(x, y);
            let per_pixel = right.hypot(down) / force;
            // A sharp edge is antialiased over a pixel
            let fade = self.softness.max(0.5 * per_pixel).max(1e-4);
            (palette.colour(overlap, &scale), smoothstep(-fade, fade, above))
        });
        Ok(())
    }

    fn balls(&self, context: &LayerContext<'_>) -> Vec<ScreenBall> {
        let mut balls = Vec::new();
        for cloud in chosen(&context.frame.clouds, self.cloud.as_deref()) {
            let radius = self.radius.unwrap_or(4.0 * cloud.radius) * context.density();
            let seen = radius / self.threshold.max(1e-6).sqrt();
            for (index, &position) in cloud.positions.iter().enumerate().filter(|(_, at)| context.holds(**at))
            {
                let (at, mass) = (context.pixel(position), mass(cloud, index));
                let strength = mass * radius * radius;
                // Skip particles of zero mass or without a finite position
                if at.is_finite() && strength.is_finite() && mass > 0.0 {
                    balls.push(ScreenBall {
                        at,
                        strength,
                        reach: (REACH * seen * mass.sqrt()).clamp(1.0, 1e4),
                    });
                }
            }
        }
        balls
    }
}

/// Rows per parallel task.
const BAND: usize = 8;

// The potential and the overlap count at every pixel.
fn potential(balls: &[ScreenBall], region: PixelRect) -> PixelBuffer<2> {
    let mut pixels = vec![[0.0; 2]; region.width * region.height];
    let width = region.width.max(1);
    pixels.par_chunks_mut(BAND * width).enumerate().for_each(|(band, pixels)| {
        let rows = pixels.len() / width;
        let (top, bottom) = ((band * BAND) as f32, (band * BAND + rows) as f32);
        for ball in
            balls.iter().filter(|ball| ball.at.y + ball.reach > top && ball.at.y - ball.reach < bottom)
        {
            for (row, pixels) in pixels.chunks_mut(width).enumerate() {
                ball.add(pixels, top + row as f32 + 0.5);
            }
        }
    });
    PixelBuffer { width: region.width, pixels }
}

impl ScreenBall {
    fn add(&self, pixels: &mut [[f32; 2]], y: f32) {
        let aside = (y - self.at.y).powi(2);
        let limit = self.reach * self.reach;
        if aside >= limit {
            return;
        }
        let half = (limit - aside).sqrt();
        let column = |x: f32| (x.max(0.0) as usize).min(pixels.len());
        let (start, end) = (column(self.at.x - half), column(self.at.x + half + 1.0));
        for (x, pixel) in pixels.iter_mut().enumerate().take(end).skip(start) {
            let distance = (x as f32 + 0.5 - self.at.x).powi(2) + aside;
            let window = (1.0 - distance / limit).max(0.0);
            let windowed = self.strength * window * window;
            // Clamp the singularity at half a pixel
            pixel[0] += windowed / distance.max(0.25);
            pixel[1] += windowed / (distance + self.strength);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REGION: PixelRect = PixelRect { left: 0, top: 0, width: 120, height: 60 };

    fn ball(x: f32, mass: f32) -> ScreenBall {
        let radius: f32 = 10.0;
        ScreenBall {
            at: Vec2::new(x, 30.0),
            strength: mass * radius * radius,
            reach: REACH * radius * mass.sqrt(),
        }
    }

    fn area(balls: &[ScreenBall]) -> usize {
        potential(balls, REGION).pixels.iter().filter(|force| force[0] > 1.0).count()
    }

    #[test]
    fn a_lone_ball_is_a_disc_that_shrinks_with_its_mass() {
        // The window that ends the potential takes a few parts in a hundred off the radius.
        let disc = area(&[ball(60.0, 1.0)]) as f32;
        assert!((0.88..1.0).contains(&(disc / 314.2)), "{disc}");
        let half = area(&[ball(60.0, 0.5)]) as f32;
        assert!((half / disc - 0.5).abs() < 0.03);
    }

    #[test]
    fn close_balls_flow_together() {
        let between = |gap: f32| {
            let plane = potential(&[ball(60.0 - 0.5 * gap, 1.0), ball(60.0 + 0.5 * gap, 1.0)], REGION);
            plane.pixels[30 * 120 + 60][0]
        };
        assert!(between(24.0) > 1.0 && between(44.0) < 1.0);
        assert!(area(&[ball(50.0, 1.0), ball(70.0, 1.0)]) > 2 * area(&[ball(60.0, 1.0)]));
    }
}
