//! Bytes written as text, as glTF files carry them.

/// Decodes base64 with the usual alphabet; `None` for anything else.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=').as_bytes();
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3 + 2);
    for group in digits.chunks(4) {
        let mut bits = 0u32;
        for &digit in group {
            bits = bits << 6 | value(digit)?;
        }
        // A last group of n digits holds n − 1 bytes
        let padded = bits << (6 * (4 - group.len()));
        bytes.extend_from_slice(padded.to_be_bytes().get(1..group.len())?);
    }
    Some(bytes)
}

fn value(digit: u8) -> Option<u32> {
    let place = match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(place.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_texts() {
        assert_eq!(decode("").unwrap(), b"");
        assert_eq!(decode("Zg==").unwrap(), b"f");
        assert_eq!(decode("Zm8=").unwrap(), b"fo");
        assert_eq!(decode("Zm9vYmFy").unwrap(), b"foobar");
        assert_eq!(decode("+/8").unwrap(), [0xfb, 0xff]);
        assert_eq!(decode("Zm9*"), None);
    }
}
