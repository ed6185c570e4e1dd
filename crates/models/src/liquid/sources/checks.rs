//! Sources against solids, grid and clock: what cannot work is refused, what will surprise is announced.

use undine_grid::Grid;
use undine_scene::{Problem, Scene, SceneErrors, Values};

use super::emitter::Emitter;
use super::fill::Fill;
use super::region::Spot;
use super::sides::{LiquidSide, LiquidSides};
use crate::solids::{Solids, for_each_index};

/// Times from the start to the end at which speeds are looked at.
const GLANCES: u32 = 100;

/// Cells per frame beyond which a jet is announced as costly.
const FAST: f64 = 32.0;

/// Where sources act.
#[derive(Debug, Clone, Copy)]
pub struct Stage<'s, const D: usize> {
    /// The scene, for its clock.
    pub scene: &'s Scene,
    /// The values of the water.
    pub water: &'s Values,
    /// The cells.
    pub grid: &'s Grid<D>,
    /// The solids as they are at the start, if there are any.
    pub solids: Option<&'s Solids<D>>,
}

/// How much of a region lies in the box and in the open, by the centres of cells.
#[derive(Debug, Clone, Copy, Default)]
struct Cover {
    inside: usize,
    open: usize,
}

/// Checks all sources of a liquid; returns what their author should know.
pub fn check_sources<const D: usize>(
    stage: Stage<'_, D>,
    fill: &Fill<D>,
    emitters: &[Emitter<D>],
    sides: &LiquidSides<D>,
) -> Result<Vec<Problem>, SceneErrors> {
    let (mut errors, mut warnings) = (SceneErrors::default(), Vec::new());
    if fill.is_empty() && emitters.is_empty() && !sides.has(LiquidSide::Inflow) {
        let remedy = "add a [[fill]], such as kind = 'level' with level = 0.5, or an [[emitter]]";
        errors.push(stage.water.problem("kind", "there is no liquid in this box, and none comes in", remedy));
    }
    for part in fill.parts().iter().filter(|part| part.content.is_some()) {
        let cover = cover(stage, part.region.at(0.0));
        let place = |what: &str, remedy: &str| part.values.problem("kind", what, remedy);
        match cover {
            Cover { inside: 0, .. } => warnings.push(place(
                "this fill covers no cell",
                "move it into the box, or make it larger than a cell",
            )),
            Cover { open: 0, .. } => errors.push(place(
                "this fill lies wholly in solids, so nothing is left of it",
                "move it into the open",
            )),
            Cover { inside, open } if 2 * open < inside => warnings.push(place(
                "more than half of this fill lies in solids and is left out",
                "move it into the open if that is not meant",
            )),
            _ => {}
        }
    }
    for emitter in emitters {
        errors.extend(buried(stage, emitter));
        warnings.extend(too_small(stage, emitter));
        warnings.extend(too_fast(stage, emitter));
    }
    errors.into_result().map(|()| warnings)
}

/// A warning when an obstacle crosses more than a cell in a time of `shortest` seconds: it would appear inside the water
/// rather than push it.
pub fn fast_obstacles<const D: usize>(stage: Stage<'_, D>, shortest: f64) -> Option<Problem> {
    let solids = stage.solids?;
    let fastest = glances(stage.scene).map(|time| solids.speed(time)).fold(0.0, f64::max);
    let crossed = fastest * shortest / stage.grid.spacing()[0];
    let message =
        format!("an obstacle reaches {fastest:.3} m/s, which is {crossed:.1} cells in the shortest step");
    let remedy = "slow it down: it appears inside the water rather than push it";
    let section = scene_obstacle(stage.scene)?;
    (crossed > 1.0).then(|| section.problem("kind", message, remedy))
}

fn scene_obstacle(scene: &Scene) -> Option<undine_scene::Section<'_>> {
    scene.sections("obstacle").into_iter().next()
}

fn glances(scene: &Scene) -> impl Iterator<Item = f64> {
    let duration = scene.duration;
    (0..=GLANCES).map(move |glance| duration * f64::from(glance) / f64::from(GLANCES))
}

/// An emitter that is in solids whenever it is on.
fn buried<const D: usize>(stage: Stage<'_, D>, emitter: &Emitter<D>) -> Option<Problem> {
    stage.solids?;
    let mut covers =
        glances(stage.scene).filter_map(|time| emitter.at(time)).map(|flow| cover(stage, flow.spot));
    // Solids are known as they are at the start: one that it leaves later is no matter
    let first = covers.next()?;
    let is_buried = first.inside > 0 && first.open == 0 && covers.all(|cover| cover.open == 0);
    let remedy = "move it into the open, or the obstacle out of its way";
    is_buried.then(|| emitter.values.problem("kind", "this emitter is inside a solid", remedy))
}

fn too_small<const D: usize>(stage: Stage<'_, D>, emitter: &Emitter<D>) -> Option<Problem> {
    let flow = glances(stage.scene).find_map(|time| emitter.at(time))?;
    let message = "this emitter holds the centre of no cell, so hardly anything comes out of it";
    let remedy = "make it larger than a cell, raise the resolution, or move it into the box";
    (cover(stage, flow.spot).inside == 0).then(|| emitter.values.problem("kind", message, remedy))
}

fn too_fast<const D: usize>(stage: Stage<'_, D>, emitter: &Emitter<D>) -> Option<Problem> {
    let speed = emitter.fastest(glances(stage.scene));
    let crossed = speed / (stage.scene.fps * stage.grid.spacing()[0]);
    let message = format!(
        "at {speed:.3} m/s this jet crosses {crossed:.0} cells a frame, and costs about as many steps"
    );
    let remedy = "slow it down, or lower the resolution";
    (crossed > FAST).then(|| emitter.values.problem("speed", message, remedy))
}

/// Looks at the centres of the cells in a region.
fn cover<const D: usize>(stage: Stage<'_, D>, spot: Spot<'_, D>) -> Cover {
    let (grid, [low, high]) = (stage.grid, spot.bounds());
    let range = |axis: usize| {
        let place = |at: f64| (at - grid.origin()[axis]) / grid.spacing()[axis];
        let most = grid.cells()[axis] as f64;
        let first = place(low[axis]).floor().clamp(0.0, most) as usize;
        first..(place(high[axis]).ceil().clamp(0.0, most) as usize).max(first)
    };
    let mut cover = Cover::default();
    for_each_index(&std::array::from_fn(range), |at| {
        let cell = at.map(|along| along as isize);
        if spot.contains(grid.centre(cell)) {
            cover.inside += 1;
            let is_open = stage.solids.is_none_or(|solids| solids.distance_from(grid.centre(cell)) > 0.0);
            cover.open += usize::from(is_open);
        }
    });
    cover
}
