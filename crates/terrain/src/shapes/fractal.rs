//! Fractal ground: noise upon finer noise [ebert2003].
//!
//! Octaves of noise are summed, each `lacunarity` times as fine and `gain` times as high as the one before, and turned
//! against it, so that no direction of the lattice shows. `ridged` folds every octave along its zero lines into crests
//! and lets fine crests grow only on coarse ones, which makes mountains. `erosion` lets the finer octaves fade where
//! the coarser ones are steep, which leaves smooth valleys between rough heights. `warp` bends the plane by a noise of
//! its own before.

use glam::{DMat2, DVec2};
use undine_scene::{Absent, Key, Scene, SceneErrors, Values};

use super::LandShape;
use crate::noise::{Noise, NoiseBasis, NoiseSample, hash};
use crate::smooth;

/// Octaves of the noise that bends the plane.
const WARP_OCTAVES: u32 = 3;
/// Crests are rounded off over this share of their height, so that they stay smooth.
const ROUNDNESS: f64 = 0.03;
/// A turn by atan(3/4), which no lattice repeats.
const TURN: DMat2 = DMat2::from_cols(DVec2::new(0.8, 0.6), DVec2::new(-0.6, 0.8));

pub(crate) const KEYS: &[Key] = &[
    Key::number("wavelength").unit("m").positive_to(1e8).help("distance of the largest hills"),
    Key::number("amplitude")
        .unit("m")
        .within(0.0, 1e5)
        .help("greatest height; the ground goes from -amplitude to amplitude, ridged from 0 to amplitude"),
    Key::integer("octaves").default(Absent::Integer(6)).within(1.0, 16.0).help("how many sizes of hills"),
    Key::number("lacunarity")
        .or(2.0)
        .within(1.1, 8.0)
        .help("how much finer each size is than the one before"),
    Key::number("gain").or(0.5).within(0.0, 1.0).help("how high each size is, against the one before"),
    Key::integer("seed")
        .optional("the scene's seed")
        .within(0.0, f64::INFINITY)
        .help("another number makes other ground"),
    Key::choice(
        "basis",
        &[("gradient", "hills and hollows of one size"), ("value", "rounder and more irregular")],
    )
    .default(Absent::Text("gradient"))
    .help("the noise that is summed"),
    Key::flag("ridged").default(Absent::Flag(false)).help("crests instead of round hills"),
    Key::number("erosion").or(0.0).within(0.0, 1.0).help("how far steep flanks lose their small hills"),
    Key::number("warp").unit("m").or(0.0).within(0.0, 1e7).help("how far the ground is bent sideways"),
    Key::number("warp_wavelength")
        .unit("m")
        .optional("the wavelength")
        .positive_to(1e8)
        .help("distance of the largest bends"),
    Key::vector("center", 2)
        .unit("m")
        .default(Absent::Vector(&[0.0, 0.0]))
        .within(-1e9, 1e9)
        .help("shifts the ground"),
];

#[derive(Debug)]
struct Fractal {
    noise: Noise,
    seed: u32,
    center: DVec2,
    wavelength: f64,
    amplitude: f64,
    octaves: u32,
    lacunarity: f64,
    gain: f64,
    is_ridged: bool,
    erosion: f64,
    warp: f64,
    warp_wavelength: f64,
}

impl LandShape for Fractal {
    fn height(&self, at: DVec2) -> f64 {
        let at = at - self.center;
        let bent = if self.warp > 0.0 { at + self.warp * self.bend(at / self.warp_wavelength) } else { at };
        self.amplitude * self.sum(bent / self.wavelength)
    }
}

impl Fractal {
    /// Domain warp, between −1 and 1 along each axis.
    fn bend(&self, at: DVec2) -> DVec2 {
        let along = |axis: u32| {
            let mut bends = Octaves::new(hash(self.seed, 0x5eed, axis), at, 2.0, 0.5);
            let mut sum = 0.0;
            for _ in 0..WARP_OCTAVES {
                let (height, sample) = bends.next(&self.noise);
                sum += height * sample.value;
            }
            sum / bends.total
        };
        DVec2::new(along(0), along(1))
    }

