// Copies a page texture to the render target.

@group(0) @binding(0) var page_texture: texture_2d<f32>;

@vertex
fn fullscreen_vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    return vec4<f32>(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}

@fragment
fn linear_fragment(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    return vec4<f32>(textureLoad(page_texture, vec2<i32>(at.xy), 0).rgb, 1.0);
}

// For targets without sRGB encoding.
@fragment
fn srgb_fragment(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
    let linear = textureLoad(page_texture, vec2<i32>(at.xy), 0).rgb;
    let steep = 1.055 * pow(linear, vec3<f32>(1.0 / 2.4)) - 0.055;
    return vec4<f32>(select(steep, 12.92 * linear, linear <= vec3<f32>(0.0031308)), 1.0);
}
