//! Grid fluids: bad scenes are refused or survive, and what is promised of each part holds.

use glam::{DVec2, DVec3};
use undine_models::MODELS;
use undine_scene::{LoadOptions, Scene};
use undine_sim::{Disturbance, Runner, Sample};

fn try_build(keys: &str, sections: &str) -> Result<Runner, String> {
    let text =
        format!("[scene]\nduration = 10\nfps = 25\n[[water]]\nkind = 'stable-fluids'\n{keys}\n{sections}");
    let scene = Scene::parse("fluid", &text, &LoadOptions::default()).map_err(|errors| errors.to_string())?;
    Runner::new(&scene, MODELS, None).map_err(|errors| errors.to_string())
}

fn build(keys: &str, sections: &str) -> Runner {
    try_build(keys, sections).unwrap_or_else(|problem| panic!("{problem}"))
}

fn refusal(keys: &str, sections: &str) -> String {
    try_build(keys, sections).err().expect("it was accepted")
}

fn field(runner: &Runner, name: &str) -> Vec<f32> {
    let view = runner.waters()[0].simulation.view();
    view.fields
        .iter()
        .find(|field| field.name == name)
        .map(|field| field.samples.values())
        .unwrap_or_default()
}

fn energy(runner: &Runner) -> f64 {
    runner.waters()[0].simulation.budget().kinetic_energy
}

fn run(runner: &mut Runner, frames: u32) {
    (0..frames).for_each(|_| _ = runner.next_frame().unwrap_or_else(|failure| panic!("{failure}")));
}

/// Runs a scene and checks that everything it shows stays finite.
fn survives(keys: &str, sections: &str) -> Runner {
    let mut runner = build(keys, sections);
    run(&mut runner, 12);
    let view = runner.waters()[0].simulation.view();
    for field in &view.fields {
        assert!(
            field.samples.values().iter().all(|value| value.is_finite()),
            "{} in {keys} {sections}",
            field.name
        );
    }
    drop(view);
    runner
}

fn square(low: f64, high: f64) -> String {
    format!(
        "[[obstacle]]\nkind = 'polygon'\ncorner = [{{ at = [{low}, {low}] }}, {{ at = [{high}, {low}] }}, \
         {{ at = [{high}, {high}] }}, {{ at = [{low}, {high}] }}]\n"
    )
}

#[test]
fn senseless_obstacles_are_refused_with_their_place() {
    let bow_tie = "[[obstacle]]\nkind = 'polygon'\ncorner = [{ at = [0, 0] }, { at = [1, 1] }, { at = [1, 0] }, { at = [0, 1] }]";
    let problem = refusal("", bow_tie);
    assert!(
        problem.contains("fluid:9:") && problem.contains("side 0 of the polygon meets side 2"),
        "{problem}"
    );
    let problem = refusal("", &square(-1.0, 2.0));
    assert!(problem.contains("obstacles fill the whole box"), "{problem}");
    let problem = refusal("", "[[obstacle]]\nkind = 'sphere'\nradius = 1");
    assert!(problem.contains("does not fit into a 2-D fluid") && problem.contains("circle"), "{problem}");
    let problem = refusal("", "[[obstacle]]\nkind = 'circel'\nradius = 1");
    assert!(problem.contains("unknown kind of obstacle") && problem.contains("circle"), "{problem}");
    let problem = refusal("", "[[obstacle]]\nkind = 'circle'\nradius = 0.1\nwater = 'sea'");
    assert!(problem.contains("no water is called \"sea\""), "{problem}");
}

