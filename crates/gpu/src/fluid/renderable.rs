//! What a device can draw into.

use std::task::{Context, Poll, Waker};

use wgpu::{Device, TextureFormat, TextureUsages};

/// Whether a device can draw into textures of a format that not all have. Those of the WebGL2 class answer at once;
/// those that do not, can.
pub fn is_renderable(device: &Device, format: TextureFormat) -> bool {
    let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
    let texture = device.create_texture(&wgpu::TextureDescriptor {
        label: Some("can this be drawn"),
        size: wgpu::Extent3d { width: 4, height: 4, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: TextureUsages::RENDER_ATTACHMENT | TextureUsages::TEXTURE_BINDING,
        view_formats: &[],
    });
    let mut answer = std::pin::pin!(scope.pop());
    let refused = answer.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    drop(texture);
    !matches!(refused, Poll::Ready(Some(_)))
}
