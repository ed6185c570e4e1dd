//! End-to-end test of the window with mouse and keyboard: `cargo test -p undine-studio --test hands`.
//!
//! It takes twenty seconds on an idle machine; on a busy one without a GPU it runs into its timeouts.

mod studio_window;

use std::time::Duration;

use studio_window::StudioWindow;

fn volume(studio: &mut StudioWindow) -> f64 {
    studio.state()["volume"].as_f64().unwrap_or(f64::NAN)
}

fn actions(studio: &mut StudioWindow) -> u64 {
    studio.state()["actions"].as_u64().unwrap_or(0)
}

/// The PNG files in the folder of the studio.
fn pictures(studio: &StudioWindow) -> Vec<Vec<u8>> {
    let files = std::fs::read_dir(studio.folder()).into_iter().flatten().flatten().map(|entry| entry.path());
    let pictures = files.filter(|path| path.extension().is_some_and(|end| end == "png"));
    pictures.filter_map(|path| std::fs::read(path).ok()).collect()
}

/// Drags over the water along points given as fractions of its width and height.
fn drag_on_water(studio: &mut StudioWindow, path: &[[f64; 2]]) {
    let [left, top, right, bottom] = studio.find("water:0");
    let point = |[x, y]: [f64; 2]| [left + x * (right - left), top + y * (bottom - top)];
    studio.move_to(point(path[0]));
    std::thread::sleep(Duration::from_millis(200));
    studio.xdotool(&["mousedown", "1"]);
    for &fractions in path {
        std::thread::sleep(Duration::from_millis(120));
        studio.move_to(point(fractions));
    }
    std::thread::sleep(Duration::from_millis(200));
    studio.xdotool(&["mouseup", "1"]);
    std::thread::sleep(Duration::from_millis(200));
}

/// Types on the keyboard.
fn type_text(studio: &mut StudioWindow, text: &str) {
    studio.xdotool(&["type", "--delay", "30", text]);
    std::thread::sleep(Duration::from_millis(200));
}

#[test]
fn actions_are_applied_undone_saved_and_loaded() {
    let mut studio = StudioWindow::start(&["km-pool"]);

    // Pour into a pool: picture and budget change
    studio.click("export");
    studio.click("picture as seen");
    studio.wait("a picture", |studio| pictures(studio).len() == 1);
    studio.press("Escape");
    studio.click("tool:pour");
    let before = volume(&mut studio);
    drag_on_water(&mut studio, &[[0.45, 0.55], [0.47, 0.55], [0.5, 0.56], [0.53, 0.57], [0.55, 0.58]]);
    studio.wait("more water", |studio| actions(studio) > 0 && volume(studio) > before * (1.0 + 1e-6));
    studio.click("export");
    studio.click("picture as seen");
    studio.wait("two pictures", |studio| pictures(studio).len() == 2);
    let [first, second] = <[Vec<u8>; 2]>::try_from(pictures(&studio)).unwrap();
    assert!(first != second && first.len() > 5000, "the pictures are alike or empty");
    studio.press("Escape");

    // Choose another scene in the gallery
    studio.click("gallery");
    studio.click("search scenes");
    type_text(&mut studio, "cavity");
    studio.wait("the others to go", |studio| {
        studio.widget("scene:cavity").is_some() && studio.widget("scene:pond").is_none()
    });
    studio.click("scene:cavity");
    studio.wait("the cavity", |studio| studio.state()["scene"] == "cavity");

    // Draw an obstacle, undo and redo it
    studio.click("tool:obstacle");
    let ring: Vec<[f64; 2]> = (0..=16)
        .map(|step| f64::from(step) * std::f64::consts::TAU / 16.0)
        .map(|angle| [0.5 + 0.06 * angle.cos(), 0.5 + 0.09 * angle.sin()])
        .collect();
    drag_on_water(&mut studio, &ring);
    studio.wait("an obstacle", |studio| actions(studio) == 1);
    studio.click("undo");
    studio.wait("no obstacle", |studio| actions(studio) == 0);
    studio.click("redo");
    studio.wait("the obstacle again", |studio| actions(studio) == 1);

    // Save, and open what was saved
    studio.click("save");
    studio.click("choose file");
    let saved = studio.folder().join("cavity.toml");
    studio.wait("the saved scene", |_| saved.is_file());
    let text = std::fs::read_to_string(&saved).unwrap();
    assert!(text.contains("[[act]]") && text.contains("polygon"), "{text}");
    studio.click("open");
    studio.double_click("file:cavity.toml");
    studio.wait("the saved scene again", |studio| actions(studio) == 1);

    // Export a map of the current frame
    studio.click("export");
    studio.click("export:png16");
    studio.click("export now");
    let has_maps = |folder: &std::path::Path| {
        let folders = std::fs::read_dir(folder).into_iter().flatten().flatten();
        folders
            .filter(|entry| entry.path().is_dir())
            .any(|entry| std::fs::read_dir(entry.path()).into_iter().flatten().flatten().next().is_some())
    };
    let folder = studio.folder();
    studio.wait("a map", |_| has_maps(&folder));
}
