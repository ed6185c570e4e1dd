//! Tests of the solver as a whole.

use undine_frame::CellKind;
use undine_scene::{LoadOptions, Scene};
use undine_sim::{Simulation, Step, World};

use super::build::assemble;
use super::flow::Flow;
use super::simulation::CellWater;
use super::{ENTRY, relaxation::RelaxationSettings};

/// The water of a scene with these lines in its `[[water]]`, and these sections.
fn water<const D: usize>(keys: &str, sections: &str) -> CellWater<D> {
    try_water(keys, sections).unwrap_or_else(|error| panic!("{error}"))
}

fn try_water<const D: usize>(keys: &str, sections: &str) -> Result<CellWater<D>, undine_scene::SceneErrors> {
    let text = format!("[scene]\nduration = 10\n[[water]]\nkind = 'foster-metaxas'\n{keys}\n{sections}");
    let scene = Scene::parse("test", &text, &LoadOptions::default())?;
    let values = scene.sections("water")[0].read(&[undine_sim::WATER_KEYS, ENTRY.keys])?;
    assemble(&scene, &values).map(|(water, _)| water)
}

/// Takes steps as long as the limits allow; answers the sweeps.
fn run<const D: usize>(water: &mut CellWater<D>, steps: usize) -> usize {
    let mut sweeps = 0;
    for _ in 0..steps {
        let mut dt = water.max_dt();
        loop {
            let mut world = World { time: water.time, gravity: 9.81, seed: 0, driver: None };
            match water.step(dt, &mut world).unwrap_or_else(|error| panic!("at t = {}: {error}", world.time))
            {
                Step::Done(_) => break,
                Step::Retry { dt: shorter } => dt = shorter,
            }
        }
        sweeps += water.counts.sweeps;
    }
    sweeps
}

fn greatest_speed<const D: usize>(water: &CellWater<D>) -> f64 {
    let all = water.flow.velocity.iter().flatten();
    all.fold(0.0, |most: f64, u| most.max(u.abs()))
}

const POOL: &str = "[[fill]]\nkind = 'level'\nlevel = 0.53\n";

/// |u| < 1e-6 √(gh) after 1000 steps, and a pressure that is linear within 1e-4 of its greatest value.
fn stays_at_rest<const D: usize>(keys: &str) {
    let mut water = water::<D>(keys, POOL);
    run(&mut water, 1000);
    let bound = 1e-6 * (9.81_f64 * 0.53).sqrt();
    let speed = greatest_speed(&water);
    assert!(speed < bound, "{keys}: {speed} against {bound}");
    let bottom = water.flow.pressure[water.flow.index.at([0; D])];
    for at in 0..water.flow.index.length() {
        if water.flow.kinds[at] != CellKind::Full {
            continue;
        }
        let mut cell = water.flow.index.cell(at);
        let height = water.grid.centre(cell)[D - 1];
        cell[D - 1] = 0;
        let depth = height - water.grid.centre(cell)[D - 1];
        let error = (water.flow.pressure[at] - (bottom - 9.81 * depth)).abs() / bottom;
        assert!(error < 1e-4, "{keys}: {error} at {height}");
    }
}

#[test]
fn still_water_stays_at_rest() {
    stays_at_rest::<2>("resolution = 20");
    stays_at_rest::<2>("resolution = 20\npressure_solver = 'projection'");
    stays_at_rest::<2>("resolution = 20\nsurface = 'height'");
    stays_at_rest::<2>("resolution = 20\nsurface = 'chains'");
    stays_at_rest::<2>("resolution = 20\nresolution_y = 27\nsurface_pressure = 'cell'");
    stays_at_rest::<3>("resolution = 10\nheight = 1");
    stays_at_rest::<3>("resolution = 10\nheight = 1\nsurface = 'height'");
}

#[test]
fn from_no_pressure_at_all_water_stays_within_the_tolerance() {
    let mut water = water::<2>("resolution = 20\nstart_pressure = 'zero'", POOL);
    run(&mut water, 100);
    // |u| ≤ 5 ε Δx
    let bound = 5.0 * 1e-4 * 0.05;
    assert!(greatest_speed(&water) <= bound, "{} against {bound}", greatest_speed(&water));
}

