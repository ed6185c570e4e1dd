//! A scene, read whole: everything is checked, and its waters stand ready.

use undine_frame::FieldChoice;
use undine_models::MODELS;
use undine_render::{Effort, PictureKind, PictureSpec, Pictures};
use undine_scene::{Problem, Scene, SceneErrors};
use undine_sim::{FieldInfo, Gauge, Runner, SurfaceView, View, offered_fields, water_labels};
use undine_surface::{SURFACE, Tessellation, metaball_fields};

use crate::{Outputs, check_sections};

/// A scene that is ready to run.
///
/// ```
/// let scene = undine::open("pond", &undine::LoadOptions::default())?;
/// let plan = undine::Plan::new(scene, undine::available_memory())?;
/// assert_eq!(plan.runner.frame_count(), 193);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Plan {
    /// The scene.
    pub scene: Scene,
    /// Its waters.
    pub runner: Runner,
    /// What is measured in every frame.
    pub gauges: Vec<Gauge>,
    /// How meshes are made.
    pub tessellation: Tessellation,
    /// The pictures to make of it.
    pub pictures: Vec<PictureSpec>,
    /// How much work those of them get that leave it to this machine: the number of the picture and the effort, which it
    /// already has.
    pub efforts: Vec<(usize, Effort)>,
    /// What else to write.
    pub outputs: Outputs,
}

impl Plan {
    /// Reads every section of the scene and builds its waters; all problems are reported together.
    ///
    /// `memory` is what the waters may use in bytes; more is refused before it is allocated.
    pub fn new(scene: Scene, memory: Option<u64>) -> Result<Plan, SceneErrors> {
        let mut errors = check_sections(&scene);
        let mut pictures = errors.keep(Pictures::read(&scene));
        // Whatever part of the film a run makes, it is a part of the same film.
        let efforts = pictures.as_mut().map(|pictures| fit_to_machine(pictures, scene.frame_count()));
        let outputs = errors.keep(Outputs::read(&scene));
        let runner = errors.keep(Runner::new(&scene, MODELS, memory));
        let tessellation = errors.keep(Tessellation::read(&scene));
        if let (Some(pictures), Some(runner), Some(tessellation)) = (&pictures, &runner, &tessellation) {
            errors.absorb(check_pictures(
                &scene,
                pictures,
                &known_fields(runner, tessellation),
                outputs.as_ref().filter(|outputs| outputs.film).map(|outputs| outputs.speed),
            ));
        }
        if let Some(runner) = &runner {
            errors.absorb(check_surfaces(&scene, runner));
        }
        let gauges = runner.as_ref().and_then(|runner| errors.keep(Gauge::read_all(&scene, runner)));
        match (pictures, outputs, runner, gauges, tessellation) {
            (Some(pictures), Some(outputs), Some(runner), Some(gauges), Some(tessellation))
                if errors.is_empty() =>
            {
                let efforts = efforts.unwrap_or_default();
                Ok(Plan { scene, runner, gauges, tessellation, pictures, efforts, outputs })
            }
            _ => Err(errors),
        }
    }

    /// What the builders of the waters want said.
    pub fn warnings(&self) -> impl Iterator<Item = &Problem> {
        self.runner.waters().iter().flat_map(|water| &water.warnings)
    }

    /// Memory that the waters and the largest picture will need, in bytes.
    pub fn memory(&self) -> u64 {
        let waters: u64 = self.runner.waters().iter().map(|water| water.estimate.bytes).sum();
        waters + self.pictures.iter().map(PictureSpec::memory).max().unwrap_or(0)
    }

    /// Seconds that simulating one frame will take on so many threads, roughly.
    pub fn seconds_per_frame(&self, threads: usize) -> f64 {
        let work: f64 = self.runner.waters().iter().map(|water| water.estimate.seconds_per_frame).sum();
        work / threads.max(1) as f64
    }

    /// Seconds that drawing one frame will take on so many threads, roughly.
    pub fn seconds_to_draw(&self, threads: usize) -> f64 {
        self.pictures.iter().map(PictureSpec::estimate).sum::<f64>() / threads.max(1) as f64
    }
}

/// A `[[surface]]` without a liquid is a slip, not a wish that may be passed over.
pub fn check_surfaces(scene: &Scene, runner: &Runner) -> SceneErrors {
    let is_liquid =
        |view: &View<'_>| view.surfaces.iter().any(|surface| matches!(surface, SurfaceView::Liquid(_)));
    let mut errors = SceneErrors::default();
    if runner.waters().iter().all(|water| !is_liquid(&water.simulation.view())) {
        let surfaces = scene.sections(SURFACE.name);
        let message = "no water of this scene has the surface of a liquid";
        errors.extend(surfaces.first().map(|section| section.problem("", message, "remove [[surface]]")));
    }
    errors
}

