//! Estimated wall-clock time of a run, from timings on this machine.
//!
//! The cost of a frame depends on the flow: a breaking dam takes shorter steps than water at rest, an emitter adds
//! particles, a splash is drawn more slowly than a pool. So the run is timed in miniature. The waters themselves are
//! advanced for a fraction of a second, and then restored. A proxy, the same scene at a lower resolution, is advanced
//! through the whole film and gives the growth of the cost:
//!
//! T = κ Σᵢ nᵢ kᵢ,   nᵢ = ⌈q Δt / Δtᵢ⌉
//!
//! with the stable step Δtᵢ and the time per step kᵢ of the proxy in frame i, which is Δt long. κ and q are the ratios of the
//! time per step and of the inverse stable step between the waters and the proxy, over the same first frames. A glass that
//! is empty in the first frames says little about a full one: by how much more what kᵢ exceeds its first value has to be
//! multiplied is measured between the proxy and one of half its resolution, as a power of the resolution.
//!
//! Pictures are timed on the middle frame of the proxy at two small sizes: the line through both gives the set-up time and
//! the time per pixel. To the set-up time is added what it takes longer for the scene than for the proxy in the first frame.
//!
//! Only the estimate depends on the clock. Nothing that a run computes or writes does.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use undine_export::CacheSink;
use undine_export::cache::Cache;
use undine_export::film::{FilmQuality, encode_film};
use undine_export::png::write_rgb8;
use undine_frame::{Frame, FrameRequest, Sink};
use undine_models::MODELS;
use undine_render::{Picture, PictureSpec, draw};
use undine_scene::SceneErrors;
use undine_sim::{Runner, Seconds, Stopwatch};
use undine_surface::Tessellation;

use crate::run_plan::manifest_of;
use crate::{PictureSink, Plan};

/// Estimated wall-clock time of a run, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct TimeEstimate {
    /// Simulating, and storing the frames in the cache.
    pub simulate: f64,
    /// Meshes, pictures, films and contact sheets.
    pub draw: f64,
}

/// Clock time for the first steps of the waters themselves, in seconds.
const FIRST_STEPS: f64 = 0.4;
/// Clock time for the proxy: at least this many seconds, and this fraction of the simulation by its first steps.
const PROXY: f64 = 1.2;
const PROXY_FRACTION: f64 = 0.03;
/// Least factor on the resolution of a proxy.
const COARSEST: f64 = 0.15;
/// Exponent of the resolution in the time of a simulation, from which the resolution of the proxy is chosen.
const GROWTH: f64 = 3.3;
/// Most runs of a proxy, and the fraction of the film that one should reach.
const ATTEMPTS: usize = 3;
const FAR_ENOUGH: f64 = 0.7;
/// Resolution of the coarser proxy in that of the proxy, and the greatest power of the resolution that is believed: that of
/// the cells, 3, is not reached, since what a step takes beside its cells grows less.
const COARSER: f64 = 0.5;
const STEEPEST: f64 = 2.5;
/// Fraction of the pixels along each axis in the timed pictures.
const SMALL: [f64; 2] = [1.0 / 16.0, 0.35];
/// Time of a picture in seconds below which it is taken twice.
const BRIEF: f64 = 0.3;
/// Pictures of the timed film; the first is encoded twice.
const FILM_PICTURES: usize = 6;
/// Time of a contact sheet, in seconds: a dozen pictures are read, scaled down and written as one.
const SHEET: f64 = 0.5;

