//! Colour maps.
//!
//! Each map is a Catmull–Rom spline through anchor colours in OKLab, parameterised by arc length, so that it is perceptually
//! uniform [ottosson2020]. The `hsl` map is that of the interactive solver of [demeulenaere2008]: one hue per sign, and a
//! lightness that grows with magnitude.

use undine_frame::Quantity;

use super::canvas::LinearRgb;
use super::profile::region_colour;
use crate::colour::{Hsl, decode, from_hex, from_oklab, to_oklab};

/// Entries of a map's table.
const STEPS: usize = 256;

/// The maps by name, each with a line of help and its anchors as sRGB.
pub static MAPS: &[(&str, &str, &[u32])] = &[
    (
        "lagoon",
        "deep violet over blue and green to pale yellow",
        &[0x241447, 0x2b4f8f, 0x1f8a94, 0x6cc07a, 0xf5ecb0],
    ),
    ("ember", "black over red and orange to cream", &[0x0d0a1a, 0x5a1a5e, 0xb8324f, 0xf0803c, 0xfdf0c4]),
    ("ice", "near black over blue to white", &[0x08121f, 0x1d4470, 0x3f8fbf, 0xa3d2e2, 0xfafdfd]),
    ("grey", "black to white", &[0x101010, 0xf6f6f6]),
    (
        "balance",
        "blue below zero, red above, pale between",
        &[0x173a7a, 0x4f93c9, 0xf3f1ec, 0xdb7a5a, 0x7d1430],
    ),
    (
        "flame",
        "deep red over orange and yellow to white",
        &[0x5a0a05, 0xd63c0a, 0xff9a1e, 0xffe070, 0xfffdf2],
    ),
    ("foam", "brown over cream to white", &[0x8a5a34, 0xc99b68, 0xe9cfa4, 0xfbf2e0]),
];

/// The ramp of the `hsl` map: lightness = linear · v + log · ln(1 + v) for the magnitude v.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HslRamp {
    /// Hue of values above zero, in degrees.
    pub hue_a: f32,
    /// Hue of values below zero, in degrees.
    pub hue_b: f32,
    /// Saturation of both, 0 to 1.
    pub saturation: f32,
    /// Lightness per unit of the value.
    pub linear: f32,
    /// Lightness per unit of the logarithm of one plus the value.
    pub log: f32,
    /// Upper limit of lightness.
    pub light_limit: f32,
    /// Values whose lightness would exceed this are drawn white.
    pub overflow_limit: f32,
}

impl Default for HslRamp {
    fn default() -> Self {
        HslRamp {
            hue_a: 20.0,
            hue_b: 210.0,
            saturation: 0.9,
            linear: 0.25,
            log: 0.25,
            light_limit: 0.6,
            overflow_limit: 4.0,
        }
    }
}

impl HslRamp {
    /// The colour of a value.
    pub fn colour(&self, value: f32) -> LinearRgb {
        let lightness = self.lightness(value);
        if lightness > self.overflow_limit {
            return [1.0; 3];
        }
        let hue = if value >= 0.0 { self.hue_a } else { self.hue_b };
        self.shade(hue, lightness.clamp(0.0, self.light_limit.clamp(0.0, 1.0)))
    }

    /// The lightness of a value, before clamping.
    pub fn lightness(&self, value: f32) -> f32 {
        let size = value.abs();
        self.linear * size + self.log * size.ln_1p()
    }

    /// The colour of a hue at a lightness.
    pub fn shade(&self, hue: f32, lightness: f32) -> LinearRgb {
        Hsl { hue, saturation: self.saturation.clamp(0.0, 1.0), lightness }.to_rgb().map(decode)
    }
}

/// A colour map as a lookup table.
#[derive(Debug, Clone, PartialEq)]
pub struct ColourMap {
    table: Vec<LinearRgb>,
}

impl ColourMap {
    /// The map of this name.
    pub fn named(name: &str) -> Option<Self> {
        let (.., anchors) = MAPS.iter().find(|(known, ..)| *known == name)?;
        Some(ColourMap::through(&anchors.iter().map(|&hex| from_hex(hex)).collect::<Vec<_>>()))
    }

    /// A map through linear anchor colours; black without any.
    pub fn through(anchors: &[LinearRgb]) -> Self {
        let anchors: Vec<[f32; 3]> = anchors.iter().map(|&anchor| to_oklab(anchor)).collect();
        let anchors = if anchors.is_empty() { vec![[0.0; 3]] } else { anchors };
        let path: Vec<[f32; 3]> =
            (0..=16 * STEPS).map(|step| catmull_rom(&anchors, step as f32 / (16 * STEPS) as f32)).collect();
        let mut arc_lengths = vec![0.0];
        for pair in path.windows(2) {
            arc_lengths.push(arc_lengths[arc_lengths.len() - 1] + distance(pair[0], pair[1]));
        }
        let total_length = arc_lengths[arc_lengths.len() - 1];
        let at = |step: usize| {
            let target = total_length * step as f32 / (STEPS - 1) as f32;
            path[arc_lengths.partition_point(|&length| length < target).min(path.len() - 1)]
        };
        ColourMap {
            table: (0..STEPS)
                .map(|step| from_oklab(at(step)).map(|channel| channel.clamp(0.0, 1.0)))
                .collect(),
        }
    }

