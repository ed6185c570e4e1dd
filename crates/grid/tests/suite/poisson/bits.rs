//! The same bits on any number of threads.
#![cfg(not(target_arch = "wasm32"))]

use undine_grid::poisson::SideKind::{Closed, Fixed, Periodic};
use undine_grid::poisson::{SOLVERS, Stop};
use undine_grid::{Real, par};

use super::specimen::{Content, Specimen, zeros};

/// What all solvers make of some problems, reduced to bits. Slow ones are stopped on the way.
fn fingerprint<T: Real, const D: usize>(cells: [usize; D]) -> Vec<u64> {
    let sides = std::array::from_fn(|axis| [[Closed, Fixed], [Periodic; 2], [Closed; 2]][axis]);
    let mut bits = Vec::new();
    for content in [Content::Nothing, Content::Pockets, Content::Everything] {
        let specimen = Specimen::<T, D>::new(cells, sides, content, 6);
        for entry in SOLVERS.iter().filter(|entry| !entry.needs_box || specimen.problem.is_box()) {
            if entry.name == "gaussian" && D == 3 {
                continue;
            }
            let mut p = zeros(*specimen.problem.grid());
            let stop = Stop { tolerance: 1e-9, max_iterations: 20 };
            let outcome = entry.build().solve(&specimen.problem, &specimen.rhs, &mut p, stop).unwrap();
            bits.extend(p.iter().map(|(_, value)| value.to_f64().to_bits()));
            bits.extend([
                outcome.residual.to_bits(),
                outcome.removed_mean.to_bits(),
                outcome.iterations as u64,
            ]);
        }
    }
    bits
}

fn on_threads(count: usize) -> [Vec<u64>; 2] {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build().unwrap();
    pool.install(|| {
        assert_eq!(par::threads(), count);
        [fingerprint::<f64, 2>([130, 77]), fingerprint::<f32, 3>([45, 38, 40])]
    })
}

#[test]
fn one_two_three_and_eight_threads_give_the_same_bits() {
    let alone = on_threads(1);
    for count in [2, 3, 8] {
        assert!(alone == on_threads(count), "{count} threads");
    }
}
