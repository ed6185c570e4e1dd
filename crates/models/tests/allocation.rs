//! A step of a warm water does not touch the heap.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use undine_models::MODELS;
use undine_sim::conformance;

/// Counts what is asked of the heap.
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

#[test]
fn warm_steps_do_not_allocate() {
    for (model, scene) in
        MODELS.iter().flat_map(|model| model.conformance.lively.iter().map(move |scene| (model, scene)))
    {
        let mut runner = conformance::build(model, scene).unwrap();
        // Until tanks with an inflow are full: their particles need memory
        (0..20).for_each(|_| drop(runner.next_frame()));
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        let stats = runner.next_frame().unwrap();
        let during = ALLOCATIONS.load(Ordering::Relaxed) - before;
        // The thread pool may grow a queue; a step that allocates does so for every row or wave.
        assert!(during <= 2, "{}: {during} allocations in {} steps of {scene}", model.name, stats.steps);
    }
}
