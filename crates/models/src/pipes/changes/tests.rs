//! What is handed out, kept and measured of the tiles that changed is, bit by bit, what a pass over all of them gives.

use std::hint::black_box;
use std::time::Instant;

use glam::DVec2;
use undine_frame::{Frame, FrameRequest, Heights, SurfaceShape};
use undine_sim::{Disturbance, Reader, Runner, Simulation, SurfaceView, Writer, capture};

use super::super::tests::{LAKE, advance, scene, water};
use super::super::tiling::TILES_PER_TASK;
use super::super::volume_update::TileSums;
use super::super::water::Pipes;
use super::Cover;

/// A lake with a beach that dries, and a spring that pulses far from it.
const SHORE: &str = "size = [24, 16]\nresolution = 150\nlevel = -0.3\nfriction = 2\neast = 'open'\ndrying = 0.4\n\
    hump = [{ center = [4, 0], radius = [1, 1], height = 0.1 }]\n\
    [[terrain]]\nkind = 'noise'\nwavelength = 9\namplitude = 0.9\nseed = 4\n\
    [[source]]\nkind = 'spring'\nat = [-8, 4]\nradius = 0.5\nrate = '0.1*pulse(t-0.5, 0.5)'\n";

fn heights(frame: &Frame) -> &Heights {
    let shapes = frame.surfaces.iter().map(|surface| &surface.shape);
    let mut heights = shapes.filter_map(|shape| match shape {
        SurfaceShape::Heights(heights) => Some(heights),
        _ => None,
    });
    heights.next().expect("the frame has a surface")
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// All values that a frame must have, by a pass over all columns.
fn whole(runner: &Runner) -> Vec<Vec<u32>> {
    let view = runner.waters()[0].simulation.view();
    let Some(SurfaceView::Height(surface)) = view.surfaces.first() else { panic!("no surface") };
    let parts = [&surface.level, surface.bed.as_ref().unwrap(), surface.velocity.as_ref().unwrap()];
    let parts = parts.into_iter().chain([surface.wetness.as_ref().unwrap()]);
    let lattices = parts.chain(view.fields.iter().map(|field| &field.samples));
    lattices.map(|lattice| bits(&lattice.values())).collect()
}

/// The same from a frame.
fn given(frame: &Frame) -> Vec<Vec<u32>> {
    let heights = heights(frame);
    let wetness = frame.surfaces.iter().find_map(|surface| surface.attributes.first()).unwrap();
    let velocity = heights.velocity.as_ref().unwrap().as_flattened();
    let parts =
        [bits(&heights.level), bits(heights.bed.as_ref().unwrap()), bits(velocity), bits(&wetness.values)];
    parts.into_iter().chain(frame.fields.iter().map(|field| bits(&field.values))).collect()
}

fn saved(runner: &Runner) -> Vec<u8> {
    let mut bytes = Vec::new();
    runner.save(&mut Writer::new(&mut bytes)).unwrap();
    bytes
}

/// What happens to the shore on the way to a frame.
fn happen(shore: &mut Runner, frame: u64) {
    let at = DVec2::new((frame % 7) as f64 * 3.0 - 9.0, (frame % 5) as f64 * 2.5 - 5.0);
    match frame {
        7 | 31 => shore.disturb(&Disturbance::Drop { at, radius: 0.5, volume: 0.01 }).unwrap(),
        12 | 13 | 40 => {
            let dig = Disturbance::Ground { path: [at, at + 1.0], radius: 0.7, height: -0.2 };
            shore.disturb(&dig).unwrap();
        }
        20 => {
            let velocity = DVec2::X.extend(0.0);
            // Where it finds no water it is refused, and nothing may change
            let _ = shore.disturb(&Disturbance::Push { at: at.extend(0.0), radius: 2.0, velocity });
        }
        26 => {
            let path = [DVec2::new(-6.0, -6.0), DVec2::new(-6.0, 6.0)];
            shore.disturb(&Disturbance::Dam { path, radius: 0.3, level: 0.2, slope: 2.0 }).unwrap();
        }
        _ => {}
    }
}

#[test]
fn frames_of_changed_tiles_have_the_bits_of_whole_ones_with_waking_digging_restoring_and_undo() {
    let mut shore = scene(SHORE).unwrap();
    let (mut held, mut early, mut kept) = (Vec::new(), None, None);
    let (mut tiles, mut most) = (0, 0);
    for frame in 0..60 {
        happen(&mut shore, frame);
        let before = shore.tiles_captured();
        let taken = capture(&shore, &FrameRequest::ALL);
        assert!(given(&taken) == whole(&shore), "frame {frame}");
        most = most.max(shore.tiles_captured() - before);
        tiles += shore.tiles_captured() - before;
        // Some frames are held for a while, and do not change meanwhile
        if frame % 3 == 0 {
            held.push((given(&taken), taken));
        }
        if frame % 11 == 0 {
            held.drain(..).for_each(|(bits, frame)| assert!(given(&frame) == bits));
        }
        match frame {
            15 => early = Some(shore.snapshot().unwrap()),
            34 => shore.restore_snapshot(early.as_ref().unwrap()).unwrap(),
            45 => {
                let bytes = saved(&shore);
                shore.restore(&mut Reader::new(&bytes)).unwrap();
            }
            _ => {}
        }
        assert!(given(&capture(&shore, &FrameRequest::ALL)) == whole(&shore), "frame {frame}, again");
        // A snapshot in the memory of the last one restores the same state
        kept = Some(shore.snapshot_into(kept).unwrap());
        let (bytes, mut other) = (saved(&shore), scene(SHORE).unwrap());
        if frame % 5 == 0 {
            other.restore_snapshot(kept.as_ref().unwrap()).unwrap();
            assert!(saved(&other) == bytes, "frame {frame}");
        }
        shore.next_frame().unwrap();
    }
    assert!(tiles < 50 * most, "{tiles} tiles were copied in 60 frames of at most {most}");
}

#[test]
fn a_run_with_frames_and_snapshots_has_the_bits_of_one_without_on_any_number_of_threads() {
    let run = |threads: usize, watches: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (mut shore, mut kept, mut frames) = (scene(SHORE).unwrap(), None, Vec::new());
            for frame in 0..45 {
                happen(&mut shore, frame);
                if watches {
                    kept = Some(shore.snapshot_into(kept).unwrap());
                    let taken = capture(&shore, &FrameRequest::ALL);
                    frames.push(heights(&taken).level.revision());
                    shore.restore_snapshot(kept.as_ref().unwrap()).unwrap();
                }
                shore.next_frame().unwrap();
            }
            (saved(&shore), frames)
        })
    };
    let alone = run(1, true);
    assert!(run(1, false).0 == alone.0);
    assert!(run(8, true) == alone);
}

