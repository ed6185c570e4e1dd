//! The studio in a real window, used as a person uses it.

mod desk;

use desk::Desk;

fn volume(desk: &mut Desk) -> f64 {
    desk.state()["volume"].as_f64().unwrap_or(f64::NAN)
}

fn acts(desk: &mut Desk) -> u64 {
    desk.state()["acts"].as_u64().unwrap_or(0)
}

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
    desk.click("picture as seen");
    desk.wait("a picture", |desk| pictures(desk).first().is_some_and(|picture| picture.len() > 5000));
    assert_eq!(desk.state()["problems"], serde_json::json!([]));
}

#[test]
fn water_is_touched_changed_taken_back_saved_and_opened_again() {
    // The processor draws, so that the hand is not kept waiting where the graphics card is made of software
    let mut desk = Desk::start(&["km-pool", "--software"]);

    // Pour into a pool: picture and budget change
    desk.click("export");
    desk.click("picture as seen");
    desk.click("export");
    desk.click("tool:pour");
    let before = volume(&mut desk);
    desk.drag_on_water(&[[0.45, 0.55], [0.47, 0.55], [0.5, 0.56], [0.53, 0.57], [0.55, 0.58]]);
    desk.wait("more water", |desk| acts(desk) > 0 && volume(desk) > before * (1.0 + 1e-6));
    desk.click("export");
    desk.click("picture as seen");
    desk.wait("two pictures", |desk| pictures(desk).len() == 2);
    let [first, second] = <[Vec<u8>; 2]>::try_from(pictures(&desk)).unwrap();
    assert!(first != second && first.len() > 5000, "the pictures are alike or empty");
    desk.click("export");

    // Choose another scene in the gallery
    desk.click("gallery");
    desk.click("search scenes");
    desk.type_text("cavity");
    desk.double_click("scene:cavity");
    desk.wait("the cavity", |desk| desk.state()["scene"] == "cavity");

    // Draw an obstacle, and take it back
    desk.click("tool:obstacle");
    let ring: Vec<[f64; 2]> = (0..=16)
        .map(|step| f64::from(step) * std::f64::consts::TAU / 16.0)
        .map(|angle| [0.5 + 0.06 * angle.cos(), 0.5 + 0.09 * angle.sin()])
        .collect();
    desk.drag_on_water(&ring);
    desk.wait("an obstacle", |desk| acts(desk) == 1);
    desk.click("undo");
    desk.wait("no obstacle", |desk| acts(desk) == 0);
    desk.click("redo");
    desk.wait("the obstacle again", |desk| acts(desk) == 1);

    // Save, and open what was saved
    desk.click("save");
    desk.click("choose file");
    let saved = desk.folder().join("cavity.toml");
    desk.wait("the saved scene", |_| saved.is_file());
    let text = std::fs::read_to_string(&saved).unwrap();
    assert!(text.contains("[[act]]") && text.contains("polygon"), "{text}");
    desk.click("open");
    desk.double_click("file:cavity.toml");
    desk.wait("the saved scene again", |desk| acts(desk) == 1);

    // Export a map of the present frame
    desk.click("export");
    desk.click("export:png16");
    desk.click("export now");
    let has_maps = |folder: &std::path::Path| {
        let folders = std::fs::read_dir(folder).into_iter().flatten().flatten();
        folders
            .filter(|entry| entry.path().is_dir())
            .any(|entry| std::fs::read_dir(entry.path()).into_iter().flatten().flatten().next().is_some())
    };
    let folder = desk.folder();
    desk.wait("a map", |_| has_maps(&folder));
}

#[test]
fn a_broken_scene_and_a_tiny_window_leave_the_window_alive() {
    let mut desk = Desk::start(&["pool-drops", "--software"]);
    std::fs::write(desk.folder().join("broken.toml"), "[scene]\nduration = -1\n").unwrap();
    desk.click("open");
    desk.double_click("file:broken.toml");
    desk.wait("a message", |desk| desk.state()["problems"].to_string().contains("duration"));
    desk.press("Escape");
    let frame = desk.state()["frame"].as_u64();
    desk.wait("the water to go on", |desk| desk.state()["frame"].as_u64() > frame);
    assert!(desk.state()["painter"].to_string().contains("processor"));
}
