//! Lossless preconditioner for compression: delta coding, zig-zag coding and byte shuffling.
//!
//! Neighbouring vertices are similar, but their low-order bytes are noise interleaved with the high ones. So every 32-bit
//! word is replaced by its difference to the same component of the previous item, zig-zag coded, and its four bytes go into
//! four separate planes. Bits are preserved, NaN included. Blocks of [`BLOCK`] items are independent, which bounds the
//! memory of a reader that meets a corrupt length.

/// Items per block.
pub(super) const BLOCK: usize = 1 << 14;

/// Encodes one block of items of `width` words each into byte planes.
pub(super) fn shuffle(words: &[u32], width: usize, planes: &mut Vec<u8>) {
    let count = words.len();
    planes.clear();
    planes.resize(4 * count, 0);
    let items = count / width;
    for component in 0..width {
        let lanes = &mut planes[4 * items * component..][..4 * items];
        let (lanes01, lanes23) = lanes.split_at_mut(2 * items);
        let (lane0, lane1) = lanes01.split_at_mut(items);
        let (lane2, lane3) = lanes23.split_at_mut(items);
        let mut before = 0;
        for (item, &word) in words.iter().skip(component).step_by(width).enumerate() {
            let [b0, b1, b2, b3] = zigzag(word.wrapping_sub(before)).to_le_bytes();
            (lane0[item], lane1[item], lane2[item], lane3[item]) = (b0, b1, b2, b3);
            before = word;
        }
    }
}

/// Inverse of [`shuffle`]; `planes` must hold an integer number of items.
pub(super) fn unshuffle(planes: &[u8], width: usize, words: &mut [u32]) {
    let items = words.len() / width;
    for component in 0..width {
        let lanes = &planes[4 * items * component..][..4 * items];
        let mut before = 0u32;
        for item in 0..items {
            let bytes = [lanes[item], lanes[items + item], lanes[2 * items + item], lanes[3 * items + item]];
            before = before.wrapping_add(unzigzag(u32::from_le_bytes(bytes)));
            words[item * width + component] = before;
        }
    }
}

/// Zig-zag code: 0, −1, 1, −2, … → 0, 1, 2, 3, …
fn zigzag(difference: u32) -> u32 {
    (difference << 1) ^ ((difference as i32 >> 31) as u32)
}

fn unzigzag(folded: u32) -> u32 {
    (folded >> 1) ^ (folded & 1).wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn small_differences_stay_small() {
        let folded = [0, -1, 1, -2, i32::MAX, i32::MIN].map(|difference| zigzag(difference as u32));
        assert_eq!(folded, [0, 1, 2, 3, u32::MAX - 1, u32::MAX]);
    }

    proptest! {
        #[test]
        fn any_words_come_back(words in prop::collection::vec(any::<u32>(), 0..200), width in 1usize..5) {
            let words = &words[..words.len() / width * width];
            let mut planes = Vec::new();
            shuffle(words, width, &mut planes);
            let mut back = vec![0; words.len()];
            unshuffle(&planes, width, &mut back);
            prop_assert_eq!(back, words);
        }
    }
}
