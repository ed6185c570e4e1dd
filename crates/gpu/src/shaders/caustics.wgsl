// Caustics: the lattice projected along refracted sun rays onto the bed. Irradiance is the ratio of the areas of a
// triangle under still water and as refracted.

struct Ray {
    @builtin(position) clip: vec4<f32>,
    // Where the ray meets the bed, and where it would under still water.
    @location(0) lands: vec2<f32>,
    @location(1) still: vec2<f32>,
}

@vertex
fn ray_vertex(@builtin(vertex_index) vertex: u32, @location(0) tile: vec4<i32>) -> Ray {
    let at = sample_of(i32(vertex), tile);
    let point = place_at(at, 0);
    let map = textureLoad(slope_map, at, 0);
    let depth = clamp(map.w, 0.0, 1e3);
    let ray = refract(-world.sun.xyz, normalize(vec3<f32>(-map.xy, 1.0)), 1.0 / WATER_INDEX);
    let still = point.xy + world.sun_below.xy * (depth / -world.sun_below.z);
    let lands = point.xy + ray.xy * (depth / max(-ray.z, 0.3));
    // The border is extended outwards, so that slanting light leaves no dark rim
    let last = vec2<i32>(lattice.size.xy) - 1;
    let outward = select(vec2<f32>(0.0), vec2<f32>(-1.0), at == vec2<i32>(0)) + select(vec2<f32>(0.0), vec2<f32>(1.0), at == last);
    let reach = outward * (2.0 * abs(world.sun_below.xy) * depth / -world.sun_below.z + lattice.grid.zw);
    let place = map_under(lands + reach);
    return Ray(vec4<f32>(place.x * 2.0 - 1.0, 1.0 - place.y * 2.0, 0.5, 1.0), lands + reach, still + reach);
}

@fragment
fn ray_fragment(in: Ray) -> @location(0) vec4<f32> {
    let lands_x = dpdx(in.lands);
    let lands_y = dpdy(in.lands);
    let still_x = dpdx(in.still);
    let still_y = dpdy(in.still);
    let now = abs(lands_x.x * lands_y.y - lands_x.y * lands_y.x);
    let before = abs(still_x.x * still_y.y - still_x.y * still_y.x);
    // ¼ is the irradiance under still water. The angular size of the sun limits the focus.
    return vec4<f32>(min(0.25 * before / max(now, 0.08 * before), 2.0), 0.0, 0.0, 1.0);
}
