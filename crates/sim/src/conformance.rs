//! Conformance checks that every model must pass.
//!
//! A test in `undine-models` walks its list and runs [`CHECKS`] on every entry, on the small scenes that the entry
//! brings along. Checks of keys, tools and disturbances use the first lively one.

mod counters;
mod ground;

use glam::{DVec2, DVec3};
use undine_scene::{Absent, Edit, Key, Kind, LoadOptions, Range, Scene};

use crate::{
    ActionKind, Answers, Disturbance, Lattice, ModelEntry, OutlineDistance, Reader, Runner, Sample,
    SurfaceView, World, Writer,
};

/// A check: what it is called, and what it does. An error says what went wrong.
pub type ConformanceCheck = (&'static str, fn(&'static ModelEntry) -> Result<(), String>);

/// All checks.
pub static CHECKS: &[ConformanceCheck] = &[
    ("rest stays at rest", rest_stays_at_rest),
    ("the budget closes", budget_closes),
    ("the same bits for any number of threads", same_bits_for_any_threads),
    ("save, restore and go on is the uninterrupted run", resume_is_exact),
    ("a broken water is restored to the same bits", broken_state_is_restored),
    ("a state that is cut off is refused", cut_state_is_refused),
    ("counters keep their names, and a resumed run counts the same", counters::counters_are_kept),
    ("hard poking leaves finite numbers", survives_hard_poking),
    ("live keys may change while it runs", live_keys_may_change),
    ("it answers the disturbances that its entry names", answers_as_it_says),
    ("ground that changes keeps the water on it", ground::ground_may_change),
    ("every tool writes what its section reads", tools_write_what_is_read),
    ("an unknown key is refused by name", unknown_key_is_refused),
];

