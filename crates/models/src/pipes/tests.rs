//! The water as a scene builds it: exact volume, rest, odd input.

use undine_grid::par;
use undine_scene::{LoadOptions, Scene};
use undine_sim::{Disturbance, Reader, Runner, Simulation, Step, World, Writer};

mod bad_input;
mod random_runs;

use super::ENTRY;
use super::water::{Pipes, read};

/// A water of its own, so that a test sees its units.
pub(super) fn water(water: &str) -> Result<(Pipes, f64), String> {
    let text = format!("[scene]\nduration = 1000\n[[water]]\nkind = 'pipes'\n{water}");
    let scene = Scene::parse("test", &text, &LoadOptions::default()).map_err(|errors| errors.to_string())?;
    let section = &scene.sections("water")[0];
    let values = section.read(&[undine_sim::WATER_KEYS, ENTRY.keys]).map_err(|errors| errors.to_string())?;
    let built = read(&scene, &values).map_err(|errors| errors.to_string())?;
    Ok((built.0, scene.gravity))
}

pub(super) fn scene(water: &str) -> Result<Runner, String> {
    let text = format!("[scene]\nduration = 1000\n[[water]]\nkind = 'pipes'\n{water}");
    let scene = Scene::parse("test", &text, &LoadOptions::default()).map_err(|errors| errors.to_string())?;
    Runner::new(&scene, &[&ENTRY], None).map_err(|errors| errors.to_string())
}

/// Takes steps of at most a fiftieth of a second, and compares the units held with the ledger after each.
pub(super) fn advance(water: &mut Pipes, steps: usize) {
    for _ in 0..steps {
        let mut world = World { time: water.time, gravity: 9.81, seed: 3, driver: None };
        let dt = water.max_dt().min(0.02);
        assert!(matches!(water.step(dt, &mut world), Ok(Step::Done(_))));
        assert_eq!(water.held(), water.ledger.expected());
    }
}

pub(super) const RUGGED: &str = "size = [8, 8]\nresolution = 100\nlevel = -0.1\nwest = 'open'\nnorth = 'open'\n\
    fill = [{ from = [-2, -2], to = [2, 2], level = 0.7 }]\n\
    [[terrain]]\nkind = 'noise'\nwavelength = 3\namplitude = 0.6\n\
    [[source]]\nkind = 'spring'\nat = [-1, 1]\nradius = 0.4\nrate = 0.0371\n\
    [[source]]\nkind = 'drain'\nat = [1, -1]\nradius = 0.5\nrate = 0.02\n\
    [[source]]\nkind = 'rain'\nrate = 333\n";

#[test]
fn not_a_unit_is_lost_on_any_number_of_threads() {
    let run = |threads: usize, keys: &str| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (mut water, _) = water(&format!("{keys}\n{RUGGED}")).unwrap();
            advance(&mut water, 150);
            assert_eq!(water.columns.total(), water.ledger.expected());
            assert!(water.ledger.inflow > 0 && water.ledger.outflow > 0);
            water.columns.volume
        })
    };
    assert!(par::threads() > 0);
    for keys in ["", "neighbours = 'eight'", "area = 'constant'\npipe_depth = 0.3", "manning = 0.03"] {
        assert_eq!(run(1, keys), run(8, keys), "{keys}");
    }
}

#[test]
fn a_lake_over_any_bed_is_exactly_still() {
    for keys in ["", "neighbours = 'eight'", "area = 'constant'"] {
        let bed = "size = [8, 8]\nresolution = 50\nlevel = 0.123456789\nfriction = 0\neast = 'open'\n\
            [[terrain]]\nkind = 'noise'\nwavelength = 2\namplitude = 0.6";
        let (mut water, _) = water(&format!("{keys}\n{bed}")).unwrap();
        let before = water.columns.volume.clone();
        advance(&mut water, 100);
        assert_eq!(water.columns.volume, before);
        assert!(water.sets.iter().all(|set| set.values.iter().all(|value| *value == 0.0)));
    }
}

#[test]
fn a_bowl_comes_to_rest_within_two_units_of_level() {
    let bowl = "size = [6.4, 0.1]\nresolution = 64\ncurve = true\nfriction = 20\nmanager = 'none'\n\
        fill = [{ from = [-9, -9], to = [0, 9], level = 0.5 }]\n[[terrain]]\nkind = 'plane'\nlevel = -1\n";
    let (mut water, _) = water(bowl).unwrap();
    advance(&mut water, 60_000);
    let levels = (0..64).map(|x| water.columns.level(water.columns.tiling.index([x, 0])));
    let (low, high) =
        levels.fold((i32::MAX, i32::MIN), |(low, high), level| (low.min(level), high.max(level)));
    assert!(high - low <= 2, "{low} to {high}");
}

