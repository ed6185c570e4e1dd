//! A run that is killed and resumed repeatedly writes the same bytes as an uninterrupted one.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// A scene, its scale, and the frames and formats to write.
struct Case {
    scene: &'static str,
    scale: &'static str,
    frames: &'static str,
    formats: &'static str,
}

fn start(case: &Case, out: &Path, more: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_undine"));
    command.args(["run", case.scene, "--scale", case.scale, "--frames", case.frames, "--out"]);
    command.arg(out).args(more).args(["--preview", "--size", "96x54"]);
    command.args(["--set", &format!("output.formats={}", case.formats)]);
    command.args(["--set", "output.checkpoint_every=0"]).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

/// All files below a folder with their bytes, except those that contain times or depend on the interruptions.
fn files(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            let name = path.strip_prefix(root).unwrap().to_owned();
            let is_left_out = ["timings.csv", "report.html", "checkpoints", ".undine-lock"]
                .iter()
                .any(|left| name.starts_with(left));
            match (is_left_out, path.is_dir()) {
                (true, _) => {}
                (_, true) => folders.push(path),
                (_, false) => drop(found.insert(name, fs::read(&path).unwrap())),
            }
        }
    }
    found
}

#[test]
fn killed_and_resumed_is_the_same_bytes() {
    let pond = Case { scene: "pond", scale: "0.1", frames: "0..24", formats: "['ply','exr']" };
    assert_same_after_kills(&pond);
}

#[test]
fn a_liquid_killed_and_resumed_is_the_same_bytes() {
    let dam = Case { scene: "dam-break", scale: "0.3", frames: "0..16", formats: "['ply']" };
    assert_same_after_kills(&dam);
}

#[test]
fn shallow_water_killed_and_resumed_is_the_same_bytes() {
    let flood = Case { scene: "pool-drops", scale: "0.2", frames: "0..20", formats: "['exr']" };
    assert_same_after_kills(&flood);
}

fn assert_same_after_kills(case: &Case) {
    let temporary = tempfile::tempdir().unwrap();
    let (whole, broken) = (temporary.path().join("whole"), temporary.path().join("broken"));
    assert!(start(case, &whole, &["--threads", "2"]).wait().unwrap().success());

    // Killed at arbitrary times: before the first frame, within a file, within the film
    let mut kills = 0;
    let finished = (0..60).any(|attempt| {
        let again: &[&str] = if attempt == 0 { &[] } else { &["--resume"] };
        let mut run = start(case, &broken, &[again, &["--threads", "1"]].concat());
        sleep(Duration::from_millis(30 + 41 * attempt));
        match run.try_wait().unwrap() {
            Some(status) => {
                assert!(status.success());
                true
            }
            None => {
                run.kill().unwrap();
                run.wait().unwrap();
                kills += 1;
                false
            }
        }
    });
    assert!(finished && kills > 1, "finished: {finished}, kills: {kills}");

    let (whole, broken) = (files(&whole), files(&broken));
    let names = |files: &BTreeMap<PathBuf, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&whole), names(&broken));
    assert!(["film.mp4", "sheet.png", "metrics.csv"].iter().all(|name| whole.contains_key(Path::new(name))));
    for (name, bytes) in &whole {
        assert!(&broken[name] == bytes, "{} differs", name.display());
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_stops_after_the_frame_and_prints_the_resume_command() {
    let temporary = tempfile::tempdir().unwrap();
    let out = temporary.path().join("out");
    let mut command = Command::new(env!("CARGO_BIN_EXE_undine"));
    command.args(["run", "pond", "--scale", "0.1", "--preview", "--size", "96x54", "--out"]).arg(&out);
    let run = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    while !out.join("frames/000001.png").exists() {
        sleep(Duration::from_millis(5));
    }
    assert!(Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap().success());
    let output = run.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{text}");
    assert!(text.contains("resume with") && text.contains("--resume"), "{text}");
    assert!(fs::read_dir(out.join("checkpoints")).unwrap().count() >= 1);
}

#[test]
fn a_run_short_of_memory_stops_with_a_checkpoint_and_resumes() {
    let folder = tempfile::tempdir().unwrap();
    let overrides =
        ["picture.0.size=[96,54]", "picture.0.kind=preview", "scene.duration=0.5", "water.0.resolution=16"]
            .map(String::from);
    let options = undine::LoadOptions { overrides: overrides.to_vec(), ..undine::LoadOptions::default() };
    let run = |policy, min_free_memory| {
        let plan = undine::Plan::new(undine::open("pond", &options).unwrap(), None).unwrap();
        let settings =
            undine::RunSettings { policy, min_free_memory, ..undine::RunSettings::new(folder.path()) };
        undine::run_plan(plan, &settings, &mut ()).unwrap().outcome
    };
    assert_eq!(run(undine::OutputPolicy::Fresh, u64::MAX), undine::sim::Outcome::Stopped { frame: 0 });
    assert_eq!(run(undine::OutputPolicy::Resume, 0), undine::sim::Outcome::Finished);
}