#[test]
fn a_sleeping_water_costs_nothing_to_hand_out_and_little_to_keep() {
    let mut lake = scene(LAKE).unwrap();
    let awake = |lake: &Runner| {
        let counters = lake.waters()[0].simulation.counters();
        counters.iter().find(|counter| counter.name == "awake tiles").unwrap().count
    };
    let mut frames = 0;
    // 20/k and a crossing by a long wave: before, a tile may wake once more
    while awake(&lake) > 0 || lake.time() < 50.0 {
        lake.next_frame().unwrap();
        frames += 1;
        assert!(frames < 5000, "the lake does not fall asleep");
    }
    // Ground at the shore dries within 20 s
    let asleep = lake.time();
    while lake.time() < asleep + 21.0 {
        lake.next_frame().unwrap();
    }
    let first = capture(&lake, &FrameRequest::ALL);
    let mut kept = lake.snapshot_into(None).unwrap();
    let (copied, state) = (lake.tiles_captured(), kept.bytes_copied());
    for _ in 0..5 {
        lake.next_frame().unwrap();
        let again = capture(&lake, &FrameRequest::ALL);
        assert_eq!(heights(&again).level.as_ptr(), heights(&first).level.as_ptr());
        assert_eq!(heights(&again).level.revision(), heights(&first).level.revision());
        kept = lake.snapshot_into(Some(kept)).unwrap();
        // A twentieth of the state: sums and accounts of the tiles, and the last counts
        assert!(20 * kept.bytes_copied() < state, "{} of {state} bytes", kept.bytes_copied());
    }
    assert_eq!(lake.tiles_captured(), copied);
}

