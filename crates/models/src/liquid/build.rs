//! Builds a liquid from its scene.

use undine_grid::{FieldError, Grid};
use undine_scene::{Problem, Scene, SceneErrors, Values};
use undine_sim::{Built, Estimate};

use super::grid_to_particles::{Integrator, TransferScheme};
use super::inflow_outflow::InflowOutflow;
use super::seeding::seed_box;
use super::simulation::{LiquidSettings, LiquidSetup, LiquidSimulation, wave_dt_limit};
use super::sources::{
    Fill, LiquidSides, SourceDomain, check_obstacle_speed, check_sources, read_drains, read_emitters,
};
use crate::free_surface::solid_boundary::SolidBoundary;
use crate::solids::{Solids, read_ground, read_obstacles};

/// Bytes per cell of all fields and of the multigrid hierarchy, in 2-D and 3-D.
const CELL_BYTES: [u64; 2] = [150, 220];
/// Bytes per particle, with the memory of sorting.
const PARTICLE_BYTES: u64 = 150;

/// The memory and time that a liquid will need.
pub(super) fn estimate(scene: &Scene, values: &Values) -> Estimate {
    let (cells, dimension) = (cells(values), dimension(values));
    let count = cells.iter().map(|&count| count as u64).product::<u64>();
    // A third of the box full, of that at most the band with particles
    let full = count / 3;
    let band = values.integer("band").max(0) as u64;
    let across = cells.iter().take(dimension - 1).map(|&count| count as u64).product::<u64>();
    let with_particles = if band == 0 { full } else { full.min(3 * (band + 1) * across) };
    let particles = with_particles << dimension;
    // Steps by the speed of a fall through half the box, and by the shortest waves
    let size: [f64; 2] = values.vector("size");
    let cell = size[0] / cells[0] as f64;
    let gravity = scene.gravity.abs().max(1e-12);
    let fall_speed = (gravity * cell * cells[dimension - 1] as f64).sqrt();
    let max_dt = (values.number("courant") * cell / fall_speed).min(wave_dt_limit(cell, gravity));
    let steps = (1.0 / (scene.fps * max_dt)).ceil().clamp(1.0, values.integer("steps").max(1) as f64);
    Estimate {
        bytes: count * CELL_BYTES[dimension - 2] + particles * PARTICLE_BYTES,
        seconds_per_frame: steps * (particles as f64 * 2e-7 + count as f64 * 2.5e-7),
        lower: "resolution",
    }
}

/// Builds a liquid, in 2-D or 3-D.
pub(super) fn build(scene: &Scene, values: &Values) -> Result<Built, SceneErrors> {
    match dimension(values) {
        2 => assemble::<2>(scene, values).map(built),
        _ => assemble::<3>(scene, values).map(built),
    }
}

fn built<const D: usize>((liquid, warnings): (LiquidSimulation<D>, Vec<Problem>)) -> Built {
    Built { simulation: Box::new(liquid), warnings }
}

