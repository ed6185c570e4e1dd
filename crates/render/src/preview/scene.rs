//! Scene setup: geometry, surroundings and camera of a frame.
//!
//! It depends only on the frame and the keys of the picture, and is shared by the rasteriser and the path tracer.

use glam::{Vec2, Vec3};
use undine_frame::{Attribute, Frame, Material, Mesh};
use undine_surface::{HeightQuadtree, QuadtreeMeshes};

use super::basin::{Basin, Beyond};
use super::flow_ripples::FlowRipples;
use super::land::{BlockSides, Land, LandDetail, LandSpec, StudioBackdrop, SurroundingTerrain};
use super::pinhole_camera::PinholeCamera;
use super::ripples::Ripples;
use super::scene_geometry::{PrimitiveKind, SceneGeometry, SheetExtent};
use super::slope_map::SlopeMap;
use super::smoke::{self, DensityGrid};
use super::treeline::Treeline;
use super::viewpoint::{Subject, Viewpoint};
use super::{BackdropKind, PreviewSpec};
use crate::DrawError;
use crate::sky::{self, Sky};

/// The scene of a frame, unless it is a liquid in a tank.
pub(crate) struct PreviewScene<'f> {
    /// All primitives.
    pub geometry: SceneGeometry<'f>,
    /// The camera.
    pub eye: PinholeCamera,
    /// The land, if the frame has any.
    pub land: Option<Land>,
    /// The ground where no land is simulated.
    pub basin: Basin,
    /// Slopes of the waves, continued over the sea around the sheet.
    pub sea_slopes: Option<SlopeMap>,
    /// Ripples on top of the simulated waves.
    pub ripples: Ripples,
    /// The trees around a pond.
    pub treeline: Option<Treeline>,
    /// The studio around objects without land; land has its own.
    pub studio: Option<StudioBackdrop>,
    /// The density of smoke.
    pub smoke_field: Option<DensityGrid>,
    /// Height of the highest crests above the rest level, in metres.
    pub crest: f32,
}

impl<'f> PreviewScene<'f> {
    /// The scene of a frame of checked meshes, with overviews of its large waters.
    pub fn new(
        spec: &PreviewSpec,
        sky: &Sky,
        seed: u32,
        view: &Viewpoint,
        [width, height]: [usize; 2],
        frame: &'f Frame,
    ) -> Result<Self, DrawError> {
        let land_spec = LandSpec { kind: spec.ground, beyond: spec.beyond, level: spec.level, seed };
        let land = Land::find(&frame.meshes, land_spec, sky.sun);
        let smoke_field = smoke::find(&spec.smoke, frame);
        let room = room(spec, frame, land.is_some(), smoke_field.as_ref().map(DensityGrid::corners));
        let beyond = match (&land, spec.beyond) {
            _ if room.is_some() => Beyond::Nothing,
            (Some(land), _) if land.is_ribbon() => Beyond::Nothing,
            // A procedural bank is drawn only around water without land
            (Some(_), Beyond::Shore) => Beyond::Land,
            (_, beyond) => beyond,
        };
        let is_indoors = beyond == Beyond::Nothing && spec.backdrop != BackdropKind::Sky;
        let mut land = land.map(|land| if is_indoors { land.into_studio(sky) } else { land });
        let subject = room.map_or_else(|| subject(frame, land.as_ref(), beyond), Subject::Object);
        let eye = view.eye(&subject, width, height);
        let in_view = large_waters(frame, land.as_mut(), &eye);
        let carries_on = beyond == Beyond::Sea && land.is_none();
        let mut geometry = SceneGeometry::new(frame, in_view, carries_on, around(land.as_ref(), beyond))?;
        let studio =
            room.map(|corners| StudioBackdrop::around(corners, sky, spec.backdrop == BackdropKind::Dark));
        let extent = SheetExtent::of(frame.meshes.iter().filter(|mesh| mesh.material == Material::Water));
        let (sea_slopes, drawn): (Option<SlopeMap>, [Vec2; 2]) =
            geometry.sea.take().map_or((None, extent.sheet), |(slopes, drawn)| (Some(slopes), drawn));
        let mean = land.as_ref().map_or(extent.mean, |land| land.mean_level().unwrap_or(extent.mean));
        let basin = Basin::new(spec.level.unwrap_or(mean), spec.depth, beyond, drawn, seed);
        Ok(PreviewScene {
            eye,
            crest: if land.is_some() { 0.0 } else { extent.highest - basin.level },
            ripples: ripples(spec, land.as_ref(), frame.time, seed),
            treeline: (beyond == Beyond::Shore).then(|| Treeline::new(sky, seed)),
            geometry,
            land,
            basin,
            sea_slopes,
            studio,
            smoke_field,
        })
    }
}

