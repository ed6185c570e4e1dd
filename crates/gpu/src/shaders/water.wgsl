// Shading of water: reflection, refraction and absorption, sun glitter, foam. The formulae are those of the software
// preview; the facets within a pixel have a Gaussian distribution of slopes.

struct Facet {
    normal: vec3<f32>,
    // Mean normal of the visible facets, and their mean cosine to the view direction.
    leaning: vec3<f32>,
    cosine: f32,
    // Variance per axis of the slopes below the resolution of the normal.
    variance: f32,
}

// Slopes of the two ripple tiles along x and y, and the slope variance within a footprint of this width.
fn ripples_under(at: vec2<f32>, footprint: f32, breeze: f32) -> vec3<f32> {
    if !RIPPLES {
        return vec3<f32>(0.0);
    }
    let heading = world.drift.xy;
    let long = vec2<f32>(dot(at, heading), at.y * heading.x - at.x * heading.y);
    let short = vec2<f32>(0.82 * long.x + 0.572 * long.y, 0.82 * long.y - 0.572 * long.x);
    let lods = vec2<f32>(level_of(footprint * 256.0 / world.ripples.y), level_of(footprint * 256.0 / world.ripples.z));
    let coarse = textureSampleLevel(bump_tile, repeated, long / world.ripples.y - vec2<f32>(world.drift.z, 0.0), lods.x);
    let fine = textureSampleLevel(bump_tile, repeated, short / world.ripples.z - vec2<f32>(world.drift.w, 0.31), lods.y);
    let strength = world.ripples.x * (0.35 + 1.3 * breeze) * (0.35 + 1.3 * breeze);
    let one = coarse.xy * 0.78;
    let two = fine.xy * 0.62;
    let hidden = 0.608 * max(coarse.z - dot(coarse.xy, coarse.xy), 0.0) + 0.384 * max(fine.z - dot(fine.xy, fine.xy), 0.0);
    let local = one + vec2<f32>(0.82 * two.x - 0.572 * two.y, 0.82 * two.y + 0.572 * two.x);
    let mean = vec2<f32>(local.x * heading.x - local.y * heading.y, local.x * heading.y + local.y * heading.x);
    return vec3<f32>(mean * strength, 0.5 * hidden * strength * strength);
}

// Slopes of one tile of the ripples on running water, and their variance within a footprint; `turn` is the direction of
// its first axis, `phase` its shift, age and weight.
fn carried_slopes(at: vec2<f32>, velocity: vec2<f32>, phase: vec4<f32>, turn: vec2<f32>, lod: f32) -> vec3<f32> {
    let place = (at - velocity * phase.z) / world.flow.y;
    let local = vec2<f32>(dot(place, turn), place.y * turn.x - place.x * turn.y);
    let texel = textureSampleLevel(bump_tile, repeated, local + phase.xy, lod);
    let hidden = 0.5 * max(texel.z - dot(texel.xy, texel.xy), 0.0);
    let mean = vec2<f32>(texel.x * turn.x - texel.y * turn.y, texel.x * turn.y + texel.y * turn.x);
    return vec3<f32>(mean * phase.w, hidden * phase.w * phase.w);
}

// Slopes of the ripples that the flow carries along, and their variance within a footprint, as in the software preview:
// two tiles sampled upstream, each of weight 0 when it begins anew.
fn flow_ripples_under(point: vec2<f32>, at: vec2<f32>, depth: f32, footprint: f32) -> vec3<f32> {
    if !FLOW_RIPPLES {
        return vec3<f32>(0.0);
    }
    let texel = textureSampleLevel(velocity_map, clamped, at, 0.0);
    let velocity = texel.xy * texel.w;
    let amplitude = world.flow.x * smoothstep(world.flow_speeds.x, world.flow_speeds.y, length(velocity))
        * smoothstep(0.0, world.flow.z, depth);
    let lod = level_of(footprint * 256.0 / world.flow.y);
    let one = carried_slopes(point, velocity, world.flow_one, vec2<f32>(1.0, 0.0), lod);
    let two = carried_slopes(point, velocity, world.flow_two, vec2<f32>(0.82, 0.572), lod);
    return (one + two) * vec3<f32>(amplitude, amplitude, amplitude * amplitude);
}