#[test]
fn a_single_row_a_single_column_and_a_single_cell_work() {
    for shape in [
        "size = [9, 0.1]\nresolution = 90",
        "size = [9, 5]\ncurve = true\nresolution = 90",
        "size = [0.1, 9]\nresolution = 1",
        "size = [1, 1]\nresolution = 1",
    ] {
        let keys = "level = 0.3\nneighbours = 'eight'\neast = 'open'\nnorth = 'open'\n\
            hump = [{ center = [1, 1], radius = [1, 1], height = 0.2 }]\n[[terrain]]\nkind = 'plane'";
        let (mut water, _) = water(&format!("{shape}\n{keys}")).unwrap();
        advance(&mut water, 60);
        assert!(water.columns.volume.iter().all(|volume| *volume >= 0));
    }
}

#[test]
fn absurd_input_is_refused_by_name_or_answered_within_bounds() {
    for (keys, word) in [
        ("friction = -1", "friction"),
        ("manning = -1", "manning"),
        ("friction = inf", "friction"),
        ("courant = 3", "courant"),
        ("neighbours = 'six'", "four"),
        ("west = 'opn'", "open"),
        ("[[terrain]]\nkind = 'noise'\nwavelength = 1\namplitude = 1e5\nscale = 9", "too great"),
        ("[[source]]\nkind = 'spring'\nat = [90, 0]\nrate = 1", "outside"),
        ("[[source]]\nkind = 'waves'\nside = 'west'\nlevel = 1", "level of the still water"),
    ] {
        let message = scene(&format!("size = [4, 4]\nresolution = 8\n{keys}")).err();
        assert!(message.as_ref().is_some_and(|text| text.contains(word)), "{keys}: {message:?}");
    }
    // A drain of dry ground, and a spring that fills everything up to the ceiling
    for source in
        ["kind = 'drain'\nat = [0, 0]\nradius = 1\nrate = 5", "kind = 'spring'\nat = [0, 0]\nrate = 1e9"]
    {
        let (mut water, _) = water(&format!("size = [4, 4]\nresolution = 16\n[[source]]\n{source}")).unwrap();
        advance(&mut water, 40);
        let highest = (0..water.columns.volume.len()).map(|index| water.columns.level(index)).max();
        assert!(highest <= Some(super::units::CEILING));
    }
}

#[test]
fn a_step_that_is_too_long_changes_nothing() {
    let (mut water, gravity) = water(RUGGED).unwrap();
    let (volume, long) = (water.columns.volume.clone(), 2.0 * water.max_dt());
    let mut world = World { time: 0.0, gravity, seed: 0, driver: None };
    let Ok(Step::Retry { dt }) = water.step(long, &mut world) else { panic!("a long step was taken") };
    assert!(dt <= water.max_dt() && dt > 0.0 && water.columns.volume == volume);
}

/// A lake in a bowl, with a hump on it.
pub(super) const LAKE: &str = "size = [8, 8]\nresolution = 100\nlevel = -0.3\nfriction = 0.5\n\
    hump = [{ center = [1, 0], radius = [1, 1], height = 0.05 }]\n\
    [[terrain]]\nkind = 'bowl'\nradius = 5\ndepth = 1.2";

#[test]
fn a_lake_falls_asleep_and_undisturbed_sleep_changes_no_bit() {
    let (mut water, _) = water(LAKE).unwrap();
    // 20/k, and a crossing of the lake by a long wave
    while water.time < 20.0 / 0.5 + 8.0 / (9.81_f64 * 0.4).sqrt() {
        advance(&mut water, 50);
    }
    assert_eq!(water.visits.awake_count(), 0);
    let (volume, flows) = (water.columns.volume.clone(), water.sets.clone());
    let held = water.manager.as_ref().map(|manager| manager.transitions());
    advance(&mut water, 400);
    assert_eq!(water.manager.as_ref().map(|manager| manager.transitions()), held);
    let tiles = water.columns.tiling.count();
    water.managed(|water, manager| (0..tiles).for_each(|tile| manager.wake(water, tile)));
    assert_eq!((&water.columns.volume, &water.sets), (&volume, &flows));
    // The lake is level to a unit
    let wet = |index: &usize| volume[*index] > water.units.depth(0.05);
    let levels: Vec<i32> = (0..volume.len()).filter(wet).map(|index| water.columns.level(index)).collect();
    let (low, high) = (levels.iter().min().unwrap(), levels.iter().max().unwrap());
    assert!(high - low <= 1, "{low} to {high}");
}

