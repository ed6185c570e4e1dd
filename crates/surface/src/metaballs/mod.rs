//! Metaballs: particles blended into one smooth isosurface.
//!
//! Every particle with mass m adds to a potential, and the surface is where the potential equals the threshold T:
//!
//! ```text
//! F(x) = Σ m w(d² / R²) / (d² + ε²),   d = |x − particle|,   R = cutoff · √m,   ε = R / 1000
//! w(u) = 1 for u ≤ 1/4,   (1 − s)² (1 + 2 s) with s = (u − 1/4) / (3/4) between,   0 for u ≥ 1
//! ```
//!
//! A lone ball has the radius √(m/T). It is a scaled copy of a ball of mass 1 including its reach, so that a ball of
//! falling mass shrinks and vanishes continuously. The window w ends the long tail of 1/d² at R, which keeps the cost
//! linear in the number of particles; ε keeps the potential finite at the particle itself [blinn1982].
//!
//! In space the surface is a closed mesh by marching tetrahedra, which have no ambiguous cases, so that every edge
//! belongs to two triangles [doi1991]. Vertices are placed where 1/F, which is the squared distance from a lone ball,
//! equals 1/T along the edge; normals and velocities are those of the potential there. In a flat fluid the potential
//! itself is the raster `metaballs`.
//!
//! Balls smaller than a cell fall between the samples of the lattice and are not seen.

mod balls;
mod block;
mod crossings;
mod marching_tetrahedra;
mod mesh;
mod raster;

use undine_frame::{Cloud, Domain, Frame, FrameRequest, Quantity, WaterLabel};
use undine_scene::{Key, Scene, SceneErrors, Section, SectionEntry, Values};

use crate::water_names;

pub use mesh::metaball_mesh;
pub use raster::metaball_raster;

/// The name of the raster, without that of its water.
const RASTER: &str = "metaballs";
/// Default cell and reach, in radii of a ball of mass 1.
const CELL: f64 = 1.0 / 3.0;
const CUTOFF: f64 = 3.0;
/// Most cells within the reach of a ball of mass 1.
const MAX_REACH_CELLS: f64 = 100.0;

/// `[[metaballs]]`: settings of metaballs.
pub static METABALLS: SectionEntry = SectionEntry {
    name: "metaballs",
    summary: "particles blended into a closed surface",
    repeats: true,
    common: METABALL_KEYS,
    kinds: &[],
};

static METABALL_KEYS: &[Key] = &[
    Key::text("water")
        .optional("every water that has particles")
        .help("name of the water whose particles are blended"),
    Key::number("threshold").unit("1/m²").positive_to(1e12).help(
        "the surface is where Σ m/d² equals this; a ball of mass m alone has the radius √(m/threshold)",
    ),
    Key::number("cell")
        .unit("m")
        .positive_to(1e6)
        .optional("a third of the radius of a ball of mass 1")
        .help("cell size at which the potential is sampled; doubled while the cloud is too wide for it"),
    Key::number("cutoff")
        .unit("m")
        .positive_to(1e6)
        .optional("three radii of a ball of mass 1")
        .help("reach of a ball of mass 1; others reach √m times as far"),
];

/// Settings of metaballs.
///
/// ```
/// use undine_frame::{Attribute, Cloud, Quantity};
/// use undine_surface::{Metaballs, metaball_mesh};
///
/// let masses = Attribute::new("mass", Quantity::Mass, 1, vec![4.0]);
/// let drop = Cloud { positions: vec![[0.0; 3]], attributes: vec![masses], ..Cloud::default() };
/// let mesh = metaball_mesh("drop", &drop, &Metaballs::new(1.0));
/// assert!(mesh.positions.iter().all(|p| (p.iter().map(|x| x * x).sum::<f32>().sqrt() - 2.0).abs() < 0.01));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Metaballs {
    /// The water, by its name; all waters when absent.
    pub water: Option<String>,
    /// The potential at the surface in 1/m².
    pub threshold: f64,
    /// Edge of the cells in metres.
    pub cell: f64,
    /// Reach of a ball of mass 1 in metres.
    pub cutoff: f64,
}

impl Metaballs {
    /// Metaballs of every water with this threshold in 1/m², with default resolution and reach.
    pub fn new(threshold: f64) -> Metaballs {
        let radius = threshold.sqrt().recip();
        Metaballs { water: None, threshold, cell: CELL * radius, cutoff: CUTOFF * radius }
    }

    /// Reads every `[[metaballs]]` of a scene, all problems at once. The waters need not be built.
    pub fn read_all(scene: &Scene) -> Result<Vec<Metaballs>, SceneErrors> {
        let names = water_names(scene);
        let mut errors = SceneErrors::default();
        let mut all: Vec<Metaballs> = Vec::new();
        for section in scene.sections("metaballs") {
            all.extend(errors.keep(Metaballs::read(&section, &names, &all)));
        }
        errors.into_result().map(|()| all)
    }

