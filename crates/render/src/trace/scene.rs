//! A frame with its surroundings and light, prepared for path tracing.

use std::borrow::Cow;

use glam::{Vec2, Vec3};
use undine_frame::{Frame, Material, Mesh, Triangles};

use super::direct_light::over_disc;
use super::environment::EnvironmentLight;
use super::intersector::{HorizontalPlanes, Intersector, SeaPlane};
use super::shafts::Shafts;
use crate::DrawError;
use crate::caustics::Caustics;
use crate::optics::{WATER_INDEX, fresnel, refract};
use crate::preview::basin::{Basin, Beyond};
use crate::preview::bed_caustics;
use crate::preview::land::{Land, StudioBackdrop};
use crate::preview::liquid::floor_sunlight::FloorSunlight;
use crate::preview::liquid::media::Media;
use crate::preview::liquid::tank::TankKind;
use crate::preview::liquid::{self, TankLiquid};
use crate::preview::pinhole_camera::PinholeCamera;
use crate::preview::ripples::Ripples;
use crate::preview::scene::PreviewScene;
use crate::preview::scene_geometry::{PrimitiveKind, SceneGeometry, WorldMesh};
use crate::preview::slope_map::SlopeMap;
use crate::preview::smoke::{DensityGrid, Smoke};
use crate::preview::treeline::Treeline;
use crate::preview::viewpoint::{Subject, Viewpoint};
use crate::preview::water_shader::WaterShader;
use crate::preview::{BackdropKind, PreviewSpec, WaterLook};
use crate::sky::Sky;

/// Open water with its ground and surroundings; not a liquid in a tank.
pub struct OpenWater<'a> {
    /// The land, if the frame has any.
    pub land: Option<Land>,
    /// The water: its ripples, and its bed where no land is simulated.
    pub water: WaterShader<'a>,
    /// Wavelength of the strongest ripples in metres.
    pub ripple_length: f32,
    /// Direction towards the sun as refracted by level water.
    pub sun_below: Vec3,
    /// Irradiance of sun and sky together below a level surface.
    pub entering: Vec3,
    /// The fraction of it that is the sun's, per colour.
    pub sun_fraction: Vec3,
}

/// Sunlight through water at a point with a normal: irradiance in units of the sun's on a surface that faces it, per
/// colour.
pub type ThroughWater<'h> = &'h (dyn Fn(Vec3, Vec3) -> Vec3 + Sync);

/// Everything that a path integrator needs.
pub struct TraceScene<'a> {
    /// Ray intersection.
    pub intersector: Intersector<'a>,
    /// Light from outside.
    pub environment: EnvironmentLight<'a>,
    /// Optical coefficients of the media.
    pub media: Media,
    /// Open water; `None` for a liquid in a tank.
    pub open_water: Option<OpenWater<'a>>,
    /// Smoke.
    pub smoke: Option<Smoke>,
    /// Caustics on the bed.
    pub caustics: Option<Caustics>,
    /// Sunlight and caustics on the floor of a tank.
    pub floor_sunlight: Option<FloorSunlight>,
    /// Precomputed sunlight through water, if given.
    pub through_water: Option<ThroughWater<'a>>,
    /// Light shafts, for a camera under water.
    pub shafts: Option<Shafts>,
    /// Settings of the bed and of bodies.
    pub spec: &'a PreviewSpec,
    /// Time of the frame in seconds.
    pub time: f64,
    /// Whether nothing absorbs light, for the white furnace test.
    pub is_lossless: bool,
}

/// The geometry of a frame, before acceleration structures are built.
pub struct StagedFrame<'f> {
    /// All surfaces and particles.
    pub geometry: SceneGeometry<'f>,
    /// The camera.
    pub eye: PinholeCamera,
    kind: StagedKind,
}

enum StagedKind {
    Tank(TankLiquid),
    Outdoor(Box<Outdoors>),
}

/// The parts of an outdoor setting that are not geometry.
struct Outdoors {
    land: Option<Land>,
    basin: Basin,
    swell: Option<SlopeMap>,
    ripples: Ripples,
    trees: Option<Treeline>,
    studio: Option<StudioBackdrop>,
    fog: Option<DensityGrid>,
    crest: f32,
}

impl<'f> StagedFrame<'f> {
    /// Stages a frame of checked meshes, as a preview with the same keys does.
    pub fn new(
        spec: &PreviewSpec,
        sky: &Sky,
        seed: u32,
        view: &Viewpoint,
        size: [usize; 2],
        frame: &'f Frame,
    ) -> Result<Self, DrawError> {
        // A liquid in a tank brings its own geometry.
        if let Some(liquid) = liquid::find(spec, frame) {
            let geometry = liquid::scene_geometry(&liquid, spec, frame)?;
            let eye = view.eye(&Subject::Tank(liquid.tank.corners()), size[0], size[1]);
            return Ok(StagedFrame { geometry, eye, kind: StagedKind::Tank(liquid) });
        }
        // Otherwise the scene of a preview; a pond without land gets a bank.
        let scene = PreviewScene::new(spec, sky, seed, view, size, frame)?;
        let PreviewScene {
            mut geometry,
            eye,
            land,
            basin,
            sea_slopes,
            ripples,
            treeline,
            studio,
            smoke_field,
            crest,
        } = scene;
        if basin.beyond == Beyond::Shore && land.is_none() {
            add_bank(&mut geometry, &basin);
        }
        let outdoors = Outdoors {
            land,
            basin,
            swell: sea_slopes,
            ripples,
            trees: treeline,
            studio,
            fog: smoke_field,
            crest,
        };
        Ok(StagedFrame { geometry, eye, kind: StagedKind::Outdoor(Box::new(outdoors)) })
    }
}