/// Estimates the time of a run that writes these frames. The waters of the plan are advanced and then restored.
///
/// Where the first steps and the first picture show that the run takes less than `negligible` seconds, nothing else is
/// timed and the estimate is rough.
pub fn estimate_time(
    plan: &mut Plan,
    frames: Range<u64>,
    render: bool,
    negligible: f64,
) -> Result<TimeEstimate, SceneErrors> {
    let last = frames.end.min(plan.runner.frame_count()).saturating_sub(1);
    let count = (last + 1).saturating_sub(frames.start) as f64;
    let scratch = ScratchFolder::create();
    let outputs = OutputTimer::new(plan, render, scratch.as_ref().map(|folder| folder.0.as_path()));
    // The waters themselves: the first frame as it would be written, and the first steps
    let first = outputs.time(&plan.runner);
    let steps = first_steps(plan, last)?;
    let interval = 1.0 / plan.scene.fps;
    let rough = if steps.time > 0.0 { steps.seconds * last as f64 * interval / steps.time } else { 0.0 };
    let is_drawn = !outputs.pictures.is_empty();
    let of_frames = |simulate: f64, each: &OutputTimes| TimeEstimate {
        simulate: simulate + count * (each.cache + if is_drawn { 0.0 } else { each.surface }),
        draw: match is_drawn {
            true => count * (each.surface + each.pictures + each.film) + outputs.sheets as f64 * SHEET,
            false => 0.0,
        },
    };
    let estimate = of_frames(rough, &first);
    if last == 0 || estimate.simulate + estimate.draw < negligible {
        return Ok(estimate);
    }
    // The proxy: growth of the cost, and the middle frame
    let middle = frames.start + (last.saturating_sub(frames.start)) / 2;
    let runs = ProxyRuns { plan, outputs: &outputs, last, middle, first_steps: steps.time };
    let Some((proxy, coarser)) = runs.choose(rough, estimate.draw) else { return Ok(estimate) };
    let growth = coarser.map_or(CostGrowth::default(), |coarser| CostGrowth::between(&coarser, &proxy));
    let simulate = proxy.extrapolate(&steps, growth.step, last, interval);
    Ok(of_frames(simulate, &proxy.outputs_of(&first, &growth)))
}

/// Estimated time to draw each of these pictures of a frame, in seconds.
pub fn drawing_seconds(pictures: &[PictureSpec], frame: &Frame) -> f64 {
    pictures.iter().filter_map(|spec| time_picture(spec, frame)).map(|time| time.seconds).sum()
}

/// What steps cost from the beginning of the film to a time.
#[derive(Debug, Clone, Copy, Default)]
struct StepCosts {
    /// Simulated seconds.
    time: Seconds,
    /// Steps of all waters together.
    steps: f64,
    /// Clock time.
    seconds: f64,
    /// Sum over the steps of the inverse stable step, in frames.
    stiffness: f64,
    /// Clock time of the first step, which is longer than others, as it touches its memory for the first time; 0 of costs
    /// that do not contain it.
    first_step: f64,
}

impl StepCosts {
    /// Takes one step and adds its cost; false if it failed.
    fn add_step(&mut self, runner: &mut Runner, interval: Seconds) -> bool {
        let stable =
            runner.waters().iter().map(|water| water.simulation.max_dt()).fold(f64::INFINITY, f64::min);
        let watch = Stopwatch::start();
        let is_sound = runner.next_step().is_ok();
        let seconds = watch.seconds();
        if self.steps == 0.0 {
            self.first_step = seconds;
        }
        self.seconds += seconds;
        self.steps += 1.0;
        self.stiffness += if stable > 0.0 { interval / stable } else { 0.0 };
        self.time = runner.time();
        is_sound
    }

    fn minus(&self, earlier: &StepCosts) -> StepCosts {
        StepCosts {
            time: self.time - earlier.time,
            steps: self.steps - earlier.steps,
            seconds: self.seconds - earlier.seconds,
            stiffness: self.stiffness - earlier.stiffness,
            first_step: 0.0,
        }
    }

    /// Clock time per step, without the first step if there are enough others.
    fn seconds_per_step(&self) -> f64 {
        match self.first_step > 0.0 && self.steps >= 3.0 {
            true => (self.seconds - self.first_step) / (self.steps - 1.0),
            false => self.seconds / self.steps.max(1e-9),
        }
    }

    /// Mean inverse stable step, in frames.
    fn mean_stiffness(&self) -> f64 {
        self.stiffness / self.steps.max(1e-9)
    }
}

