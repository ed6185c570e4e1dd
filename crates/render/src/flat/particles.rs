//! Layer of particles as dots, or as streaks along their velocity.

use undine_frame::{Cloud, FieldScale, Quantity};

use super::compositor::BlendState;
use super::layer_context::LayerContext;
use super::strokes::{self, StrokeOverlap, TaperedStroke};
use crate::DrawError;
use crate::plots::canvas::LinearRgb;
use crate::plots::field::FieldPalette;
use crate::plots::{MapChoice, Scale};

/// Quantity that colours particles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColourBy {
    /// None: one colour.
    #[default]
    Nothing,
    /// Speed.
    Speed,
    /// Mass.
    Mass,
    /// The colour attribute of the particles.
    Colour,
}

/// A layer of particles.
#[derive(Debug, Clone, PartialEq)]
pub struct ParticleLayer {
    /// Name of the cloud; `None` for all of them.
    pub cloud: Option<String>,
    /// Radius in metres; `None` for that of the particles.
    pub radius: Option<f32>,
    /// Fraction of the radius over which the edge fades, 0 to 1.
    pub softness: f32,
    /// Length of streaks in seconds of motion; 0 for dots.
    pub streak: f32,
    /// Their colour, linear.
    pub colour: LinearRgb,
    /// Quantity shown by `map`.
    pub by: ColourBy,
    /// The colour map.
    pub map: MapChoice,
    /// Ends of its scale; `None` to fit the values.
    pub limits: Option<[f32; 2]>,
}

impl Default for ParticleLayer {
    fn default() -> Self {
        ParticleLayer {
            cloud: None,
            radius: None,
            softness: 0.0,
            streak: 0.0,
            colour: [1.0; 3],
            by: ColourBy::Nothing,
            map: MapChoice::Auto,
            limits: None,
        }
    }
}

/// The mass of a particle; 1 if the cloud has none.
pub fn mass(cloud: &Cloud, index: usize) -> f32 {
    let masses = cloud.attributes.iter().find(|attribute| attribute.quantity == Quantity::Mass);
    masses.and_then(|masses| masses.values.get(index)).copied().unwrap_or(1.0)
}

// The colour attribute of a particle.
fn own_colour(cloud: &Cloud, index: usize) -> Option<LinearRgb> {
    cloud.colours().map(|colours| colours[index].map(|fraction| fraction.clamp(0.0, 1.0)))
}

/// The clouds of a frame that a layer names.
pub fn chosen<'f>(clouds: &'f [Cloud], name: Option<&str>) -> impl Iterator<Item = &'f Cloud> {
    clouds.iter().filter(move |cloud| name.is_none_or(|name| cloud.name == name))
}

impl ParticleLayer {
    pub(super) fn draw(
        &self,
        context: &mut LayerContext<'_>,
        blend_state: BlendState,
    ) -> Result<(), DrawError> {
        let clouds = || chosen(&context.frame.clouds, self.cloud.as_deref());
        let palette = FieldPalette::choose(&self.map, FieldScale::Plain);
        let scale = self.scale(clouds());
        let mut strokes = Vec::new();
        for cloud in clouds() {
            let radius = self.radius.unwrap_or(cloud.radius) * context.density();
            let half = radius.clamp(0.4, 1e4);
            let edge = 1.0 + (half - 0.5).max(0.0) * self.softness.clamp(0.0, 1.0);
            for (index, &position) in cloud.positions.iter().enumerate().filter(|(_, at)| context.holds(**at))
            {
                let to = context.pixel(position);
                let velocity = cloud.velocities.get(index).copied().unwrap_or_default();
                let from = to - context.pixel_velocity(velocity) * self.streak;
                // Streaks taper towards the past position
                let tail = if self.streak > 0.0 { 0.15 * half } else { half };
                strokes.push(TaperedStroke {
                    from,
                    to,
                    half: [tail, half],
                    edge,
                    ink: self.colour(cloud, index, &palette, &scale),
                    cover: 1.0,
                });
            }
        }
        strokes::draw(&strokes, StrokeOverlap::Over, &mut context.compositor, blend_state);
        Ok(())
    }

    /// The colour of a particle.
    pub(crate) fn colour(
        &self,
        cloud: &Cloud,
        index: usize,
        palette: &FieldPalette,
        scale: &Scale,
    ) -> LinearRgb {
        match self.by {
            ColourBy::Nothing => self.colour,
            ColourBy::Colour => own_colour(cloud, index).unwrap_or(self.colour),
            ColourBy::Speed | ColourBy::Mass => palette.colour(self.measured(cloud, index), scale),
        }
    }

    fn measured(&self, cloud: &Cloud, index: usize) -> f32 {
        match self.by {
            ColourBy::Mass => mass(cloud, index),
            _ => glam::Vec3::from(cloud.velocities.get(index).copied().unwrap_or_default()).length(),
        }
    }

    /// The scale of the shown quantity.
    pub(crate) fn scale<'p>(&self, clouds: impl Iterator<Item = &'p Cloud>) -> Scale {
        let values =
            clouds.flat_map(|cloud| (0..cloud.positions.len()).map(|index| self.measured(cloud, index)));
        let [low, high] = self.limits.unwrap_or_else(|| {
            let finite = values.filter(|value| value.is_finite());
            finite.fold([0.0, 0.0], |[low, high], value| [f32::min(low, value), f32::max(high, value)])
        });
        Scale::new(low, high, false)
    }
}
