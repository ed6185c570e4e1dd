//! The models of water of Undine, one folder each.
//!
//! [`MODELS`] is the list: a model is one folder here and one line there. Scenes select a model by its `kind`; `undine
//! models`, the studio and the conformance test all read the same list.

#[cfg(feature = "checks")]
mod checks;
pub mod foster_metaxas;
pub mod free_surface;
pub mod heightfield;
pub mod kass_miller;
pub mod liquid;
pub mod pipes;
pub mod shallow_water;
pub mod solids;
pub mod stable_fluids;
mod tools;
pub mod waves;

use undine_scene::{Scene, Section};
use undine_sim::{ModelEntry, SectionReader};

/// The validation cases and benchmarks of a model, compiled with the feature `checks` only.
macro_rules! suite {
    ($cases:expr, $benches:expr) => {{
        #[cfg(feature = "checks")]
        {
            undine_sim::Suite { cases: $cases, benches: $benches }
        }
        #[cfg(not(feature = "checks"))]
        {
            undine_sim::Suite::NONE
        }
    }};
}
use suite;

/// Every model that a scene can select.
pub static MODELS: &[&ModelEntry] = &[
    &waves::sine::ENTRY,
    &waves::gerstner::ENTRY,
    &kass_miller::ENTRY,
    &shallow_water::ENTRY,
    &pipes::ENTRY,
    &stable_fluids::ENTRY,
    &liquid::ENTRY,
    &foster_metaxas::ENTRY,
];

/// The model with this name.
///
/// ```
/// assert_eq!(undine_models::find("sine-waves").unwrap().folder, "waves");
/// assert!(undine_models::find("lava").is_none());
/// ```
pub fn find(name: &str) -> Option<&'static ModelEntry> {
    MODELS.iter().copied().find(|model| model.name == name)
}

/// The water of a scene that reads a section, and its entry.
pub fn reader_of(scene: &Scene, section: &Section<'_>) -> Option<SectionReader> {
    undine_sim::reader_of(scene, MODELS, section)
}

/// Every section that the waters of a scene read.
pub fn section_readers(scene: &Scene) -> Vec<SectionReader> {
    undine_sim::section_readers(scene, MODELS)
}

/// The example of CONTRIBUTING.md is compiled and run by the conformance test with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../../CONTRIBUTING.md")]
pub struct Contributing;
