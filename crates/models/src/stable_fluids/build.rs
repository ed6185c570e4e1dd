//! Builds a fluid from the scene.

use undine_grid::advection::Scheme;
use undine_grid::{FieldError, Grid};
use undine_scene::{Problem, Scene, SceneErrors, Values};
use undine_sim::{Built, Estimate};

use super::collocated::Collocated;
use super::confinement::Confinement;
use super::diffusion::Diffusion;
use super::dye_sources::DyeSources;
use super::emitters::{FluidEmitter, carried_scalars, read_emitters};
use super::fluid::{FluidSettings, StableFluid, VelocityLayout};
use super::flux_ledger::FluxLedger;
use super::forces::Forces;
use super::initial_velocity;
use super::sides::{BoundaryType, Sides};
use super::staggered::{Staggered, bytes_per_cell, impose_solid_velocity, velocity_at_rest};
use super::tracers::Tracers;
use super::transported_scalars::TransportedScalars;
use crate::solids::{Compartments, Obstacle, Solids, read_obstacles};

/// Times at which the speed of obstacles is sampled for the warning.
const SAMPLES: u32 = 100;

/// Dimension of the fluid: 3 if the box has a height, else 2.
pub(super) fn dimension(values: &Values) -> usize {
    if values.number_if("height").is_some() { 3 } else { 2 }
}

/// Estimate of memory and time.
pub(super) fn estimate(_: &Scene, values: &Values) -> Estimate {
    let cells = cells(values).iter().map(|&x| x as u64).product::<u64>();
    let dimension = dimension(values);
    Estimate {
        bytes: cells * (bytes_per_cell(dimension) + 80),
        seconds_per_frame: cells as f64 * 2e-7 * if dimension == 3 { 3.0 } else { 1.0 },
        lower: "resolution",
    }
}

/// Builds a 2-D or 3-D fluid.
pub(super) fn build(scene: &Scene, values: &Values) -> Result<Built, SceneErrors> {
    match values.number_if("height") {
        None => build_in::<2>(scene, values),
        Some(_) => build_in::<3>(scene, values),
    }
}

fn build_in<const D: usize>(scene: &Scene, values: &Values) -> Result<Built, SceneErrors> {
    let mut errors = SceneErrors::default();
    // In the theses walls have free slip, whatever the viscosity
    let walls_are_no_slip = values.number("viscosity") > 0.0 && values.word("layout") != "collocated";
    let sides = errors.keep(Sides::<D>::read(values, walls_are_no_slip));
    let loaded = errors.keep(read_obstacles::<D>(scene, values));
    let emitters = errors.keep(read_emitters::<D>(scene, values));
    let grid = errors.keep(grid::<D>(values));
    errors.extend(sides.as_ref().and_then(|sides| unfit_for_layout(values, sides)));
    let (Some(sides), Some(loaded), Some(emitters), Some(grid)) = (sides, loaded, emitters, grid) else {
        return Err(errors);
    };
    errors.into_result()?;
    let too_large =
        |error: FieldError| values.problem("resolution", error.to_string(), "choose a smaller one");
    let mut fluid = assemble(scene, values, grid, sides, loaded.obstacles, emitters).map_err(too_large)?;
    if fluid.solids.as_ref().is_some_and(|solids| solids.open_cells() == 0) {
        return Err(
            obstacle_problem(scene, "obstacles fill the whole box", "leave room for the fluid").into()
        );
    }
    if let Some(side) = fluid.walled_off_inflow() {
        let message = "obstacles keep the fluid that comes in here from every outflow";
        let table = values.table(&side.to_string());
        let remedy = "leave a gap between the obstacles, or move the outflow";
        return Err(table.problem("kind", message, remedy).into());
    }
    apply_initial_state(&mut fluid, scene, values)?;
    let mut warnings = loaded.warnings;
    warnings.extend(fast_obstacles(&fluid, scene));
    Ok(Built { simulation: Box::new(fluid), warnings })
}

