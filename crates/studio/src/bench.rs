//! Benchmarks of the window: rendering alone, the simulation in a session against the runner alone, and input latency.

use std::time::{Duration, Instant};

use glam::DVec3;
use undine::scene::{LoadOptions, Scene};
use undine::sim::{ActionKind, Disturbance};
use undine::{MODELS, Runner};

use crate::request::{DisplayRequest, Request, SceneSource};
use crate::update::SessionUpdate;
use crate::worker::Worker;

/// Seconds per measurement.
const SECONDS: f64 = 4.0;

/// Scenes that are measured.
const BENCH_SCENES: &[(&str, &str)] = &[
    (
        "kass-miller 256²",
        "[scene]\nduration = 1e5\nfps = 60\n[[water]]\nkind = 'kass-miller'\nsize = [10, 10]\nresolution = 256\nlevel = 1\n",
    ),
    (
        "stable-fluids 256²",
        "[scene]\nduration = 1e5\nfps = 60\n[[water]]\nkind = 'stable-fluids'\nresolution = 256\nstart = 'turbulence'\nsteps = 1\n",
    ),
];

/// Runs all measurements and prints each result in a line.
pub fn run(mut print: impl FnMut(String)) -> Result<(), String> {
    let mut device = undine_gpu::Headless::new().map_err(|error| error.to_string())?;
    print(format!("painting 256² heights at 1280 × 720 with {}", device.adapter));
    for (name, pictures) in undine_gpu::measure(&mut device).map_err(|error| error.to_string())? {
        print(format!("  {name:<28} {pictures:6.1} pictures/s"));
    }
    for (name, text) in BENCH_SCENES {
        let alone = runner_rate(text)?;
        let in_session = session_rate(text);
        print(format!(
            "{name:<24} alone {alone:7.1}, in the window {in_session:7.1} frames/s: {:.0} %",
            100.0 * in_session / alone
        ));
        print(format!("{name:<24} a push is shown after {:.1} frames of the window", input_latency(text)));
    }
    Ok(())
}

/// Frames per second of the runner alone.
fn runner_rate(text: &str) -> Result<f64, String> {
    let scene = Scene::parse("bench", text, &LoadOptions::default()).map_err(|errors| errors.to_string())?;
    let mut runner = Runner::new(&scene, MODELS, None).map_err(|errors| errors.to_string())?;
    let (start, mut frames) = (Instant::now(), 0);
    while start.elapsed().as_secs_f64() < SECONDS {
        runner.next_frame().map_err(|failure| failure.to_string())?;
        frames += 1;
    }
    Ok(f64::from(frames) / start.elapsed().as_secs_f64())
}

/// Frames per second of a session on its thread, with a window that takes an update sixty times a second.
fn session_rate(text: &str) -> f64 {
    let mut worker = Worker::new(None, || {});
    worker.send(Request::Display(DisplayRequest::surfaces()));
    worker.send(Request::Open(SceneSource::Text {
        name: String::from("bench"),
        text: text.to_owned(),
        relative_to: None,
    }));
    worker.send(Request::Speed(f64::INFINITY));
    let (mut first, mut last) = (None, None);
    let start = Instant::now();
    while start.elapsed().as_secs_f64() < SECONDS + 1.0 {
        std::thread::sleep(Duration::from_millis(16));
        let frame = worker.take_update().and_then(|update| update.runs.first().map(|run| run.frame));
        if let Some(frame) = frame {
            // The first second is warm-up
            if start.elapsed().as_secs_f64() > 1.0 {
                first.get_or_insert((frame, Instant::now()));
                last = Some((frame, Instant::now()));
            }
        }
    }
    match (first, last) {
        (Some((from, began)), Some((to, ended))) if ended > began => {
            (to - from) as f64 / (ended - began).as_secs_f64()
        }
        _ => 0.0,
    }
}

/// Input latency: mean number of window frames, at 60 Hz, from an input to the first picture that shows its effect, with
/// the simulation at its own speed.
fn input_latency(text: &str) -> f64 {
    const PUSHES: usize = 30;
    let mut worker = Worker::new(None, || {});
    worker.send(Request::Display(DisplayRequest::surfaces()));
    worker.send(Request::Open(SceneSource::Text {
        name: String::from("bench"),
        text: text.to_owned(),
        relative_to: None,
    }));
    worker.send(Request::Play(true));
    let mut update = SessionUpdate::default();
    let mut frame = |worker: &mut Worker| {
        std::thread::sleep(Duration::from_micros(16_667));
        update = worker.take_update().unwrap_or_else(|| update.clone());
        (update.actions, update.runs.first().map_or(0, |run| run.frame))
    };
    let mut waited = 0;
    for pushed in 1..=PUSHES {
        // A pause between two pushes
        let reached = (0..20).map(|_| frame(&mut worker).1).last().unwrap_or(0);
        let push = Disturbance::Push { at: DVec3::splat(0.1), radius: 0.1, velocity: 0.1 * DVec3::X };
        worker.send(Request::Apply(ActionKind::Disturb(push)));
        let is_shown = |(actions, at): (usize, u64)| actions >= pushed && at > reached;
        waited += 1 + (0..600).take_while(|_| !is_shown(frame(&mut worker))).count();
    }
    waited as f64 / PUSHES as f64
}
