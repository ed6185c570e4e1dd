//! The file chooser, in temporary folders.

use std::path::PathBuf;

use egui::vec2;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use undine_studio::panels::files::{FileChoice, FileChooser, Purpose};
use undine_studio::panels::theme;

fn window(chooser: FileChooser) -> Harness<'static, (FileChooser, FileChoice)> {
    let builder = Harness::builder().with_size(vec2(390.0, 500.0)).with_context_setup(theme::install);
    let show = |ui: &mut egui::Ui, (chooser, choice): &mut (FileChooser, FileChoice)| {
        let answer = chooser.show(ui);
        if answer != FileChoice::Pending {
            *choice = answer;
        }
    };
    builder.build_ui_state(show, (chooser, FileChoice::Pending))
}

#[test]
fn a_scene_is_chosen_in_a_subfolder() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("mine");
    std::fs::create_dir(&inner).unwrap();
    for name in ["bay.toml", "notes.txt", ".hidden.toml"] {
        std::fs::write(inner.join(name), "").unwrap();
    }
    let mut window = window(FileChooser::new(Purpose::OpenFile("toml"), folder.path(), ""));
    window.run_ok();
    window.get_by_label("file:mine").click();
    window.run_ok();
    assert!(
        window.query_by_label("file:notes.txt").is_none()
            && window.query_by_label("file:.hidden.toml").is_none()
    );
    window.get_by_label("file:bay.toml").click();
    window.run_ok();
    window.get_by_label("choose file").click();
    window.run_ok();
    assert_eq!(window.state().1, FileChoice::Chosen(inner.join("bay.toml")));
    window.get_by_label("folder up").click();
    window.run_ok();
    window.get_by_label("file:mine");
}

#[test]
fn a_name_gets_its_extension_and_an_unreadable_folder_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let mut saving = window(FileChooser::new(Purpose::SaveFile("toml"), folder.path(), "my scene"));
    saving.run_ok();
    saving.get_by_label("choose file").click();
    saving.run_ok();
    assert_eq!(saving.state().1, FileChoice::Chosen(folder.path().join("my scene.toml")));

    let missing = PathBuf::from("/no/such/folder");
    let mut window = window(FileChooser::new(Purpose::OpenFile("toml"), &missing, ""));
    window.run_ok();
    window.get_by_label_contains("this folder cannot be read");
    window.get_by_label("folder up").click();
    window.run_ok();
    window.get_by_label("cancel").click();
    window.run_ok();
    assert_eq!(window.state().1, FileChoice::Cancelled);
}
