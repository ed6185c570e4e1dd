// The opaque part of the picture, for what is drawn over it.

@group(1) @binding(0) var behind: texture_2d<f32>;

// Light and distance of the opaque picture at a place of it.
fn behind_at(place: vec2<f32>) -> vec4<f32> {
    return restored(textureSampleLevel(behind, clamped, place, 0.0));
}
