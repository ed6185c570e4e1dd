// Marks on a page: strokes, dots and filled triangles. Joined to page.wgsl.

struct Marks {
    // Factor on the colours of strokes and triangles.
    tint: vec4<f32>,
    // Radius of dots in metres.
    radius: f32,
}

@group(1) @binding(0) var<uniform> marks: Marks;

struct StrokeInstance {
    @location(0) ends: vec4<f32>,
    @location(1) halves: vec2<f32>,
    @location(2) colour: vec4<f32>,
}

struct StrokeFragment {
    @builtin(position) position: vec4<f32>,
    // Pixels along the stroke from its start, and across it.
    @location(0) at: vec2<f32>,
    // Length, and half widths at both ends, in pixels.
    @location(1) shape: vec3<f32>,
    @location(2) colour: vec4<f32>,
}

@vertex
fn stroke_vertex(@builtin(vertex_index) index: u32, in: StrokeInstance) -> StrokeFragment {
    let way = (in.ends.zw - in.ends.xy) * page.density;
    let long = length(way);
    let ahead = select(vec2<f32>(1.0, 0.0), way / max(long, 1e-6), long > 1e-6);
    let wide = max(in.halves.x, in.halves.y) + 1.0;
    let corner = vec2<f32>(f32(index & 1u), f32(index >> 1u));
    let at = vec2<f32>(mix(-wide, long + wide, corner.x), mix(-wide, wide, corner.y));
    let offset = ahead * at.x + vec2<f32>(-ahead.y, ahead.x) * at.y;
    var out: StrokeFragment;
    out.position = on_page(in.ends.xy + offset / page.density);
    out.at = at;
    out.shape = vec3<f32>(long, in.halves);
    out.colour = in.colour * marks.tint;
    return out;
}

@fragment
fn stroke_fragment(in: StrokeFragment) -> @location(0) vec4<f32> {
    let share = clamp(in.at.x / max(in.shape.x, 1e-6), 0.0, 1.0);
    let half = mix(in.shape.y, in.shape.z, share);
    let away = length(in.at - vec2<f32>(share * in.shape.x, 0.0));
    // A stroke thinner than a pixel is faded instead
    let cover = clamp(max(half, 0.5) + 0.5 - away, 0.0, 1.0) * min(2.0 * half, 1.0);
    return vec4<f32>(in.colour.rgb, in.colour.a * cover);
}

struct DotInstance {
    @location(0) place: vec2<f32>,
    // Square root of the linear colour.
    @location(1) colour: vec4<f32>,
}

struct DotFragment {
    @builtin(position) position: vec4<f32>,
    @location(0) at: vec2<f32>,
    @location(1) colour: vec3<f32>,
}

fn dot_radius() -> f32 {
    return marks.radius * page.density;
}

@vertex
fn dot_vertex(@builtin(vertex_index) index: u32, in: DotInstance) -> DotFragment {
    // A triangle around the disc has fewer vertices than a quad
    let corner = vec2<f32>((f32(index) - 1.0) * 1.7320508, select(-1.0, 2.0, index == 1u));
    let at = corner * (max(dot_radius(), 0.5) + 0.75);
    var out: DotFragment;
    out.position = on_page(in.place + at / page.density);
    out.at = at;
    out.colour = in.colour.rgb * in.colour.rgb;
    return out;
}

@fragment
fn dot_fragment(in: DotFragment) -> @location(0) vec4<f32> {
    let radius = dot_radius();
    // A dot smaller than a pixel is faded instead
    let strength = min(1.0, 4.0 * radius * radius);
    let cover = clamp(max(radius, 0.5) + 0.5 - length(in.at), 0.0, 1.0) * strength;
    return vec4<f32>(in.colour, cover);
}

struct FillVertex {
    @location(0) place: vec2<f32>,
    @location(1) colour: vec4<f32>,
}

struct FillFragment {
    @builtin(position) position: vec4<f32>,
    @location(0) colour: vec4<f32>,
}

@vertex
fn fill_vertex(in: FillVertex) -> FillFragment {
    return FillFragment(on_page(in.place), in.colour * marks.tint);
}

@fragment
fn fill_fragment(in: FillFragment) -> @location(0) vec4<f32> {
    return in.colour;
}