/// What only shows when pictures, waters and outputs are known together: fields that no water has, and pictures too large
/// for a film.
fn check_pictures(
    scene: &Scene,
    pictures: &[PictureSpec],
    fields: &[FieldInfo],
    film_speed: Option<f64>,
) -> SceneErrors {
    let is_known = |choice: &FieldChoice| fields.iter().any(|field| choice.fits(&field.name, field.quantity));
    let mut errors = SceneErrors::default();
    let film = film_speed.is_some();
    let shown_per_second = scene.fps * film_speed.unwrap_or(1.0);
    if film && !(0.01..=1000.0).contains(&shown_per_second) {
        let message = format!("a film cannot have {shown_per_second} frames a second");
        let remedy = "choose fps and the speed in [output] so that it has 0.01 to 1000, or set film = false";
        errors.push(scene.section("scene").problem("fps", message, remedy));
    }
    for (section, picture) in scene.sections("picture").iter().zip(pictures) {
        if film && !undine_export::film::can_hold(picture.width, picture.height) {
            let message = format!("{} × {} pixels are too many for a film", picture.width, picture.height);
            let remedy = "choose at most 3840 × 2160, or set film = false in [output]";
            errors.push(section.problem("size", message, remedy));
        }
        for (key, wanted) in fields_of(picture).into_iter().filter(|(_, wanted)| !is_known(wanted)) {
            let remedy =
                undine_scene::known_words(wanted.name(), fields.iter().map(|field| field.name.as_str()));
            errors.push(section.problem(key, format!("no water has a field {:?}", wanted.name()), remedy));
        }
    }
    errors
}

/// The fields that frames will have.
fn known_fields(runner: &Runner, tessellation: &Tessellation) -> Vec<FieldInfo> {
    let mut fields = offered_fields(runner);
    let melted = metaball_fields(&water_labels(runner), &tessellation.metaballs);
    fields.extend(melted.into_iter().map(|name| FieldInfo { name, ..FieldInfo::default() }));
    fields
}

/// The fields that a picture must find, each with the key that names it.
fn fields_of(picture: &PictureSpec) -> Vec<(&'static str, FieldChoice)> {
    match &picture.kind {
        PictureKind::Plot(plot) => {
            let asked =
                [("field", &plot.field), ("arrows", &plot.arrows), ("streamlines", &plot.streamlines)];
            let named = |(key, field): (_, &Option<String>)| Some((key, field.as_deref()?.into()));
            asked.into_iter().filter_map(named).collect()
        }
        PictureKind::Trace(trace) => {
            trace.scene.smoke.field.iter().map(|field| ("smoke", field.as_str().into())).collect()
        }
        PictureKind::Preview(preview) => {
            preview.smoke.field.iter().map(|field| ("smoke", field.as_str().into())).collect()
        }
        PictureKind::Classic(_) => Vec::new(),
        PictureKind::Flat(flat) => flat.fields().map(|field| ("layer", field.clone())).collect(),
    }
}

/// Chooses how much work the pictures get that leave it to this machine, of each of which there will be `count`; gives the
/// number of each such picture with its effort.
///
/// All processors count, whatever number of threads is used: the pictures must not depend on that.
pub fn fit_to_machine(pictures: &mut [PictureSpec], count: u64) -> Vec<(usize, Effort)> {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let chosen = pictures.iter().map(|picture| picture.effort(count, processors)).enumerate();
    let efforts: Vec<(usize, Effort)> =
        chosen.filter_map(|(number, effort)| Some((number, effort?))).collect();
    set_efforts(pictures, &efforts);
    efforts
}

/// Gives pictures the efforts that were chosen for them.
pub(crate) fn set_efforts(pictures: &mut [PictureSpec], efforts: &[(usize, Effort)]) {
    for (number, effort) in efforts {
        if let Some(picture) = pictures.get_mut(*number) {
            *picture = std::mem::take(picture).with_effort(effort);
        }
    }
}

/// Memory that is free for use on this machine, in bytes.
#[cfg(not(target_arch = "wasm32"))]
pub fn available_memory() -> Option<u64> {
    let mut system = sysinfo::System::new().ok()?;
    system.refresh_memory();
    let in_group = system.cgroup_limits().map(|limits| limits.free_memory);
    let free = in_group.map_or(system.available_memory(), |limit| limit.min(system.available_memory()));
    (free > 0).then_some(free)
}

/// Memory that is free for use in this page, in bytes.
#[cfg(target_arch = "wasm32")]
pub fn available_memory() -> Option<u64> {
    // A page can address 4 GiB; a browser may refuse long before, and one array cannot have more than half of it.
    const MOST: u64 = 2 << 30;
    let used = (std::arch::wasm32::memory_size(0) as u64) << 16;
    Some(MOST.saturating_sub(used))
}