#[test]
fn senseless_sides_and_emitters_are_refused() {
    let problem = refusal("west = { kind = 'periodic' }", "");
    assert!(problem.contains("west and east must both be periodic"), "{problem}");
    let problem = refusal("west = { kind = 'inflow', speed = 1 }", "");
    assert!(problem.contains("no side through which it could leave"), "{problem}");
    let problem = refusal("up = { kind = 'outflow' }", "");
    assert!(problem.contains("a 2-D fluid has no side up"), "{problem}");
    let problem = refusal("layout = 'collocated'\nadvection = 'bfecc'", "");
    assert!(problem.contains("staggered"), "{problem}");
    let problem = refusal("", "[[emitter]]\nkind = 'jet'\nat = [0, 0]\nradius = 1\ntowards = [0, 0]");
    assert!(problem.contains("direction has length zero"), "{problem}");
    let backwards = "way = [{ time = 1, at = [0, 0] }, { time = 0, at = [1, 1] }]";
    let problem = refusal("", &format!("[[emitter]]\nkind = 'path'\nradius = 0.1\n{backwards}"));
    assert!(problem.contains("each later than the one before"), "{problem}");
}

#[test]
fn a_closed_pocket_is_stable() {
    let ring = "[[obstacle]]\nkind = 'polygon'\ncorner = [{ at = [0.2, 0.2] }, { at = [0.8, 0.2] }, { at = [0.8, 0.8] }, \
        { at = [0.2, 0.8] }, { at = [0.2, 0.31] }, { at = [0.3, 0.31] }, { at = [0.3, 0.7] }, { at = [0.7, 0.7] }, \
        { at = [0.7, 0.3] }, { at = [0.2, 0.3] }]";
    let jet = "[[emitter]]\nkind = 'jet'\nat = [0.1, 0.5]\nradius = 0.05\nspeed = 1\ncolour = '#ffffff'";
    for layout in ["staggered", "collocated"] {
        survives(&format!("resolution = 40\nlayout = '{layout}'"), &format!("{ring}\n{jet}"));
    }
}

#[test]
fn extremes_of_viscosity_and_time_are_stable() {
    let jet = "[[emitter]]\nkind = 'jet'\nat = [0.3, 0.5]\nradius = 0.1\nspeed = 100";
    for layout in ["staggered", "collocated"] {
        for viscosity in ["0", "1e-9", "1e6"] {
            let keys = format!("resolution = 24\nsteps = 1\nlayout = '{layout}'\nviscosity = {viscosity}");
            let runner = survives(&keys, jet);
            let fastest = field(&runner, "speed").into_iter().fold(0.0, f32::max);
            assert!(fastest < 300.0, "{keys}: {fastest} m/s");
        }
        // 100 m/s for 40 ms on cells of 1e-4 m is forty thousand cells in a step
        survives(&format!("resolution = 24\nsize = [0.0024, 0.0024]\nsteps = 1\nlayout = '{layout}'"), jet);
    }
}

#[test]
fn obstacles_that_jump_over_cells_are_announced_and_survived() {
    let dart = "[[obstacle]]\nkind = 'circle'\nat = [0.5, 0.5]\nradius = 0.1\nmove_x = '0.4*sin(200*t)'\nturn = '1000*t'";
    for layout in ["staggered", "collocated"] {
        let runner = survives(&format!("resolution = 32\nlayout = '{layout}'"), dart);
        let warnings = &runner.waters()[0].warnings;
        assert!(warnings.iter().any(|warning| warning.to_string().contains("more than a cell per step")));
    }
    survives(
        "resolution = 32",
        "[[obstacle]]\nkind = 'circle'\nat = [0.5, 0.5]\nradius = 0.1\nmove_x = '5*t'",
    );
}

#[test]
fn a_paddle_pushes_the_fluid() {
    let paddle = "[[obstacle]]\nkind = 'rectangle'\nsize = [0.05, 0.4]\nat = [0.3, 0.5]\nmove_x = '0.3*t'";
    for layout in ["staggered", "collocated"] {
        let mut runner = build(&format!("resolution = 48\nlayout = '{layout}'"), paddle);
        run(&mut runner, 10);
        let ahead = runner.velocity(DVec3::new(0.46, 0.5, 0.0)).x;
        assert!(ahead > 0.1, "{layout}: {ahead}");
    }
}

