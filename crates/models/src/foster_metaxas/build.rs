//! Builds the water from its scene.

use std::sync::OnceLock;

use undine_frame::CellKind;
use undine_grid::{Condition, FieldError, Grid, GridError, MacVelocity, Side};
use undine_scene::{Problem, Scene, SceneErrors, Values};
use undine_sim::{Built, Estimate};

use super::applied_pressure::AppliedPressure;
use super::cells::Cells;
use super::column_levels::ColumnLevels;
use super::extension::VelocityExtension;
use super::flow::Flow;
use super::ledger::FluxTotals;
use super::ports::Port;
use super::pressure::PressureStep;
use super::relaxation::RelaxationSettings;
use super::sealed::SealedWater;
use super::simulation::{CellWater, FlowSettings, LimitPolicy, StepCounts};
use super::step_limits::FlowSpeeds;
use super::surface::{
    ChainSettings, Chains, Contents, HeightField, HeightForm, HeightSettings, MarkerMotion, MarkerSettings,
    Markers, TrackedSurface,
};
use super::surface_cells::SurfaceCells;
use super::surface_pressure::{PressureLocation, SurfacePressure};
use super::voxels::{self, Voxels};
use crate::liquid::sources::Fill;
use crate::solids::{Obstacle, Solids, read_ground, read_obstacles};

/// Bytes per cell of all arrays and lists, with a few markers in each.
const CELL_BYTES: u64 = 700;
/// Points per cell at which the fluid of the start is sought, and bisections between two of them.
const LEVEL_SAMPLES: usize = 16;
const LEVEL_BISECTIONS: usize = 48;
/// Layers of cells upwards, if the scene does not give them.
const LEAST_LAYERS: usize = 3;
/// Steps per frame beyond which a scene gets a warning.
const COSTLY_STEPS: f64 = 1000.0;

/// Dimension of the water: 3 if the box has a height.
pub(super) fn dimension(values: &Values) -> usize {
    if values.number_if("height").is_some() { 3 } else { 2 }
}

/// Cells along each axis; 1 along z in 2-D.
fn cells_of(values: &Values) -> [usize; 3] {
    let [x, y]: [f64; 2] = values.vector("size");
    let along_x = values.integer("resolution").max(1) as usize;
    let edge = x / along_x as f64;
    let count = |key: &str, length: f64| {
        let cubes = (length / edge).round().clamp(1.0, 1e6);
        values.integer_if(key).map_or(cubes as usize, |count| count.max(1) as usize)
    };
    // Upwards there is at least room for water, its surface and air
    let upwards = |key: &str, length: f64| match values.integer_if(key) {
        Some(count) => count.max(1) as usize,
        None => count(key, length).max(LEAST_LAYERS),
    };
    match values.number_if("height") {
        Some(height) => [along_x, count("resolution_y", y), upwards("resolution_z", height)],
        None => [along_x, upwards("resolution_y", y), 1],
    }
}

/// The memory and time that a water will need.
pub(super) fn estimate(scene: &Scene, values: &Values) -> Estimate {
    let cells = cells_of(values);
    let count = cells.iter().map(|&count| count as u64).product::<u64>();
    let size: [f64; 2] = values.vector("size");
    let cell = size[0] / cells[0] as f64;
    let wave = 0.3 * (cell / scene.gravity.abs().max(1e-12)).sqrt();
    let steps = 1.0 / (scene.fps * values.number_if("time_step").unwrap_or(wave).min(wave).max(1e-9));
    // Half of the box full, with as many sweeps as cells across it
    let sweeps = cells.iter().copied().max().unwrap_or(1) as f64;
    Estimate {
        bytes: count * CELL_BYTES,
        seconds_per_frame: steps.max(1.0) * 0.5 * count as f64 * (1e-7 + 5e-9 * sweeps),
        lower: "resolution",
    }
}

/// Builds a water, in 2-D or 3-D.
pub(super) fn build(scene: &Scene, values: &Values) -> Result<Built, SceneErrors> {
    match dimension(values) {
        2 => assemble::<2>(scene, values).map(built),
        _ => assemble::<3>(scene, values).map(built),
    }
}

fn built<const D: usize>((water, warnings): (CellWater<D>, Vec<Problem>)) -> Built {
    Built { simulation: Box::new(water), warnings }
}

