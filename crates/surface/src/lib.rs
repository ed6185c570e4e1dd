//! From what a simulation shows of itself to plain geometry: [`View`] in, [`Frame`] out.
//!
//! ```
//! use undine_frame::Wants;
//! use undine_scene::{LoadOptions, Scene};
//!
//! let text = "[scene]\nduration = 1\n[[water]]\nkind = 'sine-waves'\nresolution = 8";
//! let scene = Scene::parse("flat", text, &LoadOptions::default())?;
//! let runner = undine_sim::Runner::new(&scene, undine_models::MODELS, None)?;
//! let frame = undine_surface::capture(&runner, &[], &[], Wants::ALL);
//! assert_eq!(frame.meshes[0].positions.len(), 81);
//! assert!(frame.raster("height").is_some());
//! # Ok::<(), undine_scene::SceneErrors>(())
//! ```

mod height;
mod liquid;
mod metaballs;
mod sheet;
mod shore;
mod slopes;
mod vertices;

pub use height::{ground_mesh, height_mesh};
pub use liquid::{SURFACE, Surfacing, add_liquid, liquid_mesh, make_liquid_meshes};
pub use metaballs::{METABALLS, Metaballs, metaball_mesh, metaball_raster};
pub use sheet::sheet_mesh;

use undine_frame::{Attribute, DISTANCE, Frame, Points, Raster, SOLIDS, Wants};
use undine_sim::{NamedField, ParticlesView, Runner, SurfaceView, View, Water};

/// The validation cases and benchmarks of this crate, which lie beside what they measure.
#[cfg(feature = "checks")]
pub static SUITES: &[undine_checks::Suite] =
    &[undine_checks::Suite { cases: &[], benches: liquid::bench::BENCHES }];

/// Everything that is wanted of all waters now, as one frame. `metaballs` says which particles melt together, `surfaces`
/// how the meshes of liquids are made.
pub fn capture(runner: &Runner, metaballs: &[Metaballs], surfaces: &[Surfacing], wants: Wants) -> Frame {
    let mut frame = Frame::new(runner.frame(), runner.time());
    let are_several = runner.waters().len() > 1;
    for water in runner.waters() {
        capture_water(water, are_several, Metaballs::of(metaballs, water), surfaces, wants, &mut frame);
    }
    frame
}

/// The names under which [`capture`] gives the fields of all waters.
pub fn fields(runner: &Runner, metaballs: &[Metaballs]) -> Vec<String> {
    let named = runner.waters().iter().flat_map(|water| {
        let prefix = prefix(water, runner.waters().len() > 1);
        let view = water.simulation.view();
        let melted = Metaballs::of(metaballs, water).filter(|_| metaballs::is_flat(&view));
        let names = view.fields.iter().map(|field| field.name).chain(melted.map(|_| metaballs::RASTER));
        let names =
            names.chain(distances(&view).filter(|name| view.fields.iter().all(|field| field.name != *name)));
        names.map(|name| format!("{prefix}{name}")).collect::<Vec<_>>()
    });
    named.collect()
}

/// The names of the distances that a liquid brings.
fn distances(view: &View<'_>) -> impl Iterator<Item = &'static str> {
    let liquid = match &view.surface {
        Some(SurfaceView::Liquid(liquid)) => Some(liquid),
        _ => None,
    };
    let solids = liquid.and_then(|liquid| liquid.solids.as_ref()).map(|_| SOLIDS);
    liquid.map(|_| DISTANCE).into_iter().chain(solids)
}

/// With several waters a field is named after its water too, so that each can be asked for.
pub fn prefix(water: &Water, are_several: bool) -> String {
    if are_several { format!("{}.", water.name) } else { String::new() }
}

fn capture_water(
    water: &Water,
    are_several: bool,
    metaballs: Option<&Metaballs>,
    surfaces: &[Surfacing],
    wants: Wants,
    frame: &mut Frame,
) {
    let view = water.simulation.view();
    if wants.meshes {
        match &view.surface {
            Some(SurfaceView::Sheet(sheet)) => frame.meshes.push(sheet_mesh(&water.name, sheet)),
            Some(SurfaceView::Height(height)) => {
                frame.meshes.push(height_mesh(&water.name, height));
                frame.meshes.extend(ground_mesh(&format!("{}-ground", water.name), height));
            }
            Some(SurfaceView::Liquid(_)) | None => {}
        }
        if let Some(metaballs) = metaballs {
            metaballs::add_mesh(water, &view, metaballs, frame);
        }
    }
    let is_liquid = matches!(view.surface, Some(SurfaceView::Liquid(_)));
    if wants.points && !is_liquid {
        frame.points.extend(view.particles.as_ref().map(|particles| points(&water.name, particles)));
    }
    if wants.rasters {
        let prefix = prefix(water, are_several);
        frame.rasters.extend(view.fields.iter().map(|field| raster(&prefix, field)));
        let name = format!("{prefix}{}", metaballs::RASTER);
        frame.rasters.extend(metaballs.and_then(|metaballs| metaballs::flat_raster(&view, metaballs, name)));
    } else if wants.smoke {
        let prefix = prefix(water, are_several);
        let smoke = view.fields.iter().filter(|field| field.name == "smoke" && field.samples.size()[2] > 1);
        frame.rasters.extend(smoke.map(|field| raster(&prefix, field)));
    }
    if let Some(SurfaceView::Liquid(liquid)) = &view.surface {
        let nobody = ParticlesView::default();
        let points = points(&water.name, view.particles.as_ref().unwrap_or(&nobody));
        add_liquid(points, liquid, surfaces, &prefix(water, are_several), wants, frame);
    }
    if wants.meshes {
        frame.posed.extend(view.bodies);
    }
}

/// The particles of a water, owned.
pub fn points(name: &str, particles: &ParticlesView<'_>) -> Points {
    Points {
        name: name.to_owned(),
        positions: particles.positions.to_vec(),
        velocities: particles.velocities.to_vec(),
        radius: particles.radius,
        attributes: masses(particles.masses).into_iter().chain(columns(particles)).collect(),
    }
}

/// What else particles carry, as attributes.
fn columns<'a>(particles: &'a ParticlesView<'_>) -> impl Iterator<Item = Attribute> + 'a {
    particles.attributes.iter().map(|column| Attribute {
        name: column.name.to_owned(),
        unit: column.unit.to_owned(),
        values: column.values.to_vec(),
    })
}

/// The masses as an attribute, where particles have their own.
fn masses(masses: &[f32]) -> Vec<Attribute> {
    let attribute = || Attribute { name: String::from("mass"), unit: String::new(), values: masses.to_vec() };
    (!masses.is_empty()).then(attribute).into_iter().collect()
}

/// A named field of a water, evaluated. `prefix` stands before its name.
pub fn raster(prefix: &str, field: &NamedField<'_>) -> Raster {
    let samples = &field.samples;
    Raster {
        name: format!("{prefix}{}", field.name),
        unit: field.unit.to_owned(),
        kind: field.kind,
        size: samples.size().map(|count| count as u32),
        components: samples.components() as u32,
        origin: samples.origin(),
        spacing: samples.spacing(),
        values: samples.values(),
    }
}
