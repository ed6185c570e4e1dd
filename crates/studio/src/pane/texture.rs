//! The texture of a pane, rendered on the GPU and shown by egui as an image.

use std::sync::Arc;

use eframe::egui_wgpu::RenderState;
use eframe::wgpu;
use egui::TextureId;
use undine::Frame;
use undine_gpu::{RenderError, RenderSettings, Renderer};

/// Format of the texture, as egui expects it.
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// A renderer and its render target.
pub struct PaneTexture {
    renderer: Renderer,
    target: Option<RenderTexture>,
    /// The frame that is uploaded.
    uploaded: Option<Arc<Frame>>,
}

struct RenderTexture {
    texture: wgpu::Texture,
    view: wgpu::TextureView,
    size: [u32; 2],
    id: TextureId,
}

impl PaneTexture {
    /// Creates a renderer on the window's device.
    pub fn new(state: &RenderState) -> Result<PaneTexture, RenderError> {
        let renderer = Renderer::new(&state.device, &state.queue, FORMAT)?;
        Ok(PaneTexture { renderer, target: None, uploaded: None })
    }

    /// Renders a frame and returns the texture.
    pub fn render(
        &mut self,
        state: &RenderState,
        frame: &Arc<Frame>,
        settings: &RenderSettings,
        size: [u32; 2],
    ) -> Option<TextureId> {
        let (device, queue) = (&state.device, &state.queue);
        self.resize(state, size);
        if self.uploaded.as_ref().is_none_or(|uploaded| !Arc::ptr_eq(uploaded, frame)) {
            self.renderer.upload(device, queue, frame);
            self.uploaded = Some(frame.clone());
        }
        let target = self.target.as_ref()?;
        let mut encoder =
            device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("water") });
        self.renderer.render(device, queue, &mut encoder, &target.view, size, settings);
        queue.submit([encoder.finish()]);
        Some(target.id)
    }

    /// The texture that was rendered last, if it has this size.
    pub fn last(&self, size: [u32; 2]) -> Option<TextureId> {
        self.target.as_ref().filter(|target| target.size == size).map(|target| target.id)
    }

    /// Which part of the frame could not be uploaded.
    pub fn warning(&self) -> Option<&str> {
        self.renderer.warning()
    }

    /// Reads the last picture back. `then` gets its size and RGBA bytes.
    pub fn read_back(&self, state: &RenderState, then: impl FnOnce([u32; 2], Vec<u8>) + Send + 'static) {
        let Some(target) = &self.target else { return };
        let [width, height] = target.size;
        let row = (4 * width).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let buffer = state.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("picture"),
            size: u64::from(row) * u64::from(height),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let mut encoder = state.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let layout =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row), rows_per_image: Some(height) };
        encoder.copy_texture_to_buffer(
            target.texture.as_image_copy(),
            wgpu::TexelCopyBufferInfo { buffer: &buffer, layout },
            target.texture.size(),
        );
        state.queue.submit([encoder.finish()]);
        let mapped = buffer.clone();
        buffer.slice(..).map_async(wgpu::MapMode::Read, move |result| {
            if result.is_err() {
                return;
            }
            let Ok(bytes) = mapped.slice(..).get_mapped_range() else { return };
            let rows = bytes.chunks_exact(row as usize).flat_map(|row| &row[..4 * width as usize]);
            let pixels: Vec<u8> = rows.copied().collect();
            drop(bytes);
            mapped.unmap();
            then([width, height], pixels);
        });
        #[cfg(not(target_arch = "wasm32"))]
        // A lost device gives no picture; the window handles the loss elsewhere
        let _ = state.device.poll(wgpu::PollType::wait_indefinitely());
    }

    /// Creates the render target of this size and registers it with egui.
    fn resize(&mut self, state: &RenderState, size: [u32; 2]) {
        if size.contains(&0) || self.target.as_ref().is_some_and(|target| target.size == size) {
            return;
        }
        // The target is rendered to, shown by egui, and read back
        let texture = state.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("pane"),
            size: wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: FORMAT,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT
                | wgpu::TextureUsages::TEXTURE_BINDING
                | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        // Keep the texture ID of egui when only the size changes
        let mut renderer = state.renderer.write();
        let id = match &self.target {
            Some(target) => {
                renderer.update_egui_texture_from_wgpu_texture(
                    &state.device,
                    &view,
                    wgpu::FilterMode::Linear,
                    target.id,
                );
                target.id
            }
            None => renderer.register_native_texture(&state.device, &view, wgpu::FilterMode::Linear),
        };
        self.target = Some(RenderTexture { texture, view, size, id });
    }
}