fn grid<const D: usize>(values: &Values) -> Result<Grid<D>, Problem> {
    let counts = cells_of(values);
    let [x, y]: [f64; 2] = values.vector("size");
    let length = [x, y, values.number_if("height").unwrap_or(0.0)];
    let corner: [f64; 2] = values.vector("corner");
    let origin = std::array::from_fn(|axis| corner.get(axis).copied().unwrap_or(0.0));
    let cells: [usize; D] = std::array::from_fn(|axis| counts[axis]);
    let spacing = std::array::from_fn(|axis| length[axis] / counts[axis] as f64);
    Grid::new(cells, spacing, origin)
        .map_err(|error: GridError| values.problem("resolution", error.to_string(), "choose a smaller one"))
}

/// The water of a scene, and warnings.
pub(super) fn assemble<const D: usize>(
    scene: &Scene,
    values: &Values,
) -> Result<(CellWater<D>, Vec<Problem>), SceneErrors> {
    // The parts of the scene, with all their problems at once
    let mut errors = SceneErrors::default();
    let grid = grid::<D>(values)?;
    let too_large =
        |error: FieldError| values.problem("resolution", error.to_string(), "choose a smaller one");
    let obstacles = errors.keep(read_obstacles::<D>(scene, values));
    let ground = errors.keep(read_ground::<D>(scene, &grid)).flatten();
    let fill = errors.keep(Fill::<D>::read(scene, values));
    let voxels = errors.keep(Voxels::<D>::read(scene, values, &grid));
    let applied = errors.keep(AppliedPressure::read(values, scene.gravity).map_err(SceneErrors::from));
    let (Some(loaded), Some(fill), Some(voxels), Some(applied)) = (obstacles, fill, voxels, applied) else {
        return Err(errors);
    };
    let mut cells = Cells::new(grid);
    let mut ports = Port::read_all(scene, values, &cells, &voxels)?;
    errors.into_result()?;
    let mut warnings = loaded.warnings;
    warnings.extend(fill.warnings.iter().cloned());

    // Obstacles by the centres of cells, and what the water sticks to
    let mut flow = Flow::new(grid);
    let mut solids = loaded.obstacles;
    if let Some(moving) = solids.iter().position(|obstacle| !obstacle.trajectory.is_still()) {
        let section = &scene.sections("obstacle")[moving.min(scene.sections("obstacle").len() - 1)];
        return Err(section
            .problem("kind", "obstacles of this water stand still", "leave out its motion")
            .into());
    }
    let ground_number = ground.as_ref().map(|_| solids.len());
    solids.extend(ground);
    mark_obstacles(&mut cells, &mut flow, values, &solids, ground_number, &voxels);
    for port in &ports {
        port.cells().iter().for_each(|&index| cells.set(index, port.kind(0.0)));
    }
    for port in &mut ports {
        port.find_faces(&cells, &flow)?;
    }

    // The surface around the fluid at the start
    let is_fluid_at = |point: [f64; D]| {
        let cell = grid.cell_at(point);
        if !cells.contains(cell) || cells.is_obstacle(cell) {
            return false;
        }
        match voxels.letter(cells.index(cell.map(|i| i as usize))) {
            voxels::FLUID => true,
            voxels::EMPTY => false,
            _ => fill.contains(point).is_some(),
        }
    };
    let surface = tracked_surface(scene, values, &cells, is_fluid_at)?;
    let location = match chosen(values, "surface_pressure", "interface", "cell") {
        "cell" => PressureLocation::Cell,
        _ => PressureLocation::Interface,
    };
    let solver = (values.word("pressure_solver") == "projection").then(|| values.word("solver"));
    let mut water = CellWater {
        settings: settings(scene, values),
        surface,
        surface_cells: SurfaceCells::with_capacity(grid.cell_count()),
        surface_pressure: SurfacePressure::new(location, &flow),
        pressure: PressureStep::new(&flow, solver).map_err(too_large)?,
        extension: VelocityExtension::new(&flow),
        ports,
        applied,
        levels: ColumnLevels::default(),
        sealed: SealedWater::new(&flow),
        has_sealed: false,
        carrier: MacVelocity::new(grid, Condition::Open, 1).map_err(too_large)?,
        totals: FluxTotals::default(),
        speeds: FlowSpeeds::default(),
        solids: match solids.is_empty() {
            true => None,
            false => Some(Solids::new(grid, solids).map_err(too_large)?),
        },
        time: 0.0,
        counts: StepCounts::default(),
        marker_positions: OnceLock::new(),
        grid,
        cells,
        flow,
    };
    let velocity_of = |point: [f64; D]| fill.contains(point).map_or([0.0; D], |content| content.velocity);
    water.initialise(velocity_of, values.word("start_pressure") == "hydrostatic")?;
    check(&water, scene, values)?;
    warnings.extend(costly_steps(&water, scene, values));
    Ok((water, warnings))
}