// The meshes of large waters as seen by the camera; the land gets the samples of its own.
fn large_waters(frame: &Frame, mut land: Option<&mut Land>, eye: &PinholeCamera) -> Vec<Mesh> {
    let mut meshes = Vec::new();
    for large in frame.large_waters() {
        let Some(tree) = HeightQuadtree::new(large.heights) else { continue };
        let sound = |attribute: &&Attribute| attribute.inconsistency(large.heights.count(), "").is_none();
        let attributes: Vec<Attribute> = large.ground.attributes.iter().filter(sound).cloned().collect();
        let QuadtreeMeshes { ground, water } =
            tree.meshes([&large.water.name, &large.ground.name], &attributes, &eye.quadtree_view());
        if let Some(land) = land.as_mut().filter(|_| Land::name(&frame.meshes) == Some(&large.ground.name))
            && let Some(detail) = LandDetail::new(&large)
        {
            land.set_detail(detail.with_border(&ground));
        }
        meshes.extend([ground, water]);
    }
    meshes
}

// The ripples of wind, and those of the flow of a water over land whose velocity is known.
fn ripples(spec: &PreviewSpec, land: Option<&Land>, time: f64, seed: u32) -> Ripples {
    let flowing = land.filter(|land| land.has_velocity()).and_then(|land| {
        let phases = spec.ripples.flow_phases(2.0 * land.step(), time, seed);
        FlowRipples::new(spec.ripples.flow_strength, &phases)
    });
    Ripples::new(&spec.ripples, time, seed).with_flow(flowing)
}

// Bounds of the objects in a studio without land; `None` unless requested, or there is smoke and no water.
fn room(spec: &PreviewSpec, frame: &Frame, has_land: bool, smoke: Option<[Vec3; 2]>) -> Option<[Vec3; 2]> {
    let is_bare = frame.meshes.iter().all(|mesh| mesh.material.is_body());
    let is_wanted = match spec.backdrop {
        BackdropKind::Sky => false,
        BackdropKind::Studio | BackdropKind::Dark => true,
        BackdropKind::Auto => is_bare && smoke.is_some(),
    };
    let bodies = frame.bodies.iter().flat_map(|body| {
        let reach = body.mesh.positions.iter().map(|&at| Vec3::from(at).length()).fold(0.0, f32::max);
        let middle = Vec3::from(body.position);
        [middle - reach, middle + reach]
    });
    // The bounds of smoke are constant while bodies move in it
    let corners = match smoke {
        Some([low, high]) => vec![low, high],
        None => {
            let bounds = frame.bounds().into_iter().flat_map(|(low, high)| [low, high].map(Vec3::from));
            bounds.chain(bodies).filter(|corner| corner.is_finite()).collect()
        }
    };
    let first = *corners.first().filter(|_| is_wanted && !has_land)?;
    Some(corners.iter().fold([first; 2], |[low, high], &at| [low.min(at), high.max(at)]))
}

/// Default meteorological visibility of a frame with land.
pub(crate) fn default_visibility(frame: &Frame) -> Option<f32> {
    let has_land = frame.meshes.iter().any(|mesh| mesh.material == Material::Ground);
    let (low, high) = frame.bounds().filter(|_| has_land)?;
    let width = (high[0] - low[0]).max(high[1] - low[1]);
    width.is_finite().then(|| sky::visibility_over(width))
}

// Meshes around the land: the sides of a block, or extrapolated terrain.
fn around(land: Option<&Land>, beyond: Beyond) -> Vec<(Mesh, PrimitiveKind)> {
    let Some(land) = land else { return Vec::new() };
    if beyond == Beyond::Nothing {
        let block = BlockSides::new(land);
        return vec![(block.earth, PrimitiveKind::Cut), (block.water, PrimitiveKind::Cut)];
    }
    let Some(surrounding_terrain) = SurroundingTerrain::new(land) else { return Vec::new() };
    let water = surrounding_terrain.water.map(|water| (water, PrimitiveKind::Mesh));
    std::iter::once((surrounding_terrain.ground, PrimitiveKind::Mesh)).chain(water).collect()
}

// The subject to frame.
fn subject(frame: &Frame, land: Option<&Land>, beyond: Beyond) -> Subject {
    let Some(land) = land else { return Subject::Sheet(frame.bounds()) };
    let [mut low, mut high] = land.bounds();
    high.z = land.ceiling();
    if beyond == Beyond::Nothing {
        low.z = land.base();
    }
    if land.is_ribbon() { Subject::Ribbon([low, high]) } else { Subject::Land([low, high]) }
}