    /// The colour at a fraction, clamped to 0..1.
    pub fn colour(&self, fraction: f32) -> LinearRgb {
        let at = fraction.clamp(0.0, 1.0) * (STEPS - 1) as f32;
        let index = (at as usize).min(STEPS - 2);
        crate::colour::mix(self.table[index], self.table[index + 1], at - index as f32)
    }
}

// Catmull–Rom spline through the anchors.
fn catmull_rom(anchors: &[[f32; 3]], fraction: f32) -> [f32; 3] {
    let last = anchors.len().saturating_sub(1);
    let at = fraction * last as f32;
    let index = (at as usize).min(last.saturating_sub(1));
    let t = at - index as f32;
    let anchor = |offset: isize| anchors[(index as isize + offset).clamp(0, last as isize) as usize];
    let [before, from, to, after] = [anchor(-1), anchor(0), anchor(1), anchor(2)];
    std::array::from_fn(|c| {
        let (rise, fall) = (0.5 * (to[c] - before[c]), 0.5 * (after[c] - from[c]));
        let gap = to[c] - from[c];
        from[c] + t * (rise + t * (3.0 * gap - 2.0 * rise - fall + t * (rise + fall - 2.0 * gap)))
    })
}

fn distance(a: [f32; 3], b: [f32; 3]) -> f32 {
    (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f32>().sqrt()
}

/// Categorical colours. Regions of water have those of a profile, on ground; for other quantities they repeat, and the first
/// four are meant for a liquid's cells: empty, surface, full, solid.
pub fn kind_colour(quantity: Quantity, kind: usize) -> LinearRgb {
    const DRY: u32 = 0xddd6c8;
    if quantity == Quantity::Region {
        return region_colour(kind).unwrap_or(from_hex(DRY));
    }
    const INKS: [u32; 8] = [0xe9eef2, 0x6fb7dc, 0x1f5f9e, 0x6b5a48, 0xd9a441, 0x4c9a6a, 0xb5483a, 0x7d62a8];
    from_hex(INKS[kind % INKS.len()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_walk_at_even_speed() {
        for (name, ..) in MAPS {
            let map = ColourMap::named(name).unwrap();
            let lab: Vec<_> = (0..=32).map(|step| to_oklab(map.colour(step as f32 / 32.0))).collect();
            let steps: Vec<f32> = lab.windows(2).map(|pair| distance(pair[0], pair[1])).collect();
            let mean = steps.iter().sum::<f32>() / 32.0;
            assert!(steps.iter().all(|step| (step / mean - 1.0).abs() < 0.25), "{name}: {steps:?}");
        }
    }

    #[test]
    fn sequential_maps_only_grow_lighter() {
        for name in ["lagoon", "ember", "ice", "grey", "flame", "foam"] {
            let map = ColourMap::named(name).unwrap();
            let lightness: Vec<f32> =
                (0..=64).map(|step| to_oklab(map.colour(step as f32 / 64.0))[0]).collect();
            assert!(lightness.windows(2).all(|pair| pair[1] > pair[0]), "{name}");
        }
    }

    #[test]
    fn the_hsl_ramp_has_its_corners() {
        let ramp = HslRamp {
            linear: 0.5,
            log: 0.0,
            saturation: 1.0,
            hue_a: 0.0,
            hue_b: 240.0,
            ..HslRamp::default()
        };
        assert_eq!(ramp.colour(0.0), [0.0; 3]);
        assert_eq!(ramp.colour(1.0), [1.0, 0.0, 0.0]);
        assert_eq!(ramp.colour(-1.0), [0.0, 0.0, 1.0]);
        assert_eq!(ramp.colour(2.0), ramp.colour(5.0), "held at the light limit");
        assert_eq!(ramp.colour(9.0), [1.0; 3], "overflow is white");
    }

    #[test]
    fn a_map_of_one_colour_is_that_colour() {
        let map = ColourMap::through(&[[0.2, 0.4, 0.6]]);
        assert!((0..3).all(|channel| (map.colour(0.7)[channel] - [0.2, 0.4, 0.6][channel]).abs() < 1e-5));
        assert_eq!(ColourMap::through(&[]).colour(0.5), [0.0; 3]);
    }

    #[test]
    fn ends_are_the_anchors() {
        let map = ColourMap::named("grey").unwrap();
        assert_eq!(crate::colour::to_bytes(map.colour(-3.0)), [0x10; 3]);
        assert_eq!(crate::colour::to_bytes(map.colour(7.0)), [0xf6; 3]);
    }
}
