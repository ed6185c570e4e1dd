//! `undine render`.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use undine::export::cache::Cache;
use undine::frame::Sink;
use undine::surface::{Surfacing, make_liquid_meshes};
use undine::{LoadOptions, PictureSink, RunFolder, SCENES, SECTIONS, Scene, make_film};

use super::run::progress::ProgressBar;
use super::{ChangeArgs, find_cache, parse_frames, use_threads};
use crate::style::{Exit, say, say_json, text, texts};

/// Make pictures and a film from a cache, without simulating again
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  undine render out/pond --out out/pond-close --set camera.distance=4
  undine render out/dam-break --out finer --set surface.0.cells=4
  undine render out/my-candle --files my-candle --out again
  undine render out/pond --out stills --frames 48 --set picture.0.size=[3840,2160]")]
pub struct Args {
    /// The folder of a run, or its cache
    cache: PathBuf,

    /// Where to write; beside the cache when absent, replacing the pictures there
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    /// The folder of the scene, if its pictures name files there; bundled scenes bring theirs
    #[arg(long, value_name = "FOLDER")]
    files: Option<PathBuf>,

    /// Only these frames, as A..B without B
    #[arg(long, value_name = "A..B", value_parser = parse_frames)]
    frames: Option<Range<u64>>,

    #[command(flatten)]
    change: ChangeArgs,

    /// Threads to use; all when absent
    #[arg(long, value_name = "N")]
    threads: Option<usize>,

    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Renders a cache.
pub fn run(args: &Args) -> Result<(), Exit> {
    use_threads(args.threads)?;
    let folder = find_cache(&args.cache);
    let cache = Cache::open(&folder)?;
    let manifest = cache.manifest();
    let overrides = args.change.overrides.clone();
    let options = LoadOptions { overrides, ..LoadOptions::default() };
    // The cache keeps the text of the scene, but not the files that its pictures may name
    let bundled = SCENES.iter().find(|bundled| bundled.name == manifest.name);
    let carried = bundled.map_or(&[] as &[_], |bundled| bundled.files);
    let scene = match &args.files {
        Some(folder) => Scene::parse_in_folder(&manifest.name, &manifest.scene, folder, &options)?,
        None => Scene::parse_with_files(&manifest.name, &manifest.scene, carried, &options)?,
    };
    let mut errors = scene.check_sections(SECTIONS);
    let pictures = errors.keep(undine::render::Pictures::read(&scene)).unwrap_or_default();
    let surfaces = errors.keep(Surfacing::read_all(&scene)).unwrap_or_default();
    let speed = errors.keep(undine::Outputs::read(&scene)).map_or(1.0, |outputs| outputs.speed);
    errors.into_result()?;
    let beside = folder.parent().map_or_else(|| PathBuf::from("."), PathBuf::from);
    let out = args.out.clone().unwrap_or(beside);

    let wanted = args.frames.clone().unwrap_or(0..u64::MAX);
    let frames: Vec<u64> = cache.frames()?.into_iter().filter(|frame| wanted.contains(frame)).collect();
    if frames.is_empty() {
        return Err(Exit::Wrong(format!("{} holds none of these frames", folder.display())));
    }
    let mut bar = ProgressBar::new(Arc::new(AtomicBool::new(false)));
    let mut sinks: Vec<PictureSink> = pictures
        .iter()
        .enumerate()
        .map(|(number, picture)| {
            PictureSink::new(picture.clone(), RunFolder::pictures(&out, number, &picture.name))
        })
        .collect();
    let wants_meshes = sinks.iter().any(|sink| sink.wants().liquid_meshes);
    for (done, &frame) in frames.iter().enumerate() {
        let mut frame = cache.read(frame)?;
        if wants_meshes {
            make_liquid_meshes(&mut frame, &surfaces);
        }
        for sink in &mut sinks {
            sink.write(&frame)?;
        }
        bar.step("picture", done + 1, frames.len());
    }
    let mut films = Vec::new();
    for (number, picture) in pictures.iter().enumerate() {
        let film = RunFolder::film(&out, number, &picture.name);
        let from = RunFolder::pictures(&out, number, &picture.name);
        make_film(&from, frames.iter().copied(), scene.fps * speed, &film, &mut bar)?;
        films.push(film);
    }
    bar.finish();
    if args.json {
        say_json(&serde_json::json!({ "out": text(&out), "frames": frames.len(), "films": texts(&films) }));
    } else {
        films.iter().for_each(|film| say(format!("film    {}", film.display())));
    }
    Ok(())
}
