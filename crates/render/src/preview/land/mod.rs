//! Terrain rendering: the ground of a height field with shadows, wetness and the water on it.
//!
//! The ground mesh of a frame is converted back to heights on a lattice. Reflected and refracted rays intersect it by ray
//! marching; shadows and the sky-view factor are precomputed once per picture.

mod block;
mod detail;
mod foam;
pub mod ground;
pub(crate) mod ground_texture;
mod land_water;
pub mod lattice;
mod ray_intersection;
mod section;
mod shadows;
mod sky_view;
mod studio;
mod surrounding_terrain;
mod terrain_extrapolation;

use glam::{Vec2, Vec3};
use undine_frame::{Material, Mesh, Quantity};

pub use block::BlockSides;
pub use detail::LandDetail;
pub use foam::Foam;
pub use ground_texture::GroundKind;
pub use surrounding_terrain::SurroundingTerrain;

use ground_texture::GroundTexture;
use land_water::LandWater;
use lattice::VertexLattice;
pub use studio::StudioBackdrop;
pub(crate) use studio::carded;
use terrain_extrapolation::TerrainExtrapolation;

use super::basin::Beyond;
use super::flow_ripples::Flow;
use crate::noise::smoothstep;
use crate::sky::Sky;

/// A terrain and the water on it.
#[derive(Debug, Clone)]
pub struct Land {
    lattice: VertexLattice,
    heights: Vec<f32>,
    shadows: Vec<f32>,
    sky_view: Vec<f32>,
    wetness: Vec<f32>,
    water: Option<LandWater>,
    extrapolation: Option<TerrainExtrapolation>,
    pub(crate) texture: GroundTexture,
    range: [f32; 2],
    deepest: f32,
    studio: Option<StudioBackdrop>,
    detail: Option<LandDetail>,
}

/// Parameters of terrain rendering.
#[derive(Debug, Clone, Copy)]
pub struct LandSpec {
    /// Surface material.
    pub kind: GroundKind,
    /// What is drawn beyond it.
    pub beyond: Beyond,
    /// Height of the water at rest, if given.
    pub level: Option<f32>,
    /// Seed of the hills beyond.
    pub seed: u32,
}

impl Land {
    /// The largest ground lattice of a frame, lit by a sun in direction `sun`; `None` when the frame's water is not on the
    /// same lattice, such as a sea around an island.
    pub fn find(meshes: &[Mesh], spec: LandSpec, sun: Vec3) -> Option<Land> {
        let grounds = meshes.iter().filter(|mesh| mesh.material == Material::Ground);
        let widest = grounds.max_by_key(|mesh| mesh.positions.len())?;
        let lattice = VertexLattice::of(widest)?;
        let (heights, range) = heights(widest)?;
        let water = LandWater::find(meshes, &lattice, &heights);
        if water.is_none() && meshes.iter().any(|mesh| mesh.material == Material::Water) {
            return None;
        }
        let beyond = if is_ribbon(&lattice) { Beyond::Nothing } else { spec.beyond };
        let level = spec.level.or_else(|| water.as_ref().and_then(LandWater::mean_level));
        let sea = level.filter(|_| beyond == Beyond::Sea);
        let [low, high] = lattice.corners();
        Some(Land {
            shadows: shadows::shadow_heights(&lattice, &heights, sun),
            sky_view: sky_view::sky_view(&lattice, &heights),
            wetness: wetness(widest, &water),
            extrapolation: (beyond != Beyond::Nothing)
                .then(|| TerrainExtrapolation::new(&lattice, &heights, sea, spec.seed)),
            texture: GroundTexture {
                kind: spec.kind,
                // Without a rest level, as in a river, the sand would move with the water
                waterline: spec.level.or(sea),
                range,
                width: (high - low).max_element(),
            },
            studio: None,
            detail: None,
            deepest: water.as_ref().map_or(0.0, LandWater::deepest).max(1e-6),
            lattice,
            heights,
            water,
            range,
        })
    }

    /// Name of its ground, if it is among these meshes.
    pub fn name(meshes: &[Mesh]) -> Option<&str> {
        let grounds = meshes.iter().filter(|mesh| mesh.material == Material::Ground);
        grounds.max_by_key(|mesh| mesh.positions.len()).map(|mesh| mesh.name.as_str())
    }

    /// The same land, an overview until now, with all samples of its water.
    pub fn set_detail(&mut self, detail: LandDetail) {
        self.lattice.set_corners(detail.corners());
        self.detail = Some(detail);
    }

