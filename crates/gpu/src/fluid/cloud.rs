//! A cloud of particles on the device.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;
use undine_frame::Cloud;
use wgpu::{BindGroup, BindGroupLayout, Buffer, Device, Queue};

use crate::flat::Inks;
use crate::flat::vertices::Vertices;

/// Of clouds larger than this every so many particles make the thickness, each for as many.
const CROWD: u32 = 150_000;

/// Every how many particles make the thickness of a large cloud.
pub const THINNED: u32 = 4;

/// How much larger than the particles the spheres are that make up a surface, so that they leave no gaps.
const SWOLLEN: f32 = 1.5;

/// Liquid that a particle stands for, in cubes of its radius: eight particles share a cell of 4/√3 radii.
const SHARE: f32 = 1.539_600_7;

/// The numbers of a cloud, as the shader has them.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
struct CloudNumbers {
    radius: f32,
    thickness: f32,
    least: f32,
    height: f32,
}

/// Particles on the device: positions, and colours when somebody wants to see them.
#[derive(Debug)]
pub struct DrawnCloud {
    positions: Vertices,
    colours: Vertices,
    inks: Option<Vec<[u8; 4]>>,
    blocks: [Buffer; 3],
    groups: [BindGroup; 3],
    /// Radius of its particles in metres.
    pub radius: f32,
    /// The box around its particles.
    pub bounds: Option<[Vec3; 2]>,
}

/// What a cloud is drawn for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Shaded balls.
    Balls,
    /// The front of a liquid.
    Front,
    /// How thick the liquid is.
    Thickness,
}

impl DrawnCloud {
    /// A cloud without particles.
    pub fn new(device: &Device, layout: &BindGroupLayout) -> DrawnCloud {
        let blocks: [Buffer; 3] = std::array::from_fn(|_| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("cloud"),
                size: size_of::<CloudNumbers>() as u64,
                usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        });
        let groups = std::array::from_fn(|part| {
            let entries = &[wgpu::BindGroupEntry { binding: 0, resource: blocks[part].as_entire_binding() }];
            device.create_bind_group(&wgpu::BindGroupDescriptor { label: Some("cloud"), layout, entries })
        });
        let (positions, colours) = Default::default();
        DrawnCloud { positions, colours, inks: None, blocks, groups, radius: 0.0, bounds: None }
    }

    /// Replaces its particles.
    pub fn set(&mut self, device: &Device, queue: &Queue, points: &Cloud) {
        self.positions.set(device, queue, &points.positions);
        let inks = Inks::of(points);
        self.inks = Some((0..points.positions.len()).map(|index| inks.at(index)).collect());
        let is_sound = points.radius.is_finite() && points.radius > 0.0;
        self.radius = if is_sound { points.radius } else { 0.01 };
        self.bounds =
            bounds(points).map(|[low, high]| [low - SWOLLEN * self.radius, high + SWOLLEN * self.radius]);
    }

    /// Brings its colours to the device if they are not there.
    pub fn colour(&mut self, device: &Device, queue: &Queue) {
        if let Some(inks) = self.inks.take() {
            self.colours.set(device, queue, &inks);
        }
    }

    /// Takes note of the heights in pixels of the picture and of the smaller one in which surfaces are found.
    pub fn turn_to(&self, queue: &Queue, picture: u32, screen: u32) {
        let [picture, screen] = [picture, screen].map(|height| height.max(1) as f32);
        // What a disc of the particle's size adds up to is the liquid that it stands for.
        let middle = 1.5 * SHARE * self.radius / std::f32::consts::PI;
        let many = (self.stride() as f32).cbrt();
        let swollen = SWOLLEN * self.radius;
        let numbers = |radius, thickness, least, height| CloudNumbers { radius, thickness, least, height };
        let all = [
            numbers(self.radius, 0.0, 0.6, picture),
            numbers(swollen, 0.0, 1.0, screen),
            numbers(swollen * many, middle * many / (SWOLLEN * SWOLLEN), 1.0, screen),
        ];
        for (block, numbers) in self.blocks.iter().zip(&all) {
            queue.write_buffer(block, 0, bytemuck::bytes_of(numbers));
        }
    }

    /// Every how many particles make the thickness.
    pub fn stride(&self) -> u32 {
        let is_crowd = self.positions.filled().is_some_and(|(_, count)| count > CROWD);
        if is_crowd { THINNED } else { 1 }
    }

    /// Draws it with the pipeline that is set.
    pub fn draw(&self, pass: &mut wgpu::RenderPass<'_>, part: Part) {
        let Some((positions, count)) = self.positions.filled() else { return };
        pass.set_bind_group(1, &self.groups[part as usize], &[]);
        pass.set_vertex_buffer(0, positions.slice(..));
        match part {
            Part::Balls => {
                let Some((colours, count)) = self.colours.filled() else { return };
                pass.set_vertex_buffer(1, colours.slice(..));
                pass.draw(0..3, 0..count);
            }
            Part::Front => pass.draw(0..3, 0..count),
            Part::Thickness => pass.draw(0..3, 0..count / self.stride()),
        }
    }
}

fn bounds(points: &Cloud) -> Option<[Vec3; 2]> {
    let positions = points.positions.iter().map(|position| Vec3::from(*position));
    positions.filter(|position| position.is_finite()).fold(None, |bounds, position| {
        let [low, high] = bounds.unwrap_or([position; 2]);
        Some([low.min(position), high.max(position)])
    })
}
