//! Gradient, divergence, Laplacian and curl on the staggered grid.
//!
//! All are central differences of second order over one cell, at the place where the result belongs: the gradient of
//! centres lies on faces, the divergence of faces at centres, the curl of faces on edges (nodes in 2-D). Placed so,
//! the identities of calculus hold to rounding: div grad is the Laplacian, −div is the transpose of grad,
//! curl grad = 0 and div curl = 0 [harlow1965, hyman1997].
//!
//! Results are written on all samples, not on ghosts. What is read must have its ghosts filled by
//! [`fill_ghosts`](crate::fill_ghosts): this is where the boundary comes in.
//!
//! Every function panics when its fields lie on different grids or at the wrong locations.

mod curl;
mod gradient;
mod laplacian;

pub use curl::{add_curl_of_potential, curl, curl_location};
pub use gradient::{divergence, gradient};
pub use laplacian::laplacian;

use crate::field::Field;
use crate::layout::neighbour;
use crate::value::Real;

/// Location along an axis of the difference of two neighbours.
#[derive(Clone, Copy)]
enum Between {
    /// Samples i − 1 and i: from centres to sides.
    BeforeAndAt,
    /// Samples i and i + 1: from sides to centres.
    AtAndAfter,
}

impl Between {
    /// The two runs whose difference along `axis` belongs to the samples from `at` on.
    fn runs<T: Real, const D: usize>(
        self,
        field: &Field<T, D>,
        axis: usize,
        at: [isize; D],
        length: usize,
    ) -> [&[T]; 2] {
        let steps = match self {
            Between::BeforeAndAt => [-1, 0],
            Between::AtAndAfter => [0, 1],
        };
        steps.map(|by| field.run(neighbour(at, axis, by), length))
    }
}

/// `out = scale (high - low)` over a row.
fn set_difference<T: Real>(out: &mut [T], [low, high]: [&[T]; 2], scale: T) {
    for (out, (&low, &high)) in out.iter_mut().zip(low.iter().zip(high)) {
        *out = scale * (high - low);
    }
}

/// `out += scale (high - low)` over a row.
fn add_difference<T: Real>(out: &mut [T], [low, high]: [&[T]; 2], scale: T) {
    for (out, (&low, &high)) in out.iter_mut().zip(low.iter().zip(high)) {
        *out = *out + scale * (high - low);
    }
}

/// One over the spacing along an axis.
fn per_spacing<T: Real, const D: usize>(field: &Field<T, D>, axis: usize) -> T {
    T::from_f64(1.0 / field.grid().spacing()[axis])
}
