// Group 0 of everything in space: camera, light, air and water of a picture.

// Features are selected by constants at pipeline creation: some devices execute both sides of every branch.

// Whether shaders apply the sRGB transfer function, because the format of the target does not.
override ENCODES: bool = true;
// Whether radiance is stored as half floats, or compressed into bytes.
override HALVES: bool = true;

struct World {
    // Position of the camera; time in seconds, modulo an hour.
    eye: vec4<f32>,
    // Right, up and forward vectors of the camera; half width and half height of the image plane at distance 1; near
    // plane.
    right: vec4<f32>,
    up: vec4<f32>,
    ahead: vec4<f32>,
    // Direction to the sun; its transmittance into still water.
    sun: vec4<f32>,
    // Irradiance of the sun at normal incidence; extinction of the air per metre.
    sunlight: vec4<f32>,
    // Irradiance of the sky on a horizontal surface; exposure before tone mapping.
    skylight: vec4<f32>,
    // Radiance of distant ground, or of the studio floor; unused.
    ground: vec4<f32>,
    // Radiance of infinitely deep water; height of the crests above the mean level.
    deep: vec4<f32>,
    // Extinction of water per metre; mean level.
    extinction: vec4<f32>,
    // Width and height of the picture in pixels, and their reciprocals.
    size: vec4<f32>,
    // Direction of the refracted sun in water; unused.
    sun_below: vec4<f32>,
    // Ripples: mean slope; sizes of the two tiles in metres; time in seconds.
    ripples: vec4<f32>,
    // Direction in which ripples move, and the offsets of the two tiles.
    drift: vec4<f32>,
    // Effects as 0 or 1: refraction, caustics, wetness, foam.
    effects: vec4<f32>,
    // Effects as 0 or 1: bumps, glitter, studio in place of the sky; unused.
    more_effects: vec4<f32>,
    // Classic shading: underwater colour and S_sky; highlight and S_underwater; S_specular, S_ambient and exposure.
    shine_below: vec4<f32>,
    shine_high: vec4<f32>,
    shine_rest: vec4<f32>,
    // Unused; unused; depth of open water; angle of a pixel in radians.
    scales: vec4<f32>,
    // Albedo of solid bodies; whether the camera is under water.
    solid: vec4<f32>,
    // The floor below a block or a tank: its height, and the height and width of the block; unused.
    floor: vec4<f32>,
    // Horizontal bounds of the block: low x, low y, high x, high y.
    stands: vec4<f32>,
    // Radiance of the horizon towards the sun and away from it.
    haze_towards: vec4<f32>,
    haze_away: vec4<f32>,
    // Ripples on running water: mean slope; size of their tiles in metres; depth from which on they have it; unused.
    flow: vec4<f32>,
    // Speeds at which they begin and have their full slope; unused.
    flow_speeds: vec4<f32>,
    // Their two tiles: shift in sides of the tile; age in seconds; weight.
    flow_one: vec4<f32>,
    flow_two: vec4<f32>,
}

@group(0) @binding(0) var<uniform> world: World;
@group(0) @binding(1) var clamped: sampler;
@group(0) @binding(2) var repeated: sampler;
@group(0) @binding(3) var dome: texture_2d<f32>;
@group(0) @binding(4) var bump_tile: texture_2d<f32>;
@group(0) @binding(5) var noise_tile: texture_2d<f32>;
@group(0) @binding(6) var cube: texture_cube<f32>;

const PI: f32 = 3.14159265;
const WATER_INDEX: f32 = 1.333;

// Clip-space position of a point. Reversed depth near / distance: 1 at the near plane, 0 at infinity.
fn projected(point: vec3<f32>) -> vec4<f32> {
    let offset = point - world.eye.xyz;
    let ahead = dot(offset, world.ahead.xyz);
    return vec4<f32>(dot(offset, world.right.xyz) / world.right.w, dot(offset, world.up.xyz) / world.up.w, world.ahead.w, ahead);
}

// View ray, not normalised, through a pixel position measured from the upper left corner.
fn through(pixel: vec2<f32>) -> vec3<f32> {
    let plane = pixel * world.size.zw * 2.0 - 1.0;
    return world.ahead.xyz + world.right.xyz * (plane.x * world.right.w) - world.up.xyz * (plane.y * world.up.w);
}

// Texture coordinates of a projected point.
fn place_of(point: vec3<f32>) -> vec2<f32> {
    let clip = projected(point);
    return vec2<f32>(0.5 + 0.5 * clip.x / max(clip.w, 1e-6), 0.5 - 0.5 * clip.y / max(clip.w, 1e-6));
}

// Filmic tone curve, as in the software preview [narkowicz2016].
fn film(light: vec3<f32>) -> vec3<f32> {
    let x = max(light, vec3<f32>(0.0));
    return clamp((x * (2.51 * x + 0.03)) / (x * (2.43 * x + 0.59) + 0.14), vec3<f32>(0.0), vec3<f32>(1.0));
}

// sRGB transfer function [iec1999]; the power 1/2.4 is fitted by two square roots, with an error below 0.1 / 255.
fn encoded(linear: vec3<f32>) -> vec3<f32> {
    let low = linear * 12.92;
    let root = sqrt(max(linear, vec3<f32>(0.0)));
    let high = 0.833755 * root + 0.298107 * sqrt(root) - 0.055318 * linear - 0.076904;
    return select(high, low, linear <= vec3<f32>(0.0031308));
}

