//! The pipelines of everything in space, each created on first use, because compilation is slow on some devices.

use std::cell::OnceCell;

use wgpu::{
    BindGroupLayout, BlendComponent, BlendFactor, BlendOperation, BlendState, Device, RenderPipeline,
    ShaderModule,
};

use super::bodies::{EDGE_LAYOUT, VERTEX_LAYOUT};
use super::caustics;
use super::lattice::TILE_LAYOUT;
use super::shader_constants::{PipelineScope, ShaderConstants};
use super::tiles::TileContents;
use crate::context::Context;
use crate::pipeline::{PipelineDescriptor, module};

/// Additive blending of colour.
const ADDED: BlendState = BlendState {
    color: BlendComponent {
        src_factor: BlendFactor::One,
        dst_factor: BlendFactor::One,
        operation: BlendOperation::Add,
    },
    alpha: BlendComponent::REPLACE,
};

/// What a pipeline draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PipelineKind {
    /// Ground of a lattice.
    Ground,
    /// Ground of tiles without water.
    DryGround,
    /// Ground of tiles without land.
    FloodedGround,
    /// Extended terrain around the lattice.
    FarGround,
    /// Cut sides of the ground of a block.
    Earth,
    /// Solid bodies.
    Bodies,
    /// The sky and the floor below it.
    Sky,
    /// Water of a lattice with its own bed.
    Water,
    /// Water of tiles without foam.
    CalmWater,
    /// Water of a lattice without a bed.
    OpenWater,
    /// Extended water around a lattice with a bed.
    FarWater,
    /// Cut sides of the water of a block.
    Sides,
    /// Open water to the horizon.
    Sea,
    /// Thickness of closed liquids.
    Thickness,
    /// Closed liquids.
    Liquid,
    /// Edges of a tank.
    Edges,
    /// Caustics.
    Rays,
}

/// The pipelines for one set of shader constants.
pub struct SpacePipelines {
    context: Context,
    device: Device,
    shaders: ShaderModule,
    lattice: BindGroupLayout,
    thickness: BindGroupLayout,
    constants: ShaderConstants,
    cached: [OnceCell<RenderPipeline>; PipelineKind::Rays as usize + 1],
}

/// The shader module of everything in space.
pub fn shaders(device: &Device) -> ShaderModule {
    module(
        device,
        "space",
        &[
            include_str!("../shaders/world.wgsl"),
            include_str!("../shaders/behind.wgsl"),
            include_str!("../shaders/lattice.wgsl"),
            include_str!("../shaders/ground.wgsl"),
            include_str!("../shaders/water.wgsl"),
            include_str!("../shaders/backdrop.wgsl"),
            include_str!("../shaders/border.wgsl"),
            include_str!("../shaders/caustics.wgsl"),
            include_str!("../shaders/bodies.wgsl"),
        ],
    )
}

impl SpacePipelines {
    /// An empty set. `lattice` and `thickness` are the two layouts of group 2.
    pub fn new(
        context: &Context,
        device: &Device,
        shaders: &ShaderModule,
        [lattice, thickness]: [&BindGroupLayout; 2],
        constants: ShaderConstants,
    ) -> SpacePipelines {
        SpacePipelines {
            context: context.clone(),
            device: device.clone(),
            shaders: shaders.clone(),
            lattice: lattice.clone(),
            thickness: thickness.clone(),
            constants,
            cached: Default::default(),
        }
    }

    /// The constants of these pipelines.
    pub fn constants(&self) -> &ShaderConstants {
        &self.constants
    }

    /// The pipeline of a kind.
    pub fn of(&self, kind: PipelineKind) -> &RenderPipeline {
        self.cached[kind as usize].get_or_init(|| self.create(kind))
    }

