//! How near the star stencil comes to the speed of memory: `cargo run --release -p undine-grid --example sweep`.
//!
//! Counted as one value read and one written per cell, against the fastest of three parallel copies of as many values.
//! Both are timed in turn, so that whatever else the machine does slows both.
#![allow(clippy::print_stdout)]

use std::time::Instant;

use undine_grid::{Condition, Field, Grid, Location, fill_ghosts, kernels, par};

const CELLS: usize = 256;
const ROUNDS: usize = 100;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let grid = Grid::new([CELLS; 3], [1.0; 3], [0.0; 3])?;
    let mut from = Field::<f32, 3>::new(grid, Location::Center, Condition::Periodic, 1)?;
    from.set_by_position(|[x, y, z]| x + 0.5 * y - z);
    let mut to = from.clone();
    let source = from.to_dense();
    let mut target = source.clone();

    // A copy in one piece per thread lets the C library stream; one in small pieces lets caches help
    let lengths = [source.len().div_ceil(par::threads()), 1 << 18, 1 << 14];
    let (mut copy, mut sweep, mut ghosts) = (f64::MAX, f64::MAX, f64::MAX);
    for _ in 0..ROUNDS {
        ghosts = ghosts.min(seconds(|| fill_ghosts(&mut from)));
        sweep = sweep.min(seconds(|| kernels::sweep(&from, &mut to, 0.4, 0.1)));
        for length in lengths {
            copy = copy.min(seconds(|| copy_in_parallel(&source, &mut target, length)));
        }
    }

    let rate = |seconds: f64| (from.len() * 2 * size_of::<f32>()) as f64 / seconds / 1e9;
    println!("threads {}", par::threads());
    println!("copy    {:6.2} GB/s  {:6.2} ms", rate(copy), copy * 1e3);
    println!("sweep   {:6.2} GB/s  {:6.2} ms", rate(sweep), sweep * 1e3);
    println!("ratio   {:6.3}", copy / sweep);
    println!("ghosts  {:6.2} ms", ghosts * 1e3);
    Ok(())
}

fn copy_in_parallel(source: &[f32], target: &mut [f32], length: usize) {
    par::for_each_chunk(target, length, |first, chunk| {
        chunk.copy_from_slice(&source[first..first + chunk.len()]);
    });
}

fn seconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}
