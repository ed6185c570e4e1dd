//! Any bytes are parsed as a scene or refused with messages, and a parsed scene survives a round trip.
//!
//! Lines that start with `#: --set ` are taken as overrides, as in `crates/scene/tests/broken`.

#![no_main]

#[allow(dead_code, reason = "the schema is shared with the tests of the scene crate")]
#[path = "../../crates/scene/tests/suite/pool/mod.rs"]
mod pool;

use libfuzzer_sys::fuzz_target;
use undine_scene::{LoadOptions, Scene};

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let overrides =
        text.lines().filter_map(|line| line.strip_prefix("#: --set ")).map(str::to_owned).collect();
    let options = LoadOptions { overrides, ..LoadOptions::default() };
    match Scene::parse("fuzz", &text, &options) {
        Ok(scene) => check_scene(scene),
        Err(errors) => assert!(!errors.to_string().is_empty()),
    }
});

fn check_scene(scene: Scene) {
    let written = Scene::parse("other", scene.resolved(), &LoadOptions::default());
    let written = written.unwrap_or_else(|errors| panic!("{errors}\n{}", scene.resolved()));
    assert_eq!(written.resolved(), scene.resolved());
    assert_eq!(written.name, scene.name);
    assert!(scene.frame_count() <= 10_000_001);
    match pool::read(scene) {
        // A value that cannot be used is a problem with its place, never a number
        Ok(read) => assert!(read.pool.timed("level").at(0.0).map_or(true, f64::is_finite)),
        Err(errors) => assert!(errors.to_string().contains("problem")),
    }
}