/// Advances the waters for [`FIRST_STEPS`] seconds, at most to frame `last`, and restores them.
fn first_steps(plan: &mut Plan, last: u64) -> Result<StepCosts, SceneErrors> {
    let Plan { scene, runner, .. } = plan;
    let start = runner.snapshot();
    let (mut costs, watch) = (StepCosts::default(), Stopwatch::start());
    while runner.frame() < last && watch.seconds() < FIRST_STEPS {
        if !costs.add_step(runner, 1.0 / scene.fps) {
            break;
        }
    }
    if start.is_ok_and(|start| runner.restore_snapshot(&start).is_ok()) {
        return Ok(costs);
    }
    *runner = Runner::new(scene, MODELS, None)?;
    Ok(costs)
}

/// The scene at a lower resolution, after its run.
struct Proxy {
    /// Factor on the resolution.
    scale: f64,
    /// Costs from the beginning to every frame.
    costs: Vec<StepCosts>,
    /// Clock time per step over the first steps of the scene, the least of two passes.
    first_steps: f64,
    first: OutputTimes,
    middle: OutputTimes,
}

/// What the runs of proxies have in common.
struct ProxyRuns<'a> {
    plan: &'a Plan,
    outputs: &'a OutputTimer<'a>,
    /// The last frame, and that whose outputs are timed.
    last: u64,
    middle: u64,
    /// Simulated time of the first steps of the scene.
    first_steps: Seconds,
}

impl ProxyRuns<'_> {
    /// Runs a proxy in about the time that is due to it, given the time that simulating and drawing seem to take. It is run
    /// again with a better resolution where it took much less time, or did not get far enough. Then comes one of
    /// [`COARSER`] resolution, if it can be built.
    fn choose(&self, rough: f64, draw: f64) -> Option<(Proxy, Option<Proxy>)> {
        let target = PROXY.max(PROXY_FRACTION * (rough + draw));
        let allowed = |scale: f64| if scale > 0.8 { 1.0 } else { scale.max(COARSEST) };
        let mut scale = allowed((target / rough).powf(1.0 / GROWTH));
        let mut best: Option<Proxy> = None;
        for _ in 0..ATTEMPTS {
            // A scene may be too coarse to be built: walls thinner than a cell
            let run = [1.0, 1.6].iter().find_map(|finer| self.run(allowed(scale * finer), 2.0 * target));
            let Some(run) = run else { break };
            let reached = run.reached(self.last);
            // The time of the whole film, when the cost per frame grows linearly
            let seconds = run.costs.last().map_or(0.0, |costs| costs.seconds).max(1e-4);
            let next = target * reached.max(0.01).powi(2) / seconds;
            let next = allowed(run.scale * next.powf(1.0 / (GROWTH + 1.0)));
            let is_done = match reached < FAR_ENOUGH {
                true => next > 0.9 * run.scale || best.is_some(),
                false => run.scale == 1.0 || next < 1.3 * run.scale,
            };
            if best.as_ref().is_none_or(|best| reached >= FAR_ENOUGH.min(best.reached(self.last))) {
                best = Some(run);
            }
            if is_done {
                break;
            }
            scale = next;
        }
        let best = best?;
        let coarser = match best.scale < 1.0 {
            // Its pictures are of no use
            true => {
                let outputs = OutputTimer { pictures: Vec::new(), ..self.outputs.clone() };
                ProxyRuns { outputs: &outputs, ..*self }.run(COARSER * best.scale, target)
            }
            false => None,
        };
        Some((best, coarser))
    }

    /// Runs the scene at this scale to the last frame, or as far as it gets in `limit` seconds.
    fn run(&self, scale: f64, limit: f64) -> Option<Proxy> {
        let scene = self.plan.scene.rescaled(scale);
        let mut runner = Runner::new(&scene, MODELS, crate::available_memory()).ok()?;
        let (start, first) = (runner.snapshot().ok()?, self.outputs.time(&runner));
        // The film, with the outputs of its middle frame
        let (mut costs, mut sum, mut middle) = (vec![StepCosts::default()], StepCosts::default(), None);
        while runner.frame() < self.last && sum.seconds < limit {
            let frame = runner.frame();
            if !sum.add_step(&mut runner, 1.0 / scene.fps) {
                break;
            }
            if runner.frame() > frame {
                costs.push(sum);
                if runner.frame() == self.middle {
                    middle = Some(self.outputs.time(&runner));
                }
            }
        }
        let middle = middle.unwrap_or_else(|| self.outputs.time(&runner));
        let mut proxy = Proxy { scale, costs, first_steps: 0.0, first, middle };
        proxy.first_steps = proxy.costs_until(self.first_steps).seconds_per_step();
        // The first steps again, since they are few and short
        runner.restore_snapshot(&start).ok()?;
        let mut again = StepCosts::default();
        while again.time < self.first_steps && again.seconds < limit {
            if !again.add_step(&mut runner, 1.0 / scene.fps) {
                break;
            }
        }
        if again.steps > 0.0 {
            proxy.first_steps = proxy.first_steps.min(again.seconds_per_step());
        }
        Some(proxy)
    }
}

