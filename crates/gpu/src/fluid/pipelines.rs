//! Pipelines of particles in space.

use wgpu::{
    BindGroupLayout, Device, PrimitiveTopology, RenderPipeline, TextureFormat, VertexAttribute,
    VertexBufferLayout, VertexFormat, VertexStepMode,
};

use super::cloud::THICKNESS_STRIDE;
use super::screen::{ScreenLayouts, THICKNESS_FORMAT};
use crate::context::Context;
use crate::pipeline::{PipelineDescriptor, module};

const POSITION: [VertexAttribute; 1] =
    [VertexAttribute { shader_location: 0, offset: 0, format: VertexFormat::Float32x3 }];
const COLOUR: [VertexAttribute; 1] =
    [VertexAttribute { shader_location: 1, offset: 0, format: VertexFormat::Unorm8x4 }];

// Instance layout of particle positions with a stride.
const fn positions(every: u32) -> VertexBufferLayout<'static> {
    let array_stride = 12 * every as u64;
    VertexBufferLayout { array_stride, step_mode: VertexStepMode::Instance, attributes: &POSITION }
}

/// The pipeline of shaded spheres.
pub fn balls(context: &Context, device: &Device, cloud: &BindGroupLayout) -> RenderPipeline {
    let colours =
        VertexBufferLayout { array_stride: 4, step_mode: VertexStepMode::Instance, attributes: &COLOUR };
    PipelineDescriptor {
        entry_points: ["coloured_sphere_vertex", "ball_fragment"],
        vertex_buffers: &[positions(1), colours],
        target: context.light_format,
        second_target: Some(context.format),
        ..spheres("balls", &spheres_module(device), &[Some(&context.world_layout), Some(cloud)])
    }
    .create_with_constants(device, &context.constants())
}

/// The pipelines of a liquid surface.
pub struct SurfacePipelines {
    /// Depth of the nearest sphere.
    pub front: RenderPipeline,
    /// Thickness from all particles.
    pub thickness: RenderPipeline,
    /// Thickness from every n-th particle.
    pub thickness_strided: RenderPipeline,
    /// Narrow-range filter.
    pub smoothed: RenderPipeline,
    /// Normals, depth and thickness of the surface.
    pub shaped: RenderPipeline,
    /// Shading of the surface.
    pub water: RenderPipeline,
}

impl SurfacePipelines {
    /// Creates the pipelines.
    pub fn new(
        context: &Context,
        device: &Device,
        cloud: &BindGroupLayout,
        layouts: &ScreenLayouts,
    ) -> SurfacePipelines {
        // Bind group layouts of particle passes and of filter passes
        let (world, behind) = (Some(&context.world_layout), Some(&context.behind_layout));
        let (particles, filter) = ([world, Some(cloud)], [world, Some(&layouts.filter)]);
        let shaders = spheres_module(device);
        // Thickness is accumulated by additive blending, without depth
        let thickness = |every| {
            PipelineDescriptor {
                entry_points: ["sphere_vertex", "thickness_fragment"],
                vertex_buffers: &[positions(every)],
                blend: Some(wgpu::BlendState { color: ADDED, alpha: ADDED }),
                depth_write: None,
                ..spheres("thickness", &shaders, &particles)
            }
            .create_with_constants(device, &context.constants())
        };
        // Full-screen filters
        let filter_module = module(device, "smooth", &[WORLD, include_str!("smooth.wgsl")]);
        let filter = |fragment, format: TextureFormat| {
            let descriptor = spheres("smooth", &filter_module, &filter);
            let entry_points = ["screen_vertex", fragment];
            PipelineDescriptor {
                entry_points,
                target: format,
                vertex_buffers: &[],
                depth_write: None,
                ..descriptor
            }
            .create_with_constants(device, &context.constants())
        };
        // Shading, over the opaque pass
        let surface = module(
            device,
            "surface",
            &[WORLD, include_str!("../shaders/behind.wgsl"), include_str!("surface.wgsl")],
        );
        SurfacePipelines {
            front: PipelineDescriptor {
                target: layouts.formats.ahead,
                ..spheres("front", &shaders, &particles)
            }
            .create_with_constants(device, &context.constants()),
            thickness: thickness(1),
            thickness_strided: thickness(THICKNESS_STRIDE),
            smoothed: filter("smooth_fragment", layouts.formats.ahead),
            shaped: filter("shape_fragment", layouts.formats.shape),
            water: PipelineDescriptor {
                entry_points: ["screen_vertex", "surface_fragment"],
                vertex_buffers: &[],
                target: context.format,
                ..spheres("surface", &surface, &[world, behind, Some(&layouts.shape)])
            }
            .create_with_constants(device, &context.constants()),
        }
    }
}

const WORLD: &str = include_str!("../shaders/world.wgsl");

const ADDED: wgpu::BlendComponent = wgpu::BlendComponent {
    src_factor: wgpu::BlendFactor::One,
    dst_factor: wgpu::BlendFactor::One,
    operation: wgpu::BlendOperation::Add,
};

fn spheres_module(device: &Device) -> wgpu::ShaderModule {
    module(device, "spheres", &[WORLD, include_str!("spheres.wgsl")])
}

// The descriptor of the depth pass of spheres, on which the others are based.
fn spheres<'a>(
    label: &'a str,
    module: &'a wgpu::ShaderModule,
    bind_group_layouts: &'a [Option<&'a BindGroupLayout>],
) -> PipelineDescriptor<'a> {
    PipelineDescriptor {
        label,
        module,
        entry_points: ["sphere_vertex", "depth_fragment"],
        bind_group_layouts,
        vertex_buffers: const { &[positions(1)] },
        target: THICKNESS_FORMAT,
        second_target: None,
        blend: None,
        depth_write: Some(true),
        topology: PrimitiveTopology::TriangleList,
        cull_mode: None,
    }
}
