//! `undine run`.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use undine::sim::Outcome;
use undine::{
    OutputPolicy, Plan, RunPlanError, RunSettings, RunSummary, TimeEstimate, VolumeSummary, estimate_time,
    run_plan,
};

use super::picture_args::PictureArgs;
use super::render::traced_film;
use super::{SceneArgs, parse_frames, use_threads};
use crate::terminal::{CommandError, bytes, print_error, print_json, print_line, seconds, text, texts};
use progress::RunProgressBar;

pub mod progress;

/// Simulate a scene and make a film of it
///
/// Writes into the output folder: film.mp4, frames/, sheet.png, metrics.csv, timings.csv, report.html, cache, checkpoints.
/// The film is a preview, unless the scene or --trace asks for path tracing; the last line gives the command that makes a
/// traced film from the cache, with its estimated time.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  undine run pond
  undine run pond --frames 0..24 --out out/first-second
  undine run dam-break --trace
  undine run swell --size 640x360 --look tropical --scale 0.5 --overwrite
  undine run pond --resume")]
pub struct Args {
    #[command(flatten)]
    scene: SceneArgs,

    #[command(flatten)]
    picture: PictureArgs,

    /// Where to write; out/NAME when absent
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    /// Write only the frames A up to but not including B; earlier ones are simulated but not written
    #[arg(long, value_name = "A..B", value_parser = parse_frames)]
    frames: Option<Range<u64>>,

    /// Continue the run in the output folder from its newest checkpoint
    #[arg(long, conflicts_with = "overwrite")]
    resume: bool,

    /// Replace the run in the output folder
    #[arg(long)]
    overwrite: bool,

    /// Number of threads; all processors when absent. The result does not depend on it
    #[arg(long, value_name = "N")]
    threads: Option<usize>,

    /// Simulate only; `undine render` makes the pictures later
    #[arg(long)]
    no_render: bool,

    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Runs a scene.
pub fn run(args: &Args) -> Result<(), CommandError> {
    // Read and check everything before anything is written
    use_threads(args.threads)?;
    let scene = undine::open(&args.scene.scene, &args.scene.options_with(&args.picture)?)?;
    let mut plan = Plan::new(scene, undine::available_memory())?;
    for warning in plan.warnings() {
        print_error(format_args!("warning: {warning}\n"));
    }
    let settings = RunSettings {
        policy: match (args.resume, args.overwrite) {
            (true, _) => OutputPolicy::Resume,
            (_, true) => OutputPolicy::Overwrite,
            _ => OutputPolicy::Fresh,
        },
        frames: args.frames.clone(),
        render: !args.no_render,
        ..RunSettings::new(args.out.clone().unwrap_or_else(|| PathBuf::from("out").join(&plan.scene.name)))
    };
    check_frames(&settings, &plan)?;
    announce(&mut plan, &settings)?;

    // Simulate, draw and encode; Ctrl-C stops after the current frame
    let mut bar = RunProgressBar::new(stop_on_interrupt()?);
    let _ = FILMING.set(bar.is_filming());
    let done = run_plan(plan, &settings, &mut bar).map_err(|error| explain(error, &settings))?;
    bar.finish();

    // Report the result
    if args.json {
        print_json(&result_json(&done, &settings));
    }
    match done.outcome {
        Outcome::Finished => {
            if !args.json {
                print_line(summary(&done, &settings));
                print_traced_command(&args.scene.scene, &settings);
            }
            Ok(())
        }
        Outcome::Stopped { frame } => {
            print_error(format_args!("stopped after frame {frame}; resume with\n  {}", resume_command()));
            Err(CommandError::Interrupted)
        }
    }
}

/// Prints the estimated time if it exceeds ten seconds. How much is left of a resumed run is not known yet.
fn announce(plan: &mut Plan, settings: &RunSettings) -> Result<(), CommandError> {
    if settings.policy == OutputPolicy::Resume {
        return Ok(());
    }
    let threads = undine::grid::par::threads();
    let frames = settings.frames.clone().unwrap_or(0..plan.runner.frame_count());
    let TimeEstimate { simulate, draw } = estimate_time(plan, frames, settings.render, NEGLIGIBLE)?;
    if simulate + draw > ANNOUNCED {
        let (simulate, draw) = (seconds(simulate), seconds(draw));
        print_error(format_args!("about {simulate} to simulate and {draw} to draw, on {threads} threads"));
    }
    Ok(())
}

/// Estimated seconds above which the time of a run is announced, and below which a rough estimate is enough.
const ANNOUNCED: f64 = 10.0;
const NEGLIGIBLE: f64 = 3.0;

fn check_frames(settings: &RunSettings, plan: &Plan) -> Result<(), CommandError> {
    let count = plan.runner.frame_count();
    match &settings.frames {
        Some(frames) if frames.start >= count => Err(CommandError::Wrong(format!(
            "the scene has frames 0..{count}, but --frames begins at {}",
            frames.start
        ))),
        _ => Ok(()),
    }
}

/// Set while the film is encoded: all frames are on disk then, so that Ctrl-C may exit at once.
static FILMING: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// The first Ctrl-C requests a stop after the frame; the second exits at once.
fn stop_on_interrupt() -> Result<Arc<AtomicBool>, CommandError> {
    let is_stopping = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&is_stopping);
    ctrlc::set_handler(move || {
        let is_filming = FILMING.get().is_some_and(|filming| filming.load(Ordering::SeqCst));
        if flag.swap(true, Ordering::SeqCst) || is_filming {
            print_error(format_args!("stopped; resume with\n  {}", resume_command()));
            std::process::exit(130);
        }
    })?;
    Ok(is_stopping)
}

