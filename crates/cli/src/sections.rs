//! Every section that a scene may have, collected from the crates that define them.

use undine_models::MODELS;
use undine_scene::{SCENE, Scene, SceneErrors, SectionEntry};
use undine_sim::{ACTION, GAUGE};
use undine_surface::{METABALLS, SURFACE};

use crate::outputs::OUTPUT;

/// Every section but `[[water]]`, whose keys are those of its model. Two sections that share a name are two entries.
///
/// ```
/// let emitters = undine::sections().into_iter().filter(|section| section.name == "emitter");
/// assert_eq!(emitters.count(), 2);
/// ```
pub fn sections() -> Vec<&'static SectionEntry> {
    let mut sections = vec![&SCENE];
    for used in MODELS.iter().flat_map(|model| model.sections) {
        if sections.iter().all(|known| !std::ptr::eq(*known, used.section)) {
            sections.push(used.section);
        }
    }
    sections.extend([&GAUGE, &ACTION, &METABALLS, &SURFACE]);
    sections.extend(undine_render::SECTIONS);
    sections.push(&OUTPUT);
    sections
}

/// The names of all sections, each once, without `water`.
pub fn section_names() -> Vec<&'static str> {
    let mut names = Vec::new();
    for section in sections() {
        if !names.contains(&section.name) {
            names.push(section.name);
        }
    }
    names
}

/// Reports sections of the scene that no crate defines.
pub fn check_sections(scene: &Scene) -> SceneErrors {
    let others = section_names().into_iter().filter(|name| *name != SCENE.name);
    scene.check_sections(&[vec!["water"], others.collect()].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_has_help_and_its_kinds_shadow_no_common_key() {
        for section in sections() {
            assert!(!section.summary.is_empty(), "{}", section.name);
            let has_kind = section.common.iter().any(|key| key.name == "kind");
            assert!(has_kind || section.kinds.is_empty(), "{} has kinds but no key for them", section.name);
            for (number, kind) in section.kinds.iter().enumerate() {
                let place = format!("{} {}", section.name, kind.name);
                assert!(!kind.summary.is_empty() && !kind.dimensions.is_empty(), "{place}");
                let is_same = |other: &undine_scene::KindEntry| {
                    other.name == kind.name && kind.dimensions.iter().any(|one| other.fits(*one))
                };
                assert!(!section.kinds[..number].iter().any(is_same), "{place} is there twice");
                let mut names: Vec<&str> = Vec::new();
                for key in section.groups(kind).into_iter().flatten() {
                    assert!(!key.help.is_empty() && !names.contains(&key.name), "{place}: {}", key.name);
                    names.push(key.name);
                }
            }
        }
    }

    #[test]
    fn every_tool_of_every_section_writes_what_its_section_reads() {
        let mut tools = Vec::new();
        for section in sections() {
            for kind in section.kinds {
                for tool in kind.tools {
                    assert_eq!(tool.inconsistency(section, kind), None);
                    tools.push(tool.name);
                }
            }
        }
        tools.sort_unstable();
        tools.dedup();
        assert_eq!(tools, ["dig", "drain", "obstacle", "raise", "spring", "waves", "wobble"]);
    }
}
