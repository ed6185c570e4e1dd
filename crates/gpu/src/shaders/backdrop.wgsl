// The background: sky, distant ground and floor, and open water to the horizon.

struct Screen {
    @builtin(position) clip: vec4<f32>,
    @location(0) place: vec2<f32>,
}

// One triangle over the whole picture, at infinity.
@vertex
fn screen_vertex(@builtin(vertex_index) vertex: u32) -> Screen {
    let corner = vec2<f32>(f32((vertex << 1u) & 2u), f32(vertex & 2u));
    return Screen(vec4<f32>(corner.x * 2.0 - 1.0, 1.0 - corner.y * 2.0, 0.0, 1.0), corner);
}

fn sun_disc(direction: vec3<f32>) -> vec3<f32> {
    let angle = length(direction - world.sun.xyz);
    let rim = (0.00744 - angle) / max(world.scales.w, 5e-4) + 0.5;
    return world.sunlight.rgb * (12.0 * clamp(rim, 0.0, 1.0));
}

// Radiance of the studio wall: slightly brighter than the floor, and darker towards the top.
fn studio_wall(direction: vec3<f32>) -> vec3<f32> {
    return world.ground.rgb * (1.06 - 0.32 * smoothstep(-0.05, 0.9, direction.z));
}

// Soft shadow of the standing box on the floor, from four layers of the box; higher layers have wider penumbrae.
fn box_shadow(at: vec2<f32>) -> f32 {
    let slant = world.sun.xy / max(world.sun.z, 0.4);
    var shadow = 0.0;
    for (var layer = 0; layer < 4; layer += 1) {
        let up = (f32(layer) + 0.5) * 0.25 * world.floor.y;
        let place = at + slant * up;
        let inside = min(place - world.stands.xy, world.stands.zw - place);
        let soft = 0.25 * world.floor.y * length(slant) + 0.45 * up + 1e-6;
        shadow = max(shadow, smoothstep(-soft, soft, min(inside.x, inside.y)));
    }
    return shadow;
}

// Radiance of the floor: fades into the horizon or the studio wall, with ambient occlusion and a shadow near the box.
fn floor_seen(direction: vec3<f32>, distance: f32) -> vec3<f32> {
    let at = world.eye.xy + direction.xy * distance;
    let outside = length(max(max(world.stands.xy - at, at - world.stands.zw), vec2<f32>(0.0))) / world.floor.z;
    let middle = 0.5 * (world.stands.xy + world.stands.zw);
    let far = length(at - middle) / world.floor.z;
    let shade = 1.0 - 0.6 * exp(-14.0 * outside);
    let light = vec3<f32>(0.36, 0.36, 0.35) * daylight(vec3<f32>(0.0, 0.0, 1.0), 0.8) * (shade / PI);
    if STUDIO {
        // The floor blends into the wall at a distance; an area light in the sun's direction casts a soft shadow
        let lit = world.ground.rgb * (1.0 - 0.35 * exp(-9.0 * outside)) * (1.0 - 0.3 * box_shadow(at));
        return mix(lit, studio_wall(direction), smoothstep(1.2, 4.5, far));
    }
    let horizon = sky_towards(normalize(vec3<f32>(direction.xy, 0.015)), 0.05);
    return mix(horizon, light, exp(-0.12 * far * far));
}

fn sky_seen(direction: vec3<f32>) -> vec3<f32> {
    if direction.z < 0.0 {
        let above = world.eye.z - world.floor.x;
        if FLOOR && above > 0.0 {
            return floor_seen(direction, above / max(-direction.z, 1e-4));
        }
        let depression = min(-direction.z * 14.0, 1.0);
        let horizon = sky_towards(normalize(vec3<f32>(direction.xy, 0.015)), 0.03);
        return mix(horizon, world.ground.rgb, depression * (2.0 - depression));
    }
    if STUDIO {
        return studio_wall(direction);
    }
    return sky_towards(direction, 0.0) + sun_disc(direction);
}

@fragment
fn sky_fragment(in: Screen) -> Opaque {
    let direction = normalize(through(in.place * world.size.xy));
    if CLASSIC {
        let colour = textureSampleLevel(cube, clamped, vec3<f32>(direction.xy, max(direction.z, 1e-3)), 0.0).rgb;
        return opaque(undeveloped(colour * world.shine_rest.z), 6e4);
    }
    return opaque(sky_seen(direction), 6e4);
}

// Open water around a sheet, to the horizon, with the slopes of the sheet repeated.
@fragment
fn sea_fragment(in: Screen) -> @location(0) vec4<f32> {
    let direction = normalize(through(in.place * world.size.xy));
    let above = world.eye.z - lattice.level.x;
    if direction.z >= -1e-4 || above <= 0.0 {
        if CLASSIC {
            let colour = textureSampleLevel(cube, clamped, vec3<f32>(direction.xy, max(direction.z, 1e-3)), 0.0).rgb;
            return screen_colour(colour * world.shine_rest.z);
        }
        return developed(sky_seen(direction));
    }
    let distance = above / -direction.z;
    let point = world.eye.xyz + direction * distance;
    let footprint = world.scales.w * distance * inverseSqrt(clamp(-direction.z, 0.02, 1.0));
    let lod = level_of(footprint / max(lattice.grid.z, lattice.grid.w));
    let slopes = textureSampleLevel(slope_map, clamped, fract(map_under(point.xy)), lod);
    if CLASSIC {
        let plain = normalize(vec3<f32>(-slopes.xy, 1.0));
        let far = classic_water(classic_bent(plain, point.xy, footprint), direction);
        let horizon = textureSampleLevel(cube, clamped, vec3<f32>(direction.xy, 0.01), 0.0).rgb;
        let colour = mix(horizon, far, exp(-2.0 * distance / max(world.eye.z, 1.0) / 400.0));
        return screen_colour(colour * world.shine_rest.z);
    }
    let light = water_light(point, vec2<f32>(0.0), slopes, breeze_at(point.xy), direction, distance, true);
    return developed(in_haze(light, direction, distance));
}
