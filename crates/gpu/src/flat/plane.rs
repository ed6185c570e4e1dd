//! Layers that cover the cells of a field.

use bytemuck::{Pod, Zeroable};
use undine_render::flat::Dye;
use wgpu::{BindGroupLayout, Device, PrimitiveTopology, Queue, RenderPipeline};

use super::colours::{self, Palette, Scheme};
use super::cut::{Content, Cut};
use super::draw::{Draw, SHEET_FORMAT, group, uniform};
use super::page::Page;
use crate::FlatLayer;
use crate::context::{Context, texture_entry, uniform_entry};
use crate::pipeline::{Recipe, module};

/// Most looks per pixel and axis, where a pixel holds several cells.
const MOST_LOOKS: f64 = 4.0;

/// Linear colour of deep water on a page, as that of the software pages.
const DEEP: u32 = 0x0b3f86;

/// The numbers of a layer, as its shader has them.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
struct PlaneNumbers {
    corner: [f32; 2],
    spacing: [f32; 2],
    cells: [f32; 2],
    components: f32,
    opacity: f32,
    colour: [f32; 4],
    knobs: [f32; 4],
}

/// Draws layers that cover the cells of a field.
pub struct Planes {
    layout: BindGroupLayout,
    palette_layout: BindGroupLayout,
    palettes: Vec<Palette>,
    field: RenderPipeline,
    dye: RenderPipeline,
    liquid: RenderPipeline,
    solid: RenderPipeline,
    grid: RenderPipeline,
}

impl Planes {
    /// Makes the pipelines; `page` is the layout of group 0.
    pub fn new(device: &Device, page: &BindGroupLayout) -> Planes {
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("plane"),
            entries: &[uniform_entry(0), texture_entry(1, false, wgpu::TextureViewDimension::D2)],
        });
        let palette_layout = colours::layout(device);
        let texts = [include_str!("page.wgsl"), &colours::wgsl(2), include_str!("plane.wgsl")];
        let shaders = module(device, "plane", &texts);
        let all = [Some(page), Some(&layout), Some(&palette_layout)];
        let pipeline = |fragment: &str| {
            let groups = if fragment == "field" { &all[..] } else { &all[..2] };
            let recipe = Recipe {
                label: fragment,
                module: &shaders,
                stages: ["cover", fragment],
                groups,
                buffers: &[],
                format: SHEET_FORMAT,
                second: None,
                blend: Some(wgpu::BlendState::ALPHA_BLENDING),
                writes_depth: None,
                topology: PrimitiveTopology::TriangleStrip,
                culled: None,
            };
            recipe.make(device)
        };
        Planes {
            field: pipeline("field"),
            dye: pipeline("dye"),
            liquid: pipeline("liquid_layer"),
            solid: pipeline("solid"),
            grid: pipeline("grid"),
            palettes: Vec::new(),
            layout,
            palette_layout,
        }
    }

    /// The draw of a layer over the cut that it names; `None` for layers of other kinds.
    pub fn draw(
        &mut self,
        context: &Context,
        device: &Device,
        queue: &Queue,
        page: &Page,
        layer: &FlatLayer,
        cut: &mut Cut,
    ) -> Option<Draw> {
        let plain = numbers(cut, cut.texels(context.longest_side));
        let opaque = |[red, green, blue]: [f32; 3]| [red, green, blue, 1.0];
        let (pipeline, scheme, numbers) = match layer {
            FlatLayer::Field { colours, is_smooth, opacity, .. } => {
                let knobs = [0.0, f32::from(u8::from(*is_smooth)), looks(page, &plain), 0.0];
                let opacity = opacity.clamp(0.0, 1.0);
                (&self.field, Some(Scheme::Values(colours.clone())), PlaneNumbers { opacity, knobs, ..plain })
            }
            FlatLayer::Cells { .. } => {
                let knobs = [0.0, 0.0, 1.0, 0.0];
                (&self.field, Some(Scheme::Kinds), PlaneNumbers { knobs, ..plain })
            }
            FlatLayer::Dye { strength, is_ink, .. } if cut.channels() >= 3 => {
                let knobs = [strength.clamp(0.0, 1e6), 1.0, 1.0, f32::from(u8::from(*is_ink))];
                (&self.dye, None, PlaneNumbers { colour: opaque(Dye::default().paper), knobs, ..plain })
            }
            FlatLayer::Liquid { .. } => {
                let colour = opaque(undine_render::colour::from_hex(DEEP));
                (&self.liquid, None, PlaneNumbers { colour, components: 1.0, ..plain })
            }
            FlatLayer::Solids { colour, .. } => {
                (&self.solid, None, PlaneNumbers { colour: opaque(*colour), ..plain })
            }
            FlatLayer::Grid { colour, .. } => (&self.grid, None, PlaneNumbers { colour: *colour, ..plain }),
            _ => return None,
        };
        let pipeline = pipeline.clone();
        let block = uniform(device, queue, "plane", &numbers);
        let is_liquid = matches!(layer, FlatLayer::Liquid { .. });
        let content = if is_liquid { Content::Distance } else { Content::Field };
        let view = cut.view(device, queue, context.longest_side, content);
        let mut bindings = vec![group(device, &self.layout, &block, Some(&view))];
        bindings.extend(scheme.map(|scheme| self.palette(device, queue, scheme)));
        Some(Draw { pipeline, bindings, buffer: None, corners: 4, instances: 1 })
    }

    // The newest palettes are kept: views seldom use more, and old ones are made again quickly.
    fn palette(&mut self, device: &Device, queue: &Queue, scheme: Scheme) -> wgpu::BindGroup {
        if let Some(known) = self.palettes.iter().find(|palette| palette.scheme == scheme) {
            return known.bindings.clone();
        }
        let palette = Palette::new(device, queue, &self.palette_layout, scheme);
        let bindings = palette.bindings.clone();
        self.palettes.insert(0, palette);
        self.palettes.truncate(8);
        bindings
    }
}

fn numbers(cut: &Cut, texels: [u32; 2]) -> PlaneNumbers {
    let (low, high) = cut.slice.bounds();
    let cells = texels.map(|count| count.max(1) as f32);
    PlaneNumbers {
        corner: low.map(|metres| metres as f32),
        spacing: [0, 1].map(|axis| (high[axis] - low[axis]) as f32 / cells[axis]),
        cells,
        components: cut.channels() as f32,
        opacity: 1.0,
        colour: [0.0; 4],
        knobs: [0.0, 1.0, 1.0, 0.0],
    }
}

fn looks(page: &Page, plane: &PlaneNumbers) -> f32 {
    let finest = f64::from(plane.spacing[0].min(plane.spacing[1]));
    (1.0 / (page.density * finest)).ceil().clamp(1.0, MOST_LOOKS) as f32
}