    /// All samples of its water, if it is large.
    pub fn detail(&self) -> Option<&LandDetail> {
        self.detail.as_ref()
    }

    /// Distance of neighbouring heights.
    pub fn step(&self) -> f32 {
        self.detail.as_ref().map_or_else(|| self.lattice.step(), LandDetail::step)
    }

    /// Whether it is a vertical section, one cell thick.
    pub fn is_ribbon(&self) -> bool {
        is_ribbon(&self.lattice)
    }

    /// Places it, as a block, in a studio lit like a sky.
    pub fn into_studio(mut self, sky: &Sky) -> Self {
        self.studio = Some(StudioBackdrop::new(&self, sky));
        self
    }

    /// The studio that it stands in.
    pub fn studio(&self) -> Option<&StudioBackdrop> {
        self.studio.as_ref()
    }

    // Radiance of the surroundings along a reflected ray, filtered over about `spread` radians.
    fn mirrored(&self, sky: &Sky, ray: Vec3, spread: f32) -> Vec3 {
        self.studio.as_ref().map_or_else(|| sky.blurred_radiance(ray, spread), |studio| studio.mirrored(ray))
    }

    /// Upper bound of water and ground, rounded up in steps, so that automatic framing does not jitter.
    pub fn ceiling(&self) -> f32 {
        let surfaces = self.water.as_ref().map(|water| water.levels.iter().zip(&water.depths));
        let wet = surfaces.into_iter().flatten().filter(|(level, depth)| **depth > 0.0 && level.is_finite());
        let highest = wet.fold(self.range[1], |highest, (&level, _)| highest.max(level));
        let step = 0.05 * self.texture.width.max(1e-6);
        let over = (((highest - self.range[1]) / step).ceil() * step).min(self.texture.width);
        self.range[1] + over
    }

    /// Its greater horizontal extent in metres.
    pub fn width(&self) -> f32 {
        self.texture.width
    }

    /// Mean height of the water, where there is any.
    pub fn mean_level(&self) -> Option<f32> {
        self.water.as_ref().and_then(LandWater::mean_level)
    }

    /// Greatest depth of the water, above zero.
    pub fn deepest(&self) -> f32 {
        self.deepest
    }

    /// Lowest and highest corner of the ground.
    pub fn bounds(&self) -> [Vec3; 2] {
        let [low, high] = self.lattice.corners();
        [low.extend(self.range[0]), high.extend(self.range[1])]
    }

    /// Height of the ground, extrapolated beyond the border.
    pub fn height(&self, at: Vec2) -> f32 {
        let edge = self.edge_height(at);
        match &self.extrapolation {
            Some(extrapolation) if !self.lattice.holds(at) => extrapolation.height(at, edge),
            _ => edge,
        }
    }

    // Height of the ground, beyond the border that of the nearest border point.
    fn edge_height(&self, at: Vec2) -> f32 {
        match &self.detail {
            Some(detail) => detail.ground(at),
            None => self.lattice.weights(at).interpolate(&self.heights),
        }
    }

    /// Height of the water surface where there is water; beyond the border, that of the nearest border point.
    pub fn surface(&self, at: Vec2) -> Option<f32> {
        if let Some(detail) = &self.detail {
            return detail.level(at).filter(|&level| level > detail.ground(at));
        }
        let water = self.water.as_ref()?;
        let weights = self.lattice.weights(at);
        let (surface, ground) = (weights.interpolate(&water.levels), weights.interpolate(&self.heights));
        (surface > ground).then_some(surface)
    }

    // Water surface beyond the border: the sea is level; other water keeps its level where the ground rises and its depth
    // where the ground falls, and ends after some distance.
    fn surface_outside(&self, extrapolation: &TerrainExtrapolation, at: Vec2) -> f32 {
        let far = extrapolation.distance_outside(at) / extrapolation.width();
        let edge = match (&self.detail, &self.water) {
            (Some(detail), _) => detail.level(at),
            (None, water) => water.as_ref().map(|water| self.lattice.weights(at).interpolate(&water.levels)),
        };
        let ground = self.edge_height(at);
        match (extrapolation.sea_level(), edge) {
            (Some(sea), Some(edge)) if edge > ground => edge + (sea - edge) * smoothstep(0.0, 1.2, far),
            (Some(sea), _) => sea,
            (None, Some(edge)) if edge > ground => {
                let depth =
                    (edge - ground) * (1.0 - smoothstep(0.0, 0.6, far)) - 0.02 * far * extrapolation.width();
                edge.min(self.height(at) + depth)
            }
            (None, _) => self.height(at) - 0.05 * extrapolation.width(),
        }
    }

