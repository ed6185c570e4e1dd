//! Frames and pictures of a run, as the panes request them.

use std::sync::Arc;

use glam::{Vec2, Vec3};
use undine::render::flat::page_window;
use undine::render::props::pose;
use undine::render::{Camera, PictureKind, Pictures};
use undine::scene::Timed;
use undine::sim::{Runner, Sample, SurfaceView};
use undine::{Frame, FrameRequest};

use super::run::SceneRun;
use crate::request::CpuRender;
use crate::update::CpuPicture;

/// The requested parts of a run's frame, with its props.
pub(super) fn capture_frame(run: &SceneRun, request: &FrameRequest) -> Frame {
    let runner = &run.runner;
    // Metaballs are shown whether or not meshes are requested
    let melts = !run.tessellation.metaballs.is_empty();
    let request = FrameRequest { liquid_meshes: request.liquid_meshes || melts, ..request.clone() };
    let mut frame = undine::capture(runner, &request, &run.tessellation);
    // A prop without a place at this time is not shown; the film reports it
    let bodies = pose(&run.props, runner.time(), |at| water_at(runner, at));
    frame.bodies.extend(bodies.unwrap_or_default());
    frame
}

/// Height and normal of the water at a point, for floating props.
fn water_at(runner: &Runner, at: Vec2) -> Option<(f32, Vec3)> {
    let at = at.as_dvec2();
    let normal = runner.normal(at).map_or(Vec3::Z, |normal| normal.as_vec3());
    runner.height(at).map(|height| (height as f32, normal))
}

/// The first picture of the scene, rendered on the CPU as a preview of one sample, from another eye if one is given.
pub(super) fn render_picture(run: &SceneRun, cpu_render: &CpuRender) -> Option<CpuPicture> {
    let pictures = Pictures::read(run.runner.scene()).ok()?;
    let mut spec = pictures.into_iter().next()?;
    if let PictureKind::Trace(trace) = &spec.kind {
        spec.kind = PictureKind::Preview(trace.scene.clone());
    }
    if let PictureKind::Preview(preview) = &mut spec.kind {
        preview.samples = 1;
    }
    [spec.width, spec.height] = cpu_render.size.map(|pixels| pixels.max(1));
    if let Some((eye, target, field)) = cpu_render.eye {
        spec.camera = Camera {
            eye: Some(eye.into()),
            target: Some(target.into()),
            field: Some(Timed::constant(f64::from(field))),
            ..Camera::default()
        };
    }
    let frame = undine::capture(&run.runner, &spec.request(), &run.tessellation);
    let window = match &spec.kind {
        PictureKind::Flat(flat) => {
            page_window(flat, cpu_render.size.map(|pixels| pixels as usize), &frame).ok()
        }
        _ => None,
    };
    let picture = Arc::new(undine::render::draw(&spec, &frame).ok()?);
    Some(CpuPicture { request: *cpu_render, picture, window })
}

/// Whether any water has a surface in space, rather than only 2-D fields.
pub(super) fn has_surface(runner: &Runner) -> bool {
    runner.waters().iter().any(|water| match water.simulation.view().surfaces.first() {
        Some(SurfaceView::Height(_) | SurfaceView::Sheet(_)) => true,
        Some(SurfaceView::Liquid(liquid)) => liquid.distance.size()[2] > 1,
        Some(SurfaceView::Curve(_)) | None => false,
    })
}
