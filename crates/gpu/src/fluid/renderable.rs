//! Which texture formats a device can render to.

use std::task::{Context, Poll, Waker};

use wgpu::{Device, TextureFormat, TextureUsages};

/// Whether a device can render to an optional format, by a validation error scope. WebGL2 devices report the error at
/// once; a scope that is still pending counts as success.
pub fn is_renderable(device: &Device, format: TextureFormat) -> bool {
    let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
    let texture = device.create_texture(&wgpu::TextureDescriptor {
        label: Some("format probe"),
        size: wgpu::Extent3d { width: 4, height: 4, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: TextureUsages::RENDER_ATTACHMENT | TextureUsages::TEXTURE_BINDING,
        view_formats: &[],
    });
    let mut result = std::pin::pin!(scope.pop());
    let error = result.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    drop(texture);
    !matches!(error, Poll::Ready(Some(_)))
}
