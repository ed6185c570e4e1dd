//! Sections of the scene that may name the water they apply to (`water = "…"`).

use undine_scene::{KindEntry, Scene, SceneErrors, Section, SectionEntry, Values, known_words};

/// Reads a section for the water with these values in `dimension` dimensions; `None` when it applies to another water.
pub(crate) fn read_kind(
    scene: &Scene,
    section: &Section<'_>,
    water: &Values,
    entry: &SectionEntry,
    dimension: usize,
) -> Result<Option<(&'static KindEntry, Values)>, SceneErrors> {
    if !belongs_to(scene, section, water)? {
        return Ok(None);
    }
    // A scene may hold a 2-D and a 3-D fluid: a kind that does not fit is an error only when the water is named
    let kind = match entry.find_kind(section, dimension) {
        Err(_) if may_be_meant_for_another(scene, section) => return Ok(None),
        found => found?,
    };
    Ok(Some((kind, section.read(&entry.groups(kind))?)))
}

/// Whether a section applies to the water with these values. The name of an unknown water is an error.
fn belongs_to(scene: &Scene, section: &Section<'_>, water: &Values) -> Result<bool, SceneErrors> {
    let Some(wanted) = section.text("water") else { return Ok(true) };
    let waters = scene.sections("water");
    let name = |section: &Section<'_>| section.text("name").or(section.text("kind")).map(str::to_owned);
    let names: Vec<String> = waters.iter().filter_map(name).collect();
    if !names.iter().any(|name| name == wanted) {
        let remedy = known_words(wanted, names.iter().map(String::as_str));
        return Err(section.problem("water", format!("no water is called {wanted:?}"), remedy).into());
    }
    Ok(wanted == water.text_if("name").unwrap_or(water.text("kind")))
}

/// Whether a section whose kind does not fit this water could apply to another one.
fn may_be_meant_for_another(scene: &Scene, section: &Section<'_>) -> bool {
    section.text("water").is_none() && scene.sections("water").len() > 1
}
