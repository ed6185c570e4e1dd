//! Open area fraction of a face from the signed distances at its corners [batty2007, ng2009].
//!
//! The distance is linear between corners; in 3-D a face is divided into four triangles around its centre. The
//! fractions are second-order accurate in the cell size.

/// Smaller fractions are set to zero: the flux through them is negligible and they spoil the matrix.
const MIN_FRACTION: f64 = 1e-3;

/// Open fraction of a face with 2 corners in 2-D or 4 corners (in the order 00, 10, 01, 11) in 3-D. Distances are
/// positive in the open.
pub(super) fn open_fraction(distances: &[f64]) -> f64 {
    let fraction = match *distances {
        [one, other] => open_length(one, other),
        [low, right, left, high] => open_area([low, right, high, left]),
        _ => 1.0,
    };
    if fraction < MIN_FRACTION { 0.0 } else { fraction }
}

fn open_length(one: f64, other: f64) -> f64 {
    match (one > 0.0, other > 0.0) {
        (true, true) => 1.0,
        (false, false) => 0.0,
        (true, false) => one / (one - other),
        (false, true) => other / (other - one),
    }
}

/// Open fraction of a square; its corners in cyclic order.
fn open_area(corners: [f64; 4]) -> f64 {
    if corners.iter().all(|&distance| distance > 0.0) {
        return 1.0;
    }
    let middle = 0.25 * corners.iter().sum::<f64>();
    let quarter = |number: usize| open_triangle(middle, corners[number], corners[(number + 1) % 4]);
    0.25 * (0..4).map(quarter).sum::<f64>()
}

fn open_triangle(a: f64, b: f64, c: f64) -> f64 {
    // The corner of the other sign cuts off a triangle with legs alone/(alone − one) and alone/(alone − other)
    let cut_off = |alone: f64, one: f64, other: f64| alone * alone / ((alone - one) * (alone - other));
    match [a > 0.0, b > 0.0, c > 0.0] {
        [true, true, true] => 1.0,
        [false, false, false] => 0.0,
        [true, false, false] => cut_off(a, b, c),
        [false, true, false] => cut_off(b, a, c),
        [false, false, true] => cut_off(c, a, b),
        [false, true, true] => 1.0 - cut_off(a, b, c),
        [true, false, true] => 1.0 - cut_off(b, a, c),
        [true, true, false] => 1.0 - cut_off(c, a, b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_straight_cut_opens_what_it_should() {
        assert_eq!(open_fraction(&[1.0, -3.0]), 0.25);
        assert_eq!(open_fraction(&[-3.0, 1.0]), 0.25);
        assert_eq!(open_fraction(&[0.0, 0.0]), 0.0);
        assert_eq!(open_fraction(&[1e-5, -1.0]), 0.0);
        // x + y < 1 of the unit square, then x < 0.3
        let corners = |distance: fn(f64, f64) -> f64| {
            [distance(0.0, 0.0), distance(1.0, 0.0), distance(0.0, 1.0), distance(1.0, 1.0)]
        };
        assert!((open_fraction(&corners(|x, y| 1.0 - x - y)) - 0.5).abs() < 1e-12);
        assert!((open_fraction(&corners(|x, _| 0.3 - x)) - 0.3).abs() < 1e-12);
        assert!((open_fraction(&corners(|_, y| y - 0.9)) - 0.1).abs() < 1e-12);
        assert_eq!(open_fraction(&[2.0; 4]), 1.0);
    }
}