const DAM: &str = "[[fill]]\nkind = 'rectangle'\nsize = [0.4, 0.6]\nat = [0.2, 0.3]\n\
                   [[obstacle]]\nkind = 'rectangle'\nsize = [0.15, 0.2]\nat = [0.7, 0.1]\n";

/// The greatest |D| of Full cells after step 7, and before they are labelled again.
fn greatest_divergence<const D: usize>(water: &mut CellWater<D>) -> f64 {
    let mut dt = water.max_dt();
    let kinds = loop {
        let kinds = water.flow.kinds.clone();
        let mut world = World { time: water.time, gravity: 9.81, seed: 0, driver: None };
        match water.step(dt, &mut world).unwrap() {
            Step::Done(_) => break kinds,
            Step::Retry { dt: shorter } => dt = shorter,
        }
    };
    let (strides, inverse) = (water.flow.index.strides(), water.flow.inverse_spacing());
    let full = (0..kinds.len()).filter(|&at| kinds[at] == CellKind::Full);
    full.map(|at| Flow::missing_mass(&water.flow.velocity, at, strides, inverse).abs()).fold(0.0, f64::max)
}

#[test]
fn every_full_cell_is_free_of_divergence() {
    for solver in ["relaxation", "projection"] {
        let mut water = water::<2>(&format!("resolution = 24\npressure_solver = '{solver}'"), DAM);
        for _ in 0..150 {
            let divergence = greatest_divergence(&mut water);
            assert!(divergence < 1e-4, "{solver}: {divergence} at t = {}", water.time);
        }
    }
}

/// Eqs. (6)–(9) to the letter: sweeps over pressure and velocity of the cells, red before black.
fn relax_to_the_letter(flow: &mut Flow<2>, settings: &RelaxationSettings, dt: f64) -> usize {
    let (strides, spacing) = (flow.index.strides(), flow.grid.spacing());
    let inverse = flow.inverse_spacing();
    let is_masked = |kind: CellKind| matches!(kind, CellKind::Solid | CellKind::Inflow);
    let full: Vec<usize> = (0..flow.kinds.len()).filter(|&at| flow.kinds[at] == CellKind::Full).collect();
    for sweep in 0.. {
        let divergence =
            |flow: &Flow<2>, at: usize| Flow::missing_mass(&flow.tentative, at, strides, inverse);
        if full.iter().all(|&at| divergence(flow, at).abs() < settings.divergence) {
            return sweep;
        }
        for colour in 0..2 {
            for &at in &full {
                let cell = flow.index.cell(at);
                if (cell[0] + cell[1]) % 2 != colour {
                    continue;
                }
                let faces = |a: usize| [(at, at - strides[a], -1.0), (at + strides[a], at + strides[a], 1.0)];
                let open: f64 = (0..2)
                    .flat_map(|a| faces(a).map(|face| (a, face)))
                    .filter(|(_, (_, beyond, _))| !is_masked(flow.kinds[*beyond]))
                    .map(|(a, _)| spacing[a].powi(-2))
                    .sum();
                let change = settings.relaxation / (dt * open) * divergence(flow, at);
                for a in 0..2 {
                    for (face, beyond, sign) in faces(a) {
                        if !is_masked(flow.kinds[beyond]) {
                            flow.tentative[a][face] += sign * dt / spacing[a] * change;
                        }
                    }
                }
                flow.pressure[at] += change;
            }
        }
    }
    0
}

#[test]
fn the_iteration_is_that_of_eqs_6_to_9() {
    let mut water =
        water::<2>("size = [1, 0.8]\nresolution = 20\nresolution_y = 24\nsurface_pressure = 'cell'", DAM);
    run(&mut water, 40);
    let (dt, settings) = (1e-3, water.settings.relaxation);
    let mut flow = water.flow.clone();
    let terms = super::momentum::MomentumTerms { dt, body_force: [0.5, -9.81], viscosity: 1e-3, upwind: 1.0 };
    super::momentum::set_tentative_velocity(&mut flow, &terms);
    let mut letter = flow.clone();
    let sweeps = relax_to_the_letter(&mut letter, &settings, dt);
    let outcome = water.pressure.solve(&mut flow, &water.surface_pressure, &settings);
    water.pressure.update_pressure(&mut flow, dt);
    assert!(outcome.is_converged && outcome.sweeps == sweeps && sweeps > 10, "{outcome:?} {sweeps}");
    for a in 0..2 {
        let differences =
            flow.tentative[a].iter().zip(&letter.tentative[a]).map(|(one, other)| (one - other).abs());
        let most = differences.fold(0.0, f64::max);
        assert!(most < 1e-12, "{most}");
    }
    let pressure = flow.pressure.iter().zip(&letter.pressure).map(|(one, other)| (one - other).abs());
    assert!(pressure.fold(0.0, f64::max) < 1e-9);
}

