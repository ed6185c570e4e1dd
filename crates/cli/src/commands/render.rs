//! `undine render`.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use undine::export::cache::Cache;
use undine::frame::{Frame, FrameRequest, Sink};
use undine::render::{CameraPath, PictureKind, PictureSpec, Pictures};
use undine::sim::Stopwatch;
use undine::surface::{Tessellation, tessellate};
use undine::{
    LoadOptions, Outputs, PictureSink, RunFolder, SCENES, Scene, check_sections, drawing_seconds,
    fit_to_machine, make_contact_sheet, make_film,
};

use super::picture_args::PictureArgs;
use super::run::progress::RunProgressBar;
use super::{OverrideArgs, find_cache, parse_frames, use_threads};
use crate::terminal::{CommandError, print_error, print_json, print_line, text, texts};

/// Make pictures and a film from a cache, without simulating again
///
/// A film is drawn by the rasteriser and a still by the path tracer, where neither the scene nor a flag sets it.
#[derive(clap::Args, Default)]
#[command(after_help = "\
Examples:
  undine render out/pond --out close --camera distance=4 --look tropical
  undine render out/dam-break --out out/dam-break/traced --trace
  undine render out/dam-break --out side --camera front --frames 20..60
  undine render out/dam-break --out calm --camera eye=3,-2,1.5,at=1,0.5,0.3,fov=30 --sky sun_elevation=8
  undine render out/dam-break --still 40 --size 1920x1080
  undine render out/dam-break --out around --frame 40 --turntable 120
  undine render out/dam-break --out flight --waypoint time=0,eye=4,-3,2 --waypoint time=4,eye=-1,-3,1
  undine render out/dam-break --out finer --set surface.0.cells=4
  undine render out/my-candle --files my-candle --out again")]
pub struct Args {
    /// The folder of a run, or its cache
    cache: PathBuf,

    /// Where to write; beside the cache when absent, replacing the pictures there
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    /// The folder of the scene, if its pictures refer to files there; bundled scenes include theirs
    #[arg(long, value_name = "FOLDER")]
    files: Option<PathBuf>,

    /// Only the frames A up to but not including B
    #[arg(long, value_name = "A..B", value_parser = parse_frames, conflicts_with_all = ["still", "frame"])]
    frames: Option<Range<u64>>,

    /// Only this frame, as one PNG without a film: still-N.png
    #[arg(long, value_name = "N", conflicts_with = "frame")]
    still: Option<u64>,

    /// Freeze the water at this frame while the camera moves by --turntable or --waypoint
    #[arg(long, value_name = "N")]
    frame: Option<u64>,

    #[command(flatten)]
    picture: PictureArgs,

    #[command(flatten)]
    change: OverrideArgs,

