// What is behind everything: the sky, the ground far away, or the sea to the horizon.

struct Screen {
    @builtin(position) clip: vec4<f32>,
    @location(0) place: vec2<f32>,
}

// One triangle over the whole picture, endlessly far away.
@vertex
fn screen_vertex(@builtin(vertex_index) vertex: u32) -> Screen {
    let corner = vec2<f32>(f32((vertex << 1u) & 2u), f32(vertex & 2u));
    return Screen(vec4<f32>(corner.x * 2.0 - 1.0, 1.0 - corner.y * 2.0, 0.0, 1.0), corner);
}

fn sun_disc(direction: vec3<f32>) -> vec3<f32> {
    let angle = length(direction - world.sun.xyz);
    let rim = (0.00744 - angle) / max(world.stuff.w, 5e-4) + 0.5;
    return world.sunlight.rgb * (12.0 * clamp(rim, 0.0, 1.0));
}

// A pale floor that fades into the haze, darker where something stands on it.
fn floor_seen(direction: vec3<f32>, distance: f32) -> vec3<f32> {
    let at = world.eye.xy + direction.xy * distance;
    let outside = length(max(max(world.stands.xy - at, at - world.stands.zw), vec2<f32>(0.0))) / world.floor.z;
    let middle = 0.5 * (world.stands.xy + world.stands.zw);
    let far = length(at - middle) / world.floor.z;
    let shade = 1.0 - 0.6 * exp(-14.0 * outside);
    let light = vec3<f32>(0.36, 0.36, 0.35) * daylight(vec3<f32>(0.0, 0.0, 1.0), 0.8) * (shade / PI);
    let horizon = sky_towards(normalize(vec3<f32>(direction.xy, 0.015)), 0.05);
    return mix(horizon, light, exp(-0.12 * far * far));
}

fn sky_seen(direction: vec3<f32>) -> vec3<f32> {
    if direction.z < 0.0 {
        let above = world.eye.z - world.floor.x;
        if world.floor.y > 0.5 && above > 0.0 {
            return floor_seen(direction, above / max(-direction.z, 1e-4));
        }
        let depression = min(-direction.z * 14.0, 1.0);
        let horizon = sky_towards(normalize(vec3<f32>(direction.xy, 0.015)), 0.03);
        return mix(horizon, world.ground.rgb, depression * (2.0 - depression));
    }
    return sky_towards(direction, 0.0) + sun_disc(direction);
}

@fragment
fn sky_fragment(in: Screen) -> @location(0) vec4<f32> {
    let direction = normalize(through(in.place * world.size.xy));
    if CLASSIC {
        let colour = textureSampleLevel(cube, clamped, vec3<f32>(direction.xy, max(direction.z, 1e-3)), 0.0).rgb;
        return stored(undeveloped(colour * world.shine_rest.z), 6e4);
    }
    return stored(sky_seen(direction), 6e4);
}

// Around a sheet its waves go on to the horizon.
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
    let footprint = world.stuff.w * distance * inverseSqrt(clamp(-direction.z, 0.02, 1.0));
    let lod = level_of(footprint / max(lattice.place.z, lattice.place.w));
    let slopes = textureSampleLevel(slope_map, clamped, fract(map_under(point.xy)), lod);
    if CLASSIC {
        let plain = normalize(vec3<f32>(-slopes.xy, 1.0));
        let far = classic_water(classic_bent(plain, point.xy, footprint), direction);
        let horizon = textureSampleLevel(cube, clamped, vec3<f32>(direction.xy, 0.01), 0.0).rgb;
        let colour = mix(horizon, far, exp(-2.0 * distance / max(world.eye.z, 1.0) / 400.0));
        return screen_colour(colour * world.shine_rest.z);
    }
    let light = water_light(point, vec2<f32>(0.0), slopes, direction, distance, true);
    return developed(in_haze(light, direction, distance));
}

// The opaque picture, developed.
@fragment
fn finished_fragment(in: Screen) -> @location(0) vec4<f32> {
    let light = restored(textureLoad(behind, vec2<i32>(in.clip.xy), 0));
    return developed(light.rgb);
}
