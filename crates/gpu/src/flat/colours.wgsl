// Colour mapping of values. COLOURS_GROUP is replaced by the group number; see colours.rs.

struct Colours {
    // Hues of positive and negative values in degrees, saturation, the value that is mapped to 1.
    hues: vec4<f32>,
    // Lightness per unit and per unit of the logarithm, limit of lightness, limit beyond which colours are white.
    ramp: vec4<f32>,
    // Low and high end, whether the scale is logarithmic, and the scheme: 0 HSL, 1 map, 2 kinds.
    scale: vec4<f32>,
}

@group(COLOURS_GROUP) @binding(0) var<uniform> colours: Colours;
@group(COLOURS_GROUP) @binding(1) var colour_table: texture_2d<f32>;

// Values of this magnitude are missing: WGSL does not guarantee tests for NaN.
const MISSING: f32 = 1e37;

fn decoded(srgb: vec3<f32>) -> vec3<f32> {
    let steep = pow((max(srgb, vec3<f32>(0.0)) + 0.055) / 1.055, vec3<f32>(2.4));
    return select(steep, srgb / 12.92, srgb <= vec3<f32>(0.04045));
}

fn hsl_colour(value: f32) -> vec3<f32> {
    let size = abs(value);
    let lightness = colours.ramp.x * size + colours.ramp.y * log(1.0 + size);
    if lightness > colours.ramp.w {
        return vec3<f32>(1.0);
    }
    let hue = select(colours.hues.y, colours.hues.x, value >= 0.0);
    let light = clamp(lightness, 0.0, colours.ramp.z);
    let chroma = (1.0 - abs(2.0 * light - 1.0)) * colours.hues.z;
    // Distance of the hue from red, green and blue on the circle
    let turned = vec3<f32>(hue, hue - 120.0, hue - 240.0) / 360.0;
    let away = abs(fract(turned + 0.5) - 0.5) * 6.0;
    let pure = clamp(2.0 - away, vec3<f32>(0.0), vec3<f32>(1.0));
    return decoded(pure * chroma + light - 0.5 * chroma);
}

fn map_colour(value: f32) -> vec3<f32> {
    let low = colours.scale.x;
    let high = colours.scale.y;
    var place = (value - low) / (high - low);
    if colours.scale.z > 0.5 {
        place = log(max(value / low, 1e-37)) / log(high / low);
    }
    let at = clamp(place, 0.0, 1.0) * 255.0;
    let index = min(i32(at), 254);
    let below = textureLoad(colour_table, vec2<i32>(index, 0), 0).rgb;
    let above = textureLoad(colour_table, vec2<i32>(index + 1, 0), 0).rgb;
    return mix(below, above, at - f32(index));
}

// The linear colour of a value; transparent where there is none.
fn colour_of(value: f32) -> vec4<f32> {
    if abs(value) >= MISSING {
        return vec4<f32>(0.0);
    }
    if colours.scale.w < 0.5 {
        return vec4<f32>(hsl_colour(value / colours.hues.w), 1.0);
    }
    if colours.scale.w < 1.5 {
        return vec4<f32>(map_colour(value), 1.0);
    }
    let kind = i32(clamp(value, 0.0, 65535.0)) % 8;
    return vec4<f32>(textureLoad(colour_table, vec2<i32>(kind, 0), 0).rgb, 1.0);
}
