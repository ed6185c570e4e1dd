//! Perspective pictures of water in space.
//!
//! A picture has two main passes. The opaque pass draws ground, bodies and sky, into the picture and as radiance with
//! distance into a texture. The water pass draws water over it and looks up the refracted background in that texture.
//! Before them, caustics are rendered for water that has moved, and the thickness of closed liquids is measured.

mod bodies;
mod caustics;
mod drape;
mod lattice;
mod lattice_maps;
mod lattice_water;
mod light;
mod pipelines;
mod shader_constants;
mod shore;
mod tiles;
mod velocity_map;

use undine_frame::{Frame, Raster};
use undine_render::preview::{BackdropKind, Beyond};
use undine_render::sky::{SkySpec, visibility_over};
use wgpu::{
    BindGroup, BindGroupLayout, CommandEncoder, Device, Queue, RenderPass, ShaderModule, TextureView,
};

use self::bodies::{MeshBatch, MeshBuffers, TankEdges};
use self::caustics::CausticsMap;
use self::lattice::{LatticeLayer, LatticeShared};
use self::lattice_maps::LatticeMaps;
use self::lattice_water::LatticeWater;
use self::light::{Lighting, StudioTone};
use self::pipelines::{PipelineKind, SpacePipelines};
use self::shader_constants::{ShaderConstants, has_flow_ripples};
use self::tiles::TileContents;
use crate::context::{Context, bind, texture_entry};
use crate::fluid::ScreenSpaceFluid;
use crate::height_field::{HeightFieldData, sheets};
use crate::targets::{RenderTargets, render_target};
use crate::world::{WaterSummary, WorldUniforms};
use crate::{ShadingModel, SpaceView};

/// Rings of extended terrain around a lattice, each about a third wider than the one before.
const RINGS: u32 = 26;

/// Distance in metres below which haze is not visible.
const CLEAR_AIR: f32 = 300.0;

/// Sets of pipelines in the cache.
const MAX_PIPELINE_SETS: usize = 6;

/// Renders everything in space.
pub struct Space {
    targets: Option<RenderTargets>,
    light: Lighting,
    shared: LatticeShared,
    shaders: ShaderModule,
    // Pipelines of the most recent shader constants, the newest last.
    cached: Vec<SpacePipelines>,
    waters: Vec<LatticeWater>,
    solids: MeshBuffers,
    liquids: MeshBuffers,
    thickness_layout: BindGroupLayout,
    thickness: Option<ThicknessMap>,
    tank: TankEdges,
    fields: Vec<Raster>,
    time: f64,
    warning: Option<&'static str>,
    /// Bytes of the maps of height fields that were written so far.
    bytes_uploaded: u64,
}

// Thickness of closed liquids along the view rays.
struct ThicknessMap {
    size: [u32; 2],
    map: TextureView,
    group: BindGroup,
}

