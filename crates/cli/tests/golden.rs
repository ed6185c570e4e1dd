//! Every bundled scene looks as it did: its picture, small, against `golden.png` in its folder.
//!
//! `cargo xtask bless` rewrites the golden pictures, `cargo xtask bless pond` only that of one scene. Look at them before
//! you commit them.

use std::fs;
use std::path::{Path, PathBuf};

use undine::export::png::{read_rgb8, write_rgb8};
use undine::render::{Picture, difference, draw};
use undine::{LoadOptions, Plan, SCENES};

/// Mean and greatest difference that rounding on another machine may make, in OKLab.
const MEAN: f32 = 0.003;
const GREATEST: f32 = 0.06;

fn golden_path(scene: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes").join(scene).join("golden.png")
}

/// The scene in the middle of its film, small.
fn picture(scene: &str, more: &[&str]) -> Picture {
    let overrides = ["picture.0.size=[480,270]"].iter().chain(more).map(|text| text.to_string()).collect();
    let options = LoadOptions { overrides, ..LoadOptions::default() };
    let mut plan = Plan::new(undine::open(scene, &options).unwrap(), None).unwrap();
    for _ in 0..plan.runner.frame_count() / 2 {
        plan.runner.next_frame().unwrap();
    }
    let frame =
        undine::surface::capture(&plan.runner, &plan.metaballs, &plan.surfaces, plan.pictures[0].wants());
    draw(&plan.pictures[0], &frame).unwrap()
}

#[test]
fn every_scene_looks_as_it_did() {
    let chosen = std::env::var("UNDINE_BLESS").unwrap_or_default();
    let should_bless = !chosen.is_empty();
    let is_chosen = |name: &str| !should_bless || chosen == "all" || chosen.split(',').any(|one| one == name);
    let mut failures = Vec::new();
    for scene in SCENES.iter().filter(|scene| is_chosen(scene.name)) {
        let now = picture(scene.name, &[]);
        let path = golden_path(scene.name);
        if should_bless {
            write_rgb8(&path, now.width, now.height, &now.rgb).unwrap();
            continue;
        }
        let golden = read_rgb8(&path).unwrap();
        let golden = Picture { width: golden.width, height: golden.height, rgb: golden.pixels };
        let (mean, greatest) = difference(&golden, &now).unwrap();
        if mean > MEAN || greatest > GREATEST {
            let seen = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}.png", scene.name));
            fs::create_dir_all(env!("CARGO_TARGET_TMPDIR")).unwrap();
            write_rgb8(&seen, now.width, now.height, &now.rgb).unwrap();
            failures.push(format!(
                "{}: mean {mean}, greatest {greatest}; see {}",
                scene.name,
                seen.display()
            ));
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn the_comparison_notices_what_an_eye_would() {
    let golden = picture("pond", &["water.0.resolution=64"]);
    let (mean, _) = difference(&golden, &golden).unwrap();
    assert_eq!(mean, 0.0);
    let moved = picture("pond", &["water.0.resolution=64", "sky.sun_azimuth=0"]);
    let (mean, greatest) = difference(&golden, &moved).unwrap();
    assert!(mean > MEAN || greatest > GREATEST, "mean {mean}, greatest {greatest}");
}
