// Solid bodies and terrain meshes, closed liquid surfaces, and the edges of a tank.

struct Vertex {
    @location(0) point: vec3<f32>,
    @location(1) normal: vec3<f32>,
    // Colour, and its source: 0 the colour of solids, 1 the albedo of ground, 2 this colour.
    @location(2) colour: vec4<f32>,
}

struct Body {
    @builtin(position) clip: vec4<f32>,
    @location(0) point: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) colour: vec4<f32>,
}

@vertex
fn body_vertex(in: Vertex) -> Body {
    return Body(projected(in.point), in.point, in.normal, in.colour);
}

@fragment
fn body_fragment(in: Body) -> Opaque {
    let offset = in.point - world.eye.xyz;
    let distance = length(offset);
    let direction = offset / distance;
    var normal = normalize(in.normal + vec3<f32>(0.0, 0.0, 1e-6));
    if dot(normal, direction) > 0.0 {
        normal = -normal;
    }
    var albedo = world.solid.rgb;
    let is_ground = abs(in.colour.w - 1.0) < 0.5;
    if in.colour.w > 1.5 {
        albedo = in.colour.rgb;
    } else if is_ground {
        albedo = albedo_of(GROUND, in.point, normal, world.scales.w * distance, 0.5, in.point.z - world.extinction.w);
    }
    let matt = albedo * daylight(normal, 1.0) / PI;
    let half = normalize(world.sun.xyz - direction);
    let polish = select(1.0, 0.0, is_ground);
    let gloss = pow(max(dot(half, normal), 0.0), 60.0) * polish;
    let share = 0.04 + 0.3 * pow(1.0 - max(-dot(direction, normal), 0.0), 5.0) * polish;
    let mirrored = sky_towards(normalize(reflect(direction, normal) + vec3<f32>(0.0, 0.0, 1e-4)), 0.3);
    let light = mix(matt, mirrored, share * 0.5) + world.sunlight.rgb * (0.05 * gloss);
    return opaque(in_haze(light, direction, distance), distance);
}

// Thickness of a liquid along the view ray: sum of the distances of back faces minus those of front faces.
@fragment
fn thickness_fragment(in: Body, @builtin(front_facing) is_front: bool) -> @location(0) vec4<f32> {
    let distance = length(in.point - world.eye.xyz);
    return vec4<f32>(select(distance, -distance, is_front), 0.0, 0.0, 1.0);
}

@group(2) @binding(0) var thickness_map: texture_2d<f32>;

@fragment
fn liquid_fragment(in: Body) -> @location(0) vec4<f32> {
    let offset = in.point - world.eye.xyz;
    let distance = length(offset);
    let direction = offset / distance;
    var normal = normalize(in.normal + vec3<f32>(0.0, 0.0, 1e-6));
    if dot(normal, direction) > -0.02 {
        normal = normalize(normal - direction * (dot(normal, direction) + 0.02));
    }
    let place = in.clip.xy * world.size.zw;
    let straight = behind_at(place);
    let measured = textureSampleLevel(thickness_map, clamped, place, 0.0).r;
    let thickness = clamp(measured, 0.0, max(straight.a - distance, 0.0));
    let ray = refract(direction, normal, 1.0 / WATER_INDEX);
    // The second refraction, at the far side, turns the ray partly back
    let way = normalize(mix(ray, direction, 0.35));
    var seen = behind_at(place_of(in.point + way * thickness));
    if seen.a < distance {
        seen = straight;
    }
    let left = exp(-world.extinction.rgb * wandered(thickness));
    let inner = seen.rgb * left * carded(way) + world.deep.rgb * inner_shade(normal) * (1.0 - left);
    let facet = Facet(normal, normal, max(-dot(direction, normal), 0.02), 0.0006);
    let share = fresnel(facet.cosine, WATER_INDEX);
    let up = reflect(direction, normal);
    let above = sky_towards(normalize(vec3<f32>(up.xy, max(up.z, 0.02))), 0.05);
    let mirrored = mix(above, world.ground.rgb, smoothstep(0.05, -0.25, up.z)) * carded(up);
    var light = mirrored * share + inner * (1.0 - share);
    if GLITTER {
        light += glitter_of(facet, direction);
    }
    if CLASSIC {
        return screen_colour(classic_water(normal, direction) * world.shine_rest.z);
    }
    return developed(in_haze(light, direction, distance));
}

struct Edge {
    @builtin(position) clip: vec4<f32>,
    @location(0) across: f32,
}

// A line between two points as a quad of constant width on the screen.
@vertex
fn edge_vertex(@builtin(vertex_index) vertex: u32, @location(0) from_: vec3<f32>, @location(1) to_: vec3<f32>) -> Edge {
    let near = world.ahead.w * 1.01;
    var a = projected(from_);
    var b = projected(to_);
    // Clip at the near plane
    if a.w < near { a = mix(a, b, clamp((near - a.w) / max(b.w - a.w, 1e-6), 0.0, 1.0)); }
    if b.w < near { b = mix(b, a, clamp((near - b.w) / max(a.w - b.w, 1e-6), 0.0, 1.0)); }
    let along = (b.xy / b.w - a.xy / a.w) * world.size.xy;
    let aside = vec2<f32>(-along.y, along.x) * inverseSqrt(max(dot(along, along), 1e-9));
    let side = select(-1.0, 1.0, (vertex & 1u) == 1u);
    var clip = select(a, b, vertex >= 2u);
    clip = vec4<f32>(clip.xy + aside * (side * 2.2 * clip.w) * world.size.zw, clip.z, clip.w);
    return Edge(clip, side);
}

@fragment
fn edge_fragment(in: Edge) -> @location(0) vec4<f32> {
    let light = sky_towards(vec3<f32>(0.0, 0.0, 1.0), 0.6) * 1.6;
    return vec4<f32>(developed(light).rgb, 0.55 * (1.0 - in.across * in.across));
}
