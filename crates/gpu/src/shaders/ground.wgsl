// Albedo of ground, and its shading: dry, wet and under water.

fn in_haze(light: vec3<f32>, direction: vec3<f32>, distance: f32) -> vec3<f32> {
    if HAZE {
        return hazed(light, direction, distance);
    }
    return light;
}

// The mip level whose texels are about this many texels of level 0 wide. Integer levels are cheaper than interpolated
// ones, without a visible difference.
fn level_of(texels: f32) -> f32 {
    return floor(log2(max(texels, 1.0)) + 0.5);
}

// Noise of mean ½ whose finest features are a few pixels wide at any distance.
fn mottle(at: vec2<f32>, footprint: f32) -> vec4<f32> {
    let finest = log2(clamp(footprint, 1e-4, 1e5) * 500.0);
    let first = floor(finest);
    let scale = exp2(-first);
    if !DRY {
        // Under water a dithered choice between the two octaves is smooth enough
        let chance = fract(52.9829 * fract(dot(at * scale * 500.0, vec2<f32>(0.0671, 0.0058))));
        let is_far = finest - first > chance;
        return textureSampleLevel(noise_tile, repeated, at * select(scale, 0.5 * scale, is_far) + select(0.0, 0.37, is_far), 0.0);
    }
    let near = textureSampleLevel(noise_tile, repeated, at * scale, 0.0);
    let far = textureSampleLevel(noise_tile, repeated, at * (0.5 * scale) + 0.37, 0.0);
    return mix(near, far, finest - first);
}

fn sand(grain: vec4<f32>) -> vec3<f32> {
    return mix(vec3<f32>(0.46, 0.375, 0.255), vec3<f32>(0.40, 0.345, 0.26), grain.y) * (0.74 + 0.30 * grain.x + 0.22 * grain.z);
}

fn grass(grain: vec4<f32>) -> vec3<f32> {
    let dry = smoothstep(0.28, 0.76, grain.x);
    return mix(vec3<f32>(0.046, 0.080, 0.020), vec3<f32>(0.115, 0.125, 0.046), dry) * (0.55 + 0.3 * grain.x + 0.6 * grain.z);
}

fn rock(grain: vec4<f32>, height: f32) -> vec3<f32> {
    let band = 0.5 + 0.5 * sin(height * 75.0 + 9.0 * grain.x);
    return mix(vec3<f32>(0.235, 0.215, 0.19), vec3<f32>(0.20, 0.195, 0.195), band) * (0.5 + 0.55 * grain.x + 0.35 * grain.y + 0.12 * band);
}

fn pebbles(grain: vec4<f32>) -> vec3<f32> {
    return mix(vec3<f32>(0.17, 0.155, 0.13), vec3<f32>(0.33, 0.29, 0.24), smoothstep(0.35, 0.65, grain.z)) * (0.7 + 0.6 * grain.x);
}

// Tiles of half a metre with pale joints, antialiased to at least a pixel.
fn tiles(at: vec2<f32>, footprint: f32) -> vec3<f32> {
    let local = at / 0.5;
    let inside = abs(fract(local) - 0.5);
    let softness = max(footprint / 0.5, 0.008);
    let edge = 0.5 - max(inside.x, inside.y);
    let joint = (1.0 - smoothstep(0.02, 0.02 + softness, edge)) * min(0.05 / max(softness, 0.05), 1.0);
    let cell = floor(local);
    let tone = fract(sin(dot(cell, vec2<f32>(12.9898, 78.233))) * 437.585) - 0.5;
    let tile = vec3<f32>(0.20, 0.45, 0.55) * (1.0 + 0.35 * tone * clamp(1.0 - footprint / 0.5, 0.0, 1.0));
    return mix(tile, vec3<f32>(0.66), joint);
}

// Albedo of a kind of ground. `height` is relative, 0 at its lowest and 1 at its highest point; `above` is the height
// over the waterline relative to the shore's height.
fn albedo_of(kind: i32, point: vec3<f32>, normal: vec3<f32>, footprint: f32, height: f32, above: f32) -> vec3<f32> {
    // Slanted projection, so that the pattern is not stretched on steep faces
    let at = point.xy + vec2<f32>(0.71, -0.53) * point.z;
    if kind == 7 {
        return tiles(point.xy, footprint);
    }
    let grain = mottle(at, footprint);
    if kind == 8 {
        return vec3<f32>(0.055, 0.05, 0.035) * (0.6 + 0.8 * grain.x);
    }
    if kind == 6 {
        return pebbles(grain);
    }
    if kind == 4 {
        return mix(vec3<f32>(0.165, 0.118, 0.078), vec3<f32>(0.23, 0.175, 0.125), grain.x) * (0.8 + 0.4 * grain.y);
    }
    if kind == 1 {
        return sand(grain);
    }
    if kind == 2 {
        return rock(grain, height);
    }
    var colour = vec3<f32>(0.0);
    if kind == 0 && !DRY {
        colour = sand(grain);
    } else if kind == 0 {
        colour = mix(sand(grain), grass(grain), smoothstep(0.16, 0.34, above + 0.25 * (grain.x - 0.5)));
    } else {
        colour = grass(grain);
    }
    let steep = smoothstep(0.84, 0.62, normal.z + 0.12 * (grain.y - 0.5));
    colour = mix(colour, rock(grain, height), steep);
    if kind == 5 {
        let snow = smoothstep(0.62, 0.72, height + 0.12 * (grain.x - 0.5)) * smoothstep(0.62, 0.80, normal.z);
        colour = mix(colour, vec3<f32>(0.80, 0.83, 0.88), snow);
    }
    return colour;
}