/// The word under a key that `paper` decides where it is not given.
fn chosen<'v>(values: &'v Values, key: &str, usual: &'static str, paper: &'static str) -> &'v str {
    values.word_if(key).unwrap_or(if values.flag("paper") { paper } else { usual })
}

/// The share of the donor cell in convection and in the motion of heights.
fn donor_cell_share(values: &Values) -> f64 {
    values.number_if("upwind").unwrap_or(if values.flag("paper") { 0.0 } else { 1.0 })
}

fn settings<const D: usize>(scene: &Scene, values: &Values) -> FlowSettings<D> {
    let gravity = ["gravity_x", "gravity_y", "gravity_z"];
    FlowSettings {
        gravity: std::array::from_fn(|axis| values.timed_if(gravity[axis]).cloned()),
        scene_gravity: scene.gravity,
        viscosity: values.timed("viscosity").clone(),
        density: values.number("density"),
        upwind: donor_cell_share(values),
        relaxation: RelaxationSettings {
            relaxation: values.number("relaxation"),
            divergence: values.number("divergence"),
            sweeps: values.integer("sweeps").max(1) as usize,
        },
        courant: values.number("courant"),
        time_step: values.number_if("time_step"),
        limits: match chosen(values, "limits", "substep", "paper") {
            "refuse" => LimitPolicy::Refuse,
            "paper" => LimitPolicy::Paper,
            "ignore" => LimitPolicy::Ignore,
            _ => LimitPolicy::Substep,
        },
        values: values.clone(),
    }
}

/// Marks the cells whose centres lie in obstacles, and those around the grid, and whether they are no-slip.
fn mark_obstacles<const D: usize>(
    cells: &mut Cells<D>,
    flow: &mut Flow<D>,
    values: &Values,
    obstacles: &[Obstacle<D>],
    ground: Option<usize>,
    voxels: &Voxels<D>,
) {
    let grid = *cells.grid();
    let words = values.words("no_slip");
    let has = |word: &str| words.contains(&word);
    let named: Vec<&str> =
        values.text_if("no_slip_obstacles").unwrap_or("").split(',').map(str::trim).collect();
    for index in 0..grid.cell_count() {
        let cell = cells.cell(index);
        let centre = grid.centre(cell.map(|i| i as isize));
        let at = flow.index.at(cell);
        for (number, obstacle) in obstacles.iter().enumerate() {
            if obstacle.shape.contains(obstacle.trajectory.start().to_local(centre)) {
                cells.set(index, CellKind::Solid);
                let is_named = obstacle.name.as_deref().is_some_and(|name| named.contains(&name));
                flow.is_no_slip[at] |=
                    is_named || has(if ground == Some(number) { "ground" } else { "obstacles" });
            }
        }
        if voxels.letter(index) == voxels::SOLID {
            cells.set(index, CellKind::Solid);
            flow.is_no_slip[at] |= voxels.is_no_slip(index);
        }
    }
    // The layer around the grid, by the side it lies at
    let counts = grid.cells().map(|count| count as isize);
    for at in 0..flow.index.length() {
        let cell = flow.index.cell(at);
        for axis in 0..D {
            for (high, is_there) in [(0, cell[axis] < 0), (1, cell[axis] == counts[axis])] {
                flow.is_no_slip[at] |= is_there && has(&Side::ALL[2 * axis + high].to_string());
            }
        }
    }
}

/// What tracks the surface.
fn tracked_surface<const D: usize>(
    scene: &Scene,
    values: &Values,
    cells: &Cells<D>,
    is_fluid_at: impl Fn([f64; D]) -> bool,
) -> Result<TrackedSurface<D>, SceneErrors> {
    Ok(match values.word("surface") {
        "chains" => TrackedSurface::Chains(chains(values, cells, is_fluid_at)?),
        "height" => {
            let form = match chosen(values, "height_form", "flux", "paper") {
                "paper" => HeightForm::Eq12,
                _ => HeightForm::Flux,
            };
            let settings = HeightSettings { form, upwind: donor_cell_share(values) };
            let level = |point| start_level(cells.grid(), point, &is_fluid_at);
            TrackedSurface::HeightField(HeightField::new(cells, settings, level))
        }
        _ => {
            let motion = match chosen(values, "marker_motion", "midpoint", "euler") {
                "euler" => MarkerMotion::Euler,
                _ => MarkerMotion::Midpoint,
            };
            let settings = MarkerSettings {
                per_cell: values.integer("markers_per_cell").max(1) as usize,
                jitter: values.number("marker_jitter"),
                seed: scene.seed,
                motion,
            };
            TrackedSurface::Markers(Markers::new(cells, settings, is_fluid_at))
        }
    })
}

