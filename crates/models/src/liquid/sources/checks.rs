//! Checks of sources against solids, grid and time step: errors for what cannot work, warnings for what will surprise.

use undine_grid::Grid;
use undine_scene::{Problem, Scene, SceneErrors, Values};

use super::box_sides::{LiquidSide, LiquidSides};
use super::emitter::LiquidEmitter;
use super::fill::Fill;
use super::region::PlacedRegion;
use crate::solids::{Solids, for_each_index};

/// The number of times, from start to end, at which expressions of t are sampled.
const SAMPLE_COUNT: u32 = 100;

/// Cells per frame above which a jet gets a warning about its cost.
const COSTLY_CELLS_PER_FRAME: f64 = 32.0;

/// The domain that sources act in.
#[derive(Debug, Clone, Copy)]
pub struct SourceDomain<'s, const D: usize> {
    /// The scene, for its times.
    pub scene: &'s Scene,
    /// The values of the water.
    pub water: &'s Values,
    /// The grid.
    pub grid: &'s Grid<D>,
    /// The solids at the start, if any.
    pub solids: Option<&'s Solids<D>>,
}

/// The number of cell centres of a region that are in the box, and of those outside solids.
#[derive(Debug, Clone, Copy, Default)]
struct RegionCoverage {
    inside: usize,
    open: usize,
}

/// Checks all sources of a liquid; returns warnings.
pub fn check_sources<const D: usize>(
    domain: SourceDomain<'_, D>,
    fill: &Fill<D>,
    emitters: &[LiquidEmitter<D>],
    sides: &LiquidSides<D>,
) -> Result<Vec<Problem>, SceneErrors> {
    let (mut errors, mut warnings) = (SceneErrors::default(), Vec::new());
    // Some liquid at the start or later
    if fill.is_empty() && emitters.is_empty() && !sides.has(LiquidSide::Inflow) {
        let remedy = "add a [[fill]], such as kind = 'level' with level = 0.5, or an [[emitter]]";
        errors.push(domain.water.problem(
            "kind",
            "there is no liquid in this box, and none comes in",
            remedy,
        ));
    }
    // Fills that are outside the box or in solids
    for fill_region in fill.regions().iter().filter(|fill_region| fill_region.content.is_some()) {
        let coverage = coverage(domain, fill_region.region.at_start());
        let problem = |what: &str, remedy: &str| fill_region.values.problem("kind", what, remedy);
        match coverage {
            RegionCoverage { inside: 0, .. } => warnings.push(problem(
                "this fill covers no cell",
                "move it into the box, or make it larger than a cell",
            )),
            RegionCoverage { open: 0, .. } => errors.push(problem(
                "this fill lies wholly in solids, so nothing is left of it",
                "move it into the open",
            )),
            RegionCoverage { inside, open } if 2 * open < inside => warnings.push(problem(
                "more than half of this fill lies in solids and is left out",
                "move it into the open if that is not meant",
            )),
            _ => {}
        }
    }
    for emitter in emitters {
        errors.extend(check_buried(domain, emitter));
        warnings.extend(check_size(domain, emitter));
        warnings.extend(check_speed(domain, emitter));
    }
    errors.into_result().map(|()| warnings)
}

/// A warning when an obstacle crosses more than a cell in the shortest step: it would appear inside the water rather
/// than push it.
pub fn check_obstacle_speed<const D: usize>(domain: SourceDomain<'_, D>, min_dt: f64) -> Option<Problem> {
    let solids = domain.solids?;
    let max_speed = sample_times(domain.scene).map(|time| solids.speed(time)).fold(0.0, f64::max);
    let cells_crossed = max_speed * min_dt / domain.grid.spacing()[0];
    let message = format!(
        "an obstacle reaches {max_speed:.3} m/s, which is {cells_crossed:.1} cells in the shortest step"
    );
    let remedy = "slow it down: it appears inside the water rather than push it";
    let section = first_obstacle(domain.scene)?;
    (cells_crossed > 1.0).then(|| section.problem("kind", message, remedy))
}

fn first_obstacle(scene: &Scene) -> Option<undine_scene::Section<'_>> {
    scene.sections("obstacle").into_iter().next()
}

fn sample_times(scene: &Scene) -> impl Iterator<Item = f64> {
    let duration = scene.duration;
    (0..=SAMPLE_COUNT).map(move |sample| duration * f64::from(sample) / f64::from(SAMPLE_COUNT))
}

/// An error for an emitter that is in solids whenever it is active.
fn check_buried<const D: usize>(domain: SourceDomain<'_, D>, emitter: &LiquidEmitter<D>) -> Option<Problem> {
    domain.solids?;
    let mut coverages = sample_times(domain.scene)
        .filter_map(|time| emitter.region_at(time))
        .map(|region| coverage(domain, region));
    // Solids are known at the start only; an emitter that leaves them later is fine
    let first = coverages.next()?;
    let is_buried = first.inside > 0 && first.open == 0 && coverages.all(|coverage| coverage.open == 0);
    let remedy = "move it into the open, or the obstacle out of its way";
    is_buried.then(|| emitter.values.problem("kind", "this emitter is inside a solid", remedy))
}

fn check_size<const D: usize>(domain: SourceDomain<'_, D>, emitter: &LiquidEmitter<D>) -> Option<Problem> {
    let region = sample_times(domain.scene).find_map(|time| emitter.region_at(time))?;
    let message = "this emitter holds the centre of no cell, so hardly anything comes out of it";
    let remedy = "make it larger than a cell, raise the resolution, or move it into the box";
    (coverage(domain, region).inside == 0).then(|| emitter.values.problem("kind", message, remedy))
}

fn check_speed<const D: usize>(domain: SourceDomain<'_, D>, emitter: &LiquidEmitter<D>) -> Option<Problem> {
    let speed = emitter.max_speed(sample_times(domain.scene));
    let cells_crossed = speed / (domain.scene.fps * domain.grid.spacing()[0]);
    let message = format!(
        "at {speed:.3} m/s this jet crosses {cells_crossed:.0} cells a frame, and costs about as many steps"
    );
    let remedy = "slow it down, or lower the resolution";
    (cells_crossed > COSTLY_CELLS_PER_FRAME).then(|| emitter.values.problem("speed", message, remedy))
}

/// Counts the cell centres in a region.
fn coverage<const D: usize>(domain: SourceDomain<'_, D>, region: PlacedRegion<'_, D>) -> RegionCoverage {
    let (grid, [low, high]) = (domain.grid, region.bounds());
    let range = |axis: usize| {
        let coordinate = |at: f64| (at - grid.origin()[axis]) / grid.spacing()[axis];
        let count = grid.cells()[axis] as f64;
        let first = coordinate(low[axis]).floor().clamp(0.0, count) as usize;
        first..(coordinate(high[axis]).ceil().clamp(0.0, count) as usize).max(first)
    };
    let mut coverage = RegionCoverage::default();
    for_each_index(&std::array::from_fn(range), |at| {
        let cell = at.map(|i| i as isize);
        if region.contains(grid.centre(cell)) {
            coverage.inside += 1;
            let is_open = domain.solids.is_none_or(|solids| solids.distance_from(grid.centre(cell)) > 0.0);
            coverage.open += usize::from(is_open);
        }
    });
    coverage
}