    /// All octaves, from -1 to 1, or from 0 to 1 for crests.
    fn sum(&self, at: DVec2) -> f64 {
        let mut octaves = Octaves::new(self.seed, at, self.lacunarity, self.gain);
        let (mut sum, mut slope, mut crest) = (0.0, DVec2::ZERO, 1.0);
        for _ in 0..self.octaves {
            let to_octave = octaves.frame;
            let (height, sample) = octaves.next(&self.noise);
            let NoiseSample { value, slope: local } = if self.is_ridged { folded(sample) } else { sample };
            let value = if self.is_ridged { value * crest } else { value };
            crest = smooth::min(2.0 * value, 1.0, 0.5);
            sum += height * value / (1.0 + self.erosion * slope.length_squared());
            slope += height * (to_octave.transpose() * local);
        }
        sum / octaves.total
    }
}

/// Folds noise along its zero lines: crests of height 1, with squared, hollow flanks.
///
/// The slope is that of the flanks, which does not vanish on the crest: erosion would draw a line along it.
fn folded(sample: NoiseSample) -> NoiseSample {
    let fold = 1.0 - (sample.value * sample.value + ROUNDNESS * ROUNDNESS).sqrt();
    NoiseSample { value: fold * fold, slope: 2.0 * fold * sample.slope }
}

/// Octave after octave of noise at one point.
struct Octaves {
    seed: u32,
    at: DVec2,
    lacunarity: f64,
    gain: f64,
    /// Transforms coordinates to those of the current octave.
    frame: DMat2,
    height: f64,
    /// The sum of the heights so far.
    total: f64,
}

impl Octaves {
    fn new(seed: u32, at: DVec2, lacunarity: f64, gain: f64) -> Octaves {
        Octaves { seed, at, lacunarity, gain, frame: DMat2::IDENTITY, height: 1.0, total: 0.0 }
    }

    /// The height of the next octave, and its noise.
    fn next(&mut self, noise: &Noise) -> (f64, NoiseSample) {
        let height = self.height;
        let sample = noise.at(self.seed, self.frame * self.at);
        self.total += height;
        self.height *= self.gain;
        self.frame = TURN * self.frame * self.lacunarity;
        self.seed = hash(self.seed, 1, 2);
        (height, sample)
    }
}

pub(crate) fn read(scene: &Scene, values: &Values) -> Result<Box<dyn LandShape>, SceneErrors> {
    let seed = values.integer_if("seed").map_or(scene.seed, i64::unsigned_abs);
    let wavelength = values.number("wavelength");
    let basis = if values.word("basis") == "value" { NoiseBasis::Value } else { NoiseBasis::Gradient };
    Ok(Box::new(Fractal {
        noise: Noise::new(basis),
        seed: hash(seed as u32, (seed >> 32) as u32, 0),
        center: DVec2::from(values.vector::<2>("center")),
        wavelength,
        amplitude: values.number("amplitude"),
        octaves: values.integer("octaves").clamp(1, 16) as u32,
        lacunarity: values.number("lacunarity"),
        gain: values.number("gain"),
        is_ridged: values.flag("ridged"),
        erosion: values.number("erosion"),
        warp: values.number("warp"),
        warp_wavelength: values.number_if("warp_wavelength").unwrap_or(wavelength),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crest_is_smooth_and_one_high() {
        let folded_value = |value: f64| folded(NoiseSample { value, slope: DVec2::X }).value;
        assert!((folded_value(0.0) - (1.0 - ROUNDNESS).powi(2)).abs() < 1e-15);
        assert!((folded_value(1e-4) - folded_value(-1e-4)).abs() < 1e-15);
        assert!((folded_value(0.0) - folded_value(1e-4)) < 1e-6);
        assert!(folded_value(1.0) < 1e-3);
    }
}
