//! The whole way of a person through the window, with a mouse: `cargo test -p undine-studio --test hands`.
//!
//! It takes twenty seconds where nothing else runs; a busy machine without a graphics card keeps the hand waiting too long.

mod desk;

use std::time::Duration;

use desk::Desk;

fn volume(desk: &mut Desk) -> f64 {
    desk.state()["volume"].as_f64().unwrap_or(f64::NAN)
}

fn actions(desk: &mut Desk) -> u64 {
    desk.state()["actions"].as_u64().unwrap_or(0)
}

/// The pictures in the folder of the studio.
fn pictures(desk: &Desk) -> Vec<Vec<u8>> {
    let files = std::fs::read_dir(desk.folder()).into_iter().flatten().flatten().map(|entry| entry.path());
    let pictures = files.filter(|path| path.extension().is_some_and(|end| end == "png"));
    pictures.filter_map(|path| std::fs::read(path).ok()).collect()
}

/// Drags over the water: places are shares of its width and height.
fn drag_on_water(desk: &mut Desk, way: &[[f64; 2]]) {
    let [left, top, right, bottom] = desk.find("water:0");
    let place = |[x, y]: [f64; 2]| [left + x * (right - left), top + y * (bottom - top)];
    desk.move_to(place(way[0]));
    std::thread::sleep(Duration::from_millis(200));
    desk.xdotool(&["mousedown", "1"]);
    for &share in way {
        std::thread::sleep(Duration::from_millis(120));
        desk.move_to(place(share));
    }
    std::thread::sleep(Duration::from_millis(200));
    desk.xdotool(&["mouseup", "1"]);
    std::thread::sleep(Duration::from_millis(200));
}

/// Types on the keyboard.
fn type_text(desk: &mut Desk, text: &str) {
    desk.xdotool(&["type", "--delay", "30", text]);
    std::thread::sleep(Duration::from_millis(200));
}

#[test]
fn water_is_touched_changed_taken_back_saved_and_opened_again() {
    let mut desk = Desk::start(&["km-pool"]);

    // Pour into a pool: picture and budget change
    desk.click("export");
    desk.click("picture as seen");
    desk.wait("a picture", |desk| pictures(desk).len() == 1);
    desk.press("Escape");
    desk.click("tool:pour");
    let before = volume(&mut desk);
    drag_on_water(&mut desk, &[[0.45, 0.55], [0.47, 0.55], [0.5, 0.56], [0.53, 0.57], [0.55, 0.58]]);
    desk.wait("more water", |desk| actions(desk) > 0 && volume(desk) > before * (1.0 + 1e-6));
    desk.click("export");
    desk.click("picture as seen");
    desk.wait("two pictures", |desk| pictures(desk).len() == 2);
    let [first, second] = <[Vec<u8>; 2]>::try_from(pictures(&desk)).unwrap();
    assert!(first != second && first.len() > 5000, "the pictures are alike or empty");
    desk.press("Escape");

    // Choose another scene in the gallery
    desk.click("gallery");
    desk.click("search scenes");
    type_text(&mut desk, "cavity");
    desk.wait("the others to go", |desk| {
        desk.seen("scene:cavity").is_some() && desk.seen("scene:pond").is_none()
    });
    desk.click("scene:cavity");
    desk.wait("the cavity", |desk| desk.state()["scene"] == "cavity");

    // Draw an obstacle, and take it back
    desk.click("tool:obstacle");
    let ring: Vec<[f64; 2]> = (0..=16)
        .map(|step| f64::from(step) * std::f64::consts::TAU / 16.0)
        .map(|angle| [0.5 + 0.06 * angle.cos(), 0.5 + 0.09 * angle.sin()])
        .collect();
    drag_on_water(&mut desk, &ring);
    desk.wait("an obstacle", |desk| actions(desk) == 1);
    desk.click("undo");
    desk.wait("no obstacle", |desk| actions(desk) == 0);
    desk.click("redo");
    desk.wait("the obstacle again", |desk| actions(desk) == 1);

    // Save, and open what was saved
    desk.click("save");
    desk.click("choose file");
    let saved = desk.folder().join("cavity.toml");
    desk.wait("the saved scene", |_| saved.is_file());
    let text = std::fs::read_to_string(&saved).unwrap();
    assert!(text.contains("[[act]]") && text.contains("polygon"), "{text}");
    desk.click("open");
    desk.double_click("file:cavity.toml");
    desk.wait("the saved scene again", |desk| actions(desk) == 1);

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
