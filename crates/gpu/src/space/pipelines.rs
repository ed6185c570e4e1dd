//! The pipelines of everything in space.

use wgpu::{
    BindGroupLayout, BlendComponent, BlendFactor, BlendOperation, BlendState, Device, RenderPipeline,
};

use super::bodies::{EDGE_LAYOUT, VERTEX_LAYOUT};
use super::lattice::TILE_LAYOUT;
use crate::context::Context;
use crate::pipeline::{Recipe, module};

/// What is added to what is there.
const ADDED: BlendState = BlendState {
    color: BlendComponent {
        src_factor: BlendFactor::One,
        dst_factor: BlendFactor::One,
        operation: BlendOperation::Add,
    },
    alpha: BlendComponent::REPLACE,
};

/// The pipelines, each named after what it draws.
pub struct Pipelines {
    /// Ground of a lattice.
    pub ground: RenderPipeline,
    /// Ground beyond it.
    pub far_ground: RenderPipeline,
    /// Cut sides of its ground.
    pub earth: RenderPipeline,
    /// Solid bodies.
    pub bodies: RenderPipeline,
    /// The sky, or a floor below it.
    pub sky: RenderPipeline,
    /// The opaque picture, developed.
    pub finish: RenderPipeline,
    /// Water of a lattice.
    pub water: RenderPipeline,
    /// Water beyond it.
    pub far_water: RenderPipeline,
    /// Cut sides of its water.
    pub sides: RenderPipeline,
    /// Open water to the horizon.
    pub sea: RenderPipeline,
    /// How thick closed water is.
    pub thickness: RenderPipeline,
    /// Closed water.
    pub liquid: RenderPipeline,
    /// Edges of a tank.
    pub edges: RenderPipeline,
    /// Gathered sunlight.
    pub rays: RenderPipeline,
}

impl Pipelines {
    /// Makes them all. `lattice` and `thickness` are the two forms of group 2.
    pub fn new(
        context: &Context,
        device: &Device,
        lattice: &BindGroupLayout,
        thickness: &BindGroupLayout,
    ) -> Pipelines {
        let shaders = module(
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
        );
        let opaque = &[Some(&context.world), None, Some(lattice)];
        let over = &[Some(&context.world), Some(&context.behind), Some(lattice)];
        let through = &[Some(&context.world), Some(&context.behind), Some(thickness)];
        let ground = Recipe {
            label: "ground",
            module: &shaders,
            stages: ["ground_vertex", "ground_fragment"],
            groups: opaque,
            buffers: &[TILE_LAYOUT],
            format: context.light,
            blend: None,
            writes_depth: Some(true),
            topology: wgpu::PrimitiveTopology::TriangleList,
            culled: None,
        };
        let strip = wgpu::PrimitiveTopology::TriangleStrip;
        let border = |label, stages, topology| Recipe { label, stages, topology, buffers: &[], ..ground };
        let list = ground.topology;
        let water = Recipe {
            label: "water",
            stages: ["water_vertex", "water_fragment"],
            groups: over,
            format: context.format,
            ..ground
        };
        let far_water = ["far_water_vertex", "far_water_fragment"];
        let screen = |label, fragment, base: &Recipe<'_>| {
            let stages = ["screen_vertex", fragment];
            (label, stages, base.format)
        };
        let (sky, sea, finish) = (
            screen("sky", "sky_fragment", &ground),
            screen("sea", "sea_fragment", &water),
            screen("finish", "finished_fragment", &water),
        );
        let full = |(label, stages, format)| Recipe {
            label,
            stages,
            format,
            buffers: &[],
            writes_depth: Some(false),
            ..ground
        };
        let bodies = Recipe {
            label: "bodies",
            stages: ["body_vertex", "body_fragment"],
            groups: &opaque[..1],
            buffers: &[VERTEX_LAYOUT],
            ..ground
        };
        Pipelines {
            far_ground: border("far ground", ["far_ground_vertex", "far_ground_fragment"], strip)
                .make(device),
            earth: border("earth", ["earth_vertex", "earth_fragment"], list).make(device),
            sky: Recipe { groups: &opaque[..1], ..full(sky) }.make(device),
            finish: Recipe { groups: &over[..2], ..full(finish) }.over_all(device),
            far_water: Recipe {
                groups: over,
                format: context.format,
                ..border("far water", far_water, strip)
            }
            .make(device),
            sides: Recipe {
                groups: over,
                format: context.format,
                ..border("sides", ["side_vertex", "side_fragment"], list)
            }
            .make(device),
            sea: Recipe { groups: over, ..full(sea) }.make(device),
            thickness: Recipe {
                label: "thickness",
                stages: ["body_vertex", "thickness_fragment"],
                blend: Some(ADDED),
                writes_depth: None,
                ..bodies
            }
            .make(device),
            liquid: Recipe {
                label: "liquid",
                stages: ["body_vertex", "liquid_fragment"],
                groups: through,
                format: context.format,
                ..bodies
            }
            .make(device),
            edges: Recipe {
                label: "edges",
                stages: ["edge_vertex", "edge_fragment"],
                buffers: &[EDGE_LAYOUT],
                format: context.format,
                blend: Some(BlendState::ALPHA_BLENDING),
                writes_depth: Some(false),
                topology: strip,
                ..bodies
            }
            .make(device),
            rays: Recipe {
                label: "rays",
                stages: ["ray_vertex", "ray_fragment"],
                blend: Some(ADDED),
                writes_depth: None,
                ..ground
            }
            .make(device),
            bodies: bodies.make(device),
            water: water.make(device),
            ground: ground.make(device),
        }
    }
}