/// Tiles that fall asleep and wake by turns, over rough ground with all kinds of sources and open sides: not a unit is lost
/// in any step, and the same happens on any number of threads and after a restore.
#[test]
fn sleep_and_waking_lose_nothing_and_are_the_same_everywhere() {
    let run = |threads: usize, seed: u32, resumes: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let scene = format!(
                "size = [9, 7]\nresolution = 130\nlevel = -0.2\nfriction = 4\neast = 'open'\n\
                 [[terrain]]\nkind = 'noise'\nwavelength = 4\namplitude = 0.5\nseed = {seed}\n\
                 [[source]]\nkind = 'spring'\nat = [-2, 1]\nradius = 0.3\nrate = '0.02*pulse(t, 2)'\n\
                 [[source]]\nkind = 'drain'\nat = [2, -1]\nradius = 0.3\nrate = '0.02*step(t-1)'\n\
                 [[source]]\nkind = 'rain'\nrate = '300*pulse(t-3, 1)'\n"
            );
            let (mut current, _) = water(&scene).unwrap();
            for turn in 0..6 {
                let at = glam::DVec2::new(f64::from(turn * seed % 8) - 4.0, f64::from(turn % 5) - 2.0);
                current.disturb(&Disturbance::Drop { at, radius: 0.3, volume: 0.002 });
                advance(&mut current, 60);
                let tiles = current.columns.tiling.count();
                let chosen = (turn * 7 + seed) as usize % tiles;
                current.managed(|water, manager| manager.wake(water, chosen));
                if resumes {
                    let mut bytes = Vec::new();
                    current.save(&mut Writer::new(&mut bytes)).unwrap();
                    (current, _) = water(&scene).unwrap();
                    current.restore(&mut Reader::new(&bytes)).unwrap();
                }
                advance(&mut current, 60);
                let columns = current.columns.total();
                let held = current.manager.as_ref().map_or(0, |manager| manager.held());
                assert_eq!(columns + held, current.ledger.expected());
            }
            let transitions = current.manager.as_ref().map(|manager| manager.transitions());
            assert!(transitions.is_some_and(|[asleep, woken]| asleep > 2 && woken > 2), "{transitions:?}");
            (current.columns.volume, transitions)
        })
    };
    for seed in [1, 2, 3] {
        let alone = run(1, seed, false);
        assert!(run(8, seed, false) == alone && run(2, seed, true) == alone, "seed {seed}");
    }
}

#[test]
fn drops_fly_off_for_every_cause_and_nothing_is_lost() {
    for (cause, border) in [
        ("drop_height = 0.2", "wall"),
        ("drop_speed = 0.1", "open"),
        ("drop_curvature = 2", "open"),
        ("drop_height = 0.2\nneighbours = 'eight'", "open"),
    ] {
        let scene = format!(
            "size = [4, 4]\nresolution = 40\nlevel = 0.1\neast = '{border}'\ndrop_volume = 1e-5\n{cause}\n\
             fill = [{{ from = [1, -1], to = [9, 1], level = 1 }}]\n[[terrain]]\nkind = 'plane'\n"
        );
        let (mut water, _) = water(&scene).unwrap();
        let mut most = 0;
        for _ in 0..60 {
            advance(&mut water, 1);
            most = most.max(water.drops.held());
        }
        assert!(most > 0, "{cause}");
        advance(&mut water, 200);
        assert!(water.columns.volume.iter().all(|volume| *volume >= 0));
    }
}

#[test]
fn water_over_an_edge_flows_as_over_a_weir() {
    // A spring feeds ground whose far side is an edge three metres high: q = 1.705 H^1.5
    let scene = "size = [40, 0.5]\nresolution = 80\ncurve = true\nfriction = 0.1\nmanager = 'none'\neast = 'open'\n\
        fill = [{ from = [-99, -9], to = [0, 9], level = 3.3 }]\n\
        [[terrain]]\nkind = 'walls'\nwall = [{ from = [-20, -1], to = [0, 1], height = 3 }]\n\
        [[source]]\nkind = 'spring'\nat = [-15, 0]\nradius = 2\nrate = 0.1\n";
    let (mut water, _) = water(scene).unwrap();
    advance(&mut water, 15_000);
    let depth = water.depth_in([39, 0]);
    let expected = (0.1 / 0.5 / 1.705_f64).powf(2.0 / 3.0);
    assert!((depth / expected - 1.0).abs() < 0.05, "{depth} {expected}");
}
