//! `[[fill]]`: where the liquid is at the start.
//!
//! Fills apply in the order of the file: a later one replaces what it covers, and one with `remove` empties it.

use undine_scene::{Absent, Key, Problem, Scene, SceneErrors, SectionEntry, Values};

use super::region::{SourceRegion, WATER_OF_REGION, region_kinds};

/// The default colour of a liquid, linear.
pub const DEFAULT_COLOUR: [f32; 3] = [0.02, 0.19, 0.35];

/// `[[fill]]`: where the liquid is at the start.
pub static FILL: SectionEntry = SectionEntry {
    name: "fill",
    summary: "where the liquid is at the start",
    repeats: true,
    common: &[
        Key::text("kind").help("its shape, or level"),
        WATER_OF_REGION,
        Key::colour("colour").optional("that of water").help("colour that its particles carry"),
        Key::flag("remove")
            .default(Absent::Flag(false))
            .help("removes the liquid of earlier fills instead of adding some"),
    ],
    kinds: region_kinds!(&[VELOCITY_IN_PLANE], &[VELOCITY_IN_SPACE], &[]),
};

const VELOCITY_IN_PLANE: Key = Key::vector("velocity", 2)
    .unit("m/s")
    .default(Absent::Vector(&[0.0, 0.0]))
    .within(-1e4, 1e4)
    .help("velocity at the start");
const VELOCITY_IN_SPACE: Key = Key::vector("velocity", 3)
    .unit("m/s")
    .default(Absent::Vector(&[0.0, 0.0, 0.0]))
    .within(-1e4, 1e4)
    .help("velocity at the start");

/// The velocity and colour of the liquid at a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FillContent<const D: usize> {
    /// Its velocity in m/s.
    pub velocity: [f64; D],
    /// Its colour, linear.
    pub colour: [f32; 3],
}

/// All fills of a liquid.
#[derive(Debug, Clone)]
pub struct Fill<const D: usize> {
    regions: Vec<FillRegion<D>>,
    /// Warnings.
    pub warnings: Vec<Problem>,
}

#[derive(Debug, Clone)]
pub(super) struct FillRegion<const D: usize> {
    pub region: SourceRegion<D>,
    pub values: Values,
    /// `None` where liquid is removed.
    pub content: Option<FillContent<D>>,
}

impl<const D: usize> Fill<D> {
    /// Reads the fills of the water with these values, all problems at once.
    pub fn read(scene: &Scene, water: &Values) -> Result<Fill<D>, SceneErrors> {
        let mut errors = SceneErrors::default();
        let mut fill = Fill { regions: Vec::new(), warnings: Vec::new() };
        for section in scene.sections("fill") {
            let read = errors.keep(SourceRegion::read(scene, &section, water, &FILL)).flatten();
            let Some((region, values, warnings)) = read else { continue };
            let content = FillContent {
                velocity: values.vector("velocity"),
                colour: values.colour_if("colour").unwrap_or(DEFAULT_COLOUR),
            };
            let content = (!values.flag("remove")).then_some(content);
            fill.regions.push(FillRegion { region, values, content });
            fill.warnings.extend(warnings);
        }
        errors.into_result().map(|()| fill)
    }

    /// Whether there is no fill that adds liquid.
    pub fn is_empty(&self) -> bool {
        self.regions.iter().all(|fill_region| fill_region.content.is_none())
    }

    /// The liquid at a point, in metres, at the start.
    pub fn contains(&self, point: [f64; D]) -> Option<&FillContent<D>> {
        let covers = |fill_region: &&FillRegion<D>| fill_region.region.at_start().contains(point);
        self.regions.iter().rev().find(covers)?.content.as_ref()
    }

    pub(super) fn regions(&self) -> &[FillRegion<D>] {
        &self.regions
    }
}
