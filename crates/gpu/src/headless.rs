//! Rendering without a window: for tests, benchmarks and stills.

use std::task::{Context, Poll, Waker};

use undine_frame::Frame;
use undine_render::Picture;
use wgpu::{Device, Queue, Texture, TextureFormat};

use crate::{RenderError, RenderSettings, Renderer};

/// Format of the render targets: linear, so that the shaders apply the sRGB transfer function themselves.
const FORMAT: TextureFormat = TextureFormat::Rgba8Unorm;

/// Why a picture could not be rendered.
#[derive(Debug, thiserror::Error)]
pub enum HeadlessError {
    /// There is no usable adapter.
    #[error(
        "there is no usable graphics adapter: {0}; install a Vulkan driver (on Debian, the package \
         mesa-vulkan-drivers has one that needs no graphics card)"
    )]
    NoAdapter(String),
    /// The limits of the adapter are too low.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// The device was lost, or the size exceeds its limits.
    #[error("the graphics device gave no picture: {0}")]
    NoPicture(String),
}

/// A device, its queue and a renderer.
pub struct Headless {
    /// Name of the adapter.
    pub adapter: String,
    device: Device,
    queue: Queue,
    renderer: Renderer,
}

impl Headless {
    /// Opens the best adapter, hardware before software.
    pub fn new() -> Result<Headless, HeadlessError> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
        let adapter = best(&instance)?;
        let (device, queue) = finished(adapter.request_device(&wgpu::DeviceDescriptor {
            label: Some("headless"),
            required_limits: adapter.limits(),
            ..Default::default()
        }))
        .ok_or_else(|| HeadlessError::NoAdapter(String::from("it does not respond")))?
        .map_err(|error| HeadlessError::NoAdapter(error.to_string()))?;
        let renderer = Renderer::new(&device, &queue, FORMAT)?;
        Ok(Headless { adapter: adapter.get_info().name, device, queue, renderer })
    }

    /// The device, its queue and the renderer, for callers that submit their own command buffers.
    pub fn parts(&mut self) -> (&Device, &Queue, &mut Renderer) {
        (&self.device, &self.queue, &mut self.renderer)
    }

    /// A texture that can be rendered to and copied from.
    pub fn target_texture(&self, size: [u32; 2]) -> Texture {
        self.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("render target"),
            size: extent(size),
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: FORMAT,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        })
    }

    /// Waits until all submitted work is done.
    pub fn wait(&self) -> Result<(), HeadlessError> {
        let done = self.device.poll(wgpu::PollType::wait_indefinitely());
        done.map(|_| ()).map_err(|error| HeadlessError::NoPicture(error.to_string()))
    }

    /// Waits until a submission is done.
    pub fn wait_for(&self, submission: wgpu::SubmissionIndex) -> Result<(), HeadlessError> {
        let until = wgpu::PollType::Wait { submission_index: Some(submission), timeout: None };
        self.device.poll(until).map(|_| ()).map_err(|error| HeadlessError::NoPicture(error.to_string()))
    }

    /// Renders a picture and reads it back. A size of zero gives an empty picture.
    pub fn draw(
        &mut self,
        frame: &Frame,
        settings: &RenderSettings,
        size: [u32; 2],
    ) -> Result<Picture, HeadlessError> {
        if size.contains(&0) {
            return Ok(Picture { width: size[0], height: size[1], rgb: Vec::new() });
        }
        let longest = self.device.limits().max_texture_dimension_2d;
        if size[0].max(size[1]) > longest {
            let reason = format!("{} × {} pixels exceed its limit of {longest}", size[0], size[1]);
            return Err(HeadlessError::NoPicture(reason));
        }
        let target = self.target_texture(size);
        let view = target.create_view(&wgpu::TextureViewDescriptor::default());
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        self.renderer.upload(&self.device, &self.queue, frame);
        self.renderer.render(&self.device, &self.queue, &mut encoder, &view, size, settings);
        self.read(encoder, &target, size)
    }

    fn read(
        &self,
        mut encoder: wgpu::CommandEncoder,
        target: &Texture,
        [width, height]: [u32; 2],
    ) -> Result<Picture, HeadlessError> {
        // Copy the texture into a buffer whose rows are aligned
        let row = (4 * width).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("picture"),
            size: u64::from(row) * u64::from(height),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let layout =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row), rows_per_image: Some(height) };
        encoder.copy_texture_to_buffer(
            target.as_image_copy(),
            wgpu::TexelCopyBufferInfo { buffer: &buffer, layout },
            extent([width, height]),
        );
        self.queue.submit([encoder.finish()]);

        // Map it, and drop the padding and alpha
        let (sender, receiver) = std::sync::mpsc::channel();
        buffer.map_async(wgpu::MapMode::Read, .., move |answer| {
            // The receiver is gone if the wait below failed
            let _ = sender.send(answer);
        });
        self.wait()?;
        let failed = |reason: &str| HeadlessError::NoPicture(reason.to_owned());
        let answer = receiver.recv().map_err(|_| failed("the buffer was not mapped"))?;
        answer.map_err(|error| failed(&error.to_string()))?;
        let bytes = buffer.get_mapped_range(..).map_err(|error| failed(&error.to_string()))?;
        let mut rgb = Vec::with_capacity(3 * width as usize * height as usize);
        for row in bytes.chunks_exact(row as usize) {
            for pixel in row[..4 * width as usize].chunks_exact(4) {
                rgb.extend_from_slice(&pixel[..3]);
            }
        }
        Ok(Picture { width, height, rgb })
    }
}

fn best(instance: &wgpu::Instance) -> Result<wgpu::Adapter, HeadlessError> {
    let rank = |adapter: &wgpu::Adapter| match adapter.get_info().device_type {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Cpu => 3,
        wgpu::DeviceType::Other => 4,
    };
    // OpenGL is tried last: some of its drivers print warnings when there is no display
    let found =
        |backends: wgpu::Backends| finished(instance.enumerate_adapters(backends)).unwrap_or_default();
    let mut adapters = found(wgpu::Backends::PRIMARY);
    if adapters.is_empty() {
        adapters = found(wgpu::Backends::SECONDARY);
    }
    let none = || HeadlessError::NoAdapter(String::from("no driver has one"));
    adapters.into_iter().min_by_key(rank).ok_or_else(none)
}

// Outside a browser the futures of wgpu are ready at once.
fn finished<T>(answer: impl Future<Output = T>) -> Option<T> {
    let mut answer = std::pin::pin!(answer);
    match answer.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => Some(answer),
        Poll::Pending => None,
    }
}

fn extent([width, height]: [u32; 2]) -> wgpu::Extent3d {
    wgpu::Extent3d { width, height, depth_or_array_layers: 1 }
}