impl Space {
    /// A renderer without a frame.
    pub fn new(context: &Context, device: &Device, queue: &Queue) -> Space {
        let light = Lighting::new(context, device, queue);
        let shared = LatticeShared::new(context, device, queue);
        let thickness_layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("thickness"),
            entries: &[texture_entry(0, true, wgpu::TextureViewDimension::D2)],
        });
        Space {
            targets: None,
            light,
            shared,
            shaders: pipelines::shaders(device),
            cached: Vec::new(),
            waters: Vec::new(),
            solids: MeshBuffers::default(),
            liquids: MeshBuffers::default(),
            thickness_layout,
            thickness: None,
            tank: TankEdges::default(),
            fields: Vec::new(),
            time: 0.0,
            warning: None,
            bytes_uploaded: 0,
        }
    }

    /// Bytes of the maps of height fields that were written so far.
    pub fn bytes_uploaded(&self) -> u64 {
        self.bytes_uploaded
    }

    /// Uploads a frame.
    pub fn upload(
        &mut self,
        context: &Context,
        device: &Device,
        queue: &Queue,
        frame: &Frame,
        heights: &[HeightFieldData],
    ) {
        self.time = if frame.time.is_finite() { frame.time } else { 0.0 };
        let longest = context.longest_side;
        let mut old = std::mem::take(&mut self.waters).into_iter();
        for heights in heights {
            let revision = Some(heights.revision());
            let old = old.next();
            // A height field of the same revision is on the device already
            match old {
                Some(same) if same.revision == revision => {
                    self.waters.push(LatticeWater { draped: None, ..same })
                }
                old => {
                    let lattice_maps = LatticeMaps::from_heights(heights, longest);
                    let water = |lattice_maps| {
                        let tiles = heights.tiles();
                        LatticeWater::new(&self.shared, device, queue, lattice_maps, revision, tiles, old)
                    };
                    let water = lattice_maps.map(water);
                    self.bytes_uploaded += water.as_ref().map_or(0, |water| water.lattice.bytes_uploaded);
                    self.waters.extend(water);
                }
            }
        }
        let sheets = sheets(frame);
        let sheets = sheets.iter().filter_map(|mesh| LatticeMaps::from_sheet(mesh, longest));
        self.waters.extend(sheets.map(|lattice_maps| {
            LatticeWater::new(&self.shared, device, queue, lattice_maps, None, None, old.next())
        }));
        let most = context.most_bytes;
        let fits = self.solids.upload(device, queue, &MeshBatch::solids(frame), most)
            & self.liquids.upload(device, queue, &MeshBatch::liquids(frame), most);
        self.warning = (!fits).then_some("a mesh is larger than the graphics device can hold");
        self.tank.upload(device, queue, frame.tank().map(|corners| corners.map(|at| at.map(|x| x as f32))));
        self.fields.clone_from(&frame.fields);
    }

    /// Which part of the last frame could not be uploaded, if any.
    pub fn warning(&self) -> Option<&str> {
        self.warning
    }

    /// Renders a picture.
    pub fn render(
        &mut self,
        context: &Context,
        fluid: &mut ScreenSpaceFluid,
        device: &Device,
        queue: &Queue,
        encoder: &mut CommandEncoder,
        target: &TextureView,
        size: [u32; 2],
        view: &SpaceView,
    ) {
        // Render targets, uniforms and pipelines
        let targets = match self.targets.take() {
            Some(targets) if targets.size == size => targets,
            _ => RenderTargets::new(context, device, size),
        };
        self.prepare(device, queue, size, view);
        let has_floor =
            [self.water_summary(view, is_cut(view)).standing_box.is_some(), self.light.studio.is_some()];
        let constants = ShaderConstants::of(context, view, self.reaches_haze(view), has_floor);
        let pipelines = self.pipelines(context, device, constants);
        // Maps that the main passes read
        self.gather_caustics(context, device, queue, encoder, view, &pipelines);
        self.measure_thickness(context, device, encoder, size, &pipelines);
        fluid.begin(context, device, queue, &targets, view);
        let is_cut = is_cut(view);
        // Opaque pass
        let mut pass = begin(encoder, "opaque", &[&targets.light, target], Some(&targets.depth), true);
        self.draw_opaque(&mut pass, &pipelines, is_cut);
        fluid.draw_opaque(&mut pass);
        self.draw_sky(&mut pass, &pipelines);
        drop(pass);
        fluid.filter(encoder, &targets, &self.light.group);
        // Water pass
        let mut pass = begin(encoder, "water", &[target], Some(&targets.depth), false);
        self.draw_water(&targets, &mut pass, &pipelines, is_cut);
        fluid.draw(&mut pass);
        self.draw_edges(&mut pass, &pipelines);
        drop(pass);
        self.targets = Some(targets);
        self.cache_pipelines(pipelines);
    }

    // Writes the uniforms of a picture, drapes fields and selects the visible tiles.
    fn prepare(&mut self, device: &Device, queue: &Queue, size: [u32; 2], view: &SpaceView) {
        let water = self.water_summary(view, is_cut(view));
        let visibility = view.sky.visibility.or_else(|| self.default_visibility());
        let sky = SkySpec { visibility, ..view.sky.clone() };
        self.light.set_sky(queue, &sky, studio_tone(view, &water), self.time);
        if matches!(view.shading, ShadingModel::Classic(_)) {
            self.light.write_cube(queue);
        }
        let mut world =
            WorldUniforms::new(view, &self.light.sky, self.light.studio.as_ref(), water, size, self.time);
        let is_rippled = has_flow_ripples(view);
        if is_rippled {
            let flowing = self.waters.iter().find(|water| !water.lattice.velocities.is_empty());
            let spacing =
                flowing.map_or(1.0, |water| water.lattice.grid[1].into_iter().fold(f32::MAX, f32::min));
            world.set_flow_ripples(&view.materials.ripples, spacing, self.time, view.sky.seed);
        }
        self.light.write_uniforms(queue, &world);
        for water in &mut self.waters {
            if is_rippled {
                water.upload_velocities(&self.shared, device, queue);
            }
            water.drape_field(&self.shared, device, queue, &self.fields, view.drape.as_ref());
            water.lattice.select_tiles(&self.shared, device, queue, &view.camera, water.draped.is_some());
        }
    }

    fn water_summary(&self, view: &SpaceView, is_cut: bool) -> WaterSummary {
        let Some(first) = self.waters.first().map(|water| &water.lattice) else {
            return WaterSummary { standing_box: self.tank.corners, ..WaterSummary::default() };
        };
        let [low, high] = [first.tile_grid.low, first.tile_grid.high];
        let standing_box = (is_cut && first.has_bed).then(|| [low.with_z(first.base()), high]);
        let is_camera_below = !first.has_bed && view.camera.position.z < first.level;
        WaterSummary {
            level: first.level,
            crest: first.crest,
            standing_box: self.tank.corners.or(standing_box),
            is_camera_below,
        }
    }

    // Visibility over land, where the scene does not specify it.
    fn default_visibility(&self) -> Option<f32> {
        let land = self.waters.iter().map(|water| &water.lattice).filter(|lattice| lattice.has_bed);
        let widths =
            land.map(|lattice| (lattice.tile_grid.high - lattice.tile_grid.low).truncate().max_element());
        widths.reduce(f32::max).map(visibility_over)
    }

    // Whether haze is visible beyond the lattices, and on them.
    fn reaches_haze(&self, view: &SpaceView) -> [bool; 2] {
        let is_open = |water: &LatticeWater| !water.lattice.has_bed;
        let is_far = |water: &LatticeWater| {
            let [low, high] = [water.lattice.tile_grid.low, water.lattice.tile_grid.high];
            (view.camera.position - low).abs().max((view.camera.position - high).abs()).length() > CLEAR_AIR
        };
        if self.light.studio.is_some() {
            return [false; 2];
        }
        let is_lattice_hazy = self.waters.iter().any(|water| is_open(water) || is_far(water));
        [is_lattice_hazy || self.tank.corners.is_none(), is_lattice_hazy]
    }

    // The pipelines for these shader constants, from the cache or new.
    fn pipelines(
        &mut self,
        context: &Context,
        device: &Device,
        constants: ShaderConstants,
    ) -> SpacePipelines {
        match self.cached.iter().position(|cached| *cached.constants() == constants) {
            Some(index) => self.cached.remove(index),
            None => {
                let layouts = [&self.shared.layout, &self.thickness_layout];
                SpacePipelines::new(context, device, &self.shaders, layouts, constants)
            }
        }
    }

    fn cache_pipelines(&mut self, pipelines: SpacePipelines) {
        if self.cached.len() == MAX_PIPELINE_SETS {
            self.cached.remove(0);
        }
        self.cached.push(pipelines);
    }

    // Renders caustics for waters that have moved, or for a sun that has.
    fn gather_caustics(
        &mut self,
        context: &Context,
        device: &Device,
        queue: &Queue,
        encoder: &mut CommandEncoder,
        view: &SpaceView,
        pipelines: &SpacePipelines,
    ) {
        let sun = self.light.sky.sun;
        let is_drawn = view.effects.caustics && sun.z > 0.02;
        for water in self.waters.iter_mut().filter(|water| is_drawn && water.lattice.has_bed) {
            if !water.lattice.is_new && water.sun == sun && water.caustics.is_some() {
                continue;
            }
            if water.caustics.is_none() {
                let caustics = CausticsMap::new(context, device, queue, &water.lattice);
                water.caustics = Some(caustics);
                water.rebind(&self.shared, device);
            }
            if let Some(caustics) = &water.caustics {
                let (pipeline, world) = (pipelines.of(PipelineKind::Rays), &self.light.group);
                caustics.gather(&self.shared, encoder, pipeline, world, &water.lattice);
            }
            (water.lattice.is_new, water.sun) = (false, sun);
        }
    }

    // Renders the thickness of closed liquids.
    fn measure_thickness(
        &mut self,
        context: &Context,
        device: &Device,
        encoder: &mut CommandEncoder,
        size: [u32; 2],
        pipelines: &SpacePipelines,
    ) {
        if self.liquids.is_empty() {
            return;
        }
        let thickness = match self.thickness.take() {
            Some(thickness) if thickness.size == size => thickness,
            _ => ThicknessMap::new(context, device, &self.thickness_layout, size),
        };
        let mut pass = begin(encoder, "thickness", &[&thickness.map], None, true);
        pass.set_bind_group(0, &self.light.group, &[]);
        pass.set_pipeline(pipelines.of(PipelineKind::Thickness));
        self.liquids.draw(&mut pass);
        drop(pass);
        self.thickness = Some(thickness);
    }

    fn draw_opaque(&self, pass: &mut RenderPass<'_>, pipelines: &SpacePipelines, is_cut: bool) {
        pass.set_bind_group(0, &self.light.group, &[]);
        pass.set_pipeline(pipelines.of(PipelineKind::Bodies));
        self.solids.draw(pass);
        for lattice in self.waters.iter().map(|water| &water.lattice).filter(|lattice| lattice.has_bed) {
            for contents in lattice.visible_contents(LatticeLayer::Ground) {
                pass.set_pipeline(pipelines.of(match contents {
                    TileContents { has_water: false, .. } => PipelineKind::DryGround,
                    TileContents { has_land: false, .. } => PipelineKind::FloodedGround,
                    _ => PipelineKind::Ground,
                }));
                lattice.draw(&self.shared, pass, LatticeLayer::Ground, contents);
            }
            pass.set_bind_group(2, &lattice.group, &[]);
            if is_cut {
                pass.set_pipeline(pipelines.of(PipelineKind::Earth));
                pass.draw(0..6 * lattice.border()[0], 0..1);
            } else {
                pass.set_pipeline(pipelines.of(PipelineKind::FarGround));
                pass.draw(0..2 * lattice.border()[1] + 2, 0..RINGS);
            }
        }
    }

    fn draw_sky(&self, pass: &mut RenderPass<'_>, pipelines: &SpacePipelines) {
        pass.set_bind_group(0, &self.light.group, &[]);
        pass.set_pipeline(pipelines.of(PipelineKind::Sky));
        pass.draw(0..3, 0..1);
    }

    fn draw_water(
        &self,
        targets: &RenderTargets,
        pass: &mut RenderPass<'_>,
        pipelines: &SpacePipelines,
        is_cut: bool,
    ) {
        pass.set_bind_group(0, &self.light.group, &[]);
        pass.set_bind_group(1, &targets.behind, &[]);
        for lattice in self.waters.iter().map(|water| &water.lattice) {
            for contents in lattice
                .visible_contents(LatticeLayer::Water)
                .into_iter()
                .filter(|contents| contents.has_water)
            {
                pass.set_pipeline(pipelines.of(match (lattice.has_bed, contents.has_foam) {
                    (false, _) => PipelineKind::OpenWater,
                    (true, true) => PipelineKind::Water,
                    (true, false) => PipelineKind::CalmWater,
                }));
                lattice.draw(&self.shared, pass, LatticeLayer::Water, contents);
            }
            pass.set_bind_group(2, &lattice.group, &[]);
            match (lattice.has_bed, is_cut) {
                (false, _) => {}
                (true, true) => {
                    pass.set_pipeline(pipelines.of(PipelineKind::Sides));
                    pass.draw(0..6 * lattice.border()[0], 0..1);
                }
                (true, false) => {
                    pass.set_pipeline(pipelines.of(PipelineKind::FarWater));
                    pass.draw(0..2 * lattice.border()[1] + 2, 0..RINGS);
                }
            }
        }
        // Open water extends to the horizon
        let open = self.waters.iter().map(|water| &water.lattice).find(|lattice| !lattice.has_bed);
        if let Some(lattice) = open.filter(|_| self.tank.corners.is_none()) {
            pass.set_pipeline(pipelines.of(PipelineKind::Sea));
            pass.set_bind_group(2, &lattice.group, &[]);
            pass.draw(0..3, 0..1);
        }
        if let Some(thickness) = self.thickness.as_ref().filter(|_| !self.liquids.is_empty()) {
            pass.set_pipeline(pipelines.of(PipelineKind::Liquid));
            pass.set_bind_group(2, &thickness.group, &[]);
            self.liquids.draw(pass);
        }
    }

    fn draw_edges(&self, pass: &mut RenderPass<'_>, pipelines: &SpacePipelines) {
        pass.set_bind_group(0, &self.light.group, &[]);
        pass.set_pipeline(pipelines.of(PipelineKind::Edges));
        self.tank.draw(pass);
    }
}