impl Proxy {
    /// The fraction of the film that it simulated.
    fn reached(&self, last: u64) -> f64 {
        (self.costs.len() - 1) as f64 / last.max(1) as f64
    }

    /// Costs up to a simulated time, interpolated between frames.
    fn costs_until(&self, time: Seconds) -> StepCosts {
        let next = self.costs.partition_point(|costs| costs.time < time).min(self.costs.len() - 1);
        let (high, low) = (self.costs[next], self.costs[next.saturating_sub(1)]);
        let part = high.minus(&low);
        let fraction = if part.time > 0.0 { ((time - low.time) / part.time).clamp(0.0, 1.0) } else { 0.0 };
        StepCosts {
            time: low.time + fraction * part.time,
            steps: low.steps + fraction * part.steps,
            seconds: low.seconds + fraction * part.seconds,
            stiffness: low.stiffness + fraction * part.stiffness,
            first_step: high.first_step,
        }
    }

    /// By how much a step of the frames up to `frames` takes longer than one of the first steps, on average, in seconds.
    fn step_excess(&self, frames: usize) -> f64 {
        let excess = |pair: &[StepCosts]| pair[1].minus(&pair[0]).seconds_per_step() - self.first_steps;
        let frames = frames.min(self.costs.len() - 1);
        self.costs[..=frames].windows(2).map(excess).sum::<f64>() / frames.max(1) as f64
    }

    /// Time to simulate the scene to frame `last`, given its first steps and the power of the resolution by which a step
    /// takes longer than they.
    fn extrapolate(&self, steps: &StepCosts, growth: f64, last: u64, interval: Seconds) -> f64 {
        let reached = (self.costs.len() - 1) as u64;
        if reached == 0 {
            return steps.seconds * last as f64 * interval / steps.time.max(1e-300);
        }
        // Ratios between the scene and the proxy over the same first frames
        let same = self.costs_until(steps.time);
        let is_same = self.scale == 1.0;
        let kappa = if is_same { 1.0 } else { steps.seconds_per_step() / self.first_steps };
        let stiffness = steps.mean_stiffness() / same.mean_stiffness();
        let q =
            if stiffness.is_finite() { stiffness.clamp(1.0, self.scale.powi(-2)) } else { 1.0 / self.scale };
        let kappa_excess = kappa.max(self.scale.powf(-growth));
        // Sum over the frames; beyond the end of the proxy, the mean of the last quarter is repeated
        let frame_seconds = |pair: &[StepCosts]| {
            let frame = pair[1].minus(&pair[0]);
            let whole_steps = |stiffness: f64| (stiffness - 1e-9).ceil().max(1.0);
            let stiffness = frame.mean_stiffness();
            let count = frame.steps * whole_steps(q * stiffness) / whole_steps(stiffness);
            let seconds = frame.seconds_per_step();
            (kappa * seconds + (kappa_excess - kappa) * (seconds - self.first_steps).max(0.0)) * count
        };
        let seconds: Vec<f64> = self.costs.windows(2).map(frame_seconds).collect();
        let tail = &seconds[3 * seconds.len() / 4..];
        let rest = tail.iter().sum::<f64>() / tail.len() as f64 * (last - reached.min(last)) as f64;
        seconds.iter().sum::<f64>() + rest
    }

