//! Command-line arguments.

use std::path::PathBuf;

use crate::request::SceneSource;

/// The help text.
pub const HELP: &str = "\
The interactive window: open a scene, interact with the water, change its parameters, export a film.

Usage: undine studio [SCENE] [OPTIONS]

  SCENE               a scene file, a folder with a scene.toml, or the name of a bundled scene
  --software          render pictures on the CPU, without the GPU
  --fresh             ignore the stored preferences
  --report FILE       write the state of the window as JSON, for tests
  --lose-device N     destroy the graphics device after N pictures, to test the recovery
  --web               serve the studio as a web page on this machine, and open the browser
  --port N            the port of the page; 0 for any that is free (default 8080)
  --folder FOLDER     the folder of the page, as built by `cargo xtask web`
  --no-open           do not open the browser
  --bench             measure the frame rates of the renderer and of simulations in the window
  --help, --version

In the window, F1 shows the keys.";

/// What the program does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// Open a window.
    Window,
    /// Serve a page.
    Page,
    /// Run the benchmark.
    Bench,
    /// Print the help text.
    Help,
    /// Print the version.
    Version,
}

/// The parsed arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arguments {
    /// What to do.
    pub task: Task,
    /// The scene to open.
    pub scene: Option<String>,
    /// Whether pictures are rendered on the CPU.
    pub is_software: bool,
    /// Whether the stored preferences are ignored.
    pub is_fresh: bool,
    /// The file for the state of the window.
    pub report: Option<PathBuf>,
    /// Number of pictures after which the graphics device is destroyed.
    pub loses_device_after: Option<u64>,
    /// The port of the page.
    pub port: u16,
    /// The folder of the page.
    pub folder: Option<PathBuf>,
    /// Whether the browser is opened.
    pub opens_browser: bool,
}

impl Arguments {
    /// Parses the arguments; an error names the wrong one.
    pub fn read(words: Vec<String>) -> Result<Arguments, String> {
        let mut read = Arguments {
            task: Task::Window,
            scene: None,
            is_software: false,
            is_fresh: false,
            report: None,
            loses_device_after: None,
            port: 8080,
            folder: None,
            opens_browser: true,
        };
        let mut words = words.into_iter();
        // Options, with their values, and at most one scene
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
            match word.as_str() {
                "--help" | "-h" => read.task = Task::Help,
                "--version" | "-V" => read.task = Task::Version,
                "--web" => read.task = Task::Page,
                "--bench" => read.task = Task::Bench,
                "--software" => read.is_software = true,
                "--fresh" => read.is_fresh = true,
                "--no-open" => read.opens_browser = false,
                "--report" => read.report = Some(PathBuf::from(value()?)),
                "--lose-device" => {
                    let typed = value()?;
                    let pictures =
                        typed.parse().map_err(|_| format!("{typed:?} is not a number of pictures"))?;
                    read.loses_device_after = Some(pictures);
                }
                "--folder" => read.folder = Some(PathBuf::from(value()?)),
                "--port" => {
                    let typed = value()?;
                    read.port =
                        typed.parse().map_err(|_| format!("{typed:?} is not a port from 0 to 65535"))?;
                }
                option if option.starts_with('-') => return Err(format!("there is no option {option}")),
                _ if read.scene.is_some() => {
                    return Err(format!("only one scene can be opened; {word:?} is a second"));
                }
                _ => read.scene = Some(word),
            }
        }
        Ok(read)
    }

    /// The scene as a source: an existing path, else a bundled name.
    pub fn source(&self) -> Option<SceneSource> {
        let scene = self.scene.as_ref()?;
        let path = PathBuf::from(scene);
        Some(if path.exists() { SceneSource::File(path) } else { SceneSource::Bundled(scene.clone()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Arguments, String> {
        Arguments::read(line.split_whitespace().map(str::to_owned).collect())
    }

    #[test]
    fn arguments_are_parsed_and_errors_name_them() {
        let page = read("pond --web --port 0 --no-open").unwrap();
        assert_eq!((page.task, page.port, page.opens_browser), (Task::Page, 0, false));
        assert_eq!(page.source(), Some(SceneSource::Bundled(String::from("pond"))));
        assert!(read("--prot 3").unwrap_err().contains("--prot"));
        assert!(read("--port water").unwrap_err().contains("water"));
        assert!(read("--port").unwrap_err().contains("--port"));
        assert!(read("pond sea").unwrap_err().contains("sea"));
    }

    #[test]
    fn every_option_is_in_the_help() {
        let plain = ["--software", "--fresh", "--web", "--no-open", "--bench"];
        for option in plain.into_iter().chain(["--report", "--lose-device", "--port", "--folder"]) {
            assert!(
                HELP.contains(option) && (read(&format!("{option} 1")).is_ok() || read(option).is_ok()),
                "{option}"
            );
        }
    }
}