/// The liquid of a scene, and warnings.
pub(super) fn assemble<const D: usize>(
    scene: &Scene,
    values: &Values,
) -> Result<(LiquidSimulation<D>, Vec<Problem>), SceneErrors> {
    let mut errors = SceneErrors::default();
    let sides = errors.keep(LiquidSides::<D>::read(values));
    let obstacle_list = errors.keep(read_obstacles::<D>(scene, values));
    let fill = errors.keep(Fill::<D>::read(scene, values));
    let emitters = errors.keep(read_emitters::<D>(scene, values));
    let drains = errors.keep(read_drains::<D>(scene, values));
    let grid = errors.keep(grid::<D>(values));
    let ground = match &grid {
        Some(grid) => errors.keep(read_ground::<D>(scene, grid)).flatten(),
        None => None,
    };
    let (Some(sides), Some(obstacle_list), Some(fill), Some(emitters), Some(drains), Some(grid)) =
        (sides, obstacle_list, fill, emitters, drains, grid)
    else {
        return Err(errors);
    };
    errors.into_result()?;
    let mut warnings = obstacle_list.warnings;
    warnings.extend(fill.warnings.iter().cloned().chain(emitters.1).chain(drains.1));
    let mut obstacles = obstacle_list.obstacles;
    obstacles.extend(ground);

    let too_large =
        |error: FieldError| values.problem("resolution", error.to_string(), "choose a smaller one");
    let solids = match obstacles.is_empty() {
        true => None,
        false => Some(Solids::watertight(grid, obstacles).map_err(too_large)?),
    };
    let domain = SourceDomain { scene, water: values, grid: &grid, solids: solids.as_ref() };
    warnings.extend(check_sources(domain, &fill, &emitters.0, &sides)?);
    let min_dt = min_dt(scene, values);
    warnings.extend(check_obstacle_speed(domain, min_dt));

    let has_colour =
        scene.sections("fill").iter().chain(&scene.sections("emitter")).any(|section| section.has("colour"));
    let inflow_outflow = InflowOutflow::new(emitters.0, drains.0, sides);
    let setup = LiquidSetup {
        settings: settings(scene, values, min_dt, inflow_outflow.open_sides()),
        boundary: SolidBoundary::new(grid, solids).map_err(too_large)?,
        has_colour,
        solver: values.word("solver").to_owned(),
        tolerance: values.number("tolerance"),
        band: Some(values.integer("band").max(0) as usize).filter(|&band| band > 0 && !has_colour),
        viscosity: values.number("viscosity"),
        tension: values.number("tension"),
        controls_volume: values.flag("volume_control"),
        inflow_outflow,
        grid,
    };
    let mut liquid = LiquidSimulation::new(setup).map_err(too_large)?;
    // A resumed run restores its particles
    if !scene.is_resumed() {
        let LiquidSimulation { particles, boundary, .. } = &mut liquid;
        seed_box(particles, &grid, boundary, scene.seed, |point| fill.contains(point));
    }
    liquid.initialise();
    Ok((liquid, warnings))
}

fn settings<const D: usize>(
    scene: &Scene,
    values: &Values,
    min_dt: f64,
    open_sides: [[bool; 2]; D],
) -> LiquidSettings<D> {
    LiquidSettings {
        transfer: match values.word("transfer") {
            "pic" => TransferScheme::Pic,
            "flip" => TransferScheme::Flip(values.number("blend") as f32),
            _ => TransferScheme::Apic,
        },
        integrator: if values.word("moves") == "euler5" {
            Integrator::FiveEuler
        } else {
            Integrator::RungeKutta3
        },
        gravity: scene.gravity,
        density: values.number("density"),
        courant: values.number("courant"),
        min_dt,
        open_sides,
        seed: scene.seed,
    }
}

/// The least Δt that is asked for.
fn min_dt(scene: &Scene, values: &Values) -> f64 {
    1.0 / (scene.fps * values.integer("steps").max(1) as f64)
}

pub(super) fn dimension(values: &Values) -> usize {
    if values.number_if("height").is_some() { 3 } else { 2 }
}

fn grid<const D: usize>(values: &Values) -> Result<Grid<D>, SceneErrors> {
    let (cells, corner): ([usize; 3], [f64; 2]) = (cells(values), values.vector("corner"));
    let size: [f64; 2] = values.vector("size");
    let spacing = size[0] / cells[0] as f64;
    let origin = [corner[0], corner[1], 0.0];
    let grid = Grid::new(
        std::array::from_fn(|axis| cells[axis]),
        [spacing; D],
        std::array::from_fn(|axis| origin[axis]),
    );
    Ok(grid.map_err(|error: undine_grid::GridError| -> Problem {
        values.problem("resolution", error.to_string(), "choose a smaller one")
    })?)
}

/// Cells along each axis; one along z in 2-D.
fn cells(values: &Values) -> [usize; 3] {
    let [x, y]: [f64; 2] = values.vector("size");
    let along_x = values.integer("resolution").max(1) as usize;
    let cells_along = |length: f64| (along_x as f64 * length / x).round().clamp(1.0, 1e6) as usize;
    [along_x, cells_along(y), values.number_if("height").map_or(1, cells_along)]
}
