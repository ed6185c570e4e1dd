//! Water in space, as an eye sees it.
//!
//! A picture is painted in two passes. The first draws what is opaque, ground and bodies before the sky: into the picture,
//! and as light into a texture that also keeps distances. The second draws water over it, which looks up there what lies
//! behind it, bent. Before them sunlight is gathered on the beds, if the water has moved.

mod bodies;
mod caustics;
mod choices;
mod drape;
mod lattice;
mod light;
mod pipelines;
mod relief;
mod shore;
mod tiles;

use glam::Vec3;
use undine_frame::{Frame, Raster};
use undine_render::preview::{BackdropKind, Beyond};
use undine_render::sky::{SkySpec, visibility_over};
use wgpu::{
    BindGroup, BindGroupLayout, CommandEncoder, Device, Queue, RenderPass, ShaderModule, TextureView,
};

use self::bodies::{Shapes, Soup, Tank};
use self::caustics::Caustics;
use self::choices::Choices;
use self::drape::Drape;
use self::lattice::{Lattice, Lattices, Layer};
use self::light::{Light, Room};
use self::pipelines::{Part, Pipelines};
use self::relief::Relief;
use self::tiles::Kind;
use crate::context::{Context, bind, texture_entry};
use crate::fluid::Fluid;
use crate::heights::{HeightMap, Revision, sheets};
use crate::stage::{Stage, target};
use crate::world::{Sea, World};
use crate::{Colours, SpaceView, Style};

/// Rings of land beyond a lattice, each about a third wider than the one before.
const RINGS: u32 = 26;

/// Metres of air that nothing is seen of.
const CLEAR: f32 = 300.0;

/// Sets of pipelines that are kept.
const MOST_MADE: usize = 6;

/// Paints everything in space.
pub struct Space {
    stage: Option<Stage>,
    light: Light,
    shared: Lattices,
    shaders: ShaderModule,
    // Pipelines for the choices that were made last, the newest last.
    made: Vec<Pipelines>,
    waters: Vec<Water>,
    solids: Shapes,
    liquids: Shapes,
    thickness_layout: BindGroupLayout,
    thickness: Option<Thickness>,
    tank: Tank,
    fields: Vec<Raster>,
    time: f64,
    complaint: Option<&'static str>,
}

// A lattice and the maps that are made from it.
struct Water {
    lattice: Lattice,
    caustics: Option<Caustics>,
    // Where the sun stood when they were gathered.
    sun: Vec3,
    drape: Option<Drape>,
    // Which height field it is of.
    revision: Option<Revision>,
    // What is laid over it now.
    laid: Option<(String, Colours)>,
}

// How thick closed water is along every line of sight.
struct Thickness {
    size: [u32; 2],
    map: TextureView,
    group: BindGroup,
}

