//! `undine scenes`.

use std::path::{Path, PathBuf};

use undine::{BundledScene, LoadOptions, SCENES};

use crate::style::{Exit, say, say_json, texts};

/// List the scenes that come with Undine, or show one
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  undine scenes
  undine scenes pond            what there is to know about it
  undine scenes pond --file > my-pond.toml
  undine scenes pond --copy my-pond    its file and all that it names, to start one of your own")]
pub struct Args {
    /// Show this scene
    name: Option<String>,

    /// Print its scene file, to start one of your own
    #[arg(long, requires = "name")]
    file: bool,

    /// Write the scene, with the files that it names, into this folder
    #[arg(long, value_name = "FOLDER", requires = "name", conflicts_with = "file")]
    copy: Option<PathBuf>,

    /// Print the list as JSON
    #[arg(long)]
    json: bool,
}

/// Lists or shows scenes.
pub fn run(args: &Args) -> Result<(), Exit> {
    if let Some(name) = &args.name {
        undine::open(name, &LoadOptions::default())?;
        if let Some(scene) = SCENES.iter().find(|scene| scene.name == name) {
            if let Some(folder) = &args.copy {
                return copy(scene, folder, args.json);
            }
            if args.json {
                say_json(&serde_json::json!({ "name": name, "readme": scene.readme, "file": scene.text }));
                return Ok(());
            }
            say(if args.file { scene.text } else { scene.readme }.trim_end());
            return Ok(());
        }
        return Err(Exit::Wrong(format!("{name} is a file of your own; open it with your editor")));
    }
    let mut listed = Vec::new();
    for bundled in SCENES {
        let scene = undine::open(bundled.name, &LoadOptions::default())?;
        listed.push(serde_json::json!({
            "name": bundled.name,
            "summary": scene.summary,
            "duration_s": scene.duration,
            "fps": scene.fps,
            "water": scene.sections("water").iter().filter_map(|water| water.text("kind")).collect::<Vec<_>>(),
        }));
        if !args.json {
            say(format!("{:<14} {}", bundled.name, scene.summary));
        }
    }
    if args.json {
        say_json(&listed.into());
    }
    Ok(())
}

fn copy(scene: &BundledScene, folder: &Path, json: bool) -> Result<(), Exit> {
    let written = scene.copy_to(folder).map_err(|error| {
        Exit::Wrong(format!("cannot copy {} to {}: {error}", scene.name, folder.display()))
    })?;
    if json {
        say_json(&serde_json::json!({ "name": scene.name, "files": texts(&written) }));
    } else {
        written.iter().for_each(|file| say(file.display()));
    }
    Ok(())
}
