//! A screen without a monitor, a studio on it, and a person: a mouse, a keyboard, and a look at what is shown.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;

/// How long the person waits for what should come.
const PATIENCE: Duration = Duration::from_secs(60);

/// What is needed to run this, and how to get it.
const NEEDS: &str = "install xvfb, xdotool and mesa-vulkan-drivers, as `cargo xtask needs` does";

/// One person at a time: two windows would wait for each other's processors.
static CHAIR: Mutex<()> = Mutex::new(());

/// A studio in a window, and the person before it.
pub struct Desk {
    _chair: MutexGuard<'static, ()>,
    screen: Child,
    studio: Child,
    display: String,
    folder: tempfile::TempDir,
}

impl Desk {
    /// Starts the studio with some words on a screen of its own, in an empty folder.
    pub fn start(words: &[&str]) -> Desk {
        let chair = CHAIR.lock().unwrap_or_else(PoisonError::into_inner);
        let (screen, display) = start_screen();
        let folder = tempfile::tempdir().expect("there is a folder for temporary files");
        let studio = start_studio(&display, folder.path(), words);
        let mut desk = Desk { _chair: chair, studio, screen, display, folder };
        desk.wait("the first frame", |desk| desk.state()["frame"].as_u64().is_some_and(|frame| frame > 0));
        desk.xdotool(&["search", "--sync", "--name", "Undine", "windowfocus"]);
        desk
    }

    /// The folder that the studio was started in.
    pub fn folder(&self) -> PathBuf {
        self.folder.path().to_owned()
    }

    /// What the studio says that it shows.
    pub fn state(&self) -> Value {
        self.report()["state"].clone()
    }

    /// Waits until something has happened.
    pub fn wait(&mut self, what: &str, has_happened: impl Fn(&mut Desk) -> bool) {
        let start = Instant::now();
        while !has_happened(self) {
            if let Ok(Some(status)) = self.studio.try_wait() {
                panic!("the studio ended ({status}) before {what}; {NEEDS}");
            }
            assert!(start.elapsed() < PATIENCE, "{what} did not come; the studio shows {}", self.state());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Does something again and again until it has had its effect: a slow window may take two clicks for single ones.
    pub fn insist(&mut self, what: &str, act: impl Fn(&mut Desk), has_happened: impl Fn(&mut Desk) -> bool) {
        for _ in 0..8 {
            act(self);
            let start = Instant::now();
            while start.elapsed() < Duration::from_secs(6) {
                if has_happened(self) {
                    return;
                }
                std::thread::sleep(Duration::from_millis(50));
            }
        }
        self.wait(what, has_happened);
    }

    /// Where a named widget is; the person waits until it is there.
    pub fn find(&mut self, name: &str) -> [f64; 4] {
        self.wait(name, |desk| desk.seen(name).is_some());
        self.seen(name).expect("it was there a moment ago")
    }

    /// Clicks on a named widget.
    pub fn click(&mut self, name: &str) {
        self.click_times(name, 1);
    }

    /// Clicks twice on a named widget.
    pub fn double_click(&mut self, name: &str) {
        self.click_times(name, 2);
    }

    fn click_times(&mut self, name: &str, times: u32) {
        let [left, top, right, bottom] = self.find(name);
        self.move_to([0.5 * (left + right), 0.5 * (top + bottom)]);
        std::thread::sleep(Duration::from_millis(150));
        self.xdotool(&["click", "--repeat", &times.to_string(), "--delay", "80", "1"]);
        std::thread::sleep(Duration::from_millis(250));
    }

    /// Presses a key, such as `ctrl+z`.
    pub fn press(&mut self, key: &str) {
        self.xdotool(&["key", key]);
        std::thread::sleep(Duration::from_millis(200));
    }

    /// Moves the mouse.
    pub fn move_to(&mut self, [x, y]: [f64; 2]) {
        self.xdotool(&["mousemove", &format!("{x:.0}"), &format!("{y:.0}")]);
    }

    /// Where a named widget is now, if it is there.
    pub fn seen(&self, name: &str) -> Option<[f64; 4]> {
        let report = self.report();
        let widget = report["widgets"].as_array()?.iter().find(|widget| widget["label"] == name)?;
        let side = |index: usize| widget["rect"][index].as_f64();
        Some([side(0)?, side(1)?, side(2)?, side(3)?])
    }

    fn report(&self) -> Value {
        let text = std::fs::read_to_string(self.folder.path().join("report.json")).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    /// Does something with mouse or keyboard.
    pub fn xdotool(&self, words: &[&str]) {
        let done = Command::new("xdotool").args(words).env("DISPLAY", &self.display).status();
        assert!(done.is_ok_and(|status| status.success()), "xdotool {words:?} failed; {NEEDS}");
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        for child in [&mut self.studio, &mut self.screen] {
            // A child that has ended by itself needs no help
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Starts a screen; it says itself which number was free.
fn start_screen() -> (Child, String) {
    let mut screen = Command::new("Xvfb")
        .args(["-displayfd", "1", "-screen", "0", "1280x800x24", "-nolisten", "tcp"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap_or_else(|error| panic!("Xvfb does not start ({error}); {NEEDS}"));
    let mut line = String::new();
    let output = screen.stdout.take().expect("its output was asked for");
    std::io::BufRead::read_line(&mut std::io::BufReader::new(output), &mut line)
        .expect("the screen has a number");
    (screen, format!(":{}", line.trim()))
}

fn start_studio(display: &str, folder: &Path, words: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_undine-studio"))
        .args(["--fresh", "--report", "report.json"])
        .args(words)
        .current_dir(folder)
        .env("DISPLAY", display)
        .env("HOME", folder)
        .env_remove("WAYLAND_DISPLAY")
        .stdout(Stdio::null())
        .spawn()
        .expect("the studio was built with this test")
}
