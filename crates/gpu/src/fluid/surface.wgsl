// Shading of a liquid surface. Joined to world.wgsl and behind.wgsl.

@group(2) @binding(0) var shape: texture_2d<f32>;

@vertex
fn screen_vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    return vec4<f32>(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}

struct Found {
    // Right and up components of the normal, depth, thickness.
    shape: vec4<f32>,
    // Coverage of the pixel.
    cover: f32,
}

fn texel(at: vec2<i32>, last: vec2<i32>) -> vec4<f32> {
    return textureLoad(shape, clamp(at, vec2<i32>(0), last), 0);
}

// Bilinear interpolation of the shape map over the texels that contain liquid.
fn shape_at(pixel: vec2<f32>) -> Found {
    let size = vec2<f32>(textureDimensions(shape));
    let at = pixel * world.size.zw * size - 0.5;
    let low = floor(at);
    let share = at - low;
    let first = vec2<i32>(low);
    let last = vec2<i32>(size) - 1;
    let a = texel(first, last);
    let b = texel(first + vec2<i32>(1, 0), last);
    let c = texel(first + vec2<i32>(0, 1), last);
    let d = texel(first + vec2<i32>(1, 1), last);
    let ahead = vec4<f32>(a.z, b.z, c.z, d.z);
    let along = vec4<f32>(1.0 - share.x, share.x, 1.0 - share.x, share.x);
    let down = vec4<f32>(1.0 - share.y, 1.0 - share.y, share.y, share.y);
    let known = select(vec4<f32>(0.0), along * down, ahead > vec4<f32>(0.0));
    let cover = dot(known, vec4<f32>(1.0));
    let mean = (a * known.x + b * known.y + c * known.z + d * known.w) / max(cover, 1e-6);
    return Found(mean, clamp(1.6 * cover - 0.3, 0.0, 1.0));
}

// Radiance along a reflected ray: sky, or the surrounding ground.
fn around(direction: vec3<f32>) -> vec3<f32> {
    let sky = sky_towards(vec3<f32>(direction.xy, max(direction.z, 0.0)), 0.02);
    return mix(sky, world.ground.rgb, smoothstep(0.0, 0.25, -direction.z)) * carded(direction);
}

// Reflection of the sun by a slightly rough surface: a narrow Gaussian lobe.
fn sun_glint(mirrored: vec3<f32>) -> vec3<f32> {
    let width = 0.05;
    let aside = mirrored - world.sun.xyz;
    return world.sunlight.rgb * exp(-dot(aside, aside) / (width * width)) / (PI * width * width);
}

struct Water {
    @location(0) colour: vec4<f32>,
    @builtin(frag_depth) depth: f32,
}

@fragment
fn surface_fragment(@builtin(position) position: vec4<f32>) -> Water {
    let found = shape_at(position.xy);
    if found.cover <= 0.0 {
        discard;
    }
    let ray = through(position.xy);
    let direction = normalize(ray);
    let ahead = found.shape.z;
    let distance = ahead * length(ray);
    let at = world.eye.xyz + ray * ahead;
    let aside = found.shape.xy;
    let rise = sqrt(max(1.0 - dot(aside, aside), 0.0));
    var normal = normalize(world.right.xyz * aside.x + world.up.xyz * aside.y - world.ahead.xyz * rise);
    // A visible surface faces the camera
    normal = normalize(normal - direction * max(dot(normal, direction) + 0.02, 0.0));
    let cosine = -dot(normal, direction);

    // Background straight through, and along the refracted ray
    let place = position.xy * world.size.zw;
    let plain = behind_at(place);
    let way = clamp(min(found.shape.w, plain.a - distance), 0.0, 50.0);
    var seen = plain;
    let bent = refract(direction, normal, 1.0 / WATER_INDEX);
    if world.effects.x > 0.5 {
        let other = behind_at(place_of(at + bent * min(way, 0.4 * distance)));
        // A background pixel in front of the liquid is not used
        if other.a > distance {
            seen = other;
        }
    }
    let left = exp(-world.extinction.rgb * wandered(way));
    let below = seen.rgb * left * carded(bent) + world.deep.rgb * inner_shade(normal) * (1.0 - left);

    let mirrored = reflect(direction, normal);
    var above = around(mirrored);
    if world.more_effects.y > 0.5 {
        above += sun_glint(mirrored);
    }
    let light = mix(below, above, fresnel(cosine, WATER_INDEX));
    let hazy = hazed(light, direction, distance);
    return Water(developed(mix(plain.rgb, hazy, found.cover)), world.ahead.w / ahead);
}