fn facet_of(slopes: vec2<f32>, variance: f32, direction: vec3<f32>) -> Facet {
    let normal = normalize(vec3<f32>(-slopes, 1.0));
    let cosine = -dot(direction, normal);
    // Mean over visible facets, weighted by their cosine: σ √(π/2) at grazing angles, the cosine itself otherwise
    let seen = max(0.5 * (cosine + sqrt(cosine * cosine + 2.0 * PI * variance)), 0.01);
    let leaning = normalize(normal - direction * (seen - cosine));
    return Facet(normal, leaning, min(seen, 1.0), variance);
}

fn mirrored_by(facet: Facet, direction: vec3<f32>) -> vec3<f32> {
    let ray = reflect(direction, facet.leaning);
    let lifted = normalize(vec3<f32>(ray.xy, 0.5 * (ray.z + sqrt(ray.z * ray.z + 0.0008))));
    let sky = sky_towards(lifted, 2.2 * sqrt(facet.variance));
    // A downward reflected ray hits another wave, which reflects part of the sky and its own deep radiance
    let blocked = smoothstep(0.06, -0.30, ray.z);
    return mix(sky, sky * 0.35 + world.deep.rgb, 0.85 * blocked);
}

// Sun glitter: F D G / (4 cos), with the angular size of the sun added to the width of the lobe.
fn glitter_of(facet: Facet, direction: vec3<f32>) -> vec3<f32> {
    let half = normalize(world.sun.xyz - direction);
    let cosine = dot(half, facet.normal);
    if cosine <= 0.0 || world.sun.z <= -0.05 {
        return vec3<f32>(0.0);
    }
    let width = 2.0 * facet.variance + 4.3e-5;
    let base = 1.0 + cosine * cosine * (width - 1.0);
    let density = width / (PI * base * base);
    let towards = max(dot(facet.normal, world.sun.xyz), 0.0);
    let shadowed = towards / max(towards + 0.4 * sqrt(width), 1e-4);
    let share = fresnel(-dot(direction, half), WATER_INDEX);
    let light = world.sunlight.rgb * (share * density * shadowed / (4.0 * max(facet.cosine, 0.03)));
    let brightest = max(light.r, max(light.g, light.b));
    return light * (1500.0 / (1500.0 + brightest));
}

// Sunlight transmitted through thin wave crests towards the eye.
fn glow_of(height: f32, facet: Facet, direction: vec3<f32>) -> vec3<f32> {
    let crest = max(world.deep.w, 0.02);
    let raised = clamp(height / crest, 0.0, 1.0);
    let towards = max(dot(world.sun.xy, direction.xy), 0.0);
    let steep = min(1.0 - facet.normal.z, 0.25) * 4.0;
    let strength = min(crest / 0.8, 1.0) * raised * (0.25 * raised + 1.6 * steep) * (0.15 + towards * towards);
    return sqrt(world.deep.rgb * world.sunlight.rgb) * (0.1 * strength);
}

// Radiance of the horizontal bed of open water.
fn open_bed(point: vec3<f32>, ray: vec3<f32>, path: f32, footprint: f32) -> vec3<f32> {
    let end = point + ray * path;
    let depth = path * -ray.z;
    let albedo = albedo_of(BED, vec3<f32>(end.xy, 0.0), vec3<f32>(0.0, 0.0, 1.0), footprint, 0.0, -1.0);
    return flooded(albedo, end, vec3<f32>(0.0, 0.0, 1.0), depth, footprint, 1.0);
}

// Radiance along the refracted ray below a point of the surface, and the path length in water.
fn below(point: vec3<f32>, ray: vec3<f32>, depth: f32, distance: f32) -> vec4<f32> {
    let falling = -ray.z;
    var path = depth / falling;
    let end = point + ray * path;
    let bent = behind_at(place_of(end));
    // If the looked-up pixel lies in front of the water, use the unrefracted background
    let light = select(bent, behind_at(place_of(point)), bent.a < distance * 0.998 - 0.01);
    // A submerged body shortens the path
    let is_body = light.a < length(end - world.eye.xyz) * 0.985 - 0.02;
    path = select(path, light.a - distance, is_body);
    return vec4<f32>(light.rgb, max(path, 0.0));
}

// Coverage of grid lines, one or two pixels wide.
fn lines_at(at: vec2<f32>) -> f32 {
    let cell = at * lattice.size.xy - 0.5;
    let width = max(fwidth(cell), vec2<f32>(1e-4));
    let near = abs(fract(cell + 0.5) - 0.5) / width;
    // Lines closer than a few pixels fade out
    let shown = clamp(0.35 / max(width.x, width.y) - 1.0, 0.0, 1.0);
    return (1.0 - min(min(near.x, near.y), 1.0)) * shown;
}

