// The world: eye, light, air and water of a picture; group 0 of everything that is drawn in space.

// What a pipeline does is chosen when it is made: some devices run through every branch, taken or not.

// Whether shaders encode for the screen, because the format does not.
override ENCODES: bool = true;
// Whether light is stored as half floats, or squeezed into bytes.
override HALVES: bool = true;

struct World {
    // Where the eye is; seconds, wrapped.
    eye: vec4<f32>,
    // Right, up and ahead of the eye; half the width and height of the view at distance one; the near plane.
    right: vec4<f32>,
    up: vec4<f32>,
    ahead: vec4<f32>,
    // Towards the sun; the share of its light that still water lets in.
    sun: vec4<f32>,
    // Light of the sun on what faces it; haze per metre.
    sunlight: vec4<f32>,
    // Light of the sky on a level surface; what light is multiplied with before the film.
    skylight: vec4<f32>,
    // Light of distant ground, or of the floor of a studio; nothing.
    ground: vec4<f32>,
    // Light of endlessly deep water; height of the crests above the level.
    deep: vec4<f32>,
    // Loss of light in water per metre; level of water at rest.
    extinction: vec4<f32>,
    // Width and height of the picture, and one over each.
    size: vec4<f32>,
    // Sunlight in water: its direction; nothing.
    sun_below: vec4<f32>,
    // Ripples: mean slope; metres of the two tiles; seconds.
    ripples: vec4<f32>,
    // Which way they run, and how far each tile has moved.
    drift: vec4<f32>,
    // Effects as 0 or 1: refraction, caustics, wetness, foam.
    effects: vec4<f32>,
    // Effects as 0 or 1: bumps, glitter; whether there is a studio in place of the sky.
    looks: vec4<f32>,
    // Of the classic formulae: colour under water and S_sky; highlight and S_underwater; S_specular, S_ambient.
    shine_below: vec4<f32>,
    shine_high: vec4<f32>,
    shine_rest: vec4<f32>,
    // Nothing; nothing; depth of open water; angle of a pixel.
    scales: vec4<f32>,
    // Colour of solid bodies; whether the eye is under water.
    solid: vec4<f32>,
    // A floor below a block or a tank: its height, and how tall and wide what stands on it is.
    floor: vec4<f32>,
    // Lower and upper corner of what stands on it.
    stands: vec4<f32>,
    // The colour of the haze towards the sun and away from it.
    haze_towards: vec4<f32>,
    haze_away: vec4<f32>,
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

// Where a point falls in the picture. Depth is near / distance: one at the near plane, zero at infinity.
fn projected(point: vec3<f32>) -> vec4<f32> {
    let offset = point - world.eye.xyz;
    let ahead = dot(offset, world.ahead.xyz);
    return vec4<f32>(dot(offset, world.right.xyz) / world.right.w, dot(offset, world.up.xyz) / world.up.w, world.ahead.w, ahead);
}

// The direction, not of unit length, through a pixel counted from the upper left corner.
fn through(pixel: vec2<f32>) -> vec3<f32> {
    let plane = pixel * world.size.zw * 2.0 - 1.0;
    return world.ahead.xyz + world.right.xyz * (plane.x * world.right.w) - world.up.xyz * (plane.y * world.up.w);
}

// Where a point is seen, as texture coordinates of the picture.
fn place_of(point: vec3<f32>) -> vec2<f32> {
    let clip = projected(point);
    return vec2<f32>(0.5 + 0.5 * clip.x / max(clip.w, 1e-6), 0.5 - 0.5 * clip.y / max(clip.w, 1e-6));
}

// The film of the software preview [narkowicz2016].
fn film(light: vec3<f32>) -> vec3<f32> {
    let x = max(light, vec3<f32>(0.0));
    return clamp((x * (2.51 * x + 0.03)) / (x * (2.43 * x + 0.59) + 0.14), vec3<f32>(0.0), vec3<f32>(1.0));
}

// The curve of [iec1999]. Its power of 1/2.4 is fitted by two roots, which devices find sooner: it is off by 0.1 of 255 at most.
fn encoded(linear: vec3<f32>) -> vec3<f32> {
    let low = linear * 12.92;
    let root = sqrt(max(linear, vec3<f32>(0.0)));
    let high = 0.833755 * root + 0.298107 * sqrt(root) - 0.055318 * linear - 0.076904;
    return select(high, low, linear <= vec3<f32>(0.0031308));
}

// A colour of the screen, 0 to 1 and linear, as the target wants it.
fn on_screen(linear: vec3<f32>) -> vec4<f32> {
    if ENCODES {
        return vec4<f32>(encoded(linear), 1.0);
    }
    return vec4<f32>(linear, 1.0);
}

// Light as the film shows it, ready for the target.
fn developed(light: vec3<f32>) -> vec4<f32> {
    return on_screen(film(light * world.skylight.w));
}

// Light and the distance it comes from, as the opaque picture stores them: as they are, or squeezed into bytes.
fn stored(light: vec3<f32>, distance: f32) -> vec4<f32> {
    if HALVES {
        return vec4<f32>(min(light, vec3<f32>(6e4)), min(distance, 6e4));
    }
    let root = sqrt(max(light, vec3<f32>(0.0)) * 0.05);
    return vec4<f32>(root / (1.0 + root), 1.0 / (1.0 + 0.05 * distance));
}

// What is opaque is drawn twice at once: as light with its distance, for what is drawn over it, and as the film shows it.
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

// The sky without the sun's disc, blurred over about `spread` radians; below the horizon, the horizon.
fn sky_towards(direction: vec3<f32>, spread: f32) -> vec3<f32> {
    var at = direction.xy / max(1.0 + direction.z, 0.05);
    let squared = dot(at, at);
    at = at * min(1.0, 1.06 * inverseSqrt(max(squared, 1e-9)));
    // A texel of the finest level spans 4 × 1.12 / (512 (1 + r²)) radians.
    let lod = log2(max(spread * 114.0 * (1.0 + min(squared, 1.1)), 1.0));
    return textureSampleLevel(dome, clamped, at * (0.5 / 1.12) + 0.5, lod).rgb;
}

// What dark cards leave of the light from a direction: in a studio they stand beside the picture, so that clear things
// show their edges by them.
fn carded(direction: vec3<f32>) -> f32 {
    let level = direction.xy * inverseSqrt(max(dot(direction.xy, direction.xy), 1e-9));
    let heading = world.ahead.xy * inverseSqrt(max(dot(world.ahead.xy, world.ahead.xy), 1e-9));
    let share = smoothstep(0.82, 0.35, dot(level, heading)) * (1.0 - smoothstep(0.55, 0.85, abs(direction.z)));
    return 1.0 - 0.62 * share * world.looks.z;
}

// How bright the inside of a cloudy liquid is below a surface with this normal: light that comes in on one side comes out
// on others too.
fn inner_shade(normal: vec3<f32>) -> f32 {
    let wrapped = max(0.4 + 0.6 * dot(normal, world.sun.xyz), 0.0);
    return 0.45 * (0.65 + 0.35 * normal.z) + 0.65 * wrapped;
}

// How long the way of light through a liquid is that is so thick along the view: in a tank some of it is thrown to and fro
// between the sides before it comes out.
fn wandered(thickness: f32) -> f32 {
    let wide = max(world.floor.z, 1e-3);
    return thickness * 1.4 + 0.22 * world.floor.z * (1.0 - exp(-thickness / (0.04 * wide)));
}

// The exact share of unpolarised light that a smooth boundary sends back.
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

// Light after a way through the air.
fn hazed(light: vec3<f32>, direction: vec3<f32>, distance: f32) -> vec3<f32> {
    let clear = exp(-world.sunlight.w * distance);
    let level = direction.xy * inverseSqrt(max(dot(direction.xy, direction.xy), 1e-9));
    let towards = 0.5 + 0.5 * dot(level, normalize(world.sun.xy + vec2<f32>(1e-6)));
    let horizon = mix(world.haze_away.rgb, world.haze_towards.rgb, towards * towards);
    return mix(horizon, light, clear);
}

// Light on a matt surface from sun and sky, without shadows. `sun` multiplies the sun.
fn daylight(normal: vec3<f32>, sun: f32) -> vec3<f32> {
    let open = 0.5 + 0.5 * normal.z;
    return world.sunlight.rgb * (max(dot(normal, world.sun.xyz), 0.0) * sun)
        + world.skylight.rgb * open + world.ground.rgb * (3.0 * (1.0 - open));
}