#[test]
fn every_kind_of_emitter_acts() {
    let cases = [
        ("kind = 'jet'\nat = [0.5, 0.5]\nspeed = 1", DVec3::X),
        ("kind = 'fan'\nat = [0.5, 0.5]\ntowards = [0, -1]\npush = 5", DVec3::NEG_Y),
        (
            "kind = 'path'\nway = [{ time = 0, at = [0.4, 0.3] }, { time = 0.5, at = [0.6, 0.7] }]",
            DVec3::new(0.4, 0.8, 0.0),
        ),
    ];
    for (emitter, towards) in cases {
        let mut runner =
            build("resolution = 32", &format!("[[emitter]]\nradius = 0.1\ncolour = '#00ff00'\n{emitter}"));
        run(&mut runner, 6);
        let along = runner.velocity(DVec3::new(0.5, 0.5, 0.0)).dot(towards);
        assert!(along > 0.1, "{emitter}: {along}");
        let green = field(&runner, "dye").chunks(3).map(|colour| colour[1]).fold(0.0, f32::max);
        assert!((0.5..=1.0).contains(&green), "{emitter}: {green}");
    }
    let blot = "[[emitter]]\nkind = 'blot'\nradius = 0.1\nat = [0.5, 0.5]\nsmoke = 1";
    let mut runner = build("resolution = 32", blot);
    let before = field(&runner, "smoke");
    run(&mut runner, 5);
    assert!(before.iter().copied().fold(0.0, f32::max) == 1.0 && energy(&runner) == 0.0);
}

#[test]
fn heat_rises_and_smoke_sinks() {
    let hot = "[[emitter]]\nkind = 'blot'\nat = [0.5, 0.3]\nradius = 0.1\ntemperature = 50";
    let mut runner = build("resolution = 32", hot);
    run(&mut runner, 8);
    assert!(runner.velocity(DVec3::new(0.5, 0.35, 0.0)).y > 0.01);
    let heavy = "[[emitter]]\nkind = 'blot'\nat = [0.5, 0.5, 0.6]\nradius = 0.15\nsmoke = 1";
    let mut runner = build("resolution = 16\nheight = 1\nsmoke_weight = 5", heavy);
    run(&mut runner, 8);
    assert!(runner.velocity(DVec3::new(0.5, 0.5, 0.55)).z < -0.01);
}

#[test]
fn a_push_moves_the_fluid_and_a_drop_colours_it() {
    let ink = "[[emitter]]\nkind = 'blot'\nat = [0.2, 0.2]\nradius = 0.05\ncolour = '#ff0000'";
    let mut runner = build("resolution = 32", ink);
    let push = Disturbance::Push { at: DVec3::new(0.5, 0.5, 0.0), radius: 0.1, velocity: DVec3::X };
    assert!(runner.disturb(&push).is_ok() && energy(&runner) > 0.0);
    let drop_of_ink = Disturbance::Drop { at: DVec2::new(0.7, 0.7), radius: 0.1, volume: 1e-3 };
    assert!(runner.disturb(&drop_of_ink).is_ok());
    assert!(field(&runner, "dye").chunks(3).any(|colour| colour == [1.0; 3]));
    let pour = Disturbance::Source { at: DVec2::new(0.3, 0.7), radius: 0.1, rate: 1.0, duration: 0.1 };
    assert!(runner.disturb(&pour).is_ok());
    let red = |runner: &Runner| field(runner, "dye")[3 * (22 * 32 + 9)];
    assert_eq!(red(&runner), 0.0);
    run(&mut runner, 1);
    assert!(red(&runner) > 0.9);
    let outside = Disturbance::Push { at: DVec3::new(5.0, 0.5, 0.0), radius: 0.1, velocity: DVec3::X };
    let draw_off = Disturbance::Source { at: DVec2::new(0.3, 0.7), radius: 0.1, rate: -1.0, duration: 1.0 };
    assert!(runner.disturb(&draw_off).is_err());
    assert!(runner.disturb(&outside).is_err());
    assert!(runner.disturb(&Disturbance::Rain { rate: 1.0, duration: 1.0 }).is_err());
}

