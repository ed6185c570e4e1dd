//! The stress on the faces of one row: the differences of τ over the cells and edges around each.

use undine_grid::{Field, simd};

use super::coefficients::{Coefficients, pair};

/// Writes S u of the component along `a` into a row, from `at` on: what the stresses of the velocity `u` pull.
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
    // All fields have the same layout, so that one place holds the same row in each
    let (start, strides, length) = (u[a].layout().offset(at), u[a].layout().strides(), out.len());
    let cut = |from: usize| from..from + length;
    let (own, along) = (u[a].storage(), strides[a]);
    set_normal_stress(
        out,
        [&c.normal.storage()[cut(start - along)], &c.normal.storage()[cut(start)]],
        [&own[cut(start - along)], &own[cut(start)], &own[cut(start + along)]],
    );
    for b in (0..D).filter(|&b| b != a) {
        let (across, other, tangential) = (strides[b], u[b].storage(), c.shear[pair(a, b)].storage());
        add_shear_stress(
            out,
            [&tangential[cut(start)], &tangential[cut(start + across)]],
            [&own[cut(start - across)], &own[cut(start)], &own[cut(start + across)]],
            [&other[cut(start - along)], &other[cut(start + across - along)]],
            [&other[cut(start)], &other[cut(start + across)]],
        );
    }
}

/// The stress of the two cells beside each face, from the faces before, here and behind.
#[inline(always)]
fn set_normal_stress(out: &mut [f32], k: [&[f32]; 2], u: [&[f32]; 3]) {
    let count = out.len();
    let (k, u) = (k.map(|k| &k[..count]), u.map(|u| &u[..count]));
    for x in 0..count {
        let (low, high) = (k[0][x] * (u[1][x] - u[0][x]), k[1][x] * (u[2][x] - u[1][x]));
        out[x] = low - high;
    }
}

/// Adds the stress of the two edges beside each face, from the faces below, here and above. Of the component across come
/// the faces before and behind each of the two edges.
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
