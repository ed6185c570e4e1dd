//! The studio in a real window, driven by mouse and keyboard.

mod studio_window;

use studio_window::StudioWindow;

/// The PNG files in the folder of the studio.
fn pictures(studio: &StudioWindow) -> Vec<Vec<u8>> {
    let files = std::fs::read_dir(studio.folder()).into_iter().flatten().flatten().map(|entry| entry.path());
    let pictures = files.filter(|path| path.extension().is_some_and(|end| end == "png"));
    pictures.filter_map(|path| std::fs::read(path).ok()).collect()
}

#[test]
fn the_gpu_renders_the_water() {
    let mut studio = StudioWindow::start(&["cavity"]);
    studio.wait("some pictures", |studio| studio.state()["pictures"].as_u64() > Some(5));
    assert!(!studio.state()["painter"].to_string().contains("processor"));
    studio.click("export");
    let is_there =
        |studio: &mut StudioWindow| pictures(studio).first().is_some_and(|picture| picture.len() > 5000);
    studio.repeat_until("a picture", |studio| studio.click("picture as seen"), is_there);
    assert_eq!(studio.state()["problems"], serde_json::json!([]));
}

#[test]
fn a_broken_scene_is_reported_and_the_old_one_runs_on() {
    let mut studio = StudioWindow::start(&["pool-drops", "--software"]);
    std::fs::write(studio.folder().join("broken.toml"), "[scene]\nduration = -1\n").unwrap();
    studio.click("open");
    let is_told = |studio: &mut StudioWindow| studio.state()["problems"].to_string().contains("duration");
    studio.repeat_until("a message", |studio| studio.double_click("file:broken.toml"), is_told);
    studio.press("Escape");
    let frame = studio.state()["frame"].as_u64();
    studio.wait("the water to go on", |studio| studio.state()["frame"].as_u64() > frame);
    assert!(studio.state()["painter"].to_string().contains("processor"));
}

#[test]
fn the_session_survives_the_loss_of_the_gpu_device() {
    let mut studio = StudioWindow::start(&["cavity", "--lose-device", "3"]);
    studio.wait("word of the loss", |studio| studio.state()["problems"].to_string().contains("lost"));
    let (frame, pictures) = (studio.state()["frame"].as_u64(), studio.state()["pictures"].as_u64());
    assert!(frame > Some(0), "the simulation was restarted");
    studio.wait("the water to go on", |studio| {
        studio.state()["frame"].as_u64() > frame && studio.state()["pictures"].as_u64() > pictures
    });
    assert!(!studio.state()["painter"].to_string().contains("processor"));
}
