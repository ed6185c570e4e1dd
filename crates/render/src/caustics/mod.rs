//! Caustics: sunlight through the water surface onto the bed and bodies.
//!
//! [`Caustics`] are computed by one of three methods. [`CausticsKind::IlluminationMap`] is that of [kass1990]: flat
//! water, flat bottom, cones; fast. [`CausticsKind::Beams`] traces beams from the lit triangles of the surface to the
//! floor and the bodies by exact areas, and conserves power. [`CausticsKind::Photons`] traces single photons: slow,
//! and the reference.
//!
//! Light is white and parallel: the width of the sun and dispersion are not modelled. Light reflected at a boundary
//! counts as escaped; only total internal reflection is traced.
//!
//! ```
//! use glam::Vec3;
//! use undine_frame::{Frame, Mesh};
//! use undine_render::caustics::{Caustics, CausticsSpec};
//!
//! let mut frame = Frame::new(0, 0.0);
//! frame.meshes.push(Mesh::flat_sheet("pool", [4.0, 4.0], [33, 33]));
//! let pool = Caustics::over_level(&CausticsSpec::default(), &frame, -1.0, Vec3::Z, Vec3::ZERO);
//! // The sun stands overhead: all light arrives but the 2 % that the surface reflects.
//! let light = pool.irradiance(Vec3::new(2.0, 2.0, -1.0), Vec3::Z);
//! assert!((light.x - 0.979_627).abs() < 1e-6);
//! ```

mod beams;
mod body_lightmap;
#[cfg(any(test, feature = "checks"))]
pub mod checks;
mod floor;
mod fresnel;
mod illumination_map;
mod light_path;
mod map;
mod mipmap;
mod photons;
mod scene;
mod water_heights;

use glam::{DVec2, DVec3, Vec2, Vec3};
use rayon::prelude::*;
use undine_frame::{Body, Frame, Mesh, Triangles};

pub use floor::Floor;

use crate::preview::world_mesh;
use body_lightmap::{BodyIrradiance, BodyLightmap};
use fresnel::{INDEX, transmit};
use light_path::LightPath;
pub(crate) use map::{Deposit, TexelGrid};
use mipmap::Mipmap;
use scene::CausticsScene;
use water_heights::WaterHeights;

/// Method by which caustics are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CausticsKind {
    /// None: light as through level water.
    Nothing,
    /// The illumination map of [kass1990].
    IlluminationMap,
    /// Beams that conserve power.
    #[default]
    Beams,
    /// Photon tracing.
    Photons,
}

/// Settings of caustics.
#[derive(Debug, Clone, PartialEq)]
pub struct CausticsSpec {
    /// The method.
    pub kind: CausticsKind,
    /// Texels along the longer side of the floor; `None` for the vertex count of the finest water.
    pub resolution: Option<usize>,
    /// Photons per texel of the floor.
    pub photons: usize,
    /// Whether the water extends beyond the sides of a sheet, so that light enters from there too.
    pub extends_water: bool,
}

impl Default for CausticsSpec {
    fn default() -> Self {
        CausticsSpec { kind: CausticsKind::default(), resolution: None, photons: 64, extends_water: false }
    }
}

/// Power budget per colour, in square metres of full sun.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Power {
    /// Power that met the lit water surface.
    pub sent: DVec3,
    /// Power transmitted into the water.
    pub transmitted: DVec3,
    /// Power on the floor and the bodies, summed over their texels.
    pub received: DVec3,
    /// Power absorbed by the water.
    pub absorbed: DVec3,
    /// Power that was reflected, left the water again, or missed the floor.
    pub escaped: DVec3,
}

impl Power {
    // Adds a beam whose corner rays are given; returns the power received.
    fn record(&mut self, light_paths: &[LightPath], power: f64) -> DVec3 {
        let each = power / light_paths.len().max(1) as f64;
        let sum = |fraction: fn(&LightPath) -> DVec3| light_paths.iter().map(fraction).sum::<DVec3>() * each;
        self.sent += power;
        self.transmitted += sum(|light_path| DVec3::splat(light_path.transmitted));
        self.absorbed += sum(|light_path| light_path.absorbed);
        self.escaped += sum(|light_path| light_path.escaped);
        sum(|light_path| light_path.received)
    }

