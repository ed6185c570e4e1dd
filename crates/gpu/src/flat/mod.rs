//! Orthographic pages of layers: fields, arrows, particles, bodies and sections.

mod arrows;
mod blit;
mod bodies;
pub mod colours;
mod cut;
mod dots;
mod draw_call;
mod marks;
mod outline;
mod page;
mod plane_layers;
mod profile;
mod redistance;
pub mod vertex_buffer;

use std::collections::HashMap;

use undine_frame::Frame;
use wgpu::{BindGroupLayout, CommandEncoder, Device, Queue, TextureView};

use crate::context::{Context, uniform_entry};
use crate::height_field::HeightFieldData;
use crate::{FlatLayer, FlatView};
use blit::PageBlit;
use cut::Cut;
pub use dots::PointColours;
use draw_call::DrawCall;
use marks::Marks;
use page::PageViewport;
use plane_layers::PlaneLayers;
use vertex_buffer::VertexBuffer;

/// Renders flat pages.
pub struct Flat {
    /// Created for the first page.
    pipelines: Option<FlatPipelines>,
    cuts: HashMap<String, Cut>,
    clouds: Vec<CloudDots>,
    bodies: [VertexBuffer; 2],
    outline: VertexBuffer,
    profile: [VertexBuffer; 2],
    arrows: Vec<VertexBuffer>,
}

struct FlatPipelines {
    page: BindGroupLayout,
    planes: PlaneLayers,
    marks: Marks,
    blit: PageBlit,
}

impl FlatPipelines {
    fn new(context: &Context, device: &Device) -> FlatPipelines {
        let page = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("page"),
            entries: &[uniform_entry(0)],
        });
        FlatPipelines {
            planes: PlaneLayers::new(device, &page),
            marks: Marks::new(device, &page),
            blit: PageBlit::new(context, device),
            page,
        }
    }
}

/// The instance buffer of a cloud's dots.
#[derive(Debug, Default)]
struct CloudDots {
    dots: VertexBuffer,
    radius: f32,
}

impl Flat {
    /// A renderer without a frame.
    pub fn new() -> Flat {
        Flat {
            pipelines: None,
            cuts: HashMap::new(),
            clouds: Vec::new(),
            bodies: Default::default(),
            outline: VertexBuffer::default(),
            profile: Default::default(),
            arrows: Vec::new(),
        }
    }

    /// Uploads a frame. Textures of fields are written when a page uses them.
    pub fn upload(&mut self, device: &Device, queue: &Queue, frame: &Frame, heights: &[HeightFieldData]) {
        let mut earlier = std::mem::take(&mut self.cuts);
        for raster in &frame.fields {
            let earlier = earlier.remove(&raster.name);
            // A raster of the same revision is on the device already; else its textures are reused
            let (same, earlier) = match earlier {
                Some(earlier) if earlier.is_of(raster) => (Some(earlier), None),
                earlier => (None, earlier),
            };
            let Some(mut cut) = same.or_else(|| Cut::of(raster)) else { continue };
            if let Some(earlier) = earlier {
                cut.reuse_textures(earlier);
            }
            self.cuts.entry(raster.name.clone()).or_insert(cut);
        }
        // All layers share the plane of the first field
        let first = frame.fields.iter().find_map(|raster| self.cuts.get(&raster.name));
        let axes = first.map_or_else(|| plane_of(frame), |cut| cut.slice.axes);
        self.clouds.resize_with(frame.clouds.len(), CloudDots::default);
        for (cloud, points) in self.clouds.iter_mut().zip(&frame.clouds) {
            let holds = |at| first.is_none_or(|cut| cut.slice.holds(at));
            cloud.dots.set(device, queue, &dots::dots(points, axes, holds));
            cloud.radius = points.radius;
        }
        // Outlines of liquids, bodies, and sections of height fields
        self.outline.set(device, queue, &outline::strokes(frame, axes));
        let (triangles, outline) = bodies::bodies(&frame.bodies, axes);
        self.bodies[0].set(device, queue, &triangles);
        self.bodies[1].set(device, queue, &outline);
        let (mut triangles, mut lines) = (Vec::new(), Vec::new());
        for heights in heights {
            let section = profile::profile(heights);
            triangles.extend(section.0);
            lines.extend(section.1);
        }
        self.profile[0].set(device, queue, &triangles);
        self.profile[1].set(device, queue, &lines);
    }

