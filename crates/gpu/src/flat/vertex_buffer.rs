//! Vertex and instance buffers that change with every frame.

use bytemuck::NoUninit;
use wgpu::{Buffer, BufferDescriptor, BufferUsages, Device, Queue};

/// A vertex buffer that is reused, and reallocated only when it is too small.
#[derive(Debug, Default)]
pub struct VertexBuffer {
    buffer: Option<Buffer>,
    count: u32,
}

impl VertexBuffer {
    /// Replaces the contents. Items beyond the largest buffer size are dropped.
    pub fn set<T: NoUninit>(&mut self, device: &Device, queue: &Queue, items: &[T]) {
        let capacity = device.limits().max_buffer_size / size_of::<T>().max(1) as u64;
        let count = items.len().min(usize::try_from(capacity).unwrap_or(usize::MAX)).min(u32::MAX as usize);
        self.count = count as u32;
        let bytes: &[u8] = bytemuck::cast_slice(&items[..count]);
        if bytes.is_empty() {
            return;
        }
        let fits = |buffer: &&Buffer| buffer.size() >= bytes.len() as u64;
        let buffer = match self.buffer.as_ref().filter(fits) {
            Some(buffer) => buffer,
            None => self.buffer.insert(device.create_buffer(&BufferDescriptor {
                label: Some("vertices"),
                size: (bytes.len() as u64).next_multiple_of(4),
                usage: BufferUsages::VERTEX | BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })),
        };
        queue.write_buffer(buffer, 0, bytes);
    }

    /// The buffer and its number of items, if it has any.
    pub fn contents(&self) -> Option<(&Buffer, u32)> {
        self.buffer.as_ref().filter(|_| self.count > 0).map(|buffer| (buffer, self.count))
    }
}
