//! Colours as typed: sRGB in hexadecimal, turned into linear light by the transfer function of [iec1999].

/// Reads `#rgb` or `#rrggbb`.
pub(crate) fn from_hex(text: &str) -> Option<[f32; 3]> {
    let digits =
        text.strip_prefix('#').filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    let channel = |index: usize| match digits.len() {
        3 => u8::from_str_radix(&digits[index..=index], 16).ok().map(|digit| digit * 17),
        6 => u8::from_str_radix(&digits[2 * index..2 * index + 2], 16).ok(),
        _ => None,
    };
    Some([linear(channel(0)?), linear(channel(1)?), linear(channel(2)?)])
}

/// The light of one channel, from its code.
fn linear(channel: u8) -> f32 {
    let encoded = f64::from(channel) / 255.0;
    let light = if encoded <= 0.04045 { encoded / 12.92 } else { ((encoded + 0.055) / 1.055).powf(2.4) };
    light as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn black_and_white_are_exact_and_grey_is_darker_in_linear_light() {
        assert_eq!(from_hex("#000"), Some([0.0; 3]));
        assert_eq!(from_hex("#ffffff"), Some([1.0; 3]));
        let grey = from_hex("#808080").unwrap()[0];
        assert!((grey - 0.215_861).abs() < 1e-5, "{grey}");
    }

    #[test]
    fn short_form_doubles_its_digits() {
        assert_eq!(from_hex("#1a9"), from_hex("#11aa99"));
    }

    #[test]
    fn anything_else_is_no_colour() {
        for text in ["", "#", "#12", "#1234", "123456", "#12345g", "#12345é", "red"] {
            assert_eq!(from_hex(text), None, "{text}");
        }
    }
}
