//! `[[drain]]`: a region that removes the liquid in it.

use undine_scene::{Key, Placement, Problem, Scene, SceneErrors, SectionEntry, Timed, Values};

use super::emitter::{ACTIVE, ActiveInterval, FROM, UNTIL, finite, round_region};
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
    /// Its region and greatest rate at a time; `None` while it is inactive.
    pub fn at(&self, time: f64) -> Option<(PlacedRegion<'_, D>, Option<f64>)> {
        let rate = self.rate.as_ref().map(|rate| finite(rate.at(time)).max(0.0));
        self.active.contains(time).then(|| (self.region.at(time), rate))
    }
}