// Foam coverage of a footprint.
fn foam_at(point: vec2<f32>, amount: f32, footprint: f32) -> f32 {
    let size = clamp(8.0 * lattice.grid.z, 0.6, 60.0);
    let lod = level_of(footprint * 256.0 / size);
    let drift = world.eye.w * 0.03;
    let one = textureSampleLevel(noise_tile, repeated, point / size + vec2<f32>(drift, 0.0), lod).w;
    let two = textureSampleLevel(noise_tile, repeated, point.yx / (0.43 * size) - vec2<f32>(0.0, drift), lod).x;
    let edge = 0.80 - 0.55 * amount;
    return amount * (0.2 + 0.75 * smoothstep(edge - 0.12, edge + 0.18, 0.55 * one + 0.45 * two));
}

// C_water of [li2007] §2.2.4, in sRGB.
fn classic_water(normal: vec3<f32>, direction: vec3<f32>) -> vec3<f32> {
    let facing = clamp(-dot(normal, direction), 0.0, 1.0);
    let sky = textureSampleLevel(cube, clamped, reflect(direction, normal), 0.0).rgb;
    let diffuse = ((1.0 - facing) * sky * world.shine_below.w + facing * world.shine_below.rgb * world.shine_high.w) * facing;
    let squared = sky.g * sky.g;
    let gloss = squared * squared * squared * squared;
    return diffuse + world.shine_high.rgb * (gloss * facing * world.shine_rest.x) + sky * world.shine_rest.y;
}

// New_Normal = Normal + U x_gradient + V y_gradient [li2007], faded out where bumps are narrower than a pixel.
fn classic_bent(normal: vec3<f32>, at: vec2<f32>, footprint: f32) -> vec3<f32> {
    let shown = clamp(1.5 - 12.0 * footprint / world.ripples.y, 0.0, 1.0) * world.ripples.x;
    if shown <= 0.0 {
        return normal;
    }
    let place = (at - vec2<f32>(1.0, 0.5) * world.ripples.w) / world.ripples.y + 0.5 / 256.0;
    let gradient = textureSampleLevel(bump_tile, repeated, place, 0.0).xy * shown;
    return normalize(normal + vec3<f32>(gradient, 0.0));
}

// Inverse of tone mapping: sRGB colours as radiance.
fn undeveloped(colour: vec3<f32>) -> vec3<f32> {
    let c = clamp(colour, vec3<f32>(0.0), vec3<f32>(1.0));
    let y = min(select(pow((c + 0.055) / 1.055, vec3<f32>(2.4)), c / 12.92, c <= vec3<f32>(0.04045)), vec3<f32>(0.99));
    // The tone curve is a ratio of two quadratics
    let a = 2.51 - 2.43 * y;
    let b = 0.03 - 0.59 * y;
    let x = (-b + sqrt(max(b * b + 0.56 * a * y, vec3<f32>(0.0)))) / (2.0 * a);
    return x / max(world.skylight.w, 1e-6);
}

// View from under water: the sky refracted in Snell's window, total internal reflection around it.
fn seen_from_below(normal: vec3<f32>, direction: vec3<f32>, distance: f32) -> vec3<f32> {
    let down = -normal;
    let share = fresnel(-dot(direction, down), 1.0 / WATER_INDEX);
    let ray = refract(direction, down, WATER_INDEX);
    let light = world.deep.rgb * share + sky_towards(normalize(vec3<f32>(ray.xy, max(ray.z, 0.02))), 0.01) * (1.0 - share);
    return mix(world.deep.rgb, light, exp(-world.extinction.rgb * distance));
}