#[test]
fn shapes_and_meshes_stand_in_three_dimensions() {
    let wind = "resolution = 20\nheight = 1\nstart = 'stream'\nwest = { kind = 'inflow', speed = 1 }\neast = { kind = 'outflow' }";
    for shape in
        ["kind = 'sphere'\nradius = 0.2", "kind = 'box'\nsize = [0.2, 0.3, 0.4]\nturn = 't'\naxis = 'x'"]
    {
        let runner = survives(wind, &format!("[[obstacle]]\nat = [0.4, 0.5, 0.5]\n{shape}"));
        assert!(runner.velocity(DVec3::new(0.4, 0.5, 0.5)).x.abs() < 0.5);
        let solid = field(&runner, "solid").iter().sum::<f32>() / 8000.0;
        assert!((0.015..0.05).contains(&solid), "{shape}: {solid}");
    }
}

#[test]
fn tracers_stay_in_the_fluid() {
    let rock = "[[obstacle]]\nkind = 'circle'\nat = [0.5, 0.5]\nradius = 0.2";
    let keys = "resolution = 32\ntracers = 500\nstart = 'turbulence'\nstart_speed = 2";
    let mut runner = build(keys, rock);
    run(&mut runner, 20);
    let view = runner.waters()[0].simulation.view();
    let particles = view.clouds.first().expect("tracers were asked for");
    for [x, y, _] in particles.positions {
        assert!((0.0..=1.0).contains(x) && (0.0..=1.0).contains(y));
        assert!((x - 0.5).hypot(y - 0.5) > 0.2 - 1.5 / 32.0, "{x}, {y}");
    }
}

/// Positions and masses of the particles.
fn particles(runner: &Runner) -> (Vec<[f32; 3]>, Vec<f32>) {
    let view = runner.waters()[0].simulation.view();
    let particles = view.clouds.first().expect("there are particles");
    (particles.positions.to_vec(), particles.column(undine_frame::Quantity::Mass).to_vec())
}

#[test]
fn emitters_give_off_particles_that_burn_down() {
    let flame = "[[emitter]]\nkind = 'jet'\nat = [0.5, 0.2]\nradius = 0.05\ntowards = [0, 1]\nspeed = 0.5\n\
        particles = 100\nmass = 2\nburning = 2";
    let mut runner = build("resolution = 32\ntracers = 10", flame);
    assert_eq!(particles(&runner).1, [1.0; 10]);
    run(&mut runner, 10);
    let (places, masses) = particles(&runner);
    assert_eq!((places.len(), masses.len()), (50, 50));
    let youngest = &places[46..];
    assert!(youngest.iter().all(|[x, y, _]| (x - 0.5).hypot(y - 0.2) < 0.05 + 0.02), "{youngest:?}");
    assert!(masses[10..].windows(2).all(|pair| pair[0] <= pair[1] && pair[1] <= 2.0));
    // After half a second the first ones are gone: 100 per second live for 0.5 s
    run(&mut runner, 30);
    let (places, masses) = particles(&runner);
    assert!((55..=65).contains(&places.len()), "{}", places.len());
    assert!(masses.iter().all(|mass| (0.0..=2.0).contains(mass)));
    let risen = places[10..].iter().map(|place| place[1]).fold(0.0, f32::max);
    assert!(risen > 0.3, "{risen}");
}

#[test]
fn a_blot_may_be_made_of_particles() {
    let foam = "[[emitter]]\nkind = 'blot'\nat = [0.5, 0.5]\nradius = 0.3\nparticles = 200\nmass = 0.1";
    let runner = build("resolution = 32", foam);
    let (places, masses) = particles(&runner);
    assert_eq!((places.len(), masses.as_slice()), (200, &[0.1; 200][..]));
    assert!(places.iter().all(|[x, y, _]| (x - 0.5).hypot(y - 0.5) <= 0.3));
    assert!(places.iter().any(|[x, y, _]| (x - 0.5).hypot(y - 0.5) > 0.25));
}