fn explain(error: RunPlanError, settings: &RunSettings) -> CommandError {
    match &error {
        RunPlanError::Folder(_) => CommandError::Wrong(error.to_string()),
        RunPlanError::Run(undine::sim::RunError::Step(_)) => {
            let replay = format!("replay it from the last checkpoint with\n  {}", resume_command());
            CommandError::Failed(anyhow::anyhow!("{error}\n{replay}"))
        }
        _ => {
            let remedy = format!(
                "the files in {} are kept; once the cause is fixed, resume with",
                settings.out.display()
            );
            CommandError::Failed(anyhow::anyhow!("{error}\n{remedy}\n  {}", resume_command()))
        }
    }
}

/// Prints the command that makes a path-traced film from the cache of a run that drew a preview, and its estimated time.
fn print_traced_command(scene: &str, settings: &RunSettings) {
    if !settings.render {
        return;
    }
    let scene = Path::new(scene);
    let folder = if scene.is_file() { scene.parent() } else { Some(scene).filter(|scene| scene.is_dir()) };
    let folder = folder.map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    let Some((args, time)) = traced_film(&settings.out, folder) else { return };
    let program = std::env::args_os().next().map(|arg| arg.to_string_lossy().into_owned());
    let command: Vec<String> = program.into_iter().chain(args).map(quoted).collect();
    print_line(format_args!("traced  about {} by\n  {}", seconds(time), command.join(" ")));
}

/// An argument as it is typed in a shell.
fn quoted(arg: String) -> String {
    let is_plain = arg.chars().all(|c| c.is_alphanumeric() || "-_./=,:+".contains(c));
    if is_plain { arg } else { format!("'{}'", arg.replace('\'', r"'\''")) }
}

/// The command line of this process, with `--resume`.
fn resume_command() -> String {
    let args = std::env::args_os().map(|arg| arg.to_string_lossy().into_owned());
    let args = args.filter(|arg| arg != "--overwrite" && arg != "--resume").map(quoted);
    args.chain(["--resume".to_owned()]).collect::<Vec<_>>().join(" ")
}

fn summary(done: &RunSummary, settings: &RunSettings) -> String {
    let mut lines: Vec<String> =
        done.films.iter().map(|film| format!("film    {}", film.display())).collect();
    lines.extend(done.sheets.iter().map(|sheet| format!("sheet   {}", sheet.display())));
    lines.extend(done.report.iter().map(|report| format!("report  {}", report.display())));
    if done.cache_bytes > 0 {
        lines.push(format!("cache   {} ({})", settings.out.join("cache").display(), bytes(done.cache_bytes)));
    }
    lines.extend(done.volumes.iter().map(|water| volume_line(water, done.volumes.len() > 1)));
    if !done.volumes.iter().all(|water| water.counts_particles) {
        lines.push(format!("volume  relative error {:.1e}", done.volume_error));
    }
    lines.join("\n")
}

/// Held, seen and refused volume of a water.
fn volume_line(water: &VolumeSummary, are_several: bool) -> String {
    let name = if are_several { format!("{} ", water.water) } else { String::new() };
    let counted = if water.counts_particles { " (particles counted)" } else { "" };
    let mut line = format!("volume  {name}held {:.4} m³{counted}", water.held);
    if let (Some(seen), Some(drift), Some(worst)) = (water.seen, water.drift(), water.worst_drift) {
        line += &format!(", seen {seen:.4} m³ ({:+.1} %, at worst {:+.1} %)", 100.0 * drift, 100.0 * worst);
    }
    if let Some(refused) = water.refused.filter(|refused| *refused > 0.0) {
        line += &format!(", refused {refused:.4} m³ of inflow");
    }
    line
}

fn result_json(done: &RunSummary, settings: &RunSettings) -> serde_json::Value {
    serde_json::json!({
        "out": text(&settings.out),
        "finished": done.outcome == Outcome::Finished,
        "films": texts(&done.films),
        "sheets": texts(&done.sheets),
        "report": done.report.as_deref().map(text),
        "volume_error": done.volume_error,
        "volumes": done.volumes.iter().map(volume_json).collect::<Vec<_>>(),
        "cache_bytes": done.cache_bytes,
        "resume": (done.outcome != Outcome::Finished).then(resume_command),
    })
}

fn volume_json(water: &VolumeSummary) -> serde_json::Value {
    serde_json::json!({
        "water": water.water,
        "held_m3": water.held,
        "seen_m3": water.seen,
        "seen_drift": water.drift(),
        "worst_seen_drift": water.worst_drift,
        "refused_m3": water.refused,
        "particles_counted": water.counts_particles,
    })
}
