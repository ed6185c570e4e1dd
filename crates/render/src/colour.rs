//! Colour spaces: the sRGB transfer curve, HSL and OKLab.
//!
//! Linear colours are plain `[f32; 3]` with the primaries of sRGB. HSL is the double cone used for the ramps of field
//! plots [demeulenaere2008]; OKLab is where colour maps are interpolated, because equal steps in it look equal
//! [ottosson2020].

/// Encodes a linear value for an sRGB display.
pub fn encode(linear: f32) -> f32 {
    if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 }
}

/// Decodes an sRGB value to linear light.
pub fn decode(encoded: f32) -> f32 {
    if encoded <= 0.04045 { encoded / 12.92 } else { ((encoded + 0.055) / 1.055).powf(2.4) }
}

/// The linear colour of an sRGB triple written as `0xRRGGBB`.
///
/// ```
/// assert_eq!(undine_render::colour::from_hex(0xff0000), [1.0, 0.0, 0.0]);
/// ```
pub fn from_hex(hex: u32) -> [f32; 3] {
    [16, 8, 0].map(|shift| decode((hex >> shift & 0xff) as f32 / 255.0))
}

/// The nearest 8-bit sRGB colour of a linear one.
pub fn to_bytes(linear: [f32; 3]) -> [u8; 3] {
    linear.map(|channel| (encode(channel.clamp(0.0, 1.0)) * 255.0 + 0.5) as u8)
}

/// Mixes two colours, channel by channel: `a` at 0, `b` at 1.
pub fn mix(a: [f32; 3], b: [f32; 3], fraction: f32) -> [f32; 3] {
    std::array::from_fn(|channel| a[channel] + (b[channel] - a[channel]) * fraction)
}

/// A colour by hue (degrees), saturation and lightness (both 0 to 1); the RGB side is sRGB-encoded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hsl {
    /// Hue in degrees: 0 red, 120 green, 240 blue.
    pub hue: f32,
    /// Saturation from grey (0) to pure (1).
    pub saturation: f32,
    /// Lightness from black (0) over the pure hue (0.5) to white (1).
    pub lightness: f32,
}

impl Hsl {
    /// The sRGB-encoded colour.
    ///
    /// ```
    /// use undine_render::colour::Hsl;
    /// let teal = Hsl { hue: 180.0, saturation: 1.0, lightness: 0.25 };
    /// assert_eq!(teal.to_rgb(), [0.0, 0.5, 0.5]);
    /// ```
    pub fn to_rgb(self) -> [f32; 3] {
        let chroma = (1.0 - (2.0 * self.lightness - 1.0).abs()) * self.saturation;
        let sextant = self.hue.rem_euclid(360.0) / 60.0;
        let second = chroma * (1.0 - (sextant % 2.0 - 1.0).abs());
        let pure = match sextant as u32 {
            0 => [chroma, second, 0.0],
            1 => [second, chroma, 0.0],
            2 => [0.0, chroma, second],
            3 => [0.0, second, chroma],
            4 => [second, 0.0, chroma],
            _ => [chroma, 0.0, second],
        };
        pure.map(|channel| channel + self.lightness - 0.5 * chroma)
    }

    /// The hue, saturation and lightness of an sRGB-encoded colour; greys have hue 0.
    pub fn from_rgb(rgb: [f32; 3]) -> Self {
        let [red, green, blue] = rgb;
        let high = red.max(green).max(blue);
        let low = red.min(green).min(blue);
        let (chroma, lightness) = (high - low, 0.5 * (high + low));
        if chroma <= 0.0 {
            return Hsl { hue: 0.0, saturation: 0.0, lightness };
        }
        let sextant = if high == red {
            ((green - blue) / chroma).rem_euclid(6.0)
        } else if high == green {
            (blue - red) / chroma + 2.0
        } else {
            (red - green) / chroma + 4.0
        };
        let saturation = chroma / (1.0 - (2.0 * lightness - 1.0).abs()).max(f32::MIN_POSITIVE);
        Hsl { hue: 60.0 * sextant, saturation, lightness }
    }
}

