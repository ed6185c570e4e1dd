//! Checks of waters whose ground may change.

use glam::DVec2;
use undine_frame::Quantity;
use undine_scene::Edit;

use super::{advance, build, fingerprint, on_lively};
use crate::{ActionKind, Disturbance, ModelEntry, Runner, View};

/// Heaps, pits and dams change the bed and leave the water of every cell as it is, to the bit. Undo, redo, a rebuild of the
/// waters after an edit, and the script keep what was dug.
pub(super) fn ground_may_change(model: &'static ModelEntry) -> Result<(), String> {
    if !model.answers.ground {
        return Ok(());
    }
    on_lively(model, |scene| ground_may_change_in(model, scene))
}

fn ground_may_change_in(model: &'static ModelEntry, scene: &str) -> Result<(), String> {
    let mut runner = build(model, scene)?;
    advance(&mut runner, 5)?;
    for poke in ground_pokes(&runner)? {
        change_ground(&mut runner, poke)?;
        advance(&mut runner, 5)?;
        let volume = runner.waters()[0].simulation.volume();
        if volume.relative_error().abs() > model.conformance.ledger_tolerance {
            return Err(format!("after {poke:?}: {volume:?}, error {}", volume.error()));
        }
    }
    // A rebuild keeps the ground
    let bed = values(&runner, Quantity::Bed)?;
    let edit = Edit::set("scene.gravity=7.5");
    runner.apply_action(ActionKind::Edit(edit)).map_err(|error| error.to_string())?;
    if values(&runner, Quantity::Bed)? != bed {
        return Err("an edit of the scene fills up what was dug".into());
    }
    advance(&mut runner, 5)?;
    let mut again = build(model, &runner.script())?;
    advance(&mut again, runner.frame())?;
    let is_same = fingerprint(&runner)? == fingerprint(&again)?;
    if is_same { Ok(()) } else { Err("the script does not lead to the same state".into()) }
}

/// A change with its undo and redo.
fn change_ground(runner: &mut Runner, poke: Disturbance) -> Result<(), String> {
    let (held, bed) = (runner.waters()[0].simulation.volume().held, values(runner, Quantity::Bed)?);
    let (depth, before) = (values(runner, Quantity::Depth)?, fingerprint(runner)?);
    let snapshot = runner.snapshot().map_err(|error| error.to_string())?;
    runner.apply_action(ActionKind::Disturb(poke)).map_err(|error| format!("{poke:?}: {error}"))?;
    let dug = values(runner, Quantity::Bed)?;
    if dug == bed || !dug.iter().all(|level| level.is_finite()) {
        return Err(format!("{poke:?} leaves the ground as it was, or breaks it"));
    }
    if values(runner, Quantity::Depth)? != depth || runner.waters()[0].simulation.volume().held != held {
        return Err(format!("{poke:?} changes the water"));
    }
    // Undo and redo
    let after = fingerprint(runner)?;
    let changed = runner.snapshot().map_err(|error| error.to_string())?;
    runner.restore_snapshot(&snapshot).map_err(|error| error.to_string())?;
    if fingerprint(runner)? != before || values(runner, Quantity::Bed)? != bed {
        return Err(format!("{poke:?} leaves traces when it is undone"));
    }
    runner.restore_snapshot(&changed).map_err(|error| error.to_string())?;
    let is_redone = fingerprint(runner)? == after && values(runner, Quantity::Bed)? == dug;
    if is_redone { Ok(()) } else { Err(format!("{poke:?} is not redone")) }
}

/// A heap, a pit along a path, and a dam, over the middle of the water.
fn ground_pokes(runner: &Runner) -> Result<[Disturbance; 3], String> {
    let view = runner.waters()[0].simulation.view();
    let samples = &field(&view, Quantity::Bed)?.samples;
    let (size, origin, spacing) = (samples.size(), samples.origin(), samples.spacing());
    let at = |x: f64, y: f64| {
        DVec2::from(
            [(0, x), (1, y)].map(|(axis, part)| origin[axis] + part * size[axis] as f64 * spacing[axis]),
        )
    };
    let radius = 0.1 * size[0] as f64 * spacing[0];
    let highest = samples.values().iter().fold(f32::MIN, |most, level| most.max(*level));
    Ok([
        Disturbance::Ground { path: [at(0.5, 0.5); 2], radius, height: 0.3 * radius },
        Disturbance::Ground { path: [at(0.2, 0.3), at(0.6, 0.5)], radius, height: -0.5 * radius },
        Disturbance::Dam {
            path: [at(0.7, -0.1), at(0.7, 0.6)],
            radius: 0.1 * radius,
            level: f64::from(highest) + 0.1 * radius,
            slope: 1.0,
        },
    ])
}

fn field<'v, 'w>(view: &'v View<'w>, quantity: Quantity) -> Result<&'v crate::FieldView<'w>, String> {
    let found = view.fields.iter().find(|field| field.quantity == quantity);
    found.ok_or_else(|| format!("a water whose ground may change shows its {quantity:?} as a field"))
}

fn values(runner: &Runner, quantity: Quantity) -> Result<Vec<f32>, String> {
    let view = runner.waters()[0].simulation.view();
    field(&view, quantity).map(|field| field.samples.values())
}