impl Space {
    /// Makes what does not depend on a frame.
    pub fn new(context: &Context, device: &Device, queue: &Queue) -> Space {
        let light = Light::new(context, device, queue);
        let shared = Lattices::new(context, device, queue);
        let thickness_layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("thickness"),
            entries: &[texture_entry(0, true, wgpu::TextureViewDimension::D2)],
        });
        Space {
            stage: None,
            light,
            shared,
            shaders: pipelines::shaders(device),
            made: Vec::new(),
            waters: Vec::new(),
            solids: Shapes::default(),
            liquids: Shapes::default(),
            thickness_layout,
            thickness: None,
            tank: Tank::default(),
            fields: Vec::new(),
            time: 0.0,
            complaint: None,
        }
    }

    /// Brings a frame to the device.
    pub fn show(
        &mut self,
        context: &Context,
        device: &Device,
        queue: &Queue,
        frame: &Frame,
        heights: &[HeightMap],
    ) {
        self.time = if frame.time.is_finite() { frame.time } else { 0.0 };
        let longest = context.longest_side;
        let mut old = std::mem::take(&mut self.waters).into_iter();
        for heights in heights {
            let revision = Some(heights.revision());
            let old = old.next();
            // Water that has not moved is on the device already
            match old {
                Some(same) if same.revision == revision => self.waters.push(Water { laid: None, ..same }),
                old => {
                    let relief = Relief::of_heights(heights, longest);
                    let water = |relief| Water::new(&self.shared, device, queue, relief, revision, old);
                    self.waters.extend(relief.map(water));
                }
            }
        }
        let sheets = sheets(frame);
        let sheets = sheets.iter().filter_map(|mesh| Relief::of_sheet(mesh, longest));
        self.waters
            .extend(sheets.map(|relief| Water::new(&self.shared, device, queue, relief, None, old.next())));
        let most = context.most_bytes;
        let fits = self.solids.show(device, queue, &Soup::solids(frame), most)
            & self.liquids.show(device, queue, &Soup::liquids(frame), most);
        self.complaint = (!fits).then_some("a mesh is larger than the graphics device can hold");
        self.tank.show(
            device,
            queue,
            frame.tank().map(|corners| corners.map(|at| at.map(|along| along as f32))),
        );
        self.fields.clone_from(&frame.fields);
    }

    /// What could not be shown of the last frame, if anything.
    pub fn complaint(&self) -> Option<&str> {
        self.complaint
    }

    /// Paints a picture.
    pub fn paint(
        &mut self,
        context: &Context,
        fluid: &mut Fluid,
        device: &Device,
        queue: &Queue,
        encoder: &mut CommandEncoder,
        target: &TextureView,
        size: [u32; 2],
        view: &SpaceView,
    ) {
        let stage = match self.stage.take() {
            Some(stage) if stage.size == size => stage,
            _ => Stage::new(context, device, size),
        };
        self.prepare(device, queue, size, view);
        let has_floor = [self.sea(view, is_cut(view)).stands.is_some(), self.light.studio.is_some()];
        let choices = Choices::of(context, view, self.reaches_haze(view), has_floor);
        let pipelines = self.pipelines(context, device, choices);
        self.gather(context, device, queue, encoder, view, &pipelines);
        self.measure(context, device, encoder, size, &pipelines);
        fluid.begin(context, device, queue, &stage, view);
        let is_cut = is_cut(view);
        let mut pass = begin(encoder, "opaque", &[&stage.light, target], Some(&stage.depth), true);
        self.draw_opaque(&mut pass, &pipelines, is_cut);
        fluid.draw_opaque(&mut pass);
        self.draw_sky(&mut pass, &pipelines);
        drop(pass);
        fluid.gather(encoder, &stage, &self.light.group);
        let mut pass = begin(encoder, "water", &[target], Some(&stage.depth), false);
        self.draw_water(&stage, &mut pass, &pipelines, is_cut);
        fluid.draw(&mut pass);
        self.draw_edges(&mut pass, &pipelines);
        drop(pass);
        self.stage = Some(stage);
        self.keep(pipelines);
    }

    // Hands over the numbers of a picture and lays fields over the water.
    fn prepare(&mut self, device: &Device, queue: &Queue, size: [u32; 2], view: &SpaceView) {
        let sea = self.sea(view, is_cut(view));
        let visibility = view.sky.visibility.or_else(|| self.clear_air());
        let sky = SkySpec { visibility, ..view.sky.clone() };
        self.light.turn_to(queue, &sky, room(view, &sea), self.time);
        if matches!(view.style, Style::Classic(_)) {
            self.light.make_cube(queue);
        }
        let world = World::new(view, &self.light.sky, self.light.studio.as_ref(), sea, size, self.time);
        self.light.set(queue, &world);
        for water in &mut self.waters {
            water.lay(&self.shared, device, queue, &self.fields, view.drape.as_ref());
            water.lattice.turn_to(&self.shared, device, queue, &view.eye, water.laid.is_some());
        }
    }

    fn sea(&self, view: &SpaceView, is_cut: bool) -> Sea {
        let Some(first) = self.waters.first().map(|water| &water.lattice) else {
            return Sea { stands: self.tank.corners, ..Sea::default() };
        };
        let [low, high] = [first.cover.low, first.cover.high];
        let stands = (is_cut && first.has_bed).then(|| [low.with_z(first.base()), high]);
        let is_eye_below = !first.has_bed && view.eye.position.z < first.level;
        Sea { level: first.level, crest: first.crest, stands: self.tank.corners.or(stands), is_eye_below }
    }

    // How far one sees before land, where the scene does not say.
    fn clear_air(&self) -> Option<f32> {
        let land = self.waters.iter().map(|water| &water.lattice).filter(|lattice| lattice.has_bed);
        let widths = land.map(|lattice| (lattice.cover.high - lattice.cover.low).truncate().max_element());
        widths.reduce(f32::max).map(visibility_over)
    }

    // Whether anything beyond the lattices, and of them, is far enough away for the air before it to be seen.
    fn reaches_haze(&self, view: &SpaceView) -> [bool; 2] {
        let is_open = |water: &Water| !water.lattice.has_bed;
        let is_far = |water: &Water| {
            let [low, high] = [water.lattice.cover.low, water.lattice.cover.high];
            (view.eye.position - low).abs().max((view.eye.position - high).abs()).length() > CLEAR
        };
        if self.light.studio.is_some() {
            return [false; 2];
        }
        let is_near_hazy = self.waters.iter().any(|water| is_open(water) || is_far(water));
        [is_near_hazy || self.tank.corners.is_none(), is_near_hazy]
    }

    // The pipelines for these choices, kept from before or new.
    fn pipelines(&mut self, context: &Context, device: &Device, choices: Choices) -> Pipelines {
        match self.made.iter().position(|made| *made.choices() == choices) {
            Some(place) => self.made.remove(place),
            None => {
                let layouts = [&self.shared.layout, &self.thickness_layout];
                Pipelines::new(context, device, &self.shaders, layouts, choices)
            }
        }
    }

    fn keep(&mut self, pipelines: Pipelines) {
        if self.made.len() == MOST_MADE {
            self.made.remove(0);
        }
        self.made.push(pipelines);
    }

    // Gathers sunlight on the beds of waters that have moved, or when the sun has.
    fn gather(
        &mut self,
        context: &Context,
        device: &Device,
        queue: &Queue,
        encoder: &mut CommandEncoder,
        view: &SpaceView,
        pipelines: &Pipelines,
    ) {
        let sun = self.light.sky.sun;
        let is_drawn = view.effects.caustics && sun.z > 0.02;
        for water in self.waters.iter_mut().filter(|water| is_drawn && water.lattice.has_bed) {
            if !water.lattice.is_new && water.sun == sun && water.caustics.is_some() {
                continue;
            }
            if water.caustics.is_none() {
                let caustics = Caustics::new(context, device, queue, &water.lattice);
                water.caustics = Some(caustics);
                water.join(&self.shared, device);
            }
            if let Some(caustics) = &water.caustics {
                let (pipeline, world) = (pipelines.of(Part::Rays), &self.light.group);
                caustics.gather(&self.shared, encoder, pipeline, world, &water.lattice);
            }
            (water.lattice.is_new, water.sun) = (false, sun);
        }
    }

    // Measures how thick closed water is.
    fn measure(
        &mut self,
        context: &Context,
        device: &Device,
        encoder: &mut CommandEncoder,
        size: [u32; 2],
        pipelines: &Pipelines,
    ) {
        if self.liquids.is_empty() {
            return;
        }
        let thickness = match self.thickness.take() {
            Some(thickness) if thickness.size == size => thickness,
            _ => Thickness::new(context, device, &self.thickness_layout, size),
        };
        let mut pass = begin(encoder, "thickness", &[&thickness.map], None, true);
        pass.set_bind_group(0, &self.light.group, &[]);
        pass.set_pipeline(pipelines.of(Part::Thickness));
        self.liquids.draw(&mut pass);
        drop(pass);
        self.thickness = Some(thickness);
    }

    fn draw_opaque(&self, pass: &mut RenderPass<'_>, pipelines: &Pipelines, is_cut: bool) {
        pass.set_bind_group(0, &self.light.group, &[]);
        pass.set_pipeline(pipelines.of(Part::Bodies));
        self.solids.draw(pass);
        for lattice in self.waters.iter().map(|water| &water.lattice).filter(|lattice| lattice.has_bed) {
            for kind in lattice.kinds(Layer::Ground) {
                pass.set_pipeline(pipelines.of(match kind {
                    Kind { has_water: false, .. } => Part::DryGround,
                    Kind { has_land: false, .. } => Part::FloodedGround,
                    _ => Part::Ground,
                }));
                lattice.draw(&self.shared, pass, Layer::Ground, kind);
            }
            pass.set_bind_group(2, &lattice.group, &[]);
            if is_cut {
                pass.set_pipeline(pipelines.of(Part::Earth));
                pass.draw(0..6 * lattice.border()[0], 0..1);
            } else {
                pass.set_pipeline(pipelines.of(Part::FarGround));
                pass.draw(0..2 * lattice.border()[1] + 2, 0..RINGS);
            }
        }
    }

    fn draw_sky(&self, pass: &mut RenderPass<'_>, pipelines: &Pipelines) {
        pass.set_bind_group(0, &self.light.group, &[]);
        pass.set_pipeline(pipelines.of(Part::Sky));
        pass.draw(0..3, 0..1);
    }

    fn draw_water(&self, stage: &Stage, pass: &mut RenderPass<'_>, pipelines: &Pipelines, is_cut: bool) {
        pass.set_bind_group(0, &self.light.group, &[]);
        pass.set_bind_group(1, &stage.behind, &[]);
        for lattice in self.waters.iter().map(|water| &water.lattice) {
            for kind in lattice.kinds(Layer::Water).into_iter().filter(|kind| kind.has_water) {
                pass.set_pipeline(pipelines.of(match (lattice.has_bed, kind.has_foam) {
                    (false, _) => Part::OpenWater,
                    (true, true) => Part::Water,
                    (true, false) => Part::CalmWater,
                }));
                lattice.draw(&self.shared, pass, Layer::Water, kind);
            }
            pass.set_bind_group(2, &lattice.group, &[]);
            match (lattice.has_bed, is_cut) {
                (false, _) => {}
                (true, true) => {
                    pass.set_pipeline(pipelines.of(Part::Sides));
                    pass.draw(0..6 * lattice.border()[0], 0..1);
                }
                (true, false) => {
                    pass.set_pipeline(pipelines.of(Part::FarWater));
                    pass.draw(0..2 * lattice.border()[1] + 2, 0..RINGS);
                }
            }
        }
        // Where nothing is, open water goes on
        let open = self.waters.iter().map(|water| &water.lattice).find(|lattice| !lattice.has_bed);
        if let Some(lattice) = open.filter(|_| self.tank.corners.is_none()) {
            pass.set_pipeline(pipelines.of(Part::Sea));
            pass.set_bind_group(2, &lattice.group, &[]);
            pass.draw(0..3, 0..1);
        }
        if let Some(thickness) = self.thickness.as_ref().filter(|_| !self.liquids.is_empty()) {
            pass.set_pipeline(pipelines.of(Part::Liquid));
            pass.set_bind_group(2, &thickness.group, &[]);
            self.liquids.draw(pass);
        }
    }

    fn draw_edges(&self, pass: &mut RenderPass<'_>, pipelines: &Pipelines) {
        pass.set_bind_group(0, &self.light.group, &[]);
        pass.set_pipeline(pipelines.of(Part::Edges));
        self.tank.draw(pass);
    }
}

