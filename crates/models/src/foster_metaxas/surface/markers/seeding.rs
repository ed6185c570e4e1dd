//! Where markers start: a lattice in every cell, regular or jittered, and points of faces at an inflow.

use super::super::sliding::FACE_MARGIN;

/// The golden ratio and its like for more axes: the positive roots of x^(D+1) = x + 1. Fractions of their powers fill a box
/// evenly, whatever the count.
const ROOTS: [f64; 3] = [1.618_033_988_749_895, 1.324_717_957_244_746, 1.220_744_084_605_759_5];

/// The offset of marker `number` of `count` in its cell, in cells. A lattice when `count` is a D-th power, such as 25 in
/// the plane; else a low-discrepancy sequence.
pub fn offset<const D: usize>(number: usize, count: usize) -> [f64; D] {
    let edge = (count as f64).powf(1.0 / D as f64).round() as usize;
    let is_lattice = edge.pow(D as u32) == count;
    std::array::from_fn(|axis| match is_lattice {
        true => ((number / edge.pow(axis as u32) % edge) as f64 + 0.5) / edge as f64,
        false => (0.5 + (number + 1) as f64 / ROOTS[D - 1].powi(axis as i32 + 1)).fract(),
    })
}

/// An offset moved at random within the box of its own, of which `jitter` is the share, and kept inside the cell.
pub fn jittered<const D: usize>(offset: [f64; D], count: usize, jitter: f64, identity: [u64; 2]) -> [f64; D] {
    let edge = (count as f64).powf(-1.0 / D as f64);
    std::array::from_fn(|axis| {
        let random = hashed_unit([identity[0], identity[1], axis as u64]);
        (offset[axis] + jitter * edge * (random - 0.5)).clamp(FACE_MARGIN, 1.0 - FACE_MARGIN)
    })
}

/// A number in [0, 1) from a hash of an identity.
pub fn hashed_unit(identity: [u64; 3]) -> f64 {
    let mut bits = 0x9e37_79b9_7f4a_7c15_u64;
    for word in identity {
        bits = (bits ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
        bits = (bits ^ (bits >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        bits ^= bits >> 29;
    }
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twenty_five_markers_are_five_by_five_and_others_fill_the_cell_too() {
        let lattice: Vec<[f64; 2]> = (0..25).map(|number| offset(number, 25)).collect();
        assert_eq!(lattice[7], [0.5, 0.3]);
        for count in [6, 25, 26] {
            // Each quarter of the cell has its share, to one or two
            let mut quarters = [0_i32; 4];
            for number in 0..count {
                let [x, y] = jittered(offset::<2>(number, count), count, 0.3, [1, number as u64]);
                assert!((0.0..1.0).contains(&x) && (0.0..1.0).contains(&y));
                quarters[usize::from(x > 0.5) + 2 * usize::from(y > 0.5)] += 1;
            }
            assert!(quarters.iter().all(|&n| (n - count as i32 / 4).abs() <= 3), "{count}: {quarters:?}");
        }
    }
}
