// The texture of the opaque pass, for what is drawn over it.

@group(1) @binding(0) var behind: texture_2d<f32>;

// Radiance and distance of the opaque pass at texture coordinates, from the nearest pixel.
fn behind_at(place: vec2<f32>) -> vec4<f32> {
    let pixel = clamp(place * world.size.xy, vec2<f32>(0.0), world.size.xy - 1.0);
    return restored(textureLoad(behind, vec2<i32>(pixel), 0));
}