    /// Times of the middle frame's outputs in the scene, given those of its first frame.
    fn outputs_of(&self, scene: &OutputTimes, growth: &CostGrowth) -> OutputTimes {
        let (first, middle) = (&self.first, &self.middle);
        let time = |part: fn(&OutputTimes) -> f64, growth: f64| {
            // A millisecond keeps ratios of times that the clock cannot resolve near one
            let ratio = ((part(scene) + 1e-3) / (part(first) + 1e-3)).clamp(1.0, self.scale.powi(-3));
            let ratio_excess = ratio.max(self.scale.powf(-growth));
            ratio * part(middle) + (ratio_excess - ratio) * (part(middle) - part(first)).max(0.0)
        };
        OutputTimes {
            surface: time(|times| times.surface, growth.surface),
            cache: time(|times| times.cache, growth.cache),
            // The set-up of a picture depends on the resolution of the water, its pixels do not
            pictures: middle.pictures + (scene.small_pictures - first.small_pictures).max(0.0),
            small_pictures: middle.small_pictures,
            film: middle.film,
        }
    }
}

/// Powers of the resolution with which costs beyond those of the first frame grow; 0 where they are not known.
#[derive(Debug, Clone, Copy, Default)]
struct CostGrowth {
    /// Of a step.
    step: f64,
    /// Of the middle frame's outputs.
    surface: f64,
    cache: f64,
}

impl CostGrowth {
    fn between(coarse: &Proxy, fine: &Proxy) -> CostGrowth {
        let power = |coarse_cost: f64, fine_cost: f64| {
            let power = (fine_cost / coarse_cost).ln() / (fine.scale / coarse.scale).ln();
            let is_known = coarse_cost > 0.0 && fine_cost > 0.0 && power.is_finite();
            if is_known { power.clamp(0.0, STEEPEST) } else { 0.0 }
        };
        let frames = coarse.costs.len().min(fine.costs.len()) - 1;
        let of_output = |part: fn(&OutputTimes) -> f64| {
            let excess = |proxy: &Proxy| part(&proxy.middle) - part(&proxy.first);
            power(excess(coarse), excess(fine))
        };
        CostGrowth {
            step: power(coarse.step_excess(frames), fine.step_excess(frames)),
            surface: of_output(|times| times.surface),
            cache: of_output(|times| times.cache),
        }
    }
}

/// Seconds that a frame takes beside its simulation.
#[derive(Debug, Clone, Copy, Default)]
struct OutputTimes {
    /// Capture and meshes.
    surface: f64,
    /// Storing it in the cache.
    cache: f64,
    /// Drawing the pictures and writing them.
    pictures: f64,
    /// Drawing the small pictures, from which that is extrapolated.
    small_pictures: f64,
    /// Encoding them in films.
    film: f64,
}

/// Times the outputs of a frame.
#[derive(Clone)]
struct OutputTimer<'a> {
    tessellation: Tessellation,
    pictures: Vec<PictureSpec>,
    request: FrameRequest,
    cache: Option<Cache>,
    scratch: Option<&'a Path>,
    fps: f64,
    films: bool,
    /// Number of contact sheets.
    sheets: usize,
}

