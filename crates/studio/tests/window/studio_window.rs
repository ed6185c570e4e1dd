//! Drives the studio in a real window on a virtual screen (Xvfb), with mouse and keyboard (xdotool) and its report.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;

/// Timeout of every wait.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The remedy when a program is missing.
const NEEDS: &str = "install xvfb, xdotool and mesa-vulkan-drivers, as `cargo xtask needs` does";

/// One window at a time: two would compete for the processors.
static ONE_WINDOW: Mutex<()> = Mutex::new(());

/// A studio in a window, and its virtual screen.
pub struct StudioWindow {
    _turn: MutexGuard<'static, ()>,
    screen: Child,
    studio: Child,
    display: String,
    folder: tempfile::TempDir,
}

impl StudioWindow {
    /// Starts the studio with these arguments on a screen of its own, in an empty folder.
    pub fn start(arguments: &[&str]) -> StudioWindow {
        let turn = ONE_WINDOW.lock().unwrap_or_else(PoisonError::into_inner);
        let (screen, display) = start_screen();
        let folder = tempfile::tempdir().expect("there is a folder for temporary files");
        let studio = start_studio(&display, folder.path(), arguments);
        let mut window = StudioWindow { _turn: turn, studio, screen, display, folder };
        window.wait("the first frame", |window| {
            window.state()["frame"].as_u64().is_some_and(|frame| frame > 0)
        });
        window.xdotool(&["search", "--sync", "--name", "Undine", "windowfocus"]);
        window
    }

    /// The folder that the studio was started in.
    pub fn folder(&self) -> PathBuf {
        self.folder.path().to_owned()
    }

    /// The state that the studio reports.
    pub fn state(&self) -> Value {
        self.report()["state"].clone()
    }

    /// Waits for a condition.
    pub fn wait(&mut self, what: &str, has_happened: impl Fn(&mut StudioWindow) -> bool) {
        let start = Instant::now();
        while !has_happened(self) {
            if let Ok(Some(status)) = self.studio.try_wait() {
                panic!("the studio ended ({status}) before {what}; {NEEDS}");
            }
            assert!(start.elapsed() < TIMEOUT, "{what} did not come; the studio shows {}", self.state());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Repeats an input until it has its effect: a slow window may take a double click for two single ones.
    pub fn repeat_until(
        &mut self,
        what: &str,
        act: impl Fn(&mut StudioWindow),
        has_happened: impl Fn(&mut StudioWindow) -> bool,
    ) {
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

    /// The rectangle of a named widget, waiting until it is shown.
    pub fn find(&mut self, name: &str) -> [f64; 4] {
        self.wait(name, |studio| studio.widget(name).is_some());
        self.widget(name).expect("it was there a moment ago")
    }

    /// Clicks on a named widget.
    pub fn click(&mut self, name: &str) {
        self.click_times(name, 1);
    }

    /// Double-clicks on a named widget.
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

    /// The rectangle of a named widget, if it is shown now.
    pub fn widget(&self, name: &str) -> Option<[f64; 4]> {
        let report = self.report();
        let widget = report["widgets"].as_array()?.iter().find(|widget| widget["label"] == name)?;
        let side = |index: usize| widget["rect"][index].as_f64();
        Some([side(0)?, side(1)?, side(2)?, side(3)?])
    }

    fn report(&self) -> Value {
        let text = std::fs::read_to_string(self.folder.path().join("report.json")).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    /// Sends mouse or keyboard input.
    pub fn xdotool(&self, words: &[&str]) {
        let done = Command::new("xdotool").args(words).env("DISPLAY", &self.display).status();
        assert!(done.is_ok_and(|status| status.success()), "xdotool {words:?} failed; {NEEDS}");
    }
}

impl Drop for StudioWindow {
    fn drop(&mut self) {
        for child in [&mut self.studio, &mut self.screen] {
            // Fails only for a child that has ended already
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Starts a virtual screen, which prints its free display number.
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

fn start_studio(display: &str, folder: &Path, arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_undine-studio"))
        .args(["--fresh", "--report", "report.json"])
        .args(arguments)
        .current_dir(folder)
        .env("DISPLAY", display)
        .env("HOME", folder)
        .env_remove("WAYLAND_DISPLAY")
        .stdout(Stdio::null())
        .spawn()
        .expect("the studio was built with this test")
}
