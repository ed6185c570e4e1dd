//! Animated normal maps of ripples below the resolution of the simulation.
//!
//! The sum of two tiles of different size and orientation. Each tile is a sum of periodic waves that travel at the speed of
//! gravity–capillary waves, ω² = g k + (σ/ρ) k³. Low-frequency noise (gusts) modulates their amplitude. On running water,
//! [`FlowRipples`] are added.

use std::f32::consts::{PI, TAU};

use glam::{Vec2, Vec3, Vec4};
use rayon::prelude::*;

use super::flow_ripples::{Flow, FlowPhases, FlowRipples};
use super::slope_map::{SlopeMap, Slopes};
use crate::noise::{fractal, unit};

/// Texels along the side of a tile.
const SIDE: usize = 256;
/// Greatest angle in radians of waves that wind raises to its direction, and between the two tiles.
const WIND_SPREAD: f32 = 1.25;
const TURN: f32 = 0.61;
/// Waves up to this angle in radians from their direction.
fn wind(spread: f32) -> Spectrum {
    Spectrum { waves: 44, longest: 4.0, range: 9.0, strongest: 9.0, spread: Some(spread) }
}

/// Standard gravity in m/s², and the surface tension of water over its density in m³/s².
const GRAVITY: f32 = 9.81;
const TENSION: f32 = 7.4e-5;

/// Parameters of ripples.
#[derive(Debug, Clone, PartialEq)]
pub struct RippleSpec {
    /// Root mean square slope of the ripples; 0 for none.
    pub strength: f32,
    /// Wavelength of the strongest ripples in metres.
    pub scale: f32,
    /// Mean direction of travel, in degrees from +x towards +y.
    pub direction: f32,
    /// Greatest angle of a ripple to that direction, in degrees: with a small one the ripples have long crests
    /// [schachter1980]. `None` for those that wind raises.
    pub spread: Option<f32>,
    /// Root mean square slope of the ripples of fast water over land; 0 for none.
    pub flow_strength: f32,
    /// Wavelength of the strongest of these in metres; `None` for twice the spacing of the water's samples.
    pub flow_scale: Option<f32>,
    /// Speed at which these play, relative to the water: less than 1 for a time lapse.
    pub flow_rate: f32,
}

impl Default for RippleSpec {
    fn default() -> Self {
        RippleSpec {
            strength: 0.05,
            scale: 0.45,
            direction: 20.0,
            spread: None,
            flow_strength: 0.0,
            flow_scale: None,
            flow_rate: 1.0,
        }
    }
}

impl RippleSpec {
    /// Phases of the ripples on running water at `time` seconds. `usual` is their wavelength where none is given.
    pub fn flow_phases(&self, usual: f32, time: f64, seed: u32) -> FlowPhases {
        FlowPhases::new(self.flow_scale.unwrap_or(usual), time * f64::from(self.flow_rate), seed)
    }
}

/// The ripples at one time.
#[derive(Debug, Clone)]
pub struct Ripples {
    tiles: Option<[SlopeMap; 2]>,
    strength: f32,
    patch: f32,
    drift: Vec2,
    seed: u32,
    flowing: Option<FlowRipples>,
}

impl Ripples {
    /// The ripples of `spec` at `time` seconds.
    pub fn new(spec: &RippleSpec, time: f64, seed: u32) -> Self {
        let heading = Vec2::from_angle(spec.direction.to_radians());
        let drawn = spec.strength > 0.0 && spec.scale > 0.0;
        // The angle and size ratio of the tiles hide their repetition
        let tiles = drawn.then(|| {
            let spread = spec.spread.map_or(WIND_SPREAD, f32::to_radians);
            let wind = wind(spread);
            let turned = Vec2::from_angle(TURN.min(0.5 * spread)).rotate(heading);
            [
                tile(&wind, spec.scale * 13.0, heading, time, seed ^ 0xa1),
                tile(&wind, spec.scale * 13.0 * 0.377, turned, time, seed ^ 0xb2),
            ]
        });
        let patch = (spec.scale * 45.0).max(1e-3);
        // Gusts travel at 0.9 m/s
        let drift = heading * (0.9 * time / f64::from(patch)) as f32;
        Ripples { tiles, strength: spec.strength, patch, drift, seed, flowing: None }
    }

    /// The same with ripples on running water.
    pub fn with_flow(self, flowing: Option<FlowRipples>) -> Self {
        Ripples { flowing, ..self }
    }

    /// Filtered slopes of the ripples on running water, zero where it is still.
    pub fn flowing_along(&self, at: Vec2, flow: Flow, direction: Vec3, footprint: f32, count: f32) -> Slopes {
        match &self.flowing {
            Some(ripples) if ripples.amplitude(flow) > 0.0 => {
                mean_along(at, direction, footprint, count, |at| ripples.sample(at, flow, footprint))
            }
            _ => Slopes::default(),
        }
    }

    /// Filtered slopes over a footprint of `footprint` metres.
    pub fn sample(&self, at: Vec2, footprint: f32) -> Slopes {
        self.unit_ripples(at, footprint).times(self.strength * self.gust_factor(at, footprint))
    }

