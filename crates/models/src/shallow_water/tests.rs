//! The water as a scene builds it: odd input, sides, and the promises of a step.

use glam::{DVec2, DVec3};
use undine_grid::{Condition, Field, Grid, Location};
use undine_scene::{LoadOptions, Scene};
use undine_sim::{Disturbance, Runner, Sample, Simulation, Step, World, Writer};

use super::{ENTRY, Settings, ShallowWater};
use crate::heightfield::HeightFieldSetup;

fn scene(water: &str) -> Result<Runner, String> {
    let text = format!("[scene]\nduration = 1000\n[[water]]\nkind = 'shallow-water'\n{water}");
    let scene = Scene::parse("test", &text, &LoadOptions::default()).map_err(|errors| errors.to_string())?;
    Runner::new(&scene, &[&ENTRY], None).map_err(|errors| errors.to_string())
}

/// Runs some frames and answers the relative error of the ledger.
fn run(water: &str, frames: usize) -> (Runner, f64) {
    let mut runner = scene(water).unwrap();
    for _ in 0..frames {
        runner.next_frame().unwrap();
    }
    let error = runner.waters()[0].simulation.volume().relative_error().abs();
    (runner, error)
}

fn levels(runner: &Runner) -> Vec<f32> {
    field(runner, "height")
}

fn field(runner: &Runner, name: &str) -> Vec<f32> {
    let view = runner.waters()[0].simulation.view();
    view.fields.iter().find(|field| field.name == name).unwrap().samples.values()
}

#[test]
fn ground_above_and_below_everything_is_land_and_sea() {
    let high = "size = [4, 4]\nresolution = 16\nlevel = 0\n[[terrain]]\nkind = 'plane'\nlevel = 9000";
    let (runner, error) = run(high, 3);
    assert_eq!((runner.waters()[0].simulation.volume().held, error), (0.0, 0.0));
    assert_eq!(runner.waters()[0].simulation.max_dt(), f64::INFINITY);
    let low = "size = [4, 4]\nresolution = 16\nlevel = 0\n[[terrain]]\nkind = 'plane'\nlevel = -9000";
    let (runner, error) = run(low, 1);
    assert!(error < 1e-14 && field(&runner, "speed").iter().all(|speed| *speed == 0.0));
}

#[test]
fn a_single_row_a_single_column_and_a_single_cell_work() {
    for shape in [
        "size = [9, 0.1]\nresolution = 90",
        "size = [0.1, 9]\nresolution = 1",
        "size = [1, 1]\nresolution = 1",
    ] {
        let (runner, error) = run(
            &format!(
                "{shape}\nlevel = 0.3\nhump = [{{ center = [1, 1], radius = [1, 1], height = 0.2 }}]\n[[terrain]]\nkind = 'plane'"
            ),
            20,
        );
        assert!(error < 1e-14, "{shape}: {error}");
        assert!(levels(&runner).iter().all(|level| level.is_finite()));
    }
}

#[test]
fn sources_outside_and_drains_of_dry_ground_do_no_harm() {
    let outside =
        scene("size = [4, 4]\nresolution = 16\n[[source]]\nkind = 'spring'\nat = [90, 0]\nrate = 1\n")
            .err()
            .unwrap();
    assert!(outside.contains("outside") || outside.contains("domain"), "{outside}");
    let (runner, error) = run(
        "size = [4, 4]\nresolution = 16\n[[source]]\nkind = 'drain'\nat = [0, 0]\nradius = 1\nrate = 5\n",
        10,
    );
    assert_eq!((runner.waters()[0].simulation.volume().outflow, error), (0.0, 0.0));
    let (runner, error) = run(
        "size = [4, 4]\nresolution = 16\nlevel = 0.01\n[[terrain]]\nkind = 'plane'\n[[source]]\nkind = 'drain'\nat = [0, 0]\nradius = 1\nrate = 5\n",
        40,
    );
    assert!(error < 1e-14 && levels(&runner).iter().all(|level| *level >= 0.0));
}

#[test]
fn absurd_numbers_are_refused_by_name() {
    for (water, word) in [
        ("cfl = 1e4", "cfl"),
        ("cfl = 0", "cfl"),
        ("manning = -1", "manning"),
        ("west = { kind = 'stage' }", "level"),
        ("west = { kind = 'discharge' }", "rate or flow"),
        ("west = { kind = 'discharge', rate = 1, flow = 1 }", "twice"),
        ("west = { kind = 'periodic' }", "both be periodic"),
        ("west = { kind = 'driven' }", "driven_by"),
        ("west = { kind = 'wall', level = 2 }", "no level"),
        ("border = 'opn'", "open"),
        ("[[source]]\nkind = 'waves'\nside = 'west'\nlevel = 1", "level of the still water"),
        (
            "level = 1\nwest = { kind = 'wall' }\n[[source]]\nkind = 'waves'\nside = 'west'\nlevel = 1",
            "not open",
        ),
    ] {
        let message = scene(&format!("size = [4, 4]\nresolution = 8\n{water}")).err();
        assert!(message.as_ref().is_some_and(|text| text.contains(word)), "{water}: {message:?}");
    }
}

