//! How fast the window is: painting alone, the water under it against the water alone, and how soon a touch is seen.

use std::time::{Duration, Instant};

use glam::DVec3;
use undine::scene::{LoadOptions, Scene};
use undine::sim::{ActionKind, Disturbance};
use undine::{MODELS, Runner};

use crate::news::News;
use crate::order::{Order, Source, Wanted};
use crate::worker::Worker;

/// Seconds that each measurement takes.
const SECONDS: f64 = 4.0;

/// Scenes on which the water under the window is measured.
const WATERS: &[(&str, &str)] = &[
    (
        "kass-miller 256²",
        "[scene]\nduration = 1e5\nfps = 60\n[[water]]\nkind = 'kass-miller'\nsize = [10, 10]\nresolution = 256\nlevel = 1\n",
    ),
    (
        "stable-fluids 256²",
        "[scene]\nduration = 1e5\nfps = 60\n[[water]]\nkind = 'stable-fluids'\nresolution = 256\nstart = 'turbulence'\nsteps = 1\n",
    ),
];

/// Measures, and says each result in a line.
pub fn run(mut say: impl FnMut(String)) -> Result<(), String> {
    let mut device = undine_gpu::Headless::new().map_err(|error| error.to_string())?;
    say(format!("painting 256² heights at 1280 × 720 with {}", device.adapter));
    for (name, pictures) in undine_gpu::measure(&mut device).map_err(|error| error.to_string())? {
        say(format!("  {name:<28} {pictures:6.1} pictures/s"));
    }
    for (name, text) in WATERS {
        let alone = alone(text)?;
        let under = under_the_window(text);
        say(format!(
            "{name:<24} alone {alone:7.1}, under the window {under:7.1} frames/s: {:.0} %",
            100.0 * under / alone
        ));
        say(format!("{name:<24} a push is seen after {:.1} frames of the window", frames_to_see(text)));
    }
    Ok(())
}

/// Frames per second of the runner alone.
fn alone(text: &str) -> Result<f64, String> {
    let scene = Scene::parse("bench", text, &LoadOptions::default()).map_err(|errors| errors.to_string())?;
    let mut runner = Runner::new(&scene, MODELS, None).map_err(|errors| errors.to_string())?;
    let (start, mut frames) = (Instant::now(), 0);
    while start.elapsed().as_secs_f64() < SECONDS {
        runner.next_frame().map_err(|failure| failure.to_string())?;
        frames += 1;
    }
    Ok(f64::from(frames) / start.elapsed().as_secs_f64())
}

/// Frames per second of the session on its thread, with a window that takes its news sixty times a second.
fn under_the_window(text: &str) -> f64 {
    let mut worker = Worker::new(None, || {});
    worker.send(Order::Want(Wanted::surfaces()));
    worker.send(Order::Open(Source::Text {
        name: String::from("bench"),
        text: text.to_owned(),
        beside: None,
    }));
    worker.send(Order::Speed(f64::INFINITY));
    let (mut first, mut last) = (None, None);
    let start = Instant::now();
    while start.elapsed().as_secs_f64() < SECONDS + 1.0 {
        std::thread::sleep(Duration::from_millis(16));
        let frame = worker.take_news().and_then(|news| news.runs.first().map(|run| run.frame));
        if let Some(frame) = frame {
            // The first second is for warming up
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

/// Frames, on average, from that in which the window hears of a touch to that which shows what it did, in a window of
/// sixty frames a second over water that runs by its own clock.
fn frames_to_see(text: &str) -> f64 {
    const TOUCHES: usize = 30;
    let mut worker = Worker::new(None, || {});
    worker.send(Order::Want(Wanted::surfaces()));
    worker.send(Order::Open(Source::Text {
        name: String::from("bench"),
        text: text.to_owned(),
        beside: None,
    }));
    worker.send(Order::Play(true));
    let mut news = News::default();
    let mut frame = |worker: &mut Worker| {
        std::thread::sleep(Duration::from_micros(16_667));
        news = worker.take_news().unwrap_or_else(|| news.clone());
        (news.actions, news.runs.first().map_or(0, |run| run.frame))
    };
    let mut waited = 0;
    for touch in 1..=TOUCHES {
        // Between touches some time goes by
        let reached = (0..20).map(|_| frame(&mut worker).1).last().unwrap_or(0);
        let push = Disturbance::Push { at: DVec3::splat(0.1), radius: 0.1, velocity: 0.1 * DVec3::X };
        worker.send(Order::Act(ActionKind::Disturb(push)));
        let is_seen = |(actions, at): (usize, u64)| actions >= touch && at > reached;
        waited += 1 + (0..600).take_while(|_| !is_seen(frame(&mut worker))).count();
    }
    waited as f64 / TOUCHES as f64
}
