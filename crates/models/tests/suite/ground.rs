//! Ground that is raised, dug away and dammed while water runs over it.

use glam::DVec2;
use undine_frame::{FrameRequest, SurfaceShape};
use undine_models::MODELS;
use undine_scene::{LoadOptions, Scene};
use undine_sim::{ActionError, ActionKind, Disturbance, Runner, Sample, capture};

const WATERS: [&str; 4] = [
    "kind = 'kass-miller'\nprecision = 'double'\ndamping = 0.1",
    "kind = 'kass-miller'\ndamping = 0.1",
    "kind = 'kass-miller'\nscheme = 'paper'\ndamping = 0.1",
    "kind = 'shallow-water'\ndrag = 2",
];

fn build(water: &str, more: &str) -> Result<Runner, String> {
    let text = format!(
        "[scene]\nduration = 20\nfps = 20\n[[water]]\nsize = [4, 2]\nresolution = 64\nlevel = 1\n{water}\n{more}"
    );
    let scene =
        Scene::parse("ground", &text, &LoadOptions::default()).map_err(|errors| errors.to_string())?;
    Runner::new(&scene, MODELS, None).map_err(|errors| errors.to_string())
}

fn run(runner: &mut Runner, frames: u32) {
    (0..frames).for_each(|_| _ = runner.next_frame().unwrap_or_else(|failure| panic!("{failure}")));
}

fn change(runner: &mut Runner, poke: Disturbance) -> Result<(), ActionError> {
    runner.apply_action(ActionKind::Disturb(poke))
}

/// The relative error of the ledger that the numbers of a water allow.
fn tolerance(water: &str) -> f64 {
    if water.contains("double") || water.contains("shallow") { 1e-13 } else { 1e-6 }
}

fn check_ledger(runner: &Runner, water: &str) {
    let volume = runner.waters()[0].simulation.volume();
    assert!(volume.relative_error().abs() <= tolerance(water), "{water}: {volume:?}, {}", volume.error());
    assert_eq!((volume.initial, volume.inflow, volume.outflow), (8.0, 0.0, 0.0), "{water}");
}

#[test]
fn a_pit_and_an_island_keep_the_volume_and_come_to_rest_at_the_level_that_it_has_then() {
    for water in WATERS {
        let mut pond = build(water, "").unwrap();
        run(&mut pond, 2);
        let held = pond.waters()[0].simulation.volume().held;
        // An island that stands out of the water, and a pit beside it
        let at = DVec2::new(-1.0, 0.1);
        change(&mut pond, Disturbance::Ground { path: [at; 2], radius: 0.8, height: 1.6 }).unwrap();
        let path = [DVec2::new(0.5, -0.5), DVec2::new(1.3, 0.5)];
        change(&mut pond, Disturbance::Ground { path, radius: 0.5, height: -0.8 }).unwrap();
        assert_eq!(pond.waters()[0].simulation.volume().held, held, "{water}");
        assert!((pond.height(at).unwrap() - 2.6).abs() < 0.01, "{water}: {:?}", pond.height(at));
        for _ in 0..6 {
            run(&mut pond, 50);
            check_ledger(&pond, water);
        }
        // The island is dry, and the rest of the water has one level
        assert!(pond.depth(at).unwrap() < 2e-3, "{water}: {:?}", pond.depth(at));
        let places = (0..20).map(|x| DVec2::new(0.1 + 0.09 * f64::from(x), -0.4));
        let levels: Vec<f64> = places.filter_map(|at| pond.height(at)).collect();
        let mean = levels.iter().sum::<f64>() / levels.len() as f64;
        assert!(levels.iter().all(|level| (level - mean).abs() < 2e-3), "{water}: {levels:?}");
        // The level at which the ground as it is now holds the volume
        let view = pond.waters()[0].simulation.view();
        let bed = view.fields.iter().find(|field| field.name == "bed").unwrap().samples.values();
        let filled: f64 = bed.iter().map(|bed| (mean - f64::from(*bed)).max(0.0)).sum();
        assert!((filled * 8.0 / bed.len() as f64 - 8.0).abs() < 0.02, "{water}: {mean} holds {filled}");
    }
}

