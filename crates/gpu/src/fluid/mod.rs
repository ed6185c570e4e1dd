//! Particles in space: as shaded spheres, or as a liquid surface by screen-space fluid rendering.
//!
//! The surface is reconstructed in image space [vanderlaan2009]: particles are rendered as spheres into a depth map,
//! the depths are smoothed by the narrow-range filter [truong2018], and normals follow from their differences. A
//! second, additive pass accumulates the thickness of the liquid, for absorption. The cost is one triangle per particle
//! and a few full-screen passes; no mesh is made. Only the surface nearest to the eye is reconstructed: a drop in front
//! of a pool hides the pool's surface behind it, but not its absorption.

mod cloud;
mod pipelines;
mod renderable;
mod scissor;
mod screen;

use std::cell::OnceCell;

use undine_frame::Frame;
use wgpu::{
    BindGroupLayout, Color, CommandEncoder, Device, LoadOp, Queue, RenderPass, RenderPipeline, TextureView,
};

use self::cloud::{CloudPass, GpuCloud};
use self::pipelines::SurfacePipelines;
use self::scissor::ScissorRect;
use self::screen::{ScreenFormats, ScreenLayouts, ScreenMaps};
use crate::context::{Context, uniform_entry};
use crate::targets::RenderTargets;
use crate::{ParticleStyle, SpaceView};

/// Renders particles in space.
pub struct ScreenSpaceFluid {
    cloud_layout: BindGroupLayout,
    balls: OnceCell<RenderPipeline>,
    /// Layouts and pipelines of surfaces; `None` where float formats are not renderable.
    surface: Option<(ScreenLayouts, OnceCell<SurfacePipelines>)>,
    clouds: Vec<GpuCloud>,
    screen: Option<ScreenMaps>,
    shown: ParticleStyle,
    scissor: Option<ScissorRect>,
}

