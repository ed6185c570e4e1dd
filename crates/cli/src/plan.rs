//! A plan: all sections of a scene read and checked, and its waters built.

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
    /// Its gauges, measured in every frame.
    pub gauges: Vec<Gauge>,
    /// Settings of the tessellation.
    pub tessellation: Tessellation,
    /// The pictures to draw.
    pub pictures: Vec<PictureSpec>,
    /// The rendering efforts that were chosen for this machine, by the index of the picture. They are already applied to
    /// `pictures`.
    pub efforts: Vec<(usize, Effort)>,
    /// The other outputs.
    pub outputs: Outputs,
}

impl Plan {
    /// Reads every section of the scene and builds its waters; all problems are reported together.
    ///
    /// `memory` is the limit of the waters in bytes; more is refused before it is allocated.
    pub fn new(scene: Scene, memory: Option<u64>) -> Result<Plan, SceneErrors> {
        let mut errors = check_sections(&scene);
        let mut pictures = errors.keep(Pictures::read(&scene));
        // The effort depends on all frames of the scene, so that any part of the film has the same one
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

    /// Warnings from building the waters.
    pub fn warnings(&self) -> impl Iterator<Item = &Problem> {
        self.runner.waters().iter().flat_map(|water| &water.warnings)
    }

    /// Estimated memory of the waters and the largest picture, in bytes.
    pub fn memory(&self) -> u64 {
        let waters: u64 = self.runner.waters().iter().map(|water| water.estimate.bytes).sum();
        waters + self.pictures.iter().map(PictureSpec::memory).max().unwrap_or(0)
    }

    /// Has the pictures traced that the scene leaves open, with an effort chosen for the machine.
    pub fn trace_open_pictures(&mut self) {
        for picture in &mut self.pictures {
            *picture = std::mem::take(picture).traced_if_open();
        }
        self.efforts.extend(fit_to_machine(&mut self.pictures, self.scene.frame_count()));
        self.efforts.sort_by_key(|(number, _)| *number);
    }
}

/// Refuses a `[[surface]]` in a scene without a liquid, an outline, or heights that it draws as splines.
pub fn check_surfaces(scene: &Scene, runner: &Runner) -> SceneErrors {
    let is_liquid = |view: &View<'_>| {
        view.surfaces.iter().any(|surface| match surface {
            SurfaceView::Liquid(_) | SurfaceView::Curve(_) => true,
            SurfaceView::Height(_) => {
                scene.sections(SURFACE.name).iter().any(|section| section.has("spline"))
            }
            SurfaceView::Sheet(_) => false,
        })
    };
    let mut errors = SceneErrors::default();
    if runner.waters().iter().all(|water| !is_liquid(&water.simulation.view())) {
        let surfaces = scene.sections(SURFACE.name);
        let message = "no water of this scene has the surface of a liquid";
        errors.extend(surfaces.first().map(|section| section.problem("", message, "remove [[surface]]")));
    }
    errors
}

/// Checks that need pictures, waters and outputs together: fields that no water has, pictures too large for a film, and
/// its frame rate.
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
    let metaballs = metaball_fields(&water_labels(runner), &tessellation.metaballs);
    fields.extend(metaballs.into_iter().map(|name| FieldInfo { name, ..FieldInfo::default() }));
    fields
}

/// The fields that a picture refers to, each with the key that names it.
fn fields_of(picture: &PictureSpec) -> Vec<(&'static str, FieldChoice)> {
    match &picture.kind {
        PictureKind::Plot(plot) => {
            let keys = [("field", &plot.field), ("arrows", &plot.arrows), ("streamlines", &plot.streamlines)];
            let named = |(key, field): (_, &Option<String>)| Some((key, field.as_deref()?.into()));
            keys.into_iter().filter_map(named).collect()
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

/// Chooses and applies the rendering effort of the pictures that leave it open, for `count` frames; returns the index and
/// effort of each.
///
/// It depends on the number of processors, not on that of the threads in use: pictures must not depend on the latter.
pub fn fit_to_machine(pictures: &mut [PictureSpec], count: u64) -> Vec<(usize, Effort)> {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let chosen = pictures.iter().map(|picture| picture.effort(count, processors)).enumerate();
    let efforts: Vec<(usize, Effort)> =
        chosen.filter_map(|(number, effort)| Some((number, effort?))).collect();
    set_efforts(pictures, &efforts);
    efforts
}

/// Applies the chosen efforts to pictures.
pub(crate) fn set_efforts(pictures: &mut [PictureSpec], efforts: &[(usize, Effort)]) {
    for (number, effort) in efforts {
        if let Some(picture) = pictures.get_mut(*number) {
            *picture = std::mem::take(picture).with_effort(effort);
        }
    }
}

/// Available memory of this machine or its control group, in bytes.
#[cfg(not(target_arch = "wasm32"))]
pub fn available_memory() -> Option<u64> {
    let mut system = sysinfo::System::new().ok()?;
    system.refresh_memory();
    let in_group = system.cgroup_limits().map(|limits| limits.free_memory);
    let free = in_group.map_or(system.available_memory(), |limit| limit.min(system.available_memory()));
    (free > 0).then_some(free)
}

/// Available memory of this page, in bytes.
#[cfg(target_arch = "wasm32")]
pub fn available_memory() -> Option<u64> {
    // A page can address 4 GiB; a browser may allow less, and one array at most half of it
    const MAX_BYTES: u64 = 2 << 30;
    let used = (std::arch::wasm32::memory_size(0) as u64) << 16;
    Some(MAX_BYTES.saturating_sub(used))
}
