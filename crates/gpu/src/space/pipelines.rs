//! The pipelines of everything in space, each made when it first draws: to make one takes a slow device a moment.

use std::cell::OnceCell;

use wgpu::{
    BindGroupLayout, BlendComponent, BlendFactor, BlendOperation, BlendState, Device, RenderPipeline,
    ShaderModule,
};

use super::bodies::{EDGE_LAYOUT, VERTEX_LAYOUT};
use super::caustics;
use super::choices::{Choices, Scope};
use super::lattice::TILE_LAYOUT;
use super::tiles::Kind;
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

/// What pipelines draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Ground of a lattice.
    Ground,
    /// Ground of tiles without water.
    DryGround,
    /// Ground of tiles without land.
    FloodedGround,
    /// Ground beyond it.
    FarGround,
    /// Cut sides of its ground.
    Earth,
    /// Solid bodies.
    Bodies,
    /// The sky, or a floor below it.
    Sky,
    /// Water of a lattice with a bed of its own.
    Water,
    /// The same of tiles without foam.
    CalmWater,
    /// Water of a lattice without one.
    OpenWater,
    /// Water beyond a lattice.
    FarWater,
    /// Cut sides of its water.
    Sides,
    /// Open water to the horizon.
    Sea,
    /// How thick closed water is.
    Thickness,
    /// Closed water.
    Liquid,
    /// Edges of a tank.
    Edges,
    /// Gathered sunlight.
    Rays,
}

/// Pipelines for some choices.
pub struct Pipelines {
    context: Context,
    device: Device,
    shaders: ShaderModule,
    lattice: BindGroupLayout,
    thickness: BindGroupLayout,
    choices: Choices,
    made: [OnceCell<RenderPipeline>; Part::Rays as usize + 1],
}

/// The text of all shaders in space.
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

impl Pipelines {
    /// None yet. `lattice` and `thickness` are the two forms of group 2.
    pub fn new(
        context: &Context,
        device: &Device,
        shaders: &ShaderModule,
        [lattice, thickness]: [&BindGroupLayout; 2],
        choices: Choices,
    ) -> Pipelines {
        Pipelines {
            context: context.clone(),
            device: device.clone(),
            shaders: shaders.clone(),
            lattice: lattice.clone(),
            thickness: thickness.clone(),
            choices,
            made: Default::default(),
        }
    }

    /// What they are made for.
    pub fn choices(&self) -> &Choices {
        &self.choices
    }

    /// The pipeline that draws a part.
    pub fn of(&self, part: Part) -> &RenderPipeline {
        self.made[part as usize].get_or_init(|| self.make(part))
    }

    fn make(&self, part: Part) -> RenderPipeline {
        let (device, context) = (&self.device, &self.context);
        let world = Some(&context.world);
        let opaque = [world, None, Some(&self.lattice)];
        let over = [world, Some(&context.behind), Some(&self.lattice)];
        let through = [world, Some(&context.behind), Some(&self.thickness)];
        let (list, strip) = (wgpu::PrimitiveTopology::TriangleList, wgpu::PrimitiveTopology::TriangleStrip);

        // What lies in tiles, opaque or water
        let ground = Recipe {
            label: "space",
            module: &self.shaders,
            stages: ["ground_vertex", "ground_fragment"],
            groups: &opaque,
            buffers: &[TILE_LAYOUT],
            format: context.light,
            second: Some(context.format),
            blend: None,
            writes_depth: Some(true),
            topology: list,
            culled: None,
        };
        let water = Recipe {
            stages: ["water_vertex", "water_fragment"],
            groups: &over,
            format: context.format,
            second: None,
            ..ground
        };
        // What is made of triangles
        let bodies = Recipe {
            stages: ["body_vertex", "body_fragment"],
            groups: &opaque[..1],
            buffers: &[VERTEX_LAYOUT],
            ..ground
        };
        let (beyond, around) = (Recipe { buffers: &[], ..ground }, Recipe { buffers: &[], ..water });

        let recipe = match part {
            Part::Ground | Part::DryGround | Part::FloodedGround => ground,
            Part::FarGround => {
                Recipe { stages: ["far_ground_vertex", "far_ground_fragment"], topology: strip, ..beyond }
            }
            Part::Earth => Recipe { stages: ["earth_vertex", "earth_fragment"], ..beyond },
            Part::Water | Part::CalmWater | Part::OpenWater => water,
            Part::FarWater => {
                Recipe { stages: ["far_water_vertex", "far_water_fragment"], topology: strip, ..around }
            }
            Part::Sides => Recipe { stages: ["side_vertex", "side_fragment"], ..around },
            Part::Sea => {
                Recipe { stages: ["screen_vertex", "sea_fragment"], writes_depth: Some(false), ..around }
            }
            Part::Sky => Recipe {
                stages: ["screen_vertex", "sky_fragment"],
                groups: &opaque[..1],
                writes_depth: Some(false),
                ..beyond
            },
            Part::Bodies => bodies,
            Part::Thickness => Recipe {
                stages: ["body_vertex", "thickness_fragment"],
                second: None,
                blend: Some(ADDED),
                writes_depth: None,
                ..bodies
            },
            Part::Liquid => Recipe {
                stages: ["body_vertex", "liquid_fragment"],
                groups: &through,
                format: context.format,
                second: None,
                ..bodies
            },
            Part::Edges => Recipe {
                stages: ["edge_vertex", "edge_fragment"],
                buffers: &[EDGE_LAYOUT],
                format: context.format,
                second: None,
                blend: Some(BlendState::ALPHA_BLENDING),
                writes_depth: Some(false),
                topology: strip,
                ..bodies
            },
            Part::Rays => Recipe {
                stages: ["ray_vertex", "ray_fragment"],
                format: caustics::FORMAT,
                second: None,
                blend: Some(ADDED),
                writes_depth: None,
                ..ground
            },
        };
        let has_bed = !matches!(part, Part::OpenWater | Part::Sea);
        let kind = match part {
            Part::DryGround => Kind { has_water: false, ..Kind::ANY },
            Part::FloodedGround => Kind { has_land: false, ..Kind::ANY },
            Part::CalmWater | Part::FarWater => Kind { has_foam: false, ..Kind::ANY },
            _ => Kind::ANY,
        };
        let is_far = matches!(part, Part::FarGround | Part::FarWater | Part::Sea | Part::Sky);
        recipe.make_with(device, &self.choices.narrowed(Scope { has_bed, kind, is_far }))
    }
}
