//! Tone mapping: exposure, bloom, filmic curve, sRGB encoding and dither.
//!
//! The curve is a fit to the ACES film response, which rolls off highlights and deepens shadows [narkowicz2016]. Dither
//! hides banding of 8 bits; it is a hash of the pixel position, so that pictures are repeatable.

use rayon::prelude::*;

use crate::bloom::Bloom;
use crate::colour::encode;
use crate::noise::hash;
use crate::picture::{Picture, RadianceImage};

/// Maps radiance in kcd/m² to the curve's input, so that sunlit white is just below white at exposure 1.
pub const EXPOSURE_SCALE: f32 = 0.034;

/// The filmic curve: scaled radiance to display-linear 0..1.
pub fn filmic_curve(x: f32) -> f32 {
    let x = x.max(0.0);
    ((x * (2.51 * x + 0.03)) / (x * (2.43 * x + 0.59) + 0.14)).clamp(0.0, 1.0)
}

/// Tone-maps an image: `exposure` multiplies the radiance, `bloom` is the fraction of highlights added as bloom.
pub fn tone_map(mut light: RadianceImage, exposure: f32, bloom: f32) -> Picture {
    let scale = exposure * EXPOSURE_SCALE;
    light.pixels.par_iter_mut().for_each(|pixel| *pixel = pixel.map(|channel| finite(channel * scale)));
    if bloom > 0.0 {
        let radius = (light.height / 200).clamp(1, 40);
        Bloom { threshold: 1.0, radius, passes: 2, fraction: bloom }.add(&mut light);
    }
    let table: Vec<f32> = (0..=TABLE)
        .map(|step| encode(filmic_curve(from_table(step as f32 / TABLE as f32))) * 255.0)
        .collect();
    light.encode(|x, y, colour| {
        // Ten bits of one hash per channel
        let bits = hash(x as i32, y as i32, 0);
        std::array::from_fn(|channel| {
            let dither = (bits >> (10 * channel) & 0x3ff) as f32 / 1023.0 - 0.5;
            (lookup(&table, colour[channel]) + 0.5 + dither * 0.9).clamp(0.0, 255.0) as u8
        })
    })
}

/// Entries of the lookup table of filmic curve and sRGB encoding.
const TABLE: usize = 4096;

// Table coordinate √x / (1 + √x): maps 0..∞ to 0..1 with more entries in the dark.
fn to_table(light: f32) -> f32 {
    let root = light.sqrt();
    root / (1.0 + root)
}

fn from_table(fraction: f32) -> f32 {
    let root = fraction / (1.0 - fraction).max(1e-4);
    root * root
}

fn lookup(table: &[f32], light: f32) -> f32 {
    let at = to_table(light) * TABLE as f32;
    let index = (at as usize).min(TABLE - 1);
    table[index] + (table[index + 1] - table[index]) * (at - index as f32)
}

fn finite(channel: f32) -> f32 {
    if channel.is_finite() { channel.max(0.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filmic_curve_is_monotonic() {
        assert_eq!(filmic_curve(0.0), 0.0);
        let steps: Vec<f32> = (0..200).map(|step| filmic_curve(step as f32 * 0.05)).collect();
        assert!(steps.windows(2).all(|pair| pair[0] <= pair[1]) && steps[199] > 0.99);
    }

    #[test]
    fn the_table_follows_the_curve() {
        let light = RadianceImage::filled(64, 64, [12.0, 3.0, 0.4]);
        let mean = |channel: usize| {
            let bytes = tone_map(light.clone(), 1.0, 0.0).rgb;
            bytes.iter().skip(channel).step_by(3).map(|&byte| f32::from(byte)).sum::<f32>() / 4096.0
        };
        for (channel, value) in light.pixels[0].into_iter().enumerate() {
            assert!((mean(channel) - encode(filmic_curve(value * EXPOSURE_SCALE)) * 255.0).abs() < 0.1);
        }
    }

    #[test]
    fn bloom_spreads_highlights_and_spares_the_rest() {
        let mut light = RadianceImage::filled(80, 60, [1.0; 3]);
        light.pixels[30 * 80 + 40] = [1e4; 3];
        let (plain, bloomed) = (tone_map(light.clone(), 1.0, 0.0), tone_map(light, 1.0, 0.3));
        assert!(bloomed.pixel(42, 30) > plain.pixel(42, 30));
        assert_eq!(bloomed.pixel(2, 2), plain.pixel(2, 2));
    }

    #[test]
    fn non_finite_radiance_is_black() {
        let picture = tone_map(RadianceImage::filled(2, 1, [f32::NAN, f32::INFINITY, -3.0]), 1.0, 0.2);
        assert!(picture.rgb.iter().all(|&byte| byte < 2));
    }
}
