//! Surface extraction: [`tessellate`] adds the meshes that a [`Frame`] lacks, live or after reading the cache.
//!
//! ```
//! use undine_frame::{Frame, FrameRequest, Heights, Surface, SurfaceRole, SurfaceShape};
//!
//! let shape = SurfaceShape::Heights(Heights { size: [8, 8], spacing: [1.0; 2], level: vec![0.0; 64].into(), ..Heights::default() });
//! let surface = Surface { name: "pond".into(), water: 0, role: SurfaceRole::Water, shape, attributes: Vec::new() };
//! let mut frame = Frame { surfaces: vec![surface], ..Frame::new(0, 0.0) };
//! undine_surface::tessellate(&mut frame, &FrameRequest::ALL, &Default::default());
//! assert_eq!(frame.meshes[0].positions.len(), 100);
//! ```

mod height;
mod liquid;
mod mesh_lattice;
mod metaballs;
mod quadtree;
mod revolution;
mod seen_volume;
mod sheet;
mod shoreline;
mod slopes;
mod spline_heights;

pub use height::{ground_mesh, height_mesh};
pub use liquid::{SURFACE, Surfacing, liquid_mesh};
pub use metaballs::{METABALLS, Metaballs, metaball_fields, metaball_mesh, metaball_raster};
pub use quadtree::{HeightQuadtree, QuadtreeMeshes, QuadtreeView, with_overviews};
pub use revolution::Revolution;
pub use seen_volume::{mesh_volume, seen_volume, seen_volumes};
pub use sheet::sheet_mesh;
pub use spline_heights::SplineHeights;

use undine_frame::{Frame, FrameRequest, Mesh, Surface, SurfaceRole, SurfaceShape};
use undine_scene::{Scene, SceneErrors};

/// Validation cases and benchmarks of this crate; they lie beside what they measure.
#[cfg(feature = "checks")]
pub static SUITES: &[undine_checks::Suite] =
    &[undine_checks::Suite { cases: &[], benches: liquid::bench::BENCHES }];

/// Settings of surface extraction in a scene.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tessellation {
    /// Metaballs of particles.
    pub metaballs: Vec<Metaballs>,
    /// Surfacing of liquids, also of 2-D ones that are revolved.
    pub surfaces: Vec<Surfacing>,
}

impl Tessellation {
    /// Reads `[[metaballs]]` and `[[surface]]` of a scene, all problems at once.
    pub fn read(scene: &Scene) -> Result<Tessellation, SceneErrors> {
        let mut errors = SceneErrors::default();
        let metaballs = errors.keep(Metaballs::read_all(scene)).unwrap_or_default();
        let surfaces = errors.keep(Surfacing::read_all(scene)).unwrap_or_default();
        errors.into_result().map(|()| Tessellation { metaballs, surfaces })
    }
}

/// Adds the requested meshes that a frame lacks, and fields of metaballs; then drops the particles that were needed
/// only for meshes. Large waters get a mesh only on special request: pictures make one for their viewpoint. The same
/// shapes and settings give the same bits, live or from the cache.
pub fn tessellate(frame: &mut Frame, request: &FrameRequest, settings: &Tessellation) {
    if request.meshes {
        let lacks = |surface: &&Surface| {
            frame.mesh(&surface.name).is_none()
                && (request.large_meshes || !quadtree::is_large(frame, surface))
        };
        let mesh = |surface: &Surface| {
            let water = frame.waters.get(surface.water).map_or(&surface.name, |water| &water.name);
            shape_mesh(surface, SplineHeights::of(&Surfacing::of(&settings.surfaces, water)))
        };
        let made: Vec<Mesh> = frame.surfaces.iter().filter(lacks).filter_map(mesh).collect();
        frame.meshes.extend(made);
    }
    metaballs::add_to(frame, &settings.metaballs, request);
    if request.liquid_meshes {
        let lacking = frame
            .liquids()
            .filter(|liquid| liquid.distance.size[2] > 1 && frame.mesh(&liquid.cloud.name).is_none());
        let made: Vec<Mesh> = lacking
            .map(|liquid| liquid_mesh(&liquid, &Surfacing::of(&settings.surfaces, &liquid.cloud.name)))
            .collect();
        frame.meshes.extend(made);
        revolution::add_to(frame, &settings.surfaces);
    }
    if !request.clouds {
        frame.clouds.clear();
    }
}

/// The mesh of a surface that is defined by its own shape; that of heights by splines, if they are given.
fn shape_mesh(surface: &Surface, splines: Option<SplineHeights>) -> Option<Mesh> {
    if surface.inconsistency().is_some() {
        return None;
    }
    match (&surface.shape, surface.role) {
        (SurfaceShape::Heights(heights), SurfaceRole::Water) => Some(match splines {
            Some(splines) => splines.water_mesh(&surface.name, heights),
            None => height_mesh(&surface.name, heights),
        }),
        (SurfaceShape::Heights(heights), SurfaceRole::Bed) => Some(match splines {
            Some(splines) => splines.ground_mesh(&surface.name, heights, &surface.attributes),
            None => ground_mesh(&surface.name, heights, &surface.attributes),
        }),
        (SurfaceShape::Sheet(sheet), SurfaceRole::Water | SurfaceRole::Bed) => {
            Some(sheet_mesh(&surface.name, sheet))
        }
        (SurfaceShape::Mesh(mesh), SurfaceRole::Water | SurfaceRole::Bed) => Some((**mesh).clone()),
        (SurfaceShape::Implicit(_) | SurfaceShape::Curve(_), SurfaceRole::Water | SurfaceRole::Bed) => None,
    }
}

/// The names of all waters of a scene, built or not.
fn water_names(scene: &Scene) -> Vec<String> {
    let waters = scene.sections("water");
    let names = waters.iter().filter_map(|water| water.text("name").or_else(|| water.text("kind")));
    names.map(str::to_owned).collect()
}