impl<'a> OutputTimer<'a> {
    fn new(plan: &Plan, render: bool, scratch: Option<&'a Path>) -> OutputTimer<'a> {
        let pictures = if render { plan.pictures.clone() } else { Vec::new() };
        let cache = scratch
            .filter(|_| plan.outputs.cache)
            .and_then(|folder| Cache::create(&folder.join("cache"), manifest_of(&plan.scene)).ok());
        let stored = cache.iter().map(|cache| CacheSink::new(cache.clone(), 1).request());
        let requests = pictures.iter().map(PictureSpec::request).chain(stored);
        OutputTimer {
            request: requests.fold(FrameRequest::default(), FrameRequest::or),
            tessellation: plan.tessellation.clone(),
            cache,
            scratch,
            fps: plan.scene.fps * plan.outputs.speed,
            films: plan.outputs.film,
            sheets: if plan.outputs.sheet { pictures.len() } else { 0 },
            pictures,
        }
    }

    /// Captures, stores and draws a frame.
    fn time(&self, runner: &Runner) -> OutputTimes {
        let watch = Stopwatch::start();
        let mut frame = crate::capture(runner, &self.request, &self.tessellation);
        let mut times = OutputTimes { surface: watch.seconds(), ..OutputTimes::default() };
        if let Some(cache) = &self.cache {
            // What all frames share is stored with the first
            let _ = cache.write(&frame);
            frame.index += 1;
            let watch = Stopwatch::start();
            let _ = cache.write(&frame);
            times.cache = watch.seconds();
            frame.index -= 1;
        }
        for spec in &self.pictures {
            let Some(PictureTime { seconds, small, picture }) = time_picture(spec, &frame) else { continue };
            times.pictures += seconds;
            times.small_pictures += small;
            let Some(folder) = self.scratch else { continue };
            let pixels = f64::from(spec.width) * f64::from(spec.height);
            let scale = pixels / (f64::from(picture.width) * f64::from(picture.height));
            let [write, film] = time_files(&picture, self.fps, folder);
            times.pictures += scale * write;
            times.film += if self.films { scale * film } else { 0.0 };
        }
        times
    }
}

/// Time of a picture, extrapolated from small ones.
struct PictureTime {
    /// Estimated seconds to draw it.
    seconds: f64,
    /// Seconds that the larger of the small ones took, and that picture.
    small: f64,
    picture: Picture,
}

/// Estimated time to draw a picture of a frame, from two small ones.
fn time_picture(spec: &PictureSpec, frame: &Frame) -> Option<PictureTime> {
    let timed = |fraction: f64| {
        let size = [spec.width, spec.height].map(|pixels| ((f64::from(pixels) * fraction) as u32).max(8));
        let small =
            PictureSpec { width: size[0].min(spec.width), height: size[1].min(spec.height), ..spec.clone() };
        let mut best: Option<(f64, Picture)> = None;
        // The least of two times where they are short, as other programs may interrupt
        while best.as_ref().is_none_or(|(seconds, _)| *seconds < BRIEF) {
            let watch = Stopwatch::start();
            let picture = draw(&small, frame).ok()?;
            let seconds = watch.seconds();
            if let Some((earlier, picture)) = best {
                best = Some((earlier.min(seconds), picture));
                break;
            }
            best = Some((seconds, picture));
        }
        let (seconds, picture) = best?;
        Some((f64::from(small.width) * f64::from(small.height), seconds, picture))
    };
    let ((few, setup, _), (more, small, picture)) = (timed(SMALL[0])?, timed(SMALL[1])?);
    let pixels = f64::from(spec.width) * f64::from(spec.height);
    let per_pixel = ((small - setup) / (more - few).max(1.0)).max(0.0);
    let seconds = small + per_pixel * (pixels - more).max(0.0);
    Some(PictureTime { seconds, small, picture })
}

/// Seconds to write a picture as PNG, and to encode it in a film on all threads.
fn time_files(picture: &Picture, fps: f64, folder: &Path) -> [f64; 2] {
    let (width, height) = (picture.width, picture.height);
    // Every picture is moved up by a row, since what stands still is encoded for almost nothing
    let mut rgb = picture.rgb.clone();
    let watch = Stopwatch::start();
    let mut files = Vec::new();
    for number in 0..FILM_PICTURES {
        let file = PictureSink::file(folder, number as u64);
        if write_rgb8(&file, width, height, &rgb).is_err() {
            return [0.0; 2];
        }
        files.push(file);
        rgb.rotate_left((3 * width as usize).min(picture.rgb.len()));
    }
    let write = watch.seconds() / FILM_PICTURES as f64;
    let watch = Stopwatch::start();
    let encoded = encode_film(&files, fps, &folder.join("film.mp4"), FilmQuality::GOOD, |_, _| {});
    let film = watch.seconds() / (FILM_PICTURES + 1) as f64 / rayon::current_num_threads().max(1) as f64;
    [write, if encoded.is_ok() { film } else { 0.0 }]
}

/// A folder for the files that are timed, removed at the end.
struct ScratchFolder(PathBuf);

impl ScratchFolder {
    /// A new folder, or `None` where none can be made: then no files are timed.
    fn create() -> Option<ScratchFolder> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("undine-estimate-{}-{number}", std::process::id()));
        std::fs::create_dir(&folder).ok().map(|()| ScratchFolder(folder))
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        // A folder that stays does no harm
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use undine_scene::{LoadOptions, Scene};
    use undine_sim::Writer;