#[test]
fn still_water_costs_no_sweep() {
    let mut water = water::<2>("resolution = 20", POOL);
    assert_eq!(run(&mut water, 20), 0);
}

#[test]
fn a_jet_pours_in_what_the_ledger_says() {
    let port = "[[port]]\nkind = 'rectangle'\nsize = [0.06, 0.2]\nat = [0.0, 0.7]\nspeed = 0.8\n";
    for surface in ["markers", "chains"] {
        let keys = format!("resolution = 30\nsurface = '{surface}'\nmarkers_per_cell = 16");
        let mut water = water::<2>(&keys, &format!("{port}[[fill]]\nkind = 'level'\nlevel = 0.2\n"));
        run(&mut water, 150);
        let volume = water.volume();
        let expected = 0.8 * 0.2 * water.time;
        assert!((volume.inflow - expected).abs() < 1e-9, "{} {expected}", volume.inflow);
        assert!(volume.error().abs() < 1e-12);
        let drift = water.budget().volume_drift.unwrap();
        assert!(drift.abs() < 0.1, "{surface}: {drift}");
    }
}

#[test]
fn a_sealed_box_refuses_what_comes_in() {
    let sections = "[[fill]]\nkind = 'level'\nlevel = 0.9\n\
                    [[port]]\nkind = 'rectangle'\nsize = [0.1, 0.2]\nat = [0.05, 0.5]\nspeed = 1\n";
    let mut water = water::<2>("resolution = 10", sections);
    run(&mut water, 400);
    let budget = water.budget();
    assert!(budget.refused.unwrap() > 0.0 && budget.is_finite(), "{budget:?}");
    assert!(!water.notices().is_empty());
}

#[test]
fn bad_scenes_are_refused_with_a_remedy() {
    let inside = "[[obstacle]]\nkind = 'rectangle'\nsize = [0.8, 0.4]\nat = [0.5, 0.2]\n\
                  [[port]]\nkind = 'rectangle'\nsize = [0.1, 0.1]\nat = [0.5, 0.15]\nspeed = 1\n";
    for (keys, sections, message) in [
        ("", "", "there is no water in this box"),
        ("", "[[fill]]\nkind = 'level'\nlevel = 2", "no cell is empty"),
        ("", inside, "this port opens into a solid"),
        (
            "",
            "[[fill]]\nkind = 'level'\nlevel = 0.5\n[[port]]\nkind = 'circle'\nradius = 0.1\nat = [5, 5]",
            "covers no cell",
        ),
        ("wind = '3*z'", POOL, "unknown name"),
        ("surface = 'chains'\nheight = 1", POOL, "two dimensions"),
    ] {
        let error = match dimension(keys) {
            2 => try_water::<2>(keys, sections).err(),
            _ => try_water::<3>(keys, sections).err(),
        };
        let text = error.unwrap_or_else(|| panic!("{message} was accepted")).to_string();
        assert!(text.contains(message), "{text}");
    }
}

fn dimension(keys: &str) -> usize {
    if keys.contains("height = ") { 3 } else { 2 }
}

#[test]
fn limits_that_are_crossed_are_refused_on_request() {
    let mut water = water::<2>("resolution = 20\ntime_step = 0.1\nlimits = 'refuse'", POOL);
    let dt = water.max_dt();
    let mut world = World { time: 0.0, gravity: 9.81, seed: 0, driver: None };
    let error = water.step(dt, &mut world).unwrap_err().to_string();
    assert!(error.contains("gravity waves") && error.contains("time_step"), "{error}");
}