// Focusing of sunlight by ripples at a depth, relative to a still surface: 1 / |1 − depth · curvature|, softened.
fn focus_of_ripples(entry: vec2<f32>, depth: f32, footprint: f32) -> f32 {
    if !RIPPLES || CLASSIC {
        return 1.0;
    }
    let blur = max(max(footprint, 0.04 * depth), 0.03);
    let turned = vec2<f32>(dot(entry, world.drift.xy), entry.y * world.drift.x - entry.x * world.drift.y);
    let lod = level_of(blur * 256.0 / world.ripples.y);
    let bend = textureSampleLevel(bump_tile, repeated, turned / world.ripples.y - vec2<f32>(world.drift.z, 0.0), lod).w;
    let power = 0.25 * world.ripples.x * bend / world.ripples.y * min(depth, 1.6);
    return clamp(1.0 / (abs(1.0 - power) + 0.16), 0.35, 3.6) * 1.05;
}

// Radiance of diffuse ground under clear water at a depth; `gathered` is the caustics factor of the simulated waves.
fn flooded(albedo: vec3<f32>, point: vec3<f32>, normal: vec3<f32>, depth: f32, footprint: f32, gathered: f32) -> vec3<f32> {
    let slant = depth / -world.sun_below.z;
    var sun = world.sun.w * max(world.sun.z, 0.0) * gathered;
    if CAUSTICS {
        sun *= focus_of_ripples(point.xy - world.sun_below.xy * slant, depth, footprint);
    }
    let facing = clamp(dot(normal, -world.sun_below.xyz) / max(-world.sun_below.z, 0.3), 0.0, 1.4);
    let light = world.sunlight.rgb * (sun * facing) + world.skylight.rgb * (0.93 * (0.5 + 0.5 * normal.z));
    return albedo * light * (exp(-world.extinction.rgb * slant) / PI);
}

// Radiance of ground with a texel `map` of slopes and wetness, under water of some depth, or dry if that is not
// positive.
fn ground_light(point: vec3<f32>, at: vec2<f32>, map: vec4<f32>, depth: f32, direction: vec3<f32>, distance: f32) -> vec3<f32> {
    let normal = normalize(vec3<f32>(-map.xy, 1.0));
    let grazing = clamp(-dot(direction, normal), 0.05, 1.0);
    let footprint = world.scales.w * distance * inverseSqrt(grazing);
    let span = clamp(lattice.ground.y - lattice.level.x, 0.02 * lattice.ground.z, 0.08 * lattice.ground.z);
    let height = (point.z - lattice.ground.x) / max(lattice.ground.y - lattice.ground.x, 1e-3);
    let above = (point.z - lattice.level.x) / max(span, 1e-3);
    let albedo = albedo_of(GROUND, point, normal, footprint, height, above);
    if FLOODED && (!DRY || depth > lattice.level.y) {
        var gathered = 1.0;
        if CAUSTICS {
            gathered = textureSampleLevel(caustic_map, clamped, at, 0.0).r * 4.0;
        }
        return flooded(albedo * 0.6, point, normal, depth, footprint, gathered);
    }
    var light = albedo * daylight(normal, 1.0) / PI;
    if WETNESS {
        let wetness = clamp(-map.z, 0.0, 1.0);
        light = light * (1.0 - 0.5 * wetness) + sheen(normal, direction) * (wetness * wetness);
    }
    return in_haze(light, direction, distance);
}

@fragment
fn ground_fragment(in: Surface) -> Opaque {
    let offset = in.point - world.eye.xyz;
    let distance = length(offset);
    let map = textureSampleLevel(ground_map, clamped, in.at, 0.0);
    return opaque(ground_light(in.point, in.at, map, map.w, offset / distance, distance), distance);
}

// Specular reflection of sky and sun by the rough water film on wet ground.
fn sheen(normal: vec3<f32>, direction: vec3<f32>) -> vec3<f32> {
    let cosine = max(-dot(direction, normal), 0.05);
    let ray = reflect(direction, normal);
    let mirrored = sky_towards(normalize(vec3<f32>(ray.xy, max(ray.z, 0.02))), 0.35) * (0.8 * fresnel(cosine, WATER_INDEX));
    let half = normalize(world.sun.xyz - direction);
    let towards = max(dot(half, normal), 0.0);
    let base = 1.0 + towards * towards * (0.07 - 1.0);
    let lobe = 0.07 / (PI * base * base) * fresnel(-dot(direction, half), WATER_INDEX);
    let lit = max(dot(normal, world.sun.xyz), 0.0);
    return mirrored + world.sunlight.rgb * min(lobe * lit / (lit + 0.1) / (4.0 * cosine), 0.5);
}