    /// Number of threads; all processors when absent
    #[arg(long, value_name = "N")]
    threads: Option<usize>,

    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// What a scene specifies for its pictures.
struct RenderPlan {
    scene: Scene,
    pictures: Vec<PictureSpec>,
    tessellation: Tessellation,
    outputs: Outputs,
}

/// Renders a cache.
pub fn run(args: &Args) -> Result<(), CommandError> {
    use_threads(args.threads)?;
    let folder = find_cache(&args.cache);
    let cache = Cache::open(&folder)?;
    let frames = choose_frames(args, &cache)?;
    let mut plan = read_scene(args, &cache, frames.len() as u64)?;
    if args.still.is_some() {
        plan.pictures = plan.pictures.into_iter().map(PictureSpec::traced_if_open).collect();
    }
    let pictures = match args.frame {
        Some(_) => frozen_frame_pictures(args, &plan),
        None => frames.len() as u64,
    };
    for (number, effort) in fit_to_machine(&mut plan.pictures, pictures) {
        let name = plan.pictures.get(number).map_or("", |picture| &picture.name);
        print_error(format_args!("picture {name}: {effort}, chosen for this machine"));
    }
    let default_out = folder.parent().map_or_else(|| PathBuf::from("."), PathBuf::from);
    let default_out =
        args.frame.map_or(default_out.clone(), |frame| default_out.join(format!("around-{frame:06}")));
    let job = RenderJob { cache, plan, out: args.out.clone().unwrap_or(default_out) };
    match (args.still, args.frame) {
        (Some(frame), _) => job.still(frame, args.json),
        (_, Some(frame)) => job.frozen_film(frame, pictures, args.json),
        _ => job.film(&frames, args.json),
    }
}

/// The arguments that make a traced film of the run in `out`, beside its own film, and the estimated seconds.
///
/// `None` if the run has no cache, or no picture that could be traced and is not. `files` is the folder of a scene that is
/// not bundled.
pub fn traced_film(out: &Path, files: Option<&Path>) -> Option<(Vec<String>, f64)> {
    let cache = Cache::open(&find_cache(out)).ok()?;
    let frames = cache.frames().ok()?;
    let read = |args: &Args| read_scene(args, &cache, frames.len() as u64).ok();
    // The films of the run: is there one that could be traced?
    let own = Args { files: files.map(PathBuf::from), ..Args::default() };
    if !read(&own)?.pictures.iter().any(|picture| matches!(picture.kind, PictureKind::Preview(_))) {
        return None;
    }
    // The same with `--trace`; the folder of the scene is named only where its pictures need it
    let traced = |files: Option<&Path>| Args {
        picture: PictureArgs::traced(),
        files: files.map(PathBuf::from),
        out: Some(out.join("traced")),
        ..Args::default()
    };
    let (plan, files) = match read(&traced(None)) {
        Some(plan) => (plan, None),
        None => (read(&traced(files))?, files),
    };
    let mut job = RenderJob { cache: cache.clone(), plan, out: out.join("traced") };
    fit_to_machine(&mut job.plan.pictures, frames.len() as u64);
    // Time the middle frame
    let watch = Stopwatch::start();
    let middle = job.frame(*frames.get(frames.len() / 2)?).ok()?;
    let seconds = watch.seconds() + drawing_seconds(&job.plan.pictures, &middle);
    let mut command = vec!["render".to_owned(), text(out), "--trace".to_owned()];
    command.extend(["--out".to_owned(), text(&job.out)]);
    command.extend(files.iter().flat_map(|folder| ["--files".to_owned(), text(folder)]));
    Some((command, seconds * frames.len() as f64))
}

/// The requested frames that the cache has.
fn choose_frames(args: &Args, cache: &Cache) -> Result<Vec<u64>, CommandError> {
    if args.frame.is_some() && !args.picture.moves() {
        let message =
            "--frame freezes the water while the camera moves: add --turntable or --waypoint, or use --still";
        return Err(CommandError::Wrong(message.to_owned()));
    }
    let one = args.still.or(args.frame).map(|frame| frame..frame.saturating_add(1));
    let wanted = one.or_else(|| args.frames.clone()).unwrap_or(0..u64::MAX);
    let cached = cache.frames()?;
    let frames: Vec<u64> = cached.iter().copied().filter(|frame| wanted.contains(frame)).collect();
    if frames.is_empty() {
        let held = match (cached.first(), cached.last()) {
            (Some(first), Some(last)) => format!("frames {first} to {last}"),
            _ => "no frames".to_owned(),
        };
        return Err(CommandError::Wrong(format!("{} holds {held}, and none of these", args.cache.display())));
    }
    Ok(frames)
}

fn read_scene(args: &Args, cache: &Cache, frames: u64) -> Result<RenderPlan, CommandError> {
    let manifest = cache.manifest();
    // The cache keeps the text of the scene, but not the files that its pictures may refer to
    let bundled = SCENES.iter().find(|bundled| bundled.name == manifest.name);
    let files = bundled.map_or(&[] as &[_], |bundled| bundled.files);
    let parse = |overrides: Vec<String>| {
        let options = LoadOptions { overrides, ..LoadOptions::default() };
        match &args.files {
            Some(folder) => Scene::parse_in_folder(&manifest.name, &manifest.scene, folder, &options),
            None => Scene::parse_with_files(&manifest.name, &manifest.scene, files, &options),
        }
    };
    let before = parse(args.change.overrides.clone())?;
    // The camera around a frozen frame moves by the time of the film, any other by that of the simulation
    let per_second = match args.frame {
        Some(_) => before.fps * Outputs::read(&before)?.speed,
        None => before.fps,
    };
    let pictures =
        if args.frame.is_some() { args.picture.frozen_frame_pictures(None, per_second) } else { frames };
    let overrides = args.picture.overrides(&before, pictures, per_second)?;
    let scene = parse(args.change.overrides.iter().cloned().chain(overrides).collect())?;
    let mut errors = check_sections(&scene);
    let pictures = errors.keep(Pictures::read(&scene));
    let tessellation = errors.keep(Tessellation::read(&scene));
    let outputs = errors.keep(Outputs::read(&scene));
    errors.into_result()?;
    match (pictures, tessellation, outputs) {
        (Some(pictures), Some(tessellation), Some(outputs)) => {
            Ok(RenderPlan { scene, pictures, tessellation, outputs })
        }
        _ => Err(CommandError::Wrong("the scene cannot be read".to_owned())),
    }
}

/// Number of pictures of a frozen frame.
fn frozen_frame_pictures(args: &Args, plan: &RenderPlan) -> u64 {
    let flight = plan.pictures.first().and_then(|picture| match &picture.camera.path {
        CameraPath::FlyThrough(waypoints) => waypoints.last().map(|waypoint| waypoint.time),
        _ => None,
    });
    args.picture.frozen_frame_pictures(flight, plan.shown_per_second())
}

impl RenderPlan {
    fn shown_per_second(&self) -> f64 {
        self.scene.fps * self.outputs.speed
    }
}

/// The pictures to make from a cache.
struct RenderJob {
    cache: Cache,
    plan: RenderPlan,
    out: PathBuf,
}

impl RenderJob {
    /// A frame of the cache, with the meshes that pictures need.
    fn frame(&self, frame: u64) -> Result<Frame, CommandError> {
        let mut frame = self.cache.read(frame)?;
        let requests = self.plan.pictures.iter().map(PictureSpec::request);
        let request = requests.fold(FrameRequest::default(), FrameRequest::or);
        tessellate(&mut frame, &request, &self.plan.tessellation);
        Ok(frame)
    }