    use super::*;

    fn plan(text: &str) -> Plan {
        let text = format!("[scene]\nduration = 0.5\n{text}\n[[picture]]\nsize = [64, 36]\n");
        Plan::new(Scene::parse("made", &text, &LoadOptions::default()).unwrap(), None).unwrap()
    }

    fn state(runner: &Runner) -> Vec<u8> {
        let mut bytes = Vec::new();
        runner.save(&mut Writer::new(&mut bytes)).unwrap();
        bytes
    }

    #[test]
    fn an_estimate_leaves_the_waters_as_they_were() {
        for water in [
            "[[water]]\nkind = 'liquid'\nsize = [1, 1]\nheight = 1\nresolution = 12\n\
             [[fill]]\nkind = 'box'\nat = [0.25, 0.5, 0.3]\nsize = [0.5, 1, 0.6]",
            "[[water]]\nkind = 'kass-miller'\nsize = [4, 4]\nresolution = 24\nlevel = 1\n\
             [[act]]\nkind = 'drop'\nframe = 1\nat = [2, 2]\nradius = 0.5\nvolume = 0.1",
        ] {
            let (mut timed, mut untouched) = (plan(water), plan(water));
            let estimate = estimate_time(&mut timed, 0..13, true, 0.0).unwrap();
            assert!(estimate.simulate > 0.0 && estimate.draw > 0.0, "{estimate:?}");
            assert_eq!(timed.runner.frame(), 0);
            for _ in 0..3 {
                assert!(state(&timed.runner) == state(&untouched.runner), "the state differs");
                timed.runner.next_frame().unwrap();
                untouched.runner.next_frame().unwrap();
            }
        }
    }

    // Costs of frames of 1 s with these steps each, of this stiffness and clock time per step.
    fn costs(frames: &[(f64, f64, f64)]) -> Vec<StepCosts> {
        let mut all = vec![StepCosts::default()];
        for &(steps, stiffness, seconds) in frames {
            let last = all[all.len() - 1];
            all.push(StepCosts {
                time: last.time + 1.0,
                steps: last.steps + steps,
                seconds: last.seconds + steps * seconds,
                stiffness: last.stiffness + steps * stiffness,
                first_step: 0.0,
            });
        }
        all
    }

