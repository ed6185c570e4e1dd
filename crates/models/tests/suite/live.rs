//! Scenes that are changed while they run: sources, ground, obstacles and emitters come, move and go.

use glam::{DVec2, DVec3};
use undine_models::MODELS;
use undine_scene::{Edit, LoadOptions, Scene};
use undine_sim::{ActionKind, Disturbance, Runner, Sample, Writer};

fn build(text: &str) -> Runner {
    let text = format!("[scene]\nduration = 20\nfps = 30\n{text}");
    let scene =
        Scene::parse("live", &text, &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    Runner::new(&scene, MODELS, None).unwrap_or_else(|error| panic!("{error}"))
}

fn run(runner: &mut Runner, frames: u32) {
    (0..frames).for_each(|_| _ = runner.next_frame().unwrap_or_else(|failure| panic!("{failure}")));
}

fn set(runner: &mut Runner, change: &str) {
    runner
        .apply_action(ActionKind::Edit(Edit::set(change)))
        .unwrap_or_else(|error| panic!("{change}: {error}"));
}

fn remove(runner: &mut Runner, path: &str) {
    runner
        .apply_action(ActionKind::Edit(Edit::remove(path)))
        .unwrap_or_else(|error| panic!("{path}: {error}"));
}

fn held(runner: &Runner) -> f64 {
    let volume = runner.waters()[0].simulation.volume();
    assert!(volume.relative_error().abs() < 1e-5, "{volume:?}");
    volume.held
}

/// The greatest value of a field, by size; none where the water has no such field.
fn greatest(runner: &Runner, name: &str) -> Option<f32> {
    let view = runner.waters()[0].simulation.view();
    let field = view.fields.iter().find(|field| field.name == name)?;
    Some(field.samples.values().iter().fold(0.0, |most, value| value.abs().max(most)))
}

fn state(runner: &Runner) -> Vec<u8> {
    let mut bytes = Vec::new();
    runner.save(&mut Writer::new(&mut bytes)).unwrap();
    bytes
}

/// What was done does the same when it is done from the script.
fn replays(runner: &Runner) {
    let scene = Scene::parse("script", &runner.script(), &LoadOptions::default()).unwrap();
    let mut again = Runner::new(&scene, MODELS, None).unwrap();
    run(&mut again, runner.frame() as u32);
    assert!(state(runner) == state(&again), "the script leads elsewhere");
}

const LAND: [&str; 3] = [
    "[[water]]\nkind = 'kass-miller'\nsize = [4, 4]\nresolution = 32\nlevel = 1\ndamping = 0.03\nprecision = 'double'",
    "[[water]]\nkind = 'kass-miller'\nsize = [4, 4]\nresolution = 32\nlevel = 1\ndamping = 0.03\nscheme = 'paper'",
    "[[water]]\nkind = 'shallow-water'\nsize = [4, 4]\nresolution = 32\nlevel = 1\ndrag = 3",
];

#[test]
fn springs_come_move_and_go() {
    for water in LAND {
        let mut pond = build(water);
        run(&mut pond, 2);
        set(&mut pond, "source.0={ kind = \"spring\", at = [0.5, 0.5], radius = 0.3, rate = 0.3 }");
        run(&mut pond, 15);
        set(&mut pond, "source.1={ kind = \"rain\", rate = 3600, drops = true, height = 0.5 }");
        set(&mut pond, "source.0.at=[-1, -1]");
        run(&mut pond, 15);
        assert!(held(&pond) > 16.3 - 1e-4, "{water}: {}", held(&pond));
        set(&mut pond, "source.0.rate=\"-0.3\"");
        run(&mut pond, 15);
        remove(&mut pond, "source.1");
        remove(&mut pond, "source.0");
        let before = held(&pond);
        run(&mut pond, 15);
        assert!((held(&pond) - before).abs() < 1e-5, "{water}: {} {before}", held(&pond));
        replays(&pond);
    }
}

#[test]
fn a_hill_that_rises_lifts_the_lake() {
    for water in LAND {
        let mut lake = build(water);
        run(&mut lake, 2);
        let before = held(&lake);
        set(
            &mut lake,
            "terrain.0={ kind = \"hills\", hill = [{ center = [0, 0], radius = 0.8, height = 0.4 }] }",
        );
        assert!((held(&lake) / before - 1.0).abs() < 1e-12, "{water}");
        assert!(
            (lake.height(DVec2::ZERO).unwrap() - 1.4).abs() < 0.02,
            "the water lies on the hill at first"
        );
        run(&mut lake, 300);
        let corner = lake.height(DVec2::new(-1.8, -1.8)).unwrap();
        let middle = lake.height(DVec2::ZERO).unwrap();
        assert!(corner > 1.005 && (corner - middle).abs() < 2e-3, "{water}: {corner} {middle}");
        let error = held(&lake) / before - 1.0;
        assert!(error.abs() < 1e-6, "{water}: {error}");
    }
}

#[test]
fn a_domain_that_would_lie_elsewhere_needs_a_new_start() {
    let mut pond = build("[[water]]\nkind = 'shallow-water'\nsize = [4, 4]\nresolution = 16\nlevel = 1");
    run(&mut pond, 2);
    let before = state(&pond);
    let error =
        pond.apply_action(ActionKind::Edit(Edit::set("water.0.size=[5, 5]"))).unwrap_err().to_string();
    assert!(error.contains("takes effect with a new start"), "{error}");
    assert!(state(&pond) == before);
}

const SQUARE: &str =
    "corner = [{ at = [-0.1, -0.1] }, { at = [0.1, -0.1] }, { at = [0.1, 0.1] }, { at = [-0.1, 0.1] }]";

#[test]
fn obstacles_are_put_into_a_stream_moved_and_taken_out() {
    let mut stream = build(
        "[[water]]\nkind = 'stable-fluids'\nsize = [2, 1]\nresolution = 64\nstart = 'stream'\n\
         west = { kind = 'inflow', speed = 1 }\neast = { kind = 'outflow' }\ntracers = 50",
    );
    run(&mut stream, 5);
    let speed = |stream: &Runner, x: f64| stream.velocity(DVec3::new(x, 0.5, 0.0)).x;
    assert!((speed(&stream, 0.7) - 1.0).abs() < 1e-3);
    set(&mut stream, &format!("obstacle.0={{ kind = \"polygon\", at = [0.7, 0.5], {SQUARE} }}"));
    assert!(speed(&stream, 0.7).abs() < 1e-12, "{}", speed(&stream, 0.7));
    assert!(greatest(&stream, "divergence").unwrap() < 1e-3);
    run(&mut stream, 5);
    assert!(greatest(&stream, "divergence").unwrap() < 1e-3);
    assert!(speed(&stream, 0.7).abs() < 1e-12 && stream.velocity(DVec3::new(0.7, 0.8, 0.0)).x > 1.1);
    set(&mut stream, "obstacle.1={ kind = \"circle\", at = [1.4, 0.5], radius = 0.1 }");
    set(&mut stream, "obstacle.0.at=[1, 0.5]");
    run(&mut stream, 3);
    assert!(speed(&stream, 1.0).abs() < 1e-12 && speed(&stream, 1.4).abs() < 1e-12);
    remove(&mut stream, "obstacle.0");
    remove(&mut stream, "obstacle.0");
    run(&mut stream, 30);
    assert!(speed(&stream, 1.0) > 0.5 && greatest(&stream, "divergence").unwrap() < 1e-3);
    held(&stream);
    replays(&stream);
}

#[test]
fn an_obstacle_moved_by_hand_pushes_the_fluid() {
    for layout in ["staggered", "collocated"] {
        let mut still =
            build(&format!("[[water]]\nkind = 'stable-fluids'\nresolution = 48\nlayout = '{layout}'"));
        run(&mut still, 3);
        // From x = 0.3 to 0.35 in the course of the frame to come, and then at rest
        let way = |start: u64| format!("\"0.05*min(max((t-{start}/30)*30,0),1)\"");
        for (frame, x) in [(3, 0.3), (4, 0.35)] {
            set(
                &mut still,
                &format!(
                    "obstacle.0={{ kind = \"circle\", at = [{x}, 0.5], radius = 0.1, move_x = {} }}",
                    way(frame)
                ),
            );
            run(&mut still, 1);
            let ahead = still.velocity(DVec3::new(x + 0.05 + 0.13, 0.5, 0.0));
            assert!(ahead.x > 0.2, "{layout}: {ahead}");
        }
        let moving = still.waters()[0].simulation.budget().kinetic_energy;
        run(&mut still, 3);
        assert!(still.waters()[0].simulation.budget().kinetic_energy < moving, "{layout}: it rests");
        replays(&still);
    }
}

#[test]
fn dye_comes_with_the_first_emitter_that_has_some() {
    let mut fluid = build("[[water]]\nkind = 'stable-fluids'\nresolution = 32\ntracers = 20");
    run(&mut fluid, 2);
    assert_eq!(greatest(&fluid, "dye"), None);
    set(
        &mut fluid,
        "emitter.0={ kind = \"jet\", at = [0.3, 0.5], radius = 0.1, speed = 1, colour = \"#ff0000\", particles = 300 }",
    );
    assert_eq!(greatest(&fluid, "dye"), Some(0.0));
    run(&mut fluid, 5);
    assert!(greatest(&fluid, "dye").unwrap() > 0.9);
    set(&mut fluid, "emitter.1={ kind = \"blot\", at = [0.7, 0.2], radius = 0.1, smoke = 1, from = 0.3 }");
    run(&mut fluid, 1);
    assert_eq!(greatest(&fluid, "smoke"), Some(0.0));
    run(&mut fluid, 3);
    assert!(greatest(&fluid, "smoke").unwrap() > 0.5 && greatest(&fluid, "dye").unwrap() > 0.9);
    remove(&mut fluid, "emitter.0");
    run(&mut fluid, 2);
    assert_eq!(greatest(&fluid, "dye"), None);
    replays(&fluid);
}

const TANK: &str = "[[water]]\nkind = 'liquid'\nresolution = 32\n[[fill]]\nkind = 'level'\nlevel = 0.5";

#[test]
fn an_obstacle_displaces_a_liquid_until_it_is_removed() {
    for band in [0, 3] {
        let mut tank = build(TANK);
        set(&mut tank, &format!("water.0.band={band}"));
        run(&mut tank, 3);
        let before = held(&tank);
        set(&mut tank, "obstacle.0={ kind = \"circle\", at = [0.5, 0.25], radius = 0.15 }");
        assert_eq!(held(&tank), before);
        run(&mut tank, 60);
        let risen = tank.height(DVec2::new(0.1, 0.0)).unwrap();
        // A circle of 0.07 m² in a tank of 1 m
        assert!((0.53..0.6).contains(&risen), "band {band}: {risen}");
        remove(&mut tank, "obstacle.0");
        run(&mut tank, 60);
        assert_eq!(held(&tank), before);
        let fallen = tank.height(DVec2::new(0.1, 0.0)).unwrap();
        assert!((fallen - 0.5).abs() < 0.03, "band {band}: {fallen}");
    }
}

#[test]
fn the_ground_rises_under_a_liquid() {
    let mut tank = build(&TANK.replace("= 32", "= 16\nheight = 1").replace("level = 0.5", "level = 0.3"));
    run(&mut tank, 2);
    let before = held(&tank);
    set(&mut tank, "terrain.0={ kind = \"plane\", level = 0.1 }");
    assert_eq!(held(&tank), before);
    run(&mut tank, 30);
    let level = tank.height(DVec2::splat(0.5)).unwrap();
    assert!((0.35..0.45).contains(&level), "{level}");
    assert_eq!(held(&tank), before);
    replays(&tank);
}

#[test]
fn sources_withdrawal_and_rain_change_the_volume_of_a_liquid() {
    for (space, share, area) in [("", 1.0, 1.0), ("height = 0.5\nsize = [0.5, 0.5]", 0.1, 0.25)] {
        let mut tank =
            build(&TANK.replace("= 32", &format!("= 20\n{space}")).replace("level = 0.5", "level = 0.2"));
        let at = DVec2::splat(0.25);
        for rate in [0.1, -0.1] {
            // The jet leaves a hollow, from which nothing can be withdrawn
            run(&mut tank, 45);
            let before = held(&tank);
            for _ in 0..6 {
                let pour = Disturbance::Source { at, radius: 0.08, rate: rate * share, duration: 1.0 / 30.0 };
                tank.apply_action(ActionKind::Disturb(pour)).unwrap();
                run(&mut tank, 1);
            }
            let moved = (held(&tank) - before) / (0.2 * rate * share);
            assert!((0.7..1.05).contains(&moved), "{space}: {moved} of what was asked for at {rate}");
        }
        let before = held(&tank);
        tank.apply_action(ActionKind::Disturb(Disturbance::Rain { rate: 0.1, duration: 0.2 })).unwrap();
        run(&mut tank, 8);
        let rained = (held(&tank) - before) / (0.02 * area);
        assert!((rained - 1.0).abs() < 0.05, "{space}: {rained}");
        replays(&tank);
    }
}

#[test]
fn emitters_and_drains_of_a_liquid_are_added_and_removed() {
    let mut tank = build(TANK);
    run(&mut tank, 2);
    let before = held(&tank);
    set(
        &mut tank,
        "emitter.0={ kind = \"circle\", at = [0.5, 0.8], radius = 0.08, speed = 1, colour = \"#ff0000\" }",
    );
    run(&mut tank, 6);
    let poured = held(&tank);
    assert!(poured > before + 0.01);
    set(&mut tank, "drain.0={ kind = \"rectangle\", at = [0.5, 0.05], size = [0.3, 0.1] }");
    remove(&mut tank, "emitter.0");
    run(&mut tank, 6);
    assert!(held(&tank) < poured);
    replays(&tank);
}

#[test]
fn undo_leads_back_to_the_very_bits() {
    let swing = "[[obstacle]]\nkind = 'rectangle'\nsize = [0.2, 0.1]\nat = [0.5, 0.4]\nturn = '2*t'";
    for (text, change) in [
        (format!("{TANK}\n{swing}"), "obstacle.1={ kind = \"circle\", at = [0.2, 0.2], radius = 0.1 }"),
        (
            format!("[[water]]\nkind = 'stable-fluids'\nresolution = 32\nraised = 1\n{swing}"),
            "obstacle.0.at=[0.3, 0.3]",
        ),
        (LAND[0].to_owned(), "source.0={ kind = \"spring\", at = [0, 0], rate = 0.1 }"),
        (LAND[2].to_owned(), "water.0.infiltration=0.001"),
    ] {
        let mut runner = build(&text);
        run(&mut runner, 4);
        let (snapshot, before) = (runner.snapshot().unwrap(), state(&runner));
        run(&mut runner, 4);
        let uninterrupted = state(&runner);
        set(&mut runner, change);
        run(&mut runner, 4);
        let (later, changed) = (runner.snapshot().unwrap(), state(&runner));
        runner.restore_snapshot(&snapshot).unwrap();
        assert!(state(&runner) == before, "{change}: not back");
        run(&mut runner, 4);
        assert!(state(&runner) == uninterrupted, "{change}: goes on otherwise");
        runner.restore_snapshot(&later).unwrap();
        assert!(state(&runner) == changed, "{change}: not forward again");
    }
}
