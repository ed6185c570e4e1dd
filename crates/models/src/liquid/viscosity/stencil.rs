//! The stencil of S: the differences of τ over the cells and edges around the faces of one row.

use undine_grid::{Field, simd};

use super::coefficients::{Coefficients, pair};

/// Writes S u of the component along `a` into a row, from `at` on.
#[inline]
pub(super) fn apply_stress<const D: usize>(
    c: &Coefficients<D>,
    u: &[Field<f32, D>; D],
    a: usize,
    at: [isize; D],
    out: &mut [f32],
) {
    simd::dispatch(
        #[inline(always)]
        || stress_row(c, u, a, at, out),
    );
}

#[inline(always)]
pub(super) fn stress_row<const D: usize>(
    c: &Coefficients<D>,
    u: &[Field<f32, D>; D],
    a: usize,
    at: [isize; D],
    out: &mut [f32],
) {
    // All fields have the same layout, so that one offset serves all
    let (start, strides, length) = (u[a].layout().offset(at), u[a].layout().strides(), out.len());
    let range = |from: usize| from..from + length;
    let (own, stride) = (u[a].storage(), strides[a]);
    set_normal_stress(
        out,
        [&c.normal.storage()[range(start - stride)], &c.normal.storage()[range(start)]],
        [&own[range(start - stride)], &own[range(start)], &own[range(start + stride)]],
    );
    for b in (0..D).filter(|&b| b != a) {
        let (other_stride, other, tangential) = (strides[b], u[b].storage(), c.shear[pair(a, b)].storage());
        add_shear_stress(
            out,
            [&tangential[range(start)], &tangential[range(start + other_stride)]],
            [&own[range(start - other_stride)], &own[range(start)], &own[range(start + other_stride)]],
            [&other[range(start - stride)], &other[range(start + other_stride - stride)]],
            [&other[range(start)], &other[range(start + other_stride)]],
        );
    }
}

/// Sets the normal stress of the two cells beside each face, from the faces before, here and behind.
#[inline(always)]
fn set_normal_stress(out: &mut [f32], k: [&[f32]; 2], u: [&[f32]; 3]) {
    let count = out.len();
    let (k, u) = (k.map(|k| &k[..count]), u.map(|u| &u[..count]));
    for x in 0..count {
        let (low, high) = (k[0][x] * (u[1][x] - u[0][x]), k[1][x] * (u[2][x] - u[1][x]));
        out[x] = low - high;
    }
}

/// Adds the shear stress of the two edges beside each face, from the faces below, here and above, and from the faces of
/// the other component before and behind each edge.
#[inline(always)]
fn add_shear_stress(
    out: &mut [f32],
    k: [&[f32]; 2],
    u: [&[f32]; 3],
    before: [&[f32]; 2],
    behind: [&[f32]; 2],
) {
    let count = out.len();
    let (k, u) = (k.map(|k| &k[..count]), u.map(|u| &u[..count]));
    let (before, behind) = (before.map(|v| &v[..count]), behind.map(|v| &v[..count]));
    for x in 0..count {
        let low = k[0][x] * ((u[1][x] - u[0][x]) + (behind[0][x] - before[0][x]));
        let high = k[1][x] * ((u[2][x] - u[1][x]) + (behind[1][x] - before[1][x]));
        out[x] += low - high;
    }
}
