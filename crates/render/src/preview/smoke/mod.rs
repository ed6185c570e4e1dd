//! Volume rendering of smoke.
//!
//! Along a ray the radiance obeys the transfer equation dL/ds = −σ L + σ ϖ S, where σ is the extinction, proportional to the
//! density field, ϖ the single-scattering albedo, and S the in-scattered light of sun and surroundings [max1995]. Rays are
//! marched in steps of half a sample; each step absorbs 1 − exp(−σ Δs). Multiple scattering is a sum of octaves of single
//! scattering with reduced extinction, contribution and anisotropy [wrenninge2013]. Smoke does not refract, emit or light
//! other objects; it casts shadows.

mod density_grid;
mod light;

use glam::Vec3;
use undine_frame::{FieldChoice, Frame, Quantity, Raster};

use crate::sky::Sky;
pub use density_grid::DensityGrid;
use density_grid::Occupancy;
use light::{LightField, SmokeLights};

/// Ray-marching steps per sample of the field.
const STEPS: f32 = 2.0;
/// Transmittance below which ray marching ends.
const OPAQUE: f32 = 0.004;
/// Default optical depth of smoke of value 1 across the longest side of the box.
const USUAL_DEPTH: f32 = 30.0;

/// Parameters of smoke.
#[derive(Debug, Clone, PartialEq)]
pub struct SmokeSpec {
    /// Name of the field; `None` for the first smoke field, if there is any.
    pub field: Option<String>,
    /// Extinction coefficient of smoke of value 1; `None` to scale it to the box.
    pub density: Option<f32>,
    /// Single-scattering albedo, linear.
    pub colour: [f32; 3],
}

impl SmokeSpec {
    /// The field that it renders.
    pub fn choice(&self) -> FieldChoice {
        self.field.as_deref().map_or(FieldChoice::Of(Quantity::Smoke), FieldChoice::from)
    }
}

impl Default for SmokeSpec {
    fn default() -> Self {
        SmokeSpec { field: None, density: None, colour: [0.9, 0.9, 0.9] }
    }
}

/// The smoke of a frame with its precomputed light.
#[derive(Debug, Clone)]
pub struct Smoke {
    volume: DensityGrid,
    occupancy: Occupancy,
    extinction: f32,
    light: LightField,
}

/// The density of the requested smoke field, if the frame has it and it is 3-D.
pub fn find(spec: &SmokeSpec, frame: &Frame) -> Option<DensityGrid> {
    let choice = spec.choice();
    let is_meant = |raster: &&Raster| choice.fits(&raster.name, raster.quantity);
    frame.fields.iter().filter(is_meant).find_map(DensityGrid::of)
}

impl Smoke {
    /// Computes the light in smoke: the sun, with visibility `is_lit` past solid bodies, and `around`, the mean ambient
    /// radiance.
    pub fn new(
        spec: &SmokeSpec,
        volume: DensityGrid,
        sky: &Sky,
        around: Vec3,
        is_lit: impl Fn(Vec3) -> f32 + Sync,
    ) -> Smoke {
        let [low, high] = volume.corners();
        let extinction = spec.density.unwrap_or(USUAL_DEPTH / (high - low).max_element());
        let occupancy = Occupancy::new(&volume);
        let lights = SmokeLights { sun: sky.sun, sunlight: sky.sunlight, around, colour: spec.colour.into() };
        let depth =
            |from: Vec3, direction: Vec3| optical_depth(&volume, &occupancy, from, direction) * extinction;
        let light = LightField::new(&volume, lights, depth, is_lit);
        Smoke { volume, occupancy, extinction, light }
    }

    /// Transmittance of the smoke from a point towards the sun.
    pub fn transmittance(&self, point: Vec3, sun: Vec3) -> f32 {
        (-self.extinction * optical_depth(&self.volume, &self.occupancy, point, sun)).exp()
    }

    /// Marches a ray up to `limit`; returns in-scattered radiance and transmittance. `start` jitters the first step by a
    /// fraction, to avoid banding.
    pub fn march(&self, eye: Vec3, direction: Vec3, limit: f32, start: f32) -> (Vec3, f32) {
        let (mut light, mut transmitted) = (Vec3::ZERO, 1.0);
        let Some([enters, leaves]) = self.volume.ray_interval(eye, direction) else {
            return (light, transmitted);
        };
        let (end, step) = (leaves.min(limit), self.volume.spacing() / STEPS);
        let scattered = self.light.scattered_towards(direction);
        let mut at = enters + start * step;
        while at < end && transmitted > OPAQUE {
            let point = eye + direction * at;
            let skipped = self.occupancy.empty_steps(&self.volume, point) * self.volume.spacing();
            if skipped > 0.0 {
                at += skipped;
                continue;
            }
            let density = self.extinction * self.volume.at(point);
            if density > 0.0 {
                let kept = (-density * step.min(end - at)).exp();
                light += transmitted * (1.0 - kept) * scattered.at(point);
                transmitted *= kept;
            }
            at += step;
        }
        (light, transmitted)
    }
}

/// Line integral of the density along a ray from a point.
fn optical_depth(volume: &DensityGrid, occupancy: &Occupancy, from: Vec3, direction: Vec3) -> f32 {
    let Some([enters, leaves]) = volume.ray_interval(from, direction) else { return 0.0 };
    let step = volume.spacing();
    let (mut at, mut depth) = (enters + 0.5 * step, 0.0);
    while at < leaves {
        let point = from + direction * at;
        let skipped = occupancy.empty_steps(volume, point) * step;
        depth += if skipped > 0.0 { 0.0 } else { volume.at(point) * step };
        at += if skipped > 0.0 { skipped } else { step };
    }
    depth
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(value: f32) -> Smoke {
        let volume =
            DensityGrid::new(Vec3::splat(0.05), Vec3::splat(0.1), [10; 3], vec![value; 1000]).unwrap();
        let spec = SmokeSpec { density: Some(2.0), colour: [1.0; 3], ..SmokeSpec::default() };
        Smoke::new(&spec, volume, &Sky::uniform(Vec3::ONE), Vec3::ONE, |_| 1.0)
    }

    #[test]
    fn light_behind_smoke_is_absorbed_by_its_depth() {
        let (eye, ahead) = (Vec3::new(-1.0, 0.5, 0.5), Vec3::X);
        let (_, transmitted) = block(0.5).march(eye, ahead, f32::INFINITY, 0.0);
        assert!((transmitted - (-1.0f32).exp()).abs() < 1e-3, "{transmitted}");
        let (_, half) = block(0.5).march(eye, ahead, 1.5, 0.0);
        assert!((half - (-0.5f32).exp()).abs() < 1e-3, "{half}");
        assert_eq!(block(0.5).march(eye, ahead, 0.9, 0.0), (Vec3::ZERO, 1.0));
        assert_eq!(block(0.5).march(eye, -ahead, f32::INFINITY, 0.0), (Vec3::ZERO, 1.0));
        assert!((block(0.5).transmittance(Vec3::new(0.5, 0.5, -1.0), Vec3::Z) - transmitted).abs() < 1e-2);
    }

    // White smoke in light that is the same all around cannot be brighter than that light.
    #[test]
    fn smoke_conserves_energy() {
        for value in [0.0, 0.1, 1.0, 50.0] {
            let (light, transmitted) =
                block(value).march(Vec3::new(-1.0, 0.5, 0.5), Vec3::X, f32::INFINITY, 0.3);
            assert!(light.max_element() + transmitted <= 1.0 + 1e-4, "{light} and {transmitted}");
        }
    }
}