    fn add(&mut self, other: &Power) {
        self.sent += other.sent;
        self.transmitted += other.transmitted;
        self.received += other.received;
        self.absorbed += other.absorbed;
        self.escaped += other.escaped;
    }

    /// |sent − received − absorbed − escaped| relative to what was sent.
    pub fn imbalance(&self) -> f64 {
        let rest = self.sent - self.received - self.absorbed - self.escaped;
        (rest.abs() / self.sent.max(DVec3::splat(1e-300))).max_element()
    }
}

/// Sunlight under water.
#[derive(Debug)]
pub struct Caustics {
    texels: TexelGrid,
    /// Irradiance on a level texel, in full suns; of an illumination map, without the sun's cosine.
    irradiance: Vec<Vec3>,
    floor: Floor,
    bodies: Option<(BodyLightmap, BodyIrradiance)>,
    kind: CausticsKind,
    sun: Vec3,
    /// Direction towards the sun as refracted by level water.
    sun_below: Vec3,
    power: Power,
    /// Green irradiance on the ground, wet or dry, for pictures.
    ground: Option<Mipmap>,
}

impl Caustics {
    /// The caustics of a frame on its own ground; `None` when it has no ground on a lattice.
    pub fn on_ground(spec: &CausticsSpec, frame: &Frame, sun: Vec3, absorption: Vec3) -> Option<Caustics> {
        let floor = scene::ground(frame, resolution(spec, frame))?;
        Some(Caustics::new(spec, frame, floor, sun, absorption))
    }

    /// The caustics of a frame on a level floor of this height, as wide as its water.
    pub fn over_level(
        spec: &CausticsSpec,
        frame: &Frame,
        height: f32,
        sun: Vec3,
        absorption: Vec3,
    ) -> Caustics {
        let meshes: Vec<&Mesh> = frame.meshes.iter().collect();
        let corners = scene::extent(&meshes).unwrap_or([DVec2::ZERO, DVec2::ONE]);
        Caustics::new(spec, frame, Floor::level(corners, f64::from(height)), sun, absorption)
    }

    /// The caustics of a frame on a floor, under a sun in direction `sun`. `absorption` is that of the water, per
    /// metre.
    pub fn new(spec: &CausticsSpec, frame: &Frame, floor: Floor, sun: Vec3, absorption: Vec3) -> Caustics {
        // Sound meshes in world coordinates, with water extended beyond its sunward sides.
        let bodies: Vec<Mesh> = frame.bodies.iter().filter(|body| is_sound(body)).map(world_mesh).collect();
        let mut meshes: Vec<&Mesh> = frame.meshes.iter().chain(&bodies).collect();
        meshes.retain(|mesh| mesh.inconsistency().is_none());
        let texels = TexelGrid::new(floor.corners(), resolution(spec, frame));
        let reach = reach(&meshes, &floor, sun);
        let strips: Vec<Mesh> = meshes
            .iter()
            .filter(|mesh| spec.extends_water && mesh.material == undine_frame::Material::Water)
            .filter(|mesh| scene::is_open(mesh))
            .filter_map(|mesh| scene::extended_towards_sun(mesh, sun, reach))
            .collect();
        meshes.extend(&strips);
        // The scene, and caustics without light.
        let texel = texels.step().min_element();
        let scene = CausticsScene::new(&meshes, floor, sun, absorption, texel);
        let refracted = transmit(-scene.sun, DVec3::Z, INDEX);
        let sun_below = refracted.map_or(DVec3::Z, |(direction, _)| -direction).as_vec3();
        let mut caustics = Caustics {
            irradiance: Vec::new(),
            bodies: None,
            kind: spec.kind,
            sun: scene.sun.as_vec3(),
            sun_below,
            power: Power::default(),
            ground: None,
            floor: scene.floor.clone(),
            texels,
        };
        if scene.sun.z <= 0.0 {
            caustics.irradiance = vec![Vec3::ZERO; caustics.texels.size()[0] * caustics.texels.size()[1]];
            return caustics;
        }
        // Irradiance by the chosen method.
        match spec.kind {
            CausticsKind::Nothing | CausticsKind::IlluminationMap => {
                caustics.use_illumination_map(&scene, &meshes, spec.extends_water)
            }
            CausticsKind::Beams => {
                let mut deposits = beams::trace_beams(&scene, texel);
                let missed: DVec3 =
                    deposits.floor.iter().map(|deposit| caustics.texels.missed_power(deposit)).sum();
                deposits.power.escaped += missed;
                let floor = caustics.texels.accumulate(&deposits.floor);
                caustics.keep(floor, deposits, scene.bodies);
            }
            CausticsKind::Photons => {
                let density = spec.photons.clamp(1, 1 << 20);
                let (floor, deposits) = photons::trace_photons(&scene, &caustics.texels, density);
                caustics.keep(floor, deposits, scene.bodies);
            }
        }
        caustics
    }

