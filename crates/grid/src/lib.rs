//! Numerics on regular grids: fields, boundaries, operators, interpolation, solvers and parallel loops.
//!
//! A [`Grid`] is a box of equal cells. A [`Field`] puts one number on every cell centre, face, edge or node of it
//! ([`Location`]) and carries its own [`Boundary`]: one [`Condition`] per [`Side`]. Around the samples lie ghost
//! samples, which [`fill_ghosts`] writes from the boundary, and nothing else does. Operators and kernels then treat
//! every sample alike, without special cases at the sides.
//!
//! ```
//! use undine_grid::{Condition, Field, Grid, Location, Side, fill_ghosts, operators, par};
//!
//! // A basin of 8 m × 4 m in cells of half a metre, ghost samples one deep
//! let grid = Grid::new([16, 8], [0.5, 0.5], [0.0, 0.0])?;
//! let mut eta = Field::new(grid, Location::Center, Condition::Wall, 1)?;
//! eta.set_by_position(|[x, _]| (-x * x).exp());
//! eta.boundary.set(Side::West, Condition::Value(1.0))?;
//! fill_ghosts(&mut eta);
//!
//! // Samples by whole coordinates; ghosts by signed ones
//! let on_the_side: f64 = 0.5 * (eta.at([-1, 3]) + eta[[0, 3]]);
//! assert!((on_the_side - 1.0).abs() < 1e-15);
//!
//! // Every sample of the result at once, on all threads
//! let mut curvature = Field::new(grid, Location::Center, Condition::Open, 1)?;
//! operators::laplacian(&eta, &mut curvature);
//! let roughness = par::sum(&curvature, |value: f64| value * value);
//! assert!(roughness > 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where samples lie
//!
//! Axis 0 is x (west to east), axis 1 is y (south to north), axis 2 is z (down to up). Along an axis the samples are
//! either *between* the sides, as centres are, or *on* them, as nodes are: then there is one sample more than cells.
//!
//! ```text
//! west side                         east side
//!     |  o  |  o  |  o  |  o  |  o  |        o  between: samples 0 … n-1
//!     x     x     x     x     x     x        x  on:      samples 0 … n
//! ```
//!
//! | location   | on the sides along     | holds                                  |
//! |------------|------------------------|----------------------------------------|
//! | `Center`   | no axis                | depth, pressure, height                |
//! | `Face(a)`  | axis a                 | the velocity component or flux along a |
//! | `Edge(a)`  | both other axes (3-D)  | the vorticity component along a        |
//! | `Node`     | every axis             | stream function, 2-D vorticity         |
//!
//! # How they are stored
//!
//! One block of memory, x fastest, ghosts included. It is allocated in lines of 64 bytes, and every row is padded to
//! whole lines such that *sample 0 of each row starts on a line*; the ghosts before it sit in the padding of the row
//! before. So a kernel's stores are aligned for any vector width, and rows of 2ⁿ cells do not fall on the same cache set.
//!
//! # The same bits everywhere
//!
//! [`par`] cuts work by its size alone, never by the number of threads, and combines partial sums in a fixed tree. A
//! kernel compiled for wider registers does the same operations in the same order. Results are equal bit for bit on
//! one thread, on many, and in a browser; except those of [`fft`], which are equal on one machine.

pub mod advection;
mod aligned;
#[cfg(feature = "checks")]
pub mod bench;
pub mod boundary;
pub mod fft;
mod field;
mod grid;
mod instances;
pub mod interpolation;
pub mod kernels;
mod layout;
mod location;
mod mac;
pub mod operators;
pub mod par;
pub mod poisson;
pub mod simd;
mod transpose;
pub mod tridiagonal;
mod value;

pub use boundary::{Boundary, BoundaryError, Condition, Side, fill_ghosts};
pub use field::{Field, FieldError};
pub use grid::{Grid, GridError};
pub use layout::{Layout, MAX_GHOST, neighbour};
pub use location::Location;
pub use mac::MacVelocity;
pub use value::{Real, Value};

/// The validation cases and benchmarks of this crate, which lie beside what they measure.
#[cfg(feature = "checks")]
pub static SUITES: &[undine_checks::Suite] = &[
    undine_checks::Suite { cases: &[], benches: bench::BENCHES },
    undine_checks::Suite { cases: poisson::validation::CASES, benches: poisson::bench::BENCHES },
];
