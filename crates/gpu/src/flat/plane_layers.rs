//! Pipelines of the layers that fill the cells of a field: colours, dye, liquids, solids, grid lines.

use bytemuck::{Pod, Zeroable};
use undine_render::flat::DyeLayer;
use wgpu::{BindGroupLayout, Device, PrimitiveTopology, Queue, RenderPipeline};

use super::colours::{self, ColourScheme, GpuPalette};
use super::cut::{Cut, TextureContent};
use super::draw_call::{DrawCall, PAGE_FORMAT, bind_group, uniform_buffer};
use super::page::PageViewport;
use crate::FlatLayer;
use crate::context::{Context, texture_entry, uniform_entry};
use crate::pipeline::{PipelineDescriptor, module};

/// Most samples per pixel and axis, where a pixel covers several cells.
const MAX_SAMPLES: f64 = 4.0;

/// Colour of deep water, as in `undine_render::flat`.
const DEEP: u32 = 0x0b3f86;

/// Uniforms of a layer, as `plane.wgsl` declares them.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
struct PlaneUniforms {
    corner: [f32; 2],
    spacing: [f32; 2],
    cells: [f32; 2],
    components: f32,
    opacity: f32,
    colour: [f32; 4],
    parameters: [f32; 4],
}

/// Pipelines and palettes of the layers of fields.
pub struct PlaneLayers {
    layout: BindGroupLayout,
    palette_layout: BindGroupLayout,
    palettes: Vec<GpuPalette>,
    field: RenderPipeline,
    dye: RenderPipeline,
    liquid: RenderPipeline,
    solid: RenderPipeline,
    grid: RenderPipeline,
}

impl PlaneLayers {
    /// Creates the pipelines; `page` is the layout of group 0.
    pub fn new(device: &Device, page: &BindGroupLayout) -> PlaneLayers {
        // Group 1: uniforms and the texture of the field; group 2: the palette
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("plane"),
            entries: &[uniform_entry(0), texture_entry(1, false, wgpu::TextureViewDimension::D2)],
        });
        let palette_layout = colours::layout(device);
        let texts = [include_str!("page.wgsl"), &colours::wgsl(2), include_str!("plane.wgsl")];
        let shaders = module(device, "plane", &texts);
        let all = [Some(page), Some(&layout), Some(&palette_layout)];
        // One quad over the field, with a fragment shader per kind of layer
        let pipeline = |fragment: &str| {
            let groups = if fragment == "field_fragment" { &all[..] } else { &all[..2] };
            let descriptor = PipelineDescriptor {
                label: fragment,
                module: &shaders,
                entry_points: ["cover_vertex", fragment],
                bind_group_layouts: groups,
                vertex_buffers: &[],
                target: PAGE_FORMAT,
                second_target: None,
                blend: Some(wgpu::BlendState::ALPHA_BLENDING),
                depth_write: None,
                topology: PrimitiveTopology::TriangleStrip,
                cull_mode: None,
            };
            descriptor.create(device)
        };
        PlaneLayers {
            field: pipeline("field_fragment"),
            dye: pipeline("dye_fragment"),
            liquid: pipeline("liquid_fragment"),
            solid: pipeline("solid_fragment"),
            grid: pipeline("grid_fragment"),
            palettes: Vec::new(),
            layout,
            palette_layout,
        }
    }

    /// The draw call of a layer over a cut through its field; `None` for layers without a field.
    pub fn draw(
        &mut self,
        context: &Context,
        device: &Device,
        queue: &Queue,
        page: &PageViewport,
        layer: &FlatLayer,
        cut: &mut Cut,
    ) -> Option<DrawCall> {
        // Pipeline, palette and uniforms of each kind of layer
        let plain = plane_uniforms(cut, cut.texels(context.longest_side));
        let opaque = |[red, green, blue]: [f32; 3]| [red, green, blue, 1.0];
        let (pipeline, scheme, values) = match layer {
            FlatLayer::Field { colours, is_smooth, opacity, .. } => {
                let parameters = [0.0, f32::from(u8::from(*is_smooth)), samples_per_axis(page, &plain), 0.0];
                let opacity = opacity.clamp(0.0, 1.0);
                (
                    &self.field,
                    Some(ColourScheme::Values(colours.clone())),
                    PlaneUniforms { opacity, parameters, ..plain },
                )
            }
            FlatLayer::Cells { .. } => {
                let parameters = [0.0, 0.0, 1.0, 0.0];
                (&self.field, Some(ColourScheme::Kinds(cut.quantity)), PlaneUniforms { parameters, ..plain })
            }
            FlatLayer::Dye { strength, is_ink, .. } if cut.channels() >= 3 => {
                let parameters = [strength.clamp(0.0, 1e6), 1.0, 1.0, f32::from(u8::from(*is_ink))];
                (
                    &self.dye,
                    None,
                    PlaneUniforms { colour: opaque(DyeLayer::default().paper), parameters, ..plain },
                )
            }
            FlatLayer::Liquid { .. } => {
                let colour = opaque(undine_render::colour::from_hex(DEEP));
                (&self.liquid, None, PlaneUniforms { colour, components: 1.0, ..plain })
            }
            FlatLayer::Solids { colour, .. } => {
                (&self.solid, None, PlaneUniforms { colour: opaque(*colour), ..plain })
            }
            FlatLayer::Grid { colour, .. } => (&self.grid, None, PlaneUniforms { colour: *colour, ..plain }),
            _ => return None,
        };
        // A liquid is drawn from a redistanced field, others from their values
        let pipeline = pipeline.clone();
        let uniforms = uniform_buffer(device, queue, "plane", &values);
        let is_liquid = matches!(layer, FlatLayer::Liquid { .. });
        let content = if is_liquid { TextureContent::Distance } else { TextureContent::Field };
        let view = cut.view(device, queue, context.longest_side, content);
        let mut bind_groups = vec![bind_group(device, &self.layout, &uniforms, Some(&view))];
        bind_groups.extend(scheme.map(|scheme| self.palette(device, queue, scheme)));
        Some(DrawCall { pipeline, bind_groups, buffer: None, vertices: 4, instances: 1 })
    }

    // The bind group of a palette. The most recent ones are kept: views seldom use more, and they are created quickly.
    fn palette(&mut self, device: &Device, queue: &Queue, scheme: ColourScheme) -> wgpu::BindGroup {
        if let Some(known) = self.palettes.iter().find(|palette| palette.scheme == scheme) {
            return known.bind_group.clone();
        }
        let palette = GpuPalette::new(device, queue, &self.palette_layout, scheme);
        let bind_group = palette.bind_group.clone();
        self.palettes.insert(0, palette);
        self.palettes.truncate(8);
        bind_group
    }
}

fn plane_uniforms(cut: &Cut, texels: [u32; 2]) -> PlaneUniforms {
    let (low, high) = cut.slice.bounds();
    let cells = texels.map(|count| count.max(1) as f32);
    PlaneUniforms {
        corner: low.map(|metres| metres as f32),
        spacing: [0, 1].map(|axis| (high[axis] - low[axis]) as f32 / cells[axis]),
        cells,
        components: cut.channels() as f32,
        opacity: 1.0,
        colour: [0.0; 4],
        parameters: [0.0, 1.0, 1.0, 0.0],
    }
}

fn samples_per_axis(page: &PageViewport, plane: &PlaneUniforms) -> f32 {
    let finest = f64::from(plane.spacing[0].min(plane.spacing[1]));
    (1.0 / (page.density * finest)).ceil().clamp(1.0, MAX_SAMPLES) as f32
}
