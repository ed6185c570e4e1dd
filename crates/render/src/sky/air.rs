//! The air of a sky, by either of two models, from noon to midnight.

use glam::Vec3;

use super::atmosphere::Atmosphere;
use super::preetham::Preetham;
use super::sun::twilight;
use crate::noise::smoothstep;

/// Where the light of a clear sky comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SkyKind {
    /// Light scattered in a slab of air, in closed form.
    #[default]
    Slab,
    /// The formulae of Preetham, Shirley and Smits.
    Preetham,
}

/// The light of a clear night with a moon somewhere, as a camera shows it.
const NIGHT: Vec3 = Vec3::new(0.05, 0.08, 0.15);

/// Air under a sun.
#[derive(Debug, Clone)]
pub struct Air {
    model: Model,
    /// The share of the sky's light that is left of that at sunset.
    twilight: Vec3,
    /// The light of the night, as far as it has come.
    night: Vec3,
    /// The share of the sun's disc above the horizon.
    set: f32,
}

#[derive(Debug, Clone)]
enum Model {
    Slab(Atmosphere),
    Preetham(Preetham),
}

impl Air {
    /// Air of this turbidity under a sun in direction `sun`. Below the horizon it has the sky of sunset, dimmed.
    pub fn new(kind: SkyKind, sun: Vec3, turbidity: f32) -> Self {
        let risen = if sun.z >= 0.0 { sun } else { sun.with_z(0.0).normalize_or(Vec3::X) };
        let model = match kind {
            SkyKind::Slab => Model::Slab(Atmosphere::new(risen, turbidity)),
            SkyKind::Preetham => Model::Preetham(Preetham::new(risen, turbidity)),
        };
        let elevation = sun.z.clamp(-1.0, 1.0).asin().to_degrees();
        Air {
            model,
            twilight: twilight(elevation),
            night: NIGHT * smoothstep(0.0, -8.0, elevation),
            set: (sun.z * 25.0 + 1.0).clamp(0.0, 1.0),
        }
    }

    /// Light of the sun on a surface that faces it.
    pub fn sunlight(&self) -> Vec3 {
        let light = match &self.model {
            Model::Slab(air) => air.sunlight(),
            Model::Preetham(air) => air.sunlight(),
        };
        light * self.set
    }

    /// Radiance of the air in a direction, without the sun's disc; below the horizon that of the horizon.
    pub fn radiance(&self, direction: Vec3) -> Vec3 {
        let light = match &self.model {
            Model::Slab(air) => air.radiance(direction),
            Model::Preetham(air) => air.radiance(direction),
        };
        light * self.twilight + self.night
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_hour_is_black_or_strange() {
        for kind in [SkyKind::Slab, SkyKind::Preetham] {
            let mut before = f32::INFINITY;
            for step in 0..=180 {
                let angle = (90.0 - step as f32).to_radians();
                let sun = Vec3::new(angle.cos(), 0.0, angle.sin());
                let air = Air::new(kind, sun, 2.5);
                let zenith = air.radiance(Vec3::Z);
                assert!(zenith.is_finite() && zenith.min_element() > 0.03, "{kind:?} {step}: {zenith}");
                let afterglow = air.radiance(Vec3::new(0.99, 0.0, 0.14)).y;
                assert!(air.sunlight().is_finite() && air.sunlight().min_element() >= 0.0);
                if step > 90 {
                    assert!(afterglow <= before * 1.02, "{kind:?} {step}: {afterglow} after {before}");
                    assert!(step < 93 || air.sunlight() == Vec3::ZERO, "no sun at night");
                }
                before = afterglow;
            }
        }
    }
}