    /// Renders a page into a texture of this size.
    pub fn render(
        &mut self,
        context: &Context,
        device: &Device,
        queue: &Queue,
        encoder: &mut CommandEncoder,
        target: &TextureView,
        size: [u32; 2],
        view: &FlatView,
    ) {
        let mut pipelines = self.pipelines.take().unwrap_or_else(|| FlatPipelines::new(context, device));
        let page = PageViewport::new(view, size);
        self.arrows.resize_with(view.layers.len(), VertexBuffer::default);
        // One or more draw calls per layer, in order
        let mut draw_calls = Vec::new();
        for (index, layer) in view.layers.iter().enumerate() {
            self.draw(&mut pipelines, context, device, queue, &page, index, layer, &mut draw_calls);
        }
        // Draw in linear light off screen, then copy to the target
        let uniforms = draw_call::uniform_buffer(device, queue, "page", &page.uniforms());
        let bind_group = draw_call::bind_group(device, &pipelines.page, &uniforms, None);
        let texture = pipelines.blit.texture(device, size);
        let [r, g, b] = view.background.map(f64::from);
        let mut pass = encoder.begin_render_pass(&pass_into(&[over(&texture.view, [r, g, b])]));
        pass.set_bind_group(0, &bind_group, &[]);
        draw_calls.iter().for_each(|draw| draw.record(&mut pass));
        drop(pass);
        let mut pass = encoder.begin_render_pass(&pass_into(&[over(target, [0.0; 3])]));
        pipelines.blit.copy(&mut pass, &texture);
        drop(pass);
        self.pipelines = Some(pipelines);
    }

    // Adds the draw calls of one layer
    fn draw(
        &mut self,
        pipelines: &mut FlatPipelines,
        context: &Context,
        device: &Device,
        queue: &Queue,
        page: &PageViewport,
        index: usize,
        layer: &FlatLayer,
        draw_calls: &mut Vec<DrawCall>,
    ) {
        let marks = &pipelines.marks;
        match layer {
            // Marks, from buffers that were uploaded with the frame
            FlatLayer::Particles { size } => {
                let dots = |cloud: &CloudDots| {
                    let radius = (cloud.radius * size).clamp(0.0, 1e9);
                    cloud.dots.contents().map(|buffer| marks.dots(device, queue, buffer, radius))
                };
                draw_calls.extend(self.clouds.iter().filter_map(dots));
            }
            FlatLayer::Bodies { colour: [red, green, blue] } => {
                let tint = [*red, *green, *blue, 1.0];
                draw_calls
                    .extend(self.bodies[0].contents().map(|buffer| marks.fills(device, queue, buffer, tint)));
                draw_calls.extend(
                    self.bodies[1].contents().map(|buffer| marks.strokes(device, queue, buffer, tint)),
                );
            }
            FlatLayer::Outline { colour: [red, green, blue] } => {
                let tint = [*red, *green, *blue, 1.0];
                draw_calls
                    .extend(self.outline.contents().map(|buffer| marks.strokes(device, queue, buffer, tint)));
            }
            FlatLayer::Profile => {
                draw_calls.extend(
                    self.profile[0].contents().map(|buffer| marks.fills(device, queue, buffer, [1.0; 4])),
                );
                draw_calls.extend(
                    self.profile[1].contents().map(|buffer| marks.strokes(device, queue, buffer, [1.0; 4])),
                );
            }
            // Arrows depend on the viewport, so their buffer is written for every page
            FlatLayer::Vectors { field, spacing, colour } => {
                let Some(cut) = self.cuts.get(field) else { return };
                let strokes = arrows::arrows(&cut.slice, page, *spacing, *colour);
                let arrows = &mut self.arrows[index];
                arrows.set(device, queue, &strokes);
                draw_calls
                    .extend(arrows.contents().map(|buffer| marks.strokes(device, queue, buffer, [1.0; 4])));
            }
            // Layers that fill the cells of a field
            FlatLayer::Field { field, .. }
            | FlatLayer::Dye { field, .. }
            | FlatLayer::Cells { field }
            | FlatLayer::Liquid { field }
            | FlatLayer::Solids { field, .. }
            | FlatLayer::Grid { field, .. } => {
                let Some(cut) = self.cuts.get_mut(field) else { return };
                draw_calls.extend(pipelines.planes.draw(context, device, queue, page, layer, cut));
            }
        }
    }
}

// The plane of a page without fields: xz if the heights of the particles differ, else xy.
fn plane_of(frame: &Frame) -> [usize; 2] {
    let mut heights = frame.clouds.iter().flat_map(|cloud| &cloud.positions).map(|position| position[2]);
    let first = heights.next();
    if heights.any(|height| Some(height) != first) { [0, 2] } else { [0, 1] }
}

fn over(view: &TextureView, [r, g, b]: [f64; 3]) -> Option<wgpu::RenderPassColorAttachment<'_>> {
    let load = wgpu::LoadOp::Clear(wgpu::Color { r, g, b, a: 1.0 });
    let ops = wgpu::Operations { load, store: wgpu::StoreOp::Store };
    Some(wgpu::RenderPassColorAttachment { view, depth_slice: None, resolve_target: None, ops })
}

fn pass_into<'a>(
    colours: &'a [Option<wgpu::RenderPassColorAttachment<'a>>],
) -> wgpu::RenderPassDescriptor<'a> {
    wgpu::RenderPassDescriptor { label: Some("page"), color_attachments: colours, ..Default::default() }
}