impl<'a> TraceScene<'a> {
    /// Builds the scene of a staged frame, which moves during `shutter` seconds.
    pub fn new(
        staged: &'a mut StagedFrame<'_>,
        spec: &'a PreviewSpec,
        sky: &'a Sky,
        frame: &Frame,
        shutter: f32,
    ) -> (Self, &'a PinholeCamera) {
        let StagedFrame { geometry, eye, kind } = staged;
        let (geometry, eye): (&'a SceneGeometry<'a>, &'a PinholeCamera) = (geometry, eye);
        let heading = eye.forward.truncate().normalize_or_zero();
        let scene = match kind {
            StagedKind::Tank(liquid) => tank_scene(liquid, geometry, heading, spec, sky, shutter),
            StagedKind::Outdoor(outdoors) => {
                outdoor_scene(outdoors, geometry, heading, spec, sky, frame, shutter)
            }
        };
        let mut scene = TraceScene { time: frame.time, ..scene };
        let detail = scene.open_water.as_ref().and_then(|open| open.land.as_ref()?.detail().cloned());
        scene.intersector.detail = detail.map(|detail| (detail, eye.pixel_angle()));
        let is_under_water = scene.intersector.is_in_water(eye.position, 0.0);
        let shafts = scene.open_water.as_ref().filter(|_| is_under_water);
        scene.shafts = shafts.and_then(|open| Shafts::new(&scene, open, frame));
        (scene, eye)
    }
}

fn tank_scene<'a>(
    liquid: &TankLiquid,
    geometry: &'a SceneGeometry<'a>,
    heading: Vec2,
    spec: &'a PreviewSpec,
    sky: &'a Sky,
    shutter: f32,
) -> TraceScene<'a> {
    let tank = liquid.tank;
    // Studio and floor around the tank.
    let is_dark = spec.backdrop == BackdropKind::Dark;
    let studio = (spec.backdrop != BackdropKind::Sky).then(|| match tank.kind {
        TankKind::Bare => StudioBackdrop::around([tank.low.with_z(tank.ground()), tank.high], sky, is_dark),
        _ => StudioBackdrop::under(tank.slab(), sky, is_dark),
    });
    let planes = HorizontalPlanes { floor: Some(tank.ground()), ..HorizontalPlanes::default() };
    let walls = (tank, 0.2 * liquid.cell);
    // The scene, still without sunlight on the floor.
    let mut scene = TraceScene {
        intersector: Intersector::new(
            geometry,
            &spec.liquid.glass,
            Some(walls),
            planes,
            tank.size(),
            shutter,
        ),
        environment: EnvironmentLight::new(sky, studio, None, heading),
        media: liquid.media(spec),
        open_water: None,
        smoke: None,
        caustics: None,
        floor_sunlight: None,
        through_water: None,
        shafts: None,
        spec,
        time: 0.0,
        is_lossless: false,
    };
    // Rays end just above the bottom of the liquid, which lies on the floor.
    let floor = tank.low.z + 2.0 * scene.media.step;
    let suns = over_disc(scene.environment.sun, scene.environment.sun_radius);
    let sunlight = FloorSunlight::new(&tank, floor, scene.environment.sun, &suns, |from, direction| {
        scene.trace_sun_ray(floor, from, direction)
    });
    scene.floor_sunlight = Some(sunlight);
    scene
}