    // Turns power into irradiance, and sums up what was received.
    fn keep(&mut self, floor: Vec<DVec3>, deposits: beams::PowerDeposits, lightmap: Option<BodyLightmap>) {
        self.power = deposits.power;
        self.power.received = floor.iter().copied().sum();
        let area = self.texels.area();
        // Prefix sums leave rounding errors of either sign on dark texels.
        self.irradiance = floor.iter().map(|power| (*power / area).as_vec3().max(Vec3::ZERO)).collect();
        self.bodies = lightmap.map(|lightmap| {
            self.power.escaped +=
                deposits.bodies.iter().map(|deposit| lightmap.missed_power(deposit)).sum::<DVec3>();
            let power = lightmap.accumulate(deposits.bodies);
            self.power.received += power.iter().copied().sum::<DVec3>();
            let irradiance = lightmap.irradiance(&power);
            (lightmap, irradiance)
        });
    }

    fn use_illumination_map(&mut self, scene: &CausticsScene, meshes: &[&Mesh], extends_water: bool) {
        let (map, depths) =
            illumination_map::illumination(meshes, &self.floor, &self.texels, scene.sun, extends_water);
        let (direction, transmittance) = transmit(-scene.sun, DVec3::Z, INDEX).unwrap_or((-DVec3::Z, 0.0));
        let is_even = self.kind == CausticsKind::Nothing;
        let irradiance = |(&count, &depth): (&f64, &f64)| {
            if depth <= 0.0 {
                return Vec3::ZERO;
            }
            let left = scene.transmittance(depth / -direction.z) * transmittance;
            (left * if is_even { 1.0 } else { count }).as_vec3()
        };
        self.irradiance = map.iter().zip(&depths).map(irradiance).collect();
    }

    /// Irradiance due to sunlight through water at `point` with this unit normal, per colour, relative to the sun's
    /// on a surface that faces it. Zero where no such light arrives, as above the water.
    pub fn irradiance(&self, point: Vec3, normal: Vec3) -> Vec3 {
        if let Some((lightmap, irradiance)) = &self.bodies {
            let reach = 0.25 * self.texels.step().min_element() as f32;
            if let Some(light) = lightmap.at(irradiance, point, normal, reach) {
                return light;
            }
        }
        let at = point.truncate().as_dvec2();
        if !self.texels.contains(at) {
            return Vec3::ZERO;
        }
        let ground = self.floor.normal(at).as_vec3();
        // The floor is bilinear between its nodes, a mesh linear in triangles: on a slope they may differ by a
        // texel's rise.
        let rise = self.texels.step().max_element() as f32 / ground.z.max(0.05);
        if f64::from(point.z - 2.0 * rise) > self.floor.height(at) {
            return Vec3::ZERO;
        }
        let light = self.texels.bilinear(&self.irradiance, at);
        match self.kind {
            CausticsKind::Nothing | CausticsKind::IlluminationMap => light * normal.dot(self.sun).max(0.0),
            // A level square metre of a slope has more than a square metre of ground.
            _ => {
                light
                    * (ground.z * normal.dot(self.sun_below).max(0.0) / ground.dot(self.sun_below).max(0.05))
            }
        }
    }

