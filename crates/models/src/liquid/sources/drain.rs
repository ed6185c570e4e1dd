//! `[[drain]]`: a region that removes the liquid in it.

use undine_scene::{Key, Placement, Problem, Scene, SceneErrors, SectionEntry, Timed, Values};

use super::emitter::{ACTIVE, ActiveInterval, FROM, UNTIL, round_region};
use super::region::{PlacedRegion, SourceRegion, WATER_OF_REGION, region_kinds};
use crate::tools;

/// `[[drain]]`: a region that removes the liquid in it.
pub static DRAIN: SectionEntry = SectionEntry {
    name: "drain",
    summary: "where liquid flows out",
    repeats: true,
    common: &[
        Key::text("kind").help("its shape, or level"),
        WATER_OF_REGION,
        Key::timed("rate")
            .unit("m³/s; m²/s in a plane")
            .optional("all that comes into it")
            .within(0.0, 1e6)
            .help("greatest volume that it removes per second"),
        ACTIVE,
        FROM,
        UNTIL,
    ],
    kinds: region_kinds!(&[], &[], &[tools::drain(write_drain)]),
};

/// The section of a drain that a tool places.
fn write_drain(placement: &Placement<'_>) -> String {
    format!("{{ {}, radius = {:?}, rate = {:?} }}", round_region(placement), placement.radius, placement.rate)
}

/// A drain.
#[derive(Debug, Clone)]
pub struct Drain<const D: usize> {
    region: SourceRegion<D>,
    rate: Option<Timed>,
    active: ActiveInterval,
}

/// Reads the drains of the liquid with these values, all problems at once, and warnings.
pub fn read_drains<const D: usize>(
    scene: &Scene,
    water: &Values,
) -> Result<(Vec<Drain<D>>, Vec<Problem>), SceneErrors> {
    let (mut errors, mut drains, mut warnings) = (SceneErrors::default(), Vec::new(), Vec::new());
    for section in scene.sections("drain") {
        let read = errors.keep(SourceRegion::read(scene, &section, water, &DRAIN)).flatten();
        let Some((region, values, remarks)) = read else { continue };
        warnings.extend(remarks);
        let rate = values.timed_if("rate").cloned();
        drains.push(Drain { region, rate, active: ActiveInterval::read(&values) });
    }
    errors.into_result().map(|()| (drains, warnings))
}

impl<const D: usize> Drain<D> {
    /// Its region at the end of a step, and the mean of its greatest rate over it; `None` when it is inactive.
    pub fn over(&self, from: f64, to: f64) -> Result<Option<(PlacedRegion<'_, D>, Option<f64>)>, Problem> {
        let rate = self.active.mean(self.rate.as_ref(), from, to)?;
        let is_active = self.active.contains(to)? || rate.is_some_and(|rate| rate > 0.0);
        Ok(if is_active { Some((self.region.at(to)?, rate)) } else { None })
    }

    /// Its region at a time; `None` when it is inactive, or when the region cannot be placed: the step fails then.
    pub fn region_at(&self, time: f64) -> Option<PlacedRegion<'_, D>> {
        self.active.contains(time).ok().filter(|is_active| *is_active)?;
        self.region.at(time).ok()
    }
}