#[test]
fn a_dam_keeps_water_on_one_side() {
    for water in WATERS {
        let hump = "hump = [{ center = [-1, 0], radius = [0.5, 0.5], height = 0.4 }]";
        let mut pond = build(&format!("{water}\n{hump}"), "").unwrap();
        let path = [DVec2::new(0.3, -2.0), DVec2::new(0.3, 2.0)];
        let dam = Disturbance::Dam { path, radius: 0.1, level: 2.5, slope: 4.0 };
        change(&mut pond, dam).unwrap();
        // What stood on the dam has run off after a while
        let volume = pond.waters()[0].simulation.volume().held;
        run(&mut pond, 200);
        let after = pond.waters()[0].simulation.volume();
        assert!((after.held / volume - 1.0).abs() < tolerance(water), "{water}: {after:?}");
        let still: Vec<f64> = [-1.8, -1.0, -0.6].map(|x| pond.height(DVec2::new(x, 0.3)).unwrap()).to_vec();
        let beyond: Vec<f64> = [1.0, 1.5, 1.9].map(|x| pond.height(DVec2::new(x, 0.3)).unwrap()).to_vec();
        let is_level = |levels: &[f64]| (levels[0] - levels[2]).abs() < 2e-3;
        assert!(is_level(&still) && is_level(&beyond), "{water}: {still:?} {beyond:?}");
        // The hump stays behind the dam, so that the level is higher there
        assert!((still[0] - beyond[0]).abs() > 0.02, "{water}: {still:?} {beyond:?}");
        // The same dam again changes nothing
        let bed = pond.height(DVec2::new(0.3, 0.0));
        change(&mut pond, dam).unwrap();
        assert_eq!(pond.height(DVec2::new(0.3, 0.0)), bed);
    }
}

#[test]
fn what_is_absurd_or_beside_the_water_is_refused_and_changes_nothing() {
    for water in WATERS {
        let mut pond = build(water, "").unwrap();
        let before = pond.depth(DVec2::ZERO).zip(pond.height(DVec2::ZERO));
        let far = DVec2::splat(100.0);
        for poke in [
            Disturbance::Ground { path: [far; 2], radius: 1.0, height: 0.1 },
            Disturbance::Ground { path: [DVec2::ZERO; 2], radius: -1.0, height: 0.1 },
            Disturbance::Ground { path: [DVec2::ZERO; 2], radius: 1.0, height: 50.0 },
            Disturbance::Ground { path: [DVec2::ZERO; 2], radius: 1.0, height: f64::INFINITY },
            Disturbance::Ground { path: [DVec2::ZERO, DVec2::NAN], radius: 1.0, height: 0.1 },
            Disturbance::Dam { path: [DVec2::ZERO; 2], radius: 0.1, level: 1e4, slope: 0.5 },
            Disturbance::Dam { path: [DVec2::ZERO; 2], radius: 0.1, level: 1.0, slope: 0.0 },
            Disturbance::Dam { path: [far; 2], radius: 0.1, level: 1.0, slope: 0.5 },
        ] {
            assert!(matches!(change(&mut pond, poke), Err(ActionError::NoAnswer)), "{water}: {poke:?}");
        }
        assert_eq!(pond.depth(DVec2::ZERO).zip(pond.height(DVec2::ZERO)), before);
        // Many small ones are refused where together they are absurd
        let poke = Disturbance::Ground { path: [DVec2::ZERO; 2], radius: 1.0, height: 1.5 };
        let taken = (0..10).filter(|_| change(&mut pond, poke).is_ok()).count();
        assert_eq!(taken, 2, "{water}");
        run(&mut pond, 5);
    }
}

#[test]
fn a_scene_without_ground_refuses_acts_that_change_it_with_their_place() {
    let act = "[[act]]\nkind = 'dig'\nframe = 1\nat = [0, 0]\nradius = 1\ndepth = 0.1";
    let text = format!("[scene]\nduration = 1\n[[water]]\nkind = 'sine-waves'\n{act}");
    let scene = Scene::parse("sea.toml", &text, &LoadOptions::default()).unwrap();
    let error = Runner::new(&scene, MODELS, None).err().unwrap().to_string();
    assert!(error.contains("sea.toml:6") && error.contains("kass-miller, shallow-water"), "{error}");
    for water in WATERS {
        assert!(build(water, act).is_ok(), "{water}");
    }
}

#[test]
fn frames_have_the_ground_of_their_time() {
    let acts = "[[act]]\nkind = 'raise'\nframe = 2\nat = [0, 0]\nradius = 0.5\nheight = 0.3\n\
        [[act]]\nkind = 'dam'\nframe = 4\nfrom = [-1, -1]\nto = [-1, 1]\nradius = 0.1\nlevel = 1.5\n";
    for water in WATERS {
        let mut pond = build(water, acts).unwrap();
        let mut revisions = Vec::new();
        for _ in 0..7 {
            let frame = capture(&pond, &FrameRequest::ALL);
            let bed = frame.surfaces.iter().find_map(|surface| match &surface.shape {
                SurfaceShape::Heights(heights) => heights.bed.clone(),
                _ => None,
            });
            revisions.push(bed.unwrap().revision());
            run(&mut pond, 1);
        }
        // Acts at a frame are seen in the next one
        let changes: Vec<bool> = revisions.windows(2).map(|pair| pair[0] != pair[1]).collect();
        assert_eq!(changes, [false, false, true, false, true, false], "{water}");
    }
}