    /// Green irradiance on the ground at a point, as a mean over about `footprint` metres; `None` beyond the floor,
    /// or unless prepared [for pictures](Caustics::for_pictures).
    pub fn ground_light(&self, at: Vec2, footprint: f32) -> Option<f32> {
        self.ground.as_ref()?.at(at, footprint)
    }

    /// Prepares [`Caustics::ground_light`]. Dry ground gets the direct sun, times the visibility `open` past the
    /// land; water shallower than a texel is wide, too shallow to focus, is blended into it, so that the shoreline
    /// does not show as a dark line.
    pub fn for_pictures(mut self, frame: &Frame, open: impl Fn(Vec3) -> f32 + Sync) -> Self {
        let meshes: Vec<&Mesh> = frame.meshes.iter().filter(|mesh| mesh.inconsistency().is_none()).collect();
        let sheets = WaterHeights::of(&meshes);
        let thin = self.texels.step().max_element();
        let sun = self.sun.as_dvec3();
        let light = |(index, light): (usize, &Vec3)| {
            let at = self.texels.centre(index);
            let (ground, height) = (self.floor.normal(at), self.floor.height(at));
            let facing = ground.dot(sun).max(0.0) as f32;
            let level = match self.kind {
                CausticsKind::Nothing | CausticsKind::IlluminationMap => facing,
                _ => ground.z as f32,
            };
            let depth = sheets.level(at) - height;
            if depth >= thin {
                return light.y * level;
            }
            let dry = facing * open(at.extend(height).as_vec3());
            let fraction = (depth / thin).max(0.0) as f32;
            light.y * level * fraction + dry * (1.0 - fraction)
        };
        let values = self.irradiance.par_iter().enumerate().map(light).collect();
        self.ground = Some(Mipmap::new(&self.texels, values));
        self
    }

    /// Irradiance on a level texel of the floor at a point, and its distance from the border as a fraction of the
    /// map's width; `None` beyond it.
    pub(crate) fn level_light(&self, at: DVec2) -> Option<(Vec3, f32)> {
        let [low, high] = self.texels.corners();
        let inside = ((at - low).min(high - at) / (high - low)).min_element() as f32;
        (inside > 0.0).then(|| (self.texels.bilinear(&self.irradiance, at), inside))
    }

    /// The power budget; zero for an illumination map.
    pub fn power(&self) -> &Power {
        &self.power
    }

    /// The size of the floor's map in texels, and the irradiance on level texels, row by row from the lowest corner.
    pub fn map(&self) -> ([usize; 2], &[Vec3]) {
        (self.texels.size(), &self.irradiance)
    }
}

fn is_sound(body: &Body) -> bool {
    body.mesh.inconsistency().is_none()
}

// Texels along the longer side: the setting, or the vertex count of the finest sheet.
fn resolution(spec: &CausticsSpec, frame: &Frame) -> usize {
    let waters = frame.meshes.iter().filter(|mesh| mesh.material == undine_frame::Material::Water);
    let vertices_along = |mesh: &Mesh| match mesh.triangles {
        Triangles::Lattice { columns, rows } => columns.max(rows) as usize,
        Triangles::List(_) => (mesh.positions.len() as f64).sqrt() as usize,
    };
    spec.resolution
        .unwrap_or_else(|| waters.map(vertices_along).max().unwrap_or(256).clamp(64, 1024))
        .clamp(2, 8192)
}

// Greatest horizontal offset of sunlight between surface and floor.
fn reach(meshes: &[&Mesh], floor: &Floor, sun: Vec3) -> f32 {
    let waters = meshes.iter().filter(|mesh| mesh.material == undine_frame::Material::Water);
    let heights = waters.flat_map(|mesh| &mesh.positions).map(|at| at[2]).filter(|height| height.is_finite());
    let depth = heights.fold(f32::MIN, f32::max) - floor.range()[0] as f32;
    // Refracted light is never flatter than 49° from the vertical.
    if sun.z > 0.0 { 1.2 * depth.max(0.0) } else { 0.0 }
}
