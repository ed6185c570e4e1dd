//! A cloud of particles on the device.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;
use undine_frame::Cloud;
use wgpu::{BindGroup, BindGroupLayout, Buffer, Device, Queue};

use crate::flat::PointColours;
use crate::flat::vertex_buffer::VertexBuffer;

/// For clouds with more particles than this, only every [`THICKNESS_STRIDE`]th contributes to the thickness, with its
/// weight scaled up.
const LARGE_CLOUD: u32 = 150_000;

/// Stride over the particles of a large cloud in the thickness pass.
pub const THICKNESS_STRIDE: u32 = 4;

/// Radius of the spheres of a surface over the particle radius, so that they leave no gaps.
const SPHERE_SCALE: f32 = 1.5;

/// Volume of liquid per particle in units of r³: eight particles fill a cell of width 4 r / √3.
const PARTICLE_VOLUME: f32 = 1.539_600_7;

/// Uniforms of a cloud in one pass, as `spheres.wgsl` declares them.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
struct CloudUniforms {
    radius: f32,
    thickness: f32,
    least: f32,
    height: f32,
}

/// Vertex buffers and uniforms of a particle cloud. Colours are uploaded when they are first drawn.
#[derive(Debug)]
pub struct GpuCloud {
    positions: VertexBuffer,
    colours: VertexBuffer,
    pending_colours: Option<Vec<[u8; 4]>>,
    uniforms: [Buffer; 3],
    bind_groups: [BindGroup; 3],
    /// Radius of its particles in metres.
    pub radius: f32,
    /// Bounding box of its spheres.
    pub bounds: Option<[Vec3; 2]>,
}

/// The passes in which a cloud is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloudPass {
    /// Shaded spheres.
    Balls,
    /// Depth of the front of a liquid.
    Front,
    /// Thickness of a liquid.
    Thickness,
}

impl GpuCloud {
    /// A cloud without particles.
    pub fn new(device: &Device, layout: &BindGroupLayout) -> GpuCloud {
        let uniforms: [Buffer; 3] = std::array::from_fn(|_| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("cloud"),
                size: size_of::<CloudUniforms>() as u64,
                usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        });
        let bind_groups = std::array::from_fn(|which| {
            let entries =
                &[wgpu::BindGroupEntry { binding: 0, resource: uniforms[which].as_entire_binding() }];
            device.create_bind_group(&wgpu::BindGroupDescriptor { label: Some("cloud"), layout, entries })
        });
        let (positions, colours) = Default::default();
        GpuCloud {
            positions,
            colours,
            pending_colours: None,
            uniforms,
            bind_groups,
            radius: 0.0,
            bounds: None,
        }
    }

    /// Replaces its particles.
    pub fn set(&mut self, device: &Device, queue: &Queue, points: &Cloud) {
        self.positions.set(device, queue, &points.positions);
        let colours = PointColours::of(points);
        self.pending_colours = Some((0..points.positions.len()).map(|index| colours.at(index)).collect());
        let is_sound = points.radius.is_finite() && points.radius > 0.0;
        self.radius = if is_sound { points.radius } else { 0.01 };
        self.bounds = bounds(points)
            .map(|[low, high]| [low - SPHERE_SCALE * self.radius, high + SPHERE_SCALE * self.radius]);
    }

    /// Uploads pending colours.
    pub fn upload_colours(&mut self, device: &Device, queue: &Queue) {
        if let Some(colours) = self.pending_colours.take() {
            self.colours.set(device, queue, &colours);
        }
    }

    /// Writes the uniforms of all passes, for the heights in pixels of the picture and of the screen maps.
    pub fn write_uniforms(&self, queue: &Queue, picture: u32, screen: u32) {
        let [picture, screen] = [picture, screen].map(|height| height.max(1) as f32);
        // Thickness at the centre of a disc t √(1 − s²), whose integral over the disc is the particle's volume: t = 3 V
        // / 2π r²
        let centre_thickness = 1.5 * PARTICLE_VOLUME * self.radius / std::f32::consts::PI;
        let size_factor = (self.stride() as f32).cbrt();
        let sphere_radius = SPHERE_SCALE * self.radius;
        let values = |radius, thickness, least, height| CloudUniforms { radius, thickness, least, height };
        let all = [
            values(self.radius, 0.0, 0.6, picture),
            values(sphere_radius, 0.0, 1.0, screen),
            values(
                sphere_radius * size_factor,
                centre_thickness * size_factor / (SPHERE_SCALE * SPHERE_SCALE),
                1.0,
                screen,
            ),
        ];
        for (buffer, values) in self.uniforms.iter().zip(&all) {
            queue.write_buffer(buffer, 0, bytemuck::bytes_of(values));
        }
    }

    /// Stride over the particles in the thickness pass.
    pub fn stride(&self) -> u32 {
        let is_large = self.positions.contents().is_some_and(|(_, count)| count > LARGE_CLOUD);
        if is_large { THICKNESS_STRIDE } else { 1 }
    }

    /// Draws it with the pipeline that is bound.
    pub fn draw(&self, pass: &mut wgpu::RenderPass<'_>, which: CloudPass) {
        let Some((positions, count)) = self.positions.contents() else { return };
        pass.set_bind_group(1, &self.bind_groups[which as usize], &[]);
        pass.set_vertex_buffer(0, positions.slice(..));
        match which {
            CloudPass::Balls => {
                let Some((colours, count)) = self.colours.contents() else { return };
                pass.set_vertex_buffer(1, colours.slice(..));
                pass.draw(0..3, 0..count);
            }
            CloudPass::Front => pass.draw(0..3, 0..count),
            CloudPass::Thickness => pass.draw(0..3, 0..count / self.stride()),
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