fn assemble<const D: usize>(
    scene: &Scene,
    values: &Values,
    grid: Grid<D>,
    sides: Sides<D>,
    obstacles: Vec<Obstacle<D>>,
    emitters: Vec<FluidEmitter<D>>,
) -> Result<StableFluid<D>, FieldError> {
    // Solids, velocity at rest, and the solver of the layout
    let solids = match obstacles.is_empty() {
        true => None,
        false => Some(Solids::new(grid, obstacles)?),
    };
    let velocity = velocity_at_rest(grid, &sides)?;
    let layout = match values.word("layout") {
        "collocated" => {
            let sweeps = values.integer("sweeps").max(1) as usize;
            VelocityLayout::Collocated(Box::new(Collocated::new(grid, sweeps, solids.as_ref())?))
        }
        _ => VelocityLayout::Staggered(Box::new(Staggered::new(&velocity, &sides, solids.as_ref(), values)?)),
    };
    // Forces and scalars; a fluid without any forcing gets the energy limiter
    let strength = values.number("confinement");
    let confinement = (strength > 0.0).then(|| Confinement::new(grid, strength)).transpose()?;
    let scalars = TransportedScalars::new(carried_scalars(&emitters), grid, &sides, values)?;
    let forces = Forces::read(values);
    let is_unforced = sides.are_passive()
        && forces.are_zero(&scalars)
        && confinement.is_none()
        && solids.as_ref().is_none_or(Solids::are_still)
        && !emitters.iter().any(FluidEmitter::drives)
        && matches!(layout, VelocityLayout::Staggered(_));
    let count = values.integer("tracers").max(0) as usize;
    Ok(StableFluid {
        settings: settings(scene, values, is_unforced),
        diffusion: Diffusion::new(grid.cells()),
        dye_sources: DyeSources::new(),
        tracers: Tracers::new(count, scene.seed, scene.duration, &grid, solids.as_ref(), &emitters),
        ledger: FluxLedger::new(grid.length().iter().product()),
        compartments: Compartments::whole(grid.cells()),
        has_outflow: Vec::new(),
        time: 0.0,
        last_dt: 0.0,
        rate: 0.0,
        energy: 0.0,
        grid,
        sides,
        solids,
        velocity,
        layout,
        confinement,
        forces,
        emitters,
        scalars,
    })
}

fn settings(scene: &Scene, values: &Values, is_unforced: bool) -> FluidSettings {
    let is_collocated = values.word("layout") == "collocated";
    let scheme = match values.word_if("advection") {
        Some("semi-lagrangian") => Scheme::SemiLagrangian,
        Some("bfecc") => Scheme::Bfecc,
        None if is_collocated => Scheme::SemiLagrangian,
        _ => Scheme::MacCormack,
    };
    FluidSettings {
        scheme,
        viscosity: values.number("viscosity"),
        density: values.number("density"),
        gravity: scene.gravity,
        raised: values.number("raised"),
        depth: values.number_if("depth").unwrap_or_else(|| {
            let [along_x, along_y] = values.vector("size");
            0.2 * f64::min(along_x, along_y)
        }),
        courant: values.number("courant"),
        shortest: 1.0 / (scene.fps * values.integer("steps").max(1) as f64),
        limits_energy: is_unforced && values.flag("limit_energy"),
    }
}

/// Sets the initial velocity, projected, and the initial scalars.
fn apply_initial_state<const D: usize>(
    fluid: &mut StableFluid<D>,
    scene: &Scene,
    values: &Values,
) -> Result<(), SceneErrors> {
    let speed = values.number("start_speed");
    let FluidSettings { raised, depth, .. } = fluid.settings;
    if D == 2 && raised > 0.0 {
        fluid.solids.iter_mut().for_each(|solids| solids.extrude_bodies([-depth, 0.5 * depth]));
    }
    // A resumed fluid gets its velocity from the checkpoint
    let start = if scene.is_resumed() { "rest" } else { values.word("start") };
    match start {
        "stream" => fluid.velocity[0].fill(speed),
        "vortices" => initial_velocity::taylor_green(&mut fluid.velocity, speed),
        "abc" if D != 3 => {
            return Err(values
                .problem("start", "this flow is 3-D", "set height, or begin with vortices")
                .into());
        }
        "abc" => initial_velocity::arnold_beltrami_childress(&mut fluid.velocity, speed),
        "turbulence" => initial_velocity::random_turbulence(&mut fluid.velocity, speed, scene.seed)
            .map_err(|error| values.problem("resolution", error.to_string(), "choose a smaller one"))?,
        _ => {}
    }
    fluid.sides.fill_ghosts(&mut fluid.velocity);
    if let Some(solids) = &fluid.solids {
        impose_solid_velocity(&mut fluid.velocity, solids);
    }
    match &mut fluid.layout {
        VelocityLayout::Staggered(_) if scene.is_resumed() => {}
        VelocityLayout::Staggered(layout) if start != "rest" || fluid.sides.has(BoundaryType::Inflow) => {
            let projected = layout.project(&mut fluid.velocity, fluid.solids.as_ref(), 1.0);
            projected.map_err(|error| values.problem("start", error.to_string(), "begin at rest"))?;
            layout.reset_pressure();
        }
        VelocityLayout::Staggered(_) => {}
        VelocityLayout::Collocated(layout) => {
            layout.set_from_faces(&fluid.velocity);
            layout.set_border(&fluid.sides, fluid.solids.as_ref());
            layout.to_faces(&mut fluid.velocity);
        }
    }
    fluid.sides.fill_ghosts(&mut fluid.velocity);
    fluid.emitters.iter().for_each(|emitter| emitter.apply_initial(&fluid.grid, &mut fluid.scalars));
    fluid.scalars.fill_ghosts();
    fluid.measure();
    Ok(())
}

fn grid<const D: usize>(values: &Values) -> Result<Grid<D>, SceneErrors> {
    let (size, cells): ([f64; 3], [usize; 3]) = (size(values), cells(values));
    let corner: [f64; 2] = values.vector("corner");
    let origin = [corner[0], corner[1], 0.0];
    let pick = |numbers: [f64; 3]| -> [f64; D] { std::array::from_fn(|axis| numbers[axis]) };
    let spacing = std::array::from_fn(|axis| size[axis] / cells[axis] as f64);
    let grid = Grid::new(std::array::from_fn(|axis| cells[axis]), pick(spacing), pick(origin));
    Ok(grid.map_err(|error| values.problem("resolution", error.to_string(), "choose a smaller one"))?)
}