    /// Depth of the water, zero where it is dry.
    pub fn depth(&self, point: Vec3) -> f32 {
        (point.z - self.height(Vec2::new(point.x, point.y))).max(0.0)
    }

    /// Whether the velocity of its water is known.
    pub fn has_velocity(&self) -> bool {
        self.water.as_ref().is_some_and(|water| !water.velocities.is_empty())
    }

    /// The flow at a point of the water surface, fading out beyond the border.
    pub fn flow(&self, point: Vec3) -> Flow {
        let at = Vec2::new(point.x, point.y);
        let Some(water) = self.water.as_ref().filter(|water| !water.velocities.is_empty()) else {
            return Flow::default();
        };
        let from_samples = self.detail.as_ref().and_then(|detail| detail.velocity(at));
        let velocity =
            from_samples.unwrap_or_else(|| self.lattice.weights(at).interpolate(&water.velocities));
        Flow { velocity: velocity * self.nearness(at), depth: self.depth(point) }
    }

    // 1 within the domain, falling to 0 some way beyond its border.
    fn nearness(&self, at: Vec2) -> f32 {
        self.extrapolation.as_ref().map_or(1.0, |extrapolation| {
            1.0 - smoothstep(0.0, 0.4, extrapolation.distance_outside(at) / extrapolation.width())
        })
    }

    /// Unit normal of the ground, by central differences over about `footprint` metres.
    pub fn normal(&self, at: Vec2, footprint: f32) -> Vec3 {
        let step = (0.5 * footprint).max(0.5 * self.step());
        let rise = |towards: Vec2| self.height(at + towards * step) - self.height(at - towards * step);
        Vec3::new(-rise(Vec2::X), -rise(Vec2::Y), 2.0 * step).normalize_or(Vec3::Z)
    }

    /// Wetness of the ground, 0 to 1.
    pub fn wetness(&self, at: Vec2) -> f32 {
        if self.wetness.is_empty() || !self.lattice.holds(at) {
            return 0.0;
        }
        let wetness = match &self.detail {
            Some(detail) => detail.wetness(at),
            None => self.lattice.weights(at).interpolate(&self.wetness),
        };
        if wetness > 0.0 { wetness.min(1.0) } else { 0.0 }
    }

    /// Visibility of the sun at a point, and sky-view factor.
    pub fn daylight(&self, point: Vec3) -> (f32, f32) {
        let at = Vec2::new(point.x, point.y);
        if !self.lattice.holds(at) {
            return (1.0, 1.0);
        }
        let weights = self.lattice.weights(at);
        // Soft shadow edge, a fraction of a cell wide
        let soft = 0.15 * self.lattice.step();
        let above = point.z - weights.interpolate(&self.shadows);
        let sun = smoothstep(-soft, 0.2 * soft, above);
        (sun, weights.interpolate(&self.sky_view))
    }
}

fn is_ribbon(lattice: &VertexLattice) -> bool {
    lattice.size().contains(&2)
}

// Heights, with gaps filled by the minimum, and their range; `None` when no height is finite.
fn heights(ground: &Mesh) -> Option<(Vec<f32>, [f32; 2])> {
    let finite =
        ground.positions.iter().map(|at| at[2]).filter(|height| height.is_finite() && height.abs() < 1e9);
    let range = finite.fold(None, |range: Option<[f32; 2]>, height| {
        let [low, high] = range.unwrap_or([height; 2]);
        Some([low.min(height), high.max(height)])
    });
    let [low, high] = range?;
    let filled = |at: &[f32; 3]| if at[2] >= low && at[2] <= high { at[2] } else { low };
    Some((ground.positions.iter().map(filled).collect(), [low, high]))
}

// The wetness attribute of the ground, and 1 where there is water.
fn wetness(ground: &Mesh, water: &Option<LandWater>) -> Vec<f32> {
    let told = ground.attribute(Quantity::Wetness).map(|wetness| wetness.values.to_vec());
    let Some(water) = water else { return told.unwrap_or_default() };
    let mut wetness = told.unwrap_or_else(|| vec![0.0; water.depths.len()]);
    for (wetness, &depth) in wetness.iter_mut().zip(&water.depths) {
        *wetness = if depth > 0.0 { 1.0 } else { *wetness };
    }
    wetness
}
