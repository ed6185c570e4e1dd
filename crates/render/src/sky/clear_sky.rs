//! The clear sky by either of two models, from noon to midnight, and a moonlit one.

use glam::{Vec2, Vec3};

use super::atmosphere::Atmosphere;
use super::moonlit::{self, MoonlitSky};
use super::preetham::Preetham;
use super::sun::twilight;
use crate::noise::smoothstep;

/// Model of the clear sky.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SkyKind {
    /// Scattering in a plane-parallel atmosphere, in closed form.
    #[default]
    Slab,
    /// The analytic fit of Preetham, Shirley and Smits.
    Preetham,
    /// A clear night; the direction of the sun is that of the full moon.
    Moonlit,
}

/// Radiance of a moonlit clear night, as a long exposure shows it.
pub(super) const NIGHT: Vec3 = Vec3::new(0.22, 0.34, 0.60);
/// Hue of the sky at dusk.
const BLUE: Vec3 = Vec3::new(0.62, 0.95, 1.6);
/// Tint of the afterglow relative to the glow of a sun above the horizon.
const RED: Vec3 = Vec3::new(1.15, 0.88, 0.85);

/// The clear sky under a sun.
#[derive(Debug, Clone)]
pub struct ClearSky {
    model: SkyModel,
    sunlight: Vec3,
    /// Horizontal direction away from the sun.
    away: Vec2,
    /// Luminance of the sky relative to sunset.
    twilight: f32,
    /// Progress of dusk and of night, each from 0 to 1.
    dusk: f32,
    night: f32,
}

#[derive(Debug, Clone)]
enum SkyModel {
    Slab(Atmosphere),
    Preetham(Preetham),
    Moonlit(MoonlitSky),
}

impl SkyModel {
    // `set` is the fraction of the sun's disc above the horizon.
    fn new(kind: SkyKind, sun: Vec3, turbidity: f32, set: f32) -> Self {
        match kind {
            SkyKind::Slab => SkyModel::Slab(Atmosphere::new(sun, turbidity).with_aureole(set)),
            SkyKind::Preetham => SkyModel::Preetham(Preetham::new(sun, turbidity)),
            SkyKind::Moonlit => SkyModel::Moonlit(MoonlitSky::new(sun)),
        }
    }

    fn sunlight(&self) -> Vec3 {
        match self {
            SkyModel::Slab(sky) => sky.sunlight(),
            SkyModel::Preetham(sky) => sky.sunlight(),
            SkyModel::Moonlit(sky) => sky.moonlight(),
        }
    }

    fn radiance(&self, direction: Vec3) -> Vec3 {
        match self {
            SkyModel::Slab(sky) => sky.radiance(direction),
            SkyModel::Preetham(sky) => sky.radiance(direction),
            SkyModel::Moonlit(sky) => sky.radiance(direction),
        }
    }
}

impl ClearSky {
    /// The sky of this turbidity under a sun in direction `sun`. After sunset it is the sky of sunset, dimmed.
    pub fn new(kind: SkyKind, sun: Vec3, turbidity: f32) -> Self {
        // Near the horizon the slab has too little multiple scattering, and the fit turns unnaturally yellow: the sky
        // takes a sun of at least this height. The sun's own light takes its true air mass.
        let lowest = match kind {
            SkyKind::Slab => 0.052,
            SkyKind::Preetham => 0.096,
            SkyKind::Moonlit => 0.0,
        };
        let lifted = |least: f32| match sun.z < least {
            true => (sun.truncate().normalize_or(Vec2::X) * (1.0 - least * least).sqrt()).extend(least),
            false => sun,
        };
        // No dusk follows when the moon sets
        let elevation = sun.z.clamp(-1.0, 1.0).asin().to_degrees();
        let elevation = if kind == SkyKind::Moonlit { elevation.max(0.0) } else { elevation };
        let set = (sun.z * 25.0 + 1.0).clamp(0.0, 1.0);
        ClearSky {
            model: SkyModel::new(kind, lifted(lowest), turbidity, set),
            sunlight: SkyModel::new(kind, lifted(0.0), turbidity, set).sunlight() * set,
            away: -sun.truncate().normalize_or(Vec2::X),
            twilight: twilight(elevation),
            dusk: smoothstep(0.0, -9.0, elevation),
            night: smoothstep(-4.0, -12.0, elevation),
        }
    }

    /// Irradiance of the sun on a surface that faces it.
    pub fn sunlight(&self) -> Vec3 {
        self.sunlight
    }

    /// Radiance of the stars in a direction, for a pixel `footprint` radians wide; none by day.
    pub fn stars(&self, direction: Vec3, footprint: f32) -> Vec3 {
        match self.model {
            SkyModel::Moonlit(_) => moonlit::stars(direction, footprint),
            SkyModel::Slab(_) | SkyModel::Preetham(_) => Vec3::ZERO,
        }
    }

    /// Radiance of the sky in a direction, without the sun's disc; below the horizon that of the horizon.
    pub fn radiance(&self, direction: Vec3) -> Vec3 {
        let light = self.model.radiance(direction);
        if self.dusk <= 0.0 {
            return light;
        }
        // The afterglow follows the sun down, reddens, and turns blue with the rest of the sky.
        let aside = (self.away * direction.truncate().length()).extend(direction.z);
        let light = light.lerp(self.model.radiance(aside), self.night);
        let luminance = light.dot(Vec3::new(0.2126, 0.7152, 0.0722));
        let hue =
            (light * Vec3::ONE.lerp(RED, (4.0 * self.dusk).min(1.0))).lerp(BLUE * luminance, 0.9 * self.dusk);
        hue * self.twilight + NIGHT * self.dusk
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sky_is_finite_and_never_black_at_any_hour() {
        for kind in [SkyKind::Slab, SkyKind::Preetham] {
            let mut before = f32::INFINITY;
            for step in 0..=180 {
                let angle = (90.0 - step as f32).to_radians();
                let sun = Vec3::new(angle.cos(), 0.0, angle.sin());
                let sky = ClearSky::new(kind, sun, 2.5);
                let zenith = sky.radiance(Vec3::Z);
                assert!(zenith.is_finite() && zenith.min_element() > 0.05, "{kind:?} {step}: {zenith}");
                let afterglow = sky.radiance(Vec3::new(0.99, 0.0, 0.14)).y;
                assert!(sky.sunlight().is_finite() && sky.sunlight().min_element() >= 0.0);
                if step > 90 {
                    assert!(afterglow <= before * 1.02, "{kind:?} {step}: {afterglow} after {before}");
                    assert!(step < 93 || sky.sunlight() == Vec3::ZERO, "no sun at night");
                }
                before = afterglow;
            }
        }
    }
}
