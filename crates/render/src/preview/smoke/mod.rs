//! Smoke: light through a cloud of small particles.
//!
//! Along a ray the radiance obeys dL/ds = −σ L + σ ϖ S, where σ is the extinction, which is proportional to the field
//! of smoke, ϖ the colour of the smoke, and S the light scattered in from the sun and from all around [max1995]. The
//! ray is marched through the box of the field in steps of half a sample; each step absorbs 1 − exp(−σ Δs). Light that
//! is scattered more than once is a sum of ever softer and weaker copies of light that is scattered once
//! [wrenninge2013]. Smoke does not refract, glow or light other things; it does cast a shadow.

mod density_grid;
mod light;

use glam::Vec3;
use undine_frame::{FieldChoice, Frame, Quantity, Raster};

use crate::sky::Sky;
pub use density_grid::DensityGrid;
use density_grid::Occupancy;
use light::{LightField, SmokeLights};

/// Steps of a ray per sample of the field.
const STEPS: f32 = 2.0;
/// A ray ends where less than this fraction of the light behind comes through.
const OPAQUE: f32 = 0.004;
/// Optical depth of smoke of value 1 across the whole box, unless the scene says otherwise.
const USUAL_DEPTH: f32 = 30.0;

/// How smoke is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct SmokeSpec {
    /// The field; `None` for one of smoke, if there is any.
    pub field: Option<String>,
    /// Extinction per metre of smoke of value 1; `None` to suit the size of the box.
    pub density: Option<f32>,
    /// Linear colour: the fraction of light that it scatters rather than absorbs.
    pub colour: [f32; 3],
}

impl SmokeSpec {
    /// The field that it shows.
    pub fn choice(&self) -> FieldChoice {
        self.field.as_deref().map_or(FieldChoice::Of(Quantity::Smoke), FieldChoice::from)
    }
}

impl Default for SmokeSpec {
    fn default() -> Self {
        SmokeSpec { field: None, density: None, colour: [0.9, 0.9, 0.9] }
    }
}

/// The smoke of a frame, with the light in it.
#[derive(Debug, Clone)]
pub struct Smoke {
    volume: DensityGrid,
    occupancy: Occupancy,
    extinction: f32,
    light: LightField,
}

/// The field of smoke that a picture asks for, if the frame has it and it fills a box.
pub fn find(spec: &SmokeSpec, frame: &Frame) -> Option<DensityGrid> {
    let choice = spec.choice();
    let is_meant = |raster: &&Raster| choice.fits(&raster.name, raster.quantity);
    frame.fields.iter().filter(is_meant).find_map(DensityGrid::of)
}

impl Smoke {
    /// Lights a field of smoke by the sun, where `is_lit` tells what solid things leave of it, and by `around`, the mean
    /// radiance of all other directions.
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
        let lamps = SmokeLights { sun: sky.sun, sunlight: sky.sunlight, around, colour: spec.colour.into() };
        let depth =
            |from: Vec3, direction: Vec3| optical_depth(&volume, &occupancy, from, direction) * extinction;
        let light = LightField::new(&volume, lamps, depth, is_lit);
        Smoke { volume, occupancy, extinction, light }
    }

    /// The fraction of the sun that reaches a point through the smoke.
    pub fn transmittance(&self, point: Vec3, sun: Vec3) -> f32 {
        (-self.extinction * optical_depth(&self.volume, &self.occupancy, point, sun)).exp()
    }

    /// The light that smoke sends along a ray up to `limit`, and the fraction of the light behind that comes through.
    /// `start` shifts the steps by a fraction of one, so that neighbouring rays do not all step alike.
    pub fn march(&self, eye: Vec3, direction: Vec3, limit: f32, start: f32) -> (Vec3, f32) {
        let (mut light, mut clear) = (Vec3::ZERO, 1.0);
        let Some([enters, leaves]) = self.volume.ray_interval(eye, direction) else { return (light, clear) };
        let (end, step) = (leaves.min(limit), self.volume.spacing() / STEPS);
        let scattered = self.light.towards(direction);
        let mut at = enters + start * step;
        while at < end && clear > OPAQUE {
            let point = eye + direction * at;
            let free = self.occupancy.empty_steps(&self.volume, point) * self.volume.spacing();
            if free > 0.0 {
                at += free;
                continue;
            }
            let density = self.extinction * self.volume.at(point);
            if density > 0.0 {
                let kept = (-density * step.min(end - at)).exp();
                light += clear * (1.0 - kept) * scattered.at(point);
                clear *= kept;
            }
            at += step;
        }
        (light, clear)
    }
}

/// The sum of a volume's values along a ray from a point, in metres.
fn optical_depth(volume: &DensityGrid, occupancy: &Occupancy, from: Vec3, direction: Vec3) -> f32 {
    let Some([enters, leaves]) = volume.ray_interval(from, direction) else { return 0.0 };
    let step = volume.spacing();
    let (mut at, mut depth) = (enters + 0.5 * step, 0.0);
    while at < leaves {
        let point = from + direction * at;
        let free = occupancy.empty_steps(volume, point) * step;
        depth += if free > 0.0 { 0.0 } else { volume.at(point) * step };
        at += if free > 0.0 { free } else { step };
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
        let (_, clear) = block(0.5).march(eye, ahead, f32::INFINITY, 0.0);
        assert!((clear - (-1.0f32).exp()).abs() < 1e-3, "{clear}");
        let (_, half) = block(0.5).march(eye, ahead, 1.5, 0.0);
        assert!((half - (-0.5f32).exp()).abs() < 1e-3, "{half}");
        assert_eq!(block(0.5).march(eye, ahead, 0.9, 0.0), (Vec3::ZERO, 1.0));
        assert_eq!(block(0.5).march(eye, -ahead, f32::INFINITY, 0.0), (Vec3::ZERO, 1.0));
        assert!((block(0.5).transmittance(Vec3::new(0.5, 0.5, -1.0), Vec3::Z) - clear).abs() < 1e-2);
    }

    // White smoke in light that is the same all around cannot be brighter than that light.
    #[test]
    fn smoke_makes_no_light() {
        for value in [0.0, 0.1, 1.0, 50.0] {
            let (light, clear) = block(value).march(Vec3::new(-1.0, 0.5, 0.5), Vec3::X, f32::INFINITY, 0.3);
            assert!(light.max_element() + clear <= 1.0 + 1e-4, "{light} and {clear}");
        }
    }
}
