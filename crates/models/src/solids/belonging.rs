//! Which water a section of the scene belongs to.

use undine_scene::{Scene, SceneErrors, Section, Values, known_words};

/// Whether a section that may name a water belongs to the one with these values. A name that no water has is refused.
pub(crate) fn belongs_to(scene: &Scene, section: &Section<'_>, water: &Values) -> Result<bool, SceneErrors> {
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

/// Whether a section could be meant for another water than the one that does not understand it.
pub(crate) fn may_be_meant_for_another(scene: &Scene, section: &Section<'_>) -> bool {
    section.text("water").is_none() && scene.sections("water").len() > 1
}
