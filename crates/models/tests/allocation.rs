//! A step of a warm water does not touch the heap.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use undine_models::MODELS;
use undine_scene::{LoadOptions, Scene};
use undine_sim::{Runner, conformance};

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

/// Numbers of t of every kind, with jumps in every step.
const CHANGING: &str = "0.2 + 0.1*sin(9*t) + 0.01*floor(300*t - 300*floor(t)) + pulse(t - 0.1, 1e-4)";

/// Scenes in which rates and states change with t.
fn changing_scenes() -> [String; 3] {
    [
        "[[water]]\nkind = 'shallow-water'\nsize = [8, 8]\nresolution = 16\nlevel = 1\n\
         west = { kind = 'discharge', flow = 'EX' }\neast = { kind = 'stage', level = '1 + 0.1*sin(t)' }\n\
         [[source]]\nkind = 'spring'\nat = [0, 0]\nradius = 1\nrate = 'EX'\n",
        "[[water]]\nkind = 'kass-miller'\nsize = [8, 8]\nresolution = 16\nlevel = 1\n\
         [[source]]\nkind = 'drain'\nat = [0, 0]\nradius = 1\nrate = 'EX'\n",
        "[[water]]\nkind = 'stable-fluids'\nsize = [2, 1]\nresolution = 16\nwest = { kind = 'inflow', speed = 'EX' }\n\
         east = { kind = 'outflow' }\nforce_y = 'EX'\n\
         [[emitter]]\nkind = 'jet'\nat = [1, 0.5]\nradius = 0.2\nspeed = 'EX'\n",
    ]
    .map(|water| format!("[scene]\nduration = 1\nfps = 24\n{}", water.replace("EX", CHANGING)))
}

#[test]
fn warm_steps_do_not_allocate() {
    let lively = MODELS.iter().flat_map(|model| {
        let build = |scene: &&str| conformance::build(model, scene).unwrap();
        model.conformance.lively.iter().map(move |scene| (model.name.to_owned(), build(scene)))
    });
    let changing = changing_scenes().into_iter().map(|text| {
        let scene = Scene::parse("changing", &text, &LoadOptions::default()).unwrap();
        (text, Runner::new(&scene, MODELS, None).unwrap())
    });
    for (name, mut runner) in lively.chain(changing) {
        (0..3).for_each(|_| drop(runner.next_frame()));
        // The budgets and the counters of a frame are lists, and the thread pool grows its queue now and then; a step that
        // allocates does so in every frame
        let allocations = (0..3).map(|_| {
            let before = ALLOCATIONS.load(Ordering::Relaxed);
            runner.next_frame().unwrap();
            ALLOCATIONS.load(Ordering::Relaxed) - before
        });
        let least = allocations.min().unwrap();
        assert!(least <= 3, "{name}: {least} allocations in a frame");
    }
}
