//! `undine scenes`.

use std::path::{Path, PathBuf};

use undine::{BundledScene, LoadOptions, SCENES, Scene};

use crate::pager::{self, PagerArgs};
use crate::terminal::{CommandError, aligned, hint, print_json, print_line, texts};

/// List the scenes that come with Undine, or show one
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  undine scenes
  undine scenes pond            its README
  undine scenes pond --file > my-pond.toml
  undine scenes pond --copy my-pond    its scene file and the files it refers to, as a start for your own")]
pub struct Args {
    /// Show this scene
    name: Option<String>,

    /// Print its scene file, as a start for your own
    #[arg(long, requires = "name")]
    file: bool,

    /// Copy the scene, with the files that it refers to, into this folder
    #[arg(long, value_name = "FOLDER", requires = "name", conflicts_with = "file")]
    copy: Option<PathBuf>,

    /// Print the list as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    pager: PagerArgs,
}

/// Lists or shows scenes.
pub fn run(args: &Args) -> Result<(), CommandError> {
    if let Some(name) = &args.name {
        undine::open(name, &LoadOptions::default())?;
        if let Some(scene) = SCENES.iter().find(|scene| scene.name == name) {
            if let Some(folder) = &args.copy {
                return copy(scene, folder, args.json);
            }
            if args.json {
                print_json(&serde_json::json!({ "name": name, "readme": scene.readme, "file": scene.text }));
                return Ok(());
            }
            pager::show(if args.file { scene.text } else { scene.readme }, &args.pager);
            return Ok(());
        }
        return Err(CommandError::Wrong(format!("{name} is not a bundled scene; open it with your editor")));
    }
    let open = |name| undine::open(name, &LoadOptions::default()).map(|scene| (name, scene));
    let scenes: Vec<(&str, Scene)> =
        SCENES.iter().map(|bundled| open(bundled.name)).collect::<Result<_, _>>()?;
    if args.json {
        print_json(&scenes.iter().map(|(name, scene)| scene_json(name, scene)).collect());
    } else {
        let rows: Vec<_> = scenes.iter().map(|(name, scene)| [*name, scene.summary.as_str()]).collect();
        pager::show(&aligned(&rows), &args.pager);
        hint("`undine scenes NAME` describes one, `undine run NAME` makes a film of it");
    }
    Ok(())
}

fn scene_json(name: &str, scene: &Scene) -> serde_json::Value {
    serde_json::json!({
        "name": name,
        "summary": scene.summary,
        "duration_s": scene.duration,
        "fps": scene.fps,
        "water": scene.sections("water").iter().filter_map(|water| water.text("kind")).collect::<Vec<_>>(),
    })
}

fn copy(scene: &BundledScene, folder: &Path, json: bool) -> Result<(), CommandError> {
    let written = scene.copy_to(folder).map_err(|error| {
        CommandError::Wrong(format!("cannot copy {} to {}: {error}", scene.name, folder.display()))
    })?;
    if json {
        print_json(&serde_json::json!({ "name": scene.name, "files": texts(&written) }));
    } else {
        written.iter().for_each(|file| print_line(file.display()));
    }
    Ok(())
}