impl ThicknessMap {
    fn new(context: &Context, device: &Device, layout: &BindGroupLayout, size: [u32; 2]) -> ThicknessMap {
        let map = render_target(device, "thickness", context.light_format, size);
        let group = bind(device, "thickness", layout, &[wgpu::BindingResource::TextureView(&map)]);
        ThicknessMap { size, map, group }
    }
}

fn is_cut(view: &SpaceView) -> bool {
    view.materials.beyond == Beyond::Nothing
}

// The studio around a block or a tank, unless its backdrop is the sky.
fn studio_tone(view: &SpaceView, water: &WaterSummary) -> Option<StudioTone> {
    let is_indoors = view.materials.backdrop != BackdropKind::Sky && view.shading == ShadingModel::Water;
    let tone =
        if view.materials.backdrop == BackdropKind::Dark { StudioTone::Dark } else { StudioTone::Pale };
    water.standing_box.filter(|_| is_indoors).map(|_| tone)
}

// A render pass with colour attachments and optionally depth, which are cleared if `is_new`.
fn begin<'e, 'p>(
    encoder: &'e mut CommandEncoder,
    label: &str,
    pictures: &[&'p TextureView],
    depth: Option<&TextureView>,
    is_new: bool,
) -> RenderPass<'e> {
    let transparent = wgpu::Color { r: 0.0, g: 0.0, b: 0.0, a: 0.0 };
    let load = if is_new { wgpu::LoadOp::Clear(transparent) } else { wgpu::LoadOp::Load };
    let attached = |view: &&'p TextureView| -> Option<wgpu::RenderPassColorAttachment<'p>> {
        let ops = wgpu::Operations { load, store: wgpu::StoreOp::Store };
        Some(wgpu::RenderPassColorAttachment { view, depth_slice: None, resolve_target: None, ops })
    };
    let pictures: Vec<_> = pictures.iter().map(attached).collect();
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some(label),
        color_attachments: &pictures,
        depth_stencil_attachment: depth.map(|view| wgpu::RenderPassDepthStencilAttachment {
            view,
            depth_ops: Some(wgpu::Operations {
                load: if is_new { wgpu::LoadOp::Clear(0.0) } else { wgpu::LoadOp::Load },
                store: wgpu::StoreOp::Store,
            }),
            stencil_ops: None,
        }),
        ..Default::default()
    })
}
