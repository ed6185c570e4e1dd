//! The pipelines of particles in space.

use wgpu::{
    BindGroupLayout, Device, PrimitiveTopology, RenderPipeline, TextureFormat, VertexAttribute,
    VertexBufferLayout, VertexFormat, VertexStepMode,
};

use super::cloud::THINNED;
use super::screen::{Layouts, THICKNESS};
use crate::context::Context;
use crate::pipeline::{Recipe, module};

const POSITION: [VertexAttribute; 1] =
    [VertexAttribute { shader_location: 0, offset: 0, format: VertexFormat::Float32x3 }];
const COLOUR: [VertexAttribute; 1] =
    [VertexAttribute { shader_location: 1, offset: 0, format: VertexFormat::Unorm8x4 }];

// Every so many particles of a buffer.
const fn positions(every: u32) -> VertexBufferLayout<'static> {
    let array_stride = 12 * every as u64;
    VertexBufferLayout { array_stride, step_mode: VertexStepMode::Instance, attributes: &POSITION }
}

/// What makes balls.
pub fn balls(context: &Context, device: &Device, cloud: &BindGroupLayout) -> RenderPipeline {
    let colours =
        VertexBufferLayout { array_stride: 4, step_mode: VertexStepMode::Instance, attributes: &COLOUR };
    Recipe {
        stages: ["coloured", "ball"],
        buffers: &[positions(1), colours],
        format: context.light,
        second: Some(context.format),
        ..spheres("balls", &spheres_module(device), &[Some(&context.world), Some(cloud)])
    }
    .make_with(device, &context.constants())
}

/// What makes a surface.
pub struct Pipelines {
    /// The nearest spheres.
    pub front: RenderPipeline,
    /// Thickness by all particles.
    pub thickness: RenderPipeline,
    /// Thickness by some particles.
    pub thinned: RenderPipeline,
    /// Smoothing along rows or columns.
    pub smoothed: RenderPipeline,
    /// The shape of the surface.
    pub shaped: RenderPipeline,
    /// The surface in its light.
    pub water: RenderPipeline,
}

impl Pipelines {
    /// Makes them.
    pub fn new(context: &Context, device: &Device, cloud: &BindGroupLayout, layouts: &Layouts) -> Pipelines {
        let (world, behind) = (Some(&context.world), Some(&context.behind));
        let (particles, sweep) = ([world, Some(cloud)], [world, Some(&layouts.sweep)]);
        let shaders = spheres_module(device);
        let thickness = |every| {
            Recipe {
                stages: ["bare", "thickness"],
                buffers: &[positions(every)],
                blend: Some(wgpu::BlendState { color: ADDED, alpha: ADDED }),
                writes_depth: None,
                ..spheres("thickness", &shaders, &particles)
            }
            .make_with(device, &context.constants())
        };
        let sweeping = module(device, "smooth", &[WORLD, include_str!("smooth.wgsl")]);
        let sweep = |fragment, format: TextureFormat| {
            let recipe = spheres("smooth", &sweeping, &sweep);
            let stages = ["screen_vertex", fragment];
            Recipe { stages, format, buffers: &[], writes_depth: None, ..recipe }
                .make_with(device, &context.constants())
        };
        let surface = module(
            device,
            "surface",
            &[WORLD, include_str!("../shaders/behind.wgsl"), include_str!("surface.wgsl")],
        );
        Pipelines {
            front: Recipe { format: layouts.formats.ahead, ..spheres("front", &shaders, &particles) }
                .make_with(device, &context.constants()),
            thickness: thickness(1),
            thinned: thickness(THINNED),
            smoothed: sweep("smoothed", layouts.formats.ahead),
            shaped: sweep("shaped", layouts.formats.shape),
            water: Recipe {
                stages: ["screen_vertex", "water"],
                buffers: &[],
                format: context.format,
                ..spheres("surface", &surface, &[world, behind, Some(&layouts.shape)])
            }
            .make_with(device, &context.constants()),
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

// The fronts of all particles; other pipelines say in what they differ.
fn spheres<'a>(
    label: &'a str,
    module: &'a wgpu::ShaderModule,
    groups: &'a [Option<&'a BindGroupLayout>],
) -> Recipe<'a> {
    Recipe {
        label,
        module,
        stages: ["bare", "front"],
        groups,
        buffers: const { &[positions(1)] },
        format: THICKNESS,
        second: None,
        blend: None,
        writes_depth: Some(true),
        topology: PrimitiveTopology::TriangleList,
        culled: None,
    }
}