fn size(values: &Values) -> [f64; 3] {
    let [x, y]: [f64; 2] = values.vector("size");
    [x, y, values.number_if("height").unwrap_or(x)]
}

/// Cells along each axis; one along z in 2-D.
fn cells(values: &Values) -> [usize; 3] {
    let size = size(values);
    let along_x = values.integer("resolution").max(2) as usize;
    let cells_along = |axis: usize| (along_x as f64 * size[axis] / size[0]).round().clamp(2.0, 1e6) as usize;
    [along_x, cells_along(1), if values.number_if("height").is_some() { cells_along(2) } else { 1 }]
}

/// Problems of keys that the collocated layout does not support.
fn unfit_for_layout<const D: usize>(values: &Values, sides: &Sides<D>) -> Option<Problem> {
    if values.word("layout") != "collocated" {
        return None;
    }
    if sides.has(BoundaryType::Periodic) {
        let message = "the collocated layout has a border on every side, so none can be periodic";
        return Some(values.problem("layout", message, "use the staggered layout"));
    }
    let scheme = values.word_if("advection").filter(|word| *word != "semi-lagrangian")?;
    let message = format!("the collocated layout has semi-Lagrangian advection only, not {scheme}");
    Some(values.problem("advection", message, "use the staggered layout"))
}

/// A warning if an obstacle crosses more than a cell in the shortest step.
fn fast_obstacles<const D: usize>(fluid: &StableFluid<D>, scene: &Scene) -> Option<Problem> {
    let solids = fluid.solids.as_ref()?;
    let spacing = fluid.grid.spacing().into_iter().fold(f64::INFINITY, f64::min);
    let limit = spacing / fluid.settings.shortest;
    let time = |sample: u32| scene.duration * f64::from(sample) / f64::from(SAMPLES);
    let fastest = (0..=SAMPLES).map(|sample| solids.speed(time(sample))).fold(0.0, f64::max);
    (fastest > limit).then(|| {
        let message = format!("an obstacle reaches {fastest:.3} m/s, more than a cell per step");
        obstacle_problem(scene, message, "slow it down, or allow more steps per frame")
    })
}

fn obstacle_problem(scene: &Scene, message: impl Into<String>, remedy: &str) -> Problem {
    let sections = scene.sections("obstacle");
    match sections.first() {
        Some(section) => section.problem("kind", message, remedy),
        None => scene.section("obstacle").problem("kind", message, remedy),
    }
}

#[cfg(test)]
mod tests {
    use undine_scene::{LoadOptions, Scene};
    use undine_sim::Runner;

    /// A channel from west to east with a wall of this height and motion in its middle.
    fn channel(water: &str, wall: &str) -> Result<Runner, String> {
        let text = format!(
            "[scene]\nduration = 2\nfps = 20\n[[water]]\nkind = 'stable-fluids'\nsize = [2, 1]\nresolution = 32\n\
             west = {{ kind = 'inflow', speed = 1 }}\neast = {{ kind = 'outflow' }}\n{water}\n[[obstacle]]\n{wall}"
        );
        let scene = Scene::parse("channel", &text, &LoadOptions::default()).unwrap();
        Runner::new(&scene, crate::MODELS, None).map_err(|errors| errors.to_string())
    }

    #[test]
    fn an_inflow_that_cannot_reach_an_outflow_is_refused() {
        let wall = |height: f64| format!("kind = 'rectangle'\nat = [1, 0.5]\nsize = [0.2, {height}]");
        let refusal = channel("", &wall(1.2)).err().unwrap();
        assert!(refusal.contains("channel:8:") && refusal.contains("from every outflow"), "{refusal}");
        // With a gap the ledger closes
        let mut open = channel("", &wall(0.8)).unwrap();
        (0..10).for_each(|_| drop(open.next_frame().unwrap()));
        let volume = open.waters()[0].simulation.volume();
        assert!(volume.inflow > 0.4 && volume.relative_error().abs() < 1e-6, "{volume:?}");
        // In space, with a wall across the whole box
        let refusal =
            channel("height = 1", "kind = 'box'\nat = [1, 0.5, 0.5]\nsize = [0.2, 2, 2]").err().unwrap();
        assert!(refusal.contains("from every outflow"), "{refusal}");
    }

    #[test]
    fn a_gate_that_closes_stops_the_run() {
        let gate = "kind = 'rectangle'\nat = [1, 0.1]\nsize = [0.2, 1]\nmove_y = '0.4*min(t, 1)'";
        let mut runner = channel("", gate).unwrap();
        let failure = (0..30).find_map(|_| runner.next_frame().err()).unwrap().to_string();
        assert!(failure.contains("west") && failure.contains("from every outflow"), "{failure}");
    }
}
