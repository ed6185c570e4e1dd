// The viewport of a page on the plane.

struct Page {
    // Centre of the picture, and half its width and height, in metres.
    centre: vec2<f32>,
    half: vec2<f32>,
    // Width and height in pixels; pixels per metre.
    size: vec2<f32>,
    density: f32,
    unused: f32,
}

@group(0) @binding(0) var<uniform> page: Page;

fn on_page(place: vec2<f32>) -> vec4<f32> {
    return vec4<f32>((place - page.centre) / page.half, 0.0, 1.0);
}
