//! Benchmarks of fields on lattices.

mod fourier;
mod lattice;
mod memory;

use undine_checks::Bench;

pub use memory::copy_bandwidth;

/// Every benchmark of fields.
pub static BENCHES: &[Bench] = &[
    Bench { name: "grid/copy", run: memory::copy },
    Bench { name: "grid/sweep", run: lattice::sweep },
    Bench { name: "grid/interpolation", run: lattice::interpolation },
    Bench { name: "grid/fft", run: fourier::fft },
];