/// Chains around the fluid of the start.
fn chains<const D: usize>(
    values: &Values,
    cells: &Cells<D>,
    is_fluid_at: impl Fn([f64; D]) -> bool,
) -> Result<Chains<D>, Problem> {
    let contents = match chosen(values, "chain_contents", "winding", "growth") {
        "growth" => Contents::Growth,
        _ => Contents::Winding,
    };
    let edge = cells.grid().spacing().into_iter().fold(f64::INFINITY, f64::min);
    let mut chains = Chains::new(*cells.grid(), ChainSettings::of_cell(edge, contents))
        .map_err(|error| values.problem("surface", error.to_string(), "leave out the height of the box"))?;
    let count = values.integer_if("chain_particles").map(|count| count.max(3) as usize);
    chains.add_region(cells, count, is_fluid_at);
    Ok(chains)
}

/// The highest level of the fluid of the start above a point; minus infinity without any.
fn start_level<const D: usize>(
    grid: &Grid<D>,
    mut point: [f64; D],
    is_fluid_at: impl Fn([f64; D]) -> bool,
) -> f64 {
    let (low, spacing) = (grid.origin()[D - 1], grid.spacing()[D - 1]);
    let samples = LEVEL_SAMPLES * grid.cells()[D - 1];
    let at = |number: usize| low + (number as f64 + 0.5) / LEVEL_SAMPLES as f64 * spacing;
    let mut is_fluid = |level: f64| {
        point[D - 1] = level;
        is_fluid_at(point)
    };
    let Some(highest) = (0..samples).rev().find(|&number| is_fluid(at(number))) else {
        return f64::NEG_INFINITY;
    };
    // Between the last sample of fluid and the first of air
    let (mut wet, mut dry) = (at(highest), at(highest + 1).min(grid.far_corner()[D - 1]));
    for _ in 0..LEVEL_BISECTIONS {
        let middle = 0.5 * (wet + dry);
        *(if is_fluid(middle) { &mut wet } else { &mut dry }) = middle;
    }
    dry
}

/// What cannot work.
fn check<const D: usize>(water: &CellWater<D>, scene: &Scene, values: &Values) -> Result<(), SceneErrors> {
    let count = |kind: CellKind| water.cells.kinds().iter().filter(|&&one| one == kind).count();
    let has_fluid = count(CellKind::Full) + count(CellKind::Surface) > 0;
    let (has_inflow, has_outflow) = (count(CellKind::Inflow) > 0, count(CellKind::Outflow) > 0);
    if scene.is_resumed() {
        return Ok(());
    }
    if !has_fluid && !has_inflow {
        let remedy = "add a [[fill]], such as kind = 'level' with level = 0.5, or a [[port]]";
        return Err(values
            .problem("kind", "there is no water in this box, and none comes in", remedy)
            .into());
    }
    if count(CellKind::Empty) == 0 && !has_outflow {
        let remedy = "leave room for air above the water, or add a [[port]] with flow = \"out\"";
        return Err(values.problem("kind", "no cell is empty, so the water has no surface", remedy).into());
    }
    Ok(())
}

/// A warning where the limits of the explicit step make frames costly.
fn costly_steps<const D: usize>(water: &CellWater<D>, scene: &Scene, values: &Values) -> Option<Problem> {
    let force = water.settings.body_force(0.0, 0.0).ok()?;
    let (limit, name) = water.limits(force, water.settings.viscosity.at(0.0).ok()?).least();
    let steps = 1.0 / (scene.fps * limit);
    let shortens = matches!(water.settings.limits, LimitPolicy::Substep | LimitPolicy::Paper);
    (shortens && steps > COSTLY_STEPS).then(|| {
        let message = format!("{name} limits the explicit step to {limit:.2e} s: {steps:.0} steps a frame");
        values.problem("viscosity", message, "lower the viscosity or the resolution, or use another model")
    })
}