impl ScreenSpaceFluid {
    /// A renderer without a frame.
    pub fn new(device: &Device) -> ScreenSpaceFluid {
        let cloud_layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("cloud"),
            entries: &[uniform_entry(0)],
        });
        let surface =
            ScreenFormats::of(device).map(|formats| (ScreenLayouts::new(device, formats), OnceCell::new()));
        ScreenSpaceFluid {
            cloud_layout,
            balls: OnceCell::new(),
            surface,
            clouds: Vec::new(),
            screen: None,
            shown: ParticleStyle::Hidden,
            scissor: None,
        }
    }

    /// Uploads the particles of a frame.
    pub fn upload(&mut self, _context: &Context, device: &Device, queue: &Queue, frame: &Frame) {
        let layout = &self.cloud_layout;
        self.clouds.resize_with(frame.clouds.len(), || GpuCloud::new(device, layout));
        for (cloud, points) in self.clouds.iter_mut().zip(&frame.clouds) {
            cloud.set(device, queue, points);
        }
    }

    /// Prepares a picture: chooses the style, creates pipelines and maps, and writes uniforms.
    pub fn begin(
        &mut self,
        context: &Context,
        device: &Device,
        queue: &Queue,
        targets: &RenderTargets,
        view: &SpaceView,
    ) {
        // Without float render targets surfaces are drawn as balls
        let has_surface = self.surface.is_some();
        self.shown = match view.particles {
            ParticleStyle::Surface if !has_surface => ParticleStyle::Balls,
            shown => shown,
        };
        // Pipelines on first use; maps of the picture's size
        let fits = self.screen.as_ref().is_some_and(|screen| screen.picture == targets.size);
        match &self.surface {
            Some((layouts, pipelines)) if self.shown == ParticleStyle::Surface && !self.clouds.is_empty() => {
                pipelines.get_or_init(|| SurfacePipelines::new(context, device, &self.cloud_layout, layouts));
                if !fits {
                    self.screen = Some(ScreenMaps::new(device, layouts, targets.size));
                }
            }
            _ => self.screen = None,
        }
        if self.shown == ParticleStyle::Balls && !self.clouds.is_empty() {
            self.balls.get_or_init(|| pipelines::balls(context, device, &self.cloud_layout));
        }
        // Uniforms, and the part of the picture that the particles cover
        let height = self.screen.as_ref().map_or(targets.size[1], |screen| screen.size[1]);
        for cloud in &mut self.clouds {
            cloud.write_uniforms(queue, targets.size[1], height);
            if self.shown == ParticleStyle::Balls {
                cloud.upload_colours(device, queue);
            }
        }
        self.scissor = ScissorRect::of(self.clouds.iter().filter_map(|cloud| cloud.bounds), &view.camera);
        let radius = self.clouds.iter().map(|cloud| cloud.radius).fold(0.0, f32::max);
        if let Some(screen) = &self.screen {
            screen.write_uniforms(queue, radius);
        }
    }

    /// Draws shaded spheres in the opaque pass; group 0 is the world.
    pub fn draw_opaque(&self, pass: &mut RenderPass<'_>) {
        if let Some(balls) = self.balls.get().filter(|_| self.shown == ParticleStyle::Balls) {
            pass.set_pipeline(balls);
            self.clouds.iter().for_each(|cloud| cloud.draw(pass, CloudPass::Balls));
        }
    }

    /// The passes between the opaque pass and the water pass: depth, thickness, smoothing, normals. `world` is group 0.
    pub fn filter(
        &mut self,
        encoder: &mut CommandEncoder,
        _targets: &RenderTargets,
        world: &wgpu::BindGroup,
    ) {
        let (Some(pipelines), Some(screen)) = (self.pipelines(), &self.screen) else { return };
        let Some([left, top, width, height]) = self.scissor.and_then(|rect| rect.pixels(screen.size)) else {
            return;
        };
        // Nearest depth of the spheres
        let mut pass = begin(encoder, "front", &screen.front, Some(&screen.depth));
        pass.set_bind_group(0, world, &[]);
        pass.set_pipeline(&pipelines.front);
        self.clouds.iter().for_each(|cloud| cloud.draw(&mut pass, CloudPass::Front));
        drop(pass);
        // Thickness, by additive blending
        let mut pass = begin(encoder, "thickness", &screen.thickness, None);
        pass.set_bind_group(0, world, &[]);
        for cloud in &self.clouds {
            let is_complete = cloud.stride() == 1;
            pass.set_pipeline(if is_complete { &pipelines.thickness } else { &pipelines.thickness_strided });
            cloud.draw(&mut pass, CloudPass::Thickness);
        }
        drop(pass);
        // Smoothing passes, then normals
        let smoothing = screen.filters.iter().map(|filter| (filter, &pipelines.smoothed));
        for (filter, pipeline) in smoothing.chain([(&screen.shape_pass, &pipelines.shaped)]) {
            let mut pass = begin(encoder, "filter", &filter.to, None);
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, world, &[]);
            pass.set_bind_group(1, &filter.bind_group, &[]);
            pass.set_scissor_rect(left, top, width, height);
            pass.draw(0..3, 0..1);
        }
    }

    fn pipelines(&self) -> Option<&SurfacePipelines> {
        self.surface.as_ref()?.1.get()
    }

    /// Shades the surface over the opaque pass; groups 0 and 1 are the world and the texture of the opaque pass.
    pub fn draw(&self, pass: &mut RenderPass<'_>) {
        let (Some(pipelines), Some(screen)) = (self.pipelines(), &self.screen) else { return };
        let Some([left, top, width, height]) = self.scissor.and_then(|rect| rect.pixels(screen.picture))
        else {
            return;
        };
        pass.set_pipeline(&pipelines.water);
        pass.set_bind_group(2, &screen.shape, &[]);
        pass.set_scissor_rect(left, top, width, height);
        pass.draw(0..3, 0..1);
        pass.set_scissor_rect(0, 0, screen.picture[0], screen.picture[1]);
    }
}

// A render pass into a cleared map.
fn begin<'e>(
    encoder: &'e mut CommandEncoder,
    label: &str,
    map: &TextureView,
    depth: Option<&TextureView>,
) -> RenderPass<'e> {
    let store = wgpu::StoreOp::Store;
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some(label),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view: map,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations { load: LoadOp::Clear(Color::TRANSPARENT), store },
        })],
        depth_stencil_attachment: depth.map(|view| wgpu::RenderPassDepthStencilAttachment {
            view,
            depth_ops: Some(wgpu::Operations { load: LoadOp::Clear(0.0), store: wgpu::StoreOp::Discard }),
            stencil_ops: None,
        }),
        ..Default::default()
    })
}
