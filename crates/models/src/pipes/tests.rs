//! The water as a scene builds it: exact volume, rest, odd input.

use undine_grid::par;
use undine_scene::{LoadOptions, Scene};
use undine_sim::{Runner, Simulation, Step, World};

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

fn scene(water: &str) -> Result<Runner, String> {
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
    let bowl = "size = [6.4, 0.1]\nresolution = 64\ncurve = true\nfriction = 20\n\
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
        ("[[terrain]]\nkind = 'noise'\nwavelength = 1\namplitude = 9e5", "too great"),
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

#[test]
fn a_column_takes_less_than_32_bytes() {
    let (water, _) = water("size = [64, 64]\nresolution = 64\nlevel = 1").unwrap();
    let columns = &water.columns;
    let bytes = 4 * (columns.bed.len() + columns.volume.len() + columns.wet_until.len())
        + water.sets.iter().map(|set| 4 * set.values.len()).sum::<usize>();
    assert!(bytes < 32 * 64 * 64, "{bytes}");
}
