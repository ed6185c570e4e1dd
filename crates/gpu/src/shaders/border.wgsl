// The border of a lattice with a bed: the cut sides of a block, or extended terrain and water to the horizon.

struct Border {
    @builtin(position) clip: vec4<f32>,
    @location(0) point: vec3<f32>,
    @location(1) at: vec2<f32>,
    // Of a cut side: its outward normal. Of extended terrain: scale about the centre (1 at the border), depth of the
    // water, and wind strength.
    @location(2) out: vec3<f32>,
}

// The sample that is `step` strides along the border, counter-clockwise from the first sample.
fn border_sample(step: i32, stride: i32) -> vec2<i32> {
    let last = vec2<i32>(lattice.size.xy) - 1;
    let sides = (last + stride - 1) / stride;
    var left = step % (2 * (sides.x + sides.y));
    if left < sides.x { return vec2<i32>(left * stride, 0); }
    left -= sides.x;
    if left < sides.y { return vec2<i32>(last.x, left * stride); }
    left -= sides.y;
    if left < sides.x { return vec2<i32>(last.x - left * stride, last.y); }
    return vec2<i32>(0, last.y - (left - sides.x) * stride);
}

// A vertex of a cut side, of the water (`part` 0) or of the ground (1). Every step is a separate quad, so that corners
// are sharp.
fn cut(vertex: u32, part: i32) -> Border {
    let step = i32(vertex / 6u);
    let corner = i32(vertex % 6u);
    let is_next = corner == 1 || corner == 2 || corner == 4;
    let is_top = corner == 2 || corner == 4 || corner == 5;
    let here = border_sample(step, 1);
    let next = border_sample(step + 1, 1);
    let at = select(here, next, is_next);
    let texel = textureLoad(position_map, at, 0);
    let level = max(texel.x, texel.y);
    let low = select(lattice.level.z, texel.y, part == 0);
    let high = select(texel.y, level, part == 0);
    let flat = lattice.grid.xy + vec2<f32>(at) * lattice.grid.zw;
    let point = vec3<f32>(flat, select(low, high, is_top));
    let along = vec2<f32>(next - here);
    return Border(projected(point), point, map_place(vec2<f32>(at)), vec3<f32>(along.y, -along.x, 0.0));
}

@vertex
fn earth_vertex(@builtin(vertex_index) vertex: u32) -> Border {
    return cut(vertex, 1);
}

@vertex
fn side_vertex(@builtin(vertex_index) vertex: u32) -> Border {
    return cut(vertex, 0);
}

// Factor by which waves have decayed at this scale.
fn dying(scale: f32) -> f32 {
    let out = max(scale - 1.0, 0.0);
    return 1.0 / (1.0 + 2.0 * out * out);
}

// A vertex of the extended water (`part` 0) or terrain (1): the border, scaled about the centre in geometrically
// growing rings.
fn beyond(vertex: u32, ring: u32, part: i32) -> Border {
    let at = border_sample(i32(vertex / 2u), i32(lattice.level.w));
    let texel = textureLoad(position_map, at, 0);
    let number = f32(ring + (vertex & 1u));
    // The first ring begins slightly inside the border, to cover gaps to coarse tiles
    let scale = select(exp2(0.42 * number), 1.0 - 1.0 / max(lattice.size.x, lattice.size.y), number < 0.5);
    let border = lattice.grid.xy + vec2<f32>(at) * lattice.grid.zw;
    let centre = lattice.grid.xy + 0.5 * (lattice.size.xy - 1.0) * lattice.grid.zw;
    let flat = centre + (border - centre) * scale;
    let wet = texel.x - texel.y;
    // Waves decay beyond the border to the mean level
    let level = mix(lattice.level.x, texel.x, select(dying(scale), 1.0, wet < 0.0));
    let sunk = select(0.0, 0.004 * max(lattice.grid.z, lattice.grid.w), number < 0.5);
    let point = vec3<f32>(flat, select(level, texel.y, part == 1) - sunk);
    return Border(projected(point), point, map_place(vec2<f32>(at)), vec3<f32>(max(scale, 1.0), level - texel.y, breeze_at(flat)));
}