#[test]
fn a_spoon_pushes_particles_and_leaves_none_inside() {
    let foam = "[[emitter]]\nkind = 'blot'\nat = [0.5, 0.5]\nradius = 0.3\nparticles = 500\n";
    let spoon = "[[obstacle]]\nkind = 'circle'\nat = [0.5, 0.5]\nradius = 0.06\n\
        move_x = '0.25*cos(4*t)'\nmove_y = '0.25*sin(4*t)'";
    let mut runner = build("resolution = 48", &format!("{foam}{spoon}"));
    for _ in 0..50 {
        run(&mut runner, 1);
        let (sine, cosine) = (4.0 * runner.time()).sin_cos();
        let (places, _) = particles(&runner);
        assert_eq!(places.len(), 500);
        for [x, y, _] in places {
            let away = (f64::from(x) - 0.5 - 0.25 * cosine).hypot(f64::from(y) - 0.5 - 0.25 * sine);
            assert!(away >= 0.06 - 1e-6, "{away} at {} s", runner.time());
        }
    }
}

#[test]
fn the_distance_is_that_of_the_shapes() {
    let shapes = "[[obstacle]]\nkind = 'circle'\nat = [0.3, 0.3]\nradius = 0.123\n\
        [[obstacle]]\nkind = 'polygon'\nat = [0.7, 0.7]\nturn = 't'\n\
        corner = [{ at = [-0.1, -0.1] }, { at = [0.1, -0.1] }, { at = [0.1, 0.1] }, { at = [-0.1, 0.1] }]";
    let mut runner = build("resolution = 40", shapes);
    run(&mut runner, 7);
    let (sine, cosine) = runner.time().sin_cos();
    let band = 3.0 / 40.0;
    for (index, distance) in field(&runner, "distance").into_iter().enumerate() {
        let [x, y] = [index % 40, index / 40].map(|along| (along as f64 + 0.5) / 40.0);
        let circle = (x - 0.3).hypot(y - 0.3) - 0.123;
        let turned = [cosine * (x - 0.7) + sine * (y - 0.7), cosine * (y - 0.7) - sine * (x - 0.7)];
        let beyond = turned.map(|along| along.abs() - 0.1);
        let square = beyond[0].max(0.0).hypot(beyond[1].max(0.0)) + beyond[0].max(beyond[1]).min(0.0);
        let exact = circle.min(square).clamp(-band, band);
        // The band ends where the nodes around know nothing any more
        let slack = if exact.abs() > band - 1.0 / 40.0 { 0.5 / 40.0 } else { 1e-6 };
        assert!((f64::from(distance) - exact).abs() < slack, "{x}, {y}: {distance}, not {exact}");
    }
}

#[test]
fn obstacles_in_space_are_shown_as_bodies() {
    let ball = "[[obstacle]]\nkind = 'sphere'\nat = [0.5, 0.5, 0.5]\nradius = 0.2\nmove_z = '0.1*t'";
    let mut runner = build("resolution = 12\nheight = 1", ball);
    run(&mut runner, 5);
    let view = runner.waters()[0].simulation.view();
    let [body] = view.bodies.as_slice() else { panic!("{} bodies", view.bodies.len()) };
    assert!((body.position[2] - 0.52).abs() < 1e-6 && body.rotation == [0.0, 0.0, 0.0, 1.0]);
    assert!(body.mesh.inconsistency().is_none() && body.mesh.triangle_count() > 100);
}

#[test]
fn the_surface_is_raised_by_pressure() {
    let keys = "resolution = 32\nraised = 2\nstart = 'vortices'\n";
    let mut runner = build(keys, "");
    run(&mut runner, 3);
    let level = runner.height(DVec2::new(0.26, 0.26)).expect("there is a surface");
    let pressure = field(&runner, "pressure")[8 * 32 + 8];
    assert!((level - 2.0 * f64::from(pressure) / (1000.0 * 9.81)).abs() < 1e-4, "{level} at {pressure} Pa");
}