/// A standing wave of half a length over the box: amplitude 0.3 cells about the middle of a row of cells.
fn sloshing(keys: &str) -> (f64, CellWater<2>) {
    let surface = (0..=64).rev().map(|i| f64::from(i) / 64.0).map(|x| {
        let level = 16.5 / 32.0 + 0.3 / 32.0 * (std::f64::consts::PI * x).cos();
        format!("{{ at = [{x:?}, {level:?}] }}")
    });
    let corners: Vec<String> =
        ["{ at = [0, 0] }".to_owned(), "{ at = [1, 0] }".to_owned()].into_iter().chain(surface).collect();
    let fill = format!("[[fill]]\nkind = 'polygon'\ncorner = [{}]\n", corners.join(", "));
    let water = water::<2>(
        &format!("size = [1, 0.75]\nresolution = 32\nviscosity = 0\nsurface = 'height'\n{keys}"),
        &fill,
    );
    let k = std::f64::consts::PI;
    (std::f64::consts::TAU / (9.81 * k * (k * 16.5 / 32.0).tanh()).sqrt(), water)
}

#[test]
fn a_wave_lower_than_a_cell_sloshes_in_the_period_of_linear_theory() {
    let (period, mut water) = sloshing("");
    let level = |water: &CellWater<2>| {
        undine_sim::Sample::height(water, glam::DVec2::new(0.01, 0.0)).unwrap() - 16.5 / 32.0
    };
    let (mut crossings, mut before) = (Vec::new(), (0.0, level(&water)));
    let first = before.1;
    while water.time < 3.2 * period {
        run(&mut water, 1);
        let now = (water.time, level(&water));
        if (before.1 > 0.0) != (now.1 > 0.0) {
            crossings.push(before.0 + (now.0 - before.0) * before.1 / (before.1 - now.1));
        }
        before = now;
    }
    let half_periods = (crossings.len() - 1) as f64;
    let measured = 2.0 * (crossings[crossings.len() - 1] - crossings[0]) / half_periods;
    assert!(first > 0.25 / 32.0, "{first}");
    assert!((measured / period - 1.0).abs() < 0.02, "{measured} {period} {crossings:?}");
}

#[test]
fn with_the_pressure_of_the_paper_such_a_wave_does_not_move() {
    let (period, mut water) = sloshing("surface_pressure = 'cell'");
    while water.time < period {
        run(&mut water, 1);
    }
    let level = undine_sim::Sample::height(&water, glam::DVec2::new(0.01, 0.0)).unwrap();
    assert!((level - 16.5 / 32.0 - 0.3 / 32.0).abs() < 0.05 / 32.0, "{level}");
}

/// With central heights at the sides of columns such a wave gains energy: a half in fifty seconds.
#[test]
fn a_free_wave_gains_no_energy() {
    let sections = "[[fill]]\nkind = 'level'\nlevel = 0.6\n[[fill]]\nkind = 'rectangle'\nsize = [0.8, 0.2]\nat = [0.4, 0.7]\n";
    let mut water = water::<2>("size = [3, 1.2]\nresolution = 30\nsurface = 'height'", sections);
    // ½ ρ g ∫ η² of the start: η is 0.2 − 0.16/3 m over 0.8 m and −0.16/3 m over the rest
    let rise = 0.16 / 3.0_f64;
    let given = 0.5 * 1000.0 * 9.81 * (0.8 * (0.2 - rise).powi(2) + 2.2 * rise.powi(2));
    while water.time < 60.0 {
        run(&mut water, 1);
        let kinetic = water.budget().kinetic_energy;
        assert!(kinetic < 1.05 * given, "{kinetic} of {given} J at {} s", water.time);
    }
}

/// Without shutting, water that is drawn in once draws in more and more.
#[test]
fn an_outflow_draws_no_water_in() {
    let sections = "[[fill]]\nkind = 'level'\nlevel = 0.5\n[[port]]\nkind = 'rectangle'\nflow = 'out'\nsize = [0.04, 0.4]\n\
                    at = [0.99, 0.2]\n";
    let mut water = water::<2>("size = [1, 1]\nresolution = 20\nsurface = 'height'", sections);
    let held = water.totals.held();
    assert!(water.disturb(&undine_sim::Disturbance::Push {
        at: glam::DVec3::new(0.8, 0.2, 0.0),
        radius: 0.25,
        velocity: glam::DVec3::new(-0.5, 0.0, 0.0),
    }));
    run(&mut water, 400);
    assert!(water.totals.inflow < 0.02 * held, "{} of {held} m³ came in", water.totals.inflow);
}
