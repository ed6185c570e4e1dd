//! `undine export`.

use std::ops::Range;
use std::path::PathBuf;

use undine::export::cache::Cache;
use undine::export::{FORMATS, FormatSink, Options};
use undine::frame::{FrameRequest, Sink};
use undine::surface::{Tessellation, tessellate};
use undine::{LoadOptions, Scene};

use super::{OverrideArgs, find_cache, parse_frames};
use crate::terminal::{CommandError, print_json, print_line, texts};

/// Write meshes, height maps and tables from a cache
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  undine export out/pond --format ply
  undine export out/dam-break --format ply --set surface.0.cells=3
  undine export out/pond --format exr,png16 --frames 0..24 --out maps")]
pub struct Args {
    /// The folder of a run, or its cache
    cache: PathBuf,

    /// The formats: ply, obj (meshes), exr, png16, csv (fields); separated by commas
    #[arg(long, value_delimiter = ',', required = true)]
    format: Vec<String>,

    /// Where to write; beside the cache when absent
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    /// Only the frames A up to but not including B
    #[arg(long, value_name = "A..B", value_parser = parse_frames)]
    frames: Option<Range<u64>>,

    /// png16: the values of black and white; the minimum and maximum of each frame when absent
    #[arg(long, value_names = ["LOW", "HIGH"], num_args = 2, allow_hyphen_values = true)]
    range: Option<Vec<f32>>,

    #[command(flatten)]
    change: OverrideArgs,

    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Exports a cache.
pub fn run(args: &Args) -> Result<(), CommandError> {
    // One sink per format
    let folder = find_cache(&args.cache);
    let default_out = folder.parent().map_or_else(|| PathBuf::from("."), PathBuf::from);
    let out = args.out.clone().unwrap_or(default_out);
    let options =
        Options { grey_range: args.range.as_deref().and_then(|range| <[f32; 2]>::try_from(range).ok()) };
    let mut sinks = Vec::new();
    let mut wanted_formats = args.format.clone();
    wanted_formats.sort();
    wanted_formats.dedup();
    for name in &wanted_formats {
        let Some(format) = FORMATS.iter().find(|format| format.name == name) else {
            let known = undine::scene::known_words(name, FORMATS.iter().map(|format| format.name));
            return Err(CommandError::Wrong(format!("there is no format {name:?}; {known}")));
        };
        sinks.push(FormatSink::new(format, &out, 1, options));
    }
    // The requested frames that the cache has
    let cache = Cache::open(&folder)?;
    let wanted = args.frames.clone().unwrap_or(0..u64::MAX);
    let frames: Vec<u64> = cache.frames()?.into_iter().filter(|frame| wanted.contains(frame)).collect();
    if frames.is_empty() {
        return Err(CommandError::Wrong(format!("{} holds none of these frames", folder.display())));
    }
    // Each frame is tessellated again by the keys of the scene, then written by every sink
    let manifest = cache.manifest();
    let options = LoadOptions { overrides: args.change.overrides.clone(), ..LoadOptions::default() };
    let tessellation = Tessellation::read(&Scene::parse(&manifest.name, &manifest.scene, &options)?)?;
    let request = sinks.iter().fold(FrameRequest::default(), |request, sink| request.or(sink.request()));
    for &number in &frames {
        let mut frame = cache.read(number)?;
        tessellate(&mut frame, &request, &tessellation);
        for sink in &mut sinks {
            sink.write(&frame)?;
        }
    }
    for sink in sinks {
        Box::new(sink).finish()?;
    }
    // Report the result
    let folders: Vec<PathBuf> = wanted_formats.iter().map(|name| out.join(name)).collect();
    if args.json {
        print_json(&serde_json::json!({ "frames": frames.len(), "folders": texts(&folders) }));
    } else {
        folders
            .iter()
            .for_each(|folder| print_line(format!("{} frames in {}", frames.len(), folder.display())));
    }
    Ok(())
}