    // The ripples without gusts, of unit strength.
    fn unit_ripples(&self, at: Vec2, footprint: f32) -> Slopes {
        let Some([coarse, fine]) = &self.tiles else { return Slopes::default() };
        coarse.sample(at, footprint).times(0.78).plus(fine.sample(at, footprint).times(0.62))
    }

    /// The same, filtered anisotropically along the horizontal part of `direction`.
    pub fn sample_along(&self, at: Vec2, direction: Vec3, footprint: f32, count: f32) -> Slopes {
        if self.tiles.is_none() {
            return Slopes::default();
        }
        mean_along(at, direction, footprint, count, |at| self.unit_ripples(at, footprint))
            .times(self.strength * self.gust_factor(at, footprint))
    }

    // Amplitude factor of gusts at a point, about one on average.
    fn gust_factor(&self, at: Vec2, footprint: f32) -> f32 {
        let noise = fractal(at / self.patch - self.drift, 1, footprint / self.patch, self.seed ^ 0xc3);
        (0.35 + 1.3 * noise).powi(2)
    }
}

/// Anisotropic filtering: the mean of `count` samples in a row along the horizontal part of `direction`.
fn mean_along(
    at: Vec2,
    direction: Vec3,
    footprint: f32,
    count: f32,
    sample: impl Fn(Vec2) -> Slopes,
) -> Slopes {
    if count.is_nan() || count < 1.5 {
        return sample(at);
    }
    let step = Vec2::new(direction.x, direction.y).normalize_or_zero() * footprint;
    let count = count.min(8.0) as usize;
    let spot = |index: usize| sample(at + step * (index as f32 - 0.5 * (count - 1) as f32));
    let mut sum = Slopes::default();
    let mut squares = 0.0;
    for slopes in (0..count).map(spot) {
        squares += slopes.mean.length_squared();
        sum = sum.plus(slopes);
    }
    let weight = 1.0 / count as f32;
    let mean = sum.mean * weight;
    // Slope energy lost by averaging is added to the variance
    let lost = 0.5 * (squares * weight - mean.length_squared()).max(0.0);
    Slopes { mean, variance: sum.variance * weight + lost, curvature: sum.curvature * weight }
}

/// The waves of a tile: wavenumbers uniform in log scale, with a log-normal slope spectrum.
#[derive(Debug, Clone, Copy)]
pub struct Spectrum {
    /// Number of waves.
    pub waves: i32,
    /// Periods of the longest wave in a tile.
    pub longest: f32,
    /// Ratio of the longest wave to the shortest.
    pub range: f32,
    /// Periods of the strongest wave in a tile.
    pub strongest: f32,
    /// Greatest angle to the mean direction in radians; `None` for waves in all directions alike.
    pub spread: Option<f32>,
}

/// One wave of a tile.
pub struct Wave {
    /// Periods along both axes of the tile.
    pub cycles: Vec2,
    /// Amplitude in metres.
    pub amplitude: f32,
    /// Phase at the origin, at the time of the tile.
    pub phase: f32,
}

/// A tile of waves with side `length` at `time`, of an RMS slope of one. `heading` is the direction of its first axis.
pub fn tile(spectrum: &Spectrum, length: f32, heading: Vec2, time: f64, seed: u32) -> SlopeMap {
    let waves = waves(spectrum, length, time, seed);
    let mut texels = vec![Vec4::ZERO; SIDE * SIDE];
    texels.par_chunks_mut(SIDE).enumerate().for_each(|(row, texels)| {
        for wave in &waves {
            add_row(texels, wave, row, length);
        }
    });
    SlopeMap::new(texels, SIDE, Vec2::ZERO, Vec2::splat(length), heading)
}

// Adds slopes and Laplacian of z = a cos φ along a row; the phase advances by a rotation per texel.
fn add_row(texels: &mut [Vec4], wave: &Wave, row: usize, length: f32) {
    let wavenumber = wave.cycles * (TAU / length);
    let rise = wavenumber * wave.amplitude;
    let bend = -wave.amplitude * wavenumber.length_squared();
    let start = TAU * (wave.cycles.y * row as f32 / SIDE as f32) + wave.phase;
    let mut phasor = Vec2::from_angle(start);
    let step = Vec2::from_angle(TAU * wave.cycles.x / SIDE as f32);
    for texel in texels {
        *texel += Vec4::new(-rise.x * phasor.y, -rise.y * phasor.y, 0.0, bend * phasor.x);
        phasor = step.rotate(phasor);
    }
}