fn outdoor_scene<'a>(
    outdoors: &mut Outdoors,
    geometry: &'a SceneGeometry<'a>,
    heading: Vec2,
    spec: &'a PreviewSpec,
    sky: &'a Sky,
    frame: &Frame,
    shutter: f32,
) -> TraceScene<'a> {
    // Horizontal planes: the sea around the mesh, its bed, and the floor of a studio.
    let land = outdoors.land.take();
    let studio = land.as_ref().and_then(Land::studio).cloned().or_else(|| outdoors.studio.take());
    let basin = outdoors.basin.clone();
    let size = land.as_ref().map_or((basin.sheet[1] - basin.sheet[0]).max_element(), Land::width);
    let has_sea = basin.beyond == Beyond::Sea && land.is_none();
    let has_bed = land.is_none() && basin.beyond != Beyond::Shore;
    let planes = HorizontalPlanes {
        sea: has_sea.then(|| SeaPlane {
            level: basin.level,
            drawn: basin.sheet,
            swell: outdoors.swell.take(),
        }),
        bed: has_bed.then_some(basin.level - basin.depth),
        floor: studio.as_ref().map(StudioBackdrop::floor),
    };
    // Optical coefficients; those of a block of land are scaled to its size.
    let strength = match (&land, &studio) {
        (Some(land), Some(_)) => land.block_strength(spec.look.extinction()),
        _ => 1.0,
    };
    let look = WaterLook {
        absorption: spec.look.absorption * strength,
        scattering: spec.look.scattering * strength,
    };
    // Sun and sky below a level surface: direction and irradiance.
    let light = EnvironmentLight::new(sky, studio, outdoors.trees.take(), heading);
    let cosine = light.sun.z.max(0.0);
    let sunlight = if cosine > 0.0 {
        light.sunlight * (cosine * (1.0 - fresnel(cosine, WATER_INDEX)))
    } else {
        Vec3::ZERO
    };
    let sun_below = -refract(-light.sun, Vec3::Z, WATER_INDEX).unwrap_or(-Vec3::Z);
    let entering = sunlight + light.ambient * std::f32::consts::PI;
    // The scene, still without caustics and smoke.
    let mut scene = TraceScene {
        intersector: Intersector::new(geometry, &spec.liquid.glass, None, planes, size.max(1e-3), shutter),
        environment: light,
        media: Media {
            look,
            glass: Vec3::new(1.1, 0.35, 0.5) / size.max(1e-3),
            dye: 8.0 * spec.liquid.dye / size.max(1e-3),
            dye_scatters: 0.35,
            solid: spec.solid.into(),
            step: 0.0,
            contact: 0.0,
        },
        open_water: Some(OpenWater {
            land,
            water: WaterShader::new(
                sky,
                outdoors.ripples.clone(),
                basin,
                spec.bed,
                look,
                outdoors.crest,
                None,
            ),
            ripple_length: spec.ripples.scale.max(1e-3),
            sun_below,
            entering,
            sun_fraction: sunlight / entering.max(Vec3::splat(1e-9)),
        }),
        smoke: None,
        caustics: None,
        floor_sunlight: None,
        through_water: None,
        shafts: None,
        spec,
        time: 0.0,
        is_lossless: false,
    };
    // The studio's lamp is too wide for caustics.
    let sky_lit = scene.open_water.as_ref().filter(|_| scene.environment.shows_sky());
    scene.caustics = sky_lit.and_then(|open| {
        let absorption = scene.media.look.absorption;
        bed_caustics::caustics(spec, sky, open.land.as_ref(), &open.water.basin, frame, absorption)
    });
    // Smoke, with the sun's visibility at its cells.
    scene.smoke = outdoors.fog.take().map(|fog| {
        let lit = |point: Vec3| if scene.is_sunlit(point, 0.0) { 1.0 } else { 0.0 };
        Smoke::new(&spec.smoke, fog, sky, scene.environment.ambient, lit)
    });
    scene
}

/// Cells of the bank along one side of the sheet, rings of cells around it, and growth of the rings' width.
const CELLS: usize = 220;
const RINGS: usize = 26;
const GROWTH: f32 = 1.35;

// Adds the bank of a pond as a mesh: even cells across the sheet, growing ones around it.
fn add_bank(geometry: &mut SceneGeometry<'_>, basin: &Basin) {
    let lines = |axis: usize| -> Vec<f32> {
        let (low, high) = (basin.sheet[0][axis], basin.sheet[1][axis]);
        let step = (high - low).max(1e-3) / CELLS as f32;
        let outside = |ring: usize| step * (GROWTH.powi(ring as i32 + 1) - 1.0) / (GROWTH - 1.0);
        let before = (0..RINGS).rev().map(|ring| low - outside(ring));
        let within = (0..=CELLS).map(|cell| low + step * cell as f32);
        before.chain(within).chain((0..RINGS).map(|ring| high + outside(ring))).collect()
    };
    let (xs, ys) = (lines(0), lines(1));
    let points: Vec<Vec2> = ys.iter().flat_map(|&y| xs.iter().map(move |&x| Vec2::new(x, y))).collect();
    let mesh = Mesh {
        name: String::from("bank"),
        material: Material::Ground,
        positions: points.iter().map(|&at| at.extend(basin.ground(at)).to_array()).collect(),
        normals: points.iter().map(|&at| basin.ground_normal(at, 0.0).to_array()).collect(),
        velocities: Vec::new(),
        uvs: Vec::new(),
        attributes: Vec::new(),
        triangles: Triangles::Lattice { columns: xs.len() as u32, rows: ys.len() as u32 },
    };
    // It comes last, so that the numbers of all other primitives stay.
    let first = geometry.spheres.iter().map(|cloud| cloud.first + cloud.points.positions.len() as u32);
    let triangles =
        geometry.surfaces.iter().map(|surface| surface.first + surface.mesh.triangle_count() as u32);
    let first = first.chain(triangles).max().unwrap_or(0);
    geometry.surfaces.push(WorldMesh { mesh: Cow::Owned(mesh), kind: PrimitiveKind::Skirt, first });
}
