//! Opening scenes, and replacing the model of a scene.

use undine::scene::{Edit, Kind, LoadOptions, Problem, Scene, SceneErrors, Section};
use undine::sim::{ModelEntry, WATER_KEYS};
use undine::{MODELS, OpenError, SCENES};

use crate::request::SceneSource;

/// Reads the scene that a source names.
pub(crate) fn read(source: &SceneSource) -> Result<Scene, SceneErrors> {
    let options = LoadOptions::default();
    let found = |name: &str| SCENES.iter().find(|bundled| bundled.name == name);
    match source {
        SceneSource::Bundled(name) => match found(name) {
            Some(bundled) => bundled.parse(bundled.text, &options),
            None => undine::open(name, &options).map_err(explained),
        },
        SceneSource::File(path) => undine::open(&path.display().to_string(), &options).map_err(explained),
        SceneSource::Text { name, text, relative_to } => match relative_to.as_deref() {
            Some(SceneSource::Bundled(origin)) => match found(origin) {
                Some(bundled) => Scene::parse_with_files(name, text, bundled.files, &options),
                None => Scene::parse(name, text, &options),
            },
            Some(SceneSource::File(path)) => {
                let folder = if path.is_dir() { Some(path.as_path()) } else { path.parent() };
                let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
                Scene::parse_in_folder(name, text, folder.unwrap_or(std::path::Path::new(".")), &options)
            }
            _ => Scene::parse(name, text, &options),
        },
    }
}

fn explained(error: OpenError) -> SceneErrors {
    match error {
        OpenError::Scene(errors) => errors,
        other => Problem::new(other.to_string(), "").into(),
    }
}

/// The models that read the same sections as the only water of a scene, and so can run it too.
pub(super) fn comparable_models(scene: &Scene) -> Vec<&'static str> {
    let waters = scene.sections("water");
    let [water] = waters.as_slice() else { return Vec::new() };
    let kind = water.text("kind").unwrap_or_default();
    let Some(own) = undine::models::find(kind) else { return Vec::new() };
    let others = MODELS.iter().filter(|model| model.name != kind && model.reads_the_same_as(own));
    others.map(|model| model.name).collect()
}

/// The scene with another model. Keys that it does not have are removed.
pub(super) fn with_model(scene: &Scene, kind: &str) -> Result<Scene, SceneErrors> {
    let Some(model) = undine::models::find(kind) else {
        return Err(Problem::new(format!("there is no model {kind:?}"), "").into());
    };
    let sections = scene.sections("water");
    let Some(water) = sections.first() else {
        return Err(Problem::new("the scene has no [[water]]", "").into());
    };
    let foreign = water.keys().into_iter().filter(|key| !is_shared(water, key, model));
    let removals = foreign.map(|key| Edit::remove(format!("water.0.{key}")));
    let edits = removals.chain([Edit::set(format!("water.0.kind=\"{kind}\""))]);
    edits.into_iter().try_fold(scene.clone(), |scene, edit| scene.edited(&edit))
}

/// Whether the other model accepts the value of a key.
fn is_shared(water: &Section<'_>, name: &str, model: &ModelEntry) -> bool {
    if WATER_KEYS.iter().any(|key| key.name == name) {
        return true;
    }
    let Some(key) = model.keys.iter().find(|key| key.name == name) else { return false };
    let written = water.written(name).unwrap_or_default();
    match key.kind {
        Kind::Choice(words) => words.iter().any(|(word, _)| written == format!("\"{word}\"")),
        Kind::Table(_) => written.starts_with('{'),
        Kind::Tables(_) => written.starts_with('['),
        Kind::Number | Kind::Integer => !written.starts_with(['"', '{', '[']),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_over_terrain_are_comparable() {
        let beach = read(&SceneSource::Bundled(String::from("km-beach"))).unwrap();
        let others = comparable_models(&beach);
        assert_eq!(others, ["shallow-water", "pipes"]);
        for model in others {
            let other = with_model(&beach, model).unwrap();
            assert_eq!(other.sections("water")[0].text("kind"), Some(model));
            let small = other.edited(&Edit::set("water.0.resolution=24")).unwrap();
            assert!(undine::Runner::new(&small, MODELS, None).is_ok());
        }
    }

    #[test]
    fn missing_and_broken_scenes_are_reported() {
        let missing = read(&SceneSource::Bundled(String::from("pnd"))).unwrap_err().to_string();
        assert!(missing.contains("pond"), "{missing}");
        let broken =
            SceneSource::Text { name: String::from("x"), text: String::from("[scene"), relative_to: None };
        assert!(read(&broken).unwrap_err().to_string().contains("x:1"));
    }
}