impl Water {
    fn new(
        shared: &Lattices,
        device: &Device,
        queue: &Queue,
        relief: Relief,
        revision: Option<Revision>,
        old: Option<Water>,
    ) -> Water {
        let (lattice, caustics, drape, sun) = match old {
            Some(old) => (Some(old.lattice), old.caustics, old.drape, old.sun),
            None => (None, None, None, Vec3::ZERO),
        };
        let lattice = Lattice::new(shared, device, queue, relief, lattice);
        let caustics = caustics.filter(|caustics| caustics.fits(&lattice));
        let drape = drape.filter(|drape| drape.fits(&lattice));
        // The field that was laid over it belongs to an earlier moment.
        let mut water = Water { lattice, caustics, sun, drape, revision, laid: None };
        water.join(shared, device);
        water
    }

    fn join(&mut self, shared: &Lattices, device: &Device) {
        let caustics = self.caustics.as_ref().map(|caustics| &caustics.map);
        self.lattice.join(shared, device, caustics, self.drape.as_ref().map(|drape| &drape.map));
    }

    fn lay(
        &mut self,
        shared: &Lattices,
        device: &Device,
        queue: &Queue,
        rasters: &[Raster],
        wanted: Option<&(String, Colours)>,
    ) {
        if self.laid.as_ref() == wanted {
            return;
        }
        self.laid = None;
        let Some((name, colours)) = wanted else { return };
        let sound = rasters.iter().find(|raster| raster.name == *name && raster.inconsistency().is_none());
        let Some(raster) = sound.filter(|raster| !raster.values.is_empty()) else { return };
        if self.drape.is_none() {
            self.drape = Some(Drape::new(device, &self.lattice));
            self.join(shared, device);
        }
        if let Some(drape) = &self.drape {
            drape.lay(queue, &self.lattice, raster, colours);
            self.laid = Some((name.clone(), colours.clone()));
        }
    }
}