/// OKLab coordinates (L, a, b) of a linear colour.
pub fn to_oklab(linear: [f32; 3]) -> [f32; 3] {
    let [r, g, b] = linear;
    let long = (0.412_221_46 * r + 0.536_332_55 * g + 0.051_445_995 * b).cbrt();
    let medium = (0.211_903_5 * r + 0.680_699_5 * g + 0.107_396_96 * b).cbrt();
    let short = (0.088_302_46 * r + 0.281_718_85 * g + 0.629_978_7 * b).cbrt();
    [
        0.210_454_26 * long + 0.793_617_8 * medium - 0.004_072_047 * short,
        1.977_998_5 * long - 2.428_592_2 * medium + 0.450_593_7 * short,
        0.025_904_037 * long + 0.782_771_77 * medium - 0.808_675_77 * short,
    ]
}

/// The linear colour of OKLab coordinates; channels of colours outside the sRGB gamut leave 0..1.
pub fn from_oklab(lab: [f32; 3]) -> [f32; 3] {
    let [lightness, a, b] = lab;
    let long = (lightness + 0.396_337_78 * a + 0.215_803_76 * b).powi(3);
    let medium = (lightness - 0.105_561_346 * a - 0.063_854_17 * b).powi(3);
    let short = (lightness - 0.089_484_18 * a - 1.291_485_5 * b).powi(3);
    [
        4.076_741_7 * long - 3.307_711_6 * medium + 0.230_969_94 * short,
        -1.268_438 * long + 2.609_757_4 * medium - 0.341_319_38 * short,
        -0.004_196_086_3 * long - 0.703_418_6 * medium + 1.707_614_7 * short,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_close(a: [f32; 3], b: [f32; 3], tolerance: f32) {
        for channel in 0..3 {
            assert!((a[channel] - b[channel]).abs() < tolerance, "{a:?} is not {b:?}");
        }
    }

    #[test]
    fn transfer_curve_meets_its_known_points() {
        assert!((decode(0.5) - 0.214_041_14).abs() < 1e-6);
        assert!((encode(0.18) - 0.461_356_13).abs() < 1e-6);
        for step in 0..=255 {
            let encoded = step as f32 / 255.0;
            assert!((encode(decode(encoded)) - encoded).abs() < 1e-6);
        }
    }

    #[test]
    fn hsl_known_values() {
        let cases = [
            ((0.0, 1.0, 0.5), [1.0, 0.0, 0.0]),
            ((120.0, 1.0, 0.25), [0.0, 0.5, 0.0]),
            ((210.0, 0.5, 0.5), [0.25, 0.5, 0.75]),
            ((300.0, 1.0, 0.75), [1.0, 0.5, 1.0]),
            ((77.0, 0.0, 0.3), [0.3, 0.3, 0.3]),
        ];
        for ((hue, saturation, lightness), rgb) in cases {
            assert_close(Hsl { hue, saturation, lightness }.to_rgb(), rgb, 1e-6);
        }
    }

    #[test]
    fn hsl_round_trips() {
        for code in 0..729 {
            let rgb = [code / 81, code / 9 % 9, code % 9].map(|step| step as f32 / 8.0);
            assert_close(Hsl::from_rgb(rgb).to_rgb(), rgb, 1e-5);
        }
    }

    #[test]
    fn oklab_known_values() {
        assert_close(to_oklab([1.0, 1.0, 1.0]), [1.0, 0.0, 0.0], 2e-4);
        assert_close(to_oklab([1.0, 0.0, 0.0]), [0.627_96, 0.224_86, 0.125_85], 2e-4);
        assert_close(from_oklab(to_oklab([0.1, 0.5, 0.9])), [0.1, 0.5, 0.9], 1e-4);
    }
}
