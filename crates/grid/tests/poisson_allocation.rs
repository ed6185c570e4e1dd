//! A warm solver does not touch the heap, nor does a problem whose inside changes.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use undine_grid::poisson::{Inside, PoissonProblem, SOLVERS, SideKind, Stop};
use undine_grid::{Condition, Field, Grid, Location};

/// Counts heap allocations.
struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is handed to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The box with a solid ball that has moved by `shift`.
fn faces(grid: Grid<2>, shift: f64) -> [Field<f32, 2>; 2] {
    std::array::from_fn(|axis| {
        let mut field = Field::new(grid, Location::Face(axis), Condition::Open, 1).unwrap();
        field.set_by_position(|[x, y]| f64::from(u8::from((x - 20.0 - shift).hypot(y - 14.0) > 6.0)));
        field
    })
}

#[test]
fn warm_solves_do_not_allocate() {
    let grid = Grid::new([48, 32], [1.0; 2], [0.0; 2]).unwrap();
    let mut rhs = Field::<f32, 2>::new(grid, Location::Center, Condition::Open, 1).unwrap();
    rhs.set_by_position(|[x, y]| (0.3 * x).sin() * (0.2 * y).cos());
    let mut p = rhs.clone();
    let solids = [0.0, 3.0, 1.0, 2.0].map(|shift| faces(grid, shift));
    for entry in SOLVERS {
        let mut problem = PoissonProblem::new(grid, [[SideKind::Closed; 2]; 2]).unwrap();
        let mut solver = entry.build();
        let mut solve = |number: usize| {
            if !entry.needs_box {
                let inside = Inside { faces: Some(&solids[number]), ..Inside::default() };
                problem.set_inside(&inside).unwrap();
            }
            p.fill(0.0);
            solver.solve(&problem, &rhs, &mut p, Stop { tolerance: 1e-4, max_iterations: 200 }).unwrap();
        };
        (0..3).for_each(&mut solve);
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        solve(3);
        let during = ALLOCATIONS.load(Ordering::Relaxed) - before;
        // The thread pool may grow a queue, and a new shape may need a longer list
        assert!(during <= 4, "{}: {during} allocations", entry.name);
    }
}
