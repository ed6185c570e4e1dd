//! Reads the camera from a scene file.

use glam::Vec3;
use undine_scene::{Problem, Scene, SceneErrors, Values};

use super::keys::CAMERA_KEYS;
use super::{Camera, CameraPath, Waypoint};
use crate::preview::ViewSide;

impl Camera {
    /// Reads `[camera]`.
    pub fn read(scene: &Scene) -> Result<Camera, SceneErrors> {
        let section = scene.section("camera");
        let values = section.read(&[CAMERA_KEYS])?;
        for key in ["view", "azimuth", "elevation", "distance"] {
            if values.is_given("eye") && values.is_given(key) {
                let message = format!("eye and {key} both set the position of the camera");
                return Err(values.problem(key, message, "keep one of them").into());
            }
        }
        if values.is_given("eye") && values.vector_if::<3>("eye") == values.vector_if::<3>("target") {
            let message = "eye and target are the same point";
            return Err(values.problem("eye", message, "move eye or target").into());
        }
        Ok(Camera {
            eye: read_point(&values, "eye"),
            target: read_point(&values, "target"),
            side: values.word_if("view").and_then(ViewSide::named),
            azimuth: values.timed_if("azimuth").cloned(),
            elevation: values.timed_if("elevation").cloned(),
            distance: values.timed_if("distance").cloned(),
            field: values.timed_if("field").cloned(),
            path: read_path(&values, scene.duration)?,
            held: None,
        })
    }
}

fn read_point(values: &Values, key: &str) -> Option<Vec3> {
    values.vector_if::<3>(key).map(|point| Vec3::from(point.map(|metres| metres as f32)))
}

fn read_path(values: &Values, duration: f64) -> Result<CameraPath, SceneErrors> {
    let path = values.word("path");
    let owned = [("turns", "turntable"), ("seconds", "turntable"), ("waypoint", "fly-through")];
    let mut errors = SceneErrors::new();
    for (key, owner) in owned.into_iter().filter(|(key, owner)| values.is_given(key) && path != *owner) {
        let message = format!("{key} is used only where path = \"{owner}\"");
        let remedy = format!("set path = \"{owner}\", or leave {key} out");
        errors.push(values.problem(key, message, remedy));
    }
    errors.into_result()?;
    match path {
        "turntable" => Ok(CameraPath::Turntable {
            turns: values.number("turns"),
            seconds: values.number_if("seconds").unwrap_or(duration).max(1e-9),
        }),
        "fly-through" => read_fly_through(values).map(CameraPath::FlyThrough),
        _ => Ok(CameraPath::Still),
    }
}

fn read_fly_through(values: &Values) -> Result<Vec<Waypoint>, SceneErrors> {
    for key in ["eye", "view", "azimuth", "elevation", "distance"] {
        if values.is_given(key) {
            let message = format!("{key} and the waypoints both set the position of the camera");
            return Err(values.problem(key, message, "keep one of them").into());
        }
    }
    let tables = values.tables_if("waypoint").unwrap_or_default();
    if tables.len() < 2 {
        let message = format!("a fly-through needs at least two waypoints, not {}", tables.len());
        let remedy = "write waypoint = [{ time = 0, eye = [9, 0, 2] }, { time = 4, eye = [0, 9, 2] }]";
        return Err(values.problem("waypoint", message, remedy).into());
    }
    let mut flight: Vec<Waypoint> = Vec::with_capacity(tables.len());
    for table in tables {
        let waypoint = Waypoint {
            time: table.number("time"),
            eye: Vec3::from(table.vector::<3>("eye").map(|metres| metres as f32)),
            target: read_point(table, "target"),
            field: table.number_if("field").map(|degrees| degrees as f32),
        };
        check_waypoint(table, &waypoint, flight.last())?;
        flight.push(waypoint);
    }
    Ok(flight)
}