// A linear colour in the encoding of the render target.
fn on_screen(linear: vec3<f32>) -> vec4<f32> {
    if ENCODES {
        return vec4<f32>(encoded(linear), 1.0);
    }
    return vec4<f32>(linear, 1.0);
}

// Radiance, tone mapped and encoded for the target.
fn developed(light: vec3<f32>) -> vec4<f32> {
    return on_screen(film(light * world.skylight.w));
}

// Radiance and distance in the format of the opaque pass: as they are, or compressed into bytes.
fn stored(light: vec3<f32>, distance: f32) -> vec4<f32> {
    if HALVES {
        return vec4<f32>(min(light, vec3<f32>(6e4)), min(distance, 6e4));
    }
    let root = sqrt(max(light, vec3<f32>(0.0)) * 0.05);
    return vec4<f32>(root / (1.0 + root), 1.0 / (1.0 + 0.05 * distance));
}

// The two attachments of the opaque pass: radiance with distance, for what is drawn over it, and the final picture.
struct Opaque {
    @location(0) light: vec4<f32>,
    @location(1) picture: vec4<f32>,
}

fn opaque(light: vec3<f32>, distance: f32) -> Opaque {
    return Opaque(stored(light, distance), developed(light));
}

fn restored(texel: vec4<f32>) -> vec4<f32> {
    if HALVES {
        return texel;
    }
    let root = texel.rgb / max(1.0 - texel.rgb, vec3<f32>(1e-3));
    return vec4<f32>(root * root * 20.0, (1.0 / max(texel.a, 1e-3) - 1.0) * 20.0);
}

// Radiance of the sky without the sun's disc, blurred over about `spread` radians; below the horizon, that of the
// horizon.
fn sky_towards(direction: vec3<f32>, spread: f32) -> vec3<f32> {
    var at = direction.xy / max(1.0 + direction.z, 0.05);
    let squared = dot(at, at);
    at = at * min(1.0, 1.06 * inverseSqrt(max(squared, 1e-9)));
    // A texel of level 0 spans 4 × 1.12 / (512 (1 + r²)) radians
    let lod = log2(max(spread * 114.0 * (1.0 + min(squared, 1.1)), 1.0));
    return textureSampleLevel(dome, clamped, at * (0.5 / 1.12) + 0.5, lod).rgb;
}

// Transmittance of the dark cards of a studio for a direction: they stand beside the view, so that transparent objects
// have dark edges.
fn carded(direction: vec3<f32>) -> f32 {
    let level = direction.xy * inverseSqrt(max(dot(direction.xy, direction.xy), 1e-9));
    let heading = world.ahead.xy * inverseSqrt(max(dot(world.ahead.xy, world.ahead.xy), 1e-9));
    let share = smoothstep(0.82, 0.35, dot(level, heading)) * (1.0 - smoothstep(0.55, 0.85, abs(direction.z)));
    return 1.0 - 0.62 * share * world.more_effects.z;
}

// Relative brightness of the scattering in a liquid below a surface with this normal: wrapped diffuse lighting, because
// light also leaves on the sides that it does not enter.
fn inner_shade(normal: vec3<f32>) -> f32 {
    let wrapped = max(0.4 + 0.6 * dot(normal, world.sun.xyz), 0.0);
    return 0.45 * (0.65 + 0.35 * normal.z) + 0.65 * wrapped;
}

// Effective path length of light through a liquid of this thickness along the view: longer in a tank, by multiple
// internal reflections.
fn wandered(thickness: f32) -> f32 {
    let wide = max(world.floor.z, 1e-3);
    return thickness * 1.4 + 0.22 * world.floor.z * (1.0 - exp(-thickness / (0.04 * wide)));
}

// Fresnel reflectance of unpolarised light at a smooth boundary, exact.
fn fresnel(cosine: f32, index: f32) -> f32 {
    let c = clamp(cosine, 0.0, 1.0);
    let squared = 1.0 - (1.0 - c * c) / (index * index);
    if squared <= 0.0 {
        return 1.0;
    }
    let inside = index * sqrt(squared);
    let across = (c - inside) / (c + inside);
    let outside = index * index * c;
    let along = (outside - inside) / (outside + inside);
    return 0.5 * (across * across + along * along);
}

// Radiance after extinction and in-scattering by the air.
fn hazed(light: vec3<f32>, direction: vec3<f32>, distance: f32) -> vec3<f32> {
    let clear = exp(-world.sunlight.w * distance);
    let level = direction.xy * inverseSqrt(max(dot(direction.xy, direction.xy), 1e-9));
    let towards = 0.5 + 0.5 * dot(level, normalize(world.sun.xy + vec2<f32>(1e-6)));
    let horizon = mix(world.haze_away.rgb, world.haze_towards.rgb, towards * towards);
    return mix(horizon, light, clear);
}

// Irradiance of a diffuse surface by sun and sky, without shadows. `sun` is a factor on the sun.
fn daylight(normal: vec3<f32>, sun: f32) -> vec3<f32> {
    let open = 0.5 + 0.5 * normal.z;
    return world.sunlight.rgb * (max(dot(normal, world.sun.xyz), 0.0) * sun)
        + world.skylight.rgb * open + world.ground.rgb * (3.0 * (1.0 - open));
}