    fn sinks(&self) -> Vec<PictureSink> {
        let pictures = self.plan.pictures.iter().enumerate();
        pictures
            .map(|(number, picture)| {
                PictureSink::new(picture.clone(), RunFolder::pictures(&self.out, number, &picture.name))
            })
            .collect()
    }

    /// One frame as a PNG per picture of the scene.
    fn still(&self, frame: u64, json: bool) -> Result<(), CommandError> {
        let drawn = self.frame(frame)?;
        let mut stills = Vec::new();
        for (number, (sink, picture)) in self.sinks().iter().zip(&self.plan.pictures).enumerate() {
            let name = if number == 0 { String::new() } else { format!("-{}", picture.name) };
            let path = self.out.join(format!("still-{frame:06}{name}.png"));
            sink.write_to(&drawn, &path)?;
            stills.push(path);
        }
        if json {
            print_json(&serde_json::json!({ "out": text(&self.out), "stills": texts(&stills) }));
        } else {
            stills.iter().for_each(|still| print_line(format!("still   {}", still.display())));
        }
        Ok(())
    }

    /// A film of these frames.
    fn film(&self, frames: &[u64], json: bool) -> Result<(), CommandError> {
        let mut bar = RunProgressBar::new(Arc::new(AtomicBool::new(false)));
        let mut sinks = self.sinks();
        let mut times = Vec::with_capacity(frames.len());
        for (done, &number) in frames.iter().enumerate() {
            let frame = self.frame(number)?;
            for sink in &mut sinks {
                sink.write(&frame)?;
            }
            times.push((number, frame.time));
            bar.step("picture", done + 1, frames.len());
        }
        self.finish(&times, bar, json)
    }

    /// A film of one frozen frame from a moving camera.
    fn frozen_film(&self, frame: u64, pictures: u64, json: bool) -> Result<(), CommandError> {
        let mut frame = self.frame(frame)?;
        let mut bar = RunProgressBar::new(Arc::new(AtomicBool::new(false)));
        let mut sinks = self.sinks();
        for sink in &mut sinks {
            // No motion blur: the water is frozen
            if let PictureKind::Trace(trace) = &mut sink.spec_mut().kind {
                trace.shutter = 0.0;
            }
        }
        let times: Vec<(u64, f64)> =
            (0..pictures).map(|number| (number, number as f64 / self.plan.shown_per_second())).collect();
        for &(number, time) in &times {
            // The index seeds the noise of a traced picture
            frame.index = number;
            for sink in &mut sinks {
                sink.spec_mut().camera.held = Some(time);
                sink.write(&frame)?;
            }
            bar.step("picture", number as usize + 1, times.len());
        }
        self.finish(&times, bar, json)
    }

    /// Encodes the films and makes the contact sheets.
    fn finish(&self, times: &[(u64, f64)], mut bar: RunProgressBar, json: bool) -> Result<(), CommandError> {
        let (mut films, mut sheets) = (Vec::new(), Vec::new());
        for (number, picture) in self.plan.pictures.iter().enumerate() {
            let from = RunFolder::pictures(&self.out, number, &picture.name);
            let film = RunFolder::film(&self.out, number, &picture.name);
            let frames = times.iter().map(|(frame, _)| *frame);
            make_film(&from, frames, self.plan.shown_per_second(), &film, &mut bar)?;
            films.push(film);
            let sheet = RunFolder::sheet(&self.out, number, &picture.name);
            make_contact_sheet(&self.plan.scene.name, &from, times, &sheet)?;
            sheets.push(sheet);
        }
        bar.finish();
        if json {
            let (films, sheets) = (texts(&films), texts(&sheets));
            let out = text(&self.out);
            print_json(
                &serde_json::json!({ "out": out, "frames": times.len(), "films": films, "sheets": sheets }),
            );
        } else {
            films.iter().for_each(|film| print_line(format!("film    {}", film.display())));
            sheets.iter().for_each(|sheet| print_line(format!("sheet   {}", sheet.display())));
        }
        Ok(())
    }
}