/// Random periodic waves of a tile, normalised to an RMS slope of one.
pub fn waves(spectrum: &Spectrum, length: f32, time: f64, seed: u32) -> Vec<Wave> {
    let random = |wave: i32, what: i32| unit(wave, what, seed);
    let mut waves: Vec<Wave> = (0..spectrum.waves)
        .map(|index| {
            let fraction = (index as f32 + random(index, 0)) / spectrum.waves as f32;
            let count = spectrum.longest * spectrum.range.powf(fraction);
            let angle = match spectrum.spread {
                // Triangular angular distribution about the mean direction
                Some(spread) => (random(index, 1) + random(index, 2) - 1.0) * spread,
                // Nearly opposite pairs, which together do not travel; exactly opposite ones would stand. Steps by the
                // golden section cover all directions evenly in every part of the spectrum.
                None => TAU * 0.618_034 * (index / 2) as f32 + (PI + 0.2) * (index % 2) as f32,
            };
            let cycles = (Vec2::from_angle(angle) * count).round();
            let wavenumber = cycles.length().max(1.0) * TAU / length;
            let turned = (f64::from(frequency(wavenumber)) * time) % std::f64::consts::TAU;
            let phase = TAU * random(index, 3) - turned as f32;
            let fraction = (-(count / spectrum.strongest).ln().powi(2) * 0.5).exp();
            Wave { cycles, amplitude: fraction / wavenumber, phase }
        })
        .collect();
    let square: f32 =
        waves.iter().map(|w| 0.5 * (w.amplitude * w.cycles.length() * TAU / length).powi(2)).sum();
    let scale = 1.0 / square.sqrt().max(f32::MIN_POSITIVE);
    waves.iter_mut().for_each(|wave| wave.amplitude *= scale);
    waves
}

/// Angular frequency of gravity–capillary waves, ω² = g k + (σ/ρ) k³ [lamb1932].
pub fn frequency(wavenumber: f32) -> f32 {
    (GRAVITY * wavenumber + TENSION * wavenumber.powi(3)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_have_the_given_rms() {
        let ripples = Ripples::new(&RippleSpec { strength: 0.1, ..RippleSpec::default() }, 3.0, 1);
        let spots = (0..4000).map(|index| Vec2::new(index as f32 * 0.37, (index % 61) as f32 * 1.13));
        let square = spots.map(|at| ripples.sample(at, 0.0).mean.length_squared()).sum::<f32>() / 4000.0;
        assert!((0.07..0.14).contains(&square.sqrt()), "{}", square.sqrt());
    }

    #[test]
    fn from_afar_the_strength_is_all_in_the_variance() {
        let ripples = Ripples::new(&RippleSpec::default(), 0.0, 1);
        let far = ripples.sample(Vec2::new(5.0, 7.0), 500.0);
        assert!(far.mean.length() < 1e-3);
        assert!((0.02..0.06).contains(&far.variance.sqrt()), "{}", far.variance.sqrt());
    }

    #[test]
    fn a_long_trace_keeps_the_energy_of_the_slopes() {
        let ripples = Ripples::new(&RippleSpec::default(), 0.0, 1);
        let energy = |slopes: Slopes| 0.5 * slopes.mean.length_squared() + slopes.variance;
        let (at, look) = (Vec2::new(5.0, 7.0), Vec3::new(0.6, 0.8, 0.0));
        let shifts = [-0.3, 0.0, 0.3].map(|shift| at + shift * Vec2::new(0.6, 0.8));
        let spots: f32 = shifts.map(|spot| energy(ripples.unit_ripples(spot, 0.3))).iter().sum::<f32>() / 3.0;
        let strength = ripples.strength * ripples.gust_factor(at, 0.3);
        let (trace, expected) =
            (energy(ripples.sample_along(at, look, 0.3, 3.0)), spots * strength * strength);
        assert!((trace / expected - 1.0).abs() < 1e-4, "{trace} is not {expected}");
    }

    #[test]
    fn with_a_small_spread_crests_are_long() {
        // Along the crests slopes hardly change, across them they do
        let spec = RippleSpec { direction: 0.0, spread: Some(4.0), strength: 0.1, ..RippleSpec::default() };
        let energy = |spec: &RippleSpec| {
            let ripples = Ripples::new(spec, 0.0, 1);
            let spots = (0..2000).map(|index| Vec2::new(index as f32 * 0.37, (index % 61) as f32 * 1.13));
            spots.map(|at| ripples.sample(at, 0.0).mean).fold(Vec2::ZERO, |sum, mean| sum + mean * mean)
        };
        let (long, wind) = (energy(&spec), energy(&RippleSpec { spread: None, ..spec.clone() }));
        assert!(long.y < 0.02 * long.x, "{long}");
        assert!(wind.y > 0.1 * wind.x, "{wind}");
    }

    #[test]
    fn no_strength_no_ripples() {
        let calm = Ripples::new(&RippleSpec { strength: 0.0, ..RippleSpec::default() }, 0.0, 1);
        assert_eq!(calm.sample(Vec2::ONE, 0.0), Slopes::default());
    }

    #[test]
    fn waves_run_at_their_own_speed() {
        let (early, late) = (waves(&wind(1.25), 4.0, 0.0, 9), waves(&wind(1.25), 4.0, 0.25, 9));
        for (before, after) in early.iter().zip(&late) {
            let wavenumber = before.cycles.length() * TAU / 4.0;
            let gap = (before.phase - after.phase - 0.25 * frequency(wavenumber)) / TAU;
            assert!((gap - gap.round()).abs() < 1e-3);
        }
    }
}
