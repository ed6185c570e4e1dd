//! From what waters show of themselves to what is drawn and told.

use glam::{Vec2, Vec3};
use undine::frame::{Frame, Wants};
use undine::render::props::pose;
use undine::render::{Camera, Picture, PictureKind, Pictures};
use undine::scene::Timed;
use undine::sim::{HeightView, Lattice, Runner, Sample, SurfaceView, Water};
use undine::surface::{points, prefix, raster};
use undine_gpu::{Heights, Subject};

use super::run::Run;
use crate::news::FieldNews;
use crate::order::{Easel, Wanted};

/// What the panes want of a run, as plain data.
pub(super) fn subject(run: &Run, wanted: &Wanted) -> Subject {
    let runner = &run.runner;
    let mut subject = Subject { time: runner.time(), ..Subject::default() };
    let are_several = runner.waters().len() > 1;
    for water in runner.waters() {
        add_water(water, are_several, wanted, &mut subject);
    }
    if wanted.has_liquid_mesh || !run.metaballs.is_empty() {
        let frame = surfaces(run);
        let is_new = |name: &str| subject.heights.iter().all(|heights| heights.name != name);
        let meshes: Vec<_> = frame.meshes.into_iter().filter(|mesh| is_new(&mesh.name)).collect();
        let names: Vec<String> = meshes.iter().map(|mesh| mesh.name.clone()).collect();
        subject.meshes.retain(|mesh| !names.contains(&mesh.name));
        subject.meshes.extend(meshes);
    }
    subject.bodies.extend(pose(&run.props, runner.time(), |at| water_at(runner, at)));
    subject
}

/// Height and normal of the water at a place, for what floats on it.
fn water_at(runner: &Runner, at: Vec2) -> Option<(f32, Vec3)> {
    let at = at.as_dvec2();
    let normal = runner.normal(at).map_or(Vec3::Z, |normal| normal.as_vec3());
    runner.height(at).map(|height| (height as f32, normal))
}

/// The closed meshes of liquids and of particles that melt together.
fn surfaces(run: &Run) -> Frame {
    let wants = Wants { meshes: true, liquid_meshes: true, ..Wants::default() };
    undine::surface::capture(&run.runner, &run.metaballs, &run.surfaces, wants)
}

fn add_water(water: &Water, are_several: bool, wanted: &Wanted, subject: &mut Subject) {
    let view = water.simulation.view();
    let is_flat = view.fields.iter().all(|field| field.samples.size()[2] == 1);
    match &view.surface {
        Some(SurfaceView::Height(height)) if wanted.has_surface => {
            subject.heights.push(heights(&water.name, height));
        }
        Some(SurfaceView::Sheet(sheet)) if wanted.has_surface => {
            subject.meshes.push(undine::surface::sheet_mesh(&water.name, sheet));
        }
        Some(SurfaceView::Liquid(liquid)) if !is_flat => {
            subject.tank = Some(liquid.bounds.map(|corner| corner.map(|along| along as f32)));
        }
        _ => {}
    }
    if wanted.has_particles {
        subject.points.extend(view.particles.as_ref().map(|particles| points(&water.name, particles)));
    }
    let prefix = prefix(water, are_several);
    let is_wanted = |name: &str| wanted.fields.iter().any(|field| field.strip_prefix(&prefix) == Some(name));
    let shown = view.fields.iter().filter(|field| is_wanted(field.name));
    subject.rasters.extend(shown.map(|field| raster(&prefix, field)));
    subject.bodies.extend(view.bodies);
}

fn heights(name: &str, view: &HeightView<'_>) -> Heights {
    let level = &view.level;
    let [columns, rows, _] = level.size();
    let values = |lattice: &Option<Box<dyn Lattice + '_>>| {
        lattice.as_ref().map_or_else(Vec::new, |lattice| lattice.values())
    };
    let velocity = view.velocity.as_ref().map_or_else(Vec::new, |[along_x, along_y]| {
        along_x.values().into_iter().zip(along_y.values()).map(|(x, y)| [x, y]).collect()
    });
    let pair = |triple: [f64; 3]| [triple[0] as f32, triple[1] as f32];
    Heights {
        name: name.to_owned(),
        size: [columns as u32, rows as u32],
        origin: pair(level.origin()),
        spacing: pair(level.spacing()),
        level: level.values(),
        bed: values(&view.bed),
        wetness: values(&view.wetness),
        velocity,
        dry_depth: view.dry_depth,
    }
}

/// The fields that the waters of a run offer.
pub(super) fn fields(runner: &Runner) -> Vec<FieldNews> {
    let are_several = runner.waters().len() > 1;
    let mut fields = Vec::new();
    for water in runner.waters() {
        let prefix = prefix(water, are_several);
        for field in water.simulation.view().fields {
            let name = format!("{prefix}{}", field.name);
            let (unit, kind, size) = (field.unit.to_owned(), field.kind, field.samples.size());
            fields.push(FieldNews { name, unit, kind, size });
        }
    }
    fields
}

/// A picture of a run by the processor: the first that the scene asks for, as a preview, from another eye if one is given.
pub(super) fn picture(run: &Run, easel: &Easel) -> Option<Picture> {
    let pictures = Pictures::read(run.runner.scene()).ok()?;
    let mut spec = pictures.into_iter().next()?;
    if let PictureKind::Trace(trace) = &spec.kind {
        spec.kind = PictureKind::Preview(trace.scene.clone());
    }
    if let PictureKind::Preview(preview) = &mut spec.kind {
        preview.samples = 1;
    }
    [spec.width, spec.height] = easel.size.map(|pixels| pixels.max(1));
    if let Some((eye, target, field)) = easel.eye {
        spec.camera = Camera {
            eye: Some(eye.into()),
            target: Some(target.into()),
            field: Some(Timed::constant(f64::from(field))),
            ..Camera::default()
        };
    }
    let frame = undine::surface::capture(&run.runner, &run.metaballs, &run.surfaces, spec.wants());
    undine::render::draw(&spec, &frame).ok()
}

/// Whether any water has a surface in space, rather than a page or a section.
pub(super) fn has_surface(runner: &Runner) -> bool {
    runner.waters().iter().any(|water| match &water.simulation.view().surface {
        Some(SurfaceView::Height(height)) => height.level.size()[1] > 1,
        Some(SurfaceView::Sheet(_)) => true,
        Some(SurfaceView::Liquid(liquid)) => liquid.distance.size()[2] > 1,
        None => false,
    })
}