    fn create(&self, kind: PipelineKind) -> RenderPipeline {
        let (device, context) = (&self.device, &self.context);
        let world = Some(&context.world_layout);
        let opaque = [world, None, Some(&self.lattice)];
        let over = [world, Some(&context.behind_layout), Some(&self.lattice)];
        let through = [world, Some(&context.behind_layout), Some(&self.thickness)];
        let (list, strip) = (wgpu::PrimitiveTopology::TriangleList, wgpu::PrimitiveTopology::TriangleStrip);

        // Tiles of ground and water
        let ground = PipelineDescriptor {
            label: "space",
            module: &self.shaders,
            entry_points: ["ground_vertex", "ground_fragment"],
            bind_group_layouts: &opaque,
            vertex_buffers: &[TILE_LAYOUT],
            target: context.light_format,
            second_target: Some(context.format),
            blend: None,
            depth_write: Some(true),
            topology: list,
            cull_mode: None,
        };
        let water = PipelineDescriptor {
            entry_points: ["water_vertex", "water_fragment"],
            bind_group_layouts: &over,
            target: context.format,
            second_target: None,
            ..ground
        };
        // Indexed meshes
        let bodies = PipelineDescriptor {
            entry_points: ["body_vertex", "body_fragment"],
            bind_group_layouts: &opaque[..1],
            vertex_buffers: &[VERTEX_LAYOUT],
            ..ground
        };
        let (far_ground, far_water) = (
            PipelineDescriptor { vertex_buffers: &[], ..ground },
            PipelineDescriptor { vertex_buffers: &[], ..water },
        );

        // Differences of each kind from these
        let descriptor = match kind {
            PipelineKind::Ground | PipelineKind::DryGround | PipelineKind::FloodedGround => ground,
            PipelineKind::FarGround => PipelineDescriptor {
                entry_points: ["far_ground_vertex", "far_ground_fragment"],
                topology: strip,
                ..far_ground
            },
            PipelineKind::Earth => {
                PipelineDescriptor { entry_points: ["earth_vertex", "earth_fragment"], ..far_ground }
            }
            PipelineKind::Water | PipelineKind::CalmWater | PipelineKind::OpenWater => water,
            PipelineKind::FarWater => PipelineDescriptor {
                entry_points: ["far_water_vertex", "far_water_fragment"],
                topology: strip,
                ..far_water
            },
            PipelineKind::Sides => {
                PipelineDescriptor { entry_points: ["side_vertex", "side_fragment"], ..far_water }
            }
            PipelineKind::Sea => PipelineDescriptor {
                entry_points: ["screen_vertex", "sea_fragment"],
                depth_write: Some(false),
                ..far_water
            },
            PipelineKind::Sky => PipelineDescriptor {
                entry_points: ["screen_vertex", "sky_fragment"],
                bind_group_layouts: &opaque[..1],
                depth_write: Some(false),
                ..far_ground
            },
            PipelineKind::Bodies => bodies,
            PipelineKind::Thickness => PipelineDescriptor {
                entry_points: ["body_vertex", "thickness_fragment"],
                second_target: None,
                blend: Some(ADDED),
                depth_write: None,
                ..bodies
            },
            PipelineKind::Liquid => PipelineDescriptor {
                entry_points: ["body_vertex", "liquid_fragment"],
                bind_group_layouts: &through,
                target: context.format,
                second_target: None,
                ..bodies
            },
            PipelineKind::Edges => PipelineDescriptor {
                entry_points: ["edge_vertex", "edge_fragment"],
                vertex_buffers: &[EDGE_LAYOUT],
                target: context.format,
                second_target: None,
                blend: Some(BlendState::ALPHA_BLENDING),
                depth_write: Some(false),
                topology: strip,
                ..bodies
            },
            PipelineKind::Rays => PipelineDescriptor {
                entry_points: ["ray_vertex", "ray_fragment"],
                target: caustics::FORMAT,
                second_target: None,
                blend: Some(ADDED),
                depth_write: None,
                ..ground
            },
        };
        // Constants: features that this kind of pipeline cannot show are disabled
        let has_bed = !matches!(kind, PipelineKind::OpenWater | PipelineKind::Sea);
        let contents = match kind {
            PipelineKind::DryGround => TileContents { has_water: false, ..TileContents::ANY },
            PipelineKind::FloodedGround => TileContents { has_land: false, ..TileContents::ANY },
            PipelineKind::CalmWater | PipelineKind::FarWater => {
                TileContents { has_foam: false, ..TileContents::ANY }
            }
            _ => TileContents::ANY,
        };
        let is_far = matches!(
            kind,
            PipelineKind::FarGround | PipelineKind::FarWater | PipelineKind::Sea | PipelineKind::Sky
        );
        descriptor.create_with_constants(
            device,
            &self.constants.for_scope(PipelineScope { has_bed, contents, is_far }),
        )
    }
}