    fn read(
        section: &Section<'_>,
        names: &[String],
        earlier: &[Metaballs],
    ) -> Result<Metaballs, SceneErrors> {
        let values = section.read(&[METABALL_KEYS])?;
        let water = values.text_if("water").map(str::to_owned);
        if let Some(unknown) = water.as_deref().filter(|wanted| names.iter().all(|name| name != *wanted)) {
            let remedy = undine_scene::known_words(unknown, names.iter().map(String::as_str));
            return Err(values.problem("water", format!("no water is called {unknown:?}"), remedy).into());
        }
        let is_taken = |one: &Metaballs| one.water.is_none() || water.is_none() || one.water == water;
        if earlier.iter().any(is_taken) {
            let message = "these particles have metaballs already";
            return Err(values.problem("water", message, "name another water in each [[metaballs]]").into());
        }
        Metaballs::measured(water, &values)
    }

    fn measured(water: Option<String>, values: &Values) -> Result<Metaballs, SceneErrors> {
        let default = Metaballs::new(values.number("threshold"));
        let cell = values.number_if("cell").unwrap_or(default.cell);
        let cutoff = values.number_if("cutoff").unwrap_or(default.cutoff);
        let radius = default.cutoff / CUTOFF;
        if cutoff <= radius {
            let message = format!("a ball of mass 1 would be cut off inside its radius of {radius:.3} m");
            return Err(values.problem("cutoff", message, "choose about three radii").into());
        }
        if cell * MAX_REACH_CELLS < cutoff {
            let message = format!("a ball would reach over more than {MAX_REACH_CELLS} cells");
            return Err(values.problem("cell", message, "choose about a third of a ball's radius").into());
        }
        Ok(Metaballs { water, threshold: default.threshold, cell, cutoff })
    }

    /// The settings for a water.
    fn of<'m>(all: &'m [Metaballs], water: &str) -> Option<&'m Metaballs> {
        all.iter().find(|one| one.water.as_ref().is_none_or(|name| name == water))
    }
}

/// Whether the particles of a water, if there are any, lie in the plane of a flat fluid.
fn is_flat(domain: &Domain, clouds: &[&Cloud]) -> bool {
    let plane = domain.origin[2] as f32;
    let mut positions = clouds.iter().flat_map(|cloud| &cloud.positions);
    domain.size[2] == 1 && positions.all(|position| position[2] == plane)
}

/// The names of the fields that `add_to` adds for waters whose particles lie in a plane.
pub fn metaball_fields(waters: &[WaterLabel], metaballs: &[Metaballs]) -> Vec<String> {
    let is_flat = |water: &&WaterLabel| water.domain.is_some_and(|domain| domain.size[2] == 1);
    let blended =
        waters.iter().filter(is_flat).filter(|water| Metaballs::of(metaballs, &water.name).is_some());
    blended.map(|water| field_name(water, waters.len() > 1)).collect()
}

fn field_name(water: &WaterLabel, are_several: bool) -> String {
    if are_several { format!("{}.{RASTER}", water.name) } else { RASTER.to_owned() }
}

/// Adds the metaballs of its particles to a frame: meshes in space, fields of flat fluids.
pub(crate) fn add_to(frame: &mut Frame, metaballs: &[Metaballs], request: &FrameRequest) {
    let (mut meshes, mut rasters) = (Vec::new(), Vec::new());
    for (number, water) in frame.waters.iter().enumerate() {
        let Some(settings) = Metaballs::of(metaballs, &water.name) else { continue };
        let clouds: Vec<&Cloud> = frame.clouds.iter().filter(|cloud| cloud.water == number).collect();
        let plane = water.domain.filter(|domain| is_flat(domain, &clouds));
        match plane {
            Some(plane) => {
                let name = field_name(water, frame.waters.len() > 1);
                let empty = Cloud { water: number, ..Cloud::default() };
                if request.fields.includes(&name, Quantity::default()) && frame.field(&name).is_none() {
                    let cloud = clouds.first().copied().unwrap_or(&empty);
                    rasters.push(metaball_raster(name, cloud, &plane, settings));
                }
            }
            None if request.liquid_meshes => {
                let name = format!("{}-{RASTER}", water.name);
                let is_lacking = frame.mesh(&name).is_none();
                let cloud = clouds.first().filter(|_| is_lacking);
                meshes.extend(cloud.map(|cloud| metaball_mesh(&name, cloud, settings)));
            }
            None => {}
        }
    }
    frame.meshes.extend(meshes);
    frame.fields.extend(rasters);
}