    #[test]
    fn the_growth_of_the_proxy_is_applied_to_the_first_steps() {
        let output = OutputTimes::default();
        let proxy = |costs: Vec<StepCosts>| Proxy {
            scale: 0.5,
            first_steps: costs[1].seconds_per_step(),
            costs,
            first: output,
            middle: output,
        };
        // At half the resolution: half the steps, an eighth of the time for each. The flow becomes four times as fast and
        // its steps twice as expensive: (2·8 + 2·8 + 8·16 + 8·16) s at the full resolution
        let half = proxy(costs(&[(1.0, 1.0, 1.0), (1.0, 1.0, 1.0), (4.0, 4.0, 2.0), (4.0, 4.0, 2.0)]));
        let steps = StepCosts { time: 1.0, steps: 2.0, seconds: 16.0, stiffness: 4.0, first_step: 0.0 };
        assert!((half.extrapolate(&steps, 0.0, 4, 1.0) - 288.0).abs() < 1e-9);
        // A proxy that did not reach the end goes on as in its last frames
        assert!((half.extrapolate(&steps, 0.0, 6, 1.0) - 288.0 - 256.0).abs() < 1e-9);
        // One step per frame as long as the stable step exceeds it: 1, 1, 2 and 2 steps of 8 s
        let slow = proxy(costs(&[(1.0, 0.25, 1.0), (1.0, 0.25, 1.0), (1.0, 1.0, 1.0), (1.0, 1.0, 1.0)]));
        let steps = StepCosts { time: 1.0, steps: 1.0, seconds: 8.0, stiffness: 0.5, first_step: 0.0 };
        assert!((slow.extrapolate(&steps, 0.0, 4, 1.0) - 48.0).abs() < 1e-9);
        // Closed forms are stable for any step
        let closed = proxy(costs(&[(1.0, 0.0, 1.0); 4]));
        let steps = StepCosts { time: 2.0, steps: 2.0, seconds: 8.0, stiffness: 0.0, first_step: 0.0 };
        assert!((closed.extrapolate(&steps, 0.0, 4, 1.0) - 16.0).abs() < 1e-9);
    }

    fn outputs(each: f64) -> OutputTimes {
        OutputTimes { surface: each, cache: each, pictures: each, small_pictures: each, film: each }
    }

    #[test]
    fn outputs_of_the_proxy_are_scaled_by_the_first_frame() {
        let scaled = |middle: f64, scene: f64, first: f64| {
            let (first, middle) = (outputs(first), outputs(middle));
            let proxy = Proxy { scale: 0.5, costs: costs(&[]), first_steps: 0.0, first, middle };
            proxy.outputs_of(&outputs(scene), &CostGrowth::default())
        };
        let times = scaled(2.0, 3.0, 1.0);
        assert!((times.surface - 6.0).abs() < 0.01 && times.pictures == 4.0 && times.film == 2.0);
        // At most by the volume of the finer lattice, and never down
        assert_eq!(scaled(2.0, 90.0, 1.0).cache, 16.0);
        let times = scaled(2.0, 1.0, 3.0);
        assert_eq!((times.surface, times.pictures), (2.0, 2.0));
    }

    #[test]
    fn what_an_empty_first_frame_hides_grows_as_between_two_proxies() {
        // A glass that is filled: steps take 1 s while it is empty, at any resolution, and 1 s + 64 s · scale² later
        let run = |scale: f64| {
            let full = 64.0 * scale * scale;
            Proxy {
                scale,
                costs: costs(&[(1.0, 0.0, 1.0), (1.0, 0.0, 1.0 + full), (1.0, 0.0, 1.0 + full)]),
                first_steps: 1.0,
                first: outputs(1.0),
                middle: outputs(1.0 + full),
            }
        };
        let (proxy, coarser) = (run(0.5), run(0.25));
        let growth = CostGrowth::between(&coarser, &proxy);
        assert!((growth.step - 2.0).abs() < 1e-9 && (growth.surface - 2.0).abs() < 1e-9, "{growth:?}");
        let steps = StepCosts { time: 1.0, steps: 1.0, seconds: 1.0, stiffness: 0.0, first_step: 0.0 };
        assert!((proxy.extrapolate(&steps, growth.step, 3, 1.0) - (3.0 + 2.0 * 64.0)).abs() < 1e-6);
        assert!((proxy.outputs_of(&outputs(1.0), &growth).surface - 65.0).abs() < 1e-6);
        // Costs that do not grow in the coarser one say nothing
        let still = Proxy { costs: costs(&[(1.0, 0.0, 1.0); 3]), middle: outputs(1.0), ..run(0.25) };
        let growth = CostGrowth::between(&still, &proxy);
        assert_eq!((growth.step, growth.surface), (0.0, 0.0));
    }
}