impl Thickness {
    fn new(context: &Context, device: &Device, layout: &BindGroupLayout, size: [u32; 2]) -> Thickness {
        let map = target(device, "thickness", context.light, size);
        let group = bind(device, "thickness", layout, &[wgpu::BindingResource::TextureView(&map)]);
        Thickness { size, map, group }
    }
}

fn is_cut(view: &SpaceView) -> bool {
    view.stuff.beyond == Beyond::Nothing
}

// The room around what stands on a floor, unless that is seen under the sky.
fn room(view: &SpaceView, sea: &Sea) -> Option<Room> {
    let is_indoors = view.stuff.backdrop != BackdropKind::Sky && view.style == Style::Water;
    let room = if view.stuff.backdrop == BackdropKind::Dark { Room::Dark } else { Room::Pale };
    sea.stands.filter(|_| is_indoors).map(|_| room)
}

// A pass into pictures, with depth or without; both begin empty, or go on.
fn begin<'e, 'p>(
    encoder: &'e mut CommandEncoder,
    label: &str,
    pictures: &[&'p TextureView],
    depth: Option<&TextureView>,
    is_new: bool,
) -> RenderPass<'e> {
    let nothing = wgpu::Color { r: 0.0, g: 0.0, b: 0.0, a: 0.0 };
    let load = if is_new { wgpu::LoadOp::Clear(nothing) } else { wgpu::LoadOp::Load };
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
