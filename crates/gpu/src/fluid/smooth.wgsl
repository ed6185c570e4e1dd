// Smoothing of the depth map of spheres into one surface, and its normals. Joined to world.wgsl.
//
// The narrow-range filter of [truong2018]: neighbours that are much nearer belong to another part of the liquid and are
// ignored, those that are much farther are clamped to just behind. Here pairs of opposite neighbours are judged by
// their mean, which on a slope equals the depth of the centre. Instead of separable rows and columns, rounds of 5 × 5
// taps with growing spacing leave no streaks along the axes.

struct Screen {
    // Width and height in pixels; radius of all rounds together in metres; tap spacing of this round.
    size: vec2<f32>,
    reach: f32,
    apart: f32,
    // Depth range in metres that belongs to the surface; distance behind it to which farther depths are clamped.
    range: f32,
    behind: f32,
}

@group(1) @binding(0) var<uniform> screen: Screen;
@group(1) @binding(1) var ahead_map: texture_2d<f32>;
@group(1) @binding(2) var thickness_map: texture_2d<f32>;

@vertex
fn screen_vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    return vec4<f32>(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}

fn ahead_at(at: vec2<i32>) -> f32 {
    let last = vec2<i32>(screen.size) - 1;
    return textureLoad(ahead_map, clamp(at, vec2<i32>(0), last), 0).r;
}

// Size of a pixel in metres at some depth.
fn pixel_at(ahead: f32) -> f32 {
    return 2.0 * world.up.w * ahead / screen.size.y;
}

@fragment
fn smooth_fragment(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {
    let at = vec2<i32>(position.xy);
    let middle = ahead_at(at);
    if middle <= 0.0 {
        return vec4<f32>(0.0);
    }
    let pixel = pixel_at(middle);
    // Taps with spacings 1, 2 and 4 reach 2 + 4 + 8 pixels
    let unit = clamp(screen.reach / (14.0 * pixel), 0.0, 6.0) * screen.apart;
    if unit < 0.5 {
        return vec4<f32>(middle);
    }
    var sum = middle;
    var total = 1.0;
    for (var look = 13; look < 25; look += 1) {
        let cell = vec2<f32>(f32(look % 5 - 2), f32(look / 5 - 2));
        let offset = round(cell * unit);
        let pair = vec2<f32>(ahead_at(at + vec2<i32>(offset)), ahead_at(at - vec2<i32>(offset)));
        let mean = 0.5 * (pair.x + pair.y);
        // A pair lies on one slope with the centre if its mean has the same depth; the steepness is limited
        let is_slope = abs(pair.x - pair.y) < screen.range + 12.0 * length(offset) * pixel;
        if min(pair.x, pair.y) <= 0.0 || middle - mean > screen.range {
            continue;
        }
        let weight = 2.0 * exp(-0.41 * dot(cell, cell));
        sum += weight * select(middle + screen.behind, mean, is_slope && mean - middle < screen.range);
        total += weight;
    }
    return vec4<f32>(sum / total);
}

// A point of the surface in camera space: right, up, forward.
fn point(at: vec2<i32>, ahead: f32) -> vec3<f32> {
    let plane = (vec2<f32>(at) + 0.5) / screen.size * 2.0 - 1.0;
    return vec3<f32>(plane.x * world.right.w, -plane.y * world.up.w, 1.0) * ahead;
}

// Difference to a neighbouring pixel: of both sides the one with the smaller depth jump, so that silhouettes stay
// sharp.
fn step_along(at: vec2<i32>, middle: f32, along: vec2<i32>) -> vec3<f32> {
    let here = point(at, middle);
    let after = ahead_at(at + along);
    let before = ahead_at(at - along);
    let jumps = vec2<f32>(select(1e9, abs(after - middle), after > 0.0), select(1e9, abs(before - middle), before > 0.0));
    // Without a neighbour on the surface it faces the camera
    if min(jumps.x, jumps.y) > screen.range {
        return point(at + along, middle) - here;
    }
    let forward = point(at + along, after) - here;
    let backward = here - point(at - along, before);
    // Central difference where both sides belong to the surface
    if abs(jumps.x - jumps.y) < screen.range && max(jumps.x, jumps.y) < 2.0 * screen.range {
        return 0.5 * (forward + backward);
    }
    return select(backward, forward, jumps.x < jumps.y);
}

fn is_edge(at: vec2<i32>, middle: f32) -> bool {
    let x = vec2<f32>(ahead_at(at + vec2<i32>(1, 0)), ahead_at(at - vec2<i32>(1, 0)));
    let y = vec2<f32>(ahead_at(at + vec2<i32>(0, 1)), ahead_at(at - vec2<i32>(0, 1)));
    let nearest = min(min(x.x, x.y), min(y.x, y.y));
    let farthest = max(max(x.x, x.y), max(y.x, y.y));
    return nearest <= 0.0 || farthest - nearest > 2.0 * screen.range;
}

fn mean_thickness(at: vec2<i32>) -> f32 {
    var sum = 0.0;
    let last = vec2<i32>(screen.size) - 1;
    for (var look = 0; look < 25; look += 1) {
        let offset = vec2<i32>(look % 5 - 2, look / 5 - 2) * 2;
        sum += textureLoad(thickness_map, clamp(at + offset, vec2<i32>(0), last), 0).r;
    }
    return sum / 25.0;
}

// Right and up components of the normal, depth of the surface, thickness of the liquid.
@fragment
fn shape_fragment(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {
    let at = vec2<i32>(position.xy);
    let middle = ahead_at(at);
    if middle <= 0.0 {
        return vec4<f32>(0.0);
    }
    let right = step_along(at, middle, vec2<i32>(1, 0));
    let down = step_along(at, middle, vec2<i32>(0, 1));
    let normal = normalize(cross(right, down));
    var outward = select(normal, -normal, normal.z > 0.0);
    // The normal at a silhouette is uncertain: tilt it towards the camera, against sparkling
    if is_edge(at, middle) {
        outward = normalize(outward - vec3<f32>(0.0, 0.0, 0.6));
    }
    return vec4<f32>(outward.xy, middle, mean_thickness(at));
}