/// A metre of water on a square of 16² cells, with a lump on it.
fn tub() -> ShallowWater {
    let grid = Grid::new([16; 2], [0.25; 2], [0.0; 2]).unwrap();
    let blank = Field::new(grid, Location::Center, Condition::Open, 3).unwrap();
    let mut depth = blank.clone();
    depth.set_by_position(|[x, y]| 1.0 + 0.5 * (-(x - 1.0).powi(2) - (y - 1.5).powi(2)).exp());
    let velocity = [blank.clone(), blank.clone()];
    let setup =
        HeightFieldSetup { grid, bed: blank, depth, velocity, still_level: 1.0, warnings: Vec::new() };
    ShallowWater::new(setup, Settings::default()).unwrap()
}

fn saved(water: &ShallowWater) -> Vec<u8> {
    let mut bytes = Vec::new();
    water.save(&mut Writer::new(&mut bytes)).unwrap();
    bytes
}

#[test]
fn a_step_that_is_too_long_changes_nothing() {
    let mut water = tub();
    let before = saved(&water);
    let mut world = World { time: 0.0, gravity: 9.81, seed: 0, driver: None };
    for factor in [1e4, 2.0] {
        let long = factor * water.max_dt();
        let Ok(Step::Retry { dt }) = water.step(long, &mut world) else { panic!("a long step was taken") };
        assert!(dt <= water.max_dt() && dt > 0.0);
        assert_eq!(saved(&water), before);
    }
}

#[test]
fn waves_leave_an_open_side() {
    let sea = "size = [40, 0.2]\nresolution = 200\nlevel = 1\nborder = 'open'\n\
        hump = [{ center = [0, 0], radius = [2, 1e6], height = 0.05 }]\n[[terrain]]\nkind = 'plane'";
    let (runner, error) = run(sea, 24 * 12);
    let rise = levels(&runner).iter().map(|level| (level - 1.0).abs()).fold(0.0, f32::max);
    assert!(rise < 1e-4, "an echo of {rise} m is left of 0.025 m");
    assert!(error < 1e-13);
}

#[test]
fn a_wave_maker_makes_its_wave_and_takes_back_the_echo() {
    let text = "size = [30, 0.2]\nresolution = 300\nlevel = 1\n[[terrain]]\nkind = 'plane'\n\
        [[source]]\nkind = 'waves'\nside = 'west'\nlevel = '0.01*sin(2*pi*t/2)'";
    let (runner, _) = run(text, 24 * 4);
    let speed = 9.81f64.sqrt();
    let gauge = DVec2::new(-10.0, 0.0);
    let expected = 0.01 * (std::f64::consts::PI * (runner.time() - 5.0 / speed)).sin();
    let found = runner.height(gauge).unwrap() - 1.0;
    assert!((found - expected).abs() < 1e-3, "{found} {expected}");
    // A wall reflects the wave; after many crossings the level is still within that of a standing wave.
    let (runner, error) = run(text, 24 * 120);
    let most = levels(&runner).iter().map(|level| (level - 1.0).abs()).fold(0.0, f32::max);
    assert!(most < 0.03 && error < 1e-13, "{most} {error}");
}

#[test]
fn a_nested_water_goes_on_as_the_one_around_it() {
    let text = "[scene]\nduration = 100\n[[terrain]]\nkind = 'plane'\n\
        [[water]]\nkind = 'shallow-water'\nname = 'sea'\nsize = [20, 20]\nresolution = 100\nlevel = 1\n\
        hump = [{ center = [-6, 2], radius = [2, 2], height = 0.05 }]\n\
        [[water]]\nkind = 'shallow-water'\nname = 'bay'\ndriven_by = 'sea'\nsize = [6, 6]\nresolution = 30\nlevel = 1\n";
    let scene = Scene::parse("nest", text, &LoadOptions::default()).unwrap();
    let mut runner = Runner::new(&scene, &[&ENTRY], None).unwrap();
    let (mut apart, mut risen) = (0.0f64, 0.0f64);
    for _ in 0..24 * 3 {
        runner.next_frame().unwrap();
        let [sea, bay] =
            [0, 1].map(|index| runner.waters()[index].simulation.height(DVec2::new(0.4, 0.6)).unwrap());
        apart = apart.max((sea - bay).abs());
        risen = risen.max((sea - 1.0).abs());
    }
    assert!(risen > 0.005 && apart < 0.1 * risen, "{apart} of {risen}");
    assert!(runner.waters()[1].simulation.volume().relative_error().abs() < 1e-13);
}

#[test]
fn a_push_moves_water_and_an_absurd_one_is_refused() {
    let mut runner = scene("size = [4, 4]\nresolution = 16\nlevel = 1\n[[terrain]]\nkind = 'plane'").unwrap();
    let push = |velocity| Disturbance::Push { at: DVec3::ZERO, radius: 1.0, velocity };
    assert!(runner.disturb(&push(DVec3::X * 1e4)).is_err());
    assert!(runner.disturb(&push(DVec3::X * 0.5)).is_ok());
    assert!(runner.waters()[0].simulation.budget().momentum[0] > 0.0);
    runner.next_frame().unwrap();
}
