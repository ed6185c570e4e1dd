//! Golden pictures: a small preview of every bundled scene against `golden.png` in its folder, and for some a traced
//! picture against `golden-traced.png`.
//!
//! `cargo xtask bless` rewrites the golden pictures, `cargo xtask bless pond` only that of one scene. Look at them before
//! you commit them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use undine::export::png::{read_rgb8, write_rgb8};
use undine::render::{Picture, PictureKind, difference, draw};
use undine::{LoadOptions, Plan, SCENES};

/// Tolerances of the mean and the greatest difference in OKLab, for rounding on other machines.
const MEAN: f32 = 0.003;
const GREATEST: f32 = 0.06;
/// The same for traced pictures, where rounding may change the path of a ray.
const MEAN_TRACED: f32 = 0.006;
const GREATEST_TRACED: f32 = 0.2;

/// Scenes that are traced as well: a liquid in glass, open water, and a scattering liquid.
const TRACED: [&str; 3] = ["dam-break", "pond", "honey"];

/// A golden picture: its file beside the scene, the keys of the picture, and the tolerances.
struct Golden {
    file: &'static str,
    keys: &'static [&'static str],
    mean: f32,
    greatest: f32,
}

/// The preview takes a hundredth of the time of a traced picture.
const PREVIEW: Golden =
    Golden { file: "golden.png", keys: &["size=[480,270]"], mean: MEAN, greatest: GREATEST };
const TRACE: Golden = Golden {
    file: "golden-traced.png",
    keys: &["size=[240,135]", "kind=trace", "quality=draft"],
    mean: MEAN_TRACED,
    greatest: GREATEST_TRACED,
};

fn plan(scene: &str, keys: &[&str], more: &[&str]) -> Plan {
    let keys = keys.iter().map(|key| format!("picture.0.{key}"));
    let overrides = keys.chain(more.iter().map(|text| text.to_string())).collect();
    let options = LoadOptions { overrides, ..LoadOptions::default() };
    Plan::new(undine::open(scene, &options).unwrap(), None).unwrap()
}

/// The scene at the middle of its film: one simulation, and a picture for each golden one.
fn pictures(scene: &str, goldens: &[&Golden], more: &[&str]) -> Vec<Picture> {
    let mut simulated = plan(scene, PREVIEW.keys, more);
    for _ in 0..simulated.runner.frame_count() / 2 {
        simulated.runner.next_frame().unwrap();
    }
    let draw_golden = |golden: &&Golden| {
        let mut picture = plan(scene, golden.keys, more).pictures.remove(0);
        if let (PictureKind::Trace(trace), true) = (&picture.kind, golden.file == PREVIEW.file) {
            picture.kind = PictureKind::Preview(trace.scene.clone());
        }
        let Plan { runner, tessellation, .. } = &simulated;
        draw(&picture, &undine::capture(runner, &picture.request(), tessellation)).unwrap()
    };
    goldens.iter().map(draw_golden).collect()
}

/// The folder of a bundled scene.
fn folder(scene: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes").join(scene)
}

fn differs(scene: &str, golden: &Golden, now: &Picture) -> Option<String> {
    let before = read_rgb8(&folder(scene).join(golden.file)).unwrap();
    let before = Picture { width: before.width, height: before.height, rgb: before.pixels };
    let (mean, greatest) = difference(&before, now).unwrap();
    if mean <= golden.mean && greatest <= golden.greatest {
        return None;
    }
    let seen = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{scene}-{}", golden.file));
    fs::create_dir_all(env!("CARGO_TARGET_TMPDIR")).unwrap();
    write_rgb8(&seen, now.width, now.height, &now.rgb).unwrap();
    Some(format!("{scene}/{}: mean {mean}, greatest {greatest}; see {}", golden.file, seen.display()))
}

/// Compares the scene with its golden pictures, or writes them.
fn check(scene: &str, should_bless: bool) -> Result<(), Failed> {
    let goldens = if TRACED.contains(&scene) { vec![&PREVIEW, &TRACE] } else { vec![&PREVIEW] };
    let mut failures = Vec::new();
    for (golden, now) in goldens.iter().zip(pictures(scene, &goldens, &[])) {
        if should_bless {
            write_rgb8(&folder(scene).join(golden.file), now.width, now.height, &now.rgb)?;
        } else {
            failures.extend(differs(scene, golden, &now));
        }
    }
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n").into()) }
}

fn the_comparison_detects_another_sun() -> Result<(), Failed> {
    let golden = |more: &[&str]| pictures("pond", &[&PREVIEW], more).remove(0);
    let still = golden(&["water.0.resolution=64"]);
    let (mean, _) = difference(&still, &still).ok_or("sizes differ")?;
    assert_eq!(mean, 0.0);
    let moved = golden(&["water.0.resolution=64", "sky.sun_azimuth=0"]);
    let (mean, greatest) = difference(&still, &moved).ok_or("sizes differ")?;
    assert!(mean > MEAN || greatest > GREATEST, "mean {mean}, greatest {greatest}");
    Ok(())
}

/// One test per scene, so that they run in parallel and can be selected by name.
fn main() -> ExitCode {
    let chosen = std::env::var("UNDINE_BLESS").unwrap_or_default();
    let should_bless = !chosen.is_empty();
    let is_chosen = |name: &str| !should_bless || chosen == "all" || chosen.split(',').any(|one| one == name);
    let scenes = SCENES.iter().map(|scene| scene.name).filter(|name| is_chosen(name));
    let mut tests: Vec<Trial> =
        scenes.map(|name| Trial::test(name, move || check(name, should_bless))).collect();
    let comparison = "the_comparison_detects_another_sun";
    tests.push(Trial::test(comparison, the_comparison_detects_another_sun));
    libtest_mimic::run(&Arguments::from_args(), tests).exit_code()
}
