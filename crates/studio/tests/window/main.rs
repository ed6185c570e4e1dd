//! The studio in a real window, used as a person uses it.

mod desk;

use desk::Desk;

/// The pictures in the folder of the studio.
fn pictures(desk: &Desk) -> Vec<Vec<u8>> {
    let files = std::fs::read_dir(desk.folder()).into_iter().flatten().flatten().map(|entry| entry.path());
    let pictures = files.filter(|path| path.extension().is_some_and(|end| end == "png"));
    pictures.filter_map(|path| std::fs::read(path).ok()).collect()
}

#[test]
fn the_graphics_card_paints_the_water() {
    let mut desk = Desk::start(&["cavity"]);
    desk.wait("some pictures", |desk| desk.state()["pictures"].as_u64() > Some(5));
    assert!(!desk.state()["painter"].to_string().contains("processor"));
    desk.click("export");
    let is_there = |desk: &mut Desk| pictures(desk).first().is_some_and(|picture| picture.len() > 5000);
    desk.insist("a picture", |desk| desk.click("picture as seen"), is_there);
    assert_eq!(desk.state()["problems"], serde_json::json!([]));
}

#[test]
fn a_broken_scene_and_a_tiny_window_leave_the_window_alive() {
    let mut desk = Desk::start(&["pool-drops", "--software"]);
    std::fs::write(desk.folder().join("broken.toml"), "[scene]\nduration = -1\n").unwrap();
    desk.click("open");
    let is_told = |desk: &mut Desk| desk.state()["problems"].to_string().contains("duration");
    desk.insist("a message", |desk| desk.double_click("file:broken.toml"), is_told);
    desk.press("Escape");
    let frame = desk.state()["frame"].as_u64();
    desk.wait("the water to go on", |desk| desk.state()["frame"].as_u64() > frame);
    assert!(desk.state()["painter"].to_string().contains("processor"));
}

#[test]
fn water_outlives_its_graphics_device() {
    let mut desk = Desk::start(&["cavity", "--lose-device", "3"]);
    desk.wait("word of the loss", |desk| desk.state()["problems"].to_string().contains("lost"));
    let (frame, pictures) = (desk.state()["frame"].as_u64(), desk.state()["pictures"].as_u64());
    assert!(frame > Some(0), "the water began again");
    desk.wait("the water to go on", |desk| {
        desk.state()["frame"].as_u64() > frame && desk.state()["pictures"].as_u64() > pictures
    });
    assert!(!desk.state()["painter"].to_string().contains("processor"));
}