@vertex
fn far_ground_vertex(@builtin(vertex_index) vertex: u32, @builtin(instance_index) ring: u32) -> Border {
    return beyond(vertex, ring, 1);
}

@vertex
fn far_water_vertex(@builtin(vertex_index) vertex: u32, @builtin(instance_index) ring: u32) -> Border {
    return beyond(vertex, ring, 0);
}

@fragment
fn far_ground_fragment(in: Border) -> Opaque {
    let offset = in.point - world.eye.xyz;
    let distance = length(offset);
    let direction = offset / distance;
    let map = textureSampleLevel(ground_map, clamped, in.at, 0.0);
    return opaque(ground_light(in.point, in.at, map, in.out.y, direction, distance), distance);
}

@fragment
fn far_water_fragment(in: Border) -> @location(0) vec4<f32> {
    if in.out.y < lattice.level.y {
        discard;
    }
    let offset = in.point - world.eye.xyz;
    let distance = length(offset);
    let direction = offset / distance;
    let left = dying(in.out.x);
    let map = textureSampleLevel(slope_map, clamped, in.at, 0.0);
    let slopes = vec4<f32>(map.xy * left, map.z * left, in.out.y);
    if CLASSIC {
        return screen_colour(classic_water(normalize(vec3<f32>(-slopes.xy, 1.0)), direction) * world.shine_rest.z);
    }
    let light = water_light(in.point, in.at, slopes, in.out.z, direction, distance, false);
    return developed(in_haze(light, direction, distance));
}

// Earth in layers, darker farther down.
@fragment
fn earth_fragment(in: Border) -> Opaque {
    let offset = in.point - world.eye.xyz;
    let distance = length(offset);
    let normal = normalize(in.out);
    let tall = max(lattice.ground.y - lattice.level.z, 1e-3);
    let along = dot(in.point.xy, vec2<f32>(-normal.y, normal.x));
    let grain = textureSampleLevel(noise_tile, repeated, vec2<f32>(along, in.point.z * 3.0) / (2.0 * tall), 0.0);
    let below = (textureLoad(position_map, vec2<i32>(in.at * lattice.size.xy), 0).y - in.point.z) / tall;
    let band = 0.5 + 0.5 * sin(in.point.z / tall * 40.0 + 5.0 * grain.x);
    let albedo = mix(vec3<f32>(0.20, 0.15, 0.11), vec3<f32>(0.27, 0.22, 0.17), band * 0.6 + 0.4 * grain.y) * (0.75 + 0.5 * grain.z);
    let light = albedo * daylight(normal, 1.0) * (0.55 + 0.45 * exp(-3.0 * max(below, 0.0))) / PI;
    return opaque(in_haze(light, offset / distance, distance), distance);
}

// The cut side of the water: absorption along the refracted ray, until it leaves the block or meets an opaque surface.
@fragment
fn side_fragment(in: Border) -> @location(0) vec4<f32> {
    let offset = in.point - world.eye.xyz;
    let distance = length(offset);
    let direction = offset / distance;
    let normal = normalize(in.out);
    let ray = refract(direction, normal, 1.0 / WATER_INDEX);
    let low = lattice.grid.xy;
    let high = low + (lattice.size.xy - 1.0) * lattice.grid.zw;
    let ends = (select(low, high, ray.xy > vec2<f32>(0.0)) - in.point.xy) / (ray.xy + select(vec2<f32>(-1e-6), vec2<f32>(1e-6), ray.xy >= vec2<f32>(0.0)));
    let across = max(min(ends.x, ends.y), 0.0);
    let bent = behind_at(place_of(in.point + ray * min(across, lattice.ground.z) * 0.5));
    let straight = behind_at(place_of(in.point));
    let seen = select(straight, bent, bent.a > distance);
    let path = clamp(min(across, seen.a - distance), 0.0, 1e4);
    let left = exp(-world.extinction.rgb * path);
    let inner = seen.rgb * left + world.deep.rgb * (1.0 - left);
    let share = fresnel(-dot(direction, normal), WATER_INDEX);
    let mirrored = sky_towards(normalize(vec3<f32>(reflect(direction, normal).xy, 0.12)), 0.1);
    return developed(in_haze(mix(inner, mirrored, 0.6 * share), direction, distance));
}