/// Simulates a scene to its end, without output, and calls `observe` after every frame. Returns the greatest error of the
/// volume ledger of any water after any frame, relative to the tolerance of its model: at most 1 when all ledgers are in
/// order.
pub fn ledger_of_run(
    scene: &Scene,
    models: &[&'static ModelEntry],
    mut observe: impl FnMut(&Runner),
) -> Result<f64, String> {
    let mut runner = Runner::new(scene, models, None).map_err(|errors| errors.to_string())?;
    let mut greatest = 0.0_f64;
    while runner.frame() + 1 < runner.frame_count() {
        runner.next_frame().map_err(|failure| failure.to_string())?;
        for water in runner.waters() {
            let ratio =
                water.simulation.volume().relative_error().abs() / water.model.conformance.ledger_tolerance;
            if ratio.is_nan() {
                return Err(format!(
                    "the ledger of {:?} is not a number at t = {}",
                    water.name,
                    runner.time()
                ));
            }
            greatest = greatest.max(ratio);
        }
        observe(&runner);
    }
    Ok(greatest)
}

fn rest_stays_at_rest(model: &'static ModelEntry) -> Result<(), String> {
    for (number, rest) in model.conformance.rest.iter().enumerate() {
        let mut runner = build(model, rest.scene)?;
        let before = resting_levels(&runner);
        advance(&mut runner, 50)?;
        let shifts =
            resting_levels(&runner).into_iter().zip(&before).map(|(now, then)| f64::from((now - then).abs()));
        // A NaN is kept
        let moved = shifts.fold(0.0, |most: f64, shift| if most >= shift { most } else { shift });
        let energy = runner.waters()[0].simulation.budget().kinetic_energy;
        let is_at_rest = moved <= rest.max_shift && energy <= rest.max_energy;
        if !is_at_rest {
            return Err(format!("scene {number}: the level moved by {moved} m, the energy is {energy} J"));
        }
    }
    Ok(())
}

/// Runs a check on all lively scenes of a model.
fn on_lively(
    model: &'static ModelEntry,
    check: impl Fn(&'static str) -> Result<(), String>,
) -> Result<(), String> {
    let scenes = model.conformance.lively.iter().enumerate();
    scenes.into_iter().try_for_each(|(number, &scene)| {
        check(scene).map_err(|reason| format!("lively scene {number}: {reason}"))
    })
}

/// The first lively scene of a model.
fn first_lively(model: &'static ModelEntry) -> Result<&'static str, String> {
    model.conformance.lively.first().copied().ok_or_else(|| "the entry has no lively scene".to_owned())
}

fn budget_closes(model: &'static ModelEntry) -> Result<(), String> {
    on_lively(model, |scene| budget_of_scene_closes(model, scene))
}

fn budget_of_scene_closes(model: &'static ModelEntry, scene: &str) -> Result<(), String> {
    let mut runner = build(model, scene)?;
    for _ in 0..60 {
        advance(&mut runner, 1)?;
        let volume = runner.waters()[0].simulation.budget().volume;
        if volume.relative_error().abs() > model.conformance.ledger_tolerance {
            return Err(format!("at t = {}: {volume:?}, error {}", runner.time(), volume.error()));
        }
    }
    Ok(())
}

fn same_bits_for_any_threads(model: &'static ModelEntry) -> Result<(), String> {
    on_lively(model, |scene| same_bits_for_any_threads_in(model, scene))
}

fn same_bits_for_any_threads_in(model: &'static ModelEntry, scene: &str) -> Result<(), String> {
    let with_threads = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|error| error.to_string())?;
        pool.install(|| {
            let mut runner = build(model, scene)?;
            advance(&mut runner, 30)?;
            fingerprint(&runner)
        })
    };
    let alone = with_threads(1)?;
    match [2, 3, 8].into_iter().find(|&threads| with_threads(threads).as_ref() != Ok(&alone)) {
        Some(threads) => Err(format!("{threads} threads differ from one")),
        None => Ok(()),
    }
}

fn resume_is_exact(model: &'static ModelEntry) -> Result<(), String> {
    on_lively(model, |scene| resume_is_exact_in(model, scene))
}

fn resume_is_exact_in(model: &'static ModelEntry, scene: &str) -> Result<(), String> {
    let mut uninterrupted = build(model, scene)?;
    (0..8).for_each(|turn| poke_hard(&mut uninterrupted, turn));
    advance(&mut uninterrupted, 10)?;
    let mut state = Vec::new();
    uninterrupted.save(&mut Writer::new(&mut state)).map_err(|error| error.to_string())?;
    advance(&mut uninterrupted, 20)?;

    let mut resumed = build(model, scene)?;
    resumed.restore(&mut Reader::new(&state)).map_err(|error| error.to_string())?;
    advance(&mut resumed, 20)?;
    if fingerprint(&uninterrupted)? == fingerprint(&resumed)? {
        Ok(())
    } else {
        Err("the states differ".into())
    }
}

/// Steps of absurd length leave a water in any state, broken or not. Restored in place, it must go on as if nothing had
/// happened: nothing that a step reads may be left of what was.
fn broken_state_is_restored(model: &'static ModelEntry) -> Result<(), String> {
    on_lively(model, |scene| broken_state_is_restored_in(model, scene))
}

fn broken_state_is_restored_in(model: &'static ModelEntry, scene: &str) -> Result<(), String> {
    let mut runner = build(model, scene)?;
    (0..8).for_each(|turn| poke_hard(&mut runner, turn));
    advance(&mut runner, 5)?;
    let sound = runner.snapshot().map_err(|error| error.to_string())?;
    advance(&mut runner, 3)?;
    let expected = fingerprint(&runner)?;
    for dt in [0.7, 1e3, 1e30] {
        let (time, gravity, seed) = (runner.time(), runner.gravity, runner.script.seed);
        for _ in 0..3 {
            // Any result will do, but no panic
            let mut world = World { time, gravity, seed, driver: None };
            let _ = runner.waters[0].simulation.step(dt, &mut world);
        }
        runner.restore_snapshot(&sound).map_err(|error| format!("after a step of {dt} s: {error}"))?;
        advance(&mut runner, 3).map_err(|error| format!("after a step of {dt} s: {error}"))?;
        if fingerprint(&runner)? != expected {
            return Err(format!("a step of {dt} s leaves traces after a restore"));
        }
        runner.restore_snapshot(&sound).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn cut_state_is_refused(model: &'static ModelEntry) -> Result<(), String> {
    on_lively(model, |scene| cut_state_is_refused_in(model, scene))
}

fn cut_state_is_refused_in(model: &'static ModelEntry, scene: &str) -> Result<(), String> {
    let mut runner = build(model, scene)?;
    (0..4).for_each(|turn| poke_hard(&mut runner, turn));
    advance(&mut runner, 2)?;
    let mut state = Vec::new();
    runner.save(&mut Writer::new(&mut state)).map_err(|error| error.to_string())?;
    let cuts = (0..state.len()).step_by(state.len().div_ceil(97)).chain([state.len() - 1]);
    for cut in cuts {
        if runner.restore(&mut Reader::new(&state[..cut])).is_ok() {
            return Err(format!("{cut} of {} bytes are taken for the whole", state.len()));
        }
    }
    // A complete state overwrites what a truncated one has left
    runner.restore(&mut Reader::new(&state)).map_err(|error| error.to_string())
}

fn survives_hard_poking(model: &'static ModelEntry) -> Result<(), String> {
    let mut runner = build(model, first_lively(model)?)?;
    for turn in 0..500 {
        poke_hard(&mut runner, turn);
        advance(&mut runner, 1)?;
        if levels(&runner).iter().any(|level| !level.is_finite()) {
            return Err(format!("a level is not finite after {turn} pokes"));
        }
    }
    Ok(())
}

/// Every live key with a plain value is changed by an action. A change that is refused leaves everything as it was; the
/// others leave a water that goes on, whose ledger closes, and that does the same when its script is run.
fn live_keys_may_change(model: &'static ModelEntry) -> Result<(), String> {
    let mut runner = build(model, first_lively(model)?)?;
    advance(&mut runner, 5)?;
    for key in model.keys.iter().filter(|key| key.is_live) {
        change(&mut runner, key)?;
    }
    advance(&mut runner, 5)?;
    let volume = runner.waters()[0].simulation.budget().volume;
    if volume.relative_error().abs() > model.conformance.ledger_tolerance {
        return Err(format!("after changes: {volume:?}, error {}", volume.error()));
    }
    let mut again = build(model, &runner.script())?;
    advance(&mut again, 10)?;
    let is_same = fingerprint(&runner)? == fingerprint(&again)?;
    if is_same { Ok(()) } else { Err("the script does not lead to the same state".into()) }
}

/// Sets a live key to the first other value that it accepts.
fn change(runner: &mut Runner, key: &Key) -> Result<(), String> {
    let values = other_values(key);
    let before = fingerprint(runner)?;
    let mut refusal = None;
    for value in &values {
        let edit = Edit::set(format!("water.0.{}={value}", key.name));
        match runner.apply_action(ActionKind::Edit(edit)) {
            Ok(()) => return Ok(()),
            Err(error) => refusal = Some(format!("{} = {value} is refused: {error}", key.name)),
        }
        if fingerprint(runner)? != before {
            return Err(format!("{} = {value} was refused and has changed the water", key.name));
        }
    }
    // A key of a kind that cannot be guessed is left to the model's own tests
    refusal.map_or(Ok(()), Err)
}

/// Values that a key may have beside its default, as they would be typed; none for tables and texts.
fn other_values(key: &Key) -> Vec<String> {
    let (usual, near) = match key.default {
        Absent::Number(usual) => (usual, around(usual)),
        Absent::Integer(usual) => (usual as f64, around(usual as f64)),
        _ => (f64::NAN, vec![0.5, 2.0, 0.01]),
    };
    let fits = |value: &f64| {
        let Range { low, high, above_low } = key.range;
        *value != usual && *value <= high && (*value > low || *value == low && !above_low)
    };
    let near = || near.iter().copied().filter(fits);
    match key.kind {
        Kind::Number | Kind::Timed => near().map(|number| format!("{number:?}")).collect(),
        Kind::Integer => near().map(|number| format!("{}", number.round())).collect(),
        Kind::Vector(count) => near().map(|number| format!("{:?}", vec![number; count])).collect(),
        Kind::Flag => vec![(key.default != Absent::Flag(true)).to_string()],
        Kind::Choice(words) => {
            // The best come last, where it matters
            let others = words.iter().rev().filter(|(word, _)| key.default != Absent::Text(word));
            others.map(|(word, _)| format!("{word:?}")).collect()
        }
        _ => Vec::new(),
    }
}

/// Numbers like one, but others.
fn around(usual: f64) -> Vec<f64> {
    vec![1.25 * usual, 0.01, 0.5, usual + 1.0, 0.5 * usual]
}

/// A disturbance that the entry does not name is never taken; one that it names is taken somewhere.
fn answers_as_it_says(model: &'static ModelEntry) -> Result<(), String> {
    let Answers { drop, push, source, draw_off, rain, ground } = model.answers;
    let named = [
        ("drop", drop),
        ("push", push),
        ("source", source),
        ("draw_off", draw_off),
        ("rain", rain),
        ("ground", ground),
    ];
    let mut runner = build(model, first_lively(model)?)?;
    for (number, (name, is_named)) in named.into_iter().enumerate() {
        let is_taken = gentle_pokes(&runner, number).iter().any(|poke| runner.disturb(poke).is_ok());
        if is_taken != is_named {
            return Err(format!("{name} is {is_named} in its entry, but {is_taken} in the water"));
        }
    }
    Ok(())
}

/// Disturbances of one kind, all over the water and of several sizes.
fn gentle_pokes(runner: &Runner, kind: usize) -> Vec<Disturbance> {
    let duration = 0.1;
    let steps = || (-20..=20).map(|step| 0.25 * f64::from(step) + 0.05);
    let places = steps().flat_map(|x| steps().map(move |y| DVec2::new(x, y)));
    let levels = places.map(|at| (at, runner.height(at).unwrap_or(0.0)));
    let sized = levels.flat_map(|place| [0.02, 0.1].map(|radius| (place, radius)));
    let poke = |((at, level), radius): ((DVec2, f64), f64)| {
        let volume: f64 = radius * radius * radius;
        let push = |z| Disturbance::Push { at: at.extend(z), radius, velocity: DVec3::X * 0.1 };
        match kind {
            0 => vec![Disturbance::Drop { at, radius, volume }],
            1 => vec![push(level), push(0.0)],
            2 => vec![Disturbance::Source { at, radius, rate: volume, duration }],
            3 => vec![Disturbance::Source { at, radius, rate: -volume, duration }],
            4 => vec![Disturbance::Rain { rate: 1e-3, duration }],
            _ => vec![Disturbance::Ground { path: [at; 2], radius, height: 0.1 * radius }],
        }
    };
    sized.flat_map(poke).collect()
}

fn tools_write_what_is_read(model: &'static ModelEntry) -> Result<(), String> {
    for section in model.sections.iter().map(|used| used.section) {
        for kind in section.kinds {
            if let Some(fault) = kind.tools.iter().find_map(|tool| tool.inconsistency(section, kind)) {
                return Err(fault);
            }
        }
    }
    Ok(())
}

fn unknown_key_is_refused(model: &'static ModelEntry) -> Result<(), String> {
    let options = LoadOptions { overrides: vec!["water.0.xyzzy=1".into()], ..LoadOptions::default() };
    let scene =
        Scene::parse("specimen", first_lively(model)?, &options).map_err(|errors| errors.to_string())?;
    let Err(errors) = Runner::new(&scene, &[model], None) else { return Err("it was accepted".into()) };
    let text = errors.to_string();
    let names_known_keys = model.keys.iter().take(1).all(|key| text.contains(key.name));
    if text.contains("xyzzy") && names_known_keys { Ok(()) } else { Err(format!("the message is: {text}")) }
}

/// Builds one of the model's own scenes.
pub fn build(model: &'static ModelEntry, scene: &str) -> Result<Runner, String> {
    let scene =
        Scene::parse("specimen", scene, &LoadOptions::default()).map_err(|errors| errors.to_string())?;
    Runner::new(&scene, &[model], None).map_err(|errors| errors.to_string())
}

fn advance(runner: &mut Runner, frames: u64) -> Result<(), String> {
    (0..frames).try_for_each(|_| runner.next_frame().map(drop).map_err(|failure| failure.to_string()))
}

/// View and saved state of a water as bytes.
fn fingerprint(runner: &Runner) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    runner.save(&mut Writer::new(&mut bytes)).map_err(|error| error.to_string())?;
    let view = runner.waters()[0].simulation.view();
    let fields = view.fields.iter().flat_map(|field| field.samples.values());
    bytes.extend(fields.chain(levels(runner)).flat_map(f32::to_le_bytes));
    bytes.extend(
        runner.waters()[0]
            .simulation
            .budget()
            .values()
            .iter()
            .flat_map(|value| value.unwrap_or(f64::NAN).to_le_bytes()),
    );
    Ok(bytes)
}

/// What must not move in water at rest: levels and particles, or for a liquid, whose particles are sorted, its height at
/// points all over it.
fn resting_levels(runner: &Runner) -> Vec<f32> {
    let water = &runner.waters()[0].simulation;
    let view = water.view();
    let Some(SurfaceView::Liquid(liquid)) = view.surfaces.first() else { return levels(runner) };
    let [low, high] = liquid.bounds;
    let steps = || (0..16).map(|step| (f64::from(step) + 0.5) / 16.0);
    let points = steps().flat_map(|x| steps().map(move |y| [x, y]));
    let position =
        |[x, y]: [f64; 2]| DVec2::new(low[0] + x * (high[0] - low[0]), low[1] + y * (high[1] - low[1]));
    points.filter_map(|point| water.height(position(point))).map(|height| height as f32).collect()
}

/// The levels of the surface and the heights of the particles.
fn levels(runner: &Runner) -> Vec<f32> {
    let view = runner.waters()[0].simulation.view();
    let mut levels = match view.surfaces.first() {
        Some(SurfaceView::Height(height)) => height.level.values(),
        Some(SurfaceView::Sheet(sheet)) => sheet.positions.iter().flatten().copied().collect(),
        Some(SurfaceView::Liquid(liquid)) => liquid.distance.values(),
        // The number of points along a curve may change
        Some(SurfaceView::Curve(curves)) => OutlineDistance(curves.clone()).values(),
        None => Vec::new(),
    };
    levels.extend(view.clouds.iter().flat_map(|cloud| cloud.positions.iter().flatten()));
    levels
}

/// One of a series of disturbances, sane and absurd by turns.
fn poke_hard(runner: &mut Runner, turn: u32) {
    let at = DVec2::new(f64::from(turn * 37 % 101), f64::from(turn * 53 % 97)) * 0.05;
    let strength = [1e-6, 0.1, -10.0, 1e4, f64::NAN][turn as usize % 7 % 5];
    let radius = [0.0, 0.05, 1.0, 1e3][turn as usize / 4 % 4];
    let poke = match turn % 7 {
        0 | 1 => Disturbance::Drop { at, radius, volume: strength },
        2 => Disturbance::Push {
            at: at.extend(0.0),
            radius,
            velocity: DVec3::new(strength, -strength, strength),
        },
        3 => Disturbance::Source { at, radius, rate: strength, duration: 0.1 },
        4 => Disturbance::Ground { path: [at, at + 0.1 * strength], radius, height: 0.1 * strength },
        5 => Disturbance::Dam { path: [at, -at], radius, level: 0.1 * strength, slope: 0.5 },
        _ => Disturbance::Rain { rate: strength * 1e-3, duration: 0.1 },
    };
    // A refusal is as good an answer as any
    let _ = runner.disturb(&poke);
}
