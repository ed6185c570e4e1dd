//! The commands, one file each, and the arguments that several of them share.

pub mod check;
pub mod checks;
pub mod companion;
pub mod export;
pub mod keys;
pub mod models;
pub mod picture_args;
pub mod render;
pub mod run;
pub mod scenes;
pub mod studio;
pub mod terrain;

use std::ops::Range;
use std::path::{Path, PathBuf};

use undine::LoadOptions;

use crate::terminal::CommandError;
use picture_args::PictureArgs;

/// How a scene is loaded, for every command that takes one.
#[derive(clap::Args)]
pub struct SceneArgs {
    /// A scene file, a folder with a scene.toml, or the name of a bundled scene
    pub scene: String,

    #[command(flatten)]
    pub change: OverrideArgs,

    /// Multiply the resolution of the water
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    pub scale: f64,

    /// Allow the scene to read files outside its own folder
    #[arg(long)]
    pub allow_outside: bool,
}

/// Overrides of keys of a scene.
#[derive(clap::Args, Default)]
pub struct OverrideArgs {
    /// Set a key of the scene, such as water.0.depth=2; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub overrides: Vec<String>,
}

impl SceneArgs {
    /// The load options of these arguments.
    pub fn options(&self) -> Result<LoadOptions, CommandError> {
        if !(self.scale.is_finite() && self.scale > 0.0 && self.scale <= 1000.0) {
            return Err(CommandError::Wrong(format!(
                "--scale must be above 0 and at most 1000, not {}",
                self.scale
            )));
        }
        Ok(LoadOptions {
            overrides: self.change.overrides.clone(),
            scale: self.scale,
            allow_outside: self.allow_outside,
        })
    }

    /// The same, with the overrides of the picture flags.
    pub fn options_with(&self, picture: &PictureArgs) -> Result<LoadOptions, CommandError> {
        let mut options = self.options()?;
        // Problems of the scene are reported when it is opened for use
        if let Ok(scene) = undine::open(&self.scene, &options) {
            options.overrides.extend(picture.overrides(&scene, scene.frame_count(), scene.fps)?);
        }
        Ok(options)
    }
}

/// Reads `A..B`, `A..`, `..B` or a single frame; B itself is not included.
pub fn parse_frames(text: &str) -> Result<Range<u64>, String> {
    let number = |part: &str, absent: u64| match part.trim() {
        "" => Ok(absent),
        digits => digits.parse::<u64>().map_err(|_| format!("{digits:?} is not a frame number")),
    };
    if text.trim().is_empty() {
        return Err("it names no frame; write it as first..end".to_owned());
    }
    let range = match text.split_once("..") {
        Some((from, to)) => number(from, 0)?..number(to, u64::MAX)?,
        None => number(text, 0).map(|frame| frame..frame.saturating_add(1))?,
    };
    if range.is_empty() { Err(format!("{text} holds no frame; write it as first..end")) } else { Ok(range) }
}

/// Sets the number of threads of the global pool.
pub fn use_threads(threads: Option<usize>) -> Result<(), CommandError> {
    let Some(threads) = threads else { return Ok(()) };
    if !(1..=4096).contains(&threads) {
        return Err(CommandError::Wrong(format!("--threads must be from 1 to 4096, not {threads}")));
    }
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().map_err(CommandError::from)
}

/// The folder of a cache: the given one, or that inside a run's folder.
pub fn find_cache(path: &Path) -> PathBuf {
    let inside = path.join("cache");
    if inside.is_dir() { inside } else { path.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::parse_frames;

    #[test]
    fn frames_are_read_as_typed() {
        assert_eq!(parse_frames("3..7"), Ok(3..7));
        assert_eq!(parse_frames("..7"), Ok(0..7));
        assert_eq!(parse_frames("5.."), Ok(5..u64::MAX));
        assert_eq!(parse_frames("5"), Ok(5..6));
        assert!(parse_frames("").is_err());
        assert!(
            parse_frames("7..3").is_err() && parse_frames("a..b").is_err() && parse_frames("-1").is_err()
        );
    }
}
