//! Pipelines of strokes, dots and filled triangles.

use bytemuck::{Pod, Zeroable};
use wgpu::{
    BindGroupLayout, Buffer, Device, PrimitiveTopology, Queue, RenderPipeline, VertexFormat, VertexStepMode,
};

use super::draw_call::{DrawCall, PAGE_FORMAT, bind_group, uniform_buffer};
use crate::context::uniform_entry;
use crate::pipeline::{PipelineDescriptor, module};

/// A straight stroke, possibly tapered.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct StrokeInstance {
    /// Start in metres.
    pub from: [f32; 2],
    /// End in metres.
    pub to: [f32; 2],
    /// Half widths at both ends, in pixels.
    pub halves: [f32; 2],
    /// Linear colour and opacity.
    pub colour: [f32; 4],
}

/// A dot.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct DotInstance {
    /// Position in metres.
    pub position: [f32; 2],
    /// Square root of the linear colour, for resolution in dark colours.
    pub colour: [u8; 4],
}

/// A vertex of a filled triangle.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct FillVertex {
    /// Position in metres.
    pub position: [f32; 2],
    /// Linear colour and opacity.
    pub colour: [f32; 4],
}

/// Uniforms of a draw call of marks, as `marks.wgsl` declares them.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
struct MarkUniforms {
    tint: [f32; 4],
    radius: f32,
    unused: [f32; 3],
}

/// Pipelines of marks.
pub struct Marks {
    layout: BindGroupLayout,
    strokes: RenderPipeline,
    dots: RenderPipeline,
    fills: RenderPipeline,
}

impl Marks {
    /// Creates the pipelines; `page` is the layout of group 0.
    pub fn new(device: &Device, page: &BindGroupLayout) -> Marks {
        // One uniform buffer in group 1, one shader module
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("marks"),
            entries: &[uniform_entry(0)],
        });
        let shaders = module(device, "marks", &[include_str!("page.wgsl"), include_str!("marks.wgsl")]);
        let groups = [Some(page), Some(&layout)];
        let attribute =
            |shader_location, offset, format| wgpu::VertexAttribute { shader_location, offset, format };
        // All marks are blended over the layers below
        let pipeline = |entry_points: [&str; 2], stride: usize, step_mode, attributes: &[_], topology| {
            let descriptor = PipelineDescriptor {
                label: entry_points[1],
                module: &shaders,
                entry_points,
                bind_group_layouts: &groups,
                vertex_buffers: &[wgpu::VertexBufferLayout {
                    array_stride: stride as u64,
                    step_mode,
                    attributes,
                }],
                target: PAGE_FORMAT,
                second_target: None,
                blend: Some(wgpu::BlendState::ALPHA_BLENDING),
                depth_write: None,
                topology,
                cull_mode: None,
            };
            descriptor.create(device)
        };
        // Vertex layouts: strokes and dots are instanced
        let (instance, vertex) = (VertexStepMode::Instance, VertexStepMode::Vertex);
        let (strip, list) = (PrimitiveTopology::TriangleStrip, PrimitiveTopology::TriangleList);
        let (two, four) = (VertexFormat::Float32x2, VertexFormat::Float32x4);
        let stroke = [attribute(0, 0, four), attribute(1, 16, two), attribute(2, 24, four)];
        let dot = [attribute(0, 0, two), attribute(1, 8, VertexFormat::Unorm8x4)];
        let corner = [attribute(0, 0, two), attribute(1, 8, four)];
        Marks {
            strokes: pipeline(
                ["stroke_vertex", "stroke_fragment"],
                size_of::<StrokeInstance>(),
                instance,
                &stroke,
                strip,
            ),
            dots: pipeline(["dot_vertex", "dot_fragment"], size_of::<DotInstance>(), instance, &dot, list),
            fills: pipeline(["fill_vertex", "fill_fragment"], size_of::<FillVertex>(), vertex, &corner, list),
            layout,
        }
    }

    fn bind_groups(
        &self,
        device: &Device,
        queue: &Queue,
        tint: [f32; 4],
        radius: f32,
    ) -> Vec<wgpu::BindGroup> {
        let uniforms =
            uniform_buffer(device, queue, "marks", &MarkUniforms { tint, radius, unused: [0.0; 3] });
        vec![bind_group(device, &self.layout, &uniforms, None)]
    }

    /// A draw call of strokes whose colours are multiplied by a tint.
    pub fn strokes(
        &self,
        device: &Device,
        queue: &Queue,
        (buffer, count): (&Buffer, u32),
        tint: [f32; 4],
    ) -> DrawCall {
        let bind_groups = self.bind_groups(device, queue, tint, 0.0);
        let (pipeline, buffer) = (self.strokes.clone(), Some(buffer.clone()));
        DrawCall { pipeline, bind_groups, buffer, vertices: 4, instances: count }
    }

    /// A draw call of dots of some radius in metres.
    pub fn dots(
        &self,
        device: &Device,
        queue: &Queue,
        (buffer, count): (&Buffer, u32),
        radius: f32,
    ) -> DrawCall {
        let bind_groups = self.bind_groups(device, queue, [1.0; 4], radius);
        let (pipeline, buffer) = (self.dots.clone(), Some(buffer.clone()));
        DrawCall { pipeline, bind_groups, buffer, vertices: 3, instances: count }
    }

    /// A draw call of triangles whose colours are multiplied by a tint.
    pub fn fills(
        &self,
        device: &Device,
        queue: &Queue,
        (buffer, count): (&Buffer, u32),
        tint: [f32; 4],
    ) -> DrawCall {
        let bind_groups = self.bind_groups(device, queue, tint, 0.0);
        let (pipeline, buffer) = (self.fills.clone(), Some(buffer.clone()));
        DrawCall { pipeline, bind_groups, buffer, vertices: count, instances: 1 }
    }
}