fn check_waypoint(table: &Values, waypoint: &Waypoint, before: Option<&Waypoint>) -> Result<(), Problem> {
    if waypoint.target == Some(waypoint.eye) {
        let message = "eye and target are the same point";
        return Err(table.problem("eye", message, "move eye or target"));
    }
    let Some(before) = before else { return Ok(()) };
    if waypoint.time <= before.time {
        let message = format!("this waypoint is not later than the one before it, at {} s", before.time);
        return Err(table.problem("time", message, "put waypoints in the order of their times"));
    }
    let differs = [
        ("target", waypoint.target.is_some(), before.target.is_some()),
        ("field", waypoint.field.is_some(), before.field.is_some()),
    ];
    match differs.into_iter().find(|(_, here, there)| here != there) {
        Some((key, ..)) => {
            let message = format!("some waypoints have a {key} and some have none");
            Err(table.problem(key, message, format!("give all of them a {key}, or none")))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use undine_scene::LoadOptions;

    use super::*;
    use crate::camera::keys::WORDS_SIDE;

    fn read(text: &str) -> Result<Camera, SceneErrors> {
        let text = format!("[scene]\nduration = 4\n[camera]\n{text}\n");
        Scene::parse("pond", &text, &LoadOptions::default()).and_then(|scene| Camera::read(&scene))
    }

    #[test]
    fn a_turntable_turns_once_per_film_by_default() {
        let camera = read("path = 'turntable'\nelevation = 20").unwrap();
        assert_eq!(camera.at(1.0).unwrap().turned, Some(90.0));
        assert_eq!(camera.at(5.0).unwrap().turned, Some(90.0));
        assert_eq!(camera.at(1.0).unwrap().elevation, Some(20.0));
        let back = read("path = 'turntable'\nturns = -2\nseconds = 8").unwrap();
        assert_eq!(back.at(1.0).unwrap().turned, Some(270.0));
        let held = Camera { held: Some(2.0), ..back };
        assert_eq!(held.at(1.0).unwrap().turned, Some(180.0));
    }

    #[test]
    fn a_fly_through_passes_its_waypoints() {
        let text = "path = 'fly-through'\ntarget = [0, 0, 1]\n\
                    waypoint = [{ time = 0, eye = [9, 0, 2] }, { time = 4, eye = [0, 9, 2] }]";
        let camera = read(text).unwrap();
        assert_eq!(camera.at(0.0).unwrap().eye, Some(Vec3::new(9.0, 0.0, 2.0)));
        assert_eq!(camera.at(9.0).unwrap().eye, Some(Vec3::new(0.0, 9.0, 2.0)));
        let halfway = camera.at(2.0).unwrap();
        assert_eq!((halfway.eye, halfway.target), (Some(Vec3::new(4.5, 4.5, 2.0)), Some(Vec3::Z)));
    }

    #[test]
    fn conflicting_keys_are_refused_with_a_remedy() {
        let flight = "path = 'fly-through'\nwaypoint = ";
        for (text, hint) in [
            ("turns = 2", "path = \"turntable\""),
            ("waypoint = [{ time = 0, eye = [1, 2, 3] }]", "path = \"fly-through\""),
            ("path = 'fly-through'", "at least two waypoints"),
            ("path = 'turntabel'", "did you mean \"turntable\"?"),
            (&format!("{flight}[{{ time = 1, eye = [1, 2, 3] }}, {{ time = 1, eye = [1, 2, 4] }}]"), "order"),
            (
                &format!(
                    "{flight}[{{ time = 0, eye = [1, 2, 3], field = 9 }}, {{ time = 1, eye = [1, 2, 4] }}]"
                ),
                "give all of them a field",
            ),
            (
                &format!(
                    "azimuth = 3\n{flight}[{{ time = 0, eye = [1, 2, 3] }}, {{ time = 1, eye = [1, 2, 4] }}]"
                ),
                "keep one of them",
            ),
            ("eye = [1, 2, 3]\nview = 'top'", "keep one of them"),
        ] {
            let message = read(text).unwrap_err().to_string();
            assert!(message.contains(hint), "{text}: {message}");
        }
    }

    #[test]
    fn every_word_is_a_side() {
        for (word, _) in WORDS_SIDE {
            assert!(ViewSide::named(word).is_some(), "{word}");
        }
    }
}