#[test]
fn budgets_and_wet_columns_of_changed_tiles_are_those_of_all() {
    let (mut shore, _) = water(SHORE).unwrap();
    for turn in 0..40 {
        advance(&mut shore, 10);
        let at = DVec2::new(f64::from(turn % 7) - 3.0, 1.0);
        if turn % 9 == 4 {
            shore.disturb(&Disturbance::Ground { path: [at; 2], radius: 0.8, height: -0.1 });
        }
        let (sums, wet) = (shore.budget_sums(), shore.changes.wet_columns());
        let fresh = super::super::tile_budgets::TileBudgets::new(&shore.columns.tiling);
        let known = std::mem::replace(&mut shore.budgets, fresh);
        assert_eq!(shore.budget_sums().map(f64::to_bits), sums.map(f64::to_bits));
        shore.budgets = known;
        let film = shore.units.depth(super::super::water::FILM);
        assert_eq!(wet, shore.columns.volume.iter().filter(|volume| **volume > film).count() as u64);
    }
}

/// Bytes of all arrays that a water holds.
fn resident_bytes(water: &Pipes) -> usize {
    let (tiling, columns) = (water.columns.tiling, &water.columns);
    let per_column = 4 * (columns.bed.len() + columns.volume.len() + columns.wet_until.len())
        + water.sets.iter().map(|set| 4 * set.values.len()).sum::<usize>();
    // Whether changed; three of visits; three stamps; cover; sums; momentum and energy
    let per_tile = 1 + 3 + 3 * 8 + size_of::<Cover>() + size_of::<TileSums>() + 5 * 8;
    per_column
        + tiling.count().next_multiple_of(TILES_PER_TASK) * per_tile
        + water.limiter.bytes()
        + water.manager.as_ref().map_or(0, |manager| manager.bytes())
}

#[test]
fn a_column_takes_less_than_32_bytes_awake_and_asleep() {
    // A whole number of tiles: per column the same as at 4096²
    let still = LAKE.replace("resolution = 100", "resolution = 1024").replace("height = 0.05", "height = 0");
    let (mut lake, _) = water(&still).unwrap();
    let columns = 1024 * 1024;
    for _ in 0..40 {
        advance(&mut lake, 16);
        let bytes = resident_bytes(&lake);
        assert!(bytes < 32 * columns, "{} bytes a column", bytes as f64 / columns as f64);
    }
    assert!(lake.visits.awake_count() < lake.columns.tiling.count() / 2, "it has not fallen asleep");
}

#[test]
#[ignore = "prints times"]
#[allow(clippy::print_stdout)]
fn parts_of_a_frame_of_a_sleeping_water() {
    let still = LAKE.replace("resolution = 100", "resolution = 2048").replace("height = 0.05", "height = 0");
    let mut lake = scene(&format!("manager = 'exact'\n{still}")).unwrap();
    let time = |name: &str, work: &mut dyn FnMut()| {
        work();
        let start = Instant::now();
        (0..5).for_each(|_| work());
        println!("{name:32} {:9.3} ms", start.elapsed().as_secs_f64() * 200.0);
    };
    for frame in 0..30 {
        let stats = lake.next_frame().unwrap();
        println!("frame {frame}: {} steps, {:.0} ms", stats.steps, 1e3 * stats.seconds);
        let counters = lake.waters()[0].simulation.counters();
        if counters.iter().any(|counter| counter.name == "awake tiles" && counter.count == 0) {
            break;
        }
    }
    time("capture, all tiles", &mut || {
        black_box(whole(&lake));
    });
    time("capture, those that changed", &mut || {
        black_box(capture(&lake, &FrameRequest::ALL));
    });
    time("snapshot, all tiles", &mut || {
        black_box(lake.snapshot().unwrap());
    });
    let mut kept = Some(lake.snapshot().unwrap());
    time("snapshot, those that changed", &mut || kept = Some(lake.snapshot_into(kept.take()).unwrap()));
    let water = &lake.waters()[0].simulation;
    time("volume", &mut || {
        black_box(water.volume());
    });
    time("budget", &mut || {
        black_box(water.budget());
    });
    time("counters", &mut || {
        black_box(water.counters());
    });
    let (mut alone, _) = super::super::tests::water(&still).unwrap();
    time("budget, all tiles", &mut || {
        let wetting = alone.wetting();
        alone.changes.renew(&alone.columns, wetting);
        black_box(alone.budget());
    });
    time("frame", &mut || {
        black_box(lake.next_frame().unwrap());
    });
}