// Radiance of water at a point. `slopes` is a texel of the slope map; `at` are the texture coordinates of the maps;
// `breeze` is that of breeze_at; `is_far` is for water beyond the lattice.
fn water_light(
    point: vec3<f32>,
    at: vec2<f32>,
    slopes: vec4<f32>,
    breeze: f32,
    direction: vec3<f32>,
    distance: f32,
    is_far: bool,
) -> vec3<f32> {
    let plain = normalize(vec3<f32>(-slopes.xy, 1.0));
    let grazing = clamp(-dot(direction, plain), 0.04, 1.0);
    let footprint = world.scales.w * distance * inverseSqrt(grazing);
    var ripples = ripples_under(point.xy, footprint, breeze);
    if HAS_BED && !is_far {
        ripples += flow_ripples_under(point.xy, at, slopes.w, footprint);
    }
    let hidden = 0.5 * max(slopes.z - dot(slopes.xy, slopes.xy), 0.0);
    let facet = facet_of(slopes.xy + ripples.xy, hidden + ripples.z, direction);
    let share = fresnel(facet.cosine, WATER_INDEX);

    // Refracted light: bed or background, absorbed, plus scattering
    var ray = refract(direction, facet.leaning, 1.0 / WATER_INDEX);
    if ray.z > -0.05 {
        ray = normalize(vec3<f32>(ray.xy, -0.05));
    }
    let has_bed = HAS_BED && !is_far;
    var seen = vec4<f32>(0.0, 0.0, 0.0, (point.z - lattice.level.x + world.scales.z) / -ray.z);
    if has_bed {
        if REFRACTION {
            seen = below(point, ray, slopes.w, distance);
        } else {
            seen = vec4<f32>(behind_at(place_of(point)).rgb, slopes.w / -direction.z);
        }
    }
    let left = exp(-world.extinction.rgb * max(seen.w, 0.0));
    var inner = (world.deep.rgb + glow_of(point.z - lattice.level.x, facet, direction)) * (1.0 - left);
    if !has_bed && REFRACTION {
        seen = vec4<f32>(open_bed(point, ray, max(seen.w, 0.0), footprint), seen.w);
    }
    inner += seen.rgb * left;

    // Reflection, glitter and foam at the surface
    var light = mirrored_by(facet, direction) * share + inner * (1.0 - share);
    if GLITTER {
        light += glitter_of(facet, direction);
    }
    if FOAM && !is_far {
        let amount = max(textureSampleLevel(ground_map, clamped, at, 0.0).z, 0.0);
        let foam = foam_at(point.xy, amount, footprint);
        light = mix(light, vec3<f32>(0.72, 0.74, 0.75) * daylight(plain, 1.0) / PI, foam);
    }
    return light;
}

fn slopes_at(at: vec2<f32>) -> vec4<f32> {
    let texels = fwidth(at * lattice.size.xy);
    let lod = level_of(sqrt(texels.x * texels.y));
    return textureSampleLevel(slope_map, clamped, at, lod);
}

@fragment
fn water_fragment(in: Surface) -> @location(0) vec4<f32> {
    let offset = in.point - world.eye.xyz;
    let distance = length(offset);
    let direction = offset / distance;
    let spot = world.scales.w * distance;
    let slopes = slopes_at(in.at);
    var lines = 0.0;
    if LINES {
        lines = lines_at(in.at);
    }
    if slopes.w < lattice.level.y {
        discard;
    }
    let plain = normalize(vec3<f32>(-slopes.xy, 1.0));
    if CLASSIC {
        let footprint = spot * inverseSqrt(clamp(-direction.z, 0.02, 1.0));
        let colour = classic_water(classic_bent(plain, in.point.xy, footprint), direction) * world.shine_rest.z;
        return screen_colour(draped(colour, in.at, lines));
    }
    if !HAS_BED && dot(direction, plain) > 0.0 && world.solid.w > 0.5 {
        return developed(seen_from_below(plain, direction, distance));
    }
    let light = water_light(in.point, in.at, slopes, in.breeze, direction, distance, false);
    let colour = developed(in_haze(light, direction, distance)).rgb;
    return vec4<f32>(draped(colour, in.at, lines), 1.0);
}

// An sRGB colour in the encoding of the render target.
fn screen_colour(colour: vec3<f32>) -> vec4<f32> {
    if ENCODES {
        return vec4<f32>(colour, 1.0);
    }
    let c = clamp(colour, vec3<f32>(0.0), vec3<f32>(1.0));
    return vec4<f32>(select(pow((c + 0.055) / 1.055, vec3<f32>(2.4)), c / 12.92, c <= vec3<f32>(0.04045)), 1.0);
}

// A colour blended with the draped field and with grid lines.
fn draped(colour: vec3<f32>, at: vec2<f32>, lines: f32) -> vec3<f32> {
    var result = colour;
    if DRAPED {
        let field = textureSampleLevel(drape_map, clamped, at, 0.0);
        // The luminance of the water still modulates the field
        let shade = clamp(dot(colour, vec3<f32>(0.3, 0.55, 0.15)) * 1.3, 0.25, 1.4);
        result = mix(colour, field.rgb * (0.55 + 0.45 * shade), field.a * lattice.ground.w);
    }
    if LINES {
        result = mix(result, vec3<f32>(0.02, 0.05, 0.07), 0.55 * lines);
    }
    return result;
}
